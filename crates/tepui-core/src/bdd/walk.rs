//! What the edges of a program choose, and what they look at.

use rustc_hash::FxHashSet;

use crate::program::expression::{Array, Expression};
use crate::program::{Action, Destination, Edge, Place, Procedure, Program, Range, Source};

/// All edges, each with its procedure.
pub fn edges(program: &Program) -> impl Iterator<Item = (&Procedure, &Edge)> {
    program.procedures.iter().flat_map(|procedure| {
        let edges = procedure.locations.iter().flat_map(|location| &location.edges);
        edges.map(move |edge| (procedure, edge))
    })
}

/// The types of all that is chosen when an edge is taken.
pub fn choices(program: &Program, procedure: &Procedure, edge: &Edge) -> Vec<Range> {
    let mut found = Vec::new();
    for expression in expressions(edge) {
        visit(expression, &mut |part| {
            if let Expression::Choice(range) = part {
                found.push(*range);
            }
        });
    }
    match &edge.action {
        Action::Step(assignments, _) => {
            let later = assignments.iter().filter(|(_, from)| *from == Source::Later);
            found.extend(later.map(|(to, _)| range_of(program, procedure, first_place(to))));
        }
        Action::Call { procedure: callee, arguments, .. } => {
            let cells = &program.procedures[*callee as usize].cells;
            let given = arguments.iter().zip(cells);
            found.extend(given.filter(|(from, _)| **from == Source::Later).map(|(_, range)| range));
        }
        _ => (),
    }
    found
}

/// Scalars: of the shared state, or of the frames of a procedure.
pub type Scalars = FxHashSet<(Option<u32>, u32)>;

/// How scalars have to do with arrays.
#[derive(Debug, Default)]
pub struct Arrays {
    /// They are read to know which element is meant.
    pub indices: Scalars,
    /// They are elements.
    pub elements: Scalars,
    /// They are read or written where an element is.
    pub companions: Scalars,
}

/// All that has to do with arrays of which elements are chosen by an index.
pub fn arrays(program: &Program) -> Arrays {
    let mut found = Arrays::default();
    for (number, procedure) in program.procedures.iter().enumerate() {
        let scalar = |place: Place| ((!place.global).then_some(number as u32), place.cell);
        for edge in procedure.locations.iter().flat_map(|location| &location.edges) {
            let mut here: Vec<(Array, &Expression)> = Vec::new();
            let mut beside = Vec::new();
            for destination in destinations(edge) {
                match destination {
                    Destination::Element(array, index) => here.push((*array, index)),
                    Destination::Scalar(place) => beside.push(scalar(*place)),
                }
            }
            for expression in expressions(edge) {
                visit(expression, &mut |part| match part {
                    Expression::ReadElement(array, index) => here.push((*array, &**index)),
                    Expression::Read(place) => beside.push(scalar(*place)),
                    _ => (),
                });
            }
            if !here.is_empty() {
                found.companions.extend(beside);
            }
            for (array, index) in here {
                let cells = array.first.cell..array.first.cell + array.length;
                found.elements.extend(cells.map(|cell| scalar(Place { cell, ..array.first })));
                visit(index, &mut |part| {
                    if let Expression::Read(place) = part {
                        found.indices.insert(scalar(*place));
                    }
                });
            }
        }
    }
    found
}

/// The type of a scalar.
pub fn range_of(program: &Program, procedure: &Procedure, place: Place) -> Range {
    let ranges = if place.global { &program.cells } else { &procedure.cells };
    ranges[place.cell as usize]
}

fn first_place(of: &Destination) -> Place {
    match of {
        Destination::Scalar(place) => *place,
        Destination::Element(array, _) => array.first,
    }
}

fn destinations(edge: &Edge) -> Vec<&Destination> {
    match &edge.action {
        Action::Step(assignments, _) => assignments.iter().map(|(to, _)| to).collect(),
        Action::Receive(targets) => targets.iter().flatten().collect(),
        _ => Vec::new(),
    }
}

/// All expressions of an edge.
fn expressions(edge: &Edge) -> Vec<&Expression> {
    fn now(from: &Source) -> Option<&Expression> {
        match from {
            Source::Now(value) => Some(value),
            Source::Later => None,
        }
    }
    let mut found = vec![&edge.guard];
    for destination in destinations(edge) {
        if let Destination::Element(_, index) = destination {
            found.push(index);
        }
    }
    match &edge.action {
        Action::Step(assignments, constraint) => {
            found.extend(assignments.iter().filter_map(|(_, from)| now(from)));
            found.push(constraint);
        }
        Action::Call { arguments, .. } => found.extend(arguments.iter().filter_map(now)),
        Action::Return(values) => found.extend(values),
        Action::Assert(condition, _) => found.push(condition),
        Action::Create(values) => found.extend(values.iter().map(|(_, value)| value)),
        Action::Receive(_) | Action::End => (),
    }
    found
}

/// An expression and all its parts.
fn visit<'e>(expression: &'e Expression, note: &mut impl FnMut(&'e Expression)) {
    note(expression);
    match expression {
        Expression::Constant(_)
        | Expression::Read(_)
        | Expression::ReadAfter(_)
        | Expression::Own
        | Expression::Choice(_) => (),
        Expression::ReadElement(_, one)
        | Expression::Not(one)
        | Expression::Minus(one)
        | Expression::Complement(one)
        | Expression::Convert(one, _) => visit(one, note),
        Expression::Binary(_, left, right) => {
            visit(left, note);
            visit(right, note);
        }
        Expression::Conditional(parts) => parts.iter().for_each(|part| visit(part, note)),
    }
}
