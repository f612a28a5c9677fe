//! What the explicit engine still has to do, by thread state: threads in the same thread state have
//! the same steps, so they are run together, from whatever global states. Thread states take turns, so
//! that what is found by few steps is found early.

use std::collections::VecDeque;

use crate::sets::reached::push_within_an_eighth;
use crate::sets::states::StateId;
use crate::sets::thread_states::ThreadStateId;

/// A thread that is to be run from a state, in a context that began in `root`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Work {
    pub(super) state: StateId,
    pub(super) root: StateId,
    /// The position of the thread in `state`.
    pub(super) position: u16,
    /// And in `root`.
    pub(super) mover: u16,
}

/// Work for the threads of one template.
#[derive(Debug)]
pub(super) struct Agenda {
    /// For each thread state, its last entry.
    last: Vec<u32>,
    /// The thread states that have entries.
    waiting: VecDeque<ThreadStateId>,
    /// Each entry, and the one before it of the same thread state.
    entries: Vec<(Work, u32)>,
    /// The last one of the entries that are free.
    free: u32,
    len: usize,
}

/// No entry.
const NONE: u32 = u32::MAX;

impl Agenda {
    /// Nothing to do, and no thread states yet.
    pub(super) fn new() -> Self {
        let (last, waiting, entries) = (Vec::new(), VecDeque::new(), Vec::new());
        Self { last, waiting, entries, free: NONE, len: 0 }
    }

    /// How much work there is.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// How much memory it holds.
    pub(super) fn bytes(&self) -> usize {
        (self.last.capacity() + self.waiting.capacity()) * 4
            + self.entries.capacity() * size_of::<(Work, u32)>()
    }

    /// Make sure that this many thread states can have entries.
    pub(super) fn make_room(&mut self, thread_states: usize) {
        if self.last.len() < thread_states {
            self.last.resize(thread_states, NONE);
        }
    }

    /// Add work for threads in a thread state.
    #[inline]
    pub(super) fn extend(&mut self, source: ThreadStateId, work: impl Iterator<Item = Work>) {
        let before = self.last[source.index()];
        let mut last = before;
        for work in work {
            let entry = (work, last);
            if self.free == NONE {
                last = self.entries.len() as u32;
                push_within_an_eighth(&mut self.entries, entry);
            } else {
                last = self.free;
                self.free = std::mem::replace(&mut self.entries[last as usize], entry).1;
            }
            self.len += 1;
        }
        self.last[source.index()] = last;
        if before == NONE && last != NONE {
            self.waiting.push_back(source);
        }
    }

    /// The thread state whose turn it is.
    pub(super) fn next(&self) -> Option<ThreadStateId> {
        self.waiting.front().copied()
    }

    /// Take the last of the work for the thread state whose turn it is, at most this much, in order.
    pub(super) fn take(&mut self, most: usize, taken: &mut Vec<Work>) {
        let source = *self.waiting.front().expect("a thread state that has work");
        let first = taken.len();
        let mut at = self.last[source.index()];
        for _ in 0..most {
            if at == NONE {
                break;
            }
            let (work, before) = self.entries[at as usize];
            taken.push(work);
            self.entries[at as usize].1 = std::mem::replace(&mut self.free, at);
            at = before;
            self.len -= 1;
        }
        taken[first..].reverse();
        self.last[source.index()] = at;
        if at == NONE {
            self.waiting.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(number: u32) -> Work {
        let state = StateId::new(number);
        Work { state, root: state, position: 0, mover: 0 }
    }

    #[test]
    fn work_is_taken_by_thread_state_and_all_of_it_once() {
        let mut agenda = Agenda::new();
        agenda.make_room(3);
        let [first, second] = [ThreadStateId::new(0), ThreadStateId::new(2)];
        agenda.extend(first, (0..3).map(work));
        agenda.extend(second, (3..5).map(work));
        agenda.extend(first, (5..6).map(work));
        agenda.extend(ThreadStateId::new(1), std::iter::empty());
        let mut taken = Vec::new();
        assert_eq!((agenda.len(), agenda.next()), (6, Some(first)));
        agenda.take(2, &mut taken);
        assert_eq!((taken.clone(), agenda.next()), (vec![work(2), work(5)], Some(first)));
        agenda.extend(second, (6..7).map(work));
        agenda.take(9, &mut taken);
        assert_eq!((&taken[2..], agenda.next()), (&[work(0), work(1)][..], Some(second)));
        agenda.extend(first, (7..8).map(work));
        agenda.take(9, &mut taken);
        agenda.take(9, &mut taken);
        assert_eq!(taken[4..], [work(3), work(4), work(6), work(7)]);
        assert_eq!((agenda.len(), agenda.next()), (0, None));
    }
}
