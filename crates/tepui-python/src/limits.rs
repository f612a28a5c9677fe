//! Calls that may take long: limits from Python's numbers, and how a call ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyMemoryError, PyTimeoutError};
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
    /// For the whole run: the seconds that are left, and the bytes that the process may hold.
    #[pyo3(default)]
    run: (Option<f64>, Option<usize>),
}

/// What the run may use up of which a call is a part. It is looked at also inside of single steps.
#[derive(Default)]
pub(crate) struct RunLimits {
    deadline: Option<Instant>,
    memory: Option<usize>,
    cancelled: Option<Arc<AtomicBool>>,
}

impl RunLimits {
    pub(crate) fn of(limits: Option<&PyLimits>) -> Self {
        let Some(given) = limits else { return Self::default() };
        Self {
            deadline: deadline(given.run.0),
            memory: given.run.1,
            cancelled: given.cancel.as_ref().map(|cancel| Arc::clone(&cancel.get().asked)),
        }
    }

    /// Whether the run wants its kernels to stop.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled.as_ref().is_some_and(|asked| asked.load(Ordering::Relaxed))
    }

    /// The limit that is reached, if one is, when this many more bytes are needed.
    pub(crate) fn reached(&self, more: usize) -> Option<Limit> {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(Limit::Time);
        }
        let held = self.memory.and_then(|memory| Some((memory, held_memory()?)));
        held.filter(|(memory, held)| held + more > *memory).map(|_| Limit::Memory)
    }
}

/// How many bytes this process holds, where the system says so.
fn held_memory() -> Option<usize> {
    const PAGE: usize = 4096;
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    Some(pages.split(' ').nth(1)?.parse::<usize>().ok()? * PAGE)
}

/// When this many seconds will have passed.
fn deadline(seconds: Option<f64>) -> Option<Instant> {
    let seconds = seconds?.max(0.0);
    let duration = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    Instant::now().checked_add(duration)
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
        Limits {
            states: given.states.unwrap_or(none.states),
            bytes: given.bytes.unwrap_or(none.bytes),
            deadline: deadline(given.seconds),
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
    let run = RunLimits::of(limits.as_ref());
    let limits = PyLimits::limits(limits);
    let outcome = cancellably(py, run, |stop| work(&mut Meter::new(limits, stop)))?;
    Ok(word(outcome))
}

/// Ask a kernel something that may take long; an error at a limit.
pub(crate) fn within<T: Send>(
    py: Python<'_>,
    limits: Option<PyLimits>,
    question: impl FnOnce(&mut Meter) -> Result<T, Limit> + Send,
) -> PyResult<T> {
    let run = RunLimits::of(limits.as_ref());
    let limits = PyLimits::limits(limits);
    cancellably(py, run, |stop| question(&mut Meter::new(limits, stop)))?.map_err(at_limit)
}

/// The error of a call that ended at a limit: a MemoryError, or else a TimeoutError.
pub(crate) fn at_limit(limit: Limit) -> PyErr {
    match limit {
        Limit::Memory => PyMemoryError::new_err(limit_word(limit)),
        _ => PyTimeoutError::new_err(limit_word(limit)),
    }
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
