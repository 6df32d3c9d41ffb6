//! `lariat check` and `lariat explore`.

use crate::Exit;
use crate::again;
use crate::args::{
    Check, Explore, Fair, FairUnit, FairnessArguments, Format, LimitArguments, ModelArguments, TraceLayout,
};
use crate::checkpoint::Course;
use crate::colour::Colours;
use crate::model::read_limits;
use crate::output::{Reader, complain, print, print_data, print_painted};
use crate::progress::ProgressLine;
use crate::stated::stated;
use anyhow::Context;
use lariat_checker::fairness::unit_rules;
use lariat_checker::properties::{AddedProperty, Property};
use lariat_checker::render::formats::document;
use lariat_checker::render::layouts::Layout;
use lariat_checker::spin_claim::WithSpinClaims;
use lariat_checker::{
    Loaded, Observer, Options, ReadOptions, Report, SearchOrder, Task, Verdict, memory, render,
};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// Without an option, a run takes at most this part of the memory that is available.
const DEFAULT_MEMORY: (u64, u64) = (80, 100);

pub fn check(arguments: &Check) -> anyhow::Result<Exit> {
    match Course::from_start(&arguments.checkpoint, &arguments.model.model) {
        Some(course) => check_on(arguments, &course),
        None => Ok(Exit::Error),
    }
}

/// The same, from the start or from a checkpoint.
pub fn check_on(arguments: &Check, course: &Course) -> anyhow::Result<Exit> {
    let mut options = options(&arguments.model, &arguments.limits);
    options.simplify = (&arguments.simplify).into();
    options.keep_going = arguments.keep_going;
    options.algorithm = arguments.algorithm;
    options.degeneralise = arguments.degeneralise;
    options.precompute = arguments.precompute;
    options.verdict_only = arguments.verdict_only;
    options.reduce = !arguments.reduce.no_reduce;
    options.whole_run = arguments.whole_run;
    options.as_found = arguments.as_found;
    options.show_automaton = arguments.show_automaton || arguments.html.is_some();
    options.show_truth = arguments.html.is_some();
    options.states = crate::model::shown_states(arguments.full_states);
    options.finite_runs = arguments.finite_runs.map(Into::into);
    if arguments.shortest {
        options.order = SearchOrder::BreadthFirst;
    }
    let Some(store) = arguments.store.options(&arguments.limits, options.max_memory) else {
        return Ok(Exit::Error);
    };
    options.store = store;
    let mut added: Vec<AddedProperty> = arguments.ltl.iter().cloned().map(AddedProperty::Ltl).collect();
    added.extend(arguments.invariant.iter().cloned().map(AddedProperty::Invariant));
    added.extend(arguments.claim.iter().cloned().map(AddedProperty::Claim));
    added.extend(arguments.exists.iter().cloned().map(AddedProperty::Exists));
    added.extend(arguments.fairness.assume.iter().cloned().map(AddedProperty::Assumption));
    let limits = read_limits(&arguments.limits, options.max_memory);
    let loaded = match crate::model::load_with(&arguments.model, &added, limits) {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(exit),
    };
    if !crate::model::can_simplify(&loaded, options.simplify) {
        return Ok(Exit::Error);
    }

    options.why_fair = arguments.why_fair;
    if !add_fairness(&arguments.fairness, &loaded, &mut options) {
        return Ok(Exit::Error);
    }
    let Some(mut chosen) = chosen(arguments, &loaded) else { return Ok(Exit::Error) };
    let everything = chosen.is_empty();
    if everything {
        chosen.push(None);
        chosen.extend(loaded.stated.iter().map(Some));
    }
    if arguments.trail.is_some() && loaded.spin_numbers.is_none() {
        complain("error: trails are Spin's, and the model is not written in Promela");
        return Ok(Exit::Error);
    }
    if !arguments.show.is_empty() && arguments.trace != TraceLayout::Table {
        crate::output::complain(
            "error: `--show` names the columns of a table\n  = hint: `--trace table` shows one",
        );
        return Ok(Exit::Error);
    }
    let layout = match arguments.trace {
        TraceLayout::Steps => Layout::Steps,
        TraceLayout::Columns => Layout::Columns,
        TraceLayout::Sequence => Layout::Sequence,
        TraceLayout::Table => {
            Layout::Table(arguments.show.iter().map(|name| name.trim().to_string()).collect())
        }
    };
    let mut worst = course.worst();
    let single = chosen.len() == 1;
    let long = |report: &Report| !arguments.shortest && render::text::is_long(report);
    let mut first_shown: Option<String> = None;
    let mut page_written = false;
    // What cannot be written is said when the reports have been shown.
    let mut not_written: Option<anyhow::Error> = None;
    let mut trail_written = false;
    let exchange = arguments.model.format.exchange();
    let mut reports = Vec::new();
    for (number, property) in chosen.iter().enumerate().skip(course.answered()) {
        if !course.add_to(&mut options, &loaded, number, worst) {
            return Ok(Exit::Error);
        }
        if number == course.answered() {
            tell_of_one_thread(&options, &chosen[number..]);
        }
        let mut line = ProgressLine::new(arguments.limits.progress).within(options.max_memory);
        if !single {
            let name = property.map_or("safety".to_string(), Property::name);
            line = line.during(format!("{} of {}, {name}", number + 1, chosen.len()));
        }
        let mut report = {
            let mut show = |progress: &lariat_checker::Progress| line.show(progress);
            let observer = Observer { progress: Some(&mut show), interrupt: Some(interrupt_flag()) };
            match property {
                None => lariat_checker::check_states(&loaded, Task::Safety, &options, observer)?,
                Some(property) => lariat_checker::check_property(&loaded, property, &options, observer)?,
            }
        };
        line.clear();
        let is_finite = matches!(property, None | Some(Property::Trace { .. }));
        if is_finite && (options.fairness.is_some() || !loaded.assumptions.is_empty()) {
            let remark = "what finite runs show does not depend on fairness or assumptions";
            report.remarks.push(remark.to_string());
        }
        if everything && property.is_none() {
            // The others have a report of their own.
            report.not_checked = Some(Vec::new());
        }
        let example = report.violations.first().and_then(|found| found.counterexample.as_ref());
        if let (Layout::Table(shown), Some(example)) = (&layout, example) {
            for name in render::layouts::unknown(example, shown) {
                let message = format!(
                    "warning: the run has no variable `{name}`\n  = hint: `x`, `a`, `P:y`, or `c` for the messages of a channel"
                );
                crate::output::complain(&message);
            }
        }
        if let (Some(path), false) = (&arguments.html, page_written) {
            page_written = or_later(write_page(path, &report, &loaded), &mut not_written);
        }
        if let (Some(path), false) = (&arguments.trail, trail_written) {
            let read = crate::model::read_options(&arguments.model);
            let written = write_trail(path, &report, *property, &loaded, &read);
            trail_written = or_later(written, &mut not_written);
        }
        if !arguments.show_automaton {
            // The page wants it, nobody else does.
            let examples = report.violations.iter_mut().filter_map(|found| found.counterexample.as_mut());
            examples.for_each(|example| example.automaton = None);
        }
        let hint = if long(&report) { SHORTEST } else { "" };
        print_run(&match arguments.model.format {
            Format::Text if single => render::text::report_in(&report, &layout) + hint,
            Format::Text => {
                let run = render::text::run(&report, &layout);
                let more = match (&run, &first_shown) {
                    (None, _) => String::new(),
                    (Some(_), None) => "; the run that shows it stands below".to_string(),
                    (Some(_), Some(_)) => {
                        let typed = course.typed();
                        let choice = again::chosen_by(*property, &loaded, &added);
                        format!("; this shows the run:\n    {}", again::command(&typed, &choice))
                    }
                };
                if first_shown.is_none() {
                    first_shown = run.map(|run| format!("\n{run}{hint}"));
                }
                let remarks: String =
                    report.remarks.iter().map(|remark| format!("  note: {remark}\n")).collect();
                format!(
                    "{}\n{remarks}  {}{more}\n",
                    render::text::first_line(&report),
                    render::text::in_short(&report)
                )
            }
            Format::Json => render::json::report(&report),
            _ => String::new(),
        })?;
        worst = worse(worst, exit(&report));
        course.tell(&options, &report);
        let is_left = course.is_left(&options, &report);
        if exchange.is_some() {
            reports.push(report);
        }
        if is_left {
            // The search that goes on from there goes on with the rest.
            break;
        }
    }
    if let Some(run) = first_shown {
        print_run(&run)?;
    }
    if let Some(format) = exchange {
        let document = document(format, &reports);
        if document.is_empty() {
            complain("note: there is no run to show");
        }
        print_data(&document)?;
    }
    if let (Some(path), false) = (&arguments.html, page_written) {
        complain(&format!("note: there is no run to show: {} was not written", path.display()));
    }
    if let (Some(path), false) = (&arguments.trail, trail_written) {
        complain(&format!("note: there is no run to show: {} was not written", path.display()));
    }
    not_written.map_or(Ok(worst), Err)
}

/// Whether a file was written or need not be tried again; the first thing that went wrong is kept.
fn or_later(written: anyhow::Result<bool>, not_written: &mut Option<anyhow::Error>) -> bool {
    written.unwrap_or_else(|error| {
        not_written.get_or_insert(error);
        true
    })
}

/// Writes the page of the run that a report shows; false if there is none.
fn write_page(path: &Path, report: &Report, loaded: &Loaded) -> anyhow::Result<bool> {
    let Some(page) = render::page::page(report, &loaded.sources) else { return Ok(false) };
    std::fs::write(path, page).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(true)
}

/// Writes the trail of the run that a report shows; false if there is none.
pub fn write_trail(
    path: &Path,
    report: &Report,
    property: Option<&Property>,
    loaded: &Loaded,
    read: &ReadOptions,
) -> anyhow::Result<bool> {
    let example = report.violations.first().and_then(|found| found.counterexample.as_ref());
    let (Some(example), Some(_)) = (example, &loaded.spin_numbers) else { return Ok(false) };
    let is_stated = |property: &Property| loaded.stated.iter().any(|stated| std::ptr::eq(stated, property));
    let mut by_spin = None;
    if let Some(property @ Property::Ltl { name, .. }) = property.filter(|property| is_stated(property)) {
        match WithSpinClaims::of(Path::new(&loaded.path), read, name) {
            Ok(claims) => by_spin = Some(claims),
            Err(why) => complain(&format!(
                "note: the trail has no moves of the claim that Spin makes of `{}`: {why}",
                property.name()
            )),
        }
    }
    let (loaded, claim) = match (&by_spin, property) {
        (Some(by_spin), _) => {
            let (loaded, claim) = by_spin.parts();
            (loaded, Some(claim))
        }
        (None, Some(Property::Never { claim, .. })) => (loaded, Some(*claim)),
        (None, _) => (loaded, None),
    };
    let Some(numbers) = &loaded.spin_numbers else { return Ok(false) };
    let trail = lariat_checker::trail::write(example, &loaded.model, numbers, claim)
        .map_err(|reason| anyhow::anyhow!("cannot write {}: {reason}", path.display()))?;
    std::fs::write(path, trail).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(true)
}

/// Which runs count. False if a name means nothing, and the user has been told so.
pub fn add_fairness(arguments: &FairnessArguments, loaded: &Loaded, options: &mut Options) -> bool {
    let FairnessArguments { fair, fair_unit, fair_to, unfair_to, .. } = arguments;
    options.fairness = (*fair).into();
    let is_used = options.fairness.is_some();
    let has_units = !fair_to.is_empty() || !unfair_to.is_empty() || *fair_unit != FairUnit::default();
    if has_units && !is_used {
        crate::output::complain(
            "error: `--fair-unit`, `--fair-to` and `--unfair-to` say to whom runs are fair; `--fair` says how",
        );
        return false;
    }
    match unit_rules(&loaded.model, (*fair_unit).into(), fair_to, unfair_to) {
        Ok(units) => options.units = units,
        Err(reason) => {
            crate::output::complain(&format!("error: {reason}"));
            return false;
        }
    }
    let every = fair_to.iter().all(|name| !name.contains('@')) && *fair_unit == FairUnit::Statement;
    if *fair == Fair::Unconditional && every {
        let message = "error: no run executes every statement again and again; `--fair-to 'P@label'` names those that it should";
        crate::output::complain(message);
        return false;
    }
    true
}

/// Prints a report. On a terminal with colours, steps without influence are grey; elsewhere they are marked.
fn print_run(text: &str) -> anyhow::Result<Reader> {
    match Colours::of_output() {
        Colours::None => print(text),
        colours => print_painted(&colours.idle_steps(text)),
    }
}

/// Said of a run that takes long to read.
const SHORTEST: &str = "hint: `--shortest` looks for a run with as few transitions as there can be\n";

/// What the user has asked for, safety as `None`; nothing, if that is all. `None`, when the user has been
/// told that there is
/// no such property.
fn chosen<'l>(arguments: &Check, loaded: &'l Loaded) -> Option<Vec<Option<&'l Property>>> {
    let mut chosen: Vec<Option<&Property>> = Vec::new();
    if arguments.safety {
        chosen.push(None);
    }
    for name in &arguments.property {
        chosen.push(stated(loaded, name)?);
    }
    chosen.extend(loaded.added.iter().map(Some));
    Some(chosen)
}

/// The exit code for both: an error outweighs a violation, a violation an open question.
fn worse(one: Exit, two: Exit) -> Exit {
    let weight = |exit: Exit| match exit {
        Exit::Holds => 0,
        Exit::Unknown => 1,
        Exit::Violated => 2,
        Exit::Error => 3,
        Exit::Internal => 4,
    };
    if weight(two) > weight(one) { two } else { one }
}

pub fn explore(arguments: &Explore) -> anyhow::Result<Exit> {
    match Course::from_start(&arguments.checkpoint, &arguments.model.model) {
        Some(course) => explore_on(arguments, &course),
        None => Ok(Exit::Error),
    }
}

/// The same, from the start or from a checkpoint.
pub fn explore_on(arguments: &Explore, course: &Course) -> anyhow::Result<Exit> {
    let mut options = options(&arguments.model, &arguments.limits);
    options.simplify = (&arguments.simplify).into();
    options.reduce = arguments.reduce.reduce;
    let Some(store) = arguments.store.options(&arguments.limits, options.max_memory) else {
        return Ok(Exit::Error);
    };
    options.store = store;
    explored(arguments, options, course)
}

/// If several threads were asked for and one searches for some of these (`None` is safety): why.
fn tell_of_one_thread(options: &Options, chosen: &[Option<&Property>]) {
    if !options.threads.are_wished() {
        return;
    }
    if chosen.iter().any(Option::is_none)
        && let Some(option) = options.forces_one_thread()
    {
        complain(&format!("note: one thread searches, because of `{option}`"));
        return;
    }
    let is_formula = |property: &Property| !matches!(property, Property::Trace { .. });
    if chosen.iter().flatten().any(|property| is_formula(property))
        && matches!(options.algorithm, lariat_checker::Algorithm::Named(_))
    {
        complain(
            "note: one thread looks for runs that violate a formula\n  = hint: `--algorithm csd`, `cndfs` and `ufscc` take several",
        );
    }
}

pub fn options(model: &ModelArguments, limits: &LimitArguments) -> Options {
    let (part, whole) = DEFAULT_MEMORY;
    Options {
        read: crate::model::read_options(model),
        engine: limits.engine.into(),
        no_recall: limits.no_recall,
        number_all: limits.number_all,
        in_order: limits.in_order,
        threads: lariat_checker::Threads { wished: limits.threads.0, in_order: limits.threads_after },
        profile: limits.profile_search,
        max_depth: limits.max_depth,
        max_states: limits.max_states,
        max_memory: limits.max_memory.or_else(|| memory::available().map(|bytes| bytes / whole * part)),
        timeout: limits.timeout,
        ..Options::default()
    }
}

/// Explores, reports, and writes the state space, if that was asked for.
fn explored(arguments: &Explore, mut options: Options, course: &Course) -> anyhow::Result<Exit> {
    let Explore { model, limits, .. } = arguments;
    let loaded = match crate::model::load_with(model, &[], read_limits(limits, options.max_memory)) {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(exit),
    };
    if !crate::model::can_simplify(&loaded, options.simplify) {
        return Ok(Exit::Error);
    }
    let export = arguments.export.as_deref();
    if !course.add_to(&mut options, &loaded, 0, Exit::Holds) {
        return Ok(Exit::Error);
    }
    let options = &options;
    if let Some(reason) = export.and_then(|path| crate::export::refused(path, &loaded, options)) {
        complain(&format!("error: {reason}"));
        return Ok(Exit::Error);
    }
    tell_of_one_thread(options, &[None]);
    let mut line = ProgressLine::new(limits.progress).within(options.max_memory);
    let start = Instant::now();
    let report = {
        let mut show = |progress: &lariat_checker::Progress| line.show(progress);
        let observer = Observer { progress: Some(&mut show), interrupt: Some(interrupt_flag()) };
        lariat_checker::check_states(&loaded, Task::Explore, options, observer)?
    };
    line.clear();
    print(&match model.format {
        Format::Text => render::text::report(&report),
        _ => render::json::report(&report),
    })?;
    course.tell(options, &report);
    match export {
        Some(path) => {
            Ok(worse(exit(&report), crate::export::export(path, &loaded, options, &report, start)?))
        }
        None => Ok(exit(&report)),
    }
}

fn exit(report: &Report) -> Exit {
    match report.verdict {
        Verdict::Holds(_) => Exit::Holds,
        Verdict::Violated => Exit::Violated,
        Verdict::Unknown(_) => Exit::Unknown,
        Verdict::Refused(_) => Exit::Error,
    }
}

static INTERRUPTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// The flag, where somebody looks at it. Elsewhere a signal ends the program by itself.
pub fn interrupt_flag_in_use() -> Option<&'static AtomicBool> {
    INTERRUPTED.get().map(|flag| &**flag)
}

/// A flag that Ctrl-C sets, and whoever ends the program by a signal (SIGTERM, SIGHUP). A second signal ends
/// it at once.
pub fn interrupt_flag() -> &'static AtomicBool {
    INTERRUPTED.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in ENDING_SIGNALS {
            // In this order: the first signal finds the flag not set, and sets it. Without a handler a signal
            // ends the program, which is good enough.
            let _ = flag::register_conditional_shutdown(*signal, ENDED_BY_SIGNAL, Arc::clone(&flag));
            let _ = flag::register(*signal, Arc::clone(&flag));
        }
        // A file that becomes too long (`ulimit -f`) is an error of whoever writes it, which is reported.
        #[cfg(unix)]
        let _ = flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
        flag
    })
}

/// The exit code of a program that a second signal ends.
const ENDED_BY_SIGNAL: i32 = 130;

#[cfg(unix)]
const ENDING_SIGNALS: &[i32] = &[SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
#[cfg(not(unix))]
const ENDING_SIGNALS: &[i32] = &[SIGINT, SIGTERM];
