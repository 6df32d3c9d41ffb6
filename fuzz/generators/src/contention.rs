//! Small models in which processes get in each other's way: who is enabled comes and goes, so that kinds of
//! fairness differ.
//!
//! Every process goes round a loop of a few options; an option is a short row of statements that wait, take,
//! give, meet, create or end. A model is a list of rows for each process, so it shrinks by leaving rows and
//! statements out. Variables stay small, and no step runs into an error.

use crate::random::Random;
use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentionModel {
    /// For each process its options, each a row of statements.
    pub processes: Vec<Vec<Vec<String>>>,
    /// For each process, a condition without which it does nothing; empty for none.
    pub provided: Vec<String>,
    /// What a process that is created on the way does.
    pub created: Vec<String>,
    pub formula: String,
}

/// The name of the formula in the text.
pub const FORMULA: &str = "f";

const CONDITIONS: [&str; 10] = [
    "x == 0",
    "x == 1",
    "y == 0",
    "y == 1",
    "s == 0",
    "s > 0",
    "len(c) == 0",
    "P0[0]@l0",
    "P0[0]@m0",
    "P1[1]@m1",
];

impl ContentionModel {
    pub fn generate(seed: u64) -> ContentionModel {
        let mut random = Random::new(seed ^ 0xc047_e471_0000_0000);
        let count = 2 + random.below(2);
        let processes: Vec<Vec<Vec<String>>> = (0..count)
            .map(|_| {
                let options = 1 + random.below(3);
                let mut rows: Vec<Vec<String>> = (0..options).map(|_| row(&mut random)).collect();
                // There is a place behind the first statement.
                if rows[0].len() == 1 {
                    let last = if random.chance(50) { "s++; s--" } else { "skip" };
                    rows[0].push(last.to_string());
                }
                rows
            })
            .collect();
        let provided = (0..count)
            .map(
                |_| if random.chance(12) { random.pick(&CONDITIONS[..6]).to_string() } else { String::new() },
            )
            .collect();
        let created = row(&mut random);
        let formula = formula(&mut random);
        ContentionModel { processes, provided, created, formula }
    }
}

fn row(random: &mut Random) -> Vec<String> {
    (0..1 + random.below(3)).map(|_| statement(random, 0)).collect()
}

fn statement(random: &mut Random, depth: u32) -> String {
    let value = random.below(2);
    let simple = [
        "s > 0 -> s--".to_string(),
        "s < 2 -> s++".to_string(),
        "x = 1 - x".to_string(),
        format!("x = {value}"),
        format!("x == {value}"),
        format!("y == {value}"),
        format!("y = {value}"),
        "c!1".to_string(),
        "c?_".to_string(),
        "r!1".to_string(),
        "r?_".to_string(),
        "skip".to_string(),
        "timeout -> x = 0".to_string(),
        "break".to_string(),
        "_nr_pr < 4 -> run Q()".to_string(),
    ];
    let plain = random.pick(&simple).clone();
    if depth > 0 || random.chance(70) {
        return plain;
    }
    let mut more = || statement(random, 1);
    let (one, two) = (more(), more());
    let inside = |text: &str| !text.contains("break");
    match random.below(6) {
        0 if inside(&one) && inside(&two) => format!("atomic {{ {one}; {two} }}"),
        1 => format!("d_step {{ x == {value} -> y = {value}; x = 1 - x }}"),
        2 if inside(&one) && inside(&two) => format!("{{ {one}; {two} }} unless {{ y == {value} -> y = 0 }}"),
        3 => format!("if :: {one} :: {two} fi"),
        4 => format!("if :: x == {value} -> {one} :: else fi"),
        _ => plain,
    }
}

fn formula(random: &mut Random) -> String {
    let (p, q) = (*random.pick(&CONDITIONS), *random.pick(&CONDITIONS));
    match random.below(7) {
        0 => format!("[] <> ({p})"),
        1 => format!("<> [] ({p})"),
        2 => format!("[] (({p}) -> <> ({q}))"),
        3 => format!("([] <> ({p})) -> ([] <> ({q}))"),
        4 => format!("<> ({p})"),
        5 => format!("([] <> ({p})) && ([] <> ({q}))"),
        _ => format!("(<> [] ({p})) || ([] <> ({q}))"),
    }
}

impl fmt::Display for ContentionModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "byte s = 1, x, y;\nchan c = [1] of {{ bit }};\nchan r = [0] of {{ bit }};\n")?;
        writeln!(f, "proctype Q() {{\n  {}\n}}\n", self.created.join(";\n  ").replace("break", "skip"))?;
        for (number, options) in self.processes.iter().enumerate() {
            let provided = match self.provided[number].as_str() {
                "" => String::new(),
                condition => format!(" provided ({condition})"),
            };
            writeln!(f, "active proctype P{number}(){provided} {{\nl{number}:\n  do")?;
            for (place, option) in options.iter().enumerate() {
                let mut option = option.clone();
                if let (0, Some(second)) = (place, option.get_mut(1)) {
                    *second = format!("m{number}: {second}");
                }
                writeln!(f, "  :: {}", option.join("; "))?;
            }
            writeln!(f, "  od\n}}\n")?;
        }
        writeln!(f, "ltl {FORMULA} {{ {} }}", self.formula)
    }
}

/// The smallest model found for which the predicate still holds.
pub fn shrink(
    mut model: ContentionModel,
    still_fails: &mut dyn FnMut(&ContentionModel) -> bool,
) -> ContentionModel {
    loop {
        let mut smaller = Vec::new();
        for process in 0..model.processes.len() {
            for option in 0..model.processes[process].len() {
                let mut less = model.clone();
                less.processes[process].remove(option);
                if !less.processes[process].is_empty() {
                    smaller.push(less);
                }
                for statement in 0..model.processes[process][option].len() {
                    let mut less = model.clone();
                    less.processes[process][option].remove(statement);
                    if !less.processes[process][option].is_empty() {
                        smaller.push(less);
                    }
                }
            }
            if !model.provided[process].is_empty() {
                let mut less = model.clone();
                less.provided[process].clear();
                smaller.push(less);
            }
        }
        if model.processes.len() > 1 {
            let mut less = model.clone();
            less.processes.pop();
            less.provided.pop();
            smaller.push(less);
        }
        if model.created != ["skip"] {
            smaller.push(ContentionModel { created: vec!["skip".to_string()], ..model.clone() });
        }
        match smaller.into_iter().find(|candidate| still_fails(candidate)) {
            Some(less) => model = less,
            None => return model,
        }
    }
}
