//! How many choices one step may have, and how long it may take.
//!
//! A step that reads a variable without a value has an outcome for each of its values, and an atomic
//! section may run for ever. A step is computed at once, so no other limit would stop it. So every
//! loop inside of a step asks now and then whether it may go on ([`Budget::goes_on`]). Whoever asks
//! for rules must ask afterwards whether some are missing ([`Budget::cut_short`]), and then must not
//! use what was found.

use std::cell::Cell;
use std::time::{Duration, Instant};

use super::expression::{Chosen, Tape};
use super::{Place, Point};
use crate::limits::{Limit, limit_of_run};

/// The most choices that one step, or the question whether there is one, may have.
const MOST: u128 = 1 << 20;

/// What is left for the step that is being computed.
#[derive(Clone, Debug)]
pub struct Budget {
    used: Cell<u128>,
    most: Cell<u128>,
    cut_short: Cell<Option<CutShort>>,
    /// How often it was asked whether a step may go on, and when to look at the limits next.
    asked: Cell<u32>,
    next_look: Cell<Option<Instant>>,
}

/// Why rules are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutShort {
    /// A step has too many outcomes.
    Wide(Wide),
    /// A limit of the whole run was reached inside of a step.
    AtLimit(Limit),
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            used: Cell::default(),
            most: Cell::new(MOST),
            cut_short: Cell::default(),
            asked: Cell::default(),
            next_look: Cell::default(),
        }
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
    /// Between two looks at the limits lie at least this time and this many questions.
    const INTERVAL: Duration = Duration::from_millis(5);
    const QUESTIONS: u32 = 16;

    /// A new step begins.
    pub fn renew(&self) {
        self.used.set(0);
    }

    /// Take this many choices; false if that is too many.
    pub fn spend(&self, choices: u128, wide: impl FnOnce() -> Wide) -> bool {
        let used = self.used.get().saturating_add(choices);
        self.used.set(used);
        if used > self.most.get() && self.cut_short.get().is_none() {
            self.cut_short.set(Some(CutShort::Wide(wide())));
        }
        used <= self.most.get()
    }

    /// Whether the step that is being computed may go on, as far as the limits of the whole run are
    /// concerned. Ask this in every loop that may be long.
    #[inline]
    pub(super) fn goes_on(&self) -> bool {
        let asked = self.asked.get().wrapping_add(1);
        self.asked.set(asked);
        !asked.is_multiple_of(Self::QUESTIONS) || self.is_within_limits()
    }

    fn is_within_limits(&self) -> bool {
        let now = Instant::now();
        if self.next_look.get().is_some_and(|next| now < next) {
            return !self.is_at_limit();
        }
        self.next_look.set(Some(now + Self::INTERVAL));
        self.has_room(0)
    }

    /// Whether there is room for this many more bytes at once.
    pub(super) fn has_room(&self, more: usize) -> bool {
        if self.is_at_limit() {
            return false;
        }
        let Some(limit) = limit_of_run(more) else { return true };
        self.cut_short.set(Some(CutShort::AtLimit(limit)));
        false
    }

    fn is_at_limit(&self) -> bool {
        matches!(self.cut_short.get(), Some(CutShort::AtLimit(_)))
    }

    /// Whether the run has no time left, or is to end. Where memory is short, others may go on.
    pub(super) fn is_stopped(&self) -> bool {
        let end = self.cut_short.get();
        matches!(end, Some(CutShort::AtLimit(Limit::Time | Limit::Interrupted)))
    }

    /// Compute what may be left out, if it takes no more than some choices of its own, and how many
    /// it took.
    pub(super) fn within<T>(&self, most: u128, compute: impl FnOnce() -> T) -> (Option<T>, u128) {
        let outside = (self.used.replace(0), self.most.replace(most), self.cut_short.get());
        let found = compute();
        let took = self.used.replace(outside.0);
        self.most.set(outside.1);
        if let Some(CutShort::Wide(_)) = self.cut_short.get() {
            self.cut_short.set(outside.2);
        }
        ((took <= most).then_some(found), took)
    }

    /// Go on to the next outcome of a step; false if that is one too many, or if one of its choices
    /// alone is among too many.
    pub(super) fn spend_one(&self, point: Point, tape: &Tape) -> bool {
        if !self.goes_on() {
            return false;
        }
        let Some(Chosen { count, place, .. }) = tape.widest() else { return true };
        let choices = if count > self.most.get() { count } else { 1 };
        self.spend(choices, || Wide { point, place, values: count })
    }

    /// Whether a step was cut short at a limit that may be gone now: the next steps go on.
    pub fn forget_limit(&self) -> bool {
        let was_at_limit = self.is_at_limit();
        if was_at_limit {
            self.cut_short.set(None);
        }
        was_at_limit
    }

    /// Why the rules of some step are not all known, if that is so.
    pub fn cut_short(&self) -> Option<CutShort> {
        self.cut_short.get()
    }
}
