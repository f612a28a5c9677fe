//! The rules of a weighted pushdown system, prepared for both saturations.
//!
//! A rule ⟨p, γ⟩ → ⟨p', γ₁ … γₙ⟩ leads through nodes that stand for «below γ₁ … γᵢ, written on
//! reaching p'», shared by all rules that write the same symbols there. So words of any length are
//! one step, and no symbol is invented. A rule that merges has in addition a *call node* of its
//! own, since what its call does to its caller differs from what other calls of the same procedure
//! do to theirs.
//!
//! All these nodes are known beforehand, so all rules are turned into numbers once: a *head* is a
//! node with a symbol that is read from it, or ε, and has a number. First come the heads that rules
//! replace, then other heads of states, then those of nodes between symbols, and last each of these
//! nodes with ε. Rules are sorted
//! by what they replace, so those that apply lie side by side.

use crate::ids::{Id, id};
use crate::sets::table::Table;

id! {
    /// A node of an automaton: the states of the system come first, then the nodes between the
    /// symbols that rules write, then those of the sets of configurations.
    Node
}

id! {
    /// A stack symbol, or [`EPSILON`].
    Symbol
}

id! {
    /// A node with what is read from it.
    Head
}

/// What a transition reads that reads nothing.
pub const EPSILON: Symbol = Symbol::new(u32::MAX);

/// In place of a node where there is none.
const NO_NODE: Node = Node::new(NONE);

/// In place of a head where there is none.
const NO_HEAD: Head = Head::new(NONE);

/// In place of a number where there is none.
pub const NONE: u32 = u32::MAX;

/// A rule as it is given: ⟨source, top⟩ → ⟨target, word⟩.
#[derive(Clone, Copy, Debug)]
pub struct Rule<'a> {
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
pub struct IndexedRule {
    /// What it replaces.
    pub source: Head,
    /// Where it writes its last symbol; for a pop, the state it leads to with ε.
    pub last: Head,
    /// The number it was given with.
    pub number: u32,
}

/// Where a node is that is below written symbols.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The node above it with the symbol between; with ε if this is a call node.
    pub above: Head,
    /// The place of the rule whose call node it is, or [`NONE`].
    pub caller: u32,
}

/// The rules, without weights.
#[derive(Debug)]
pub struct PushdownSystem {
    /// How many nodes are states.
    pub states: u32,
    /// How many symbols there are.
    pub symbols: u32,
    /// The rules, sorted by what they replace.
    pub rules: Vec<IndexedRule>,
    /// (Node, symbol) of each head in rules, those of states first, but not of nodes between symbols
    /// with ε.
    heads: Vec<u64>,
    /// How many of them are of states.
    state_heads: u32,
    /// The heads of states.
    pub(super) of_states: StateHeads,
    /// The nodes that are no states.
    places: Vec<Place>,
    /// By head that rules replace: where its rules start; and where the last ones end.
    starts: Vec<u32>,
    by_last: Lists<u32>,
    /// By head: the node below, if some rule writes on.
    below: Vec<Node>,
    /// By node that is no state: what rules write below it.
    onward: Lists<Head>,
    /// By node that is no state: the call nodes that belong to it.
    calls: Lists<Node>,
}

impl PushdownSystem {
    /// The system with these rules. States and symbols are below the numbers given.
    pub fn new(states: u32, symbols: u32, rules: &[Rule<'_>]) -> Self {
        let mut builder = Builder::new(states, symbols, rules.len());
        let sources: Vec<Head> =
            rules.iter().map(|rule| builder.state_head(rule.source, rule.top)).collect();
        let numbers =
            (0..rules.len() as u32).map(|number| (sources[number as usize].number(), number));
        let by_source = Lists::new(builder.heads.len(), numbers);
        for rule in rules {
            builder.state_head(rule.target, rule.word.first().copied().unwrap_or(EPSILON));
        }
        let state_heads = builder.heads.len() as u32;
        for &number in &by_source.items {
            let source = sources[number as usize];
            builder.add(rules[number as usize], source, number);
        }
        builder.finish(by_source.starts, state_heads)
    }

    /// How many nodes there are: states, and nodes between written symbols.
    pub fn nodes(&self) -> u32 {
        self.states + self.places.len() as u32
    }

    /// Whether a node is a state.
    pub fn is_state(&self, node: Node) -> bool {
        node.number() < self.states
    }

    /// Weights that were given in the order of the rules, in the order in which these are now.
    pub fn sorted<W: Clone>(&self, weights: &[W]) -> Vec<W> {
        self.rules.iter().map(|rule| weights[rule.number as usize].clone()).collect()
    }

    /// Where a node is that is below written symbols.
    pub fn place(&self, node: Node) -> Place {
        self.places[(node.number() - self.states) as usize]
    }

    /// By head that rules replace: where its rules start; and where the last ones end.
    pub(super) fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// The places of the rules whose last symbol is what a head reads.
    pub fn ending(&self, head: Head) -> &[u32] {
        self.by_last.get(head.number())
    }

    /// The node of a head between written symbols; None if it is a state.
    #[inline]
    pub fn node_between(&self, head: Head) -> Option<Node> {
        (head.number() >= self.state_heads).then(|| self.head(head).0)
    }

    /// Whether a rule merges that writes its last symbol here.
    pub fn merges(&self, last: Head) -> bool {
        self.node_between(last).is_some_and(|node| self.place(node).caller != NONE)
    }

    /// The node below what a head reads, if some rule writes on.
    pub fn below(&self, head: Head) -> Option<Node> {
        self.below.get(head.index()).copied().filter(|&node| node != NO_NODE)
    }

    /// The heads of a node between written symbols.
    pub fn onward(&self, node: Node) -> &[Head] {
        node.number().checked_sub(self.states).map_or(&[], |place| self.onward.get(place))
    }

    /// The call nodes that belong to a node between written symbols.
    pub fn calls(&self, node: Node) -> &[Node] {
        node.number().checked_sub(self.states).map_or(&[], |place| self.calls.get(place))
    }

    /// A node between written symbols, with ε.
    pub fn between(&self, node: Node) -> Head {
        Head::new(self.heads.len() as u32 + node.number() - self.states)
    }

    /// How many heads there are.
    pub fn count_heads(&self) -> u32 {
        (self.heads.len() + self.places.len()) as u32
    }

    /// What a head is.
    #[inline]
    pub fn head(&self, head: Head) -> (Node, Symbol) {
        match self.heads.get(head.index()) {
            Some(&key) => (Node::new((key >> 32) as u32), Symbol::new(key as u32)),
            None => (Node::new(self.states + head.number() - self.heads.len() as u32), EPSILON),
        }
    }

    /// How much memory it holds.
    pub fn bytes(&self) -> usize {
        let lists = [self.by_last.bytes(), self.onward.bytes(), self.calls.bytes()];
        let numbers = self.starts.capacity() + self.below.capacity();
        self.heads.capacity() * size_of::<u64>()
            + self.of_states.bytes()
            + self.rules.capacity() * size_of::<IndexedRule>()
            + self.places.capacity() * size_of::<Place>()
            + numbers * size_of::<u32>()
            + lists.iter().sum::<usize>()
    }
}

/// A pair of numbers as a key.
pub(super) fn pair(first: impl Id, second: impl Id) -> u64 {
    u64::from(first.number()) << 32 | u64::from(second.number())
}

/// The numbers of the heads of states: in a plain table by state and symbol, if that is not too
/// large, else in a hash table.
#[derive(Clone, Debug)]
pub(super) struct StateHeads {
    columns: usize,
    /// By state, then by symbol, ε last.
    plain: Vec<Head>,
    keys: Table,
    numbers: Vec<Head>,
}

impl StateHeads {
    fn new(states: u32, symbols: u32, rules: usize) -> Self {
        let columns = symbols as usize + 1;
        let cells = columns.saturating_mul(states as usize);
        let is_plain = cells <= 8 * rules + 1024;
        let plain = if is_plain { vec![NO_HEAD; cells] } else { Vec::new() };
        Self { columns, plain, keys: Table::new(1), numbers: Vec::new() }
    }

    /// The head of a state and a symbol, and whether it is new. If it is new, it becomes `next`.
    #[inline]
    pub(super) fn number(&mut self, state: Node, symbol: Symbol, next: Head) -> (Head, bool) {
        if self.plain.is_empty() {
            let (index, new) = self.keys.insert(&[pair(state, symbol)]);
            if new {
                self.numbers.push(next);
            }
            return (self.numbers[index as usize], new);
        }
        let column = if symbol == EPSILON { self.columns - 1 } else { symbol.index() };
        let head = &mut self.plain[state.index() * self.columns + column];
        let new = *head == NO_HEAD;
        if new {
            *head = next;
        }
        (*head, new)
    }

    pub(super) fn bytes(&self) -> usize {
        (self.plain.capacity() + self.numbers.capacity()) * size_of::<Head>() + self.keys.bytes()
    }
}

/// A system while it is built.
struct Builder {
    states: u32,
    symbols: u32,
    heads: Vec<u64>,
    of_states: StateHeads,
    /// The heads of nodes between symbols, but not those with ε.
    of_places: Table,
    of_place_numbers: Vec<Head>,
    places: Vec<Place>,
    /// The nodes whose call nodes the last places are, in turn.
    callers: Vec<(Node, Node)>,
    below: Vec<Node>,
    rules: Vec<IndexedRule>,
}

impl Builder {
    fn new(states: u32, symbols: u32, rules: usize) -> Self {
        Self {
            states,
            symbols,
            heads: Vec::new(),
            of_states: StateHeads::new(states, symbols, rules),
            of_places: Table::new(1),
            of_place_numbers: Vec::new(),
            places: Vec::new(),
            callers: Vec::new(),
            below: Vec::new(),
            rules: Vec::with_capacity(rules),
        }
    }

    fn add(&mut self, rule: Rule<'_>, source: Head, number: u32) {
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
            let call = self.place(Place { above: NO_HEAD, caller });
            self.callers.push((node, call));
            node = call;
        }
        let last = self.head(node, last);
        self.rules.push(IndexedRule { source, last, number });
    }

    fn head(&mut self, node: Node, symbol: Symbol) -> Head {
        if node.number() < self.states {
            return self.state_head(node, symbol);
        }
        let (index, new) = self.of_places.insert(&[pair(node, symbol)]);
        if new {
            self.of_place_numbers.push(Head::from_index(self.heads.len()));
            self.push(node, symbol);
        }
        self.of_place_numbers[index as usize]
    }

    fn state_head(&mut self, state: Node, symbol: Symbol) -> Head {
        let (head, new) = self.of_states.number(state, symbol, Head::from_index(self.heads.len()));
        if new {
            self.push(state, symbol);
        }
        head
    }

    fn push(&mut self, node: Node, symbol: Symbol) {
        self.heads.push(pair(node, symbol));
        self.below.push(NO_NODE);
    }

    fn node_below(&mut self, node: Node, symbol: Symbol) -> Node {
        let head = self.head(node, symbol);
        if self.below[head.index()] == NO_NODE {
            self.below[head.index()] = self.place(Place { above: head, caller: NONE });
        }
        self.below[head.index()]
    }

    fn place(&mut self, place: Place) -> Node {
        self.places.push(place);
        Node::new(self.states + self.places.len() as u32 - 1)
    }

    fn finish(mut self, starts: Vec<u32>, state_heads: u32) -> PushdownSystem {
        let heads = self.heads.len();
        let states = self.states;
        for &(node, call) in &self.callers {
            let above = Head::new(heads as u32 + node.number() - states);
            self.places[(call.number() - states) as usize].above = above;
        }
        let rules = self.rules.iter().enumerate();
        let lasts = rules.map(|(place, rule)| (rule.last.number(), place as u32));
        let onward = self.heads.iter().enumerate().filter_map(|(head, key)| {
            let place = ((key >> 32) as u32).checked_sub(states)?;
            Some((place, Head::from_index(head)))
        });
        let calls = self.callers.iter().map(|&(node, call)| (node.number() - states, call));
        PushdownSystem {
            states,
            symbols: self.symbols,
            starts,
            by_last: Lists::new(heads, lasts),
            onward: Lists::new(self.places.len(), onward),
            calls: Lists::new(self.places.len(), calls),
            rules: self.rules,
            heads: self.heads,
            state_heads,
            of_states: self.of_states,
            places: self.places,
            below: self.below,
        }
    }
}

/// A list of items for each number below some bound, one after another in one vector.
#[derive(Debug)]
pub(super) struct Lists<T> {
    /// The list of i is from `starts[i]` to `starts[i + 1]`.
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T: Copy> Lists<T> {
    /// The lists of what is paired with each number, in the order of the pairs.
    pub(super) fn new(count: usize, pairs: impl Iterator<Item = (u32, T)> + Clone) -> Self {
        let mut starts = vec![0; count + 1];
        for (key, _) in pairs.clone() {
            starts[key as usize + 1] += 1;
        }
        for index in 0..count {
            starts[index + 1] += starts[index];
        }
        let mut items: Vec<T> = pairs.clone().map(|(_, item)| item).collect();
        let mut next = starts.clone();
        for (key, item) in pairs {
            items[next[key as usize] as usize] = item;
            next[key as usize] += 1;
        }
        Self { starts, items }
    }

    /// One of the lists; empty for a number that has none.
    pub(super) fn get(&self, key: u32) -> &[T] {
        let key = key as usize;
        if key + 1 >= self.starts.len() {
            return &[];
        }
        &self.items[self.starts[key] as usize..self.starts[key + 1] as usize]
    }

    fn bytes(&self) -> usize {
        self.starts.capacity() * size_of::<u32>() + self.items.capacity() * size_of::<T>()
    }
}
