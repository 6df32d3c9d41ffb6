//! Who says what is right: Spin, asked about a model; and Lariat's own answer in the plainest way, to
//! compare.
//!
//! [`ask_spin`] runs Debian's `spin` and `tcc` without any reduction or merging, in a directory of its own,
//! and reads what the verifier prints. [`ask_lariat`] explores with the interpreter and a standard hash set,
//! apart from the real searches and stores. [`disagreement`] says in words how two answers differ. Apart from
//! these, [`formulas`] judges the translation of formulas to automata.

#![forbid(unsafe_code)]

pub mod fair_runs;
pub mod formulas;
pub mod micro_runs;
pub mod properties;
pub mod reduced_runs;
pub mod simplifications;

use lariat_engine::{Interpreter, SuccessorFunction, Successors, ViolationKind};
use lariat_source::{Severity, SourceMap};
use std::collections::HashSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub states: u64,
    pub transitions: u64,
    /// Spin executed atomic steps: then it counts transitions differently.
    pub atomic: bool,
    /// `None`: not known (a limit was hit).
    pub violated: Option<bool>,
    /// Lariat's first run-time error. Spin often goes on with nonsense after one.
    pub runtime_error: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    Answer(Answer),
    /// The model is not accepted.
    Refused(String),
    /// No complete answer within the limits.
    Unknown(String),
}

/// Runs a command for at most `limit`; its output and whether it ended well.
fn run(program: &str, arguments: &[&str], directory: &Path, limit: Duration) -> Option<(bool, String)> {
    let output = directory.join(format!("{}.out", program.trim_start_matches("./")));
    let file = std::fs::File::create(&output).ok()?;
    let mut child = Command::new(if program.starts_with("./") {
        directory.join(program).into_os_string()
    } else {
        program.into()
    })
    .args(arguments)
    .current_dir(directory)
    .stdin(Stdio::null())
    .stdout(file.try_clone().ok()?)
    .stderr(file)
    .spawn()
    .ok()?;
    let start = Instant::now();
    let success = loop {
        if let Some(status) = child.try_wait().ok()? {
            break status.success();
        }
        if start.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    Some((success, String::from_utf8_lossy(&std::fs::read(&output).ok()?).into_owned()))
}

/// The number in front of a phrase in the verifier's report.
fn number_before(text: &str, phrase: &str) -> Option<u64> {
    let before = &text[..text.find(phrase)?];
    let digits = before.trim_end().rsplit(char::is_whitespace).next()?;
    digits.parse::<f64>().ok().map(|n| n as u64)
}

fn errors(text: &str) -> Option<u64> {
    let after = &text[text.find("errors: ")? + 8..];
    after.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn was_cut(text: &str) -> bool {
    ["max search depth too small", "out of memory", "reached -DMEMLIM"].iter().any(|sign| text.contains(sign))
}

/// Asks Spin about a model: everything it reaches, and whether it is safe.
pub fn ask_spin(model: &str, directory: &Path, limit: Duration) -> Asked {
    let _ = std::fs::remove_dir_all(directory);
    if std::fs::create_dir_all(directory)
        .and_then(|()| std::fs::write(directory.join("m.pml"), model))
        .is_err()
    {
        return Asked::Unknown("no directory to work in".into());
    }
    let Some((_, said)) = run("spin", &["-o1", "-o2", "-o3", "-a", "m.pml"], directory, limit) else {
        return Asked::Unknown("spin does not run, or takes too long".into());
    };
    if !directory.join("pan.c").exists() {
        return Asked::Refused(said.lines().next().unwrap_or("").to_string());
    }
    let flags = [
        "-w",
        "-DNOREDUCE",
        "-DMEMLIM=1500",
        "-DVECTORSZ=4096",
        "-DSAFETY",
        "-DNOCLAIM",
        "-o",
        "pan",
        "pan.c",
    ];
    match run("tcc", &flags, directory, limit * 6) {
        Some((true, _)) => {}
        Some((false, said)) => return Asked::Refused(format!("tcc: {}", said.lines().next().unwrap_or(""))),
        None => return Asked::Unknown("tcc does not run, or takes too long".into()),
    }
    let Some((ended, all)) = run("./pan", &["-n", "-A", "-E", "-c0", "-m3000000", "-w20"], directory, limit)
    else {
        return Asked::Unknown("exploration takes too long".into());
    };
    let counts = (number_before(&all, "states, stored"), number_before(&all, "transitions"));
    let (Some(states), Some(transitions)) = counts else {
        return Asked::Refused(all.lines().next().unwrap_or("").to_string());
    };
    if !ended || was_cut(&all) {
        return Asked::Unknown("exploration was cut".into());
    }
    let safety = run("./pan", &["-n", "-c1", "-m3000000", "-w20"], directory, limit);
    let violated = safety.and_then(|(ended, text)| match errors(&text) {
        Some(0) if !ended || was_cut(&text) => None,
        Some(count) => Some(count > 0),
        None => None,
    });
    Asked::Answer(Answer {
        states,
        transitions: transitions.saturating_sub(1),
        atomic: number_before(&all, "atomic steps").unwrap_or(0) > 0,
        violated,
        runtime_error: None,
    })
}

/// Explores a model with the interpreter.
pub fn ask_lariat(model: &str, most_states: usize) -> Asked {
    let mut sources = SourceMap::new();
    let (model, messages) = lariat_promela::read_text("m.pml", model, &Default::default(), &mut sources);
    let Some(model) = model else {
        let first = messages.iter().find(|m| m.severity == Severity::Error);
        return Asked::Refused(first.map_or(String::new(), |m| m.message.clone()));
    };
    let complaints = lariat_model::verify::verify(&model);
    if let Some(complaint) = complaints.first() {
        return Asked::Refused(format!("the lowered model is not well-formed: {complaint}"));
    }
    let interpreter = Interpreter::new(&model);
    let initial = match interpreter.initial_state() {
        Ok(state) => state,
        Err(violation) => return Asked::Refused(violation.message),
    };
    let visible = |state: &[u8]| state[..state.len() - interpreter.memory_size()].to_vec();
    let mut known: HashSet<Vec<u8>> = HashSet::from([visible(&initial)]);
    let mut todo = vec![initial];
    let mut out = Successors::new();
    let (mut transitions, mut violated, mut runtime_error) = (0, false, None);
    while let Some(state) = todo.pop() {
        interpreter.successors(&state, &mut out);
        transitions += out.len() as u64;
        violated |= out.has_violations();
        let is_error = |kind| kind == ViolationKind::RuntimeError;
        runtime_error = runtime_error
            .or_else(|| out.violations().find(|(v, _)| is_error(v.kind)).map(|(v, _)| v.message.clone()));
        violated |= !out.something_happens() && !interpreter.may_end(&state);
        for i in 0..out.len() {
            if known.insert(visible(out.state(i))) {
                todo.push(out.state(i).to_vec());
            }
        }
        if known.len() > most_states {
            return Asked::Unknown(format!("more than {most_states} states"));
        }
    }
    let states = known.len() as u64;
    Asked::Answer(Answer { states, transitions, atomic: false, violated: Some(violated), runtime_error })
}

/// How two answers differ; `None` if they do not, or if one of them is not known.
pub fn disagreement(spin: &Asked, lariat: &Asked) -> Option<String> {
    match (spin, lariat) {
        (Asked::Answer(spin), Asked::Answer(ours)) => {
            if spin.states != ours.states {
                return Some(format!("states: {} in Spin, {} in Lariat", spin.states, ours.states));
            }
            if !spin.atomic && spin.transitions != ours.transitions {
                return Some(format!(
                    "transitions: {} in Spin, {} in Lariat",
                    spin.transitions, ours.transitions
                ));
            }
            match (spin.violated, ours.violated) {
                (Some(theirs), Some(own)) if theirs != own => {
                    let word = |violated| if violated { "violated" } else { "holds" };
                    Some(format!("safety: {} in Spin, {} in Lariat", word(theirs), word(own)))
                }
                _ => None,
            }
        }
        (Asked::Answer(_), Asked::Refused(reason)) => Some(format!("Lariat refuses: {reason}")),
        _ => None,
    }
}

/// A short mark of a model's text: recorded answers hold for this text only.
pub fn mark(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |mark, byte| (mark ^ byte as u32).wrapping_mul(0x0100_0193))
}
