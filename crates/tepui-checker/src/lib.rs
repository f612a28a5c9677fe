//! The independent checker: does a certificate prove that no bad state is reachable?
//!
//! This crate depends on no other one, ours or not, and has its own semantics of systems and of
//! programs. `python/tepui/checker` and `python/tepui/program/semantics` say the same in Python,
//! slowly; they are its reference, and hold the proofs: that of [`states`] is in
//! `checker/certificates/states.py`, that of [`orbits`] in `checker/certificates/orbits.py`.
//!
//! What is asked about is trusted: a system or a program, its property, and which of its threads
//! are a family. Certificates are not, nor are the tables that say what their numbers mean: every
//! number is looked at before it is used.
//!
//! Where this crate cannot tell (a number has more than 127 bits, an expression is nested too
//! deeply), it says so, and the reference decides.

#![forbid(unsafe_code)]

use std::cell::Cell;

pub mod bad_states;
pub mod certificate;
pub mod hashing;
pub mod local_states;
pub mod orbits;
pub mod program;
pub mod rows;
pub mod states;
pub mod system;

/// Why there is no proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The certificate proves nothing, for this reason.
    Rejected(String),
    /// This crate cannot tell, for this reason.
    Undecided(String),
    /// The caller wants no answer any more.
    Stopped,
}

/// A value, or why there is no proof.
pub type Checked<T> = Result<T, Problem>;

/// The certificate proves nothing.
pub(crate) fn rejected<T>(reason: impl Into<String>) -> Checked<T> {
    Err(Problem::Rejected(reason.into()))
}

const STEPS_BETWEEN_QUESTIONS: u32 = 2_000;

/// How long a check may take: the caller decides that, and is asked now and then.
pub struct Patience<'a> {
    left: Cell<u32>,
    go_on: &'a dyn Fn() -> bool,
}

impl<'a> Patience<'a> {
    /// Until `go_on` says no.
    pub fn new(go_on: &'a dyn Fn() -> bool) -> Self {
        Self { left: Cell::new(0), go_on }
    }

    /// Count some steps of work, and ask again after many.
    #[inline]
    pub fn spend(&self, steps: u32) -> Checked<()> {
        match self.left.get().checked_sub(steps) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => self.ask(),
        }
    }

    /// Ask now.
    #[cold]
    pub fn ask(&self) -> Checked<()> {
        self.left.set(STEPS_BETWEEN_QUESTIONS);
        if (self.go_on)() { Ok(()) } else { Err(Problem::Stopped) }
    }
}
