//! `lariat info`.

use crate::Exit;
use crate::args::{Format, InfoArguments};
use crate::output::{print, print_data};
use lariat::render;

pub fn info(arguments: &InfoArguments) -> anyhow::Result<Exit> {
    let mut loaded = match crate::model::load(&arguments.model) {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(exit),
    };
    let wanted: lariat::Simplifications = (&arguments.simplify).into();
    if !crate::model::can_simplify(&loaded, wanted) {
        return Ok(Exit::Error);
    }
    if !wanted.is_none() {
        lariat::simplify(&mut loaded.model, wanted);
    }
    let text = if arguments.dot {
        lariat::dot::dot(&loaded.model)
    } else if arguments.ir {
        lariat::intermediate_form(&loaded.model)
    } else if arguments.code {
        lariat::machine_code(&loaded.model)?
    } else {
        let info = lariat::info::info(&loaded.model);
        match arguments.model.format {
            Format::Text => render::text::info(&info),
            Format::Json => render::json::info(&info),
        }
    };
    if arguments.dot || arguments.ir {
        print_data(&text)?
    } else {
        print(&text)?
    };
    Ok(Exit::Holds)
}
