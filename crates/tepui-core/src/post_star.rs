//! The stacks that one thread can reach by itself, as a P-automaton (CUBA, sections 2.2.1 and 6;
//! the saturation is Schwoon's post*).
//!
//! States 0 … |Q|-1 of the automaton are the shared states. It accepts ⟨q|w⟩ if it reads w and then
//! a mark for the bottom of the stack on the way from q to the one final state. The mark is symbol
//! [`EPSILON`]; with it, a rule on the empty stack is a rule on the mark, and needs no special case:
//! ⟨q|ε⟩ → ⟨q'|w⟩ rewrites the mark into w and the mark.
//!
//! A rule that writes γ₁ … γₙ leads through states that stand for «below γ₁ … γᵢ, written on
//! reaching q'», shared by all rules that write the same symbols there. So words of any length are
//! one step, and no symbol is invented.
//!
//! An ε-transition from p to m says that p is reached when all above m is popped. Whatever leaves m
//! is then copied to p, so reading a stack never needs ε-transitions.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::limits::{Limit, Limits, Watch};
use crate::system::{EPSILON, Shared, Symbol, Template};

/// A state of the automaton.
pub type Node = u32;

/// A transition that reads a symbol, or the mark for the bottom.
pub type Transition = (Node, Symbol, Node);

/// The reachable thread states, as an automaton without ε-transitions.
#[derive(Debug)]
pub struct PAutomaton {
    shared: u32,
    nodes: u32,
    last: Node,
    /// In ascending order.
    transitions: Vec<Transition>,
}

/// What one thread reaches from some thread states, or the limit that stopped the saturation.
pub fn post_star<'a>(
    template: &Template,
    shared: u32,
    starts: impl IntoIterator<Item = (Shared, &'a [Symbol])>,
    limits: Limits,
    interrupted: &mut dyn FnMut() -> bool,
) -> Result<PAutomaton, Limit> {
    let mut saturation = Saturation::new(template, shared);
    for (shared, stack) in starts {
        saturation.start_at(shared, stack);
    }
    saturation.run(limits, interrupted)?;
    let mut transitions: Vec<Transition> = saturation.transitions.into_iter().collect();
    transitions.sort_unstable();
    Ok(PAutomaton { shared, nodes: saturation.nodes, last: saturation.last, transitions })
}

/// The thread states with at most one symbol in which a rule is enabled: the set of Theorem 29
/// without those that cannot move, and so make no difference to what is finite.
pub fn short_stacks(template: &Template) -> impl Iterator<Item = (Shared, &[Symbol])> {
    template.rules.iter().map(|rule| {
        let stack = if rule.top == EPSILON { &[][..] } else { std::slice::from_ref(&rule.top) };
        (rule.source, stack)
    })
}

impl PAutomaton {
    /// How many nodes there are; the shared states come first.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// The final node.
    pub fn last(&self) -> Node {
        self.last
    }

    /// All transitions, in ascending order.
    pub fn transitions(&self) -> &[Transition] {
        &self.transitions
    }

    /// Whether ⟨q|w⟩ is reachable.
    pub fn accepts(&self, shared: Shared, stack: &[Symbol]) -> bool {
        let mut here = vec![shared];
        for &symbol in stack.iter().chain([&EPSILON]) {
            let mut next: Vec<Node> =
                here.iter().flat_map(|&node| self.read(node, symbol)).collect();
            next.sort_unstable();
            next.dedup();
            here = next;
        }
        here.contains(&self.last)
    }

    /// Whether only finitely many ⟨q|w⟩ are reachable: no cycle lies on a way to the final node.
    pub fn is_finite(&self) -> bool {
        let edges = self.useful_edges();
        let mut entering = vec![0; self.nodes as usize];
        for &to in edges.iter().flatten() {
            entering[to as usize] += 1;
        }
        // Remove nodes that nothing enters; what can never be removed is on a cycle or behind one.
        let mut free: Vec<Node> =
            (0..self.nodes).filter(|&node| entering[node as usize] == 0).collect();
        let mut removed = 0;
        while let Some(node) = free.pop() {
            removed += 1;
            for &to in &edges[node as usize] {
                entering[to as usize] -= 1;
                if entering[to as usize] == 0 {
                    free.push(to);
                }
            }
        }
        removed == self.nodes
    }

    fn read(&self, node: Node, symbol: Symbol) -> impl Iterator<Item = Node> {
        let start = self.transitions.partition_point(|edge| (edge.0, edge.1) < (node, symbol));
        let edges = self.transitions[start..].iter();
        edges.take_while(move |edge| (edge.0, edge.1) == (node, symbol)).map(|edge| edge.2)
    }

    /// For each node, where its transitions lead that lie on a way from a shared state to the
    /// final node.
    fn useful_edges(&self) -> Vec<Vec<Node>> {
        let mut edges: Vec<Vec<Node>> = vec![Vec::new(); self.nodes as usize];
        let mut back: Vec<Vec<Node>> = vec![Vec::new(); self.nodes as usize];
        for &(from, _, to) in &self.transitions {
            edges[from as usize].push(to);
            back[to as usize].push(from);
        }
        let from_start = reachable(&edges, 0..self.shared);
        let to_last = reachable(&back, [self.last]);
        let useful = |node: Node| from_start[node as usize] && to_last[node as usize];
        for node in 0..self.nodes {
            let keep = useful(node);
            edges[node as usize].retain(|&to| keep && useful(to));
        }
        edges
    }
}

/// The working state of the saturation.
struct Saturation<'a> {
    template: &'a Template,
    shared: u32,
    last: Node,
    nodes: u32,
    /// Transitions that are known.
    transitions: FxHashSet<Transition>,
    /// Transitions from shared states whose consequences are still to be drawn.
    work: Vec<Transition>,
    /// What leaves each node that is not a shared state.
    leaving: Vec<Vec<(Symbol, Node)>>,
    /// From which shared states an ε-transition leads to each node that is not a shared state.
    popped_to: Vec<Vec<Shared>>,
    /// All ε-transitions.
    known_pops: FxHashSet<(Shared, Node)>,
    /// The node below a symbol that was written on reaching a shared state, or below a symbol
    /// that was written below such a node: a trie of the words written.
    below: FxHashMap<(Node, Symbol), Node>,
    /// The node from which a symbol leads to a node, for what lies below the top of a starting
    /// stack: a trie of such rests, from the bottom up.
    rests: FxHashMap<(Symbol, Node), Node>,
}

impl<'a> Saturation<'a> {
    fn new(template: &'a Template, shared: u32) -> Self {
        Self {
            template,
            shared,
            last: shared,
            nodes: shared + 1,
            transitions: FxHashSet::default(),
            work: Vec::new(),
            leaving: vec![Vec::new()],
            popped_to: vec![Vec::new()],
            known_pops: FxHashSet::default(),
            below: FxHashMap::default(),
            rests: FxHashMap::default(),
        }
    }

    fn start_at(&mut self, shared: Shared, stack: &[Symbol]) {
        let (top, to) = match stack {
            [] => (EPSILON, self.last),
            [top, rest @ ..] => (*top, self.node_for_rest(rest)),
        };
        self.add((shared, top, to));
    }

    /// Draw all consequences.
    fn run(&mut self, limits: Limits, interrupted: &mut dyn FnMut() -> bool) -> Result<(), Limit> {
        let mut watch = Watch::new(limits, interrupted);
        let mut steps = 0_u32;
        while let Some(transition) = self.work.pop() {
            if steps.is_multiple_of(1024)
                && let Some(limit) = watch.reached(self.transitions.len(), self.bytes())
            {
                return Err(limit);
            }
            steps = steps.wrapping_add(1);
            self.draw_consequences(transition);
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        let per_transition = 13 + 12; // In the set, and in `leaving` or `work`.
        self.transitions.capacity() * per_transition
            + self.known_pops.capacity() * (9 + 4)
            + (self.below.capacity() + self.rests.capacity()) * 13
            + self.nodes as usize * 2 * size_of::<Vec<u64>>()
    }

    fn draw_consequences(&mut self, (from, top, to): Transition) {
        for &rule in self.template.enabled(from, top) {
            let rule = &self.template.rules[rule as usize];
            let mut word = rule.word.clone();
            if top == EPSILON {
                word.push(EPSILON);
            }
            match &word[..] {
                [] => self.pop_to(rule.target, to),
                [symbol] => self.add((rule.target, *symbol, to)),
                _ => self.write(rule.target, &word, to),
            }
        }
    }

    /// Everything above a node was popped on reaching a shared state.
    fn pop_to(&mut self, shared: Shared, node: Node) {
        let index = (node - self.shared) as usize;
        if !self.known_pops.insert((shared, node)) {
            return;
        }
        self.popped_to[index].push(shared);
        for (symbol, to) in self.leaving[index].clone() {
            self.add((shared, symbol, to));
        }
    }

    /// A word of two or more symbols was written over a node.
    fn write(&mut self, shared: Shared, word: &[Symbol], to: Node) {
        let mut from = shared;
        let (&last, upper) = word.split_last().expect("a word of two or more symbols");
        for &symbol in upper {
            let node = self.node_below(from, symbol);
            self.add((from, symbol, node));
            from = node;
        }
        self.add((from, last, to));
    }

    fn add(&mut self, transition: Transition) {
        if !self.transitions.insert(transition) {
            return;
        }
        let (from, symbol, to) = transition;
        if from < self.shared {
            self.work.push(transition);
            return;
        }
        let index = (from - self.shared) as usize;
        self.leaving[index].push((symbol, to));
        for shared in self.popped_to[index].clone() {
            self.add((shared, symbol, to));
        }
    }

    fn node_below(&mut self, above: Node, symbol: Symbol) -> Node {
        if let Some(&node) = self.below.get(&(above, symbol)) {
            return node;
        }
        let node = self.new_node();
        self.below.insert((above, symbol), node);
        node
    }

    fn node_for_rest(&mut self, rest: &[Symbol]) -> Node {
        let mut to = self.last;
        for &symbol in std::iter::once(&EPSILON).chain(rest.iter().rev()) {
            to = if let Some(&node) = self.rests.get(&(symbol, to)) {
                node
            } else {
                let node = self.new_node();
                self.rests.insert((symbol, to), node);
                self.add((node, symbol, to));
                node
            };
        }
        to
    }

    fn new_node(&mut self) -> Node {
        self.leaving.push(Vec::new());
        self.popped_to.push(Vec::new());
        self.nodes += 1;
        self.nodes - 1
    }
}

fn reachable(edges: &[Vec<Node>], starts: impl IntoIterator<Item = Node>) -> Vec<bool> {
    let mut seen = vec![false; edges.len()];
    let mut work: Vec<Node> = starts.into_iter().collect();
    while let Some(node) = work.pop() {
        if !std::mem::replace(&mut seen[node as usize], true) {
            work.extend(&edges[node as usize]);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::Rule;

    fn rule(source: Shared, top: Symbol, target: Shared, word: &[Symbol]) -> Rule {
        Rule { source, top, target, word: word.to_vec() }
    }

    fn saturated<'a>(
        template: &Template,
        shared: u32,
        starts: impl IntoIterator<Item = (Shared, &'a [Symbol])>,
    ) -> PAutomaton {
        post_star(template, shared, starts, Limits::default(), &mut || false).unwrap()
    }

    #[test]
    fn a_thread_that_only_pushes_reaches_infinitely_many_stacks() {
        let template = Template::new(2, vec![1], vec![rule(0, 1, 0, &[1, 1])]);
        let automaton = saturated(&template, 1, short_stacks(&template));
        assert!(!automaton.is_finite());
        assert!(automaton.accepts(0, &[1, 1, 1]) && !automaton.accepts(0, &[]));
    }

    #[test]
    fn rules_on_the_empty_stack_act_on_the_empty_stack_only() {
        let rules = vec![rule(0, EPSILON, 1, &[1]), rule(1, 1, 0, &[])];
        let template = Template::new(2, vec![], rules);
        let automaton = saturated(&template, 2, short_stacks(&template));
        assert!(automaton.is_finite());
        assert!(automaton.accepts(1, &[1]) && automaton.accepts(0, &[]));
        assert!(!automaton.accepts(1, &[1, 1]));
    }

    #[test]
    fn long_words_are_one_step() {
        let rules = vec![rule(0, 1, 1, &[1, 2, 3]), rule(1, 1, 1, &[]), rule(1, 2, 0, &[])];
        let template = Template::new(4, vec![1], rules);
        let automaton = saturated(&template, 2, [(0, &[1, 3][..])]);
        for (shared, stack, expected) in [
            (1, &[1, 2, 3, 3][..], true),
            (1, &[2, 3, 3], true),
            (0, &[3, 3], true),
            (1, &[3, 3], false),
            (0, &[1], false),
        ] {
            assert_eq!(automaton.accepts(shared, stack), expected, "{shared} {stack:?}");
        }
        assert!(automaton.is_finite());
    }
}
