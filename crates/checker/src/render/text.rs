//! Results as text: the verdict on the first line, then the counterexample in the layout of Spin's replay,
//! then the numbers.

use crate::info::{Info, VariableInfo};
use crate::lossy::{Coverage, share_shown};
use crate::profile::SearchProfile;
use crate::render::layouts::{self, Layout};
use crate::report::{
    AutomatonMove, Change, Counterexample, Cut, FairnessFacts, FinalState, FoundViolation, Place, Reduced,
    Report, RunEnding, Shortened, TraceStep, Unreached,
};
use crate::simplification::Simplified;
use lariat_engine::{Violation, ViolationKind};
use lariat_search::Counts;
use lariat_verdict::{Guarantee, NO_RUN, Verdict, bytes_shown, counted};
use std::fmt::Write;

/// The whole report: verdict, counterexamples, numbers.
pub fn report(report: &Report) -> String {
    report_in(report, &Layout::Steps)
}

/// The same, with its runs in a layout.
pub fn report_in(report: &Report, layout: &Layout) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", first_line(report));
    if let Some(list) = report.not_checked.as_ref().filter(|list| !list.is_empty()) {
        let _ = writeln!(text, "not checked: {}", list.join(", "));
    }
    for remark in &report.remarks {
        let _ = writeln!(text, "note: {remark}");
    }
    match report.unreached {
        Some(_) => census(report, &mut text),
        None => counterexamples(report, layout, &mut text),
    }
    numbers(report, &mut text);
    for process in report.unreached.iter().flatten() {
        unreached(process, report.stopped.is_some(), &mut text);
    }
    text
}

/// The verdict on one line.
pub fn first_line(report: &Report) -> String {
    if !matches!(report.property.kind, "safety" | "explore" | "none") {
        return property_line(report);
    }
    match &report.verdict {
        Verdict::Holds(Guarantee::Exhaustive) if report.unreached.is_some() => {
            "explored: every reachable state".to_string()
        }
        Verdict::Holds(Guarantee::ExhaustiveButHidden) if report.unreached.is_some() => {
            "explored: every reachable state (compared without hidden variables)".to_string()
        }
        Verdict::Holds(Guarantee::ExhaustiveButHidden) => {
            "holds: no assertion fails and no process gets stuck (every reachable state was checked, compared without \
             hidden variables: what depends on their values may be missed)"
                .to_string()
        }
        Verdict::Holds(_) => {
            "holds: no assertion fails and no process gets stuck (every reachable state was checked)"
                .to_string()
        }
        Verdict::Violated => match report.violations.first() {
            Some(found) => format!("violated: {}", violation_in(found)),
            None => "violated".to_string(),
        },
        Verdict::Unknown(reason) => format!("unknown: {reason}"),
        Verdict::Refused(reason) => format!("refused: {reason}"),
    }
}

/// The verdict on a property beyond safety.
fn property_line(report: &Report) -> String {
    let (title, good, bad) = property_words(report);
    let remark = match (report.no_run, report.vacuous) {
        (true, _) => NO_RUN,
        (false, true) => " (vacuous: there is no such run)",
        (false, false) => "",
    };
    match &report.verdict {
        Verdict::Holds(_) => format!("holds: {title}: {good}{remark}"),
        Verdict::Violated => format!("violated: {title}: {bad}{remark}"),
        Verdict::Unknown(reason) => format!("unknown: {title}: {reason}"),
        Verdict::Refused(reason) => format!("refused: {title}: {reason}"),
    }
}

/// What a run shows that was found for a property beyond safety: `ltl p: a run does not satisfy G x`.
pub fn shown_by_run(report: &Report) -> String {
    let (title, good, bad) = property_words(report);
    let shown = if report.property.kind == "exists" { good } else { bad };
    format!("{title}: {shown}")
}

/// A property, what is said if it holds, and what if it does not.
fn property_words(report: &Report) -> (String, String, String) {
    let property = &report.property;
    let formula = property.formula.as_deref().unwrap_or_default();
    let title = match property.kind {
        "ltl" => format!("ltl {}", property.name),
        "never" if property.name == "never" => "never claim".to_string(),
        "never" => format!("never claim {}", property.name),
        "property" => format!("property {}", property.name),
        "claim" => format!("claim {formula}").trim_end().to_string(),
        other => other.to_string(),
    };
    let run = runs_that_count(report);
    let a = if run.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    let (good, bad) = match property.kind {
        "ltl" | "invariant" => {
            (format!("every {run} satisfies {formula}"), format!("{a} {run} does not satisfy {formula}"))
        }
        "exists" => (format!("{a} {run} satisfies {formula}"), format!("no {run} satisfies {formula}")),
        "never" | "claim" => {
            (format!("no {run} is accepted by the claim"), format!("{a} {run} is accepted by the claim"))
        }
        "property" => (format!("no {run} is accepted by it"), format!("{a} {run} is accepted by it")),
        "acceptance" => (
            format!("no {run} passes accept labels for ever"),
            format!("{a} {run} passes accept labels for ever"),
        ),
        "trace" => ("every run keeps to the assertion".to_string(), breach(report)),
        "notrace" => ("no run matches the assertion".to_string(), breach(report)),
        _ => (
            format!("every {run} passes progress labels for ever"),
            format!("{a} {run} passes no progress label for ever"),
        ),
    };
    (title, good, bad)
}

/// `run`, or which of them count: `weakly fair run that keeps the assumption`.
fn runs_that_count(report: &Report) -> String {
    let mut run = match report.fairness {
        None => "run".to_string(),
        Some(FairnessFacts { kind: "unconditional", .. }) => "unconditionally fair run".to_string(),
        Some(FairnessFacts { kind, .. }) => format!("{kind}ly fair run"),
    };
    match report.assumptions.len() {
        0 => {}
        1 => run.push_str(" that keeps the assumption"),
        _ => run.push_str(" that keeps the assumptions"),
    }
    run
}

/// What breaks an assertion about events.
fn breach(report: &Report) -> String {
    report.violations.first().map_or("a run breaks the assertion".to_string(), violation_in)
}

/// A violation with the place where it happens.
fn violation_in(found: &FoundViolation) -> String {
    placed(violation(&found.violation), found.place.as_ref())
}

/// `assertion failed: assert((x==1)) (p.pml:7)`
pub fn placed(text: String, place: Option<&Place>) -> String {
    match place {
        Some(place) => format!("{text} ({}:{})", place.file, place.line),
        None => text,
    }
}

/// A violation in words.
pub fn violation(violation: &Violation) -> String {
    match violation.kind {
        ViolationKind::Assertion => format!("assertion failed: {}", violation.message),
        ViolationKind::InvalidEndState => {
            "invalid end state: nothing can happen, but some process is not at its end".to_string()
        }
        ViolationKind::RuntimeError => format!("run-time error: {}", violation.message),
        ViolationKind::EndlessSequence => format!("endless sequence: {}", violation.message),
        ViolationKind::AcceptingRun => format!("a run violates {}", violation.message),
        ViolationKind::EventTrace | ViolationKind::UnfinishedTrace | ViolationKind::CutShort => {
            violation.message.clone()
        }
    }
}

/// So many steps are a long run.
const LONG: usize = 50;

/// Whether the run that a report shows takes long to read, and a shorter one may exist.
pub fn is_long(report: &Report) -> bool {
    let shown = report.violations.first().and_then(|found| found.counterexample.as_ref());
    shown.is_some_and(|run| run.shortened.is_none() && run.prefix.len() + run.cycle.len() > LONG)
}

/// What it took: `1,204 states, 0.003 s`. That reduction has left something out is said.
pub fn in_short(report: &Report) -> String {
    let states = grouped(report.counts.stored);
    let plural = if report.counts.stored == 1 { "" } else { "s" };
    let reduced = match report.reduction {
        Some(Reduced::States { left_out, .. }) if left_out >= 0.01 => {
            format!(" (about {:.0} % of the steps left out)", 100.0 * left_out)
        }
        _ => String::new(),
    };
    format!("{states} state{plural}{reduced}, {:.3} s", report.seconds.total)
}

/// The first run that a report of several shows, with a heading; `None` if there is none to show.
pub fn run(report: &Report, layout: &Layout) -> Option<String> {
    let example = report.violations.first()?.counterexample.as_ref()?;
    let mut text = format!("{}\n\n", first_line(report));
    counterexample(example, layout, &mut text);
    fairness(report, example, &mut text);
    Some(text)
}

fn counterexamples(report: &Report, layout: &Layout, text: &mut String) {
    for (i, found) in report.violations.iter().enumerate() {
        if report.violations.len() > 1 {
            let _ = writeln!(text, "\nviolation {}: {}, {}", i + 1, violation_in(found), times(found.count));
        }
        if let Some(example) = &found.counterexample {
            text.push('\n');
            counterexample(example, layout, text);
            fairness(report, example, text);
        }
    }
    if report.verdict == Verdict::Violated
        && let Some(reason) = &report.stopped
    {
        let _ = writeln!(text, "\nnot everything was searched: {reason}");
    }
}

fn counterexample(example: &Counterexample, layout: &Layout, text: &mut String) {
    if let Some(why) = &example.why {
        let _ = writeln!(text, "why: {}", why.text);
    }
    if example.prefix.iter().chain(&example.cycle).any(|step| step.without_influence) {
        text.push_str(LEGEND);
    }
    if example.why.is_some() {
        text.push('\n');
    }
    match layout {
        Layout::Steps => steps(example, text),
        _ => layouts::run(example, layout, text),
    }
    after_steps(example, text);
}

/// Said above a run with marked steps.
pub const LEGEND: &str =
    "(steps marked ~ have no influence on this, as far as what statements read and write shows)\n";

/// The steps of a run in the layout of Spin's replay.
fn steps(example: &Counterexample, text: &mut String) {
    match (&example.initial, &example.propositions) {
        (Some(initial), _) => text.push_str(&start(initial)),
        (None, Some(_)) => text.push_str(START),
        (None, None) if example.prefix.iter().any(|shown| shown.number == 0) => text.push_str(START),
        (None, None) => {}
    }
    if let Some(facts) = &example.propositions {
        propositions(&facts.initially_true, &facts.initially_false, text);
    }
    read_by_property(example, 0, text);
    // If the initial state decides, it stands in the place of a step.
    for shown in example.prefix.iter().filter(|shown| shown.number > 0) {
        step(shown, text);
        read_by_property(example, shown.number, text);
    }
    if !example.cycle.is_empty() {
        text.push_str("<<<<<START OF CYCLE>>>>>\n");
        // Where the verdict is certain before, what is repeated does not matter.
        if let Some(facts) = example.propositions.as_ref().filter(|_| example.decided_after.is_none()) {
            let parts = [("always true", &facts.always_in_cycle), ("never true", &facts.never_in_cycle)];
            let parts = parts.into_iter().filter(|(_, names)| !names.is_empty());
            let parts: Vec<String> =
                parts.map(|(what, names)| format!("{what}: {}", names.join(", "))).collect();
            if example.ending == RunEnding::Diverges {
                text.push_str(
                    "\tof this the property sees nothing: it looks at the state before the sequence\n",
                );
            } else if !parts.is_empty() {
                let _ = writeln!(text, "\tin the cycle {}", parts.join("; "));
            }
        }
        for shown in &example.cycle {
            step(shown, text);
            read_by_property(example, shown.number, text);
        }
    }
}

/// How a run goes on behind what is shown of it.
pub fn ending(example: &Counterexample) -> String {
    let count = example.cycle.last().or(example.prefix.last()).map_or(0, |step| step.number);
    let length = || {
        let prefix = counted(example.prefix.len() as u64, "step");
        format!("{}, after {prefix}", counted(example.cycle.len() as u64, "step"))
    };
    let mut ending = match example.ending {
        RunEnding::Ends => format!("the run ends after {}", counted(count, "step")),
        RunEnding::Cut => example.cut.as_ref().map_or(String::new(), |cut| in_part(count, cut)),
        RunEnding::Repeats => format!("the cycle is repeated for ever: {}", length()),
        RunEnding::Stops => {
            let steps = counted(example.prefix.len() as u64, "step");
            format!("the run ends after {steps}; its last state is repeated for ever")
        }
        RunEnding::Diverges => {
            format!(
                "the cycle is repeated for ever, inside an atomic sequence: {}; no other process ever moves again",
                length()
            )
        }
        RunEnding::Decided => format!(
            "the verdict is certain after {}, however the run goes on (--whole-run shows one way)",
            counted(example.decided_after.unwrap_or(count), "step")
        ),
    };
    if let Some(Shortened { from, to }) = example.shortened {
        let to = counted(to, "transition");
        let _ = write!(ending, " (a shortest one, {to}; the search had found one of {from})");
    }
    ending
}

/// How a run goes on, and where everything stands at its end.
fn after_steps(example: &Counterexample, text: &mut String) {
    let mut count = example.cycle.last().or(example.prefix.last()).map_or(0, |step| step.number);
    let _ = writeln!(text, "{}", ending(example));
    count += example.cut.as_ref().map_or(0, |cut| cut.not_shown);
    if let Some(last) = &example.last {
        final_state(last, count, text);
    }
    if let Some(automaton) = &example.automaton {
        let _ = write!(text, "\nthe automaton that accepts this run:\n{}", automaton.text);
    }
}

/// Why a run is fair: a line for each unit.
fn fairness(report: &Report, example: &Counterexample, text: &mut String) {
    let Some(FairnessFacts { kind, to, fairness }) = report.fairness else { return };
    match &example.fairness {
        Some(facts) => {
            let _ = writeln!(text, "why the run is fair ({kind} fairness to {to}):");
            for unit in facts {
                let _ = writeln!(text, "\t{}", unit.describe(fairness));
            }
            if facts.is_empty() {
                text.push_str("\tthere is nobody left to be fair to\n");
            }
        }
        None if example.ending == RunEnding::Decided => {
            text.push_str("every run can go on so that it is fair\n");
        }
        None => {}
    }
}

/// What is said of a run of which only the first steps are shown.
fn in_part(shown: u64, cut: &Cut) -> String {
    let Cut { not_shown, replayed, reason } = cut;
    let further = counted(*not_shown, "further step");
    let rest = match (replayed, not_shown) {
        (true, _) => format!("{further} were replayed and are not shown: {reason}"),
        (false, 0) => format!("the rest was not replayed: {reason}"),
        (false, _) => {
            format!("{further} were replayed and are not shown, the rest was not replayed: {reason}")
        }
    };
    match shown {
        0 => format!("the run is not shown; {rest}"),
        _ => format!("the run is shown in part, its first {}; {rest}", counted(shown, "step")),
    }
}

/// One line for the step, one before it for what it prints, one after it for each change.
pub fn step(step: &TraceStep, text: &mut String) {
    if let Some(printed) = &step.printed {
        for line in printed.split_inclusive('\n') {
            let _ = write!(text, "{:width$}{line}", "", width = 6 + 4 * step.pid as usize);
        }
        if !printed.ends_with('\n') {
            text.push('\n');
        }
    }
    if step.stutters {
        let _ = writeln!(text, "{:>3}:\tnothing happens any more: the last state is repeated", step.number);
    } else {
        let mark = if step.without_influence { "\t~" } else { "" };
        let _ = writeln!(text, "{:>3}:\t{}\t[{}]{mark}", step.number, place(step), step.statement);
    }
    match &step.after {
        Some(after) => whole_state(after, text),
        None => changes(&step.changes, text),
    }
    propositions(&step.becomes_true, &step.becomes_false, text);
}

/// Which propositions become true, and which false.
fn propositions(now_true: &[String], now_false: &[String], text: &mut String) {
    for (word, names) in [("true", now_true), ("false", now_false)] {
        if !names.is_empty() {
            let _ = writeln!(text, "\t\t{word}: {}", names.join(", "));
        }
    }
}

/// What the property makes of the state after a step: how its automaton moves, and whether that decides.
fn read_by_property(example: &Counterexample, number: u64, text: &mut String) {
    if let Some(automaton) = &example.automaton {
        for read in
            [&automaton.prefix, &automaton.cycle].into_iter().flat_map(|moves| read_after(moves, number))
        {
            let marks: Vec<String> = read.marks.iter().map(u32::to_string).collect();
            let marks = if marks.is_empty() { String::new() } else { format!("  {{{}}}", marks.join(",")) };
            let accepting = if read.accepting { ", accepting" } else { "" };
            let AutomatonMove { from, to, label, .. } = read;
            let _ = writeln!(text, "\t\tautomaton: {from} → {to} on {label}{marks}{accepting}");
        }
    }
    // Where no more is shown than decides, the last line says it.
    if example.decided_after == Some(number) && example.ending != RunEnding::Decided {
        text.push_str("\t\tthe verdict is certain here, however the run goes on\n");
    }
}

/// The moves that read the state after a step. Moves stand in the order of what they read.
fn read_after(moves: &[AutomatonMove], number: u64) -> &[AutomatonMove] {
    let first = moves.partition_point(|read| read.after < number);
    let count = moves[first..].partition_point(|read| read.after == number);
    &moves[first..first + count]
}

const START: &str = "  0:\tthe run starts here\n";

/// Where a run starts.
pub fn start(initial: &FinalState) -> String {
    let mut text = START.to_string();
    whole_state(initial, &mut text);
    text
}

/// All of a state, below the step that leads to it.
fn whole_state(state: &FinalState, text: &mut String) {
    changes(&state.globals, text);
    for process in state.processes.iter().rev() {
        let at = process.state.clone().unwrap_or_else(|| process.location.to_string());
        let _ = writeln!(text, "\t\tproc {:>2} ({}) is in state {at}", process.pid, process.process);
        changes(&process.variables, text);
    }
}

/// `proc  1 (P:1) pet.pml:4 (state 1)`
pub fn place(step: &TraceStep) -> String {
    format!(
        "proc {:>2} ({}:{}) {}:{} (state {})",
        step.pid, step.process, step.priority, step.file, step.line, step.state
    )
}

fn changes(changes: &[Change], text: &mut String) {
    for change in changes {
        let sign = if change.name.starts_with("queue ") { ":" } else { " =" };
        let _ = writeln!(text, "\t\t{}{sign} {}", change.name, change.value);
    }
}

/// Where everything stands after so many steps.
pub fn final_state(state: &FinalState, steps: u64, text: &mut String) {
    let _ = writeln!(text, "#processes: {}", state.processes.len());
    changes(&state.globals, text);
    for process in &state.processes {
        let end = if process.may_end { " <valid end state>" } else { "" };
        let state = process.state.clone().unwrap_or_else(|| process.location.to_string());
        let _ = writeln!(
            text,
            "{steps:>3}:\tproc {:>2} ({}:{}) {}:{} (state {state}){end}",
            process.pid, process.process, process.priority, process.file, process.line
        );
        changes(&process.variables, text);
    }
}

/// The variables and channels of a state whose names contain a text.
pub fn variables_named(state: &FinalState, part: &str, text: &mut String) {
    let local = state.processes.iter().rev().flat_map(|process| &process.variables);
    let named: Vec<Change> =
        state.globals.iter().chain(local).filter(|item| item.name.contains(part)).cloned().collect();
    changes(&named, text);
}

/// What was met on the way through the whole state space.
fn census(report: &Report, text: &mut String) {
    text.push('\n');
    line(text, "invalid end states", report.counts.deadlocks.to_string());
    line(text, "assertion violations", report.counts.assertion_violations.to_string());
    details(report, ViolationKind::Assertion, text);
    line(text, "run-time errors", report.counts.runtime_errors.to_string());
    details(report, ViolationKind::RuntimeError, text);
    if report.counts.endless_sequences > 0 {
        line(text, "endless sequences", report.counts.endless_sequences.to_string());
        details(report, ViolationKind::EndlessSequence, text);
    }
}

fn details(report: &Report, kind: ViolationKind, text: &mut String) {
    for found in report.violations.iter().filter(|found| found.violation.kind == kind) {
        let message = placed(found.violation.message.clone(), found.place.as_ref());
        let _ = writeln!(text, "  {message}, {}", times(found.count));
    }
}

fn numbers(report: &Report, text: &mut String) {
    let counts = &report.counts;
    text.push('\n');
    line(text, "states stored", counts.stored.to_string());
    if counts.visited != counts.stored {
        line(text, "states visited", counts.visited.to_string());
    }
    line(text, "transitions", counts.transitions.to_string());
    let more = if counts.order_given_up { " or more" } else { "" };
    line(text, "depth", format!("{}{more}", counts.depth));
    line(text, "memory", memory(counts));
    let rate = match report.seconds.search {
        seconds if seconds > 0.01 => format!(" ({})", rate(counts.stored, seconds)),
        _ => String::new(),
    };
    line(text, "seconds", format!("{:.3}{rate}", report.seconds.total));
    if let Some(profile) = &report.profile {
        let SearchProfile { successors, hashing, probing, reading, stack } = profile;
        let total = (successors + hashing + probing + reading + stack).max(1e-9);
        let parts = [
            ("successors", successors),
            ("hashing", hashing),
            ("probing", probing),
            ("reading", reading),
            ("the search itself", stack),
        ];
        let shares = parts.map(|(name, seconds)| format!("{name} {:.0} %", 100.0 * seconds / total));
        line(text, "time of the search", shares.join(", "));
    }
    match report.reduction {
        Some(Reduced::States { reduced, expanded, left_out }) => {
            line(text, "reduction", share_reduced(reduced, expanded, left_out))
        }
        Some(Reduced::Not(reason)) => line(text, "reduction", format!("none, because {reason}")),
        None => {}
    }
    if let Some(done) = &report.simplified {
        line(text, "simplified", simplified(done));
    }
    if let Some(length) = &report.run_length {
        line(text, "run", length.describe());
    }
    if let Some(coverage) = &report.coverage {
        line(text, "store", store(report.store, coverage));
    }
    if let Some(reason) = &report.algorithm_reason {
        line(text, "algorithm", reason.clone());
    }
    if let Some(FairnessFacts { kind, to, .. }) = report.fairness {
        line(text, "fairness", format!("{kind}, to {to}"));
    }
    for assumption in &report.assumptions {
        line(text, "assumed", assumption.clone());
    }
}

/// Of which share of the states only some processes were followed, and what that spared.
pub(super) fn share_reduced(reduced: u64, expanded: u64, left_out: f64) -> String {
    let share = 100.0 * reduced as f64 / expanded.max(1) as f64;
    let left_out = 100.0 * left_out;
    format!(
        "in {share:.1} % of the states only some processes were followed; about {left_out:.0} % of the steps were left out"
    )
}

/// Where the memory went: states, their table, the model's own, and stacks and marks of the search.
fn memory(counts: &Counts) -> String {
    let mut memory = format!(
        "{} for states, {} for their table, {} for the model, {} for the search",
        bytes_shown(counts.states_bytes),
        bytes_shown(counts.table_bytes),
        bytes_shown(counts.model_bytes),
        bytes_shown(counts.stacks.bytes)
    );
    if counts.stored >= MANY
        && let Some(bytes) = bytes_per_state(counts)
    {
        let _ = write!(memory, "; {bytes:.1} bytes a state");
        if let Some(load) = counts.load {
            let _ = write!(memory, ", table {:.0} % full", f64::from(load) / 10.0);
        }
    }
    if let Some(states) = counts.store_changed_at {
        let _ = write!(memory, "; `tree` since there were {} states", grouped(states));
    }
    memory
}

/// Of fewer states it says little what each takes.
const MANY: u64 = 10_000;

/// All of the memory, by the number of states.
pub(super) fn bytes_per_state(counts: &Counts) -> Option<f64> {
    let bytes = (counts.states_bytes + counts.auxiliary_bytes) as f64;
    (counts.stored > 0).then(|| (bytes / counts.stored as f64 * 100.0).round() / 100.0)
}

/// A lossy store, and what it has missed.
fn store(name: &str, coverage: &Coverage) -> String {
    let share = share_shown(coverage.missed_share);
    match coverage.passes.len() {
        1 => format!("{name}, expected to have missed {share} of all states"),
        passes => format!("{name}, {passes} passes, expected to have missed {share} of all states together"),
    }
}

/// What was done to the model before it was run.
fn simplified(done: &Simplified) -> String {
    let mut parts = Vec::new();
    if let Some(resets) = done.resets {
        parts.push(format!("dead variables reset at {}", counted(resets as u64, "location")));
    }
    match (&done.not_merged, done.merged) {
        (Some(reason), _) => parts.push(format!("no statements merged, because {reason}")),
        (None, Some(merged)) => {
            parts.push(format!("{} merged with the next", counted(merged as u64, "statement")));
        }
        (None, None) => {}
    }
    parts.join("; ")
}

/// Stored states a second.
pub fn rate(stored: u64, seconds: f64) -> String {
    counted((stored as f64 / seconds.max(1e-9)).round() as u64, "state") + " a second"
}

fn line(text: &mut String, name: &str, value: String) {
    let _ = writeln!(text, "{:<22}{value}", format!("{name}:"));
}

fn unreached(process: &Unreached, incomplete: bool, text: &mut String) {
    let so_far = if incomplete { " (so far: the exploration was not complete)" } else { "" };
    let _ = writeln!(text, "\nunreached in {}{so_far}", process.process);
    for statement in &process.statements {
        let _ = writeln!(
            text,
            "\t{}:{}, state {}, \"{}\"",
            statement.file, statement.line, statement.location, statement.statement
        );
    }
    let _ = writeln!(text, "\t({} of {})", process.count, counted(process.locations as u64, "state"));
}

/// `8,843,939`
pub fn grouped(number: u64) -> String {
    let mut text = number.to_string();
    for at in (1..text.len()).rev().skip(2).step_by(3) {
        text.insert(at, ',');
    }
    text
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_string() } else { format!("{count} times") }
}

/// What a model consists of.
pub fn info(info: &Info) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "model {}", info.model);
    if !info.globals.is_empty() {
        text.push_str("\nglobal variables\n");
        variables(&info.globals, &mut text);
    }
    for process in &info.processes {
        let _ = writeln!(
            text,
            "\nprocess {} ({}:{}): {}, {}, {}, {}",
            process.name,
            process.file,
            process.line,
            counted(process.instances as u64, "instance") + " at the start",
            counted(process.locations as u64, "location"),
            counted(process.transitions as u64, "transition"),
            counted(process.frame_size as u64, "byte")
        );
        variables(&process.variables, &mut text);
    }
    if !info.channels.is_empty() {
        text.push_str("\nchannels\n");
    }
    for channel in &info.channels {
        let _ = writeln!(
            text,
            "  {} = [{}] of {{ {} }}, {}",
            channel.name,
            channel.capacity,
            channel.fields.join(", "),
            counted(channel.frame_size as u64, "byte")
        );
    }
    for claim in &info.claims {
        let _ = writeln!(text, "\nclaim {claim}");
    }
    for formula in &info.formulas {
        let _ = writeln!(text, "\nltl {}: {}", formula.name, formula.formula);
    }
    if let Some(bytes) = info.initial_state_bytes {
        let packed = info.packed_state_bytes.unwrap_or(bytes);
        let _ =
            writeln!(text, "\ninitial state: {}, {packed} of bits that count", counted(bytes as u64, "byte"));
        for part in &info.layout {
            let _ = writeln!(text, "  {:>5} {:>5}  {}", part.offset, part.size, part.what);
        }
    }
    text
}

fn variables(variables: &[VariableInfo], text: &mut String) {
    for variable in variables {
        let length = variable.length.map_or(String::new(), |length| format!("[{length}]"));
        let hidden = if variable.hidden { ", hidden" } else { "" };
        let _ = writeln!(
            text,
            "  {} {}{length}: offset {}, {}{hidden}",
            variable.ty,
            variable.name,
            variable.offset,
            counted(variable.size as u64, "byte")
        );
    }
}
