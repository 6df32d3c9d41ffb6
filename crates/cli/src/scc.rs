//! `lariat scc`: the strongly connected components of a model's state space, or of its product with a
//! property.

use crate::Exit;
use crate::args::{Fair, Format, Scc};
use crate::check::{interrupt_flag, options};
use crate::model::read_limits;
use crate::output::print;
use crate::progress::ProgressLine;
use crate::stated::stated;
use lariat_checker::components::components;
use lariat_checker::properties::AddedProperty;
use lariat_checker::render::components as render;
use lariat_checker::structure::structure;
use lariat_checker::{Observer, Options};

pub fn scc(arguments: &Scc) -> anyhow::Result<Exit> {
    let added: Vec<AddedProperty> = arguments.ltl.iter().cloned().map(AddedProperty::Ltl).collect();
    let options = Options {
        finite_runs: arguments.finite_runs.map(Into::into),
        fairness: arguments.fair.into(),
        reduce: arguments.reduce.reduce,
        ..options(&arguments.model, &arguments.limits)
    };
    if arguments.fair == Fair::Strong {
        let message = "error: a component does not tell whether a run in it is strongly fair; `check --fair strong` does";
        crate::output::complain(message);
        return Ok(Exit::Error);
    }
    let limits = read_limits(&arguments.limits, options.max_memory);
    let loaded = match crate::model::load_with(&arguments.model, &added, limits) {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(exit),
    };
    let property = match &arguments.property {
        None => loaded.added.first(),
        Some(name) => match stated(&loaded, name) {
            Some(Some(property)) => Some(property),
            Some(None) => {
                crate::output::complain("error: safety has no automaton, so there is no product with it");
                return Ok(Exit::Error);
            }
            None => return Ok(Exit::Error),
        },
    };
    if property.is_some() && options.fairness.is_some() {
        let message = "error: of the product with a property, the structure that algorithms see is shown, where all runs count; `check --fair` judges the property";
        crate::output::complain(message);
        return Ok(Exit::Error);
    }
    let mut line = ProgressLine::new(arguments.limits.progress).within(options.max_memory);
    let mut show = |progress: &lariat_checker::Progress| line.show(progress);
    let observer = Observer { progress: Some(&mut show), interrupt: Some(interrupt_flag()) };
    let (known, text, json) = match property {
        Some(property) => {
            let report = structure(&loaded, property, &options, observer)?;
            (report.result.is_ok(), render::structure_text(&report), render::structure_json(&report))
        }
        None => {
            let report = components(&loaded, &options, observer)?;
            (report.result.is_ok(), render::text(&report), render::json(&report))
        }
    };
    line.clear();
    print(match arguments.model.format {
        Format::Text => &text,
        _ => &json,
    })?;
    Ok(if known { Exit::Holds } else { Exit::Unknown })
}
