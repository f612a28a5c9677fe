//! The symbolic engine for Python.

use num_bigint::BigUint;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tepui_core::automata::languages::LanguageId;
use tepui_core::symbolic::engine::{Config, Symbolic as CoreSymbolic};
use tepui_core::system::Handle;

use crate::limits::{GivenLimits, advance, within};
use crate::property::{GivenProperty, property};
use crate::reach::{GivenReach, reach};
use crate::system::{System, out_of_range, template_of};
use crate::{GivenContexts, given_contexts, rows, tuples};

/// The exploration of a system by symbolic states.
#[pyclass(module = "tepui._core")]
pub(crate) struct Symbolic {
    core: CoreSymbolic,
    system: Py<System>,
}

/// (symbolic states, visible, states if finite, real visible, whether it grew)
type GivenRound = (usize, usize, Option<BigUint>, BigUint, bool);

/// For each state of an automaton, whether it accepts, and its edges (symbol, state).
type GivenLanguage = Vec<(bool, Vec<(u32, u32)>)>;

#[pymethods]
impl Symbolic {
    #[new]
    #[pyo3(signature = (system, *, symmetry, pruning))]
    fn new(py: Python<'_>, system: Py<System>, symmetry: bool, pruning: bool) -> PyResult<Self> {
        let core = Handle::clone(&system.borrow(py).core);
        if system.borrow(py).lock().threads.len() > CoreSymbolic::MAX_THREADS {
            return Err(out_of_range());
        }
        Ok(Self { core: CoreSymbolic::new(&core, Config { symmetry, pruning }), system })
    }

    /// Go on with a round: "done", "paused", or the limit that stopped it.
    #[pyo3(signature = (limits=None))]
    fn advance(&mut self, py: Python<'_>, limits: Option<GivenLimits>) -> PyResult<&'static str> {
        let core = &mut self.core;
        advance(py, limits, |limits, stop| core.advance(limits, stop))
    }

    /// How many rounds are complete.
    #[getter]
    fn rounds(&self) -> usize {
        self.core.rounds().len()
    }

    /// A complete round.
    fn round(&self, k: usize) -> PyResult<GivenRound> {
        let round = self.core.rounds().get(k).ok_or_else(out_of_range)?.clone();
        Ok((round.products, round.visible, round.states, round.real_visible, round.grew))
    }

    /// How much was done, in states of several kinds.
    #[getter]
    fn work(&self) -> usize {
        self.core.work()
    }

    #[getter]
    fn products(&self) -> usize {
        self.core.products().len()
    }

    #[getter]
    fn visible(&self) -> usize {
        self.core.visible().len()
    }

    #[getter]
    fn real_visible(&self) -> BigUint {
        self.core.visible().real_len()
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
        within(py, limits, |limits, stop| core.first_bad(&property, start, limits, stop))
    }

    /// The first symbolic state with this number or a higher one that has a state that is asked
    /// for; TimeoutError at the limit.
    #[pyo3(signature = (asked, start, limits=None))]
    fn first_reaching(
        &self,
        py: Python<'_>,
        asked: GivenReach,
        start: usize,
        limits: Option<GivenLimits>,
    ) -> PyResult<Option<u32>> {
        let reach = reach(&self.system.borrow(py).lock(), asked)?;
        let core = &self.core;
        within(py, limits, |limits, stop| core.first_reaching(&reach, start, limits, stop))
    }

    /// A trace to a visible state; TimeoutError at the limit.
    #[pyo3(signature = (visible, limits=None))]
    fn trace(
        &self,
        py: Python<'_>,
        visible: u32,
        limits: Option<GivenLimits>,
    ) -> PyResult<GivenContexts> {
        if visible as usize >= self.core.visible().len() {
            return Err(out_of_range());
        }
        let core = &self.core;
        within(py, limits, |limits, stop| core.trace(visible, limits, stop)).map(given_contexts)
    }

    /// A trace to a state of a symbolic state that is asked for; the threads are those that were
    /// named. TimeoutError at the limit.
    #[pyo3(signature = (asked, product, limits=None))]
    fn trace_reaching(
        &self,
        py: Python<'_>,
        asked: GivenReach,
        product: u32,
        limits: Option<GivenLimits>,
    ) -> PyResult<GivenContexts> {
        let reach = reach(&self.system.borrow(py).lock(), asked)?;
        let core = &self.core;
        if product as usize >= core.products().len() {
            return Err(out_of_range());
        }
        within(py, limits, |limits, stop| core.trace_reaching(&reach, product, limits, stop))?
            .map(given_contexts)
            .ok_or_else(out_of_range)
    }

    /// For each template, the points that its threads reach, those inside atomic sections too.
    fn points(&self, py: Python<'_>) -> Vec<Vec<u32>> {
        let core = &self.core;
        py.detach(|| core.points())
    }

    /// For each template, the shared states and tops that its threads show together.
    fn thread_visible(&self, py: Python<'_>, template: usize) -> PyResult<Vec<(u32, u32)>> {
        template_of(&self.system.borrow(py).lock(), template)?;
        let core = &self.core;
        Ok(py.detach(|| core.visible().thread_visible(template)))
    }

    /// Visible states by number, from `start` up to but not including `end`.
    fn visible_rows<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        end: usize,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let end = end.min(self.core.visible().len());
        rows(py, start..end, |visible| self.core.visible().row(visible))
    }

    /// Symbolic states by number, from `start` up to but not including `end`: the shared state and
    /// the number of each thread's language.
    fn product_rows<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        end: usize,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let end = end.min(self.core.products().len());
        rows(py, start..end, |product| self.core.products().set().row(product))
    }

    /// The symbolic states that make up the last complete round.
    fn settled_rows<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let products = self.core.products();
        tuples(py, products.settled().into_iter().map(|product| products.set().row(product)))
    }

    /// The automaton of a language.
    fn automaton(&self, language: u32) -> PyResult<GivenLanguage> {
        if language as usize >= self.core.count_languages() {
            return Err(out_of_range());
        }
        let dfa = self.core.language(LanguageId::new(language));
        let states = 0..dfa.states();
        Ok(states.map(|state| (dfa.is_accepting(state), dfa.edges(state).to_vec())).collect())
    }
}
