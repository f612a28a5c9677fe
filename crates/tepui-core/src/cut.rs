//! Over-approximations Z of the reachable visible states (CUBA, section 4.2.3), by cutting stacks.
//!
//! A thread keeps the top of its stack only, so the composed system is finite and can be explored
//! to the end. What a pop brings up is no longer known; the strengths of Z differ in what they
//! still know about it ([`Emergence`]).
//!
//! *Claimed* is CUBA's Algorithms 2 and 4: a table says which symbols may emerge when σ is popped.
//! In the paper the empty stack always may; where a program is known, it need not.
//!
//! *Matched* keeps the top b symbols and whether anything lies below them, and grows a relation
//! *below* together with Z: (σ, π) says that π may lie directly below σ when σ is at depth b or
//! deeper, with ε below the last symbol. Every step that is enabled in Z adds the pairs of the
//! stack that it makes; every pop takes its outcomes from the relation; the result is the least
//! fixed point of both. With α(w) = (top b symbols of w, whether there are more), the invariant is
//! that α of every reachable state is in Z and every pair of adjacent symbols at depth ≥ b is in
//! *below*.
//!
//! The steps of a thread depend on the relation, which grows. Their targets are kept in lists that
//! are only appended to; when the relation has grown, the lists are extended, and all states are
//! looked through again for the new targets only.

use std::any::Any;

use num_bigint::BigUint;

use crate::automata::dfa::Dfa;
use crate::cut_stacks::{CutStacks, Source};
use crate::limits::{Limit, Outcome, Watch};
use crate::program::Point;
use crate::property::Property;
use crate::reach::{Matcher, Reach};
use crate::reached::Reached;
use crate::stacks::StackId;
use crate::states::{LocalId, StateId, StateSet};
use crate::system::{self, Handle, Shared, Symbol};
use crate::visible::{self, VisibleStates};

/// How a Z knows what a pop can bring to the top.
#[derive(Clone, Debug)]
pub enum Emergence {
    /// By a table: for each template and class of symbols, what may emerge when one is popped,
    /// with [`EPSILON`](crate::system::EPSILON) for the empty stack.
    Claimed(Vec<Vec<Vec<Symbol>>>),
    /// By the relation *below*, with this many symbols of a stack kept, at least one.
    Matched(usize),
}

/// The computation of one Z, by whatever means. It is used as a trait object, at the level of whole
/// calls only.
pub trait Overapproximation: Any + Send + Sync {
    /// What it is a Z of.
    fn system(&self) -> &Handle;

    /// The cut stacks of each template.
    fn locals(&self) -> &[CutStacks];

    /// Go on until the fixed point.
    fn advance(&mut self, watch: &mut Watch) -> Outcome;

    /// Whether the fixed point is reached: only then is this an over-approximation.
    fn is_complete(&self) -> bool;

    /// How many cut states there are, up to symmetry if that is on.
    fn states(&self) -> BigUint;

    /// How many visible states there are, up to symmetry if that is on.
    fn visible(&self) -> BigUint;

    /// How many visible states there are, every permutation counted.
    fn real_visible(&self) -> BigUint;

    /// How much was done, in states or operations.
    fn work(&self) -> usize;

    /// How much memory the computation holds, and a system that grows with it.
    fn bytes(&self) -> usize;

    /// How many states, or nodes, a certificate has.
    fn certificate_size(&self) -> usize;

    /// A bad visible state of a complete Z.
    fn find_bad(
        &mut self,
        property: &Property,
        watch: &mut Watch,
    ) -> Result<Option<Vec<u32>>, Limit>;

    /// Whether some state of a complete Z may stand for one that is asked for by its stacks.
    fn has_reaching(&self, reach: &Reach, watch: &mut Watch) -> Result<bool, Limit>;

    /// The visible states of a complete Z.
    fn visible_rows(&self) -> Box<dyn Iterator<Item = Vec<u32>> + '_>;

    /// The shared states and tops that the threads of a template show together.
    fn thread_visible(&mut self, template: usize) -> Vec<(Shared, Symbol)>;

    /// For each template of a program's system, the points that it contains.
    fn points(&mut self) -> Vec<Vec<Point>> {
        let templates = 0..self.locals().len();
        let pairs: Vec<_> = templates.map(|template| self.thread_visible(template)).collect();
        visible::points(&system::lock(self.system()), &pairs)
    }

    /// Whether every pop that is enabled in Z has one outcome only, the empty stack counted.
    /// Then every path of Z is the image of a real path, and Z is exact. (CUBA's Theorem 25,
    /// which as printed does not count the empty stack.)
    fn is_exact(&self) -> bool {
        let system = system::lock(self.system());
        let mut pairs = self.locals().iter().zip(&system.templates);
        pairs.all(|(locals, template)| locals.pops_are_functional(template))
    }
}

/// The computation of one Z, state by state.
pub struct Cut {
    system: Handle,
    locals: Vec<CutStacks>,
    states: StateSet,
    visible: VisibleStates,
    phase: Phase,
    keys: Vec<u64>,
    /// How much memory the system took when it last grew.
    system_bytes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// States from `next` on are to be expanded.
    Expand {
        next: usize,
    },
    /// States from `next` to `end` were expanded, but the targets of steps have grown since.
    Revisit {
        next: usize,
        end: usize,
    },
    /// All states were expanded; the steps are being brought up to date with the relations.
    Refresh,
    Complete,
}

/// How many states are expanded together.
const BATCH: usize = 32;

impl Cut {
    /// A Z that contains the initial state.
    pub fn new(handle: &Handle, symmetry: bool, emergence: &Emergence) -> Self {
        let system = system::lock(handle);
        let groups = system.groups(symmetry);
        let mut locals: Vec<CutStacks> = system
            .templates
            .iter()
            .enumerate()
            .map(|(index, template)| CutStacks::new(template, index, emergence))
            .collect();
        let mut initial: Vec<LocalId> = groups
            .iter()
            .flat_map(|group| {
                let template = group.template as usize;
                let local = locals[template].cut(&system.templates[template].stack);
                group.threads.iter().map(move |_| local)
            })
            .collect();
        let counts: Vec<u32> = locals.iter().map(CutStacks::count).collect();
        let mut states = StateSet::new(groups, system.shared, &counts);
        states.insert(system.initial, &mut initial);
        let visible = VisibleStates::new(handle, &system, symmetry);
        drop(system);
        let mut cut = Self {
            system: Handle::clone(handle),
            locals,
            states,
            visible,
            phase: Phase::Expand { next: 0 },
            keys: Vec::new(),
            system_bytes: 0,
        };
        cut.observe(0);
        cut
    }

    /// A Z that contains the cuts of all that was reached, without symmetry.
    pub fn of_reached(handle: &Handle, emergence: &Emergence, reached: &Reached) -> Self {
        let mut cut = Self::new(handle, false, emergence);
        let mut cuts: Vec<Vec<LocalId>> = Vec::new();
        for (template, locals) in cut.locals.iter_mut().enumerate() {
            cuts.push(reached.stack_words(template).map(|stack| locals.cut(&stack)).collect());
            cut.states.make_room(template, locals.count());
        }
        cut.states.make_room_for_shared(reached.shared());
        cut.visible.make_room(&system::lock(handle));
        let mut keys = Vec::new();
        let local = |template: usize, stack: StackId| cuts[template][stack as usize];
        reached.states.project(0..reached.len() as StateId, &cut.states, local, &mut keys);
        let known = cut.states.len();
        cut.states.insert_batch(&keys, |_, _, _| ());
        cut.observe(known);
        cut
    }

    /// Cut states by number, as the shared state and the local state of each thread.
    pub fn state_rows(&self, start: usize, end: usize) -> impl Iterator<Item = Vec<u32>> {
        (start..end.min(self.states.len())).map(|state| self.states.row(state as StateId))
    }

    fn limit_reached(&self, watch: &mut Watch) -> Option<Limit> {
        let growth = 64 * BATCH;
        if self.states.room() < growth {
            return Some(Limit::States);
        }
        let bytes = self.bytes() + self.states.bytes_after(growth) - self.states.bytes();
        watch.reached(self.states.len(), bytes)
    }

    /// Insert the successors of a range of states, by those targets of a step that `targets` picks.
    fn expand(&mut self, from: usize, to: usize, targets: fn(&Source) -> &[(Shared, LocalId)]) {
        for state in from as StateId..to as StateId {
            let shared = self.states.shared(state);
            for position in 0..self.states.positions() {
                let local = self.states.local(state, position);
                let template = self.states.template(position);
                if self.locals[template].knows((shared, local)) {
                    continue;
                }
                let mut system = system::lock(&self.system);
                system.meet(template, shared, self.locals[template].top(local));
                self.locals[template].meet(&system.templates[template], (shared, local));
                self.states.make_room(template, self.locals[template].count());
                self.states.make_room_for_shared(system.shared);
                self.visible.make_room(&system);
                self.system_bytes = system.bytes();
            }
        }
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        for state in from as StateId..to as StateId {
            let shared = self.states.shared(state);
            for position in 0..self.states.positions() {
                if !self.states.is_first_of_equals(state, position) {
                    continue;
                }
                let local = self.states.local(state, position);
                let source = self.locals[self.states.template(position)].source((shared, local));
                for &target in targets(source) {
                    self.states.successor(state, position, target, &mut keys);
                }
            }
        }
        let known = self.states.len();
        self.states.insert_batch(&keys, |_, _, _| ());
        self.keys = keys;
        self.observe(known);
    }

    /// Extend some targets of steps by what the relations have gained, and say what to do next.
    fn refresh(&mut self) -> Phase {
        let system = system::lock(&self.system);
        for (locals, template) in self.locals.iter_mut().zip(&system.templates) {
            if !locals.refresh_some(template) {
                return Phase::Refresh;
            }
        }
        for (template, locals) in self.locals.iter().enumerate() {
            self.states.make_room(template, locals.count());
        }
        if self.locals.iter().any(CutStacks::has_new_targets) {
            Phase::Revisit { next: 0, end: self.states.len() }
        } else {
            Phase::Complete
        }
    }

    /// Record the visible states of the states from this number on.
    fn observe(&mut self, from: usize) {
        let locals = &self.locals;
        let top = |template: usize, local| locals[template].top(local);
        self.visible.add(&self.states, from, top, |_| ());
    }
}

impl Overapproximation for Cut {
    fn system(&self) -> &Handle {
        &self.system
    }

    fn locals(&self) -> &[CutStacks] {
        &self.locals
    }

    fn advance(&mut self, watch: &mut Watch) -> Outcome {
        let pause = self.states.len().saturating_add(watch.limits().pause);
        while self.phase != Phase::Complete {
            if let Some(limit) = self.limit_reached(watch) {
                return Outcome::Stopped(limit);
            }
            self.phase = match self.phase {
                Phase::Expand { next } if next < self.states.len() => {
                    let end = self.states.len().min(next + BATCH);
                    self.expand(next, end, Source::all_targets);
                    Phase::Expand { next: end }
                }
                Phase::Expand { .. } => {
                    self.locals.iter_mut().for_each(CutStacks::begin_refresh);
                    Phase::Refresh
                }
                Phase::Refresh => self.refresh(),
                Phase::Revisit { next, end } if next < end => {
                    let until = end.min(next + BATCH);
                    self.expand(next, until, Source::new_targets);
                    Phase::Revisit { next: until, end }
                }
                Phase::Revisit { end, .. } => Phase::Expand { next: end },
                Phase::Complete => Phase::Complete,
            };
            if self.states.len() >= pause {
                return Outcome::Paused;
            }
        }
        Outcome::Done
    }

    fn is_complete(&self) -> bool {
        self.phase == Phase::Complete
    }

    fn states(&self) -> BigUint {
        self.states.len().into()
    }

    fn visible(&self) -> BigUint {
        self.visible.len().into()
    }

    fn real_visible(&self) -> BigUint {
        self.visible.real_len()
    }

    fn work(&self) -> usize {
        self.states.len()
    }

    fn bytes(&self) -> usize {
        let locals: usize = self.locals.iter().map(CutStacks::bytes).sum();
        self.system_bytes + self.states.bytes() + self.visible.bytes() + locals
    }

    fn certificate_size(&self) -> usize {
        self.states.len()
    }

    fn find_bad(
        &mut self,
        property: &Property,
        watch: &mut Watch,
    ) -> Result<Option<Vec<u32>>, Limit> {
        let found = self.visible.first_bad(property, 0, watch)?;
        Ok(found.map(|visible| self.visible.row(visible)))
    }

    fn has_reaching(&self, reach: &Reach, watch: &mut Watch) -> Result<bool, Limit> {
        let may_fit =
            |template: usize, set: &Dfa, local| self.locals[template].may_be_in(local, set);
        let found = Matcher::new(&self.states, reach, may_fit).first(0, watch)?;
        Ok(found.is_some())
    }

    fn visible_rows(&self) -> Box<dyn Iterator<Item = Vec<u32>> + '_> {
        Box::new((0..self.visible.len() as StateId).map(|visible| self.visible.row(visible)))
    }

    fn thread_visible(&mut self, template: usize) -> Vec<(Shared, Symbol)> {
        self.visible.thread_visible(template)
    }
}
