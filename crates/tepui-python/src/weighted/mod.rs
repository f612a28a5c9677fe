//! Weighted saturation for Python.
//!
//! A node is a number: the states come first, then what the kernel puts between the symbols that
//! rules write, then the inner nodes of sets. A symbol is a number, and [`EPSILON`] reads nothing.
//! Rules are handed over once, as numbers one after another; so are weights, each as the domain
//! writes it.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tepui_core::weighted::pushdown::{EPSILON, NONE, Node, PushdownSystem, Rule, Symbol};
use tepui_core::weighted::summary::{Configurations, Direction, Transition, WeightedAutomaton};

use crate::ids::ids;
use crate::limits::PyLimits;

mod domains;
mod files;
mod python_domain;
mod saturation;
mod spans;

use domains::{PyDomain, Visit};
pub(crate) use files::PdaaalRules;
use saturation::{Answer, AnySaturation, Saturation, summarize};
pub(crate) use spans::{canonical_basis, independent};

/// A set of configurations: transitions (from, symbol, to), and accepting nodes.
type PyConfigurations = (Vec<(u32, u32, u32)>, Vec<u32>);

/// Transitions and their weights.
type Weighted = (Vec<(u32, u32, u32)>, Vec<Py<PyAny>>);

/// A run: where it starts, and its rules.
type PyRun = ((u32, Vec<u32>), Vec<u32>);

/// The rules of a weighted pushdown system, without their weights.
#[pyclass(frozen, module = "tepui._core")]
pub(crate) struct WeightedRules {
    core: Arc<PushdownSystem>,
}

#[pymethods]
impl WeightedRules {
    /// For each rule: (source, top, target, length of its word, 1 if it merges), one after another,
    /// and the words, one after another; all as the bytes of an array of 32-bit numbers.
    #[new]
    fn new(states: u32, symbols: u32, rules: &[u8], words: &[u8]) -> PyResult<Self> {
        let (rules, words) = (numbers(rules), ids(numbers(words)));
        let given = read_rules(states, symbols, &rules, &words)?;
        Ok(Self { core: Arc::new(PushdownSystem::new(states, symbols, &given)) })
    }

    /// The first number that is free for inner nodes of sets.
    #[getter]
    fn nodes(&self) -> u32 {
        self.core.nodes()
    }

    #[getter]
    fn bytes(&self) -> usize {
        self.core.bytes()
    }
}

/// Weighted post* or pre* of one system from one set.
#[pyclass(module = "tepui._core")]
pub(crate) struct WeightedSaturation {
    kernel: Box<dyn AnySaturation>,
}

#[pymethods]
impl WeightedSaturation {
    /// `forwards` for post*, else pre*. Reasons for weights are kept if it is traced.
    #[new]
    fn new(
        rules: &WeightedRules,
        domain: PyDomain<'_>,
        weights: Bound<'_, PyAny>,
        start: PyConfigurations,
        forwards: bool,
        traced: bool,
    ) -> PyResult<Self> {
        let set = configurations(start);
        require_inner(&rules.core, &set)?;
        let system = Arc::clone(&rules.core);
        let kernel = domain.visit(NewSaturation { system, weights, set, forwards, traced })?;
        Ok(Self { kernel })
    }

    /// Go on towards the fixed point: "done", or the limit that stopped it.
    #[pyo3(signature = (limits=None))]
    fn advance(&mut self, py: Python<'_>, limits: Option<PyLimits>) -> PyResult<&'static str> {
        self.kernel.advance(py, limits)
    }

    #[getter]
    fn transitions(&self) -> usize {
        self.kernel.transitions()
    }

    #[getter]
    fn bytes(&self) -> usize {
        self.kernel.bytes()
    }

    /// The transitions of the result, and their weights.
    fn automaton(&self, py: Python<'_>) -> PyResult<Weighted> {
        self.kernel.automaton(py)
    }

    /// The weight of a set of configurations in the result.
    #[pyo3(signature = (asked, limits=None))]
    fn weight_of(
        &self,
        py: Python<'_>,
        asked: PyConfigurations,
        limits: Option<PyLimits>,
    ) -> PyResult<Answer<Py<PyAny>>> {
        self.kernel.weight_of(py, &configurations(asked), limits)
    }

    /// A run that makes the weight of a set, if the saturation is traced. If it takes more than
    /// `most` rules, the limit is "states".
    #[pyo3(signature = (asked, most=None, limits=None))]
    fn run(
        &self,
        py: Python<'_>,
        asked: PyConfigurations,
        most: Option<usize>,
        limits: Option<PyLimits>,
    ) -> PyResult<Answer<PyRun>> {
        self.kernel.run(py, (&configurations(asked), most), limits)
    }
}

/// The weight of a set of configurations in any weighted automaton, given as a set, the weights of
/// its transitions, and whether they are extended along paths.
#[pyfunction]
#[pyo3(signature = (domain, states, automaton, asked, limits=None))]
pub(crate) fn weight_of_set(
    py: Python<'_>,
    domain: PyDomain<'_>,
    states: u32,
    automaton: (PyConfigurations, Bound<'_, PyAny>, bool),
    asked: PyConfigurations,
    limits: Option<PyLimits>,
) -> PyResult<Answer<Py<PyAny>>> {
    let (set, weights, forward) = automaton;
    let (set, asked) = (configurations(set), configurations(asked));
    domain.visit(NewSummary { py, states, set, weights, forward, asked, limits })
}

struct NewSaturation<'py> {
    system: Arc<PushdownSystem>,
    weights: Bound<'py, PyAny>,
    set: Configurations,
    forwards: bool,
    traced: bool,
}

impl Visit for NewSaturation<'_> {
    type Output = Box<dyn AnySaturation>;

    fn visit<D: domains::Readable>(self, domain: D) -> PyResult<Box<dyn AnySaturation>> {
        let weights = domain.read_all(&self.weights)?;
        if weights.len() != self.system.rules.len() {
            return Err(PyValueError::new_err("each rule has one weight"));
        }
        let given = (self.system, &weights[..]);
        Ok(Box::new(Saturation::new(domain, given, self.set, self.forwards, self.traced)?))
    }
}

struct NewSummary<'py> {
    py: Python<'py>,
    states: u32,
    set: Configurations,
    weights: Bound<'py, PyAny>,
    forward: bool,
    asked: Configurations,
    limits: Option<PyLimits>,
}

impl Visit for NewSummary<'_> {
    type Output = Answer<Py<PyAny>>;

    fn visit<D: domains::Readable>(self, domain: D) -> PyResult<Self::Output> {
        let weights = domain.read_all(&self.weights)?;
        if weights.len() != self.set.transitions.len() {
            return Err(PyValueError::new_err("each transition has one weight"));
        }
        let direction = if self.forward { Direction::Forward } else { Direction::Backward };
        let automaton = WeightedAutomaton { configurations: self.set, weights, direction };
        let (found, how) =
            summarize(self.py, &domain, self.states, (&automaton, &self.asked), self.limits)?;
        Ok((found.map(|found| domain.write(self.py, &found.weight)).transpose()?, how))
    }
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    let number = |four: &[u8]| u32::from_ne_bytes(four.try_into().expect("four bytes"));
    bytes.chunks_exact(4).map(number).collect()
}

fn read_rules<'a>(
    states: u32,
    symbols: u32,
    rules: &[u32],
    words: &'a [Symbol],
) -> PyResult<Vec<Rule<'a>>> {
    let mut rest = words;
    let mut given = Vec::with_capacity(rules.len() / 5);
    for rule in rules.chunks_exact(5) {
        let length = (rule[3] as usize).min(rest.len());
        let (word, after) = rest.split_at(length);
        rest = after;
        let known = rule[0] < states && rule[2] < states && rule[1] < symbols;
        let fits = word.len() == rule[3] as usize && (rule[4] == 0 || word.len() == 2);
        if !known || !fits || word.iter().any(|symbol| symbol.number() >= symbols) {
            return Err(out_of_range());
        }
        let (source, target) = (Node::new(rule[0]), Node::new(rule[2]));
        let top = Symbol::new(rule[1]);
        given.push(Rule { source, top, target, word, merges: rule[4] != 0 });
    }
    let fits = rules.len().is_multiple_of(5) && rest.is_empty() && symbols < EPSILON.number();
    fits.then_some(given).ok_or_else(out_of_range)
}

fn configurations((transitions, accepting): PyConfigurations) -> Configurations {
    let transition = |(from, symbol, to)| Transition {
        from: Node::new(from),
        symbol: Symbol::new(symbol),
        to: Node::new(to),
    };
    let transitions = transitions.into_iter().map(transition).collect();
    Configurations { transitions, accepting: ids(accepting) }
}

/// Saturation relies on it that transitions lead to inner nodes only, and on there being no ε.
fn require_inner(system: &PushdownSystem, set: &Configurations) -> PyResult<()> {
    let is_free = |node: Node| (system.nodes()..NONE - 1).contains(&node.number());
    let is_fit = |edge: &Transition| {
        is_free(edge.to)
            && (system.is_state(edge.from) || is_free(edge.from))
            && edge.symbol.number() < system.symbols
    };
    set.transitions.iter().all(is_fit).then_some(()).ok_or_else(out_of_range)
}

fn out_of_range() -> PyErr {
    PyValueError::new_err("a number is out of range")
}
