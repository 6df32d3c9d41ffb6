//! `lariat scc`: the strongly connected components of a model's state space.

use crate::Exit;
use crate::args::{Format, Scc};
use crate::check::{interrupt_flag, options};
use crate::output::print;
use crate::progress::ProgressLine;
use lariat::Observer;
use lariat::components::components;
use lariat::render::components as render;

pub fn scc(arguments: &Scc) -> anyhow::Result<Exit> {
    let Some(loaded) = crate::model::load(&arguments.model) else { return Ok(Exit::Error) };
    let mut line = ProgressLine::new(arguments.limits.progress);
    let report = {
        let mut show = |progress: &lariat::Progress| line.show(progress);
        let observer = Observer { progress: Some(&mut show), interrupt: Some(interrupt_flag()) };
        components(&loaded, &options(&arguments.model, &arguments.limits), observer)?
    };
    line.clear();
    print(&match arguments.model.format {
        Format::Text => render::text(&report),
        Format::Json => render::json(&report),
    })?;
    Ok(if report.result.is_ok() { Exit::Holds } else { Exit::Unknown })
}
