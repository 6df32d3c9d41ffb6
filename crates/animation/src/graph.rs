//! The graph that is drawn: what the recorded searches have seen of a product.
//!
//! A state is drawn if it is among the first [`MOST_DRAWN`] that the searches came upon, of several searches
//! those of the first before those of the second; an arc, if both its ends are, and if some search has
//! computed it. All arcs from one state to another are drawn as one. What is left out is counted.
//!
//! Where all arcs that leave a state carry the same marks, as checks for one set need it, the marks are shown
//! at the state: a double circle, or the numbers of the sets. Otherwise they stand at the arcs.

use crate::layout::{Point, lay_out};
use crate::recording::Recording;
use lariat_ltl::Marks;
use lariat_search::Event;
use lariat_search::emptiness::{MarkSet, Product};
use lariat_store::StateId;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// More states are not drawn.
pub const MOST_DRAWN: usize = 300;

/// What people are told about a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// A few characters, in its circle.
    pub name: String,
    /// All that is known of it, line by line; may be empty.
    pub text: String,
}

/// A state that is drawn.
#[derive(Clone, Debug)]
pub struct DrawnState {
    /// Its number in the product.
    pub id: StateId,
    /// What people are told about it.
    pub about: About,
    /// A run may begin here.
    pub initial: bool,
    /// The acceptance sets of all arcs that leave it, where marks are shown at states.
    pub marks: Marks,
    /// It meets every set: a double circle.
    pub accepting: bool,
    /// Where it is drawn.
    pub at: Point,
}

/// One or more arcs from a state to another.
#[derive(Clone, Debug)]
pub struct DrawnArc {
    /// The place of the state that it leaves.
    pub from: usize,
    /// The place of the state that it leads to.
    pub to: usize,
    /// The marks of each of the arcs, where marks are shown at arcs.
    pub marks: Vec<Marks>,
    /// The line, as SVG writes it.
    pub line: String,
    /// Where its text stands.
    pub text_at: Point,
}

/// The part of a product that was seen.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The states that are drawn.
    pub states: Vec<DrawnState>,
    /// The arcs between them.
    pub arcs: Vec<DrawnArc>,
    /// How many acceptance sets there are.
    pub sets: u32,
    /// Marks are shown at states.
    pub marked_states: bool,
    /// States that were seen and are not drawn.
    pub not_drawn: u64,
    /// Width and height.
    pub size: Point,
    initial: Vec<StateId>,
    /// All that accept, with one set or more on states, drawn or not.
    accepting: HashSet<StateId>,
    names: HashMap<StateId, String>,
    places: HashMap<StateId, usize>,
    arc_places: HashMap<(usize, usize), usize>,
}

impl Graph {
    /// What the recordings, all of this product, have seen of it. The states are asked about in the order in
    /// which they were seen.
    pub fn of<P: Product>(
        product: &mut P,
        recordings: &[&Recording],
        mut about: impl FnMut(&P, StateId) -> About,
    ) -> Graph {
        let mut initial = Vec::new();
        product.initial_states(&mut initial);
        // In the order in which they were seen; arcs of states that a search has expanded.
        let mut seen: Vec<StateId> = Vec::new();
        let mut known: BTreeSet<StateId> = BTreeSet::new();
        let mut leaving: BTreeMap<StateId, Vec<(StateId, Marks)>> = BTreeMap::new();
        let mut see = |state: StateId| {
            if known.insert(state) {
                seen.push(state);
            }
        };
        initial.iter().copied().for_each(&mut see);
        for event in recordings.iter().flat_map(|recording| &recording.events) {
            if let Event::Expanded { state, .. } = *event {
                see(state);
                let arcs = leaving.entry(state).or_insert_with(|| {
                    let mut arcs = Vec::new();
                    product.post(state, &mut arcs);
                    arcs.iter().map(|arc| (arc.to, Marks(arc.marks.word(0)))).collect()
                });
                arcs.iter().for_each(|&(to, _)| see(to));
            }
        }
        let not_drawn = seen.len().saturating_sub(MOST_DRAWN) as u64;
        let names = seen.iter().map(|&id| (id, about(product, id))).collect::<Vec<_>>();
        let sets = product.sets();
        let all = Marks::all(sets);
        let has_marks = sets > 0 || !product.pairs().is_empty();
        let marked_states = leaving.values().all(|arcs| arcs.windows(2).all(|two| two[0].1 == two[1].1));
        let accepts = |id: &&StateId| {
            let by_arcs =
                || leaving.get(id).and_then(|arcs| arcs.first()).is_some_and(|arc| arc.1 & all == all);
            marked_states && sets > 0 && (sets == 1 && product.is_accepting(**id) || by_arcs())
        };
        let accepting: HashSet<StateId> = seen.iter().filter(accepts).copied().collect();
        seen.truncate(MOST_DRAWN);
        let places: HashMap<StateId, usize> = seen.iter().enumerate().map(|(k, &id)| (id, k)).collect();
        let mut arcs: Vec<DrawnArc> = Vec::new();
        let mut arc_places: HashMap<(usize, usize), usize> = HashMap::new();
        for (from, &id) in seen.iter().enumerate() {
            for &(to, marks) in leaving.get(&id).into_iter().flatten() {
                let Some(&to) = places.get(&to) else { continue };
                let place = *arc_places.entry((from, to)).or_insert_with(|| {
                    let (line, text_at) = (String::new(), Point::default());
                    arcs.push(DrawnArc { from, to, marks: Vec::new(), line, text_at });
                    arcs.len() - 1
                });
                let shown = &mut arcs[place].marks;
                if !marked_states && has_marks && !shown.contains(&marks) {
                    shown.push(marks);
                }
            }
        }
        let states: Vec<DrawnState> = seen
            .iter()
            .zip(&names)
            .map(|(&id, (_, about))| {
                let first = leaving.get(&id).and_then(|arcs| arcs.first());
                let marks = first.filter(|_| marked_states).map_or(Marks::NONE, |&(_, marks)| marks);
                let (accepting, initial) = (accepting.contains(&id), initial.contains(&id));
                DrawnState { id, about: about.clone(), initial, marks, accepting, at: Point::default() }
            })
            .collect();
        let names = names.into_iter().map(|(id, about)| (id, about.name)).collect();
        let size = Point::default();
        let mut graph = Graph {
            states,
            arcs,
            sets,
            marked_states,
            not_drawn,
            size,
            initial,
            accepting,
            names,
            places,
            arc_places,
        };
        lay_out(&mut graph);
        graph
    }

    /// The place of a state among those that are drawn.
    pub fn place(&self, state: StateId) -> Option<usize> {
        self.places.get(&state).copied()
    }

    /// The place of the arc between two places, if it is drawn.
    pub fn arc_place(&self, from: usize, to: usize) -> Option<usize> {
        self.arc_places.get(&(from, to)).copied()
    }

    /// What people call a state.
    pub fn name(&self, state: StateId) -> String {
        self.names.get(&state).cloned().unwrap_or_else(|| state.0.to_string())
    }

    /// The states in which runs begin.
    pub fn initial(&self) -> &[StateId] {
        &self.initial
    }

    /// Whether a state accepts; with no set at all, every state does.
    pub fn is_accepting(&self, state: StateId) -> bool {
        self.sets == 0 || self.accepting.contains(&state)
    }
}

/// A set of acceptance sets, as people read it.
pub fn shown_marks(marks: Marks) -> String {
    let numbers: Vec<String> = marks.iter().map(|set| set.to_string()).collect();
    format!("{{{}}}", numbers.join(","))
}
