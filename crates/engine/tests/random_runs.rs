//! What the verifier accepts, the interpreter can execute: random models, a few states of each.
//!
//! Most random models soon run into errors, which is as it should be; what must not happen is a panic, or a
//! state whose bytes are not the frames that its tags announce.

#[path = "../../model/tests/random_models/mod.rs"]
mod random_models;

use lariat_engine::{Interpreter, SuccessorFunction, Successors};
use lariat_model::ir::*;
use random_models::{Temper, model as random_model};

/// Makes the programs end: nothing leads back.
fn straighten(action: &mut Action) {
    let Action::Program(program) = action else { return };
    program.guards.iter_mut().for_each(straighten);
    for (i, node) in program.nodes.iter_mut().enumerate() {
        let forward = |next: &mut Next| {
            if matches!(next, Next::Node(n) if *n as usize <= i) {
                *next = Next::Exit;
            }
        };
        match node {
            Node::Do { action, next, .. } => {
                straighten(action);
                forward(next);
            }
            Node::Choose { options, .. } => {
                for option in options {
                    option.guard.iter_mut().for_each(straighten);
                    forward(&mut option.next);
                }
            }
            Node::Jump(next) => forward(next),
        }
    }
}

#[test]
fn verified_models_run_without_a_panic() {
    let (mut states, mut errors, mut handshakes) = (0, 0, 0);
    for seed in 0..1500 {
        let mut model = random_model(Temper::Incurious, seed);
        for process in &mut model.process_types {
            process
                .locations
                .iter_mut()
                .flat_map(|l| &mut l.transitions)
                .for_each(|t| straighten(&mut t.action));
        }
        let interpreter = Interpreter::new(&model);
        let Ok(first) = interpreter.initial_state() else { continue };
        let mut queue = vec![first];
        let mut next = 0;
        let mut out = Successors::new();
        while next < queue.len() && next < 40 {
            interpreter.successors(&queue[next], &mut out);
            errors += out.violations().count();
            for i in 0..out.len() {
                handshakes += out.steps(i).windows(2).filter(|pair| pair[0].pid != pair[1].pid).count();
                if queue.len() < 200 && !queue.iter().any(|state| state == out.state(i)) {
                    queue.push(out.state(i).to_vec());
                }
            }
            interpreter.may_end(&queue[next]);
            interpreter.describe(&interpreter.micro_from(&queue[next]));
            next += 1;
        }
        states += next;
    }
    assert!(
        states > 3000 && errors > 1000 && handshakes > 10,
        "{states} states, {errors} errors, {handshakes} handshakes"
    );
}
