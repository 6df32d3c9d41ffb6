//! The cases of the suite of the papers, each checked by all algorithms, with what they counted.
//!
//! The suite is `crates/laboratory/suites/paper.toml`. Every algorithm gets the same degeneralised automaton,
//! so the same product, and follows the same order of successors: what they count can be compared number by
//! number. The naive check is left out, as it is there: its time is quadratic.

pub mod table;

use lariat_checker::properties::{AddedProperty, Property};
use lariat_checker::{ALGORITHMS, Algorithm, FiniteRuns, Loaded, Observer, Options, ReadOptions, Report};
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{LazyLock, Mutex};
use toml::{Table, Value};

/// What an algorithm found and counted.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    pub verdict: &'static str,
    pub visited: u64,
    pub transitions: u64,
    pub post_calls: u64,
    pub depth: u64,
    pub roots: u64,
    pub active: u64,
    pub found_nested: bool,
    /// Of the lasso as it was found: steps before the cycle, and of the cycle.
    pub prefix: u64,
    pub cycle: u64,
}

impl Run {
    fn of(report: &Report) -> Run {
        let counts = report.counts;
        Run {
            verdict: report.verdict.name(),
            visited: counts.visited,
            transitions: counts.transitions,
            post_calls: counts.post_calls,
            depth: counts.depth,
            roots: counts.stacks.roots,
            active: counts.stacks.active,
            found_nested: counts.found_nested,
            prefix: report.lasso.map_or(0, |lasso| lasso.prefix),
            cycle: report.lasso.map_or(0, |lasso| lasso.cycle),
        }
    }
}

/// A property of a model.
pub struct Case {
    pub model: String,
    pub property: String,
    /// What the suite or the file beside the model says.
    pub expected: Option<String>,
    /// The automaton that is looked for is weak: the algorithms that need that do not refuse it.
    pub weak: bool,
    pub violated: bool,
    /// By the names of the algorithms. Those that refuse are left out.
    pub runs: BTreeMap<&'static str, Run>,
}

impl Case {
    /// What the algorithm of that name counted.
    pub fn run(&self, name: &str) -> Run {
        *self
            .runs
            .get(name)
            .unwrap_or_else(|| panic!("`{name}` was not run on {} {}", self.model, self.property))
    }

    pub fn transitions(&self, name: &str) -> u64 {
        self.run(name).transitions
    }

    pub fn visited(&self, name: &str) -> u64 {
        self.run(name).visited
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let weak = if self.weak { "weak" } else { "strong" };
        let violated = if self.violated { "violated" } else { "holds" };
        writeln!(f, "{} {}: {weak}, {violated}", self.model, self.property)?;
        for (name, run) in &self.runs {
            let Run { visited, transitions, post_calls, depth, roots, active, .. } = run;
            write!(
                f,
                "  {name:9} states {visited:6} transitions {transitions:7} post {post_calls:6} depth {depth:5}"
            )?;
            write!(f, " roots {roots:5} active {active:6} lasso {:4} + {:4}", run.prefix, run.cycle)?;
            writeln!(f, "{}", if run.found_nested { " nested" } else { "" })?;
        }
        Ok(())
    }
}

/// The models of Table 1.
pub const VARIANTS: [&str; 2] = ["election_extinction_same", "election_extinction_turns"];

/// All cases, checked once for all tests.
pub static CASES: LazyLock<Vec<Case>> = LazyLock::new(all_cases);

fn all_cases() -> Vec<Case> {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../laboratory/suites/paper.toml");
    let table = read_table(&suite);
    let models: Vec<StatedModel> =
        tables(&table, "models").map(|model| StatedModel::read(&suite, model)).collect();
    let work: Vec<(usize, usize)> = models
        .iter()
        .enumerate()
        .flat_map(|(k, model)| (0..model.properties.len()).map(move |p| (k, p)))
        .collect();
    // Two threads take the next case each: the order of the results does not depend on who is quicker.
    let (next, done) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        let work_off = || {
            while let Some(&(model, property)) = work.get(next.fetch_add(1, Relaxed)) {
                let case = models[model].checked(property);
                done.lock().unwrap().insert((model, property), case);
            }
        };
        scope.spawn(work_off);
        scope.spawn(work_off);
    });
    done.into_inner().unwrap().into_values().collect()
}

/// A model of the suite, read, with its properties.
struct StatedModel {
    name: String,
    loaded: Loaded,
    finite_runs: Option<FiniteRuns>,
    properties: Vec<StatedProperty>,
}

struct StatedProperty {
    name: String,
    property: Property,
    expected: Option<String>,
}

impl StatedModel {
    fn read(suite: &Path, model: &Table) -> StatedModel {
        let file: PathBuf = suite.with_file_name(text(model, "file").expect("a file"));
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let mut read = ReadOptions::default();
        for define in strings(model, "defines") {
            let (name, value) = define.split_once('=').expect("a name and a value");
            read.preprocessor.defines.push((name.to_string(), Some(value.to_string())));
        }
        let formulas: Vec<&Table> = tables(model, "formulas").collect();
        let added: Vec<AddedProperty> =
            formulas.iter().map(|table| AddedProperty::Ltl(text(table, "ltl").expect("a formula"))).collect();
        let loaded =
            lariat_checker::load_with(&file, &read, &added).unwrap_or_else(|error| panic!("{name}: {error}"));
        let known = read_table(&file.with_extension("expect.toml"));
        let known = known.get("ltl").and_then(Value::as_table).cloned().unwrap_or_default();
        let mut properties = Vec::new();
        for property in strings(model, "properties") {
            let found = loaded.stated.iter().find(|stated| stated.name() == property);
            let stated = found.unwrap_or_else(|| panic!("{name} has no `{property}`")).clone();
            // With other sizes than its own, a model may have other verdicts.
            let expected = text(&known, &property).filter(|_| model.get("defines").is_none());
            properties.push(StatedProperty { name: property, property: stated, expected });
        }
        for (table, added) in formulas.iter().zip(&loaded.added) {
            let name = text(table, "name").expect("a name");
            properties.push(StatedProperty {
                name,
                property: added.clone(),
                expected: text(table, "expect"),
            });
        }
        let finite_runs = text(model, "finite-runs").map(|rule| match rule.as_str() {
            "stutter" => FiniteRuns::Stutter,
            _ => FiniteRuns::Ignore,
        });
        StatedModel { name, loaded, finite_runs, properties }
    }

    fn checked(&self, property: usize) -> Case {
        let StatedProperty { name, property, expected } = &self.properties[property];
        let mut runs = BTreeMap::new();
        for description in ALGORITHMS.iter().filter(|description| description.posts.is_some()) {
            let options = Options {
                // As in the papers: products are not cut short where it is decided.
                whole_run: true,
                algorithm: Algorithm::Named(description.check),
                degeneralise: true,
                finite_runs: self.finite_runs,
                ..Options::default()
            };
            let report =
                lariat_checker::check_property(&self.loaded, property, &options, Observer::default());
            let report = report.unwrap_or_else(|error| panic!("{} {name}: {error}", self.name));
            if report.verdict.name() != "refused" {
                runs.insert(description.name, Run::of(&report));
            }
        }
        Case {
            model: self.name.clone(),
            property: name.clone(),
            expected: expected.clone(),
            weak: runs.contains_key("sd"),
            violated: runs["gv"].verdict == "violated",
            runs,
        }
    }
}

fn read_table(file: &Path) -> Table {
    let text = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    text.parse().unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

fn text(table: &Table, key: &str) -> Option<String> {
    table.get(key).and_then(Value::as_str).map(str::to_string)
}

fn strings(table: &Table, key: &str) -> Vec<String> {
    let list = table.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    list.iter().filter_map(Value::as_str).map(str::to_string).collect()
}

fn tables<'a>(table: &'a Table, key: &str) -> impl Iterator<Item = &'a Table> {
    table.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_table)
}
