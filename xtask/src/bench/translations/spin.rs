//! `spin -f`: the formula as it reads it, and the size of the claim that it prints.
//!
//! Spin knows neither `W` nor `M`: they are spelled out. `X` it reads only if it was compiled for it, which
//! Debian's is not. Conjunctions and disjunctions are printed in the order of the formulas' numbers, not as
//! they were written; over the sets this changes Spin's time and sizes by less than a hundredth.
//!
//! The claim is counted as we read it, without any simplification: the states that can be reached, and as
//! edges one for each pair of states, options that lead to the same place being one.

use super::Size;
use lariat_ltl::formula::Formulas;
use lariat_ltl::parse::{Dialect, parse_text};
use lariat_ltl::print::{Style, print};
use lariat_ltl::{Bdds, never};
use lariat_source::{FileId, SourceMap};

/// The formula in the syntax of Spin; `None` if it has an error.
pub fn text(formula: &str) -> Option<String> {
    let tree = parse_text(formula, FileId::default(), 0, Dialect::Spot).tree?;
    let mut formulas = Formulas::new();
    let formula = tree.to_formula(&mut formulas);
    Some(print(&formulas, formula, Style::Spin))
}

/// Is this what Spin prints when it cannot read a formula?
pub fn is_refusal(printed: &str) -> bool {
    printed.contains("tl_spin:")
}

/// The size of the claim that a text consists of; `None` if it is not one that we can read.
pub fn size_of_claim(text: &str) -> Option<Size> {
    let mut sources = SourceMap::new();
    let file = sources.add("claim", "", text.to_string());
    let automaton = never::read(&sources, file, &mut Bdds::new()).0?;
    let reached = automaton.reachable();
    let edges = reached.iter().map(|&state| automaton.leaving(state).len()).sum();
    Some(Size { states: reached.len(), edges })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_spelled_for_spin() {
        assert_eq!(text("G (a -> F b)").unwrap(), "[](<>b || !a)");
        assert_eq!(text("a W b").unwrap(), "b V (a || b)");
        assert_eq!(text("a W"), None);
    }

    #[test]
    fn claims_are_counted() {
        let until = "never {    /* a U b */\nT0_init:\n\tdo\n\t:: atomic { ((b)) -> assert(!((b))) }\n\
                     \t:: ((a)) -> goto T0_init\n\tod;\naccept_all:\n\tskip\n}\n";
        assert_eq!(size_of_claim(until), Some(Size { states: 2, edges: 3 }));
        let all = "never {    /* true */\naccept_init:\n\tdo\n\t:: (1) -> goto accept_init\n\tod;\n}\n";
        assert_eq!(size_of_claim(all), Some(Size { states: 1, edges: 1 }));
        let refusal = "tl_spin: expected predicate, saw 'X'\ntl_spin: X p\n----------^\n";
        assert!(is_refusal(refusal) && size_of_claim(refusal).is_none());
    }
}
