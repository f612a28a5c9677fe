//! Engines for Python: what all have is written once, around any [`CoreKernel`]; each class adds how
//! it is made, and what it alone can be asked.

use std::any::Any;

use num_bigint::BigUint;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use tepui_core::automata::stack_languages::LanguageId;
use tepui_core::engines::delay::{DelayKernel as CoreDelay, Growth};
use tepui_core::engines::diagram::kernel::{Automaton, DiagramKernel as CoreDiagram};
use tepui_core::engines::explicit::ExplicitKernel as CoreExplicit;
use tepui_core::engines::kernel::{
    Delayed as CoreDelayed, Found as CoreFound, Kernel as CoreKernel, Round as CoreRound,
};
use tepui_core::engines::plain::PlainKernel as CorePlain;
use tepui_core::engines::symbolic::kernel::{Config, SymbolicKernel as CoreSymbolic};
use tepui_core::sets::diagram::export::Exported;
use tepui_core::sets::reached::Reached;
use tepui_core::sets::states::StateId;
use tepui_core::sets::visible::TopPoints;
use tepui_core::system::{Handle, Symmetry};

use crate::ids::numbers;
use crate::interruptibly;
use crate::limits::{PyLimits, advance, within};
use crate::property::PyWanted;
use crate::system::{System, out_of_range, template_of};
use crate::{PyDfa, PyPackedRows, packed_rows, py_dfa, py_edges, tuples};

/// An engine at work on a system.
#[pyclass(module = "tepui._core", subclass)]
pub(crate) struct Kernel {
    core: Box<dyn CoreKernel>,
    system: Py<System>,
}

/// What is known about a round.
#[pyclass(module = "tepui._core", frozen, get_all)]
pub(crate) struct Round {
    mark: usize,
    parts: usize,
    states: Option<BigUint>,
    visible: BigUint,
    listed_states: Option<usize>,
    listed_visible: Option<usize>,
    delayed: Option<Delayed>,
    steps: Option<usize>,
}

/// What is known about R(r, d) beside its size.
#[derive(Clone, Copy)]
#[pyclass(module = "tepui._core", frozen, get_all)]
pub(crate) struct Delayed {
    rounds: u32,
    delays: u32,
    top_words: usize,
    images: usize,
}

/// How a search ended: what was found, and where the next begins, which finds that again.
#[pyclass(module = "tepui._core", frozen, get_all)]
pub(crate) struct Search {
    found: Option<Py<Found>>,
    next: usize,
}

/// A state that a kernel has found, for which it alone has a trace.
#[pyclass(module = "tepui._core", frozen)]
pub(crate) struct Found {
    core: CoreFound,
}

/// For each context of a trace, the thread and the numbers of the rules.
type PyContexts = Vec<(u32, Vec<u32>)>;

#[pymethods]
impl Kernel {
    /// Go on with a round: "done", "paused", or the limit that stopped it.
    #[pyo3(signature = (limits=None))]
    fn advance(&mut self, py: Python<'_>, limits: Option<PyLimits>) -> PyResult<&'static str> {
        let core = &mut self.core;
        let ended = advance(py, limits, |meter| core.advance(meter))?;
        self.system.get().require_all_rules(py)?;
        Ok(ended)
    }

    /// How many rounds are complete.
    #[getter]
    fn rounds(&self) -> usize {
        self.core.rounds().len()
    }

    /// A complete round.
    fn round(&self, k: usize) -> PyResult<Round> {
        Ok(py_round(self.core.rounds().get(k).ok_or_else(out_of_range)?.clone()))
    }

    /// What was found so far, an unfinished round included.
    fn so_far(&self) -> Round {
        py_round(self.core.so_far())
    }

    /// How much was done, in states or operations.
    #[getter]
    fn work(&self) -> usize {
        self.core.work()
    }

    #[getter]
    fn bytes(&self) -> usize {
        self.core.bytes()
    }

    /// A state that is asked for, from a place on; TimeoutError at the limit.
    #[pyo3(signature = (asked, start, limits=None))]
    fn first(
        &mut self,
        py: Python<'_>,
        asked: PyWanted,
        start: usize,
        limits: Option<PyLimits>,
    ) -> PyResult<Search> {
        let asked = asked.of(self.system.get())?;
        let core = &mut self.core;
        let search = within(py, limits, |meter| core.first(&asked, start, meter))?;
        self.system.get().require_all_rules(py)?;
        let found = search.found.map(|core| Py::new(py, Found { core })).transpose()?;
        Ok(Search { found, next: search.next })
    }

    /// A trace to a state that was found: (thread, numbers of the rules) for each context;
    /// TimeoutError at the limit.
    #[pyo3(signature = (found, limits=None))]
    fn trace(
        &mut self,
        py: Python<'_>,
        found: &Found,
        limits: Option<PyLimits>,
    ) -> PyResult<PyContexts> {
        let core = &mut self.core;
        let contexts = within(py, limits, |meter| core.trace(&found.core, meter))?;
        Ok(contexts.into_iter().map(|context| (context.thread, context.rules)).collect())
    }

    /// The visible states of a round.
    fn visible_rows<'py>(&self, py: Python<'py>, k: usize) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        self.round(k)?;
        tuples(py, self.core.visible_rows(k))
    }

    /// For each template, the points that its threads reach, those inside atomic sections too, as
    /// the visible states from a number on show them; if points are given, only with tops at these.
    #[pyo3(signature = (start=0, tops=None))]
    fn points(
        &mut self,
        py: Python<'_>,
        start: usize,
        tops: Option<Vec<u32>>,
    ) -> PyResult<Vec<Vec<u32>>> {
        let core = &mut self.core;
        let at = |points: Vec<u32>| {
            TopPoints::At(points.into_iter().map(tepui_core::program::Point::new).collect())
        };
        let tops = tops.map_or(TopPoints::All, at);
        let found = interruptibly(py, |_| core.points(start, &tops))?;
        self.system.get().require_no_limit()?;
        Ok(found.iter().map(|points| numbers(points)).collect())
    }
}

impl Kernel {
    fn new(system: Py<System>, core: impl CoreKernel) -> PyClassInitializer<Self> {
        PyClassInitializer::from(Self { core: Box::new(core), system })
    }

    /// As the kernel that a class was made with.
    fn of<K: CoreKernel>(&self) -> &K {
        let core: &dyn Any = &*self.core;
        core.downcast_ref().expect("the kernel of this class")
    }

    fn of_mut<K: CoreKernel>(&mut self) -> &mut K {
        let core: &mut dyn Any = &mut *self.core;
        core.downcast_mut().expect("the kernel of this class")
    }

    /// The states of a kernel that lists them.
    pub(crate) fn reached(&self) -> &Reached {
        self.core.reached().expect("a kernel that lists states")
    }

    fn require_template(&self, template: usize) -> PyResult<()> {
        template_of(&self.system.get().lock(), template).map(|_| ())
    }
}

#[pymethods]
impl Found {
    /// The round that it is of, which may not be complete.
    #[getter]
    fn round(&self) -> usize {
        self.core.round
    }

    /// How many contexts, or delays, it takes.
    #[getter]
    fn bound(&self) -> usize {
        self.core.bound
    }

    /// Where delays are counted, the rounds within which no fewer are enough.
    #[getter]
    fn rounds(&self) -> Option<usize> {
        self.core.rounds
    }

    /// Whether it was asked for by its stacks, and not by what it shows.
    #[getter]
    fn by_stacks(&self) -> bool {
        self.core.by_stacks
    }
}

/// A kernel that lists states, and numbers their stacks.
#[pyclass(module = "tepui._core", extends = Kernel, subclass)]
pub(crate) struct Listing;

#[pymethods]
impl Listing {
    /// States by number, from `start` up to but not including `end`.
    fn state_rows<'py>(
        slf: &Bound<'py, Self>,
        start: usize,
        end: usize,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let kernel = slf.as_super().try_borrow()?;
        let reached = kernel.reached();
        let states = StateId::range(start, end.min(reached.len()));
        tuples(slf.py(), states.map(|state| reached.state_row(state)))
    }

    /// The first states, up to but not including `end`, packed.
    fn packed_rows<'py>(slf: &Bound<'py, Self>, end: usize) -> PyResult<PyPackedRows<'py>> {
        let kernel = slf.as_super().try_borrow()?;
        let reached = kernel.reached();
        let threads = kernel.system.get().lock().threads.len();
        let states = || StateId::range(0, end.min(reached.len()));
        packed_rows(slf.py(), threads, || states().map(|state| reached.state_row(state)))
    }

    fn symbols_in_stacks(slf: &Bound<'_, Self>, template: usize) -> PyResult<u64> {
        let kernel = slf.as_super().try_borrow()?;
        kernel.require_template(template)?;
        Ok(kernel.reached().symbols_in_stacks(template))
    }

    fn stack_words<'py>(
        slf: &Bound<'py, Self>,
        template: usize,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let kernel = slf.as_super().try_borrow()?;
        kernel.require_template(template)?;
        tuples(slf.py(), kernel.reached().stack_words(template).map(|word| numbers(&word)))
    }
}

/// The explicit engine.
#[pyclass(module = "tepui._core", extends = Listing)]
pub(crate) struct ExplicitKernel;

#[pymethods]
impl ExplicitKernel {
    #[new]
    #[pyo3(signature = (system, *, symmetry, identities=false))]
    fn new(
        system: Py<System>,
        symmetry: bool,
        identities: bool,
    ) -> PyResult<PyClassInitializer<Self>> {
        let handle = system.get().handle_for(CoreExplicit::MAX_THREADS)?;
        let core = CoreExplicit::new(&handle, chosen_symmetry(symmetry, identities));
        Ok(Kernel::new(system, core).add_subclass(Listing).add_subclass(Self))
    }
}

/// The plain engine.
#[pyclass(module = "tepui._core", extends = Listing)]
pub(crate) struct PlainKernel;

#[pymethods]
impl PlainKernel {
    #[new]
    #[pyo3(signature = (system, *, symmetry, identities=false))]
    fn new(
        system: Py<System>,
        symmetry: bool,
        identities: bool,
    ) -> PyResult<PyClassInitializer<Self>> {
        let handle = system.get().handle_for(CorePlain::MAX_THREADS)?;
        let core = CorePlain::new(&handle, chosen_symmetry(symmetry, identities));
        Ok(Kernel::new(system, core).add_subclass(Listing).add_subclass(Self))
    }
}

fn chosen_symmetry(symmetry: bool, identities: bool) -> Symmetry {
    match (symmetry, identities) {
        (false, _) => Symmetry::None,
        (true, false) => Symmetry::Equals,
        (true, true) => Symmetry::Families,
    }
}

/// The delay engine; it advances by a round.
#[pyclass(module = "tepui._core", extends = Listing)]
pub(crate) struct DelayKernel;

#[pymethods]
impl DelayKernel {
    #[new]
    #[pyo3(signature = (system, *, tops=1))]
    fn new(py: Python<'_>, system: Py<System>, tops: usize) -> PyClassInitializer<Self> {
        let handle = Handle::clone(&system.get().core);
        let core = py.detach(|| CoreDelay::new(&handle, tops));
        Kernel::new(system, core).add_subclass(Listing).add_subclass(Self)
    }

    /// Grow by a delay, or go on with what was left unfinished.
    #[pyo3(signature = (limits=None))]
    fn add_delay(slf: &Bound<'_, Self>, limits: Option<PyLimits>) -> PyResult<&'static str> {
        let mut kernel = slf.as_super().as_super().try_borrow_mut()?;
        let core: &mut CoreDelay = kernel.of_mut();
        let ended = advance(slf.py(), limits, |meter| core.grow(Growth::Delay, meter))?;
        kernel.system.get().require_all_rules(slf.py())?;
        Ok(ended)
    }

    /// Whether more rounds alone will never add a state.
    #[getter]
    fn rounds_are_exhausted(slf: &Bound<'_, Self>) -> PyResult<bool> {
        Self::ask(slf, |core| core.is_exhausted(Growth::Round))
    }

    /// Whether more delays alone will never add a state.
    #[getter]
    fn delays_are_exhausted(slf: &Bound<'_, Self>) -> PyResult<bool> {
        Self::ask(slf, |core| core.is_exhausted(Growth::Delay))
    }

    /// Whether nothing else is reachable.
    #[getter]
    fn is_closed(slf: &Bound<'_, Self>) -> PyResult<bool> {
        Self::ask(slf, CoreDelay::is_closed)
    }

    #[getter]
    fn scheduled(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Self::ask(slf, CoreDelay::scheduled)
    }

    #[getter]
    fn images(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Self::ask(slf, CoreDelay::images)
    }
}

impl DelayKernel {
    fn ask<T>(slf: &Bound<'_, Self>, question: impl FnOnce(&CoreDelay) -> T) -> PyResult<T> {
        Ok(question(slf.as_super().as_super().try_borrow()?.of()))
    }
}

/// The symbolic engine.
#[pyclass(module = "tepui._core", extends = Kernel)]
pub(crate) struct SymbolicKernel;

#[pymethods]
impl SymbolicKernel {
    #[new]
    #[pyo3(signature = (system, *, symmetry, pruning))]
    fn new(
        system: Py<System>,
        symmetry: bool,
        pruning: bool,
    ) -> PyResult<PyClassInitializer<Self>> {
        let handle = system.get().handle_for(CoreSymbolic::MAX_THREADS)?;
        let core = CoreSymbolic::new(&handle, Config { symmetry, pruning });
        Ok(Kernel::new(system, core).add_subclass(Self))
    }

    /// Symbolic states by number, from `start` up to but not including `end`: the shared state and
    /// the number of each thread's language.
    fn product_rows<'py>(
        slf: &Bound<'py, Self>,
        start: usize,
        end: usize,
    ) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let kernel = slf.as_super().try_borrow()?;
        let products = kernel.of::<CoreSymbolic>().products();
        let all = StateId::range(start, end.min(products.len()));
        tuples(slf.py(), all.map(|product| products.set().row(product)))
    }

    /// The symbolic states that make up the last complete round.
    fn settled_rows<'py>(slf: &Bound<'py, Self>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let kernel = slf.as_super().try_borrow()?;
        let products = kernel.of::<CoreSymbolic>().products();
        tuples(
            slf.py(),
            products.settled().into_iter().map(|product| products.set().row(product.state())),
        )
    }

    /// The automaton of a language.
    fn automaton(slf: &Bound<'_, Self>, language: u32) -> PyResult<PyDfa> {
        let kernel = slf.as_super().try_borrow()?;
        let core: &CoreSymbolic = kernel.of();
        if language as usize >= core.count_languages() {
            return Err(out_of_range());
        }
        Ok(py_dfa(core.language(LanguageId::new(language))))
    }
}

/// For each level its nodes as (label, child), the sets of shared states at the end, and for each
/// template the labels.
pub(crate) type PyDiagram<L> = (Vec<Vec<Vec<(u32, u32)>>>, Vec<Vec<u32>>, Vec<L>);

/// The stacks of a template and its labels as sets of their indices.
type PyStacks<'py> = (Vec<Bound<'py, PyTuple>>, Vec<Vec<u32>>);

/// The labels of a template: stacks, or else automata.
type PyLabels<'py> = (Option<PyStacks<'py>>, Vec<PyAutomaton>);

/// For each state of an automaton whether it accepts, and its edges.
type PyAutomaton = (Vec<bool>, Vec<Vec<(u32, u32)>>);

/// The diagram engine.
#[pyclass(module = "tepui._core", extends = Kernel)]
pub(crate) struct DiagramKernel;

#[pymethods]
impl DiagramKernel {
    /// `finite` says for each template whether its threads have finite-context reachability.
    #[new]
    #[pyo3(signature = (system, *, finite))]
    fn new(system: Py<System>, finite: Vec<bool>) -> PyResult<PyClassInitializer<Self>> {
        if finite.len() != system.get().lock().templates.len() {
            return Err(out_of_range());
        }
        let core = CoreDiagram::new(&system.get().core, &finite);
        Ok(Kernel::new(system, core).add_subclass(Self))
    }

    #[getter]
    fn nodes(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Ok(slf.as_super().try_borrow()?.of::<CoreDiagram>().count_nodes())
    }

    /// How many nodes the diagram has that serves as a certificate.
    #[getter]
    fn certificate_nodes(slf: &Bound<'_, Self>) -> PyResult<usize> {
        Ok(slf.as_super().try_borrow()?.of::<CoreDiagram>().certificate_nodes())
    }

    /// How many symbols its stacks have together, where they are listed.
    #[getter]
    fn certificate_symbols(slf: &Bound<'_, Self>) -> PyResult<u64> {
        Ok(slf.as_super().try_borrow()?.of::<CoreDiagram>().certificate_symbols())
    }

    /// The thread of each level.
    #[getter]
    fn order(slf: &Bound<'_, Self>) -> PyResult<Vec<u32>> {
        Ok(slf.as_super().try_borrow()?.of::<CoreDiagram>().order())
    }

    /// The last round as a diagram. Where a template's labels are languages, there are automata in
    /// place of its stacks.
    fn diagram<'py>(slf: &Bound<'py, Self>) -> PyResult<PyDiagram<PyLabels<'py>>> {
        let kernel = slf.as_super().try_borrow()?;
        let core: &CoreDiagram = kernel.of();
        let Exported { nodes, ends, labels } = core.export();
        let labels = labels.iter().enumerate().map(|(template, labels)| {
            let Some((stacks, labels)) = core.stacks_of(template, labels) else {
                let languages = core.languages_of(template, labels);
                return Ok((None, languages.into_iter().map(py_automaton).collect()));
            };
            let words = stacks.into_iter().map(|stack| numbers(&core.word(template, stack)));
            Ok((Some((tuples(slf.py(), words)?, labels)), Vec::new()))
        });
        let labels = labels.collect::<PyResult<_>>()?;
        let ends = ends.iter().map(|set| numbers(set)).collect();
        Ok((nodes, ends, labels))
    }
}

fn py_automaton((accepting, edges): Automaton) -> PyAutomaton {
    (accepting, edges.iter().map(|edges| py_edges(edges)).collect())
}

fn py_round(round: CoreRound) -> Round {
    let CoreRound { mark, parts, states, visible, listed_states, listed_visible, delayed, steps } =
        round;
    let delayed = delayed.map(|CoreDelayed { rounds, delays, top_words, images }| Delayed {
        rounds,
        delays,
        top_words,
        images,
    });
    Round { mark, parts, states, visible, listed_states, listed_visible, delayed, steps }
}
