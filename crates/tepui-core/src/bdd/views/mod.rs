//! View tuples: what is reachable within k contexts, with recursion (jMoped, sections 2 and 3).
//!
//! A *view* of a thread is a set of pairs of a shared state and a stack, as an automaton whose labels
//! are sets of bits. A *view tuple* (V_1, …, V_n) has a view for each thread and stands for all states
//! ⟨g | w_1, …, w_n⟩ with ⟨g | w_i⟩ in V_i for all i. R_k is a union of view tuples. To take a
//! context from a tuple, compute post* of the view of the thread that runs, and make tuples of that.
//!
//! Let a be the thread that runs, U(g, g', w) say that it can go from V_a at g to ⟨g' | w⟩, and
//! G_1, …, G_m be a partition of the shared states that is *safe*: no class has two of them that U
//! brings to the same g'. For each class j there is a tuple with
//!
//! > V'_a(g', w) = ∃ g ∈ G_j: U(g, g', w)
//!
//! > V'_i(g', w) = ∃ g ∈ G_j: V_i(g, w) and ∃ v: U(g, g', v), for each other thread i
//!
//! and their union is exactly what the context reaches. The paper proves it for two threads (Theorem
//! 1); here is why any number will do. If ⟨g' | w_1, …, w_n⟩ is reached from some g, it is in the
//! tuple of the class of g. If it is in the tuple of class j, each thread i has a g_i of its own that
//! says so, and U brings each g_i to g'. All of them are in G_j, so they are the same g, as the
//! partition is safe. That g is in all views at once, and U(g, g', w_a), so the state is reached.
//!
//! Only shared states that are in all views of a tuple matter. All views of our tuples have the same
//! ones, so others do not count in a partition. With *eager* splitting every tuple has one shared
//! state, as in the algorithm of Qadeer and Rehof. With *lazy* splitting classes are as large as is
//! easily found. With *sparing* splitting even those stay together that are confluent, where that does
//! no harm, see [`splitting`]; and some of the tuples that a thread adds in a context are joined.
//!
//! | module | what it has |
//! |---|---|
//! | `layout` | which bits automata have |
//! | [`automata`] | views, and the states that they share |
//! | `rules` | what a thread can do with a symbol on top |
//! | `poststar` | what it can reach by itself |
//! | [`splitting`] | safe partitions |
//! | `tuples` | the view tuples that are known |
//! | `whole` | the states of a tuple as one set, if stacks are bounded |
//! | [`membership`] | whether a state is in a tuple |
//! | `bad` | whether something bad is in a tuple |
//! | [`search`] | R_0, R_1, R_2 and so on |
//! | `answers` | what is asked of them |

mod answers;
pub mod automata;
mod bad;
mod layout;
pub mod membership;
mod poststar;
mod rules;
pub mod search;
pub mod splitting;
mod tuples;
mod whole;

#[cfg(test)]
mod tests;
