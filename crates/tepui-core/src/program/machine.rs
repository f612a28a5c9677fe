//! Lowering on demand: the rules of a program's pushdown systems, computed when they are asked for.
//!
//! Shared valuations and frames are packed into a few words and numbered in the order in which they
//! are met; the numbers are the shared states and stack symbols of the system. What is never met
//! costs nothing.

use rustc_hash::FxHashSet;

use super::budget::Wide;
use super::learned::Learned;
use super::normal_form::Family;
use super::packing::Packing;
use super::section::{self, Section};
use super::steps::Control;
use super::{Env, LOWEST, NO_VALUE, Place, Point, Program, Range, Value};
use crate::sets::table::Table;
use crate::system::{EPSILON, Rule, Shared, Symbol};

/// A program, and the numbers given to its states so far.
#[derive(Debug)]
pub struct Machine {
    program: Program,
    shared_packing: Packing,
    shared: Table,
    /// For each procedure, how its frames are packed.
    frame_packings: Vec<Packing>,
    frame_words: usize,
    /// For each thread type, its frames.
    frames: Vec<Table>,
    /// For each thread type, its symbols; symbol σ is number σ - 1. A symbol is a frame, and the
    /// symbol of the caller if the frame is joined to it, or else EPSILON.
    symbols: Vec<Table>,
    /// For each template, its thread type.
    kinds: Vec<usize>,
    /// The interchangeable threads that know themselves.
    families: Vec<Family>,
    /// What is known about steps in other shared states.
    learned: Learned,
}

/// A frame as numbers: a point, and the values of the procedure's variables.
pub type Frame = (Point, Vec<Value>);

/// A shared state, and the frames that a step puts in the place of others, top first.
pub(super) type Configuration = (Vec<Value>, Vec<Frame>);

impl Machine {
    /// A machine that has met nothing yet.
    pub fn new(program: Program) -> Self {
        let shared_packing = Packing::new(&program.cells, 0, program.shares);
        let frame_packings: Vec<Packing> = program
            .procedures
            .iter()
            .map(|procedure| Packing::new(&procedure.cells, u32::BITS, program.shares))
            .collect();
        let frame_words = frame_packings.iter().map(|packing| packing.words).max().unwrap_or(1);
        let frames = program.threads.iter().map(|_| Table::new(frame_words)).collect();
        let symbols = program.threads.iter().map(|_| Table::new(1)).collect();
        let kinds = program.threads.iter().map(|thread| thread.kind as usize).collect();
        let families = Family::all_of(&program);
        let shared = Table::new(shared_packing.words);
        let learned = Learned::new(shared_packing.words);
        Self {
            program,
            shared_packing,
            shared,
            frame_packings,
            frame_words,
            frames,
            symbols,
            kinds,
            families,
            learned,
        }
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// How many shared states were met.
    pub fn shared_states(&self) -> u32 {
        self.shared.len() as u32
    }

    /// How many symbols of a template's thread type were met, and the empty stack.
    pub fn symbols(&self, thread: usize) -> u32 {
        self.symbols[self.kinds[thread]].len() as u32 + 1
    }

    /// The templates of the same thread type, which follow each other.
    pub fn equals(&self, thread: usize) -> std::ops::Range<usize> {
        let kind = self.kinds[thread];
        let start = self.kinds.partition_point(|&other| other < kind);
        start..self.kinds.partition_point(|&other| other <= kind)
    }

    /// The interchangeable threads that know themselves.
    pub fn families(&self) -> &[Family] {
        &self.families
    }

    /// How much memory the states take.
    pub fn bytes(&self) -> usize {
        let tables = self.frames.iter().chain(&self.symbols);
        self.shared.bytes() + tables.map(Table::bytes).sum::<usize>() + self.learned.bytes()
    }

    /// The number of the initial shared state.
    pub fn initial_shared(&mut self) -> Shared {
        let initial = self.program.initial.clone();
        self.shared_number(&initial)
    }

    /// The symbol with which a thread starts.
    pub fn initial_symbol(&mut self, thread: usize) -> Symbol {
        let frame = match self.program.threads[thread].created {
            Some(_) => (self.program.waiting, Vec::new()),
            None => self.start_frame(thread, &[]),
        };
        self.symbol(thread, &[frame])
    }

    /// The values of a shared state.
    pub fn shared_values(&self, shared: Shared) -> Vec<Value> {
        self.shared_packing.unpack(self.shared.key(shared.number()))
    }

    /// The frame on top of a symbol.
    pub fn frame(&self, thread: usize, symbol: Symbol) -> Frame {
        let key = self.frame_key(thread, symbol);
        let point = Point::new(key[0] as u32);
        let values = match self.program.location(point) {
            Some((procedure, _)) => self.frame_packings[procedure as usize].unpack(key),
            None => Vec::new(),
        };
        (point, values)
    }

    /// The symbol to which the frame on top of a symbol is joined, or EPSILON.
    pub fn below(&self, thread: usize, symbol: Symbol) -> Symbol {
        Symbol::new(
            (self.symbols[self.kinds[thread]].key(symbol.number() - 1)[0] >> u32::BITS) as u32,
        )
    }

    /// All frames of a symbol, top first.
    fn frames_of(&self, thread: usize, mut symbol: Symbol) -> Vec<Frame> {
        let mut frames = Vec::new();
        while symbol != EPSILON {
            frames.push(self.frame(thread, symbol));
            symbol = self.below(thread, symbol);
        }
        frames
    }

    fn frame_key(&self, thread: usize, symbol: Symbol) -> &[u64] {
        let frame = self.symbols[self.kinds[thread]].key(symbol.number() - 1)[0] as u32;
        self.frames[self.kinds[thread]].key(frame)
    }

    /// The point of a symbol.
    pub fn point(&self, thread: usize, symbol: Symbol) -> Point {
        Point::new(self.frame_key(thread, symbol)[0] as u32)
    }

    /// Whether a thread waits for its creation, or for one that is forked into its slot.
    pub fn is_absent(&self, thread: usize, shared: Shared, symbol: Symbol) -> bool {
        self.program.threads[thread].idle.is_some_and(|(point, cell)| {
            self.point(thread, symbol) == point && self.shared_values(shared)[cell as usize] == 0
        })
    }

    /// The symbol of some frames, top first, each joined to the next.
    pub fn symbol(&mut self, thread: usize, frames: &[Frame]) -> Symbol {
        let mut below = EPSILON;
        for (point, values) in frames.iter().rev() {
            let mut key = vec![0; self.frame_words];
            if let Some((procedure, _)) = self.program.location(*point) {
                self.frame_packings[procedure as usize].pack(values, &mut key);
            }
            key[0] |= u64::from(point.number());
            let frame = self.frames[self.kinds[thread]].insert(&key).0;
            let key = u64::from(frame) | u64::from(below.number()) << u32::BITS;
            below = Symbol::new(self.symbols[self.kinds[thread]].insert(&[key]).0 + 1);
        }
        below
    }

    /// The symbols of some frames, top first: a frame of a joined procedure is joined to the next.
    fn word(&mut self, thread: usize, frames: &[Frame]) -> Vec<Symbol> {
        let joined: Vec<bool> = frames.iter().map(|(point, _)| self.is_joined(*point)).collect();
        let mut word = Vec::new();
        let mut first = 0;
        for (last, joined) in joined.into_iter().enumerate() {
            if !joined || last + 1 == frames.len() {
                word.push(self.symbol(thread, &frames[first..=last]));
                first = last + 1;
            }
        }
        word
    }

    /// How many symbols these frames become.
    pub(super) fn symbols_in(&self, frames: &[Frame]) -> usize {
        let last = frames.len().saturating_sub(1);
        let apart = frames[..last].iter().filter(|(point, _)| !self.is_joined(*point)).count();
        apart + usize::from(!frames.is_empty())
    }

    /// Whether the frame at a point is joined to that of its caller.
    fn is_joined(&self, point: Point) -> bool {
        self.program
            .location(point)
            .is_some_and(|(procedure, _)| self.program.procedures[procedure as usize].joined)
    }

    /// The rules for a shared state and a top, each once.
    pub fn rules(&mut self, thread: usize, shared: Shared, top: Symbol) -> Vec<Rule> {
        if top == EPSILON {
            return Vec::new();
        }
        let before = self.shared.key(shared.number());
        let found = match self.learned.find((thread, top), before) {
            Some(found) => found,
            None => self.computed(thread, shared, top),
        };
        let rule = |(after, word): (Vec<u64>, _)| {
            let target = Shared::new(self.shared.insert(&after).0);
            Rule { source: shared, top, target, word }
        };
        found.into_iter().map(rule).collect()
    }

    /// What the steps of a thread make of a shared state and a top, each once. It is remembered, if
    /// it holds for others as well.
    fn computed(
        &mut self,
        thread: usize,
        shared: Shared,
        top: Symbol,
    ) -> Vec<(Vec<u64>, Vec<Symbol>)> {
        self.program.budget.renew();
        self.program.begin_footprint(thread);
        let globals = self.shared_values(shared);
        let frames = self.frames_of(thread, top);
        let steps = self.steps(thread, globals.clone(), &frames);
        let footprint = self.program.end_footprint();
        let mut known: FxHashSet<(Vec<u64>, Vec<Symbol>)> = FxHashSet::default();
        let mut found = Vec::new();
        let each = 2 * (size_of::<(Vec<u64>, Vec<Symbol>)>() + 8 * self.shared_packing.words + 8);
        let many = steps.len() > 1 << 12;
        if many && !self.program.budget.has_room(2 * each * steps.len()) {
            return found;
        }
        for (globals, frames) in steps {
            if !self.program.budget.goes_on() {
                break;
            }
            let mut after = vec![0; self.shared_packing.words];
            self.shared_packing.pack(&globals, &mut after);
            let step = (after, self.word(thread, &frames));
            if known.insert(step.clone()) {
                found.push(step);
            }
        }
        let own = self.program.own_cells;
        let is_known = |&cell: &u32| cell >= own || globals[cell as usize] >= LOWEST;
        let is_complete = self.program.budget.cut_short().is_none();
        if is_complete && !self.program.decide_first && footprint.iter().all(is_known) {
            let before = self.shared.key(shared.number());
            let footprint = (footprint, &self.shared_packing);
            self.learned.learn((thread, top), before, footprint, &found);
        }
        found
    }

    /// Whether points may be passed inside steps that begin with a top, in some shared state.
    pub fn may_pass_some(&self, thread: usize, top: Symbol) -> bool {
        let location = self.program.location(self.point(thread, top));
        let enters = |(procedure, location)| self.enters_section(procedure, location);
        self.program.fused || location.is_some_and(enters)
    }

    /// The points that are passed inside steps that begin here, in ascending order.
    pub fn passed(&self, thread: usize, shared: Shared, top: Symbol) -> Vec<Point> {
        if top == EPSILON || !self.may_pass_some(thread, top) {
            return Vec::new();
        }
        self.program.budget.renew();
        let frames = self.frames_of(thread, top);
        let globals = self.shared_values(shared);
        let mut points = self.passed_in_sections(thread, &globals, &frames[0]);
        if self.program.fused {
            for (globals, frames) in self.fuse(thread, &(globals, frames)).passed {
                points.push(frames[0].0);
                points.extend(self.passed_in_sections(thread, &globals, &frames[0]));
            }
        }
        points.sort_unstable();
        points.dedup();
        points
    }

    fn passed_in_sections(&self, thread: usize, globals: &[Value], frame: &Frame) -> Vec<Point> {
        let (point, locals) = frame;
        let Some((procedure, location)) = self.program.location(*point) else { return Vec::new() };
        let env = self.env(thread, globals.to_vec(), locals.clone());
        let Some(env) = self.released(thread, env) else { return Vec::new() };
        if self.is_halted(&env.globals)
            || !self.enters_section(procedure, location)
            || self.undecided(*point, &env).is_some()
        {
            return Vec::new();
        }
        self.program.budget.renew();
        let section = section::explore(&self.program, (procedure, location), env, true);
        section.passed.into_iter().map(|(point, _)| point).collect()
    }

    pub(super) fn shared_number(&mut self, globals: &[Value]) -> Shared {
        let mut key = vec![0; self.shared_packing.words];
        self.shared_packing.pack(globals, &mut key);
        Shared::new(self.shared.insert(&key).0)
    }

    /// Where the steps of a thread lead.
    fn steps(&self, thread: usize, globals: Vec<Value>, frames: &[Frame]) -> Vec<Configuration> {
        if self.program.fused {
            return self.fuse(thread, &(globals, frames.to_vec())).ends;
        }
        let (point, locals) = frames[0].clone();
        self.single_steps(thread, point, &self.env(thread, globals, locals))
    }

    /// The same without fusion.
    pub(super) fn single_steps(
        &self,
        thread: usize,
        point: Point,
        env: &Env,
    ) -> Vec<Configuration> {
        let program = &self.program;
        if self.is_halted(&env.globals) {
            let stays = point > program.waiting || program.watched.contains(&point);
            let here = (env.globals.clone(), vec![(point, env.locals.clone())]);
            return if stays { vec![here] } else { Vec::new() };
        }
        let Some(env) = self.released(thread, env.clone()) else { return Vec::new() };
        let mut steps = match (self.undecided(point, &env), program.location(point)) {
            (Some((place, range)), _) if !self.may_decide(point, place, range) => Vec::new(),
            (Some((place, range)), _) => self.decisions(point, &env, place, range),
            (None, None) => self.start(thread, env.globals),
            (None, Some((procedure, location))) => self.run(procedure, location, env),
        };
        for (globals, _) in &mut steps {
            self.note_holder(thread, globals);
        }
        steps
    }

    /// What a thread sees.
    pub(super) fn env(&self, thread: usize, globals: Vec<Value>, locals: Vec<Value>) -> Env {
        Env { globals, locals, own: self.program.threads[thread].identity }
    }

    /// Whether a thread surely has the scheduler lock.
    pub(super) fn holds_lock(&self, thread: usize, globals: &[Value]) -> bool {
        let hidden = &self.program.hidden;
        let (Some(lock), Some(holder)) = (hidden.lock, hidden.holder) else { return false };
        let lock = globals[lock as usize];
        lock != 0 && lock != NO_VALUE && globals[holder as usize] == holder_number(thread)
    }

    /// What a thread sees when it may run: None if another one has the scheduler lock.
    pub(super) fn released(&self, thread: usize, mut env: Env) -> Option<Env> {
        if let (Some(lock), Some(holder)) = (self.program.hidden.lock, self.program.hidden.holder) {
            let held = env.globals[holder as usize] == holder_number(thread);
            let lock = &mut env.globals[lock as usize];
            match *lock {
                0 => (),
                _ if held => (),
                NO_VALUE => *lock = 0, // If it were closed, no thread could open it.
                _ => return None,
            }
        }
        Some(env)
    }

    fn note_holder(&self, thread: usize, globals: &mut [Value]) {
        if let (Some(lock), Some(holder)) = (self.program.hidden.lock, self.program.hidden.holder) {
            let open = globals[lock as usize] == 0;
            globals[holder as usize] = if open { 0 } else { holder_number(thread) };
        }
    }

    pub(super) fn is_halted(&self, globals: &[Value]) -> bool {
        self.program.hidden.halted.is_some_and(|halted| globals[halted as usize] == 1)
    }

    pub(super) fn start(&self, thread: usize, globals: Vec<Value>) -> Vec<Configuration> {
        let created = self.program.threads[thread].created;
        let created = created.is_some_and(|created| globals[created as usize] == 1);
        if !created || self.program.is_full(&globals) {
            return Vec::new();
        }
        let frame = self.start_frame(thread, &globals);
        vec![(globals, vec![frame])]
    }

    fn start_frame(&self, thread: usize, globals: &[Value]) -> Frame {
        let thread = &self.program.threads[thread];
        let procedure = &self.program.procedures[thread.procedure as usize];
        let mut locals = procedure.initial.clone();
        for &(cell, global) in &thread.inherited {
            locals[cell as usize] = globals[global as usize];
        }
        self.rest(thread.procedure, thread.start, locals)
    }

    /// A frame at rest, without the values that are never read again.
    fn rest(&self, procedure: u32, location: u32, mut locals: Vec<Value>) -> Frame {
        self.program.forget_dead(procedure, location, &mut locals);
        (self.program.point(procedure, location), locals)
    }

    /// The first variable that must be decided before anything else happens.
    fn undecided(&self, point: Point, env: &Env) -> Option<(Place, Range)> {
        let program = &self.program;
        if !program.decide_first || program.is_full(&env.globals) {
            return None;
        }
        let own = &env.globals[..program.own_cells as usize];
        if let Some(cell) = own.iter().position(|&value| value == NO_VALUE) {
            return Some((Place { global: true, cell: cell as u32 }, program.cells[cell]));
        }
        let (procedure, location) = program.location(point)?;
        let procedure = &program.procedures[procedure as usize];
        let live = &procedure.locations[location as usize].live;
        let cell = (0..live.len()).find(|&cell| live[cell] && env.locals[cell] == NO_VALUE)?;
        Some((Place { global: false, cell: cell as u32 }, procedure.cells[cell]))
    }

    /// Whether a variable does not have too many values to try each of them.
    pub(super) fn may_decide(&self, point: Point, place: Place, range: Range) -> bool {
        let wide = || Wide { point, place: Some(place), values: range.size };
        self.program.budget.spend(range.size, wide)
    }

    /// Give a variable each of its values.
    fn decisions(&self, point: Point, env: &Env, place: Place, range: Range) -> Vec<Configuration> {
        let values = range.values().take_while(|_| self.program.budget.goes_on());
        let decided = values.map(|value| {
            let mut env = env.clone();
            env.set(place, value);
            (env.globals, vec![(point, env.locals)])
        });
        decided.collect()
    }

    pub(super) fn enters_section(&self, procedure: u32, location: u32) -> bool {
        let locations = &self.program.procedures[procedure as usize].locations;
        let mut targets = locations[location as usize].edges.iter().filter_map(|edge| edge.target);
        targets.any(|target| locations[target as usize].atomic)
    }

    fn run(&self, procedure: u32, location: u32, env: Env) -> Vec<Configuration> {
        let program = &self.program;
        if !self.enters_section(procedure, location) {
            let outcomes = program.micro_steps(procedure, location, &env);
            return outcomes
                .into_iter()
                .take_while(|_| program.budget.goes_on())
                .map(|(env, control)| self.come_to_rest(procedure, env, control))
                .collect();
        }
        let watching = !program.watched.is_empty();
        let Section { exits, passed } =
            section::explore(program, (procedure, location), env, watching);
        let mut steps: Vec<_> = exits
            .into_iter()
            .take_while(|_| program.budget.goes_on())
            .map(|exit| self.come_to_rest(procedure, exit.env, exit.control))
            .collect();
        for (point, globals) in passed {
            if program.watched.contains(&point) {
                steps.push((self.halted(globals), vec![self.seen_at(point)]));
            }
        }
        steps
    }

    fn come_to_rest(&self, procedure: u32, env: Env, control: Control) -> Configuration {
        let Env { globals, locals, .. } = env;
        match control {
            Control::Go(location) => (globals, vec![self.rest(procedure, location, locals)]),
            // Nothing is unread when rules are computed.
            Control::Return | Control::Depends(_) => (globals, Vec::new()),
            Control::Violation(point) => (self.halted(globals), vec![(point, Vec::new())]),
            Control::Call { procedure: callee, locals: arguments, target, is_tail } => {
                let entry = self.program.procedures[callee as usize].entry;
                let mut word = vec![self.rest(callee, entry, arguments)];
                if !is_tail {
                    word.push(self.rest(procedure, target, locals));
                }
                (globals, word)
            }
        }
    }

    fn halted(&self, mut globals: Vec<Value>) -> Vec<Value> {
        if let Some(halted) = self.program.hidden.halted {
            globals[halted as usize] = 1;
        }
        globals
    }

    /// A frame that shows nothing but where control is.
    fn seen_at(&self, point: Point) -> Frame {
        let procedure = self.program.location(point).map_or(0, |(procedure, _)| procedure);
        let cells = self.program.procedures[procedure as usize].cells.len();
        (point, vec![NO_VALUE; cells])
    }
}

/// How the holder of the scheduler lock is written.
pub(super) fn holder_number(thread: usize) -> Value {
    Value::try_from(thread + 1).expect("far fewer thread types")
}
