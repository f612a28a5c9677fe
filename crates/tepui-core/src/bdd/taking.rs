//! An edge that is being taken: what is required so far, and what becomes of which bits.

use std::collections::{BTreeMap, BTreeSet};

use super::effects::{Effects, Fresh, Moves};
use super::encoding::{MOST_FRAMES, Position, level};
use super::nodes::{Bdd, Work};
use super::numbers::Number;
use super::shapes::Shape;
use super::stop::Stop;
use super::values::Valued;
use super::walk::range_of;
use crate::program::expression::Expression;
use crate::program::{Destination, NO_VALUE, Place, Point, Procedure, Range, Source};

type Made<T> = Result<T, Stop>;

/// An edge that is being taken.
#[derive(Clone)]
pub(super) struct Taking<'m, 'p> {
    pub(super) moves: &'m Moves<'p>,
    pub(super) procedure: u32,
    pub(super) code: &'p Procedure,
    pub(super) depth: usize,
    pub(super) callee_depth: usize,
    pub(super) condition: Bdd,
    /// What bits become, by their positions.
    pub(super) changes: BTreeMap<Position, Bdd>,
    pub(super) freed: BTreeSet<Position>,
    /// What is written to bits that nobody cares about.
    pub(super) dead: Vec<(Position, Bdd)>,
    pub(super) afterwards: Bdd,
    pub(super) choices: Vec<(Vec<Position>, Range)>,
    pub(super) chosen: [usize; 2],
    pub(super) fresh: Vec<Fresh>,
}

/// The scalars that a destination may be, and where it is each of them; one of them; and where there
/// is one at all.
type Places = (Vec<(Place, Bdd)>, Place, Bdd);

/// Scalars, where each of them is written, and the digits that it gets there.
type Writes = Vec<(Place, Bdd, Vec<Bdd>)>;

impl<'m, 'p> Taking<'m, 'p> {
    pub(super) fn new(moves: &'m Moves<'p>, procedure: u32, depth: usize) -> Self {
        Self {
            moves,
            procedure,
            code: &moves.program.procedures[procedure as usize],
            depth,
            callee_depth: depth,
            condition: Bdd::TRUE,
            changes: BTreeMap::new(),
            freed: BTreeSet::new(),
            dead: Vec::new(),
            afterwards: Bdd::TRUE,
            choices: Vec::new(),
            chosen: [0, 0],
            fresh: Vec::new(),
        }
    }

    pub(super) fn finish(self, shape: Shape) -> Effects {
        let freed = self.freed;
        let mut dead = self.dead;
        let (unread, changes): (Vec<_>, Vec<_>) =
            self.changes.into_iter().partition(|(bit, _)| freed.contains(bit));
        dead.extend(unread);
        dead.retain(|&(bit, _)| self.moves.has_frame_of(bit, &shape));
        Effects {
            condition: self.condition,
            changes,
            dead,
            freed: freed.into_iter().collect(),
            afterwards: self.afterwards,
            shape,
            choices: self.choices,
            fresh: self.fresh,
        }
    }

    /// The effects of an edge that goes to a location of the same procedure, or out of it.
    pub(super) fn go(mut self, target: Option<u32>) -> Effects {
        let moves = self.moves;
        if let Some(target) = target {
            self.forget_dead(target);
            let shape = moves.gone(self.procedure, target);
            self.finish(shape)
        } else {
            self.free_frame(self.depth);
            self.finish(moves.left())
        }
    }

    pub(super) fn require(&mut self, condition: Bdd, work: &mut Work) -> Made<()> {
        self.condition = work.and(self.condition, condition)?;
        Ok(())
    }

    pub(super) fn digits(&self, place: Place) -> &'m [Position] {
        if place.global {
            &self.moves.encoding.shared[place.cell as usize]
        } else {
            &self.frame(self.procedure, self.depth)[place.cell as usize]
        }
    }

    pub(super) fn range(&self, place: Place) -> Range {
        range_of(self.moves.program, self.code, place)
    }

    pub(super) fn flag(&self, cell: u32, work: &mut Work) -> Made<Bdd> {
        match self.moves.encoding.shared[cell as usize][..] {
            [bit] => Ok(self.moves.given.bit(bit, work.nodes)),
            _ => Err(Stop::Refused("a flag of it is no Boolean".to_owned())),
        }
    }

    /// Whether results wait decides which edges can be taken.
    pub(super) fn require_full(&mut self, full: bool, work: &mut Work) -> Made<()> {
        if let Some(cell) = self.moves.program.hidden.full {
            let flag = self.flag(cell, work)?;
            let flag = if full { flag } else { work.not(flag)? };
            self.require(flag, work)?;
        } else if full {
            self.condition = Bdd::FALSE;
        }
        Ok(())
    }

    // What is stored.

    /// The digits of a value in a type; it is required that it can be stored.
    pub(super) fn kept(
        &mut self,
        valued: &Valued,
        range: Range,
        work: &mut Work,
    ) -> Made<Vec<Bdd>> {
        let (digits, fits) = work.stored(&valued.number, range)?;
        self.require(valued.known, work)?;
        self.require(fits, work)?;
        Ok(digits)
    }

    pub(super) fn stored(
        &mut self,
        from: &Source,
        range: Range,
        work: &mut Work,
    ) -> Made<Vec<Bdd>> {
        match from {
            Source::Later => {
                let (digits, known) = self.chosen(range, work)?;
                self.require(known, work)?;
                Ok(digits)
            }
            Source::Now(value) => {
                let valued = self.value(value, Some(range), work)?;
                self.kept(&valued, range, work)
            }
        }
    }

    /// What an assignment makes of which places, and where it does not block.
    pub(super) fn assigned(
        &mut self,
        to: &Destination,
        from: &Source,
        work: &mut Work,
    ) -> Made<(Writes, Bdd)> {
        let (places, first, known) = self.places(to, work)?;
        let digits = self.stored(from, self.range(first), work)?;
        let write = |(place, here)| (place, here, digits.clone());
        Ok((places.into_iter().map(write).collect(), known))
    }

    pub(super) fn places(&mut self, to: &Destination, work: &mut Work) -> Made<Places> {
        match to {
            Destination::Scalar(place) => Ok((vec![(*place, Bdd::TRUE)], *place, Bdd::TRUE)),
            Destination::Element(array, index) => {
                let index = self.value(index, None, work)?;
                let places = Self::elements(*array, &index.number, work)?;
                let mut inside = Bdd::FALSE;
                for &(_, here) in &places {
                    inside = work.or(inside, here)?;
                }
                Ok((places, array.first, work.and(index.known, inside)?))
            }
        }
    }

    /// Change bits where a place is assigned; elsewhere they stay.
    pub(super) fn write(&mut self, writes: Writes, work: &mut Work) -> Made<()> {
        for (place, here, digits) in writes {
            for (&bit, digit) in self.digits(place).iter().zip(digits) {
                let new = if here == Bdd::TRUE {
                    digit
                } else {
                    let old = self.becomes(bit, work);
                    work.if_then_else(here, digit, old)?
                };
                self.changes.insert(bit, new);
            }
        }
        Ok(())
    }

    /// A bit after what was written so far.
    pub(super) fn becomes(&self, bit: Position, work: &mut Work) -> Bdd {
        match self.changes.get(&bit) {
            Some(&changed) => changed,
            None => self.moves.given.bit(bit, work.nodes),
        }
    }

    pub(super) fn set_shared(&mut self, cell: u32, digits: Vec<Bdd>) {
        self.changes.extend(self.moves.encoding.shared[cell as usize].iter().copied().zip(digits));
    }

    /// The results are stored as they are: there is room for those of every procedure.
    pub(super) fn give_back(&mut self, values: &[Expression], work: &mut Work) -> Made<()> {
        let Some(full) = self.moves.program.hidden.full.filter(|_| !values.is_empty()) else {
            return Ok(());
        };
        self.set_shared(full, vec![Bdd::TRUE]);
        for (number, value) in values.iter().enumerate() {
            let range = self.code.results[number];
            let given = self.value(value, Some(range), work)?;
            let digits = self.kept(&given, range, work)?;
            let result = work.value_of(digits, range)?;
            let cell = full + 1 + number as u32;
            let (digits, _) = work.stored(&result, self.moves.program.cells[cell as usize])?;
            self.set_shared(cell, digits);
        }
        Ok(())
    }

    pub(super) fn receive(&mut self, targets: &[Option<Destination>], work: &mut Work) -> Made<()> {
        let program = self.moves.program;
        let Some(full) = program.hidden.full else { return Ok(()) };
        let mut writes = Vec::new();
        for (number, target) in targets.iter().enumerate() {
            let Some(target) = target else { continue };
            let cell = full + 1 + number as u32;
            let result = self.now(Place { global: true, cell }, work)?;
            let (places, first, known) = self.places(target, work)?;
            let valued = Valued { number: result, known };
            let digits = self.kept(&valued, self.range(first), work)?;
            writes.extend(places.into_iter().map(|(place, here)| (place, here, digits.clone())));
        }
        self.write(writes, work)?;
        self.set_shared(full, vec![Bdd::FALSE]);
        for cell in full + 1..=full + program.hidden.results {
            let (range, initial) = (program.cells[cell as usize], program.initial[cell as usize]);
            let (digits, _) = work.stored(&Number::constant(initial), range)?;
            self.set_shared(cell, digits);
        }
        Ok(())
    }

    pub(super) fn violate(mut self, violation: Point) -> Effects {
        if let Some(halted) = self.moves.program.hidden.halted {
            self.set_shared(halted, vec![Bdd::TRUE]);
        }
        let shape = self.moves.shape;
        let first = shape.outer.map_or(self.depth, |outer| outer as usize);
        for depth in first..=self.depth {
            self.free_frame(depth);
        }
        let mut points = shape.points[..first].to_vec();
        points.push(violation);
        self.finish(Shape { outer: None, points })
    }

    // Frames.

    /// A new frame, with the values that some cells are given.
    pub(super) fn enter(
        &mut self,
        procedure: u32,
        location: u32,
        given: &[(u32, Vec<Bdd>)],
        work: &mut Work,
    ) -> Made<()> {
        let program = self.moves.program;
        let code = &program.procedures[procedure as usize];
        if self.callee_depth >= MOST_FRAMES {
            return Err(Stop::Refused(format!(
                "a stack of it is deeper than {MOST_FRAMES} frames"
            )));
        }
        let frame = self.frame(procedure, self.callee_depth);
        for (cell, &range) in code.cells.iter().enumerate() {
            let digits = &frame[cell];
            let is_live = code.locations[location as usize].live[cell];
            let values = match given.iter().find(|(other, _)| *other as usize == cell) {
                Some((_, values)) => values.clone(),
                None if code.initial[cell] == NO_VALUE && !is_live => {
                    digits.iter().map(|&bit| work.nodes.bit(level(bit), true)).collect()
                }
                None if code.initial[cell] == NO_VALUE => {
                    self.freed.extend(digits);
                    let bits: Vec<Bdd> =
                        digits.iter().map(|&bit| work.nodes.bit(level(bit), true)).collect();
                    let known = within(&bits, range, work)?;
                    self.afterwards = work.and(self.afterwards, known)?;
                    let (cell, digits) = (cell as u32, digits.clone());
                    self.fresh.push(Fresh { procedure, cell, digits, range });
                    continue;
                }
                None => work.stored(&Number::constant(code.initial[cell]), range)?.0,
            };
            for (bit, value) in digits.iter().zip(values) {
                if is_live {
                    self.freed.remove(bit);
                    self.changes.insert(*bit, value);
                } else {
                    self.freed.insert(*bit);
                    self.dead.push((*bit, value));
                }
            }
        }
        Ok(())
    }

    pub(super) fn free_frame(&mut self, depth: usize) {
        let point = self.moves.shape.points[depth];
        if let Some((procedure, _)) = self.moves.program.location(point) {
            self.freed.extend(self.frame(procedure, depth).iter().flatten());
        }
    }

    /// The digits of the cells of a procedure's frame.
    fn frame(&self, procedure: u32, depth: usize) -> &'m [Vec<Position>] {
        &self.moves.encoding.frames[self.moves.thread][depth][&procedure]
    }

    /// Values that are never read again do not matter any more.
    pub(super) fn forget_dead(&mut self, location: u32) {
        let frame = self.frame(self.procedure, self.depth);
        let live = &self.code.locations[location as usize].live;
        for (digits, _) in frame.iter().zip(live).filter(|(_, live)| !**live) {
            self.freed.extend(digits);
        }
    }
}

/// There is a variant for each element of an array that may be written, up to this many together.
const MOST_VARIANTS: usize = 128;

/// Ways to take an edge after an assignment. What happens to one element of an array is a much smaller
/// relation than what happens to any of them, so there is a way for each.
pub(super) fn written<'m, 'p>(
    variants: Vec<Taking<'m, 'p>>,
    writes: &Writes,
    known: Bdd,
    work: &mut Work,
) -> Made<Vec<Taking<'m, 'p>>> {
    let splits = writes.len() > 1 && variants.len() * writes.len() <= MOST_VARIANTS;
    let mut found = Vec::new();
    for mut variant in variants {
        variant.require(known, work)?;
        if !splits {
            variant.write(writes.clone(), work)?;
            found.push(variant);
            continue;
        }
        for (place, here, digits) in writes {
            let mut there = variant.clone();
            there.require(*here, work)?;
            there.write(vec![(*place, Bdd::TRUE, digits.clone())], work)?;
            found.push(there);
        }
    }
    Ok(found)
}

/// Where digits are those of a value of a type.
pub(super) fn within(digits: &[Bdd], range: Range, work: &mut Work) -> Made<Bdd> {
    if range.size.is_power_of_two() {
        return Ok(Bdd::TRUE);
    }
    let number = Number::of_digits(digits.to_vec());
    Ok(work.less(&number, &Number::constant(range.size.cast_signed()))?)
}
