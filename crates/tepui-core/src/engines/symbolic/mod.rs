//! R_k as a plain set of symbolic states ⟨q | L₁, …, Lₙ⟩, each a shared state and a regular language
//! of stacks for each thread (CUBA, section 7.1; QR, section 3.3).
//!
//! | module | what it has |
//! |---|---|
//! | [`kernel`] | S_k, round by round, T(S_k), and whether R_k grew |
//! | [`products`] | the symbolic states, and which of them are included in others |
//! | `cover` | whether a symbolic state is covered by several, and how many states several have |
//! | `trace` | a run to a state of a symbolic state |

mod cover;
pub mod kernel;
pub mod products;
mod trace;
