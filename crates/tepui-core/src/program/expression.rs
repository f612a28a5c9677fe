//! Expressions of programs, and their evaluation with all choices.
//!
//! An evaluation makes choices: at `Choice`, and when it reads a variable that has no value yet,
//! which thereby gets one. They are kept on a [`Tape`]; running the evaluation again and again while
//! the tape counts through all sequences of choices gives every possible outcome.

use super::{Env, NO_VALUE, Place, Range, UNREAD, Value};

/// An expression, as a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A number.
    Constant(i64),
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
    pub fn element(self, index: i64) -> Option<Place> {
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
}

/// A sequence of choices, and the next one after it.
#[derive(Debug, Default)]
pub struct Tape {
    /// What was chosen, and among how many.
    choices: Vec<(u32, u32)>,
    next: usize,
}

impl Tape {
    /// Choose one of `count`.
    fn choose(&mut self, count: u32) -> u32 {
        if self.next == self.choices.len() {
            self.choices.push((0, count));
        }
        self.next += 1;
        self.choices[self.next - 1].0
    }

    /// Go to the next sequence of choices; false if this was the last one.
    pub fn advance(&mut self) -> bool {
        self.next = 0;
        while let Some((choice, count)) = self.choices.pop() {
            if choice + 1 < count {
                self.choices.push((choice + 1, count));
                return true;
            }
        }
        false
    }
}

/// The evaluation of one edge, along one sequence of choices.
pub struct Evaluation<'a> {
    /// The values before the step; those that were read have been decided.
    pub before: Env,
    /// The values after the step, once they are assigned.
    after: Option<Env>,
    assigned: Vec<Place>,
    ranges: Ranges<'a>,
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
}

impl Ranges<'_> {
    fn of(&self, place: Place) -> Range {
        let ranges = if place.global { self.globals } else { self.locals };
        ranges[place.cell as usize]
    }
}

impl<'a> Evaluation<'a> {
    /// An evaluation that starts with these values.
    pub fn new(before: Env, ranges: Ranges<'a>, tape: &'a mut Tape) -> Self {
        Self { before, after: None, assigned: Vec::new(), ranges, tape, unread: None }
    }

    /// Whether a condition holds; None if its evaluation blocks.
    pub fn holds(&mut self, condition: &Expression) -> Option<bool> {
        Some(self.value(condition)? != 0)
    }

    /// The value of an expression; None if its evaluation blocks.
    pub fn value(&mut self, expression: &Expression) -> Option<i64> {
        Some(match expression {
            Expression::Constant(value) => *value,
            Expression::Read(place) => self.read(*place)?,
            Expression::ReadAfter(place) => self.read_after(*place)?,
            Expression::ReadElement(array, index) => {
                let index = self.value(index)?;
                self.read(array.element(index)?)?
            }
            Expression::Own => i64::from(self.before.own),
            Expression::Choice(range) => self.choose(*range),
            Expression::Not(operand) => i64::from(!self.holds(operand)?),
            Expression::Minus(operand) => self.value(operand)?.saturating_neg(),
            Expression::Binary(operator, left, right) => self.binary(*operator, left, right)?,
            Expression::Conditional(parts) => {
                let [condition, then, otherwise] = &**parts;
                let chosen = if self.holds(condition)? { then } else { otherwise };
                self.value(chosen)?
            }
        })
    }

    /// Assign all at once; the values after the step are those before it, except for these.
    pub fn assign(&mut self, values: Vec<(Place, Value)>) {
        let mut after = self.before.clone();
        for &(place, value) in &values {
            after.set(place, value);
        }
        self.assigned = values.into_iter().map(|(place, _)| place).collect();
        self.after = Some(after);
    }

    /// The values after the step; those before it, if nothing was assigned.
    pub fn finish(self) -> Env {
        self.after.unwrap_or(self.before)
    }

    fn binary(&mut self, operator: Operator, left: &Expression, right: &Expression) -> Option<i64> {
        let left = self.value(left)?;
        match operator {
            Operator::And if left == 0 => return Some(0),
            Operator::Or if left != 0 => return Some(1),
            Operator::Implies if left == 0 => return Some(1),
            _ => (),
        }
        let right = self.value(right)?;
        let truth = match operator {
            Operator::And | Operator::Or | Operator::Implies => right != 0,
            Operator::Xor => (left != 0) != (right != 0),
            Operator::Equal => left == right,
            Operator::NotEqual => left != right,
            Operator::Less => left < right,
            Operator::LessOrEqual => left <= right,
            Operator::Greater => left > right,
            Operator::GreaterOrEqual => left >= right,
            Operator::Add => return Some(left.saturating_add(right)),
            Operator::Subtract => return Some(left.saturating_sub(right)),
            Operator::Multiply => return Some(left.saturating_mul(right)),
        };
        Some(i64::from(truth))
    }

    fn read(&mut self, place: Place) -> Option<i64> {
        let value = self.before.get(place);
        if value == UNREAD {
            self.unread = Some(place);
            return None;
        }
        if value != NO_VALUE {
            return Some(i64::from(value));
        }
        let value = self.choose(self.ranges.of(place));
        self.before.set(place, value as Value);
        if !self.assigned.contains(&place)
            && let Some(after) = &mut self.after
        {
            after.set(place, value as Value);
        }
        Some(value)
    }

    fn read_after(&mut self, place: Place) -> Option<i64> {
        if !self.assigned.contains(&place) {
            return self.read(place);
        }
        let after = self.after.as_mut().expect("something was assigned");
        let value = after.get(place);
        if value != NO_VALUE {
            return Some(i64::from(value));
        }
        let value = self.choose(self.ranges.of(place));
        self.after.as_mut().expect("something was assigned").set(place, value as Value);
        Some(value)
    }

    fn choose(&mut self, range: Range) -> i64 {
        i64::from(range.low) + i64::from(self.tape.choose(range.size))
    }
}
