//! Small models in which most steps of processes concern nobody else, and some do: what partial-order
//! reduction may leave out, and what it must not.
//!
//! A process is a row of statements, mostly with a loop at its end. Statements use variables of their own,
//! their own or another element of an array, channels of all kinds from either end, ask about channels,
//! labels and processes, wait in all ways, create processes, and end. Some run into errors. A model is a list
//! of rows, so it shrinks by leaving statements out.

use crate::random::Random;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InterleavingModel {
    /// For each process: what it does first, and the options of its loop.
    pub processes: Vec<(Vec<String>, Vec<Vec<String>>)>,
    /// What a process that is created on the way does.
    pub created: Vec<String>,
    pub conditions: Vec<String>,
    pub formula: String,
}

/// The name of the formula in the text.
pub const FORMULA: &str = "f";

const CONDITIONS: [&str; 16] = [
    "x == 0",
    "x == 1",
    "y == 0",
    "a[0] == 1",
    "a[1] == 0",
    "a[2] == 1",
    "len(c) == 0",
    "len(d) == 1",
    "nfull(c)",
    "P0[0]@l0",
    "P1[1]@l1",
    "P0[0]@m0",
    "P1[1]@m1",
    "_nr_pr == 3",
    "P0[0]:k == 1",
    "empty(d)",
];

impl InterleavingModel {
    pub fn generate(seed: u64) -> InterleavingModel {
        let mut random = Random::new(seed ^ 0x17e4_1ea7_0000_0000);
        let count = 2 + random.below(2);
        let processes = (0..count)
            .map(|_| {
                let first = (0..random.below(4)).map(|_| statement(&mut random, 0)).collect();
                let options = if random.chance(65) { 1 + random.below(2) } else { 0 };
                let row = |random: &mut Random| {
                    (0..1 + random.below(3)).map(|_| statement(random, 0)).collect::<Vec<_>>()
                };
                (first, (0..options).map(|_| row(&mut random)).collect())
            })
            .collect();
        let created = (0..1 + random.below(3)).map(|_| statement(&mut random, 0)).collect();
        let conditions: Vec<String> =
            (0..1 + random.below(2)).map(|_| random.pick(&CONDITIONS).to_string()).collect();
        let formula = formula(&mut random, &conditions);
        InterleavingModel { processes, created, conditions, formula }
    }

    /// The same with more indivisible sequences, and longer ones.
    pub fn generate_with_sequences(seed: u64) -> InterleavingModel {
        let mut model = InterleavingModel::generate(seed);
        let mut random = Random::new(seed ^ 0x5e90_e9ce_0000_0000);
        for (first, options) in &mut model.processes {
            with_sequences(std::iter::once(first).chain(options), &mut random);
        }
        model
    }
}

/// Indivisible sequences that ask about channels in the middle, use one twice, or go round; `z` is a label,
/// which gets a number.
const SEQUENCES: [&str; 32] = [
    "d_step { z: d?k; j++; if :: j < 2 -> goto z :: else -> j = 0 fi }",
    "d_step { z: d!k; j++; if :: j < 2 -> goto z :: else -> j = 0 fi }",
    "d_step { z: e[_pid]?k; j++; if :: j < 2 -> goto z :: else -> j = 0 fi }",
    "d_step { nempty(d) -> d?k; x = 1 }",
    "d_step { nfull(d) -> d!1; x = 1 - x }",
    "d_step { d?k; c!1 }",
    "d_step { c!1; d?k; a[_pid] = 1 }",
    "d_step { if :: c?k -> x = 1 :: else -> x = 0 fi }",
    "d_step { do :: d?k -> j = 1 - j :: else -> break od }",
    "d_step { d?k; if :: d?_ -> k = 0 :: else -> k = 1 fi }",
    "d_step { k = len(d); a[_pid] = k % 2 }",
    "d_step { full(c) -> x = 1; c?k }",
    "atomic { nempty(d) -> d?k; x = 1 }",
    "atomic { nfull(d) -> d!1; a[_pid] = 1 }",
    "atomic { nempty(c) && nfull(d) -> c?k; d!k }",
    "atomic { d?k; if :: d?_ -> k = 0 :: else -> k = 1 fi }",
    "atomic { do :: d?k :: empty(d) -> break od; a[_pid] = 1 }",
    "atomic { z: d!1; if :: nfull(d) -> goto z :: else fi }",
    "atomic { c!1; r!1; c!0 }",
    "atomic { r?k; d?k; x = 1 }",
    "atomic { _nr_pr < 5 -> run Q(1); k = 1 }",
    "atomic { nempty(d) -> d?k; x = 1; d?k; a[_pid] = 1 }",
    "atomic { nfull(d) -> d!1; x = 1 - x; d!0 }",
    "atomic { d?k; x = 1; c!k; a[_pid] = 1 }",
    "atomic { c?k; x = 1; c?k; x = 0 }",
    "atomic { nempty(d) -> r!1; d?k; a[_pid] = 1 }",
    "atomic { r?k; d?_; x = 1 }",
    "atomic { e[_pid]!1; d?k; e[_pid]!0; x = k }",
    "d_step { nempty(d) -> x = 1; d?k; c!k }",
    "full(c) -> k = 1",
    "empty(d) -> k = 1",
    "if :: nfull(d) -> d!1 :: full(d) -> k = 1 fi",
];

/// Puts sequences in the place of some statements.
fn with_sequences<'r>(rows: impl Iterator<Item = &'r mut Vec<String>>, random: &mut Random) {
    let mut labels = 0;
    for statement in rows.flatten() {
        if random.chance(35) {
            labels += 1;
            let sequence = random.pick(&SEQUENCES);
            *statement = sequence
                .replace("z: ", &format!("z{labels}: "))
                .replace("goto z", &format!("goto z{labels}"));
        }
    }
}

fn statement(random: &mut Random, depth: u32) -> String {
    let (v, w) = (random.below(2), random.below(3));
    let simple: [(u32, String); 44] = [
        (6, format!("k = {w}")),
        (4, "k = 1 - k".to_string()),
        (3, format!("k == {v}")),
        (2, "j = _pid".to_string()),
        (4, "a[_pid] = 1".to_string()),
        (3, "a[_pid] = 0".to_string()),
        (3, format!("a[j] = {v}")),
        (2, format!("a[{w}] = {v}")),
        (2, "k = a[_pid]".to_string()),
        (2, format!("a[{w}] == {v}")),
        (2, format!("a[j] == {v}")),
        (2, format!("x = {v}")),
        (2, "x = 1 - x".to_string()),
        (2, format!("x == {v}")),
        (1, format!("y = {v}")),
        (1, format!("y == {v}")),
        (2, format!("c!{v}")),
        (2, "c?_".to_string()),
        (1, format!("c?{v}")),
        (1, "c?k".to_string()),
        (1, format!("c?<{v}>")),
        (2, format!("d!{v}")),
        (2, "d?k".to_string()),
        (1, format!("d?{v}")),
        (1, format!("d??{v}")),
        (1, format!("d!!{v}")),
        (1, "len(d) < 2".to_string()),
        (1, "nempty(c)".to_string()),
        (1, "nfull(d) -> d!1".to_string()),
        (1, format!("d?[{v}]")),
        (2, format!("r!{v}")),
        (2, "r?k".to_string()),
        (1, format!("r?{v}")),
        (2, format!("e[_pid]!{v}")),
        (1, format!("e[{w}]?_")),
        (1, "e[j]?k".to_string()),
        (1, "timeout -> x = 0".to_string()),
        (1, format!("assert(x == {v} || k == 0)")),
        (1, format!("assert(a[{w}] == 0)")),
        (1, "_nr_pr < 5 -> run Q(k)".to_string()),
        (1, "P0[0]@l0".to_string()),
        (1, "_nr_pr == 2".to_string()),
        (2, "skip".to_string()),
        (1, "x = x / (1 - y)".to_string()),
    ];
    let total: u32 = simple.iter().map(|(weight, _)| weight).sum();
    let mut place = random.below(total as usize) as u32;
    let plain = simple.iter().find(|(weight, _)| {
        let is_here = place < *weight;
        place = place.wrapping_sub(*weight);
        is_here
    });
    let plain = plain.map_or_else(|| "skip".to_string(), |(_, text)| text.clone());
    if depth > 0 || random.chance(72) {
        return plain;
    }
    let mut more = || statement(random, 1);
    let (one, two) = (more(), more());
    match random.below(9) {
        0 | 1 => format!("atomic {{ {one}; {two} }}"),
        2 => format!("d_step {{ x == {v} -> y = {v}; k = {w} }}"),
        3 => format!("d_step {{ k = {w}; a[_pid] = {v} }}"),
        4 => format!("{{ {one}; {two} }} unless {{ {} }}", ["y == 1", "c?_", "x == 1"][w]),
        5 => format!("if :: {one} :: {two} fi"),
        6 => format!("if :: {one} -> {two} :: else fi"),
        7 => format!("if :: x == {v} -> {one} :: else -> {two} fi"),
        _ => format!("d_step {{ c?k; x = {v} }}"),
    }
}

fn formula(random: &mut Random, conditions: &[String]) -> String {
    let (p, q) = (random.pick(conditions), random.pick(conditions));
    match random.below(9) {
        0 => format!("[] <> ({p})"),
        1 => format!("<> [] ({p})"),
        2 => format!("[] (({p}) -> <> ({q}))"),
        3 => format!("([] <> ({p})) -> ([] <> ({q}))"),
        4 => format!("<> ({p})"),
        5 => format!("[] ({p})"),
        6 => format!("({p}) U ({q})"),
        7 => format!("[] (({p}) -> (({p}) U ({q})))"),
        _ => format!("<> (({p}) && <> (!({q})))"),
    }
}

impl fmt::Display for InterleavingModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "byte x, y, a[6];\nchan c = [1] of {{ byte }};\nchan d = [2] of {{ byte }};")?;
        writeln!(f, "chan r = [0] of {{ byte }};\nchan e[6] = [1] of {{ byte }};\n")?;
        let created = self.created.join(";\n  ").replace("run Q(k)", "skip");
        writeln!(f, "proctype Q(byte n) {{\n  byte k, j = n;\n  {created}\n}}\n")?;
        for (number, (first, options)) in self.processes.iter().enumerate() {
            writeln!(f, "active proctype P{number}() {{\n  byte k, j;")?;
            for statement in first {
                writeln!(f, "  {statement};")?;
            }
            writeln!(f, "l{number}: skip;")?;
            if !options.is_empty() {
                writeln!(f, "  do")?;
                for option in options {
                    writeln!(f, "  :: {}", option.join("; "))?;
                }
                writeln!(f, "  od;")?;
            }
            writeln!(f, "m{number}: skip\n}}\n")?;
        }
        writeln!(f, "ltl {FORMULA} {{ {} }}", self.formula)
    }
}

/// The smallest model found for which the predicate still holds.
pub fn shrink(
    mut model: InterleavingModel,
    still_fails: &mut dyn FnMut(&InterleavingModel) -> bool,
) -> InterleavingModel {
    loop {
        let mut smaller = Vec::new();
        for process in 0..model.processes.len() {
            let (first, options) = &model.processes[process];
            if model.processes.len() > 1 && process + 1 == model.processes.len() {
                let mut less = model.clone();
                less.processes.pop();
                smaller.push(less);
            }
            for statement in 0..first.len() {
                let mut less = model.clone();
                less.processes[process].0.remove(statement);
                smaller.push(less);
            }
            for (option, row) in options.iter().enumerate() {
                let mut less = model.clone();
                less.processes[process].1.remove(option);
                smaller.push(less);
                for statement in 0..row.len() {
                    let mut less = model.clone();
                    less.processes[process].1[option].remove(statement);
                    if !less.processes[process].1[option].is_empty() {
                        smaller.push(less);
                    }
                }
            }
        }
        for statement in 0..model.created.len() {
            let mut less = model.clone();
            less.created.remove(statement);
            if !less.created.is_empty() {
                smaller.push(less);
            }
        }
        for condition in 0..model.conditions.len() {
            let mut less = model.clone();
            less.conditions.remove(condition);
            smaller.push(less);
        }
        match smaller.into_iter().find(|candidate| still_fails(candidate)) {
            Some(next) => model = next,
            None => return model,
        }
    }
}
