//! Checkpoints: how far a search has come, in a file, so that it can go on some other time.
//!
//! A search that has a place for checkpoints ([`Limits::checkpoint`](crate::Limits)) writes one now and then,
//! and when a limit stops it. What is written is everything that its further course depends on: the tables
//! of the model by which stored states can be read, the states in the order of their numbers, the notes and
//! stacks of the search, and what it has counted. Everything else follows from these: successors are
//! functions of the state. So a search that goes on from a checkpoint finds what it would have found, and
//! counts what it would have counted.
//!
//! *Where.* Searches for violations write between two states, where they look at the limits. An emptiness
//! check is *left* with [`StopReason::Checkpoint`](crate::StopReason), as by any limit, written by whoever
//! runs it (`emptiness/resumed.rs`), and entered again: to go on after a checkpoint, and to go on in another
//! process, is the same.
//!
//! *Numbers.* Threads that store states at the same time leave holes between the numbers of states, which one
//! thread does not have that reads them. So states may get other numbers than they had ([`Renumbered`]), and
//! a search by several threads writes a checkpoint that any number of threads can go on from.
//!
//! *Whole or not at all.* A checkpoint goes to a temporary file, which is on the disk before it takes the
//! place of the one before. So whatever happens, there is the last one that was complete. `file.rs` has the
//! form of a file, `parts.rs` that of what is in it.
//!
//! *Cost.* Nothing is copied: what is written is read where it lies, and the block that is being filled is
//! all that is held beside it (and a bit for each state, to have them in order). A state takes about as many
//! bytes as it differs in from the one before.

mod file;
mod parts;

pub use file::{Reader, Unreadable, Writer};
pub(crate) use parts::{
    Renumbered, load_numbers, load_states, load_violation, load_words, save_numbers, save_states,
    save_violation, save_words,
};

use std::fs::{File, rename};
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Something that is part of a checkpoint.
pub trait Saved {
    /// Writes it down.
    fn save(&self, out: &mut Writer);

    /// Becomes what was written. It is empty before, and means nothing after an error.
    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable>;
}

/// Where a search writes checkpoints, and the one from which it goes on, if it does.
#[derive(Debug)]
pub struct Checkpoints {
    path: PathBuf,
    /// What whoever began the search wants to find in the file.
    header: Vec<u8>,
    every: Duration,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    next: Instant,
    stage: u64,
    reader: Option<Reader>,
    written: Option<u64>,
    problem: Option<String>,
}

impl Checkpoints {
    /// To this file, so often, and with this header.
    pub fn new(path: PathBuf, header: Vec<u8>, every: Duration) -> Checkpoints {
        let inner = Inner { next: later(every), stage: 0, reader: None, written: None, problem: None };
        Checkpoints { path, header, every, inner: Mutex::new(inner) }
    }

    /// Why nothing can be written where checkpoints are to go, if that is known before: what is there would
    /// be lost, or there is no such directory.
    pub fn why_not_written(&self) -> Option<String> {
        match std::fs::symlink_metadata(&self.path) {
            Ok(there) if !there.is_file() => Some("what is there is no plain file".to_string()),
            Ok(there) if there.len() > 0 => match File::open(&self.path).and_then(file::is_checkpoint) {
                Ok(true) => None,
                Ok(false) => Some("the file that is there is no checkpoint, and would be lost".to_string()),
                Err(error) => Some(error.to_string()),
            },
            Ok(_) => None,
            Err(_) => {
                let directory = self.path.parent().filter(|directory| *directory != Path::new(""));
                let is_there = directory.is_none_or(Path::is_dir);
                (!is_there).then(|| "there is no such directory".to_string())
            }
        }
    }

    /// The same for a search that goes on from what this reader will give.
    pub fn going_on(self, mut reader: Reader) -> Result<Checkpoints, Unreadable> {
        {
            let mut inner = self.inner();
            inner.stage = reader.number()?;
            inner.reader = Some(reader);
        }
        Ok(self)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it is time to write one.
    pub fn is_due(&self) -> bool {
        Instant::now() >= self.inner().next
    }

    /// A number that goes into every checkpoint from now on: which of several attempts the search is.
    pub fn set_stage(&self, stage: u64) {
        self.inner().stage = stage;
    }

    /// This number in the checkpoint from which the search goes on, if it is still to be read.
    pub fn stage_to_read(&self) -> Option<u64> {
        let inner = self.inner();
        inner.reader.as_ref().map(|_| inner.stage)
    }

    /// Reads the next part of the checkpoint from which the search goes on, if there is one.
    pub fn read<T>(
        &self,
        load: impl FnOnce(&mut Reader) -> Result<T, Unreadable>,
    ) -> Option<Result<T, Unreadable>> {
        let mut inner = self.inner();
        inner.reader.as_mut().map(load)
    }

    /// The rest of it: from now on nobody goes on from there.
    pub fn take_reader(&self) -> Option<Reader> {
        self.inner().reader.take()
    }

    /// Writes a checkpoint of a search that has stored so many states. If that fails, the one before is still
    /// there, and [`Checkpoints::problem`] tells why.
    pub fn write(&self, states: u64, save: impl FnOnce(&mut Writer) -> Result<(), &'static str>) {
        let written = self.write_file(save);
        let mut inner = self.inner();
        inner.next = later(self.every);
        match written {
            Ok(()) => (inner.written, inner.problem) = (Some(states), None),
            Err(reason) => inner.problem = Some(reason),
        }
    }

    fn write_file(&self, save: impl FnOnce(&mut Writer) -> Result<(), &'static str>) -> Result<(), String> {
        let said = |error: io::Error| format!("cannot write {}: {error}", self.path.display());
        let mut name = self.path.as_os_str().to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        let temporary = Temporary(PathBuf::from(name));
        let file = File::create(&temporary.0).map_err(said)?;
        let mut out = BufWriter::with_capacity(1 << 20, file);
        let mut writer = Writer::begin(&mut out, &self.header);
        writer.number(self.inner().stage);
        save(&mut writer)?;
        writer.finish().map_err(said)?;
        out.flush().and_then(|()| out.get_ref().sync_all()).map_err(said)?;
        rename(&temporary.0, &self.path).map_err(said)?;
        // The name is on the disk only when the directory is. Not every system lets directories be opened.
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
            let _ = folder.sync_all();
        }
        Ok(())
    }

    /// A checkpoint could not be written, or not be read, for this reason.
    pub fn note_problem(&self, reason: String) {
        self.inner().problem = Some(reason);
    }

    /// Why there is no newer checkpoint, or why the search could not go on from one.
    pub fn problem(&self) -> Option<String> {
        self.inner().problem.clone()
    }

    /// How many states the last checkpoint has that was written.
    pub fn written(&self) -> Option<u64> {
        self.inner().written
    }

    /// Where they are written.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// A time that may be too long to come.
fn later(every: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(every).unwrap_or(now + Duration::from_secs(1 << 30))
}

/// A file that is removed again, unless it has another name by then.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Opens a checkpoint that is whole and of this version: its header, and what comes behind. The file is read
/// once from its beginning to its end before.
pub fn open_checkpoint(path: &Path) -> Result<(Vec<u8>, Reader), Unreadable> {
    let open = || -> Result<Reader, Unreadable> {
        let file = File::open(path).map_err(|error| Unreadable(error.to_string()))?;
        Reader::begin(Box::new(BufReader::with_capacity(1 << 20, file)))
    };
    open()?.read_to_end()?;
    let mut reader = open()?;
    let header = reader.text()?;
    Ok((header, reader))
}
