//! The over-approximations Z for Python.

use num_bigint::BigUint;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tepui_core::cut::{Cut as CoreCut, Emergence};
use tepui_core::system::{Handle, System as CoreSystem};

use crate::delay::Delays;
use crate::limits::{GivenLimits, advance, within};
use crate::property::{GivenProperty, property};
use crate::reach::{GivenReach, reach};
use crate::rows;
use crate::system::{System, out_of_range, template_of};

/// One over-approximation of the reachable visible states.
#[pyclass(module = "tepui._core")]
pub(crate) struct Cut {
    core: CoreCut,
    system: Py<System>,
}

#[pymethods]
impl Cut {
    /// With `claimed`: for each template and class of symbols, what may emerge when one is popped,
    /// 0 for the empty stack. Without: matched, keeping `depth` symbols of each stack. With
    /// `reached`: beginning with all that an exploration has reached, without symmetry.
    #[new]
    #[pyo3(signature = (system, *, symmetry, depth, claimed=None, reached=None))]
    fn new(
        py: Python<'_>,
        system: Py<System>,
        symmetry: bool,
        depth: usize,
        claimed: Option<Vec<Vec<Vec<u32>>>>,
        reached: Option<PyRef<'_, Delays>>,
    ) -> PyResult<Self> {
        let handle = Handle::clone(&system.borrow(py).core);
        let emergence = emergence(&system.borrow(py), depth, claimed)?;
        let reached = reached.as_ref().map(|delays| delays.reached());
        let core = py.detach(|| match reached {
            Some(reached) => CoreCut::of_reached(&handle, &emergence, reached),
            None => CoreCut::new(&handle, symmetry, &emergence),
        });
        Ok(Self { core, system })
    }

    /// Go on towards the fixed point: "done", "paused", or the limit that stopped it.
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
    fn states(&self) -> usize {
        self.core.states()
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

    /// A bad visible state; TimeoutError at the limit.
    #[pyo3(signature = (bad, limits=None))]
    fn find_bad<'py>(
        &self,
        py: Python<'py>,
        bad: GivenProperty,
        limits: Option<GivenLimits>,
    ) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let property = property(&self.system.borrow(py).lock(), bad)?;
        let core = &self.core;
        within(py, limits, |limits, stop| core.first_bad(&property, 0, limits, stop))?
            .map(|visible| PyTuple::new(py, core.visible().row(visible)))
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
        within(py, limits, |limits, stop| core.first_reaching(&asked, 0, limits, stop))
            .map(|found| found.is_some())
    }

    /// For each template, the points that its threads reach, those inside atomic sections too.
    fn points(&self, py: Python<'_>) -> Vec<Vec<u32>> {
        let core = &self.core;
        py.detach(|| core.points())
    }

    /// For each template, the shared states and tops that its threads show together.
    fn thread_visible(&self, py: Python<'_>, template: usize) -> Vec<(u32, u32)> {
        let core = &self.core;
        py.detach(|| core.visible().thread_visible(template))
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

    /// States by number, from `start` up to but not including `end`.
    fn state_rows<'py>(
        &self,
        py: Python<'py>,
        start: usize,
        end: usize,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let end = end.min(self.core.states());
        rows(py, start..end, |state| self.core.state_row(state))
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
}

/// How a Z knows what a pop can bring up: by claims, or else matched, keeping so many symbols.
pub(crate) fn emergence(
    system: &System,
    depth: usize,
    claimed: Option<Vec<Vec<Vec<u32>>>>,
) -> PyResult<Emergence> {
    match claimed {
        None if depth > 0 => Ok(Emergence::Matched(depth)),
        Some(tables) if fits(&system.lock(), &tables) => Ok(Emergence::Claimed(tables)),
        _ => Err(out_of_range()),
    }
}

/// Whether claims name symbols of the system, and say something about every class of them.
fn fits(system: &CoreSystem, tables: &[Vec<Vec<u32>>]) -> bool {
    let classes = |template: usize| match system.machine() {
        Some(machine) => machine.program().points() as usize + 1,
        None => system.templates[template].symbols as usize,
    };
    tables.len() == system.templates.len()
        && tables.iter().enumerate().all(|(template, table)| {
            let symbols = system.templates[template].symbols;
            table.len() == classes(template) && table.iter().flatten().all(|&s| s < symbols)
        })
}
