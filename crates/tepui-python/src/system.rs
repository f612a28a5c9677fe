//! A system from Python's numbers, checked, because a kernel trusts its indices.

use std::sync::{MutexGuard, TryLockError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use tepui_core::program::budget::{CutShort, Wide};
use tepui_core::program::machine::Machine;
use tepui_core::program::unknown::{same_as, same_cell};
use tepui_core::program::{NO_VALUE, Point, Value};
use tepui_core::system::{Handle, Rule, Shared, Symbol, System as CoreSystem, Template, lock};

use crate::ids::{ids, numbers};
use crate::interruptibly;
use crate::limits::at_limit;
use crate::program::read_program;

/// A rule as (source, top, target, word).
type PyRule = (u32, u32, u32, Vec<u32>);

/// The same, for Python to take.
type TakenRule<'py> = (u32, u32, u32, Bound<'py, PyTuple>);

/// A template as (how many symbols, initial stack, rules).
type PyTemplate = (u32, Vec<u32>, Vec<PyRule>);

/// A value of a variable, or an earlier cell that has the same value.
#[derive(Clone, Copy, FromPyObject)]
enum PyValue {
    Known(Value),
    SameAs((u32,)),
}

/// Values of variables, None for no value.
type Values = Vec<Option<PyValue>>;

/// A concurrent pushdown system, ready for the kernels.
#[pyclass(frozen, module = "tepui._core")]
pub(crate) struct System {
    pub(crate) core: Handle,
    /// Makes the error about a step with too many outcomes.
    too_wide: Option<Py<PyAny>>,
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
        let core = CoreSystem::new(shared, Shared::new(initial), templates, threads).into_handle();
        Ok(Self { core, too_wide: None })
    }

    /// The system of a program, with the fields that `tepui.kernels.program_fields` gives it, and with this
    /// many threads of each type. Its shared states, symbols and rules are numbered as they are met.
    ///
    /// `too_wide` makes an error of a point, a variable and the number of its values. It is raised
    /// by every call that needs the rules of a step with too many outcomes, and all that follow. The
    /// variable is (whether it is global, the number of its cell), or None.
    #[staticmethod]
    fn of_program(
        program: Bound<'_, PyDict>,
        counts: Vec<u32>,
        too_wide: Py<PyAny>,
    ) -> PyResult<Self> {
        let program = read_program(&program)?;
        if counts.len() != program.threads.len() || counts.is_empty() || counts.contains(&0) {
            return Err(out_of_range());
        }
        let core = CoreSystem::of_program(Machine::new(program), &counts).into_handle();
        Ok(Self { core, too_wide: Some(too_wide) })
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
        py_values(py, &machine(&system)?.shared_values(Shared::new(shared)))
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
        Ok((point.number(), py_values(py, &values)?, (below != 0).then_some(below)))
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
        let fits = |cell: usize| match values[cell] {
            None => true,
            Some(PyValue::Known(value)) => cells[cell].contains(value),
            Some(PyValue::SameAs((earlier,))) => {
                let first = earlier as usize;
                program.shares
                    && first < cell
                    && values[first].is_none()
                    && cells[first].has_values_of(cells[cell])
            }
        };
        if cells.len() != values.len() || !(0..cells.len()).all(fits) {
            return Err(out_of_range());
        }
        let values = values.into_iter().map(|value| match value {
            None => NO_VALUE,
            Some(PyValue::Known(value)) => value,
            Some(PyValue::SameAs((earlier,))) => same_as(earlier),
        });
        let values = values.collect();
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

    /// Forget what was met since a step was cut short at a limit that is gone. Return whether there
    /// was one: then what ran meanwhile must not be used.
    fn forget_limit(&self) -> bool {
        self.lock().forget_limit()
    }

    /// The numbers of the rules for a shared state and a top.
    fn enabled(
        &self,
        py: Python<'_>,
        template: usize,
        shared: u32,
        top: u32,
    ) -> PyResult<Vec<u32>> {
        let system = self.lock();
        if shared >= system.shared || top >= template_of(&system, template)?.symbols {
            return Err(out_of_range());
        }
        drop(system);
        let (shared, top) = (Shared::new(shared), Symbol::new(top));
        let enabled = interruptibly(py, |_| {
            let mut system = self.lock();
            system.meet(template, shared, top);
            system.templates[template].enabled(shared, top).to_vec()
        })?;
        self.require_all_rules(py)?;
        Ok(enabled)
    }
}

impl System {
    /// An error if rules are missing, because some step had too many outcomes or took too long. Every
    /// call that may have met new rules ends with this question.
    pub(crate) fn require_all_rules(&self, py: Python<'_>) -> PyResult<()> {
        match (self.lock().cut_short(), &self.too_wide) {
            (None, _) | (Some(CutShort::Wide(_)), None) => Ok(()),
            (Some(CutShort::AtLimit(limit)), _) => Err(at_limit(limit)),
            (Some(CutShort::Wide(Wide { point, place, values })), Some(too_wide)) => {
                let place = place.map(|place| (place.global, place.cell));
                let error = too_wide.bind(py).call1((point.number(), place, values))?;
                Err(PyErr::from_value(error))
            }
        }
    }

    /// An error if steps were cut short at a limit.
    pub(crate) fn require_no_limit(&self) -> PyResult<()> {
        match self.lock().cut_short() {
            Some(CutShort::AtLimit(limit)) => Err(at_limit(limit)),
            _ => Ok(()),
        }
    }

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

fn py_values<'py>(py: Python<'py>, values: &[Value]) -> PyResult<Bound<'py, PyTuple>> {
    let py_value = |&value: &Value| match i64::try_from(value) {
        Ok(small) => Ok(small.into_pyobject(py)?.into_any()),
        Err(_) if value == NO_VALUE => Ok(py.None().into_bound(py)),
        Err(_) => match same_cell(value) {
            Some(earlier) => Ok((earlier,).into_pyobject(py)?.into_any()),
            None => Ok(value.into_pyobject(py)?.into_any()),
        },
    };
    PyTuple::new(py, values.iter().map(py_value).collect::<PyResult<Vec<_>>>()?)
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
