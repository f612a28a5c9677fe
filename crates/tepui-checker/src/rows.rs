//! Rows of numbers in few bits: as certificates bring them, and as the set that is checked.

use crate::hashing::hash_of;
use crate::{Checked, Patience, rejected};

/// The states of a certificate as they were handed over: each row takes the same number of bytes,
/// its entries one after another from the lowest bit on.
pub struct Rows<'a> {
    /// How many rows there are.
    pub count: usize,
    /// For each entry of a row, how many bits it has.
    pub bits: Vec<u32>,
    /// All rows, one after another.
    pub data: &'a [u8],
    /// What the first entries of rows stand for; None if for themselves.
    pub first: Option<Vec<u32>>,
}

impl Rows<'_> {
    /// How many bytes a row takes.
    pub fn bytes_per_row(&self) -> usize {
        self.bits.iter().map(|&bits| bits as usize).sum::<usize>().div_ceil(8)
    }

    /// Refuse rows that are not what they say.
    pub fn check(&self) -> Checked<()> {
        if self.bits.iter().any(|&bits| bits > 32) {
            return rejected("an entry of the packed states has more than 32 bits");
        }
        if self.count.checked_mul(self.bytes_per_row()) != Some(self.data.len()) {
            return rejected("the packed states have another length than they say");
        }
        Ok(())
    }

    /// Read a row; [`Rows::check`] must have passed.
    pub fn read(&self, number: usize, row: &mut Vec<u32>) -> Checked<()> {
        row.clear();
        let bytes = self.bytes_per_row();
        let mut data = self.data[number * bytes..(number + 1) * bytes].iter();
        let (mut loaded, mut present) = (0_u64, 0);
        for &bits in &self.bits {
            while present < bits {
                loaded |= u64::from(*data.next().expect("a row has all its bits")) << present;
                present += 8;
            }
            row.push((loaded & ((1 << bits) - 1)) as u32);
            loaded >>= bits;
            present -= bits;
        }
        if loaded != 0 {
            return rejected("a packed state is followed by bits that mean nothing");
        }
        if let (Some(names), Some(entry)) = (&self.first, row.first_mut()) {
            let Some(&meant) = names.get(*entry as usize) else {
                return rejected("a packed state begins with a number that stands for nothing");
            };
            *entry = meant;
        }
        Ok(())
    }
}

/// The bit of the first word of a row that says that a slot has one.
const TAKEN: u64 = 1 << 63;

/// How many rows are looked up together.
const BATCH: usize = 256;

/// A set of rows, each of which has numbers below certain sizes: a table of packed rows, each where
/// its hash wants it, or in the next slot that was free.
///
/// A large table is far away, and waiting for one slot after the other takes most of the time. So
/// rows are first collected, and then looked up or added many at once: the processor fetches all
/// their slots while it waits for the first.
pub(crate) struct RowSet {
    /// For each entry, its word, where it begins there, and its bits.
    places: Vec<(usize, u32, u64)>,
    words: usize,
    slots: Vec<u64>,
    /// How many slots there are, less 1: all bits of a number of a slot.
    mask: usize,
    /// The rows that were collected, packed, and where their hashes want them.
    collected: Vec<u64>,
    homes: Vec<usize>,
}

impl RowSet {
    /// No rows yet; there will be at most `most`, with entries below these sizes.
    pub(crate) fn new(sizes: &[u32], most: usize) -> Checked<Self> {
        if most >= u32::MAX as usize {
            return rejected("there are too many states");
        }
        let (mut places, mut word, mut next) = (Vec::with_capacity(sizes.len()), 0, 0);
        for &size in sizes {
            let bits = u32::BITS - size.saturating_sub(1).leading_zeros();
            if next + bits > TAKEN.trailing_zeros() {
                (word, next) = (word + 1, 0);
            }
            places.push((word, next, (1 << bits) - 1));
            next += bits;
        }
        let (words, slots) = (word + 1, (most + most / 3 + 2).next_power_of_two());
        Ok(Self {
            places,
            words,
            slots: vec![0; slots * words],
            mask: slots - 1,
            collected: Vec::new(),
            homes: Vec::new(),
        })
    }

    /// Whether the set has a row. Its entries may be too large: then it has not.
    pub(crate) fn contains(&mut self, row: &[u32]) -> bool {
        self.demand(row).and_then(|()| self.check_demands()).is_ok()
    }

    /// The set must have this row. That is checked later, by [`RowSet::each`].
    #[inline]
    pub(crate) fn demand(&mut self, row: &[u32]) -> Checked<()> {
        if self.collect(row) { Ok(()) } else { lacking(row) }
    }

    /// The set must have the row of a slot with two other entries.
    #[inline]
    pub(crate) fn demand_changed(
        &mut self,
        slot: usize,
        changes: [(usize, u32); 2],
    ) -> Checked<()> {
        let (from, to) = (slot * self.words, self.collected.len());
        self.collected.extend_from_slice(&self.slots[from..from + self.words]);
        if changes.iter().any(|&(place, entry)| u64::from(entry) > self.places[place].2) {
            let mut row = self.unpacked(to);
            for (place, entry) in changes {
                row[place] = entry;
            }
            self.collected.truncate(to);
            return lacking(&row);
        }
        for (place, entry) in changes {
            let (word, shift, mask) = self.places[place];
            let packed = &mut self.collected[to + word];
            *packed = *packed & !(mask << shift) | u64::from(entry) << shift;
        }
        Ok(())
    }

    /// Add a row, whose entries are below the sizes. It is there after [`RowSet::add_all`].
    pub(crate) fn add(&mut self, row: &[u32]) {
        let fits = self.collect(row);
        debug_assert!(fits, "the entries were looked at before");
        if self.collected.len() >= BATCH * self.words {
            self.add_all();
        }
    }

    /// Add all rows that were collected.
    pub(crate) fn add_all(&mut self) {
        self.fetch();
        for number in 0..self.homes.len() {
            if let Err(slot) = self.find(number) {
                let (from, to) = (number * self.words, slot * self.words);
                let row = &self.collected[from..from + self.words];
                self.slots[to..to + self.words].copy_from_slice(row);
            }
        }
        self.collected.clear();
    }

    /// Work on each row, with its slot, as long as the caller is patient. All rows that are demanded
    /// on the way must be there.
    pub(crate) fn each(
        &mut self,
        patience: &Patience<'_>,
        mut work: impl FnMut(&mut Self, usize, &[u32]) -> Checked<()>,
    ) -> Checked<()> {
        patience.ask()?;
        let mut row = vec![0; self.places.len()];
        for slot in 0..=self.mask {
            let words = &self.slots[slot * self.words..(slot + 1) * self.words];
            if words[0] & TAKEN == 0 {
                continue;
            }
            for (entry, &(word, shift, mask)) in row.iter_mut().zip(&self.places) {
                *entry = (words[word] >> shift & mask) as u32;
            }
            patience.spend(1)?;
            work(self, slot, &row)?;
            if self.collected.len() >= BATCH * self.words {
                self.check_demands()?;
            }
        }
        self.check_demands()
    }

    /// All rows that were demanded are there.
    fn check_demands(&mut self) -> Checked<()> {
        self.fetch();
        let missing = (0..self.homes.len()).find(|&number| self.find(number).is_err());
        let missing = missing.map(|number| self.unpacked(number * self.words));
        self.collected.clear();
        missing.map_or(Ok(()), |row| lacking(&row))
    }

    /// Collect a row, if it fits; whether it does.
    #[inline]
    fn collect(&mut self, row: &[u32]) -> bool {
        let start = self.collected.len();
        self.collected.resize(start + self.words, 0);
        let packed = &mut self.collected[start..];
        packed[0] = TAKEN;
        let mut fits = true;
        for (&entry, &(word, shift, mask)) in row.iter().zip(&self.places) {
            fits &= u64::from(entry) <= mask;
            packed[word] |= (u64::from(entry) & mask) << shift;
        }
        if !fits {
            self.collected.truncate(start);
        }
        fits
    }

    /// The entries of the collected row that begins with a word.
    fn unpacked(&self, start: usize) -> Vec<u32> {
        let entry = |&(word, shift, mask)| (self.collected[start + word] >> shift & mask) as u32;
        self.places.iter().map(entry).collect()
    }

    /// Find out where the collected rows belong, and look there: nothing depends on what is seen,
    /// so nobody waits for it.
    fn fetch(&mut self) {
        let Self { collected, words, mask, homes, slots, .. } = self;
        homes.clear();
        let rows = collected.chunks_exact(*words);
        homes.extend(rows.map(|row| (hash_of(row) >> 20) as usize & *mask));
        let looked = homes.iter().fold(0, |looked, home| looked ^ slots[home * *words]);
        std::hint::black_box(looked);
    }

    /// Whether a collected row is in the table; if not, the free slot where it would be.
    #[inline]
    fn find(&self, number: usize) -> Result<(), usize> {
        let row = &self.collected[number * self.words..(number + 1) * self.words];
        let mut slot = self.homes[number];
        loop {
            let words = &self.slots[slot * self.words..(slot + 1) * self.words];
            // Most rows are one word, and comparing that is quicker than comparing slices.
            if words[0] == row[0] && words[1..] == row[1..] {
                return Ok(());
            }
            if words[0] & TAKEN == 0 {
                return Err(slot);
            }
            slot = (slot + 1) & self.mask;
        }
    }
}

fn lacking(row: &[u32]) -> Checked<()> {
    rejected(format!("the certificate is not closed: a step leads to {row:?}, which it lacks"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_rows_are_read_from_the_lowest_bit_on() {
        let rows =
            Rows { count: 2, bits: vec![3, 0, 9], data: &[0b1010_1101, 1, 0, 2], first: None };
        assert_eq!(rows.check(), Ok(()));
        let mut row = Vec::new();
        rows.read(0, &mut row).unwrap();
        assert_eq!(row, [0b101, 0, 0b11_0101]);
        rows.read(1, &mut row).unwrap();
        assert_eq!(row, [0, 0, 0b100_0000]);
    }

    #[test]
    fn damaged_rows_are_refused() {
        let rows = |count, bits, data| Rows { count, bits, data, first: None };
        assert!(rows(2, vec![8], &[1]).check().is_err());
        assert!(rows(1, vec![33], &[1, 2, 3, 4, 5]).check().is_err());
        assert!(rows(1, vec![4], &[0x10]).read(0, &mut Vec::new()).is_err());
        let named = Rows { count: 1, bits: vec![4], data: &[3], first: Some(vec![7, 8, 9]) };
        assert!(named.read(0, &mut Vec::new()).is_err());
    }

    #[test]
    fn the_first_entry_may_stand_for_another_number() {
        let rows = Rows { count: 1, bits: vec![4, 4], data: &[0x21], first: Some(vec![70, 80]) };
        let mut row = Vec::new();
        rows.read(0, &mut row).unwrap();
        assert_eq!(row, [80, 2]);
    }

    #[test]
    fn a_set_has_what_was_put_in_and_nothing_else() {
        let sizes = [1000, 70_000, 3, 1, 4_000_000_000, 5];
        let mut set = RowSet::new(&sizes, 3000).unwrap();
        let row = |n: u32| [n % 1000, n * 7 % 70_000, n % 3, 0, n.wrapping_mul(99_991), n % 5];
        for n in 0..2000 {
            set.add(&row(n));
            set.add(&row(n));
        }
        set.add_all();
        assert!((0..2000).all(|n| set.contains(&row(n))));
        assert!((2000..4000).all(|n| !set.contains(&row(n))));
        assert!(!set.contains(&[1024, 0, 0, 0, 0, 0]));
        let mut met = 0;
        let patience = Patience::new(&|| true);
        let each = set.each(&patience, |set, slot, read| {
            met += 1;
            set.demand(read)?;
            set.demand_changed(slot, [(0, read[0]), (2, read[2])])
        });
        assert_eq!((each, met), (Ok(()), 2000));
    }

    #[test]
    fn rows_that_differ_in_any_entry_are_different() {
        let sizes = [4_000_000_000; 6];
        let row = |place: usize, value: u32| {
            let mut row = [7; 6];
            row[place] = value;
            row
        };
        let patience = Patience::new(&|| true);
        for place in 0..6 {
            let mut set = RowSet::new(&sizes, 300).unwrap();
            (0..300).for_each(|value| set.add(&row(place, value)));
            set.add_all();
            assert!((0..300).all(|value| set.contains(&row(place, value))));
            assert!((300..600).all(|value| !set.contains(&row(place, value))));
            let other =
                set.each(&patience, |set, _, read| set.demand(&row(place, read[place] + 300)));
            assert!(other.is_err());
            let changed = |value| [(0, 7), (place, value)];
            let moved = set.each(&patience, |set, slot, read| {
                set.demand_changed(slot, changed(if place == 0 { 7 } else { read[place] + 300 }))
            });
            assert_eq!(moved.is_err(), place > 0);
        }
    }

    #[test]
    fn whatever_is_demanded_must_be_there() {
        let patience = Patience::new(&|| true);
        for count in [1, 255, 256, 257, 700] {
            let mut set = RowSet::new(&[1000, 5], count).unwrap();
            (0..count).for_each(|n| set.add(&[n as u32, 1]));
            set.add_all();
            let all = set
                .each(&patience, |set, slot, row| set.demand_changed(slot, [(0, row[0]), (1, 1)]));
            assert_eq!(all, Ok(()));
            for wrong in [0, count / 2, count - 1] {
                for entries in [[wrong as u32, 2], [wrong as u32, 8], [1024, 1]] {
                    let whole = set.each(&patience, |set, _, row| {
                        set.demand(if row[0] == wrong as u32 { &entries } else { row })
                    });
                    assert_eq!(whole, lacking(&entries));
                    set.collected.clear();
                    let changed = set.each(&patience, |set, slot, row| {
                        let [first, second] =
                            if row[0] == wrong as u32 { entries } else { [row[0], 1] };
                        set.demand_changed(slot, [(0, first), (1, second)])
                    });
                    assert_eq!(changed, lacking(&entries));
                    set.collected.clear();
                }
            }
        }
    }
}
