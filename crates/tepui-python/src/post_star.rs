//! P-automata for Python.

use pyo3::prelude::*;
use tepui_core::post_star::{PAutomaton as CoreAutomaton, Transition, post_star, short_stacks};

use crate::interruptibly;
use crate::limits::{GivenLimits, limit_word};
use crate::system::{System, out_of_range, template_of};

/// The thread states that a thread reaches by itself.
#[pyclass(frozen, module = "tepui._core")]
pub(crate) struct PAutomaton {
    core: CoreAutomaton,
}

#[pymethods]
impl PAutomaton {
    /// Saturate from some thread states (shared state, stack) of a template; without any, from
    /// all stacks of at most one symbol. Returns the limit that was reached instead, if one was.
    #[staticmethod]
    #[pyo3(signature = (system, template, starts=None, limits=None))]
    fn post_star(
        py: Python<'_>,
        system: &System,
        template: usize,
        starts: Option<Vec<(u32, Vec<u32>)>>,
        limits: Option<GivenLimits>,
    ) -> PyResult<(Option<Self>, &'static str)> {
        let system = system.lock();
        let shared = system.shared;
        let template = template_of(&system, template)?;
        if let Some(starts) = &starts {
            let fits = |stack: &[u32]| stack.iter().all(|&s| 0 < s && s < template.symbols);
            if !starts.iter().all(|(state, stack)| *state < shared && fits(stack)) {
                return Err(out_of_range());
            }
        }
        let limits = GivenLimits::limits(limits);
        let result = interruptibly(py, |interrupted| match &starts {
            None => post_star(template, shared, short_stacks(template), limits, interrupted),
            Some(starts) => {
                let starts = starts.iter().map(|(shared, stack)| (*shared, &stack[..]));
                post_star(template, shared, starts, limits, interrupted)
            }
        })?;
        Ok(match result {
            Ok(core) => (Some(Self { core }), "done"),
            Err(limit) => (None, limit_word(limit)),
        })
    }

    #[getter]
    fn nodes(&self) -> u32 {
        self.core.nodes()
    }

    #[getter]
    fn last(&self) -> u32 {
        self.core.last()
    }

    #[getter]
    fn is_finite(&self) -> bool {
        self.core.is_finite()
    }

    fn transitions(&self) -> Vec<Transition> {
        self.core.transitions().to_vec()
    }

    fn accepts(&self, shared: u32, stack: Vec<u32>) -> bool {
        self.core.accepts(shared, &stack)
    }
}
