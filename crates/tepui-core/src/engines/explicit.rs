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
//! All states of a round are expanded by one group of threads at a time, so that look-ups come in
//! batches (see [`crate::sets::table`]). Every state remembers the state in which its context began.
//! That is enough for a trace with the fewest contexts: the steps inside a context are found
//! again by a breadth-first search of one thread.
//!
//! Where a thread reaches infinitely many stacks within one context, rounds do not end.

use std::ops::Range;

use crate::engines::kernel::{Context, Found, Kernel, Round, Search, Wanted};
use crate::engines::listed_runs::contexts_between;
use crate::limits::{Limit, Meter, Outcome};
use crate::program::Point;
use crate::sets::closed::Closed;
use crate::sets::positions::Positions;
use crate::sets::reached::{Reached, push_within_an_eighth};
use crate::sets::states::StateId;
use crate::sets::thread_states::Span;
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
    work: Vec<Work>,
    batch: Batch,
}

/// A thread that is to be run from a state, in a context that began in `root`.
#[derive(Clone, Copy, Debug)]
struct Work {
    state: StateId,
    root: StateId,
    position: u16,
    mover: u16,
}

/// Room for some states that are expanded, and for their successors.
#[derive(Default)]
struct Batch {
    entries: Vec<Work>,
    steps: Vec<Span>,
    /// Each of these steps, and to which of the entries it belongs.
    moves: Vec<(u32, u32)>,
    /// What they lead to: keys, the positions there of the threads that moved, and numbers.
    keys: Vec<u64>,
    positions: Vec<u16>,
    found: Vec<StateId>,
    /// Which of the moves lead to new states.
    new: Vec<u32>,
}

/// How many states are expanded together.
const BATCH: usize = 128;

/// So many steps of a state are listed without a look at how many there are.
const FEW_STEPS: usize = 4;

/// How many new states are observed together, or a few more.
const OBSERVED_AT_ONCE: usize = 512;

/// With how many steps at most, give or take those of one state.
const STEPS_AT_ONCE: usize = 64 * BATCH;

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
            work: Vec::new(),
            batch: Batch::default(),
        };
        explorer.movers.push(0);
        explorer.closed.make_room(1);
        explorer.finish_round();
        explorer
    }

    /// Fill the work list; how many of its last entries to expand next, if the round goes on.
    fn next_batch(&mut self) -> Option<usize> {
        if self.work.len() < BATCH {
            self.collect_work();
        }
        let count = self.work.len().min(BATCH);
        (count > 0).then_some(count)
    }

    /// Start closures at states of the frontier, for one group of threads after another; a group's
    /// closures are complete before the next begins.
    fn collect_work(&mut self) {
        while self.group < self.reached.states.groups().len() {
            let (start, end) = self.span(self.group);
            if end - start == 1 {
                self.collect_lone_work(start);
            }
            while self.next < self.frontier_end && self.work.len() < BATCH {
                self.begin_closures(StateId::from_index(self.next), start..end);
                self.next += 1;
            }
            if !self.work.is_empty() {
                return;
            }
            self.group += 1;
            self.next = self.frontier;
        }
    }

    /// The same for one position that is alone in its group.
    fn collect_lone_work(&mut self, position: usize) {
        let mut closed = self.closed.of(position);
        let (position, mover) = (position as u16, position as u16);
        self.next = closed.next_open(self.next, self.frontier_end);
        while self.next < self.frontier_end && self.work.len() < BATCH {
            closed.insert(self.next);
            let state = StateId::from_index(self.next);
            self.work.push(Work { state, root: state, position, mover });
            self.next = closed.next_open(self.next + 1, self.frontier_end);
        }
    }

    /// Begin the closures of the threads at some positions that do not yet contain a state.
    #[inline]
    fn begin_closures(&mut self, state: StateId, positions: Range<usize>) {
        for position in positions {
            if self.reached.states.is_first_of_equals(state, position)
                && self.closed.insert(position, state.index())
            {
                let position = position as u16;
                self.work.push(Work { state, root: state, position, mover: position });
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

    /// Expand the last entries of the work list by one step each, or as many of them as have not
    /// too many steps.
    fn expand(&mut self, count: usize) {
        let mut batch = std::mem::take(&mut self.batch);
        let first = self.work.len() - count;
        self.compute_steps(first, &mut batch.steps);
        batch.entries.clear();
        batch.entries.extend(self.work.drain(first..first + batch.steps.len()));
        list_moves(&batch.steps, &mut batch.moves);
        self.compute_successors(&mut batch);
        self.insert(&mut batch);
        self.close(&batch);
        self.batch = batch;
    }

    fn compute_successors(&self, batch: &mut Batch) {
        let Batch { entries, moves, keys, positions, .. } = batch;
        keys.clear();
        positions.clear();
        // All entries are of one group.
        let position = entries[0].position;
        let from = |&(entry, step): &(u32, u32)| (entries[entry as usize].state, step as usize);
        if self.reached.lone_successors(position.into(), moves.iter().map(from), keys) {
            positions.resize(moves.len(), position);
            return;
        }
        for &(entry, step) in &*moves {
            let Work { state, position, .. } = entries[entry as usize];
            let to = self.reached.successor(state, position.into(), step as usize, keys);
            positions.push(to as u16);
        }
    }

    /// Insert the states that were found, and remember how those that are new were found.
    fn insert(&mut self, batch: &mut Batch) {
        let Batch { entries, moves, keys, found, new, .. } = batch;
        found.clear();
        new.resize(moves.len(), 0);
        let mut count = 0;
        self.reached.states.insert_batch(keys, |index, state, is_new| {
            found.push(state);
            new[count] = index as u32;
            count += usize::from(is_new);
        });
        for &index in &new[..count] {
            let work = entries[moves[index as usize].0 as usize];
            push_within_an_eighth(&mut self.roots, work.root);
            self.movers.push(work.mover);
        }
    }

    /// Note that closures contain states, and go on from those for which that is news.
    fn close(&mut self, batch: &Batch) {
        let Batch { entries, moves, positions, found, .. } = batch;
        self.closed.make_room(self.reached.len());
        let mut count = self.work.len();
        self.work.resize(count + moves.len(), entries[0]);
        for ((&(entry, _), &position), &state) in moves.iter().zip(positions).zip(found) {
            let news = self.closed.insert(position.into(), state.index());
            self.work[count] = Work { state, position, ..entries[entry as usize] };
            count += usize::from(news);
        }
        self.work.truncate(count);
    }

    /// Look at what the states show that were found since this was last done.
    fn observe(&mut self) {
        self.reached.observe(self.observed);
        self.observed = self.reached.len();
    }

    /// The steps of the threads that are about to be expanded. It comes before any key is made,
    /// because steps that were not known may change how keys are packed.
    fn compute_steps(&mut self, first: usize, steps: &mut Vec<Span>) {
        steps.clear();
        let mut count = 0;
        for work in &self.work[first..] {
            if count > STEPS_AT_ONCE {
                return;
            }
            let known = self.reached.steps(work.state, work.position as usize);
            count += known.len();
            steps.push(known);
        }
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
            + self.work.capacity() * size_of::<Work>()
    }

    fn advance(&mut self, meter: &mut Meter) -> Outcome {
        let pause = self.reached.len().saturating_add(meter.limits().pause);
        while let Some(count) = self.next_batch() {
            if let Some(limit) = self.limit_reached(meter) {
                self.observe();
                return Outcome::Stopped(limit);
            }
            self.expand(count);
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

    fn points(&mut self) -> Vec<Vec<Point>> {
        self.reached.visible().points()
    }

    fn reached(&self) -> Option<&Reached> {
        Some(&self.reached)
    }
}

/// List each of the steps of some states, and to which of them it belongs. A state has few steps, and
/// how many cannot be foreseen, so a few are listed for each state, and then overwritten.
fn list_moves(steps: &[Span], moves: &mut Vec<(u32, u32)>) {
    let all: usize = steps.iter().map(|span| span.len()).sum();
    moves.resize(all + FEW_STEPS, (0, 0));
    let mut next = 0;
    for (entry, span) in steps.iter().enumerate() {
        let first = span.numbers().start as u32;
        for (more, place) in moves[next..next + FEW_STEPS].iter_mut().enumerate() {
            *place = (entry as u32, first + more as u32);
        }
        for more in FEW_STEPS..span.len() {
            moves[next + more] = (entry as u32, first + more as u32);
        }
        next += span.len();
    }
    moves.truncate(all);
}
