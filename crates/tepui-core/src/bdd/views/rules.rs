//! What a thread can do with a symbol on top of its stack.

use super::super::effects::{Effects, Moves};
use super::super::given::Given;
use super::super::nodes::{Bdd, Work};
use super::super::numbers::digits_of;
use super::super::relation::Relation;
use super::super::shapes::{Shape, ThreadInfo};
use super::super::stop::Stop;
use super::automata::{Section, Symbol};
use super::layout::{FrameBit, Layout};
use crate::program::{Action, Point, Program};

/// A way to take a step.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub relation: Relation,
    pub target: Target,
}

/// What a step makes of the top of the stack.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// Another symbol.
    Stays(Symbol),
    /// Nothing.
    Returns,
    /// Two symbols.
    Calls {
        callee: Symbol,
        caller: Symbol,
        /// The digits of the arguments that matter.
        arguments: Vec<FrameBit>,
    },
}

/// Whether others may run when a symbol is on top.
pub(super) fn rests(symbol: Symbol, program: &Program) -> bool {
    symbol.section == Section::Nowhere || symbol.point > program.waiting
}

/// All steps of a thread from a symbol.
pub(super) fn rules(
    program: &Program,
    layout: &Layout,
    info: ThreadInfo,
    symbol: Symbol,
    work: &mut Work,
) -> Result<Vec<Rule>, Stop> {
    // In a section that has begun below, there is one frame more, without cells.
    let below = usize::from(symbol.section == Section::Below);
    let mut points = vec![program.waiting; below];
    points.push(symbol.point);
    let shape = Shape { outer: (symbol.section != Section::Nowhere).then_some(0), points };
    let encoding = &layout.steps[below];
    let moves =
        Moves { program, encoding, thread: 0, info, shape: &shape, given: &Given::default() };
    let mut found = Vec::new();
    for (edge, effects) in moves.all(work)? {
        if effects.condition != Bdd::FALSE {
            let relation = Relation::of(&effects, work)?;
            let target = target(program, layout, symbol.point, edge, below, &effects);
            found.push(Rule { relation, target });
        }
    }
    Ok(found)
}

fn target(
    program: &Program,
    layout: &Layout,
    from: Point,
    edge: Option<usize>,
    below: usize,
    effects: &Effects,
) -> Target {
    let Shape { outer, points } = &effects.shape;
    if let Some(&point) = points.last().filter(|&&point| point > program.waiting) {
        // What has begun below does not matter any more, but it is still on the stack.
        let section = if below > 0 { Section::Below } else { Section::Nowhere };
        return Target::Stays(Symbol { point, section });
    }
    let symbol = |place: usize| {
        let section = match outer {
            None => Section::Nowhere,
            Some(outer) if *outer as usize == place => Section::Here,
            Some(_) => Section::Below,
        };
        Symbol { point: points[place], section }
    };
    match points.len() - below {
        0 => Target::Returns,
        1 => Target::Stays(symbol(below)),
        _ => {
            let callee = symbol(below + 1);
            let arguments = arguments(program, layout, from, edge, callee.point);
            Target::Calls { callee, caller: symbol(below), arguments }
        }
    }
}

/// The digits of a new frame that come from the caller, and are read.
fn arguments(
    program: &Program,
    layout: &Layout,
    from: Point,
    edge: Option<usize>,
    callee: Point,
) -> Vec<FrameBit> {
    let at = |point| {
        let (procedure, location) = program.location(point).expect("it is a location");
        let code = &program.procedures[procedure as usize];
        (code, &code.locations[location as usize])
    };
    let (_, before) = at(from);
    let given = match edge.map(|edge| &before.edges[edge].action) {
        Some(Action::Call { arguments, .. }) => arguments.len(),
        _ => 0,
    };
    let (code, entry) = at(callee);
    let read = (0..given).filter(|&cell| entry.live[cell]);
    read.flat_map(|cell| &layout.frame[cell][..digits_of(code.cells[cell])]).copied().collect()
}
