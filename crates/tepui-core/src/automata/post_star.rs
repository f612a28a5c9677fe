//! Post*: all configurations that one thread reaches from a regular set of them (CUBA, section
//! 2.2.1; QR, Theorem 1; the saturation is Schwoon's).
//!
//! A rule that writes γ₁ … γₙ leads through nodes that stand for «below γ₁ … γᵢ, written on
//! reaching q'», shared by all rules that write the same symbols there. So words of any length are
//! one step, and no symbol is invented.
//!
//! A pop that leads to q' when all above a node m is gone is an ε-transition from q' to m. Whatever
//! leaves m, now or later, is copied to q', so that reading a stack never needs ε-transitions.
//!
//! Each transition is looked at once, in the order in which they are found, and so is each pair of
//! an ε-transition and what leaves its node: with nodes N and rules Δ, that is within
//! O(|Q| · |Δ| · |N| + |Q| · |start|) steps, and memory for the transitions found.

use rustc_hash::FxHashMap;

use crate::automata::p_automaton::{Node, PAutomaton, Transition};
use crate::automata::transitions::{Progress, TransitionId, Transitions};
use crate::limits::{Limit, Limits, Meter, Outcome};
use crate::sets::table::Table;
use crate::system::{EPSILON, Rule, Shared, Symbol, System};

/// What a template reaches from a starting set, or a part of that while it is not complete.
#[derive(Debug)]
pub struct PostStar {
    template: usize,
    pub(super) found: Transitions<Reason>,
    /// The number of the first transition whose consequences are still to be drawn.
    next: usize,
    /// By inner node: the transitions that leave it and were looked at.
    leaving: Vec<Vec<TransitionId>>,
    /// By inner node: the pops that lead to it and were looked at.
    popped_to: Vec<Vec<u32>>,
    /// The pops as (shared state, node): the ε-transitions, numbered.
    pops: Table,
    pub(super) pop_reasons: Vec<(u32, TransitionId)>,
    next_pop: u32,
    /// The node below a symbol that was written on reaching a shared state, or that was written
    /// below such a node: a trie of the words written.
    below: FxHashMap<(Node, Symbol), Node>,
}

/// Why a transition was added.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reason {
    /// It is one of the starting set.
    Start,
    /// It reads a symbol that a rule has written above others; the reason of the transition that
    /// reads the last of them names the rule.
    Written,
    /// It reads the last, or the only, symbol that a rule has written in place of what another
    /// transition reads.
    Rule { rule: u32, of: TransitionId },
    /// It does from a shared state what another does from the node to which a pop leads.
    Copied { pop: u32, of: TransitionId },
}

/// What a template reaches from a set of configurations, or the limit that stopped it.
pub fn post_star(
    system: &mut System,
    template: usize,
    start: &PAutomaton,
    meter: &mut Meter,
) -> Result<PAutomaton, Limit> {
    let mut saturation = PostStar::new(template, start);
    let limits = Limits { pause: usize::MAX, ..meter.limits() };
    match saturation.advance(system, &mut meter.with(limits)) {
        Outcome::Stopped(limit) => Err(limit),
        Outcome::Done | Outcome::Paused => Ok(saturation.automaton()),
    }
}

impl PostStar {
    /// The saturation that begins with a set of configurations.
    pub fn new(template: usize, start: &PAutomaton) -> Self {
        let start = start.isolated();
        let mut found = Transitions::new();
        for &edge in start.transitions() {
            found.add(edge, Reason::Start);
        }
        let inner = start.inner_nodes() as usize;
        Self {
            template,
            found,
            next: 0,
            leaving: vec![Vec::new(); inner],
            popped_to: vec![Vec::new(); inner],
            pops: Table::new(1),
            pop_reasons: Vec::new(),
            next_pop: 0,
            below: FxHashMap::default(),
        }
    }

    /// Draw consequences until there are no more. The rules of a program's system are computed as
    /// they are met.
    pub fn advance(&mut self, system: &mut System, meter: &mut Meter) -> Outcome {
        let mut progress = Progress::new(meter, self.found.len());
        let mut work = 0;
        while !self.is_complete() {
            if let Some(outcome) = progress.ended(work, self.found.len(), || self.bytes()) {
                return outcome;
            }
            work = if (self.next_pop as usize) < self.pops.len() {
                self.next_pop += 1;
                self.follow_pop(self.next_pop - 1)
            } else {
                self.next += 1;
                self.follow(TransitionId::from_index(self.next - 1), system)
            };
        }
        Outcome::Done
    }

    /// Whether all consequences are drawn.
    pub fn is_complete(&self) -> bool {
        self.next == self.found.len() && self.next_pop as usize == self.pops.len()
    }

    /// How many transitions were found.
    pub fn transitions(&self) -> usize {
        self.found.len()
    }

    /// How much memory it holds.
    pub fn bytes(&self) -> usize {
        let per_node = 2 * size_of::<Vec<u32>>();
        let in_lists = (self.next + self.next_pop as usize) * 2 * size_of::<u32>();
        self.found.bytes()
            + self.pops.bytes()
            + self.pop_reasons.capacity() * size_of::<(u32, TransitionId)>()
            + self.leaving.capacity() * per_node
            + in_lists
            + self.below.capacity() * 13
    }

    /// The configurations that are reachable; a part of them while it is not complete.
    pub fn automaton(&self) -> PAutomaton {
        self.found.automaton()
    }

    /// Draw the consequences of a transition, and say how much work that was.
    fn follow(&mut self, number: TransitionId, system: &mut System) -> usize {
        let edge = self.found.get(number);
        if let Some(shared) = edge.from.as_shared() {
            system.meet(self.template, shared, edge.symbol);
            let template = &system.templates[self.template];
            let enabled = template.enabled(shared, edge.symbol);
            for &rule in enabled {
                self.apply(rule, &template.rules[rule as usize], number, edge.to);
            }
            return 1 + enabled.len();
        }
        let node = inner(edge.from);
        self.leaving[node].push(number);
        let work = 1 + self.popped_to[node].len();
        for index in 0..self.popped_to[node].len() {
            self.copy(self.popped_to[node][index], number);
        }
        work
    }

    /// Copy what leaves the node that a pop leads to.
    fn follow_pop(&mut self, pop: u32) -> usize {
        let (_, to) = self.pop(pop);
        let node = inner(to);
        self.popped_to[node].push(pop);
        let work = 1 + self.leaving[node].len();
        for index in 0..self.leaving[node].len() {
            self.copy(pop, self.leaving[node][index]);
        }
        work
    }

    fn apply(&mut self, number: u32, rule: &Rule, of: TransitionId, to: Node) {
        let mark = (rule.top == EPSILON).then_some(EPSILON);
        let mut from = Node::shared(rule.target);
        let mut word = rule.word.iter().copied().chain(mark).peekable();
        while let Some(symbol) = word.next() {
            if word.peek().is_none() {
                let reason = Reason::Rule { rule: number, of };
                self.found.add(Transition { from, symbol, to }, reason);
                return;
            }
            let below = self.node_below(from, symbol);
            self.found.add(Transition { from, symbol, to: below }, Reason::Written);
            from = below;
        }
        let key = u64::from(rule.target.number()) << 32 | u64::from(to.bits());
        if self.pops.insert(&[key]).1 {
            self.pop_reasons.push((number, of));
        }
    }

    fn copy(&mut self, pop: u32, of: TransitionId) {
        let from = Node::shared(self.pop(pop).0);
        let edge = Transition { from, ..self.found.get(of) };
        self.found.add(edge, Reason::Copied { pop, of });
    }

    fn pop(&self, pop: u32) -> (Shared, Node) {
        let key = self.pops.key(pop)[0];
        (Shared::new((key >> 32) as u32), Node::from_bits(key as u32))
    }

    fn node_below(&mut self, above: Node, symbol: Symbol) -> Node {
        *self.below.entry((above, symbol)).or_insert_with(|| {
            self.leaving.push(Vec::new());
            self.popped_to.push(Vec::new());
            Node::inner(self.leaving.len() as u32 - 1)
        })
    }
}

/// The number of a node that is known to be an inner one: nothing leads to a shared state here.
fn inner(node: Node) -> usize {
    node.as_inner().expect("an inner node") as usize
}
