//! Whether an automaton accepts a word, as text and as JSON. The schema is in `docs/json.md`.

use super::line;
use crate::emptiness::{Answer, Emptiness, FoundWord};
use lariat_ltl::bdd::Cube;
use lariat_ltl::text::{Style, label_text};
use lariat_ltl::{Automaton, Bdds};
use serde::Serialize;

/// The schema of the JSON.
pub const EMPTINESS_SCHEMA: &str = "lariat-emptiness/1";

/// The letters of a word, such as `a & !b`.
struct Letters {
    prefix: Vec<String>,
    cycle: Vec<String>,
}

fn letters(bdds: &mut Bdds, automaton: &Automaton, word: &FoundWord) -> Letters {
    let mut letter = |cube: &Cube| {
        let label = bdds.cube(cube);
        label_text(bdds, label, &automaton.propositions, Style::Text)
    };
    Letters {
        prefix: word.prefix.iter().map(&mut letter).collect(),
        cycle: word.cycle.iter().map(&mut letter).collect(),
    }
}

fn verdict(answer: &Answer) -> &'static str {
    match answer {
        Answer::Empty => "empty",
        Answer::NotEmpty(_) => "not-empty",
        Answer::Refused(_) => "refused",
        Answer::Unknown(_) => "unknown",
    }
}

fn sets(sets: &[u32]) -> String {
    let numbers: Vec<String> = sets.iter().map(u32::to_string).collect();
    format!("{{{}}}", numbers.join(", "))
}

/// The answer for the only automaton: a few lines.
pub fn text(result: &Emptiness, bdds: &mut Bdds, automaton: &Automaton) -> String {
    let by = format!("({}: {})", result.algorithm, result.why);
    let (yes, no) = match result.met {
        None => ("a word is accepted", "no word is accepted"),
        Some(_) => ("there is such a cycle", "there is no such cycle"),
    };
    match &result.answer {
        Answer::Empty => format!("empty: {no} {by}\n"),
        Answer::Refused(reason) => format!("refused: {reason}\n"),
        Answer::Unknown(reason) => format!("unknown: {reason} {by}\n"),
        Answer::NotEmpty(word) => {
            let Letters { prefix, cycle } = letters(bdds, automaton, word);
            let mut text = format!("not empty: {yes} {by}\n");
            if let Some(met) = result.met.as_ref().filter(|met| !met.is_empty()) {
                text += &format!("acceptance sets: {}\n", sets(met));
            }
            if !prefix.is_empty() {
                text += &format!("prefix: {}\n", prefix.join("; "));
            }
            text + &format!("cycle: {}\n", cycle.join("; "))
        }
    }
}

/// The answer for one of several: a line.
pub fn line_of_text(result: &Emptiness, nth: usize, bdds: &mut Bdds, automaton: &Automaton) -> String {
    let name = match &automaton.name {
        Some(name) => format!("{} ({})", nth + 1, name.replace(char::is_control, " ")),
        None => (nth + 1).to_string(),
    };
    match &result.answer {
        Answer::Empty => format!("empty: automaton {name}\n"),
        Answer::Refused(reason) => format!("refused: automaton {name}: {reason}\n"),
        Answer::Unknown(reason) => format!("unknown: automaton {name}: {reason}\n"),
        Answer::NotEmpty(word) => {
            let Letters { prefix, cycle } = letters(bdds, automaton, word);
            let prefix = match prefix.is_empty() {
                true => String::new(),
                false => format!("prefix: {}, ", prefix.join("; ")),
            };
            format!("not empty: automaton {name}: {prefix}cycle: {}\n", cycle.join("; "))
        }
    }
}

#[derive(Serialize)]
struct EmptinessView<'a> {
    schema: &'static str,
    file: &'a str,
    name: Option<&'a str>,
    verdict: &'static str,
    algorithm: &'static str,
    reason: &'a str,
    sets: Option<&'a [u32]>,
    prefix: Vec<String>,
    cycle: Vec<String>,
    states: StatesView,
    transitions: u64,
    post_calls: u64,
}

#[derive(Serialize)]
struct StatesView {
    visited: u64,
}

/// The answer as an object on a line of its own.
pub fn json(result: &Emptiness, file: &str, bdds: &mut Bdds, automaton: &Automaton) -> String {
    let (prefix, cycle) = match &result.answer {
        Answer::NotEmpty(word) => {
            let Letters { prefix, cycle } = letters(bdds, automaton, word);
            (prefix, cycle)
        }
        _ => (Vec::new(), Vec::new()),
    };
    line(&EmptinessView {
        schema: EMPTINESS_SCHEMA,
        file,
        name: automaton.name.as_deref(),
        verdict: verdict(&result.answer),
        algorithm: result.algorithm,
        reason: match &result.answer {
            Answer::Refused(reason) | Answer::Unknown(reason) => reason,
            _ => result.why,
        },
        sets: result.met.as_deref(),
        prefix,
        cycle,
        states: StatesView { visited: result.visited },
        transitions: result.transitions,
        post_calls: result.post_calls,
    })
}
