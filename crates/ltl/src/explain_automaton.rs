//! How an automaton accepts a word: its moves, and a sentence.
//!
//! An automaton has no structure that a reason could follow, as a formula has ([`crate::explain`]). What can
//! be told are the moves of one accepting run: by which it changes its state, where it comes to what accepts
//! again and again, or to a state that accepts whatever follows. Such a state is looked for first, because
//! then the rest of the word does not matter. Otherwise the positions of the word, each with a state, are a
//! graph; a component with all marks is one in which the run stays, and a short way leads to it and round it.
//! The round may take several rounds of the word's cycle.
//!
//! The cost is that of the graph: positions times states.

use crate::automaton::{Automaton, Edge, Placement, State};
use crate::bdd::{Bdd, Bdds};
use crate::explain::Places;
use crate::marks::Marks;
use crate::scc::Components;
use crate::text::{Style, label_text, without_brackets};
use crate::word::Word;
use std::collections::VecDeque;

/// So many changes of the state are told, and so many acceptance sets.
pub const MOST_MOVES: usize = 3;

/// An edge that is taken at a position of the word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// The position that is read; it may lie behind the first round of the cycle.
    pub at: usize,
    /// The state that is left.
    pub from: State,
    /// The edge.
    pub edge: Edge,
}

/// A run of an automaton that accepts a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AcceptingRun {
    /// Where it starts.
    pub start: State,
    /// What is done once.
    pub once: Vec<Move>,
    /// What is done again and again. Empty if the state that was come to accepts whatever follows.
    pub again: Vec<Move>,
}

/// Whether a state accepts whatever follows, by an edge of its own.
fn accepts_whatever(automaton: &Automaton, state: State) -> bool {
    let all = automaton.all_marks();
    automaton.leaving(state).iter().any(|edge| edge.to == state && edge.label.is_true() && edge.marks == all)
}

/// How the automaton accepts the word; `None` if it does not.
pub fn accepting_run(bdds: &Bdds, automaton: &Automaton, word: &Word) -> Option<AcceptingRun> {
    let graph = WordGraph { bdds, automaton, word };
    let starts: Vec<usize> = automaton.initial.iter().map(|state| graph.node(0, *state)).collect();
    let whatever = |node: usize| accepts_whatever(automaton, graph.state(node));
    let mut first = graph.path(&starts, |_| true, |node, _| whatever(node));
    let is_decided = first.is_some();
    if !is_decided {
        let (components, accepting) = graph.components(&starts);
        let inside = |node: usize| components.of.get(node).is_some_and(|of| accepting.contains(of));
        first = graph.path(&starts, |_| true, |node, _| inside(node));
        let (way, entry) = first?;
        let own = components.of[entry];
        let stays = |node: usize| components.of[node] == own;
        let mut round: Vec<(usize, Edge)> = Vec::new();
        let mut missing = automaton.all_marks();
        let mut at = entry;
        while !missing.is_empty() || at != entry || round.is_empty() {
            let wanted = |edge: Option<Edge>, node: usize| match edge {
                None => false,
                Some(edge) if missing.is_empty() => edge.to == graph.state(entry) && node == entry,
                Some(edge) => !(edge.marks & missing).is_empty(),
            };
            let (piece, to) = graph.path(&[at], stays, |node, edge| wanted(edge, node))?;
            for (_, edge) in &piece {
                missing = missing - edge.marks;
            }
            round.extend(piece);
            at = to;
        }
        return Some(graph.run(&starts, way, entry, round));
    }
    let (way, end) = first?;
    Some(graph.run(&starts, way, end, Vec::new()))
}

/// The nodes are positions with states. The one that a component search does not come to belongs to none.
struct WordGraph<'a> {
    bdds: &'a Bdds,
    automaton: &'a Automaton,
    word: &'a Word,
}

impl WordGraph<'_> {
    fn node(&self, position: usize, state: State) -> usize {
        position * self.automaton.states() + state as usize
    }

    fn position(&self, node: usize) -> usize {
        node / self.automaton.states()
    }

    fn state(&self, node: usize) -> State {
        (node % self.automaton.states()) as State
    }

    fn edges(&self, node: usize) -> impl Iterator<Item = Edge> {
        let letter = self.word.letter(self.position(node));
        let admits = |label: Bdd| self.bdds.evaluate(label, |proposition| letter.get(proposition));
        self.automaton.leaving(self.state(node)).iter().copied().filter(move |edge| admits(edge.label))
    }

    fn target(&self, node: usize, edge: Edge) -> usize {
        self.node(self.word.after(self.position(node)), edge.to)
    }

    /// The components, and the numbers of those that have all marks.
    fn components(&self, starts: &[usize]) -> (Components, Vec<u32>) {
        let nodes = self.word.len() * self.automaton.states();
        let roots = starts.iter().map(|node| *node as State);
        let components = Components::compute(nodes, roots, |node, k| {
            let node = node as usize;
            self.edges(node).nth(k).map(|edge| self.target(node, edge) as State)
        });
        let mut seen = vec![(false, Marks::NONE); components.count as usize];
        for node in (0..nodes).filter(|node| components.of[*node] != Components::UNREACHED) {
            for edge in self.edges(node) {
                if components.of[node] == components.of[self.target(node, edge)] {
                    let (cyclic, marks) = &mut seen[components.of[node] as usize];
                    *cyclic = true;
                    *marks |= edge.marks;
                }
            }
        }
        let all = self.automaton.all_marks();
        let accepts = |component: &u32| seen[*component as usize] == (true, all);
        let accepting = (0..components.count).filter(accepts).collect();
        (components, accepting)
    }

    /// The shortest way to a node that is wanted, given the edge that leads to it, among those that may be
    /// used: the edges, each with the node that it leaves, and the node at the end.
    fn path(
        &self,
        starts: &[usize],
        may_use: impl Fn(usize) -> bool,
        is_wanted: impl Fn(usize, Option<Edge>) -> bool,
    ) -> Option<(Vec<(usize, Edge)>, usize)> {
        if let Some(start) = starts.iter().find(|start| is_wanted(**start, None)) {
            return Some((Vec::new(), *start));
        }
        let mut came_from: Vec<Option<(usize, Edge)>> = vec![None; self.word.len() * self.automaton.states()];
        let mut queue: VecDeque<usize> = starts.iter().copied().collect();
        while let Some(node) = queue.pop_front() {
            for edge in self.edges(node) {
                let next = self.target(node, edge);
                if !may_use(next) {
                    continue;
                }
                if is_wanted(next, Some(edge)) {
                    let mut way = vec![(node, edge)];
                    let mut at = node;
                    while let Some((from, edge)) = came_from[at].filter(|_| !starts.contains(&at)) {
                        way.push((from, edge));
                        at = from;
                    }
                    way.reverse();
                    return Some((way, next));
                }
                if came_from[next].is_none() && !starts.contains(&next) {
                    came_from[next] = Some((node, edge));
                    queue.push_back(next);
                }
            }
        }
        None
    }

    /// Counts positions on from round to round.
    fn run(
        &self,
        starts: &[usize],
        way: Vec<(usize, Edge)>,
        end: usize,
        round: Vec<(usize, Edge)>,
    ) -> AcceptingRun {
        let start = way.first().map_or(end, |(node, _)| *node);
        debug_assert!(starts.contains(&start), "a run begins in an initial state");
        let length = way.len();
        let moves = way.into_iter().chain(round).enumerate();
        let mut once: Vec<Move> =
            moves.map(|(at, (node, edge))| Move { at, from: self.state(node), edge }).collect();
        let again = once.split_off(length);
        AcceptingRun { start: self.state(start), once, again }
    }
}

/// How people call what accepts, and its states.
pub struct Names<'a> {
    /// `the claim`
    pub subject: &'a str,
    /// Of a state.
    pub state: &'a dyn Fn(State) -> String,
    /// What is said of a state that accepts whatever follows; may be empty.
    pub whatever: &'a str,
}

impl AcceptingRun {
    /// One or two sentences: which moves, at which step, and what accepts again and again.
    pub fn sentence(
        &self,
        bdds: &mut Bdds,
        automaton: &Automaton,
        word: &Word,
        places: &Places,
        names: &Names,
    ) -> String {
        let Names { subject, state: name, whatever } = *names;
        let mut where_true = |edge: &Edge| match edge.label.is_true() {
            true => String::new(),
            false => {
                let label = label_text(bdds, edge.label, &automaton.propositions, Style::Promela);
                format!(", where `{}` is true", without_brackets(&label))
            }
        };
        // Among the states that it passes again and again, the first changes are as good as the later ones.
        let recurs = |state: State| self.again.iter().any(|moved| moved.from == state);
        let tells =
            |moved: &&Move| moved.from != moved.edge.to && !(recurs(moved.from) && recurs(moved.edge.to));
        let changes: Vec<&Move> = self.once.iter().filter(tells).collect();
        let untold = changes.len().saturating_sub(MOST_MOVES);
        let mut parts = Vec::new();
        let mut who = subject.to_string();
        if untold > 0 {
            let times = match untold {
                1 => "once".to_string(),
                2 => "twice".to_string(),
                _ => format!("{untold} times"),
            };
            parts.push(format!("{who} changes its state {times}"));
            who = "then it".to_string();
        }
        for moved in &changes[untold..] {
            let (from, to) = (name(moved.from), name(moved.edge.to));
            let place = places.place(word, moved.at);
            parts.push(format!("{who} goes from {from} to {to} at {place}{}", where_true(&moved.edge)));
            who = "it".to_string();
        }
        let [first, rest @ ..] = &self.again[..] else {
            match parts.is_empty() {
                true => parts.push(format!("{who} starts at {}{whatever}", name(self.start))),
                false => {
                    let told = parts.pop().unwrap_or_default();
                    parts.push(told + whatever);
                }
            }
            return parts.join("; ");
        };
        let on_states = automaton.placement == Placement::States && automaton.sets == 1;
        let stays = self.again.iter().all(|moved| (moved.from, moved.edge.to) == (first.from, first.from));
        if automaton.sets == 0 {
            parts.push(format!("{who} can go on for ever, and every run of it that does is accepted"));
        } else if on_states && stays {
            let same = rest.iter().all(|moved| moved.edge == first.edge) && !first.edge.label.is_true();
            let because = match same {
                true => where_true(&first.edge).replace(", where", " as").replace(" is true", " stays true"),
                false => String::new(),
            };
            parts.push(format!("{who} stays at {}, which accepts{because}", name(first.from)));
        } else {
            for set in 0..automaton.sets.min(MOST_MOVES as u32) {
                let Some(place) = self.again.iter().position(|moved| moved.edge.marks.contains(set)) else {
                    continue;
                };
                // A state that accepts is better known by how it is come to.
                let before = &self.again[place.checked_sub(1).unwrap_or(self.again.len() - 1)];
                let arrives = on_states && before.from != before.edge.to;
                let moved = if arrives { before } else { &self.again[place] };
                let (from, to) = (name(moved.from), name(moved.edge.to));
                let place = places.again(word, moved.at);
                parts.push(match (on_states, arrives) {
                    (true, true) => format!(
                        "{who} goes from {from} to {to}, which accepts, {place}{}",
                        where_true(&moved.edge)
                    ),
                    (true, false) => format!("{who} is at {from}, which accepts, {place}"),
                    (false, _) => format!(
                        "{who} goes from {from} to {to}, a move of set {set}, {place}{}",
                        where_true(&moved.edge)
                    ),
                });
                who = "it".to_string();
            }
            if automaton.sets > MOST_MOVES as u32 {
                let more = automaton.sets - MOST_MOVES as u32;
                parts.push(format!("and so for the other {more} acceptance sets"));
            }
        }
        parts.join("; ") + &places.how_it_goes_on()
    }
}
