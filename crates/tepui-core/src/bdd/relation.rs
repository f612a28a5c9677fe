//! What an edge does, as a relation between the bits before and after it, and what it makes of sets.

use super::effects::Effects;
use super::encoding::{Position, level, level_after};
use super::nodes::{Bdd, Work};
use super::numbers::digits_of;
use super::stop::Stop;
use super::taking::within;
use crate::limits::Limit;
use crate::program::{NO_VALUE, Range, Value};

/// A way to take an edge.
#[derive(Clone, Debug)]
pub(super) struct Relation {
    /// The bits before and after.
    pairs: Bdd,
    /// The bits before of those that change.
    changed: Bdd,
    /// Bits that do not matter afterwards.
    freed: Bdd,
    /// What holds afterwards.
    afterwards: Bdd,
}

impl Relation {
    /// That of the effects of an edge, whatever it chooses.
    pub(super) fn of(effects: &Effects, work: &mut Work) -> Result<Self, Limit> {
        let mut pairs = effects.condition;
        for &(bit, value) in effects.changes.iter().rev() {
            let after = work.nodes.bit(level_after(bit), true);
            let differs = work.xor(after, value)?;
            pairs = work.without(pairs, differs)?;
        }
        let mut chosen: Vec<u32> =
            effects.choices.iter().flat_map(|(bits, _)| bits).map(|&bit| level(bit)).collect();
        let chosen = descending(work, &mut chosen);
        let pairs = work.exists(pairs, chosen)?;
        let mut changed: Vec<u32> = effects.changes.iter().map(|&(bit, _)| level(bit)).collect();
        let mut freed: Vec<u32> = effects.freed.iter().map(|&bit| level(bit)).collect();
        Ok(Self {
            pairs,
            changed: descending(work, &mut changed),
            freed: descending(work, &mut freed),
            afterwards: effects.afterwards,
        })
    }

    /// What it makes of some states.
    pub(super) fn after(&self, states: Bdd, work: &mut Work) -> Result<Bdd, Limit> {
        let after = work.and_exists(states, self.pairs, self.changed)?;
        let after = work.unprime(after)?;
        let after = work.exists(after, self.freed)?;
        work.and(after, self.afterwards)
    }

    /// The states of which it makes some of these.
    pub(super) fn before(&self, after: Bdd, work: &mut Work) -> Result<Bdd, Limit> {
        let after = work.and(after, self.afterwards)?;
        let after = work.exists(after, self.freed)?;
        let after = work.prime(after, self.changed)?;
        let primed = work.prime(self.changed, self.changed)?;
        work.and_exists(self.pairs, after, primed)
    }

    /// All sets that it holds.
    pub(super) fn roots(&mut self) -> [&mut Bdd; 4] {
        [&mut self.pairs, &mut self.changed, &mut self.freed, &mut self.afterwards]
    }
}

/// The cube of bits at these levels.
pub(super) fn descending(work: &mut Work, levels: &mut [u32]) -> Bdd {
    levels.sort_unstable_by(|one, other| other.cmp(one));
    work.nodes.cube(levels.iter().map(|&level| (level, true)))
}

/// Where a scalar with these digits has the value with which it starts, or any one of its type.
pub(super) fn starts_with(
    digits: &[Position],
    range: Range,
    value: Value,
    work: &mut Work,
) -> Result<Bdd, Stop> {
    let digits = &digits[..digits_of(range)];
    if value == NO_VALUE {
        let bits: Vec<Bdd> = digits.iter().map(|&bit| work.nodes.bit(level(bit), true)).collect();
        return within(&bits, range, work);
    }
    let number = value.abs_diff(range.low);
    let mut set = Bdd::TRUE;
    for (place, &bit) in digits.iter().enumerate() {
        let is = work.nodes.bit(level(bit), number >> place & 1 == 1);
        set = work.and(set, is)?;
    }
    Ok(set)
}
