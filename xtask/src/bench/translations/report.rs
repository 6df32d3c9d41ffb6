//! The report of a run, as Markdown, and every figure, as CSV.
//!
//! A ratio is always Spin's figure divided by Lariat's, so more is better for Lariat, in time and in size.
//! Sums over a set are governed by its hardest formulas; so the median over the formulas stands beside them.

use super::{Made, Peer, Row, Set, Starts};
use std::fmt::Write;

/// How many formulas a list shows.
const LISTED: usize = 10;

/// Sums over the formulas that both translated.
#[derive(Default)]
struct Totals {
    formulas: usize,
    read: usize,
    timed_out: usize,
    failed: usize,
    both: usize,
    spin_seconds: f64,
    alone_seconds: f64,
    inside_seconds: f64,
    /// Spin's time divided by Lariat's, a process each.
    ratios: Vec<f64>,
    spin_states: usize,
    spin_edges: usize,
    states: usize,
    edges: usize,
    fewer_states: usize,
    more_states: usize,
}

impl Totals {
    fn of<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Totals {
        let mut totals = Totals::default();
        for row in rows {
            totals.formulas += 1;
            totals.read += usize::from(!matches!(row.spin, Peer::NotRead));
            totals.timed_out += usize::from(matches!(row.spin, Peer::TimedOut));
            totals.failed += usize::from(matches!(row.spin, Peer::Failed));
            let Some((ours, alone, theirs)) = row.both() else { continue };
            totals.both += 1;
            totals.spin_seconds += theirs.seconds;
            totals.alone_seconds += alone;
            totals.inside_seconds += ours.seconds;
            totals.ratios.push(theirs.seconds / alone);
            totals.spin_states += theirs.size.states;
            totals.spin_edges += theirs.size.edges;
            totals.states += ours.size.states;
            totals.edges += ours.size.edges;
            totals.fewer_states += usize::from(ours.size.states < theirs.size.states);
            totals.more_states += usize::from(ours.size.states > theirs.size.states);
        }
        totals
    }

    fn time_row(&self, name: &str, starts: &Starts) -> String {
        let without = |seconds: f64, start: f64| (seconds - self.both as f64 * start).max(0.0);
        let spin = without(self.spin_seconds, starts.spin);
        let lariat = without(self.alone_seconds, starts.lariat);
        format!(
            "| {name} | {} | {} | {} | {} | {:.3} | {:.3} | {} | {} | {spin:.3} | {lariat:.3} | {} | {:.3} |\n",
            self.formulas,
            self.read,
            self.timed_out + self.failed,
            self.both,
            self.spin_seconds,
            self.alone_seconds,
            ratio(self.spin_seconds, self.alone_seconds),
            median(&self.ratios).map_or("–".to_string(), |median| format!("{median:.2}")),
            ratio(spin, lariat),
            self.inside_seconds,
        )
    }

    fn size_row(&self, name: &str) -> String {
        format!(
            "| {name} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
            self.both,
            self.spin_states,
            self.states,
            ratio(self.spin_states as f64, self.states as f64),
            self.spin_edges,
            self.edges,
            ratio(self.spin_edges as f64, self.edges as f64),
            self.fewer_states,
            self.more_states,
        )
    }
}

fn ratio(theirs: f64, ours: f64) -> String {
    if ours > 0.0 { format!("{:.2}", theirs / ours) } else { "–".to_string() }
}

fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = *sorted.get(sorted.len() / 2)?;
    let lower = sorted[(sorted.len() - 1) / 2];
    Some(f64::midpoint(lower, upper))
}

pub fn report(sets: &[Set], starts: &Starts, runs: u32, timeout: u64, machine: &str) -> String {
    let everything: Vec<&Row> = sets.iter().flat_map(|set| &set.rows).collect();
    let each: Vec<(&str, Totals)> =
        sets.iter().map(|set| (set.name.as_str(), Totals::of(&set.rows))).collect();
    let total = Totals::of(everything.iter().copied());

    let mut text = format!("# Formulas into automata, beside `spin -f`\n\n{machine}\n");
    text.push_str(&commands(sets, timeout));

    let _ = write!(
        text,
        "\n## Time\n\nSums over the formulas that both translated, in seconds of processor time (user + system), each the best of {runs}. A \
         ratio is Spin's time divided by Lariat's. *A process each*: both programs read the same text and print a claim. Starting the \
         process and translating `p` takes {:.2} ms of Spin and {:.2} ms of Lariat (best of {}). *Without the start*: both \
         times less that, for each formula. *One process*: the `seconds` that Lariat reports for these formulas when it \
         translates a whole set.\n\n",
        starts.spin * 1e3,
        starts.lariat * 1e3,
        super::STARTS
    );
    text.push_str(
        "| set | formulas | read by Spin | not made by Spin | both | a process each: Spin | Lariat | ratio | median of ratios | without \
         the start: Spin | Lariat | ratio | one process: Lariat |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    for (name, totals) in &each {
        text.push_str(&totals.time_row(name, starts));
    }
    text.push_str(&total.time_row("total", starts));
    let _ = writeln!(
        text,
        "\n*Read* are the formulas that Spin does not refuse; Debian's refuses all with `X`. *Not made* are those of them that Spin did \
         not translate in {timeout} seconds ({}), or at all ({}); they are in no sum.",
        total.timed_out, total.failed
    );

    text.push_str(
        "\n## Size\n\nSums over the formulas that both translated; Büchi automata with acceptance on states. Edges to the same state \
         are one edge. A ratio is Spin's figure divided by Lariat's.\n\n\
         | set | both | states: Spin | Lariat | ratio | edges: Spin | Lariat | ratio | Lariat has fewer states | more |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    for (name, totals) in &each {
        text.push_str(&totals.size_row(name));
    }
    text.push_str(&total.size_row("total"));

    text.push_str(&alone(sets, runs));
    text.push_str(&lists(&everything, timeout));
    text
}

fn commands(sets: &[Set], timeout: u64) -> String {
    let mut text = format!(
        "\n```\n\
         cargo xtask bench translations\n\n\
         # which runs, for each formula, in turns; TEXT is the last column of raw.csv, Spin has {timeout} s of processor time\n\
         spin -f TEXT\n\
         lariat translate --syntax spin-f --format never TEXT\n\n\
         # and for each set\n"
    );
    for set in sets {
        let command = format!("lariat translate -F {} --stats --format json", set.file);
        let _ = writeln!(text, "{command} --buchi\n{command}");
    }
    text.push_str("```\n");
    text
}

/// All formulas, in one process for each set.
fn alone(sets: &[Set], runs: u32) -> String {
    let mut text = format!(
        "\n## Lariat on all formulas\n\nOne process for each set; its processor time in seconds, the best of {runs}, reading and \
         statistics included.\n\n\
         | set | formulas | Büchi: seconds | states | edges | generalised: seconds | states | edges |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: |\n"
    );
    let mut all = [(0.0, 0, 0); 2];
    let mut formulas = 0;
    for set in sets {
        let sums = [
            sum(set.buchi_seconds, set.rows.iter().filter_map(|row| row.buchi)),
            sum(set.generalised_seconds, set.rows.iter().filter_map(|row| row.generalised)),
        ];
        text.push_str(&alone_row(&set.name, set.rows.len(), sums));
        formulas += set.rows.len();
        for (all, sum) in all.iter_mut().zip(sums) {
            *all = (all.0 + sum.0, all.1 + sum.1, all.2 + sum.2);
        }
    }
    text.push_str(&alone_row("total", formulas, all));
    text
}

type Sum = (f64, usize, usize);

fn sum(seconds: f64, made: impl Iterator<Item = Made>) -> Sum {
    made.fold((seconds, 0, 0), |sum, made| (sum.0, sum.1 + made.size.states, sum.2 + made.size.edges))
}

fn alone_row(name: &str, formulas: usize, [buchi, generalised]: [Sum; 2]) -> String {
    format!(
        "| {name} | {formulas} | {:.3} | {} | {} | {:.3} | {} | {} |\n",
        buchi.0, buchi.1, buchi.2, generalised.0, generalised.1, generalised.2
    )
}

/// The formulas that stand out.
fn lists(rows: &[&Row], timeout: u64) -> String {
    let both: Vec<(&Row, Made, f64, Made)> = rows
        .iter()
        .filter_map(|row| row.both().map(|(ours, alone, theirs)| (*row, ours, alone, theirs)))
        .collect();
    let mut text = String::new();

    let mut by_difference = both.clone();
    by_difference.sort_by_key(|(_, ours, _, theirs)| {
        let states = theirs.size.states.abs_diff(ours.size.states);
        std::cmp::Reverse((states, theirs.size.edges.abs_diff(ours.size.edges)))
    });
    text.push_str("\n## The largest differences in size\n\n");
    sizes(&mut text, by_difference.iter().take(LISTED));

    let larger: Vec<_> = by_difference
        .iter()
        .filter(|(_, ours, _, theirs)| {
            (ours.size.states, ours.size.edges) > (theirs.size.states, theirs.size.edges)
        })
        .collect();
    let _ = write!(text, "\n## Larger than Spin's\n\n{}", counted(larger.len()));
    text.push_str(" for which Lariat has more states, or as many states and more edges");
    text.push_str(if larger.len() > LISTED { "; the first by difference:\n" } else { ".\n" });
    if !larger.is_empty() {
        text.push('\n');
        sizes(&mut text, larger.into_iter().take(LISTED));
    }

    let mut slower: Vec<_> = both.iter().filter(|(_, _, alone, theirs)| alone > &theirs.seconds).collect();
    slower.sort_by(|a, b| (b.2 - b.3.seconds).total_cmp(&(a.2 - a.3.seconds)));
    let _ = write!(text, "\n## Slower than Spin\n\n{}", counted(slower.len()));
    let _ = writeln!(
        text,
        " of {} for which Lariat's process takes longer; the first by difference:\n",
        both.len()
    );
    text.push_str("| formula | Spin, ms | Lariat, ms |\n| --- | --: | --: |\n");
    for (row, _, alone, theirs) in slower.into_iter().take(LISTED) {
        let _ =
            writeln!(text, "| {} | {:.2} | {:.2} |", code(&row.formula), theirs.seconds * 1e3, alone * 1e3);
    }

    let made_by_lariat = |row: &Row| {
        row.buchi.map_or("not made by Lariat either".to_string(), |made| {
            let ms = made.seconds * 1e3;
            format!("Lariat: {} states, {} edges, {ms:.2} ms", made.size.states, made.size.edges)
        })
    };
    let mut list = |title: &str, chosen: &dyn Fn(&Row) -> bool| {
        let chosen: Vec<_> = rows.iter().filter(|row| chosen(row)).collect();
        let _ = writeln!(text, "\n## {title}\n");
        for row in &chosen {
            let _ = writeln!(text, "- `{}` ({})", row.formula, made_by_lariat(row));
        }
        if chosen.is_empty() {
            text.push_str("None.\n");
        }
    };
    list(&format!("Not translated by Spin in {timeout} seconds"), &|row| matches!(row.spin, Peer::TimedOut));
    list("Read, but not translated by Spin", &|row| matches!(row.spin, Peer::Failed));
    list("Not translated by Lariat", &|row| row.buchi.is_none() || row.generalised.is_none());
    text
}

fn counted(formulas: usize) -> String {
    format!("{formulas} {}", if formulas == 1 { "formula" } else { "formulas" })
}

fn sizes<'a>(text: &mut String, rows: impl Iterator<Item = &'a (&'a Row, Made, f64, Made)>) {
    text.push_str(
        "| formula | states: Spin | Lariat | edges: Spin | Lariat |\n| --- | --: | --: | --: | --: |\n",
    );
    for (row, ours, _, theirs) in rows {
        let (ours, theirs) = (ours.size, theirs.size);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            code(&row.formula),
            theirs.states,
            ours.states,
            theirs.edges,
            ours.edges
        );
    }
}

/// A formula in a cell of a table.
fn code(formula: &str) -> String {
    format!("`{}`", formula.replace('|', "\\|"))
}

pub fn raw(sets: &[Set]) -> String {
    let mut text = String::from(
        "set,formula,lariat_states,lariat_edges,lariat_seconds,lariat_process_seconds,\
         generalised_states,generalised_edges,generalised_seconds,\
         spin_states,spin_edges,spin_seconds,spin_status,text_for_spin\n",
    );
    for set in sets {
        for row in &set.rows {
            let (spin, status) = match &row.spin {
                Peer::Made(made) => (Some(*made), "translated"),
                Peer::NotRead => (None, "not read"),
                Peer::TimedOut => (None, "timeout"),
                Peer::Failed => (None, "failed"),
            };
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{status},{}",
                set.name,
                field(&row.formula),
                figures(row.buchi),
                row.alone.map_or(String::new(), |seconds| format!("{seconds:.6}")),
                figures(row.generalised),
                figures(spin),
                field(&row.text_for_spin),
            );
        }
    }
    text
}

fn figures(made: Option<Made>) -> String {
    made.map_or(",,".to_string(), |Made { size, seconds }| {
        format!("{},{},{seconds:.6}", size.states, size.edges)
    })
}

fn field(text: &str) -> String {
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_string() }
}

#[cfg(test)]
mod tests {
    use super::super::Size;
    use super::*;

    fn made(states: usize, edges: usize, seconds: f64) -> Made {
        Made { size: Size { states, edges }, seconds }
    }

    fn row(formula: &str, alone: Option<f64>, spin: Peer) -> Row {
        Row {
            line: 1,
            formula: formula.to_string(),
            text_for_spin: format!("({formula})"),
            buchi: Some(made(2, 3, 0.001)),
            generalised: Some(made(1, 2, 0.0005)),
            alone,
            spin,
        }
    }

    fn set() -> Set {
        let rows = vec![
            row("a | b", Some(0.002), Peer::Made(made(4, 9, 0.004))),
            row("G a", Some(0.004), Peer::Made(made(1, 1, 0.002))),
            row("X a", None, Peer::NotRead),
            row("\"f(1,2)\"", None, Peer::TimedOut),
        ];
        Set { name: "s".into(), file: "s.ltl".into(), rows, buchi_seconds: 0.02, generalised_seconds: 0.01 }
    }

    #[test]
    fn sums_are_over_what_both_made() {
        let text = report(&[set()], &Starts { lariat: 0.001, spin: 0.001 }, 3, 10, "A machine.");
        let time = "| total | 4 | 3 | 1 | 2 | 0.006 | 0.006 | 1.00 | 1.25 | 0.004 | 0.004 | 1.00 | 0.002 |";
        assert!(text.contains(time), "{text}");
        assert!(text.contains("| total | 2 | 5 | 4 | 1.25 | 10 | 6 | 1.67 | 1 | 1 |"), "{text}");
        assert!(text.contains("| total | 4 | 0.020 | 8 | 12 | 0.010 | 4 | 8 |"), "{text}");
        assert!(text.contains("| `a \\| b` | 4 | 2 | 9 | 3 |"), "{text}");
        assert!(text.contains("- `\"f(1,2)\"` (Lariat: 2 states, 3 edges, 1.00 ms)"), "{text}");
    }

    #[test]
    fn every_formula_is_kept() {
        let text = raw(&[set()]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5);
        assert_eq!(lines[1], "s,a | b,2,3,0.001000,0.002000,1,2,0.000500,4,9,0.004000,translated,(a | b)");
        assert_eq!(lines[3], "s,X a,2,3,0.001000,,1,2,0.000500,,,,not read,(X a)");
        assert!(lines[4].starts_with("s,\"\"\"f(1,2)\"\"\",2,3,"), "{}", lines[4]);
    }

    #[test]
    fn medians() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[4.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0]), Some(2.5));
    }
}
