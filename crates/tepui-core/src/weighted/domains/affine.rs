//! Affine relations (WPDS, section 4.2.1, and appendix B.2 for merge): spans of matrices, by their
//! canonical bases. `tepui.weighted.domains.affine` says what they mean.

use crate::weighted::domain::Domain;
use crate::weighted::domains::linear::{Basis, Scalars, TooLarge, Vector};

/// Spans of matrices that transform some variables, of which the last ones may be local.
#[derive(Clone, Copy, Debug)]
pub struct Affine {
    scalars: Scalars,
    /// One more than there are variables.
    order: usize,
    /// How many rows and columns are not of local variables.
    shared: usize,
}

impl Affine {
    /// The domain for this many variables, `local_variables` of which are local.
    pub fn new(scalars: Scalars, variables: usize, local_variables: usize) -> Self {
        let order = variables + 1;
        Self { scalars, order, shared: order - local_variables }
    }

    fn identity(&self) -> Vector {
        let order = self.order;
        (0..order * order).map(|entry| (entry / order == entry % order).into()).collect()
    }

    /// What globals do to globals; the caller's locals are left alone. These are multiplied with
    /// the first entry, 1 for a run, so that all of it is linear.
    fn merged(&self, matrix: &[i128]) -> Vector {
        let entry = |(place, &entry): (usize, &i128)| {
            let (row, column) = (place / self.order, place % self.order);
            if row < self.shared && column < self.shared {
                entry
            } else if row == column {
                matrix[0]
            } else {
                0
            }
        };
        matrix.iter().enumerate().map(entry).collect()
    }
}

impl Domain for Affine {
    type Weight = Basis;
    type Error = TooLarge;

    fn one(&self) -> Basis {
        vec![self.identity()]
    }

    fn zero(&self) -> Basis {
        Vec::new()
    }

    fn is_zero(&self, weight: &Basis) -> Result<bool, TooLarge> {
        Ok(weight.is_empty())
    }

    fn extend(&self, first: &Basis, second: &Basis) -> Result<Basis, TooLarge> {
        let products = first
            .iter()
            .flat_map(|a| second.iter().map(|b| self.scalars.multiply(a, b, self.order)));
        self.scalars.canonical(products)
    }

    fn combine_into(&self, into: &mut Basis, weight: &Basis) -> Result<bool, TooLarge> {
        if into == weight {
            return Ok(false);
        }
        let both = into.iter().chain(weight).cloned().map(Ok);
        let combined = self.scalars.canonical(both)?;
        let changed = combined != *into;
        *into = combined;
        Ok(changed)
    }

    fn merge(&self, weight: &Basis) -> Result<Basis, TooLarge> {
        self.scalars.canonical(weight.iter().map(|matrix| Ok(self.merged(matrix))))
    }

    fn bytes(&self, weight: &Basis) -> usize {
        weight.len() * (size_of::<Vector>() + self.order * self.order * size_of::<i128>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x := factor · x + constant, as a matrix for one variable.
    fn assignment(factor: i128, constant: i128) -> Basis {
        vec![vec![1, constant, 0, factor]]
    }

    #[test]
    fn statements_are_extended_in_their_order() {
        let domain = Affine::new(Scalars::Rationals, 1, 0);
        let found = domain.extend(&assignment(1, 1), &assignment(2, 0));
        assert_eq!(found, Ok(assignment(2, 2)));
    }

    #[test]
    fn combined_statements_span_what_lies_between_them() {
        let domain = Affine::new(Scalars::Rationals, 1, 0);
        let mut both = assignment(1, 1);
        assert_eq!(domain.combine_into(&mut both, &assignment(1, 3)), Ok(true));
        assert_eq!(both, vec![vec![1, 0, 0, 1], vec![0, 1, 0, 0]]);
        assert_eq!(domain.combine_into(&mut both, &assignment(1, 2)), Ok(false));
    }

    #[test]
    fn a_module_has_its_howell_form() {
        let domain = Affine::new(Scalars::Modulo(4), 1, 0);
        let mut both = vec![vec![2, 1, 0, 0]];
        assert_eq!(domain.combine_into(&mut both, &Vec::new()), Ok(true));
        assert_eq!(both, vec![vec![2, 1, 0, 0], vec![0, 2, 0, 0]]);
    }

    #[test]
    fn numbers_that_grow_too_large_are_an_error() {
        let domain = Affine::new(Scalars::Rationals, 1, 0);
        let mut power = assignment(3, 1);
        let grown = (0..100).try_for_each(|_| {
            power = domain.extend(&power, &power)?;
            Ok(())
        });
        assert_eq!(grown, Err(TooLarge));
    }

    #[test]
    fn the_largest_modulus_is_that_of_machine_words() {
        let domain = Affine::new(Scalars::Modulo(Scalars::LARGEST_MODULUS), 1, 0);
        let largest = i128::from(u64::MAX);
        let found = domain.extend(&assignment(largest, largest), &assignment(largest, 1));
        assert_eq!(found, Ok(assignment(1, 2)));
    }

    #[test]
    fn a_merged_call_leaves_the_locals_of_its_caller_alone() {
        let domain = Affine::new(Scalars::Rationals, 2, 1);
        let call = vec![vec![1, 5, 6, 0, 1, 7, 0, 8, 9]];
        assert_eq!(domain.merge(&call), Ok(vec![vec![1, 5, 0, 0, 1, 0, 0, 0, 1]]));
    }
}
