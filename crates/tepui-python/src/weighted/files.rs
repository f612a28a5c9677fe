//! The rules of large files for Python.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tepui_core::weighted::files::pdaaal::Automaton;

use crate::interruptibly;

/// The rules of a file of the PDAAAL tool.
#[pyclass(frozen, module = "tepui._core")]
pub(crate) struct PdaaalRules {
    core: Automaton,
}

/// The numbers of states and of labels in order; rules, words and weights as bytes.
type PyWrittenOut<'py> =
    (Vec<u32>, Vec<u32>, Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

#[pymethods]
impl PdaaalRules {
    /// The rules in a text; None if they are to be read more carefully.
    #[staticmethod]
    fn read(py: Python<'_>, text: &str) -> PyResult<Option<Self>> {
        let read = interruptibly(py, |_| Automaton::read(text))?;
        Ok(read.map(|core| Self { core }))
    }

    /// Where the states begin and end in the text, in bytes.
    #[getter]
    fn place(&self) -> (usize, usize) {
        (self.core.place.start, self.core.place.end)
    }

    /// Whether states have names.
    #[getter]
    fn named(&self) -> bool {
        self.core.named
    }

    /// The names of all states.
    #[getter]
    fn states(&self) -> &[String] {
        &self.core.states
    }

    /// The numbers of the states that have an entry.
    #[getter]
    fn entries(&self) -> &[u32] {
        &self.core.entries
    }

    /// The names of all labels.
    #[getter]
    fn labels(&self) -> &[String] {
        &self.core.labels
    }

    /// How many rules there are, as they are in the file.
    #[getter]
    fn rules(&self) -> usize {
        self.core.rules()
    }

    /// The least weight; None if rules have no weights.
    #[getter]
    fn least(&self) -> Option<i64> {
        self.core.weights.iter().copied().min()
    }

    /// The rules that these stand for, with this many labels: states and labels in the order of
    /// their numbers, then what `WeightedRules` takes, and the weights, as 64-bit numbers.
    fn written_out<'py>(
        &self,
        py: Python<'py>,
        labels: u32,
    ) -> PyResult<Option<PyWrittenOut<'py>>> {
        let written = interruptibly(py, |_| self.core.written_out(labels))?;
        let Some(all) = written else { return Ok(None) };
        let rules = bytes(py, all.rules, u32::to_ne_bytes)?;
        let words = bytes(py, all.words, u32::to_ne_bytes)?;
        let weights = bytes(py, all.weights, i64::to_ne_bytes)?;
        Ok(Some((all.states, all.labels, rules, words, weights)))
    }

    /// How many rules these stand for, with this many labels.
    fn count_written(&self, labels: u32) -> Option<usize> {
        self.core.count_written(labels)
    }
}

fn bytes<T: Copy, const N: usize>(
    py: Python<'_>,
    numbers: Vec<T>,
    of_number: impl Fn(T) -> [u8; N],
) -> PyResult<Bound<'_, PyBytes>> {
    py.check_signals()?;
    PyBytes::new_with(py, N * numbers.len(), |all| {
        for (place, number) in all.chunks_exact_mut(N).zip(numbers) {
            place.copy_from_slice(&of_number(number));
        }
        Ok(())
    })
}
