//! A program from the plain numbers in which Python hands it over.
//!
//! The code is a prefix code: every construct starts with its kind, every list with its length.
//! `python/tepui/program/lowering.py` writes it; the functions here read it in the same order.

use rustc_hash::FxHashSet;

use super::expression::{Array, Expression, Operator};
use super::{
    Action, Destination, Edge, Hidden, Location, NO_VALUE, Overflow, Place, Point, Procedure,
    Program, Range, Source, Thread, UNREAD, Value,
};

/// The code is not one of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// Read a program.
pub fn decode(code: &[i64]) -> Result<Program, Malformed> {
    let mut reader = Reader { code, next: 0 };
    let program = reader.program()?;
    if is_consistent(&program) { Ok(program) } else { Err(Malformed) }
}

struct Reader<'a> {
    code: &'a [i64],
    next: usize,
}

type Read<T> = Result<T, Malformed>;

impl Reader<'_> {
    fn number(&mut self) -> Read<i64> {
        let number = self.code.get(self.next).copied().ok_or(Malformed)?;
        self.next += 1;
        Ok(number)
    }

    fn index(&mut self) -> Read<u32> {
        u32::try_from(self.number()?).map_err(|_| Malformed)
    }

    /// An index, or a negative number for none.
    fn index_or_none(&mut self) -> Read<Option<u32>> {
        let number = self.number()?;
        if number < 0 { Ok(None) } else { u32::try_from(number).map(Some).map_err(|_| Malformed) }
    }

    fn flag(&mut self) -> Read<bool> {
        Ok(self.number()? != 0)
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let count = self.index()?;
        (0..count).map(|_| item(self)).collect()
    }

    fn program(&mut self) -> Read<Program> {
        let (slots, initial) = self.slots()?;
        let own_slots = self.index()?;
        let hidden = Hidden {
            halted: self.index_or_none()?,
            full: self.index_or_none()?,
            results: self.index()?,
            holder: self.index_or_none()?,
            lock: self.index_or_none()?,
        };
        let mut points = 0;
        let procedures = self.list(|reader| {
            let procedure = reader.procedure(points)?;
            points += procedure.locations.len() as Point;
            Ok(procedure)
        })?;
        let mut threads = self.list(Self::thread)?;
        let decide_first = self.flag()?;
        let watched: FxHashSet<Point> = self.list(Self::index)?.into_iter().collect();
        let waiting = points;
        let violations = self.index()?;
        for thread in &mut threads {
            thread.idle = thread.created.map(|created| (waiting, created));
        }
        while self.next < self.code.len() {
            let thread = threads.get_mut(self.index()? as usize).ok_or(Malformed)?;
            thread.idle = Some((self.index()?, self.index()?));
        }
        Ok(Program {
            slots,
            initial,
            own_slots,
            hidden,
            procedures,
            threads,
            waiting,
            violations,
            decide_first,
            watched,
        })
    }

    fn slots(&mut self) -> Read<(Vec<Range>, Vec<Value>)> {
        let slots = self.list(|reader| {
            let range = reader.range()?;
            let initial = if reader.flag()? { reader.value()? } else { NO_VALUE };
            Ok((range, initial))
        })?;
        Ok(slots.into_iter().unzip())
    }

    fn range(&mut self) -> Read<Range> {
        let (low, size) = (self.value()?, self.index()?);
        let overflow = match self.number()? {
            0 => Overflow::Block,
            1 => Overflow::Wrap,
            2 => Overflow::Saturate,
            _ => return Err(Malformed),
        };
        let fits = size > 0 && i64::from(low) + i64::from(size) <= i64::from(Value::MAX);
        if fits { Ok(Range { low, size, overflow }) } else { Err(Malformed) }
    }

    fn value(&mut self) -> Read<Value> {
        let value = Value::try_from(self.number()?).map_err(|_| Malformed)?;
        if value <= UNREAD { Err(Malformed) } else { Ok(value) }
    }

    fn procedure(&mut self, first_point: Point) -> Read<Procedure> {
        let (slots, initial) = self.slots()?;
        let results = self.list(Self::range)?;
        let entry = self.index()?;
        let width = slots.len();
        let locations = self.list(|reader| reader.location(width))?;
        Ok(Procedure { first_point, slots, initial, results, entry, locations })
    }

    fn location(&mut self, width: usize) -> Read<Location> {
        let atomic = self.flag()?;
        let mut live = vec![false; width];
        for slot in self.list(Self::index)? {
            *live.get_mut(slot as usize).ok_or(Malformed)? = true;
        }
        let edges = self.list(Self::edge)?;
        Ok(Location { atomic, live, edges })
    }

    fn edge(&mut self) -> Read<Edge> {
        let target = self.index_or_none()?;
        let guard = self.expression()?;
        let action = match self.number()? {
            0 => {
                let assignments = self.list(|reader| {
                    let destination = reader.destination()?;
                    Ok((destination, reader.source()?))
                })?;
                Action::Step(assignments, self.expression()?)
            }
            1 => Action::Call {
                procedure: self.index()?,
                is_tail: self.flag()?,
                arguments: self.list(Self::source)?,
            },
            2 => Action::Receive(self.list(|reader| {
                if reader.flag()? { reader.destination().map(Some) } else { Ok(None) }
            })?),
            3 => Action::Return(self.list(Self::expression)?),
            4 => {
                let point = self.index()?;
                Action::Assert(self.expression()?, point)
            }
            5 => Action::Create(self.list(|reader| Ok((reader.index()?, reader.expression()?)))?),
            6 => Action::End,
            _ => return Err(Malformed),
        };
        Ok(Edge { guard, action, target })
    }

    fn destination(&mut self) -> Read<Destination> {
        if self.flag()? {
            let array = self.array()?;
            Ok(Destination::Element(array, self.expression()?))
        } else {
            Ok(Destination::Scalar(self.place()?))
        }
    }

    fn source(&mut self) -> Read<Source> {
        if self.flag()? { Ok(Source::Later) } else { Ok(Source::Now(self.expression()?)) }
    }

    fn place(&mut self) -> Read<Place> {
        Ok(Place { global: self.flag()?, slot: self.index()? })
    }

    fn array(&mut self) -> Read<Array> {
        Ok(Array { first: self.place()?, length: self.index()? })
    }

    fn expression(&mut self) -> Read<Expression> {
        Ok(match self.number()? {
            0 => Expression::Constant(self.number()?),
            1 => Expression::Read(self.place()?),
            2 => Expression::ReadAfter(self.place()?),
            3 => {
                let array = self.array()?;
                Expression::ReadElement(array, Box::new(self.expression()?))
            }
            4 => Expression::Choice(self.range()?),
            5 => Expression::Not(Box::new(self.expression()?)),
            6 => Expression::Minus(Box::new(self.expression()?)),
            7 => {
                let (condition, then) = (self.expression()?, self.expression()?);
                Expression::Conditional(Box::new([condition, then, self.expression()?]))
            }
            kind => {
                let index = usize::try_from(kind - 8).map_err(|_| Malformed)?;
                let operator = *OPERATORS.get(index).ok_or(Malformed)?;
                let left = Box::new(self.expression()?);
                Expression::Binary(operator, left, Box::new(self.expression()?))
            }
        })
    }

    fn thread(&mut self) -> Read<Thread> {
        Ok(Thread {
            procedure: self.index()?,
            start: self.index()?,
            created: self.index_or_none()?,
            inherited: self.list(|reader| Ok((reader.index()?, reader.index()?)))?,
            idle: None,
        })
    }
}

const OPERATORS: [Operator; 13] = [
    Operator::And,
    Operator::Or,
    Operator::Implies,
    Operator::Xor,
    Operator::Equal,
    Operator::NotEqual,
    Operator::Less,
    Operator::LessOrEqual,
    Operator::Greater,
    Operator::GreaterOrEqual,
    Operator::Add,
    Operator::Subtract,
    Operator::Multiply,
];

/// Whether all indices name something, so that running the program needs no checks.
fn is_consistent(program: &Program) -> bool {
    let globals = program.slots.len();
    let hidden = &program.hidden;
    let all_hidden = [hidden.halted, hidden.full, hidden.holder, hidden.lock];
    let registers = hidden.full.map_or(0, |full| full + 1 + hidden.results);
    let is_global = |slot: u32| (slot as usize) < globals;
    all_hidden.into_iter().flatten().all(is_global)
        && registers as usize <= globals
        && program.own_slots as usize <= globals
        && program.procedures.iter().all(|procedure| fits_procedure(program, procedure))
        && program.threads.iter().all(|thread| fits_thread(program, thread))
}

fn fits_thread(program: &Program, thread: &Thread) -> bool {
    let Some(procedure) = program.procedures.get(thread.procedure as usize) else { return false };
    let inherits = |&(slot, global): &(u32, u32)| {
        (slot as usize) < procedure.slots.len() && (global as usize) < program.slots.len()
    };
    (thread.start as usize) < procedure.locations.len()
        && thread.created.is_none_or(|slot| (slot as usize) < program.slots.len())
        && thread.idle.is_none_or(|(_, slot)| (slot as usize) < program.slots.len())
        && thread.inherited.iter().all(inherits)
}

fn fits_procedure(program: &Program, procedure: &Procedure) -> bool {
    let fits = Fits { globals: program.slots.len(), locals: procedure.slots.len() };
    let locations = procedure.locations.len();
    let may_return_values = procedure.results.len() <= program.hidden.results as usize;
    let edges = procedure.locations.iter().flat_map(|location| &location.edges);
    (procedure.entry as usize) < locations
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
        (place.slot as usize) < if place.global { self.globals } else { self.locals }
    }

    fn array(&self, array: Array) -> bool {
        let end = array.first.slot as usize + array.length as usize;
        end <= if array.first.global { self.globals } else { self.locals }
    }

    fn expression(&self, expression: &Expression) -> bool {
        match expression {
            Expression::Constant(_) | Expression::Choice(_) => true,
            Expression::Read(place) | Expression::ReadAfter(place) => self.place(*place),
            Expression::ReadElement(array, index) => self.array(*array) && self.expression(index),
            Expression::Not(operand) | Expression::Minus(operand) => self.expression(operand),
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
                    && callee.is_some_and(|callee| arguments.len() <= callee.slots.len())
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
                    && (program.waiting + 1..program.points()).contains(point)
                    && self.expression(condition)
            }
            Action::Create(values) => values
                .iter()
                .all(|(slot, value)| (*slot as usize) < self.globals && self.expression(value)),
            Action::End => true,
        }
    }
}
