//! Values that nobody knows yet, and who has the same.
//!
//! In a state, a scalar without a value has [`NO_VALUE`], or the sign [`same_as`] with the first
//! scalar of the shared state, or of the frame, that has the same value. While a step is computed,
//! scalars are *numbered*: each without a value has the sign with some number, and those with the
//! same number have the same value.

use super::{NO_VALUE, Value};

/// Where the signs for the same value begin; there is one for each cell.
const SAME: Value = NO_VALUE + 1;

/// Where the signs for values that must not be read begin.
const UNREAD: Value = SAME + (1 << u32::BITS);

/// The sign for the value of a cell that has none yet.
pub fn same_as(cell: u32) -> Value {
    SAME + Value::from(cell)
}

/// The cell that has the same value, if this is the sign for that.
pub fn same_cell(value: Value) -> Option<u32> {
    u32::try_from(value.wrapping_sub(SAME)).ok()
}

/// The sign for a value that a cell had before a step, in the question whether the step exists for
/// every such value: reading it shows that this depends on it.
pub fn unread(cell: u32) -> Value {
    UNREAD + Value::from(cell)
}

/// The cell that had the value before the step, if this is the sign for that.
pub fn unread_cell(value: Value) -> Option<u32> {
    u32::try_from(value.wrapping_sub(UNREAD)).ok()
}

/// Number the scalars of a shared state or a frame.
pub(super) fn number(values: &mut [Value]) {
    for (cell, value) in values.iter_mut().enumerate() {
        if *value == NO_VALUE {
            *value = same_as(cell as u32);
        }
    }
}

/// The other way round. A scalar that has no number has a value of its own.
pub(super) fn normalise(values: &mut [Value]) {
    let mut first: Vec<(Value, usize)> = Vec::new();
    for (cell, value) in values.iter_mut().enumerate() {
        if same_cell(*value).is_none() {
            continue;
        }
        if let Some(&(_, earlier)) = first.iter().find(|(number, _)| number == value) {
            *value = same_as(earlier as u32);
        } else {
            first.push((*value, cell));
            *value = NO_VALUE;
        }
    }
}

/// Give a value to all who have it.
pub(super) fn decide(values: &mut [Value], unknown: Value, value: Value) {
    for old in values.iter_mut().filter(|old| **old == unknown) {
        *old = value;
    }
}
