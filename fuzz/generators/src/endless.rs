//! Small models in which runs stay inside atomic sequences, or break off with a run-time error, each with a
//! formula.
//!
//! The other generators avoid both, because Spin has other ways with them. Here loops inside `atomic` and
//! divisions by zero are what it is about, mixed with everything that is next to them: `d_step`,
//! rendezvous, choices, labels, processes that end.

use crate::random::Random;
use std::fmt::{self, Display, Formatter, Write};

/// The name of the formula in the text.
pub const FORMULA: &str = "formula";

/// A statement, or several in brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Statement {
    Plain(String),
    /// `atomic` or `d_step`, perhaps with a label in front.
    Block(String, Vec<Statement>),
    /// `if` or `do`, and its options.
    Choice(&'static str, Vec<Vec<Statement>>),
}

/// A model with a formula.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndlessModel {
    processes: Vec<Vec<Statement>>,
    formula: String,
}

/// The model and the formula that belong to a seed.
pub fn generate(seed: u64) -> EndlessModel {
    let mut random = Random::new(seed);
    let count = 1 + random.below(2);
    let mut labels = 0;
    let mut maker = Maker { random: &mut random, labels: &mut labels };
    let processes: Vec<_> = (0..count).map(|_| maker.sequence(3, Place::Free)).collect();
    let formula = formula(&mut random, 3, count);
    EndlessModel { processes, formula }
}

/// A model in which control goes from process to process inside of atomic sequences, and a formula that
/// speaks of labels.
pub fn generate_handing_over(seed: u64) -> EndlessModel {
    let mut random = Random::new(seed);
    let count = 2 + random.below(2);
    let mut processes = Vec::new();
    for number in 0..count {
        let mut sequence = Vec::new();
        if random.chance(50) {
            sequence.push(Statement::Plain("skip".to_string()));
        }
        let label = *random.pick(&["", "progress: ", "accept: ", "here: "]);
        let inner = messages(&mut random, 2, number);
        sequence.push(Statement::Block(format!("{label}atomic"), inner));
        if label != "here: " {
            sequence.push(Statement::Plain("here: skip".to_string()));
        }
        processes.push(sequence);
    }
    let place = |random: &mut Random| {
        format!("(P{}@{})", random.below(count), random.pick(&["start", "here", "here"]))
    };
    let (p, q) = (place(&mut random), place(&mut random));
    let formula = match random.below(6) {
        0 => format!("(<> [] {p})"),
        1 => format!("(<> [] ! {p})"),
        2 => format!("([] ({p} -> <> ! {p}))"),
        3 => format!("([] <> ({p} || {q}))"),
        4 => "(<> [] np_)".to_string(),
        _ => formula(&mut random, 3, count),
    };
    EndlessModel { processes, formula }
}

/// Sends, receives, and loops of them.
fn messages(random: &mut Random, depth: usize, number: usize) -> Vec<Statement> {
    let plain = |text: &str| Statement::Plain(text.to_string());
    let length = 1 + random.below(3);
    let statements = (0..length).map(|_| match random.below(if depth > 0 { 8 } else { 5 }) {
        // The first process rather sends, the others rather receive, so that they meet.
        0 | 1 => plain(if number == 0 { "c ! 1" } else { "c ? 1" }),
        2 => plain(if number == 0 { "d ? 1" } else { "d ! 1" }),
        3 => Statement::Plain(random.pick(&["c ! 1", "c ? 1", "d ! 1", "d ? 1"]).to_string()),
        4 => Statement::Plain(random.pick(&["skip", "x = 1 - x", "(x == 0)"]).to_string()),
        kind => {
            let mut options: Vec<_> =
                (0..1 + random.below(2)).map(|_| messages(random, depth - 1, number)).collect();
            if random.chance(30) {
                options.push(vec![plain("break")]);
            }
            match kind {
                5 if !options.iter().any(|option| option[0] == plain("break")) => {
                    Statement::Choice("if", options)
                }
                _ => Statement::Choice("do", options),
            }
        }
    });
    statements.collect()
}

/// What may stand where.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Free,
    Atomic,
    DStep,
}

struct Maker<'r> {
    random: &'r mut Random,
    labels: &'r mut usize,
}

impl Maker<'_> {
    fn sequence(&mut self, depth: usize, place: Place) -> Vec<Statement> {
        let length = 1 + self.random.below(3);
        (0..length).map(|_| self.statement(depth, place)).collect()
    }

    fn statement(&mut self, depth: usize, place: Place) -> Statement {
        let nested = if depth > 0 { 1 } else { 0 };
        let blocks = if place == Place::Free { nested } else { 0 };
        match self.random.weighted(&[(5, 0), (3 * nested, 1), (3 * blocks, 2), (blocks, 3)]) {
            0 => Statement::Plain(self.plain(place)),
            1 => {
                let kind = *self.random.pick(&["if", "do", "do"]);
                let mut options: Vec<_> =
                    (0..1 + self.random.below(2)).map(|_| self.sequence(depth - 1, place)).collect();
                if kind == "do" && self.random.chance(60) {
                    let guard = self.condition();
                    options.push(vec![Statement::Plain(guard), Statement::Plain("break".to_string())]);
                }
                if self.random.chance(30) {
                    let mut other = self.sequence(depth - 1, place);
                    other.insert(0, Statement::Plain("else".to_string()));
                    options.push(other);
                }
                Statement::Choice(kind, options)
            }
            2 => Statement::Block("atomic".to_string(), self.sequence(depth - 1, Place::Atomic)),
            _ => Statement::Block("d_step".to_string(), self.sequence(depth - 1, Place::DStep)),
        }
    }

    fn plain(&mut self, place: Place) -> String {
        let shared = if place == Place::DStep { 0 } else { 1 };
        let text =
            match self.random.weighted(&[(4, 0), (3, 1), (2, 2), (2, 3), (1, 4), (shared, 5), (shared, 6)]) {
                0 => format!("{} = {}", self.random.pick(&["x", "y"]), self.random.below(3)),
                1 => format!("{0} = ({0} + 1) % 3", self.random.pick(&["x", "y"])),
                2 => self.condition(),
                3 => "skip".to_string(),
                4 => "x = 2 / y".to_string(),
                5 => "c ! x".to_string(),
                _ => "c ? y".to_string(),
            };
        if place == Place::Free && self.random.chance(15) {
            *self.labels += 1;
            let label = *self.random.pick(&["progress", "accept", "end"]);
            return format!("{label}_{}: {text}", self.labels);
        }
        text
    }

    fn condition(&mut self) -> String {
        let (variable, value) = (*self.random.pick(&["x", "y"]), self.random.below(3));
        format!("({variable} {} {value})", self.random.pick(&["==", "!=", "<"]))
    }
}

fn formula(random: &mut Random, depth: usize, processes: usize) -> String {
    let leaf = depth == 0 || random.chance(15);
    if leaf {
        return match random.below(8) {
            0 => "np_".to_string(),
            1 => format!("(P{}@start)", random.below(processes)),
            _ => format!("({} == {})", random.pick(&["x", "y"]), random.below(3)),
        };
    }
    let mut part = || formula(random, depth - 1, processes);
    let (a, b) = (part(), part());
    match random.below(9) {
        0 | 1 => format!("([] {a})"),
        2 | 3 => format!("(<> {a})"),
        4 => format!("(! {a})"),
        5 => format!("(X {a})"),
        6 => format!("({a} && {b})"),
        7 => format!("({a} || {b})"),
        _ => format!("({a} U {b})"),
    }
}

impl Display for EndlessModel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "byte x, y;\nchan c = [0] of {{ byte }};\nchan d = [0] of {{ byte }};")?;
        for (number, process) in self.processes.iter().enumerate() {
            writeln!(f, "active proctype P{number}() {{\nstart:")?;
            let mut text = String::new();
            print(process, 1, &mut text);
            writeln!(f, "{text}}}")?;
        }
        writeln!(f, "ltl {FORMULA} {{ {} }}", self.formula)
    }
}

fn print(sequence: &[Statement], depth: usize, text: &mut String) {
    let indent = "\t".repeat(depth);
    if sequence.is_empty() {
        let _ = writeln!(text, "{indent}skip");
    }
    for (number, statement) in sequence.iter().enumerate() {
        let separator = if number + 1 < sequence.len() { ";" } else { "" };
        match statement {
            Statement::Plain(line) => {
                let _ = writeln!(text, "{indent}{line}{separator}");
            }
            Statement::Block(kind, inner) => {
                let _ = writeln!(text, "{indent}{kind} {{");
                print(inner, depth + 1, text);
                let _ = writeln!(text, "{indent}}}{separator}");
            }
            Statement::Choice(kind, options) => {
                let end = if *kind == "if" { "fi" } else { "od" };
                let _ = writeln!(text, "{indent}{kind}");
                for option in options {
                    let _ = writeln!(text, "{indent}::");
                    print(option, depth + 1, text);
                }
                let _ = writeln!(text, "{indent}{end}{separator}");
            }
        }
    }
}

/// The smallest model that still fails: one statement after the other is left out, or replaced by what is
/// in it.
pub fn shrink(mut model: EndlessModel, still_fails: &mut dyn FnMut(&EndlessModel) -> bool) -> EndlessModel {
    loop {
        let smaller = smaller_ones(&model).into_iter().find(|smaller| still_fails(smaller));
        match smaller {
            Some(smaller) => model = smaller,
            None => return model,
        }
    }
}

fn smaller_ones(model: &EndlessModel) -> Vec<EndlessModel> {
    let mut all = Vec::new();
    for number in 0..model.processes.len() {
        for process in smaller_sequences(&model.processes[number]) {
            let mut smaller = model.clone();
            smaller.processes[number] = process;
            all.push(smaller);
        }
    }
    all
}

fn smaller_sequences(sequence: &[Statement]) -> Vec<Vec<Statement>> {
    let mut all = Vec::new();
    for place in 0..sequence.len() {
        let with = |instead: &[Statement]| [&sequence[..place], instead, &sequence[place + 1..]].concat();
        all.push(with(&[]));
        match &sequence[place] {
            Statement::Plain(_) => {}
            Statement::Block(kind, inner) => {
                all.push(with(inner));
                let smaller = smaller_sequences(inner).into_iter();
                all.extend(smaller.map(|inner| with(&[Statement::Block(kind.clone(), inner)])));
            }
            Statement::Choice(kind, options) => {
                all.extend(options.iter().map(|option| with(option)));
                for k in 0..options.len() {
                    let mut fewer = options.clone();
                    fewer.remove(k);
                    if !fewer.is_empty() {
                        all.push(with(&[Statement::Choice(kind, fewer)]));
                    }
                    for option in smaller_sequences(&options[k]) {
                        let mut other = options.clone();
                        other[k] = option;
                        all.push(with(&[Statement::Choice(kind, other)]));
                    }
                }
            }
        }
    }
    all
}
