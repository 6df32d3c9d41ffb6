//! An automaton as one or two checks are given it, and what its states are called.
//!
//! What [`emptiness`](crate::emptiness::emptiness) does before it runs a check, for those who want to run it
//! themselves, and two of them on the same graph: the form is the one that the more demanding check needs.

use crate::emptiness::{GivenAutomaton, MOST_RESULTS, NoAnswer, count_sets, mark_components};
use lariat_ltl::strength::{Strength, strength};
use lariat_ltl::text::{Style, label_text};
use lariat_ltl::{Automaton, Bdds};
use lariat_search::emptiness::{Check, Needs, Stopped};
use lariat_search::{Limits, StopReason};
use lariat_verdict::{Algorithm, advised};
use std::collections::HashMap;

/// The automaton that the checks are given.
#[derive(Clone, Debug)]
pub struct Given {
    /// The checks, with `auto` replaced.
    pub checks: Vec<Check>,
    /// Without edges that no letter takes, and without states that no run reaches.
    pub automaton: Automaton,
    /// What its states are called: their numbers in the automaton that was read, with a stroke for each copy.
    pub names: Vec<String>,
    /// What leaves each state, line by line.
    pub texts: Vec<String>,
    /// What was done to it, if anything.
    pub form: Option<&'static str>,
}

/// Why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotGiven {
    /// A check cannot do it, and why.
    Refused(String),
    /// A limit came first.
    Stopped(StopReason),
    /// There is no answer at all.
    NoAnswer(NoAnswer),
}

/// Gives the automaton to these checks.
pub fn given(
    bdds: &mut Bdds,
    automaton: &Automaton,
    algorithm: Algorithm,
    with: Option<Check>,
    limits: Limits,
) -> Result<Given, NotGiven> {
    let mut automaton = automaton.clone();
    automaton.tidy(bdds);
    let reachable = automaton.reachable();
    automaton.restrict_to(&reachable);
    // In their new order.
    let numbers = reachable;
    let power = bdds.within(MOST_RESULTS, |bdds| strength(bdds, &automaton)).unwrap_or(Strength::Strong);
    let first = algorithm.named().unwrap_or_else(|| advised(power).0);
    let checks: Vec<Check> = [Some(first), with].into_iter().flatten().collect();
    for check in &checks {
        let description = check.description();
        let needed = match description.needs {
            Needs::Weak if power > Strength::Weak => "weak",
            Needs::Terminal if power > Strength::Terminal => "terminal",
            _ => continue,
        };
        let reason = format!("`{}` needs a {needed} automaton, and this one is {power}", description.name);
        return Err(NotGiven::Refused(reason));
    }
    let has_one_set = automaton.sets == 1 && automaton.has_state_acceptance();
    let needs = checks.iter().map(|check| check.description().needs).max().unwrap_or(Needs::AnySets);
    let (given, form) = match needs {
        Needs::Weak | Needs::Terminal => {
            let form = "it is weak: the states of accepting components are marked";
            (GivenAutomaton::new(mark_components(&automaton)), Some(form))
        }
        Needs::OneSet => match count_sets(&automaton, limits).map_err(NotGiven::NoAnswer)? {
            Err(Stopped(reason)) => return Err(NotGiven::Stopped(reason)),
            Ok(given) if has_one_set => (given, None),
            Ok(given) => {
                (given, Some("it is given one acceptance set, on states: a stroke is a copy of a state"))
            }
        },
        Needs::AnySets => (GivenAutomaton::new(automaton.clone()), None),
    };
    let GivenAutomaton { automaton, origin } = given;
    let mut copies: HashMap<u32, usize> = HashMap::new();
    let mut names = Vec::new();
    for &state in &origin {
        let strokes = copies.entry(state).or_default();
        names.push(format!("{}{}", numbers[state as usize], "′".repeat(*strokes)));
        *strokes += 1;
    }
    let mut texts = Vec::new();
    for edges in &automaton.edges {
        let mut lines = Vec::new();
        for edge in edges {
            let label = label_text(bdds, edge.label, &automaton.propositions, Style::Text);
            lines.push(format!("{label} → {}", names[edge.to as usize]));
        }
        texts.push(lines.join("\n"));
    }
    Ok(Given { checks, automaton, names, texts, form })
}
