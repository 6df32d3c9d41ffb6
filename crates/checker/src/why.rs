//! Why a run violates what was checked, in a sentence or two.
//!
//! Of a formula, [`lariat_ltl::explain`] finds the reason, as claims about positions of the word that the run
//! spells; here positions become steps. An invalid end state is explained by those who wait, an assertion by
//! what it read. A claim that is an automaton has no structure to speak of: nothing is said.

use crate::influence::{Reads, reads_of};
use crate::properties::Property;
use crate::reading::read_after;
use crate::report::{Change, Counterexample, FinalState, RunEnding, TraceStep, Truth, Why};
use lariat_engine::{Interpreter, ViolationKind};
use lariat_ltl::evaluate::evaluate_parts;
use lariat_ltl::explain::{Kind, Loop, Places, Reasons, explain};
use lariat_ltl::formula::Node;
use lariat_ltl::print::{Style, print};
use lariat_ltl::{Formula, Formulas};
use lariat_search::LassoRun;

/// Why an infinite run is one of those that were looked for. `names` are those of the propositions.
pub fn of_run(
    property: &Property,
    run: &LassoRun,
    example: &Counterexample,
    names: &[String],
) -> Option<Why> {
    let mut formulas = Formulas::new();
    // Of `false` there is nothing to explain.
    let goal = property.goal(&mut formulas).filter(|goal| *goal != Formula::TRUE)?;
    let stated = if matches!(property, Property::Exists { .. }) { goal } else { formulas.not(goal) };
    let kind = Kind::of(&formulas, stated).name();
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
    let Some(explanation) = explain(&formulas, goal, &run.word, reasons) else {
        let after = example.decided_after.unwrap_or(0);
        let text = format!("whatever follows step {after}, the formula keeps its value");
        return Some(Why { kind, text });
    };
    let name = |formula| formula_name(&formulas, formula, names);
    Some(Why { kind, text: explanation.sentence(&run.word, &Places { steps: &steps, end }, name) })
}

fn formula_name(formulas: &Formulas, formula: Formula, names: &[String]) -> String {
    match formulas.node(formula) {
        Node::Proposition(number) => names.get(*number as usize).cloned().unwrap_or_default(),
        _ => print(formulas, formula, Style::Spot),
    }
}

/// The truth of every part of a property's formula along a run.
pub fn truth(property: &Property, run: &LassoRun, names: &[String]) -> Option<Truth> {
    let mut formulas = Formulas::new();
    let goal = property.goal(&mut formulas)?;
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
    let mut steps = read_after(run);
    let last = steps.last().copied().unwrap_or(0);
    steps.resize(run.word.len(), last);
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
            let TraceStep { process, pid, statement, number, .. } = step;
            let text = format!("{process}({pid}) executes `{statement}` at step {number}{values}");
            Some(Why { kind: "assertion", text })
        }
        _ => None,
    }
}

/// So many processes that wait are named, and so many values.
const MOST_WAITING: usize = 4;

/// What the statement of a step reads, with the values: `x = 1`.
fn values_read(interpreter: &Interpreter, step: &TraceStep, state: &FinalState) -> Vec<String> {
    let mut reads = Reads::default();
    reads_of(interpreter, step, &mut reads);
    let locals = state.processes.iter().flat_map(|process| &process.variables);
    let read = state.globals.iter().chain(locals).filter(|item| reads.names(&item.name));
    read.take(MOST_WAITING).map(|Change { name, value }| format!("{name} = {value}")).collect()
}
