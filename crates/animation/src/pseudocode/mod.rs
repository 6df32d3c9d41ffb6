//! The checks as pseudo-code, in our words, after the figures of their papers; and which lines run when.
//!
//! A line names the [`Moment`]s at which it runs. So the checks need not know that there is a text about
//! them: what they tell as events is a moment, and the moment has its lines. A test looks that no moment of
//! any check is without a line, and that no line is there that never runs.

mod components;
mod nested;
mod others;

use lariat_search::emptiness::Check;

/// What happens, as the text of an algorithm sees it. Where there are two searches, what the nested one does
/// has moments of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Moment {
    /// The search begins.
    Start,
    /// The outer search comes to a state.
    Visit,
    /// The arcs of that state are computed.
    Expand,
    /// The outer search looks where an arc leads.
    Arc,
    /// The outer search computes the arcs of a state once more.
    SecondLook,
    /// A nested search begins.
    Nested,
    /// The nested search comes to a state.
    NestedVisit,
    /// The nested search computes the arcs of a state.
    NestedExpand,
    /// The nested search looks where an arc leads.
    NestedArc,
    /// The nested search takes the note from a state that it is current.
    NestedRemove,
    /// The nested search goes back.
    NestedLeave,
    /// The nested search is over.
    NestedOver,
    /// A lowlink is computed.
    Lowlink,
    /// Components become one.
    Merge,
    /// States are taken off, because their component is complete.
    Complete,
    /// A label grows.
    Label,
    /// A state is put where it waits.
    Waits,
    /// The outer search goes back from a state.
    Leave,
    /// The state becomes blue then.
    LeaveBlue,
    /// The state becomes red then.
    LeaveRed,
    /// The state becomes black then.
    LeaveBlack,
    /// The state gets a colour then because a nested search has just found nothing from it.
    LeaveSearched,
    /// An accepting cycle is found, by the outer search.
    Found,
    /// An accepting cycle is found, by the nested search.
    NestedFound,
    /// Everything has been seen.
    Over,
}

/// A line of pseudo-code.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// With its indentation.
    pub text: &'static str,
    /// When it runs.
    pub at: &'static [Moment],
}

/// A line that runs at these moments.
const fn line(text: &'static str, at: &'static [Moment]) -> Line {
    Line { text, at }
}

/// The text of a check.
pub fn pseudocode(check: Check) -> &'static [Line] {
    match check {
        Check::NaiveLasso => others::NAIVE_LASSO,
        Check::NestedDfs => nested::NESTED_DFS,
        Check::NestedDfsLevels => nested::LEVELS,
        Check::NestedDfsStack => nested::STACK,
        Check::NestedDfsBlack => nested::BLACK,
        Check::NestedDfsColours => nested::COLOURS,
        Check::NestedDfsAllRed => nested::ALL_RED,
        Check::SimpleDfs => others::SIMPLE_DFS,
        Check::Reachability => others::REACHABILITY,
        Check::Tarjan => components::TARJAN,
        Check::TarjanGoal => components::TARJAN_GOAL,
        Check::RootsAndRemoval => components::ROOTS_AND_REMOVAL,
        Check::RootsAndActive => components::ROOTS_AND_ACTIVE,
        Check::LabelPropagation => others::LABEL_PROPAGATION,
        Check::Streett => components::STREETT,
    }
}

/// The lines that run at one of these moments, from 0 on.
pub fn lines(check: Check, moments: &[Moment]) -> Vec<usize> {
    let runs = |line: &Line| line.at.iter().any(|moment| moments.contains(moment));
    pseudocode(check).iter().enumerate().filter(|(_, line)| runs(line)).map(|(number, _)| number).collect()
}
