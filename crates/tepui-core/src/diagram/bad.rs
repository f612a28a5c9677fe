//! Bad visible states of a diagram.
//!
//! A pattern is looked for along the edges whose tops fit it, each node once. For deadlock, every
//! node gets two sets of shared states, from the bottom up: those with which all threads from this
//! level on can be stuck together, and the same with one of them that is not idle.

use rustc_hash::FxHashMap;

use super::labels::LabelId;
use super::levels::{Levels, Moves};
use super::nodes::{EMPTY, NodeId};
use super::sets::{NOTHING, SetId};
use crate::limits::{Limit, Watch};
use crate::property::{Pattern, Property};
use crate::system::{self, Symbol};

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
        watch: &mut Watch,
    ) -> Result<Option<Vec<u32>>, Limit> {
        for pattern in &property.patterns {
            if let Some(found) = self.find_pattern(root, pattern, watch)? {
                return Ok(Some(found));
            }
        }
        if property.deadlock { self.find_deadlock(root, watch) } else { Ok(None) }
    }

    fn find_pattern(
        &self,
        root: NodeId,
        pattern: &Pattern,
        watch: &mut Watch,
    ) -> Result<Option<Vec<u32>>, Limit> {
        let mut pick = |level: usize, label| {
            let system = system::lock(&self.system);
            let (thread, template) = self.order[level];
            let wanted = pattern.tops[thread as usize];
            let class = |top: Symbol| system.templates[template].class(top);
            let fits = |top: &Symbol| wanted.is_none_or(|wanted| class(*top) == wanted);
            self.tops_in(level, label).iter().copied().find(fits)
        };
        let found = self.visible.find(root, pattern.shared, &mut pick, watch)?;
        Ok(found.map(|(shared, tops)| self.row(shared, &tops)))
    }

    /// The shared state and the tops of all levels as a row in the order of the threads.
    fn row(&self, shared: u32, tops: &[Symbol]) -> Vec<u32> {
        let mut row = vec![shared; tops.len() + 1];
        for (&(thread, _), &top) in self.order.iter().zip(tops) {
            row[thread as usize + 1] = top;
        }
        row
    }

    fn find_deadlock(
        &mut self,
        root: NodeId,
        watch: &mut Watch,
    ) -> Result<Option<Vec<u32>>, Limit> {
        let mut known = FxHashMap::default();
        let stuck = self.stuck(0, root, &mut known, watch)?;
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
        watch: &mut Watch,
    ) -> Result<Stuck, Limit> {
        if level == self.order.len() || node == EMPTY {
            return Ok(Stuck { all: node, some_not_idle: NOTHING });
        }
        if let Some(&stuck) = known.get(&node) {
            return Ok(stuck);
        }
        if let Some(limit) = watch.reached(0, 0) {
            return Err(limit);
        }
        let mut found = Stuck { all: NOTHING, some_not_idle: NOTHING };
        for (label, child) in self.visible.edges(node).to_vec() {
            let below = self.stuck(level + 1, child, known, watch)?;
            let here = self.stuck_here(level, label, below.all);
            let sets = &mut self.visible.shared;
            let both = sets.intersection(here.all, below.some_not_idle);
            found.all = sets.union(found.all, here.all);
            found.some_not_idle = sets.union(found.some_not_idle, both);
            found.some_not_idle = sets.union(found.some_not_idle, here.some_not_idle);
        }
        known.insert(node, found);
        Ok(found)
    }

    /// Of some shared states, those with which a thread with one of these tops cannot move.
    fn stuck_here(&mut self, level: usize, label: LabelId, among: SetId) -> Stuck {
        let template = self.order[level].1;
        let tops = self.tops_in(level, label).to_vec();
        let members = self.visible.shared.members(among).to_vec();
        let mut stuck = |wanted: &dyn Fn(Symbol, u32, &system::System) -> bool| {
            let mut system = system::lock(&self.system);
            let mut found = members.clone();
            found.retain(|&shared| {
                tops.iter().any(|&top| {
                    system.meet(template, shared, top);
                    system.templates[template].enabled(shared, top).is_empty()
                        && wanted(top, shared, &system)
                })
            });
            self.visible.shared.intern(found)
        };
        Stuck {
            all: stuck(&|_, _, _| true),
            some_not_idle: stuck(&|top, shared, system| !system.is_idle(template, shared, top)),
        }
    }

    /// The tops of a deadlock with a shared state at which there is one.
    fn deadlock_at(&self, root: NodeId, shared: u32, known: &FxHashMap<NodeId, Stuck>) -> Vec<u32> {
        let is_in = |set: SetId| self.visible.shared.members(set).binary_search(&shared).is_ok();
        let system = system::lock(&self.system);
        let mut tops = Vec::new();
        let mut node = root;
        let mut needs_one = true;
        for (level, &(_, template)) in self.order.iter().enumerate() {
            let last = level + 1 == self.order.len();
            let options = self.visible.edges(node).iter().flat_map(|&(label, child)| {
                self.tops_in(level, label).iter().map(move |&top| (top, child))
            });
            let chosen = options.into_iter().find_map(|(top, child)| {
                if !system.templates[template].enabled(shared, top).is_empty() {
                    return None;
                }
                let still = needs_one && system.is_idle(template, shared, top);
                let below =
                    if last { Stuck { all: child, some_not_idle: NOTHING } } else { known[&child] };
                let fits = is_in(if still { below.some_not_idle } else { below.all });
                fits.then_some((top, child, still))
            });
            let (top, child, still) = chosen.expect("there is a deadlock with this shared state");
            tops.push(top);
            node = child;
            needs_one = still;
        }
        self.row(shared, &tops)
    }
}
