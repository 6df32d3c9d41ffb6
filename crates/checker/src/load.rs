//! Reading a model: the language is chosen by the file's name, or by the user.
//!
//! Every front end parses a text, and lowers it together with the propositions of all properties
//! (`front_end.rs`). Which front end it is, nobody behind this file knows. To add one is to add a row to
//! [`LANGUAGES`].

use crate::front_end::{self, ModelText, Parse, ParsedModel};
use crate::options::ReadOptions;
use crate::properties::{AddedProperty, ClaimFile, Property, stated_by_labels, texts_of};
use lariat_automata::files::read_automata;
use lariat_ltl::Bdds;
use lariat_ltl::parse::{Dialect, Tree, canonical_text, read_formula};
use lariat_model::ir::Model;
use lariat_promela::{PropositionText, ReadLimits, SpinNumbers};
use lariat_search::{Limits, ProcessMemory, StopReason};
use lariat_source::{Diagnostic, STANDARD_INPUT, Severity, SourceMap, Span, TextFileError, read_text_file};
use lariat_verdict::describe_stop;
use std::ffi::OsStr;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A model that can be checked, and what there was to say about it.
#[derive(Debug)]
pub struct Loaded {
    /// The model, ready to be run.
    pub model: Model,
    /// The file, as the user named it; [`STANDARD_INPUT`] if it is none.
    pub path: String,
    /// What there was to say about it that is no error.
    pub warnings: Vec<Diagnostic>,
    /// The texts that messages point into.
    pub sources: SourceMap,
    /// What the model states.
    pub stated: Vec<Property>,
    /// What was added to it, in the order in which it was given.
    pub added: Vec<Property>,
    /// What is assumed of runs.
    pub assumptions: Vec<Tree>,
    /// What Spin's trails call its statements; `None` if it is not written in Promela.
    pub spin_numbers: Option<SpinNumbers>,
    /// How long it took.
    pub time: Duration,
}

/// Why there is no model.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file cannot be read.
    #[error("cannot read {path}: {error}")]
    Unreadable {
        /// As the user named it.
        path: String,
        /// What the system says.
        error: std::io::Error,
    },
    /// The file is not text.
    #[error("{path} is not a text file")]
    NotText {
        /// As the user named it.
        path: String,
    },
    /// A limit was hit while it was read: which one.
    #[error("{0}")]
    Stopped(String),
    /// An external preprocessor cannot be run, or failed.
    #[error("{0}")]
    Preprocessor(String),
    /// The model has errors; the diagnostics hold warnings too.
    #[error("the model has errors")]
    Diagnostics {
        /// In the order of the text.
        diagnostics: Vec<Diagnostic>,
        /// The texts that they point into.
        sources: Box<SourceMap>,
    },
    /// The text of an intermediate form (`.lir`) has an error.
    #[error("{path}: {message}")]
    Text {
        /// As the user named it.
        path: String,
        /// What is wrong, and in which line.
        message: String,
    },
}

impl LoadError {
    /// How many errors it stands for.
    pub fn errors(&self) -> usize {
        match self {
            LoadError::Diagnostics { diagnostics, .. } => {
                diagnostics.iter().filter(|d| d.severity == Severity::Error).count()
            }
            _ => 1,
        }
    }
}

impl From<TextFileError> for LoadError {
    fn from(error: TextFileError) -> LoadError {
        match error {
            TextFileError::Unreadable { path, error } => LoadError::Unreadable { path, error },
            TextFileError::NotText { path } => LoadError::NotText { path },
        }
    }
}

/// A language that models are written in: a row of [`LANGUAGES`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LanguageDescription {
    /// As options name it.
    pub name: &'static str,
    /// What it is, in a few words.
    pub what: &'static str,
    /// How the names of files end that are written in it.
    pub ending: &'static str,
    /// Its front end.
    parse: Parse,
}

/// All languages. What has none of their endings is read in the first.
pub const LANGUAGES: &[LanguageDescription] = &[
    LanguageDescription {
        name: "promela",
        what: "The language of Spin",
        ending: "pml",
        parse: front_end::promela,
    },
    LanguageDescription {
        name: "dve",
        what: "The language of DiVinE and BEEM",
        ending: "dve",
        parse: front_end::dve,
    },
];

/// Reads a model: DVE if the file's name ends in `.dve`, the intermediate form if it ends in `.lir`, else
/// Promela. `-` is the standard input. The options may say which language it is.
pub fn load(path: &Path, options: &ReadOptions) -> Result<Loaded, LoadError> {
    load_with(path, options, &[])
}

/// The same, with properties that the model does not state itself.
///
/// A short text may become a large model (macros, inlines). So where there are limits, a thread of its own
/// does the work, and who waits for it looks at the limits meanwhile; what the process has grown by is what
/// the text has become so far. When a limit is hit, the thread has a moment to notice it as well: it then
/// says what it was doing, and ends the preprocessor that it had started; but not where memory is short, as
/// it would take more. After that it is left alone: it ends with the program, or when it is done. (Not where
/// the system limits addresses: a thread takes too many of them.)
pub fn load_with(path: &Path, options: &ReadOptions, added: &[AddedProperty]) -> Result<Loaded, LoadError> {
    let ReadLimits { deadline, interrupt, max_memory, .. } = options.preprocessor.limits;
    let process = ProcessMemory::now();
    let max_memory = max_memory.map(|most| most.max(LEAST_MEMORY));
    let limits = Limits { deadline, interrupt, max_memory, process, ..Limits::default() };
    let unlimited = deadline.is_none() && interrupt.is_none() && max_memory.is_none();
    if unlimited || process.max_addresses.is_some() {
        return load_here(path, options, added);
    }
    let (sender, receiver) = channel();
    let work = {
        let (path, options, added) = (path.to_path_buf(), options.clone(), added.to_vec());
        // Who does not wait any more does not want to know.
        move || drop(sender.send(load_here(&path, &options, &added)))
    };
    let Ok(thread) = thread::Builder::new().stack_size(STACK).spawn(work) else {
        return load_here(path, options, added);
    };
    let mut stopped = None;
    loop {
        match receiver.recv_timeout(if stopped.is_none() { BETWEEN_LOOKS } else { GRACE }) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Err(panic) => resume_unwind(panic),
                Ok(()) => unreachable!("the thread sends what it has loaded"),
            },
            Err(RecvTimeoutError::Timeout) => match stopped {
                None => match limits.look(process.grown()) {
                    Some(StopReason::Memory(_)) => {
                        let reason = StopReason::Memory(options.preprocessor.limits.max_memory.unwrap_or(0));
                        return Err(LoadError::Stopped(describe_stop(reason, None)));
                    }
                    reason => stopped = reason,
                },
                Some(StopReason::Timeout) => {
                    return Err(LoadError::Stopped("the time limit was reached".to_string()));
                }
                Some(reason) => return Err(LoadError::Stopped(describe_stop(reason, None))),
            },
        }
    }
}

/// The stack of the thread that reads: what the main thread of a program has.
const STACK: usize = 8 << 20;
/// How long it takes at most until a limit is noticed.
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);
/// Every text may take so much, whatever the limit: the thread and its first pieces of memory are part of it.
const LEAST_MEMORY: u64 = 16 << 20;
/// How long the thread has to notice it too.
const GRACE: Duration = Duration::from_millis(50);

/// Reads a model in the present thread.
fn load_here(path: &Path, options: &ReadOptions, added: &[AddedProperty]) -> Result<Loaded, LoadError> {
    let start = Instant::now();
    let is_input = path.as_os_str() == "-";
    let name = if is_input { STANDARD_INPUT.to_string() } else { path.display().to_string() };
    let unreadable = |error| unreadable(&name, error);
    let limits = &options.preprocessor.limits;
    let mut sources = SourceMap::new();
    let ends_in = |ending: &str| path.extension().is_some_and(|extension| extension == ending);
    if ends_in("lir") && options.language.is_none() {
        let bytes = limits.read_file(path).map_err(unreadable)?;
        refuse_binary(&name, &bytes)?;
        let text = String::from_utf8(bytes).map_err(|_| LoadError::NotText { path: name.clone() })?;
        let model = parse_text(&name, &text)?;
        let stated = stated_by_labels(&model);
        let (warnings, added, assumptions, time) = (Vec::new(), Vec::new(), Vec::new(), start.elapsed());
        let spin_numbers = None;
        return Ok(Loaded {
            model,
            path: name,
            warnings,
            sources,
            stated,
            added,
            assumptions,
            spin_numbers,
            time,
        });
    }
    let by_name = || {
        let named = |ending: &OsStr| LANGUAGES.iter().find(|language| ending == language.ending);
        path.extension().and_then(named).unwrap_or(&LANGUAGES[0])
    };
    let language = options.language.unwrap_or_else(by_name);
    let read;
    let text = if is_input {
        read = standard_input(options)?;
        ModelText::Given(&read)
    } else {
        ModelText::File(path)
    };
    let parsed = (language.parse)(&name, text, options, &mut sources)?;
    finish(parsed, name, sources, added, start)
}

/// The same for a text that is in memory already; `name` is what reports call it. Promela, if the options say
/// nothing else.
pub fn load_text(
    name: &str,
    text: &str,
    options: &ReadOptions,
    added: &[AddedProperty],
) -> Result<Loaded, LoadError> {
    let start = Instant::now();
    let mut sources = SourceMap::new();
    let language = options.language.unwrap_or(&LANGUAGES[0]);
    let parsed = (language.parse)(name, ModelText::Given(text), options, &mut sources)?;
    finish(parsed, name.to_string(), sources, added, start)
}

/// Reads the formulas, and lowers their propositions with the model.
fn finish(
    parsed: Box<dyn ParsedModel>,
    path: String,
    mut sources: SourceMap,
    added: &[AddedProperty],
    start: Instant,
) -> Result<Loaded, LoadError> {
    let mut messages = Vec::new();
    let mut stated = stated_formulas(&*parsed, &mut sources, &mut messages);
    let (added, assumptions) = added_properties(&*parsed, added, &mut sources, &mut messages)?;
    let mut propositions: Vec<PropositionText> =
        stated.iter().chain(&added).flat_map(Property::propositions).collect();
    propositions.extend(assumptions.iter().flat_map(texts_of));
    propositions.sort_by(|a, b| a.text.cmp(&b.text));
    propositions.dedup_by(|a, b| a.text == b.text);
    let (model, diagnostics) = parsed.finish(&propositions, &mut sources);
    messages.extend(diagnostics);
    let errors = messages.iter().any(Diagnostic::is_error);
    match model.filter(|_| !errors) {
        Some((model, spin_numbers)) => {
            stated.extend(stated_by_labels(&model));
            let (time, warnings) = (start.elapsed(), messages);
            Ok(Loaded { model, path, warnings, sources, stated, added, assumptions, spin_numbers, time })
        }
        None => Err(LoadError::Diagnostics { diagnostics: messages, sources: Box::new(sources) }),
    }
}

/// The formulas that the model states. Where one cannot be read, a message says why.
fn stated_formulas(
    parsed: &dyn ParsedModel,
    sources: &mut SourceMap,
    messages: &mut Vec<Diagnostic>,
) -> Vec<Property> {
    let mut properties = Vec::new();
    for (name, text) in parsed.formulas() {
        let title = format!("<ltl {name}>");
        let tree = read_formula(sources, &title, text, Dialect::SpinInline, messages);
        properties.extend(tree.map(|tree| Property::Ltl { name, tree }));
    }
    properties
}

/// The properties that the user adds, and what is assumed of runs. Where one cannot be read, a message says
/// why.
fn added_properties(
    parsed: &dyn ParsedModel,
    added: &[AddedProperty],
    sources: &mut SourceMap,
    messages: &mut Vec<Diagnostic>,
) -> Result<(Vec<Property>, Vec<Tree>), LoadError> {
    let (mut properties, mut assumptions) = (Vec::new(), Vec::new());
    for property in added {
        let mut tree = |text: &str| {
            let text = parsed.formula_text(text, sources);
            read_formula(sources, "<formula>", text, Dialect::Spot, messages)
        };
        match property {
            AddedProperty::Ltl(text) => {
                let name = "formula".to_string();
                properties.extend(tree(text).map(|tree| Property::Ltl { name, tree }));
            }
            AddedProperty::Exists(text) => {
                properties.extend(tree(text).map(|tree| Property::Exists { tree }))
            }
            AddedProperty::Invariant(text) => {
                let file = sources.add("<invariant>", "", text.clone());
                let origin = Span::new(file, 0, text.len() as u32);
                let condition = PropositionText { text: canonical_text(text), origin: Some(origin) };
                properties.push(Property::Invariant { condition });
            }
            AddedProperty::Claim(path) => properties.extend(claim(path, sources, messages)?),
            AddedProperty::Assumption(text) => assumptions.extend(tree(text)),
        }
    }
    Ok((properties, assumptions))
}

/// The automaton of a claim that stands in a file of its own.
fn claim(
    path: &Path,
    sources: &mut SourceMap,
    messages: &mut Vec<Diagnostic>,
) -> Result<Option<Property>, LoadError> {
    let file = read_text_file(path, sources)?;
    let mut bdds = Bdds::new();
    let (automata, diagnostics) = read_automata(sources, file, &mut bdds);
    messages.extend(diagnostics);
    if automata.len() > 1 {
        let message = "there is more than one automaton in this file";
        messages.push(Diagnostic::error(message, Span::new(file, 0, 0)).hint("a claim is one automaton"));
    }
    let path = path.display().to_string();
    let claim = |automaton| Property::Claim(Arc::new(ClaimFile { path, automaton, bdds }));
    Ok(automata.into_iter().next().map(claim))
}

/// The file cannot be read; or not within the limits.
pub(crate) fn unreadable(path: &str, error: std::io::Error) -> LoadError {
    match ReadLimits::is_limit(&error) {
        true => LoadError::Stopped(error.to_string()),
        false => LoadError::Unreadable { path: path.to_string(), error },
    }
}

fn standard_input(options: &ReadOptions) -> Result<String, LoadError> {
    if options.preprocessor.external_preprocessor.is_some() {
        let reason = "the standard input cannot be given to another preprocessor";
        return Err(LoadError::Preprocessor(reason.to_string()));
    }
    let limits = &options.preprocessor.limits;
    let bytes = limits.read(std::io::stdin()).map_err(|error| unreadable(STANDARD_INPUT, error))?;
    refuse_binary(STANDARD_INPUT, &bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A file with NUL bytes is no text.
pub(crate) fn refuse_binary(path: &str, bytes: &[u8]) -> Result<(), LoadError> {
    if bytes.contains(&0) { Err(LoadError::NotText { path: path.to_string() }) } else { Ok(()) }
}

/// The intermediate form, from its printed form. It may come from anywhere, so it is verified.
fn parse_text(path: &str, text: &str) -> Result<Model, LoadError> {
    let wrong = |message| LoadError::Text { path: path.to_string(), message };
    let model = lariat_model::text::parse(text).map_err(|error| wrong(error.to_string()))?;
    match lariat_model::verify::verify(&model).first() {
        Some(complaint) => Err(wrong(complaint.clone())),
        None => Ok(model),
    }
}
