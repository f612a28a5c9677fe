//! What is read off the text of a program: which values matter at a location
//! (`semantics/resting.py`), and where fused steps go on (`semantics/fusing.py`).

use std::ops::Range;

use super::{Action, Edge, Expression, FALSE, Procedure, Program, TRUE, Target, Type};

impl Expression {
    /// The addresses at which an expression may read, and whether it does so after the step.
    fn reads(&self, found: &mut dyn FnMut(Range<usize>, bool)) {
        match self {
            Self::Constant(_) | Self::Own | Self::Choice(_) => {}
            Self::Read { address, after } => found(*address..address + 1, *after),
            Self::Element { first, length, index } => {
                found(*first..first.saturating_add(*length), false);
                index.reads(found);
            }
            Self::Unary(_, operand) | Self::Convert(operand, _) => operand.reads(found),
            Self::Binary(_, left, right) => {
                left.reads(found);
                right.reads(found);
            }
            Self::Conditional(parts) => parts.iter().for_each(|part| part.reads(found)),
        }
    }
}

impl Edge {
    /// The addresses at which an edge may read, and whether it does so after the step.
    pub(crate) fn reads(&self, found: &mut dyn FnMut(Range<usize>, bool)) {
        self.guard.reads(found);
        let index = |target: &Target, found: &mut dyn FnMut(Range<usize>, bool)| {
            if let Target::Element { index, .. } = target {
                index.reads(found);
            }
        };
        match &self.action {
            Action::Step { assignments, constraint } => {
                for (target, value) in assignments {
                    index(target, found);
                    value.reads(found);
                }
                constraint.reads(found);
            }
            Action::Call { arguments: values, .. } | Action::Return(values) => {
                for value in values {
                    value.reads(found);
                }
            }
            Action::Receive(targets) => {
                targets.iter().flatten().for_each(|target| index(target, found));
            }
            Action::Assert { condition, .. } => condition.reads(found),
            Action::Create(threads) => {
                let values = threads.iter().flat_map(|(_, inherited)| inherited);
                values.for_each(|(_, _, value)| value.reads(found));
            }
            Action::End => {}
        }
    }

    /// The addresses at which an edge may assign, and whether it surely assigns there.
    pub(crate) fn targets(&self, found: &mut dyn FnMut(Range<usize>, bool)) {
        let mut one = |target: &Target| match target {
            Target::Scalar(address) => found(*address..address + 1, true),
            Target::Element { first, length, .. } => {
                found(*first..first.saturating_add(*length), false);
            }
        };
        match &self.action {
            Action::Step { assignments, .. } => assignments.iter().for_each(|(to, _)| one(to)),
            Action::Receive(targets) => targets.iter().flatten().for_each(one),
            _ => {}
        }
    }
}

/// For each point that is a location, and each cell of its frames: whether it matters, that is,
/// some path from there reads it before it is assigned.
pub(crate) fn kept_values(program: &Program) -> Vec<Vec<bool>> {
    let shared = program.cells.len();
    program
        .procedures
        .iter()
        .flat_map(|procedure| kept_in(procedure, shared, program.liveness))
        .collect()
}

fn kept_in(procedure: &Procedure, shared: usize, liveness: bool) -> Vec<Vec<bool>> {
    let cells = procedure.cells.len();
    let mut live = vec![vec![!liveness; cells]; procedure.locations.len()];
    let mut changed = liveness;
    while changed {
        changed = false;
        for edge in procedure.edges.iter().rev().filter(|edge| edge.guard != FALSE) {
            let mut before = edge.target.map_or(vec![false; cells], |target| live[target].clone());
            let mut assigned = vec![false; cells];
            edge.targets(&mut |place, is_sure| {
                if is_sure && place.start >= shared {
                    assigned[place.start - shared] = true;
                }
            });
            before.iter_mut().zip(&assigned).for_each(|(cell, &new)| *cell &= !new);
            edge.reads(&mut |place, after| {
                for address in place.filter(|&address| address >= shared) {
                    // New values that the edge assigns itself are not read before it.
                    before[address - shared] |= !(after && assigned[address - shared]);
                }
            });
            for (old, new) in live[edge.source].iter_mut().zip(before) {
                changed |= new && !*old;
                *old |= new;
            }
        }
    }
    live
}

/// The points that fused steps pass.
pub(crate) fn points_passed(program: &Program) -> Vec<bool> {
    let local = local_points(program);
    let rest = [entries_of_recursion(program), loops(program, &local), atomic(program)];
    without(local, &rest)
}

/// The points that fused steps of a thread pass while no other thread can move.
pub(crate) fn points_passed_by_holder(program: &Program) -> Vec<bool> {
    let mut back = vec![false; program.waiting];
    for procedure in &program.procedures {
        for edge in &procedure.edges {
            if let Some(target) = edge.target.filter(|&target| target <= edge.source) {
                back[procedure.first + target] = true;
            }
        }
    }
    without(vec![true; program.waiting], &[entries_of_recursion(program), back, atomic(program)])
}

fn without(mut points: Vec<bool>, others: &[Vec<bool>]) -> Vec<bool> {
    for (number, point) in points.iter_mut().enumerate() {
        *point &= !others.iter().any(|other| other[number]);
    }
    points
}

/// The points at which everything that a thread can do is local.
fn local_points(program: &Program) -> Vec<bool> {
    let numbers = 0..program.procedures.len();
    let silent: Vec<bool> = numbers.map(|number| returns_silently(program, number)).collect();
    let mut found = Vec::with_capacity(program.waiting);
    for (number, procedure) in program.procedures.iter().enumerate() {
        for leaving in &procedure.leaving {
            let local = |&edge: &usize| is_local(program, number, &procedure.edges[edge], &silent);
            found.push(!leaving.is_empty() && leaving.iter().all(local));
        }
    }
    found
}

/// Whether an edge touches nothing but variables of the frame, and enters no section, except that
/// of a checked statement which does no more.
fn is_local(program: &Program, number: usize, edge: &Edge, silent: &[bool]) -> bool {
    let procedure = &program.procedures[number];
    match &edge.action {
        Action::Create(_) => return false,
        Action::Return(values) if !values.is_empty() && !silent[number] => return false,
        _ => {}
    }
    if let Some(target) = edge.target
        && procedure.locations[target].atomic
    {
        let is_check = matches!(edge.action, Action::Assert { is_check: true, .. });
        // A check leads onwards, so this comes to an end.
        if !is_check || procedure.locations[target].named || target <= edge.source {
            return false;
        }
        let behind = &procedure.leaving[target];
        if !behind.iter().all(|&each| is_local(program, number, &procedure.edges[each], silent)) {
            return false;
        }
    }
    let mut touches_shared = false;
    edge.targets(&mut |place, _| touches_shared |= place.start < program.cells.len());
    edge.reads(&mut |place, _| touches_shared |= place.start < program.cells.len());
    !touches_shared
}

/// Whether what a procedure returns is always received by local steps that never block.
fn returns_silently(program: &Program, number: usize) -> bool {
    if program.templates.iter().any(|template| template.procedure == number) {
        return false;
    }
    let results = &program.procedures[number].results;
    program.procedures.iter().enumerate().all(|(caller, code)| {
        code.edges.iter().all(|edge| match edge.action {
            Action::Call { procedure, .. } if procedure == number => {
                let receipts = edge.target.map_or(&[][..], |target| &code.leaving[target]);
                receipts
                    .iter()
                    .all(|&each| receives_silently(program, caller, &code.edges[each], results))
            }
            _ => true,
        })
    })
}

fn receives_silently(program: &Program, caller: usize, edge: &Edge, results: &[Type]) -> bool {
    let Action::Receive(targets) = &edge.action else { return false };
    let nothing_silent = vec![false; program.procedures.len()];
    edge.guard == TRUE
        && is_local(program, caller, edge, &nothing_silent)
        && targets.iter().zip(results).all(|(target, result)| match target {
            None => true,
            Some(Target::Element { .. }) => false, // Its index may be outside.
            Some(Target::Scalar(address)) => {
                let local = address.checked_sub(program.cells.len());
                let cell = local.map(|local| &program.procedures[caller].cells[local]);
                cell.is_some_and(|cell| {
                    let extremes = [result.low, result.low + result.size - 1];
                    extremes.iter().all(|&value| cell.scalar.stored(value).is_some())
                })
            }
        })
}

/// The points inside atomic sections.
fn atomic(program: &Program) -> Vec<bool> {
    let locations = program.procedures.iter().flat_map(|procedure| &procedure.locations);
    locations.map(|location| location.atomic).collect()
}

/// The smallest point of every cycle of passed points, those in sections aside: nobody could rest
/// there.
fn loops(program: &Program, passed: &[bool]) -> Vec<bool> {
    let through = passed_through(program, passed);
    let mut found = vec![false; program.waiting];
    for procedure in &program.procedures {
        let before = passed_before(procedure, passed, &through);
        for (target, sources) in before.iter().enumerate() {
            found[procedure.first + target] = !procedure.locations[target].atomic
                && sources.iter().any(|&source| leads_back(procedure, &before, source, target));
        }
    }
    found
}

/// For each location of a procedure, the passed ones from which a step goes on to it: after a call,
/// only if it gets through what is called.
fn passed_before(procedure: &Procedure, passed: &[bool], through: &[bool]) -> Vec<Vec<usize>> {
    let mut before = vec![Vec::new(); procedure.locations.len()];
    for edge in &procedure.edges {
        if matches!(edge.action, Action::Call { procedure: callee, .. } if !through[callee]) {
            continue;
        }
        if let Some(target) = edge.target
            && passed[procedure.first + edge.source]
            && passed[procedure.first + target]
            && !before[target].contains(&edge.source)
        {
            before[target].push(edge.source);
        }
    }
    before
}

/// Whether a way from one location to another has no location with a smaller number, those inside
/// sections aside.
fn leads_back(procedure: &Procedure, before: &[Vec<usize>], end: usize, start: usize) -> bool {
    let counts = |number: usize| number >= start || procedure.locations[number].atomic;
    if !counts(end) {
        return false;
    }
    let mut met = vec![false; before.len()];
    met[end] = true;
    let mut unread = vec![end];
    while let Some(number) = unread.pop() {
        if number == start {
            return true;
        }
        for &each in &before[number] {
            if counts(each) && !std::mem::replace(&mut met[each], true) {
                unread.push(each);
            }
        }
    }
    false
}

/// The procedures that may be run from entry to return through passed points only. Steps end at the
/// entry of one that calls itself.
fn passed_through(program: &Program, passed: &[bool]) -> Vec<bool> {
    let recursive = entries_of_recursion(program);
    let mut through = vec![false; program.procedures.len()];
    loop {
        let each = program.procedures.iter();
        let found: Vec<bool> = each
            .map(|procedure| {
                !recursive[procedure.first + procedure.entry] && ends(procedure, passed, &through)
            })
            .collect();
        if found == through {
            return through;
        }
        through = found;
    }
}

/// Whether a way through passed locations leads from the entry of a procedure to its end.
fn ends(procedure: &Procedure, passed: &[bool], through: &[bool]) -> bool {
    let before = passed_before(procedure, passed, through);
    let mut met = vec![false; before.len()];
    let mut unread: Vec<usize> = Vec::new();
    for edge in procedure.edges.iter().filter(|edge| edge.target.is_none()) {
        if passed[procedure.first + edge.source] && !std::mem::replace(&mut met[edge.source], true)
        {
            unread.push(edge.source);
        }
    }
    while let Some(number) = unread.pop() {
        for &each in &before[number] {
            if !std::mem::replace(&mut met[each], true) {
                unread.push(each);
            }
        }
    }
    met[procedure.entry]
}

/// The entries of procedures that may be called while they run.
fn entries_of_recursion(program: &Program) -> Vec<bool> {
    let called = |number: usize| {
        program.procedures[number].edges.iter().filter_map(|edge| match edge.action {
            Action::Call { procedure, .. } => Some(procedure),
            _ => None,
        })
    };
    let mut entries = vec![false; program.waiting];
    for (number, procedure) in program.procedures.iter().enumerate() {
        let mut met = vec![false; program.procedures.len()];
        let mut unread: Vec<usize> = called(number).collect();
        while let Some(next) = unread.pop() {
            if !std::mem::replace(&mut met[next], true) {
                unread.extend(called(next));
            }
        }
        entries[procedure.first + procedure.entry] = met[number];
    }
    entries
}
