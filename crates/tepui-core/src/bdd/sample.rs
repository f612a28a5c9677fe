//! Reads a run back, from a state that was found to the beginning, and notes what it chooses.
//!
//! What a step was given, and what was new in what it made of that, was kept. So the states before a
//! state are those from which the same step leads to it, and any of them will do: they are no
//! farther from the beginning.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::effects::Effects;
use super::encoding::{Part, Position, level};
use super::given::{Given, Values};
use super::nodes::{Bdd, Work};
use super::search::{BitsSearch, Closure, FoundAt, Source};
use super::stop::Stop;
use crate::limits::Meter;
use crate::program::{NO_VALUE, Range, Value};

/// What a run chooses. In another run, the same choices may be made in another order.
#[derive(Clone, Debug, Default)]
pub struct Sample {
    /// How many contexts it has.
    pub contexts: usize,
    /// Shared scalars that have no value at the beginning, and the one that they have in the run.
    pub shared: Vec<(u32, Value)>,
    /// Procedures, cells that have no value at the beginning of a frame, and those that they get.
    pub frames: BTreeMap<(u32, u32), BTreeSet<Value>>,
    /// Procedures, locations and numbers of their edges, and the values that are chosen there.
    pub chosen: BTreeMap<(u32, u32, u32), BTreeSet<Value>>,
}

/// The bits of a state: those that are on.
type State = BTreeSet<Position>;

/// A run to a state that was found.
pub(super) fn read_back(
    search: &mut BitsSearch,
    found: &FoundAt,
    meter: &mut Meter,
) -> Result<Sample, Stop> {
    let on = found.bits.iter().filter(|(_, on)| *on);
    let mut state: State = on.map(|&(level, _)| level / 2).collect();
    state.extend(on_in(search.fixed.values()));
    let mut sample = Sample { contexts: found.contexts, ..Sample::default() };
    for context in (1..=found.contexts).rev() {
        state = before_context(search, context, state, &mut sample, meter)?;
    }
    note_beginning(search, &state, &mut sample);
    Ok(sample)
}

/// The state in which the thread began to run that has led to a state in some context.
fn before_context(
    search: &mut BitsSearch,
    context: usize,
    mut state: State,
    sample: &mut Sample,
    meter: &mut Meter,
) -> Result<State, Stop> {
    let count = closures(search, context).len();
    let at = (0..count).find_map(|number| {
        let closure = &closures(search, context)[number];
        let shape = shape_of(search, closure.thread, &state);
        let event = closure.events.iter().position(|event| {
            event.shape == shape
                && event
                    .sources
                    .iter()
                    .any(|source| source.from.is_some() && has(search, source, &state))
        })?;
        Some((number, event))
    });
    let Some((number, mut event)) = at else { return Ok(state) };
    let thread = closures(search, context)[number].thread;
    loop {
        let sources = &closures(search, context)[number].events[event].sources;
        let source = sources.iter().find(|source| has(search, source, &state));
        let Some((before, way)) = source.and_then(|source| source.from) else { return Ok(state) };
        let from = &closures(search, context)[number].events[before];
        let sets: Vec<(Bdd, Arc<Values>)> =
            from.sources.iter().map(|source| (source.set, Arc::clone(&source.fixed))).collect();
        let (shape, given) = (from.shape, Given::new(from.given.as_ref().clone()));
        let (edge, effects) = search.effects(thread, shape, &given, meter)?.swap_remove(way);
        for fresh in &effects.fresh {
            let value = value_at(&fresh.digits, fresh.range, &state);
            sample.frames.entry((fresh.procedure, fresh.cell)).or_default().insert(value);
        }
        let Some(picked) = predecessor(search, &sets, &effects, &state, (thread, shape), meter)?
        else {
            return Err(Stop::Refused("a run to what was found was not read back".to_owned()));
        };
        note_choices(search, thread, shape, edge, &effects, &picked, sample);
        for bit in effects.changes.iter().map(|(bit, _)| bit).chain(&effects.freed) {
            if picked.contains(bit) {
                state.insert(*bit);
            } else {
                state.remove(bit);
            }
        }
        for (place, bit) in search.encoding.shapes[thread].iter().enumerate() {
            if shape >> place & 1 == 1 {
                state.insert(*bit);
            } else {
                state.remove(bit);
            }
        }
        event = before;
    }
}

fn closures(search: &BitsSearch, context: usize) -> &[Closure] {
    search.rounds.get(context).map_or(&search.open, |round| &round.closures)
}

fn has(search: &BitsSearch, source: &Source, state: &State) -> bool {
    search.nodes.has(source.set, |level| state.contains(&(level / 2)))
        && source.fixed.iter().all(|(&bit, &on)| {
            state.contains(&bit) == on || !means_something(search, bit, state, None)
        })
}

/// Whether a bit means something in a state, in which one thread may have another shape.
fn means_something(
    search: &BitsSearch,
    bit: Position,
    state: &State,
    other: Option<(usize, u32)>,
) -> bool {
    let part = search.encoding.parts[bit as usize];
    let Part::Frame { thread, .. } = part else { return true };
    let shape = match other {
        Some((moved, shape)) if moved == thread as usize => shape,
        _ => shape_of(search, thread as usize, state),
    };
    search.means_something(part, thread as usize, shape)
}

fn on_in(values: &Values) -> impl Iterator<Item = Position> {
    values.iter().filter(|(_, on)| **on).map(|(&bit, _)| bit)
}

fn shape_of(search: &BitsSearch, thread: usize, state: &State) -> u32 {
    let digits = search.encoding.shapes[thread].iter().enumerate();
    digits.map(|(place, bit)| u32::from(state.contains(bit)) << place).sum()
}

/// The bits that are on in one of the states from which a step leads to a state, and what it
/// chooses.
fn predecessor(
    search: &mut BitsSearch,
    sets: &[(Bdd, Arc<Values>)],
    effects: &Effects,
    state: &State,
    (thread, shape): (usize, u32),
    meter: &mut Meter,
) -> Result<Option<State>, Stop> {
    let mut other: BTreeSet<Position> = effects.freed.iter().copied().collect();
    other.extend(effects.changes.iter().map(|&(bit, _)| bit));
    other.extend(&search.encoding.shapes[thread]);
    other.extend(effects.choices.iter().flat_map(|(bits, _)| bits));
    let all = search.encoding.parts.len() as Position;
    let kept = (0..all).rev().filter(|bit| !other.contains(bit) && !is_choice(search, *bit));
    let kept: Vec<(u32, bool)> = kept.map(|bit| (level(bit), state.contains(&bit))).collect();
    let cube = search.nodes.cube(kept);
    for (set, fixed) in sets {
        let mut given = Vec::new();
        let mut differs = false;
        for (&bit, &on) in fixed.iter().rev() {
            if means_something(search, bit, state, Some((thread, shape))) {
                given.push((level(bit), on));
                differs |= !other.contains(&bit) && state.contains(&bit) != on;
            }
        }
        if differs {
            continue;
        }
        let given = search.nodes.cube(given);
        let mut work = Work { nodes: &mut search.nodes, meter };
        let mut found = work.and(*set, given)?;
        found = work.and(found, cube)?;
        found = work.and(found, effects.condition)?;
        for &(bit, value) in &effects.changes {
            let is = if state.contains(&bit) { value } else { work.not(value)? };
            found = work.and(found, is)?;
        }
        if let Some(bits) = work.nodes.pick(found) {
            return Ok(Some(
                bits.into_iter().filter(|(_, on)| *on).map(|(level, _)| level / 2).collect(),
            ));
        }
    }
    Ok(None)
}

fn is_choice(search: &BitsSearch, bit: Position) -> bool {
    search.encoding.parts[bit as usize] == Part::Choice
}

fn note_choices(
    search: &BitsSearch,
    thread: usize,
    shape: u32,
    edge: Option<usize>,
    effects: &Effects,
    picked: &State,
    sample: &mut Sample,
) {
    let (Some(edge), Some(&top)) =
        (edge, search.shapes[thread].all()[shape as usize].points.last())
    else {
        return;
    };
    let Some((procedure, location)) = search.with_program(|program| program.location(top)) else {
        return;
    };
    for (digits, range) in &effects.choices {
        let value = value_at(digits, *range, picked);
        let key = (procedure, location, edge as u32);
        sample.chosen.entry(key).or_default().insert(value);
    }
}

/// What variables have at the beginning that have no value of their own.
fn note_beginning(search: &BitsSearch, state: &State, sample: &mut Sample) {
    search.with_program(|program| {
        for (cell, digits) in search.encoding.shared.iter().enumerate() {
            if program.initial[cell] == NO_VALUE {
                sample.shared.push((cell as u32, value_at(digits, program.cells[cell], state)));
            }
        }
        for (thread, info) in search.threads.iter().enumerate() {
            let template = &program.threads[info.template];
            let code = &program.procedures[template.procedure as usize];
            if template.created.is_some() {
                continue;
            }
            let live = &code.locations[template.start as usize].live;
            for (cell, &range) in code.cells.iter().enumerate() {
                if code.initial[cell] == NO_VALUE && live[cell] {
                    let digits = &search.encoding.frames[thread][0][&template.procedure][cell];
                    let value = value_at(digits, range, state);
                    sample
                        .frames
                        .entry((template.procedure, cell as u32))
                        .or_default()
                        .insert(value);
                }
            }
        }
    });
}

fn value_at(digits: &[Position], range: Range, state: &State) -> Value {
    let on = digits.iter().enumerate().filter(|(_, bit)| state.contains(bit));
    range.low + on.map(|(place, _)| 1 << place).sum::<Value>()
}
