//! `lariat algorithms`: the checks for infinite runs, with what they need and what they cost.

use crate::Exit;
use crate::args::{AlgorithmsArguments, Format};
use crate::output::print;
use lariat_automata::render::algorithms;

pub fn algorithms(arguments: &AlgorithmsArguments) -> anyhow::Result<Exit> {
    print(&match arguments.format {
        Format::Text => algorithms::text(),
        _ => algorithms::json(),
    })?;
    Ok(Exit::Holds)
}
