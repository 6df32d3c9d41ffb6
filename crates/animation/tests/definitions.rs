//! What is shown at the end of a search is what the definition of its algorithm says, and what it counts.
//!
//! The judges know nothing of events. For the nested searches with colours they are the recursive procedures
//! of the papers, written down once more; where no run accepts, also the plain meaning: red is what accepting
//! states reach. For checks by components, the components by brute force. For labels and levels, their
//! definition over all ways through the graph.

use crate::graphs::{Random, Small};
use lariat_animation::{Answer, Fill, Kind, Recording, Scene, Step};
use lariat_ltl::Marks;
use lariat_search::Event;
use lariat_search::emptiness::{Check, Colour};
use lariat_store::StateId;
use std::collections::{BTreeMap, BTreeSet};

const ROUNDS: usize = 3000;

fn is_last(recording: &Recording, step: &Step) -> bool {
    step.events.start == recording.events.len()
}

fn fills(graph: &Small, scene: &Scene) -> Vec<Fill> {
    (0..graph.len()).map(|state| scene.fill(StateId(state as u32))).collect()
}

#[test]
fn what_is_shown_in_the_end_is_what_the_definition_says() {
    let mut random = Random(21);
    let mut judged: BTreeMap<(&str, bool), u32> = BTreeMap::new();
    for _ in 0..ROUNDS {
        let graph = Small::random(&mut random);
        let accepts = graph.has_accepting_run();
        graph.watch(|recording, number, step, scene| {
            let name = recording.check.description().name;
            let at = format!("{name}, step {number}: {graph:?}");
            always(&graph, recording, scene, &at);
            if !is_last(recording, step) {
                return;
            }
            assert_eq!(matches!(recording.answer, Answer::NotEmpty(_)), accepts, "{at}");
            assert_eq!(step.kind, if accepts { Kind::Found } else { Kind::Over }, "{at}");
            let (counted, counts) = (scene.counters, recording.counts);
            assert_eq!(
                (counted.visited, counted.post_calls, counted.transitions),
                (counts.visited, counts.post_calls, counts.transitions),
                "{at}"
            );
            at_the_end(&graph, recording, scene, accepts, &at);
            *judged.entry((name, accepts)).or_default() += 1;
        });
    }
    assert_eq!(judged.len(), 30, "every check, with and without a run: {judged:?}");
    assert!(judged.values().all(|&count| count >= 20), "{judged:?}");
}

/// What holds between any two steps.
fn always(graph: &Small, recording: &Recording, scene: &Scene, at: &str) {
    for state in (0..graph.len()).map(|state| StateId(state as u32)) {
        let on_path = scene.is_on_path(state);
        match recording.check {
            Check::NestedDfsColours | Check::NestedDfsAllRed | Check::NestedDfsBlack | Check::SimpleDfs => {
                assert_eq!(scene.fill(state) == Fill::Cyan, on_path, "cyan is the path: {at}");
            }
            Check::NestedDfs | Check::NestedDfsStack => {
                assert!(!on_path || scene.fill(state) != Fill::White, "the path is blue: {at}");
            }
            Check::Tarjan
            | Check::TarjanGoal
            | Check::RootsAndRemoval
            | Check::RootsAndActive
            | Check::Streett
                if scene.seed.is_none() && on_path =>
            {
                let kept = scene.fill(state) == Fill::Current;
                // A root is removed before the search goes back from it.
                assert!(kept || scene.path.last().map(|&(top, _)| top) == Some(state), "{at}");
            }
            _ => {}
        }
    }
    for list in scene.lists() {
        let names = |states: &[StateId]| states.iter().map(|state| state.0.to_string()).collect::<Vec<_>>();
        let meant = match list.title {
            "Active" | "Current" => names(&scene.active),
            "queue" => names(&scene.queue),
            "stack" => names(&scene.stack),
            "Roots" => {
                assert_eq!(list.items.len(), scene.roots.len(), "{at}");
                continue;
            }
            "path" | "blue path" => {
                assert_eq!(list.items.len(), scene.path.len(), "{at}");
                continue;
            }
            _ => {
                assert_eq!(list.items.len(), scene.nested.len(), "{at}");
                continue;
            }
        };
        assert_eq!(list.items, meant, "{at}");
    }
    let is_arc = |from: StateId, to: StateId| graph.arcs[from.index()].iter().any(|&(t, _)| t == to.index());
    for path in [&scene.path, &scene.nested] {
        assert!(path.windows(2).all(|two| is_arc(two[0].0, two[1].0)), "a path has arcs: {at}");
    }
}

fn at_the_end(graph: &Small, recording: &Recording, scene: &Scene, accepts: bool, at: &str) {
    let (reach, reachable) = (graph.reach(), graph.reachable());
    let behind_accepting = |state: usize| {
        (0..graph.len()).any(|from| reachable[from] && graph.accepts(from) && reach[from][state])
    };
    let found = fills(graph, scene);
    match recording.check {
        Check::NestedDfs
        | Check::NestedDfsStack
        | Check::NestedDfsColours
        | Check::NestedDfsAllRed
        | Check::NestedDfsBlack
        | Check::SimpleDfs => {
            let mut textbook = Textbook::new(graph, recording.check);
            assert_eq!(textbook.run(), accepts, "{at}");
            assert_eq!(found, textbook.fills(), "{at}");
            if !accepts
                && matches!(
                    recording.check,
                    Check::NestedDfs | Check::NestedDfsStack | Check::NestedDfsColours
                )
            {
                let meant = |state: usize| match (reachable[state], behind_accepting(state)) {
                    (false, _) => Fill::White,
                    (true, true) => Fill::Red,
                    (true, false) => Fill::Blue,
                };
                assert_eq!(found, (0..graph.len()).map(meant).collect::<Vec<_>>(), "{at}");
            }
            if !accepts && recording.check == Check::NestedDfsAllRed {
                for state in (0..graph.len()).filter(|&state| behind_accepting(state)) {
                    assert_eq!(found[state], Fill::Red, "{at}");
                }
            }
        }
        Check::Tarjan
        | Check::TarjanGoal
        | Check::RootsAndRemoval
        | Check::RootsAndActive
        | Check::Streett => components(graph, recording, scene, accepts, at),
        Check::LabelPropagation => labels(graph, scene, accepts, at),
        Check::NestedDfsLevels => levels(graph, scene, accepts, at),
        Check::NaiveLasso | Check::Reachability => {
            let visited: Vec<bool> = found.iter().map(|&fill| fill == Fill::Visited).collect();
            assert!(accepts || visited == reachable, "{at}");
            let candidates = (0..graph.len()).filter(|&state| reachable[state]).filter(|&state| {
                graph.sets == 0 || graph.arcs[state].iter().any(|(_, marks)| marks.contains(0))
            });
            let naive = recording.check == Check::NaiveLasso;
            let searches = scene.counters.nested_searches;
            assert!(accepts || searches == if naive { candidates.count() as u64 } else { 0 }, "{at}");
        }
    }
}

/// The procedures of the papers, as they are printed: recursive, and with a colour for each state.
struct Textbook<'g> {
    graph: &'g Small,
    check: Check,
    colour: Vec<Colour>,
    is_red: Vec<bool>,
    on_path: Vec<bool>,
    seed: usize,
}

impl<'g> Textbook<'g> {
    fn new(graph: &'g Small, check: Check) -> Textbook<'g> {
        let count = graph.len();
        let (is_red, on_path) = (vec![false; count], vec![false; count]);
        Textbook { graph, check, colour: vec![Colour::White; count], is_red, on_path, seed: 0 }
    }

    /// Whether a cycle is reported.
    fn run(&mut self) -> bool {
        let initial = self.graph.initial.clone();
        initial.into_iter().any(|state| self.colour[state] == Colour::White && self.blue(state))
    }

    fn successors(&self, s: usize) -> Vec<usize> {
        self.graph.arcs[s].iter().map(|&(t, _)| t).collect()
    }

    fn blue(&mut self, s: usize) -> bool {
        let has_bits = matches!(self.check, Check::NestedDfs | Check::NestedDfsStack);
        self.colour[s] = if has_bits { Colour::Blue } else { Colour::Cyan };
        self.on_path[s] = true;
        let accepts = self.graph.accepts(s);
        let mut all_red = true;
        for t in self.successors(s) {
            let ends = match self.check {
                Check::NestedDfsBlack => self.graph.accepts(t),
                _ => accepts || self.graph.accepts(t),
            };
            if self.colour[t] == Colour::Cyan && ends {
                return true;
            }
            if self.colour[t] == Colour::White && self.blue(t) {
                return true;
            }
            all_red &= self.colour[t] == Colour::Red;
        }
        let all_black = self.successors(s).iter().all(|&t| self.colour[t] == Colour::Black);
        let shortcut = match self.check {
            Check::NestedDfsAllRed if all_red => Some(Colour::Red),
            Check::NestedDfsBlack if all_black => Some(Colour::Black),
            Check::SimpleDfs => Some(Colour::Blue),
            _ => None,
        };
        self.colour[s] = match shortcut {
            Some(colour) => colour,
            None if accepts => {
                self.seed = s;
                if self.red(s) {
                    return true;
                }
                match self.check {
                    Check::NestedDfsBlack => Colour::Black,
                    Check::NestedDfs | Check::NestedDfsStack => Colour::Blue,
                    _ => Colour::Red,
                }
            }
            None => Colour::Blue,
        };
        self.on_path[s] = false;
        false
    }

    fn red(&mut self, s: usize) -> bool {
        self.is_red[s] = true;
        for t in self.successors(s) {
            let reports = match self.check {
                Check::NestedDfs => t == self.seed,
                Check::NestedDfsStack => self.on_path[t],
                _ => self.colour[t] == Colour::Cyan,
            };
            if reports {
                return true;
            }
            let goes_on = match self.check {
                Check::NestedDfs | Check::NestedDfsStack => !self.is_red[t],
                _ => self.colour[t] == Colour::Blue,
            };
            if goes_on {
                if !matches!(self.check, Check::NestedDfs | Check::NestedDfsStack) {
                    self.colour[t] = Colour::Red;
                }
                if self.red(t) {
                    return true;
                }
            }
        }
        false
    }

    fn fills(&self) -> Vec<Fill> {
        let has_bits = matches!(self.check, Check::NestedDfs | Check::NestedDfsStack);
        let of = |state: usize| match self.colour[state] {
            _ if has_bits && self.is_red[state] => Fill::Red,
            Colour::White => Fill::White,
            Colour::Cyan => Fill::Cyan,
            Colour::Blue => Fill::Blue,
            Colour::Red => Fill::Red,
            Colour::Black => Fill::Black,
        };
        (0..self.graph.len()).map(of).collect()
    }
}

/// Numbers in the order of visits; complete components are components; what is current is grouped by roots as
/// the arcs explored so far connect it.
fn components(graph: &Small, recording: &Recording, scene: &Scene, accepts: bool, at: &str) {
    let (reach, reachable) = (graph.reach(), graph.reachable());
    let met: Vec<StateId> = recording
        .events
        .iter()
        .filter_map(|event| if let Event::Met(state) = *event { Some(state) } else { None })
        .collect();
    for (place, &state) in met.iter().enumerate() {
        assert_eq!(scene.note_of(state).number, Some(place as u32 + 1), "{at}");
    }
    let mut explored: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut removed: Vec<BTreeSet<usize>> = vec![BTreeSet::new()];
    for event in &recording.events {
        match *event {
            Event::Arc { from, to } => _ = explored.insert((from.index(), to.index())),
            Event::Removed(state) => _ = removed.last_mut().unwrap().insert(state.index()),
            Event::Left(_) => removed.push(BTreeSet::new()),
            _ => {}
        }
    }
    removed.retain(|component| !component.is_empty());
    for component in &removed {
        let &one = component.first().unwrap();
        let meant: BTreeSet<usize> =
            (0..graph.len()).filter(|&other| reach[one][other] && reach[other][one]).collect();
        assert_eq!(component, &meant, "{at}");
    }
    let found = fills(graph, scene);
    if !accepts {
        let meant = |state: usize| if reachable[state] { Fill::Complete } else { Fill::White };
        assert_eq!(found, (0..graph.len()).map(meant).collect::<Vec<_>>(), "{at}");
        return;
    }
    let current: Vec<usize> = (0..graph.len()).filter(|&state| found[state] == Fill::Current).collect();
    let over = graph.reach_over(|from, to| explored.contains(&(from, to)));
    let number = |state: usize| scene.note_of(StateId(state as u32)).number.unwrap();
    if !matches!(recording.check, Check::Tarjan | Check::TarjanGoal) {
        let root = |state: usize| {
            scene
                .roots
                .iter()
                .rev()
                .find(|&&(root, _)| number(root.index()) <= number(state))
                .map(|&(root, _)| root)
        };
        for &s in &current {
            for &t in &current {
                assert_eq!(root(s) == root(t), over[s][t] && over[t][s], "{s} and {t}: {at}");
            }
        }
        // The marks of the top root are those of the arcs inside.
        for &(root, marks) in &scene.roots {
            let inside = |state: usize| {
                current.contains(&state) && over[root.index()][state] && over[state][root.index()]
            };
            let mut meant = Marks::NONE;
            for &(from, to) in explored.iter().filter(|&&(from, to)| inside(from) && inside(to)) {
                meant =
                    graph.arcs[from].iter().filter(|&&(t, _)| t == to).fold(meant, |all, &(_, m)| all | m);
            }
            assert_eq!(marks, meant, "the root {root:?}: {at}");
        }
    } else {
        for &s in &current {
            let lowlink = scene.note_of(StateId(s as u32)).lowlink.unwrap();
            let of = current.iter().find(|&&t| number(t) == lowlink);
            assert!(of.is_some_and(|&t| over[s][t] && lowlink <= number(s)), "lowlink of {s}: {at}");
            // Behind the path, the lowlink leads down; the goal is on the path.
            assert!(lowlink < number(s) || scene.is_on_path(StateId(s as u32)), "lowlink of {s}: {at}");
        }
    }
}

/// A label holds the sets that are met on some way to the state; all of them, if everything was seen.
fn labels(graph: &Small, scene: &Scene, accepts: bool, at: &str) {
    let (reach, reachable) = (graph.reach(), graph.reachable());
    let sets = graph.sets.max(1);
    let leads = |from: usize, to: usize| reach[from][to];
    for state in 0..graph.len() {
        let mut meant = Marks::NONE;
        for arcs in (0..graph.len()).filter(|&from| reachable[from]).map(|from| &graph.arcs[from]) {
            for &(_, marks) in arcs.iter().filter(|&&(to, _)| leads(to, state)) {
                meant |= if graph.sets == 0 { Marks::all(sets) } else { marks };
            }
        }
        let label = scene.note_of(StateId(state as u32)).label.unwrap_or(Marks::NONE);
        let is_right = if accepts { label.is_subset(meant) } else { label == meant };
        assert!(is_right, "the label of {state} is {label:?}, by definition {meant:?}: {at}");
    }
}

/// Blue are the pairs that runs come to; red, those behind accepting arcs.
fn levels(graph: &Small, scene: &Scene, accepts: bool, at: &str) {
    let last = graph.sets.max(1) - 1;
    let above = |level: u32, marks: Marks| match graph.sets == 0 || marks.contains(level) {
        true if level == last => (0, true),
        true => (level + 1, false),
        false => (level, false),
    };
    let closure = |starts: Vec<(usize, u32)>| {
        let mut seen: BTreeSet<(usize, u32)> = starts.iter().copied().collect();
        let mut waiting = starts;
        while let Some((state, level)) = waiting.pop() {
            for &(to, marks) in &graph.arcs[state] {
                let pair = (to, above(level, marks).0);
                if seen.insert(pair) {
                    waiting.push(pair);
                }
            }
        }
        seen
    };
    let blue = closure(graph.initial.iter().map(|&state| (state, 0)).collect());
    let mut accepting = Vec::new();
    for &(state, level) in &blue {
        accepting.extend(
            graph.arcs[state].iter().filter(|(_, marks)| above(level, *marks).1).map(|&(to, _)| (to, 0)),
        );
    }
    let red = closure(accepting);
    let pairs = |levels: fn(&lariat_animation::Note) -> &Vec<u32>| -> BTreeSet<(usize, u32)> {
        let of = |state: usize| {
            let note = scene.note_of(StateId(state as u32));
            levels(&note).iter().map(move |&level| (state, level)).collect::<Vec<_>>()
        };
        (0..graph.len()).flat_map(of).collect()
    };
    let (found_blue, found_red) = (pairs(|note| &note.blue_levels), pairs(|note| &note.red_levels));
    if accepts {
        assert!(found_blue.is_subset(&blue) && found_red.is_subset(&red), "{at}");
    } else {
        assert_eq!((found_blue, found_red), (blue, red), "{at}");
    }
}
