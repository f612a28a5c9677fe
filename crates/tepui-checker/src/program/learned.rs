//! What steps do, learned once for all shared states in which they look at the same values.
//!
//! A step looks at few places of the shared state. So it is first taken in a shared state of which
//! nothing is given: each place has [`Value::Before`], at which nobody can look. If the step wants
//! to, `evaluation::seen` stops it, and it is taken again with the value at this place, and so on.
//! That makes a tree, which branches by the values at one place after the other. At the end of each
//! path are the steps of all shared states that have the values on it. What is still `Before` in
//! their results is as it was.
//!
//! Flags are compared without `seen`; so all flags are given, whether a step looks at them or not.
//! That nobody knows the value at a place yet is a branch, too, as long as no other place has the
//! same. Otherwise a step that decides this value would change the other place, which is not given:
//! such steps are not learned.

use super::Program;
use super::evaluation::{Stepped, Stop};
use super::values::{Shared, Value, in_normal_form, number};
use crate::hashing::QuickMap;

/// A step: what it changes in the shared state, and the symbols that take the place of the top.
pub(crate) struct Effect {
    changes: Vec<(usize, Value)>,
    pub(crate) word: Vec<u32>,
}

enum Node {
    /// No step was taken with what is known here.
    New,
    /// The next branches are the values of this place.
    Looks(usize),
    Done(Vec<Effect>),
}

/// What was learned about the steps of some frames.
pub(crate) struct Learned {
    nodes: Vec<Node>,
    roots: QuickMap<(usize, u32), u32>,
    branches: QuickMap<(u32, Value), u32>,
    /// The places of flags, which are always given.
    flags: Vec<usize>,
}

impl Learned {
    /// Nothing yet.
    pub(crate) fn new(program: &Program) -> Self {
        let hidden = &program.hidden;
        let created = program.templates.iter().map(|template| template.created);
        let others = [hidden.halted, hidden.full, hidden.holder, hidden.lock];
        let mut flags: Vec<usize> = others.into_iter().chain(created).flatten().collect();
        flags.sort_unstable();
        flags.dedup();
        let (roots, branches) = (QuickMap::default(), QuickMap::default());
        Self { nodes: Vec::new(), roots, branches, flags }
    }

    /// The steps of a frame, which has a key, in a shared state. `take` takes them where not all of
    /// that is given. None if they look at a value which nobody knows, and which is not alone.
    pub(crate) fn steps(
        &mut self,
        key: (usize, u32),
        shared: &[Value],
        mut take: impl FnMut(&[Value]) -> Stepped<Vec<(Shared, Vec<u32>)>>,
    ) -> Stepped<Option<&[Effect]>> {
        let new = self.nodes.len() as u32;
        let mut node = *self.roots.entry(key).or_insert(new);
        let mut seen = Vec::new();
        loop {
            if node as usize == self.nodes.len() {
                self.nodes.push(Node::New);
            }
            match self.nodes[node as usize] {
                Node::Done(_) => break,
                Node::Looks(place) => {
                    if !is_alone(shared, place) {
                        return Ok(None);
                    }
                    seen.push(place);
                    let new = self.nodes.len() as u32;
                    node = *self.branches.entry((node, shared[place])).or_insert(new);
                }
                Node::New => {
                    self.nodes[node as usize] = match self.attempt(&seen, shared, &mut take) {
                        Ok(found) => Node::Done(found.into_iter().map(Effect::of).collect()),
                        Err(Stop::Reads(place)) => Node::Looks(place as usize),
                        Err(stop) => return Err(stop),
                    }
                }
            }
        }
        match &self.nodes[node as usize] {
            Node::Done(found) => Ok(Some(found)),
            Node::New | Node::Looks(_) => unreachable!("the path goes on there"),
        }
    }

    /// Take steps with no more of a shared state than what was seen.
    fn attempt(
        &self,
        seen: &[usize],
        shared: &[Value],
        take: &mut impl FnMut(&[Value]) -> Stepped<Vec<(Shared, Vec<u32>)>>,
    ) -> Stepped<Vec<(Shared, Vec<u32>)>> {
        if let Some(place) = self.flags.iter().find(|place| !seen.contains(place)) {
            return Err(Stop::Reads(*place as u32));
        }
        let mut given: Vec<Value> = (0..shared.len() as u32).map(Value::Before).collect();
        for &place in seen {
            given[place] = shared[place];
        }
        take(&given)
    }
}

/// Whether what a place has is known, or unknown and no other place has the same.
fn is_alone(shared: &[Value], place: usize) -> bool {
    match shared[place] {
        Value::Open => !shared.contains(&Value::SameAs(place as u32)),
        value => value.known().is_some(),
    }
}

impl Effect {
    fn of((after, word): (Shared, Vec<u32>)) -> Self {
        let places = after.into_iter().enumerate();
        let is_change = |(place, value): &(usize, Value)| *value != Value::Before(*place as u32);
        Self { changes: places.filter(is_change).collect(), word }
    }

    /// The shared state after the step; None if it is the same.
    pub(crate) fn after(&self, shared: &[Value]) -> Option<Shared> {
        let is_as_before =
            |&(place, value): &(usize, Value)| value.known().is_some() && value == shared[place];
        if self.changes.iter().all(is_as_before) {
            return None;
        }
        let mut found = Vec::with_capacity(shared.len());
        number(shared, 0, &mut found);
        for &(place, value) in &self.changes {
            // What nobody knows after the step is something else than what nobody knew before.
            found[place] = match value {
                Value::Open => Value::SameAs((shared.len() + place) as u32),
                Value::SameAs(first) => Value::SameAs(shared.len() as u32 + first),
                other => other,
            };
        }
        Some(in_normal_form(found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::evaluation::seen;
    use crate::program::text;

    const OPEN: Value = Value::Open;

    fn known<const N: usize>(numbers: [i64; N]) -> [Value; N] {
        numbers.map(Value::Known)
    }

    fn learned() -> Learned {
        let cell = "( wrap 0 4 0 )";
        let text =
            format!("( ( {cell} {cell} {cell} ) 3 ( - - ( ) - - ) ( ) ( ) ( ) 1 1 1 ( ) ( ) ( ) )");
        Learned::new(&text::read(&text).ok().unwrap())
    }

    /// A step that writes the value of the first place to the second.
    fn copy(given: &[Value]) -> Stepped<Vec<(Shared, Vec<u32>)>> {
        let mut after = given.to_vec();
        after[1] = seen(given[0])?;
        Ok(vec![(after, vec![7])])
    }

    #[test]
    fn a_step_is_taken_once_for_each_value_that_it_looks_at() {
        let (mut learned, mut taken) = (learned(), 0);
        for (before, after) in [
            ([2, 0, 3], [2, 2, 3]),
            ([2, 1, 0], [2, 2, 0]),
            ([3, 1, 0], [3, 3, 0]),
            ([2, 3, 1], [2, 2, 1]),
        ] {
            let before = known(before);
            let steps = learned.steps((0, 1), &before, |given| {
                taken += 1;
                copy(given)
            });
            let [only] = steps.ok().flatten().unwrap() else { panic!("there is one step") };
            assert_eq!(only.after(&before), Some(known(after).to_vec()));
            assert_eq!(only.word, [7]);
        }
        assert_eq!(taken, 3, "once in vain, and once for each of two values");
    }

    #[test]
    fn a_look_at_what_nobody_knows_is_learned_if_no_other_place_has_the_same() {
        let mut learned = learned();
        let copy = |given: &[Value]| {
            let mut after = given.to_vec();
            seen(given[1])?;
            after[2] = Value::SameAs(1);
            Ok(vec![(after, Vec::new())])
        };
        let same = Value::SameAs;
        for before in [[OPEN, same(0), OPEN], [Value::Known(1), OPEN, same(1)]] {
            assert!(matches!(learned.steps((0, 1), &before, copy), Ok(None)));
        }
        for (before, after) in [
            ([OPEN, OPEN, OPEN], [OPEN, OPEN, same(1)]),
            ([OPEN, OPEN, same(0)], [OPEN, OPEN, same(1)]),
            ([Value::Known(3), OPEN, Value::Known(1)], [Value::Known(3), OPEN, same(1)]),
        ] {
            let steps = learned.steps((0, 1), &before, copy);
            assert_eq!(steps.ok().flatten().unwrap()[0].after(&before), Some(after.to_vec()));
        }
    }

    #[test]
    fn what_nobody_knows_after_a_step_is_something_new() {
        let mut learned = learned();
        let forget = |given: &[Value]| {
            let mut after = given.to_vec();
            (after[0], after[2]) = (OPEN, Value::SameAs(0));
            Ok(vec![(after, Vec::new())])
        };
        for (before, after) in [
            ([OPEN, Value::SameAs(0), Value::SameAs(0)], [OPEN, OPEN, Value::SameAs(0)]),
            ([OPEN, Value::SameAs(0), Value::Known(1)], [OPEN, OPEN, Value::SameAs(0)]),
            ([OPEN, Value::Known(1), Value::SameAs(0)], [OPEN, Value::Known(1), Value::SameAs(0)]),
        ] {
            let steps = learned.steps((0, 1), &before, forget);
            assert_eq!(steps.ok().flatten().unwrap()[0].after(&before), Some(after.to_vec()));
        }
    }
}
