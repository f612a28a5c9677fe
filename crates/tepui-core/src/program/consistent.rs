//! Whether a program that was handed over fits together, so that running it needs no checks.

use super::expression::{Array, Expression};
use super::{
    Action, Destination, Edge, HIGHEST, LOWEST, NO_VALUE, Place, Procedure, Program, Range, Source,
    Thread, Value,
};

/// Whether all indices name something, and all ranges have values.
pub fn is_consistent(program: &Program) -> bool {
    let globals = program.cells.len();
    let hidden = &program.hidden;
    let all_hidden = [hidden.halted, hidden.full, hidden.holder, hidden.lock];
    let registers = hidden.full.map_or(0, |full| full + 1 + hidden.results);
    let is_global = |cell: u32| (cell as usize) < globals;
    all_hidden.into_iter().flatten().chain(program.naming.iter().copied()).all(is_global)
        && registers as usize <= globals
        && fit_cells(&program.cells, &program.initial)
        && program.own_cells as usize <= globals
        && program.procedures.iter().all(|procedure| fits_procedure(program, procedure))
        && program.threads.iter().all(|thread| fits_thread(program, thread))
}

/// Whether variables have values, and none of them is a sign for something else.
fn fit_cells(cells: &[Range], initial: &[Value]) -> bool {
    cells.iter().copied().all(fits_range)
        && initial.iter().all(|&value| value == NO_VALUE || value >= LOWEST)
}

fn fits_range(range: Range) -> bool {
    let largest = HIGHEST.abs_diff(LOWEST) + 1;
    let values = LOWEST..=HIGHEST;
    (1..=largest).contains(&range.size)
        && values.contains(&range.low)
        && values.contains(&range.value(range.size - 1))
}

fn fits_thread(program: &Program, thread: &Thread) -> bool {
    let Some(procedure) = program.procedures.get(thread.procedure as usize) else { return false };
    let inherits = |&(cell, global): &(u32, u32)| {
        (cell as usize) < procedure.cells.len() && (global as usize) < program.cells.len()
    };
    (thread.kind as usize) < program.threads.len()
        && (thread.start as usize) < procedure.locations.len()
        && thread.created.is_none_or(|cell| (cell as usize) < program.cells.len())
        && thread.idle.is_none_or(|(_, cell)| (cell as usize) < program.cells.len())
        && thread.inherited.iter().all(inherits)
}

fn fits_procedure(program: &Program, procedure: &Procedure) -> bool {
    let fits = Fits { globals: program.cells.len(), locals: procedure.cells.len() };
    let locations = procedure.locations.len();
    let may_return_values = procedure.results.len() <= program.hidden.results as usize;
    let edges = procedure.locations.iter().flat_map(|location| &location.edges);
    (procedure.entry as usize) < locations
        && fit_cells(&procedure.cells, &procedure.initial)
        && procedure.results.iter().copied().all(fits_range)
        && may_return_values
        && edges.into_iter().all(|edge| {
            edge.target.is_none_or(|target| (target as usize) < locations)
                && fits.expression(&edge.guard)
                && fits.action(program, procedure, edge)
        })
}

struct Fits {
    globals: usize,
    locals: usize,
}

impl Fits {
    fn place(&self, place: Place) -> bool {
        (place.cell as usize) < if place.global { self.globals } else { self.locals }
    }

    fn array(&self, array: Array) -> bool {
        let end = array.first.cell as usize + array.length as usize;
        end <= if array.first.global { self.globals } else { self.locals }
    }

    fn expression(&self, expression: &Expression) -> bool {
        match expression {
            Expression::Constant(_) | Expression::Own => true,
            Expression::Choice(range) => fits_range(*range),
            Expression::Read(place) | Expression::ReadAfter(place) => self.place(*place),
            Expression::ReadElement(array, index) => self.array(*array) && self.expression(index),
            Expression::Not(operand)
            | Expression::Minus(operand)
            | Expression::Complement(operand) => self.expression(operand),
            Expression::Convert(operand, range) => fits_range(*range) && self.expression(operand),
            Expression::Binary(_, left, right) => self.expression(left) && self.expression(right),
            Expression::Conditional(parts) => parts.iter().all(|part| self.expression(part)),
        }
    }

    fn destination(&self, destination: &Destination) -> bool {
        match destination {
            Destination::Scalar(place) => self.place(*place),
            Destination::Element(array, index) => self.array(*array) && self.expression(index),
        }
    }

    fn source(&self, source: &Source) -> bool {
        match source {
            Source::Later => true,
            Source::Now(expression) => self.expression(expression),
        }
    }

    fn action(&self, program: &Program, procedure: &Procedure, edge: &Edge) -> bool {
        match &edge.action {
            Action::Step(assignments, constraint) => {
                self.expression(constraint)
                    && assignments
                        .iter()
                        .all(|(to, from)| self.destination(to) && self.source(from))
            }
            Action::Call { procedure, arguments, .. } => {
                let callee = program.procedures.get(*procedure as usize);
                edge.target.is_some()
                    && callee.is_some_and(|callee| arguments.len() <= callee.cells.len())
                    && arguments.iter().all(|argument| self.source(argument))
            }
            Action::Receive(targets) => {
                program.hidden.full.is_some()
                    && targets.len() <= program.hidden.results as usize
                    && targets.iter().flatten().all(|target| self.destination(target))
            }
            Action::Return(values) => {
                values.len() == procedure.results.len()
                    && (values.is_empty() || program.hidden.full.is_some())
                    && values.iter().all(|value| self.expression(value))
            }
            Action::Assert(condition, point) => {
                program.hidden.halted.is_some()
                    && (program.waiting.number() + 1..program.points()).contains(&point.number())
                    && self.expression(condition)
            }
            Action::Create(values) => values
                .iter()
                .all(|(cell, value)| (*cell as usize) < self.globals && self.expression(value)),
            Action::End => true,
        }
    }
}
