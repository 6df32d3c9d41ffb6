//! What is known so far, one JSON object a line, written as soon as it is known. A campaign that was interrupted goes on from there.
//!
//! An entry names its run by the arguments and options of the command, and the limits. A run that was finished is known whatever
//! its limits were; one that was cut short is known only for the same limits.

use crate::record::{CaseStructure, RunRecord};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// One line.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// The arguments of the case.
    pub case: String,
    /// The options of the configuration; none for the structure of the product.
    pub options: Option<String>,
    /// Within which it was run.
    pub limits: LimitsUsed,
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
    file: File,
    known: HashMap<(String, Option<String>), Entry>,
}

impl Journal {
    /// Opens the file, with what it says already if that is wanted. A last line that was not finished is dropped.
    pub fn open(path: &Path, resume: bool) -> std::io::Result<Journal> {
        let mut known = HashMap::new();
        if resume && path.exists() {
            for line in BufReader::new(File::open(path)?).lines() {
                if let Ok(entry) = serde_json::from_str::<Entry>(&line?) {
                    known.insert((entry.case.clone(), entry.options.clone()), entry);
                }
            }
        }
        // What is known is written again, so that no half line stands in the middle.
        let mut file = OpenOptions::new().create(true).write(true).truncate(true).open(path)?;
        for entry in known.values() {
            write(&mut file, entry)?;
        }
        Ok(Journal { file, known })
    }

    /// What is known about a run within these limits.
    pub fn look_up(&self, case: &str, options: Option<&str>, limits: LimitsUsed) -> Option<&EntryResult> {
        let entry = self.known.get(&(case.to_string(), options.map(str::to_string)))?;
        let is_final = match &entry.result {
            EntryResult::Run(run) => run.is_finished() || run.verdict == "refused",
            EntryResult::Structure(structure) => structure.is_some(),
        };
        (is_final || entry.limits == limits).then_some(&entry.result)
    }

    /// Writes down what has become known.
    pub fn add(&mut self, entry: &Entry) -> std::io::Result<()> {
        write(&mut self.file, entry)
    }
}

fn write(file: &mut File, entry: &Entry) -> std::io::Result<()> {
    let mut line = serde_json::to_string(entry)?;
    line.push('\n');
    file.write_all(line.as_bytes())
}
