//! Small systems, and short names for what they consist of.

use tepui_core::limits::{Limits, Meter};
use tepui_core::system::{Handle, Rule, Shared, Symbol, System, Template};

/// A shared state.
pub(crate) fn q(number: u32) -> Shared {
    Shared::new(number)
}

/// A symbol.
pub(crate) fn s(number: u32) -> Symbol {
    Symbol::new(number)
}

/// A stack, or what a rule writes.
pub(crate) fn word(numbers: &[u32]) -> Vec<Symbol> {
    numbers.iter().map(|&number| s(number)).collect()
}

pub(crate) fn rule(source: u32, top: u32, target: u32, written: &[u32]) -> Rule {
    Rule { source: q(source), top: s(top), target: q(target), word: word(written) }
}

/// CUBA, Figure 4: symbols 1 and 2 of the first thread, 4, 5 and 6 of the second as 1, 2 and 3.
pub(crate) fn figure_4() -> Handle {
    let first = Template::new(3, vec![s(1)], vec![rule(0, 1, 1, &[2]), rule(3, 2, 0, &[1])]);
    let rules = vec![rule(0, 1, 0, &[]), rule(1, 1, 2, &[2]), rule(2, 2, 3, &[1, 3])];
    let second = Template::new(4, vec![s(1)], rules);
    System::new(4, q(0), vec![first, second], vec![0, 1]).into_handle()
}

/// Three equal threads that each take two steps while the shared state lets them.
pub(crate) fn three_equal() -> Handle {
    let rules = vec![rule(0, 1, 0, &[2]), rule(0, 2, 0, &[])];
    let template = Template::new(3, vec![s(1)], rules);
    System::new(1, q(0), vec![template], vec![0, 0, 0]).into_handle()
}

pub(crate) fn no_limit() -> Meter<'static> {
    Meter::over(Limits::default())
}

pub(crate) fn no_time() -> Limits {
    Limits { deadline: Some(std::time::Instant::now()), ..Limits::default() }
}
