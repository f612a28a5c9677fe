//! Sets of global states, each a shared state and one local state per thread, packed into words.
//!
//! A local state is a stack for the explicit engine, the top of one for Z, a symbol for visible
//! states, and a language for products. The set keeps numbers only, and gives each field as many
//! bits as it needs. When a template outgrows its fields, all states are packed anew.
//!
//! Up to symmetry, the local states within a group of interchangeable threads are kept in
//! ascending order, so that the states of one orbit are one state. A *position* is a place in this
//! order: the groups one after another, the threads of a group in no particular order. Of several
//! positions of a group with equal local states, the first stands for all.
//!
//! A field may have a few more bits, for the *role* of its thread (see [`crate::sets::roles`]).
//! Threads are equal only if their roles are. A local state with its role is a *part*.

use std::marker::PhantomData;
use std::ops::Range;
use std::slice;

use crate::ids::{Id, id};
use crate::sets::layout::{Layout, Lone, Place, bits_for};
use crate::sets::orbit::OrbitCounter;
use crate::sets::table::Table;
use crate::system::{Group, Shared};

id! {
    /// A state of one set, in the order of insertion.
    StateId
}

impl StateId {
    /// The state that was inserted first: the initial one.
    pub const INITIAL: Self = Self::new(0);
}

/// A set of packed global states whose local states are of type `L`.
#[derive(Debug)]
pub struct StateSet<L> {
    locals: PhantomData<L>,
    groups: Vec<Group>,
    /// For each position, its template and the span of its group's positions.
    places: Vec<Place>,
    layout: Layout,
    /// How many bits of a part are the role.
    role_bits: u32,
    table: Table,
}

impl<L: Id> StateSet<L> {
    /// An empty set, with room for this many shared states and, for each template, local states.
    pub fn new(groups: Vec<Group>, shared: u32, locals: &[u32]) -> Self {
        Self::with_roles(groups, shared, locals, 0)
    }

    /// The same, with this many bits for the role of each thread.
    pub fn with_roles(groups: Vec<Group>, shared: u32, locals: &[u32], role_bits: u32) -> Self {
        let mut places = Vec::new();
        for group in &groups {
            let start = places.len() as u32;
            let end = start + group.threads.len() as u32;
            let place = Place { template: group.template, start, end };
            places.extend(group.threads.iter().map(|_| place));
        }
        let bits = locals.iter().map(|&count| bits_for(count) + role_bits).collect();
        let layout = Layout::new(bits_for(shared), bits, &places);
        let table = Table::new(layout.words);
        Self { locals: PhantomData, groups, places, layout, role_bits, table }
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there is no state.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// How many more states can be inserted before they can no longer be numbered.
    pub fn room(&self) -> usize {
        Table::MAX_LEN - self.table.len()
    }

    /// The number of a state given by the part at each position, if it is there.
    pub fn find(&self, shared: Shared, locals: &mut [L]) -> Option<StateId> {
        if !self.fits(shared, locals) {
            return None;
        }
        let mut key = Vec::new();
        self.pack(shared, locals, &mut key);
        self.table.find(&key).map(StateId::new)
    }

    /// Whether numbers of this size can be packed at all.
    fn fits(&self, shared: Shared, locals: &[L]) -> bool {
        let fields = self.layout.locals.iter().zip(locals);
        u64::from(shared.number()) <= self.layout.shared.mask
            && fields.into_iter().all(|(field, &local)| u64::from(local.number()) <= field.mask)
    }

    /// A state as it is packed.
    pub fn key(&self, state: StateId) -> &[u64] {
        self.table.key(state.number())
    }

    /// How many threads a state has, and so how many positions.
    pub fn positions(&self) -> usize {
        self.places.len()
    }

    /// The groups of interchangeable threads.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The positions of each group.
    pub fn spans(&self) -> impl Iterator<Item = (usize, usize)> {
        self.groups.iter().scan(0, |start, group| {
            let span = (*start, *start + group.threads.len());
            *start = span.1;
            Some(span)
        })
    }

    /// What the thread at a position runs.
    #[inline]
    pub fn template(&self, position: usize) -> usize {
        self.places[position].template as usize
    }

    /// The shared state of a state.
    #[inline]
    pub fn shared(&self, state: StateId) -> Shared {
        Shared::new(self.layout.shared.get(self.table.key(state.number())))
    }

    /// The local state at a position of a state.
    #[inline]
    pub fn local(&self, state: StateId, position: usize) -> L {
        self.split(self.part(state, position)).0
    }

    /// The same together with its role.
    #[inline]
    pub fn part(&self, state: StateId, position: usize) -> L {
        L::new(self.layout.locals[position].get(self.table.key(state.number())))
    }

    /// The shared state of a state, and the part at a position.
    #[inline]
    pub fn thread_state(&self, state: StateId, position: usize) -> (Shared, L) {
        let key = self.table.key(state.number());
        let local = self.layout.locals[position].get(key);
        (Shared::new(self.layout.shared.get(key)), L::new(local))
    }

    /// A position, if it is alone in its group and keys have one word.
    pub fn lone(&self, position: usize) -> Option<Lone<'_, L>> {
        let Place { start, end, .. } = self.places[position];
        (end - start == 1 && self.layout.words == 1).then(|| Lone {
            keys: self.table.keys(0..self.len()),
            shared: self.layout.shared,
            local: self.layout.locals[position],
            locals: PhantomData,
        })
    }

    /// Whether there are roles.
    pub fn has_roles(&self) -> bool {
        self.role_bits > 0
    }

    /// The local state and the role that a part consists of.
    #[inline]
    pub fn split(&self, part: L) -> (L, u32) {
        let number = part.number();
        (L::new(number >> self.role_bits), number & ((1 << self.role_bits) - 1))
    }

    /// A local state together with a role.
    #[inline]
    pub fn joined(&self, local: L, role: u32) -> L {
        L::new(local.number() << self.role_bits | role)
    }

    /// Whether no earlier position of the same group holds the same local state.
    #[inline]
    pub fn is_first_of_equals(&self, state: StateId, position: usize) -> bool {
        position == self.places[position].start as usize
            || self.part(state, position - 1) != self.part(state, position)
    }

    /// The state as numbers: the shared state, then the local state of each thread in the order of
    /// the system's threads. The threads with roles are the first ones of their group.
    pub fn row(&self, state: StateId) -> Vec<u32> {
        let mut row = vec![0; self.places.len() + 1];
        row[0] = self.shared(state).number();
        for (group, (start, end)) in self.groups.iter().zip(self.spans()) {
            let parts = (start..end).map(|position| self.split(self.part(state, position)));
            let mut free = parts.clone().filter(|&(_, role)| role > 0).count();
            for (local, role) in parts {
                let place = (role as usize).checked_sub(1).unwrap_or_else(|| {
                    free += 1;
                    free - 1
                });
                row[group.threads[place] as usize + 1] = local.number();
            }
        }
        row
    }

    /// How much memory the set holds.
    pub fn bytes(&self) -> usize {
        self.table.bytes()
    }

    /// How much memory it will hold after this many more states.
    pub fn bytes_after(&self, more: usize) -> usize {
        self.table.bytes_after(more)
    }

    /// Add the size of a state's orbit to a counter made by [`StateSet::counter`].
    #[inline]
    pub fn count_orbit(&self, state: StateId, counter: &mut OrbitCounter) {
        let key = self.table.key(state.number());
        let mut position = 0;
        counter.add(std::iter::from_fn(|| {
            let place = self.places.get(position)?;
            let local = self.layout.locals[position].get(key);
            let first = position;
            position += 1;
            while position < place.end as usize && self.layout.locals[position].get(key) == local {
                position += 1;
            }
            Some((position - first) as u32)
        }));
    }

    /// A counter for the orbits of this set.
    pub fn counter(&self) -> OrbitCounter {
        OrbitCounter::new(self.groups.iter().map(|group| group.threads.len()))
    }

    /// Make sure that local states below `count` of a template can be packed.
    /// Keys that were made before are invalid after it, states keep their numbers.
    pub fn make_room(&mut self, template: usize, count: u32) {
        let needed = bits_for(count) + self.role_bits;
        if needed > self.layout.bits[template] {
            let mut bits = self.layout.bits.clone();
            bits[template] = (needed + 1).min(32);
            self.repack(self.layout.shared.mask.count_ones(), bits);
        }
    }

    /// The same for shared states.
    pub fn make_room_for_shared(&mut self, count: u32) {
        if u64::from(count) > self.layout.shared.mask + 1 {
            self.repack((bits_for(count) + 1).min(32), self.layout.bits.clone());
        }
    }

    fn repack(&mut self, shared_bits: u32, bits: Vec<u32>) {
        let wider = Layout::new(shared_bits, bits, &self.places);
        let old = &self.layout;
        self.table = self.table.repacked(wider.words, |from, to| {
            wider.shared.set(to, old.shared.get(from));
            for (wide, narrow) in wider.locals.iter().zip(&old.locals) {
                wide.set(to, narrow.get(from));
            }
        });
        self.layout = wider;
    }

    /// Insert a state given by the part at each position, in any order within a group.
    pub fn insert(&mut self, shared: Shared, locals: &mut [L]) -> (StateId, bool) {
        let mut key = Vec::new();
        self.pack(shared, locals, &mut key);
        let (number, is_new) = self.table.insert(&key);
        (StateId::new(number), is_new)
    }

    /// Append to `keys` the key of a state given by the part at each position. Sorts them.
    fn pack(&self, shared: Shared, locals: &mut [L], keys: &mut Vec<u64>) {
        let start = keys.len();
        keys.resize(start + self.layout.words, 0);
        let key = &mut keys[start..];
        self.layout.shared.set(key, shared.number());
        for (start, end) in self.spans() {
            sort_few(&mut locals[start..end]);
        }
        for (field, &local) in self.layout.locals.iter().zip(&*locals) {
            field.put(key, local.number());
        }
    }

    /// Append to `keys` the keys in `images`, a set over the same groups, of some states, with
    /// each local state replaced by its image under `map`, which gets the template. Roles stay.
    pub fn project<I: Id>(
        &self,
        states: Range<usize>,
        images: &StateSet<I>,
        map: impl Fn(usize, L) -> I,
        keys: &mut Vec<u64>,
    ) {
        if self.groups.len() < self.places.len() {
            return self.project_sorted(states, images, map, keys);
        }
        let start = keys.len();
        let words = images.layout.words;
        keys.resize(start + states.len() * words, 0);
        let from = self.table.keys(states);
        let to = &mut keys[start..];
        each_key(from, self.layout.words, to, words, |from, to| {
            images.layout.shared.put(to, self.layout.shared.get(from));
        });
        for (position, place) in self.places.iter().enumerate() {
            let (field, image) = (self.layout.locals[position], images.layout.locals[position]);
            let template = place.template as usize;
            each_key(from, self.layout.words, to, words, |from, to| {
                let (local, role) = self.split(L::new(field.get(from)));
                image.put(to, images.joined(map(template, local), role).number());
            });
        }
    }

    /// The same where local states have to be put in order.
    fn project_sorted<I: Id>(
        &self,
        states: Range<usize>,
        images: &StateSet<I>,
        map: impl Fn(usize, L) -> I,
        keys: &mut Vec<u64>,
    ) {
        let mut sorted = vec![I::new(0); self.places.len()];
        for state in StateId::range(states.start, states.end) {
            let key = self.table.key(state.number());
            let locals = self.places.iter().zip(&self.layout.locals);
            let mapped = locals.map(|(place, field)| {
                let (local, role) = self.split(L::new(field.get(key)));
                images.joined(map(place.template as usize, local), role)
            });
            sorted.iter_mut().zip(mapped).for_each(|(entry, local)| *entry = local);
            images.pack(self.shared(state), &mut sorted, keys);
        }
    }

    /// Append to `keys` the key of the state in which the thread at `position`, the first of its
    /// equals, has moved to `local`, and return the first position in it that holds `local`.
    #[inline]
    pub fn successor(
        &self,
        state: StateId,
        position: usize,
        (shared, local): (Shared, L),
        keys: &mut Vec<u64>,
    ) -> usize {
        let start = keys.len();
        match self.table.key(state.number()) {
            // Two cases in which nothing has to be copied by a call.
            [word] => keys.push(*word),
            [low, high] => keys.extend_from_slice(&[*low, *high]),
            words => keys.extend_from_slice(words),
        }
        let key = &mut keys[start..];
        let local = local.number();
        self.layout.shared.set(key, shared.number());
        let place = self.places[position];
        let fields = &self.layout.locals;
        if place.end - place.start == 1 {
            fields[position].set(key, local);
            return position;
        }
        let mut position = position;
        while position + 1 < place.end as usize {
            let next = fields[position + 1].get(key);
            if next >= local {
                break;
            }
            fields[position].set(key, next);
            position += 1;
        }
        while position > place.start as usize {
            let previous = fields[position - 1].get(key);
            if previous < local {
                break;
            }
            fields[position].set(key, previous);
            position -= 1;
        }
        fields[position].set(key, local);
        position
    }

    /// The same where the other threads get other roles: `role` gets a template and a role.
    pub fn successor_with_roles(
        &self,
        state: StateId,
        position: usize,
        (shared, part): (Shared, L),
        role: impl Fn(usize, u32) -> u32,
        keys: &mut Vec<u64>,
    ) -> usize {
        let mut parts: Vec<L> = (0..self.places.len())
            .map(|other| {
                let (local, old) = self.split(self.part(state, other));
                self.joined(local, role(self.template(other), old))
            })
            .collect();
        parts[position] = part;
        self.pack(shared, &mut parts, keys);
        let Place { start, end, .. } = self.places[position];
        start as usize + parts[start as usize..end as usize].partition_point(|&other| other < part)
    }

    /// Insert states by their keys.
    pub fn insert_all(&mut self, keys: &[u64]) {
        self.table.insert_batch(keys);
    }

    /// Insert states by their keys, and return the number of each, in order. Those that are new get
    /// the next numbers.
    pub fn insert_batch(&mut self, keys: &[u64]) -> impl ExactSizeIterator<Item = StateId> {
        self.table.insert_batch(keys).iter().map(|&number| StateId::new(number))
    }
}

/// Pair keys of one length, in words, with keys of another.
#[inline]
fn each_key(
    from: &[u64],
    words: usize,
    to: &mut [u64],
    to_words: usize,
    mut pair: impl FnMut(&[u64], &mut [u64]),
) {
    if words == 1 && to_words == 1 {
        // Most keys are that short: then there is nothing to multiply and little to check.
        from.iter().zip(to).for_each(|(from, to)| pair(slice::from_ref(from), slice::from_mut(to)));
    } else {
        let pairs = from.chunks_exact(words).zip(to.chunks_exact_mut(to_words));
        pairs.for_each(|(from, to)| pair(from, to));
    }
}

/// Insertion sort: the slices are short.
#[inline]
fn sort_few<T: Ord>(values: &mut [T]) {
    for end in 1..values.len() {
        let mut index = end;
        while index > 0 && values[index - 1] > values[index] {
            values.swap(index - 1, index);
            index -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sets::stacks::StackId;
    use crate::system::short::q;

    fn insert<const N: usize>(
        set: &mut StateSet<StackId>,
        shared: u32,
        stacks: [u32; N],
    ) -> (u32, bool) {
        let (state, new) = set.insert(q(shared), &mut stacks.map(StackId::new));
        (state.number(), new)
    }

    fn two_groups() -> Vec<Group> {
        vec![Group { template: 0, threads: vec![0, 2, 3] }, Group { template: 1, threads: vec![1] }]
    }

    #[test]
    fn states_of_one_orbit_are_one_state() {
        let mut set = StateSet::new(two_groups(), 4, &[8, 8]);
        assert_eq!(insert(&mut set, 3, [5, 1, 2, 7]), (0, true));
        assert_eq!(insert(&mut set, 3, [2, 5, 1, 7]), (0, false));
        assert_eq!(insert(&mut set, 3, [2, 5, 7, 1]), (1, true));
        assert_eq!(set.row(StateId::new(0)), [3, 1, 7, 2, 5]);
    }

    #[test]
    fn a_successor_is_sorted_and_says_where_the_thread_went() {
        let mut set = StateSet::new(two_groups(), 4, &[8, 8]);
        let (state, _) = insert(&mut set, 0, [1, 3, 5, 0]);
        for (position, local, expected, place) in [
            (0, 4, [3, 4, 5], 1),
            (0, 5, [3, 5, 5], 1),
            (0, 7, [3, 5, 7], 2),
            (2, 0, [0, 1, 3], 0),
            (2, 1, [1, 1, 3], 0),
            (1, 3, [1, 3, 5], 1),
        ] {
            let mut keys = Vec::new();
            assert_eq!(
                set.successor(
                    StateId::new(state),
                    position,
                    (q(1), StackId::new(local)),
                    &mut keys
                ),
                place
            );
            let mut locals = [expected[0], expected[1], expected[2], 0].map(StackId::new);
            let mut same = Vec::new();
            set.pack(q(1), &mut locals, &mut same);
            assert_eq!(keys, same);
        }
    }

    #[test]
    fn threads_with_roles_are_the_first_of_their_group() {
        let mut set: StateSet<StackId> = StateSet::with_roles(two_groups(), 4, &[8, 8], 2);
        let part = |stack, role| StateSet::<StackId>::joined(&set, StackId::new(stack), role);
        let mut parts = [part(5, 0), part(5, 2), part(1, 1), part(6, 0)];
        let mut moved = [part(5, 0), part(2, 0), part(1, 1), part(6, 0)];
        let (state, _) = set.insert(q(3), &mut parts);
        assert_eq!(set.row(state), [3, 1, 6, 5, 5]);
        assert_eq!(set.local(state, 0), StackId::new(1));
        assert!((0..3).all(|position| set.is_first_of_equals(state, position)));
        let (mut keys, mut same) = (Vec::new(), Vec::new());
        // The thread with role 2 moves and loses it; the others keep theirs.
        let to = (q(1), moved[1]);
        let position = (0..3).find(|&at| set.part(state, at) == parts[2]).expect("it is there");
        let place = set.successor_with_roles(state, position, to, |_, role| role, &mut keys);
        set.pack(q(1), &mut moved, &mut same);
        assert_eq!((keys, moved[place]), (same, to.1));
    }

    #[test]
    fn states_survive_being_packed_anew() {
        let mut set = StateSet::new(two_groups(), 4, &[2, 2]);
        let (state, _) = insert(&mut set, 2, [1, 0, 1, 1]);
        set.make_room(0, 1 << 20);
        set.make_room(1, 1 << 30);
        assert_eq!(set.row(StateId::new(state)), [2, 0, 1, 1, 1]);
        assert_eq!(insert(&mut set, 2, [1, 1, 0, 1]), (state, false));
        assert_eq!(insert(&mut set, 2, [1 << 19, 1, 0, 1 << 29]), (1, true));
        assert_eq!(set.row(StateId::new(1)), [2, 0, 1 << 29, 1, 1 << 19]);
    }

    #[test]
    fn orbits_are_counted_within_groups() {
        let mut set = StateSet::new(two_groups(), 4, &[8, 8]);
        let (state, _) = insert(&mut set, 0, [1, 1, 5, 1]);
        let mut counter = set.counter();
        set.count_orbit(StateId::new(state), &mut counter);
        assert_eq!(counter.total().to_string(), "3");
    }
}
