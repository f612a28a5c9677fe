//! Control states: which counts some places may have together, and which other places may have
//! tokens then. They exclude markings that fit none of them.

use rustc_hash::FxHashMap;

use super::net::{Marking, Place, is_below};

/// Control states, and what is known about markings that were asked for.
#[derive(Clone, Debug, Default)]
pub struct ControlStates {
    /// For each place, whether it is a control place.
    is_control: Vec<bool>,
    /// The counts of the control places, and the other places that may have tokens then.
    states: Vec<(Marking, Places)>,
    /// For counts on control places, the sets of other places in all states with at least these.
    known: FxHashMap<Marking, Vec<Places>>,
}

/// A set of places, as bits.
type Places = Box<[u64]>;

impl ControlStates {
    /// The control places, and for each state their counts and the other places. None if there are
    /// other places than those of the net.
    pub fn new(
        places: usize,
        control: &[Place],
        states: Vec<(Marking, Vec<Place>)>,
    ) -> Option<Self> {
        let mut is_control = vec![false; places];
        for &place in control {
            *is_control.get_mut(place as usize)? = true;
        }
        let mut packed = Vec::with_capacity(states.len());
        for (counts, others) in states {
            let fits = |entry: &(Place, u32)| is_control.get(entry.0 as usize) == Some(&true);
            if !counts.iter().all(fits) || others.iter().any(|&one| one as usize >= places) {
                return None;
            }
            packed.push((counts, bits(places, others)));
        }
        Some(Self { is_control, states: packed, known: FxHashMap::default() })
    }

    /// The counts on control places.
    pub fn held(&self, marking: &[(Place, u32)]) -> Marking {
        marking.iter().copied().filter(|one| self.is_control[one.0 as usize]).collect()
    }

    /// Whether no state allows a marking, nor one above it.
    pub fn exclude(&mut self, marking: &Marking) -> bool {
        let held = self.held(marking);
        let others = marking.iter().map(|one| one.0);
        let others = others.filter(|&place| !self.is_control[place as usize]);
        let others = bits(self.is_control.len(), others);
        if !self.known.contains_key(&held) {
            let fitting = self.fitting(&held);
            self.known.insert(held.clone(), fitting);
        }
        !self.known[&held].iter().any(|fitting| is_subset(&others, fitting))
    }

    /// The largest sets of other places in states with at least these counts.
    fn fitting(&self, held: &Marking) -> Vec<Places> {
        let mut largest: Vec<Places> = Vec::new();
        for (_, others) in self.states.iter().filter(|state| is_below(held, &state.0)) {
            if !largest.iter().any(|one| is_subset(others, one)) {
                largest.retain(|one| !is_subset(one, others));
                largest.push(others.clone());
            }
        }
        largest
    }

    /// About how many bytes it holds.
    pub fn bytes(&self) -> usize {
        let words = self.is_control.len().div_ceil(64) * 8;
        (self.states.len() + 2 * self.known.len()) * (words + 64)
    }
}

fn bits(places: usize, chosen: impl IntoIterator<Item = Place>) -> Places {
    let mut words = vec![0; places.div_ceil(64)];
    for place in chosen {
        words[place as usize / 64] |= 1 << (place % 64);
    }
    words.into()
}

fn is_subset(small: &[u64], large: &[u64]) -> bool {
    small.iter().zip(large).all(|(one, other)| one & !other == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_no_state_is_excluded() {
        // Places 0 and 1 are control places; 2 has tokens with the first state only.
        let states: Vec<(Marking, Vec<Place>)> =
            vec![(Box::from([(0, 1)]), vec![2, 3]), (Box::from([(1, 2)]), vec![3])];
        let mut control = ControlStates::new(4, &[0, 1], states).unwrap();
        assert!(!control.exclude(&Box::from([])));
        assert!(!control.exclude(&Box::from([(0, 1), (2, 7), (3, 1)])));
        assert!(!control.exclude(&Box::from([(1, 1), (3, 9)])));
        assert!(!control.exclude(&Box::from([(2, 1)])));
        assert!(control.exclude(&Box::from([(1, 1), (2, 1)])));
        assert!(control.exclude(&Box::from([(0, 1), (1, 1)])));
        assert!(control.exclude(&Box::from([(1, 3)])));
    }

    #[test]
    fn states_of_other_places_are_refused() {
        assert!(ControlStates::new(2, &[2], vec![]).is_none());
        assert!(ControlStates::new(2, &[0], vec![(Box::from([(1, 1)]), vec![])]).is_none());
        assert!(ControlStates::new(2, &[0], vec![(Box::from([(0, 1)]), vec![2])]).is_none());
    }
}
