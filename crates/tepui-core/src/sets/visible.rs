//! The visible states of a set of states: their projections to the tops of stacks, each once.

use std::collections::BTreeSet;

use num_bigint::BigUint;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::engines::kernel::Round;
use crate::ids::{Id, id};
use crate::limits::{Limit, Meter, while_watched};
use crate::program::Point;
use crate::property::{Matcher, Property};
use crate::sets::orbit::OrbitCounter;
use crate::sets::roles;
use crate::sets::states::{StateId, StateSet};
use crate::system::{self, EPSILON, Handle, Shared, Symbol, Symmetry, System};

id! {
    /// A visible state of one set, in the order of discovery.
    VisibleId
}

/// A growing set of visible states, numbered in the order of discovery.
#[derive(Debug)]
pub struct VisibleStates {
    system: Handle,
    set: StateSet<Symbol>,
    /// Counts permutations, where there are any.
    counter: Option<OrbitCounter>,
    keys: Vec<u64>,
}

/// How many states are looked at together for what they show.
const LOOKED_AT_ONCE: usize = 1024;

impl VisibleStates {
    /// No visible state of a system, which is locked, yet.
    pub fn new(handle: &Handle, system: &System, symmetry: bool) -> Self {
        Self::with_roles(handle, system, symmetry.into(), 0)
    }

    /// The same, with this many bits for the role of each thread.
    pub fn with_roles(
        handle: &Handle,
        system: &System,
        symmetry: Symmetry,
        role_bits: u32,
    ) -> Self {
        let symbols: Vec<u32> = system.templates.iter().map(|template| template.symbols).collect();
        let groups = symmetry.groups(system);
        let set = StateSet::with_roles(groups, system.shared, &symbols, role_bits);
        let counter = (symmetry != Symmetry::None).then(|| set.counter());
        Self { system: Handle::clone(handle), set, counter, keys: Vec::new() }
    }

    /// Make sure that all shared states and symbols of a system that has grown can be shown.
    pub fn make_room(&mut self, system: &System) {
        self.set.make_room_for_shared(system.shared);
        for (number, template) in system.templates.iter().enumerate() {
            self.set.make_room(number, template.symbols);
        }
    }

    /// Add what the states from this number on show, where `top` gets a template and a local
    /// state. `report` gets every state that shows something new.
    pub fn add<L: Id>(
        &mut self,
        states: &StateSet<L>,
        from: usize,
        top: impl Fn(usize, L) -> Symbol,
        mut report: impl FnMut(StateId),
    ) {
        let known = self.set.len();
        self.keys.clear();
        states.project(from..states.len(), &self.set, top, &mut self.keys);
        let mut next = known;
        for (index, visible) in self.set.insert_batch(&self.keys).enumerate() {
            if visible.index() == next {
                report(StateId::from_index(from + index));
                next += 1;
            }
        }
        if let Some(counter) = &mut self.counter {
            for visible in StateId::range(known, self.set.len()) {
                self.set.count_orbit(visible, counter);
            }
        }
    }

    /// The first of the states that were added that shows something. Looking for it takes far less
    /// time than finding the states did, and to note it for all would take more memory.
    pub fn first_that_shows<L: Id>(
        &self,
        visible: VisibleId,
        states: &StateSet<L>,
        top: impl Fn(usize, L) -> Symbol,
    ) -> StateId {
        let wanted = self.set.key(StateId::new(visible.number()));
        let mut keys = Vec::new();
        let chunks = (0..states.len()).step_by(LOOKED_AT_ONCE);
        let mut found = chunks.filter_map(|from| {
            keys.clear();
            let to = states.len().min(from + LOOKED_AT_ONCE);
            states.project(from..to, &self.set, &top, &mut keys);
            let place = keys.chunks_exact(wanted.len()).position(|key| key == wanted)?;
            Some(StateId::from_index(from + place))
        });
        found.next().expect("some state shows it")
    }

    /// How many there are, up to symmetry if that is on.
    pub fn len(&self) -> usize {
        self.set.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty()
    }

    /// How many there are, every permutation counted.
    pub fn real_len(&self) -> BigUint {
        self.counter.as_ref().map_or_else(|| self.set.len().into(), OrbitCounter::total)
    }

    /// A visible state, as the shared state and the top of each thread's stack.
    pub fn row(&self, visible: VisibleId) -> Vec<u32> {
        self.set.row(StateId::new(visible.number()))
    }

    /// Those of a round.
    pub fn rows(&self, round: &Round) -> impl Iterator<Item = Vec<u32>> {
        let count = round.listed_visible.unwrap_or_default();
        VisibleId::range(0, count).map(|visible| self.row(visible))
    }

    /// The first bad one with this number or a higher one.
    pub fn first_bad(
        &self,
        property: &Property,
        from: usize,
        meter: &mut Meter,
    ) -> Result<Option<VisibleId>, Limit> {
        let found = Matcher::new(&self.system, &self.set, property).first(from, meter)?;
        Ok(found.map(|state| VisibleId::new(state.number())))
    }

    /// The shared states and tops that the threads of a template show together, in ascending order.
    pub fn thread_visible(&self, template: usize) -> Vec<(Shared, Symbol)> {
        self.thread_visible_where(template, 0, |_| Some(true))
    }

    /// The same for those from a number on, with only one shared state for a top for which these
    /// make no difference, and without the tops that are not asked for.
    fn thread_visible_where(
        &self,
        template: usize,
        from: usize,
        depends: impl Fn(Symbol) -> Option<bool>,
    ) -> Vec<(Shared, Symbol)> {
        let mut known: FxHashMap<Symbol, Option<bool>> = FxHashMap::default();
        let mut pairs = FxHashSet::default();
        let positions: Vec<usize> = (0..self.set.positions())
            .filter(|&position| self.set.template(position) == template)
            .collect();
        for state in while_watched(StateId::range(from, self.set.len())) {
            for &position in &positions {
                let top = self.set.local(state, position);
                let is_news = known.get(&top).is_none_or(|&depends| depends == Some(true));
                if is_news && known.entry(top).or_insert_with(|| depends(top)).is_some() {
                    pairs.insert((self.set.shared(state), top));
                }
            }
        }
        let mut pairs: Vec<(Shared, Symbol)> = pairs.into_iter().collect();
        pairs.sort_unstable();
        pairs
    }

    /// For each template of a program's system, the points that its threads reach, as the states
    /// from a number on show them, with the tops that are asked for.
    pub fn points(&self, from: usize, tops: &TopPoints) -> Vec<Vec<Point>> {
        let mut system = system::lock(&self.system);
        if self.set.has_roles() {
            return self.points_with_roles(&mut system, from, tops);
        }
        let Some(machine) = system.machine() else { return Vec::new() };
        let templates = 0..system.templates.len();
        let pairs: Vec<_> = templates
            .map(|template| {
                let depends = |top| {
                    let is_asked = top != EPSILON && tops.contain(machine.point(template, top));
                    is_asked.then(|| machine.may_pass_some(template, top))
                };
                self.thread_visible_where(template, from, depends)
            })
            .collect();
        points(&system, &pairs, tops)
    }

    /// The same where a member of a family may stand for another one.
    fn points_with_roles(
        &self,
        system: &mut System,
        from: usize,
        tops: &TopPoints,
    ) -> Vec<Vec<Point>> {
        let mut pairs = vec![FxHashSet::default(); system.templates.len()];
        for state in while_watched(StateId::range(from, self.set.len())) {
            let shared = self.set.shared(state);
            for position in 0..self.set.positions() {
                let template = roles::template_at(system, &self.set, state, position);
                pairs[template].insert((shared, self.set.local(state, position)));
            }
        }
        let pairs: Vec<Vec<_>> = pairs.into_iter().map(Vec::from_iter).collect();
        let mut points = points(system, &pairs, tops);
        for family in system.families() {
            let members = &mut points[family.template..family.template + family.size];
            let all: BTreeSet<Point> = members.iter().flatten().copied().collect();
            members.fill(all.into_iter().collect());
        }
        points
    }

    /// How much memory they hold.
    pub fn bytes(&self) -> usize {
        self.set.bytes()
    }

    /// How much memory they will hold after this many more.
    pub fn bytes_after(&self, more: usize) -> usize {
        self.set.bytes_after(more)
    }
}

/// At which points the tops are that are asked for.
#[derive(Debug, Default)]
pub enum TopPoints {
    /// At any point.
    #[default]
    All,
    /// At one of these.
    At(FxHashSet<Point>),
}

impl TopPoints {
    fn contain(&self, point: Point) -> bool {
        match self {
            Self::All => true,
            Self::At(points) => points.contains(&point),
        }
    }
}

/// For each template of a program's system, the points that its threads reach, those that are
/// passed inside atomic sections included, in ascending order; from the shared states and tops
/// that they show together, if these tops are asked for.
pub fn points(
    system: &System,
    shown: &[Vec<(Shared, Symbol)>],
    tops: &TopPoints,
) -> Vec<Vec<Point>> {
    let Some(machine) = system.machine() else { return Vec::new() };
    let reached = shown.iter().enumerate().map(|(template, pairs)| {
        let mut points = BTreeSet::new();
        for &(shared, top) in while_watched(pairs).filter(|pair| pair.1 != EPSILON) {
            let point = machine.point(template, top);
            if !tops.contain(point) {
                continue;
            }
            points.insert(point);
            points.extend(machine.passed(template, shared, top));
        }
        points.into_iter().collect()
    });
    reached.collect()
}
