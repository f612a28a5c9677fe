//! Bits that have had one value so far, wherever they mean something.
//!
//! Most bits of a program never change: what is stored in the heap and never touched again, who a
//! thread is, what a procedure is always called with. Diagrams have no such bits. A bit is *unborn*
//! as long as nothing was written to it; it is *fixed* once it has a value; and when something else
//! is written to it, it becomes *free*, a bit of the diagrams like any other, and all sets that are
//! still needed learn what it was until then.
//!
//! Sets that are kept for reading a run back are not changed any more: with each of them lies what was
//! fixed when it was made.

use std::sync::Arc;

use super::encoding::{Encoding, Part, Position, level};
use super::given::Values;
use super::nodes::{Bdd, Work};
use super::search::{BitsSearch, shape_cube};
use super::shapes::Shape;
use crate::limits::{Limit, Meter};
use crate::program::Program;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Unborn,
    Fixed(bool),
    Free,
}

/// What is known about each bit.
#[derive(Debug)]
pub(super) struct Fixed {
    status: Vec<Status>,
    /// All that are fixed.
    values: Arc<Values>,
}

impl Fixed {
    pub(super) fn new(encoding: &Encoding) -> Self {
        let is_value = |part: &Part| matches!(part, Part::Shared { .. } | Part::Frame { .. });
        let status = |part| if is_value(part) { Status::Unborn } else { Status::Free };
        Self { status: encoding.parts.iter().map(status).collect(), values: Arc::default() }
    }

    /// All bits that are fixed.
    pub(super) fn values(&self) -> &Arc<Values> {
        &self.values
    }

    /// Whether diagrams have a bit.
    pub(super) fn is_free(&self, bit: Position) -> bool {
        self.status[bit as usize] == Status::Free
    }

    /// A bit before a step, as a function.
    pub(super) fn bit(&self, position: Position, on: bool, work: &mut Work) -> Bdd {
        match self.status[position as usize] {
            Status::Fixed(value) if value == on => Bdd::TRUE,
            Status::Fixed(_) => Bdd::FALSE,
            _ => work.nodes.bit(level(position), on),
        }
    }

    /// The digits of a scalar begin with those of a number.
    pub(super) fn start(&mut self, digits: &[Position], number: u128) {
        for (place, &bit) in digits.iter().enumerate() {
            self.write(bit, truth(number >> place & 1 == 1));
        }
    }

    /// Bits may be anything from the beginning.
    pub(super) fn release(&mut self, bits: &[Position]) {
        for &bit in bits {
            self.status[bit as usize] = Status::Free;
        }
    }

    /// What a bit is until now, if it cannot be fixed any more when this is written to it.
    fn until(&self, position: Position, value: Bdd) -> Option<bool> {
        match (self.status[position as usize], value) {
            (Status::Fixed(was), _) if value != truth(was) => Some(was),
            _ => None,
        }
    }

    /// This is written to a bit.
    fn write(&mut self, position: Position, value: Bdd) {
        let status = &mut self.status[position as usize];
        let is = match (*status, value) {
            (Status::Unborn, Bdd::TRUE | Bdd::FALSE) => Status::Fixed(value == Bdd::TRUE),
            (Status::Fixed(true), Bdd::TRUE) | (Status::Fixed(false), Bdd::FALSE) => return,
            _ => Status::Free,
        };
        if *status != is {
            *status = is;
            let values = Arc::make_mut(&mut self.values);
            match is {
                Status::Fixed(on) => values.insert(position, on),
                _ => values.remove(&position),
            };
        }
    }
}

fn truth(on: bool) -> Bdd {
    if on { Bdd::TRUE } else { Bdd::FALSE }
}

/// Whether a bit means something where a thread has a shape, if it is a bit of that thread.
fn means_something(part: Part, thread: usize, shape: &Shape, program: &Program) -> bool {
    let Part::Frame { thread: owner, depth, procedure, cell, .. } = part else { return true };
    if owner as usize != thread {
        return true;
    }
    let Some(&point) = shape.points.get(depth as usize) else { return false };
    program.location(point).is_some_and(|(there, location)| {
        there == procedure
            && program.procedures[there as usize].locations[location as usize].live[cell as usize]
    })
}

impl BitsSearch {
    /// These values are written to bits. Where that frees some, all sets that are needed learn what
    /// they were; and whether that was so.
    pub(super) fn write(
        &mut self,
        writes: &[(Position, Bdd)],
        meter: &mut Meter,
    ) -> Result<bool, Limit> {
        let freed: Vec<(Position, bool)> = writes
            .iter()
            .filter_map(|&(bit, value)| Some((bit, self.fixed.until(bit, value)?)))
            .collect();
        let mut learned: Vec<Bdd> = self.needed().into_iter().map(|(set, _)| *set).collect();
        for &(bit, was) in &freed {
            let part = self.encoding.parts[bit as usize];
            let everywhere = self.implied(part, bit, was, meter)?;
            let shapes: Vec<_> = self.needed().into_iter().map(|(_, shape)| shape).collect();
            for (set, shape) in learned.iter_mut().zip(shapes) {
                let holds = match shape {
                    Some((thread, shape)) if is_of(part, thread) => {
                        if self.means_something(part, thread, shape) {
                            self.nodes.bit(level(bit), was)
                        } else {
                            Bdd::TRUE
                        }
                    }
                    _ => everywhere,
                };
                *set = Work { nodes: &mut self.nodes, meter }.and(*set, holds)?;
            }
        }
        // Nothing fails from here on.
        for ((set, _), new) in self.needed().into_iter().zip(learned) {
            *set = new;
        }
        for &(bit, value) in writes {
            self.fixed.write(bit, value);
        }
        Ok(!freed.is_empty())
    }

    /// That a bit is so where it means something.
    pub(super) fn implied(
        &mut self,
        part: Part,
        bit: Position,
        was: bool,
        meter: &mut Meter,
    ) -> Result<Bdd, Limit> {
        let is = self.nodes.bit(level(bit), was);
        let Part::Frame { thread, .. } = part else { return Ok(is) };
        let thread = thread as usize;
        let mut nowhere = Bdd::TRUE;
        for shape in 0..self.shapes[thread].all().len() as u32 {
            if self.means_something(part, thread, shape) {
                let cube = shape_cube(&mut self.nodes, &self.encoding, thread, shape);
                nowhere = Work { nodes: &mut self.nodes, meter }.without(nowhere, cube)?;
            }
        }
        Work { nodes: &mut self.nodes, meter }.or(nowhere, is)
    }

    /// Whether a bit means something where a thread has a shape, if it is a bit of that thread.
    pub(super) fn means_something(&self, part: Part, thread: usize, shape: u32) -> bool {
        let shape = &self.shapes[thread].all()[shape as usize];
        self.with_program(|program| means_something(part, thread, shape, program))
    }
}

fn is_of(part: Part, thread: usize) -> bool {
    matches!(part, Part::Frame { thread: owner, .. } if owner as usize == thread)
}
