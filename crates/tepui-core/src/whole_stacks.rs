//! States that are asked for by their whole stacks: is a configuration, or one of a regular set of
//! them, among the states of a set (QR, section 3)?
//!
//! States are kept up to symmetry, and what is reachable is closed under exchanging equal threads.
//! So a question is read up to symmetry as well: each thread of a group takes one of its positions,
//! no two the same, so that the stack there is in the set of the thread. Sets of stacks may
//! overlap, so this is a bipartite matching.
//!
//! Which local states are in a set, the engine says. It is asked once for each of them.

use std::collections::BTreeSet;

use crate::automata::determinize::Partial;
use crate::automata::dfa::Dfa;
use crate::ids::Id;
use crate::limits::{Limit, Meter};
use crate::sets::matching::matching;
use crate::sets::states::{StateId, StateSet};
use crate::system::{EPSILON, Shared, Symbol, System};

/// A set of states; `None` matches anything.
#[derive(Clone, Debug)]
pub struct Reach {
    /// The shared state.
    pub shared: Option<Shared>,
    /// The stacks of each thread.
    pub stacks: Vec<Option<Dfa>>,
}

impl Reach {
    /// All states that show a shared state and these tops, one for each thread.
    pub fn showing(visible: &[u32], system: &System) -> Self {
        let tops = visible[1..].iter().map(|&top| Symbol::new(top)).zip(&system.threads);
        let stacks = tops.map(|(top, &template)| {
            let symbols = system.templates[template as usize].symbols;
            Some(stacks_with_top(top, symbols))
        });
        Self { shared: Some(Shared::new(visible[0])), stacks: stacks.collect() }
    }
}

/// A question made ready for the states of one set.
pub struct Matcher<'a, L, F> {
    states: &'a StateSet<L>,
    shared: Option<Shared>,
    /// The sets of stacks that are asked for, each with its template.
    sets: Vec<(usize, &'a Dfa)>,
    groups: Vec<Wanted>,
    /// Whether a local state of a template is in a set.
    fits: F,
    /// The answers of `fits` for each set, by local state.
    known: Vec<Vec<Option<bool>>>,
}

/// What is asked of the threads of a group: those of them that need a stack of some set.
struct Wanted {
    start: usize,
    end: usize,
    needs: Vec<Need>,
}

/// A thread, and the number of the set in which its stack must be.
#[derive(Clone, Copy)]
struct Need {
    thread: u32,
    set: usize,
}

/// How many states are compared between two questions whether to stop.
const BATCH: usize = 256;

impl<'a, L: Id, F: Fn(usize, &Dfa, L) -> bool> Matcher<'a, L, F> {
    /// A matcher for a set of states, where `fits` gets a template, a set of stacks and a local
    /// state.
    pub fn new(states: &'a StateSet<L>, reach: &'a Reach, fits: F) -> Self {
        let mut sets = Vec::new();
        let mut groups = Vec::new();
        for (group, (start, end)) in states.groups().iter().zip(states.spans()) {
            let mut needs = Vec::new();
            for &thread in &group.threads {
                if let Some(stacks) = &reach.stacks[thread as usize] {
                    let wanted = (group.template as usize, stacks);
                    let set = sets.iter().position(|&set| set == wanted).unwrap_or_else(|| {
                        sets.push(wanted);
                        sets.len() - 1
                    });
                    needs.push(Need { thread, set });
                }
            }
            groups.push(Wanted { start, end, needs });
        }
        let known = vec![Vec::new(); sets.len()];
        Self { states, shared: reach.shared, sets, groups, fits, known }
    }

    /// The first state that is asked for with this number or a higher one.
    pub fn first(&mut self, from: usize, meter: &mut Meter) -> Result<Option<StateId>, Limit> {
        let to = self.states.len();
        for start in (from..to).step_by(BATCH) {
            if let Some(limit) = meter.reached(0, 0) {
                return Err(limit);
            }
            let mut batch = StateId::range(start, to.min(start + BATCH));
            if let Some(found) = batch.find(|&state| self.matches(state)) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// New names for the threads at the positions of a state, under which it is asked for as it
    /// is written; None if it is not. A thread keeps its name where it can.
    pub fn names(&mut self, state: StateId, threads: &[u32]) -> Option<Vec<u32>> {
        if !self.has_shared(state) {
            return None;
        }
        let mut names = vec![None; threads.len()];
        for group in 0..self.groups.len() {
            let seats = self.seats(state, group, threads)?;
            let Wanted { start, end, ref needs } = self.groups[group];
            let (names, here) = (&mut names[start..end], &threads[start..end]);
            let mut free: BTreeSet<u32> = here.iter().copied().collect();
            for (name, need) in names.iter_mut().zip(seats) {
                *name = need.map(|need| needs[need].thread);
            }
            free.retain(|&thread| !names.contains(&Some(thread)));
            for (name, &thread) in names.iter_mut().zip(here) {
                if name.is_none() && free.remove(&thread) {
                    *name = Some(thread);
                }
            }
            for name in names.iter_mut().filter(|name| name.is_none()) {
                *name = free.pop_first();
            }
        }
        names.into_iter().collect()
    }

    fn has_shared(&self, state: StateId) -> bool {
        self.shared.is_none_or(|shared| shared == self.states.shared(state))
    }

    fn matches(&mut self, state: StateId) -> bool {
        self.has_shared(state)
            && (0..self.groups.len()).all(|group| self.seats(state, group, &[]).is_some())
    }

    /// For each position of a group, the number of the need that is met there, so that all are;
    /// at the position where its thread is now, if possible.
    fn seats(&mut self, state: StateId, group: usize, now: &[u32]) -> Option<Vec<Option<usize>>> {
        let Wanted { start, end, ref needs } = self.groups[group];
        let here = now.get(start..end).unwrap_or_default();
        let seat_now = |need: usize| here.iter().position(|&thread| thread == needs[need].thread);
        matching((needs.len(), end - start), seat_now, |need, seat| {
            let Need { set, .. } = needs[need];
            let local = self.states.local(state, start + seat);
            let known = &mut self.known[set];
            if known.len() <= local.index() {
                known.resize(local.index() + 1, None);
            }
            let (template, stacks) = self.sets[set];
            *known[local.index()].get_or_insert_with(|| (self.fits)(template, stacks, local))
        })
    }
}

/// All stacks with this top.
fn stacks_with_top(top: Symbol, symbols: u32) -> Dfa {
    if top == EPSILON {
        return Dfa::singleton(&[]);
    }
    let any = Symbol::range(1, symbols as usize).map(|symbol| (1, symbol, 1));
    let edges = std::iter::once((0, top, 1)).chain(any).collect();
    Dfa::of_small(&Partial { accepting: vec![false, true], edges })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::sets::stacks::StackId;
    use crate::system::Group;
    use crate::system::short::{q, s};

    /// A matcher's answers where stack n is the one of n symbols 1, for three equal
    /// threads and one that is alone.
    fn ask(locals: [u32; 4], stacks: &[Option<&[u32]>]) -> Option<Vec<u32>> {
        let groups = vec![
            Group { template: 0, threads: vec![0, 2, 3] },
            Group { template: 1, threads: vec![1] },
        ];
        let mut states = StateSet::new(groups, 2, &[4, 4]);
        states.insert(q(0), &mut [3; 4].map(StackId::new));
        let (state, _) = states.insert(q(1), &mut locals.map(StackId::new));
        let heights = |allowed: &[u32]| {
            let accepting = (0..4).map(|height| allowed.contains(&height)).collect();
            let edges = (0..3).map(|height| (height, s(1), height + 1)).collect();
            Dfa::of_small(&Partial { accepting, edges })
        };
        let stacks = stacks.iter().map(|set| set.map(heights)).collect();
        let reach = Reach { shared: Some(q(1)), stacks };
        let fits = |_, set: &Dfa, stack: StackId| set.accepts(&vec![s(1); stack.index()]);
        let mut matcher = Matcher::new(&states, &reach, fits);
        let mut go_on = || false;
        let first = matcher.first(0, &mut Meter::new(Limits::default(), &mut go_on));
        let names = matcher.names(state, &[0, 2, 3, 1]);
        assert_eq!(first.expect("no limit").is_some(), names.is_some());
        names
    }

    #[test]
    fn threads_of_a_group_trade_places_until_all_fit() {
        // Thread 0 takes the only place that thread 2 could have, and must move on.
        let names = ask([0, 1, 2, 3], &[Some(&[0, 1]), None, Some(&[0]), None]);
        assert_eq!(names, Some(vec![2, 0, 3, 1]));
        let none = ask([0, 2, 2, 3], &[Some(&[0, 1]), None, Some(&[0]), None]);
        assert_eq!(none, None);
    }

    #[test]
    fn a_thread_keeps_its_name_where_it_can() {
        let names = ask([1, 1, 1, 3], &[None, None, Some(&[1]), None]);
        assert_eq!(names, Some(vec![0, 2, 3, 1]));
        let names = ask([0, 1, 1, 3], &[None, None, None, Some(&[0])]);
        assert_eq!(names, Some(vec![3, 2, 0, 1]));
    }

    #[test]
    fn groups_are_not_mixed() {
        assert_eq!(ask([0, 1, 2, 3], &[None, Some(&[0]), None, None]), None);
        assert!(ask([0, 1, 2, 3], &[None, Some(&[3]), None, None]).is_some());
        assert_eq!(ask([0, 1, 2, 3], &[Some(&[]), None, None, None]), None);
    }
}
