//! What a thread can do at a location: every outcome of every edge, with all choices.
//!
//! These are the micro-steps. Outside atomic sections each is a step of its own.

use super::expression::{Evaluation, Expression, Ranges, Tape};
use super::unknown;
use super::{
    Action, Destination, Edge, Env, Place, Point, Procedure, Program, Range, Source, Value,
};

/// Where control goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Control {
    /// To a location of the same procedure.
    Go(u32),
    /// Into a procedure, whose frame starts with these values; the caller goes on at `target`.
    Call {
        /// The procedure.
        procedure: u32,
        /// All values of its frame.
        locals: Vec<Value>,
        /// Where the caller goes on.
        target: u32,
        /// Whether it has nothing left to do there.
        is_tail: bool,
    },
    /// Back to the caller; results are in the shared state.
    Return,
    /// An assertion is violated.
    Violation(Point),
    /// Nowhere: what comes next depends on a variable that has no value yet.
    Depends(Place),
}

/// One way in which an edge can be taken: the values after it, and where control goes.
pub type Outcome = (Env, Control);

impl Program {
    /// Everything that can be done at a location with these values.
    pub fn micro_steps(&self, procedure: u32, location: u32, env: &Env) -> Vec<Outcome> {
        let procedure = &self.procedures[procedure as usize];
        let receiving = self.is_full(&env.globals);
        let mut outcomes = Vec::new();
        let point = Point::new(procedure.first_point.number() + location);
        for edge in &procedure.locations[location as usize].edges {
            if matches!(edge.action, Action::Receive(_)) == receiving {
                self.take(procedure, (point, edge), env, &mut outcomes);
            }
        }
        outcomes
    }

    /// Whether results wait for their receipt.
    pub fn is_full(&self, globals: &[Value]) -> bool {
        self.hidden.full.is_some_and(|full| globals[full as usize] == 1)
    }

    /// Values that are never read again are taken out of a frame that comes to rest at a location.
    pub fn forget_dead(&self, procedure: u32, location: u32, locals: &mut [Value]) {
        let location = &self.procedures[procedure as usize].locations[location as usize];
        if self.shares {
            unknown::number(locals);
        }
        for (value, live) in locals.iter_mut().zip(&location.live) {
            if !live {
                *value = super::NO_VALUE;
            }
        }
        if self.shares {
            unknown::normalise(locals);
        }
    }

    /// All outcomes of an edge that leaves a point, one for each sequence of choices.
    fn take(
        &self,
        procedure: &Procedure,
        (point, edge): (Point, &Edge),
        env: &Env,
        outcomes: &mut Vec<Outcome>,
    ) {
        let footprint = &self.footprint;
        let ranges = Ranges { globals: &self.cells, locals: &procedure.cells, footprint };
        let mut tape = Tape::default();
        loop {
            let mut evaluation = Evaluation::new(env, ranges, self.shares, &mut tape);
            match self.take_once(procedure, edge, &mut evaluation) {
                Some(control) => outcomes.push((evaluation.finish(), control)),
                None => outcomes
                    .extend(evaluation.unread.map(|place| (env.clone(), Control::Depends(place)))),
            }
            if !tape.advance() {
                return;
            }
            if !self.budget.spend_one(point, &tape) {
                return;
            }
        }
    }

    fn take_once(
        &self,
        procedure: &Procedure,
        edge: &Edge,
        evaluation: &mut Evaluation,
    ) -> Option<Control> {
        if !evaluation.holds(&edge.guard)? {
            return None;
        }
        let mut control = edge.target.map_or(Control::Return, Control::Go);
        match &edge.action {
            Action::Step(assignments, constraint) => {
                let values = assignments
                    .iter()
                    .map(|(to, from)| assignment(to, from, evaluation))
                    .collect::<Option<Vec<_>>>()?;
                evaluation.assign(values);
                if !evaluation.holds(constraint)? {
                    return None;
                }
            }
            Action::Call { procedure, is_tail, arguments } => {
                let locals = self.arguments(*procedure, arguments, evaluation)?;
                let (procedure, is_tail, target) = (*procedure, *is_tail, edge.target?);
                control = Control::Call { procedure, locals, target, is_tail };
            }
            Action::Receive(targets) => self.receive(procedure, targets, evaluation)?,
            Action::Return(values) => {
                self.give_back(procedure, values, evaluation)?;
                control = Control::Return;
            }
            Action::Assert(condition, point) => {
                if !evaluation.holds(condition)? {
                    control = Control::Violation(*point);
                }
            }
            Action::Create(values) => {
                let values = values
                    .iter()
                    .map(|(cell, value)| {
                        let value = evaluation.value(value)?;
                        Some((global(*cell), self.cells[*cell as usize].store(value)?))
                    })
                    .collect::<Option<Vec<_>>>()?;
                evaluation.assign(values);
            }
            Action::End => control = Control::Return,
        }
        Some(control)
    }

    fn range(&self, procedure: &Procedure, place: Place) -> Range {
        let ranges = if place.global { &self.cells } else { &procedure.cells };
        ranges[place.cell as usize]
    }

    /// The values of a callee's first frame.
    fn arguments(
        &self,
        callee: u32,
        arguments: &[Source],
        evaluation: &mut Evaluation,
    ) -> Option<Vec<Value>> {
        let callee = &self.procedures[callee as usize];
        let mut locals = callee.initial.clone();
        for (cell, argument) in arguments.iter().enumerate() {
            locals[cell] = stored(argument, callee.cells[cell], evaluation)?;
        }
        Some(locals)
    }

    fn give_back(
        &self,
        procedure: &Procedure,
        values: &[Expression],
        evaluation: &mut Evaluation,
    ) -> Option<()> {
        let Some(full) = self.hidden.full.filter(|_| !values.is_empty()) else { return Some(()) };
        let mut results = vec![(global(full), 1)];
        for (index, (value, range)) in values.iter().zip(&procedure.results).enumerate() {
            let value = range.store(evaluation.value(value)?)?;
            results.push((global(full + 1 + index as u32), value));
        }
        evaluation.assign(results);
        Some(())
    }

    fn receive(
        &self,
        procedure: &Procedure,
        targets: &[Option<Destination>],
        evaluation: &mut Evaluation,
    ) -> Option<()> {
        let full = self.hidden.full?;
        let mut values = vec![(global(full), 0)];
        for cell in full + 1..=full + self.hidden.results {
            values.push((global(cell), self.initial[cell as usize]));
        }
        for (index, target) in targets.iter().enumerate() {
            let Some(target) = target else { continue };
            let place = place(target, evaluation)?;
            let value = evaluation.result(full + 1 + index as u32);
            let range = self.range(procedure, place);
            values.push((place, range.store(value)?));
        }
        evaluation.assign(values);
        Some(())
    }
}

fn global(cell: u32) -> Place {
    Place { global: true, cell }
}

fn assignment(
    to: &Destination,
    from: &Source,
    evaluation: &mut Evaluation,
) -> Option<(Place, Value)> {
    let place = place(to, evaluation)?;
    let value = match from {
        Source::Later => super::NO_VALUE,
        Source::Now(expression) => evaluation.given(expression, place)?,
    };
    Some((place, value))
}

fn place(to: &Destination, evaluation: &mut Evaluation) -> Option<Place> {
    match to {
        Destination::Scalar(place) => Some(*place),
        Destination::Element(array, index) => array.element(evaluation.value(index)?),
    }
}

fn stored(from: &Source, range: Range, evaluation: &mut Evaluation) -> Option<Value> {
    match from {
        Source::Later => Some(super::NO_VALUE),
        Source::Now(expression) => range.store(evaluation.value(expression)?),
    }
}
