//! A check is run, and what it tells is kept: the first [`MOST_EVENTS`] events one by one, the others only
//! counted. The check runs to its end, or to a limit, either way: a verdict does not depend on how much of
//! the search can be shown.

use lariat_ltl::Marks;
use lariat_search::emptiness::{Check, Lasso, Product, Search, Stopped, is_accepting_lasso};
use lariat_search::{Counts, Event, Limits, Listener, StopReason};

/// More events are not kept. A page with so many steps has some megabytes.
pub const MOST_EVENTS: usize = 20_000;

/// What a check did.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Which check.
    pub check: Check,
    /// The first of its events.
    pub events: Vec<Event>,
    /// How many followed that were not kept.
    pub not_kept: u64,
    /// Whether there is an accepting run.
    pub answer: Answer,
    /// What it counted.
    pub counts: Counts,
}

/// Whether there is an accepting run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is none.
    Empty,
    /// There is this one, which the product has confirmed.
    NotEmpty(Lasso),
    /// A limit came first.
    Unknown(StopReason),
}

/// Keeps the first events.
struct Recorder {
    events: Vec<Event>,
    not_kept: u64,
}

impl Listener for Recorder {
    fn hear(&mut self, event: Event) {
        match self.events.len() < MOST_EVENTS {
            true => self.events.push(event),
            false => self.not_kept += 1,
        }
    }
}

/// Runs a check, and keeps what it tells. `Err` if the product does not confirm the run that the check
/// found: an error of ours.
pub fn record(
    mut product: &mut dyn Product<Marks = Marks>,
    check: Check,
    limits: Limits,
) -> Result<Recording, String> {
    let mut recorder = Recorder { events: Vec::new(), not_kept: 0 };
    let mut search = Search::with_listener(&mut product, limits, None, &mut recorder);
    let found = check.run(&mut search);
    let counts = search.counts();
    let answer = match found {
        Ok(Some(lasso)) => {
            is_accepting_lasso(&mut product, &lasso)?;
            Answer::NotEmpty(lasso)
        }
        Ok(None) => Answer::Empty,
        Err(Stopped(reason)) => Answer::Unknown(reason),
    };
    let Recorder { events, not_kept } = recorder;
    Ok(Recording { check, events, not_kept, answer, counts })
}
