//! Bipartite matching by augmenting paths: everybody gets a partner that fits, no two the same one.

use std::mem::replace;

/// Pair everything on the left with some of those on the right, so that all pairs fit: for
/// each on the right its partner, if it has one; None if there is no such pairing. Whoever is on
/// the left gets the one that it would like best, if possible.
pub(crate) fn matching(
    (left, right): (usize, usize),
    best: impl Fn(usize) -> Option<usize>,
    fits: impl FnMut(usize, usize) -> bool,
) -> Option<Vec<Option<usize>>> {
    let mut search = Search { best, fits, partners: vec![None; right] };
    let all = (0..left).all(|one| search.find_partner(one, &mut vec![false; right]));
    all.then_some(search.partners)
}

/// Whether `size` on either side can be paired, so that all pairs fit.
pub(crate) fn is_matching(size: usize, mut fits: impl FnMut(usize, usize) -> bool) -> bool {
    if size == 1 {
        return fits(0, 0);
    }
    matching((size, size), |_| None, fits).is_some()
}

struct Search<B, F> {
    best: B,
    fits: F,
    partners: Vec<Option<usize>>,
}

impl<B: Fn(usize) -> Option<usize>, F: FnMut(usize, usize) -> bool> Search<B, F> {
    /// Give one on the left a partner; whoever has that partner already looks for another one.
    fn find_partner(&mut self, one: usize, tried: &mut [bool]) -> bool {
        let best = (self.best)(one);
        best.into_iter().chain(0..tried.len()).any(|other| {
            let found = !tried[other]
                && (self.fits)(one, other)
                && !replace(&mut tried[other], true)
                && self.partners[other].is_none_or(|rival| self.find_partner(rival, tried));
            if found {
                self.partners[other] = Some(one);
            }
            found
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matching_moves_those_who_have_a_choice() {
        let fits = [[true, true, false], [true, false, false], [false, true, true]];
        assert!(is_matching(3, |left, right| fits[left][right]));
        let crowded = [[true, true, false], [true, false, false], [false, true, false]];
        assert!(!is_matching(3, |left, right| crowded[left][right]));
        assert!(is_matching(0, |_, _| false));
    }

    #[test]
    fn one_gets_the_best_unless_another_needs_it() {
        let partners =
            |needed| matching((2, 3), |_| Some(2), |one, other| one == 0 || other == needed);
        assert_eq!(partners(1), Some(vec![None, Some(1), Some(0)]));
        assert_eq!(partners(2), Some(vec![Some(0), None, Some(1)]));
    }
}
