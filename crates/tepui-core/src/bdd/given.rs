//! Bits that have the same value in all states that are looked at.
//!
//! What an edge does is a much smaller function where most variables have one value each, as most
//! have in most programs. So it is worked out for what is *given* in the states that were met so
//! far, and once more if other states are met.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::encoding::{Position, level};
use super::nodes::{Bdd, Nodes};

/// Values of bits.
pub type Values = BTreeMap<Position, bool>;

/// What is given, and which of it was used.
#[derive(Debug, Default)]
pub struct Given {
    values: Values,
    used: RefCell<BTreeSet<Position>>,
}

impl Given {
    /// These values.
    pub fn new(values: Values) -> Self {
        Self { values, used: RefCell::default() }
    }

    /// A bit before a step, as a function.
    pub(super) fn bit(&self, position: Position, nodes: &mut Nodes) -> Bdd {
        match self.values.get(&position) {
            Some(&on) => {
                self.used.borrow_mut().insert(position);
                if on { Bdd::TRUE } else { Bdd::FALSE }
            }
            None => nodes.bit(level(position), true),
        }
    }

    /// What was used: with no more than this, everything is worked out as it was.
    pub(super) fn used(self) -> Values {
        let used = self.used.into_inner();
        self.values.into_iter().filter(|(position, _)| used.contains(position)).collect()
    }
}

/// Those values that are in both.
pub(super) fn common(one: &Values, other: &Values) -> Values {
    let in_both = |&(position, on): &(&Position, &bool)| other.get(position) == Some(on);
    one.iter().filter(in_both).map(|(&position, &on)| (position, on)).collect()
}
