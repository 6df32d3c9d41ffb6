//! What of a difference can be seen without understanding it: how Lariat's run ends, who ends on it, and
//! which means the model uses that Spin's verifier treats in its own way under fairness.

use crate::judge::Judged;
use lariat_checker::TraceStep;

pub fn of(text: &str, judged: &Judged) -> Vec<String> {
    let mut seen = Vec::new();
    match &judged.counterexample {
        Some(run) => {
            let ending = format!("{:?}", run.ending);
            seen.push(match ending.as_str() {
                "Repeats" => "a cycle",
                "Diverges" => "inside an atomic sequence for ever",
                "Stops" => "the last state repeats",
                _ => "a finite run",
            });
            let ends = |steps: &[TraceStep]| steps.iter().any(|step| step.statement == "-end-");
            if ends(&run.prefix) {
                seen.push("somebody has ended");
            }
            if ends(&run.cycle) {
                seen.push("somebody ends in the cycle");
            }
        }
        None => {
            let means = [
                ("[0] of", "handshakes"),
                ("run ", "processes are created"),
                ("provided", "provided"),
                ("unless", "unless"),
                ("timeout", "timeout"),
                ("atomic", "atomic"),
                ("d_step", "d_step"),
                ("else", "else"),
            ];
            seen.extend(means.iter().filter(|(word, _)| text.contains(word)).map(|(_, name)| *name));
        }
    }
    seen.into_iter().map(String::from).collect()
}
