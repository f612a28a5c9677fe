//! Operations on languages of stacks, against sets of words up to a length, on random sets.

use std::collections::BTreeSet;

use num_bigint::BigUint;
use tepui_core::automata::dfa::Dfa;
use tepui_core::automata::p_automaton::{Node, PAutomaton, Transition};
use tepui_core::automata::post_star::post_star;
use tepui_core::automata::stack_languages::{LanguageId, Languages};
use tepui_core::limits::{Limit, Limits, Meter};
use tepui_core::system::{EPSILON, Rule, Symbol, System, Template};

use crate::support::{no_limit, q, s};

const ROUNDS: u64 = 300;

const SYMBOLS: u32 = 2;

const LENGTH: usize = 5;

/// The random sets have no more nodes than this. So a shortest word is shorter, and if there are
/// infinitely many words, there is one whose length is at least this and less than twice this.
const NODES: u32 = 4;

type Words = BTreeSet<Vec<Symbol>>;

/// Numbers that look random, the same in every run.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, bound: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 32) % u64::from(bound)) as u32
    }

    /// A set with stacks at some of the first shared states.
    fn set(&mut self, shared: u32) -> PAutomaton {
        let inner = |number: u32| Node::inner(number + 1);
        let mut transitions = Vec::new();
        for _ in 0..=self.below(2 * NODES) {
            let from = self.below(NODES - 1 + shared);
            let from = if from < shared { Node::shared(q(from)) } else { inner(from - shared) };
            if self.below(3) == 0 {
                transitions.push(Transition { from, symbol: EPSILON, to: Node::LAST });
            } else {
                let (symbol, to) = (s(1 + self.below(SYMBOLS)), inner(self.below(NODES - 1)));
                transitions.push(Transition { from, symbol, to });
            }
        }
        PAutomaton::new(transitions)
    }
}

/// All words up to a length.
fn all_words(length: usize) -> Vec<Vec<Symbol>> {
    let mut words = vec![vec![]];
    let mut next = 0;
    while next < words.len() {
        if words[next].len() < length {
            for symbol in 1..=SYMBOLS {
                let mut longer = words[next].clone();
                longer.push(s(symbol));
                words.push(longer);
            }
        }
        next += 1;
    }
    words
}

/// Whether a set has a stack at shared state 0, by following all its transitions.
fn has(set: &PAutomaton, word: &[Symbol]) -> bool {
    let step = |nodes: &[Node], symbol: Symbol| -> Vec<Node> {
        let edges = set.transitions().iter();
        let edges = edges.filter(|edge| edge.symbol == symbol && nodes.contains(&edge.from));
        edges.map(|edge| edge.to).collect()
    };
    let nodes = word.iter().fold(vec![Node::shared(q(0))], |nodes, &symbol| step(&nodes, symbol));
    !step(&nodes, EPSILON).is_empty()
}

fn words_of(set: &PAutomaton, length: usize) -> Words {
    all_words(length).into_iter().filter(|word| has(set, word)).collect()
}

fn language_of(languages: &mut Languages, set: &PAutomaton) -> LanguageId {
    let found = languages.of_automaton(set, &mut no_limit()).unwrap();
    let at_zero = found.into_iter().find(|&(shared, _)| shared == q(0));
    at_zero.map_or(LanguageId::EMPTY, |(_, language)| language)
}

/// Two sets, and their languages at shared state 0.
fn two_languages(random: &mut Random) -> (Languages, [PAutomaton; 2], [LanguageId; 2]) {
    let mut languages = Languages::default();
    let sets = [random.set(1), random.set(1)];
    let numbers = [0, 1].map(|index: usize| language_of(&mut languages, &sets[index]));
    (languages, sets, numbers)
}

#[test]
fn operations_are_those_on_sets_of_words() {
    let words = |languages: &Languages, language: LanguageId| -> Words {
        all_words(LENGTH).into_iter().filter(|word| languages.contains(language, word)).collect()
    };
    for seed in 0..ROUNDS {
        let mut random = Random::new(seed);
        let (mut languages, sets, [left, right]) = two_languages(&mut random);
        let [of_left, of_right] = sets.map(|set| words_of(&set, LENGTH));
        assert_eq!(
            (words(&languages, left), words(&languages, right)),
            (of_left.clone(), of_right.clone())
        );
        let union = languages.union(left, right, &mut no_limit()).unwrap();
        assert_eq!(words(&languages, union), &of_left | &of_right);
        let intersection = languages.intersection(left, right, &mut no_limit()).unwrap();
        assert_eq!(words(&languages, intersection), &of_left & &of_right);
        let difference = languages.difference(left, right, &mut no_limit()).unwrap();
        assert_eq!(words(&languages, difference), &of_left - &of_right);
    }
}

#[test]
fn questions_are_those_about_sets_of_words() {
    let mut answers = BTreeSet::new();
    for seed in 0..ROUNDS {
        let mut random = Random::new(seed);
        let (mut languages, sets, [left, right]) = two_languages(&mut random);
        let [of_left, of_right] =
            [0, 1].map(|index: usize| words_of(&sets[index], 2 * NODES as usize - 1));
        let included = languages.includes(right, left, &mut no_limit()).unwrap();
        let missing = languages.difference(left, right, &mut no_limit()).unwrap();
        let missing = languages.get(missing).shortest();
        assert_eq!(included, missing.is_none());
        match missing {
            Some(missing) => assert!(has(&sets[0], &missing) && !has(&sets[1], &missing)),
            None => assert!(of_left.is_subset(&of_right)),
        }
        let language = languages.get(left);
        let shortest = of_left.iter().min_by_key(|word| (word.len(), *word));
        assert_eq!(language.shortest().as_ref(), shortest);
        assert_eq!(left == LanguageId::EMPTY, of_left.is_empty());
        let tops: BTreeSet<Symbol> =
            of_left.iter().map(|word| word.first().copied().unwrap_or(EPSILON)).collect();
        assert!(language.tops().into_iter().eq(tops));
        let is_finite = language.is_finite();
        assert_eq!(is_finite, of_left.iter().all(|word| word.len() < NODES as usize));
        let count = is_finite.then(|| BigUint::from(of_left.len()));
        assert_eq!(languages.count(left, &mut no_limit()).unwrap(), count);
        answers.insert((included, is_finite));
    }
    assert_eq!(answers.len(), 4);
}

#[test]
fn equal_languages_and_only_they_have_equal_numbers() {
    let (mut equal, mut different) = (0, 0);
    for seed in 0..ROUNDS {
        let (languages, sets, [left, right]) = two_languages(&mut Random::new(seed));
        assert_eq!(left == right, languages.get(left) == languages.get(right));
        // Two automata with m and n states that differ do so on a word shorter than m + n + 2.
        let sizes = languages.get(left).states() + languages.get(right).states();
        let length = (sizes as usize + 1).min(9);
        if left == right || sizes <= 8 {
            let [of_left, of_right] = sets.map(|set| words_of(&set, length));
            assert_eq!(left == right, of_left == of_right);
        }
        *if left == right { &mut equal } else { &mut different } += 1;
    }
    assert!(equal > ROUNDS / 50 && different > ROUNDS / 50);
}

#[test]
fn the_order_in_which_a_language_is_put_together_does_not_matter() {
    for seed in 0..ROUNDS {
        let mut random = Random::new(seed);
        let mut languages = Languages::default();
        let mut words = all_words(4);
        while words.len() > 5 {
            words.remove(random.below(words.len() as u32) as usize);
        }
        let mut together = |words: &[Vec<Symbol>]| {
            words.iter().fold(LanguageId::EMPTY, |language, word| {
                let word = languages.singleton(word);
                languages.union(word, language, &mut no_limit()).unwrap()
            })
        };
        let language = together(&words);
        words.rotate_left(random.below(5) as usize);
        words.swap(0, 1 + random.below(4) as usize);
        assert_eq!(together(&words), language);
        assert_eq!(languages.count(language, &mut no_limit()).unwrap(), Some(BigUint::from(5_u8)));
        is_in_breadth_first_order(languages.get(language));
    }
}

/// Every state but the first is entered first from an earlier one, in ascending order.
fn is_in_breadth_first_order(language: &Dfa) {
    let mut met = 1;
    for state in 0..language.states() {
        assert!(state < met);
        for &(_, to) in language.edges(state) {
            assert!(to <= met);
            met = met.max(to + 1);
        }
    }
}

#[test]
fn languages_reach_what_automata_reach() {
    for seed in 0..ROUNDS {
        let mut random = Random::new(seed);
        let rules = (0..4).map(|_| {
            let word = (0..random.below(3)).map(|_| s(1 + random.below(SYMBOLS))).collect();
            let top = s(random.below(SYMBOLS + 1));
            Rule { source: q(random.below(2)), top, target: q(random.below(2)), word }
        });
        let template = Template::new(SYMBOLS + 1, vec![s(1)], rules.collect());
        let mut system = System::new(2, q(0), vec![template], vec![0]);
        let mut languages = Languages::default();
        let start = random.set(2);
        for (shared, language) in languages.of_automaton(&start, &mut no_limit()).unwrap() {
            let from = (0, shared, language);
            let found = languages.post_star(&mut system, from, &mut no_limit()).unwrap();
            let alone = PAutomaton::of_language(shared, languages.get(language));
            let after = post_star(&mut system, 0, &alone, &mut no_limit()).unwrap();
            let after = languages.of_automaton(&after, &mut no_limit()).unwrap();
            assert_eq!(found[..], after[..]);
            assert_eq!(languages.post_star(&mut system, from, &mut no_limit()).unwrap(), found);
        }
    }
}

#[test]
fn a_language_that_grows_exponentially_stops_at_a_limit() {
    // The 30th symbol from the bottom is a 1: a set with 31 nodes, and 2^30 sets of nodes.
    let edge = |from, symbol: u32, to| Transition { from, symbol: s(symbol), to };
    let start = Node::shared(q(0));
    let mut transitions = vec![edge(start, 1, Node::inner(1))];
    for symbol in 1..=SYMBOLS {
        // Back to the start by a node of its own, as no transition leads to a shared state.
        transitions.extend([
            edge(start, symbol, Node::inner(31)),
            edge(Node::inner(31), symbol, Node::inner(31)),
        ]);
        transitions.push(edge(Node::inner(31), 3 - symbol, Node::inner(31)));
        transitions
            .extend((1..30).map(|node| edge(Node::inner(node), symbol, Node::inner(node + 1))));
    }
    transitions.push(edge(Node::inner(31), 1, Node::inner(1)));
    transitions.push(edge(Node::inner(30), EPSILON.number(), Node::LAST));
    let few = Limits { states: 1000, ..Limits::default() };
    let found =
        Languages::default().of_automaton(&PAutomaton::new(transitions), &mut Meter::over(few));
    assert_eq!(found, Err(Limit::States));
}
