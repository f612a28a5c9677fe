//! P-automata combined and compared: union, intersection, inclusion, and the list of what is
//! accepted.
//!
//! Inclusion makes only the larger side deterministic, and only as far as the smaller one needs
//! it; that can still take exponentially long, so limits apply, with a state for each pair.

use std::borrow::Cow;
use std::collections::hash_map::Entry;

use num_bigint::BigUint;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::automata::determinize::Sets;
use crate::automata::dfa::Dfa;
use crate::automata::p_automaton::{Node, PAutomaton, Transition};
use crate::limits::{Limit, Meter};
use crate::system::{EPSILON, Shared, Symbol};

/// A shared state and a stack, top first.
pub type Configuration = (Shared, Vec<Symbol>);

impl PAutomaton {
    /// The same set, accepted without a transition that leads to a shared state: those that are
    /// entered get a copy that is entered in their place.
    pub fn isolated(&self) -> Cow<'_, Self> {
        let mut copies: FxHashMap<Node, Node> = FxHashMap::default();
        for edge in self.transitions() {
            if edge.to.as_shared().is_some() {
                let number = self.inner_nodes() + copies.len() as u32;
                copies.entry(edge.to).or_insert(Node::inner(number));
            }
        }
        if copies.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut transitions = Vec::with_capacity(self.transitions().len());
        for edge in self.transitions() {
            let to = copies.get(&edge.to).copied().unwrap_or(edge.to);
            transitions.push(Transition { to, ..*edge });
            if let Some(&from) = copies.get(&edge.from) {
                transitions.push(Transition { from, to, ..*edge });
            }
        }
        Cow::Owned(Self::new(transitions))
    }

    /// The configurations that are in one of two sets.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let left = self.isolated();
        let right = other.isolated();
        let moved = |node: Node| match node.as_inner() {
            Some(number) if node != Node::LAST => Node::inner(number + left.inner_nodes()),
            _ => node,
        };
        let mut transitions = left.transitions().to_vec();
        transitions.extend(right.transitions().iter().map(|edge| Transition {
            from: moved(edge.from),
            to: moved(edge.to),
            ..*edge
        }));
        Self::new(transitions)
    }

    /// The configurations that are in both of two sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let mut pairs = Pairs::new();
        for shared in self.shared_states() {
            let node = Node::shared(shared);
            pairs.number(node, node);
        }
        let mut transitions = Vec::new();
        while let Some((left, right, from)) = pairs.work.pop() {
            for edge in self.leaving(left) {
                for to in other.read(right, edge.symbol) {
                    let to = pairs.number(edge.to, to);
                    transitions.push(Transition { from, symbol: edge.symbol, to });
                }
            }
        }
        Self::new(transitions)
    }

    /// A shortest configuration that another set lacks; None if it includes this set.
    pub fn missing_from(
        &self,
        other: &Self,
        meter: &mut Meter,
    ) -> Result<Option<Configuration>, Limit> {
        let mut search =
            Search { sets: Sets::new(other), seen: FxHashSet::default(), found: vec![] };
        for shared in self.shared_states() {
            let node = Node::shared(shared);
            let set = search.sets.number(vec![node]);
            search.add(node, set, None);
        }
        let mut next = 0;
        while let Some(&(node, set, _)) = search.found.get(next) {
            if next.is_multiple_of(64)
                && let Some(limit) = meter.reached(search.found.len(), search.bytes())
            {
                return Err(limit);
            }
            meter.spend(1 + search.sets.nodes(set).len())?;
            let steps = search.sets.steps(set);
            for edge in self.leaving(node) {
                if edge.symbol == EPSILON {
                    if !steps.accepting {
                        return Ok(Some(search.configuration(next)));
                    }
                    continue;
                }
                let place = steps.edges.binary_search_by_key(&edge.symbol, |&(symbol, _)| symbol);
                let to = match place {
                    Ok(place) => steps.edges[place].1,
                    Err(_) => search.sets.number(Vec::new()),
                };
                search.add(edge.to, to, Some((next as u32, edge.symbol)));
            }
            next += 1;
        }
        Ok(None)
    }

    /// How many configurations there are; None if there are infinitely many.
    pub fn count(&self, meter: &mut Meter) -> Result<Option<BigUint>, Limit> {
        if !self.is_finite() {
            return Ok(None);
        }
        let languages = Dfa::all_of(self, meter)?;
        let counts: Result<Vec<_>, Limit> =
            languages.iter().map(|(_, language)| language.count(meter)).collect();
        Ok(counts?.into_iter().sum())
    }

    /// The configurations with at most `height` symbols on the stack, but not more than `most` of
    /// them: by shared state, and for each in the order of a dictionary.
    pub fn words(&self, height: usize, most: usize) -> Vec<Configuration> {
        let distance = self.distances();
        let mut sets = Sets::new(self);
        let mut words = Vec::new();
        for shared in self.shared_states() {
            let mut word = Vec::new();
            // What to do next, last first: come back to a prefix, then go on with a symbol.
            let mut waiting = vec![(0, None, sets.number(vec![Node::shared(shared)]))];
            while let Some((length, symbol, set)) = waiting.pop() {
                let near = sets.nodes(set).iter().filter_map(|node| distance.get(node)).min();
                if words.len() == most || near.is_none_or(|&near| length + near > height) {
                    continue;
                }
                word.truncate(length.saturating_sub(1));
                word.extend(symbol);
                let steps = sets.steps(set);
                if steps.accepting {
                    words.push((shared, word.clone()));
                }
                let longer = |&(symbol, to): &(Symbol, u32)| (length + 1, Some(symbol), to);
                waiting.extend(steps.edges.iter().rev().map(longer));
            }
        }
        words
    }

    /// For each node, how many symbols it reads at least before the mark.
    fn distances(&self) -> FxHashMap<Node, usize> {
        let mut entering: FxHashMap<Node, Vec<Node>> = FxHashMap::default();
        for edge in self.transitions() {
            entering.entry(edge.to).or_default().push(edge.from);
        }
        let mut distance = FxHashMap::default();
        let mut layer = entering.remove(&Node::LAST).unwrap_or_default();
        let mut reads = 0;
        while !layer.is_empty() {
            let mut farther = Vec::new();
            for node in layer {
                if let Entry::Vacant(unknown) = distance.entry(node) {
                    unknown.insert(reads);
                    farther.extend(entering.get(&node).into_iter().flatten());
                }
            }
            layer = farther;
            reads += 1;
        }
        distance
    }
}

/// Pairs of nodes as nodes of a product: pairs of equal shared states are shared states.
struct Pairs {
    numbers: FxHashMap<(Node, Node), Node>,
    inner: u32,
    /// Pairs that are new.
    work: Vec<(Node, Node, Node)>,
}

impl Pairs {
    fn new() -> Self {
        let last = ((Node::LAST, Node::LAST), Node::LAST);
        Self { numbers: FxHashMap::from_iter([last]), inner: 1, work: Vec::new() }
    }

    fn number(&mut self, left: Node, right: Node) -> Node {
        *self.numbers.entry((left, right)).or_insert_with(|| {
            let node = if left == right && left.as_shared().is_some() {
                left
            } else {
                self.inner += 1;
                Node::inner(self.inner - 1)
            };
            self.work.push((left, right, node));
            node
        })
    }
}

/// The pair before a pair, by number, and the symbol between them, unless the pair is a start.
type Before = Option<(u32, Symbol)>;

/// A breadth-first search through pairs of a node and a set of nodes of another automaton.
struct Search<'a> {
    sets: Sets<'a>,
    seen: FxHashSet<(Node, u32)>,
    /// Each pair with how it was reached.
    found: Vec<(Node, u32, Before)>,
}

impl Search<'_> {
    fn add(&mut self, node: Node, set: u32, before: Before) {
        if self.seen.insert((node, set)) {
            self.found.push((node, set, before));
        }
    }

    fn configuration(&self, mut pair: usize) -> Configuration {
        let mut stack = Vec::new();
        while let Some((before, symbol)) = self.found[pair].2 {
            stack.push(symbol);
            pair = before as usize;
        }
        stack.reverse();
        (self.found[pair].0.as_shared().expect("a search starts at a shared state"), stack)
    }

    fn bytes(&self) -> usize {
        let per_pair = size_of::<(Node, u32, Before)>();
        self.sets.bytes() + self.found.capacity() * per_pair + self.seen.capacity() * 9
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::system::short::{q, s, word};

    fn configurations(all: &[(u32, &[u32])]) -> Vec<Configuration> {
        all.iter().map(|&(shared, stack)| (q(shared), word(stack))).collect()
    }

    fn set(all: &[(u32, &[u32])]) -> PAutomaton {
        let all = configurations(all);
        PAutomaton::of_configurations(all.iter().map(|(shared, stack)| (*shared, &stack[..])))
    }

    fn missing(left: &PAutomaton, right: &PAutomaton) -> Option<Configuration> {
        left.missing_from(right, &mut Meter::over(Limits::default())).unwrap()
    }

    /// ⟨0|1ⁿ⟩ for all n, by a transition that leads back to the shared state.
    fn ones() -> PAutomaton {
        let zero = Node::shared(q(0));
        PAutomaton::new(vec![
            Transition { from: zero, symbol: s(1), to: zero },
            Transition { from: zero, symbol: EPSILON, to: Node::LAST },
        ])
    }

    #[test]
    fn isolated_automata_accept_the_same() {
        let ones = ones();
        let isolated = ones.isolated();
        assert!(isolated.transitions().iter().all(|edge| edge.to.as_shared().is_none()));
        assert_eq!((missing(&ones, &isolated), missing(&isolated, &ones)), (None, None));
    }

    #[test]
    fn a_union_does_not_mix_what_leads_to_shared_states() {
        let union = ones().union(&set(&[(0, &[2]), (1, &[])]));
        let words = union.words(2, usize::MAX);
        let expected = [(0, &[][..]), (0, &[1]), (0, &[1, 1]), (0, &[2]), (1, &[])];
        assert_eq!(words, configurations(&expected));
        assert!(!union.accepts(q(0), &word(&[1, 2])));
    }

    #[test]
    fn an_intersection_has_what_both_have() {
        let some = set(&[(0, &[1, 1]), (0, &[1, 2]), (1, &[1])]);
        assert_eq!(
            ones().intersection(&some).words(5, usize::MAX),
            configurations(&[(0, &[1, 1])])
        );
        assert!(ones().intersection(&set(&[(1, &[1])])).is_empty());
    }

    #[test]
    fn what_is_missing_is_shortest() {
        let some = set(&[(0, &[]), (0, &[1])]);
        assert_eq!(missing(&some, &ones()), None);
        assert_eq!(missing(&ones(), &some), Some((q(0), word(&[1, 1]))));
        assert_eq!(missing(&set(&[(2, &[3])]), &some), Some((q(2), word(&[3]))));
    }

    #[test]
    fn configurations_are_counted_once_however_often_they_are_accepted() {
        let some = set(&[(0, &[1]), (0, &[1, 2])]).union(&set(&[(0, &[1]), (1, &[])]));
        let count = |set: &PAutomaton| set.count(&mut Meter::over(Limits::default())).unwrap();
        assert_eq!(count(&some), Some(BigUint::from(3_u8)));
        assert_eq!(count(&ones()), None);
        assert_eq!(count(&PAutomaton::default()), Some(BigUint::default()));
    }

    #[test]
    fn no_more_words_are_listed_than_asked_for() {
        assert_eq!(ones().words(1_000, 2), configurations(&[(0, &[]), (0, &[1])]));
    }

    #[test]
    fn comparing_stops_at_limits() {
        let limits = Limits { states: 0, ..Limits::default() };
        let stopped = ones().missing_from(&ones(), &mut Meter::over(limits));
        assert_eq!(stopped, Err(Limit::States));
    }
}
