//! The over-approximations Z for Python.

use num_bigint::BigUint;
use pyo3::exceptions::PyTimeoutError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tepui_core::cut::{Cut as CoreCut, Emergence};

use crate::limits::{GivenLimits, limit_word, word};
use crate::property::{GivenProperty, property};
use crate::system::{System, out_of_range};
use crate::{interruptibly, rows};

/// One over-approximation of the reachable visible states.
#[pyclass(module = "tepui._core")]
pub(crate) struct Cut {
    core: CoreCut,
    system: Py<System>,
}

#[pymethods]
impl Cut {
    /// With `claimed`: for each template and symbol, what may emerge when it is popped. Without:
    /// matched, keeping `depth` symbols of each stack.
    #[new]
    #[pyo3(signature = (system, *, symmetry, depth, claimed=None))]
    fn new(
        py: Python<'_>,
        system: Py<System>,
        symmetry: bool,
        depth: usize,
        claimed: Option<Vec<Vec<Vec<u32>>>>,
    ) -> PyResult<Self> {
        let core = system.borrow(py).core.clone();
        let emergence = match claimed {
            None if depth == 0 => return Err(out_of_range()),
            None => Emergence::Matched(depth),
            Some(tables) => {
                let fits = tables.len() == core.templates.len()
                    && tables.iter().zip(&core.templates).all(|(table, template)| {
                        table.len() == template.symbols as usize
                            && table.iter().flatten().all(|&symbol| symbol < template.symbols)
                    });
                if !fits {
                    return Err(out_of_range());
                }
                Emergence::Claimed(tables)
            }
        };
        Ok(Self { core: CoreCut::new(core, symmetry, &emergence), system })
    }

    /// Go on towards the fixed point: "done", "paused", or the limit that stopped it.
    #[pyo3(signature = (limits=None))]
    fn advance(&mut self, py: Python<'_>, limits: Option<GivenLimits>) -> PyResult<&'static str> {
        let limits = GivenLimits::limits(limits);
        let core = &mut self.core;
        interruptibly(py, |interrupted| word(core.advance(limits, interrupted)))
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

    /// The first bad visible state with this number or a higher one; TimeoutError at the limit.
    #[pyo3(signature = (bad, start, limits=None))]
    fn first_bad(
        &self,
        py: Python<'_>,
        bad: GivenProperty,
        start: usize,
        limits: Option<GivenLimits>,
    ) -> PyResult<Option<u32>> {
        let property = property(&self.system.borrow(py).core, bad)?;
        let limits = GivenLimits::limits(limits);
        let core = &self.core;
        interruptibly(py, |stop| {
            core.visible().first_bad(core.system(), &property, start, limits, stop)
        })?
        .map_err(|limit| PyTimeoutError::new_err(limit_word(limit)))
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
        self.system.borrow(py).template(template)?;
        let locals = self.core.local_states(template);
        locals.map(|(kept, more)| Ok((PyTuple::new(py, kept)?, more))).collect()
    }

    /// The relation *below* of a template.
    fn below(&self, py: Python<'_>, template: usize) -> PyResult<Vec<(u32, u32)>> {
        self.system.borrow(py).template(template)?;
        Ok(self.core.below(template).collect())
    }
}
