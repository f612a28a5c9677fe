//! What the edges of a diagram are labelled with: sets of stacks of one thread, by number.
//!
//! Where a thread has finite-context reachability these are finite sets of hash-consed stacks, and
//! otherwise regular languages. Both are canonical, so equal sets have equal numbers, and 0 is the
//! empty one.

use num_bigint::BigUint;

use super::finite_sets::{SetId, Sets};
use crate::automata::languages::{LanguageId, Languages};

/// The number of a label in its store.
pub type LabelId = u32;

/// A store of labels.
pub enum Labels {
    /// Sets of stacks.
    Stacks(Sets),
    /// Languages of stacks.
    Languages(Languages),
}

impl Labels {
    /// What is in one or the other.
    pub fn union(&mut self, left: LabelId, right: LabelId) -> LabelId {
        match self {
            Self::Stacks(sets) => sets.union(left, right),
            Self::Languages(languages) => {
                languages.union(LanguageId::new(left), LanguageId::new(right)).number()
            }
        }
    }

    /// What is in both.
    pub fn intersection(&mut self, left: LabelId, right: LabelId) -> LabelId {
        match self {
            Self::Stacks(sets) => sets.intersection(left, right),
            Self::Languages(languages) => {
                languages.intersection(LanguageId::new(left), LanguageId::new(right)).number()
            }
        }
    }

    /// What is in the left one only.
    pub fn difference(&mut self, left: LabelId, right: LabelId) -> LabelId {
        match self {
            Self::Stacks(sets) => sets.difference(left, right),
            Self::Languages(languages) => {
                languages.difference(LanguageId::new(left), LanguageId::new(right)).number()
            }
        }
    }

    /// The members of a label that is a finite set; none of a language.
    pub fn set(&self, label: SetId) -> &[u32] {
        match self {
            Self::Stacks(sets) => sets.members(label),
            Self::Languages(_) => &[],
        }
    }

    /// The store of finite sets.
    ///
    /// # Panics
    ///
    /// If the labels are languages.
    pub fn sets_mut(&mut self) -> &mut Sets {
        match self {
            Self::Stacks(sets) => sets,
            Self::Languages(_) => panic!("these labels are languages"),
        }
    }

    /// How many stacks there are, if they are finitely many.
    pub fn count(&self, label: LabelId) -> Option<BigUint> {
        match self {
            Self::Stacks(sets) => Some(sets.len(label).into()),
            Self::Languages(languages) => languages.count(LanguageId::new(label)),
        }
    }

    /// How many states and transitions of automata were made.
    pub fn work(&self) -> usize {
        match self {
            Self::Stacks(_) => 0,
            Self::Languages(languages) => languages.work(),
        }
    }

    /// How much memory the store holds.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Stacks(sets) => sets.bytes(),
            Self::Languages(languages) => languages.bytes(),
        }
    }
}
