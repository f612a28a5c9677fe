//! Coverability: can any number of threads together reach a bad state?
//!
//! Threads are counted, not named. [`net`] has the counters and their transitions, [`antichain`] the
//! minimal elements of an upward-closed set, [`control`] what cannot be together, [`backward`] the search from the bad markings, which
//! always ends (Abdulla, Čerāns, Jonsson, Tsay: General decidability theorems for infinite-state
//! systems), [`forward`] a search for runs with few threads, and [`coverability`] lets both take
//! turns.

pub mod antichain;
pub mod backward;
pub mod control;
pub mod coverability;
pub mod forward;
pub mod net;
