//! Traces: a run, context by context, to a state of a product (QR, section 3).
//!
//! It is found backwards. Every thread gets a stack of its language in the last product. Then the
//! thread that led to that product takes back its run: post* says from which stack of the product
//! before, and by which steps, it came to the stack it has. The others keep their stacks, which are
//! in the product before as well. The initial product has one state only, so that is where it ends.
//!
//! Up to symmetry, equal threads change places as they are sorted. The names are given at the end,
//! so that the last state is the one that was asked for, and follow the threads backwards.

use super::kernel::SymbolicKernel;
use super::products::ProductId;
use crate::automata::p_automaton::PAutomaton;
use crate::engines::kernel::{Context, Found};
use crate::engines::shortest_runs::run_to;
use crate::limits::{Limit, Meter};
use crate::sets::visible::VisibleId;
use crate::system::{self, Symbol};
use crate::whole_stacks::Reach;

/// Who is at each position, and with which stack.
struct Places {
    threads: Vec<u32>,
    stacks: Vec<Vec<Symbol>>,
}

impl SymbolicKernel {
    /// A trace to a state that was found; with the fewest contexts, as no product with a lower number
    /// has such a state.
    pub(super) fn trace_to(&self, found: &Found, meter: &mut Meter) -> Result<Vec<Context>, Limit> {
        let (mut product, mut places) = if let Some(reach) = &found.reach {
            let product = ProductId::new(found.number);
            (product, self.places_at_the_end(reach, product))
        } else {
            let row = self.visible.row(VisibleId::new(found.number));
            let product = self.witnesses[found.number as usize];
            let reach = Reach::showing(&row, &system::lock(&self.system));
            (product, self.places_at_the_end(&reach, product))
        };
        let places = places.as_mut().expect("the product has a state that was asked for");
        let mut contexts = Vec::new();
        while product != ProductId::INITIAL {
            contexts.push(self.take_back(product, places, meter)?);
            product = self.products.origin(product).0;
        }
        contexts.reverse();
        Ok(contexts)
    }

    /// A state of a product that is asked for, with the lowest stacks, if there is one.
    fn places_at_the_end(&self, reach: &Reach, product: ProductId) -> Option<Places> {
        let groups = self.products.set().groups().iter();
        let threads: Vec<u32> = groups.flat_map(|group| group.threads.clone()).collect();
        let threads = self.matcher(reach).names(product.state(), &threads)?;
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
        meter: &mut Meter,
    ) -> Result<Context, Limit> {
        let (parent, mover) = self.products.origin(product);
        let place = self.place_of_mover(product);
        let stack = places.stacks.remove(place);
        let thread = places.threads.remove(place);
        let set = self.products.set();
        let language = self.language(self.products.language(parent, mover));
        let starts = PAutomaton::of_language(set.shared(parent.state()), language);
        let end = (set.shared(product.state()), &stack[..]);
        let mut system = system::lock(&self.system);
        let run = run_to(&mut system, set.template(mover), &starts, end, meter)?;
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
