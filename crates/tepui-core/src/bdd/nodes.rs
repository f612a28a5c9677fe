//! Binary decision diagrams: ordered, reduced, and shared, so that equal sets are equal numbers.
//!
//! Everything is a method of [`Work`], which is the [`Nodes`] and the meter of a call: an operation
//! that takes long looks at the limits as it goes on, and ends with the [`Limit`] that it met. Nodes
//! that were made stay. [`Nodes::collect`] frees what no root needs, and numbers the rest anew.

mod certain;
mod renaming;

pub use renaming::Renaming;

use crate::limits::{Limit, Meter};

/// A set of valuations of bits: the number of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bdd(pub(super) u32);

impl Bdd {
    /// The empty set.
    pub const FALSE: Self = Self(0);
    /// The set of all valuations.
    pub const TRUE: Self = Self(1);

    fn index(self) -> usize {
        self.0 as usize
    }

    fn is_terminal(self) -> bool {
        self.0 < 2
    }
}

/// That of a terminal: below all others.
const BOTTOM: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    level: u32,
    low: Bdd,
    high: Bdd,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Operation {
    And,
    Or,
    Xor,
    Without,
    IfThenElse,
    Exists,
    AndExists,
    Unprime,
    Prime,
    Rename,
}

/// What an operation gave for its operands.
#[derive(Clone, Copy, Debug)]
struct Known {
    operation: u32,
    operands: [u32; 3],
    result: Bdd,
}

const NOTHING_KNOWN: Known = Known { operation: u32::MAX, operands: [0; 3], result: Bdd::FALSE };

/// All nodes.
#[derive(Debug)]
pub struct Nodes {
    all: Vec<Node>,
    /// Numbers of nodes by their hashes, with a 0 where there is none; its size is a power of two.
    unique: Vec<u32>,
    /// What operations gave, each in the one place where it can be; its size is a power of two.
    known: Vec<Known>,
    /// How many steps all operations took.
    steps: usize,
    /// How many nodes there may be before it is worth freeing some.
    enough: usize,
}

/// The nodes, and the meter of a call.
pub struct Work<'a, 'm> {
    pub(super) nodes: &'a mut Nodes,
    pub(super) meter: &'a mut Meter<'m>,
}

/// After how many steps of operations limits are looked at.
const STEPS: usize = 1 << 13;

/// The tables begin with this many places.
const FIRST: usize = 1 << 12;

/// The table of known results does not grow beyond this many places.
const MOST_KNOWN: usize = 1 << 22;

/// It is not worth freeing nodes before there are this many.
const FEW: usize = 1 << 18;

fn hash(words: [u32; 4]) -> usize {
    let [a, b, c, d] = words.map(u64::from);
    let mixed = (a | b << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ (c | d << 32).wrapping_mul(0xC2B2_AE3D_27D4_EB4F).rotate_left(29);
    (mixed ^ mixed >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15) as usize >> 20
}

impl Nodes {
    /// The terminals only.
    pub fn new() -> Self {
        let terminal = |number| Node { level: BOTTOM, low: Bdd(number), high: Bdd(number) };
        Self {
            all: vec![terminal(0), terminal(1)],
            unique: vec![0; FIRST],
            known: vec![NOTHING_KNOWN; FIRST],
            steps: 0,
            enough: FEW,
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// How many steps all operations took.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// How much memory they take.
    pub fn bytes(&self) -> usize {
        self.all.capacity() * size_of::<Node>()
            + self.unique.capacity() * size_of::<u32>()
            + self.known.capacity() * size_of::<Known>()
    }

    /// Whether it is worth freeing some, as many were made.
    pub fn are_many(&self) -> bool {
        self.all.len() > self.enough
    }

    /// The level of a node, and where it leads; None for a terminal.
    pub fn parts(&self, of: Bdd) -> Option<(u32, Bdd, Bdd)> {
        let node = self.all[of.index()];
        (!of.is_terminal()).then_some((node.level, node.low, node.high))
    }

    fn level(&self, of: Bdd) -> u32 {
        self.all[of.index()].level
    }

    /// The set without and with a bit, which is at the top of a set or above it.
    fn halves(&self, of: Bdd, level: u32) -> (Bdd, Bdd) {
        let node = self.all[of.index()];
        if node.level == level { (node.low, node.high) } else { (of, of) }
    }

    /// The node with these parts.
    fn node(&mut self, level: u32, low: Bdd, high: Bdd) -> Bdd {
        if low == high {
            return low;
        }
        let mask = self.unique.len() - 1;
        let mut place = hash([level, low.0, high.0, 7]) & mask;
        while self.unique[place] != 0 {
            let number = self.unique[place];
            let node = self.all[number as usize];
            if node.level == level && node.low == low && node.high == high {
                return Bdd(number);
            }
            place = (place + 1) & mask;
        }
        let number = self.all.len() as u32;
        self.all.push(Node { level, low, high });
        self.unique[place] = number;
        if 2 * self.all.len() > self.unique.len() {
            self.grow();
        }
        Bdd(number)
    }

    fn grow(&mut self) {
        self.unique = vec![0; 2 * self.unique.len()];
        self.number_all();
        if self.known.len() < MOST_KNOWN {
            let old = std::mem::take(&mut self.known);
            self.known = vec![NOTHING_KNOWN; 2 * old.len()];
            for known in old.into_iter().filter(|known| known.operation != u32::MAX) {
                let place = self.place(known.operation, known.operands);
                self.known[place] = known;
            }
        }
    }

    fn number_all(&mut self) {
        let mask = self.unique.len() - 1;
        for (number, node) in self.all.iter().enumerate().skip(2) {
            let mut place = hash([node.level, node.low.0, node.high.0, 7]) & mask;
            while self.unique[place] != 0 {
                place = (place + 1) & mask;
            }
            self.unique[place] = number as u32;
        }
    }

    fn place(&self, operation: u32, [a, b, c]: [u32; 3]) -> usize {
        hash([operation, a, b, c]) & (self.known.len() - 1)
    }

    fn find(&self, operation: Operation, operands: [Bdd; 3]) -> Option<Bdd> {
        let operands = operands.map(|each| each.0);
        let known = self.known[self.place(operation as u32, operands)];
        (known.operation == operation as u32 && known.operands == operands).then_some(known.result)
    }

    fn remember(&mut self, operation: Operation, operands: [Bdd; 3], result: Bdd) -> Bdd {
        let (operation, operands) = (operation as u32, operands.map(|each| each.0));
        let place = self.place(operation, operands);
        self.known[place] = Known { operation, operands, result };
        result
    }

    /// Free the nodes that no root needs. The others get new numbers, in the same order, and roots
    /// are changed accordingly. Children have smaller numbers than their parents, before and after.
    pub fn collect<'r>(&mut self, roots: impl IntoIterator<Item = &'r mut Bdd>) {
        let roots: Vec<&mut Bdd> = roots.into_iter().collect();
        let mut needed = vec![false; self.all.len()];
        needed[0] = true;
        needed[1] = true;
        for root in &roots {
            needed[root.index()] = true;
        }
        for number in (2..self.all.len()).rev() {
            if needed[number] {
                needed[self.all[number].low.index()] = true;
                needed[self.all[number].high.index()] = true;
            }
        }
        let mut new = vec![Bdd::FALSE; self.all.len()];
        let mut kept = 0;
        for number in 0..self.all.len() {
            if needed[number] {
                let Node { level, low, high } = self.all[number];
                new[number] = Bdd(kept as u32);
                let moved =
                    |child: Bdd| if number < 2 { Bdd(number as u32) } else { new[child.index()] };
                self.all[kept] = Node { level, low: moved(low), high: moved(high) };
                kept += 1;
            }
        }
        self.all.truncate(kept);
        let size = (4 * kept).next_power_of_two().max(FIRST);
        self.unique = vec![0; size];
        self.number_all();
        let known = std::mem::replace(&mut self.known, vec![NOTHING_KNOWN; size.min(MOST_KNOWN)]);
        let is_kept = |of: u32| of < 2 || new[of as usize] != Bdd::FALSE;
        let moved = |of: u32| if of < 2 { of } else { new[of as usize].0 };
        for Known { operation, operands, result } in known {
            let [a, b, c] = operands;
            let is_renaming = operation == Operation::Rename as u32;
            let is_needed = operation != u32::MAX && is_kept(a) && is_kept(c) && is_kept(result.0);
            if is_needed && (is_renaming || is_kept(b)) {
                let operands = [moved(a), if is_renaming { b } else { moved(b) }, moved(c)];
                let place = self.place(operation, operands);
                self.known[place] = Known { operation, operands, result: Bdd(moved(result.0)) };
            }
        }
        self.all.shrink_to(2 * kept);
        self.enough = (2 * kept).max(FEW);
        for root in roots {
            *root = new[root.index()];
        }
    }

    /// The set of all valuations with one bit on, or off.
    pub fn bit(&mut self, level: u32, on: bool) -> Bdd {
        if on {
            self.node(level, Bdd::FALSE, Bdd::TRUE)
        } else {
            self.node(level, Bdd::TRUE, Bdd::FALSE)
        }
    }

    /// The set of all valuations in which these bits are so. The levels are in descending order.
    pub fn cube(&mut self, bits: impl IntoIterator<Item = (u32, bool)>) -> Bdd {
        let mut set = Bdd::TRUE;
        for (level, on) in bits {
            debug_assert!(level < self.level(set), "the levels of a cube descend");
            let (low, high) = if on { (Bdd::FALSE, set) } else { (set, Bdd::FALSE) };
            set = self.node(level, low, high);
        }
        set
    }

    /// Whether a valuation is in a set.
    pub fn has(&self, set: Bdd, is_on: impl Fn(u32) -> bool) -> bool {
        let mut at = set;
        while let Some((level, low, high)) = self.parts(at) {
            at = if is_on(level) { high } else { low };
        }
        at == Bdd::TRUE
    }

    /// One of the valuations of a set, by its bits that matter, those that are off where possible.
    /// None if it is empty.
    pub fn pick(&self, set: Bdd) -> Option<Vec<(u32, bool)>> {
        let mut at = set;
        let mut bits = Vec::new();
        while let Some((level, low, high)) = self.parts(at) {
            let on = low == Bdd::FALSE;
            bits.push((level, on));
            at = if on { high } else { low };
        }
        (at == Bdd::TRUE).then_some(bits)
    }

    /// All nodes of a set, children first, without the terminals.
    pub fn nodes_of(&self, set: Bdd) -> Vec<Bdd> {
        let mut found = vec![false; set.index() + 1];
        found[set.index()] = true;
        for number in (2..=set.index()).rev() {
            if found[number] {
                found[self.all[number].low.index()] = true;
                found[self.all[number].high.index()] = true;
            }
        }
        (2..=set.index()).filter(|&number| found[number]).map(|number| Bdd(number as u32)).collect()
    }
}

impl Default for Nodes {
    fn default() -> Self {
        Self::new()
    }
}

type Made = Result<Bdd, Limit>;

impl Work<'_, '_> {
    fn spend(&mut self) -> Result<(), Limit> {
        self.nodes.steps += 1;
        if !self.nodes.steps.is_multiple_of(STEPS) {
            return Ok(());
        }
        // A table that is about to grow is there twice for a while.
        let about_to_grow = 2 * (self.nodes.count() + STEPS) > self.nodes.unique.len();
        let more = if about_to_grow { self.nodes.bytes() } else { 0 };
        if self.nodes.count() > (u32::MAX / 2) as usize {
            return Err(Limit::States);
        }
        self.meter.reached(0, self.nodes.bytes() + more).map_or(Ok(()), Err)
    }

    /// Both.
    pub fn and(&mut self, one: Bdd, other: Bdd) -> Made {
        let (one, other) = (one.min(other), one.max(other));
        match (one, other) {
            (Bdd::FALSE, _) => return Ok(Bdd::FALSE),
            (Bdd::TRUE, _) => return Ok(other),
            _ if one == other => return Ok(one),
            _ => (),
        }
        self.apply(Operation::And, one, other, Self::and)
    }

    /// One of them, or both.
    pub fn or(&mut self, one: Bdd, other: Bdd) -> Made {
        let (one, other) = (one.min(other), one.max(other));
        match (one, other) {
            (Bdd::FALSE, _) => return Ok(other),
            (Bdd::TRUE, _) => return Ok(Bdd::TRUE),
            _ if one == other => return Ok(one),
            _ => (),
        }
        self.apply(Operation::Or, one, other, Self::or)
    }

    /// One of them, and not both.
    pub fn xor(&mut self, one: Bdd, other: Bdd) -> Made {
        let (one, other) = (one.min(other), one.max(other));
        match (one, other) {
            (Bdd::FALSE, _) => return Ok(other),
            (Bdd::TRUE, Bdd::TRUE) => return Ok(Bdd::FALSE),
            _ if one == other => return Ok(Bdd::FALSE),
            _ => (),
        }
        self.apply(Operation::Xor, one, other, Self::xor)
    }

    /// What is not in a set.
    pub fn not(&mut self, set: Bdd) -> Made {
        self.xor(Bdd::TRUE, set)
    }

    /// What is in the one and not in the other.
    pub fn without(&mut self, one: Bdd, other: Bdd) -> Made {
        match (one, other) {
            (Bdd::FALSE, _) | (_, Bdd::TRUE) => return Ok(Bdd::FALSE),
            (_, Bdd::FALSE) => return Ok(one),
            (Bdd::TRUE, _) => return self.not(other),
            _ if one == other => return Ok(Bdd::FALSE),
            _ => (),
        }
        self.apply(Operation::Without, one, other, Self::without)
    }

    fn apply(
        &mut self,
        operation: Operation,
        one: Bdd,
        other: Bdd,
        again: fn(&mut Self, Bdd, Bdd) -> Made,
    ) -> Made {
        let operands = [one, other, Bdd::FALSE];
        if let Some(known) = self.nodes.find(operation, operands) {
            return Ok(known);
        }
        self.spend()?;
        let level = self.nodes.level(one).min(self.nodes.level(other));
        let (low, high) = self.nodes.halves(one, level);
        let (other_low, other_high) = self.nodes.halves(other, level);
        let low = again(self, low, other_low)?;
        let high = again(self, high, other_high)?;
        let made = self.nodes.node(level, low, high);
        Ok(self.nodes.remember(operation, operands, made))
    }

    /// The second where the first holds, else the third.
    pub fn if_then_else(&mut self, condition: Bdd, then: Bdd, otherwise: Bdd) -> Made {
        match (condition, then, otherwise) {
            (Bdd::TRUE, ..) => return Ok(then),
            (Bdd::FALSE, ..) => return Ok(otherwise),
            (_, Bdd::TRUE, Bdd::FALSE) => return Ok(condition),
            _ if then == otherwise => return Ok(then),
            (_, Bdd::FALSE, _) => return self.without(otherwise, condition),
            (_, Bdd::TRUE, _) => return self.or(condition, otherwise),
            (_, _, Bdd::FALSE) => return self.and(condition, then),
            _ => (),
        }
        let operands = [condition, then, otherwise];
        if let Some(known) = self.nodes.find(Operation::IfThenElse, operands) {
            return Ok(known);
        }
        self.spend()?;
        let level = operands.map(|each| self.nodes.level(each)).into_iter().min().unwrap_or(BOTTOM);
        let [condition, then, otherwise] = operands.map(|each| self.nodes.halves(each, level));
        let low = self.if_then_else(condition.0, then.0, otherwise.0)?;
        let high = self.if_then_else(condition.1, then.1, otherwise.1)?;
        let made = self.nodes.node(level, low, high);
        Ok(self.nodes.remember(Operation::IfThenElse, operands, made))
    }

    /// The set when bits may have any value: those that are on in a cube.
    pub fn exists(&mut self, set: Bdd, bits: Bdd) -> Made {
        if set.is_terminal() || bits == Bdd::TRUE {
            return Ok(set);
        }
        let operands = [set, bits, Bdd::FALSE];
        if let Some(known) = self.nodes.find(Operation::Exists, operands) {
            return Ok(known);
        }
        self.spend()?;
        let level = self.nodes.level(set);
        let (bits, is_bit) = self.bits_from(bits, level);
        let (low, high) = self.nodes.halves(set, level);
        let low = self.exists(low, bits)?;
        let made = if is_bit && low == Bdd::TRUE {
            low
        } else {
            let high = self.exists(high, bits)?;
            if is_bit { self.or(low, high)? } else { self.nodes.node(level, low, high) }
        };
        Ok(self.nodes.remember(Operation::Exists, operands, made))
    }

    /// What is in both sets, when bits may then have any value.
    pub fn and_exists(&mut self, one: Bdd, other: Bdd, bits: Bdd) -> Made {
        let (one, other) = (one.min(other), one.max(other));
        if one == Bdd::FALSE {
            return Ok(Bdd::FALSE);
        }
        if one == Bdd::TRUE || one == other {
            return self.exists(other, bits);
        }
        if bits == Bdd::TRUE {
            return self.and(one, other);
        }
        let operands = [one, other, bits];
        if let Some(known) = self.nodes.find(Operation::AndExists, operands) {
            return Ok(known);
        }
        self.spend()?;
        let level = self.nodes.level(one).min(self.nodes.level(other));
        let (bits, is_bit) = self.bits_from(bits, level);
        let (one, other) = (self.nodes.halves(one, level), self.nodes.halves(other, level));
        let low = self.and_exists(one.0, other.0, bits)?;
        let made = if is_bit && low == Bdd::TRUE {
            low
        } else {
            let high = self.and_exists(one.1, other.1, bits)?;
            if is_bit { self.or(low, high)? } else { self.nodes.node(level, low, high) }
        };
        Ok(self.nodes.remember(Operation::AndExists, operands, made))
    }

    /// The bits of a cube below a level, and whether that level is one of them.
    fn bits_from(&self, mut bits: Bdd, level: u32) -> (Bdd, bool) {
        while self.nodes.level(bits) < level {
            bits = self.nodes.all[bits.index()].high;
        }
        if self.nodes.level(bits) == level {
            (self.nodes.all[bits.index()].high, true)
        } else {
            (bits, false)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;

    /// All functions of three bits, by their tables.
    fn build(work: &mut Work, table: u32) -> Bdd {
        let mut set = Bdd::FALSE;
        for row in 0..8 {
            if table >> row & 1 == 1 {
                let cube =
                    work.nodes.cube([4, 2, 0].map(|level| (level, row >> (level / 2) & 1 == 1)));
                set = work.or(set, cube).unwrap();
            }
        }
        set
    }

    fn table(nodes: &Nodes, set: Bdd) -> u32 {
        let rows = (0..8).filter(|row| nodes.has(set, |level| row >> (level / 2) & 1 == 1));
        rows.map(|row: u32| 1 << row).sum()
    }

    #[test]
    fn operations_are_those_of_tables() {
        let mut nodes = Nodes::new();
        let mut meter = Meter::over(Limits::default());
        let mut work = Work { nodes: &mut nodes, meter: &mut meter };
        let sets: Vec<Bdd> = (0..256).map(|table| build(&mut work, table)).collect();
        let without_bit = |table: u32, bit: u32| {
            (0..8)
                .filter(|row| {
                    table >> (row & !(1 << bit)) & 1 == 1 || table >> (row | 1 << bit) & 1 == 1
                })
                .map(|row| 1 << row)
                .sum::<u32>()
        };
        for one in 0..256_u32 {
            let a = sets[one as usize];
            assert_eq!(table(work.nodes, a), one);
            assert_eq!(work.not(a).unwrap(), sets[255 - one as usize]);
            assert_eq!(work.nodes.pick(a).is_none(), one == 0);
            for other in (0..256_u32).step_by(5) {
                let b = sets[other as usize];
                assert_eq!(work.and(a, b).unwrap(), sets[(one & other) as usize]);
                assert_eq!(work.or(a, b).unwrap(), sets[(one | other) as usize]);
                assert_eq!(work.xor(a, b).unwrap(), sets[(one ^ other) as usize]);
                assert_eq!(work.without(a, b).unwrap(), sets[(one & !other) as usize]);
                let third = (one * 7 + other * 3) % 256;
                let chosen = one & other | !one & third;
                let made = work.if_then_else(a, b, sets[third as usize]).unwrap();
                assert_eq!(made, sets[(chosen & 255) as usize]);
                for bit in 0..3 {
                    let bits = work.nodes.bit(2 * bit, true);
                    let made = work.and_exists(a, b, bits).unwrap();
                    assert_eq!(made, sets[without_bit(one & other, bit) as usize]);
                    let made = work.exists(a, bits).unwrap();
                    assert_eq!(made, sets[without_bit(one, bit) as usize]);
                }
            }
        }
    }

    #[test]
    fn freeing_keeps_what_roots_need() {
        let mut nodes = Nodes::new();
        let mut meter = Meter::over(Limits::default());
        let mut work = Work { nodes: &mut nodes, meter: &mut meter };
        let mut kept: Vec<Bdd> = [3, 77, 200].map(|table| build(&mut work, table)).to_vec();
        for table in 0..256 {
            build(&mut work, table);
        }
        let before = nodes.count();
        nodes.collect(&mut kept);
        assert!(nodes.count() < before);
        assert_eq!(kept.iter().map(|&set| table(&nodes, set)).collect::<Vec<_>>(), [3, 77, 200]);
        let mut work = Work { nodes: &mut nodes, meter: &mut meter };
        assert_eq!(build(&mut work, 77), kept[1]);
    }
}
