//! Nets: counters that only grow and shrink, move and vanish together.
//!
//! A transition has a guard, which says how many tokens it needs on some places, and rows: the new
//! count of a place is the sum of the old counts of its sources, and a constant. A place without a
//! row keeps its count. No place is a source of two rows, so tokens are never copied. A transition
//! that would make a count negative is not enabled. So more tokens never disable a transition, and
//! after it there are at least as many.

/// The number of a place.
pub type Place = u32;

/// Counts by place, sorted, without zeros. A place that is not there has none.
pub type Marking = Box<[(Place, u32)]>;

/// How many tokens a place has in the beginning: at least, and at most, if there is a bound.
pub type Range = (u32, Option<u32>);

/// The new count of a place: the sum of the old counts of the sources, and a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Whose count it is.
    pub place: Place,
    /// Whose old counts are added.
    pub sources: Vec<Place>,
    /// What is added to them.
    pub constant: i64,
}

impl Row {
    /// Whether a place can have more tokens after this row than before.
    pub fn can_grow(&self) -> bool {
        self.constant > 0 || self.sources.iter().any(|&source| source != self.place)
    }
}

/// A transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// How many tokens it needs.
    pub guard: Marking,
    /// What it does.
    pub rows: Vec<Row>,
}

/// A sum of weighted counts that never exceeds a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// The weights, by place.
    pub weights: Vec<u32>,
    /// The bound.
    pub bound: u64,
}

/// A net, with the markings that are bad.
#[derive(Clone, Debug)]
pub struct Net {
    /// For each place, how many tokens it has in the beginning.
    pub initial: Vec<Range>,
    /// The transitions.
    pub transitions: Vec<Transition>,
    /// A marking is bad if it has at least as many tokens everywhere as one of these.
    pub targets: Vec<Marking>,
    /// What holds of every reachable marking. They are believed; the checker proves them again.
    pub invariants: Vec<Invariant>,
}

impl Net {
    /// Why this is not a net, if it is none.
    pub fn problem(&self) -> Option<&'static str> {
        let places = self.initial.len();
        let fits = |marking: &Marking| {
            marking.iter().all(|&(place, count)| (place as usize) < places && count > 0)
                && marking.windows(2).all(|pair| pair[0].0 < pair[1].0)
        };
        if !self.targets.iter().all(fits) || !self.transitions.iter().all(|one| fits(&one.guard)) {
            return Some("a marking names places that do not exist, or is not sorted");
        }
        if self.invariants.iter().any(|one| one.weights.len() != places) {
            return Some("an invariant does not have a weight for each place");
        }
        if self.initial.iter().any(|&(least, most)| most.is_some_and(|most| most < least)) {
            return Some("a place has no initial count");
        }
        self.transitions.iter().find_map(|one| one.problem(places))
    }

    /// Whether some initial marking has at least these tokens.
    pub fn starts_above(&self, marking: &Marking) -> bool {
        marking
            .iter()
            .all(|&(place, count)| self.initial[place as usize].1.is_none_or(|most| most >= count))
    }

    /// The smallest initial marking that has at least these tokens.
    pub fn start_above(&self, marking: &Marking) -> Vec<u32> {
        let mut start: Vec<u32> = self.initial.iter().map(|&(least, _)| least).collect();
        for &(place, count) in marking {
            let held = &mut start[place as usize];
            *held = count.max(*held);
        }
        start
    }

    /// Whether the invariants say that no reachable marking has these tokens.
    pub fn is_excluded(&self, marking: &Marking) -> bool {
        self.invariants.iter().any(|one| {
            let weigh = |&(place, count): &(Place, u32)| {
                u64::from(one.weights[place as usize]) * u64::from(count)
            };
            marking.iter().map(weigh).fold(0, u64::saturating_add) > one.bound
        })
    }

    /// Whether a marking is bad.
    pub fn is_bad(&self, marking: &Marking) -> bool {
        self.targets.iter().any(|target| is_below(target, marking))
    }
}

impl Transition {
    fn problem(&self, places: usize) -> Option<&'static str> {
        let mut times = vec![0u8; places];
        let mut has_row = vec![false; places];
        for row in &self.rows {
            let Some(mine) = has_row.get_mut(row.place as usize) else {
                return Some("a row names a place that does not exist");
            };
            if *mine || row.constant.unsigned_abs() > u64::from(u32::MAX) {
                return Some("a place has two rows, or a constant is too large");
            }
            *mine = true;
            for &source in &row.sources {
                let Some(used) = times.get_mut(source as usize) else {
                    return Some("a row names a place that does not exist");
                };
                *used = used.saturating_add(1);
            }
        }
        let copied = times.iter().zip(&has_row).any(|(&used, &own)| used + u8::from(!own) > 1);
        copied.then_some("a transition copies tokens")
    }

    /// Tokens that are there in any case after this transition.
    pub fn least_after(&self) -> Vec<(Place, u32)> {
        let has_row = |place: Place| self.rows.iter().any(|row| row.place == place);
        let kept = self.guard.iter().copied().filter(|&(place, _)| !has_row(place));
        let mut after: Vec<(Place, u32)> = kept.collect();
        for row in &self.rows {
            let held = |&from: &Place| i64::from(count_of(&self.guard, from));
            let new = row.sources.iter().map(held).sum::<i64>() + row.constant;
            match u32::try_from(new) {
                Ok(0) | Err(_) => {}
                Ok(count) => after.push((row.place, count)),
            }
        }
        after.sort_unstable();
        after
    }

    /// The marking after this transition: nothing if it is not enabled, an error if a count is too
    /// large.
    pub fn after(&self, marking: &Marking) -> Result<Option<Marking>, TooMany> {
        if !is_below(&self.guard, marking) {
            return Ok(None);
        }
        let has_row = |place: Place| self.rows.iter().any(|row| row.place == place);
        let kept = marking.iter().copied().filter(|&(place, _)| !has_row(place));
        let mut after: Vec<(Place, u32)> = kept.collect();
        for row in &self.rows {
            let old: i64 = row.sources.iter().map(|&from| i64::from(count_of(marking, from))).sum();
            match old + row.constant {
                ..0 => return Ok(None),
                0 => {}
                new => after.push((row.place, u32::try_from(new).map_err(|_| TooMany)?)),
            }
        }
        after.sort_unstable();
        Ok(Some(after.into()))
    }
}

/// A count does not fit into its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;

/// The tokens on a place.
pub fn count_of(marking: &Marking, place: Place) -> u32 {
    marking.binary_search_by_key(&place, |entry| entry.0).map_or(0, |at| marking[at].1)
}

/// Whether one marking has at most as many tokens on each place as another.
pub fn is_below(small: &Marking, large: &Marking) -> bool {
    let mut rest = large.iter();
    small.iter().all(|&(place, count)| {
        rest.find(|entry| entry.0 >= place).is_some_and(|&(at, held)| at == place && held >= count)
    })
}

/// How many tokens a marking has.
pub fn tokens(marking: &Marking) -> u64 {
    marking.iter().map(|&(_, count)| u64::from(count)).sum()
}
