//! The states of view tuples as one set, over the bits of all variables and shapes of all threads.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::super::encoding::Encoding;
use super::super::encoding::level;
use super::super::nodes::{Bdd, Work};
use super::super::numbers::digits_of;
use super::super::relation::descending;
use super::super::search::shape_cube;
use super::super::shapes::{Shape, Shapes};
use super::super::stop::Stop;
use super::automata::{END, Edges, OWN, Section, State, States, Symbol, View};
use super::layout::Layout;
use super::tuples::Tuple;
use crate::program::Program;

/// Stacks from the top, with their values: names, and bits of frames by their depths.
type Words = Vec<(Vec<Symbol>, Bdd)>;

/// The shapes that were met, and the stacks below states.
#[derive(Debug)]
pub(super) struct Whole {
    pub shapes: Vec<Shapes>,
    below: FxHashMap<(usize, State, usize), Words>,
}

/// Automata of one thread.
struct Automaton<'a> {
    program: &'a Program,
    layout: &'a Layout,
    encoding: &'a Encoding,
    thread: usize,
    states: &'a States,
    own: &'a [Edges],
}

impl Whole {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            shapes: (0..threads).map(|_| Shapes::default()).collect(),
            below: FxHashMap::default(),
        }
    }

    /// Forget all sets.
    pub(super) fn forget(&mut self) {
        self.below.clear();
    }

    /// The states of a tuple.
    pub(super) fn of_tuple(
        &mut self,
        tuple: &Tuple,
        program: &Program,
        layout: &Layout,
        states: &States,
        work: &mut Work,
    ) -> Result<Bdd, Stop> {
        let mut set = Bdd::TRUE;
        for (thread, view) in tuple.views.iter().enumerate() {
            let of_view = self.of_view(thread, view, &[], program, layout, states, work)?;
            set = work.and(set, of_view)?;
        }
        Ok(set)
    }

    /// The local configurations of a view, which may need states of its own.
    #[expect(clippy::too_many_arguments, reason = "it is called from two places")]
    pub(super) fn of_view(
        &mut self,
        thread: usize,
        view: &View,
        own: &[Edges],
        program: &Program,
        layout: &Layout,
        states: &States,
        work: &mut Work,
    ) -> Result<Bdd, Stop> {
        let encoding = layout.whole.as_ref().expect("no stack is too deep");
        // What own states were is forgotten.
        self.below.retain(|&(_, state, _), _| state < OWN);
        let automaton = Automaton { program, layout, encoding, thread, states, own };
        let names = layout.names(work);
        let mut set = self.with_shape(&automaton, &[], view.empty, work)?;
        for length in 0..=encoding.frames[thread].len() {
            for (&(symbol, state), &label) in &view.tops {
                for (word, values) in self.below(&automaton, state, length, work)? {
                    let read = automaton.placed(symbol, length, label, work)?;
                    let values = work.and_exists(read, values, names)?;
                    let stack: Vec<Symbol> = std::iter::once(symbol).chain(word).collect();
                    let states = self.with_shape(&automaton, &stack, values, work)?;
                    set = work.or(set, states)?;
                }
            }
        }
        Ok(set)
    }

    /// The stacks of a length that are read from a state on.
    fn below(
        &mut self,
        automaton: &Automaton,
        state: State,
        length: usize,
        work: &mut Work,
    ) -> Result<Words, Stop> {
        if state == END {
            return Ok((length == 0).then_some((Vec::new(), Bdd::TRUE)).into_iter().collect());
        }
        let Some(shorter) = length.checked_sub(1) else { return Ok(Words::new()) };
        if let Some(known) = self.below.get(&(automaton.thread, state, length)) {
            return Ok(known.clone());
        }
        let edges = match state.checked_sub(OWN) {
            Some(own) => &automaton.own[own as usize],
            None => automaton.states.edges(state),
        };
        let next = automaton.layout.next_names(work);
        let mut found = Words::new();
        for (&(symbol, state), &label) in edges {
            for (word, values) in self.below(automaton, state, shorter, work)? {
                let read = automaton.placed(symbol, shorter, label, work)?;
                let values = work.rename(values, &automaton.layout.leaves)?;
                let values = work.and_exists(read, values, next)?;
                if values == Bdd::FALSE {
                    continue;
                }
                let stack: Vec<Symbol> = std::iter::once(symbol).chain(word).collect();
                match found.iter_mut().find(|(other, _)| *other == stack) {
                    Some((_, others)) => *others = work.or(*others, values)?,
                    None => found.push((stack, values)),
                }
            }
        }
        self.below.insert((automaton.thread, state, length), found.clone());
        Ok(found)
    }

    /// The states of a thread with a stack.
    fn with_shape(
        &mut self,
        automaton: &Automaton,
        read: &[Symbol],
        values: Bdd,
        work: &mut Work,
    ) -> Result<Bdd, Stop> {
        if values == Bdd::FALSE {
            return Ok(values);
        }
        let mut stack: Vec<Symbol> = read.iter().rev().copied().collect();
        let mut values = values;
        let is_violation = |symbol: &Symbol| symbol.point > automaton.program.waiting;
        let mut outer = stack.iter().position(|symbol| symbol.section == Section::Here);
        if let Some(&top) = stack.last().filter(|symbol| is_violation(symbol))
            && let Some(first) = outer.take()
        {
            // The section never was.
            let frames = &automaton.encoding.frames[automaton.thread];
            let mut gone: Vec<u32> = frames[first..]
                .iter()
                .flat_map(BTreeMap::values)
                .flatten()
                .flatten()
                .map(|&bit| level(bit))
                .collect();
            let gone = descending(work, &mut gone);
            values = work.exists(values, gone)?;
            stack.truncate(first);
            stack.push(top);
        }
        let points = stack.iter().map(|symbol| symbol.point).collect();
        let shape = Shape { outer: outer.map(|outer| outer as u32), points };
        let number = self.shapes[automaton.thread].number(&shape)?;
        let cube = shape_cube(work.nodes, automaton.encoding, automaton.thread, number);
        Ok(work.and(values, cube)?)
    }
}

impl Automaton<'_> {
    /// A label in which the frame that is read is that at a depth.
    fn placed(
        &self,
        symbol: Symbol,
        depth: usize,
        label: Bdd,
        work: &mut Work,
    ) -> Result<Bdd, Stop> {
        let frames = &self.encoding.frames[self.thread];
        if depth == frames.len() {
            let why = format!("a stack of it is deeper than {depth} frames");
            return if label == Bdd::FALSE { Ok(label) } else { Err(Stop::Refused(why)) };
        }
        let mut pairs = Vec::new();
        if let Some((procedure, _)) = self.program.location(symbol.point) {
            let cells = &self.program.procedures[procedure as usize].cells;
            for (cell, &range) in cells.iter().enumerate() {
                let digits = &frames[depth][&procedure][cell];
                let current = &self.layout.frame[cell];
                let both = current.iter().zip(digits).take(digits_of(range));
                pairs.extend(both.map(|(bit, &position)| (bit.current, level(position))));
            }
        }
        let current = self.layout.frame_cube(|bit| bit.current, work);
        let equal = Layout::equal(pairs, work)?;
        Ok(work.and_exists(label, equal, current)?)
    }
}
