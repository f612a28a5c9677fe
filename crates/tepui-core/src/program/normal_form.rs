//! Interchangeable threads that know themselves, and shared states up to exchanging them.
//!
//! See [`crate::sets::roles`] for what that is good for.

use super::machine::Machine;
use super::{Program, Thread, Value};
use crate::system::Shared;

/// Threads of one type that know themselves, and are interchangeable nevertheless.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The template of the first; those of the others follow.
    pub template: usize,
    /// How many threads there are.
    pub size: usize,
    /// The identity of the first; those of the others follow.
    identity: Value,
}

impl Family {
    /// All families of a program.
    pub(super) fn all_of(program: &Program) -> Vec<Self> {
        let known = program.threads.iter().enumerate().filter(|(_, thread)| thread.interchangeable);
        let known: Vec<_> = known.collect();
        let of_types = known.chunk_by(|left, right| left.1.kind == right.1.kind);
        let family = |members: &[(usize, &Thread)]| Self {
            template: members[0].0,
            size: members.len(),
            identity: members[0].1.identity,
        };
        of_types.map(family).collect()
    }
}

/// The normal form of a shared state under exchanging the members of families: those that it names
/// are the first ones, in the order of the cells that name them first.
#[derive(Debug)]
pub struct NormalForm {
    /// The shared state.
    pub shared: Shared,
    /// For each family, the members that had to go to its first places.
    pub named: Vec<Vec<usize>>,
}

impl NormalForm {
    /// The place among those who are named, from 1 on, that a member has now; 0 if it is not named.
    pub fn role(&self, family: usize, member: usize) -> u32 {
        let place = self.named[family].iter().position(|&other| other == member);
        place.map_or(0, |place| place as u32 + 1)
    }
}

impl Machine {
    /// How many cells of a shared state name threads.
    pub fn naming(&self) -> usize {
        self.program().naming.len()
    }

    /// The normal form of a shared state.
    pub fn normal_form(&mut self, shared: Shared) -> NormalForm {
        let mut values = self.shared_values(shared);
        let mut named: Vec<Vec<usize>> = vec![Vec::new(); self.families().len()];
        for &cell in &self.program().naming {
            let value = &mut values[cell as usize];
            for (family, named) in self.families().iter().zip(&mut named) {
                let member = usize::try_from(*value - family.identity).unwrap_or(usize::MAX);
                if member < family.size {
                    let place = named.iter().position(|&other| other == member);
                    let place = place.unwrap_or_else(|| {
                        named.push(member);
                        named.len() - 1
                    });
                    *value = family.identity + place as Value;
                    break;
                }
            }
        }
        NormalForm { shared: self.shared_number(&values), named }
    }
}
