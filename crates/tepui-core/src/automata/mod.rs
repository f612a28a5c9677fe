//! Regular sets of configurations of one thread, as P-automata, and languages of stacks, as
//! canonical automata (CUBA, sections 2.2.1 and 6; QR, section 2).
//!
//! | module | what it has |
//! |---|---|
//! | [`p_automaton`] | P-automata, and what can be read off them at once |
//! | [`algebra`] | union, intersection, inclusion, and listing what is accepted |
//! | [`post_star`], [`pre_star`] | saturation: all that is reachable from a set, or that reaches it |
//! | [`run`] | the steps behind a configuration that a saturation has found |
//! | [`dfa`] | the one smallest automaton of a language of stacks |
//! | [`stack_languages`] | such languages by number, with all operations and post* remembered |
//!
//! Below them, [`determinize`] makes automata deterministic and [`minimize`] makes them small,
//! `graph` sees them as graphs, and `transitions` numbers the transitions that a saturation finds.

pub mod algebra;
pub mod determinize;
pub mod dfa;
mod graph;
pub mod minimize;
pub mod p_automaton;
pub mod post_star;
pub mod pre_star;
pub mod run;
pub mod stack_languages;
mod transitions;
