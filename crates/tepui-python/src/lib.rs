//! The Python face of tepui-core and of tepui-checker, which do not know each other: convert, call,
//! convert back. No algorithm lives here.
//!
//! Every call that may take long goes through [`interruptibly`], which releases the interpreter,
//! honours Ctrl-C, and lets single steps see what the whole run may use up.

#![allow(clippy::needless_pass_by_value)] // What Python hands over is owned.
#![allow(clippy::redundant_closure_for_method_calls)] // Without the closure, lifetimes do not fit.

use std::cell::Cell;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use tepui_core::automata::dfa::Dfa;
use tepui_core::limits::{Limit, watched};
use tepui_core::sets::packed_rows::{PackedRows, packed};
use tepui_core::system::Symbol;

use crate::limits::RunLimits;

mod automata;
mod bits;
mod checker;
mod counting;
mod engines;
mod ids;
mod limits;
mod program;
mod property;
mod system;
mod views;
mod weighted;
mod z;

/// Run a kernel without holding the interpreter. The kernel asks now and then whether to stop. It
/// must stop when Python has a pending signal whose handler raises.
fn interruptibly<T: Send>(
    py: Python<'_>,
    work: impl FnOnce(&mut dyn FnMut() -> bool) -> T + Send,
) -> PyResult<T> {
    cancellably(py, RunLimits::default(), work)
}

/// The same, for kernels that may run in other threads, under the limits of a run.
///
/// Only the main thread gets signals. Elsewhere the run says whether to stop: a kernel there must
/// not wait for the interpreter, because the thread that holds it may wait for the kernel's system.
fn cancellably<T: Send>(
    py: Python<'_>,
    run: RunLimits,
    work: impl FnOnce(&mut dyn FnMut() -> bool) -> T + Send,
) -> PyResult<T> {
    let is_main = is_main_thread(py)?;
    let raised = Arc::new(Mutex::new(None));
    let run = Arc::new(run);
    let asked = {
        let (raised, run) = (Arc::clone(&raised), Arc::clone(&run));
        move || {
            let signals = if is_main { Python::attach(|py| py.check_signals()) } else { Ok(()) };
            match signals {
                Ok(()) => run.is_cancelled(),
                Err(error) => {
                    *raised.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                    true
                }
            }
        }
    };
    let result = py.detach(|| {
        let inside = asked.clone();
        let watch = move |more| {
            if inside() { Some(Limit::Interrupted) } else { run.reached(more) }
        };
        let mut asked = asked;
        watched(Box::new(watch), || work(&mut asked))
    });
    let raised = raised.lock().unwrap_or_else(PoisonError::into_inner).take();
    raised.map_or(Ok(result), Err)
}

fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    let main = threading.call_method0("main_thread")?.getattr("ident")?;
    threading.call_method0("get_ident")?.eq(main)
}

/// Rows of numbers as a list of tuples. That can be far more than fits into the memory, so that
/// signals are let in, and other threads have their turn.
fn tuples(
    py: Python<'_>,
    rows: impl IntoIterator<Item = Vec<u32>>,
) -> PyResult<Vec<Bound<'_, PyTuple>>> {
    let mut pace = Pace::default();
    let rows = rows.into_iter().map(|row| {
        pace.count(py, row.len() + 1)?;
        PyTuple::new(py, row)
    });
    rows.collect()
}

/// Counts what is handed over to Python, and lets signals in now and then.
#[derive(Default)]
struct Pace {
    numbers: usize,
}

impl Pace {
    /// How many numbers are handed over between two looks.
    const AT_ONCE: usize = 1 << 17;

    /// This many more; an error if a signal says so.
    fn count(&mut self, py: Python<'_>, numbers: usize) -> PyResult<()> {
        self.numbers += numbers;
        if self.numbers < Self::AT_ONCE {
            return Ok(());
        }
        self.numbers = 0;
        py.detach(|| ());
        py.check_signals()
    }
}

/// How many rows, how many bits each entry of a row has, and the packed rows.
type PyPackedRows<'py> = (usize, Vec<u32>, Bound<'py, PyBytes>);

/// Rows of a system with some threads, packed. Signals are let in.
fn packed_rows<Rows: Iterator<Item = Vec<u32>>>(
    py: Python<'_>,
    threads: usize,
    rows: impl Fn() -> Rows,
) -> PyResult<PyPackedRows<'_>> {
    let raised = Cell::new(None);
    let until_raised = || {
        let mut pace = Pace::default();
        let raised = &raised;
        rows().map_while(move |row| match pace.count(py, row.len()) {
            Ok(()) => Some(row),
            Err(error) => {
                raised.set(Some(error));
                None
            }
        })
    };
    let PackedRows { count, bits, data } = packed(1 + threads, until_raised);
    match raised.take() {
        Some(error) => Err(error),
        None => Ok((count, bits, PyBytes::new(py, &data))),
    }
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
    use crate::bits::BitsSearch;
    #[pymodule_export]
    use crate::checker::{check_program, check_system, pairs_in_rows};
    #[pymodule_export]
    use crate::counting::Coverability;
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
    use crate::views::ViewSearch;
    #[pymodule_export]
    use crate::weighted::{
        PdaaalRules, WeightedRules, WeightedSaturation, canonical_basis, independent, weight_of_set,
    };
    #[pymodule_export]
    use crate::z::{DiagramZ, ExplicitZ, ZKernel};
}
