//! View tuples: for each thread a view, and all that is in them together.

use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

use super::super::nodes::{Bdd, Work};
use super::automata::View;
use super::layout::Layout;
use super::splitting::Splitting;
use crate::limits::Limit;

/// To how many recent tuples a new one may be joined.
const TRIED: usize = 16;

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
    /// Tuples by their shared states.
    with_shared: FxHashMap<Bdd, Vec<usize>>,
    /// How many transitions there are in all views.
    pub count: usize,
}

impl Tuples {
    /// Add one, unless there is one already that has all of its states. With sparing splitting it may
    /// be joined to one of the recent ones, in which no thread has run so far.
    pub(super) fn add(
        &mut self,
        tuple: Tuple,
        recent: &[usize],
        splitting: Splitting,
        layout: &Layout,
        work: &mut Work,
    ) -> Result<Option<usize>, Limit> {
        let key = key(&tuple.views);
        let same = self.known.get(&key).into_iter().flatten();
        if same.into_iter().any(|&number| self.all[number].views == tuple.views) {
            return Ok(None);
        }
        if splitting == Splitting::Eager {
            // Others have another shared state.
            for &number in self.with_shared.get(&tuple.shared).into_iter().flatten() {
                if is_within(&tuple, &self.all[number], work)? {
                    return Ok(None);
                }
            }
        } else {
            for other in &self.all {
                if is_within(&tuple, other, work)? {
                    return Ok(None);
                }
            }
        }
        if splitting == Splitting::Sparing {
            for &number in recent.iter().rev().take(TRIED) {
                if let Some(joined) = joined(&tuple, &self.all[number], layout, work)? {
                    self.count += size(&joined.views) - size(&self.all[number].views);
                    let old = self::key(&self.all[number].views);
                    self.known.entry(old).or_default().retain(|&other| other != number);
                    self.known.entry(self::key(&joined.views)).or_default().push(number);
                    self.all[number] = joined;
                    return Ok(None);
                }
            }
        }
        let number = self.all.len();
        self.count += size(&tuple.views);
        self.known.entry(key).or_default().push(number);
        self.with_shared.entry(tuple.shared).or_default().push(number);
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
        self.with_shared.clear();
        for (number, tuple) in self.all.iter().enumerate() {
            self.known.entry(key(&tuple.views)).or_default().push(number);
            self.with_shared.entry(tuple.shared).or_default().push(number);
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

/// Two tuples as one, if that has no more states: at no shared state that both have, more than one
/// thread has something else. The same thread must have run last, or it would have to run again.
fn joined(
    one: &Tuple,
    other: &Tuple,
    layout: &Layout,
    work: &mut Work,
) -> Result<Option<Tuple>, Limit> {
    if one.last != other.last {
        return Ok(None);
    }
    let common = work.and(one.shared, other.shared)?;
    let mut differ = Bdd::FALSE;
    let mut views = Vec::new();
    for (view, other) in one.views.iter().zip(&other.views) {
        let here = view.differs(other, common, layout, work)?;
        if work.and(differ, here)? != Bdd::FALSE {
            return Ok(None);
        }
        differ = work.or(differ, here)?;
        views.push(view.joined(other, work)?);
    }
    let shared = work.or(one.shared, other.shared)?;
    Ok(Some(Tuple { views, shared, last: one.last }))
}

fn size(views: &[View]) -> usize {
    views.iter().map(|view| view.tops.len()).sum()
}

fn key(views: &[View]) -> u64 {
    let mut hasher = FxHasher::default();
    views.hash(&mut hasher);
    hasher.finish()
}
