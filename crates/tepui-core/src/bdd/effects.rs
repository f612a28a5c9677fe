//! What an edge does, as functions of bits: a condition, and the new values of some bits.
//!
//! All choices are bits of their own, which nobody cares about afterwards. An expression has a value
//! where its evaluation does not block, and the condition says where that is.

use super::encoding::{Encoding, Part, Position};
use super::given::Given;
use super::nodes::{Bdd, Work};
use super::shapes::{Shape, ThreadInfo};
use super::stop::Stop;
use super::taking::{Taking, written};
use crate::program::{Action, Edge, Program, Range};

/// What one way to take an edge does.
#[derive(Clone, Debug)]
pub struct Effects {
    /// Where it can be taken, and with which choices.
    pub condition: Bdd,
    /// The bits that change, and what they become.
    pub changes: Vec<(Position, Bdd)>,
    /// The bits that nobody cares about afterwards.
    pub freed: Vec<Position>,
    /// What holds for the bits that variables without a value have got.
    pub afterwards: Bdd,
    /// What is written to bits that nobody cares about, though their frame is still there.
    pub dead: Vec<(Position, Bdd)>,
    /// The shape of the thread after it.
    pub shape: Shape,
    /// The choices: their bits, and their types.
    pub choices: Vec<(Vec<Position>, Range)>,
    /// The variables without a value of a frame that is new: their cells.
    pub fresh: Vec<Fresh>,
}

/// A variable without a value of a frame that is new.
#[derive(Clone, Debug)]
pub struct Fresh {
    /// Its procedure.
    pub procedure: u32,
    /// Its cell.
    pub cell: u32,
    /// Its bits.
    pub digits: Vec<Position>,
    /// Its type.
    pub range: Range,
}

/// The effects of the edges of one thread with a shape.
pub struct Moves<'p> {
    /// The program.
    pub program: &'p Program,
    /// Its bits.
    pub encoding: &'p Encoding,
    /// The thread.
    pub thread: usize,
    /// What it runs.
    pub info: ThreadInfo,
    /// Its shape.
    pub shape: &'p Shape,
    /// What is given before.
    pub given: &'p Given,
}

type Made<T> = Result<T, Stop>;

impl Moves<'_> {
    /// All ways to take a step, each with the number of the edge in its location; a thread that
    /// waits has none.
    pub fn all(&self, work: &mut Work) -> Made<Vec<(Option<usize>, Effects)>> {
        let Some(&top) = self.shape.points.last() else { return Ok(Vec::new()) };
        if top == self.program.waiting {
            return Ok(self.start(work)?.into_iter().map(|effects| (None, effects)).collect());
        }
        let Some((procedure, location)) = self.program.location(top) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        let edges = &self.program.procedures[procedure as usize].locations[location as usize].edges;
        for (number, edge) in edges.iter().enumerate() {
            found.extend(
                self.of_edge(procedure, edge, work)?
                    .into_iter()
                    .map(|effects| (Some(number), effects)),
            );
        }
        Ok(found)
    }

    fn start(&self, work: &mut Work) -> Made<Option<Effects>> {
        let template = &self.program.threads[self.info.template];
        let Some(created) = template.created else { return Ok(None) };
        let mut taking = Taking::new(self, template.procedure, 0);
        taking.condition = taking.flag(created, work)?;
        taking.require_full(false, work)?;
        let mut given = Vec::new();
        for &(cell, global) in &template.inherited {
            let digits = &self.encoding.shared[global as usize];
            let digits = digits.iter().map(|&bit| self.given.bit(bit, work.nodes));
            given.push((cell, digits.collect()));
        }
        taking.enter(template.procedure, template.start, &given, work)?;
        let point = self.program.point(template.procedure, template.start);
        Ok(Some(taking.finish(Shape { outer: None, points: vec![point] })))
    }

    fn of_edge(&self, procedure: u32, edge: &Edge, work: &mut Work) -> Made<Vec<Effects>> {
        let depth = self.shape.points.len() - 1;
        let mut taking = Taking::new(self, procedure, depth);
        taking.require_full(matches!(edge.action, Action::Receive(_)), work)?;
        let guard = taking.holds(&edge.guard, work)?;
        taking.require(guard, work)?;
        let mut found = Vec::new();
        match &edge.action {
            Action::Step(assignments, constraint) => {
                let mut values = Vec::new();
                for (to, from) in assignments {
                    values.push(taking.assigned(to, from, work)?);
                }
                let mut variants = vec![taking];
                for (writes, known) in values {
                    variants = written(variants, &writes, known, work)?;
                }
                for mut variant in variants {
                    let kept = variant.holds(constraint, work)?;
                    variant.require(kept, work)?;
                    found.push(variant.go(edge.target));
                }
                return Ok(found);
            }
            Action::Call { procedure: callee, is_tail, arguments } => {
                let cells = &self.program.procedures[*callee as usize].cells;
                let mut given = Vec::new();
                for (cell, (argument, &range)) in arguments.iter().zip(cells).enumerate() {
                    given.push((cell as u32, taking.stored(argument, range, work)?));
                }
                let Some(target) = edge.target else { return Ok(found) };
                let shape = self.called(procedure, target, *callee, *is_tail);
                if *is_tail {
                    taking.free_frame(depth);
                } else {
                    taking.forget_dead(target);
                }
                taking.callee_depth = shape.points.len() - 1;
                let entry = self.program.procedures[*callee as usize].entry;
                taking.enter(*callee, entry, &given, work)?;
                found.push(taking.finish(shape));
                return Ok(found);
            }
            Action::Receive(targets) => taking.receive(targets, work)?,
            Action::Return(values) => taking.give_back(values, work)?,
            Action::Assert(condition, violation) => {
                let valued = taking.value(condition, None, work)?;
                let holds = work.is_true(&valued.number)?;
                let fails = work.without(valued.known, holds)?;
                let holds = work.and(valued.known, holds)?;
                let mut failing = taking.clone();
                failing.require(fails, work)?;
                found.push(failing.violate(*violation));
                taking.require(holds, work)?;
            }
            Action::Create(values) => {
                for (cell, value) in values {
                    let range = self.program.cells[*cell as usize];
                    let given = taking.value(value, Some(range), work)?;
                    let digits = taking.kept(&given, range, work)?;
                    taking.set_shared(*cell, digits);
                }
            }
            Action::End => (),
        }
        let leaves = matches!(edge.action, Action::Return(_) | Action::End);
        found.push(taking.go(edge.target.filter(|_| !leaves)));
        Ok(found)
    }

    /// Whether a bit is one of a frame of the thread that is there if it has a shape.
    pub(super) fn has_frame_of(&self, bit: Position, shape: &Shape) -> bool {
        let Part::Frame { depth, procedure, .. } = self.encoding.parts[bit as usize] else {
            return false;
        };
        let point = shape.points.get(depth as usize);
        let there = point.and_then(|&point| self.program.location(point));
        there.is_some_and(|(there, _)| there == procedure)
    }

    fn is_atomic(&self, procedure: u32, location: u32) -> bool {
        self.program.procedures[procedure as usize].locations[location as usize].atomic
    }

    /// Where the atomic section has begun in which the thread is at a location of its top frame.
    fn outer(&self, procedure: u32, location: u32) -> Option<u32> {
        let depth = self.shape.points.len() as u32 - 1;
        match self.shape.outer {
            Some(outer) if outer < depth => Some(outer),
            _ => self.is_atomic(procedure, location).then_some(depth),
        }
    }

    pub(super) fn gone(&self, procedure: u32, target: u32) -> Shape {
        let mut points = self.shape.points.clone();
        points.pop();
        points.push(self.program.point(procedure, target));
        Shape { outer: self.outer(procedure, target), points }
    }

    fn called(&self, procedure: u32, target: u32, callee: u32, is_tail: bool) -> Shape {
        let mut points = self.shape.points.clone();
        points.pop();
        if !is_tail {
            points.push(self.program.point(procedure, target));
        }
        let entry = self.program.procedures[callee as usize].entry;
        points.push(self.program.point(callee, entry));
        Shape { outer: self.outer(procedure, target), points }
    }

    pub(super) fn left(&self) -> Shape {
        let depth = self.shape.points.len() as u32 - 1;
        let mut points = self.shape.points.clone();
        points.pop();
        Shape { outer: self.shape.outer.filter(|&outer| outer < depth), points }
    }
}
