//! P-automata: regular sets of configurations ⟨q|w⟩ of one thread (CUBA, section 2.2.1, where
//! they are called pushdown store automata; QR, section 2).
//!
//! The shared states are nodes of the automaton. It accepts ⟨q|w⟩ if it reads w, and then a mark
//! for the bottom of the stack, on the way from q to the one final node [`Node::LAST`]. The mark is
//! symbol [`EPSILON`]; with it, a rule on the empty stack is a rule on the mark, the empty stack is
//! a word like any other, and no algorithm needs a special case for either.
//!
//! There are no ε-transitions: saturation replaces each by what it would allow. The papers let no
//! transition lead to a shared state; here that is so only where it is asked for
//! ([`PAutomaton::isolated`]), because what pre* finds has such transitions.

use crate::automata::dfa::Dfa;
use crate::automata::graph::Graph;
use crate::system::{EPSILON, Shared, Symbol, Template};

/// A node of a P-automaton: a shared state, or one of the others, which are called inner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(u32);

impl Node {
    /// The final node. It is inner node 0, and no transition leaves it.
    pub const LAST: Self = Self(Self::INNER);

    const INNER: u32 = 1 << 31;

    /// The node of a shared state.
    pub fn shared(shared: Shared) -> Self {
        debug_assert!(shared.number() < Self::INNER);
        Self(shared.number())
    }

    /// An inner node by its number.
    pub fn inner(number: u32) -> Self {
        debug_assert!(number < Self::INNER);
        Self(Self::INNER | number)
    }

    /// Its shared state, if it is the node of one.
    pub fn as_shared(self) -> Option<Shared> {
        (self.0 < Self::INNER).then(|| Shared::new(self.0))
    }

    /// Its number, if it is an inner node.
    pub fn as_inner(self) -> Option<u32> {
        (self.0 >= Self::INNER).then_some(self.0 & !Self::INNER)
    }

    pub(super) fn bits(self) -> u32 {
        self.0
    }

    pub(super) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }
}

/// A transition that reads a symbol, or the mark for the bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transition {
    /// Where it starts; never [`Node::LAST`].
    pub from: Node,
    /// What it reads; [`EPSILON`] is the mark.
    pub symbol: Symbol,
    /// Where it leads: to [`Node::LAST`] exactly if it reads the mark.
    pub to: Node,
}

/// A regular set of configurations of one thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PAutomaton {
    /// In ascending order. Each lies on a way from some shared state to [`Node::LAST`].
    transitions: Vec<Transition>,
    /// How many inner nodes there are; their numbers have no gaps.
    inner: u32,
}

impl PAutomaton {
    /// The automaton with these transitions. Those that no accepted configuration needs are left
    /// out, and the inner nodes that remain are numbered anew.
    pub fn new(mut transitions: Vec<Transition>) -> Self {
        debug_assert!(transitions.iter().all(|edge| {
            edge.from != Node::LAST && (edge.symbol == EPSILON) == (edge.to == Node::LAST)
        }));
        transitions.sort_unstable();
        transitions.dedup();
        let graph = Graph::new(&transitions);
        let useful = graph.useful();
        // Numbers are given in ascending order, so that the transitions stay sorted.
        let mut inner = 0;
        let renamed: Vec<Option<Node>> = useful
            .iter()
            .zip(graph.nodes())
            .map(|(&useful, &node)| {
                let node = match node.as_inner() {
                    Some(_) if useful => {
                        inner += 1;
                        Node::inner(inner - 1)
                    }
                    _ => node,
                };
                useful.then_some(node)
            })
            .collect();
        let kept = |edge: &Transition| {
            let from = renamed[graph.index(edge.from)]?;
            let to = renamed[graph.index(edge.to)]?;
            Some(Transition { from, to, ..*edge })
        };
        transitions = transitions.iter().filter_map(kept).collect();
        Self { transitions, inner }
    }

    /// The automaton that accepts just these configurations.
    pub fn of_configurations<'a>(
        configurations: impl IntoIterator<Item = (Shared, &'a [Symbol])>,
    ) -> Self {
        let mut transitions = Vec::new();
        let mut inner = 1;
        for (shared, stack) in configurations {
            let mut from = Node::shared(shared);
            for &symbol in stack {
                let to = Node::inner(inner);
                inner += 1;
                transitions.push(Transition { from, symbol, to });
                from = to;
            }
            transitions.push(Transition { from, symbol: EPSILON, to: Node::LAST });
        }
        Self::new(transitions)
    }

    /// The configurations with one shared state and a stack in some language.
    pub fn of_language(shared: Shared, language: &Dfa) -> Self {
        let mut transitions = Vec::new();
        let node = |state: u32| Node::inner(state + 1);
        for state in 0..language.states() {
            for &(symbol, to) in language.edges(state) {
                transitions.push(Transition { from: node(state), symbol, to: node(to) });
            }
            if language.is_accepting(state) {
                let to = Node::LAST;
                transitions.push(Transition { from: node(state), symbol: EPSILON, to });
            }
        }
        let from = Node::shared(shared);
        let first: Vec<Transition> = transitions
            .iter()
            .take_while(|edge| edge.from == node(0))
            .map(|edge| Transition { from, ..*edge })
            .collect();
        transitions.extend(first);
        Self::new(transitions)
    }

    /// All configurations with at most one symbol on the stack: Q × Σ^{≤1} of CUBA, Lemma 28.
    pub fn short_stacks(template: &Template, shared: u32) -> Self {
        let below = Node::inner(1);
        let mut transitions = vec![Transition { from: below, symbol: EPSILON, to: Node::LAST }];
        for from in Shared::range(0, shared as usize).map(Node::shared) {
            transitions.push(Transition { from, symbol: EPSILON, to: Node::LAST });
            let symbols = Symbol::range(1, template.symbols as usize);
            transitions.extend(symbols.map(|symbol| Transition { from, symbol, to: below }));
        }
        Self::new(transitions)
    }

    /// Those of Q × Σ^{≤1} in which a rule is enabled. The others cannot move, and so make no
    /// difference to whether finitely many configurations are reachable (Theorem 29).
    pub fn short_stacks_that_move(template: &Template) -> Self {
        let below = Node::inner(1);
        let mut transitions = vec![Transition { from: below, symbol: EPSILON, to: Node::LAST }];
        transitions.extend(template.rules.iter().map(|rule| Transition {
            from: Node::shared(rule.source),
            symbol: rule.top,
            to: if rule.top == EPSILON { Node::LAST } else { below },
        }));
        Self::new(transitions)
    }

    /// All transitions, in ascending order.
    pub fn transitions(&self) -> &[Transition] {
        &self.transitions
    }

    /// How many inner nodes there are, [`Node::LAST`] among them.
    pub fn inner_nodes(&self) -> u32 {
        self.inner
    }

    /// The shared states with an accepted configuration, in ascending order.
    pub fn shared_states(&self) -> Vec<Shared> {
        let mut found: Vec<Shared> =
            self.transitions.iter().map_while(|edge| edge.from.as_shared()).collect();
        found.dedup();
        found
    }

    /// Whether ⟨q|w⟩ is accepted.
    pub fn accepts(&self, shared: Shared, stack: &[Symbol]) -> bool {
        let mut here = vec![Node::shared(shared)];
        for &symbol in stack.iter().chain([&EPSILON]) {
            let mut next: Vec<Node> =
                here.iter().flat_map(|&node| self.read(node, symbol)).collect();
            next.sort_unstable();
            next.dedup();
            here = next;
        }
        here == [Node::LAST]
    }

    /// Whether nothing is accepted.
    pub fn is_empty(&self) -> bool {
        self.transitions.is_empty()
    }

    /// Whether only finitely many configurations are accepted: there is no cycle.
    pub fn is_finite(&self) -> bool {
        Graph::new(&self.transitions).is_acyclic()
    }

    /// The symbols that are on top of an accepted stack with this shared state, in ascending
    /// order; [`EPSILON`] for the empty stack (CUBA, Algorithm 5).
    pub fn tops(&self, shared: Shared) -> Vec<Symbol> {
        let mut tops: Vec<Symbol> =
            self.leaving(Node::shared(shared)).iter().map(|edge| edge.symbol).collect();
        tops.dedup();
        tops
    }

    /// The transitions that leave a node, in ascending order.
    pub fn leaving(&self, node: Node) -> &[Transition] {
        let start = self.transitions.partition_point(|edge| edge.from < node);
        let end = start + self.transitions[start..].partition_point(|edge| edge.from == node);
        &self.transitions[start..end]
    }

    /// Where a symbol leads from a node.
    pub(super) fn read(&self, node: Node, symbol: Symbol) -> impl Iterator<Item = Node> {
        let key = (node, symbol);
        let start = self.transitions.partition_point(|edge| (edge.from, edge.symbol) < key);
        let edges = self.transitions[start..].iter();
        edges.take_while(move |edge| (edge.from, edge.symbol) == key).map(|edge| edge.to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::short::{q, rule, s, word};

    #[test]
    fn what_no_configuration_needs_is_left_out() {
        let edge = |from, symbol, to| Transition { from, symbol, to };
        let automaton = PAutomaton::new(vec![
            edge(Node::shared(q(3)), s(1), Node::inner(7)),
            edge(Node::inner(7), EPSILON, Node::LAST),
            edge(Node::shared(q(3)), s(2), Node::inner(5)),
            edge(Node::inner(6), s(1), Node::inner(7)),
        ]);
        assert_eq!(automaton, PAutomaton::of_configurations([(q(3), &[s(1)][..])]));
        assert_eq!((automaton.inner_nodes(), automaton.shared_states()), (2, vec![q(3)]));
        assert!(PAutomaton::new(vec![edge(Node::shared(q(0)), s(1), Node::inner(1))]).is_empty());
    }

    #[test]
    fn the_empty_stack_is_a_stack() {
        let automaton = PAutomaton::of_configurations([
            (q(0), &[][..]),
            (q(0), &word(&[1, 2])),
            (q(1), &[s(2)]),
        ]);
        assert!(automaton.accepts(q(0), &word(&[])) && automaton.accepts(q(0), &word(&[1, 2])));
        assert!(!automaton.accepts(q(1), &word(&[])) && !automaton.accepts(q(0), &word(&[1])));
        assert_eq!(automaton.tops(q(0)), [EPSILON, s(1)]);
        assert!(automaton.is_finite() && !automaton.is_empty());
    }

    #[test]
    fn short_stacks_that_move_are_short_stacks() {
        let rules = vec![rule(1, 2, 0, &[]), rule(0, 0, 0, &[])];
        let template = Template::new(3, vec![], rules);
        let moving = PAutomaton::short_stacks_that_move(&template);
        let all = PAutomaton::short_stacks(&template, 2);
        for shared in Shared::range(0, 2) {
            for stack in [&[][..], &[1], &[2], &[2, 2]] {
                let stack = &word(stack)[..];
                let moves =
                    !template.enabled(shared, *stack.first().unwrap_or(&EPSILON)).is_empty();
                assert_eq!(moving.accepts(shared, stack), moves && stack.len() < 2);
                assert_eq!(all.accepts(shared, stack), stack.len() < 2);
            }
        }
    }

    #[test]
    fn a_language_at_a_shared_state_keeps_its_cycles() {
        let stack = Dfa::singleton(&word(&[1, 2]));
        let automaton = PAutomaton::of_language(q(4), &stack);
        assert!(automaton.accepts(q(4), &word(&[1, 2])) && !automaton.accepts(q(4), &word(&[1])));
        assert_eq!(automaton.shared_states(), [q(4)]);
        assert!(PAutomaton::of_language(q(0), &Dfa::default()).is_empty());
    }
}
