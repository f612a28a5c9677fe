//! A question about whole stacks from Python's sets of them.

use pyo3::prelude::*;
use tepui_core::automata::determinize::Partial;
use tepui_core::automata::dfa::Dfa;
use tepui_core::reach::Reach;
use tepui_core::system::{EPSILON, System};

use crate::system::out_of_range;

/// Of a deterministic automaton, for each state whether it accepts, and its edges (symbol, state).
type GivenStackSet = (Vec<bool>, Vec<Vec<(u32, u32)>>);

/// The shared state and the stacks of each thread, None matching anything.
pub(crate) type GivenReach = (Option<u32>, Vec<Option<GivenStackSet>>);

pub(crate) fn reach(system: &System, (shared, stacks): GivenReach) -> PyResult<Reach> {
    if stacks.len() != system.threads.len() {
        return Err(out_of_range());
    }
    let stacks = stacks.into_iter().map(|set| set.map(stack_set).transpose());
    Ok(Reach { shared, stacks: stacks.collect::<PyResult<_>>()? })
}

fn stack_set((accepting, edges): GivenStackSet) -> PyResult<Dfa> {
    let ascend = |leaving: &Vec<(u32, u32)>| {
        leaving.iter().all(|&(symbol, to)| symbol != EPSILON && (to as usize) < accepting.len())
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
        .flat_map(|(from, leaving)| leaving.iter().map(move |&(symbol, to)| (from, symbol, to)));
    let edges = edges.collect();
    Ok(Dfa::new(&Partial { accepting, edges }, 0))
}
