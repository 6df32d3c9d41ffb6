//! The writer of claims. States are numbered in the order in which they are found from the initial one, so
//! that a claim that is read and written again stays as it is; and conditions name the propositions in the
//! order of their names, for the same reason: a claim does not say in which order an automaton had them.

use super::condition::{Condition, Cursor};
use super::lex::{Kind, lex};
use crate::automaton::{Automaton, Edge, State};
use crate::bdd::{Bdd, Bdds, Variable};
use crate::marks::Marks;
use crate::text::{Style, label_text, one_line, products};
use lariat_source::FileId;
use rustc_hash::FxHashMap;
use std::fmt;

/// Why an automaton has no claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unwritable {
    /// It has more than one acceptance set.
    SeveralSets(u32),
    /// Its acceptance is on edges.
    AcceptanceOnEdges,
    /// A label is a sum of too many products.
    LargeLabel,
    /// A proposition is not a Promela expression.
    Proposition(String),
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unwritable::SeveralSets(sets) => {
                write!(f, "a never claim has one acceptance set, this automaton has {sets}")
            }
            Unwritable::AcceptanceOnEdges => {
                write!(f, "a never claim has its acceptance on states, this automaton has it on edges")
            }
            Unwritable::LargeLabel => write!(f, "a label is too large to be written as a condition"),
            Unwritable::Proposition(name) => {
                write!(f, "the proposition `{name}` is not a Promela expression")
            }
        }
    }
}

impl std::error::Error for Unwritable {}

/// The automaton as a claim: one acceptance set on states, or none.
pub fn write(automaton: &Automaton, bdds: &mut Bdds) -> Result<String, Unwritable> {
    if automaton.sets > 1 {
        return Err(Unwritable::SeveralSets(automaton.sets));
    }
    if !automaton.has_state_acceptance() {
        return Err(Unwritable::AcceptanceOnEdges);
    }
    let mut writer = Writer::new(automaton, bdds)?;
    let mut automaton = automaton.clone();
    automaton.tidy(writer.bdds);
    one_initial_state(&mut automaton, writer.bdds);
    let automaton = automaton;

    let all = automaton.all_marks();
    let accepts_everything =
        |state: State| automaton.leaving(state) == [Edge { label: Bdd::TRUE, marks: all, to: state }];
    // Those that accept everything are one state, the last.
    let order: Vec<State> =
        automaton.reachable().into_iter().filter(|&state| !accepts_everything(state)).collect();
    let mut number = vec![order.len(); automaton.states()];
    for (new, &old) in order.iter().enumerate() {
        number[old as usize] = new;
    }
    let start = automaton.initial[0];
    let name = |state: State| {
        let edges = automaton.leaving(state);
        let accepting = edges.first().is_some_and(|edge| edge.marks == all);
        match (accepting, number[state as usize]) {
            (true, _) if state == start => "accept_init".to_string(),
            (false, _) if state == start => "T0_init".to_string(),
            (true, new) if new == order.len() => "accept_all".to_string(),
            (true, new) => format!("accept_S{new}"),
            (false, new) => format!("T0_S{new}"),
        }
    };

    let mut out = match automaton.name.as_deref().map(comment_text) {
        Some(name) if !name.is_empty() => format!("never {{ /* {name} */\n"),
        _ => "never {\n".to_string(),
    };
    for &state in &order {
        out.push_str(&format!("{}:\n", name(state)));
        let mut targets: Vec<(usize, &Edge)> =
            automaton.leaving(state).iter().map(|edge| (number[edge.to as usize], edge)).collect();
        targets.sort_by_key(|&(new, _)| new);
        if targets.is_empty() {
            out.push_str("\tfalse;\n");
            continue;
        }
        out.push_str("\tif\n");
        for same_target in targets.chunk_by(|one, two| one.0 == two.0) {
            let mut label = Bdd::FALSE;
            for (_, edge) in same_target {
                label = writer.bdds.or(label, edge.label);
            }
            out.push_str(&format!(
                "\t:: ({}) -> goto {}\n",
                writer.condition(label)?,
                name(same_target[0].1.to)
            ));
        }
        out.push_str("\tfi;\n");
    }
    if let Some(&state) = automaton.reachable().iter().find(|&&state| accepts_everything(state)) {
        out.push_str(&format!("{}:\n\tskip\n", name(state)));
    }
    out.push_str("}\n");
    Ok(out)
}

/// Several initial states become one that has the edges of all.
fn one_initial_state(automaton: &mut Automaton, bdds: &mut Bdds) {
    automaton.initial.dedup();
    if let [_] = automaton.initial[..] {
        return;
    }
    let mut edges: Vec<Edge> = Vec::new();
    for &state in &automaton.initial {
        edges.extend_from_slice(automaton.leaving(state));
    }
    // It is passed once: whether it is accepting does not matter, but its edges must agree.
    let marks = if automaton.sets == 0 { automaton.all_marks() } else { Marks::NONE };
    for edge in &mut edges {
        edge.marks = marks;
    }
    automaton.edges.push(edges);
    automaton.initial = vec![automaton.states() as State - 1];
    automaton.tidy(bdds);
}

fn comment_text(name: &str) -> String {
    let words: Vec<String> = name.split_whitespace().map(one_line).collect();
    words.join(" ").replace("*/", "* /").replace("/*", "/ *")
}

struct Writer<'a> {
    bdds: &'a mut Bdds,
    /// The propositions as Promela spells them, in ascending order.
    names: Vec<String>,
    /// The place of each of the automaton's propositions among them.
    places: Vec<Variable>,
    moved: FxHashMap<Bdd, Bdd>,
}

impl<'a> Writer<'a> {
    fn new(automaton: &Automaton, bdds: &'a mut Bdds) -> Result<Writer<'a>, Unwritable> {
        let mut used = vec![false; automaton.propositions.len()];
        for edge in automaton.edges.iter().flatten() {
            for variable in bdds.support(edge.label) {
                if let Some(used) = used.get_mut(variable as usize) {
                    *used = true;
                }
            }
        }
        let mut spelled: Vec<String> = Vec::with_capacity(used.len());
        for (name, used) in automaton.propositions.iter().zip(used) {
            spelled.push(match used {
                true => spelled_for_promela(name).ok_or_else(|| Unwritable::Proposition(name.clone()))?,
                false => name.clone(),
            });
        }
        let mut names = spelled.clone();
        names.sort();
        names.dedup();
        let place = |name: &String| names.binary_search(name).unwrap_or(0) as Variable;
        let places = spelled.iter().map(place).collect();
        Ok(Writer { bdds, names, places, moved: FxHashMap::default() })
    }

    fn condition(&mut self, label: Bdd) -> Result<String, Unwritable> {
        if products(self.bdds, label).is_none() {
            return Err(Unwritable::LargeLabel);
        }
        let label = self.moved(label);
        match products(self.bdds, label) {
            Some(_) => Ok(label_text(self.bdds, label, &self.names, Style::Promela)),
            None => Err(Unwritable::LargeLabel),
        }
    }

    /// The function with the propositions in the order of their names.
    fn moved(&mut self, label: Bdd) -> Bdd {
        let Some((variable, low, high)) = self.bdds.split(label) else { return label };
        if let Some(&known) = self.moved.get(&label) {
            return known;
        }
        let low = self.moved(low);
        let high = self.moved(high);
        let place = self.places.get(variable as usize).copied().unwrap_or(variable);
        let literal = self.bdds.variable(place);
        let result = self.bdds.choose(literal, high, low);
        self.moved.insert(label, result);
        result
    }
}

/// The name in the spelling that the reader of claims gives it; `None` if it is no expression.
fn spelled_for_promela(name: &str) -> Option<String> {
    let (tokens, comments) = lex(name);
    let mut cursor = Cursor::new(tokens, FileId::default());
    let condition = cursor.condition().ok()?;
    if cursor.token().kind != Kind::End || !comments.is_empty() || name.contains(['"', '#']) {
        return None;
    }
    match condition {
        Condition::Proposition(name) => Some(name),
        Condition::Constant(_) => None,
        // It is several propositions for a reader of the claim, but the meaning stays.
        _ => Some(name.split_whitespace().collect::<Vec<_>>().join(" ")),
    }
}
