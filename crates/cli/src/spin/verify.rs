//! `lariat spin -run`: a model is checked, and the report has the layout of Spin's verifier.
//!
//! A verifier looks for several things in one search; here each has its own. With a claim (a formula, or a
//! `never` claim, the first of the model if none is named; or the one that looks for cycles without
//! progress, with `-l`), that is the claim, and then the assertions of the model. Without one it is the
//! model's assertions and end states, and then, with `-a`, its cycles. The first violation ends it. The
//! numbers are those of the search that found something, else of the first.
//!
//! Two habits of Spin are not followed, as verdicts would be wrong: a claim is checked as a whole also
//! without `-a`, and a depth that was too small makes the verdict unknown.

use super::options::Formula;
use super::{SpinCommand, base_name, model_words, understood};
use crate::Exit;
use crate::args::{Check, Command};
use crate::check::{add_fairness, interrupt_flag, write_trail};
use crate::output::{Complaints, complain, print};
use crate::progress::ProgressLine;
use anyhow::Context;
use lariat_checker::properties::{AddedProperty, Property};
use lariat_checker::render::pan::{self, PanCycles, PanError, PanSetup};
use lariat_checker::{
    Counterexample, FoundViolation, Interpreter, Loaded, Observer, Options, ReadOptions, Report, SearchOrder,
    Task, Verdict, ViolationKind,
};
use lariat_ltl::parse::{Dialect, read_formula};
use lariat_source::SourceMap;
use std::path::Path;

/// Unreached statements are listed for so many states: that takes a search of its own.
const MOST_STATES_LISTED: u64 = 1_000_000;

/// `-a` alone.
pub fn generate(command: &SpinCommand) -> anyhow::Result<Exit> {
    let (_, loaded) = match prepare(command)? {
        Ok(prepared) => prepared,
        Err(exit) => return Ok(exit),
    };
    print(&formulas(&loaded))?;
    complain(&format!(
        "note: no verifier is written, and none is needed: `lariat spin -run {}` checks the model",
        loaded.path
    ));
    Ok(Exit::Holds)
}

/// What Spin says of the formulas of a model.
fn formulas(loaded: &Loaded) -> String {
    let shown = loaded.stated.iter().filter_map(|property| match property {
        Property::Ltl { name, tree } => Some(format!("ltl {name}: {}\n", tree.bracketed())),
        _ => None,
    });
    shown.collect()
}

/// The model, and the options of `lariat check` that the command line comes to.
fn prepare(command: &SpinCommand) -> anyhow::Result<Result<(Box<Check>, Loaded), Exit>> {
    let words = ["check".to_string()].into_iter().chain(command.check.clone()).chain(model_words(command));
    let Command::Check(check) = understood(words)? else { unreachable!("it is a check") };
    let mut added: Vec<AddedProperty> = check.claim.iter().cloned().map(AddedProperty::Claim).collect();
    if let Some(formula) = &command.formula {
        let text = match formula {
            Formula::Given(text) => text.clone(),
            Formula::InFile(path) => {
                std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?
            }
        };
        // The claim is the formula's, so the property is that no run satisfies it.
        let Some(read) = read_as_spin_f(text.trim()) else { return Ok(Err(Exit::Error)) };
        added.push(AddedProperty::Ltl(format!("!({read})")));
    }
    Ok(crate::model::load_with(&check.model, &added, Default::default()).map(|loaded| (check, loaded)))
}

/// A formula as `spin -f` reads it, with all brackets; `None` if it cannot be read, and the user was told
/// why.
fn read_as_spin_f(text: &str) -> Option<String> {
    let (mut sources, mut messages) = (SourceMap::new(), Vec::new());
    let tree =
        read_formula(&mut sources, "<formula>", text.to_string().into(), Dialect::SpinF, &mut messages);
    let mut complaints = Complaints::default();
    complaints.show(&messages, &sources);
    tree.map(|tree| tree.bracketed())
}

/// One search.
#[derive(Clone, Copy)]
struct Search<'l> {
    /// `None`: assertions and end states.
    property: Option<&'l Property>,
    assertions: bool,
    ends: bool,
}

pub fn verify(command: &SpinCommand) -> anyhow::Result<Exit> {
    let (check, loaded) = match prepare(command)? {
        Ok(prepared) => prepared,
        Err(exit) => return Ok(exit),
    };
    let mut options = crate::check::options(&check.model, &check.limits);
    if check.shortest {
        options.order = SearchOrder::BreadthFirst;
    }
    options.reduce = !command.no_reduction;
    options.whole_run = true;
    let Some(store) = check.store.options(&check.limits, options.max_memory) else { return Ok(Exit::Error) };
    options.store = store;
    if !add_fairness(&check.fairness, &loaded, &mut options) {
        return Ok(Exit::Error);
    }
    let claim = match claim(command, &loaded) {
        Ok(claim) => claim,
        Err(reason) => {
            complain(&format!("error: {reason}"));
            return Ok(Exit::Error);
        }
    };
    let searches = searches(command, &loaded, claim);
    print(&formulas(&loaded))?;
    let mut exit = Exit::Holds;
    let mut shown: Option<(Report, Search)> = None;
    for search in searches {
        let report = run(&search, &loaded, &options, command)?;
        if let Verdict::Refused(reason) = &report.verdict {
            complain(&format!("error: {reason}"));
            return Ok(Exit::Error);
        }
        let found = matches!(report.verdict, Verdict::Violated);
        let stopped = matches!(report.verdict, Verdict::Unknown(_));
        if found {
            exit = Exit::Violated;
        } else if stopped {
            exit = Exit::Unknown;
        }
        if shown.is_none() || found || stopped {
            shown = Some((report, search));
        }
        if found || stopped {
            break;
        }
    }
    let Some((report, search)) = shown else { return Ok(exit) };
    let read = crate::model::read_options(&check.model);
    let errors = trails(command, &report, search.property, &loaded, &read)?;
    let lists = !command.no_unreached && errors.is_empty() && report.stopped.is_none();
    let unreached = match lists && report.counts.stored <= MOST_STATES_LISTED {
        true => list_unreached(&loaded, &options)?,
        false => None,
    };
    if lists && unreached.is_none() {
        complain("note: statements that were not reached are listed for models of up to 1,000,000 states");
    }
    let setup = PanSetup {
        completed: report.stopped.is_none() && (errors.is_empty() || command.errors == 0),
        claim: claim.map(Property::name).or(command.progress.then(|| ":np_:".to_string())),
        no_claim: if command.no_claim { "not selected" } else { "none specified" },
        is_formula: matches!(claim, Some(Property::Ltl { .. })),
        ignores_assertions: command.ignore_assertions,
        ignores_ends: command.ignore_ends,
        cycles: match (
            command.safety && claim.is_none(),
            command.progress,
            claim.is_some() || command.acceptance,
        ) {
            (true, ..) => PanCycles::Disabled,
            (_, true, _) => PanCycles::NonProgress,
            (_, _, true) => PanCycles::Acceptance,
            _ => PanCycles::NotSelected,
        },
        is_fair: options.fairness.is_some(),
        breadth_first: check.shortest,
        reduced: matches!(report.reduction, Some(lariat_checker::Reduced::States { .. })),
        store: report.store,
        bits_per_state: options.store.bits_per_state,
    };
    let vector =
        Interpreter::new(&loaded.model).micro_initial().map_or(0, |state| state.bytes().len() as u64);
    let count = match command.errors {
        1 => errors.len() as u64,
        _ => report.violations.iter().map(|found| found.count.max(1)).sum(),
    };
    print(&pan::report(&setup, &errors, count, &report, vector, unreached.as_deref()))?;
    if let Verdict::Unknown(reason) = &report.verdict {
        complain(&format!("note: the verdict is unknown: {reason}"));
    }
    Ok(exit)
}

/// The claim that runs beside the model, if one does.
fn claim<'l>(command: &SpinCommand, loaded: &'l Loaded) -> Result<Option<&'l Property>, String> {
    let is_claim = |property: &&Property| matches!(property, Property::Ltl { .. } | Property::Never { .. });
    let named = |name: &str| {
        let claims = loaded.stated.iter().filter(is_claim);
        // A claim without a name has one in Spin.
        let own = |property: &Property| match property {
            Property::Never { claim, .. } => loaded.model.claims[*claim].automaton.name == name,
            _ => false,
        };
        let mut claims = claims.filter(|property| property.name() == name || own(property));
        let known: Vec<String> = loaded.stated.iter().filter(is_claim).map(Property::name).collect();
        claims.next().ok_or_else(|| match &known[..] {
            [] => format!("there is no claim `{name}`: the model has none"),
            known => format!("there is no claim `{name}`\n  = hint: the model has {}", known.join(", ")),
        })
    };
    if let Some(added) = loaded.added.first() {
        return Ok(Some(added));
    }
    match &command.claim {
        _ if command.no_claim || (command.progress && command.claim.is_none()) => Ok(None),
        Some(name) => named(name).map(Some),
        // Never claims of the text come before those that Spin makes of formulas.
        None => {
            let never = |property: &&Property| matches!(property, Property::Never { .. });
            let first = loaded.stated.iter().find(never).or_else(|| loaded.stated.iter().find(is_claim));
            Ok(first)
        }
    }
}

fn searches<'l>(command: &SpinCommand, loaded: &'l Loaded, claim: Option<&'l Property>) -> Vec<Search<'l>> {
    let assertions = !command.ignore_assertions;
    // Cycles without progress are found by a claim, too.
    let claim = claim.or(command.progress.then_some(&Property::NonProgress));
    if let Some(claim) = claim {
        let mut searches = vec![Search { property: Some(claim), assertions, ends: false }];
        if assertions {
            searches.push(Search { property: None, assertions, ends: false });
        }
        return searches;
    }
    let mut searches = vec![Search { property: None, assertions, ends: !command.ignore_ends }];
    let beyond = |property: Option<&'l Property>| Search { property, assertions, ends: true };
    if command.acceptance && !command.safety {
        match loaded.stated.iter().find(|property| matches!(property, Property::Acceptance)) {
            Some(property) => searches.push(beyond(Some(property))),
            None => {
                complain("warning: no accept labels are defined, so option -a has no effect (ignored)");
            }
        }
    }
    let traces = loaded.stated.iter().filter(|property| matches!(property, Property::Trace { .. }));
    searches.extend(traces.map(|property| beyond(Some(property))));
    searches
}

fn run(search: &Search, loaded: &Loaded, options: &Options, command: &SpinCommand) -> anyhow::Result<Report> {
    let mut options = options.clone();
    let mut line = ProgressLine::new(false).within(options.max_memory);
    let mut show = |progress: &lariat_checker::Progress| line.show(progress);
    let observer = Observer { progress: Some(&mut show), interrupt: Some(interrupt_flag()) };
    let Some(property) = search.property else {
        // What is not wanted must not end the search.
        options.keep_going = !search.assertions || !search.ends || command.errors != 1 || command.all_trails;
        options.fairness = None;
        let mut report = lariat_checker::check_states(loaded, Task::Safety, &options, observer)?;
        line.clear();
        if options.keep_going {
            keep_wanted(&mut report, search);
        }
        return Ok(report);
    };
    let report = lariat_checker::check_property(loaded, property, &options, observer)?;
    line.clear();
    Ok(report)
}

/// Takes out what was not to be looked for; the verdict is then about the rest.
fn keep_wanted(report: &mut Report, search: &Search) {
    report.violations.retain(|found| match found.violation.kind {
        ViolationKind::Assertion => search.assertions,
        ViolationKind::InvalidEndState => search.ends,
        _ => true,
    });
    if report.verdict == Verdict::Violated && report.violations.is_empty() {
        report.verdict = match &report.stopped {
            Some(reason) => Verdict::Unknown(reason.clone()),
            None if report.store != "exact" => {
                Verdict::Unknown("the store is lossy, and states may have been missed".to_string())
            }
            None => Verdict::Holds(lariat_checker::Guarantee::Exhaustive),
        };
    }
}

/// Writes the trails, and says what was found as a verifier says it.
fn trails(
    command: &SpinCommand,
    report: &Report,
    property: Option<&Property>,
    loaded: &Loaded,
    read: &ReadOptions,
) -> anyhow::Result<Vec<PanError>> {
    let most = match (command.errors, command.all_trails) {
        (1, false) => 1,
        (0, _) | (_, true) => usize::MAX,
        (errors, false) => errors as usize,
    };
    let mut errors = Vec::new();
    for (i, found) in report.violations.iter().take(most).enumerate() {
        let is_written = i == 0 || command.all_trails;
        let number = if command.all_trails { (i + 1).to_string() } else { String::new() };
        let name = format!("{}{number}.{}", base_name(&loaded.path), command.suffix);
        let mut trail = None;
        if is_written && !(command.keep_trail && Path::new(&name).exists()) {
            let single = Report { violations: vec![found.clone()], ..report.clone() };
            if write_trail(Path::new(&name), &single, property, loaded, read)? {
                trail = Some(name);
            }
        }
        errors.push(PanError { text: said(found, property), trail });
    }
    Ok(errors)
}

/// `assertion violated (x==2) (at depth 19)`
fn said(found: &FoundViolation, property: Option<&Property>) -> String {
    let example = found.counterexample.as_ref();
    let steps = |example: &Counterexample| example.prefix.iter().filter(|step| !step.stutters).count();
    let depth = example.map_or(0, steps);
    let has_cycle = example.is_some_and(|example| !example.cycle.is_empty());
    let last = example.and_then(|example| example.prefix.last());
    match (found.violation.kind, property) {
        (ViolationKind::Assertion, _) => {
            let text = last.map_or("", |step| step.statement.as_str());
            let inner = text.strip_prefix("assert(").and_then(|text| text.strip_suffix(')'));
            format!("assertion violated {} (at depth {})", inner.unwrap_or(text), depth.saturating_sub(1))
        }
        (ViolationKind::InvalidEndState, _) => format!("invalid end state (at depth {depth})"),
        (_, Some(Property::NonProgress)) => format!("non-progress cycle (at depth {depth})"),
        (ViolationKind::AcceptingRun, _) if has_cycle => format!("acceptance cycle (at depth {depth})"),
        (ViolationKind::AcceptingRun, _) => format!("end state in claim reached (at depth {depth})"),
        _ => format!("{} (at depth {})", found.violation.message, depth.saturating_sub(1)),
    }
}

/// Statements that no process reached.
fn list_unreached(
    loaded: &Loaded,
    options: &Options,
) -> anyhow::Result<Option<Vec<lariat_checker::Unreached>>> {
    let options = Options { fairness: None, order: SearchOrder::DepthFirst, ..options.clone() };
    let observer = Observer { progress: None, interrupt: Some(interrupt_flag()) };
    let report = lariat_checker::check_states(loaded, Task::Explore, &options, observer)?;
    Ok(report.unreached)
}
