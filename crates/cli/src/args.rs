//! The command line.

use crate::checkpoint::{CheckpointArguments, Resume};
use crate::stores::StoreArguments;
use crate::threads::{WishedThreads, threads, wished_threads};
use crate::watch::Watch;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use lariat_checker::render::formats::Exchange;
use lariat_checker::{LANGUAGES, LanguageDescription};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// An explicit-state model checker: reads a model, says whether its properties hold, and shows a run if they
/// do not.
#[derive(Debug, Parser)]
#[command(name = "lariat", version, about = "Checks, explores and explains models, and compares algorithms", max_term_width = 100, help_template = ON_A_SCREEN, after_help = EXIT_CODES)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

/// The usual help without empty lines at its beginning: so it fits 24 rows.
const ON_A_SCREEN: &str = "{about}\n{usage-heading} {usage}\n{all-args}{after-help}";

const EXIT_CODES: &str = "Exit codes: 0 holds, 1 violated, 2 unknown, 3 bad input, 4 internal error";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check a model's properties
    Check(Box<Check>),
    /// Explore the whole state space, whatever happens in it
    Explore(Explore),
    /// Go on with a search that has written a checkpoint
    Resume(Resume),
    /// Simulate one run: random, chosen by you, or a counterexample
    Simulate(Simulate),
    /// Show what a model consists of
    Info(InfoArguments),
    /// Translate formulas of temporal logic into Büchi automata
    Translate(Translate),
    /// Read automata (HOA or never claims), and print them otherwise
    Automaton(AutomatonArguments),
    /// Find out whether automata accept a word, and show one
    Empty(Empty),
    /// Watch how an algorithm looks for infinite runs, step by step
    Watch(Box<Watch>),
    /// Count the strongly connected components of a model
    Scc(Scc),
    /// Compare algorithms on the models and properties of a suite
    Compare(Compare),
    /// List the algorithms that look for infinite runs
    Algorithms(AlgorithmsArguments),
    /// List the stores that visited states can be kept in
    Stores(StoresArguments),
    /// Take the command lines of Spin, such as `-run -a model.pml`
    #[command(disable_help_flag = true)]
    Spin(Spin),
    /// Print the completions for a shell
    #[command(hide = true)]
    Completions(Completions),
    /// Write the man pages to a directory
    #[command(hide = true)]
    Man(Man),
}

#[derive(Debug, Args)]
pub struct Spin {
    /// Options of Spin, `-run` and options of its verifiers, and the model; `--spin-exit-codes`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTION")]
    pub words: Vec<std::ffi::OsString>,
}

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell that reads them
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}

/// Shells that complete commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    #[value(name = "powershell")]
    Power,
}

#[derive(Debug, Args)]
pub struct Man {
    /// Where they are written; it must exist
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    #[default]
    Text,
    /// One object on a line of its own for each result
    Json,
    /// Of `check`: the report on a line, then each step of its run on one
    Jsonl,
    /// Of `check`: test cases in XML, one for each property
    Junit,
    /// Of `check`: results of static analysis, with the run as a code flow
    Sarif,
    /// Of `check`: annotations for a workflow of GitHub
    Github,
    /// Of `check`: the first run in the trace format of Apalache and Quint
    Itf,
}

impl Format {
    /// What other tools read.
    pub fn exchange(self) -> Option<Exchange> {
        match self {
            Format::Text | Format::Json => None,
            Format::Jsonl => Some(Exchange::JsonLines),
            Format::Junit => Some(Exchange::Junit),
            Format::Sarif => Some(Exchange::Sarif),
            Format::Github => Some(Exchange::Github),
            Format::Itf => Some(Exchange::Itf),
        }
    }
}

impl Command {
    /// The format that is asked for, of commands that know text and JSON only.
    pub fn format_beside_check(&self) -> Option<Format> {
        match self {
            Command::Explore(arguments) => Some(arguments.model.format),
            Command::Simulate(arguments) => Some(arguments.model.format),
            Command::Info(arguments) => Some(arguments.model.format),
            Command::Scc(arguments) => Some(arguments.model.format),
            Command::Empty(arguments) => Some(arguments.format),
            Command::Compare(arguments) => Some(arguments.format),
            Command::Algorithms(arguments) => Some(arguments.format),
            Command::Stores(arguments) => Some(arguments.format),
            Command::Check(_) | Command::Translate(_) | Command::Automaton(_) | Command::Watch(_) => None,
            Command::Completions(_) | Command::Man(_) | Command::Spin(_) | Command::Resume(_) => None,
        }
    }
}

/// Where the model comes from, and how it is read.
#[derive(Debug, Args)]
pub struct ModelArguments {
    /// The model: a `.dve` file in DVE, a `.lir` file with the intermediate form, any other file in Promela,
    /// or - for the standard input
    #[arg(value_name = "MODEL")]
    pub model: PathBuf,
    /// The language of the model, whatever its name is [default: by the name; of the standard input, promela]
    #[arg(long, value_parser = language(), value_name = "LANGUAGE")]
    pub language: Option<&'static LanguageDescription>,
    /// Define a macro for Promela's preprocessor
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = definition)]
    pub define: Vec<(String, Option<String>)>,
    /// Look for included files in this directory too
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Run this command as the preprocessor instead of the built-in one
    #[arg(long, value_name = "CMD")]
    pub cpp: Option<String>,
    /// What comes out
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
}

/// What a model is written in, by its name among the languages.
pub fn language() -> impl TypedValueParser<Value = &'static LanguageDescription> {
    let values = LANGUAGES.iter().map(|language| PossibleValue::new(language.name).help(language.what));
    PossibleValuesParser::new(values).map(|name| {
        let named = |language: &&LanguageDescription| language.name == name;
        LANGUAGES.iter().find(named).expect("it is one of the possible values")
    })
}

/// What becomes of runs that end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FiniteRuns {
    /// They are no runs: formulas are about infinite ones
    Ignore,
    /// They repeat their last state for ever
    Stutter,
}

impl From<FiniteRuns> for lariat_checker::FiniteRuns {
    fn from(finite_runs: FiniteRuns) -> lariat_checker::FiniteRuns {
        match finite_runs {
            FiniteRuns::Ignore => lariat_checker::FiniteRuns::Ignore,
            FiniteRuns::Stutter => lariat_checker::FiniteRuns::Stutter,
        }
    }
}

/// What executes a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// The interpreter first, machine code as soon as the model turns out to be large
    #[default]
    Auto,
    /// Machine code
    Compiled,
    /// The interpreter
    Interpreted,
}

impl From<Engine> for lariat_checker::Engine {
    fn from(engine: Engine) -> lariat_checker::Engine {
        match engine {
            Engine::Auto => lariat_checker::Engine::Auto,
            Engine::Compiled => lariat_checker::Engine::Compiled,
            Engine::Interpreted => lariat_checker::Engine::Interpreted,
        }
    }
}

impl From<&SimplifyArguments> for lariat_checker::Simplifications {
    fn from(arguments: &SimplifyArguments) -> lariat_checker::Simplifications {
        let &SimplifyArguments { reset_dead_variables, merge_statements } = arguments;
        lariat_checker::Simplifications { reset_dead_variables, merge_statements }
    }
}

/// How a search runs, and where it stops without an answer.
#[derive(Debug, Args)]
pub struct LimitArguments {
    /// What executes the model; the results are the same
    #[arg(long, value_enum, default_value_t, value_name = "ENGINE")]
    pub engine: Engine,
    /// Let machine code execute every step, and remember none; the results are the same
    #[arg(long)]
    pub no_recall: bool,
    /// Number all values of parts of states, even if most states have new ones; the results are the same
    #[arg(long)]
    pub number_all: bool,
    /// Keep the order of a plain depth-first search all the time; the results are the same
    #[arg(long)]
    pub in_order: bool,
    /// How many threads search: a number, or auto (one for each processor; infinite runs, as of formulas, are
    /// looked for by several only if a number is given); the results are the same
    #[arg(long, value_name = "N", value_parser = wished_threads, default_value = "auto")]
    pub threads: WishedThreads,
    /// Let several threads search after so many states, which one thread has searched in order
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub threads_after: Option<u64>,
    /// Cut paths that are longer than this
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub max_depth: Option<u64>,
    /// Stop when more states than this are stored
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub max_states: Option<u64>,
    /// Stop when more memory than this is needed: bytes, or with K, M, G, T [default: 80 % of what is
    /// available]
    #[arg(long, value_name = "SIZE", value_parser = size, allow_negative_numbers = true)]
    pub max_memory: Option<u64>,
    /// Stop after this time: seconds, or with s, m, h
    #[arg(long, value_name = "TIME", value_parser = duration, allow_negative_numbers = true)]
    pub timeout: Option<Duration>,
    /// Find out where the time of the search goes; it takes longer then
    #[arg(long)]
    pub profile_search: bool,
    /// Show progress even if the error output is no terminal
    #[arg(long)]
    pub progress: bool,
}

/// Which runs count.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which runs count")]
pub struct FairnessArguments {
    /// Only runs count that are fair: weak (who is enabled all the time gets a turn), strong (who is enabled
    /// again and again gets a turn), unconditional (everybody gets a turn), none
    #[arg(long, value_enum, value_name = "KIND", default_value_t)]
    pub fair: Fair,
    /// What gets a turn: each process, or each of its statements
    #[arg(long, value_enum, value_name = "UNIT", default_value_t)]
    pub fair_unit: FairUnit,
    /// Be fair to these only: `P`, `P[2]`, `P@label`; may be given again
    #[arg(long, value_name = "NAME")]
    pub fair_to: Vec<String>,
    /// Do not be fair to these; may be given again
    #[arg(long, value_name = "NAME")]
    pub unfair_to: Vec<String>,
    /// Only runs count that satisfy this formula; may be given again
    #[arg(long, value_name = "FORMULA")]
    pub assume: Vec<String>,
}

/// What runs owe to processes, or to statements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Fair {
    /// All runs count
    #[default]
    None,
    /// Who is enabled all the time takes part again and again
    Weak,
    /// Who is enabled again and again takes part again and again
    Strong,
    /// Everybody who lives takes part again and again
    Unconditional,
}

impl From<Fair> for Option<lariat_checker::Fairness> {
    fn from(fair: Fair) -> Option<lariat_checker::Fairness> {
        match fair {
            Fair::None => None,
            Fair::Weak => Some(lariat_checker::Fairness::Weak),
            Fair::Strong => Some(lariat_checker::Fairness::Strong),
            Fair::Unconditional => Some(lariat_checker::Fairness::Unconditional),
        }
    }
}

/// What is treated fairly as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FairUnit {
    /// A process, whatever it does
    #[default]
    Process,
    /// Every statement of a process: every option of a choice
    Statement,
}

impl From<FairUnit> for lariat_checker::UnitKind {
    fn from(unit: FairUnit) -> lariat_checker::UnitKind {
        match unit {
            FairUnit::Process => lariat_checker::UnitKind::Process,
            FairUnit::Statement => lariat_checker::UnitKind::Statement,
        }
    }
}

/// How the steps of a run are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TraceLayout {
    /// One step below the other, as Spin shows them
    #[default]
    Steps,
    /// A column for each process
    Columns,
    /// A lifeline for each process, and the messages between them
    Sequence,
    /// A column for each variable
    Table,
}

/// How a model is simplified before it runs.
#[derive(Debug, Args)]
pub struct SimplifyArguments {
    /// Set local variables to 0 where their values do not matter any more: fewer states, the same verdicts
    #[arg(long)]
    pub reset_dead_variables: bool,
    /// Execute statements that concern their process alone in one step with the one before: fewer states, the
    /// same verdicts
    #[arg(long)]
    pub merge_statements: bool,
}

/// Whether of each state only some processes are followed.
#[derive(Debug, Args)]
pub struct ReduceArguments {
    /// Follow only those processes of a state that must be followed, where that does not change the verdict;
    /// `check` does that unless it is told not to
    #[arg(long, overrides_with = "no_reduce")]
    pub reduce: bool,
    /// Follow all processes of every state
    #[arg(long, overrides_with = "reduce")]
    pub no_reduce: bool,
}

#[derive(Debug, Args)]
pub struct Check {
    #[command(flatten)]
    pub model: ModelArguments,
    /// Check assertions, run-time errors and invalid end states
    #[arg(long)]
    pub safety: bool,
    /// Check a property that the model states: the name of an ltl block or of a property process, never,
    /// trace, acceptance, non-progress, or safety; `:acceptance` where the model uses the name for something
    /// else
    #[arg(long, value_name = "NAME")]
    pub property: Vec<String>,
    /// Check that every run satisfies this formula
    #[arg(long, value_name = "FORMULA")]
    pub ltl: Vec<String>,
    /// Check that this condition holds in every state
    #[arg(long, value_name = "EXPRESSION")]
    pub invariant: Vec<String>,
    /// Check that no run is accepted by the automaton in this file: HOA, or a never claim
    #[arg(long, value_name = "FILE")]
    pub claim: Vec<PathBuf>,
    /// Ask whether some run satisfies this formula (exit code 0 if there is one, 1 if not)
    #[arg(long, value_name = "FORMULA", conflicts_with_all = ["ltl", "invariant", "claim", "property", "safety"])]
    pub exists: Option<String>,
    /// What becomes of runs that end [default: stutter in Promela, ignore in DVE]
    #[arg(long, value_enum, value_name = "RULE")]
    pub finite_runs: Option<FiniteRuns>,
    /// How to look for infinite runs: auto, or a name that `lariat algorithms` lists
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = algorithm)]
    pub algorithm: lariat_checker::Algorithm,
    /// Give every algorithm an automaton with one acceptance set
    #[arg(long)]
    pub degeneralise: bool,
    /// Compute the whole product of model and automaton before the algorithm looks at it (an experiment: see
    /// `compare`)
    #[arg(long)]
    pub precompute: bool,
    /// Of an infinite run that violates a property, say only how long it is: do not make it shorter, do not
    /// replay it
    #[arg(long, conflicts_with = "shortest")]
    pub verdict_only: bool,
    /// Show an infinite run with its cycle, also where it is certain before that it violates the property
    #[arg(long, conflicts_with = "verdict_only")]
    pub whole_run: bool,
    /// Find a shortest counterexample (breadth-first search)
    #[arg(long)]
    pub shortest: bool,
    /// Show a finite run as the search came upon it, though a shorter one may be cheap to find
    #[arg(long)]
    pub as_found: bool,
    /// Show how the automaton of a property moves along an infinite run, and the automaton itself
    #[arg(long, conflicts_with = "verdict_only")]
    pub show_automaton: bool,
    /// Show all of each state of a run, not only what a step changes
    #[arg(long, conflicts_with = "verdict_only")]
    pub full_states: bool,
    /// How a run is laid out: one step below the other, processes in columns, a chart of their messages, or
    /// a table of variables
    #[arg(long, value_enum, value_name = "LAYOUT", default_value_t, conflicts_with = "verdict_only")]
    pub trace: TraceLayout,
    /// With `--trace table`: these variables, as `x,a,P:y`; without it, those that change
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub show: Vec<String>,
    /// Write the first run that is shown to this file, as a page for a browser that needs nothing else
    #[arg(long, value_name = "FILE", conflicts_with = "verdict_only")]
    pub html: Option<PathBuf>,
    /// Write the first run that is shown to this file, as a trail that `spin -t` replays
    #[arg(long, value_name = "FILE", conflicts_with = "verdict_only")]
    pub trail: Option<PathBuf>,
    /// Look for further violations after the first
    #[arg(long)]
    pub keep_going: bool,
    /// With `--fair`: say why the run that would be found without it does not count
    #[arg(long)]
    pub why_fair: bool,
    #[command(flatten)]
    pub store: StoreArguments,
    #[command(flatten)]
    pub fairness: FairnessArguments,
    #[command(flatten)]
    pub reduce: ReduceArguments,
    #[command(flatten)]
    pub simplify: SimplifyArguments,
    #[command(flatten)]
    pub checkpoint: CheckpointArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
}

#[derive(Debug, Args)]
pub struct Explore {
    #[command(flatten)]
    pub model: ModelArguments,
    /// Write the state space to this file: `.aut` (Aldebaran), or `.dot` and `.gv` (Graphviz, small ones)
    #[arg(long, value_name = "FILE")]
    pub export: Option<PathBuf>,
    #[command(flatten)]
    pub reduce: ReduceArguments,
    #[command(flatten)]
    pub store: StoreArguments,
    #[command(flatten)]
    pub simplify: SimplifyArguments,
    #[command(flatten)]
    pub checkpoint: CheckpointArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
}

#[derive(Debug, Args)]
pub struct Simulate {
    #[command(flatten)]
    pub model: ModelArguments,
    /// Where the random choices start [default: the clock]
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["interactive", "trail"])]
    pub seed: Option<u64>,
    /// Stop after so many steps [default: 10000; of a recorded run, where it ends]
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub steps: Option<u64>,
    /// Choose each step yourself
    #[arg(long, conflicts_with = "trail")]
    pub interactive: bool,
    /// Show all of each state, not only what a step changes
    #[arg(long)]
    pub full_states: bool,
    /// Follow the run in this file: a counterexample of `check --format json`, or a trail of Spin's form
    #[arg(long, value_name = "FILE")]
    pub trail: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct InfoArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// The process automata, for Graphviz
    #[arg(long, conflicts_with = "ir")]
    pub dot: bool,
    /// The intermediate form, as text that can be read back (`.lir`)
    #[arg(long)]
    pub ir: bool,
    /// The machine code that the model is compiled to
    #[arg(long, conflicts_with_all = ["ir", "dot"])]
    pub code: bool,
    /// Which steps depend on each other, and why: what keeps `--reduce` from following fewer processes (with
    /// `--dot`, as a graph)
    #[arg(long, conflicts_with_all = ["ir", "code"])]
    pub dependencies: bool,
    /// With `--dependencies`: which steps this property of the model may see
    #[arg(long, value_name = "NAME", requires = "dependencies", conflicts_with = "ltl")]
    pub property: Option<String>,
    /// With `--dependencies`: which steps this formula may see
    #[arg(long, value_name = "FORMULA", requires = "dependencies")]
    pub ltl: Option<String>,
    #[command(flatten)]
    pub simplify: SimplifyArguments,
}

/// What automata are printed as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum AutomatonFormat {
    /// The Hanoi Omega-Automata format, version 1
    #[default]
    Hoa,
    /// A never claim for Spin; implies --buchi
    Never,
    /// For Graphviz
    Dot,
    /// A list for people
    Text,
    /// One object on a line of its own for each automaton
    Json,
}

impl From<AutomatonFormat> for lariat_automata::render::automaton::AutomatonFormat {
    fn from(format: AutomatonFormat) -> Self {
        match format {
            AutomatonFormat::Hoa => Self::Hoa,
            AutomatonFormat::Never => Self::Never,
            AutomatonFormat::Dot => Self::Dot,
            AutomatonFormat::Text => Self::Text,
            AutomatonFormat::Json => Self::Json,
        }
    }
}

/// By whose rules a formula is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Syntax {
    /// As Spot reads it
    #[default]
    Spot,
    /// As Spin reads an `ltl` block
    Spin,
    /// As `spin -f` reads it
    SpinF,
}

/// Which translation is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// Both, and further reductions; the smallest automaton wins
    #[default]
    Best,
    /// The tableau alone
    Tableau,
    /// Alternating automata alone
    Alternating,
}

#[derive(Debug, Args)]
pub struct Translate {
    /// The formulas, such as 'G (request -> F grant)'
    #[arg(value_name = "FORMULA")]
    pub formulas: Vec<String>,
    /// Take formulas from this file too, one a line; - is the standard input
    #[arg(short = 'F', long = "file", value_name = "FILE")]
    pub file: Vec<PathBuf>,
    /// One acceptance set, on states, instead of any number on edges
    #[arg(long)]
    pub buchi: bool,
    /// Translate the negation
    #[arg(long)]
    pub negate: bool,
    /// What comes out
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: AutomatonFormat,
    /// Numbers instead of the automata: a table, or with --format json an object on a line of its own for
    /// each formula
    #[arg(long)]
    pub stats: bool,
    /// By whose rules the formulas are read
    #[arg(long, value_enum, default_value_t, value_name = "SYNTAX")]
    pub syntax: Syntax,
    /// Which translation is used
    #[arg(long, value_enum, default_value_t, value_name = "METHOD")]
    pub by: Method,
    /// Give up a formula if its automaton would have more states; other limits follow [default: 20000]
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub max_states: Option<u64>,
    #[command(flatten)]
    pub work: WorkArguments,
}

/// How much one formula or automaton may take.
#[derive(Debug, Args)]
pub struct WorkArguments {
    /// Stop after this time, for each: seconds, or with s, m, h
    #[arg(long, value_name = "TIME", value_parser = duration, allow_negative_numbers = true)]
    pub timeout: Option<Duration>,
    /// Stop when one needs more memory than this: bytes, or with K, M, G, T
    #[arg(long, value_name = "SIZE", value_parser = size, allow_negative_numbers = true)]
    pub max_memory: Option<u64>,
}

impl From<&WorkArguments> for lariat_automata::work::WorkLimits {
    fn from(arguments: &WorkArguments) -> lariat_automata::work::WorkLimits {
        let &WorkArguments { timeout, max_memory } = arguments;
        lariat_automata::work::WorkLimits { timeout, max_memory }
    }
}

#[derive(Debug, Args)]
pub struct AutomatonArguments {
    /// Files with automata in the HOA format, any number in each, or with a never claim; - is the standard
    /// input
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// One acceptance set, on states
    #[arg(long)]
    pub buchi: bool,
    /// What comes out
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: AutomatonFormat,
    /// Numbers instead of the automata: a table, or with --format json an object on a line of its own for
    /// each automaton
    #[arg(long)]
    pub stats: bool,
    /// Leave the automata as they are
    #[arg(long)]
    pub no_simplify: bool,
    #[command(flatten)]
    pub work: WorkArguments,
}

#[derive(Debug, Args)]
pub struct Empty {
    /// A file with automata in the HOA format, any number, or with a never claim; - is the standard input
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// How to look for accepting runs: auto, or a name that `lariat algorithms` lists
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = algorithm)]
    pub algorithm: lariat_checker::Algorithm,
    /// Give every algorithm an automaton with one acceptance set
    #[arg(long)]
    pub degeneralise: bool,
    /// How many threads look for a run with cndfs or ufscc: a number, or auto; the results are the same
    #[arg(long, value_name = "N", value_parser = threads, default_value = "1")]
    pub threads: NonZeroUsize,
    /// Look for a cycle through these acceptance sets, whatever it makes of the others, such as 0,2
    #[arg(long, value_name = "SETS", value_delimiter = ',', conflicts_with = "at_least")]
    pub cover: Option<Vec<u32>>,
    /// Look for a cycle through any N of the acceptance sets
    #[arg(long, value_name = "N")]
    pub at_least: Option<u32>,
    /// Look only for words that satisfy this formula (a fair one, say); may be given again
    #[arg(long, value_name = "FORMULA", conflicts_with_all = ["cover", "at_least"])]
    pub assume: Vec<String>,
    /// Stop after this time, for each automaton: seconds, or with s, m, h
    #[arg(long, value_name = "TIME", value_parser = duration, allow_negative_numbers = true)]
    pub timeout: Option<Duration>,
    /// What comes out
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct Scc {
    #[command(flatten)]
    pub model: ModelArguments,
    /// Look at the product with this property of the model, as far as an emptiness check explores it
    #[arg(long, value_name = "NAME", conflicts_with = "ltl")]
    pub property: Option<String>,
    /// Look at the product with this formula, as far as an emptiness check explores it
    #[arg(long, value_name = "FORMULA")]
    pub ltl: Option<String>,
    /// What becomes of runs that end, in a product [default: stutter in Promela, ignore in DVE]
    #[arg(long, value_enum, value_name = "RULE")]
    pub finite_runs: Option<FiniteRuns>,
    /// Count as accepting only components in which a run is fair to every process: weak, unconditional, none
    #[arg(long, value_enum, value_name = "KIND", default_value_t)]
    pub fair: Fair,
    #[command(flatten)]
    pub reduce: ReduceArguments,
    #[command(flatten)]
    pub limits: LimitArguments,
}

#[derive(Debug, Args)]
pub struct Compare {
    /// The suite: a TOML file that names models, properties, algorithms and limits
    #[arg(value_name = "SUITE.toml", required_unless_present = "built_in")]
    pub suite: Option<PathBuf>,
    /// Run a suite that needs no file: paper
    #[arg(long, value_name = "NAME", conflicts_with = "suite")]
    pub built_in: Option<String>,
    /// Where the results go [default: compare-NAME, by the name of the suite]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// So many runs side by side; times are more reliable with one
    #[arg(long, value_name = "N", default_value = "1", value_parser = count, allow_negative_numbers = true)]
    pub jobs: u64,
    /// Go on with the results that are there: runs that are known are not run again
    #[arg(long, conflicts_with = "overwrite")]
    pub resume: bool,
    /// Drop the results that are there
    #[arg(long)]
    pub overwrite: bool,
    /// Only cases whose name contains this text
    #[arg(long, value_name = "TEXT")]
    pub only: Option<String>,
    #[command(flatten)]
    pub reduce: ReduceArguments,
    /// Show progress even if the error output is no terminal
    #[arg(long)]
    pub progress: bool,
    /// What comes out, beside the files
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct AlgorithmsArguments {
    /// What comes out
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
}

#[derive(Debug, Args)]
pub struct StoresArguments {
    /// What comes out
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub format: Format,
}

pub fn definition(text: &str) -> Result<(String, Option<String>), String> {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_string())),
        None => (text, None),
    };
    let head = name.split('(').next().unwrap_or("");
    let starts_well = head.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if !starts_well || !head.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(format!("'{head}' is no name for a macro"));
    }
    Ok((name.to_string(), value))
}

fn not_negative(text: &str) -> Result<&str, String> {
    if text.trim().starts_with('-') { Err("it cannot be negative".to_string()) } else { Ok(text.trim()) }
}

pub fn count(text: &str) -> Result<u64, String> {
    let expected = || "expected a whole number, such as 1000000, 1_000_000, 1e6, 10k or 5M".to_string();
    let digits = not_negative(text)?.replace('_', "");
    let (number, unit) = match digits.char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&digits[..at], 1_000),
        Some((at, 'm' | 'M')) => (&digits[..at], 1_000_000),
        Some((at, 'g' | 'G')) => (&digits[..at], 1_000_000_000),
        _ => (digits.as_str(), 1),
    };
    let too_large = || "this is too large".to_string();
    if !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
        return number.parse().ok().and_then(|n: u64| n.checked_mul(unit)).ok_or_else(too_large);
    }
    let value = match number.parse::<f64>() {
        Ok(value) if number.starts_with(|c: char| c.is_ascii_digit()) => value * unit as f64,
        _ => return Err(expected()),
    };
    if value >= u64::MAX as f64 {
        return Err(too_large());
    }
    if value.fract() == 0.0 { Ok(value as u64) } else { Err(expected()) }
}

pub fn size(text: &str) -> Result<u64, String> {
    lariat_checker::memory::parse(not_negative(text)?)
}

pub fn duration(text: &str) -> Result<Duration, String> {
    let expected = || "expected a number of seconds, or one with s, m or h, such as 90, 1.5m, 2h".to_string();
    let text = not_negative(text)?;
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..digits].parse().map_err(|_| expected())?;
    let unit = match text[digits..].trim() {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(expected()),
    };
    Duration::try_from_secs_f64(number * unit).map_err(|_| "this is too long".to_string())
}

pub fn algorithm(text: &str) -> Result<lariat_checker::Algorithm, String> {
    if text == "auto" {
        return Ok(lariat_checker::Algorithm::Auto);
    }
    let named = lariat_checker::Check::by_name(text).map(lariat_checker::Algorithm::Named);
    let threaded = || lariat_checker::ThreadedCheck::by_name(text).map(lariat_checker::Algorithm::Threaded);
    named.or_else(threaded).ok_or_else(|| {
        let names = lariat_checker::ALGORITHMS.iter().map(|check| check.name);
        let names: Vec<&str> = names.chain(lariat_checker::THREADED.iter().map(|check| check.name)).collect();
        format!("there is auto, {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        <Arguments as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn counts() {
        for (text, value) in [
            ("0", 0),
            ("1000", 1000),
            ("1_000_000", 1_000_000),
            ("1e6", 1_000_000),
            ("1.5e3", 1500),
            ("10k", 10_000),
            ("5M", 5_000_000),
            ("1.5M", 1_500_000),
            ("2G", 2_000_000_000),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(count(text), Ok(value), "{text}");
        }
        for text in ["", "k", "_", "many", "1.5", "1e-3", "inf", "nan", "+1", "0x10", "5X", "é", "1 000"] {
            assert!(count(text).is_err_and(|message| message.starts_with("expected ")), "{text}");
        }
        for text in ["18446744073709551616", "1e20", "1e999", "99999999999999999999G"] {
            assert_eq!(count(text), Err("this is too large".to_string()), "{text}");
        }
        assert_eq!(count("-1"), Err("it cannot be negative".to_string()));
    }

    #[test]
    fn sizes() {
        assert_eq!(size("512M"), Ok(512 << 20));
        assert_eq!(size("4g"), Ok(4 << 30));
        assert_eq!(size("1.5K"), Ok(1536));
        assert_eq!(size("1000"), Ok(1000));
        assert!(size("many").is_err() && size("").is_err() && size("5X").is_err() && size("-1").is_err());
    }

    #[test]
    fn durations() {
        assert_eq!(duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("2h"), Ok(Duration::from_secs(7200)));
        let fails = |text: &str| duration(text).is_err();
        assert!(fails("soon") && fails("") && fails("9999999999999999999999h"));
    }

    #[test]
    fn definitions() {
        assert_eq!(definition("N=3"), Ok(("N".into(), Some("3".into()))));
        assert_eq!(definition("DEBUG"), Ok(("DEBUG".into(), None)));
        assert!(definition("3=N").is_err() && definition("=1").is_err());
    }
}
