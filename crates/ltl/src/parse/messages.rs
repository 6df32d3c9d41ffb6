//! What is said about a text that cannot be read, or that may not mean what its writer thinks.

use lariat_source::{Diagnostic, Span};

use super::grammar::{Content, Failed, Infix, Parse, Parser, Part};
use super::lex::{Kind, Token};
use super::names::is_split_by_spot;
use super::tree::{Proposition, Tree, TreeKind, UnaryOperator};
use super::{Dialect, MAX_NESTING};

/// How many words to warn of.
const MAX_WARNINGS: usize = 10;

impl Parser<'_> {
    #[cold]
    #[inline(never)]
    pub(super) fn fail<T>(&mut self, error: Diagnostic) -> Parse<T> {
        self.diagnostics.push(error);
        Err(Failed)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn unexpected(&self, what: &str) -> Diagnostic {
        let found = self.token();
        Diagnostic::error(format!("expected {what}, found {}", self.describe(found)), self.span_of(found))
    }

    #[cold]
    #[inline(never)]
    pub(super) fn fail_unexpected<T>(&mut self, what: &str) -> Parse<T> {
        let error = self.unexpected(what);
        self.fail(error)
    }

    /// There is more where an operator or the end should be.
    #[cold]
    #[inline(never)]
    pub(super) fn fail_operator<T>(&mut self, open: Option<Span>) -> Parse<T> {
        let found = self.token();
        let expected = match open {
            Some(_) => "an operator or `)`",
            None => "an operator",
        };
        let error = self.unexpected(expected);
        let error = match open {
            Some(open) => error.also(open, "to close this `(`"),
            None => error,
        };
        let error = match found.kind {
            Kind::CloseParen if open.is_none() => {
                Diagnostic::error("this `)` closes nothing", self.span_of(found))
                    .expected("there is no `(` for it")
                    .hint("remove it, or add a `(` before it")
            }
            Kind::Assign => error.hint("`==` compares, `<->` says that two formulas are equivalent"),
            Kind::Eventually => {
                error.hint("`<>` means eventually and stands before a formula; `!=` means different")
            }
            Kind::Not => error.hint("different is written `!=`, without a space"),
            Kind::Colon => error.hint(
                "of a process, `P[i]:x` is a variable; put a conditional `(a -> b : c)` into double quotes",
            ),
            Kind::Question | Kind::QuestionQuestion => {
                error.hint("only a test can be a proposition: `q?[message]`, with brackets")
            }
            Kind::OpenParen => error.hint("of a function, the `(` follows the name without a space"),
            Kind::End => error.hint("a `)` is missing"),
            _ => error.hint("operators are `!` `&&` `||` `->` `<->` `[]` `<>` `X` `U` `R` `W` `M`"),
        };
        self.fail(error)
    }

    /// There is something else where an operand should be.
    #[cold]
    #[inline(never)]
    pub(super) fn fail_operand<T>(&mut self) -> Parse<T> {
        let found = self.token();
        let error = self.unexpected("a formula");
        let before = self.token_before();
        let error = match found.kind {
            Kind::End if before.is_none() => Diagnostic::error("the formula is empty", self.span_of(found))
                .expected("expected a formula")
                .hint("for example `[] (request -> <> answer)`"),
            Kind::Word => {
                let word = self.text_of(found);
                error.expected("this is an operator with an operand on each side").hint(format!(
                    "if `{word}` is the name of a proposition, put it into double quotes: `\"{word}\"`"
                ))
            }
            Kind::Greater if before.is_some_and(|before| before.kind == Kind::Less) => {
                error.hint("`<>` is written without a space")
            }
            Kind::CloseParen if before.is_some_and(|before| before.kind == Kind::OpenParen) => {
                error.hint("there is nothing between these brackets; next is written `X`")
            }
            Kind::Assign => error.hint("`==` is written without a space"),
            Kind::OpenBracket => error.hint("always is written `[]`; formulas are grouped with `(` and `)`"),
            _ => match before {
                Some(before) if before.kind != Kind::OpenParen => {
                    let text = self.describe(before);
                    error.also(self.span_of(before), format!("{text} needs an operand behind it"))
                }
                Some(open) if found.kind == Kind::End => {
                    error.also(self.span_of(open), "this bracket is not closed".to_string())
                }
                _ if found.kind == Kind::CloseParen => error.hint("there is no `(` that it closes"),
                _ => error.hint("this operator needs an operand before it"),
            },
        };
        self.fail(error)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn fail_too_deep<T>(&mut self) -> Parse<T> {
        let span = self.span_of(self.token());
        let error = Diagnostic::error("this formula is nested too deeply", span)
            .expected(format!("more than {MAX_NESTING} levels here"))
            .hint("introduce propositions for its parts");
        self.fail(error)
    }

    #[cold]
    #[inline(never)]
    pub(super) fn fail_impure<T>(&mut self, infix: Infix, operator: Token, formula: &Part) -> Parse<T> {
        let text = self.text_of(operator);
        let error =
            Diagnostic::error(format!("`{text}` stands between values, and this is a formula"), formula.span)
                .expected("a formula")
                .also(self.span_of(operator), "expected a value on both sides of this");
        let error = match (infix, operator.kind) {
            (Infix::Bits, Kind::Ampersand) => {
                error.hint("in this dialect `&` is an operator on numbers; write `&&`")
            }
            (Infix::Bits, Kind::Bar) => {
                error.hint("in this dialect `|` is an operator on numbers; write `||`")
            }
            (Infix::Bits, _) => error.hint("in this dialect `^` is an operator on numbers; write `xor`"),
            (_, Kind::Equal) => error.hint("write `<->` to say that two formulas are equivalent"),
            (_, Kind::NotEqual) => error.hint("write `xor` to say that one of two formulas holds"),
            _ => error.hint("put an expression into brackets, or the whole proposition into double quotes"),
        };
        self.fail(error)
    }

    /// A formula behind `-` or `~`.
    #[cold]
    #[inline(never)]
    pub(super) fn fail_impure_behind<T>(&mut self, operator: Token, formula: &Part) -> Parse<T> {
        let text = self.text_of(operator);
        let message = format!("`{text}` stands before a value, and this is a formula");
        let hint = match operator.kind {
            Kind::Tilde => "in this dialect `~` is an operator on numbers; write `!`",
            _ => "a formula is negated with `!`",
        };
        self.fail(Diagnostic::error(message, formula.span).expected("a formula").hint(hint))
    }

    pub(super) fn warn_of_complement(&mut self, operator: Span) {
        let warning = Diagnostic::warning("`~` flips the bits of a number in this dialect", operator)
            .expected("true for every number but -1")
            .hint("to negate, write `!`");
        self.diagnostics.push(warning);
    }

    /// `!x == 1` is not what it looks like.
    pub(super) fn warn_of_negation(&mut self, left: &Part, operator: Token) {
        let negated = left
            .is_bare(|content| matches!(content, Content::Formula(TreeKind::Unary(UnaryOperator::Not, _))));
        if negated {
            let text = self.text_of(operator);
            let warning = Diagnostic::warning(format!("`!` binds tighter than `{text}`"), left.span)
                .expected("only this is negated, as in C")
                .hint("to negate the whole, write `!(…)`");
            self.diagnostics.push(warning);
        }
    }

    /// Spin gives `[] x == 1` no meaning at all: it compares the operator's number in its tables with 1.
    pub(super) fn warn_of_garbage(&mut self, operator: Span, operand: &Part) {
        if operand.bare && operand.compound && self.rules.dialect == Dialect::SpinInline {
            let text = self.text[(operator.start - self.origin.offset) as usize..]
                .get(..(operator.end - operator.start) as usize)
                .unwrap_or("");
            let warning = Diagnostic::warning("Spin reads this otherwise, and without meaning", operand.span)
                .expected(format!("`{text}` applies to all of this here"))
                .also(operator, "Spin applies this to the first operand only")
                .hint("write brackets around the comparison");
            self.diagnostics.push(warning);
        }
    }

    pub(super) fn warn_of_splitting(&mut self, token: Token) {
        let word = self.text_of(token);
        if self.rules.dialect != Dialect::Spot
            || self.inside_expression > 0
            || !is_split_by_spot(word)
            || self.warned_of.len() == MAX_WARNINGS
            || self.warned_of.contains(&word)
        {
            return;
        }
        self.warned_of.push(word);
        let (operator, rest) = word.split_at(1);
        let warning = Diagnostic::warning(
            format!("`{word}` is one proposition here, but Spot reads `{operator} {rest}`"),
            self.span_of(token),
        )
        .expected(format!("starts with the operator `{operator}`"))
        .hint(format!("write `\"{word}\"` for the proposition, `{operator} {rest}` for the operator"));
        self.diagnostics.push(warning);
    }

    pub(super) fn warn_of_numbers(&mut self, tree: &Tree) {
        for Proposition { text, span } in tree.propositions() {
            // As written, not quoted.
            let number =
                text.bytes().all(|b| b.is_ascii_digit()) && (span.end - span.start) as usize == text.len();
            if number {
                let warning = Diagnostic::warning(format!("the number {text} is used as a formula"), *span)
                    .expected("true unless it is 0")
                    .hint("to test the bits of a number, write `(x & 3) != 0`; the constants are `true` and `false`");
                self.diagnostics.push(warning);
            }
        }
    }
}
