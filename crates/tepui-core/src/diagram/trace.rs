//! The runs behind what the diagram engine has found: contexts, with concrete stacks.
//!
//! A state of R_k is taken back round by round. Its predecessor differs in the stack of one thread:
//! the part of R_{k-1} in which the other threads have the stacks that they have now lists the
//! stacks and shared states from which that thread may have run. So the trace has as few contexts
//! as there are rounds. Within a context the run is a shortest one between its two ends where
//! stacks are finitely many; where they are not, as short as [`crate::shortest_runs`] finds it.

use rustc_hash::FxHashMap;

use super::engine::Diagrams;
use super::labels::{LabelId, Labels};
use super::nodes::NodeId;
use super::sets::SetId;
use crate::automata::dfa::Dfa;
use crate::automata::languages::LanguageId;
use crate::automata::p_automaton::PAutomaton;
use crate::limits::{Limit, Limits, Watch};
use crate::shortest_runs::run_to;
use crate::stacks::EMPTY as EMPTY_STACK;
use crate::system::{self, Shared, Symbol};
use crate::thread_states::{ThreadState, ThreadStates};

/// A thread, and the rules that it takes in one context.
pub type Context = (u32, Vec<u32>);

/// The stack at the start of a run, and its rules.
pub type Run = (Vec<Symbol>, Vec<u32>);

/// What the stack of a thread must be like.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// Anything.
    Any,
    /// It has this top.
    Top(Symbol),
    /// It is in this language.
    In(Dfa),
}

/// A state with whole stacks, by level.
struct State {
    shared: Shared,
    stacks: Vec<Vec<Symbol>>,
}

impl Diagrams {
    /// Whether a round has a state with this shared state, if one is given, and such stacks, one
    /// for each thread; the contexts of a run to one, as many as the first such round says.
    pub fn trace(
        &mut self,
        round: usize,
        shared: Option<Shared>,
        wanted: &[Wanted],
        limits: Limits,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Vec<Context>>, Limit> {
        let mut watch = Watch::new(limits, interrupted);
        let Some(first) = (0..=round).find(|&round| self.choose(round, shared, wanted).is_some())
        else {
            return Ok(None);
        };
        let mut contexts = Vec::with_capacity(first);
        let mut state = self.choose(first, shared, wanted).expect("it was there before");
        for round in (0..first).rev() {
            let (context, before) = self.take_back(round, state, &mut watch)?;
            contexts.push(context);
            state = before;
        }
        contexts.reverse();
        Ok(Some(contexts))
    }

    /// Whether a round has a state with this shared state and such stacks.
    pub fn has(&mut self, round: usize, shared: Option<Shared>, wanted: &[Wanted]) -> bool {
        self.choose(round, shared, wanted).is_some()
    }

    fn choose(&mut self, round: usize, shared: Option<Shared>, wanted: &[Wanted]) -> Option<State> {
        let levels = &mut self.levels;
        let root = self.rounds[round].states;
        let mut stacks = FxHashMap::default();
        for (level, nodes) in levels.nodes.reached_from(&[root]).into_iter().enumerate() {
            let (thread, template) = levels.order[level];
            for node in nodes {
                for &(label, _) in levels.nodes.edges(node) {
                    stacks.entry((level, label)).or_insert_with(|| {
                        let labels = &levels.nodes.labels[template];
                        let states = levels.moves.states(template);
                        pick(labels, states, label, &wanted[thread as usize])
                    });
                }
            }
        }
        let found =
            levels.nodes.find(root, shared, &mut |level, label| stacks[&(level, label)].clone());
        found.map(|(shared, stacks)| State { shared, stacks })
    }

    /// A state of a round from which one context leads to this state, and that context.
    fn take_back(
        &mut self,
        round: usize,
        after: State,
        watch: &mut Watch,
    ) -> Result<(Context, State), Limit> {
        let root = self.rounds[round].states;
        for level in 0..after.stacks.len() {
            for (label, before) in self.with_others(root, level, &after.stacks) {
                for shared in self.levels.nodes.shared.members(before).to_vec() {
                    let end = (after.shared, &after.stacks[level][..]);
                    let Some((start, rules)) =
                        self.run_between(level, shared, label, end, watch)?
                    else {
                        continue;
                    };
                    let mut stacks = after.stacks;
                    stacks[level] = start;
                    let thread = self.levels.order[level].0;
                    return Ok(((thread, rules), State { shared, stacks }));
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
        let mut found = vec![(0, root)];
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
        found
    }

    fn holds(&mut self, level: usize, label: LabelId, stack: &[Symbol]) -> bool {
        let template = self.levels.order[level].1;
        match &self.levels.nodes.labels[template] {
            Labels::Stacks(sets) => {
                let stacks = &mut self.levels.moves.states(template).stacks;
                let stack = stacks.push(stack, EMPTY_STACK);
                sets.members(label).binary_search(&stack).is_ok()
            }
            Labels::Languages(languages) => languages.contains(LanguageId::new(label), stack),
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
        watch: &mut Watch,
    ) -> Result<Option<Run>, Limit> {
        let levels = &mut self.levels;
        let template = levels.order[level].1;
        let labels = &mut levels.nodes.labels[template];
        match labels {
            Labels::Stacks(_) => {
                let stack = levels.moves.states(template).stacks.push(end.1, EMPTY_STACK);
                let end = (end.0, stack);
                if !levels.moves.closure(labels, template, shared, label, watch)?.contains(&end) {
                    return Ok(None);
                }
                let starts: Vec<ThreadState> =
                    labels.set(label).iter().map(|&stack| (shared, stack)).collect();
                let states = levels.moves.states(template);
                let run = states.shortest_run_from(&starts, end, watch);
                let (start, rules) = run.ok_or(Limit::Time)?;
                Ok(Some((states.stacks.word(start.1), rules)))
            }
            Labels::Languages(languages) => {
                let language = LanguageId::new(label);
                let mut system = system::lock(&levels.system);
                let (limits, interrupted) = watch.handed_on();
                let start = (template, shared, language);
                let reached = languages.post_star(&mut system, start, limits, interrupted)?;
                let is_end = reached
                    .iter()
                    .any(|&(to, stacks)| to == end.0 && languages.contains(stacks, end.1));
                if !is_end {
                    return Ok(None);
                }
                let automaton = PAutomaton::of_language(shared, languages.get(language));
                let run = run_to(&mut system, template, &automaton, end, watch)?;
                Ok(Some((run.start.1, run.rules)))
            }
        }
    }
}

/// A stack of a label that is like the wanted ones, as short as possible.
fn pick(
    labels: &Labels,
    states: &mut ThreadStates,
    label: LabelId,
    wanted: &Wanted,
) -> Option<Vec<Symbol>> {
    match labels {
        Labels::Stacks(sets) => {
            let stacks = &states.stacks;
            let fitting = sets.members(label).iter().filter(|&&stack| match wanted {
                Wanted::Any => true,
                Wanted::Top(top) => stacks.top(stack) == *top,
                Wanted::In(language) => language.accepts(&stacks.word(stack)),
            });
            fitting.min_by_key(|&&stack| stacks.height(stack)).map(|&stack| stacks.word(stack))
        }
        Labels::Languages(languages) => {
            let language = languages.get(LanguageId::new(label));
            match wanted {
                Wanted::Any => language.shortest(),
                Wanted::Top(top) => language.shortest_with_top(*top),
                Wanted::In(other) => language.shortest_in_common(other),
            }
        }
    }
}
