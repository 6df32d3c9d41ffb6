//! `lariat check` and `lariat explore`.

use crate::Exit;
use crate::args::{Check, Explore, Format, LimitArguments, ModelArguments};
use crate::output::print;
use crate::progress::ProgressLine;
use lariat::{Observer, Options, Report, SearchOrder, Task, Verdict, memory, render};
use std::sync::atomic::{AtomicBool, Ordering};

/// Without an option, a run takes at most this part of the memory that is available.
const DEFAULT_MEMORY: (u64, u64) = (80, 100);

pub fn check(arguments: &Check) -> anyhow::Result<Exit> {
    // Safety is the only kind of property there is, so `--safety` chooses nothing.
    let _ = arguments.safety;
    let mut options = options(&arguments.model, &arguments.limits);
    options.keep_going = arguments.keep_going;
    if arguments.shortest {
        options.order = SearchOrder::BreadthFirst;
    }
    run(Task::Safety, &arguments.model, &arguments.limits, &options)
}

pub fn explore(arguments: &Explore) -> anyhow::Result<Exit> {
    let options = options(&arguments.model, &arguments.limits);
    run(Task::Explore, &arguments.model, &arguments.limits, &options)
}

fn options(model: &ModelArguments, limits: &LimitArguments) -> Options {
    let (part, whole) = DEFAULT_MEMORY;
    Options {
        read: crate::model::read_options(model),
        max_depth: limits.max_depth,
        max_states: limits.max_states,
        max_memory: limits.max_memory.or_else(|| memory::available().map(|bytes| bytes / whole * part)),
        timeout: limits.timeout,
        ..Options::default()
    }
}

fn run(
    task: Task,
    model: &ModelArguments,
    limits: &LimitArguments,
    options: &Options,
) -> anyhow::Result<Exit> {
    let Some(loaded) = crate::model::load(model) else { return Ok(Exit::Error) };
    let mut line = ProgressLine::new(limits.progress);
    let report = {
        let mut show = |progress: &lariat::Progress| line.show(progress);
        let observer = Observer { progress: Some(&mut show), interrupt: Some(interrupt_flag()) };
        lariat::check(&loaded, task, options, observer)?
    };
    line.clear();
    print(&match model.format {
        Format::Text => render::text::report(&report),
        Format::Json => render::json::report(&report),
    })?;
    Ok(exit(&report))
}

fn exit(report: &Report) -> Exit {
    match report.verdict {
        Verdict::Holds(_) => Exit::Holds,
        Verdict::Violated => Exit::Violated,
        Verdict::Unknown(_) => Exit::Unknown,
        Verdict::Refused(_) => Exit::Error,
    }
}

/// A flag that Ctrl-C sets. A second Ctrl-C ends the program at once.
fn interrupt_flag() -> &'static AtomicBool {
    static INTERRUPTED: AtomicBool = AtomicBool::new(false);
    let handler = || {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    // Without a handler Ctrl-C ends the program, which is good enough.
    let _ = ctrlc::set_handler(handler);
    &INTERRUPTED
}
