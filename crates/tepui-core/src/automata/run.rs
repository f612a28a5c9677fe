//! Runs: the steps behind a configuration that post* or pre* has found.
//!
//! Each transition knows why it was added first, in terms of older ones. So one step at a time can
//! be taken back from a configuration of post*, or forward from one of pre*: the transitions that
//! accept what is before, or after, the step are those that accept the configuration, with some
//! replaced by older ones. That ends, at a configuration whose transitions are all of the starting
//! set. The run is a real one, but it need not be the shortest, and its length can be exponential
//! in the number of rules, as the shortest can; limits apply, with a state for each step.

use crate::automata::post_star::{PostStar, Reason};
use crate::automata::pre_star::{self, PreStar};
use crate::automata::transitions::{Progress, TransitionId};
use crate::limits::{Limit, Meter, Outcome};
use crate::system::{Shared, Symbol};

/// Steps of one thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it begins.
    pub start: (Shared, Vec<Symbol>),
    /// The rules, by number, in the order in which they are taken.
    pub rules: Vec<u32>,
}

impl PostStar {
    /// A run from a configuration of the starting set to this one; None if none was found.
    pub fn run_to(
        &self,
        shared: Shared,
        stack: &[Symbol],
        meter: &mut Meter,
    ) -> Result<Option<Run>, Limit> {
        let Some(mut path) = self.found.path(shared, stack) else { return Ok(None) };
        path.reverse();
        let mut steps = Steps::new(meter);
        while let Some(rule) = self.take_back(&mut path) {
            steps.push(rule, path.len())?;
        }
        steps.rules.reverse();
        Ok(Some(Run { start: self.found.configuration(&path), rules: steps.rules }))
    }

    /// Make the path to a configuration, top last, a path to one before it, and say by which rule;
    /// None if the configuration is of the starting set.
    fn take_back(&self, path: &mut Vec<TransitionId>) -> Option<u32> {
        let mut reason = self.found.reason(*path.last()?);
        if matches!(reason, Reason::Start) {
            return None;
        }
        path.pop();
        while matches!(reason, Reason::Written) {
            reason = self.found.reason(path.pop()?);
        }
        match reason {
            Reason::Rule { rule, of } => {
                path.push(of);
                Some(rule)
            }
            Reason::Copied { pop, of } => {
                let (rule, popped) = self.pop_reasons[pop as usize];
                path.extend([of, popped]);
                Some(rule)
            }
            Reason::Start | Reason::Written => unreachable!("below what was written is a rule's"),
        }
    }
}

impl PreStar {
    /// A run from this configuration to one of the set to be reached; None if none was found.
    pub fn run_from(
        &self,
        shared: Shared,
        stack: &[Symbol],
        meter: &mut Meter,
    ) -> Result<Option<Run>, Limit> {
        let Some(mut path) = self.found.path(shared, stack) else { return Ok(None) };
        path.reverse();
        let mut steps = Steps::new(meter);
        while let Some(rule) = self.go_on_from(&mut path) {
            steps.push(rule, path.len())?;
        }
        Ok(Some(Run { start: (shared, stack.to_vec()), rules: steps.rules }))
    }

    /// Make the path to a configuration, top last, a path to one after it, and say by which rule;
    /// None if the configuration is of the set to be reached.
    fn go_on_from(&self, path: &mut Vec<TransitionId>) -> Option<u32> {
        match self.found.reason(*path.last()?) {
            pre_star::Reason::Start => None,
            pre_star::Reason::Pop { rule } => {
                path.pop();
                Some(rule)
            }
            pre_star::Reason::Rule { rule, mut before, last } => {
                path.pop();
                path.push(last);
                while let Some(reading) = before {
                    let (earlier, transition) = self.reading_reasons[reading.0 as usize];
                    path.push(transition);
                    before = earlier;
                }
                Some(rule)
            }
        }
    }
}

/// The rules taken so far, within limits.
struct Steps<'a, 'w> {
    rules: Vec<u32>,
    progress: Progress<'a, 'w>,
}

impl<'a, 'w> Steps<'a, 'w> {
    fn new(meter: &'a mut Meter<'w>) -> Self {
        Self { rules: Vec::new(), progress: Progress::without_pause(meter) }
    }

    fn push(&mut self, rule: u32, height: usize) -> Result<(), Limit> {
        self.rules.push(rule);
        let bytes = || (self.rules.capacity() + height) * size_of::<u32>();
        match self.progress.ended(1, self.rules.len(), bytes) {
            Some(Outcome::Stopped(limit)) => Err(limit),
            _ => Ok(()),
        }
    }
}
