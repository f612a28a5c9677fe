//! Which closures of threads contain which states: one bit for each position and state, for states
//! from some number on. All older states are in all closures.
//!
//! The bits of a position lie together, so that while closures of one position are computed, these
//! few are in the caches.

/// A set of pairs of a position and a state.
#[derive(Debug)]
pub struct Closed {
    /// Older states are in all closures.
    from: usize,
    /// How many states have bits, from the first one of the word of `from` on.
    room: usize,
    /// For each position.
    bits: Vec<Vec<u64>>,
}

/// The states that the closures of one position contain.
pub struct ClosedBy<'a> {
    from: usize,
    /// The first state that has a bit.
    first: usize,
    bits: &'a mut [u64],
}

const WORD: usize = u64::BITS as usize;

impl Closed {
    /// No pair, and no state, of this many positions.
    pub fn new(positions: usize) -> Self {
        Self { from: 0, room: 0, bits: vec![Vec::new(); positions] }
    }

    /// Make sure that all states up to a number have bits.
    pub fn make_room(&mut self, states: usize) {
        let needed = states - self.first();
        if needed > self.room {
            let words = (needed + needed / 8).div_ceil(WORD) + 16;
            for bits in &mut self.bits {
                bits.reserve_exact(words - bits.len());
                bits.resize(words, 0);
            }
            self.room = words * WORD;
        }
    }

    /// Insert a pair; whether that is news.
    #[inline]
    pub fn insert(&mut self, position: usize, state: usize) -> bool {
        self.of(position).insert(state)
    }

    /// The closures of one position.
    #[inline]
    pub fn of(&mut self, position: usize) -> ClosedBy<'_> {
        ClosedBy { from: self.from, first: self.first(), bits: &mut self.bits[position] }
    }

    /// Let all states before a number be in all closures.
    pub fn forget_before(&mut self, state: usize) {
        let words = state / WORD - self.first() / WORD;
        for bits in &mut self.bits {
            bits.drain(..words);
        }
        self.room -= words * WORD;
        self.from = state;
    }

    /// How much memory it holds.
    pub fn bytes(&self) -> usize {
        self.bits.iter().map(|bits| bits.capacity() * 8).sum()
    }

    /// The first state that has bits.
    #[inline]
    fn first(&self) -> usize {
        self.from / WORD * WORD
    }
}

impl ClosedBy<'_> {
    /// Insert a state; whether that is news.
    #[inline]
    pub fn insert(&mut self, state: usize) -> bool {
        if state < self.from {
            return false;
        }
        let place = state - self.first;
        let word = &mut self.bits[place / WORD];
        let bit = 1 << (place % WORD);
        let news = *word & bit == 0;
        *word |= bit;
        news
    }

    /// The first state from a number on that is not there, or `end`.
    #[inline]
    pub fn next_open(&self, from: usize, end: usize) -> usize {
        let mut place = from - self.first;
        while place < end - self.first {
            let open = !self.bits[place / WORD] >> (place % WORD);
            if open != 0 {
                return end.min(self.first + place + open.trailing_zeros() as usize);
            }
            place = (place / WORD + 1) * WORD;
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_news_once() {
        let mut closed = Closed::new(2);
        closed.make_room(200);
        assert!(closed.insert(1, 150));
        assert!(!closed.insert(1, 150));
        assert!(closed.insert(0, 150));
    }

    #[test]
    fn older_states_are_closed_and_the_others_stay() {
        let mut closed = Closed::new(1);
        closed.make_room(200);
        closed.insert(0, 130);
        closed.forget_before(129);
        closed.make_room(300);
        assert!(!closed.insert(0, 128));
        assert!(!closed.insert(0, 130));
        assert!(closed.insert(0, 129));
        assert!(closed.insert(0, 299));
    }

    #[test]
    fn open_states_are_found_in_order() {
        let mut closed = Closed::new(1);
        closed.make_room(300);
        (70..260).for_each(|state| {
            closed.insert(0, state);
        });
        assert_eq!(closed.of(0).next_open(69, 300), 69);
        assert_eq!(closed.of(0).next_open(70, 300), 260);
        assert_eq!(closed.of(0).next_open(70, 250), 250);
    }
}
