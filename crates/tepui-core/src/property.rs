//! Which visible states are bad: patterns with wildcards, and deadlocks.
//!
//! Visible states are kept up to symmetry, and the set of reachable ones is closed under exchanging
//! equal threads. So a pattern is read up to symmetry as well: it asks for so many threads of a
//! group with this top and so many with that one, which is exact because every entry of a pattern
//! is one symbol or a wildcard.

use crate::states::{StateId, StateSet};
use crate::system::{Shared, Symbol, System};

/// A set of visible states; `None` matches anything.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The shared state.
    pub shared: Option<Shared>,
    /// The top of each thread's stack.
    pub tops: Vec<Option<Symbol>>,
}

/// The bad visible states.
#[derive(Clone, Debug, Default)]
pub struct Property {
    /// Those that match a pattern.
    pub patterns: Vec<Pattern>,
    /// Those in which nothing can move and some stack is not empty.
    pub deadlock: bool,
}

/// A property made ready for the visible states of one set.
pub struct Matcher<'a> {
    system: &'a System,
    visible: &'a StateSet,
    patterns: Vec<Needs>,
    deadlock: bool,
}

/// A pattern up to symmetry.
struct Needs {
    shared: Option<Shared>,
    /// Within these positions, at least so many tops must be this symbol.
    counts: Vec<(usize, usize, Symbol, usize)>,
}

impl<'a> Matcher<'a> {
    /// A matcher for a set of visible states of a system.
    pub fn new(system: &'a System, visible: &'a StateSet, property: &Property) -> Self {
        let patterns =
            property.patterns.iter().map(|pattern| Needs::new(pattern, visible)).collect();
        Self { system, visible, patterns, deadlock: property.deadlock }
    }

    /// The first bad visible state with a number in this range.
    pub fn first(&self, from: usize, to: usize) -> Option<StateId> {
        (from as StateId..to as StateId).find(|&state| self.is_bad(state))
    }

    fn is_bad(&self, state: StateId) -> bool {
        self.patterns.iter().any(|needs| self.matches(state, needs))
            || (self.deadlock && self.is_deadlock(state))
    }

    fn matches(&self, state: StateId, needs: &Needs) -> bool {
        if needs.shared.is_some_and(|shared| shared != self.visible.shared(state)) {
            return false;
        }
        needs.counts.iter().all(|&(start, end, symbol, count)| {
            let tops = (start..end).map(|position| self.visible.local(state, position));
            tops.filter(|&top| top == symbol).count() >= count
        })
    }

    fn is_deadlock(&self, state: StateId) -> bool {
        let shared = self.visible.shared(state);
        let mut all_empty = true;
        for position in 0..self.visible.positions() {
            let top = self.visible.local(state, position);
            let template = &self.system.templates[self.visible.template(position)];
            if !template.enabled(shared, top).is_empty() {
                return false;
            }
            all_empty &= top == crate::system::EPSILON;
        }
        !all_empty
    }
}

impl Needs {
    fn new(pattern: &Pattern, visible: &StateSet) -> Self {
        let mut counts = Vec::new();
        for (group, (start, end)) in visible.groups().iter().zip(visible.spans()) {
            let mut tops: Vec<Symbol> =
                group.threads.iter().filter_map(|&thread| pattern.tops[thread as usize]).collect();
            tops.sort_unstable();
            for equal in tops.chunk_by(|left, right| left == right) {
                counts.push((start, end, equal[0], equal.len()));
            }
        }
        Self { shared: pattern.shared, counts }
    }
}
