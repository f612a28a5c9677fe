//! What the edges of a diagram are labelled with: sets of stacks of one thread, by number.
//!
//! Where a thread has finite-context reachability these are finite sets of hash-consed stacks, and
//! otherwise regular languages. Both are canonical, so equal sets have equal numbers, and 0 is the
//! empty one.

use std::hash::Hash;

use num_bigint::BigUint;

use super::finite_sets::{SetId, Sets};
use crate::automata::stack_languages::{LanguageId, Languages};
use crate::ids::id;
use crate::limits::{Limit, Meter};

id! {
    /// A label of one store: a set, or a language, with the same number.
    LabelId
}

impl LabelId {
    /// The label without stacks, in every store.
    pub const EMPTY: Self = Self::new(0);

    /// The set that it is, in a store of sets.
    pub fn set(self) -> SetId {
        SetId::new(self.number())
    }

    /// The language that it is, in a store of languages.
    pub fn language(self) -> LanguageId {
        LanguageId::new(self.number())
    }
}

impl From<SetId> for LabelId {
    fn from(set: SetId) -> Self {
        Self::new(set.number())
    }
}

impl From<LanguageId> for LabelId {
    fn from(language: LanguageId) -> Self {
        Self::new(language.number())
    }
}

/// This many members of sets are compared in the time of a small step.
const MEMBERS_OF_A_STEP: usize = 8;

/// A store of labels.
pub enum Labels<T> {
    /// Sets of stacks.
    Stacks(Sets<T>),
    /// Languages of stacks.
    Languages(Languages),
}

impl<T: Copy + Ord + Hash> Labels<T> {
    /// What is in one or the other.
    pub fn union(
        &mut self,
        left: LabelId,
        right: LabelId,
        meter: &mut Meter<'_>,
    ) -> Result<LabelId, Limit> {
        Ok(match self {
            Self::Stacks(sets) => {
                let (left, right) = (left.set(), right.set());
                meter.spend((sets.len(left) + sets.len(right)) / MEMBERS_OF_A_STEP)?;
                sets.union(left, right).into()
            }
            Self::Languages(languages) => {
                languages.union(left.language(), right.language(), meter)?.into()
            }
        })
    }

    /// What is in both.
    pub fn intersection(
        &mut self,
        left: LabelId,
        right: LabelId,
        meter: &mut Meter<'_>,
    ) -> Result<LabelId, Limit> {
        Ok(match self {
            Self::Stacks(sets) => {
                let (left, right) = (left.set(), right.set());
                meter.spend((sets.len(left) + sets.len(right)) / MEMBERS_OF_A_STEP)?;
                sets.intersection(left, right).into()
            }
            Self::Languages(languages) => {
                languages.intersection(left.language(), right.language(), meter)?.into()
            }
        })
    }

    /// What is in the left one only.
    pub fn difference(
        &mut self,
        left: LabelId,
        right: LabelId,
        meter: &mut Meter<'_>,
    ) -> Result<LabelId, Limit> {
        Ok(match self {
            Self::Stacks(sets) => {
                let (left, right) = (left.set(), right.set());
                meter.spend((sets.len(left) + sets.len(right)) / MEMBERS_OF_A_STEP)?;
                sets.difference(left, right).into()
            }
            Self::Languages(languages) => {
                languages.difference(left.language(), right.language(), meter)?.into()
            }
        })
    }

    /// The members of a label that is a finite set; none of a language.
    pub fn set(&self, label: LabelId) -> &[T] {
        match self {
            Self::Stacks(sets) => sets.members(label.set()),
            Self::Languages(_) => &[],
        }
    }

    /// The store of finite sets.
    ///
    /// # Panics
    ///
    /// If the labels are languages.
    pub fn sets_mut(&mut self) -> &mut Sets<T> {
        match self {
            Self::Stacks(sets) => sets,
            Self::Languages(_) => panic!("these labels are languages"),
        }
    }

    /// How many stacks there are, if they are finitely many.
    pub fn count(&self, label: LabelId, meter: &mut Meter<'_>) -> Result<Option<BigUint>, Limit> {
        match self {
            Self::Stacks(sets) => Ok(Some(sets.len(label.set()).into())),
            Self::Languages(languages) => languages.count(label.language(), meter),
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
