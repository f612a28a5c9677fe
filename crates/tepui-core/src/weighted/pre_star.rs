//! Weighted pre*: for each configuration, the weight of all runs from it to a regular set (WPDS,
//! section 4.3; the saturation is that of Reps, Schwoon, Jha and Melski).
//!
//! The weights of a path are extended along it: what is on top happens first.
//!
//! Whenever the automaton can read what a rule ⟨p, γ⟩ → ⟨p', w⟩ writes on a way from p' to a node,
//! a transition that reads γ leads from p to that node. How far words were read is a *reading*: a
//! node between written symbols with the node that reading them from p' has led to. It is kept as a
//! transition that reads nothing between the two, and shared by all rules that write these symbols.
//!
//! A call that merges has readings of its own, from its call node, that begin with the weight of
//! the rule. Where the first symbol has led to a state, the call has returned, and what was read so
//! far is merged. Transitions of the set to be reached lead to no states, so that is so only then.

use crate::limits::{Meter, Outcome};
use crate::weighted::domain::Domain;
use crate::weighted::pushdown::{EPSILON, Head, NONE, Node, PushdownSystem};
use crate::weighted::summary::{Direction, Transition, TransitionId, WeightedAutomaton};
use crate::weighted::transitions::{Progress, Reason, Transitions, some};

/// The weights of what reaches a set, or a part of that while it is not complete.
#[derive(Debug)]
pub struct PreStar<W> {
    pub(super) found: Transitions<W>,
    /// By head: the first of the transitions that were looked at, and the first that waits.
    lists: Vec<(TransitionId, u32)>,
    waiting: Vec<Waiting>,
    /// By reading: whether it waits for all that it can go on with.
    waits: Vec<bool>,
    /// By rule, in their order.
    weights: Vec<W>,
}

/// A reading that goes on with what leaves a head.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    reading: TransitionId,
    /// The node between written symbols, and the symbol to be read.
    onward: Head,
    next: u32,
}

impl<W: Clone> PreStar<W> {
    /// The saturation that begins with a set of configurations, whose transitions lead to nodes
    /// from [`PushdownSystem::nodes`] on, and read no ε. The reasons for weights are kept if it is traced.
    pub fn new<D: Domain<Weight = W>>(
        domain: &D,
        (system, weights): (&PushdownSystem, &[W]),
        target: &[Transition],
        traced: bool,
    ) -> Result<Self, D::Error> {
        let mut found = Transitions::new(domain, system, false, traced);
        let weights = system.sorted(weights);
        for edge in target {
            let head = found.head(edge.from, edge.symbol);
            found.add(domain, (head, edge.to), domain.one(), Reason::Start)?;
        }
        for (place, (rule, weight)) in (0..).zip(system.rules.iter().zip(&weights)) {
            let (state, symbol) = system.head(rule.last);
            if symbol == EPSILON {
                let reason = Reason::Popped { rule: place };
                found.add(domain, (rule.source, state), weight.clone(), reason)?;
            }
        }
        Ok(Self { found, lists: Vec::new(), waiting: Vec::new(), waits: Vec::new(), weights })
    }

    /// Go on until all weights are final, or a limit is reached. The domain and the system are always
    /// the same.
    pub fn advance<D: Domain<Weight = W>>(
        &mut self,
        domain: &D,
        system: &PushdownSystem,
        meter: &mut Meter,
    ) -> Result<Outcome, D::Error> {
        let mut progress = Progress::new(domain.is_cheap(), meter);
        let mut work = 0;
        loop {
            if let Some(limit) = progress.reached(work, self.found.len(), || self.bytes()) {
                return Ok(Outcome::Stopped(limit));
            }
            let Some(number) = self.found.next(domain) else { return Ok(Outcome::Done) };
            work = self.follow(domain, system, number)?;
        }
    }

    /// How many transitions and readings were found.
    pub fn transitions(&self) -> usize {
        self.found.len()
    }

    /// How much memory it holds.
    pub fn bytes(&self) -> usize {
        self.found.bytes()
            + self.lists.capacity() * size_of::<(TransitionId, u32)>()
            + self.waiting.capacity() * size_of::<Waiting>()
            + self.waits.capacity()
    }

    /// The weighted automaton of what was found, which begins with a set that accepts at some
    /// nodes, and the numbers of its transitions here.
    pub fn automaton(
        &self,
        system: &PushdownSystem,
        accepting: &[Node],
    ) -> (WeightedAutomaton<W>, Vec<TransitionId>) {
        self.found.automaton(system, |edge| edge.symbol != EPSILON, accepting, Direction::Forward)
    }

    /// Draw the consequences of a transition or a reading, and say how much work that was.
    fn follow<D: Domain<Weight = W>>(
        &mut self,
        domain: &D,
        system: &PushdownSystem,
        number: TransitionId,
    ) -> Result<usize, D::Error> {
        let (head, to) = self.found.head_and_target(number);
        let (from, symbol) = self.found.read_head(system, head);
        if symbol == EPSILON {
            return self.follow_reading(domain, system, number, (from, to));
        }
        let (_, mut waiting) = self.list(number, head);
        let weight = self.found.weight(number).clone();
        let mut work = 1;
        if system.is_state(from) {
            let reading = (weight.clone(), None, number);
            work += self.go_on(domain, system, head, reading)?;
        }
        while waiting != NONE {
            let Waiting { reading, onward, next } = self.waiting[waiting as usize];
            let read = domain.extend(self.found.weight(reading), &weight)?;
            let reading = (read, Some(reading), number);
            work += 1 + self.go_on(domain, system, onward, reading)?;
            waiting = next;
        }
        Ok(work)
    }

    /// Let a reading go on with the transitions that were looked at, and wait for more.
    fn follow_reading<D: Domain<Weight = W>>(
        &mut self,
        domain: &D,
        system: &PushdownSystem,
        number: TransitionId,
        (between, at): (Node, Node),
    ) -> Result<usize, D::Error> {
        let weight = self.found.weight(number).clone();
        let calls = system.calls(between);
        for &call in calls {
            let place = system.place(call);
            let read = domain.extend(&self.weights[place.caller as usize], &weight)?;
            let read = if system.is_state(at) { domain.merge(&read)? } else { read };
            let head = system.between(call);
            let reason = self.found.reason(number).unwrap_or(Reason::Start);
            self.found.add(domain, (head, at), read, reason)?;
        }
        let mut work = 1 + calls.len();
        let is_new = self.starts_waiting(number);
        for &onward in system.onward(between) {
            let symbol = system.head(onward).1;
            let head = self.found.head(at, symbol);
            if is_new {
                self.wait(number, onward, head);
            }
            let mut next = some(self.lists_of(head).0);
            while let Some(last) = next {
                let read = domain.extend(&weight, self.found.weight(last))?;
                work += 1 + self.go_on(domain, system, onward, (read, Some(number), last))?;
                next = self.found.after(last);
            }
        }
        Ok(work)
    }

    /// What rules write up to some head is read: with a weight, by a reading before and a last
    /// transition.
    fn go_on<D: Domain<Weight = W>>(
        &mut self,
        domain: &D,
        system: &PushdownSystem,
        onward: Head,
        (read, before, last): (W, Option<TransitionId>, TransitionId),
    ) -> Result<usize, D::Error> {
        let to = self.found.head_and_target(last).1;
        let ending = system.ending(onward);
        for &place in ending {
            let rule = &system.rules[place as usize];
            let weight = if system.merges(rule.last) {
                read.clone()
            } else {
                domain.extend(&self.weights[place as usize], &read)?
            };
            let reason = Reason::Wrote { rule: place, before, last };
            self.found.add(domain, (rule.source, to), weight, reason)?;
        }
        if let Some(below) = system.below(onward) {
            let head = system.between(below);
            self.found.add(domain, (head, to), read, Reason::Read { before, last })?;
        }
        Ok(1 + ending.len())
    }

    /// Remember that a transition leaves a head, and return the lists of the head.
    fn list(&mut self, number: TransitionId, head: Head) -> (TransitionId, u32) {
        self.lists_of(head);
        self.found.list(number, &mut self.lists[head.index()].0);
        self.lists[head.index()]
    }

    fn lists_of(&mut self, head: Head) -> (TransitionId, u32) {
        if self.lists.len() <= head.index() {
            self.lists.resize(self.found.heads().max(head.index() + 1), (TransitionId::NONE, NONE));
        }
        self.lists[head.index()]
    }

    fn starts_waiting(&mut self, reading: TransitionId) -> bool {
        if self.waits.len() <= reading.index() {
            self.waits.resize(self.found.len(), false);
        }
        !std::mem::replace(&mut self.waits[reading.index()], true)
    }

    fn wait(&mut self, reading: TransitionId, onward: Head, head: Head) {
        let (_, next) = self.lists_of(head);
        self.lists[head.index()].1 = self.waiting.len() as u32;
        self.waiting.push(Waiting { reading, onward, next });
    }
}
