//! A diagram as plain lists, for a certificate: only what is reached from its root, numbered anew.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::labels::LabelId;
use super::levels::{Levels, Moves};
use super::nodes::NodeId;
use crate::system::Shared;

/// A diagram as plain lists.
#[derive(Clone, Debug, Default)]
pub struct Exported {
    /// For each level, its nodes: for each edge the index of its label among those of the template,
    /// and of the child at the next level, or among `ends`. The root is the only node of level 0.
    pub nodes: Vec<Vec<Vec<(u32, u32)>>>,
    /// The sets of shared states at the end.
    pub ends: Vec<Vec<Shared>>,
    /// For each template, the labels that occur.
    pub labels: Vec<Vec<LabelId>>,
}

impl<M: Moves> Levels<M> {
    /// The diagram of a node at level 0.
    pub fn export(&self, root: NodeId) -> Exported {
        let levels = self.nodes.reached_from(&[root]);
        let mut labels: Vec<Numbers<LabelId>> =
            self.nodes.labels.iter().map(|_| Numbers::default()).collect();
        let mut nodes = Vec::with_capacity(levels.len());
        let mut ends = Numbers::default();
        for (level, here) in levels.iter().enumerate() {
            let below = levels.get(level + 1);
            let labels = &mut labels[self.order[level].1];
            let exported = here.iter().map(|&node| {
                let edges = self.nodes.edges(node).iter().map(|&(label, child)| {
                    let child = match below {
                        Some(below) => below.partition_point(|&other| other < child) as u32,
                        None => ends.number(child),
                    };
                    (labels.number(label), child)
                });
                edges.collect()
            });
            nodes.push(exported.collect());
        }
        let members = |&end: &NodeId| self.nodes.shared.members(end.set()).to_vec();
        Exported {
            nodes,
            ends: ends.items.iter().map(members).collect(),
            labels: labels.into_iter().map(|numbers| numbers.items).collect(),
        }
    }
}

/// Items, numbered in the order in which they are met.
struct Numbers<T> {
    items: Vec<T>,
    known: FxHashMap<T, u32>,
}

impl<T> Default for Numbers<T> {
    fn default() -> Self {
        Self { items: Vec::new(), known: FxHashMap::default() }
    }
}

impl<T: Copy + Eq + Hash> Numbers<T> {
    fn number(&mut self, item: T) -> u32 {
        let items = &mut self.items;
        *self.known.entry(item).or_insert_with(|| {
            items.push(item);
            (items.len() - 1) as u32
        })
    }
}
