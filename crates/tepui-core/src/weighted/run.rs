//! Runs: the steps behind the weight of a path of a traced saturation, for min-path weights.
//!
//! Each transition knows why its weight changed last. Whenever a weight gets smaller, so does what
//! was made of it, because a smaller summand makes a smaller sum. So in the end each weight is just
//! the sum that its reason gives, and the weights that its reason refers to changed last before it
//! did. Hence reasons do not go round in circles, even if costs are 0, and one step at a time can
//! be taken back from a path of post*, or forward from one of pre*, until all transitions are of
//! the given set. The length of a cheapest run can be exponential in the number of rules; limits
//! apply, and it may have as many steps as there may be states.

use crate::limits::{Limit, Meter};
use crate::weighted::post_star::PostStar;
use crate::weighted::pre_star::PreStar;
use crate::weighted::pushdown::{EPSILON, Node, PushdownSystem, Symbol};
use crate::weighted::summary::TransitionId;
use crate::weighted::transitions::{Progress, Reason, Transitions};

/// Steps of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it begins.
    pub start: (Node, Vec<Symbol>),
    /// The rules, by number, in the order in which they are taken.
    pub rules: Vec<u32>,
}

impl<W: Clone> PostStar<W> {
    /// The run behind a path of a traced saturation, which starts at a state, from the top of the
    /// stack. Without transitions, a path is a state that is in the set as it is.
    pub fn run_to(
        &self,
        system: &PushdownSystem,
        (state, path): (Node, &[TransitionId]),
        meter: &mut Meter,
    ) -> Result<Run, Limit> {
        let mut path: Vec<TransitionId> = path.iter().rev().copied().collect();
        let mut steps = Steps::new(meter);
        while let Some(rule) = self.take_back(&mut path) {
            steps.push(system.rules[rule as usize].number, path.len())?;
        }
        steps.rules.reverse();
        Ok(Run { start: configuration((&self.found, system), state, &path), rules: steps.rules })
    }

    /// Make the path to a configuration, top last, a path to one before it, and give the place of its
    /// rule; None if the configuration is of the starting set.
    fn take_back(&self, path: &mut Vec<TransitionId>) -> Option<u32> {
        loop {
            let number = path.pop()?;
            match self.found.reason(number)? {
                Reason::Written => {}
                Reason::Replaced { rule, of } => {
                    path.push(of);
                    return Some(rule);
                }
                Reason::Copied { pop, of } => path.extend([of, pop]),
                _ => {
                    path.push(number);
                    return None;
                }
            }
        }
    }
}

impl<W: Clone> PreStar<W> {
    /// The run behind a path of a traced saturation, which starts at a state, from the top of the
    /// stack.
    pub fn run_from(
        &self,
        system: &PushdownSystem,
        (state, path): (Node, &[TransitionId]),
        meter: &mut Meter,
    ) -> Result<Run, Limit> {
        let mut path: Vec<TransitionId> = path.iter().rev().copied().collect();
        let start = configuration((&self.found, system), state, &path);
        let mut steps = Steps::new(meter);
        while let Some(rule) = self.go_on_from(&mut path) {
            steps.push(system.rules[rule as usize].number, path.len())?;
        }
        Ok(Run { start, rules: steps.rules })
    }

    /// Make the path to a configuration, top last, a path to one after it, and give the place of its
    /// rule; None if the configuration is of the set to be reached.
    fn go_on_from(&self, path: &mut Vec<TransitionId>) -> Option<u32> {
        match self.found.reason(*path.last()?)? {
            Reason::Popped { rule } => {
                path.pop();
                Some(rule)
            }
            Reason::Wrote { rule, mut before, last } => {
                path.pop();
                path.push(last);
                while let Some(Reason::Read { before: earlier, last }) =
                    before.and_then(|reading| self.found.reason(reading))
                {
                    path.push(last);
                    before = earlier;
                }
                Some(rule)
            }
            _ => None,
        }
    }
}

/// The configuration that a path accepts, top last.
fn configuration<W: Clone>(
    (found, system): (&Transitions<W>, &PushdownSystem),
    state: Node,
    path: &[TransitionId],
) -> (Node, Vec<Symbol>) {
    let transitions = path.iter().rev().map(|&number| found.transition(system, number));
    let symbols: Vec<Symbol> =
        transitions.clone().map(|edge| edge.symbol).filter(|&symbol| symbol != EPSILON).collect();
    (transitions.map(|edge| edge.from).next().unwrap_or(state), symbols)
}

/// The rules taken so far, within limits.
struct Steps<'a, 'w> {
    rules: Vec<u32>,
    /// How many there may be.
    most: usize,
    progress: Progress<'a, 'w>,
}

impl<'a, 'w> Steps<'a, 'w> {
    fn new(meter: &'a mut Meter<'w>) -> Self {
        Self {
            rules: Vec::new(),
            most: meter.limits().states,
            progress: Progress::new(true, meter),
        }
    }

    fn push(&mut self, rule: u32, height: usize) -> Result<(), Limit> {
        if self.rules.len() >= self.most {
            return Err(Limit::States);
        }
        self.rules.push(rule);
        let bytes = || (self.rules.capacity() + height) * size_of::<u32>();
        self.progress.reached(1, 0, bytes).map_or(Ok(()), Err)
    }
}
