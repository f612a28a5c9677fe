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

/// A set of rows, each of which has numbers below certain sizes: a table of packed rows, each where
/// its hash wants it, or in the next slot that was free.
pub(crate) struct RowSet {
    /// For each entry, its word, where it begins there, and its bits.
    places: Vec<(usize, u32, u64)>,
    words: usize,
    slots: Vec<u64>,
    /// How many slots there are, less 1: all bits of a number of a slot.
    mask: usize,
    len: usize,
    packed: Vec<u64>,
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
            len: 0,
            packed: vec![0; words],
        })
    }

    /// How many different rows there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Whether the set has a row. Its entries may be too large: then it has not.
    #[inline]
    pub(crate) fn contains(&mut self, row: &[u32]) -> bool {
        self.pack(row) && self.find().is_ok()
    }

    /// Whether the set has the row of a slot with two other entries.
    #[inline]
    pub(crate) fn contains_changed(&mut self, slot: usize, changes: [(usize, u32); 2]) -> bool {
        let start = slot * self.words;
        self.packed.copy_from_slice(&self.slots[start..start + self.words]);
        for (place, entry) in changes {
            let (word, shift, mask) = self.places[place];
            if u64::from(entry) > mask {
                return false;
            }
            self.packed[word] &= !(mask << shift);
            self.packed[word] |= u64::from(entry) << shift;
        }
        self.find().is_ok()
    }

    /// Add a row, whose entries are below the sizes.
    pub(crate) fn insert(&mut self, row: &[u32]) {
        let fits = self.pack(row);
        debug_assert!(fits, "the entries were looked at before");
        if let Err(slot) = self.find() {
            let start = slot * self.words;
            self.slots[start..start + self.words].copy_from_slice(&self.packed);
            self.len += 1;
        }
    }

    /// Work on each row, with its slot, as long as the caller is patient.
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
        }
        Ok(())
    }

    /// Put a row into `packed`; whether it fits.
    #[inline]
    fn pack(&mut self, row: &[u32]) -> bool {
        self.packed.fill(0);
        self.packed[0] = TAKEN;
        let mut fits = true;
        for (&entry, &(word, shift, mask)) in row.iter().zip(&self.places) {
            fits &= u64::from(entry) <= mask;
            self.packed[word] |= (u64::from(entry) & mask) << shift;
        }
        fits
    }

    /// Whether the packed row is there; if not, the free slot where it would be.
    #[inline]
    fn find(&self) -> Result<(), usize> {
        let mut slot = (hash_of(&self.packed) >> 20) as usize & self.mask;
        loop {
            let words = &self.slots[slot * self.words..(slot + 1) * self.words];
            // Most rows are one word, and comparing that is quicker than comparing slices.
            if words[0] == self.packed[0] && words[1..] == self.packed[1..] {
                return Ok(());
            }
            if words[0] & TAKEN == 0 {
                return Err(slot);
            }
            slot = (slot + 1) & self.mask;
        }
    }
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
            set.insert(&row(n));
            set.insert(&row(n));
        }
        assert_eq!(set.len(), 2000);
        assert!((0..2000).all(|n| set.contains(&row(n))));
        assert!((2000..4000).all(|n| !set.contains(&row(n))));
        assert!(!set.contains(&[1024, 0, 0, 0, 0, 0]));
        let mut met = 0;
        let each = set.each(&Patience::new(&|| true), |set, slot, read| {
            met += 1;
            let n = (0..2000).find(|&n| row(n) == *read).unwrap();
            assert!(set.contains_changed(slot, [(0, read[0]), (2, read[2])]));
            assert!(!set.contains_changed(slot, [(0, (n + 1) % 1000), (2, read[2])]));
            assert!(!set.contains_changed(slot, [(0, 1031), (2, read[2])]));
            Ok(())
        });
        assert_eq!((each, met), (Ok(()), 2000));
    }
}
