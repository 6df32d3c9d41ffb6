//! `lariat info`.

use crate::Exit;
use crate::args::{Format, InfoArguments};
use crate::output::{print, print_data};
use lariat_checker::render;

pub fn info(arguments: &InfoArguments) -> anyhow::Result<Exit> {
    let mut loaded = match crate::model::load(&arguments.model) {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(exit),
    };
    let wanted: lariat_checker::Simplifications = (&arguments.simplify).into();
    if !crate::model::can_simplify(&loaded, wanted) {
        return Ok(Exit::Error);
    }
    if !wanted.is_none() {
        lariat_checker::simplify(&mut loaded.model, wanted);
    }
    let text = if arguments.dot {
        lariat_checker::dot::dot(&loaded.model)
    } else if arguments.ir {
        lariat_checker::intermediate_form(&loaded.model)
    } else if arguments.code {
        lariat_checker::machine_code(&loaded.model)?
    } else {
        let info = lariat_checker::info::info(&loaded.model);
        match arguments.model.format {
            Format::Text => render::text::info(&info),
            _ => render::json::info(&info),
        }
    };
    if arguments.dot || arguments.ir {
        print_data(&text)?
    } else {
        print(&text)?
    };
    Ok(Exit::Holds)
}
