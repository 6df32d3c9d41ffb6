//! Which places the statements of a model write.

use lariat_model::ir::{Action, Model, Place, ProcessType, ReceiveArgument};
use std::ops::Range;

/// Shows every place that a statement or an initialiser of the process type may write.
pub fn each_written_by(process: &ProcessType, mut each: impl FnMut(&Place)) {
    process.initialise.iter().for_each(|init| each(&init.place));
    for transition in process.locations.iter().flat_map(|location| &location.transitions) {
        each_written(&transition.action, &mut each);
    }
}

/// Shows every place that an initialiser of the globals writes.
pub fn each_written_at_the_start(model: &Model, mut each: impl FnMut(&Place)) {
    model.initialise.iter().for_each(|init| each(&init.place));
}

/// Shows every place that an action may write.
pub fn each_written(action: &Action, each: &mut impl FnMut(&Place)) {
    action.each_within(&mut |action| match action {
        Action::Assign(place, _) => each(place),
        Action::AssignAll(list) => list.iter().for_each(|(place, _)| each(place)),
        Action::Receive(receive) => {
            for argument in &receive.arguments {
                if let ReceiveArgument::Store(place) = argument {
                    each(place);
                }
            }
        }
        Action::Run { then: Some(then), .. } => each(&then.0),
        _ => {}
    });
}

/// From the first to the last byte that a place may have, counted from its base: an index stands for the
/// whole array.
pub fn reach_of(place: &Place) -> Range<usize> {
    let further: u32 = place.indices.iter().map(|index| index.length.saturating_sub(1) * index.stride).sum();
    place.offset as usize..(place.offset + further + place.storage.size()) as usize
}
