//! What expressions evaluate to: the lowest layer of the meaning (`semantics/evaluation.py`).
//!
//! Everything with several possible outcomes hands them on, one after the other: an outcome is a
//! value and the store after it, because reading a variable that has no value decides one. A copy
//! is not such a reading, nor is a comparison of such a value with itself.

use super::values::Value;
use super::{Binary, Cell, Expression, Target, Type, Unary};
use crate::{Patience, Problem};

/// A shift by more than this blocks.
const MOST_SHIFTED: i128 = 63;

/// Why there is no answer about a step.
pub(crate) enum Stop {
    /// What a thread can do depends on the scalar that was at an address.
    Depends(usize),
    /// What it does depends on what a place of the shared state had before the step.
    Reads(u32),
    Problem(Problem),
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// An answer about a step, or why there is none.
pub(crate) type Stepped<T> = Result<T, Stop>;

/// The scalars before a step, and what the step has written so far, in order. What is done to it
/// for one outcome is undone before the next.
pub(crate) struct Store {
    pub(crate) values: Vec<Value>,
    pub(crate) written: Vec<(usize, Value)>,
    /// The identity of the thread that takes the step.
    pub(crate) own: i128,
}

impl Store {
    /// Write some scalars, and go on.
    pub(crate) fn writing(
        &mut self,
        writes: impl IntoIterator<Item = (usize, Value)>,
        then: impl FnOnce(&mut Self) -> Stepped<()>,
    ) -> Stepped<()> {
        let before = self.written.len();
        self.written.extend(writes);
        then(self)?;
        self.written.truncate(before);
        Ok(())
    }

    /// Go on with each of some values for an unknown one: whoever has it gets it.
    fn deciding(
        &mut self,
        unknown: Value,
        choices: impl Iterator<Item = i128>,
        mut then: impl FnMut(i128, &mut Self) -> Stepped<()>,
    ) -> Stepped<()> {
        let holds = |value: &Value| *value == unknown;
        let places: Vec<usize> =
            (0..self.values.len()).filter(|&place| holds(&self.values[place])).collect();
        let writes: Vec<usize> =
            (0..self.written.len()).filter(|&place| holds(&self.written[place].1)).collect();
        let set = |store: &mut Self, value: Value| {
            for &place in &places {
                store.values[place] = value;
            }
            for &place in &writes {
                store.written[place].1 = value;
            }
        };
        for choice in choices {
            set(self, value_of(choice)?);
            then(choice, self)?;
        }
        set(self, unknown);
        Ok(())
    }

    /// The scalars of the shared state after the step, `shared` of them, and those of
    /// the frame. The last of several writes counts.
    pub(crate) fn result(&self, shared: usize) -> (Vec<Value>, Vec<Value>) {
        let (before, after) = self.values.split_at(shared);
        let (mut globals, mut locals) = (before.to_vec(), after.to_vec());
        for &(address, value) in &self.written {
            match address.checked_sub(shared) {
                None => globals[address] = value,
                Some(local) => locals[local] = value,
            }
        }
        (globals, locals)
    }
}

/// What a scalar holds after a value was stored; None if it cannot be stored.
pub(crate) fn stored(scalar: &Type, value: i128) -> Stepped<Option<i128>> {
    if value.checked_sub(scalar.low).is_none() {
        return Err(too_large());
    }
    Ok(scalar.stored(value))
}

/// A value that is looked at. Whoever looks at one that was before the step gets no answer.
pub(crate) fn seen(value: Value) -> Stepped<Value> {
    if let Value::Before(place) = value { Err(Stop::Reads(place)) } else { Ok(value) }
}

/// A number as variables have it.
pub(crate) fn value_of(number: i128) -> Stepped<Value> {
    Value::of(number).ok_or_else(too_large)
}

/// A value, or where one is and whether it is read after the step.
#[derive(Clone, Copy)]
enum Found {
    Value(i128),
    Place { address: usize, after: bool },
}

/// What to do with each outcome.
pub(crate) type Then<'a, T> = &'a mut dyn FnMut(T, &mut Store) -> Stepped<()>;

/// Evaluates the expressions of one procedure.
#[derive(Clone, Copy)]
pub(crate) struct Evaluation<'a> {
    /// The scalars of the shared state, and those of the frame.
    pub(crate) cells: (&'a [Cell], &'a [Cell]),
    pub(crate) patience: &'a Patience<'a>,
}

impl Evaluation<'_> {
    /// All values of an expression, each with the store in which it has this value.
    pub(crate) fn outcomes(
        self,
        expression: &Expression,
        store: &mut Store,
        then: Then<'_, i128>,
    ) -> Stepped<()> {
        match expression {
            Expression::Constant(value) => then(*value, store),
            Expression::Own => then(store.own, store),
            Expression::Choice(scalar) => scalar.values().try_for_each(|value| {
                self.patience.spend(1)?;
                then(value, store)
            }),
            Expression::Read { .. } | Expression::Element { .. } | Expression::Conditional(_) => {
                self.find(expression, store, &mut |found, after| self.read(found, after, then))
            }
            Expression::Unary(operator, operand) => {
                self.outcomes(operand, store, &mut |value, after| {
                    then(unary(*operator, value)?, after)
                })
            }
            Expression::Binary(operator, left, right) if is_comparison(*operator) => {
                self.compare(*operator, left, right, store, then)
            }
            Expression::Binary(operator, left, right) => {
                self.outcomes(left, store, &mut |left, after_left| {
                    if let Some(known) = known_by_left(*operator, left) {
                        return then(known, after_left);
                    }
                    self.outcomes(right, after_left, &mut |right, after| match binary(
                        *operator, left, right,
                    )? {
                        Some(value) => then(value, after),
                        None => Ok(()),
                    })
                })
            }
            Expression::Convert(operand, scalar) => self.convert(operand, scalar, store, then),
        }
    }

    /// The stores in which a condition is true.
    pub(crate) fn holding(
        self,
        condition: &Expression,
        store: &mut Store,
        then: &mut dyn FnMut(&mut Store) -> Stepped<()>,
    ) -> Stepped<()> {
        self.outcomes(condition, store, &mut |value, after| {
            if value == 0 { Ok(()) } else { then(after) }
        })
    }

    /// What scalars of some types get from expressions, from left to right. Unless it must
    /// `choose`, an expression that is a choice of any value leaves a scalar without one.
    pub(crate) fn give(
        self,
        given: &[(&Expression, &Type)],
        choose: bool,
        store: &mut Store,
        values: &mut Vec<Value>,
        then: &mut dyn FnMut(&[Value], &mut Store) -> Stepped<()>,
    ) -> Stepped<()> {
        let Some((&(expression, scalar), rest)) = given.split_first() else {
            return then(values, store);
        };
        if !choose && is_any(expression, scalar) {
            values.push(Value::Open);
            self.give(rest, choose, store, values, then)?;
            values.pop();
            return Ok(());
        }
        self.convert(expression, scalar, store, &mut |value, after| {
            values.push(value_of(value)?);
            self.give(rest, choose, after, values, then)?;
            values.pop();
            Ok(())
        })
    }

    /// What the scalar at an address gets from an expression. If variables may `share` values, a
    /// copy of one that has none yet gets the same.
    pub(crate) fn assign(
        self,
        expression: &Expression,
        address: usize,
        share: bool,
        store: &mut Store,
        then: Then<'_, Value>,
    ) -> Stepped<()> {
        let scalar = self.scalar(address);
        if is_any(expression, scalar) {
            // A new value: no scalar before the step has this number.
            return then(Value::SameAs(u32::MAX - address as u32), store);
        }
        self.find(expression, store, &mut |found, after| {
            if let Some(unknown) = self.unknown(found, after)?
                && share
                && self.is_beside(found, address)
            {
                return then(unknown, after);
            }
            self.read(found, after, &mut |value, decided| match stored(scalar, value)? {
                Some(kept) => then(value_of(kept)?, decided),
                None => Ok(()),
            })
        })
    }

    /// The address of what is assigned to.
    pub(crate) fn target(
        self,
        target: &Target,
        store: &mut Store,
        then: Then<'_, usize>,
    ) -> Stepped<()> {
        match target {
            Target::Scalar(address) => then(*address, store),
            Target::Element { first, length, index } => {
                self.element(*first, *length, index, store, then)
            }
        }
    }

    /// The type of the scalar at an address.
    pub(crate) fn scalar(&self, address: usize) -> &Type {
        let (shared, frame) = self.cells;
        let cell = shared.get(address).unwrap_or_else(|| &frame[address - shared.len()]);
        &cell.scalar
    }

    /// The same as `outcomes`, but a variable is not read yet: only where it is has been found out.
    fn find(
        self,
        expression: &Expression,
        store: &mut Store,
        then: Then<'_, Found>,
    ) -> Stepped<()> {
        match expression {
            Expression::Read { address, after } => {
                then(Found::Place { address: *address, after: *after }, store)
            }
            Expression::Element { first, length, index } => {
                self.element(*first, *length, index, store, &mut |address, decided| {
                    then(Found::Place { address, after: false }, decided)
                })
            }
            Expression::Conditional(parts) => {
                let [condition, yes, no] = &**parts;
                self.outcomes(condition, store, &mut |value, decided| {
                    self.find(if value == 0 { no } else { yes }, decided, then)
                })
            }
            _ => self
                .outcomes(expression, store, &mut |value, after| then(Found::Value(value), after)),
        }
    }

    /// The value of what was found; one that nobody knows yet is decided.
    fn read(self, found: Found, store: &mut Store, then: Then<'_, i128>) -> Stepped<()> {
        let (value, address) = match found {
            Found::Value(value) => return then(value, store),
            Found::Place { address, after } => (at(address, after, store)?, address),
        };
        match value {
            Value::Known(number) => then(i128::from(number), store),
            Value::Large(number) => then(i128::from(number), store),
            Value::Unread(before) => Err(Stop::Depends(before)),
            Value::Before(place) => Err(Stop::Reads(place)),
            Value::Open | Value::SameAs(_) => {
                let choices = self.scalar(address).values();
                store.deciding(value, choices, |choice, store| {
                    self.patience.spend(1)?;
                    then(choice, store)
                })
            }
        }
    }

    /// What was found, if nobody knows its value yet. A type of two values is not worth it.
    fn unknown(self, found: Found, store: &Store) -> Stepped<Option<Value>> {
        let Found::Place { address, after } = found else { return Ok(None) };
        if self.scalar(address).size <= 2 {
            return Ok(None);
        }
        let value = at(address, after, store)?;
        Ok(value.known().is_none().then_some(value))
    }

    /// Whether what was found and the scalar at an address are both in the shared state, or both in
    /// the frame, and can have the same values.
    fn is_beside(self, found: Found, address: usize) -> bool {
        let Found::Place { address: other, .. } = found else { return false };
        let shared = self.cells.0.len();
        (other < shared) == (address < shared)
            && self.scalar(other).same_range(self.scalar(address))
    }

    fn element(
        self,
        first: usize,
        length: usize,
        index: &Expression,
        store: &mut Store,
        then: Then<'_, usize>,
    ) -> Stepped<()> {
        self.outcomes(index, store, &mut |number, decided| match usize::try_from(number)
            .ok()
            .filter(|&number| number < length)
        {
            Some(number) => then(first + number, decided),
            None => Ok(()),
        })
    }

    fn convert(
        self,
        expression: &Expression,
        scalar: &Type,
        store: &mut Store,
        then: Then<'_, i128>,
    ) -> Stepped<()> {
        self.outcomes(expression, store, &mut |value, decided| match stored(scalar, value)? {
            Some(kept) => then(kept, decided),
            None => Ok(()),
        })
    }

    fn compare(
        self,
        operator: Binary,
        left: &Expression,
        right: &Expression,
        store: &mut Store,
        then: Then<'_, i128>,
    ) -> Stepped<()> {
        self.find(left, store, &mut |left, after_left| {
            self.find(right, after_left, &mut |right, after| {
                let unknown = self.unknown(left, after)?;
                if unknown.is_some() && unknown == self.unknown(right, after)? {
                    // One value, whichever it is.
                    return then(compared(operator, 0, 0), after);
                }
                self.read(left, after, &mut |left, after_one| {
                    self.read(right, after_one, &mut |right, after_other| {
                        then(compared(operator, left, right), after_other)
                    })
                })
            })
        })
    }
}

/// Whether an expression is a choice among all values of a scalar.
fn is_any(expression: &Expression, scalar: &Type) -> bool {
    matches!(expression, Expression::Choice(chosen) if chosen.same_range(scalar))
}

/// What is at an address; `after` the step, if the step has written there.
fn at(address: usize, after: bool, store: &Store) -> Stepped<Value> {
    let written = store.written.iter().rev().find(|(place, _)| after && *place == address);
    seen(written.map_or(store.values[address], |&(_, value)| value))
}

fn too_large() -> Stop {
    Stop::Problem(Problem::Undecided("a number has more than 127 bits".to_string()))
}

fn unary(operator: Unary, value: i128) -> Stepped<i128> {
    match operator {
        Unary::Not => Ok(i128::from(value == 0)),
        Unary::Minus => value.checked_neg().ok_or_else(too_large),
        Unary::Complement => Ok(!value),
    }
}

fn is_comparison(operator: Binary) -> bool {
    matches!(
        operator,
        Binary::Equal
            | Binary::NotEqual
            | Binary::Less
            | Binary::LessOrEqual
            | Binary::Greater
            | Binary::GreaterOrEqual
    )
}

fn compared(operator: Binary, left: i128, right: i128) -> i128 {
    i128::from(match operator {
        Binary::Equal => left == right,
        Binary::NotEqual => left != right,
        Binary::Less => left < right,
        Binary::LessOrEqual => left <= right,
        Binary::Greater => left > right,
        Binary::GreaterOrEqual => left >= right,
        _ => unreachable!("this is no comparison"),
    })
}

/// The value of an operation whose right side need not be evaluated.
fn known_by_left(operator: Binary, left: i128) -> Option<i128> {
    match operator {
        Binary::And if left == 0 => Some(0),
        Binary::Or if left != 0 => Some(1),
        Binary::Implies if left == 0 => Some(1),
        _ => None,
    }
}

/// The value of an operation that is no comparison; None if it blocks.
fn binary(operator: Binary, left: i128, right: i128) -> Stepped<Option<i128>> {
    let found = match operator {
        Binary::And | Binary::Or | Binary::Implies => Some(i128::from(right != 0)),
        Binary::Xor => Some(i128::from((left != 0) != (right != 0))),
        Binary::Add => left.checked_add(right),
        Binary::Subtract => left.checked_sub(right),
        Binary::Multiply => left.checked_mul(right),
        Binary::Divide | Binary::Remainder if right == 0 => return Ok(None),
        Binary::Divide => left.checked_div(right),
        Binary::Remainder => left.checked_rem(right),
        Binary::BitAnd => Some(left & right),
        Binary::BitOr => Some(left | right),
        Binary::BitXor => Some(left ^ right),
        Binary::ShiftLeft | Binary::ShiftRight if !(0..=MOST_SHIFTED).contains(&right) => {
            return Ok(None);
        }
        Binary::ShiftLeft => left.checked_mul(1 << right),
        Binary::ShiftRight => Some(left >> right),
        _ => unreachable!("comparisons are elsewhere"),
    };
    found.map(Some).ok_or_else(too_large)
}
