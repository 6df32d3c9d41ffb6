//! Results in the formats of other tools: test reports, code scanning, annotations, traces.
//!
//! All but one are about every property that was checked. JUnit's XML has a test case for each, so that a
//! build server shows them; SARIF has a result for each that is violated or unknown, with the run as a code
//! flow; GitHub's annotations are lines that a workflow prints. JSON lines are the report without its run,
//! then a line for each step, for those who read long runs piece by piece. ITF is the trace format of
//! Apalache and Quint: the states of the first run, and where its loop leads back to; what no state of theirs
//! can say (statements, places) stands in `#meta`.

use crate::render::layouts::{Values, variable_names};
use crate::render::{json, text};
use crate::report::{Counterexample, Report, TraceStep};
use lariat_verdict::Verdict;
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// A format of other tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exchange {
    /// The report on a line, then each step on one.
    JsonLines,
    /// XML of test cases.
    Junit,
    /// Results of static analysis, version 2.1.0.
    Sarif,
    /// Annotations in a workflow of GitHub.
    Github,
    /// The trace format of Apalache and Quint.
    Itf,
}

/// All reports of one command, as one document. Empty if there is nothing to say.
pub fn document(format: Exchange, reports: &[Report]) -> String {
    match format {
        Exchange::JsonLines => reports.iter().map(json_lines).collect(),
        Exchange::Junit => junit(reports),
        Exchange::Sarif => json::line(&sarif(reports)),
        Exchange::Github => reports.iter().map(annotation).collect(),
        Exchange::Itf => {
            first_run(reports).map_or(String::new(), |(report, run)| json::line(&itf(report, run)))
        }
    }
}

fn first_run(reports: &[Report]) -> Option<(&Report, &Counterexample)> {
    reports.iter().find_map(|report| Some((report, run_of(report)?)))
}

fn run_of(report: &Report) -> Option<&Counterexample> {
    report.violations.first()?.counterexample.as_ref()
}

/// The steps that are steps.
fn steps(run: &Counterexample) -> impl Iterator<Item = &TraceStep> {
    run.prefix.iter().filter(|step| step.number > 0).chain(&run.cycle)
}

fn json_lines(report: &Report) -> String {
    let whole: Value = serde_json::from_str(&json::report(report)).unwrap_or(Value::Null);
    let mut head = whole.clone();
    head["type"] = json!("report");
    if let Some(run) = head["counterexample"].as_object_mut() {
        run.remove("prefix");
        run.remove("cycle");
    }
    let mut lines = json::line(&head);
    for (part, in_cycle) in [("prefix", false), ("cycle", true)] {
        for step in whole["counterexample"][part].as_array().into_iter().flatten() {
            let mut step = step.clone();
            step["type"] = json!("step");
            step["property"] = json!(report.property.name);
            step["in_cycle"] = json!(in_cycle);
            lines += &json::line(&step);
        }
    }
    lines
}

/// Text inside XML. Characters that XML has no way to say are left out.
fn xml(text: &str) -> String {
    let allowed = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    let text: String =
        text.chars().filter(allowed).filter(|c| !matches!(c, '\u{fffe}' | '\u{ffff}')).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn junit(reports: &[Report]) -> String {
    let count = |is: fn(&Verdict) -> bool| reports.iter().filter(|report| is(&report.verdict)).count();
    let failures = count(|verdict| *verdict == Verdict::Violated);
    let errors = count(|verdict| matches!(verdict, Verdict::Unknown(_) | Verdict::Refused(_)));
    let time: f64 = reports.iter().map(|report| report.seconds.total).sum();
    let model = reports.first().map_or("", |report| report.model.as_str());
    let numbers =
        format!("tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" time=\"{time:.3}\"", reports.len());
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {numbers}>\n<testsuite name=\"{}\" {numbers}>\n",
        xml(model)
    );
    for report in reports {
        let first = text::first_line(report);
        let _ = write!(
            out,
            "<testcase name=\"{}\" classname=\"{}\" time=\"{:.3}\"",
            xml(&report.property.name),
            xml(&report.model),
            report.seconds.total
        );
        let _ = match &report.verdict {
            Verdict::Holds(_) => writeln!(out, "/>"),
            Verdict::Violated => writeln!(
                out,
                "><failure type=\"violated\" message=\"{}\">{}</failure></testcase>",
                xml(&first),
                xml(&text::report(report))
            ),
            Verdict::Unknown(_) | Verdict::Refused(_) => {
                let kind = report.verdict.name();
                writeln!(out, "><error type=\"{kind}\" message=\"{}\"/></testcase>", xml(&first))
            }
        };
    }
    out + "</testsuite>\n</testsuites>\n"
}

/// Where a report is about: the violation's place, the last step's, or the model's first line.
fn place(report: &Report) -> (String, u32) {
    let found = report.violations.first();
    let own = found.and_then(|found| found.place.as_ref()).map(|place| (place.file.clone(), place.line));
    let last = || {
        let run = run_of(report)?;
        steps(run).filter(|step| step.line > 0).last().map(|step| (step.file.clone(), step.line))
    };
    own.or_else(last).unwrap_or_else(|| (report.model.clone(), 1))
}

/// The verdict, and why.
fn message(report: &Report) -> String {
    let why = run_of(report).and_then(|run| run.why.as_ref());
    why.map_or(text::first_line(report), |why| format!("{}: {}", text::first_line(report), why.text))
}

fn sarif(reports: &[Report]) -> Value {
    let rule = |report: &Report| format!("{}/{}", report.property.kind, report.property.name);
    let rules: Vec<Value> = reports
        .iter()
        .map(|report| {
            let says = report.property.formula.clone().unwrap_or_else(|| report.property.name.clone());
            json!({ "id": rule(report), "shortDescription": { "text": says } })
        })
        .collect();
    let location = |file: &str, line: u32| {
        json!({ "physicalLocation": {
            "artifactLocation": { "uri": uri(file) }, "region": { "startLine": line.max(1) } } })
    };
    let results =
        reports.iter().enumerate().filter(|(_, report)| !matches!(report.verdict, Verdict::Holds(_)));
    let results: Vec<Value> = results
        .map(|(index, report)| {
            let (file, line) = place(report);
            let level = if report.verdict == Verdict::Violated { "error" } else { "warning" };
            let mut result = json!({ "ruleId": rule(report), "ruleIndex": index, "level": level,
                "message": { "text": message(report) }, "locations": [location(&file, line)] });
            let flow: Vec<Value> = run_of(report)
                .into_iter()
                .flat_map(steps)
                .filter(|step| !step.stutters)
                .map(|step| {
                    let said = format!("{}({}): {}", step.process, step.pid, step.statement);
                    let mut at = location(&step.file, step.line);
                    at["message"] = json!({ "text": said });
                    json!({ "location": at, "executionOrder": step.number })
                })
                .collect();
            if !flow.is_empty() {
                result["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow }] }]);
            }
            result
        })
        .collect();
    json!({ "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [{
        "tool": { "driver": { "name": "lariat", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
        "results": results }] })
}

/// A path as a relative reference: what has a meaning in an address is written as its number.
fn uri(path: &str) -> String {
    let keep = |b: u8| b.is_ascii_alphanumeric() || b"-._~/".contains(&b);
    let one = |b: u8| if keep(b) { (b as char).to_string() } else { format!("%{b:02X}") };
    path.bytes().map(one).collect()
}

fn annotation(report: &Report) -> String {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let level = match report.verdict {
        Verdict::Holds(_) => "notice",
        Verdict::Violated => "error",
        Verdict::Unknown(_) | Verdict::Refused(_) => "warning",
    };
    let (file, line) = place(report);
    let title = format!("lariat: {}", report.property.name);
    format!(
        "::{level} file={},line={},title={}::{}\n",
        property(&file),
        line.max(1),
        property(&title),
        data(&message(report))
    )
}

/// A value as ITF has it: a truth value, a whole number, the messages of a channel, or text.
fn itf_value(value: &str) -> Value {
    match value {
        "true" => return json!(true),
        "false" => return json!(false),
        "[]" => return json!([]),
        _ => {}
    }
    if value.parse::<i64>().is_ok() {
        return json!({ "#bigint": value });
    }
    match value.strip_prefix('[').and_then(|value| value.strip_suffix(']')) {
        Some(inside) => {
            let message = |m: &str| json!({ "#tup": m.split(',').map(itf_value).collect::<Vec<_>>() });
            inside.split("][").map(message).collect()
        }
        None => json!(value),
    }
}

fn itf(report: &Report, run: &Counterexample) -> Value {
    let names = variable_names(run);
    let mut values = Values::at_start(run);
    let state = |values: &Values, number: usize, step: Option<&TraceStep>| {
        let mut state = Map::new();
        let mut meta = json!({ "index": number });
        if let Some(step) = step.filter(|step| !step.stutters) {
            meta["process"] = json!(format!("{}({})", step.process, step.pid));
            meta["statement"] = json!(step.statement);
            meta["place"] = json!(format!("{}:{}", step.file, step.line));
        }
        state.insert("#meta".to_string(), meta);
        for name in &names {
            // Every state has every variable; those that do not exist now have no value.
            state.insert(name.clone(), values.get(name).map_or(json!("-"), itf_value));
        }
        Value::Object(state)
    };
    let mut states = vec![state(&values, 0, None)];
    for (k, step) in steps(run).enumerate() {
        values.follow(step);
        states.push(state(&values, k + 1, Some(step)));
    }
    let mut document = json!({ "#meta": { "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "source": report.model, "description": message(report) },
        "vars": names });
    if !run.cycle.is_empty() {
        // The last state is the one that the loop leads back to.
        states.pop();
        document["loop"] = json!(states.len() - run.cycle.len());
    }
    document["states"] = json!(states);
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_other_formats_cannot_say_is_written_otherwise() {
        assert_eq!(xml("a<b & \"c\" \u{1}\u{1b}[2m"), "a&lt;b &amp; &quot;c&quot; [2m");
        assert_eq!(uri("models/a b%.pml"), "models/a%20b%25.pml");
        assert_eq!(
            itf_value("[1,red][-2,blue]"),
            json!([{ "#tup": [{ "#bigint": "1" }, "red"] }, { "#tup": [{ "#bigint": "-2" }, "blue"] }])
        );
        assert_eq!(itf_value("true"), json!(true));
        assert_eq!(itf_value("[]"), json!([]));
    }
}
