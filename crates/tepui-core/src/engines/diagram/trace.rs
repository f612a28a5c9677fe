//! The runs behind what the diagram engine has found: contexts, with concrete stacks.
//!
//! A state of R_k is taken back round by round. Its predecessor differs in the stack of one thread:
//! the part of R_{k-1} in which the other threads have the stacks that they have now lists the
//! stacks and shared states from which that thread may have run. So the trace has as few contexts
//! as there are rounds. Within a context the run is a shortest one between its two ends where
//! stacks are finitely many; where they are not, as short as [`crate::engines::shortest_runs`] finds it.

use rustc_hash::FxHashMap;

use super::kernel::DiagramKernel;
use crate::automata::dfa::Dfa;
use crate::automata::p_automaton::PAutomaton;
use crate::automata::run::Run;
use crate::engines::kernel::{Context, Found};
use crate::engines::shortest_runs::run_to;
use crate::limits::{Limit, Meter};
use crate::sets::diagram::finite_sets::SetId;
use crate::sets::diagram::labels::{LabelId, Labels};
use crate::sets::diagram::nodes::NodeId;
use crate::sets::stacks::{EMPTY as EMPTY_STACK, StackId, Stacks};
use crate::sets::thread_states::ThreadState;
use crate::system::{self, Shared, Symbol};
use crate::whole_stacks::Reach;

/// A state with whole stacks, by level.
pub(super) struct State {
    shared: Shared,
    stacks: Vec<Vec<Symbol>>,
}

impl DiagramKernel {
    /// The contexts of a run to a state that was found, as few as the first round says that has
    /// one like it.
    pub(super) fn trace_to(
        &mut self,
        found: &Found,
        meter: &mut Meter,
    ) -> Result<Vec<Context>, Limit> {
        let reach = found.reach.as_ref().expect("diagrams find states by their stacks");
        for round in 0..=found.round {
            if let Some(state) = self.choose(round, reach, meter)? {
                return self.contexts_to(round, state, meter);
            }
        }
        unreachable!("the round has what was found in it")
    }

    /// A state of a round that is asked for, if there is one.
    pub(super) fn choose(
        &self,
        round: usize,
        reach: &Reach,
        meter: &mut Meter,
    ) -> Result<Option<State>, Limit> {
        let levels = &self.levels;
        let mut picked = FxHashMap::default();
        let mut pick = |level: usize, label: LabelId| {
            let known = picked.entry((level, label)).or_insert_with(|| {
                let (thread, template) = levels.order[level];
                let stacks = levels.moves.stacks(template);
                let wanted = reach.stacks[thread as usize].as_ref();
                shortest(&levels.nodes.labels[template], stacks, label, wanted)
            });
            known.clone()
        };
        let root = self.roots[round].states;
        let found = levels.nodes.find(root, reach.shared, &mut pick, meter)?;
        Ok(found.map(|(shared, stacks)| State { shared, stacks }))
    }

    /// The contexts of a run to a state of a round, as many as there are rounds up to it.
    fn contexts_to(
        &mut self,
        round: usize,
        mut state: State,
        meter: &mut Meter,
    ) -> Result<Vec<Context>, Limit> {
        let mut contexts = Vec::with_capacity(round);
        for before in (0..round).rev() {
            let context;
            (context, state) = self.take_back(before, state, meter)?;
            contexts.push(context);
        }
        contexts.reverse();
        Ok(contexts)
    }

    /// A state of a round from which one context leads to this state, and that context.
    fn take_back(
        &mut self,
        round: usize,
        after: State,
        meter: &mut Meter,
    ) -> Result<(Context, State), Limit> {
        let root = self.roots[round].states;
        for level in 0..after.stacks.len() {
            for (label, before) in self.with_others(root, level, &after.stacks) {
                for shared in self.levels.nodes.shared.members(before).to_vec() {
                    let end = (after.shared, &after.stacks[level][..]);
                    let run = self.run_between(level, shared, label, end, meter)?;
                    let Some(Run { start, rules }) = run else { continue };
                    let mut stacks = after.stacks;
                    stacks[level] = start.1;
                    let context = Context { thread: self.levels.order[level].0, rules };
                    return Ok((context, State { shared, stacks }));
                }
            }
        }
        unreachable!("a state of a round comes from the round before")
    }

    /// The stacks of the thread at a level, and the shared states with them, where the other
    /// threads have these stacks.
    fn with_others(
        &mut self,
        root: NodeId,
        open: usize,
        stacks: &[Vec<Symbol>],
    ) -> Vec<(LabelId, SetId)> {
        let mut found = vec![(LabelId::EMPTY, root)];
        for (level, stack) in stacks.iter().enumerate() {
            let mut below = Vec::new();
            for (chosen, node) in found {
                for (label, child) in self.levels.nodes.edges(node).to_vec() {
                    if level == open {
                        below.push((label, child));
                    } else if self.holds(level, label, stack) {
                        below.push((chosen, child));
                    }
                }
            }
            found = below;
        }
        found.into_iter().map(|(label, end)| (label, end.set())).collect()
    }

    fn holds(&mut self, level: usize, label: LabelId, stack: &[Symbol]) -> bool {
        let template = self.levels.order[level].1;
        match &self.levels.nodes.labels[template] {
            Labels::Stacks(sets) => {
                let stacks = &mut self.levels.moves.states(template).stacks;
                let stack = stacks.push(stack, EMPTY_STACK);
                sets.members(label.set()).binary_search(&stack).is_ok()
            }
            Labels::Languages(languages) => languages.contains(label.language(), stack),
        }
    }

    /// A stack of a label from which the thread at a level runs from a shared state to an end, and
    /// the rules of such a run.
    fn run_between(
        &mut self,
        level: usize,
        shared: Shared,
        label: LabelId,
        end: (Shared, &[Symbol]),
        meter: &mut Meter,
    ) -> Result<Option<Run>, Limit> {
        let levels = &mut self.levels;
        let template = levels.order[level].1;
        let labels = &mut levels.nodes.labels[template];
        match labels {
            Labels::Stacks(_) => {
                let stack = levels.moves.states(template).stacks.push(end.1, EMPTY_STACK);
                let end = (end.0, stack);
                if !levels.moves.closure(labels, template, shared, label, meter)?.contains(&end) {
                    return Ok(None);
                }
                let starts: Vec<ThreadState> =
                    labels.set(label).iter().map(|&stack| (shared, stack)).collect();
                let states = levels.moves.states(template);
                let (start, rules) = states.shortest_run_from(&starts, end, meter)?;
                Ok(Some(Run { start: (shared, states.stacks.word(start.1)), rules }))
            }
            Labels::Languages(languages) => {
                let language = label.language();
                let mut system = system::lock(&levels.system);
                let start = (template, shared, language);
                let reached = languages.post_star(&mut system, start, &mut meter.for_part())?;
                let is_end = reached
                    .iter()
                    .any(|&(to, stacks)| to == end.0 && languages.contains(stacks, end.1));
                if !is_end {
                    return Ok(None);
                }
                let automaton = PAutomaton::of_language(shared, languages.get(language));
                run_to(&mut system, template, &automaton, end, meter).map(Some)
            }
        }
    }
}

/// A stack of a label that is in a set, if one is given, as short as possible.
fn shortest(
    labels: &Labels<StackId>,
    stacks: &Stacks,
    label: LabelId,
    wanted: Option<&Dfa>,
) -> Option<Vec<Symbol>> {
    match labels {
        Labels::Stacks(sets) => {
            let members = sets.members(label.set()).iter().copied();
            let mut known = FxHashMap::default();
            let mut fits = |stack| wanted.is_none_or(|set| accepts(set, stacks, stack, &mut known));
            let lowest =
                members.filter(|&stack| fits(stack)).min_by_key(|&stack| stacks.height(stack));
            lowest.map(|stack| stacks.word(stack))
        }
        Labels::Languages(languages) => {
            let language = languages.get(label.language());
            wanted.map_or_else(|| language.shortest(), |set| language.shortest_in_common(set))
        }
    }
}

/// Whether a stack is in a set. What is known about stacks below others is asked once only: they can
/// be many, and high.
fn accepts(
    set: &Dfa,
    stacks: &Stacks,
    mut stack: StackId,
    known: &mut FxHashMap<(StackId, u32), bool>,
) -> bool {
    let (mut state, mut passed) = (0, Vec::new());
    let answer = loop {
        if let Some(&answer) = known.get(&(stack, state)) {
            break answer;
        }
        passed.push((stack, state));
        if stack == EMPTY_STACK {
            break !set.is_empty() && set.is_accepting(state);
        }
        match set.step(state, stacks.top(stack)) {
            Some(next) => (state, stack) = (next, stacks.rest(stack)),
            None => break false,
        }
    };
    known.extend(passed.into_iter().map(|place| (place, answer)));
    answer
}
