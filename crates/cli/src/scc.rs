//! `lariat scc`: the strongly connected components of a model's state space.

use crate::Exit;
use crate::args::{Format, Scc};
use crate::output::print;
use crate::progress::ProgressLine;
use lariat::components::components;
use lariat::render::components as render;
use lariat::{Observer, Options, memory};
use std::sync::atomic::{AtomicBool, Ordering};

/// Without an option, a run takes at most so many hundredths of the memory that is available.
const DEFAULT_MEMORY: u64 = 80;

/// Set by Ctrl-C. A second Ctrl-C ends the program at once.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

pub fn scc(arguments: &Scc) -> anyhow::Result<Exit> {
    let limits = &arguments.limits;
    let options = Options {
        read: crate::model::read_options(&arguments.model),
        max_depth: limits.max_depth,
        max_states: limits.max_states,
        max_memory: limits
            .max_memory
            .or_else(|| memory::available().map(|bytes| bytes / 100 * DEFAULT_MEMORY)),
        timeout: limits.timeout,
        ..Options::default()
    };
    let Some(loaded) = crate::model::load(&arguments.model) else { return Ok(Exit::Error) };
    // Without a handler Ctrl-C ends the program, which is good enough.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    let mut line = ProgressLine::new(limits.progress);
    let report = {
        let mut show = |progress: &lariat::Progress| line.show(progress);
        let observer = Observer { progress: Some(&mut show), interrupt: Some(&INTERRUPTED) };
        components(&loaded, &options, observer)
    };
    line.clear();
    print(&match arguments.model.format {
        Format::Text => render::text(&report),
        Format::Json => render::json(&report),
    })?;
    Ok(if report.result.is_ok() { Exit::Holds } else { Exit::Unknown })
}
