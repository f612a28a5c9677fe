//! Calls that may take long: limits from Python's numbers, and how a call ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pyo3::exceptions::PyTimeoutError;
use pyo3::prelude::*;
use tepui_core::limits::{Limit, Limits, Meter, Outcome};

use crate::cancellably;

/// The dictionary that Python hands to every call that may take long; None is no limit.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct PyLimits {
    states: Option<usize>,
    bytes: Option<usize>,
    seconds: Option<f64>,
    pause: Option<usize>,
    #[pyo3(default)]
    cancel: Option<Py<Cancel>>,
}

/// A way to stop kernels that run in threads other than the main one, which gets no signals.
#[pyclass(module = "tepui._core", frozen)]
pub(crate) struct Cancel {
    asked: Arc<AtomicBool>,
}

#[pymethods]
impl Cancel {
    #[new]
    fn new() -> Self {
        Self { asked: Arc::default() }
    }

    /// Ask all kernels to stop that were given this, or take that back.
    fn ask(&self, stop: bool) {
        self.asked.store(stop, Ordering::Relaxed);
    }
}

impl PyLimits {
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
    limits: Option<PyLimits>,
    work: impl FnOnce(&mut Meter) -> Outcome + Send,
) -> PyResult<&'static str> {
    let cancelled = cancelled(limits.as_ref());
    let limits = PyLimits::limits(limits);
    let outcome = cancellably(py, cancelled, |stop| work(&mut Meter::new(limits, stop)))?;
    Ok(word(outcome))
}

/// Ask a kernel something that may take long; TimeoutError at a limit.
pub(crate) fn within<T: Send>(
    py: Python<'_>,
    limits: Option<PyLimits>,
    question: impl FnOnce(&mut Meter) -> Result<T, Limit> + Send,
) -> PyResult<T> {
    let cancelled = cancelled(limits.as_ref());
    let limits = PyLimits::limits(limits);
    cancellably(py, cancelled, |stop| question(&mut Meter::new(limits, stop)))?
        .map_err(|limit| PyTimeoutError::new_err(limit_word(limit)))
}

/// A function that says whether the caller wants to stop.
pub(crate) fn cancelled(limits: Option<&PyLimits>) -> impl Fn() -> bool + Send + Sync + use<> {
    let cancel = limits.and_then(|given| given.cancel.as_ref());
    let asked = cancel.map(|cancel| Arc::clone(&cancel.get().asked));
    move || asked.as_ref().is_some_and(|asked| asked.load(Ordering::Relaxed))
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
