//! Decision diagrams over threads, and what is computed with them: R_k and Z.
//!
//! [`nodes`] are the diagrams, with [`labels`] on their edges and [`sets`] of shared states at
//! their ends; [`find`] looks for a state in them. [`levels`] runs threads on them and shows their
//! visible states, of which [`bad`] looks for bad ones. [`engine`] computes R_k by what [`stacks`]
//! says about threads, and [`trace`] finds the runs behind it; [`cut`] computes Z. [`export`] makes
//! lists of either.

pub mod bad;
pub mod cut;
pub mod engine;
pub mod export;
pub mod find;
pub mod labels;
pub mod levels;
pub mod nodes;
pub mod sets;
pub mod stacks;
pub mod trace;
