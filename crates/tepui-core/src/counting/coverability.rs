//! The backward and the forward search, in turns by the work that they have done.

use super::backward::Backward;
use super::control::ControlStates;
use super::forward::Forward;
use super::net::{Marking, Net};
use crate::limits::{Limit, Meter, Outcome, limit_of_run};

/// How much work a search does in its turn.
const TURN: usize = 2000;

/// Decides whether a net can cover a bad marking.
pub struct Coverability {
    net: Net,
    backward: Backward,
    forward: Forward,
}

impl Coverability {
    /// A search that has not begun.
    pub fn new(net: Net, control: Option<ControlStates>) -> Self {
        let (backward, forward) = (Backward::new(&net, control), Forward::new(&net));
        Self { net, backward, forward }
    }

    /// Go on until there is an answer.
    pub fn advance(&mut self, meter: &mut Meter) -> Outcome {
        while !self.is_complete() {
            if let Some(limit) = meter.reached(self.found(), self.bytes()) {
                return Outcome::Stopped(limit);
            }
            if let Some(limit) = limit_of_run(0) {
                return Outcome::Stopped(limit);
            }
            if self.backward.is_full() && self.forward.is_over() {
                return Outcome::Stopped(Limit::States);
            }
            let mut work = 0;
            while work < TURN && !self.backward.is_complete() && !self.backward.is_full() {
                let mut is_stopped = false;
                let mut go_on = || {
                    is_stopped = meter.reached(0, 0).is_some();
                    !is_stopped
                };
                work += 1 + self.backward.step(&self.net, &mut go_on);
                if is_stopped {
                    break;
                }
            }
            let until = self.forward.found() + TURN;
            while self.forward.found() < until && !self.forward.is_over() {
                self.forward.step(&self.net);
            }
        }
        Outcome::Done
    }

    /// Whether there is an answer.
    pub fn is_complete(&self) -> bool {
        self.backward.is_complete() || self.forward.has_run()
    }

    /// How many markings both searches have found.
    pub fn found(&self) -> usize {
        self.backward.found() + self.forward.found()
    }

    /// How many elements the backward search has found.
    pub fn elements(&self) -> usize {
        self.backward.found()
    }

    /// About how many bytes it holds.
    pub fn bytes(&self) -> usize {
        self.backward.bytes() + self.forward.bytes()
    }

    /// A run into a bad marking, if one was found: the initial counts, and the transitions.
    pub fn run(&self) -> Option<(Vec<u32>, Vec<u32>)> {
        self.forward.run(&self.net).or_else(|| self.backward.run(&self.net))
    }

    /// The minimal elements of what the backward search has found.
    pub fn basis(&self) -> Vec<Marking> {
        self.backward.basis()
    }
}
