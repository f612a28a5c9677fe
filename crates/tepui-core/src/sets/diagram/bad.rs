//! Bad visible states of a diagram.
//!
//! A pattern is looked for along the edges whose tops fit it, each node once. For deadlock, every
//! node gets two sets of shared states, from the bottom up: those with which all threads from this
//! level on can be stuck together, and the same with one of them that is not idle. In a program that
//! may depend on variables that have no value yet: the sets have shared states with more and more of
//! these decided, the further up, the more.

use rustc_hash::FxHashMap;

use super::finite_sets::SetId;
use super::labels::LabelId;
use super::levels::{Levels, Moves};
use super::nodes::NodeId;
use crate::limits::{Limit, Meter};
use crate::property::{Pattern, Property};
use crate::system::{self, Shared, Symbol};

/// The shared states of a node with which no thread from its level on can move, and those with
/// which moreover some thread is not idle.
#[derive(Clone, Copy)]
struct Stuck {
    all: SetId,
    some_not_idle: SetId,
}

impl<M: Moves> Levels<M> {
    /// A bad one of the visible states of a node: the shared state and the top of each thread.
    pub fn find_bad(
        &mut self,
        root: NodeId,
        property: &Property,
        meter: &mut Meter,
    ) -> Result<Option<Vec<u32>>, Limit> {
        for pattern in &property.patterns {
            if let Some(found) = self.find_pattern(root, pattern, meter)? {
                return Ok(Some(found));
            }
        }
        if property.deadlock { self.find_deadlock(root, meter) } else { Ok(None) }
    }

    fn find_pattern(
        &self,
        root: NodeId,
        pattern: &Pattern,
        meter: &mut Meter,
    ) -> Result<Option<Vec<u32>>, Limit> {
        let mut pick = |level: usize, label| {
            let system = system::lock(&self.system);
            let (thread, template) = self.order[level];
            let wanted = pattern.tops[thread as usize];
            let class = |top: Symbol| system.templates[template].class(top);
            let fits = |top: &Symbol| wanted.is_none_or(|wanted| class(*top) == wanted);
            self.tops_in(level, label).iter().copied().find(fits)
        };
        let found = self.visible.find(root, pattern.shared, &mut pick, meter)?;
        Ok(found.map(|(shared, tops)| self.row(shared, &tops)))
    }

    /// The shared state and the tops of all levels as a row in the order of the threads.
    fn row(&self, shared: Shared, tops: &[Symbol]) -> Vec<u32> {
        let mut row = vec![shared.number(); tops.len() + 1];
        for (&(thread, _), &top) in self.order.iter().zip(tops) {
            row[thread as usize + 1] = top.number();
        }
        row
    }

    fn find_deadlock(
        &mut self,
        root: NodeId,
        meter: &mut Meter,
    ) -> Result<Option<Vec<u32>>, Limit> {
        let mut known = FxHashMap::default();
        let stuck = self.stuck(0, root, &mut known, meter)?;
        let Some(&shared) = self.visible.shared.members(stuck.some_not_idle).first() else {
            return Ok(None);
        };
        Ok(Some(self.deadlock_at(root, shared, &known)))
    }

    fn stuck(
        &mut self,
        level: usize,
        node: NodeId,
        known: &mut FxHashMap<NodeId, Stuck>,
        meter: &mut Meter,
    ) -> Result<Stuck, Limit> {
        if level == self.order.len() || node == NodeId::EMPTY {
            return Ok(Stuck { all: node.set(), some_not_idle: SetId::EMPTY });
        }
        if let Some(&stuck) = known.get(&node) {
            return Ok(stuck);
        }
        if let Some(limit) = meter.reached(0, 0) {
            return Err(limit);
        }
        let mut found = Stuck { all: SetId::EMPTY, some_not_idle: SetId::EMPTY };
        for (label, child) in self.visible.edges(node).to_vec() {
            let below = self.stuck(level + 1, child, known, meter)?;
            let here = self.stuck_here(level, label, below.all);
            let both = self.stuck_here(level, label, below.some_not_idle).all;
            let sets = &mut self.visible.shared;
            found.all = sets.union(found.all, here.all);
            found.some_not_idle = sets.union(found.some_not_idle, both);
            found.some_not_idle = sets.union(found.some_not_idle, here.some_not_idle);
        }
        known.insert(node, found);
        Ok(found)
    }

    /// Where a thread with one of these tops cannot move, among some shared states.
    fn stuck_here(&mut self, level: usize, label: LabelId, among: SetId) -> Stuck {
        let template = self.order[level].1;
        let tops = self.tops_in(level, label).to_vec();
        let members = self.visible.shared.members(among).to_vec();
        let (mut all, mut some_not_idle) = (Vec::new(), Vec::new());
        {
            let mut system = system::lock(&self.system);
            for &top in &tops {
                for &shared in &members {
                    let stuck = system.stuck(template, shared, top);
                    if !system.is_idle(template, shared, top) {
                        some_not_idle.extend_from_slice(&stuck);
                    }
                    all.extend(stuck);
                }
            }
        }
        let mut interned = |mut found: Vec<Shared>| {
            found.sort_unstable();
            found.dedup();
            self.visible.shared.intern(found)
        };
        Stuck { all: interned(all), some_not_idle: interned(some_not_idle) }
    }

    /// The tops of a deadlock, which ends with a shared state in the set of its root.
    fn deadlock_at(&self, root: NodeId, end: Shared, known: &FxHashMap<NodeId, Stuck>) -> Vec<u32> {
        let mut system = system::lock(&self.system);
        let mut tops = Vec::new();
        let mut node = root;
        let mut needs_one = true;
        let mut end = end;
        for (level, &(_, template)) in self.order.iter().enumerate() {
            let last = level + 1 == self.order.len();
            let options = self.visible.edges(node).iter().flat_map(|&(label, child)| {
                self.tops_in(level, label).iter().map(move |&top| (top, child))
            });
            let chosen = options.into_iter().find_map(|(top, child)| {
                let below = if last {
                    Stuck { all: child.set(), some_not_idle: SetId::EMPTY }
                } else {
                    known[&child]
                };
                [false, true].into_iter().find_map(|still| {
                    let set = if still { below.some_not_idle } else { below.all };
                    let before = self.visible.shared.members(set).iter().find(|&&before| {
                        (still || !needs_one || !system.is_idle(template, before, top))
                            && system.stuck(template, before, top).contains(&end)
                    });
                    before.map(|&before| (top, child, needs_one && still, before))
                })
            });
            let (top, child, still, before) = chosen.expect("there is a deadlock that ends so");
            tops.push(top);
            node = child;
            needs_one = still;
            end = before;
        }
        self.row(end, &tops)
    }
}
