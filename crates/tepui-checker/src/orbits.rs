//! Certificates that list states up to exchanging threads that know themselves.
//!
//! `checker/certificates/orbits.py` says what normal forms are, and has the proof that the checks
//! here are enough.

use crate::bad_states::{BadPatterns, Deadlocks, Shown};
use crate::certificate::{Certificate, Property, group_of_thread};
use crate::hashing::QuickMap;
use crate::local_states::{LocalStates, WHOLE};
use crate::rows::RowSet;
use crate::states::{Moves, read_rows};
use crate::system::Steps;
use crate::{Checked, Patience, rejected};

/// Return if the certificate proves that no bad state is reachable. Its groups are a partition of
/// the threads into equal ones and families, and each has a table.
pub(crate) fn check(
    system: &mut dyn Steps,
    asked: &Property,
    certificate: &Certificate<'_>,
    patience: &Patience<'_>,
) -> Checked<()> {
    let locals = tables(system, certificate)?;
    let mut places = Places::new(system, &certificate.groups);
    let mut states = read_rows(system, certificate, patience, |system, number, row| {
        if places.normal_form(system, row)? == row {
            return Ok(());
        }
        rejected(format!("state {number} of the certificate is no normal form"))
    })?;
    check_initial(system, certificate, &locals, &mut places, &mut states)?;
    check_not_bad(system, asked, certificate, &locals, &mut places, &mut states, patience)?;
    check_closed(system, certificate, &locals, &mut places, &mut states, patience)
}

/// A table for each group; all members of a family have the same symbols.
fn tables<'a>(
    system: &dyn Steps,
    certificate: &'a Certificate<'_>,
) -> Checked<Vec<LocalStates<'a>>> {
    let groups = certificate.groups.iter().zip(&certificate.tables);
    let tables = groups.map(|(group, table)| {
        let symbols = group.iter().map(|&thread| system.symbols(system.threads()[thread]));
        LocalStates::new(table, WHOLE, &[], symbols.min().unwrap_or(0))
    });
    tables.collect()
}

/// What a shared state means for normal forms.
struct Way {
    /// Its own normal form.
    shared: u32,
    /// For each group, the members that it names, in the order of its cells, and the others. Of
    /// groups that are no families, it names nobody.
    groups: Vec<(Vec<usize>, Vec<usize>)>,
}

/// Who is where in normal forms.
struct Places<'a> {
    groups: &'a [Vec<usize>],
    are_families: Vec<bool>,
    ways: QuickMap<u32, Way>,
}

impl<'a> Places<'a> {
    fn new(system: &dyn Steps, groups: &'a [Vec<usize>]) -> Self {
        let are_families = groups.iter().map(|group| system.families().contains(group)).collect();
        Self { groups, are_families, ways: QuickMap::default() }
    }

    fn way(&mut self, system: &mut dyn Steps, shared: u32) -> Checked<&Way> {
        if !self.ways.contains_key(&shared) {
            let way = self.new_way(system, shared)?;
            self.ways.insert(shared, way);
        }
        Ok(&self.ways[&shared])
    }

    fn new_way(&self, system: &mut dyn Steps, shared: u32) -> Checked<Way> {
        let all = system.named(shared)?;
        let (mut groups, mut names) = (Vec::new(), Vec::new());
        for (group, is_family) in self.groups.iter().zip(&self.are_families) {
            let is_named = |thread: &&usize| *is_family && group.contains(thread);
            let members: Vec<usize> = all.iter().filter(is_named).copied().collect();
            let others = group.iter().filter(|thread| !members.contains(thread)).copied().collect();
            names.extend(members.iter().copied().zip(group.iter().copied()));
            groups.push((members, others));
        }
        let is_normal = names.iter().all(|(old, new)| old == new);
        let shared = if is_normal { shared } else { system.renamed(shared, &names)? };
        Ok(Way { shared, groups })
    }

    /// How many members of a group a shared state names.
    fn named(&mut self, system: &mut dyn Steps, shared: u32, group: usize) -> Checked<usize> {
        Ok(self.way(system, shared)?.groups[group].0.len())
    }

    /// The thread whose rules are looked at in place of a thread, in normal form: of a family one
    /// that is not named stands for all others that are not.
    fn runner(
        &mut self,
        system: &mut dyn Steps,
        shared: u32,
        group: usize,
        thread: usize,
    ) -> Checked<usize> {
        if !self.are_families[group] {
            return Ok(thread);
        }
        let named = self.named(system, shared, group)?;
        let members = &self.groups[group];
        Ok(thread.min(members[named.min(members.len() - 1)]))
    }

    fn normal_form(&mut self, system: &mut dyn Steps, row: &[u32]) -> Checked<Vec<u32>> {
        let groups = self.groups;
        let way = self.way(system, row[0])?;
        let mut found = row.to_vec();
        found[0] = way.shared;
        for (group, (named, others)) in groups.iter().zip(&way.groups) {
            let mut rest: Vec<u32> = others.iter().map(|thread| row[1 + thread]).collect();
            rest.sort_unstable();
            let entries = named.iter().map(|thread| row[1 + thread]).chain(rest);
            for (thread, entry) in group.iter().zip(entries) {
                found[1 + thread] = entry;
            }
        }
        Ok(found)
    }
}

fn check_initial(
    system: &mut dyn Steps,
    certificate: &Certificate<'_>,
    locals: &[LocalStates<'_>],
    places: &mut Places<'_>,
    states: &mut RowSet,
) -> Checked<()> {
    let mut row = vec![0; 1 + system.threads().len()];
    row[0] = system.initial()?;
    for (group, locals) in certificate.groups.iter().zip(locals) {
        for &thread in group {
            let stack = system.stack(system.threads()[thread])?;
            row[1 + thread] = locals.initial(&stack)?;
        }
    }
    let found = places.normal_form(system, &row)?;
    if states.contains(&found) {
        Ok(())
    } else {
        rejected("the certificate lacks the initial state")
    }
}

fn check_not_bad(
    system: &mut dyn Steps,
    asked: &Property,
    certificate: &Certificate<'_>,
    locals: &[LocalStates<'_>],
    places: &mut Places<'_>,
    states: &mut RowSet,
    patience: &Patience<'_>,
) -> Checked<()> {
    if asked.patterns.iter().any(|pattern| pattern.shared.is_some()) {
        return rejected(
            "the property names shared states, and threads that know themselves cannot be \
             exchanged in them",
        );
    }
    let patterns = BadPatterns::new(system, asked, &certificate.groups, locals)?;
    let templates = system.threads().to_vec();
    let group_of = group_of_thread(&certificate.groups, templates.len());
    let mut deadlocks = Deadlocks::default();
    let mut shown: Vec<Shown> = Vec::new();
    states.each(patience, |_, _, row| {
        let mut is_bad = patterns.has(row);
        if asked.deadlock && !is_bad {
            shown.clear();
            for (thread, &group) in group_of.iter().enumerate() {
                let runner = places.runner(system, row[0], group, thread)?;
                let top = locals[group].top(row[1 + thread]);
                shown.push((templates[thread], templates[runner], top));
            }
            is_bad = deadlocks.has(system, row[0], &shown, patience)?;
        }
        if is_bad {
            rejected(format!("the certificate holds the bad state {row:?}"))
        } else {
            Ok(())
        }
    })
}

/// The normal form of every state after a step from a listed one is listed.
fn check_closed(
    system: &mut dyn Steps,
    certificate: &Certificate<'_>,
    locals: &[LocalStates<'_>],
    places: &mut Places<'_>,
    states: &mut RowSet,
    patience: &Patience<'_>,
) -> Checked<()> {
    let templates = system.threads().to_vec();
    let mut known = Moves::default();
    let mut after = Vec::new();
    states.each(patience, |states, _, row| {
        for (number, group) in certificate.groups.iter().enumerate() {
            let named = places.named(system, row[0], number)?;
            let mut previous = None;
            for (place, &thread) in group.iter().enumerate() {
                let local = row[1 + thread];
                if place >= named && previous.replace(local) == Some(local) {
                    continue;
                }
                let runner = places.runner(system, row[0], number, thread)?;
                let moves = known.of((runner as u32, row[0], local), || {
                    locals[number].moves(system, templates[runner], row[0], local, patience)
                })?;
                for &(target, moved) in moves {
                    after.clear();
                    after.extend_from_slice(row);
                    after[1 + thread] = row[1 + runner];
                    (after[0], after[1 + runner]) = (target, moved);
                    states.demand(&places.normal_form(system, &after)?)?;
                }
            }
        }
        Ok(())
    })
}
