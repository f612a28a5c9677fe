//! P-automata and saturations for Python.
//!
//! A node is a number: a shared state is itself, and the inner nodes are -1 (the final one), -2
//! and so on.

use num_bigint::BigUint;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tepui_core::automata::dfa::Dfa;
use tepui_core::automata::p_automaton::{Node, PAutomaton as CoreAutomaton, Transition};
use tepui_core::automata::post_star::{PostStar as CorePostStar, post_star};
use tepui_core::automata::pre_star::PreStar as CorePreStar;
use tepui_core::automata::run::Run;
use tepui_core::limits::{Limit, Meter};
use tepui_core::system::{EPSILON, Handle, Shared, Symbol, System as CoreSystem, Template, lock};

use crate::ids::{ids, numbers};
use crate::limits::{PyLimits, advance, limit_word};
use crate::system::{System, out_of_range, template_of};
use crate::{PyDfa, interruptibly, py_dfa};

/// A transition as (from, symbol, to).
type PyTransition = (i64, u32, i64);

/// A configuration as (shared state, stack).
type Configuration<'py> = (u32, Bound<'py, PyTuple>);

/// An answer, and "done" or the limit that was reached instead.
type Answer<T> = (Option<T>, &'static str);

/// A regular set of configurations of one thread.
#[pyclass(frozen, module = "tepui._core")]
pub(crate) struct PAutomaton {
    core: CoreAutomaton,
}

#[pymethods]
impl PAutomaton {
    #[new]
    fn new(transitions: Vec<PyTransition>) -> PyResult<Self> {
        let transitions = transitions.into_iter().map(transition).collect::<PyResult<_>>()?;
        Ok(Self { core: CoreAutomaton::new(transitions) })
    }

    /// All configurations with at most one symbol on the stack.
    #[staticmethod]
    fn short_stacks(system: &System, template: usize) -> PyResult<Self> {
        let system = system.lock();
        let core = CoreAutomaton::short_stacks(template_of(&system, template)?, system.shared);
        Ok(Self { core })
    }

    /// Saturate from some thread states (shared state, stack) of a template; without any, from
    /// all stacks of at most one symbol that can move. Returns the limit that was reached instead,
    /// if one was.
    #[staticmethod]
    #[pyo3(signature = (system, template, starts=None, limits=None))]
    fn post_star(
        py: Python<'_>,
        system: &System,
        template: usize,
        starts: Option<Vec<(u32, Vec<u32>)>>,
        limits: Option<PyLimits>,
    ) -> PyResult<Answer<Self>> {
        for (shared, stack) in starts.iter().flatten() {
            require_configuration(*shared, stack)?;
        }
        let mut system = system.lock();
        let start = match &starts {
            None => CoreAutomaton::short_stacks_that_move(template_of(&system, template)?),
            Some(starts) => {
                let starts: Vec<(Shared, Vec<Symbol>)> = starts
                    .iter()
                    .map(|(shared, stack)| (Shared::new(*shared), ids(stack.clone())))
                    .collect();
                CoreAutomaton::of_configurations(
                    starts.iter().map(|(shared, stack)| (*shared, &stack[..])),
                )
            }
        };
        require_fit(&system, template, &start)?;
        let system = &mut *system;
        let found = ask(py, limits, |meter| post_star(system, template, &start, meter))?;
        Ok(answer(found.map(|core| Some(Self { core }))))
    }

    #[getter]
    fn inner_nodes(&self) -> u32 {
        self.core.inner_nodes()
    }

    #[getter]
    fn is_empty(&self) -> bool {
        self.core.is_empty()
    }

    #[getter]
    fn is_finite(&self) -> bool {
        self.core.is_finite()
    }

    fn transitions(&self) -> Vec<PyTransition> {
        let given = |edge: &Transition| (number(edge.from), edge.symbol.number(), number(edge.to));
        self.core.transitions().iter().map(given).collect()
    }

    fn shared_states(&self) -> Vec<u32> {
        numbers(&self.core.shared_states())
    }

    fn accepts(&self, shared: u32, stack: Vec<u32>) -> PyResult<bool> {
        require_configuration(shared, &stack)?;
        Ok(self.core.accepts(Shared::new(shared), &ids(stack)))
    }

    fn tops(&self, shared: u32) -> PyResult<Vec<u32>> {
        require_configuration(shared, &[])?;
        Ok(numbers(&self.core.tops(Shared::new(shared))))
    }

    fn union(&self, other: &Self) -> Self {
        Self { core: self.core.union(&other.core) }
    }

    fn intersection(&self, other: &Self) -> Self {
        Self { core: self.core.intersection(&other.core) }
    }

    /// A shortest configuration that another set lacks, if it lacks one.
    #[pyo3(signature = (other, limits=None))]
    fn missing_from<'py>(
        &self,
        py: Python<'py>,
        other: &Self,
        limits: Option<PyLimits>,
    ) -> PyResult<Answer<Configuration<'py>>> {
        let missing = ask(py, limits, |meter| self.core.missing_from(&other.core, meter))?;
        let missing = missing.map(|found| found.map(|found| configuration(py, found)).transpose());
        transposed(missing)
    }

    /// How many configurations there are; None if there are infinitely many.
    #[pyo3(signature = (limits=None))]
    fn count(&self, py: Python<'_>, limits: Option<PyLimits>) -> PyResult<Answer<BigUint>> {
        Ok(answer(ask(py, limits, |meter| self.core.count(meter))?))
    }

    /// The stacks at a shared state.
    #[pyo3(signature = (shared, limits=None))]
    fn language(
        &self,
        py: Python<'_>,
        shared: u32,
        limits: Option<PyLimits>,
    ) -> PyResult<Answer<PyDfa>> {
        require_configuration(shared, &[])?;
        let language = ask(py, limits, |meter| Dfa::at(&self.core, Shared::new(shared), meter))?;
        Ok(answer(language.map(|language| Some(py_dfa(&language)))))
    }

    /// The configurations with at most `height` symbols, and not more than `most` of them.
    fn words<'py>(
        &self,
        py: Python<'py>,
        height: usize,
        most: usize,
    ) -> PyResult<Vec<Configuration<'py>>> {
        let words = self.core.words(height, most);
        words.into_iter().map(|found| configuration(py, found)).collect()
    }
}

/// What a thread reaches from a set of configurations.
#[pyclass(module = "tepui._core")]
pub(crate) struct PostStar {
    core: CorePostStar,
    system: Py<System>,
}

#[pymethods]
impl PostStar {
    #[new]
    fn new(system: Py<System>, template: usize, start: &PAutomaton) -> PyResult<Self> {
        require_fit(&system.get().lock(), template, &start.core)?;
        let core = CorePostStar::new(template, &start.core);
        Ok(Self { core, system })
    }

    /// Go on towards the fixed point: "done", "paused", or the limit that stopped it.
    #[pyo3(signature = (limits=None))]
    fn advance(&mut self, py: Python<'_>, limits: Option<PyLimits>) -> PyResult<&'static str> {
        let (core, system) = (&mut self.core, self.system.get());
        let ended = advance(py, limits, |meter| core.advance(&mut lock(&system.core), meter))?;
        system.require_all_rules(py)?;
        Ok(ended)
    }

    #[getter]
    fn is_complete(&self) -> bool {
        self.core.is_complete()
    }

    #[getter]
    fn transitions(&self) -> usize {
        self.core.transitions()
    }

    #[getter]
    fn bytes(&self) -> usize {
        self.core.bytes()
    }

    fn automaton(&self) -> PAutomaton {
        PAutomaton { core: self.core.automaton() }
    }

    /// A run from the starting set to a configuration: where it starts, and its rules.
    #[pyo3(signature = (shared, stack, limits=None))]
    fn run_to<'py>(
        &self,
        py: Python<'py>,
        shared: u32,
        stack: Vec<u32>,
        limits: Option<PyLimits>,
    ) -> PyResult<Answer<(Configuration<'py>, Vec<u32>)>> {
        require_configuration(shared, &stack)?;
        let (shared, stack) = (Shared::new(shared), ids(stack));
        py_run(py, ask(py, limits, |meter| self.core.run_to(shared, &stack, meter))?)
    }
}

/// What reaches a set of configurations.
#[pyclass(module = "tepui._core")]
pub(crate) struct PreStar {
    core: CorePreStar,
    system: Handle,
    template: usize,
}

#[pymethods]
impl PreStar {
    #[new]
    fn new(system: &System, template: usize, start: &PAutomaton) -> PyResult<Self> {
        let locked = system.lock();
        require_fit(&locked, template, &start.core)?;
        let core = CorePreStar::new(&locked.templates[template], &start.core);
        Ok(Self { core, system: Handle::clone(&system.core), template })
    }

    /// Go on towards the fixed point: "done", "paused", or the limit that stopped it.
    #[pyo3(signature = (limits=None))]
    fn advance(&mut self, py: Python<'_>, limits: Option<PyLimits>) -> PyResult<&'static str> {
        let (core, system, template) = (&mut self.core, &self.system, self.template);
        advance(py, limits, |meter| core.advance(&lock(system).templates[template], meter))
    }

    #[getter]
    fn is_complete(&self) -> bool {
        self.core.is_complete()
    }

    #[getter]
    fn transitions(&self) -> usize {
        self.core.transitions()
    }

    #[getter]
    fn bytes(&self) -> usize {
        self.core.bytes()
    }

    fn automaton(&self) -> PAutomaton {
        PAutomaton { core: self.core.automaton() }
    }

    /// A run from a configuration to the set to be reached: where it starts, and its rules.
    #[pyo3(signature = (shared, stack, limits=None))]
    fn run_from<'py>(
        &self,
        py: Python<'py>,
        shared: u32,
        stack: Vec<u32>,
        limits: Option<PyLimits>,
    ) -> PyResult<Answer<(Configuration<'py>, Vec<u32>)>> {
        require_configuration(shared, &stack)?;
        let (shared, stack) = (Shared::new(shared), ids(stack));
        py_run(py, ask(py, limits, |meter| self.core.run_from(shared, &stack, meter))?)
    }
}

/// The first number that is no symbol and no shared state of any system.
const TOO_LARGE: u32 = 1 << 31;

fn transition((from, symbol, to): PyTransition) -> PyResult<Transition> {
    let (from, to) = (node(from)?, node(to)?);
    let fits = from != Node::LAST && (symbol == EPSILON.number()) == (to == Node::LAST);
    let edge = Transition { from, symbol: Symbol::new(symbol), to };
    (fits && symbol < TOO_LARGE).then_some(edge).ok_or_else(out_of_range)
}

fn node(number: i64) -> PyResult<Node> {
    let inner = number < 0;
    let number = if inner { number.checked_neg().map(|number| number - 1) } else { Some(number) };
    let number = number.and_then(|number| u32::try_from(number).ok());
    let number = number.filter(|&number| number < TOO_LARGE).ok_or_else(out_of_range)?;
    Ok(if inner { Node::inner(number) } else { Node::shared(Shared::new(number)) })
}

fn number(node: Node) -> i64 {
    let inner = node.as_inner().map_or(0, |number| -1 - i64::from(number));
    node.as_shared().map_or(inner, |shared| i64::from(shared.number()))
}

fn require_configuration(shared: u32, stack: &[u32]) -> PyResult<()> {
    let fits = shared < TOO_LARGE && stack.iter().all(|&symbol| 0 < symbol && symbol < TOO_LARGE);
    fits.then_some(()).ok_or_else(out_of_range)
}

/// An automaton speaks of shared states and symbols of a template only.
fn require_fit(system: &CoreSystem, template: usize, automaton: &CoreAutomaton) -> PyResult<()> {
    let template: &Template = template_of(system, template)?;
    let fits = |node: Node| node.as_shared().is_none_or(|shared| shared.number() < system.shared);
    let known = |edge: &Transition| {
        fits(edge.from) && fits(edge.to) && edge.symbol.number() < template.symbols
    };
    automaton.transitions().iter().all(known).then_some(()).ok_or_else(out_of_range)
}

fn configuration(
    py: Python<'_>,
    (shared, stack): (Shared, Vec<Symbol>),
) -> PyResult<Configuration<'_>> {
    Ok((shared.number(), PyTuple::new(py, numbers(&stack))?))
}

fn py_run(
    py: Python<'_>,
    run: Result<Option<Run>, Limit>,
) -> PyResult<Answer<(Configuration<'_>, Vec<u32>)>> {
    let given = |run: Run| Ok((configuration(py, run.start)?, run.rules));
    transposed(run.map(|run| run.map(given).transpose()))
}

/// Ask something that may take long, and may end at a limit.
fn ask<T: Send>(
    py: Python<'_>,
    limits: Option<PyLimits>,
    question: impl FnOnce(&mut Meter) -> Result<T, Limit> + Send,
) -> PyResult<Result<T, Limit>> {
    let limits = PyLimits::limits(limits);
    interruptibly(py, |interrupted| question(&mut Meter::new(limits, interrupted)))
}

fn answer<T>(result: Result<Option<T>, Limit>) -> Answer<T> {
    match result {
        Ok(found) => (found, "done"),
        Err(limit) => (None, limit_word(limit)),
    }
}

fn transposed<T>(result: Result<PyResult<Option<T>>, Limit>) -> PyResult<Answer<T>> {
    match result {
        Ok(found) => Ok(answer(Ok(found?))),
        Err(limit) => Ok(answer(Err(limit))),
    }
}
