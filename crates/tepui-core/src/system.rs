//! The concurrent pushdown system as the kernels see it: numbers, and rules indexed by what
//! enables them.
//!
//! The numbers are those of the Python model. Symbol 0 of every template is [`EPSILON`]: it is
//! never on a stack, and as a top it stands for the empty stack.
//!
//! The rules are a table, or come from a program: then the rules for a shared state and a top are
//! computed when these are first met ([`System::meet`]) and remembered, and shared states, symbols
//! and rules grow in number. Several kernels may work on one system, so it has a lock ([`Handle`]).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use crate::ids::id;
use crate::program::Point;
use crate::program::budget::CutShort;
use crate::program::machine::{Frame, Machine};
use crate::program::normal_form::{Family, NormalForm};

id! {
    /// A shared state.
    Shared
}

id! {
    /// A stack symbol of some template.
    Symbol
}

id! {
    /// A class of symbols of some template, by which properties and tables of Z name them.
    Class
}

impl From<Symbol> for Class {
    /// The class of a symbol in a system whose symbols are each their own class.
    fn from(symbol: Symbol) -> Self {
        Self::new(symbol.number())
    }
}

impl From<Point> for Class {
    /// The class of the frames at a point of a program; class 0 is the empty stack.
    fn from(point: Point) -> Self {
        Self::new(point.number() + 1)
    }
}

/// The top of the empty stack.
pub const EPSILON: Symbol = Symbol::new(0);

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
    /// The class of each symbol; None if every symbol is its own.
    classes: Option<Vec<Class>>,
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
        Self { symbols, stack, rules, by_enabling, ranges, classes: None }
    }

    /// The class of a symbol.
    #[inline]
    pub fn class(&self, symbol: Symbol) -> Class {
        self.classes.as_ref().map_or(symbol.into(), |classes| classes[symbol.index()])
    }

    /// Whether symbols share classes.
    pub fn has_classes(&self) -> bool {
        self.classes.is_some()
    }

    /// How much memory the rules take.
    fn bytes(&self) -> usize {
        let per_rule = size_of::<Rule>() + 2 * size_of::<Symbol>() + size_of::<u32>();
        self.rules.capacity() * per_rule + self.ranges.capacity() * 17
    }

    /// Add the rules for a source and a top for which there were none.
    fn learn(&mut self, source: Shared, top: Symbol, rules: Vec<Rule>) {
        let start = self.rules.len() as u32;
        let end = start + rules.len() as u32;
        self.rules.extend(rules);
        self.by_enabling.extend(start..end);
        self.ranges.insert((source, top), (start, end));
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
    /// Where the rules come from, if they are not all there.
    machine: Option<Machine>,
    /// What is known of [`System::stuck`], by template, shared state and top.
    stuck: FxHashMap<(usize, Shared, Symbol), Vec<Shared>>,
    /// What is known of [`System::normal_form`].
    normal_forms: FxHashMap<Shared, Arc<NormalForm>>,
    /// Of which templates, shared states and tops something was met after a step was cut short.
    doubtful: Vec<(usize, Shared, Symbol)>,
}

/// A system that several kernels work on, one at a time.
pub type Handle = Arc<Mutex<System>>;

/// Work on a system. What a kernel that panicked has left behind is still a system.
pub fn lock(system: &Handle) -> MutexGuard<'_, System> {
    system.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Which threads are exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// None at all.
    None,
    /// Those of one template.
    Equals,
    /// Also the members of a family, which know themselves.
    Families,
}

impl Symmetry {
    /// The groups of threads that are exchanged.
    pub fn groups(self, system: &System) -> Vec<Group> {
        match self {
            Self::None => system.groups(false),
            Self::Equals => system.groups(true),
            Self::Families => system.groups_with_families(),
        }
    }
}

impl From<bool> for Symmetry {
    fn from(symmetry: bool) -> Self {
        if symmetry { Self::Equals } else { Self::None }
    }
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
    /// A system whose rules are all there.
    pub fn new(shared: u32, initial: Shared, templates: Vec<Template>, threads: Vec<u32>) -> Self {
        let (stuck, normal_forms) = (FxHashMap::default(), FxHashMap::default());
        let doubtful = Vec::new();
        Self { shared, initial, templates, threads, machine: None, stuck, normal_forms, doubtful }
    }

    /// The system of a program, with this many threads of each type.
    pub fn of_program(mut machine: Machine, counts: &[u32]) -> Self {
        let initial = machine.initial_shared();
        let mut templates = Vec::new();
        let mut threads = Vec::new();
        for (thread, &count) in counts.iter().enumerate() {
            let stack = vec![machine.initial_symbol(thread)];
            let mut template = Template::new(1, stack, Vec::new());
            template.classes = Some(vec![EPSILON.into()]);
            templates.push(template);
            threads.extend((0..count).map(|_| thread as u32));
        }
        let mut system = Self::new(0, initial, templates, threads);
        system.machine = Some(machine);
        for template in 0..counts.len() {
            system.take_stock(template);
        }
        system
    }

    /// Into a form that kernels can share.
    pub fn into_handle(self) -> Handle {
        Arc::new(Mutex::new(self))
    }

    /// The machine behind a program's system.
    pub fn machine(&self) -> Option<&Machine> {
        self.machine.as_ref()
    }

    /// Why rules are missing, if some are. Then nothing that was found out about this system since
    /// may be used.
    pub fn cut_short(&self) -> Option<CutShort> {
        self.machine.as_ref().and_then(|machine| machine.program().budget.cut_short())
    }

    /// Forget what was met since a step was cut short at a limit, because the limit is gone. Return
    /// whether there was one: then kernels that ran meanwhile must not be used.
    pub fn forget_limit(&mut self) -> bool {
        let Some(machine) = &self.machine else { return false };
        for (template, shared, top) in self.doubtful.drain(..) {
            self.templates[template].ranges.remove(&(shared, top));
            self.stuck.remove(&(template, shared, top));
        }
        machine.program().budget.forget_limit()
    }

    /// Note what was met, if it may be incomplete.
    fn note_doubt(&mut self, template: usize, shared: Shared, top: Symbol) {
        if self.cut_short().is_some() {
            self.doubtful.push((template, shared, top));
        }
    }

    /// Make sure that the rules for a shared state and a top are there.
    pub fn meet(&mut self, template: usize, shared: Shared, top: Symbol) {
        let Some(machine) = &mut self.machine else { return };
        if self.templates[template].ranges.contains_key(&(shared, top)) {
            return;
        }
        let rules = machine.rules(template, shared, top);
        self.templates[template].learn(shared, top, rules);
        self.note_doubt(template, shared, top);
        self.take_stock(template);
    }

    /// The shared states in which a thread with this top cannot move: the given one, or none. In a
    /// program that may depend on variables that have no value yet; then it is the given one with
    /// some of them decided.
    pub fn stuck(&mut self, template: usize, shared: Shared, top: Symbol) -> Vec<Shared> {
        self.meet(template, shared, top);
        if self.templates[template].enabled(shared, top).is_empty() {
            return vec![shared];
        }
        let Some(machine) = &mut self.machine else { return Vec::new() };
        if let Some(known) = self.stuck.get(&(template, shared, top)) {
            return known.clone();
        }
        let found = machine.stuck(template, shared, top);
        self.stuck.insert((template, shared, top), found.clone());
        self.note_doubt(template, shared, top);
        self.take_stock(template);
        found
    }

    /// The same for several shared states at once, sorted.
    pub fn all_stuck(&mut self, template: usize, shared: &[Shared], top: Symbol) -> Vec<Shared> {
        let mut found: Vec<Shared> =
            shared.iter().flat_map(|&each| self.stuck(template, each, top)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The normal form of a shared state of a program, under exchanging the members of families.
    pub fn normal_form(&mut self, shared: Shared) -> Arc<NormalForm> {
        if let Some(known) = self.normal_forms.get(&shared) {
            return Arc::clone(known);
        }
        let machine = self.machine.as_mut().expect("only programs have identities");
        let found = Arc::new(machine.normal_form(shared));
        self.shared = machine.shared_states();
        self.normal_forms.insert(shared, Arc::clone(&found));
        found
    }

    /// The families of interchangeable threads that know themselves.
    pub fn families(&self) -> &[Family] {
        self.machine.as_ref().map_or(&[], Machine::families)
    }

    /// Whether a thread has nothing to do: its stack is empty, or it was not created yet.
    pub fn is_idle(&self, template: usize, shared: Shared, top: Symbol) -> bool {
        top == EPSILON
            || self.machine.as_ref().is_some_and(|machine| machine.is_absent(template, shared, top))
    }

    /// The symbol of a frame of a program's system.
    pub fn symbol(&mut self, template: usize, frame: &Frame) -> Option<Symbol> {
        let symbol = self.machine.as_mut()?.symbol(template, std::slice::from_ref(frame));
        self.take_stock(template);
        Some(symbol)
    }

    /// How much memory a growing system takes.
    pub fn bytes(&self) -> usize {
        self.machine.as_ref().map_or(0, |machine| {
            machine.bytes() + self.templates.iter().map(Template::bytes).sum::<usize>()
        })
    }

    /// Note the shared states and symbols that the machine has met. The templates of one thread
    /// type have the same symbols.
    fn take_stock(&mut self, template: usize) {
        let Some(machine) = &self.machine else { return };
        self.shared = machine.shared_states();
        let symbols = machine.symbols(template);
        if self.templates[template].symbols == symbols {
            return;
        }
        for number in machine.equals(template) {
            let template = &mut self.templates[number];
            let classes = template.classes.get_or_insert_default();
            for symbol in (template.symbols..symbols).map(Symbol::new) {
                classes.push(Class::from(machine.point(number, symbol)));
            }
            template.symbols = symbols;
        }
    }

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

    /// The same, with the members of each family in one group, whose template is that of the first.
    pub fn groups_with_families(&self) -> Vec<Group> {
        let mut groups = self.groups(true);
        for family in self.families() {
            let members = family.template..family.template + family.size;
            let is_member = |group: &Group| members.contains(&(group.template as usize));
            let first = groups.iter().position(is_member).expect("a template has threads");
            let threads = groups.iter().filter(|group| is_member(group));
            groups[first].threads = threads.flat_map(|group| group.threads.clone()).collect();
            let mut is_later = false;
            groups.retain(|group| !is_member(group) || !std::mem::replace(&mut is_later, true));
        }
        groups
    }
}

/// Short names for tests.
#[cfg(test)]
pub(crate) mod short {
    use super::{Rule, Shared, Symbol};

    /// A shared state.
    pub(crate) fn q(number: u32) -> Shared {
        Shared::new(number)
    }

    /// A symbol.
    pub(crate) fn s(number: u32) -> Symbol {
        Symbol::new(number)
    }

    /// A stack, or what a rule writes.
    pub(crate) fn word(numbers: &[u32]) -> Vec<Symbol> {
        numbers.iter().map(|&number| s(number)).collect()
    }

    pub(crate) fn rule(source: u32, top: u32, target: u32, written: &[u32]) -> Rule {
        Rule { source: q(source), top: s(top), target: q(target), word: word(written) }
    }
}
