//! Automata, post* and partitions, against brute force on small pushdown systems.

use std::collections::{BTreeMap, BTreeSet};

use super::super::effects::Effects;
use super::super::encoding::Position;
use super::super::nodes::{Bdd, Nodes, Work};
use super::super::relation::Relation;
use super::super::shapes::Shape;
use super::automata::{END, Edges, OWN, Section, State, States, Symbol, View};
use super::layout::Layout;
use super::poststar::Saturation;
use super::rules::{Rule, Target};
use super::splitting::Partition;
use crate::limits::{Limits, Meter};
use crate::program::Point;

/// A point, and the value in its frame.
type Letter = (u32, u32);
type Configuration = (u32, Vec<Letter>);

/// A shared state, the letter on top, and what they become.
type Plain = (u32, Letter, u32, Vec<Letter>);

const SHARED: u32 = 4;
const POINTS: u32 = 3;
const VALUES: u32 = 2;

/// Numbers that look random.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32 % most
    }

    fn letter(&mut self) -> Letter {
        (self.below(POINTS), self.below(VALUES))
    }
}

/// Some rules, more that return than that call, so that stacks do not grow too much.
fn random_rules(chance: &mut Chance) -> Vec<Plain> {
    let count = 12 + chance.below(20);
    let rule = |_| {
        let size = [0, 0, 1, 1, 2][chance.below(5) as usize];
        let (from, to) = (chance.below(SHARED), chance.below(SHARED));
        (from, chance.letter(), to, (0..size).map(|_| chance.letter()).collect())
    };
    (0..count).map(rule).collect()
}

/// All that is reached with stacks that are not higher.
fn reached(rules: &[Plain], from: &[Configuration], height: usize) -> BTreeSet<Configuration> {
    let mut found: BTreeSet<Configuration> = from.iter().cloned().collect();
    let mut unseen = from.to_vec();
    while let Some((shared, stack)) = unseen.pop() {
        for (source, letter, target, word) in rules {
            if *source == shared && stack.first() == Some(letter) {
                let next = (*target, [word, &stack[1..]].concat());
                if next.1.len() <= height && found.insert(next.clone()) {
                    unseen.push(next);
                }
            }
        }
    }
    found
}

fn symbol(point: u32) -> Symbol {
    Symbol { point: Point::new(point), section: Section::Nowhere }
}

/// The bits of a number, by their levels.
fn number(levels: impl IntoIterator<Item = u32>, value: u32, work: &mut Work) -> Bdd {
    let bits = levels.into_iter().enumerate();
    let mut bits: Vec<(u32, bool)> =
        bits.map(|(place, level)| (level, value >> place & 1 == 1)).collect();
    bits.sort_unstable_by(|one, other| other.cmp(one));
    work.nodes.cube(bits)
}

fn shared_is(layout: &Layout, value: u32, work: &mut Work) -> Bdd {
    number(layout.shared.iter().map(|bit| bit.now), value, work)
}

fn frame_is(layout: &Layout, value: u32, work: &mut Work) -> Bdd {
    number(layout.frame[0].iter().map(|bit| bit.current), value, work)
}

/// The same rules for each point.
fn lowered(rules: &[Plain], layout: &Layout, work: &mut Work) -> BTreeMap<Symbol, Vec<Rule>> {
    let mut found: BTreeMap<Symbol, Vec<Rule>> = BTreeMap::new();
    for (source, (point, value), target, word) in rules {
        let (from, top) = (shared_is(layout, *source, work), frame_is(layout, *value, work));
        let condition = work.and(from, top).unwrap();
        let step = &layout.steps[0];
        let mut changes = Vec::new();
        let mut change = |digits: &[Position], value: u32| {
            let bits = digits.iter().enumerate();
            let constant = |on: bool| if on { Bdd::TRUE } else { Bdd::FALSE };
            changes.extend(bits.map(|(place, &bit)| (bit, constant(value >> place & 1 == 1))));
        };
        change(&step.shared[0], *target);
        for (depth, &(_, value)) in word.iter().rev().enumerate() {
            change(&step.frames[0][depth][&0][0], value);
        }
        let freed = if word.is_empty() { step.frames[0][0][&0][0].clone() } else { Vec::new() };
        let effects = Effects {
            condition,
            changes,
            freed,
            afterwards: Bdd::TRUE,
            shape: Shape { outer: None, points: Vec::new() },
            choices: Vec::new(),
            dead: Vec::new(),
            fresh: Vec::new(),
        };
        let target = match word[..] {
            [] => Target::Returns,
            [(to, _)] => Target::Stays(symbol(to)),
            [(top, _), (below, _), ..] => Target::Calls {
                callee: symbol(top),
                caller: symbol(below),
                arguments: layout.frame[0].clone(),
            },
        };
        let relation = Relation::of(&effects, work).unwrap();
        found.entry(symbol(*point)).or_default().push(Rule { relation, target });
    }
    found
}

/// Whether a configuration is in a view, of which own states may be needed.
fn has(
    view: &View,
    own: &[Edges],
    states: &States,
    (shared, stack): &Configuration,
    layout: &Layout,
    work: &mut Work,
) -> bool {
    let shared = shared_is(layout, *shared, work);
    let Some(((point, value), below)) = stack.split_first() else {
        return work.and(view.empty, shared).unwrap() != Bdd::FALSE;
    };
    let read = |state: State, set: Bdd, below: &[Letter], work: &mut Work| {
        let mut at = BTreeMap::from([(state, set)]);
        for (point, value) in below {
            let frame = frame_is(layout, *value, work);
            let mut next: BTreeMap<State, Bdd> = BTreeMap::new();
            for (state, set) in at {
                let edges =
                    if state < OWN { states.edges(state) } else { &own[(state - OWN) as usize] };
                for (&(symbol, target), &label) in edges {
                    if symbol.point == Point::new(*point) {
                        let names = layout.names(work);
                        let current = layout.frame_cube(|bit| bit.current, work);
                        let label = work.and_exists(label, set, names).unwrap();
                        let label = work.and_exists(label, frame, current).unwrap();
                        let label = work.rename(label, &layout.arrives).unwrap();
                        let known = next.entry(target).or_insert(Bdd::FALSE);
                        *known = work.or(*known, label).unwrap();
                    }
                }
            }
            at = next;
        }
        at.get(&END).is_some_and(|&set| set != Bdd::FALSE)
    };
    let (now, ghost) = (layout.cube(|bit| bit.now, work), layout.cube(|bit| bit.ghost, work));
    let current = layout.frame_cube(|bit| bit.current, work);
    let frame = frame_is(layout, *value, work);
    view.tops.iter().filter(|((symbol, _), _)| symbol.point == Point::new(*point)).any(
        |(&(_, state), &label)| {
            let label = work.and_exists(label, shared, now).unwrap();
            let label = work.and_exists(label, frame, current).unwrap();
            let label = work.exists(label, ghost).unwrap();
            read(state, label, below, work)
        },
    )
}

fn words(height: usize) -> Vec<Vec<Letter>> {
    let mut found = vec![Vec::new()];
    let mut last: Vec<Vec<Letter>> = found.clone();
    for _ in 0..height {
        let letters: Vec<Letter> =
            (0..POINTS).flat_map(|point| (0..VALUES).map(move |value| (point, value))).collect();
        last = last
            .iter()
            .flat_map(|word| letters.iter().map(move |&letter| [&word[..], &[letter]].concat()))
            .collect();
        found.extend(last.clone());
    }
    found
}

fn saturated(
    view: &View,
    with_ghost: bool,
    rules: &BTreeMap<Symbol, Vec<Rule>>,
    states: &States,
    layout: &Layout,
    work: &mut Work,
) -> Saturation {
    let mut saturation = Saturation::new(view, with_ghost, Bdd::FALSE, layout, work).unwrap();
    while let Some(symbol) = saturation.symbol() {
        let rules = rules.get(&symbol).map_or(&[][..], Vec::as_slice);
        saturation.step(rules, states, layout, work).unwrap();
    }
    saturation
}

/// Two contexts of the same thread, while another one changes the shared state in between: what is
/// kept of the first one is not mixed up with the second one.
#[test]
fn post_star_is_what_brute_force_reaches() {
    let layout = Layout::small(2, 1);
    let mut meter = Meter::over(Limits::default());
    let (mut accepted, mut high) = (0, 0);
    for seed in 0..150 {
        let mut nodes = Nodes::new();
        let mut work = Work { nodes: &mut nodes, meter: &mut meter };
        let mut chance = Chance(seed);
        let mut states = States::new();
        let first = (chance.below(SHARED), vec![chance.letter()]);
        let mut plain = vec![first.clone()];
        let label = {
            let shared = shared_is(&layout, first.0, &mut work);
            let frame = frame_is(&layout, first.1[0].1, &mut work);
            work.and(shared, frame).unwrap()
        };
        let tops = Edges::from([((symbol(first.1[0].0), END), label)]);
        let mut view = View { empty: Bdd::FALSE, tops };
        for context in 0..2 {
            let some = random_rules(&mut chance);
            let rules = lowered(&some, &layout, &mut work);
            let with_ghost = chance.below(2) == 0;
            let found = saturated(&view, with_ghost, &rules, &states, &layout, &mut work);
            let expected = reached(&some, &plain, 9);
            for shared in 0..SHARED {
                for word in words(3) {
                    let each = (shared, word);
                    let is_in = has(&found.view, &found.own, &states, &each, &layout, &mut work);
                    assert_eq!(is_in, expected.contains(&each), "{seed} {context} {each:?}");
                    accepted += usize::from(is_in);
                    high += usize::from(is_in && each.1.len() > 1);
                }
            }
            // Another thread swaps two shared states.
            let ghosts = layout.cube(|bit| bit.ghost, &mut work);
            let kept = found.view.mapped(|label| work.exists(label, ghosts)).unwrap();
            let kept = states.keep(&kept, &found.own, &layout, &mut work).unwrap();
            let low = layout.shared[0].now;
            view = kept
                .mapped(|label| {
                    let (on, off) = (work.nodes.bit(low, true), work.nodes.bit(low, false));
                    let bits = work.nodes.bit(low, true);
                    let was_on = work.and_exists(label, on, bits)?;
                    let was_off = work.and_exists(label, off, bits)?;
                    work.if_then_else(on, was_off, was_on)
                })
                .unwrap();
            plain = expected.into_iter().map(|(shared, stack)| (shared ^ 1, stack)).collect();
        }
    }
    assert!(accepted > 1000 && high > 400, "{accepted} {high}");
}

/// A view knows from which shared state the context came.
#[test]
fn ghosts_are_where_the_context_began() {
    let layout = Layout::small(2, 1);
    let mut meter = Meter::over(Limits::default());
    for seed in 0..100 {
        let mut nodes = Nodes::new();
        let mut work = Work { nodes: &mut nodes, meter: &mut meter };
        let mut chance = Chance(1000 + seed);
        let some = random_rules(&mut chance);
        let rules = lowered(&some, &layout, &mut work);
        let letter = chance.letter();
        let frame = frame_is(&layout, letter.1, &mut work);
        let view =
            View { empty: Bdd::FALSE, tops: Edges::from([((symbol(letter.0), END), frame)]) };
        let states = States::new();
        let found = saturated(&view, true, &rules, &states, &layout, &mut work);
        let ghosts = layout.cube(|bit| bit.ghost, &mut work);
        for ghost in 0..SHARED {
            let expected = reached(&some, &[(ghost, vec![letter])], 9);
            let cube = number(layout.shared.iter().map(|bit| bit.ghost), ghost, &mut work);
            let from = found.view.mapped(|label| work.and_exists(label, cube, ghosts)).unwrap();
            for shared in 0..SHARED {
                for word in words(2) {
                    let each = (shared, word);
                    let is_in = has(&from, &found.own, &states, &each, &layout, &mut work);
                    assert_eq!(is_in, expected.contains(&each), "{seed} {ghost} {each:?}");
                }
            }
        }
    }
}

/// Equal blocks of states are the same, and what no name needs is left out.
#[test]
fn states_are_kept_once() {
    let layout = Layout::small(2, 1);
    let mut nodes = Nodes::new();
    let mut meter = Meter::over(Limits::default());
    let mut work = Work { nodes: &mut nodes, meter: &mut meter };
    let mut states = States::new();
    let name =
        |value, work: &mut Work| number(layout.shared.iter().map(|bit| bit.name), value, work);
    let (one, two) = (name(1, &mut work), name(2, &mut work));
    let both = work.or(one, two).unwrap();
    let own = vec![
        Edges::from([((symbol(0), OWN + 1), Bdd::FALSE)]),
        Edges::from([((symbol(1), END), both)]),
    ];
    let view = View { empty: Bdd::FALSE, tops: Edges::from([((symbol(2), OWN + 1), one)]) };
    let kept = states.keep(&view, &own, &layout, &mut work).unwrap();
    assert_eq!(kept.tops.keys().copied().collect::<Vec<_>>(), [(symbol(2), 1)]);
    assert_eq!(states.edges(1), &Edges::from([((symbol(1), END), one)]));
    assert_eq!(states.keep(&view, &own, &layout, &mut work).unwrap(), kept);
    assert_eq!(states.count, 1);
    let other = View { tops: Edges::from([((symbol(2), OWN + 1), two)]), ..view };
    assert_ne!(states.keep(&other, &own, &layout, &mut work).unwrap(), kept);
}

/// Classes are disjoint, have all that is moved, are safe, and nothing can be added to any of them.
#[test]
fn partitions_are_safe() {
    const MANY: u32 = 16;
    let layout = Layout::small(4, 1);
    let mut meter = Meter::over(Limits::default());
    let mut sizes = BTreeSet::new();
    for seed in 0..200 {
        let mut nodes = Nodes::new();
        let mut work = Work { nodes: &mut nodes, meter: &mut meter };
        let mut chance = Chance(seed);
        let count = 1 + chance.below(30);
        let moved: BTreeSet<(u32, u32)> =
            (0..count).map(|_| (chance.below(MANY), chance.below(MANY))).collect();
        let mut set = Bdd::FALSE;
        for &(ghost, now) in &moved {
            let ghost = number(layout.shared.iter().map(|bit| bit.ghost), ghost, &mut work);
            let now = shared_is(&layout, now, &mut work);
            let pair = work.and(ghost, now).unwrap();
            set = work.or(set, pair).unwrap();
        }
        let mut rest = Partition::of(set, Bdd::TRUE, &layout, &mut work).unwrap();
        let confluent = |one: u32, other: u32| {
            one != other
                && (0..MANY).any(|now| moved.contains(&(one, now)) && moved.contains(&(other, now)))
        };
        let mut left: BTreeSet<u32> = moved.iter().map(|&(ghost, _)| ghost).collect();
        let mut classes = 0;
        while let Some((class, next)) = rest.class(&layout, &mut work).unwrap() {
            rest = next;
            classes += 1;
            let levels: Vec<u32> = layout.shared.iter().map(|bit| bit.ghost).collect();
            let is_in = |value: u32| {
                work.nodes.has(class, |at| {
                    levels
                        .iter()
                        .position(|&level| level == at)
                        .is_some_and(|bit| value >> bit & 1 == 1)
                })
            };
            let members: BTreeSet<u32> = (0..MANY).filter(|&value| is_in(value)).collect();
            assert!(!members.is_empty() && members.is_subset(&left), "{seed}");
            for &one in &members {
                assert!(members.iter().all(|&other| !confluent(one, other)), "{seed}");
            }
            left.retain(|value| !members.contains(value));
            for &value in &left {
                assert!(members.iter().any(|&other| confluent(value, other)), "{seed}");
            }
        }
        assert!(left.is_empty(), "{seed}");
        sizes.insert(classes);
    }
    assert!(sizes.len() > 3, "{sizes:?}");
}
