//! Which transitions are still to be looked at, and in which order.
//!
//! If weights have ranks, the smallest is looked at first. No extend is below what it extends, so
//! whatever could give a transition a smaller weight is looked at before it, and its weight is final
//! by then. With one queue for all, though, memory would be read all over the place. So transitions
//! come in *groups*, and a group that is met for the first time goes first, until nothing of it is
//! left; then the one goes on in which it was met. Post* has a group for each node that transitions
//! lead to: what happens in a callee depends on nothing but the callee and what it calls, so where
//! calls are not recursive, all that a group needs of others is final when it goes on. What else
//! changes in a group that had been done, because of recursion, waits until all groups are done, and
//! is looked at then in the order of weights alone. So each transition is looked at once or twice.
//! Nothing relies on it but speed: whatever changes is looked at again.
//!
//! Domains without ranks are served in turn.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::weighted::pushdown::NONE;

/// A group that has not been met.
const NEW: u32 = 0;

/// A group of which nothing was left at some time; the epoch of what is looked at last.
const DONE: u32 = u32::MAX;

/// Numbers of transitions, or of whatever else has weights.
#[derive(Debug)]
pub(super) enum Agenda {
    /// In the order in which they changed.
    InTurn { waiting: VecDeque<u32>, is_waiting: Vec<bool> },
    /// By rank.
    Ranked(Ranked),
}

impl Agenda {
    /// With ranks or without.
    pub(super) fn new(ranked: bool) -> Self {
        if ranked {
            return Self::Ranked(Ranked::default());
        }
        Self::InTurn { waiting: VecDeque::new(), is_waiting: Vec::new() }
    }

    /// Something of a group has a new rank, if there are ranks.
    #[inline]
    pub(super) fn push(&mut self, number: u32, rank: Option<u64>, group: u32) {
        match self {
            Self::InTurn { waiting, is_waiting } => {
                if is_waiting.len() <= number as usize {
                    is_waiting.resize(number as usize + 1, false);
                }
                if !std::mem::replace(&mut is_waiting[number as usize], true) {
                    waiting.push_back(number);
                }
            }
            Self::Ranked(ranked) => ranked.push(number, rank.unwrap_or(0), group),
        }
    }

    /// The next one, given what ranks they have now.
    #[inline]
    pub(super) fn pop(&mut self, rank: impl Fn(u32) -> Option<u64>) -> Option<u32> {
        match self {
            Self::InTurn { waiting, is_waiting } => {
                let number = waiting.pop_front()?;
                is_waiting[number as usize] = false;
                Some(number)
            }
            Self::Ranked(ranked) => ranked.pop(rank),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::InTurn { waiting, is_waiting } => {
                waiting.capacity() * size_of::<u32>() + is_waiting.capacity()
            }
            Self::Ranked(ranked) => ranked.bytes(),
        }
    }
}

/// A queue in the order of groups and ranks.
#[derive(Debug, Default)]
pub(super) struct Ranked {
    /// (Epoch, rank, number) in one number each; whoever changed while waiting is there more than
    /// once.
    heap: BinaryHeap<Reverse<u128>>,
    /// The first of all, if it is not in the heap: what was pushed last often goes first.
    front: Option<u128>,
    /// By group: [`NEW`], [`DONE`], or the epoch in which it was met; later epochs are smaller.
    epochs: Vec<u32>,
    /// The groups that were met and are not done, with their epochs; the last goes first.
    open: Vec<(u32, u32)>,
    met: u32,
}

impl Ranked {
    #[inline]
    fn push(&mut self, number: u32, rank: u64, group: u32) {
        let epoch = self.epoch(group);
        let key = u128::from(epoch) << 96 | u128::from(rank) << 32 | u128::from(number);
        let behind = match self.front {
            Some(front) if key < front => self.front.replace(key),
            None if self.heap.peek().is_none_or(|&Reverse(first)| key < first) => {
                self.front.replace(key)
            }
            _ => Some(key),
        };
        if let Some(behind) = behind {
            self.heap.push(Reverse(behind));
        }
    }

    #[inline]
    fn pop(&mut self, rank: impl Fn(u32) -> Option<u64>) -> Option<u32> {
        loop {
            let key = match self.front.take() {
                Some(front) => front,
                None => self.heap.pop()?.0,
            };
            let (epoch, then, number) = ((key >> 96) as u32, (key >> 32) as u64, key as u32);
            if rank(number).is_none_or(|now| now == then) {
                self.close_before(epoch);
                return Some(number);
            }
        }
    }

    #[inline]
    fn epoch(&mut self, group: u32) -> u32 {
        let index = group as usize;
        if self.epochs.len() <= index {
            self.epochs.resize((index + 1).max(2 * self.epochs.len()), NEW);
        }
        if self.epochs[index] == NEW {
            self.met += 1;
            self.epochs[index] = NONE - self.met;
            self.open.push((group, self.epochs[index]));
        }
        self.epochs[index]
    }

    /// Groups of later epochs are done.
    #[inline]
    fn close_before(&mut self, epoch: u32) {
        while let Some(&(group, last)) = self.open.last()
            && last < epoch
        {
            self.epochs[group as usize] = DONE;
            self.open.pop();
        }
    }

    fn bytes(&self) -> usize {
        self.heap.capacity() * size_of::<u128>()
            + self.epochs.capacity() * size_of::<u32>()
            + self.open.capacity() * size_of::<(u32, u32)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_met_in_another_goes_first_and_then_the_other_goes_on() {
        let mut agenda = Agenda::new(true);
        let ranks = [5, 7, 1, 9];
        let rank = |number: u32| Some(ranks[number as usize]);
        for (number, group) in [(0, 0), (1, 0)] {
            agenda.push(number, rank(number), group);
        }
        assert_eq!(agenda.pop(rank), Some(0));
        agenda.push(3, rank(3), 1);
        agenda.push(2, rank(2), 1);
        let order: Vec<_> = std::iter::from_fn(|| agenda.pop(rank)).collect();
        assert_eq!(order, [2, 3, 1]);
    }

    #[test]
    fn what_changes_in_a_group_that_was_done_comes_last() {
        let mut agenda = Agenda::new(true);
        let ranks = [5, 7, 1, 0];
        let rank = |number: u32| Some(ranks[number as usize]);
        agenda.push(0, rank(0), 0);
        agenda.push(1, rank(1), 0);
        agenda.push(2, rank(2), 1);
        assert_eq!((agenda.pop(rank), agenda.pop(rank)), (Some(2), Some(0)));
        agenda.push(3, rank(3), 1);
        assert_eq!((agenda.pop(rank), agenda.pop(rank)), (Some(1), Some(3)));
    }

    #[test]
    fn only_the_last_rank_counts() {
        let mut agenda = Agenda::new(true);
        agenda.push(0, Some(9), 0);
        agenda.push(0, Some(4), 0);
        let rank = |_| Some(4);
        assert_eq!((agenda.pop(rank), agenda.pop(rank)), (Some(0), None));
    }

    #[test]
    fn without_ranks_everybody_waits_once() {
        let mut agenda = Agenda::new(false);
        for number in [2, 1, 2] {
            agenda.push(number, None, 0);
        }
        let order: Vec<_> = std::iter::from_fn(|| agenda.pop(|_| None)).collect();
        assert_eq!(order, [2, 1]);
    }
}
