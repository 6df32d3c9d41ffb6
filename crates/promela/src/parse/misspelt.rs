//! Words that are nearly keywords or types: `proctpye`, `boolean`, `asert`.
//!
//! What was meant is said, and reading goes on as if it had been written, so that a slip of the pen gives
//! one message and not ten. A word is only taken for another where it cannot be a name: what stands behind
//! it decides which words it can be.

use super::cursor::Parser;
use crate::token::{Kind, keyword};
use lariat_source::{Diagnostic, most_similar};

/// The words for types that need no declaration.
const BASE_TYPES: &[&str] = &["bit", "bool", "byte", "pid", "short", "int", "unsigned", "mtype", "chan"];

/// What other languages call our types.
const FOREIGN_TYPES: &[(&str, &str)] = &[
    ("boolean", "bool"),
    ("channel", "chan"),
    ("char", "byte"),
    ("enum", "mtype"),
    ("int16", "short"),
    ("int16_t", "short"),
    ("int32", "int"),
    ("int32_t", "int"),
    ("integer", "int"),
    ("long", "int"),
    ("uint", "unsigned"),
    ("uint8", "byte"),
    ("uint8_t", "byte"),
];

/// What is called with an argument in an expression.
const FUNCTIONS: &[&str] =
    &["len", "full", "nfull", "empty", "nempty", "enabled", "eval", "get_priority", "pc_value"];

impl Parser {
    /// The type that the next token was meant to be.
    fn meant_type(&self) -> Option<String> {
        let text = &*self.token().text;
        let foreign = FOREIGN_TYPES.iter().find(|(word, _)| word.eq_ignore_ascii_case(text));
        let known = self.types.iter().map(|name| &**name).chain(BASE_TYPES.iter().copied());
        foreign.map(|(_, ours)| *ours).or_else(|| most_similar(text, known)).map(str::to_string)
    }

    pub fn unknown_type(&self) -> Diagnostic {
        let token = self.token();
        let hint = match (self.meant_type(), &*token.text) {
            (Some(meant), _) => format!("did you mean `{meant}`?"),
            (None, "float" | "double" | "real") => "numbers are whole: byte, short, int".to_string(),
            (None, "string") => "there are no strings; use an mtype for names".to_string(),
            (None, _) => "a type is declared with `typedef` before its first use".to_string(),
        };
        Diagnostic::error(format!("unknown type `{}`", token.text), token.span).hint(hint)
    }

    /// If the next token is nearly a type, says so and reads it as that type.
    pub fn mend_type(&mut self) {
        if self.peek() != Kind::Name || self.types.contains(&self.token().text) {
            return;
        }
        if let Some(meant) = self.meant_type() {
            let error = self.unknown_type();
            self.report(error);
            self.replace_word(&meant);
        }
    }

    /// If the next token is nearly one of these keywords, says so and reads it as that keyword.
    pub fn mend_keyword(&mut self, candidates: &[&str]) -> bool {
        let token = self.token();
        let Some(meant) = most_similar(&token.text, candidates.iter().copied()).map(str::to_string) else {
            return false;
        };
        let error = Diagnostic::error(format!("unknown word `{}`", token.text), token.span)
            .hint(format!("did you mean `{meant}`?"));
        self.report(error);
        self.replace_word(&meant);
        true
    }

    /// At the start of a unit: a misspelt `proctype`, `init`, `active`, …, or the type of a variable.
    pub fn mend_unit(&mut self) {
        let token = self.token();
        if token.kind != Kind::Name || self.types.contains(&token.text) {
            return;
        }
        let after = |distance: usize| self.kind_after(distance);
        let candidates: &[&str] = match after(1) {
            Kind::Proctype | Kind::DProctype | Kind::OpenBracket => &["active"],
            Kind::OpenBrace => &["init", "never", "trace", "notrace", "ltl", "mtype"],
            Kind::Assign if after(2) == Kind::OpenBrace => &["mtype"],
            Kind::Type(_) => &["hidden", "show", "local"],
            Kind::Name if after(2) == Kind::OpenParen => &["proctype", "D_proctype", "inline"],
            Kind::Name if after(2) == Kind::OpenBrace => &["typedef", "never", "ltl"],
            Kind::Name if after(2) == Kind::Name => &["hidden", "show", "local", "active"],
            Kind::Name => &[],
            _ => return,
        };
        if !self.mend_keyword(candidates) && after_is_name(self) {
            self.mend_type();
        }
    }

    /// At the start of a step: a misspelt type or keyword.
    pub fn mend_step(&mut self) {
        let (token, next) = (self.token(), self.token_after(1));
        if token.kind != Kind::Name
            || self.types.contains(&token.text)
            || self.inlines.contains_key(&token.text)
        {
            return;
        }
        let word = |text: &str| matches!(text, "not" | "and" | "or" | "mod");
        match next.kind {
            Kind::Name if !next.newline_before && !word(&token.text) && !word(&next.text) => {
                let is_keyword = self.mend_keyword(&["goto", "run", "hidden", "show", "local"]);
                if !is_keyword {
                    self.mend_type();
                }
            }
            Kind::OpenBrace if !next.newline_before => {
                self.mend_keyword(&["atomic", "d_step"]);
            }
            Kind::ColonColon => {
                self.mend_keyword(&["if", "do"]);
            }
            Kind::OpenParen if !self.arrays.contains(&token.text) => {
                self.mend_call();
            }
            _ => {}
        }
    }

    /// `asert(…)`, `printff(…)`, `lenn(…)`: not where an inline is nearer, or what other languages have is
    /// meant.
    fn mend_call(&mut self) {
        const CALLS: &[&str] = &["assert", "printf", "printm", "select", "set_priority", "for"];
        let text = &*self.token().text;
        let keywords = || CALLS.iter().chain(FUNCTIONS).copied();
        let inlines = self.inlines.keys().map(|name| &**name);
        let nearest = most_similar(text, keywords().chain(inlines)).map(str::to_string);
        if self.processes.contains(text) || matches!(text, "while" | "switch") {
            return;
        }
        if let Some(nearest) = nearest.filter(|nearest| keywords().any(|keyword| keyword == nearest)) {
            self.mend_keyword(&[&nearest]);
        }
    }

    /// Why something that is called, the next token, is neither an inline nor a function.
    pub fn not_callable(&self) -> Diagnostic {
        let token = self.token();
        let text = &*token.text;
        if self.arrays.contains(text) {
            return Diagnostic::error(
                format!("`{text}` is an array: an index stands in brackets"),
                token.span,
            )
            .hint(format!("write `{text}[{}]`", self.text_in_parentheses()));
        }
        let known = self.inlines.keys().map(|name| &**name).chain(FUNCTIONS.iter().copied());
        let error = Diagnostic::error(format!("`{text}` is not an inline"), token.span)
            .expected("called like one here");
        match most_similar(text, known) {
            Some(similar) => error.hint(format!("did you mean `{similar}`?")),
            None => error.hint("an inline is defined before its first use; there are no functions"),
        }
    }

    /// What stands between the parentheses behind the next token, if it is short.
    fn text_in_parentheses(&self) -> String {
        let (mut text, mut open) = (String::new(), 1);
        for distance in 2..10 {
            let token = self.token_after(distance);
            match token.kind {
                Kind::OpenParen => open += 1,
                Kind::CloseParen => open -= 1,
                Kind::End | Kind::Semicolon | Kind::Text => break,
                _ => {}
            }
            if open == 0 {
                return text;
            }
            let space = token.space_before && !text.is_empty();
            text.push_str(if space { " " } else { "" });
            text.push_str(&token.text);
        }
        "…".to_string()
    }

    fn replace_word(&mut self, word: &str) {
        let kind = keyword(word).unwrap_or(Kind::Name);
        self.replace_token(kind, word);
    }
}

fn after_is_name(parser: &Parser) -> bool {
    parser.kind_after(1) == Kind::Name
}
