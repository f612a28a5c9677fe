//! Weighted post*: for each configuration, the weight of all runs from a regular set to it (WPDS,
//! section 4.3; the saturation is that of Reps, Schwoon, Jha and Melski).
//!
//! The weights of a path are extended against it: what is deeper in the stack happened earlier.
//!
//! A pop that leads to p' when all above a node m is gone is an ε-transition from p' to m. Whatever
//! leaves m, now or later, is copied to p', extended by the weight of the pop. The ε-transitions
//! that the result keeps are those to accepting nodes, for the empty stack.
//!
//! A call that merges leads from the node below the callee, by an ε-transition with the weight of
//! the rule, to its call node, and on from there with what came before the call. So a call that has
//! not returned is extended like any other. Where a pop meets such an ε-transition, the call has
//! returned: what the rule and the callee did, extended, is merged, and it leads to the call node
//! as a pop of its own.

use crate::limits::{Meter, Outcome};
use crate::weighted::domain::Domain;
use crate::weighted::pushdown::{EPSILON, Head, IndexedRule, NONE, Node, PushdownSystem};
use crate::weighted::summary::{Direction, Transition, TransitionId, WeightedAutomaton};
use crate::weighted::transitions::{Progress, Reason, Transitions, some};

/// The weights of what a system reaches from a set, or a part of that while it is not complete.
#[derive(Debug)]
pub struct PostStar<W> {
    pub(super) found: Transitions<W>,
    /// The nodes that are no states.
    inner: Vec<Inner>,
    /// What the rules do, in their order.
    effects: Vec<Effect<W>>,
    states: u32,
}

/// What belongs to a node that is no state.
#[derive(Clone, Copy, Debug)]
struct Inner {
    /// The first of the transitions that leave it and were looked at.
    leaving: TransitionId,
    /// The first of the pops that lead to it and were looked at.
    pops: TransitionId,
    /// Whether what is above it is written.
    is_written: bool,
    is_call: bool,
}

/// What a rule does: its weight, and where it writes its last symbol.
#[derive(Debug)]
struct Effect<W> {
    weight: W,
    last: Head,
}

impl<W: Clone> PostStar<W> {
    /// The saturation that begins with a set of configurations, whose transitions lead to nodes
    /// from [`PushdownSystem::nodes`] on, and read no ε. The reasons for weights are kept if it is traced.
    pub fn new<D: Domain<Weight = W>>(
        domain: &D,
        (system, weights): (&PushdownSystem, &[W]),
        start: &[Transition],
        traced: bool,
    ) -> Result<Self, D::Error> {
        let mut found = Transitions::new(domain, system, true, traced);
        let nodes = start.iter().map(|edge| edge.from.max(edge.to).number() + 1).max().unwrap_or(0);
        for edge in start {
            let head = found.head(edge.from, edge.symbol);
            found.add(domain, (head, edge.to), domain.one(), Reason::Start)?;
        }
        let is_call = |node| node < system.nodes() && system.place(Node::new(node)).caller != NONE;
        let inner = (system.states..nodes.max(system.nodes())).map(|node| Inner {
            leaving: TransitionId::NONE,
            pops: TransitionId::NONE,
            is_written: false,
            is_call: is_call(node),
        });
        Ok(Self {
            found,
            inner: inner.collect(),
            effects: effects(system, weights),
            states: system.states,
        })
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

    /// How many transitions were found.
    pub fn transitions(&self) -> usize {
        self.found.len()
    }

    /// How much memory it holds.
    pub fn bytes(&self) -> usize {
        self.found.bytes()
            + self.inner.capacity() * size_of::<Inner>()
            + self.effects.capacity() * size_of::<Effect<W>>()
    }

    /// The weighted automaton of what was found, which begins with a set that accepts at some
    /// nodes, and the numbers of its transitions here.
    pub fn automaton(
        &self,
        system: &PushdownSystem,
        accepting: &[Node],
    ) -> (WeightedAutomaton<W>, Vec<TransitionId>) {
        let mut nodes = accepting.to_vec();
        nodes.sort_unstable();
        let is_kept = |edge: Transition| {
            edge.symbol != EPSILON
                || edge.from.number() >= self.states
                || nodes.binary_search(&edge.to).is_ok()
        };
        self.found.automaton(system, is_kept, accepting, Direction::Backward)
    }

    /// Draw the consequences of a transition, and say how much work that was.
    fn follow<D: Domain<Weight = W>>(
        &mut self,
        domain: &D,
        system: &PushdownSystem,
        number: TransitionId,
    ) -> Result<usize, D::Error> {
        let (head, to) = self.found.head_and_target(number);
        let enabled = self.found.enabled(head);
        if !enabled.is_empty() {
            let weight = self.found.weight(number).clone();
            let work = 1 + enabled.len();
            for place in enabled {
                self.apply(domain, system, place, (number, &weight, to))?;
            }
            return Ok(work);
        }
        match self.found.read_head(system, head) {
            (from, _) if !system.is_state(from) => self.follow_inner(domain, system, number, from),
            (from, EPSILON) => self.follow_pop(domain, system, number, (from, to)),
            _ => Ok(1),
        }
    }

    /// Replace what a transition reads by what a rule writes.
    #[inline]
    fn apply<D: Domain<Weight = W>>(
        &mut self,
        domain: &D,
        system: &PushdownSystem,
        place: usize,
        (of, weight, to): (TransitionId, &W, Node),
    ) -> Result<(), D::Error> {
        let Effect { weight: effect, last } = &self.effects[place];
        let last = *last;
        if domain.is_zero(effect)? {
            return Ok(());
        }
        let replaced = Reason::Replaced { rule: place as u32, of };
        let Some(below) = system.node_between(last) else {
            let after = domain.extend(weight, effect)?;
            return self.found.add(domain, (last, to), after, replaced);
        };
        let inner = self.inner[(below.number() - self.states) as usize];
        let after = if inner.is_call { weight.clone() } else { domain.extend(weight, effect)? };
        if !inner.is_written {
            self.write_above(domain, system, below)?;
        }
        self.found.add(domain, (last, to), after, replaced)
    }

    /// Write what is above a node, unless it is written already.
    fn write_above<D: Domain<Weight = W>>(
        &mut self,
        domain: &D,
        system: &PushdownSystem,
        mut node: Node,
    ) -> Result<(), D::Error> {
        while !system.is_state(node) {
            let is_written = &mut self.inner[(node.number() - system.states) as usize].is_written;
            if std::mem::replace(is_written, true) {
                return Ok(());
            }
            let place = system.place(node);
            let weight = match place.caller {
                NONE => domain.one(),
                rule => self.effects[rule as usize].weight.clone(),
            };
            self.found.add(domain, (place.above, node), weight, Reason::Written)?;
            node = self.found.read_head(system, place.above).0;
        }
        Ok(())
    }

    /// Copy a transition that leaves a node to where pops lead to that node.
    fn follow_inner<D: Domain<Weight = W>>(
        &mut self,
        domain: &D,
        system: &PushdownSystem,
        number: TransitionId,
        from: Node,
    ) -> Result<usize, D::Error> {
        let Inner { leaving, pops, .. } = &mut self.inner[(from.number() - self.states) as usize];
        self.found.list(number, leaving);
        let mut work = 1;
        let mut next = some(*pops);
        while let Some(pop) = next {
            let (head, _) = self.found.head_and_target(pop);
            let state = self.found.read_head(system, head).0;
            self.copy(domain, system, (pop, state), number)?;
            next = self.found.after(pop);
            work += 1;
        }
        Ok(work)
    }

    /// Copy what leaves the node that a pop leads to.
    fn follow_pop<D: Domain<Weight = W>>(
        &mut self,
        domain: &D,
        system: &PushdownSystem,
        pop: TransitionId,
        (state, node): (Node, Node),
    ) -> Result<usize, D::Error> {
        let Inner { leaving, pops, .. } = &mut self.inner[(node.number() - self.states) as usize];
        self.found.list(pop, pops);
        let mut work = 1;
        let mut next = some(*leaving);
        while let Some(number) = next {
            self.copy(domain, system, (pop, state), number)?;
            next = self.found.after(number);
            work += 1;
        }
        Ok(work)
    }

    fn copy<D: Domain<Weight = W>>(
        &mut self,
        domain: &D,
        system: &PushdownSystem,
        (pop, state): (TransitionId, Node),
        of: TransitionId,
    ) -> Result<(), D::Error> {
        let (head, to) = self.found.head_and_target(of);
        let symbol = self.found.read_head(system, head).1;
        let weight = domain.extend(self.found.weight(of), self.found.weight(pop))?;
        let weight = if symbol == EPSILON { domain.merge(&weight)? } else { weight };
        let head = self.found.head(state, symbol);
        self.found.add(domain, (head, to), weight, Reason::Copied { pop, of })
    }
}

fn effects<W: Clone>(system: &PushdownSystem, weights: &[W]) -> Vec<Effect<W>> {
    let effect = |rule: &IndexedRule| {
        let weight = weights[rule.number as usize].clone();
        Effect { weight, last: rule.last }
    };
    system.rules.iter().map(effect).collect()
}
