//! Why something could not be computed.

use crate::limits::Limit;

/// A limit was reached, or there are programs that cannot be encoded, and this is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// This limit.
    Limit(Limit),
    /// What is wrong with the program, after its name.
    Refused(String),
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Self {
        Self::Limit(limit)
    }
}
