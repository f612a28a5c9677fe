//! The overapproximation Z of the reachable visible states (CUBA, section 4.2.3).
//!
//! A thread keeps only the top of its stack, so the composed system is finite and can be explored
//! to the end. What a pop brings up is no longer known. The strengths of Z differ in what they still
//! know about it ([`kernel::Emergence`]).
//!
//! *Table* is for CUBA's Algorithms 2 and 4, the strengths `cut` and Ω: a table says which symbols
//! may emerge when σ is popped. In the paper the empty stack may always emerge. Where a program is
//! known, the table can leave it out.
//!
//! *Matched* keeps the top b symbols, and whether anything lies below them. It grows a relation
//! *below* together with Z: (σ, π) says that π may lie directly below σ when σ is at depth b or
//! deeper, with ε below the last symbol. Every step that is enabled in Z adds the pairs of the
//! stack that it makes. Every pop takes its outcomes from the relation. The result is the least
//! fixed point of both. With α(w) = (top b symbols of w, whether there are more), the invariant is
//! that α of every reachable state is in Z and every pair of adjacent symbols at depth ≥ b is in
//! *below*.
//!
//! | module | what it has |
//! |---|---|
//! | [`kernel`] | what all computations of Z have in common |
//! | [`explicit`] | Z state by state |
//! | [`diagram`] | Z as a decision diagram, for many threads |
//! | [`local_states`] | the tops of stacks that Z keeps, the steps between them, and *below* |

pub mod diagram;
pub mod explicit;
pub mod kernel;
pub mod local_states;
