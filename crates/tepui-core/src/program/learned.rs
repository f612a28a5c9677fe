//! What steps do, remembered for all shared states that they cannot tell apart.
//!
//! A step reads and writes few scalars of the shared state. While it is computed, these are noted:
//! they are its *footprint*. In every other shared state that has the same values there, the thread
//! takes the same paths and writes the same values, and all other scalars stay as they are. So the
//! rules for such a state follow from its packed form alone: the part outside of the footprint stays,
//! the part inside is replaced.
//!
//! That is so as a rule: a fused step may rest earlier or later, as both are right.
//!
//! What touches a variable whose value nobody knows yet is not remembered: other scalars may have the
//! same value, and would change as well. Hidden scalars never share a value. Nor is anything
//! remembered where all values are decided before anything else happens.

use std::cell::{Cell, RefCell};

use rustc_hash::FxHashMap;

use super::Program;
use super::packing::Packing;
use crate::sets::table::Table;
use crate::system::Symbol;

/// The scalars of the shared state that a step has read or written so far.
#[derive(Clone, Debug, Default)]
pub struct Footprint {
    is_touched: RefCell<Vec<bool>>,
    touched: RefCell<Vec<u32>>,
    /// Whether anybody asks.
    noted: Cell<bool>,
}

impl Footprint {
    /// Note that a step reads or writes a scalar.
    #[inline]
    pub(super) fn touch(&self, cell: u32) {
        if !self.noted.get() {
            return;
        }
        let mut is_touched = self.is_touched.borrow_mut();
        if is_touched.len() <= cell as usize {
            is_touched.resize(cell as usize + 1, false);
        }
        if !std::mem::replace(&mut is_touched[cell as usize], true) {
            self.touched.borrow_mut().push(cell);
        }
    }

    /// A step begins.
    fn begin(&self) {
        self.noted.set(true);
    }

    /// What the step has touched, in ascending order.
    fn end(&self) -> Vec<u32> {
        self.noted.set(false);
        self.is_touched.borrow_mut().fill(false);
        let mut touched = self.touched.take();
        touched.sort_unstable();
        touched
    }
}

/// What is remembered of the steps of a program.
#[derive(Debug)]
pub(super) struct Learned {
    /// For each thread and top, the footprints of its steps.
    footprints: FxHashMap<(u32, Symbol), Vec<Mask>>,
    /// Thread and top, the number of a footprint among theirs, and what a shared state has there.
    cases: Table,
    /// For each case, where its effects end.
    ends: Vec<u32>,
    effects: Vec<Effect>,
    key: Vec<u64>,
}

/// The bits of a packed shared state in which the scalars of a footprint are.
#[derive(Debug, PartialEq, Eq)]
struct Mask(Vec<u64>);

/// What a step makes of the part of a shared state in its footprint, and of the top.
#[derive(Clone, Debug)]
struct Effect {
    part: Vec<u64>,
    word: Vec<Symbol>,
}

/// The steps of one top have few different footprints; others are not remembered.
const MOST_FOOTPRINTS: usize = 8;

impl Learned {
    /// Nothing yet, about a program whose shared states take this many words.
    pub(super) fn new(words: usize) -> Self {
        Self {
            footprints: FxHashMap::default(),
            cases: Table::new(2 + words),
            ends: Vec::new(),
            effects: Vec::new(),
            key: Vec::new(),
        }
    }

    /// How much memory all this holds, if all threads and tops have as many footprints as they may.
    pub(super) fn bytes(&self) -> usize {
        let mask = size_of::<Mask>() + 8 * self.key.len();
        let of_top = size_of::<((u32, Symbol), Vec<Mask>)>() + MOST_FOOTPRINTS * mask;
        self.cases.bytes()
            + self.ends.capacity() * 4
            + self.effects.capacity() * (size_of::<Effect>() + 8 * self.key.len() + 8)
            + self.footprints.capacity() * of_top
    }

    /// What the steps of a thread with this top make of a shared state, if that is known: the packed
    /// states and the words.
    pub(super) fn find(
        &mut self,
        (thread, top): (usize, Symbol),
        shared: &[u64],
    ) -> Option<Vec<(Vec<u64>, Vec<Symbol>)>> {
        let footprints = self.footprints.get(&(thread as u32, top))?;
        for (number, mask) in footprints.iter().enumerate() {
            mask.key((thread, top), number, shared, &mut self.key);
            if let Some(case) = self.cases.find(&self.key) {
                let start = case.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
                let effects = &self.effects[start as usize..self.ends[case as usize] as usize];
                let found = effects.iter().map(|effect| mask.after(shared, effect));
                return Some(found.collect());
            }
        }
        None
    }

    /// Remember what the steps of a thread with this top, which have this footprint, make of a shared
    /// state.
    pub(super) fn learn(
        &mut self,
        (thread, top): (usize, Symbol),
        shared: &[u64],
        (footprint, packing): (Vec<u32>, &Packing),
        found: &[(Vec<u64>, Vec<Symbol>)],
    ) {
        let mask = Mask(packing.mask(&footprint));
        let known = self.footprints.entry((thread as u32, top)).or_default();
        let number = known.iter().position(|other| *other == mask).unwrap_or(known.len());
        if number == MOST_FOOTPRINTS {
            return;
        }
        mask.key((thread, top), number, shared, &mut self.key);
        if self.cases.insert(&self.key).1 {
            let effects = found.iter().map(|(after, word)| {
                let part = after.iter().zip(&mask.0).map(|(after, mask)| after & mask).collect();
                Effect { part, word: word.clone() }
            });
            self.effects.extend(effects);
            self.ends.push(self.effects.len() as u32);
        }
        if number == known.len() {
            known.push(mask);
        }
    }
}

impl Mask {
    fn key(
        &self,
        (thread, top): (usize, Symbol),
        footprint: usize,
        shared: &[u64],
        key: &mut Vec<u64>,
    ) {
        key.clear();
        key.extend([(thread as u64) << u32::BITS | u64::from(top.number()), footprint as u64]);
        key.extend(shared.iter().zip(&self.0).map(|(shared, mask)| shared & mask));
    }

    fn after(&self, shared: &[u64], effect: &Effect) -> (Vec<u64>, Vec<Symbol>) {
        let words = shared.iter().zip(&self.0).zip(&effect.part);
        let after = words.map(|((shared, mask), part)| shared & !mask | part).collect();
        (after, effect.word.clone())
    }
}

impl Program {
    /// Begin to note what a step of a thread touches. What no expression asks for is noted at once:
    /// the flags among the hidden scalars, and the scalars that are about the thread itself.
    pub(super) fn begin_footprint(&self, thread: usize) {
        self.footprint.begin();
        let hidden = self.hidden;
        let thread = &self.threads[thread];
        let flags = [hidden.halted, hidden.full, hidden.holder, hidden.lock, thread.created];
        let inherited = thread.inherited.iter().map(|&(_, global)| global);
        flags.into_iter().flatten().chain(inherited).for_each(|cell| self.footprint.touch(cell));
    }

    /// The footprint of the step that has been computed.
    pub(super) fn end_footprint(&self) -> Vec<u32> {
        self.footprint.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Overflow, Range};

    const HERE: (usize, Symbol) = (0, Symbol::new(1));
    const ELSEWHERE: (usize, Symbol) = (1, Symbol::new(1));

    /// Two scalars of three bits each, and nothing learned about them yet.
    fn two_scalars() -> (Packing, Learned) {
        let range = Range { low: 0, size: 7, overflow: Overflow::Wrap };
        let packing = Packing::new(&[range, range], 0, false);
        let learned = Learned::new(packing.words);
        (packing, learned)
    }

    fn step(after: u64) -> (Vec<u64>, Vec<Symbol>) {
        (vec![after], vec![Symbol::new(2)])
    }

    #[test]
    fn a_step_does_the_same_to_all_that_it_cannot_tell_apart() {
        let (packing, mut learned) = two_scalars();
        learned.learn(HERE, &[0o51], (vec![0], &packing), &[step(0o52), step(0o53)]);
        assert_eq!(learned.find(HERE, &[0o51]), Some(vec![step(0o52), step(0o53)]));
        assert_eq!(learned.find(HERE, &[0o61]), Some(vec![step(0o62), step(0o63)]));
        assert_eq!(learned.find(HERE, &[0o52]), None);
        assert_eq!(learned.find(ELSEWHERE, &[0o51]), None);
    }

    #[test]
    fn that_there_is_no_step_is_known_as_well() {
        let (packing, mut learned) = two_scalars();
        learned.learn(HERE, &[0o11], (vec![0, 1], &packing), &[]);
        learned.learn(ELSEWHERE, &[0o11], (vec![1], &packing), &[step(0o21)]);
        assert_eq!(learned.find(HERE, &[0o11]), Some(vec![]));
        assert_eq!(learned.find(HERE, &[0o12]), None);
        assert_eq!(learned.find(ELSEWHERE, &[0o12]), Some(vec![step(0o22)]));
    }

    #[test]
    fn steps_with_another_footprint_are_kept_beside() {
        let (packing, mut learned) = two_scalars();
        learned.learn(HERE, &[0o11], (vec![0], &packing), &[step(0o12)]);
        learned.learn(HERE, &[0o13], (vec![0, 1], &packing), &[step(0o33)]);
        assert_eq!(learned.find(HERE, &[0o41]), Some(vec![step(0o42)]));
        assert_eq!(learned.find(HERE, &[0o13]), Some(vec![step(0o33)]));
        assert_eq!(learned.find(HERE, &[0o43]), None);
    }

    #[test]
    fn a_footprint_has_what_was_touched_between_begin_and_end() {
        let footprint = Footprint::default();
        footprint.touch(5);
        footprint.begin();
        for cell in [3, 1, 3] {
            footprint.touch(cell);
        }
        assert_eq!(footprint.end(), [1, 3]);
        footprint.touch(2);
        footprint.begin();
        assert!(footprint.end().is_empty());
    }
}
