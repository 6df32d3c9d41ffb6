//! The components of a model's state space, as text and as JSON. The schema is in `docs/json.md`.

use super::text::counted;
use crate::components::{ComponentsReport, size_classes};
use crate::memory::shown;
use crate::report::Seconds;
use serde::Serialize;
use std::fmt::Write;

/// The schema of the JSON.
pub const COMPONENTS_SCHEMA: &str = "lariat-components/1";

/// The components as a table for people.
pub fn text(report: &ComponentsReport) -> String {
    let mut text = String::new();
    match &report.result {
        Err(reason) => drop(writeln!(text, "unknown: {reason}")),
        Ok(found) => {
            let _ = writeln!(
                text,
                "explored: {} in {}",
                counted(found.states, "state"),
                counted(found.components, "strongly connected component")
            );
            let _ = writeln!(text, "largest: {}", counted(found.largest, "state"));
            let _ = writeln!(text, "trivial (one state, no cycle): {}", found.trivial);
            let _ = writeln!(text, "one state with a self-loop: {}", found.self_loops);
            if report.labelled {
                let _ = writeln!(text, "accepting (a cycle through an accept label): {}", found.accepting);
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
    }
    let _ = writeln!(
        text,
        "\n{} stored, {}, depth {}; {} for states, {} beside; {:.3} s",
        counted(report.stored, "state"),
        counted(report.counts.transitions, "transition"),
        report.counts.depth,
        shown(report.states_bytes),
        shown(report.auxiliary_bytes),
        report.seconds.search
    );
    text
}

#[derive(Serialize)]
struct ComponentsView<'r> {
    schema: &'static str,
    model: &'r str,
    verdict: &'static str,
    reason: Option<&'r str>,
    components: Option<CountsView>,
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
    super::emptiness::line(&ComponentsView {
        schema: COMPONENTS_SCHEMA,
        model: &report.model,
        verdict: if found.is_some() { "holds" } else { "unknown" },
        reason: report.result.as_ref().err().map(String::as_str),
        components: found.map(|found| CountsView {
            count: found.components,
            largest: found.largest,
            trivial: found.trivial,
            self_loops: found.self_loops,
            accepting: report.labelled.then_some(found.accepting),
            sizes: size_classes(found)
                .into_iter()
                .map(|class| ClassView {
                    from: class.from,
                    to: class.to,
                    components: class.components,
                    states: class.states,
                })
                .collect(),
        }),
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
