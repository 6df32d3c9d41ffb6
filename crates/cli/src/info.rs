//! `lariat info`.

use crate::Exit;
use crate::args::{Format, InfoArguments};
use crate::output::{print, print_data};
use crate::stated::stated;
use lariat_checker::properties::AddedProperty;
use lariat_checker::{Loaded, ReadLimits, render};

pub fn info(arguments: &InfoArguments) -> anyhow::Result<Exit> {
    let added: Vec<AddedProperty> = arguments.ltl.iter().cloned().map(AddedProperty::Ltl).collect();
    let mut loaded = match crate::model::load_with(&arguments.model, &added, ReadLimits::default()) {
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
    let text = if arguments.dependencies {
        match dependencies(arguments, &loaded) {
            Ok(text) => text,
            Err(exit) => return Ok(exit),
        }
    } else if arguments.dot {
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

/// Which steps depend on each other, in the form that is asked for.
fn dependencies(arguments: &InfoArguments, loaded: &Loaded) -> Result<String, Exit> {
    let property = match &arguments.property {
        Some(name) => stated(loaded, name).ok_or(Exit::Error)?,
        None => loaded.added.first(),
    };
    let dependencies = match lariat_checker::dependencies::dependencies(&loaded.model, property) {
        Ok(dependencies) => dependencies,
        Err(reason) => {
            return Ok(format!("nothing of this model is reduced, because {reason}\n"));
        }
    };
    Ok(match arguments.model.format {
        _ if arguments.dot => lariat_checker::dependencies::dot(&dependencies),
        Format::Text => lariat_checker::dependencies::text(&dependencies),
        _ => render::json::dependencies(&dependencies),
    })
}
