//! How what a context reaches becomes view tuples again.
//!
//! The thread that runs brings the shared state from g to g'. The others still have what they had at
//! g. So if it brings g_a and g_b to the same g', what belongs to g_a must not be mixed with what
//! belongs to g_b: they are *confluent* and go to different tuples. A partition of the shared states
//! is safe if no two of one class are confluent; each class gives one tuple.
//!
//! To mix them is wrong only if the result was not there anyway. Compare what belongs to g_a and g_b,
//! thread by thread: the stacks of a thread that does not run, or what the one that runs makes of
//! both of them at each g' that both come to. If only one thread has something else, nothing new
//! comes of mixing. That also holds for whole classes: if any two of a class differ in at most one
//! thread, then it is the same thread for all of them, as two that differ in different threads from
//! a third one differ in both from each other.

use super::super::nodes::{Bdd, Work};
use super::automata::View;
use super::layout::Layout;
use crate::limits::Limit;

/// How shared states are distinguished when another thread runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Splitting {
    /// Each one is for itself.
    Eager,
    /// Only those that are confluent.
    Lazy,
    /// Only those that are confluent, and where more than one thread has something else.
    Sparing,
}

/// What is left to be given to classes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Partition {
    /// Pairs that have to be apart: of ghosts, and of ghosts of names.
    apart: Bdd,
    /// The ghosts that are in no class so far.
    pub left: Bdd,
}

impl Partition {
    /// The one that a relation needs between ghosts and what they become. If something else must hold
    /// for ghosts to be apart, that is given as well.
    pub(super) fn of(
        moved: Bdd,
        differ: Bdd,
        layout: &Layout,
        work: &mut Work,
    ) -> Result<Self, Limit> {
        let now = layout.cube(|bit| bit.now, work);
        let other = work.rename(moved, &layout.beside)?;
        let both = work.and_exists(moved, other, now)?;
        let equal =
            Layout::equal(layout.shared.iter().map(|bit| (bit.ghost, bit.name_ghost)), work)?;
        let confluent = work.without(both, equal)?;
        Ok(Self { apart: work.and(confluent, differ)?, left: work.exists(moved, now)? })
    }

    /// Nothing is left.
    pub(super) fn none() -> Self {
        Self { apart: Bdd::FALSE, left: Bdd::FALSE }
    }

    /// The next class, and the partition without it; None if all have one.
    pub(super) fn class(
        self,
        layout: &Layout,
        work: &mut Work,
    ) -> Result<Option<(Bdd, Self)>, Limit> {
        if self.left == Bdd::FALSE {
            return Ok(None);
        }
        let levels = layout.shared.iter().map(|bit| bit.ghost);
        let first = one_of(self.left, levels, work);
        let near = self.near(first, layout, work)?;
        let mut candidates = work.without(self.left, near)?;
        let mut class = Bdd::FALSE;
        // The algorithm of the paper has one pass. What it leaves out may fit nevertheless.
        while candidates != Bdd::FALSE {
            let clique = self.clique(candidates, layout, work)?;
            class = work.or(class, clique)?;
            let near = self.near(clique, layout, work)?;
            candidates = work.without(candidates, clique)?;
            candidates = work.without(candidates, near)?;
        }
        let left = work.without(self.left, class)?;
        Ok(Some((class, Self { left, ..self })))
    }

    /// All that must be apart from one of some ghosts.
    fn near(self, of: Bdd, layout: &Layout, work: &mut Work) -> Result<Bdd, Limit> {
        let others = layout.cube(|bit| bit.name_ghost, work);
        let of = work.rename(of, &layout.beside)?;
        work.and_exists(self.apart, of, others)
    }

    /// Those of some ghosts that need not be apart from a larger one. If two of them had to be apart
    /// from each other, the smaller one would not be here.
    fn clique(self, candidates: Bdd, layout: &Layout, work: &mut Work) -> Result<Bdd, Limit> {
        let others = layout.cube(|bit| bit.name_ghost, work);
        let larger = work.rename(candidates, &layout.beside)?;
        let less = less(layout, work)?;
        let larger = work.and(larger, less)?;
        let conflicts = work.and(self.apart, larger)?;
        let smaller = work.exists(conflicts, others)?;
        work.without(candidates, smaller)
    }

    pub(super) fn roots(&mut self) -> [&mut Bdd; 2] {
        [&mut self.apart, &mut self.left]
    }
}

/// Pairs of ghosts, and of ghosts of names, at which more than one thread has something else. What
/// the thread that runs has reached is a view with ghosts.
pub(super) fn many_differ(
    reached: &View,
    moved: Bdd,
    others: &[&View],
    layout: &Layout,
    work: &mut Work,
) -> Result<Bdd, Limit> {
    let mut one = runner_differs(reached, moved, layout, work)?;
    let mut many = Bdd::FALSE;
    let (frame, names) = (layout.frame_cube(|bit| bit.current, work), layout.names(work));
    for view in others {
        let mut differs = Bdd::FALSE;
        for &label in view.tops.values().chain([&view.empty]) {
            let other = work.rename(label, &layout.begins)?;
            let label = work.xor(label, other)?;
            let label = work.exists(label, names)?;
            let label = work.exists(label, frame)?;
            differs = work.or(differs, label)?;
        }
        let differs = work.rename(differs, &layout.pairs)?;
        let both = work.and(one, differs)?;
        many = work.or(many, both)?;
        one = work.or(one, differs)?;
    }
    Ok(many)
}

/// The pairs at which the thread that runs reaches something else at some shared state that it brings
/// both to.
fn runner_differs(
    reached: &View,
    moved: Bdd,
    layout: &Layout,
    work: &mut Work,
) -> Result<Bdd, Limit> {
    let other = work.rename(moved, &layout.beside)?;
    let both = work.and(moved, other)?;
    let now = layout.cube(|bit| bit.now, work);
    let (frame, next) = (layout.frame_cube(|bit| bit.current, work), layout.next_names(work));
    let mut differs = Bdd::FALSE;
    for &label in reached.tops.values().chain([&reached.empty]) {
        let label = work.rename(label, &layout.leaves)?;
        let other = work.rename(label, &layout.beside)?;
        let label = work.xor(label, other)?;
        let label = work.exists(label, next)?;
        let label = work.exists(label, frame)?;
        let label = work.and_exists(label, both, now)?;
        differs = work.or(differs, label)?;
    }
    Ok(differs)
}

/// Where a ghost is less than that of a name, in some total order.
fn less(layout: &Layout, work: &mut Work) -> Result<Bdd, Limit> {
    let mut bits: Vec<(u32, u32)> =
        layout.shared.iter().map(|bit| (bit.ghost, bit.name_ghost)).collect();
    bits.sort_unstable();
    let mut set = Bdd::FALSE;
    for (one, other) in bits.into_iter().rev() {
        let (one, other) = (work.nodes.bit(one, true), work.nodes.bit(other, true));
        let differ = work.xor(one, other)?;
        set = work.if_then_else(differ, other, set)?;
    }
    Ok(set)
}

/// One element of a set, of which these are the bits.
pub(super) fn one_of(set: Bdd, levels: impl Iterator<Item = u32>, work: &mut Work) -> Bdd {
    let on: Vec<u32> = work
        .nodes
        .pick(set)
        .into_iter()
        .flatten()
        .filter_map(|(level, on)| on.then_some(level))
        .collect();
    let mut bits: Vec<(u32, bool)> = levels.map(|level| (level, on.contains(&level))).collect();
    bits.sort_unstable_by(|one, other| other.cmp(one));
    work.nodes.cube(bits)
}
