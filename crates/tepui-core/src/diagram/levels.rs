//! States of all threads as diagrams: threads that run on them, and what shows of them.
//!
//! To run the thread of a level, its labels are replaced: from the stacks of a label and the shared
//! states below it, the thread leads to other stacks and changes the shared state. What it leads to
//! is cut into disjoint labels, each with one relation between the shared states before and after;
//! below, the diagram stays as it is but for the image of its shared states under that relation. So
//! a run costs as much as there are nodes, however many states these stand for, and all of it is
//! remembered.
//!
//! What a thread does by itself is for [`Moves`] to say: that is where R_k and Z differ.
//!
//! Order of the levels: threads of one template lie together, and templates with more rules lie
//! lower, where their many labels are shared by more nodes.

use rustc_hash::FxHashMap;

use super::labels::{LabelId, Labels};
use super::nodes::{EMPTY, NodeId, Nodes, RelationId};
use super::sets::{SetId, Sets};
use crate::limits::{Limit, Watch};
use crate::system::{self, Handle, Shared, Symbol};

/// Local states to which a thread leads, and the shared states before and after.
pub type Change = (LabelId, Vec<(Shared, Shared)>);

/// Disjoint labels to which a thread leads, each with how the shared state changes.
type Contexts = Vec<(LabelId, RelationId)>;

/// What the threads of each template do by themselves.
pub trait Moves {
    /// Where a thread leads from the local states of a label and these shared states: disjoint
    /// labels, each with how the shared state changes. Going nowhere is one of the ways to go.
    fn changes(
        &mut self,
        labels: &mut Labels,
        template: usize,
        label: LabelId,
        shared: &[Shared],
        watch: &mut Watch,
    ) -> Result<Vec<Change>, Limit>;

    /// The tops of the stacks of a label, in any order.
    fn tops(&self, labels: &Labels, template: usize, label: LabelId) -> Vec<Symbol>;

    /// How much memory they hold.
    fn bytes(&self) -> usize;
}

/// Diagrams of one system, the threads that run on them, and their visible states.
pub struct Levels<M> {
    /// The system.
    pub system: Handle,
    /// The thread and the template of each level.
    pub order: Vec<(u32, usize)>,
    /// What threads do.
    pub moves: M,
    /// The diagrams of states.
    pub nodes: Nodes,
    /// The diagrams of visible states.
    pub visible: Nodes,
    runs: FxHashMap<(u32, u32, NodeId), NodeId>,
    /// For each template, where its threads lead.
    contexts: Vec<FxHashMap<(LabelId, SetId), Contexts>>,
    /// For each template, the tops of its labels, as sets of the visible states.
    tops: Vec<FxHashMap<LabelId, SetId>>,
    projections: Vec<FxHashMap<NodeId, NodeId>>,
    /// How many entries `contexts` lists.
    listed: usize,
}

impl<M: Moves> Levels<M> {
    /// No diagrams yet, with a store of labels for each template.
    pub fn new(handle: &Handle, moves: M, labels: Vec<Labels>) -> Self {
        let system = system::lock(handle);
        let mut order: Vec<(u32, usize)> =
            (0..).zip(system.threads.iter().map(|&t| t as usize)).collect();
        order.sort_by_key(|&(thread, template)| {
            (system.templates[template].rules.len(), template, thread)
        });
        let templates: Vec<usize> = order.iter().map(|&(_, template)| template).collect();
        let count = labels.len();
        let tops = labels.iter().map(|_| Labels::Stacks(Sets::default())).collect();
        drop(system);
        Self {
            system: Handle::clone(handle),
            moves,
            nodes: Nodes::new(templates.clone(), labels),
            visible: Nodes::new(templates, tops),
            runs: FxHashMap::default(),
            contexts: vec![FxHashMap::default(); count],
            tops: vec![FxHashMap::default(); count],
            projections: vec![FxHashMap::default(); order.len()],
            order,
            listed: 0,
        }
    }

    /// The initial state, where `label` says what holds the initial stack of a template.
    pub fn initial(
        &mut self,
        mut label: impl FnMut(&mut Labels, &mut M, usize) -> LabelId,
    ) -> NodeId {
        let initial = system::lock(&self.system).initial;
        let mut node = self.nodes.shared.intern(vec![initial]);
        for level in (0..self.order.len()).rev() {
            let store = self.nodes.labels_of(level);
            let label = label(store, &mut self.moves, self.order[level].1);
            node = self.nodes.make(level, vec![(label, node)]);
        }
        node
    }

    /// What the thread of a level, run alone, makes of the states of a node at level 0.
    pub fn run_thread(
        &mut self,
        thread: usize,
        node: NodeId,
        watch: &mut Watch,
    ) -> Result<NodeId, Limit> {
        self.run(0, thread, node, watch)
    }

    /// The visible states of a node at level 0.
    pub fn show(&mut self, node: NodeId, watch: &mut Watch) -> Result<NodeId, Limit> {
        self.take_stock();
        self.project(0, node, watch)
    }

    /// Some visible states: the shared state and the top of each thread's stack.
    pub fn visible_rows(&self, root: NodeId, most: usize) -> Vec<Vec<u32>> {
        let mut rows = Vec::new();
        let mut row = vec![0; self.order.len() + 1];
        self.list(0, root, most, &mut row, &mut rows);
        rows
    }

    /// The shared states and tops that the threads of a template show together, in ascending order.
    pub fn thread_visible(&mut self, root: NodeId, template: usize) -> Vec<(Shared, Symbol)> {
        let mut pairs = Vec::new();
        for (level, nodes) in self.visible.reached_from(&[root]).into_iter().enumerate() {
            if self.order[level].1 != template {
                continue;
            }
            for node in nodes {
                for (label, child) in self.visible.edges(node).to_vec() {
                    let below = self.visible.shared_below(level + 1, child);
                    for &top in self.tops_in(level, label) {
                        let shared = self.visible.shared.members(below).iter();
                        pairs.extend(shared.map(|&shared| (shared, top)));
                    }
                }
            }
            pairs.sort_unstable();
            pairs.dedup();
        }
        pairs
    }

    /// How many operations there were.
    pub fn operations(&self) -> usize {
        self.nodes.operations() + self.visible.operations()
    }

    /// Pause after so many more operations on states.
    pub fn pause_after(&mut self, operations: usize) {
        self.nodes.pause_after(operations);
    }

    /// How much memory all this holds, and a system that grows with it.
    pub fn bytes(&self) -> usize {
        self.besides() + self.nodes.bytes() + self.visible.bytes()
    }

    /// Forget where threads lead, because they have learned to go further.
    pub fn forget_moves(&mut self) {
        self.runs = FxHashMap::default();
        self.contexts.iter_mut().for_each(FxHashMap::clear);
        self.listed = 0;
    }

    /// Forget what was remembered, and all nodes but those of some states and visible states.
    pub fn sweep(&mut self, states: &[NodeId], visible: &[NodeId]) {
        self.runs = FxHashMap::default();
        self.projections = vec![FxHashMap::default(); self.order.len()];
        self.nodes.sweep(states);
        self.visible.sweep(visible);
    }

    /// The tops that a label of the visible states stands for.
    pub(super) fn tops_in(&self, level: usize, label: LabelId) -> &[Symbol] {
        self.visible.labels[self.order[level].1].set(label)
    }

    fn list(
        &self,
        level: usize,
        node: NodeId,
        most: usize,
        row: &mut Vec<u32>,
        rows: &mut Vec<Vec<u32>>,
    ) {
        if level == self.order.len() {
            for &shared in self.visible.shared.members(node) {
                if rows.len() < most {
                    row[0] = shared;
                    rows.push(row.clone());
                }
            }
            return;
        }
        for &(label, child) in self.visible.edges(node) {
            for &top in self.tops_in(level, label) {
                if rows.len() >= most {
                    return;
                }
                row[self.order[level].0 as usize + 1] = top;
                self.list(level + 1, child, most, row, rows);
            }
        }
    }

    fn run(
        &mut self,
        level: usize,
        thread: usize,
        node: NodeId,
        watch: &mut Watch,
    ) -> Result<NodeId, Limit> {
        if node == EMPTY {
            return Ok(EMPTY);
        }
        let key = (level as u32, thread as u32, node);
        if let Some(&known) = self.runs.get(&key) {
            return Ok(known);
        }
        self.take_stock();
        self.nodes.work(watch)?;
        let mut edges = self.nodes.edges(node).to_vec();
        let result = if level < thread {
            for (_, child) in &mut edges {
                *child = self.run(level + 1, thread, *child, watch)?;
            }
            self.nodes.make(level, edges)
        } else {
            let mut parts = Vec::with_capacity(edges.len());
            for (label, child) in edges {
                let shared = self.nodes.shared_below(level + 1, child);
                let mut part = Vec::new();
                for (label, relation) in self.context(level, label, shared, watch)? {
                    let after = self.nodes.image(level + 1, child, relation, watch)?;
                    part.push((label, after));
                }
                parts.push(self.nodes.make(level, part));
            }
            self.nodes.union_of(level, parts, watch)?
        };
        self.runs.insert(key, result);
        Ok(result)
    }

    /// Where the thread at a level leads from stacks of a label: disjoint labels, each with how
    /// the shared state changes.
    fn context(
        &mut self,
        level: usize,
        label: LabelId,
        shared: SetId,
        watch: &mut Watch,
    ) -> Result<Contexts, Limit> {
        let template = self.order[level].1;
        if let Some(known) = self.contexts[template].get(&(label, shared)) {
            return Ok(known.clone());
        }
        let store = &mut self.nodes.labels[template];
        let members = self.nodes.shared.members(shared);
        let changes = self.moves.changes(store, template, label, members, watch)?;
        let mut contexts = Vec::with_capacity(changes.len());
        for (label, mut pairs) in changes {
            pairs.sort_unstable();
            contexts.push((label, self.nodes.relation(pairs)));
        }
        contexts.sort_unstable();
        self.listed += contexts.len() + 8;
        self.contexts[template].insert((label, shared), contexts.clone());
        Ok(contexts)
    }

    fn project(&mut self, level: usize, node: NodeId, watch: &mut Watch) -> Result<NodeId, Limit> {
        if level == self.order.len() {
            let members = self.nodes.shared.members(node).to_vec();
            return Ok(self.visible.shared.intern(members));
        }
        if node == EMPTY {
            return Ok(EMPTY);
        }
        if let Some(&known) = self.projections[level].get(&node) {
            return Ok(known);
        }
        let mut parts = Vec::new();
        for (label, child) in self.nodes.edges(node).to_vec() {
            let tops = self.tops(level, label);
            let child = self.project(level + 1, child, watch)?;
            parts.push(self.visible.make(level, vec![(tops, child)]));
        }
        let shown = self.visible.union_of(level, parts, watch)?;
        self.projections[level].insert(node, shown);
        Ok(shown)
    }

    fn tops(&mut self, level: usize, label: LabelId) -> SetId {
        let template = self.order[level].1;
        if let Some(&known) = self.tops[template].get(&label) {
            return known;
        }
        let mut tops = self.moves.tops(&self.nodes.labels[template], template, label);
        tops.sort_unstable();
        tops.dedup();
        let set = self.visible.labels[template].sets_mut().intern(tops);
        self.tops[template].insert(label, set);
        set
    }

    /// How much memory is held besides nodes. A map that grows is for a while there twice.
    fn besides(&self) -> usize {
        let remembered = self.runs.capacity() * 17 * 2 + self.listed * 8;
        system::lock(&self.system).bytes() + remembered + self.moves.bytes()
    }

    /// Tell either kind of nodes what is held besides them, for their look at the limits.
    fn take_stock(&mut self) {
        let besides = self.besides();
        self.nodes.held_elsewhere = besides + self.visible.bytes();
        self.visible.held_elsewhere = besides + self.nodes.bytes();
    }
}

/// The changes of local states one by one as changes of labels: those with equal changes together.
pub(super) fn grouped(
    labels: &mut Labels,
    changes: FxHashMap<u32, Vec<(Shared, Shared)>>,
) -> Vec<Change> {
    let mut groups: FxHashMap<Vec<(Shared, Shared)>, Vec<u32>> = FxHashMap::default();
    for (local, mut pairs) in changes {
        pairs.sort_unstable();
        groups.entry(pairs).or_default().push(local);
    }
    let sets = labels.sets_mut();
    let groups = groups.into_iter().map(|(pairs, mut locals)| {
        locals.sort_unstable();
        (sets.intern(locals), pairs)
    });
    groups.collect()
}
