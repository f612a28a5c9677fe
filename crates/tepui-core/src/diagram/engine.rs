//! The diagram engine: R_k and T(R_k) as decision diagrams (CUBA, Scheme 1 and Algorithm 3 over S_k;
//! the aggregates of QR, section 3, for all threads at once).
//!
//! R_{k+1} is the union of what each thread, run alone, makes of R_k. To run the thread of a level,
//! its labels are replaced: from the stacks of a label and the shared states below it, a context
//! leads to other stacks and changes the shared state. What it leads to is cut into disjoint labels,
//! each with one relation between the shared states before and after; below, the diagram stays as
//! it is but for the image of its shared states under that relation. So a context costs as much as
//! there are nodes, however many states these stand for, and all of it is remembered.
//!
//! Labels are finite sets of stacks where a thread has finite-context reachability (their closures
//! are searched one by one), and canonical regular languages where it has not (post*). Equal sets
//! of states are equal nodes, so that R_k = R_{k+1} is seen at once, also where they are infinite.
//!
//! Levels: threads of one template lie together, and templates with more rules lie lower, where
//! their many labels are shared by more nodes.

use num_bigint::BigUint;
use rustc_hash::{FxHashMap, FxHashSet};

use super::labels::{LabelId, Labels};
use super::nodes::{EMPTY, NodeId, Nodes, RelationId};
use super::sets::{SetId, Sets};
use crate::automata::languages::{LanguageId, Languages};
use crate::limits::{Limit, Limits, Outcome, Watch};
use crate::stacks::EMPTY as EMPTY_STACK;
use crate::system::{self, Handle, Shared, Symbol};
use crate::thread_states::{ThreadState, ThreadStates};

/// What is known after a round.
#[derive(Clone, Debug)]
pub struct Round {
    /// R_k; equal sets are equal nodes.
    pub states: NodeId,
    /// T(R_k), likewise.
    pub visible: NodeId,
    /// |R_k|, if it is finite.
    pub state_count: Option<BigUint>,
    /// |T(R_k)|.
    pub visible_count: BigUint,
}

/// The exploration of one system by diagrams.
pub struct Diagrams {
    system: Handle,
    /// The thread and the template of each level.
    levels: Vec<(u32, usize)>,
    threads: Vec<Thread>,
    nodes: Nodes,
    runs: FxHashMap<(usize, usize, NodeId), NodeId>,
    visible: Nodes,
    projections: Vec<FxHashMap<NodeId, NodeId>>,
    rounds: Vec<Round>,
}

/// What is remembered about the threads of a template.
#[derive(Default)]
struct Thread {
    stacks: ThreadStates,
    closures: FxHashMap<(Shared, LabelId), Vec<ThreadState>>,
    contexts: FxHashMap<(LabelId, SetId), Vec<(LabelId, RelationId)>>,
    tops: FxHashMap<LabelId, SetId>,
}

/// Stacks after a context, and the shared states before and after it.
type Change = (LabelId, Vec<(Shared, Shared)>);

impl Diagrams {
    /// An exploration that knows R_0; `finite` says of each template whether its threads have
    /// finite-context reachability.
    pub fn new(handle: &Handle, finite: &[bool]) -> Self {
        let system = system::lock(handle);
        let mut levels: Vec<(u32, usize)> =
            (0..).zip(system.threads.iter().map(|&t| t as usize)).collect();
        levels.sort_by_key(|&(thread, template)| {
            (system.templates[template].rules.len(), template, thread)
        });
        let templates: Vec<usize> = levels.iter().map(|&(_, template)| template).collect();
        let mut threads: Vec<Thread> = finite.iter().map(|_| Thread::default()).collect();
        let store = |&finite: &bool| {
            if finite {
                Labels::Stacks(Sets::default())
            } else {
                Labels::Languages(Languages::default())
            }
        };
        let mut nodes = Nodes::new(templates.clone(), finite.iter().map(store).collect());
        let mut root = nodes.shared.intern(vec![system.initial]);
        for level in (0..templates.len()).rev() {
            let word = &system.templates[templates[level]].stack;
            let label = match nodes.labels_of(level) {
                Labels::Stacks(sets) => {
                    let stacks = &mut threads[templates[level]].stacks.stacks;
                    sets.intern(vec![stacks.push(word, EMPTY_STACK)])
                }
                Labels::Languages(languages) => languages.singleton(word).number(),
            };
            root = nodes.make(level, vec![(label, root)]);
        }
        drop(system);
        let tops = finite.iter().map(|_| Labels::Stacks(Sets::default())).collect();
        let mut diagrams = Self {
            system: Handle::clone(handle),
            projections: vec![FxHashMap::default(); levels.len()],
            levels,
            threads,
            nodes,
            runs: FxHashMap::default(),
            visible: Nodes::new(templates, tops),
            rounds: Vec::new(),
        };
        let mut never = || false;
        let mut watch = Watch::new(Limits::default(), &mut never);
        diagrams.finish_round(root, &mut watch).expect("there is no limit");
        diagrams
    }

    /// The rounds computed so far, R_0 first.
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// How many nodes there are.
    pub fn count_nodes(&self) -> usize {
        self.nodes.count_nodes() + self.visible.count_nodes()
    }

    /// How much memory the exploration holds, and a system that grows with it.
    pub fn bytes(&self) -> usize {
        let threads: usize = self.threads.iter().map(|thread| thread.stacks.bytes()).sum();
        system::lock(&self.system).bytes() + threads + self.nodes.bytes() + self.visible.bytes()
    }

    /// Compute the next round. What a limit has stopped goes on where it was.
    pub fn advance(&mut self, limits: Limits, interrupted: &mut dyn FnMut() -> bool) -> Outcome {
        let mut watch = Watch::new(limits, interrupted);
        let before = self.rounds[self.rounds.len() - 1].states;
        match self.next(before, &mut watch) {
            Ok(after) => match self.finish_round(after, &mut watch) {
                Ok(()) => Outcome::Done,
                Err(limit) => Outcome::Stopped(limit),
            },
            Err(limit) => Outcome::Stopped(limit),
        }
    }

    /// Some visible states of the last round: the shared state and the top of each thread's stack.
    pub fn visible_rows(&self, most: usize) -> Vec<Vec<u32>> {
        let mut rows = Vec::new();
        let mut row = vec![0; self.levels.len() + 1];
        let root = self.rounds[self.rounds.len() - 1].visible;
        self.list(0, root, most, &mut row, &mut rows);
        rows
    }

    fn list(
        &self,
        level: usize,
        node: NodeId,
        most: usize,
        row: &mut Vec<u32>,
        rows: &mut Vec<Vec<u32>>,
    ) {
        if level == self.levels.len() {
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
                row[self.levels[level].0 as usize + 1] = top;
                self.list(level + 1, child, most, row, rows);
            }
        }
    }

    /// The tops that a label of the visible states stands for.
    fn tops_in(&self, level: usize, label: LabelId) -> &[Symbol] {
        match &self.visible.labels[self.levels[level].1] {
            Labels::Stacks(sets) => sets.members(label),
            Labels::Languages(_) => unreachable!("tops are finitely many"),
        }
    }

    fn next(&mut self, before: NodeId, watch: &mut Watch) -> Result<NodeId, Limit> {
        let mut after = before;
        for thread in 0..self.levels.len() {
            let run = self.run(0, thread, before, watch)?;
            after = self.nodes.union(0, (after, run), watch)?;
        }
        Ok(after)
    }

    fn finish_round(&mut self, states: NodeId, watch: &mut Watch) -> Result<(), Limit> {
        let visible = self.project(0, states, watch)?;
        self.rounds.push(Round {
            states,
            visible,
            state_count: self.nodes.count(states),
            visible_count: self.visible.count(visible).expect("tops are finitely many"),
        });
        Ok(())
    }

    /// What the thread of a level, run alone, makes of the states of a node.
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
        if let Some(&known) = self.runs.get(&(level, thread, node)) {
            return Ok(known);
        }
        self.nodes.work(self.visible.bytes(), watch)?;
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
                    part.push((label, self.nodes.image(level + 1, child, relation)));
                }
                parts.push(self.nodes.make(level, part));
            }
            self.nodes.union_of(level, parts, watch)?
        };
        self.runs.insert((level, thread, node), result);
        Ok(result)
    }

    /// Where a context of the thread at a level leads from stacks of a label: disjoint labels,
    /// each with how the shared state changes.
    fn context(
        &mut self,
        level: usize,
        label: LabelId,
        shared: SetId,
        watch: &mut Watch,
    ) -> Result<Vec<(LabelId, RelationId)>, Limit> {
        let template = self.levels[level].1;
        if let Some(known) = self.threads[template].contexts.get(&(label, shared)) {
            return Ok(known.clone());
        }
        let changes = match self.nodes.labels_of(level) {
            Labels::Stacks(_) => self.changes_of_stacks(template, label, shared),
            Labels::Languages(_) => self.changes_of_language(template, label, shared, watch)?,
        };
        let mut contexts = Vec::with_capacity(changes.len());
        for (label, mut pairs) in changes {
            pairs.sort_unstable();
            contexts.push((label, self.nodes.relation(pairs)));
        }
        contexts.sort_unstable();
        self.threads[template].contexts.insert((label, shared), contexts.clone());
        Ok(contexts)
    }

    fn changes_of_stacks(&mut self, template: usize, label: LabelId, shared: SetId) -> Vec<Change> {
        let mut changes: FxHashMap<u32, Vec<(Shared, Shared)>> = FxHashMap::default();
        for from in self.nodes.shared.members(shared).to_vec() {
            for &(to, stack) in self.closure(template, from, label) {
                changes.entry(stack).or_default().push((from, to));
            }
        }
        let mut groups: FxHashMap<Vec<(Shared, Shared)>, Vec<u32>> = FxHashMap::default();
        for (stack, mut pairs) in changes {
            pairs.sort_unstable();
            groups.entry(pairs).or_default().push(stack);
        }
        let Labels::Stacks(sets) = &mut self.nodes.labels[template] else { return Vec::new() };
        let groups = groups.into_iter().map(|(pairs, mut stacks)| {
            stacks.sort_unstable();
            (sets.intern(stacks), pairs)
        });
        groups.collect()
    }

    /// The thread states that are reached from a shared state with the stacks of a label.
    fn closure(&mut self, template: usize, from: Shared, label: LabelId) -> &[ThreadState] {
        let thread = &mut self.threads[template];
        let (system, labels) = (&self.system, &self.nodes.labels[template]);
        thread.closures.entry((from, label)).or_insert_with(|| {
            let Labels::Stacks(sets) = labels else { return Vec::new() };
            let mut found: Vec<ThreadState> =
                sets.members(label).iter().map(|&stack| (from, stack)).collect();
            let mut known: FxHashSet<ThreadState> = found.iter().copied().collect();
            let mut next = 0;
            while next < found.len() {
                let source = found[next];
                next += 1;
                let steps = thread.stacks.known_steps(source).unwrap_or_else(|| {
                    let mut system = system::lock(system);
                    system.meet(template, source.0, thread.stacks.stacks.top(source.1));
                    let template = &system.templates[template];
                    thread.stacks.compute_steps(template, source, u32::MAX).0
                });
                let targets = thread.stacks.targets(steps).iter();
                found.extend(targets.filter(|&&target| known.insert(target)));
            }
            found
        })
    }

    fn changes_of_language(
        &mut self,
        template: usize,
        label: LabelId,
        shared: SetId,
        watch: &mut Watch,
    ) -> Result<Vec<Change>, Limit> {
        let mut parts: Vec<(LanguageId, Vec<(Shared, Shared)>)> = Vec::new();
        let Labels::Languages(languages) = &mut self.nodes.labels[template] else {
            return Ok(Vec::new());
        };
        for &from in self.nodes.shared.members(shared) {
            let start = (template, from, LanguageId::new(label));
            let mut system = system::lock(&self.system);
            let (limits, interrupted) = watch.handed_on();
            let reached = languages.post_star(&mut system, start, limits, interrupted)?;
            for &(to, language) in reached.iter() {
                refine(languages, &mut parts, language, (from, to));
            }
        }
        Ok(parts.into_iter().map(|(part, pairs)| (part.number(), pairs)).collect())
    }

    /// The visible states of a node.
    fn project(&mut self, level: usize, node: NodeId, watch: &mut Watch) -> Result<NodeId, Limit> {
        if level == self.levels.len() {
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
        let template = self.levels[level].1;
        let thread = &mut self.threads[template];
        if let Some(&known) = thread.tops.get(&label) {
            return known;
        }
        let mut tops: Vec<Symbol> = match &self.nodes.labels[template] {
            Labels::Stacks(sets) => {
                let stacks = &thread.stacks.stacks;
                sets.members(label).iter().map(|&stack| stacks.top(stack)).collect()
            }
            Labels::Languages(languages) => languages.get(LanguageId::new(label)).tops(),
        };
        tops.sort_unstable();
        tops.dedup();
        let Labels::Stacks(sets) = &mut self.visible.labels[template] else {
            unreachable!("tops are finitely many")
        };
        let set = sets.intern(tops);
        thread.tops.insert(label, set);
        set
    }
}

/// Note a pair for all stacks of a language, splitting the disjoint parts where they differ.
fn refine(
    languages: &mut Languages,
    parts: &mut Vec<(LanguageId, Vec<(Shared, Shared)>)>,
    mut rest: LanguageId,
    pair: (Shared, Shared),
) {
    let mut split = Vec::new();
    for (part, pairs) in parts.iter_mut() {
        let common = languages.intersection(*part, rest);
        if common == LanguageId::EMPTY {
            continue;
        }
        rest = languages.difference(rest, common);
        if common == *part {
            pairs.push(pair);
        } else {
            *part = languages.difference(*part, common);
            let mut more = pairs.clone();
            more.push(pair);
            split.push((common, more));
        }
    }
    parts.extend(split);
    if rest != LanguageId::EMPTY {
        parts.push((rest, vec![pair]));
    }
}
