//! Other levels for the bits of a set, in the same order.

use super::{Bdd, Made, Node, Operation, Work};

/// Which levels become which others.
#[derive(Clone, Debug)]
pub struct Renaming {
    /// A number of its own: what it gave is remembered by it.
    number: u32,
    /// For each level, the one that it becomes.
    to: Vec<u32>,
}

impl Renaming {
    /// These levels become those, and all others stay. No two renamings of the same nodes have the
    /// same number.
    pub fn new(number: u32, pairs: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut to = Vec::new();
        for (from, target) in pairs {
            to.extend(to.len() as u32..=from);
            to[from as usize] = target;
        }
        Self { number, to }
    }
}

impl Work<'_, '_> {
    /// The set in which levels have become others. Those that matter in it must stay in their order.
    pub fn rename(&mut self, set: Bdd, by: &Renaming) -> Made {
        let Node { level, low, high } = self.nodes.all[set.index()];
        if set.is_terminal() || level as usize >= by.to.len() {
            return Ok(set);
        }
        let operands = [set, Bdd(by.number), Bdd::FALSE];
        if let Some(known) = self.nodes.find(Operation::Rename, operands) {
            return Ok(known);
        }
        self.spend()?;
        let low = self.rename(low, by)?;
        let high = self.rename(high, by)?;
        let level = by.to[level as usize];
        let below = self.nodes.level(low).min(self.nodes.level(high));
        assert!(level < below, "a renaming keeps the order of bits");
        let made = self.nodes.node(level, low, high);
        Ok(self.nodes.remember(Operation::Rename, operands, made))
    }

    /// The set in which bits at odd levels have become those above them, which do not matter in it.
    pub fn unprime(&mut self, set: Bdd) -> Made {
        if set.is_terminal() {
            return Ok(set);
        }
        let operands = [set, Bdd::FALSE, Bdd::FALSE];
        if let Some(known) = self.nodes.find(Operation::Unprime, operands) {
            return Ok(known);
        }
        self.spend()?;
        let Node { level, low, high } = self.nodes.all[set.index()];
        let low = self.unprime(low)?;
        let high = self.unprime(high)?;
        let made = self.nodes.node(level & !1, low, high);
        Ok(self.nodes.remember(Operation::Unprime, operands, made))
    }

    /// The set in which bits have become those below them, which do not matter in it: those that are
    /// on in a cube.
    pub fn prime(&mut self, set: Bdd, bits: Bdd) -> Made {
        if set.is_terminal() || bits == Bdd::TRUE {
            return Ok(set);
        }
        let operands = [set, bits, Bdd::FALSE];
        if let Some(known) = self.nodes.find(Operation::Prime, operands) {
            return Ok(known);
        }
        self.spend()?;
        let Node { level, low, high } = self.nodes.all[set.index()];
        let (bits, is_bit) = self.bits_from(bits, level);
        let low = self.prime(low, bits)?;
        let high = self.prime(high, bits)?;
        let made = self.nodes.node(level + u32::from(is_bit), low, high);
        Ok(self.nodes.remember(Operation::Prime, operands, made))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Nodes;
    use super::*;
    use crate::limits::{Limits, Meter};

    #[test]
    fn odd_levels_become_those_above_them() {
        let mut nodes = Nodes::new();
        let mut meter = Meter::over(Limits::default());
        let primed = nodes.cube([(5, true), (2, false), (1, true)]);
        let expected = nodes.cube([(4, true), (2, false), (0, true)]);
        let mut work = Work { nodes: &mut nodes, meter: &mut meter };
        assert_eq!(work.unprime(primed).unwrap(), expected);
        let some = work.nodes.cube([4, 0].map(|level| (level, true)));
        assert_eq!(work.prime(expected, some).unwrap(), primed);
    }

    #[test]
    fn levels_become_others_in_the_same_order() {
        let mut nodes = Nodes::new();
        let mut meter = Meter::over(Limits::default());
        let set = nodes.cube([(9, true), (4, false), (0, true)]);
        let expected = nodes.cube([(9, true), (6, false), (4, true)]);
        let mut work = Work { nodes: &mut nodes, meter: &mut meter };
        let by = Renaming::new(0, [(0, 4), (4, 6)]);
        assert_eq!(work.rename(set, &by).unwrap(), expected);
    }
}
