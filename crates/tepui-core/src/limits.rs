//! When to stop: limits that the caller sets, and a way to be interrupted.
//!
//! Being stopped is an outcome, not an error: the kernel stays as it is, can be asked what it has
//! found, and can go on.

use std::cell::RefCell;
use std::time::{Duration, Instant};

/// What a kernel may use up. The default is no limit at all.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The largest number of states to hold.
    pub states: usize,
    /// The largest number of bytes to hold.
    pub bytes: usize,
    /// When to stop.
    pub deadline: Option<Instant>,
    /// After how many new states, or operations on diagrams, to hand control back, with the work
    /// unfinished.
    pub pause: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { states: usize::MAX, bytes: usize::MAX, deadline: None, pause: usize::MAX }
    }
}

/// How a call that advances a kernel ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// What was asked for is complete.
    Done,
    /// The number of new states or operations to pause after was reached.
    Paused,
    /// A limit was reached.
    Stopped(Limit),
}

/// Which limit stopped a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The number of states.
    States,
    /// The memory.
    Memory,
    /// The deadline.
    Time,
    /// The caller's wish.
    Interrupted,
    /// As much work is done as was asked for; a kernel turns this into [`Outcome::Paused`].
    Work,
}

/// Says which limit of a whole run is reached, if one is, when this many more bytes are needed.
pub type Watch = Box<dyn FnMut(usize) -> Option<Limit>>;

thread_local! {
    static WATCH: RefCell<Option<Watch>> = const { RefCell::new(None) };
}

/// Work under the watch of what a whole run may use up. It is asked inside of single steps, which no
/// [`Meter`] sees, because a step is computed at once.
pub fn watched<T>(watch: Watch, work: impl FnOnce() -> T) -> T {
    let outside = WATCH.replace(Some(watch));
    let result = work();
    WATCH.set(outside);
    result
}

/// The limit of the whole run that is reached, if one is, when this many more bytes are needed.
pub(crate) fn limit_of_run(more: usize) -> Option<Limit> {
    WATCH.with_borrow_mut(|watch| watch.as_mut().and_then(|asked| asked(more)))
}

/// The items, as long as no limit of the whole run is reached. If one is, some are missing, and
/// whoever watches does not use what was made of them.
pub(crate) fn while_watched<I: IntoIterator>(items: I) -> impl Iterator<Item = I::Item> {
    const ITEMS: usize = 1 << 12;
    let may_go_on = |number: usize| !number.is_multiple_of(ITEMS) || limit_of_run(0).is_none();
    let numbered = items.into_iter().enumerate();
    numbered.take_while(move |&(number, _)| may_go_on(number)).map(|(_, item)| item)
}

/// Looks at the clock and at the caller's wish, but not too often.
pub struct Meter<'a> {
    limits: Limits,
    interrupted: Option<&'a mut dyn FnMut() -> bool>,
    next_question: Instant,
    /// How much was done since the last look at the limits, as far as [`Meter::spend`] counts it.
    spent: usize,
}

impl<'a> Meter<'a> {
    /// How long an interruption may go unnoticed, or what the whole run uses up.
    const INTERVAL: Duration = Duration::from_millis(5);

    /// After how many small steps [`Meter::spend`] looks at the limits.
    const STEPS: usize = 1 << 12;

    /// A meter over one call, which stops at limits and when it is interrupted.
    pub fn new(limits: Limits, interrupted: &'a mut dyn FnMut() -> bool) -> Self {
        Self { interrupted: Some(interrupted), ..Self::over(limits) }
    }

    /// A meter over one call that is never interrupted.
    pub fn over(limits: Limits) -> Self {
        let next_question = Instant::now() + Self::INTERVAL;
        Self { limits, interrupted: None, next_question, spent: 0 }
    }

    /// A meter over a part of the call, with limits of its own.
    pub fn with(&mut self, limits: Limits) -> Meter<'_> {
        let interrupted = self.interrupted.as_mut().map(|asked| &mut **asked as _);
        Meter { interrupted, ..Meter::over(limits) }
    }

    /// A meter over a part of the call that counts its states by itself, and is not paused.
    pub fn for_part(&mut self) -> Meter<'_> {
        self.with(Limits { states: usize::MAX, pause: usize::MAX, ..self.limits })
    }

    /// What the call may use up.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The limit that is reached by this many states in this many bytes, if any.
    /// Reading the clock costs as much as finding a state, so ask once per batch.
    pub fn reached(&mut self, states: usize, bytes: usize) -> Option<Limit> {
        if states >= self.limits.states {
            return Some(Limit::States);
        }
        if bytes > self.limits.bytes {
            return Some(Limit::Memory);
        }
        let now = Instant::now();
        if self.limits.deadline.is_some_and(|deadline| now >= deadline) {
            return Some(Limit::Time);
        }
        if now >= self.next_question {
            self.next_question = now + Self::INTERVAL;
            if let Some(asked) = &mut self.interrupted {
                // What a call counts is its own, and not all that it holds.
                return if asked() { Some(Limit::Interrupted) } else { limit_of_run(0) };
            }
        }
        None
    }

    /// Count some small steps, and stop at a limit. This is for work that has no states of its own,
    /// and goes on for so long that it must not be done at once.
    #[inline]
    pub fn spend(&mut self, steps: usize) -> Result<(), Limit> {
        self.spent += steps;
        if self.spent < Self::STEPS {
            return Ok(());
        }
        self.spent = 0;
        self.reached(0, 0).map_or(Ok(()), Err)
    }
}
