//! A run as a page: one HTML file that needs nothing else, for a colleague who was not there.
//!
//! The page holds the run as JSON, and a program of our own that draws it: the timeline with its loop, the
//! chart of processes and messages, the variables, the source with the line that runs, what the property
//! makes of each state. Here the parts are put together. What a model's author wrote stands only in the JSON,
//! where `<` is written as an escape, so that nothing can end its element, and is shown by text nodes only;
//! a policy in the head forbids every request.

use crate::render::layouts::{messages, movers, variable_names};
use crate::render::text;
use crate::report::{Counterexample, Report, TraceStep};
use lariat_source::SourceMap;
use lariat_verdict::Verdict;
use serde_json::{Value, json};
use std::collections::HashMap;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const PROGRAM: &str = include_str!("page.js");

/// The page of the first run that a report shows; `None` if there is none.
pub fn page(report: &Report, sources: &SourceMap) -> Option<String> {
    let example = report.violations.first()?.counterexample.as_ref()?;
    let title = format!("{}: {}", report.model, text::first_line(report));
    // In JSON, `<` stands only inside strings.
    let data = data(report, example, sources).to_string().replace('<', "\\u003c");
    Some(fill(TEMPLATE, |name| match name {
        "title" => escaped(&title),
        "style" => STYLE.to_string(),
        "data" => data.clone(),
        "program" => PROGRAM.to_string(),
        _ => String::new(),
    }))
}

/// The template with every `{{name}}` replaced. What is put in is not looked at again.
fn fill(template: &str, part: impl Fn(&str) -> String) -> String {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, behind)) = after.split_once("}}") else { break };
        filled.push_str(before);
        filled.push_str(&part(name));
        rest = behind;
    }
    filled + rest
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Texts by number: each stands in the page once.
#[derive(Default)]
struct Numbered {
    texts: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Numbered {
    fn of(&mut self, text: &str) -> usize {
        if let Some(&known) = self.numbers.get(text) {
            return known;
        }
        self.texts.push(text.to_string());
        self.numbers.insert(text.to_string(), self.texts.len() - 1);
        self.texts.len() - 1
    }
}

fn data(report: &Report, example: &Counterexample, sources: &SourceMap) -> Value {
    let (mut names, mut processes, mut files) =
        (Numbered::default(), Numbered::default(), Numbered::default());
    variable_names(example).iter().for_each(|name| {
        names.of(name);
    });
    // The source is of interest also where no step leads into it.
    files.of(&report.model);
    let prefix = example.prefix.iter().filter(|step| step.number > 0);
    let steps: Vec<&TraceStep> = prefix.chain(&example.cycle).collect();
    let movers = movers(example);
    let mut step_value = |step: &TraceStep| {
        let gone = step.disappears.iter().map(|name| json!([names.of(name), null]));
        let mut changes: Vec<Value> = gone.collect();
        for item in step.appears.iter().chain(&step.changes) {
            changes.push(json!([names.of(&item.name), item.value]));
        }
        json!({ "pid": step.pid, "who": processes.of(&step.process), "file": files.of(&step.file),
            "line": step.line, "statement": step.statement, "changes": changes,
            "idle": step.without_influence, "stutters": step.stutters })
    };
    let values: Vec<Value> = steps.iter().map(|step| step_value(step)).collect();
    let mut start = Vec::new();
    if let Some(state) = &example.start {
        let locals = state.processes.iter().flat_map(|process| &process.variables);
        for item in state.globals.iter().chain(locals) {
            start.push(json!([names.of(&item.name), item.value]));
        }
    }
    let cycle = (!example.cycle.is_empty()).then(|| steps.len() - example.cycle.len());
    let mut sent = messages(example);
    sent.sort_by_key(|message| message.sent);
    let texts = files.texts.iter().map(|name| {
        let file = sources.files().iter().find(|file| file.name == *name);
        file.map(|file| json!({ "name": name, "text": file.text }))
    });
    let texts: Vec<Option<Value>> = texts.collect();
    let truth = example.truth.as_ref().map(|truth| {
        let row = |row: &[bool]| row.iter().map(|holds| if *holds { '1' } else { '0' }).collect::<String>();
        let rows: Vec<Value> = truth.rows.iter().map(|(name, values)| json!([name, row(values)])).collect();
        json!({ "steps": truth.steps, "rows": rows })
    });
    let moves = example.automaton.as_ref().map(|automaton| {
        let moves = automaton.prefix.iter().chain(&automaton.cycle);
        moves.map(|m| json!([m.after, m.from, m.to, m.label, m.accepting])).collect::<Vec<Value>>()
    });
    let read_after = example.automaton.as_ref().map(|automaton| {
        automaton.prefix.iter().chain(&automaton.cycle).map(|m| m.after).collect::<Vec<u64>>()
    });
    json!({
        "verdict": text::first_line(report),
        "good": matches!(report.verdict, Verdict::Holds(_)),
        "why": example.why.as_ref().map_or(String::new(), |why| why.text.clone()),
        "ending": text::ending(example),
        "names": names.texts,
        "names_of": processes.texts,
        "processes": movers.iter().collect::<Vec<_>>(),
        "place": movers.keys().enumerate().map(|(k, pid)| (pid.to_string(), json!(k))).collect::<serde_json::Map<_, _>>(),
        "files": texts,
        "files_named": files.texts,
        "start": start,
        "steps": values,
        "cycle": cycle,
        "sent": sent.iter().map(|message| message.sent).collect::<Vec<u64>>(),
        "messages": sent.iter().map(|m| json!([m.sent, m.received, m.from, m.to])).collect::<Vec<Value>>(),
        "truth": truth,
        "moves": moves,
        "readAfter": read_after,
        "automaton": example.automaton.as_ref().map(|automaton| graph(&automaton.text)),
    })
}

/// States and edges of an automaton, from its text: `state 0 (initial)`, and below it `  label  → 1`.
fn graph(text: &str) -> Value {
    let (mut states, mut edges) = (Vec::new(), Vec::new());
    let mut here = 0u64;
    for line in text.lines() {
        if let Some(state) = line.strip_prefix("state ") {
            let (number, about) = state.split_once(' ').unwrap_or((state, ""));
            here = number.parse().unwrap_or(0);
            states.push(json!([here, about]));
        } else if let Some((label, to)) = line.rsplit_once('→') {
            let to = to.split_whitespace().next().and_then(|to| to.parse::<u64>().ok());
            edges.extend(to.map(|to| json!([here, to, label.trim()])));
        }
    }
    json!({ "states": states, "edges": edges })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_asks_for_nothing_from_elsewhere() {
        let page = fill(TEMPLATE, |name| match name {
            "style" => STYLE.to_string(),
            "program" => PROGRAM.to_string(),
            _ => String::new(),
        });
        for wanted in [" src=", "@import", "url(", "fetch(", "<iframe", "innerHTML", "eval("] {
            let found = page.replace("nfull notrace od of", "").matches(wanted).count();
            assert_eq!(found, 0, "{wanted}");
        }
    }

    #[test]
    fn automata_become_graphs() {
        let text =
            "2 states, 2 edges\nstate 0 (initial)\n  a → b  → 1  {0}\nstate 1 (accepting)\n  true  → 1\n";
        let expected = json!({ "states": [[0, "(initial)"], [1, "(accepting)"]],
            "edges": [[0, 1, "a → b"], [1, 1, "true"]] });
        assert_eq!(graph(text), expected);
    }
}
