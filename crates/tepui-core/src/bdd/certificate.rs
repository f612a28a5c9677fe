//! What a search has found, for the checker.

use rustc_hash::FxHashMap;

use super::encoding::{Part, Position, level};
use super::nodes::{Bdd, Work};
use super::search::{BitsSearch, descending};
use super::shapes::Shape;
use crate::limits::{Limit, Meter};

/// A set of states that is closed under all steps, to be checked.
#[derive(Debug)]
pub struct Certificate {
    /// For each thread, its shapes.
    pub shapes: Vec<Vec<Shape>>,
    /// What each level is part of.
    pub levels: Vec<Part>,
    /// Level, low and high of each node, children first; they are numbered from 2.
    pub nodes: Vec<(u32, u32, u32)>,
    /// The set.
    pub root: u32,
}

impl BitsSearch {
    /// All that is reachable, and what a thread passes inside of atomic sections, after a collapse.
    pub fn certificate(&mut self, meter: &mut Meter) -> Result<Certificate, Limit> {
        let reached = self.rounds.last().expect("there is R_0").reached;
        let mut work = Work { nodes: &mut self.nodes, meter };
        let all = work.or(reached, self.inside)?;
        // Numbers of shapes have only as many digits as they need.
        let mut unused = Vec::new();
        for (digits, shapes) in self.encoding.shapes.iter().zip(&self.shapes) {
            let needed = usize::BITS - (shapes.all().len() - 1).leading_zeros();
            unused.extend(digits[needed as usize..].iter().map(|&bit| level(bit)));
        }
        let bits = descending(&mut work, &mut unused);
        let root = work.exists(all, bits)?;
        let mut levels = Vec::new();
        let mut numbers = Vec::new();
        for (position, part) in self.encoding.parts.iter().enumerate() {
            numbers.push(levels.len() as u32);
            if *part != Part::Choice && !unused.contains(&level(position as Position)) {
                levels.push(*part);
            }
        }
        let nodes = self.nodes.nodes_of(root);
        let mut renumbered: FxHashMap<Bdd, u32> = FxHashMap::default();
        renumbered.insert(Bdd::FALSE, 0);
        renumbered.insert(Bdd::TRUE, 1);
        let mut listed = Vec::with_capacity(nodes.len());
        for node in nodes {
            let Some((level, low, high)) = self.nodes.parts(node) else { continue };
            listed.push((numbers[(level / 2) as usize], renumbered[&low], renumbered[&high]));
            renumbered.insert(node, renumbered.len() as u32);
        }
        Ok(Certificate {
            shapes: self.shapes.iter().map(|shapes| shapes.all().to_vec()).collect(),
            levels,
            nodes: listed,
            root: renumbered[&root],
        })
    }
}
