//! The complement of a small automaton.
//!
//! Formulas bring theirs with them: their negation is translated too. A never claim does not. Whoever must
//! know something about all words, such as whether repeating a letter changes anything (`stutter.rs`), needs
//! it all the same, and claims are mostly small.
//!
//! A word is *not* accepted if each run on it takes marked edges only finitely often. The runs on a word form
//! a graph: its vertices are a state and a position. Kupferman and Vardi give them *ranks*, which never grow
//! along an edge: a vertex of an even rank has finitely many vertices of the same rank behind it, one of an
//! odd rank has no marked edge behind it that stays at this rank. Where no run is accepting, and there only,
//! there are such ranks, and 2n are enough for n states.
//!
//! So the complement reads a word and guesses ranks. A state of it is the rank of each state in which a run
//! may be now, and a set of those with even ranks that *owe* something: their rank must become odd, or they
//! must end. When nobody owes anything any more, the edge is marked, and all of even rank owe again. An
//! accepting run of the complement leaves no run at an even rank for ever; at an odd one it takes no marked
//! edge.
//!
//! Hardly anything has to be guessed. All begin with the highest rank; a step gives every state the highest
//! rank that it may have; only those who owe may have one less. This is enough: ranks that are guessed so
//! stay above the true ones, until a state owes whose rank is the true one, which is even, and so it will be
//! gone or have a smaller true rank after finitely many steps; or it is above, and one less is guessed.

use crate::automaton::{Automaton, Edge, State};
use crate::bdd::{Bdd, Bdds};
use crate::marks::Marks;
use crate::stop::Stop;
use rustc_hash::FxHashMap;

/// Of larger automata, or of those that need more sets, the complement is not looked for.
const MAX_STATES: usize = 16;
/// The complement has at most so many states, and edges.
const MAX_RESULT: usize = 4_000;
const MAX_EDGES: usize = 200_000;
/// Letters that the automaton tells apart.
const MAX_CLASSES: usize = 256;

/// A state of the complement: by state of the automaton its rank, counted from one, or 0 if no run is there;
/// and who owes something, as bits.
type Ranking = (Vec<u8>, u32);

/// An automaton that accepts the words that the given one does not accept; `None` if it would be too large,
/// or if the work was stopped.
pub fn complement(bdds: &mut Bdds, automaton: &Automaton, stop: Stop) -> Option<Automaton> {
    let levels = automaton.sets.max(1) as usize;
    let count = automaton.states() * levels;
    if count > MAX_STATES {
        return None;
    }
    let labels: Vec<Bdd> = automaton.edges.iter().flatten().map(|edge| edge.label).collect();
    let letters = bdds.classes(labels, MAX_CLASSES)?;
    let moves: Vec<Vec<Vec<(usize, bool)>>> =
        letters.iter().map(|&letter| moves_by(bdds, automaton, levels, letter)).collect();
    let highest = 2 * count as u8 + 1;

    let mut result = Automaton { sets: 1, ..Automaton::empty(automaton.propositions.clone()) };
    let mut numbers: FxHashMap<Ranking, State> = FxHashMap::default();
    let mut rankings: Vec<Ranking> = Vec::new();
    let mut first = (vec![0; count], 0);
    for &state in &automaton.initial {
        first.0[state as usize * levels] = highest;
    }
    numbers.insert(first.clone(), 0);
    rankings.push(first);
    let mut edge_count = 0;
    let mut place = 0;
    while place < rankings.len() {
        if stop.now(bdds, edge_count * size_of::<Edge>()) {
            return None;
        }
        let (ranks, owing) = rankings[place].clone();
        for (letter, moves) in letters.iter().zip(&moves) {
            for (next, is_marked) in successors(&ranks, owing, moves) {
                let to = *numbers.entry(next).or_insert_with_key(|next| {
                    rankings.push(next.clone());
                    result.edges.push(Vec::new());
                    rankings.len() as State - 1
                });
                let marks = if is_marked { Marks::one(0) } else { Marks::NONE };
                result.edges[place].push(Edge { label: *letter, marks, to });
                edge_count += 1;
            }
            if rankings.len() > MAX_RESULT || edge_count > MAX_EDGES {
                return None;
            }
        }
        place += 1;
    }
    result.tidy(bdds);
    Some(result)
}

/// Where a letter leads from each state, and whether the edge is marked. With several sets a state has a copy
/// for each number of sets that were met since all of them had been, and only the last of them counts.
fn moves_by(bdds: &mut Bdds, automaton: &Automaton, levels: usize, letter: Bdd) -> Vec<Vec<(usize, bool)>> {
    let mut moves = vec![Vec::new(); automaton.states() * levels];
    for (state, edges) in automaton.edges.iter().enumerate() {
        for edge in edges {
            if !bdds.intersects(edge.label, letter) {
                continue;
            }
            for level in 0..levels {
                let met = |level: &usize| automaton.sets == 0 || edge.marks.contains(*level as u32);
                let next = (level..levels).find(|level| !met(level)).unwrap_or(levels);
                let to = edge.to as usize * levels + next % levels;
                moves[state * levels + level].push((to, next == levels));
            }
        }
    }
    moves
}

/// Where a letter leads from a ranking, and whether nobody owes anything any more.
fn successors(ranks: &[u8], owing: u32, moves: &[Vec<(usize, bool)>]) -> Vec<(Ranking, bool)> {
    // Ranks are counted from one here: an even rank is an odd number.
    let is_even = |rank: u8| rank % 2 == 1;
    let mut next = vec![0u8; ranks.len()];
    let mut owe = 0u32;
    for (state, &rank) in ranks.iter().enumerate().filter(|(_, rank)| **rank > 0) {
        for &(to, is_marked) in &moves[state] {
            let most = if is_marked && !is_even(rank) { rank - 1 } else { rank };
            next[to] = if next[to] == 0 { most } else { next[to].min(most) };
            owe |= (owing >> state & 1) << to;
        }
    }
    let even = (0..next.len()).filter(|&state| next[state] > 0 && is_even(next[state]));
    let even = even.fold(0u32, |set, state| set | 1 << state);
    let is_new_round = owing == 0;
    let owe = if is_new_round { even } else { owe & even };
    // Those who owe and have a rank above 0 may have one less.
    let choices: Vec<usize> = (0..next.len()).filter(|&s| owe >> s & 1 != 0 && next[s] > 1).collect();
    (0..1u32 << choices.len())
        .map(|chosen| {
            let (mut ranks, mut owe) = (next.clone(), owe);
            for (i, &state) in choices.iter().enumerate() {
                if chosen >> i & 1 != 0 {
                    ranks[state] -= 1;
                    owe &= !(1 << state);
                }
            }
            ((ranks, owe), is_new_round)
        })
        .collect()
}
