//! Domains that are Python objects: combine, extend and merge are calls of their methods, and what
//! these raise comes out as it is.

use pyo3::prelude::*;
use tepui_core::weighted::domain::Domain;

use super::domains::Readable;

/// A domain that is a Python object.
pub(super) struct PythonDomain {
    zero: Py<PyAny>,
    one: Py<PyAny>,
    combine: Py<PyAny>,
    extend: Py<PyAny>,
    merge: Option<Py<PyAny>>,
}

/// A weight that is a Python object.
pub(super) struct PythonWeight(Py<PyAny>);

impl Clone for PythonWeight {
    fn clone(&self) -> Self {
        Python::attach(|py| Self(self.0.clone_ref(py)))
    }
}

impl PythonDomain {
    pub(super) fn new(domain: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self {
            zero: domain.getattr("zero")?.unbind(),
            one: domain.getattr("one")?.unbind(),
            combine: domain.getattr("combine")?.unbind(),
            extend: domain.getattr("extend")?.unbind(),
            merge: domain.getattr_opt("merge")?.map(Bound::unbind),
        })
    }
}

impl Domain for PythonDomain {
    type Weight = PythonWeight;
    type Error = PyErr;

    fn one(&self) -> PythonWeight {
        Python::attach(|py| PythonWeight(self.one.clone_ref(py)))
    }

    fn zero(&self) -> PythonWeight {
        Python::attach(|py| PythonWeight(self.zero.clone_ref(py)))
    }

    fn is_zero(&self, weight: &PythonWeight) -> PyResult<bool> {
        Python::attach(|py| is_same(py, &weight.0, &self.zero))
    }

    fn extend(&self, first: &PythonWeight, second: &PythonWeight) -> PyResult<PythonWeight> {
        Python::attach(|py| Ok(PythonWeight(self.extend.call1(py, (&first.0, &second.0))?)))
    }

    fn combine_into(&self, into: &mut PythonWeight, weight: &PythonWeight) -> PyResult<bool> {
        Python::attach(|py| {
            let combined = self.combine.call1(py, (&into.0, &weight.0))?;
            if is_same(py, &combined, &into.0)? {
                return Ok(false);
            }
            into.0 = combined;
            Ok(true)
        })
    }

    fn merge(&self, weight: &PythonWeight) -> PyResult<PythonWeight> {
        let Some(merge) = &self.merge else { return Ok(weight.clone()) };
        Python::attach(|py| Ok(PythonWeight(merge.call1(py, (&weight.0,))?)))
    }
}

impl Readable for PythonDomain {
    const IN_PYTHON: bool = true;

    fn read(&self, weight: &Bound<'_, PyAny>) -> PyResult<PythonWeight> {
        Ok(PythonWeight(weight.clone().unbind()))
    }

    fn write(&self, py: Python<'_>, weight: &PythonWeight) -> PyResult<Py<PyAny>> {
        Ok(weight.0.clone_ref(py))
    }

    fn raised(error: PyErr) -> PyErr {
        error
    }
}

fn is_same(py: Python<'_>, left: &Py<PyAny>, right: &Py<PyAny>) -> PyResult<bool> {
    Ok(left.is(right) || left.bind(py).eq(right)?)
}
