//! A property from Python's patterns.

use pyo3::prelude::*;
use tepui_core::property::{Pattern, Property};
use tepui_core::system::System;

use crate::system::out_of_range;

/// Patterns as (shared state, tops), None matching anything; and whether deadlocks are bad.
pub(crate) type GivenProperty = (Vec<(Option<u32>, Vec<Option<u32>>)>, bool);

pub(crate) fn property(system: &System, (patterns, deadlock): GivenProperty) -> PyResult<Property> {
    if patterns.iter().any(|(_, tops)| tops.len() != system.threads.len()) {
        return Err(out_of_range());
    }
    let patterns = patterns.into_iter().map(|(shared, tops)| Pattern { shared, tops }).collect();
    Ok(Property { patterns, deadlock })
}
