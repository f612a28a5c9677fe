//! Z as a decision diagram, for many threads.
//!
//! Labels are sets of local states. Threads run in turn until none adds a state; then their steps are
//! brought up to date with the relations *below*, which have grown meanwhile, and if some lead
//! further than before, threads run again. The result is the same least fixed point that the
//! explicit computation finds: a thread state is met only if it occurs in Z.

use num_bigint::BigUint;
use rustc_hash::FxHashMap;

use crate::limits::{Limit, Limits, Meter, Outcome};
use crate::property::Property;
use crate::sets::diagram::export::Exported;
use crate::sets::diagram::finite_sets::Sets;
use crate::sets::diagram::labels::{LabelId, Labels};
use crate::sets::diagram::levels::{Change, Levels, Moves, closure, grouped};
use crate::sets::diagram::nodes::NodeId;
use crate::system::{self, Handle, Shared, Symbol};
use crate::whole_stacks::Reach;
use crate::z::kernel::{Emergence, ZKernel};
use crate::z::local_states::{LocalId, LocalStates};

/// What threads do in Z: steps between local states.
pub struct ZMoves {
    system: Handle,
    locals: Vec<LocalStates>,
}

/// The computation of one Z by diagrams.
pub struct DiagramZ {
    levels: Levels<ZMoves>,
    states: NodeId,
    visible: NodeId,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The thread of level `next` is to be run; `idle` threads in a row have added nothing.
    Run {
        next: usize,
        idle: usize,
    },
    /// No thread adds a state; steps are brought up to date with the relations.
    Refresh,
    /// Visible states are to be computed.
    Show,
    Complete,
}

impl DiagramZ {
    /// A Z that contains the initial state.
    pub fn new(handle: &Handle, emergence: &Emergence) -> Self {
        let system = system::lock(handle);
        let stacks: Vec<Vec<Symbol>> =
            system.templates.iter().map(|template| template.stack.clone()).collect();
        let locals = system.templates.iter().enumerate();
        let locals: Vec<LocalStates> =
            locals.map(|(index, template)| LocalStates::new(template, index, emergence)).collect();
        drop(system);
        let labels = locals.iter().map(|_| Labels::Stacks(Sets::default())).collect();
        let moves = ZMoves { system: Handle::clone(handle), locals };
        let mut levels = Levels::new(handle, moves, labels);
        let states = levels.initial(|labels, moves, template| {
            let local = moves.locals[template].of_stack(&stacks[template]);
            labels.sets_mut().intern(vec![local]).into()
        });
        Self { levels, states, visible: NodeId::EMPTY, phase: Phase::Run { next: 0, idle: 0 } }
    }

    /// The thread of each level.
    pub fn order(&self) -> Vec<u32> {
        self.levels.order.iter().map(|&(thread, _)| thread).collect()
    }

    /// Z as plain lists.
    pub fn export(&self) -> Exported {
        self.levels.export(self.states)
    }

    /// The local states of some labels of a template.
    pub fn locals_of(&self, template: usize, labels: &[LabelId]) -> Vec<Vec<LocalId>> {
        let store = &self.levels.nodes.labels[template];
        labels.iter().map(|&label| store.set(label).to_vec()).collect()
    }

    fn go_on(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        self.phase = match self.phase {
            Phase::Run { idle, .. } if idle == self.levels.order.len() => {
                self.levels.moves.locals.iter_mut().for_each(LocalStates::begin_refresh);
                Phase::Refresh
            }
            Phase::Run { next, idle } => {
                let run = self.levels.run_thread(next, self.states, meter)?;
                let all = self.levels.nodes.union(0, (self.states, run), meter)?;
                let idle = if all == self.states { idle + 1 } else { 1 };
                self.states = all;
                Phase::Run { next: (next + 1) % self.levels.order.len(), idle }
            }
            Phase::Refresh => {
                if let Some(limit) = meter.reached(0, self.bytes()) {
                    return Err(limit);
                }
                self.refresh()
            }
            Phase::Show => {
                self.visible = self.levels.show(self.states, meter)?;
                Phase::Complete
            }
            Phase::Complete => Phase::Complete,
        };
        Ok(())
    }

    /// Extend some targets of steps by what the relations have gained, and say what to do next.
    fn refresh(&mut self) -> Phase {
        let system = system::lock(&self.levels.system);
        for (locals, template) in self.levels.moves.locals.iter_mut().zip(&system.templates) {
            if !locals.refresh_some(template) {
                return Phase::Refresh;
            }
        }
        drop(system);
        if self.levels.moves.locals.iter().any(LocalStates::has_new_targets) {
            self.levels.forget_moves();
            Phase::Run { next: 0, idle: 0 }
        } else {
            Phase::Show
        }
    }
}

impl ZKernel for DiagramZ {
    fn system(&self) -> &Handle {
        &self.levels.system
    }

    fn locals(&self) -> &[LocalStates] {
        &self.levels.moves.locals
    }

    fn advance(&mut self, meter: &mut Meter) -> Outcome {
        self.levels.pause_after(meter.limits().pause);
        while self.phase != Phase::Complete {
            let went_on = self.go_on(meter);
            let (states, visible) = ([self.states], [self.visible]);
            match went_on {
                Ok(()) => self.levels.mark_progress(&states, &visible),
                Err(limit) => return self.levels.outcome_at(limit, &states, &visible),
            }
        }
        Outcome::Done
    }

    fn is_complete(&self) -> bool {
        self.phase == Phase::Complete
    }

    fn states(&self) -> BigUint {
        let count = self.levels.nodes.count(self.states, &mut Meter::over(Limits::default()));
        count.expect("no limit").expect("local states are finitely many")
    }

    fn visible(&self) -> BigUint {
        let count = self.levels.visible.count(self.visible, &mut Meter::over(Limits::default()));
        count.expect("no limit").expect("tops are finitely many")
    }

    fn real_visible(&self) -> BigUint {
        self.visible()
    }

    fn work(&self) -> usize {
        self.levels.operations()
    }

    fn bytes(&self) -> usize {
        self.levels.bytes()
    }

    fn certificate_size(&self) -> usize {
        self.levels.nodes.count_from(self.states)
    }

    fn find_bad(
        &mut self,
        property: &Property,
        meter: &mut Meter,
    ) -> Result<Option<Vec<u32>>, Limit> {
        self.levels.find_bad(self.visible, property, meter)
    }

    fn has_reaching(&self, reach: &Reach, meter: &mut Meter) -> Result<bool, Limit> {
        let levels = &self.levels;
        let mut fitting = FxHashMap::default();
        let mut pick = |level: usize, label: LabelId| {
            let (thread, template) = levels.order[level];
            let Some(stacks) = &reach.stacks[thread as usize] else { return Some(()) };
            let fits = fitting.entry((level, label)).or_insert_with(|| {
                let locals = &levels.moves.locals[template];
                let mut members = levels.nodes.labels[template].set(label).iter();
                members.any(|&local| locals.may_be_in(local, stacks))
            });
            fits.then_some(())
        };
        let found = levels.nodes.find(self.states, reach.shared, &mut pick, meter)?;
        Ok(found.is_some())
    }

    fn visible_rows(&self) -> Box<dyn Iterator<Item = Vec<u32>> + '_> {
        Box::new(self.levels.visible_rows(self.visible).into_iter())
    }

    fn thread_visible(&mut self, template: usize) -> Vec<(Shared, Symbol)> {
        self.levels.thread_visible(self.visible, template)
    }
}

impl Moves for ZMoves {
    type Local = LocalId;

    fn changes(
        &mut self,
        labels: &mut Labels<LocalId>,
        template: usize,
        label: LabelId,
        shared: &[Shared],
        meter: &mut Meter,
    ) -> Result<Vec<Change>, Limit> {
        let mut changes: FxHashMap<LocalId, Vec<(Shared, Shared)>> = FxHashMap::default();
        for &from in shared {
            let starts = labels.set(label).iter().map(|&local| (from, local)).collect();
            for (to, local) in closure(self, template, starts, meter)? {
                changes.entry(local).or_default().push((from, to));
            }
        }
        Ok(grouped(labels, changes))
    }

    fn targets(
        &mut self,
        template: usize,
        source: (Shared, LocalId),
    ) -> impl Iterator<Item = (Shared, LocalId)> {
        let locals = &mut self.locals[template];
        if !locals.knows(source) {
            let mut system = system::lock(&self.system);
            system.meet(template, source.0, locals.top(source.1));
            locals.meet(&system.templates[template], source);
        }
        locals.source(source).all_targets().iter().copied()
    }

    fn tops(&self, labels: &Labels<LocalId>, template: usize, label: LabelId) -> Vec<Symbol> {
        let locals = &self.locals[template];
        labels.set(label).iter().map(|&local| locals.top(local)).collect()
    }

    fn bytes(&self) -> usize {
        self.locals.iter().map(LocalStates::bytes).sum()
    }
}
