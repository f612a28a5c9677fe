//! The backward search: all markings from which a bad one can be reached, by their minimal elements.
//!
//! Elements with few tokens come first. What the invariants and the control states exclude is left
//! out, what is above another element as well, and so are transitions that leave, on control
//! places, what no control state has together with the element. The search ends, because every infinite sequence of markings has one
//! that is above an earlier one (Dickson's lemma).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::antichain::Antichain;
use super::control::ControlStates;
use super::net::{Marking, Net, Place, Row, TooMany, Transition, count_of, tokens};

/// The search, which can be interrupted between two elements.
pub struct Backward {
    set: Antichain,
    control: Option<ControlStates>,
    elements: Vec<Element>,
    /// What is yet to be expanded: those with few tokens first, then those that were found first.
    open: BinaryHeap<Reverse<(u64, u32)>>,
    /// For each place, the transitions that can put more tokens on it.
    feeding: Vec<Vec<u32>>,
    /// For each transition, what it leaves on control places, as a number of `lefts`.
    left: Vec<u32>,
    lefts: Vec<Marking>,
    /// An element that some initial marking is above.
    hit: Option<u32>,
    entries: usize,
    is_full: bool,
}

/// A marking, and the transition by which another element is reached from it.
struct Element {
    marking: Marking,
    then: Option<(u32, u32)>,
}

impl Backward {
    /// A search from the bad markings.
    pub fn new(net: &Net, control: Option<ControlStates>) -> Self {
        let mut feeding = vec![Vec::new(); net.initial.len()];
        for (number, transition) in net.transitions.iter().enumerate() {
            for row in transition.rows.iter().filter(|row| row.can_grow()) {
                feeding[row.place as usize].push(number as u32);
            }
        }
        let (left, lefts) = left_on_control_places(net, control.as_ref());
        let mut search = Self {
            set: Antichain::default(),
            control,
            elements: Vec::new(),
            open: BinaryHeap::new(),
            feeding,
            left,
            lefts,
            hit: None,
            entries: 0,
            is_full: false,
        };
        for target in &net.targets {
            search.add(net, target.clone(), None);
        }
        search
    }

    /// Whether all is found.
    pub fn is_complete(&self) -> bool {
        self.hit.is_some() || (!self.is_full && self.open.is_empty())
    }

    /// Whether there are more elements, or tokens, than can be numbered.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// How many elements were found, minimal or not.
    pub fn found(&self) -> usize {
        self.elements.len()
    }

    /// About how many bytes it holds.
    pub fn bytes(&self) -> usize {
        self.set.bytes()
            + self.control.as_ref().map_or(0, ControlStates::bytes)
            + self.elements.len() * (size_of::<Element>() + 16)
            + self.entries * size_of::<(Place, u32)>()
    }

    /// Expand one element; returns how many predecessors it has.
    pub fn step(&mut self, net: &Net, go_on: &mut dyn FnMut() -> bool) -> usize {
        let Some(Reverse((_, number))) = self.open.pop() else { return 0 };
        let marking = self.elements[number as usize].marking.clone();
        if self.set.covers_strictly(&marking) {
            return 0;
        }
        let mut useful: Vec<u32> =
            marking.iter().flat_map(|&(place, _)| &self.feeding[place as usize]).copied().collect();
        useful.sort_unstable();
        useful.dedup();
        self.retain_possible(&mut useful, &marking);
        let mut made = 0;
        for transition in useful {
            let mut take = |before: Marking| {
                made += 1;
                self.add(net, before, Some((transition, number)));
                self.hit.is_none() && !self.is_full && (made % 256 != 0 || go_on())
            };
            let rule = &net.transitions[transition as usize];
            match predecessors(rule, &marking, &mut take) {
                Ok(true) => {}
                Ok(false) => {
                    // It is unfinished, so it has to be expanded again.
                    self.open.push(Reverse((tokens(&marking), number)));
                    return made;
                }
                Err(TooMany) => {
                    self.is_full = true;
                    return made;
                }
            }
        }
        made
    }

    /// Keep the transitions after which control places may be as an element wants them.
    fn retain_possible(&mut self, useful: &mut Vec<u32>, marking: &Marking) {
        let Some(control) = &mut self.control else { return };
        let held = control.held(marking);
        let mut possible: Vec<Option<bool>> = vec![None; self.lefts.len()];
        useful.retain(|&transition| {
            let left = self.left[transition as usize] as usize;
            *possible[left].get_or_insert_with(|| {
                let mut both = self.lefts[left].to_vec();
                held.iter().for_each(|&(place, count)| raise(&mut both, place, count));
                both.sort_unstable();
                !control.exclude(&both.into())
            })
        });
    }

    fn add(&mut self, net: &Net, marking: Marking, then: Option<(u32, u32)>) {
        if self.hit.is_some() || net.is_excluded(&marking) {
            return;
        }
        if self.control.as_mut().is_some_and(|states| states.exclude(&marking)) {
            return;
        }
        if self.set.covers(&marking) {
            return;
        }
        let Ok(number) = u32::try_from(self.elements.len()) else {
            self.is_full = true;
            return;
        };
        self.set.insert(&marking);
        if net.starts_above(&marking) {
            self.hit = Some(number);
        }
        self.open.push(Reverse((tokens(&marking), number)));
        self.entries += marking.len();
        self.elements.push(Element { marking, then });
    }

    /// A run into a bad marking, if there is one: the initial counts, and the transitions.
    pub fn run(&self, net: &Net) -> Option<(Vec<u32>, Vec<u32>)> {
        let start = &self.elements[self.hit? as usize];
        let mut transitions = Vec::new();
        let mut element = start;
        while let Some((transition, next)) = element.then {
            transitions.push(transition);
            element = &self.elements[next as usize];
        }
        Some((net.start_above(&start.marking), transitions))
    }

    /// The minimal elements.
    pub fn basis(&self) -> Vec<Marking> {
        let markings = self.elements.iter().map(|element| &element.marking);
        markings.filter(|marking| !self.set.covers_strictly(marking)).cloned().collect()
    }
}

/// What each transition leaves on control places, if there was no more than its guard asks for: the
/// numbers of these markings, and the markings.
fn left_on_control_places(net: &Net, control: Option<&ControlStates>) -> (Vec<u32>, Vec<Marking>) {
    let mut numbers: FxHashMap<Marking, u32> = FxHashMap::default();
    let mut lefts = Vec::new();
    let left = net.transitions.iter().map(|transition| {
        let after = transition.least_after();
        let held = control.map_or_else(Marking::default, |states| states.held(&after));
        *numbers.entry(held).or_insert_with_key(|held| {
            lefts.push(held.clone());
            lefts.len() as u32 - 1
        })
    });
    (left.collect(), lefts)
}

/// The minimal markings from which a transition leads above a marking. Whoever takes them says
/// whether to go on; the answer is whether all were taken.
fn predecessors(
    transition: &Transition,
    marking: &Marking,
    take: &mut dyn FnMut(Marking) -> bool,
) -> Result<bool, TooMany> {
    let has_row = |place: Place| transition.rows.iter().any(|row| row.place == place);
    let mut before: Vec<(Place, u32)> = transition.guard.to_vec();
    for &(place, count) in marking.iter().filter(|entry| !has_row(entry.0)) {
        raise(&mut before, place, count);
    }
    let mut shares = Vec::new();
    for row in &transition.rows {
        let needed = i64::from(count_of(marking, row.place)) - row.constant;
        let held: i64 = row.sources.iter().map(|&source| held_by(&before, source)).sum();
        let missing = needed - held;
        if missing <= 0 {
            continue;
        }
        if row.sources.is_empty() {
            return Ok(true);
        }
        shares.push((row, u32::try_from(missing).map_err(|_| TooMany)?));
    }
    share(&shares, &before, take)
}

/// Share what is missing among the sources of each row, in all ways.
fn share(
    rows: &[(&Row, u32)],
    before: &[(Place, u32)],
    take: &mut dyn FnMut(Marking) -> bool,
) -> Result<bool, TooMany> {
    let Some((&(row, missing), others)) = rows.split_first() else {
        let mut marking = before.to_vec();
        marking.sort_unstable();
        return Ok(take(marking.into()));
    };
    share_row(&row.sources, missing, before, &mut |shared| share(others, shared, take))
}

type Then<'a> = dyn FnMut(&[(Place, u32)]) -> Result<bool, TooMany> + 'a;

/// Share what is missing among sources. The last of them gets what the others leave.
fn share_row(
    sources: &[Place],
    missing: u32,
    before: &[(Place, u32)],
    then: &mut Then<'_>,
) -> Result<bool, TooMany> {
    let Some((&source, others)) = sources.split_first() else { return Ok(true) };
    let held = held_by(before, source);
    let least = if others.is_empty() { missing } else { 0 };
    for part in least..=missing {
        let mut shared = before.to_vec();
        let count = u32::try_from(held + i64::from(part)).map_err(|_| TooMany)?;
        raise(&mut shared, source, count);
        let go_on = if others.is_empty() {
            then(&shared)?
        } else {
            share_row(others, missing - part, &shared, then)?
        };
        if !go_on {
            return Ok(false);
        }
    }
    Ok(true)
}

fn held_by(entries: &[(Place, u32)], place: Place) -> i64 {
    entries.iter().find(|entry| entry.0 == place).map_or(0, |entry| i64::from(entry.1))
}

/// Let a place have at least this many tokens.
fn raise(entries: &mut Vec<(Place, u32)>, place: Place, count: u32) {
    match entries.iter_mut().find(|entry| entry.0 == place) {
        Some(entry) => entry.1 = entry.1.max(count),
        None if count > 0 => entries.push((place, count)),
        None => {}
    }
}
