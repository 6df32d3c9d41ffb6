//! The street for a `trace` or `notrace` assertion: that for safety, but the assertion watches, and only what
//! it complains about counts.
//!
//! Failed assertions and invalid end states are safety's. A run-time error that cuts runs short does not
//! break the assertion either, but then that no other run does proves nothing.

use crate::check::{InternalError, Searched, ready, search, seconds, shortest_by_order};
use crate::liveness::{describe_lost, described, refused};
use crate::load::Loaded;
use crate::options::{Observer, Options};
use crate::properties::Property;
use crate::report::Report;
use crate::simplification::{counts_steps, simplified};
use lariat_engine::{Interpreter, ViolationKind};
use lariat_model::ir::Model;
use lariat_search::product::LostRun;
use lariat_search::{Outcome, Question};
use lariat_verdict::{Guarantee, Verdict};
use std::time::Instant;

/// Checks the assertion, a place among the model's claims.
pub(crate) fn check_trace(
    loaded: &Loaded,
    property: &Property,
    claim: usize,
    options: &Options,
    observer: Observer,
) -> Result<Report, InternalError> {
    let start = Instant::now();
    let model = Model { propositions: Vec::new(), ..loaded.model.clone() };
    let (model, simplified) = simplified(model, counts_steps(property), options);
    let interpreter = match Interpreter::observed(&model, claim) {
        Ok(interpreter) => interpreter,
        Err(reason) => return Ok(refused(loaded, property, "none", reason, start)),
    };
    let ready = ready(interpreter, options, start, observer.interrupt)?;
    let question = if options.keep_going { Question::AllViolations } else { Question::FirstBreach };
    let Searched { outcome, violations, algorithm, stopped, profile } =
        search(&ready, question, ViolationKind::is_of_observer, options, observer, start)?;
    let searched = start.elapsed();
    let verdict = match &stopped {
        _ if !violations.is_empty() => Verdict::Violated,
        Some(reason) => Verdict::Unknown(reason.clone()),
        None => match lost_run(&outcome) {
            Some(lost) => Verdict::Unknown(describe_lost(&lost)),
            None if loaded.model.hidden_size > 0 => Verdict::Holds(Guarantee::ExhaustiveButHidden),
            None => Verdict::Holds(Guarantee::Exhaustive),
        },
    };
    let run_length = shortest_by_order(options, &violations);
    Ok(Report {
        run_length,
        stopped,
        violations,
        algorithm,
        engine: ready.engine(),
        simplified,
        counts: outcome.counts,
        seconds: seconds(loaded, start, searched, ready.compile_time()),
        profile,
        ..Report::of(loaded, described(property), verdict)
    })
}

/// The first run that a run-time error cut short.
fn lost_run(outcome: &Outcome) -> Option<LostRun> {
    let lost = outcome.found.iter().find(|found| found.violation.kind == ViolationKind::RuntimeError)?;
    let violation = lost.violation.clone();
    let no_start = lost.path.as_ref().is_some_and(Vec::is_empty);
    Some(if no_start { LostRun::Start(violation) } else { LostRun::Step(violation) })
}
