//! `lariat empty`: does an automaton accept a word? An automaton that cannot be read is reported and left
//! out; the others have an answer. The exit code is that of the worst: 0 if none accepts a word, 2 if a limit
//! came first, 1 if one does.

use crate::Exit;
use crate::args::{Empty, Format};
use crate::output::{Complaints, Reader, complain, print};
use lariat_automata::assumptions::keeping;
use lariat_automata::emptiness::{Answer, Marked, NoAnswer, Question, emptiness};
use lariat_automata::files::read_automata;
use lariat_automata::render::emptiness as render;
use lariat_ltl::Bdds;
use lariat_ltl::parse::{Dialect, read_formula};
use lariat_source::SourceMap;

pub fn empty(arguments: &Empty) -> anyhow::Result<Exit> {
    let mut sources = SourceMap::new();
    let mut complaints = Complaints::default();
    let file = lariat_source::read_text_file(&arguments.file, &mut sources)?;
    let mut bdds = Bdds::new();
    let (automata, mut messages) = read_automata(&sources, file, &mut bdds);
    let mut assumptions = Vec::new();
    for text in &arguments.assume {
        let tree =
            read_formula(&mut sources, "<assumption>", text.clone().into(), Dialect::Spot, &mut messages);
        assumptions.extend(tree);
    }
    complaints.show(&messages, &sources);
    if assumptions.len() < arguments.assume.len() {
        complaints.finish();
        return Ok(Exit::Error);
    }
    let question = Question {
        algorithm: arguments.algorithm,
        degeneralise: arguments.degeneralise,
        threads: arguments.threads.get(),
        marked: match (&arguments.cover, arguments.at_least) {
            (Some(sets), _) => Marked::Cover(sets.clone()),
            (None, Some(count)) => Marked::AtLeast(count),
            (None, None) => Marked::All,
        },
        timeout: arguments.timeout,
        interrupt: Some(crate::check::interrupt_flag()),
    };
    let name = &sources.file(file).name.clone();
    let single = automata.len() == 1 && complaints.errors() == 0;
    let (mut not_empty, mut refused, mut unknown, mut refuted) = (false, false, false, false);
    for (nth, automaton) in automata.iter().enumerate() {
        let automaton = &match keeping(&mut bdds, automaton, &assumptions) {
            Ok(automaton) => automaton,
            Err(reason) => {
                complaints.error(&format!("automaton {} of {name}: {reason}", nth + 1));
                continue;
            }
        };
        let result = match emptiness(&mut bdds, automaton, &question) {
            Ok(result) => result,
            Err(reason @ NoAnswer::Refuted { .. }) => {
                refuted = true;
                complain(&format!(
                    "internal error, please report it: automaton {} of {name}: {reason}",
                    nth + 1
                ));
                continue;
            }
            Err(reason) => {
                complaints.error(&format!("automaton {} of {name}: {reason}", nth + 1));
                continue;
            }
        };
        match result.answer {
            Answer::Empty => {}
            Answer::NotEmpty(_) => not_empty = true,
            Answer::Refused(_) => refused = true,
            Answer::Unknown(_) => unknown = true,
        }
        let text = match arguments.format {
            Format::Text if single => render::text(&result, &mut bdds, automaton),
            Format::Text => render::line_of_text(&result, nth, &mut bdds, automaton),
            _ => render::json(&result, name, &mut bdds, automaton),
        };
        if print(&text)? == Reader::IsGone {
            break;
        }
    }
    complaints.finish();
    Ok(match complaints.errors() {
        _ if refuted => Exit::Internal,
        0 if !refused => match not_empty {
            true => Exit::Violated,
            false if unknown => Exit::Unknown,
            false => Exit::Holds,
        },
        _ => Exit::Error,
    })
}
