//! `lariat spin` without `-run`: a random run, or one that follows a trail, in the words of Spin's simulator.

use super::{SpinCommand, TrailFile, model_words, understood};
use crate::Exit;
use crate::args::Command;
use crate::output::{Reader, complain, print};
use anyhow::Context;
use lariat_checker::render::spin_run::{Replay, SpinRun};
use lariat_checker::trail::{PassedLine, Trail, TrailGuide, TrailMove};
use lariat_checker::{Interpreter, Loaded, Random, ShownStates, Simulation, Taken, TraceStep};
use std::path::PathBuf;

/// Where a random run ends that nothing else ends, if nobody says otherwise. (Spin's would go on for ever.)
const MOST_STEPS: u64 = 100_000;

fn load(command: &SpinCommand) -> anyhow::Result<Result<Loaded, Exit>> {
    match understood(["simulate".to_string()].into_iter().chain(model_words(command)))? {
        Command::Simulate(arguments) => Ok(crate::model::load(&arguments.model)),
        _ => unreachable!("it is a simulation"),
    }
}

/// A random run.
pub fn random(command: &SpinCommand) -> anyhow::Result<Exit> {
    let loaded = match load(command)? {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(exit),
    };
    let interpreter = Interpreter::new(&loaded.model);
    let seed = command.seed.unwrap_or_else(crate::simulate::seed_from_clock);
    let mut random = Random::new(seed);
    let mut simulation = match Simulation::new(&interpreter) {
        Ok(simulation) => simulation,
        Err(violation) => anyhow::bail!("the model has no initial state: {}", violation.message),
    };
    let (mut run, start) = SpinRun::new(command.print.clone(), None, simulation.final_state());
    print(&start)?;
    let mut depth = 0;
    let most = command.steps.unwrap_or(MOST_STEPS);
    let mut exit = Exit::Holds;
    loop {
        let mut choices = simulation.choices();
        if choices.is_empty() {
            break;
        }
        if depth >= most {
            print(&format!("-------------\ndepth-limit (-u{most} steps) reached\n"))?;
            break;
        }
        let choice = choices.swap_remove(random.below(choices.len()));
        let waits = choice.steps.first().is_some_and(|step| simulation.waits_for_timeout(*step));
        if waits {
            print("      timeout\n")?;
        }
        let sent = simulation.sent(&choice);
        let taken = simulation.take(choice, ShownStates::Changes);
        // The end of a process is no step of Spin's simulator.
        let ends = taken.steps.iter().all(|step| step.statement == "-end-");
        depth += u64::from(!ends);
        let text = run.taken(depth, &taken.steps, sent.as_deref(), simulation.final_state());
        let wrong = complaint(&taken);
        // What Spin complains about, it says before it shows the step.
        if print(&(wrong.clone().unwrap_or_default() + &text))? == Reader::IsGone {
            return Ok(exit);
        }
        if wrong.is_some() {
            exit = Exit::Violated;
            break;
        }
    }
    print(&run.ended(depth, &simulation.final_state()))?;
    write_chart(command, &run, &loaded)?;
    Ok(exit)
}

/// `-M`: the messages as a picture, in the working directory, where Spin writes its own.
fn write_chart(command: &SpinCommand, run: &SpinRun, loaded: &Loaded) -> anyhow::Result<()> {
    if !command.print.chart {
        return Ok(());
    }
    let name = format!("{}.svg", super::base_name(&loaded.path));
    std::fs::write(&name, run.chart(&loaded.path)).with_context(|| format!("cannot write {name}"))?;
    complain(&format!("note: the chart of the messages is in {name}"));
    Ok(())
}

/// What Spin says of lines that are no step of the model; `claim_line` is where the claim was last.
fn passed(guide: &mut TrailGuide, claim_line: &mut u32) -> String {
    let mut text = String::new();
    for passed in guide.passed() {
        match passed {
            PassedLine::CycleStarts => text += "  <<<<<START OF CYCLE>>>>>\n",
            PassedLine::ClaimMoves { line, .. } if line == *claim_line => {}
            PassedLine::ClaimMoves { line, statement } => {
                *claim_line = line;
                text += &format!("Never claim moves to line {line}\t[{statement}]\n");
            }
        }
    }
    text
}

/// What Spin says of a step that goes wrong.
fn complaint(taken: &Taken) -> Option<String> {
    let violation = taken.violation.as_ref()?;
    let last = taken.steps.last();
    let place = last.map_or(String::new(), |step| format!("{}:{}, ", step.file, step.line));
    match last.map(|step| step.statement.as_str()).filter(|text| text.starts_with("assert(")) {
        Some(text) => {
            Some(format!("spin: {place}Error: assertion violated\nspin: text of failed assertion: {text}\n"))
        }
        None => Some(format!("spin: {place}Error: {}\n", violation.message)),
    }
}

/// Follows a trail.
pub fn follow(command: &SpinCommand, trail: &TrailFile) -> anyhow::Result<Exit> {
    let loaded = match load(command)? {
        Ok(loaded) => loaded,
        Err(exit) => return Ok(exit),
    };
    let path = find(command, trail)?;
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let cannot = || format!("cannot follow {}", path.display());
    let mut trail = Trail::read(&text).map_err(anyhow::Error::msg).with_context(cannot)?;
    let Some(numbers) = &loaded.spin_numbers else {
        anyhow::bail!("trails are Spin's, and the model is not written in Promela");
    };
    let is_beyond = |depth: i64| command.steps.is_some_and(|most| depth.max(0) as u64 >= most);
    let is_cut = trail.steps.iter().any(|step| is_beyond(step.depth));
    trail.steps.retain(|step| !is_beyond(step.depth));
    if trail.cycle.is_some_and(|start| is_cut && start >= trail.steps.len()) {
        trail.cycle = None;
    }
    let claim = trail.claim;
    let replay = Replay { beside_claim: claim.is_some() };
    let last_depth = trail.steps.last().map_or(0, |step| step.depth.max(0) as u64);
    let mut guide = TrailGuide::new(trail, &loaded.model, numbers);
    let interpreter = Interpreter::new(&loaded.model);
    let mut simulation = match Simulation::new(&interpreter) {
        Ok(simulation) => simulation,
        Err(violation) => anyhow::bail!("the model has no initial state: {}", violation.message),
    };
    let (mut run, start) = SpinRun::new(command.print.clone(), Some(replay), simulation.final_state());
    print(&start)?;
    if let Some(claim) = claim.filter(|_| command.print.is_verbose()) {
        print(&format!("starting claim {claim}\n"))?;
    }
    let mut exit = Exit::Holds;
    let mut taken_to = 0;
    let mut claim_line = 0;
    loop {
        let mut choices = simulation.choices();
        let next = guide.next(&simulation, &choices);
        let next = next
            .map_err(|reason| anyhow::anyhow!("the trail does not fit: {reason}"))
            .with_context(cannot)?;
        print(&passed(&mut guide, &mut claim_line))?;
        let TrailMove::Take(next) = next else { break };
        let choice = choices.swap_remove(next);
        let steps = choice.steps.len() as u64;
        let sent = simulation.sent(&choice);
        let taken = simulation.take(choice, ShownStates::Changes);
        // The depth of the line, of the first of two.
        let depth = (guide.depth().max(0) as u64 + 1).saturating_sub(steps.max(1));
        taken_to = depth;
        let mut text = run.taken(depth, &taken.steps, sent.as_deref(), simulation.final_state());
        let is_jump = |step: &TraceStep| step.statement == "break" || step.statement.starts_with("goto ");
        if guide.is_unnamed() && taken.steps.iter().all(is_jump) {
            // Spin does not show jumps that it merges.
            text.clear();
        }
        let wrong = complaint(&taken);
        if wrong.is_some() {
            exit = Exit::Violated;
        }
        if print(&(wrong.unwrap_or_default() + &text))? == Reader::IsGone {
            return Ok(exit);
        }
        if taken.ended {
            break;
        }
    }
    let mut depth = last_depth.max(taken_to);
    if let Some(most) = command.steps.filter(|_| is_cut) {
        depth = most;
        print(&format!("-------------\ndepth-limit (-u{most} steps) reached\n"))?;
    }
    print(&format!("spin: trail ends after {depth} steps\n"))?;
    let claim = guide.claim().map(|(claim, location)| {
        let line = claim.locations.get(location as usize).map_or(0, |location| location.line.line);
        let end = claim.locations.get(location as usize).is_some_and(|location| location.end);
        let end = if end { " <valid end state>" } else { "" };
        format!("{depth:3}:\tproc  - ({}:1) {}:{line} (state {location}){end}\n", claim.name, loaded.path)
    });
    print(&run.ended_beside(depth, &simulation.final_state(), claim.as_deref()))?;
    write_chart(command, &run, &loaded)?;
    if exit == Exit::Holds && simulation.choices().is_empty() && simulation.stuck().is_some() {
        exit = Exit::Violated;
    }
    Ok(exit)
}

/// The file of a trail, under the names that Spin looks for.
fn find(command: &SpinCommand, trail: &TrailFile) -> anyhow::Result<PathBuf> {
    let number = match trail {
        TrailFile::Named(path) => return Ok(path.clone()),
        TrailFile::BesideModel(number) => number.map_or(String::new(), |number| number.to_string()),
    };
    let Some(model) = &command.model else { anyhow::bail!("there is no model") };
    let model = model.display().to_string();
    let bare = model.rsplit_once('.').map_or(model.as_str(), |(bare, _)| bare).to_string();
    let mut names = Vec::new();
    for name in [&model, &bare] {
        for ending in ["trail", "tra"] {
            names.push(format!("{name}{number}.{ending}"));
        }
    }
    let found = names.iter().map(PathBuf::from).find(|path| path.is_file());
    found.with_context(|| {
        format!("there is no trail: {} is not there\n  = hint: `-k FILE` names another file", names[0])
    })
}
