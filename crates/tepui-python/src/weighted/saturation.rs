//! Saturations over any domain, behind one interface.
//!
//! Native domains are saturated without the interpreter. Those that live in it hold it all the
//! while, and look out for signals in between.

use std::sync::Arc;

use pyo3::prelude::*;
use tepui_core::limits::{Limit, Limits, Meter, Outcome};
use tepui_core::weighted::post_star::PostStar;
use tepui_core::weighted::pre_star::PreStar;
use tepui_core::weighted::pushdown::{Node, PushdownSystem};
use tepui_core::weighted::run::Run;
use tepui_core::weighted::summary::{
    Configurations, Path, Summary, TransitionId, WeightedAutomaton, summary,
};

use super::domains::Readable;
use super::{PyRun, Weighted};
use crate::cancellably;
use crate::ids;
use crate::limits::{PyLimits, RunLimits, limit_word};

/// An answer, and "done" or the limit that was reached instead.
pub(super) type Answer<T> = (Option<T>, &'static str);

/// A saturation, whatever its domain is.
pub(super) trait AnySaturation: Send + Sync {
    fn advance(&mut self, py: Python<'_>, limits: Option<PyLimits>) -> PyResult<&'static str>;
    fn transitions(&self) -> usize;
    fn bytes(&self) -> usize;
    fn automaton(&self, py: Python<'_>) -> PyResult<Weighted>;
    fn weight_of(
        &self,
        py: Python<'_>,
        set: &Configurations,
        limits: Option<PyLimits>,
    ) -> PyResult<Answer<Py<PyAny>>>;
    fn run(
        &self,
        py: Python<'_>,
        asked: (&Configurations, Option<usize>),
        limits: Option<PyLimits>,
    ) -> PyResult<Answer<PyRun>>;
}

/// A saturation with all that it needs.
pub(super) struct Saturation<D: Readable> {
    domain: D,
    system: Arc<PushdownSystem>,
    accepting: Vec<Node>,
    found: Found<D::Weight>,
}

enum Found<W> {
    Post(PostStar<W>),
    Pre(PreStar<W>),
}

impl<D: Readable> Saturation<D> {
    pub(super) fn new(
        domain: D,
        (system, weights): (Arc<PushdownSystem>, &[D::Weight]),
        set: Configurations,
        forwards: bool,
        traced: bool,
    ) -> PyResult<Self> {
        let found = if forwards {
            PostStar::new(&domain, (&system, weights), &set.transitions, traced).map(Found::Post)
        } else {
            PreStar::new(&domain, (&system, weights), &set.transitions, traced).map(Found::Pre)
        };
        let found = found.map_err(D::raised)?;
        Ok(Self { domain, system, accepting: set.accepting, found })
    }

    fn weighted_automaton(&self) -> (WeightedAutomaton<D::Weight>, Vec<TransitionId>) {
        match &self.found {
            Found::Post(found) => found.automaton(&self.system, &self.accepting),
            Found::Pre(found) => found.automaton(&self.system, &self.accepting),
        }
    }
}

impl<D: Readable> AnySaturation for Saturation<D> {
    fn advance(&mut self, py: Python<'_>, limits: Option<PyLimits>) -> PyResult<&'static str> {
        let Self { domain, system, found, .. } = self;
        let (domain, system) = (&*domain, &**system);
        let outcome = within::<D, _>(py, limits, |meter| match found {
            Found::Post(found) => found.advance(domain, system, meter),
            Found::Pre(found) => found.advance(domain, system, meter),
        })?;
        Ok(match outcome.map_err(D::raised)? {
            Outcome::Stopped(limit) => limit_word(limit),
            Outcome::Done | Outcome::Paused => "done",
        })
    }

    fn transitions(&self) -> usize {
        match &self.found {
            Found::Post(found) => found.transitions(),
            Found::Pre(found) => found.transitions(),
        }
    }

    fn bytes(&self) -> usize {
        match &self.found {
            Found::Post(found) => found.bytes(),
            Found::Pre(found) => found.bytes(),
        }
    }

    fn automaton(&self, py: Python<'_>) -> PyResult<Weighted> {
        let (automaton, _) = self.weighted_automaton();
        let transitions = automaton.configurations.transitions.iter();
        let transitions =
            transitions.map(|edge| (edge.from.number(), edge.symbol.number(), edge.to.number()));
        let transitions = transitions.collect();
        let weights = automaton.weights.iter().map(|weight| self.domain.write(py, weight));
        Ok((transitions, weights.collect::<PyResult<_>>()?))
    }

    fn weight_of(
        &self,
        py: Python<'_>,
        set: &Configurations,
        limits: Option<PyLimits>,
    ) -> PyResult<Answer<Py<PyAny>>> {
        let (automaton, _) = self.weighted_automaton();
        let asked = (&automaton, set);
        let (found, how) = summarize(py, &self.domain, self.system.states, asked, limits)?;
        Ok((found.map(|found| self.domain.write(py, &found.weight)).transpose()?, how))
    }

    fn run(
        &self,
        py: Python<'_>,
        (set, most): (&Configurations, Option<usize>),
        limits: Option<PyLimits>,
    ) -> PyResult<Answer<PyRun>> {
        let (automaton, numbers) = self.weighted_automaton();
        let (domain, states) = (&self.domain, self.system.states);
        let run = within::<D, _>(py, limits, |meter| {
            let found = summary(domain, states, &automaton, set, meter)?;
            let limits = meter.limits();
            let limits = Limits { states: most.unwrap_or(limits.states), ..limits };
            let meter = &mut meter.with(limits);
            Ok(found.and_then(|found| {
                let path = found.path.map(|path| (path.state, numbered(&path, &numbers)));
                path.map(|path| self.found.run(&self.system, path, meter)).transpose()
            }))
        })?;
        Ok(match run.map_err(D::raised)? {
            Ok(run) => (
                run.map(|run| ((run.start.0.number(), ids::numbers(&run.start.1)), run.rules)),
                "done",
            ),
            Err(limit) => (None, limit_word(limit)),
        })
    }
}

impl<W: Clone> Found<W> {
    fn run(
        &self,
        system: &PushdownSystem,
        (state, path): (Node, Vec<TransitionId>),
        meter: &mut Meter,
    ) -> Result<Run, Limit> {
        match self {
            Self::Post(found) => found.run_to(system, (state, &path), meter),
            Self::Pre(found) => found.run_from(system, (state, &path), meter),
        }
    }
}

/// The transitions of a path by their numbers in the saturation.
fn numbered(path: &Path, numbers: &[TransitionId]) -> Vec<TransitionId> {
    path.transitions.iter().map(|number| numbers[number.index()]).collect()
}

/// The weight of a set in an automaton.
pub(super) fn summarize<D: Readable>(
    py: Python<'_>,
    domain: &D,
    states: u32,
    (automaton, asked): (&WeightedAutomaton<D::Weight>, &Configurations),
    limits: Option<PyLimits>,
) -> PyResult<Answer<Summary<D::Weight>>> {
    let found =
        within::<D, _>(py, limits, |meter| summary(domain, states, automaton, asked, meter))?;
    Ok(match found.map_err(D::raised)? {
        Ok(found) => (Some(found), "done"),
        Err(limit) => (None, limit_word(limit)),
    })
}

/// Do something that may take long, with the interpreter only if the domain needs it.
fn within<D: Readable, T: Send>(
    py: Python<'_>,
    limits: Option<PyLimits>,
    work: impl FnOnce(&mut Meter) -> T + Send,
) -> PyResult<T> {
    let run = RunLimits::of(limits.as_ref());
    let limits = PyLimits::limits(limits);
    if !D::IN_PYTHON {
        return cancellably(py, run, |stop| work(&mut Meter::new(limits, stop)));
    }
    let mut raised = None;
    let mut stop = || {
        raised = py.check_signals().err();
        raised.is_some() || run.is_cancelled()
    };
    let result = work(&mut Meter::new(limits, &mut stop));
    raised.map_or(Ok(result), Err)
}
