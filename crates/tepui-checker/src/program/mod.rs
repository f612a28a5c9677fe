//! Programs and their meaning: the rules of the pushdown systems that their threads are.
//!
//! This says in Rust what `python/tepui/program/semantics` says in Python, part by part:
//! [`evaluation`], [`edges`], [`sections`], [`meaning`], and [`text`] reads a program as
//! `checker/fast/program_text.py` writes it. Beside that, [`learned`] remembers what steps do. Forks
//! and joins are left out: evidence is about programs without them.
//!
//! Scalars have *addresses*: first those of the shared state, then those of the frame of the
//! procedure that runs. A *point* is where a thread can be seen: a location of some procedure, then
//! `waiting`, then the violation of each assertion.

pub mod steps;

mod edges;
mod evaluation;
mod learned;
mod local_points;
mod meaning;
mod sections;
mod text;
mod values;

/// What an assignment of a value outside its range does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overflow {
    Wrap,
    Saturate,
    Block,
}

/// The values of a scalar: `size` of them, from `low` on. Identities of threads are stored as they
/// are, whatever the size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    low: i128,
    size: i128,
    overflow: Overflow,
    names_threads: bool,
}

impl Type {
    fn has(&self, value: i128) -> bool {
        self.low <= value && value < self.low + self.size
    }

    fn values(&self) -> std::ops::Range<i128> {
        self.low..self.low + self.size
    }

    fn same_range(&self, other: &Type) -> bool {
        (self.low, self.size) == (other.low, other.size)
    }

    /// What a scalar holds after a value was stored; None if it cannot be stored.
    fn stored(&self, value: i128) -> Option<i128> {
        if self.names_threads || self.has(value) {
            return Some(value);
        }
        match self.overflow {
            Overflow::Block => None,
            Overflow::Saturate => Some(value.clamp(self.low, self.low + self.size - 1)),
            Overflow::Wrap => Some(self.low + (value.checked_sub(self.low)?).rem_euclid(self.size)),
        }
    }
}

/// One scalar of a state: its type, and its value at the start, if it has one.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    scalar: Type,
    initial: Option<i128>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Not,
    Minus,
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    And,
    Or,
    Implies,
    Xor,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expression {
    Constant(i128),
    /// The identity of the running thread.
    Own,
    /// Any value of a type.
    Choice(Type),
    /// The scalar at an address, before or after the step.
    Read {
        address: usize,
        after: bool,
    },
    /// An element of the array that begins at an address.
    Element {
        first: usize,
        length: usize,
        index: Box<Expression>,
    },
    Unary(Unary, Box<Expression>),
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// A value as a scalar of a type would store it.
    Convert(Box<Expression>, Type),
    /// Condition, then, otherwise.
    Conditional(Box<[Expression; 3]>),
}

/// What is assigned to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Scalar(usize),
    Element { first: usize, length: usize, index: Expression },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Step {
        assignments: Vec<(Target, Expression)>,
        constraint: Expression,
    },
    Call {
        procedure: usize,
        arguments: Vec<Expression>,
    },
    Receive(Vec<Option<Target>>),
    Return(Vec<Expression>),
    /// `is_check` if no user has written it.
    Assert {
        condition: Expression,
        violation: usize,
        is_check: bool,
    },
    Create(Vec<Creation>),
    End,
}

/// The scalar that says that threads of a type were created, and what they inherit: scalars, their
/// types, and their values.
pub(crate) type Creation = (usize, Vec<(usize, Type, Expression)>);

/// What a thread can do at a location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    source: usize,
    /// None if it leaves the procedure.
    target: Option<usize>,
    guard: Expression,
    action: Action,
}

#[derive(Clone, Debug)]
pub(crate) struct Location {
    atomic: bool,
    /// Whether it has a text or labels.
    named: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Procedure {
    /// The point of its location 0.
    first: usize,
    cells: Vec<Cell>,
    results: Vec<Type>,
    entry: usize,
    locations: Vec<Location>,
    edges: Vec<Edge>,
    /// For each location, the edges that leave it.
    leaving: Vec<Vec<usize>>,
}

/// Threads that run the same rules.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    /// The type of its threads: all templates of a type have the same frames.
    kind: usize,
    /// The identity of its first thread.
    identity: i64,
    procedure: usize,
    start: usize,
    /// The scalar that says whether the threads were created, if they wait for that.
    created: Option<usize>,
    /// Cells of the first frame, and the scalars that hold their values.
    inherited: Vec<(usize, usize)>,
    /// A point, and a scalar: threads there have nothing to do while it is 0.
    idle: Option<(usize, usize)>,
}

/// Where fused steps end, and which frames share an entry of the stack with that of their caller.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fused {
    named: Vec<usize>,
    joined: Vec<usize>,
}

/// The scalars of a shared state that are no variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hidden {
    halted: Option<usize>,
    full: Option<usize>,
    results: Vec<usize>,
    holder: Option<usize>,
    lock: Option<usize>,
}

/// A program, and the options of its meaning.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    cells: Vec<Cell>,
    /// For each point that is a location, its procedure.
    owners: Vec<usize>,
    /// How many cells belong to global variables.
    own: usize,
    hidden: Hidden,
    procedures: Vec<Procedure>,
    templates: Vec<Template>,
    /// For each thread, its template.
    threads: Vec<usize>,
    /// How many types of threads there are.
    kinds: usize,
    /// The point of a thread that was not created yet; violations follow.
    waiting: usize,
    points: usize,
    /// Whether values that do not matter are forgotten.
    liveness: bool,
    /// Whether copies of variables without a value have the same value later.
    share: bool,
    /// The points inside atomic sections at which a property looks.
    probes: Vec<usize>,
    /// Violations that say nothing about what comes behind them.
    limits: Vec<usize>,
    fused: Option<Fused>,
}

impl Program {
    /// The procedure and the location that a point is.
    fn place(&self, point: usize) -> Option<(usize, usize)> {
        let procedure = *self.owners.get(point)?;
        Some((procedure, point - self.procedures[procedure].first))
    }

    fn is_atomic(&self, point: usize) -> bool {
        self.place(point).is_some_and(|(p, location)| self.procedures[p].locations[location].atomic)
    }

    /// Whether a point is the mere end of a procedure: a frame there is left out during a call.
    fn is_bare_end(&self, point: usize) -> bool {
        self.place(point).is_some_and(|(procedure, number)| {
            let procedure = &self.procedures[procedure];
            let location = &procedure.locations[number];
            let [only] = procedure.leaving[number].as_slice() else { return false };
            let edge = &procedure.edges[*only];
            !location.named
                && !location.atomic
                && edge.guard == TRUE
                && edge.action == Action::Return(Vec::new())
        })
    }
}

const TRUE: Expression = Expression::Constant(1);
const FALSE: Expression = Expression::Constant(0);
