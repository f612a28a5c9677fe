//! The minimal elements of an upward-closed set of markings, and the question whether it has one.
//!
//! They form a tree: a path spells the entries of a marking, from the first place to the last. To
//! find an element below a marking, only edges to its places are followed, with counts that are not
//! larger. So elements without a common place cost nothing.

use rustc_hash::FxHashMap;

use super::net::{Marking, Place};

/// A set of markings, of which the smallest count.
#[derive(Default)]
pub struct Antichain {
    nodes: Vec<Node>,
    edges: usize,
}

#[derive(Default)]
struct Node {
    /// By place, the counts in growing order, with the nodes that they lead to.
    next: FxHashMap<Place, Vec<(u32, u32)>>,
    /// Whether a marking ends here.
    ends: bool,
}

impl Antichain {
    /// Add a marking.
    pub fn insert(&mut self, marking: &Marking) {
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        let mut node = 0;
        for &(place, count) in marking {
            let fresh = self.nodes.len() as u32;
            let edges = self.nodes[node].next.entry(place).or_default();
            match edges.binary_search_by_key(&count, |edge| edge.0) {
                Ok(at) => node = edges[at].1 as usize,
                Err(at) => {
                    edges.insert(at, (count, fresh));
                    self.nodes.push(Node::default());
                    self.edges += 1;
                    node = fresh as usize;
                }
            }
        }
        self.nodes[node].ends = true;
    }

    /// Whether an element is below this marking, or equal to it.
    pub fn covers(&self, marking: &Marking) -> bool {
        !self.nodes.is_empty() && self.is_below(0, marking, false)
    }

    /// Whether an element is below this marking, and not equal to it.
    pub fn covers_strictly(&self, marking: &Marking) -> bool {
        !self.nodes.is_empty() && self.is_below(0, marking, true)
    }

    /// Whether a path from this node ends below the rest of a marking. If it must be `smaller`, the
    /// path that spells the whole rest does not count.
    fn is_below(&self, node: usize, rest: &[(Place, u32)], smaller: bool) -> bool {
        let node = &self.nodes[node];
        if node.ends && !(smaller && rest.is_empty()) {
            return true;
        }
        if node.next.is_empty() {
            return false;
        }
        rest.iter().enumerate().any(|(skipped, &(place, count))| {
            let Some(edges) = node.next.get(&place) else { return false };
            edges.iter().take_while(|edge| edge.0 <= count).any(|&(held, next)| {
                let still = smaller && skipped == 0 && held == count;
                self.is_below(next as usize, &rest[skipped + 1..], still)
            })
        })
    }

    /// About how many bytes it holds.
    pub fn bytes(&self) -> usize {
        self.nodes.len() * size_of::<Node>() + self.edges * 48
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_covers_itself_and_what_is_larger() {
        let mut set = Antichain::default();
        assert!(!set.covers(&Box::from([])));
        set.insert(&Box::from([(1, 2), (4, 1)]));
        assert!(set.covers(&Box::from([(1, 2), (4, 1)])));
        assert!(set.covers(&Box::from([(0, 1), (1, 3), (3, 1), (4, 1), (9, 9)])));
        assert!(!set.covers(&Box::from([(1, 1), (4, 1)])));
        assert!(!set.covers(&Box::from([(1, 2)])));
        assert!(!set.covers_strictly(&Box::from([(1, 2), (4, 1)])));
        assert!(set.covers_strictly(&Box::from([(1, 2), (4, 2)])));
        assert!(set.covers_strictly(&Box::from([(0, 1), (1, 2), (4, 1)])));
        assert!(set.covers_strictly(&Box::from([(1, 2), (4, 1), (5, 1)])));
    }

    #[test]
    fn the_empty_marking_covers_everything() {
        let mut set = Antichain::default();
        set.insert(&Box::from([]));
        assert!(set.covers(&Box::from([])));
        assert!(!set.covers_strictly(&Box::from([])));
        assert!(set.covers_strictly(&Box::from([(7, 1)])));
    }
}
