//! Transformers of sets of facts, λx. (x ∩ keep) ∪ gen, where keep and gen have nothing in common,
//! combined by union or by intersection.

use std::convert::Infallible;

use crate::weighted::domain::Domain;

/// What several paths have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meet {
    /// The facts that hold on some path.
    Union,
    /// Those that hold on all paths.
    Intersection,
}

/// Transformers of sets of a number of facts.
#[derive(Clone, Copy, Debug)]
pub struct Sets {
    facts: usize,
    meet: Meet,
}

/// For every 64 facts, those that are kept and those that are generated; None if there is no path.
pub type Transformer = Option<Box<[(u64, u64)]>>;

impl Sets {
    /// Transformers of sets of this many facts.
    pub fn new(facts: u32, meet: Meet) -> Self {
        Self { facts: facts as usize, meet }
    }

    fn combined(&self, a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
        let ((a_keep, a_gen), (b_keep, b_gen)) = (a, b);
        match self.meet {
            Meet::Union => {
                let generated = a_gen | b_gen;
                ((a_keep | b_keep) & !generated, generated)
            }
            Meet::Intersection => {
                let generated = a_gen & b_gen;
                ((a_keep | a_gen) & (b_keep | b_gen) & !generated, generated)
            }
        }
    }
}

impl Domain for Sets {
    type Weight = Transformer;
    type Error = Infallible;

    fn one(&self) -> Transformer {
        let mut words = vec![(u64::MAX, 0); self.facts.div_ceil(64)];
        if let (Some(last), true) = (words.last_mut(), !self.facts.is_multiple_of(64)) {
            last.0 = (1 << (self.facts % 64)) - 1;
        }
        Some(words.into_boxed_slice())
    }

    fn zero(&self) -> Transformer {
        None
    }

    fn is_zero(&self, weight: &Transformer) -> Result<bool, Infallible> {
        Ok(weight.is_none())
    }

    fn extend(&self, first: &Transformer, second: &Transformer) -> Result<Transformer, Infallible> {
        let (Some(first), Some(second)) = (first, second) else { return Ok(None) };
        let words = first
            .iter()
            .zip(second)
            .map(|((a_keep, a_gen), (b_keep, b_gen))| (a_keep & b_keep, (a_gen & b_keep) | b_gen));
        Ok(Some(words.collect()))
    }

    fn combine_into(
        &self,
        into: &mut Transformer,
        weight: &Transformer,
    ) -> Result<bool, Infallible> {
        let Some(weight) = weight else { return Ok(false) };
        let Some(into) = into else {
            *into = Some(weight.clone());
            return Ok(true);
        };
        let mut changed = false;
        for (word, &other) in into.iter_mut().zip(weight) {
            let combined = self.combined(*word, other);
            changed |= combined != *word;
            *word = combined;
        }
        Ok(changed)
    }

    fn merge(&self, weight: &Transformer) -> Result<Transformer, Infallible> {
        Ok(weight.clone())
    }

    fn bytes(&self, weight: &Transformer) -> usize {
        weight.as_ref().map_or(0, |words| size_of_val(&**words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_transformer_has_the_last_word() {
        let domain = Sets::new(3, Meet::Union);
        let generate: Transformer = Some(Box::new([(0b110, 0b001)]));
        let kill: Transformer = Some(Box::new([(0b110, 0b000)]));
        assert_eq!(domain.extend(&generate, &kill), Ok(kill.clone()));
        assert_eq!(domain.extend(&kill, &generate), Ok(generate.clone()));
        assert_eq!(domain.extend(&domain.one(), &kill), Ok(kill));
        assert_eq!(domain.extend(&domain.zero(), &generate), Ok(None));
    }

    #[test]
    fn meets_are_unions_or_intersections() {
        let generate: Transformer = Some(Box::new([(0b10, 0b01)]));
        let keep: Transformer = Some(Box::new([(0b11, 0b00)]));
        let (union, intersection) = (Sets::new(2, Meet::Union), Sets::new(2, Meet::Intersection));
        let mut some = keep.clone();
        assert_eq!(union.combine_into(&mut some, &generate), Ok(true));
        assert_eq!(some, generate);
        let mut all = keep.clone();
        assert_eq!(intersection.combine_into(&mut all, &generate), Ok(false));
        assert_eq!(all, keep);
    }
}
