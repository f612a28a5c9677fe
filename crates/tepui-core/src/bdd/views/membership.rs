//! Whether a state is in a view tuple.

use std::collections::BTreeMap;

use super::super::encoding::level;
use super::super::nodes::{Bdd, Work};
use super::super::numbers::digits_of;
use super::automata::{END, State, States, View};
use super::layout::Layout;
use crate::limits::Limit;
use crate::program::{Point, Program, Range, Value};

/// A frame: where it is, and its values.
pub type Frame = (Point, Vec<Value>);

/// The set of all states with these shared values.
pub(super) fn shared_cube(
    program: &Program,
    layout: &Layout,
    values: &[Value],
    work: &mut Work,
) -> Bdd {
    let cells = layout.steps[0].shared.iter().zip(&program.cells).zip(values);
    let bits = cells.flat_map(|((digits, &range), &value)| {
        bits_of(digits.iter().map(|&bit| level(bit)), range, value)
    });
    cube(bits, work)
}

/// Whether a stack, the top frame first, is in a view together with a shared state.
pub(super) fn has(
    view: &View,
    shared: Bdd,
    stack: &[Frame],
    program: &Program,
    layout: &Layout,
    states: &States,
    work: &mut Work,
) -> Result<bool, Limit> {
    let Some(((point, values), below)) = stack.split_first() else {
        return Ok(work.and(view.empty, shared)? != Bdd::FALSE);
    };
    let (now, frame) =
        (layout.cube(|bit| bit.now, work), layout.frame_cube(|bit| bit.current, work));
    let names = layout.names(work);
    let top = frame_cube(program, layout, *point, values, work);
    let mut reached: BTreeMap<State, Bdd> = BTreeMap::new();
    for (&(symbol, state), &label) in &view.tops {
        if symbol.point == *point {
            let label = work.and_exists(label, shared, now)?;
            let label = work.and_exists(label, top, frame)?;
            let known = reached.entry(state).or_insert(Bdd::FALSE);
            *known = work.or(*known, label)?;
        }
    }
    for (point, values) in below {
        let read = frame_cube(program, layout, *point, values, work);
        let mut next: BTreeMap<State, Bdd> = BTreeMap::new();
        for (&state, &from) in &reached {
            for (&(symbol, target), &label) in states.edges(state) {
                if symbol.point == *point {
                    let label = work.and_exists(label, from, names)?;
                    let label = work.and_exists(label, read, frame)?;
                    let label = work.rename(label, &layout.arrives)?;
                    let known = next.entry(target).or_insert(Bdd::FALSE);
                    *known = work.or(*known, label)?;
                }
            }
        }
        reached = next;
    }
    Ok(reached.get(&END).is_some_and(|&set| set != Bdd::FALSE))
}

fn frame_cube(
    program: &Program,
    layout: &Layout,
    point: Point,
    values: &[Value],
    work: &mut Work,
) -> Bdd {
    let Some((procedure, _)) = program.location(point) else { return Bdd::TRUE };
    let cells = &program.procedures[procedure as usize].cells;
    let bits =
        cells.iter().zip(&layout.frame).zip(values).flat_map(|((&range, digits), &value)| {
            bits_of(digits.iter().map(|bit| bit.current), range, value)
        });
    cube(bits, work)
}

fn bits_of(
    levels: impl Iterator<Item = u32>,
    range: Range,
    value: Value,
) -> impl Iterator<Item = (u32, bool)> {
    let number = value.abs_diff(range.low);
    levels
        .take(digits_of(range))
        .enumerate()
        .map(move |(place, level)| (level, number >> place & 1 == 1))
}

fn cube(bits: impl Iterator<Item = (u32, bool)>, work: &mut Work) -> Bdd {
    let mut bits: Vec<(u32, bool)> = bits.collect();
    bits.sort_unstable_by(|one, other| other.cmp(one));
    work.nodes.cube(bits)
}
