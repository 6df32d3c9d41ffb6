//! Which steps of a model depend on each other, and why: what `lariat info --dependencies` shows.
//!
//! Reduction ([`lariat_engine::reduction`]) follows only some processes of a state where what they do next
//! does not get in the way of what the others may do. People whose model does not shrink find out here what
//! gets in the way: for each point of each process what its next step reads and writes, with which other
//! points it conflicts and over what, whether the property sees it, and whether it is sticky. What is shown
//! holds for every process of a type; in a state more is known (numbers of processes, indices, how full a
//! channel is), so there are fewer conflicts there.

use crate::claim::automaton_of;
use crate::properties::{Property, proposition};
use lariat_engine::Interpreter;
use lariat_engine::describe::{global_channel, scalar_at};
use lariat_engine::reduction::{Cell, CellSet, NotReduced, Reduction, Side, Touch};
use lariat_ltl::Formulas;
use lariat_model::ir::{Action, Location, Model, ProcessTypeId, Proposition};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Which steps of a model depend on each other.
#[derive(Clone, Debug, Serialize)]
pub struct Dependencies {
    /// The property whose propositions are seen, if one was named.
    pub property: Option<String>,
    /// Points from which a process can move, process by process.
    pub points: Vec<Point>,
    /// What the most pairs of points conflict over, and how many do; the worst first.
    pub offenders: Vec<Offender>,
}

/// A point of a process, and its next step.
#[derive(Clone, Debug, Serialize)]
pub struct Point {
    /// The type of the process.
    pub process: String,
    /// The number of the point.
    pub location: Location,
    /// The line of the source.
    pub line: u32,
    /// The statements that may be executed there.
    pub statements: Vec<String>,
    /// What the step reads, beside variables of its own process.
    pub reads: Vec<String>,
    /// What it changes.
    pub writes: Vec<String>,
    /// The property may see it.
    pub visible: bool,
    /// It may close a cycle: where it is taken, all processes are followed.
    pub sticky: bool,
    /// Points of other processes with which it conflicts.
    pub conflicts: Vec<Conflict>,
}

/// Two points whose steps do not commute, or of which one may make the other possible or impossible.
#[derive(Clone, Debug, Serialize)]
pub struct Conflict {
    /// The type of the other process.
    pub process: String,
    /// The number of the other point.
    pub location: Location,
    /// Over what.
    pub over: Vec<String>,
}

/// What points conflict over.
#[derive(Clone, Debug, Serialize)]
pub struct Offender {
    /// As the model names it.
    pub what: String,
    /// How many pairs of points conflict over it.
    pub pairs: usize,
    /// What may help.
    pub advice: &'static str,
}

/// Of a model, and of a property of it; or why nothing of it is reduced.
pub fn dependencies(model: &Model, property: Option<&Property>) -> Result<Dependencies, String> {
    let propositions = property.map_or(Ok(Vec::new()), |property| propositions(model, property))?;
    let model = Model { propositions, claims: Vec::new(), ..model.clone() };
    let interpreter = Interpreter::new(&model);
    let reduction = Reduction::new(&interpreter).map_err(|NotReduced(reason)| reason.to_string())?;
    let mut places = Vec::new();
    for (ty, process) in model.process_types.iter().enumerate() {
        for (location, info) in process.locations.iter().enumerate() {
            if !info.transitions.is_empty() {
                places.push((ty, location as Location));
            }
        }
    }
    let touch =
        |&(ty, location): &(usize, Location)| &reduction.of_location(ProcessTypeId(ty as u16), location).now;
    // What nobody changes is no news.
    let mut changed = CellSet::default();
    for place in &places {
        changed.add(&touch(place).changes());
    }
    let mut pairs: BTreeMap<String, (usize, &'static str)> = BTreeMap::new();
    let mut points = Vec::new();
    for place in &places {
        let (ty, location) = *place;
        let process = &model.process_types[ty];
        let info = &process.locations[location as usize];
        let facts = reduction.of_location(ProcessTypeId(ty as u16), location);
        let mut conflicts = Vec::new();
        for other in &places {
            // A process that is alone of its type does not meet itself.
            if other.0 == ty && is_alone(&model, ty) {
                continue;
            }
            let over = over(&model, &reduction, &facts.now, touch(other));
            if over.is_empty() {
                continue;
            }
            for (what, advice) in &over {
                pairs.entry(what.clone()).or_insert((0, advice)).0 += 1;
            }
            conflicts.push(Conflict {
                process: model.process_types[other.0].name.clone(),
                location: other.1,
                over: over.into_iter().map(|(what, _)| what).collect(),
            });
        }
        let mut statements: Vec<String> = Vec::new();
        for transition in &info.transitions {
            let text = &process.statements[transition.statement as usize].text;
            if !statements.contains(text) {
                statements.push(text.clone());
            }
        }
        points.push(Point {
            process: process.name.clone(),
            location,
            line: info.line.line,
            statements,
            reads: names(&model, &reduction, facts.now.reads.common(&changed), facts.now.reads_all),
            writes: names(&model, &reduction, facts.now.changes().iter(), facts.now.writes_all),
            visible: facts.is_visible,
            sticky: facts.is_sticky,
            conflicts,
        });
    }
    let mut offenders: Vec<Offender> =
        pairs.into_iter().map(|(what, (pairs, advice))| Offender { what, pairs, advice }).collect();
    offenders.sort_by_key(|offender| std::cmp::Reverse(offender.pairs));
    Ok(Dependencies { property: property.map(Property::name), points, offenders })
}

/// Whether there is never more than one process of a type.
fn is_alone(model: &Model, ty: usize) -> bool {
    let is_of_type = |process: &ProcessTypeId| process.0 as usize == ty;
    let mut is_created = false;
    for process in &model.process_types {
        for transition in process.locations.iter().flat_map(|info| &info.transitions) {
            transition.action.each_within(&mut |action| {
                is_created |= matches!(action, Action::Run { process, .. } if is_of_type(process));
            });
        }
    }
    !is_created && model.start.iter().filter(|start| is_of_type(&start.process)).count() <= 1
}

/// The conditions that a property is about.
fn propositions(model: &Model, property: &Property) -> Result<Vec<Proposition>, String> {
    let mut formulas = Formulas::new();
    if property.goal(&mut formulas).is_some() {
        let lower = |text: &String| {
            let value = proposition(model, text).ok_or("a proposition was not lowered")?;
            Ok(Proposition { text: text.clone(), value })
        };
        return formulas.propositions().iter().map(lower).collect();
    }
    match property {
        Property::Never { claim, .. } => Ok(automaton_of(&model.claims[*claim].automaton)?.propositions),
        Property::Claim(claim) => {
            let lower = |text: &String| {
                let value = proposition(model, text).ok_or("a proposition was not lowered")?;
                Ok(Proposition { text: text.clone(), value })
            };
            claim.automaton.propositions.iter().map(lower).collect()
        }
        _ => Ok(Vec::new()),
    }
}

/// What two steps conflict over, and what may help.
fn over(model: &Model, reduction: &Reduction, one: &Touch, other: &Touch) -> Vec<(String, &'static str)> {
    if one.reads_all || one.writes_all || other.reads_all || other.writes_all {
        let advice = "a statement that asks about all processes depends on every step";
        return vec![("everything".to_string(), advice)];
    }
    let mut list: Vec<(String, &'static str)> = Vec::new();
    let changes = other.changes();
    let cells = one.reads.common(&changes).chain(one.writes.common(&changes));
    let cells = cells.chain(one.writes.common(&other.reads)).chain(one.adds.common(&other.reads));
    for cell in cells {
        let cell = reduction.cells().cell(cell);
        let found = (name(model, &cell), advice(&cell));
        if !list.contains(&found) {
            list.push(found);
        }
    }
    list
}

fn advice(cell: &Cell) -> &'static str {
    match cell {
        Cell::Global(_) => {
            "a variable of one process alone may be local to it; an index that stays as it is helps"
        }
        Cell::Channel(_, Side::Count) => "`len`, `full` and `empty` depend on both ends of a channel",
        Cell::Channel(_, Side::Meeting | Side::Ready) => "both sides of a rendezvous move together",
        Cell::Channel(..) => "one process at each end of a channel is best",
        Cell::Created | Cell::Ended | Cell::Youngest => {
            "processes that are created and end share the numbers of processes"
        }
        Cell::Committed => "committed locations hold all others up",
        Cell::Label(_) | Cell::Expected(..) | Cell::Variables(_) => {
            "references to other processes tie them together"
        }
    }
}

fn names(
    model: &Model,
    reduction: &Reduction,
    cells: impl Iterator<Item = usize>,
    everything: bool,
) -> Vec<String> {
    let mut names: Vec<String> = if everything { vec!["everything".to_string()] } else { Vec::new() };
    for cell in cells {
        let name = name(model, &reduction.cells().cell(cell));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// What a cell is called.
fn name(model: &Model, cell: &Cell) -> String {
    match cell {
        Cell::Global(bytes) => {
            let scalar = scalar_at(model, &model.globals, bytes.start as u32);
            scalar.map_or_else(|| "a global".to_string(), |(name, _)| name)
        }
        Cell::Channel(place, side) => {
            let created = model.initialise.iter().filter_map(|init| match init.value {
                lariat_model::ir::InitialValue::NewChannel(ty) => Some(ty),
                lariat_model::ir::InitialValue::Expr(_) => None,
            });
            let channel = match created.clone().nth(*place) {
                Some(ty) => global_channel(model, *place as i32 + 1, ty.0 as usize),
                None => format!("channel {}", place + 1),
            };
            let side = match side {
                Side::Front => "oldest message",
                Side::Back => "last place",
                Side::Count => "number of messages",
                Side::Filled => "a message comes",
                Side::Drained => "room comes",
                Side::Meeting => "rendezvous",
                Side::Ready => "who waits for a rendezvous",
                Side::PromisedToSend => "promise to send",
                Side::PromisedToReceive => "promise to receive",
            };
            format!("{channel} ({side})")
        }
        Cell::Created => "processes that are created".to_string(),
        Cell::Ended => "processes that end".to_string(),
        Cell::Youngest => "which process is the youngest".to_string(),
        Cell::Committed => "committed locations".to_string(),
        Cell::Label(location) => format!("who is at state {location}"),
        Cell::Expected(pid, location) => format!("process {pid} at state {location}"),
        Cell::Variables(ty) => format!("variables of {}", model.process_types[*ty].name),
    }
}

/// Names in one line. Channels without a name that follow each other are one range: where a model makes
/// channels as it runs, a statement may be about any of them.
fn listed(names: &[String]) -> String {
    let parsed = |name: &str| {
        let (number, side) = name.strip_prefix("channel ")?.split_once(' ')?;
        Some((number.parse::<usize>().ok()?, side.to_string()))
    };
    // In the order in which they come first: a name, or a range of channels.
    let mut ranges: Vec<(String, Option<(usize, usize)>)> = Vec::new();
    for name in names {
        let Some((number, side)) = parsed(name) else {
            ranges.push((name.clone(), None));
            continue;
        };
        let before = ranges.iter_mut().rev().find_map(|(known, range)| match range {
            Some((_, last)) if *known == side && *last + 1 == number => Some(last),
            _ => None,
        });
        match before {
            Some(last) => *last = number,
            None => ranges.push((side, Some((number, number)))),
        }
    }
    let shown = ranges.into_iter().map(|(name, range)| match range {
        None => name,
        Some((first, last)) if first == last => format!("channel {first} {name}"),
        Some((first, last)) => format!("channels {first} to {last} {name}"),
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// As text.
pub fn text(dependencies: &Dependencies) -> String {
    let mut text = String::new();
    let mut process = None;
    for point in &dependencies.points {
        if process != Some(&point.process) {
            process = Some(&point.process);
            let _ = writeln!(text, "{}{}", if text.is_empty() { "" } else { "\n" }, point.process);
        }
        let mut marks = String::new();
        if point.visible {
            marks += "  visible";
        }
        if point.sticky {
            marks += "  sticky";
        }
        let _ = writeln!(
            text,
            "  line {}, state {}:  {}{marks}",
            point.line,
            point.location,
            point.statements.join(" | ")
        );
        for (what, names) in [("reads", &point.reads), ("writes", &point.writes)] {
            if !names.is_empty() {
                let _ = writeln!(text, "    {what:10} {}", listed(names));
            }
        }
        for conflict in &point.conflicts {
            let Conflict { process, location, over } = conflict;
            let _ = writeln!(text, "    conflicts  {process} state {location}, over {}", listed(over));
        }
        if point.conflicts.is_empty() {
            let _ = writeln!(text, "    conflicts  none");
        }
    }
    if let Some(Offender { what, pairs, advice }) = dependencies.offenders.first() {
        let _ = writeln!(text, "\nmost conflicts are over {what} ({pairs} pairs): {advice}");
    }
    text
}

/// As a graph: points, and between them what they conflict over.
pub fn dot(dependencies: &Dependencies) -> String {
    let escaped = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let mut text = String::from("graph dependencies {\n  node [shape=box];\n");
    for point in &dependencies.points {
        let style = match (point.visible, point.sticky) {
            (true, _) => ", style=filled, fillcolor=lightyellow",
            (false, true) => ", style=dashed",
            (false, false) => "",
        };
        let Point { process, location, statements, .. } = point;
        let label = escaped(&format!("{process} {location}: {}", statements.join(" | ")));
        let _ = writeln!(text, "  \"{} {location}\" [label=\"{label}\"{style}];", escaped(process));
    }
    for point in &dependencies.points {
        for conflict in &point.conflicts {
            // Each pair once.
            if (&point.process, point.location) <= (&conflict.process, conflict.location) {
                let _ = writeln!(
                    text,
                    "  \"{} {}\" -- \"{} {}\" [label=\"{}\"];",
                    escaped(&point.process),
                    point.location,
                    escaped(&conflict.process),
                    conflict.location,
                    escaped(&listed(&conflict.over))
                );
            }
        }
    }
    text + "}\n"
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn channels_that_follow_each_other_are_a_range() {
        let names = [
            "x",
            "channel 3 (a)",
            "channel 3 (b)",
            "channel 4 (a)",
            "channel 5 (a)",
            "channel 7 (b)",
            "c (a)",
        ];
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        let line = "x, channels 3 to 5 (a), channel 3 (b), channel 7 (b), c (a)";
        assert_eq!(listed(&names), line);
        assert_eq!(listed(&[]), "");
    }
}
