//! Reads a program from text: lists in brackets, of words, numbers and lists.
//!
//! `checker/fast/program_text.py` writes it and is trusted, as the program is. Numbers are looked at
//! nevertheless, so that a mistake there is an error here and no panic.

use super::values::Value;
use super::{
    Action, Binary, Cell, Edge, Expression, Fused, Hidden, Location, Overflow, Procedure, Program,
    Target, Template, Type, Unary,
};
use crate::{Checked, Problem};

/// How deep lists may be inside each other.
const DEEPEST: usize = 400;

/// Read a program.
pub(crate) fn read(text: &str) -> Checked<Program> {
    let mut reading = Tree::read(text)?;
    let program = program(&mut reading)?;
    check(&program)?;
    Ok(program)
}

/// A word, or a list of which some items were taken.
enum Tree<'a> {
    Word(&'a str),
    List(std::vec::IntoIter<Tree<'a>>),
}

fn wrong<T>(what: &str) -> Checked<T> {
    Err(Problem::Undecided(format!("the text of the program is no program: {what}")))
}

impl<'a> Tree<'a> {
    fn read(text: &'a str) -> Checked<Self> {
        let mut open: Vec<Vec<Tree<'a>>> = vec![Vec::new()];
        for word in text.split_ascii_whitespace() {
            match word {
                "(" if open.len() > DEEPEST => return wrong("it is nested too deeply"),
                "(" => open.push(Vec::new()),
                ")" => {
                    let Some(list) = open.pop() else { return wrong("brackets") };
                    let Some(outer) = open.last_mut() else { return wrong("brackets") };
                    outer.push(Tree::List(list.into_iter()));
                }
                word => open.last_mut().expect("never empty").push(Tree::Word(word)),
            }
        }
        match (open.pop().and_then(|mut outer| outer.pop()), open.is_empty()) {
            (Some(tree), true) => Ok(tree),
            _ => wrong("brackets"),
        }
    }

    fn next(&mut self) -> Checked<Tree<'a>> {
        match self {
            Tree::List(items) => items.next().map_or_else(|| wrong("a list ends early"), Ok),
            Tree::Word(word) => wrong(word),
        }
    }

    fn is_over(&self) -> bool {
        match self {
            Tree::List(items) => items.len() == 0,
            Tree::Word(_) => true,
        }
    }

    fn word(&mut self) -> Checked<&'a str> {
        match self.next()? {
            Tree::Word(word) => Ok(word),
            Tree::List(_) => wrong("a list in the place of a word"),
        }
    }

    fn number<N: std::str::FromStr>(&mut self) -> Checked<N> {
        let word = self.word()?;
        word.parse().map_or_else(|_| wrong(word), Ok)
    }

    /// A number, or `-` for none.
    fn option<N: std::str::FromStr>(&mut self) -> Checked<Option<N>> {
        let word = self.word()?;
        if word == "-" {
            Ok(None)
        } else {
            word.parse().map_or_else(|_| wrong(word), |n| Ok(Some(n)))
        }
    }

    fn flag(&mut self) -> Checked<bool> {
        Ok(self.number::<u8>()? == 1)
    }

    /// All remaining items of the list that comes next.
    fn each<T>(&mut self, read: impl Fn(&mut Tree<'a>) -> Checked<T>) -> Checked<Vec<T>> {
        self.next()?.rest(read)
    }

    /// All remaining items.
    fn rest<T>(&mut self, read: impl Fn(&mut Tree<'a>) -> Checked<T>) -> Checked<Vec<T>> {
        let mut found = Vec::new();
        while !self.is_over() {
            found.push(read(&mut self.next()?)?);
        }
        Ok(found)
    }

    fn numbers(&mut self) -> Checked<Vec<usize>> {
        let mut list = self.next()?;
        let mut found = Vec::new();
        while !list.is_over() {
            found.push(list.number()?);
        }
        Ok(found)
    }
}

fn program(given: &mut Tree<'_>) -> Checked<Program> {
    let cells = given.each(cell)?;
    let own = given.number()?;
    let hidden = hidden(&mut given.next()?)?;
    let shared = cells.len();
    let mut procedures = given.each(|each| procedure(shared, each))?;
    let mut owners = Vec::new();
    for (number, procedure) in procedures.iter_mut().enumerate() {
        procedure.first = owners.len();
        owners.extend(procedure.locations.iter().map(|_| number));
    }
    let waiting = owners.len();
    let mut points = waiting + 1;
    for edge in procedures.iter_mut().flat_map(|procedure| &mut procedure.edges) {
        if let Action::Assert { violation, .. } = &mut edge.action {
            *violation = points;
            points += 1;
        }
    }
    Ok(Program {
        cells,
        owners,
        own,
        hidden,
        procedures,
        templates: given.each(template)?,
        threads: given.numbers()?,
        kinds: given.number()?,
        waiting,
        points,
        liveness: given.flag()?,
        share: given.flag()?,
        probes: given.numbers()?,
        limits: given.numbers()?,
        fused: fused(&mut given.next()?)?,
    })
}

fn hidden(given: &mut Tree<'_>) -> Checked<Hidden> {
    Ok(Hidden {
        halted: given.option()?,
        full: given.option()?,
        results: given.numbers()?,
        holder: given.option()?,
        lock: given.option()?,
    })
}

fn fused(given: &mut Tree<'_>) -> Checked<Option<Fused>> {
    if given.is_over() {
        return Ok(None);
    }
    Ok(Some(Fused { named: given.numbers()?, joined: given.numbers()? }))
}

fn cell(given: &mut Tree<'_>) -> Checked<Cell> {
    let (scalar, initial) = (scalar(given)?, given.option()?);
    // No variable has values below -2⁶³ or above 2⁶⁴ - 1.
    let last = scalar.low + scalar.size - 1;
    let is_fine = [Some(scalar.low), Some(last), initial]
        .into_iter()
        .flatten()
        .all(|number| Value::of(number).is_some());
    if is_fine { Ok(Cell { scalar, initial }) } else { wrong("a type is too large") }
}

/// A type, whose words come next.
fn scalar(given: &mut Tree<'_>) -> Checked<Type> {
    let kind = given.word()?;
    let overflow = match kind {
        "wrap" => Overflow::Wrap,
        "saturate" => Overflow::Saturate,
        "block" | "thread" => Overflow::Block,
        other => return wrong(other),
    };
    let (low, size) = (given.number()?, given.number()?);
    let least = i128::from(overflow != Overflow::Block);
    if !(-(1_i128 << 100)..1 << 100).contains(&low) || !(least..1 << 100).contains(&size) {
        return wrong("a type is too large");
    }
    Ok(Type { low, size, overflow, names_threads: kind == "thread" })
}

fn template(given: &mut Tree<'_>) -> Checked<Template> {
    Ok(Template {
        kind: given.number()?,
        identity: 1 + i64::from(given.number::<u32>()?),
        procedure: given.number()?,
        start: given.number()?,
        created: given.option()?,
        inherited: given.each(|pair| Ok((pair.number()?, pair.number()?)))?,
        idle: given.each(|pair| Ok((pair.number()?, pair.number()?)))?.pop(),
    })
}

fn procedure(shared: usize, given: &mut Tree<'_>) -> Checked<Procedure> {
    let cells = given.each(cell)?;
    let results = given.each(scalar)?;
    let entry = given.number()?;
    let location = |each: &mut Tree<'_>| Ok(Location { atomic: each.flag()?, named: each.flag()? });
    let locations = given.each(location)?;
    let edges = given.each(|each| edge(shared, each))?;
    let mut leaving = vec![Vec::new(); locations.len()];
    for (number, edge) in edges.iter().enumerate() {
        let Some(list) = leaving.get_mut(edge.source) else { return wrong("an edge from nowhere") };
        list.push(number);
    }
    Ok(Procedure { first: 0, cells, results, entry, locations, edges, leaving })
}

fn edge(shared: usize, given: &mut Tree<'_>) -> Checked<Edge> {
    let kind = given.word()?;
    let (source, target) = (given.number()?, given.option()?);
    let value = |each: &mut Tree<'_>| expression(shared, each);
    let guard = value(&mut given.next()?)?;
    let action = match kind {
        "step" => Action::Step {
            assignments: given.each(|each| {
                let to = self::target(shared, &mut each.next()?)?;
                Ok((to, value(&mut each.next()?)?))
            })?,
            constraint: value(&mut given.next()?)?,
        },
        "call" => Action::Call { procedure: given.number()?, arguments: given.each(value)? },
        "receive" => Action::Receive(given.each(|each| {
            if each.is_over() { Ok(None) } else { self::target(shared, each).map(Some) }
        })?),
        "return" => Action::Return(given.each(value)?),
        "assert" => Action::Assert {
            is_check: given.flag()?,
            condition: value(&mut given.next()?)?,
            violation: 0,
        },
        "create" => Action::Create(given.each(|each| {
            let flag = each.number()?;
            let inherited =
                each.rest(|one| Ok((one.number()?, scalar(one)?, value(&mut one.next()?)?)))?;
            Ok((flag, inherited))
        })?),
        "end" => Action::End,
        other => return wrong(other),
    };
    Ok(Edge { source, target, guard, action })
}

fn target(shared: usize, given: &mut Tree<'_>) -> Checked<Target> {
    match given.word()? {
        "element" => {
            let (first, length) = (address(shared, given)?, given.number()?);
            let index = expression(shared, &mut given.next()?)?;
            Ok(Target::Element { first, length, index })
        }
        "read" => Ok(Target::Scalar(address(shared, given)?)),
        other => wrong(other),
    }
}

/// `global` or `local`, and a number.
fn address(shared: usize, given: &mut Tree<'_>) -> Checked<usize> {
    match given.word()? {
        "global" => given.number(),
        "local" => Ok(shared + given.number::<usize>()?),
        other => wrong(other),
    }
}

fn expression(shared: usize, given: &mut Tree<'_>) -> Checked<Expression> {
    let kind = given.word()?;
    let operand = |given: &mut Tree<'_>| expression(shared, &mut given.next()?);
    let boxed = |given: &mut Tree<'_>| operand(given).map(Box::new);
    Ok(match kind {
        "constant" => Expression::Constant(given.number()?),
        "self" => Expression::Own,
        "choice" => Expression::Choice(scalar(given)?),
        "read" | "after" => {
            Expression::Read { address: address(shared, given)?, after: kind == "after" }
        }
        "element" => Expression::Element {
            first: address(shared, given)?,
            length: given.number()?,
            index: boxed(given)?,
        },
        "convert" => {
            let scalar = scalar(given)?;
            Expression::Convert(boxed(given)?, scalar)
        }
        "conditional" => {
            Expression::Conditional(Box::new([operand(given)?, operand(given)?, operand(given)?]))
        }
        "not" => Expression::Unary(Unary::Not, boxed(given)?),
        "minus" => Expression::Unary(Unary::Minus, boxed(given)?),
        "complement" => Expression::Unary(Unary::Complement, boxed(given)?),
        other => Expression::Binary(binary(other)?, boxed(given)?, boxed(given)?),
    })
}

fn binary(word: &str) -> Checked<Binary> {
    Ok(match word {
        "and" => Binary::And,
        "or" => Binary::Or,
        "implies" => Binary::Implies,
        "xor" => Binary::Xor,
        "=" => Binary::Equal,
        "!=" => Binary::NotEqual,
        "<" => Binary::Less,
        "<=" => Binary::LessOrEqual,
        ">" => Binary::Greater,
        ">=" => Binary::GreaterOrEqual,
        "+" => Binary::Add,
        "-" => Binary::Subtract,
        "*" => Binary::Multiply,
        "/" => Binary::Divide,
        "%" => Binary::Remainder,
        "&" => Binary::BitAnd,
        "|" => Binary::BitOr,
        "^" => Binary::BitXor,
        "<<" => Binary::ShiftLeft,
        ">>" => Binary::ShiftRight,
        other => return wrong(other),
    })
}

/// Every number of a program stands for something.
fn check(program: &Program) -> Checked<()> {
    let shared = program.cells.len();
    let is_cell = |cell: &usize| *cell < shared;
    let hidden = &program.hidden;
    let options = [&hidden.halted, &hidden.full, &hidden.holder, &hidden.lock];
    let cells_fit = program.own <= shared
        && options.into_iter().flatten().chain(&hidden.results).all(is_cell)
        && (hidden.lock.is_none() || hidden.holder.is_some());
    let templates_fit = program.threads.iter().all(|&template| template < program.templates.len())
        && program.templates.iter().all(|template| {
            let Some(procedure) = program.procedures.get(template.procedure) else { return false };
            template.kind < program.kinds
                && template.start < procedure.locations.len()
                && template.created.iter().all(is_cell)
                && template.idle.iter().all(|(_, cell)| is_cell(cell))
                && template
                    .inherited
                    .iter()
                    .all(|(mine, from)| *mine < procedure.cells.len() && is_cell(from))
        });
    let edges_fit = program.procedures.iter().all(|procedure| {
        procedure.entry < procedure.locations.len()
            && procedure.edges.iter().all(|edge| edge_fits(program, procedure, edge))
    });
    if cells_fit && templates_fit && edges_fit { Ok(()) } else { wrong("its numbers do not fit") }
}

fn edge_fits(program: &Program, procedure: &Procedure, edge: &Edge) -> bool {
    let cells = program.cells.len() + procedure.cells.len();
    let mut fits = edge.target.is_none_or(|target| target < procedure.locations.len());
    edge.reads(&mut |read, _| fits &= read.start <= read.end && read.end <= cells);
    edge.targets(&mut |written, _| fits &= written.start <= written.end && written.end <= cells);
    fits && match &edge.action {
        Action::Call { procedure, arguments } => {
            edge.target.is_some()
                && program
                    .procedures
                    .get(*procedure)
                    .is_some_and(|callee| arguments.len() <= callee.cells.len())
        }
        Action::Return(values) => {
            values.len() == procedure.results.len()
                && values.len() <= program.hidden.results.len()
                && (values.is_empty() || program.hidden.full.is_some())
        }
        Action::Receive(targets) => {
            program.hidden.full.is_some() && targets.len() <= program.hidden.results.len()
        }
        Action::Assert { .. } => program.hidden.halted.is_some(),
        Action::Create(threads) => threads.iter().all(|(flag, inherited)| {
            *flag < program.cells.len()
                && inherited.iter().all(|(cell, _, _)| *cell < program.cells.len())
        }),
        Action::Step { .. } | Action::End => true,
    }
}
