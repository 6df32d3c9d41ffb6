//! The results as tables (CSV): one row for each run, and one for each case.

use crate::comparison::Comparison;
use crate::record::RunRecord;

const RUN_COLUMNS: [&str; 27] = [
    "case",
    "model",
    "property",
    "algorithm",
    "automaton",
    "product",
    "engine",
    "fairness",
    "threads",
    "reduction",
    "verdict",
    "reason",
    "visited",
    "stored",
    "transitions",
    "post_calls",
    "depth",
    "roots",
    "active",
    "found_nested",
    "prefix",
    "cycle",
    "seconds",
    "descriptor_bytes",
    "auxiliary_bytes",
    "vector_bytes",
    "peak_rss_bytes",
];

const CASE_COLUMNS: [&str; 20] = [
    "case",
    "model",
    "formula",
    "expected",
    "verdict",
    "agreed",
    "counts",
    "strength",
    "automaton_states",
    "automaton_edges",
    "generalised_states",
    "generalised_edges",
    "generalised_sets",
    "state_bytes",
    "explored_states",
    "components",
    "accepting_trivial",
    "not_preceded_by_accepting",
    "not_preceded_by_accepting_cyclic",
    "arguments",
];

/// Whether a text is a table that [`runs_csv`] has made, be it of a version that had fewer columns.
pub fn are_runs(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let has_ours = |part: std::ops::Range<usize>| RUN_COLUMNS[part].join(",");
    first.starts_with(&has_ours(0..4)) && first.ends_with(&has_ours(RUN_COLUMNS.len() - 2..RUN_COLUMNS.len()))
}

/// Whether a text is a table that [`cases_csv`] has made.
pub fn are_cases(text: &str) -> bool {
    text.lines().next() == Some(&CASE_COLUMNS.join(","))
}

fn shown<T: ToString>(value: Option<T>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// One row for each run.
pub fn runs_csv(comparison: &Comparison) -> String {
    let rows = comparison.runs().map(|(case, configuration, run)| {
        let (case, configuration) = (&comparison.cases[case], &comparison.configurations[configuration]);
        let RunRecord { verdict, reason, .. } = run;
        vec![
            case.name.clone(),
            case.model.clone(),
            case.property.clone(),
            configuration.algorithm.to_string(),
            name_of(&configuration.automaton),
            name_of(&configuration.product),
            name_of(&configuration.engine),
            name_of(&configuration.fairness),
            configuration.threads.to_string(),
            shown(run.reduction.as_ref()),
            verdict.clone(),
            shown(reason.as_ref()),
            shown(run.visited),
            shown(run.stored),
            shown(run.transitions),
            shown(run.post_calls),
            shown(run.depth),
            shown(run.roots),
            shown(run.active),
            shown(run.found_nested),
            shown(run.prefix),
            shown(run.cycle),
            run.seconds.map_or(String::new(), |seconds| format!("{seconds:.6}")),
            shown(run.descriptor_bytes),
            shown(run.auxiliary_bytes),
            shown(run.vector_bytes),
            shown(run.peak_rss_bytes),
        ]
    });
    table(&RUN_COLUMNS, rows)
}

/// One row for each case.
pub fn cases_csv(comparison: &Comparison) -> String {
    let rows = comparison.cases.iter().map(|case| {
        let (automaton, generalised) = (case.automaton.as_ref(), case.generalised.as_ref());
        let effects = case.effects.as_ref();
        vec![
            case.name.clone(),
            case.model.clone(),
            shown(case.formula.as_ref()),
            shown(case.expected),
            shown(case.verdict.as_ref()),
            case.agreed.to_string(),
            case.counts.to_string(),
            shown(case.strength.as_ref()),
            shown(automaton.map(|automaton| automaton.states)),
            shown(automaton.map(|automaton| automaton.edges)),
            shown(generalised.map(|automaton| automaton.states)),
            shown(generalised.map(|automaton| automaton.edges)),
            shown(generalised.map(|automaton| automaton.sets)),
            shown(case.state_bytes),
            shown(effects.map(|effects| effects.states)),
            shown(effects.map(|effects| effects.components)),
            shown(effects.map(|effects| effects.accepting_trivial)),
            shown(effects.map(|effects| effects.not_preceded_by_accepting)),
            shown(effects.map(|effects| effects.not_preceded_by_accepting_cyclic)),
            case.arguments.clone(),
        ]
    });
    table(&CASE_COLUMNS, rows)
}

/// As the JSON names it.
fn name_of(choice: &impl serde::Serialize) -> String {
    serde_json::to_value(choice).ok().and_then(|value| value.as_str().map(str::to_string)).unwrap_or_default()
}

fn table(columns: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let written = writer.write_record(columns).and_then(|()| {
        for row in rows {
            writer.write_record(&row)?;
        }
        Ok(writer.flush()?)
    });
    written.expect("memory can be written to, and all rows have the same length");
    String::from_utf8(writer.into_inner().expect("it was flushed")).expect("all fields are text")
}
