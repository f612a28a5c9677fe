//! A program from the fields that `tepui.kernels.program_fields` gives it, by the same names.

use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyString};
use tepui_core::program::budget::Budget;
use tepui_core::program::consistent::is_consistent;
use tepui_core::program::expression::{Array, Expression, Operator};
use tepui_core::program::learned::Footprint;
use tepui_core::program::{
    Action, Destination, Edge, Hidden, Location, NO_VALUE, Overflow, Place, Point, Procedure,
    Program, Range, Source, Thread, Value,
};

/// A field of a construct; the error names it.
macro_rules! field {
    ($fields:expr, $name:literal) => {
        field($fields, intern!($fields.py(), $name)).and_then(|value| {
            value.extract().map_err(|error| refused($fields.py(), $name, PyErr::from(error)))
        })
    };
}

/// A field that is read by a function.
macro_rules! read {
    ($fields:expr, $name:literal, $read:expr) => {
        field($fields, intern!($fields.py(), $name))
            .and_then(|value| $read(&value).map_err(|error| refused($fields.py(), $name, error)))
    };
}

type Fields<'py> = Bound<'py, PyDict>;

/// Read a program, and see that it fits together.
pub(crate) fn read_program(given: &Fields<'_>) -> PyResult<Program> {
    let (cells, initial) = read!(given, "cells", |cells| list(cells, cell))?.into_iter().unzip();
    let mut procedures = read!(given, "procedures", |all| list(all, procedure))?;
    let mut points = 0;
    for procedure in &mut procedures {
        procedure.first_point = Point::new(points);
        points += procedure.locations.len() as u32;
    }
    let watched: Vec<u32> = field!(given, "watched")?;
    let limits: Vec<u32> = field!(given, "limits")?;
    let program = Program {
        cells,
        initial,
        own_cells: field!(given, "own_cells")?,
        naming: field!(given, "naming")?,
        hidden: Hidden {
            halted: field!(given, "halted")?,
            full: field!(given, "full")?,
            results: field!(given, "results")?,
            holder: field!(given, "holder")?,
            lock: field!(given, "lock")?,
        },
        procedures,
        threads: read!(given, "threads", |threads| list(threads, thread))?,
        waiting: Point::new(points),
        violations: field!(given, "violations")?,
        decide_first: field!(given, "decide_first")?,
        shares: field!(given, "share")?,
        fused: field!(given, "fused")?,
        watched: watched.into_iter().map(Point::new).collect(),
        limits: limits.into_iter().map(Point::new).collect(),
        budget: Budget::default(),
        footprint: Footprint::default(),
    };
    let fits = is_consistent(&program);
    fits.then_some(program)
        .ok_or_else(|| PyValueError::new_err("the numbers of this program do not fit together"))
}

fn thread(given: &Bound<'_, PyAny>) -> PyResult<Thread> {
    let given = fields(given)?;
    let idle: Option<(u32, u32)> = field!(given, "idle")?;
    Ok(Thread {
        kind: field!(given, "type")?,
        identity: field!(given, "identity")?,
        interchangeable: field!(given, "interchangeable")?,
        procedure: field!(given, "procedure")?,
        start: field!(given, "start")?,
        created: field!(given, "created")?,
        inherited: field!(given, "inherited")?,
        idle: idle.map(|(point, cell)| (Point::new(point), cell)),
    })
}

fn procedure(given: &Bound<'_, PyAny>) -> PyResult<Procedure> {
    let given = fields(given)?;
    let (cells, initial): (Vec<Range>, _) =
        read!(given, "cells", |cells| list(cells, cell))?.into_iter().unzip();
    let width = cells.len();
    Ok(Procedure {
        first_point: Point::new(0),
        cells,
        initial,
        results: read!(given, "results", |results| list(results, |given| range(fields(given)?)))?,
        entry: field!(given, "entry")?,
        joined: field!(given, "joined")?,
        locations: read!(given, "locations", |all| list(all, |given| location(given, width)))?,
    })
}

fn location(given: &Bound<'_, PyAny>, width: usize) -> PyResult<Location> {
    let given = fields(given)?;
    let mut live = vec![false; width];
    let cells: Vec<usize> = field!(given, "live")?;
    for cell in cells {
        *live.get_mut(cell).ok_or_else(|| PyValueError::new_err("no such cell is `live`"))? = true;
    }
    let edges = read!(given, "edges", |edges| list(edges, edge))?;
    Ok(Location {
        atomic: field!(given, "atomic")?,
        passed: field!(given, "passed")?,
        passed_by_holder: field!(given, "passed_by_holder")?,
        live,
        edges,
    })
}

fn edge(given: &Bound<'_, PyAny>) -> PyResult<Edge> {
    let given = fields(given)?;
    Ok(Edge {
        guard: read!(given, "guard", expression)?,
        action: read!(given, "action", action)?,
        target: field!(given, "target")?,
    })
}

fn action(given: &Bound<'_, PyAny>) -> PyResult<Action> {
    let given = fields(given)?;
    let kind = kind(given)?;
    Ok(match kind.to_str()? {
        "step" => Action::Step(
            read!(given, "assignments", |all| list(all, |one| pair(one, destination, source)))?,
            read!(given, "constraint", expression)?,
        ),
        "call" => Action::Call {
            procedure: field!(given, "procedure")?,
            is_tail: field!(given, "is_tail")?,
            arguments: read!(given, "arguments", |all| list(all, source))?,
        },
        "receive" => Action::Receive(read!(given, "targets", |all| list(all, |target| {
            if target.is_none() { Ok(None) } else { destination(target).map(Some) }
        }))?),
        "return" => Action::Return(read!(given, "values", |all| list(all, expression))?),
        "assert" => Action::Assert(
            read!(given, "condition", expression)?,
            Point::new(field!(given, "violation")?),
        ),
        "create" => Action::Create(read!(given, "values", |all| list(all, |one| {
            pair(one, |cell| cell.extract(), expression)
        }))?),
        "end" => Action::End,
        other => return Err(unknown(other)),
    })
}

fn destination(given: &Bound<'_, PyAny>) -> PyResult<Destination> {
    let given = fields(given)?;
    let kind = kind(given)?;
    Ok(match kind.to_str()? {
        "scalar" => Destination::Scalar(place(given)?),
        "element" => Destination::Element(array(given)?, read!(given, "index", expression)?),
        other => return Err(unknown(other)),
    })
}

fn source(given: &Bound<'_, PyAny>) -> PyResult<Source> {
    if given.is_none() { Ok(Source::Later) } else { expression(given).map(Source::Now) }
}

fn expression(given: &Bound<'_, PyAny>) -> PyResult<Expression> {
    if given.is_instance_of::<PyInt>() {
        return given.extract().map(Expression::Constant);
    }
    let given = fields(given)?;
    let kind = kind(given)?;
    Ok(match kind.to_str()? {
        "scalar" => Expression::Read(place(given)?),
        "after" => Expression::ReadAfter(place(given)?),
        "element" => {
            Expression::ReadElement(array(given)?, Box::new(read!(given, "index", expression)?))
        }
        "self" => Expression::Own,
        "choice" => Expression::Choice(range(given)?),
        "not" => Expression::Not(Box::new(read!(given, "operand", expression)?)),
        "minus" => Expression::Minus(Box::new(read!(given, "operand", expression)?)),
        "complement" => Expression::Complement(Box::new(read!(given, "operand", expression)?)),
        "convert" => {
            Expression::Convert(Box::new(read!(given, "operand", expression)?), range(given)?)
        }
        "conditional" => Expression::Conditional(Box::new([
            read!(given, "condition", expression)?,
            read!(given, "then", expression)?,
            read!(given, "otherwise", expression)?,
        ])),
        other => Expression::Binary(
            operator(other)?,
            Box::new(read!(given, "left", expression)?),
            Box::new(read!(given, "right", expression)?),
        ),
    })
}

fn operator(word: &str) -> PyResult<Operator> {
    Ok(match word {
        "and" => Operator::And,
        "or" => Operator::Or,
        "implies" => Operator::Implies,
        "xor" => Operator::Xor,
        "=" => Operator::Equal,
        "!=" => Operator::NotEqual,
        "<" => Operator::Less,
        "<=" => Operator::LessOrEqual,
        ">" => Operator::Greater,
        ">=" => Operator::GreaterOrEqual,
        "+" => Operator::Add,
        "-" => Operator::Subtract,
        "*" => Operator::Multiply,
        "/" => Operator::Divide,
        "%" => Operator::Remainder,
        "&" => Operator::BitAnd,
        "|" => Operator::BitOr,
        "^" => Operator::BitXor,
        "<<" => Operator::ShiftLeft,
        ">>" => Operator::ShiftRight,
        other => return Err(unknown(other)),
    })
}

/// A scalar: what it can be, and what it starts with.
fn cell(given: &Bound<'_, PyAny>) -> PyResult<(Range, Value)> {
    let given = fields(given)?;
    let initial: Option<Value> = field!(given, "initial")?;
    Ok((range(given)?, initial.unwrap_or(NO_VALUE)))
}

fn range(given: &Fields<'_>) -> PyResult<Range> {
    let overflow: Bound<'_, PyString> = field!(given, "overflow")?;
    let overflow = match overflow.to_str()? {
        "block" => Overflow::Block,
        "wrap" => Overflow::Wrap,
        "saturate" => Overflow::Saturate,
        other => return Err(unknown(other)),
    };
    Ok(Range { low: field!(given, "low")?, size: field!(given, "size")?, overflow })
}

fn place(given: &Fields<'_>) -> PyResult<Place> {
    Ok(Place { global: field!(given, "global")?, cell: field!(given, "cell")? })
}

fn array(given: &Fields<'_>) -> PyResult<Array> {
    Ok(Array { first: place(given)?, length: field!(given, "length")? })
}

fn fields<'a, 'py>(given: &'a Bound<'py, PyAny>) -> PyResult<&'a Fields<'py>> {
    Ok(given.cast()?)
}

fn kind<'py>(given: &Fields<'py>) -> PyResult<Bound<'py, PyString>> {
    field!(given, "kind")
}

fn field<'py>(given: &Fields<'py>, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
    given.get_item(name)?.ok_or_else(|| PyValueError::new_err(format!("`{name}` is missing")))
}

fn list<T>(
    given: &Bound<'_, PyAny>,
    item: impl Fn(&Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    given.try_iter()?.map(|given| item(&given?)).collect()
}

fn pair<A, B>(
    given: &Bound<'_, PyAny>,
    first: impl Fn(&Bound<'_, PyAny>) -> PyResult<A>,
    second: impl Fn(&Bound<'_, PyAny>) -> PyResult<B>,
) -> PyResult<(A, B)> {
    Ok((first(&given.get_item(0)?)?, second(&given.get_item(1)?)?))
}

fn unknown(word: &str) -> PyErr {
    PyValueError::new_err(format!("`{word}` is no kind"))
}

/// The error of a field, with the names of the fields around it; what ends the whole command stays
/// as it is.
fn refused(py: Python<'_>, name: &str, error: PyErr) -> PyErr {
    let ends = error.is_instance_of::<PyKeyboardInterrupt>(py);
    if ends || error.is_instance_of::<PyMemoryError>(py) {
        return error;
    }
    let inner = error.value(py).to_string();
    PyValueError::new_err(format!("`{name}`: {inner}"))
}
