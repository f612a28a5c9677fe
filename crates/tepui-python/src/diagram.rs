//! The diagram engine for Python.

use num_bigint::BigUint;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tepui_core::diagram::engine::Diagrams as CoreDiagrams;

use crate::interruptibly;
use crate::limits::{GivenLimits, word};
use crate::system::{System, out_of_range};

/// The exploration of a system by decision diagrams.
#[pyclass(module = "tepui._core")]
pub(crate) struct Diagrams {
    core: CoreDiagrams,
}

/// (R_k as a node, T(R_k) as a node, |R_k| if finite, |T(R_k)|)
type GivenRound = (u32, u32, Option<BigUint>, BigUint);

#[pymethods]
impl Diagrams {
    /// `finite` says of each template whether its threads have finite-context reachability.
    #[new]
    #[pyo3(signature = (system, *, finite))]
    fn new(system: &System, finite: Vec<bool>) -> PyResult<Self> {
        if finite.len() != system.lock().templates.len() {
            return Err(out_of_range());
        }
        Ok(Self { core: CoreDiagrams::new(&system.core, &finite) })
    }

    /// Compute the next round: "done", or the limit that stopped it.
    #[pyo3(signature = (limits=None))]
    fn advance(&mut self, py: Python<'_>, limits: Option<GivenLimits>) -> PyResult<&'static str> {
        let limits = GivenLimits::limits(limits);
        let core = &mut self.core;
        interruptibly(py, |interrupted| word(core.advance(limits, interrupted)))
    }

    /// The last complete round.
    fn last_round(&self) -> GivenRound {
        let round = self.core.rounds().last().expect("round 0 is always there").clone();
        (round.states, round.visible, round.state_count, round.visible_count)
    }

    #[getter]
    fn nodes(&self) -> usize {
        self.core.count_nodes()
    }

    #[getter]
    fn bytes(&self) -> usize {
        self.core.bytes()
    }

    /// Visible states of the last round, at most so many.
    fn visible_rows<'py>(
        &self,
        py: Python<'py>,
        most: usize,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        self.core.visible_rows(most).into_iter().map(|row| PyTuple::new(py, row)).collect()
    }
}
