//! What is known so far, one JSON object a line, written as soon as it is known. A campaign that was
//! interrupted goes on from there.
//!
//! An entry names its run by the arguments and options of the command, and says within which limits it ran
//! and what it depended on ([`Fingerprint`]). A run that was finished is known whatever its limits were; one
//! that was cut short is known only for the same limits; one that went wrong is run again.
//!
//! A program that is killed leaves half a line at the end, a bad disk anything. A line that cannot be read
//! is dropped, and its run is run again.

use crate::files::{self, WriteError};
use crate::fingerprint::Fingerprint;
use crate::record::{CaseStructure, RunRecord};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// How every line begins.
const BEGINNING: &[u8] = b"{\"case\":";

/// One line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// The arguments of the case.
    pub case: String,
    /// The options of the configuration; none for the structure of the product.
    pub options: Option<String>,
    /// Within which it was run.
    pub limits: LimitsUsed,
    /// What it depended on. What does not say so is not known any more.
    #[serde(default)]
    pub depends: Option<Fingerprint>,
    /// What came of it.
    #[serde(flatten)]
    pub result: EntryResult,
}

/// Of one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LimitsUsed {
    pub seconds: f64,
    pub memory: u64,
}

/// What one line says.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryResult {
    Run(Box<RunRecord>),
    /// `None`: it took too long.
    Structure(Option<CaseStructure>),
}

/// All entries, and the file that further ones are written to.
pub struct Journal {
    path: PathBuf,
    file: File,
    /// In the order of the file.
    entries: Vec<Entry>,
    places: HashMap<(String, Option<String>), usize>,
    /// Numbers of the lines (from 1) that cannot be read.
    pub unreadable: Vec<usize>,
}

impl Journal {
    /// Whether somebody else has written a file of this name.
    pub fn is_foreign(path: &Path) -> bool {
        let ours = |text: Vec<u8>| {
            // The first lines may be damaged, or the only one unfinished.
            let mut lines = text.split(|&byte| byte == b'\n');
            lines.any(|line| line.starts_with(BEGINNING)) || BEGINNING.starts_with(&text)
        };
        match std::fs::read(path) {
            Ok(text) => !ours(text),
            Err(error) => !files::is_not_there(&error),
        }
    }

    /// Opens the file, with what it says already if that is wanted.
    pub fn open(path: &Path, resume: bool) -> Result<Journal, WriteError> {
        let failed = |error| WriteError::new(path, error);
        let text = match resume {
            true if path.exists() => std::fs::read(path).map_err(failed)?,
            _ => Vec::new(),
        };
        let (mut entries, mut places, mut unreadable) = (Vec::<Entry>::new(), HashMap::new(), Vec::new());
        for (number, line) in text.split(|&byte| byte == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            match serde_json::from_slice::<Entry>(line) {
                Ok(entry) => match places.entry((entry.case.clone(), entry.options.clone())) {
                    std::collections::hash_map::Entry::Occupied(place) => entries[*place.get()] = entry,
                    std::collections::hash_map::Entry::Vacant(place) => {
                        place.insert(entries.len());
                        entries.push(entry);
                    }
                },
                Err(_) => unreadable.push(number + 1),
            }
        }
        // What is known is written again, so that no half line stands in the middle.
        let text: String = entries.iter().map(line).collect();
        files::replace(path, text.as_bytes())?;
        let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
        Ok(Journal { path: path.to_path_buf(), file, entries, places, unreadable })
    }

    /// What a run said when it last ran, whatever has changed since.
    pub fn entry(&self, case: &str, options: Option<&str>) -> Option<&Entry> {
        let place = self.places.get(&(case.to_string(), options.map(str::to_string)))?;
        Some(&self.entries[*place])
    }

    /// What is known about a run within these limits, as long as nothing has changed that it depended on.
    pub fn look_up(
        &self,
        case: &str,
        options: Option<&str>,
        limits: LimitsUsed,
        depends: &Fingerprint,
    ) -> Option<&EntryResult> {
        let entry = self.entry(case, options).filter(|entry| entry.depends.as_ref() == Some(depends))?;
        let is_known = match &entry.result {
            EntryResult::Run(run) if run.verdict == "error" => false,
            EntryResult::Run(run) => run.is_finished() || run.verdict == "refused" || entry.limits == limits,
            EntryResult::Structure(structure) => structure.is_some() || entry.limits == limits,
        };
        is_known.then_some(&entry.result)
    }

    /// Writes down what has become known.
    pub fn add(&mut self, entry: &Entry) -> Result<(), WriteError> {
        self.file.write_all(line(entry).as_bytes()).map_err(|error| WriteError::new(&self.path, error))
    }
}

fn line(entry: &Entry) -> String {
    serde_json::to_string(entry).expect("only strings are keys") + "\n"
}
