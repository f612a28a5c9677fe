//! The shape of a thread: where each frame of its stack is, and in which atomic section it is.

use rustc_hash::FxHashMap;

use super::encoding::MOST_SHAPES;
use super::stop::Stop;
use crate::program::Point;

/// Where a thread is, whatever its variables are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// The frame that has begun the atomic section in which the thread is, if it is in one.
    pub outer: Option<u32>,
    /// The points of its frames, the bottom one first.
    pub points: Vec<Point>,
}

impl Shape {
    /// Whether the thread rests, so that others may run.
    pub fn rests(&self) -> bool {
        self.outer.is_none()
    }
}

/// What a thread runs.
#[derive(Clone, Copy, Debug)]
pub struct ThreadInfo {
    /// Its template.
    pub template: usize,
    /// Its type.
    pub kind: usize,
}

/// The shapes of a thread, numbered as they are met.
#[derive(Debug, Default)]
pub struct Shapes {
    shapes: Vec<Shape>,
    numbers: FxHashMap<Shape, u32>,
}

impl Shapes {
    /// All of them.
    pub fn all(&self) -> &[Shape] {
        &self.shapes
    }

    /// The number of a shape.
    pub fn number(&mut self, shape: &Shape) -> Result<u32, Stop> {
        if let Some(&number) = self.numbers.get(shape) {
            return Ok(number);
        }
        if self.shapes.len() == MOST_SHAPES {
            return Err(Stop::Refused(format!(
                "a thread of it is in more than {MOST_SHAPES} shapes"
            )));
        }
        let number = self.shapes.len() as u32;
        self.shapes.push(shape.clone());
        self.numbers.insert(shape.clone(), number);
        Ok(number)
    }
}
