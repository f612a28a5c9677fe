//! The delay engine for Python.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tepui_core::delay::{Delays as CoreDelays, Growth, Round};
use tepui_core::reached::Reached;
use tepui_core::system::Handle;

use crate::limits::{GivenLimits, advance, within};
use crate::property::{GivenProperty, property};
use crate::reach::{GivenReach, reach};
use crate::system::{System, out_of_range, template_of};
use crate::{GivenContexts, given_contexts, rows, tuples};

/// The exploration of a system under growing bounds of rounds and delays.
#[pyclass(module = "tepui._core")]
pub(crate) struct Delays {
    core: CoreDelays,
    system: Py<System>,
}

/// (states, visible, top words, images, rounds, delays)
type GivenRound = (usize, usize, usize, usize, u32, u32);

impl Delays {
    pub(crate) fn reached(&self) -> &Reached {
        self.core.reached()
    }
}

#[pymethods]
impl Delays {
    #[new]
    #[pyo3(signature = (system, *, tops=1))]
    fn new(py: Python<'_>, system: Py<System>, tops: usize) -> Self {
        let handle = Handle::clone(&system.borrow(py).core);
        Self { core: py.detach(|| CoreDelays::new(&handle, tops)), system }
    }

    /// Grow by a round, or go on with what was left unfinished: "done", "paused", or the limit that
    /// stopped it.
    #[pyo3(signature = (limits=None))]
    fn add_round(&mut self, py: Python<'_>, limits: Option<GivenLimits>) -> PyResult<&'static str> {
        let core = &mut self.core;
        advance(py, limits, |limits, stop| core.grow(Growth::Round, limits, stop))
    }

    /// The same by a delay.
    #[pyo3(signature = (limits=None))]
    fn add_delay(&mut self, py: Python<'_>, limits: Option<GivenLimits>) -> PyResult<&'static str> {
        let core = &mut self.core;
        advance(py, limits, |limits, stop| core.grow(Growth::Delay, limits, stop))
    }

    /// Whether more rounds alone will never add a state.
    #[getter]
    fn rounds_are_exhausted(&self) -> bool {
        self.core.is_exhausted(Growth::Round)
    }

    /// Whether more delays alone will never add a state.
    #[getter]
    fn delays_are_exhausted(&self) -> bool {
        self.core.is_exhausted(Growth::Delay)
    }

    /// Whether nothing else is reachable.
    #[getter]
    fn is_closed(&self) -> bool {
        self.core.is_closed()
    }

    /// What is known about some R(r, d) on the way.
    fn round(&self, k: usize) -> PyResult<GivenRound> {
        let round = self.core.rounds().get(k).ok_or_else(out_of_range)?;
        let &Round { rounds, delays, states, visible, top_words, images } = round;
        Ok((states, visible, top_words, images, rounds, delays))
    }

    /// How many R(r, d) there were on the way.
    #[getter]
    fn rounds(&self) -> usize {
        self.core.rounds().len()
    }

    #[getter]
    fn states(&self) -> usize {
        self.core.reached().len()
    }

    #[getter]
    fn visible(&self) -> usize {
        self.core.reached().visible().len()
    }

    #[getter]
    fn scheduled(&self) -> usize {
        self.core.scheduled()
    }

    #[getter]
    fn images(&self) -> usize {
        self.core.images()
    }

    #[getter]
    fn bytes(&self) -> usize {
        self.core.bytes()
    }

    /// The first bad visible state with this number or a higher one; TimeoutError at the limit.
    #[pyo3(signature = (bad, start, limits=None))]
    fn first_bad(
        &self,
        py: Python<'_>,
        bad: GivenProperty,
        start: usize,
        limits: Option<GivenLimits>,
    ) -> PyResult<Option<u32>> {
        let property = property(&self.system.borrow(py).lock(), bad)?;
        let reached = self.core.reached();
        within(py, limits, |limits, stop| reached.first_bad(&property, start, limits, stop))
    }

    /// The first state that is asked for by its stacks with this number or a higher one;
    /// TimeoutError at the limit.
    #[pyo3(signature = (asked, start, limits=None))]
    fn first_reaching(
        &self,
        py: Python<'_>,
        asked: GivenReach,
        start: usize,
        limits: Option<GivenLimits>,
    ) -> PyResult<Option<u32>> {
        let asked = reach(&self.system.borrow(py).lock(), asked)?;
        let reached = self.core.reached();
        within(py, limits, |limits, stop| reached.first_reaching(&asked, start, limits, stop))
    }

    /// The first state that shows a visible state.
    fn witness(&self, visible: u32) -> PyResult<u32> {
        let reached = self.core.reached();
        let is_there = (visible as usize) < reached.visible().len();
        is_there.then(|| reached.witness(visible)).ok_or_else(out_of_range)
    }

    /// Within how many rounds a state was found, and with how many delays.
    fn found_at(&self, state: u32) -> PyResult<(usize, usize)> {
        let is_there = (state as usize) < self.core.reached().len();
        is_there.then(|| self.core.found_at(state)).ok_or_else(out_of_range)
    }

    /// A trace to a state: (thread, numbers of the rules) for each context; TimeoutError at the
    /// limit.
    #[pyo3(signature = (state, limits=None))]
    fn trace(
        &self,
        py: Python<'_>,
        state: u32,
        limits: Option<GivenLimits>,
    ) -> PyResult<GivenContexts> {
        if state as usize >= self.core.reached().len() {
            return Err(out_of_range());
        }
        let core = &self.core;
        within(py, limits, |limits, stop| core.trace(state, limits, stop)).map(given_contexts)
    }

    /// For each template, the points that its threads reach, those inside atomic sections too.
    fn points(&self, py: Python<'_>) -> Vec<Vec<u32>> {
        let reached = self.core.reached();
        py.detach(|| reached.points())
    }

    /// Visible states by number, from `start` up to but not including `end`.
    fn visible_rows<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        end: usize,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let visible = self.core.reached().visible();
        rows(py, start..end.min(visible.len()), |number| visible.row(number))
    }

    /// States by number, from `start` up to but not including `end`.
    fn state_rows<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        end: usize,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let reached = self.core.reached();
        rows(py, start..end.min(reached.len()), |state| reached.state_row(state))
    }

    fn symbols_in_stacks(&self, py: Python<'_>, template: usize) -> PyResult<u64> {
        template_of(&self.system.borrow(py).lock(), template)?;
        Ok(self.core.reached().symbols_in_stacks(template))
    }

    fn stack_words<'py>(
        &self,
        py: Python<'py>,
        template: usize,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        template_of(&self.system.borrow(py).lock(), template)?;
        tuples(py, self.core.reached().stack_words(template))
    }
}
