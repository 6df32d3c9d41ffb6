//! The list of searches for violations, and the way from a name to a search.
//!
//! To add a search: a file for it, a variant of [`SearchKind`], a row of [`SEARCHES`], and a line of
//! [`SearchKind::run`] (and of [`SearchKind::run_on_set`], if it needs no numbers). [`SEARCHES`] says of each
//! what it needs of a store; it holds data only, because functions that are generic in the model and the
//! store have no address to put there.

use crate::bookkeeping::ProgressObserver;
use crate::breadth_first::breadth_first;
use crate::breadth_first_on_set::breadth_first_on_set;
use crate::depth_first::depth_first;
use crate::depth_first_on_set::depth_first_on_set;
use crate::limits::Limits;
use crate::watch::{Outcome, Question};
use lariat_engine::SuccessorFunction;
use lariat_store::{Offer, StateStore, VisitedSet};

/// A search for violations in states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchKind {
    /// `dfs`: depth-first.
    #[default]
    DepthFirst,
    /// `bfs`: breadth-first.
    BreadthFirst,
    /// `dfs-set`: depth-first, on a mere set of visited states.
    DepthFirstOnSet,
    /// `bfs-set`: breadth-first, on a mere set of visited states.
    BreadthFirstOnSet,
}

/// A row of [`SEARCHES`].
#[derive(Clone, Copy, Debug)]
pub struct SearchDescription {
    /// The search.
    pub search: SearchKind,
    /// As options and reports name it.
    pub name: &'static str,
    /// What it does, in a few words.
    pub what: &'static str,
    /// What it asks of a store.
    pub needs: Offer,
    /// It knows the path to a violation.
    pub keeps_paths: bool,
    /// The violation that it finds first is one of the nearest.
    pub nearest_first: bool,
    /// It can go on from a checkpoint.
    pub resumes: bool,
}

/// All searches for violations in states.
pub const SEARCHES: &[SearchDescription] = &[
    SearchDescription {
        search: SearchKind::DepthFirst,
        name: "dfs",
        what: "depth-first search: little memory, in Spin's order",
        needs: Offer::Numbers,
        keeps_paths: true,
        nearest_first: false,
        resumes: true,
    },
    SearchDescription {
        search: SearchKind::BreadthFirst,
        name: "bfs",
        what: "breadth-first search: the violation found first is one of the nearest",
        needs: Offer::Numbers,
        keeps_paths: true,
        nearest_first: true,
        resumes: true,
    },
    SearchDescription {
        search: SearchKind::DepthFirstOnSet,
        name: "dfs-set",
        what: "depth-first search on a mere set of visited states: the stack is exact",
        needs: Offer::Visited,
        keeps_paths: true,
        nearest_first: false,
        resumes: false,
    },
    SearchDescription {
        search: SearchKind::BreadthFirstOnSet,
        name: "bfs-set",
        what: "breadth-first search on a mere set of visited states: no paths",
        needs: Offer::Visited,
        keeps_paths: false,
        nearest_first: true,
        resumes: false,
    },
];

impl SearchKind {
    /// The search with this name in [`SEARCHES`].
    pub fn by_name(name: &str) -> Option<SearchKind> {
        SEARCHES.iter().find(|row| row.name == name).map(|row| row.search)
    }

    /// Its row in [`SEARCHES`].
    pub fn description(self) -> &'static SearchDescription {
        SEARCHES.iter().find(|row| row.search == self).expect("every search is listed")
    }

    /// Searches the states of a model, in a store that is empty.
    pub fn run<M: SuccessorFunction, S: StateStore>(
        self,
        model: &M,
        store: &mut S,
        question: Question,
        limits: Limits,
        progress: ProgressObserver,
    ) -> Outcome {
        match self {
            SearchKind::DepthFirst => depth_first(model, store, question, limits, progress),
            SearchKind::BreadthFirst => breadth_first(model, store, question, limits, progress),
            SearchKind::DepthFirstOnSet => depth_first_on_set(model, store, question, limits, progress),
            SearchKind::BreadthFirstOnSet => breadth_first_on_set(model, store, question, limits, progress),
        }
    }

    /// The same with a store that has no numbers; `None` if the search needs them.
    pub fn run_on_set<M: SuccessorFunction, S: VisitedSet>(
        self,
        model: &M,
        visited: &mut S,
        question: Question,
        limits: Limits,
        progress: ProgressObserver,
    ) -> Option<Outcome> {
        match self {
            SearchKind::DepthFirst | SearchKind::BreadthFirst => None,
            SearchKind::DepthFirstOnSet => {
                Some(depth_first_on_set(model, visited, question, limits, progress))
            }
            SearchKind::BreadthFirstOnSet => {
                Some(breadth_first_on_set(model, visited, question, limits, progress))
            }
        }
    }
}
