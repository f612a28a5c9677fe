//! What a search has found, for the checker.

use rustc_hash::FxHashMap;

use super::encoding::{Encoding, Part, Position, level};
use super::nodes::{Bdd, Work};
use super::relation::descending;
use super::search::BitsSearch;
use super::shapes::{Shape, Shapes};
use crate::limits::{Limit, Meter};

/// A set of states that is closed under all steps, to be checked.
#[derive(Debug)]
pub struct Certificate {
    /// For each thread, its shapes.
    pub shapes: Vec<Vec<Shape>>,
    /// What each level is part of.
    pub levels: Vec<Part>,
    /// Bits without a level: what they are wherever they mean something.
    pub fixed: Vec<(Part, bool)>,
    /// Level, low and high of each node, children first; they are numbered from 2.
    pub nodes: Vec<(u32, u32, u32)>,
    /// The set.
    pub root: u32,
}

impl BitsSearch {
    /// All that is reachable, and what a thread passes inside of atomic sections, after a collapse.
    /// If it is to be whole, all bits have levels.
    pub fn certificate(&mut self, whole: bool, meter: &mut Meter) -> Result<Certificate, Limit> {
        let reached = self.rounds.last().expect("there is R_0").reached;
        if whole {
            let inside = self.inside;
            let mut all = Work { nodes: &mut self.nodes, meter }.or(reached, inside)?;
            for (&bit, &on) in self.fixed.values().clone().iter() {
                let part = self.encoding.parts[bit as usize];
                let holds = self.implied(part, bit, on, meter)?;
                all = Work { nodes: &mut self.nodes, meter }.and(all, holds)?;
            }
            let mut work = Work { nodes: &mut self.nodes, meter };
            return certificate_of(all, &self.encoding, &self.shapes, |_| true, &mut work);
        }
        let Self { nodes, encoding, shapes, inside, fixed, .. } = self;
        let mut work = Work { nodes, meter };
        let all = work.or(reached, *inside)?;
        let mut found = certificate_of(all, encoding, shapes, |bit| fixed.is_free(bit), &mut work)?;
        let part = |(&bit, &on): (&Position, &bool)| (encoding.parts[bit as usize], on);
        found.fixed = fixed.values().iter().map(part).collect();
        Ok(found)
    }
}

/// A set of states, written down.
pub(super) fn certificate_of(
    all: Bdd,
    encoding: &Encoding,
    shapes: &[Shapes],
    has_level: impl Fn(Position) -> bool,
    work: &mut Work,
) -> Result<Certificate, Limit> {
    // Numbers of shapes have only as many digits as they need.
    let mut unused = Vec::new();
    for (digits, shapes) in encoding.shapes.iter().zip(shapes) {
        let needed = usize::BITS - (shapes.all().len() - 1).leading_zeros();
        unused.extend(digits[needed as usize..].iter().map(|&bit| level(bit)));
    }
    let bits = descending(work, &mut unused);
    let root = work.exists(all, bits)?;
    let mut levels = Vec::new();
    let mut numbers = Vec::new();
    for (position, part) in encoding.parts.iter().enumerate() {
        numbers.push(levels.len() as u32);
        let position = position as Position;
        if *part != Part::Choice && has_level(position) && !unused.contains(&level(position)) {
            levels.push(*part);
        }
    }
    let mut renumbered: FxHashMap<Bdd, u32> = FxHashMap::default();
    renumbered.insert(Bdd::FALSE, 0);
    renumbered.insert(Bdd::TRUE, 1);
    let mut listed = Vec::new();
    for node in work.nodes.nodes_of(root) {
        let Some((level, low, high)) = work.nodes.parts(node) else { continue };
        listed.push((numbers[(level / 2) as usize], renumbered[&low], renumbered[&high]));
        renumbered.insert(node, renumbered.len() as u32);
    }
    Ok(Certificate {
        shapes: shapes.iter().map(|shapes| shapes.all().to_vec()).collect(),
        levels,
        fixed: Vec::new(),
        nodes: listed,
        root: renumbered[&root],
    })
}
