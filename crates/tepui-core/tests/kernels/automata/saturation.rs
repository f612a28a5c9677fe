//! Post*, pre* and runs, on systems small enough to count by hand.

use tepui_core::automata::p_automaton::PAutomaton;
use tepui_core::automata::post_star::{PostStar, post_star};
use tepui_core::automata::pre_star::PreStar;
use tepui_core::limits::{Limit, Limits, Meter, Outcome};
use tepui_core::system::{EPSILON, Rule, Shared, Symbol, System, Template};

use crate::support::{no_limit, q, rule, s, word};

type Configuration = (Shared, Vec<Symbol>);

fn system(symbols: u32, shared: u32, rules: Vec<Rule>) -> System {
    System::new(shared, q(0), vec![Template::new(symbols, vec![], rules)], vec![0])
}

fn configuration(shared: u32, stack: &[u32]) -> Configuration {
    (q(shared), word(stack))
}

fn configurations(all: &[(u32, &[u32])]) -> Vec<Configuration> {
    all.iter().map(|&(shared, stack)| configuration(shared, stack)).collect()
}

fn set(all: &[(u32, &[u32])]) -> PAutomaton {
    let all = configurations(all);
    PAutomaton::of_configurations(all.iter().map(|(shared, stack)| (*shared, &stack[..])))
}

fn post(system: &mut System, start: &PAutomaton) -> (PostStar, PAutomaton) {
    let mut saturation = PostStar::new(0, start);
    assert_eq!(saturation.advance(system, &mut no_limit()), Outcome::Done);
    let automaton = saturation.automaton();
    (saturation, automaton)
}

fn pre(system: &System, start: &PAutomaton) -> (PreStar, PAutomaton) {
    let template = &system.templates[0];
    let mut saturation = PreStar::new(template, start);
    assert_eq!(saturation.advance(template, &mut no_limit()), Outcome::Done);
    let automaton = saturation.automaton();
    (saturation, automaton)
}

/// Where a run ends; a rule that is not enabled ends the test.
fn replay(system: &System, (mut shared, mut stack): Configuration, rules: &[u32]) -> Configuration {
    for &number in rules {
        let rule = &system.templates[0].rules[number as usize];
        let top = stack.first().copied().unwrap_or(EPSILON);
        assert_eq!((rule.source, rule.top), (shared, top));
        stack.splice(..stack.len().min(1), rule.word.iter().copied());
        shared = rule.target;
    }
    (shared, stack)
}

/// CUBA, Figure 3, with the symbols 0, 1, 2 as 1, 2, 3.
fn figure_3() -> System {
    let rules = vec![
        rule(0, 1, 1, &[2, 1]),
        rule(1, 2, 2, &[3, 1]),
        rule(2, 3, 0, &[2]),
        rule(0, 2, 0, &[]),
    ];
    system(4, 3, rules)
}

/// Rules of all kinds: long words, the empty stack, pops.
fn all_kinds() -> System {
    let rules = vec![
        rule(0, 0, 1, &[1, 2]),
        rule(1, 1, 1, &[1, 2, 3]),
        rule(1, 1, 2, &[]),
        rule(2, 2, 2, &[]),
        rule(2, 3, 2, &[]),
        rule(2, 0, 3, &[]),
        rule(3, 0, 0, &[]),
    ];
    system(4, 4, rules)
}

#[test]
fn figure_3_reaches_the_stacks_of_the_paper() {
    let mut system = figure_3();
    let (_, automaton) = post(&mut system, &set(&[(0, &[1])]));
    let words = automaton.words(3, usize::MAX);
    let expected = configurations(&[
        (0, &[1]),
        (0, &[1, 1]),
        (0, &[1, 1, 1]),
        (0, &[2, 1, 1]),
        (1, &[2, 1]),
        (1, &[2, 1, 1]),
        (2, &[3, 1, 1]),
    ]);
    assert_eq!(words, expected);
    assert!(!automaton.is_finite());
    assert_eq!((automaton.tops(q(0)), automaton.tops(q(2))), (word(&[1, 2]), word(&[3])));
}

#[test]
fn every_configuration_of_post_star_has_a_run_from_the_start() {
    for (mut system, start) in [(figure_3(), set(&[(0, &[1])])), (all_kinds(), set(&[(0, &[])]))] {
        let (saturation, automaton) = post(&mut system, &start);
        let words = automaton.words(6, usize::MAX);
        assert!(words.len() > 10);
        for (shared, stack) in words {
            let run = saturation.run_to(shared, &stack, &mut no_limit());
            let run = run.unwrap().expect("an accepted configuration");
            assert!(start.accepts(run.start.0, &run.start.1));
            assert_eq!(replay(&system, run.start, &run.rules), (shared, stack));
        }
        let nowhere = saturation.run_to(q(1), &[s(3)], &mut no_limit());
        assert_eq!(nowhere, Ok(None));
    }
}

#[test]
fn every_configuration_of_pre_star_has_a_run_to_the_set() {
    let goals = [set(&[(0, &[1, 1])]), set(&[(2, &[3]), (3, &[])])];
    for (system, goal) in [figure_3(), all_kinds()].into_iter().zip(goals) {
        let (saturation, automaton) = pre(&system, &goal);
        let words = automaton.words(5, usize::MAX);
        assert!(words.len() > 3);
        for (shared, stack) in words {
            let run = saturation.run_from(shared, &stack, &mut no_limit());
            let run = run.unwrap().expect("an accepted configuration");
            assert_eq!(run.start, (shared, stack));
            let (shared, stack) = replay(&system, run.start, &run.rules);
            assert!(goal.accepts(shared, &stack));
        }
    }
}

#[test]
fn pre_star_leads_back_to_where_post_star_came_from() {
    let mut system = all_kinds();
    let start = set(&[(1, &[1, 3])]);
    let (_, reached) = post(&mut system, &start);
    for (shared, stack) in reached.words(4, usize::MAX) {
        let end = PAutomaton::of_configurations([(shared, &stack[..])]);
        let (_, reaching) = pre(&system, &end);
        assert!(reaching.accepts(q(1), &word(&[1, 3])), "{shared:?} {stack:?}");
    }
    let (_, reaching) = pre(&system, &set(&[(1, &[3])]));
    assert!(!reaching.accepts(q(1), &word(&[1, 3])));
}

#[test]
fn saturation_from_what_pre_star_finds_is_exact() {
    // Transitions of pre* lead to shared states; post* from them must not mix the two.
    let mut system = system(3, 2, vec![rule(0, 1, 0, &[]), rule(0, 2, 1, &[2])]);
    let (_, reaching) = pre(&system, &set(&[(0, &[])]));
    assert_eq!(reaching.words(2, usize::MAX), configurations(&[(0, &[]), (0, &[1]), (0, &[1, 1])]));
    let (_, reached) = post(&mut system, &reaching);
    assert_eq!(reached.words(2, usize::MAX), reaching.words(2, usize::MAX));
    let (_, again) = pre(&system, &reached);
    assert_eq!(again.words(2, usize::MAX), reaching.words(2, usize::MAX));
}

#[test]
fn a_thread_that_only_pushes_reaches_infinitely_many_stacks() {
    let mut system = system(2, 1, vec![rule(0, 1, 0, &[1, 1])]);
    let start = PAutomaton::short_stacks_that_move(&system.templates[0]);
    let (_, automaton) = post(&mut system, &start);
    assert!(!automaton.is_finite());
    assert!(automaton.accepts(q(0), &word(&[1, 1, 1])) && !automaton.accepts(q(0), &word(&[])));
}

#[test]
fn rules_on_the_empty_stack_act_on_the_empty_stack_only() {
    let mut system = system(2, 2, vec![rule(0, 0, 1, &[1]), rule(1, 1, 0, &[])]);
    let start = PAutomaton::short_stacks_that_move(&system.templates[0]);
    let (_, automaton) = post(&mut system, &start);
    assert!(automaton.is_finite());
    assert_eq!(automaton.words(9, usize::MAX), configurations(&[(0, &[]), (1, &[1])]));
}

#[test]
fn long_words_are_one_step() {
    let rules = vec![rule(0, 1, 1, &[1, 2, 3]), rule(1, 1, 1, &[]), rule(1, 2, 0, &[])];
    let mut system = system(4, 2, rules);
    let (_, automaton) = post(&mut system, &set(&[(0, &[1, 3])]));
    let words = automaton.words(9, usize::MAX);
    let expected = [(0, &[1, 3][..]), (0, &[3, 3]), (1, &[1, 2, 3, 3]), (1, &[2, 3, 3])];
    let expected = configurations(&expected);
    assert_eq!(words, expected);
}

#[test]
fn nothing_is_reached_from_nothing() {
    let mut system = all_kinds();
    let (_, reached) = post(&mut system, &PAutomaton::default());
    let (_, reaching) = pre(&system, &PAutomaton::default());
    assert!(reached.is_empty() && reaching.is_empty());
}

#[test]
fn a_saturation_stops_at_its_limits_and_can_go_on() {
    let mut system = all_kinds();
    let start = set(&[(0, &[])]);
    let none = Limits::default();
    let stopped = post_star(&mut system, 0, &start, &mut Meter::over(Limits { states: 1, ..none }));
    assert_eq!(stopped, Err(Limit::States));
    let stopped = post_star(&mut system, 0, &start, &mut Meter::over(Limits { bytes: 1, ..none }));
    assert_eq!(stopped, Err(Limit::Memory));

    let (_, complete) = post(&mut system, &start);
    let mut steps = PostStar::new(0, &start);
    let mut back = PreStar::new(&system.templates[0], &start);
    let slowly = Limits { pause: 1, ..none };
    let mut pauses = 0;
    while steps.advance(&mut system, &mut Meter::over(slowly)) == Outcome::Paused {
        assert!(!steps.is_complete());
        pauses += 1;
    }
    while back.advance(&system.templates[0], &mut Meter::over(slowly)) == Outcome::Paused {
        pauses += 1;
    }
    assert!(pauses > 5 && steps.is_complete() && back.is_complete());
    assert_eq!(steps.automaton(), complete);
    assert_eq!(back.automaton(), pre(&system, &start).1);
}

#[test]
fn a_run_can_be_too_long_for_its_limits() {
    // A counter with 24 digits: symbol d calls d + 1 twice, so the way to the end has 2^24 steps.
    let digits = 24;
    let mut rules: Vec<Rule> =
        (1..digits).map(|digit| rule(0, digit, 0, &[digit + 1, digit + 1])).collect();
    rules.push(rule(0, digits, 0, &[]));
    let mut system = system(digits + 1, 1, rules);
    let (saturation, automaton) = post(&mut system, &set(&[(0, &[1])]));
    assert!(automaton.accepts(q(0), &word(&[])));
    let limits = Limits { states: 100_000, ..Limits::default() };
    let run = saturation.run_to(q(0), &[], &mut Meter::over(limits));
    assert_eq!(run, Err(Limit::States));
}
