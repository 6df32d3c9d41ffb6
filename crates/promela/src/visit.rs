//! Walking over all places and expressions of a model.

use lariat_model::ir::*;

/// Calls `fix` with every offset into the globals.
pub fn for_each_global_offset(model: &mut Model, fix: &impl Fn(&mut u32)) {
    initialisations(&mut model.initialise, fix);
    for process in &mut model.process_types {
        process_type(process, fix);
    }
    for claim in &mut model.claims {
        process_type(&mut claim.automaton, fix);
    }
    for proposition in &mut model.propositions {
        expr(&mut proposition.value, fix);
    }
}

fn process_type(process: &mut ProcessType, fix: &impl Fn(&mut u32)) {
    if let Some(provided) = &mut process.provided {
        expr(provided, fix);
    }
    process.exclusive.iter_mut().for_each(|e| expr(&mut e.channel, fix));
    initialisations(&mut process.initialise, fix);
    for location in &mut process.locations {
        for transition in &mut location.transitions {
            action(&mut transition.action, fix);
        }
    }
}

fn initialisations(list: &mut [Initialisation], fix: &impl Fn(&mut u32)) {
    for init in list {
        place(&mut init.place, fix);
        if let InitialValue::Expr(value) = &mut init.value {
            expr(value, fix);
        }
    }
}

fn action(action_: &mut Action, fix: &impl Fn(&mut u32)) {
    match action_ {
        Action::Skip | Action::Else | Action::End => {}
        Action::Guard(e) | Action::Assert(e) => expr(e, fix),
        Action::Assign(p, e) => {
            place(p, fix);
            expr(e, fix);
        }
        Action::AssignAll(list) => {
            for (p, e) in list {
                place(p, fix);
                expr(e, fix);
            }
        }
        Action::MoveProcess { .. } => {}
        Action::Send { channel, arguments, .. } => {
            expr(channel, fix);
            arguments.iter_mut().for_each(|a| expr(a, fix));
        }
        Action::Receive(r) => receive(r, fix),
        Action::Run { arguments, then, .. } => {
            arguments.iter_mut().for_each(|a| expr(a, fix));
            if let Some(then) = then {
                place(&mut then.0, fix);
                expr(&mut then.1, fix);
            }
        }
        Action::Print { arguments, .. } => arguments.iter_mut().for_each(|a| expr(a, fix)),
        Action::SetPriority(a, b) => {
            expr(a, fix);
            expr(b, fix);
        }
        Action::Program(program) => {
            program.guards.iter_mut().for_each(|g| action(g, fix));
            for node in &mut program.nodes {
                match node {
                    Node::Do { action: a, .. } => action(a, fix),
                    Node::Choose { options, .. } => {
                        options.iter_mut().filter_map(|o| o.guard.as_mut()).for_each(|g| action(g, fix));
                    }
                    Node::Jump(_) => {}
                }
            }
        }
    }
}

fn receive(r: &mut Receive, fix: &impl Fn(&mut u32)) {
    expr(&mut r.channel, fix);
    for argument in &mut r.arguments {
        match argument {
            ReceiveArgument::Store(p) => place(p, fix),
            ReceiveArgument::Match(e) => expr(e, fix),
            ReceiveArgument::Drop => {}
        }
    }
}

fn place(p: &mut Place, fix: &impl Fn(&mut u32)) {
    match &mut p.base {
        Base::Global => fix(&mut p.offset),
        Base::Remote { pid: Some(pid), .. } => expr(pid, fix),
        _ => {}
    }
    p.indices.iter_mut().for_each(|i| expr(&mut i.value, fix));
}

fn expr(e: &mut Expr, fix: &impl Fn(&mut u32)) {
    match e {
        Expr::Global { offset, .. } => fix(offset),
        Expr::Load(p) => place(p, fix),
        Expr::Unary(_, a)
        | Expr::Len(a)
        | Expr::Test(_, a)
        | Expr::Enabled(a)
        | Expr::GetPriority(a)
        | Expr::LocationOf(a)
        | Expr::RemoteLabel { pid: Some(a), .. } => expr(a, fix),
        Expr::Binary(_, ab) => {
            expr(&mut ab.0, fix);
            expr(&mut ab.1, fix);
        }
        Expr::Conditional(abc) => {
            expr(&mut abc.0, fix);
            expr(&mut abc.1, fix);
            expr(&mut abc.2, fix);
        }
        Expr::Poll(r) => receive(r, fix),
        Expr::Constant(_)
        | Expr::Local { .. }
        | Expr::Pid
        | Expr::ProcessCount
        | Expr::Last
        | Expr::Priority
        | Expr::RemoteLabel { pid: None, .. }
        | Expr::Timeout
        | Expr::NonProgress
        | Expr::Acceptance
        | Expr::RunResult => {}
    }
}
