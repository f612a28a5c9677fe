//! The rules of pushdown automata in the JSON of the public PDAAAL tool. What they look like is said
//! in `tepui/weighted/files/pdaaal.py`, whose reader is the careful one.
//!
//! Only the value of `states` is read here. All of the text around it is left to the careful reader,
//! and so are files in which a label has an empty list of rules, or is `*` and pushes `*`.

use std::borrow::Cow;
use std::ops::Range;

use super::json::Cursor;
use super::names::{Names, Renumbered};
use crate::limits::limit_of_run;

/// After how many rules the limits are looked at.
const RULES_BETWEEN_LOOKS: usize = 1 << 12;

/// The label that stands for all labels.
const ANY: &str = "*";

/// The number of that label, and of what swapping it for itself writes.
const ANY_LABEL: u32 = u32::MAX;

/// The rules of an automaton, which may stand for many each.
#[derive(Debug)]
pub struct Automaton {
    /// Where the value of `states` is in the text, in bytes.
    pub place: Range<usize>,
    /// Whether states have names, and not just numbers.
    pub named: bool,
    /// The names of all states by number.
    pub states: Vec<String>,
    /// The states that have an entry, in their order.
    pub entries: Vec<u32>,
    /// The names of all labels by number.
    pub labels: Vec<String>,
    /// One weight for each rule, or none at all.
    pub weights: Vec<i64>,
    rules: Vec<Rule>,
}

/// Rules of a weighted system, as the kernel takes them.
#[derive(Debug)]
pub struct WrittenOut {
    /// The states of rules in the order of their numbers, each by its number in the automaton.
    pub states: Vec<u32>,
    /// The labels of rules, likewise.
    pub labels: Vec<u32>,
    /// (Source, top, target, length of the word, 0) for each rule.
    pub rules: Vec<u32>,
    /// The words, one after another.
    pub words: Vec<u32>,
    /// One weight for each rule, or none at all.
    pub weights: Vec<i64>,
}

#[derive(Clone, Copy, Debug)]
struct Rule {
    source: u32,
    label: u32,
    target: u32,
    operation: Operation,
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Pop,
    Swap(u32),
    Push(u32),
}

impl Automaton {
    /// Read the rules of a text; nothing if there is anything unusual about them.
    pub fn read(text: &str) -> Option<Self> {
        let mut cursor = Cursor::new(text);
        if cursor.find(&["pda", "instance"])? == 1 {
            cursor.expect(b'[')?;
            cursor.skip()?;
            cursor.expect(b',')?;
        }
        cursor.find(&["states"])?;
        let from = cursor.offset();
        let named = cursor.peek()? == b'{';
        let mut reader = Reader { named, ..Reader::default() };
        reader.states(&mut cursor)?;
        let place = from..cursor.offset();
        reader.is_sound().then(|| reader.finish(place))
    }

    /// How many rules there are, as they are in the file.
    pub fn rules(&self) -> usize {
        self.rules.len()
    }

    /// How many rules these stand for, with this many labels: a rule for any label is one for each.
    pub fn count_written(&self, labels: u32) -> Option<usize> {
        let any = self.rules.iter().filter(|rule| rule.label == ANY_LABEL).count();
        any.checked_mul(labels as usize)?.checked_add(self.rules.len() - any)
    }

    /// All rules that these stand for, where there are this many labels, those of a question
    /// included. Nothing if there are too many.
    pub fn written_out(&self, labels: u32) -> Option<WrittenOut> {
        let count = self.count_written(labels)?;
        if u32::try_from(count).is_err() || (labels as usize) < self.labels.len() {
            return None;
        }
        let mut writer = Writer::new(self, labels as usize, count.min(self.rules.len()));
        for (number, rule) in self.rules.iter().enumerate() {
            let tops = if rule.label == ANY_LABEL { 0..labels } else { rule.label..rule.label + 1 };
            for top in tops {
                let written = writer.rules.len() / 5;
                if written.is_multiple_of(RULES_BETWEEN_LOOKS) && limit_of_run(0).is_some() {
                    return None; // Whoever watches does not use what was written.
                }
                writer.write(rule, top);
                writer.weights.extend(self.weights.get(number));
            }
        }
        Some(writer.finish())
    }
}

/// What has been read so far.
#[derive(Default)]
struct Reader<'a> {
    named: bool,
    states: Names<'a>,
    entries: Vec<u32>,
    labels: Names<'a>,
    /// By label: how many states there were when it last had rules.
    met: Vec<usize>,
    weights: Vec<i64>,
    rules: Vec<Rule>,
}

impl<'a> Reader<'a> {
    fn finish(self, place: Range<usize>) -> Automaton {
        Automaton {
            place,
            named: self.named,
            states: self.states.listed(),
            entries: self.entries,
            labels: self.labels.listed(),
            weights: self.weights,
            rules: self.rules,
        }
    }

    /// Whether no state has two entries, and either all rules have weights or none has one.
    fn is_sound(&self) -> bool {
        let mut entries = self.entries.clone();
        entries.sort_unstable();
        let is_repeated = entries.windows(2).any(|pair| pair[0] == pair[1]);
        !is_repeated && (self.weights.is_empty() || self.weights.len() == self.rules.len())
    }

    fn states(&mut self, cursor: &mut Cursor<'a>) -> Option<()> {
        if self.named {
            return cursor.members(|cursor, name| self.state(cursor, name));
        }
        let mut next = 0..;
        cursor.items(|cursor| {
            let number: u32 = next.next()?;
            self.state(cursor, number.to_string().into())
        })
    }

    fn state(&mut self, cursor: &mut Cursor<'a>, name: Cow<'a, str>) -> Option<()> {
        let state = self.states.number(name);
        self.entries.push(state);
        let mut met_any = false;
        cursor.members(|cursor, name| {
            let label = if name == ANY { ANY_LABEL } else { self.label(name)? };
            let is_repeated = if label == ANY_LABEL {
                std::mem::replace(&mut met_any, true)
            } else {
                self.is_repeated(label)
            };
            if is_repeated {
                return None;
            }
            if cursor.peek()? == b'{' {
                return self.rule(cursor, state, label);
            }
            let before = self.rules.len();
            cursor.items(|cursor| self.rule(cursor, state, label))?;
            (self.rules.len() > before).then_some(())
        })
    }

    /// Whether the state that is being read has had rules for a label; from now on it has.
    fn is_repeated(&mut self, label: u32) -> bool {
        let label = label as usize;
        if label >= self.met.len() {
            self.met.resize(label + 1, 0);
        }
        std::mem::replace(&mut self.met[label], self.entries.len()) == self.entries.len()
    }

    fn rule(&mut self, cursor: &mut Cursor<'a>, source: u32, label: u32) -> Option<()> {
        if self.rules.len().is_multiple_of(RULES_BETWEEN_LOOKS) && limit_of_run(0).is_some() {
            return None; // Whoever watches does not use what was read.
        }
        let (mut target, mut operation, mut weight) = (None, None, None);
        cursor.members(|cursor, key| match &*key {
            "to" => once(&mut target, self.target(cursor)?),
            "weight" => once(&mut weight, cursor.integer().filter(|&cost| cost != i64::MIN)?),
            "pop" | "swap" | "push" => once(&mut operation, (key, cursor.string()?)),
            _ => None,
        })?;
        let (operation, operand) = operation?;
        let keeps_any = label == ANY_LABEL && operand == ANY;
        let operation = match &*operation {
            "pop" => operand.is_empty().then_some(Operation::Pop)?,
            "swap" if keeps_any => Operation::Swap(ANY_LABEL),
            "swap" => Operation::Swap(self.label(operand)?),
            _ if keeps_any => return None,
            _ => Operation::Push(self.label(operand)?),
        };
        let target = self.states.number(target?);
        self.weights.extend(weight);
        self.rules.push(Rule { source, label, target, operation });
        Some(())
    }

    fn target(&self, cursor: &mut Cursor<'a>) -> Option<Cow<'a, str>> {
        if self.named {
            return cursor.string();
        }
        cursor.integer().filter(|&number| number >= 0).map(|number| number.to_string().into())
    }

    fn label(&mut self, name: Cow<'a, str>) -> Option<u32> {
        (!name.is_empty()).then(|| self.labels.number(name))
    }
}

/// Set what must not be there yet.
fn once<T>(place: &mut Option<T>, value: T) -> Option<()> {
    place.replace(value).is_none().then_some(())
}

/// What has been written out so far.
struct Writer {
    states: Renumbered,
    labels: Renumbered,
    rules: Vec<u32>,
    words: Vec<u32>,
    weights: Vec<i64>,
}

impl Writer {
    fn new(automaton: &Automaton, labels: usize, count: usize) -> Self {
        Self {
            states: Renumbered::new(automaton.states.len()),
            labels: Renumbered::new(labels),
            rules: Vec::with_capacity(5 * count),
            words: Vec::with_capacity(count),
            weights: Vec::with_capacity(if automaton.weights.is_empty() { 0 } else { count }),
        }
    }

    fn write(&mut self, rule: &Rule, top: u32) {
        let replaced = self.labels.number(top);
        let length = match rule.operation {
            Operation::Pop => 0,
            Operation::Swap(ANY_LABEL) => self.word(&[top]),
            Operation::Swap(label) => self.word(&[label]),
            Operation::Push(label) => self.word(&[label, top]),
        };
        let (source, target) = (self.states.number(rule.source), self.states.number(rule.target));
        self.rules.extend([source, replaced, target, length, 0]);
    }

    fn word(&mut self, word: &[u32]) -> u32 {
        self.words.extend(word.iter().map(|&label| self.labels.number(label)));
        word.len() as u32
    }

    fn finish(self) -> WrittenOut {
        WrittenOut {
            states: self.states.order,
            labels: self.labels.order,
            rules: self.rules,
            words: self.words,
            weights: self.weights,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(states: &str, more: u32) -> Option<(Vec<u32>, Vec<u32>)> {
        let text = format!(r#"{{"x": "states", "pda": {{"y": 1, "states": {states} }}}}"#);
        let found = Automaton::read(&text)?;
        assert_eq!(&text[found.place.clone()], format!("{states} "));
        let all = found.written_out(found.labels.len() as u32 + more)?;
        Some((all.rules, all.words))
    }

    #[test]
    fn rules_become_numbers_in_the_order_of_the_text() {
        let states = r#"{"p": {"A": [{"to": "q", "pop": ""}, {"to": "p", "swap": "B"}]},
                         "r": {"B": {"push": "A", "to": "p"}}}"#;
        let rules = vec![0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 2, 1, 0, 2, 0];
        assert_eq!(written(states, 0), Some((rules, vec![1, 0, 1])));
    }

    #[test]
    fn the_label_star_stands_for_all_labels() {
        let states = r#"[{"*": {"to": 0, "swap": "*"}, "A": {"to": 1, "push": "*"}}]"#;
        let rules = vec![0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 2, 0, 1, 0, 0, 0, 1, 2, 0];
        assert_eq!(written(states, 1), Some((rules, vec![0, 1, 2, 1, 0])));
    }

    #[test]
    fn whatever_is_unusual_is_not_read() {
        for states in [
            r#"{"p": {}, "p": {}}"#,
            r#"{"p": {"A": {"to": "p", "pop": ""}, "A": {"to": "p", "pop": ""}}}"#,
            r#"{"p": {"*": {"to": "p", "pop": ""}, "*": {"to": "p", "pop": ""}}}"#,
            r#"{"p": {"*": {"to": "p", "push": "*"}}}"#,
            r#"{"p": {"": {"to": "p", "pop": ""}}}"#,
            r#"{"p": {"A": []}}"#,
            r#"{"p": {"A": {"to": "p", "pop": "B"}}}"#,
            r#"{"p": {"A": {"to": "p", "swap": ""}}}"#,
            r#"{"p": {"A": {"to": "p", "to": "p", "pop": ""}}}"#,
            r#"{"p": {"A": {"to": "p", "pop": "", "swap": "A"}}}"#,
            r#"{"p": {"A": {"to": "p", "pop": "", "cost": 1}}}"#,
            r#"{"p": {"A": {"to": "p", "pop": "", "weight": -9223372036854775808}}}"#,
            r#"{"p": {"A": [{"to": "p", "pop": "", "weight": 1}, {"to": "p", "pop": ""}]}}"#,
            r#"{"p": {"A": {"to": 1, "pop": ""}}}"#,
            r#"[{"A": {"to": "1", "pop": ""}}]"#,
            r#"[{"A": {"to": -1, "pop": ""}}]"#,
            "7",
        ] {
            assert_eq!(written(states, 0), None, "{states}");
        }
    }
}
