//! A campaign: all runs of a suite, some of them side by side, until all are done or somebody stops it.
//!
//! A worker takes a case and runs it with one configuration after the other. If the suite has a rule which cases count, the configuration that
//! decides about it comes first, and a case that does not count is not run any further. What every run said goes into the journal at once.

use crate::child::{self, Ended};
use crate::comparison::Comparison;
use crate::journal::{Entry, EntryResult, Journal, LimitsUsed};
use crate::record::{CaseStructure, RunRecord};
use crate::suite::{Case, Suite};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// The structure of a product takes up to five searches.
const TIME_FOR_STRUCTURE: u32 = 3;
const JOURNAL: &str = "journal.jsonl";

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
    /// A file cannot be written or read.
    #[error("{}: {error}", file.display())]
    File {
        /// Which one.
        file: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
}

/// What the workers share.
struct Shared {
    journal: Journal,
    runs: HashMap<(usize, usize), RunRecord>,
    structures: HashMap<usize, CaseStructure>,
    done: usize,
    cases: usize,
    broken: Option<std::io::Error>,
}

impl Campaign<'_> {
    /// Whether the directory has a journal.
    pub fn has_results(directory: &Path) -> bool {
        directory.join(JOURNAL).exists()
    }

    /// Runs everything that is not known yet, and says what all of it comes to. `tell` is called after every run.
    pub fn run(
        &self,
        interrupt: &AtomicBool,
        tell: impl Fn(Happened) + Sync,
    ) -> Result<Comparison, CampaignError> {
        let path = self.directory.join(JOURNAL);
        let failed = |file: &Path, error| CampaignError::File { file: file.to_path_buf(), error };
        std::fs::create_dir_all(&self.directory).map_err(|error| failed(&self.directory, error))?;
        let journal = Journal::open(&path, self.resume).map_err(|error| failed(&path, error))?;
        let shared = Mutex::new(Shared {
            journal,
            runs: HashMap::new(),
            structures: HashMap::new(),
            done: 0,
            cases: 0,
            broken: None,
        });
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                scope.spawn(|| {
                    let take = || next.fetch_add(1, Ordering::Relaxed);
                    while let Some((number, case)) =
                        Some(take()).and_then(|k| Some((k, self.suite.cases.get(k)?)))
                    {
                        let worker =
                            Worker { campaign: self, interrupt, shared: &shared, tell: &tell, number, case };
                        if worker.run_case().is_none() {
                            break;
                        }
                    }
                });
            }
        });
        let shared = shared.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        match shared.broken {
            Some(error) => Err(failed(&path, error)),
            None => {
                let complete = shared.cases == self.suite.cases.len();
                Ok(Comparison::new(self.suite, shared.runs, shared.structures, complete))
            }
        }
    }
}

/// Who runs a case.
struct Worker<'w, F> {
    campaign: &'w Campaign<'w>,
    interrupt: &'w AtomicBool,
    shared: &'w Mutex<Shared>,
    tell: &'w F,
    number: usize,
    case: &'w Case,
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
        let known = self.known(options, limits);
        let record = match known {
            Some(EntryResult::Run(record)) => *record,
            _ => {
                let mut arguments = vec!["check".to_string()];
                arguments.extend(self.case.arguments());
                arguments.extend(configuration.options.split(' ').map(str::to_string));
                arguments.push("--verdict-only".to_string());
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
                self.note(options, limits, EntryResult::Run(Box::new(record.clone())));
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
        let structure = match self.known(None, limits) {
            Some(EntryResult::Structure(structure)) => structure,
            _ => {
                let mut arguments = vec!["scc".to_string()];
                arguments.extend(self.case.arguments());
                arguments.extend(["--engine".to_string(), "compiled".to_string()]);
                let structure = match self.child(arguments, time) {
                    Ended::Interrupted => return None,
                    Ended::Report(report) => CaseStructure::read(&report),
                    Ended::Killed | Ended::Failed(_) => None,
                };
                self.note(None, limits, EntryResult::Structure(structure.clone()));
                structure
            }
        };
        if let Some(structure) = structure {
            self.change(|shared| shared.structures.insert(self.number, structure));
        }
        Some(())
    }

    fn child(&self, mut arguments: Vec<String>, time: Duration) -> Ended {
        if self.interrupt.load(Ordering::Relaxed) {
            return Ended::Interrupted;
        }
        let limits = [
            "--timeout".to_string(),
            time.as_secs_f64().to_string(),
            "--max-memory".to_string(),
            self.campaign.suite.memory.to_string(),
            "--format".to_string(),
            "json".to_string(),
        ];
        arguments.extend(limits);
        child::run(&self.campaign.program, &arguments, time, self.interrupt)
    }

    fn limits(&self, time: Duration) -> LimitsUsed {
        LimitsUsed { seconds: time.as_secs_f64(), memory: self.campaign.suite.memory }
    }

    fn known(&self, options: Option<&str>, limits: LimitsUsed) -> Option<EntryResult> {
        let case = self.case.typed_arguments();
        self.change(|shared| shared.journal.look_up(&case, options, limits).cloned())
    }

    fn note(&self, options: Option<&str>, limits: LimitsUsed, result: EntryResult) {
        let entry =
            Entry { case: self.case.typed_arguments(), options: options.map(str::to_string), limits, result };
        self.change(|shared| {
            if let Err(error) = shared.journal.add(&entry) {
                shared.broken.get_or_insert(error);
                self.interrupt.store(true, Ordering::Relaxed);
            }
        });
    }

    fn change<R>(&self, change: impl FnOnce(&mut Shared) -> R) -> R {
        change(&mut self.shared.lock().unwrap_or_else(|poisoned| poisoned.into_inner()))
    }
}
