//! The search for one state of a diagram that is like those that are asked for: along the edges from
//! whose labels something can be picked, each node once.

use std::hash::Hash;

use rustc_hash::FxHashSet;

use super::labels::LabelId;
use super::nodes::{NodeId, Nodes};
use crate::limits::{Limit, Meter};
use crate::system::Shared;

/// A shared state, and what was picked at each level.
pub type Found<T> = (Shared, Vec<T>);

/// How many nodes are searched between two looks at the limits.
const NODES_AT_ONCE: usize = 1024;

impl<L: Copy + Ord + Hash> Nodes<L> {
    /// A state of a node with the shared state, if that is given, and with a label on every edge
    /// from which something can be picked.
    pub fn find<T>(
        &self,
        root: NodeId,
        shared: Option<Shared>,
        pick: &mut dyn FnMut(usize, LabelId) -> Option<T>,
        meter: &mut Meter,
    ) -> Result<Option<Found<T>>, Limit> {
        let dead = vec![FxHashSet::default(); self.levels()];
        let mut search =
            Search { nodes: self, shared, pick, meter, picked: Vec::new(), dead, searched: 0 };
        let found = search.find_below(root)?;
        Ok(found.map(|shared| (shared, search.picked)))
    }
}

struct Search<'a, 'w, L, T> {
    nodes: &'a Nodes<L>,
    shared: Option<Shared>,
    pick: &'a mut dyn FnMut(usize, LabelId) -> Option<T>,
    meter: &'a mut Meter<'w>,
    /// What was picked at each level on the way to the node that is searched.
    picked: Vec<T>,
    /// For each level, the nodes below which there is nothing to be found.
    dead: Vec<FxHashSet<NodeId>>,
    searched: usize,
}

impl<L: Copy + Ord + Hash, T> Search<'_, '_, L, T> {
    fn find_below(&mut self, node: NodeId) -> Result<Option<Shared>, Limit> {
        let level = self.picked.len();
        if level == self.nodes.levels() {
            return Ok(self.find_shared(node));
        }
        if self.dead[level].contains(&node) {
            return Ok(None);
        }
        if self.searched.is_multiple_of(NODES_AT_ONCE)
            && let Some(limit) = self.meter.reached(0, 0)
        {
            return Err(limit);
        }
        self.searched += 1;
        for &(label, child) in self.nodes.edges(node) {
            let Some(choice) = (self.pick)(level, label) else { continue };
            self.picked.push(choice);
            let found = self.find_below(child)?;
            if found.is_some() {
                return Ok(found);
            }
            self.picked.pop();
        }
        self.dead[level].insert(node);
        Ok(None)
    }

    fn find_shared(&self, end: NodeId) -> Option<Shared> {
        let members = self.nodes.shared.members(end.set());
        match self.shared {
            None => members.first().copied(),
            Some(wanted) => members.binary_search(&wanted).ok().map(|_| wanted),
        }
    }
}
