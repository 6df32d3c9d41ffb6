//! A program with a limit of time, and the processor time that it took.
//!
//! The operating system adds up the processor time of all children that have ended. Here they run one at a
//! time, so the difference before and after is that of the one. A parent for each, as [`crate::measure`] has
//! it, would be needed for the memory, and would take longer than most of these programs.
//!
//! The limit is one of processor time as well, so that a busy machine makes no program fail. Linux says what
//! a running process has used so far.

use crate::workspace::shown;
use anyhow::{Context, Result};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// How often a running process is asked.
const PAUSE: Duration = Duration::from_millis(100);

/// A process that only waits is stopped when this many times the limit has passed on the wall.
const WAITING: u32 = 20;

pub struct Ended {
    pub success: bool,
    /// Processor time, user and system.
    pub seconds: f64,
    pub printed: String,
}

/// Runs the command to its end; `None` if it had to be stopped because its processor time was up. What it
/// prints to its standard error is dropped.
pub fn run(command: &mut Command, limit: Duration) -> Result<Option<Ended>> {
    let start = Instant::now();
    let before = seconds_of_children()?;
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("`{}` cannot be started", shown(command)))?;
    let mut output = child.stdout.take().context("there is a pipe")?;
    let (sender, receiver) = mpsc::channel();
    let reader = thread::spawn(move || {
        let mut printed = Vec::new();
        let result = output.read_to_end(&mut printed).map(|_| printed);
        // Nobody listens any more if the time was up.
        let _ = sender.send(result);
    });
    let printed = loop {
        match receiver.recv_timeout(PAUSE) {
            Ok(printed) => break Some(printed?),
            Err(RecvTimeoutError::Timeout) => {
                if used(child.id()) >= limit || start.elapsed() >= limit * WAITING {
                    child.kill()?;
                    break None;
                }
            }
            Err(RecvTimeoutError::Disconnected) => break None,
        }
    };
    let status = child.wait()?;
    let seconds = seconds_of_children()? - before;
    let _ = reader.join();
    let ended = |printed: Vec<u8>| Ended {
        success: status.success(),
        seconds,
        printed: String::from_utf8_lossy(&printed).into_owned(),
    };
    Ok(printed.map(ended))
}

/// The processor time of a running process with one thread; none if the system does not say.
fn used(process: u32) -> Duration {
    let text = fs::read_to_string(format!("/proc/{process}/schedstat")).unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|number| number.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

fn seconds_of_children() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let microseconds = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(microseconds as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_and_limits() {
        let ended = run(Command::new("echo").arg("word"), Duration::from_secs(60)).unwrap().unwrap();
        assert!(ended.success && ended.seconds >= 0.0);
        assert_eq!(ended.printed, "word\n");
        let failed = run(&mut Command::new("false"), Duration::from_secs(60)).unwrap().unwrap();
        assert!(!failed.success);
        assert!(run(Command::new("sleep").arg("60"), Duration::from_millis(10)).unwrap().is_none());
        let busy = ["-c", "while :; do :; done"];
        assert!(run(Command::new("sh").args(busy), Duration::from_millis(200)).unwrap().is_none());
        assert!(run(&mut Command::new("no-such-program-at-all"), Duration::from_secs(1)).is_err());
    }
}
