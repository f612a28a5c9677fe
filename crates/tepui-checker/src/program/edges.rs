//! What one edge does, taken alone (`semantics/edges.py`): neither atomic sections nor the lock.

use super::evaluation::{Evaluation, Stepped, Store, seen, stored, value_of};
use super::meaning::{Meaning, has};
use super::values::{Frame, Shared, Value, Word, in_normal_form, number};
use super::{Action, Creation, Edge, Expression, Target, Type};
use crate::Patience;

/// One way to take an edge: the shared state after it, and the frames that take the place of the
/// frame it starts from.
pub(crate) struct Move {
    pub(crate) is_call: bool,
    pub(crate) shared: Shared,
    pub(crate) word: Word,
}

/// Takes the edges of one location.
struct Taking<'a> {
    meaning: &'a Meaning,
    evaluation: Evaluation<'a>,
    procedure: usize,
    moves: Vec<Move>,
}

impl Meaning {
    /// Every way to take every edge that leaves the location of a frame.
    pub(crate) fn moves(
        &self,
        shared: &[Value],
        frame: &Frame,
        own: i128,
        patience: &Patience<'_>,
    ) -> Stepped<Vec<Move>> {
        let program = &self.program;
        let Some((procedure, location)) = program.place(frame.point) else { return Ok(Vec::new()) };
        let is_full = has(shared, program.hidden.full);
        let code = &program.procedures[procedure];
        let mut values = Vec::with_capacity(shared.len() + frame.values.len());
        number(shared, 0, &mut values);
        number(&frame.values, shared.len(), &mut values);
        let mut store = Store { values, written: Vec::new(), own };
        let evaluation = Evaluation { cells: (&program.cells, &code.cells), patience };
        let mut taking = Taking { meaning: self, evaluation, procedure, moves: Vec::new() };
        for &edge in &code.leaving[location] {
            let edge = &code.edges[edge];
            if matches!(edge.action, Action::Receive(_)) == is_full {
                evaluation
                    .holding(&edge.guard, &mut store, &mut |after| taking.take(edge, after))?;
            }
        }
        Ok(taking.moves)
    }
}

impl Taking<'_> {
    fn take(&mut self, edge: &Edge, store: &mut Store) -> Stepped<()> {
        let evaluation = self.evaluation;
        match &edge.action {
            Action::Step { assignments, constraint } => {
                self.assign(assignments, store, &mut |taking, assigned| {
                    evaluation.holding(constraint, assigned, &mut |after| {
                        taking.go_to(edge.target, after)
                    })
                })
            }
            Action::Call { procedure, arguments } => self.call(edge, *procedure, arguments, store),
            Action::Receive(targets) => {
                let results = &self.meaning.program.hidden.results;
                let results = results.iter().map(|&at| seen(store.values[at]));
                let results = results.collect::<Stepped<Vec<Value>>>()?;
                self.deliver(targets, &results, store, &mut |taking, after| {
                    let emptied = taking.results(0, &[]);
                    after.writing(emptied, |after| taking.go_to(edge.target, after))
                })
            }
            Action::Return(values) => {
                let types = &self.meaning.program.procedures[self.procedure].results;
                let given: Vec<_> = values.iter().zip(types).collect();
                evaluation.give(&given, true, store, &mut Vec::new(), &mut |values, after| {
                    let is_empty = values.is_empty();
                    let filled = if is_empty { Vec::new() } else { self.results(1, values) };
                    after.writing(filled, |after| self.go_to(None, after))
                })
            }
            Action::Assert { condition, violation, .. } => {
                evaluation.outcomes(condition, store, &mut |value, after| {
                    self.after_assertion(edge, *violation, value != 0, after)
                })
            }
            Action::Create(threads) => self.create(edge, threads, store),
            Action::End => self.go_to(None, store),
        }
    }

    /// Assign one scalar after the other.
    fn assign(
        &mut self,
        assignments: &[(Target, Expression)],
        store: &mut Store,
        then: &mut dyn FnMut(&mut Self, &mut Store) -> Stepped<()>,
    ) -> Stepped<()> {
        let Some(((target, value), rest)) = assignments.split_first() else {
            return then(self, store);
        };
        let (evaluation, share) = (self.evaluation, self.meaning.program.share);
        evaluation.target(target, store, &mut |address, decided| {
            evaluation.assign(value, address, share, decided, &mut |value, after| {
                after.writing([(address, value)], |after| self.assign(rest, after, then))
            })
        })
    }

    fn call(
        &mut self,
        edge: &Edge,
        callee: usize,
        arguments: &[Expression],
        store: &mut Store,
    ) -> Stepped<()> {
        let code = &self.meaning.program.procedures[callee];
        let types = code.cells.iter().map(|cell| &cell.scalar);
        let given: Vec<(&Expression, &Type)> = arguments.iter().zip(types).collect();
        self.evaluation.give(&given, false, store, &mut Vec::new(), &mut |values, after| {
            let given: Vec<(usize, Value)> = values.iter().copied().enumerate().collect();
            let start = self.meaning.fresh(callee, code.entry, &given);
            self.go_to(edge.target, after)?;
            if let Some(latest) = self.moves.last_mut() {
                latest.is_call = true;
                latest.word.insert(0, start);
            }
            Ok(())
        })
    }

    fn deliver(
        &mut self,
        targets: &[Option<Target>],
        results: &[Value],
        store: &mut Store,
        then: &mut dyn FnMut(&mut Self, &mut Store) -> Stepped<()>,
    ) -> Stepped<()> {
        let Some((target, rest)) = targets.split_first() else { return then(self, store) };
        let (Some(target), Some(result)) = (target, results[0].known()) else {
            return self.deliver(rest, &results[1..], store, then);
        };
        let evaluation = self.evaluation;
        evaluation.target(target, store, &mut |address, decided| match stored(
            evaluation.scalar(address),
            result,
        )? {
            Some(kept) => decided.writing([(address, value_of(kept)?)], |after| {
                self.deliver(rest, &results[1..], after, then)
            }),
            None => Ok(()),
        })
    }

    fn after_assertion(
        &mut self,
        edge: &Edge,
        violation: usize,
        holds: bool,
        store: &mut Store,
    ) -> Stepped<()> {
        if holds {
            return self.go_to(edge.target, store);
        }
        let halted = self.meaning.program.hidden.halted.map(|place| (place, Value::Known(1)));
        store.writing(halted, |after| self.go_to(None, after))?;
        if let Some(latest) = self.moves.last_mut() {
            latest.word.push(Frame::at(violation, Vec::new()));
        }
        Ok(())
    }

    fn create(&mut self, edge: &Edge, threads: &[Creation], store: &mut Store) -> Stepped<()> {
        let flags = threads.iter().map(|&(flag, _)| (flag, Value::Known(1)));
        let inherited = threads.iter().flat_map(|(_, inherited)| inherited);
        let addresses: Vec<usize> = inherited.clone().map(|(address, _, _)| *address).collect();
        let given: Vec<_> = inherited.map(|(_, scalar, value)| (value, scalar)).collect();
        let evaluation = self.evaluation;
        store.writing(flags, |created| {
            evaluation.give(&given, true, created, &mut Vec::new(), &mut |values, after| {
                let writes = addresses.iter().copied().zip(values.iter().copied());
                after.writing(writes, |after| self.go_to(edge.target, after))
            })
        })
    }

    /// The move to a location of the same procedure, or out of it.
    fn go_to(&mut self, target: Option<usize>, store: &mut Store) -> Stepped<()> {
        self.evaluation.patience.spend(1)?;
        let (shared, values) = store.result(self.meaning.program.cells.len());
        let shared = in_normal_form(shared);
        let word = target.map(|target| self.meaning.resting(self.procedure, target, values));
        self.moves.push(Move { is_call: false, shared, word: word.into_iter().collect() });
        Ok(())
    }

    /// How the place for results is filled or emptied; unused parts of it have their initial values.
    fn results(&self, full: i64, values: &[Value]) -> Vec<(usize, Value)> {
        let program = &self.meaning.program;
        let flag = program.hidden.full.map(|place| (place, Value::Known(full)));
        let results = program.hidden.results.iter().enumerate().map(|(number, &address)| {
            let unused = program.cells[address].initial.and_then(Value::of).unwrap_or(Value::Open);
            (address, values.get(number).copied().unwrap_or(unused))
        });
        flag.into_iter().chain(results).collect()
    }
}
