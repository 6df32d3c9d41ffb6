//! Spin's verifier for one model: generated, compiled, run, and its report read.
//!
//! Flags: `-o1 -o2 -o3` switch off the optimisations of Spin that change which states there are (dataflow,
//! dead variables, merging of statements); `-DNOREDUCE` the partial-order reduction; `-DSAFETY` compiles the
//! faster search that looks for no cycles; `-DNOCLAIM` leaves the properties out. At run time `-A -E -c0`
//! make it explore everything, whatever it meets, and `-n` spares it the list of unreached statements. The
//! table (`-w`) has room for twice the states, as it is slower with fewer; the stack (`-m`) is as deep as the
//! first run found to be necessary, because pan clears it.
//!
//! A [`Recipe`] says which flags are used; [`Recipe::explore`] are those above.

use crate::measure::{Measured, measure};
use crate::workspace::shown;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const FIRST_DEPTH: u64 = 10_000_000;
/// Where pan goes deeper than it was told it may, it says so.
const TOO_DEEP: &str = "max search depth too small";

/// The flags of the three programs.
pub struct Recipe {
    pub spin: Vec<String>,
    pub gcc: Vec<String>,
    pub pan: Vec<String>,
}

impl Recipe {
    pub fn of(spin: &str, gcc: &str, pan: &str) -> Self {
        let words = |text: &str| text.split_whitespace().map(String::from).collect();
        Recipe { spin: words(spin), gcc: words(gcc), pan: words(pan) }
    }

    /// The whole state space, whatever happens in it.
    pub fn explore() -> Self {
        Recipe::of(
            "-o1 -o2 -o3",
            "-O2 -w -DNOREDUCE -DSAFETY -DNOCLAIM -DMEMLIM=8192 -DVECTORSZ=4096",
            "-n -A -E -c0",
        )
    }
}

pub struct Pan {
    directory: PathBuf,
    flags: Vec<String>,
    table: Option<u32>,
    depth: Option<u64>,
    /// The commands that made it, as run in its directory, and what they took.
    pub made_by: Vec<String>,
    pub making: Vec<Measured>,
}

pub struct Explored {
    pub states: u64,
    /// With those that the nested search came to a second time.
    pub visited: u64,
    pub transitions: u64,
    pub depth: u64,
    /// The state vector before compression.
    pub vector_bytes: u64,
    pub errors: u64,
}

impl Pan {
    /// Generates and compiles pan in `directory`, and finds out how deep it goes.
    pub fn build(model: &Path, states: u64, directory: PathBuf) -> Result<Self> {
        let mut pan = Pan::make(&Recipe::explore(), model, &[], directory)?;
        pan.table = Some(table_bits(states));
        pan.fit_depth()?;
        Ok(pan)
    }

    /// Generates and compiles pan in `directory`. Table and stack are as large as pan makes them by itself.
    pub fn make(recipe: &Recipe, model: &Path, macros: &[String], directory: PathBuf) -> Result<Self> {
        Pan::make_with("gcc", recipe, model, macros, directory)
    }

    /// The same with another compiler that takes the flags of gcc.
    pub fn make_with(
        compiler: &str,
        recipe: &Recipe,
        model: &Path,
        macros: &[String],
        directory: PathBuf,
    ) -> Result<Self> {
        let name = model.file_name().context("a model has a name")?;
        fs::create_dir_all(&directory)?;
        copy_with_includes(model, &directory)?;
        let mut spin = Command::new("spin");
        let mut gcc = Command::new(compiler);
        let macros = macros.iter().map(|definition| format!("-D{definition}"));
        spin.args(macros).args(&recipe.spin).arg("-a").arg(name);
        gcc.args(&recipe.gcc).args(["-o", "pan", "pan.c"]);
        let (mut made_by, mut making) = (Vec::new(), Vec::new());
        for command in [&mut spin, &mut gcc] {
            making.push(measure(command.current_dir(&directory))?);
            made_by.push(shown(command));
        }
        Ok(Pan { directory, flags: recipe.pan.clone(), table: None, depth: None, made_by, making })
    }

    /// A table for so many states, and a stack of that depth.
    pub fn set_size(&mut self, states: u64, depth: u64) {
        self.table = Some(table_bits(states));
        self.depth = Some(depth);
    }

    /// A table for so many states, and as deep as pan goes by itself.
    pub fn set_table(&mut self, states: u64) {
        self.table = Some(table_bits(states));
    }

    /// A run that is not measured says how deep the stack must be, and how many states there are.
    pub fn fit(&mut self, states: Option<u64>) -> Result<()> {
        self.table = states.map(table_bits);
        let explored = self.fit_depth()?;
        self.table = Some(table_bits(explored.states));
        Ok(())
    }

    fn fit_depth(&mut self) -> Result<Explored> {
        self.depth = Some(FIRST_DEPTH);
        let (_, explored) = self.run()?;
        self.depth = Some(explored.depth + 1000);
        Ok(explored)
    }

    /// The smallest of a few depths that is enough, as one would try them; pan's own is the first.
    pub fn try_depths(&mut self) -> Result<()> {
        for depth in [None, Some(1_000_000), Some(FIRST_DEPTH)] {
            self.depth = depth;
            let measured = measure(&self.command())?;
            if !is_too_deep(&measured.output) {
                return Ok(());
            }
        }
        bail!("pan goes deeper than {FIRST_DEPTH}")
    }

    /// Made once more, with a table and a stack of the same size.
    pub fn made_again(
        self,
        recipe: &Recipe,
        model: &Path,
        macros: &[String],
        directory: PathBuf,
    ) -> Result<Self> {
        let new = Pan::make(recipe, model, macros, directory)?;
        Ok(Pan { table: self.table, depth: self.depth, ..new })
    }

    pub fn run(&self) -> Result<(Measured, Explored)> {
        let measured = measure(&self.command())?;
        let explored = read_report(&measured.output)?;
        Ok((measured, explored))
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new("./pan");
        command.args(&self.flags).current_dir(&self.directory);
        command.args(self.depth.map(|depth| format!("-m{depth}")));
        command.args(self.table.map(|bits| format!("-w{bits}")));
        command
    }

    /// All commands, in order.
    pub fn commands(&self) -> Vec<String> {
        let mut commands = self.made_by.clone();
        commands.push(format!("./{}", shown(&self.command())));
        commands
    }
}

/// Copies a model, and what it includes, which lies beside it or below.
pub fn copy_with_includes(model: &Path, directory: &Path) -> Result<()> {
    let beside = model.parent().context("a model lies somewhere")?;
    let mut names = vec![PathBuf::from(model.file_name().context("a model has a name")?)];
    let mut next = 0;
    while let Some(name) = names.get(next).cloned() {
        next += 1;
        let bytes = fs::read(beside.join(&name)).with_context(|| name.display().to_string())?;
        let copy = directory.join(&name);
        fs::create_dir_all(copy.parent().unwrap_or(directory))?;
        fs::write(&copy, &bytes)?;
        for included in includes(&String::from_utf8_lossy(&bytes)) {
            let included = name.parent().unwrap_or(Path::new("")).join(included);
            if !names.contains(&included) && beside.join(&included).is_file() {
                names.push(included);
            }
        }
    }
    Ok(())
}

/// The names of files in `#include "NAME"`.
fn includes(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?;
        rest.trim_start().strip_prefix('"')?.split('"').next()
    })
}

/// A table of 2^n places for twice the states.
fn table_bits(states: u64) -> u32 {
    (2 * states).next_power_of_two().ilog2().max(10)
}

/// Whether pan went deeper than it was told it may.
pub fn is_too_deep(text: &str) -> bool {
    text.contains(TOO_DEEP)
}

pub fn read_report(text: &str) -> Result<Explored> {
    for limit in [TOO_DEEP, "out of memory", "reached -DMEMLIM"] {
        if text.contains(limit) {
            bail!("pan did not explore everything: {limit}");
        }
    }
    let states = before(text, "states, stored").context("pan does not say how many states there are")?;
    let visited = after(text, "states, stored (").unwrap_or(states);
    let transitions = before(text, "transitions (=").context("pan counts no transitions")?;
    let depth = after(text, "depth reached ").context("pan does not say how deep it went")?;
    let vector_bytes = after(text, "State-vector ").context("pan does not say how long a state is")?;
    let errors = after(text, "errors: ").context("pan does not say whether there are errors")?;
    ensure!(states > 0, "pan stored no states");
    Ok(Explored { states, visited, transitions, depth, vector_bytes, errors })
}

/// The number that stands before a word. Pan prints counts as floating-point numbers with eight digits.
fn before(text: &str, word: &str) -> Option<u64> {
    let (head, _) = text.split_once(word)?;
    number(head.split_whitespace().next_back()?)
}

/// The number that stands after some words.
fn after(text: &str, words: &str) -> Option<u64> {
    let (_, rest) = text.split_once(words)?;
    number(rest.split([' ', ',', '\n']).next()?)
}

fn number(text: &str) -> Option<u64> {
    text.parse().map(|number: f64| number as u64).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "\
State-vector 136 byte, depth reached 32193, errors: 0
  1150438 states, stored
  6227913 states, matched
  7378351 transitions (= stored+matched)
        0 atomic steps
";

    #[test]
    fn reports_are_read() {
        let explored = read_report(REPORT).unwrap();
        assert_eq!((explored.states, explored.depth), (1150438, 32193));
        assert_eq!((explored.transitions, explored.vector_bytes, explored.errors), (7378351, 136, 0));
        assert_eq!(explored.visited, explored.states);
        let nested = REPORT.replace("states, stored", "states, stored (2.5e+06 visited)");
        assert_eq!(read_report(&nested).unwrap().visited, 2_500_000);
    }

    #[test]
    fn incomplete_runs_are_refused() {
        assert!(read_report(&format!("error: max search depth too small\n{REPORT}")).is_err());
        assert!(read_report("").is_err());
    }

    #[test]
    fn includes_are_found() {
        let text = "#include \"a.h\"\n  # include  \"b/c.h\" /* x */\n#include <d.h>\n#define e \"f\"\n";
        assert_eq!(includes(text).collect::<Vec<_>>(), ["a.h", "b/c.h"]);
    }

    #[test]
    fn tables_are_at_most_half_full() {
        assert_eq!(table_bits(1_000_000), 21);
        assert_eq!(table_bits(1 << 20), 21);
        assert_eq!(table_bits((1 << 20) + 1), 22);
    }
}
