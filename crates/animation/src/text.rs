//! The steps as text: a line for each, with its number, the line of the pseudo-code, and its sentence.

use crate::pseudocode::pseudocode;
use crate::recording::Answer;
use crate::steps::Animation;

/// The pseudo-code with the numbers of its lines, then all steps.
pub fn text(animation: &Animation) -> String {
    let check = animation.recording.check;
    let mut out = String::new();
    for (number, line) in pseudocode(check).iter().enumerate() {
        out += format!("{:>4}  {}", number + 1, line.text).trim_end();
        out.push('\n');
    }
    out += "\nstep  line\n";
    for (number, step) in animation.steps.iter().enumerate() {
        let line = step.lines.first().map_or_else(|| "–".to_string(), |line| (line + 1).to_string());
        out += &format!("{number:>4}  {line:>4}  {}\n", step.sentence);
    }
    out
}

/// One line: what the check found, and what it counted.
pub fn summary(
    animation: &Animation,
    why_stopped: impl FnOnce(lariat_search::StopReason) -> String,
) -> String {
    let recording = &animation.recording;
    let found = match &recording.answer {
        Answer::NotEmpty(_) => "not empty: there is an accepting run".to_string(),
        Answer::Empty => "empty: there is no accepting run".to_string(),
        Answer::Unknown(reason) => format!("unknown: {}", why_stopped(*reason)),
    };
    let counts = recording.counts;
    let number =
        |count: u64, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    format!(
        "{found} ({}): {}; {} visited, {} of post, {}",
        recording.check.description().name,
        number(animation.steps.len() as u64, "step", "steps"),
        number(counts.visited, "state", "states"),
        number(counts.post_calls, "call", "calls"),
        number(counts.transitions, "arc", "arcs")
    )
}
