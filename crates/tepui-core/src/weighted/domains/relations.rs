//! Relations on a finite set (WPDS, Definition 7; merge as in appendix B.1), as bit matrices.
//!
//! A matrix lies row by row in one piece, each row in as many 64-bit words as it needs. The state
//! (g, l) of a global and a local valuation has the number g · locals + l.

use std::convert::Infallible;

use crate::weighted::domain::Domain;

/// Relations on the numbers below some number.
#[derive(Clone, Copy, Debug)]
pub struct Relations {
    states: usize,
    local_states: usize,
    /// How many words a row has.
    words: usize,
}

/// The bits of a matrix.
pub type Relation = Box<[u64]>;

impl Relations {
    /// Relations on `states` states, of which groups of `local_states` differ in local variables only.
    pub fn new(states: u32, local_states: u32) -> Self {
        let states = states as usize;
        Self { states, local_states: local_states as usize, words: states.div_ceil(64) }
    }

    /// How many words a row has.
    pub fn words(&self) -> usize {
        self.words
    }

    fn empty(&self) -> Relation {
        vec![0; self.states * self.words].into_boxed_slice()
    }
}

impl Domain for Relations {
    type Weight = Relation;
    type Error = Infallible;

    fn one(&self) -> Relation {
        let mut one = self.empty();
        for state in 0..self.states {
            one[state * self.words + state / 64] |= 1 << (state % 64);
        }
        one
    }

    fn zero(&self) -> Relation {
        self.empty()
    }

    fn is_zero(&self, weight: &Relation) -> Result<bool, Infallible> {
        Ok(weight.iter().all(|&word| word == 0))
    }

    fn extend(&self, first: &Relation, second: &Relation) -> Result<Relation, Infallible> {
        let mut product = self.empty();
        if self.words == 1 {
            for (row, &middles) in product.iter_mut().zip(first) {
                *row = bits(middles).fold(0, |row, middle| row | second[middle]);
            }
            return Ok(product);
        }
        let rows = product.chunks_exact_mut(self.words).zip(first.chunks_exact(self.words));
        for (row, middles) in rows {
            for (index, &word) in middles.iter().enumerate() {
                for bit in bits(word) {
                    let start = (index * 64 + bit) * self.words;
                    let other = &second[start..start + self.words];
                    row.iter_mut().zip(other).for_each(|(word, other)| *word |= other);
                }
            }
        }
        Ok(product)
    }

    fn combine_into(&self, into: &mut Relation, weight: &Relation) -> Result<bool, Infallible> {
        let mut new = 0;
        for (word, other) in into.iter_mut().zip(weight) {
            new |= other & !*word;
            *word |= other;
        }
        Ok(new != 0)
    }

    /// Relates (g₁, l₁) and (g₂, l₁) if the weight relates (g₁, l₁) and some (g₂, l₂).
    fn merge(&self, weight: &Relation) -> Result<Relation, Infallible> {
        let mut merged = self.empty();
        let size = self.local_states;
        for (source, row) in weight.chunks_exact(self.words).enumerate() {
            for (index, &word) in row.iter().enumerate() {
                for bit in bits(word) {
                    let target = index * 64 + bit;
                    let target = target - target % size + source % size;
                    merged[source * self.words + target / 64] |= 1 << (target % 64);
                }
            }
        }
        Ok(merged)
    }

    fn bytes(&self, weight: &Relation) -> usize {
        size_of_val(&**weight)
    }
}

/// The places of the bits that are set.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relation(domain: Relations, pairs: &[(usize, usize)]) -> Relation {
        let mut relation = domain.empty();
        for &(source, target) in pairs {
            relation[source * domain.words + target / 64] |= 1 << (target % 64);
        }
        relation
    }

    #[test]
    fn relations_compose_in_the_order_of_the_run_across_words() {
        let domain = Relations::new(130, 1);
        let first = relation(domain, &[(0, 129), (0, 64), (2, 3)]);
        let second = relation(domain, &[(129, 1), (64, 128), (5, 5)]);
        let expected = relation(domain, &[(0, 1), (0, 128)]);
        assert_eq!(domain.extend(&first, &second), Ok(expected));
        assert_eq!(domain.extend(&domain.one(), &first), Ok(first.clone()));
        assert_eq!(domain.extend(&first, &domain.one()), Ok(first));
    }

    #[test]
    fn a_merge_gives_the_caller_its_locals_back() {
        let domain = Relations::new(4, 2);
        let callee = relation(domain, &[(0, 3), (1, 3)]);
        let expected = relation(domain, &[(0, 2), (1, 3)]);
        assert_eq!(domain.merge(&callee), Ok(expected));
    }

    #[test]
    fn combining_what_is_there_changes_nothing() {
        let domain = Relations::new(3, 1);
        let mut all = relation(domain, &[(0, 1), (2, 2)]);
        assert_eq!(domain.combine_into(&mut all, &relation(domain, &[(2, 2)])), Ok(false));
        assert_eq!(domain.combine_into(&mut all, &relation(domain, &[(2, 1)])), Ok(true));
        assert_eq!(all, relation(domain, &[(0, 1), (2, 1), (2, 2)]));
    }
}
