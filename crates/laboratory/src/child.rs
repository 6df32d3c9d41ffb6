//! A process that is given so much time and no more.
//!
//! The checker keeps its limits by itself and then says what it has counted. Who does not keep them is killed some time later: what it was
//! doing then (reading a model, building a lasso) no limit covers.

use serde_json::Value;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
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
pub fn run(program: &Path, arguments: &[String], limit: Duration, interrupt: &AtomicBool) -> Ended {
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
        let end = wait(&mut child, limit + GRACE, interrupt);
        let (output, errors) = (output.join().unwrap_or_default(), errors.join().unwrap_or_default());
        if let Some(early) = end {
            return early;
        }
        match output.lines().next_back().map(serde_json::from_str) {
            Some(Ok(report)) => Ended::Report(report),
            _ => {
                let mut lines = errors.lines().filter(|line| !line.trim().is_empty());
                let complaint = lines.clone().find(|line| line.starts_with("error")).or(lines.next());
                Ended::Failed(complaint.unwrap_or("it wrote no report").to_string())
            }
        }
    })
}

fn read_all(stream: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut stream) = stream {
        // What was read before an error is all there is.
        let _ = stream.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `None` if it ended by itself.
fn wait(child: &mut Child, limit: Duration, interrupt: &AtomicBool) -> Option<Ended> {
    let start = Instant::now();
    let mut pause = BETWEEN_LOOKS;
    loop {
        match child.try_wait() {
            Ok(Some(_)) if interrupt.load(Ordering::Relaxed) => return Some(Ended::Interrupted),
            Ok(Some(_)) => return None,
            Ok(None) => {}
            Err(error) => return Some(Ended::Failed(error.to_string())),
        }
        let interrupted = interrupt.load(Ordering::Relaxed);
        if interrupted || start.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return Some(if interrupted { Ended::Interrupted } else { Ended::Killed });
        }
        thread::sleep(pause);
        pause = (pause * 5 / 4).min(LONGEST_BETWEEN_LOOKS);
    }
}
