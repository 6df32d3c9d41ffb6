//! `lariat watch`: an emptiness check, step by step, on an automaton or on the product of a model and a
//! property. As a page, as pictures, or as text. The exit code is that of `lariat empty`.

use crate::Exit;
use crate::args::{Fair, FairnessArguments, FiniteRuns, Format, LimitArguments, ModelArguments, algorithm};
use crate::check::{add_fairness, interrupt_flag, options};
use crate::model::read_limits;
use crate::output::{Complaints, Reader, complain, print};
use crate::stated::stated;
use anyhow::Context;
use clap::Args;
use lariat_animation::examples::{EXAMPLES, Example};
use lariat_animation::frame::frames;
use lariat_animation::page::page;
use lariat_animation::{About, Animation, Answer, Graph, Recording, record, text};
use lariat_automata::files::read_automata;
use lariat_automata::given::{Given, NotGiven, given};
use lariat_checker::properties::{AddedProperty, Property};
use lariat_checker::watched::{ExplicitProduct, Limits, NotWatched, Watched, describe_stop, watched};
use lariat_checker::{Algorithm, Check, LanguageDescription, Observer, Options};
use lariat_ltl::{Automaton, Bdds};
use lariat_source::SourceMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What is watched, and how it is shown.
#[derive(Debug, Args)]
pub struct Watch {
    /// An automaton, if the name ends in `.hoa`; otherwise a model, as for `check`
    #[arg(value_name = "FILE", required_unless_present = "example")]
    pub file: Option<PathBuf>,
    /// Watch an automaton that needs no file: of the papers' figures and of the slides
    #[arg(long, value_name = "NAME", conflicts_with = "file")]
    pub example: Option<String>,
    /// The check that is watched: auto, or a name that `lariat algorithms` lists
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = algorithm)]
    pub algorithm: Algorithm,
    /// A second check beside it, on the same graph
    #[arg(long, value_name = "NAME", value_parser = algorithm)]
    pub with: Option<Algorithm>,
    /// Write a page that shows the search step by step, and needs nothing else
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write a picture of each step, in SVG, to this directory
    #[arg(long, value_name = "DIR")]
    pub frames: Option<PathBuf>,
    /// Of a model: look for runs that violate this property of it
    #[arg(long, value_name = "NAME", conflicts_with_all = ["ltl", "example"])]
    pub property: Option<String>,
    /// Of a model: look for runs that violate this formula
    #[arg(long, value_name = "FORMULA", conflicts_with = "example")]
    pub ltl: Option<String>,
    /// What becomes of runs that end [default: stutter in Promela, ignore in DVE]
    #[arg(long, value_enum, value_name = "RULE")]
    pub finite_runs: Option<FiniteRuns>,
    /// The language of the model, whatever its name is
    #[arg(long, value_parser = crate::args::language(), value_name = "LANGUAGE")]
    pub language: Option<&'static LanguageDescription>,
    /// Define a macro for Promela's preprocessor
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = crate::args::definition)]
    pub define: Vec<(String, Option<String>)>,
    /// Look for included files in this directory too
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Run this command as the preprocessor instead of the built-in one
    #[arg(long, value_name = "CMD")]
    pub cpp: Option<String>,
    #[command(flatten)]
    pub fairness: FairnessArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
}

/// What was recorded, and what the page says of it.
struct Subject {
    title: String,
    about: String,
    watched: Watched,
}

pub fn watch(arguments: &Watch) -> anyhow::Result<Exit> {
    for algorithm in [Some(arguments.algorithm), arguments.with].into_iter().flatten() {
        if let Algorithm::Threaded(check) = algorithm {
            let description = check.description();
            complain(&format!(
                "error: `{}` is for several threads, and what they do together cannot be watched\n  = hint: `{}` shows what it finds",
                description.name,
                description.shows.description().name
            ));
            return Ok(Exit::Error);
        }
    }
    let with = match arguments.with {
        Some(Algorithm::Auto) => {
            complain(
                "error: `--with auto` is no second check\n  = hint: `lariat algorithms` lists the names of checks",
            );
            return Ok(Exit::Error);
        }
        with => with.and_then(Algorithm::named),
    };
    let is_automaton = arguments.file.as_ref().is_none_or(|file| ends_in_hoa(file));
    let FairnessArguments { fair, assume, .. } = &arguments.fairness;
    if is_automaton && (*fair != Fair::None || !assume.is_empty()) {
        complain("error: `--fair` and `--assume` are about models, and this is an automaton");
        return Ok(Exit::Error);
    }
    let subject = match (&arguments.example, &arguments.file) {
        (Some(name), _) => match Example::by_name(name) {
            Some(example) => {
                let title = format!("{}: {}", example.name, example.title);
                automaton(arguments, with, title, &example.automaton(), &mut Bdds::new())?
            }
            None => {
                let width = EXAMPLES.iter().map(|example| example.name.len()).max().unwrap_or(0);
                let list: Vec<String> = EXAMPLES
                    .iter()
                    .map(|example| format!("  {:width$}  {}", example.name, example.title))
                    .collect();
                complain(&format!("error: there is no example `{name}`; there are\n{}", list.join("\n")));
                Err(Exit::Error)
            }
        },
        (None, Some(file)) if ends_in_hoa(file) => automaton_in_file(arguments, with, file)?,
        (None, Some(file)) => model(arguments, with, file)?,
        (None, None) => Err(Exit::Error),
    };
    match subject {
        Ok(subject) => show(arguments, subject),
        Err(exit) => Ok(exit),
    }
}

fn ends_in_hoa(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "hoa")
}

fn automaton_in_file(
    arguments: &Watch,
    with: Option<Check>,
    file: &Path,
) -> anyhow::Result<Result<Subject, Exit>> {
    if arguments.property.is_some() || arguments.ltl.is_some() {
        complain("error: `--property` and `--ltl` are about models, and this is an automaton");
        return Ok(Err(Exit::Error));
    }
    let mut sources = SourceMap::new();
    let mut complaints = Complaints::default();
    let mut bdds = Bdds::new();
    let id = lariat_source::read_text_file(file, &mut sources)?;
    let (automata, messages) = read_automata(&sources, id, &mut bdds);
    complaints.show(&messages, &sources);
    complaints.finish();
    let Some(first) = automata.first().filter(|_| complaints.errors() == 0) else {
        return Ok(Err(Exit::Error));
    };
    if automata.len() > 1 {
        complain(&format!("warning: of {} automata the first is watched", automata.len()));
    }
    let title = match &first.name {
        Some(name) => format!("{}: {name}", sources.file(id).name),
        None => sources.file(id).name.clone(),
    };
    automaton(arguments, with, title, first, &mut bdds)
}

fn automaton(
    arguments: &Watch,
    with: Option<Check>,
    title: String,
    automaton: &Automaton,
    bdds: &mut Bdds,
) -> anyhow::Result<Result<Subject, Exit>> {
    let limits = Limits {
        max_states: arguments.limits.max_states,
        max_depth: arguments.limits.max_depth,
        deadline: arguments.limits.timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
        interrupt: Some(interrupt_flag()),
        ..Limits::default()
    };
    let Given { checks, automaton, names, texts, form } =
        match given(bdds, automaton, arguments.algorithm, with, limits) {
            Ok(given) => given,
            Err(NotGiven::Refused(reason)) => {
                complain(&format!("error: {reason}"));
                return Ok(Err(Exit::Error));
            }
            Err(NotGiven::NoAnswer(reason)) => {
                complain(&format!("error: {reason}"));
                return Ok(Err(Exit::Error));
            }
            Err(NotGiven::Stopped(reason)) => {
                print(&format!("unknown: {}\n", describe_stop(reason, arguments.limits.timeout)))?;
                return Ok(Err(Exit::Unknown));
            }
        };
    let mut product = ExplicitProduct::of(&automaton);
    let mut recordings: Vec<Recording> = Vec::new();
    for check in checks {
        match record(&mut product, check, limits) {
            Ok(recording) => recordings.push(recording),
            Err(reason) => {
                complain(&format!("internal error, please report it: {reason}"));
                return Ok(Err(Exit::Internal));
            }
        }
    }
    let seen: Vec<&Recording> = recordings.iter().collect();
    let graph = Graph::of(&mut product, &seen, |_, state| About {
        name: names.get(state.index()).cloned().unwrap_or_default(),
        text: texts.get(state.index()).cloned().unwrap_or_default(),
    });
    let sets = match automaton.sets {
        0 => "there is no acceptance set: every cycle accepts".to_string(),
        1 => "one acceptance set".to_string(),
        sets => format!("{sets} acceptance sets"),
    };
    let about = match form {
        Some(form) => format!("An automaton; {form}; {sets}."),
        None => format!("An automaton; {sets}."),
    };
    Ok(Ok(Subject {
        title,
        about,
        watched: Watched { graph, recordings, marks: String::new(), incomplete: None },
    }))
}

fn model(arguments: &Watch, with: Option<Check>, file: &Path) -> anyhow::Result<Result<Subject, Exit>> {
    let read = ModelArguments {
        model: file.to_path_buf(),
        language: arguments.language,
        define: arguments.define.clone(),
        include: arguments.include.clone(),
        cpp: arguments.cpp.clone(),
        format: Format::Text,
    };
    let mut options = Options {
        finite_runs: arguments.finite_runs.map(Into::into),
        reduce: false,
        ..options(&read, &arguments.limits)
    };
    let mut added: Vec<AddedProperty> = arguments.ltl.iter().cloned().map(AddedProperty::Ltl).collect();
    added.extend(arguments.fairness.assume.iter().cloned().map(AddedProperty::Assumption));
    let limits = read_limits(&arguments.limits, options.max_memory);
    let loaded = match crate::model::load_with(&read, &added, limits) {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(Err(exit)),
    };
    if !add_fairness(&arguments.fairness, &loaded, &mut options) {
        return Ok(Err(Exit::Error));
    }
    let is_about_runs = |property: &&Property| !matches!(property, Property::Trace { .. });
    let property = match &arguments.property {
        None => match loaded.added.first().or_else(|| loaded.stated.iter().find(is_about_runs)) {
            Some(property) => property,
            None => {
                complain(
                    "error: the model states no property, so there is no search for infinite runs to watch\n  \
                     = hint: give a formula with `--ltl FORMULA`",
                );
                return Ok(Err(Exit::Error));
            }
        },
        Some(name) => match stated(&loaded, name) {
            Some(Some(property)) if is_about_runs(&property) => property,
            Some(_) => {
                complain(&format!(
                    "error: `{name}` is about finite runs, so there is no search for infinite runs to watch"
                ));
                return Ok(Err(Exit::Error));
            }
            None => return Ok(Err(Exit::Error)),
        },
    };
    let observer = Observer { progress: None, interrupt: Some(interrupt_flag()) };
    match watched(&loaded, property, arguments.algorithm, with, &options, observer)? {
        Ok(watched) => {
            let title = format!("{}: {}", loaded.path, property.name());
            let formula = property.reading().map_or_else(String::new, |formula| format!(" of {formula}"));
            let marks = match watched.marks.is_empty() {
                true => String::new(),
                false => format!(" Not all runs count. The marks: {}.", watched.marks),
            };
            let about = format!(
                "The product of the model and the automaton of the runs that violate the property{formula}.{marks} \
                 A state tells its variables when the pointer rests on it."
            );
            Ok(Ok(Subject { title, about, watched }))
        }
        Err(NotWatched::Refused(reason)) => {
            complain(&format!("error: {reason}"));
            Ok(Err(Exit::Error))
        }
        Err(NotWatched::Stopped(reason)) => {
            print(&format!("unknown: {reason}\n"))?;
            Ok(Err(Exit::Unknown))
        }
    }
}

fn show(arguments: &Watch, subject: Subject) -> anyhow::Result<Exit> {
    let Subject { title, about, watched: Watched { graph, recordings, marks, incomplete } } = subject;
    let animations: Vec<Animation> =
        recordings.into_iter().map(|recording| Animation::new(&graph, recording)).collect();
    let decided: Vec<bool> = animations
        .iter()
        .filter_map(|animation| match animation.recording.answer {
            Answer::NotEmpty(_) => Some(true),
            Answer::Empty => Some(false),
            Answer::Unknown(_) => None,
        })
        .collect();
    if decided.windows(2).any(|two| two[0] != two[1]) {
        complain("internal error, please report it: the two checks do not agree");
        return Ok(Exit::Internal);
    }
    for animation in &animations {
        let name = animation.recording.check.description().name;
        if animation.recording.not_kept > 0 {
            let (kept, more) = (animation.recording.events.len(), animation.recording.not_kept);
            complain(&format!(
                "warning: of {name}, the first {kept} events are shown; {more} more are counted only"
            ));
        }
    }
    if graph.not_drawn > 0 {
        let (drawn, more) = (graph.states.len(), graph.not_drawn);
        complain(&format!("warning: the first {drawn} states are drawn; {more} more are not"));
    }
    if let Some(reason) = &incomplete {
        complain(&format!("warning: {reason}"));
    }
    if let Some(path) = &arguments.html {
        let shown: Vec<&Animation> = animations.iter().collect();
        std::fs::write(path, page(&title, &about, &shown))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(directory) = &arguments.frames {
        write_frames(directory, &animations)?;
    }
    let is_text = arguments.html.is_none() && arguments.frames.is_none();
    if !marks.is_empty() {
        print(&format!("marks: {marks}\n"))?;
    }
    for animation in &animations {
        let why = |reason| describe_stop(reason, arguments.limits.timeout);
        let mut out = text::summary(animation, why) + "\n";
        if is_text {
            out += &format!("\n{}\n", text::text(animation));
        }
        if print(&out)? == Reader::IsGone {
            break;
        }
    }
    Ok(match decided.first() {
        Some(true) => Exit::Violated,
        Some(false) if incomplete.is_none() => Exit::Holds,
        _ => Exit::Unknown,
    })
}

/// A file for each step, numbered so that their names are in order.
fn write_frames(directory: &Path, animations: &[Animation]) -> anyhow::Result<()> {
    std::fs::create_dir_all(directory)
        .with_context(|| format!("cannot make the directory {}", directory.display()))?;
    for animation in animations {
        let name = animation.recording.check.description().name;
        let digits = animation.steps.len().saturating_sub(1).to_string().len();
        frames(animation, |number, picture| {
            let path = directory.join(format!("{name}-{number:0digits$}.svg"));
            std::fs::write(&path, picture).with_context(|| format!("cannot write {}", path.display()))
        })?;
    }
    Ok(())
}
