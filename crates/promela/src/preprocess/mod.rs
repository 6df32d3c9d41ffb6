//! The C preprocessor, as far as Promela models use it.
//!
//! Spin hands every model to `gcc -std=gnu99 -E -x c` first, so the preprocessor belongs to the language: its
//! macros, conditionals and includes, its reading of `//` as a comment, and gcc's own macros (a variable
//! named `linux` or `unix` is the number 1). This module does the same in-process, on tokens, so that every
//! token keeps its place. Where gcc's behaviour shows through to Promela it is followed exactly: a line break
//! of the text reaches the parser (which puts implied semicolons there) where gcc would print one. Macro
//! calls may span lines; the breaks inside are white space.
//!
//! Deviations: `#pragma`, `#ident` and line markers are ignored where Spin would stop at some of them; system
//! include directories are not searched; `#line` does not change what messages say, since the text at hand is
//! the better reference. The text may also come ready from an external preprocessor (see `external`).

mod condition;
mod directive;
mod expand;
mod external;
mod macros;
mod scan;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use lariat_source::{Diagnostic, ExpansionId, FileId, SourceMap, Span};

use crate::parse::ReadOptions;
use directive::Conditional;
use expand::Context;
use macros::{Macro, Replacement};

pub(crate) use external::preprocess_externally;
pub use macros::Macros;
pub(crate) use scan::{Piece, PieceKind};

/// A token of preprocessed text.
#[derive(Clone, Debug)]
pub(crate) struct Preprocessed {
    pub piece: Piece,
    /// A line break stands before it.
    pub newline_before: bool,
}

/// gcc's own macros in `-std=gnu99` mode, as far as a model could care.
const PREDEFINED: &str = "\
#define linux 1
#define unix 1
#define __linux 1
#define __linux__ 1
#define __unix 1
#define __unix__ 1
#define __gnu_linux__ 1
#define __ELF__ 1
#define __STDC__ 1
#define __STDC_VERSION__ 199901L
#define __STDC_HOSTED__ 1
#define __GNUC__ 12
#define __GNUC_MINOR__ 2
#define __GNUC_PATCHLEVEL__ 0
#define __VERSION__ \"12.2.0\"
#define __x86_64 1
#define __x86_64__ 1
#define __amd64 1
#define __amd64__ 1
#define _LP64 1
#define __LP64__ 1
#define __CHAR_BIT__ 8
#define __SCHAR_MAX__ 127
#define __SHRT_MAX__ 32767
#define __INT_MAX__ 2147483647
#define __LONG_MAX__ 9223372036854775807L
#define __SIZEOF_SHORT__ 2
#define __SIZEOF_INT__ 4
#define __SIZEOF_LONG__ 8
#define __SIZEOF_POINTER__ 8
#define __NO_INLINE__ 1
";

struct OpenFile {
    id: FileId,
    pieces: Vec<Piece>,
    next: usize,
    /// Where `#include \"…\"` looks first.
    directory: PathBuf,
    conditionals: Vec<Conditional>,
}

pub(crate) struct Preprocessor<'a> {
    sources: &'a mut SourceMap,
    options: &'a ReadOptions,
    macros: Macros,
    diagnostics: Vec<Diagnostic>,
    /// The files being read, each included by the one before.
    files: Vec<OpenFile>,
    /// Files that said `#pragma once`.
    read_once: HashSet<PathBuf>,
    contexts: Vec<Context>,
    disabled: HashSet<Rc<str>>,
    expansion_ids: HashMap<(Rc<str>, Span), ExpansionId>,
    /// How many macro calls' arguments are being collected.
    collecting: u32,
    depth: u32,
    produced: usize,
    expansion_stopped: bool,
    counter: u32,
    /// A new line of some file has started since the last token.
    new_line: bool,
}

/// Preprocesses the file `main`, which has been added to `sources`, starting from `macros`. Returns the
/// tokens and the macros defined at the end.
pub(crate) fn preprocess(
    main: FileId,
    options: &ReadOptions,
    macros: Macros,
    sources: &mut SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> (Vec<Preprocessed>, Macros) {
    let mut preprocessor = Preprocessor {
        sources,
        options,
        macros,
        diagnostics: std::mem::take(diagnostics),
        files: Vec::new(),
        read_once: HashSet::new(),
        contexts: Vec::new(),
        disabled: HashSet::new(),
        expansion_ids: HashMap::new(),
        collecting: 0,
        depth: 0,
        produced: 0,
        expansion_stopped: false,
        counter: 0,
        new_line: false,
    };
    preprocessor.open(main);
    let tokens = preprocessor.run();
    *diagnostics = preprocessor.diagnostics;
    (tokens, preprocessor.macros)
}

/// The macros that are defined before the first line: gcc's own and those of the command line.
pub(crate) fn initial_macros(
    options: &ReadOptions,
    sources: &mut SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> Macros {
    let mut macros = Macros::default();
    for (name, replacement) in [
        ("__LINE__", Replacement::Line),
        ("__FILE__", Replacement::File),
        ("__COUNTER__", Replacement::Counter),
    ] {
        let (name, span) = (name.into(), Span::default());
        macros.define(Macro { name, parameters: None, variadic: false, replacement, span });
    }
    let built_in = sources.add("<built-in>", "", PREDEFINED.to_string());
    let (_, mut macros) = preprocess(built_in, options, macros, sources, diagnostics);
    if !options.defines.is_empty() {
        let mut text = String::new();
        for (name, value) in &options.defines {
            let value = value.as_deref().unwrap_or("1").replace(['\n', '\r'], " ");
            let name = name.replace(['\n', '\r'], " ");
            text.push_str(&format!("#define {name} {value}\n"));
        }
        let command_line = sources.add("<command line>", "", text);
        (_, macros) = preprocess(command_line, options, macros, sources, diagnostics);
    }
    macros
}

impl Preprocessor<'_> {
    fn run(&mut self) -> Vec<Preprocessed> {
        let mut tokens = Vec::new();
        // gcc also breaks the line where a token, after white space or a macro, lies on another line of the
        // text than the one it is printing: after a comment, a splice, or a macro call that spans lines.
        let mut printing = (FileId::default(), 0);
        let mut after_macro = false;
        while let Some(piece) = self.next_expanded() {
            let line = (piece.span.file, self.sources.line(piece.span));
            let of_macro = piece.span.expansion != ExpansionId::NONE;
            let may_break = piece.space_before || after_macro || of_macro;
            let newline_before = self.new_line || (may_break && line != printing);
            if newline_before {
                printing = line;
            }
            self.new_line = false;
            after_macro = of_macro;
            tokens.push(Preprocessed { piece, newline_before });
        }
        tokens
    }

    /// Starts to read a file of `sources`.
    fn open(&mut self, id: FileId) {
        let file = self.sources.file(id);
        let directory = file.path.parent().unwrap_or(Path::new("")).to_path_buf();
        let text = file.text.clone();
        let pieces = scan::scan(id, &text, &mut self.diagnostics);
        self.files.push(OpenFile { id, pieces, next: 0, directory, conditionals: Vec::new() });
    }

    /// The next token of the files that no directive swallows.
    fn next_from_file(&mut self) -> Option<Piece> {
        loop {
            let file = self.files.last_mut()?;
            let Some(piece) = file.pieces.get(file.next) else {
                if self.collecting > 0 {
                    return None;
                }
                self.close();
                continue;
            };
            if piece.starts_directive() {
                self.directive();
                continue;
            }
            file.next += 1;
            if piece.line_start && self.collecting == 0 {
                self.new_line = true;
            }
            return Some(piece.clone());
        }
    }

    /// The next token of the current file, unless a directive or the file's end comes first.
    fn peek_in_file(&self) -> Option<&Piece> {
        let file = self.files.last()?;
        file.pieces.get(file.next).filter(|piece| !piece.starts_directive())
    }

    fn close(&mut self) {
        if let Some(file) = self.files.pop() {
            for conditional in file.conditionals {
                self.diagnostics.push(
                    Diagnostic::error(
                        format!("this `#{}` is never closed", conditional.keyword),
                        conditional.span,
                    )
                    .hint("close it with `#endif`"),
                );
            }
        }
        self.new_line = true;
    }
}

#[cfg(test)]
mod tests;
