//! The local states of one template in Z, the steps between them, and the relation *below*, which
//! grow together (see [`crate::z`]).
//!
//! A local state is the top of a stack: the symbols that are kept, and whether there are more.
//!
//! A *source* is a thread state that occurs in Z. Its targets depend on what may lie below its last
//! symbol, and for a pop on what may lie below that. When a relation gains a pair, those sources
//! become stale and are computed anew; their lists of targets are only ever appended to.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::automata::dfa::Dfa;
use crate::ids::id;
use crate::sets::stacks::{StackId, Stacks};
use crate::system::{EPSILON, Rule, Shared, Symbol, Template};
use crate::z::kernel::{Emergence, EmergenceTable};

id! {
    /// A local state of one template.
    LocalId
}

/// How many sources are brought up to date between two looks at the limits.
const SOURCES_AT_ONCE: usize = 32;

/// The local states of one template, the steps between them, and the relation *below*.
pub struct LocalStates {
    /// How many symbols are kept.
    depth: usize,
    /// What may emerge below each class of symbols, if a table says it.
    table: Option<Arc<EmergenceTable>>,
    /// By number: the symbols kept, top first, and whether there are more (only if `depth` are
    /// kept, and never if there is a table).
    words: Vec<(Vec<Symbol>, bool)>,
    known_words: FxHashMap<(Vec<Symbol>, bool), LocalId>,
    /// For each symbol, what may lie directly below it; in the order in which it was found.
    below: Vec<Vec<Symbol>>,
    known_below: FxHashSet<(Symbol, Symbol)>,
    sources: Vec<Source>,
    known_sources: FxHashMap<(Shared, LocalId), u32>,
    /// For each symbol, the sources whose targets depend on what may lie below it.
    readers: Vec<Vec<u32>>,
    /// Sources whose targets may have grown; those in it are marked as stale.
    stale: Vec<u32>,
    /// How many targets all sources have together.
    targets: usize,
    /// How many entries `readers` has.
    readings: usize,
}

/// A thread state that occurs in Z, with its steps.
pub(crate) struct Source {
    state: (Shared, LocalId),
    /// Where its steps lead, without repetition.
    targets: Vec<(Shared, LocalId)>,
    /// How many targets there were before the last refresh.
    old: usize,
    is_stale: bool,
}

impl Source {
    pub(crate) fn all_targets(&self) -> &[(Shared, LocalId)] {
        &self.targets
    }

    pub(crate) fn new_targets(&self) -> &[(Shared, LocalId)] {
        &self.targets[self.old..]
    }
}

impl LocalStates {
    pub(crate) fn new(template: &Template, index: usize, emergence: &Emergence) -> Self {
        let (depth, table) = match emergence {
            Emergence::Table(tables) => (1, Some(Arc::clone(&tables[index]))),
            Emergence::Matched(depth) => (*depth, None),
        };
        Self {
            depth,
            table,
            words: Vec::new(),
            known_words: FxHashMap::default(),
            below: vec![Vec::new(); template.symbols as usize],
            known_below: FxHashSet::default(),
            sources: Vec::new(),
            known_sources: FxHashMap::default(),
            readers: vec![Vec::new(); template.symbols as usize],
            stale: Vec::new(),
            targets: 0,
            readings: 0,
        }
    }

    pub(crate) fn count(&self) -> u32 {
        self.words.len() as u32
    }

    pub(crate) fn top(&self, local: LocalId) -> Symbol {
        self.words[local.index()].0.first().copied().unwrap_or(EPSILON)
    }

    /// Whether a stack with this local state may be in a set of stacks.
    pub(crate) fn may_be_in(&self, local: LocalId, set: &Dfa) -> bool {
        let (word, more) = &self.words[local.index()];
        if set.is_empty() {
            return false;
        }
        let end = word.iter().try_fold(0, |state, &symbol| set.step(state, symbol));
        let Some(end) = end else { return false };
        // A table says nothing about what lies below a symbol now.
        let may_end = !more && set.is_accepting(end);
        let may_go_on = *more || (self.table.is_some() && !word.is_empty());
        may_end || (may_go_on && !set.edges(end).is_empty())
    }

    /// The local state of a whole stack.
    pub(crate) fn of_stack(&mut self, stack: &[Symbol]) -> LocalId {
        self.write(stack, &[EPSILON], false)
    }

    /// The local state of one of some stacks, if all that lie below it are among them: then the
    /// pairs further down are found there, and high stacks take no longer than low ones.
    pub(crate) fn of_top(&mut self, stacks: &Stacks, stack: StackId) -> LocalId {
        let word = stacks.top_word(stack, self.depth + 1);
        let (kept, lower) = word.split_at(word.len().min(self.depth));
        if self.table.is_none() && kept.len() == self.depth {
            self.put_below(kept[self.depth - 1], lower.first().copied().unwrap_or(EPSILON));
        }
        self.intern(kept.to_vec(), self.table.is_none() && !lower.is_empty())
    }

    /// By number: the symbols kept, and whether there are more.
    pub fn words(&self) -> impl Iterator<Item = (&[Symbol], bool)> {
        self.words.iter().map(|(word, more)| (&word[..], *more))
    }

    /// The pairs of the relation *below*.
    pub fn below(&self) -> impl Iterator<Item = (Symbol, Symbol)> {
        let below = self.below.iter().enumerate();
        below.flat_map(|(upper, lower)| {
            lower.iter().map(move |&lower| (Symbol::from_index(upper), lower))
        })
    }

    pub(crate) fn source(&self, state: (Shared, LocalId)) -> &Source {
        &self.sources[self.known_sources[&state] as usize]
    }

    /// Whether the steps of a thread state are known.
    pub(crate) fn knows(&self, state: (Shared, LocalId)) -> bool {
        self.known_sources.contains_key(&state)
    }

    /// Compute the steps of a thread state for the first time.
    pub(crate) fn meet(&mut self, template: &Template, state: (Shared, LocalId)) {
        self.below.resize(template.symbols as usize, Vec::new());
        self.readers.resize(template.symbols as usize, Vec::new());
        let number = self.sources.len() as u32;
        self.known_sources.insert(state, number);
        self.sources.push(Source { state, targets: Vec::new(), old: 0, is_stale: false });
        self.read_below(number);
        self.update(template, number);
    }

    pub(crate) fn begin_refresh(&mut self) {
        for source in &mut self.sources {
            source.old = source.targets.len();
        }
    }

    /// Bring some sources up to date; whether all are.
    pub(crate) fn refresh_some(&mut self, template: &Template) -> bool {
        for _ in 0..SOURCES_AT_ONCE {
            let Some(number) = self.stale.pop() else { return true };
            self.sources[number as usize].is_stale = false;
            self.update(template, number);
        }
        self.stale.is_empty()
    }

    pub(crate) fn has_new_targets(&self) -> bool {
        self.sources.iter().any(|source| source.targets.len() > source.old)
    }

    /// Compute the targets of a source anew, and add those that are new.
    fn update(&mut self, template: &Template, number: u32) {
        let targets = self.targets(template, self.sources[number as usize].state);
        let source = &mut self.sources[number as usize];
        if targets.len() > source.targets.len() {
            let mut known: FxHashSet<_> = source.targets.iter().copied().collect();
            let before = source.targets.len();
            source.targets.extend(targets.into_iter().filter(|target| known.insert(*target)));
            self.targets += source.targets.len() - before;
        }
    }

    /// Note which parts of the relation the targets of a source depend on: on what is under its
    /// last symbol; and a pop also on what is under that, which is noted when it is found.
    fn read_below(&mut self, number: u32) {
        let (word, more) = &self.words[self.sources[number as usize].state.1.index()];
        if *more && self.table.is_none() {
            let last = word[word.len() - 1];
            self.readers[last.index()].push(number);
            for index in 0..self.below[last.index()].len() {
                let lower = self.below[last.index()][index];
                self.readers[lower.index()].push(number);
                self.readings += 1;
            }
        }
    }

    /// Where the steps of a thread state lead, by what the relation says now. The relation gains
    /// what these steps put below each other.
    fn targets(
        &mut self,
        template: &Template,
        (shared, local): (Shared, LocalId),
    ) -> Vec<(Shared, LocalId)> {
        let top = self.top(local);
        let mut targets = Vec::new();
        for &rule in template.enabled(shared, top) {
            let rule = &template.rules[rule as usize];
            let locals = if self.table.is_some() {
                self.step_by_table(template, rule)
            } else {
                self.step_matched(rule, local)
            };
            targets.extend(locals.into_iter().map(|local| (rule.target, local)));
        }
        targets
    }

    fn step_by_table(&mut self, template: &Template, rule: &Rule) -> Vec<LocalId> {
        let is_pop = rule.top != EPSILON && rule.word.is_empty();
        if !is_pop {
            return vec![self.intern(rule.word.iter().take(1).copied().collect(), false)];
        }
        let table = Arc::clone(self.table.as_ref().expect("there is a table"));
        let emerging = table.of(template.class(rule.top)).iter();
        let word = |symbol: Symbol| if symbol == EPSILON { vec![] } else { vec![symbol] };
        emerging.map(|&symbol| self.intern(word(symbol), false)).collect()
    }

    fn step_matched(&mut self, rule: &Rule, local: LocalId) -> Vec<LocalId> {
        let (word, more) = self.words[local.index()].clone();
        let kept = word.get(1..).unwrap_or_default();
        let under = self.under(&word, more);
        if more && rule.word.is_empty() {
            return self.pop(kept, &under);
        }
        let written: Vec<Symbol> = rule.word.iter().chain(kept).copied().collect();
        vec![self.write(&written, &under, more)]
    }

    /// What may lie below the last symbol kept.
    fn under(&self, word: &[Symbol], more: bool) -> Vec<Symbol> {
        if !more {
            return vec![EPSILON];
        }
        let last = *word.last().expect("only a full word has more below it");
        self.below[last.index()].iter().copied().filter(|&symbol| symbol != EPSILON).collect()
    }

    /// What a pop leaves that brings one of `under` into the part that is kept.
    fn pop(&mut self, kept: &[Symbol], under: &[Symbol]) -> Vec<LocalId> {
        let mut outcomes = Vec::new();
        for &symbol in under {
            let word: Vec<Symbol> = kept.iter().copied().chain([symbol]).collect();
            let (may_be_last, may_have_more) = self.ways_to_go_on(symbol);
            if may_be_last {
                outcomes.push(self.intern(word.clone(), false));
            }
            if may_have_more {
                outcomes.push(self.intern(word, true));
            }
        }
        outcomes
    }

    /// The local state of a stack that starts with these symbols and goes on with one of `under`;
    /// the relation gains its pairs at depth `depth` and below.
    fn write(&mut self, symbols: &[Symbol], under: &[Symbol], more: bool) -> LocalId {
        if self.table.is_none() && symbols.len() >= self.depth {
            for pair in symbols[self.depth - 1..].windows(2) {
                self.put_below(pair[0], pair[1]);
            }
            let last = symbols[symbols.len() - 1];
            for &symbol in under {
                self.put_below(last, symbol);
            }
        }
        let kept = symbols.len().min(self.depth);
        let more = self.table.is_none() && (more || symbols.len() > self.depth);
        self.intern(symbols[..kept].to_vec(), more)
    }

    fn put_below(&mut self, upper: Symbol, lower: Symbol) {
        if !self.known_below.insert((upper, lower)) {
            return;
        }
        self.below[upper.index()].push(lower);
        for index in 0..self.readers[upper.index()].len() {
            let reader = self.readers[upper.index()][index];
            let source = &mut self.sources[reader as usize];
            if !std::mem::replace(&mut source.is_stale, true) {
                self.stale.push(reader);
            }
            // A reader of what is below its last symbol now reads below the new one as well.
            let (word, _) = &self.words[source.state.1.index()];
            if word.last() == Some(&upper) {
                self.readers[lower.index()].push(reader);
                self.readings += 1;
            }
        }
    }

    /// Whether a symbol may be the last of a stack, and whether it may have others below it.
    fn ways_to_go_on(&self, symbol: Symbol) -> (bool, bool) {
        let may_be_last = self.known_below.contains(&(symbol, EPSILON));
        (may_be_last, self.below[symbol.index()].len() > usize::from(may_be_last))
    }

    fn intern(&mut self, word: Vec<Symbol>, more: bool) -> LocalId {
        let next = LocalId::from_index(self.words.len());
        let words = &mut self.words;
        *self.known_words.entry((word, more)).or_insert_with_key(|key| {
            words.push(key.clone());
            next
        })
    }

    pub(crate) fn pops_are_functional(&self, template: &Template) -> bool {
        self.sources.iter().all(|source| {
            let (shared, local) = source.state;
            let rules = template.enabled(shared, self.top(local)).iter();
            let mut pops = rules.filter(|&&rule| {
                let rule = &template.rules[rule as usize];
                rule.top != EPSILON && rule.word.is_empty()
            });
            pops.next().is_none() || self.outcomes_of_pop(template, local) <= 1
        })
    }

    fn outcomes_of_pop(&self, template: &Template, local: LocalId) -> usize {
        if let Some(table) = &self.table {
            return table.of(template.class(self.top(local))).len();
        }
        let (word, more) = &self.words[local.index()];
        if !more {
            return 1;
        }
        let outcomes = |symbol: Symbol| {
            let (may_be_last, may_have_more) = self.ways_to_go_on(symbol);
            usize::from(may_be_last) + usize::from(may_have_more)
        };
        self.under(word, true).into_iter().map(outcomes).sum()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.words.len() * (2 * size_of::<(Vec<Symbol>, bool)>() + 8 * self.depth)
            + self.known_below.capacity() * (9 + 4)
            + self.sources.len() * (size_of::<Source>() + 17)
            + (self.targets + self.readings) * 8
    }
}
