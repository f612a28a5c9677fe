//! Sets of states, and what they consist of. Engines and Z share them.
//!
//! | module | what it has |
//! |---|---|
//! | [`states`] | sets of packed global states; they know symmetry |
//! | [`layout`] | how they are packed |
//! | [`table`] | the hash table below them |
//! | [`stacks`] | stacks that share their common parts, by number |
//! | [`thread_states`] | the steps between the states of one thread, each computed once |
//! | [`visible`] | the visible states of a set: the shared state and the tops |
//! | [`top_words`] | the same with several symbols of each stack |
//! | [`reached`] | what engines that list states know about them |
//! | [`closed`] | which threads need not be run from a state any more |
//! | [`positions`] | a list of positions, in little memory |
//! | [`orbit`] | how many states one stands for, up to symmetry |
//! | `matching` | whether equal threads can be paired with what is asked of them |
//! | [`packed_rows`] | states as certificates have them |
//! | [`diagram`] | sets of states as decision diagrams |

pub mod closed;
pub mod diagram;
pub mod layout;
pub(crate) mod matching;
pub mod orbit;
pub mod packed_rows;
pub mod positions;
pub mod reached;
pub mod roles;
pub mod stacks;
pub mod states;
pub mod table;
pub mod thread_states;
pub mod top_words;
pub mod visible;
