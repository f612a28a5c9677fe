//! Which bits describe the states of a program, and in which order they lie.
//!
//! On top are the shapes of the threads, which say where each one is. Then come variables with few
//! values, and those that are the index of an array, as they decide what happens; with them bytes
//! that are copied to or from arrays, and below these the elements of such arrays, one after the
//! other, as they have little to do with each other. The other
//! variables with many values follow digit by digit, so that digits that are added and compared lie
//! side by side. A *position* is the place of a bit in
//! this order. It has two levels in a diagram, one for its value before a step, and one after it.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::numbers::digits_of;
use super::stop::Stop;
use super::walk;
use crate::program::{Action, Program, Range};

/// The place of a bit in the order of all bits.
pub type Position = u32;

/// The level of a bit before a step.
pub fn level(position: Position) -> u32 {
    2 * position
}

/// The level of a bit after a step.
pub fn level_after(position: Position) -> u32 {
    2 * position + 1
}

/// What a bit is part of. Digits count from the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Part {
    /// A scalar of the shared state.
    Shared { cell: u32, digit: u32 },
    /// A scalar of the frame of a procedure at a depth of a thread's stack.
    Frame { thread: u32, depth: u32, procedure: u32, cell: u32, digit: u32 },
    /// The number of a thread's shape.
    Shape { thread: u32, digit: u32 },
    /// What a step chooses.
    Choice,
}

/// The bits of a program's states.
#[derive(Debug)]
pub struct Encoding {
    /// What each bit is part of, by its position.
    pub parts: Vec<Part>,
    /// For each thread, the digits of its shape, the lowest first.
    pub shapes: Vec<Vec<Position>>,
    /// For each scalar of the shared state, its digits.
    pub shared: Vec<Vec<Position>>,
    /// For each thread, for each depth of its stack, for each procedure that may be there, its cells
    /// and their digits.
    pub frames: Vec<Vec<FxHashMap<u32, Vec<Vec<Position>>>>>,
    /// Room for choices with few values, and with many.
    pub choices: [Vec<Vec<Position>>; 2],
}

/// A type with at most that many digits has few values.
const FEW: usize = 4;

/// The digits of a byte.
const BYTE: usize = 8;

/// How many digits the number of a shape has.
const SHAPE_DIGITS: u32 = 12;

/// A thread has fewer shapes than this.
pub const MOST_SHAPES: usize = 1 << SHAPE_DIGITS;

/// No stack is deeper than this.
pub const MOST_FRAMES: usize = 24;

/// There are no more bits than this.
const MOST_POSITIONS: usize = 1 << 16;

/// Whether a type has few values.
pub fn is_narrow(range: Range) -> bool {
    digits_of(range) <= FEW
}

/// A scalar that needs bits: what it is, as a function of the digit, and how many it needs.
struct Wanted {
    part: Box<dyn Fn(u32) -> Part>,
    digits: usize,
    tier: Tier,
    home: Home,
}

/// Where a scalar lies, from the top.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tier {
    /// It decides what happens.
    Deciding,
    /// It is a small element of an array.
    Elements,
    /// It has many values.
    Wide,
}

#[derive(Clone, Copy)]
enum Home {
    Shared(usize),
    Frame(usize, usize, u32, usize),
    Choice(usize, usize),
}

impl Encoding {
    /// The bits of a program of which threads run these templates.
    pub fn new(program: &Program, templates: &[usize]) -> Result<Self, Stop> {
        let arrays = walk::arrays(program);
        let tier = |owner: Option<u32>, cell: u32, digits: usize| {
            let is_in = |some: &walk::Scalars| some.contains(&(owner, cell));
            if is_in(&arrays.elements) && digits <= BYTE {
                Tier::Elements
            } else if digits <= FEW
                || is_in(&arrays.indices)
                || is_in(&arrays.companions) && digits <= BYTE
            {
                Tier::Deciding
            } else {
                Tier::Wide
            }
        };
        let mut wanted: Vec<Wanted> = Vec::new();
        for (cell, &range) in program.cells.iter().enumerate() {
            let part = move |digit| Part::Shared { cell: cell as u32, digit };
            wanted.push(Wanted {
                part: Box::new(part),
                digits: digits_of(range),
                tier: tier(None, cell as u32, digits_of(range)),
                home: Home::Shared(cell),
            });
        }
        let mut frames = Vec::new();
        for (thread, &template) in templates.iter().enumerate() {
            let mut depths = Vec::new();
            for (depth, there) in procedures(program, template).into_iter().enumerate() {
                let mut homes = FxHashMap::default();
                for procedure in there {
                    let cells = &program.procedures[procedure as usize].cells;
                    for (cell, &range) in cells.iter().enumerate() {
                        let (thread, depth, c) = (thread as u32, depth as u32, cell as u32);
                        let part = move |digit| Part::Frame {
                            thread,
                            depth,
                            procedure,
                            cell: c,
                            digit,
                        };
                        wanted.push(Wanted {
                            part: Box::new(part),
                            digits: digits_of(range),
                            tier: tier(Some(procedure), c, digits_of(range)),
                            home: Home::Frame(thread as usize, depth as usize, procedure, cell),
                        });
                    }
                    homes.insert(procedure, vec![Vec::new(); cells.len()]);
                }
                depths.push(homes);
            }
            frames.push(depths);
        }
        let rooms = most_choices(program);
        for (kind, rooms) in rooms.iter().enumerate() {
            for (number, &digits) in rooms.iter().enumerate() {
                let home = Home::Choice(kind, number);
                let part = Box::new(|_| Part::Choice);
                let tier = if kind == 0 { Tier::Deciding } else { Tier::Wide };
                wanted.push(Wanted { part, digits, tier, home });
            }
        }
        let mut encoding = Self {
            parts: Vec::new(),
            shapes: vec![vec![0; SHAPE_DIGITS as usize]; templates.len()],
            shared: vec![Vec::new(); program.cells.len()],
            frames,
            choices: rooms.map(|rooms| vec![Vec::new(); rooms.len()]),
        };
        let count = wanted.iter().map(|each| each.digits).sum::<usize>();
        if count > MOST_POSITIONS {
            return Err(Stop::Refused(format!("its states have {count} bits, which are too many")));
        }
        for thread in 0..templates.len() {
            for digit in (0..SHAPE_DIGITS).rev() {
                let position = encoding.add(Part::Shape { thread: thread as u32, digit });
                encoding.shapes[thread][digit as usize] = position;
            }
        }
        for tier in [Tier::Deciding, Tier::Elements] {
            for each in wanted.iter().filter(|each| each.tier == tier) {
                for digit in 0..each.digits {
                    encoding.place(each, digit);
                }
            }
        }
        let wide: Vec<_> = wanted.iter().filter(|each| each.tier == Tier::Wide).collect();
        let most = wide.iter().map(|each| each.digits).max().unwrap_or(0);
        for digit in 0..most {
            for each in wide.iter().filter(|each| digit < each.digits) {
                encoding.place(each, digit);
            }
        }
        Ok(encoding)
    }

    fn add(&mut self, part: Part) -> Position {
        self.parts.push(part);
        (self.parts.len() - 1) as Position
    }

    fn place(&mut self, wanted: &Wanted, digit: usize) {
        let position = self.add((wanted.part)(digit as u32));
        match wanted.home {
            Home::Shared(cell) => self.shared[cell].push(position),
            Home::Frame(thread, depth, procedure, cell) => {
                let cells = self.frames[thread][depth].get_mut(&procedure);
                cells.expect("it has a place")[cell].push(position);
            }
            Home::Choice(kind, number) => self.choices[kind][number].push(position),
        }
    }
}

/// For each depth of the stack of a thread, the procedures that may be there.
fn procedures(program: &Program, template: usize) -> Vec<BTreeSet<u32>> {
    let mut found: Vec<BTreeSet<u32>> = Vec::new();
    let mut work = vec![(program.threads[template].procedure, 0)];
    while let Some((procedure, depth)) = work.pop() {
        if depth >= MOST_FRAMES {
            continue;
        }
        if found.len() <= depth {
            found.resize(depth + 1, BTreeSet::new());
        }
        if !found[depth].insert(procedure) {
            continue;
        }
        let code = &program.procedures[procedure as usize];
        for edge in code.locations.iter().flat_map(|location| &location.edges) {
            if let Action::Call { procedure, is_tail, .. } = edge.action {
                work.push((procedure, depth + usize::from(!is_tail)));
            }
        }
    }
    found
}

/// Room for choices with few values, and with many: as many as one edge has, each wide enough for
/// any of them.
fn most_choices(program: &Program) -> [Vec<usize>; 2] {
    let (mut count, mut width) = ([0; 2], [0; 2]);
    for (procedure, edge) in walk::edges(program) {
        let mut here = [0; 2];
        for range in walk::choices(program, procedure, edge) {
            let kind = usize::from(!is_narrow(range));
            here[kind] += 1;
            width[kind] = width[kind].max(digits_of(range));
        }
        for (count, here) in count.iter_mut().zip(here) {
            *count = (*count).max(here);
        }
    }
    [vec![width[0]; count[0]], vec![width[1]; count[1]]]
}
