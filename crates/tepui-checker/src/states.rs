//! Certificates that list whole or cut states: no run from the initial state leaves them, and none
//! is bad. `checker/certificates/states.py` has the proof that the checks here are enough.

use crate::bad_states::{BadPatterns, Deadlocks, Shown};
use crate::certificate::{Certificate, Kind, Property, group_of_thread};
use crate::hashing::QuickMap;
use crate::local_states::{LocalStates, cut_of};
use crate::rows::RowSet;
use crate::system::Steps;
use crate::{Checked, Patience, rejected};

/// Return if the certificate proves that no bad state is reachable. Its groups are a partition of
/// the threads into equal ones, and each has a table.
pub(crate) fn check(
    system: &mut dyn Steps,
    asked: &Property,
    certificate: &Certificate<'_>,
    patience: &Patience<'_>,
) -> Checked<()> {
    let locals = tables(system, certificate)?;
    let mut states = read_states(system, certificate, patience)?;
    check_initial(system, certificate, &locals, &mut states)?;
    check_not_bad(system, asked, certificate, &locals, &mut states, patience)?;
    for (group, locals) in certificate.groups.iter().zip(&locals) {
        check_closed(system, group, locals, &mut states, patience)?;
    }
    Ok(())
}

fn tables<'a>(
    system: &dyn Steps,
    certificate: &'a Certificate<'_>,
) -> Checked<Vec<LocalStates<'a>>> {
    let cut = cut_of(&certificate.kind, certificate.groups.len())?;
    let groups = certificate.groups.iter().zip(&certificate.tables).enumerate();
    let tables = groups.map(|(number, (group, table))| {
        let pairs = match &certificate.kind {
            Kind::Cut { below, .. } => below[number].as_slice(),
            Kind::States | Kind::Orbits => &[],
        };
        LocalStates::new(table, cut, pairs, system.symbols(system.threads()[group[0]]))
    });
    tables.collect()
}

/// The listed states. All of them point into their tables, and are sorted within the groups.
fn read_states(
    system: &mut dyn Steps,
    certificate: &Certificate<'_>,
    patience: &Patience<'_>,
) -> Checked<RowSet> {
    read_rows(system, certificate, patience, |_, number, row| {
        let sorted = |group: &Vec<usize>| group.is_sorted_by_key(|thread| row[1 + thread]);
        if certificate.groups.iter().all(sorted) {
            return Ok(());
        }
        rejected(format!("state {number} of the certificate is not sorted within its groups"))
    })
}

/// The listed states, all of which point into their tables and pass a check of their form.
pub(crate) fn read_rows(
    system: &mut dyn Steps,
    certificate: &Certificate<'_>,
    patience: &Patience<'_>,
    mut check: impl FnMut(&mut dyn Steps, usize, &[u32]) -> Checked<()>,
) -> Checked<RowSet> {
    let group_of = group_of_thread(&certificate.groups, system.threads().len());
    let mut sizes = vec![system.shared_states()];
    sizes.extend(group_of.iter().map(|&group| certificate.tables[group].len() as u32));
    let mut states = RowSet::new(&sizes, certificate.rows.count)?;
    let mut row = Vec::new();
    patience.ask()?;
    for number in 0..certificate.rows.count {
        patience.spend(1)?;
        certificate.rows.read(number, &mut row)?;
        if row.iter().zip(&sizes).any(|(entry, size)| entry >= size) {
            return rejected(format!(
                "state {} of the certificate points outside its tables",
                number + 1
            ));
        }
        check(system, number + 1, &row)?;
        states.add(&row);
    }
    states.add_all();
    Ok(states)
}

fn check_initial(
    system: &mut dyn Steps,
    certificate: &Certificate<'_>,
    locals: &[LocalStates<'_>],
    states: &mut RowSet,
) -> Checked<()> {
    let mut row = vec![0; 1 + system.threads().len()];
    row[0] = system.initial()?;
    for (group, locals) in certificate.groups.iter().zip(locals) {
        let stack = system.stack(system.threads()[group[0]])?;
        let local = locals.initial(&stack)?;
        for &thread in group {
            row[1 + thread] = local;
        }
    }
    if states.contains(&row) { Ok(()) } else { rejected("the certificate lacks the initial state") }
}

fn check_not_bad(
    system: &mut dyn Steps,
    asked: &Property,
    certificate: &Certificate<'_>,
    locals: &[LocalStates<'_>],
    states: &mut RowSet,
    patience: &Patience<'_>,
) -> Checked<()> {
    let patterns = BadPatterns::new(system, asked, &certificate.groups, locals)?;
    let threads = system.threads().to_vec();
    let group_of = group_of_thread(&certificate.groups, threads.len());
    let mut deadlocks = Deadlocks::default();
    let mut shown: Vec<Shown> = Vec::new();
    states.each(patience, |_, _, row| {
        let mut is_bad = patterns.has(row);
        if asked.deadlock && !is_bad {
            shown.clear();
            shown.extend(threads.iter().enumerate().map(|(thread, &template)| {
                (template, template, locals[group_of[thread]].top(row[1 + thread]))
            }));
            is_bad = deadlocks.has(system, row[0], &shown, patience)?;
        }
        if is_bad {
            rejected(format!("the certificate holds the bad state {row:?}"))
        } else {
            Ok(())
        }
    })
}

/// Every step of a thread of a group from a listed state leads to a listed state.
fn check_closed(
    system: &mut dyn Steps,
    group: &[usize],
    locals: &LocalStates<'_>,
    states: &mut RowSet,
    patience: &Patience<'_>,
) -> Checked<()> {
    let template = system.threads()[group[0]];
    let mut known = Moves::default();
    let mut after = Vec::new();
    states.each(patience, |states, slot, row| {
        let mut previous = None;
        for (rank, &thread) in group.iter().enumerate() {
            let local = row[1 + thread];
            if previous.replace(local) == Some(local) {
                continue;
            }
            let moves = known.of((0, row[0], local), || {
                locals.moves(system, template, row[0], local, patience)
            })?;
            for &(target, moved) in moves {
                if let [only] = group {
                    states.demand_changed(slot, [(0, target), (1 + only, moved)])?;
                    continue;
                }
                after.clear();
                after.extend_from_slice(row);
                after[0] = target;
                move_within(&mut after, group, rank, moved);
                states.demand(&after)?;
            }
        }
        Ok(())
    })
}

/// Replace the entry of one thread of a group, whose entries stay sorted: the new one moves up or
/// down until it fits.
fn move_within(row: &mut [u32], group: &[usize], mut rank: usize, entry: u32) {
    while rank > 0 && row[1 + group[rank - 1]] > entry {
        row[1 + group[rank]] = row[1 + group[rank - 1]];
        rank -= 1;
    }
    while rank + 1 < group.len() && row[1 + group[rank + 1]] < entry {
        row[1 + group[rank]] = row[1 + group[rank + 1]];
        rank += 1;
    }
    row[1 + group[rank]] = entry;
}

/// What was found out about the steps of threads: by who it is, the shared state, and the local
/// state.
#[derive(Default)]
pub(crate) struct Moves {
    places: QuickMap<(u32, u32, u32), (usize, usize)>,
    all: Vec<(u32, u32)>,
}

impl Moves {
    pub(crate) fn of(
        &mut self,
        key: (u32, u32, u32),
        compute: impl FnOnce() -> Checked<Vec<(u32, u32)>>,
    ) -> Checked<&[(u32, u32)]> {
        let (start, end) = if let Some(&known) = self.places.get(&key) {
            known
        } else {
            let start = self.all.len();
            self.all.extend(compute()?);
            let place = (start, self.all.len());
            self.places.insert(key, place);
            place
        };
        Ok(&self.all[start..end])
    }
}

#[cfg(test)]
mod tests {
    use crate::certificate::{Certificate, Kind, Local, Pattern, Property, check};
    use crate::rows::Rows;
    use crate::system::{System, Template};
    use crate::{Checked, Patience, Problem};

    /// Two equal threads that go from a to b and pop b, each in shared state 0.
    fn system() -> System {
        let rules = vec![(0, 1, 0, vec![2]), (0, 2, 0, Vec::new())];
        let template = Template { symbols: 3, stack: vec![1], rules, ..Template::default() };
        System::new(1, 0, vec![template], vec![0, 0]).unwrap()
    }

    /// A certificate with the stacks a, b, ε of one group, and rows of two bits for each entry.
    fn checked(rows: &[[u8; 2]], asked: &Property) -> Checked<()> {
        let data: Vec<u8> = rows.iter().map(|[left, right]| left << 2 | right << 4).collect();
        let table = [vec![1], vec![2], vec![]].map(|word| Local { word, more: false });
        let certificate = Certificate {
            kind: Kind::States,
            groups: vec![vec![0, 1]],
            tables: vec![table.to_vec()],
            rows: Rows { count: rows.len(), bits: vec![2; 3], data: &data, first: None },
        };
        check(&mut system(), asked, &certificate, &Patience::new(&|| true))
    }

    const ALL: [[u8; 2]; 6] = [[0, 0], [0, 1], [1, 1], [0, 2], [1, 2], [2, 2]];

    #[test]
    fn all_reachable_states_are_a_proof_and_each_is_needed() {
        assert_eq!(checked(&ALL, &Property::default()), Ok(()));
        for left_out in 0..ALL.len() {
            let mut rows = ALL.to_vec();
            rows.remove(left_out);
            assert!(matches!(checked(&rows, &Property::default()), Err(Problem::Rejected(_))));
        }
    }

    #[test]
    fn states_are_sorted_within_groups_and_point_into_tables() {
        for wrong in [[1, 0], [0, 3]] {
            let rows = [&ALL[..], &[wrong]].concat();
            assert!(checked(&rows, &Property::default()).is_err());
        }
    }

    #[test]
    fn a_state_is_bad_if_a_permutation_of_it_is() {
        let pattern =
            |tops| Property { patterns: vec![Pattern { shared: None, tops }], deadlock: false };
        assert!(checked(&ALL, &pattern(vec![Some(2), Some(1)])).is_err());
        assert!(checked(&ALL, &pattern(vec![Some(2), Some(2)])).is_err());
        assert_eq!(checked(&ALL, &pattern(vec![Some(2), Some(3)])), Ok(()));
    }

    #[test]
    fn empty_stacks_are_no_deadlock() {
        let asked = Property { patterns: Vec::new(), deadlock: true };
        assert_eq!(checked(&ALL, &asked), Ok(()));
    }
}
