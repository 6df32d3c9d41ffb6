//! `lariat spin …`: the command lines that people and scripts know from Spin.
//!
//! [`options`] understands them, [`verify`] checks a model and reports in the layout of Spin's verifier,
//! [`simulate`] shows a run in the words of its simulator. Exit codes are Lariat's: Spin's do not tell a
//! model that is violated from one that is not. With `--spin-exit-codes` they are Spin's: 0 for every
//! verdict, 1 for an error.

mod options;
mod simulate;
mod verify;

use crate::Exit;
use crate::args::{Arguments, Command, Spin};
use crate::output::{complain, print};
use clap::Parser;
use options::{Formula, SpinCommand, SpinTask, TrailFile};

/// What the user sees who asks for nothing.
const USAGE: &str = "Takes the command lines of spin and of its verifiers:
  lariat spin -run [-a | -l | -safety] [-ltl NAME] [-f] [-mN] [-n] [-noreduce] … MODEL    check a model
  lariat spin -t [-k FILE] [-p] [-g] [-l] [-s] [-r] [-c] [-M] MODEL                      follow a trail
  lariat spin [-p] [-g] [-l] [-s] [-r] [-c] [-M] [-nSEED] [-uSTEPS] [-i] MODEL           a random run
  lariat spin -f FORMULA, lariat spin -F FILE                                          print a never claim
Words before -run are Spin's, those behind it the verifier's; the model comes last. What has no meaning here
is said and ignored. Exit codes are those of lariat; with --spin-exit-codes those of spin.
";

/// Spin's exit codes: an error, and everything else.
const SPIN_ERROR: Exit = Exit::Violated;

pub fn spin(arguments: &Spin) -> anyhow::Result<Exit> {
    let words: Vec<String> = arguments.words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    if words.is_empty() || words.iter().any(|word| word == "--help") {
        print(USAGE)?;
        return Ok(if words.is_empty() { Exit::Error } else { Exit::Holds });
    }
    let spin_exit_codes = words.iter().any(|word| word == "--spin-exit-codes");
    let exit = match options::parse(&words) {
        Ok(command) => run(&command),
        Err(reason) => {
            complain(&format!("error: {reason}"));
            Ok(Exit::Error)
        }
    };
    match (spin_exit_codes, exit) {
        (false, exit) => exit,
        (true, Ok(Exit::Holds | Exit::Violated | Exit::Unknown)) => Ok(Exit::Holds),
        (true, Ok(Exit::Error | Exit::Internal)) => Ok(SPIN_ERROR),
        (true, Err(error)) => {
            complain(&format!("error: {error:#}"));
            Ok(SPIN_ERROR)
        }
    }
}

fn run(command: &SpinCommand) -> anyhow::Result<Exit> {
    for (i, (word, why)) in command.ignored.iter().enumerate() {
        if !command.ignored[..i].iter().any(|(earlier, _)| earlier == word) {
            complain(&format!("note: `{word}` is ignored: {why}"));
        }
    }
    let simulates = matches!(command.task, SpinTask::Follow(_) | SpinTask::Simulate) && !command.interactive;
    if command.print.chart && !simulates {
        complain("note: `-M` is ignored: it draws a random run, or with `-t` the run of a trail");
    }
    match &command.task {
        SpinTask::Version => {
            print(&format!("Lariat {}, which takes the options of Spin 6.5.2\n", env!("CARGO_PKG_VERSION")))?;
            Ok(Exit::Holds)
        }
        SpinTask::Translate(formula) => {
            let words = match formula {
                Formula::Given(text) => vec!["--".to_string(), text.clone()],
                Formula::InFile(path) => vec!["-F".to_string(), path.display().to_string()],
            };
            let first = ["translate", "--format", "never", "--syntax", "spin-f"].map(String::from);
            match understood(first.into_iter().chain(words))? {
                Command::Translate(arguments) => crate::translate::translate(&arguments),
                _ => unreachable!("it is a translation"),
            }
        }
        SpinTask::Generate => verify::generate(command),
        SpinTask::Verify => verify::verify(command),
        SpinTask::Follow(trail) => simulate::follow(command, trail),
        SpinTask::Simulate if command.interactive => {
            let mut words = vec!["simulate".to_string(), "--interactive".to_string()];
            words.extend(command.steps.map(|steps| format!("--steps={steps}")));
            match understood(words.into_iter().chain(model_words(command)))? {
                Command::Simulate(arguments) => crate::simulate::simulate(&arguments),
                _ => unreachable!("it is a simulation"),
            }
        }
        SpinTask::Simulate => simulate::random(command),
    }
}

/// The model and how it is read, as words of `lariat`.
fn model_words(command: &SpinCommand) -> impl Iterator<Item = String> {
    let model = command.model.iter().map(|model| model.display().to_string());
    let read = command.read.clone();
    // A name may begin as an option does.
    read.into_iter().chain(["--".to_string()]).chain(model.collect::<Vec<_>>())
}

/// Files that Spin and its verifier write lie in the working directory.
fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// What the words mean to `lariat`.
fn understood(words: impl Iterator<Item = String>) -> anyhow::Result<Command> {
    let all = ["lariat".to_string()].into_iter().chain(words);
    let arguments = Arguments::try_parse_from(all).map_err(|error| {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_string();
        anyhow::anyhow!("{first}")
    })?;
    Ok(arguments.command)
}
