//! Why a run violates what was checked, in a sentence or two.
//!
//! Of a formula, [`lariat_ltl::explain`] finds the reason, as claims about positions of the word that the run
//! spells; here positions become steps. An invalid end state is explained by those who wait, an assertion by
//! what it read. A claim is an automaton, which has no structure that a reason could follow: of it
//! [`lariat_ltl::explain_automaton`] finds the moves by which it accepts the run, by its own states, not by
//! those of the simpler automaton that the search had. A cycle through accept labels has a process at one.

use crate::claim::{ClaimAutomaton, automaton_of};
use crate::influence::{Reads, reads_of};
use crate::properties::Property;
use crate::reading::read_after;
use crate::render::layouts::{Values, variable_names};
use crate::report::{Change, Counterexample, FinalState, RunEnding, TraceStep, Truth, Why};
use crate::trace::positions;
use lariat_engine::{Interpreter, ViolationKind};
use lariat_ltl::evaluate::evaluate_parts;
use lariat_ltl::explain::{Claim, Kind, Loop, Places, Reasons, When, explain};
use lariat_ltl::explain_automaton::{Names, accepting_run};
use lariat_ltl::formula::Node;
use lariat_ltl::print::{Style, print};
use lariat_ltl::{Formula, Formulas, State};
use lariat_model::ir::{Language, Location, Model, ProcessType};
use lariat_search::{Ending, LassoRun, Stage};

/// Why an infinite run is one of those that were looked for. `names` are those of the propositions.
pub fn of_run(
    interpreter: &Interpreter,
    property: &Property,
    run: &LassoRun,
    example: &Counterexample,
    names: &[String],
) -> Option<Why> {
    let mut formulas = Formulas::new();
    let steps = read_after(run);
    let first_of_cycle = example.cycle.first().map_or(0, |step| step.number);
    let last_of_cycle = example.cycle.last().map_or(0, |step| step.number);
    let (end, reasons) = match example.ending {
        RunEnding::Repeats | RunEnding::Diverges => {
            (Loop::Steps(first_of_cycle, last_of_cycle), Reasons::Any)
        }
        RunEnding::Stops => (Loop::Stops(steps.last().copied().unwrap_or(0)), Reasons::Any),
        RunEnding::Decided | RunEnding::Ends | RunEnding::Cut => (Loop::Untold, Reasons::Finite),
    };
    let places = Places { steps: &steps, end };
    let Some(goal) = property.goal(&mut formulas) else {
        return of_claim(interpreter.model(), property, run, example, names, &places);
    };
    // Of `false` there is nothing to explain.
    if goal == Formula::TRUE {
        return None;
    }
    let stated = if matches!(property, Property::Exists { .. }) { goal } else { formulas.not(goal) };
    let kind = match property {
        Property::Acceptance | Property::NonProgress => property.kind(),
        _ => Kind::of(&formulas, stated).name(),
    };
    let Some(explanation) = explain(&formulas, goal, &run.word, reasons) else {
        let after = example.decided_after.unwrap_or(0);
        let text = format!("whatever follows step {after}, the formula keeps its value");
        return Some(Why { kind, text });
    };
    if let (Property::Acceptance, [Claim { when: When::Again(at), .. }]) = (property, &explanation.claims[..])
        && let Some(who) = at_accept_label(interpreter, run, *at)
    {
        let text = format!("{who} {}{}", places.again(&run.word, *at), places.how_it_goes_on());
        return Some(Why { kind, text });
    }
    let name = |formula| formula_name(&formulas, formula, names);
    let mut text = explanation.sentence(&run.word, &places, name);
    if let (Property::Acceptance | Property::NonProgress, [proposition]) = (property, names) {
        text = text.replace(&format!("`{proposition}` is true"), proposition);
    }
    Some(Why { kind, text })
}

/// Which process is at an accept label in the state that is read at a position: `P(1) is at accept_it`.
fn at_accept_label(interpreter: &Interpreter, run: &LassoRun, at: usize) -> Option<String> {
    if run.ending == Ending::Diverges {
        // Who moves for ever is at no label, and who stands at one is not told apart here.
        return None;
    }
    let stages: Vec<&Stage> = run.prefix.iter().chain(&run.cycle).filter(|it| it.ends_transition).collect();
    let state = match run.word.fold(at) {
        0 => Some(&run.initial),
        position => {
            stages.get(position - 1).or(stages.last()).map_or(Some(&run.initial), |it| it.after.as_ref())
        }
    }?;
    let model = interpreter.model();
    let positions = positions(interpreter, state);
    let (pid, process, location) = positions.iter().enumerate().find_map(|(pid, position)| {
        let process = &model.process_types[position.process_type];
        let info = process.locations.get(position.location as usize)?;
        info.accept.then_some((pid, process, position.location))
    })?;
    Some(format!("{}({pid}) is at {}", process.name, location_name(process, location, "accept")))
}

/// `accept_it (line 7)`: a label that begins so, if the location has one.
fn location_name(process: &ProcessType, location: Location, begins: &str) -> String {
    let labels = || process.labels.iter().filter(|label| label.location == location);
    let label = labels().find(|label| label.name.starts_with(begins)).or_else(|| labels().next());
    let line = process.locations.get(location as usize).map_or(0, |info| info.line.line);
    match label {
        Some(label) => format!("`{}` (line {line})", label.name),
        None => format!("line {line} (state {location})"),
    }
}

/// How a claim, which is an automaton, accepts a run.
fn of_claim(
    model: &Model,
    property: &Property,
    run: &LassoRun,
    example: &Counterexample,
    names: &[String],
    places: &Places,
) -> Option<Why> {
    let (mut automaton, mut bdds, process, locations, subject) = match property {
        Property::Never { claim, language, .. } => {
            let process = &model.claims[*claim].automaton;
            let ClaimAutomaton { automaton, bdds, locations, .. } = automaton_of(process).ok()?;
            let subject = match language {
                Language::Promela => "the claim",
                Language::Dve => "the property process",
            };
            (automaton, bdds, Some(process), locations, subject)
        }
        Property::Claim(file) => {
            (file.automaton.clone(), file.bdds.clone(), None, Vec::new(), "the automaton")
        }
        _ => return None,
    };
    // Those of assumptions come behind the claim's own.
    automaton.propositions = names.get(..automaton.propositions.len())?.to_vec();
    let kind = property.kind();
    let accepting = accepting_run(&bdds, &automaton, &run.word)?;
    if example.ending == RunEnding::Decided && !accepting.again.is_empty() {
        let after = example.decided_after.unwrap_or(0);
        let text = format!("{subject} accepts whatever follows step {after}");
        return Some(Why { kind, text });
    }
    let state = |state: State| match (process, (state as usize).checked_sub(1)) {
        (None, _) => format!("state {state}"),
        (Some(_), None) => "its end".to_string(),
        (Some(process), Some(i)) => location_name(process, locations[i], "accept"),
    };
    let end = accepting.once.last().map_or(accepting.start, |last| last.edge.to);
    let ends = process.is_some() && end == 0;
    let whatever = if ends { "" } else { "; there it accepts whatever follows" };
    let claim = Names { subject, state: &state, whatever };
    let text = accepting.sentence(&mut bdds, &automaton, &run.word, places, &claim);
    Some(Why { kind, text })
}

fn formula_name(formulas: &Formulas, formula: Formula, names: &[String]) -> String {
    match formulas.node(formula) {
        Node::Proposition(number) => names.get(*number as usize).cloned().unwrap_or_default(),
        _ => print(formulas, formula, Style::Spot),
    }
}

/// The truth of every part of a property's formula along a run; of a claim, of its propositions.
pub fn truth(property: &Property, run: &LassoRun, names: &[String]) -> Option<Truth> {
    let mut formulas = Formulas::new();
    let mut steps = read_after(run);
    let last = steps.last().copied().unwrap_or(0);
    steps.resize(run.word.len(), last);
    let Some(goal) = property.goal(&mut formulas) else {
        let row = |number| (0..run.word.len()).map(|k| run.word.letter(k).get(number)).collect();
        let rows: Vec<(String, Vec<bool>)> =
            (0..).zip(names).map(|(number, name)| (name.clone(), row(number))).collect();
        return (!rows.is_empty()).then_some(Truth { steps, rows });
    };
    let shown = match property {
        Property::Exists { .. } | Property::Acceptance | Property::NonProgress => goal,
        _ => formulas.not(goal),
    };
    let parts = evaluate_parts(&formulas, shown, &run.word);
    let is_proposition = |formula: &Formula| matches!(formulas.node(*formula), Node::Proposition(_));
    let (mut rows, others): (Vec<_>, Vec<_>) =
        parts.into_iter().partition(|(formula, _)| is_proposition(formula));
    rows.extend(others);
    let named = |(formula, row)| (formula_name(&formulas, formula, names), row);
    Some(Truth { steps, rows: rows.into_iter().map(named).collect() })
}

/// Why a finite run is one that was looked for.
pub fn of_violation(
    interpreter: &Interpreter,
    violation: ViolationKind,
    example: &Counterexample,
) -> Option<Why> {
    let steps = || example.prefix.iter().chain(&example.cycle);
    match violation {
        ViolationKind::InvalidEndState => {
            let last = example.last.as_ref()?;
            let waiting = last.processes.iter().rev().filter(|process| !process.may_end);
            let waiting: Vec<String> = waiting
                .map(|process| {
                    format!("{}({}) waits at {}:{}", process.process, process.pid, process.file, process.line)
                })
                .collect();
            let when = match steps().last() {
                Some(step) => format!("nothing can happen after step {}", step.number),
                None => "nothing can happen at the start".to_string(),
            };
            let mut text = format!("{when}: {}", waiting[..waiting.len().min(MOST_WAITING)].join(", "));
            if waiting.len() > MOST_WAITING {
                text += &format!(", and {} others wait", waiting.len() - MOST_WAITING);
            }
            Some(Why { kind: "invalid-end-state", text })
        }
        ViolationKind::Assertion => {
            let step = steps().last()?;
            let values =
                example.last.as_ref().map_or(Vec::new(), |last| values_read(interpreter, step, last));
            let values =
                if values.is_empty() { String::new() } else { format!(", where {}", values.join(", ")) };
            Some(Why { kind: "assertion", text: format!("{}{values}", executes(step)) })
        }
        ViolationKind::RuntimeError => {
            let step = steps().last()?;
            // Behind the error there may be no state.
            let mut values = Values::at_start(example);
            steps().filter(|other| other.number < step.number).for_each(|before| values.follow(before));
            let reads = reads(interpreter, step);
            let names = variable_names(example);
            let states: Vec<&FinalState> = example.start.iter().chain(&example.last).collect();
            let read = names.iter().filter(|name| reads.names(name));
            let read = read.filter(|name| !states.iter().any(|state| is_ambiguous(state, name)));
            let read = read.filter_map(|name| Some(format!("{name} = {}", values.get(name)?)));
            let read: Vec<String> = read.take(MOST_WAITING).collect();
            let values = if read.is_empty() { String::new() } else { format!(", where {}", read.join(", ")) };
            Some(Why { kind: "runtime-error", text: format!("{}{values}", executes(step)) })
        }
        ViolationKind::EndlessSequence => {
            let (first, last) = (example.cycle.first()?, example.cycle.last()?);
            let mut who: Vec<String> = Vec::new();
            for step in &example.cycle {
                let name = format!("{}({})", step.process, step.pid);
                if !who.contains(&name) {
                    who.push(name);
                }
            }
            let round = match first.number == last.number {
                true => format!("step {}", first.number),
                false => format!("steps {} to {}", first.number, last.number),
            };
            let text = format!("{} repeats {round} for ever, inside an atomic sequence", who.join(" with "));
            Some(Why { kind: "endless-sequence", text })
        }
        ViolationKind::EventTrace => {
            let text = format!("{}, which breaks the assertion", executes(steps().last()?));
            Some(Why { kind: "event-trace", text })
        }
        ViolationKind::UnfinishedTrace => {
            let text = match steps().last() {
                Some(step) => format!(
                    "nothing can happen after step {}, and the assertion is not at its end",
                    step.number
                ),
                None => "nothing can happen at the start, and the assertion is not at its end".to_string(),
            };
            Some(Why { kind: "unfinished-trace", text })
        }
        ViolationKind::AcceptingRun | ViolationKind::CutShort => None,
    }
}

/// `P(0) executes c!1 at step 4`
fn executes(step: &TraceStep) -> String {
    let TraceStep { process, pid, statement, number, .. } = step;
    format!("{process}({pid}) executes `{statement}` at step {number}")
}

fn reads(interpreter: &Interpreter, step: &TraceStep) -> Reads {
    let mut reads = Reads::default();
    reads_of(interpreter, step, &mut reads);
    reads
}

/// So many processes that wait are named, and so many values.
const MOST_WAITING: usize = 4;

/// What the statement of a step reads, with the values: `x = 1`.
fn values_read(interpreter: &Interpreter, step: &TraceStep, state: &FinalState) -> Vec<String> {
    let reads = reads(interpreter, step);
    let read = items(state).filter(|item| reads.names(&item.name) && !is_ambiguous(state, &item.name));
    read.take(MOST_WAITING).map(|Change { name, value }| format!("{name} = {value}")).collect()
}

fn items(state: &FinalState) -> impl Iterator<Item = &Change> {
    state.globals.iter().chain(state.processes.iter().flat_map(|process| &process.variables))
}

/// Variables of blocks side by side may share a name; which of them a statement reads is not told by it.
fn is_ambiguous(state: &FinalState, name: &str) -> bool {
    items(state).filter(|item| item.name == name).count() > 1
}
