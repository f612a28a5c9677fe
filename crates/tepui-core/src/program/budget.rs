//! How many choices one step may have.
//!
//! A step that reads a variable without a value has an outcome for each of its values. With machine
//! integers that may be more than anybody can list, and a step is computed at once, so no other limit
//! would stop it. Whoever asks for rules must ask afterwards whether some are missing
//! ([`Budget::spent_at`]), and then must not use what was found.

use std::cell::Cell;

use super::expression::{Chosen, Tape};
use super::{Place, Point};

/// The most choices that one step, or the question whether there is one, may have.
const MOST: u128 = 1 << 20;

/// What is left for the step that is being computed.
#[derive(Clone, Debug)]
pub struct Budget {
    used: Cell<u128>,
    most: Cell<u128>,
    spent_at: Cell<Option<Wide>>,
}

impl Default for Budget {
    fn default() -> Self {
        Self { used: Cell::default(), most: Cell::new(MOST), spent_at: Cell::default() }
    }
}

/// A step with too many outcomes: where it begins, and what has the most values there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wide {
    /// Where control was.
    pub point: Point,
    /// The variable without a value, unless the program itself chooses a value.
    pub place: Option<Place>,
    /// How many values it may have.
    pub values: u128,
}

impl Budget {
    /// A new step begins.
    pub fn renew(&self) {
        self.used.set(0);
    }

    /// Take this many choices; false if that is too many.
    pub fn spend(&self, choices: u128, wide: impl FnOnce() -> Wide) -> bool {
        let used = self.used.get().saturating_add(choices);
        self.used.set(used);
        if used > self.most.get() && self.spent_at.get().is_none() {
            self.spent_at.set(Some(wide()));
        }
        used <= self.most.get()
    }

    /// Compute what may be left out, if it takes no more than some choices of its own, and how many
    /// it took.
    pub(super) fn within<T>(&self, most: u128, compute: impl FnOnce() -> T) -> (Option<T>, u128) {
        let outside = (self.used.replace(0), self.most.replace(most), self.spent_at.get());
        let found = compute();
        let took = self.used.replace(outside.0);
        self.most.set(outside.1);
        self.spent_at.set(outside.2);
        ((took <= most).then_some(found), took)
    }

    /// Go on to the next outcome of a step; false if that is one too many, or if one of its choices
    /// alone is among too many.
    pub(super) fn spend_one(&self, point: Point, tape: &Tape) -> bool {
        let Some(Chosen { count, place, .. }) = tape.widest() else { return true };
        let choices = if count > self.most.get() { count } else { 1 };
        self.spend(choices, || Wide { point, place, values: count })
    }

    /// The first step that had too many choices: its rules are not all known.
    pub fn spent_at(&self) -> Option<Wide> {
        self.spent_at.get()
    }
}
