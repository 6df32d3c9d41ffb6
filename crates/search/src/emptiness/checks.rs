//! The list of the checks, and the way from a name to a check.
//!
//! [`ALGORITHMS`] says of each what it needs and what it costs; [`Check::run`] runs it on any product. The
//! table holds data only, because functions that are generic in the product have no address to put there.

use super::label_propagation::label_propagation;
use super::naive_lasso::naive_lasso;
use super::nested_dfs::nested_dfs;
use super::nested_dfs_all_red::nested_dfs_all_red;
use super::nested_dfs_black::nested_dfs_black;
use super::nested_dfs_colours::nested_dfs_colours;
use super::nested_dfs_levels::nested_dfs_levels;
use super::nested_dfs_stack::nested_dfs_stack;
use super::on_set::{Passing, on_set};
use super::reachability::reachability;
use super::roots_and_active::roots_and_active;
use super::roots_and_removal::roots_and_removal;
use super::simple_dfs::simple_dfs;
use super::streett::streett;
use super::tarjan::tarjan;
use super::tarjan_goal::tarjan_goal;
use super::{Lasso, Product, Search, Stopped};
use crate::events::Listener;
use lariat_store::{Offer, VisitedSet};

/// An emptiness check. [`Check::description`] says what it needs and costs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Check {
    /// `lasso`: a search of its own from every candidate.
    NaiveLasso,
    /// `cvwy`: nested depth-first search.
    NestedDfs,
    /// `cvwy-gen`: the same for any number of sets.
    NestedDfsLevels,
    /// `hpy`: nested search that stops at the outer path.
    NestedDfsStack,
    /// `gmz`: nested search with black states.
    NestedDfsBlack,
    /// `se`: nested search with four colours.
    NestedDfsColours,
    /// `and`: nested search that passes red on.
    NestedDfsAllRed,
    /// `sd`: one depth-first search, for weak products.
    SimpleDfs,
    /// `reach`: reachability, for terminal products.
    Reachability,
    /// `tarjan`: components, judged when complete.
    Tarjan,
    /// `gv`: Tarjan's algorithm with a goal.
    TarjanGoal,
    /// `c99`: a stack of roots, and a second search to remove a component.
    RootsAndRemoval,
    /// `ascc`: a stack of roots and one of active states.
    RootsAndActive,
    /// `tau`: nested search that carries labels forward.
    LabelPropagation,
    /// `streett`: components that are refined until they are fair.
    Streett,
}

/// What a product must be like for a check. Each of the last three includes the one before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Needs {
    /// Nothing: any number of sets, on arcs.
    AnySets,
    /// One set (or none), on states.
    OneSet,
    /// On every cycle all states accept or none does.
    Weak,
    /// No arc leads from an accepting state to one that does not accept, and no run ends in one.
    Terminal,
}

impl Needs {
    /// As JSON names it.
    pub fn name(self) -> &'static str {
        match self {
            Needs::AnySets => "any-sets",
            Needs::OneSet => "one-set",
            Needs::Weak => "weak",
            Needs::Terminal => "terminal",
        }
    }
}

/// An amount that depends on the number of acceptance sets. No set counts as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PerState {
    /// Without regard to the sets.
    pub fixed: u32,
    /// For each set.
    pub per_set: u32,
}

impl PerState {
    /// The amount for so many sets.
    pub fn at(self, sets: u32) -> u32 {
        self.fixed + self.per_set * sets.max(1)
    }
}

/// A line of [`ALGORITHMS`].
#[derive(Clone, Copy, Debug)]
pub struct CheckDescription {
    /// The check.
    pub check: Check,
    /// As options and reports name it.
    pub name: &'static str,
    /// What it does, in a few words.
    pub title: &'static str,
    /// Who invented it, and where.
    pub paper: &'static str,
    /// What a product must be like for it.
    pub needs: Needs,
    /// What it asks of the store of the product: numbers, or only whether a state was visited, on which it
    /// then runs as [`Check::run_on_set`].
    pub store: Offer,
    /// The most calls of `post` for a state; `None` if there is no bound.
    pub posts: Option<PerState>,
    /// Bits that the check notes per state, beside numbers.
    pub bits: PerState,
    /// Numbers of 32 bits that it notes per state.
    pub numbers: u32,
    /// It can be left and go on from a checkpoint.
    pub resumes: bool,
}

const fn fixed(fixed: u32) -> PerState {
    PerState { fixed, per_set: 0 }
}

/// All checks.
pub const ALGORITHMS: &[CheckDescription] = &[
    CheckDescription {
        check: Check::NaiveLasso,
        name: "lasso",
        title: "from every state, which marks lie on a way back to it; quadratic",
        paper: "Schwoon 2025 (slides)",
        needs: Needs::AnySets,
        store: Offer::Numbers,
        posts: None,
        bits: fixed(1),
        numbers: 0,
        resumes: false,
    },
    CheckDescription {
        check: Check::NestedDfs,
        name: "cvwy",
        title: "nested depth-first search, blue and red, with a seed",
        paper: "Courcoubetis, Vardi, Wolper and Yannakakis 1992; Schwoon and Esparza 2005, Fig. 1",
        needs: Needs::OneSet,
        store: Offer::Visited,
        posts: Some(fixed(2)),
        bits: fixed(2),
        numbers: 0,
        resumes: true,
    },
    CheckDescription {
        check: Check::NestedDfsLevels,
        name: "cvwy-gen",
        title: "nested depth-first search over pairs of a state and a level",
        paper: "Courcoubetis, Vardi, Wolper and Yannakakis 1992; Schwoon and Esparza 2005, §5.2",
        needs: Needs::AnySets,
        store: Offer::Numbers,
        posts: Some(PerState { fixed: 0, per_set: 2 }),
        bits: PerState { fixed: 0, per_set: 2 },
        numbers: 0,
        resumes: true,
    },
    CheckDescription {
        check: Check::NestedDfsStack,
        name: "hpy",
        title: "nested depth-first search that stops at the outer path; Spin's",
        paper: "Holzmann, Peled and Yannakakis 1996; Schwoon and Esparza 2005, §3.1",
        needs: Needs::OneSet,
        store: Offer::Visited,
        posts: Some(fixed(2)),
        bits: fixed(3),
        numbers: 0,
        resumes: true,
    },
    CheckDescription {
        check: Check::NestedDfsBlack,
        name: "gmz",
        title: "nested depth-first search with early detection and black states",
        paper: "Gastin, Moro and Zeitoun 2004; Schwoon and Esparza 2005, §3.1",
        needs: Needs::OneSet,
        store: Offer::Numbers,
        posts: Some(fixed(3)),
        bits: fixed(3),
        numbers: 0,
        resumes: true,
    },
    CheckDescription {
        check: Check::NestedDfsColours,
        name: "se",
        title: "nested depth-first search with four colours and early detection",
        paper: "Schwoon and Esparza 2005, Fig. 3",
        needs: Needs::OneSet,
        store: Offer::Visited,
        posts: Some(fixed(2)),
        bits: fixed(2),
        numbers: 0,
        resumes: true,
    },
    CheckDescription {
        check: Check::NestedDfsAllRed,
        name: "and",
        title: "the same, where a state with red successors only becomes red",
        paper: "Gaiser and Schwoon 2009, Fig. 1",
        needs: Needs::OneSet,
        store: Offer::Visited,
        posts: Some(fixed(2)),
        bits: fixed(2),
        numbers: 0,
        resumes: true,
    },
    CheckDescription {
        check: Check::SimpleDfs,
        name: "sd",
        title: "simple depth-first search, for weak products",
        paper: "Gaiser and Schwoon 2009, §3; Schwoon and Esparza 2005, §5.1",
        needs: Needs::Weak,
        store: Offer::Visited,
        posts: Some(fixed(1)),
        bits: fixed(2),
        numbers: 0,
        resumes: true,
    },
    CheckDescription {
        check: Check::Reachability,
        name: "reach",
        title: "reachability of an accepting state, for terminal products",
        paper: "Schwoon and Esparza 2005, §5.1",
        needs: Needs::Terminal,
        store: Offer::Numbers,
        posts: Some(fixed(1)),
        bits: fixed(1),
        numbers: 5,
        resumes: true,
    },
    CheckDescription {
        check: Check::Tarjan,
        name: "tarjan",
        title: "strongly connected components, judged when complete",
        paper: "Tarjan 1972; Schwoon and Esparza 2005, §4",
        needs: Needs::AnySets,
        store: Offer::Numbers,
        posts: Some(fixed(1)),
        bits: fixed(1),
        numbers: 2,
        resumes: true,
    },
    CheckDescription {
        check: Check::TarjanGoal,
        name: "gv",
        title: "Tarjan's algorithm with a goal; explores least",
        paper: "Geldenhuys and Valmari 2004; Schwoon and Esparza 2005, Fig. 7",
        needs: Needs::OneSet,
        store: Offer::Numbers,
        posts: Some(fixed(1)),
        bits: fixed(1),
        numbers: 2,
        resumes: true,
    },
    CheckDescription {
        check: Check::RootsAndRemoval,
        name: "c99",
        title: "a stack of roots, and a second search to remove a component",
        paper: "Couvreur 1999; Schwoon and Esparza 2005, Fig. 5",
        needs: Needs::AnySets,
        store: Offer::Numbers,
        posts: Some(fixed(2)),
        bits: fixed(1),
        numbers: 1,
        resumes: true,
    },
    CheckDescription {
        check: Check::RootsAndActive,
        name: "ascc",
        title: "a stack of roots and one of active states; explores least",
        paper: "Gaiser and Schwoon 2009, Fig. 2",
        needs: Needs::AnySets,
        store: Offer::Numbers,
        posts: Some(fixed(1)),
        bits: fixed(1),
        numbers: 1,
        resumes: true,
    },
    CheckDescription {
        check: Check::LabelPropagation,
        name: "tau",
        title: "nested search that carries labels forward",
        paper: "Tauriainen 2003, Fig. 2",
        needs: Needs::AnySets,
        store: Offer::Numbers,
        posts: Some(PerState { fixed: 2, per_set: 1 }),
        bits: PerState { fixed: 1, per_set: 1 },
        numbers: 0,
        resumes: false,
    },
    CheckDescription {
        check: Check::Streett,
        name: "streett",
        title: "components, refined until they are fair; strong fairness",
        paper: "Emerson and Lei 1987; components as in Gaiser and Schwoon 2009, Fig. 2",
        needs: Needs::AnySets,
        store: Offer::Numbers,
        posts: None,
        bits: fixed(1),
        numbers: 3,
        resumes: true,
    },
];

impl Check {
    /// The check with this name in [`ALGORITHMS`].
    pub fn by_name(name: &str) -> Option<Check> {
        ALGORITHMS.iter().find(|description| description.name == name).map(|description| description.check)
    }

    /// Its line in [`ALGORITHMS`].
    pub fn description(self) -> &'static CheckDescription {
        let listed = ALGORITHMS.iter().find(|description| description.check == self);
        listed.expect("every check is listed")
    }

    /// Looks for an accepting lasso. `None` means that there is none, provided that the product is what the
    /// check needs.
    pub fn run<P: Product, L: Listener>(self, search: &mut Search<P, L>) -> Result<Option<Lasso>, Stopped> {
        debug_assert!(self.description().needs == Needs::AnySets || search.sets() <= 1);
        debug_assert!(self == Check::Streett || search.product().pairs().is_empty());
        let found = match self {
            Check::NaiveLasso => naive_lasso(search),
            Check::NestedDfs => nested_dfs(search),
            Check::NestedDfsLevels => nested_dfs_levels(search),
            Check::NestedDfsStack => nested_dfs_stack(search),
            Check::NestedDfsBlack => nested_dfs_black(search),
            Check::NestedDfsColours => nested_dfs_colours(search),
            Check::NestedDfsAllRed => nested_dfs_all_red(search),
            Check::SimpleDfs => simple_dfs(search),
            Check::Reachability => reachability(search),
            Check::Tarjan => tarjan(search),
            Check::TarjanGoal => tarjan_goal(search),
            Check::RootsAndRemoval => roots_and_removal(search),
            Check::RootsAndActive => roots_and_active(search),
            Check::LabelPropagation => label_propagation(search),
            Check::Streett => streett(search),
        }?;
        if found.is_none() {
            search.exhausted()?;
        }
        Ok(found)
    }

    /// The same where visited states are kept in a mere set, which may be lossy: what is found is an
    /// accepting lasso, but that there is none means little. The outer `None` means that the check needs
    /// numbers.
    pub fn run_on_set<P: Passing, V: VisitedSet, L: Listener>(
        self,
        search: &mut Search<P, L>,
        visited: &mut V,
    ) -> Option<Result<Option<Lasso>, Stopped>> {
        debug_assert!(search.sets() <= 1 && search.product().pairs().is_empty());
        (self.description().store == Offer::Visited).then(|| on_set(self, search, visited))
    }
}
