//! Other layouts of a run than Spin's: processes in columns, a chart of messages, a table of variables.
//!
//! All three have a row for each step and a margin at the left in which the cycle is drawn: its first step
//! has the corner `┌`, its last `└` with an arrow back. A step without influence is marked by `~` behind its
//! number. [`Values`] follows what every variable is; [`messages`] finds for each receive the send whose
//! message it takes, by what the steps do to the queues.

use crate::report::{Change, Counterexample, TraceStep};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

/// How a run is laid out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// One step below the other, as Spin's replay has them.
    #[default]
    Steps,
    /// A column for each process.
    Columns,
    /// A lifeline for each process, and messages between them.
    Sequence,
    /// A column for each variable: these, or those that change.
    Table(Vec<String>),
}

/// The widest column.
const WIDEST: usize = 30;

/// The run in a layout other than Spin's.
pub fn run(example: &Counterexample, layout: &Layout, text: &mut String) {
    match layout {
        Layout::Steps => {}
        Layout::Columns => columns(example, text),
        Layout::Sequence => sequence(example, text),
        Layout::Table(shown) => table(example, shown, text),
    }
}

/// The steps of a run, each with whether it is in the cycle, and what stands in the margin.
fn rows(example: &Counterexample) -> impl Iterator<Item = (&TraceStep, String)> {
    let count = example.cycle.len();
    let cycle = example.cycle.iter().enumerate().map(move |(k, step)| {
        let margin = match k {
            0 if count == 1 => "└▶",
            0 => "┌▶",
            k if k + 1 == count => "└─",
            _ => "│ ",
        };
        (step, margin)
    });
    let prefix = example.prefix.iter().filter(|step| step.number > 0).map(|step| (step, "  "));
    prefix.chain(cycle).map(|(step, margin)| {
        let idle = if step.without_influence { '~' } else { ' ' };
        (step, format!("{margin}{:>4}{idle} ", step.number))
    })
}

/// The processes that move or are met, by number, each with its name.
pub(crate) fn movers(example: &Counterexample) -> BTreeMap<u16, String> {
    let mut movers = BTreeMap::new();
    // In DVE who receives at a handshake has no step of its own.
    for (pid, name) in messages(example).iter().filter_map(|message| message.partner.as_ref()) {
        movers.insert(*pid, format!("{name}({pid})"));
    }
    for step in example.prefix.iter().chain(&example.cycle).filter(|step| !step.stutters && step.number > 0) {
        let name = format!("{}({})", step.process, step.pid);
        // A number may be used again when its process has ended.
        let known: &mut String = movers.entry(step.pid).or_default();
        if !known.split(' ').any(|part| part == name) {
            if !known.is_empty() {
                known.push(' ');
            }
            known.push_str(&name);
        }
    }
    movers
}

/// A text in a column: cut if it is too wide, filled up with spaces if it is not.
fn cell(text: &str, width: usize) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let count = text.chars().count();
    if count > width {
        return text.chars().take(width - 1).chain(['…']).collect();
    }
    text + &" ".repeat(width - count)
}

fn push_line(line: &str, text: &mut String) {
    let _ = writeln!(text, "{}", line.trim_end());
}

const STOPPED: &str = "nothing happens any more";

fn columns(example: &Counterexample, text: &mut String) {
    let movers = movers(example);
    let width = |pid: &u16, name: &String| {
        let steps =
            example.prefix.iter().chain(&example.cycle).filter(|step| step.pid == *pid && !step.stutters);
        let widest = steps.map(|step| step.statement.chars().count()).max().unwrap_or(0);
        widest.max(name.chars().count()).min(WIDEST)
    };
    let widths: BTreeMap<u16, usize> = movers.iter().map(|(pid, name)| (*pid, width(pid, name))).collect();
    let head: String = movers.iter().map(|(pid, name)| cell(name, widths[pid]) + "  ").collect();
    if !movers.is_empty() {
        push_line(&format!("        {head}"), text);
    }
    for (step, margin) in rows(example) {
        if step.stutters {
            push_line(&format!("{margin}{STOPPED}"), text);
            continue;
        }
        let cells: String = widths
            .iter()
            .map(|(pid, width)| cell(if *pid == step.pid { &step.statement } else { "" }, *width) + "  ")
            .collect();
        let changes: Vec<String> =
            step.changes.iter().map(|Change { name, value }| format!("{name} = {value}")).collect();
        push_line(&format!("{margin}{cells}{}", changes.join(", ")), text);
    }
}

/// What a message is, from its send to its receive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The number of the step that sends it.
    pub sent: u64,
    /// The number of the step that takes it; `None` if it stays in its channel.
    pub received: Option<u64>,
    /// The two meet: the message is never in a queue.
    pub handshake: bool,
    /// Who sends.
    pub from: u16,
    /// Who receives.
    pub to: Option<u16>,
    /// `c!1,2`
    pub label: String,
    /// Who receives in the step of the sender, as in DVE, and the name of its process type.
    partner: Option<(u16, String)>,
}

/// The channel, and whether it sends or receives, of a statement that does: `c!1,2`, or a transition of DVE
/// with `sync c!(1)`. Both signs may stand in other statements, such as `((x!=3))`.
fn channel(statement: &str) -> Option<(&str, char)> {
    let text = statement.split_once("sync ").map_or(statement, |(_, sync)| sync);
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            '!' | '?' if depth == 0 => return (at > 0).then_some((&text[..at], c)),
            c if depth > 0 || c.is_alphanumeric() || c == '_' || c == '.' => {}
            _ => return None,
        }
    }
    None
}

/// The process with which a transition of DVE meets: `… with Car:3 waits -> drives { sync go?; }`.
fn partner(statement: &str, example: &Counterexample) -> Option<(u16, String)> {
    let (_, other) = statement.split_once("} with ")?;
    let (name, _) = other.split_once(':')?;
    let mut processes = example.start.iter().chain(&example.last).flat_map(|state| &state.processes);
    let process = processes.find(|process| process.process == name)?;
    Some((process.pid, name.to_string()))
}

/// `[1][2,red]` as a list.
fn queue(value: &str) -> Vec<&str> {
    let inside = value.strip_prefix('[').and_then(|value| value.strip_suffix(']')).unwrap_or("");
    if inside.is_empty() { Vec::new() } else { inside.split("][").collect() }
}

/// The messages of a run, in the order in which they are sent.
pub fn messages(example: &Counterexample) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    // For each channel what is in it, each with the message it belongs to.
    let mut queues: HashMap<String, Vec<(String, Option<usize>)>> = HashMap::new();
    let start = example.start.iter().flat_map(|start| &start.globals);
    for item in start.filter(|item| item.value.starts_with('[')) {
        let inside = queue(&item.value).into_iter().map(|m| (m.to_string(), None)).collect();
        queues.insert(item.name.clone(), inside);
    }
    let steps: Vec<&TraceStep> = example.prefix.iter().chain(&example.cycle).collect();
    for (k, step) in steps.iter().enumerate() {
        if step.stutters {
            continue;
        }
        let Some((own, sign)) = channel(&step.statement) else { continue };
        let partner = partner(&step.statement, example);
        if let Some((pid, _)) = partner {
            messages.push(Message {
                sent: step.number,
                received: Some(step.number),
                handshake: true,
                from: step.pid,
                to: Some(pid),
                label: format!("{own}{sign}"),
                partner,
            });
            continue;
        }
        // In DVE a buffer is a variable with the name of the channel.
        let is_buffer = |change: &&Change| {
            change.name.starts_with("queue ") || change.name == own && change.value.starts_with('[')
        };
        let changed: Vec<&Change> = step.changes.iter().chain(&step.appears).filter(is_buffer).collect();
        if changed.is_empty() && sign == '!' {
            // A handshake: the receiver's step follows.
            let receives = |next: &TraceStep| channel(&next.statement).is_some_and(|(_, sign)| sign == '?');
            let met = steps.get(k + 1).filter(|next| next.pid != step.pid && receives(next));
            let Some(met) = met else { continue };
            messages.push(Message {
                sent: step.number,
                received: Some(met.number),
                handshake: true,
                from: step.pid,
                to: Some(met.pid),
                label: step.statement.clone(),
                partner: None,
            });
        }
        for change in changed {
            let new = queue(&change.value);
            let old = queues.entry(change.name.clone()).or_default();
            let same = old.iter().zip(&new).take_while(|((text, _), now)| text == *now).count();
            if new.len() == old.len() + 1 {
                // Behind all that are equal, where it was put.
                let label = match step.statement.starts_with(own) {
                    true => format!("{} [{}]", step.statement, new[same]),
                    false => format!("{own}! [{}]", new[same]),
                };
                messages.push(Message {
                    sent: step.number,
                    received: None,
                    handshake: false,
                    from: step.pid,
                    to: None,
                    label,
                    partner: None,
                });
                old.insert(same, (new[same].to_string(), Some(messages.len() - 1)));
            } else if new.len() + 1 == old.len() {
                // The oldest of those that are equal is the one that goes.
                let gone = old[..=same.min(old.len() - 1)]
                    .iter()
                    .position(|(text, _)| *text == old[same.min(old.len() - 1)].0)
                    .filter(|first| old[*first..=same].iter().all(|(text, _)| *text == old[same].0));
                let (_, message) = old.remove(gone.unwrap_or(same));
                if let Some(message) = message {
                    messages[message].received = Some(step.number);
                    messages[message].to = Some(step.pid);
                }
            } else {
                *old = new.into_iter().map(|text| (text.to_string(), None)).collect();
            }
        }
    }
    messages
}

fn sequence(example: &Counterexample, text: &mut String) {
    let movers = movers(example);
    let place: BTreeMap<u16, usize> = movers.keys().enumerate().map(|(k, pid)| (*pid, k)).collect();
    let messages = messages(example);
    let sent: HashMap<u64, &Message> = messages.iter().map(|message| (message.sent, message)).collect();
    let received: HashMap<u64, &Message> =
        messages.iter().filter_map(|message| Some((message.received?, message))).collect();
    let taken_at = |number: u64| received.get(&number).filter(|message| message.sent < number);
    // What stands beside a lifeline, if it is no handshake.
    let beside = |step: &TraceStep| match (sent.get(&step.number), taken_at(step.number)) {
        (Some(message), _) => format!("─▶ {}", message.label),
        (None, Some(message)) => {
            let receive = channel(&step.statement).filter(|(own, _)| !step.statement.starts_with(own));
            let own = receive.map_or(step.statement.clone(), |(own, sign)| format!("{own}{sign}"));
            format!("◀─ {own} (step {})", message.sent)
        }
        (None, None) => format!(" {}", step.statement),
    };
    let meets = |step: &TraceStep| taken_at(step.number).is_some_and(|message| message.handshake);
    let steps = example.prefix.iter().chain(&example.cycle).filter(|step| !step.stutters && !meets(step));
    let longest = steps.map(|step| beside(step).chars().count()).max().unwrap_or(0);
    let names = movers.values().map(|name| name.chars().count()).max().unwrap_or(0);
    let width = names.max(longest).clamp(10, WIDEST + 4) + 3;
    let head: String = movers.values().map(|name| cell(name, width - 2) + "  ").collect();
    if !movers.is_empty() {
        push_line(&format!("        {head}"), text);
    }
    let lifelines = || -> Vec<char> {
        let mut line = vec![' '; width * movers.len()];
        (0..movers.len()).for_each(|k| line[k * width] = '│');
        line
    };
    let write_at = |line: &mut Vec<char>, at: usize, label: &str, most: usize| {
        for (k, c) in cell(label, most.max(1)).trim_end().chars().enumerate() {
            if at + k < line.len() {
                line[at + k] = c;
            } else {
                line.push(c);
            }
        }
    };
    let mut skip = None;
    for (step, margin) in rows(example) {
        if step.stutters {
            push_line(&format!("{margin}{STOPPED}"), text);
            continue;
        }
        if skip == Some(step.number) {
            continue;
        }
        let Some(&own) = place.get(&step.pid) else { continue };
        let mut line = lifelines();
        line[own * width] = '●';
        match sent.get(&step.number) {
            // A handshake: an arrow from one lifeline to the other.
            Some(Message { handshake: true, to: Some(to), label, received, .. }) => {
                if let Some(&other) = place.get(to) {
                    let (low, high) = (own.min(other) * width, own.max(other) * width);
                    line[low + 1..high].fill('─');
                    line[other * width] = if other > own { '▶' } else { '◀' };
                    write_at(&mut line, low + 3, label, (high - low).saturating_sub(5));
                    skip = *received;
                }
            }
            _ => write_at(&mut line, own * width + 1, &beside(step), width - 2),
        }
        push_line(&format!("{margin}{}", line.into_iter().collect::<String>()), text);
    }
}

/// What every variable and channel is, step by step.
#[derive(Clone, Debug, Default)]
pub struct Values {
    values: HashMap<String, String>,
}

impl Values {
    /// At the start of a run.
    pub fn at_start(example: &Counterexample) -> Values {
        let mut values = HashMap::new();
        for item in example.start.iter().flat_map(|start| {
            start.globals.iter().chain(start.processes.iter().flat_map(|process| &process.variables))
        }) {
            values.insert(item.name.clone(), item.value.clone());
        }
        Values { values }
    }

    /// After a step.
    pub fn follow(&mut self, step: &TraceStep) {
        step.disappears.iter().for_each(|name| {
            self.values.remove(name);
        });
        for item in step.appears.iter().chain(&step.changes) {
            self.values.insert(item.name.clone(), item.value.clone());
        }
    }

    /// `None` if there is no such variable now.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }
}

/// All names of variables and channels in a run, in the order of the model.
pub fn variable_names(example: &Counterexample) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut known = std::collections::HashSet::new();
    let mut add = |name: &String| {
        if known.insert(name.clone()) {
            names.push(name.clone());
        }
    };
    if let Some(start) = &example.start {
        start.globals.iter().for_each(|item| add(&item.name));
        start.processes.iter().rev().flat_map(|process| &process.variables).for_each(|item| add(&item.name));
    }
    for step in example.prefix.iter().chain(&example.cycle) {
        step.appears.iter().chain(&step.changes).for_each(|item| add(&item.name));
    }
    names
}

/// Whether a name that a user gives means a variable: `x`, `a` for `a[1]`, `P:y` for every `P(1):y`, `c` for
/// `queue 1 (c)`.
pub fn is_meant(wanted: &str, name: &str) -> bool {
    let inside = name.strip_prefix("queue ").and_then(|name| name.split_once(" (")).map(|(_, name)| name);
    let name = inside.and_then(|name| name.strip_suffix(')')).unwrap_or(name);
    let is_so = |name: &str| {
        name == wanted || name.strip_prefix(wanted).is_some_and(|rest| rest.starts_with(['[', '.']))
    };
    // `P(1):y` without the number.
    let without = name.split_once('(').and_then(|(process, rest)| {
        let (_, variable) = rest.split_once("):")?;
        Some(format!("{process}:{variable}"))
    });
    is_so(name) || without.is_some_and(|name| is_so(&name)) || is_so(&name.replace("->", ":"))
}

/// The names among those that the user wants that mean no variable of a run.
pub fn unknown<'w>(example: &Counterexample, wanted: &'w [String]) -> Vec<&'w str> {
    let names = variable_names(example);
    let means_nothing = |wanted: &&String| !names.iter().any(|name| is_meant(wanted, name));
    wanted.iter().filter(means_nothing).map(String::as_str).collect()
}

fn table(example: &Counterexample, wanted: &[String], text: &mut String) {
    let all = variable_names(example);
    let changes = |name: &String| {
        let steps = example.prefix.iter().chain(&example.cycle);
        steps.flat_map(|step| step.changes.iter().chain(&step.appears)).any(|change| change.name == *name)
    };
    let shown: Vec<&String> = match wanted.is_empty() {
        true => all.iter().filter(|name| changes(name)).collect(),
        false => {
            wanted.iter().flat_map(|wanted| all.iter().filter(move |name| is_meant(wanted, name))).collect()
        }
    };
    if shown.is_empty() {
        let nothing =
            if wanted.is_empty() { "no variable changes" } else { "none of these variables is there" };
        push_line(&format!("        {nothing}"), text);
        return;
    }
    let mut values = Values::at_start(example);
    // What is shown of each, and whether it has changed.
    let row = |values: &Values, before: Option<&Vec<(String, bool)>>| -> Vec<(String, bool)> {
        let value = |(k, name): (usize, &&String)| match values.get(name) {
            None => ("-".to_string(), false),
            Some(now) => (now.to_string(), before.is_some_and(|before| before[k].0 != now)),
        };
        shown.iter().enumerate().map(value).collect()
    };
    let mut before = row(&values, None);
    let mut lines = vec![("     0  ".to_string(), Some(before.clone()))];
    for (step, margin) in rows(example) {
        if step.stutters {
            lines.push((margin, None));
            continue;
        }
        values.follow(step);
        before = row(&values, Some(&before));
        lines.push((margin, Some(before.clone())));
    }
    let width = |k: usize| {
        let cells = lines.iter().filter_map(|(_, cells)| cells.as_ref()?.get(k));
        let widest = cells.map(|(text, changed)| text.chars().count() + usize::from(*changed)).max();
        widest.unwrap_or(0).max(shown[k].chars().count()).min(WIDEST)
    };
    let widths: Vec<usize> = (0..shown.len()).map(width).collect();
    let head: String = shown.iter().zip(&widths).map(|(name, width)| cell(name, *width) + "  ").collect();
    push_line(&format!("        {head}"), text);
    // However long a value is, the mark of a change is seen.
    let shown_in = |(text, changed): &(String, bool), width: usize| match changed {
        true if text.chars().count() + 1 > width => cell(text, width - 1) + "*",
        true => cell(&format!("{text}*"), width),
        false => cell(text, width),
    };
    for (margin, cells) in &lines {
        let line: String = match cells {
            None => STOPPED.to_string(),
            Some(cells) => {
                cells.iter().zip(&widths).map(|(value, width)| shown_in(value, *width) + "  ").collect()
            }
        };
        push_line(&format!("{margin}{line}"), text);
    }
}
