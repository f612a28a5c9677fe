//! Decision diagrams over threads: sets of global states, with one level for each thread and a set
//! of shared states at the bottom.
//!
//! A node of level i is a list of edges. An edge has a label, a set of local states of the thread
//! at that level, and leads to a node of the next level; below the last level, to a set of shared
//! states. Labels of one node are disjoint, the nodes they lead to all different and never empty,
//! and the list is sorted, so equal sets of states are equal nodes.
//!
//! Operations are remembered, so that one that was stopped by a limit goes on where it was when it
//! is asked for again.

use std::hash::Hash;
use std::sync::Arc;

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use super::finite_sets::{SetId, Sets};
use super::labels::{LabelId, Labels};
use crate::ids::id;
use crate::limits::{Limit, Meter};
use crate::system::Shared;

id! {
    /// A node; below the last level, a set of shared states with the same number.
    NodeId
}

id! {
    /// A relation between shared states.
    RelationId
}

impl NodeId {
    /// The node without states, at every level.
    pub const EMPTY: Self = Self::new(0);

    /// The set of shared states that it is, below the last level.
    pub fn set(self) -> SetId {
        SetId::new(self.number())
    }
}

impl From<SetId> for NodeId {
    fn from(set: SetId) -> Self {
        Self::new(set.number())
    }
}

type Edge = (LabelId, NodeId);

/// The nodes of some diagrams with the same levels.
pub struct Nodes<T> {
    levels: usize,
    edges: Vec<Arc<[Edge]>>,
    known: Vec<FxHashMap<Arc<[Edge]>, NodeId>>,
    /// The sets of shared states.
    pub shared: Sets<Shared>,
    /// For each level, the sets of local states.
    pub labels: Vec<Labels<T>>,
    /// Which store of labels a level uses.
    store_of: Vec<usize>,
    relations: Vec<Box<[(Shared, Shared)]>>,
    known_relations: FxHashMap<Box<[(Shared, Shared)]>, RelationId>,
    unions: Vec<FxHashMap<(NodeId, NodeId), NodeId>>,
    images: Vec<FxHashMap<(NodeId, RelationId), NodeId>>,
    shared_below: Vec<FxHashMap<NodeId, SetId>>,
    /// Numbers of nodes that were swept away.
    free: Vec<NodeId>,
    /// How many edges all nodes have together.
    all_edges: usize,
    /// How many operations were not remembered.
    operations: usize,
    /// After how many of them to pause.
    pause_at: usize,
    /// After how many of them to look at the limits again.
    next_look: usize,
    /// How much memory others hold on behalf of the same computation.
    pub held_elsewhere: usize,
}

/// After how many operations to look at the limits.
const OPERATIONS_AT_ONCE: usize = 1024;

impl<T: Copy + Ord + Hash> Nodes<T> {
    /// No nodes yet, for levels that use these stores of labels.
    pub fn new(store_of: Vec<usize>, labels: Vec<Labels<T>>) -> Self {
        let levels = store_of.len();
        Self {
            levels,
            edges: vec![Arc::from([])],
            known: vec![FxHashMap::default(); levels],
            shared: Sets::default(),
            labels,
            store_of,
            relations: Vec::new(),
            known_relations: FxHashMap::default(),
            unions: vec![FxHashMap::default(); levels],
            images: vec![FxHashMap::default(); levels + 1],
            shared_below: vec![FxHashMap::default(); levels],
            free: Vec::new(),
            all_edges: 0,
            operations: 0,
            pause_at: usize::MAX,
            next_look: OPERATIONS_AT_ONCE,
            held_elsewhere: 0,
        }
    }

    /// Count an operation, and stop at a limit.
    pub fn work(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        self.operations += 1;
        let work = self.operations();
        if work >= self.pause_at {
            return Err(Limit::Work);
        }
        if work >= self.next_look {
            self.next_look = work + OPERATIONS_AT_ONCE;
            let bytes = self.held_elsewhere + self.bytes();
            return meter.reached(self.count_nodes(), bytes).map_or(Ok(()), Err);
        }
        Ok(())
    }

    /// How many operations there were, those on automata included.
    pub fn operations(&self) -> usize {
        self.operations + self.labels.iter().map(Labels::work).sum::<usize>()
    }

    /// Pause after this many more operations, but not before one that goes down all levels is done:
    /// what is not done is not remembered, and would be begun again and again.
    pub fn pause_after(&mut self, operations: usize) {
        let enough = operations.max(OPERATIONS_AT_ONCE).max(8 * self.levels);
        self.pause_at = self.operations().saturating_add(enough);
    }

    /// How many levels there are.
    pub fn levels(&self) -> usize {
        self.levels
    }

    /// How many nodes there are, the empty one included.
    pub fn count_nodes(&self) -> usize {
        self.edges.len() - self.free.len()
    }

    /// The edges of a node.
    pub fn edges(&self, node: NodeId) -> &[Edge] {
        &self.edges[node.index()]
    }

    /// The store of labels of a level.
    pub fn labels_of(&mut self, level: usize) -> &mut Labels<T> {
        &mut self.labels[self.store_of[level]]
    }

    /// A node of edges whose labels are disjoint.
    pub fn make(
        &mut self,
        level: usize,
        mut edges: Vec<Edge>,
        meter: &mut Meter,
    ) -> Result<NodeId, Limit> {
        edges.retain(|&(label, child)| label != LabelId::EMPTY && child != NodeId::EMPTY);
        edges.sort_unstable_by_key(|&(_, child)| child);
        let mut merged: Vec<Edge> = Vec::with_capacity(edges.len());
        for (label, child) in edges {
            match merged.last_mut() {
                Some(last) if last.1 == child => {
                    last.0 = self.labels[self.store_of[level]].union(last.0, label, meter)?;
                }
                _ => merged.push((label, child)),
            }
        }
        if merged.is_empty() {
            return Ok(NodeId::EMPTY);
        }
        if let Some(&known) = self.known[level].get(&merged[..]) {
            return Ok(known);
        }
        self.all_edges += merged.len();
        let id = self.free.pop().unwrap_or_else(|| {
            self.edges.push(Arc::from([]));
            NodeId::from_index(self.edges.len() - 1)
        });
        let merged: Arc<[Edge]> = merged.into();
        self.edges[id.index()] = Arc::clone(&merged);
        self.known[level].insert(merged, id);
        Ok(id)
    }

    /// The states of two nodes of a level.
    pub fn union(
        &mut self,
        level: usize,
        (left, right): (NodeId, NodeId),
        meter: &mut Meter,
    ) -> Result<NodeId, Limit> {
        if level == self.levels {
            meter.spend(1)?;
            return Ok(self.shared.union(left.set(), right.set()).into());
        }
        let (left, right) = (left.min(right), left.max(right));
        if left == right || left == NodeId::EMPTY {
            return Ok(right);
        }
        if let Some(&known) = self.unions[level].get(&(left, right)) {
            return Ok(known);
        }
        self.work(meter)?;
        let mut edges = Vec::new();
        let mut rest_of_right = self.edges[right.index()].to_vec();
        let edges_of_left = Arc::clone(&self.edges[left.index()]);
        for &(mut label, child) in edges_of_left.iter() {
            for other in &mut rest_of_right {
                if label == LabelId::EMPTY {
                    break;
                }
                let labels = &mut self.labels[self.store_of[level]];
                let common = labels.intersection(label, other.0, meter)?;
                if common == LabelId::EMPTY {
                    continue;
                }
                label = labels.difference(label, common, meter)?;
                other.0 = labels.difference(other.0, common, meter)?;
                let both = self.union(level + 1, (child, other.1), meter)?;
                edges.push((common, both));
            }
            rest_of_right.retain(|&(label, _)| label != LabelId::EMPTY);
            edges.push((label, child));
        }
        edges.extend(rest_of_right);
        let union = self.make(level, edges, meter)?;
        self.unions[level].insert((left, right), union);
        Ok(union)
    }

    /// The states of several nodes of a level, joined pairwise, so that large unions are few.
    pub fn union_of(
        &mut self,
        level: usize,
        mut parts: Vec<NodeId>,
        meter: &mut Meter,
    ) -> Result<NodeId, Limit> {
        while parts.len() > 1 {
            let mut pairs = Vec::with_capacity(parts.len().div_ceil(2));
            for pair in parts.chunks(2) {
                let right = pair.get(1).copied().unwrap_or(NodeId::EMPTY);
                pairs.push(self.union(level, (pair[0], right), meter)?);
            }
            parts = pairs;
        }
        Ok(parts.pop().unwrap_or(NodeId::EMPTY))
    }

    /// The relation of some pairs in ascending order, each once.
    pub fn relation(&mut self, pairs: Vec<(Shared, Shared)>) -> RelationId {
        let pairs = pairs.into_boxed_slice();
        if let Some(&known) = self.known_relations.get(&pairs) {
            return known;
        }
        let id = RelationId::from_index(self.relations.len());
        self.relations.push(pairs.clone());
        self.known_relations.insert(pairs, id);
        id
    }

    /// The states of a node with their shared states replaced by those related to them.
    pub fn image(
        &mut self,
        level: usize,
        node: NodeId,
        relation: RelationId,
        meter: &mut Meter,
    ) -> Result<NodeId, Limit> {
        if node == NodeId::EMPTY {
            return Ok(NodeId::EMPTY);
        }
        if let Some(&known) = self.images[level].get(&(node, relation)) {
            return Ok(known);
        }
        self.work(meter)?;
        let image = if level == self.levels {
            self.related(node.set(), relation).into()
        } else {
            // Children that become equal have disjoint labels, so `make` joins them.
            let mut edges = self.edges[node.index()].to_vec();
            for edge in &mut edges {
                edge.1 = self.image(level + 1, edge.1, relation, meter)?;
            }
            self.make(level, edges, meter)?
        };
        self.images[level].insert((node, relation), image);
        Ok(image)
    }

    /// The shared states that are related to those of a set.
    fn related(&mut self, set: SetId, relation: RelationId) -> SetId {
        let pairs = &self.relations[relation.index()];
        let mut related = Vec::new();
        for &shared in self.shared.members(set) {
            let start = pairs.partition_point(|pair| pair.0 < shared);
            let same = pairs[start..].iter().take_while(|pair| pair.0 == shared);
            related.extend(same.map(|pair| pair.1));
        }
        related.sort_unstable();
        related.dedup();
        self.shared.intern(related)
    }

    /// The shared states that occur below a node.
    pub fn shared_below(&mut self, level: usize, node: NodeId) -> SetId {
        if level == self.levels || node == NodeId::EMPTY {
            return node.set();
        }
        if let Some(&known) = self.shared_below[level].get(&node) {
            return known;
        }
        let mut found = SetId::EMPTY;
        let edges = Arc::clone(&self.edges[node.index()]);
        for &(_, child) in edges.iter() {
            let below = self.shared_below(level + 1, child);
            found = self.shared.union(found, below);
        }
        self.shared_below[level].insert(node, found);
        found
    }

    /// How many states a node at level 0 has, if they are finitely many. Counted from the bottom
    /// up, with the counts of two levels at a time.
    pub fn count(&self, root: NodeId, meter: &mut Meter) -> Result<Option<BigUint>, Limit> {
        let mut below: FxHashMap<NodeId, BigUint> = FxHashMap::default();
        for (level, nodes) in self.reached_from(&[root]).into_iter().enumerate().rev() {
            let labels = &self.labels[self.store_of[level]];
            let mut counts = FxHashMap::default();
            for node in nodes {
                let mut count = BigUint::ZERO;
                for &(label, child) in self.edges(node) {
                    let Some(stacks) = labels.count(label, meter)? else { return Ok(None) };
                    meter.spend(1 + (count.bits() / 64) as usize)?;
                    count += match below.get(&child) {
                        Some(rest) => stacks * rest,
                        None => stacks * self.shared.len(child.set()),
                    };
                }
                counts.insert(node, count);
            }
            below = counts;
        }
        Ok(Some(below.remove(&root).unwrap_or_default()))
    }

    /// For each level, the nodes that are reached from some at level 0, in ascending order.
    pub fn reached_from(&self, roots: &[NodeId]) -> Vec<Vec<NodeId>> {
        let mut found = Vec::with_capacity(self.levels);
        let mut nodes: Vec<NodeId> =
            roots.iter().copied().filter(|&root| root != NodeId::EMPTY).collect();
        for _ in 0..self.levels {
            nodes.sort_unstable();
            nodes.dedup();
            let below =
                nodes.iter().flat_map(|&node| self.edges(node)).map(|&(_, child)| child).collect();
            found.push(std::mem::replace(&mut nodes, below));
        }
        found
    }

    /// How many nodes are reached from one at level 0, itself included.
    pub fn count_from(&self, root: NodeId) -> usize {
        self.reached_from(&[root]).iter().map(Vec::len).sum()
    }

    /// Forget what was remembered about operations, and all nodes that are not reached from some
    /// at level 0. Sets and languages stay.
    pub fn sweep(&mut self, roots: &[NodeId]) {
        let mut kept = vec![false; self.edges.len()];
        kept[NodeId::EMPTY.index()] = true;
        for node in self.reached_from(roots).into_iter().flatten() {
            kept[node.index()] = true;
        }
        self.free = NodeId::range(0, kept.len()).filter(|node| !kept[node.index()]).collect();
        for known in &mut self.known {
            known.retain(|_, node| kept[node.index()]);
            known.shrink_to_fit();
        }
        for &node in &self.free {
            let edges = std::mem::replace(&mut self.edges[node.index()], Arc::from([]));
            self.all_edges -= edges.len();
        }
        self.unions = vec![FxHashMap::default(); self.levels];
        self.images = vec![FxHashMap::default(); self.levels + 1];
        self.shared_below = vec![FxHashMap::default(); self.levels];
    }

    /// How much memory all this takes. A map that grows is for a while there twice, so it
    /// is counted twice.
    pub fn bytes(&self) -> usize {
        let unions = self.unions.iter().map(|map| map.capacity() * 13);
        let images = self.images.iter().map(|map| map.capacity() * 13);
        let maps: usize = unions
            .chain(images)
            .chain(self.shared_below.iter().map(|map| map.capacity() * 9))
            .chain(self.known.iter().map(|map| map.capacity() * 25))
            .sum();
        let nodes = self.edges.capacity() * 16 + self.count_nodes() * 32 + self.all_edges * 8;
        let labels: usize = self.labels.iter().map(Labels::bytes).sum();
        maps * 2 + nodes + labels + self.shared.bytes()
    }
}
