//! The Python face of tepui-core: convert, call, convert back. No algorithm lives here.
//!
//! Every call that may take long goes through [`interruptibly`], which releases the interpreter
//! and honours Ctrl-C.

#![allow(clippy::needless_pass_by_value)] // What Python hands over is owned.
#![allow(clippy::redundant_closure_for_method_calls)] // Without the closure, lifetimes do not fit.

use std::ops::Range;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tepui_core::explicit::Context;

mod automata;
mod cut;
mod delay;
mod diagram;
mod explicit;
mod limits;
mod property;
mod reach;
mod symbolic;
mod system;
mod weighted;

/// Run a kernel without holding the interpreter. The kernel asks now and then whether to stop,
/// and is told so when Python has a pending signal whose handler raises.
///
fn interruptibly<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&mut dyn FnMut() -> bool) -> T + Send,
) -> PyResult<T> {
    cancellably(py, || false, work)
}

/// The same, for kernels that may run in other threads.
///
/// Only the main thread gets signals; elsewhere `cancelled` says whether to stop. There a kernel must
/// not wait for the interpreter, or it could do so while whoever holds that waits for its system.
fn cancellably<T: Send>(
    py: Python<'_>,
    cancelled: impl Fn() -> bool + Send + Sync,
    work: impl FnOnce(&mut dyn FnMut() -> bool) -> T + Send,
) -> PyResult<T> {
    if !is_main_thread(py)? {
        return Ok(py.detach(|| work(&mut || cancelled())));
    }
    let mut raised = None;
    let result = py.detach(|| {
        work(&mut || match Python::attach(|py| py.check_signals()) {
            Ok(()) => false,
            Err(error) => {
                raised = Some(error);
                true
            }
        })
    });
    raised.map_or(Ok(result), Err)
}

fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    let main = threading.call_method0("main_thread")?.getattr("ident")?;
    threading.call_method0("get_ident")?.eq(main)
}

/// Some rows by number as a list of tuples.
fn rows(
    py: Python<'_>,
    numbers: Range<usize>,
    row: impl Fn(u32) -> Vec<u32>,
) -> PyResult<Vec<Bound<'_, PyTuple>>> {
    tuples(py, numbers.map(|number| row(number as u32)))
}

/// Rows of numbers as a list of tuples.
fn tuples(
    py: Python<'_>,
    rows: impl IntoIterator<Item = Vec<u32>>,
) -> PyResult<Vec<Bound<'_, PyTuple>>> {
    rows.into_iter().map(|row| PyTuple::new(py, row)).collect()
}

/// For each context of a trace, the thread and the numbers of the rules.
type GivenContexts = Vec<(u32, Vec<u32>)>;

fn given_contexts(contexts: Vec<Context>) -> GivenContexts {
    contexts.into_iter().map(|context| (context.thread, context.rules)).collect()
}

#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::automata::{Languages, PAutomaton, PostStar, PreStar};
    #[pymodule_export]
    use crate::cut::Cut;
    #[pymodule_export]
    use crate::delay::Delays;
    #[pymodule_export]
    use crate::diagram::{CutDiagrams, Diagrams};
    #[pymodule_export]
    use crate::explicit::Explorer;
    #[pymodule_export]
    use crate::limits::Cancel;
    #[pymodule_export]
    use crate::symbolic::Symbolic;
    #[pymodule_export]
    use crate::system::System;
    #[pymodule_export]
    use crate::weighted::{
        WeightedRules, WeightedSaturation, canonical_basis, independent, weight_of_set,
    };
}
