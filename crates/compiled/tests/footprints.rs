//! Footprints against the interpreter: nothing is read that is not in them, nothing is written that is not in
//! them, and all of them are inside the bounds that follow from the model alone.
//!
//! What a step reads cannot be watched. So states are changed where a footprint says that nothing is read,
//! with values from other states of the same shape, and the steps of the process must stay the same: which
//! transitions are possible (for what guards read), and what they write (for all that is read).

use lariat_engine::constants::Constants;
use lariat_engine::footprint::{
    AbstractPlace, Bound, Bounds, Channels, Footprint, Ground, ProcessPlace, Settled, footprint,
};
use lariat_engine::interpreter::MicroState;
use lariat_engine::promises::Promises;
use lariat_engine::simplify::{Simplifications, simplify};
use lariat_engine::{Interpreter, Step, SuccessorFunction, Successors};
use lariat_generators::random::Random;
use lariat_generators::{GeneratorOptions, generate, generate_dve};
use lariat_model::ir::*;
use lariat_promela::{ReadOptions, read_model, read_text};
use lariat_source::SourceMap;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

/// Where everything lies in the states of one shape.
struct Shape {
    processes: Vec<ProcessPlace>,
    /// Frames, capacities and types.
    channels: Vec<(Range<usize>, u32, usize)>,
}

/// A model, and what is known of it before it runs.
struct Subject<'m> {
    interpreter: Interpreter<'m>,
    constants: Constants,
    settled: Settled,
    bounds: Bounds,
}

/// What a process does from a state.
#[derive(Debug, PartialEq)]
struct Steps {
    /// The first steps that are possible, with the partner of a handshake.
    possible: Vec<Vec<Step>>,
    /// States in which control is free again, with the first steps that lead there.
    ends: Vec<(Vec<Step>, Vec<u8>)>,
    /// What goes wrong, with the first step.
    errors: BTreeSet<String>,
}

impl<'m> Subject<'m> {
    /// `None` if something else than bytes of states decides what happens: no steps are remembered then.
    fn new(model: &'m Model) -> Option<Subject<'m>> {
        let interpreter = Interpreter::new(model);
        let layout = interpreter.layout();
        let is_committed =
            |process: &ProcessType| process.locations.iter().any(|location| location.committed);
        let constants = Constants::of(&interpreter);
        let settled = Settled::of(model);
        let can_recall = Promises::of(model, &constants, &settled).allow_recall()
            && !layout.priorities
            && layout.last_offset.is_none()
            && layout.hidden_size == 0
            && !model.process_types.iter().any(is_committed);
        let bounds = Bounds::of(model, &constants, &settled);
        can_recall.then_some(Subject { interpreter, constants, settled, bounds })
    }

    fn shape(&self, bytes: &[u8]) -> Shape {
        let layout = self.interpreter.layout();
        let mut shape = Shape { processes: Vec::new(), channels: Vec::new() };
        let mut at = layout.frames_start;
        while at < bytes.len() {
            let tag = match layout.tag_size {
                1 => bytes[at] as usize,
                _ => u16::from_le_bytes([bytes[at], bytes[at + 1]]) as usize,
            };
            at += match layout.processes.get(tag) {
                Some(place) => {
                    let variables = at + place.header_size;
                    let frame = at..at + place.frame_size;
                    shape.processes.push(ProcessPlace { ty: tag, frame, variables });
                    place.frame_size
                }
                None => {
                    let ty = tag - layout.processes.len();
                    let place = &layout.channels[ty];
                    shape.channels.push((at..at + place.frame_size, place.capacity as u32, ty));
                    place.frame_size
                }
            };
        }
        shape
    }

    fn location(&self, shape: &Shape, pid: usize, bytes: &[u8]) -> Location {
        let layout = self.interpreter.layout();
        let place = &shape.processes[pid];
        let at = place.frame.start + layout.tag_size;
        let size = layout.processes[place.ty].location.size() as usize;
        bytes[at..at + size].iter().rev().fold(0, |value, byte| value << 8 | *byte as Location)
    }

    fn footprint(&self, shape: &Shape, pid: usize, own_known: bool, bytes: &[u8]) -> Option<Footprint> {
        let channel = |number: i32| {
            let (frame, capacity, _) = shape.channels.get(usize::try_from(number - 1).ok()?)?;
            Some((frame.clone(), *capacity))
        };
        let ground = Ground {
            model: self.interpreter.model(),
            settled: &self.settled,
            bytes,
            own_known,
            pid,
            process_count: shape.processes.len(),
            processes: &|pid| shape.processes.get(pid).cloned(),
            channels: &channel,
            constant: &|offset, storage| self.constants.scalar(offset, storage),
        };
        footprint(self.location(shape, pid, bytes), &ground)
    }

    fn micro_state(&self, bytes: &[u8]) -> MicroState {
        let mut stored = Vec::new();
        self.interpreter.stored_from_working(bytes, &mut stored);
        self.interpreter.micro_from(&stored)
    }

    fn waits_for_timeout(&self, step: &Step) -> bool {
        let process = &self.interpreter.model().process_types[step.process_type as usize];
        let transition = &process.locations[step.location as usize].transitions[step.transition as usize];
        format!("{:?}", transition.action).contains("Timeout")
    }

    /// What a process does, followed to where control is free again. `None` if another process gets control
    /// in the middle, or if it cannot be said what the process does before `timeout` comes true: such steps
    /// have no footprint.
    fn steps(&self, pid: usize, bytes: &[u8], out: &mut Successors) -> Option<Steps> {
        let first = self.interpreter.micro_successors(&self.micro_state(bytes), out);
        if self.interpreter.model().features.timeout
            && first.iter().all(|micro| self.waits_for_timeout(&micro.steps[0]))
        {
            return None;
        }
        let is_own = |steps: &[Step]| steps.first().is_some_and(|step| step.pid as usize == pid);
        let mut steps = Steps { possible: Vec::new(), ends: Vec::new(), errors: BTreeSet::new() };
        let note_errors = |errors: &mut BTreeSet<String>, out: &Successors| {
            let own = out.violations().filter(|(_, steps)| is_own(steps));
            errors.extend(own.map(|(violation, steps)| format!("{violation:?} {steps:?}")));
        };
        note_errors(&mut steps.errors, out);
        let mut waiting = Vec::new();
        for micro in first.into_iter().filter(|micro| is_own(&micro.steps)) {
            steps.possible.push(micro.steps.clone());
            waiting.push((micro.steps, micro.next));
        }
        let mut seen: HashSet<(Vec<u8>, String)> = HashSet::new();
        while let Some((path, state)) = waiting.pop() {
            let key = (state.bytes().to_vec(), format!("{:?} {path:?}", state.held));
            if !seen.insert(key) {
                continue;
            }
            match state.held {
                None => steps.ends.push((path, state.bytes().to_vec())),
                Some(held) if held as usize != pid => return None,
                Some(_) if seen.len() > 200 => return None,
                Some(_) => {
                    let next = self.interpreter.micro_successors(&state, out);
                    let goes_on = next.iter().all(|micro| is_own(&micro.steps))
                        && next.iter().any(|micro| !self.waits_for_timeout(&micro.steps[0]));
                    let fails = out.violations().any(|(_, steps)| is_own(steps));
                    if goes_on || (fails && next.is_empty()) {
                        note_errors(&mut steps.errors, out);
                        waiting.extend(next.into_iter().map(|micro| (path.clone(), micro.next)));
                    } else {
                        steps.ends.push((path, state.bytes().to_vec()));
                    }
                }
            }
        }
        steps.ends.sort_by_key(|(path, state)| (format!("{path:?}"), state.clone()));
        Some(steps)
    }

    /// The bytes that abstract places stand for in a state.
    fn covered(&self, shape: &Shape, pid: usize, bytes: &[u8], places: &[&AbstractPlace]) -> Vec<bool> {
        let mut covered = vec![false; bytes.len()];
        let mut cover = |range: Range<usize>| covered[range].fill(true);
        for place in places {
            match place {
                AbstractPlace::Global(range) => cover(range.clone()),
                AbstractPlace::Own(range) => {
                    let start = shape.processes[pid].variables;
                    cover(start + range.start..start + range.end);
                }
                AbstractPlace::Process(ty) => {
                    let is_meant = |place: &&ProcessPlace| ty.is_none_or(|ty| ty.0 as usize == place.ty);
                    shape.processes.iter().filter(is_meant).for_each(|place| cover(place.frame.clone()));
                }
                AbstractPlace::Channel(channels, _) => {
                    for number in numbers_of(shape, bytes, channels) {
                        let channel = usize::try_from(number - 1).ok().and_then(|i| shape.channels.get(i));
                        channel.into_iter().for_each(|(frame, ..)| cover(frame.clone()));
                    }
                }
                AbstractPlace::ProcessList => {}
                AbstractPlace::Everything => cover(0..bytes.len()),
            }
        }
        covered
    }
}

/// The numbers of the channels that are meant.
fn numbers_of(shape: &Shape, bytes: &[u8], channels: &Channels) -> Vec<i32> {
    match channels {
        Channels::Numbered(number) => vec![*number],
        Channels::SettledIn(ty, range) => {
            let owners = shape.processes.iter().filter(|place| place.ty == ty.0 as usize);
            let numbers =
                owners.flat_map(|place| &bytes[place.variables + range.start..place.variables + range.end]);
            numbers.map(|byte| *byte as i32).collect()
        }
        Channels::Any => (1..=shape.channels.len() as i32).collect(),
    }
}

/// Marks bytes.
fn mark(marks: &mut [bool], ranges: &[Range<usize>]) {
    ranges.iter().for_each(|range| marks[range.clone()].fill(true));
}

/// A state that has values of another one, of the same shape, in some of the places that are not marked.
fn mixed(
    subject: &Subject,
    shape: &Shape,
    one: &[u8],
    other: &[u8],
    kept: &[bool],
    random: &mut Random,
) -> Vec<u8> {
    let mut mixed = one.to_vec();
    let all = random.chance(30);
    let mut take = |range: Range<usize>| {
        if !kept[range.clone()].contains(&true) && (all || random.chance(50)) {
            mixed[range.clone()].copy_from_slice(&other[range]);
        }
    };
    (0..subject.interpreter.layout().frames_start).for_each(|byte| take(byte..byte + 1));
    for place in &shape.processes {
        take(place.frame.start..place.variables);
        (place.variables..place.frame.end).for_each(|byte| take(byte..byte + 1));
    }
    for (frame, ..) in &shape.channels {
        take(frame.clone());
    }
    mixed
}

/// What was looked at, so that a test cannot pass by looking at nothing.
#[derive(Debug, Default)]
struct Tally {
    footprints: usize,
    changed_for_guards: usize,
    changed_for_effects: usize,
    moves: usize,
}

/// Explores some states, and compares what each process does in them and in changed ones.
fn compare(model: &Model, limit: usize, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let Some(subject) = Subject::new(model) else { return Ok(()) };
    let mut random = Random::new(seed);
    let Ok(initial) = subject.interpreter.initial_state() else { return Ok(()) };
    let mut seen: HashSet<Vec<u8>> = HashSet::from([initial.clone()]);
    let mut work = vec![initial];
    let mut out = Successors::new();
    // By shape.
    let mut states: HashMap<u32, Vec<Vec<u8>>> = HashMap::new();
    while let Some(state) = work.pop() {
        let mut bytes = Vec::new();
        let shape = subject.interpreter.working_state(&state, &mut bytes);
        states.entry(shape).or_default().push(bytes);
        subject.interpreter.successors(&state, &mut out);
        for i in 0..out.len() {
            if seen.len() < limit && seen.insert(out.state(i).to_vec()) {
                // Not only deep ones.
                let at = random.below(work.len() + 1);
                work.insert(at, out.state(i).to_vec());
            }
        }
    }
    let mut shapes: Vec<_> = states.into_values().collect();
    shapes.sort_by_key(|states| states[0].clone());
    for states in &shapes {
        let shape = subject.shape(&states[0]);
        for bytes in states {
            for pid in 0..shape.processes.len() {
                let other = &states[random.below(states.len())];
                compare_process(&subject, &shape, pid, bytes, other, &mut random, tally)
                    .map_err(|why| format!("process {pid} in {bytes:?}: {why}"))?;
            }
        }
    }
    Ok(())
}

fn compare_process(
    subject: &Subject,
    shape: &Shape,
    pid: usize,
    bytes: &[u8],
    other: &[u8],
    random: &mut Random,
    tally: &mut Tally,
) -> Result<(), String> {
    let mut out = Successors::new();
    let location = subject.location(shape, pid, bytes);
    let ty = ProcessTypeId(shape.processes[pid].ty as u16);
    let Some(steps) = subject.steps(pid, bytes, &mut out) else { return Ok(()) };
    // Each transition by itself, also where there is no footprint.
    for (path, end) in &steps.ends {
        let bound = subject.bounds.of_transition(ty, location, path[0].transition as usize);
        let mut allowed = subject.covered(shape, pid, bytes, &bound.writes.iter().collect::<Vec<_>>());
        // Its location is always written.
        let place = &shape.processes[pid];
        mark(&mut allowed, std::slice::from_ref(&(place.frame.start..place.variables)));
        let is_list = bound.writes.contains(&AbstractPlace::ProcessList);
        if end.len() != bytes.len() && !is_list {
            return Err(format!("the list of processes changes: {bound:?}"));
        }
        if let Some(byte) = (0..bytes.len().min(end.len())).find(|&i| bytes[i] != end[i] && !allowed[i]) {
            return Err(format!("byte {byte} is written by {path:?} outside of {bound:?}"));
        }
        tally.moves += 1;
    }
    let own_known = random.chance(70);
    let Some(footprint) = subject.footprint(shape, pid, own_known, bytes) else { return Ok(()) };
    tally.footprints += 1;
    let bounds = subject.bounds.of_location(ty, location);
    for (name, ranges, part) in [
        (
            "guard reads",
            &footprint.guard_reads,
            (|bound| &bound.guard_reads) as fn(&Bound) -> &Vec<AbstractPlace>,
        ),
        ("effect reads", &footprint.effect_reads, |bound| &bound.effect_reads),
        ("writes", &footprint.writes, |bound| &bound.writes),
    ] {
        let covered = subject.covered(shape, pid, bytes, &bounds.iter().flat_map(part).collect::<Vec<_>>());
        let outside = ranges.iter().find(|range| covered[(*range).clone()].contains(&false));
        // Without transitions there are no bounds, and nothing is done.
        if let Some(range) = outside.filter(|_| !bounds.is_empty()) {
            return Err(format!("{name}: {range:?} is outside of {bounds:?}"));
        }
    }
    let own = shape.processes[pid].frame.clone();
    let mut read = vec![false; bytes.len()];
    mark(&mut read, std::slice::from_ref(&own));
    mark(&mut read, &footprint.guard_reads);
    let changed = mixed(subject, shape, bytes, other, &read, random);
    let tell = |changed: &[u8]| format!("{changed:?} with {footprint:?}");
    if changed != bytes
        && let Some(now) = subject.steps(pid, &changed, &mut out)
    {
        tally.changed_for_guards += 1;
        // A transition that fails is possible, too, but which one it was is not among the first steps.
        if steps.errors.is_empty() && now.errors.is_empty() && now.possible != steps.possible {
            return Err(format!("{:?}, not {:?} in {}", now.possible, steps.possible, tell(&changed)));
        }
    }
    mark(&mut read, &footprint.effect_reads);
    let changed = mixed(subject, shape, bytes, other, &read, random);
    let Some(now) = subject.steps(pid, &changed, &mut out) else { return Ok(()) };
    if changed == bytes {
        return Ok(());
    }
    tally.changed_for_effects += 1;
    if now.possible != steps.possible || now.errors != steps.errors || now.ends.len() != steps.ends.len() {
        return Err(format!("{now:?}, not {steps:?} in {}", tell(&changed)));
    }
    let mut written = vec![false; bytes.len()];
    mark(&mut written, &[own]);
    mark(&mut written, &footprint.writes);
    for ((_, before), (_, after)) in steps.ends.iter().zip(&now.ends) {
        if before.len() != after.len() {
            return Err(format!("another shape in {}", tell(&changed)));
        }
        for i in 0..before.len() {
            let is_kept = before[i] == bytes[i] && after[i] == changed[i];
            if !is_kept && (!written[i] || before[i] != after[i]) {
                return Err(format!(
                    "byte {i} becomes {}, not {} in {}",
                    after[i],
                    before[i],
                    tell(&changed)
                ));
            }
        }
    }
    Ok(())
}

/// The model as it is, and with longer sequences.
fn compare_both(model: &Model, limit: usize, seed: u64, tally: &mut Tally) -> Result<(), String> {
    compare(model, limit, seed, tally)?;
    let mut simplified = model.clone();
    simplify(&mut simplified, Simplifications { reset_dead_variables: true, merge_statements: true });
    compare(&simplified, limit / 2, seed, tally).map_err(|why| format!("simplified: {why}"))
}

#[test]
fn our_models() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut tally = Tally::default();
    for path in paths {
        let mut sources = SourceMap::new();
        let (model, _) = match path.extension().and_then(|extension| extension.to_str()) {
            Some("pml") => read_model(&path, &ReadOptions::default(), &mut sources).unwrap(),
            Some("dve") => lariat_dve::read_file(&path, &mut sources).unwrap(),
            _ => continue,
        };
        let Some(model) = model else { continue };
        compare_both(&model, 400, 1, &mut tally).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
    }
    println!("{tally:?}");
    assert!(tally.footprints > 10_000 && tally.moves > 10_000, "{tally:?}");
    assert!(tally.changed_for_guards > 10_000 && tally.changed_for_effects > 10_000, "{tally:?}");
}

fn random_models(seeds: Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let text = generate(seed, &GeneratorOptions::default()).to_string();
        let (model, _) = read_text("random.pml", &text, &ReadOptions::default(), &mut SourceMap::new());
        let Some(model) = model else { continue };
        compare_both(&model, 200, seed, &mut tally)
            .unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
    }
    println!("{tally:?}");
    tally
}

fn random_dve_models(seeds: Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let text = generate_dve(seed);
        let (model, _) = lariat_dve::read_text("random.dve", &text, &mut SourceMap::new());
        let Some(model) = model else { continue };
        compare_both(&model, 200, seed, &mut tally)
            .unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
    }
    println!("{tally:?}");
    tally
}

#[test]
fn some_random_models() {
    let tally = random_models(0..300);
    assert!(tally.changed_for_guards > 5_000 && tally.changed_for_effects > 5_000, "{tally:?}");
}

#[test]
fn some_random_dve_models() {
    let tally = random_dve_models(0..300);
    assert!(tally.changed_for_guards > 5_000 && tally.changed_for_effects > 5_000, "{tally:?}");
}

#[test]
#[ignore = "long"]
fn many_random_models() {
    random_models(1_000..6_000);
    random_dve_models(1_000..6_000);
}
