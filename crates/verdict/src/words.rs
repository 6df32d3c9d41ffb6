//! Words that reports share, whatever the model was written in.

use lariat_search::StopReason;
use std::time::Duration;

/// `1 step`, `2 steps`
pub fn counted(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// A number of bytes for people.
pub fn bytes_shown(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return counted(bytes, "byte");
    }
    let mut value = bytes as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// Behind a verdict that is about nothing.
pub const NO_RUN: &str = " (there is no run: all runs end, and runs that end do not count)";

/// The limit that was hit, in words.
pub fn describe_stop(reason: StopReason, timeout: Option<Duration>) -> String {
    match reason {
        StopReason::Depth(depth) => format!("paths were cut at the depth limit of {depth}"),
        StopReason::States(states) => {
            format!("the limit of {} was reached", counted(states, "state"))
        }
        StopReason::Memory(bytes) => format!("the memory limit of {} was reached", bytes_shown(bytes)),
        StopReason::Addresses(bytes) => {
            format!("the system gives no more memory: the process may map {} (ulimit -v)", bytes_shown(bytes))
        }
        StopReason::StoreFull => "the store has no numbers left for further states".to_string(),
        StopReason::Timeout => {
            let seconds = timeout.map_or(0.0, |timeout| timeout.as_secs_f64());
            format!("the time limit of {seconds} s was reached")
        }
        StopReason::Interrupted => "interrupted".to_string(),
        StopReason::Sequence => {
            "an atomic sequence does not seem to end: its intermediate states take too much memory"
                .to_string()
        }
        StopReason::Checkpoint => "the search could not go on from its checkpoint".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_bytes() {
        assert_eq!(bytes_shown(0), "0 bytes");
        assert_eq!(bytes_shown(1), "1 byte");
        assert_eq!(bytes_shown(1536), "1.5 KiB");
        assert_eq!(bytes_shown(3 << 30), "3.0 GiB");
    }
}
