//! Suites: which cases are run with which configurations, within which limits. A suite is a TOML file;
//! `docs/compare.md` describes it.
//!
//! Paths in a suite are relative to its file. Cases may also come from a table (CSV), which names a model
//! and a formula in each row, so that a suite can be about a collection that lies elsewhere.

mod cases;
mod text;

use crate::files::{self, WriteError};
use cases::Builder;
use lariat_checker::{FiniteRuns, THREADED};
use lariat_source::{Diagnostic, SourceMap, Span, TextFileError, read_text_file};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fmt::{Display, Formatter};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// What is to be compared.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The file, as the user named it; of a built-in suite, its name.
    pub name: String,
    /// For the page.
    pub title: String,
    /// Time of each run.
    pub time: Duration,
    /// Memory of each run, in bytes.
    pub memory: u64,
    /// Which cases count; all, if there is no such rule.
    pub qualify: Option<Qualify>,
    /// How every case is run.
    pub configurations: Vec<Configuration>,
    /// Whether the models are reduced, by all configurations.
    pub reduction: ReductionChoice,
    /// What is run.
    pub cases: Vec<Case>,
    /// What is to be said although it can be run, and the texts that cases stand in.
    pub warnings: Complaints,
}

/// A case counts only if one configuration finishes it within this time.
#[derive(Clone, Debug)]
pub struct Qualify {
    /// A place in [`Suite::configurations`].
    pub configuration: usize,
    /// Instead of the limit of other runs.
    pub time: Duration,
}

/// How a case is run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Configuration {
    /// The algorithm, and what is not the default.
    pub name: String,
    /// As `lariat algorithms` lists it.
    pub algorithm: &'static str,
    /// What executes the model.
    pub engine: EngineChoice,
    /// Which automaton the algorithm gets.
    pub automaton: AutomatonForm,
    /// Whether the algorithm runs on the fly.
    pub product: ProductForm,
    /// Which runs count.
    pub fairness: FairnessChoice,
    /// Whether the model is reduced, where that is sound.
    pub reduction: ReductionChoice,
    /// How many threads look for a run.
    pub threads: usize,
    /// The options of `lariat check`.
    pub options: String,
}

impl Configuration {
    fn new(
        algorithm: &'static str,
        engine: EngineChoice,
        automaton: AutomatonForm,
        product: ProductForm,
        fairness: FairnessChoice,
        threads: usize,
    ) -> Configuration {
        let mut name = algorithm.to_string();
        let mut options = format!("--algorithm {algorithm}");
        match automaton {
            AutomatonForm::Degeneralised => options.push_str(" --degeneralise"),
            AutomatonForm::Generalised => name.push_str(" generalised"),
        }
        if product == ProductForm::Precomputed {
            name.push_str(" precomputed");
            options.push_str(" --precompute");
        }
        let engine_name = engine.name();
        options.push_str(&format!(" --engine {engine_name}"));
        if engine != EngineChoice::Compiled {
            name.push_str(&format!(" {engine_name}"));
        }
        if fairness != FairnessChoice::None {
            name.push_str(&format!(" {}", fairness.name()));
            options.push_str(&format!(" --fair {}", fairness.name()));
        }
        if takes_threads(algorithm) {
            // From the first state on: what is compared is this algorithm, not the one that would begin.
            options.push_str(&format!(" --threads {threads} --threads-after 0"));
        }
        if threads > 1 {
            name.push_str(&format!(" {threads} threads"));
        }
        // Whatever `check` does by itself: what is compared is said.
        let reduction = ReductionChoice::None;
        options.push_str(&format!(" {}", reduction.option()));
        Configuration { name, algorithm, engine, automaton, product, fairness, reduction, threads, options }
    }

    fn reduce(&mut self) {
        let [not, reduced] = [ReductionChoice::None, ReductionChoice::StubbornSets];
        if self.reduction == not {
            self.options = self.options.replace(not.option(), reduced.option());
            self.name.push_str(" reduced");
            self.reduction = reduced;
        }
    }
}

/// Whether an algorithm is one for several threads.
fn takes_threads(algorithm: &str) -> bool {
    THREADED.iter().any(|known| known.name == algorithm)
}

/// What executes the models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EngineChoice {
    /// Machine code from the start: no run changes its pace in the middle.
    Compiled,
    /// The interpreter.
    Interpreted,
    /// The interpreter at first.
    Auto,
}

impl EngineChoice {
    fn name(self) -> &'static str {
        match self {
            EngineChoice::Compiled => "compiled",
            EngineChoice::Interpreted => "interpreted",
            EngineChoice::Auto => "auto",
        }
    }
}

/// Which automaton an algorithm gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AutomatonForm {
    /// One acceptance set, on states: the same for all algorithms.
    Degeneralised,
    /// Any number of sets, on edges.
    Generalised,
}

/// When successors are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProductForm {
    /// When the algorithm asks for them.
    OnTheFly,
    /// All of them before the algorithm begins.
    Precomputed,
}

/// Which runs count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FairnessChoice {
    /// All of them.
    None,
    /// Those that are weakly fair to every process.
    Weak,
    /// Those that are strongly fair to every process.
    Strong,
    /// Those that are unconditionally fair to every process.
    Unconditional,
}

impl FairnessChoice {
    fn name(self) -> &'static str {
        match self {
            FairnessChoice::None => "none",
            FairnessChoice::Weak => "weak",
            FairnessChoice::Strong => "strong",
            FairnessChoice::Unconditional => "unconditional",
        }
    }
}

/// Which steps of a model an algorithm sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReductionChoice {
    /// All of them.
    None,
    /// Those of a stubborn set of processes, where that does not change the verdict.
    StubbornSets,
}

impl ReductionChoice {
    /// The option of `lariat check` and `lariat scc`.
    pub fn option(self) -> &'static str {
        match self {
            ReductionChoice::None => "--no-reduce",
            ReductionChoice::StubbornSets => "--reduce",
        }
    }
}

/// A model and a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// For people.
    pub name: String,
    /// The file, as it can be opened from the working directory.
    pub model: PathBuf,
    /// What is checked.
    pub property: CaseProperty,
    /// Macros for Promela.
    pub defines: Vec<String>,
    /// What becomes of runs that end; `None` is the language's own rule.
    pub finite_runs: Option<FiniteRuns>,
    /// What is known already: whether it holds.
    pub expected: Option<bool>,
    /// Where it stands in the suite or its table.
    pub place: Span,
    /// Where its model is named.
    pub model_place: Span,
}

/// What a case is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CaseProperty {
    /// One that the model states.
    Stated(String),
    /// A formula.
    Ltl {
        /// For people.
        name: String,
        /// As it is read.
        formula: String,
    },
}

impl CaseProperty {
    /// For people.
    pub fn name(&self) -> &str {
        match self {
            CaseProperty::Stated(name) | CaseProperty::Ltl { name, .. } => name,
        }
    }
}

impl Case {
    /// The arguments that name the case, for `lariat check` and `lariat scc`.
    pub fn arguments(&self) -> Vec<OsString> {
        // Whatever begins with a dash would be taken for an option, and a dash alone for the standard input.
        let is_dashed = self.model.as_os_str().as_encoded_bytes().starts_with(b"-");
        let model = if is_dashed { Path::new(".").join(&self.model) } else { self.model.clone() };
        let mut arguments = vec![model.into_os_string()];
        arguments.extend(self.defines.iter().map(|define| format!("-D{define}").into()));
        let mut option = |name: &str, value: &str| match value.starts_with('-') {
            true => arguments.push(format!("{name}={value}").into()),
            false => arguments.extend([name.into(), value.into()]),
        };
        match &self.property {
            CaseProperty::Stated(name) => option("--property", name),
            CaseProperty::Ltl { formula, .. } => option("--ltl", formula),
        }
        if let Some(rule) = self.finite_runs {
            option("--finite-runs", if rule == FiniteRuns::Stutter { "stutter" } else { "ignore" });
        }
        arguments
    }

    /// The same, to be typed.
    pub fn typed_arguments(&self) -> String {
        let quoted =
            self.arguments().iter().map(|argument| quoted(&argument.to_string_lossy())).collect::<Vec<_>>();
        quoted.join(" ")
    }
}

/// As a shell takes it for one word.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=+:,@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Why there is no suite.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// A file cannot be read, or is no text.
    #[error("{0}")]
    Unreadable(TextFileError),
    /// A model of the program's own cannot be written.
    #[error(transparent)]
    Unwritable(WriteError),
    /// Something in it is not as it must be.
    #[error("{0}")]
    Wrong(Box<Complaints>),
}

/// What is to be said about a suite and its tables.
#[derive(Clone, Debug, Default)]
pub struct Complaints {
    /// Errors and warnings, in the order in which they were met.
    pub diagnostics: Vec<Diagnostic>,
    /// The texts that they speak of.
    pub sources: SourceMap,
}

impl Display for Complaints {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let rendered = self.diagnostics.iter().map(|one| one.render(&self.sources).trim_end().to_string());
        f.write_str(&rendered.collect::<Vec<_>>().join("\n\n"))
    }
}

/// A suite that the program brings along, with the texts of its models.
pub struct BuiltIn {
    /// As it is asked for.
    pub name: &'static str,
    text: &'static str,
    models: &'static [(&'static str, &'static str)],
}

macro_rules! own_models {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../models/", $name)))),*]
    };
}

/// The suites that need no file.
pub const BUILT_IN: &[BuiltIn] = &[BuiltIn {
    name: "paper",
    text: include_str!("../../suites/paper.toml"),
    models: own_models![
        "election_extinction_same.pml",
        "election_extinction_turns.pml",
        "peterson.pml",
        "alternating_bit.pml",
        "elevator.pml",
        "readers_writers.pml",
        "bounded_retransmission.pml",
        "barrier.pml",
        "job_scheduler.pml",
        "two_phase_commit.pml",
        "producer_consumer.pml",
        "raft_election.pml",
        "election_chang_roberts.pml",
        "dekker.dve",
        "lending_desk.dve",
        "parcel_line.dve",
    ],
}];

impl BuiltIn {
    /// The files that [`BuiltIn::unpack`] writes.
    pub fn files(&self, directory: &Path) -> impl Iterator<Item = (PathBuf, &'static str)> {
        self.models.iter().map(move |(name, text)| (directory.join(name), *text))
    }

    /// Writes the models into a directory, where the suite then finds them.
    pub fn unpack(&self, directory: &Path) -> Result<Suite, SuiteError> {
        files::create_directory(directory).map_err(SuiteError::Unwritable)?;
        for (file, text) in self.files(directory) {
            // What is there already keeps its date.
            if std::fs::read(&file).ok().as_deref() != Some(text.as_bytes()) {
                files::replace(&file, text.as_bytes()).map_err(SuiteError::Unwritable)?;
            }
        }
        // The suite stands in the sources of this crate, and its models in `models/` of the project.
        let place = |file: &Path| directory.join(file.file_name().unwrap_or_default());
        let mut sources = SourceMap::new();
        let file = sources.add(self.name, "", self.text.to_string());
        Builder { file, place: &place, complaints: Complaints { sources, ..Complaints::default() } }
            .read(self.name)
            .map_err(|complaints| SuiteError::Wrong(Box::new(complaints)))
    }
}

impl Suite {
    /// Lets every configuration reduce the models.
    pub fn reduce(&mut self) {
        self.reduction = ReductionChoice::StubbornSets;
        self.configurations.iter_mut().for_each(Configuration::reduce);
    }

    /// What tells the structure of a product from others of the same case; nothing if all steps count.
    pub(crate) fn structure_options(&self) -> Option<&'static str> {
        (self.reduction != ReductionChoice::None).then(|| self.reduction.option())
    }

    /// Reads a suite from a file.
    pub fn read(path: &Path) -> Result<Suite, SuiteError> {
        let mut sources = SourceMap::new();
        let file = read_text_file(path, &mut sources).map_err(SuiteError::Unreadable)?;
        let directory = path.parent().unwrap_or(Path::new("")).to_path_buf();
        let place = |path: &Path| without_detours(&directory.join(path));
        Builder { file, place: &place, complaints: Complaints { sources, ..Complaints::default() } }
            .read(&path.display().to_string())
            .map_err(|complaints| SuiteError::Wrong(Box::new(complaints)))
    }

    /// An error for each model that cannot be opened: better now than after hours, run by run.
    pub fn look_for_models(&self) -> Result<(), SuiteError> {
        let mut known: Vec<&Path> = Vec::new();
        let mut diagnostics = Vec::new();
        for case in &self.cases {
            if known.contains(&case.model.as_path()) {
                continue;
            }
            known.push(&case.model);
            let opened = std::fs::File::open(&case.model).and_then(|file| file.metadata());
            let reason = match opened {
                Ok(about) if about.is_dir() => "it is a directory".to_string(),
                Ok(_) => continue,
                Err(error) => error.to_string(),
            };
            let message = format!("cannot read the model {:?}: {reason}", case.model);
            diagnostics.push(Diagnostic::error(message, case.model_place));
        }
        match diagnostics.is_empty() {
            true => Ok(()),
            false => {
                let sources = self.warnings.sources.clone();
                Err(SuiteError::Wrong(Box::new(Complaints { diagnostics, sources })))
            }
        }
    }
}

/// `a/../b` is `b`, unless a link leads elsewhere.
fn without_detours(path: &Path) -> PathBuf {
    let mut short = PathBuf::new();
    for part in path.components() {
        let goes_back = matches!(short.components().next_back(), Some(Component::Normal(_)));
        match part {
            Component::ParentDir if goes_back => drop(short.pop()),
            Component::CurDir => {}
            _ => short.push(part),
        }
    }
    match (path.canonicalize(), short.canonicalize()) {
        (Ok(one), Ok(two)) if one != two => path.to_path_buf(),
        _ => short,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_suites_bring_their_models() {
        for built_in in BUILT_IN {
            let directory = tempfile::tempdir().unwrap();
            let suite = built_in.unpack(directory.path()).unwrap();
            for case in &suite.cases {
                assert!(case.model.exists(), "{}: {} is missing", built_in.name, case.model.display());
            }
            for (name, _) in built_in.models {
                let used = suite.cases.iter().any(|case| case.model.ends_with(name));
                assert!(used, "{}: {name} is not used", built_in.name);
            }
        }
    }
}
