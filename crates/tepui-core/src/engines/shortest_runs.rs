//! Shortest runs of one thread: post* gives some run to a state of the thread, and a search then
//! looks for a shorter one between the same ends.
//!
//! The search is breadth-first from the start. Each step pops one symbol at most, so what is too
//! high to come down to the end in time is left out, and what the search finds is a shortest run.
//! Where there are too many such states it is tried again with stacks not much higher than those of
//! the run that is known, and if that is still too much, the run stays as it is.

use rustc_hash::FxHashSet;

use crate::automata::p_automaton::PAutomaton;
use crate::automata::post_star::PostStar;
use crate::automata::run::Run;
use crate::limits::{Limit, Meter, Outcome};
use crate::sets::stacks::EMPTY;
use crate::sets::thread_states::{ThreadState, ThreadStates};
use crate::system::{EPSILON, Shared, Symbol, System};

/// How many states of the thread are looked at.
const MOST_STATES: usize = 1 << 16;

/// A run of a template from one of some configurations to an end that is reachable from them, as
/// short as possible between its ends, as far as is known.
pub fn run_to(
    system: &mut System,
    template: usize,
    starts: &PAutomaton,
    end: (Shared, &[Symbol]),
    meter: &mut Meter,
) -> Result<Run, Limit> {
    let mut saturation = PostStar::new(template, starts);
    if let Outcome::Stopped(limit) = saturation.advance(system, &mut meter.for_part()) {
        return Err(limit);
    }
    let run = saturation.run_to(end.0, end.1, &mut meter.for_part())?.expect("a reachable end");
    let height = highest(system, template, &run) + 1;
    for height in [u32::MAX, height as u32] {
        let mut search = Search::new(system, template, height);
        if let Some(rules) = search.shortest(&run, end, meter)? {
            return Ok(Run { rules, ..run });
        }
    }
    Ok(run)
}

/// The height of the highest stack of a run.
fn highest(system: &System, template: usize, run: &Run) -> usize {
    let rules = &system.templates[template].rules;
    let mut height = run.start.1.len();
    let mut highest = height;
    for &rule in &run.rules {
        let rule = &rules[rule as usize];
        height = height + rule.word.len() - usize::from(rule.top != EPSILON);
        highest = highest.max(height);
    }
    highest
}

/// A search with stacks up to a height.
struct Search<'a> {
    system: &'a mut System,
    template: usize,
    height: u32,
    threads: ThreadStates,
}

impl<'a> Search<'a> {
    fn new(system: &'a mut System, template: usize, height: u32) -> Self {
        Self { system, template, height, threads: ThreadStates::default() }
    }

    /// The rules of a shortest run between the ends of one; None if there is too much to look at.
    fn shortest(
        &mut self,
        run: &Run,
        end: (Shared, &[Symbol]),
        meter: &mut Meter,
    ) -> Result<Option<Vec<u32>>, Limit> {
        let stacks = &mut self.threads.stacks;
        let start = (run.start.0, stacks.push(&run.start.1, EMPTY));
        let lowest = end.1.len();
        let end = (end.0, stacks.push(end.1, EMPTY));
        let mut known = FxHashSet::from_iter([start]);
        let mut layer = vec![start];
        for steps in 1..=run.rules.len() {
            if known.contains(&end) {
                break;
            }
            let mut next = Vec::new();
            for source in layer {
                let targets = self.targets(source);
                for target in targets {
                    let height = self.threads.stacks.height(target.1) as usize;
                    if height <= lowest + run.rules.len() - steps && known.insert(target) {
                        next.push(target);
                    }
                }
                if known.len() > MOST_STATES {
                    return Ok(None);
                }
                if known.len() % 1024 == 0
                    && let Some(limit) = meter.reached(0, 0)
                {
                    return Err(limit);
                }
            }
            layer = next;
        }
        self.threads.shortest_run(start, end, meter).map(Some)
    }

    fn targets(&mut self, source: ThreadState) -> Vec<ThreadState> {
        self.system.meet(self.template, source.0, self.threads.stacks.top(source.1));
        let template = &self.system.templates[self.template];
        let source = self.threads.number(source);
        let steps = self.threads.compute_steps_up_to(self.height, template, source);
        self.threads.targets(steps).collect()
    }
}
