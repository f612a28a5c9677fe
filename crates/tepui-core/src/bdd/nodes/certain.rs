//! Bits that are the same in all valuations of a set.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Bdd, Nodes};

impl Nodes {
    /// The bits that are the same in all valuations of a set, which is not empty, from the top on.
    ///
    /// A bit is not among them if some way from the root to the end passes its level by. If none
    /// does, it is the same in all if no node of its level leads to the end in both ways.
    pub fn certain(&self, set: Bdd) -> Vec<(u32, bool)> {
        // For a level, whether its bit may be off, and on.
        let mut ways: FxHashMap<u32, (bool, bool)> = FxHashMap::default();
        // From where, above a node, there is an edge to it that is the longest.
        let mut highest: FxHashMap<Bdd, i64> = FxHashMap::default();
        let mut met = FxHashSet::default();
        let mut open = vec![set];
        highest.insert(set, -1);
        while let Some(node) = open.pop() {
            let Some((level, low, high)) = self.parts(node) else { continue };
            let (may_be_off, may_be_on) = ways.entry(level).or_default();
            *may_be_off |= low != Bdd::FALSE;
            *may_be_on |= high != Bdd::FALSE;
            for child in [low, high] {
                if child == Bdd::FALSE {
                    continue;
                }
                let above = highest.entry(child).or_insert(i64::MAX);
                *above = (*above).min(i64::from(level));
                if met.insert(child) {
                    open.push(child);
                }
            }
        }
        // Levels strictly between a node and the highest one above it are passed by.
        let mut passed: Vec<(i64, i64)> = highest
            .iter()
            .map(|(&node, &above)| {
                (above, self.parts(node).map_or(i64::MAX, |parts| parts.0.into()))
            })
            .collect();
        passed.sort_unstable();
        let mut levels: Vec<(u32, bool)> = ways
            .into_iter()
            .filter(|(_, (off, on))| off != on)
            .map(|(level, (_, on))| (level, on))
            .collect();
        levels.sort_unstable();
        let (mut next, mut until) = (0, i64::MIN);
        levels.retain(|&(level, _)| {
            let level = i64::from(level);
            while next < passed.len() && passed[next].0 < level {
                until = until.max(passed[next].1);
                next += 1;
            }
            until <= level
        });
        levels
    }
}

#[cfg(test)]
mod tests {
    use super::super::Work;
    use super::*;
    use crate::limits::{Limits, Meter};

    #[test]
    fn what_is_certain_is_so_in_all_valuations() {
        let mut nodes = Nodes::new();
        let mut meter = Meter::over(Limits::default());
        for table in 1_u32..1 << 16 {
            if table % 7 != 1 && table.count_ones() > 3 {
                continue;
            }
            let rows: Vec<u32> = (0..16).filter(|row| table >> row & 1 == 1).collect();
            let mut work = Work { nodes: &mut nodes, meter: &mut meter };
            let mut set = Bdd::FALSE;
            for row in &rows {
                let cube =
                    work.nodes.cube([6, 4, 2, 0].map(|bit| (bit, row >> (bit / 2) & 1 == 1)));
                set = work.or(set, cube).unwrap();
            }
            let same = |bit: u32| rows.iter().all(|row| row >> bit & 1 == rows[0] >> bit & 1);
            let expected: Vec<(u32, bool)> = (0..4)
                .filter(|&bit| same(bit))
                .map(|bit| (2 * bit, rows[0] >> bit & 1 == 1))
                .collect();
            assert_eq!(nodes.certain(set), expected, "{table:b}");
        }
    }
}
