//! A quick hash for small keys, and numbers for byte strings.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A map with quick hashes.
pub(crate) type QuickMap<K, V> = HashMap<K, V, BuildHasherDefault<Quick>>;

/// A set with quick hashes.
pub(crate) type QuickSet<K> = HashSet<K, BuildHasherDefault<Quick>>;

/// Mixes words by multiplication. Bad luck costs time, never an answer.
#[derive(Clone, Default)]
pub(crate) struct Quick(u64);

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

#[inline]
fn mixed(hash: u64, word: u64) -> u64 {
    let product = (hash ^ word).wrapping_mul(FACTOR);
    product ^ (product >> 32)
}

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        self.0.wrapping_mul(FACTOR)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(u64::from(number));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = mixed(self.0, number);
    }

    fn write_u128(&mut self, number: u128) {
        self.write_u64(number as u64);
        self.write_u64((number >> 64) as u64);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }
}

/// The hash of some words.
#[inline]
pub(crate) fn hash_of(words: &[u64]) -> u64 {
    words.iter().fold(0, |hash, &word| mixed(hash, word)).wrapping_mul(FACTOR)
}

/// Byte strings, numbered from 0 in the order in which they are met.
#[derive(Default)]
pub(crate) struct Numbers {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    found: QuickMap<u64, Vec<u32>>,
}

impl Numbers {
    /// The string with a number.
    pub(crate) fn get(&self, number: u32) -> &[u8] {
        let place = number as usize;
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        &self.bytes[start..self.ends[place]]
    }

    /// The number of a string, which may be new.
    pub(crate) fn number(&mut self, string: &[u8]) -> u32 {
        let mut hasher = Quick::default();
        hasher.write(string);
        let hash = hasher.finish();
        let same = self
            .found
            .get(&hash)
            .and_then(|numbers| numbers.iter().copied().find(|&number| self.get(number) == string));
        same.unwrap_or_else(|| {
            let number = self.ends.len() as u32;
            self.bytes.extend_from_slice(string);
            self.ends.push(self.bytes.len());
            self.found.entry(hash).or_default().push(number);
            number
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_have_one_number() {
        let mut numbers = Numbers::default();
        assert_eq!(numbers.number(b"ab"), 0);
        assert_eq!(numbers.number(b""), 1);
        assert_eq!(numbers.number(b"ab\0"), 2);
        assert_eq!(numbers.number(b"ab"), 0);
        assert_eq!(numbers.get(2), b"ab\0");
    }
}
