//! Reading that may never end: a pipe that nobody writes to, a device, the output of a command.
//!
//! A thread of its own reads; who waits for it looks at the limits meanwhile. When one is hit, the thread is
//! left alone: it ends with the program, or when there is nothing to read any more.

use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Where reading stops. An error then has the kind [`ErrorKind::TimedOut`], [`ErrorKind::Interrupted`] or
/// [`ErrorKind::OutOfMemory`].
#[derive(Clone, Debug, Default)]
pub struct ReadLimits {
    /// The moment at which nobody waits any longer.
    pub deadline: Option<Instant>,
    /// Set from outside, to stop.
    pub interrupt: Option<&'static AtomicBool>,
    /// A text may have so many bytes.
    pub max_bytes: Option<u64>,
    /// All that is made of the texts may take so many.
    pub max_memory: Option<u64>,
}

/// As much text as places can be told apart in.
const MAX_TEXT: u64 = u32::MAX as u64 / 4;

/// How long it takes at most until a limit is noticed.
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

impl ReadLimits {
    /// Whether an error says that a limit was hit.
    pub fn is_limit(error: &io::Error) -> bool {
        matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::Interrupted | ErrorKind::OutOfMemory)
    }

    /// All that a file has.
    pub fn read_file(&self, path: &Path) -> io::Result<Vec<u8>> {
        let file = std::fs::File::open(path)?;
        if file.metadata()?.is_file() {
            let mut bytes = Vec::new();
            file.take(self.most().saturating_add(1)).read_to_end(&mut bytes)?;
            return self.of_right_length(bytes);
        }
        self.read(file)
    }

    /// All that comes.
    pub fn read(&self, source: impl Read + Send + 'static) -> io::Result<Vec<u8>> {
        self.wait(&self.collect(source)?)
    }

    /// Begins to read, in a thread of its own.
    pub(crate) fn collect(&self, source: impl Read + Send + 'static) -> io::Result<Collected> {
        let (sender, receiver) = channel();
        let most = self.most().saturating_add(1);
        let read = move || {
            let mut bytes = Vec::new();
            let result = source.take(most).read_to_end(&mut bytes).map(|_| bytes);
            // Who does not wait any more does not want to know.
            let _ = sender.send(result);
        };
        thread::Builder::new().spawn(read)?;
        Ok(Collected(receiver))
    }

    /// What has been read, when there is no more.
    pub(crate) fn wait(&self, collected: &Collected) -> io::Result<Vec<u8>> {
        loop {
            match collected.0.recv_timeout(BETWEEN_LOOKS) {
                Ok(result) => return self.of_right_length(result?),
                Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("what was read is lost")),
                Err(RecvTimeoutError::Timeout) => self.look()?,
            }
        }
    }

    /// A moment later, unless a limit has been hit.
    pub(crate) fn pause(&self) -> io::Result<()> {
        self.look()?;
        thread::sleep(BETWEEN_LOOKS / 10);
        Ok(())
    }

    fn most(&self) -> u64 {
        self.max_bytes.unwrap_or(MAX_TEXT).min(MAX_TEXT)
    }

    fn of_right_length(&self, bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        let length = bytes.len() as u64;
        if length <= self.most() {
            return Ok(bytes);
        }
        Err(match self.max_bytes {
            Some(max) if max < MAX_TEXT => io::Error::new(
                ErrorKind::OutOfMemory,
                format!("the memory limit was reached: it leaves room for a text of {max} bytes"),
            ),
            _ => io::Error::new(ErrorKind::InvalidData, "there is too much of it"),
        })
    }

    fn look(&self) -> io::Result<()> {
        if self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(io::Error::new(ErrorKind::Interrupted, "interrupted"));
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => {
                Err(io::Error::new(ErrorKind::TimedOut, "the time limit was reached"))
            }
            _ => Ok(()),
        }
    }
}

/// What a thread reads.
pub(crate) struct Collected(Receiver<io::Result<Vec<u8>>>);
