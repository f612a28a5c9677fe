//! P-automata made deterministic: states are sets of nodes, found as they are needed.
//!
//! The number of sets can be exponential in the number of nodes. Whoever goes through them all
//! looks at limits, with a state for each set.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::automata::p_automaton::{Node, PAutomaton};
use crate::limits::{Limit, Meter};
use crate::system::{EPSILON, Symbol};

/// A deterministic automaton that need be neither minimal nor complete.
#[derive(Clone, Debug, Default)]
pub struct Partial {
    /// For each state, whether it accepts the empty word.
    pub accepting: Vec<bool>,
    /// From where, with which symbol, to where; at most one for each state and symbol.
    pub edges: Vec<(u32, Symbol, u32)>,
}

/// How many nodes and edges are added between two looks at the limits.
const NODES_BETWEEN_LOOKS: usize = 64;

/// The deterministic automaton for the stacks at several nodes, and the state of each of them.
pub fn determinize(
    automaton: &PAutomaton,
    nodes: impl IntoIterator<Item = Node>,
    meter: &mut Meter<'_>,
) -> Result<(Partial, Vec<u32>), Limit> {
    let mut sets = Sets::new(automaton);
    let starts = nodes.into_iter().map(|node| sets.number(vec![node])).collect();
    let mut partial = Partial::default();
    let (mut state, mut next_look) = (0_u32, 0);
    while (state as usize) < sets.len() {
        if sets.size >= next_look {
            next_look = sets.size + NODES_BETWEEN_LOOKS;
            if let Some(limit) = meter.reached(sets.len(), sets.bytes()) {
                return Err(limit);
            }
        }
        meter.spend(1 + sets.nodes(state).len())?;
        let steps = sets.steps(state);
        partial.accepting.push(steps.accepting);
        partial.edges.extend(steps.edges.iter().map(|&(symbol, to)| (state, symbol, to)));
        state += 1;
    }
    Ok((partial, starts))
}

/// Sets of nodes of one automaton, by number, and the steps between those that were asked for.
pub(super) struct Sets<'a> {
    automaton: &'a PAutomaton,
    numbers: FxHashMap<Rc<[Node]>, u32>,
    by_number: Vec<Rc<[Node]>>,
    steps: FxHashMap<u32, Rc<Steps>>,
    /// How many nodes there are in all sets, and how many edges between them.
    size: usize,
}

/// What a set of nodes can read.
pub(super) struct Steps {
    /// Whether it can read the mark.
    pub(super) accepting: bool,
    /// In ascending order of the symbols.
    pub(super) edges: Vec<(Symbol, u32)>,
}

impl<'a> Sets<'a> {
    pub(super) fn new(automaton: &'a PAutomaton) -> Self {
        Self {
            automaton,
            numbers: FxHashMap::default(),
            by_number: Vec::new(),
            steps: FxHashMap::default(),
            size: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.by_number.len()
    }

    /// How much memory the sets take.
    pub(super) fn bytes(&self) -> usize {
        self.size * 8 + self.by_number.len() * 96
    }

    /// The nodes of a set, in ascending order.
    pub(super) fn nodes(&self, set: u32) -> &[Node] {
        &self.by_number[set as usize]
    }

    /// The number of a set, given in ascending order.
    pub(super) fn number(&mut self, nodes: Vec<Node>) -> u32 {
        let nodes: Rc<[Node]> = nodes.into();
        if let Some(&number) = self.numbers.get(&nodes) {
            return number;
        }
        let number = self.by_number.len() as u32;
        self.size += nodes.len();
        self.by_number.push(Rc::clone(&nodes));
        self.numbers.insert(nodes, number);
        number
    }

    /// What a set can read, and where that leads.
    pub(super) fn steps(&mut self, set: u32) -> Rc<Steps> {
        if let Some(steps) = self.steps.get(&set) {
            return Rc::clone(steps);
        }
        let leaving = |&node: &Node| self.automaton.leaving(node);
        let mut read: Vec<(Symbol, Node)> = self.by_number[set as usize]
            .iter()
            .flat_map(leaving)
            .map(|edge| (edge.symbol, edge.to))
            .collect();
        read.sort_unstable();
        read.dedup();
        let accepting = read.first().is_some_and(|&(symbol, _)| symbol == EPSILON);
        let edges: Vec<(Symbol, u32)> = read
            .chunk_by(|left, right| left.0 == right.0)
            .filter(|same| same[0].0 != EPSILON)
            .map(|same| (same[0].0, self.number(same.iter().map(|&(_, to)| to).collect())))
            .collect();
        self.size += edges.len();
        let steps = Rc::new(Steps { accepting, edges });
        self.steps.insert(set, Rc::clone(&steps));
        steps
    }
}
