//! The reachable states of a program as sets of bits.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use tepui_core::bdd::bad::Bad;
use tepui_core::bdd::certificate::Certificate;
use tepui_core::bdd::encoding::{Order, Part};
use tepui_core::bdd::search::BitsSearch as Core;
use tepui_core::bdd::stop::Stop;
use tepui_core::limits::{Limit, Meter, Outcome};
use tepui_core::program::Point;

use crate::limits::{PyLimits, advance, within};
use crate::system::System;

/// A search for what is reachable within more and more contexts.
#[pyclass(module = "tepui._core")]
pub(crate) struct BitsSearch {
    core: Core,
}

/// For each thread its shapes, each as where its section has begun, if it is in one, and its points;
/// for each level what it is part of; the same for bits without a level, with their values; level,
/// low and high of each node; and the root.
pub(crate) type PyCertificate =
    (Vec<PyShapes>, Vec<PyPart>, Vec<(PyPart, bool)>, Vec<(u32, u32, u32)>, u32);

pub(crate) type PyShapes = Vec<(Option<u32>, Vec<u32>)>;

pub(crate) type PyPart = (&'static str, Vec<u32>);

/// Shared scalars with their values at the beginning; cells of the frames of procedures with theirs;
/// and edges, by procedure, location and number, with the values that they choose.
type PySample = (Vec<(u32, i128)>, Vec<((u32, u32), Vec<i128>)>, Vec<((u32, u32, u32), Vec<i128>)>);

#[pymethods]
impl BitsSearch {
    /// A ValueError says why there is none for a program, or a TimeoutError that a limit was reached.
    #[new]
    #[pyo3(signature = (system, bad, deadlock=false, apart=false, limits=None))]
    fn new(
        py: Python<'_>,
        system: &System,
        bad: Vec<Vec<(usize, u32)>>,
        deadlock: bool,
        apart: bool,
        limits: Option<PyLimits>,
    ) -> PyResult<Self> {
        let point = |(kind, point)| (kind, Point::new(point));
        let bad: Vec<Bad> =
            bad.into_iter().map(|some| some.into_iter().map(point).collect()).collect();
        let order = if apart { Order::Apart } else { Order::Together };
        let core = asked(py, limits, |meter| Core::new(&system.core, bad, deadlock, order, meter))?;
        Ok(Self { core })
    }

    /// Go on with the next context: "done", "paused", or the limit that stopped it; a ValueError says
    /// why there is no end.
    #[pyo3(signature = (limits=None))]
    fn advance(&mut self, py: Python<'_>, limits: Option<PyLimits>) -> PyResult<&'static str> {
        let core = &mut self.core;
        let mut refused = None;
        let ended = advance(py, limits, |meter| {
            core.advance(meter).unwrap_or_else(|stop| match stop {
                Stop::Limit(limit) => Outcome::Stopped(limit),
                Stop::Refused(why) => {
                    refused = Some(why);
                    Outcome::Done
                }
            })
        })?;
        refused.map_or(Ok(ended), |why| Err(PyValueError::new_err(why)))
    }

    /// Whether it is another search if elements of arrays lie apart.
    #[getter]
    fn depends_on_order(&self) -> bool {
        self.core.depends_on_order()
    }

    /// What each bit is part of, from the top of a diagram on.
    #[getter]
    fn parts(&self) -> Vec<PyPart> {
        self.core.parts().iter().copied().map(py_part).collect()
    }

    /// How many contexts are complete.
    #[getter]
    fn contexts(&self) -> usize {
        self.core.contexts()
    }

    /// Whether the last one has added nothing.
    #[getter]
    fn has_collapsed(&self) -> bool {
        self.core.has_collapsed()
    }

    /// After how many contexts a bad state is reached, if one was found.
    #[getter]
    fn found(&self) -> Option<usize> {
        self.core.found()
    }

    #[getter]
    fn nodes(&self) -> usize {
        self.core.nodes()
    }

    #[getter]
    fn work(&self) -> usize {
        self.core.work()
    }

    #[getter]
    fn bytes(&self) -> usize {
        self.core.bytes()
    }

    /// The set that is closed under all steps, after the end. If it is to be whole, no bit is fixed.
    #[pyo3(signature = (limits=None, *, whole=false))]
    fn certificate(
        &mut self,
        py: Python<'_>,
        limits: Option<PyLimits>,
        whole: bool,
    ) -> PyResult<PyCertificate> {
        let core = &mut self.core;
        let certificate = within(py, limits, |meter| core.certificate(whole, meter))?;
        Ok(py_certificate(certificate))
    }

    /// For each type of threads, the points that were reached, in sections on complete paths only.
    #[pyo3(signature = (limits=None))]
    fn points(&mut self, py: Python<'_>, limits: Option<PyLimits>) -> PyResult<Vec<Vec<u32>>> {
        let core = &mut self.core;
        let found = asked(py, limits, |meter| core.points(meter))?;
        let numbers = |points: Vec<Point>| points.into_iter().map(Point::number).collect();
        Ok(found.into_iter().map(numbers).collect())
    }

    /// What a run to the bad state chooses, if one was found.
    #[pyo3(signature = (limits=None))]
    fn sample(&mut self, py: Python<'_>, limits: Option<PyLimits>) -> PyResult<Option<PySample>> {
        let core = &mut self.core;
        let Some(sample) = asked(py, limits, |meter| core.sample(meter))? else { return Ok(None) };
        let frames =
            sample.frames.into_iter().map(|(cell, values)| (cell, values.into_iter().collect()));
        let chosen =
            sample.chosen.into_iter().map(|(edge, values)| (edge, values.into_iter().collect()));
        Ok(Some((sample.shared, frames.collect(), chosen.collect())))
    }
}

pub(crate) fn py_certificate(certificate: Certificate) -> PyCertificate {
    let shapes = certificate.shapes.into_iter().map(|shapes| {
        let points = |points: Vec<Point>| points.into_iter().map(Point::number).collect();
        shapes.into_iter().map(|shape| (shape.outer, points(shape.points))).collect()
    });
    let levels = certificate.levels.into_iter().map(py_part);
    let fixed = certificate.fixed.into_iter().map(|(part, on)| (py_part(part), on));
    let (nodes, root) = (certificate.nodes, certificate.root);
    (shapes.collect(), levels.collect(), fixed.collect(), nodes, root)
}

fn py_part(part: Part) -> PyPart {
    match part {
        Part::Shared { cell, digit } => ("shared", vec![cell, digit]),
        Part::Frame { thread, depth, procedure, cell, digit } => {
            ("frame", vec![thread, depth, procedure, cell, digit])
        }
        Part::Shape { thread, digit } => ("shape", vec![thread, digit]),
        Part::Choice => ("choice", Vec::new()),
    }
}

/// An answer that may take long.
pub(crate) fn asked<T: Send>(
    py: Python<'_>,
    limits: Option<PyLimits>,
    question: impl FnOnce(&mut Meter) -> Result<T, Stop> + Send,
) -> PyResult<T> {
    let found = within(py, limits, |meter| match question(meter) {
        Ok(found) => Ok::<_, Limit>(Ok(found)),
        Err(Stop::Limit(limit)) => Err(limit),
        Err(Stop::Refused(why)) => Ok(Err(why)),
    })?;
    found.map_err(PyValueError::new_err)
}
