//! Ids are plain numbers in Python.

use tepui_core::ids::Id;

/// The ids with some numbers.
pub(crate) fn ids<I: Id>(numbers: Vec<u32>) -> Vec<I> {
    numbers.into_iter().map(I::new).collect()
}

/// The numbers of some ids.
pub(crate) fn numbers<I: Id>(ids: &[I]) -> Vec<u32> {
    ids.iter().map(|id| id.number()).collect()
}

/// The numbers of pairs of ids.
pub(crate) fn number_pairs<I: Id, J: Id>(
    pairs: impl IntoIterator<Item = (I, J)>,
) -> Vec<(u32, u32)> {
    pairs.into_iter().map(|(left, right)| (left.number(), right.number())).collect()
}
