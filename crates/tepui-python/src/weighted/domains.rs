//! Domains of weights as Python names and writes them.

use std::convert::Infallible;

use num_bigint::BigUint;
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tepui_core::weighted::domain::Domain;
use tepui_core::weighted::domains::affine::Affine;
use tepui_core::weighted::domains::boolean::Boolean;
use tepui_core::weighted::domains::linear::{Basis, Scalars, TooLarge};
use tepui_core::weighted::domains::min_path::{INFINITE, MinPath, Overflow};
use tepui_core::weighted::domains::relations::{Relation, Relations};
use tepui_core::weighted::domains::sets::{Meet, Sets, Transformer};
use tepui_core::weighted::domains::weighted_relations::{WeightedRelation, WeightedRelations};

use super::python_domain::PythonDomain;

/// A domain whose weights Python can read and write.
pub(super) trait Readable:
    Domain<Weight: Send + Sync, Error: Send> + Send + Sync + 'static
{
    /// Whether its operations need the interpreter.
    const IN_PYTHON: bool = false;

    fn read(&self, weight: &Bound<'_, PyAny>) -> PyResult<Self::Weight>;
    fn write(&self, py: Python<'_>, weight: &Self::Weight) -> PyResult<Py<PyAny>>;

    /// The exception for an error of the domain.
    fn raised(error: Self::Error) -> PyErr;

    /// All weights of a sequence.
    fn read_all(&self, weights: &Bound<'_, PyAny>) -> PyResult<Vec<Self::Weight>> {
        weights.try_iter()?.map(|weight| self.read(&weight?)).collect()
    }
}

/// What is done with a domain, whichever it is.
pub(super) trait Visit {
    type Output;
    fn visit<D: Readable>(self, domain: D) -> PyResult<Self::Output>;
}

/// The name of a native domain, or nothing; its parameters; and the domain itself.
#[derive(FromPyObject)]
pub(crate) struct PyDomain<'py>(String, Vec<u32>, Bound<'py, PyAny>);

impl PyDomain<'_> {
    pub(super) fn visit<V: Visit>(self, visit: V) -> PyResult<V::Output> {
        match (&self.0[..], &self.1[..]) {
            ("", _) => visit.visit(PythonDomain::new(&self.2)?),
            ("boolean", _) => visit.visit(Boolean),
            ("min-path", _) => visit.visit(MinPath),
            ("relations", &[states, locals]) => visit.visit(Relations::new(states, locals)),
            ("union", &[facts]) => visit.visit(Sets::new(facts, Meet::Union)),
            ("intersection", &[facts]) => visit.visit(Sets::new(facts, Meet::Intersection)),
            ("costs", &[states, locals]) => visit.visit(WeightedRelations::new(states, locals)),
            ("affine", &[variables, locals]) => {
                let modulus: Option<u128> = self.2.getattr("modulus")?.extract()?;
                let scalars = modulus.map_or(Scalars::Rationals, Scalars::Modulo);
                visit.visit(Affine::new(scalars, variables as usize, locals as usize))
            }
            (name, _) => Err(PyValueError::new_err(format!("there is no native domain {name}"))),
        }
    }
}

impl Readable for Boolean {
    fn read(&self, weight: &Bound<'_, PyAny>) -> PyResult<bool> {
        weight.extract()
    }

    fn write(&self, py: Python<'_>, weight: &bool) -> PyResult<Py<PyAny>> {
        Ok(weight.into_pyobject(py)?.to_owned().into_any().unbind())
    }

    fn raised(error: Infallible) -> PyErr {
        match error {}
    }
}

impl Readable for MinPath {
    fn read(&self, weight: &Bound<'_, PyAny>) -> PyResult<u64> {
        match weight.extract()? {
            None => Ok(INFINITE),
            Some(INFINITE) => Err(Self::raised(Overflow)),
            Some(cost) => Ok(cost),
        }
    }

    fn write(&self, py: Python<'_>, weight: &u64) -> PyResult<Py<PyAny>> {
        let cost = (*weight != INFINITE).then_some(*weight);
        Ok(cost.into_pyobject(py)?.unbind())
    }

    fn raised(_: Overflow) -> PyErr {
        PyOverflowError::new_err("a sum of costs does not fit into 64 bits")
    }
}

impl Readable for Relations {
    fn read(&self, weight: &Bound<'_, PyAny>) -> PyResult<Relation> {
        let rows: Vec<BigUint> = weight.extract()?;
        let mut relation = Vec::with_capacity(rows.len() * self.words());
        for row in rows {
            relation.extend(words(&row, self.words()));
        }
        Ok(relation.into_boxed_slice())
    }

    fn write(&self, py: Python<'_>, weight: &Relation) -> PyResult<Py<PyAny>> {
        let rows = weight.chunks_exact(self.words()).map(|row| number(row.iter().copied()));
        Ok(PyTuple::new(py, rows.collect::<Vec<_>>())?.into_any().unbind())
    }

    fn raised(error: Infallible) -> PyErr {
        match error {}
    }
}

impl Readable for Sets {
    fn read(&self, weight: &Bound<'_, PyAny>) -> PyResult<Transformer> {
        let given: Option<(BigUint, BigUint)> = weight.extract()?;
        let count = self.one().map_or(0, |one| one.len());
        Ok(given.map(|(keep, generated)| {
            words(&keep, count).into_iter().zip(words(&generated, count)).collect()
        }))
    }

    /// A pair, which the caller makes a Transformer.
    fn write(&self, py: Python<'_>, weight: &Transformer) -> PyResult<Py<PyAny>> {
        let pair = weight.as_ref().map(|weight| {
            (number(weight.iter().map(|pair| pair.0)), number(weight.iter().map(|pair| pair.1)))
        });
        Ok(pair.into_pyobject(py)?.unbind())
    }

    fn raised(error: Infallible) -> PyErr {
        match error {}
    }
}

impl Readable for WeightedRelations {
    fn read(&self, weight: &Bound<'_, PyAny>) -> PyResult<WeightedRelation> {
        let entries: Vec<(u32, u32, Bound<'_, PyAny>)> = weight.extract()?;
        let entry = |(source, target, cost): (u32, u32, Bound<'_, PyAny>)| {
            Ok((source, target, MinPath.read(&cost)?))
        };
        Ok(self.relation(entries.into_iter().map(entry).collect::<PyResult<_>>()?))
    }

    fn write(&self, py: Python<'_>, weight: &WeightedRelation) -> PyResult<Py<PyAny>> {
        Ok(PyTuple::new(py, weight.iter().copied())?.into_any().unbind())
    }

    fn raised(error: Overflow) -> PyErr {
        MinPath::raised(error)
    }
}

impl Readable for Affine {
    fn read(&self, weight: &Bound<'_, PyAny>) -> PyResult<Basis> {
        weight.extract()
    }

    fn write(&self, py: Python<'_>, weight: &Basis) -> PyResult<Py<PyAny>> {
        let rows: PyResult<Vec<_>> = weight.iter().map(|row| PyTuple::new(py, row)).collect();
        Ok(PyTuple::new(py, rows?)?.into_any().unbind())
    }

    fn raised(_: TooLarge) -> PyErr {
        PyOverflowError::new_err("a coefficient does not fit into 64 bits")
    }
}

/// The lowest bits of a number, in this many words.
fn words(number: &BigUint, count: usize) -> Vec<u64> {
    let mut words = number.to_u64_digits();
    words.resize(count, 0);
    words
}

/// The number with these bits.
fn number(words: impl Iterator<Item = u64>) -> BigUint {
    BigUint::new(words.flat_map(|word| [word as u32, (word >> 32) as u32]).collect())
}
