//! Z, on systems small enough to count by hand.

use std::sync::Arc;

use num_bigint::BigUint;
use tepui_core::limits::{Limit, Limits, Meter, Outcome};
use tepui_core::property::{Pattern, Property};
use tepui_core::whole_stacks::Reach;
use tepui_core::z::diagram::DiagramZ;
use tepui_core::z::explicit::ExplicitZ;
use tepui_core::z::kernel::{Emergence, EmergenceTable, ZKernel};

use crate::support::{figure_4, no_limit, no_time, three_equal, word};

#[test]
fn every_strength_of_z_covers_figure_4() {
    let system = figure_4();
    let table = |set: &[u32], classes| {
        Arc::new(EmergenceTable { sets: vec![word(set)], of_class: vec![0; classes] })
    };
    let table = vec![table(&[0], 3), table(&[0, 3], 4)];
    for (emergence, states) in
        [(Emergence::Table(table), 8u32), (Emergence::Matched(1), 13), (Emergence::Matched(2), 19)]
    {
        let mut z = ExplicitZ::new(&system, true, &emergence);
        while z.advance(&mut Meter::over(Limits { pause: 1, ..Limits::default() })) != Outcome::Done
        {
            assert!(!z.is_complete());
        }
        let counts = (z.states(), z.visible(), z.is_exact());
        assert_eq!(counts, (BigUint::from(states), BigUint::from(8u32), false));
    }
}

#[test]
fn a_search_in_z_as_a_diagram_looks_at_the_limits() {
    let mut z = DiagramZ::new(&three_equal(), &Emergence::Matched(1));
    assert_eq!(z.advance(&mut no_limit()), Outcome::Done);
    assert_eq!(z.certificate_size(), 3);
    let anything = Reach { shared: None, stacks: vec![None; 3] };
    let pattern = Pattern { shared: None, tops: vec![None; 3] };
    let property = Property { patterns: vec![pattern], deadlock: false };
    for (limits, outcome) in [(Limits::default(), Ok(true)), (no_time(), Err(Limit::Time))] {
        let meter = &mut Meter::over(limits);
        assert_eq!(z.has_reaching(&anything, meter), outcome);
        let bad = z.find_bad(&property, meter);
        assert_eq!(bad.map(|found| found.is_some()), outcome);
    }
}
