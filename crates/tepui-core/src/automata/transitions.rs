//! What a saturation has found: transitions, numbered in the order in which they came, each with
//! the reason why it was added first.
//!
//! A reason speaks of transitions with lower numbers only. So reasons can be followed back to the
//! starting set, however a saturation goes on, and a run can be read from them at any time.

use rustc_hash::FxHashMap;

use crate::automata::p_automaton::{Node, PAutomaton, Transition};
use crate::ids::id;
use crate::limits::{Limit, Meter, Outcome};
use crate::sets::table::Table;
use crate::system::{EPSILON, Shared, Symbol};

id! {
    /// A transition of one saturation.
    TransitionId
}

/// Transitions with reasons.
#[derive(Debug)]
pub(super) struct Transitions<Reason> {
    keys: Table,
    reasons: Vec<Reason>,
}

impl<Reason: Copy> Transitions<Reason> {
    /// With more transitions than this a saturation stops, as if memory had run out; the next
    /// step could need more numbers than there are.
    const MAX_LEN: usize = Table::MAX_LEN / 2;

    pub(super) fn new() -> Self {
        Self { keys: Table::new(2), reasons: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.reasons.len()
    }

    pub(super) fn get(&self, number: TransitionId) -> Transition {
        let key = self.keys.key(number.number());
        Transition {
            from: Node::from_bits((key[0] >> 32) as u32),
            symbol: Symbol::new(key[0] as u32),
            to: Node::from_bits(key[1] as u32),
        }
    }

    pub(super) fn reason(&self, number: TransitionId) -> Reason {
        self.reasons[number.index()]
    }

    /// Add a transition, unless it is known already.
    pub(super) fn add(&mut self, edge: Transition, reason: Reason) {
        let first = u64::from(edge.from.bits()) << 32 | u64::from(edge.symbol.number());
        let (_, new) = self.keys.insert(&[first, u64::from(edge.to.bits())]);
        if new {
            self.reasons.push(reason);
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.keys.bytes() + self.reasons.capacity() * size_of::<Reason>()
    }

    /// The automaton with all these transitions.
    pub(super) fn automaton(&self) -> PAutomaton {
        PAutomaton::new(TransitionId::range(0, self.len()).map(|number| self.get(number)).collect())
    }

    /// Transitions, by number, that accept a configuration one after another, if there are any.
    pub(super) fn path(&self, shared: Shared, stack: &[Symbol]) -> Option<Vec<TransitionId>> {
        // For each symbol read: for each node it leads to, the transition that was first to do so.
        let mut layers: Vec<FxHashMap<Node, TransitionId>> = Vec::with_capacity(stack.len() + 1);
        let mut here = vec![Node::shared(shared)];
        let by_source = self.by_source();
        for &symbol in stack.iter().chain([&EPSILON]) {
            let mut layer = FxHashMap::default();
            let mut next = Vec::new();
            for node in here {
                for &number in by_source.get(&(node, symbol)).into_iter().flatten() {
                    layer.entry(self.get(number).to).or_insert_with_key(|&to| {
                        next.push(to);
                        number
                    });
                }
            }
            layers.push(layer);
            here = next;
        }
        let mut path = Vec::with_capacity(layers.len());
        let mut node = Node::LAST;
        for layer in layers.iter().rev() {
            let number = *layer.get(&node)?;
            path.push(number);
            node = self.get(number).from;
        }
        path.reverse();
        Some(path)
    }

    /// The configuration that these transitions accept one after another, whatever their order is
    /// in `path`, which is the top last.
    pub(super) fn configuration(&self, path: &[TransitionId]) -> (Shared, Vec<Symbol>) {
        let first = self.get(*path.last().expect("a path reads the mark at least"));
        let shared = first.from.as_shared().expect("a path starts at a shared state");
        let symbols = path.iter().rev().map(|&number| self.get(number).symbol);
        (shared, symbols.filter(|&symbol| symbol != EPSILON).collect())
    }

    fn by_source(&self) -> FxHashMap<(Node, Symbol), Vec<TransitionId>> {
        let mut by_source: FxHashMap<_, Vec<TransitionId>> = FxHashMap::default();
        for number in TransitionId::range(0, self.len()) {
            let edge = self.get(number);
            by_source.entry((edge.from, edge.symbol)).or_default().push(number);
        }
        by_source
    }
}

/// Looks at the limits of one call that advances a saturation, once for a good deal of work.
pub(super) struct Progress<'a, 'w> {
    meter: &'a mut Meter<'w>,
    pause_at: usize,
    work: usize,
}

impl<'a, 'w> Progress<'a, 'w> {
    const WORK_BETWEEN_LOOKS: usize = 1024;

    /// At the start of a call, when `found` transitions are known.
    pub(super) fn new(meter: &'a mut Meter<'w>, found: usize) -> Self {
        let pause_at = found.saturating_add(meter.limits().pause.max(1));
        Self { meter, pause_at, work: Self::WORK_BETWEEN_LOOKS }
    }

    /// At the start of a call that is not paused.
    pub(super) fn without_pause(meter: &'a mut Meter<'w>) -> Self {
        Self { meter, pause_at: usize::MAX, work: Self::WORK_BETWEEN_LOOKS }
    }

    /// Why the call is to end, if it is, after so much more work.
    pub(super) fn ended(
        &mut self,
        work: usize,
        found: usize,
        bytes: impl FnOnce() -> usize,
    ) -> Option<Outcome> {
        if found >= self.pause_at {
            return Some(Outcome::Paused);
        }
        self.work += work;
        if self.work < Self::WORK_BETWEEN_LOOKS {
            return None;
        }
        self.work = 0;
        if found > Transitions::<()>::MAX_LEN {
            return Some(Outcome::Stopped(Limit::Memory));
        }
        self.meter.reached(found, bytes()).map(Outcome::Stopped)
    }
}
