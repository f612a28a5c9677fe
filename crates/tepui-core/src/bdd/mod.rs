//! Programs as functions of bits: sets of states, and what edges do, as binary decision diagrams.
//!
//! This is for data that is too large to list, such as inputs of 32 bits. A set of states is one
//! diagram over the bits of all variables and of where the threads are, so that two sets are equal
//! where their nodes are. Values are chosen at once, and not when they are read first.
//!
//! | module | what it has |
//! |---|---|
//! | [`nodes`] | diagrams, and operations that stop at limits |
//! | [`numbers`] | integers whose digits depend on bits |
//! | [`encoding`] | which bits there are, and their order |
//! | [`shapes`] | where a thread is, whatever its variables are |
//! | [`walk`] | what edges choose and look at |
//! | [`effects`], `taking`, `relation` | what an edge does |
//! | `values` | what expressions evaluate to |
//! | [`given`] | bits that are the same in all states that were met with a shape |
//! | `fixed` | bits that are the same in all states, so that diagrams need not have them |
//! | [`bad`], `stuck` | which states are bad, deadlocks among them |
//! | `ways` | the ways to take a step that are known |
//! | [`search`] | R_0, R_1, R_2 and so on, and the set that is closed in the end |
//! | [`certificate`] | that set, for the checker |
//! | [`sample`] | what a run to a bad state chooses |
//! | [`views`] | the same with recursion, as view tuples |
//!
//! The diagrams are our own, and not those of a library, because an operation must stop at the
//! limits of a run, and its memory has to be known.

pub mod bad;
pub mod certificate;
pub mod effects;
pub mod encoding;
mod fixed;
pub mod given;
pub mod nodes;
pub mod numbers;
mod relation;
pub mod sample;
pub mod search;
pub mod shapes;
pub mod stop;
mod stuck;
mod taking;
mod values;
pub mod views;
pub mod walk;
mod ways;
