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

use crate::engines::kernel::{Context, Found, Kernel, Round, Search, Wanted};
use crate::engines::listed_runs::contexts_between;
use crate::limits::{Limit, Meter, Outcome};
use crate::program::Point;
use crate::sets::reached::{Reached, push_within_a_quarter};
use crate::sets::states::StateId;
use crate::sets::thread_states::Span;
use crate::system::{Handle, Symmetry};

/// The engine for one system.
pub struct ExplicitKernel {
    reached: Reached,
    /// For each state, the state in which the context that found it began.
    roots: Vec<StateId>,
    /// For each state, the position in that state of the thread that found it.
    movers: Vec<u16>,
    /// For each state since `frontier`, the positions whose closures contain it, one bit each.
    closed: Vec<u8>,
    closed_bytes: usize,
    frontier: usize,
    frontier_end: usize,
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

/// Room for the successors of a few states.
#[derive(Default)]
struct Batch {
    steps: Vec<Span>,
    keys: Vec<u64>,
    found: Vec<Work>,
}

/// How many states are expanded together.
const BATCH: usize = 128;

/// With how many steps at most, give or take those of one state.
const STEPS_AT_ONCE: usize = 64 * BATCH;

impl ExplicitKernel {
    /// More threads than this cannot be explored.
    pub const MAX_THREADS: usize = u16::MAX as usize;

    /// A kernel that knows R_0, the initial state, up to exchanging threads.
    pub fn new(handle: &Handle, symmetry: impl Into<Symmetry>) -> Self {
        let reached = Reached::new(handle, symmetry.into());
        let closed_bytes = reached.states.positions().div_ceil(8);
        let mut explorer = Self {
            reached,
            roots: vec![StateId::INITIAL],
            movers: vec![0],
            closed: vec![0; closed_bytes],
            closed_bytes,
            frontier: 0,
            frontier_end: 1,
            rounds: Vec::new(),
            group: 0,
            next: 0,
            work: Vec::new(),
            batch: Batch::default(),
        };
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
            while self.next < self.frontier_end {
                if self.work.len() >= BATCH {
                    return;
                }
                let state = StateId::from_index(self.next);
                for position in start..end {
                    if self.reached.states.is_first_of_equals(state, position)
                        && self.close(state, position)
                    {
                        let position = position as u16;
                        self.work.push(Work { state, root: state, position, mover: position });
                    }
                }
                self.next += 1;
            }
            if !self.work.is_empty() {
                return;
            }
            self.group += 1;
            self.next = self.frontier;
        }
    }

    fn span(&self, group: usize) -> (usize, usize) {
        self.reached.states.spans().nth(group).expect("a group of the system")
    }

    /// Note that the closure of the thread at a position contains a state; whether that is news.
    #[inline]
    fn close(&mut self, state: StateId, position: usize) -> bool {
        let Some(recent) = state.index().checked_sub(self.frontier) else {
            return false; // Older states are closed by all.
        };
        let word = &mut self.closed[recent * self.closed_bytes + position / 8];
        let bit = 1 << (position % 8);
        let news = *word & bit == 0;
        *word |= bit;
        news
    }

    fn limit_reached(&self, meter: &mut Meter) -> Option<Limit> {
        let growth = STEPS_AT_ONCE;
        if self.reached.states.room() < 2 * growth {
            return Some(Limit::States);
        }
        meter.reached(self.reached.len(), self.bytes() + self.reached.growth(growth))
    }

    /// Expand the last entries of the work list by one step each, or as many of them as have not
    /// too many steps.
    fn expand(&mut self, count: usize) {
        let mut batch = std::mem::take(&mut self.batch);
        let first = self.work.len() - count;
        self.compute_steps(first, &mut batch.steps);
        batch.keys.clear();
        batch.found.clear();
        let expanded = first..first + batch.steps.len();
        for (work, &steps) in self.work.drain(expanded).zip(&batch.steps) {
            for step in steps.numbers() {
                let position = work.position as usize;
                let position = self.reached.successor(work.state, position, step, &mut batch.keys);
                batch.found.push(Work { position: position as u16, ..work });
            }
        }
        let known = self.reached.len();
        let found = &mut batch.found;
        let (roots, movers) = (&mut self.roots, &mut self.movers);
        self.reached.states.insert_batch(&batch.keys, |index, state, new| {
            let work = &mut found[index];
            work.state = state;
            if new {
                push_within_a_quarter(roots, work.root);
                push_within_a_quarter(movers, work.mover);
            }
        });
        let recent = self.reached.len() - self.frontier;
        self.closed.resize(recent * self.closed_bytes, 0);
        for work in &batch.found {
            if self.close(work.state, work.position as usize) {
                self.work.push(*work);
            }
        }
        self.batch = batch;
        self.reached.observe(known);
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
        self.closed.drain(..(self.frontier_end - self.frontier) * self.closed_bytes);
        self.frontier = self.frontier_end;
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
            + self.movers.capacity() * 2
            + self.closed.capacity()
            + self.work.capacity() * size_of::<Work>()
    }

    fn advance(&mut self, meter: &mut Meter) -> Outcome {
        let pause = self.reached.len().saturating_add(meter.limits().pause);
        while let Some(count) = self.next_batch() {
            if let Some(limit) = self.limit_reached(meter) {
                return Outcome::Stopped(limit);
            }
            self.expand(count);
            if self.reached.len() >= pause {
                return Outcome::Paused;
            }
        }
        self.finish_round();
        Outcome::Done
    }

    fn first(&mut self, wanted: &Wanted, from: usize, meter: &mut Meter) -> Result<Search, Limit> {
        self.reached.first(wanted, from, &self.rounds, meter)
    }

    fn trace(&mut self, found: &Found, meter: &mut Meter) -> Result<Vec<Context>, Limit> {
        let ends = self.ends_of_contexts(self.reached.state_of(found));
        let mover = |state: StateId| self.movers[state.index()] as usize;
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
