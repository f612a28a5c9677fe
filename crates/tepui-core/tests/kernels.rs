//! The kernels together, on systems small enough to count by hand.

use num_bigint::BigUint;
use tepui_core::engines::diagram::kernel::DiagramKernel;
use tepui_core::engines::explicit::ExplicitKernel;
use tepui_core::engines::kernel::{Context, Found, Kernel, Wanted};
use tepui_core::limits::{Limit, Limits, Meter, Outcome};
use tepui_core::property::{Pattern, Property};
use tepui_core::reach::Reach;
use tepui_core::system::{Handle, Rule, System, Template};
use tepui_core::z::diagram::DiagramZ;
use tepui_core::z::explicit::ExplicitZ;
use tepui_core::z::kernel::{Emergence, ZKernel};

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

fn explorer(system: &Handle, symmetry: bool) -> ExplicitKernel {
    ExplicitKernel::new(system, symmetry)
}

fn first_bad(explorer: &mut ExplicitKernel, pattern: Pattern) -> Option<Found> {
    let property = Property { patterns: vec![pattern], deadlock: false };
    explorer.first(&Wanted::Bad(property), 0, &mut Meter::over(Limits::default())).unwrap().found
}

fn trace(explorer: &mut ExplicitKernel, found: &Found) -> Vec<Context> {
    explorer.trace(found, &mut Meter::over(Limits::default())).unwrap()
}

fn advance(explorer: &mut ExplicitKernel, limits: Limits) -> Outcome {
    explorer.advance(&mut Meter::over(limits))
}

fn sizes(explorer: &ExplicitKernel) -> (usize, usize) {
    let found = explorer.so_far();
    (found.listed_states.unwrap(), found.listed_visible.unwrap())
}

fn no_time() -> Limits {
    Limits { deadline: Some(std::time::Instant::now()), ..Limits::default() }
}

#[test]
fn rounds_of_figure_4_have_the_sizes_of_the_paper() {
    let mut explorer = explorer(&figure_4(), true);
    for expected in [(1, 1), (3, 3), (6, 6), (8, 6), (11, 7), (14, 8), (17, 8)] {
        assert_eq!(sizes(&explorer), expected);
        assert_eq!(advance(&mut explorer, Limits::default()), Outcome::Done);
    }
}

#[test]
fn symmetry_folds_states_and_counts_them_all() {
    let mut folded = explorer(&three_equal(), true);
    let mut plain = explorer(&three_equal(), false);
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
        let mut explorer = explorer(&three_equal(), symmetry);
        for _ in 0..3 {
            advance(&mut explorer, Limits::default());
        }
        let two_done = Pattern { shared: Some(0), tops: vec![Some(0), Some(0), Some(2)] };
        let bad = first_bad(&mut explorer, two_done).unwrap();
        let mut trace = trace(&mut explorer, &bad);
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
    while first_bad(&mut explorer, pattern.clone()).is_none() {
        advance(&mut explorer, Limits::default());
    }
    let bad = first_bad(&mut explorer, pattern).unwrap();
    let expected = [(0, vec![0]), (1, vec![1, 2]), (0, vec![1]), (1, vec![0])];
    let expected = expected.map(|(thread, rules)| Context { thread, rules });
    assert_eq!(bad.round, 4);
    assert_eq!(trace(&mut explorer, &bad), expected);
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
    assert_eq!(sizes(&explorer).0, 27);
}

#[test]
fn every_strength_of_z_covers_figure_4() {
    let system = figure_4();
    let table = vec![vec![vec![0]; 3], vec![vec![0, 3]; 4]];
    for (emergence, states) in
        [(Emergence::Table(table), 8u32), (Emergence::Matched(1), 13), (Emergence::Matched(2), 19)]
    {
        let mut cut = ExplicitZ::new(&system, true, &emergence);
        while cut.advance(&mut Meter::over(Limits { pause: 1, ..Limits::default() }))
            != Outcome::Done
        {
            assert!(!cut.is_complete());
        }
        let counts = (cut.states(), cut.visible(), cut.is_exact());
        assert_eq!(counts, (BigUint::from(states), BigUint::from(8u32), false));
    }
}

#[test]
fn a_certificate_has_only_the_nodes_of_the_last_round() {
    let mut diagrams = DiagramKernel::new(&three_equal(), &[true]);
    for _ in 0..3 {
        assert_eq!(diagrams.advance(&mut Meter::over(Limits::default())), Outcome::Done);
    }
    assert_eq!(diagrams.rounds()[3].states, Some(BigUint::from(27u32)));
    assert_eq!(diagrams.certificate_nodes(), 3);
    assert!(diagrams.count_nodes() > 3);
}

#[test]
fn a_search_in_a_diagram_looks_at_the_limits() {
    let system = three_equal();
    let mut diagrams = DiagramKernel::new(&system, &[true]);
    let mut cut = DiagramZ::new(&system, &Emergence::Matched(1));
    assert_eq!(cut.advance(&mut Meter::over(Limits::default())), Outcome::Done);
    assert_eq!(cut.certificate_size(), 3);
    let anything = Reach { shared: None, stacks: vec![None; 3] };
    let pattern = Pattern { shared: None, tops: vec![None; 3] };
    let property = Property { patterns: vec![pattern], deadlock: false };
    let questions = [Wanted::Bad(property.clone()), Wanted::Stacks(anything.clone())];
    let found = diagrams.first(&questions[1], 0, &mut Meter::over(Limits::default()));
    let found = found.unwrap().found.unwrap();
    assert!(found.by_stacks && found.round == 0);
    for (limits, outcome) in [(Limits::default(), Ok(true)), (no_time(), Err(Limit::Time))] {
        let meter = &mut Meter::over(limits);
        for asked in &questions {
            let search = diagrams.first(asked, 0, meter);
            assert_eq!(search.map(|search| search.found.is_some()), outcome);
        }
        assert_eq!(diagrams.trace(&found, meter).map(|_| true), outcome);
        assert_eq!(cut.has_reaching(&anything, meter), outcome);
        let bad = cut.find_bad(&property, meter);
        assert_eq!(bad.map(|found| found.is_some()), outcome);
    }
}
