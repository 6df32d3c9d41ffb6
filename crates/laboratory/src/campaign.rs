//! A campaign: all runs of a suite, some of them side by side, until all are done or somebody stops it.
//!
//! A worker takes a case and runs it with one configuration after the other. If the suite has a rule which
//! cases count, the configuration that decides about it comes first, and a case that does not count is not
//! run any further. What every run said goes into the journal at once.
//!
//! A directory belongs to one campaign at a time, and only to those that are ours: what somebody else has
//! put there is not written over.

use crate::child::{self, Ended};
use crate::comparison::Comparison;
use crate::files::{self, WriteError};
use crate::fingerprint::{self, Fingerprint, Program};
use crate::journal::{Entry, EntryResult, Journal, LimitsUsed};
use crate::page;
use crate::record::{CaseStructure, RunRecord};
use crate::suite::{BuiltIn, Case, Suite};
use crate::tables;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// The structure of a product takes up to five searches.
const TIME_FOR_STRUCTURE: u32 = 3;
const JOURNAL: &str = "journal.jsonl";
/// So many lines of the journal that cannot be read are named.
const MOST_LINES_NAMED: usize = 10;

/// All runs of a suite.
pub struct Campaign<'a> {
    /// What is run.
    pub suite: &'a Suite,
    /// The program that runs it: `lariat`.
    pub program: PathBuf,
    /// Where the journal and the results are.
    pub directory: PathBuf,
    /// How many runs go on side by side.
    pub jobs: usize,
    /// Go on from the journal that is there.
    pub resume: bool,
}

/// Something to be told about.
#[derive(Clone, Copy, Debug)]
pub struct Happened<'h> {
    /// Runs that are done, or will not take place.
    pub done: usize,
    /// All runs of the suite.
    pub all: usize,
    /// Cases that are done.
    pub cases: usize,
    /// The run that is done.
    pub case: &'h str,
    /// Its configuration.
    pub configuration: &'h str,
    /// What it said.
    pub verdict: &'h str,
}

/// Why a campaign cannot begin, or go on.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// There are results already.
    #[error("{} has results already: go on with --resume, begin again with --overwrite, or name another directory with --out", .0.display())]
    Occupied(PathBuf),
    /// There is a file of somebody else's.
    #[error("{} was not written by lariat compare, which would write over it: move it away, or name another directory with --out", .0.display())]
    Foreign(PathBuf),
    /// There is a file instead.
    #[error("{} is a file: results go into a directory of their own, which --out names", .0.display())]
    NoDirectory(PathBuf),
    /// Another campaign writes there.
    #[error("another comparison is running in {}: wait for it, or name another directory with --out", .0.display())]
    Busy(PathBuf),
    /// The directory cannot be written to before a run.
    #[error(transparent)]
    Write(WriteError),
    /// The results cannot be written, or the journal.
    #[error(
        "{0}\n  = hint: what is known is in the journal; once there is room, --resume goes on from there"
    )]
    Results(WriteError),
    /// The runs would be those of two programs.
    #[error("{} was replaced while it ran: --resume goes on, and runs everything again", .0.display())]
    ProgramReplaced(PathBuf),
}

/// What the workers share.
struct Shared {
    journal: Journal,
    runs: HashMap<(usize, usize), RunRecord>,
    structures: HashMap<usize, CaseStructure>,
    done: usize,
    cases: usize,
    broken: Option<CampaignError>,
    changed: BTreeSet<PathBuf>,
}

/// A campaign that has its directory to itself, and knows what is known.
pub struct Begun<'c> {
    campaign: &'c Campaign<'c>,
    program: Program,
    journal: Journal,
    /// What is to be told before it runs: what is run again, and why.
    pub remarks: Vec<String>,
    /// Others are kept out until it is closed.
    _lock: Lock,
}

/// What came out. The directory stays taken until it is dropped.
pub struct Outcome {
    directory: PathBuf,
    _lock: Lock,
    /// The results.
    pub comparison: Comparison,
    /// What is to be told about them.
    pub remarks: Vec<String>,
}

impl Campaign<'_> {
    /// Whether results may be written to a directory: it has none, or they may be gone on with or dropped,
    /// and nothing is somebody else's. To be asked before anything is written there.
    pub fn may_write(
        directory: &Path,
        built_in: Option<&BuiltIn>,
        may_have_results: bool,
    ) -> Result<(), CampaignError> {
        if std::fs::metadata(directory).is_ok_and(|about| !about.is_dir()) {
            return Err(CampaignError::NoDirectory(directory.to_path_buf()));
        }
        let journal = directory.join(JOURNAL);
        if Journal::is_foreign(&journal) {
            return Err(CampaignError::Foreign(journal));
        }
        if journal.exists() && !may_have_results {
            return Err(CampaignError::Occupied(directory.to_path_buf()));
        }
        let begins = |name: &str, ours: fn(&str) -> bool| {
            let file = directory.join(name);
            let is_ours = match std::fs::read(&file) {
                Ok(bytes) => bytes.is_empty() || ours(&String::from_utf8_lossy(&bytes)),
                Err(error) => files::is_not_there(&error),
            };
            if is_ours { Ok(()) } else { Err(CampaignError::Foreign(file)) }
        };
        begins("index.html", page::is_ours)?;
        begins("results.json", Comparison::is_ours)?;
        begins("runs.csv", tables::are_runs)?;
        begins("cases.csv", tables::are_cases)?;
        // Models of another version of this program lie beside a journal.
        if let Some(built_in) = built_in.filter(|_| !journal.exists()) {
            for (file, text) in built_in.files(&directory.join(Self::MODELS)) {
                let is_other = std::fs::read(&file).map(|bytes| bytes != text.as_bytes());
                if is_other.unwrap_or_else(|error| !files::is_not_there(&error)) {
                    return Err(CampaignError::Foreign(file));
                }
            }
        }
        Ok(())
    }

    /// The directory for the models of a built-in suite, within that of the results.
    pub const MODELS: &'static str = "models";

    /// Takes the directory, and looks at what is known.
    pub fn begin(&self) -> Result<Begun<'_>, CampaignError> {
        files::create_directory(&self.directory).map_err(CampaignError::Write)?;
        let lock = lock(&self.directory)?;
        let journal =
            Journal::open(&self.directory.join(JOURNAL), self.resume).map_err(CampaignError::Write)?;
        let program = Program::new(&self.program);
        let mut remarks = Vec::new();
        if !journal.unreadable.is_empty() {
            remarks.push(unreadable(&self.directory.join(JOURNAL), &journal.unreadable));
        }
        remarks.extend(self.what_changed(&journal, &program));
        Ok(Begun { campaign: self, program, journal, remarks, _lock: lock })
    }

    /// Why runs that were known are run again.
    fn what_changed(&self, journal: &Journal, program: &Program) -> Vec<String> {
        let (mut by_program, mut by_model) = (0, BTreeMap::<&Path, usize>::new());
        for case in &self.suite.cases {
            let name = case.typed_arguments();
            let model = fingerprint::of_model(&case.model);
            let options = self.suite.configurations.iter().map(|one| Some(one.options.as_str()));
            let options = options.chain([self.suite.structure_options()]);
            for entry in options.filter_map(|options| journal.entry(&name, options)) {
                match &entry.depends {
                    Some(depends) if depends.model != model => *by_model.entry(&case.model).or_default() += 1,
                    Some(depends) if depends.program == program.fingerprint => {}
                    _ => by_program += 1,
                }
            }
        }
        let runs =
            |count: usize| if count == 1 { "1 run is".to_string() } else { format!("{count} runs are") };
        let models = by_model.into_iter().map(|(model, count)| {
            format!("{} has changed since: {} run again", model.display(), runs(count))
        });
        let program = (by_program > 0)
            .then(|| format!("the program is another one than it was then: {} run again", runs(by_program)));
        models.chain(program).collect()
    }

    /// Runs everything that is not known yet, and says what all of it comes to. `tell` is called after every
    /// run.
    pub fn run(
        &self,
        interrupt: &AtomicBool,
        tell: impl Fn(Happened) + Sync,
    ) -> Result<Comparison, CampaignError> {
        Ok(self.begin()?.run(interrupt, tell)?.comparison)
    }
}

/// A directory that is ours until this is dropped. On a system that cannot lock a directory, two campaigns
/// at once are not noticed.
struct Lock(Option<File>);

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a process that is just being started has a copy for a moment.
        let _ = self.0.as_ref().map(File::unlock);
    }
}

fn lock(directory: &Path) -> Result<Lock, CampaignError> {
    let Ok(file) = File::open(directory) else { return Ok(Lock(None)) };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(CampaignError::Busy(directory.to_path_buf())),
        Err(TryLockError::Error(_)) => Ok(Lock(None)),
        Ok(()) => Ok(Lock(Some(file))),
    }
}

fn unreadable(journal: &Path, lines: &[usize]) -> String {
    let named: Vec<String> = lines.iter().take(MOST_LINES_NAMED).map(usize::to_string).collect();
    let more = if lines.len() > MOST_LINES_NAMED { ", …" } else { "" };
    let (lines, runs) = if lines.len() == 1 { ("line", "its run is") } else { ("lines", "their runs are") };
    format!("{}: {lines} {}{more} cannot be read: {runs} run again", journal.display(), named.join(", "))
}

impl Begun<'_> {
    /// Runs everything that is not known yet, and says what all of it comes to. `tell` is called after every
    /// run.
    pub fn run(
        self,
        interrupt: &AtomicBool,
        tell: impl Fn(Happened) + Sync,
    ) -> Result<Outcome, CampaignError> {
        let suite = self.campaign.suite;
        let shared = Mutex::new(Shared {
            journal: self.journal,
            runs: HashMap::new(),
            structures: HashMap::new(),
            done: 0,
            cases: 0,
            broken: None,
            changed: BTreeSet::new(),
        });
        let next = AtomicUsize::new(0);
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..self.campaign.jobs.clamp(1, suite.cases.len().max(1)) {
                scope.spawn(|| {
                    let take = || next.fetch_add(1, Ordering::Relaxed);
                    while let Some((number, case)) = Some(take()).and_then(|k| Some((k, suite.cases.get(k)?)))
                    {
                        let worker = Worker {
                            campaign: self.campaign,
                            program: &self.program,
                            interrupts: [interrupt, &stop],
                            shared: &shared,
                            tell: &tell,
                            number,
                            case,
                            model: fingerprint::of_model(&case.model),
                        };
                        if worker.run_case().is_none() {
                            break;
                        }
                    }
                });
            }
        });
        let shared = shared.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(broken) = shared.broken {
            return Err(broken);
        }
        let complete = shared.cases == suite.cases.len();
        let remarks = shared.changed.iter().map(|model| {
            let model = model.display();
            format!(
                "{model} changed while its cases ran: their results mix two models; --resume runs them again"
            )
        });
        Ok(Outcome {
            directory: self.campaign.directory.clone(),
            _lock: self._lock,
            remarks: remarks.collect(),
            comparison: Comparison::new(suite, shared.runs, shared.structures, complete),
        })
    }
}

impl Outcome {
    /// Writes the tables, the document and the page.
    pub fn write(&self, document: &Value) -> Result<(), CampaignError> {
        let texts = [
            ("runs.csv", tables::runs_csv(&self.comparison)),
            ("cases.csv", tables::cases_csv(&self.comparison)),
            ("results.json", format!("{document}\n")),
            ("index.html", page::page(document)),
        ];
        let files = texts.each_ref().map(|(name, text)| (self.directory.join(name), text.as_bytes()));
        files::replace_all(&files).map_err(CampaignError::Results)
    }
}

/// Who runs a case.
struct Worker<'w, F> {
    campaign: &'w Campaign<'w>,
    program: &'w Program,
    /// Somebody else's, and our own.
    interrupts: [&'w AtomicBool; 2],
    shared: &'w Mutex<Shared>,
    tell: &'w F,
    number: usize,
    case: &'w Case,
    /// The fingerprint of its model when its first run began.
    model: String,
}

impl<F: Fn(Happened) + Sync> Worker<'_, F> {
    /// `None` if somebody has stopped it.
    fn run_case(&self) -> Option<()> {
        let suite = self.campaign.suite;
        let decides = suite.qualify.as_ref().map(|rule| rule.configuration);
        let others = (0..suite.configurations.len()).filter(|&k| Some(k) != decides);
        let mut counts = true;
        for configuration in decides.into_iter().chain(others) {
            let time = match &suite.qualify {
                Some(rule) if rule.configuration == configuration => rule.time,
                _ => suite.time,
            };
            let finished = self.run_configuration(configuration, time)?;
            if Some(configuration) == decides && !finished {
                counts = false;
                // The others will not take place.
                self.change(|shared| shared.done += suite.configurations.len() - 1);
                break;
            }
        }
        if counts {
            self.look_at_structure()?;
        }
        self.change(|shared| shared.cases += 1);
        Some(())
    }

    /// Whether there is an answer.
    fn run_configuration(&self, number: usize, time: Duration) -> Option<bool> {
        let configuration = &self.campaign.suite.configurations[number];
        let options = Some(configuration.options.as_str());
        let limits = self.limits(time);
        let depends = self.depends();
        let known = self.known(options, limits, &depends);
        let record = match known {
            Some(EntryResult::Run(record)) => *record,
            _ => {
                let mut arguments = vec!["check".into()];
                arguments.extend(self.case.arguments());
                arguments.extend(configuration.options.split(' ').map(OsString::from));
                arguments.push("--verdict-only".into());
                let record = match self.child(arguments, time) {
                    Ended::Interrupted => return None,
                    Ended::Killed => {
                        let reason =
                            format!("killed: it did not stop at its time limit of {} s", time.as_secs_f64());
                        RunRecord {
                            verdict: "unknown".to_string(),
                            reason: Some(reason),
                            ..RunRecord::default()
                        }
                    }
                    Ended::Failed(reason) => RunRecord::error(reason),
                    Ended::Report(report) => RunRecord::read(&report)
                        .unwrap_or_else(|| RunRecord::error("it wrote no report".to_string())),
                };
                self.note(options, limits, depends, EntryResult::Run(Box::new(record.clone())));
                record
            }
        };
        let finished = record.is_finished();
        let verdict = record.verdict.clone();
        let (done, cases) = self.change(|shared| {
            shared.runs.insert((self.number, number), record);
            shared.done += 1;
            (shared.done, shared.cases)
        });
        let suite = self.campaign.suite;
        (self.tell)(Happened {
            done,
            all: suite.cases.len() * suite.configurations.len(),
            cases,
            case: &self.case.name,
            configuration: &configuration.name,
            verdict: &verdict,
        });
        Some(finished)
    }

    fn look_at_structure(&self) -> Option<()> {
        let time = self.campaign.suite.time * TIME_FOR_STRUCTURE;
        let limits = self.limits(time);
        let depends = self.depends();
        let options = self.campaign.suite.structure_options();
        let structure = match self.known(options, limits, &depends) {
            Some(EntryResult::Structure(structure)) => structure,
            _ => {
                let mut arguments = vec!["scc".into()];
                arguments.extend(self.case.arguments());
                let reduction = self.campaign.suite.reduction.option();
                arguments.extend(["--engine", "compiled", reduction].map(OsString::from));
                let structure = match self.child(arguments, time) {
                    Ended::Interrupted => return None,
                    Ended::Report(report) => CaseStructure::read(&report),
                    Ended::Killed | Ended::Failed(_) => None,
                };
                self.note(options, limits, depends, EntryResult::Structure(structure.clone()));
                structure
            }
        };
        if let Some(structure) = structure {
            self.change(|shared| shared.structures.insert(self.number, structure));
        }
        Some(())
    }

    fn child(&self, mut arguments: Vec<OsString>, time: Duration) -> Ended {
        if self.program.was_replaced() {
            self.stop(CampaignError::ProgramReplaced(self.program.file.clone()));
        }
        if self.interrupts.iter().any(|interrupt| interrupt.load(Ordering::Relaxed)) {
            return Ended::Interrupted;
        }
        let (seconds, memory) = (time.as_secs_f64().to_string(), self.campaign.suite.memory.to_string());
        arguments
            .extend(["--timeout", &seconds, "--max-memory", &memory, "--format", "json"].map(OsString::from));
        child::run(&self.program.file, &arguments, time, &self.interrupts)
    }

    fn limits(&self, time: Duration) -> LimitsUsed {
        LimitsUsed { seconds: time.as_secs_f64(), memory: self.campaign.suite.memory }
    }

    /// What a run that begins now depends on.
    fn depends(&self) -> Fingerprint {
        let model = fingerprint::of_model(&self.case.model);
        if model != self.model {
            self.change(|shared| shared.changed.insert(self.case.model.clone()));
        }
        Fingerprint { model, program: self.program.fingerprint.clone() }
    }

    fn known(&self, options: Option<&str>, limits: LimitsUsed, depends: &Fingerprint) -> Option<EntryResult> {
        let case = self.case.typed_arguments();
        self.change(|shared| shared.journal.look_up(&case, options, limits, depends).cloned())
    }

    fn note(&self, options: Option<&str>, limits: LimitsUsed, depends: Fingerprint, result: EntryResult) {
        let case = self.case.typed_arguments();
        let entry =
            Entry { case, options: options.map(str::to_string), limits, depends: Some(depends), result };
        if let Err(error) = self.change(|shared| shared.journal.add(&entry)) {
            self.stop(CampaignError::Results(error));
        }
    }

    /// Nobody goes on.
    fn stop(&self, error: CampaignError) {
        self.change(|shared| {
            shared.broken.get_or_insert(error);
        });
        self.interrupts[1].store(true, Ordering::Relaxed);
    }

    fn change<R>(&self, change: impl FnOnce(&mut Shared) -> R) -> R {
        change(&mut self.shared.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }
}
