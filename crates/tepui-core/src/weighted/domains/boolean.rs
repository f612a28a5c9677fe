//! Whether there is a run at all (WPDS, section 4).

use std::convert::Infallible;

use crate::weighted::domain::Domain;

/// False and true, with «or» and «and».
#[derive(Clone, Copy, Debug, Default)]
pub struct Boolean;

impl Domain for Boolean {
    type Weight = bool;
    type Error = Infallible;

    fn one(&self) -> bool {
        true
    }

    fn zero(&self) -> bool {
        false
    }

    fn is_zero(&self, weight: &bool) -> Result<bool, Infallible> {
        Ok(!weight)
    }

    fn extend(&self, first: &bool, second: &bool) -> Result<bool, Infallible> {
        Ok(*first && *second)
    }

    fn combine_into(&self, into: &mut bool, weight: &bool) -> Result<bool, Infallible> {
        let changed = !*into && *weight;
        *into |= *weight;
        Ok(changed)
    }

    fn merge(&self, weight: &bool) -> Result<bool, Infallible> {
        Ok(*weight)
    }

    fn is_cheap(&self) -> bool {
        true
    }
}
