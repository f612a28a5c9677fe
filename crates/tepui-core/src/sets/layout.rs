//! Where in a packed state the shared state and the local states are.

use std::marker::PhantomData;

use crate::ids::Id;
use crate::sets::states::StateId;
use crate::system::Shared;

#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) template: u32,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// Where in a key the shared state and the local states are.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) shared: Field,
    pub(super) locals: Vec<Field>,
    /// For each template, how many bits its local states have.
    pub(super) bits: Vec<u32>,
    pub(super) words: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) word: u32,
    pub(super) shift: u32,
    pub(super) mask: u64,
}

impl Field {
    #[inline]
    pub(super) fn get(self, key: &[u64]) -> u32 {
        ((key[self.word as usize] >> self.shift) & self.mask) as u32
    }

    /// Like `set`, for a field that is still zero.
    #[inline]
    pub(super) fn put(self, key: &mut [u64], value: u32) {
        key[self.word as usize] |= u64::from(value) << self.shift;
    }

    #[inline]
    pub(super) fn set(self, key: &mut [u64], value: u32) {
        let word = &mut key[self.word as usize];
        *word = (*word & !(self.mask << self.shift)) | (u64::from(value) << self.shift);
    }
}

/// A position that is alone in its group, of states whose keys have one word: what is usual without
/// symmetry. There is little to do then for each state, so it is worth while to do no more.
#[derive(Clone, Copy, Debug)]
pub struct Lone<'a, L> {
    pub(super) keys: &'a [u64],
    pub(super) shared: Field,
    pub(super) local: Field,
    pub(super) locals: PhantomData<L>,
}

impl<L: Id> Lone<'_, L> {
    /// The key of the state in which the thread has moved.
    #[inline]
    pub fn successor(&self, state: StateId, (shared, local): (Shared, L)) -> u64 {
        let moved = self.shared.mask << self.shared.shift | self.local.mask << self.local.shift;
        self.keys[state.index()] & !moved
            | u64::from(shared.number()) << self.shared.shift
            | u64::from(local.number()) << self.local.shift
    }
}

impl Layout {
    /// Fields side by side, none across the border between two words.
    pub(super) fn new(shared_bits: u32, bits: Vec<u32>, places: &[Place]) -> Self {
        let mut word = 0;
        let mut used = 0;
        let mut field = |bits: u32| {
            if used + bits > 64 {
                word += 1;
                used = 0;
            }
            let field = Field { word, shift: used, mask: (1 << bits) - 1 };
            used += bits;
            field
        };
        let shared = field(shared_bits);
        let locals: Vec<Field> =
            places.iter().map(|place| field(bits[place.template as usize])).collect();
        Self { shared, locals, bits, words: word as usize + 1 }
    }
}

/// How many bits the numbers below `count` need; at least one.
pub(super) fn bits_for(count: u32) -> u32 {
    (32 - count.saturating_sub(1).leading_zeros()).max(1)
}
