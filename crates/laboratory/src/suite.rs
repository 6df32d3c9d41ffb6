//! Suites: which cases are run with which configurations, within which limits. A suite is a TOML file; `docs/compare.md` describes it.
//!
//! Paths in a suite are relative to its file. Cases may also come from a table (CSV), which names a model and a formula in each row, so that a suite can be
//! about a collection that lies elsewhere.

use lariat::{ALGORITHMS, FiniteRuns};
use serde::{Deserialize, Serialize};
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
    /// What is run.
    pub cases: Vec<Case>,
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
    /// The options of `lariat check`.
    pub options: String,
}

impl Configuration {
    fn new(
        algorithm: &'static str,
        engine: EngineChoice,
        automaton: AutomatonForm,
        product: ProductForm,
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
        Configuration { name, algorithm, engine, automaton, product, options }
    }
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

impl Case {
    /// The arguments that name the case, for `lariat check` and `lariat scc`.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = vec![self.model.display().to_string()];
        arguments.extend(self.defines.iter().map(|define| format!("-D{define}")));
        match &self.property {
            CaseProperty::Stated(name) => arguments.extend(["--property".to_string(), name.clone()]),
            CaseProperty::Ltl { formula, .. } => arguments.extend(["--ltl".to_string(), formula.clone()]),
        }
        if let Some(rule) = self.finite_runs {
            let rule = if rule == FiniteRuns::Stutter { "stutter" } else { "ignore" };
            arguments.extend(["--finite-runs".to_string(), rule.to_string()]);
        }
        arguments
    }

    /// The same, to be typed.
    pub fn typed_arguments(&self) -> String {
        self.arguments().iter().map(|argument| quoted(argument)).collect::<Vec<_>>().join(" ")
    }

    /// The name of the property, for people.
    pub fn property_name(&self) -> &str {
        match &self.property {
            CaseProperty::Stated(name) | CaseProperty::Ltl { name, .. } => name,
        }
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
    /// A file cannot be read.
    #[error("{}: {error}", file.display())]
    Unreadable {
        /// Which file.
        file: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// It is no TOML, or something in it is not as it must be.
    #[error("{file}: {message}")]
    Wrong {
        /// As the user named it.
        file: String,
        /// With the line and a caret, where that is known.
        message: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct SuiteFile {
    title: String,
    limits: LimitsFile,
    qualify: Option<QualifyFile>,
    runs: Vec<RunsFile>,
    #[serde(default)]
    models: Vec<ModelFile>,
    #[serde(default)]
    tables: Vec<TableFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LimitsFile {
    seconds: f64,
    memory: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QualifyFile {
    algorithm: String,
    seconds: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RunsFile {
    algorithms: Algorithms,
    #[serde(default)]
    except: Vec<String>,
    #[serde(default = "one_set")]
    automata: Vec<AutomatonForm>,
    #[serde(default = "machine_code")]
    engines: Vec<EngineChoice>,
    #[serde(default = "on_the_fly")]
    products: Vec<ProductForm>,
}

fn one_set() -> Vec<AutomatonForm> {
    vec![AutomatonForm::Degeneralised]
}

fn machine_code() -> Vec<EngineChoice> {
    vec![EngineChoice::Compiled]
}

fn on_the_fly() -> Vec<ProductForm> {
    vec![ProductForm::OnTheFly]
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Algorithms {
    All(String),
    Named(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct ModelFile {
    file: PathBuf,
    #[serde(default)]
    defines: Vec<String>,
    finite_runs: Option<Rule>,
    #[serde(default)]
    properties: Vec<String>,
    #[serde(default)]
    formulas: Vec<FormulaFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FormulaFile {
    name: Option<String>,
    ltl: String,
    expect: Option<Expected>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct TableFile {
    file: PathBuf,
    models: PathBuf,
    model: String,
    ltl: String,
    name: Option<String>,
    expect: Option<String>,
    finite_runs: Option<Rule>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Rule {
    Ignore,
    Stutter,
}

impl From<Rule> for FiniteRuns {
    fn from(rule: Rule) -> FiniteRuns {
        match rule {
            Rule::Ignore => FiniteRuns::Ignore,
            Rule::Stutter => FiniteRuns::Stutter,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Expected {
    Holds,
    Violated,
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
        &[$(($name, include_str!(concat!("../../../models/", $name)))),*]
    };
}

/// The suites that need no file.
pub const BUILT_IN: &[BuiltIn] = &[BuiltIn {
    name: "paper",
    text: include_str!("../suites/paper.toml"),
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
    /// Writes the models into a directory, where the suite then finds them.
    pub fn unpack(&self, directory: &Path) -> Result<Suite, SuiteError> {
        let unwritable = |file: &Path| {
            let file = file.to_path_buf();
            move |error| SuiteError::Unreadable { file, error }
        };
        std::fs::create_dir_all(directory).map_err(unwritable(directory))?;
        for (name, text) in self.models {
            let file = directory.join(name);
            std::fs::write(&file, text).map_err(unwritable(&file))?;
        }
        // The suite stands in the sources of this crate, and its models in `models/` of the project.
        let place = |file: &Path| directory.join(file.file_name().unwrap_or_default());
        parse(self.name, self.text, &place)
    }
}

impl Suite {
    /// Reads a suite from a file.
    pub fn read(file: &Path) -> Result<Suite, SuiteError> {
        let text = std::fs::read_to_string(file)
            .map_err(|error| SuiteError::Unreadable { file: file.to_path_buf(), error })?;
        let directory = file.parent().unwrap_or(Path::new("")).to_path_buf();
        parse(&file.display().to_string(), &text, &|path: &Path| without_detours(&directory.join(path)))
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

fn parse(name: &str, text: &str, place: &dyn Fn(&Path) -> PathBuf) -> Result<Suite, SuiteError> {
    let wrong = |message: String| SuiteError::Wrong { file: name.to_string(), message };
    let file: SuiteFile = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
    let time = |seconds: f64| {
        Duration::try_from_secs_f64(seconds)
            .ok()
            .filter(|time| !time.is_zero())
            .ok_or_else(|| wrong(format!("{seconds} is no time for a run")))
    };
    let configurations = configurations(&file.runs).map_err(wrong)?;
    let qualify = match file.qualify {
        None => None,
        Some(rule) => {
            let found = configurations.iter().position(|one| one.name == rule.algorithm);
            let configuration = found.ok_or_else(|| {
                wrong(format!("[qualify]: `{}` is not among the algorithms that are run", rule.algorithm))
            })?;
            Some(Qualify { configuration, time: time(rule.seconds)? })
        }
    };
    let mut cases = Vec::new();
    for model in &file.models {
        if model.properties.iter().any(|name| name == "safety") {
            let file = model.file.display();
            return Err(wrong(format!(
                "{file}: `safety` is checked without an automaton, so there is nothing to compare"
            )));
        }
        cases_of_model(model, place, &mut cases);
    }
    for table in &file.tables {
        cases_of_table(table, place, &mut cases)?;
    }
    if cases.is_empty() {
        return Err(wrong(
            "there are no cases: [[models]] with `properties` or `formulas`, or [[tables]]".into(),
        ));
    }
    Ok(Suite {
        name: name.to_string(),
        title: file.title,
        time: time(file.limits.seconds)?,
        memory: lariat::memory::parse(&file.limits.memory)
            .map_err(|reason| wrong(format!("[limits]: memory = {:?}: {reason}", file.limits.memory)))?,
        qualify,
        configurations,
        cases,
    })
}

/// The products of the lists of each block, each configuration once.
fn configurations(blocks: &[RunsFile]) -> Result<Vec<Configuration>, String> {
    let known = |name: &String| {
        let names = || ALGORITHMS.iter().map(|algorithm| algorithm.name);
        names().find(|known| known == name).ok_or_else(|| {
            format!("no algorithm is called `{name}`; there are {}", names().collect::<Vec<_>>().join(", "))
        })
    };
    let mut configurations: Vec<Configuration> = Vec::new();
    for block in blocks {
        let named = match &block.algorithms {
            Algorithms::All(word) if word == "all" => {
                ALGORITHMS.iter().map(|algorithm| algorithm.name).collect()
            }
            Algorithms::All(word) => {
                return Err(format!("algorithms = {word:?}: a list of names, or \"all\""));
            }
            Algorithms::Named(names) => names.iter().map(known).collect::<Result<Vec<_>, _>>()?,
        };
        let except = block.except.iter().map(known).collect::<Result<Vec<_>, _>>()?;
        for &product in &block.products {
            for &automaton in &block.automata {
                for &engine in &block.engines {
                    for &algorithm in named.iter().filter(|name| !except.contains(name)) {
                        let configuration = Configuration::new(algorithm, engine, automaton, product);
                        if !configurations.contains(&configuration) {
                            configurations.push(configuration);
                        }
                    }
                }
            }
        }
    }
    match configurations.is_empty() {
        true => Err("there is nothing to run: [[runs]] with `algorithms`".to_string()),
        false => Ok(configurations),
    }
}

fn cases_of_model(model: &ModelFile, place: &dyn Fn(&Path) -> PathBuf, cases: &mut Vec<Case>) {
    let mut stem = stem(&model.file);
    if !model.defines.is_empty() {
        stem = format!("{stem} ({})", model.defines.join(", "));
    }
    let case = |property: CaseProperty, expected: Option<Expected>| Case {
        name: String::new(),
        model: place(&model.file),
        property,
        defines: model.defines.clone(),
        finite_runs: model.finite_runs.map(Into::into),
        expected: expected.map(|expected| expected == Expected::Holds),
    };
    let stated = model.properties.iter().map(|name| case(CaseProperty::Stated(name.clone()), None));
    let added = model.formulas.iter().map(|formula| {
        let name = formula.name.clone().unwrap_or_else(|| formula.ltl.clone());
        case(CaseProperty::Ltl { name, formula: formula.ltl.clone() }, formula.expect)
    });
    cases.extend(stated.chain(added).map(|case| {
        let name = format!("{stem}: {}", case.property_name());
        Case { name, ..case }
    }));
}

fn cases_of_table(
    table: &TableFile,
    place: &dyn Fn(&Path) -> PathBuf,
    cases: &mut Vec<Case>,
) -> Result<(), SuiteError> {
    let file = place(&table.file);
    let wrong = |message: String| SuiteError::Wrong { file: file.display().to_string(), message };
    let text = std::fs::read_to_string(&file)
        .map_err(|error| SuiteError::Unreadable { file: file.clone(), error })?;
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| wrong(error.to_string()))?.clone();
    let column = |name: &String| {
        let found = header.iter().position(|column| column == name);
        found.ok_or_else(|| {
            let names = header.iter().collect::<Vec<_>>().join(", ");
            wrong(format!("there is no column `{name}`; there are {names}"))
        })
    };
    let (model, ltl) = (column(&table.model)?, column(&table.ltl)?);
    let name = table.name.as_ref().map(column).transpose()?;
    let expect = table.expect.as_ref().map(column).transpose()?;
    for row in reader.records() {
        let row = row.map_err(|error| wrong(error.to_string()))?;
        let field = |column: usize| row.get(column).unwrap_or("").trim();
        let file = Path::new(field(model));
        let formula = field(ltl).to_string();
        if formula.is_empty() {
            continue;
        }
        let property = match name.map(field).filter(|name| !name.is_empty()) {
            Some(name) => name.to_string(),
            None => formula.clone(),
        };
        cases.push(Case {
            name: format!("{}: {property}", stem(file)),
            model: place(&table.models.join(file)),
            property: CaseProperty::Ltl { name: property, formula },
            defines: Vec::new(),
            finite_runs: table.finite_runs.map(Into::into),
            expected: match expect.map(field) {
                Some("holds") => Some(true),
                Some("violated") => Some(false),
                _ => None,
            },
        });
    }
    Ok(())
}

/// `dir/anderson.1.dve` is `anderson.1`.
fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy().into_owned()
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
