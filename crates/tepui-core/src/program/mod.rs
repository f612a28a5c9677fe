//! Concurrent programs, compiled for lowering on demand (CUBA, sections 2.1 and 2.2.3).
//!
//! A [`Program`] is what Python's program layer hands over: variables as cells with numbers,
//! procedures as control-flow graphs, expressions as trees. `program.py` there defines what it all
//! means. A [`machine::Machine`] runs it: it is asked for the rules of a thread state
//! ⟨shared valuation | location, locals⟩ when that is first met, so no table over all valuations is
//! ever built. An atomic section is one step; [`section`] explores it. What steps do is [`learned`] for
//! all shared states that they cannot tell apart.

use rustc_hash::FxHashSet;

pub mod budget;
pub mod consistent;
pub mod expression;
mod fusion;
pub mod learned;
pub mod machine;
pub mod normal_form;
mod packing;
pub mod section;
pub mod steps;
mod stuck;
pub mod unknown;

use crate::ids::id;
use budget::Budget;
use expression::{Array, Expression};
use learned::Footprint;

/// The value of a scalar or of an expression. Scalars have values from [`LOWEST`] to [`HIGHEST`];
/// what is below in a cell is a sign for something else. Expressions may have larger values.
pub type Value = i128;

/// The lowest value of a scalar, that of a signed machine integer.
pub const LOWEST: Value = i64::MIN as Value;

/// The highest value of a scalar, that of an unsigned machine integer.
pub const HIGHEST: Value = u64::MAX as Value;

/// The value of a variable that has none yet, or whose value no longer matters.
pub const NO_VALUE: Value = Value::MIN;

id! {
    /// A point of control, numbered throughout the program: the locations of all procedures, then
    /// «waiting for creation», then the violations of assertions.
    Point
}

/// The values that a scalar can have: `size` of them, from `low` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The smallest value.
    pub low: Value,
    /// How many there are.
    pub size: u128,
    /// What happens to others.
    pub overflow: Overflow,
}

/// What storing a value outside its range does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The step does not exist.
    Block,
    /// Values start over at the other end.
    Wrap,
    /// The value at the end is stored.
    Saturate,
}

impl Range {
    /// Whether a value is one of these.
    pub fn contains(self, value: Value) -> bool {
        value >= self.low && value.abs_diff(self.low) < self.size
    }

    /// What is stored for a value, if the step exists at all. Where a power of two wraps around, the
    /// value may itself have wrapped around before.
    pub fn store(self, value: Value) -> Option<Value> {
        if self.contains(value) {
            return Some(value);
        }
        match self.overflow {
            Overflow::Block => None,
            Overflow::Wrap if self.size.is_power_of_two() => {
                let above = value.wrapping_sub(self.low).cast_unsigned() & (self.size - 1);
                Some(self.value(above))
            }
            Overflow::Wrap => {
                let above = (value - self.low).rem_euclid(self.size.cast_signed());
                Some(self.low + above)
            }
            Overflow::Saturate => Some(value.clamp(self.low, self.value(self.size - 1))),
        }
    }

    /// Whether scalars have the same value before it is known: with two values it is not worth it.
    pub(crate) fn is_worth_sharing(self) -> bool {
        self.size > 2
    }

    /// Whether two ranges have the same values.
    pub fn has_values_of(self, other: Self) -> bool {
        (self.low, self.size) == (other.low, other.size)
    }

    /// A value by its number, which counts from 0.
    pub fn value(self, number: u128) -> Value {
        self.low.wrapping_add_unsigned(number)
    }

    /// All values, in order.
    pub fn values(self) -> impl Iterator<Item = Value> {
        (0..self.size).map(move |number| self.value(number))
    }
}

/// A scalar of the shared state or of the running frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Whether it is in the shared state.
    pub global: bool,
    /// Which one.
    pub cell: u32,
}

/// The values that a running thread sees.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Env {
    /// The shared state.
    pub globals: Vec<Value>,
    /// Its top frame.
    pub locals: Vec<Value>,
    /// Its identity.
    pub own: Value,
}

impl Env {
    /// The value of a scalar.
    pub fn get(&self, place: Place) -> Value {
        let values = if place.global { &self.globals } else { &self.locals };
        values[place.cell as usize]
    }

    /// Give a scalar a value.
    pub fn set(&mut self, place: Place, value: Value) {
        self.beside(place)[place.cell as usize] = value;
    }

    /// All scalars of the shared state, or of the frame, in which a scalar is.
    pub(crate) fn beside(&mut self, place: Place) -> &mut [Value] {
        if place.global { &mut self.globals } else { &mut self.locals }
    }
}

/// A scalar variable, or an element of an array that is computed when it is assigned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A scalar.
    Scalar(Place),
    /// An element.
    Element(Array, Expression),
}

/// What is assigned: the value of an expression, or no value until it is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Computed now.
    Now(Expression),
    /// Any value of the destination's range, decided when it is read.
    Later,
}

/// What an edge does when its guard holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Assign at once, and keep what satisfies the constraint.
    Step(Vec<(Destination, Source)>, Expression),
    /// Call a procedure.
    Call {
        /// Which one.
        procedure: u32,
        /// Whether the caller has nothing left to do then, so that its frame need not be kept.
        is_tail: bool,
        /// The values of the parameters.
        arguments: Vec<Source>,
    },
    /// Take the results of the call that has just returned.
    Receive(Vec<Option<Destination>>),
    /// Return, with values.
    Return(Vec<Expression>),
    /// Go on if the condition can be true, halt at a point if it can be false.
    Assert(Expression, Point),
    /// Set scalars of the shared state: that threads are created, and what they inherit.
    Create(Vec<(u32, Expression)>),
    /// The thread is over.
    End,
}

/// An edge of a control-flow graph; without a target it returns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// When it can be taken.
    pub guard: Expression,
    /// What it does.
    pub action: Action,
    /// Where it leads.
    pub target: Option<u32>,
}

/// A place where control can rest, unless it is inside an atomic section.
#[derive(Clone, Debug)]
pub struct Location {
    /// Whether it is inside an atomic section.
    pub atomic: bool,
    /// Whether a fused step goes on there.
    pub passed: bool,
    /// The same for a thread that has the scheduler lock.
    pub passed_by_holder: bool,
    /// For each cell of the frame, whether its value may still be read.
    pub live: Vec<bool>,
    /// What can be done there.
    pub edges: Vec<Edge>,
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// The point of its location 0.
    pub first_point: Point,
    /// The scalars of a frame; those of the parameters come first.
    pub cells: Vec<Range>,
    /// What they start with.
    pub initial: Vec<Value>,
    /// The ranges of its results.
    pub results: Vec<Range>,
    /// Where it begins.
    pub entry: u32,
    /// Whether its frames share a symbol with the frame of the caller.
    pub joined: bool,
    /// Its control-flow graph.
    pub locations: Vec<Location>,
}

/// What the threads of a template run: a thread type, or one thread of it that knows itself.
#[derive(Clone, Debug)]
pub struct Thread {
    /// The thread type. The frames of a type have the same numbers in all its templates.
    pub kind: u32,
    /// The identity of its first thread. Only one that is alone may ask for it.
    pub identity: Value,
    /// Whether the threads of the type are interchangeable, each with a template of its own: what
    /// they do depends on identities only by comparing them, and none is ever in a frame.
    pub interchangeable: bool,
    /// The procedure it runs.
    pub procedure: u32,
    /// Where it begins.
    pub start: u32,
    /// The scalar of the shared state that says whether it was created, if it has to be.
    pub created: Option<u32>,
    /// Cells of its first frame, and the scalars of the shared state with which they start.
    pub inherited: Vec<(u32, u32)>,
    /// A point at which it has nothing to do while a scalar of the shared state is 0: it waits for
    /// its creation, or for the next thread that is forked into its slot.
    pub idle: Option<(Point, u32)>,
}

/// The hidden scalars of the shared state that not every program has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hidden {
    /// 1 after a violation.
    pub halted: Option<u32>,
    /// 1 between a return with values and their receipt; the values follow it.
    pub full: Option<u32>,
    /// How many values follow.
    pub results: u32,
    /// The holder of the scheduler lock: 0 for nobody, else 1 + the thread type.
    pub holder: Option<u32>,
    /// The scheduler lock.
    pub lock: Option<u32>,
}

/// A concurrent program.
#[derive(Clone, Debug)]
pub struct Program {
    /// The scalars of the shared state: those of the program, then hidden ones.
    pub cells: Vec<Range>,
    /// What they start with.
    pub initial: Vec<Value>,
    /// How many of them are the program's own.
    pub own_cells: u32,
    /// Those that name threads.
    pub naming: Vec<u32>,
    /// Where the hidden ones are.
    pub hidden: Hidden,
    /// The procedures.
    pub procedures: Vec<Procedure>,
    /// The templates.
    pub threads: Vec<Thread>,
    /// The point of a thread that was not created yet; the violations follow.
    pub waiting: Point,
    /// How many assertions there are.
    pub violations: u32,
    /// Whether variables get their values before anything else happens, instead of when read.
    pub decide_first: bool,
    /// Whether a copy of a variable without a value has the same value later.
    pub shares: bool,
    /// Whether steps are fused with local ones that follow.
    pub fused: bool,
    /// The points inside atomic sections at which to stop as if control could rest there.
    pub watched: FxHashSet<Point>,
    /// The violations that are limits of the translation, or lacks of slots: nothing is known about
    /// what comes behind them.
    pub limits: FxHashSet<Point>,
    /// How many more choices one step may have.
    pub budget: Budget,
    /// What the step that is computed has read and written.
    pub footprint: Footprint,
}

impl Program {
    /// How many points there are.
    pub fn points(&self) -> u32 {
        self.waiting.number() + 1 + self.violations
    }

    /// The point of a location of a procedure.
    pub fn point(&self, procedure: u32, location: u32) -> Point {
        Point::new(self.procedures[procedure as usize].first_point.number() + location)
    }

    /// The procedure and the location that a point is, unless it is none.
    pub fn location(&self, point: Point) -> Option<(u32, u32)> {
        if point >= self.waiting {
            return None;
        }
        let procedure = self.procedures.partition_point(|other| other.first_point <= point) - 1;
        let first = self.procedures[procedure].first_point;
        Some((procedure as u32, point.number() - first.number()))
    }
}
