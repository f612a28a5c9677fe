//! What a weighted saturation has found: transitions, numbered in the order in which they came,
//! each with a weight that only descends, and which of them are still to be looked at.
//!
//! If weights have ranks, the smallest is looked at first. No extend is below what it extends, so
//! in whatever way a transition could get a smaller weight, that would have been looked at before
//! it, and its weight is final. (That is so for post* as well, where a call starts with `one`
//! whatever came before it: a transition to the node below the callee has a weight relative to the
//! call, and if it is part of the way to another transition, then so is the call, which is not
//! larger.) Nothing relies on it but speed: what changes later is looked at again.
//!
//! Other domains are served in turn.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::limits::{Limit, Limits, Watch};
use crate::table::Table;
use crate::weighted::domain::Domain;
use crate::weighted::summary::{Configurations, Direction, Transition, WeightedAutomaton};
use crate::weighted::system::{Head, NONE, Node, Symbol, head_key};

/// A transition by number.
pub(super) type Number = u32;

/// In place of the next one in a list, for what is in no list yet.
const UNLISTED: u32 = NONE - 1;

/// Why a transition has the weight it has. A rule or transition is given by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// It is one of the given set.
    Start,
    /// Post*: it reads a symbol that a rule has written above others; the reason of the transition
    /// that reads the last of them names the rule.
    Written,
    /// Post*: it reads the last symbol that a rule has written in place of what another reads, or
    /// nothing if the rule writes nothing.
    Replaced { rule: u32, of: Number },
    /// Post*: it does from a state what another does from the node to which a pop leads.
    Copied { pop: Number, of: Number },
    /// Pre*: the rule writes nothing, and leads to the state that the transition leads to.
    Popped { rule: u32 },
    /// Pre*: one more of the symbols that rules write is read, after a reading or as the first.
    Read { before: Option<Number>, last: Number },
    /// Pre*: and it is the last that the rule writes.
    Wrote { rule: u32, before: Option<Number>, last: Number },
}

/// Transitions with weights.
#[derive(Debug)]
pub(super) struct Found<W> {
    /// Nodes with what is read from them: those of the rules, then others as they are met.
    heads: Table,
    /// (Head, node).
    edges: Table,
    weights: Vec<W>,
    /// The next transition in the one list that a transition may be in.
    links: Vec<Number>,
    /// The reasons of the last changes of weights, if they are wanted.
    reasons: Option<Vec<Reason>>,
    agenda: Agenda,
    /// What weights hold beside themselves.
    weight_bytes: usize,
}

impl<W: Clone> Found<W> {
    /// With more transitions than this a saturation stops, as if memory had run out; the next
    /// step could need more numbers than there are.
    const MAX_LEN: usize = Table::MAX_LEN / 2;

    pub(super) fn new<D: Domain<Weight = W>>(domain: &D, heads: Table, traced: bool) -> Self {
        let ranked = domain.rank(&domain.one()).is_some();
        Self {
            heads,
            edges: Table::new(1),
            weights: Vec::new(),
            links: Vec::new(),
            reasons: traced.then(Vec::new),
            agenda: Agenda::new(ranked),
            weight_bytes: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.weights.len()
    }

    pub(super) fn weight(&self, number: Number) -> &W {
        &self.weights[number as usize]
    }

    pub(super) fn reason(&self, number: Number) -> Option<Reason> {
        self.reasons.as_ref().map(|reasons| reasons[number as usize])
    }

    #[inline]
    pub(super) fn head_and_target(&self, number: Number) -> (Head, Node) {
        let key = self.edges.key(number)[0];
        ((key >> 32) as Head, key as Node)
    }

    #[inline]
    pub(super) fn read_head(&self, head: Head) -> (Node, Symbol) {
        let key = self.heads.key(head)[0];
        ((key >> 32) as Node, key as Symbol)
    }

    pub(super) fn transition(&self, number: Number) -> Transition {
        let (head, to) = self.head_and_target(number);
        let (from, symbol) = self.read_head(head);
        Transition { from, symbol, to }
    }

    /// How many heads there are.
    pub(super) fn heads(&self) -> usize {
        self.heads.len()
    }

    #[inline]
    pub(super) fn head(&mut self, node: Node, symbol: Symbol) -> Head {
        self.heads.insert(&[head_key(node, symbol)]).0
    }

    /// Combine a weight into that of a transition, which is looked at again if that changes it.
    #[inline]
    pub(super) fn add<D: Domain<Weight = W>>(
        &mut self,
        domain: &D,
        (head, to): (Head, Node),
        weight: W,
        reason: Reason,
    ) -> Result<(), D::Error> {
        if domain.is_zero(&weight)? {
            return Ok(());
        }
        let (number, new) = self.edges.insert(&[u64::from(head) << 32 | u64::from(to)]);
        let index = number as usize;
        if new {
            self.weight_bytes += domain.bytes(&weight);
            self.weights.push(weight);
            self.links.push(UNLISTED);
            if let Some(reasons) = &mut self.reasons {
                reasons.push(reason);
            }
        } else {
            let old_bytes = domain.bytes(&self.weights[index]);
            if !domain.combine_into(&mut self.weights[index], &weight)? {
                return Ok(());
            }
            self.weight_bytes = self.weight_bytes + domain.bytes(&self.weights[index]) - old_bytes;
            if let Some(reasons) = &mut self.reasons {
                reasons[index] = reason;
            }
        }
        self.agenda.push(number, domain.rank(&self.weights[index]));
        Ok(())
    }

    /// What to look at next.
    pub(super) fn next<D: Domain<Weight = W>>(&mut self, domain: &D) -> Option<Number> {
        self.agenda.pop(|number| domain.rank(&self.weights[number as usize]))
    }

    /// Put a transition at the front of a list, unless it is in one.
    pub(super) fn list(&mut self, number: Number, first: &mut Number) {
        let link = &mut self.links[number as usize];
        if *link == UNLISTED {
            *link = *first;
            *first = number;
        }
    }

    /// The transition after another one in their list.
    #[inline]
    pub(super) fn after(&self, number: Number) -> Option<Number> {
        some(self.links[number as usize])
    }

    /// The weighted automaton of some transitions, and their numbers.
    pub(super) fn automaton(
        &self,
        is_kept: impl Fn(Transition) -> bool,
        accepting: &[Node],
        direction: Direction,
    ) -> (WeightedAutomaton<W>, Vec<Number>) {
        let (mut transitions, mut weights, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for number in 0..self.len() as Number {
            let transition = self.transition(number);
            if is_kept(transition) {
                transitions.push(transition);
                weights.push(self.weight(number).clone());
                numbers.push(number);
            }
        }
        let configurations = Configurations { transitions, accepting: accepting.to_vec() };
        (WeightedAutomaton { configurations, weights, direction }, numbers)
    }

    pub(super) fn bytes(&self) -> usize {
        self.heads.bytes()
            + self.edges.bytes()
            + self.weights.capacity() * size_of::<W>()
            + self.links.capacity() * size_of::<Number>()
            + self.reasons.as_ref().map_or(0, |all| all.capacity() * size_of::<Reason>())
            + self.agenda.bytes()
            + self.weight_bytes
    }
}

/// A number, unless it stands for none.
#[inline]
pub(super) fn some(number: u32) -> Option<u32> {
    (number != NONE).then_some(number)
}

/// Which transitions are still to be looked at.
#[derive(Debug)]
pub(super) enum Agenda {
    /// In the order in which they changed.
    InTurn { waiting: VecDeque<Number>, is_waiting: Vec<bool> },
    /// The smallest first. Whoever changed while waiting is there more than once.
    Ranked(BinaryHeap<Reverse<(u64, Number)>>),
}

impl Agenda {
    pub(super) fn new(ranked: bool) -> Self {
        if ranked {
            return Self::Ranked(BinaryHeap::new());
        }
        Self::InTurn { waiting: VecDeque::new(), is_waiting: Vec::new() }
    }

    #[inline]
    pub(super) fn push(&mut self, number: Number, rank: Option<u64>) {
        match self {
            Self::InTurn { waiting, is_waiting } => {
                if is_waiting.len() <= number as usize {
                    is_waiting.resize(number as usize + 1, false);
                }
                if !std::mem::replace(&mut is_waiting[number as usize], true) {
                    waiting.push_back(number);
                }
            }
            Self::Ranked(heap) => heap.push(Reverse((rank.unwrap_or(0), number))),
        }
    }

    /// The next one, given what ranks they have now.
    #[inline]
    pub(super) fn pop(&mut self, rank: impl Fn(Number) -> Option<u64>) -> Option<Number> {
        match self {
            Self::InTurn { waiting, is_waiting } => {
                let number = waiting.pop_front()?;
                is_waiting[number as usize] = false;
                Some(number)
            }
            Self::Ranked(heap) => loop {
                let Reverse((then, number)) = heap.pop()?;
                if rank(number).is_none_or(|now| now == then) {
                    return Some(number);
                }
            },
        }
    }

    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::InTurn { waiting, is_waiting } => {
                waiting.capacity() * size_of::<Number>() + is_waiting.capacity()
            }
            Self::Ranked(heap) => heap.capacity() * size_of::<Reverse<(u64, Number)>>(),
        }
    }
}

/// Looks at the limits of one call, once for a good deal of work.
pub(super) struct Progress<'a> {
    watch: Watch<'a>,
    work: usize,
}

impl<'a> Progress<'a> {
    const WORK_BETWEEN_LOOKS: usize = 1024;

    pub(super) fn new(limits: Limits, interrupted: &'a mut dyn FnMut() -> bool) -> Self {
        Self { watch: Watch::new(limits, interrupted), work: Self::WORK_BETWEEN_LOOKS }
    }

    /// The limit that is reached, if one is, after so much more work.
    #[inline]
    pub(super) fn reached(
        &mut self,
        work: usize,
        found: usize,
        bytes: impl FnOnce() -> usize,
    ) -> Option<Limit> {
        self.work += work;
        if self.work < Self::WORK_BETWEEN_LOOKS {
            return None;
        }
        self.work = 0;
        if found > Found::<()>::MAX_LEN {
            return Some(Limit::Memory);
        }
        self.watch.reached(found, bytes())
    }
}
