//! The diagram engine: R_k and T(R_k) as decision diagrams (CUBA, Scheme 1 and Algorithm 3 over S_k;
//! the aggregates of QR, section 3, for all threads at once).
//!
//! R_{k+1} is the union of what each thread, run alone, makes of R_k. Equal sets of states are equal
//! nodes, so that R_k = R_{k+1} is seen at once, also where they are infinite.

use num_bigint::BigUint;

use super::export::Exported;
use super::labels::{LabelId, Labels};
use super::levels::Levels;
use super::nodes::NodeId;
use super::sets::Sets;
use super::stacks::WholeStacks;
use crate::automata::languages::{LanguageId, Languages};
use crate::limits::{Limit, Limits, Outcome, Watch};
use crate::program::Point;
use crate::property::Property;
use crate::system::{self, Handle, Symbol};
use crate::visible;

/// What is known after a round.
#[derive(Clone, Debug)]
pub struct Round {
    /// R_k; equal sets are equal nodes.
    pub states: NodeId,
    /// T(R_k), likewise.
    pub visible: NodeId,
    /// |R_k|, if it is finite.
    pub state_count: Option<BigUint>,
    /// |T(R_k)|.
    pub visible_count: BigUint,
}

/// The exploration of one system by diagrams.
pub struct Diagrams {
    pub(super) levels: Levels<WholeStacks>,
    pub(super) rounds: Vec<Round>,
    /// How many threads were run from the last round, and what that and the round have given.
    unfinished: (usize, NodeId),
}

/// Stacks, and labels as the indices of theirs.
type StacksOfLabels = (Vec<Vec<Symbol>>, Vec<Vec<u32>>);

/// For each state whether it accepts, and its edges.
type Automaton = (Vec<bool>, Vec<Vec<(Symbol, u32)>>);

impl Diagrams {
    /// An exploration that knows R_0; `finite` says of each template whether its threads have
    /// finite-context reachability.
    pub fn new(handle: &Handle, finite: &[bool]) -> Self {
        let stacks: Vec<Vec<u32>> =
            system::lock(handle).templates.iter().map(|template| template.stack.clone()).collect();
        let labels = finite.iter().map(|&finite| {
            if finite {
                Labels::Stacks(Sets::default())
            } else {
                Labels::Languages(Languages::default())
            }
        });
        let moves = WholeStacks::new(handle, stacks.len());
        let mut levels = Levels::new(handle, moves, labels.collect());
        let root = levels
            .initial(|labels, moves, template| moves.label_of(labels, template, &stacks[template]));
        let mut diagrams = Self { levels, rounds: Vec::new(), unfinished: (0, root) };
        let mut never = || false;
        let mut watch = Watch::new(Limits::default(), &mut never);
        diagrams.finish_round(&mut watch).expect("there is no limit");
        diagrams
    }

    /// The rounds computed so far, R_0 first.
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// How many nodes the diagrams of states have.
    pub fn count_nodes(&self) -> usize {
        self.levels.nodes.count_nodes()
    }

    /// How many nodes the last round has.
    pub fn certificate_nodes(&self) -> usize {
        self.levels.nodes.count_from(self.rounds[self.rounds.len() - 1].states)
    }

    /// How many operations there were.
    pub fn operations(&self) -> usize {
        self.levels.operations()
    }

    /// How much memory the exploration holds, and a system that grows with it.
    pub fn bytes(&self) -> usize {
        self.levels.bytes()
    }

    /// Compute the next round. What a limit has stopped goes on where it was.
    pub fn advance(&mut self, limits: Limits, interrupted: &mut dyn FnMut() -> bool) -> Outcome {
        let mut watch = Watch::new(limits, interrupted);
        self.levels.pause_after(limits.pause);
        match self.next(&mut watch) {
            Ok(()) => Outcome::Done,
            Err(limit) => {
                let (states, visible) = self.roots();
                self.levels.outcome_at(limit, &states, &visible)
            }
        }
    }

    /// A bad visible state of a round.
    pub fn find_bad(
        &mut self,
        round: usize,
        property: &Property,
        limits: Limits,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Vec<u32>>, Limit> {
        let mut watch = Watch::new(limits, interrupted);
        self.levels.find_bad(self.rounds[round].visible, property, &mut watch)
    }

    /// Some visible states of a round: the shared state and the top of each thread's stack.
    pub fn visible_rows(&self, round: usize, most: usize) -> Vec<Vec<u32>> {
        self.levels.visible_rows(self.rounds[round].visible, most)
    }

    /// For each template of a program's system, the points that its threads reach.
    pub fn points(&mut self) -> Vec<Vec<Point>> {
        let root = self.rounds[self.rounds.len() - 1].visible;
        let handle = Handle::clone(&self.levels.system);
        let templates = system::lock(&handle).templates.len();
        let pairs: Vec<_> =
            (0..templates).map(|template| self.levels.thread_visible(root, template)).collect();
        visible::points(&system::lock(&handle), &pairs)
    }

    /// The thread of each level.
    pub fn order(&self) -> Vec<u32> {
        self.levels.order.iter().map(|&(thread, _)| thread).collect()
    }

    /// The last round as plain lists.
    pub fn export(&self) -> Exported {
        self.levels.export(self.rounds[self.rounds.len() - 1].states)
    }

    /// The stacks of some labels of a template, and each label as the indices of its stacks; None
    /// if the labels are languages.
    pub fn stacks_of(&self, template: usize, labels: &[LabelId]) -> Option<StacksOfLabels> {
        let Labels::Stacks(sets) = &self.levels.nodes.labels[template] else { return None };
        let mut stacks: Vec<u32> =
            labels.iter().flat_map(|&label| sets.members(label)).copied().collect();
        stacks.sort_unstable();
        stacks.dedup();
        let index = |stack: &u32| stacks.partition_point(|other| other < stack) as u32;
        let indices = labels.iter().map(|&label| sets.members(label).iter().map(index).collect());
        let words = stacks.iter().map(|&stack| self.levels.moves.stacks(template).word(stack));
        Some((words.collect(), indices.collect()))
    }

    /// Some labels of a template as automata, if they are languages: for each state whether it
    /// accepts, and its edges.
    pub fn languages_of(&self, template: usize, labels: &[LabelId]) -> Vec<Automaton> {
        let Labels::Languages(languages) = &self.levels.nodes.labels[template] else {
            return Vec::new();
        };
        let automata = labels.iter().map(|&label| {
            let language = languages.get(LanguageId::new(label));
            let states = 0..language.states();
            let accepting = states.clone().map(|state| language.is_accepting(state)).collect();
            (accepting, states.map(|state| language.edges(state).to_vec()).collect())
        });
        automata.collect()
    }

    fn next(&mut self, watch: &mut Watch) -> Result<(), Limit> {
        let before = self.rounds[self.rounds.len() - 1].states;
        while self.unfinished.0 < self.levels.order.len() {
            if let Some(limit) = watch.reached(self.count_nodes(), self.bytes()) {
                return Err(limit);
            }
            let run = self.levels.run_thread(self.unfinished.0, before, watch)?;
            let after = self.levels.nodes.union(0, (self.unfinished.1, run), watch)?;
            self.unfinished = (self.unfinished.0 + 1, after);
            self.mark_progress();
        }
        self.finish_round(watch)
    }

    fn finish_round(&mut self, watch: &mut Watch) -> Result<(), Limit> {
        let states = self.unfinished.1;
        let visible = self.levels.show(states, watch)?;
        let shown = self.levels.visible.count(visible).expect("tops are finitely many");
        self.rounds.push(Round {
            states,
            visible,
            state_count: self.levels.nodes.count(states),
            visible_count: shown,
        });
        self.unfinished = (0, states);
        self.mark_progress();
        Ok(())
    }

    fn mark_progress(&mut self) {
        let (states, visible) = self.roots();
        self.levels.mark_progress(&states, &visible);
    }

    /// The states and visible states to be kept: all rounds, and what there is of the next one.
    fn roots(&self) -> (Vec<NodeId>, Vec<NodeId>) {
        let round_states = self.rounds.iter().map(|round| round.states);
        let states = round_states.chain([self.unfinished.1]).collect();
        (states, self.rounds.iter().map(|round| round.visible).collect())
    }
}
