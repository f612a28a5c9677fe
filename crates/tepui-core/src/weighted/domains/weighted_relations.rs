//! Weighted relations over min-path weights (WPDS, Definitions 9 and 10; merge as in appendix B.1):
//! what it costs to get from one data state to another.
//!
//! A relation is a sorted list of (source, target, cost) without infinite costs.

use crate::weighted::domain::Domain;
use crate::weighted::domains::min_path::{INFINITE, MinPath, Overflow};

/// Costs of pairs of numbers below some number.
#[derive(Clone, Copy, Debug)]
pub struct WeightedRelations {
    states: u32,
    local_states: u32,
}

/// (Source, target, cost), sorted, each pair once.
pub type WeightedRelation = Vec<(u32, u32, u64)>;

impl WeightedRelations {
    /// Weighted relations on `states` states, of which groups of `local_states` differ in local variables
    /// only.
    pub fn new(states: u32, local_states: u32) -> Self {
        Self { states, local_states }
    }

    /// The relation of these entries, the cheapest of each pair.
    pub fn relation(&self, mut entries: WeightedRelation) -> WeightedRelation {
        entries.sort_unstable();
        entries.dedup_by_key(|&mut (source, target, _)| (source, target));
        entries.retain(|&(_, _, cost)| cost != INFINITE);
        entries
    }
}

impl Domain for WeightedRelations {
    type Weight = WeightedRelation;
    type Error = Overflow;

    fn one(&self) -> WeightedRelation {
        (0..self.states).map(|state| (state, state, 0)).collect()
    }

    fn zero(&self) -> WeightedRelation {
        Vec::new()
    }

    fn is_zero(&self, weight: &WeightedRelation) -> Result<bool, Overflow> {
        Ok(weight.is_empty())
    }

    fn extend(
        &self,
        first: &WeightedRelation,
        second: &WeightedRelation,
    ) -> Result<WeightedRelation, Overflow> {
        let mut product = Vec::new();
        for &(source, middle, cost) in first {
            let start = second.partition_point(|&(state, _, _)| state < middle);
            for &(_, target, more) in
                second[start..].iter().take_while(|&&(state, _, _)| state == middle)
            {
                product.push((source, target, MinPath.extend(&cost, &more)?));
            }
        }
        Ok(self.relation(product))
    }

    fn combine_into(
        &self,
        into: &mut WeightedRelation,
        weight: &WeightedRelation,
    ) -> Result<bool, Overflow> {
        let combined = self.relation([&into[..], weight].concat());
        let changed = combined != *into;
        *into = combined;
        Ok(changed)
    }

    fn merge(&self, weight: &WeightedRelation) -> Result<WeightedRelation, Overflow> {
        let size = self.local_states;
        let entries = weight
            .iter()
            .map(|&(source, target, cost)| (source, target - target % size + source % size, cost));
        Ok(self.relation(entries.collect()))
    }

    fn bytes(&self, weight: &WeightedRelation) -> usize {
        weight.capacity() * size_of::<(u32, u32, u64)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheapest_way_between_two_states_counts() {
        let domain = WeightedRelations::new(3, 1);
        let first = vec![(0, 1, 1), (0, 2, 5)];
        let second = vec![(1, 1, 7), (2, 1, 1), (2, 2, 0)];
        let expected = vec![(0, 1, 6), (0, 2, 5)];
        assert_eq!(domain.extend(&first, &second), Ok(expected));
        let mut combined = first.clone();
        assert_eq!(domain.combine_into(&mut combined, &vec![(0, 1, 2)]), Ok(false));
        assert_eq!(combined, first);
    }

    #[test]
    fn a_sum_that_is_too_large_is_an_error() {
        let domain = WeightedRelations::new(1, 1);
        let most = vec![(0, 0, u64::MAX - 1)];
        assert_eq!(domain.extend(&most, &vec![(0, 0, 1)]), Err(Overflow));
    }

    #[test]
    fn a_merge_takes_the_cheapest_of_the_callees_locals() {
        let domain = WeightedRelations::new(4, 2);
        let callee = vec![(0, 2, 9), (0, 3, 4)];
        assert_eq!(domain.merge(&callee), Ok(vec![(0, 2, 4)]));
    }
}
