//! The kernels from outside, in modules that mirror those of the crate.

mod automata;
mod engines;
mod support;
mod weighted;
mod z;
