//! Which visible states are bad: patterns with wildcards, and deadlocks.
//!
//! Visible states are kept up to symmetry, and the set of reachable ones is closed under exchanging
//! equal threads. So a pattern is read up to symmetry as well: for each class of symbols, it asks
//! how many threads of a group have a top of that class. That is exact because every entry of a
//! pattern is one class or a wildcard, and no symbol is in two classes.

use rustc_hash::FxHashMap;

use crate::limits::{Limit, Meter};
use crate::sets::roles;
use crate::sets::states::{StateId, StateSet};
use crate::system::{self, Class, Handle, Shared, Symbol, System, Template};

/// A set of visible states; `None` matches anything.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The shared state.
    pub shared: Option<Shared>,
    /// The class of the top of each thread's stack.
    pub tops: Vec<Option<Class>>,
}

/// The bad visible states.
#[derive(Clone, Debug, Default)]
pub struct Property {
    /// Those that match a pattern.
    pub patterns: Vec<Pattern>,
    /// Those in which nothing can move and some thread is not idle.
    pub deadlock: bool,
}

/// A property made ready for the visible states of one set.
pub struct Matcher<'a> {
    system: &'a Handle,
    visible: &'a StateSet<Symbol>,
    /// Patterns that leave nothing open; they are looked up, not compared with every state.
    whole: Vec<(Shared, Vec<Symbol>)>,
    /// Patterns that fix the shared state.
    of_shared: FxHashMap<Shared, Vec<Needs>>,
    /// Patterns that do not.
    of_any: Vec<Needs>,
    deadlock: bool,
    /// Whether symbols share classes.
    has_classes: bool,
}

/// A pattern up to symmetry: ranges of positions, a class for each, and how many tops there must at
/// least be of that class.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Needs {
    counts: Vec<(usize, usize, Class, usize)>,
}

/// How many states are compared between two questions whether to stop.
const BATCH: usize = 256;

impl<'a> Matcher<'a> {
    /// A matcher for a set of visible states of a system.
    pub fn new(system: &'a Handle, visible: &'a StateSet<Symbol>, property: &Property) -> Self {
        let has_classes = system::lock(system).templates.iter().any(Template::has_classes);
        let mut matcher = Self {
            system,
            has_classes,
            visible,
            whole: Vec::new(),
            of_shared: FxHashMap::default(),
            of_any: Vec::new(),
            deadlock: property.deadlock,
        };
        for pattern in &property.patterns {
            matcher.add(pattern);
        }
        matcher.of_any.sort_unstable();
        matcher.of_any.dedup(); // Patterns may be the same up to symmetry.
        matcher
    }

    /// The first bad visible state with this number or a higher one.
    pub fn first(&self, from: usize, meter: &mut Meter) -> Result<Option<StateId>, Limit> {
        let looked_up = self.first_whole(StateId::from_index(from));
        let to = looked_up.map_or(self.visible.len(), StateId::index);
        if self.of_any.is_empty() && self.of_shared.is_empty() && !self.deadlock {
            return Ok(looked_up);
        }
        for start in (from..to).step_by(BATCH) {
            if let Some(limit) = meter.reached(0, 0) {
                return Err(limit);
            }
            let mut batch = StateId::range(start, to.min(start + BATCH));
            let mut system = system::lock(self.system);
            if let Some(found) = batch.find(|&state| self.is_bad(&mut system, state)) {
                return Ok(Some(found));
            }
        }
        Ok(looked_up)
    }

    fn add(&mut self, pattern: &Pattern) {
        let groups = self.visible.groups();
        let tops: Option<Vec<Symbol>> = groups
            .iter()
            .flat_map(|group| &group.threads)
            .map(|&thread| pattern.tops[thread as usize].map(|class| Symbol::new(class.number())))
            .collect();
        match (pattern.shared, tops) {
            (Some(shared), Some(tops)) if !self.has_classes => self.whole.push((shared, tops)),
            (Some(shared), _) => {
                let needs = Needs::new(pattern, self.visible);
                self.of_shared.entry(shared).or_default().push(needs);
            }
            (None, _) => self.of_any.push(Needs::new(pattern, self.visible)),
        }
    }

    fn first_whole(&self, from: StateId) -> Option<StateId> {
        let found = self.whole.iter().filter_map(|(shared, tops)| {
            self.visible.find(*shared, &mut tops.clone()).filter(|&state| state >= from)
        });
        found.min()
    }

    fn is_bad(&self, system: &mut System, state: StateId) -> bool {
        let of_shared = self.of_shared.get(&self.visible.shared(state));
        let mut patterns = of_shared.into_iter().flatten().chain(&self.of_any);
        patterns.any(|needs| self.matches(system, state, needs))
            || (self.deadlock && self.is_deadlock(system, state))
    }

    fn matches(&self, system: &System, state: StateId, needs: &Needs) -> bool {
        needs.counts.iter().all(|&(start, end, class, count)| {
            let template = &system.templates[self.visible.template(start)];
            let tops = (start..end).map(|position| self.visible.local(state, position));
            tops.filter(|&top| template.class(top) == class).count() >= count
        })
    }

    /// Whether no thread can move, for some values of the variables that have none yet.
    fn is_deadlock(&self, system: &mut System, state: StateId) -> bool {
        let shared = self.visible.shared(state);
        let mut stuck = vec![shared];
        let mut all_idle = true;
        for position in 0..self.visible.positions() {
            let top = self.visible.local(state, position);
            let template = roles::template_at(system, self.visible, state, position);
            stuck = system.all_stuck(template, &stuck, top);
            if stuck.is_empty() {
                return false;
            }
            all_idle &= system.is_idle(template, shared, top);
        }
        !all_idle
    }
}

impl Needs {
    fn new(pattern: &Pattern, visible: &StateSet<Symbol>) -> Self {
        let mut counts = Vec::new();
        for (group, (start, end)) in visible.groups().iter().zip(visible.spans()) {
            let mut tops: Vec<Class> =
                group.threads.iter().filter_map(|&thread| pattern.tops[thread as usize]).collect();
            tops.sort_unstable();
            for equal in tops.chunk_by(|left, right| left == right) {
                counts.push((start, end, equal[0], equal.len()));
            }
        }
        Self { counts }
    }
}
