//! Sets of local configurations: a shared state and a stack, as a path of an automaton.
//!
//! A path begins in the shared state and reads the stack from its top. The transitions that leave
//! the shared state are in the [`View`]. Those of other states never change once the context is over
//! that has made the states, so all views share them: they are in [`States`], where a state has one
//! number for all its names.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::super::nodes::{Bdd, Work};
use super::layout::Layout;
use crate::limits::Limit;
use crate::program::Point;

/// Where the atomic section has begun in which a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Section {
    /// It is in none.
    Nowhere,
    /// In this frame.
    Here,
    /// In a frame below.
    Below,
}

/// A symbol of a stack, whatever the variables of its frame are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol {
    /// Where the frame is.
    pub point: Point,
    /// In which section it is.
    pub section: Section,
}

/// The number of a state of an automaton.
pub type State = u32;

/// The state in which the whole stack was read.
pub const END: State = 0;

/// States from this one on are numbered anew in each context, as long as it lasts.
pub(super) const OWN: State = 1 << 31;

/// Transitions, with the frames that they read, and the names that they lead from and to.
pub(super) type Edges = BTreeMap<(Symbol, State), Bdd>;

/// A set of local configurations of one thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct View {
    /// The shared states with an empty stack.
    pub(super) empty: Bdd,
    /// What begins in a shared state.
    pub(super) tops: Edges,
}

impl View {
    /// All shared states that have a stack.
    pub(super) fn shared(&self, layout: &Layout, work: &mut Work) -> Result<Bdd, Limit> {
        let (frame, names) = (layout.frame_cube(|bit| bit.current, work), layout.names(work));
        let mut set = self.empty;
        for &label in self.tops.values() {
            let label = work.exists(label, names)?;
            let label = work.exists(label, frame)?;
            set = work.or(set, label)?;
        }
        Ok(set)
    }

    /// The view in which every label has become another one.
    pub(super) fn mapped(
        &self,
        mut change: impl FnMut(Bdd) -> Result<Bdd, Limit>,
    ) -> Result<Self, Limit> {
        Ok(Self { empty: change(self.empty)?, tops: mapped(&self.tops, change)? })
    }

    /// What has certain symbols on top.
    pub(super) fn only(&self, is_one: impl Fn(Symbol) -> bool) -> Self {
        let tops = self.tops.iter().filter(|((symbol, _), _)| is_one(*symbol));
        let tops = tops.map(|(&key, &label)| (key, label)).collect();
        Self { empty: Bdd::FALSE, tops }
    }

    /// Whether it is plain to see that another one has all of it.
    pub(super) fn is_within(&self, other: &Self, work: &mut Work) -> Result<bool, Limit> {
        let mut pairs = vec![(self.empty, other.empty)];
        for (key, &label) in &self.tops {
            pairs.push((label, other.tops.get(key).copied().unwrap_or(Bdd::FALSE)));
        }
        for (label, other) in pairs {
            if work.without(label, other)? != Bdd::FALSE {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The shared states, among some, at which another view has something else, or may have.
    pub(super) fn differs(
        &self,
        other: &Self,
        among: Bdd,
        layout: &Layout,
        work: &mut Work,
    ) -> Result<Bdd, Limit> {
        let (frame, names) = (layout.frame_cube(|bit| bit.current, work), layout.names(work));
        let mut set = Bdd::FALSE;
        for (one, other) in self.labels_beside(other) {
            let differ = work.xor(one, other)?;
            let differ = work.and(differ, among)?;
            let differ = work.exists(differ, names)?;
            let differ = work.exists(differ, frame)?;
            set = work.or(set, differ)?;
        }
        Ok(set)
    }

    /// The view with all of another one as well.
    pub(super) fn joined(&self, other: &Self, work: &mut Work) -> Result<Self, Limit> {
        let mut view = self.clone();
        view.empty = work.or(self.empty, other.empty)?;
        for (&key, &label) in &other.tops {
            let known = view.tops.entry(key).or_insert(Bdd::FALSE);
            *known = work.or(*known, label)?;
        }
        Ok(view)
    }

    fn labels_beside(&self, other: &Self) -> Vec<(Bdd, Bdd)> {
        let label = |view: &Self, key| view.tops.get(key).copied().unwrap_or(Bdd::FALSE);
        let keys: BTreeSet<_> = self.tops.keys().chain(other.tops.keys()).collect();
        let tops = keys.into_iter().map(|key| (label(self, key), label(other, key)));
        tops.chain([(self.empty, other.empty)]).collect()
    }

    pub(super) fn roots(&mut self) -> impl Iterator<Item = &mut Bdd> {
        std::iter::once(&mut self.empty).chain(self.tops.values_mut())
    }
}

/// Transitions with other labels; those that nothing satisfies are left out.
pub(super) fn mapped(
    edges: &Edges,
    mut change: impl FnMut(Bdd) -> Result<Bdd, Limit>,
) -> Result<Edges, Limit> {
    let mut found = Edges::new();
    for (&key, &label) in edges {
        let label = change(label)?;
        if label != Bdd::FALSE {
            found.insert(key, label);
        }
    }
    Ok(found)
}

/// All states but the shared ones. Those that a context has made are a block; equal blocks are one.
#[derive(Debug)]
pub(super) struct States {
    edges: Vec<Edges>,
    /// For each block, its first state, and how many there are.
    ranges: Vec<(State, u32)>,
    /// The blocks by their edges.
    blocks: FxHashMap<Vec<Edges>, usize>,
    /// How many transitions there are.
    pub(super) count: usize,
}

impl States {
    pub(super) fn new() -> Self {
        Self {
            edges: vec![Edges::new()],
            ranges: Vec::new(),
            blocks: FxHashMap::default(),
            count: 0,
        }
    }

    /// The transitions of a state.
    pub(super) fn edges(&self, of: State) -> &Edges {
        &self.edges[of as usize]
    }

    /// Keep what a view needs of the states that a context has made, with numbers for good.
    pub(super) fn keep(
        &mut self,
        view: &View,
        own: &[Edges],
        layout: &Layout,
        work: &mut Work,
    ) -> Result<View, Limit> {
        let needed = needed(&view.tops, own, layout, work)?;
        let mut number = vec![0; own.len()];
        let mut kept = Vec::new();
        for (old, edges) in needed.into_iter().enumerate() {
            if !edges.is_empty() {
                number[old] = OWN + kept.len() as State;
                kept.push(edges);
            }
        }
        let to = |state: State| if state < OWN { state } else { number[(state - OWN) as usize] };
        let block: Vec<Edges> = kept.iter().map(|edges| renumbered(edges, to)).collect();
        let first = self.block(&block);
        let for_good = |state: State| match to(state) {
            state if state < OWN => state,
            state => first + (state - OWN),
        };
        Ok(View { empty: view.empty, tops: renumbered(&view.tops, for_good) })
    }

    fn block(&mut self, block: &[Edges]) -> State {
        if block.is_empty() {
            return END;
        }
        if let Some(&number) = self.blocks.get(block) {
            return self.ranges[number].0;
        }
        let first = self.edges.len() as State;
        let to = |state: State| if state < OWN { state } else { first + (state - OWN) };
        self.edges.extend(block.iter().map(|edges| renumbered(edges, to)));
        self.count += block.iter().map(Edges::len).sum::<usize>();
        self.blocks.insert(block.to_vec(), self.ranges.len());
        self.ranges.push((first, block.len() as u32));
        first
    }

    /// All sets; afterwards they are known by their new numbers.
    pub(super) fn roots(&mut self) -> impl Iterator<Item = &mut Bdd> {
        self.edges.iter_mut().flat_map(Edges::values_mut)
    }

    /// Sets have got other numbers.
    pub(super) fn index(&mut self) {
        self.blocks.clear();
        for (number, &(first, size)) in self.ranges.iter().enumerate() {
            let to = |state: State| if state < first { state } else { OWN + (state - first) };
            let edges = &self.edges[first as usize..(first + size) as usize];
            let block = edges.iter().map(|edges| renumbered(edges, to)).collect();
            self.blocks.insert(block, number);
        }
    }
}

fn renumbered(edges: &Edges, to: impl Fn(State) -> State) -> Edges {
    edges.iter().map(|(&(symbol, state), &label)| ((symbol, to(state)), label)).collect()
}

/// The transitions of own states, from those names that are reached.
fn needed(
    tops: &Edges,
    own: &[Edges],
    layout: &Layout,
    work: &mut Work,
) -> Result<Vec<Edges>, Limit> {
    let mut reached = vec![Bdd::FALSE; own.len()];
    let mut pending = vec![Bdd::FALSE; own.len()];
    let (now, frame) =
        (layout.cube(|bit| bit.now, work), layout.frame_cube(|bit| bit.current, work));
    let names = layout.names(work);
    let mut note = |state: State, set: Bdd, pending: &mut [Bdd], work: &mut Work| {
        let place = (state - OWN) as usize;
        let new = work.without(set, reached[place])?;
        reached[place] = work.or(reached[place], new)?;
        pending[place] = work.or(pending[place], new)?;
        Ok::<_, Limit>(())
    };
    for (&(_, state), &label) in tops.iter().filter(|((_, state), _)| *state >= OWN) {
        let set = work.exists(label, now)?;
        let set = work.exists(set, frame)?;
        note(state, set, &mut pending, work)?;
    }
    while let Some(place) = pending.iter().position(|&set| set != Bdd::FALSE) {
        let from = std::mem::replace(&mut pending[place], Bdd::FALSE);
        for (&(_, state), &label) in own[place].iter().filter(|((_, state), _)| *state >= OWN) {
            let set = work.and_exists(from, label, names)?;
            let set = work.exists(set, frame)?;
            let set = work.rename(set, &layout.arrives)?;
            note(state, set, &mut pending, work)?;
        }
    }
    let kept = own.iter().zip(&reached);
    kept.map(|(edges, &set)| mapped(edges, |label| work.and(label, set))).collect()
}
