//! The dialogue of `simulate --interactive`: lists what can happen, and reads what the user wants.
//!
//! It is held on the error output, so that the run itself, on the standard output, can be kept. An answer is
//! the number of a choice, the name of a step, or one of the commands that `?` lists. The end of the input
//! ends the run, and is no error.

use crate::colour::Colours;
use crate::output::{complain, complain_painted};
use crate::simulate::Answer;
use anyhow::Context;
use lariat_checker::counted;
use lariat_checker::{Choice, Simulation, TraceStep, render};
use std::io::BufRead;

const HELP: &str = "  3        take choice 3
  TEXT     take the step with this name: of its process (P, or P(1) for process 1) or a part of its statement
  (empty)  take the only choice there is; if there are several, list them again
  u, u 5   go back one choice, or 5
  v, v x   show all variables and where the processes are, or only what has x in its name
  ?        show this
  q        quit; the end of the input does the same";

/// What the user says to the choices there are; `past` choices can be taken back.
pub fn ask(simulation: &Simulation, choices: &[Choice], past: usize) -> anyhow::Result<Answer> {
    let steps: Vec<Vec<TraceStep>> = choices.iter().map(|choice| simulation.preview(choice)).collect();
    let everything: Vec<usize> = (0..choices.len()).collect();
    list("Select a statement", &steps, &everything);
    loop {
        complain(&format!("Select [1-{}], ? for help, q to quit:", choices.len()));
        let Some(line) = read()? else { return Ok(Answer::Stop("the input ended".to_string())) };
        match command(&line, past) {
            Command::Quit => return Ok(Answer::Stop("you quit".to_string())),
            Command::Back(count) => return Ok(Answer::Back(count)),
            Command::Help => complain(HELP),
            Command::Variables(part) => variables(simulation, part),
            Command::Wrong(why) => complain(&why),
            Command::Nothing if choices.len() == 1 => return Ok(Answer::Take(0)),
            Command::Nothing => list("Select a statement", &steps, &everything),
            Command::Other(text) => match text.parse::<usize>() {
                Ok(number) if (1..=choices.len()).contains(&number) => return Ok(Answer::Take(number - 1)),
                _ => match &named(&steps, text)[..] {
                    [] => complain(&format!("'{text}' is none of the choices")),
                    [one] => return Ok(Answer::Take(*one)),
                    several => list(&format!("'{text}' may be any of these"), &steps, several),
                },
            },
        }
    }
}

/// The run has ended: how many choices the user takes back; `None` if it is to stay so.
pub fn at_the_end(simulation: &Simulation, past: usize, why: &str) -> anyhow::Result<Option<usize>> {
    complain(&format!("The run has ended: {why}"));
    loop {
        complain("u to go back, ? for help, q to quit:");
        let Some(line) = read()? else { return Ok(None) };
        match command(&line, past) {
            Command::Quit => return Ok(None),
            Command::Back(count) => return Ok(Some(count)),
            Command::Help => complain(HELP),
            Command::Variables(part) => variables(simulation, part),
            Command::Wrong(why) => complain(&why),
            Command::Nothing => {}
            Command::Other(text) => complain(&format!("'{text}' cannot happen: the run has ended")),
        }
    }
}

enum Command<'l> {
    Quit,
    Back(usize),
    Help,
    Variables(&'l str),
    Nothing,
    /// A command that cannot be done: why.
    Wrong(String),
    /// None of the commands: a choice, perhaps.
    Other(&'l str),
}

fn command(line: &str, past: usize) -> Command<'_> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match word {
        "" => Command::Nothing,
        "q" | "quit" if rest.is_empty() => Command::Quit,
        "?" | "help" if rest.is_empty() => Command::Help,
        "v" => Command::Variables(rest),
        "u" => {
            let wanted = if rest.is_empty() { Ok(1) } else { rest.parse::<usize>() };
            match wanted {
                Ok(0) | Err(_) => Command::Wrong(format!("'{rest}' is no number of choices, such as 5")),
                Ok(_) if past == 0 => Command::Wrong("this is the start of the run".to_string()),
                Ok(count) if count > past => {
                    let made = counted(past as u64, "choice");
                    Command::Wrong(format!("only {made} can be taken back: u {past}"))
                }
                Ok(count) => Command::Back(count),
            }
        }
        _ => Command::Other(line),
    }
}

/// The choices that a text names: those that have exactly this name, if there are any, else those that
/// contain it.
fn named(steps: &[Vec<TraceStep>], text: &str) -> Vec<usize> {
    let chosen = |fits: &dyn Fn(&TraceStep) -> bool| -> Vec<usize> {
        (0..steps.len()).filter(|&choice| steps[choice].iter().any(fits)).collect()
    };
    let is_exact = |step: &TraceStep| {
        step.process == text || step.statement == text || format!("{}({})", step.process, step.pid) == text
    };
    let exact = chosen(&is_exact);
    if !exact.is_empty() {
        return exact;
    }
    chosen(&|step| step.process.contains(text) || step.statement.contains(text))
}

fn list(title: &str, steps: &[Vec<TraceStep>], choices: &[usize]) {
    let colours = Colours::of_errors();
    complain(title);
    for &choice in choices {
        let line = |step: &TraceStep| {
            format!("{} [{}]", colours.plain(&render::text::place(step)), colours.strong(&step.statement))
        };
        let lines: Vec<String> = steps[choice].iter().map(line).collect();
        complain_painted(&format!(
            "\t{}: {}",
            colours.number(&format!("choice {}", choice + 1)),
            lines.join(" and ")
        ));
    }
}

/// The variables whose names contain a text; without one, all, and where the processes are.
fn variables(simulation: &Simulation, part: &str) {
    let state = simulation.final_state();
    let mut text = String::new();
    if part.is_empty() {
        render::text::final_state(&state, simulation.steps_taken(), &mut text);
    } else {
        render::text::variables_named(&state, part, &mut text);
    }
    if text.is_empty() {
        text = format!("no variable has '{part}' in its name");
    }
    complain_painted(Colours::of_errors().steps(&text).trim_end());
}

/// The next line of the input; `None` at its end.
fn read() -> anyhow::Result<Option<String>> {
    let mut line = Vec::new();
    let length = std::io::stdin().lock().read_until(b'\n', &mut line).context("cannot read your choice")?;
    Ok((length > 0).then(|| String::from_utf8_lossy(&line).into_owned()))
}
