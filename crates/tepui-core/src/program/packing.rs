//! How the values of a shared state or a frame are packed into a few words.

use super::unknown::{same_as, same_cell};
use super::{NO_VALUE, Range, Value};

/// How values are packed into words: a field for each, with 0 for no value. What is the same as an
/// earlier cell has a number beyond those of values.
#[derive(Debug)]
pub(super) struct Packing {
    fields: Vec<Field>,
    /// How many words it takes.
    pub(super) words: usize,
}

/// Where a value is: its number is in a word, from a bit on. A number that needs more than a word
/// begins in a word of its own, and goes on in the next one.
#[derive(Clone, Copy, Debug)]
struct Field {
    range: Range,
    word: usize,
    shift: u32,
    mask: u64,
    /// What of the next word belongs to it.
    next: u64,
}

impl Packing {
    /// Fields for these ranges, after the reserved bits of the first word; with `shares`, cells
    /// without a value may have the same.
    pub(super) fn new(ranges: &[Range], reserved: u32, shares: bool) -> Self {
        let (mut word, mut used) = (0, reserved);
        let mut fields = Vec::new();
        for (cell, &range) in ranges.iter().enumerate() {
            let earlier = if shares && range.is_worth_sharing() { cell as u128 } else { 0 };
            let largest = range.size + earlier;
            let bits = u128::BITS - largest.leading_zeros();
            if used > 0 && used + bits > 64 {
                word += 1;
                used = 0;
            }
            let (mask, next) = (ones(bits.min(64)), ones(bits.saturating_sub(64)));
            fields.push(Field { range, word, shift: used, mask, next });
            used += bits;
            if next > 0 {
                word += 1;
                used -= 64;
            }
        }
        Self { fields, words: word + 1 }
    }

    /// The bits of the fields of some cells.
    pub(super) fn mask(&self, cells: &[u32]) -> Vec<u64> {
        let mut words = vec![0; self.words];
        for &cell in cells {
            let Field { word, shift, mask, next, .. } = self.fields[cell as usize];
            words[word] |= mask << shift;
            if next > 0 {
                words[word + 1] |= next;
            }
        }
        words
    }

    /// Write values into words that are zero there.
    pub(super) fn pack(&self, values: &[Value], key: &mut [u64]) {
        for (&value, &Field { range, word, shift, next, .. }) in values.iter().zip(&self.fields) {
            let number = if value >= range.low {
                value.abs_diff(range.low) + 1
            } else if let Some(earlier) = same_cell(value) {
                range.size + 1 + u128::from(earlier)
            } else {
                continue;
            };
            key[word] |= (number as u64) << shift;
            if next > 0 {
                key[word + 1] |= (number >> 64) as u64;
            }
        }
    }

    /// The values in some words.
    pub(super) fn unpack(&self, key: &[u64]) -> Vec<Value> {
        let value = |&Field { range, word, shift, mask, next }: &Field| {
            let mut number = u128::from((key[word] >> shift) & mask);
            if next > 0 {
                number |= u128::from(key[word + 1] & next) << 64;
            }
            match number.checked_sub(1) {
                None => NO_VALUE,
                Some(number) if number < range.size => range.value(number),
                Some(number) => same_as((number - range.size) as u32),
            }
        };
        self.fields.iter().map(value).collect()
    }
}

/// A number with this many ones, at most 64.
fn ones(bits: u32) -> u64 {
    u64::MAX.checked_shr(64 - bits).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::Overflow;

    #[test]
    fn the_bits_of_a_wide_field_go_on_in_the_next_word() {
        let narrow = Range { low: 0, size: 7, overflow: Overflow::Wrap };
        let wide = Range { low: 0, size: 1 << 64, overflow: Overflow::Wrap };
        let packing = Packing::new(&[narrow, wide, narrow], 0, false);
        let mut words = vec![0; packing.words];
        packing.pack(&[6, 0, 6], &mut words);
        let mut other = vec![0; packing.words];
        packing.pack(&[6, (1 << 64) - 1, 6], &mut other);
        let mask = packing.mask(&[1]);
        let outside = |words: &[u64]| -> Vec<u64> {
            words.iter().zip(&mask).map(|(word, mask)| word & !mask).collect()
        };
        assert_eq!(outside(&words), outside(&other));
        assert_eq!(packing.mask(&[0, 1, 2]).iter().map(|word| word.count_ones()).sum::<u32>(), 71);
    }
}
