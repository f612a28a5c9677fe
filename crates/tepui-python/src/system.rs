//! A system from Python's numbers, checked, because a kernel trusts its indices.

use std::sync::{MutexGuard, TryLockError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tepui_core::program::machine::Machine;
use tepui_core::program::{NO_VALUE, Point, Value};
use tepui_core::system::{Handle, Rule, Shared, Symbol, System as CoreSystem, Template, lock};

use crate::ids::{ids, numbers};
use crate::program::read_program;

/// A rule as (source, top, target, word).
type PyRule = (u32, u32, u32, Vec<u32>);

/// The same, for Python to take.
type TakenRule<'py> = (u32, u32, u32, Bound<'py, PyTuple>);

/// A template as (how many symbols, initial stack, rules).
type PyTemplate = (u32, Vec<u32>, Vec<PyRule>);

/// Values of variables, None for no value.
type Values = Vec<Option<Value>>;

/// A concurrent pushdown system, ready for the kernels.
#[pyclass(frozen, module = "tepui._core")]
pub(crate) struct System {
    pub(crate) core: Handle,
}

#[pymethods]
impl System {
    #[new]
    fn new(
        shared: u32,
        initial: u32,
        templates: Vec<PyTemplate>,
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
        Ok(Self {
            core: CoreSystem::new(shared, Shared::new(initial), templates, threads).into_handle(),
        })
    }

    /// The system of a program, with the fields that `tepui.kernels.program_fields` gives it, and with this
    /// many threads of each type. Its shared states, symbols and rules are numbered as they are met.
    #[staticmethod]
    fn of_program(program: Bound<'_, PyDict>, counts: Vec<u32>) -> PyResult<Self> {
        let program = read_program(&program)?;
        if counts.len() != program.threads.len() || counts.is_empty() || counts.contains(&0) {
            return Err(out_of_range());
        }
        Ok(Self { core: CoreSystem::of_program(Machine::new(program), &counts).into_handle() })
    }

    #[getter]
    fn initial(&self) -> u32 {
        self.lock().initial.number()
    }

    /// How many shared states there are, or were met.
    #[getter]
    fn shared_states(&self) -> u32 {
        self.lock().shared
    }

    #[getter]
    fn bytes(&self) -> usize {
        self.lock().bytes()
    }

    /// How many symbols of a template there are, or were met; the empty stack counts.
    fn symbols(&self, template: usize) -> PyResult<u32> {
        Ok(template_of(&self.lock(), template)?.symbols)
    }

    fn initial_stack(&self, template: usize) -> PyResult<Vec<u32>> {
        Ok(numbers(&template_of(&self.lock(), template)?.stack))
    }

    /// The values of the variables in a shared state of a program.
    fn shared_values<'py>(&self, py: Python<'py>, shared: u32) -> PyResult<Bound<'py, PyTuple>> {
        let system = self.lock();
        if shared >= system.shared {
            return Err(out_of_range());
        }
        PyTuple::new(py, py_values(&machine(&system)?.shared_values(Shared::new(shared))))
    }

    /// The point and the values of the frame on top of a symbol of a program, and the symbol to
    /// which it is joined.
    fn frame<'py>(
        &self,
        py: Python<'py>,
        template: usize,
        symbol: u32,
    ) -> PyResult<(u32, Bound<'py, PyTuple>, Option<u32>)> {
        let system = self.lock();
        if symbol == 0 || symbol >= template_of(&system, template)?.symbols {
            return Err(out_of_range());
        }
        let machine = machine(&system)?;
        let (point, values) = machine.frame(template, Symbol::new(symbol));
        let below = machine.below(template, Symbol::new(symbol)).number();
        Ok((point.number(), PyTuple::new(py, py_values(&values))?, (below != 0).then_some(below)))
    }

    /// The symbol of a frame of a program.
    fn symbol(&self, template: usize, point: u32, values: Values) -> PyResult<u32> {
        let mut system = self.lock();
        template_of(&system, template)?;
        let point = Point::new(point);
        let program = machine(&system)?.program();
        let cells = match program.location(point) {
            Some((procedure, _)) => &program.procedures[procedure as usize].cells[..],
            None => &[],
        };
        let fits = cells.len() == values.len()
            && cells.iter().zip(&values).all(|(range, value)| {
                value.is_none_or(|value| {
                    let above = i64::from(value) - i64::from(range.low);
                    (0..i64::from(range.size)).contains(&above)
                })
            });
        if !fits {
            return Err(out_of_range());
        }
        let values = values.into_iter().map(|value| value.unwrap_or(NO_VALUE)).collect();
        let symbol = system.symbol(template, &(point, values)).ok_or_else(out_of_range)?;
        Ok(symbol.number())
    }

    /// How many rules of a template there are, or were met.
    fn rule_count(&self, template: usize) -> PyResult<usize> {
        Ok(template_of(&self.lock(), template)?.rules.len())
    }

    /// The rules of a template by number, from `start` up to but not including `end`.
    fn rules<'py>(
        &self,
        py: Python<'py>,
        template: usize,
        start: usize,
        end: usize,
    ) -> PyResult<Vec<TakenRule<'py>>> {
        let system = self.lock();
        let rules = &template_of(&system, template)?.rules;
        let end = end.min(rules.len());
        let rule = |rule: &Rule| {
            let word = PyTuple::new(py, numbers(&rule.word))?;
            Ok((rule.source.number(), rule.top.number(), rule.target.number(), word))
        };
        rules.get(start..end).unwrap_or_default().iter().map(rule).collect()
    }

    /// The numbers of the rules for a shared state and a top.
    fn enabled(&self, template: usize, shared: u32, top: u32) -> PyResult<Vec<u32>> {
        let mut system = self.lock();
        if shared >= system.shared || top >= template_of(&system, template)?.symbols {
            return Err(out_of_range());
        }
        let (shared, top) = (Shared::new(shared), Symbol::new(top));
        system.meet(template, shared, top);
        Ok(system.templates[template].enabled(shared, top).to_vec())
    }
}

impl System {
    /// The system for a kernel that takes at most this many threads.
    pub(crate) fn handle_for(&self, most_threads: usize) -> PyResult<Handle> {
        let fits = self.lock().threads.len() <= most_threads;
        fits.then(|| Handle::clone(&self.core)).ok_or_else(out_of_range)
    }

    /// Work on the system. While a kernel does, others may have the interpreter.
    pub(crate) fn lock(&self) -> MutexGuard<'_, CoreSystem> {
        loop {
            match self.core.try_lock() {
                Ok(system) => return system,
                Err(TryLockError::Poisoned(system)) => return system.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    Python::attach(|py| py.detach(|| drop(lock(&self.core))));
                }
            }
        }
    }
}

/// A template by number, if there is one.
pub(crate) fn template_of(system: &CoreSystem, number: usize) -> PyResult<&Template> {
    system.templates.get(number).ok_or_else(out_of_range)
}

pub(crate) fn out_of_range() -> PyErr {
    PyValueError::new_err("a number is out of range for this system")
}

fn machine(system: &CoreSystem) -> PyResult<&Machine> {
    system.machine().ok_or_else(|| PyValueError::new_err("this system comes from no program"))
}

fn py_values(values: &[Value]) -> Values {
    values.iter().map(|&value| (value != NO_VALUE).then_some(value)).collect()
}

fn make_template(shared: u32, (symbols, stack, rules): PyTemplate) -> PyResult<Template> {
    let is_word = |word: &[u32]| word.iter().all(|&symbol| 0 < symbol && symbol < symbols);
    let is_rule =
        |rule: &PyRule| rule.0 < shared && rule.1 < symbols && rule.2 < shared && is_word(&rule.3);
    if symbols == 0 || !is_word(&stack) || !rules.iter().all(is_rule) {
        return Err(out_of_range());
    }
    let rules = rules
        .into_iter()
        .map(|(source, top, target, word)| Rule {
            source: Shared::new(source),
            top: Symbol::new(top),
            target: Shared::new(target),
            word: ids(word),
        })
        .collect();
    Ok(Template::new(symbols, ids(stack), rules))
}
