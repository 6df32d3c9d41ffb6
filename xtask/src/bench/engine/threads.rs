//! The part `threads`: elapsed time with one thread, two and eight.
//!
//! Searches are those of `speed.csv` in the corpus beside the repository, and our own of `engine.toml`:
//! `lariat explore --threads N`. Formulas that hold are BEEM's, in DVE ([`FORMULAS`]): `lariat check`, with
//! the algorithm that `auto` takes. Whatever the number of threads, the report must be the same, but for
//! times and memory, and for formulas the depth and the stacks, which are those of the part in order if there
//! are several; a case where it is not is listed, and the exit code is 1.
//!
//! What a machine gives to two threads at the most is measured too: two processes with one thread each, which
//! have nothing in common, at the same time. They share caches and memory, and perhaps a core, as threads do.
//!
//! Beside the large models of `speed.csv` stands pan with two cores (`-DBFS_PAR`, `-u2`), once each. It keeps
//! hashes of states, not states (it knows no other way with several cores), and waits a second at its end: so
//! its time is the one that it prints. What it stores must be what we store, or nearly so: a pan that has
//! missed more than one state in a hundred is not compared.
//!
//! Where the time goes is what reports say of threads (`threads` in `docs/json.md`). The estimate for more
//! cores is made of that: see [`Row::estimate`].

use super::compare::{Best, GCC, LONG_STATES, SPIN};
use super::public::speed_cases;
use super::suite::{Case, Suite};
use super::{Arguments, Bench, Counts, ours};
use crate::measure::measure_any;
use crate::pan::{Pan, Recipe};
use crate::record::{Machine, geometric_mean};
use crate::workspace::shown;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fmt::Write;
use std::process::Command;

/// With so many threads.
const THREADS: [usize; 3] = [1, 2, 8];
/// States that one thread searches before there are several.
const IN_ORDER: f64 = 65_536.0;

/// BEEM's properties that hold, in models with 0.4 to 4 million states.
const FORMULAS: [&str; 12] = [
    "bopdp/bopdp.3.prop1",
    "bopdp/bopdp.3.prop4",
    "elevator/elevator.4.prop2",
    "elevator/elevator.4.prop3",
    "lamport/lamport.5.prop4",
    "leader_election/leader_election.4.prop2",
    "leader_filters/leader_filters.5.prop2",
    "lup/lup.3.prop2",
    "peterson/peterson.4.prop4",
    "pgm_protocol/pgm_protocol.6.prop3",
    "protocols/protocols.4.prop2",
    "synapse/synapse.4.prop3",
];

/// What is demanded.
const SAFETY: f64 = 1.8;
const HOLDS: f64 = 1.6;
const SLOWEST: f64 = 1.0;
const MANY_THREADS: f64 = 1.1;
const PAN: f64 = 5.0;

/// What reports say of threads.
#[derive(Clone, Copy, Default)]
struct Waited {
    idle: f64,
    growing: f64,
    growths: u64,
    handed_over: u64,
    again: u64,
}

/// A case with each number of threads.
struct Row {
    name: String,
    states: u64,
    best: [Best; THREADS.len()],
    /// Of the quickest run with two threads.
    waited: Waited,
    /// Seconds before and beside the search, with one thread.
    other: f64,
    /// Seconds of two processes with one thread each, at the same time, until both are done.
    apart: f64,
    /// Seconds of pan with two cores.
    pan: Option<f64>,
}

impl Row {
    fn speed_up(&self) -> f64 {
        self.best[0].wall / self.best[1].wall
    }

    /// How many times the work of one process two of them do in the same time.
    fn apart(&self) -> f64 {
        2.0 * self.best[0].wall / self.apart
    }

    fn many(&self) -> f64 {
        self.best[2].wall / self.best[1].wall
    }

    /// How many times as fast as with one thread it would be with so many cores: what only one thread does
    /// (reading, compiling, the states in order) takes as long as it does; all else is divided, and takes as
    /// much longer as it takes with two threads. The store grows by as many threads as there are cores
    /// (`store/src/table/growth.rs`; small tables, and the first lines of large ones, by one, which is not
    /// worth counting): so that is divided too.
    fn estimate(&self, cores: f64) -> f64 {
        let one = self.best[0].wall;
        let in_order = (one - self.other) * (IN_ORDER / self.states as f64).min(1.0);
        let alone = (self.other + in_order).min(one);
        let dearer = (self.best[1].processor / self.best[0].processor).max(1.0);
        one / (alone + (one - alone) * dearer / cores)
    }
}

pub fn run(bench: &mut Bench, suite: &Suite, arguments: &Arguments) -> Result<bool> {
    let is_wanted = |case: &Case| arguments.only.as_ref().is_none_or(|text| case.name().contains(text));
    let mut searches = speed_cases(bench.workspace)?;
    searches.extend(suite.safety.iter().cloned());
    searches.retain(is_wanted);
    let mut formulas: Vec<Case> = FORMULAS.iter().map(|file| formula(file)).collect();
    formulas.retain(is_wanted);
    ensure!(!searches.is_empty() || !formulas.is_empty(), "no case of that name");
    let load = Machine::load();
    let searches = bench.each("threads", &searches, measure);
    let formulas = bench.each("threads", &formulas, measure);
    let (text, is_met) = report(bench, &Machine::describe(load)?, &searches, &formulas);
    print!("{text}");
    if arguments.only.is_none() {
        let (raw, commands) = (std::mem::take(&mut bench.raw), std::mem::take(&mut bench.commands));
        let files = [("report.md", &*text), ("raw.csv", &*raw), ("commands.txt", &*commands)];
        bench.keep("engine-threads", &files)?;
    }
    Ok(is_met && bench.refused.is_empty())
}

fn formula(file: &str) -> Case {
    Case {
        model: format!("../shared/corpus/beem/{file}.dve"),
        macros: Vec::new(),
        property: Some("LTL_property".to_string()),
        class: "formula".to_string(),
        states: None,
    }
}

fn command(bench: &Bench, case: &Case, threads: usize) -> Command {
    let mut command = Command::new(&bench.lariat);
    match &case.property {
        None => command.args(["explore", &case.model]),
        Some(property) => command.args(["check", &case.model, "--property", property, "--no-reduce"]),
    };
    command.args(case.macros.iter().flat_map(|definition| ["-D", definition]));
    command.args(["--threads", &threads.to_string(), "--format", "json"]);
    command.current_dir(&bench.workspace.root);
    command
}

/// All numbers of threads in turns, the best of the runs.
fn measure(bench: &mut Bench, case: &Case) -> Result<Row> {
    let mut row = Row {
        name: case.name(),
        states: 0,
        best: [Best::NONE; THREADS.len()],
        waited: Waited::default(),
        other: f64::INFINITY,
        apart: f64::INFINITY,
        pan: None,
    };
    let commands = THREADS.map(|threads| command(bench, case, threads));
    let mut expected: Option<Value> = None;
    for number in 1..=bench.repeat {
        for (at, command) in commands.iter().enumerate() {
            let measured = measure_any(command)?;
            ensure!(measured.code == 0, "lariat ends with {}: {}", measured.code, measured.errors.trim());
            let found = ours::read(&measured.output)?;
            let program = format!("lariat-{}", THREADS[at]);
            bench.note(("threads", case, number), &program, &measured, found.counts);
            ensure!(
                case.states.is_none_or(|states| states == found.counts.states),
                "{} states",
                found.counts.states
            );
            row.states = found.counts.states;
            let (report, waited, other) = read(&measured.output)?;
            let expected = expected.get_or_insert_with(|| report.clone());
            ensure!(*expected == report, "the report with {} threads is another one", THREADS[at]);
            if at == 0 {
                row.other = row.other.min(other);
            }
            if at == 1 && measured.wall_seconds < row.best[1].wall {
                row.waited = waited;
            }
            row.best[at].take(&measured);
        }
        row.apart = row.apart.min(apart(&commands[0])?);
    }
    let mut all = commands.iter().map(shown).collect::<Vec<_>>();
    if case.class == "large" {
        let (seconds, made_by) = pan(bench, case, row.states)?;
        row.pan = seconds;
        all.extend(made_by);
    }
    let path = bench.lariat.to_string_lossy().into_owned();
    let _ = write!(bench.commands, "\n# {}\n{}\n", case.name(), all.join("\n").replace(&path, "lariat"));
    Ok(row)
}

/// Seconds of two processes at the same time, until both are done.
fn apart(command: &Command) -> Result<f64> {
    let walls = std::thread::scope(|scope| {
        let both = [(); 2].map(|()| scope.spawn(|| measure_any(command)));
        both.map(|process| process.join().expect("measuring does not panic"))
    });
    let walls: Result<Vec<f64>> = walls.into_iter().map(|measured| Ok(measured?.wall_seconds)).collect();
    Ok(walls?.into_iter().fold(0.0, f64::max))
}

/// A report without what may differ; what it says of threads; and the seconds beside the search.
fn read(text: &str) -> Result<(Value, Waited, f64)> {
    let mut report: Value = serde_json::from_str(text.lines().next().unwrap_or_default())?;
    let seconds = |name: &str| report["seconds"][name].as_f64().unwrap_or(0.0);
    let other = seconds("front_end") + seconds("compile");
    let threads = &report["threads"];
    let time = |name: &str| threads[name].as_f64().unwrap_or(0.0);
    let number = |name: &str| threads[name].as_u64().unwrap_or(0);
    let waited = Waited {
        idle: time("idle"),
        growing: time("growing"),
        growths: number("growths"),
        handed_over: number("handed_over"),
        again: number("again"),
    };
    let fields = report.as_object_mut().context("a report is an object")?;
    for field in ["seconds", "memory", "threads"] {
        fields.remove(field);
    }
    if let Some(stacks) = fields.get_mut("stacks").and_then(Value::as_object_mut) {
        stacks.remove("bytes");
    }
    // One thread goes through a product in order to the end; several do not.
    if fields.get("automaton").is_some_and(Value::is_object) {
        for field in ["depth", "order_given_up", "stacks"] {
            fields.remove(field);
        }
    }
    Ok((report, waited, other))
}

/// Seconds of pan with two cores, if it can, and its commands.
fn pan(bench: &mut Bench, case: &Case, states: u64) -> Result<(Option<f64>, Vec<String>)> {
    let gcc = format!("{GCC} {LONG_STATES} -DSAFETY -DNOCLAIM -DBFS_PAR");
    let recipe = Recipe::of(SPIN, &gcc, "-u2 -n -A -E -c0");
    let model = bench.workspace.path(&case.model);
    let mut pan = Pan::make(&recipe, &model, &case.macros, bench.directory(case))?;
    pan.set_table(states);
    let measured = measure_any(&pan.command())?;
    let (stored, seconds) = match read_pan(&measured.output) {
        Some(found) if measured.code == 0 => found,
        _ => {
            eprintln!("  pan with two cores: {}", measured.output.lines().last().unwrap_or_default());
            return Ok((None, pan.commands()));
        }
    };
    let counts = Counts { states: stored, visited: stored, transitions: 0 };
    bench.note(("threads", case, 1), "pan-2", &measured, counts);
    let is_whole = stored.abs_diff(states) * 100 <= states;
    Ok((is_whole.then_some(seconds), pan.commands()))
}

/// States stored, and seconds, as pan prints them.
fn read_pan(text: &str) -> Option<(u64, f64)> {
    let states = text.lines().find(|line| line.trim_end().ends_with("states, stored"))?;
    let states: f64 = states.split_whitespace().next()?.parse().ok()?;
    let seconds = text.lines().find_map(|line| line.trim().strip_prefix("pan: elapsed time"))?;
    Some((states as u64, seconds.split_whitespace().next()?.parse().ok()?))
}

fn mean(rows: &[Row], figure: impl Fn(&Row) -> f64) -> f64 {
    geometric_mean(rows.iter().map(figure))
}

/// The report, and whether everything is met that is demanded.
fn report(bench: &Bench, machine: &Machine, searches: &[Row], formulas: &[Row]) -> (String, bool) {
    let mut text = format!(
        "# Lariat with several threads\n\n{}\nBest of {}, elapsed seconds of the whole process. Means are geometric. `bench/README.md` says \
         what is measured.\n\n## Demands\n\n| demand | figure | met |\n| --- | --: | :-: |\n",
        machine.text_as_list(),
        bench.repeat
    );
    let (mut is_met, mut ceilings) = (true, String::new());
    let mut demand = |what: &str, figure: f64, met: bool| {
        is_met &= met;
        let _ = writeln!(text, "| {what} | {figure:.2} | {} |", if met { "yes" } else { "**no**" });
    };
    for (what, rows, wanted) in [("searches", searches, SAFETY), ("formulas that hold", formulas, HOLDS)] {
        if rows.is_empty() {
            continue;
        }
        let speed_up = mean(rows, Row::speed_up);
        let title = format!("{what}: two threads beside one, mean, at least {wanted}");
        demand(&title, speed_up, speed_up >= wanted);
        let ceiling = mean(rows, Row::apart);
        let _ = write!(
            ceilings,
            "{what}: two processes with one thread each do {ceiling:.2} times the work of one in the same time; \
             two threads do {:.0} % of that. ",
            100.0 * speed_up / ceiling
        );
        let worst = rows.iter().min_by(|a, b| a.speed_up().total_cmp(&b.speed_up()));
        if let Some(worst) = worst {
            let title = format!("the worst of them ({}), at least {SLOWEST}", worst.name);
            demand(&title, worst.speed_up(), worst.speed_up() >= SLOWEST);
        }
        let many = mean(rows, Row::many);
        let title =
            format!("{what}: the time of eight threads over that of two, mean, at most {MANY_THREADS}");
        demand(&title, many, many <= MANY_THREADS);
    }
    let beside_pan: Vec<f64> =
        searches.iter().filter_map(|row| row.pan.map(|pan| pan / row.best[1].wall)).collect();
    if !beside_pan.is_empty() {
        let figure = geometric_mean(beside_pan.iter().copied());
        let title =
            format!("two threads beside pan with two cores, mean of {}, at least {PAN}", beside_pan.len());
        demand(&title, figure, figure >= PAN);
    }
    let _ = writeln!(text, "\nWhat the machine gives to two at the most: {}", ceilings.trim_end());
    if !bench.refused.is_empty() {
        let _ = writeln!(text, "\nNot compared:\n\n- {}", bench.refused.join("\n- "));
    }
    for (title, rows) in [("Searches", searches), ("Formulas that hold", formulas)] {
        if !rows.is_empty() {
            table(&mut text, title, rows);
        }
    }
    if !searches.is_empty() {
        where_time_goes(&mut text, searches);
    }
    (text, is_met)
}

fn table(text: &mut String, title: &str, rows: &[Row]) {
    let _ = write!(
        text,
        "\n## {title}\n\n| model | states | 1 | 2 | 8 | 1 / 2 | two apart | 8 / 2 | processor time, 2 / 1 | memory, 2 / 1 | pan, 2 cores | pan / 2 |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n"
    );
    for row in rows {
        let [one, two, eight] = row.best;
        let (pan, ratio) = row
            .pan
            .map_or_else(Default::default, |pan| (format!("{pan:.2}"), format!("{:.2}", pan / two.wall)));
        let _ = writeln!(
            text,
            "| {} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {pan} | {ratio} |",
            row.name,
            row.states,
            one.wall,
            two.wall,
            eight.wall,
            row.speed_up(),
            row.apart(),
            row.many(),
            two.processor / one.processor,
            two.peak_mib / one.peak_mib,
        );
    }
    let _ = writeln!(
        text,
        "| mean | | | | | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | | |",
        mean(rows, Row::speed_up),
        mean(rows, Row::apart),
        mean(rows, Row::many),
        mean(rows, |row| row.best[1].processor / row.best[0].processor),
        mean(rows, |row| row.best[1].peak_mib / row.best[0].peak_mib),
    );
}

fn where_time_goes(text: &mut String, rows: &[Row]) {
    text.push_str(
        "\n## Where the time goes, with two threads\n\nShares are of the time of both threads. *Alone*: reading, compiling, and the states in order, by one thread. \
         *Idle*: waiting for work. *Growing*: the store grows, by all threads together, and nobody searches. *Dearer*: what the rest takes more of the processor than with one thread: memory, tables of remembered steps \
         that each thread has to fill. *Handed over*, *growths*, *again*: how often work changed hands, the store grew, an insertion had to look once more. The last columns are \
         estimates: how many times as fast as one thread 16 and 64 cores would be, if what is done alone takes as long as it does, and the rest, growing too, is divided among them and as dear as with two.\n\n\
         | model | alone | idle | growing | dearer | handed over | growths | again | 16 cores | 64 cores |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    for row in rows {
        let Waited { idle, growing, growths, handed_over, again } = row.waited;
        let both = 2.0 * row.best[1].wall;
        let in_order = (row.best[0].wall - row.other) * (IN_ORDER / row.states as f64).min(1.0);
        let share = |seconds: f64| 100.0 * seconds / both;
        let _ = writeln!(
            text,
            "| {} | {:.1} % | {:.1} % | {:.1} % | {:.1} % | {handed_over} | {growths} | {again} | {:.1} | {:.1} |",
            row.name,
            // The other thread is not there yet.
            share(row.other + in_order),
            share(idle),
            share(growing),
            share(row.best[1].processor - row.best[0].processor),
            row.estimate(16.0),
            row.estimate(64.0),
        );
    }
    let _ = writeln!(
        text,
        "| mean | | | | | | | | {:.1} | {:.1} |",
        mean(rows, |row| row.estimate(16.0)),
        mean(rows, |row| row.estimate(64.0))
    );
    text.push_str(
        "\nWhat saturates first: the part that one thread does alone, because it takes the same time however many cores there are. \
         What is not in the estimate is the memory itself: threads share its bandwidth, and how much there is depends on the machine; searching needs some of it, growing hardly anything else. \
         Nor is it that all must meet before the store grows: each waits for the state that the slowest of them has in hand.\n",
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(walls: [f64; 3], other: f64, growing: f64) -> Row {
        let best = walls.map(|wall| Best { user: wall, processor: 4.0, wall, peak_mib: 1.0 });
        let waited = Waited { growing, ..Waited::default() };
        Row { name: "m".into(), states: 655_360, best, waited, other, apart: 5.0, pan: None }
    }

    #[test]
    fn what_one_thread_does_bounds_the_estimate() {
        let row = row([4.0, 2.0, 2.2], 0.4, 0.08);
        assert!((row.speed_up() - 2.0).abs() < 1e-9 && (row.many() - 1.1).abs() < 1e-9);
        assert!((row.apart() - 1.6).abs() < 1e-9);
        // Alone: 0.4 s beside the search, a tenth of 3.6 s in order; not the 0.04 s while the store grows.
        assert!((row.estimate(1e12) - 4.0 / 0.76).abs() < 1e-6, "{}", row.estimate(1e12));
        assert!((row.estimate(1.0) - 1.0).abs() < 1e-9);
        assert!((row.estimate(4.0) - 4.0 / (0.76 + 3.24 / 4.0)).abs() < 1e-9);
    }

    #[test]
    fn what_pan_prints_is_read() {
        let text =
            "       56 states, stored\n\npan: elapsed time 0.1 seconds\npan: rate  560 states/second\n";
        assert_eq!(read_pan(text), Some((56, 0.1)));
        assert_eq!(read_pan("1.2e+06 states, stored\npan: elapsed time 3 seconds"), Some((1_200_000, 3.0)));
        assert_eq!(read_pan("pan: out of memory"), None);
    }

    #[test]
    fn reports_are_compared_without_times() {
        let line = |threads: &str| {
            format!(
                r#"{{"states":{{"stored":7}},"stacks":{{"bytes":3,"states":2}},"seconds":{{"front_end":0.5,"compile":0.25}},"memory":{{}}{threads}}}"#
            )
        };
        let one = read(&line("")).unwrap();
        let two = read(&line(
            r#","threads":{"threads":2,"idle":0.5,"growing":0.1,"growths":3,"handed_over":4,"again":5}"#,
        ))
        .unwrap();
        assert_eq!(one.0, two.0);
        assert!((one.2 - 0.75).abs() < 1e-9 && two.1.handed_over == 4 && two.1.again == 5);
    }
}
