//! The domains that run without the interpreter. `tepui.weighted.domains` says what they are.

pub mod affine;
pub mod boolean;
pub mod linear;
pub mod min_path;
pub mod relations;
pub mod sets;
pub mod weighted_relations;
