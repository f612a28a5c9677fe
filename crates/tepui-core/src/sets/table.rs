//! A hash table of packed keys that numbers them in the order in which they come.
//!
//! Keys lie one after another in a plain vector, and the table proper holds only their numbers, as
//! 32-bit buckets, with whatever bits are left filled from the hash, so that most wrong candidates
//! are dismissed without looking at their key. A key of one word and its bucket cost 16 to 26 bytes.
//!
//! A table larger than the caches waits for memory at every look-up. [`Table::insert_batch`] asks
//! for all the buckets of a batch first, then for all the candidate keys, so that the waits overlap.
//! It is what a prefetch instruction would do, in safe code.

use std::hint::black_box;

/// A bucket that holds no number.
const VACANT: u32 = u32::MAX;

/// The table never holds more than this share of its buckets.
const FULL: (usize, usize) = (1, 2);

/// How many keys find their new buckets together.
const REHASHED_AT_ONCE: usize = 256;

/// In place of a key's length where that is not worth code of its own.
const ANY: usize = 0;

/// The numbered set of keys.
#[derive(Clone, Debug)]
pub struct Table {
    /// The length of a key, in 64-bit words.
    words: usize,
    /// Key number i is at `i * words`.
    keys: Vec<u64>,
    /// Open addressing with linear probing; the length is a power of two. A bucket is the number of
    /// a key in the low `number_bits` and bits of its hash above them.
    buckets: Vec<u32>,
    number_bits: u32,
    len: usize,
    hashes: Vec<u64>,
}

impl Table {
    /// More keys than this are not taken: with more, a bucket could not hold their numbers.
    pub const MAX_LEN: usize = (1 << 31) / FULL.1 * FULL.0 - 1;

    /// An empty table for keys of this many words.
    pub fn new(words: usize) -> Self {
        let number_bits = 8;
        Self {
            words,
            keys: Vec::new(),
            buckets: vec![VACANT; 1 << number_bits],
            number_bits,
            len: 0,
            hashes: Vec::new(),
        }
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The key with a number.
    pub fn key(&self, number: u32) -> &[u64] {
        let start = number as usize * self.words;
        &self.keys[start..start + self.words]
    }

    /// How much memory the table holds.
    pub fn bytes(&self) -> usize {
        self.keys.capacity() * 8 + self.buckets.capacity() * 4 + self.hashes.capacity() * 8
    }

    /// How much memory it will hold, for a moment at least, once it has room for more keys.
    pub fn bytes_after(&self, more: usize) -> usize {
        let buckets = buckets_for(self.len + more);
        let new_buckets = if buckets > self.buckets.len() { buckets * 4 } else { 0 };
        let new_keys = if self.has_room(more) { 0 } else { self.growth(more) * 8 };
        self.bytes() + new_buckets + new_keys
    }

    /// The number of a key, if it is there.
    pub fn find(&self, key: &[u64]) -> Option<u32> {
        self.probe::<ANY>(key, hash(key)).ok()
    }

    /// Insert one key: its number, and whether it is new.
    pub fn insert(&mut self, key: &[u64]) -> (u32, bool) {
        self.reserve(1);
        self.insert_hashed::<ANY>(key, hash(key))
    }

    /// Insert keys that lie one after another, and report the number of each, and whether it was
    /// new, in order.
    pub fn insert_batch(&mut self, batch: &[u64], report: impl FnMut(usize, u32, bool)) {
        self.reserve(batch.len() / self.words);
        match self.words {
            1 => self.insert_keys::<1>(batch, report),
            2 => self.insert_keys::<2>(batch, report),
            3 => self.insert_keys::<3>(batch, report),
            _ => self.insert_keys::<ANY>(batch, report),
        }
    }

    fn insert_keys<const WORDS: usize>(
        &mut self,
        batch: &[u64],
        mut report: impl FnMut(usize, u32, bool),
    ) {
        let words = self.width::<WORDS>();
        let mut hashes = std::mem::take(&mut self.hashes);
        hashes.clear();
        hashes.extend(batch.chunks_exact(words).map(hash));
        self.fetch::<WORDS>(&hashes);
        for (index, (key, &hash)) in batch.chunks_exact(words).zip(&hashes).enumerate() {
            let (number, new) = self.insert_hashed::<WORDS>(key, hash);
            report(index, number, new);
        }
        self.hashes = hashes;
    }

    /// The same keys with the same numbers, each written anew in keys of another length.
    #[must_use]
    pub fn repacked(&self, words: usize, mut repack: impl FnMut(&[u64], &mut [u64])) -> Self {
        let mut table = Self::new(words);
        table.reserve(self.len);
        let mut key = vec![0; words];
        for old in self.keys.chunks_exact(self.words) {
            key.fill(0);
            repack(old, &mut key);
            table.insert_hashed::<ANY>(&key, hash(&key));
        }
        table
    }

    /// Bring what a look-up of these hashes needs into the caches. Loads that do not depend on
    /// each other overlap, so each loop waits for memory once rather than once per hash.
    fn fetch<const WORDS: usize>(&self, hashes: &[u64]) {
        let number_mask = (1u32 << self.number_bits) - 1;
        let buckets = hashes.iter().fold(0, |all, &hash| all ^ self.buckets[self.home(hash)]);
        black_box(buckets);
        let keys = hashes.iter().fold(0, |all, &hash| {
            let number = self.buckets[self.home(hash)] & number_mask;
            all ^ self.keys.get(number as usize * self.width::<WORDS>()).copied().unwrap_or(0)
        });
        black_box(keys);
    }

    #[inline]
    fn insert_hashed<const WORDS: usize>(&mut self, key: &[u64], hash: u64) -> (u32, bool) {
        match self.probe::<WORDS>(key, hash) {
            Ok(number) => (number, false),
            Err(vacant) => {
                let number = self.len as u32;
                self.buckets[vacant] = number | self.tag(hash);
                self.keys.extend_from_slice(key);
                self.len += 1;
                (number, true)
            }
        }
    }

    /// The number of a key, or the vacant bucket where it would go.
    #[inline]
    fn probe<const WORDS: usize>(&self, key: &[u64], hash: u64) -> Result<u32, usize> {
        let words = self.width::<WORDS>();
        let number_mask = (1u32 << self.number_bits) - 1;
        let tag = self.tag(hash);
        let mut index = self.home(hash);
        loop {
            let bucket = self.buckets[index];
            if bucket == VACANT {
                return Err(index);
            }
            if bucket & !number_mask == tag {
                let number = bucket & number_mask;
                let start = number as usize * words;
                if same(&self.keys[start..start + words], &key[..words]) {
                    return Ok(number);
                }
            }
            index = (index + 1) & (self.buckets.len() - 1);
        }
    }

    /// The length of a key: known to the compiler, unless it is [`ANY`].
    #[inline]
    fn width<const WORDS: usize>(&self) -> usize {
        if WORDS == ANY { self.words } else { WORDS }
    }

    /// Where the search for a key with this hash begins.
    fn home(&self, hash: u64) -> usize {
        hash as usize & (self.buckets.len() - 1)
    }

    /// The part of a bucket above the number. It uses the high end of the hash, `home` the low end.
    fn tag(&self, hash: u64) -> u32 {
        let high = (hash >> 32) as u32;
        high & !((1u32 << self.number_bits) - 1)
    }

    /// Make room for more keys without any bucket moving while they are inserted.
    fn reserve(&mut self, more: usize) {
        let needed = buckets_for(self.len + more);
        if needed > self.buckets.len() {
            assert!(self.len + more <= Self::MAX_LEN, "more keys than can be numbered");
            self.rehash(needed);
        }
        if !self.has_room(more) {
            self.keys.reserve_exact(self.growth(more));
        }
    }

    fn has_room(&self, more: usize) -> bool {
        self.keys.capacity() - self.keys.len() >= more * self.words
    }

    /// By how many words to let the keys grow when more keys do not fit: a quarter at a time, since
    /// doubling would waste up to half of the memory.
    fn growth(&self, more: usize) -> usize {
        (self.keys.len() / 4).max(more * self.words + 1024)
    }

    fn rehash(&mut self, buckets: usize) {
        self.number_bits = buckets.trailing_zeros();
        self.buckets = Vec::new();
        self.buckets = vec![VACANT; buckets];
        let mut hashes = std::mem::take(&mut self.hashes);
        let mut number = 0;
        for keys in self.keys.chunks(self.words * REHASHED_AT_ONCE) {
            hashes.clear();
            hashes.extend(keys.chunks_exact(self.words).map(hash));
            black_box(hashes.iter().fold(0, |all, &hash| all ^ self.buckets[self.home(hash)]));
            for &hash in &hashes {
                let mut index = self.home(hash);
                while self.buckets[index] != VACANT {
                    index = (index + 1) & (buckets - 1);
                }
                self.buckets[index] = number | self.tag(hash);
                number += 1;
            }
        }
        self.hashes = hashes;
    }
}

/// How many buckets this many keys need. No number is all ones, so no bucket looks vacant.
fn buckets_for(keys: usize) -> usize {
    (keys * FULL.1 / FULL.0 + 1).next_power_of_two().max(256)
}

#[inline]
fn same(left: &[u64], right: &[u64]) -> bool {
    left.iter().zip(right).all(|(left, right)| left == right)
}

/// A multiplicative hash whose low and high ends are both good.
#[inline]
fn hash(key: &[u64]) -> u64 {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash = MULTIPLIER;
    for &word in key {
        let product = u128::from(hash ^ word) * u128::from(MULTIPLIER ^ 0x5555_5555_5555_5555);
        hash = (product as u64) ^ ((product >> 64) as u64);
    }
    let product = u128::from(hash) * u128::from(MULTIPLIER);
    (product as u64) ^ ((product >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keys_in_the_order_in_which_they_come() {
        let mut table = Table::new(1);
        assert_eq!(table.insert(&[7]), (0, true));
        assert_eq!(table.insert(&[5]), (1, true));
        assert_eq!(table.insert(&[7]), (0, false));
        assert_eq!((table.find(&[5]), table.find(&[6])), (Some(1), None));
    }

    #[test]
    fn keeps_every_key_and_number_while_it_grows() {
        for words in [1, 2, 3] {
            let mut table = Table::new(words);
            let key = |number: u64| vec![number.wrapping_mul(0x1234_5678_9ABC_DEF1); words];
            for number in 0..100_000 {
                assert_eq!(table.insert(&key(number)), (number as u32, true));
            }
            for number in 0..100_000 {
                assert_eq!(table.insert(&key(number)), (number as u32, false));
            }
            assert_eq!(table.find(&key(100_001)), None);
        }
    }

    #[test]
    fn a_batch_with_repetitions_is_reported_in_order() {
        let mut table = Table::new(2);
        let mut reports = Vec::new();
        table.insert_batch(&[1, 1, 2, 2, 1, 1], |index, number, new| {
            reports.push((index, number, new));
        });
        assert_eq!(reports, [(0, 0, true), (1, 1, true), (2, 0, false)]);
    }

    #[test]
    fn repacking_keeps_the_numbers() {
        let mut table = Table::new(1);
        for key in [3, 1, 4, 15, 9] {
            table.insert(&[key]);
        }
        let wide = table.repacked(2, |old, new| new[1] = old[0]);
        assert_eq!(wide.find(&[0, 15]), Some(3));
        assert_eq!(wide.len(), 5);
    }
}
