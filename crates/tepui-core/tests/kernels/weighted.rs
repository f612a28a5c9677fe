//! Weighted post*, pre*, summaries and runs, on systems small enough to count by hand.

use tepui_core::limits::{Limit, Limits, Meter, Outcome};
use tepui_core::weighted::domain::Domain;
use tepui_core::weighted::domains::boolean::Boolean;
use tepui_core::weighted::domains::min_path::{MinPath, Overflow};
use tepui_core::weighted::post_star::PostStar;
use tepui_core::weighted::pre_star::PreStar;
use tepui_core::weighted::pushdown::{self, Node, PushdownSystem, Symbol};
use tepui_core::weighted::summary::{Configurations, Transition, TransitionId, summary};

/// (Source, top, target, word, cost).
type Rule<'a> = (u32, u32, u32, &'a [u32], u64);

fn word_of(numbers: &[u32]) -> Vec<Symbol> {
    numbers.iter().map(|&number| Symbol::new(number)).collect()
}

fn system(states: u32, symbols: u32, rules: &[Rule<'_>]) -> (PushdownSystem, Vec<u64>) {
    let words: Vec<Vec<Symbol>> = rules.iter().map(|rule| word_of(rule.3)).collect();
    let given: Vec<_> = rules
        .iter()
        .zip(&words)
        .map(|(&(source, top, target, _, _), word)| pushdown::Rule {
            source: Node::new(source),
            top: Symbol::new(top),
            target: Node::new(target),
            word,
            merges: false,
        })
        .collect();
    let weights = rules.iter().map(|rule| rule.4).collect();
    (PushdownSystem::new(states, symbols, &given), weights)
}

/// The set with just one configuration, whose nodes begin with a number.
fn just(node: u32, state: u32, stack: &[u32]) -> Configurations {
    let nodes = (node..).zip(stack);
    let transitions = nodes.map(|(to, &symbol)| Transition {
        from: Node::new(if to == node { state } else { to - 1 }),
        symbol: Symbol::new(symbol),
        to: Node::new(to),
    });
    let last = if stack.is_empty() { state } else { node + stack.len() as u32 - 1 };
    Configurations { transitions: transitions.collect(), accepting: vec![Node::new(last)] }
}

fn post(system: &(PushdownSystem, Vec<u64>), start: &Configurations) -> PostStar<u64> {
    let given = (&system.0, &system.1[..]);
    let mut post = PostStar::new(&MinPath, given, &start.transitions, true).unwrap();
    let outcome = post.advance(&MinPath, &system.0, &mut Meter::over(Limits::default()));
    assert_eq!(outcome, Ok(Outcome::Done));
    post
}

fn pre(system: &(PushdownSystem, Vec<u64>), target: &Configurations) -> PreStar<u64> {
    let given = (&system.0, &system.1[..]);
    let mut pre = PreStar::new(&MinPath, given, &target.transitions, true).unwrap();
    let outcome = pre.advance(&MinPath, &system.0, &mut Meter::over(Limits::default()));
    assert_eq!(outcome, Ok(Outcome::Done));
    pre
}

/// The cost of the cheapest run, and its rules, found in both directions.
fn cheapest(
    system: &(PushdownSystem, Vec<u64>),
    (from, before): (u32, &[u32]),
    (to, after): (u32, &[u32]),
) -> Option<(u64, Vec<u32>)> {
    let rules = &system.0;
    let (start, target) = (just(rules.nodes(), from, before), just(rules.nodes(), to, after));
    let ask = |automaton, set: &Configurations| {
        let mut meter = Meter::over(Limits::default());
        summary(&MinPath, rules.states, automaton, set, &mut meter).unwrap().unwrap()
    };
    let forwards = post(system, &start);
    let (automaton, numbers) = forwards.automaton(rules, &start.accepting);
    let found = ask(&automaton, &target);
    let backwards = pre(system, &target);
    let (automaton, back_numbers) = backwards.automaton(rules, &target.accepting);
    let found_back = ask(&automaton, &start);
    assert_eq!(found.weight, found_back.weight);
    let numbered = |path: &[TransitionId], numbers: &[TransitionId]| -> Vec<TransitionId> {
        path.iter().map(|number| numbers[number.index()]).collect()
    };
    let cost = |run: &[u32]| run.iter().map(|&rule| system.1[rule as usize]).sum::<u64>();
    let (path, path_back) = (found.path?, found_back.path?);
    let transitions = numbered(&path.transitions, &numbers);
    let given = (path.state, &transitions[..]);
    let run = forwards.run_to(rules, given, &mut Meter::over(Limits::default())).unwrap();
    assert_eq!(run.start, (Node::new(from), word_of(before)));
    let transitions = numbered(&path_back.transitions, &back_numbers);
    let given = (path_back.state, &transitions[..]);
    let run_back = backwards.run_from(rules, given, &mut Meter::over(Limits::default())).unwrap();
    assert_eq!((cost(&run.rules), cost(&run_back.rules)), (found.weight, found.weight));
    Some((found.weight, run.rules))
}

#[test]
fn a_call_costs_what_the_cheapest_way_through_the_callee_costs() {
    let rules: [Rule<'_>; 5] = [
        (0, 0, 0, &[1, 3], 10),
        (0, 1, 0, &[2], 1),
        (0, 1, 0, &[], 5),
        (0, 2, 0, &[], 2),
        (0, 3, 0, &[], 100),
    ];
    let system = system(1, 4, &rules);
    assert_eq!(cheapest(&system, (0, &[0]), (0, &[3])), Some((13, vec![0, 1, 3])));
    assert_eq!(cheapest(&system, (0, &[0]), (0, &[])), Some((113, vec![0, 1, 3, 4])));
    assert_eq!(cheapest(&system, (0, &[0]), (0, &[2, 3])), Some((11, vec![0, 1])));
    assert_eq!(cheapest(&system, (0, &[3]), (0, &[0])), None);
}

#[test]
fn a_run_without_steps_costs_nothing() {
    let system = system(2, 1, &[(0, 0, 1, &[], 3)]);
    assert_eq!(cheapest(&system, (1, &[]), (1, &[])), Some((0, vec![])));
    assert_eq!(cheapest(&system, (0, &[0, 0]), (0, &[0, 0])), Some((0, vec![])));
    assert_eq!(cheapest(&system, (0, &[0]), (1, &[])), Some((3, vec![0])));
}

#[test]
fn rules_count_even_if_nothing_is_read_but_what_rules_replace() {
    let system = system(1, 2, &[(0, 0, 0, &[1], 1), (0, 1, 0, &[0], 1)]);
    assert_eq!(cheapest(&system, (0, &[0]), (0, &[1])), Some((1, vec![0])));
    assert_eq!(cheapest(&system, (0, &[1]), (0, &[0])), Some((1, vec![1])));
}

#[test]
fn long_words_are_one_step() {
    let rules: [Rule<'_>; 3] =
        [(0, 0, 0, &[1, 1, 2, 3], 1), (0, 1, 0, &[], 10), (0, 2, 0, &[2, 2, 2], 1)];
    let system = system(1, 4, &rules);
    assert_eq!(cheapest(&system, (0, &[0]), (0, &[1, 1, 2, 3])), Some((1, vec![0])));
    let run = cheapest(&system, (0, &[0]), (0, &[2, 2, 2, 3]));
    assert_eq!(run, Some((22, vec![0, 1, 1, 2])));
}

#[test]
fn recursion_without_costs_has_a_run_nevertheless() {
    let rules: [Rule<'_>; 4] =
        [(0, 0, 0, &[0, 1], 0), (0, 0, 0, &[], 0), (0, 1, 0, &[0], 0), (0, 1, 1, &[], 0)];
    let system = system(2, 2, &rules);
    let (cost, _) = cheapest(&system, (0, &[0]), (1, &[1, 1])).expect("a run");
    assert_eq!(cost, 0);
}

#[test]
fn one_state_may_read_a_symbol_on_the_way_to_many_nodes() {
    let calls: Vec<[u32; 2]> = (1..=20).map(|callee| [callee, 50]).collect();
    let mut rules: Vec<Rule<'_>> = vec![(0, 40, 0, &[], 1), (0, 41, 0, &[40], 0)];
    for (word, callee) in calls.iter().zip(1..) {
        rules.push((0, 0, 0, word, 1));
        rules.push((0, callee, 0, &[40], 100));
        rules.push((0, callee, 0, &[41], u64::from(callee)));
    }
    let system = system(1, 51, &rules);
    let (cost, _) = cheapest(&system, (0, &[0]), (0, &[50])).expect("a run");
    assert_eq!(cost, 3);
    let start = just(system.0.nodes(), 0, &[0]);
    let (automaton, _) = post(&system, &start).automaton(&system.0, &start.accepting);
    let transitions = automaton.configurations.transitions.iter().zip(automaton.weights);
    let mut costs: Vec<(Node, u64)> = transitions
        .filter(|(edge, _)| edge.symbol == Symbol::new(40))
        .map(|(edge, cost)| (edge.to, cost))
        .collect();
    costs.sort_unstable();
    let costs: Vec<u64> = costs.into_iter().map(|(_, cost)| cost).collect();
    assert_eq!(costs, (1..=20).collect::<Vec<u64>>());
}

#[test]
fn each_of_two_transitions_that_read_the_same_gets_its_own_weight() {
    let rules: [Rule<'_>; 3] = [(0, 0, 0, &[2], 100), (0, 0, 0, &[1], 1), (0, 1, 0, &[2], 1)];
    let system = system(1, 3, &rules);
    let nodes = [system.0.nodes(), system.0.nodes() + 1].map(Node::new);
    let transitions =
        nodes.map(|to| Transition { from: Node::new(0), symbol: Symbol::new(2), to }).to_vec();
    let target = Configurations { transitions, accepting: nodes.to_vec() };
    let (automaton, _) = pre(&system, &target).automaton(&system.0, &target.accepting);
    let transitions = automaton.configurations.transitions.iter().zip(automaton.weights);
    let costs: Vec<u64> = transitions
        .filter(|(edge, _)| edge.symbol == Symbol::new(0))
        .map(|(_, cost)| cost)
        .collect();
    assert_eq!(costs, [2, 2]);
}

#[test]
fn few_of_many_states_and_symbols_are_enough() {
    let (far, high) = (900_000, 800_000);
    let rules: [Rule<'_>; 2] = [(0, 0, far, &[high, 1], 2), (far, high, 5, &[], 3)];
    let system = system(1_000_000, 1_000_000, &rules);
    assert_eq!(cheapest(&system, (0, &[0]), (5, &[1])), Some((5, vec![0, 1])));
}

#[test]
fn a_sum_of_costs_that_is_too_large_is_an_error() {
    let half = 1 << 63;
    let (rules, weights) = system(1, 3, &[(0, 0, 0, &[1], half), (0, 1, 0, &[2], half)]);
    let start = just(rules.nodes(), 0, &[0]);
    let mut post = PostStar::new(&MinPath, (&rules, &weights), &start.transitions, false).unwrap();
    let outcome = post.advance(&MinPath, &rules, &mut Meter::over(Limits::default()));
    assert_eq!(outcome, Err(Overflow));
    assert_eq!(MinPath.extend(&half, &(half - 2)), Ok(u64::MAX - 1));
    assert_eq!(MinPath.extend(&half, &(half - 1)), Err(Overflow));
    assert_eq!(MinPath.extend(&u64::MAX, &1), Ok(u64::MAX));
}

#[test]
fn a_saturation_stops_at_its_limits_and_goes_on() {
    let rules: Vec<[u32; 1]> = (1..5000).map(|symbol| [symbol]).collect();
    let rules: Vec<Rule<'_>> = rules.iter().map(|word| (0, word[0] - 1, 0, &word[..], 1)).collect();
    let (system, weights) = system(1, 5000, &rules);
    let start = just(system.nodes(), 0, &[0]);
    let truths = vec![true; weights.len()];
    let mut post = PostStar::new(&Boolean, (&system, &truths), &start.transitions, false).unwrap();
    let few = Limits { states: 2000, ..Limits::default() };
    let stopped = Outcome::Stopped(Limit::States);
    assert_eq!(post.advance(&Boolean, &system, &mut Meter::over(few)), Ok(stopped));
    assert!(post.transitions() >= 2000 && post.transitions() < 5000);
    let none = Limits { bytes: 1, ..Limits::default() };
    let stopped = Outcome::Stopped(Limit::Memory);
    assert_eq!(post.advance(&Boolean, &system, &mut Meter::over(none)), Ok(stopped));
    let done = post.advance(&Boolean, &system, &mut Meter::over(Limits::default()));
    assert_eq!((done, post.transitions()), (Ok(Outcome::Done), 5000));
}

#[test]
fn a_run_that_is_longer_than_wanted_is_not_written_out() {
    let doubling: Vec<[u32; 2]> = (1..40).map(|callee| [callee, callee]).collect();
    let mut rules: Vec<Rule<'_>> =
        doubling.iter().map(|word| (0, word[0] - 1, 0, &word[..], 0)).collect();
    rules.push((0, 39, 0, &[], 0));
    let system = system(1, 40, &rules);
    let start = just(system.0.nodes(), 0, &[0]);
    let post = post(&system, &start);
    let (automaton, numbers) = post.automaton(&system.0, &start.accepting);
    let empty = just(system.0.nodes(), 0, &[]);
    let mut meter = Meter::over(Limits::default());
    let found = summary(&MinPath, 1, &automaton, &empty, &mut meter).unwrap().unwrap();
    let path = found.path.expect("a path");
    let transitions: Vec<TransitionId> =
        path.transitions.iter().map(|number| numbers[number.index()]).collect();
    let few = Limits { states: 1000, ..Limits::default() };
    let run = post.run_to(&system.0, (path.state, &transitions), &mut Meter::over(few));
    assert_eq!(run, Err(Limit::States));
}
