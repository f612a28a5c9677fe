//! Runs through listed states: what real threads do between states that an engine has numbered.
//!
//! An engine remembers some states on the way to a state, and which thread ran between two of them,
//! by its position. Up to symmetry a thread has another position after it has moved, so positions
//! are followed from the initial state on. The steps between two states are found again by a
//! breadth-first search of one thread.

use crate::engines::kernel::{Context, Found};
use crate::engines::real_threads::RealThreads;
use crate::limits::{Limit, Meter};
use crate::sets::reached::Reached;
use crate::sets::stacks::StackId;
use crate::sets::states::StateId;

/// The contexts between some states, the first of which is the initial one and the last of which
/// was found. `mover` is the position of the thread that ran to a state, before it ran. Threads are
/// renamed within their groups so that the run ends as it is asked by stacks.
pub(super) fn contexts_between(
    reached: &mut Reached,
    ends: &[StateId],
    mover: impl Fn(StateId) -> usize,
    found: &Found,
    meter: &mut Meter,
) -> Result<Vec<Context>, Limit> {
    if reached.states.has_roles() {
        return RealThreads::new(reached).contexts(ends, mover, meter).map(joined);
    }
    let mut threads: Vec<u32> =
        reached.states.groups().iter().flat_map(|group| group.threads.clone()).collect();
    let contexts = ends
        .windows(2)
        .map(|ends| context(reached, (ends[0], ends[1]), mover(ends[1]), &mut threads, meter));
    let mut contexts = contexts.collect::<Result<Vec<Context>, Limit>>()?;
    let names = found.reach.as_ref().map(|reach| reached.matcher(reach));
    let end = *ends.last().expect("the initial state");
    if let Some(names) = names.and_then(|mut matcher| matcher.names(end, &threads)) {
        for context in &mut contexts {
            let position = threads.iter().position(|&thread| thread == context.thread);
            context.thread = names[position.expect("every thread has a position")];
        }
    }
    Ok(joined(contexts))
}

/// What a thread does in one go is one context.
fn joined(contexts: Vec<Context>) -> Vec<Context> {
    let mut all: Vec<Context> = Vec::new();
    for context in contexts {
        match all.last_mut() {
            Some(last) if last.thread == context.thread => last.rules.extend(context.rules),
            _ => all.push(context),
        }
    }
    all
}

/// The steps of the thread at a position between two states; `threads` is the real thread at each
/// position of `start`, and becomes that of `end`.
fn context(
    reached: &Reached,
    (start, end): (StateId, StateId),
    position: usize,
    threads: &mut [u32],
    meter: &mut Meter,
) -> Result<Context, Limit> {
    let states = &reached.states;
    let (first, last) = states
        .spans()
        .find(|span| (span.0..span.1).contains(&position))
        .expect("a position of some group");
    let before: Vec<StackId> =
        (first..last).map(|position| states.local(start, position)).collect();
    let after: Vec<StackId> = (first..last).map(|position| states.local(end, position)).collect();
    let place = place_of_mover(&before, &after, position - first);
    let rules = reached.locals[states.template(position)].shortest_run(
        (states.shared(start), before[position - first]),
        (states.shared(end), after[place]),
        meter,
    )?;
    let thread = threads[position];
    move_entry(&mut threads[first..last], position - first, place);
    Ok(Context { thread, rules })
}

/// Where the thread at `mover` went: `after` is `before` without it, in order, and with one entry.
fn place_of_mover(before: &[StackId], after: &[StackId], mover: usize) -> usize {
    let mut others = before.iter().enumerate().filter(|&(place, _)| place != mover);
    let mut next = others.next();
    for (place, local) in after.iter().enumerate() {
        match next {
            Some((_, other)) if other == local => next = others.next(),
            _ => return place,
        }
    }
    unreachable!("the states differ by one thread's move")
}

/// Move one entry of a slice to another place; the entries between them close ranks.
fn move_entry(entries: &mut [u32], from: usize, to: usize) {
    if from <= to {
        entries[from..=to].rotate_left(1);
    } else {
        entries[to..=from].rotate_right(1);
    }
}
