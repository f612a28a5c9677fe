//! View tuples: for each thread a view, and all that is in them together.

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

use super::super::nodes::{Bdd, Work};
use super::automata::View;
use super::splitting::Splitting;
use crate::limits::Limit;

/// A view tuple. Its views all have the same shared states.
#[derive(Debug)]
pub(super) struct Tuple {
    pub views: Vec<View>,
    /// The shared states that it has.
    pub shared: Bdd,
    /// The thread that ran last, which cannot add anything.
    pub last: Option<usize>,
}

/// All view tuples, none of which has the states of another one as far as that is easy to see.
#[derive(Debug, Default)]
pub(super) struct Tuples {
    pub all: Vec<Tuple>,
    /// Tuples with the same views are the same, whoever ran last: what that thread can add to what it
    /// has reached was added when it was reached first.
    known: FxHashMap<u64, Vec<usize>>,
    /// How many transitions there are in all views.
    pub count: usize,
}

impl Tuples {
    /// Add one, unless there is one already that has all of its states.
    pub(super) fn add(
        &mut self,
        tuple: Tuple,
        splitting: Splitting,
        work: &mut Work,
    ) -> Result<Option<usize>, Limit> {
        let key = key(&tuple.views);
        let same = self.known.get(&key).into_iter().flatten();
        if same.into_iter().any(|&number| self.all[number].views == tuple.views) {
            return Ok(None);
        }
        for other in &self.all {
            // With eager splitting each one has one shared state only.
            let may_be_within = other.shared == tuple.shared || splitting != Splitting::Eager;
            if may_be_within && is_within(&tuple, other, work)? {
                return Ok(None);
            }
        }
        let number = self.all.len();
        self.count += tuple.views.iter().map(|view| view.tops.len()).sum::<usize>();
        self.known.entry(key).or_default().push(number);
        self.all.push(tuple);
        Ok(Some(number))
    }

    /// All sets; afterwards they are known by their new numbers.
    pub(super) fn roots(&mut self) -> impl Iterator<Item = &mut Bdd> {
        self.all.iter_mut().flat_map(|tuple| {
            tuple.views.iter_mut().flat_map(View::roots).chain([&mut tuple.shared])
        })
    }

    /// Sets have got other numbers.
    pub(super) fn index(&mut self) {
        self.known.clear();
        for (number, tuple) in self.all.iter().enumerate() {
            self.known.entry(key(&tuple.views)).or_default().push(number);
        }
    }
}

fn is_within(tuple: &Tuple, other: &Tuple, work: &mut Work) -> Result<bool, Limit> {
    if work.without(tuple.shared, other.shared)? != Bdd::FALSE {
        return Ok(false);
    }
    for (view, other) in tuple.views.iter().zip(&other.views) {
        if !view.is_within(other, work)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn key(views: &[View]) -> u64 {
    let mut hasher = FxHasher::default();
    views.hash(&mut hasher);
    hasher.finish()
}
