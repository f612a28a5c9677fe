//! The visible states of a set of states: their projections to the tops of stacks, each once.

use num_bigint::BigUint;

use crate::limits::{Limit, Limits, Watch};
use crate::orbit::OrbitCounter;
use crate::property::{Matcher, Property};
use crate::states::{LocalId, StateId, StateSet};
use crate::system::{Symbol, System};

/// A growing set of visible states, numbered in the order of discovery.
#[derive(Debug)]
pub struct VisibleStates {
    set: StateSet,
    /// Counts permutations, where there are any.
    counter: Option<OrbitCounter>,
    keys: Vec<u64>,
}

impl VisibleStates {
    /// No visible state of a system yet.
    pub fn new(system: &System, symmetry: bool) -> Self {
        let symbols: Vec<u32> = system.templates.iter().map(|template| template.symbols).collect();
        let set = StateSet::new(system.groups(symmetry), system.shared, &symbols);
        Self { counter: symmetry.then(|| set.counter()), set, keys: Vec::new() }
    }

    /// Add what the states from this number on show, where `top` is told a template and a local
    /// state; `report` is told every state that shows something new.
    pub fn add(
        &mut self,
        states: &StateSet,
        from: usize,
        top: impl Fn(usize, LocalId) -> Symbol,
        mut report: impl FnMut(StateId),
    ) {
        let known = self.set.len();
        self.keys.clear();
        states.project(from as StateId..states.len() as StateId, &self.set, top, &mut self.keys);
        self.set.insert_batch(&self.keys, |index, _, new| {
            if new {
                report((from + index) as StateId);
            }
        });
        if let Some(counter) = &mut self.counter {
            for visible in known as StateId..self.set.len() as StateId {
                self.set.count_orbit(visible, counter);
            }
        }
    }

    /// How many there are, up to symmetry if that is on.
    pub fn len(&self) -> usize {
        self.set.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// How many there are, every permutation counted.
    pub fn real_len(&self) -> BigUint {
        self.counter.as_ref().map_or_else(|| self.set.len().into(), OrbitCounter::total)
    }

    /// A visible state, as the shared state and the top of each thread's stack.
    pub fn row(&self, visible: StateId) -> Vec<u32> {
        self.set.row(visible)
    }

    /// The first bad one with this number or a higher one.
    pub fn first_bad(
        &self,
        system: &System,
        property: &Property,
        from: usize,
        limits: Limits,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Option<StateId>, Limit> {
        let mut watch = Watch::new(limits, interrupted);
        Matcher::new(system, &self.set, property).first(from, &mut watch)
    }

    /// How much memory they hold.
    pub fn bytes(&self) -> usize {
        self.set.bytes()
    }

    /// How much memory they will hold after this many more.
    pub fn bytes_after(&self, more: usize) -> usize {
        self.set.bytes_after(more)
    }
}
