//! How many states symmetry folds into one: the size of an orbit under permutations of equal
//! threads, and sums of such sizes, exactly.
//!
//! The orbit of a state has, for each group of m interchangeable threads, m! / (a! b! …) members,
//! where a, b, … count the threads of the group in equal local states.

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

/// Sums orbit sizes.
#[derive(Clone, Debug)]
pub struct OrbitCounter {
    /// m! for each group's size m, multiplied.
    all: BigUint,
    /// The same as a machine number, where it is small enough for sums of machine numbers.
    all_small: Option<u128>,
    /// The factorials that were needed so far: those of thousands take much memory.
    factorials: FxHashMap<u32, BigUint>,
    /// A sum of machine numbers, not yet added to `total`.
    pending: u128,
    total: BigUint,
}

impl OrbitCounter {
    /// A counter for groups of these sizes.
    pub fn new(group_sizes: impl Iterator<Item = usize>) -> Self {
        let all: BigUint = group_sizes.map(|size| factorial(size as u32)).product();
        // Half of the bits are left for the sum.
        let all_small = u128::try_from(&all).ok().filter(|&all| all < 1 << 64);
        let factorials = FxHashMap::default();
        Self { all, all_small, factorials, pending: 0, total: BigUint::ZERO }
    }

    /// Add the orbit of a state, given by the lengths of its runs of equal local states.
    #[inline]
    pub fn add(&mut self, runs: impl Iterator<Item = u32>) {
        if let Some(all) = self.all_small {
            let fixed: u128 = runs.map(small_factorial).product();
            self.pending += all / fixed;
            if self.pending >= 1 << 127 {
                self.flush();
            }
        } else {
            let mut fixed = BigUint::from(1u32);
            for run in runs.filter(|&run| run > 1) {
                fixed *= &*self.factorials.entry(run).or_insert_with(|| factorial(run));
            }
            self.total += &self.all / fixed;
        }
    }

    /// The sum so far.
    pub fn total(&self) -> BigUint {
        &self.total + self.pending
    }

    fn flush(&mut self) {
        self.total += std::mem::take(&mut self.pending);
    }
}

fn factorial(number: u32) -> BigUint {
    (2..=number).fold(BigUint::from(1u32), |product, factor| product * factor)
}

fn small_factorial(number: u32) -> u128 {
    (2..=u128::from(number)).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_the_members_of_orbits() {
        let mut counter = OrbitCounter::new([3, 2].into_iter());
        counter.add([1, 1, 1, 1, 1].into_iter());
        assert_eq!(counter.total(), BigUint::from(12u32));
        counter.add([2, 1, 2].into_iter());
        assert_eq!(counter.total(), BigUint::from(15u32));
    }

    #[test]
    fn large_groups_are_counted_exactly() {
        let mut counter = OrbitCounter::new([60].into_iter());
        counter.add([30, 30].into_iter());
        let expected = "118264581564861424";
        assert_eq!(counter.total().to_string(), expected);
    }
}
