//! Languages of stacks as canonical automata: the minimal partial deterministic automaton, its
//! states numbered in the order of a breadth-first search from the start that takes symbols in
//! ascending order. So two languages are equal exactly if their automata are equal values.
//!
//! A stack is a word, top first. State 0 is the start; the empty language has no state at all.

use std::collections::VecDeque;

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use crate::automata::determinize::{Partial, determinize};
use crate::automata::minimize::{Minimal, minimize};
use crate::automata::p_automaton::{Node, PAutomaton};
use crate::limits::{Limit, Limits, Meter};
use crate::system::{EPSILON, Shared, Symbol};

/// A regular language of stacks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Dfa {
    /// For each state, whether it accepts the empty word.
    accepting: Vec<bool>,
    /// Where the edges of each state end in `edges`.
    ends: Vec<u32>,
    /// In ascending order for each state. All states are on a way to an accepting one.
    edges: Vec<(Symbol, u32)>,
}

impl Dfa {
    /// The language that a deterministic automaton accepts from a state.
    pub fn new(partial: &Partial, start: u32, meter: &mut Meter<'_>) -> Result<Self, Limit> {
        Self::of_minimal(&minimize(partial, meter)?, start, meter)
    }

    /// The same for an automaton that is small, as users write them.
    ///
    /// # Panics
    ///
    /// Never: there is no limit.
    pub fn of_small(partial: &Partial) -> Self {
        Self::new(partial, 0, &mut Meter::over(Limits::default())).expect("no limit")
    }

    /// The language of one word.
    pub fn singleton(word: &[Symbol]) -> Self {
        let last = word.len() as u32;
        Self {
            accepting: (0..=last).map(|state| state == last).collect(),
            ends: (0..=last).map(|state| (state + 1).min(last)).collect(),
            edges: (1..).zip(word).map(|(to, &symbol)| (symbol, to)).collect(),
        }
    }

    /// The languages of stacks at all shared states of a P-automaton that have any.
    pub fn all_of(
        automaton: &PAutomaton,
        meter: &mut Meter<'_>,
    ) -> Result<Vec<(Shared, Self)>, Limit> {
        let shared = automaton.shared_states();
        let nodes = shared.iter().map(|&shared| Node::shared(shared));
        let (partial, starts) = determinize(automaton, nodes, meter)?;
        let minimal = minimize(&partial, meter)?;
        let languages = shared.into_iter().zip(starts);
        languages
            .map(|(shared, start)| Ok((shared, Self::of_minimal(&minimal, start, meter)?)))
            .collect()
    }

    /// The language of stacks at one shared state of a P-automaton.
    pub fn at(
        automaton: &PAutomaton,
        shared: Shared,
        meter: &mut Meter<'_>,
    ) -> Result<Self, Limit> {
        let (partial, starts) = determinize(automaton, [Node::shared(shared)], meter)?;
        Self::new(&partial, starts[0], meter)
    }

    /// How many states there are.
    pub fn states(&self) -> u32 {
        self.accepting.len() as u32
    }

    /// Whether the empty word is accepted from a state.
    pub fn is_accepting(&self, state: u32) -> bool {
        self.accepting[state as usize]
    }

    /// What leaves a state, in ascending order of the symbols.
    pub fn edges(&self, state: u32) -> &[(Symbol, u32)] {
        let state = state as usize;
        let start = if state == 0 { 0 } else { self.ends[state - 1] };
        &self.edges[start as usize..self.ends[state] as usize]
    }

    /// Where a symbol leads from a state.
    pub fn step(&self, state: u32, symbol: Symbol) -> Option<u32> {
        let edges = self.edges(state);
        let place = edges.binary_search_by_key(&symbol, |&(symbol, _)| symbol).ok()?;
        Some(edges[place].1)
    }

    /// Whether a stack is in the language.
    pub fn accepts(&self, stack: &[Symbol]) -> bool {
        if self.is_empty() {
            return false;
        }
        let end = stack.iter().try_fold(0, |state, &symbol| self.step(state, symbol));
        end.is_some_and(|state| self.is_accepting(state))
    }

    /// Whether there is no stack in the language.
    pub fn is_empty(&self) -> bool {
        self.accepting.is_empty()
    }

    /// The symbols on top of its stacks, in ascending order; [`EPSILON`] for the empty stack.
    pub fn tops(&self) -> Vec<Symbol> {
        if self.is_empty() {
            return Vec::new();
        }
        let empty = self.is_accepting(0).then_some(EPSILON);
        empty.into_iter().chain(self.edges(0).iter().map(|&(symbol, _)| symbol)).collect()
    }

    /// Whether there are finitely many stacks in the language.
    pub fn is_finite(&self) -> bool {
        self.topological_order().is_some()
    }

    /// How many stacks there are; None if there are infinitely many.
    pub fn count(&self, meter: &mut Meter<'_>) -> Result<Option<BigUint>, Limit> {
        let Some(order) = self.topological_order() else { return Ok(None) };
        let mut counts = vec![BigUint::default(); self.accepting.len()];
        for &state in order.iter().rev() {
            let mut count = BigUint::from(u8::from(self.is_accepting(state)));
            for &(_, to) in self.edges(state) {
                count += &counts[to as usize];
                meter.spend(1 + (count.bits() / 64) as usize)?;
            }
            counts[state as usize] = count;
        }
        Ok(Some(counts.into_iter().next().unwrap_or_default()))
    }

    /// The first of its shortest stacks, in the order of symbols; None if there is no stack.
    pub fn shortest(&self) -> Option<Vec<Symbol>> {
        (self.states() > 0).then(|| self.shortest_from(0))
    }

    /// The first of the shortest stacks that are in another language too; None if there is none.
    pub fn shortest_in_common(&self, other: &Self) -> Option<Vec<Symbol>> {
        if self.is_empty() || other.is_empty() {
            return None;
        }
        let mut entered = FxHashMap::default();
        entered.insert((0, 0), None);
        let mut queue = VecDeque::from([(0, 0)]);
        while let Some(pair) = queue.pop_front() {
            if self.is_accepting(pair.0) && other.is_accepting(pair.1) {
                let mut word = Vec::new();
                let mut at = pair;
                while let Some((from, symbol)) = entered[&at] {
                    word.push(symbol);
                    at = from;
                }
                word.reverse();
                return Some(word);
            }
            for &(symbol, to) in self.edges(pair.0) {
                let Some(in_other) = other.step(pair.1, symbol) else { continue };
                entered.entry((to, in_other)).or_insert_with(|| {
                    queue.push_back((to, in_other));
                    Some((pair, symbol))
                });
            }
        }
        None
    }

    /// The first of the shortest words that are accepted from a state; there is one from each.
    fn shortest_from(&self, start: u32) -> Vec<Symbol> {
        let mut entered: Vec<Option<(u32, Symbol)>> = vec![None; self.accepting.len()];
        let mut queue = vec![start];
        let mut next = 0;
        while !self.is_accepting(queue[next]) {
            for &(symbol, to) in self.edges(queue[next]) {
                if to != start && entered[to as usize].is_none() {
                    entered[to as usize] = Some((queue[next], symbol));
                    queue.push(to);
                }
            }
            next += 1;
        }
        let mut word = Vec::new();
        let mut state = queue[next];
        while let Some((from, symbol)) = entered[state as usize] {
            word.push(symbol);
            state = from;
        }
        word.reverse();
        word
    }

    /// How much memory it holds.
    pub fn bytes(&self) -> usize {
        self.accepting.capacity() + self.ends.capacity() * 4 + self.edges.capacity() * 8
    }

    /// What can be reached from a state of a minimal automaton, in breadth-first order.
    fn of_minimal(minimal: &Minimal, start: u32, meter: &mut Meter<'_>) -> Result<Self, Limit> {
        let Some(start) = minimal.class[start as usize] else { return Ok(Self::default()) };
        meter.spend(minimal.accepting.len() / 64)?;
        let mut number = vec![None; minimal.accepting.len()];
        number[start as usize] = Some(0);
        let mut order = vec![start];
        let mut dfa = Self::default();
        let mut next = 0;
        while let Some(&state) = order.get(next) {
            next += 1;
            meter.spend(1 + minimal.edges[state as usize].len())?;
            dfa.accepting.push(minimal.accepting[state as usize]);
            for &(symbol, to) in &minimal.edges[state as usize] {
                let to = *number[to as usize].get_or_insert_with(|| {
                    order.push(to);
                    order.len() as u32 - 1
                });
                dfa.edges.push((symbol, to));
            }
            dfa.ends.push(dfa.edges.len() as u32);
        }
        Ok(dfa)
    }

    /// The states such that edges lead from earlier to later ones; None if there is a cycle.
    fn topological_order(&self) -> Option<Vec<u32>> {
        let mut entering = vec![0_u32; self.accepting.len()];
        for &(_, to) in &self.edges {
            entering[to as usize] += 1;
        }
        // Only the start can be free of entering edges.
        let mut order: Vec<u32> = (0..self.states().min(1)).filter(|_| entering[0] == 0).collect();
        let mut next = 0;
        while let Some(&state) = order.get(next) {
            next += 1;
            for &(_, to) in self.edges(state) {
                entering[to as usize] -= 1;
                if entering[to as usize] == 0 {
                    order.push(to);
                }
            }
        }
        (order.len() == self.accepting.len()).then_some(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::short::{s, word};

    fn from(partial: &Partial, start: u32) -> Dfa {
        Dfa::new(partial, start, &mut Meter::over(Limits::default())).unwrap()
    }

    fn count(language: &Dfa) -> Option<BigUint> {
        language.count(&mut Meter::over(Limits::default())).unwrap()
    }

    /// (1 2)* 3 from state 0, and the same with other numbers from state 5.
    fn twice_the_same() -> Partial {
        Partial {
            accepting: vec![false, false, true, false, true, false],
            edges: [(0, 1, 1), (1, 2, 0), (0, 3, 2), (5, 3, 4), (5, 1, 3), (3, 2, 5)]
                .map(|(from, symbol, to)| (from, s(symbol), to))
                .to_vec(),
        }
    }

    #[test]
    fn equal_languages_are_equal_values() {
        let partial = twice_the_same();
        let language = from(&partial, 0);
        assert_eq!(language, from(&partial, 5));
        assert_ne!(language, from(&partial, 1));
        assert_eq!(language.states(), 3);
        assert!(language.accepts(&word(&[1, 2, 1, 2, 3])) && !language.accepts(&word(&[1, 2])));
        assert_eq!((language.tops(), language.shortest()), (word(&[1, 3]), Some(word(&[3]))));
        assert_eq!(count(&language), None);
    }

    #[test]
    fn one_word_is_one_word() {
        for stack in [&[][..], &[4], &[4, 4, 2]] {
            let stack = &word(stack)[..];
            let language = Dfa::singleton(stack);
            assert_eq!(count(&language), Some(BigUint::from(1_u8)));
            assert_eq!(language.shortest().as_deref(), Some(stack));
            assert!(language.accepts(stack) && language.is_finite());
        }
    }

    #[test]
    fn the_empty_language_has_no_words() {
        let language = Dfa::of_small(&Partial { accepting: vec![false], edges: vec![] });
        assert_eq!(language, Dfa::default());
        assert_eq!(count(&language), Some(BigUint::default()));
        assert_eq!((language.shortest(), language.tops()), (None, vec![]));
        assert!(language.is_finite() && !language.accepts(&[]));
    }

    #[test]
    fn many_words_are_counted_exactly() {
        let length = 200;
        let partial = Partial {
            accepting: (0..=length).map(|state| state == length).collect(),
            edges: (0..length)
                .flat_map(|from| [(from, s(1), from + 1), (from, s(2), from + 1)])
                .collect(),
        };
        assert_eq!(count(&from(&partial, 0)), Some(BigUint::from(2_u8).pow(length)));
    }
}
