//! From tokens to trees: operators by precedence, propositions found on the way.
//!
//! Formulas and expressions are read by one set of rules, with the operators of expressions binding tighter
//! than the rest. A part is *pure* if Promela could evaluate it in one state: names, numbers, comparisons,
//! also `!`, `&&` and `||` of such. When an operator of expressions (`==`, `+`, …) takes pure parts, the
//! result is an expression whose text is all its tokens, brackets and all: so `(a && b) == c` becomes a
//! single proposition, although `(a && b)` alone is a formula of two.
//!
//! Levels, from loosest to tightest:
//!
//! | level | Spot | `ltl` block | `spin -f` |
//! | --- | --- | --- | --- |
//! | 1 | `->` `<->`, to the right | `->` `<->` | `->` `<->` `xor` `\|\|` `&&` |
//! | 2 | `xor` `^` | `xor` | |
//! | 3 | `\|` `\|\|` | `\|\|` | |
//! | 4 | `&` `&&` | `&&` | |
//! | 5 | `U R W M`, to the right | `U V W` (`R M`) | `U V` (`W R M`) |
//! | 7–9 | | `\|`, `^`, `&` | `\|`, `^`, `&` |
//! | 10 | `== !=` | the same | the same |
//! | 11–14 | `< <= > >=`, `<< >>`, `+ -`, `* / %` | the same | the same |
//!
//! All are grouped to the left but where noted. A temporal unary operator takes a comparison (`F x == 1` is
//! `F (x == 1)`); `!` takes what it takes in C (`!x == 1` is `(!x) == 1`, with a warning). `spin -f` copies a
//! bracketed part without temporal operators and arrows into the claim as it is, so inside it the levels of C
//! hold: those of the `ltl` block.

use std::ops::Range;

use lariat_source::{Diagnostic, Span};

use super::lex::{Kind, Origin, Token};
use super::names::{
    InfixWord, constant, infix_word, is_operator_letter, is_reserved, knows_word, prefix_word, spell, splits,
    unquoted,
};
use super::tree::{BinaryOperator, Proposition, Tree, TreeKind, UnaryOperator};
use super::{Dialect, MAX_NESTING};

/// An error has been reported.
pub(super) struct Failed;

pub(super) type Parse<T> = Result<T, Failed>;

/// How to read.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    pub dialect: Dialect,
    /// Refuse what the dialect's owner refuses.
    pub strict: bool,
    /// Take `&`, `|` and `^` as operators of the logic in Spin's dialects too, though with their level there.
    pub logical_bits: bool,
}

/// Which column of the table of levels holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Levels {
    Spot,
    /// Also inside expressions.
    Inline,
    Flat,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Infix {
    And,
    Or,
    Logic(BinaryOperator),
    /// `&`, `|`, `^` on numbers.
    Bits,
    /// Other operators of expressions.
    Value,
}

/// Quoted text that is nested deeper is taken as it is.
const MAX_QUOTED_NESTING: u32 = 100;

/// Of what a temporal unary operator takes.
const COMPARISON: u8 = 10;

pub(super) enum Content {
    Formula(TreeKind),
    /// Tokens without brackets around them.
    Expression(Range<usize>),
}

/// What has been read of a formula. Boxed where it travels, to save the stack.
pub(super) struct Part {
    pub(super) content: Content,
    /// Its tokens, with the brackets around it.
    pub(super) tokens: Range<usize>,
    pub(super) span: Span,
    pub(super) pure: bool,
    /// No brackets around it.
    pub(super) bare: bool,
    /// An expression with an operator between two operands.
    pub(super) compound: bool,
    pub(super) height: u32,
}

impl Part {
    pub(super) fn is_bare(&self, wanted: impl Fn(&Content) -> bool) -> bool {
        self.bare && wanted(&self.content)
    }
}

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) origin: Origin,
    tokens: Vec<Token>,
    position: usize,
    pub(super) rules: Rules,
    levels: Levels,
    /// For `spin -f`, for each token: does it open a group without temporal operators and arrows?
    state_groups: Vec<bool>,
    /// Inside an index, an argument, or an operand of an expression's operator.
    pub(super) inside_expression: u32,
    depth: u32,
    pub(super) warned_of: Vec<&'a str>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str, origin: Origin, tokens: Vec<Token>, rules: Rules) -> Parser<'a> {
        let levels = match rules.dialect {
            Dialect::Spot => Levels::Spot,
            Dialect::SpinInline => Levels::Inline,
            Dialect::SpinF => Levels::Flat,
        };
        let state_groups = match rules.dialect {
            Dialect::SpinF => state_groups(&tokens, text),
            _ => Vec::new(),
        };
        Parser {
            text,
            origin,
            tokens,
            position: 0,
            rules,
            levels,
            state_groups,
            inside_expression: 0,
            depth: 0,
            warned_of: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// A formula and nothing after it.
    pub fn whole(&mut self) -> Parse<Tree> {
        let part = self.binary(0)?;
        self.expect_end()?;
        let tree = self.finished(*part);
        self.warn_of_numbers(&tree);
        Ok(tree)
    }

    /// The canonical text of an expression and nothing after it.
    pub fn whole_expression(&mut self) -> Parse<String> {
        self.depth = MAX_NESTING - MAX_QUOTED_NESTING;
        let part = self.inside(|p| p.binary(0))?;
        self.expect_end()?;
        if part.pure { Ok(spell(&self.tokens[part.tokens], self.text)) } else { Err(Failed) }
    }

    // ---- tokens ----

    pub(super) fn token(&self) -> Token {
        self.tokens[self.position]
    }

    pub(super) fn token_before(&self) -> Option<Token> {
        self.position.checked_sub(1).map(|at| self.tokens[at])
    }

    fn peek(&self) -> Kind {
        self.token().kind
    }

    fn kind_after(&self, distance: usize) -> Kind {
        self.tokens[(self.position + distance).min(self.tokens.len() - 1)].kind
    }

    pub(super) fn text_of(&self, token: Token) -> &'a str {
        &self.text[token.start..token.end]
    }

    /// The next token's text, if it is a word.
    fn word(&self) -> &'a str {
        if self.peek() == Kind::Word { self.text_of(self.token()) } else { "" }
    }

    pub(super) fn span_of(&self, token: Token) -> Span {
        self.origin.span(token.start, token.end)
    }

    fn bump(&mut self) -> Span {
        let span = self.span_of(self.token());
        if self.position + 1 < self.tokens.len() {
            self.position += 1;
        }
        span
    }

    /// Takes the next token as one of another kind.
    fn bump_as(&mut self, kind: Kind) -> Span {
        self.tokens[self.position].kind = kind;
        self.bump()
    }

    pub(super) fn describe(&self, token: Token) -> String {
        match token.kind {
            Kind::End => "the end".to_string(),
            _ => format!("`{}`", self.text_of(token)),
        }
    }

    fn expect_end(&mut self) -> Parse<()> {
        if self.peek() == Kind::End { Ok(()) } else { self.fail_operator(None) }
    }

    /// Counts a level of nesting; the caller gives it back.
    fn enter(&mut self) -> Parse<()> {
        self.depth += 1;
        self.check_height(self.depth)
    }

    fn check_height(&mut self, height: u32) -> Parse<()> {
        if height <= MAX_NESTING { Ok(()) } else { self.fail_too_deep() }
    }

    /// Refuses something that is understood, but not by the dialect's owner.
    fn only_if_lenient(&self, known: bool) -> Parse<()> {
        if self.rules.strict && !known { Err(Failed) } else { Ok(()) }
    }

    // ---- levels ----

    fn inside<T>(&mut self, read: impl FnOnce(&mut Parser<'a>) -> Parse<T>) -> Parse<T> {
        let levels = std::mem::replace(&mut self.levels, Levels::Inline);
        self.inside_expression += 1;
        let result = read(self);
        self.inside_expression -= 1;
        self.levels = levels;
        result
    }

    /// The operator between two operands that comes next, and its level.
    fn infix(&self) -> Option<(Infix, u8)> {
        use BinaryOperator::*;
        let value = |level| Some((Infix::Value, level));
        let spot = self.levels == Levels::Spot;
        let infix = match self.peek() {
            Kind::AndAnd => Infix::And,
            Kind::OrOr => Infix::Or,
            Kind::Ampersand if spot => Infix::And,
            Kind::Bar if spot => Infix::Or,
            Kind::Caret if spot => Infix::Logic(Xor),
            Kind::Bar => return Some((Infix::Bits, 7)),
            Kind::Caret => return Some((Infix::Bits, 8)),
            Kind::Ampersand => return Some((Infix::Bits, 9)),
            Kind::Implies => Infix::Logic(Implies),
            Kind::Equivalent => Infix::Logic(Equivalent),
            Kind::Xor => Infix::Logic(Xor),
            Kind::Equal | Kind::NotEqual => return value(COMPARISON),
            Kind::Less | Kind::LessEqual | Kind::Greater | Kind::GreaterEqual => return value(11),
            Kind::ShiftLeft | Kind::ShiftRight => return value(12),
            Kind::Plus | Kind::Minus => return value(13),
            Kind::Star | Kind::Slash | Kind::Percent => return value(14),
            Kind::Word => {
                let word = self.word();
                if self.rules.strict && !knows_word(self.rules.dialect, word) {
                    return None;
                }
                match infix_word(word)? {
                    InfixWord::And => Infix::And,
                    InfixWord::Or => Infix::Or,
                    InfixWord::Other(operator) => Infix::Logic(operator),
                }
            }
            _ => return None,
        };
        let level = match infix {
            Infix::Logic(Until | Release | WeakUntil | StrongRelease) => 5,
            _ if self.levels == Levels::Flat => 1,
            Infix::And => 4,
            Infix::Or => 3,
            Infix::Logic(Xor) => 2,
            _ => 1,
        };
        Some((infix, level))
    }

    /// A formula whose outermost operators have at least this level.
    fn binary(&mut self, least: u8) -> Parse<Box<Part>> {
        self.enter()?;
        let mut left = self.unary()?;
        while let Some((infix, level)) = self.infix().filter(|(_, level)| *level >= least) {
            self.check_spelling()?;
            let operator = self.token();
            match infix {
                Infix::And if operator.kind == Kind::Word => self.bump_as(Kind::AndAnd),
                Infix::Or if operator.kind == Kind::Word => self.bump_as(Kind::OrOr),
                _ => self.bump(),
            };
            let right = match infix {
                Infix::Value | Infix::Bits => self.inside(|p| p.binary(level + 1))?,
                _ => {
                    let to_the_right = self.levels == Levels::Spot && matches!(level, 1 | 5);
                    self.binary(if to_the_right { level } else { level + 1 })?
                }
            };
            left = self.combined(infix, operator, left, right)?;
        }
        self.depth -= 1;
        Ok(left)
    }

    /// A sign that Spin does not know, in a strict reading?
    fn check_spelling(&self) -> Parse<()> {
        let token = self.token();
        let text = self.text_of(token);
        let known = match (self.rules.dialect, token.kind) {
            (Dialect::Spot, _) | (_, Kind::Word) => true,
            (Dialect::SpinInline, _) => !matches!(text, "=>" | "<=>" | "/\\" | "\\/") && text.is_ascii(),
            (Dialect::SpinF, _) => {
                let bits = self.levels == Levels::Flat && matches!(text, "&" | "|" | "^");
                !matches!(text, "=>" | "<=>") && text.is_ascii() && !bits
            }
        };
        self.only_if_lenient(known)
    }

    fn combined(
        &mut self,
        infix: Infix,
        operator: Token,
        left: Box<Part>,
        right: Box<Part>,
    ) -> Parse<Box<Part>> {
        let infix = match infix {
            Infix::Bits if self.takes_bits_as_logic(&left, &right) => match operator.kind {
                Kind::Ampersand => Infix::And,
                Kind::Bar => Infix::Or,
                _ => Infix::Logic(BinaryOperator::Xor),
            },
            infix => infix,
        };
        let tokens = left.tokens.start..right.tokens.end;
        let span = left.span.to(right.span);
        if matches!(infix, Infix::Value | Infix::Bits) {
            if !left.pure || !right.pure {
                return self.fail_impure(infix, operator, if left.pure { &right } else { &left });
            }
            self.only_if_lenient(self.levels != Levels::Flat)?;
            self.warn_of_negation(&left, operator);
            let content = Content::Expression(tokens.clone());
            let expression =
                Part { content, tokens, span, pure: true, bare: true, compound: true, height: 1 };
            return Ok(Box::new(expression));
        }
        let pure = left.pure && right.pure && !matches!(infix, Infix::Logic(_));
        let continues = match infix {
            Infix::And => left.is_bare(|content| matches!(content, Content::Formula(TreeKind::And(_)))),
            Infix::Or => left.is_bare(|content| matches!(content, Content::Formula(TreeKind::Or(_)))),
            _ => false,
        };
        let height =
            if continues { left.height.max(right.height + 1) } else { left.height.max(right.height) + 1 };
        self.check_height(height)?;
        let right = self.finished(*right);
        let kind = match infix {
            Infix::Logic(logic) => TreeKind::Binary(logic, Box::new(self.finished(*left)), Box::new(right)),
            _ => {
                let mut operands = match left.content {
                    Content::Formula(TreeKind::And(operands) | TreeKind::Or(operands)) if continues => {
                        operands
                    }
                    _ => vec![self.finished(*left)],
                };
                operands.push(right);
                if infix == Infix::And { TreeKind::And(operands) } else { TreeKind::Or(operands) }
            }
        };
        let content = Content::Formula(kind);
        Ok(Box::new(Part { content, tokens, span, pure, bare: true, compound: false, height }))
    }

    fn takes_bits_as_logic(&self, left: &Part, right: &Part) -> bool {
        let is_number = |part: &Part| match &part.content {
            Content::Expression(tokens) => {
                tokens.len() == 1 && self.tokens[tokens.start].kind == Kind::Number
            }
            Content::Formula(_) => false,
        };
        self.rules.logical_bits && !is_number(left) && !is_number(right)
    }

    // ---- operands ----

    /// Does the next but one token start an operand?
    fn operand_follows(&self) -> bool {
        let token = self.tokens[(self.position + 1).min(self.tokens.len() - 1)];
        match token.kind {
            Kind::Word => infix_word(self.text_of(token)).is_none(),
            Kind::Number | Kind::Character | Kind::Quoted | Kind::OpenParen => true,
            Kind::Not | Kind::Tilde | Kind::Always | Kind::Eventually | Kind::Next => true,
            _ => false,
        }
    }

    /// The operator before an operand that comes next. A letter may be the beginning of a word.
    fn prefix(&self) -> Option<Prefix> {
        let whole = |operator| Some(Prefix { operator, letter: false });
        let kind = match self.peek() {
            Kind::Word => {
                let word = self.word();
                let strict = self.rules.strict && !knows_word(self.rules.dialect, word);
                match prefix_word(word) {
                    Some(kind) if self.operand_follows() && !strict => kind,
                    _ => return self.prefix_letter(word).filter(|_| !strict),
                }
            }
            // Inside an expression `~` is the complement.
            Kind::Tilde if self.levels != Levels::Spot || self.inside_expression > 0 => return None,
            kind => kind,
        };
        match kind {
            Kind::Not | Kind::Tilde => whole(UnaryOperator::Not),
            Kind::Always => whole(UnaryOperator::Globally),
            Kind::Eventually => whole(UnaryOperator::Finally),
            Kind::Next => whole(UnaryOperator::Next),
            _ => None,
        }
    }

    fn prefix_letter(&self, word: &str) -> Option<Prefix> {
        let operator = match word.chars().next()? {
            'F' => UnaryOperator::Finally,
            'G' => UnaryOperator::Globally,
            'X' => UnaryOperator::Next,
            _ => return None,
        };
        let spin = self.rules.dialect != Dialect::Spot;
        let is_operator = if self.inside_expression > 0 || spin && word != "X" {
            word.chars().all(is_operator_letter) && self.operand_follows()
        } else {
            word.len() == 1 || splits(word, self.operand_follows())
        };
        is_operator.then_some(Prefix { operator, letter: true })
    }

    fn unary(&mut self) -> Parse<Box<Part>> {
        let Some(prefix) = self.prefix() else {
            return match self.peek() {
                Kind::Minus | Kind::Tilde => self.unary_on_numbers(),
                _ => self.operand(),
            };
        };
        self.check_spelling()?;
        let first = self.position;
        let mut span = self.span_of(self.token());
        if prefix.letter && self.word().len() > 1 {
            span.end = span.start + 1;
            self.tokens[self.position].start += 1;
        } else if prefix.operator == UnaryOperator::Not {
            self.bump_as(if self.peek() == Kind::Tilde { Kind::Tilde } else { Kind::Not });
        } else {
            self.bump();
        }
        let negation = prefix.operator == UnaryOperator::Not;
        let operand = if negation {
            self.enter()?;
            let operand = self.unary()?;
            self.depth -= 1;
            operand
        } else {
            self.binary(COMPARISON)?
        };
        self.check_height(operand.height + 1)?;
        Ok(self.applied(prefix.operator, first, span, operand))
    }

    /// An operator on what stands behind it.
    fn applied(
        &mut self,
        operator: UnaryOperator,
        first: usize,
        start: Span,
        operand: Box<Part>,
    ) -> Box<Part> {
        let negation = operator == UnaryOperator::Not;
        if !negation {
            self.warn_of_garbage(start, &operand);
        }
        let height = operand.height + 1;
        let pure = negation && operand.pure;
        let tokens = first..operand.tokens.end;
        let span = start.to(operand.span);
        let operand = Box::new(self.finished(*operand));
        let content = Content::Formula(TreeKind::Unary(operator, operand));
        Box::new(Part { content, tokens, span, pure, bare: true, compound: false, height })
    }

    /// `-x` and `~x`.
    fn unary_on_numbers(&mut self) -> Parse<Box<Part>> {
        let operator = self.token();
        let first = self.position;
        self.only_if_lenient(self.levels != Levels::Flat)?;
        let start = self.bump();
        self.enter()?;
        let operand = self.inside(Parser::unary)?;
        self.depth -= 1;
        if !operand.pure {
            return self.fail_impure_behind(operator, &operand);
        }
        if operator.kind == Kind::Tilde && self.inside_expression == 0 {
            self.warn_of_complement(start);
        }
        Ok(self.value(first, start.to(operand.span)))
    }

    fn operand(&mut self) -> Parse<Box<Part>> {
        match self.peek() {
            Kind::OpenParen => self.group(),
            Kind::Number | Kind::Character => {
                self.only_if_lenient(self.levels != Levels::Flat)?;
                let first = self.position;
                let span = self.bump();
                Ok(self.value(first, span))
            }
            Kind::Quoted => self.quoted(),
            Kind::Word => self.name(),
            _ => self.fail_operand(),
        }
    }

    /// An expression that ends here.
    fn value(&self, first: usize, span: Span) -> Box<Part> {
        let tokens = first..self.position;
        let content = Content::Expression(tokens.clone());
        Box::new(Part { content, tokens, span, pure: true, bare: true, compound: false, height: 1 })
    }

    /// A constant or proposition that ends here.
    fn leaf(&self, kind: TreeKind, first: usize, span: Span, pure: bool) -> Box<Part> {
        let content = Content::Formula(kind);
        let tokens = first..self.position;
        Box::new(Part { content, tokens, span, pure, bare: true, compound: false, height: 1 })
    }

    fn group(&mut self) -> Parse<Box<Part>> {
        let first = self.position;
        let levels = self.levels;
        if levels == Levels::Flat && self.state_groups[first] {
            self.levels = Levels::Inline;
        }
        let open = self.bump();
        let mut part = self.binary(0)?;
        self.levels = levels;
        if self.peek() != Kind::CloseParen {
            return self.fail_operator(Some(open));
        }
        let close = self.bump();
        (part.tokens, part.span, part.bare) = (first..self.position, open.to(close), false);
        Ok(part)
    }

    fn quoted(&mut self) -> Parse<Box<Part>> {
        self.only_if_lenient(self.rules.dialect == Dialect::Spot)?;
        let first = self.position;
        let content = unquoted(self.text_of(self.token()));
        let span = self.bump();
        let text = super::canonical_text(&content);
        if text.is_empty() {
            let error =
                Diagnostic::error("this proposition is empty", span).expected("nothing between the quotes");
            return self.fail(error);
        }
        let proposition = TreeKind::Proposition(Proposition { text, span });
        Ok(self.leaf(proposition, first, span, false))
    }

    /// What starts with a name: `x`, `a[i].b`, `len(q)`, `q?[message]`, `P[0]@label`, `P[0]:x`.
    fn name(&mut self) -> Parse<Box<Part>> {
        let word = self.word();
        let first = self.position;
        let start = self.token();
        if self.inside_expression == 0 && is_reserved(self.rules.dialect, word) {
            return self.fail_operand();
        }
        if self.levels == Levels::Flat {
            self.only_if_lenient(word.starts_with(|c: char| c.is_ascii_lowercase()))?;
        }
        if let Some(value) = constant(word) {
            let span = self.bump();
            return Ok(self.leaf(TreeKind::Constant(value), first, span, true));
        }
        self.warn_of_splitting(start);
        self.bump();
        if self.peek() == Kind::OpenParen && (!self.token().space_before || is_function(word)) {
            self.arguments(Kind::CloseParen, "`)`")?;
        }
        self.postfixes()?;
        if self.levels == Levels::Flat {
            self.only_if_lenient(self.position == first + 1)?;
        }
        let last = self.tokens[self.position - 1];
        Ok(self.value(first, self.origin.span(start.start, last.end)))
    }

    fn postfixes(&mut self) -> Parse<()> {
        loop {
            match self.peek() {
                Kind::OpenBracket => self.arguments(Kind::CloseBracket, "`]`")?,
                Kind::Question | Kind::QuestionQuestion if self.kind_after(1) == Kind::OpenBracket => {
                    self.bump();
                    self.arguments(Kind::CloseBracket, "`]`")?;
                }
                Kind::Dot | Kind::At => {
                    let what = if self.peek() == Kind::Dot { "a field's name" } else { "a label's name" };
                    self.bump();
                    if self.peek() != Kind::Word {
                        return self.fail_unexpected(what);
                    }
                    self.bump();
                }
                Kind::Colon if self.kind_after(1) == Kind::Word && !self.token().space_before => {
                    self.bump();
                    self.bump();
                }
                _ => return Ok(()),
            }
        }
    }

    /// Expressions between brackets.
    fn arguments(&mut self, close: Kind, what: &str) -> Parse<()> {
        let open = self.bump();
        if self.peek() == close {
            self.bump();
            return Ok(());
        }
        loop {
            let argument = self.inside(|p| p.binary(0))?;
            if !argument.pure {
                let error = Diagnostic::error("there is a formula inside this expression", argument.span)
                    .expected("expected a value");
                return self.fail(error);
            }
            if self.peek() == Kind::Comma {
                self.bump();
            } else if self.peek() == close {
                self.bump();
                return Ok(());
            } else {
                let error = self.unexpected(what).also(open, "to close this");
                return self.fail(error);
            }
        }
    }

    /// The tree of a part; an expression becomes a proposition.
    fn finished(&self, part: Part) -> Tree {
        let span = part.span;
        let kind = match part.content {
            Content::Formula(kind) => kind,
            Content::Expression(tokens) => {
                let text = spell(&self.tokens[tokens], self.text);
                match text.as_str() {
                    "0" => TreeKind::Constant(false),
                    "1" => TreeKind::Constant(true),
                    _ => TreeKind::Proposition(Proposition { text, span }),
                }
            }
        };
        Tree { kind, span }
    }
}

struct Prefix {
    operator: UnaryOperator,
    /// One of `F`, `G`, `X`, perhaps at the beginning of a longer word.
    letter: bool,
}

/// Promela's functions; their bracket may stand apart.
fn is_function(word: &str) -> bool {
    matches!(
        word,
        "len" | "empty" | "nempty" | "full" | "nfull" | "enabled" | "pc_value" | "get_priority" | "eval"
    )
}

/// For each token, whether it opens a group that speaks of single states: no temporal operator in it, no
/// arrow.
fn state_groups(tokens: &[Token], text: &str) -> Vec<bool> {
    let mut result = vec![false; tokens.len()];
    // The groups that are open: where, and whether nothing was against it yet.
    let mut open: Vec<(usize, bool)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::OpenParen => open.push((at, true)),
            Kind::CloseParen => {
                let Some((start, states)) = open.pop() else { continue };
                result[start] = states;
                if let Some((_, around)) = open.last_mut() {
                    *around &= states;
                }
            }
            Kind::Always | Kind::Eventually | Kind::Next | Kind::Implies | Kind::Equivalent | Kind::Word => {
                let before = at.checked_sub(1).map_or(Kind::End, |before| tokens[before].kind);
                if let Some((_, states)) = open.last_mut()
                    && (token.kind != Kind::Word || is_temporal(&text[token.start..token.end], before))
                {
                    *states = false;
                }
            }
            _ => {}
        }
    }
    result
}

/// Is a word behind such a token a temporal operator or an arrow?
fn is_temporal(word: &str, before: Kind) -> bool {
    let infix = matches!(infix_word(word), Some(InfixWord::Other(_)));
    let prefix = prefix_word(word).is_some_and(|kind| kind != Kind::Not) || word == "X";
    match before {
        Kind::Dot | Kind::At | Kind::Colon => false,
        // At the place of an operand.
        Kind::OpenParen => prefix,
        _ => infix || prefix,
    }
}
