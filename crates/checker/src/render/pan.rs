//! A report in the layout of Spin's verifier, line by line, so that scripts that read `errors:`, `states,
//! stored`, `pan: wrote` find them.
//!
//! The figures are Lariat's, and mean what they mean here:
//!
//! - An indivisible sequence is one transition, so no atomic steps are counted beside it, and the depth
//!   counts transitions.
//! - The initial state counts as a transition that was taken, as there; so stored and matched states add up.
//! - The state vector is the initial state as the model works on it.
//! - The memory of states, of their table and of the search is what was taken, not what was set aside; the
//!   total is the most memory that the program had. Hash conflicts are not counted.
//! - Unreached statements are those of process types; of claims nobody knows.

use crate::report::{Report, Unreached};
use std::fmt::Write;

/// What is said of each thing that a search looks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PanSetup {
    /// Everything was searched.
    pub completed: bool,
    /// The claim that ran beside the model: its name.
    pub claim: Option<String>,
    /// Why there is none: `none specified`, `not selected`.
    pub no_claim: &'static str,
    /// The claim was made of an `ltl` formula.
    pub is_formula: bool,
    /// `-A`
    pub ignores_assertions: bool,
    /// `-E`
    pub ignores_ends: bool,
    /// What cycles were looked for.
    pub cycles: PanCycles,
    /// `-f`
    pub is_fair: bool,
    /// Breadth first.
    pub breadth_first: bool,
    /// Not every process of every state was followed.
    pub reduced: bool,
    /// `exact`, `compact` or `bitstate`.
    pub store: &'static str,
    /// Bits that a state sets in `bitstate`.
    pub bits_per_state: u32,
}

/// The cycles that a search looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PanCycles {
    /// None: `-safety`.
    Disabled,
    /// None.
    NotSelected,
    /// Those through accept labels, or accepted by the claim.
    Acceptance,
    /// Those without progress.
    NonProgress,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PanError {
    /// `assertion violated (x==2) (at depth 19)`
    pub text: String,
    /// The trail that was written.
    pub trail: Option<String>,
}

/// The report.
pub fn report(
    setup: &PanSetup,
    found: &[PanError],
    errors: u64,
    report: &Report,
    vector: u64,
    unreached: Option<&[Unreached]>,
) -> String {
    let mut text = String::new();
    if let (Some(claim), true) = (&setup.claim, setup.is_formula) {
        let _ = writeln!(text, "pan: ltl formula {claim}");
    }
    if let Some(reason) = &report.stopped {
        let what = if reason.contains("depth") { "max search depth too small" } else { reason };
        let _ = writeln!(text, "error: {what}");
    }
    for (i, error) in found.iter().enumerate() {
        let _ = writeln!(text, "pan:{}: {}", i + 1, error.text);
        if let Some(trail) = &error.trail {
            let _ = writeln!(text, "pan: wrote {trail}");
        }
    }
    let _ = writeln!(text, "\n(Lariat {}, in the layout of Spin's verifier)", env!("CARGO_PKG_VERSION"));
    if !setup.completed {
        text.push_str("Warning: Search not completed\n");
    }
    if setup.breadth_first {
        text.push_str("\t+ Breadth-First Search\n");
    }
    if setup.reduced {
        text.push_str("\t+ Partial Order Reduction\n");
    }
    let store = match setup.store {
        "bitstate" => "Bit statespace",
        "compact" => "Hash-Compact",
        _ => "Full statespace",
    };
    let _ = writeln!(text, "\n{store} search for:");
    looks_for(setup, &mut text);
    numbers(setup, errors, report, vector, &mut text);
    for process in unreached.into_iter().flatten() {
        let _ = writeln!(text, "unreached in {}", process.process);
        for statement in &process.statements {
            let _ = writeln!(
                text,
                "\t{}:{}, state {}, \"{}\"",
                statement.file, statement.line, statement.location, statement.statement
            );
        }
        let _ = writeln!(text, "\t({} of {} states)", process.count, process.locations);
    }
    let seconds = report.seconds.total;
    let _ = writeln!(text, "\npan: elapsed time {} seconds", rounded(seconds));
    if seconds > 0.01 {
        let rate = report.counts.visited as f64 / seconds;
        let _ = writeln!(text, "pan: rate {rate:9.0} states/second");
    }
    text
}

fn looks_for(setup: &PanSetup, text: &mut String) {
    let claim = match &setup.claim {
        Some(claim) => format!("+ ({claim})"),
        None => format!("- ({})", setup.no_claim),
    };
    let assertions = match (setup.ignores_assertions, &setup.claim) {
        (true, _) => "- (disabled by -A flag)",
        (false, Some(_)) => "+ (if within scope of claim)",
        (false, None) => "+",
    };
    let fair = if setup.is_fair { "+ (fairness enabled)" } else { "+ (fairness disabled)" };
    let (kind, cycles) = match setup.cycles {
        PanCycles::Disabled => ("cycle checks       ", "- (disabled by -DSAFETY)"),
        PanCycles::NotSelected => ("acceptance   cycles ", "- (not selected)"),
        PanCycles::Acceptance => ("acceptance   cycles ", fair),
        PanCycles::NonProgress => ("non-progress cycles ", fair),
    };
    let ends = match (setup.ignores_ends, &setup.claim) {
        (true, _) => "- (disabled by -E flag)",
        (false, Some(_)) => "- (disabled by never claim)",
        (false, None) => "+",
    };
    let _ = writeln!(text, "\tnever claim         \t{claim}");
    let _ = writeln!(text, "\tassertion violations\t{assertions}");
    let _ = writeln!(text, "\t{kind}\t{cycles}");
    let _ = writeln!(text, "\tinvalid end states\t{ends}");
}

fn numbers(setup: &PanSetup, errors: u64, report: &Report, vector: u64, text: &mut String) {
    let counts = &report.counts;
    let depth = counts.depth;
    let _ = writeln!(text, "\nState-vector {vector} byte, depth reached {depth}, errors: {errors}");
    let transitions = counts.transitions + 1;
    // A check that looks for cycles may come to a state more than once.
    let again = counts.post_calls > counts.stored;
    let visited = if again { counts.post_calls } else { counts.stored };
    let matched = transitions.saturating_sub(visited);
    let more = if again { format!(" ({visited} visited)") } else { String::new() };
    // A search that ends early has stored states that it has not come to.
    let sum = match (transitions >= visited, again) {
        (false, _) => "",
        (true, true) => " (= visited+matched)",
        (true, false) => " (= stored+matched)",
    };
    let _ = writeln!(text, "{:9} states, stored{more}", counts.stored);
    let _ = writeln!(text, "{matched:9} states, matched");
    let _ = writeln!(text, "{transitions:9} transitions{sum}");
    let _ = writeln!(text, "        0 atomic steps (they are part of their transition)");
    if setup.store == "bitstate" {
        let _ = writeln!(text, "\nbits set per state: {0} (-k{0})", setup.bits_per_state);
    } else {
        let _ = writeln!(text, "hash conflicts:         - (not counted)");
    }
    let megabytes = |bytes: u64| bytes as f64 / (1024.0 * 1024.0);
    let _ = writeln!(text, "\nStats on memory usage (in Megabytes):");
    let says = "equivalent memory usage for states (stored*(State-vector + overhead))";
    let _ = writeln!(text, "{:9.3}\t{says}", megabytes(counts.stored * vector));
    let _ = writeln!(text, "{:9.3}\tactual memory usage for states", megabytes(counts.states_bytes));
    let _ = writeln!(text, "{:9.3}\tmemory used for hash table", megabytes(counts.table_bytes));
    let _ = writeln!(text, "{:9.3}\tmemory used for DFS stack", megabytes(counts.stacks.bytes));
    if let Some(total) = report.peak_rss_bytes {
        let _ = writeln!(text, "{:9.3}\ttotal actual memory usage", megabytes(total));
    }
    text.push_str("\n\n");
}

/// With three digits that count, as C's `%.3g`.
fn rounded(seconds: f64) -> String {
    if seconds < 0.005 {
        return "0".to_string();
    }
    let digits = (2 - seconds.log10().floor() as i32).clamp(0, 2) as usize;
    let text = format!("{seconds:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}
