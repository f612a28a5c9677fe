//! Which states are bad, also when threads of a group are interchangeable.
//!
//! `checker/bad_states.py` and `checker/stuck_cases.py` say why: a permutation of tops within a
//! group fits a pattern if and only if, for every class, at least as many tops as entries of the
//! pattern are of that class; and there is a deadlock if there is a case of the shared state in
//! which no thread can move, while one of them has something to do.

use std::collections::hash_map::Entry;

use crate::certificate::{Property, group_of_thread};
use crate::hashing::{QuickMap, QuickSet};
use crate::local_states::LocalStates;
use crate::system::{Case, Steps};
use crate::{Checked, Patience, rejected};

/// A pattern: a shared state, or any, and how often a class is on top within a group.
#[derive(PartialEq, Eq)]
struct Demand {
    shared: Option<u32>,
    counts: Vec<(usize, u32, usize)>,
}

/// The patterns of a property, closed under permutations within the groups.
pub(crate) struct BadPatterns<'a> {
    groups: &'a [Vec<usize>],
    /// For each group and local state, the class on top.
    classes: Vec<Vec<u32>>,
    /// For each group and local state, the patterns that can match only if it is there: a pattern
    /// is filed under one of its classes.
    filed: Vec<Vec<Vec<Demand>>>,
    /// The patterns that fix no top.
    open: Vec<Demand>,
    group_of: Vec<usize>,
}

impl<'a> BadPatterns<'a> {
    pub(crate) fn new(
        system: &dyn Steps,
        asked: &Property,
        groups: &'a [Vec<usize>],
        locals: &[LocalStates<'_>],
    ) -> Checked<Self> {
        let threads = system.threads();
        let classes: Vec<Vec<u32>> = groups
            .iter()
            .zip(locals)
            .map(|(group, locals)| {
                let tops = (0..locals.table.len() as u32).map(|local| locals.top(local));
                tops.map(|top| system.class_of(threads[group[0]], top)).collect()
            })
            .collect();
        let filed = classes.iter().map(|all| all.iter().map(|_| Vec::new()).collect()).collect();
        let group_of = group_of_thread(groups, threads.len());
        let mut found = Self { groups, classes, filed, open: Vec::new(), group_of };
        for pattern in &asked.patterns {
            if pattern.tops.len() != threads.len() {
                return rejected("a pattern of the property names another number of threads");
            }
            found.file(pattern.shared, &pattern.tops);
        }
        Ok(found)
    }

    /// Whether some permutation of a state fits a pattern.
    #[inline]
    pub(crate) fn has(&self, row: &[u32]) -> bool {
        let is_met = |demand: &Demand| self.is_met(demand, row);
        self.open.iter().any(is_met)
            || self
                .group_of
                .iter()
                .zip(&row[1..])
                .any(|(&group, &local)| self.filed[group][local as usize].iter().any(is_met))
    }

    fn is_met(&self, demand: &Demand, row: &[u32]) -> bool {
        demand.shared.is_none_or(|shared| shared == row[0])
            && demand.counts.iter().all(|&(group, class, count)| {
                let classes = &self.classes[group];
                let shows = |&&thread: &&usize| classes[row[1 + thread] as usize] == class;
                self.groups[group].iter().filter(shows).count() >= count
            })
    }

    fn file(&mut self, shared: Option<u32>, tops: &[Option<u32>]) {
        let mut counts: Vec<(usize, u32, usize)> = Vec::new();
        for (&group, class) in self.group_of.iter().zip(tops) {
            let Some(class) = *class else { continue };
            match counts.iter_mut().find(|(g, c, _)| (*g, *c) == (group, class)) {
                Some((_, _, count)) => *count += 1,
                None => counts.push((group, class, 1)),
            }
        }
        counts.sort_unstable();
        let Some(&(group, class, _)) = counts.first() else {
            self.open.push(Demand { shared, counts });
            return;
        };
        for (local, filed) in self.filed[group].iter_mut().enumerate() {
            let demand = Demand { shared, counts: counts.clone() };
            if self.classes[group][local] == class && !filed.contains(&demand) {
                filed.push(demand);
            }
        }
    }
}

/// Who is asked whether a thread is idle, who whether it can move, and the top of its stack: the
/// first two are templates, which differ where another thread stands for it.
pub(crate) type Shown = (usize, usize, u32);

/// The states in which no thread can move, and one has something to do.
#[derive(Default)]
pub(crate) struct Deadlocks {
    known: QuickMap<(usize, u32, u32), Vec<Case>>,
}

impl Deadlocks {
    pub(crate) fn has(
        &mut self,
        system: &mut dyn Steps,
        shared: u32,
        threads: &[Shown],
        patience: &Patience<'_>,
    ) -> Checked<bool> {
        if threads.iter().all(|&(template, _, top)| system.is_idle(template, shared, top)) {
            return Ok(false);
        }
        let mut cases = vec![Vec::new()];
        for &(_, template, top) in threads {
            let key = (template, shared, top);
            let stuck = match self.known.entry(key) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => {
                    place.insert(system.stuck(template, shared, top, patience)?)
                }
            };
            if stuck.iter().any(Vec::is_empty) {
                continue;
            }
            cases = both(&cases, stuck, patience)?;
            if cases.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// All cases that decide what one of `left` does and what one of `right` does, if these agree.
fn both(left: &[Case], right: &[Case], patience: &Patience<'_>) -> Checked<Vec<Case>> {
    let mut by_places: QuickMap<Vec<u32>, QuickSet<&Case>> = QuickMap::default();
    for case in right {
        let places = case.iter().map(|&(place, _)| place).collect();
        by_places.entry(places).or_default().insert(case);
    }
    let mut found = QuickSet::default();
    for case in left {
        for (places, same) in &by_places {
            let decided = case.iter().filter(|(place, _)| places.contains(place));
            let shadow: Case = decided.copied().collect();
            if shadow.len() == places.len() {
                patience.spend(1)?;
                if same.contains(&shadow) {
                    found.insert(case.clone());
                }
                continue;
            }
            for other in same {
                patience.spend(1)?;
                if shadow.iter().all(|one| other.contains(one)) {
                    let mut merged = case.clone();
                    merged.extend(other.iter().filter(|one| !case.contains(one)));
                    merged.sort_unstable();
                    found.insert(merged);
                }
            }
        }
    }
    Ok(found.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_agree_where_both_decide() {
        let patience = Patience::new(&|| true);
        let left = [vec![(0, 1)], vec![(0, 2)]];
        let right = [vec![(0, 2), (3, 7)], vec![(3, 8)], vec![(0, 4)]];
        let mut found = both(&left, &right, &patience).unwrap();
        found.sort();
        assert_eq!(found, [vec![(0, 1), (3, 8)], vec![(0, 2), (3, 7)], vec![(0, 2), (3, 8)]]);
        assert_eq!(both(&left, &[vec![(0, 3)]], &patience), Ok(Vec::new()));
        assert_eq!(both(&left, &[vec![(0, 2)]], &patience), Ok(vec![vec![(0, 2)]]));
    }
}
