//! Automata as a person reads them: labels as sums of products, and a plain listing.
//!
//! ```text
//! automaton for F a
//! 2 states, 3 edges, 1 acceptance set (Büchi, on states)
//! state 0 (initial)
//!   true      → 0
//!   a         → 1
//! state 1 (accepting)
//!   true      → 1
//! ```
//!
//! The products are those of [`Bdds::cover`]. A function may be a sum of exponentially many products (the
//! parity of sixty propositions is one); such a label is not written out here, and the formats that must
//! write it have other means. For the same reason functions that come out of text are combined through
//! `and_within_limits` and `or_within_limits`.

use crate::automaton::{Automaton, Placement, State};
use crate::bdd::{Bdd, Bdds, Cube};
use crate::marks::Marks;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// How a label is spelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// `a & !b | c`
    Text,
    /// `(a && !b) || c`
    Promela,
}

/// A function with more paths to true in its diagram is not written as a sum of products.
const MOST_PRODUCTS: u64 = 4096;

/// Two functions are combined only if the product of their diagrams' sizes is not larger.
const LARGEST_COMBINATION: usize = 1 << 20;

/// The label as a sum of products of the propositions. A proposition that is not a plain identifier stands in
/// parentheses.
pub fn label_text(bdds: &mut Bdds, label: Bdd, propositions: &[String], style: Style) -> String {
    let Some(products) = products(bdds, label) else {
        let count = bdds.support(label).len();
        return format!("a function of {count} propositions that is too large to show");
    };
    let (and, or) = match style {
        Style::Text => (" & ", " | "),
        Style::Promela => (" && ", " || "),
    };
    if label.is_constant() {
        return if label.is_true() { "true" } else { "false" }.to_string();
    }
    let bracketed = style == Style::Promela && products.len() > 1;
    let mut text = String::new();
    for (nth, product) in products.iter().enumerate() {
        text.push_str(if nth == 0 { "" } else { or });
        let brackets = bracketed && product.len() > 1;
        text.push_str(if brackets { "(" } else { "" });
        for (nth, &(variable, positive)) in product.iter().enumerate() {
            text.push_str(if nth == 0 { "" } else { and });
            text.push_str(if positive { "" } else { "!" });
            match propositions.get(variable as usize) {
                Some(name) if is_identifier(name) => text.push_str(name),
                Some(name) => drop(write!(text, "({name})")),
                None => drop(write!(text, "p{variable}")),
            }
        }
        text.push_str(if brackets { ")" } else { "" });
    }
    text
}

pub(crate) fn is_identifier(name: &str) -> bool {
    name.bytes().enumerate().all(|(i, b)| b == b'_' || b.is_ascii_alphabetic() || i > 0 && b.is_ascii_digit())
        && !name.is_empty()
}

/// The products whose sum is the function; `None` if there may be too many.
pub(crate) fn products(bdds: &mut Bdds, label: Bdd) -> Option<Vec<Cube>> {
    let few = true_paths(bdds, label, &mut FxHashMap::default()) <= MOST_PRODUCTS;
    few.then(|| bdds.cover(label))
}

fn true_paths(bdds: &Bdds, function: Bdd, known: &mut FxHashMap<Bdd, u64>) -> u64 {
    let Some((_, low, high)) = bdds.split(function) else {
        return function.is_true() as u64;
    };
    if let Some(&count) = known.get(&function) {
        return count;
    }
    let count = true_paths(bdds, low, known).saturating_add(true_paths(bdds, high, known));
    known.insert(function, count);
    count
}

/// The number of nodes in the function's diagram.
fn diagram_size(bdds: &Bdds, function: Bdd) -> usize {
    let mut seen = FxHashSet::default();
    let mut work = vec![function];
    while let Some(bdd) = work.pop() {
        if let Some((_, low, high)) = bdds.split(bdd)
            && seen.insert(bdd)
        {
            work.extend([low, high]);
        }
    }
    seen.len() + 1
}

fn fits(bdds: &Bdds, a: Bdd, b: Bdd) -> bool {
    a.is_constant()
        || b.is_constant()
        || diagram_size(bdds, a).saturating_mul(diagram_size(bdds, b)) <= LARGEST_COMBINATION
}

/// Both, unless the functions are so large that it might take too long.
pub(crate) fn and_within_limits(bdds: &mut Bdds, a: Bdd, b: Bdd) -> Option<Bdd> {
    fits(bdds, a, b).then(|| bdds.and(a, b))
}

/// Either, unless the functions are so large that it might take too long.
pub(crate) fn or_within_limits(bdds: &mut Bdds, a: Bdd, b: Bdd) -> Option<Bdd> {
    fits(bdds, a, b).then(|| bdds.or(a, b))
}

/// The listing.
pub fn write(automaton: &Automaton, bdds: &mut Bdds) -> String {
    let mut out = String::new();
    let on_states = automaton.placement == Placement::States && automaton.has_state_acceptance();
    if let Some(name) = &automaton.name {
        let _ = writeln!(out, "automaton for {}", one_line(name));
    }
    let acceptance = match automaton.sets {
        0 => "no acceptance set (every infinite run is accepting)".to_string(),
        1 => format!("1 acceptance set (Büchi, {})", where_marks_are(on_states)),
        sets => format!("{sets} acceptance sets (generalised Büchi, {})", where_marks_are(on_states)),
    };
    let (states, edges) = (automaton.states(), automaton.edge_count());
    let _ = writeln!(out, "{}, {}, {acceptance}", counted(states, "state"), counted(edges, "edge"));
    let initial: FxHashSet<State> = automaton.initial.iter().copied().collect();
    for state in 0..automaton.states() as State {
        let _ = write!(out, "state {state}");
        let mut remarks = Vec::new();
        if initial.contains(&state) {
            remarks.push("initial".to_string());
        }
        if on_states && automaton.sets > 0 {
            let marks = automaton.state_marks(state);
            match automaton.sets {
                1 if marks.is_empty() => {}
                1 => remarks.push("accepting".to_string()),
                _ if marks.is_empty() => {}
                _ => remarks.push(marks_text(marks)),
            }
        }
        if !remarks.is_empty() {
            let _ = write!(out, " ({})", remarks.join(", "));
        }
        out.push('\n');
        let leaving = automaton.leaving(state);
        let labels: Vec<String> = leaving
            .iter()
            .map(|edge| one_line(&label_text(bdds, edge.label, &automaton.propositions, Style::Text)))
            .collect();
        let width = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0).min(40);
        for (edge, label) in leaving.iter().zip(labels) {
            let padding = width.saturating_sub(label.chars().count());
            let _ = write!(out, "  {label}{:padding$}  → {}", "", edge.to);
            if !on_states && !edge.marks.is_empty() {
                let _ = write!(out, "  {}", marks_text(edge.marks));
            }
            out.push('\n');
        }
    }
    out
}

fn where_marks_are(on_states: bool) -> &'static str {
    if on_states { "on states" } else { "on edges" }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// `{0,2}`
pub(crate) fn marks_text(marks: Marks) -> String {
    let sets: Vec<String> = marks.iter().map(|set| set.to_string()).collect();
    format!("{{{}}}", sets.join(","))
}

/// The text without line breaks and other control characters.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// `x!=2` of `((x!=2))`: brackets that hold all of a text together say nothing.
pub fn without_brackets(text: &str) -> &str {
    let Some(inside) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else { return text };
    let mut open = 0;
    for c in inside.chars() {
        open += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        if open < 0 {
            return text;
        }
    }
    without_brackets(inside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::Edge;

    fn sample(bdds: &mut Bdds) -> Automaton {
        let a = bdds.variable(0);
        let b = bdds.literal(1, false);
        let both = bdds.and(a, b);
        Automaton {
            name: Some("F a".into()),
            propositions: vec!["a".into(), "x == 1".into()],
            sets: 1,
            placement: Placement::States,
            initial: vec![0],
            edges: vec![
                vec![
                    Edge { label: Bdd::TRUE, marks: Marks::NONE, to: 0 },
                    Edge { label: both, marks: Marks::NONE, to: 1 },
                ],
                vec![Edge { label: Bdd::TRUE, marks: Marks::one(0), to: 1 }],
            ],
        }
    }

    #[test]
    fn a_listing() {
        let mut bdds = Bdds::new();
        let automaton = sample(&mut bdds);
        assert_eq!(
            write(&automaton, &mut bdds),
            "\
automaton for F a
2 states, 3 edges, 1 acceptance set (Büchi, on states)
state 0 (initial)
  true           → 0
  a & !(x == 1)  → 1
state 1 (accepting)
  true  → 1
"
        );
        let on_edges = Automaton { placement: Placement::Edges, name: None, ..automaton };
        assert_eq!(
            write(&on_edges, &mut bdds),
            "\
2 states, 3 edges, 1 acceptance set (Büchi, on edges)
state 0 (initial)
  true           → 0
  a & !(x == 1)  → 1
state 1
  true  → 1  {0}
"
        );
    }

    #[test]
    fn labels_in_both_styles() {
        let mut bdds = Bdds::new();
        let names = ["a".to_string(), "P@l".to_string(), "c".to_string()];
        let product = bdds.cube(&[(0, true), (1, false)]);
        let c = bdds.variable(2);
        let sum = bdds.or(product, c);
        let not_c = bdds.not(c);
        let mut both = |label| {
            (
                label_text(&mut bdds, label, &names, Style::Text),
                label_text(&mut bdds, label, &names, Style::Promela),
            )
        };
        assert_eq!(both(sum), ("a & !(P@l) | c".into(), "(a && !(P@l)) || c".into()));
        assert_eq!(both(product), ("a & !(P@l)".into(), "a && !(P@l)".into()));
        assert_eq!(both(not_c), ("!c".into(), "!c".into()));
        assert_eq!(both(Bdd::TRUE), ("true".into(), "true".into()));
        assert_eq!(both(Bdd::FALSE), ("false".into(), "false".into()));
    }

    /// A sum of 2^59 products is neither computed nor waited for.
    #[test]
    fn parity_of_sixty_propositions() {
        let mut bdds = Bdds::new();
        let mut parity = Bdd::FALSE;
        for v in 0..60 {
            let variable = bdds.variable(v);
            let negated = bdds.not(parity);
            parity = bdds.choose(variable, negated, parity);
        }
        let text = label_text(&mut bdds, parity, &[], Style::Text);
        assert_eq!(text, "a function of 60 propositions that is too large to show");
    }

    #[test]
    fn brackets_around_all() {
        assert_eq!(without_brackets("((x!=2))"), "x!=2");
        assert_eq!(without_brackets("(a) && (b)"), "(a) && (b)");
        assert_eq!(without_brackets("((a) && (b))"), "(a) && (b)");
        assert_eq!(without_brackets("a[(1)]"), "a[(1)]");
    }
}
