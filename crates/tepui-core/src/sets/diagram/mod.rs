//! Sets of states as decision diagrams over threads. The diagram engine and Z share them.
//!
//! | module | what it has |
//! |---|---|
//! | [`nodes`] | the diagrams, and the operations on them |
//! | [`labels`] | what edges are labelled with: sets of stacks, or languages of stacks |
//! | [`finite_sets`] | finite sets of numbers, which are labels, or shared states at the bottom |
//! | [`levels`] | threads that run on diagrams, and the visible states of a diagram |
//! | [`find`] | the search for one state |
//! | [`bad`] | the search for a bad visible state |
//! | [`export`] | a diagram as plain lists |

pub mod bad;
pub mod export;
pub mod find;
pub mod finite_sets;
pub mod labels;
pub mod levels;
pub mod nodes;
