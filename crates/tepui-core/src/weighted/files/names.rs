//! Names and their numbers, in the order in which they are first met.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

/// Numbered names. Those that have no escapes in them stay in the text.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    numbers: FxHashMap<Cow<'a, str>, u32>,
}

impl<'a> Names<'a> {
    /// The number of a name, which may be new.
    pub(super) fn number(&mut self, name: Cow<'a, str>) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(name).or_insert(next)
    }

    /// All names by number.
    pub(super) fn listed(self) -> Vec<String> {
        let mut names = vec![String::new(); self.numbers.len()];
        for (name, number) in self.numbers {
            names[number as usize] = name.into_owned();
        }
        names
    }
}

/// New numbers for some of many things, in the order in which they are first asked for.
#[derive(Debug)]
pub(super) struct Renumbered {
    new: Vec<u32>,
    /// The old numbers of those that have new ones.
    pub(super) order: Vec<u32>,
}

impl Renumbered {
    /// No new numbers yet, for things with old numbers below `count`.
    pub(super) fn new(count: usize) -> Self {
        Self { new: vec![NONE; count], order: Vec::new() }
    }

    /// The new number of a thing.
    pub(super) fn number(&mut self, old: u32) -> u32 {
        let new = &mut self.new[old as usize];
        if *new == NONE {
            *new = self.order.len() as u32;
            self.order.push(old);
        }
        *new
    }
}

/// In place of a number where there is none yet.
const NONE: u32 = u32::MAX;
