//! The domains that run without the interpreter. `tepui.weighted.domains` tells what they are.

pub mod boolean;
pub mod min_path;
pub mod relations;
pub mod sets;
pub mod weighted_relations;
