//! Traces where interchangeable threads that know themselves were exchanged ([`crate::sets::roles`]).
//!
//! The states of the engine are normal forms. A trace is found anew among real states: in the state
//! that a context begins in, some real thread has the stack and the role of the one that moved, and
//! it is run by its own rules until the normal form of the state is that in which the context ends.

use rustc_hash::FxHashMap;

use crate::engines::kernel::Context;
use crate::limits::{Limit, Meter};
use crate::sets::reached::Reached;
use crate::sets::stacks::{EMPTY, StackId};
use crate::sets::states::StateId;
use crate::sets::thread_states::ThreadState;
use crate::system::{self, EPSILON, Shared, System};

/// A real state that follows a run.
pub(super) struct RealThreads<'a> {
    reached: &'a mut Reached,
    shared: Shared,
    /// The stack of each thread.
    stacks: Vec<StackId>,
}

/// The thread states of a run, each with the one that it was reached from, and the rule.
type Found = FxHashMap<ThreadState, Option<(ThreadState, u32)>>;

impl<'a> RealThreads<'a> {
    /// The initial state.
    pub(super) fn new(reached: &'a mut Reached) -> Self {
        let mut stacks: Vec<StackId> = Vec::new();
        for &stack in &reached.states.row(StateId::INITIAL)[1..] {
            stacks.push(StackId::new(stack));
        }
        let shared = reached.states.shared(StateId::INITIAL);
        Self { reached, shared, stacks }
    }

    /// The contexts between some states, the first of which is the initial one.
    pub(super) fn contexts(
        mut self,
        ends: &[StateId],
        mover: impl Fn(StateId) -> usize,
        meter: &mut Meter,
    ) -> Result<Vec<Context>, Limit> {
        let ends = ends.windows(2);
        ends.map(|ends| self.context(ends[0], ends[1], mover(ends[1]), meter)).collect()
    }

    fn context(
        &mut self,
        start: StateId,
        end: StateId,
        position: usize,
        meter: &mut Meter,
    ) -> Result<Context, Limit> {
        let handle = self.reached.system.clone();
        let mut system = system::lock(&handle);
        let thread =
            self.thread_with(&mut system, position, self.reached.states.part(start, position));
        let begun: ThreadState = (self.shared, self.stacks[thread]);
        let mut found: Found = std::iter::once((begun, None)).collect();
        let mut queue = vec![begun];
        let mut next = 0;
        loop {
            let source = queue[next];
            next += 1;
            (self.shared, self.stacks[thread]) = source;
            if self.is_at(&mut system, end) {
                return Ok(Context { thread: thread as u32, rules: rules_to(&found, source) });
            }
            if next.is_multiple_of(256)
                && let Some(limit) = meter.reached(0, 0)
            {
                return Err(limit);
            }
            for (target, rule) in self.steps(&mut system, thread, source) {
                found.entry(target).or_insert_with(|| {
                    queue.push(target);
                    Some((source, rule))
                });
            }
        }
    }

    /// A thread of the group of a position with this stack and role.
    fn thread_with(&self, system: &mut System, position: usize, part: StackId) -> usize {
        let (_, parts) = self.parts(system);
        let states = &self.reached.states;
        let threads = states.groups().iter().flat_map(|group| &group.threads);
        let span = states.spans().find(|span| (span.0..span.1).contains(&position));
        let (start, end) = span.expect("a position of some group");
        let mut members = threads.zip(parts).take(end).skip(start);
        let found = members.find(|&(_, other)| other == part);
        *found.expect("the state has this normal form").0 as usize
    }

    fn is_at(&self, system: &mut System, state: StateId) -> bool {
        let (shared, mut parts) = self.parts(system);
        let states = &self.reached.states;
        shared == states.shared(state) && states.find(shared, &mut parts) == Some(state)
    }

    /// The normal form: the shared state, and each stack with its role, group by group.
    fn parts(&self, system: &mut System) -> (Shared, Vec<StackId>) {
        let normal = system.normal_form(self.shared);
        let mut parts = Vec::new();
        for group in self.reached.states.groups() {
            let mut families = system.families().iter();
            let family = families.position(|family| family.template == group.template as usize);
            for (member, &thread) in group.threads.iter().enumerate() {
                let role = family.map_or(0, |family| normal.role(family, member));
                parts.push(self.reached.states.joined(self.stacks[thread as usize], role));
            }
        }
        (normal.shared, parts)
    }

    /// The steps of a real thread, each with its rule.
    fn steps(
        &mut self,
        system: &mut System,
        thread: usize,
        (shared, stack): ThreadState,
    ) -> Vec<(ThreadState, u32)> {
        let template = system.threads[thread] as usize;
        let groups = self.reached.states.groups().iter();
        let mut groups = groups.filter(|group| group.threads.contains(&(thread as u32)));
        let of_group = groups.next().expect("every thread has a group").template as usize;
        let stacks = &mut self.reached.locals[of_group].stacks;
        let top = stacks.top(stack);
        system.meet(template, shared, top);
        let rest = if top == EPSILON { EMPTY } else { stacks.rest(stack) };
        let template = &system.templates[template];
        let enabled = template.enabled(shared, top).iter().map(|&number| {
            let rule = &template.rules[number as usize];
            ((rule.target, stacks.push(&rule.word, rest)), number)
        });
        enabled.collect()
    }
}

/// The rules by which a thread state was reached.
fn rules_to(found: &Found, mut at: ThreadState) -> Vec<u32> {
    let mut rules = Vec::new();
    while let Some((source, rule)) = found[&at] {
        rules.push(rule);
        at = source;
    }
    rules.reverse();
    rules
}
