//! Spin's answers on random models, recorded by `compare-with-spin --record`, so that they can be compared
//! where there is no Spin.

use lariat_generators::{GeneratorOptions, generate};
use lariat_oracles::{Answer, Asked, ask_lariat, mark};

struct Recorded {
    seed: u64,
    mark: u32,
    states: u64,
    transitions: Option<u64>,
    violated: Option<bool>,
}

fn recorded() -> Vec<Recorded> {
    let text = include_str!("../recorded.csv");
    let rows = text.lines().skip(1).map(|line| {
        let fields: Vec<&str> = line.split(',').collect();
        let [seed, mark, states, transitions, safety] = fields[..] else { panic!("five fields: {line}") };
        Recorded {
            seed: seed.parse().expect("a seed"),
            mark: u32::from_str_radix(mark, 16).expect("a mark"),
            states: states.parse().expect("a number of states"),
            transitions: transitions.parse().ok(),
            violated: match safety {
                "violated" => Some(true),
                "holds" => Some(false),
                _ => None,
            },
        }
    });
    rows.collect()
}

/// What is wrong with Lariat's answer on a model, if anything.
fn complaint(row: &Recorded) -> Option<String> {
    let text = generate(row.seed, &GeneratorOptions::default()).to_string();
    if mark(&text) != row.mark {
        return Some("the generator has changed: record the answers again".into());
    }
    let (states, transitions, violated) = match ask_lariat(&text, 2 * row.states as usize + 1000) {
        Asked::Answer(Answer { states, transitions, violated, .. }) => (states, transitions, violated),
        other => return Some(format!("{other:?}")),
    };
    if states != row.states {
        return Some(format!("states: {} in Spin, {states} in Lariat", row.states));
    }
    if row.transitions.is_some_and(|known| known != transitions) {
        return Some(format!("transitions: {:?} in Spin, {transitions} in Lariat", row.transitions));
    }
    if row.violated.is_some() && row.violated != violated {
        return Some(format!("violated: {:?} in Spin, {violated:?} in Lariat", row.violated));
    }
    None
}

#[test]
fn lariat_says_what_spin_said() {
    let rows = recorded();
    assert!(rows.len() >= 5000, "only {} answers are recorded", rows.len());
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|row| complaint(row).map(|complaint| format!("seed {}: {complaint}", row.seed)))
        .collect();
    assert!(wrong.is_empty(), "{} of {} models:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}
