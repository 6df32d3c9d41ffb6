//! Which places the statements of a model write.

use crate::ir::{Action, Model, Node, Place, ProcessType, ReceiveArgument};

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

fn each_written(action: &Action, each: &mut impl FnMut(&Place)) {
    match action {
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
        Action::Program(program) => {
            for node in &program.nodes {
                match node {
                    Node::Do { action, .. } => each_written(action, each),
                    Node::Choose { options, .. } => {
                        let guards = options.iter().filter_map(|option| option.guard.as_ref());
                        guards.for_each(|guard| each_written(guard, each));
                    }
                    Node::Jump(_) => {}
                }
            }
        }
        _ => {}
    }
}
