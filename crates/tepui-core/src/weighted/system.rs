//! The rules of a weighted pushdown system, prepared for both saturations.
//!
//! A rule ⟨p, γ⟩ → ⟨p', γ₁ … γₙ⟩ leads through nodes that stand for «below γ₁ … γᵢ, written on
//! reaching p'», shared by all rules that write the same symbols there. So words of any length are
//! one step, and no symbol is invented. A rule that merges has in addition a *call node* of its
//! own, since what its call does to its caller differs from what other calls of the same procedure
//! do to theirs.
//!
//! All nodes are known beforehand, so all rules are turned into numbers once: a *head* is a node
//! with a symbol that is read from it, and has a number; where a rule begins, and where it writes
//! its last symbol, are heads. Rules are listed by both.

use crate::table::Table;

/// A node of an automaton: the states of the system come first, then the nodes between the symbols
/// that rules write, then those of the sets of configurations.
pub type Node = u32;

/// A stack symbol, or [`EPSILON`].
pub type Symbol = u32;

/// A node with what is read from it, by number.
pub type Head = u32;

/// What a transition reads that reads nothing.
pub const EPSILON: Symbol = u32::MAX;

/// In place of a number where there is none.
pub const NONE: u32 = u32::MAX;

/// A rule as it is given: ⟨source, top⟩ → ⟨target, word⟩.
#[derive(Clone, Copy, Debug)]
pub struct GivenRule<'a> {
    /// The state in which it is enabled.
    pub source: Node,
    /// The symbol that it replaces.
    pub top: Symbol,
    /// The state that it leads to.
    pub target: Node,
    /// What it writes, the new top first.
    pub word: &'a [Symbol],
    /// Whether it is a call whose effect on the caller is merged when it returns.
    pub merges: bool,
}

/// A rule in terms of heads.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// What it replaces.
    pub source: Head,
    /// Where it writes its last symbol; for a pop, the state it leads to with [`EPSILON`].
    pub last: Head,
    /// The node that its last symbol is read from, if that is not a state.
    pub below: Node,
    /// Whether `below` is a call node.
    pub merges: bool,
}

/// Where a node is that is below written symbols.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The node above it with the symbol between; [`EPSILON`] if this is a call node.
    pub above: Head,
    /// The rule whose call node it is.
    pub caller: u32,
}

/// The rules, without weights.
#[derive(Debug)]
pub struct System {
    /// How many nodes are states.
    pub states: u32,
    /// How many symbols there are.
    pub symbols: u32,
    /// The rules by number.
    pub rules: Vec<Rule>,
    /// The heads that occur in rules.
    pub(super) heads: Table,
    /// The nodes that are no states.
    places: Vec<Place>,
    by_source: Lists,
    by_last: Lists,
    /// By head: the node below, if some rule writes on.
    below: Vec<Node>,
    /// By node that is no state: what rules write below it.
    onward: Lists,
    /// By node that is no state: the call nodes that belong to it.
    calls: Lists,
}

impl System {
    /// The system with these rules. States and symbols are below the numbers given.
    pub fn new<'a>(
        states: u32,
        symbols: u32,
        rules: impl ExactSizeIterator<Item = GivenRule<'a>> + Clone,
    ) -> Self {
        let mut builder = Builder::new(states, rules.len());
        for rule in rules.clone() {
            builder.head(rule.source, rule.top);
        }
        for rule in rules {
            builder.add(rule);
        }
        builder.finish(symbols)
    }

    /// How many nodes there are: states, and nodes between written symbols.
    pub fn nodes(&self) -> u32 {
        self.states + self.places.len() as u32
    }

    /// Whether a node is a state.
    pub fn is_state(&self, node: Node) -> bool {
        node < self.states
    }

    /// Where a node is that is below written symbols.
    pub fn place(&self, node: Node) -> Place {
        self.places[(node - self.states) as usize]
    }

    /// The rules that replace what a head reads.
    pub fn enabled(&self, head: Head) -> &[u32] {
        self.by_source.get(head)
    }

    /// The rules whose last symbol is what a head reads.
    pub fn ending(&self, head: Head) -> &[u32] {
        self.by_last.get(head)
    }

    /// The node below what a head reads, if some rule writes on.
    pub fn below(&self, head: Head) -> Option<Node> {
        self.below.get(head as usize).copied().filter(|&node| node != NONE)
    }

    /// The heads of a node between written symbols.
    pub fn onward(&self, node: Node) -> &[Head] {
        node.checked_sub(self.states).map_or(&[], |place| self.onward.get(place))
    }

    /// The call nodes that belong to a node between written symbols.
    pub fn calls(&self, node: Node) -> &[Node] {
        node.checked_sub(self.states).map_or(&[], |place| self.calls.get(place))
    }

    /// How much memory it holds.
    pub fn bytes(&self) -> usize {
        let lists = [&self.by_source, &self.by_last, &self.onward, &self.calls];
        self.heads.bytes()
            + self.rules.capacity() * size_of::<Rule>()
            + self.places.capacity() * size_of::<Place>()
            + self.below.capacity() * size_of::<Node>()
            + lists.iter().map(|lists| lists.bytes()).sum::<usize>()
    }
}

/// A head as a key.
pub(super) fn head_key(node: Node, symbol: Symbol) -> u64 {
    u64::from(node) << 32 | u64::from(symbol)
}

/// A system while it is built.
struct Builder {
    states: u32,
    heads: Table,
    places: Vec<Place>,
    below: Vec<Node>,
    rules: Vec<Rule>,
}

impl Builder {
    fn new(states: u32, rules: usize) -> Self {
        Self {
            states,
            heads: Table::new(1),
            places: Vec::new(),
            below: Vec::new(),
            rules: Vec::with_capacity(rules),
        }
    }

    fn add(&mut self, rule: GivenRule<'_>) {
        let mut node = rule.target;
        let (above, last) = match rule.word.split_last() {
            Some((&last, above)) => (above, last),
            None => (rule.word, EPSILON),
        };
        for &symbol in above {
            node = self.node_below(node, symbol);
        }
        if rule.merges {
            let caller = self.rules.len() as u32;
            let above = self.head(node, EPSILON);
            node = self.place(Place { above, caller });
        }
        let below = if node < self.states { NONE } else { node };
        let source = self.head(rule.source, rule.top);
        let last = self.head(node, last);
        self.rules.push(Rule { source, last, below, merges: rule.merges });
    }

    fn head(&mut self, node: Node, symbol: Symbol) -> Head {
        let (head, new) = self.heads.insert(&[head_key(node, symbol)]);
        if new {
            self.below.push(NONE);
        }
        head
    }

    fn node_below(&mut self, node: Node, symbol: Symbol) -> Node {
        let head = self.head(node, symbol);
        if self.below[head as usize] == NONE {
            self.below[head as usize] = self.place(Place { above: head, caller: NONE });
        }
        self.below[head as usize]
    }

    fn place(&mut self, place: Place) -> Node {
        self.places.push(place);
        self.states + self.places.len() as u32 - 1
    }

    fn finish(self, symbols: u32) -> System {
        let heads = self.heads.len();
        let number = |index: usize| index as u32;
        let sources = self.rules.iter().enumerate().map(|(i, rule)| (rule.source, number(i)));
        let lasts = self.rules.iter().enumerate().map(|(i, rule)| (rule.last, number(i)));
        let onward = (0..heads as Head).filter_map(|head| {
            let key = self.heads.key(head)[0];
            let place = ((key >> 32) as Node).checked_sub(self.states)?;
            (key as Symbol != EPSILON).then_some((place, head))
        });
        let calls = self.places.iter().enumerate().filter(|(_, place)| place.caller != NONE).map(
            |(index, place)| {
                let above = (self.heads.key(place.above)[0] >> 32) as Node;
                (above - self.states, self.states + number(index))
            },
        );
        System {
            states: self.states,
            symbols,
            by_source: Lists::new(heads, sources),
            by_last: Lists::new(heads, lasts),
            onward: Lists::new(self.places.len(), onward),
            calls: Lists::new(self.places.len(), calls),
            rules: self.rules,
            heads: self.heads,
            places: self.places,
            below: self.below,
        }
    }
}

/// A list of numbers for each number below some bound, one after another in one vector.
#[derive(Debug)]
pub(super) struct Lists {
    /// The list of i is from `starts[i]` to `starts[i + 1]`.
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// The lists of what is paired with each number, in the order of the pairs.
    pub(super) fn new(count: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut starts = vec![0; count + 1];
        for (key, _) in pairs.clone() {
            starts[key as usize + 1] += 1;
        }
        for index in 0..count {
            starts[index + 1] += starts[index];
        }
        let mut items = vec![0; starts[count] as usize];
        let mut next = starts.clone();
        for (key, item) in pairs {
            items[next[key as usize] as usize] = item;
            next[key as usize] += 1;
        }
        Self { starts, items }
    }

    /// One of the lists; empty for a number that has none.
    #[inline]
    pub(super) fn get(&self, key: u32) -> &[u32] {
        let key = key as usize;
        if key + 1 >= self.starts.len() {
            return &[];
        }
        &self.items[self.starts[key] as usize..self.starts[key + 1] as usize]
    }

    fn bytes(&self) -> usize {
        (self.starts.capacity() + self.items.capacity()) * size_of::<u32>()
    }
}
