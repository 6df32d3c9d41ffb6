//! Does a simplified model get the same verdicts? Every property of a model is checked without
//! simplifications and with each choice of them; and both engines count the same states.
//!
//! Compared are verdicts, and that there are not more states. What stops at the first violation visits part
//! of the states only, in an order that simplifications change; so states are compared by exploring
//! everything.

use lariat_checker::properties::Property;
use lariat_checker::{Engine, Loaded, Observer, Options, Report, Simplifications, Task, Verdict};

/// All choices but none.
pub const CHOICES: [Simplifications; 3] = [
    Simplifications { reset_dead_variables: true, merge_statements: false },
    Simplifications { reset_dead_variables: false, merge_statements: true },
    Simplifications { reset_dead_variables: true, merge_statements: true },
];

/// What a comparison found out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compared {
    /// Properties with a verdict, safety among them.
    pub verdicts: usize,
    /// Those that are violated.
    pub violated: usize,
    /// States without simplifications, and with each choice.
    pub states: u64,
    pub simplified: [u64; 3],
}

/// Compares the verdicts on everything that the model states. `Ok(None)` if it has more states than that;
/// `Err` says what differs.
pub fn compare(loaded: &Loaded, most_states: u64) -> Result<Option<Compared>, String> {
    let plain = explore(loaded, Simplifications::default(), Engine::Interpreted, most_states)?;
    let Verdict::Holds(_) = plain.verdict else { return Ok(None) };
    let mut compared = Compared { states: plain.counts.stored, ..Compared::default() };
    for (choice, states) in CHOICES.into_iter().zip(&mut compared.simplified) {
        let reports = [Engine::Interpreted, Engine::Compiled]
            .map(|engine| explore(loaded, choice, engine, most_states));
        let [interpreted, compiled] = reports;
        let (interpreted, compiled) = (interpreted?, compiled?);
        // Each engine has tables of its own, so bytes are not compared.
        let counted = |report: &Report| {
            let counts = &report.counts;
            (counts.stored, counts.visited, counts.transitions, counts.depth, counts.post_calls)
        };
        if counted(&interpreted) != counted(&compiled) {
            return Err(format!("{choice:?}: the engines count differently"));
        }
        *states = interpreted.counts.stored;
        if *states > plain.counts.stored {
            return Err(format!("{choice:?}: {states} states instead of {}", plain.counts.stored));
        }
        if interpreted.unreached != plain.unreached {
            return Err(format!("{choice:?}: other statements are unreached"));
        }
        let found = |report: &Report| {
            let counts = &report.counts;
            [counts.deadlocks, counts.assertion_violations, counts.runtime_errors].map(|count| count > 0)
        };
        if found(&interpreted) != found(&plain) {
            return Err(format!("{choice:?}: {:?} instead of {:?}", found(&interpreted), found(&plain)));
        }
    }
    let properties = std::iter::once(None).chain(loaded.stated.iter().map(Some));
    for property in properties {
        let expected = ask(loaded, property, Simplifications::default(), most_states)?;
        if let "holds" | "violated" = expected {
            compared.verdicts += 1;
            compared.violated += (expected == "violated") as usize;
        }
        for choice in CHOICES {
            let found = ask(loaded, property, choice, most_states)?;
            if found != expected {
                let name = property.map_or("safety".to_string(), Property::name);
                return Err(format!("{name}: {found} instead of {expected} with {choice:?}"));
            }
        }
    }
    Ok(Some(compared))
}

fn options(simplify: Simplifications, engine: Engine, most_states: u64) -> Options {
    Options { simplify, engine, max_states: Some(most_states), ..Options::default() }
}

fn explore(loaded: &Loaded, choice: Simplifications, engine: Engine, most: u64) -> Result<Report, String> {
    let options = options(choice, engine, most);
    lariat_checker::check_states(loaded, Task::Explore, &options, Observer::default())
        .map_err(|e| e.to_string())
}

/// The verdict in a word.
fn ask(
    loaded: &Loaded,
    property: Option<&Property>,
    choice: Simplifications,
    most_states: u64,
) -> Result<&'static str, String> {
    // A product has more states than the model.
    let options = options(choice, Engine::Interpreted, most_states * 50);
    let report = match property {
        None => lariat_checker::check_states(loaded, Task::Safety, &options, Observer::default()),
        Some(property) => lariat_checker::check_property(loaded, property, &options, Observer::default()),
    };
    let report = report.map_err(|error| format!("{choice:?}: {error}"))?;
    Ok(report.verdict.name())
}
