//! Pre*: all configurations from which one thread reaches a regular set of them (the saturation of
//! Bouajjani, Esparza and Maler, in the order of Esparza, Hansel, Rossmanith and Schwoon).
//!
//! Whenever the automaton can read what a rule ⟨q|γ⟩ → ⟨q'|w⟩ writes on a way from q' to a node, a
//! transition that reads γ leads from q to that node. How far the word of a rule was read, and to
//! which node, is a *reading*; each is kept once. So a word of any length needs no fresh symbols,
//! and with words of at most two symbols all is done in O(|N|² · |Δ|) steps, where N are the nodes
//! of the starting automaton.
//!
//! All rules must be there from the start: those of a program's system count only as far as they
//! have been met.

use rustc_hash::FxHashMap;

use crate::automata::p_automaton::{Node, PAutomaton, Transition};
use crate::automata::transitions::{Progress, TransitionId, Transitions};
use crate::limits::{Meter, Outcome};
use crate::sets::table::Table;
use crate::system::{EPSILON, Rule, Symbol, Template};

/// What a template reaches a set from, or a part of that while it is not complete.
#[derive(Debug)]
pub struct PreStar {
    pub(super) found: Transitions<Reason>,
    /// The number of the first transition whose consequences are still to be drawn.
    next: usize,
    /// The rules that lead to a shared state and write a symbol on top.
    writing: FxHashMap<(Node, Symbol), Vec<u32>>,
    /// The transitions that were looked at, by where they start and what they read.
    leaving: FxHashMap<(Node, Symbol), Vec<TransitionId>>,
    /// The readings that go on from a node with a symbol.
    waiting: FxHashMap<(Node, Symbol), Vec<u32>>,
    /// (Rule, how many symbols of its word were read, node), numbered.
    readings: Table,
    pub(super) reading_reasons: Vec<(Option<Reading>, TransitionId)>,
    next_reading: u32,
}

/// A word of a rule that was read in part, by number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading(pub(super) u32);

/// Why a transition was added.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reason {
    /// It is one of the set to be reached.
    Start,
    /// The rule writes nothing, and leads to the shared state that the transition leads to.
    Pop { rule: u32 },
    /// What the rule writes is read by what a reading has read, if there is one, and then by a
    /// transition.
    Rule { rule: u32, before: Option<Reading>, last: TransitionId },
}

impl PreStar {
    /// The saturation that begins with a set of configurations to be reached.
    pub fn new(template: &Template, start: &PAutomaton) -> Self {
        let mut found = Transitions::new();
        for &edge in start.isolated().transitions() {
            found.add(edge, Reason::Start);
        }
        let mut writing: FxHashMap<_, Vec<u32>> = FxHashMap::default();
        for (number, rule) in (0..).zip(&template.rules) {
            let target = Node::shared(rule.target);
            if let Some(top) = written(rule, 0) {
                writing.entry((target, top)).or_default().push(number);
            } else {
                let from = Node::shared(rule.source);
                let edge = Transition { from, symbol: rule.top, to: target };
                found.add(edge, Reason::Pop { rule: number });
            }
        }
        Self {
            found,
            next: 0,
            writing,
            leaving: FxHashMap::default(),
            waiting: FxHashMap::default(),
            readings: Table::new(2),
            reading_reasons: Vec::new(),
            next_reading: 0,
        }
    }

    /// Draw consequences until there are no more. The template is the one it was made with.
    pub fn advance(&mut self, template: &Template, meter: &mut Meter) -> Outcome {
        let mut progress = Progress::new(meter, self.size());
        let mut work = 0;
        while !self.is_complete() {
            if let Some(outcome) = progress.ended(work, self.size(), || self.bytes()) {
                return outcome;
            }
            work = if (self.next_reading as usize) < self.readings.len() {
                self.next_reading += 1;
                self.go_on(self.next_reading - 1, template)
            } else {
                self.next += 1;
                self.follow(TransitionId::from_index(self.next - 1), template)
            };
        }
        Outcome::Done
    }

    /// Whether all consequences are drawn.
    pub fn is_complete(&self) -> bool {
        self.next == self.found.len() && self.next_reading as usize == self.readings.len()
    }

    /// How many transitions were found.
    pub fn transitions(&self) -> usize {
        self.found.len()
    }

    /// How much memory it holds.
    pub fn bytes(&self) -> usize {
        let per_entry = size_of::<((Node, Symbol), Vec<u32>)>() + 1;
        let entries = self.writing.capacity() + self.leaving.capacity() + self.waiting.capacity();
        let in_lists = (self.next + self.next_reading as usize) * 2 * size_of::<u32>();
        self.found.bytes()
            + self.readings.bytes()
            + self.reading_reasons.capacity() * size_of::<(Option<Reading>, TransitionId)>()
            + entries * per_entry
            + in_lists
    }

    /// The configurations that reach the set; a part of them while it is not complete.
    pub fn automaton(&self) -> PAutomaton {
        self.found.automaton()
    }

    /// What limits count: transitions and readings.
    fn size(&self) -> usize {
        self.found.len() + self.readings.len()
    }

    /// Draw the consequences of a transition, and say how much work that was.
    fn follow(&mut self, number: TransitionId, template: &Template) -> usize {
        let edge = self.found.get(number);
        let key = (edge.from, edge.symbol);
        self.leaving.entry(key).or_default().push(number);
        let begun = self.writing.get(&key).map_or(0, Vec::len);
        for index in 0..begun {
            let rule = self.writing[&key][index];
            self.read(template, rule, None, number);
        }
        let waiting = self.waiting.get(&key).map_or(0, Vec::len);
        for index in 0..waiting {
            let reading = self.waiting[&key][index];
            self.read(template, self.reading(reading).0, Some(Reading(reading)), number);
        }
        1 + begun + waiting
    }

    /// Let a new reading go on with the transitions that were looked at, and wait for more.
    fn go_on(&mut self, number: u32, template: &Template) -> usize {
        let (rule, length, node) = self.reading(number);
        let symbol = written(&template.rules[rule as usize], length).expect("more to read");
        let key = (node, symbol);
        self.waiting.entry(key).or_default().push(number);
        let leaving = self.leaving.get(&key).map_or(0, Vec::len);
        for index in 0..leaving {
            let transition = self.leaving[&key][index];
            self.read(template, rule, Some(Reading(number)), transition);
        }
        1 + leaving
    }

    /// A transition reads one more symbol of the word of a rule.
    fn read(
        &mut self,
        template: &Template,
        number: u32,
        before: Option<Reading>,
        last: TransitionId,
    ) {
        let rule = &template.rules[number as usize];
        let length = 1 + before.map_or(0, |Reading(before)| self.reading(before).1);
        let to = self.found.get(last).to;
        if written(rule, length).is_none() {
            let from = Node::shared(rule.source);
            let reason = Reason::Rule { rule: number, before, last };
            self.found.add(Transition { from, symbol: rule.top, to }, reason);
            return;
        }
        let key = [u64::from(number) << 32 | u64::from(length), u64::from(to.bits())];
        if self.readings.insert(&key).1 {
            self.reading_reasons.push((before, last));
        }
    }

    fn reading(&self, reading: u32) -> (u32, u32, Node) {
        let key = self.readings.key(reading);
        ((key[0] >> 32) as u32, key[0] as u32, Node::from_bits(key[1] as u32))
    }
}

/// The symbol that a rule writes in some place, the mark included that it keeps at the bottom.
fn written(rule: &Rule, place: u32) -> Option<Symbol> {
    let place = place as usize;
    let mark = (rule.top == EPSILON && place == rule.word.len()).then_some(EPSILON);
    rule.word.get(place).copied().or(mark)
}
