//! Who can move: which states are deadlocks, and which places lie on complete paths.
//!
//! A step ends where the thread rests again. Inside an atomic section that takes a path to where the
//! section ends, or to a violation; so whether a thread can move is found backwards, from where it
//! rests, once for each shape. That is done when a thread has tried to move: the ways are known then
//! for all states that it can meet before it rests.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::nodes::{Bdd, Work};
use super::search::{BitsSearch, shape_cube, with_shape};
use super::stop::Stop;
use crate::limits::Meter;
use crate::program::Point;

/// For threads and their shapes, the states in which the thread comes to rest.
pub(super) type Able = FxHashMap<(usize, u32), Bdd>;

type Made<T> = Result<T, Stop>;

impl BitsSearch {
    /// Those of some states, in which all threads rest, where nobody can move, though some thread
    /// has not ended.
    pub(super) fn deadlocks(&mut self, states: Bdd, meter: &mut Meter) -> Made<Bdd> {
        let mut stuck = self.busy(states, meter)?;
        for thread in 0..self.threads.len() {
            for shape in 0..self.shapes[thread].all().len() as u32 {
                if stuck == Bdd::FALSE {
                    return Ok(stuck);
                }
                if !self.shapes[thread].all()[shape as usize].rests() {
                    continue;
                }
                let here = self.in_shape(thread, shape, stuck, meter)?;
                if here == Bdd::FALSE {
                    continue;
                }
                let able = self.able(thread, shape, meter)?;
                let cube = shape_cube(&mut self.nodes, &self.encoding, thread, shape);
                let mut work = Work { nodes: &mut self.nodes, meter };
                let able = work.and(able, cube)?;
                stuck = work.without(stuck, able)?;
            }
        }
        Ok(stuck)
    }

    /// Those of some states in which some thread has begun and not ended, and nothing has halted.
    fn busy(&mut self, states: Bdd, meter: &mut Meter) -> Made<Bdd> {
        let (waiting, hidden) =
            self.with_program(|program| (program.waiting, program.hidden.halted));
        let created: Vec<Option<u32>> = self.with_program(|program| {
            self.threads.iter().map(|info| program.threads[info.template].created).collect()
        });
        let Self { nodes, encoding, shapes, fixed, .. } = self;
        let mut work = Work { nodes, meter };
        let mut some = Bdd::FALSE;
        for (thread, all) in shapes.iter().enumerate() {
            for (number, shape) in all.all().iter().enumerate() {
                let Some(&top) = shape.points.last() else { continue };
                let mut set = shape_cube(work.nodes, encoding, thread, number as u32);
                if top == waiting {
                    let Some(created) = created[thread] else { continue };
                    let bit = encoding.shared[created as usize][0];
                    let is_created = fixed.bit(bit, true, &mut work);
                    set = work.and(set, is_created)?;
                }
                some = work.or(some, set)?;
            }
        }
        if let Some(halted) = hidden {
            let bit = encoding.shared[halted as usize][0];
            let runs = fixed.bit(bit, false, &mut work);
            some = work.and(some, runs)?;
        }
        Ok(work.and(states, some)?)
    }

    fn in_shape(&mut self, thread: usize, shape: u32, states: Bdd, meter: &mut Meter) -> Made<Bdd> {
        let mut work = Work { nodes: &mut self.nodes, meter };
        Ok(with_shape(&mut work, &self.encoding, thread, shape, states)?)
    }

    /// The states with a shape of a thread from which it comes to rest, after one edge or more.
    pub(super) fn able(&mut self, thread: usize, shape: u32, meter: &mut Meter) -> Made<Bdd> {
        if let Some(&known) = self.able.get(&(thread, shape)) {
            return Ok(known);
        }
        let inside = self.inside_from(thread, shape, meter)?;
        let mut found: BTreeMap<u32, Bdd> = inside.iter().map(|&each| (each, Bdd::FALSE)).collect();
        loop {
            let mut has_grown = false;
            for &each in inside.iter().rev() {
                let more = self.able_by(thread, each, &found, meter)?;
                has_grown |= found.insert(each, more) != Some(more);
            }
            if !has_grown {
                break;
            }
        }
        let made = self.able_by(thread, shape, &found, meter)?;
        self.able.extend(found.into_iter().map(|(each, set)| ((thread, each), set)));
        self.able.insert((thread, shape), made);
        Ok(made)
    }

    /// The shapes inside of atomic sections to which a thread may come before it rests.
    fn inside_from(&mut self, thread: usize, shape: u32, meter: &mut Meter) -> Made<BTreeSet<u32>> {
        let mut found = BTreeSet::new();
        let mut open = vec![shape];
        while let Some(each) = open.pop() {
            self.remember_ways(thread, each, meter)?;
            let Some(ways) = self.ways.get(&(thread, each)) else { continue };
            for way in ways {
                let rests = self.shapes[thread].all()[way.target as usize].rests();
                if !rests
                    && !self.able.contains_key(&(thread, way.target))
                    && found.insert(way.target)
                {
                    open.push(way.target);
                }
            }
        }
        Ok(found)
    }

    /// The states with a shape of a thread that an edge takes to where it rests, or to those found.
    fn able_by(
        &mut self,
        thread: usize,
        shape: u32,
        found: &BTreeMap<u32, Bdd>,
        meter: &mut Meter,
    ) -> Made<Bdd> {
        let Self { nodes, shapes, able, ways, .. } = self;
        let mut work = Work { nodes, meter };
        let mut made = Bdd::FALSE;
        // No state has a shape of which the ways are not known.
        for way in ways.get(&(thread, shape)).iter().flat_map(|ways| ways.iter()) {
            let after = if shapes[thread].all()[way.target as usize].rests() {
                Bdd::TRUE
            } else {
                found.get(&way.target).copied().unwrap_or_else(|| able[&(thread, way.target)])
            };
            let before = way.step.before(after, &mut work)?;
            made = work.or(made, before)?;
        }
        Ok(made)
    }

    /// For each type of threads, the points at which threads are or which they pass on complete
    /// paths, in the states that were found.
    pub fn points(&mut self, meter: &mut Meter) -> Made<Vec<Vec<Point>>> {
        let reached = self.rounds.last().expect("there is R_0").reached;
        let kinds = self.with_program(|program| {
            program.threads.iter().map(|thread| thread.kind as usize + 1).max().unwrap_or(0)
        });
        let mut found = vec![BTreeSet::new(); kinds];
        for thread in 0..self.threads.len() {
            for shape in 0..self.shapes[thread].all().len() as u32 {
                let (rests, top) = {
                    let shape = &self.shapes[thread].all()[shape as usize];
                    (shape.rests(), shape.points.last().copied())
                };
                let Some(top) = top else { continue };
                let states = if rests { reached } else { self.inside };
                let mut here = self.in_shape(thread, shape, states, meter)?;
                if here != Bdd::FALSE && !rests {
                    let able = self.able(thread, shape, meter)?;
                    here = Work { nodes: &mut self.nodes, meter }.and(here, able)?;
                }
                if here != Bdd::FALSE {
                    found[self.threads[thread].kind].insert(top);
                }
            }
        }
        Ok(found.into_iter().map(|points| points.into_iter().collect()).collect())
    }
}
