//! A run in the words of Spin's simulator: `spin -p -g -l -s -r`, `-c`, and what it says at the end.
//!
//! Line by line as there, with three differences that cannot be helped. A jump is no step here, so that the
//! depths of a random run are smaller. A `d_step` is one line, not one for each statement inside. And of a
//! claim that Spin makes of a formula nothing is known.

use crate::render::spin_chart::SpinChart;
use crate::report::{Change, FinalProcess, FinalState, TraceStep};
use std::collections::BTreeSet;
use std::fmt::Write;

/// What is printed of each step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpinPrint {
    /// `-p`: the statements.
    pub statements: bool,
    /// `-g`: the global variables that change, and all channels.
    pub globals: bool,
    /// `-l`: the local variables that change.
    pub locals: bool,
    /// `-s`: what is sent.
    pub sends: bool,
    /// `-r`: what is received.
    pub receives: bool,
    /// `-c`: a column for each process, with what is sent and received.
    pub columns: bool,
    /// `-M`: a chart of the messages is drawn beside.
    pub chart: bool,
    /// Not with `-b`: what the model prints.
    pub printed: bool,
    /// Not with `-T`: a column for each process, for what it prints.
    pub indented: bool,
    /// Not with `-B`: where everything stands at the end.
    pub last_state: bool,
    /// `-jN`: steps before this one are not shown.
    pub from: u64,
}

impl SpinPrint {
    /// Something is to be shown beside what the model prints.
    pub fn is_verbose(&self) -> bool {
        self.statements || self.globals || self.locals || self.sends || self.receives || self.columns
    }
}

impl Default for SpinPrint {
    fn default() -> SpinPrint {
        SpinPrint {
            statements: false,
            globals: false,
            locals: false,
            sends: false,
            receives: false,
            columns: false,
            chart: false,
            printed: true,
            indented: true,
            last_state: true,
            from: 0,
        }
    }
}

/// A run that follows a trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replay {
    /// A claim runs beside the model: Spin counts it among the processes, now and then.
    pub beside_claim: bool,
}

/// A run on its way to the reader.
pub struct SpinRun {
    print: SpinPrint,
    /// It follows a trail: processes are then not announced at the start.
    replays: Option<Replay>,
    /// The variables that have changed at this depth.
    changed: (u64, Vec<String>),
    before: FinalState,
    created: usize,
    /// Columns that have a title.
    titles: usize,
    /// The titles have changed since they stood above the columns.
    needs_header: bool,
    /// Channels that have held something; Spin shows no others.
    used: BTreeSet<String>,
    chart: SpinChart,
}

/// What Spin calls sending and receiving.
struct Message {
    sends: bool,
    /// `queue 1 (c)`
    queue: String,
    text: String,
}

impl SpinRun {
    /// A run that starts here, and what is said of it first.
    pub fn new(print: SpinPrint, replays: Option<Replay>, start: FinalState) -> (SpinRun, String) {
        let created = start.processes.len();
        let (changed, used) = ((0, Vec::new()), BTreeSet::new());
        let mut chart = SpinChart::default();
        start.processes.iter().for_each(|process| chart.process(process.pid, &process.process));
        let mut run = SpinRun {
            print,
            replays,
            changed,
            before: start,
            created,
            titles: 0,
            needs_header: false,
            used,
            chart,
        };
        let mut text = String::new();
        if run.print.statements && replays.is_none() {
            for process in run.before.processes.iter().rev() {
                let _ = writeln!(
                    text,
                    "  0:\tproc  - (:root:) creates proc {:2} ({})",
                    process.pid, process.process
                );
            }
        }
        if run.print.columns {
            let started = run.before.processes.clone();
            run.announce(&started, &mut text);
        }
        (run, text)
    }

    /// New columns get a title.
    fn announce(&mut self, started: &[FinalProcess], text: &mut String) {
        for process in started.iter().rev() {
            let _ = writeln!(text, "proc {} = {}", process.pid, process.process);
            self.titles = self.titles.max(usize::from(process.pid) + 1);
        }
        self.needs_header = true;
    }

    /// A step, or the two of a handshake, that the model has taken: `depth` is Spin's number of the first,
    /// `sent` what a handshake hands over.
    pub fn taken(
        &mut self,
        depth: u64,
        steps: &[TraceStep],
        sent: Option<&str>,
        after: FinalState,
    ) -> String {
        let mut text = String::new();
        let before = std::mem::replace(&mut self.before, after.clone());
        let shown = depth >= self.print.from;
        let is_end = |step: &TraceStep| step.statement == "-end-";
        let made = after.processes.len().saturating_sub(before.processes.len());
        self.created += made;
        if made > 0 && self.print.statements && shown {
            let step = &steps[0];
            for process in after.processes[..made].iter().rev() {
                let _ = writeln!(text, "Starting {} with pid {}", process.process, process.pid);
                if self.replays.is_none() {
                    let _ = writeln!(
                        text,
                        "{depth:3}:\tproc {:2} ({}:{}) creates proc {:2} ({})",
                        step.pid, step.process, step.priority, process.pid, process.process
                    );
                }
            }
        }
        if made > 0 && self.print.columns {
            self.announce(&after.processes[..made], &mut text);
        }
        let holds = after.globals.iter().filter(|change| is_buffer(change) && change.value != "[]");
        self.used.extend(holds.map(|change| change.name.clone()));
        let messages = messages(steps, sent, &before, &after);
        if self.print.chart && shown {
            self.draw(depth, steps, &messages, &after);
        }
        for (i, step) in steps.iter().enumerate() {
            let number = if self.replays.is_some() { depth + i as u64 } else { depth };
            if let Some(printed) = step.printed.as_ref().filter(|_| self.print.printed) {
                let indent = if self.print.indented { usize::from(step.pid) * 4 + 6 } else { 0 };
                for line in printed.split_inclusive('\n') {
                    let _ = write!(text, "{:indent$}{line}", "");
                }
            }
            if !shown {
                continue;
            }
            // In a random run a handshake is told behind both statements.
            let is_late = steps.len() > 1 && self.replays.is_none();
            if let Some(message) = messages[i].as_ref().filter(|_| !is_late) {
                self.message(number, step, message, steps.len() > 1, &mut text);
            }
            if !self.print.statements {
                continue;
            }
            let who = format!("{:2} ({}:{})", step.pid, step.process, step.priority);
            match (is_end(step), self.replays.is_some()) {
                (true, true) => {
                    let _ = writeln!(text, "{number:3}: proc {} terminates", step.pid);
                }
                (true, false) => {
                    let indent = if self.print.indented { usize::from(step.pid) * 4 + 6 } else { 0 };
                    let _ = writeln!(text, "{:3}:\tproc {who} {:indent$}terminates", number, "");
                }
                (false, _) => {
                    let (file, line) = (&step.file, step.line);
                    let statement = statement(&step.statement);
                    let _ = writeln!(
                        text,
                        "{number:3}:\tproc {who} {file}:{line} (state {})\t[{statement}]",
                        step.state
                    );
                }
            }
        }
        if steps.len() > 1 && self.replays.is_none() && shown {
            for (step, message) in steps.iter().zip(&messages) {
                if let Some(message) = message {
                    self.message(depth, step, message, true, &mut text);
                }
            }
        }
        let ends = steps.iter().all(is_end);
        let changed = steps.iter().flat_map(|step| &step.changes).map(|change| change.name.clone());
        if self.changed.0 != depth {
            self.changed = (depth, Vec::new());
        }
        self.changed.1.extend(changed);
        if shown && self.print.statements && !ends {
            self.changes(steps, &after, &mut text);
        }
        text
    }

    /// The chart of the messages so far.
    pub fn chart(&self, title: &str) -> String {
        self.chart.svg(title)
    }

    fn draw(&mut self, depth: u64, steps: &[TraceStep], messages: &[Option<Message>], after: &FinalState) {
        for process in &after.processes {
            self.chart.process(process.pid, &process.process);
        }
        for step in steps {
            self.chart.says(depth, step.pid, step.printed.as_deref().unwrap_or_default());
        }
        match (steps, messages) {
            ([one, two], [Some(sent), Some(_)]) => {
                let (sender, receiver) = ((one.pid, channel_name(one)), (two.pid, channel_name(two)));
                self.chart.handshake(depth, sender, receiver, &sent.text);
            }
            _ => {
                for (step, message) in steps.iter().zip(messages) {
                    let Some(message) = message else { continue };
                    let channel = (message.queue.as_str(), channel_name(step));
                    match message.sends {
                        true => self.chart.sends(depth, step.pid, channel, &message.text),
                        false => self.chart.receives(depth, step.pid, channel, &message.text),
                    }
                }
            }
        }
    }

    fn message(
        &mut self,
        number: u64,
        step: &TraceStep,
        message: &Message,
        handshake: bool,
        text: &mut String,
    ) {
        // The channel has the name that the process knows it by.
        let queue = message.queue.split(' ').nth(1).unwrap_or_default();
        let name = channel_name(step);
        if self.print.columns {
            if std::mem::take(&mut self.needs_header) {
                text.push_str("q\\p");
                (0..self.titles).for_each(|pid| {
                    let _ = write!(text, " {pid:3}");
                });
                text.push('\n');
            }
            let sign = if message.sends { '!' } else { '?' };
            let dots = "  .".repeat(usize::from(step.pid)).replace("  .", ".   ");
            let _ = writeln!(text, "{queue:>3}   {dots}{name}{sign}{}", message.text);
            return;
        }
        let wanted = if message.sends { self.print.sends } else { self.print.receives };
        if !wanted {
            return;
        }
        let (what, arrow) = match (message.sends, handshake) {
            (true, true) => ("Sent", "->"),
            (true, false) => ("Send", "->"),
            (false, _) => ("Recv", "<-"),
        };
        let _ = writeln!(
            text,
            "{number:3}:\tproc {:2} ({}:{}) {}:{} {what} {}\t{arrow} queue {queue} ({name})",
            step.pid, step.process, step.priority, step.file, step.line, message.text
        );
    }

    /// What is different after a step: what has changed at this depth. Of processes, those that move.
    fn changes(&self, steps: &[TraceStep], after: &FinalState, text: &mut String) {
        let has_changed = |change: &Change| self.changed.1.contains(&change.name);
        let array = |change: &Change| change.name.split_once('[').map(|(array, _)| array.to_string());
        if self.print.globals {
            // Of an array all elements are shown.
            let arrays: Vec<String> =
                after.globals.iter().filter(|global| has_changed(global)).filter_map(array).collect();
            for global in after.globals.iter().filter(|global| !is_buffer(global)) {
                let in_array = array(global).is_some_and(|array| arrays.contains(&array));
                // Of a record Spin shows nothing before the end.
                if (has_changed(global) || in_array) && !global.name.contains('.') {
                    variable(global, text);
                }
            }
            let used = after.globals.iter().filter(|global| self.used.contains(&global.name));
            used.for_each(|queue| variable(queue, text));
        }
        if self.print.locals {
            let moved = |pid: u16| steps.last().is_some_and(|step| step.pid == pid);
            let own = after.processes.iter().filter(|process| moved(process.pid));
            let locals = own.flat_map(|process| process.variables.iter().rev());
            locals
                .filter(|local| has_changed(local) && !is_buffer(local))
                .for_each(|local| variable(local, text));
        }
    }

    /// What is said at the end, where everything stands among it.
    pub fn ended(&self, depth: u64, last: &FinalState) -> String {
        self.ended_beside(depth, last, None)
    }

    /// The same, with a line for the claim that ran beside the model.
    pub fn ended_beside(&self, depth: u64, last: &FinalState, claim: Option<&str>) -> String {
        let mut text = String::new();
        if self.print.columns {
            text.push_str("-------------\nfinal state:\n-------------\n");
        }
        if !self.print.last_state {
            return text;
        }
        if !last.processes.is_empty() || claim.is_some() {
            let _ = writeln!(text, "#processes: {}", last.processes.len());
            for global in &last.globals {
                let own = format!("({})", global.name);
                let is_own = |other: &&Change| other.name.starts_with("queue ") && other.name.ends_with(&own);
                match last.globals.iter().find(is_own) {
                    // A variable that is a channel: its messages.
                    Some(queue) if self.used.contains(&queue.name) => variable(queue, &mut text),
                    Some(_) => {}
                    None if global.name.starts_with("queue ") => {}
                    None => variable(global, &mut text),
                }
            }
            for process in &last.processes {
                let end = if process.may_end { " <valid end state>" } else { "" };
                let _ = writeln!(
                    text,
                    "{depth:3}:\tproc {:2} ({}:{}) {}:{} (state {}){end}",
                    process.pid,
                    process.process,
                    process.priority,
                    process.file,
                    process.line,
                    process.location
                );
                if self.print.locals {
                    process.variables.iter().rev().for_each(|local| variable(local, &mut text));
                }
            }
        }
        text.push_str(claim.unwrap_or_default());
        let beside_claim = self.replays.is_some_and(|replay| replay.beside_claim);
        let plural = if self.created == 1 && !beside_claim { "" } else { "es" };
        let _ = writeln!(text, "{} process{plural} created", self.created);
        text
    }
}

/// The channel of a send or a receive, as the process calls it.
fn channel_name(step: &TraceStep) -> &str {
    step.statement.split(['!', '?']).next().unwrap_or_default()
}

/// Jumps in strings are shown doubly.
fn statement(text: &str) -> String {
    if text.starts_with("printf(") { text.replace('\\', "\\\\") } else { text.to_string() }
}

fn is_buffer(change: &Change) -> bool {
    change.name.starts_with("queue ")
}

fn variable(change: &Change, text: &mut String) {
    let value = if change.value == "[]" { String::new() } else { with_numbers(&change.value) };
    let is = if change.name.starts_with("queue ") { ":" } else { " =" };
    let _ = writeln!(text, "\t\t{}{is} {value}", change.name);
}

/// Spin shows truth as a number, also inside messages: `[1,red]` of `[true,red]`.
fn with_numbers(value: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut text = String::new();
    let mut rest = value;
    while !rest.is_empty() {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        text.push_str(match &rest[..end] {
            "false" => "0",
            "true" => "1",
            word => word,
        });
        let behind = rest[end..].find(is_word).map_or(rest.len(), |start| end + start);
        text.push_str(&rest[end..behind]);
        rest = &rest[behind..];
    }
    text
}

/// The messages of steps, found in what the channels hold before and after.
fn messages(
    steps: &[TraceStep],
    sent: Option<&str>,
    before: &FinalState,
    after: &FinalState,
) -> Vec<Option<Message>> {
    if let ([_, _], Some(sent)) = (steps, sent) {
        let (queue, text) = sent.split_once('\t').unwrap_or(("queue", sent));
        let message = |sends| Some(Message { sends, queue: queue.to_string(), text: text.to_string() });
        return vec![message(true), message(false)];
    }
    let all = |state: &FinalState| -> Vec<Change> {
        let own = state.processes.iter().flat_map(|process| &process.variables);
        state.globals.iter().chain(own).filter(|change| is_buffer(change)).cloned().collect()
    };
    let (old, new) = (all(before), all(after));
    let changed = old.iter().find_map(|old| {
        let new = new.iter().find(|new| new.name == old.name && new.value != old.value)?;
        let (held, holds) = (split(&old.value), split(&new.value));
        let sends = holds.len() > held.len();
        let (long, short) = if sends { (&holds, &held) } else { (&held, &holds) };
        let at = long.iter().zip(short).position(|(a, b)| a != b).unwrap_or(short.len());
        Some(Message { sends, queue: old.name.clone(), text: with_numbers(long.get(at)?) })
    });
    let mut messages: Vec<Option<Message>> = steps.iter().map(|_| None).collect();
    if let Some(last) = messages.last_mut() {
        *last = changed;
    }
    messages
}

/// `[1,A][2,B]` as its messages.
fn split(messages: &str) -> Vec<&str> {
    let inner = messages.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or("");
    if inner.is_empty() { Vec::new() } else { inner.split("][").collect() }
}
