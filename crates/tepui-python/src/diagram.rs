//! The diagram engine for Python.

use num_bigint::BigUint;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tepui_core::diagram::cut::CutDiagrams as CoreCutDiagrams;
use tepui_core::diagram::engine::Diagrams as CoreDiagrams;
use tepui_core::diagram::export::Exported;
use tepui_core::reach::Reach;
use tepui_core::system::Handle;

use crate::cut::emergence;
use crate::limits::{GivenLimits, advance, within};
use crate::property::{GivenProperty, property};
use crate::reach::{GivenReach, reach};
use crate::system::{System, out_of_range, template_of};
use crate::{GivenContexts, given_contexts, tuples};

/// The exploration of a system by decision diagrams.
#[pyclass(module = "tepui._core")]
pub(crate) struct Diagrams {
    core: CoreDiagrams,
    system: Py<System>,
}

/// (R_k as a node, T(R_k) as a node, |R_k| if finite, |T(R_k)|)
type GivenRound = (u32, u32, Option<BigUint>, BigUint);

/// For each level its nodes as (label, child), the sets of shared states at the end, and for each
/// template the labels.
type GivenDiagram<L> = (Vec<Vec<Vec<(u32, u32)>>>, Vec<Vec<u32>>, Vec<L>);

/// The stacks of a template and its labels as sets of their indices.
type GivenStacks = (Vec<Vec<u32>>, Vec<Vec<u32>>);

/// Automata: for each state whether it accepts, and its edges.
type GivenLanguages = Vec<(Vec<bool>, Vec<Vec<(u32, u32)>>)>;

#[pymethods]
impl Diagrams {
    /// `finite` says of each template whether its threads have finite-context reachability.
    #[new]
    #[pyo3(signature = (system, *, finite))]
    fn new(py: Python<'_>, system: Py<System>, finite: Vec<bool>) -> PyResult<Self> {
        let core = Handle::clone(&system.borrow(py).core);
        if finite.len() != system.borrow(py).lock().templates.len() {
            return Err(out_of_range());
        }
        Ok(Self { core: CoreDiagrams::new(&core, &finite), system })
    }

    /// Compute the next round: "done", or the limit that stopped it.
    #[pyo3(signature = (limits=None))]
    fn advance(&mut self, py: Python<'_>, limits: Option<GivenLimits>) -> PyResult<&'static str> {
        let core = &mut self.core;
        advance(py, limits, |limits, stop| core.advance(limits, stop))
    }

    /// A complete round.
    fn round(&self, k: usize) -> PyResult<GivenRound> {
        let round = self.core.rounds().get(k).ok_or_else(out_of_range)?.clone();
        Ok((round.states, round.visible, round.state_count, round.visible_count))
    }

    /// How many rounds are complete.
    #[getter]
    fn rounds(&self) -> usize {
        self.core.rounds().len()
    }

    #[getter]
    fn nodes(&self) -> usize {
        self.core.count_nodes()
    }

    /// How many nodes the diagram has that serves as a certificate.
    #[getter]
    fn certificate_nodes(&self) -> usize {
        self.core.certificate_nodes()
    }

    /// How many operations there were.
    #[getter]
    fn operations(&self) -> usize {
        self.core.operations()
    }

    #[getter]
    fn bytes(&self) -> usize {
        self.core.bytes()
    }

    /// The thread of each level.
    #[getter]
    fn order(&self) -> Vec<u32> {
        self.core.order()
    }

    /// A bad visible state of a round; TimeoutError at the limit.
    #[pyo3(signature = (bad, k, limits=None))]
    fn find_bad<'py>(
        &mut self,
        py: Python<'py>,
        bad: GivenProperty,
        k: usize,
        limits: Option<GivenLimits>,
    ) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.check_round(k)?;
        let property = property(&self.system.borrow(py).lock(), bad)?;
        let core = &mut self.core;
        within(py, limits, |limits, stop| core.find_bad(k, &property, limits, stop))?
            .map(|row| PyTuple::new(py, row))
            .transpose()
    }

    /// The contexts of a run to a state of a round that shows this; TimeoutError at the limit.
    #[pyo3(signature = (visible, k, limits=None))]
    fn trace(
        &mut self,
        py: Python<'_>,
        visible: Vec<u32>,
        k: usize,
        limits: Option<GivenLimits>,
    ) -> PyResult<Option<GivenContexts>> {
        let asked = {
            let system = self.system.borrow(py);
            let system = system.lock();
            if visible.len() != system.threads.len() + 1 {
                return Err(out_of_range());
            }
            Reach::showing(&visible, &system)
        };
        self.trace_to(py, k, &asked, limits)
    }

    /// Whether a round has a state that is asked for by its stacks; TimeoutError at the limit.
    #[pyo3(signature = (asked, k, limits=None))]
    fn has_reaching(
        &self,
        py: Python<'_>,
        asked: GivenReach,
        k: usize,
        limits: Option<GivenLimits>,
    ) -> PyResult<bool> {
        self.check_round(k)?;
        let asked = reach(&self.system.borrow(py).lock(), asked)?;
        let core = &self.core;
        within(py, limits, |limits, stop| core.has(k, &asked, limits, stop))
    }

    /// The contexts of a run to a state of a round that is asked for by its stacks; TimeoutError
    /// at the limit.
    #[pyo3(signature = (asked, k, limits=None))]
    fn trace_reaching(
        &mut self,
        py: Python<'_>,
        asked: GivenReach,
        k: usize,
        limits: Option<GivenLimits>,
    ) -> PyResult<Option<GivenContexts>> {
        let asked = reach(&self.system.borrow(py).lock(), asked)?;
        self.trace_to(py, k, &asked, limits)
    }

    /// Visible states of a round, at most so many.
    fn visible_rows<'py>(
        &self,
        py: Python<'py>,
        k: usize,
        most: usize,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        self.check_round(k)?;
        tuples(py, self.core.visible_rows(k, most))
    }

    /// For each template, the points that its threads reach, those inside atomic sections too.
    fn points(&mut self, py: Python<'_>) -> Vec<Vec<u32>> {
        let core = &mut self.core;
        py.detach(|| core.points())
    }

    /// The last round as a diagram. Where a template's labels are languages, there are automata in
    /// place of its stacks.
    fn diagram(&self) -> GivenDiagram<(Option<GivenStacks>, GivenLanguages)> {
        let Exported { nodes, ends, labels } = self.core.export();
        let labels = labels.iter().enumerate().map(|(template, labels)| {
            match self.core.stacks_of(template, labels) {
                Some(stacks) => (Some(stacks), Vec::new()),
                None => (None, self.core.languages_of(template, labels)),
            }
        });
        (nodes, ends, labels.collect())
    }
}

impl Diagrams {
    fn check_round(&self, k: usize) -> PyResult<()> {
        if k < self.core.rounds().len() { Ok(()) } else { Err(out_of_range()) }
    }

    fn trace_to(
        &mut self,
        py: Python<'_>,
        k: usize,
        asked: &Reach,
        limits: Option<GivenLimits>,
    ) -> PyResult<Option<GivenContexts>> {
        self.check_round(k)?;
        let core = &mut self.core;
        let contexts = within(py, limits, |limits, stop| core.trace(k, asked, limits, stop))?;
        Ok(contexts.map(given_contexts))
    }
}

/// One over-approximation of the reachable visible states, as a decision diagram.
#[pyclass(module = "tepui._core")]
pub(crate) struct CutDiagrams {
    core: CoreCutDiagrams,
    system: Py<System>,
}

#[pymethods]
impl CutDiagrams {
    /// With `claimed`: for each template and class of symbols, what may emerge when one is popped,
    /// 0 for the empty stack. Without: matched, keeping `depth` symbols of each stack.
    #[new]
    #[pyo3(signature = (system, *, depth, claimed=None))]
    fn new(
        py: Python<'_>,
        system: Py<System>,
        depth: usize,
        claimed: Option<Vec<Vec<Vec<u32>>>>,
    ) -> PyResult<Self> {
        let core = Handle::clone(&system.borrow(py).core);
        let emergence = emergence(&system.borrow(py), depth, claimed)?;
        Ok(Self { core: CoreCutDiagrams::new(&core, &emergence), system })
    }

    /// Go on towards the fixed point: "done", or the limit that stopped it.
    #[pyo3(signature = (limits=None))]
    fn advance(&mut self, py: Python<'_>, limits: Option<GivenLimits>) -> PyResult<&'static str> {
        let core = &mut self.core;
        advance(py, limits, |limits, stop| core.advance(limits, stop))
    }

    #[getter]
    fn is_complete(&self) -> bool {
        self.core.is_complete()
    }

    #[getter]
    fn is_exact(&self) -> bool {
        self.core.is_exact()
    }

    #[getter]
    fn states(&self) -> BigUint {
        self.core.count()
    }

    #[getter]
    fn visible(&self) -> BigUint {
        self.core.visible_count()
    }

    #[getter]
    fn real_visible(&self) -> BigUint {
        self.core.visible_count()
    }

    #[getter]
    fn nodes(&self) -> usize {
        self.core.count_nodes()
    }

    /// How many nodes the diagram has that serves as a certificate.
    #[getter]
    fn certificate_nodes(&self) -> usize {
        self.core.certificate_nodes()
    }

    /// How many operations there were.
    #[getter]
    fn operations(&self) -> usize {
        self.core.operations()
    }

    #[getter]
    fn bytes(&self) -> usize {
        self.core.bytes()
    }

    /// The thread of each level.
    #[getter]
    fn order(&self) -> Vec<u32> {
        self.core.order()
    }

    /// A bad visible state; TimeoutError at the limit.
    #[pyo3(signature = (bad, limits=None))]
    fn find_bad<'py>(
        &mut self,
        py: Python<'py>,
        bad: GivenProperty,
        limits: Option<GivenLimits>,
    ) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let property = property(&self.system.borrow(py).lock(), bad)?;
        let core = &mut self.core;
        within(py, limits, |limits, stop| core.find_bad(&property, limits, stop))?
            .map(|row| PyTuple::new(py, row))
            .transpose()
    }

    /// Whether some state may stand for one that is asked for by its stacks; TimeoutError at the
    /// limit.
    #[pyo3(signature = (asked, limits=None))]
    fn has_reaching(
        &self,
        py: Python<'_>,
        asked: GivenReach,
        limits: Option<GivenLimits>,
    ) -> PyResult<bool> {
        let asked = reach(&self.system.borrow(py).lock(), asked)?;
        let core = &self.core;
        within(py, limits, |limits, stop| core.has(&asked, limits, stop))
    }

    /// Visible states in some order, from `start` up to but not including `end`.
    fn visible_rows<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        end: usize,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        tuples(py, self.core.visible_rows(end).into_iter().skip(start))
    }

    /// For each template, the points that its threads reach, those inside atomic sections too.
    fn points(&mut self, py: Python<'_>) -> Vec<Vec<u32>> {
        let core = &mut self.core;
        py.detach(|| core.points())
    }

    /// The shared states and tops that the threads of a template show together.
    fn thread_visible(&mut self, py: Python<'_>, template: usize) -> PyResult<Vec<(u32, u32)>> {
        template_of(&self.system.borrow(py).lock(), template)?;
        let core = &mut self.core;
        Ok(py.detach(|| core.thread_visible(template)))
    }

    /// The local states of a template: the symbols kept, and whether there are more below.
    fn local_states<'py>(
        &self,
        py: Python<'py>,
        template: usize,
    ) -> PyResult<Vec<(Bound<'py, PyTuple>, bool)>> {
        template_of(&self.system.borrow(py).lock(), template)?;
        let locals = self.core.local_states(template);
        locals.map(|(kept, more)| Ok((PyTuple::new(py, kept)?, more))).collect()
    }

    /// The relation *below* of a template.
    fn below(&self, py: Python<'_>, template: usize) -> PyResult<Vec<(u32, u32)>> {
        template_of(&self.system.borrow(py).lock(), template)?;
        Ok(self.core.below(template).collect())
    }

    /// Z as a diagram, with the labels of each template as sets of its local states.
    fn diagram(&self) -> GivenDiagram<Vec<Vec<u32>>> {
        let Exported { nodes, ends, labels } = self.core.export();
        let labels = labels.iter().enumerate();
        let members = labels.map(|(template, labels)| self.core.locals_of(template, labels));
        (nodes, ends, members.collect())
    }
}
