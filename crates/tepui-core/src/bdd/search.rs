//! R_0, R_1, R_2 and so on as sets of bits: what is reachable within k contexts.
//!
//! Threads take small steps, edge by edge. Inside an atomic section a thread does not rest, so no
//! other one runs; what blocks there never rests, and is no state of R_k. The small steps of one
//! thread are explored shape by shape: all states with one shape are one set, which its edges take
//! to others at once. R_k grows until it is equal to R_{k+1}, and equal sets are equal nodes.
//!
//! What every edge was given, and what was new in what it made, is kept as an [`Event`], so that a
//! run to a state that was found can be read back, from its end to its beginning.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::bad::Bad;
use super::encoding::{Encoding, Order, Part, has_bytes, level};
use super::fixed::Fixed;
use super::given::Values;
use super::nodes::{Bdd, Nodes, Work};
use super::relation::{descending, starts_with};
use super::sample::Sample;
use super::shapes::{Shape, Shapes, ThreadInfo};
use super::stop::Stop;
use super::stuck::Able;
use super::ways::Way;
use crate::limits::{Limit, Meter, Outcome};
use crate::program::{NO_VALUE, Program};
use crate::system::{Handle, lock};

/// The reachable states of a program, as sets of bits.
#[derive(Debug)]
pub struct BitsSearch {
    pub(super) handle: Handle,
    pub(super) encoding: Encoding,
    pub(super) nodes: Nodes,
    pub(super) threads: Vec<ThreadInfo>,
    pub(super) shapes: Vec<Shapes>,
    /// For each thread and each of its shapes, the ways to take a step, once they were needed.
    pub(super) ways: FxHashMap<(usize, u32), Vec<Way>>,
    /// What is given in all states that were met with it.
    pub(super) given: FxHashMap<(usize, u32), Arc<Values>>,
    pub(super) fixed: Fixed,
    pub(super) able: Able,
    pub(super) bad: Vec<Bad>,
    /// Whether deadlocks are bad as well.
    deadlock: bool,
    /// R_0 and what every context adds.
    pub(super) rounds: Vec<Round>,
    /// The states inside of atomic sections.
    pub(super) inside: Bdd,
    /// What the last complete round has added.
    new: Bdd,
    current: Option<Current>,
    /// The closures of the threads that ran before in the round that is being computed.
    pub(super) open: Vec<Closure>,
    /// A bad state of the round that is being computed, if there may be a deadlock with fewer
    /// contexts.
    later: Option<FoundAt>,
    found: Option<FoundAt>,
}

/// A round: what is reachable by its end, and how that was found.
#[derive(Debug)]
pub(super) struct Round {
    pub reached: Bdd,
    pub closures: Vec<Closure>,
}

/// What one thread made of the states of the round before.
#[derive(Debug, Default)]
pub(super) struct Closure {
    pub thread: usize,
    pub events: Vec<Event>,
}

/// States with one shape of the thread that runs, from which its edges were taken.
#[derive(Debug)]
pub(super) struct Event {
    pub shape: u32,
    pub sources: Vec<Source>,
    /// What was given when the edges were worked out.
    pub given: Arc<Values>,
}

/// Where states of an event come from: an earlier event and one of the ways from its shape, or the
/// round before.
#[derive(Debug)]
pub(super) struct Source {
    pub from: Option<(usize, usize)>,
    pub set: Bdd,
    /// What was fixed then.
    pub fixed: Arc<Values>,
}

/// The thread that is running in the round that is being computed.
#[derive(Debug)]
struct Current {
    closure: Closure,
    /// The states that were found for each shape, without the shape's own bits.
    seen: BTreeMap<u32, Bdd>,
    /// The states of the rounds before with each shape, once they were needed.
    before: BTreeMap<u32, Bdd>,
    /// What is to be explored for each shape, and where it comes from.
    pending: BTreeMap<u32, (Bdd, Vec<Source>)>,
    /// The shapes in the order in which they are explored.
    queue: VecDeque<u32>,
    /// What is being explored: the number of its event, the states, and the next way.
    at: Option<(usize, Bdd, usize)>,
    /// What the threads before this one have added to the round.
    gathered: Bdd,
}

/// A bad state that was found.
#[derive(Clone, Debug)]
pub(super) struct FoundAt {
    /// After how many contexts.
    pub contexts: usize,
    /// Its bits that matter.
    pub bits: Vec<(u32, bool)>,
}

impl BitsSearch {
    /// A search that knows the initial states, or why there can be none.
    pub fn new(
        handle: &Handle,
        bad: Vec<Bad>,
        deadlock: bool,
        order: Order,
        meter: &mut Meter,
    ) -> Result<Self, Stop> {
        let system = lock(handle);
        let Some(machine) = system.machine() else {
            return Err(Stop::Refused("it is no program".to_owned()));
        };
        let program = machine.program();
        if program.hidden.lock.is_some() {
            return Err(Stop::Refused("it has a scheduler lock".to_owned()));
        }
        if program.fused {
            return Err(Stop::Refused("its steps are fused".to_owned()));
        }
        let threads: Vec<ThreadInfo> = system
            .threads
            .iter()
            .map(|&template| ThreadInfo {
                template: template as usize,
                kind: program.threads[template as usize].kind as usize,
            })
            .collect();
        let templates: Vec<usize> = threads.iter().map(|info| info.template).collect();
        let encoding = Encoding::new(program, &templates, order)?;
        let fixed = Fixed::new(&encoding);
        let mut search = Self {
            handle: Handle::clone(handle),
            encoding,
            nodes: Nodes::new(),
            shapes: threads.iter().map(|_| Shapes::default()).collect(),
            threads,
            ways: FxHashMap::default(),
            given: FxHashMap::default(),
            fixed,
            able: Able::default(),
            bad,
            deadlock,
            rounds: Vec::new(),
            inside: Bdd::FALSE,
            new: Bdd::FALSE,
            current: None,
            open: Vec::new(),
            later: None,
            found: None,
        };
        search.new = search.initial(program, meter)?;
        search.rounds.push(Round { reached: search.new, closures: Vec::new() });
        drop(system);
        search.look_for_bad(search.new, meter)?;
        Ok(search)
    }

    fn initial(&mut self, program: &Program, meter: &mut Meter) -> Result<Bdd, Stop> {
        let Self { nodes, encoding, shapes, threads, fixed, .. } = self;
        let mut work = Work { nodes, meter };
        let mut set = Bdd::TRUE;
        let mut values = Vec::new();
        for (cell, digits) in encoding.shared.iter().enumerate() {
            values.push((digits.clone(), program.cells[cell], program.initial[cell]));
        }
        for (thread, info) in threads.iter().enumerate() {
            let template = &program.threads[info.template];
            let waits = template.created.is_some();
            let point = if waits {
                program.waiting
            } else {
                program.point(template.procedure, template.start)
            };
            let shape = shapes[thread].number(&Shape { outer: None, points: vec![point] })?;
            for (place, &bit) in encoding.shapes[thread].iter().enumerate() {
                let is = work.nodes.bit(level(bit), shape >> place & 1 == 1);
                set = work.and(set, is)?;
            }
            let code = &program.procedures[template.procedure as usize];
            let live = &code.locations[template.start as usize].live;
            for (cell, &range) in code.cells.iter().enumerate().filter(|_| !waits) {
                let digits = encoding.frames[thread][0][&template.procedure][cell].clone();
                if live[cell] || code.initial[cell] != NO_VALUE {
                    values.push((digits, range, code.initial[cell]));
                } else {
                    fixed.release(&digits);
                }
            }
        }
        for (digits, range, value) in values {
            if value == NO_VALUE {
                let starts = starts_with(&digits, range, value, &mut work)?;
                set = work.and(set, starts)?;
                fixed.release(&digits);
            } else {
                fixed.start(&digits, value.abs_diff(range.low));
            }
        }
        Ok(set)
    }

    /// Whether another order of bits makes a difference.
    pub fn depends_on_order(&self) -> bool {
        self.with_program(has_bytes)
    }

    /// What each bit is part of, from the top of a diagram on.
    pub fn parts(&self) -> &[Part] {
        &self.encoding.parts
    }

    /// How many contexts are complete.
    pub fn contexts(&self) -> usize {
        self.rounds.len() - 1
    }

    /// Whether the last context has added nothing.
    pub fn has_collapsed(&self) -> bool {
        self.current.is_none() && self.new == Bdd::FALSE
    }

    /// After how many contexts a bad state is reached, if one was found.
    pub fn found(&self) -> Option<usize> {
        self.found.as_ref().map(|found| found.contexts)
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.nodes.count()
    }

    /// How much was done, in steps of operations.
    pub fn work(&self) -> usize {
        self.nodes.steps()
    }

    /// How much memory it holds.
    pub fn bytes(&self) -> usize {
        self.nodes.bytes()
    }

    /// Go on until a round is complete, something bad is found, or a limit is reached.
    pub fn advance(&mut self, meter: &mut Meter) -> Result<Outcome, Stop> {
        let pause = self.nodes.steps().saturating_add(meter.limits().pause);
        let rounds = self.rounds.len();
        while self.rounds.len() == rounds && self.found.is_none() {
            if self.nodes.are_many() {
                self.collect();
            }
            match self.step(meter) {
                Ok(()) => (),
                Err(Stop::Limit(limit)) => return Ok(Outcome::Stopped(limit)),
                Err(refused) => return Err(refused),
            }
            if self.nodes.steps() >= pause {
                return Ok(Outcome::Paused);
            }
            if let Some(limit) = meter.reached(0, self.bytes()) {
                return Ok(Outcome::Stopped(limit));
            }
        }
        Ok(Outcome::Done)
    }

    /// A bit of work, after which everything is as it should be, also if a limit ends it.
    fn step(&mut self, meter: &mut Meter) -> Result<(), Stop> {
        let Some(current) = &self.current else {
            let gathered = self.rounds.last().expect("there is R_0").reached;
            self.current = Some(self.begin(0, gathered, meter)?);
            return Ok(());
        };
        if let Some((event, states, way)) = current.at {
            return self.take(event, states, way, meter);
        }
        if let Some(&shape) = current.queue.front() {
            let (thread, states) = (current.closure.thread, current.pending[&shape].0);
            let given = self.find_ways(thread, shape, states, meter)?;
            let current = self.current.as_mut().expect("a thread is running");
            current.queue.pop_front();
            let (states, sources) =
                current.pending.remove(&shape).expect("something is to be explored");
            current.at = Some((current.closure.events.len(), states, 0));
            current.closure.events.push(Event { shape, sources, given });
            return Ok(());
        }
        self.finish_thread(meter)
    }

    /// A thread begins to run from what is new.
    fn begin(&mut self, thread: usize, gathered: Bdd, meter: &mut Meter) -> Result<Current, Stop> {
        let system = lock(&self.handle);
        let program = system.machine().expect("it is a program").program();
        let Self { nodes, encoding, shapes, new, fixed, .. } = self;
        let mut work = Work { nodes, meter };
        let mut start = *new;
        if let Some(halted) = program.hidden.halted {
            let runs = fixed.bit(encoding.shared[halted as usize][0], false, &mut work);
            start = work.and(start, runs)?;
        }
        let mut current = Current {
            closure: Closure { thread, events: Vec::new() },
            seen: BTreeMap::new(),
            before: BTreeMap::new(),
            pending: BTreeMap::new(),
            queue: VecDeque::new(),
            at: None,
            gathered,
        };
        for (shape, states) in by_shape(&mut work, encoding, thread, start)? {
            if shapes[thread].all()[shape as usize].rests() {
                current.seen.insert(shape, states);
                let fixed = Arc::clone(fixed.values());
                let source = Source { from: None, set: states, fixed };
                current.pending.insert(shape, (states, vec![source]));
                current.queue.push_back(shape);
            }
        }
        Ok(current)
    }

    /// Take a way from the states of an event.
    fn take(
        &mut self,
        event: usize,
        states: Bdd,
        way: usize,
        meter: &mut Meter,
    ) -> Result<(), Stop> {
        let current = self.current.as_ref().expect("a thread is running");
        let thread = current.closure.thread;
        let shape = current.closure.events[event].shape;
        let Some(chosen) = self.ways[&(thread, shape)].get(way).cloned() else {
            self.current.as_mut().expect("a thread is running").at = None;
            return Ok(());
        };
        let target = chosen.target;
        let rests = self.shapes[thread].all()[target as usize].rests();
        let reached = self.rounds.last().expect("there is R_0").reached;
        let Self { nodes, encoding, current, fixed, .. } = self;
        let current = current.as_mut().expect("a thread is running");
        let mut work = Work { nodes, meter };
        let mut after = chosen.step.after(states, &mut work)?;
        let seen = current.seen.get(&target).copied().unwrap_or(Bdd::FALSE);
        after = work.without(after, seen)?;
        if rests && after != Bdd::FALSE {
            let before = match current.before.get(&target) {
                Some(&known) => known,
                None => with_shape(&mut work, encoding, thread, target, reached)?,
            };
            current.before.insert(target, before);
            after = work.without(after, before)?;
        }
        if after != Bdd::FALSE {
            let seen = work.or(seen, after)?;
            let (pending, is_queued) = match current.pending.get(&target) {
                Some(&(pending, _)) => (work.or(pending, after)?, true),
                None => (after, false),
            };
            current.seen.insert(target, seen);
            let entry = current.pending.entry(target).or_insert((pending, Vec::new()));
            entry.0 = pending;
            let fixed = Arc::clone(fixed.values());
            entry.1.push(Source { from: Some((event, way)), set: after, fixed });
            if !is_queued {
                current.queue.push_back(target);
            }
        }
        current.at = Some((event, states, way + 1));
        Ok(())
    }

    /// A thread has come to its end in this round: note what it has added.
    fn finish_thread(&mut self, meter: &mut Meter) -> Result<(), Stop> {
        let current = self.current.as_ref().expect("a thread is running");
        let thread = current.closure.thread;
        let (mut gathered, mut inside) = (current.gathered, self.inside);
        let mut all_inside = Bdd::FALSE;
        {
            let Self { nodes, encoding, shapes, current, .. } = self;
            let current = current.as_ref().expect("a thread is running");
            let mut work = Work { nodes, meter };
            for (&shape, &seen) in &current.seen {
                let cube = shape_cube(work.nodes, encoding, thread, shape);
                let states = work.and(cube, seen)?;
                if shapes[thread].all()[shape as usize].rests() {
                    gathered = work.or(gathered, states)?;
                } else {
                    inside = work.or(inside, states)?;
                    all_inside = work.or(all_inside, states)?;
                }
            }
        }
        let contexts = self.rounds.len();
        let next = if thread + 1 < self.threads.len() {
            Some(self.begin(thread + 1, gathered, meter)?)
        } else {
            None
        };
        let reached = self.rounds.last().expect("there is R_0").reached;
        let added = Work { nodes: &mut self.nodes, meter }.without(gathered, reached)?;
        let visible = Work { nodes: &mut self.nodes, meter }.or(added, all_inside)?;
        let bad = self.bad_states(visible, meter)?;
        // By now all threads have tried to move from what was new in the round before.
        let stuck = if self.deadlock && next.is_none() {
            self.deadlocks(self.new, meter)?
        } else {
            Bdd::FALSE
        };
        // Nothing fails from here on.
        self.inside = inside;
        let current = self.current.take().expect("a thread is running");
        self.open.push(current.closure);
        if let (None, Some(bits)) = (&self.later, self.nodes.pick(bad)) {
            self.later = Some(FoundAt { contexts, bits });
        }
        if next.is_none() || !self.deadlock {
            let stuck = self.nodes.pick(stuck);
            let stuck = stuck.map(|bits| FoundAt { contexts: contexts - 1, bits });
            self.found = stuck.or_else(|| self.later.take());
        }
        self.current = next;
        if self.current.is_none() {
            self.new = added;
            let closures = std::mem::take(&mut self.open);
            self.rounds.push(Round { reached: gathered, closures });
        }
        Ok(())
    }

    fn look_for_bad(&mut self, states: Bdd, meter: &mut Meter) -> Result<(), Stop> {
        let bad = self.bad_states(states, meter)?;
        if let Some(bits) = self.nodes.pick(bad) {
            self.found = Some(FoundAt { contexts: self.rounds.len() - 1, bits });
        }
        Ok(())
    }

    /// All sets that more is made of, each with the shape of a thread if that is known.
    pub(super) fn needed(&mut self) -> Vec<(&mut Bdd, Option<(usize, u32)>)> {
        let Self { rounds, inside, new, current, .. } = self;
        let reached = rounds.last_mut().map(|round| (&mut round.reached, None));
        let mut found: Vec<_> = reached.into_iter().collect();
        found.extend([(inside, None), (new, None)]);
        if let Some(Current { closure, seen, before, pending, at, gathered, .. }) = current {
            let thread = closure.thread;
            found.push((gathered, None));
            found.extend(before.iter_mut().map(|(&shape, set)| (set, Some((thread, shape)))));
            found.extend(seen.iter_mut().map(|(&shape, set)| (set, Some((thread, shape)))));
            let pending = pending.iter_mut();
            found.extend(pending.map(|(&shape, (set, _))| (set, Some((thread, shape)))));
            if let Some((event, set, _)) = at {
                found.push((set, Some((thread, closure.events[*event].shape))));
            }
        }
        found
    }

    /// Free the nodes that nothing needs.
    fn collect(&mut self) {
        let Self { nodes, ways, able, rounds, open, inside, new, current, .. } = self;
        let mut roots: Vec<&mut Bdd> = vec![inside, new];
        roots.extend(able.values_mut());
        // In a fixed order: numbers of nodes depend on nothing else.
        let mut keys: Vec<_> = ways.iter_mut().collect();
        keys.sort_unstable_by_key(|(key, _)| **key);
        for (_, some) in keys {
            roots.extend(some.iter_mut().flat_map(|way| way.step.roots()));
        }
        let mut closures: Vec<&mut Closure> = open.iter_mut().collect();
        for Round { reached, closures: some } in rounds {
            roots.push(reached);
            closures.extend(some);
        }
        if let Some(current) = current {
            let Current { closure, seen, before, pending, at, gathered, .. } = current;
            roots.push(gathered);
            roots.extend(before.values_mut());
            roots.extend(seen.values_mut());
            for (set, sources) in pending.values_mut() {
                roots.push(set);
                roots.extend(sources.iter_mut().map(|source| &mut source.set));
            }
            roots.extend(at.iter_mut().map(|(_, set, _)| set));
            closures.push(closure);
        }
        for closure in closures {
            for event in &mut closure.events {
                roots.extend(event.sources.iter_mut().map(|source| &mut source.set));
            }
        }
        nodes.collect(roots);
    }

    /// What happens in a run to the bad state that was found: the values of all that is chosen.
    pub fn sample(&mut self, meter: &mut Meter) -> Result<Option<Sample>, Stop> {
        let Some(found) = self.found.clone() else { return Ok(None) };
        super::sample::read_back(self, &found, meter).map(Some)
    }

    pub(super) fn with_program<T>(&self, asked: impl FnOnce(&Program) -> T) -> T {
        let system = lock(&self.handle);
        asked(system.machine().expect("it is a program").program())
    }
}

/// All states, shape by shape of a thread, each set without the bits that say so. One digit after
/// another is decided, so that no set is looked at once for each shape.
fn by_shape(
    work: &mut Work,
    encoding: &Encoding,
    thread: usize,
    states: Bdd,
) -> Result<BTreeMap<u32, Bdd>, Limit> {
    let mut found = BTreeMap::from([(0, states)]);
    for (place, &position) in encoding.shapes[thread].iter().enumerate().rev() {
        let digit = work.nodes.bit(level(position), true);
        let mut decided = BTreeMap::new();
        for (number, some) in found {
            for on in [false, true] {
                let is = work.nodes.bit(level(position), on);
                let these = work.and_exists(some, is, digit)?;
                if these != Bdd::FALSE {
                    decided.insert(number | u32::from(on) << place, these);
                }
            }
        }
        found = decided;
    }
    Ok(found)
}

/// The digits of a shape of a thread, with their levels.
fn shape_bits(encoding: &Encoding, thread: usize, shape: u32) -> Vec<(u32, bool)> {
    let digits = encoding.shapes[thread].iter().enumerate();
    digits.map(|(place, &bit)| (level(bit), shape >> place & 1 == 1)).collect()
}

/// All states in which a thread has a shape.
pub(super) fn shape_cube(nodes: &mut Nodes, encoding: &Encoding, thread: usize, shape: u32) -> Bdd {
    let mut bits = shape_bits(encoding, thread, shape);
    bits.sort_unstable_by(|one, other| other.cmp(one));
    nodes.cube(bits)
}

/// Those states in which a thread has a shape, without the bits that say so.
pub(super) fn with_shape(
    work: &mut Work,
    encoding: &Encoding,
    thread: usize,
    shape: u32,
    states: Bdd,
) -> Result<Bdd, Limit> {
    let cube = shape_cube(work.nodes, encoding, thread, shape);
    let mut levels: Vec<u32> = encoding.shapes[thread].iter().map(|&bit| level(bit)).collect();
    let bits = descending(work, &mut levels);
    work.and_exists(states, cube, bits)
}
