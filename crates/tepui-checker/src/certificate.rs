//! Certificates that list states, as data, and what is asked of them.

use crate::rows::Rows;
use crate::system::Steps;
use crate::{Checked, Patience, orbits, rejected, states};

/// The part of a stack that is kept, and whether something lies below it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Local {
    /// Symbols, top first.
    pub word: Vec<u32>,
    /// Whether something lies below.
    pub more: bool,
}

/// How much a certificate keeps of stacks.
pub enum Kind {
    /// Whole stacks.
    States,
    /// Their top symbols.
    Cut {
        /// How many symbols.
        depth: usize,
        /// Whether it is known if something lies below.
        flags: bool,
        /// For each group, what may lie directly below which symbol.
        below: Vec<Vec<(u32, u32)>>,
    },
    /// Whole stacks, up to exchanging threads that know themselves.
    Orbits,
}

impl Kind {
    /// Whole or cut states, by what a certificate says about them.
    pub fn of_states(
        is_cut: bool,
        depth: i64,
        flags: bool,
        below: Vec<Vec<(u32, u32)>>,
    ) -> Checked<Self> {
        if is_cut {
            let depth = usize::try_from(depth).unwrap_or(0);
            return Ok(Self::Cut { depth, flags, below });
        }
        if depth != 0 || !below.is_empty() {
            return rejected("a certificate of whole states has neither a depth nor «below»");
        }
        Ok(Self::States)
    }
}

/// A set of states.
pub struct Certificate<'a> {
    /// What the states are.
    pub kind: Kind,
    /// A partition of the threads; within a group they are interchangeable, and ascending.
    pub groups: Vec<Vec<usize>>,
    /// For each group, the local states that occur, each once.
    pub tables: Vec<Vec<Local>>,
    /// The shared state, then for each thread the index of its local state.
    pub rows: Rows<'a>,
}

/// Visible states that are bad.
pub struct Pattern {
    /// Which shared state; None for any.
    pub shared: Option<u32>,
    /// For each thread, the class of the top of its stack; None for any.
    pub tops: Vec<Option<u32>>,
}

/// What must not be reachable.
#[derive(Default)]
pub struct Property {
    /// Visible states.
    pub patterns: Vec<Pattern>,
    /// States in which no thread can move, and one has something to do.
    pub deadlock: bool,
}

/// Return if the certificate proves that no bad state is reachable.
pub fn check(
    system: &mut dyn Steps,
    asked: &Property,
    certificate: &Certificate<'_>,
    patience: &Patience<'_>,
) -> Checked<()> {
    certificate.rows.check()?;
    check_groups(system, &certificate.groups, matches!(certificate.kind, Kind::Orbits))?;
    if certificate.tables.len() != certificate.groups.len() {
        return rejected("the certificate does not have one table of stacks for each group");
    }
    if certificate.rows.bits.len() != 1 + system.threads().len() {
        return rejected("the states of the certificate do not have one entry per thread");
    }
    match certificate.kind {
        Kind::Orbits => orbits::check(system, asked, certificate, patience),
        Kind::States | Kind::Cut { .. } => states::check(system, asked, certificate, patience),
    }
}

/// The groups are a partition of the threads, each ascending, and with equal threads: of one
/// template, or a family.
fn check_groups(system: &dyn Steps, groups: &[Vec<usize>], with_families: bool) -> Checked<()> {
    let threads = system.threads();
    let mut listed: Vec<usize> = groups.iter().flatten().copied().collect();
    listed.sort_unstable();
    if !listed.iter().copied().eq(0..threads.len()) {
        return rejected("the groups of the certificate are not a partition of the threads");
    }
    for group in groups {
        if group.is_empty() || !group.is_sorted() {
            return rejected("a group of the certificate is empty or not in order");
        }
        let are_equal = group.iter().all(|&thread| threads[thread] == threads[group[0]]);
        let is_family = with_families && system.families().contains(group);
        if !are_equal && !is_family {
            return rejected(format!("the threads of the group {group:?} are not interchangeable"));
        }
    }
    Ok(())
}

/// For each thread, its group.
pub(crate) fn group_of_thread(groups: &[Vec<usize>], threads: usize) -> Vec<usize> {
    let mut found = vec![0; threads];
    for (number, group) in groups.iter().enumerate() {
        for &thread in group {
            found[thread] = number;
        }
    }
    found
}
