//! What steps do, remembered for all shared states that they cannot tell apart.
//!
//! A step reads and writes few scalars of the shared state. While it is computed, these are noted:
//! they are its *footprint*. In every other shared state that has the same values there, the thread
//! takes the same paths and writes the same values, and all other scalars stay as they are. So the
//! rules for such a state follow from its packed form alone: the part outside of the footprint stays,
//! the part inside is replaced.
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
    footprints: Vec<Mask>,
    numbers: FxHashMap<Vec<u32>, u32>,
    /// For each thread and top, the footprints of its steps.
    known: FxHashMap<(u32, Symbol), Vec<u32>>,
    /// Thread and top, a footprint, and what a shared state has there.
    cases: Table,
    /// For each case, where its effects end.
    ends: Vec<u32>,
    effects: Vec<Effect>,
    key: Vec<u64>,
}

/// The bits of a packed shared state in which the scalars of a footprint are.
#[derive(Debug)]
struct Mask(Vec<u64>);

/// What a step makes of the part of a shared state in its footprint, and of the top.
#[derive(Clone, Debug)]
pub(super) struct Effect {
    part: Vec<u64>,
    pub(super) word: Vec<Symbol>,
}

/// The steps of one top have few different footprints; others are not remembered.
const MOST_FOOTPRINTS: usize = 8;

impl Learned {
    /// Nothing yet, about a program whose shared states take this many words.
    pub(super) fn new(words: usize) -> Self {
        Self {
            footprints: Vec::new(),
            numbers: FxHashMap::default(),
            known: FxHashMap::default(),
            cases: Table::new(2 + words),
            ends: Vec::new(),
            effects: Vec::new(),
            key: Vec::new(),
        }
    }

    /// How much memory all this holds.
    pub(super) fn bytes(&self) -> usize {
        let effect = size_of::<Effect>() + 8 * self.key.len() + 8;
        self.cases.bytes() + self.ends.capacity() * 4 + self.effects.capacity() * effect
    }

    /// What the steps of a thread with this top make of a shared state, if that is known: the packed
    /// states and the words.
    pub(super) fn find(
        &mut self,
        (thread, top): (usize, Symbol),
        shared: &[u64],
    ) -> Option<Vec<(Vec<u64>, Vec<Symbol>)>> {
        let footprints = self.known.get(&(thread as u32, top))?;
        for &number in footprints {
            let mask = &self.footprints[number as usize];
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
        let new = self.footprints.len() as u32;
        let number = *self.numbers.entry(footprint).or_insert_with_key(|footprint| {
            self.footprints.push(Mask(packing.mask(footprint)));
            new
        });
        let known = self.known.entry((thread as u32, top)).or_default();
        if !known.contains(&number) {
            if known.len() == MOST_FOOTPRINTS {
                return;
            }
            known.push(number);
        }
        let mask = &self.footprints[number as usize];
        mask.key((thread, top), number, shared, &mut self.key);
        if self.cases.insert(&self.key).1 {
            let effects = found.iter().map(|(after, word)| {
                let part = after.iter().zip(&mask.0).map(|(after, mask)| after & mask).collect();
                Effect { part, word: word.clone() }
            });
            self.effects.extend(effects);
            self.ends.push(self.effects.len() as u32);
        }
    }
}

impl Mask {
    fn key(
        &self,
        (thread, top): (usize, Symbol),
        footprint: u32,
        shared: &[u64],
        key: &mut Vec<u64>,
    ) {
        key.clear();
        key.extend([(thread as u64) << u32::BITS | u64::from(top.number()), footprint.into()]);
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
