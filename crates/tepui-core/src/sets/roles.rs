//! Interchangeable threads that know themselves, up to symmetry.
//!
//! A shared state may name members of a family, that is, hold their identities in its cells. Two
//! states are equal up to symmetry if exchanging members, in the cells and in the order of stacks,
//! makes one of the other. So a state is kept in a normal form: the cells name the first members, in
//! the order of the cells ([`crate::program::normal_form::NormalForm`]); the thread that the k-th of
//! these identities stands for has the *role* k, and all others have role 0 and are in no order.
//! That is enough because no frame holds an identity.
//!
//! A step of a thread may change whom the cells name. Then other threads get other roles, too: that
//! is the *effect* of the step. Most steps have none.

use rustc_hash::FxHashMap;

use crate::ids::Id;
use crate::program::machine::Machine;
use crate::program::normal_form::NormalForm;
use crate::sets::states::{StateId, StateSet};
use crate::system::{Shared, System};

/// The families of a system, and the effects of steps that were met.
#[derive(Debug, Default)]
pub struct Roles {
    /// For each template, the family whose first template it is.
    families: Vec<Option<usize>>,
    /// How many bits a role takes.
    pub bits: u32,
    /// For each effect and family, the new role for each old one.
    effects: Vec<Vec<Vec<u32>>>,
    numbers: FxHashMap<Vec<Vec<u32>>, u32>,
}

impl Roles {
    /// The roles of the members of all families.
    pub fn new(system: &System) -> Self {
        let mut families = vec![None; system.templates.len()];
        for (number, family) in system.families().iter().enumerate() {
            families[family.template] = Some(number);
        }
        let naming = system.machine().map_or(0, Machine::naming);
        let largest = system.families().iter().map(|family| family.size).max().unwrap_or(0);
        let bits = usize::BITS - naming.min(largest).leading_zeros();
        Self { families, bits, effects: vec![Vec::new()], numbers: FxHashMap::default() }
    }

    /// The effect of a step of a member on others, from a shared state in normal form to another.
    pub fn effect(
        &mut self,
        before: &NormalForm,
        after: &NormalForm,
        mover: Option<(usize, usize)>,
    ) -> u32 {
        let mut changes = false;
        let mut roles: Vec<Vec<u32>> = Vec::new();
        for (family, named) in before.named.iter().enumerate() {
            let mut map = vec![0];
            for member in 0..named.len() {
                let new = after.role(family, member);
                changes |= new != member as u32 + 1 && mover != Some((family, member));
                map.push(new);
            }
            roles.push(map);
        }
        if !changes {
            return 0;
        }
        let next = self.effects.len() as u32;
        let number = *self.numbers.entry(roles.clone()).or_insert(next);
        if number == next {
            self.effects.push(roles);
        }
        number
    }

    /// The role that another thread has after a step with an effect.
    pub fn after(&self, effect: u32, template: usize, role: u32) -> u32 {
        let family = self.families.get(template).copied().flatten();
        family.map_or(0, |family| self.effects[effect as usize][family][role as usize])
    }
}

/// Which member of its family a thread is, with its number, if its template is that of a family: one
/// without a role is the first that the shared state, in normal form, does not name.
pub fn member(
    system: &mut System,
    template: usize,
    role: u32,
    shared: Shared,
) -> Option<(usize, usize)> {
    let family = system.families().iter().position(|family| family.template == template)?;
    let not_named = |system: &mut System| system.normal_form(shared).named[family].len();
    Some((family, (role as usize).checked_sub(1).unwrap_or_else(|| not_named(system))))
}

/// The template of the thread at a position of a state in normal form.
pub fn template_at<L: Id>(
    system: &mut System,
    set: &StateSet<L>,
    state: StateId,
    position: usize,
) -> usize {
    let template = set.template(position);
    if !set.has_roles() {
        return template;
    }
    let (_, role) = set.split(set.part(state, position));
    let found = member(system, template, role, set.shared(state));
    template + found.map_or(0, |(_, member)| member)
}
