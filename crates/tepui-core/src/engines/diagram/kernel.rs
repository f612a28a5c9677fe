//! The diagram engine: R_k and T(R_k) as decision diagrams (CUBA, Scheme 1 and Algorithm 3 over S_k;
//! the aggregates of QR, section 3, for all threads at once).
//!
//! R_{k+1} is the union of what each thread, run alone, makes of R_k. Equal sets of states are equal
//! nodes, so that R_k = R_{k+1} is seen at once, also where they are infinite.

use super::moves::StackMoves;
use crate::automata::stack_languages::Languages;
use crate::engines::kernel::{Context, Found, Kernel, Round, Search, Wanted};
use crate::limits::{Limit, Limits, Meter, Outcome};
use crate::program::Point;
use crate::sets::diagram::export::Exported;
use crate::sets::diagram::finite_sets::Sets;
use crate::sets::diagram::labels::{LabelId, Labels};
use crate::sets::diagram::levels::Levels;
use crate::sets::diagram::nodes::NodeId;
use crate::sets::stacks::StackId;
use crate::sets::visible::TopPoints;
use crate::system::{self, Handle, Symbol};
use crate::whole_stacks::Reach;

/// The engine for one system.
pub struct DiagramKernel {
    pub(super) levels: Levels<StackMoves>,
    pub(super) rounds: Vec<Round>,
    /// For each round, R_k and T(R_k); equal sets are equal nodes.
    pub(super) roots: Vec<Roots>,
    /// How many threads were run from the last round, and what that and the round have given.
    unfinished: (usize, NodeId),
}

/// A round as nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Roots {
    pub(super) states: NodeId,
    visible: NodeId,
}

/// Stacks, and labels as the indices of theirs.
type StacksOfLabels = (Vec<StackId>, Vec<Vec<u32>>);

/// For each state whether it accepts, and its edges.
pub type Automaton = (Vec<bool>, Vec<Vec<(Symbol, u32)>>);

impl DiagramKernel {
    /// A kernel that knows R_0; `finite` says for each template whether its threads have
    /// finite-context reachability.
    pub fn new(handle: &Handle, finite: &[bool]) -> Self {
        let stacks: Vec<Vec<Symbol>> =
            system::lock(handle).templates.iter().map(|template| template.stack.clone()).collect();
        let labels = finite.iter().map(|&finite| {
            if finite {
                Labels::Stacks(Sets::default())
            } else {
                Labels::Languages(Languages::default())
            }
        });
        let moves = StackMoves::new(handle, stacks.len());
        let mut levels = Levels::new(handle, moves, labels.collect());
        let root = levels
            .initial(|labels, moves, template| moves.label_of(labels, template, &stacks[template]));
        let mut diagrams =
            Self { levels, rounds: Vec::new(), roots: Vec::new(), unfinished: (0, root) };

        let mut meter = Meter::over(Limits::default());
        diagrams.finish_round(&mut meter).expect("there is no limit");
        diagrams
    }

    /// How many nodes the diagrams of states have.
    pub fn count_nodes(&self) -> usize {
        self.levels.nodes.count_nodes()
    }

    /// How many nodes the last round has.
    pub fn certificate_nodes(&self) -> usize {
        self.levels.nodes.count_from(self.last().states)
    }

    /// The thread of each level.
    pub fn order(&self) -> Vec<u32> {
        self.levels.order.iter().map(|&(thread, _)| thread).collect()
    }

    /// The last round as plain lists.
    pub fn export(&self) -> Exported {
        self.levels.export(self.last().states)
    }

    /// The stacks of some labels of a template, and each label as the indices of its stacks; None
    /// if the labels are languages.
    pub fn stacks_of(&self, template: usize, labels: &[LabelId]) -> Option<StacksOfLabels> {
        let Labels::Stacks(sets) = &self.levels.nodes.labels[template] else { return None };
        let mut stacks: Vec<StackId> =
            labels.iter().flat_map(|&label| sets.members(label.set())).copied().collect();
        stacks.sort_unstable();
        stacks.dedup();
        let index = |stack: &StackId| stacks.partition_point(|other| other < stack) as u32;
        let indices =
            labels.iter().map(|&label| sets.members(label.set()).iter().map(index).collect());
        let indices = indices.collect();
        Some((stacks, indices))
    }

    /// The symbols of a stack of a template, top first.
    pub fn word(&self, template: usize, stack: StackId) -> Vec<Symbol> {
        self.levels.moves.stacks(template).word(stack)
    }

    /// How many symbols the stacks of the last round have together, where they are listed.
    pub fn certificate_symbols(&self) -> u64 {
        let labels = self.export().labels;
        let symbols = labels.iter().enumerate().map(|(template, labels)| {
            let stacks = self.levels.moves.stacks(template);
            let listed = self.stacks_of(template, labels).map(|(listed, _)| listed);
            let heights = listed.unwrap_or_default();
            heights.into_iter().map(|stack| u64::from(stacks.height(stack))).sum::<u64>()
        });
        symbols.sum()
    }

    /// Some labels of a template as automata, if they are languages: for each state whether it
    /// accepts, and its edges.
    pub fn languages_of(&self, template: usize, labels: &[LabelId]) -> Vec<Automaton> {
        let Labels::Languages(languages) = &self.levels.nodes.labels[template] else {
            return Vec::new();
        };
        let automata = labels.iter().map(|&label| {
            let language = languages.get(label.language());
            let states = 0..language.states();
            let accepting = states.clone().map(|state| language.is_accepting(state)).collect();
            (accepting, states.map(|state| language.edges(state).to_vec()).collect())
        });
        automata.collect()
    }

    fn next(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        let before = self.last().states;
        while self.unfinished.0 < self.levels.order.len() {
            if let Some(limit) = meter.reached(self.count_nodes(), self.bytes()) {
                return Err(limit);
            }
            let run = self.levels.run_thread(self.unfinished.0, before, meter)?;
            let after = self.levels.nodes.union(0, (self.unfinished.1, run), meter)?;
            self.unfinished = (self.unfinished.0 + 1, after);
            self.mark_progress();
        }
        self.finish_round(meter)
    }

    fn finish_round(&mut self, meter: &mut Meter) -> Result<(), Limit> {
        let states = self.unfinished.1;
        let visible = self.levels.show(states, meter)?;
        let shown = self.levels.visible.count(visible, meter)?;
        let count = self.levels.nodes.count(states, meter)?;
        self.roots.push(Roots { states, visible });
        self.rounds.push(Round {
            mark: states.index(),
            parts: 1,
            states: count,
            visible: shown.expect("tops are finitely many"),
            listed_states: None,
            listed_visible: None,
            delayed: None,
            steps: None,
        });
        self.unfinished = (0, states);
        self.mark_progress();
        Ok(())
    }

    fn mark_progress(&mut self) {
        let (states, visible) = self.kept();
        self.levels.mark_progress(&states, &visible);
    }

    /// The states and visible states to be kept: all rounds, and what there is of the next one.
    fn kept(&self) -> (Vec<NodeId>, Vec<NodeId>) {
        let round_states = self.roots.iter().map(|round| round.states);
        let states = round_states.chain([self.unfinished.1]).collect();
        (states, self.roots.iter().map(|round| round.visible).collect())
    }

    fn last(&self) -> Roots {
        self.roots[self.roots.len() - 1]
    }
}

impl Kernel for DiagramKernel {
    fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// The last complete round: there is no counting before the end of a round.
    fn so_far(&self) -> Round {
        self.rounds[self.rounds.len() - 1].clone()
    }

    fn work(&self) -> usize {
        self.levels.operations()
    }

    fn bytes(&self) -> usize {
        self.levels.bytes()
    }

    /// What a limit has stopped goes on where it was.
    fn advance(&mut self, meter: &mut Meter) -> Outcome {
        self.levels.pause_after(meter.limits().pause);
        match self.next(meter) {
            Ok(()) => Outcome::Done,
            Err(limit) => {
                let (states, visible) = self.kept();
                self.levels.outcome_at(limit, &states, &visible)
            }
        }
    }

    fn first(&mut self, wanted: &Wanted, from: usize, meter: &mut Meter) -> Result<Search, Limit> {
        for round in from..self.rounds.len() {
            let reach = match wanted {
                Wanted::Bad(property) => {
                    let row = self.levels.find_bad(self.roots[round].visible, property, meter)?;
                    row.map(|row| Reach::showing(&row, &system::lock(&self.levels.system)))
                }
                Wanted::Stacks(reach) => self.choose(round, reach, meter)?.map(|_| reach.clone()),
            };
            if reach.is_some() {
                let by_stacks = matches!(wanted, Wanted::Stacks(_));
                let found =
                    Found { number: 0, reach, by_stacks, round, bound: round, rounds: None };
                return Ok(Search { found: Some(found), next: round });
            }
        }
        Ok(Search { found: None, next: self.rounds.len() })
    }

    fn trace(&mut self, found: &Found, meter: &mut Meter) -> Result<Vec<Context>, Limit> {
        self.trace_to(found, meter)
    }

    fn visible_rows(&self, round: usize) -> Box<dyn Iterator<Item = Vec<u32>> + '_> {
        Box::new(self.levels.visible_rows(self.roots[round].visible).into_iter())
    }

    fn points(&mut self, _: usize, tops: &TopPoints) -> Vec<Vec<Point>> {
        self.levels.points(self.last().visible, tops)
    }
}
