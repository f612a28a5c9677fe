//! Which bits describe the states of a program, and in which order they lie.
//!
//! On top are shared variables with few values, and those that are the index of an array, as they
//! decide what happens. Then come the threads, one after the other: the shape of each, which says
//! where it is, and the same kinds of variables of its frames. So what one thread does in a shared
//! state is said once, whatever the others do there. The variables with many values follow digit by
//! digit, so that digits that are added and compared lie side by side. At the bottom are elements of
//! arrays of which each decides something, one after the other.
//!
//! Bytes in arrays may be either: the order [`Order::Together`] has them among the variables with many
//! values, as fits what is copied and compared, and [`Order::Apart`] at the bottom, as fits what is
//! true of some element; what is copied to or from such an array is then on top. Which one is better
//! shows when a search goes on.
//!
//! A *position* is the place of a bit in this order. It has two levels in a diagram, one for its
//! value before a step, and one after it.

use std::collections::{BTreeMap, BTreeSet};

use super::numbers::digits_of;
use super::stop::Stop;
use super::walk::{self, Arrays};
use crate::program::{Action, Overflow, Program, Range};

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
    /// What a step chooses, or what else is no part of a state.
    Choice,
}

impl Part {
    /// The same part of which this is a digit, with another digit.
    fn at(mut self, place: usize) -> Self {
        match &mut self {
            Self::Shared { digit, .. } | Self::Frame { digit, .. } | Self::Shape { digit, .. } => {
                *digit = place as u32;
            }
            Self::Choice => (),
        }
        self
    }
}

/// The bits of a program's states.
#[derive(Clone, Debug)]
pub struct Encoding {
    /// What each bit is part of, by its position.
    pub parts: Vec<Part>,
    /// For each thread, the digits of its shape, the lowest first.
    pub shapes: Vec<Vec<Position>>,
    /// For each scalar of the shared state, its digits.
    pub shared: Vec<Vec<Position>>,
    /// For each thread, for each depth of its stack, for each procedure that may be there, its cells
    /// and their digits.
    pub frames: Vec<Vec<BTreeMap<u32, Vec<Vec<Position>>>>>,
    /// Room for choices with few values, and with many.
    pub choices: [Vec<Vec<Position>>; 2],
}

/// A type with at most that many digits has few values.
const FEW: usize = 2;

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

/// A scalar that needs bits.
pub(super) struct Wanted {
    /// What its digits are part of. If there are several copies, their digits lie side by side.
    pub(super) copies: Vec<Part>,
    /// How many digits it has.
    pub(super) digits: usize,
    /// Where it lies.
    pub(super) tier: Tier,
}

/// Where bytes in arrays lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Among all variables with many values.
    Together,
    /// At the bottom, one after the other.
    Apart,
}

/// Where a scalar lies, from the top.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tier {
    /// It decides what happens.
    Deciding,
    /// It has many values.
    Wide,
    /// It is a small element of an array.
    Elements,
}

impl Tier {
    /// That of a scalar of the shared state, or of the frames of a procedure.
    pub(super) fn of(
        arrays: &Arrays,
        order: Order,
        owner: Option<u32>,
        cell: u32,
        range: Range,
    ) -> Self {
        let is_in = |some: &walk::Scalars| some.contains(&(owner, cell));
        let digits = digits_of(range);
        // What does not wrap around is rarely added up.
        let decides = digits <= BYTE && range.overflow != Overflow::Wrap;
        let apart = digits <= BYTE && order == Order::Apart;
        if is_in(&arrays.elements) && (decides || apart) {
            Self::Elements
        } else if digits <= FEW
            || decides
            || is_in(&arrays.indices)
            || is_in(&arrays.companions) && apart
        {
            Self::Deciding
        } else {
            Self::Wide
        }
    }
}

impl Encoding {
    /// The bits of a program of which threads run these templates.
    pub fn new(program: &Program, templates: &[usize], order: Order) -> Result<Self, Stop> {
        let arrays = walk::arrays(program);
        let mut wanted = Vec::new();
        for (cell, &range) in program.cells.iter().enumerate() {
            let (cell, digits) = (cell as u32, digits_of(range));
            let tier = Tier::of(&arrays, order, None, cell, range);
            wanted.push(Wanted { copies: vec![Part::Shared { cell, digit: 0 }], digits, tier });
        }
        let mut depths = Vec::new();
        for (thread, &template) in (0..).zip(templates) {
            wanted.push(wanted_shape(thread));
            let there = procedures(program, template);
            for (depth, some) in (0..).zip(&there) {
                for &procedure in some {
                    let cells = &program.procedures[procedure as usize].cells;
                    for (cell, &range) in (0..).zip(cells) {
                        let copies = vec![Part::Frame { thread, depth, procedure, cell, digit: 0 }];
                        let digits = digits_of(range);
                        let tier = Tier::of(&arrays, order, Some(procedure), cell, range);
                        wanted.push(Wanted { copies, digits, tier });
                    }
                }
            }
            depths.push(there);
        }
        let rooms = most_choices(program);
        wanted.extend(wanted_choices(&rooms));
        let mut parts = Vec::new();
        let mut placed = place(&wanted, &mut parts)?.into_iter().flatten();
        let mut next = |count: usize| placed.by_ref().take(count).collect::<Vec<_>>();
        let shared = next(program.cells.len());
        let (mut shapes, mut frames) = (Vec::new(), Vec::new());
        for depths in depths {
            shapes.extend(next(1));
            let cells = |each: u32| program.procedures[each as usize].cells.len();
            let mut frame = |each: u32| (each, next(cells(each)));
            frames.push(
                depths.into_iter().map(|some| some.into_iter().map(&mut frame).collect()).collect(),
            );
        }
        let choices = rooms.map(|rooms| placed.by_ref().take(rooms.len()).collect());
        Ok(Self { parts, shapes, shared, frames, choices })
    }
}

/// Whether a program has bytes in arrays, so that the orders differ.
pub(super) fn has_bytes(program: &Program) -> bool {
    let ranges = |owner: Option<u32>| match owner {
        None => &program.cells,
        Some(procedure) => &program.procedures[procedure as usize].cells,
    };
    walk::arrays(program).elements.iter().any(|&(owner, cell)| {
        let range = ranges(owner)[cell as usize];
        digits_of(range) <= BYTE && range.overflow == Overflow::Wrap
    })
}

/// Room for the number of a shape of each thread: its digits, the lowest first.
pub(super) fn place_shapes(threads: usize, parts: &mut Vec<Part>) -> Vec<Vec<Position>> {
    let mut found = Vec::new();
    for thread in 0..threads as u32 {
        let first = parts.len() as Position;
        let digits = (0..SHAPE_DIGITS).rev().map(|digit| Part::Shape { thread, digit });
        parts.extend(digits);
        found.push((first..first + SHAPE_DIGITS).rev().collect());
    }
    found
}

/// The number of a shape of a thread.
fn wanted_shape(thread: u32) -> Wanted {
    let copies = vec![Part::Shape { thread, digit: 0 }];
    Wanted { copies, digits: SHAPE_DIGITS as usize, tier: Tier::Deciding }
}

/// Scalars for what one edge chooses.
pub(super) fn wanted_choices(rooms: &[Vec<usize>; 2]) -> impl Iterator<Item = Wanted> {
    let tiers = rooms.iter().zip([Tier::Deciding, Tier::Wide]);
    tiers.flat_map(|(rooms, tier)| {
        let wanted = move |&digits: &usize| Wanted { copies: vec![Part::Choice], digits, tier };
        rooms.iter().map(wanted)
    })
}

/// Give all digits their places: for each scalar, for each copy of it, its positions.
pub(super) fn place(
    wanted: &[Wanted],
    parts: &mut Vec<Part>,
) -> Result<Vec<Vec<Vec<Position>>>, Stop> {
    let count = wanted.iter().map(|each| each.copies.len() * each.digits).sum::<usize>();
    if count > MOST_POSITIONS {
        return Err(Stop::Refused(format!("its states have {count} bits, which are too many")));
    }
    let mut placed: Vec<_> =
        wanted.iter().map(|each| vec![Vec::new(); each.copies.len()]).collect();
    let mut put = |number: usize, digit: usize| {
        for (copy, part) in wanted[number].copies.iter().enumerate() {
            placed[number][copy].push(parts.len() as Position);
            parts.push(part.at(digit));
        }
    };
    let of_tier = |tier| (0..wanted.len()).filter(move |&number| wanted[number].tier == tier);
    for number in of_tier(Tier::Deciding) {
        (0..wanted[number].digits).for_each(|digit| put(number, digit));
    }
    let most = of_tier(Tier::Wide).map(|number| wanted[number].digits).max().unwrap_or(0);
    for digit in 0..most {
        for number in of_tier(Tier::Wide).filter(|&number| digit < wanted[number].digits) {
            put(number, digit);
        }
    }
    for number in of_tier(Tier::Elements) {
        (0..wanted[number].digits).for_each(|digit| put(number, digit));
    }
    Ok(placed)
}

/// A cell of some frames: how many digits it needs at most, and the procedure of which it needs
/// them.
#[derive(Clone, Copy, Default)]
pub(super) struct Width {
    pub(super) digits: usize,
    pub(super) procedure: u32,
}

/// What the cells need of a frame that may be one of a procedure, too.
fn widen(widths: &mut Vec<Width>, program: &Program, procedure: u32) {
    let cells = &program.procedures[procedure as usize].cells;
    widths.resize(widths.len().max(cells.len()), Width::default());
    for (width, &range) in widths.iter_mut().zip(cells) {
        if digits_of(range) > width.digits {
            *width = Width { digits: digits_of(range), procedure };
        }
    }
}

/// What the cells need of a frame of any procedure.
pub(super) fn frame_widths(program: &Program) -> Vec<Width> {
    let mut found = Vec::new();
    for procedure in 0..program.procedures.len() as u32 {
        widen(&mut found, program, procedure);
    }
    found
}

/// For each depth of the stack of a thread, the procedures that may be there.
pub(super) fn procedures(program: &Program, template: usize) -> Vec<BTreeSet<u32>> {
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
pub(super) fn most_choices(program: &Program) -> [Vec<usize>; 2] {
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
