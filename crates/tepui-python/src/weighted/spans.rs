//! Spans of vectors for Python: what `tepui.weighted.domains.linear` does, with machine words.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use tepui_core::weighted::domains::linear::{Basis, Scalars, TooLarge, Vector};

/// The canonical basis of what vectors span, over the rationals or modulo a number.
#[pyfunction]
#[pyo3(signature = (vectors, modulus=None))]
pub(crate) fn canonical_basis(
    py: Python<'_>,
    vectors: Vec<PyVector>,
    modulus: Option<u128>,
) -> PyResult<Basis> {
    let scalars = scalars(modulus)?;
    let vectors = vectors.into_iter().map(|vector| Ok(scalars.reduced(vector.0)));
    py.detach(|| scalars.canonical(vectors)).map_err(too_large)
}

/// The numbers of those vectors that the ones before them do not span, and the first entries of
/// the rows of an echelon form.
#[pyfunction]
#[pyo3(signature = (vectors, modulus=None))]
pub(crate) fn independent(
    py: Python<'_>,
    vectors: Vec<PyVector>,
    modulus: Option<u128>,
) -> PyResult<(Vec<usize>, Vector)> {
    let scalars = scalars(modulus)?;
    let vectors = vectors.into_iter().map(|vector| scalars.reduced(vector.0));
    py.detach(|| scalars.independent(vectors)).map_err(too_large)
}

/// A sequence of integers. Most of them are small, and those are read faster.
pub(crate) struct PyVector(Vector);

impl<'py> FromPyObject<'_, 'py> for PyVector {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let entry = |entry: PyResult<Bound<'py, PyAny>>| {
            let entry = entry?;
            entry.extract::<i64>().map(i128::from).or_else(|_| entry.extract())
        };
        Ok(Self(given.try_iter()?.map(entry).collect::<PyResult<_>>()?))
    }
}

fn scalars(modulus: Option<u128>) -> PyResult<Scalars> {
    match modulus {
        None => Ok(Scalars::Rationals),
        Some(modulus) if modulus <= Scalars::LARGEST_MODULUS => Ok(Scalars::Modulo(modulus)),
        Some(_) => Err(too_large(TooLarge)),
    }
}

fn too_large(_: TooLarge) -> PyErr {
    PyOverflowError::new_err("a coefficient does not fit into 64 bits")
}
