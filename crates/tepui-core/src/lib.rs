//! The kernels of tepui: the inner loops of the analysis of concurrent pushdown systems.
//!
//! No Python, no files, no printing, no unsafe code. Everything iterates in a fixed order, so every
//! run gives the same answer.
//!
//! | module | what it has | paper |
//! |---|---|---|
//! | [`system`] | the concurrent pushdown systems that are analysed | CUBA, section 2 |
//! | [`property`], [`whole_stacks`] | which states are bad, by their tops or by their whole stacks | CUBA, section 2.3 |
//! | [`ids`] | numbers that each stand for one kind of thing | |
//! | [`limits`] | limits, and the meter that stops a kernel at them | |
//! | [`engines`] | R_k and R(r, d), round by round, from below | CUBA, sections 2.3, 4 and 7.1; QR, section 3; DrUBA, sections 2 to 4 |
//! | [`z`] | the overapproximation Z of the visible states, from above | CUBA, sections 4.2.3 and 5 |
//! | [`sets`] | sets of states, packed or as decision diagrams, which engines and Z share | |
//! | [`automata`] | the stacks that one thread can reach, as an automaton | CUBA, sections 2.2.1 and 6 |
//! | [`weighted`] | what all runs of one thread do to data, as one weight | WPDS, sections 4 and 4.3, appendix B |
//! | [`counting`] | coverability for any number of threads | DrUBA, section 5.2, says what for |
//! | [`program`] | the rules of a program's system, computed when they are first needed | CUBA, section 2.2.3 |
#![forbid(unsafe_code)]

pub mod automata;
pub mod bdd;
pub mod counting;
pub mod engines;
pub mod ids;
pub mod limits;
pub mod program;
pub mod property;
pub mod sets;
pub mod system;
pub mod weighted;
pub mod whole_stacks;
pub mod z;
