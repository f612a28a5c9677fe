//! What all engines have in common: rounds, what is known about each, and questions about them.
//!
//! A [`Kernel`] computes R_0, R_1, R_2 and so on, or R(r, d) with growing bounds. It is used as a
//! trait object, but only for whole calls. What happens inside them is static.
//!
//! What was found has an order, and a search can begin anywhere in it. Engines that list states or
//! products number them, and number the visible states too. Diagrams have no such numbers, so a
//! search in them goes by rounds.

use std::any::Any;

use num_bigint::BigUint;

use crate::limits::{Limit, Meter, Outcome};
use crate::program::Point;
use crate::property::Property;
use crate::sets::reached::Reached;
use crate::sets::visible::TopPoints;
use crate::whole_stacks::Reach;

/// An engine at work on one system.
pub trait Kernel: Any + Send + Sync {
    /// The rounds computed so far, R_0 first.
    fn rounds(&self) -> &[Round];

    /// What was found so far, an unfinished round included, as far as it can be counted before its
    /// end.
    fn so_far(&self) -> Round;

    /// How much was done, in states or operations; a million takes about a second.
    fn work(&self) -> usize;

    /// How much memory it holds, including a system that grows with it.
    fn bytes(&self) -> usize;

    /// Go on with the next round, or with what was left unfinished.
    fn advance(&mut self, meter: &mut Meter) -> Outcome;

    /// A state that is asked for, of the earliest round that has one, from a place on.
    fn first(&mut self, wanted: &Wanted, from: usize, meter: &mut Meter) -> Result<Search, Limit>;

    /// A run to a state that was found, with the fewest contexts or delays.
    fn trace(&mut self, found: &Found, meter: &mut Meter) -> Result<Vec<Context>, Limit>;

    /// The visible states of a round: the shared state and the top of each thread's stack.
    fn visible_rows(&self, round: usize) -> Box<dyn Iterator<Item = Vec<u32>> + '_>;

    /// For each template of a program's system, the points that its threads reach, as the visible
    /// states from this number on show them, with the tops that are asked for. Diagrams have no
    /// such numbers, and show all.
    fn points(&mut self, from: usize, tops: &TopPoints) -> Vec<Vec<Point>>;

    /// The states, if it lists them.
    fn reached(&self) -> Option<&Reached> {
        None
    }
}

/// Which states to look for.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// Those that show something bad.
    Bad(Property),
    /// Those with certain stacks.
    Stacks(Reach),
}

/// What is known about a round.
#[derive(Clone, Debug)]
pub struct Round {
    /// Equal rounds of one kernel have equal marks, and different ones have different marks.
    pub mark: usize,
    /// How many states or products it consists of, the first ones in their order. A diagram is one.
    pub parts: usize,
    /// |R_k|, every permutation of equal threads counted; None if it is infinite.
    pub states: Option<BigUint>,
    /// |T(R_k)|, every permutation counted.
    pub visible: BigUint,
    /// |R_k| up to symmetry, or without it, if states are listed.
    pub listed_states: Option<usize>,
    /// |T(R_k)| up to symmetry, or without it, if visible states are listed.
    pub listed_visible: Option<usize>,
    /// Which R(r, d) it is, if delays are counted.
    pub delayed: Option<Delayed>,
    /// How many steps lead to its states, if steps are counted.
    pub steps: Option<usize>,
}

/// What is known about R(r, d) beside its size.
#[derive(Clone, Copy, Debug)]
pub struct Delayed {
    /// r
    pub rounds: u32,
    /// d
    pub delays: u32,
    /// How many visible states there are if more than the top of each stack is looked at.
    pub top_words: usize,
    /// How often the successors of a state were computed so far, DrUBA's «calls to Image».
    pub images: usize,
}

/// How a search ended.
#[derive(Clone, Debug)]
pub struct Search {
    /// What was found, if anything.
    pub found: Option<Found>,
    /// Where the next search begins, which finds the same again.
    pub next: usize,
}

/// A state that was asked for.
#[derive(Clone, Debug)]
pub struct Found {
    /// The number of the visible state or, if stacks were asked for, of the state or product. In a
    /// diagram there are no numbers.
    pub(crate) number: u32,
    /// The stacks that were asked for; in a diagram, those that show what was asked for.
    pub(crate) reach: Option<Reach>,
    /// Whether it was asked for by its stacks, and not by what it shows.
    pub by_stacks: bool,
    /// The round that it is of, which may not be complete.
    pub round: usize,
    /// How many contexts, or delays, it takes.
    pub bound: usize,
    /// Where delays are counted, the rounds within which no fewer are enough.
    pub rounds: Option<usize>,
}

/// A context of a trace: one thread takes these rules of its template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    /// Who runs.
    pub thread: u32,
    /// The numbers of the rules.
    pub rules: Vec<u32>,
}

impl Search {
    /// The end of a search through `all` visible states, which are numbered.
    pub(crate) fn of_visible(number: Option<u32>, all: usize, rounds: &[Round]) -> Self {
        Self::numbered(number, None, all, rounds, |round| {
            round.listed_visible.expect("visible states are listed")
        })
    }

    /// The end of a search for stacks through `all` states or products, which are numbered.
    pub(crate) fn of_parts(
        number: Option<u32>,
        reach: &Reach,
        all: usize,
        rounds: &[Round],
    ) -> Self {
        Self::numbered(number, Some(reach), all, rounds, |round| round.parts)
    }

    /// A number belongs to the first round that is larger than it. What was found after the last
    /// round belongs to the next one, which is not complete.
    fn numbered(
        number: Option<u32>,
        reach: Option<&Reach>,
        all: usize,
        rounds: &[Round],
        size: impl Fn(&Round) -> usize,
    ) -> Self {
        let found = number.map(|number| {
            let round = rounds.partition_point(|round| size(round) <= number as usize);
            let by_stacks = reach.is_some();
            Found { number, reach: reach.cloned(), by_stacks, round, bound: round, rounds: None }
        });
        Self { found, next: number.map_or(all, |number| number as usize) }
    }
}
