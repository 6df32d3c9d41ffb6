//! A `trace` or `notrace` assertion: states are searched as for safety, but the assertion watches, and only
//! what it complains about counts.
//!
//! Failed assertions and invalid end states are safety's. A run-time error that cuts runs short does not
//! break the assertion either, but then that no other run does proves nothing.

use crate::check::{InternalError, Searched, search, shortest_by_order};
use crate::liveness::{describe_lost, described};
use crate::load::Loaded;
use crate::lossy::{is_full, refused};
use crate::options::{Observer, Options};
use crate::prepare::{Job, NotPrepared, Subject, prepare};
use crate::properties::Property;
use crate::report::Report;
use lariat_engine::ViolationKind;
use lariat_search::product::LostRun;
use lariat_search::{Outcome, Question};
use lariat_verdict::{Guarantee, Verdict};

/// Checks the assertion, a place among the model's claims.
pub(crate) fn check_trace(
    loaded: &Loaded,
    property: &Property,
    claim: usize,
    options: &Options,
    observer: Observer,
) -> Result<Report, InternalError> {
    let job = Job::begin(loaded, options, observer.interrupt);
    let question = if options.keep_going { Question::AllViolations } else { Question::FirstBreach };
    let subject = |job: &Job| match refused(options) {
        Some(reason) => Err(NotPrepared::refused(reason)),
        None => Ok(Subject::events(&job.loaded.model, property, claim)),
    };
    let report = prepare(&job, subject, |prepared| {
        let Searched { outcome, violations, algorithm, stopped, profile, coverage } =
            search(&job, &prepared, question, ViolationKind::is_of_observer, observer.progress)?;
        let searched = job.start.elapsed();
        let verdict = match &stopped {
            _ if !violations.is_empty() => Verdict::Violated,
            Some(reason) => Verdict::Unknown(reason.clone()),
            None => match lost_run(&outcome) {
                Some(lost) => Verdict::Unknown(describe_lost(&lost)),
                None if let Some(coverage) = &coverage => Verdict::Unknown(coverage.describe(&options.store)),
                None if loaded.model.hidden_size > 0 => Verdict::Holds(Guarantee::ExhaustiveButHidden),
                None => Verdict::Holds(Guarantee::Exhaustive),
            },
        };
        let run_length = shortest_by_order(options, &violations);
        Ok(Report {
            run_length,
            is_full: is_full(outcome.stopped),
            stopped,
            violations,
            algorithm,
            store: options.store.name(),
            coverage,
            engine: prepared.engine.name(),
            reduction: prepared.reduced(),
            simplified: prepared.simplified,
            counts: outcome.counts,
            seconds: job.seconds(searched, prepared.engine.compile_time()),
            profile,
            ..Report::of(loaded, described(property), verdict)
        })
    });
    job.report(described(property), report)
}

/// The first run that a run-time error cut short.
fn lost_run(outcome: &Outcome) -> Option<LostRun> {
    let lost = outcome.found.iter().find(|found| found.violation.kind == ViolationKind::RuntimeError)?;
    let violation = lost.violation.clone();
    let no_start = lost.path.as_ref().is_some_and(Vec::is_empty);
    Some(if no_start { LostRun::Start(violation) } else { LostRun::Step(violation) })
}
