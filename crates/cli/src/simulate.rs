//! `lariat simulate`: one run, in the layout of counterexamples.
//!
//! Who chooses the steps is a [`Chooser`]: chance, the user ([`crate::dialogue`]), or a recorded run.
//! Everything else is the same for all, except that only the user can go back.

use crate::Exit;
use crate::args::{Format, Simulate};
use crate::colour::Colours;
use crate::dialogue;
use crate::output::{Reader, print, print_painted};
use anyhow::Context;
use lariat_checker::counted;
use lariat_checker::trail::{Trail, TrailGuide, TrailMove};
use lariat_checker::{
    Choice, GuideStep, Interpreter, Loaded, Moment, Place, Random, ShownStates, Simulation, TraceStep,
    Violation, render,
};
use std::time::{SystemTime, UNIX_EPOCH};

enum Chooser<'m> {
    Chance(Random),
    User,
    Guide { steps: Vec<GuideStep>, followed: usize },
    Trail(TrailGuide<'m>),
}

/// What a chooser says to the choices there are.
pub enum Answer {
    Take(usize),
    /// So many choices are taken back.
    Back(usize),
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

    /// With the place.
    fn said(&self) -> String {
        let place = self.violation.as_ref().and_then(|(_, place)| place.as_ref());
        render::text::placed(self.why.clone(), place)
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
    let loaded = match crate::model::load(&arguments.model) {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(exit),
    };
    let seed = match (&arguments.trail, arguments.interactive) {
        (None, false) => Some(arguments.seed.unwrap_or_else(seed_from_clock)),
        _ => None,
    };
    let mut chooser = match (&arguments.trail, seed) {
        (Some(path), _) => {
            let text =
                std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            recorded(&text, &loaded).with_context(|| format!("cannot follow {}", path.display()))?
        }
        (None, Some(seed)) => Chooser::Chance(Random::new(seed)),
        (None, None) => Chooser::User,
    };
    let interpreter = Interpreter::new(&loaded.model);
    let json = arguments.model.format == Format::Json;
    let states = crate::model::shown_states(arguments.full_states);
    let mut steps = Vec::new();
    let mut initial = None;
    let (end, last) = match Simulation::new(&interpreter) {
        Ok(mut simulation) => {
            initial = arguments.full_states.then(|| simulation.final_state());
            let colours = if arguments.interactive { Colours::of_output() } else { Colours::None };
            let show =
                |text: &str| if json { Ok(Reader::Listens) } else { print_painted(&colours.steps(text)) };
            if let Some(initial) = &initial {
                show(&render::text::start(initial))?;
            }
            let most = if arguments.trail.is_some() { u64::MAX } else { MOST_STEPS };
            let run = Running {
                max_steps: arguments.steps.unwrap_or(most),
                states,
                show,
                keep: json.then_some(&mut steps),
            };
            let end = run.go_on(&mut simulation, &mut chooser)?;
            (end, Some((simulation.final_state(), simulation.steps_taken())))
        }
        Err(violation) => (End::violated(violation, None), None),
    };
    if json {
        let violation = end.violation.as_ref().map(|(violation, place)| (violation, place.as_ref()));
        print(&render::json::simulation(&render::json::Simulated {
            model: &loaded.path,
            seed,
            stopped: &end.why,
            violation,
            initial: initial.as_ref(),
            steps: &steps,
            last: last.as_ref().map(|(state, _)| state),
        }))?;
    } else {
        let mut text = String::new();
        let steps = counted(last.as_ref().map_or(0, |(_, steps)| *steps), "step");
        text.push_str(&format!("stopped after {steps}: {}\n", end.said()));
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

/// Where a simulation stops by itself.
const MOST_STEPS: u64 = 10_000;

/// A run that was recorded: a report in JSON, or a trail.
fn recorded<'l>(text: &str, loaded: &'l Loaded) -> anyhow::Result<Chooser<'l>> {
    let says = anyhow::Error::msg::<String>;
    if text.trim_start().starts_with(['{', '[']) {
        let steps = render::json::read_guide(text).map_err(says)?;
        return Ok(Chooser::Guide { steps, followed: 0 });
    }
    let trail = Trail::read(text)
        .map_err(|reason| says(format!("it is neither a report in JSON nor a trail: {reason}")))?;
    let Some(numbers) = &loaded.spin_numbers else {
        anyhow::bail!("trails are Spin's, and the model is not written in Promela");
    };
    Ok(Chooser::Trail(TrailGuide::new(trail, &loaded.model, numbers)))
}

/// A simulation on its way.
struct Running<'k, S> {
    max_steps: u64,
    states: ShownStates,
    show: S,
    keep: Option<&'k mut Vec<TraceStep>>,
}

impl<S: Fn(&str) -> anyhow::Result<Reader>> Running<'_, S> {
    fn go_on(mut self, simulation: &mut Simulation, chooser: &mut Chooser) -> anyhow::Result<End> {
        // Where the user may go back to.
        let mut past: Vec<Moment> = Vec::new();
        // The run has ended, but the user may go back.
        let mut end: Option<End> = None;
        // What a recorded run has come through.
        let mut first_passed: Option<End> = None;
        loop {
            let mut choices = match &end {
                None => simulation.choices(),
                Some(_) => Vec::new(),
            };
            if choices.is_empty() && end.is_none() {
                end = Some(match simulation.stuck() {
                    Some(violation) => End::violated(violation, None),
                    None => End::quiet("nothing can happen any more, as it should be"),
                });
            }
            if let Chooser::Trail(trail) = &mut *chooser
                && trail.starts_cycle()
            {
                (self.show)("<<<<<START OF CYCLE>>>>>\n")?;
            }
            let answer = match (end.take(), &mut *chooser) {
                (Some(ended), Chooser::User) if !past.is_empty() => {
                    match dialogue::at_the_end(simulation, past.len(), &ended.said())? {
                        None => return Ok(ended),
                        Some(count) => Answer::Back(count),
                    }
                }
                (Some(ended), _) => return Ok(ended),
                (None, _) if simulation.steps_taken() >= self.max_steps => {
                    let limit = counted(self.max_steps, "step");
                    return Ok(End::quiet(format!("the limit of {limit} was reached")));
                }
                (None, chooser) => choose(chooser, simulation, &choices, past.len())?,
            };
            let taken = match answer {
                Answer::Take(taken) => taken,
                Answer::Back(count) => {
                    let Some(moment) = past.drain(past.len() - count..).next() else { continue };
                    simulation.go_back(moment);
                    let steps = simulation.steps_taken();
                    if let Some(kept) = &mut self.keep {
                        kept.truncate(steps as usize);
                    }
                    (self.show)(&format!("<<<<<BACK TO STEP {steps}>>>>>\n"))?;
                    continue;
                }
                Answer::Stop(why) => {
                    let quiet = End::quiet(why);
                    return Ok(match first_passed {
                        Some(passed) => End { why: quiet.why, violation: None, exit: passed.exit },
                        None => quiet,
                    });
                }
            };
            if matches!(chooser, Chooser::User) {
                past.push(simulation.moment());
            }
            let taken = simulation.take(choices.swap_remove(taken), self.states);
            let mut text = String::new();
            taken.steps.iter().for_each(|step| render::text::step(step, &mut text));
            if (self.show)(&text)? == Reader::IsGone {
                return Ok(End::quiet("nobody reads the output any more"));
            }
            let last = taken.steps.last().filter(|step| step.line > 0);
            let place = last.map(|step| Place { file: step.file.clone(), line: step.line });
            if let Some(steps) = &mut self.keep {
                steps.extend(taken.steps);
            }
            end = taken.violation.map(|violation| End::violated(violation, place));
            // A search goes on behind a failed assertion, and so does the run that it has recorded.
            if !taken.ended
                && chooser.goes_on()
                && let Some(passed) = end.take()
            {
                (self.show)(&format!("{}: the recorded run goes on\n", passed.said()))?;
                first_passed.get_or_insert(passed);
            }
        }
    }
}

impl Chooser<'_> {
    /// There are steps of a recorded run that were not taken yet.
    fn goes_on(&self) -> bool {
        match self {
            Chooser::Guide { steps, followed } => *followed < steps.len(),
            Chooser::Trail(trail) => trail.goes_on(),
            Chooser::Chance(_) | Chooser::User => false,
        }
    }
}

fn choose(
    chooser: &mut Chooser,
    simulation: &Simulation,
    choices: &[Choice],
    past: usize,
) -> anyhow::Result<Answer> {
    match chooser {
        Chooser::Chance(random) => Ok(Answer::Take(random.below(choices.len()))),
        Chooser::User => dialogue::ask(simulation, choices, past),
        Chooser::Trail(trail) => match trail.next(simulation, choices) {
            Ok(TrailMove::Take(choice)) => Ok(Answer::Take(choice)),
            Ok(TrailMove::End) => Ok(Answer::Stop("the trail ends here".to_string())),
            Err(reason) => {
                anyhow::bail!("the trail does not fit: {reason}\n  = hint: was it written for another model?")
            }
        },
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

pub fn seed_from_clock() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_nanos() as u64 % 1_000_000_007)
}
