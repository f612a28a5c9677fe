//! Atomic sections: everything between coming in and leaving is one step.
//!
//! From where it starts, a section is explored to its end by tabulation: a node is a location with
//! values in some *activation* of a procedure, and an activation is known by the procedure and the
//! values with which it starts, so calls inside a section may recurse. What an activation can
//! return is remembered and given to all its callers.
//!
//! A path that blocks or never leaves does not exist. So what lies on the way counts as passed only
//! if a way out lies behind it; this is found by going back from the exits. A node may be on the way
//! to a *return* of its activation that is of use to some caller, or on the way to a *violation*,
//! for which every caller will do; these are two different marks.

use std::hash::BuildHasher;
use std::thread;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::steps::Control;
use super::{Env, Point, Program, Value};
use crate::ids::id;

/// How a section ends, and the values then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exit {
    /// The values when it is left.
    pub env: Env,
    /// Where control goes.
    pub control: Control,
}

/// Everything that can come of a section.
#[derive(Debug, Default)]
pub struct Section {
    /// How it can end, in the order in which that was found, perhaps with repetitions.
    pub exits: Vec<Exit>,
    /// What lies on ways that end: points, and the shared state there. In order, each once.
    pub passed: Vec<(Point, Vec<Value>)>,
}

/// Explore what follows from a location where control rests; with `passed`, also what is passed.
pub fn explore(program: &Program, start: (u32, u32), env: Env, passed: bool) -> Section {
    let mut search = Search::new(program, start, env);
    while program.budget.goes_on()
        && search.has_room()
        && let Some(node) = search.work.pop()
    {
        search.expand(node);
    }
    if program.budget.is_stopped() {
        search.abandon();
        return Section::default();
    }
    let passed = if passed { search.passed() } else { Vec::new() };
    Section { exits: search.exits.into_iter().map(|(_, exit)| exit).collect(), passed }
}

id! {
    /// A node of the search through one section.
    NodeId
}

id! {
    /// An activation of a procedure in the search through one section.
    ActivationId
}

/// A table with this many entries takes much memory when it grows. It is about to if there is room for
/// so few more.
const MANY: usize = 1 << 12;
const MARGIN: usize = 64;

/// The node at which the section begins.
const START: NodeId = NodeId::new(0);

/// The activation in which the section begins.
const ROOT: ActivationId = ActivationId::new(0);

#[derive(Clone, PartialEq, Eq, Hash)]
struct Node {
    activation: ActivationId,
    location: u32,
    env: Env,
}

struct Activation {
    procedure: u32,
    entry: NodeId,
    callers: Vec<Caller>,
    /// The shared states with which it returns, and the nodes that do so.
    returns: Vec<(Vec<Value>, Vec<NodeId>)>,
    known_returns: FxHashMap<Vec<Value>, u32>,
}

#[derive(Clone)]
struct Caller {
    node: NodeId,
    target: u32,
    locals: Vec<Value>,
}

/// Where a node was reached from: another node, and the return of an activation if it was called.
#[derive(Clone, Copy)]
struct Origin {
    node: NodeId,
    returned: Option<(ActivationId, u32)>,
}

struct Search<'a> {
    program: &'a Program,
    nodes: Vec<Node>,
    /// By their hashes, so that the table grows without looking at millions of nodes.
    known: FxHashMap<u64, NodeId>,
    /// For a node, an older one with the same hash.
    same_hash: FxHashMap<NodeId, NodeId>,
    origins: Vec<Vec<Origin>>,
    activations: Vec<Activation>,
    known_activations: FxHashMap<(u32, Env), ActivationId>,
    exits: Vec<(NodeId, Exit)>,
    work: Vec<NodeId>,
}

impl<'a> Search<'a> {
    fn new(program: &'a Program, (procedure, location): (u32, u32), env: Env) -> Self {
        let mut search = Self {
            program,
            nodes: Vec::new(),
            known: FxHashMap::default(),
            same_hash: FxHashMap::default(),
            origins: Vec::new(),
            activations: Vec::new(),
            known_activations: FxHashMap::default(),
            exits: Vec::new(),
            work: Vec::new(),
        };
        search.activate(procedure);
        // The start is not looked up again: coming back to it is an exit, because control can rest
        // there.
        search.add_node(Node { activation: ROOT, location, env });
        search
    }

    /// Give back the memory beside what follows: that can take longer than whoever has stopped the
    /// run wants to wait.
    fn abandon(self) {
        let Self { nodes, known, origins, activations, known_activations, exits, .. } = self;
        let found = (nodes, known, origins, activations, known_activations, exits);
        // If there is no other thread, it is done here.
        drop(thread::Builder::new().spawn(move || drop(found)));
    }

    /// Whether there is room for a table of nodes or of activations to grow, if it is about to.
    fn has_room(&self) -> bool {
        self.may_grow(&self.known) && self.may_grow(&self.known_activations)
    }

    fn may_grow<K, V>(&self, table: &FxHashMap<K, V>) -> bool {
        let (len, capacity) = (table.len(), table.capacity());
        capacity - len > MARGIN
            || capacity < MANY
            || self.program.budget.has_room(2 * capacity * size_of::<(K, V)>())
    }

    fn activate(&mut self, procedure: u32) -> ActivationId {
        self.activations.push(Activation {
            procedure,
            entry: NodeId::from_index(self.nodes.len()),
            callers: Vec::new(),
            returns: Vec::new(),
            known_returns: FxHashMap::default(),
        });
        ActivationId::from_index(self.activations.len() - 1)
    }

    fn add_node(&mut self, node: Node) -> NodeId {
        let number = NodeId::from_index(self.nodes.len());
        self.nodes.push(node);
        self.origins.push(Vec::new());
        self.work.push(number);
        number
    }

    /// Add a node that others may reach, too.
    fn add_known(&mut self, node: Node) -> NodeId {
        let hash = FxBuildHasher.hash_one(&node);
        let number = self.add_node(node);
        if let Some(older) = self.known.insert(hash, number) {
            self.same_hash.insert(number, older);
        }
        number
    }

    fn find(&self, node: &Node) -> Option<NodeId> {
        let mut number = self.known.get(&FxBuildHasher.hash_one(node));
        while let Some(&other) = number {
            if self.nodes[other.index()] == *node {
                return Some(other);
            }
            number = self.same_hash.get(&other);
        }
        None
    }

    fn expand(&mut self, number: NodeId) {
        let Node { activation, location, env } = self.nodes[number.index()].clone();
        let procedure = self.activations[activation.index()].procedure;
        for (env, control) in self.program.micro_steps(procedure, location, &env) {
            self.follow(number, activation, env, control);
        }
    }

    fn follow(&mut self, from: NodeId, activation: ActivationId, env: Env, control: Control) {
        let procedure = self.activations[activation.index()].procedure;
        let is_atomic = |location: u32| {
            let procedure = &self.program.procedures[procedure as usize];
            activation != ROOT || procedure.locations[location as usize].atomic
        };
        match control {
            Control::Go(location) if is_atomic(location) => {
                let origin = Origin { node: from, returned: None };
                self.reach(activation, location, env, origin);
            }
            Control::Call { procedure, locals, target, .. } if is_atomic(target) => {
                let caller = Caller { node: from, target, locals: env.locals };
                self.call(procedure, Env { globals: env.globals, locals, own: env.own }, &caller);
            }
            Control::Return if activation != ROOT => self.give_back(from, activation, env.globals),
            control => self.exits.push((from, Exit { env, control })),
        }
    }

    fn reach(&mut self, activation: ActivationId, location: u32, mut env: Env, origin: Origin) {
        let procedure = self.activations[activation.index()].procedure;
        self.program.forget_dead(procedure, location, &mut env.locals);
        let node = Node { activation, location, env };
        let number = self.find(&node).unwrap_or_else(|| self.add_known(node));
        self.origins[number.index()].push(origin);
    }

    fn call(&mut self, procedure: u32, mut env: Env, caller: &Caller) {
        let entry = self.program.procedures[procedure as usize].entry;
        self.program.forget_dead(procedure, entry, &mut env.locals);
        let key = (procedure, env);
        let activation = if let Some(&activation) = self.known_activations.get(&key) {
            activation
        } else {
            let activation = self.activate(procedure);
            let node = Node { activation, location: entry, env: key.1.clone() };
            self.known_activations.insert(key, activation);
            self.add_known(node);
            activation
        };
        self.activations[activation.index()].callers.push(caller.clone());
        for index in 0..self.activations[activation.index()].returns.len() {
            self.go_on_after_call(activation, index as u32, caller.clone());
        }
    }

    fn give_back(&mut self, from: NodeId, activation: ActivationId, globals: Vec<Value>) {
        let callee = &mut self.activations[activation.index()];
        if let Some(&index) = callee.known_returns.get(&globals) {
            callee.returns[index as usize].1.push(from);
            return;
        }
        let index = callee.returns.len() as u32;
        callee.known_returns.insert(globals.clone(), index);
        callee.returns.push((globals, vec![from]));
        for caller in callee.callers.clone() {
            self.go_on_after_call(activation, index, caller);
        }
    }

    fn go_on_after_call(&mut self, activation: ActivationId, index: u32, caller: Caller) {
        let globals = self.activations[activation.index()].returns[index as usize].0.clone();
        let origin = Origin { node: caller.node, returned: Some((activation, index)) };
        let Node { activation, env: Env { own, .. }, .. } = self.nodes[caller.node.index()];
        let env = Env { globals, locals: caller.locals, own };
        self.reach(activation, caller.target, env, origin);
    }

    /// The points and shared states that lie on ways that end.
    fn passed(&self) -> Vec<(Point, Vec<Value>)> {
        let mut marked: FxHashSet<(NodeId, Way)> = FxHashSet::default();
        let mut work = Vec::new();
        for (node, exit) in &self.exits {
            let violated = match exit.control {
                // Nothing is known about a way that ends at a limit.
                Control::Violation(point) if self.program.limits.contains(&point) => continue,
                Control::Violation(_) => true,
                _ => false,
            };
            work.push((*node, if violated { Way::ToViolation } else { Way::ToReturn }));
        }
        while self.program.budget.goes_on()
            && let Some((node, way)) = work.pop()
        {
            if !marked.insert((node, way)) {
                continue;
            }
            for origin in &self.origins[node.index()] {
                work.push((origin.node, way));
                if let Some((callee, index)) = origin.returned {
                    let returns = &self.activations[callee.index()].returns[index as usize].1;
                    work.extend(returns.iter().map(|&node| (node, Way::ToReturn)));
                }
            }
            let activation = &self.activations[self.nodes[node.index()].activation.index()];
            if activation.entry == node && way == Way::ToViolation {
                work.extend(activation.callers.iter().map(|caller| (caller.node, way)));
            }
        }
        let mut passed: Vec<(Point, Vec<Value>)> = marked
            .into_iter()
            .filter(|&(node, _)| node != START)
            .map(|(node, _)| {
                let Node { activation, location, env } = &self.nodes[node.index()];
                let procedure = self.activations[activation.index()].procedure;
                (self.program.point(procedure, *location), env.globals.clone())
            })
            .collect();
        passed.sort_unstable();
        passed.dedup();
        passed
    }
}

/// For what a node is of use.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Way {
    /// It leads out of its activation, and from there to the end.
    ToReturn,
    /// It leads to a violation.
    ToViolation,
}
