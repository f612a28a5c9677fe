//! R_k as decision diagrams (see [`crate::sets::diagram`]).
//!
//! [`kernel`] computes R_k, [`moves`] says what threads do in one context, and `trace` finds the
//! runs behind a state that was found.

pub mod kernel;
pub mod moves;
mod trace;
