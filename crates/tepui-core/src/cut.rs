//! Over-approximations Z of the reachable visible states (CUBA, section 4.2.3), by cutting stacks.
//!
//! A thread keeps the top of its stack only, so the composed system is finite and can be explored
//! to the end. What a pop brings up is no longer known; the strengths of Z differ in what they
//! still know about it ([`Emergence`]).
//!
//! *Claimed* is CUBA's Algorithms 2 and 4: a table says which symbols may emerge when σ is popped,
//! and the empty stack always may.
//!
//! *Matched* keeps the top b symbols and whether anything lies below them, and grows a relation
//! *below* together with Z: (σ, π) says that π may lie directly below σ when σ is at depth b or
//! deeper, with ε below the last symbol. Every step that is enabled in Z adds the pairs of the
//! stack that it makes; every pop takes its outcomes from the relation; the result is the least
//! fixed point of both. With α(w) = (top b symbols of w, whether there are more), the invariant is
//! that α of every reachable state is in Z and every pair of adjacent symbols at depth ≥ b is in
//! *below*.
//!
//! The steps of a thread depend on the relation, which grows. Their targets are kept in lists that
//! are only appended to; when the relation has grown, the lists are extended, and all states are
//! looked through again for the new targets only.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::limits::{Limit, Limits, Outcome, Watch};
use crate::states::{LocalId, StateId, StateSet};
use crate::system::{EPSILON, Rule, Shared, Symbol, System, Template};
use crate::visible::VisibleStates;

/// How a Z knows what a pop can bring to the top.
#[derive(Clone, Debug)]
pub enum Emergence {
    /// By a table: for each template and symbol, what may emerge besides the empty stack.
    Claimed(Vec<Vec<Vec<Symbol>>>),
    /// By the relation *below*, with this many symbols of a stack kept, at least one.
    Matched(usize),
}

/// The computation of one Z.
pub struct Cut {
    system: Arc<System>,
    locals: Vec<Locals>,
    states: StateSet,
    visible: VisibleStates,
    phase: Phase,
    keys: Vec<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// States from `next` on are to be expanded.
    Expand {
        next: usize,
    },
    /// States from `next` to `end` were expanded, but the targets of steps have grown since.
    Revisit {
        next: usize,
        end: usize,
    },
    /// All states were expanded; the steps are being brought up to date with the relations.
    Refresh,
    Complete,
}

/// How many states are expanded together.
const BATCH: usize = 32;

/// How many sources are brought up to date between two looks at the limits.
const SOURCES_AT_ONCE: usize = 32;

impl Cut {
    /// A Z that contains the initial state.
    pub fn new(system: Arc<System>, symmetry: bool, emergence: &Emergence) -> Self {
        let groups = system.groups(symmetry);
        let mut locals: Vec<Locals> = system
            .templates
            .iter()
            .enumerate()
            .map(|(index, template)| Locals::new(template, index, emergence))
            .collect();
        let mut initial: Vec<LocalId> = groups
            .iter()
            .flat_map(|group| {
                let template = group.template as usize;
                let local = locals[template].initial(&system.templates[template].stack);
                group.threads.iter().map(move |_| local)
            })
            .collect();
        let counts: Vec<u32> = locals.iter().map(Locals::count).collect();
        let mut states = StateSet::new(groups, system.shared, &counts);
        states.insert(system.initial, &mut initial);
        let visible = VisibleStates::new(&system, symmetry);
        let mut cut = Self {
            system,
            locals,
            states,
            visible,
            phase: Phase::Expand { next: 0 },
            keys: Vec::new(),
        };
        cut.observe(0);
        cut
    }

    /// What is explored.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// Go on until the fixed point.
    pub fn advance(&mut self, limits: Limits, interrupted: &mut dyn FnMut() -> bool) -> Outcome {
        let mut watch = Watch::new(limits, interrupted);
        let pause = self.states.len().saturating_add(limits.pause);
        while self.phase != Phase::Complete {
            if let Some(limit) = self.limit_reached(&mut watch) {
                return Outcome::Stopped(limit);
            }
            self.phase = match self.phase {
                Phase::Expand { next } if next < self.states.len() => {
                    let end = self.states.len().min(next + BATCH);
                    self.expand(next, end, Source::all_targets);
                    Phase::Expand { next: end }
                }
                Phase::Expand { .. } => {
                    self.locals.iter_mut().for_each(Locals::begin_refresh);
                    Phase::Refresh
                }
                Phase::Refresh => self.refresh(),
                Phase::Revisit { next, end } if next < end => {
                    let until = end.min(next + BATCH);
                    self.expand(next, until, Source::new_targets);
                    Phase::Revisit { next: until, end }
                }
                Phase::Revisit { end, .. } => Phase::Expand { next: end },
                Phase::Complete => Phase::Complete,
            };
            if self.states.len() >= pause {
                return Outcome::Paused;
            }
        }
        Outcome::Done
    }

    /// Whether the fixed point is reached: only then is this an over-approximation.
    pub fn is_complete(&self) -> bool {
        self.phase == Phase::Complete
    }

    /// How many cut states there are, up to symmetry if that is on.
    pub fn states(&self) -> usize {
        self.states.len()
    }

    /// The visible states.
    pub fn visible(&self) -> &VisibleStates {
        &self.visible
    }

    /// Whether every pop that is enabled in Z has one outcome only, the empty stack counted.
    /// Then every path of Z is the image of a real path, and Z is exact. (CUBA's Theorem 25,
    /// which as printed does not count the empty stack.)
    pub fn is_exact(&self) -> bool {
        let pairs = self.locals.iter().zip(&self.system.templates);
        pairs.into_iter().all(|(locals, template)| locals.pops_are_functional(template))
    }

    /// A cut state, as the shared state and the local state of each thread.
    pub fn state_row(&self, state: StateId) -> Vec<u32> {
        self.states.row(state)
    }

    /// The local states of a template by number: the symbols kept, and whether there are more.
    pub fn local_states(&self, template: usize) -> impl Iterator<Item = (&[Symbol], bool)> {
        self.locals[template].words.iter().map(|(word, more)| (&word[..], *more))
    }

    /// The relation *below* of a template.
    pub fn below(&self, template: usize) -> impl Iterator<Item = (Symbol, Symbol)> {
        let below = self.locals[template].below.iter().enumerate();
        below.flat_map(|(upper, lower)| lower.iter().map(move |&lower| (upper as Symbol, lower)))
    }

    /// How much memory the computation holds.
    pub fn bytes(&self) -> usize {
        let locals: usize = self.locals.iter().map(Locals::bytes).sum();
        self.states.bytes() + self.visible.bytes() + locals
    }

    fn limit_reached(&self, watch: &mut Watch) -> Option<Limit> {
        let growth = 64 * BATCH;
        if self.states.room() < growth {
            return Some(Limit::States);
        }
        let bytes = self.bytes() + self.states.bytes_after(growth) - self.states.bytes();
        watch.reached(self.states.len(), bytes)
    }

    /// Insert the successors of a range of states, by those targets of a step that `targets` picks.
    fn expand(&mut self, from: usize, to: usize, targets: fn(&Source) -> &[(Shared, LocalId)]) {
        for state in from as StateId..to as StateId {
            let shared = self.states.shared(state);
            for position in 0..self.states.positions() {
                let local = self.states.local(state, position);
                let template = self.states.template(position);
                if self.locals[template].meet(&self.system.templates[template], (shared, local)) {
                    let count = self.locals[template].count();
                    self.states.make_room(template, count);
                }
            }
        }
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        for state in from as StateId..to as StateId {
            let shared = self.states.shared(state);
            for position in 0..self.states.positions() {
                if !self.states.is_first_of_equals(state, position) {
                    continue;
                }
                let local = self.states.local(state, position);
                let source = self.locals[self.states.template(position)].source((shared, local));
                for &target in targets(source) {
                    self.states.successor(state, position, target, &mut keys);
                }
            }
        }
        let known = self.states.len();
        self.states.insert_batch(&keys, |_, _, _| ());
        self.keys = keys;
        self.observe(known);
    }

    /// Extend some targets of steps by what the relations have gained, and say what to do next.
    fn refresh(&mut self) -> Phase {
        for (locals, template) in self.locals.iter_mut().zip(&self.system.templates) {
            if !locals.refresh_some(template) {
                return Phase::Refresh;
            }
        }
        for (template, locals) in self.locals.iter().enumerate() {
            self.states.make_room(template, locals.count());
        }
        if self.locals.iter().any(Locals::has_new_targets) {
            Phase::Revisit { next: 0, end: self.states.len() }
        } else {
            Phase::Complete
        }
    }

    /// Record the visible states of the states from this number on.
    fn observe(&mut self, from: usize) {
        let locals = &self.locals;
        let top = |template: usize, local| locals[template].top(local);
        self.visible.add(&self.states, from, top, |_| ());
    }
}

/// The cut stacks of one template, the steps between them, and the relation *below*.
struct Locals {
    /// How many symbols are kept.
    depth: usize,
    /// What may emerge below each symbol, if that is claimed and not computed.
    claimed: Option<Vec<Vec<Symbol>>>,
    /// By number: the symbols kept, top first, and whether there are more (only if `depth` are
    /// kept, and never if emergence is claimed).
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
struct Source {
    state: (Shared, LocalId),
    /// Where its steps lead, without repetition.
    targets: Vec<(Shared, LocalId)>,
    /// How many targets there were before the last refresh.
    old: usize,
    is_stale: bool,
}

impl Source {
    fn all_targets(&self) -> &[(Shared, LocalId)] {
        &self.targets
    }

    fn new_targets(&self) -> &[(Shared, LocalId)] {
        &self.targets[self.old..]
    }
}

impl Locals {
    fn new(template: &Template, index: usize, emergence: &Emergence) -> Self {
        let (depth, claimed) = match emergence {
            Emergence::Claimed(tables) => (1, Some(tables[index].clone())),
            Emergence::Matched(depth) => (*depth, None),
        };
        Self {
            depth,
            claimed,
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

    fn count(&self) -> u32 {
        self.words.len() as u32
    }

    fn top(&self, local: LocalId) -> Symbol {
        self.words[local as usize].0.first().copied().unwrap_or(EPSILON)
    }

    /// The local state of a whole stack.
    fn initial(&mut self, stack: &[Symbol]) -> LocalId {
        self.write(stack, &[EPSILON], false)
    }

    fn source(&self, state: (Shared, LocalId)) -> &Source {
        &self.sources[self.known_sources[&state] as usize]
    }

    /// Make sure that the steps of a thread state are known; whether they were not.
    fn meet(&mut self, template: &Template, state: (Shared, LocalId)) -> bool {
        if self.known_sources.contains_key(&state) {
            return false;
        }
        let number = self.sources.len() as u32;
        self.known_sources.insert(state, number);
        self.sources.push(Source { state, targets: Vec::new(), old: 0, is_stale: false });
        self.read_below(number);
        self.update(template, number);
        true
    }

    fn begin_refresh(&mut self) {
        for source in &mut self.sources {
            source.old = source.targets.len();
        }
    }

    /// Bring some sources up to date; whether all are.
    fn refresh_some(&mut self, template: &Template) -> bool {
        for _ in 0..SOURCES_AT_ONCE {
            let Some(number) = self.stale.pop() else { return true };
            self.sources[number as usize].is_stale = false;
            self.update(template, number);
        }
        self.stale.is_empty()
    }

    fn has_new_targets(&self) -> bool {
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
        let (word, more) = &self.words[self.sources[number as usize].state.1 as usize];
        if *more && self.claimed.is_none() {
            let last = word[word.len() - 1];
            self.readers[last as usize].push(number);
            for index in 0..self.below[last as usize].len() {
                let lower = self.below[last as usize][index];
                self.readers[lower as usize].push(number);
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
            let locals = if self.claimed.is_some() {
                self.step_claimed(rule)
            } else {
                self.step_matched(rule, local)
            };
            targets.extend(locals.into_iter().map(|local| (rule.target, local)));
        }
        targets
    }

    fn step_claimed(&mut self, rule: &Rule) -> Vec<LocalId> {
        let is_pop = rule.top != EPSILON && rule.word.is_empty();
        let mut locals = vec![self.intern(rule.word.iter().take(1).copied().collect(), false)];
        if is_pop {
            let claimed = self.claimed.as_ref().expect("emergence is claimed");
            let emerging = claimed[rule.top as usize].clone();
            locals.extend(emerging.into_iter().map(|symbol| self.intern(vec![symbol], false)));
        }
        locals
    }

    fn step_matched(&mut self, rule: &Rule, local: LocalId) -> Vec<LocalId> {
        let (word, more) = self.words[local as usize].clone();
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
        self.below[last as usize].iter().copied().filter(|&symbol| symbol != EPSILON).collect()
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
        if self.claimed.is_none() && symbols.len() >= self.depth {
            for pair in symbols[self.depth - 1..].windows(2) {
                self.put_below(pair[0], pair[1]);
            }
            let last = symbols[symbols.len() - 1];
            for &symbol in under {
                self.put_below(last, symbol);
            }
        }
        let kept = symbols.len().min(self.depth);
        let more = self.claimed.is_none() && (more || symbols.len() > self.depth);
        self.intern(symbols[..kept].to_vec(), more)
    }

    fn put_below(&mut self, upper: Symbol, lower: Symbol) {
        if !self.known_below.insert((upper, lower)) {
            return;
        }
        self.below[upper as usize].push(lower);
        for index in 0..self.readers[upper as usize].len() {
            let reader = self.readers[upper as usize][index];
            let source = &mut self.sources[reader as usize];
            if !std::mem::replace(&mut source.is_stale, true) {
                self.stale.push(reader);
            }
            // A reader of what is below its last symbol now reads below the new one as well.
            let (word, _) = &self.words[source.state.1 as usize];
            if word.last() == Some(&upper) {
                self.readers[lower as usize].push(reader);
                self.readings += 1;
            }
        }
    }

    /// Whether a symbol may be the last of a stack, and whether it may have others below it.
    fn ways_to_go_on(&self, symbol: Symbol) -> (bool, bool) {
        let may_be_last = self.known_below.contains(&(symbol, EPSILON));
        (may_be_last, self.below[symbol as usize].len() > usize::from(may_be_last))
    }

    fn intern(&mut self, word: Vec<Symbol>, more: bool) -> LocalId {
        let next = self.words.len() as LocalId;
        let words = &mut self.words;
        *self.known_words.entry((word, more)).or_insert_with_key(|key| {
            words.push(key.clone());
            next
        })
    }

    fn pops_are_functional(&self, template: &Template) -> bool {
        self.sources.iter().all(|source| {
            let (shared, local) = source.state;
            let rules = template.enabled(shared, self.top(local)).iter();
            let mut pops = rules.filter(|&&rule| {
                let rule = &template.rules[rule as usize];
                rule.top != EPSILON && rule.word.is_empty()
            });
            pops.next().is_none() || self.outcomes_of_pop(local) <= 1
        })
    }

    fn outcomes_of_pop(&self, local: LocalId) -> usize {
        if let Some(claimed) = &self.claimed {
            return 1 + claimed[self.top(local) as usize].len();
        }
        let (word, more) = &self.words[local as usize];
        if !more {
            return 1;
        }
        let outcomes = |symbol: Symbol| {
            let (may_be_last, may_have_more) = self.ways_to_go_on(symbol);
            usize::from(may_be_last) + usize::from(may_have_more)
        };
        self.under(word, true).into_iter().map(outcomes).sum()
    }

    fn bytes(&self) -> usize {
        self.words.len() * (2 * size_of::<(Vec<Symbol>, bool)>() + 8 * self.depth)
            + self.known_below.capacity() * (9 + 4)
            + self.sources.len() * (size_of::<Source>() + 17)
            + (self.targets + self.readings) * 8
    }
}
