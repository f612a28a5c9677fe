//! Z for Python: what both kernels of Z have is written once, around any [`CoreZKernel`].

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread::sleep;
use std::time::Duration;

use num_bigint::BigUint;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tepui_core::sets::diagram::export::Exported;
use tepui_core::system::{Handle, System as CoreSystem};
use tepui_core::z::diagram::DiagramZ as CoreDiagramZ;
use tepui_core::z::explicit::ExplicitZ as CoreExplicitZ;
use tepui_core::z::kernel::{Emergence, EmergenceTable, ZKernel as CoreZKernel};

use crate::engines::{DelayKernel, PyDiagram};
use crate::ids::{ids, number_pairs, numbers};
use crate::interruptibly;
use crate::limits::{PyLimits, advance, within};
use crate::property::{PyProperty, PyReach};
use crate::system::{System, out_of_range, template_of};
use crate::{PyPackedRows, packed_rows, tuples};

/// One overapproximation of the reachable visible states. Several threads may ask it at once; they
/// wait for each other.
#[pyclass(module = "tepui._core", frozen, subclass)]
pub(crate) struct ZKernel {
    core: Mutex<Box<dyn CoreZKernel>>,
    system: Py<System>,
}

#[pymethods]
impl ZKernel {
    /// Go on towards the fixed point: "done", "paused", or the limit that stopped it.
    #[pyo3(signature = (limits=None))]
    fn advance(&self, py: Python<'_>, limits: Option<PyLimits>) -> PyResult<&'static str> {
        let core = &mut *self.core(py)?;
        let ended = advance(py, limits, |meter| core.advance(meter))?;
        self.system.get().require_all_rules(py)?;
        Ok(ended)
    }

    #[getter]
    fn is_complete(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.core(py)?.is_complete())
    }

    #[getter]
    fn is_exact(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.core(py)?.is_exact())
    }

    #[getter]
    fn states(&self, py: Python<'_>) -> PyResult<BigUint> {
        Ok(self.core(py)?.states())
    }

    #[getter]
    fn visible(&self, py: Python<'_>) -> PyResult<BigUint> {
        Ok(self.core(py)?.visible())
    }

    #[getter]
    fn real_visible(&self, py: Python<'_>) -> PyResult<BigUint> {
        Ok(self.core(py)?.real_visible())
    }

    /// How much was done, in states or operations.
    #[getter]
    fn work(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.core(py)?.work())
    }

    #[getter]
    fn bytes(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.core(py)?.bytes())
    }

    /// How many states, or nodes, a certificate has.
    #[getter]
    fn certificate_size(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.core(py)?.certificate_size())
    }

    /// A bad visible state; TimeoutError at the limit.
    #[pyo3(signature = (bad, limits=None))]
    fn find_bad<'py>(
        &self,
        py: Python<'py>,
        bad: PyProperty,
        limits: Option<PyLimits>,
    ) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let property = bad.of(self.system.get())?;
        let core = &mut *self.core(py)?;
        let bad = within(py, limits, |meter| core.find_bad(&property, meter))?;
        self.system.get().require_all_rules(py)?;
        bad.map(|row| PyTuple::new(py, row)).transpose()
    }

    /// Whether some state may stand for one that is asked for by its stacks; TimeoutError at the
    /// limit.
    #[pyo3(signature = (asked, limits=None))]
    fn has_reaching(
        &self,
        py: Python<'_>,
        asked: PyReach,
        limits: Option<PyLimits>,
    ) -> PyResult<bool> {
        let asked = asked.of(self.system.get())?;
        let core = &*self.core(py)?;
        let reaches = within(py, limits, |meter| core.has_reaching(&asked, meter))?;
        self.system.get().require_all_rules(py)?;
        Ok(reaches)
    }

    /// The visible states.
    fn visible_rows<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        tuples(py, self.core(py)?.visible_rows())
    }

    /// For each template, the points that its threads reach, those inside atomic sections too.
    fn points(&self, py: Python<'_>) -> PyResult<Vec<Vec<u32>>> {
        let core = &mut *self.core(py)?;
        let found = interruptibly(py, |_| core.points())?;
        self.system.get().require_no_limit()?;
        Ok(found.iter().map(|points| numbers(points)).collect())
    }

    /// The shared states and tops that the threads of a template show together.
    fn thread_visible(&self, py: Python<'_>, template: usize) -> PyResult<Vec<(u32, u32)>> {
        template_of(&self.system.get().lock(), template)?;
        let core = &mut *self.core(py)?;
        Ok(number_pairs(interruptibly(py, |_| core.thread_visible(template))?))
    }

    /// The local states of a template: the symbols kept, and whether there are more below.
    fn local_states<'py>(
        &self,
        py: Python<'py>,
        template: usize,
    ) -> PyResult<Vec<(Bound<'py, PyTuple>, bool)>> {
        let core = self.core(py)?;
        let locals = core.locals().get(template).ok_or_else(out_of_range)?;
        locals.words().map(|(kept, more)| Ok((PyTuple::new(py, numbers(kept))?, more))).collect()
    }

    /// The relation *below* of a template.
    fn below(&self, py: Python<'_>, template: usize) -> PyResult<Vec<(u32, u32)>> {
        let core = self.core(py)?;
        let locals = core.locals().get(template).ok_or_else(out_of_range)?;
        Ok(number_pairs(locals.below()))
    }
}

impl ZKernel {
    fn new(system: Py<System>, core: impl CoreZKernel) -> PyClassInitializer<Self> {
        PyClassInitializer::from(Self { core: Mutex::new(Box::new(core)), system })
    }

    /// Work with it. While one thread does, others may have the interpreter, and be interrupted.
    fn core(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, Box<dyn CoreZKernel>>> {
        loop {
            match self.core.try_lock() {
                Ok(core) => return Ok(core),
                Err(TryLockError::Poisoned(core)) => return Ok(core.into_inner()),
                Err(TryLockError::WouldBlock) => {
                    py.check_signals()?;
                    py.detach(|| sleep(Duration::from_millis(1)));
                }
            }
        }
    }

    /// Ask the computation that a class was made with.
    fn ask<Z: CoreZKernel, T>(
        &self,
        py: Python<'_>,
        question: impl FnOnce(&Z) -> T,
    ) -> PyResult<T> {
        let core = self.core(py)?;
        let core: &dyn Any = &**core;
        Ok(question(core.downcast_ref().expect("the computation of this class")))
    }
}

/// A Z state by state.
#[pyclass(module = "tepui._core", frozen, extends = ZKernel)]
pub(crate) struct ExplicitZ;

#[pymethods]
impl ExplicitZ {
    /// With `table`: for each template sets of symbols, 0 for the empty stack, and for each class of
    /// symbols, which set may emerge when one is popped. Without: matched, keeping `depth` symbols of each stack. With
    /// `reached`: beginning with all that the delay engine has reached, without symmetry.
    #[new]
    #[pyo3(signature = (system, *, symmetry, depth, table=None, reached=None))]
    fn new(
        py: Python<'_>,
        system: Py<System>,
        symmetry: bool,
        depth: usize,
        table: Option<Vec<GivenTable>>,
        reached: Option<Bound<'_, DelayKernel>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let handle = Handle::clone(&system.get().core);
        let emergence = emergence(system.get(), depth, table)?;
        let core = if let Some(delays) = reached {
            let kernel = delays.as_super().as_super().try_borrow()?;
            let reached = kernel.reached();
            interruptibly(py, |_| CoreExplicitZ::of_reached(&handle, &emergence, reached))?
        } else {
            py.detach(|| CoreExplicitZ::new(&handle, symmetry, &emergence))
        };
        Ok(ZKernel::new(system, core).add_subclass(Self))
    }

    /// States by number, from `start` up to but not including `end`.
    fn state_rows<'py>(
        slf: &Bound<'py, Self>,
        start: usize,
        end: usize,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let py = slf.py();
        slf.as_super().get().ask(py, |z: &CoreExplicitZ| tuples(py, z.state_rows(start, end)))?
    }

    /// The first states, up to but not including `end`, packed.
    fn packed_rows<'py>(slf: &Bound<'py, Self>, end: usize) -> PyResult<PyPackedRows<'py>> {
        let (py, kernel) = (slf.py(), slf.as_super().get());
        let threads = kernel.system.get().lock().threads.len();
        kernel.ask(py, |z: &CoreExplicitZ| packed_rows(py, threads, || z.state_rows(0, end)))?
    }
}

/// A Z as a decision diagram.
#[pyclass(module = "tepui._core", frozen, extends = ZKernel)]
pub(crate) struct DiagramZ;

#[pymethods]
impl DiagramZ {
    /// As [`ExplicitZ::new`].
    #[new]
    #[pyo3(signature = (system, *, depth, table=None))]
    fn new(
        system: Py<System>,
        depth: usize,
        table: Option<Vec<GivenTable>>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let emergence = emergence(system.get(), depth, table)?;
        let core = CoreDiagramZ::new(&system.get().core, &emergence);
        Ok(ZKernel::new(system, core).add_subclass(Self))
    }

    /// The thread of each level.
    #[getter]
    fn order(slf: &Bound<'_, Self>) -> PyResult<Vec<u32>> {
        slf.as_super().get().ask(slf.py(), CoreDiagramZ::order)
    }

    /// Z as a diagram, with the labels of each template as sets of its local states.
    fn diagram(slf: &Bound<'_, Self>) -> PyResult<PyDiagram<Vec<Vec<u32>>>> {
        slf.as_super().get().ask(slf.py(), |z: &CoreDiagramZ| {
            let Exported { nodes, ends, labels } = z.export();
            let labels = labels.iter().enumerate();
            let members = labels.map(|(template, labels)| z.locals_of(template, labels));
            let members = members.map(|sets| sets.iter().map(|set| numbers(set)).collect());
            (nodes, ends.iter().map(|set| numbers(set)).collect(), members.collect())
        })
    }
}

/// What may emerge: sets of symbols, and for each class of symbols the number of its set.
type GivenTable = (Vec<Vec<u32>>, Vec<u32>);

/// How Z knows what a pop can bring up: from a table, or else matched, keeping `depth` symbols.
fn emergence(system: &System, depth: usize, table: Option<Vec<GivenTable>>) -> PyResult<Emergence> {
    match table {
        None if depth > 0 => Ok(Emergence::Matched(depth)),
        Some(tables) if fits(&system.lock(), &tables) => {
            let table = |(sets, of_class): GivenTable| {
                let sets = sets.into_iter().map(ids).collect();
                Arc::new(EmergenceTable { sets, of_class })
            };
            Ok(Emergence::Table(tables.into_iter().map(table).collect()))
        }
        _ => Err(out_of_range()),
    }
}

/// Whether tables name symbols of the system only, and have an entry for every class of them.
fn fits(system: &CoreSystem, tables: &[GivenTable]) -> bool {
    let classes = |template: usize| match system.machine() {
        Some(machine) => machine.program().points() as usize + 1,
        None => system.templates[template].symbols as usize,
    };
    tables.len() == system.templates.len()
        && tables.iter().enumerate().all(|(template, (sets, of_class))| {
            let symbols = system.templates[template].symbols;
            of_class.len() == classes(template)
                && of_class.iter().all(|&set| (set as usize) < sets.len())
                && sets.iter().flatten().all(|&symbol| symbol < symbols)
        })
}
