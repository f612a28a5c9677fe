//! Decision diagrams over threads, and the engine that explores with them.

pub mod engine;
pub mod labels;
pub mod nodes;
pub mod sets;
