//! The plain engine: all reachable states, breadth first, one step at a time.
//!
//! R_s is what s steps of any threads can reach. There are no contexts, so no state has to be
//! expanded by one thread to the end before another one moves, and a state is expanded once. It
//! ends where finitely many states are reachable, and otherwise finds every state in the end.
//!
//! A level is what one more step adds. The first ones are rounds. There may be very many small ones,
//! so later a round is complete at the end of the first level by which the states have grown by a
//! quarter. R_s = R_{s+1} shows
//! that nothing else is reachable.
//!
//! States are numbered as they are found, so those still to be expanded are the last ones. Every
//! state remembers the one that it was found from, and who moved: that is a run with the fewest
//! steps, not one with the fewest contexts.

use crate::engines::kernel::{Context, Found, Kernel, Round, Search, Wanted};
use crate::engines::listed_runs::contexts_between;
use crate::limits::{Limit, Meter, Outcome};
use crate::program::Point;
use crate::sets::positions::Positions;
use crate::sets::reached::{Reached, push_within_an_eighth};
use crate::sets::states::StateId;
use crate::sets::thread_states::Span;
use crate::sets::visible::TopPoints;
use crate::system::{Handle, Symmetry};

/// The engine for one system.
pub struct PlainKernel {
    reached: Reached,
    /// For each state, the one that it was found from.
    parents: Vec<StateId>,
    /// For each state, the position in its parent of the thread that moved.
    movers: Positions,
    /// The first state that was not expanded.
    next: usize,
    /// The states before this one are those of the levels that are complete.
    level_end: usize,
    /// How many steps lead to the states of these levels.
    steps: usize,
    rounds: Vec<Round>,
    batch: Batch,
}

/// Room for the steps of a few states.
#[derive(Default)]
struct Batch {
    /// For each position, the states from which the thread there moves, and its steps.
    work: Vec<Vec<(StateId, Span)>>,
    moves: Vec<Move>,
    keys: Vec<u64>,
}

/// A step of the thread at a position of a state.
#[derive(Clone, Copy, Debug)]
struct Move {
    state: StateId,
    step: u32,
    position: u16,
}

/// How many levels are rounds of their own.
const FIRST_LEVELS: usize = 16;

/// How many states are expanded together.
const BATCH: usize = 128;

/// With how many steps at most, give or take those of one state.
const STEPS_AT_ONCE: usize = 64 * BATCH;

impl PlainKernel {
    /// More threads than this cannot be explored.
    pub const MAX_THREADS: usize = u16::MAX as usize;

    /// A kernel that knows the initial state, up to exchanging threads.
    pub fn new(handle: &Handle, symmetry: impl Into<Symmetry>) -> Self {
        let reached = Reached::new(handle, symmetry.into());
        let mut kernel = Self {
            movers: Positions::new(reached.states.positions()),
            reached,
            parents: vec![StateId::INITIAL],
            next: 0,
            level_end: 1,
            steps: 0,
            rounds: Vec::new(),
            batch: Batch::default(),
        };
        kernel.movers.push(0);
        kernel.rounds.push(kernel.so_far());
        kernel
    }

    /// Note that a level is complete; whether a round is, too.
    fn finish_level(&mut self) -> bool {
        self.steps += 1;
        let states = self.reached.len();
        let grown = states > self.level_end;
        self.level_end = states;
        let before = self.rounds.last().map_or(0, |round| round.parts);
        let is_round = !grown || self.rounds.len() < FIRST_LEVELS || states - before > before / 4;
        if is_round {
            self.rounds.push(self.so_far());
        }
        is_round
    }

    fn limit_reached(&self, meter: &mut Meter) -> Option<Limit> {
        if self.reached.states.room() < 2 * STEPS_AT_ONCE {
            return Some(Limit::States);
        }
        meter.reached(self.reached.len(), self.bytes() + self.reached.growth(STEPS_AT_ONCE))
    }

    /// Expand a few states of the level.
    fn expand(&mut self) {
        let mut batch = std::mem::take(&mut self.batch);
        self.collect_work(&mut batch.work);
        batch.keys.clear();
        batch.moves.clear();
        for position in 0..batch.work.len() {
            self.compute_successors(position, &mut batch);
        }
        let known = self.reached.len();
        let mut next = known;
        for (found, of) in self.reached.states.insert_batch(&batch.keys).zip(&batch.moves) {
            if found.index() == next {
                push_within_an_eighth(&mut self.parents, of.state);
                self.movers.push(of.position);
                next += 1;
            }
        }
        self.batch = batch;
        self.reached.observe(known);
    }

    fn compute_successors(&self, position: usize, batch: &mut Batch) {
        let Batch { work, moves, keys } = batch;
        let first = moves.len();
        for &(state, steps) in &work[position] {
            let steps = steps.numbers().map(|step| step as u32);
            moves.extend(steps.map(|step| Move { state, step, position: position as u16 }));
        }
        let moves = &moves[first..];
        if let Some(lone) = self.reached.lone(position) {
            let target = |of: &Move| self.reached.target(position, of.step as usize);
            keys.extend(moves.iter().map(|of| lone.successor(of.state, target(of))));
        } else {
            for of in moves {
                self.reached.successor(of.state, position, of.step as usize, keys);
            }
        }
    }

    /// The steps of the next states. They are known before any key is made, because steps that
    /// were not known may change how keys are packed.
    fn collect_work(&mut self, work: &mut Vec<Vec<(StateId, Span)>>) {
        work.iter_mut().for_each(Vec::clear);
        work.resize_with(self.reached.states.positions(), Vec::new);
        let mut count = 0;
        let end = self.level_end.min(self.next + BATCH);
        while self.next < end && count <= STEPS_AT_ONCE {
            let state = StateId::from_index(self.next);
            for (position, work) in work.iter_mut().enumerate() {
                if self.reached.states.is_first_of_equals(state, position) {
                    let steps = self.reached.steps(state, position);
                    work.push((state, steps));
                    count += steps.len();
                }
            }
            self.next += 1;
        }
    }

    /// The states on the way to a state, the initial one first.
    fn way_to(&self, state: StateId) -> Vec<StateId> {
        let mut way = vec![state];
        while let Some(&state) = way.last()
            && state != StateId::INITIAL
        {
            way.push(self.parents[state.index()]);
        }
        way.reverse();
        way
    }
}

impl Kernel for PlainKernel {
    fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    fn so_far(&self) -> Round {
        Round { steps: Some(self.steps), ..self.reached.round() }
    }

    fn work(&self) -> usize {
        self.reached.len()
    }

    fn bytes(&self) -> usize {
        self.reached.bytes() + self.parents.capacity() * 4 + self.movers.bytes()
    }

    fn advance(&mut self, meter: &mut Meter) -> Outcome {
        let pause = self.reached.len().saturating_add(meter.limits().pause);
        loop {
            if self.next == self.level_end && self.finish_level() {
                return Outcome::Done;
            }
            if let Some(limit) = self.limit_reached(meter) {
                return Outcome::Stopped(limit);
            }
            if self.reached.len() >= pause {
                return Outcome::Paused;
            }
            self.expand();
        }
    }

    fn first(&mut self, wanted: &Wanted, from: usize, meter: &mut Meter) -> Result<Search, Limit> {
        self.reached.first(wanted, from, &self.rounds, meter)
    }

    fn trace(&mut self, found: &Found, meter: &mut Meter) -> Result<Vec<Context>, Limit> {
        let way = self.way_to(self.reached.state_of(found));
        let mover = |state: StateId| self.movers.get(state.index());
        contexts_between(&mut self.reached, &way, mover, found, meter)
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
