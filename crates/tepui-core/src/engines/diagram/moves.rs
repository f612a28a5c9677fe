//! What threads do in R_k: a context is any number of steps of one thread.
//!
//! Labels are finite sets of hash-consed stacks where a thread has finite-context reachability
//! (their closures are searched one by one), and canonical regular languages where it has not
//! (post*).

use rustc_hash::FxHashMap;

use crate::automata::stack_languages::{LanguageId, Languages};
use crate::limits::{Limit, Meter};
use crate::sets::diagram::labels::{LabelId, Labels};
use crate::sets::diagram::levels::{Change, Moves, closure, grouped};
use crate::sets::stacks::{EMPTY as EMPTY_STACK, StackId, Stacks};
use crate::sets::thread_states::{ThreadState, ThreadStates};
use crate::system::{self, Handle, Shared, Symbol};

/// What is remembered about the threads of each template.
pub struct StackMoves {
    system: Handle,
    threads: Vec<Thread>,
    /// How many thread states the closures list.
    listed: usize,
}

#[derive(Default)]
struct Thread {
    states: ThreadStates,
    closures: FxHashMap<(Shared, LabelId), Vec<ThreadState>>,
}

impl StackMoves {
    /// Nothing is remembered yet, for this number of templates.
    pub fn new(system: &Handle, templates: usize) -> Self {
        let threads = (0..templates).map(|_| Thread::default()).collect();
        Self { system: Handle::clone(system), threads, listed: 0 }
    }

    /// The label of one stack.
    pub fn label_of(
        &mut self,
        labels: &mut Labels<StackId>,
        template: usize,
        word: &[Symbol],
    ) -> LabelId {
        match labels {
            Labels::Stacks(sets) => {
                let stacks = &mut self.threads[template].states.stacks;
                sets.intern(vec![stacks.push(word, EMPTY_STACK)]).into()
            }
            Labels::Languages(languages) => languages.singleton(word).into(),
        }
    }

    /// The hash-consed stacks of a template.
    pub fn stacks(&self, template: usize) -> &Stacks {
        &self.threads[template].states.stacks
    }

    /// The hash-consed stacks and known steps of a template.
    pub fn states(&mut self, template: usize) -> &mut ThreadStates {
        &mut self.threads[template].states
    }

    /// The thread states that are reached from a shared state with the stacks of a label.
    pub fn closure(
        &mut self,
        labels: &Labels<StackId>,
        template: usize,
        from: Shared,
        label: LabelId,
        meter: &mut Meter,
    ) -> Result<&[ThreadState], Limit> {
        if !self.threads[template].closures.contains_key(&(from, label)) {
            let starts = labels.set(label).iter().map(|&stack| (from, stack)).collect();
            let found = closure(self, template, starts, meter)?;
            self.listed += found.len() + 8;
            self.threads[template].closures.insert((from, label), found);
        }
        Ok(&self.threads[template].closures[&(from, label)])
    }

    fn changes_of_stacks(
        &mut self,
        labels: &mut Labels<StackId>,
        template: usize,
        label: LabelId,
        shared: &[Shared],
        meter: &mut Meter,
    ) -> Result<Vec<Change>, Limit> {
        let mut changes: FxHashMap<StackId, Vec<(Shared, Shared)>> = FxHashMap::default();
        for &from in shared {
            for &(to, stack) in self.closure(labels, template, from, label, meter)? {
                changes.entry(stack).or_default().push((from, to));
            }
        }
        Ok(grouped(labels, changes))
    }
}

impl Moves for StackMoves {
    type Local = StackId;

    fn changes(
        &mut self,
        labels: &mut Labels<StackId>,
        template: usize,
        label: LabelId,
        shared: &[Shared],
        meter: &mut Meter,
    ) -> Result<Vec<Change>, Limit> {
        let Labels::Languages(languages) = labels else {
            return self.changes_of_stacks(labels, template, label, shared, meter);
        };
        let mut parts: Vec<(LanguageId, Vec<(Shared, Shared)>)> = Vec::new();
        for &from in shared {
            let start = (template, from, label.language());
            let mut system = system::lock(&self.system);
            let reached = languages.post_star(&mut system, start, &mut meter.for_part())?;
            drop(system);
            for &(to, language) in reached.iter() {
                refine(languages, &mut parts, language, (from, to), meter)?;
            }
        }
        Ok(parts.into_iter().map(|(part, pairs)| (part.into(), pairs)).collect())
    }

    fn targets(
        &mut self,
        template: usize,
        source: ThreadState,
    ) -> impl Iterator<Item = ThreadState> {
        let states = &mut self.threads[template].states;
        let number = states.number(source);
        let steps = states.known_steps(number).unwrap_or_else(|| {
            let mut system = system::lock(&self.system);
            system.meet(template, source.0, states.stacks.top(source.1));
            states.compute_steps(&system.templates[template], number)
        });
        states.targets(steps)
    }

    fn tops(&self, labels: &Labels<StackId>, template: usize, label: LabelId) -> Vec<Symbol> {
        match labels {
            Labels::Stacks(sets) => {
                let stacks = &self.threads[template].states.stacks;
                sets.members(label.set()).iter().map(|&stack| stacks.top(stack)).collect()
            }
            Labels::Languages(languages) => languages.get(label.language()).tops(),
        }
    }

    fn bytes(&self) -> usize {
        let threads: usize = self.threads.iter().map(|thread| thread.states.bytes()).sum();
        threads + self.listed * size_of::<ThreadState>()
    }
}

/// How many languages are compared between two looks at the limits.
const COMPARED_BETWEEN_LOOKS: usize = 64;

/// Note a pair for all stacks of a language, splitting the disjoint parts where they differ.
fn refine(
    languages: &mut Languages,
    parts: &mut Vec<(LanguageId, Vec<(Shared, Shared)>)>,
    mut rest: LanguageId,
    pair: (Shared, Shared),
    meter: &mut Meter,
) -> Result<(), Limit> {
    let mut split = Vec::new();
    for (number, (part, pairs)) in parts.iter_mut().enumerate() {
        if number.is_multiple_of(COMPARED_BETWEEN_LOOKS)
            && let Some(limit) = meter.reached(0, languages.bytes())
        {
            return Err(limit);
        }
        let common = languages.intersection(*part, rest, meter)?;
        if common == LanguageId::EMPTY {
            continue;
        }
        rest = languages.difference(rest, common, meter)?;
        if common == *part {
            pairs.push(pair);
        } else {
            *part = languages.difference(*part, common, meter)?;
            let mut more = pairs.clone();
            more.push(pair);
            split.push((common, more));
        }
    }
    parts.extend(split);
    if rest != LanguageId::EMPTY {
        parts.push((rest, vec![pair]));
    }
    Ok(())
}
