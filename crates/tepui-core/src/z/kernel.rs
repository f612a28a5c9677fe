//! What all computations of Z have in common.

use std::any::Any;
use std::sync::Arc;

use num_bigint::BigUint;

use crate::limits::{Limit, Meter, Outcome};
use crate::program::Point;
use crate::property::Property;
use crate::sets::visible::{self, TopPoints};
use crate::system::{self, Class, Handle, Shared, Symbol};
use crate::whole_stacks::Reach;
use crate::z::local_states::LocalStates;

/// How a Z knows what a pop can bring to the top.
#[derive(Clone, Debug)]
pub enum Emergence {
    /// From a table for each template.
    Table(Vec<Arc<EmergenceTable>>),
    /// From the relation *below*, with this many symbols of a stack kept, at least one.
    Matched(usize),
}

/// What may emerge when a symbol is popped, with [`EPSILON`](crate::system::EPSILON) for the empty
/// stack. Many symbols have the same, so it is there once.
#[derive(Debug)]
pub struct EmergenceTable {
    /// What may emerge.
    pub sets: Vec<Vec<Symbol>>,
    /// For each class of symbols, which of the sets.
    pub of_class: Vec<u32>,
}

impl EmergenceTable {
    /// What may emerge when a symbol of a class is popped.
    pub fn of(&self, class: Class) -> &[Symbol] {
        &self.sets[self.of_class[class.index()] as usize]
    }
}

/// The computation of one Z, by whatever means. It is used as a trait object, at the level of whole
/// calls only.
pub trait ZKernel: Any + Send + Sync {
    /// The system that it overapproximates.
    fn system(&self) -> &Handle;

    /// The local states of each template.
    fn locals(&self) -> &[LocalStates];

    /// Go on until the fixed point.
    fn advance(&mut self, meter: &mut Meter) -> Outcome;

    /// Whether the fixed point is reached: only then is this an overapproximation.
    fn is_complete(&self) -> bool;

    /// How many states it has, up to symmetry if that is on.
    fn states(&self) -> BigUint;

    /// How many visible states there are, up to symmetry if that is on.
    fn visible(&self) -> BigUint;

    /// How many visible states there are, every permutation counted.
    fn real_visible(&self) -> BigUint;

    /// How much was done, in states or operations.
    fn work(&self) -> usize;

    /// How much memory the computation holds, and a system that grows with it.
    fn bytes(&self) -> usize;

    /// How many states, or nodes, a certificate has.
    fn certificate_size(&self) -> usize;

    /// A bad visible state of a complete Z.
    fn find_bad(
        &mut self,
        property: &Property,
        meter: &mut Meter,
    ) -> Result<Option<Vec<u32>>, Limit>;

    /// Whether some state of a complete Z may stand for one that is asked for by its stacks.
    fn has_reaching(&self, reach: &Reach, meter: &mut Meter) -> Result<bool, Limit>;

    /// The visible states of a complete Z.
    fn visible_rows(&self) -> Box<dyn Iterator<Item = Vec<u32>> + '_>;

    /// The shared states and tops that the threads of a template show together.
    fn thread_visible(&mut self, template: usize) -> Vec<(Shared, Symbol)>;

    /// For each template of a program's system, the points that it contains.
    fn points(&mut self) -> Vec<Vec<Point>> {
        let templates = 0..self.locals().len();
        let pairs: Vec<_> = templates.map(|template| self.thread_visible(template)).collect();
        visible::points(&system::lock(self.system()), &pairs, &TopPoints::All)
    }

    /// Whether every pop that is enabled in Z has one outcome only, the empty stack counted.
    /// Then every path of Z is the image of a real path, and Z is exact. (CUBA's Theorem 25,
    /// which as printed does not count the empty stack.)
    fn is_exact(&self) -> bool {
        let system = system::lock(self.system());
        let mut pairs = self.locals().iter().zip(&system.templates);
        pairs.all(|(locals, template)| locals.pops_are_functional(template))
    }
}
