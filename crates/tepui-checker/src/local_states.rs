//! The local states of threads, whole stacks or cut ones, and what one step makes of them.
//!
//! The proof in `checker/certificates/states.py` says what the functions here have to give.

use crate::certificate::{Kind, Local};
use crate::hashing::{QuickMap, QuickSet};
use crate::system::{EPSILON, Steps};
use crate::{Checked, Patience, rejected};

/// How much of a stack is kept, and whether it is known if more lies below.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    depth: usize,
    flags: bool,
}

/// No stack is as high as this cut.
pub(crate) const WHOLE: Cut = Cut { depth: usize::MAX, flags: true };

/// How a certificate cuts stacks.
pub(crate) fn cut_of(kind: &Kind, groups: usize) -> Checked<Cut> {
    let Kind::Cut { depth, flags, below } = kind else { return Ok(WHOLE) };
    if *depth < 1 || !(*flags || *depth == 1) {
        return rejected(format!("stacks cannot be cut at {depth}"));
    }
    if below.len() != groups {
        return rejected("the certificate does not have one relation «below» for each group");
    }
    Ok(Cut { depth: *depth, flags: *flags })
}

/// A table of local states that some threads share, and their steps.
pub(crate) struct LocalStates<'a> {
    pub(crate) table: &'a [Local],
    cut: Cut,
    pairs: QuickSet<(u32, u32)>,
    below: QuickMap<u32, Vec<u32>>,
    index: QuickMap<(&'a [u32], bool), u32>,
}

impl<'a> LocalStates<'a> {
    /// `pairs` are the relation «below»; there are `symbols` symbols.
    pub(crate) fn new(
        table: &'a [Local],
        cut: Cut,
        pairs: &[(u32, u32)],
        symbols: u32,
    ) -> Checked<Self> {
        let mut index = QuickMap::default();
        for (number, Local { word, more }) in table.iter().enumerate() {
            if word.iter().any(|&symbol| symbol == EPSILON || symbol >= symbols) {
                return rejected("a stack of the certificate has something that is no symbol");
            }
            if word.len() > cut.depth {
                return rejected("a stack of the certificate is longer than the cut");
            }
            if *more && !(cut.flags && word.len() == cut.depth) {
                return rejected("a stack of the certificate is not cut, but has more below it");
            }
            if index.insert((word.as_slice(), *more), number as u32).is_some() {
                return rejected("the certificate lists a stack twice");
            }
        }
        let mut sorted = pairs.to_vec();
        sorted.sort_unstable();
        let mut below: QuickMap<u32, Vec<u32>> = QuickMap::default();
        for (upper, lower) in sorted {
            if upper == EPSILON || upper >= symbols || lower >= symbols {
                return rejected("a relation «below» has something that is no symbol");
            }
            below.entry(upper).or_default().push(lower);
        }
        Ok(Self { table, cut, pairs: pairs.iter().copied().collect(), below, index })
    }

    /// The local state of an initial stack, whose pairs at the cut and deeper are checked.
    pub(crate) fn initial(&self, stack: &[u32]) -> Checked<u32> {
        let kept = &stack[..stack.len().min(self.cut.depth)];
        self.check_pairs(stack, &[EPSILON])?;
        self.find(kept, self.cut.flags && stack.len() > self.cut.depth)
    }

    /// The top of the stacks of a local state.
    pub(crate) fn top(&self, local: u32) -> u32 {
        self.table[local as usize].word.first().copied().unwrap_or(EPSILON)
    }

    /// All pairs (shared state, local state) after one step. The pairs of «below» are checked.
    pub(crate) fn moves(
        &self,
        system: &mut dyn Steps,
        template: usize,
        shared: u32,
        local: u32,
        patience: &Patience<'_>,
    ) -> Checked<Vec<(u32, u32)>> {
        patience.spend(10)?;
        let Local { word, more } = &self.table[local as usize];
        let under = self.under(word, *more);
        let mut found = Vec::new();
        for (target, new) in system.rules(template, shared, self.top(local), patience)? {
            let is_pop = new.is_empty();
            let mut after = new;
            after.extend(word.iter().skip(1));
            self.check_pairs(&after, &under)?;
            self.cuts(&after, is_pop, *more, &under, &mut |kept, has_more| {
                found.push((target, self.find(kept, has_more)?));
                Ok(())
            })?;
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// The cuts of all stacks that a step can lead to: `after` is what was kept, changed, and more
    /// may lie under it.
    fn cuts(
        &self,
        after: &[u32],
        is_pop: bool,
        more: bool,
        under: &[u32],
        found: &mut dyn FnMut(&[u32], bool) -> Checked<()>,
    ) -> Checked<()> {
        let kept = &after[..after.len().min(self.cut.depth)];
        if !self.cut.flags {
            if !is_pop {
                return found(kept, false);
            }
            return under.iter().try_for_each(|&lower| {
                found(if lower == EPSILON { &[] } else { std::slice::from_ref(&lower) }, false)
            });
        }
        if !more {
            return found(kept, after.len() > self.cut.depth);
        }
        if !is_pop {
            return found(kept, true);
        }
        let mut word = after.to_vec();
        for &emerging in under {
            word.push(emerging);
            for &lower in self.below.get(&emerging).into_iter().flatten() {
                found(&word, lower != EPSILON)?;
            }
            word.pop();
        }
        Ok(())
    }

    /// What may follow the part of a stack that is kept.
    fn under(&self, word: &[u32], more: bool) -> Vec<u32> {
        let below = |symbol| self.below.get(symbol).into_iter().flatten().copied();
        match (word.first(), word.last()) {
            (Some(top), _) if !self.cut.flags => below(top).collect(),
            (_, Some(last)) if more => below(last).filter(|&lower| lower != EPSILON).collect(),
            _ => vec![EPSILON],
        }
    }

    /// The pairs at the cut and deeper of a word, up to the one that crosses its end, are there.
    fn check_pairs(&self, word: &[u32], under: &[u32]) -> Checked<()> {
        if word.len() < self.cut.depth {
            return Ok(());
        }
        let deep = &word[self.cut.depth - 1..];
        let inside = deep.windows(2).map(|pair| (pair[0], pair[1]));
        let last = deep[deep.len() - 1];
        let mut all = inside.chain(under.iter().map(|&lower| (last, lower)));
        match all.find(|pair| !self.pairs.contains(pair)) {
            Some((upper, lower)) => rejected(format!(
                "a step can put the symbol {lower} below {upper}, which «below» lacks"
            )),
            None => Ok(()),
        }
    }

    fn find(&self, word: &[u32], more: bool) -> Checked<u32> {
        match self.index.get(&(word, more)) {
            Some(&local) => Ok(local),
            None => rejected(format!("the certificate lacks the stack {word:?}")),
        }
    }
}
