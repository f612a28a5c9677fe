//! The concurrent pushdown system as the kernels see it: numbers, and rules indexed by what
//! enables them.
//!
//! The numbers are those of the Python model. Symbol 0 of every template is [`EPSILON`]: it is
//! never on a stack, and as a top it stands for the empty stack.

use rustc_hash::FxHashMap;

/// A shared state.
pub type Shared = u32;

/// A stack symbol of some template.
pub type Symbol = u32;

/// The top of the empty stack.
pub const EPSILON: Symbol = 0;

/// ⟨source|top⟩ → ⟨target|word⟩, with `top` = [`EPSILON`] for a rule on the empty stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The shared state that enables the rule.
    pub source: Shared,
    /// The top of the stack that enables the rule.
    pub top: Symbol,
    /// The shared state after it.
    pub target: Shared,
    /// What replaces the top, top first.
    pub word: Vec<Symbol>,
}

/// One pushdown system, run by one or more threads.
#[derive(Debug)]
pub struct Template {
    /// How many symbols there are, [`EPSILON`] included.
    pub symbols: u32,
    /// The stack that its threads start with, top first.
    pub stack: Vec<Symbol>,
    /// The rules, in the order of the input.
    pub rules: Vec<Rule>,
    /// The numbers of the rules, those with equal source and top together, else in input order.
    by_enabling: Vec<u32>,
    /// Where in `by_enabling` the rules for a source and a top are.
    ranges: FxHashMap<(Shared, Symbol), (u32, u32)>,
}

impl Template {
    /// A template from its parts.
    pub fn new(symbols: u32, stack: Vec<Symbol>, rules: Vec<Rule>) -> Self {
        let mut by_enabling: Vec<u32> = (0..rules.len() as u32).collect();
        let enabling = |rule: &u32| {
            let rule = &rules[*rule as usize];
            (rule.source, rule.top)
        };
        by_enabling.sort_by_key(enabling);
        let mut ranges = FxHashMap::default();
        let mut start = 0;
        for same in by_enabling.chunk_by(|left, right| enabling(left) == enabling(right)) {
            let end = start + same.len() as u32;
            ranges.insert(enabling(&same[0]), (start, end));
            start = end;
        }
        Self { symbols, stack, rules, by_enabling, ranges }
    }

    /// The numbers of the rules that a thread may take at this shared state with this top.
    pub fn enabled(&self, shared: Shared, top: Symbol) -> &[u32] {
        match self.ranges.get(&(shared, top)) {
            Some(&(start, end)) => &self.by_enabling[start as usize..end as usize],
            None => &[],
        }
    }
}

/// A concurrent pushdown system.
#[derive(Debug)]
pub struct System {
    /// How many shared states there are.
    pub shared: u32,
    /// The initial shared state.
    pub initial: Shared,
    /// The templates.
    pub templates: Vec<Template>,
    /// The template of each thread.
    pub threads: Vec<u32>,
}

/// Threads whose places in a state may be exchanged: all of a template, or one alone.
#[derive(Clone, Debug)]
pub struct Group {
    /// What the threads run.
    pub template: u32,
    /// The threads, in ascending order; never empty.
    pub threads: Vec<u32>,
}

impl System {
    /// The groups of interchangeable threads; without symmetry, every thread is its own group.
    pub fn groups(&self, symmetry: bool) -> Vec<Group> {
        let alone =
            |(thread, &template): (usize, &u32)| Group { template, threads: vec![thread as u32] };
        let singletons = self.threads.iter().enumerate().map(alone);
        if !symmetry {
            return singletons.collect();
        }
        let mut groups: Vec<Group> = Vec::new();
        for single in singletons {
            match groups.iter_mut().find(|group| group.template == single.template) {
                Some(group) => group.threads.extend(single.threads),
                None => groups.push(single),
            }
        }
        groups
    }
}
