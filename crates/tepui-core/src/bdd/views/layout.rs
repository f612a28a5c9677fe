//! Which bits automata have.
//!
//! All threads share them, as each has automata of its own. A transition from the shared state has
//! the shared state *now*, the one with which the context has begun, the *ghost*, the values of the
//! *frame* that is read, and the *name* of the state to which it leads. A transition between states
//! has the name of the first, the frame, and the name of the *next* one. A name is a shared state, a
//! ghost, and the arguments of a call. Copies of a digit lie side by side, so that it is cheap to
//! say that two of them are equal, and renamings keep the order.

use std::array;
use std::collections::{BTreeMap, BTreeSet};

use super::super::encoding::{
    Encoding, Order, Part, Position, Tier, Wanted, frame_widths, level, most_choices, place,
    place_shapes, procedures, wanted_choices,
};
use super::super::nodes::{Bdd, Renaming, Work};
use super::super::numbers::digits_of;
use super::super::relation::descending;
use super::super::stop::Stop;
use super::super::walk;
use crate::limits::Limit;
use crate::program::Program;

/// How many copies of a digit of the shared state there are, and of a frame, if not for whole states.
const SHARED: usize = 6;
const FRAME: usize = 4;

/// The copies of a digit of the shared state: their levels.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedBit {
    pub now: u32,
    pub ghost: u32,
    pub name: u32,
    pub name_ghost: u32,
    pub next: u32,
    pub next_ghost: u32,
}

/// The copies of a digit of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameBit {
    pub current: u32,
    pub callee: u32,
    pub name: u32,
    pub next: u32,
}

/// A copy of a bit, and the one that it becomes.
type Pair<B> = fn(&B) -> (u32, u32);

/// The bits of the automata of a program.
#[derive(Debug)]
pub(super) struct Layout {
    /// For steps of a thread that is in no section that a frame below has begun, and for others: the
    /// latter have a frame without cells below.
    pub steps: [Encoding; 2],
    /// For whole states, if someone wants these.
    pub whole: Option<Encoding>,
    pub shared: Vec<SharedBit>,
    /// For each cell, its digits.
    pub frame: Vec<Vec<FrameBit>>,
    /// What is now the name of the caller is the name below, and that of the callee is the shared
    /// state, the ghost and the new frame.
    pub calls: Renaming,
    /// The new frame is the current one.
    pub enters: Renaming,
    /// What is next is the name.
    pub arrives: Renaming,
    /// The name is what is next.
    pub leaves: Renaming,
    /// The shared state now is the ghost.
    pub begins: Renaming,
    /// The ghost is that of the name.
    pub beside: Renaming,
    /// The shared state now is the ghost, and the ghost is that of the name.
    pub pairs: Renaming,
}

impl Layout {
    /// That of a program of which threads run these templates.
    pub(super) fn new(
        program: &Program,
        templates: &[usize],
        with_whole: bool,
    ) -> Result<Self, Stop> {
        let arrays = walk::arrays(program);
        let mut shared = Vec::new();
        for (cell, &range) in (0..).zip(&program.cells) {
            let digits = digits_of(range);
            let mut copies = vec![Part::Shared { cell, digit: 0 }];
            copies.resize(SHARED, Part::Choice);
            let tier = Tier::of(&arrays, Order::Together, None, cell, range);
            shared.push(Wanted { copies, digits, tier });
        }
        let cells: Vec<Vec<usize>> = program
            .procedures
            .iter()
            .map(|code| code.cells.iter().map(|&range| digits_of(range)).collect())
            .collect();
        let depths: Option<Vec<_>> = with_whole
            .then(|| templates.iter().map(|&template| procedures(program, template)).collect());
        let mut frame = Vec::new();
        for (cell, width) in (0..).zip(frame_widths(program)) {
            let mut copies = vec![Part::Choice; FRAME];
            for (thread, depth, procedure) in places(depths.as_deref().unwrap_or_default()) {
                if (cell as usize) < cells[procedure as usize].len() {
                    copies.push(Part::Frame { thread, depth, procedure, cell, digit: 0 });
                }
            }
            let range = program.procedures[width.procedure as usize].cells[cell as usize];
            let tier = Tier::of(&arrays, Order::Together, Some(width.procedure), cell, range);
            frame.push(Wanted { copies, digits: width.digits, tier });
        }
        Self::of(shared, frame, &most_choices(program), templates.len(), &cells, depths.as_deref())
    }

    fn of(
        mut wanted: Vec<Wanted>,
        frame: Vec<Wanted>,
        rooms: &[Vec<usize>; 2],
        threads: usize,
        cells: &[Vec<usize>],
        depths: Option<&[Vec<BTreeSet<u32>>]>,
    ) -> Result<Self, Stop> {
        let (globals, locals) = (wanted.len(), frame.len());
        wanted.extend(frame);
        wanted.extend(wanted_choices(rooms));
        let mut parts = Vec::new();
        let shapes = place_shapes(threads, &mut parts);
        let placed = place(&wanted, &mut parts)?;
        let (of_shared, rest) = placed.split_at(globals);
        let (of_frames, of_choices) = rest.split_at(locals);
        let (narrow, wide) = of_choices.split_at(rooms[0].len());
        let only = |some: &[Vec<Vec<Position>>], copy: usize| {
            some.iter().map(|copies| copies[copy].clone()).collect::<Vec<_>>()
        };
        let step = Encoding {
            parts,
            shapes,
            shared: only(of_shared, 0),
            frames: vec![vec![of_any(cells, of_frames, 0), of_any(cells, of_frames, 1)]; threads],
            choices: [only(narrow, 0), only(wide, 0)],
        };
        let mut above = step.clone();
        above.frames.iter_mut().for_each(|frames| frames.insert(0, BTreeMap::new()));
        let whole = depths.map(|depths| {
            let mut frames: Vec<Vec<BTreeMap<u32, Vec<Vec<Position>>>>> =
                depths.iter().map(|there| vec![BTreeMap::new(); there.len()]).collect();
            let mut next = vec![FRAME; of_frames.len()];
            for (thread, depth, procedure) in places(depths) {
                let of_cells =
                    cells[procedure as usize].iter().enumerate().map(|(cell, &count)| {
                        next[cell] += 1;
                        of_frames[cell][next[cell] - 1][..count].to_vec()
                    });
                let of_cells = of_cells.collect();
                frames[thread as usize][depth as usize].insert(procedure, of_cells);
            }
            Encoding { frames, ..step.clone() }
        });
        let shared: Vec<SharedBit> = digits::<SHARED>(of_shared)
            .into_iter()
            .flatten()
            .map(|[now, ghost, name, name_ghost, next, next_ghost]| SharedBit {
                now,
                ghost,
                name,
                name_ghost,
                next,
                next_ghost,
            })
            .collect();
        let frame: Vec<Vec<FrameBit>> = digits::<FRAME>(of_frames)
            .into_iter()
            .map(|digits| {
                digits
                    .into_iter()
                    .map(|[current, callee, name, next]| FrameBit { current, callee, name, next })
                    .collect()
            })
            .collect();
        let of = |number, on_shared: &[Pair<SharedBit>], on_frame: &[Pair<FrameBit>]| {
            let mut pairs: Vec<(u32, u32)> =
                shared.iter().flat_map(|bit| on_shared.iter().map(move |one| one(bit))).collect();
            let bits = frame.iter().flatten();
            pairs.extend(bits.flat_map(|bit| on_frame.iter().map(move |one| one(bit))));
            Renaming::new(number, pairs)
        };
        Ok(Self {
            calls: of(
                0,
                &[
                    |bit| (bit.now, bit.name),
                    |bit| (bit.ghost, bit.name_ghost),
                    |bit| (bit.name, bit.next),
                    |bit| (bit.name_ghost, bit.next_ghost),
                ],
                &[|bit| (bit.callee, bit.name), |bit| (bit.name, bit.next)],
            ),
            enters: of(1, &[], &[|bit| (bit.callee, bit.current)]),
            arrives: of(
                2,
                &[|bit| (bit.next, bit.name), |bit| (bit.next_ghost, bit.name_ghost)],
                &[|bit| (bit.next, bit.name)],
            ),
            leaves: of(
                3,
                &[|bit| (bit.name, bit.next), |bit| (bit.name_ghost, bit.next_ghost)],
                &[|bit| (bit.name, bit.next)],
            ),
            begins: of(4, &[|bit| (bit.now, bit.ghost)], &[]),
            beside: of(5, &[|bit| (bit.ghost, bit.name_ghost)], &[]),
            pairs: of(6, &[|bit| (bit.now, bit.ghost), |bit| (bit.ghost, bit.name_ghost)], &[]),
            steps: [step, above],
            whole,
            shared,
            frame,
        })
    }

    /// One shared scalar with these digits, and one of frames.
    #[cfg(test)]
    pub(super) fn small(shared: usize, frame: usize) -> Self {
        let wanted = |copies, digits| {
            vec![Wanted { copies: vec![Part::Choice; copies], digits, tier: Tier::Deciding }]
        };
        let rooms = [Vec::new(), Vec::new()];
        let cells = [vec![frame]];
        Self::of(wanted(SHARED, shared), wanted(FRAME, frame), &rooms, 1, &cells, None).unwrap()
    }

    /// All shared bits of a sort.
    pub(super) fn cube(&self, sort: fn(&SharedBit) -> u32, work: &mut Work) -> Bdd {
        descending(work, &mut self.shared.iter().map(sort).collect::<Vec<_>>())
    }

    /// All bits of frames of a sort.
    pub(super) fn frame_cube(&self, sort: fn(&FrameBit) -> u32, work: &mut Work) -> Bdd {
        descending(work, &mut self.frame.iter().flatten().map(sort).collect::<Vec<_>>())
    }

    /// All bits of names.
    pub(super) fn names(&self, work: &mut Work) -> Bdd {
        let shared = self.shared.iter().flat_map(|bit| [bit.name, bit.name_ghost]);
        let frame = self.frame.iter().flatten().map(|bit| bit.name);
        descending(work, &mut shared.chain(frame).collect::<Vec<_>>())
    }

    /// All bits of names that are next.
    pub(super) fn next_names(&self, work: &mut Work) -> Bdd {
        let shared = self.shared.iter().flat_map(|bit| [bit.next, bit.next_ghost]);
        let frame = self.frame.iter().flatten().map(|bit| bit.next);
        descending(work, &mut shared.chain(frame).collect::<Vec<_>>())
    }

    /// Where bits are equal to others.
    pub(super) fn equal(
        pairs: impl IntoIterator<Item = (u32, u32)>,
        work: &mut Work,
    ) -> Result<Bdd, Limit> {
        let mut pairs: Vec<(u32, u32)> = pairs.into_iter().collect();
        pairs.sort_unstable();
        let mut set = Bdd::TRUE;
        for (one, other) in pairs.into_iter().rev() {
            let (one, other) = (work.nodes.bit(one, true), work.nodes.bit(other, true));
            let differ = work.xor(one, other)?;
            set = work.without(set, differ)?;
        }
        Ok(set)
    }
}

/// A frame of any procedure: all have the same bits, each as many as it needs.
fn of_any(
    cells: &[Vec<usize>],
    placed: &[Vec<Vec<Position>>],
    copy: usize,
) -> BTreeMap<u32, Vec<Vec<Position>>> {
    let digits = |(cell, &count): (usize, &usize)| placed[cell][copy][..count].to_vec();
    let frame = |cells: &Vec<usize>| cells.iter().enumerate().map(digits).collect();
    (0..).zip(cells.iter().map(frame)).collect()
}

/// For each thread and each depth of its stack, the procedures that may be there.
fn places(depths: &[Vec<BTreeSet<u32>>]) -> impl Iterator<Item = (u32, u32, u32)> {
    (0..).zip(depths).flat_map(|(thread, there)| {
        (0..).zip(there).flat_map(move |(depth, some)| {
            some.iter().map(move |&procedure| (thread, depth, procedure))
        })
    })
}

/// For each scalar, for each digit of it, the levels of its first copies.
fn digits<const N: usize>(placed: &[Vec<Vec<Position>>]) -> Vec<Vec<[u32; N]>> {
    let scalar = |copies: &Vec<Vec<Position>>| {
        let digit = |digit: usize| array::from_fn(|copy| level(copies[copy][digit]));
        (0..copies[0].len()).map(digit).collect()
    };
    placed.iter().map(scalar).collect()
}
