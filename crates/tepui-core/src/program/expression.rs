//! Expressions of programs, and their evaluation with all choices.
//!
//! An evaluation makes choices: at `Choice`, and when it reads a variable that has no value yet,
//! which thereby gets one, and so does whoever has the same value. They are kept on a [`Tape`]; running the evaluation again and again while
//! the tape counts through all sequences of choices gives every possible outcome.

use std::borrow::Cow;

use super::learned::Footprint;
use super::unknown::{decide, normalise, number, same_as, same_cell, unread_cell};
use super::{Env, LOWEST, NO_VALUE, Place, Range, Value};

/// An expression, as a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A number.
    Constant(Value),
    /// The value of a scalar before the step.
    Read(Place),
    /// The value of a scalar after the step.
    ReadAfter(Place),
    /// The value of an element of an array, before the step.
    ReadElement(Array, Box<Expression>),
    /// The identity of the running thread.
    Own,
    /// Any value of a range.
    Choice(Range),
    /// 1 for 0, 0 for everything else.
    Not(Box<Expression>),
    /// The negated number.
    Minus(Box<Expression>),
    /// The number with each of its bits negated.
    Complement(Box<Expression>),
    /// What a scalar of some range would hold.
    Convert(Box<Expression>, Range),
    /// Two operands.
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// The second operand if the first is not 0, else the third.
    Conditional(Box<[Expression; 3]>),
}

/// The scalars of an array lie side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array {
    /// Element 0.
    pub first: Place,
    /// How many elements there are.
    pub length: u32,
}

impl Array {
    /// An element, if there is one with this index.
    pub fn element(self, index: Value) -> Option<Place> {
        let index = u32::try_from(index).ok().filter(|&index| index < self.length)?;
        Some(Place { cell: self.first.cell + index, ..self.first })
    }
}

/// What a binary expression does with its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Operator {
    And,
    Or,
    Implies,
    Xor,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
}

impl Operator {
    /// For a comparison, whether it holds between a value and itself.
    fn with_itself(self) -> Option<bool> {
        match self {
            Self::Equal | Self::LessOrEqual | Self::GreaterOrEqual => Some(true),
            Self::NotEqual | Self::Less | Self::Greater => Some(false),
            _ => None,
        }
    }
}

impl Expression {
    /// Whether it may have the value of a variable as it is.
    fn may_be_read(&self) -> bool {
        match self {
            Self::Read(_) | Self::ReadAfter(_) | Self::ReadElement(..) => true,
            Self::Conditional(parts) => parts[1..].iter().any(Self::may_be_read),
            _ => false,
        }
    }
}

/// The value of an expression, or where the variable is that has it.
#[derive(Clone, Copy)]
enum Found {
    Value(Value),
    /// Before the step.
    At(Place),
    /// After the step.
    After(Place),
}

/// A value that nobody knows yet.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Unknown {
    /// Whether it is in the shared state.
    global: bool,
    /// The sign of those who have it.
    number: Value,
    /// Whether the step has chosen it anew for a scalar.
    new: bool,
}

/// A shift by more than this blocks.
const MOST_SHIFTED: u32 = 63;

/// A sequence of choices, and the next one after it.
#[derive(Debug, Default)]
pub struct Tape {
    choices: Vec<Chosen>,
    next: usize,
}

/// A choice that was made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    /// The number of what was chosen.
    number: u128,
    /// Among how many.
    pub count: u128,
    /// The variable that got a value by it.
    pub place: Option<Place>,
}

impl Tape {
    /// Choose one of `count`.
    fn choose(&mut self, count: u128, place: Option<Place>) -> u128 {
        if self.next == self.choices.len() {
            self.choices.push(Chosen { number: 0, count, place });
        }
        self.next += 1;
        self.choices[self.next - 1].number
    }

    /// The choice among the most.
    pub(super) fn widest(&self) -> Option<Chosen> {
        self.choices.iter().copied().max_by_key(|chosen| chosen.count)
    }

    /// Go to the next sequence of choices; false if this was the last one.
    pub fn advance(&mut self) -> bool {
        self.next = 0;
        while let Some(last) = self.choices.last_mut() {
            last.number += 1;
            if last.number < last.count {
                return true;
            }
            self.choices.pop();
        }
        false
    }
}

/// The evaluation of one edge, along one sequence of choices.
pub struct Evaluation<'a> {
    /// The values before the step; those that were read have been decided.
    before: Cow<'a, Env>,
    /// The values after the step, once they are assigned.
    after: Option<Env>,
    assigned: Vec<Place>,
    ranges: Ranges<'a>,
    /// Whether scalars without a value may have the same.
    shares: bool,
    tape: &'a mut Tape,
    /// The variable that blocked the evaluation, because it must not be read.
    pub unread: Option<Place>,
}

/// The ranges of the variables in sight.
#[derive(Clone, Copy)]
pub struct Ranges<'a> {
    /// Those of the shared state.
    pub globals: &'a [Range],
    /// Those of the frame.
    pub locals: &'a [Range],
    /// What is touched of the shared state is noted there.
    pub footprint: &'a Footprint,
}

impl Ranges<'_> {
    fn touch(&self, place: Place) {
        if place.global {
            self.footprint.touch(place.cell);
        }
    }

    fn of(&self, place: Place) -> Range {
        let ranges = if place.global { self.globals } else { self.locals };
        ranges[place.cell as usize]
    }
}

impl<'a> Evaluation<'a> {
    /// An evaluation that starts with these values.
    pub fn new(before: &'a Env, ranges: Ranges<'a>, shares: bool, tape: &'a mut Tape) -> Self {
        Self {
            before: Cow::Borrowed(before),
            after: None,
            assigned: Vec::new(),
            ranges,
            shares,
            tape,
            unread: None,
        }
    }

    /// Whether a condition holds; None if its evaluation blocks.
    pub fn holds(&mut self, condition: &Expression) -> Option<bool> {
        Some(self.value(condition)? != 0)
    }

    /// The value of an expression; None if its evaluation blocks.
    pub fn value(&mut self, expression: &Expression) -> Option<Value> {
        Some(match expression {
            Expression::Constant(value) => *value,
            Expression::Read(place) => self.read(*place)?,
            Expression::ReadAfter(place) => self.read_after(*place)?,
            Expression::ReadElement(array, index) => {
                let index = self.value(index)?;
                self.read(array.element(index)?)?
            }
            Expression::Own => self.before.own,
            Expression::Choice(range) => self.choose(*range, None),
            Expression::Not(operand) => Value::from(!self.holds(operand)?),
            Expression::Minus(operand) => self.value(operand)?.wrapping_neg(),
            Expression::Complement(operand) => !self.value(operand)?,
            Expression::Convert(operand, range) => range.store(self.value(operand)?)?,
            Expression::Binary(operator, left, right) => self.binary(*operator, left, right)?,
            Expression::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                let chosen = if self.holds(condition)? { then } else { otherwise };
                self.value(chosen)?
            }
        })
    }

    /// What a scalar gets from an expression; None if that blocks. A copy of one that has no value
    /// yet gets the same.
    pub fn given(&mut self, expression: &Expression, to: Place) -> Option<Value> {
        let range = self.ranges.of(to);
        if !self.shares {
            return range.store(self.value(expression)?);
        }
        let found = self.find(expression)?;
        if let Found::At(from) = found
            && from.global == to.global
            && self.ranges.of(from).has_values_of(range)
            && let Some(unknown) = self.unknown(found)
        {
            return Some(unknown.number);
        }
        range.store(self.take(found)?)
    }

    /// What is in a hidden scalar of the shared state for the result of a call.
    pub fn result(&self, cell: u32) -> Value {
        self.ranges.footprint.touch(cell);
        self.before.globals[cell as usize]
    }

    /// Assign all at once; the values after the step are those before it, except for these.
    pub fn assign(&mut self, values: Vec<(Place, Value)>) {
        let mut after = self.before.clone().into_owned();
        if self.shares {
            number(&mut after.globals);
            number(&mut after.locals);
        }
        for &(place, value) in &values {
            self.ranges.touch(place);
            after.set(place, if self.shares { self.known(place, value) } else { value });
        }
        self.assigned = values.into_iter().map(|(place, _)| place).collect();
        self.after = Some(after);
    }

    /// What a scalar gets: a value that was copied may have been read since.
    fn known(&self, to: Place, value: Value) -> Value {
        let copied = same_cell(value).map(|cell| self.before.get(Place { cell, ..to }));
        copied.filter(|&known| known >= LOWEST).unwrap_or(value)
    }

    /// The values after the step; those before it, if nothing was assigned.
    pub fn finish(self) -> Env {
        let Some(mut after) = self.after else { return self.before.into_owned() };
        if self.shares {
            normalise(&mut after.globals);
            normalise(&mut after.locals);
        }
        after
    }

    /// Arithmetic wraps around at 128 bits: Python makes sure that this happens only where the
    /// result is converted to a range that wraps around at a smaller power of two.
    fn binary(
        &mut self,
        operator: Operator,
        left: &Expression,
        right: &Expression,
    ) -> Option<Value> {
        let (left, right) = match operator.with_itself() {
            Some(itself) if left.may_be_read() && right.may_be_read() => {
                let (left, right) = (self.find(left)?, self.find(right)?);
                if self.is_same(left, right) {
                    return Some(Value::from(itself));
                }
                (self.take(left)?, self.take(right)?)
            }
            _ => {
                let left = self.value(left)?;
                match operator {
                    Operator::And if left == 0 => return Some(0),
                    Operator::Or if left != 0 => return Some(1),
                    Operator::Implies if left == 0 => return Some(1),
                    _ => (left, self.value(right)?),
                }
            }
        };
        let truth = match operator {
            Operator::And | Operator::Or | Operator::Implies => right != 0,
            Operator::Xor => (left != 0) != (right != 0),
            Operator::Equal => left == right,
            Operator::NotEqual => left != right,
            Operator::Less => left < right,
            Operator::LessOrEqual => left <= right,
            Operator::Greater => left > right,
            Operator::GreaterOrEqual => left >= right,
            Operator::Add => return Some(left.wrapping_add(right)),
            Operator::Subtract => return Some(left.wrapping_sub(right)),
            Operator::Multiply => return Some(left.wrapping_mul(right)),
            Operator::Divide => return left.checked_div(right),
            Operator::Remainder => return left.checked_rem(right),
            Operator::BitAnd => return Some(left & right),
            Operator::BitOr => return Some(left | right),
            Operator::BitXor => return Some(left ^ right),
            Operator::ShiftLeft => return Some(left << shifted(right)?),
            Operator::ShiftRight => return Some(left >> shifted(right)?),
        };
        Some(Value::from(truth))
    }

    /// Whether two variables have the same value, which nobody knows yet.
    fn is_same(&self, left: Found, right: Found) -> bool {
        let unknown = self.unknown(left);
        unknown.is_some() && unknown == self.unknown(right)
    }

    /// The value of an expression, where a variable is not read yet; None if this blocks.
    fn find(&mut self, expression: &Expression) -> Option<Found> {
        Some(match expression {
            Expression::Read(place) => Found::At(*place),
            Expression::ReadAfter(place) => Found::After(*place),
            Expression::ReadElement(array, index) => {
                let index = self.value(index)?;
                Found::At(array.element(index)?)
            }
            Expression::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                let chosen = if self.holds(condition)? { then } else { otherwise };
                self.find(chosen)?
            }
            _ => Found::Value(self.value(expression)?),
        })
    }

    /// The value of what was found.
    fn take(&mut self, found: Found) -> Option<Value> {
        match found {
            Found::Value(value) => Some(value),
            Found::At(place) => self.read(place),
            Found::After(place) => self.read_after(place),
        }
    }

    /// Which value was found, if nobody knows it yet.
    fn unknown(&self, found: Found) -> Option<Unknown> {
        let (place, assigned) = match found {
            Found::Value(_) => return None,
            Found::At(place) => (place, None),
            Found::After(place) => {
                (place, self.after.as_ref().filter(|_| self.assigned.contains(&place)))
            }
        };
        self.ranges.touch(place);
        let value = assigned.map_or(&*self.before, |after| after).get(place);
        if value >= LOWEST || !self.ranges.of(place).is_worth_sharing() {
            return None;
        }
        let is_alone = value == NO_VALUE;
        Some(Unknown {
            global: place.global,
            number: if is_alone { same_as(place.cell) } else { value },
            new: is_alone && assigned.is_some(),
        })
    }

    fn read(&mut self, place: Place) -> Option<Value> {
        self.ranges.touch(place);
        let value = self.before.get(place);
        if value >= LOWEST {
            return Some(value);
        }
        if let Some(cell) = unread_cell(value) {
            self.unread = Some(Place { cell, ..place });
            return None;
        }
        let chosen = self.choose(self.ranges.of(place), Some(place));
        if self.shares {
            let first = same_cell(value).unwrap_or(place.cell);
            self.before.to_mut().set(Place { cell: first, ..place }, chosen);
            decide(self.before.to_mut().beside(place), same_as(first), chosen);
            if let Some(after) = &mut self.after {
                decide(after.beside(place), same_as(first), chosen);
            }
            return Some(chosen);
        }
        self.before.to_mut().set(place, chosen);
        if !self.assigned.contains(&place)
            && let Some(after) = &mut self.after
        {
            after.set(place, chosen);
        }
        Some(chosen)
    }

    fn read_after(&mut self, place: Place) -> Option<Value> {
        if !self.assigned.contains(&place) {
            return self.read(place);
        }
        let value = self.after.as_ref().expect("something was assigned").get(place);
        if value >= LOWEST {
            return Some(value);
        }
        if let Some(cell) = unread_cell(value) {
            self.unread = Some(Place { cell, ..place });
            return None;
        }
        if let Some(cell) = same_cell(value) {
            return self.read(Place { cell, ..place }); // It is a copy.
        }
        let chosen = self.choose(self.ranges.of(place), Some(place));
        self.after.as_mut().expect("something was assigned").set(place, chosen);
        Some(chosen)
    }

    fn choose(&mut self, range: Range, place: Option<Place>) -> Value {
        range.value(self.tape.choose(range.size, place))
    }
}

/// By how many digits to shift, if that many are allowed.
fn shifted(by: Value) -> Option<u32> {
    u32::try_from(by).ok().filter(|&by| by <= MOST_SHIFTED)
}
