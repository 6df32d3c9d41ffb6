//! A process that walks for ever over a small random graph.
//!
//! Many random models come to rest, or circle in a step or two, and then all searches for cycles look alike.
//! This process is added to every other model: the variable [`TICK`] is the node where it is, each node has
//! one or two arcs to others, each arc is one option of its loop. So there are components of some size, and
//! cycles that some propositions meet and others do not.

use crate::model::*;
use crate::random::Random;

/// The node where the walker is.
const TICK: &str = "tick";

/// Adds the process to a model, behind all others, and gives conditions on where it is.
pub(super) fn add(random: &mut Random, model: &mut PromelaModel) -> Vec<Expression> {
    let nodes = random.between(4, 7);
    let mut arcs = Vec::new();
    for node in 0..nodes {
        // The next one mostly, so that the walk is long; and a way to anywhere.
        let next = if random.chance(80) { (node + 1) % nodes } else { random.between(0, nodes - 1) };
        arcs.push((node, next));
        if random.chance(40) {
            arcs.push((node, random.between(0, nodes - 1)));
        }
    }
    // The order in which a search takes them is that of the options.
    for last in (1..arcs.len()).rev() {
        arcs.swap(last, random.below(last + 1));
    }
    let at = |node: i64| Expression::binary("==", Expression::variable(TICK), Expression::Number(node));
    let go = |node: i64| Statement::Assign(Reference::name(TICK), Expression::Number(node));
    let options = arcs.into_iter().map(|(from, to)| {
        vec![Statement::Atomic(vec![Statement::Guard(at(from)).into(), go(to).into()]).into()]
    });
    model.globals.push(Declaration {
        prefix: None,
        type_name: TypeName::Byte,
        name: TICK.to_string(),
        length: None,
        initial: Initial::Nothing,
    });
    model.processes.push(Process {
        kind: ProcessKind::Proctype,
        name: "Walker".to_string(),
        active: Some(1),
        parameters: Vec::new(),
        priority: None,
        provided: None,
        body: vec![Statement::Do(options.collect()).into()],
    });
    let first = random.between(0, nodes - 1);
    let second = (first + random.between(1, nodes - 1)) % nodes;
    vec![at(first), at(second)]
}
