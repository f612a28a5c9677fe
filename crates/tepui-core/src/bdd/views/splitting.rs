//! How what a context reaches becomes view tuples again.
//!
//! The thread that runs brings the shared state from g to g'. The others still have what they had at
//! g. So if it brings g_a and g_b to the same g', what belongs to g_a must not be mixed with what
//! belongs to g_b: they are *confluent* and go to different tuples. A partition of the shared states
//! is safe if no two of one class are confluent; each class gives one tuple.

use super::super::nodes::{Bdd, Work};
use super::layout::Layout;
use crate::limits::Limit;

/// How shared states are told apart when another thread runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Splitting {
    /// Each one is for itself.
    Eager,
    /// Only those that are confluent.
    Lazy,
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
    /// The one that a relation needs between ghosts and what they become.
    pub(super) fn of(moved: Bdd, layout: &Layout, work: &mut Work) -> Result<Self, Limit> {
        let now = layout.cube(|bit| bit.now, work);
        let other = work.rename(moved, &layout.beside)?;
        let both = work.and_exists(moved, other, now)?;
        let equal =
            Layout::equal(layout.shared.iter().map(|bit| (bit.ghost, bit.name_ghost)), work)?;
        Ok(Self { apart: work.without(both, equal)?, left: work.exists(moved, now)? })
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
