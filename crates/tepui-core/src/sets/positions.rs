//! A list of positions of threads, with one byte for each where that is enough.

use crate::sets::reached::push_within_an_eighth;

/// A growing list of positions.
#[derive(Debug)]
pub enum Positions {
    /// For up to 256 threads.
    Few(Vec<u8>),
    /// For more.
    Many(Vec<u16>),
}

impl Positions {
    /// An empty list for states with this many positions.
    pub fn new(positions: usize) -> Self {
        if positions <= 1 << 8 { Self::Few(Vec::new()) } else { Self::Many(Vec::new()) }
    }

    /// Append a position.
    #[inline]
    pub fn push(&mut self, position: u16) {
        match self {
            Self::Few(list) => push_within_an_eighth(list, position as u8),
            Self::Many(list) => push_within_an_eighth(list, position),
        }
    }

    /// The position at an index.
    pub fn get(&self, index: usize) -> usize {
        match self {
            Self::Few(list) => list[index].into(),
            Self::Many(list) => list[index].into(),
        }
    }

    /// How much memory the list holds.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Few(list) => list.capacity(),
            Self::Many(list) => list.capacity() * 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_kept_however_many_there_are() {
        for positions in [1, 256, 257, 60_000] {
            let mut list = Positions::new(positions);
            list.push(0);
            list.push(positions as u16 - 1);
            assert_eq!((list.get(0), list.get(1)), (0, positions - 1));
        }
    }
}
