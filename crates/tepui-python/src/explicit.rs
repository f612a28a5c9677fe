//! The explicit engine for Python.

use num_bigint::BigUint;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tepui_core::explicit::{Config, Explorer as CoreExplorer, Round};
use tepui_core::system::Handle;

use crate::limits::{GivenLimits, advance, within};
use crate::property::{GivenProperty, property};
use crate::reach::{GivenReach, reach};
use crate::system::{System, out_of_range, template_of};
use crate::{GivenContexts, given_contexts, rows, tuples};

/// The explicit exploration of a system.
#[pyclass(module = "tepui._core")]
pub(crate) struct Explorer {
    core: CoreExplorer,
    system: Py<System>,
}

/// (states, visible, real states, real visible, exact)
type GivenRound = (usize, usize, BigUint, BigUint, bool);

fn given_round(round: Round) -> GivenRound {
    let Round { states, visible, real_states, real_visible, exact } = round;
    (states, visible, real_states, real_visible, exact)
}

#[pymethods]
impl Explorer {
    #[new]
    #[pyo3(signature = (system, *, symmetry, height=None))]
    fn new(
        py: Python<'_>,
        system: Py<System>,
        symmetry: bool,
        height: Option<u32>,
    ) -> PyResult<Self> {
        let core = Handle::clone(&system.borrow(py).core);
        if system.borrow(py).lock().threads.len() > CoreExplorer::MAX_THREADS {
            return Err(out_of_range());
        }
        let config = Config { symmetry, height: height.unwrap_or(u32::MAX) };
        Ok(Self { core: CoreExplorer::new(&core, config), system })
    }

    /// Go on with a round: "done", "paused", or the limit that stopped it.
    #[pyo3(signature = (limits=None))]
    fn advance(&mut self, py: Python<'_>, limits: Option<GivenLimits>) -> PyResult<&'static str> {
        let core = &mut self.core;
        advance(py, limits, |limits, stop| core.advance(limits, stop))
    }

    /// A complete round.
    fn round(&self, k: usize) -> PyResult<GivenRound> {
        let round = self.core.rounds().get(k).ok_or_else(out_of_range)?;
        Ok(given_round(round.clone()))
    }

    /// How many rounds are complete.
    #[getter]
    fn rounds(&self) -> usize {
        self.core.rounds().len()
    }

    /// What was found so far, an unfinished round included.
    fn found(&self) -> GivenRound {
        given_round(self.core.so_far())
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
        let core = &self.core;
        within(py, limits, |limits, stop| core.reached().first_bad(&property, start, limits, stop))
    }

    /// A trace to a visible state: (thread, numbers of the rules) for each context; TimeoutError
    /// at the limit.
    #[pyo3(signature = (visible, limits=None))]
    fn trace(
        &self,
        py: Python<'_>,
        visible: u32,
        limits: Option<GivenLimits>,
    ) -> PyResult<GivenContexts> {
        if visible as usize >= self.core.reached().visible().len() {
            return Err(out_of_range());
        }
        let core = &self.core;
        within(py, limits, |limits, stop| core.trace(visible, limits, stop)).map(given_contexts)
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
        let core = &self.core;
        within(py, limits, |limits, stop| {
            core.reached().first_reaching(&asked, start, limits, stop)
        })
    }

    /// A trace to a state, which ends as it is asked for by its stacks; TimeoutError at the limit.
    #[pyo3(signature = (asked, state, limits=None))]
    fn trace_reaching(
        &self,
        py: Python<'_>,
        asked: GivenReach,
        state: u32,
        limits: Option<GivenLimits>,
    ) -> PyResult<GivenContexts> {
        let asked = reach(&self.system.borrow(py).lock(), asked)?;
        if state as usize >= self.core.reached().len() {
            return Err(out_of_range());
        }
        let core = &self.core;
        within(py, limits, |limits, stop| core.trace_reaching(&asked, state, limits, stop))
            .map(given_contexts)
    }

    /// For each template, the points that its threads reach, those inside atomic sections too.
    fn points(&self, py: Python<'_>) -> Vec<Vec<u32>> {
        let core = &self.core;
        py.detach(|| core.reached().points())
    }

    /// For each template, the shared states and tops that its threads show together.
    fn thread_visible(&self, py: Python<'_>, template: usize) -> Vec<(u32, u32)> {
        let core = &self.core;
        py.detach(|| core.reached().visible().thread_visible(template))
    }

    /// Visible states by number, from `start` up to but not including `end`.
    fn visible_rows<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        end: usize,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let end = end.min(self.core.reached().visible().len());
        rows(py, start..end, |visible| self.core.reached().visible().row(visible))
    }

    /// States by number, from `start` up to but not including `end`.
    fn state_rows<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        end: usize,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let end = end.min(self.core.reached().len());
        rows(py, start..end, |state| self.core.reached().state_row(state))
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
