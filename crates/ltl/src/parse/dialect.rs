//! Who reads a text how, and where they disagree.
//!
//! The text is read by the rules of each dialect, as its owner would (`spin -f` knows no `W`). What the
//! readings say is compared as formulas, so that brackets without effect are no difference. Where two
//! readings differ, the search goes down as long as both have the same operator over the same stretches of
//! text and differ in one operand only: the warning is about the smallest part that explains the difference.

use lariat_source::{Diagnostic, FileId, SourceMap, Span};

use super::grammar::Rules;
use super::lex::Origin;
use super::names::is_operator_letter;
use super::read;
use super::tree::{Proposition, Tree, TreeKind};
use crate::formula::Formulas;

/// By whose rules a text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Spot's, used for formulas outside of models.
    Spot,
    /// An `ltl` block in a Promela model, by Spin's rules.
    SpinInline,
    /// `spin -f`.
    SpinF,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Dialect; 3] = [Dialect::Spot, Dialect::SpinInline, Dialect::SpinF];

    /// As the subject of a sentence about reading.
    fn reader(self) -> &'static str {
        match self {
            Dialect::Spot => "Spot",
            Dialect::SpinInline => "Spin, in an `ltl` block",
            Dialect::SpinF => "`spin -f`",
        }
    }
}

/// A part of the text, and how two dialects read it.
struct Difference {
    span: Span,
    here: String,
    there: String,
    by: Dialect,
    hint: &'static str,
}

/// Warnings about parts of a file's text, read as one formula, that another dialect reads otherwise.
pub fn disagreements(sources: &SourceMap, file: FileId, dialect: Dialect) -> Vec<Diagnostic> {
    differences(&sources.file(file).text, Origin { file, offset: 0 }, dialect)
}

/// As [`disagreements`], of the stretch of a file that a span covers.
pub fn disagreements_in(sources: &SourceMap, span: Span, dialect: Dialect) -> Vec<Diagnostic> {
    differences(sources.text(span), Origin { file: span.file, offset: span.start }, dialect)
}

fn differences(text: &str, origin: Origin, dialect: Dialect) -> Vec<Diagnostic> {
    let rules = Rules { dialect, strict: false, logical_bits: true };
    let Some(here) = read(text, origin, rules).tree else { return Vec::new() };
    let mut found: Vec<Difference> = Vec::new();
    for by in Dialect::ALL.into_iter().filter(|by| *by != dialect) {
        let rules = Rules { dialect: by, strict: true, logical_bits: true };
        let Some(there) = read(text, origin, rules).tree else { continue };
        let (here, there, same) = narrowed(&here, &there);
        if !same {
            found.push(Difference {
                span: here.span,
                here: here.bracketed(),
                there: there.bracketed(),
                by,
                hint: hint(here, there),
            });
        }
    }
    // Two dialects at the same place are one warning.
    let mut warnings: Vec<Diagnostic> = Vec::new();
    for (nth, difference) in found.iter().enumerate() {
        let at_this_place = |other: &&Difference| other.span == difference.span;
        if found[..nth].iter().any(|other| at_this_place(&other)) {
            continue;
        }
        let mut warning = Diagnostic::warning("this formula is read differently elsewhere", difference.span)
            .expected(format!("here: {}", difference.here));
        for other in found[nth..].iter().filter(at_this_place) {
            warning = warning.also(other.span, format!("by {}: {}", other.by.reader(), other.there));
        }
        warnings.push(warning.hint(difference.hint));
    }
    warnings
}

/// What to write so that everyone reads the same.
fn hint(here: &Tree, there: &Tree) -> &'static str {
    let (here, there) = (here.propositions(), there.propositions());
    let differs = |from: &[&Proposition], to: &[&Proposition], first: fn(char) -> bool| {
        from.iter().any(|one| one.text.starts_with(first) && to.iter().all(|other| other.text != one.text))
    };
    let starts = |first| differs(&here, &there, first) || differs(&there, &here, first);
    if starts(is_operator_letter) {
        "put a space between the operators and a name: `G F a`; or the name into double quotes"
    } else if starts(|c| c == '~') {
        "negate with `!`"
    } else if here.len() != there.len() {
        "write `&&` and `||` between formulas, and brackets around numbers with `&` and `|`"
    } else {
        "write brackets"
    }
}

/// The smallest parts of two readings that explain their difference, and whether there is none.
fn narrowed<'a>(mut here: &'a Tree, mut there: &'a Tree) -> (&'a Tree, &'a Tree, bool) {
    let mut formulas = Formulas::new();
    let mut same = |a: &Tree, b: &Tree| a.to_formula(&mut formulas) == b.to_formula(&mut formulas);
    if same(here, there) {
        return (here, there, true);
    }
    loop {
        let (inside_here, inside_there) = (here.children(), there.children());
        let aligned = same_operator(here, there)
            && inside_here.len() == inside_there.len()
            && inside_here.iter().zip(&inside_there).all(|(a, b)| a.span == b.span);
        if !aligned {
            return (here, there, false);
        }
        let mut differing = inside_here.iter().zip(&inside_there).filter(|(a, b)| !same(a, b));
        match (differing.next(), differing.next()) {
            (Some((a, b)), None) => (here, there) = (a, b),
            _ => return (here, there, false),
        }
    }
}

fn same_operator(a: &Tree, b: &Tree) -> bool {
    match (&a.kind, &b.kind) {
        (TreeKind::Unary(a, _), TreeKind::Unary(b, _)) => a == b,
        (TreeKind::Binary(a, ..), TreeKind::Binary(b, ..)) => a == b,
        (TreeKind::And(_), TreeKind::And(_)) | (TreeKind::Or(_), TreeKind::Or(_)) => true,
        _ => false,
    }
}
