//! The reachable states of a program as view tuples.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tepui_core::bdd::bad::Bad;
use tepui_core::bdd::stop::Stop;
use tepui_core::bdd::views::search::ViewSearch as Core;
use tepui_core::bdd::views::splitting::Splitting;
use tepui_core::limits::Outcome;
use tepui_core::program::Point;

use crate::bits::{PyCertificate, asked, py_certificate};
use crate::limits::{PyLimits, advance};
use crate::system::System;

/// A search for what is reachable within more and more contexts, with any recursion.
#[pyclass(module = "tepui._core")]
pub(crate) struct ViewSearch {
    core: Core,
}

/// The frames of a thread, the one on top first: points and values.
type PyStack = Vec<(u32, Vec<i128>)>;

#[pymethods]
impl ViewSearch {
    /// A ValueError says why there is none for a program, or a TimeoutError that a limit was reached.
    #[new]
    #[pyo3(signature = (system, bad, splitting="lazy", *, exact=true, limits=None))]
    fn new(
        py: Python<'_>,
        system: &System,
        bad: Vec<Vec<(usize, u32)>>,
        splitting: &str,
        exact: bool,
        limits: Option<PyLimits>,
    ) -> PyResult<Self> {
        let splitting = match splitting {
            "eager" => Splitting::Eager,
            "lazy" => Splitting::Lazy,
            "sparing" => Splitting::Sparing,
            _ => return Err(PyValueError::new_err(format!("there is no splitting '{splitting}'"))),
        };
        let point = |(kind, point)| (kind, Point::new(point));
        let bad: Vec<Bad> =
            bad.into_iter().map(|some| some.into_iter().map(point).collect()).collect();
        let core =
            asked(py, limits, |meter| Core::new(&system.core, bad, splitting, exact, meter))?;
        Ok(Self { core })
    }

    /// Go on with the next context: "done", "paused", or the limit that stopped it; a ValueError says
    /// why there is no end.
    #[pyo3(signature = (limits=None))]
    fn advance(&mut self, py: Python<'_>, limits: Option<PyLimits>) -> PyResult<&'static str> {
        let core = &mut self.core;
        let mut refused = None;
        let ended = advance(py, limits, |meter| {
            core.advance(meter).unwrap_or_else(|stop| match stop {
                Stop::Limit(limit) => Outcome::Stopped(limit),
                Stop::Refused(why) => {
                    refused = Some(why);
                    Outcome::Done
                }
            })
        })?;
        refused.map_or(Ok(ended), |why| Err(PyValueError::new_err(why)))
    }

    /// How many contexts are complete.
    #[getter]
    fn contexts(&self) -> usize {
        self.core.contexts()
    }

    /// Whether the last one has added nothing.
    #[getter]
    fn has_collapsed(&self) -> bool {
        self.core.has_collapsed()
    }

    /// After how many contexts a bad state is reached, if one was found.
    #[getter]
    fn found(&self) -> Option<usize> {
        self.core.found()
    }

    /// For each context, how many view tuples it has added.
    #[getter]
    fn tuples(&self) -> Vec<usize> {
        self.core.tuples()
    }

    #[getter]
    fn nodes(&self) -> usize {
        self.core.nodes()
    }

    #[getter]
    fn work(&self) -> usize {
        self.core.work()
    }

    #[getter]
    fn bytes(&self) -> usize {
        self.core.bytes()
    }

    /// After how many contexts a state is reached, as far as that is known: its shared values, and
    /// for each thread its frames, the one on top first.
    #[pyo3(signature = (shared, stacks, limits=None))]
    fn reaches(
        &mut self,
        py: Python<'_>,
        shared: Vec<i128>,
        stacks: Vec<PyStack>,
        limits: Option<PyLimits>,
    ) -> PyResult<Option<usize>> {
        let core = &mut self.core;
        let stacks: Vec<_> = stacks
            .into_iter()
            .map(|stack| stack.into_iter().map(|(at, values)| (Point::new(at), values)).collect())
            .collect();
        asked(py, limits, |meter| Ok(core.reaches(&shared, &stacks, meter)?))
    }

    /// All that is reached, as `BitsSearch` has it, if no stack is too deep and states are known as
    /// one set.
    #[pyo3(signature = (limits=None))]
    fn certificate(&mut self, py: Python<'_>, limits: Option<PyLimits>) -> PyResult<PyCertificate> {
        let core = &mut self.core;
        asked(py, limits, |meter| core.certificate(meter)).map(py_certificate)
    }
}
