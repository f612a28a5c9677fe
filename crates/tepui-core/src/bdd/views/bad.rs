//! Whether something bad is in a view tuple.

use super::super::bad::Bad;
use super::super::nodes::{Bdd, Work};
use super::super::shapes::ThreadInfo;
use super::automata::View;
use super::layout::Layout;
use super::tuples::Tuple;
use crate::limits::Limit;

/// Whether something bad is in what a thread has reached, its view with ghosts, while the others are
/// as they were.
#[expect(clippy::too_many_arguments, reason = "these are parts of a search")]
pub(super) fn is_bad(
    bad: &[Bad],
    threads: &[ThreadInfo],
    tuple: &Tuple,
    thread: usize,
    view: &View,
    ghosts: Option<()>,
    layout: &Layout,
    work: &mut Work,
) -> Result<bool, Limit> {
    for some in bad {
        for (place, &(kind, point)) in some.iter().enumerate() {
            if threads[thread].kind != kind {
                continue;
            }
            let now = layout.cube(|bit| bit.now, work);
            let here = view.only(|symbol| symbol.point == point).shared(layout, work)?;
            let here = work.exists(here, now)?;
            let Some(&(other_kind, other_point)) = some.get(1 - place) else {
                if here != Bdd::FALSE {
                    return Ok(true);
                }
                continue;
            };
            for (other, view) in tuple.views.iter().enumerate() {
                if other == thread || threads[other].kind != other_kind {
                    continue;
                }
                let there = view.only(|symbol| symbol.point == other_point);
                let there = there.shared(layout, work)?;
                let there = match ghosts {
                    Some(()) => work.rename(there, &layout.begins)?,
                    None => work.exists(there, now)?,
                };
                if work.and(here, there)? != Bdd::FALSE {
                    return Ok(true);
                }
            }
        }
    }
    Ok(false)
}
