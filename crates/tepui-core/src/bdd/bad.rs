//! Which states are bad: those in which threads are at certain points.

use super::nodes::{Bdd, Work};
use super::search::{BitsSearch, shape_cube};
use super::stop::Stop;
use crate::limits::Meter;
use crate::program::Point;

/// What must not be: threads of these types at these points, each another one.
pub type Bad = Vec<(usize, Point)>;

impl BitsSearch {
    /// Those of some states that are bad.
    pub(super) fn bad_states(&mut self, states: Bdd, meter: &mut Meter) -> Result<Bdd, Stop> {
        let Self { nodes, encoding, shapes, threads, bad, .. } = self;
        let mut work = Work { nodes, meter };
        let mut found = Bdd::FALSE;
        let at = |work: &mut Work, thread: usize, point: Point| -> Result<Bdd, Stop> {
            let mut set = Bdd::FALSE;
            for (number, shape) in shapes[thread].all().iter().enumerate() {
                if shape.points.last() == Some(&point) {
                    let cube = shape_cube(work.nodes, encoding, thread, number as u32);
                    set = work.or(set, cube)?;
                }
            }
            Ok(set)
        };
        let of_kind = |kind: usize| {
            threads
                .iter()
                .enumerate()
                .filter(move |(_, info)| info.kind == kind)
                .map(|(thread, _)| thread)
        };
        for some in bad.iter() {
            match some[..] {
                [(kind, point)] => {
                    for thread in of_kind(kind) {
                        let set = at(&mut work, thread, point)?;
                        let set = work.and(states, set)?;
                        found = work.or(found, set)?;
                    }
                }
                [(kind, point), (other_kind, other_point)] => {
                    for thread in of_kind(kind) {
                        for other in of_kind(other_kind).filter(|&other| other != thread) {
                            let set = at(&mut work, thread, point)?;
                            let other = at(&mut work, other, other_point)?;
                            let set = work.and(set, other)?;
                            let set = work.and(states, set)?;
                            found = work.or(found, set)?;
                        }
                    }
                }
                _ => return Err(Stop::Refused("more than two threads are asked for".to_owned())),
            }
        }
        Ok(found)
    }
}
