//! What expressions evaluate to, as functions of bits, and where their evaluation does not block.

use super::encoding::{is_narrow, level};
use super::nodes::{Bdd, Work};
use super::numbers::{Number, digits_of};
use super::stop::Stop;
use super::taking::{Taking, within};
use crate::program::expression::{Array, Expression, Operator};
use crate::program::{Overflow, Place, Range, Value};

type Made<T> = Result<T, Stop>;

/// A value, and where its evaluation does not block.
pub(super) struct Valued {
    pub(super) number: Number,
    pub(super) known: Bdd,
}

impl Taking<'_, '_> {
    pub(super) fn now(&self, place: Place, work: &mut Work) -> Made<Number> {
        let digits =
            self.digits(place).iter().map(|&bit| self.moves.given.bit(bit, work.nodes)).collect();
        Ok(work.value_of(digits, self.range(place))?)
    }

    pub(super) fn after(&self, place: Place, work: &mut Work) -> Made<Number> {
        let digits = self.digits(place).iter().map(|&bit| self.becomes(bit, work)).collect();
        Ok(work.value_of(digits, self.range(place))?)
    }

    /// The digits of something that is chosen, and where they are those of a value.
    pub(super) fn chosen(&mut self, range: Range, work: &mut Work) -> Made<(Vec<Bdd>, Bdd)> {
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

    pub(super) fn holds(&mut self, condition: &Expression, work: &mut Work) -> Made<Bdd> {
        let valued = self.value(condition, None, work)?;
        let holds = work.is_true(&valued.number)?;
        Ok(work.and(valued.known, holds)?)
    }

    /// The value of an expression. Where it is only stored in a type that wraps around, its lowest
    /// digits are enough.
    pub(super) fn value(
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
    pub(super) fn elements(
        array: Array,
        index: &Number,
        work: &mut Work,
    ) -> Made<Vec<(Place, Bdd)>> {
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
}
