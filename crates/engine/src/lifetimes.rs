//! Whether processes come and go.
//!
//! The *shape* of a state is which processes and channels it has. Channels come and go with processes. So
//! where no process that there is at the start can create another one or come to its end, all states have the
//! shape of the initial one.

use lariat_model::ir::{Action, Location, Model, ProcessType};

/// Whether all states have the same processes and channels.
pub fn has_one_shape(model: &Model) -> bool {
    let moved_to = places_moved_to(model);
    model.start.iter().all(|start| {
        let number = start.process.0 as usize;
        let moved_to =
            moved_to.iter().filter(|(process, _)| *process == number).map(|(_, location)| *location);
        keeps_all(&model.process_types[number], moved_to.collect())
    })
}

/// Where processes are put by others: type and location.
fn places_moved_to(model: &Model) -> Vec<(usize, Location)> {
    let mut places = Vec::new();
    let transitions = model.process_types.iter().flat_map(|process| &process.locations);
    for transition in transitions.flat_map(|location| &location.transitions) {
        transition.action.each_within(&mut |action| {
            if let Action::MoveProcess { process, location, .. } = action {
                places.push((process.0 as usize, *location));
            }
        });
    }
    places
}

/// Whether a process of the type, wherever it gets to from its start or from other locations, neither ends
/// nor creates one.
fn keeps_all(process: &ProcessType, mut pending: Vec<Location>) -> bool {
    let mut reached = vec![false; process.locations.len()];
    pending.push(process.start);
    while let Some(location) = pending.pop() {
        let Some(reached) = reached.get_mut(location as usize) else { continue };
        if std::mem::replace(reached, true) {
            continue;
        }
        for transition in &process.locations[location as usize].transitions {
            let mut keeps = true;
            transition.action.each_within(&mut |action| {
                keeps &= !matches!(action, Action::Run { .. } | Action::End);
            });
            if !keeps {
                return false;
            }
            pending.push(transition.target);
        }
    }
    true
}
