//! The page of a comparison: one HTML file that needs nothing else.
//!
//! The page holds the whole comparison as JSON, and a program that computes every figure from it when it is
//! opened: so a reader can filter the cases, and all figures follow. Here the parts are only put together.
//! The runs are by far the most of the data, so they go into columns: the names of their fields stand once,
//! and not once per run.
//!
//! The program is plain JavaScript without a library, one file per concern, in the order in which they build
//! on each other. It is one module in the end, so that its names stay its own.

use serde_json::{Map, Value, json};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const PROGRAM: [&str; 17] = [
    include_str!("numbers.js"),
    include_str!("elements.js"),
    include_str!("data.js"),
    include_str!("settings.js"),
    include_str!("table.js"),
    include_str!("plot.js"),
    include_str!("summary.js"),
    include_str!("findings.js"),
    include_str!("papers.js"),
    include_str!("structure.js"),
    include_str!("legend.js"),
    include_str!("plots.js"),
    include_str!("work.js"),
    include_str!("threads.js"),
    include_str!("sets.js"),
    include_str!("runs.js"),
    include_str!("page.js"),
];

/// By which a page is known as one of ours.
const MARK: &str = "<meta name=\"generator\" content=\"lariat compare\">";

/// Whether a text is such a page.
pub fn is_ours(text: &str) -> bool {
    text.contains(MARK)
}

/// The page that shows `comparison`, a document of the schema `lariat-comparison/1`.
///
/// What is missing in the document is missing on the page, which says so.
pub fn page(comparison: &Value) -> String {
    let title = comparison["title"].as_str().unwrap_or("Comparison");
    fill(TEMPLATE, |name| match name {
        "mark" => MARK.to_string(),
        "title" => escaped(title),
        "style" => STYLE.to_string(),
        // In JSON, `<` stands only inside strings. Without it, nothing in the data can end the element they
        // are in.
        "data" => in_columns(comparison).to_string().replace('<', "\\u003c"),
        "program" => PROGRAM.concat(),
        _ => String::new(),
    })
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

/// The document with its runs as `{columns, rows}`. Nulls at the end of a row are left out: runs that were
/// refused have hardly anything else.
fn in_columns(comparison: &Value) -> Value {
    let mut document = comparison.as_object().cloned().unwrap_or_default();
    let runs = match document.remove("runs") {
        Some(Value::Array(runs)) => runs,
        _ => Vec::new(),
    };
    let mut columns: Vec<&str> = Vec::new();
    for name in runs.iter().filter_map(Value::as_object).flat_map(Map::keys) {
        if !columns.contains(&name.as_str()) {
            columns.push(name);
        }
    }
    // The fields that every run has come first.
    columns.sort_by_key(|name| runs.iter().filter(|run| run[name].is_null()).count());
    let rows: Vec<Value> = runs.iter().map(|run| row(run, &columns)).collect();
    let runs = json!({ "columns": columns, "rows": rows });
    document.insert("runs".into(), runs);
    Value::Object(document)
}

fn row(run: &Value, columns: &[&str]) -> Value {
    let mut row: Vec<Value> = columns.iter().map(|name| run[name].clone()).collect();
    while row.last().is_some_and(Value::is_null) {
        row.pop();
    }
    Value::Array(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(page: &str) -> Value {
        let (_, after) = page.split_once("id=\"data\">").expect("the page has data");
        let (data, _) = after.split_once("</script>").expect("the data end");
        serde_json::from_str(data).expect("the data are JSON")
    }

    #[test]
    fn nothing_in_the_data_can_leave_its_place() {
        let odd = "</script><!-- {{program}} & \"quoted\" '";
        let page = page(&json!({ "title": odd, "cases": [{ "name": odd }] }));
        assert_eq!(page.matches("</script").count(), 2, "one element for the data, one for the program");
        assert_eq!(page.matches("<!--").count(), 0);
        assert!(
            page.contains("<title>&lt;/script&gt;&lt;!-- {{program}} &amp; &quot;quoted&quot; '</title>")
        );
        assert_eq!(data(&page)["cases"][0]["name"], odd);
    }

    #[test]
    fn the_page_asks_for_nothing_from_elsewhere() {
        let page = page(&json!({}));
        for wanted in [" src=", "@import", "url(", "fetch(", "<iframe"] {
            assert!(!page.contains(wanted), "{wanted}");
        }
    }

    #[test]
    fn runs_come_back_from_their_columns() {
        let runs = json!([
            { "case": 0, "configuration": 0, "verdict": "refused", "reason": "not weak", "visited": null },
            { "case": 0, "configuration": 1, "verdict": "holds", "reason": null, "visited": 7, "found_nested": false },
        ]);
        let data = data(&page(&json!({ "runs": runs })));
        let columns = data["runs"]["columns"].as_array().expect("columns");
        for (row, run) in data["runs"]["rows"].as_array().expect("rows").iter().zip(runs.as_array().unwrap())
        {
            for (place, name) in columns.iter().enumerate() {
                assert_eq!(row[place], run[name.as_str().unwrap()], "{name} of {run}");
            }
        }
        assert_eq!(data["runs"]["rows"].as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn five_thousand_runs_stay_small() {
        let run = |n: usize| {
            json!({ "case": n / 14, "configuration": n % 14, "verdict": "violated", "reason": null,
                "visited": 1_234_567 + n, "stored": 1_234_567 + n, "transitions": 12_345_678 + n,
                "post_calls": 1_234_567 + n, "depth": 123_456, "roots": 1234, "active": 12_345, "found_nested": false,
                "prefix": 1234, "cycle": 123, "seconds": 12.345_678_912, "total_seconds": 13.345_678_912,
                "descriptor_bytes": 12_345_678, "auxiliary_bytes": 12_345_678, "vector_bytes": 123_456_789,
                "peak_rss_bytes": 123_456_789 })
        };
        let case = |n: usize| {
            json!({ "name": format!("elevator{n}.1: G (waiting0 -> F open0)"), "model": "elevator/elevator.1.dve",
                "property": "G (waiting0 -> F open0)", "formula": "G (waiting0 -> F open0)", "expected": "violated",
                "arguments": "../shared/corpus/elevator.1.dve --ltl 'G (waiting0 -> F open0)' --finite-runs stutter",
                "verdict": "violated", "agreed": true, "counts": true, "strength": "weak", "state_bytes": 64,
                "automaton": { "states": 3, "edges": 5, "sets": 1 },
                "generalised": { "states": 2, "edges": 4, "sets": 2 },
                "effects": { "states": 100, "components": 10, "accepting_trivial": 3,
                    "not_preceded_by_accepting": 7, "not_preceded_by_accepting_cyclic": 2 } })
        };
        let comparison = json!({ "runs": (0..5000).map(run).collect::<Vec<_>>(),
            "cases": (0..358).map(case).collect::<Vec<_>>() });
        let size = page(&comparison).len();
        assert!(size < 1_500_000, "{size}");
    }

    #[test]
    fn a_page_is_known_as_ours() {
        assert!(is_ours(&page(&json!({}))));
        assert!(!is_ours("<!DOCTYPE html>\n<html><title>lariat compare</title></html>\n"));
    }

    #[test]
    fn documents_without_anything_have_a_page() {
        for comparison in [json!(null), json!([]), json!({ "runs": 3 }), json!({ "runs": [null, 1, {}] })] {
            assert!(page(&comparison).ends_with("</html>\n"));
        }
    }
}
