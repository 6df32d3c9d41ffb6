//! Steps that are marked as without influence: what is claimed of them, tried out.
//!
//! The claim, for models without atomic sequences, priorities and `timeout`: if the steps of the run happen
//! in the same order, but those that are marked do nothing (what they write is not written, and they wait for
//! nothing), then all others can still happen, and the run still ends in the same violation. The judge knows
//! nothing of reads and writes: it writes a model that can do nothing but these steps in this order (a clock
//! says whose turn it is), with the effects of marked steps left out, and checks it. Beside that: no step is
//! marked that waited or chose a way for a process that does something later that counts.
//!
//! Processes have no loops, so a line of the model stands for at most one step of a run.

use lariat_checker::properties::AddedProperty;
use lariat_checker::{
    Counterexample, Observer, Options, Report, Task, Verdict, check_property, check_states, load_text,
};

/// What a line of a process does.
#[derive(Clone, Debug)]
enum Statement {
    Assign(String, String),
    Guard(String),
    /// The other way, where this condition is false.
    Else(String),
    Send(String),
    Receive,
    Assert(String),
}

/// A sequence of numbers that looks random, the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn value(&mut self) -> String {
        let name = ["a", "b", "c", "d", "x", "1", "2"][self.below(7)];
        match self.below(3) {
            0 => name.to_string(),
            1 => format!("(({name} + 1) % 4)"),
            _ => format!("(({name} + {}) % 4)", ["a", "b", "c", "d", "x"][self.below(5)]),
        }
    }

    fn condition(&mut self) -> String {
        let sides = (self.value(), self.value());
        format!("({} {} {})", sides.0, ["<=", "!=", ">=", "=="][self.below(4)], sides.1)
    }
}

const HEAD: &str = "byte a, b = 1, c = 2, d;\nchan q = [2] of { byte };\n";

/// A model, and what each of its lines does; lines that do nothing are not among them.
struct Model {
    text: String,
    lines: Vec<(u32, Statement)>,
}

impl Model {
    fn random(random: &mut Random, asserts: bool) -> Model {
        let mut model = Model { text: HEAD.to_string(), lines: Vec::new() };
        for process in 0..2 + random.below(2) {
            model.text += &format!("active proctype P{process}() {{ byte x;\n");
            for _ in 0..2 + random.below(4) {
                model.some(random, true);
            }
            if asserts && random.below(2) == 0 {
                let claim = random.condition();
                model.push(&format!("assert({claim})"), Statement::Assert(claim));
            }
            model.text += "skip }\n";
        }
        // So that no variable is a constant.
        model.text += "active proctype Writer() { byte x;\n";
        for name in ["d", "c", "b", "a"] {
            model.push(&format!("{name} = 3"), Statement::Assign(name.to_string(), "3".to_string()));
        }
        model.text += "skip }\n";
        model
    }

    fn push(&mut self, line: &str, statement: Statement) {
        self.lines.push((self.text.lines().count() as u32 + 1, statement));
        self.text += &format!("{line};\n");
    }

    fn some(&mut self, random: &mut Random, may_choose: bool) {
        match random.below(if may_choose { 9 } else { 5 }) {
            0..=2 => {
                let (to, value) = (["a", "b", "c", "d"][random.below(4)], random.value());
                self.push(&format!("{to} = {value}"), Statement::Assign(to.to_string(), value));
            }
            3 => {
                let value = random.value();
                self.push(&format!("x = {value}"), Statement::Assign("x".to_string(), value));
            }
            4 => {
                let value = random.value();
                self.push(&format!("q!{value}"), Statement::Send(value));
            }
            5 => self.push("q?x", Statement::Receive),
            6 => {
                let condition = random.condition();
                self.push(&condition.clone(), Statement::Guard(condition));
            }
            _ => {
                let condition = random.condition();
                self.text += "if\n::\n";
                self.push(&condition.clone(), Statement::Guard(condition.clone()));
                self.some(random, false);
                self.text += "::\n";
                self.push("else", Statement::Else(condition));
                self.some(random, false);
                self.text += "fi;\n";
            }
        }
    }

    /// Whether a step is marked that waited or chose a way, although its process does something later that is
    /// not.
    fn forgets_control(&self, run: &Counterexample) -> bool {
        let steps: Vec<_> = run.prefix.iter().filter(|step| step.number > 0 && !step.stutters).collect();
        steps.iter().enumerate().any(|(now, step)| {
            let statement = self.lines.iter().find(|(line, _)| *line == step.line);
            let controls = match statement {
                // A condition on constants neither waits nor chooses.
                Some((_, Statement::Guard(condition) | Statement::Else(condition))) => {
                    condition.contains(['a', 'b', 'c', 'd'])
                }
                Some((_, Statement::Send(_) | Statement::Receive)) => true,
                _ => false,
            };
            let counts_later = || {
                let mut later = steps[now + 1..].iter();
                later.any(|later| later.process == step.process && !later.without_influence)
            };
            controls && step.without_influence && counts_later()
        })
    }

    /// The steps of the run and no others, in their order; the marked ones without effect, if that is asked
    /// for.
    fn only(&self, run: &Counterexample, without_marked: bool) -> String {
        let steps: Vec<_> = run.prefix.iter().filter(|step| step.number > 0 && !step.stutters).collect();
        let mut names: Vec<&str> = steps.iter().map(|step| step.process.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let mut text = format!("{HEAD}byte clock;\n");
        for name in names {
            text += &format!("active proctype {name}() {{ byte x;\n");
            for (now, step) in steps.iter().enumerate().filter(|(_, step)| step.process == name) {
                let statement = self.lines.iter().find(|(line, _)| *line == step.line);
                let (when, effect) = match statement.filter(|_| !(without_marked && step.without_influence)) {
                    Some((_, Statement::Assign(to, value))) => (String::new(), format!("{to} = {value};")),
                    Some((_, Statement::Guard(condition))) => (format!(" && {condition}"), String::new()),
                    Some((_, Statement::Else(condition))) => (format!(" && !{condition}"), String::new()),
                    Some((_, Statement::Send(value))) => (" && nfull(q)".to_string(), format!("q!{value};")),
                    Some((_, Statement::Receive)) => (" && nempty(q)".to_string(), "q?x;".to_string()),
                    Some((_, Statement::Assert(claim))) => (String::new(), format!("assert({claim});")),
                    None => (String::new(), String::new()),
                };
                text += &format!("d_step {{ (clock == {now}){when}; {effect} clock = {} }};\n", now + 1);
            }
            text += "skip }\n";
        }
        text
    }
}

/// The report on assertions, or on an invariant.
fn checked(text: &str, invariant: Option<&str>) -> Report {
    let options = Options { as_found: true, ..Options::default() };
    let added: Vec<AddedProperty> =
        invariant.iter().map(|text| AddedProperty::Invariant(text.to_string())).collect();
    let loaded =
        load_text("model", text, &options.read, &added).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    match loaded.added.first() {
        Some(property) => check_property(&loaded, property, &options, Observer::default()),
        None => check_states(&loaded, Task::Safety, &options, Observer::default()),
    }
    .unwrap()
}

/// The run to a failed assertion, or to a state that violates the invariant.
fn violated<'r>(report: &'r Report, invariant: Option<&str>) -> Option<&'r Counterexample> {
    let found = report.violations.first().filter(|_| report.verdict == Verdict::Violated)?;
    let is_meant = invariant.is_some() || found.violation.message.contains("assert");
    found.counterexample.as_ref().filter(|_| is_meant)
}

#[test]
fn steps_without_influence_can_be_left_out() {
    let mut random = Random(5);
    let (mut judged, mut marked) = ([0; 2], [0; 2]);
    for round in 0..600 {
        let with_invariant = round % 2 == 1;
        let model = Model::random(&mut random, !with_invariant);
        let condition = random.condition().replace('x', "a");
        let invariant = Some(condition.as_str()).filter(|_| with_invariant);
        let report = checked(&model.text, invariant);
        let Some(run) = violated(&report, invariant) else { continue };
        let without = run.prefix.iter().filter(|step| step.without_influence).count();
        let is_same = |without_marked: bool| {
            let text = model.only(run, without_marked);
            let again = checked(&text, invariant);
            assert!(
                violated(&again, invariant).is_some(),
                "{invariant:?}, marked steps left out: {without_marked}, of\n{}\nwhat is left:\n{text}\n{:?}",
                model.text,
                again.verdict
            );
        };
        is_same(false);
        assert!(!model.forgets_control(run), "{:?} of\n{}", run.without_influence, model.text);
        judged[usize::from(with_invariant)] += 1;
        if without > 0 {
            is_same(true);
            marked[usize::from(with_invariant)] += 1;
        }
    }
    let enough = judged.iter().all(|&count| count > 50) && marked.iter().all(|&count| count > 20);
    assert!(enough, "{judged:?} {marked:?}");
}
