//! Which places the statements of a model write.

use lariat_model::ir::{
    Action, Expr, InitialValue, Initialisation, Model, Place, ProcessType, ReceiveArgument,
};
use std::ops::Range;

/// Shows every place that a statement or an initialiser of the process type may write, and what it writes
/// there, if that is an expression.
pub fn each_value_written_by(process: &ProcessType, mut each: impl FnMut(&Place, Option<&Expr>)) {
    process.initialise.iter().for_each(|init| each(&init.place, first_value(init)));
    for transition in process.locations.iter().flat_map(|location| &location.transitions) {
        each_value_written(&transition.action, &mut each);
    }
}

/// The same without the values.
pub fn each_written_by(process: &ProcessType, mut each: impl FnMut(&Place)) {
    each_value_written_by(process, |place, _| each(place));
}

/// Shows every place that an initialiser of the globals writes, and what it writes there, if that is an
/// expression.
pub fn each_written_at_the_start(model: &Model, mut each: impl FnMut(&Place, Option<&Expr>)) {
    model.initialise.iter().for_each(|init| each(&init.place, first_value(init)));
}

fn first_value(init: &Initialisation) -> Option<&Expr> {
    match &init.value {
        InitialValue::Expr(value) => Some(value),
        InitialValue::NewChannel(_) => None,
    }
}

/// Shows every place that an action may write.
pub fn each_written(action: &Action, each: &mut impl FnMut(&Place)) {
    each_value_written(action, &mut |place, _| each(place));
}

/// Shows every place that an action may write, and what it writes there, if that is an expression.
fn each_value_written(action: &Action, each: &mut impl FnMut(&Place, Option<&Expr>)) {
    action.each_within(&mut |action| match action {
        Action::Assign(place, value) => each(place, Some(value)),
        Action::AssignAll(list) => list.iter().for_each(|(place, value)| each(place, Some(value))),
        Action::Receive(receive) => {
            for argument in &receive.arguments {
                if let ReceiveArgument::Store(place) = argument {
                    each(place, None);
                }
            }
        }
        Action::Run { then: Some(then), .. } => each(&then.0, Some(&then.1)),
        _ => {}
    });
}

/// From the first to the last byte that a place may have, counted from its base: an index stands for the
/// whole array.
pub fn reach_of(place: &Place) -> Range<usize> {
    let further: u32 = place.indices.iter().map(|index| index.length.saturating_sub(1) * index.stride).sum();
    place.offset as usize..(place.offset + further + place.storage.size()) as usize
}
