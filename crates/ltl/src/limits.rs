//! How large a translation may become.
//!
//! All limits are amounts of work, not times, so that a formula has the same automaton on every machine. One
//! number sets them all: how many states are allowed. Who allows more states than usual gets more of
//! everything else in the same proportion (of operations in one step sixteen times as many at most), for it
//! is rarely the states that come to an end first. Only the number of acceptance sets is fixed
//! ([`Marks::LIMIT`](crate::Marks::LIMIT)).

use crate::stop::Stop;
use std::fmt;

/// The limits of one translation.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'a> {
    /// States of an automaton before it is reduced.
    pub states: usize,
    /// Edges of such an automaton.
    pub edges: usize,
    /// Groups of letters that one state tells apart, and ways on for one letter.
    pub alternatives: usize,
    /// Operations on labels in one step of the work.
    pub operations: usize,
    /// Who may stop the work.
    pub stop: Stop<'a>,
}

/// More operations than these are never done in one step: they would fill gigabytes.
const MOST_OPERATIONS: usize = 1 << 22;

/// Nor are more alternatives than these ever told apart.
const MOST_ALTERNATIVES: usize = 1 << 16;

impl<'a> Limits<'a> {
    /// As many states as are allowed if nothing else is said.
    pub const USUAL_STATES: usize = 20_000;

    /// The limits that go with this number of states.
    pub fn for_states(states: usize, stop: Stop<'a>) -> Limits<'a> {
        let in_proportion =
            |usual: usize| usual.max(usual.saturating_mul(states.div_ceil(Limits::USUAL_STATES)));
        Limits {
            states,
            edges: in_proportion(1 << 17),
            alternatives: in_proportion(1 << 12).min(MOST_ALTERNATIVES),
            operations: in_proportion(1 << 18).min(MOST_OPERATIONS),
            stop,
        }
    }
}

/// Why there is no automaton.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Excess {
    /// It needs more acceptance sets than there can be.
    Sets,
    /// One of the other limits is too low.
    Work,
}

impl fmt::Display for Limits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Limits { states, edges, operations, .. } = self;
        write!(f, "{states} states, {edges} edges, or {operations} operations on labels")
    }
}
