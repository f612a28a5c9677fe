//! What one thread can do: its stacks, and the steps between its thread states ⟨q|w⟩, computed when
//! they are first asked for and remembered. Thread states are numbered as they are met; to find the
//! number is what exploration does most often, so those asked for lately are kept where one look
//! finds them.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::ids::id;
use crate::limits::{Limit, Meter};
use crate::sets::stacks::{EMPTY, StackId, Stacks};
use crate::system::{EPSILON, Shared, Template};

/// The shared state and the stack of a thread.
pub type ThreadState = (Shared, StackId);

id! {
    /// A thread state of one template, in the order in which they were met.
    ThreadStateId
}

/// Where the steps from a thread state are kept.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// In place of steps that were not computed.
    const UNKNOWN: Self = Self { start: u32::MAX, end: u32::MAX };

    /// How many steps there are.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// The numbers of the steps.
    pub fn numbers(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether there is no step.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// The thread states of one template that were met.
pub struct ThreadStates {
    /// The stacks of the template.
    pub stacks: Stacks,
    numbers: FxHashMap<ThreadState, ThreadStateId>,
    /// Some entries of `numbers`, each at the one place that [`place`] gives it.
    recent: Vec<(ThreadState, ThreadStateId)>,
    /// By number: the thread state, and its steps.
    states: Vec<(ThreadState, Span)>,
    /// Where each step leads.
    targets: Vec<ThreadStateId>,
    /// The rule of each step.
    rules: Vec<u32>,
    /// The effect of each step on the roles of other threads, if there are roles.
    effects: Vec<u32>,
}

/// How many thread states have a place among the recent ones; a power of two.
const RECENT: usize = 1 << 12;

/// No thread state: no system has this shared state.
const NONE: ThreadState = (Shared::new(u32::MAX), StackId::new(u32::MAX));

impl Default for ThreadStates {
    fn default() -> Self {
        Self {
            stacks: Stacks::default(),
            numbers: FxHashMap::default(),
            recent: vec![(NONE, ThreadStateId::new(0)); RECENT],
            states: Vec::new(),
            targets: Vec::new(),
            rules: Vec::new(),
            effects: Vec::new(),
        }
    }
}

impl ThreadStates {
    /// The number of a thread state.
    #[inline]
    pub fn number(&mut self, state: ThreadState) -> ThreadStateId {
        let recent = &mut self.recent[place(state)];
        if recent.0 != state {
            let new = ThreadStateId::from_index(self.states.len());
            let number = *self.numbers.entry(state).or_insert(new);
            if number == new {
                self.states.push((state, Span::UNKNOWN));
            }
            *recent = (state, number);
        }
        recent.1
    }

    /// The thread state with a number.
    #[inline]
    pub fn state(&self, number: ThreadStateId) -> ThreadState {
        self.states[number.index()].0
    }

    /// How many thread states have numbers.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Whether none was met.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The steps from a thread state, if they were computed.
    #[inline]
    pub fn known_steps(&self, source: ThreadStateId) -> Option<Span> {
        let steps = self.states[source.index()].1;
        (steps.start != Span::UNKNOWN.start).then_some(steps)
    }

    /// Where steps lead.
    pub fn targets(&self, steps: Span) -> impl ExactSizeIterator<Item = ThreadState> + '_ {
        self.targets[steps.numbers()].iter().map(|&target| self.state(target))
    }

    /// Where a step leads.
    #[inline]
    pub fn target(&self, step: usize) -> ThreadStateId {
        self.targets[step]
    }

    /// The effect of a step on the roles of other threads; 0 if it has none.
    #[inline]
    pub fn effect(&self, step: usize) -> u32 {
        self.effects.get(step).copied().unwrap_or_default()
    }

    /// Remember the steps from a thread state: where each leads, its rule, and its effect on roles.
    pub fn remember(&mut self, source: ThreadStateId, steps: &[(ThreadState, u32, u32)]) -> Span {
        let start = self.targets.len() as u32;
        for &(target, rule, effect) in steps {
            self.push_step(target, rule);
            self.effects.push(effect);
        }
        self.steps_since(start, source)
    }

    /// The steps from a thread state that were computed: where each leads, and by which rule.
    pub fn steps_with_rules(
        &self,
        source: ThreadState,
    ) -> impl Iterator<Item = (ThreadState, u32)> + '_ {
        let number = self.numbers.get(&source);
        let known = number.and_then(|&number| self.known_steps(number));
        let steps = known.unwrap_or(Span { start: 0, end: 0 });
        self.targets(steps).zip(self.rules[steps.numbers()].iter().copied())
    }

    /// Compute the steps from a thread state.
    pub fn compute_steps(&mut self, template: &Template, source: ThreadStateId) -> Span {
        self.compute_steps_up_to(u32::MAX, template, source)
    }

    /// The same, leaving out steps to a stack that is higher.
    pub fn compute_steps_up_to(
        &mut self,
        height: u32,
        template: &Template,
        source: ThreadStateId,
    ) -> Span {
        let (shared, stack) = self.state(source);
        let start = self.targets.len() as u32;
        let top = self.stacks.top(stack);
        let rest = if top == EPSILON { EMPTY } else { self.stacks.rest(stack) };
        for &number in template.enabled(shared, top) {
            let rule = &template.rules[number as usize];
            if self.stacks.height(rest) as usize + rule.word.len() > height as usize {
                continue;
            }
            let stack = self.stacks.push(&rule.word, rest);
            self.push_step((rule.target, stack), number);
        }
        self.steps_since(start, source)
    }

    fn push_step(&mut self, target: ThreadState, rule: u32) {
        let target = self.number(target);
        self.targets.push(target);
        self.rules.push(rule);
    }

    /// The steps from a number on, which are remembered as those from a thread state.
    fn steps_since(&mut self, start: u32, source: ThreadStateId) -> Span {
        let steps = Span { start, end: self.targets.len() as u32 };
        self.states[source.index()].1 = steps;
        steps
    }

    /// The rules of a shortest run from one thread state to another, which must be reachable from
    /// it by steps that were computed.
    pub fn shortest_run(
        &self,
        start: ThreadState,
        end: ThreadState,
        meter: &mut Meter,
    ) -> Result<Vec<u32>, Limit> {
        self.shortest_run_from(&[start], end, meter).map(|(_, rules)| rules)
    }

    /// The same from one of several thread states, and from which; one of them must reach the end.
    pub fn shortest_run_from(
        &self,
        starts: &[ThreadState],
        end: ThreadState,
        meter: &mut Meter,
    ) -> Result<(ThreadState, Vec<u32>), Limit> {
        let mut queue = starts.to_vec();
        let mut found: FxHashMap<ThreadState, Option<(ThreadState, u32)>> =
            queue.iter().map(|&start| (start, None)).collect();
        let mut next = 0;
        while !found.contains_key(&end) {
            let source = queue[next];
            next += 1;
            if next.is_multiple_of(1024)
                && let Some(limit) = meter.reached(0, 0)
            {
                return Err(limit);
            }
            for (target, rule) in self.steps_with_rules(source) {
                found.entry(target).or_insert_with(|| {
                    queue.push(target);
                    Some((source, rule))
                });
            }
        }
        let mut run = Vec::new();
        let mut at = end;
        while let Some((source, rule)) = found[&at] {
            run.push(rule);
            at = source;
        }
        run.reverse();
        Ok((at, run))
    }

    /// How much memory all this holds.
    pub fn bytes(&self) -> usize {
        self.stacks.bytes()
            + self.numbers.capacity() * 13
            + self.states.capacity() * size_of::<(ThreadState, Span)>()
            + (self.targets.capacity() + self.rules.capacity() + self.effects.capacity()) * 4
            + self.recent.len() * size_of::<(ThreadState, ThreadStateId)>()
    }
}

/// Where among the recent ones a thread state has its place.
#[inline]
fn place((shared, stack): ThreadState) -> usize {
    (stack.number().wrapping_mul(0x9E37_79B1) >> 8).wrapping_add(shared.number()) as usize
        & (RECENT - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::system::short::{q, rule, s, word};

    #[test]
    fn a_shortest_run_takes_no_detour() {
        let rules = vec![rule(0, 1, 1, &[1]), rule(1, 1, 2, &[1]), rule(0, 1, 2, &[1])];
        let template = Template::new(2, vec![s(1)], rules);
        let mut threads = ThreadStates::default();
        let stack = threads.stacks.push(&[s(1)], EMPTY);
        for shared in Shared::range(0, 3) {
            let number = threads.number((shared, stack));
            threads.compute_steps(&template, number);
        }

        let mut meter = Meter::over(Limits::default());
        let mut run = |end| threads.shortest_run((q(0), stack), (q(end), stack), &mut meter);
        assert_eq!((run(2), run(0)), (Ok(vec![2]), Ok(vec![])));
    }

    #[test]
    fn steps_to_stacks_that_are_too_high_are_left_out() {
        let template =
            Template::new(2, vec![s(1)], vec![rule(0, 1, 0, &[1, 1]), rule(0, 1, 0, &[])]);
        let mut threads = ThreadStates::default();
        let stack = threads.stacks.push(&word(&[1, 1]), EMPTY);
        let high = threads.number((q(0), stack));
        let steps = threads.compute_steps_up_to(2, &template, high);
        assert_eq!(threads.targets(steps).len(), 1);
        let rest = threads.stacks.rest(stack);
        let low = threads.number((q(0), rest));
        let steps = threads.compute_steps_up_to(2, &template, low);
        assert_eq!(threads.targets(steps).len(), 2);
    }
}
