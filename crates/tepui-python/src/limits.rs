//! Calls that may take long: limits from Python's numbers, and how a call ended.

use std::time::{Duration, Instant};

use pyo3::exceptions::PyTimeoutError;
use pyo3::prelude::*;
use tepui_core::limits::{Limit, Limits, Outcome};

use crate::interruptibly;

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

/// Go on with a kernel until it is done or stopped, and say how that ended.
pub(crate) fn advance(
    py: Python<'_>,
    limits: Option<GivenLimits>,
    work: impl FnOnce(Limits, &mut dyn FnMut() -> bool) -> Outcome + Send,
) -> PyResult<&'static str> {
    let limits = GivenLimits::limits(limits);
    Ok(word(interruptibly(py, |interrupted| work(limits, interrupted))?))
}

/// Ask a kernel something that may take long; TimeoutError at a limit.
pub(crate) fn within<T: Send>(
    py: Python<'_>,
    limits: Option<GivenLimits>,
    question: impl FnOnce(Limits, &mut dyn FnMut() -> bool) -> Result<T, Limit> + Send,
) -> PyResult<T> {
    let limits = GivenLimits::limits(limits);
    interruptibly(py, |interrupted| question(limits, interrupted))?
        .map_err(|limit| PyTimeoutError::new_err(limit_word(limit)))
}

fn word(outcome: Outcome) -> &'static str {
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
