//! The explicit engine: R_k state by state, and with it T(R_k) (CUBA, sections 2.3 and 4).
//!
//! A global state is a shared state and a hash-consed stack for each thread, packed into a few
//! words. R_{k+1} is what any one thread can reach from R_k by itself. The states that are new in
//! round k are expanded in round k + 1, except by those threads whose *complete* closure already
//! contains them: a thread that found a state by running from R_{k-1} has also found all that it
//! can reach from it. One bit per state and thread, «closed by», says so. A closure runs through
//! states that another thread found in the same round, or bits would be set too early; and equal
//! states found by different threads collect the bits of both.
//!
//! All states of a round are expanded by one group of threads at a time, and among them those in which
//! a thread has the same shared state and stack together: they have the same steps, which make the
//! same change in all of them, and look-ups come in batches (see [`crate::sets::table`]). Where a
//! thread has no step, its closure has nothing to do, and need not be noted.
//!
//! Every state remembers the state in which its context began. That is enough for a trace with the
//! fewest contexts: the steps inside a context are found again by a breadth-first search of one
//! thread.
//!
//! Where a thread reaches infinitely many stacks within one context, rounds do not end.

use std::ops::Range;

use crate::engines::agenda::{Agenda, Work};
use crate::engines::kernel::{Context, Found, Kernel, Round, Search, Wanted};
use crate::engines::listed_runs::contexts_between;
use crate::limits::{Limit, Meter, Outcome};
use crate::program::Point;
use crate::sets::closed::Closed;
use crate::sets::positions::Positions;
use crate::sets::reached::{Reached, push_within_an_eighth};
use crate::sets::states::StateId;
use crate::sets::thread_states::{Span, ThreadStateId, ThreadStates};
use crate::sets::visible::TopPoints;
use crate::system::{Handle, Symmetry};

/// The engine for one system.
pub struct ExplicitKernel {
    reached: Reached,
    /// For each state, the state in which the context that found it began.
    roots: Vec<StateId>,
    /// For each state, the position in its root of the thread that found it.
    movers: Positions,
    /// Which closures contain which states.
    closed: Closed,
    frontier: usize,
    frontier_end: usize,
    /// How many states were looked at for what they show.
    observed: usize,
    rounds: Vec<Round>,
    /// How far the round that is being computed has come.
    group: usize,
    next: usize,
    agenda: Agenda,
    batch: Batch,
}

/// Room for some states that are expanded, and for their successors.
#[derive(Default)]
struct Batch {
    entries: Vec<Work>,
    /// The thread states of the entries.
    sources: Vec<Source>,
    /// What the entries lead to, by one step of a source after another: keys, the positions there of
    /// the threads that moved if threads are exchanged, and numbers.
    keys: Vec<u64>,
    positions: Vec<u16>,
    found: Vec<StateId>,
}

/// The steps of a thread state, and where the entries end that are in it.
#[derive(Clone, Copy, Debug)]
struct Source {
    steps: Span,
    end: u32,
}

/// How many steps are taken together, or some more, and from how many entries of one thread state at
/// most.
const BATCH: usize = 256;

/// How many words the keys of a batch have together, or some more.
const WORDS_AT_ONCE: usize = 8 * BATCH;

/// How many new states are observed together, or a few more.
const OBSERVED_AT_ONCE: usize = 512;

/// How many steps these can become where a thread state has many of them, give or take those of one
/// entry.
const STEPS_AT_ONCE: usize = 32 * BATCH;

impl ExplicitKernel {
    /// More threads than this cannot be explored.
    pub const MAX_THREADS: usize = u16::MAX as usize;

    /// A kernel that knows R_0, the initial state, up to exchanging threads.
    pub fn new(handle: &Handle, symmetry: impl Into<Symmetry>) -> Self {
        let reached = Reached::new(handle, symmetry.into());
        let positions = reached.states.positions();
        let mut explorer = Self {
            reached,
            roots: vec![StateId::INITIAL],
            movers: Positions::new(positions),
            closed: Closed::new(positions),
            frontier: 0,
            frontier_end: 1,
            observed: 1,
            rounds: Vec::new(),
            group: 0,
            next: 0,
            agenda: Agenda::new(),
            batch: Batch::default(),
        };
        explorer.movers.push(0);
        explorer.closed.make_room(1);
        explorer.finish_round();
        explorer
    }

    /// Start closures at states of the frontier, for one group of threads after another; a group's
    /// closures are complete before the next begins. Whether the round goes on.
    fn collect_work(&mut self) -> bool {
        while self.group < self.reached.states.groups().len() {
            let (start, end) = self.span(self.group);
            if end - start == 1 {
                self.collect_lone_work(start);
            }
            while self.next < self.frontier_end && self.agenda.len() < BATCH {
                self.begin_closures(StateId::from_index(self.next), start..end);
                self.next += 1;
            }
            if self.agenda.len() > 0 {
                return true;
            }
            self.group += 1;
            self.next = self.frontier;
        }
        false
    }

    /// The same for one position that is alone in its group: its closed states are passed over.
    fn collect_lone_work(&mut self, position: usize) {
        let Self { reached, closed, agenda, .. } = self;
        let mut closed = closed.of(position);
        let locals = &mut reached.locals[reached.states.template(position)];
        while agenda.len() < BATCH {
            self.next = closed.next_open(self.next, self.frontier_end);
            if self.next == self.frontier_end {
                return;
            }
            closed.insert(self.next);
            let state = StateId::from_index(self.next);
            let source = locals.number(reached.states.thread_state(state, position));
            begin_closure(agenda, locals, source, state, position);
            self.next += 1;
        }
    }

    /// Begin the closures of the threads at some positions that do not yet contain a state.
    #[inline]
    fn begin_closures(&mut self, state: StateId, positions: Range<usize>) {
        for position in positions {
            if self.reached.states.is_first_of_equals(state, position)
                && self.closed.insert(position, state.index())
            {
                let source = self.reached.number(state, position);
                let locals = &self.reached.locals[self.reached.states.template(position)];
                begin_closure(&mut self.agenda, locals, source, state, position);
            }
        }
    }

    fn span(&self, group: usize) -> (usize, usize) {
        self.reached.states.spans().nth(group).expect("a group of the system")
    }

    fn limit_reached(&self, meter: &mut Meter) -> Option<Limit> {
        let growth = STEPS_AT_ONCE;
        if self.reached.states.room() < 2 * growth {
            return Some(Limit::States);
        }
        let growth = self.reached.growth(growth + self.reached.len() - self.observed);
        meter.reached(self.reached.len(), self.bytes() + growth)
    }

    /// Expand some entries of the agenda by one step each.
    fn expand(&mut self) {
        let mut batch = std::mem::take(&mut self.batch);
        let position = self.span(self.group).0;
        let template = self.reached.states.template(position);
        self.take_work(template, &mut batch);
        self.agenda.make_room(self.reached.locals[template].len());
        self.compute_successors(position, &mut batch);
        batch.found.clear();
        let known = self.reached.len();
        batch.found.extend(self.reached.states.insert_batch(&batch.keys));
        self.closed.make_room(self.reached.len());
        self.close(template, known, &batch);
        self.batch = batch;
    }

    /// Take entries for a batch, and compute their steps. That comes before any key is made, because
    /// steps that were not known may change how keys are packed.
    fn take_work(&mut self, template: usize, batch: &mut Batch) {
        batch.entries.clear();
        batch.sources.clear();
        let mut moves = 0;
        // Keys of very many threads are long, and limits are looked at after a batch only.
        let words = self.reached.states.key(StateId::INITIAL).len();
        let enough = (WORDS_AT_ONCE / words).clamp(1, BATCH);
        while moves < enough
            && let Some(source) = self.agenda.next()
        {
            let steps = self.reached.steps_from(template, source);
            let most = (STEPS_AT_ONCE / steps.len().max(1)).clamp(1, enough);
            let before = batch.entries.len();
            self.agenda.take(most, &mut batch.entries);
            moves += (batch.entries.len() - before) * steps.len().max(1);
            batch.sources.push(Source { steps, end: batch.entries.len() as u32 });
        }
    }

    fn compute_successors(&self, position: usize, batch: &mut Batch) {
        let Batch { entries, sources, keys, positions, .. } = batch;
        keys.clear();
        positions.clear();
        let lone = self.reached.lone(position);
        each_step(sources, entries, |step, entries| {
            if let Some(lone) = &lone {
                let target = self.reached.target(position, step);
                keys.extend(entries.iter().map(|work| lone.successor(work.state, target)));
            } else {
                positions.extend(entries.iter().map(|work| {
                    self.reached.successor(work.state, work.position.into(), step, keys) as u16
                }));
            }
        });
    }

    /// Remember how states were found that are new, note that closures contain states, and go on from
    /// those for which that is news.
    fn close(&mut self, template: usize, known: usize, batch: &Batch) {
        let Batch { entries, sources, positions, found, .. } = batch;
        let mut next = known;
        let mut first = 0;
        each_step(sources, entries, |step, entries| {
            let range = first..first + entries.len();
            first = range.end;
            let found = &found[range.clone()];
            for (work, state) in entries.iter().zip(found) {
                if state.index() == next {
                    push_within_an_eighth(&mut self.roots, work.root);
                    self.movers.push(work.mover);
                    next += 1;
                }
            }
            let locals = &self.reached.locals[template];
            let target = locals.target(step);
            if !may_move(locals, target) {
                return;
            }
            let moved = entries.iter().zip(found);
            if positions.is_empty() {
                let mut closed = self.closed.of(entries[0].position.into());
                let news = moved.filter(|(_, state)| closed.insert(state.index()));
                self.agenda.extend(target, news.map(|(&work, &state)| Work { state, ..work }));
            } else {
                let moved = moved.zip(&positions[range]);
                let closed = &mut self.closed;
                let news = moved.filter(|&((_, state), &position)| {
                    closed.insert(position.into(), state.index())
                });
                let work =
                    news.map(|((&work, &state), &position)| Work { state, position, ..work });
                self.agenda.extend(target, work);
            }
        });
    }

    /// Look at what the states show that were found since this was last done.
    fn observe(&mut self) {
        self.reached.observe(self.observed);
        self.observed = self.reached.len();
    }

    fn finish_round(&mut self) {
        let states = self.reached.len();
        self.rounds.push(self.so_far());
        if self.rounds.len() == 1 {
            return; // The initial state stays the frontier.
        }
        self.frontier = self.frontier_end;
        self.closed.forget_before(self.frontier);
        self.frontier_end = states;
        self.group = 0;
        self.next = self.frontier;
    }

    /// The initial state, and the states in which the contexts that lead to a state end.
    fn ends_of_contexts(&self, state: StateId) -> Vec<StateId> {
        let mut ends = vec![state];
        while let Some(&state) = ends.last()
            && state != StateId::INITIAL
        {
            ends.push(self.roots[state.index()]);
        }
        ends.reverse();
        ends
    }
}

impl Kernel for ExplicitKernel {
    fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    fn so_far(&self) -> Round {
        self.reached.round()
    }

    fn work(&self) -> usize {
        self.reached.len()
    }

    fn bytes(&self) -> usize {
        self.reached.bytes()
            + self.roots.capacity() * 4
            + self.movers.bytes()
            + self.closed.bytes()
            + self.agenda.bytes()
    }

    fn advance(&mut self, meter: &mut Meter) -> Outcome {
        let pause = self.reached.len().saturating_add(meter.limits().pause);
        while self.collect_work() {
            if let Some(limit) = self.limit_reached(meter) {
                self.observe();
                return Outcome::Stopped(limit);
            }
            self.expand();
            if self.reached.len() - self.observed >= OBSERVED_AT_ONCE {
                self.observe();
            }
            if self.reached.len() >= pause {
                self.observe();
                return Outcome::Paused;
            }
        }
        self.observe();
        self.finish_round();
        Outcome::Done
    }

    fn first(&mut self, wanted: &Wanted, from: usize, meter: &mut Meter) -> Result<Search, Limit> {
        self.reached.first(wanted, from, &self.rounds, meter)
    }

    fn trace(&mut self, found: &Found, meter: &mut Meter) -> Result<Vec<Context>, Limit> {
        let ends = self.ends_of_contexts(self.reached.state_of(found));
        let mover = |state: StateId| self.movers.get(state.index());
        contexts_between(&mut self.reached, &ends, mover, found, meter)
    }

    fn visible_rows(&self, round: usize) -> Box<dyn Iterator<Item = Vec<u32>> + '_> {
        Box::new(self.reached.visible().rows(&self.rounds[round]))
    }

    fn points(&mut self, from: usize, tops: &TopPoints) -> Vec<Vec<Point>> {
        self.reached.visible().points(from, tops)
    }

    fn reached(&self) -> Option<&Reached> {
        Some(&self.reached)
    }
}

/// Begin the closure of the thread at a position of a state, where it may contain more.
#[inline]
fn begin_closure(
    agenda: &mut Agenda,
    locals: &ThreadStates,
    source: ThreadStateId,
    state: StateId,
    position: usize,
) {
    if may_move(locals, source) {
        agenda.make_room(locals.len());
        let position = position as u16;
        let work = Work { state, root: state, position, mover: position };
        agenda.extend(source, std::iter::once(work));
    }
}

/// Whether a thread state is not known to have no steps.
#[inline]
fn may_move(locals: &ThreadStates, source: ThreadStateId) -> bool {
    locals.known_steps(source).is_none_or(|steps| !steps.is_empty())
}

/// Each step of some thread states, with the entries that take it.
#[inline]
fn each_step(sources: &[Source], entries: &[Work], mut work: impl FnMut(usize, &[Work])) {
    let mut start = 0;
    for source in sources {
        let of_source = &entries[start..source.end as usize];
        source.steps.numbers().for_each(|step| work(step, of_source));
        start = source.end as usize;
    }
}
