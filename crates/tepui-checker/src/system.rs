//! What a check asks about a system, and systems that are given by their rules.
//!
//! Shared states and stack symbols are numbers. Symbol 0 of every template is the empty stack.

use crate::hashing::{QuickMap, QuickSet};
use crate::{Checked, Patience, rejected};

/// The symbol that stands for the empty stack.
pub const EPSILON: u32 = 0;

/// What a rule makes of a shared state and the top of a stack: another shared state, and the word
/// that takes the place of the top.
pub type Target = (u32, Vec<u32>);

/// Some of what a shared state leaves open, decided: places, and the values there.
pub type Case = Vec<(u32, i128)>;

/// The steps of threads, and what else a check has to know of a system.
///
/// Numbers of shared states and symbols that are not below `shared_states` and `symbols` may occur
/// in answers: certificates cannot name them.
pub trait Steps {
    /// For each thread, its template.
    fn threads(&self) -> &[usize];

    /// How many shared states a certificate can name.
    fn shared_states(&self) -> u32;

    /// How many symbols of a template a certificate can name, the empty stack included.
    fn symbols(&self, template: usize) -> u32;

    /// The shared state in which all runs begin.
    fn initial(&mut self) -> Checked<u32>;

    /// The stack with which threads of a template begin, top first.
    fn stack(&mut self, template: usize) -> Checked<Vec<u32>>;

    /// All that can follow on a shared state and a top.
    fn rules(
        &mut self,
        template: usize,
        shared: u32,
        top: u32,
        patience: &Patience<'_>,
    ) -> Checked<Vec<Target>>;

    /// The class by which a pattern names a symbol.
    fn class_of(&self, template: usize, symbol: u32) -> u32;

    /// Whether a thread with this top has nothing to do.
    fn is_idle(&self, template: usize, shared: u32, top: u32) -> bool;

    /// The cases in which a thread with this top cannot move: none if it always can, and one that
    /// decides nothing if it never can.
    fn stuck(
        &mut self,
        template: usize,
        shared: u32,
        top: u32,
        patience: &Patience<'_>,
    ) -> Checked<Vec<Case>>;

    /// The sets of threads that know themselves and are interchangeable nevertheless, ascending.
    fn families(&self) -> &[Vec<usize>];

    /// The threads that a shared state names, each once, in the order of its cells.
    fn named(&mut self, shared: u32) -> Checked<Vec<usize>>;

    /// The shared state in which other threads are named.
    fn renamed(&mut self, shared: u32, names: &[(usize, usize)]) -> Checked<u32>;
}

/// The pushdown system of some threads.
#[derive(Default)]
pub struct Template {
    /// How many symbols there are, the empty stack included.
    pub symbols: u32,
    /// The stack at the start, top first.
    pub stack: Vec<u32>,
    /// (shared state, top, shared state, word).
    pub rules: Vec<(u32, u32, u32, Vec<u32>)>,
    /// For each symbol, the class by which patterns name it; None if every symbol is its own.
    pub classes: Option<Vec<u32>>,
    /// Shared states and classes with which a thread has nothing to do.
    pub idle: Vec<(u32, u32)>,
    /// For a shared state and a top, the cases in which a thread cannot move. None if it cannot
    /// move where it has no rule.
    pub stuck: Option<Vec<(u32, u32, Vec<u32>)>>,
}

/// A concurrent pushdown system, by its rules.
pub struct System {
    shared: u32,
    initial: u32,
    threads: Vec<usize>,
    templates: Vec<Indexed>,
    families: Vec<Vec<usize>>,
    named: Vec<Named>,
}

/// For a shared state, the threads that it names, each once, in the order of its cells, and its
/// normal form; None if that is not known.
pub type Named = Option<(Vec<usize>, u32)>;

/// A template whose rules can be looked up.
struct Indexed {
    symbols: u32,
    stack: Vec<u32>,
    classes: Option<Vec<u32>>,
    rules: QuickMap<(u32, u32), Vec<Target>>,
    idle: QuickSet<(u32, u32)>,
    stuck: Option<QuickMap<(u32, u32), Vec<u32>>>,
}

impl System {
    /// A system with this many shared states; refused if its numbers do not fit together.
    pub fn new(
        shared: u32,
        initial: u32,
        templates: Vec<Template>,
        threads: Vec<usize>,
    ) -> Checked<Self> {
        let fits = initial < shared
            && threads.iter().all(|&template| template < templates.len())
            && templates.iter().all(|template| fits_together(template, shared));
        if !fits {
            return rejected("the numbers of the system do not fit together");
        }
        let templates = templates.into_iter().map(indexed).collect();
        Ok(Self { shared, initial, threads, templates, families: Vec::new(), named: Vec::new() })
    }

    /// The same for threads that know themselves. The normal forms of shared states are those for
    /// the groups of the certificate that is checked.
    #[must_use]
    pub fn with_families(mut self, families: Vec<Vec<usize>>, named: Vec<Named>) -> Self {
        (self.families, self.named) = (families, named);
        self
    }

    fn named(&self, shared: u32) -> Checked<&(Vec<usize>, u32)> {
        match self.named.get(shared as usize) {
            Some(Some(named)) => Ok(named),
            Some(None) => rejected("a variable that names threads has no value in the evidence"),
            None => rejected("the threads of this system do not know themselves"),
        }
    }
}

fn fits_together(template: &Template, shared: u32) -> bool {
    let is_word = |word: &[u32]| word.iter().all(|&s| s != EPSILON && s < template.symbols);
    template.symbols > 0
        && is_word(&template.stack)
        && template.classes.as_ref().is_none_or(|all| all.len() == template.symbols as usize)
        && template.rules.iter().all(|(source, top, target, word)| {
            *source < shared && *top < template.symbols && *target < shared && is_word(word)
        })
}

fn indexed(template: Template) -> Indexed {
    let mut rules: QuickMap<(u32, u32), Vec<Target>> = QuickMap::default();
    for (source, top, target, word) in template.rules {
        rules.entry((source, top)).or_default().push((target, word));
    }
    Indexed {
        symbols: template.symbols,
        stack: template.stack,
        classes: template.classes,
        rules,
        idle: template.idle.into_iter().collect(),
        stuck: template.stuck.map(|all| {
            all.into_iter().map(|(shared, top, cases)| ((shared, top), cases)).collect()
        }),
    }
}

impl Steps for System {
    fn threads(&self) -> &[usize] {
        &self.threads
    }

    fn shared_states(&self) -> u32 {
        self.shared
    }

    fn symbols(&self, template: usize) -> u32 {
        self.templates[template].symbols
    }

    fn initial(&mut self) -> Checked<u32> {
        Ok(self.initial)
    }

    fn stack(&mut self, template: usize) -> Checked<Vec<u32>> {
        Ok(self.templates[template].stack.clone())
    }

    fn rules(
        &mut self,
        template: usize,
        shared: u32,
        top: u32,
        _: &Patience<'_>,
    ) -> Checked<Vec<Target>> {
        Ok(self.templates[template].rules.get(&(shared, top)).cloned().unwrap_or_default())
    }

    fn class_of(&self, template: usize, symbol: u32) -> u32 {
        let classes = self.templates[template].classes.as_ref();
        classes.map_or(symbol, |classes| classes[symbol as usize])
    }

    fn is_idle(&self, template: usize, shared: u32, top: u32) -> bool {
        let class = self.class_of(template, top);
        top == EPSILON || self.templates[template].idle.contains(&(shared, class))
    }

    fn stuck(
        &mut self,
        template: usize,
        shared: u32,
        top: u32,
        _: &Patience<'_>,
    ) -> Checked<Vec<Case>> {
        let never_moves = vec![Vec::new()];
        let template = &self.templates[template];
        let Some(stuck) = &template.stuck else {
            let moves = template.rules.contains_key(&(shared, top));
            return Ok(if moves { Vec::new() } else { never_moves });
        };
        let cases = stuck.get(&(shared, top));
        Ok(cases.map_or(never_moves, |all| {
            all.iter().map(|&number| vec![(0, i128::from(number))]).collect()
        }))
    }

    fn families(&self) -> &[Vec<usize>] {
        &self.families
    }

    fn named(&mut self, shared: u32) -> Checked<Vec<usize>> {
        Ok(System::named(self, shared)?.0.clone())
    }

    fn renamed(&mut self, shared: u32, _: &[(usize, usize)]) -> Checked<u32> {
        Ok(System::named(self, shared)?.1)
    }
}
