//! `lariat simulate`: one run, in the layout of counterexamples.
//!
//! Who chooses the steps is a [`Chooser`]: chance, the user, or a recorded run. Everything else is the same for all.

use crate::Exit;
use crate::args::{Format, Simulate};
use crate::output::{Reader, complain, print};
use anyhow::Context;
use lariat::{Choice, GuideStep, Interpreter, Place, Random, Simulation, TraceStep, Violation, render};
use render::text::counted;
use std::io::BufRead;
use std::time::{SystemTime, UNIX_EPOCH};

enum Chooser {
    Chance(Random),
    User,
    Guide { steps: Vec<GuideStep>, followed: usize },
}

/// What a chooser says to the choices there are.
enum Answer {
    Take(usize),
    Stop(String),
}

/// How a simulation ended.
struct End {
    why: String,
    /// With the place of the statement that ran into it.
    violation: Option<(Violation, Option<Place>)>,
    exit: Exit,
}

impl End {
    fn quiet(why: impl Into<String>) -> End {
        End { why: why.into(), violation: None, exit: Exit::Holds }
    }

    fn violated(violation: Violation, place: Option<Place>) -> End {
        let why = render::text::violation(&violation);
        End { why, violation: Some((violation, place)), exit: Exit::Violated }
    }
}

pub fn simulate(arguments: &Simulate) -> anyhow::Result<Exit> {
    if arguments.interactive && arguments.model.model.as_os_str() == "-" {
        anyhow::bail!("the model and your choices cannot both come from the standard input");
    }
    let Some(loaded) = crate::model::load(&arguments.model) else { return Ok(Exit::Error) };
    let seed = match (&arguments.trail, arguments.interactive) {
        (None, false) => Some(arguments.seed.unwrap_or_else(seed_from_clock)),
        _ => None,
    };
    let mut chooser = match (&arguments.trail, seed) {
        (Some(path), _) => {
            let text =
                std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            let steps = render::json::read_guide(&text)
                .map_err(|reason| anyhow::anyhow!("cannot follow {}: {reason}", path.display()))?;
            Chooser::Guide { steps, followed: 0 }
        }
        (None, Some(seed)) => Chooser::Chance(Random::new(seed)),
        (None, None) => Chooser::User,
    };
    let interpreter = Interpreter::new(&loaded.model);
    let json = arguments.model.format == Format::Json;
    let mut steps = Vec::new();
    let (end, last) = match Simulation::new(&interpreter) {
        Ok(mut simulation) => {
            let show = |text: &str| if json { Ok(Reader::Listens) } else { print(text) };
            let end = run(&mut simulation, &mut chooser, arguments.steps, show, json.then_some(&mut steps))?;
            (end, Some((simulation.final_state(), simulation.steps_taken())))
        }
        Err(violation) => (End::violated(violation, None), None),
    };
    if json {
        let state = last.as_ref().map(|(state, _)| state);
        let model = &loaded.path;
        let violation = end.violation.as_ref().map(|(violation, place)| (violation, place.as_ref()));
        print(&render::json::simulation(model, seed, &steps, &end.why, violation, state))?;
    } else {
        let mut text = String::new();
        let steps = counted(last.as_ref().map_or(0, |(_, steps)| *steps), "step");
        let place = end.violation.as_ref().and_then(|(_, place)| place.as_ref());
        text.push_str(&format!("stopped after {steps}: {}\n", render::text::placed(end.why, place)));
        if let Some((state, steps)) = &last {
            render::text::final_state(state, *steps, &mut text);
        }
        if let Some(seed) = seed {
            text.push_str(&format!("seed: {seed}\n"));
        }
        print(&text)?;
    }
    Ok(end.exit)
}

fn run(
    simulation: &mut Simulation,
    chooser: &mut Chooser,
    max_steps: u64,
    show: impl Fn(&str) -> anyhow::Result<Reader>,
    mut keep: Option<&mut Vec<TraceStep>>,
) -> anyhow::Result<End> {
    loop {
        let mut choices = simulation.choices();
        if choices.is_empty() {
            return Ok(match simulation.stuck() {
                Some(violation) => End::violated(violation, None),
                None => End::quiet("nothing can happen any more, as it should be"),
            });
        }
        if simulation.steps_taken() >= max_steps {
            return Ok(End::quiet(format!("the limit of {} was reached", counted(max_steps, "step"))));
        }
        let taken = match choose(chooser, simulation, &choices)? {
            Answer::Take(taken) => taken,
            Answer::Stop(why) => return Ok(End::quiet(why)),
        };
        let taken = simulation.take(choices.swap_remove(taken));
        let mut text = String::new();
        taken.steps.iter().for_each(|step| render::text::step(step, &mut text));
        if show(&text)? == Reader::IsGone {
            return Ok(End::quiet("nobody reads the output any more"));
        }
        let last = taken.steps.last().filter(|step| step.line > 0);
        let place = last.map(|step| Place { file: step.file.clone(), line: step.line });
        if let Some(steps) = &mut keep {
            steps.extend(taken.steps);
        }
        if let Some(violation) = taken.violation {
            return Ok(End::violated(violation, place));
        }
    }
}

fn choose(chooser: &mut Chooser, simulation: &Simulation, choices: &[Choice]) -> anyhow::Result<Answer> {
    match chooser {
        Chooser::Chance(random) => Ok(Answer::Take(random.below(choices.len()))),
        Chooser::User => ask(simulation, choices),
        Chooser::Guide { steps, followed } => {
            if *followed == steps.len() {
                return Ok(Answer::Stop("the recorded run ends here".to_string()));
            }
            match simulation.guided(choices, &steps[*followed..]) {
                Some((choice, length)) => {
                    *followed += length;
                    Ok(Answer::Take(choice))
                }
                None => anyhow::bail!(
                    "the model cannot execute step {} of the recorded run: was it recorded with another model?",
                    *followed + 1
                ),
            }
        }
    }
}

/// Lists what can happen and reads a number. The list goes to the error output, so that the run itself can be kept.
fn ask(simulation: &Simulation, choices: &[Choice]) -> anyhow::Result<Answer> {
    complain("Select a statement");
    for (i, choice) in choices.iter().enumerate() {
        let steps = simulation.preview(choice);
        let line = |step: &TraceStep| format!("{} [{}]", render::text::place(step), step.statement);
        let lines: Vec<String> = steps.iter().map(line).collect();
        complain(&format!("\tchoice {}: {}", i + 1, lines.join(" and ")));
    }
    let mut input = std::io::stdin().lock();
    loop {
        complain(&format!("Select [1-{}], q to quit:", choices.len()));
        let mut line = String::new();
        if input.read_line(&mut line).context("cannot read your choice")? == 0 {
            return Ok(Answer::Stop("the input ended".to_string()));
        }
        match line.trim() {
            "q" | "quit" => return Ok(Answer::Stop("you quit".to_string())),
            text => match text.parse::<usize>() {
                Ok(number) if (1..=choices.len()).contains(&number) => return Ok(Answer::Take(number - 1)),
                _ => complain(&format!("'{text}' is none of the choices")),
            },
        }
    }
}

fn seed_from_clock() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_nanos() as u64 % 1_000_000_007)
}
