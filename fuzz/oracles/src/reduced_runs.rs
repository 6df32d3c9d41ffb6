//! Whether a reduced model has the same runs as the model, by the definition: a judge that knows nothing of
//! how it was reduced.
//!
//! Both graphs are explored, state by state. A letter is what the propositions say in a state. Two graphs are
//! *stutter-trace equivalent* if their runs spell the same words up to repeated letters. Runs have no end
//! here: one that ends repeats its last state. That is decided exactly: both graphs are made deterministic
//! side by side, where a step leads from all states that can be reached without a change of letters to all
//! states that show another letter. In each pair of sets the same letters must come next, and either both or
//! none of them can stay where it is for ever. The graphs are finite, so words without an end are those whose
//! beginnings are all there.

use lariat_engine::reduction::{Condition, Reduction, loosened};
use lariat_engine::{Interpreter, Moment, Patience, SuccessorFunction, Successors, Valuation, ViolationKind};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The graph of a model.
#[derive(Default)]
struct Graph {
    states: Vec<Vec<u8>>,
    letters: Vec<Vec<bool>>,
    arcs: Vec<Vec<usize>>,
    /// It can stay for ever: nothing happens, or an indivisible sequence goes on for ever.
    stays: Vec<bool>,
    dead: BTreeSet<Vec<u8>>,
    violations: BTreeSet<(String, String)>,
    diverges: bool,
    reduced: u64,
}

fn explore(interpreter: &Interpreter, most: usize) -> Option<Graph> {
    let mut graph = Graph::default();
    let initial = interpreter.initial_state().ok()?;
    let mut known: HashMap<Vec<u8>, usize> = HashMap::from([(initial.clone(), 0)]);
    graph.states.push(initial);
    let mut out = Successors::new();
    let mut valuation = Valuation::default();
    let mut place = 0;
    while place < graph.states.len() {
        if graph.states.len() > most {
            return None;
        }
        let state = graph.states[place].clone();
        interpreter.successors(&state, &mut out);
        if out.was_cut() {
            return None;
        }
        for (violation, _) in out.violations() {
            graph.violations.insert((format!("{:?}", violation.kind), violation.message.clone()));
        }
        graph.reduced += u64::from(out.is_reduced());
        graph.diverges |= out.diverges();
        let moment = if out.something_happens() { Moment::Moving } else { Moment::Stuck };
        interpreter.look_at(&state, moment, &mut valuation);
        let letter: Result<Vec<bool>, _> = (0..interpreter.model().propositions.len())
            .map(|proposition| interpreter.is_true(proposition, &mut valuation))
            .collect();
        graph.letters.push(letter.ok()?);
        graph.stays.push(!out.something_happens());
        if !out.something_happens() {
            // Hidden variables are none of the state; a model in which somebody reads them is not reduced.
            graph.dead.insert(state[..state.len() - interpreter.memory_size()].to_vec());
            if let Some(wrong) = interpreter.wrong_end(&state) {
                graph.violations.insert((format!("{:?}", wrong.kind), wrong.message));
            }
        }
        let mut arcs = Vec::new();
        for i in 0..out.len() {
            let next = out.state(i).to_vec();
            let count = graph.states.len();
            let number = *known.entry(next.clone()).or_insert(count);
            if number == count {
                graph.states.push(next);
            }
            arcs.push(number);
        }
        graph.arcs.push(arcs);
        place += 1;
    }
    Some(graph)
}

impl Graph {
    /// All states that can be reached without a change of letters.
    fn closed(&self, states: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut closed = states.clone();
        let mut waiting: Vec<usize> = states.iter().copied().collect();
        while let Some(state) = waiting.pop() {
            for &next in &self.arcs[state] {
                if self.letters[next] == self.letters[state] && closed.insert(next) {
                    waiting.push(next);
                }
            }
        }
        closed
    }

    /// Whether a run can stay among these states, which show one letter, for ever.
    fn can_stay(&self, states: &BTreeSet<usize>) -> bool {
        if states.iter().any(|&state| self.stays[state]) {
            return true;
        }
        // Those that lead to no other of them are taken away, until none is left or none can be taken.
        let mut left = states.clone();
        loop {
            let before = left.len();
            let stuck = |state: &usize| !self.arcs[*state].iter().any(|next| left.contains(next));
            let stuck: Vec<usize> = left.iter().copied().filter(stuck).collect();
            stuck.iter().for_each(|state| {
                left.remove(state);
            });
            if left.is_empty() || left.len() == before {
                return !left.is_empty();
            }
        }
    }

    /// By the letter that comes next: the states that show it.
    fn next(&self, states: &BTreeSet<usize>) -> HashMap<&[bool], BTreeSet<usize>> {
        let mut next: HashMap<&[bool], BTreeSet<usize>> = HashMap::new();
        for &state in states {
            for &to in &self.arcs[state] {
                if self.letters[to] != self.letters[state] {
                    next.entry(&self.letters[to]).or_default().insert(to);
                }
            }
        }
        next
    }
}

/// What was compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sizes {
    pub full: usize,
    pub reduced: usize,
    /// States of which only some processes were followed.
    pub states: u64,
    /// Words were compared, too.
    pub with_words: bool,
}

/// Larger pairs of sets are not compared.
const MOST_PAIRS: usize = 2_000;

/// Compares the model of an interpreter with the reduced one. `None` if it is too large or cannot be reduced;
/// an error says what is different.
pub fn compare(
    interpreter: &Interpreter,
    omitted: Option<Condition>,
    most: usize,
) -> Option<Result<Sizes, String>> {
    let full = explore(interpreter, most)?;
    let reduction = || Reduction::without(interpreter, omitted).ok();
    let explored = |reduction| explore(&interpreter.clone().with_reduction(reduction), most);
    let result = judge(&full, &explored(reduction()?)?);
    if omitted.is_some() || result.is_err() {
        return Some(result);
    }
    // Once more with as few sticky locations as are needed.
    match loosened(reduction()?, interpreter, Patience::default()).0 {
        Ok(loose) => Some(judge(&full, &explored(loose)?)),
        Err(_) => Some(result),
    }
}

fn judge(full: &Graph, reduced: &Graph) -> Result<Sizes, String> {
    let mut sizes = Sizes {
        full: full.states.len(),
        reduced: reduced.states.len(),
        states: reduced.reduced,
        with_words: false,
    };
    let known: HashSet<&Vec<u8>> = full.states.iter().collect();
    if reduced.states.iter().any(|state| !known.contains(state)) {
        return Err("the reduced model has a state that the model does not have".to_string());
    }
    if full.dead != reduced.dead {
        return Err(format!(
            "{} states in which nothing happens, {} of them in the reduced model",
            full.dead.len(),
            reduced.dead.len()
        ));
    }
    if full.violations != reduced.violations {
        return Err(format!("violations {:?}, reduced {:?}", full.violations, reduced.violations));
    }
    if full.diverges != reduced.diverges {
        return Err("an endless sequence is only in one of them".to_string());
    }
    // Runs break off with an error, or stay in a sequence for ever: what they spell is another matter.
    let breaks_off = |(kind, _): &(String, String)| *kind == format!("{:?}", ViolationKind::RuntimeError);
    if full.diverges || full.violations.iter().any(breaks_off) {
        return Ok(sizes);
    }
    sizes.with_words = true;
    let first = |graph: &Graph| graph.closed(&BTreeSet::from([0]));
    let mut waiting = vec![(first(full), first(reduced))];
    let mut seen = HashSet::new();
    while let Some((ours, theirs)) = waiting.pop() {
        if seen.len() > MOST_PAIRS || !seen.insert((ours.clone(), theirs.clone())) {
            continue;
        }
        if full.can_stay(&ours) != reduced.can_stay(&theirs) {
            return Err(format!("only one of them can stay at {:?} for ever", letter(full, &ours)));
        }
        let (next, other) = (full.next(&ours), reduced.next(&theirs));
        if next.len() != other.len() || next.keys().any(|letter| !other.contains_key(letter)) {
            return Err(format!(
                "after {:?} come {:?}, reduced {:?}",
                letter(full, &ours),
                next.keys().collect::<BTreeSet<_>>(),
                other.keys().collect::<BTreeSet<_>>()
            ));
        }
        for (letter, states) in next {
            waiting.push((full.closed(&states), reduced.closed(&other[letter])));
        }
    }
    Ok(sizes)
}

fn letter<'g>(graph: &'g Graph, states: &BTreeSet<usize>) -> &'g [bool] {
    states.first().map_or(&[], |&state| &graph.letters[state])
}
