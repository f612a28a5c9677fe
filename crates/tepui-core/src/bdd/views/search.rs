//! R_0, R_1, R_2 and so on as unions of view tuples.
//!
//! In each context, each thread runs in each view tuple that the context before has added, but not the
//! one that ran last. What it reaches is split into tuples again. Inside an atomic section a thread
//! does not rest, so only what begins with a symbol that rests goes to tuples.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::super::bad::Bad;
use super::super::encoding::level;
use super::super::nodes::{Bdd, Nodes, Work};
use super::super::relation::starts_with;
use super::super::shapes::ThreadInfo;
use super::super::stop::Stop;
use super::automata::{END, Edges, Section, States, Symbol, View};
use super::bad::is_bad;
use super::layout::Layout;
use super::poststar::Saturation;
use super::rules::{Rule, rests, rules};
use super::splitting::{Partition, Splitting, many_differ, one_of};
use super::tuples::{Tuple, Tuples};
use super::whole::Whole;
use crate::limits::{Limit, Meter, Outcome};
use crate::program::Program;
use crate::system::{Handle, lock};

/// What is reachable within more and more contexts, as view tuples.
#[derive(Debug)]
pub struct ViewSearch {
    pub(super) handle: Handle,
    pub(super) layout: Layout,
    pub(super) nodes: Nodes,
    pub(super) threads: Vec<ThreadInfo>,
    bad: Vec<Bad>,
    splitting: Splitting,
    /// For each template and each symbol, the steps, once they were needed.
    pub(super) rules: FxHashMap<(usize, Symbol), Vec<Rule>>,
    pub(super) states: States,
    pub(super) tuples: Tuples,
    /// The tuples that each context has added.
    pub(super) rounds: Vec<Vec<usize>>,
    /// What the current context has added so far.
    added: Vec<usize>,
    /// Which threads are to run in which tuples.
    todo: VecDeque<(usize, usize)>,
    current: Option<Current>,
    /// All that is reached as one set, if that is wanted.
    pub(super) exact: Option<Exact>,
    has_collapsed: bool,
    found: Option<usize>,
}

/// How much memory a transition takes, and a tuple, about.
const TRANSITION: usize = 64;
const TUPLE: usize = 256;

/// A thread runs in a tuple.
#[derive(Debug)]
struct Current {
    tuple: usize,
    thread: usize,
    saturation: Saturation,
    split: Option<Split>,
}

/// What it has reached where it rests, which is being split.
#[derive(Debug)]
struct Split {
    view: View,
    /// The ghosts, and the shared states that they become.
    moved: Bdd,
    partition: Partition,
}

/// All that is reached.
#[derive(Debug)]
pub(super) struct Exact {
    pub whole: Whole,
    /// What is reached within the contexts that are complete, and what the current one has added.
    pub reached: Bdd,
    gathered: Bdd,
    /// How many of the tuples that it has added are in there.
    done: usize,
}

impl ViewSearch {
    /// A search that knows the initial states, or why there can be none. It may know all states as one
    /// set, so that it sees when a context adds no state, and not only when it adds no tuple.
    pub fn new(
        handle: &Handle,
        bad: Vec<Bad>,
        splitting: Splitting,
        exact: bool,
        meter: &mut Meter,
    ) -> Result<Self, Stop> {
        let system = lock(handle);
        let Some(machine) = system.machine() else {
            return Err(Stop::Refused("it is no program".to_owned()));
        };
        let program = machine.program();
        let refused = [
            (program.hidden.lock.is_some(), "it has a scheduler lock"),
            (program.fused, "its steps are fused"),
            (bad.iter().any(|some| some.len() > 2), "more than two threads are asked for"),
        ];
        if let Some((_, why)) = refused.into_iter().find(|(is_so, _)| *is_so) {
            return Err(Stop::Refused(why.to_owned()));
        }
        let info = |&template: &u32| ThreadInfo {
            template: template as usize,
            kind: program.threads[template as usize].kind as usize,
        };
        let threads: Vec<ThreadInfo> = system.threads.iter().map(info).collect();
        let templates: Vec<usize> = threads.iter().map(|info| info.template).collect();
        // Whole states may have too many bits.
        let layout = match Layout::new(program, &templates, exact) {
            Err(Stop::Refused(_)) if exact => Layout::new(program, &templates, false)?,
            layout => layout?,
        };
        let exact = layout.whole.is_some().then(|| Exact {
            whole: Whole::new(threads.len()),
            reached: Bdd::FALSE,
            gathered: Bdd::FALSE,
            done: 0,
        });
        let mut search = Self {
            handle: Handle::clone(handle),
            layout,
            nodes: Nodes::new(),
            threads,
            bad,
            splitting,
            rules: FxHashMap::default(),
            states: States::new(),
            tuples: Tuples::default(),
            rounds: Vec::new(),
            added: Vec::new(),
            todo: VecDeque::new(),
            current: None,
            exact,
            has_collapsed: false,
            found: None,
        };
        search.begin(program, meter)?;
        drop(system);
        while search.rounds.is_empty() {
            search.finish_round(meter)?;
        }
        Ok(search)
    }

    /// The initial states. With eager splitting, they are a tuple for each shared state.
    fn begin(&mut self, program: &Program, meter: &mut Meter) -> Result<(), Stop> {
        let Self { nodes, layout, .. } = self;
        let mut work = Work { nodes, meter };
        let encoding = &layout.steps[0];
        let mut shared = Bdd::TRUE;
        for (cell, digits) in encoding.shared.iter().enumerate() {
            let starts =
                starts_with(digits, program.cells[cell], program.initial[cell], &mut work)?;
            shared = work.and(shared, starts)?;
        }
        let mut views = Vec::new();
        for info in &self.threads {
            let template = &program.threads[info.template];
            let waits = template.created.is_some();
            let code = &program.procedures[template.procedure as usize];
            let live = &code.locations[template.start as usize].live;
            let mut label = Bdd::TRUE;
            for (cell, &range) in code.cells.iter().enumerate() {
                if !waits && live[cell] {
                    let digits = &encoding.frames[0][0][&template.procedure][cell];
                    let starts = starts_with(digits, range, code.initial[cell], &mut work)?;
                    label = work.and(label, starts)?;
                }
            }
            let point = if waits {
                program.waiting
            } else {
                program.point(template.procedure, template.start)
            };
            views.push((Symbol { point, section: Section::Nowhere }, label));
        }
        while shared != Bdd::FALSE {
            let some = match self.splitting {
                Splitting::Eager => {
                    one_of(shared, layout.shared.iter().map(|bit| bit.now), &mut work)
                }
                Splitting::Lazy | Splitting::Sparing => shared,
            };
            let mut of_threads = Vec::new();
            for &(symbol, label) in &views {
                let label = work.and(label, some)?;
                let tops = Edges::from([((symbol, END), label)]);
                of_threads.push(View { empty: Bdd::FALSE, tops });
            }
            let tuple = Tuple { views: of_threads, shared: some, last: None };
            self.added.extend(self.tuples.add(tuple, &[], self.splitting, layout, &mut work)?);
            shared = work.without(shared, some)?;
            if let Some(limit) =
                work.meter.reached(0, work.nodes.bytes() + TUPLE * self.tuples.all.len())
            {
                return Err(limit.into());
            }
        }
        for &number in &self.added {
            let tuple = &self.tuples.all[number];
            for thread in 0..self.threads.len() {
                let view = &tuple.views[thread];
                if is_bad(&self.bad, &self.threads, tuple, thread, view, None, layout, &mut work)? {
                    self.found = Some(0);
                }
            }
        }
        Ok(())
    }

    /// How many contexts are complete.
    pub fn contexts(&self) -> usize {
        self.rounds.len() - 1
    }

    /// Whether the last context has added nothing: no state if states are known as one set, else no
    /// tuple.
    pub fn has_collapsed(&self) -> bool {
        self.has_collapsed
    }

    /// After how many contexts a bad state is reached, if one was found.
    pub fn found(&self) -> Option<usize> {
        self.found
    }

    /// For each context, how many tuples it has added, and the current one so far, if it has. Where
    /// tuples are seen to have no new state, they do not count.
    pub fn tuples(&self) -> Vec<usize> {
        let current = Some(self.added.len()).filter(|&count| count > 0);
        self.rounds.iter().map(Vec::len).chain(current).collect()
    }

    /// How many nodes there are.
    pub fn nodes(&self) -> usize {
        self.nodes.count()
    }

    /// How much was done, in steps of operations.
    pub fn work(&self) -> usize {
        self.nodes.steps()
    }

    /// How much memory it holds, about.
    pub fn bytes(&self) -> usize {
        self.nodes.bytes()
            + TRANSITION * (self.tuples.count + 2 * self.states.count)
            + TUPLE * self.tuples.all.len()
    }

    /// Go on until a context is complete, something bad is found, or a limit is reached.
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
        match &mut self.current {
            Some(Current { split: Some(_), .. }) => self.add_class(meter),
            Some(current) => match current.saturation.symbol() {
                Some(symbol) => self.saturate(symbol, meter),
                None => self.finish_thread(meter),
            },
            None => match self.todo.front() {
                Some(&(tuple, thread)) => {
                    self.current = Some(self.begin_thread(tuple, thread, meter)?);
                    self.todo.pop_front();
                    Ok(())
                }
                None => self.finish_round(meter),
            },
        }
    }

    fn begin_thread(
        &mut self,
        tuple: usize,
        thread: usize,
        meter: &mut Meter,
    ) -> Result<Current, Stop> {
        let with_ghost = self.splitting != Splitting::Eager;
        let saturation = self.saturation(tuple, thread, with_ghost, meter)?;
        Ok(Current { tuple, thread, saturation, split: None })
    }

    pub(super) fn saturation(
        &mut self,
        tuple: usize,
        thread: usize,
        with_ghost: bool,
        meter: &mut Meter,
    ) -> Result<Saturation, Limit> {
        let system = lock(&self.handle);
        let program = system.machine().expect("it is a program").program();
        let Self { nodes, layout, tuples, .. } = self;
        let mut work = Work { nodes, meter };
        let stuck = match program.hidden.halted {
            Some(cell) => work.nodes.bit(level(layout.steps[0].shared[cell as usize][0]), true),
            None => Bdd::FALSE,
        };
        let view = &tuples.all[tuple].views[thread];
        Saturation::new(view, with_ghost, stuck, layout, &mut work)
    }

    fn saturate(&mut self, symbol: Symbol, meter: &mut Meter) -> Result<(), Stop> {
        let thread = self.current.as_ref().expect("a thread is running").thread;
        self.learn(thread, symbol, meter)?;
        let Self { nodes, layout, states, threads, rules, current, .. } = self;
        let current = current.as_mut().expect("a thread is running");
        let rules = &rules[&(threads[thread].template, symbol)];
        current.saturation.step(rules, states, layout, &mut Work { nodes, meter })?;
        Ok(())
    }

    pub(super) fn learn(
        &mut self,
        thread: usize,
        symbol: Symbol,
        meter: &mut Meter,
    ) -> Result<(), Stop> {
        let info = self.threads[thread];
        if self.rules.contains_key(&(info.template, symbol)) {
            return Ok(());
        }
        let system = lock(&self.handle);
        let program = system.machine().expect("it is a program").program();
        let mut work = Work { nodes: &mut self.nodes, meter };
        let found = rules(program, &self.layout, info, symbol, &mut work)?;
        self.rules.insert((info.template, symbol), found);
        Ok(())
    }

    /// A thread can do no more: is something bad, and which shared states have become which others?
    fn finish_thread(&mut self, meter: &mut Meter) -> Result<(), Stop> {
        let system = lock(&self.handle);
        let program = system.machine().expect("it is a program").program();
        let Self { nodes, layout, tuples, threads, bad, current, splitting, .. } = self;
        let current = current.as_mut().expect("a thread is running");
        let mut work = Work { nodes, meter };
        let ghosts = (*splitting != Splitting::Eager).then_some(());
        let (tuple, view) = (&tuples.all[current.tuple], &current.saturation.view);
        if is_bad(bad, threads, tuple, current.thread, view, ghosts, layout, &mut work)? {
            self.found = Some(self.rounds.len());
            return Ok(());
        }
        let mut view = view.clone();
        view.tops.retain(|(symbol, _), _| rests(*symbol, program));
        let moved = view.shared(layout, &mut work)?;
        let partition = match splitting {
            Splitting::Eager => Partition::none(),
            Splitting::Lazy => Partition::of(moved, Bdd::TRUE, layout, &mut work)?,
            Splitting::Sparing => {
                let others = tuple.views.iter().enumerate();
                let others = others.filter(|&(other, _)| other != current.thread);
                let others: Vec<&View> = others.map(|(_, view)| view).collect();
                let differ = many_differ(&view, moved, &others, layout, &mut work)?;
                Partition::of(moved, differ, layout, &mut work)?
            }
        };
        current.split = Some(Split { view, moved, partition });
        Ok(())
    }

    /// Another tuple of what a thread has reached, or its end.
    fn add_class(&mut self, meter: &mut Meter) -> Result<(), Stop> {
        let Self { nodes, layout, tuples, states, current, splitting, added, .. } = self;
        let Some(Current { tuple, thread, saturation, split: Some(split) }) = current else {
            return Ok(());
        };
        let mut work = Work { nodes, meter };
        let (now, ghosts) =
            (layout.cube(|bit| bit.now, &mut work), layout.cube(|bit| bit.ghost, &mut work));
        let from = &tuples.all[*tuple];
        let mut views = Vec::new();
        let (shared, rest);
        match splitting {
            Splitting::Lazy | Splitting::Sparing => {
                let Some((class, partition)) = split.partition.class(layout, &mut work)? else {
                    self.current = None;
                    return Ok(());
                };
                rest = (split.moved, partition);
                let moved = work.and(split.moved, class)?;
                for (other, view) in from.views.iter().enumerate() {
                    views.push(if other == *thread {
                        let view =
                            split.view.mapped(|label| work.and_exists(label, class, ghosts))?;
                        states.keep(&view, &saturation.own, layout, &mut work)?
                    } else {
                        view.mapped(|label| {
                            let label = work.rename(label, &layout.begins)?;
                            work.and_exists(label, moved, ghosts)
                        })?
                    });
                }
                shared = work.exists(moved, ghosts)?;
            }
            Splitting::Eager => {
                if split.moved == Bdd::FALSE {
                    self.current = None;
                    return Ok(());
                }
                shared = one_of(split.moved, layout.shared.iter().map(|bit| bit.now), &mut work);
                let moved = work.without(split.moved, shared)?;
                rest = (moved, split.partition);
                for (other, view) in from.views.iter().enumerate() {
                    views.push(if other == *thread {
                        let view = split.view.mapped(|label| work.and(label, shared))?;
                        states.keep(&view, &saturation.own, layout, &mut work)?
                    } else {
                        view.mapped(|label| {
                            let label = work.exists(label, now)?;
                            work.and(label, shared)
                        })?
                    });
                }
            }
        }
        let made = Tuple { views, shared, last: Some(*thread) };
        let found = tuples.add(made, added, *splitting, layout, &mut work)?;
        added.extend(found);
        (split.moved, split.partition) = rest;
        Ok(())
    }

    /// A context is complete, or a tuple that it has added becomes part of the one set.
    fn finish_round(&mut self, meter: &mut Meter) -> Result<(), Stop> {
        if let Some(exact) = &mut self.exact {
            let mut work = Work { nodes: &mut self.nodes, meter };
            if let Some(&number) = self.added.get(exact.done) {
                let system = lock(&self.handle);
                let program = system.machine().expect("it is a program").program();
                let tuple = &self.tuples.all[number];
                let set =
                    exact.whole.of_tuple(tuple, program, &self.layout, &self.states, &mut work);
                let set = match set {
                    Err(Stop::Refused(_)) => {
                        self.exact = None; // Stacks grow without end.
                        return Ok(());
                    }
                    set => set?,
                };
                let is_old = work.without(set, exact.reached)? == Bdd::FALSE;
                exact.gathered = work.or(exact.gathered, set)?;
                if is_old {
                    self.added.remove(exact.done);
                } else {
                    exact.done += 1;
                }
                return Ok(());
            }
            exact.reached = work.or(exact.reached, exact.gathered)?;
            exact.done = 0;
        }
        self.has_collapsed = self.added.is_empty();
        let added = std::mem::take(&mut self.added);
        for &number in &added {
            let last = self.tuples.all[number].last;
            let others = (0..self.threads.len()).filter(|&thread| Some(thread) != last);
            self.todo.extend(others.map(|thread| (number, thread)));
        }
        self.rounds.push(added);
        Ok(())
    }

    /// Free the nodes that nothing needs.
    fn collect(&mut self) {
        let Self { nodes, rules, states, tuples, current, exact, .. } = self;
        let mut keys: Vec<_> = rules.iter_mut().collect();
        keys.sort_unstable_by_key(|(key, _)| **key);
        let rules = keys.into_iter().flat_map(|(_, some)| some);
        let mut roots: Vec<&mut Bdd> = rules.flat_map(|rule| rule.relation.roots()).collect();
        roots.extend(states.roots());
        roots.extend(tuples.roots());
        if let Some(Current { saturation, split, .. }) = current {
            roots.extend(saturation.roots());
            if let Some(Split { view, moved, partition }) = split {
                roots.push(moved);
                roots.extend(view.roots());
                roots.extend(partition.roots());
            }
        }
        if let Some(Exact { whole, reached, gathered, .. }) = exact {
            whole.forget();
            roots.extend([reached, gathered]);
        }
        nodes.collect(roots);
        tuples.index();
        states.index();
    }
}
