//! Lines that start with `#`.
//!
//! A directive takes the tokens up to the next one that starts a line. A branch that is not taken is skipped
//! token by token up to the `#elif`, `#else` or `#endif` that ends it, without looking at anything else in
//! it, as in C. What gcc only warns of (text after `#endif`, for instance) passes silently, but for a macro
//! that is defined twice in different ways.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use lariat_source::{Diagnostic, Severity, Span};

use super::macros::{Macro, Replacement};
use super::scan::{Piece, PieceKind};
use super::{Preprocessor, condition};

/// How deeply files may include files.
const MAX_INCLUDES: usize = 100;

/// An open `#if`, `#ifdef` or `#ifndef`.
pub(super) struct Conditional {
    pub keyword: Rc<str>,
    pub span: Span,
    /// Some branch has been read, so the coming ones are skipped.
    taken: bool,
    /// The `#else`, once it has been met.
    else_span: Option<Span>,
}

/// One directive: its keyword and the rest of its line.
struct Line {
    hash: Piece,
    keyword: Option<Piece>,
    rest: Vec<Piece>,
}

impl Line {
    fn span(&self) -> Span {
        self.keyword.as_ref().map_or(self.hash.span, |keyword| self.hash.span.to(keyword.span))
    }

    /// The place after the keyword: the rest, or the directive itself if nothing follows.
    fn rest_span(&self) -> Span {
        match (self.rest.first(), self.rest.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => self.span(),
        }
    }
}

impl Preprocessor<'_> {
    /// Handles the directive at the current position of the current file.
    pub(super) fn directive(&mut self) {
        let Some(line) = self.take_line() else { return };
        let Some(keyword) = &line.keyword else { return };
        match &*keyword.text {
            "define" => self.define(&line),
            "undef" => self.undefine(&line),
            "include" | "import" | "include_next" => self.include(&line),
            "if" | "ifdef" | "ifndef" => {
                let holds = self.branch_condition(&line);
                self.open_conditional(&line, holds);
            }
            "elif" | "else" | "endif" => self.other_branch(&line),
            "error" | "warning" => self.user_message(&line),
            "pragma" => {
                if line.rest.first().is_some_and(|piece| &*piece.text == "once")
                    && let Some(file) = self.files.last()
                {
                    self.read_once.insert(self.sources.file(file.id).path.clone());
                }
            }
            "line" | "ident" | "sccs" | "assert" | "unassert" => {}
            _ if keyword.kind == PieceKind::Number => {} // a line marker of an earlier preprocessor
            text => self.diagnostics.push(
                Diagnostic::error(format!("unknown preprocessor directive `#{text}`"), line.span())
                    .hint("lines that start with `#` are read by the preprocessor"),
            ),
        }
    }

    /// Takes the directive that starts at the current position, to the end of its line.
    fn take_line(&mut self) -> Option<Line> {
        let file = self.files.last_mut()?;
        let start = file.next;
        let mut end = start + 1;
        while file.pieces.get(end).is_some_and(|piece| !piece.line_start) {
            end += 1;
        }
        file.next = end;
        let mut pieces = file.pieces[start..end].iter().cloned();
        let hash = pieces.next()?;
        let keyword = pieces.next();
        Some(Line { hash, keyword, rest: pieces.collect() })
    }

    // ---- macros ----

    /// The name that a directive is about.
    fn macro_name(&mut self, line: &Line) -> Option<Piece> {
        let keyword = line.keyword.as_ref().map_or("", |piece| &piece.text);
        match line.rest.first() {
            Some(name) if name.is_identifier() => Some(name.clone()),
            Some(other) => {
                self.diagnostics.push(
                    Diagnostic::error(
                        format!("`#{keyword}` needs a name, found `{}`", other.text),
                        other.span,
                    )
                    .expected("expected a name"),
                );
                None
            }
            None => {
                let error = Diagnostic::error(format!("`#{keyword}` needs a name"), line.span());
                self.diagnostics.push(error.expected("expected a name after this"));
                None
            }
        }
    }

    fn define(&mut self, line: &Line) {
        let Some(name) = self.macro_name(line) else { return };
        if &*name.text == "defined" {
            self.diagnostics.push(Diagnostic::error("`defined` cannot be a macro's name", name.span));
            return;
        }
        let mut body_start = 1;
        let mut parameters = None;
        let mut variadic = false;
        if line.rest.get(1).is_some_and(|piece| piece.is("(") && !piece.space_before) {
            match self.macro_parameters(&line.rest[1..]) {
                Some((names, rest, length)) => {
                    parameters = Some(names);
                    variadic = rest;
                    body_start = 1 + length;
                }
                None => return,
            }
        }
        let body = line.rest[body_start..].to_vec();
        for end in [body.first(), body.last()].into_iter().flatten() {
            if end.is("##") {
                self.diagnostics.push(
                    Diagnostic::error("`##` cannot stand at an end of a macro", end.span)
                        .expected("it joins the tokens on both of its sides"),
                );
                return;
            }
        }
        let replacement = Replacement::Body(body);
        let definition =
            Macro { name: name.text.clone(), parameters, variadic, replacement, span: name.span };
        if let Some(previous) = self.macros.get(&name.text)
            && !previous.same_as(&definition)
        {
            self.diagnostics.push(
                Diagnostic::warning(format!("the macro `{}` is defined again", name.text), name.span)
                    .expected("this definition counts from here on")
                    .also(previous.span, "earlier definition"),
            );
        }
        self.macros.define(definition);
    }

    /// Reads `(a, b, ...)`; returns the names, whether the last takes the rest, and how many tokens that was.
    fn macro_parameters(&mut self, pieces: &[Piece]) -> Option<(Vec<Rc<str>>, bool, usize)> {
        let mut names: Vec<Rc<str>> = Vec::new();
        let mut i = 1;
        if pieces.get(1).is_some_and(|piece| piece.is(")")) {
            return Some((names, false, 2));
        }
        loop {
            let Some(piece) = pieces.get(i) else {
                self.diagnostics.push(
                    Diagnostic::error("a macro's parameters do not end", pieces[0].span).expected("no `)`"),
                );
                return None;
            };
            let mut variadic = false;
            if piece.is("...") {
                names.push("__VA_ARGS__".into());
                variadic = true;
            } else if piece.is_identifier() {
                if names.contains(&piece.text) {
                    let message = format!("the macro parameter `{}` is there twice", piece.text);
                    self.diagnostics.push(Diagnostic::error(message, piece.span));
                    return None;
                }
                names.push(piece.text.clone());
                if pieces.get(i + 1).is_some_and(|next| next.is("...")) {
                    variadic = true;
                    i += 1;
                }
            } else {
                let message = format!("expected a macro parameter, found `{}`", piece.text);
                self.diagnostics.push(Diagnostic::error(message, piece.span));
                return None;
            }
            match pieces.get(i + 1) {
                Some(next) if next.is(")") => return Some((names, variadic, i + 2)),
                Some(next) if next.is(",") && !variadic => i += 2,
                Some(next) => {
                    let message =
                        format!("expected `,` or `)` after a macro parameter, found `{}`", next.text);
                    self.diagnostics.push(Diagnostic::error(message, next.span));
                    return None;
                }
                None => i += 1,
            }
        }
    }

    fn undefine(&mut self, line: &Line) {
        if let Some(name) = self.macro_name(line) {
            self.macros.undefine(&name.text);
        }
    }

    fn user_message(&mut self, line: &Line) {
        let mut text = String::new();
        for (i, piece) in line.rest.iter().enumerate() {
            if i > 0 && piece.space_before {
                text.push(' ');
            }
            text.push_str(&piece.text);
        }
        let is_error = line.keyword.as_ref().is_some_and(|keyword| &*keyword.text == "error");
        let mut message = Diagnostic::error(format!("#error: {text}"), line.span());
        if !is_error {
            message.severity = Severity::Warning;
            message.message = format!("#warning: {text}");
        }
        self.diagnostics.push(message);
    }

    // ---- conditionals ----

    /// The truth of an `#if`, `#ifdef`, `#ifndef` or `#elif`.
    fn branch_condition(&mut self, line: &Line) -> bool {
        let keyword = line.keyword.as_ref().map_or("", |piece| &piece.text);
        if keyword == "ifdef" || keyword == "ifndef" {
            let Some(name) = self.macro_name(line) else { return false };
            return self.macros.is_defined(&name.text) == (keyword == "ifdef");
        }
        if line.rest.is_empty() {
            let error = Diagnostic::error(format!("`#{keyword}` without a condition"), line.span());
            self.diagnostics.push(error.expected("expected a condition after this"));
            return false;
        }
        let resolved = self.resolve_defined(&line.rest);
        let expanded = self.expand_list(resolved);
        match condition::evaluate(&expanded) {
            Ok(holds) => holds,
            Err(error) => {
                let span = error.at.map_or(line.rest_span(), |piece| piece.span);
                self.diagnostics.push(Diagnostic::error(error.message, span));
                false
            }
        }
    }

    /// Replaces `defined NAME` and `defined(NAME)` by 1 or 0.
    fn resolve_defined(&mut self, pieces: &[Piece]) -> Vec<Piece> {
        let mut out = Vec::new();
        let mut i = 0;
        while i < pieces.len() {
            let piece = &pieces[i];
            if piece.is_identifier() && &*piece.text == "defined" {
                let parenthesised = pieces.get(i + 1).is_some_and(|next| next.is("("));
                let name_at = i + 1 + usize::from(parenthesised);
                let closed = !parenthesised || pieces.get(name_at + 1).is_some_and(|next| next.is(")"));
                match pieces.get(name_at) {
                    Some(name) if name.is_identifier() && closed => {
                        let text = if self.macros.is_defined(&name.text) { "1" } else { "0" };
                        out.push(Piece { kind: PieceKind::Number, text: text.into(), ..piece.clone() });
                        i = name_at + 1 + usize::from(parenthesised);
                        continue;
                    }
                    _ => self.diagnostics.push(
                        Diagnostic::error("`defined` needs a name", piece.span).hint("write `defined(NAME)`"),
                    ),
                }
            }
            out.push(piece.clone());
            i += 1;
        }
        out
    }

    fn open_conditional(&mut self, line: &Line, holds: bool) {
        let keyword = line.keyword.as_ref().map_or_else(|| "if".into(), |piece| piece.text.clone());
        if let Some(file) = self.files.last_mut() {
            file.conditionals.push(Conditional { keyword, span: line.span(), taken: holds, else_span: None });
        }
        if !holds {
            self.skip_branch();
        }
    }

    /// An `#elif`, `#else` or `#endif`, met at the end of a branch.
    fn other_branch(&mut self, line: &Line) {
        let keyword = line.keyword.as_ref().map_or("", |piece| &piece.text).to_string();
        let Some(file) = self.files.last_mut() else { return };
        let Some(conditional) = file.conditionals.last_mut() else {
            self.diagnostics.push(Diagnostic::error(format!("`#{keyword}` without `#if`"), line.span()));
            return;
        };
        if keyword == "endif" {
            file.conditionals.pop();
            return;
        }
        if let Some(first) = conditional.else_span {
            let error = Diagnostic::error(format!("`#{keyword}` after `#else`"), line.span());
            self.diagnostics.push(error.also(first, "the `#else` is here"));
            self.skip_branch();
            return;
        }
        if keyword == "else" {
            conditional.else_span = Some(line.span());
        }
        let already_taken = conditional.taken;
        let holds = !already_taken && (keyword == "else" || self.branch_condition(line));
        if holds {
            if let Some(conditional) = self.files.last_mut().and_then(|file| file.conditionals.last_mut()) {
                conditional.taken = true;
            }
        } else {
            self.skip_branch();
        }
    }

    /// Skips to the `#elif`, `#else` or `#endif` that ends the current branch.
    fn skip_branch(&mut self) {
        let Some(file) = self.files.last_mut() else { return };
        let mut nested = 0;
        while let Some(piece) = file.pieces.get(file.next) {
            if piece.starts_directive()
                && let Some(keyword) = file.pieces.get(file.next + 1).filter(|keyword| !keyword.line_start)
            {
                match &*keyword.text {
                    "if" | "ifdef" | "ifndef" => nested += 1,
                    "endif" if nested > 0 => nested -= 1,
                    // Left to be read as a directive of its own: an `#elif` may hold.
                    "elif" | "else" | "endif" if nested == 0 => return,
                    _ => {}
                }
            }
            file.next += 1;
        }
    }

    // ---- includes ----

    fn include(&mut self, line: &Line) {
        let Some((name, local)) = self.include_name(line) else {
            self.diagnostics.push(
                Diagnostic::error("`#include` needs a file name", line.rest_span())
                    .hint("write `#include \"file\"` or `#include <file>`"),
            );
            return;
        };
        let mut candidates: Vec<PathBuf> = Vec::new();
        if local && let Some(file) = self.files.last() {
            candidates.push(file.directory.join(&name));
        }
        candidates.extend(self.options.include_paths.iter().map(|directory| directory.join(&name)));
        let found = candidates.iter().find(|path| path.is_file());
        let Some(path) = found else {
            let mut places: Vec<String> =
                candidates.iter().map(|path| format!("`{}`", path.display())).collect();
            places.dedup();
            let hint = match places.is_empty() {
                true => "there are no include directories to look in".to_string(),
                false => format!("looked for {}; `-I DIR` names a directory to look in", places.join(", ")),
            };
            let error =
                Diagnostic::error(format!("cannot find the included file `{name}`"), line.rest_span());
            self.diagnostics.push(error.hint(hint));
            return;
        };
        self.include_file(path, line);
    }

    fn include_file(&mut self, path: &Path, line: &Line) {
        if self.read_once.contains(path) {
            return;
        }
        if self.files.len() > MAX_INCLUDES {
            let circular = self.files.iter().any(|file| self.sources.file(file.id).path == path);
            let message = if circular {
                format!("circular include: `{}` includes itself", path.display())
            } else {
                format!("includes are nested more than {MAX_INCLUDES} deep")
            };
            self.diagnostics.push(
                Diagnostic::error(message, line.span())
                    .hint("guard the file with `#ifndef NAME`, `#define NAME` … `#endif`"),
            );
            // Unwind all files but the first, so that the same is not said for each of them.
            for file in self.files.iter_mut().skip(1) {
                file.next = file.pieces.len();
                file.conditionals.clear();
            }
            return;
        }
        match std::fs::read(path) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let id = self.sources.add(path.display().to_string(), path, text);
                self.open(id);
            }
            Err(error) => {
                let message = format!("cannot read the included file `{}`: {error}", path.display());
                self.diagnostics.push(Diagnostic::error(message, line.rest_span()));
            }
        }
    }

    /// The file name of an `#include`, and whether it stands in double quotes.
    fn include_name(&mut self, line: &Line) -> Option<(String, bool)> {
        let first = line.rest.first()?;
        if first.is("<") {
            // Between `<` and `>` the text counts as written, not its tokens.
            let start = first.span.end as usize;
            let text = &self.sources.file(first.span.file).text;
            let rest = text.get(start..line.rest.last()?.span.end as usize)?;
            return rest.find('>').map(|end| (rest[..end].to_string(), false));
        }
        if first.kind == PieceKind::Text {
            return Some((unquoted(&first.text)?, true));
        }
        let expanded = self.expand_list(line.rest.clone());
        let first = expanded.first()?;
        if first.kind == PieceKind::Text {
            return Some((unquoted(&first.text)?, true));
        }
        if first.is("<") {
            let name: String =
                expanded[1..].iter().take_while(|piece| !piece.is(">")).map(|piece| &*piece.text).collect();
            return Some((name, false));
        }
        None
    }
}

fn unquoted(text: &str) -> Option<String> {
    Some(text.strip_prefix('"')?.strip_suffix('"')?.to_string())
}
