//! Values, shared states and frames, and how they are written as bytes.
//!
//! A variable may have no value yet, and several may have the same one, which nobody knows: then
//! the first of them is [`Value::Open`], and the others are the same as it.

use super::{Cell, Program};

/// What a scalar has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Value {
    /// No value yet, or one that does not matter.
    Open,
    /// The same unknown value as all others with this number.
    SameAs(u32),
    /// In the question whether a step exists for every value: that at an address before the step.
    Unread(usize),
    /// What a place of the shared state had before the step, whatever it was: nobody has looked.
    Before(u32),
    Known(i64),
    /// A number that takes all 64 bits.
    Large(u64),
}

impl Value {
    /// A number, if it is one that variables have.
    pub(crate) fn of(number: i128) -> Option<Self> {
        let small = i64::try_from(number).map(Self::Known);
        small.or_else(|_| u64::try_from(number).map(Self::Large)).ok()
    }

    /// The number, if it is known.
    #[inline]
    pub(crate) fn known(self) -> Option<i128> {
        match self {
            Self::Known(number) => Some(i128::from(number)),
            Self::Large(number) => Some(i128::from(number)),
            Self::Open | Self::SameAs(_) | Self::Unread(_) | Self::Before(_) => None,
        }
    }
}

pub(crate) type Shared = Vec<Value>;

/// One entry of a stack: an activation of a procedure, and the frame of its caller, if it is joined
/// to that.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Frame {
    pub(crate) point: usize,
    pub(crate) values: Vec<Value>,
    pub(crate) below: Option<Box<Frame>>,
}

impl Frame {
    pub(crate) fn at(point: usize, values: Vec<Value>) -> Self {
        Self { point, values, below: None }
    }
}

/// Frames, top first.
pub(crate) type Word = Vec<Frame>;

/// A shared state, and the frames that take the place of one.
pub(crate) type Configuration = (Shared, Word);

/// Append the cells of a shared state or a frame; those whose value is not known get numbers, from
/// `first` on.
pub(crate) fn number(values: &[Value], first: usize, found: &mut Vec<Value>) {
    found.extend(values.iter().enumerate().map(|(place, value)| match *value {
        Value::Open => Value::SameAs((first + place) as u32),
        Value::SameAs(cell) => Value::SameAs(first as u32 + cell),
        other => other,
    }));
}

/// The other way round: of those with one number, the first is open, and the others are the same as
/// that.
pub(crate) fn in_normal_form(mut values: Vec<Value>) -> Vec<Value> {
    let mut met: Vec<(u32, usize)> = Vec::new();
    for (place, value) in values.iter_mut().enumerate() {
        if let Value::SameAs(number) = *value {
            if let Some(&(_, first)) = met.iter().find(|(other, _)| *other == number) {
                *value = Value::SameAs(first as u32);
            } else {
                met.push((number, place));
                *value = Value::Open;
            }
        }
    }
    values
}

/// A value that is not far above the lowest is one byte, from this on.
const SHORT: u8 = 4;

/// Write the values of some cells. Equal values are equal bytes.
pub(crate) fn write_values(cells: &[Cell], values: &[Value], bytes: &mut Vec<u8>) {
    for (cell, value) in cells.iter().zip(values) {
        match *value {
            Value::Open => bytes.push(0),
            Value::SameAs(place) => {
                bytes.push(1);
                bytes.extend(place.to_le_bytes());
            }
            Value::Known(number) => {
                let above = u8::try_from(i128::from(number) - cell.scalar.low);
                if let Some(short) = above.ok().and_then(|above| above.checked_add(SHORT)) {
                    bytes.push(short);
                } else {
                    bytes.push(2);
                    bytes.extend(number.to_le_bytes());
                }
            }
            Value::Large(number) => {
                bytes.push(3);
                bytes.extend(number.to_le_bytes());
            }
            Value::Unread(_) | Value::Before(_) => {
                unreachable!("states of which some values are left out get no number")
            }
        }
    }
}

/// Read what [`write_values`] has written.
pub(crate) fn read_values(cells: &[Cell], bytes: &mut &[u8]) -> Vec<Value> {
    let read = |cell: &Cell| match take::<1>(bytes)[0] {
        0 => Value::Open,
        1 => Value::SameAs(u32::from_le_bytes(take(bytes))),
        2 => Value::Known(i64::from_le_bytes(take(bytes))),
        3 => Value::Large(u64::from_le_bytes(take(bytes))),
        short => Value::Known((cell.scalar.low + i128::from(short - SHORT)) as i64),
    };
    cells.iter().map(read).collect()
}

impl Program {
    /// The cells of frames at a point.
    pub(crate) fn cells_at(&self, point: usize) -> &[Cell] {
        self.place(point).map_or(&[], |(procedure, _)| &self.procedures[procedure].cells)
    }

    pub(crate) fn write_frame(&self, frame: &Frame, bytes: &mut Vec<u8>) {
        bytes.extend((frame.point as u32).to_le_bytes());
        write_values(self.cells_at(frame.point), &frame.values, bytes);
        bytes.push(u8::from(frame.below.is_some()));
        if let Some(below) = &frame.below {
            self.write_frame(below, bytes);
        }
    }

    pub(crate) fn read_frame(&self, bytes: &mut &[u8]) -> Frame {
        let point = u32::from_le_bytes(take(bytes)) as usize;
        let values = read_values(self.cells_at(point), bytes);
        let below = (take::<1>(bytes)[0] == 1).then(|| Box::new(self.read_frame(bytes)));
        Frame { point, values, below }
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> [u8; N] {
    let (first, rest) = bytes.split_first_chunk().expect("what was written can be read");
    *bytes = rest;
    *first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{Overflow, Type};

    #[test]
    fn the_first_of_the_same_is_open() {
        let [a, b] = [Value::SameAs(40), Value::SameAs(7)];
        let found = in_normal_form(vec![a, Value::Open, b, a, Value::Known(1), b]);
        let same = Value::SameAs;
        let open = Value::Open;
        assert_eq!(found, [open, open, open, same(0), Value::Known(1), same(2)]);
        let mut numbered = Vec::new();
        number(&found, 10, &mut numbered);
        assert_eq!(
            numbered,
            [10, 11, 12, 10, 0, 12].map(|n| match n {
                0 => Value::Known(1),
                n => Value::SameAs(n),
            })
        );
    }

    #[test]
    fn values_are_read_as_they_were_written() {
        let wide = Type { low: -5, size: 1 << 64, overflow: Overflow::Wrap, names_threads: false };
        let cells = vec![Cell { scalar: wide, initial: None }; 9];
        let known = [-5, 246, 247, 1 << 40, 1 << 63, -6].map(|n| Value::of(n).unwrap());
        let mut values = vec![Value::Open, Value::SameAs(0), Value::SameAs(70_000)];
        values.extend(known);
        let mut bytes = Vec::new();
        write_values(&cells, &values, &mut bytes);
        assert_eq!(read_values(&cells, &mut bytes.as_slice()), values);
    }
}
