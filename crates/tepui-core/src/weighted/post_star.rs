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

use crate::limits::{Limits, Outcome};
use crate::weighted::domain::Domain;
use crate::weighted::found::{Found, Number, Progress, Reason, some};
use crate::weighted::summary::{Direction, Transition, WeightedAutomaton};
use crate::weighted::system::{EPSILON, Head, NONE, Node, System};

/// The weights of what a system reaches from a set, or a part of that while it is not complete.
#[derive(Debug)]
pub struct PostStar<W> {
    pub(super) found: Found<W>,
    /// By node that is no state: the first of what leaves it, and the first of the pops to it.
    lists: Vec<(Number, Number)>,
    /// By node between written symbols: whether what is above it is written.
    is_written: Vec<bool>,
    states: u32,
}

impl<W: Clone> PostStar<W> {
    /// The saturation that begins with a set of configurations, whose transitions lead to nodes
    /// from [`System::nodes`] on, and read no ε. The reasons for weights are kept if it is traced.
    pub fn new<D: Domain<Weight = W>>(
        domain: &D,
        system: &System,
        start: &[Transition],
        traced: bool,
    ) -> Result<Self, D::Error> {
        let mut found = Found::new(domain, system.heads.clone(), traced);
        let nodes = start.iter().map(|edge| edge.from.max(edge.to) + 1).max().unwrap_or(0);
        for edge in start {
            let head = found.head(edge.from, edge.symbol);
            found.add(domain, (head, edge.to), domain.one(), Reason::Start)?;
        }
        let inner = nodes.max(system.nodes()) - system.states;
        Ok(Self {
            found,
            lists: vec![(NONE, NONE); inner as usize],
            is_written: vec![false; (system.nodes() - system.states) as usize],
            states: system.states,
        })
    }

    /// Go on until all weights are final, or a limit is reached. The domain, the system and its
    /// weights are always the same.
    pub fn advance<D: Domain<Weight = W>>(
        &mut self,
        domain: &D,
        (system, weights): (&System, &[W]),
        limits: Limits,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Outcome, D::Error> {
        let mut progress = Progress::new(limits, interrupted);
        let mut work = 0;
        loop {
            if let Some(limit) = progress.reached(work, self.found.len(), || self.bytes()) {
                return Ok(Outcome::Stopped(limit));
            }
            let Some(number) = self.found.next(domain) else { return Ok(Outcome::Done) };
            work = self.follow(domain, (system, weights), number)?;
        }
    }

    /// How many transitions were found.
    pub fn transitions(&self) -> usize {
        self.found.len()
    }

    /// How much memory it holds.
    pub fn bytes(&self) -> usize {
        self.found.bytes()
            + self.lists.capacity() * size_of::<(Number, Number)>()
            + self.is_written.capacity()
    }

    /// The weighted automaton of what was found, which begins with a set that accepts at some
    /// nodes, and the numbers of its transitions here.
    pub fn automaton(&self, accepting: &[Node]) -> (WeightedAutomaton<W>, Vec<u32>) {
        let mut nodes = accepting.to_vec();
        nodes.sort_unstable();
        let is_kept = |edge: Transition| {
            edge.symbol != EPSILON
                || edge.from >= self.states
                || nodes.binary_search(&edge.to).is_ok()
        };
        self.found.automaton(is_kept, accepting, Direction::Backward)
    }

    /// Draw the consequences of a transition, and say how much work that was.
    fn follow<D: Domain<Weight = W>>(
        &mut self,
        domain: &D,
        (system, weights): (&System, &[W]),
        number: Number,
    ) -> Result<usize, D::Error> {
        let (head, to) = self.found.head_and_target(number);
        let (from, symbol) = self.found.read_head(head);
        if from >= system.states {
            return self.follow_inner(domain, number, from);
        }
        if symbol == EPSILON {
            return self.follow_pop(domain, number, (from, to));
        }
        let weight = self.found.weight(number).clone();
        let enabled = system.enabled(head);
        for &rule in enabled {
            let effect = &weights[rule as usize];
            self.apply(domain, (system, rule, effect), number, (&weight, to))?;
        }
        Ok(1 + enabled.len())
    }

    /// Replace what a transition reads by what a rule writes.
    fn apply<D: Domain<Weight = W>>(
        &mut self,
        domain: &D,
        (system, number, effect): (&System, u32, &W),
        of: Number,
        (weight, to): (&W, Node),
    ) -> Result<(), D::Error> {
        if domain.is_zero(effect)? {
            return Ok(());
        }
        let rule = system.rules[number as usize];
        if rule.below != NONE {
            self.write_above(domain, system, (rule.below, effect))?;
        }
        let replaced = Reason::Replaced { rule: number, of };
        let after = if rule.merges { weight.clone() } else { domain.extend(weight, effect)? };
        self.found.add(domain, (rule.last, to), after, replaced)
    }

    /// Write what is above a node, unless it is written already.
    fn write_above<D: Domain<Weight = W>>(
        &mut self,
        domain: &D,
        system: &System,
        (mut node, effect): (Node, &W),
    ) -> Result<(), D::Error> {
        while node >= system.states {
            let is_written = &mut self.is_written[(node - system.states) as usize];
            if std::mem::replace(is_written, true) {
                return Ok(());
            }
            let place = system.place(node);
            let weight = if place.caller == NONE { domain.one() } else { effect.clone() };
            self.found.add(domain, (place.above, node), weight, Reason::Written)?;
            node = self.found.read_head(place.above).0;
        }
        Ok(())
    }

    /// Copy a transition that leaves a node to where pops lead to that node.
    fn follow_inner<D: Domain<Weight = W>>(
        &mut self,
        domain: &D,
        number: Number,
        from: Node,
    ) -> Result<usize, D::Error> {
        let (leaving, pops) = &mut self.lists[(from - self.states) as usize];
        self.found.list(number, leaving);
        let mut work = 1;
        let mut next = some(*pops);
        while let Some(pop) = next {
            let (head, _) = self.found.head_and_target(pop);
            let state = self.found.read_head(head).0;
            self.copy(domain, (pop, state), number)?;
            next = self.found.after(pop);
            work += 1;
        }
        Ok(work)
    }

    /// Copy what leaves the node that a pop leads to.
    fn follow_pop<D: Domain<Weight = W>>(
        &mut self,
        domain: &D,
        pop: Number,
        (state, node): (Node, Node),
    ) -> Result<usize, D::Error> {
        let (leaving, pops) = &mut self.lists[(node - self.states) as usize];
        self.found.list(pop, pops);
        let mut work = 1;
        let mut next = some(*leaving);
        while let Some(number) = next {
            self.copy(domain, (pop, state), number)?;
            next = self.found.after(number);
            work += 1;
        }
        Ok(work)
    }

    fn copy<D: Domain<Weight = W>>(
        &mut self,
        domain: &D,
        (pop, state): (Number, Node),
        of: Number,
    ) -> Result<(), D::Error> {
        let (head, to) = self.found.head_and_target(of);
        let symbol = self.found.read_head(head).1;
        let weight = domain.extend(self.found.weight(of), self.found.weight(pop))?;
        let weight = if symbol == EPSILON { domain.merge(&weight)? } else { weight };
        let head: Head = self.found.head(state, symbol);
        self.found.add(domain, (head, to), weight, Reason::Copied { pop, of })
    }
}
