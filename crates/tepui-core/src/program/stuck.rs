//! When a thread cannot move.
//!
//! That may depend on variables that have no value yet: then it is asked with these closed to
//! readers, and where the answer depends on one of them, again for each of its values.

use super::machine::{Machine, holder_number};
use super::section;
use super::steps::Control;
use super::unknown::{decide, normalise, number, same_as, same_cell, unread, unread_cell};
use super::{Env, Place, Point, Range, Value};
use crate::system::{EPSILON, Shared, Symbol};

impl Machine {
    /// The shared states in which a thread with this top cannot move, where it depends on variables
    /// without a value with these decided; on local ones it may depend as it likes.
    pub fn stuck(&mut self, thread: usize, shared: Shared, top: Symbol) -> Vec<Shared> {
        if top == EPSILON {
            return vec![shared];
        }
        self.program().budget.renew();
        let (point, locals) = self.frame(thread, top);
        let env = self.env(thread, self.shared_values(shared), locals);
        let mut stuck: Vec<Shared> = self
            .stuck_cases(thread, point, env)
            .into_iter()
            .map(|globals| self.shared_number(&globals))
            .collect();
        stuck.sort_unstable();
        stuck.dedup();
        stuck
    }

    /// The shared states of all cases in which a thread cannot move.
    pub(super) fn stuck_cases(&self, thread: usize, point: Point, env: Env) -> Vec<Vec<Value>> {
        let mut open =
            vec![Env { globals: closed(env.globals), locals: closed(env.locals), own: env.own }];
        let mut stuck = Vec::new();
        while self.program().budget.goes_on()
            && let Some(env) = open.pop()
        {
            match self.question(thread, point, &env) {
                Question::Moves => (),
                Question::Depends(place) => {
                    let range = self.range(point, place);
                    if !self.may_decide(point, place, range) {
                        break;
                    }
                    open.extend(range.values().map(|value| {
                        let mut env = env.clone();
                        decide(env.beside(place), unread(place.cell), value);
                        env
                    }));
                }
                Question::Stuck => stuck.push(opened(env.globals)),
            }
        }
        stuck
    }

    /// Whether a thread can move, if that does not depend on variables that were not read yet.
    fn question(&self, thread: usize, point: Point, env: &Env) -> Question {
        let program = self.program();
        let moves = |steps: bool| if steps { Question::Moves } else { Question::Stuck };
        if self.is_halted(&env.globals) {
            return moves(point > program.waiting || program.watched.contains(&point));
        }
        let mut env = env.clone();
        if let (Some(lock), Some(holder)) = (program.hidden.lock, program.hidden.holder)
            && unread_cell(env.globals[lock as usize]).is_some()
        {
            match env.globals[holder as usize] {
                0 => env.globals[lock as usize] = 0, // Nobody has ever closed it.
                number if number == holder_number(thread) => (),
                _ => return Question::Depends(Place { global: true, cell: lock }),
            }
        }
        let Some(env) = self.released(thread, env) else { return Question::Stuck };
        let Some((procedure, location)) = program.location(point) else {
            return moves(!self.start(thread, env.globals).is_empty());
        };
        let mut depends = None;
        for control in self.controls(procedure, location, env) {
            match control {
                Control::Depends(place) => depends = depends.or(Some(place)),
                _ => return Question::Moves,
            }
        }
        depends.map_or(Question::Stuck, Question::Depends)
    }

    /// Where control can go from a location, in one step.
    fn controls(&self, procedure: u32, location: u32, env: Env) -> Vec<Control> {
        if self.enters_section(procedure, location) {
            let section = section::explore(self.program(), (procedure, location), env, false);
            return section.exits.into_iter().map(|exit| exit.control).collect();
        }
        let outcomes = self.program().micro_steps(procedure, location, &env);
        outcomes.into_iter().map(|(_, control)| control).collect()
    }

    fn range(&self, point: Point, place: Place) -> Range {
        let cell = place.cell as usize;
        match self.program().location(point) {
            Some((procedure, _)) if !place.global => {
                self.program().procedures[procedure as usize].cells[cell]
            }
            _ => self.program().cells[cell],
        }
    }
}

/// Whether a thread can move.
enum Question {
    Moves,
    Stuck,
    /// That depends on a variable.
    Depends(Place),
}

/// Values, where those that nobody knows yet must not be read.
fn closed(mut values: Vec<Value>) -> Vec<Value> {
    number(&mut values);
    values.into_iter().map(|value| same_cell(value).map_or(value, unread)).collect()
}

/// The other way round.
fn opened(values: Vec<Value>) -> Vec<Value> {
    let open = |value| unread_cell(value).map_or(value, same_as);
    let mut values: Vec<Value> = values.into_iter().map(open).collect();
    normalise(&mut values);
    values
}
