//! What the judge makes of formulas and automata by itself, so as to have something to compare with.

use lariat_ltl::formula::Node;
use lariat_ltl::{Automaton, Bdd, Bdds, Edge, Formula, Formulas, Marks, State, stutter};

/// Squeezed formulas grow by the number of letters with each `X`.
const SQUEEZED_PROPOSITIONS: usize = 2;
const SQUEEZED_SIZE: u64 = 400;

/// The formula that holds for a word if the given one holds for the word without repeated letters; `None` if
/// it is too large.
pub(super) fn squeezed(formulas: &mut Formulas, formula: Formula) -> Option<Formula> {
    let propositions = formulas.propositions_of(formula);
    if propositions.len() > SQUEEZED_PROPOSITIONS || !stutter::has_next(formulas, formula) {
        return None;
    }
    let mut letters = vec![Formula::TRUE];
    for number in propositions {
        let yes = formulas.numbered_proposition(number);
        let no = formulas.not(yes);
        let mut longer = Vec::new();
        for letter in letters {
            longer.push(formulas.and2(letter, yes));
            longer.push(formulas.and2(letter, no));
        }
        letters = longer;
    }
    let result = squeezed_inside(formulas, formula, &letters);
    (formulas.size(result) <= SQUEEZED_SIZE).then_some(result)
}

fn squeezed_inside(formulas: &mut Formulas, formula: Formula, letters: &[Formula]) -> Formula {
    let inside = formulas.map_children(formula, |formulas, child| squeezed_inside(formulas, child, letters));
    let Node::Next(operand) = *formulas.node(inside) else { return inside };
    // The word repeats its letter for ever, or the operand holds where the letter changes first.
    let mut cases = Vec::new();
    for &letter in letters {
        let for_ever = formulas.globally(letter);
        cases.push(formulas.and2(for_ever, operand));
        let another = formulas.not(letter);
        let change = formulas.and2(another, operand);
        let change = formulas.until(letter, change);
        cases.push(formulas.and2(letter, change));
    }
    formulas.or(cases)
}

/// All orders of up to three sets; of more, ascending and descending.
pub(super) fn orders(sets: u32) -> Vec<Vec<u32>> {
    let ascending: Vec<u32> = (0..sets).collect();
    match sets {
        0 | 1 => vec![ascending],
        2 => vec![ascending, vec![1, 0]],
        3 => [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].map(Vec::from).to_vec(),
        _ => vec![ascending.clone(), ascending.into_iter().rev().collect()],
    }
}

/// The automaton of the words that a deterministic one rejects: its run ends, or from some edge on misses one
/// set.
pub(super) fn complement_of_deterministic(bdds: &mut Bdds, automaton: &Automaton) -> Automaton {
    let states = automaton.states() as State;
    // First the states as they are, then a copy for each set that is missed from now on, then one that
    // accepts all.
    let copy = |state: State, set: u32| (set + 1) * states + state;
    let all = (automaton.sets + 1) * states;
    let seen = Marks::one(0);
    let mut result = Automaton {
        sets: 1,
        initial: automaton.initial.clone(),
        edges: vec![Vec::new(); all as usize + 1],
        ..Automaton::empty(automaton.propositions.clone())
    };
    result.edges[all as usize].push(Edge { label: Bdd::TRUE, marks: seen, to: all });
    for state in 0..states {
        let mut admitted = Bdd::FALSE;
        for edge in automaton.leaving(state) {
            admitted = bdds.or(admitted, edge.label);
            result.edges[state as usize].push(Edge { marks: Marks::NONE, ..*edge });
            for set in 0..automaton.sets {
                let to = copy(edge.to, set);
                result.edges[state as usize].push(Edge { label: edge.label, marks: Marks::NONE, to });
                if !edge.marks.contains(set) {
                    result.edges[copy(state, set) as usize].push(Edge { label: edge.label, marks: seen, to });
                }
            }
        }
        let label = bdds.not(admitted);
        if !label.is_false() {
            result.edges[state as usize].push(Edge { label, marks: Marks::NONE, to: all });
        }
    }
    result
}

/// The same automaton over these propositions; `None` if it has one that is not among them.
pub(super) fn aligned(bdds: &mut Bdds, automaton: &Automaton, propositions: &[String]) -> Option<Automaton> {
    let place = |name: &String| propositions.iter().position(|known| known == name).map(|at| at as u32);
    let places: Vec<u32> = automaton.propositions.iter().map(place).collect::<Option<_>>()?;
    fn moved(bdds: &mut Bdds, label: Bdd, places: &[u32]) -> Bdd {
        let Some((variable, low, high)) = bdds.split(label) else { return label };
        let low = moved(bdds, low, places);
        let high = moved(bdds, high, places);
        let literal = bdds.variable(places[variable as usize]);
        bdds.choose(literal, high, low)
    }
    let mut result = Automaton { propositions: propositions.to_vec(), ..automaton.clone() };
    for edge in result.edges.iter_mut().flatten() {
        edge.label = moved(bdds, edge.label, &places);
    }
    Some(result)
}
