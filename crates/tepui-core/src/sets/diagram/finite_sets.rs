//! Finite sets, each kept once, so that equal sets have equal ids.
//!
//! They are the labels of a diagram's edges where a thread has finitely many stacks, and the sets
//! of shared states at its bottom. Operations are remembered.

use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::ids::id;

id! {
    /// A set of one store.
    SetId
}

impl SetId {
    /// The set without members, in every store.
    pub const EMPTY: Self = Self::new(0);
}

/// Interned sets, and what was computed about them.
pub struct Sets<T> {
    by_number: Vec<Arc<[T]>>,
    known: FxHashMap<Arc<[T]>, SetId>,
    unions: FxHashMap<(SetId, SetId), SetId>,
    intersections: FxHashMap<(SetId, SetId), SetId>,
    differences: FxHashMap<(SetId, SetId), SetId>,
    members: usize,
}

impl<T: Copy + Ord + Hash> Default for Sets<T> {
    fn default() -> Self {
        let mut sets = Self {
            by_number: Vec::new(),
            known: FxHashMap::default(),
            unions: FxHashMap::default(),
            intersections: FxHashMap::default(),
            differences: FxHashMap::default(),
            members: 0,
        };
        sets.intern(Vec::new());
        sets
    }
}

impl<T: Copy + Ord + Hash> Sets<T> {
    /// The set of some members in ascending order, each once.
    pub fn intern(&mut self, members: Vec<T>) -> SetId {
        debug_assert!(members.is_sorted_by(|left, right| left < right));
        if let Some(&known) = self.known.get(&members[..]) {
            return known;
        }
        let members: Arc<[T]> = members.into();
        let id = SetId::from_index(self.by_number.len());
        self.members += members.len();
        self.by_number.push(Arc::clone(&members));
        self.known.insert(members, id);
        id
    }

    /// The members, in ascending order.
    pub fn members(&self, set: SetId) -> &[T] {
        &self.by_number[set.index()]
    }

    /// How many members there are.
    pub fn len(&self, set: SetId) -> usize {
        self.members(set).len()
    }

    /// What is in one or the other.
    pub fn union(&mut self, left: SetId, right: SetId) -> SetId {
        let (left, right) = (left.min(right), left.max(right));
        if left == right || left == SetId::EMPTY {
            return right;
        }
        if let Some(&known) = self.unions.get(&(left, right)) {
            return known;
        }
        let mut members = Vec::with_capacity(self.len(left) + self.len(right));
        let (mut a, mut b) = (self.members(left), self.members(right));
        while let ([x, xs @ ..], [y, ys @ ..]) = (a, b) {
            members.push(*x.min(y));
            a = if x <= y { xs } else { a };
            b = if y <= x { ys } else { b };
        }
        members.extend_from_slice(a);
        members.extend_from_slice(b);
        let union = self.intern(members);
        self.unions.insert((left, right), union);
        union
    }

    /// What is in both.
    pub fn intersection(&mut self, left: SetId, right: SetId) -> SetId {
        let (left, right) = (left.min(right), left.max(right));
        if left == right || left == SetId::EMPTY {
            return left;
        }
        if let Some(&known) = self.intersections.get(&(left, right)) {
            return known;
        }
        let other = self.members(right);
        let members =
            self.members(left).iter().copied().filter(|x| other.binary_search(x).is_ok()).collect();
        let intersection = self.intern(members);
        self.intersections.insert((left, right), intersection);
        intersection
    }

    /// What is in the left one only.
    pub fn difference(&mut self, left: SetId, right: SetId) -> SetId {
        if left == right {
            return SetId::EMPTY;
        }
        if left == SetId::EMPTY || right == SetId::EMPTY {
            return left;
        }
        if let Some(&known) = self.differences.get(&(left, right)) {
            return known;
        }
        let other = self.members(right);
        let members = self
            .members(left)
            .iter()
            .copied()
            .filter(|x| other.binary_search(x).is_err())
            .collect();
        let difference = self.intern(members);
        self.differences.insert((left, right), difference);
        difference
    }

    /// How much memory the sets and what is remembered take. A map that grows is for a while there
    /// twice, so it is counted twice.
    pub fn bytes(&self) -> usize {
        let operations =
            self.unions.capacity() + self.intersections.capacity() + self.differences.capacity();
        let maps = operations * 13 + self.known.capacity() * 25;
        self.members * 4 + self.by_number.capacity() * 48 + maps * 2
    }
}
