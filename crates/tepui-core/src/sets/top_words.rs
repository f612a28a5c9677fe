//! The projection of states to the top b symbols of each stack, for b > 1: a finer view than that of
//! visible states (CUBA, equation 3). DrUBA counts with b = 2 in its Table 2.

use crate::sets::reached::Reached;
use crate::sets::stacks::{EMPTY, StackId, Stacks};
use crate::sets::states::StateSet;

/// What states show if more than the top of each stack is looked at.
pub struct TopWords {
    symbols: usize,
    /// For each template, the words met, as stacks of their own.
    words: Vec<Stacks>,
    /// For each template, the word of each stack met.
    of_stack: Vec<Vec<StackId>>,
    set: StateSet<StackId>,
    keys: Vec<u64>,
}

impl TopWords {
    /// The view of this many symbols. One symbol is the view of visible states, which is not kept here.
    pub fn new(reached: &Reached, symbols: usize) -> Self {
        let templates = reached.locals.len();
        let set =
            StateSet::new(reached.states.groups().to_vec(), reached.shared(), &vec![1; templates]);
        let mut top_words = Self {
            symbols,
            words: (0..templates).map(|_| Stacks::default()).collect(),
            of_stack: vec![Vec::new(); templates],
            set,
            keys: Vec::new(),
        };
        top_words.observe(reached, 0);
        top_words
    }

    /// How many different views were met, if they are kept.
    pub fn count(&self) -> Option<usize> {
        (self.symbols > 1).then(|| self.set.len())
    }

    /// How much memory this holds.
    pub fn bytes(&self) -> usize {
        let of_stack: usize = self.of_stack.iter().map(|words| words.capacity() * 4).sum();
        self.set.bytes() + of_stack + self.words.iter().map(Stacks::bytes).sum::<usize>()
    }

    /// Record what the states from this number on show.
    pub fn observe(&mut self, reached: &Reached, from: usize) {
        if self.symbols < 2 {
            return;
        }
        self.set.make_room_for_shared(reached.shared());
        for (template, locals) in reached.locals.iter().enumerate() {
            let (words, known) = (&mut self.words[template], &mut self.of_stack[template]);
            for stack in StackId::range(known.len(), locals.stacks.count() as usize) {
                known.push(words.push(&locals.stacks.top_word(stack, self.symbols), EMPTY));
            }
            self.set.make_room(template, words.count());
        }
        self.keys.clear();
        let (states, of_stack) = (&reached.states, &self.of_stack);
        let word = |template: usize, stack: StackId| of_stack[template][stack.index()];
        states.project(from..states.len(), &self.set, word, &mut self.keys);
        self.set.insert_all(&self.keys);
    }
}
