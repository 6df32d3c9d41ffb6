//! The components of a model's state space, or of its product with a property, as text and as JSON. The
//! schemas are in `docs/json.md`.

use super::json::{ReducedView, reduced_view, reduction_name};
use super::text::share_reduced;
use crate::components::{ComponentCounts, ComponentsReport, size_classes};
use crate::report::{Reduced, Seconds};
use crate::structure::StructureReport;
use lariat_search::fairness::Fairness;
use lariat_verdict::{bytes_shown, counted};
use serde::Serialize;
use std::fmt::Write;

/// The schema of the JSON.
pub const COMPONENTS_SCHEMA: &str = "lariat-components/1";
/// The schema of the JSON about a product.
pub const STRUCTURE_SCHEMA: &str = "lariat-structure/1";

/// The components as a table for people.
pub fn text(report: &ComponentsReport) -> String {
    let mut text = String::new();
    match &report.result {
        Err(reason) => drop(writeln!(text, "unknown: {reason}")),
        Ok(found) => {
            let fair = report.fairness.map(|fairness| match fairness {
                Fairness::Unconditional => "in which every process takes part, as long as it lives",
                _ => "that is weakly fair to every process",
            });
            let accepting = match (report.labelled, fair) {
                (true, Some(fair)) => Some(format!("through an accept label {fair}")),
                (true, None) => Some("through an accept label".to_string()),
                (false, fair) => fair.map(str::to_string),
            };
            describe(&mut text, found, accepting.as_deref());
        }
    }
    let _ = writeln!(
        text,
        "\n{} stored, {}, depth {}; {} for states, {} beside; {:.3} s",
        counted(report.stored, "state"),
        counted(report.counts.transitions, "transition"),
        report.counts.depth,
        bytes_shown(report.states_bytes),
        bytes_shown(report.auxiliary_bytes),
        report.seconds.search
    );
    describe_reduction(&mut text, report.reduction);
    text
}

/// A line about reduction, if that was asked for.
fn describe_reduction(text: &mut String, reduction: Option<Reduced>) {
    let _ = match reduction {
        Some(Reduced::States { reduced, expanded, left_out }) => {
            writeln!(text, "reduced: {}", share_reduced(reduced, expanded, left_out))
        }
        Some(Reduced::Not(reason)) => writeln!(text, "not reduced, because {reason}"),
        None => Ok(()),
    };
}

/// What is known about components. `accepting` says what makes one accepting, if that is known.
fn describe(text: &mut String, found: &ComponentCounts, accepting: Option<&str>) {
    let _ = writeln!(
        text,
        "explored: {} in {}",
        counted(found.states, "state"),
        counted(found.components, "strongly connected component")
    );
    let _ = writeln!(text, "largest: {}", counted(found.largest, "state"));
    let _ = writeln!(text, "trivial (one state, no cycle): {}", found.trivial);
    let _ = writeln!(text, "one state with a self-loop: {}", found.self_loops);
    if let Some(how) = accepting {
        let _ = writeln!(text, "accepting (a cycle {how}): {}", found.accepting);
    }
    let _ = writeln!(text, "sizes:");
    for class in size_classes(found) {
        let _ = writeln!(
            text,
            "  {} to {}: {}, {}",
            class.from,
            class.to,
            counted(class.components, "component"),
            counted(class.states, "state")
        );
    }
}

/// The product of a model and a property, for people.
pub fn structure_text(report: &StructureReport) -> String {
    let mut text = String::new();
    if let Some(automaton) = report.automaton {
        let _ = writeln!(
            text,
            "automaton of the runs that violate {}: {}, {}, {}",
            report.property,
            counted(automaton.states as u64, "state"),
            counted(automaton.edges as u64, "edge"),
            automaton.strength
        );
    }
    match &report.result {
        Err(reason) => drop(writeln!(text, "unknown: {reason}")),
        Ok(found) => {
            let what = match found.accepting_cycle {
                true => "the part of the product that `ascc` explores until it finds an accepting cycle",
                false => "the whole product, which has no accepting cycle",
            };
            let _ = writeln!(text, "{what}:");
            describe(&mut text, &found.components, Some("through an accepting state"));
            let effects = found.effects;
            let _ = writeln!(text, "accepting and trivial: {}", effects.accepting_trivial);
            let _ = writeln!(
                text,
                "without an accepting state, and none leads there: {}, {} of them with a cycle",
                effects.not_preceded_by_accepting, effects.not_preceded_by_accepting_cyclic
            );
        }
    }
    let _ = writeln!(text, "\n{:.3} s", report.time.as_secs_f64());
    describe_reduction(&mut text, report.reduction);
    text
}

#[derive(Serialize)]
struct StructureView<'r> {
    schema: &'static str,
    model: &'r str,
    property: &'r str,
    verdict: &'static str,
    reason: Option<&'r str>,
    accepting_cycle: Option<bool>,
    states: Option<u64>,
    components: Option<CountsView>,
    effects: Option<EffectsView>,
    reduction: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reduced: Option<ReducedView>,
    seconds: f64,
}

#[derive(Serialize)]
struct EffectsView {
    accepting_trivial: u64,
    not_preceded_by_accepting: u64,
    not_preceded_by_accepting_cyclic: u64,
}

/// The same, on a line of its own.
pub fn structure_json(report: &StructureReport) -> String {
    let found = report.result.as_ref().ok();
    super::json::line(&StructureView {
        schema: STRUCTURE_SCHEMA,
        model: &report.model,
        property: &report.property,
        verdict: if found.is_some() { "holds" } else { "unknown" },
        reason: report.result.as_ref().err().map(String::as_str),
        accepting_cycle: found.map(|found| found.accepting_cycle),
        states: found.map(|found| found.components.states),
        components: found.map(|found| counts_view(&found.components, true)),
        effects: found.map(|found| EffectsView {
            accepting_trivial: found.effects.accepting_trivial,
            not_preceded_by_accepting: found.effects.not_preceded_by_accepting,
            not_preceded_by_accepting_cyclic: found.effects.not_preceded_by_accepting_cyclic,
        }),
        reduction: reduction_name(report.reduction),
        reduced: report.reduction.map(reduced_view),
        seconds: report.time.as_secs_f64(),
    })
}

#[derive(Serialize)]
struct ComponentsView<'r> {
    schema: &'static str,
    model: &'r str,
    verdict: &'static str,
    reason: Option<&'r str>,
    components: Option<CountsView>,
    reduction: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reduced: Option<ReducedView>,
    states: StatesView,
    transitions: u64,
    post_calls: u64,
    depth: u64,
    memory: MemoryView,
    seconds: Seconds,
}

#[derive(Serialize)]
struct CountsView {
    count: u64,
    largest: u64,
    trivial: u64,
    self_loops: u64,
    accepting: Option<u64>,
    sizes: Vec<ClassView>,
}

#[derive(Serialize)]
struct ClassView {
    from: u64,
    to: u64,
    components: u64,
    states: u64,
}

#[derive(Serialize)]
struct StatesView {
    stored: u64,
    visited: u64,
}

#[derive(Serialize)]
struct MemoryView {
    states_bytes: u64,
    auxiliary_bytes: u64,
    peak_rss_bytes: Option<u64>,
}

/// An object on a line of its own.
pub fn json(report: &ComponentsReport) -> String {
    let found = report.result.as_ref().ok();
    super::json::line(&ComponentsView {
        schema: COMPONENTS_SCHEMA,
        model: &report.model,
        verdict: if found.is_some() { "holds" } else { "unknown" },
        reason: report.result.as_ref().err().map(String::as_str),
        components: found.map(|found| counts_view(found, report.labelled || report.fairness.is_some())),
        reduction: reduction_name(report.reduction),
        reduced: report.reduction.map(reduced_view),
        states: StatesView { stored: report.stored, visited: report.counts.visited },
        transitions: report.counts.transitions,
        post_calls: report.counts.post_calls,
        depth: report.counts.depth,
        memory: MemoryView {
            states_bytes: report.states_bytes,
            auxiliary_bytes: report.auxiliary_bytes,
            peak_rss_bytes: report.peak_rss_bytes,
        },
        seconds: report.seconds,
    })
}

fn counts_view(found: &ComponentCounts, accepting: bool) -> CountsView {
    CountsView {
        count: found.components,
        largest: found.largest,
        trivial: found.trivial,
        self_loops: found.self_loops,
        accepting: accepting.then_some(found.accepting),
        sizes: size_classes(found)
            .into_iter()
            .map(|class| ClassView {
                from: class.from,
                to: class.to,
                components: class.components,
                states: class.states,
            })
            .collect(),
    }
}
