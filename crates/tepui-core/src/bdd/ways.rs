//! The ways to take a step from a shape of a thread, for the states that were met with it so far.

use std::sync::Arc;

use super::effects::{Effects, Moves};
use super::encoding::{Part, Position, level};
use super::given::{Given, Values, common};
use super::nodes::{Bdd, Nodes, Work};
use super::relation::Relation;
use super::search::BitsSearch;
use super::stop::Stop;
use crate::limits::Meter;
use crate::system::lock;

/// A way to take a step from a shape, and the shape to which it leads.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub step: Relation,
    pub target: u32,
}

/// What edges do, each with its number in its location.
pub(super) type AllEffects = Vec<(Option<usize>, Effects)>;

impl BitsSearch {
    /// Find the ways to take a step from states with a shape of a thread, if those that are known do
    /// not hold for them; what is given there.
    pub(super) fn find_ways(
        &mut self,
        thread: usize,
        shape: u32,
        states: Bdd,
        meter: &mut Meter,
    ) -> Result<Arc<Values>, Stop> {
        let mut values = self.values_in(thread, states);
        if let Some(known) = self.given.get(&(thread, shape)) {
            let known = Arc::clone(known);
            values = common(&known, &values);
            if values.len() == known.len() {
                self.remember_ways(thread, shape, meter)?;
                return Ok(known);
            }
            // No diagram has these.
            values.extend(self.fixed.values().iter());
        }
        let (effects, given) = self.effects_of(thread, shape, values, meter)?;
        let written = writes(&effects, &mut self.nodes);
        if self.write(&written, meter)? {
            self.ways.clear();
        }
        let all = self.ways_of(thread, effects, meter)?;
        let given = Arc::new(given);
        self.ways.insert((thread, shape), all);
        self.given.insert((thread, shape), Arc::clone(&given));
        self.able.clear();
        Ok(given)
    }

    /// Find the ways from a shape again if they were forgotten, for what is given there.
    pub(super) fn remember_ways(
        &mut self,
        thread: usize,
        shape: u32,
        meter: &mut Meter,
    ) -> Result<(), Stop> {
        if self.ways.contains_key(&(thread, shape)) {
            return Ok(());
        }
        if let Some(given) = self.given.get(&(thread, shape)) {
            let mut values = given.as_ref().clone();
            values.extend(self.fixed.values().iter());
            // Everything that these write was known when they were found first.
            let (effects, _) = self.effects_of(thread, shape, values, meter)?;
            let all = self.ways_of(thread, effects, meter)?;
            self.ways.insert((thread, shape), all);
        }
        Ok(())
    }

    /// The bits of the shared state, and of the frames of a thread, that are the same in some states.
    fn values_in(&self, thread: usize, states: Bdd) -> Values {
        let mut found = Values::new();
        for (level, on) in self.nodes.certain(states) {
            let position = level / 2;
            match self.encoding.parts[position as usize] {
                Part::Shared { .. } => (),
                Part::Frame { thread: other, .. } if other as usize == thread => (),
                _ => continue,
            }
            found.insert(position, on);
        }
        // What is fixed means something where it is read.
        found.extend(self.fixed.values().iter());
        found
    }

    /// What the edges from a shape of a thread do where something is given, and what of that they
    /// make use of.
    fn effects_of(
        &mut self,
        thread: usize,
        shape: u32,
        values: Values,
        meter: &mut Meter,
    ) -> Result<(AllEffects, Values), Stop> {
        let given = Given::new(values);
        let effects = self.effects(thread, shape, &given, meter)?;
        Ok((effects, given.used()))
    }

    /// The ways to take a step that have these effects.
    fn ways_of(
        &mut self,
        thread: usize,
        effects: AllEffects,
        meter: &mut Meter,
    ) -> Result<Vec<Way>, Stop> {
        let mut ways = Vec::new();
        for (_, mut each) in effects {
            each.changes.retain(|&(bit, _)| self.fixed.is_free(bit));
            let target = self.shapes[thread].number(&each.shape)?;
            let mut work = Work { nodes: &mut self.nodes, meter };
            ways.push(Way { step: Relation::of(&each, &mut work)?, target });
        }
        Ok(ways)
    }

    /// The same as functions, each with the edge of its location.
    pub(super) fn effects(
        &mut self,
        thread: usize,
        shape: u32,
        given: &Given,
        meter: &mut Meter,
    ) -> Result<AllEffects, Stop> {
        let system = lock(&self.handle);
        let program = system.machine().expect("it is a program").program();
        let Self { nodes, encoding, shapes, threads, .. } = self;
        let shape = &shapes[thread].all()[shape as usize];
        let moves = Moves { program, encoding, thread, info: threads[thread], shape, given };
        let mut work = Work { nodes, meter };
        let found = moves.all(&mut work)?;
        Ok(found.into_iter().filter(|(_, each)| each.condition != Bdd::FALSE).collect())
    }
}

/// All that is written, to which bits.
fn writes(effects: &AllEffects, nodes: &mut Nodes) -> Vec<(Position, Bdd)> {
    let mut found: Vec<(Position, Bdd)> = Vec::new();
    for (_, each) in effects {
        found.extend(&each.changes);
        found.extend(&each.dead);
        let fresh = each.fresh.iter().flat_map(|fresh| &fresh.digits);
        found.extend(fresh.map(|&bit| (bit, nodes.bit(level(bit), true))));
    }
    found
}
