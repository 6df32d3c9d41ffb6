//! Is a language closed under stuttering?
//!
//! Two words are stutter-equivalent if they differ only in how often each letter is repeated, finitely many
//! times. A language that never tells such words apart may be checked on a reduced state space. Formulas
//! without `X` have this property; many formulas with `X` have it too, so the language is asked and not the
//! syntax (Michaud and Duret-Lutz 2015).
//!
//! Two equivalent words have a common *longer* word, in which each letter is repeated as often as in the one
//! that repeats it more. So the language is closed exactly if no word is a stretched word of the language and
//! a stretched word of its complement at once. The product of both automata is built in which either side may
//! wait while the last letter is read again, but not for ever.

use crate::automaton::{Automaton, State};
use crate::bdd::{Bdd, Bdds};
use crate::emptiness::{Graph, PairEdge};
use crate::formula::{Formula, Formulas, Node};
use crate::marks::Marks;
use crate::stop::Stop;
use rustc_hash::{FxHashMap, FxHashSet};

/// Where one letter leads, and the marks on the way.
type Moves = Vec<(State, Marks)>;

/// Letters that the automata tell apart.
const MAX_CLASSES: usize = 4096;
/// States of the product.
const MAX_STATES: usize = 1_000_000;
/// Edges of the product.
const MAX_EDGES: usize = 8_000_000;

/// Is the language that `automaton` accepts, and of which `complement` accepts the complement, closed under
/// stuttering? `None` if that would take too long to find out, or if the work was stopped.
pub fn is_invariant(
    bdds: &mut Bdds,
    automaton: &Automaton,
    complement: &Automaton,
    stop: Stop,
) -> Option<bool> {
    if automaton.sets == Marks::LIMIT || complement.sets == Marks::LIMIT {
        return None;
    }
    let labels = automaton.edges.iter().chain(&complement.edges).flatten().map(|edge| edge.label);
    let letters = bdds.classes(labels.collect::<Vec<_>>(), MAX_CLASSES)?;
    let moves = |bdds: &mut Bdds, automaton: &Automaton| -> Option<Vec<Vec<Moves>>> {
        // A mark of its own on every move: whoever waits for ever does not get it.
        let moved = Marks::one(automaton.sets);
        let by_letter = |bdds: &mut Bdds, state: usize, letter: Bdd| -> Moves {
            let edges = automaton.edges[state].iter();
            edges
                .filter(|edge| bdds.intersects(edge.label, letter))
                .map(|edge| (edge.to, edge.marks | moved))
                .collect()
        };
        (0..automaton.states())
            .map(|state| {
                let moves = letters.iter().map(|&letter| by_letter(bdds, state, letter)).collect();
                (!stop.now(bdds, 0)).then_some(moves)
            })
            .collect()
    };
    let (one, two) = (moves(bdds, automaton)?, moves(bdds, complement)?);

    /// Both states, and the letter that was read last.
    type Place = (State, State, Option<u32>);
    let mut number: FxHashMap<Place, State> = FxHashMap::default();
    let mut places: Vec<Place> = Vec::new();
    let mut visit = |place: Place, places: &mut Vec<Place>| {
        *number.entry(place).or_insert_with(|| {
            places.push(place);
            places.len() as State - 1
        })
    };
    let mut initial = Vec::new();
    for &p in &automaton.initial {
        for &q in &complement.initial {
            initial.push(visit((p, q, None), &mut places));
        }
    }
    let mut edges: Vec<Vec<PairEdge>> = Vec::new();
    let mut count = 0;
    while edges.len() < places.len() {
        let (p, q, last) = places[edges.len()];
        let mut leaving = Vec::new();
        for letter in 0..letters.len() as u32 {
            let (ps, qs) = (&one[p as usize][letter as usize], &two[q as usize][letter as usize]);
            let may_wait = last == Some(letter);
            let mut step = |(p, one): (State, Marks), (q, two): (State, Marks)| {
                let to = visit((p, q, Some(letter)), &mut places);
                leaving.push(PairEdge { to, label: Bdd::TRUE, marks: (one, two) });
            };
            for &p_move in ps {
                for &q_move in qs {
                    step(p_move, q_move);
                }
                if may_wait {
                    step(p_move, (q, Marks::NONE));
                }
            }
            if may_wait {
                for &q_move in qs {
                    step((p, Marks::NONE), q_move);
                }
            }
        }
        count += leaving.len() + 1;
        edges.push(leaving);
        let too_large = places.len() > MAX_STATES || count > MAX_EDGES;
        if too_large || stop.now(bdds, count * size_of::<PairEdge>()) {
            return None;
        }
    }
    let all = (Marks::all(automaton.sets + 1), Marks::all(complement.sets + 1));
    Some(Graph { edges, initial, all }.accepting_component().is_none())
}

/// Does the formula contain `X`? If not, its language is closed under stuttering.
pub fn has_next(formulas: &Formulas, formula: Formula) -> bool {
    let mut seen = FxHashSet::default();
    let mut work = vec![formula];
    while let Some(formula) = work.pop() {
        if seen.insert(formula) {
            let node = formulas.node(formula);
            if matches!(node, Node::Next(_)) {
                return true;
            }
            node.each_child(|child| work.push(child));
        }
    }
    false
}
