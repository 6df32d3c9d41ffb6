//! The events of a check, replayed: what is on its stacks, and what it has noted about each state.
//!
//! A [`Scene`] knows only what the check has told so far. A state is *known* once it is initial or an arc
//! that was computed leads to it. What it looks like follows from the notes of its check ([`Fill`]): the
//! colours of the nested searches; current and complete for those by components; visited, or waiting, for
//! the others. A ring shows that it is on the path.

use crate::graph::{Graph, shown_marks};
use lariat_ltl::Marks;
use lariat_search::emptiness::{Check, Colour, Lasso};
use lariat_search::{Event, WaitingLine};
use lariat_store::StateId;
use std::collections::{HashMap, HashSet};

/// What a check has made of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub enum Fill {
    /// Nothing yet.
    #[default]
    White,
    /// On the path of the outer search, by its colour.
    Cyan,
    /// Seen by the outer search.
    Blue,
    /// Seen by the nested search, or useless to it.
    Red,
    /// On no accepting cycle.
    Black,
    /// Its component is not complete.
    Current,
    /// Its component is complete.
    Complete,
    /// It has been reached, and waits.
    Waiting,
    /// It has been visited.
    Visited,
}

impl Fill {
    /// One word for it.
    pub fn name(self) -> &'static str {
        match self {
            Fill::White => "white",
            Fill::Cyan => "cyan",
            Fill::Blue => "blue",
            Fill::Red => "red",
            Fill::Black => "black",
            Fill::Current => "current",
            Fill::Complete => "complete",
            Fill::Waiting => "waiting",
            Fill::Visited => "visited",
        }
    }
}

/// What a state looks like.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Look {
    /// It is drawn at all.
    pub known: bool,
    /// How it is filled.
    pub fill: Fill,
    /// Number and lowlink, label, levels: what stands below it.
    pub note: String,
    /// It is on the path of the outer search.
    pub on_path: bool,
    /// It is on the path of the nested search.
    pub on_nested: bool,
    /// The search is here.
    pub here: bool,
    /// It is on the lasso that was found.
    pub on_lasso: bool,
}

/// What an arc looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ArcLook {
    /// It is drawn at all.
    pub known: bool,
    /// The search looks where it leads.
    pub now: bool,
    /// It is on the path of the outer search.
    pub on_path: bool,
    /// It is on the path of the nested search.
    pub on_nested: bool,
    /// It is on the lasso that was found.
    pub on_lasso: bool,
}

/// A stack, or another list of states, from the bottom to the top.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct List {
    /// What the paper calls it.
    pub title: &'static str,
    /// Its states, with what is noted beside.
    pub items: Vec<String>,
    /// So many items at the bottom are the same as before the step.
    pub unchanged: usize,
    role: Role,
}

/// What a list is to the check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Role {
    Path,
    Nested,
    Roots,
    Active,
    Queue,
    Stack,
}

impl List {
    fn new(title: &'static str, role: Role) -> List {
        List { title, items: Vec::new(), unchanged: 0, role }
    }

    fn truncate(&mut self, length: usize) {
        self.items.truncate(length);
        self.unchanged = self.unchanged.min(length);
    }

    fn remove(&mut self, place: usize) {
        self.items.remove(place);
        self.unchanged = self.unchanged.min(place);
    }

    /// The lists of a check.
    fn of(check: Check) -> Vec<List> {
        let list = List::new;
        match check {
            Check::NestedDfs
            | Check::NestedDfsLevels
            | Check::NestedDfsStack
            | Check::NestedDfsBlack
            | Check::NestedDfsColours
            | Check::NestedDfsAllRed => vec![list("blue path", Role::Path), list("red path", Role::Nested)],
            Check::NaiveLasso | Check::SimpleDfs | Check::LabelPropagation => vec![list("path", Role::Path)],
            Check::Reachability => vec![list("queue", Role::Queue), list("stack", Role::Stack)],
            Check::Tarjan | Check::TarjanGoal => {
                vec![list("path", Role::Path), list("Current", Role::Active)]
            }
            Check::RootsAndRemoval => vec![list("path", Role::Path), list("Roots", Role::Roots)],
            Check::RootsAndActive => {
                vec![list("path", Role::Path), list("Roots", Role::Roots), list("Active", Role::Active)]
            }
            Check::Streett => vec![
                list("path", Role::Path),
                list("Roots", Role::Roots),
                list("Active", Role::Active),
                list("refinement", Role::Nested),
            ],
        }
    }
}

/// What has been counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counters {
    /// States that were met.
    pub visited: u64,
    /// How often the arcs of a state were computed.
    pub post_calls: u64,
    /// The arcs that were computed, each time that they were.
    pub transitions: u64,
    /// Nested searches that have begun.
    pub nested_searches: u64,
    /// The most states that were on both paths together.
    pub depth: u64,
}

/// What a check has noted about a state.
#[derive(Clone, Debug, Default)]
pub struct Note {
    /// It was visited.
    pub met: bool,
    /// It waits to be looked at.
    pub waits: bool,
    /// The last colour that it was given.
    pub colour: Option<Colour>,
    /// It was given the colour blue, whatever came later.
    pub is_blue: bool,
    /// It was given the colour red, whatever came later.
    pub is_red: bool,
    /// In the order of first visits, from 1 on.
    pub number: Option<u32>,
    /// Its lowlink.
    pub lowlink: Option<u32>,
    /// Its component is not complete.
    pub is_current: bool,
    /// Its label, if it has grown.
    pub label: Option<Marks>,
    /// The levels on which it is blue.
    pub blue_levels: Vec<u32>,
    /// The levels on which it is red.
    pub red_levels: Vec<u32>,
}

/// A state on a path, with its level if there are levels.
pub type OnPath = (StateId, Option<u32>);

/// The moment between two events.
#[derive(Clone, Debug)]
pub struct Scene<'g> {
    graph: &'g Graph,
    check: Check,
    notes: HashMap<StateId, Note>,
    known: HashSet<StateId>,
    expanded: HashSet<StateId>,
    /// The path of the outer search.
    pub path: Vec<OnPath>,
    /// The path of the nested search.
    pub nested: Vec<OnPath>,
    /// Where the nested search that is going on began.
    pub seed: Option<StateId>,
    /// The stack of roots, each with the marks inside its component.
    pub roots: Vec<(StateId, Marks)>,
    /// The states whose component is not complete, by number.
    pub active: Vec<StateId>,
    /// States that wait for the breadth-first search.
    pub queue: Vec<StateId>,
    /// States that wait for the depth-first search.
    pub stack: Vec<StateId>,
    /// What has been counted.
    pub counters: Counters,
    lists: Vec<List>,
    /// How often a state, or an arc, is on the path of the outer search, and on that of the nested one.
    on_path: HashMap<StateId, [u32; 2]>,
    arcs_on_path: HashMap<(StateId, StateId), [u32; 2]>,
    level: Option<u32>,
    /// Where the last nested search began, if nothing has been visited since.
    searched: Option<StateId>,
    here: Option<StateId>,
    arc: Option<(StateId, StateId)>,
    lasso: HashSet<(StateId, StateId)>,
}

impl<'g> Scene<'g> {
    /// Before the first event.
    pub fn new(graph: &'g Graph, check: Check) -> Scene<'g> {
        Scene {
            graph,
            check,
            notes: HashMap::new(),
            known: HashSet::new(),
            expanded: HashSet::new(),
            path: Vec::new(),
            nested: Vec::new(),
            seed: None,
            roots: Vec::new(),
            active: Vec::new(),
            queue: Vec::new(),
            stack: Vec::new(),
            counters: Counters::default(),
            lists: List::of(check),
            on_path: HashMap::new(),
            arcs_on_path: HashMap::new(),
            level: None,
            searched: None,
            here: None,
            arc: None,
            lasso: HashSet::new(),
        }
    }

    /// The check.
    pub fn check(&self) -> Check {
        self.check
    }

    /// The graph that is drawn.
    pub fn graph(&self) -> &'g Graph {
        self.graph
    }

    /// What is noted about a state.
    pub fn note_of(&self, state: StateId) -> Note {
        self.notes.get(&state).cloned().unwrap_or_default()
    }

    /// The state from which a nested search has just found nothing.
    pub fn searched(&self) -> Option<StateId> {
        self.searched
    }

    /// Whether the state is on the path of the outer search.
    pub fn is_on_path(&self, state: StateId) -> bool {
        self.on_path.get(&state).is_some_and(|on| on[0] > 0)
    }

    /// A step begins: what the lists are now is what they were before.
    pub fn begin_step(&mut self) {
        self.lists.iter_mut().for_each(|list| list.unchanged = list.items.len());
    }

    fn list(&mut self, role: Role) -> Option<&mut List> {
        self.lists.iter_mut().find(|list| list.role == role)
    }

    fn push(&mut self, role: Role, item: String) {
        if let Some(list) = self.list(role) {
            list.items.push(item);
        }
    }

    /// A state comes onto the path of one of the searches.
    fn push_on_path(&mut self, state: StateId, touched: &mut Vec<StateId>) {
        let (which, role) = if self.seed.is_some() { (1, Role::Nested) } else { (0, Role::Path) };
        let name = match self.level {
            Some(level) => format!("({}, {level})", self.graph.name(state)),
            None => self.graph.name(state),
        };
        self.push(role, name);
        let path = if which == 1 { &mut self.nested } else { &mut self.path };
        if let Some(&(below, _)) = path.last() {
            touched.push(below);
            self.arcs_on_path.entry((below, state)).or_default()[which] += 1;
        }
        path.push((state, self.level));
        self.on_path.entry(state).or_default()[which] += 1;
        let depth = (self.path.len() + self.nested.len()) as u64;
        self.counters.depth = self.counters.depth.max(depth);
    }

    /// The top of the path of one of the searches is taken off.
    fn pop_off_path(&mut self, which: usize, touched: &mut Vec<StateId>) {
        let path = if which == 1 { &mut self.nested } else { &mut self.path };
        let Some((state, _)) = path.pop() else { return };
        let (length, below) = (path.len(), path.last().map(|&(below, _)| below));
        if let Some(on) = self.on_path.get_mut(&state) {
            on[which] -= 1;
        }
        if let Some(below) = below
            && let Some(on) = self.arcs_on_path.get_mut(&(below, state))
        {
            on[which] -= 1;
        }
        touched.extend(below);
        touched.push(state);
        if let Some(list) = self.list(if which == 1 { Role::Nested } else { Role::Path }) {
            list.truncate(length);
        }
    }

    /// Takes a state out of a list, where it is nearer to the top than to the bottom, mostly.
    fn take_out(&mut self, role: Role, state: StateId) {
        let states = match role {
            Role::Active => &mut self.active,
            Role::Queue => &mut self.queue,
            _ => &mut self.stack,
        };
        if let Some(place) = states.iter().rposition(|&one| one == state) {
            states.remove(place);
            if let Some(list) = self.list(role) {
                list.remove(place);
            }
        }
    }

    fn root_shown(&self, state: StateId, marks: Marks) -> String {
        match self.graph.sets {
            0 => self.graph.name(state),
            _ => format!("{} {}", self.graph.name(state), shown_marks(marks)),
        }
    }

    /// Something happens. States that may look otherwise afterwards are added to the list.
    pub fn apply(&mut self, event: Event, touched: &mut Vec<StateId>) {
        // The arc that was looked at leaves the state where the search was.
        touched.extend(self.here);
        self.arc = None;
        match event {
            Event::Begun => {
                self.known.extend(self.graph.initial());
                touched.extend(self.graph.initial());
            }
            Event::Met(state) => {
                self.counters.visited += 1;
                self.searched = None;
                let note = self.notes.entry(state).or_default();
                (note.met, note.waits) = (true, false);
                self.take_out(Role::Queue, state);
                self.take_out(Role::Stack, state);
                self.arrive(state, touched);
            }
            Event::Entered(state) => {
                self.push_on_path(state, touched);
                self.arrive(state, touched);
            }
            Event::Expanded { state, arcs } => {
                self.counters.post_calls += 1;
                self.counters.transitions += u64::from(arcs);
                if self.expanded.insert(state) {
                    let graph = self.graph;
                    let place = graph.place(state);
                    for arc in graph.arcs.iter().filter(|arc| Some(arc.from) == place) {
                        let to = graph.states[arc.to].id;
                        self.known.insert(to);
                        touched.push(to);
                    }
                }
                self.arrive(state, touched);
            }
            Event::Arc { from, to } => {
                self.arc = Some((from, to));
                self.arrive(from, touched);
                touched.push(to);
            }
            Event::Coloured { state, colour } => {
                let note = self.notes.entry(state).or_default();
                note.colour = Some(colour);
                note.is_blue |= colour == Colour::Blue;
                note.is_red |= colour == Colour::Red;
                touched.push(state);
            }
            Event::Levelled { state, level, colour } => {
                let note = self.notes.entry(state).or_default();
                match colour {
                    Colour::Red => note.red_levels.push(level),
                    _ => note.blue_levels.push(level),
                }
                self.level = Some(level);
                touched.push(state);
            }
            Event::Left(state) => {
                touched.push(state);
                self.pop_off_path(usize::from(self.seed.is_some()), touched);
                let top = self.nested.last().or(self.path.last());
                self.here = top.map(|&(top, _)| top);
                touched.extend(self.here);
            }
            Event::Nested(state) => {
                self.counters.nested_searches += 1;
                self.seed = Some(state);
                self.arrive(state, touched);
            }
            Event::NestedOver => {
                while !self.nested.is_empty() {
                    self.pop_off_path(1, touched);
                }
                self.searched = self.seed.take();
                self.here = self.path.last().map(|&(top, _)| top);
                touched.extend(self.here);
            }
            Event::Numbered { state, number } => {
                let note = self.notes.entry(state).or_default();
                (note.number, note.is_current) = (Some(number), true);
                self.active.push(state);
                let name = self.graph.name(state);
                self.push(Role::Active, name);
                touched.push(state);
            }
            Event::Lowlink { state, lowlink } => {
                self.notes.entry(state).or_default().lowlink = Some(lowlink);
                touched.push(state);
            }
            Event::Root(state) => {
                self.roots.push((state, Marks::NONE));
                let shown = self.root_shown(state, Marks::NONE);
                self.push(Role::Roots, shown);
            }
            Event::Merged { root, marks } => {
                if let Some(place) = self.roots.iter().rposition(|&(one, _)| one == root) {
                    self.roots.truncate(place);
                    self.roots.push((root, marks));
                    let shown = self.root_shown(root, marks);
                    if let Some(list) = self.list(Role::Roots) {
                        list.truncate(place);
                        list.items.push(shown);
                    }
                }
            }
            Event::Removed(state) => {
                self.notes.entry(state).or_default().is_current = false;
                self.take_out(Role::Active, state);
                if let Some(place) = self.roots.iter().rposition(|&(root, _)| root == state) {
                    self.roots.remove(place);
                    if let Some(list) = self.list(Role::Roots) {
                        list.remove(place);
                    }
                }
                touched.push(state);
            }
            Event::Labelled { state, label } => {
                self.notes.entry(state).or_default().label = Some(label);
                touched.push(state);
            }
            Event::Waits { state, line } => {
                self.notes.entry(state).or_default().waits = true;
                let (states, role) = match line {
                    WaitingLine::Queue => (&mut self.queue, Role::Queue),
                    WaitingLine::Stack => (&mut self.stack, Role::Stack),
                };
                states.push(state);
                let name = self.graph.name(state);
                self.push(role, name);
                touched.push(state);
            }
        }
    }

    /// An accepting run has been found.
    pub fn find(&mut self, lasso: &Lasso, touched: &mut Vec<StateId>) {
        let states: Vec<StateId> = lasso.prefix.iter().chain(&lasso.cycle).map(|step| step.state).collect();
        let back = lasso.cycle.first().map(|step| step.state);
        self.lasso.extend(states.iter().copied().zip(states.iter().copied().skip(1).chain(back)));
        touched.extend(states);
    }

    fn arrive(&mut self, state: StateId, touched: &mut Vec<StateId>) {
        self.known.insert(state);
        self.here = Some(state);
        touched.push(state);
    }

    /// What a state looks like now.
    pub fn look(&self, state: StateId) -> Look {
        Look {
            known: self.known.contains(&state),
            fill: self.fill(state),
            note: self.note_text(state),
            on_path: self.is_on_path(state),
            on_nested: self.on_path.get(&state).is_some_and(|on| on[1] > 0),
            here: self.here == Some(state),
            on_lasso: self.lasso.iter().any(|&(from, _)| from == state),
        }
    }

    /// What the check has made of a state.
    pub fn fill(&self, state: StateId) -> Fill {
        let Some(note) = self.notes.get(&state) else { return Fill::White };
        match self.check {
            Check::NestedDfs | Check::NestedDfsStack if note.is_red => Fill::Red,
            Check::NestedDfs | Check::NestedDfsStack if note.is_blue => Fill::Blue,
            Check::NestedDfsLevels if !note.red_levels.is_empty() => Fill::Red,
            Check::NestedDfsLevels if !note.blue_levels.is_empty() => Fill::Blue,
            Check::Tarjan
            | Check::TarjanGoal
            | Check::RootsAndRemoval
            | Check::RootsAndActive
            | Check::Streett => match (note.number, note.is_current) {
                (None, _) => Fill::White,
                (Some(_), true) => Fill::Current,
                (Some(_), false) => Fill::Complete,
            },
            Check::NaiveLasso | Check::LabelPropagation | Check::Reachability => match (note.met, note.waits)
            {
                (true, _) => Fill::Visited,
                (false, true) => Fill::Waiting,
                (false, false) => Fill::White,
            },
            _ => match note.colour {
                None | Some(Colour::White) => Fill::White,
                Some(Colour::Cyan) => Fill::Cyan,
                Some(Colour::Blue) => Fill::Blue,
                Some(Colour::Red) => Fill::Red,
                Some(Colour::Black) => Fill::Black,
            },
        }
    }

    fn note_text(&self, state: StateId) -> String {
        let Some(note) = self.notes.get(&state) else { return String::new() };
        let levels = |name: &str, levels: &[u32]| match levels {
            [] => String::new(),
            levels => {
                let mut sorted = levels.to_vec();
                sorted.sort_unstable();
                let shown: Vec<String> = sorted.iter().map(u32::to_string).collect();
                format!("{name}{}", shown.join(","))
            }
        };
        match (note.number, note.lowlink, note.label) {
            (Some(number), Some(lowlink), _) => format!("{number}/{lowlink}"),
            (Some(number), None, _) => number.to_string(),
            (None, _, Some(label)) => shown_marks(label),
            _ => {
                let both = [levels("b", &note.blue_levels), levels("r", &note.red_levels)];
                both.join(" ").trim().to_string()
            }
        }
    }

    /// What a drawn arc looks like now.
    pub fn arc_look(&self, place: usize) -> ArcLook {
        let arc = &self.graph.arcs[place];
        let ends = (self.graph.states[arc.from].id, self.graph.states[arc.to].id);
        let on = self.arcs_on_path.get(&ends).copied().unwrap_or_default();
        ArcLook {
            known: self.expanded.contains(&ends.0),
            now: self.arc == Some(ends),
            on_path: on[0] > 0,
            on_nested: on[1] > 0,
            on_lasso: self.lasso.contains(&ends),
        }
    }

    /// The stacks of the check, and what else it keeps in lists.
    pub fn lists(&self) -> &[List] {
        &self.lists
    }
}
