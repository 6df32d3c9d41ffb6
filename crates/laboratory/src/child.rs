//! A process that is given so much time and no more.
//!
//! The checker keeps its limits by itself and then says what it has counted. Who does not keep them is
//! killed some time later: what it was doing then (reading a model, building a lasso) no limit covers.

use serde_json::Value;
use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Who has not come to an end so long after its limit is killed.
const GRACE: Duration = Duration::from_secs(20);
/// Between two looks at a process.
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);
const LONGEST_BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// What a process left behind.
pub enum Ended {
    /// The last line of its standard output, as JSON.
    Report(Value),
    /// It wrote none: what it said instead.
    Failed(String),
    /// It was killed because it took too long.
    Killed,
    /// It was stopped because nobody wants to know any more.
    Interrupted,
}

/// Runs the program until it ends.
pub fn run(program: &Path, arguments: &[OsString], limit: Duration, interrupts: &[&AtomicBool]) -> Ended {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return Ended::Failed(format!("{}: {error}", program.display())),
    };
    // Both are read while it runs: a full pipe would stop it.
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let output = scope.spawn(|| read_all(output));
        let errors = scope.spawn(|| read_all(errors));
        let end = wait(&mut child, limit + GRACE, interrupts);
        let (output, errors) = (output.join().unwrap_or_default(), errors.join().unwrap_or_default());
        let status = match end {
            Ok(status) => status,
            Err(early) => return early,
        };
        match output.lines().next_back().map(serde_json::from_str::<Value>) {
            // Ctrl-C is for all processes of a terminal, and a child may be quicker than we are.
            Some(Ok(report)) if report["reason"] == "interrupted" => Ended::Interrupted,
            Some(Ok(report)) => Ended::Report(report),
            _ if was_interrupted(status) => Ended::Interrupted,
            _ => {
                let mut lines = errors.lines().filter(|line| !line.trim().is_empty());
                let complaint = lines.clone().find(|line| line.starts_with("error")).or(lines.next());
                let silence = || format!("it wrote no report ({status})");
                Ended::Failed(complaint.map_or_else(silence, str::to_string))
            }
        }
    })
}

/// Whether a signal ended it that is meant for all, before it could say so.
#[cfg(unix)]
fn was_interrupted(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    const SIGHUP: i32 = 1;
    const SIGINT: i32 = 2;
    const SIGTERM: i32 = 15;
    matches!(status.signal(), Some(SIGHUP | SIGINT | SIGTERM))
}

#[cfg(not(unix))]
fn was_interrupted(_: ExitStatus) -> bool {
    false
}

fn read_all(stream: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut stream) = stream {
        // What was read before an error is all there is.
        let _ = stream.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// How it ended, if it did so by itself.
fn wait(child: &mut Child, limit: Duration, interrupts: &[&AtomicBool]) -> Result<ExitStatus, Ended> {
    let start = Instant::now();
    let mut pause = BETWEEN_LOOKS;
    loop {
        let interrupted = interrupts.iter().any(|interrupt| interrupt.load(Ordering::Relaxed));
        match child.try_wait() {
            Ok(Some(_)) if interrupted => return Err(Ended::Interrupted),
            Ok(Some(status)) => return Ok(status),
            Ok(None) => {}
            Err(error) => return Err(Ended::Failed(error.to_string())),
        }
        if interrupted || start.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return Err(if interrupted { Ended::Interrupted } else { Ended::Killed });
        }
        thread::sleep(pause);
        pause = (pause * 5 / 4).min(LONGEST_BETWEEN_LOOKS);
    }
}
