//! The Python face of tepui-core and of tepui-checker, which do not know each other: convert, call,
//! convert back. No algorithm lives here.
//!
//! Every call that may take long goes through [`interruptibly`], which releases the interpreter
//! and honours Ctrl-C.

#![allow(clippy::needless_pass_by_value)] // What Python hands over is owned.
#![allow(clippy::redundant_closure_for_method_calls)] // Without the closure, lifetimes do not fit.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use tepui_core::automata::dfa::Dfa;
use tepui_core::sets::packed_rows::{PackedRows, packed};
use tepui_core::system::Symbol;

mod automata;
mod checker;
mod engines;
mod ids;
mod limits;
mod program;
mod property;
mod system;
mod weighted;
mod z;

/// Run a kernel without holding the interpreter. The kernel asks now and then whether to stop. It
/// must stop when Python has a pending signal whose handler raises.
fn interruptibly<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&mut dyn FnMut() -> bool) -> T + Send,
) -> PyResult<T> {
    cancellably(py, || false, work)
}

/// The same, for kernels that may run in other threads.
///
/// Only the main thread gets signals. Elsewhere `cancelled` says whether to stop: a kernel there must
/// not wait for the interpreter, because the thread that holds it may wait for the kernel's system.
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

/// Rows of numbers as a list of tuples.
fn tuples(
    py: Python<'_>,
    rows: impl IntoIterator<Item = Vec<u32>>,
) -> PyResult<Vec<Bound<'_, PyTuple>>> {
    rows.into_iter().map(|row| PyTuple::new(py, row)).collect()
}

/// How many rows, how many bits each entry of a row has, and the packed rows.
type PyPackedRows<'py> = (usize, Vec<u32>, Bound<'py, PyBytes>);

/// Rows of a system with some threads, packed.
fn packed_rows<Rows: Iterator<Item = Vec<u32>>>(
    py: Python<'_>,
    threads: usize,
    rows: impl Fn() -> Rows,
) -> PyPackedRows<'_> {
    let PackedRows { count, bits, data } = packed(1 + threads, rows);
    (count, bits, PyBytes::new(py, &data))
}

/// The edges of a state of an automaton (symbol, state).
fn py_edges(edges: &[(Symbol, u32)]) -> Vec<(u32, u32)> {
    edges.iter().map(|&(symbol, to)| (symbol.number(), to)).collect()
}

/// For each state of a canonical automaton, whether it accepts, and its edges (symbol, state).
type PyDfa = Vec<(bool, Vec<(u32, u32)>)>;

fn py_dfa(dfa: &Dfa) -> PyDfa {
    (0..dfa.states()).map(|state| (dfa.is_accepting(state), py_edges(dfa.edges(state)))).collect()
}

#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::automata::{PAutomaton, PostStar, PreStar};
    #[pymodule_export]
    use crate::checker::{check_program, check_system, pairs_in_rows};
    #[pymodule_export]
    use crate::engines::{
        DelayKernel, Delayed, DiagramKernel, ExplicitKernel, Found, Kernel, Listing, PlainKernel,
        Round, Search, SymbolicKernel,
    };
    #[pymodule_export]
    use crate::limits::Cancel;
    #[pymodule_export]
    use crate::system::System;
    #[pymodule_export]
    use crate::weighted::{
        WeightedRules, WeightedSaturation, canonical_basis, independent, weight_of_set,
    };
    #[pymodule_export]
    use crate::z::{DiagramZ, ExplicitZ, ZKernel};
}
