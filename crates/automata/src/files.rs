//! Automata from files, in the HOA format or as never claims: read, simplified, given one acceptance set.

use crate::work::Work;
use lariat_ltl::reduce::degeneralise::degeneralise;
use lariat_ltl::{Automaton, Bdds, Placement, hoa, never, reduce};
use lariat_source::{Diagnostic, FileId, SourceMap, Span};

/// In which language a text describes automata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutomatonLanguage {
    /// The Hanoi format.
    Hoa,
    /// A never claim of Promela.
    NeverClaim,
}

/// What a file contains, by its first word. Comments may stand before it.
pub fn language_of(text: &str) -> Option<AutomatonLanguage> {
    let rest = &text[start_of(text)..];
    let word = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next();
    match word {
        _ if rest.starts_with("HOA:") => Some(AutomatonLanguage::Hoa),
        Some("never") => Some(AutomatonLanguage::NeverClaim),
        _ => None,
    }
}

/// Where the text starts after comments and white space.
fn start_of(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = text[at..].trim_start();
        at = text.len() - rest.len();
        let (opening, closing) = match rest {
            _ if rest.starts_with("/*") => ("/*", "*/"),
            _ if rest.starts_with("//") => ("//", "\n"),
            _ => return at,
        };
        let body = &rest[opening.len()..];
        // Comments in the HOA format may be nested; in Promela nobody nests them.
        let mut depth = 1;
        let mut end = 0;
        while depth > 0 {
            let (open, close) = (body[end..].find("/*"), body[end..].find(closing));
            match (open, close) {
                (_, None) => return at,
                (Some(open), Some(close)) if closing == "*/" && open < close => {
                    depth += 1;
                    end += open + 2;
                }
                (_, Some(close)) => {
                    depth -= 1;
                    end += close + closing.len();
                }
            }
        }
        at += opening.len() + end;
    }
}

/// All automata of a file that can be taken, and what is to be said about them and the others: where there is
/// none, there is an error.
pub fn read_automata(
    sources: &SourceMap,
    file: FileId,
    bdds: &mut Bdds,
) -> (Vec<Automaton>, Vec<Diagnostic>) {
    let text = &sources.file(file).text;
    match language_of(text) {
        Some(AutomatonLanguage::Hoa) => hoa::read(sources, file, bdds),
        Some(AutomatonLanguage::NeverClaim) => {
            let (claim, messages) = never::read(sources, file, bdds);
            (claim.into_iter().collect(), messages)
        }
        None => {
            let start = start_of(text);
            let first = text[start..].split_whitespace().next().unwrap_or("");
            let place = Span::new(file, start as u32, (start + first.len()) as u32);
            let message = if first.is_empty() {
                "there is no automaton in this text"
            } else {
                "this is neither an automaton in the HOA format nor a never claim"
            };
            let has_claim =
                text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "never");
            let hint = match has_claim {
                true => "a claim is read alone: without the model, and without macros",
                false => "an automaton in the HOA format starts with `HOA: v1`, a claim with `never {`",
            };
            (Vec::new(), vec![Diagnostic::error(message, place).hint(hint)])
        }
    }
}

/// Operations on labels that simplifying one automaton may take.
const MOST_RESULTS: usize = 1 << 22;

/// A smaller automaton for the same language, with its states in the order in which they are met. If the
/// labels are so large that it would take too long, it only loses the states that no run reaches. If the
/// work is stopped by a limit, it is what has been made of it by then.
pub fn simplify(bdds: &mut Bdds, automaton: &mut Automaton, work: &Work) {
    work.run(|stop| reduce::simplify_within(bdds, automaton, MOST_RESULTS, stop));
    reduce::number_states(automaton);
    automaton.tidy(bdds);
}

/// More copies of edges are not made.
const MOST_COPIES: usize = 20_000_000;

/// It would become too large with one acceptance set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is too large to be given one acceptance set on states")]
pub struct TooLarge;

/// One acceptance set, on states. An automaton that has it already stays as it is.
pub fn make_buchi(bdds: &mut Bdds, automaton: &mut Automaton) -> Result<(), TooLarge> {
    if automaton.placement == Placement::States && automaton.sets == 1 && automaton.has_state_acceptance() {
        return Ok(());
    }
    if (automaton.edge_count() + automaton.states()).saturating_mul(automaton.sets as usize + 1) > MOST_COPIES
    {
        return Err(TooLarge);
    }
    let order: Vec<u32> = (0..automaton.sets).collect();
    *automaton = degeneralise(bdds, automaton, &order);
    reduce::number_states(automaton);
    automaton.tidy(bdds);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use AutomatonLanguage::*;

    #[test]
    fn languages() {
        for (text, language) in [
            ("HOA: v1", Some(Hoa)),
            ("\n /* a /* nested */ comment */ HOA: v1", Some(Hoa)),
            ("never {", Some(NeverClaim)),
            ("/* F a */never{", Some(NeverClaim)),
            ("// */ /*\n// x\nnever p { }", Some(NeverClaim)),
            ("never_again", None),
            ("HOA", None),
            ("", None),
            ("/* open", None),
            ("// open", None),
            ("/*/", None),
            ("/* /* */ HOA: v1", None),
            ("\u{e9}\u{20ac}", None),
        ] {
            assert_eq!(language_of(text), language, "{text}");
        }
    }
}
