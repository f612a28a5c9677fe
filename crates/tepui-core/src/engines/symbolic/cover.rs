//! Unions of products of languages, looked at thread by thread: whether they contain a product, and
//! how many states they have.
//!
//! At the first thread, the languages that the products have there cut its stacks into disjoint
//! parts. For the stacks of one part, what the other threads may have is the union of the rests of
//! those products whose language contains the part; so the same question is asked of the rests. Up
//! to symmetry, the first thread of a group may have any language of the group, and what remains of
//! it is for the others. Equal rests are one, however they came about.
//!
//! This is exact. It can take exponentially long, so it looks at the limits.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use crate::automata::stack_languages::{LanguageId, Languages};
use crate::limits::{Limit, Meter};

/// The languages of a product from some position on, sorted within groups.
pub(super) type Rest = Vec<LanguageId>;

/// What some products may have from a position on.
type Rests = BTreeSet<Rest>;

/// Questions about unions of products.
pub(super) struct Cover<'a, 'w> {
    languages: &'a mut Languages,
    /// For each position, where its group ends.
    ends: &'a [usize],
    meter: &'a mut Meter<'w>,
    /// How many rests were looked at.
    work: usize,
}

impl<'a, 'w> Cover<'a, 'w> {
    /// After how many rests to look at the limits.
    const WORK_BETWEEN_LOOKS: usize = 256;

    /// For positions in groups with these ends.
    pub(super) fn new(
        languages: &'a mut Languages,
        ends: &'a [usize],
        meter: &'a mut Meter<'w>,
    ) -> Self {
        Self { languages, ends, meter, work: 0 }
    }

    /// Whether every state of a product is one of some others.
    pub(super) fn covers(&mut self, others: Rests, product: &[LanguageId]) -> Result<bool, Limit> {
        self.covers_from(0, others, product, &mut FxHashMap::default())
    }

    /// How many states some products have together, every permutation counted, where all
    /// languages are finite.
    pub(super) fn count(&mut self, products: Rests) -> Result<BigUint, Limit> {
        self.count_from(0, products, &mut FxHashMap::default())
    }

    fn covers_from(
        &mut self,
        position: usize,
        others: Rests,
        product: &[LanguageId],
        known: &mut FxHashMap<Rests, bool>,
    ) -> Result<bool, Limit> {
        if let Some(&known) = known.get(&others) {
            return Ok(known);
        }
        self.look(others.len())?;
        for other in &others {
            if self.includes(position, other, product)? {
                return Ok(true);
            }
        }
        let mut covered = !others.is_empty();
        if covered {
            for (_, rests) in self.parts(position, product[0], &others)? {
                covered = covered && self.covers_from(position + 1, rests, &product[1..], known)?;
            }
        }
        known.insert(others, covered);
        Ok(covered)
    }

    fn count_from(
        &mut self,
        position: usize,
        products: Rests,
        known: &mut FxHashMap<Rests, BigUint>,
    ) -> Result<BigUint, Limit> {
        if position == self.ends.len() {
            return Ok(products.len().into());
        }
        if let Some(known) = known.get(&products) {
            return Ok(known.clone());
        }
        self.look(products.len())?;
        let mut whole = LanguageId::EMPTY;
        for &language in products.iter().flat_map(|rest| &rest[..self.ends[position] - position]) {
            whole = self.languages.union(whole, language, self.meter)?;
        }
        let mut count = BigUint::ZERO;
        for (part, rests) in self.parts(position, whole, &products)? {
            let stacks = self.languages.count(part, self.meter)?.expect("a finite language");
            count += stacks * self.count_from(position + 1, rests, known)?;
        }
        known.insert(products, count.clone());
        Ok(count)
    }

    /// Whether one product includes another, both from a position on.
    fn includes(
        &mut self,
        mut position: usize,
        larger: &Rest,
        smaller: &[LanguageId],
    ) -> Result<bool, Limit> {
        let first = position;
        while let Some(&end) = self.ends.get(position) {
            let start = position - first;
            let in_group = (&larger[start..], &smaller[start..]);
            if !self.languages.include_all(end - position, in_group, self.meter)? {
                return Ok(false);
            }
            position = end;
        }
        Ok(true)
    }

    /// Disjoint parts of a language for the thread at a position, each with what remains of the
    /// products in which the thread may have all its stacks.
    fn parts(
        &mut self,
        position: usize,
        whole: LanguageId,
        products: &Rests,
    ) -> Result<Vec<(LanguageId, Rests)>, Limit> {
        let in_group = self.ends[position] - position;
        let mut choices: BTreeMap<LanguageId, Rests> = BTreeMap::new();
        for product in products {
            for place in (0..in_group).filter(|&at| at == 0 || product[at] != product[at - 1]) {
                let mut rest = product.clone();
                let language = rest.remove(place);
                choices.entry(language).or_default().insert(rest);
            }
        }
        let mut parts = vec![(whole, Rests::new())];
        for (language, rests) in choices {
            for index in 0..parts.len() {
                let part = parts[index].0;
                let common = self.languages.intersection(part, language, self.meter)?;
                if common == LanguageId::EMPTY {
                    continue;
                }
                if common != part {
                    let other = self.languages.difference(part, common, self.meter)?;
                    parts.push((other, parts[index].1.clone()));
                }
                parts[index].0 = common;
                parts[index].1.extend(rests.iter().cloned());
            }
        }
        Ok(parts)
    }

    fn look(&mut self, work: usize) -> Result<(), Limit> {
        let before = self.work / Self::WORK_BETWEEN_LOOKS;
        self.work += work + 1;
        if self.work / Self::WORK_BETWEEN_LOOKS == before {
            return Ok(());
        }
        self.meter.reached(0, self.languages.bytes()).map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::system::short::s;

    /// The languages {1}, {2} and {1, 2}, by which the rows below are written.
    fn with_cover<T>(
        ends: &[usize],
        ask: impl FnOnce(&mut Cover, &dyn Fn(&[usize]) -> Rest) -> T,
    ) -> T {
        let mut languages = Languages::default();
        let (one, two) = (languages.singleton(&[s(1)]), languages.singleton(&[s(2)]));
        let mut meter = Meter::over(Limits::default());
        let both = languages.union(one, two, &mut meter).unwrap();
        let known = [one, two, both];
        let row = |numbers: &[usize]| numbers.iter().map(|&number| known[number - 1]).collect();
        ask(&mut Cover::new(&mut languages, ends, &mut meter), &row)
    }

    #[test]
    fn several_products_can_cover_one_that_none_of_them_includes() {
        with_cover(&[1, 2], |cover, row| {
            let parts = Rests::from([row(&[1, 3]), row(&[2, 1]), row(&[2, 2])]);
            assert_eq!(cover.covers(parts.clone(), &row(&[3, 3])), Ok(true));
            for part in &parts {
                let others = parts.iter().filter(|other| *other != part).cloned().collect();
                assert_eq!(cover.covers(others, &row(&[3, 3])), Ok(false));
            }
        });
    }

    #[test]
    fn equal_threads_may_change_places() {
        let asked = |ends: &[usize]| {
            with_cover(ends, |cover, row| {
                let parts = Rests::from([row(&[1, 1]), row(&[1, 2]), row(&[2, 2])]);
                let covered = cover.covers(parts.clone(), &row(&[3, 3])).unwrap();
                (covered, cover.count(parts).unwrap())
            })
        };
        assert_eq!(asked(&[2, 2]), (true, 4_u8.into()));
        assert_eq!(asked(&[1, 2]), (false, 3_u8.into()));
    }

    #[test]
    fn states_of_several_products_are_counted_once() {
        with_cover(&[1, 2], |cover, row| {
            let parts = Rests::from([row(&[3, 1]), row(&[1, 3]), row(&[1, 1])]);
            assert_eq!(cover.count(parts), Ok(3_u8.into()));
        });
    }
}
