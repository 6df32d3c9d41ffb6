//! What runs a model has, step by step: a judge that knows neither indivisible sequences nor products.
//!
//! Single steps ([`Interpreter::micro_successors`]) are followed from state to state. A state in which no
//! process holds control is *visible*. What happens between two visible states is nobody's business; but a
//! run may never come to another visible state (then the last one repeats, for the formula, with the
//! processes that have moved since at no label), may end (then it repeats, too), or may break off with a
//! run-time error.
//!
//! The verdict on a formula follows from the definition, by sets of states of two automata:
//!
//! - *violated* if some infinite run is accepted by the automaton of the negation, or if some prefix is
//!   certain: no state of the automaton of the formula is left after it, so that nothing that comes can
//!   satisfy the formula;
//! - else *unknown* if a run breaks off after which something could still violate the formula: a state of
//!   the automaton of the negation is left;
//! - else *holds*.

use crate::properties::Said;
use lariat_checker::Loaded;
use lariat_checker::properties::{Property, proposition};
use lariat_engine::interpreter::MicroState;
use lariat_engine::{
    Interpreter, Moment, ProcessSet, Step, SuccessorFunction, Successors, Valuation, ViolationKind,
};
use lariat_ltl::translate::{Options, translate};
use lariat_ltl::{Automaton, Bdds, Formula, Formulas};
use lariat_model::ir::{Model, Proposition};
use lariat_search::Limits;
use lariat_search::emptiness::{Arc, Check, ExplicitProduct, Search};
use lariat_search::product::FiniteRuns;
use lariat_store::StateId;
use std::collections::{HashMap, HashSet};

/// The visible part of a model's runs.
#[derive(Default)]
pub struct VisibleRuns {
    /// What is true in each node, by the propositions of the model.
    letters: Vec<Vec<bool>>,
    successors: Vec<Vec<usize>>,
    /// A run breaks off here.
    breaks_off: Vec<bool>,
    /// Some process may stay inside an indivisible sequence.
    pub diverges: bool,
    /// Some process comes into one that nothing leads out of.
    pub endless: bool,
}

/// What lies between visible states.
struct Hidden {
    state: MicroState,
    /// Places of hidden states to which a step leads, and who moves.
    next: Vec<(usize, ProcessSet)>,
    /// A step leads out, or into an error.
    leads_out: bool,
}

/// All visible states up to a limit; `None` if there are more, or if nothing is there.
pub fn visible_runs(interpreter: &Interpreter, finite_runs: FiniteRuns, most: usize) -> Option<VisibleRuns> {
    let mut runs = VisibleRuns::default();
    let mut states = vec![interpreter.micro_initial().ok()?];
    let mut known: HashMap<Vec<u8>, usize> = HashMap::from([(states[0].bytes().to_vec(), 0)]);
    // Nodes beside those of states: where a state repeats.
    let mut repeated: Vec<(usize, Moment)> = Vec::new();
    let mut place = 0;
    while place < states.len() {
        if states.len() > most {
            return None;
        }
        let seen = step_by_step(interpreter, &states[place], most)?;
        let mut next = Vec::new();
        for state in seen.visible {
            let number = *known.entry(state.bytes().to_vec()).or_insert_with(|| {
                states.push(state);
                states.len() - 1
            });
            next.push(number);
        }
        runs.endless |= seen.endless;
        runs.diverges |= !seen.diverging.is_empty();
        repeated.extend(seen.diverging.iter().map(|&movers| (place, Moment::Diverging(movers))));
        if seen.is_stuck && finite_runs == FiniteRuns::Stutter {
            repeated.push((place, Moment::Stopped));
        }
        let moment = if seen.is_stuck { Moment::Stuck } else { Moment::Moving };
        runs.letters.push(letter(interpreter, &states[place], moment));
        runs.successors.push(next);
        runs.breaks_off.push(seen.breaks_off);
        place += 1;
    }
    for (place, moment) in repeated {
        let node = runs.letters.len();
        runs.letters.push(letter(interpreter, &states[place], moment));
        runs.successors.push(vec![node]);
        runs.breaks_off.push(false);
        runs.successors[place].push(node);
    }
    Some(runs)
}

fn letter(interpreter: &Interpreter, state: &MicroState, moment: Moment) -> Vec<bool> {
    let mut valuation = Valuation::default();
    interpreter.look_at(&interpreter.stored(state), moment, &mut valuation);
    let count = interpreter.model().propositions.len();
    (0..count)
        .map(|k| interpreter.is_true(k, &mut valuation).expect("plain conditions have values"))
        .collect()
}

/// What comes after a visible state.
struct After {
    visible: Vec<MicroState>,
    /// The sets of processes that move in runs without another visible state.
    diverging: Vec<ProcessSet>,
    endless: bool,
    breaks_off: bool,
    is_stuck: bool,
}

fn step_by_step(interpreter: &Interpreter, from: &MicroState, most: usize) -> Option<After> {
    let mut out = Successors::new();
    let mut after = After {
        visible: Vec::new(),
        diverging: Vec::new(),
        endless: false,
        breaks_off: false,
        is_stuck: false,
    };
    let mut hidden: Vec<Hidden> = Vec::new();
    let mut entered = Vec::new();
    let mut fresh = vec![None];
    while let Some(at) = fresh.pop() {
        let state = at.map_or(from, |at: usize| &hidden[at].state).clone();
        let steps = interpreter.micro_successors(&state, &mut out);
        let by = |steps: &[Step]| steps.first().map(|step| step.pid);
        let errors: Vec<_> = out.violations().map(|(violation, steps)| (violation.kind, by(steps))).collect();
        let goes_on = |pid: Option<u16>| state.held.is_none() || pid == state.held;
        let moves = steps.iter().any(|step| goes_on(by(&step.steps)));
        let fails = errors.iter().any(|(_, pid)| goes_on(*pid));
        if let Some(at) = at
            && !moves
            && !fails
        {
            // It cannot go on, so it loses control, and everybody sees where it is.
            hidden[at].leads_out = true;
            after.visible.push(free(interpreter, &state));
            continue;
        }
        if errors.iter().any(|(kind, _)| *kind == ViolationKind::RuntimeError) {
            after.breaks_off = true;
        }
        after.is_stuck |= at.is_none() && !moves && !fails;
        let mut next = Vec::new();
        let mut leads_out = fails;
        for step in steps {
            if step.next.held.is_none() {
                leads_out = true;
                after.visible.push(step.next);
                continue;
            }
            let known = hidden.iter().position(|other| other.state == step.next);
            let movers: ProcessSet = step.steps.iter().map(|step| step.pid).collect();
            let to = known.unwrap_or_else(|| {
                hidden.push(Hidden { state: step.next, next: Vec::new(), leads_out: false });
                fresh.push(Some(hidden.len() - 1));
                hidden.len() - 1
            });
            next.push((to, movers));
            if hidden.len() > most {
                return None;
            }
        }
        if let Some(at) = at {
            hidden[at].next = next;
            hidden[at].leads_out |= leads_out;
        } else {
            entered = next;
        }
    }
    for at in 0..hidden.len() {
        let reached = reached_from(&hidden, vec![(at, ProcessSet::default())]);
        let leads_out = hidden[at].leads_out || reached.iter().any(|&(other, _)| hidden[other].leads_out);
        after.endless |= !leads_out;
    }
    // A run comes back to a state, and nobody has moved that had not moved before.
    for (at, moved) in reached_from(&hidden, entered.clone()).into_iter().chain(entered) {
        if reached_from(&hidden, vec![(at, moved)]).contains(&(at, moved))
            && !after.diverging.contains(&moved)
        {
            after.diverging.push(moved);
        }
    }
    Some(after)
}

/// The same state with nobody in control.
fn free(interpreter: &Interpreter, state: &MicroState) -> MicroState {
    interpreter.micro_from(&interpreter.stored(state))
}

/// What some steps lead to: hidden states, and who has moved.
fn reached_from(hidden: &[Hidden], mut work: Vec<(usize, ProcessSet)>) -> HashSet<(usize, ProcessSet)> {
    let mut reached = HashSet::new();
    while let Some((at, moved)) = work.pop() {
        for &(next, movers) in &hidden[at].next {
            if reached.insert((next, moved.union(movers))) {
                work.push((next, moved.union(movers)));
            }
        }
    }
    reached
}

/// The verdict of the definition on a formula of a loaded model; `None` if the model is too large. Also,
/// whether some process may stay inside an indivisible sequence, and whether nothing leads out of one.
pub fn judge(
    loaded: &Loaded,
    property: &Property,
    finite_runs: FiniteRuns,
    most: usize,
) -> Option<(Said, VisibleRuns)> {
    let mut formulas = Formulas::new();
    let negation = property.goal(&mut formulas)?;
    let named = formulas.propositions().iter();
    let propositions: Option<Vec<Proposition>> = named
        .map(|text| Some(Proposition { text: text.clone(), value: proposition(&loaded.model, text)? }))
        .collect();
    let model = Model { propositions: propositions?, ..loaded.model.clone() };
    let interpreter = Interpreter::new(&model);
    let runs = visible_runs(&interpreter, finite_runs, most)?;
    let formula = formulas.not(negation);
    let bad = Reader::new(&mut formulas, negation);
    let good = Reader::new(&mut formulas, formula);
    // A run that ends, and finite runs are no runs, has shown nothing.
    let is_certain = match finite_runs {
        FiniteRuns::Stutter => good.may_be_lost(&runs),
        FiniteRuns::Ignore => good.is_lost_before_an_error(&runs),
    };
    let said = if is_certain || bad.accepts_a_run(&runs) {
        Said::Violated
    } else if bad.is_left_at_an_error(&runs) {
        Said::Unknown("a run breaks off".to_string())
    } else {
        Said::Holds
    };
    Some((said, runs))
}

/// An automaton that reads letters. From each of its states some word is accepted.
struct Reader {
    automaton: Automaton,
    bdds: Bdds,
}

impl Reader {
    fn new(formulas: &mut Formulas, formula: Formula) -> Reader {
        let mut bdds = Bdds::new();
        let translation = translate(formulas, &mut bdds, formula, &Options::default())
            .expect("small formulas are translated");
        Reader { automaton: translation.automaton, bdds }
    }

    fn edges<'r>(&'r self, state: u32, letter: &'r [bool]) -> impl Iterator<Item = lariat_ltl::Edge> + 'r {
        let admitted =
            |edge: &&lariat_ltl::Edge| self.bdds.evaluate(edge.label, |variable| letter[variable as usize]);
        self.automaton.edges[state as usize].iter().filter(admitted).copied()
    }

    fn accepts_a_run(&self, runs: &VisibleRuns) -> bool {
        let states = self.automaton.states();
        let number = |node: usize, state: u32| StateId((node * states + state as usize) as u32);
        let mut arcs = Vec::new();
        for node in 0..runs.letters.len() {
            for state in 0..states as u32 {
                let pairs = self.edges(state, &runs.letters[node]).flat_map(|edge| {
                    let marks = edge.marks;
                    runs.successors[node].iter().map(move |&next| Arc { to: number(next, edge.to), marks })
                });
                arcs.push(pairs.collect());
            }
        }
        let initial = self.automaton.initial.iter().map(|&state| number(0, state)).collect();
        let mut product = ExplicitProduct::new(self.automaton.sets, initial, arcs);
        let mut search = Search::new(&mut product, Limits::default(), None);
        Check::RootsAndActive.run(&mut search).expect("there is no limit").is_some()
    }

    /// Shows every node with the states that may be left when a prefix up to this node has been read, its
    /// letter included.
    fn each_reading(&self, runs: &VisibleRuns, mut show: impl FnMut(usize, &[u32])) {
        let mut start = self.automaton.initial.clone();
        start.sort();
        let mut known = HashSet::from([(0, start.clone())]);
        let mut work = vec![(0, start)];
        while let Some((node, states)) = work.pop() {
            let letter = &runs.letters[node];
            let mut left: Vec<u32> =
                states.iter().flat_map(|&state| self.edges(state, letter).map(|edge| edge.to)).collect();
            left.sort();
            left.dedup();
            show(node, &left);
            for &next in &runs.successors[node] {
                if known.insert((next, left.clone())) {
                    work.push((next, left.clone()));
                }
            }
        }
    }

    fn may_be_lost(&self, runs: &VisibleRuns) -> bool {
        let mut lost = false;
        self.each_reading(runs, |_, left| lost |= left.is_empty());
        lost
    }

    fn is_lost_before_an_error(&self, runs: &VisibleRuns) -> bool {
        let mut lost = false;
        self.each_reading(runs, |node, left| lost |= left.is_empty() && runs.breaks_off[node]);
        lost
    }

    fn is_left_at_an_error(&self, runs: &VisibleRuns) -> bool {
        let mut is_left = false;
        self.each_reading(runs, |node, left| is_left |= !left.is_empty() && runs.breaks_off[node]);
        is_left
    }
}
