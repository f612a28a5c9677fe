//! Z state by state.
//!
//! The steps of a thread depend on the relation *below*, which grows. Their targets are kept in
//! lists that are only appended to. When the relation has grown, the lists are extended, and all
//! states are looked through again for the new targets only.

use num_bigint::BigUint;

use crate::automata::dfa::Dfa;
use crate::limits::{Limit, Meter, Outcome, limit_of_run, while_watched};
use crate::property::Property;
use crate::sets::reached::Reached;
use crate::sets::stacks::StackId;
use crate::sets::states::{StateId, StateSet};
use crate::sets::visible::{VisibleId, VisibleStates};
use crate::system::{self, Handle, Shared, Symbol};
use crate::whole_stacks::{Matcher, Reach};
use crate::z::kernel::{Emergence, ZKernel};
use crate::z::local_states::{LocalId, LocalStates, Source};

/// The computation of one Z, state by state.
pub struct ExplicitZ {
    system: Handle,
    locals: Vec<LocalStates>,
    states: StateSet<LocalId>,
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

/// How many states are expanded together, if they have no more successors than this.
const BATCH: usize = 32;
const SUCCESSORS_AT_ONCE: usize = 1 << 14;

/// How many states that were reached are taken over together.
const MANY: usize = 1 << 16;

impl ExplicitZ {
    /// A Z that contains the initial state.
    pub fn new(handle: &Handle, symmetry: bool, emergence: &Emergence) -> Self {
        let system = system::lock(handle);
        let groups = system.groups(symmetry);
        let mut locals: Vec<LocalStates> = system
            .templates
            .iter()
            .enumerate()
            .map(|(index, template)| LocalStates::new(template, index, emergence))
            .collect();
        let mut initial: Vec<LocalId> = groups
            .iter()
            .flat_map(|group| {
                let template = group.template as usize;
                let local = locals[template].of_stack(&system.templates[template].stack);
                group.threads.iter().map(move |_| local)
            })
            .collect();
        let counts: Vec<u32> = locals.iter().map(LocalStates::count).collect();
        let mut states = StateSet::new(groups, system.shared, &counts);
        states.insert(system.initial, &mut initial);
        let visible = VisibleStates::new(handle, &system, symmetry);
        drop(system);
        let mut z = Self {
            system: Handle::clone(handle),
            locals,
            states,
            visible,
            phase: Phase::Expand { next: 0 },
            keys: Vec::new(),
            system_bytes: 0,
        };
        z.observe(0);
        z
    }

    /// A Z that contains the local states of all that was reached, without symmetry; of less, if a
    /// limit of the run is reached.
    pub fn of_reached(handle: &Handle, emergence: &Emergence, reached: &Reached) -> Self {
        let mut z = Self::new(handle, false, emergence);
        let mut local_states: Vec<Vec<LocalId>> = Vec::new();
        for (template, locals) in z.locals.iter_mut().enumerate() {
            let stacks = &reached.locals[template].stacks;
            let tops = while_watched(stacks.all()).map(|stack| locals.of_top(stacks, stack));
            local_states.push(tops.collect());
            if local_states[template].len() < stacks.count() as usize {
                return z;
            }
            z.states.make_room(template, locals.count());
        }
        z.states.make_room_for_shared(reached.shared());
        z.visible.make_room(&system::lock(handle));
        let mut keys = Vec::new();
        let local = |template: usize, stack: StackId| local_states[template][stack.index()];
        for start in (0..reached.len()).step_by(MANY) {
            if limit_of_run(0).is_some() {
                break;
            }
            keys.clear();
            let end = reached.len().min(start + MANY);
            reached.states.project(start..end, &z.states, local, &mut keys);
            let known = z.states.len();
            z.states.insert_all(&keys);
            z.observe(known);
        }
        z
    }

    /// ExplicitZ states by number, as the shared state and the local state of each thread.
    pub fn state_rows(&self, start: usize, end: usize) -> impl Iterator<Item = Vec<u32>> {
        StateId::range(start, end.min(self.states.len())).map(|state| self.states.row(state))
    }

    fn limit_reached(&self, meter: &mut Meter) -> Option<Limit> {
        let growth = SUCCESSORS_AT_ONCE;
        if self.states.room() < growth {
            return Some(Limit::States);
        }
        let bytes = self.bytes() + self.states.bytes_after(growth) - self.states.bytes();
        meter.reached(self.states.len(), bytes)
    }

    /// Insert the successors of some states from one on, by those targets of a step that `targets`
    /// picks. Return where it stopped: a state may have very many of them.
    fn expand(
        &mut self,
        from: usize,
        to: usize,
        targets: fn(&Source) -> &[(Shared, LocalId)],
    ) -> usize {
        let (mut to, mut successors) = (to.min(from + BATCH), 0);
        for state in StateId::range(from, to) {
            if successors > SUCCESSORS_AT_ONCE {
                to = state.index();
                break;
            }
            let shared = self.states.shared(state);
            for position in 0..self.states.positions() {
                let local = self.states.local(state, position);
                let template = self.states.template(position);
                if self.locals[template].knows((shared, local)) {
                    successors += targets(self.locals[template].source((shared, local))).len();
                    continue;
                }
                let mut system = system::lock(&self.system);
                system.meet(template, shared, self.locals[template].top(local));
                self.locals[template].meet(&system.templates[template], (shared, local));
                successors += targets(self.locals[template].source((shared, local))).len();
                self.states.make_room(template, self.locals[template].count());
                self.states.make_room_for_shared(system.shared);
                self.visible.make_room(&system);
                self.system_bytes = system.bytes();
            }
        }
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        for state in StateId::range(from, to) {
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
        self.states.insert_all(&keys);
        self.keys = keys;
        self.observe(known);
        to
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
        if self.locals.iter().any(LocalStates::has_new_targets) {
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

impl ZKernel for ExplicitZ {
    fn system(&self) -> &Handle {
        &self.system
    }

    fn locals(&self) -> &[LocalStates] {
        &self.locals
    }

    fn advance(&mut self, meter: &mut Meter) -> Outcome {
        let pause = self.states.len().saturating_add(meter.limits().pause);
        while self.phase != Phase::Complete {
            if let Some(limit) = self.limit_reached(meter) {
                return Outcome::Stopped(limit);
            }
            self.phase = match self.phase {
                Phase::Expand { next } if next < self.states.len() => {
                    let end = self.expand(next, self.states.len(), Source::all_targets);
                    Phase::Expand { next: end }
                }
                Phase::Expand { .. } => {
                    self.locals.iter_mut().for_each(LocalStates::begin_refresh);
                    Phase::Refresh
                }
                Phase::Refresh => self.refresh(),
                Phase::Revisit { next, end } if next < end => {
                    let until = self.expand(next, end, Source::new_targets);
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
        let locals: usize = self.locals.iter().map(LocalStates::bytes).sum();
        self.system_bytes + self.states.bytes() + self.visible.bytes() + locals
    }

    fn certificate_size(&self) -> usize {
        self.states.len()
    }

    fn find_bad(
        &mut self,
        property: &Property,
        meter: &mut Meter,
    ) -> Result<Option<Vec<u32>>, Limit> {
        let found = self.visible.first_bad(property, 0, meter)?;
        Ok(found.map(|visible| self.visible.row(visible)))
    }

    fn has_reaching(&self, reach: &Reach, meter: &mut Meter) -> Result<bool, Limit> {
        let may_fit =
            |template: usize, set: &Dfa, local| self.locals[template].may_be_in(local, set);
        let found = Matcher::new(&self.states, reach, may_fit).first(0, meter)?;
        Ok(found.is_some())
    }

    fn visible_rows(&self) -> Box<dyn Iterator<Item = Vec<u32>> + '_> {
        Box::new(VisibleId::range(0, self.visible.len()).map(|visible| self.visible.row(visible)))
    }

    fn thread_visible(&mut self, template: usize) -> Vec<(Shared, Symbol)> {
        self.visible.thread_visible(template)
    }
}
