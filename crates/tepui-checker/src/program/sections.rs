//! Atomic sections, and with them every step from a location (`semantics/sections.py`).
//!
//! A step takes edges until its thread comes to rest. Calls with an atomic target are run to their
//! end on the way, and so are all calls inside them; they are tabulated, as they may be recursive:
//! how an *activation* can end does not depend on its caller. Only complete paths count. To know
//! what such a path passes, a path may at a probe take a *mark*, and carry it to the end.

use std::rc::Rc;

use super::edges::Move;
use super::evaluation::Stepped;
use super::meaning::Meaning;
use super::values::{Frame, Shared, Word};
use crate::Patience;
use crate::hashing::{QuickMap, QuickSet};

/// A point that a path passes, and the shared state there.
pub(crate) type Mark = (usize, Shared);

/// Where a step ends: the mark that its path carries, the shared state, and the frames.
pub(crate) type End = (Option<Mark>, Shared, Word);

/// A place on a path within an activation; 0 is the frame from which the step starts.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Node {
    activation: usize,
    mark: Option<Mark>,
    shared: Shared,
    frame: Frame,
}

/// A call inside: with all that is known when it starts, who waits for its end, and its ends.
#[derive(Default)]
struct Activation {
    callers: Vec<(Node, Frame)>,
    ends: Vec<End>,
}

/// All steps from one frame. There can be millions of nodes, and a table takes twice its size at
/// once when it grows, so it has only references to them.
pub(crate) struct Sections<'a> {
    meaning: &'a Meaning,
    own: i128,
    patience: &'a Patience<'a>,
    activations: Vec<Activation>,
    numbers: QuickMap<Rc<(Shared, Frame)>, usize>,
    met: QuickSet<Rc<Node>>,
    waiting: Vec<Rc<Node>>,
    /// Ends of activations that their callers do not know yet.
    ended: Vec<(usize, End)>,
}

impl<'a> Sections<'a> {
    /// Where the steps of a thread lead, once for each mark that a path to there can carry. A path
    /// that ends at a limit is not known to be complete, so it carries none.
    pub(crate) fn ends(
        meaning: &'a Meaning,
        own: i128,
        shared: Shared,
        frame: &Frame,
        patience: &'a Patience<'a>,
    ) -> Stepped<Vec<End>> {
        let mut all = Self {
            meaning,
            own,
            patience,
            activations: vec![Activation::default()],
            numbers: QuickMap::default(),
            met: QuickSet::default(),
            waiting: Vec::new(),
            ended: Vec::new(),
        };
        let start = Frame::at(frame.point, frame.values.clone());
        all.waiting.push(Rc::new(Node { activation: 0, mark: None, shared, frame: start }));
        while let Some(node) = all.waiting.pop() {
            patience.spend(1)?;
            all.leave(&node)?;
            while let Some((activation, end)) = all.ended.pop() {
                all.hand_to_callers(activation, &end);
            }
        }
        let mut ends = std::mem::take(&mut all.activations[0].ends);
        ends.retain(|(mark, _, word)| {
            let limits = &meaning.program.limits;
            mark.is_none() || !word.first().is_some_and(|top| limits.contains(&top.point))
        });
        Ok(ends)
    }

    /// Follow all edges from a node; inside, its path may take a mark.
    fn leave(&mut self, node: &Node) -> Stepped<()> {
        if node.mark.is_none() && self.is_marked(node) {
            let mark = Some((node.frame.point, node.shared.clone()));
            self.meet(Node { mark, ..node.clone() });
        }
        for step in self.meaning.moves(&node.shared, &node.frame, self.own, self.patience)? {
            self.follow(node, step);
        }
        Ok(())
    }

    fn follow(&mut self, node: &Node, step: Move) {
        let Move { is_call, shared, mut word } = step;
        if is_call && !self.rests(node.activation, &word[1]) {
            let caller = word.remove(1);
            self.call(node, caller, shared, word.remove(0));
            return;
        }
        if word.len() != 1 || self.rests(node.activation, &word[0]) {
            self.end(node.activation, (node.mark.clone(), shared, word));
        } else if let Some(frame) = word.pop() {
            let (activation, mark) = (node.activation, node.mark.clone());
            self.meet(Node { activation, mark, shared, frame });
        }
    }

    /// A call inside, after which a frame of the caller goes on.
    fn call(&mut self, node: &Node, caller: Frame, shared: Shared, start: Frame) {
        let next = self.activations.len();
        let begun = Rc::new((shared.clone(), start.clone()));
        let number = *self.numbers.entry(begun).or_insert(next);
        if number == next {
            self.activations.push(Activation::default());
            self.meet(Node { activation: number, mark: None, shared, frame: start });
        }
        for end in self.activations[number].ends.clone() {
            self.come_back(node, &caller, end);
        }
        self.activations[number].callers.push((node.clone(), caller));
    }

    /// An activation can end like this.
    fn end(&mut self, activation: usize, end: End) {
        if activation == 0 {
            self.activations[0].ends.push(end);
        } else {
            self.ended.push((activation, end));
        }
    }

    fn hand_to_callers(&mut self, activation: usize, end: &End) {
        let known = &mut self.activations[activation];
        if !known.ends.contains(end) {
            known.ends.push(end.clone());
            for (node, caller) in known.callers.clone() {
                self.come_back(&node, &caller, end.clone());
            }
        }
    }

    /// The caller goes on after a call inside; after a violation nothing does.
    fn come_back(&mut self, node: &Node, caller: &Frame, (mark, shared, word): End) {
        if node.mark.is_some() && mark.is_some() {
            return;
        }
        let mark = node.mark.clone().or(mark);
        if word.is_empty() {
            let frame = caller.clone();
            self.meet(Node { activation: node.activation, mark, shared, frame });
        } else {
            self.end(node.activation, (mark, shared, word));
        }
    }

    fn meet(&mut self, node: Node) {
        let node = Rc::new(node);
        if self.met.insert(Rc::clone(&node)) {
            self.waiting.push(node);
        }
    }

    /// Whether a path ends with this frame: in a call inside, only a violation rests.
    fn rests(&self, activation: usize, frame: &Frame) -> bool {
        let program = &self.meaning.program;
        frame.point > program.waiting || activation == 0 && !program.is_atomic(frame.point)
    }

    fn is_marked(&self, node: &Node) -> bool {
        let program = &self.meaning.program;
        let inside = node.activation != 0 || program.is_atomic(node.frame.point);
        inside && program.probes.contains(&node.frame.point)
    }
}
