//! A hash table of packed keys that numbers them in the order in which they come.
//!
//! Keys lie one after another in a plain vector, and the table proper holds only their numbers, as
//! 32-bit buckets, with whatever bits are left filled from the hash, so that most wrong candidates
//! are dismissed without looking at their key. Buckets come in *groups*, and a key is in the first
//! group from that of its hash on that had room for it; a bit says whether that is another one. A
//! key of one word and its bucket cost 14 to 21 bytes.
//!
//! A table that grows has twice as many groups, and each group becomes two: the next bit of the hash
//! says which. That is the first of the bits in the bucket, so no key is looked at, except where a
//! bucket is not in the group of its hash.
//!
//! A table larger than the caches waits for memory at every look-up, and a processor that cannot
//! foresee how a look-up ends waits again. So [`Table::insert_batch`] first guesses the number of
//! every key of a batch: it reads all the groups, then all the candidate keys, so that the waits
//! overlap, and what it does never depends on what it finds. Most guesses are right. Only the
//! other keys are then looked up one by one, among them those that are new.

use std::hint::black_box;
use std::ops::Range;

/// A bucket that holds no number.
const VACANT: u32 = u32::MAX;

/// The bit of buckets that are not in the group of their hash.
const DISPLACED: u32 = 1 << 31;

/// How many buckets a group has.
const GROUP: usize = 4;

/// The table never holds more than this share of its buckets.
const FULL: (usize, usize) = (2, 3);

/// The smallest number of groups.
const FEW: usize = 96;

/// In place of a key's length where that is not worth code of its own.
const ANY: usize = 0;

/// The numbered set of keys.
#[derive(Clone, Debug)]
pub struct Table {
    /// The length of a key, in 64-bit words.
    words: usize,
    /// Key number i is at `i * words`.
    keys: Vec<u64>,
    groups: Vec<Group>,
    number_mask: u32,
    len: usize,
    guesses: Guesses,
}

/// Some buckets, the vacant ones last. A bucket is the number of a key under the mask of numbers, bits
/// of its hash above them, and the bit [`DISPLACED`].
#[derive(Clone, Copy, Debug)]
struct Group([u32; GROUP]);

/// The group where the search for a key begins, and the bits of its hash that its bucket holds.
#[derive(Clone, Copy, Debug)]
struct Home {
    group: usize,
    tag: u32,
}

/// What is known about the keys of a batch before any of them is inserted.
#[derive(Clone, Debug, Default)]
struct Guesses {
    hashes: Vec<u32>,
    numbers: Vec<u32>,
    /// Which of the numbers are not right: the first `wrong_count` of these.
    wrong: Vec<u32>,
    wrong_count: usize,
}

impl Table {
    /// More keys than this are not taken: with more, a bucket could not hold their numbers.
    pub const MAX_LEN: usize = (1 << 30) - 1;

    /// An empty table for keys of this many words.
    pub fn new(words: usize) -> Self {
        let keys = Vec::new();
        let groups = vec![Group::VACANT; FEW];
        let guesses = Guesses::default();
        Self { words, keys, groups, number_mask: mask_for(FEW), len: 0, guesses }
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
    #[inline]
    pub fn key(&self, number: u32) -> &[u64] {
        let start = number as usize * self.words;
        &self.keys[start..start + self.words]
    }

    /// The keys with some numbers, one after another.
    pub fn keys(&self, numbers: Range<usize>) -> &[u64] {
        &self.keys[numbers.start * self.words..numbers.end * self.words]
    }

    /// How much memory the table holds.
    pub fn bytes(&self) -> usize {
        let guesses = self.guesses.hashes.capacity() * 12;
        self.keys.capacity() * 8 + self.groups.capacity() * size_of::<Group>() + guesses
    }

    /// How much memory it will hold, for a moment at least, once it has room for more keys.
    pub fn bytes_after(&self, more: usize) -> usize {
        let needed = groups_for(self.len + more);
        let groups = if needed > self.groups.len() { needed } else { 0 };
        let keys = if self.has_room(more) { 0 } else { self.growth(more) };
        self.bytes() + groups * size_of::<Group>() + keys * 8
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

    /// Insert keys that lie one after another, and return the number of each, in order. Those that
    /// are new get the next numbers.
    pub fn insert_batch(&mut self, batch: &[u64]) -> &[u32] {
        self.reserve(batch.len() / self.words);
        match self.words {
            1 => self.insert_keys::<1>(batch),
            2 => self.insert_keys::<2>(batch),
            3 => self.insert_keys::<3>(batch),
            _ => self.insert_keys::<ANY>(batch),
        }
        &self.guesses.numbers
    }

    fn insert_keys<const WORDS: usize>(&mut self, batch: &[u64]) {
        let words = self.width::<WORDS>();
        let mut guesses = std::mem::take(&mut self.guesses);
        self.guess::<WORDS>(batch, &mut guesses);
        for &index in &guesses.wrong[..guesses.wrong_count] {
            let index = index as usize;
            let key = &batch[index * words..(index + 1) * words];
            guesses.numbers[index] = self.insert_hashed::<WORDS>(key, guesses.hashes[index]).0;
        }
        self.guesses = guesses;
    }

    /// Guess the number of each key. Every loop is short and its loads do not depend on each other,
    /// so that they overlap: it waits for memory once rather than once per key.
    fn guess<const WORDS: usize>(&self, batch: &[u64], guesses: &mut Guesses) {
        let words = self.width::<WORDS>();
        let Guesses { hashes, numbers, wrong, .. } = guesses;
        hashes.clear();
        hashes.extend(batch.chunks_exact(words).map(hash));
        self.fetch_groups(hashes);
        let last = (self.len as u32).saturating_sub(1);
        numbers.clear();
        numbers.extend(hashes.iter().map(|&hash| {
            let Home { group, tag } = self.home(hash);
            self.groups[group].nearest(tag).min(last)
        }));
        self.fetch_keys::<WORDS>(numbers);
        wrong.resize(numbers.len(), 0);
        let mut count = 0;
        for (index, (key, &number)) in batch.chunks_exact(words).zip(&*numbers).enumerate() {
            let start = number as usize * words;
            let found = self.keys.get(start..start + words);
            wrong[count] = index as u32;
            count += usize::from(!found.is_some_and(|found| same(found, key)));
        }
        guesses.wrong_count = count;
    }

    /// Bring the groups where the search for these hashes begins into the caches.
    #[inline]
    fn fetch_groups(&self, hashes: &[u32]) {
        black_box(
            hashes.iter().fold(0, |all, &hash| all ^ self.groups[self.home(hash).group].0[0]),
        );
    }

    /// Bring the keys with these numbers into the caches.
    #[inline]
    fn fetch_keys<const WORDS: usize>(&self, numbers: &[u32]) {
        black_box(numbers.iter().fold(0, |all, &number| {
            let start = number as usize * self.width::<WORDS>();
            all ^ self.keys.get(start).copied().unwrap_or_default()
        }));
    }

    /// The same keys with the same numbers, each written anew in keys of another length: different
    /// keys must stay different.
    #[must_use]
    pub fn repacked(&self, words: usize, mut repack: impl FnMut(&[u64], &mut [u64])) -> Self {
        let mut table = Self::new(words);
        table.keys.reserve_exact(self.len * words);
        let mut key = vec![0; words];
        for old in self.keys.chunks_exact(self.words) {
            key.fill(0);
            repack(old, &mut key);
            table.keys.extend_from_slice(&key);
        }
        table.grow(groups_for(self.len));
        for key in table.keys.chunks_exact(words) {
            let home = home_in(table.groups.len(), table.number_mask, hash(key));
            place(&mut table.groups, home, table.len as u32);
            table.len += 1;
        }
        table
    }

    #[inline]
    fn insert_hashed<const WORDS: usize>(&mut self, key: &[u64], hash: u32) -> (u32, bool) {
        match self.probe::<WORDS>(key, hash) {
            Ok(number) => (number, false),
            Err((group, place, tag)) => {
                let number = self.len as u32;
                self.groups[group].0[place] = number | tag;
                self.keys.extend_from_slice(key);
                self.len += 1;
                (number, true)
            }
        }
    }

    /// The number of a key, or the group, the place in it and the tag with which it would go there.
    #[inline]
    fn probe<const WORDS: usize>(
        &self,
        key: &[u64],
        hash: u32,
    ) -> Result<u32, (usize, usize, u32)> {
        let words = self.width::<WORDS>();
        let Home { group: mut at, mut tag } = self.home(hash);
        loop {
            for (place, &bucket) in self.groups[at].0.iter().enumerate() {
                if bucket == VACANT {
                    return Err((at, place, tag));
                }
                if bucket & !self.number_mask == tag {
                    let number = bucket & self.number_mask;
                    let start = number as usize * words;
                    if same(&self.keys[start..start + words], &key[..words]) {
                        return Ok(number);
                    }
                }
            }
            at = if at + 1 == self.groups.len() { 0 } else { at + 1 };
            tag |= DISPLACED;
        }
    }

    /// The length of a key: known to the compiler, unless it is [`ANY`].
    #[inline]
    fn width<const WORDS: usize>(&self) -> usize {
        if WORDS == ANY { self.words } else { WORDS }
    }

    #[inline]
    fn home(&self, hash: u32) -> Home {
        home_in(self.groups.len(), self.number_mask, hash)
    }

    /// Make room for more keys without any bucket moving while they are inserted.
    fn reserve(&mut self, more: usize) {
        let needed = groups_for(self.len + more);
        if needed > self.groups.len() {
            assert!(self.len + more <= Self::MAX_LEN, "more keys than can be numbered");
            self.grow(needed);
        }
        if !self.has_room(more) {
            self.keys.reserve_exact(self.growth(more));
        }
    }

    fn has_room(&self, more: usize) -> bool {
        self.keys.capacity() - self.keys.len() >= more * self.words
    }

    /// By how many words to let the keys grow when more keys do not fit: an eighth at a time, since
    /// doubling would waste up to half of the memory.
    fn growth(&self, more: usize) -> usize {
        (self.keys.len() / 8).max(more * self.words + 1024)
    }

    fn grow(&mut self, groups: usize) {
        self.groups.reserve_exact(groups - self.groups.len());
        while self.groups.len() < groups {
            self.split_groups();
        }
    }

    /// Make two groups of each, the last one first, so that they move to where there is none left.
    /// What is not in the group of its hash, or finds no room up to the end, waits for that.
    fn split_groups(&mut self) {
        let old = self.groups.len();
        let (mask, wider) = (self.number_mask, self.number_mask * 2 + 1);
        self.groups.resize(2 * old, Group::VACANT);
        self.number_mask = wider;
        let mut waiting = Vec::new();
        for group in (0..old).rev() {
            let buckets = self.groups[group].0;
            self.groups[2 * group] = Group::VACANT;
            self.groups[2 * group + 1] = Group::VACANT;
            for bucket in buckets.into_iter().take_while(|&bucket| bucket != VACANT) {
                let number = bucket & mask;
                let tag = (bucket & !mask) << 1;
                let half = (tag >> 31) as usize;
                let home = Home { group: 2 * group + half, tag: tag & !DISPLACED & !wider };
                let displaced = bucket & DISPLACED != 0;
                if displaced || !place_before_end(&mut self.groups, home, number) {
                    waiting.push(number);
                }
            }
        }
        for number in waiting {
            let home = self.home(hash(self.key(number)));
            place(&mut self.groups, home, number);
        }
    }
}

/// Where in this many groups the search for a key with this hash begins: the hash as a fraction of
/// their number. What is left of the fraction is the tag, above the numbers.
#[inline]
fn home_in(groups: usize, number_mask: u32, hash: u32) -> Home {
    let scaled = u64::from(hash) * groups as u64;
    Home { group: (scaled >> 32) as usize, tag: (scaled as u32 >> 1) & !number_mask }
}

/// Put a number into the first group from its home on that has room.
fn place(groups: &mut [Group], home: Home, number: u32) {
    if !place_before_end(groups, home, number) {
        let start = Home { group: 0, tag: home.tag | DISPLACED };
        place_before_end(groups, start, number);
    }
}

/// The same if there is room up to the last group; whether there is.
#[inline]
fn place_before_end(groups: &mut [Group], home: Home, number: u32) -> bool {
    let mut tag = home.tag;
    for group in &mut groups[home.group..] {
        if !group.is_full() {
            let place = group.taken();
            group.0[place] = number | tag;
            return true;
        }
        tag |= DISPLACED;
    }
    false
}

impl Group {
    const VACANT: Self = Self([VACANT; GROUP]);

    #[inline]
    fn is_full(&self) -> bool {
        self.0[GROUP - 1] != VACANT
    }

    /// How many buckets are not vacant.
    #[inline]
    fn taken(&self) -> usize {
        self.0.iter().map(|&bucket| usize::from(bucket != VACANT)).sum()
    }

    /// The number in a bucket with this tag; if there is none, something that is no number of a key
    /// or that of another one.
    #[inline]
    fn nearest(&self, tag: u32) -> u32 {
        let [first, second, third, fourth] = self.0;
        (first ^ tag).min(second ^ tag).min((third ^ tag).min(fourth ^ tag))
    }
}

/// How many groups this many keys need.
fn groups_for(keys: usize) -> usize {
    let needed = keys * FULL.1 / FULL.0 / GROUP + 1;
    FEW * needed.div_ceil(FEW).next_power_of_two()
}

/// The mask for the numbers of the keys in this many groups. No number is all ones, so no bucket
/// looks vacant.
fn mask_for(groups: usize) -> u32 {
    ((groups * GROUP).next_power_of_two() - 1) as u32
}

#[inline]
fn same(left: &[u64], right: &[u64]) -> bool {
    left.iter().zip(right).all(|(left, right)| left == right)
}

/// A multiplicative hash.
#[inline]
fn hash(key: &[u64]) -> u32 {
    const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;
    let hash = key.iter().fold(MULTIPLIER, |hash, &word| {
        let product = u128::from(hash ^ word) * u128::from(MULTIPLIER ^ 0x5555_5555_5555_5555);
        (product as u64) ^ ((product >> 64) as u64)
    });
    (hash >> 32) as u32
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
    fn a_batch_with_repetitions_is_numbered_in_order() {
        let mut table = Table::new(2);
        assert_eq!(table.insert_batch(&[1, 1, 2, 2, 1, 1]), [0, 1, 0]);
        assert_eq!(table.insert_batch(&[2, 2, 3, 3]), [1, 2]);
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
