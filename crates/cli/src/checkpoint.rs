//! `--checkpoint` and `lariat resume`: a search that survives.
//!
//! A checkpoint begins with the command line of its search. To go on, that line is read again, its limits are
//! replaced by those of `resume`, and the command runs as before; only that the search does not begin at the
//! beginning, and that properties which were answered before are not checked again.

use crate::Exit;
use crate::args::{Arguments, Command, LimitArguments};
use crate::output::complain;
use crate::threads::{WishedThreads, wished_threads};
use clap::{Args, Parser};
use lariat_checker::checkpoint::{CheckpointHeader, fingerprint};
use lariat_checker::{Checkpoints, Loaded, Options, Report, StoreKind, Verdict, counted};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Where a search writes down how far it is.
#[derive(Debug, Args)]
#[command(next_help_heading = "Going on another time")]
pub struct CheckpointArguments {
    /// Write down how far the search is: now and then, and when it stops; `lariat resume FILE` goes on
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// How often: seconds, or with s, m, h
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = crate::args::duration)]
    #[arg(allow_negative_numbers = true)]
    pub checkpoint_every: Duration,
}

/// What is known of the searches of a command: where they write checkpoints, and from where the first of
/// them goes on.
pub struct Course {
    path: Option<PathBuf>,
    every: Duration,
    words: Vec<String>,
    resumed: Option<(PathBuf, CheckpointHeader)>,
}

impl Course {
    /// Of a command that begins at the beginning. `None` if there can be no checkpoint, and the user has been
    /// told so.
    pub fn from_start(arguments: &CheckpointArguments, model: &Path) -> Option<Course> {
        let CheckpointArguments { checkpoint, checkpoint_every } = arguments;
        let mut words = Vec::new();
        if checkpoint.is_some() {
            if model == Path::new("-") {
                complain(
                    "error: a model that comes from the standard input cannot be read again: give it a name",
                );
                return None;
            }
            let typed: Result<Vec<String>, _> =
                std::env::args_os().skip(1).map(OsString::into_string).collect();
            let Ok(typed) = typed else {
                complain("error: the command line is not UTF-8, so a checkpoint cannot repeat it");
                return None;
            };
            words = typed;
        }
        Some(Course { path: checkpoint.clone(), every: *checkpoint_every, words, resumed: None })
    }

    /// How many properties were answered before.
    pub fn answered(&self) -> usize {
        self.resumed.as_ref().map_or(0, |(_, header)| header.property as usize)
    }

    /// What came of these.
    pub fn worst(&self) -> Exit {
        match self.resumed.as_ref().map_or(0, |(_, header)| header.worst) {
            0 => Exit::Holds,
            1 => Exit::Violated,
            2 => Exit::Unknown,
            3 => Exit::Error,
            _ => Exit::Internal,
        }
    }

    /// The command line, as it was typed first.
    pub fn typed(&self) -> Vec<OsString> {
        match self.resumed {
            None => std::env::args_os().collect(),
            Some(_) => std::env::args_os().take(1).chain(self.words.iter().map(OsString::from)).collect(),
        }
    }

    /// Adds checkpoints to the options of the search for a property. False if it cannot go on, and the user
    /// has been told so.
    pub fn add_to(&self, options: &mut Options, loaded: &Loaded, property: usize, worst: Exit) -> bool {
        let Some(path) = &self.path else { return true };
        let (words, worst, model) = (self.words.clone(), worst as u8, fingerprint(loaded));
        let header = CheckpointHeader { words, property: property as u64, worst, model };
        let checkpoints = Checkpoints::new(path.clone(), header.encode(), self.every);
        if let Some(reason) = checkpoints.why_not_written() {
            complain(&format!("error: no checkpoint can be written to {}: {reason}", path.display()));
            return false;
        }
        if options.store.kind == StoreKind::Auto {
            // When it goes over depends on the memory that it may take, and where a search goes on, that may
            // be more: states would get other numbers than they had.
            options.store.kind = StoreKind::Tree;
        }
        let checkpoints = match &self.resumed {
            Some((from, before)) if before.property == property as u64 => {
                let opened = match before.model == model {
                    true => CheckpointHeader::open(from),
                    false => Err(lariat_checker::Unreadable(
                        "it is of another model: the text has changed, or that of a file that it includes"
                            .into(),
                    )),
                };
                match opened.and_then(|(_, reader)| checkpoints.going_on(reader)) {
                    Ok(checkpoints) => checkpoints,
                    Err(error) => {
                        complain(&format!("error: cannot go on from {}: {error}", from.display()));
                        return false;
                    }
                }
            }
            _ => checkpoints,
        };
        options.checkpoint = Some(Arc::new(checkpoints));
        true
    }

    /// Whether a search has stopped that can go on from a checkpoint.
    pub fn is_left(&self, options: &Options, report: &Report) -> bool {
        let is_open = options.keep_going || matches!(report.verdict, Verdict::Unknown(_));
        let written = options.checkpoint.as_ref().and_then(|checkpoints| checkpoints.written());
        is_open && report.stopped.is_some() && written.is_some()
    }

    /// Says what was written of a search that has not come to its end.
    pub fn tell(&self, options: &Options, report: &Report) {
        let Some(checkpoints) = &options.checkpoint else { return };
        if report.stopped.is_none() {
            return;
        }
        let path = checkpoints.path().display();
        if let Some(problem) = checkpoints.problem() {
            complain(&format!("warning: {path} is not up to date: {problem}"));
        }
        if let Some(states) = checkpoints.written().filter(|_| self.is_left(options, report)) {
            let states = counted(states, "state");
            complain(&format!("note: {path} has the search with {states}; `lariat resume {path}` goes on"));
        }
    }
}

/// Goes on with a search.
pub fn resume(arguments: &Resume) -> anyhow::Result<Exit> {
    let file = &arguments.file;
    let refuse = |reason: &str| {
        complain(&format!("error: cannot go on from {}: {reason}", file.display()));
        Ok(Exit::Error)
    };
    let header = match CheckpointHeader::open(file) {
        Ok((header, _)) => header,
        Err(error) => return refuse(&error.to_string()),
    };
    let words = ["lariat"].into_iter().chain(header.words.iter().map(String::as_str));
    let Ok(command) = Arguments::try_parse_from(words) else {
        return refuse("this program does not know the options of the search");
    };
    let course = |before: &CheckpointArguments| Course {
        path: Some(arguments.checkpoint.clone().unwrap_or_else(|| file.clone())),
        every: arguments.checkpoint_every.unwrap_or(before.checkpoint_every),
        words: header.words.clone(),
        resumed: Some((file.clone(), header.clone())),
    };
    match command.command {
        Command::Check(mut check) => {
            replace_limits(&mut check.limits, arguments);
            crate::check::check_on(&check, &course(&check.checkpoint))
        }
        Command::Explore(mut explore) => {
            replace_limits(&mut explore.limits, arguments);
            crate::check::explore_on(&explore, &course(&explore.checkpoint))
        }
        _ => refuse("it is of a command that has no checkpoints"),
    }
}

/// The limits of the command line that is read again do not count; but where paths were cut, they stay cut.
fn replace_limits(limits: &mut LimitArguments, arguments: &Resume) {
    limits.max_states = arguments.max_states;
    limits.max_memory = arguments.max_memory;
    limits.timeout = arguments.timeout;
    limits.threads = arguments.threads.unwrap_or(limits.threads);
    limits.progress |= arguments.progress;
}

#[derive(Debug, Args)]
pub struct Resume {
    /// The checkpoint
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Stop when more states than this are stored
    #[arg(long, value_name = "N", value_parser = crate::args::count, allow_negative_numbers = true)]
    pub max_states: Option<u64>,
    /// Stop when more memory than this is needed: bytes, or with K, M, G, T [default: 80 % of what is
    /// available]
    #[arg(long, value_name = "SIZE", value_parser = crate::args::size, allow_negative_numbers = true)]
    pub max_memory: Option<u64>,
    /// Stop after this time: seconds, or with s, m, h
    #[arg(long, value_name = "TIME", value_parser = crate::args::duration, allow_negative_numbers = true)]
    pub timeout: Option<Duration>,
    /// How many threads search: a number, or auto (one for each processor) [default: as before]
    #[arg(long, value_name = "N", value_parser = wished_threads)]
    pub threads: Option<WishedThreads>,
    /// Write further checkpoints to this file [default: the same]
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// How often: seconds, or with s, m, h [default: as before]
    #[arg(long, value_name = "TIME", value_parser = crate::args::duration, allow_negative_numbers = true)]
    pub checkpoint_every: Option<Duration>,
    /// Show progress even if the error output is no terminal
    #[arg(long)]
    pub progress: bool,
}
