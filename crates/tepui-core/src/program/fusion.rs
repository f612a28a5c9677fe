//! Fused steps: what touches nothing shared is part of the step before it.
//!
//! After a step a thread goes on, as part of the same step, while it is at locations that are *local*
//! (nothing that can be done there touches anything shared) or holds the scheduler lock, so that
//! nobody else could move. It rests at every other location, and
//!
//! - at those that a question names, and at one on every cycle;
//! - where it may block, or halt the program: others may move first;
//! - where going on would take very many choices;
//! - where one more call would put more than two symbols in the place of one;
//! - where its stack, as far as the step knows it, is empty.
//!
//! Frames of *joined* procedures share a symbol with the frame of their caller, so that a step can
//! go on after they return. To rest somewhere is never wrong, as all these places are reached
//! without fusion, too.

use rustc_hash::FxHashSet;

use super::machine::{Configuration, Machine};
use super::{Env, NO_VALUE, Point, Value};

/// The most choices that are made to go on after one place, and in the whole of a fused step.
const MOST_AT_ONCE: u128 = 1 << 12;
const MOST_IN_ALL: u128 = 1 << 16;

/// What a thread can do in one fused step.
#[derive(Default)]
pub(super) struct Fused {
    /// Where it rests then, in the order in which that was found.
    pub(super) ends: Vec<Configuration>,
    /// Where it passed.
    pub(super) passed: Vec<Configuration>,
}

impl Machine {
    /// All that can come of a step, when the thread goes on as far as it may.
    pub(super) fn fuse(&self, thread: usize, start: &Configuration) -> Fused {
        let mut fused = Fused::default();
        let mut known: FxHashSet<Configuration> = FxHashSet::default();
        let mut work = self.steps_onto(thread, start);
        work.reverse();
        let mut left = MOST_IN_ALL;
        while self.program().budget.goes_on()
            && let Some(configuration) = work.pop()
        {
            if !known.insert(configuration.clone()) {
                continue;
            }
            let budget = &self.program().budget;
            let (next, took) =
                budget.within(left.min(MOST_AT_ONCE), || self.goes_on(thread, &configuration));
            left = left.saturating_sub(took);
            if let Some(next) = next.flatten() {
                work.extend(next.into_iter().rev());
                fused.passed.push(configuration);
            } else {
                fused.ends.push(configuration);
            }
        }
        fused
    }

    /// What comes next, if the thread does not rest.
    fn goes_on(&self, thread: usize, at: &Configuration) -> Option<Vec<Configuration>> {
        let (globals, frames) = at;
        let (point, locals) = frames.first()?;
        if !self.may_pass(thread, globals, *point) {
            return None;
        }
        let steps = self.steps_onto(thread, at);
        let must_rest = |(globals, frames): &Configuration| {
            self.is_halted(globals) || self.symbols_in(frames) > 2
        };
        let env = self.env(thread, globals.clone(), locals.clone());
        if steps.is_empty() || steps.iter().any(must_rest) || self.may_block(thread, *point, env) {
            return None;
        }
        Some(steps)
    }

    /// The single steps of a thread, with the frames below its top.
    fn steps_onto(&self, thread: usize, (globals, frames): &Configuration) -> Vec<Configuration> {
        let (point, locals) = frames[0].clone();
        let mut steps =
            self.single_steps(thread, point, &self.env(thread, globals.clone(), locals));
        for (_, onto) in &mut steps {
            onto.extend_from_slice(&frames[1..]);
        }
        steps
    }

    fn may_pass(&self, thread: usize, globals: &[Value], point: Point) -> bool {
        let Some((procedure, location)) = self.program().location(point) else { return false };
        let procedure = &self.program().procedures[procedure as usize];
        let location = &procedure.locations[location as usize];
        // Between a return with values and their receipt no other thread moves, either.
        if self.holds_lock(thread, globals) || self.program().is_full(globals) {
            location.passed_by_holder
        } else {
            location.passed
        }
    }

    /// Whether there is no step for some values of what has no value yet.
    fn may_block(&self, thread: usize, point: Point, env: Env) -> bool {
        let open = env.globals.iter().chain(&env.locals).any(|&value| value == NO_VALUE);
        open && !self.stuck_cases(thread, point, env).is_empty()
    }
}
