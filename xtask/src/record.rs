//! What is kept of a benchmark: a table to read, every single run, the versions and the commands.
//!
//! The directory is `bench/runs/SUITE`; a run takes the place of the one before. No file names a directory or
//! a machine: the date, the processor's model, and how busy the machine was, is what others need to judge the
//! figures.

use crate::bench::{Comparison, Program, REQUIRED};
use crate::measure::Measured;
use crate::workspace::{Workspace, output_of};
use anyhow::{Context, Result};
use std::fmt::Write;
use std::fs;
use std::process::Command;

/// The table, as Markdown, with the figures of the best runs.
pub fn table(comparisons: &[Comparison], runs: u32) -> String {
    let mut text = format!(
        "Best of {runs}, in seconds of processor time (user + system). A ratio is pan's time divided by Lariat's.\n\n\
         | model | states | pan | lariat | ratio | ≥ {REQUIRED} | pan, user | lariat, user | ratio, user | pan, MiB | lariat, MiB |\n\
         | --- | --: | --: | --: | --: | :-: | --: | --: | --: | --: | --: |\n"
    );
    let total = Measured::processor_seconds;
    let user = |measured: &Measured| measured.user_seconds;
    let memory = |measured: &Measured| measured.peak_kib as f64 / 1024.0;
    for comparison in comparisons {
        let best = |program, figure: &dyn Fn(&Measured) -> f64| comparison.best(program, figure);
        let _ = writeln!(
            text,
            "| {} | {} | {:.2} | {:.2} | {:.2} | {} | {:.2} | {:.2} | {:.2} | {:.0} | {:.0} |",
            comparison.model,
            comparison.states,
            best(Program::Pan, &total),
            best(Program::Lariat, &total),
            comparison.ratio(total),
            if comparison.fast_enough() { "yes" } else { "**no**" },
            best(Program::Pan, &user),
            best(Program::Lariat, &user),
            comparison.ratio(user),
            best(Program::Pan, &memory),
            best(Program::Lariat, &memory),
        );
    }
    let mean =
        |figure: &dyn Fn(&Measured) -> f64| geometric_mean(comparisons.iter().map(|c| c.ratio(figure)));
    let _ = writeln!(
        text,
        "| geometric mean | | | | {:.2} | | | | {:.2} | | {:.2} |",
        mean(&total),
        mean(&user),
        mean(&memory)
    );
    text.push_str("\nThe last figure is pan's memory divided by Lariat's.\n");
    text
}

pub fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let logarithms: Vec<f64> = values.map(f64::ln).collect();
    (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp()
}

/// Writes everything and says where, relative to the root.
pub fn keep(
    workspace: &Workspace,
    suite: &str,
    table: &str,
    comparisons: &[Comparison],
    machine: &Machine,
) -> Result<String> {
    let place = format!("bench/runs/{suite}");
    let directory = workspace.path(&place);
    fs::create_dir_all(&directory)?;
    let files = [
        ("table.md", table.to_string()),
        ("raw.csv", raw(comparisons)),
        ("versions.txt", machine.text.clone()),
        ("commands.txt", commands(comparisons, suite)),
    ];
    for (name, text) in files {
        fs::write(directory.join(name), text).with_context(|| format!("{place}/{name}"))?;
    }
    Ok(place)
}

fn raw(comparisons: &[Comparison]) -> String {
    let mut text = String::from("model,states,run,program,user_s,system_s,wall_s,peak_kib\n");
    for comparison in comparisons {
        for run in &comparison.runs {
            let Measured { user_seconds, system_seconds, wall_seconds, peak_kib, .. } = &run.measured;
            let _ = writeln!(
                text,
                "{},{},{},{},{user_seconds:.3},{system_seconds:.3},{wall_seconds:.3},{peak_kib}",
                comparison.model,
                comparison.states,
                run.number,
                run.program.name()
            );
        }
    }
    text
}

fn commands(comparisons: &[Comparison], suite: &str) -> String {
    let mut text = format!("cargo xtask bench {suite}\n");
    text.push_str(
        "\n# which runs these: spin, gcc and pan in a directory of their own with a copy of the model,\n",
    );
    text.push_str("# lariat in the root of the repository, pan and lariat in turns\n");
    for comparison in comparisons {
        let _ = write!(text, "\n# {}\n{}\n", comparison.model, comparison.commands.join("\n"));
    }
    text
}

/// Where and when it was measured, as text.
pub struct Machine {
    text: String,
}

impl Machine {
    /// How busy the machine is: its load average over the last minute.
    pub fn load() -> String {
        let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        text.split(' ').next().unwrap_or("unknown").to_string()
    }

    pub fn describe(load_before: String) -> Result<Self> {
        let cpus = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpus.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        let mut text = String::new();
        let mut add = |name: &str, value: &str| {
            let _ = writeln!(text, "{name}: {}", value.lines().next().unwrap_or_default());
        };
        add("date", &output_of(Command::new("date").args(["-u", "+%F"]))?);
        add("rustc", &output_of(Command::new("rustc").arg("--version"))?);
        add("gcc", &output_of(Command::new("gcc").arg("--version"))?);
        add("spin", &output_of(Command::new("spin").arg("-V"))?);
        add("lariat", env!("CARGO_PKG_VERSION"));
        add("processor", model.map_or("unknown", |(_, name)| name));
        add("processors", &std::thread::available_parallelism().map_or(0, |n| n.get()).to_string());
        add("load average before", &load_before);
        add("load average after", &Machine::load());
        Ok(Machine { text })
    }
}

impl Machine {
    /// The same as a list in Markdown.
    pub fn text_as_list(&self) -> String {
        self.text.lines().map(|line| format!("- {line}\n")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Run;

    fn comparison(pan: f64, lariat: f64) -> Comparison {
        let run = |number, program, seconds| Run {
            number,
            program,
            measured: Measured {
                user_seconds: seconds,
                system_seconds: 0.0,
                wall_seconds: seconds,
                peak_kib: 2048,
                code: 0,
                output: String::new(),
                errors: String::new(),
            },
        };
        let runs = vec![
            run(1, Program::Pan, pan + 1.0),
            run(1, Program::Lariat, lariat),
            run(2, Program::Pan, pan),
            run(2, Program::Lariat, lariat + 1.0),
        ];
        Comparison { model: "m".into(), states: 7, runs, commands: vec!["spin -a m.pml".into()] }
    }

    #[test]
    fn the_best_runs_count() {
        let text = table(&[comparison(2.0, 1.0), comparison(1.0, 8.0)], 2);
        assert!(text.contains("| m | 7 | 2.00 | 1.00 | 2.00 | yes | 2.00 | 1.00 | 2.00 | 2 | 2 |"), "{text}");
        assert!(text.contains("| m | 7 | 1.00 | 8.00 | 0.12 | **no** |"), "{text}");
        assert!(text.contains("| geometric mean | | | | 0.50 |"), "{text}");
    }

    #[test]
    fn every_run_is_kept() {
        assert_eq!(
            raw(&[comparison(2.0, 1.0)]),
            "model,states,run,program,user_s,system_s,wall_s,peak_kib\n\
             m,7,1,pan,3.000,0.000,3.000,2048\n\
             m,7,1,lariat,1.000,0.000,1.000,2048\n\
             m,7,2,pan,2.000,0.000,2.000,2048\n\
             m,7,2,lariat,2.000,0.000,2.000,2048\n"
        );
    }
}
