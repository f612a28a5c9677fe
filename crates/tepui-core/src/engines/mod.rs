//! The engines: R_0, R_1, R_2 and so on, or R(r, d) with growing bounds.
//!
//! | module | what it computes | paper |
//! |---|---|---|
//! | [`kernel`] | the trait that all engines implement | |
//! | [`explicit`] | R_k and T(R_k), state by state | CUBA, sections 2.3 and 4 |
//! | [`diagram`] | the same as decision diagrams, for many threads and infinite rounds | CUBA, section 4; QR, section 3 |
//! | [`symbolic`] | the same as a set of symbolic states, for infinite rounds | CUBA, section 7.1; QR, section 3 |
//! | [`plain`] | all states within s steps, breadth first | |
//! | [`delay`] | R(r, d) under round-robin scheduling with delays, state by state | DrUBA, sections 2 to 4 |
//!
//! `agenda` is the work that `explicit` still has to do.
//! `listed_runs` finds the traces of `explicit` and `plain`, with `real_threads` where threads that
//! know themselves were exchanged.
//! [`shortest_runs`] shortens the runs that post* finds: the traces of `diagram` and `symbolic` use it.

mod agenda;
pub mod delay;
pub mod diagram;
pub mod explicit;
pub mod kernel;
mod listed_runs;
pub mod plain;
mod real_threads;
pub mod shortest_runs;
pub mod symbolic;
