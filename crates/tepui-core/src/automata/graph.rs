//! A P-automaton as a graph: which nodes lie on a way from a shared state to the final node, and
//! whether there is a cycle.

use crate::automata::p_automaton::{Node, Transition};

/// The nodes of some transitions, numbered without gaps, and the edges between them.
pub(super) struct Graph {
    /// In ascending order.
    nodes: Vec<Node>,
    edges: Vec<(u32, u32)>,
}

impl Graph {
    pub(super) fn new(transitions: &[Transition]) -> Self {
        let mut nodes: Vec<Node> =
            transitions.iter().flat_map(|edge| [edge.from, edge.to]).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut graph = Self { nodes, edges: Vec::new() };
        let edge = |edge: &Transition| (graph.index(edge.from) as u32, graph.index(edge.to) as u32);
        graph.edges = transitions.iter().map(edge).collect();
        graph
    }

    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The number of a node of the graph.
    pub(super) fn index(&self, node: Node) -> usize {
        self.nodes.binary_search(&node).expect("a node of the graph")
    }

    /// For each node, whether it lies on a way from a shared state to the final node.
    pub(super) fn useful(&self) -> Vec<bool> {
        let shared = self.nodes.partition_point(|node| node.as_shared().is_some());
        let last = self.nodes.binary_search(&Node::LAST).ok();
        let from_shared = self.reachable(0..shared, |edge| edge);
        let to_last = self.reachable(last, |(from, to)| (to, from));
        from_shared.iter().zip(to_last).map(|(&reached, reaches)| reached && reaches).collect()
    }

    /// Whether no node can be reached from itself.
    pub(super) fn is_acyclic(&self) -> bool {
        let successors = Adjacency::new(self.nodes.len(), self.edges.iter().copied());
        let mut entering = vec![0_u32; self.nodes.len()];
        for &(_, to) in &self.edges {
            entering[to as usize] += 1;
        }
        // Remove nodes that nothing enters; what can never be removed is on a cycle or behind one.
        let mut free: Vec<usize> =
            (0..self.nodes.len()).filter(|&node| entering[node] == 0).collect();
        let mut removed = 0;
        while let Some(node) = free.pop() {
            removed += 1;
            for &to in successors.of(node) {
                entering[to as usize] -= 1;
                if entering[to as usize] == 0 {
                    free.push(to as usize);
                }
            }
        }
        removed == self.nodes.len()
    }

    fn reachable(
        &self,
        starts: impl IntoIterator<Item = usize>,
        direction: impl Fn((u32, u32)) -> (u32, u32),
    ) -> Vec<bool> {
        let successors =
            Adjacency::new(self.nodes.len(), self.edges.iter().map(|&edge| direction(edge)));
        reachable(&successors, starts)
    }
}

/// For each of some nodes, the nodes that its edges lead to, in one vector.
pub(super) struct Adjacency {
    /// Those of node i are from `offsets[i]` to `offsets[i + 1]`.
    offsets: Vec<u32>,
    targets: Vec<u32>,
}

impl Adjacency {
    pub(super) fn new(nodes: usize, edges: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut offsets = vec![0_u32; nodes + 1];
        for (from, _) in edges.clone() {
            offsets[from as usize + 1] += 1;
        }
        for node in 0..nodes {
            offsets[node + 1] += offsets[node];
        }
        let mut next = offsets.clone();
        let mut targets = vec![0; offsets[nodes] as usize];
        for (from, to) in edges {
            targets[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        }
        Self { offsets, targets }
    }

    pub(super) fn of(&self, node: usize) -> &[u32] {
        &self.targets[self.offsets[node] as usize..self.offsets[node + 1] as usize]
    }
}

/// For each node, whether it can be reached from one of the starts.
pub(super) fn reachable(
    successors: &Adjacency,
    starts: impl IntoIterator<Item = usize>,
) -> Vec<bool> {
    let mut seen = vec![false; successors.offsets.len() - 1];
    let mut work: Vec<usize> = starts.into_iter().collect();
    while let Some(node) = work.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            work.extend(successors.of(node).iter().map(|&to| to as usize));
        }
    }
    seen
}
