//! The symbolic engine: S_k, a set of products ⟨q | L₁, …, Lₙ⟩ that together are R_k (CUBA, section
//! 7.1 and Algorithm 3 over S_k; QR, section 3.3).
//!
//! Each product that is new in round k is run in round k + 1 by each thread, except by those that
//! found it: post* of its language gives, for every shared state that the thread reaches, a new
//! product. T(S_k) is kept state by state, so this is for systems of which that is small, but whose
//! stacks are too many to list, or too odd for the labels of a diagram.
//!
//! Whether R_k grew is decided exactly, also where it is infinite: it did if some new product is not
//! covered by all products before it together (Scheme 1 over S_k). Where it is finite, its states
//! are counted exactly.

use std::collections::BTreeSet;
use std::ops::Range;

use num_bigint::BigUint;

use super::cover::{Cover, Rest};
use super::products::{ProductId, Products};
use crate::automata::dfa::Dfa;
use crate::automata::stack_languages::{LanguageId, Languages};
use crate::engines::kernel::{Context, Found, Kernel, Round, Search, Wanted};
use crate::limits::{Limit, Limits, Meter, Outcome};
use crate::program::Point;
use crate::sets::states::{StateId, StateSet};
use crate::sets::table::Table;
use crate::sets::visible::{TopPoints, VisibleId, VisibleStates};
use crate::system::{self, Handle, Symbol};
use crate::whole_stacks::{Matcher, Reach};

/// How to explore. Neither changes any answer.
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Whether to explore up to permutations of equal threads.
    pub symmetry: bool,
    /// Whether to leave out products that are included in others.
    pub pruning: bool,
}

/// The engine for one system.
pub struct SymbolicKernel {
    pub(super) system: Handle,
    pub(super) languages: Languages,
    pub(super) products: Products,
    pub(super) visible: VisibleStates,
    /// For each visible state, the first product that shows it.
    pub(super) witnesses: Vec<ProductId>,
    rounds: Vec<Round>,
    /// For each position, where its group ends.
    ends: Vec<usize>,
    /// Whether some language is infinite.
    is_infinite: bool,
    /// The next product and position to run, and where the products of this round begin.
    next: (usize, usize),
    frontier_end: usize,
    /// The next product whose visible states are to be added, and how many of them were.
    shown: (usize, u128),
    /// The next product to compare with the rounds before, unless it is known that R_k grew.
    compared: usize,
    grew: bool,
    /// How much memory the system took when it last grew.
    system_bytes: usize,
}

/// For each group, the tops that its threads may have together, in ascending order within each.
type Tops = Vec<Vec<Vec<Symbol>>>;

/// How many products are added between two looks at the limits.
const PRODUCTS_BETWEEN_LOOKS: usize = 1 << 10;

/// How many visible states are added at once.
const ROWS_AT_ONCE: u128 = 1 << 16;

/// With more products or visible states than this the next step could need more numbers than there
/// are.
const MOST_NUMBERS: usize = Table::MAX_LEN / 2;

impl SymbolicKernel {
    /// The largest number of threads; positions are kept in 16 bits.
    pub const MAX_THREADS: usize = u16::MAX as usize;

    /// A kernel that knows R_0.
    pub fn new(handle: &Handle, config: Config) -> Self {
        let system = system::lock(handle);
        let mut languages = Languages::default();
        let products = Products::new(&system, &mut languages, config.symmetry, config.pruning);
        let ends = products.set().spans().flat_map(|(start, end)| (start..end).map(move |_| end));
        let mut symbolic = Self {
            system: Handle::clone(handle),
            ends: ends.collect(),
            visible: VisibleStates::new(handle, &system, config.symmetry),
            witnesses: Vec::new(),
            rounds: Vec::new(),
            languages,
            products,
            is_infinite: false,
            next: (0, 0),
            frontier_end: 1,
            shown: (0, 0),
            compared: 0,
            grew: false,
            system_bytes: 0,
        };
        drop(system);

        let mut meter = Meter::over(Limits::default());
        symbolic
            .show(&mut meter)
            .and_then(|()| symbolic.finish_round(&mut meter))
            .expect("no limit");
        symbolic
    }

    /// The products found, those of an unfinished round included.
    pub fn products(&self) -> &Products {
        &self.products
    }

    /// The automaton of a language of some product.
    pub fn language(&self, language: LanguageId) -> &Dfa {
        self.languages.get(language)
    }

    /// How many languages there are.
    pub fn count_languages(&self) -> usize {
        self.languages.count_languages()
    }

    /// Compares products with what is asked for.
    pub(super) fn matcher<'a>(
        &'a self,
        reach: &'a Reach,
    ) -> Matcher<'a, LanguageId, impl Fn(usize, &Dfa, LanguageId) -> bool> {
        Matcher::new(self.products.set(), reach, |_, stacks, language| {
            let language = self.languages.get(language);
            language.shortest_in_common(stacks).is_some()
        })
    }

    /// Do a part of a round, and say whether it is complete.
    fn go_on(&mut self, meter: &mut Meter) -> Result<bool, Limit> {
        self.look(0, meter)?;
        if self.shown.0 < self.products.len() {
            self.show(meter)?;
        } else if self.next.0 < self.frontier_end {
            self.run(meter)?;
        } else {
            self.finish_round(meter)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// Stop at a limit; `bytes` more than usual are held.
    fn look(&self, bytes: usize, meter: &mut Meter) -> Result<(), Limit> {
        if self.visible.len().max(self.products.len()) > MOST_NUMBERS {
            return Err(Limit::States);
        }
        meter.reached(self.products.len(), self.bytes() + bytes).map_or(Ok(()), Err)
    }

    /// Run the next thread of the next product of the last round.
    fn run(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        let (product, position) = (ProductId::from_index(self.next.0), self.next.1);
        if position == self.ends.len() || self.products.is_replaced(product) {
            self.next = (self.next.0 + 1, 0);
            return Ok(());
        }
        if self.products.is_to_be_run(product, position) {
            let set = self.products.set();
            let language = self.products.language(product, position);
            let start = (set.template(position), set.shared(product.state()), language);
            let mut system = system::lock(&self.system);
            let reached = self.languages.post_star(&mut system, start, &mut meter.for_part())?;
            self.products.make_room(&system, &self.languages);
            self.visible.make_room(&system);
            self.system_bytes = system.bytes();
            drop(system);
            for (number, &(shared, language)) in reached.iter().enumerate() {
                if number.is_multiple_of(PRODUCTS_BETWEEN_LOOKS) {
                    self.look(0, meter)?;
                }
                let origin = (product, position);
                self.products.add(&mut self.languages, origin, (shared, language), meter)?;
                self.is_infinite |= !self.languages.get(language).is_finite();
            }
        }
        self.next.1 += 1;
        Ok(())
    }

    /// Add visible states of the next product that has any to be added.
    fn show(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        let product = ProductId::from_index(self.shown.0);
        let tops = self.tops(product, meter)?;
        let all = tops.iter().fold(1_u128, |all, tops| all.saturating_mul(tops.len() as u128));
        let end = all.min(self.shown.1 + ROWS_AT_ONCE);
        let rows = self.rows(product, &tops, self.shown.1..end);
        let witnesses = &mut self.witnesses;
        self.visible.add(&rows, 0, |_, top| top, |_| witnesses.push(product));
        self.shown = if end == all { (self.shown.0 + 1, 0) } else { (self.shown.0, end) };
        Ok(())
    }

    /// What the groups of a product show.
    fn tops(&self, product: ProductId, meter: &mut Meter) -> Result<Tops, Limit> {
        let mut tops = Vec::new();
        for (start, end) in self.products.set().spans() {
            let mut together = BTreeSet::from([Vec::new()]);
            for position in start..end {
                let language = self.languages.get(self.products.language(product, position));
                let mut longer = BTreeSet::new();
                for (number, tops) in together.iter().enumerate() {
                    for top in language.tops() {
                        let mut tops: Vec<Symbol> = tops.clone();
                        tops.insert(tops.partition_point(|&other| other < top), top);
                        longer.insert(tops);
                    }
                    if number % 256 == 255 {
                        self.look(longer.len() * (position - start + 16) * 4, meter)?;
                    }
                }
                together = longer;
            }
            tops.push(together.into_iter().collect());
        }
        Ok(tops)
    }

    /// Some of the visible states that a product shows, of which each is one choice per group.
    fn rows(&self, product: ProductId, tops: &Tops, which: Range<u128>) -> StateSet<Symbol> {
        let set = self.products.set();
        let system = system::lock(&self.system);
        let symbols: Vec<u32> = system.templates.iter().map(|template| template.symbols).collect();
        let mut rows = StateSet::new(set.groups().to_vec(), system.shared, &symbols);
        let mut row = Vec::with_capacity(self.ends.len());
        for mut number in which {
            row.clear();
            for tops in tops {
                let count = tops.len() as u128;
                row.extend_from_slice(&tops[(number % count) as usize]);
                number /= count;
            }
            rows.insert(set.shared(product.state()), &mut row);
        }
        rows
    }

    fn finish_round(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        self.compare(meter)?;
        let states = self.count_states(meter)?;
        let mark = self.rounds.last().map_or(0, |before| before.mark);
        self.rounds.push(self.round(mark + usize::from(self.grew), states));
        self.products.finish_round();
        if self.rounds.len() > 1 {
            self.next = (self.frontier_end, 0);
            self.frontier_end = self.products.len();
        }
        self.compared = self.products.len();
        self.grew = false;
        Ok(())
    }

    /// What was found, with this number of states.
    fn round(&self, mark: usize, states: Option<BigUint>) -> Round {
        Round {
            mark,
            parts: self.products.len(),
            states,
            visible: self.visible.real_len(),
            listed_states: None,
            listed_visible: Some(self.visible.len()),
            delayed: None,
            steps: None,
        }
    }

    /// Find out whether some new product is not covered by the rounds before.
    fn compare(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        while !self.grew && self.compared < self.products.len() {
            let product = ProductId::from_index(self.compared);
            if !self.products.is_replaced(product) {
                let before = self.products.settled_at(self.products.set().shared(product.state()));
                let before: BTreeSet<Rest> =
                    before.iter().map(|&other| self.products.languages_of(other)).collect();
                let languages = self.products.languages_of(product);
                let mut cover = Cover::new(&mut self.languages, &self.ends, meter);
                self.grew = !cover.covers(before, &languages)?;
            }
            self.compared += 1;
        }
        Ok(())
    }

    fn count_states(&mut self, meter: &mut Meter) -> Result<Option<BigUint>, Limit> {
        if self.is_infinite {
            return Ok(None);
        }
        let mut all = BigUint::ZERO;
        for (_, products) in self.products.largest() {
            let rests = products.iter().map(|&product| self.products.languages_of(product));
            let mut cover = Cover::new(&mut self.languages, &self.ends, meter);
            all += cover.count(rests.collect())?;
        }
        Ok(Some(all))
    }
}

impl Kernel for SymbolicKernel {
    fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// With the states of the last complete round.
    fn so_far(&self) -> Round {
        let last = &self.rounds[self.rounds.len() - 1];
        self.round(last.mark, last.states.clone())
    }

    /// In symbolic states, visible states, and states of automata.
    fn work(&self) -> usize {
        self.products.len() + self.visible.len() + self.languages.work()
    }

    fn bytes(&self) -> usize {
        self.system_bytes
            + self.languages.bytes()
            + self.products.bytes()
            + self.visible.bytes()
            + self.witnesses.capacity() * size_of::<ProductId>()
    }

    fn advance(&mut self, meter: &mut Meter) -> Outcome {
        let found = |symbolic: &Self| symbolic.products.len() + symbolic.visible.len();
        let pause = found(self).saturating_add(meter.limits().pause);
        loop {
            match self.go_on(meter) {
                Err(limit) => return Outcome::Stopped(limit),
                Ok(true) => return Outcome::Done,
                Ok(false) if found(self) >= pause => return Outcome::Paused,
                Ok(false) => {}
            }
        }
    }

    fn first(&mut self, wanted: &Wanted, from: usize, meter: &mut Meter) -> Result<Search, Limit> {
        Ok(match wanted {
            Wanted::Bad(property) => {
                let found = self.visible.first_bad(property, from, meter)?;
                Search::of_visible(found.map(VisibleId::number), self.visible.len(), &self.rounds)
            }
            Wanted::Stacks(reach) => {
                let found = self.matcher(reach).first(from, meter)?;
                Search::of_parts(
                    found.map(StateId::number),
                    reach,
                    self.products.len(),
                    &self.rounds,
                )
            }
        })
    }

    fn trace(&mut self, found: &Found, meter: &mut Meter) -> Result<Vec<Context>, Limit> {
        self.trace_to(found, meter)
    }

    fn visible_rows(&self, round: usize) -> Box<dyn Iterator<Item = Vec<u32>> + '_> {
        Box::new(self.visible.rows(&self.rounds[round]))
    }

    fn points(&mut self, from: usize, tops: &TopPoints) -> Vec<Vec<Point>> {
        self.visible.points(from, tops)
    }
}
