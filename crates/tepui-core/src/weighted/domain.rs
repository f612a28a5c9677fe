//! Domains of weights: bounded idempotent semirings (WPDS, Definition 4), some of them with a merge
//! function (appendix B).
//!
//! What can go wrong is up to the domain: a native one mostly has no errors at all, which the
//! compiler knows, and the domains that live in the interpreter hand on what was raised there.

/// A bounded idempotent semiring.
pub trait Domain {
    /// Its elements.
    type Weight: Clone;
    /// What can go wrong.
    type Error;

    /// Neutral for `extend`: the weight of the run without steps.
    fn one(&self) -> Self::Weight;

    /// Neutral for `combine`: the weight of no run at all.
    fn zero(&self) -> Self::Weight;

    /// Whether this is `zero`.
    fn is_zero(&self, weight: &Self::Weight) -> Result<bool, Self::Error>;

    /// First ⊗ second: first the one, then the other.
    fn extend(
        &self,
        first: &Self::Weight,
        second: &Self::Weight,
    ) -> Result<Self::Weight, Self::Error>;

    /// Let `into` be into ⊕ weight, and say whether that changed it.
    fn combine_into(
        &self,
        into: &mut Self::Weight,
        weight: &Self::Weight,
    ) -> Result<bool, Self::Error>;

    /// What a call does to its caller, of what the call and the callee did. It is asked only where
    /// rules merge.
    fn merge(&self, weight: &Self::Weight) -> Result<Self::Weight, Self::Error>;

    /// For domains in which combine is the minimum by a total order, and no extend is below what it
    /// extends: a number that gives the order. Then the smallest weights are looked at first (as by
    /// Knuth and Dijkstra), and each transition once. None for all other domains.
    fn rank(&self, _weight: &Self::Weight) -> Option<u64> {
        None
    }

    /// Whether operations take nanoseconds, so that many are done before looking at the clock.
    fn is_cheap(&self) -> bool {
        self.rank(&self.one()).is_some()
    }

    /// How many bytes a weight holds beside itself.
    fn bytes(&self, _weight: &Self::Weight) -> usize {
        0
    }
}
