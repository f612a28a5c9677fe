//! What a search has found: whether a state is reached, and all that is.

use super::super::certificate::{Certificate, certificate_of};
use super::super::nodes::{Bdd, Work};
use super::super::stop::Stop;
use super::membership::{Frame, has, shared_cube};
use super::rules::rests;
use super::search::{Exact, ViewSearch};
use crate::limits::{Limit, Meter};
use crate::program::Value;
use crate::system::lock;

impl ViewSearch {
    /// After how many contexts a state is reached, as far as that is known: its shared values, and for
    /// each thread its frames, the one on top first.
    pub fn reaches(
        &mut self,
        shared: &[Value],
        stacks: &[Vec<Frame>],
        meter: &mut Meter,
    ) -> Result<Option<usize>, Limit> {
        let system = lock(&self.handle);
        let program = system.machine().expect("it is a program").program();
        let Self { nodes, layout, tuples, states, rounds, .. } = self;
        let mut work = Work { nodes, meter };
        let shared = shared_cube(program, layout, shared, &mut work);
        for (contexts, round) in rounds.iter().enumerate() {
            for &number in round {
                let mut is_in = true;
                for (view, stack) in tuples.all[number].views.iter().zip(stacks) {
                    is_in = is_in && has(view, shared, stack, program, layout, states, &mut work)?;
                }
                if is_in {
                    return Ok(Some(contexts));
                }
            }
        }
        Ok(None)
    }

    /// All that is reached, and what threads pass inside of atomic sections, as far as states are
    /// known as one set.
    pub fn certificate(&mut self, meter: &mut Meter) -> Result<Certificate, Stop> {
        let Some(mut exact) = self.exact.take() else {
            return Err(Stop::Refused("its stacks are too deep".to_owned()));
        };
        let found = self.written_down(&mut exact, meter);
        self.exact = Some(exact);
        found
    }

    fn written_down(&mut self, exact: &mut Exact, meter: &mut Meter) -> Result<Certificate, Stop> {
        let mut all = exact.reached;
        let ran: Vec<usize> = self.rounds[..self.contexts()].iter().flatten().copied().collect();
        for number in ran {
            for thread in 0..self.threads.len() {
                if Some(thread) != self.tuples.all[number].last {
                    let inside = self.inside(number, thread, exact, meter)?;
                    all = Work { nodes: &mut self.nodes, meter }.or(all, inside)?;
                }
            }
        }
        let Self { nodes, layout, .. } = self;
        let encoding = layout.whole.as_ref().expect("no stack is too deep");
        Ok(certificate_of(
            all,
            encoding,
            &exact.whole.shapes,
            |_| true,
            &mut Work { nodes, meter },
        )?)
    }

    /// What a thread passes inside of atomic sections. The others have what belongs to the ghost.
    fn inside(
        &mut self,
        number: usize,
        thread: usize,
        exact: &mut Exact,
        meter: &mut Meter,
    ) -> Result<Bdd, Stop> {
        let mut saturation = self.saturation(number, thread, true, meter)?;
        while let Some(symbol) = saturation.symbol() {
            self.learn(thread, symbol, meter)?;
            let rules = &self.rules[&(self.threads[thread].template, symbol)];
            let mut work = Work { nodes: &mut self.nodes, meter };
            saturation.step(rules, &self.states, &self.layout, &mut work)?;
        }
        let system = lock(&self.handle);
        let program = system.machine().expect("it is a program").program();
        let Self { nodes, layout, tuples, states, threads, .. } = self;
        let mut work = Work { nodes, meter };
        let mut view = saturation.view;
        view.empty = Bdd::FALSE;
        view.tops.retain(|(symbol, _), _| !rests(*symbol, program));
        let whole = &mut exact.whole;
        let mut set =
            whole.of_view(thread, &view, &saturation.own, program, layout, states, &mut work)?;
        for other in (0..threads.len()).filter(|&other| other != thread) {
            let view = &tuples.all[number].views[other];
            let states = whole.of_view(other, view, &[], program, layout, states, &mut work)?;
            let states = work.rename(states, &layout.begins)?;
            set = work.and(set, states)?;
        }
        let ghosts = layout.cube(|bit| bit.ghost, &mut work);
        Ok(work.exists(set, ghosts)?)
    }
}
