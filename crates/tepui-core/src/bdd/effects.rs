//! What an edge does, as functions of bits: a condition, and the new values of some bits.
//!
//! All choices are bits of their own, which nobody cares about afterwards. An expression has a value
//! where its evaluation does not block, and the condition says where that is.

use std::collections::{BTreeMap, BTreeSet};

use super::encoding::{Encoding, Position, is_narrow, level};
use super::nodes::{Bdd, Work};
use super::numbers::{Number, digits_of};
use super::shapes::{Shape, ThreadInfo};
use super::stop::Stop;
use super::walk::range_of;
use crate::program::expression::{Array, Expression, Operator};
use crate::program::{
    Action, Destination, Edge, NO_VALUE, Overflow, Place, Point, Procedure, Program, Range, Source,
    Value,
};

/// What one way to take an edge does.
#[derive(Clone, Debug)]
pub struct Effects {
    /// Where it can be taken, and with which choices.
    pub condition: Bdd,
    /// The bits that change, and what they become.
    pub changes: Vec<(Position, Bdd)>,
    /// The bits that nobody cares about afterwards.
    pub freed: Vec<Position>,
    /// What holds for the bits that variables without a value have got.
    pub afterwards: Bdd,
    /// The shape of the thread after it.
    pub shape: Shape,
    /// The choices: their bits, and their types.
    pub choices: Vec<(Vec<Position>, Range)>,
    /// The variables without a value of a frame that is new: their cells.
    pub fresh: Vec<Fresh>,
}

/// A variable without a value of a frame that is new.
#[derive(Clone, Debug)]
pub struct Fresh {
    /// Its procedure.
    pub procedure: u32,
    /// Its cell.
    pub cell: u32,
    /// Its bits.
    pub digits: Vec<Position>,
    /// Its type.
    pub range: Range,
}

/// A value, and where its evaluation does not block.
struct Valued {
    number: Number,
    known: Bdd,
}

/// The effects of the edges of one thread with a shape.
pub struct Moves<'p> {
    /// The program.
    pub program: &'p Program,
    /// Its bits.
    pub encoding: &'p Encoding,
    /// The thread.
    pub thread: usize,
    /// What it runs.
    pub info: ThreadInfo,
    /// Its shape.
    pub shape: &'p Shape,
}

type Made<T> = Result<T, Stop>;

impl Moves<'_> {
    /// All ways to take a step, each with the number of the edge in its location; a thread that
    /// waits has none.
    pub fn all(&self, work: &mut Work) -> Made<Vec<(Option<usize>, Effects)>> {
        let Some(&top) = self.shape.points.last() else { return Ok(Vec::new()) };
        if top == self.program.waiting {
            return Ok(self.start(work)?.into_iter().map(|effects| (None, effects)).collect());
        }
        let Some((procedure, location)) = self.program.location(top) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        let edges = &self.program.procedures[procedure as usize].locations[location as usize].edges;
        for (number, edge) in edges.iter().enumerate() {
            found.extend(
                self.of_edge(procedure, edge, work)?
                    .into_iter()
                    .map(|effects| (Some(number), effects)),
            );
        }
        Ok(found)
    }

    fn start(&self, work: &mut Work) -> Made<Option<Effects>> {
        let template = &self.program.threads[self.info.template];
        let Some(created) = template.created else { return Ok(None) };
        let mut taking = Taking::new(self, template.procedure, 0);
        taking.condition = taking.flag(created, work)?;
        taking.require_full(false, work)?;
        let mut given = Vec::new();
        for &(cell, global) in &template.inherited {
            let digits = self.encoding.shared[global as usize].clone();
            given
                .push((cell, digits.iter().map(|&bit| work.nodes.bit(level(bit), true)).collect()));
        }
        taking.enter(template.procedure, template.start, &given, work)?;
        let point = self.program.point(template.procedure, template.start);
        Ok(Some(taking.finish(Shape { outer: None, points: vec![point] })))
    }

    fn of_edge(&self, procedure: u32, edge: &Edge, work: &mut Work) -> Made<Vec<Effects>> {
        let depth = self.shape.points.len() - 1;
        let mut taking = Taking::new(self, procedure, depth);
        taking.require_full(matches!(edge.action, Action::Receive(_)), work)?;
        let guard = taking.holds(&edge.guard, work)?;
        taking.require(guard, work)?;
        let mut found = Vec::new();
        match &edge.action {
            Action::Step(assignments, constraint) => {
                let mut values = Vec::new();
                for (to, from) in assignments {
                    values.push(taking.assigned(to, from, work)?);
                }
                let mut variants = vec![taking];
                for (writes, known) in values {
                    variants = written(variants, &writes, known, work)?;
                }
                for mut variant in variants {
                    let kept = variant.holds(constraint, work)?;
                    variant.require(kept, work)?;
                    found.push(variant.go(edge.target));
                }
                return Ok(found);
            }
            Action::Call { procedure: callee, is_tail, arguments } => {
                let cells = &self.program.procedures[*callee as usize].cells;
                let mut given = Vec::new();
                for (cell, (argument, &range)) in arguments.iter().zip(cells).enumerate() {
                    given.push((cell as u32, taking.stored(argument, range, work)?));
                }
                let Some(target) = edge.target else { return Ok(found) };
                let shape = self.called(procedure, target, *callee, *is_tail);
                if *is_tail {
                    taking.free_frame(depth);
                } else {
                    taking.forget_dead(target);
                }
                taking.callee_depth = shape.points.len() - 1;
                let entry = self.program.procedures[*callee as usize].entry;
                taking.enter(*callee, entry, &given, work)?;
                found.push(taking.finish(shape));
                return Ok(found);
            }
            Action::Receive(targets) => taking.receive(targets, work)?,
            Action::Return(values) => taking.give_back(values, work)?,
            Action::Assert(condition, violation) => {
                let valued = taking.value(condition, None, work)?;
                let holds = work.is_true(&valued.number)?;
                let fails = work.without(valued.known, holds)?;
                let holds = work.and(valued.known, holds)?;
                let mut failing = taking.clone();
                failing.require(fails, work)?;
                found.push(failing.violate(*violation));
                taking.require(holds, work)?;
            }
            Action::Create(values) => {
                for (cell, value) in values {
                    let range = self.program.cells[*cell as usize];
                    let given = taking.value(value, Some(range), work)?;
                    let digits = taking.kept(&given, range, work)?;
                    taking.set_shared(*cell, digits);
                }
            }
            Action::End => (),
        }
        let leaves = matches!(edge.action, Action::Return(_) | Action::End);
        found.push(taking.go(edge.target.filter(|_| !leaves)));
        Ok(found)
    }

    fn is_atomic(&self, procedure: u32, location: u32) -> bool {
        self.program.procedures[procedure as usize].locations[location as usize].atomic
    }

    /// Where the atomic section has begun in which the thread is at a location of its top frame.
    fn outer(&self, procedure: u32, location: u32) -> Option<u32> {
        let depth = self.shape.points.len() as u32 - 1;
        match self.shape.outer {
            Some(outer) if outer < depth => Some(outer),
            _ => self.is_atomic(procedure, location).then_some(depth),
        }
    }

    fn gone(&self, procedure: u32, target: u32) -> Shape {
        let mut points = self.shape.points.clone();
        points.pop();
        points.push(self.program.point(procedure, target));
        Shape { outer: self.outer(procedure, target), points }
    }

    fn called(&self, procedure: u32, target: u32, callee: u32, is_tail: bool) -> Shape {
        let mut points = self.shape.points.clone();
        points.pop();
        if !is_tail {
            points.push(self.program.point(procedure, target));
        }
        let entry = self.program.procedures[callee as usize].entry;
        points.push(self.program.point(callee, entry));
        Shape { outer: self.outer(procedure, target), points }
    }

    fn left(&self) -> Shape {
        let depth = self.shape.points.len() as u32 - 1;
        let mut points = self.shape.points.clone();
        points.pop();
        Shape { outer: self.shape.outer.filter(|&outer| outer < depth), points }
    }
}

/// An edge that is being taken.
#[derive(Clone)]
struct Taking<'m, 'p> {
    moves: &'m Moves<'p>,
    procedure: u32,
    code: &'p Procedure,
    depth: usize,
    callee_depth: usize,
    condition: Bdd,
    /// What bits become, by their positions.
    changes: BTreeMap<Position, Bdd>,
    freed: BTreeSet<Position>,
    afterwards: Bdd,
    choices: Vec<(Vec<Position>, Range)>,
    chosen: [usize; 2],
    fresh: Vec<Fresh>,
}

/// The scalars that a destination may be, and where it is each of them; one of them; and where there
/// is one at all.
type Places = (Vec<(Place, Bdd)>, Place, Bdd);

/// Scalars, where each of them is written, and the digits that it gets there.
type Writes = Vec<(Place, Bdd, Vec<Bdd>)>;

impl<'m, 'p> Taking<'m, 'p> {
    fn new(moves: &'m Moves<'p>, procedure: u32, depth: usize) -> Self {
        Self {
            moves,
            procedure,
            code: &moves.program.procedures[procedure as usize],
            depth,
            callee_depth: depth,
            condition: Bdd::TRUE,
            changes: BTreeMap::new(),
            freed: BTreeSet::new(),
            afterwards: Bdd::TRUE,
            choices: Vec::new(),
            chosen: [0, 0],
            fresh: Vec::new(),
        }
    }

    fn finish(self, shape: Shape) -> Effects {
        let freed = self.freed;
        let changes = self.changes.into_iter().filter(|(bit, _)| !freed.contains(bit)).collect();
        Effects {
            condition: self.condition,
            changes,
            freed: freed.into_iter().collect(),
            afterwards: self.afterwards,
            shape,
            choices: self.choices,
            fresh: self.fresh,
        }
    }

    /// The effects of an edge that goes to a location of the same procedure, or out of it.
    fn go(mut self, target: Option<u32>) -> Effects {
        let moves = self.moves;
        if let Some(target) = target {
            self.forget_dead(target);
            let shape = moves.gone(self.procedure, target);
            self.finish(shape)
        } else {
            self.free_frame(self.depth);
            self.finish(moves.left())
        }
    }

    fn require(&mut self, condition: Bdd, work: &mut Work) -> Made<()> {
        self.condition = work.and(self.condition, condition)?;
        Ok(())
    }

    fn digits(&self, place: Place) -> &'m [Position] {
        if place.global {
            &self.moves.encoding.shared[place.cell as usize]
        } else {
            let cell = place.cell as usize;
            let digits = &self.moves.encoding.frames[self.moves.thread][self.depth][cell];
            // Cells of other procedures at this depth may have more.
            &digits[..digits_of(self.code.cells[cell])]
        }
    }

    fn range(&self, place: Place) -> Range {
        range_of(self.moves.program, self.code, place)
    }

    fn flag(&self, cell: u32, work: &mut Work) -> Made<Bdd> {
        match self.moves.encoding.shared[cell as usize][..] {
            [bit] => Ok(work.nodes.bit(level(bit), true)),
            _ => Err(Stop::Refused("a flag of it is no Boolean".to_owned())),
        }
    }

    /// Whether results wait decides which edges can be taken.
    fn require_full(&mut self, full: bool, work: &mut Work) -> Made<()> {
        if let Some(cell) = self.moves.program.hidden.full {
            let flag = self.flag(cell, work)?;
            let flag = if full { flag } else { work.not(flag)? };
            self.require(flag, work)?;
        } else if full {
            self.condition = Bdd::FALSE;
        }
        Ok(())
    }

    // Values.

    fn now(&self, place: Place, work: &mut Work) -> Made<Number> {
        let digits =
            self.digits(place).iter().map(|&bit| work.nodes.bit(level(bit), true)).collect();
        Ok(work.value_of(digits, self.range(place))?)
    }

    fn after(&self, place: Place, work: &mut Work) -> Made<Number> {
        let digits = self
            .digits(place)
            .iter()
            .map(|bit| match self.changes.get(bit) {
                Some(&changed) => changed,
                None => work.nodes.bit(level(*bit), true),
            })
            .collect();
        Ok(work.value_of(digits, self.range(place))?)
    }

    /// The digits of something that is chosen, and where they are those of a value.
    fn chosen(&mut self, range: Range, work: &mut Work) -> Made<(Vec<Bdd>, Bdd)> {
        let kind = usize::from(!is_narrow(range));
        let room = &self.moves.encoding.choices[kind][self.chosen[kind]];
        self.chosen[kind] += 1;
        let positions = room[..digits_of(range)].to_vec();
        let digits: Vec<Bdd> =
            positions.iter().map(|&bit| work.nodes.bit(level(bit), true)).collect();
        self.choices.push((positions, range));
        let known = within(&digits, range, work)?;
        Ok((digits, known))
    }

    fn holds(&mut self, condition: &Expression, work: &mut Work) -> Made<Bdd> {
        let valued = self.value(condition, None, work)?;
        let holds = work.is_true(&valued.number)?;
        Ok(work.and(valued.known, holds)?)
    }

    /// The value of an expression. Where it is only stored in a type that wraps around, its lowest
    /// digits are enough.
    fn value(
        &mut self,
        expression: &Expression,
        stored_in: Option<Range>,
        work: &mut Work,
    ) -> Made<Valued> {
        let wraps =
            |range: &Range| range.overflow == Overflow::Wrap && range.size.is_power_of_two();
        let cut = stored_in.filter(wraps).map(digits_of);
        self.cut_value(expression, cut, work)
    }

    fn cut_value(
        &mut self,
        expression: &Expression,
        cut: Option<usize>,
        work: &mut Work,
    ) -> Made<Valued> {
        let certain = |number| Valued { number, known: Bdd::TRUE };
        Ok(match expression {
            Expression::Constant(value) => certain(Number::constant(*value)),
            Expression::Read(place) => certain(self.now(*place, work)?),
            Expression::ReadAfter(place) => certain(self.after(*place, work)?),
            Expression::ReadElement(array, index) => self.element(*array, index, work)?,
            Expression::Own => certain(Number::constant(
                self.moves.program.threads[self.moves.info.template].identity,
            )),
            Expression::Choice(range) => {
                let (digits, known) = self.chosen(*range, work)?;
                Valued { number: work.value_of(digits, *range)?, known }
            }
            Expression::Not(operand) => {
                let valued = self.value(operand, None, work)?;
                let holds = work.is_true(&valued.number)?;
                Valued { number: Number::truth(work.not(holds)?), known: valued.known }
            }
            Expression::Minus(operand) => {
                let valued = self.cut_value(operand, cut, work)?;
                let number = work.difference(&Number::constant(0), &valued.number, cut)?;
                Valued { number, known: valued.known }
            }
            Expression::Complement(operand) => {
                let valued = self.cut_value(operand, cut, work)?;
                Valued { number: work.complement(&valued.number)?, known: valued.known }
            }
            Expression::Convert(operand, range) => {
                let valued = self.value(operand, Some(*range), work)?;
                let (digits, fits) = work.stored(&valued.number, *range)?;
                Valued {
                    number: work.value_of(digits, *range)?,
                    known: work.and(valued.known, fits)?,
                }
            }
            Expression::Binary(operator, left, right) => {
                self.binary(*operator, left, right, cut, work)?
            }
            Expression::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                let condition = self.value(condition, None, work)?;
                let holds = work.is_true(&condition.number)?;
                let then = self.cut_value(then, cut, work)?;
                let otherwise = self.cut_value(otherwise, cut, work)?;
                let known = work.if_then_else(holds, then.known, otherwise.known)?;
                Valued {
                    number: work.choice(holds, &then.number, &otherwise.number)?,
                    known: work.and(condition.known, known)?,
                }
            }
        })
    }

    fn element(&mut self, array: Array, index: &Expression, work: &mut Work) -> Made<Valued> {
        let index = self.value(index, None, work)?;
        let mut number = Number::constant(0);
        let mut inside = Bdd::FALSE;
        for (place, here) in Self::elements(array, &index.number, work)? {
            let element = self.now(place, work)?;
            number = work.choice(here, &element, &number)?;
            inside = work.or(inside, here)?;
        }
        Ok(Valued { number, known: work.and(index.known, inside)? })
    }

    /// For each element of an array, where an index names it.
    fn elements(array: Array, index: &Number, work: &mut Work) -> Made<Vec<(Place, Bdd)>> {
        let mut found = Vec::new();
        for number in 0..array.length {
            let here = work.equal(index, &Number::constant(Value::from(number)))?;
            if here != Bdd::FALSE {
                found.push((Place { cell: array.first.cell + number, ..array.first }, here));
            }
        }
        Ok(found)
    }

    fn binary(
        &mut self,
        operator: Operator,
        left: &Expression,
        right: &Expression,
        cut: Option<usize>,
        work: &mut Work,
    ) -> Made<Valued> {
        // These look at no digits above those that are asked for.
        let of_low_digits = matches!(
            operator,
            Operator::Add
                | Operator::Subtract
                | Operator::Multiply
                | Operator::BitAnd
                | Operator::BitOr
                | Operator::BitXor
        );
        let inner = cut.filter(|_| of_low_digits);
        let left =
            self.cut_value(left, if operator == Operator::ShiftLeft { cut } else { inner }, work)?;
        let right = self.cut_value(right, inner, work)?;
        let (l, r) = (&left.number, &right.number);
        let both = work.and(left.known, right.known)?;
        let (number, known) = match operator {
            Operator::And | Operator::Or | Operator::Implies => {
                let (l, r) = (work.is_true(l)?, work.is_true(r)?);
                // The right operand is evaluated only where the left one does not decide.
                let decides = if operator == Operator::Or { l } else { work.not(l)? };
                let or_known = work.or(decides, right.known)?;
                let truth = match operator {
                    Operator::And => work.and(l, r)?,
                    Operator::Or => work.or(l, r)?,
                    _ => work.if_then_else(l, r, Bdd::TRUE)?,
                };
                (Number::truth(truth), work.and(left.known, or_known)?)
            }
            Operator::Xor => {
                let (l, r) = (work.is_true(l)?, work.is_true(r)?);
                (Number::truth(work.xor(l, r)?), both)
            }
            Operator::Equal => (Number::truth(work.equal(l, r)?), both),
            Operator::NotEqual => {
                let equal = work.equal(l, r)?;
                (Number::truth(work.not(equal)?), both)
            }
            Operator::Less => (Number::truth(work.less(l, r)?), both),
            Operator::Greater => (Number::truth(work.less(r, l)?), both),
            Operator::LessOrEqual => {
                let greater = work.less(r, l)?;
                (Number::truth(work.not(greater)?), both)
            }
            Operator::GreaterOrEqual => {
                let less = work.less(l, r)?;
                (Number::truth(work.not(less)?), both)
            }
            Operator::Add => (work.sum(l, r, cut)?, both),
            Operator::Subtract => (work.difference(l, r, cut)?, both),
            Operator::Multiply => (work.product(l, r, cut)?, both),
            Operator::Divide | Operator::Remainder => {
                let (quotient, remainder) = work.quotient(l, r)?;
                let is_allowed = work.is_true(r)?;
                let number = if operator == Operator::Divide { quotient } else { remainder };
                (number, work.and(both, is_allowed)?)
            }
            Operator::BitAnd => (work.digitwise(l, r, Work::and)?, both),
            Operator::BitOr => (work.digitwise(l, r, Work::or)?, both),
            Operator::BitXor => (work.digitwise(l, r, Work::xor)?, both),
            Operator::ShiftLeft | Operator::ShiftRight => {
                let is_negative = work.less(r, &Number::constant(0))?;
                let is_large = work.less(&Number::constant(63), r)?;
                let is_refused = work.or(is_negative, is_large)?;
                let number = work.shifted(
                    l,
                    r,
                    operator == Operator::ShiftLeft,
                    cut.filter(|_| operator == Operator::ShiftLeft),
                )?;
                (number, work.without(both, is_refused)?)
            }
        };
        Ok(Valued { number, known })
    }

    // What is stored.

    /// The digits of a value in a type; it is required that it can be stored.
    fn kept(&mut self, valued: &Valued, range: Range, work: &mut Work) -> Made<Vec<Bdd>> {
        let (digits, fits) = work.stored(&valued.number, range)?;
        self.require(valued.known, work)?;
        self.require(fits, work)?;
        Ok(digits)
    }

    fn stored(&mut self, from: &Source, range: Range, work: &mut Work) -> Made<Vec<Bdd>> {
        match from {
            Source::Later => {
                let (digits, known) = self.chosen(range, work)?;
                self.require(known, work)?;
                Ok(digits)
            }
            Source::Now(value) => {
                let valued = self.value(value, Some(range), work)?;
                self.kept(&valued, range, work)
            }
        }
    }

    /// What an assignment makes of which places, and where it does not block.
    fn assigned(
        &mut self,
        to: &Destination,
        from: &Source,
        work: &mut Work,
    ) -> Made<(Writes, Bdd)> {
        let (places, first, known) = self.places(to, work)?;
        let digits = self.stored(from, self.range(first), work)?;
        let write = |(place, here)| (place, here, digits.clone());
        Ok((places.into_iter().map(write).collect(), known))
    }

    fn places(&mut self, to: &Destination, work: &mut Work) -> Made<Places> {
        match to {
            Destination::Scalar(place) => Ok((vec![(*place, Bdd::TRUE)], *place, Bdd::TRUE)),
            Destination::Element(array, index) => {
                let index = self.value(index, None, work)?;
                let places = Self::elements(*array, &index.number, work)?;
                let mut inside = Bdd::FALSE;
                for &(_, here) in &places {
                    inside = work.or(inside, here)?;
                }
                Ok((places, array.first, work.and(index.known, inside)?))
            }
        }
    }

    /// Change bits where a place is assigned; elsewhere they stay.
    fn write(&mut self, writes: Writes, work: &mut Work) -> Made<()> {
        for (place, here, digits) in writes {
            for (&bit, digit) in self.digits(place).iter().zip(digits) {
                let old = match self.changes.get(&bit) {
                    Some(&changed) => changed,
                    None => work.nodes.bit(level(bit), true),
                };
                let new = work.if_then_else(here, digit, old)?;
                self.changes.insert(bit, new);
            }
        }
        Ok(())
    }

    fn set_shared(&mut self, cell: u32, digits: Vec<Bdd>) {
        self.changes.extend(self.moves.encoding.shared[cell as usize].iter().copied().zip(digits));
    }

    /// The results are stored as they are: there is room for those of every procedure.
    fn give_back(&mut self, values: &[Expression], work: &mut Work) -> Made<()> {
        let Some(full) = self.moves.program.hidden.full.filter(|_| !values.is_empty()) else {
            return Ok(());
        };
        self.set_shared(full, vec![Bdd::TRUE]);
        for (number, value) in values.iter().enumerate() {
            let range = self.code.results[number];
            let given = self.value(value, Some(range), work)?;
            let digits = self.kept(&given, range, work)?;
            let result = work.value_of(digits, range)?;
            let cell = full + 1 + number as u32;
            let (digits, _) = work.stored(&result, self.moves.program.cells[cell as usize])?;
            self.set_shared(cell, digits);
        }
        Ok(())
    }

    fn receive(&mut self, targets: &[Option<Destination>], work: &mut Work) -> Made<()> {
        let program = self.moves.program;
        let Some(full) = program.hidden.full else { return Ok(()) };
        let mut writes = Vec::new();
        for (number, target) in targets.iter().enumerate() {
            let Some(target) = target else { continue };
            let cell = full + 1 + number as u32;
            let result = self.now(Place { global: true, cell }, work)?;
            let (places, first, known) = self.places(target, work)?;
            let valued = Valued { number: result, known };
            let digits = self.kept(&valued, self.range(first), work)?;
            writes.extend(places.into_iter().map(|(place, here)| (place, here, digits.clone())));
        }
        self.write(writes, work)?;
        self.set_shared(full, vec![Bdd::FALSE]);
        for cell in full + 1..=full + program.hidden.results {
            let (range, initial) = (program.cells[cell as usize], program.initial[cell as usize]);
            let (digits, _) = work.stored(&Number::constant(initial), range)?;
            self.set_shared(cell, digits);
        }
        Ok(())
    }

    fn violate(mut self, violation: Point) -> Effects {
        if let Some(halted) = self.moves.program.hidden.halted {
            self.set_shared(halted, vec![Bdd::TRUE]);
        }
        let shape = self.moves.shape;
        let first = shape.outer.map_or(self.depth, |outer| outer as usize);
        for depth in first..=self.depth {
            self.free_frame(depth);
        }
        let mut points = shape.points[..first].to_vec();
        points.push(violation);
        self.finish(Shape { outer: None, points })
    }

    // Frames.

    /// A new frame, with the values that some cells are given.
    fn enter(
        &mut self,
        procedure: u32,
        location: u32,
        given: &[(u32, Vec<Bdd>)],
        work: &mut Work,
    ) -> Made<()> {
        let program = self.moves.program;
        let code = &program.procedures[procedure as usize];
        let depths = &self.moves.encoding.frames[self.moves.thread];
        let Some(frame) = depths.get(self.callee_depth) else {
            return Err(Stop::Refused(format!(
                "a stack of it is deeper than {} frames",
                depths.len()
            )));
        };
        for (cell, &range) in code.cells.iter().enumerate() {
            let digits = &frame[cell][..digits_of(range)];
            if !code.locations[location as usize].live[cell] {
                self.freed.extend(&frame[cell]);
                continue;
            }
            let values = match given.iter().find(|(other, _)| *other as usize == cell) {
                Some((_, values)) => values.clone(),
                None if code.initial[cell] == NO_VALUE => {
                    self.freed.extend(digits);
                    let bits: Vec<Bdd> =
                        digits.iter().map(|&bit| work.nodes.bit(level(bit), true)).collect();
                    let known = within(&bits, range, work)?;
                    self.afterwards = work.and(self.afterwards, known)?;
                    let (cell, digits) = (cell as u32, digits.to_vec());
                    self.fresh.push(Fresh { procedure, cell, digits, range });
                    continue;
                }
                None => work.stored(&Number::constant(code.initial[cell]), range)?.0,
            };
            for (bit, value) in digits.iter().zip(values) {
                self.freed.remove(bit);
                self.changes.insert(*bit, value);
            }
        }
        Ok(())
    }

    fn free_frame(&mut self, depth: usize) {
        let cells = &self.moves.encoding.frames[self.moves.thread][depth];
        self.freed.extend(cells.iter().flatten());
    }

    /// Values that are never read again do not matter any more.
    fn forget_dead(&mut self, location: u32) {
        let frame = &self.moves.encoding.frames[self.moves.thread][self.depth];
        let live = &self.code.locations[location as usize].live;
        for (digits, _) in frame.iter().zip(live).filter(|(_, live)| !**live) {
            self.freed.extend(digits);
        }
    }
}

/// There is a variant for each element of an array that may be written, up to this many together.
const MOST_VARIANTS: usize = 128;

/// Ways to take an edge after an assignment. What happens to one element of an array is a much smaller
/// relation than what happens to any of them, so there is a way for each.
fn written<'m, 'p>(
    variants: Vec<Taking<'m, 'p>>,
    writes: &Writes,
    known: Bdd,
    work: &mut Work,
) -> Made<Vec<Taking<'m, 'p>>> {
    let splits = writes.len() > 1 && variants.len() * writes.len() <= MOST_VARIANTS;
    let mut found = Vec::new();
    for mut variant in variants {
        variant.require(known, work)?;
        if !splits {
            variant.write(writes.clone(), work)?;
            found.push(variant);
            continue;
        }
        for (place, here, digits) in writes {
            let mut there = variant.clone();
            there.require(*here, work)?;
            there.write(vec![(*place, Bdd::TRUE, digits.clone())], work)?;
            found.push(there);
        }
    }
    Ok(found)
}

/// Where digits are those of a value of a type.
pub fn within(digits: &[Bdd], range: Range, work: &mut Work) -> Made<Bdd> {
    if range.size.is_power_of_two() {
        return Ok(Bdd::TRUE);
    }
    let number = Number::of_digits(digits.to_vec());
    Ok(work.less(&number, &Number::constant(range.size.cast_signed()))?)
}
