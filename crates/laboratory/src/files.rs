//! Files that are there as a whole or not at all: what is written goes into a file beside the one that is
//! meant, which then takes its name.
//!
//! A full disk or a program that is killed leaves the old file as it was. (Between two names that change
//! there is a moment in which one file is new and another old.)

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A file cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {error}", file.display())]
pub struct WriteError {
    /// Which one.
    pub file: PathBuf,
    /// What the system says.
    pub error: std::io::Error,
}

impl WriteError {
    pub(crate) fn new(file: &Path, error: std::io::Error) -> WriteError {
        WriteError { file: file.to_path_buf(), error }
    }
}

/// Whether a file could not be opened because there is none, nor a directory for it.
pub fn is_not_there(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

/// Makes a directory and those above it.
pub fn create_directory(directory: &Path) -> Result<(), WriteError> {
    fs::create_dir_all(directory).map_err(|error| WriteError::new(directory, error))
}

/// Writes one file.
pub fn replace(file: &Path, contents: &[u8]) -> Result<(), WriteError> {
    replace_all(&[(file.to_path_buf(), contents)])
}

/// Writes several files: all of them are written before the first one gets its name.
pub fn replace_all(files: &[(PathBuf, &[u8])]) -> Result<(), WriteError> {
    let written: Result<(), WriteError> = files.iter().try_for_each(|(file, contents)| {
        write(&beside(file), contents).map_err(|e| WriteError::new(file, e))
    });
    let named = written.and_then(|()| {
        files
            .iter()
            .try_for_each(|(file, _)| fs::rename(beside(file), file).map_err(|e| WriteError::new(file, e)))
    });
    if named.is_err() {
        for (file, _) in files {
            // Most of them are not there.
            let _ = fs::remove_file(beside(file));
        }
    }
    named
}

fn write(file: &Path, contents: &[u8]) -> std::io::Result<()> {
    let mut file = File::create(file)?;
    file.write_all(contents)?;
    // A disk may be full only when it is really written to.
    file.sync_all()
}

/// `dir/index.html` is written as `dir/index.html.part`.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_os_string();
    name.push(".part");
    PathBuf::from(name)
}
