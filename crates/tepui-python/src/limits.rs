//! Limits from Python numbers, and how a call ended as a word.

use std::time::{Duration, Instant};

use pyo3::prelude::*;
use tepui_core::limits::{Limit, Limits, Outcome};

/// The dictionary that Python hands to every call that may take long; None is no limit.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct GivenLimits {
    states: Option<usize>,
    bytes: Option<usize>,
    seconds: Option<f64>,
    pause: Option<usize>,
}

impl GivenLimits {
    pub(crate) fn limits(limits: Option<Self>) -> Limits {
        let none = Limits::default();
        let Some(given) = limits else { return none };
        let duration = given
            .seconds
            .map(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX));
        Limits {
            states: given.states.unwrap_or(none.states),
            bytes: given.bytes.unwrap_or(none.bytes),
            deadline: duration.and_then(|duration| Instant::now().checked_add(duration)),
            pause: given.pause.unwrap_or(none.pause),
        }
    }
}

pub(crate) fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::Paused => "paused",
        Outcome::Stopped(limit) => limit_word(limit),
    }
}

pub(crate) fn limit_word(limit: Limit) -> &'static str {
    match limit {
        Limit::States => "states",
        Limit::Memory => "memory",
        Limit::Time => "time",
        Limit::Interrupted => "interrupted",
        Limit::Work => "paused",
    }
}
