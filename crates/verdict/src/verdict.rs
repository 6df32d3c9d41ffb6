//! The answer to a question about all runs, and what may be said about the run that shows it.

use lariat_ltl::strength::Strength;

/// Why a property may be said to hold. There will be more reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Guarantee {
    /// Every reachable state was stored, compared byte for byte, and checked.
    Exhaustive,
    /// Every reachable state was stored and checked, but hidden variables were left out of the comparison:
    /// each state was explored with the values of the way on which it was reached first.
    ExhaustiveButHidden,
}

impl Guarantee {
    /// As JSON names it.
    pub fn name(self) -> &'static str {
        match self {
            Guarantee::Exhaustive => "exhaustive",
            Guarantee::ExhaustiveButHidden => "exhaustive-but-hidden",
        }
    }
}

/// The answer to a question about a model. There are no others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is so, and why that may be said.
    Holds(Guarantee),
    /// There is a run that shows it.
    Violated,
    /// No violation found, but not everything was seen: why.
    Unknown(String),
    /// The combination of options would not give a sound answer: why.
    Refused(String),
}

impl Verdict {
    /// As JSON names it.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Holds(_) => "holds",
            Verdict::Violated => "violated",
            Verdict::Unknown(_) => "unknown",
            Verdict::Refused(_) => "refused",
        }
    }
}

/// Whether a run that is shown is as short as there can be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunLength {
    /// There is none with fewer transitions.
    Shortest,
    /// There may be one: why it was not looked for any longer.
    Short(String),
}

impl RunLength {
    /// As JSON names it.
    pub fn name(&self) -> &'static str {
        match self {
            RunLength::Shortest => "shortest",
            RunLength::Short(_) => "short",
        }
    }

    /// Why there may be a shorter one.
    pub fn reason(&self) -> Option<&str> {
        match self {
            RunLength::Shortest => None,
            RunLength::Short(reason) => Some(reason),
        }
    }

    /// In words.
    pub fn describe(&self) -> String {
        match self {
            RunLength::Shortest => "the shortest run".to_string(),
            RunLength::Short(reason) => format!("a short run; there may be a shorter one ({reason})"),
        }
    }
}

/// The automaton that a model runs beside, in numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AutomatonFacts {
    /// How many states it has.
    pub states: usize,
    /// How many edges it has.
    pub edges: usize,
    /// How many acceptance sets there are.
    pub sets: u32,
    /// The strongest of its accepting components.
    pub strength: Strength,
}

/// In which order states are visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchOrder {
    /// Deep first: little memory.
    #[default]
    DepthFirst,
    /// Finds a shortest counterexample.
    BreadthFirst,
}
