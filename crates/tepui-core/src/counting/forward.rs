//! The forward search for runs: breadth first, with one more thread of each kind in every stage.
//!
//! It finds short runs with few threads where the backward search has to look at much that is never
//! reached. It proves nothing.

use rustc_hash::FxHashMap;

use super::net::{Marking, Net, Place, tokens};

/// A stage with more markings than this is the last one.
const MOST: usize = 2_000_000;

/// The search, which can be interrupted between two markings.
pub struct Forward {
    /// For each place, the transitions whose guard is looked up there.
    needing: Vec<Vec<u32>>,
    /// The transitions without a guard.
    free: Vec<u32>,
    stage: u32,
    seen: FxHashMap<Marking, u32>,
    found: Vec<Found>,
    next: usize,
    most_tokens: u64,
    was_cut: bool,
    hit: Option<u32>,
    is_over: bool,
    entries: usize,
    work: usize,
}

struct Found {
    marking: Marking,
    from: Option<(u32, u32)>,
}

impl Forward {
    /// A search that has not begun.
    pub fn new(net: &Net) -> Self {
        let mut needing = vec![Vec::new(); net.initial.len()];
        let mut uses = vec![0usize; net.initial.len()];
        for (place, _) in net.transitions.iter().flat_map(|one| &one.guard) {
            uses[*place as usize] += 1;
        }
        let mut free = Vec::new();
        for (number, transition) in net.transitions.iter().enumerate() {
            match transition.guard.iter().min_by_key(|entry| uses[entry.0 as usize]) {
                Some(&(place, _)) => needing[place as usize].push(number as u32),
                None => free.push(number as u32),
            }
        }
        let mut search = Self {
            needing,
            free,
            stage: 0,
            seen: FxHashMap::default(),
            found: Vec::new(),
            next: 0,
            most_tokens: 0,
            was_cut: false,
            hit: None,
            is_over: net.targets.is_empty(),
            entries: 0,
            work: 0,
        };
        search.begin(net);
        search
    }

    /// Whether there is nothing left to do, with a run or without.
    pub fn is_over(&self) -> bool {
        self.is_over || self.hit.is_some()
    }

    /// Whether a run was found.
    pub fn has_run(&self) -> bool {
        self.hit.is_some()
    }

    /// How many markings were found, in all stages.
    pub fn found(&self) -> usize {
        self.work
    }

    /// About how many bytes it holds.
    pub fn bytes(&self) -> usize {
        self.found.len() * (size_of::<Found>() + 48) + 2 * self.entries * size_of::<(Place, u32)>()
    }

    /// Look at one marking.
    pub fn step(&mut self, net: &Net) {
        if self.is_over() {
            return;
        }
        if self.next == self.found.len() {
            let may_grow = self.was_cut || net.initial.iter().any(|range| range.1.is_none());
            self.is_over = !may_grow || self.stage == u32::from(u16::MAX);
            if !self.is_over {
                self.stage += 1;
                self.begin(net);
            }
            return;
        }
        let marking = self.found[self.next].marking.clone();
        let from = self.next as u32;
        self.next += 1;
        let by_place = marking.iter().flat_map(|entry| &self.needing[entry.0 as usize]);
        let candidates: Vec<u32> = by_place.chain(&self.free).copied().collect();
        for number in candidates {
            if let Ok(Some(after)) = net.transitions[number as usize].after(&marking) {
                self.add(net, after, Some((from, number)));
            } else {
                self.work += 1;
            }
        }
    }

    fn begin(&mut self, net: &Net) {
        self.seen.clear();
        self.found.clear();
        self.next = 0;
        self.entries = 0;
        self.was_cut = false;
        let counts = net.initial.iter().enumerate().map(|(place, &(least, most))| {
            (place as Place, most.unwrap_or_else(|| least.saturating_add(self.stage)))
        });
        let start: Marking = counts.filter(|entry| entry.1 > 0).collect();
        self.most_tokens = tokens(&start) + 1 + u64::from(self.stage);
        self.add(net, start, None);
    }

    fn add(&mut self, net: &Net, marking: Marking, from: Option<(u32, u32)>) {
        self.work += 1;
        if self.is_over() || self.seen.contains_key(&marking) {
            return;
        }
        if tokens(&marking) > self.most_tokens {
            self.was_cut = true;
            return;
        }
        if self.found.len() >= MOST {
            self.is_over = true;
            self.seen = FxHashMap::default();
            self.found = Vec::new();
            self.entries = 0;
            return;
        }
        let number = self.found.len() as u32;
        if net.is_bad(&marking) {
            self.hit = Some(number);
        }
        self.entries += marking.len();
        self.seen.insert(marking.clone(), number);
        self.found.push(Found { marking, from });
    }

    /// A run into a bad marking, if there is one: the initial counts, and the transitions.
    pub fn run(&self, net: &Net) -> Option<(Vec<u32>, Vec<u32>)> {
        let mut found = &self.found[self.hit? as usize];
        let mut transitions = Vec::new();
        while let Some((from, transition)) = found.from {
            transitions.push(transition);
            found = &self.found[from as usize];
        }
        transitions.reverse();
        let mut start = vec![0; net.initial.len()];
        for &(place, count) in &found.marking {
            start[place as usize] = count;
        }
        Some((start, transitions))
    }
}
