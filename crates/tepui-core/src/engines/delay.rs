//! The delay engine: R(r, d), what a round-robin scheduler reaches within r rounds and d delays
//! (DrUBA, Definition 1), for growing r and d.
//!
//! Time is a row of *turns*: turn p belongs to thread p mod n, and n turns are a round. In its turn
//! a thread takes a step, or stays where it is if it has none, or is *delayed*, which costs. R(r, d)
//! is what can be reached after at most r·n turns with at most d delays. It is always finite.
//!
//! A *scheduled state* is a state and the thread whose turn is next. What follows from it does not
//! depend on how it was reached, only on how many turns and delays are left. So it is expanded again
//! whenever it is reached at a cost, a pair of turns and delays, that no earlier cost equals or
//! undercuts in both. These Pareto-minimal costs are kept in layers: layer (δ, p) lists the states
//! that are reached after p turns with δ delays, and not more cheaply. DrUBA's Algorithms 1 and 2 as
//! printed keep the first cost only, and lose schedules.
//!
//! A new round adds layers with more turns than any before: n in a row, so that each scheduled
//! state has one of them, and of these the layers with fewer delays come first. A new delay adds
//! layers with more delays than any before, those with fewer turns first. So all that has to be
//! remembered of the costs of a scheduled state are the fewest turns and the fewest delays: when a
//! round is added, a cost is undercut exactly if the fewest delays so far are not more; when a
//! delay is added, if the fewest turns are not more. The layers at the border are the frontier from
//! which R(r, d) grows.
//!
//! Round-robin tells equal threads apart, so there is no symmetry here.

use std::ops::Range;

use crate::engines::kernel::{Context, Delayed, Found, Kernel, Round, Search, Wanted};
use crate::limits::{Limit, Meter, Outcome};
use crate::program::Point;
use crate::sets::reached::{Reached, push_within_an_eighth};
use crate::sets::states::StateId;
use crate::sets::thread_states::Span;
use crate::sets::top_words::TopWords;
use crate::sets::visible::TopPoints;
use crate::system::{Handle, Symmetry};

/// In which direction R(r, d) grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// To R(r + 1, d).
    Round,
    /// To R(r, d + 1).
    Delay,
}

/// The engine for one system.
pub struct DelayKernel {
    reached: Reached,
    threads: usize,
    top_words: TopWords,
    /// The fewest turns and delays for each state and the thread whose turn is next.
    costs: Vec<Cost>,
    /// How many of these were ever met.
    scheduled: usize,
    /// The states of all layers, one layer after the other, in the order of discovery.
    entries: Vec<StateId>,
    /// By delays, the layers that are not empty, in ascending order of turns.
    layers: Vec<Vec<Layer>>,
    layer_count: usize,
    images: usize,
    rounds: Vec<Round>,
    /// The r and d of the last of them.
    bounds: (u32, u32),
    /// The growth that is not complete, if there is one.
    growing: Option<Growing>,
    batch: Batch,
}

/// Where the entries of a layer begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layer {
    turns: usize,
    start: usize,
    end: usize,
}

#[derive(Clone, Copy, Debug)]
struct Cost {
    turns: u32,
    delays: u32,
}

const UNMET: Cost = Cost { turns: u32::MAX, delays: u32::MAX };

/// How far a growth has come.
#[derive(Clone, Copy, Debug)]
struct Growing {
    growth: Growth,
    /// How many of its layers are complete, those that are passed over included.
    layers: usize,
    /// For the next one, how many entries of the layer one turn before were run, and how many of the
    /// one with one delay less were delayed.
    run: usize,
    delayed: usize,
}

/// What a thread does that runs in its turn.
#[derive(Clone, Copy, Debug)]
enum Move {
    /// It takes the rule with this number.
    Step(u32),
    /// It has no step.
    Stay,
}

/// Room for the successors of a few states.
#[derive(Default)]
struct Batch {
    steps: Vec<Span>,
    keys: Vec<u64>,
    found: Vec<StateId>,
}

/// How many states are expanded together.
const BATCH: usize = 128;

/// With how many steps at most, give or take those of one state.
const STEPS_AT_ONCE: usize = 64 * BATCH;

/// Raising a bound takes about as long as this many images, even if there are none.
const WORK_OF_A_STEP: usize = 500;

impl DelayKernel {
    /// A kernel that knows R(0, 0), the initial state; `tops` is how many symbols of each
    /// stack to look at, beyond the visible states.
    pub fn new(handle: &Handle, tops: usize) -> Self {
        let reached = Reached::new(handle, Symmetry::None);
        let threads = reached.states.positions();
        let mut delays = Self {
            top_words: TopWords::new(&reached, tops),
            threads,
            reached,
            costs: vec![UNMET; threads],
            scheduled: 1,
            entries: vec![StateId::INITIAL],
            layers: vec![vec![Layer { turns: 0, start: 0, end: 1 }]],
            layer_count: 1,
            images: 0,
            rounds: Vec::new(),
            bounds: (0, 0),
            growing: None,
            batch: Batch::default(),
        };
        delays.costs[0] = Cost { turns: 0, delays: 0 };
        delays.rounds.push(delays.so_far());
        delays
    }

    /// How many scheduled states were met.
    pub fn scheduled(&self) -> usize {
        self.scheduled
    }

    /// How often the successors of a state were computed.
    pub fn images(&self) -> usize {
        self.images
    }

    /// Whether no further growth in one direction alone will ever add a state, because nothing is
    /// left to grow from.
    pub fn is_exhausted(&self, growth: Growth) -> bool {
        let turns = self.bounds.0 as usize * self.threads;
        self.growing.is_none()
            && match growth {
                Growth::Round => {
                    let mut last = self.layers.iter().filter_map(|layers| layers.last());
                    last.all(|layer| layer.turns < turns)
                }
                Growth::Delay => {
                    let border = self.layers.last().expect("there is one without delays");
                    border.iter().all(|layer| layer.turns == turns)
                }
            }
    }

    /// Whether every scheduled state that was met was run and delayed, and all that this leads to
    /// was met: nothing is reached after the last turn, and all that was reached with the last
    /// delay is; so there is none of the latter either.
    pub fn is_closed(&self) -> bool {
        self.is_exhausted(Growth::Round) && self.is_exhausted(Growth::Delay)
    }

    /// Grow in a direction, or go on with the growth that was left unfinished.
    pub fn grow(&mut self, growth: Growth, meter: &mut Meter) -> Outcome {
        let pause = self.entries.len().saturating_add(meter.limits().pause);
        let mut growing = self.growing.take().unwrap_or_else(|| self.begin(growth));
        while let Some(layer) = self.next_layer(&mut growing) {
            if let Some(limit) = self.limit_reached(meter) {
                self.growing = Some(growing);
                return Outcome::Stopped(limit);
            }
            if self.entries.len() >= pause {
                self.growing = Some(growing);
                return Outcome::Paused;
            }
            if !self.extend(layer, &mut growing) {
                growing = Growing { layers: growing.layers + 1, run: 0, delayed: 0, ..growing };
            }
        }
        match growing.growth {
            Growth::Round => self.bounds.0 += 1,
            Growth::Delay => self.bounds.1 += 1,
        }
        self.rounds.push(self.so_far());
        Outcome::Done
    }

    /// Within how many rounds a state was found, and the fewest delays with which it is found
    /// within them.
    fn found_at(&self, state: StateId) -> (usize, usize) {
        let (delays, turns) = self.first_layer_with(state);
        (turns.div_ceil(self.threads), delays)
    }

    fn begin(&mut self, growth: Growth) -> Growing {
        if growth == Growth::Delay {
            self.layers.push(Vec::new());
        }
        Growing { growth, layers: 0, run: 0, delayed: 0 }
    }

    /// The layer that a growth makes next, as its delays and turns. With one more delay, layers
    /// that nothing leads to are passed over.
    fn next_layer(&self, growing: &mut Growing) -> Option<(usize, usize)> {
        let (rounds, delays) = self.bounds;
        let (turns, delays) = (rounds as usize * self.threads, delays as usize);
        let next = growing.layers;
        match growing.growth {
            Growth::Round => {
                let layer = (next / self.threads, turns + 1 + next % self.threads);
                (layer.0 <= delays).then_some(layer)
            }
            Growth::Delay => {
                if self.entries_of((delays + 1, next)).is_empty() {
                    let sources = &self.layers[delays];
                    let source = sources.partition_point(|layer| layer.turns < next);
                    growing.layers = sources.get(source)?.turns;
                }
                (growing.layers < turns).then_some((delays + 1, growing.layers + 1))
            }
        }
    }

    /// Make more of a layer: its thread runs in the states of the layer one turn before, and is
    /// delayed in those of the layer that has one delay less as well. Whether there was anything.
    fn extend(&mut self, (delays, turns): (usize, usize), growing: &mut Growing) -> bool {
        let known = self.entries.len();
        let before = self.entries_of((delays, turns - 1));
        let first = before.start + growing.run;
        if first < before.end {
            let some = first..before.end.min(first + BATCH);
            growing.run += self.run(some, (delays, turns), growing.growth);
        } else {
            let before = if delays > 0 { self.entries_of((delays - 1, turns - 1)) } else { 0..0 };
            let first = before.start + growing.delayed;
            if first >= before.end {
                return false;
            }
            let until = before.end.min(first + STEPS_AT_ONCE);
            for entry in first..until {
                self.meet(self.entries[entry], (delays, turns), growing.growth);
            }
            growing.delayed += until - first;
        }
        self.close_layer((delays, turns), known);
        true
    }

    /// Note that entries from a number on are of a layer.
    fn close_layer(&mut self, (delays, turns): (usize, usize), start: usize) {
        let end = self.entries.len();
        match self.layers[delays].last_mut() {
            Some(layer) if layer.turns == turns => layer.end = end,
            _ if start < end => {
                self.layers[delays].push(Layer { turns, start, end });
                self.layer_count += 1;
            }
            _ => {}
        }
    }

    /// Let the thread whose turn it is run in the states of some entries, or as many of them as
    /// have not too many steps; how many.
    fn run(&mut self, entries: Range<usize>, layer: (usize, usize), growth: Growth) -> usize {
        let thread = (layer.1 - 1) % self.threads;
        let mut batch = std::mem::take(&mut self.batch);
        batch.steps.clear();
        let mut count = 0;
        for entry in entries.clone() {
            if count > STEPS_AT_ONCE {
                break;
            }
            // Before any key is made, as this may change how keys are packed.
            let steps = self.reached.steps(self.entries[entry], thread);
            count += steps.len();
            batch.steps.push(steps);
        }
        batch.keys.clear();
        batch.found.clear();
        let locals = &self.reached.locals[self.reached.states.template(thread)];
        for (&state, &steps) in self.entries[entries].iter().zip(&batch.steps) {
            if steps.is_empty() {
                batch.found.push(state);
            }
            for target in locals.targets(steps) {
                self.reached.states.successor(state, thread, target, &mut batch.keys);
            }
        }
        let known = self.reached.len();
        batch.found.extend(self.reached.states.insert_batch(&batch.keys));
        self.reached.observe(known);
        self.top_words.observe(&self.reached, known);
        let costs = self.reached.len() * self.threads;
        if costs > self.costs.capacity() {
            self.costs.reserve_exact(room_for(costs) - self.costs.len());
        }
        self.costs.resize(costs, UNMET);
        for &state in &batch.found {
            self.meet(state, layer, growth);
        }
        let run = batch.steps.len();
        self.images += run;
        self.batch = batch;
        run
    }

    /// Put a state into the layer that is being made, unless it was reached more cheaply.
    #[inline]
    fn meet(&mut self, state: StateId, (delays, turns): (usize, usize), growth: Growth) {
        let cost = &mut self.costs[state.index() * self.threads + turns % self.threads];
        let (delays, turns) = (delays as u32, turns as u32);
        let is_undercut = match growth {
            Growth::Round => cost.delays <= delays,
            Growth::Delay => cost.turns <= turns,
        };
        if is_undercut {
            return;
        }
        self.scheduled += usize::from(cost.turns == u32::MAX);
        cost.turns = cost.turns.min(turns);
        cost.delays = cost.delays.min(delays);
        push_within_an_eighth(&mut self.entries, state);
    }

    fn limit_reached(&self, meter: &mut Meter) -> Option<Limit> {
        let growth = STEPS_AT_ONCE;
        if self.reached.states.room() < 2 * growth {
            return Some(Limit::States);
        }
        let (rounds, delays) = self.bounds;
        if (rounds as usize + 1) * self.threads >= u32::MAX as usize || delays + 1 == u32::MAX {
            return Some(Limit::States);
        }
        let costs = self.costs.len() + self.threads * growth;
        let costs = if costs > self.costs.capacity() { room_for(costs) } else { 0 };
        let bytes = self.bytes() + self.reached.growth(growth) + costs * size_of::<Cost>();
        meter.reached(self.reached.len(), bytes)
    }

    /// Where the entries of a layer are.
    fn entries_of(&self, (delays, turns): (usize, usize)) -> Range<usize> {
        let layers = &self.layers[delays];
        match layers.binary_search_by_key(&turns, |layer| layer.turns) {
            Ok(place) => layers[place].start..layers[place].end,
            Err(_) => 0..0,
        }
    }

    /// The layer in which a state was found, as its delays and turns.
    fn first_layer_with(&self, state: StateId) -> (usize, usize) {
        let is_state = |&entry: &StateId| entry == state;
        let place = self.entries.iter().position(is_state).expect("a state of some layer");
        let layers = self
            .layers
            .iter()
            .enumerate()
            .flat_map(|(delays, layers)| layers.iter().map(move |layer| (delays, layer)));
        let mut holding = layers.filter(|(_, layer)| (layer.start..layer.end).contains(&place));
        let (delays, layer) = holding.next().expect("every entry is in a layer");
        (delays, layer.turns)
    }

    /// How a thread that runs in its turn gets from a state to another, if it does.
    fn move_between(&self, before: StateId, after: StateId, thread: usize) -> Option<Move> {
        let states = &self.reached.states;
        let mut others = (0..self.threads).filter(|&other| other != thread);
        if !others.all(|other| states.local(before, other) == states.local(after, other)) {
            return None;
        }
        let locals = &self.reached.locals[states.template(thread)];
        let start = self.reached.thread_state(before, thread);
        let mut steps = locals.steps_with_rules(start).peekable();
        if steps.peek().is_none() {
            return (before == after).then_some(Move::Stay);
        }
        let end = self.reached.thread_state(after, thread);
        steps.find(|&(target, _)| target == end).map(|(_, rule)| Move::Step(rule))
    }
}

impl Kernel for DelayKernel {
    fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    fn so_far(&self) -> Round {
        let (rounds, delays) = self.bounds;
        let visible = self.reached.visible().len();
        let top_words = self.top_words.count().unwrap_or(visible);
        let delayed = Some(Delayed { rounds, delays, top_words, images: self.images });
        Round { delayed, ..self.reached.round() }
    }

    fn work(&self) -> usize {
        self.images + WORK_OF_A_STEP * self.rounds.len()
    }

    fn bytes(&self) -> usize {
        self.reached.bytes()
            + self.top_words.bytes()
            + self.costs.capacity() * size_of::<Cost>()
            + self.entries.capacity() * 4
            + 2 * self.layer_count * size_of::<Layer>()
    }

    /// By a round.
    fn advance(&mut self, meter: &mut Meter) -> Outcome {
        self.grow(Growth::Round, meter)
    }

    fn first(&mut self, wanted: &Wanted, from: usize, meter: &mut Meter) -> Result<Search, Limit> {
        let mut search = self.reached.first(wanted, from, &self.rounds, meter)?;
        if let Some(found) = &mut search.found {
            let (rounds, delays) = self.found_at(self.reached.state_of(found));
            (found.bound, found.rounds) = (delays, Some(rounds));
        }
        Ok(search)
    }

    /// With the fewest delays within the rounds in which it was first found.
    fn trace(&mut self, found: &Found, meter: &mut Meter) -> Result<Vec<Context>, Limit> {
        let mut state = self.reached.state_of(found);
        let (mut delays, mut turns) = self.first_layer_with(state);
        let mut steps = Vec::new();
        while turns > 0 {
            if let Some(limit) = meter.reached(0, 0) {
                return Err(limit);
            }
            turns -= 1;
            let thread = turns % self.threads;
            let mut before = self.entries[self.entries_of((delays, turns))].iter();
            match before
                .find_map(|&before| Some((before, self.move_between(before, state, thread)?)))
            {
                Some((before, Move::Step(rule))) => {
                    steps.push((thread as u32, rule));
                    state = before;
                }
                Some((_, Move::Stay)) => {}
                None => delays -= 1,
            }
        }
        steps.reverse();
        Ok(in_contexts(&steps))
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

/// How much room to make when this many costs do not fit: doubling would waste memory.
fn room_for(costs: usize) -> usize {
    costs + costs / 4
}

/// Steps of threads as contexts.
fn in_contexts(steps: &[(u32, u32)]) -> Vec<Context> {
    let contexts = steps.chunk_by(|left, right| left.0 == right.0);
    contexts
        .map(|context| Context {
            thread: context[0].0,
            rules: context.iter().map(|&(_, rule)| rule).collect(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::system::short::{q, rule, s};
    use crate::system::{System, Template};
    use crate::whole_stacks::Reach;

    /// Threads that only change the shared state: each takes it from the first to the second.
    fn of_threads(steps: &[(u32, u32)]) -> DelayKernel {
        let template = |&(source, target): &(u32, u32)| {
            Template::new(2, vec![s(1)], vec![rule(source, 1, target, &[1])])
        };
        let templates = steps.iter().map(template).collect();
        let threads = (0..steps.len() as u32).collect();
        DelayKernel::new(&System::new(4, q(0), templates, threads).into_handle(), 1)
    }

    fn grow(delays: &mut DelayKernel, growth: Growth) -> usize {
        assert_eq!(delays.grow(growth, &mut Meter::over(Limits::default())), Outcome::Done);
        delays.so_far().parts
    }

    fn trace(delays: &mut DelayKernel, shared: u32) -> Vec<Context> {
        let mut meter = Meter::over(Limits::default());
        let reach = Reach { shared: Some(q(shared)), stacks: vec![None; delays.threads] };
        let search = delays.first(&Wanted::Stacks(reach), 0, &mut meter).expect("no limit");
        delays.trace(&search.found.expect("a state with this"), &mut meter).expect("no limit")
    }

    #[test]
    fn one_delay_is_not_enough_for_the_last_of_three_threads() {
        let mut delays = of_threads(&[(0, 1), (0, 1), (0, 2)]);
        let walk = [
            (Growth::Round, 2),
            (Growth::Round, 2),
            (Growth::Delay, 2),
            (Growth::Delay, 3),
            (Growth::Round, 3),
        ];
        for (growth, states) in walk {
            assert_eq!(grow(&mut delays, growth), states);
        }
        assert_eq!(delays.found_at(StateId::new(2)), (1, 2));
        assert_eq!(trace(&mut delays, 2), [Context { thread: 2, rules: vec![0] }]);
    }

    #[test]
    fn a_thread_without_a_step_lets_its_turn_pass_for_free() {
        let mut delays = of_threads(&[(1, 2), (2, 3), (0, 1)]);
        assert_eq!(grow(&mut delays, Growth::Round), 2);
        assert_eq!(grow(&mut delays, Growth::Round), 4);
        assert_eq!(
            (delays.found_at(StateId::new(1)), delays.found_at(StateId::new(3))),
            ((1, 0), (2, 0))
        );
        let threads: Vec<u32> =
            trace(&mut delays, 3).iter().map(|context| context.thread).collect();
        assert_eq!(threads, [2, 0, 1]);
    }

    #[test]
    fn growth_ends_where_nothing_is_left_to_grow_from() {
        let mut delays = of_threads(&[(0, 1), (1, 2)]);
        assert!(!delays.is_exhausted(Growth::Round));
        assert!(delays.is_exhausted(Growth::Delay)); // There is no turn yet.
        for _ in 0..4 {
            grow(&mut delays, Growth::Round);
        }
        assert!(delays.is_exhausted(Growth::Round));
        assert!(!delays.is_exhausted(Growth::Delay));
    }

    #[test]
    fn a_growth_that_is_stopped_goes_on_where_it_was() {
        let steps = [(0, 1), (1, 2), (2, 3), (3, 0)];
        let (mut whole, mut halting) = (of_threads(&steps), of_threads(&steps));
        for growth in [Growth::Round, Growth::Delay, Growth::Delay, Growth::Round, Growth::Round] {
            grow(&mut whole, growth);
            let limits = Limits { pause: 1, ..Limits::default() };
            while halting.grow(growth, &mut Meter::over(limits)) == Outcome::Paused {}
        }
        assert_eq!(whole.entries, halting.entries);
        assert_eq!(whole.layers, halting.layers);
    }
}
