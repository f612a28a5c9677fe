//! Properties, and sets of states by their whole stacks, from the objects of `tepui.model`.

use pyo3::prelude::*;
use tepui_core::automata::determinize::Partial;
use tepui_core::automata::dfa::Dfa;
use tepui_core::engines::kernel::Wanted;
use tepui_core::property::{Pattern, Property};
use tepui_core::system::{Class, EPSILON, Shared, Symbol};
use tepui_core::whole_stacks::Reach;

use crate::system::{System, out_of_range};

/// A Property or a Reach.
#[derive(FromPyObject)]
pub(crate) enum PyWanted {
    Bad(PyProperty),
    Stacks(PyReach),
}

/// A Property without its reaches, which are asked about one by one.
#[derive(FromPyObject)]
pub(crate) struct PyProperty {
    patterns: Vec<PyPattern>,
    deadlock: bool,
}

/// None matches anything.
#[derive(FromPyObject)]
struct PyPattern {
    shared: Option<u32>,
    tops: Vec<Option<u32>>,
}

/// The shared state and the stacks of each thread, None matching anything.
#[derive(FromPyObject)]
pub(crate) struct PyReach {
    shared: Option<u32>,
    stacks: Vec<Option<PyStackSet>>,
}

/// A deterministic automaton: for each state whether it accepts, and its edges (symbol, state).
#[derive(FromPyObject)]
struct PyStackSet {
    accepting: Vec<bool>,
    edges: Vec<Vec<(u32, u32)>>,
}

impl PyWanted {
    pub(crate) fn of(self, system: &System) -> PyResult<Wanted> {
        Ok(match self {
            Self::Bad(property) => Wanted::Bad(property.of(system)?),
            Self::Stacks(reach) => Wanted::Stacks(reach.of(system)?),
        })
    }
}

impl PyProperty {
    pub(crate) fn of(self, system: &System) -> PyResult<Property> {
        let threads = system.lock().threads.len();
        let pattern = |PyPattern { shared, tops }| {
            let fits = tops.len() == threads;
            let tops = tops.into_iter().map(|top: Option<u32>| top.map(Class::new)).collect();
            let shared = shared.map(Shared::new);
            fits.then_some(Pattern { shared, tops }).ok_or_else(out_of_range)
        };
        let patterns = self.patterns.into_iter().map(pattern).collect::<PyResult<_>>()?;
        Ok(Property { patterns, deadlock: self.deadlock })
    }
}

impl PyReach {
    pub(crate) fn of(self, system: &System) -> PyResult<Reach> {
        if self.stacks.len() != system.lock().threads.len() {
            return Err(out_of_range());
        }
        let stacks = self.stacks.into_iter().map(|set| set.map(PyStackSet::dfa).transpose());
        Ok(Reach { shared: self.shared.map(Shared::new), stacks: stacks.collect::<PyResult<_>>()? })
    }
}

impl PyStackSet {
    fn dfa(self) -> PyResult<Dfa> {
        let Self { accepting, edges } = self;
        let ascend = |leaving: &Vec<(u32, u32)>| {
            leaving
                .iter()
                .all(|&(symbol, to)| symbol != EPSILON.number() && (to as usize) < accepting.len())
                && leaving.is_sorted_by(|left, right| left.0 < right.0)
        };
        if edges.len() != accepting.len() || !edges.iter().all(ascend) {
            return Err(out_of_range());
        }
        if accepting.is_empty() {
            return Ok(Dfa::default());
        }
        let edges = (0..)
            .zip(&edges)
            .flat_map(|(from, leaving)| {
                leaving.iter().map(move |&(symbol, to)| (from, Symbol::new(symbol), to))
            })
            .collect();
        Ok(Dfa::of_small(&Partial { accepting, edges }))
    }
}
