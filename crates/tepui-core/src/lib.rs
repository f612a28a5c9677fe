//! The kernels of tepui: the inner loops of the analysis of concurrent pushdown systems.
//!
//! No Python, no files, no printing, no unsafe code. The explorations are made from a
//! [`system::System`], advance until they are done, paused or stopped by a limit, and answer
//! questions about what they have found: [`kernel::Kernel`] is what they have in common. So do the
//! saturations, which are made from a set of configurations. All iterate in a fixed order, so every
//! run gives the same answer.
//!
//! | module | what it computes | paper |
//! |---|---|---|
//! | [`explicit`] | R_k and T(R_k), state by state | CUBA, sections 2.3 and 4 |
//! | [`diagram`] | the same as decision diagrams, for many threads and infinite rounds | CUBA, section 4; QR, section 3 |
//! | [`symbolic`] | the same as a set of symbolic states, for infinite rounds | CUBA, section 7.1; QR, section 3 |
//! | [`delay`] | R(r, d) under round-robin scheduling with delays, state by state | DrUBA, sections 2 to 4 |
//! | [`cut`] | over-approximations Z of the visible states | CUBA, sections 4.2.3 and 5 |
//! | [`automata`] | the stacks one thread can reach, as an automaton | CUBA, sections 2.2.1 and 6 |
//! | [`weighted`] | what all runs of one thread do to data, as one weight | WPDS, sections 4 and 4.3, appendix B |
//! | [`program`] | the rules of a program's system, when they are first met | CUBA, section 2.2.3 |
//!
//! Below them: [`reached`] is what the engines that list states know about them, [`top_words`] looks
//! at several symbols of each stack, [`states`] holds sets of packed global states, [`table`] is
//! their hash table, [`visible`] projects them to visible states, [`property`] recognises the bad
//! ones, [`reach`] those that are asked for by their whole stacks, [`stacks`] shares stacks,
//! [`thread_states`] remembers the steps between them, [`shortest_runs`] finds the runs behind what
//! saturation has found, [`orbit`] counts states that symmetry folded together, `matching` pairs
//! equal threads with what is asked of them, and [`limits`] says when to stop.
#![forbid(unsafe_code)]

pub mod automata;
pub mod cut;
mod cut_stacks;
pub mod delay;
pub mod diagram;
pub mod explicit;
pub mod kernel;
pub mod limits;
mod matching;
pub mod orbit;
pub mod program;
pub mod property;
pub mod reach;
pub mod reached;
pub mod shortest_runs;
pub mod stacks;
pub mod states;
pub mod symbolic;
pub mod system;
pub mod table;
pub mod thread_states;
pub mod top_words;
pub mod visible;
pub mod weighted;
