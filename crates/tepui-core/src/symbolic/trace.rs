//! Traces: a run, context by context, to a state of a product (QR, section 3).
//!
//! It is found backwards. Every thread gets a stack of its language in the last product. Then the
//! thread that led to that product takes back its run: post* says from which stack of the product
//! before, and by which steps, it came to the stack it has. The others keep their stacks, which are
//! in the product before as well. The initial product has one state only, so that is where it ends.
//!
//! Up to symmetry, equal threads change places as they are sorted. The names are given at the end,
//! so that the last state is the one that was asked for, and follow the threads backwards.

use super::engine::Symbolic;
use super::products::ProductId;
use crate::automata::p_automaton::PAutomaton;
use crate::explicit::Context;
use crate::limits::{Limit, Limits, Watch};
use crate::reach::Reach;
use crate::shortest_runs::run_to;
use crate::states::StateId;
use crate::system::{self, Symbol};

/// Who is at each position, and with which stack.
struct Places {
    threads: Vec<u32>,
    stacks: Vec<Vec<Symbol>>,
}

impl Symbolic {
    /// A trace with the fewest contexts to a state that shows this visible state.
    pub fn trace(
        &self,
        visible: StateId,
        limits: Limits,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<Context>, Limit> {
        let reach = Reach::showing(&self.visible().row(visible), &system::lock(&self.system));
        let trace = self.trace_reaching(&reach, self.witness(visible), limits, interrupted)?;
        Ok(trace.expect("the first product that shows it"))
    }

    /// A trace to a state of a product that is asked for; with the fewest contexts if no product
    /// with a lower number has such a state. None if the product has none.
    pub fn trace_reaching(
        &self,
        reach: &Reach,
        product: ProductId,
        limits: Limits,
        interrupted: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Vec<Context>>, Limit> {
        let mut watch = Watch::new(limits, interrupted);
        let Some(mut places) = self.places_at_the_end(reach, product) else { return Ok(None) };
        let mut contexts = Vec::new();
        let mut product = product;
        while product != 0 {
            contexts.push(self.take_back(product, &mut places, &mut watch)?);
            product = self.products.origin(product).0;
        }
        contexts.reverse();
        Ok(Some(contexts))
    }

    /// A state of a product that is asked for, with the lowest stacks, if there is one.
    fn places_at_the_end(&self, reach: &Reach, product: ProductId) -> Option<Places> {
        let groups = self.products.set().groups().iter();
        let threads: Vec<u32> = groups.flat_map(|group| group.threads.clone()).collect();
        let threads = self.matcher(reach).names(product, &threads)?;
        let stacks = threads.iter().enumerate().map(|(position, &thread)| {
            let language = self.language(self.products.language(product, position));
            match &reach.stacks[thread as usize] {
                Some(stacks) => language.shortest_in_common(stacks),
                None => language.shortest(),
            }
        });
        Some(Places { stacks: stacks.collect::<Option<_>>()?, threads })
    }

    /// The context that led to a product; the places are made those before it.
    fn take_back(
        &self,
        product: ProductId,
        places: &mut Places,
        watch: &mut Watch,
    ) -> Result<Context, Limit> {
        let (parent, mover) = self.products.origin(product);
        let place = self.place_of_mover(product);
        let stack = places.stacks.remove(place);
        let thread = places.threads.remove(place);
        let set = self.products.set();
        let language = self.language(self.products.language(parent, mover));
        let starts = PAutomaton::of_language(set.shared(parent), language);
        let end = (set.shared(product), &stack[..]);
        let mut system = system::lock(&self.system);
        let run = run_to(&mut system, set.template(mover), &starts, end, watch)?;
        places.stacks.insert(mover, run.start.1);
        places.threads.insert(mover, thread);
        Ok(Context { thread, rules: run.rules })
    }

    /// A position in a product at which the thread may be that led to it: the other languages of
    /// the group, in order, are those before.
    fn place_of_mover(&self, product: ProductId) -> usize {
        let (parent, mover) = self.products.origin(product);
        let (start, end) = self.products.span(mover);
        let others = (start..end).filter(|&position| position != mover);
        let changed = others.zip(start..).find(|&(before, after)| {
            self.products.language(parent, before) != self.products.language(product, after)
        });
        changed.map_or(end - 1, |(_, place)| place)
    }
}
