//! A store of languages of stacks, each once, by number; what was computed about them is
//! remembered.
//!
//! A language is its canonical automaton ([`Dfa`]), so equal languages have equal numbers, and a
//! set of stacks can be compared, hashed and used as a label as cheaply as one stack. This is what
//! the aggregate configurations of QR, section 3.3, and the symbolic states of CUBA, section 7.1,
//! are made of.
//!
//! Union, intersection and difference take as long as the product of the sizes; making what post*
//! finds deterministic can take exponentially long, so that stops at limits, with a state for each
//! transition or set of nodes. Symbols are numbers without an alphabet, so one store can serve
//! all templates of a system, but only of one system.

use std::sync::Arc;

use num_bigint::BigUint;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::automata::determinize::Partial;
use crate::automata::dfa::Dfa;
use crate::automata::p_automaton::PAutomaton;
use crate::automata::post_star::post_star;
use crate::ids::id;
use crate::limits::{Limit, Meter};
use crate::sets::matching::is_matching;
use crate::system::{Shared, Symbol, System};

id! {
    /// A language of one store, in the order in which the store met them.
    LanguageId
}

impl LanguageId {
    /// The language without a stack, of every store.
    pub const EMPTY: Self = Self::new(0);
}

/// For each shared state that is reachable the stacks with which it is, in ascending order.
pub type Reached = Arc<[(Shared, LanguageId)]>;

/// Languages, each once, and what is known about them.
#[derive(Debug)]
pub struct Languages {
    by_number: Vec<Arc<Dfa>>,
    numbers: FxHashMap<Arc<Dfa>, LanguageId>,
    combined: FxHashMap<(Combination, LanguageId, LanguageId), LanguageId>,
    included: FxHashMap<(LanguageId, LanguageId), bool>,
    reached: FxHashMap<(u32, Shared, LanguageId), Reached>,
    /// How much memory the languages and the lists of what is reached take.
    held: usize,
    /// How many states and transitions of automata were made.
    work: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Combination {
    Union,
    Intersection,
    Difference,
}

impl Default for Languages {
    fn default() -> Self {
        let mut languages = Self {
            by_number: Vec::new(),
            numbers: FxHashMap::default(),
            combined: FxHashMap::default(),
            included: FxHashMap::default(),
            reached: FxHashMap::default(),
            held: 0,
            work: 0,
        };
        languages.insert(Dfa::default());
        languages.insert(Dfa::singleton(&[])); // Nearly every exploration meets it.
        languages
    }
}

impl Languages {
    /// How many languages there are.
    pub fn count_languages(&self) -> usize {
        self.by_number.len()
    }

    /// How many states and transitions of automata were made.
    pub fn work(&self) -> usize {
        self.work
    }

    /// How much memory the store holds.
    pub fn bytes(&self) -> usize {
        let memos = self.combined.capacity() * 17
            + self.included.capacity() * 13
            + self.reached.capacity() * 29;
        let entries = self.by_number.capacity() * 8 + self.numbers.capacity() * 17;
        self.held + memos + entries
    }

    /// The number of a language.
    pub fn insert(&mut self, language: Dfa) -> LanguageId {
        if let Some(&known) = self.numbers.get(&language) {
            return known;
        }
        let id = LanguageId(self.by_number.len() as u32);
        self.held += language.bytes() + size_of::<Dfa>() + 16;
        let language = Arc::new(language);
        self.by_number.push(Arc::clone(&language));
        self.numbers.insert(language, id);
        id
    }

    /// The automaton of a language.
    pub fn get(&self, language: LanguageId) -> &Dfa {
        &self.by_number[language.0 as usize]
    }

    /// The language of one stack.
    pub fn singleton(&mut self, stack: &[Symbol]) -> LanguageId {
        self.insert(Dfa::singleton(stack))
    }

    /// The stacks that are in one of two languages.
    pub fn union(
        &mut self,
        left: LanguageId,
        right: LanguageId,
        meter: &mut Meter<'_>,
    ) -> Result<LanguageId, Limit> {
        match (left.min(right), left.max(right)) {
            (LanguageId::EMPTY, other) => Ok(other),
            (low, high) if low == high => Ok(low),
            (low, high) => self.combine(Combination::Union, (low, high), meter),
        }
    }

    /// The stacks that are in both of two languages.
    pub fn intersection(
        &mut self,
        left: LanguageId,
        right: LanguageId,
        meter: &mut Meter<'_>,
    ) -> Result<LanguageId, Limit> {
        match (left.min(right), left.max(right)) {
            (LanguageId::EMPTY, _) => Ok(LanguageId::EMPTY),
            (low, high) if low == high => Ok(low),
            (low, high) => self.combine(Combination::Intersection, (low, high), meter),
        }
    }

    /// The stacks of one language that are not in another.
    pub fn difference(
        &mut self,
        left: LanguageId,
        right: LanguageId,
        meter: &mut Meter<'_>,
    ) -> Result<LanguageId, Limit> {
        if left == LanguageId::EMPTY || right == LanguageId::EMPTY {
            return Ok(left);
        }
        if left == right {
            return Ok(LanguageId::EMPTY);
        }
        self.combine(Combination::Difference, (left, right), meter)
    }

    /// Whether all stacks of one language, the smaller, are in another.
    pub fn includes(
        &mut self,
        larger: LanguageId,
        smaller: LanguageId,
        meter: &mut Meter<'_>,
    ) -> Result<bool, Limit> {
        if larger == smaller || smaller == LanguageId::EMPTY {
            return Ok(true);
        }
        if larger == LanguageId::EMPTY {
            return Ok(false);
        }
        if let Some(&known) = self.included.get(&(larger, smaller)) {
            return Ok(known);
        }
        let found = includes(self.get(larger), self.get(smaller), meter)?;
        self.included.insert((larger, smaller), found);
        Ok(found)
    }

    /// Whether this many languages on the left, the larger ones, can be paired with as many on the
    /// right, so that each includes its partner.
    pub fn include_all(
        &mut self,
        count: usize,
        (larger, smaller): (&[LanguageId], &[LanguageId]),
        meter: &mut Meter<'_>,
    ) -> Result<bool, Limit> {
        let mut end = Ok(());
        let all = is_matching(count, |left, right| {
            let included = end.and_then(|()| self.includes(larger[right], smaller[left], meter));
            included.unwrap_or_else(|limit| {
                end = Err(limit);
                false
            })
        });
        end.map(|()| all)
    }

    /// Whether a stack is in a language.
    pub fn contains(&self, language: LanguageId, stack: &[Symbol]) -> bool {
        self.get(language).accepts(stack)
    }

    /// How many stacks a language has; None if infinitely many.
    pub fn count(
        &self,
        language: LanguageId,
        meter: &mut Meter<'_>,
    ) -> Result<Option<BigUint>, Limit> {
        self.get(language).count(meter)
    }

    /// The languages of stacks at the shared states of a P-automaton.
    pub fn of_automaton(
        &mut self,
        automaton: &PAutomaton,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<(Shared, LanguageId)>, Limit> {
        let all = Dfa::all_of(automaton, meter)?;
        self.work += automaton.transitions().len();
        self.work += all.iter().map(|(_, language)| language.states() as usize).sum::<usize>();
        Ok(all.into_iter().map(|(shared, language)| (shared, self.insert(language))).collect())
    }

    /// What a thread of a template reaches by itself from a shared state with the stacks of a
    /// language, or the limit that stopped it. It is remembered.
    pub fn post_star(
        &mut self,
        system: &mut System,
        (template, shared, language): (usize, Shared, LanguageId),
        meter: &mut Meter,
    ) -> Result<Reached, Limit> {
        let key = (template as u32, shared, language);
        if let Some(known) = self.reached.get(&key) {
            return Ok(Arc::clone(known));
        }
        let start = PAutomaton::of_language(shared, self.get(language));
        let automaton = post_star(system, template, &start, meter)?;
        let reached: Reached = self.of_automaton(&automaton, meter)?.into();
        self.held += size_of_val(&*reached) + 16;
        self.reached.insert(key, Arc::clone(&reached));
        Ok(reached)
    }

    fn combine(
        &mut self,
        combination: Combination,
        (left, right): (LanguageId, LanguageId),
        meter: &mut Meter<'_>,
    ) -> Result<LanguageId, Limit> {
        let key = (combination, left, right);
        if let Some(&known) = self.combined.get(&key) {
            return Ok(known);
        }
        let mut product = Product::new(combination, self.get(left), self.get(right));
        let partial = product.partial(meter)?;
        self.work += partial.accepting.len() + partial.edges.len();
        let id = self.insert(Dfa::new(&partial, 0, meter)?);
        self.combined.insert(key, id);
        Ok(id)
    }
}

/// Whether all words of one automaton are words of another. From every state some word is
/// accepted, so a symbol that only the smaller can read decides at once.
fn includes(larger: &Dfa, smaller: &Dfa, meter: &mut Meter<'_>) -> Result<bool, Limit> {
    let mut seen = FxHashSet::from_iter([(0, 0)]);
    let mut work = vec![(0, 0)];
    while let Some((in_larger, in_smaller)) = work.pop() {
        meter.spend(1 + smaller.edges(in_smaller).len())?;
        if smaller.is_accepting(in_smaller) && !larger.is_accepting(in_larger) {
            return Ok(false);
        }
        for &(symbol, to) in smaller.edges(in_smaller) {
            let Some(in_larger) = larger.step(in_larger, symbol) else { return Ok(false) };
            if seen.insert((in_larger, to)) {
                work.push((in_larger, to));
            }
        }
    }
    Ok(true)
}

/// Two automata side by side.
struct Product<'a> {
    combination: Combination,
    left: &'a Dfa,
    right: &'a Dfa,
    numbers: FxHashMap<Pair, u32>,
    pairs: Vec<Pair>,
}

/// A state of each of two automata; None where a word has left the automaton.
type Pair = (Option<u32>, Option<u32>);

impl<'a> Product<'a> {
    fn new(combination: Combination, left: &'a Dfa, right: &'a Dfa) -> Self {
        Self { combination, left, right, numbers: FxHashMap::default(), pairs: Vec::new() }
    }

    /// The automaton of the combination, from state 0. Neither language is empty.
    fn partial(&mut self, meter: &mut Meter<'_>) -> Result<Partial, Limit> {
        self.number((Some(0), Some(0)));
        let mut partial = Partial::default();
        let mut state = 0;
        while let Some(&pair) = self.pairs.get(state as usize) {
            partial.accepting.push(self.accepts(pair));
            let steps = self.steps(pair);
            meter.spend(1 + steps.len())?;
            for (symbol, to) in steps {
                if self.matters(to) {
                    partial.edges.push((state, symbol, self.number(to)));
                }
            }
            state += 1;
        }
        Ok(partial)
    }

    fn accepts(&self, (left, right): Pair) -> bool {
        let left = left.is_some_and(|state| self.left.is_accepting(state));
        let right = right.is_some_and(|state| self.right.is_accepting(state));
        match self.combination {
            Combination::Union => left || right,
            Combination::Intersection => left && right,
            Combination::Difference => left && !right,
        }
    }

    /// Whether anything can be accepted from a pair.
    fn matters(&self, (left, right): Pair) -> bool {
        match self.combination {
            Combination::Union => true,
            Combination::Intersection => left.is_some() && right.is_some(),
            Combination::Difference => left.is_some(),
        }
    }

    /// Where each symbol leads that one of a pair can read.
    fn steps(&self, (left, right): Pair) -> Vec<(Symbol, Pair)> {
        let of_left = left.map_or(&[][..], |state| self.left.edges(state));
        let of_right = right.map_or(&[][..], |state| self.right.edges(state));
        let mut steps: Vec<(Symbol, Pair)> = of_left
            .iter()
            .map(|&(symbol, to)| {
                let beside = right.and_then(|state| self.right.step(state, symbol));
                (symbol, (Some(to), beside))
            })
            .collect();
        steps.extend(of_right.iter().filter_map(|&(symbol, to)| {
            let alone = left.and_then(|state| self.left.step(state, symbol)).is_none();
            alone.then_some((symbol, (None, Some(to))))
        }));
        steps
    }

    fn number(&mut self, pair: Pair) -> u32 {
        *self.numbers.entry(pair).or_insert_with(|| {
            self.pairs.push(pair);
            self.pairs.len() as u32 - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::system::Template;
    use crate::system::short::{q, rule, s, word};

    #[test]
    fn equal_languages_have_equal_numbers() {
        let mut languages = Languages::default();
        let one = languages.singleton(&[s(1)]);
        let two = languages.singleton(&[s(2)]);
        let meter = &mut Meter::over(Limits::default());
        let both = languages.union(one, two, meter).unwrap();
        assert_eq!(languages.union(two, one, meter), Ok(both));
        assert_eq!(languages.difference(both, two, meter), Ok(one));
        assert_eq!(languages.intersection(both, two, meter), Ok(two));
        assert_eq!(languages.includes(both, one, meter), Ok(true));
        assert_eq!(languages.includes(one, both, meter), Ok(false));
        assert_eq!(languages.count(both, meter), Ok(Some(BigUint::from(2_u8))));
    }

    /// The words of one symbol whose lengths are multiples of this one.
    fn cycle(length: u32) -> Dfa {
        let edges = (0..length).map(|state| (state, s(1), (state + 1) % length)).collect();
        let accepting = (0..length).map(|state| state == 0).collect();
        let partial = Partial { accepting, edges };
        Dfa::new(&partial, 0, &mut Meter::over(Limits::default())).unwrap()
    }

    #[test]
    fn what_two_languages_have_in_common_is_not_computed_beyond_a_limit() {
        let mut languages = Languages::default();
        let (left, right) = (languages.insert(cycle(199)), languages.insert(cycle(211)));
        let is_over = &mut Meter::over(Limits { states: 0, ..Limits::default() });
        let known = languages.count_languages();
        assert_eq!(languages.intersection(left, right, is_over), Err(Limit::States));
        assert_eq!(languages.union(left, right, is_over), Err(Limit::States));
        assert_eq!(languages.difference(left, right, is_over), Err(Limit::States));
        assert_eq!(languages.count_languages(), known);
        let meter = &mut Meter::over(Limits::default());
        let both = languages.intersection(left, right, meter).unwrap();
        assert_eq!(languages.get(both).states(), 199 * 211);
        assert_eq!(languages.includes(left, both, is_over), Err(Limit::States));
        assert_eq!(languages.includes(left, both, meter), Ok(true));
    }

    #[test]
    fn post_star_gives_the_stacks_at_each_shared_state() {
        // ⟨0|1⟩ → ⟨0|1 2⟩ and ⟨0|1⟩ → ⟨1|ε⟩: at 0 the stacks 1 2*, at 1 the stacks 2*.
        let rules = vec![rule(0, 1, 0, &[1, 2]), rule(0, 1, 1, &[])];
        let template = Template::new(3, vec![s(1)], rules);
        let mut system = System::new(2, q(0), vec![template], vec![0]);
        let mut languages = Languages::default();
        let one = languages.singleton(&[s(1)]);
        let from = (0, q(0), one);
        let mut post_star =
            |limits| languages.post_star(&mut system, from, &mut Meter::over(limits));
        let few = Limits { states: 0, ..Limits::default() };
        assert_eq!(post_star(few), Err(Limit::States));
        let reached = post_star(Limits::default()).unwrap();
        assert_eq!(post_star(few), Ok(Arc::clone(&reached)));
        let [(zero, at_zero), (one, at_one)] = reached[..] else { panic!("two shared states") };
        assert_eq!((zero, one), (q(0), q(1)));
        assert!(
            languages.contains(at_zero, &word(&[1, 2]))
                && !languages.contains(at_zero, &word(&[2]))
        );
        assert!(languages.contains(at_one, &word(&[2, 2])) && languages.contains(at_one, &[]));
        assert!(!languages.get(at_one).is_finite());
    }
}
