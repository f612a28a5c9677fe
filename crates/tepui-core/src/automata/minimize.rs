//! Minimal deterministic automata: states that accept the same words become one, and those that
//! accept none are left out.
//!
//! The algorithm is that of Valmari (Fast brief practical DFA minimization, 2012): a partition of
//! the states and one of the edges refine each other, in O(m log m) for m edges. Unlike Hopcroft's
//! it never looks at edges that are not there, so a large alphabet costs nothing.

use crate::automata::determinize::Partial;
use crate::automata::graph::{Adjacency, reachable};
use crate::limits::{Limit, Meter};
use crate::system::Symbol;

/// A minimal automaton, for several starts at once.
#[derive(Debug)]
pub struct Minimal {
    /// For each old state the new one; None if it accepts nothing.
    pub class: Vec<Option<u32>>,
    /// For each new state, whether it accepts the empty word.
    pub accepting: Vec<bool>,
    /// For each new state what leaves it, in ascending order of the symbols.
    pub edges: Vec<Vec<(Symbol, u32)>>,
}

/// Merge the states that accept the same words.
pub fn minimize(partial: &Partial, meter: &mut Meter<'_>) -> Result<Minimal, Limit> {
    let (number, old) = number_useful(partial);
    let edges: Vec<(u32, Symbol, u32)> = partial
        .edges
        .iter()
        .filter_map(|&(from, symbol, to)| {
            Some((number[from as usize]?, symbol, number[to as usize]?))
        })
        .collect();
    let blocks = refine(&old, &edges, &partial.accepting, meter)?;
    let class = |state: u32| blocks.set_of[state as usize];
    let mut minimal = Minimal {
        class: number.iter().map(|number| number.map(class)).collect(),
        accepting: vec![false; blocks.len()],
        edges: vec![Vec::new(); blocks.len()],
    };
    for (state, &old) in (0..).zip(&old) {
        minimal.accepting[class(state) as usize] = partial.accepting[old as usize];
    }
    for &(from, symbol, to) in &edges {
        minimal.edges[class(from) as usize].push((symbol, class(to)));
    }
    for edges in &mut minimal.edges {
        meter.spend(edges.len())?;
        edges.sort_unstable();
        edges.dedup();
    }
    Ok(minimal)
}

/// Numbers without gaps for the states that accept something, and the states by these numbers.
fn number_useful(partial: &Partial) -> (Vec<Option<u32>>, Vec<u32>) {
    let states = partial.accepting.len();
    let backwards = partial.edges.iter().map(|&(from, _, to)| (to, from));
    let accepting = (0..states).filter(|&state| partial.accepting[state]);
    let useful = reachable(&Adjacency::new(states, backwards), accepting);
    let old: Vec<u32> = (0..states as u32).filter(|&state| useful[state as usize]).collect();
    let mut number = vec![None; states];
    for (new, &old) in (0..).zip(&old) {
        number[old as usize] = Some(new);
    }
    (number, old)
}

/// The partition of the states into those that accept the same words.
fn refine(
    old: &[u32],
    edges: &[(u32, Symbol, u32)],
    accepting: &[bool],
    meter: &mut Meter<'_>,
) -> Result<Partition, Limit> {
    let mut blocks = Partition::whole(old.len());
    for (state, &old) in (0..).zip(old) {
        if accepting[old as usize] {
            blocks.mark(state);
        }
    }
    blocks.split();
    let mut cords = Partition::by_key(edges.len(), |edge| edges[edge as usize].1.number());
    let entering = Adjacency::new(old.len(), (0..).zip(edges).map(|(edge, to)| (to.2, edge)));
    let mut block = 1;
    let mut cord = 0;
    while cord < cords.len() {
        meter.spend(1 + cords.range(cord).len())?;
        for place in cords.range(cord) {
            blocks.mark(edges[cords.elements[place] as usize].0);
        }
        blocks.split();
        cord += 1;
        while block < blocks.len() {
            meter.spend(1 + blocks.range(block).len())?;
            for place in blocks.range(block) {
                for &edge in entering.of(blocks.elements[place] as usize) {
                    cords.mark(edge);
                }
            }
            cords.split();
            block += 1;
        }
    }
    Ok(blocks)
}

/// A partition of 0 … n-1 that can be refined: mark elements, then split each set into those
/// that are marked and those that are not.
struct Partition {
    /// The elements, those of one set together.
    elements: Vec<u32>,
    /// For each element its place in `elements`.
    place: Vec<u32>,
    set_of: Vec<u32>,
    /// For each set where it begins in `elements`, and where it ends.
    bounds: Vec<(u32, u32)>,
    /// For each set how many of its elements are marked; these come first.
    marked: Vec<u32>,
    /// The sets with marked elements.
    touched: Vec<u32>,
}

impl Partition {
    fn whole(len: usize) -> Self {
        Self::by_key(len, |_| 0)
    }

    /// One set for each key.
    fn by_key(len: usize, key: impl Fn(u32) -> u32) -> Self {
        let mut elements: Vec<u32> = (0..len as u32).collect();
        elements.sort_by_key(|&element| key(element));
        let mut place = vec![0; len];
        let mut set_of = vec![0; len];
        let mut bounds = Vec::new();
        let mut start = 0;
        for same in elements.chunk_by(|&left, &right| key(left) == key(right)) {
            for (index, &element) in (start..).zip(same) {
                place[element as usize] = index;
                set_of[element as usize] = bounds.len() as u32;
            }
            let end = start + same.len() as u32;
            bounds.push((start, end));
            start = end;
        }
        let marked = vec![0; bounds.len()];
        Self { elements, place, set_of, bounds, marked, touched: Vec::new() }
    }

    fn len(&self) -> usize {
        self.bounds.len()
    }

    fn range(&self, set: usize) -> std::ops::Range<usize> {
        let (start, end) = self.bounds[set];
        start as usize..end as usize
    }

    fn mark(&mut self, element: u32) {
        let set = self.set_of[element as usize];
        let from = self.place[element as usize];
        let to = self.bounds[set as usize].0 + self.marked[set as usize];
        if from < to {
            return; // It is marked already.
        }
        let other = self.elements[to as usize];
        self.elements.swap(from as usize, to as usize);
        self.place[element as usize] = to;
        self.place[other as usize] = from;
        if self.marked[set as usize] == 0 {
            self.touched.push(set);
        }
        self.marked[set as usize] += 1;
    }

    /// Split every set with marks; the smaller part becomes the new set.
    fn split(&mut self) {
        while let Some(set) = self.touched.pop() {
            let (start, end) = self.bounds[set as usize];
            let middle = start + std::mem::take(&mut self.marked[set as usize]);
            if middle == end {
                continue;
            }
            let (kept, new) = if middle - start <= end - middle {
                ((middle, end), (start, middle))
            } else {
                ((start, middle), (middle, end))
            };
            self.bounds[set as usize] = kept;
            let number = self.bounds.len() as u32;
            self.bounds.push(new);
            self.marked.push(0);
            for place in new.0..new.1 {
                self.set_of[self.elements[place as usize] as usize] = number;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::system::short::s;

    fn minimized(partial: &Partial) -> Minimal {
        minimize(partial, &mut Meter::over(Limits::default())).unwrap()
    }

    #[test]
    fn states_with_the_same_words_are_one_and_those_without_words_are_none() {
        // States 1 and 2 accept exactly [7]; state 4 accepts nothing.
        let partial = Partial {
            accepting: vec![false, false, false, true, false],
            edges: [(0, 1, 1), (0, 2, 2), (1, 7, 3), (2, 7, 3), (0, 3, 4), (4, 1, 4)]
                .map(|(from, symbol, to)| (from, s(symbol), to))
                .to_vec(),
        };
        let minimal = minimized(&partial);
        assert_eq!(minimal.accepting.len(), 3);
        assert_eq!(minimal.class[1], minimal.class[2]);
        assert_eq!(minimal.class[4], None);
        let start = minimal.class[0].unwrap() as usize;
        let middle = minimal.class[1].unwrap();
        assert_eq!(minimal.edges[start], [(s(1), middle), (s(2), middle)]);
    }

    #[test]
    fn a_long_chain_stays_and_a_long_cycle_of_equals_becomes_a_loop() {
        const LENGTH: u32 = 20_000;
        let chain = |last_to: Option<u32>, accepting: fn(u32) -> bool| Partial {
            accepting: (0..LENGTH).map(accepting).collect(),
            edges: (0..LENGTH)
                .filter_map(|state| {
                    let next = (state + 1 < LENGTH).then_some(state + 1);
                    Some((state, s(1), next.or(last_to)?))
                })
                .collect(),
        };
        let open = minimized(&chain(None, |state| state + 1 == LENGTH));
        assert_eq!(open.accepting.len(), LENGTH as usize);
        let closed = minimized(&chain(Some(0), |_| true));
        assert_eq!(closed.edges, [[(s(1), 0)]]);
    }

    #[test]
    fn what_accepts_nothing_has_no_states() {
        let minimal = minimized(&Partial { accepting: vec![false], edges: vec![(0, s(1), 0)] });
        assert_eq!((minimal.class, minimal.accepting.len()), (vec![None], 0));
    }
}
