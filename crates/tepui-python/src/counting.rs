//! Coverability, by numbers of places and transitions.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tepui_core::counting::control::ControlStates;
use tepui_core::counting::coverability::Coverability as Core;
use tepui_core::counting::net::{Invariant, Marking, Net, Range, Row, Transition};

use crate::limits::{PyLimits, advance};

/// Counts by place.
type PyMarking = Vec<(u32, u32)>;

/// A guard, and rows as (place, sources, constant).
type PyTransition = (PyMarking, Vec<(u32, Vec<u32>, i64)>);

/// The control places; their counts and the other places, for each state.
type PyControl = (Vec<u32>, Vec<(PyMarking, Vec<u32>)>);

/// Decides whether a net can cover a bad marking.
#[pyclass(module = "tepui._core")]
pub(crate) struct Coverability {
    core: Core,
}

#[pymethods]
impl Coverability {
    #[new]
    #[pyo3(signature = (initial, transitions, targets, invariants, control=None))]
    fn new(
        initial: Vec<Range>,
        transitions: Vec<PyTransition>,
        targets: Vec<PyMarking>,
        invariants: Vec<(Vec<u32>, u64)>,
        control: Option<PyControl>,
    ) -> PyResult<Self> {
        let row = |(place, sources, constant)| Row { place, sources, constant };
        let net = Net {
            initial,
            transitions: transitions
                .into_iter()
                .map(|(guard, rows)| Transition {
                    guard: guard.into(),
                    rows: rows.into_iter().map(row).collect(),
                })
                .collect(),
            targets: targets.into_iter().map(Marking::from).collect(),
            invariants: invariants
                .into_iter()
                .map(|(weights, bound)| Invariant { weights, bound })
                .collect(),
        };
        if let Some(problem) = net.problem() {
            return Err(PyValueError::new_err(problem));
        }
        let control = control.map(|(places, states)| {
            let states = states.into_iter().map(|(counts, others)| (counts.into(), others));
            ControlStates::new(net.initial.len(), &places, states.collect())
                .ok_or_else(|| PyValueError::new_err("a control state does not fit the net"))
        });
        Ok(Self { core: Core::new(net, control.transpose()?) })
    }

    /// Go on until there is an answer: "done", or the limit that stopped it.
    #[pyo3(signature = (limits=None))]
    fn advance(&mut self, py: Python<'_>, limits: Option<PyLimits>) -> PyResult<&'static str> {
        let core = &mut self.core;
        advance(py, limits, |meter| core.advance(meter))
    }

    #[getter]
    fn elements(&self) -> usize {
        self.core.elements()
    }

    #[getter]
    fn found(&self) -> usize {
        self.core.found()
    }

    #[getter]
    fn bytes(&self) -> usize {
        self.core.bytes()
    }

    /// The initial counts and the transitions of a run into a bad marking, if one was found.
    fn run(&self) -> Option<(Vec<u32>, Vec<u32>)> {
        self.core.run()
    }

    /// The minimal elements of what the backward search has found.
    fn basis(&self) -> Vec<PyMarking> {
        self.core.basis().into_iter().map(Vec::from).collect()
    }
}
