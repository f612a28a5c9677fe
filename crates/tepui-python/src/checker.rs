//! The Python face of tepui-checker, which is trusted: convert, call, convert back.
//!
//! Nothing here knows the kernels. What cannot be converted, because a number is too large or
//! negative, is an OverflowError: then the reference decides.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt};
use tepui_checker::certificate::{Certificate, Kind, Local, Pattern, Property, check};
use tepui_checker::program::steps::{GivenFrame, GivenValue, Joined, ProgramSteps};
use tepui_checker::rows::Rows;
use tepui_checker::system::{Named, Steps, System, Template};
use tepui_checker::{Checked, Patience, Problem};

/// How a check ended, and why if the certificate was not accepted.
type Ended = (&'static str, String);

/// The families of a system, and whom its shared states name.
type Exchange = (Vec<Vec<usize>>, Vec<Named>);

/// Check a certificate of a system. Its threads may know themselves.
#[pyfunction]
pub(crate) fn check_system(
    py: Python<'_>,
    system: GivenSystem,
    exchange: Exchange,
    asked: GivenProperty,
    certificate: &Bound<'_, PyAny>,
    data: &Bound<'_, PyBytes>,
    go_on: Py<PyAny>,
) -> PyResult<Ended> {
    let given = read_certificate(certificate, data.as_bytes())?;
    let (families, named) = exchange;
    let system = system.built().map(|system| system.with_families(families, named));
    ended(py, system, &asked.built(), &given, &go_on)
}

/// Check a certificate of a program: its text and its families, and the tables of its shared states
/// and frames.
#[pyfunction]
pub(crate) fn check_program(
    py: Python<'_>,
    program: (String, Vec<Vec<usize>>),
    tables: (Bound<'_, PyAny>, Bound<'_, PyAny>),
    asked: GivenProperty,
    certificate: &Bound<'_, PyAny>,
    data: &Bound<'_, PyBytes>,
    go_on: Py<PyAny>,
) -> PyResult<Ended> {
    let given = read_certificate(certificate, data.as_bytes())?;
    let (text, families) = program;
    let program = with_tables(ProgramSteps::new(&text, families), &tables.0, &tables.1)?;
    ended(py, program, &asked.built(), &given, &go_on)
}

/// For each entry of the rows but the first, all pairs of a first entry and that one; nothing if the
/// rows are damaged.
#[pyfunction]
pub(crate) fn pairs_in_rows(
    rows: &Bound<'_, PyAny>,
    data: &Bound<'_, PyBytes>,
) -> PyResult<Vec<HashSet<(u32, u32)>>> {
    let rows = read_rows(rows, data.as_bytes())?;
    let mut found = vec![HashSet::new(); rows.bits.len().saturating_sub(1)];
    let mut row = Vec::new();
    if rows.check().is_err() {
        return Ok(Vec::new());
    }
    for number in 0..rows.count {
        if rows.read(number, &mut row).is_err() {
            return Ok(Vec::new());
        }
        for (pairs, &entry) in found.iter_mut().zip(&row[1..]) {
            pairs.insert((row[0], entry));
        }
    }
    Ok(found)
}

fn ended(
    py: Python<'_>,
    steps: Checked<impl Steps + Send>,
    asked: &Property,
    certificate: &Checked<Certificate<'_>>,
    go_on: &Py<PyAny>,
) -> PyResult<Ended> {
    let (result, raised) = py.detach(|| {
        let raised = RefCell::new(None);
        let ask = || {
            let answer = Python::attach(|py| {
                py.check_signals()?;
                go_on.call0(py)?.is_truthy(py)
            });
            answer.unwrap_or_else(|error| {
                *raised.borrow_mut() = Some(error);
                false
            })
        };
        let checked = steps.and_then(|mut steps| match certificate {
            Ok(certificate) => check(&mut steps, asked, certificate, &Patience::new(&ask)),
            Err(problem) => Err(problem.clone()),
        });
        (checked, raised.into_inner())
    });
    if let Some(error) = raised {
        return Err(error);
    }
    Ok(match result {
        Ok(()) => ("accepted", String::new()),
        Err(Problem::Rejected(reason)) => ("rejected", reason),
        Err(Problem::Undecided(reason)) => ("undecided", reason),
        Err(Problem::Stopped) => ("stopped", String::new()),
    })
}

/// A System of `tepui.model`.
#[derive(FromPyObject)]
pub(crate) struct GivenSystem {
    #[pyo3(from_py_with = length)]
    shared: u32,
    initial: u32,
    templates: Vec<GivenTemplate>,
    threads: Vec<usize>,
}

#[derive(FromPyObject)]
struct GivenTemplate {
    #[pyo3(from_py_with = length)]
    symbols: u32,
    stack: Vec<u32>,
    rules: Vec<GivenRule>,
    classes: Option<Vec<u32>>,
    idle: HashSet<(u32, u32)>,
    stuck: Option<HashMap<(u32, u32), HashSet<u32>>>,
}

#[derive(FromPyObject)]
struct GivenRule {
    source: u32,
    top: u32,
    target: u32,
    word: Vec<u32>,
}

fn length(given: &Bound<'_, PyAny>) -> PyResult<u32> {
    Ok(given.len()? as u32)
}

impl GivenSystem {
    fn built(self) -> Checked<System> {
        let templates = self.templates.into_iter().map(GivenTemplate::built).collect();
        System::new(self.shared, self.initial, templates, self.threads)
    }
}

impl GivenTemplate {
    fn built(self) -> Template {
        let rules = self.rules.into_iter();
        let stuck =
            |((shared, top), cases): (_, HashSet<u32>)| (shared, top, cases.into_iter().collect());
        Template {
            symbols: self.symbols,
            stack: self.stack,
            rules: rules.map(|rule| (rule.source, rule.top, rule.target, rule.word)).collect(),
            classes: self.classes,
            idle: self.idle.into_iter().collect(),
            stuck: self.stuck.map(|all| all.into_iter().map(stuck).collect()),
        }
    }
}

/// A Property of `tepui.model`, without its reaches.
#[derive(FromPyObject)]
pub(crate) struct GivenProperty {
    patterns: Vec<GivenPattern>,
    deadlock: bool,
}

#[derive(FromPyObject)]
struct GivenPattern {
    shared: Option<u32>,
    tops: Vec<Option<u32>>,
}

impl GivenProperty {
    fn built(self) -> Property {
        let patterns = self.patterns.into_iter();
        Property {
            patterns: patterns
                .map(|GivenPattern { shared, tops }| Pattern { shared, tops })
                .collect(),
            deadlock: self.deadlock,
        }
    }
}

/// A Certificate or an OrbitCertificate whose states are packed.
fn read_certificate<'a>(
    given: &Bound<'_, PyAny>,
    data: &'a [u8],
) -> PyResult<Checked<Certificate<'a>>> {
    let tables: Vec<Vec<(Vec<u32>, bool)>> = given.getattr("locals")?.extract()?;
    let local = |(word, more)| Local { word, more };
    let tables = tables.into_iter().map(|table| table.into_iter().map(local).collect()).collect();
    let kind = match given.getattr_opt("kind")? {
        None => Ok(Kind::Orbits),
        Some(kind) => {
            let mut below = Vec::new();
            for pairs in given.getattr("below")?.try_iter()? {
                let pairs: HashSet<(u32, u32)> = pairs?.extract()?;
                below.push(pairs.into_iter().collect());
            }
            let is_cut = kind.eq("cut")?;
            let depth = given.getattr("depth")?.extract()?;
            Kind::of_states(is_cut, depth, given.getattr("flags")?.is_truthy()?, below)
        }
    };
    let groups = given.getattr("groups")?.extract()?;
    let rows = read_rows(&given.getattr("states")?, data)?;
    Ok(kind.map(|kind| Certificate { kind, groups, tables, rows }))
}

/// What `tepui.checker.packed_rows.PackedRows` says about its data.
fn read_rows<'a>(given: &Bound<'_, PyAny>, data: &'a [u8]) -> PyResult<Rows<'a>> {
    Ok(Rows {
        count: given.getattr("length")?.extract()?,
        bits: given.getattr("bits")?.extract()?,
        first: given.getattr("first")?.extract()?,
        data,
    })
}

/// A program with the states of its tables: shared states, and frames for each type of threads.
fn with_tables(
    program: Checked<ProgramSteps>,
    shared: &Bound<'_, PyAny>,
    frames: &Bound<'_, PyAny>,
) -> PyResult<Checked<ProgramSteps>> {
    let mut program = match program {
        Ok(program) => program,
        Err(problem) => return Ok(Err(problem)),
    };
    for state in shared.try_iter()? {
        if let Err(problem) = program.add_shared(&read_values(&state?)?) {
            return Ok(Err(problem));
        }
    }
    for (kind, table) in frames.try_iter()?.enumerate() {
        for frame in table?.try_iter()? {
            if let Err(problem) = program.add_frame(kind, read_frame(&frame?)?) {
                return Ok(Err(problem));
            }
        }
    }
    Ok(Ok(program))
}

fn read_frame(given: &Bound<'_, PyAny>) -> PyResult<GivenFrame> {
    let below = given.getattr("below")?;
    let below = if below.is_none() { None } else { Some(Box::new(Joined(read_frame(&below)?))) };
    Ok((given.getattr("point")?.extract()?, read_values(&given.getattr("values")?)?, below))
}

fn read_values(given: &Bound<'_, PyAny>) -> PyResult<Vec<GivenValue>> {
    let value = |value: PyResult<Bound<'_, PyAny>>| {
        let value = value?;
        if value.is_none() {
            Ok(GivenValue::Open)
        } else if value.is_instance_of::<PyInt>() {
            let small = value.extract::<i64>().map(i128::from);
            small.or_else(|_| value.extract()).map(GivenValue::Known)
        } else {
            value.getattr("cell")?.extract().map(GivenValue::SameAs)
        }
    };
    given.try_iter()?.map(value).collect()
}
