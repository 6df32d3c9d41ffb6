//! The binary `lariat`: reads the command line, runs the library, prints what comes out. Only this crate
//! prints or exits.
//!
//! The exit code is the answer: 0 holds, 1 violated, 2 unknown, 3 an error in the model, the formula or the
//! options, 4 an error of the program itself. Results go to the standard output, everything else to the error
//! output.

#![forbid(unsafe_code)]

mod again;
mod algorithms;
mod args;
mod automaton;
mod check;
mod checkpoint;
mod colour;
mod compare;
mod dialogue;
mod empty;
mod export;
mod generated;
mod info;
mod model;
mod output;
mod progress;
mod scc;
mod simulate;
mod spin;
mod spin_options;
mod stated;
mod stores;
mod threads;
mod translate;
mod watch;

use args::{Arguments, Command};
use clap::Parser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::borrow::Cow;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// How a run ended; the number is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    Holds = 0,
    Violated = 1,
    Unknown = 2,
    /// In the model, the formula or the options.
    Error = 3,
    Internal = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        if panic.payload().is::<lariat_checker::OutOfMemory>() {
            return;
        }
        let message = panic.payload_as_str().unwrap_or("no message");
        let place =
            panic.location().map_or(String::new(), |place| format!(" ({}:{})", place.file(), place.line()));
        output::complain(&format!("internal error, please report it: {message}{place}"));
    }));
    let ended = catch_unwind(AssertUnwindSafe(run));
    ended.unwrap_or_else(|payload| out_of_memory(payload.downcast_ref())).into()
}

/// The system has refused memory, although searches look ahead: somebody else has taken it. If it was not
/// that, it was an error of ours.
fn out_of_memory(refused: Option<&lariat_checker::OutOfMemory>) -> Exit {
    let Some(lariat_checker::OutOfMemory { bytes }) = refused else { return Exit::Internal };
    let _ =
        output::print(&format!("unknown: the system gives no more memory ({bytes} bytes were asked for)\n"));
    Exit::Unknown
}

/// Says what is wrong with the command line; of what Spin would understand, how it is spelt here.
fn explain(error: &clap::Error) {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let typed = std::env::args_os();
    let known = text(ContextKind::InvalidArg).and_then(|argument| spin_options::hint_for(argument, typed));
    let model = text(ContextKind::InvalidSubcommand).filter(|word| std::path::Path::new(word).is_file());
    match (error.kind(), known, model) {
        (ErrorKind::UnknownArgument, Some((word, hint)), _) => {
            output::complain(&format!(
                "error: `{word}` is an option of Spin, not of Lariat\n  = hint: {hint}\n  = hint: `lariat spin` \
                 takes the command lines of Spin"
            ));
        }
        (ErrorKind::InvalidSubcommand, _, Some(file)) => {
            output::complain(&format!(
                "error: what is to be done with {file}?\n  = hint: `lariat check {file}` checks it; \
                 `lariat help` lists what else there is"
            ));
        }
        _ => {
            // It repeats what stands on the command line, and has colours of its own.
            let command = |word: &OsString| {
                matches!(lariat_source::escaped_line(&word.to_string_lossy()), Cow::Owned(_))
            };
            if std::env::args_os().any(|word| command(&word)) {
                output::complain(error.render().to_string().trim_end());
            } else {
                let _ = error.print();
            }
        }
    }
}

fn run() -> Exit {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            explain(&error);
            return match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Holds,
                _ => Exit::Error,
            };
        }
    };
    if arguments.command.format_beside_check().is_some_and(|format| format.exchange().is_some()) {
        output::complain(
            "error: this format is one of `lariat check`\n  = hint: here there are `--format text` and `--format json`",
        );
        return Exit::Error;
    }
    let result = match arguments.command {
        Command::Check(arguments) => check::check(&arguments),
        Command::Explore(arguments) => check::explore(&arguments),
        Command::Resume(arguments) => checkpoint::resume(&arguments),
        Command::Simulate(arguments) => simulate::simulate(&arguments),
        Command::Info(arguments) => info::info(&arguments),
        Command::Translate(arguments) => translate::translate(&arguments),
        Command::Automaton(arguments) => automaton::automaton(&arguments),
        Command::Empty(arguments) => empty::empty(&arguments),
        Command::Watch(arguments) => watch::watch(&arguments),
        Command::Scc(arguments) => scc::scc(&arguments),
        Command::Compare(arguments) => compare::compare(&arguments),
        Command::Algorithms(arguments) => algorithms::algorithms(&arguments),
        Command::Stores(arguments) => stores::stores(&arguments),
        Command::Spin(arguments) => spin::spin(&arguments),
        Command::Completions(arguments) => generated::completions(&arguments),
        Command::Man(arguments) => generated::man(&arguments),
    };
    result.unwrap_or_else(|error| {
        if let Some(not_compiled @ lariat_checker::InternalError::NotCompiled(_)) = error.downcast_ref() {
            output::complain(&format!("error: {not_compiled}"));
            return Exit::Error;
        }
        if let Some(internal) = error.downcast_ref::<lariat_checker::InternalError>() {
            output::complain(&format!("internal error, please report it: {internal}"));
            return Exit::Internal;
        }
        output::complain(&format!("error: {error:#}"));
        Exit::Error
    })
}
