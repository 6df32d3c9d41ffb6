//! Automata that need no file: those of the papers' figures and of the slides, drawn up anew.
//!
//! Where a figure says only *large subgraph*, there is a small one. The slides show their automaton as
//! pictures of a search; ours has the same moments: the search goes back from a state that does not accept, a
//! red search that finds nothing, a later one that leaves red states alone. Arcs are in the order of their
//! targets, which is the order in which checks explore them.

use lariat_ltl::{Automaton, Bdd, Edge, Marks, Placement};

/// An automaton with acceptance on states.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// As it is asked for.
    pub name: &'static str,
    /// What it shows, and where it comes from.
    pub title: &'static str,
    /// How many acceptance sets there are.
    pub sets: u32,
    /// Pairs of a state and a set that it is in.
    pub accepting: &'static [(u32, u32)],
    /// The states that the arcs of each state lead to. Runs begin in the first state.
    pub arcs: &'static [&'static [u32]],
}

/// All examples.
pub const EXAMPLES: &[Example] = &[
    Example {
        name: "slides",
        title: "a red search that finds nothing, and one that does (Schwoon 2025, slides)",
        sets: 1,
        accepting: &[(3, 0), (6, 0)],
        arcs: &[&[1, 5], &[2, 3], &[2], &[4], &[4], &[6], &[4, 5]],
    },
    Example {
        name: "slides-components",
        title: "two trivial components, then two that are not (Schwoon 2025, slides)",
        sets: 1,
        accepting: &[(6, 0)],
        arcs: &[&[1], &[2, 4], &[3], &[2, 5], &[5], &[6], &[4]],
    },
    Example {
        name: "stop-at-path",
        title: "why the red search may stop at the blue path (Schwoon and Esparza 2005, Fig. 2 a)",
        sets: 1,
        accepting: &[(1, 0)],
        arcs: &[&[1], &[0]],
    },
    Example {
        name: "early-detection",
        title: "a cycle that the blue search can report (Schwoon and Esparza 2005, Fig. 2 b)",
        sets: 1,
        accepting: &[(0, 0)],
        arcs: &[&[1], &[0]],
    },
    Example {
        name: "nested-wins",
        title: "nested searches stop before a large part, Tarjan does not (Schwoon and Esparza 2005, Fig. 4)",
        sets: 1,
        accepting: &[(1, 0)],
        arcs: &[&[1, 2], &[0], &[3, 4], &[5, 6], &[6, 7], &[8], &[8, 9], &[9], &[], &[]],
    },
    Example {
        name: "components-win",
        title: "components stop before a large part, nested searches do not (Schwoon and Esparza 2005, Fig. 6)",
        sets: 1,
        accepting: &[(1, 0)],
        arcs: &[&[1], &[2, 4], &[3], &[0], &[5, 6], &[7], &[7, 8], &[9], &[6, 9], &[]],
    },
    Example {
        name: "active-graph",
        title: "components in a row along the path (Gaiser and Schwoon 2009, with proofs, Fig. 3)",
        sets: 1,
        accepting: &[(0, 0), (8, 0)],
        arcs: &[&[1], &[2], &[1, 3], &[4], &[5, 6], &[3], &[4, 7], &[8], &[9], &[7, 9]],
    },
    Example {
        name: "all-red",
        title: "accepting states on no cycle: `and` needs no red search (Gaiser and Schwoon 2009, §3)",
        sets: 1,
        accepting: &[(1, 0), (2, 0), (4, 0)],
        arcs: &[&[1, 2], &[3], &[3, 4], &[], &[3], &[]],
    },
    Example {
        name: "three-sets",
        title: "each of three states in a set of its own (Tauriainen 2003, Fig. 1 a)",
        sets: 3,
        accepting: &[(1, 0), (2, 1), (3, 2)],
        arcs: &[&[1, 2, 3], &[4], &[4], &[4], &[5], &[0]],
    },
    Example {
        name: "two-sets-apart",
        title: "two sets that no cycle meets both (Schwoon and Esparza 2005, §5.2)",
        sets: 2,
        accepting: &[(1, 0), (3, 1)],
        arcs: &[&[1, 3], &[2], &[1, 3], &[4], &[3]],
    },
    Example {
        name: "weak",
        title: "every component accepts, or none of its states does (Gaiser and Schwoon 2009, §3)",
        sets: 1,
        accepting: &[(3, 0), (4, 0)],
        arcs: &[&[1, 3], &[2], &[1, 5], &[4], &[3, 5], &[5]],
    },
    Example {
        name: "terminal",
        title: "an accepting state decides (Schwoon and Esparza 2005, §5.1)",
        sets: 1,
        accepting: &[(5, 0)],
        arcs: &[&[1, 2], &[3], &[1, 4], &[1], &[2, 5], &[5]],
    },
];

impl Example {
    /// The example with this name.
    pub fn by_name(name: &str) -> Option<&'static Example> {
        EXAMPLES.iter().find(|example| example.name == name)
    }

    /// As an automaton without propositions.
    pub fn automaton(&self) -> Automaton {
        let marks = |state: u32| -> Marks {
            self.accepting.iter().filter(|(one, _)| *one == state).map(|&(_, set)| set).collect()
        };
        let edge = |from: usize, to: u32| Edge { label: Bdd::TRUE, marks: marks(from as u32), to };
        let edges = self.arcs.iter().enumerate();
        Automaton {
            name: Some(self.title.to_string()),
            propositions: Vec::new(),
            sets: self.sets,
            placement: Placement::States,
            initial: vec![0],
            edges: edges.map(|(from, to)| to.iter().map(|&to| edge(from, to)).collect()).collect(),
        }
    }
}
