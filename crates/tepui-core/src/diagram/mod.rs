//! Decision diagrams over threads, and what is computed with them: R_k and Z.
//!
//! [`nodes`] are the diagrams, with [`labels`] on their edges and [`sets`] of shared states at
//! their ends. [`levels`] runs threads on them and shows their visible states, of which [`bad`]
//! looks for bad ones. [`engine`] computes R_k, and [`trace`] finds the runs behind it; [`cut`]
//! computes Z.

pub mod bad;
pub mod cut;
pub mod engine;
pub mod export;
pub mod labels;
pub mod levels;
pub mod nodes;
pub mod sets;
pub mod stacks;
pub mod trace;
