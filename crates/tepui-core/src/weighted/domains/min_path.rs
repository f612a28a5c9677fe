//! Shortest runs (WPDS, Definition 8): costs with minimum and sum.

use crate::weighted::domain::Domain;

/// The cost of no run.
pub const INFINITE: u64 = u64::MAX;

/// Costs below 2⁶⁴ - 1, or [`INFINITE`].
#[derive(Clone, Copy, Debug, Default)]
pub struct MinPath;

/// A sum of costs is too large for 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overflow;

impl Domain for MinPath {
    type Weight = u64;
    type Error = Overflow;

    #[inline]
    fn one(&self) -> u64 {
        0
    }

    #[inline]
    fn zero(&self) -> u64 {
        INFINITE
    }

    #[inline]
    fn is_zero(&self, weight: &u64) -> Result<bool, Overflow> {
        Ok(*weight == INFINITE)
    }

    #[inline]
    fn extend(&self, first: &u64, second: &u64) -> Result<u64, Overflow> {
        if *first == INFINITE || *second == INFINITE {
            return Ok(INFINITE);
        }
        first.checked_add(*second).filter(|&sum| sum != INFINITE).ok_or(Overflow)
    }

    #[inline]
    fn combine_into(&self, into: &mut u64, weight: &u64) -> Result<bool, Overflow> {
        let changed = weight < into;
        *into = (*into).min(*weight);
        Ok(changed)
    }

    fn merge(&self, weight: &u64) -> Result<u64, Overflow> {
        Ok(*weight)
    }

    #[inline]
    fn rank(&self, weight: &u64) -> Option<u64> {
        Some(*weight)
    }
}
