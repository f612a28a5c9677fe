//! The global states that an engine has met: numbered, with hash-consed stacks, what they show, and
//! the steps of their threads. The engine decides which states are met when.

use num_bigint::BigUint;

use crate::automata::dfa::Dfa;
use crate::engines::kernel::{Found, Round, Search, Wanted};
use crate::limits::{Limit, Meter};
use crate::sets::layout::Lone;
use crate::sets::orbit::OrbitCounter;
use crate::sets::roles::{self, Roles};
use crate::sets::stacks::{EMPTY, StackId, Stacks};
use crate::sets::states::{StateId, StateSet};
use crate::sets::thread_states::{Span, ThreadState, ThreadStateId, ThreadStates};
use crate::sets::visible::{VisibleId, VisibleStates};
use crate::system::{self, EPSILON, Handle, Rule, Symbol, Symmetry, System};
use crate::whole_stacks::{Matcher, Reach};

/// States, the first of which is the initial one, and what is known about them.
pub struct Reached {
    /// The system.
    pub system: Handle,
    /// What the threads of each template can do.
    pub locals: Vec<ThreadStates>,
    /// The states, up to symmetry if that is on.
    pub states: StateSet<StackId>,
    roles: Roles,
    visible: VisibleStates,
    /// Counts permutations, where there are any.
    counter: Option<OrbitCounter>,
    /// How many shared states the system had when it last grew.
    shared: u32,
    /// How much memory the system took when it last grew.
    system_bytes: usize,
}

impl Reached {
    /// The initial state alone.
    pub fn new(handle: &Handle, symmetry: Symmetry) -> Self {
        let system = system::lock(handle);
        let groups = symmetry.groups(&system);
        let roles = match symmetry {
            Symmetry::Families => Roles::new(&system),
            Symmetry::Equals | Symmetry::None => Roles::default(),
        };
        let mut locals: Vec<ThreadStates> =
            system.templates.iter().map(|_| ThreadStates::default()).collect();
        let mut initial: Vec<StackId> = groups
            .iter()
            .flat_map(|group| {
                let template = group.template as usize;
                let stack = locals[template].stacks.push(&system.templates[template].stack, EMPTY);
                group.threads.iter().map(move |_| stack)
            })
            .collect();
        let visible = VisibleStates::with_roles(handle, &system, symmetry, roles.bits);
        let stacks: Vec<u32> = locals.iter().map(|locals| locals.stacks.count()).collect();
        let mut states = StateSet::with_roles(groups, system.shared, &stacks, roles.bits);
        for stack in &mut initial {
            *stack = states.joined(*stack, 0);
        }
        states.insert(system.initial, &mut initial);
        let mut reached = Self {
            system: Handle::clone(handle),
            locals,
            counter: (symmetry != Symmetry::None).then(|| states.counter()),
            states,
            roles,
            visible,
            shared: system.shared,
            system_bytes: 0,
        };
        drop(system);
        reached.observe(0);
        reached
    }

    /// How many states there are, up to symmetry if that is on.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Never: the initial state is there.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// How many states there are, every permutation counted.
    pub fn real_len(&self) -> BigUint {
        self.counter.as_ref().map_or_else(|| self.states.len().into(), OrbitCounter::total)
    }

    /// What is known about them as a round that has all of them.
    pub fn round(&self) -> Round {
        Round {
            mark: self.len(),
            parts: self.len(),
            states: Some(self.real_len()),
            visible: self.visible.real_len(),
            listed_states: Some(self.len()),
            listed_visible: Some(self.visible.len()),
            delayed: None,
            steps: None,
        }
    }

    /// How many shared states there are to be met.
    pub fn shared(&self) -> u32 {
        self.shared
    }

    /// What they show.
    pub fn visible(&self) -> &VisibleStates {
        &self.visible
    }

    /// How much memory all this holds, and a system that grows with it.
    pub fn bytes(&self) -> usize {
        self.system_bytes
            + self.states.bytes()
            + self.visible.bytes()
            + self.locals.iter().map(ThreadStates::bytes).sum::<usize>()
    }

    /// How much more it will hold after this many more states.
    pub fn growth(&self, more: usize) -> usize {
        self.states.bytes_after(more) - self.states.bytes() + self.visible.bytes_after(more)
            - self.visible.bytes()
    }

    /// The first state, or visible state, that is asked for with this number or a higher one, in
    /// one of these rounds.
    pub fn first(
        &self,
        wanted: &Wanted,
        from: usize,
        rounds: &[Round],
        meter: &mut Meter,
    ) -> Result<Search, Limit> {
        Ok(match wanted {
            Wanted::Bad(property) => {
                let found = self.visible.first_bad(property, from, meter)?;
                Search::of_visible(found.map(VisibleId::number), self.visible.len(), rounds)
            }
            Wanted::Stacks(reach) => {
                let found = self.matcher(reach).first(from, meter)?;
                Search::of_parts(found.map(StateId::number), reach, self.len(), rounds)
            }
        })
    }

    /// The state that was found; the first one, if it was found by what it shows.
    pub fn state_of(&self, found: &Found) -> StateId {
        if found.by_stacks {
            return StateId::new(found.number);
        }
        let top = |template: usize, stack| self.locals[template].stacks.top(stack);
        self.visible.first_that_shows(VisibleId::new(found.number), &self.states, top)
    }

    /// Recognises states by their stacks.
    pub fn matcher<'a>(
        &'a self,
        reach: &'a Reach,
    ) -> Matcher<'a, StackId, impl Fn(usize, &Dfa, StackId) -> bool> {
        let fits =
            |template: usize, set: &Dfa, stack| is_in(&self.locals[template].stacks, stack, set);
        Matcher::new(&self.states, reach, fits)
    }

    /// A state, as the shared state and the stack of each thread.
    pub fn state_row(&self, state: StateId) -> Vec<u32> {
        self.states.row(state)
    }

    /// How many symbols all stacks of a template have together.
    pub fn symbols_in_stacks(&self, template: usize) -> u64 {
        let stacks = &self.locals[template].stacks;
        StackId::range(0, stacks.count() as usize)
            .map(|stack| u64::from(stacks.height(stack)))
            .sum()
    }

    /// All stacks of a template, by number.
    pub fn stack_words(&self, template: usize) -> impl Iterator<Item = Vec<Symbol>> {
        let stacks = &self.locals[template].stacks;
        stacks.all().map(|stack| stacks.word(stack))
    }

    /// The shared state of a state and the stack at a position, with its role.
    #[inline]
    pub fn thread_state(&self, state: StateId, position: usize) -> ThreadState {
        self.states.thread_state(state, position)
    }

    /// The number of the thread state at a position of a state.
    #[inline]
    pub fn number(&mut self, state: StateId, position: usize) -> ThreadStateId {
        let source = self.thread_state(state, position);
        self.locals[self.states.template(position)].number(source)
    }

    /// The steps of the thread at a position of a state, as [`Reached::steps_from`] has them.
    #[inline]
    pub fn steps(&mut self, state: StateId, position: usize) -> Span {
        let source = self.number(state, position);
        self.steps_from(self.states.template(position), source)
    }

    /// The steps from a thread state of a template, computed if they are not yet known: then keys
    /// that were made before are invalid, because new stacks may change how keys are packed.
    #[inline]
    pub fn steps_from(&mut self, template: usize, source: ThreadStateId) -> Span {
        match self.locals[template].known_steps(source) {
            Some(known) => known,
            None => self.compute_steps(template, source),
        }
    }

    fn compute_steps(&mut self, template: usize, source: ThreadStateId) -> Span {
        let locals = &mut self.locals[template];
        let mut system = system::lock(&self.system);
        let computed = if self.states.has_roles() {
            let steps = steps_with_roles(
                &mut system,
                &mut self.roles,
                &self.states,
                locals,
                template,
                locals.state(source),
            );
            locals.remember(source, &steps)
        } else {
            let (shared, stack) = locals.state(source);
            system.meet(template, shared, locals.stacks.top(stack));
            locals.compute_steps(&system.templates[template], source)
        };
        self.states.make_room(template, locals.stacks.count());
        self.states.make_room_for_shared(system.shared);
        self.visible.make_room(&system);
        self.shared = system.shared;
        self.system_bytes = system.bytes();
        computed
    }

    /// Append to `keys` the key of the state after a step of the thread at a position, the first of
    /// its equals, and return the first position of that thread's equals there.
    #[inline]
    pub fn successor(
        &self,
        state: StateId,
        position: usize,
        step: usize,
        keys: &mut Vec<u64>,
    ) -> usize {
        let locals = &self.locals[self.states.template(position)];
        let target = locals.state(locals.target(step));
        match locals.effect(step) {
            0 => self.states.successor(state, position, target, keys),
            effect => {
                let role = |template: usize, role| self.roles.after(effect, template, role);
                self.states.successor_with_roles(state, position, target, role, keys)
            }
        }
    }

    /// Where a step of the thread at a position leads.
    #[inline]
    pub fn target(&self, position: usize, step: usize) -> ThreadState {
        let locals = &self.locals[self.states.template(position)];
        locals.state(locals.target(step))
    }

    /// A short way to the successors at a position, where there is one.
    pub fn lone(&self, position: usize) -> Option<Lone<'_, StackId>> {
        self.states.lone(position).filter(|_| !self.states.has_roles())
    }

    /// Record what the states from this number on show, and count their orbits.
    pub fn observe(&mut self, from: usize) {
        let locals = &self.locals;
        let top = |template: usize, stack| locals[template].stacks.top(stack);
        self.visible.add(&self.states, from, top, |_| ());
        if let Some(counter) = &mut self.counter {
            for state in StateId::range(from, self.states.len()) {
                self.states.count_orbit(state, counter);
            }
        }
    }
}

/// The steps from a thread state with a role: where each leads, its rule, and its effect on roles.
fn steps_with_roles(
    system: &mut System,
    roles: &mut Roles,
    states: &StateSet<StackId>,
    locals: &mut ThreadStates,
    template: usize,
    (shared, part): ThreadState,
) -> Vec<(ThreadState, u32, u32)> {
    let (stack, role) = states.split(part);
    let mover = roles::member(system, template, role, shared);
    let runner = template + mover.map_or(0, |(_, member)| member);
    let top = locals.stacks.top(stack);
    system.meet(runner, shared, top);
    let before = system.normal_form(shared);
    let rest = if top == EPSILON { EMPTY } else { locals.stacks.rest(stack) };
    let mut steps = Vec::new();
    for number in system.templates[runner].enabled(shared, top).to_vec() {
        let Rule { target, word, .. } = &system.templates[runner].rules[number as usize];
        let stack = locals.stacks.push(word, rest);
        let after = system.normal_form(*target);
        let role = mover.map_or(0, |(family, member)| after.role(family, member));
        let effect = roles.effect(&before, &after, mover);
        steps.push(((after.shared, states.joined(stack, role)), number, effect));
    }
    steps
}

/// Whether a whole stack is in a set of stacks.
fn is_in(stacks: &Stacks, mut stack: StackId, set: &Dfa) -> bool {
    let mut state = (!set.is_empty()).then_some(0);
    while stack != EMPTY
        && let Some(here) = state
    {
        state = set.step(here, stacks.top(stack));
        stack = stacks.rest(stack);
    }
    state.is_some_and(|state| set.is_accepting(state))
}

/// Doubling would waste up to half of the memory.
#[inline]
pub(crate) fn push_within_an_eighth<T>(values: &mut Vec<T>, value: T) {
    if values.len() == values.capacity() {
        values.reserve_exact(values.len() / 8 + 256);
    }
    values.push(value);
}
