//! What people see of a check or a simulation, golden: transcripts in `tests/reports`.

use crate::transcripts::judge_all_with;

#[test]
fn reports() {
    let commands = judge_all_with("tests/reports", without_measurements);
    assert!(commands >= 20, "only {commands} commands");
}

/// What is not the same in every run is left out: how long it took, and how much memory.
fn without_measurements(text: &str) -> String {
    text.split_inclusive('\n').map(line).collect()
}

fn line(line: &str) -> String {
    for name in ["seconds:", "memory:"] {
        if line.starts_with(name) {
            return format!("{name:<22}…\n");
        }
    }
    // `  21 states, 0.001 s; …`, `  21 states (about 8 % of the steps left out), 0.001 s`
    let measured = ["states, ", "state, ", "left out), "].iter().find_map(|word| {
        let (states, rest) = line.split_once(word)?;
        let (seconds, after) = rest.split_once(" s")?;
        seconds.parse::<f64>().ok().map(|_| format!("{states}{word}… s{after}"))
    });
    measured.unwrap_or_else(|| line.to_string())
}
