//! A system from Python's numbers, checked, because a kernel trusts its indices.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tepui_core::system::{Rule, System as CoreSystem, Template};

/// A rule as (source, top, target, word).
type GivenRule = (u32, u32, u32, Vec<u32>);

/// A template as (how many symbols, initial stack, rules).
type GivenTemplate = (u32, Vec<u32>, Vec<GivenRule>);

/// A concurrent pushdown system, ready for the kernels.
#[pyclass(frozen, module = "tepui._core")]
pub(crate) struct System {
    pub(crate) core: Arc<CoreSystem>,
}

#[pymethods]
impl System {
    #[new]
    fn new(
        shared: u32,
        initial: u32,
        templates: Vec<GivenTemplate>,
        threads: Vec<u32>,
    ) -> PyResult<Self> {
        let templates = templates
            .into_iter()
            .map(|template| make_template(shared, template))
            .collect::<PyResult<Vec<_>>>()?;
        let known = threads.iter().all(|&thread| (thread as usize) < templates.len());
        if initial >= shared || !known || threads.is_empty() {
            return Err(out_of_range());
        }
        Ok(Self { core: Arc::new(CoreSystem { shared, initial, templates, threads }) })
    }
}

impl System {
    /// A template by number, if there is one.
    pub(crate) fn template(&self, number: usize) -> PyResult<&Template> {
        self.core.templates.get(number).ok_or_else(out_of_range)
    }
}

pub(crate) fn out_of_range() -> PyErr {
    PyValueError::new_err("a number is out of range for this system")
}

fn make_template(shared: u32, (symbols, stack, rules): GivenTemplate) -> PyResult<Template> {
    let is_word = |word: &[u32]| word.iter().all(|&symbol| 0 < symbol && symbol < symbols);
    let is_rule = |rule: &GivenRule| {
        rule.0 < shared && rule.1 < symbols && rule.2 < shared && is_word(&rule.3)
    };
    if symbols == 0 || !is_word(&stack) || !rules.iter().all(is_rule) {
        return Err(out_of_range());
    }
    let rules = rules
        .into_iter()
        .map(|(source, top, target, word)| Rule { source, top, target, word })
        .collect();
    Ok(Template::new(symbols, stack, rules))
}
