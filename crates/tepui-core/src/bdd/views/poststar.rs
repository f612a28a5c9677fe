//! What one thread can reach by itself: post* of a view, as an automaton that grows.
//!
//! This is the saturation of Esparza, Hansel, Rossmanith and Schwoon, with labels that are sets. The
//! procedure that is called at some point has a state of its own, with a name for each shared state
//! and arguments with which it is called. What is below the callee leaves that state. A return takes
//! the shared state to where the callee was called, so it can read the frame below at once.
//!
//! The shared state with which the context began, the ghost, goes along without change, if someone
//! wants to know it.

use std::collections::{BTreeMap, VecDeque};

use super::super::nodes::{Bdd, Work};
use super::automata::{END, Edges, OWN, State, States, Symbol, View};
use super::layout::{FrameBit, Layout};
use super::rules::{Rule, Target};
use crate::limits::Limit;

/// A computation of post*.
#[derive(Debug)]
pub(super) struct Saturation {
    /// What was found, with ghosts.
    pub view: View,
    with_ghost: bool,
    /// For each callee, its state.
    callees: BTreeMap<Symbol, State>,
    /// For each such state, what leaves it.
    pub own: Vec<Edges>,
    /// For each such state, the shared states, ghosts and new frames with which it was entered.
    entered: Vec<Bdd>,
    /// For each state, the names that a return has come to, with the shared state and the ghost.
    returned: BTreeMap<State, Bdd>,
    /// What is to be explored, and in which order.
    pending: Edges,
    queue: VecDeque<(Symbol, State)>,
    /// What is being explored, and the next rule.
    at: Option<((Symbol, State), Bdd, usize)>,
}

type Done = Result<(), Limit>;

impl Saturation {
    /// Nothing was explored yet. Where `stuck` holds, nothing can be done.
    pub(super) fn new(
        from: &View,
        with_ghost: bool,
        stuck: Bdd,
        layout: &Layout,
        work: &mut Work,
    ) -> Result<Self, Limit> {
        let ghost = if with_ghost {
            Layout::equal(layout.shared.iter().map(|bit| (bit.now, bit.ghost)), work)?
        } else {
            Bdd::TRUE
        };
        let view = from.mapped(|label| work.and(label, ghost))?;
        let pending = super::automata::mapped(&view.tops, |label| work.without(label, stuck))?;
        Ok(Self {
            queue: pending.keys().copied().collect(),
            view,
            with_ghost,
            callees: BTreeMap::new(),
            own: Vec::new(),
            entered: Vec::new(),
            returned: BTreeMap::new(),
            pending,
            at: None,
        })
    }

    /// The symbol of which the rules are needed now; None at the end.
    pub(super) fn symbol(&mut self) -> Option<Symbol> {
        if self.at.is_none() {
            let key = self.queue.pop_front()?;
            let set = self.pending.remove(&key).expect("something is to be explored");
            self.at = Some((key, set, 0));
        }
        self.at.map(|((symbol, _), ..)| symbol)
    }

    /// Take the next one of these rules. If a limit stops that, it can be taken again.
    pub(super) fn step(
        &mut self,
        rules: &[Rule],
        states: &States,
        layout: &Layout,
        work: &mut Work,
    ) -> Done {
        let Some((key, set, number)) = self.at else { return Ok(()) };
        let Some(rule) = rules.get(number) else {
            self.at = None;
            return Ok(());
        };
        let after = rule.relation.after(set, work)?;
        let (_, state) = key;
        if after != Bdd::FALSE {
            match &rule.target {
                Target::Stays(symbol) => self.add((*symbol, state), after, work)?,
                Target::Returns => self.give_back(state, after, states, layout, work)?,
                Target::Calls { callee, caller, arguments } => {
                    let own = self.callee(*callee);
                    self.below(own, (*caller, state), after, arguments, layout, work)?;
                    self.enter(own, *callee, after, arguments, layout, work)?;
                }
            }
        }
        self.at = Some((key, set, number + 1));
        Ok(())
    }

    fn add(&mut self, key: (Symbol, State), set: Bdd, work: &mut Work) -> Done {
        let seen = self.view.tops.get(&key).copied().unwrap_or(Bdd::FALSE);
        let new = work.without(set, seen)?;
        if new == Bdd::FALSE {
            return Ok(());
        }
        let seen = work.or(seen, new)?;
        let pending = self.pending.get(&key).copied();
        let more = work.or(pending.unwrap_or(Bdd::FALSE), new)?;
        self.view.tops.insert(key, seen);
        self.pending.insert(key, more);
        if pending.is_none() {
            self.queue.push_back(key);
        }
        Ok(())
    }

    fn callee(&mut self, symbol: Symbol) -> State {
        let next = OWN + self.own.len() as State;
        let state = *self.callees.entry(symbol).or_insert(next);
        if state == next {
            self.own.push(Edges::new());
            self.entered.push(Bdd::FALSE);
        }
        state
    }

    /// The frame on top is gone: what is below it is read.
    fn give_back(
        &mut self,
        state: State,
        after: Bdd,
        states: &States,
        layout: &Layout,
        work: &mut Work,
    ) -> Done {
        if state == END {
            self.view.empty = work.or(self.view.empty, after)?;
            return Ok(());
        }
        let seen = self.returned.get(&state).copied().unwrap_or(Bdd::FALSE);
        let new = work.without(after, seen)?;
        if new == Bdd::FALSE {
            return Ok(());
        }
        let edges = match state.checked_sub(OWN) {
            Some(own) => self.own[own as usize].clone(),
            None => states.edges(state).clone(),
        };
        for (key, label) in edges {
            self.read(key, new, label, layout, work)?;
        }
        let seen = work.or(seen, new)?;
        self.returned.insert(state, seen);
        Ok(())
    }

    /// A transition of a state to which a return has come begins in a shared state.
    fn read(
        &mut self,
        key: (Symbol, State),
        returned: Bdd,
        label: Bdd,
        layout: &Layout,
        work: &mut Work,
    ) -> Done {
        let names = layout.names(work);
        let set = work.and_exists(returned, label, names)?;
        let set = work.rename(set, &layout.arrives)?;
        self.add(key, set, work)
    }

    /// The caller's frame and what is below it leave the state of the callee.
    fn below(
        &mut self,
        own: State,
        key: (Symbol, State),
        after: Bdd,
        arguments: &[FrameBit],
        layout: &Layout,
        work: &mut Work,
    ) -> Done {
        let named: Vec<u32> = arguments.iter().map(|bit| bit.callee).collect();
        let other = layout.frame.iter().flatten().map(|bit| bit.callee);
        let mut other: Vec<u32> = other.filter(|bit| !named.contains(bit)).collect();
        let other = super::super::relation::descending(work, &mut other);
        let label = work.exists(after, other)?;
        let label = work.rename(label, &layout.calls)?;
        let place = (own - OWN) as usize;
        let seen = self.own[place].get(&key).copied().unwrap_or(Bdd::FALSE);
        let new = work.without(label, seen)?;
        if new == Bdd::FALSE {
            return Ok(());
        }
        if let Some(&returned) = self.returned.get(&own) {
            self.read(key, returned, new, layout, work)?;
        }
        let seen = work.or(seen, new)?;
        self.own[place].insert(key, seen);
        Ok(())
    }

    /// The callee's frame is on top.
    fn enter(
        &mut self,
        own: State,
        callee: Symbol,
        after: Bdd,
        arguments: &[FrameBit],
        layout: &Layout,
        work: &mut Work,
    ) -> Done {
        let place = (own - OWN) as usize;
        let (frame, names) = (layout.frame_cube(|bit| bit.current, work), layout.names(work));
        let set = work.exists(after, names)?;
        let set = work.exists(set, frame)?;
        let new = work.without(set, self.entered[place])?;
        if new == Bdd::FALSE {
            return Ok(());
        }
        let label = work.rename(new, &layout.enters)?;
        let shared = layout.shared.iter().map(|bit| (bit.now, bit.name));
        let ghosts = layout.shared.iter().map(|bit| (bit.ghost, bit.name_ghost));
        let given = arguments.iter().map(|bit| (bit.current, bit.name));
        let pairs = shared.chain(ghosts.filter(|_| self.with_ghost)).chain(given);
        let is_named = Layout::equal(pairs, work)?;
        let label = work.and(label, is_named)?;
        self.add((callee, own), label, work)?;
        self.entered[place] = work.or(self.entered[place], new)?;
        Ok(())
    }

    /// All sets that it holds.
    pub(super) fn roots(&mut self) -> impl Iterator<Item = &mut Bdd> {
        let own = self.own.iter_mut().flat_map(Edges::values_mut).chain(&mut self.entered);
        let more = self.returned.values_mut().chain(self.pending.values_mut());
        let at = self.at.iter_mut().map(|(_, set, _)| set);
        self.view.roots().chain(own).chain(more).chain(at)
    }
}
