//! Hash-consed stacks: equal stacks are one number, and share all that lies below their tops.

use rustc_hash::FxHashMap;

use crate::ids::id;
use crate::system::{EPSILON, Symbol};

id! {
    /// A stack of one template.
    StackId
}

/// The empty stack.
pub const EMPTY: StackId = StackId::new(0);

/// All stacks of one template that were ever met.
#[derive(Debug)]
pub struct Stacks {
    links: Vec<Link>,
    known: FxHashMap<(Symbol, StackId), StackId>,
}

#[derive(Clone, Copy, Debug)]
struct Link {
    top: Symbol,
    rest: StackId,
    height: u32,
}

impl Default for Stacks {
    fn default() -> Self {
        let empty = Link { top: EPSILON, rest: EMPTY, height: 0 };
        Self { links: vec![empty], known: FxHashMap::default() }
    }
}

impl Stacks {
    /// How many stacks there are, the empty one and all that lie below others included.
    pub fn count(&self) -> u32 {
        self.links.len() as u32
    }

    /// All stacks, by number: each comes after those that lie below it.
    pub fn all(&self) -> impl Iterator<Item = StackId> + use<> {
        StackId::range(0, self.links.len())
    }

    /// The top symbol, or [`EPSILON`].
    #[inline]
    pub fn top(&self, stack: StackId) -> Symbol {
        self.links[stack.index()].top
    }

    /// What is left after a pop.
    pub fn rest(&self, stack: StackId) -> StackId {
        self.links[stack.index()].rest
    }

    /// How many symbols there are on a stack.
    pub fn height(&self, stack: StackId) -> u32 {
        self.links[stack.index()].height
    }

    /// The symbols of a stack, top first.
    pub fn word(&self, stack: StackId) -> Vec<Symbol> {
        self.top_word(stack, usize::MAX)
    }

    /// The same, but this many symbols at most.
    pub fn top_word(&self, mut stack: StackId, symbols: usize) -> Vec<Symbol> {
        let mut word = Vec::with_capacity(symbols.min(self.height(stack) as usize));
        while stack != EMPTY && word.len() < symbols {
            word.push(self.top(stack));
            stack = self.rest(stack);
        }
        word
    }

    /// The stack with a word, top first, put on top of it.
    pub fn push(&mut self, word: &[Symbol], stack: StackId) -> StackId {
        word.iter().rev().fold(stack, |rest, &top| {
            let links = &mut self.links;
            *self.known.entry((top, rest)).or_insert_with(|| {
                let height = links[rest.index()].height + 1;
                links.push(Link { top, rest, height });
                StackId::from_index(links.len() - 1)
            })
        })
    }

    /// How much memory the stacks hold.
    pub fn bytes(&self) -> usize {
        self.links.capacity() * size_of::<Link>() + self.known.capacity() * 13
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::short::{s, word};

    #[test]
    fn equal_stacks_are_one() {
        let mut stacks = Stacks::default();
        let low = stacks.push(&word(&[2, 3]), EMPTY);
        let high = stacks.push(&[s(1)], low);
        assert_eq!(stacks.push(&word(&[1, 2, 3]), EMPTY), high);
        assert_eq!(stacks.word(high), word(&[1, 2, 3]));
        assert_eq!((stacks.top(high), stacks.rest(high), stacks.height(high)), (s(1), low, 3));
    }
}
