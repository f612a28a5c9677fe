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

/// The scalars that are read to know which element of an array is meant, and those that may be
/// meant.
pub fn indices_and_elements(program: &Program) -> (Scalars, Scalars) {
    let (mut indices, mut elements) = (Scalars::default(), Scalars::default());
    for (number, procedure) in program.procedures.iter().enumerate() {
        let mut note = |array: Array, index: &Expression| {
            let owner = (!array.first.global).then_some(number as u32);
            let cells = array.first.cell..array.first.cell + array.length;
            elements.extend(cells.map(|cell| (owner, cell)));
            visit(index, &mut |part| {
                if let Expression::Read(place) = part {
                    indices.insert(((!place.global).then_some(number as u32), place.cell));
                }
            });
        };
        for edge in procedure.locations.iter().flat_map(|location| &location.edges) {
            for destination in destinations(edge) {
                if let Destination::Element(array, index) = destination {
                    note(*array, index);
                }
            }
            for expression in expressions(edge) {
                visit(expression, &mut |part| {
                    if let Expression::ReadElement(array, index) = part {
                        note(*array, index);
                    }
                });
            }
        }
    }
    (indices, elements)
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
fn visit(expression: &Expression, note: &mut impl FnMut(&Expression)) {
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
