//! Fairness as users name it, and a judge of fair runs that is not the search.
//!
//! Names of units (`P`, `P[2]`, `P@label`) are looked up in the model ([`unit_rules`]). Of a run that was
//! found, [`UnitFacts`] say for each unit how often it takes part in the cycle, and in how many states it is
//! enabled: the executed steps say the one, and single steps of the interpreter, from each state of the
//! cycle, the other. The product's marks have no part in it. A run that these facts call unfair is an error
//! of ours.

use crate::trace::file;
use lariat_engine::interpreter::MicroState;
use lariat_engine::units::{MAX_UNITS, Unit, UnitKind, UnitName, UnitRules, UnitTable};
use lariat_engine::{Interpreter, ProcessSet, Step, SuccessorFunction, Successors};
use lariat_model::ir::{Action, Language, Model};
use lariat_search::fairness::Fairness;
use lariat_search::{Ending, LassoRun, Limits, Lookout, MemoryUse, WORK_PER_STATE};
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};

/// As options name it.
pub fn name(fairness: Fairness) -> &'static str {
    match fairness {
        Fairness::Weak => "weak",
        Fairness::Strong => "strong",
        Fairness::Unconditional => "unconditional",
    }
}

/// The units that these names stand for. An error says what there is instead.
pub fn unit_rules(
    model: &Model,
    kind: UnitKind,
    fair_to: &[String],
    unfair_to: &[String],
) -> Result<UnitRules, String> {
    let names = |texts: &[String]| -> Result<Vec<UnitName>, String> {
        let named: Result<Vec<Vec<UnitName>>, String> =
            texts.iter().map(|text| unit_names(model, text)).collect();
        named.map(|lists| lists.concat())
    };
    Ok(UnitRules { kind, fair_to: names(fair_to)?, unfair_to: names(unfair_to)? })
}

/// `P`, `P[2]`, `P@label`, `P[2]@label`.
fn unit_names(model: &Model, text: &str) -> Result<Vec<UnitName>, String> {
    let malformed = || {
        format!(
            "`{text}` names no unit; expected `P`, `P[2]`, `P@label` or `P[2]@label`, with the name of a proctype"
        )
    };
    let (process, label) = match text.split_once('@') {
        Some((process, label)) => (process.trim(), Some(label.trim())),
        None => (text.trim(), None),
    };
    let (process, pid) = match process.split_once('[') {
        Some((process, rest)) => {
            let pid = rest.strip_suffix(']').and_then(|pid| pid.trim().parse::<u16>().ok());
            (process.trim(), Some(pid.filter(|pid| usize::from(*pid) < MAX_UNITS).ok_or_else(malformed)?))
        }
        None => (process, None),
    };
    if process.is_empty() || label == Some("") {
        return Err(malformed());
    }
    let is_named = |name: &str| name == process || name == ":init:" && process == "init";
    let Some(process_type) = model.process_types.iter().position(|known| is_named(&known.name)) else {
        let known: Vec<&str> = model.process_types.iter().map(|known| known.name.trim_matches(':')).collect();
        return Err(format!("`{text}`: the model has no process `{process}`; it has {}", known.join(", ")));
    };
    let of = |location| UnitName { process_type: process_type as u16, pid, location };
    let Some(label) = label else { return Ok(vec![of(None)]) };
    let labels = &model.process_types[process_type].labels;
    let named: Vec<UnitName> =
        labels.iter().filter(|known| known.name == label).map(|known| of(Some(known.location))).collect();
    match named.is_empty() {
        false => Ok(named),
        true if labels.is_empty() => Err(format!("`{text}`: {process} has no label")),
        true => {
            let known: Vec<&str> = labels.iter().map(|known| known.name.as_str()).collect();
            Err(format!("`{text}`: {process} has no label `{label}`; it has {}", known.join(", ")))
        }
    }
}

/// What the cycle of a run owes to a unit, and gives it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnitFacts {
    /// `P[2]`, or a statement of it.
    pub unit: String,
    /// In so many transitions of the cycle it takes part.
    pub takes_part: u64,
    /// In so many states of the cycle it is enabled.
    pub enabled_in: u64,
    /// In so many states of the cycle it lives.
    pub lives_in: u64,
    /// So many states the cycle has.
    pub states: u64,
    /// Behind this step of the run it is not enabled, if there is such a step.
    pub not_enabled_after: Option<u64>,
}

impl UnitFacts {
    /// Whether the cycle is fair to it.
    pub fn is_fair(&self, fairness: Fairness) -> bool {
        self.takes_part > 0
            || match fairness {
                Fairness::Weak => self.enabled_in < self.states,
                Fairness::Strong => self.enabled_in == 0,
                Fairness::Unconditional => self.lives_in < self.states,
            }
    }

    /// In words: why the cycle is fair to it, or why not.
    pub fn describe(&self, fairness: Fairness) -> String {
        let UnitFacts { unit, takes_part, enabled_in, states, not_enabled_after, .. } = self;
        if *takes_part == 0 && fairness == Fairness::Unconditional {
            return match self.lives_in == *states {
                true => format!("{unit} never takes part in the cycle"),
                false => format!("{unit} does not live all through the cycle"),
            };
        }
        let times = |count: u64| if count == 1 { "once".to_string() } else { format!("{count} times") };
        match (*takes_part, *enabled_in) {
            (0, 0) => format!("{unit} is never enabled in the cycle"),
            (0, enabled) if enabled == *states => {
                let all =
                    if *states == 1 { "the only state".to_string() } else { format!("all {states} states") };
                format!("{unit} is enabled in {all} of the cycle, and never takes part")
            }
            (0, enabled) if fairness == Fairness::Strong => {
                format!(
                    "{unit} is enabled in {enabled} of {states} states of the cycle, and never takes part"
                )
            }
            (0, enabled) => {
                let after = match not_enabled_after {
                    Some(0) => " (in the initial state)".to_string(),
                    Some(step) => format!(" (after step {step})"),
                    None => String::new(),
                };
                format!(
                    "{unit} is not enabled in {} of {states} states of the cycle{after}",
                    states - enabled
                )
            }
            (count, _) => format!("{unit} takes part {} in the cycle", times(count)),
        }
    }
}

/// So many states inside indivisible sequences are looked at from one state.
const MOST_INSIDE: usize = 100_000;

/// What the cycle of an executed run owes to each unit, and gives it. `None` if there is no cycle that was
/// executed as a whole, or if that takes more than the limits allow.
pub(crate) fn unit_facts(
    interpreter: &Interpreter,
    run: &LassoRun,
    rules: &UnitRules,
    limits: Limits,
) -> Option<Vec<UnitFacts>> {
    if run.prefix.further() + run.cycle.further() > 0 {
        return None;
    }
    let mut lookout = Lookout::new(limits);
    let mut table = UnitTable::new(rules.clone(), interpreter.model());
    let mut step_number: u64 = run.prefix.iter().map(|stage| stage.steps.len() as u64).sum();
    // For each state of the cycle: behind which step it is, who is enabled, who lives, and who takes part
    // then.
    let mut visited: Vec<(u64, ProcessSet, ProcessSet, ProcessSet)> = Vec::new();
    match run.ending {
        Ending::Decided => return None,
        Ending::Stops => {
            let last = run.prefix.last_state().unwrap_or(&run.initial);
            let lives = living(interpreter, last, &mut table);
            visited.push((step_number, ProcessSet::default(), lives, ProcessSet::default()));
        }
        Ending::Diverges => {
            let mut moving = ProcessSet::default();
            for step in run.cycle.iter().flat_map(|stage| &stage.steps) {
                add(interpreter, step, &mut table, &mut moving);
            }
            let begun = run.prefix.iter().rev().find(|stage| stage.before.held.is_none());
            let before = begun.map_or(&run.initial, |stage| &stage.before);
            let lives = living(interpreter, before, &mut table);
            // Nobody else can do anything while it goes on.
            visited.push((step_number, moving, lives, moving));
        }
        Ending::Repeats => {
            let mut begins = true;
            for stage in &run.cycle {
                if begins {
                    let enabled = enabled(interpreter, &stage.before, &mut table, &mut lookout)?;
                    let lives = living(interpreter, &stage.before, &mut table);
                    visited.push((step_number, enabled, lives, ProcessSet::default()));
                }
                let (_, _, _, take_part) = visited.last_mut()?;
                stage.steps.iter().for_each(|step| add(interpreter, step, &mut table, take_part));
                step_number += stage.steps.len() as u64;
                begins = stage.ends_transition;
            }
        }
    }
    if table.is_full() {
        return None;
    }
    let states = visited.len() as u64;
    let mut facts = BTreeMap::new();
    let types = visited_types(interpreter, run);
    for (number, unit) in table.list().iter().enumerate() {
        let number = number as u16;
        let count = |of: fn(&(u64, ProcessSet, ProcessSet, ProcessSet)) -> ProcessSet| {
            visited.iter().filter(|state| of(state).contains(number)).count() as u64
        };
        let not_enabled = visited.iter().find(|state| !state.1.contains(number));
        let (key, name) = named(interpreter.model(), *unit, &types);
        facts.insert(
            key,
            UnitFacts {
                unit: name,
                takes_part: count(|state| state.3),
                enabled_in: count(|state| state.1),
                lives_in: count(|state| state.2),
                states,
                not_enabled_after: not_enabled.map(|state| state.0),
            },
        );
    }
    Some(facts.into_values().collect())
}

/// The types of the processes that there are in the cycle, by number.
fn visited_types(interpreter: &Interpreter, run: &LassoRun) -> BTreeMap<u16, u16> {
    let mut types = BTreeMap::new();
    let last = run.prefix.last_state().unwrap_or(&run.initial);
    let states = run.cycle.iter().map(|stage| &stage.before).chain([last]);
    for state in states {
        for (pid, position) in crate::trace::positions(interpreter, state).iter().enumerate() {
            types.entry(pid as u16).or_insert(position.process_type as u16);
        }
    }
    types
}

/// In which order a unit is shown, and its name.
fn named(model: &Model, unit: Unit, types: &BTreeMap<u16, u16>) -> ((u16, u32, u32), String) {
    let process = |pid: u16, process_type: Option<u16>| {
        let name = process_type.map_or("process", |known| &model.process_types[known as usize].name);
        match model.language {
            Language::Promela => format!("{}[{pid}]", name.trim_matches(':')),
            Language::Dve => name.to_string(),
        }
    };
    match unit {
        Unit::Process(pid) => ((pid, 0, 0), process(pid, types.get(&pid).copied())),
        Unit::Statement { pid, process_type, location, transition } => {
            let of = &model.process_types[process_type as usize];
            let number = of.locations[location as usize].transitions[transition as usize].statement;
            let statement = &of.statements[number as usize];
            let place = format!("{}:{}", file(model, statement.line), statement.line.line);
            let name = format!("{} `{}` ({place})", process(pid, Some(process_type)), statement.text);
            ((pid, location + 1, transition), name)
        }
    }
}

fn add(interpreter: &Interpreter, step: &Step, table: &mut UnitTable, set: &mut ProcessSet) {
    table.add_step(step, set);
    interpreter.transition(*step).action.each_within(&mut |action| {
        if let Action::MoveProcess { process, pid, .. } = action {
            table.add_process(*pid, process.0, set);
        }
    });
}

fn living(interpreter: &Interpreter, state: &MicroState, table: &mut UnitTable) -> ProcessSet {
    let (mut lives, mut set) = (Vec::new(), ProcessSet::default());
    interpreter.living(&interpreter.stored(state), &mut lives);
    lives.iter().for_each(|&(pid, process_type)| table.add_all_of(pid, process_type, &mut set));
    set
}

/// Who takes part in something that leaves a state: by single steps, through indivisible sequences. `None` if
/// these are too large, or if a limit is hit.
fn enabled(
    interpreter: &Interpreter,
    state: &MicroState,
    table: &mut UnitTable,
    lookout: &mut Lookout,
) -> Option<ProcessSet> {
    let mut set = ProcessSet::default();
    let mut out = Successors::new();
    let mut waiting = vec![state.clone()];
    let mut seen: HashSet<(Vec<u8>, Option<u16>)> = HashSet::new();
    while let Some(at) = waiting.pop() {
        if lookout.is_due(WORK_PER_STATE) && lookout.look(MemoryUse::default()).is_some() {
            return None;
        }
        let next = interpreter.micro_successors(&at, &mut out);
        let by_holder = |steps: &[Step]| {
            at.held.is_none_or(|holder| steps.first().is_none_or(|first| first.pid == holder))
        };
        for (_, steps) in out.violations().filter(|(_, steps)| by_holder(steps)) {
            steps.iter().for_each(|step| add(interpreter, step, table, &mut set));
        }
        // Who cannot go on loses control: what happens then is another transition.
        for step in next.into_iter().filter(|step| by_holder(&step.steps)) {
            step.steps.iter().for_each(|step| add(interpreter, step, table, &mut set));
            if step.next.held.is_some() && seen.insert((step.next.bytes().to_vec(), step.next.held)) {
                waiting.push(step.next);
            }
        }
        if seen.len() > MOST_INSIDE {
            return None;
        }
    }
    Some(set)
}
