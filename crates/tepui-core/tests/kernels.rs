//! The kernels together, on systems small enough to count by hand.

use num_bigint::BigUint;
use tepui_core::cut::{Cut, Emergence};
use tepui_core::diagram::cut::CutDiagrams;
use tepui_core::diagram::engine::Diagrams;
use tepui_core::explicit::{Config, Context, Explorer};
use tepui_core::limits::{Limit, Limits, Outcome};
use tepui_core::property::{Pattern, Property};
use tepui_core::reach::Reach;
use tepui_core::system::{Handle, Rule, System, Template};

fn rule(source: u32, top: u32, target: u32, word: &[u32]) -> Rule {
    Rule { source, top, target, word: word.to_vec() }
}

/// CUBA, Figure 4: symbols 1 and 2 of the first thread, 4, 5 and 6 of the second as 1, 2 and 3.
fn figure_4() -> Handle {
    let first = Template::new(3, vec![1], vec![rule(0, 1, 1, &[2]), rule(3, 2, 0, &[1])]);
    let rules = vec![rule(0, 1, 0, &[]), rule(1, 1, 2, &[2]), rule(2, 2, 3, &[1, 3])];
    let second = Template::new(4, vec![1], rules);
    System::new(4, 0, vec![first, second], vec![0, 1]).into_handle()
}

/// Three equal threads that each take two steps while the shared state lets them.
fn three_equal() -> Handle {
    let rules = vec![rule(0, 1, 0, &[2]), rule(0, 2, 0, &[])];
    let template = Template::new(3, vec![1], rules);
    System::new(1, 0, vec![template], vec![0, 0, 0]).into_handle()
}

fn explorer(system: &Handle, symmetry: bool) -> Explorer {
    Explorer::new(system, Config { symmetry, height: u32::MAX })
}

fn first_bad(explorer: &Explorer, pattern: Pattern) -> Option<u32> {
    let property = Property { patterns: vec![pattern], deadlock: false };
    explorer.reached().first_bad(&property, 0, Limits::default(), &mut || false).unwrap()
}

fn advance(explorer: &mut Explorer, limits: Limits) -> Outcome {
    explorer.advance(limits, &mut || false)
}

fn no_time() -> Limits {
    Limits { deadline: Some(std::time::Instant::now()), ..Limits::default() }
}

#[test]
fn rounds_of_figure_4_have_the_sizes_of_the_paper() {
    let mut explorer = explorer(&figure_4(), true);
    for _ in 0..6 {
        assert_eq!(advance(&mut explorer, Limits::default()), Outcome::Done);
    }
    let sizes = explorer.rounds().iter().map(|round| (round.states, round.visible));
    let expected = [(1, 1), (3, 3), (6, 6), (8, 6), (11, 7), (14, 8), (17, 8)];
    assert!(sizes.eq(expected));
}

#[test]
fn symmetry_folds_states_and_counts_them_all() {
    let mut folded = explorer(&three_equal(), true);
    let mut plain = explorer(&three_equal(), false);
    for _ in 0..4 {
        advance(&mut folded, Limits::default());
        advance(&mut plain, Limits::default());
    }
    assert_eq!((plain.reached().len(), folded.reached().len()), (27, 10));
    assert_eq!(folded.reached().real_len(), BigUint::from(27u32));
    assert_eq!(folded.reached().visible().real_len(), BigUint::from(27u32));
}

#[test]
fn a_trace_has_the_fewest_contexts_and_names_real_threads() {
    for symmetry in [false, true] {
        let mut explorer = explorer(&three_equal(), symmetry);
        for _ in 0..3 {
            advance(&mut explorer, Limits::default());
        }
        let two_done = Pattern { shared: Some(0), tops: vec![Some(0), Some(0), Some(2)] };
        let bad = first_bad(&explorer, two_done).unwrap();
        let mut trace = explorer.trace(bad, Limits::default(), &mut || false).unwrap();
        trace.sort_by_key(|context| (context.rules.len(), context.thread));
        let mut threads: Vec<u32> = trace.iter().map(|context| context.thread).collect();
        threads.sort_unstable();
        assert_eq!(threads, [0, 1, 2]);
        let rules: Vec<&[u32]> = trace.iter().map(|context| &context.rules[..]).collect();
        assert_eq!(rules, [&[0][..], &[0, 1], &[0, 1]]);
    }
}

#[test]
fn a_violation_of_figure_4_is_found_at_4() {
    let mut explorer = explorer(&figure_4(), true);
    let pattern = Pattern { shared: Some(0), tops: vec![Some(1), Some(3)] };
    while first_bad(&explorer, pattern.clone()).is_none() {
        advance(&mut explorer, Limits::default());
    }
    let bad = first_bad(&explorer, pattern).unwrap();
    let expected = [(0, vec![0]), (1, vec![1, 2]), (0, vec![1]), (1, vec![0])];
    let expected = expected.map(|(thread, rules)| Context { thread, rules });
    assert_eq!(explorer.trace(bad, Limits::default(), &mut || false).unwrap(), expected);
}

#[test]
fn limits_stop_a_round_which_can_go_on() {
    let mut explorer = explorer(&three_equal(), false);
    let few = Limits { states: 2, ..Limits::default() };
    advance(&mut explorer, Limits::default());
    assert_eq!(advance(&mut explorer, few), Outcome::Stopped(Limit::States));
    let none = Limits { bytes: 0, ..Limits::default() };
    assert_eq!(advance(&mut explorer, none), Outcome::Stopped(Limit::Memory));
    assert_eq!(advance(&mut explorer, no_time()), Outcome::Stopped(Limit::Time));
    for _ in 0..3 {
        assert_eq!(advance(&mut explorer, Limits::default()), Outcome::Done);
    }
    assert_eq!(explorer.reached().len(), 27);
}

#[test]
fn every_strength_of_z_covers_figure_4() {
    let system = figure_4();
    let table = vec![vec![vec![0]; 3], vec![vec![0, 3]; 4]];
    for (emergence, states) in
        [(Emergence::Claimed(table), 8), (Emergence::Matched(1), 13), (Emergence::Matched(2), 19)]
    {
        let mut cut = Cut::new(&system, true, &emergence);
        while cut.advance(Limits { pause: 1, ..Limits::default() }, &mut || false) != Outcome::Done
        {
            assert!(!cut.is_complete());
        }
        assert_eq!((cut.states(), cut.visible().len(), cut.is_exact()), (states, 8, false));
    }
}

#[test]
fn a_certificate_has_only_the_nodes_of_the_last_round() {
    let mut diagrams = Diagrams::new(&three_equal(), &[true]);
    for _ in 0..3 {
        assert_eq!(diagrams.advance(Limits::default(), &mut || false), Outcome::Done);
    }
    assert_eq!(diagrams.rounds()[3].state_count, Some(BigUint::from(27u32)));
    assert_eq!(diagrams.certificate_nodes(), 3);
    assert!(diagrams.count_nodes() > 3);
}

#[test]
fn a_search_in_a_diagram_looks_at_the_limits() {
    let system = three_equal();
    let mut diagrams = Diagrams::new(&system, &[true]);
    let mut cut = CutDiagrams::new(&system, &Emergence::Matched(1));
    assert_eq!(cut.advance(Limits::default(), &mut || false), Outcome::Done);
    assert_eq!(cut.certificate_nodes(), 3);
    let anything = Reach { shared: None, stacks: vec![None; 3] };
    let pattern = Pattern { shared: None, tops: vec![None; 3] };
    let property = Property { patterns: vec![pattern], deadlock: false };
    let mut never = || false;
    for (limits, outcome) in [(Limits::default(), Ok(true)), (no_time(), Err(Limit::Time))] {
        assert_eq!(diagrams.has(0, &anything, limits, &mut never), outcome);
        assert_eq!(cut.has(&anything, limits, &mut never), outcome);
        let trace = diagrams.trace(0, &anything, limits, &mut never);
        assert_eq!(trace.map(|found| found.is_some()), outcome);
        let bad = diagrams.find_bad(0, &property, limits, &mut never);
        assert_eq!(bad.map(|found| found.is_some()), outcome);
        let bad = cut.find_bad(&property, limits, &mut never);
        assert_eq!(bad.map(|found| found.is_some()), outcome);
    }
}
