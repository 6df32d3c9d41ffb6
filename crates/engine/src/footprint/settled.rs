//! What is known of a model before any state: settled variables, and where processes receive.
//!
//! Settled variables are those of a process that hold a channel from its creation on, and nothing else ever.
//!
//! Frames are a stack: what lies below the frame of a process lies there as long as it lives. So the number
//! of a channel that is created together with the process follows from the shape of the state alone. If no
//! statement writes the variable, and it is not dead anywhere, so does its value.

use crate::writes::{each_written, reach_of};
use lariat_model::ir::*;
use std::ops::Range;

/// Which bytes of variables are settled, and which transitions may begin with a receive.
#[derive(Clone, Debug, Default)]
pub struct Settled {
    /// By process type, and by offset.
    types: Vec<Vec<bool>>,
    /// By process type: a location, and the place of a transition there.
    receives: Vec<Vec<(u32, u32)>>,
}

/// Whether an action, or the beginning of a program, is a receive.
pub fn may_receive(action: &Action) -> bool {
    match action {
        Action::Receive(_) => true,
        Action::Program(program) => program.guards.iter().any(may_receive),
        _ => false,
    }
}

/// The transitions of a type that may begin with a receive.
fn receives_of(process: &ProcessType) -> Vec<(u32, u32)> {
    let of_location = |(number, location): (u32, &LocationInfo)| {
        let transitions = (0..).zip(&location.transitions);
        let receiving = transitions.filter(|(_, transition)| may_receive(&transition.action));
        receiving.map(|(place, _)| (number, place)).collect::<Vec<_>>()
    };
    (0..).zip(&process.locations).flat_map(of_location).collect()
}

impl Settled {
    /// Those of a model.
    pub fn of(model: &Model) -> Settled {
        let mut types: Vec<Vec<bool>> = model.process_types.iter().map(settled_at_first).collect();
        for (ty, process) in model.process_types.iter().enumerate() {
            let locations = process.locations.iter();
            let dead = locations.clone().flat_map(|location| &location.dead);
            dead.for_each(|dead| mark(&mut types[ty], dead.start as usize..dead.end as usize, false));
            for transition in locations.flat_map(|location| &location.transitions) {
                each_written(&transition.action, &mut |place| match &place.base {
                    Base::Local => mark(&mut types[ty], reach_of(place), false),
                    Base::Remote { process, .. } => {
                        mark(&mut types[process.0 as usize], reach_of(place), false)
                    }
                    Base::Global | Base::Priority | Base::Nowhere => {}
                });
            }
        }
        Settled { types, receives: model.process_types.iter().map(receives_of).collect() }
    }

    /// The transitions of a type that may begin with a receive: a location, and the place there.
    pub(super) fn receives(&self, ty: usize) -> &[(u32, u32)] {
        self.receives.get(ty).map_or(&[], Vec::as_slice)
    }

    /// Of the variables of a type, which bytes are settled.
    pub fn of_type(&self, ty: usize) -> &[bool] {
        self.types.get(ty).map_or(&[], Vec::as_slice)
    }
}

/// Sets some of the marks, as far as they exist.
pub fn mark(marks: &mut [bool], bytes: Range<usize>, value: bool) {
    let end = bytes.end.min(marks.len());
    marks[bytes.start.min(end)..end].fill(value);
}

/// What the initialisers settle. The last one of a place counts.
fn settled_at_first(process: &ProcessType) -> Vec<bool> {
    let mut marks = vec![false; process.variables_size as usize];
    for init in &process.initialise {
        if let Base::Local = init.place.base {
            // With indices, it is one of several places.
            let is_channel = matches!(init.value, InitialValue::NewChannel(_));
            mark(&mut marks, reach_of(&init.place), is_channel && init.place.indices.is_empty());
        }
    }
    marks
}
