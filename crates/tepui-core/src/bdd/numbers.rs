//! Integers as bits that depend on other bits: two's complement, with as many digits as are needed.
//!
//! The last digit is the sign, and stands for all that would follow. Operations give the exact
//! result, so they add digits, and [`Work::trimmed`] drops those that say nothing. What is computed
//! modulo a power of two may be cut to its lowest digits first; whoever does that looks at no others.

use super::nodes::{Bdd, Work};
use crate::limits::Limit;
use crate::program::{Overflow, Range, Value};

/// A number, lowest digit first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number(Vec<Bdd>);

type Made = Result<Number, Limit>;

impl Number {
    /// A number that depends on nothing.
    pub fn constant(value: Value) -> Self {
        let digits = (Value::BITS - value.max(!value).leading_zeros()) as usize;
        let digit = |place: usize| if value >> place & 1 == 1 { Bdd::TRUE } else { Bdd::FALSE };
        Self((0..digits).map(digit).chain([digit(127)]).collect())
    }

    /// 1 where a condition holds, else 0.
    pub fn truth(condition: Bdd) -> Self {
        Self(vec![condition, Bdd::FALSE])
    }

    /// The number with these digits, which is not negative.
    pub fn of_digits(mut digits: Vec<Bdd>) -> Self {
        digits.push(Bdd::FALSE);
        Self(digits)
    }

    /// A digit.
    pub fn digit(&self, place: usize) -> Bdd {
        self.0[place.min(self.0.len() - 1)]
    }

    fn sign(&self) -> Bdd {
        self.digit(usize::MAX)
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    /// The lowest digits of it, at least.
    fn cut(mut self, digits: Option<usize>) -> Self {
        if let Some(digits) = digits {
            self.0.truncate(digits.max(1));
        }
        self
    }

    fn trimmed(mut self) -> Self {
        while let [.., before, sign] = self.0[..]
            && before == sign
        {
            self.0.pop();
        }
        self
    }
}

/// How many digits a type of this many values needs.
pub fn digits_of(range: Range) -> usize {
    (u128::BITS - (range.size - 1).leading_zeros()) as usize
}

impl Work<'_, '_> {
    fn sum_with(&mut self, one: &Number, other: &Number, carry: Bdd, digits: usize) -> Made {
        let mut carry = carry;
        let mut sum = Vec::with_capacity(digits);
        for place in 0..digits {
            let (a, b) = (one.digit(place), other.digit(place));
            let different = self.xor(a, b)?;
            sum.push(self.xor(different, carry)?);
            carry = self.if_then_else(different, carry, a)?;
        }
        Ok(Number(sum).trimmed())
    }

    /// The sum; with `cut`, its lowest digits.
    pub fn sum(&mut self, one: &Number, other: &Number, cut: Option<usize>) -> Made {
        let digits = one.len().max(other.len()) + 1;
        self.sum_with(one, other, Bdd::FALSE, cut.map_or(digits, |cut| cut.min(digits)))
    }

    /// The difference; with `cut`, its lowest digits.
    pub fn difference(&mut self, one: &Number, other: &Number, cut: Option<usize>) -> Made {
        let digits = one.len().max(other.len()) + 1;
        let other = self.complement(other)?;
        self.sum_with(one, &other, Bdd::TRUE, cut.map_or(digits, |cut| cut.min(digits)))
    }

    /// The number with each of its digits negated.
    pub fn complement(&mut self, of: &Number) -> Made {
        of.0.iter().map(|&digit| self.not(digit)).collect::<Result<_, _>>().map(Number)
    }

    /// Digit by digit.
    pub fn digitwise(
        &mut self,
        one: &Number,
        other: &Number,
        mut operation: impl FnMut(&mut Self, Bdd, Bdd) -> Result<Bdd, Limit>,
    ) -> Made {
        let digits = one.len().max(other.len());
        let made: Result<_, _> = (0..digits)
            .map(|place| operation(self, one.digit(place), other.digit(place)))
            .collect();
        made.map(|digits| Number(digits).trimmed())
    }

    /// The product; with `cut`, its lowest digits.
    pub fn product(&mut self, one: &Number, other: &Number, cut: Option<usize>) -> Made {
        // The factor with fewer digits that are not known decides how many sums there are.
        let unknown = |of: &Number| of.0.iter().filter(|digit| **digit > Bdd::TRUE).count();
        let (one, other) = if unknown(one) < unknown(other) { (other, one) } else { (one, other) };
        let digits = one.len() + other.len();
        let digits = cut.map_or(digits, |cut| cut.min(digits)).max(1);
        let mut product = Number::constant(0);
        for place in 0..digits {
            let digit = other.digit(place);
            if digit == Bdd::FALSE {
                continue;
            }
            let mut part = vec![Bdd::FALSE; place];
            for number in 0..digits - place {
                part.push(self.and(one.digit(number), digit)?);
            }
            product = self.sum_with(&product, &Number(part), Bdd::FALSE, digits)?;
        }
        Ok(product)
    }

    /// The quotient, rounded towards 0, and the remainder, with the sign of the dividend; what they
    /// are where the divisor is 0 means nothing.
    pub fn quotient(&mut self, one: &Number, other: &Number) -> Result<(Number, Number), Limit> {
        let dividend = self.magnitude(one)?;
        let divisor = self.magnitude(other)?;
        let mut remainder = Number::constant(0);
        let mut quotient = vec![Bdd::FALSE; dividend.len()];
        for place in (0..dividend.len()).rev() {
            let mut shifted = vec![dividend.digit(place)];
            shifted.extend(&remainder.0);
            let shifted = Number(shifted).trimmed();
            let rest = self.difference(&shifted, &divisor, None)?;
            let fits = self.not(rest.sign())?;
            quotient[place] = fits;
            remainder = self.choice(fits, &rest, &shifted)?;
        }
        let is_negative = self.xor(one.sign(), other.sign())?;
        let quotient = self.with_sign(is_negative, &Number::of_digits(quotient).trimmed())?;
        let remainder = self.with_sign(one.sign(), &remainder)?;
        Ok((quotient, remainder))
    }

    fn magnitude(&mut self, of: &Number) -> Made {
        self.with_sign(of.sign(), of)
    }

    fn with_sign(&mut self, negated: Bdd, of: &Number) -> Made {
        if negated == Bdd::FALSE {
            return Ok(of.clone());
        }
        let minus = self.difference(&Number::constant(0), of, None)?;
        self.choice(negated, &minus, of)
    }

    /// The first where a condition holds, else the second.
    pub fn choice(&mut self, condition: Bdd, then: &Number, otherwise: &Number) -> Made {
        self.digitwise(then, otherwise, |work, then, otherwise| {
            work.if_then_else(condition, then, otherwise)
        })
    }

    /// Where two numbers are equal.
    pub fn equal(&mut self, one: &Number, other: &Number) -> Result<Bdd, Limit> {
        let mut equal = Bdd::TRUE;
        for place in (0..one.len().max(other.len())).rev() {
            let different = self.xor(one.digit(place), other.digit(place))?;
            equal = self.without(equal, different)?;
        }
        Ok(equal)
    }

    /// Where the first number is less than the second.
    pub fn less(&mut self, one: &Number, other: &Number) -> Result<Bdd, Limit> {
        let mut less = Bdd::FALSE;
        let digits = one.len().max(other.len());
        for place in 0..digits {
            let (a, b) = (one.digit(place), other.digit(place));
            let different = self.xor(a, b)?;
            // Of the highest digits that differ, the sign is less where it is on.
            less = self.if_then_else(different, if place + 1 == digits { a } else { b }, less)?;
        }
        Ok(less)
    }

    /// Where a number is not 0.
    pub fn is_true(&mut self, of: &Number) -> Result<Bdd, Limit> {
        of.0.iter().try_fold(Bdd::FALSE, |found, &digit| self.or(found, digit))
    }

    /// A number shifted by another one, which is from 0 to 63; where it is not, the result means
    /// nothing. With `cut`, its lowest digits.
    pub fn shifted(&mut self, of: &Number, by: &Number, left: bool, cut: Option<usize>) -> Made {
        let mut shifted = of.clone();
        for place in 0..6 {
            let moved = if left {
                let mut digits = vec![Bdd::FALSE; 1 << place];
                digits.extend(&shifted.0);
                Number(digits).cut(cut)
            } else {
                Number(shifted.0[(1 << place).min(shifted.len() - 1)..].to_vec())
            };
            shifted = self.choice(by.digit(place), &moved, &shifted)?;
        }
        Ok(shifted)
    }

    /// The value of a scalar from its digits.
    pub fn value_of(&mut self, digits: Vec<Bdd>, range: Range) -> Made {
        self.sum(&Number::of_digits(digits).trimmed(), &Number::constant(range.low), None)
    }

    /// What a scalar holds for a number: its digits, and where it can be stored at all.
    pub fn stored(&mut self, number: &Number, range: Range) -> Result<(Vec<Bdd>, Bdd), Limit> {
        let digits = digits_of(range);
        let highest = range.low + (range.size - 1).cast_signed();
        let wraps = range.overflow == Overflow::Wrap && range.size.is_power_of_two();
        let above =
            self.difference(number, &Number::constant(range.low), wraps.then_some(digits))?;
        let (above, condition) = match range.overflow {
            Overflow::Wrap if wraps => (above, Bdd::TRUE),
            Overflow::Wrap => {
                let size = Number::constant(range.size.cast_signed());
                let (_, rest) = self.quotient(&above, &size)?;
                let lifted = self.sum(&rest, &size, None)?;
                (self.choice(rest.sign(), &lifted, &rest)?, Bdd::TRUE)
            }
            Overflow::Block => {
                let is_large = self.less(&Number::constant(highest - range.low), &above)?;
                let is_outside = self.or(above.sign(), is_large)?;
                (above, self.not(is_outside)?)
            }
            Overflow::Saturate => {
                let most = Number::constant(highest - range.low);
                let is_large = self.less(&most, &above)?;
                let kept = self.choice(is_large, &most, &above)?;
                (self.choice(above.sign(), &Number::constant(0), &kept)?, Bdd::TRUE)
            }
        };
        Ok(((0..digits).map(|place| above.digit(place)).collect(), condition))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bdd::nodes::Nodes;
    use crate::limits::{Limits, Meter};

    /// Two variables from -8 to 7, at levels 0, 2, 4, 6 and 8, 10, 12, 14.
    fn variable(work: &mut Work, first: u32) -> Number {
        let digits = (0..4).map(|digit| work.nodes.bit(first + 2 * digit, true)).collect();
        let range = Range { low: -8, size: 16, overflow: Overflow::Block };
        work.value_of(digits, range).unwrap()
    }

    fn at(nodes: &Nodes, number: &Number, x: Value, y: Value) -> Value {
        let is_on = |level: u32| {
            let value = if level < 8 { x + 8 } else { y + 8 };
            value >> (level % 8 / 2) & 1 == 1
        };
        let digit = |place: usize| nodes.has(number.digit(place), is_on);
        let value: Value =
            (0..number.len() - 1).map(|place| Value::from(digit(place)) << place).sum();
        value - (Value::from(digit(number.len() - 1)) << (number.len() - 1))
    }

    #[test]
    fn numbers_are_those_of_the_machine() {
        let mut nodes = Nodes::new();
        let mut meter = Meter::over(Limits::default());
        let mut work = Work { nodes: &mut nodes, meter: &mut meter };
        let (x, y) = (variable(&mut work, 0), variable(&mut work, 8));
        let sum = work.sum(&x, &y, None).unwrap();
        let difference = work.difference(&x, &y, None).unwrap();
        let product = work.product(&x, &y, None).unwrap();
        let low = work.product(&x, &y, Some(4)).unwrap();
        let (quotient, remainder) = work.quotient(&x, &y).unwrap();
        let both = work.digitwise(&x, &y, Work::and).unwrap();
        let complement = work.complement(&x).unwrap();
        let equal = work.equal(&x, &y).map(Number::truth).unwrap();
        let less = work.less(&x, &y).map(Number::truth).unwrap();
        let left = work.shifted(&x, &y, true, None).unwrap();
        let right = work.shifted(&x, &y, false, None).unwrap();
        for a in -8..8 {
            for b in -8..8 {
                let is = |number: &Number| at(work.nodes, number, a, b);
                assert_eq!(is(&x), a);
                assert_eq!(is(&y), b);
                assert_eq!(is(&sum), a + b);
                assert_eq!(is(&difference), a - b);
                assert_eq!(is(&product), a * b);
                assert_eq!(
                    (0..4)
                        .map(|place| {
                            let digit = Number::truth(low.digit(place));
                            is(&digit) << place
                        })
                        .sum::<Value>(),
                    (a * b) & 15
                );
                assert_eq!(is(&both), a & b);
                assert_eq!(is(&complement), !a);
                assert_eq!(is(&equal), Value::from(a == b));
                assert_eq!(is(&less), Value::from(a < b));
                if b != 0 {
                    assert_eq!(is(&quotient), a / b);
                    assert_eq!(is(&remainder), a % b);
                }
                if b >= 0 {
                    assert_eq!(is(&left), a << b);
                    assert_eq!(is(&right), a >> b);
                }
            }
        }
        for value in
            [0, 1, -1, 2, 127, 128, -128, -129, Value::from(i64::MIN), Value::from(u64::MAX)]
        {
            assert_eq!(at(work.nodes, &Number::constant(value), 0, 0), value);
        }
    }

    #[test]
    fn what_is_stored_is_what_ranges_say() {
        let mut nodes = Nodes::new();
        let mut meter = Meter::over(Limits::default());
        let mut work = Work { nodes: &mut nodes, meter: &mut meter };
        let (x, y) = (variable(&mut work, 0), variable(&mut work, 8));
        let product = work.product(&x, &y, None).unwrap();
        for overflow in [Overflow::Wrap, Overflow::Saturate, Overflow::Block] {
            for (low, size) in [(0, 8), (-4, 8), (-3, 5), (2, 1), (1, 12)] {
                let range = Range { low, size, overflow };
                let (digits, condition) = work.stored(&product, range).unwrap();
                let number = Number::of_digits(digits);
                let condition = Number::truth(condition);
                for a in -8..8 {
                    for b in -8..8 {
                        let fits = at(work.nodes, &condition, a, b) == 1;
                        let stored = fits.then(|| range.low + at(work.nodes, &number, a, b));
                        assert_eq!(stored, range.store(a * b), "{range:?} {a} {b}");
                    }
                }
            }
        }
    }
}
