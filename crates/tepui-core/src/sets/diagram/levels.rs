//! States of all threads as diagrams: threads that run on them, and what shows of them.
//!
//! To run the thread of a level, its labels are replaced: from the stacks of a label and the shared
//! states below it, the thread leads to other stacks and changes the shared state. What it leads to
//! is split into disjoint labels, each with one relation between the shared states before and after;
//! below, the diagram stays as it is, except that its shared states become their image. So
//! a run costs as much as there are nodes, however many states these stand for, and all of it is
//! remembered.
//!
//! What a thread does by itself is for [`Moves`] to say: that is where R_k and Z differ.
//!
//! When memory runs out, or has grown much, all nodes are swept away except those of what was completed.
//! What was remembered about operations goes with them. Then the computation goes on. If memory runs
//! out again before something more is completed, that is the end.
//!
//! Order of the levels: threads of one template lie together, and templates with more rules lie
//! lower, where their many labels are shared by more nodes. For a program, only the rules count that
//! were met before the diagram began, so the order is often that of the text.

use std::hash::Hash;

use rustc_hash::{FxHashMap, FxHashSet};

use super::finite_sets::{SetId, Sets};
use super::labels::{LabelId, Labels};
use super::nodes::{NodeId, Nodes, RelationId};
use crate::limits::{Limit, Limits, Meter, Outcome};
use crate::program::Point;
use crate::sets::visible::{self, TopPoints};
use crate::system::{self, Handle, Shared, Symbol};

/// Local states to which a thread leads, and the shared states before and after.
pub type Change = (LabelId, Vec<(Shared, Shared)>);

/// Disjoint labels to which a thread leads, each with how the shared state changes.
type Effects = Vec<(LabelId, RelationId)>;

/// What the threads of each template do by themselves.
pub trait Moves {
    /// A local state of a thread.
    type Local: Copy + Ord + Hash;

    /// Where a thread leads from the local states of a label and these shared states: disjoint
    /// labels, each with how the shared state changes. Going nowhere is one of the ways to go.
    fn changes(
        &mut self,
        labels: &mut Labels<Self::Local>,
        template: usize,
        label: LabelId,
        shared: &[Shared],
        meter: &mut Meter,
    ) -> Result<Vec<Change>, Limit>;

    /// Where the steps of a thread lead from a shared state with a local state.
    fn targets(
        &mut self,
        template: usize,
        source: (Shared, Self::Local),
    ) -> impl Iterator<Item = (Shared, Self::Local)>;

    /// The tops of the stacks of a label, in any order.
    fn tops(&self, labels: &Labels<Self::Local>, template: usize, label: LabelId) -> Vec<Symbol>;

    /// How much memory they hold.
    fn bytes(&self) -> usize;
}

/// DiagramKernel of one system, the threads that run on them, and their visible states.
pub struct Levels<M: Moves> {
    /// The system.
    pub system: Handle,
    /// The thread and the template of each level.
    pub order: Vec<(u32, usize)>,
    /// What threads do.
    pub moves: M,
    /// The diagrams of states.
    pub nodes: Nodes<M::Local>,
    /// The diagrams of visible states.
    pub visible: Nodes<Symbol>,
    runs: FxHashMap<(u32, u32, NodeId), NodeId>,
    /// For each template, where its threads lead.
    effects: Vec<FxHashMap<(LabelId, SetId), Effects>>,
    /// For each template, the tops of its labels, as sets of the visible states.
    tops: Vec<FxHashMap<LabelId, SetId>>,
    projections: Vec<FxHashMap<NodeId, NodeId>>,
    /// How many entries `effects` lists.
    listed: usize,
    /// How much was held after the last sweep.
    swept: usize,
    /// Whether memory has run out since something was completed.
    has_run_out: bool,
}

/// How much memory to hold before a first sweep, unless there is less.
const BYTES_BEFORE_SWEEP: usize = 512 << 20;

impl<M: Moves> Levels<M> {
    /// No diagrams yet, with a store of labels for each template.
    pub fn new(handle: &Handle, moves: M, labels: Vec<Labels<M::Local>>) -> Self {
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
            effects: vec![FxHashMap::default(); count],
            tops: vec![FxHashMap::default(); count],
            projections: vec![FxHashMap::default(); order.len()],
            order,
            listed: 0,
            swept: 0,
            has_run_out: false,
        }
    }

    /// The initial state, where `label` says what holds the initial stack of a template.
    pub fn initial(
        &mut self,
        mut label: impl FnMut(&mut Labels<M::Local>, &mut M, usize) -> LabelId,
    ) -> NodeId {
        let initial = system::lock(&self.system).initial;
        let mut node = NodeId::from(self.nodes.shared.intern(vec![initial]));
        for level in (0..self.order.len()).rev() {
            let store = self.nodes.labels_of(level);
            let label = label(store, &mut self.moves, self.order[level].1);
            let meter = &mut Meter::over(Limits::default());
            let made = self.nodes.make(level, vec![(label, node)], meter);
            node = made.expect("no limit");
        }
        node
    }

    /// What the thread of a level, run alone, makes of the states of a node at level 0.
    pub fn run_thread(
        &mut self,
        thread: usize,
        node: NodeId,
        meter: &mut Meter,
    ) -> Result<NodeId, Limit> {
        self.run(0, thread, node, meter)
    }

    /// The visible states of a node at level 0.
    pub fn show(&mut self, node: NodeId, meter: &mut Meter) -> Result<NodeId, Limit> {
        self.take_stock();
        self.project(0, node, meter)
    }

    /// The visible states of a node: the shared state and the top of each thread's stack.
    pub fn visible_rows(&self, root: NodeId) -> Vec<Vec<u32>> {
        let mut rows = Vec::new();
        let mut row = vec![0; self.order.len() + 1];
        self.list(0, root, &mut row, &mut rows);
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

    /// For each template of a program's system, the points that its threads reach.
    pub fn points(&mut self, root: NodeId, tops: &TopPoints) -> Vec<Vec<Point>> {
        let pairs: Vec<_> =
            (0..self.tops.len()).map(|template| self.thread_visible(root, template)).collect();
        visible::points(&system::lock(&self.system), &pairs, tops)
    }

    /// How many operations there were.
    pub fn operations(&self) -> usize {
        self.nodes.operations() + self.visible.operations()
    }

    /// Pause after this many more operations on states.
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
        self.effects.iter_mut().for_each(FxHashMap::clear);
        self.listed = 0;
    }

    /// Note that something was completed, so that it need not be begun again; sweep if memory has
    /// grown much, keeping some states and visible states.
    pub fn mark_progress(&mut self, states: &[NodeId], visible: &[NodeId]) {
        self.has_run_out = false;
        if self.bytes() > BYTES_BEFORE_SWEEP.max(2 * self.swept) {
            self.sweep(states, visible);
        }
    }

    /// How a computation ends at a limit. When memory runs out, a sweep that keeps some states and
    /// visible states lets it go on, but not twice with nothing completed between.
    pub fn outcome_at(&mut self, limit: Limit, states: &[NodeId], visible: &[NodeId]) -> Outcome {
        match limit {
            Limit::Work => Outcome::Paused,
            Limit::Memory if !self.has_run_out => {
                self.has_run_out = true;
                self.sweep(states, visible);
                Outcome::Paused
            }
            limit => Outcome::Stopped(limit),
        }
    }

    /// The tops that a label of the visible states stands for.
    pub(super) fn tops_in(&self, level: usize, label: LabelId) -> &[Symbol] {
        self.visible.labels[self.order[level].1].set(label)
    }

    /// Forget what was remembered, and all nodes but those of some states and visible states.
    fn sweep(&mut self, states: &[NodeId], visible: &[NodeId]) {
        self.runs = FxHashMap::default();
        self.projections = vec![FxHashMap::default(); self.order.len()];
        self.nodes.sweep(states);
        self.visible.sweep(visible);
        self.swept = self.bytes();
    }

    fn list(&self, level: usize, node: NodeId, row: &mut Vec<u32>, rows: &mut Vec<Vec<u32>>) {
        if level == self.order.len() {
            for &shared in self.visible.shared.members(node.set()) {
                row[0] = shared.number();
                rows.push(row.clone());
            }
            return;
        }
        for &(label, child) in self.visible.edges(node) {
            for &top in self.tops_in(level, label) {
                row[self.order[level].0 as usize + 1] = top.number();
                self.list(level + 1, child, row, rows);
            }
        }
    }

    fn run(
        &mut self,
        level: usize,
        thread: usize,
        node: NodeId,
        meter: &mut Meter,
    ) -> Result<NodeId, Limit> {
        if node == NodeId::EMPTY {
            return Ok(NodeId::EMPTY);
        }
        let key = (level as u32, thread as u32, node);
        if let Some(&known) = self.runs.get(&key) {
            return Ok(known);
        }
        self.take_stock();
        self.nodes.work(meter)?;
        let mut edges = self.nodes.edges(node).to_vec();
        let result = if level < thread {
            for (_, child) in &mut edges {
                *child = self.run(level + 1, thread, *child, meter)?;
            }
            self.nodes.make(level, edges, meter)?
        } else {
            let mut parts = Vec::with_capacity(edges.len());
            for (label, child) in edges {
                let shared = self.nodes.shared_below(level + 1, child);
                let mut part = Vec::new();
                for (label, relation) in self.effects(level, label, shared, meter)? {
                    let after = self.nodes.image(level + 1, child, relation, meter)?;
                    part.push((label, after));
                }
                parts.push(self.nodes.make(level, part, meter)?);
            }
            self.nodes.union_of(level, parts, meter)?
        };
        self.runs.insert(key, result);
        Ok(result)
    }

    /// Where the thread at a level leads from stacks of a label: disjoint labels, each with how
    /// the shared state changes.
    fn effects(
        &mut self,
        level: usize,
        label: LabelId,
        shared: SetId,
        meter: &mut Meter,
    ) -> Result<Effects, Limit> {
        let template = self.order[level].1;
        if let Some(known) = self.effects[template].get(&(label, shared)) {
            return Ok(known.clone());
        }
        let store = &mut self.nodes.labels[template];
        let members = self.nodes.shared.members(shared);
        let changes = self.moves.changes(store, template, label, members, meter)?;
        let mut effects = Vec::with_capacity(changes.len());
        for (label, mut pairs) in changes {
            pairs.sort_unstable();
            effects.push((label, self.nodes.relation(pairs)));
        }
        effects.sort_unstable();
        self.listed += effects.len() + 8;
        self.effects[template].insert((label, shared), effects.clone());
        Ok(effects)
    }

    fn project(&mut self, level: usize, node: NodeId, meter: &mut Meter) -> Result<NodeId, Limit> {
        if level == self.order.len() {
            let members = self.nodes.shared.members(node.set()).to_vec();
            return Ok(self.visible.shared.intern(members).into());
        }
        if node == NodeId::EMPTY {
            return Ok(NodeId::EMPTY);
        }
        if let Some(&known) = self.projections[level].get(&node) {
            return Ok(known);
        }
        let mut parts = Vec::new();
        for (label, child) in self.nodes.edges(node).to_vec() {
            let tops = self.tops(level, label);
            let child = self.project(level + 1, child, meter)?;
            parts.push(self.visible.make(level, vec![(tops.into(), child)], meter)?);
        }
        let shown = self.visible.union_of(level, parts, meter)?;
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

/// The thread states that are reached from some.
pub(crate) fn closure<M: Moves>(
    moves: &mut M,
    template: usize,
    starts: Vec<(Shared, M::Local)>,
    meter: &mut Meter,
) -> Result<Vec<(Shared, M::Local)>, Limit> {
    let mut known: FxHashSet<(Shared, M::Local)> = starts.iter().copied().collect();
    let mut found = starts;
    let mut next = 0;
    while next < found.len() {
        let source = found[next];
        next += 1;
        if next.is_multiple_of(1024)
            && let Some(limit) = meter.reached(0, moves.bytes() + found.len() * 24)
        {
            return Err(limit);
        }
        let targets = moves.targets(template, source);
        found.extend(targets.filter(|&target| known.insert(target)));
    }
    Ok(found)
}

/// The changes of local states one by one as changes of labels: those with equal changes together.
pub(crate) fn grouped<T: Copy + Ord + Hash>(
    labels: &mut Labels<T>,
    changes: FxHashMap<T, Vec<(Shared, Shared)>>,
) -> Vec<Change> {
    let mut groups: FxHashMap<Vec<(Shared, Shared)>, Vec<T>> = FxHashMap::default();
    for (local, mut pairs) in changes {
        pairs.sort_unstable();
        groups.entry(pairs).or_default().push(local);
    }
    let sets = labels.sets_mut();
    let groups = groups.into_iter().map(|(pairs, mut locals)| {
        locals.sort_unstable();
        (sets.intern(locals).into(), pairs)
    });
    groups.collect()
}
