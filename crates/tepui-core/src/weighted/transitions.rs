//! What a weighted saturation has found: transitions, numbered in the order in which they came,
//! each with a weight that only descends. Whatever changes is put on the agenda.
//!
//! Most heads have few transitions, which are chained; so finding one is mostly one look at memory,
//! and close to where the last one was. What does not fit into a short chain is in a hash table.

use crate::limits::{Limit, Meter};
use crate::sets::table::Table;
use crate::weighted::agenda::Agenda;
use crate::weighted::domain::Domain;
use crate::weighted::pushdown::{Head, NONE, Node, PushdownSystem, StateHeads, Symbol, pair};
use crate::weighted::summary::{
    Configurations, Direction, Transition, TransitionId, WeightedAutomaton,
};

/// In place of the next one in a list, for what is in no list yet.
const UNLISTED: TransitionId = TransitionId::new(NONE - 1);

/// How many transitions of a head are chained.
const CHAINED: usize = 6;

/// Why a transition has the weight it has. A transition is given by its number, a rule by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// It is one of the given set.
    Start,
    /// Post*: it reads a symbol that a rule has written above others; the reason of the transition
    /// that reads the last of them names the rule.
    Written,
    /// Post*: it reads the last symbol that a rule has written in place of what another reads, or
    /// nothing if the rule writes nothing.
    Replaced { rule: u32, of: TransitionId },
    /// Post*: it does from a state what another does from the node to which a pop leads.
    Copied { pop: TransitionId, of: TransitionId },
    /// Pre*: the rule writes nothing, and leads to the state that the transition leads to.
    Popped { rule: u32 },
    /// Pre*: one more of the symbols that rules write is read, after a reading or as the first.
    Read { before: Option<TransitionId>, last: TransitionId },
    /// Pre*: and it is the last that the rule writes.
    Wrote { rule: u32, before: Option<TransitionId>, last: TransitionId },
}

/// Transitions with weights.
#[derive(Debug)]
pub(super) struct Transitions<W> {
    heads: Heads,
    edges: Vec<Edge<W>>,
    of_heads: Vec<OfHead>,
    /// How many rules there are.
    rules: u32,
    /// (Head, node) of the transitions that are not chained.
    crowded: Table,
    crowded_numbers: Vec<TransitionId>,
    /// The reasons of the last changes of weights, if they are wanted.
    reasons: Option<Vec<Reason>>,
    agenda: Agenda,
    /// Whether the agenda has a group for each node that transitions lead to.
    grouped: bool,
    /// What weights hold beside themselves.
    weight_bytes: usize,
}

/// What belongs to a head.
#[derive(Clone, Copy, Debug)]
struct OfHead {
    /// Where the rules start that replace it. They end where those of the next head start.
    rules: u32,
    /// The first of the chained transitions.
    first: TransitionId,
}

#[derive(Debug)]
struct Edge<W> {
    weight: W,
    head: Head,
    to: Node,
    /// The next transition of the chain of its head.
    chained: TransitionId,
    /// The next transition in the one list that it may be in.
    listed: TransitionId,
}

impl<W: Clone> Transitions<W> {
    /// With more transitions than this a saturation stops, as if memory had run out; the next
    /// step could need more numbers than there are.
    const MAX_LEN: usize = Table::MAX_LEN / 2;

    pub(super) fn new<D: Domain<Weight = W>>(
        domain: &D,
        system: &PushdownSystem,
        grouped: bool,
        traced: bool,
    ) -> Self {
        let ranked = domain.rank(&domain.one()).is_some();
        Self {
            heads: Heads::new(system),
            edges: Vec::with_capacity(system.count_heads() as usize),
            of_heads: of_heads(system),
            rules: system.rules.len() as u32,
            crowded: Table::new(1),
            crowded_numbers: Vec::new(),
            reasons: traced.then(Vec::new),
            agenda: Agenda::new(ranked),
            grouped,
            weight_bytes: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.edges.len()
    }

    #[inline]
    pub(super) fn weight(&self, number: TransitionId) -> &W {
        &self.edges[number.index()].weight
    }

    pub(super) fn reason(&self, number: TransitionId) -> Option<Reason> {
        self.reasons.as_ref().map(|reasons| reasons[number.index()])
    }

    #[inline]
    pub(super) fn head_and_target(&self, number: TransitionId) -> (Head, Node) {
        let edge = &self.edges[number.index()];
        (edge.head, edge.to)
    }

    /// The places of the rules that replace what a head reads.
    #[inline]
    pub(super) fn enabled(&self, head: Head) -> std::ops::Range<usize> {
        let start = self.of_heads[head.index()].rules;
        let end = self.of_heads.get(head.index() + 1).map_or(self.rules, |next| next.rules);
        start as usize..end as usize
    }

    /// What a head is.
    #[inline]
    pub(super) fn read_head(&self, system: &PushdownSystem, head: Head) -> (Node, Symbol) {
        self.heads.read(system, head)
    }

    pub(super) fn transition(&self, system: &PushdownSystem, number: TransitionId) -> Transition {
        let (head, to) = self.head_and_target(number);
        let (from, symbol) = self.read_head(system, head);
        Transition { from, symbol, to }
    }

    /// How many heads there are.
    pub(super) fn heads(&self) -> usize {
        self.of_heads.len()
    }

    /// The head of a state, or of a node of the given set.
    #[inline]
    pub(super) fn head(&mut self, node: Node, symbol: Symbol) -> Head {
        let (head, new) = self.heads.number(node, symbol, Head::from_index(self.of_heads.len()));
        if new {
            self.of_heads.push(OfHead { rules: self.rules, first: TransitionId::NONE });
        }
        head
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
        let number = match self.find(head, to) {
            Ok(number) => {
                let edge = &mut self.edges[number.index()];
                let old_bytes = domain.bytes(&edge.weight);
                if !domain.combine_into(&mut edge.weight, &weight)? {
                    return Ok(());
                }
                self.weight_bytes = self.weight_bytes + domain.bytes(&edge.weight) - old_bytes;
                if let Some(reasons) = &mut self.reasons {
                    reasons[number.index()] = reason;
                }
                number
            }
            Err(chained) => {
                self.weight_bytes += domain.bytes(&weight);
                if let Some(reasons) = &mut self.reasons {
                    reasons.push(reason);
                }
                self.edges.push(Edge { weight, head, to, chained, listed: UNLISTED });
                TransitionId::from_index(self.edges.len() - 1)
            }
        };
        let rank = domain.rank(&self.edges[number.index()].weight);
        self.agenda.push(number.number(), rank, if self.grouped { to.number() } else { 0 });
        Ok(())
    }

    /// The number of a transition. If it is new, it is the one that will be added next, and what is
    /// returned is what it is chained to.
    #[inline]
    fn find(&mut self, head: Head, to: Node) -> Result<TransitionId, TransitionId> {
        let first = self.of_heads[head.index()].first;
        let mut number = first;
        for _ in 0..CHAINED {
            if number == TransitionId::NONE {
                self.of_heads[head.index()].first = TransitionId::from_index(self.edges.len());
                return Err(first);
            }
            let edge = &self.edges[number.index()];
            if edge.to == to {
                return Ok(number);
            }
            number = edge.chained;
        }
        let (index, new) = self.crowded.insert(&[pair(head, to)]);
        if new {
            self.crowded_numbers.push(TransitionId::from_index(self.edges.len()));
            return Err(TransitionId::NONE);
        }
        Ok(self.crowded_numbers[index as usize])
    }

    /// What to look at next.
    #[inline]
    pub(super) fn next<D: Domain<Weight = W>>(&mut self, domain: &D) -> Option<TransitionId> {
        let next = self.agenda.pop(|number| domain.rank(&self.edges[number as usize].weight));
        next.map(TransitionId::new)
    }

    /// Put a transition at the front of a list, unless it is in one.
    pub(super) fn list(&mut self, number: TransitionId, first: &mut TransitionId) {
        let listed = &mut self.edges[number.index()].listed;
        if *listed == UNLISTED {
            *listed = *first;
            *first = number;
        }
    }

    /// The transition after another one in their list.
    #[inline]
    pub(super) fn after(&self, number: TransitionId) -> Option<TransitionId> {
        some(self.edges[number.index()].listed)
    }

    /// The weighted automaton of some transitions, and their numbers.
    pub(super) fn automaton(
        &self,
        system: &PushdownSystem,
        is_kept: impl Fn(Transition) -> bool,
        accepting: &[Node],
        direction: Direction,
    ) -> (WeightedAutomaton<W>, Vec<TransitionId>) {
        let (mut transitions, mut weights, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for number in TransitionId::range(0, self.len()) {
            let transition = self.transition(system, number);
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
            + self.of_heads.capacity() * size_of::<OfHead>()
            + self.edges.len() * size_of::<Edge<W>>()
            + self.crowded_numbers.capacity() * size_of::<TransitionId>()
            + self.crowded.bytes()
            + self.reasons.as_ref().map_or(0, |all| all.capacity() * size_of::<Reason>())
            + self.agenda.bytes()
            + self.weight_bytes
    }
}

/// The heads of a saturation: those of the system, then others as they are met.
#[derive(Debug)]
struct Heads {
    states: u32,
    of_states: StateHeads,
    /// The heads of nodes of the given set.
    of_inner: Table,
    of_inner_numbers: Vec<Head>,
    /// How many heads the system has.
    known: u32,
    others: Vec<(Node, Symbol)>,
}

impl Heads {
    fn new(system: &PushdownSystem) -> Self {
        Self {
            states: system.states,
            of_states: system.of_states.clone(),
            of_inner: Table::new(1),
            of_inner_numbers: Vec::new(),
            known: system.count_heads(),
            others: Vec::new(),
        }
    }

    #[inline]
    fn number(&mut self, node: Node, symbol: Symbol, next: Head) -> (Head, bool) {
        let (head, new) = if node.number() < self.states {
            self.of_states.number(node, symbol, next)
        } else {
            let (index, new) = self.of_inner.insert(&[pair(node, symbol)]);
            if new {
                self.of_inner_numbers.push(next);
            }
            (self.of_inner_numbers[index as usize], new)
        };
        if new {
            self.others.push((node, symbol));
        }
        (head, new)
    }

    #[inline]
    fn read(&self, system: &PushdownSystem, head: Head) -> (Node, Symbol) {
        match head.number().checked_sub(self.known) {
            None => system.head(head),
            Some(other) => self.others[other as usize],
        }
    }

    fn bytes(&self) -> usize {
        self.of_states.bytes()
            + self.of_inner.bytes()
            + self.of_inner_numbers.capacity() * size_of::<Head>()
            + self.others.capacity() * size_of::<(Node, Symbol)>()
    }
}

fn of_heads(system: &PushdownSystem) -> Vec<OfHead> {
    let starts = system.starts().iter().copied();
    let rest = std::iter::repeat(system.rules.len() as u32);
    let of_heads = starts.chain(rest).map(|rules| OfHead { rules, first: TransitionId::NONE });
    of_heads.take(system.count_heads() as usize).collect()
}

/// A transition, unless it stands for none.
#[inline]
pub(super) fn some(number: TransitionId) -> Option<TransitionId> {
    (number != TransitionId::NONE).then_some(number)
}

/// Looks at the limits of one call, once for a good deal of work.
pub(super) struct Progress<'a, 'w> {
    meter: &'a mut Meter<'w>,
    work: usize,
    work_between_looks: usize,
}

impl<'a, 'w> Progress<'a, 'w> {
    /// If work is cheap, a look at the clock would be dear.
    const CHEAP_WORK_BETWEEN_LOOKS: usize = 1024;

    pub(super) fn new(is_cheap: bool, meter: &'a mut Meter<'w>) -> Self {
        let work_between_looks = if is_cheap { Self::CHEAP_WORK_BETWEEN_LOOKS } else { 1 };
        Self { meter, work: work_between_looks, work_between_looks }
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
        if self.work < self.work_between_looks {
            return None;
        }
        self.work = 0;
        if found > Transitions::<()>::MAX_LEN {
            return Some(Limit::Memory);
        }
        self.meter.reached(found, bytes())
    }
}
