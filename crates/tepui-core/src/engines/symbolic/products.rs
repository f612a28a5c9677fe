//! Symbolic states ⟨q | L₁, …, Lₙ⟩, which are products of sets of stacks, each once, numbered in the
//! order of discovery.
//!
//! Each remembers from which one it was found and by which thread, and which threads need not be
//! run from it: a thread that led to it has also led to all that it reaches from there, because
//! post* is closed.
//!
//! With pruning, a product that is included in another one is not added, and a new one takes the
//! place of those that are included in it. They stay where they are, for the rounds before and for
//! traces, but nothing is compared with them any more; and if they are of the same round as the new
//! one, they need not be run. One of the round before must still be run, or what it leads to would
//! be found a round too late.
//!
//! Up to symmetry, a product stands for all permutations of equal threads, and is included in
//! another one if it is after some permutation.

use rustc_hash::FxHashMap;

use crate::automata::stack_languages::{LanguageId, Languages};
use crate::ids::id;
use crate::limits::{Limit, Meter};
use crate::sets::states::{StateId, StateSet};
use crate::system::{Shared, System};

id! {
    /// A product, in the order of discovery.
    ProductId
}

impl ProductId {
    /// The initial product.
    pub const INITIAL: Self = Self::new(0);

    /// The same as a state of [`Products::set`].
    pub fn state(self) -> StateId {
        StateId::new(self.number())
    }
}

/// The products that were found.
pub struct Products {
    set: StateSet<LanguageId>,
    pruning: bool,
    /// For each product, the one from which it was found, and the position of the thread that ran.
    origins: Vec<(ProductId, u16)>,
    /// For each product and position, whether the thread there has found the product, or, among
    /// equals, one of them; then there is nothing left that it could find.
    closed: Vec<bool>,
    /// Whether a product is included in another one of the same round.
    is_replaced: Vec<bool>,
    /// By shared state, the products that are included in no other.
    largest: FxHashMap<Shared, Vec<ProductId>>,
    /// The same when the last round was complete.
    settled: FxHashMap<Shared, Vec<ProductId>>,
    /// The first product of the round that is being computed.
    round_start: ProductId,
}

impl Products {
    /// The product that stands for the initial state of a system.
    pub fn new(system: &System, languages: &mut Languages, symmetry: bool, pruning: bool) -> Self {
        let groups = system.groups(symmetry);
        let mut initial = Vec::new();
        for group in &groups {
            let stack = &system.templates[group.template as usize].stack;
            let language = languages.singleton(stack);
            initial.extend(group.threads.iter().map(|_| language));
        }
        let counts = vec![languages.count_languages() as u32; system.templates.len()];
        let mut products = Self {
            set: StateSet::new(groups, system.shared, &counts),
            pruning,
            origins: vec![(ProductId::INITIAL, 0)],
            closed: vec![false; initial.len()],
            is_replaced: vec![false],
            largest: FxHashMap::default(),
            settled: FxHashMap::default(),
            round_start: ProductId::INITIAL,
        };
        products.set.insert(system.initial, &mut initial);
        products.largest.insert(system.initial, vec![ProductId::INITIAL]);
        products
    }

    /// Make sure that all shared states and languages can be held.
    pub fn make_room(&mut self, system: &System, languages: &Languages) {
        self.set.make_room_for_shared(system.shared);
        for template in 0..system.templates.len() {
            self.set.make_room(template, languages.count_languages() as u32);
        }
    }

    /// The products as states whose local states are languages.
    pub fn set(&self) -> &StateSet<LanguageId> {
        &self.set
    }

    /// How many products there are.
    pub fn len(&self) -> usize {
        self.set.len()
    }

    /// Whether there is none; there always is the initial one.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// The language at a position of a product.
    pub fn language(&self, product: ProductId, position: usize) -> LanguageId {
        self.set.local(product.state(), position)
    }

    /// The languages of a product, by position.
    pub fn languages_of(&self, product: ProductId) -> Vec<LanguageId> {
        let mut languages = Vec::with_capacity(self.set.positions());
        self.read_languages(product, &mut languages);
        languages
    }

    fn read_languages(&self, product: ProductId, languages: &mut Vec<LanguageId>) {
        languages.clear();
        languages.extend((0..self.set.positions()).map(|at| self.language(product, at)));
    }

    /// The positions of the group of a position.
    pub fn span(&self, position: usize) -> (usize, usize) {
        let mut spans = self.set.spans();
        spans.find(|span| (span.0..span.1).contains(&position)).expect("a position of some group")
    }

    /// From which product a product was found, and the position there of the thread that ran; the
    /// initial product is its own.
    pub fn origin(&self, product: ProductId) -> (ProductId, usize) {
        let (parent, position) = self.origins[product.index()];
        (parent, position as usize)
    }

    /// Whether a product is included in another one of its round, so that it need not be looked at.
    pub fn is_replaced(&self, product: ProductId) -> bool {
        self.is_replaced[product.index()]
    }

    /// Whether running the thread at a position can lead to anything that is not known.
    pub fn is_to_be_run(&self, product: ProductId, position: usize) -> bool {
        let closed = self.closed[product.index() * self.set.positions() + position];
        !closed && self.set.is_first_of_equals(product.state(), position)
    }

    /// For a shared state, products that make up the last complete round.
    pub fn settled_at(&self, shared: Shared) -> &[ProductId] {
        self.settled.get(&shared).map_or(&[], Vec::as_slice)
    }

    /// Products that make up the last complete round, in ascending order.
    pub fn settled(&self) -> Vec<ProductId> {
        let mut all: Vec<ProductId> = self.settled.values().flatten().copied().collect();
        all.sort_unstable();
        all
    }

    /// By ascending shared state, products that make up all that was found.
    pub fn largest(&self) -> Vec<(Shared, &[ProductId])> {
        let mut all: Vec<_> = self.largest.iter().map(|(&q, list)| (q, &list[..])).collect();
        all.sort_unstable_by_key(|&(shared, _)| shared);
        all
    }

    /// Note that a round is complete.
    pub fn finish_round(&mut self) {
        self.settled.clone_from(&self.largest);
        self.round_start = ProductId::from_index(self.len());
    }

    /// How much memory the products hold.
    pub fn bytes(&self) -> usize {
        self.set.bytes() + self.len() * (self.set.positions() + 8 + 1 + 2 * 4)
    }

    /// Add the product in which the thread at a position of another has moved, unless it is known
    /// or included. At a limit nothing is added.
    pub fn add(
        &mut self,
        languages: &mut Languages,
        origin: (ProductId, usize),
        (shared, language): (Shared, LanguageId),
        meter: &mut Meter,
    ) -> Result<(), Limit> {
        let (parent, position) = origin;
        let mut row = self.languages_of(parent);
        row[position] = language;
        if let Some(known) = self.set.find(shared, &mut row) {
            self.close(ProductId::new(known.number()), position, language);
            return Ok(());
        }
        let mut smaller = Vec::new();
        if self.pruning {
            let list = self.largest.get(&shared).map_or(&[][..], Vec::as_slice);
            let mut other = Vec::with_capacity(row.len());
            for &large in list {
                self.read_languages(large, &mut other);
                if self.includes(languages, &other, &row, meter)? {
                    return Ok(());
                }
            }
            for &small in list {
                self.read_languages(small, &mut other);
                if self.includes(languages, &row, &other, meter)? {
                    smaller.push(small);
                }
            }
        }
        let (state, _) = self.set.insert(shared, &mut row);
        let product = ProductId::new(state.number());
        self.origins.push((parent, position as u16));
        self.closed.resize(self.closed.len() + row.len(), false);
        self.is_replaced.push(false);
        self.close(product, position, language);
        self.replace(&smaller, product);
        Ok(())
    }

    /// Note that a thread of the group of a position, which has a language, found a product.
    fn close(&mut self, product: ProductId, position: usize, language: LanguageId) {
        let (start, end) = self.span(position);
        let first = (start..end).find(|&place| self.language(product, place) == language);
        let place = first.expect("the thread has the language");
        self.closed[product.index() * self.set.positions() + place] = true;
    }

    /// Let a new product take the place of those that are included in it, which are in the order in
    /// which they were found.
    fn replace(&mut self, smaller: &[ProductId], product: ProductId) {
        let list = self.largest.entry(self.set.shared(product.state())).or_default();
        list.retain(|known| smaller.binary_search(known).is_err());
        list.push(product);
        for small in smaller.iter().filter(|&&small| small >= self.round_start) {
            self.is_replaced[small.index()] = true;
        }
    }

    /// Whether a product includes another with the same shared state; both by their languages.
    fn includes(
        &self,
        languages: &mut Languages,
        large: &[LanguageId],
        small: &[LanguageId],
        meter: &mut Meter,
    ) -> Result<bool, Limit> {
        for (start, end) in self.set.spans() {
            let in_group = (&large[start..end], &small[start..end]);
            if !languages.include_all(end - start, in_group, meter)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
