//! Formulas as people write them.
//!
//! There is no standard for the text of LTL, and tools disagree about the same text. Three dialects are read
//! here, each as its owner reads it (Spot: its manual `tl.pdf`; Spin 6.5.2: by experiment, which the tests
//! repeat):
//!
//! | text | Spot, and `--ltl` | `ltl` block | `spin -f` |
//! | --- | --- | --- | --- |
//! | `a U b U c` | `a U (b U c)` | `(a U b) U c` | `(a U b) U c` |
//! | `a -> b -> c` | `a -> (b -> c)` | `(a -> b) -> c` | `(a -> b) -> c` |
//! | `a \|\| b && c` | `a \|\| (b && c)` | `a \|\| (b && c)` | `(a \|\| b) && c` |
//! | `(a \|\| b && c)` | the same | the same | `a \|\| (b && c)` |
//! | `a \| b U c` | `a \| (b U c)` | `(a \| b) U c` | |
//! | `Fa` | `F a` | a name | |
//! | `~a` | `!a` | the bits of `a`, flipped | |
//!
//! [`disagreements`] says where the text in hand is such a case. Every dialect accepts the spellings of the
//! others where they have no other meaning in it: `[] G always □`, `&& & /\ and ∧`, and so on; words and
//! letters are operators only where an operator can stand.
//!
//! A proposition is any expression of Promela, taken as a piece of text ([`Proposition`]); or any text at all
//! between double quotes. Same tokens, same proposition: `x==1`, `( x == 1 )` and `"x ==1"` are one.
//!
//! Deviations from Spot: a name is split as `GFa` only if what remains is a short name (`a`, `p0`) or a
//! constant; `Grant` is a proposition, with a warning. `()` for next, `.` for and, `=1` and `=0` are not
//! known. Deviations from Spin: `[] x == 1` compares `x`, where Spin compares a number of its own with 1 (a
//! warning says so); quoted text and `!!a` are accepted.
//!
//! | file | what it does |
//! | --- | --- |
//! | `lex` | characters to tokens |
//! | `names` | words and the text of propositions |
//! | `grammar` | tokens to trees |
//! | `messages` | errors and warnings of the grammar |
//! | `tree` | a formula as written |
//! | `dialect` | who reads it otherwise |

mod dialect;
mod grammar;
mod lex;
mod messages;
pub(crate) mod names;
mod tree;

use lariat_source::{DerivedText, Diagnostic, FileId, SourceMap, Span};

use grammar::{Failed, Parser, Rules};
use lex::{Origin, lex};

pub use dialect::{Dialect, disagreements, disagreements_in};
pub use tree::{BinaryOperator, Proposition, Tree, TreeKind, UnaryOperator};

/// How deeply formulas may be nested.
pub const MAX_NESTING: u32 = 500;

/// The longest text, in bytes.
const MAX_LENGTH: usize = 1 << 24;

/// What became of a text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// Nothing if there is an error.
    pub tree: Option<Tree>,
    /// At most one error; warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a whole file as one formula.
pub fn parse(sources: &SourceMap, file: FileId, dialect: Dialect) -> Parsed {
    parse_text(&sources.file(file).text, file, 0, dialect)
}

/// Reads the stretch of a file that a span covers.
pub fn parse_part(sources: &SourceMap, span: Span, dialect: Dialect) -> Parsed {
    parse_text(sources.text(span), span.file, span.start, dialect)
}

/// Reads a text that stands in a file at a byte offset.
pub fn parse_text(text: &str, file: FileId, offset: u32, dialect: Dialect) -> Parsed {
    read(text, Origin { file, offset }, Rules { dialect, strict: false, logical_bits: false })
}

fn read(text: &str, origin: Origin, rules: Rules) -> Parsed {
    let failed = |error| Parsed { tree: None, diagnostics: vec![error] };
    if text.len() > MAX_LENGTH || u32::MAX as usize - text.len() < origin.offset as usize {
        let span = Span::new(origin.file, origin.offset, origin.offset);
        return failed(Diagnostic::error("this formula is too long", span).expected("more than 16 MiB"));
    }
    let tokens = match lex(text, origin) {
        Ok(tokens) => tokens,
        Err(error) => return failed(error),
    };
    let mut parser = Parser::new(text, origin, tokens, rules);
    let tree = parser.whole().ok();
    Parsed { tree, diagnostics: parser.diagnostics }
}

/// The text of a proposition as it is compared with others: of an expression, its tokens; of any other text,
/// itself.
pub fn canonical_text(text: &str) -> String {
    let text = text.trim();
    let expression = || {
        let origin = Origin { file: FileId::default(), offset: 0 };
        let rules = Rules { dialect: Dialect::SpinInline, strict: false, logical_bits: false };
        let tokens = lex(text, origin).map_err(|_| Failed)?;
        Parser::new(text, origin, tokens, rules).whole_expression()
    };
    expression().unwrap_or_else(|Failed| text.to_string())
}

/// Reads a formula that stands in a text of its own; messages about it show that text. `None` if it cannot be
/// read.
pub fn read_formula(
    sources: &mut SourceMap,
    title: &str,
    text: DerivedText,
    dialect: Dialect,
    messages: &mut Vec<Diagnostic>,
) -> Option<Tree> {
    let file = sources.add_derived(title, text);
    let parsed = parse(sources, file, dialect);
    messages.extend(parsed.diagnostics);
    if parsed.tree.is_some() {
        messages.extend(disagreements(sources, file, dialect));
    }
    parsed.tree
}
