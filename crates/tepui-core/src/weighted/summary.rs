//! The weight A(C) of a regular set C of configurations in a weighted automaton A: the combine of
//! the weights of all that are in C (WPDS, section 4.3).
//!
//! It is the weight of all accepting paths of the product of both, which may have cycles, so it is
//! a fixed point. The weighted automaton may have ε-transitions, and the set has none.

use crate::ids::id;
use crate::limits::{Limit, Meter};
use crate::sets::table::Table;
use crate::weighted::agenda::Agenda;
use crate::weighted::domain::Domain;
use crate::weighted::pushdown::{EPSILON, Lists, NONE, Node, Symbol, pair as pair_key};
use crate::weighted::transitions::Progress;

/// Which way the weights of a path are extended (WPDS, Definition 11).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Along the path.
    Forward,
    /// Against it.
    Backward,
}

id! {
    /// A transition of one automaton.
    TransitionId
}

impl TransitionId {
    /// In place of a transition where there is none.
    pub(super) const NONE: Self = Self::new(NONE);
}

/// A transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transition {
    /// Where it starts.
    pub from: Node,
    /// What it reads.
    pub symbol: Symbol,
    /// Where it leads.
    pub to: Node,
}

/// A set of configurations: transitions, and the nodes that accept. The states come first.
#[derive(Clone, Debug, Default)]
pub struct Configurations {
    /// The transitions.
    pub transitions: Vec<Transition>,
    /// The accepting nodes.
    pub accepting: Vec<Node>,
}

/// An automaton whose transitions have weights.
#[derive(Clone, Debug)]
pub struct WeightedAutomaton<W> {
    /// The set that it accepts with any weight.
    pub configurations: Configurations,
    /// The weights of the transitions.
    pub weights: Vec<W>,
    /// Which way they are extended.
    pub direction: Direction,
}

/// The weight of a set, and how it came about.
#[derive(Clone, Debug)]
pub struct Summary<W> {
    /// The weight.
    pub weight: W,
    /// For ranked domains: a path that has this weight, if there is one.
    pub path: Option<Path>,
}

/// A path that accepts a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// The state of the configuration.
    pub state: Node,
    /// The transitions by number, from the top of the stack.
    pub transitions: Vec<TransitionId>,
}

/// The weight of a set of configurations, or the limit that was reached.
pub fn summary<D: Domain>(
    domain: &D,
    states: u32,
    automaton: &WeightedAutomaton<D::Weight>,
    asked: &Configurations,
    meter: &mut Meter,
) -> Result<Result<Summary<D::Weight>, Limit>, D::Error> {
    let ours = Index::new(&automaton.configurations.transitions, |edge| edge.symbol);
    let theirs = Index::new(&asked.transitions, |_| EPSILON);
    let mut product = Product::new(domain, (automaton, &ours), (asked, &theirs));
    product.start(states)?;
    let mut progress = Progress::new(domain.is_cheap(), meter);
    let mut work = 0;
    loop {
        if let Some(limit) = progress.reached(work, product.pairs.len(), || product.bytes()) {
            return Ok(Err(limit));
        }
        let Some(pair) = product.next() else { break };
        work = product.follow(pair)?;
    }
    product.accepted().map(Ok)
}

/// How a pair got its weight: from which pair, and by which transition of the weighted automaton.
type Step = (u32, TransitionId);

struct Product<'a, D: Domain> {
    domain: &'a D,
    automaton: &'a WeightedAutomaton<D::Weight>,
    /// Its transitions, by node and symbol.
    ours: &'a Index,
    asked: &'a Configurations,
    /// Its transitions, by node.
    theirs: &'a Index,
    /// (Node of the automaton, node of the set asked for).
    pairs: Table,
    weights: Vec<D::Weight>,
    steps: Vec<Step>,
    agenda: Agenda,
    /// What weights hold beside themselves.
    weight_bytes: usize,
}

impl<'a, D: Domain> Product<'a, D> {
    fn new(
        domain: &'a D,
        (automaton, ours): (&'a WeightedAutomaton<D::Weight>, &'a Index),
        (asked, theirs): (&'a Configurations, &'a Index),
    ) -> Self {
        Self {
            domain,
            automaton,
            ours,
            asked,
            theirs,
            pairs: Table::new(1),
            weights: Vec::new(),
            steps: Vec::new(),
            agenda: Agenda::new(domain.rank(&domain.one()).is_some()),
            weight_bytes: 0,
        }
    }

    /// Begin with the states at which both may accept something.
    fn start(&mut self, states: u32) -> Result<(), D::Error> {
        let from = self.asked.transitions.iter().map(|edge| edge.from);
        let mut begun: Vec<Node> = from
            .chain(self.asked.accepting.iter().copied())
            .filter(|node| node.number() < states)
            .collect();
        begun.sort_unstable();
        begun.dedup();
        for state in begun {
            self.add((state, state), self.domain.one(), (NONE, TransitionId::NONE))?;
        }
        Ok(())
    }

    fn next(&mut self) -> Option<u32> {
        self.agenda.pop(|pair| self.domain.rank(&self.weights[pair as usize]))
    }

    fn follow(&mut self, pair: u32) -> Result<usize, D::Error> {
        let (ours, theirs) = self.nodes(pair);
        let weight = self.weights[pair as usize].clone();
        let (our_edges, their_edges) = (self.ours, self.theirs);
        let mut work = 1;
        for &number in our_edges.get(ours, EPSILON) {
            work += 1;
            self.step(pair, &weight, number, theirs)?;
        }
        for &index in their_edges.get(theirs, EPSILON) {
            let Transition { symbol, to, .. } = self.asked.transitions[index.index()];
            work += 1;
            for &number in our_edges.get(ours, symbol) {
                work += 1;
                self.step(pair, &weight, number, to)?;
            }
        }
        Ok(work)
    }

    /// Take a transition of the weighted automaton.
    fn step(
        &mut self,
        pair: u32,
        weight: &D::Weight,
        number: TransitionId,
        theirs: Node,
    ) -> Result<(), D::Error> {
        let more = &self.automaton.weights[number.index()];
        let weight = match self.automaton.direction {
            Direction::Forward => self.domain.extend(weight, more)?,
            Direction::Backward => self.domain.extend(more, weight)?,
        };
        let to = self.automaton.configurations.transitions[number.index()].to;
        self.add((to, theirs), weight, (pair, number))
    }

    fn add(
        &mut self,
        (ours, theirs): (Node, Node),
        weight: D::Weight,
        step: Step,
    ) -> Result<(), D::Error> {
        if self.domain.is_zero(&weight)? {
            return Ok(());
        }
        let (pair, new) = self.pairs.insert(&[pair_key(ours, theirs)]);
        let index = pair as usize;
        if new {
            self.weight_bytes += self.domain.bytes(&weight);
            self.weights.push(weight);
            self.steps.push(step);
        } else {
            let old_bytes = self.domain.bytes(&self.weights[index]);
            if !self.domain.combine_into(&mut self.weights[index], &weight)? {
                return Ok(());
            }
            let new_bytes = self.domain.bytes(&self.weights[index]);
            self.weight_bytes = self.weight_bytes + new_bytes - old_bytes;
            self.steps[index] = step;
        }
        self.agenda.push(pair, self.domain.rank(&self.weights[index]), 0);
        Ok(())
    }

    fn nodes(&self, pair: u32) -> (Node, Node) {
        let key = self.pairs.key(pair)[0];
        (Node::new((key >> 32) as u32), Node::new(key as u32))
    }

    fn accepted(&self) -> Result<Summary<D::Weight>, D::Error> {
        let ours = Nodes::new(&self.automaton.configurations.accepting);
        let theirs = Nodes::new(&self.asked.accepting);
        let mut weight = self.domain.zero();
        let mut last = NONE;
        for pair in 0..self.pairs.len() as u32 {
            let (our, their) = self.nodes(pair);
            if ours.contains(our)
                && theirs.contains(their)
                && self.domain.combine_into(&mut weight, &self.weights[pair as usize])?
            {
                last = pair;
            }
        }
        let is_ranked = self.domain.rank(&weight).is_some();
        let path = (is_ranked && last != NONE).then(|| self.path_to(last));
        Ok(Summary { weight, path })
    }

    /// What has led to a pair.
    fn path_to(&self, mut pair: u32) -> Path {
        let mut transitions = Vec::new();
        loop {
            let (before, number) = self.steps[pair as usize];
            if before == NONE {
                transitions.reverse();
                return Path { state: self.nodes(pair).0, transitions };
            }
            transitions.push(number);
            pair = before;
        }
    }

    fn bytes(&self) -> usize {
        self.pairs.bytes()
            + self.weights.capacity() * size_of::<D::Weight>()
            + self.weight_bytes
            + self.steps.capacity() * size_of::<Step>()
            + self.agenda.bytes()
    }
}

/// A set of nodes.
struct Nodes(Vec<Node>);

impl Nodes {
    fn new(nodes: &[Node]) -> Self {
        let mut nodes = nodes.to_vec();
        nodes.sort_unstable();
        Self(nodes)
    }

    fn contains(&self, node: Node) -> bool {
        self.0.binary_search(&node).is_ok()
    }
}

/// Transitions by where they start, with something else about them.
struct Index {
    keys: Table,
    items: Lists<TransitionId>,
}

impl Index {
    fn new(transitions: &[Transition], other: impl Fn(&Transition) -> Symbol) -> Self {
        let mut keys = Table::new(1);
        let found: Vec<u32> = transitions
            .iter()
            .map(|edge| keys.insert(&[pair_key(edge.from, other(edge))]).0)
            .collect();
        let pairs =
            found.iter().enumerate().map(|(number, &key)| (key, TransitionId::from_index(number)));
        let items = Lists::new(keys.len(), pairs);
        Self { keys, items }
    }

    fn get(&self, node: Node, other: Symbol) -> &[TransitionId] {
        self.keys.find(&[pair_key(node, other)]).map_or(&[], |key| self.items.get(key))
    }
}
