//! The steps of a program, for states that tables give numbers to (`checker/programs`).
//!
//! Tables are untrusted, as certificates are: they are looked at before use, and no state may have
//! two numbers. States outside the tables get numbers beyond them.

use super::Program;
use super::evaluation::{Stepped, Stop};
use super::learned::{Effect, Learned};
use super::meaning::Meaning;
use super::text;
use super::values::{Frame, Shared, Value, Word, read_values, write_values};
use crate::hashing::Numbers;
use crate::system::{Case, EPSILON, Steps, Target};
use crate::{Checked, Patience, rejected};

/// A value in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenValue {
    /// None yet.
    Open,
    /// The same as that of an earlier cell.
    SameAs(u32),
    /// A number.
    Known(i128),
}

/// A frame in a table: a point, values, and the frame of the caller, if it is joined to that.
pub type GivenFrame = (usize, Vec<GivenValue>, Option<Box<Joined>>);

/// A frame to which another one is joined.
pub struct Joined(pub GivenFrame);

/// A program whose states have numbers.
pub struct ProgramSteps {
    meaning: Meaning,
    shared: Numbers,
    /// For each type of threads, its frames; symbols are one more.
    frames: Vec<Numbers>,
    /// How many shared states and frames the tables have.
    listed: (u32, Vec<u32>),
    families: Vec<Vec<usize>>,
    /// The cells of shared states that name threads.
    naming: Vec<usize>,
    learned: Learned,
}

impl ProgramSteps {
    /// A program as text, and the threads that are families.
    pub fn new(text: &str, families: Vec<Vec<usize>>) -> Checked<Self> {
        let program = text::read(text)?;
        let cells = program.cells.iter().enumerate();
        let naming = cells.filter(|(_, cell)| cell.scalar.names_threads).map(|(n, _)| n).collect();
        let frames: Vec<Numbers> = (0..program.kinds).map(|_| Numbers::default()).collect();
        Ok(Self {
            listed: (0, vec![0; frames.len()]),
            learned: Learned::new(&program),
            meaning: Meaning::new(program),
            shared: Numbers::default(),
            frames,
            families,
            naming,
        })
    }

    /// Add a shared state to the tables.
    pub fn add_shared(&mut self, state: &[GivenValue]) -> Checked<()> {
        let program = &self.meaning.program;
        let hidden = state.iter().skip(program.own);
        let are_known = hidden.into_iter().all(|value| matches!(value, GivenValue::Known(_)));
        if !fits(&program.cells, state) || !are_known {
            return rejected("a shared state in the evidence is no state of the program");
        }
        let number = self.shared_number(&values(state));
        if number != self.listed.0 {
            return rejected("the tables of the evidence list a state twice");
        }
        self.listed.0 += 1;
        Ok(())
    }

    /// Add a frame to the table of a type of threads.
    pub fn add_frame(&mut self, kind: usize, frame: GivenFrame) -> Checked<()> {
        if kind >= self.frames.len() {
            return rejected("the evidence does not have one table of frames for each thread type");
        }
        check_frame(&self.meaning.program, &frame, self.meaning.program.points)?;
        let number = self.symbol(kind, &built(frame)) - 1;
        if number != self.listed.1[kind] {
            return rejected("the tables of the evidence list a state twice");
        }
        self.listed.1[kind] += 1;
        Ok(())
    }

    fn shared_number(&mut self, state: &[Value]) -> u32 {
        shared_number(&self.meaning.program, &mut self.shared, state)
    }

    fn symbol(&mut self, kind: usize, frame: &Frame) -> u32 {
        symbol(&self.meaning.program, &mut self.frames[kind], frame)
    }

    fn state(&self, shared: u32) -> Shared {
        read_values(&self.meaning.program.cells, &mut self.shared.get(shared))
    }

    fn frame(&self, kind: usize, symbol: u32) -> Frame {
        self.meaning.program.read_frame(&mut self.frames[kind].get(symbol - 1))
    }

    fn kind(&self, template: usize) -> usize {
        self.meaning.program.templates[template].kind
    }

    /// The rules for a shared state, as they were learned; None if they cannot be.
    fn learned_rules(
        &mut self,
        template: usize,
        number: u32,
        state: &[Value],
        top: u32,
        patience: &Patience<'_>,
    ) -> Stepped<Option<Vec<Target>>> {
        let kind = self.kind(template);
        let Self { meaning, shared, frames, learned, .. } = self;
        let found = learned.steps((template, top), state, |given| {
            steps_of(meaning, &mut frames[kind], (template, given, top), patience)
        })?;
        let target = |effect: &Effect| {
            let after = effect.after(state);
            let after = after.map(|after| shared_number(&meaning.program, shared, &after));
            (after.unwrap_or(number), effect.word.clone())
        };
        Ok(found.map(|effects| effects.iter().map(target).collect()))
    }

    /// The rules for a shared state, all of which is given.
    fn exact_rules(
        &mut self,
        template: usize,
        state: &[Value],
        top: u32,
        patience: &Patience<'_>,
    ) -> Stepped<Vec<Target>> {
        let frames = &mut self.frames[self.meaning.program.templates[template].kind];
        let found = steps_of(&self.meaning, frames, (template, state, top), patience)?;
        Ok(found.into_iter().map(|(after, word)| (self.shared_number(&after), word)).collect())
    }

    fn point(&self, template: usize, symbol: u32) -> usize {
        let bytes = self.frames[self.kind(template)].get(symbol - 1);
        bytes.first_chunk().map_or(0, |point| u32::from_le_bytes(*point) as usize)
    }
}

impl Steps for ProgramSteps {
    fn threads(&self) -> &[usize] {
        &self.meaning.program.threads
    }

    fn shared_states(&self) -> u32 {
        self.listed.0
    }

    fn symbols(&self, template: usize) -> u32 {
        1 + self.listed.1[self.kind(template)]
    }

    fn initial(&mut self) -> Checked<u32> {
        Ok(self.shared_number(&self.meaning.initial_shared()))
    }

    fn stack(&mut self, template: usize) -> Checked<Vec<u32>> {
        let who = &self.meaning.program.templates[template];
        let word = problem(self.meaning.initial_stack(who))?;
        let kind = self.kind(template);
        Ok(word.iter().map(|frame| self.symbol(kind, frame)).collect())
    }

    fn rules(
        &mut self,
        template: usize,
        shared: u32,
        top: u32,
        patience: &Patience<'_>,
    ) -> Checked<Vec<Target>> {
        if top == EPSILON {
            return Ok(Vec::new());
        }
        patience.spend(20)?;
        let state = self.state(shared);
        let learned = self.learned_rules(template, shared, &state, top, patience);
        if let Some(rules) = problem(learned)? {
            return Ok(rules);
        }
        problem(self.exact_rules(template, &state, top, patience))
    }

    fn class_of(&self, template: usize, symbol: u32) -> u32 {
        if symbol == EPSILON { EPSILON } else { self.point(template, symbol) as u32 + 1 }
    }

    fn is_idle(&self, template: usize, shared: u32, top: u32) -> bool {
        if top == EPSILON {
            return true;
        }
        let idle = self.meaning.program.templates[template].idle;
        idle.is_some_and(|(point, cell)| {
            self.point(template, top) == point && self.state(shared)[cell] == Value::Known(0)
        })
    }

    fn stuck(
        &mut self,
        template: usize,
        shared: u32,
        top: u32,
        patience: &Patience<'_>,
    ) -> Checked<Vec<Case>> {
        if top == EPSILON {
            return Ok(vec![Vec::new()]);
        }
        patience.spend(20)?;
        let (state, frame) = (self.state(shared), self.frame(self.kind(template), top));
        let who = &self.meaning.program.templates[template];
        problem(self.meaning.stuck(who, &state, &frame, patience))
    }

    fn families(&self) -> &[Vec<usize>] {
        &self.families
    }

    fn named(&mut self, shared: u32) -> Checked<Vec<usize>> {
        let state = self.state(shared);
        let mut found = Vec::new();
        for &cell in &self.naming {
            let Some(identity) = state[cell].known() else {
                return rejected("a variable that names threads has no value in the evidence");
            };
            let thread = usize::try_from(identity - 1).ok();
            found.extend(thread.filter(|thread| !found.contains(thread)));
        }
        Ok(found)
    }

    fn renamed(&mut self, shared: u32, names: &[(usize, usize)]) -> Checked<u32> {
        let mut state = self.state(shared);
        for &cell in &self.naming {
            let thread =
                state[cell].known().and_then(|identity| usize::try_from(identity - 1).ok());
            if let Some((_, new)) = names.iter().find(|(old, _)| Some(*old) == thread) {
                state[cell] = Value::of(*new as i128 + 1).unwrap_or(Value::Open);
            }
        }
        Ok(self.shared_number(&state))
    }
}

fn shared_number(program: &Program, numbers: &mut Numbers, state: &[Value]) -> u32 {
    let mut bytes = Vec::with_capacity(state.len());
    write_values(&program.cells, state, &mut bytes);
    numbers.number(&bytes)
}

fn symbol(program: &Program, numbers: &mut Numbers, frame: &Frame) -> u32 {
    let mut bytes = Vec::with_capacity(8 + frame.values.len());
    program.write_frame(frame, &mut bytes);
    1 + numbers.number(&bytes)
}

/// The steps of a template from a shared state and a top, with symbols for the frames.
fn steps_of(
    meaning: &Meaning,
    frames: &mut Numbers,
    (template, shared, top): (usize, &[Value], u32),
    patience: &Patience<'_>,
) -> Stepped<Vec<(Shared, Vec<u32>)>> {
    let program = &meaning.program;
    let frame = program.read_frame(&mut frames.get(top - 1));
    let found = meaning.rules(&program.templates[template], shared, frame, patience)?;
    let mut word = |frames_there: Word| {
        frames_there.iter().map(|frame| symbol(program, frames, frame)).collect()
    };
    Ok(found.into_iter().map(|(after, frames)| (after, word(frames))).collect())
}

/// An answer about a step from a state of which all is given, or the problem with it.
fn problem<T>(found: Stepped<T>) -> Checked<T> {
    found.map_err(|stop| match stop {
        Stop::Problem(problem) => problem,
        Stop::Depends(_) | Stop::Reads(_) => unreachable!("everything may be looked at"),
    })
}

fn check_frame(program: &Program, frame: &GivenFrame, points: usize) -> Checked<()> {
    let (point, values, below) = frame;
    if *point >= points {
        return rejected("a frame in the evidence is at no point of the program");
    }
    if !fits(program.cells_at(*point), values) {
        return rejected("a frame in the evidence is no frame of the program");
    }
    below.as_ref().map_or(Ok(()), |below| check_frame(program, &below.0, program.waiting))
}

/// Whether these are values for these cells. If one shares that of another, this is an earlier one
/// without a value, of a type with the same values.
fn fits(cells: &[super::Cell], values: &[GivenValue]) -> bool {
    let fits_at = |place: usize| match values[place] {
        GivenValue::Open => true,
        GivenValue::Known(value) => cells[place].scalar.has(value),
        GivenValue::SameAs(first) => {
            let first = first as usize;
            first < place
                && values[first] == GivenValue::Open
                && cells[place].scalar.same_range(&cells[first].scalar)
        }
    };
    cells.len() == values.len() && (0..cells.len()).all(fits_at)
}

fn values(given: &[GivenValue]) -> Vec<Value> {
    let value = |each: &GivenValue| match *each {
        GivenValue::Open => Value::Open,
        GivenValue::SameAs(cell) => Value::SameAs(cell),
        GivenValue::Known(value) => Value::of(value).unwrap_or(Value::Open),
    };
    given.iter().map(value).collect()
}

fn built((point, given, below): GivenFrame) -> Frame {
    Frame { point, values: values(&given), below: below.map(|below| Box::new(built(below.0))) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Problem;

    /// A program with one global from 0 to 3, and one procedure with these edges and two locations.
    fn program(edges: &str) -> Checked<ProgramSteps> {
        let text = format!(
            "( ( ( wrap 0 4 0 ) ( block 0 2 0 ) ) 1 ( 1 - ( ) - - ) \
             ( ( ( ) ( ) 0 ( ( 0 1 ) ( 0 1 ) ) ( {edges} ) ) ) \
             ( ( 0 0 0 0 - ( ) ( ) ) ) ( 0 ) 1 1 0 ( ) ( ) ( ) )"
        );
        ProgramSteps::new(&text, Vec::new())
    }

    fn rules(edges: &str) -> Checked<Vec<Target>> {
        let mut program = program(edges)?;
        for x in 0..4 {
            program.add_shared(&[GivenValue::Known(x), GivenValue::Known(0)])?;
        }
        for point in 0..2 {
            program.add_frame(0, (point, Vec::new(), None))?;
        }
        assert_eq!((program.initial(), program.stack(0)), (Ok(0), Ok(vec![1])));
        let mut rules = program.rules(0, 3, 1, &Patience::new(&|| true))?;
        rules.sort();
        Ok(rules)
    }

    #[test]
    fn a_step_assigns_and_wraps_around() {
        let add = "( + ( read global 0 ) ( constant 2 ) )";
        let step =
            format!("( step 0 1 ( constant 1 ) ( ( ( read global 0 ) {add} ) ) ( constant 1 ) )");
        assert_eq!(rules(&step), Ok(vec![(1, vec![2])]));
    }

    #[test]
    fn an_assertion_is_violated_or_passed() {
        let condition = "( choice block 0 2 )";
        let edge = format!("( assert 0 1 ( constant 1 ) 0 {condition} )");
        let found = rules(&edge).unwrap();
        assert_eq!(found.len(), 2);
        assert!(found.contains(&(3, vec![2])));
        assert!(found.contains(&(4, vec![3])), "the halted state and its frame are new");
    }

    #[test]
    fn what_is_too_large_or_too_deep_is_not_decided() {
        let large = "( constant 170141183460469231731687303715884105727 )";
        let edge = format!(
            "( step 0 1 ( > ( + {large} ( constant 1 ) ) ( constant 0 ) ) ( ) ( constant 1 ) )"
        );
        assert!(matches!(rules(&edge), Err(Problem::Undecided(_))));
        let deep = format!("{}( constant 1 ){}", "( not ".repeat(1000), " )".repeat(1000));
        let edge = format!("( step 0 1 {deep} ( ) ( constant 1 ) )");
        assert!(matches!(rules(&edge), Err(Problem::Undecided(_))));
    }

    #[test]
    fn tables_must_list_states_once() {
        let mut program = program("").unwrap();
        let state = [GivenValue::Known(1), GivenValue::Known(0)];
        assert_eq!(program.add_shared(&state), Ok(()));
        assert!(program.add_shared(&state).is_err());
        assert!(program.add_shared(&[GivenValue::Known(4), GivenValue::Known(0)]).is_err());
        assert!(program.add_shared(&[GivenValue::Open, GivenValue::Open]).is_err());
        assert!(program.add_frame(0, (9, Vec::new(), None)).is_err());
        assert!(program.add_frame(1, (0, Vec::new(), None)).is_err());
    }

    #[test]
    fn text_that_is_no_program_is_not_decided() {
        for text in ["", "(", "( ) )", "word", "( ( ) ( ) )", "( step )"] {
            let read = ProgramSteps::new(text, Vec::new());
            assert!(matches!(read.err(), Some(Problem::Undecided(_))), "{text}");
        }
        let nowhere = program("( step 0 7 ( constant 1 ) ( ) ( constant 1 ) )");
        assert!(matches!(nowhere.err(), Some(Problem::Undecided(_))));
        let unknown = program("( step 0 1 ( read global 5 ) ( ) ( constant 1 ) )");
        assert!(matches!(unknown.err(), Some(Problem::Undecided(_))));
    }
}
