//! The engines, on systems small enough to count by hand.

use num_bigint::BigUint;
use tepui_core::engines::diagram::kernel::DiagramKernel;
use tepui_core::engines::explicit::ExplicitKernel;
use tepui_core::engines::kernel::{Context, Found, Kernel, Wanted};
use tepui_core::limits::{Limit, Limits, Meter, Outcome};
use tepui_core::property::{Pattern, Property};
use tepui_core::system::Class;
use tepui_core::whole_stacks::Reach;

use crate::support::{figure_4, no_limit, no_time, q, three_equal};

fn pattern(shared: u32, tops: &[u32]) -> Pattern {
    let tops = tops.iter().map(|&top| Some(Class::new(top))).collect();
    Pattern { shared: Some(q(shared)), tops }
}

fn first_bad(kernel: &mut ExplicitKernel, pattern: Pattern) -> Option<Found> {
    let property = Property { patterns: vec![pattern], deadlock: false };
    kernel.first(&Wanted::Bad(property), 0, &mut no_limit()).unwrap().found
}

fn trace(kernel: &mut ExplicitKernel, found: &Found) -> Vec<Context> {
    kernel.trace(found, &mut no_limit()).unwrap()
}

fn advance(kernel: &mut ExplicitKernel, limits: Limits) -> Outcome {
    kernel.advance(&mut Meter::over(limits))
}

fn sizes(kernel: &ExplicitKernel) -> (usize, usize) {
    let found = kernel.so_far();
    (found.listed_states.unwrap(), found.listed_visible.unwrap())
}

#[test]
fn rounds_of_figure_4_have_the_sizes_of_the_paper() {
    let mut kernel = ExplicitKernel::new(&figure_4(), true);
    for expected in [(1, 1), (3, 3), (6, 6), (8, 6), (11, 7), (14, 8), (17, 8)] {
        assert_eq!(sizes(&kernel), expected);
        assert_eq!(advance(&mut kernel, Limits::default()), Outcome::Done);
    }
}

#[test]
fn symmetry_folds_states_and_counts_them_all() {
    let mut folded = ExplicitKernel::new(&three_equal(), true);
    let mut plain = ExplicitKernel::new(&three_equal(), false);
    for _ in 0..4 {
        advance(&mut folded, Limits::default());
        advance(&mut plain, Limits::default());
    }
    assert_eq!((sizes(&plain).0, sizes(&folded).0), (27, 10));
    assert_eq!(folded.so_far().states, Some(BigUint::from(27u32)));
    assert_eq!(folded.so_far().visible, BigUint::from(27u32));
}

#[test]
fn a_trace_has_the_fewest_contexts_and_names_real_threads() {
    for symmetry in [false, true] {
        let mut kernel = ExplicitKernel::new(&three_equal(), symmetry);
        for _ in 0..3 {
            advance(&mut kernel, Limits::default());
        }
        let two_done = pattern(0, &[0, 0, 2]);
        let bad = first_bad(&mut kernel, two_done).unwrap();
        let mut trace = trace(&mut kernel, &bad);
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
    let mut kernel = ExplicitKernel::new(&figure_4(), true);
    let pattern = pattern(0, &[1, 3]);
    while first_bad(&mut kernel, pattern.clone()).is_none() {
        advance(&mut kernel, Limits::default());
    }
    let bad = first_bad(&mut kernel, pattern).unwrap();
    let expected = [(0, vec![0]), (1, vec![1, 2]), (0, vec![1]), (1, vec![0])];
    let expected = expected.map(|(thread, rules)| Context { thread, rules });
    assert_eq!(bad.round, 4);
    assert_eq!(trace(&mut kernel, &bad), expected);
}

#[test]
fn limits_stop_a_round_which_can_go_on() {
    let mut kernel = ExplicitKernel::new(&three_equal(), false);
    let few = Limits { states: 2, ..Limits::default() };
    advance(&mut kernel, Limits::default());
    assert_eq!(advance(&mut kernel, few), Outcome::Stopped(Limit::States));
    let none = Limits { bytes: 0, ..Limits::default() };
    assert_eq!(advance(&mut kernel, none), Outcome::Stopped(Limit::Memory));
    assert_eq!(advance(&mut kernel, no_time()), Outcome::Stopped(Limit::Time));
    for _ in 0..3 {
        assert_eq!(advance(&mut kernel, Limits::default()), Outcome::Done);
    }
    assert_eq!(sizes(&kernel).0, 27);
}

#[test]
fn a_certificate_has_only_the_nodes_of_the_last_round() {
    let mut diagrams = DiagramKernel::new(&three_equal(), &[true]);
    for _ in 0..3 {
        assert_eq!(diagrams.advance(&mut no_limit()), Outcome::Done);
    }
    assert_eq!(diagrams.rounds()[3].states, Some(BigUint::from(27u32)));
    assert_eq!(diagrams.certificate_nodes(), 3);
    assert!(diagrams.count_nodes() > 3);
}

#[test]
fn a_search_in_a_diagram_looks_at_the_limits() {
    let mut diagrams = DiagramKernel::new(&three_equal(), &[true]);
    let anything = Reach { shared: None, stacks: vec![None; 3] };
    let pattern = Pattern { shared: None, tops: vec![None; 3] };
    let property = Property { patterns: vec![pattern], deadlock: false };
    let questions = [Wanted::Bad(property), Wanted::Stacks(anything)];
    let found = diagrams.first(&questions[1], 0, &mut no_limit());
    let found = found.unwrap().found.unwrap();
    assert!(found.by_stacks && found.round == 0);
    for (limits, outcome) in [(Limits::default(), Ok(true)), (no_time(), Err(Limit::Time))] {
        let meter = &mut Meter::over(limits);
        for wanted in &questions {
            let search = diagrams.first(wanted, 0, meter);
            assert_eq!(search.map(|search| search.found.is_some()), outcome);
        }
        assert_eq!(diagrams.trace(&found, meter).map(|_| true), outcome);
    }
}
