//! What the threads of a program can do (`semantics/meaning.py` and `semantics/fusing.py`).
//!
//! A halted program stays as it is; the scheduler lock says which threads may move; a thread that
//! waits starts once it was created; any other thread takes a step. Where steps are fused, the
//! thread goes on after any of these, where nobody else could tell.

use std::rc::Rc;

use super::evaluation::{Stepped, Stop, seen};
use super::local_points::{kept_values, points_passed, points_passed_by_holder};
use super::sections::{End, Sections};
use super::values::{Configuration, Frame, Shared, Value, Word, in_normal_form, number};
use super::{Program, Template};
use crate::Patience;
use crate::hashing::QuickSet;
use crate::system::Case;

/// A program, and what was read off its text.
pub(crate) struct Meaning {
    pub(crate) program: Program,
    /// For each point that is a location, the cells of its frames that matter.
    kept: Vec<Vec<bool>>,
    /// The points that fused steps pass, and those that they pass while no other thread can move.
    passed: Vec<bool>,
    passed_by_holder: Vec<bool>,
}

impl Meaning {
    pub(crate) fn new(program: Program) -> Self {
        let kept = kept_values(&program);
        let (passed, passed_by_holder) = match &program.fused {
            None => (Vec::new(), Vec::new()),
            Some(_) => (points_passed(&program), points_passed_by_holder(&program)),
        };
        Self { program, kept, passed, passed_by_holder }
    }

    pub(crate) fn initial_shared(&self) -> Shared {
        self.program.cells.iter().map(|cell| open_or(cell.initial)).collect()
    }

    pub(crate) fn initial_stack(&self, template: &Template) -> Stepped<Word> {
        if template.created.is_some() {
            return Ok(vec![Frame::at(self.program.waiting, Vec::new())]);
        }
        Ok(vec![self.start_frame(template, &self.initial_shared())?])
    }

    /// All that can take the place of a frame on top of a stack.
    pub(crate) fn rules(
        &self,
        template: &Template,
        shared: &[Value],
        frame: Frame,
        patience: &Patience<'_>,
    ) -> Stepped<Vec<Configuration>> {
        if self.program.fused.is_none() {
            self.steps(template, shared, &frame, patience)
        } else {
            self.fused_steps(template, shared, frame, patience)
        }
    }

    /// The cases in which a thread with this frame on top cannot move: which scalars of the shared
    /// state are decided, and how.
    pub(crate) fn stuck(
        &self,
        template: &Template,
        shared: &[Value],
        frame: &Frame,
        patience: &Patience<'_>,
    ) -> Stepped<Vec<Case>> {
        let mut open = vec![(unread(shared, 0), unread(&frame.values, shared.len()))];
        let mut found = Vec::new();
        while let Some((globals, values)) = open.pop() {
            let top = Frame::at(frame.point, values);
            match self.steps(template, &globals, &top, patience) {
                Ok(steps) if steps.is_empty() => found.push(decisions(shared, &globals)),
                Ok(_) => {}
                Err(stop @ (Stop::Problem(_) | Stop::Reads(_))) => return Err(stop),
                Err(Stop::Depends(address)) => {
                    let local = address.checked_sub(shared.len());
                    let cell = local.map_or_else(
                        || &self.program.cells[address],
                        |local| &self.program.cells_at(frame.point)[local],
                    );
                    for value in cell.scalar.values().filter_map(Value::of) {
                        patience.spend(1)?;
                        let decide = |values: &[Value]| decided(values, address, value);
                        open.push((decide(&globals), decide(&top.values)));
                    }
                }
            }
        }
        Ok(found)
    }

    /// A frame at a location, without the values that do not matter.
    pub(crate) fn resting(&self, procedure: usize, location: usize, values: Vec<Value>) -> Frame {
        let point = self.program.procedures[procedure].first + location;
        let kept = values.into_iter().zip(&self.kept[point]);
        let kept = kept.map(|(value, &matters)| if matters { value } else { Value::Open });
        Frame::at(point, in_normal_form(kept.collect()))
    }

    /// A frame in which some cells are given, and the others have their initial values.
    pub(crate) fn fresh(
        &self,
        procedure: usize,
        location: usize,
        given: &[(usize, Value)],
    ) -> Frame {
        let cells = &self.program.procedures[procedure].cells;
        let mut values: Vec<Value> = cells.iter().map(|cell| open_or(cell.initial)).collect();
        for &(cell, value) in given {
            values[cell] = value;
        }
        self.resting(procedure, location, values)
    }

    /// The steps of a thread without fusion, for a frame that is joined to no other.
    fn steps(
        &self,
        template: &Template,
        shared: &[Value],
        frame: &Frame,
        patience: &Patience<'_>,
    ) -> Stepped<Vec<Configuration>> {
        let program = &self.program;
        if has(shared, program.hidden.halted) {
            let stays = frame.point > program.waiting || program.probes.contains(&frame.point);
            return Ok(if stays {
                vec![(shared.to_vec(), vec![frame.clone()])]
            } else {
                Vec::new()
            });
        }
        let Some(free) = self.let_in(template, shared)? else { return Ok(Vec::new()) };
        if frame.point >= program.waiting {
            let starts = frame.point == program.waiting && self.may_start(template, &free);
            if !starts {
                return Ok(Vec::new());
            }
            let word = vec![self.start_frame(template, &free)?];
            return Ok(vec![(self.with_holder(template, free), word)]);
        }
        if program.is_atomic(frame.point) {
            return Ok(Vec::new());
        }
        let own = i128::from(template.identity);
        let ends = Sections::ends(self, own, free, frame, patience)?;
        let found: Vec<Configuration> =
            ends.into_iter().map(|end| self.target(template, end)).collect();
        Ok(without_repetition(found))
    }

    /// All ends of fused steps.
    fn fused_steps(
        &self,
        template: &Template,
        shared: &[Value],
        frame: Frame,
        patience: &Patience<'_>,
    ) -> Stepped<Vec<Configuration>> {
        let mut ends = Vec::new();
        let mut met: QuickSet<Rc<Configuration>> = QuickSet::default();
        let mut waiting = self.steps_onto(template, shared, &unjoined(frame), patience)?;
        while let Some(configuration) = waiting.pop() {
            let configuration = Rc::new(configuration);
            if !met.insert(Rc::clone(&configuration)) {
                continue;
            }
            match self.goes_on(template, &configuration, patience)? {
                Some(following) => waiting.extend(following),
                None => ends.push(configuration),
            }
        }
        drop(met);
        let joined = ends.into_iter().map(|end| {
            let (after, word) = Rc::unwrap_or_clone(end);
            (after, self.joined(word))
        });
        Ok(without_repetition(joined.collect()))
    }

    /// What a thread does next as part of the same step; None where it rests.
    fn goes_on(
        &self,
        template: &Template,
        (shared, word): &Configuration,
        patience: &Patience<'_>,
    ) -> Stepped<Option<Vec<Configuration>>> {
        let Some(top) = word.first() else { return Ok(None) };
        if !self.may_pass(template, shared, top.point) {
            return Ok(None);
        }
        let following = self.steps_onto(template, shared, word, patience)?;
        let halts = |(after, _): &Configuration| has(after, self.program.hidden.halted);
        let is_high = |(_, onto): &Configuration| self.entries(onto) > 2;
        if following.iter().any(|next| halts(next) || is_high(next)) {
            return Ok(None);
        }
        let is_known = |value: &Value| !matches!(value, Value::Open | Value::SameAs(_));
        let is_stuck = if shared.iter().chain(&top.values).all(is_known) {
            following.is_empty()
        } else {
            !self.stuck(template, shared, top, patience)?.is_empty()
        };
        Ok((!is_stuck).then_some(following))
    }

    /// The single steps of a thread, with the frames below its top.
    fn steps_onto(
        &self,
        template: &Template,
        shared: &[Value],
        word: &[Frame],
        patience: &Patience<'_>,
    ) -> Stepped<Vec<Configuration>> {
        let mut steps = self.steps(template, shared, &word[0], patience)?;
        for (_, onto) in &mut steps {
            onto.extend_from_slice(&word[1..]);
        }
        Ok(steps)
    }

    /// Whether a frame shares an entry of the stack with that of its caller.
    fn is_joined(&self, frame: &Frame) -> bool {
        let joined = self.program.fused.as_ref().map_or(&[][..], |fused| &fused.joined);
        self.program.place(frame.point).is_some_and(|(number, _)| joined.contains(&number))
    }

    /// How many entries some frames make up.
    fn entries(&self, word: &[Frame]) -> usize {
        let (last, others) = match word.split_last() {
            None => return 0,
            Some((_, others)) => (1, others),
        };
        last + others.iter().filter(|frame| !self.is_joined(frame)).count()
    }

    /// The entries that some frames make up: one that is joined goes with the next.
    fn joined(&self, word: Word) -> Word {
        let mut entries: Word = Vec::with_capacity(word.len());
        for mut frame in word.into_iter().rev() {
            if self.is_joined(&frame)
                && let Some(below) = entries.pop()
            {
                frame.below = Some(Box::new(below));
            }
            entries.push(frame);
        }
        entries.reverse();
        entries
    }

    /// Whether a fused step goes on at a point: what happens there is local, or nobody else can
    /// move.
    fn may_pass(&self, template: &Template, shared: &[Value], point: usize) -> bool {
        let Some(fused) = &self.program.fused else { return false };
        if point >= self.program.waiting || fused.named.contains(&point) {
            return false;
        }
        let alone = self.has_lock(template, shared) || has(shared, self.program.hidden.full);
        if alone { self.passed_by_holder[point] } else { self.passed[point] }
    }

    fn has_lock(&self, template: &Template, shared: &[Value]) -> bool {
        let hidden = &self.program.hidden;
        let (Some(lock), Some(holder)) = (hidden.lock, hidden.holder) else { return false };
        let is_open = matches!(shared[lock], Value::Open | Value::Known(0));
        !is_open && shared[holder] == identity(template)
    }

    /// Whether a thread that waits can start.
    fn may_start(&self, template: &Template, shared: &[Value]) -> bool {
        let is_full = has(shared, self.program.hidden.full);
        !is_full && template.created.is_some_and(|flag| shared[flag] == Value::Known(1))
    }

    /// Where a thread begins, with what it inherits.
    fn start_frame(&self, template: &Template, shared: &[Value]) -> Stepped<Frame> {
        let inherited = template.inherited.iter();
        let given = inherited.map(|&(cell, from)| Ok((cell, seen(shared[from])?)));
        let given = given.collect::<Stepped<Vec<_>>>()?;
        Ok(self.fresh(template.procedure, template.start, &given))
    }

    /// Where a step that ends here leads.
    fn target(&self, template: &Template, (mark, shared, mut word): End) -> Configuration {
        if let (Some((point, mut shared)), Some(halted)) = (mark, self.program.hidden.halted) {
            shared[halted] = Value::Known(1);
            let values = vec![Value::Open; self.program.cells_at(point).len()];
            return (self.with_holder(template, shared), vec![Frame::at(point, values)]);
        }
        if word.len() == 2 && self.program.is_bare_end(word[1].point) {
            word.pop();
        }
        (self.with_holder(template, shared), word)
    }

    /// The shared state as a thread that may move finds it; None if it may not move.
    fn let_in(&self, template: &Template, shared: &[Value]) -> Stepped<Option<Shared>> {
        let hidden = &self.program.hidden;
        let (Some(lock), Some(holder)) = (hidden.lock, hidden.holder) else {
            return Ok(Some(shared.to_vec()));
        };
        if shared[holder] == identity(template) {
            return Ok(Some(shared.to_vec()));
        }
        let is_unread = matches!(shared[lock], Value::Unread(_));
        if is_unread && shared[holder] != Value::Known(0) {
            return Err(Stop::Depends(lock));
        }
        if is_unread || shared[lock] == Value::Open {
            // If it were closed, no thread could ever open it.
            let mut free = shared.to_vec();
            free[lock] = Value::Known(0);
            return Ok(Some(free));
        }
        Ok((shared[lock] == Value::Known(0)).then(|| shared.to_vec()))
    }

    /// The shared state after a step: a thread that leaves the lock taken holds it.
    fn with_holder(&self, template: &Template, mut shared: Shared) -> Shared {
        let hidden = &self.program.hidden;
        if let (Some(lock), Some(holder)) = (hidden.lock, hidden.holder) {
            let is_open = shared[lock] == Value::Known(0);
            shared[holder] = if is_open { Value::Known(0) } else { identity(template) };
        }
        shared
    }
}

/// Whether a hidden scalar is 1; one that a program does not have never is.
pub(crate) fn has(shared: &[Value], hidden: Option<usize>) -> bool {
    hidden.is_some_and(|place| shared[place] == Value::Known(1))
}

/// What a thread is called in shared states.
fn identity(template: &Template) -> Value {
    Value::Known(template.identity)
}

fn open_or(value: Option<i128>) -> Value {
    value.and_then(Value::of).unwrap_or(Value::Open)
}

/// The frames of one entry of a stack, top first.
fn unjoined(mut entry: Frame) -> Word {
    let below = entry.below.take();
    let mut word = vec![entry];
    word.extend(below.into_iter().flat_map(|below| unjoined(*below)));
    word
}

fn without_repetition(mut found: Vec<Configuration>) -> Vec<Configuration> {
    if found.len() > 8 {
        return found.into_iter().collect::<QuickSet<_>>().into_iter().collect();
    }
    let mut place = 0;
    while place < found.len() {
        if found[..place].contains(&found[place]) {
            found.swap_remove(place);
        } else {
            place += 1;
        }
    }
    found
}

/// Values, the first of which has an address: those that are not known must not be read.
fn unread(values: &[Value], first: usize) -> Vec<Value> {
    let mut numbered = Vec::with_capacity(values.len());
    number(values, first, &mut numbered);
    for value in &mut numbered {
        if let Value::SameAs(number) = *value {
            *value = Value::Unread(number as usize);
        }
    }
    numbered
}

fn decided(values: &[Value], address: usize, value: Value) -> Vec<Value> {
    let decide = |each: &Value| match *each {
        Value::Unread(same) if same == address => value,
        other => other,
    };
    values.iter().map(decide).collect()
}

/// What was decided about a shared state.
fn decisions(before: &[Value], after: &[Value]) -> Case {
    let places = before.iter().zip(after).enumerate();
    let decided = places.filter_map(|(place, (old, new))| match old {
        Value::Open | Value::SameAs(_) => new.known().map(|number| (place as u32, number)),
        _ => None,
    });
    decided.collect()
}
