//! Reading Promela: from a file to a syntax tree and a list of messages.
//!
//! The text goes through the preprocessor and the lexer, then a recursive-descent parser (binary operators by
//! precedence) builds the tree. It accepts what Spin 6.5.2 accepts, with the same meaning, and reports every
//! error it finds: after an error it goes on with the next statement or unit. Nesting is limited, so no input
//! can exhaust the stack.
//!
//! | file | what it reads |
//! | --- | --- |
//! | `cursor` | tokens one by one, with implied semicolons; errors and recovery |
//! | `units` | what stands outermost: proctypes, claims, typedefs, … |
//! | `declarations` | variables, types, initialisers |
//! | `sequences` | `{ … }`, `if`, `do`, `for`: what contains statements |
//! | `statements` | labels and the statements that contain none |
//! | `messages` | send and receive |
//! | `expressions` | expressions and variable references |
//! | `inlines` | definitions and calls of `inline` |
//! | `misspelt` | words that are nearly keywords or types |
//! | `select` | `select`, with Spin's textual rewriting |

mod cursor;
mod declarations;
mod expressions;
mod inlines;
mod messages;
mod misspelt;
mod select;
mod sequences;
mod statements;
mod units;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use lariat_source::{DerivedText, Diagnostic, FileId, SourceMap, Span};

use crate::ast::{Expr, ExprKind, Program, Unit};
use crate::lex::lex;
use crate::preprocess::{Macros, Preprocessed, initial_macros, preprocess, preprocess_externally};
use crate::read_limits::ReadLimits;
use cursor::Parser;

/// How to read a model.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// `-D NAME` and `-D NAME=VALUE`.
    pub defines: Vec<(String, Option<String>)>,
    /// Where to look for included files, after the including file's own directory.
    pub include_paths: Vec<PathBuf>,
    /// A command to run instead of the built-in preprocessor; it gets `-D…`, `-I…` and the file's name.
    pub external_preprocessor: Option<String>,
    /// Where reading stops.
    pub limits: ReadLimits,
}

/// Reads and parses a file. All that is wrong with its text is in the diagnostics; an `Err` means that the
/// text could not be had at all.
pub fn parse_file(
    path: &Path,
    options: &ReadOptions,
    sources: &mut SourceMap,
) -> io::Result<(Program, Vec<Diagnostic>)> {
    parse_file_keeping_macros(path, options, sources).map(|(program, _, diagnostics)| (program, diagnostics))
}

/// As [`parse_file`]; also returns the macros defined at the end of the text, for [`parse_expression`].
pub fn parse_file_keeping_macros(
    path: &Path,
    options: &ReadOptions,
    sources: &mut SourceMap,
) -> io::Result<(Program, Macros, Vec<Diagnostic>)> {
    let bytes = options.limits.read_file(path)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let file = sources.add(path.display().to_string(), path, text);
    let Some(command) = &options.external_preprocessor else {
        return Ok(parse_source(file, options, sources));
    };
    let mut diagnostics = Vec::new();
    let pieces = preprocess_externally(command, path, file, options, sources, &mut diagnostics)?;
    let program = parse_pieces(&pieces, &Macros::default(), &mut diagnostics);
    Ok((program, Macros::default(), finished(diagnostics)))
}

/// Parses a text that is at hand. Included files are looked for from the current directory.
pub fn parse_text(
    name: &str,
    text: &str,
    options: &ReadOptions,
    sources: &mut SourceMap,
) -> (Program, Vec<Diagnostic>) {
    let (program, _, diagnostics) = parse_text_keeping_macros(name, text, options, sources);
    (program, diagnostics)
}

/// As [`parse_text`]; also returns the macros defined at the end of the text, for [`parse_expression`].
pub fn parse_text_keeping_macros(
    name: &str,
    text: &str,
    options: &ReadOptions,
    sources: &mut SourceMap,
) -> (Program, Macros, Vec<Diagnostic>) {
    let file = sources.add(name, name, text.to_string());
    parse_source(file, options, sources)
}

/// Parses one expression, under the macros and with the proctypes of a program that has been read.
pub fn parse_expression(
    name: &str,
    text: DerivedText,
    macros: &Macros,
    program: &Program,
    sources: &mut SourceMap,
) -> (Expr, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let length = text.text.len() as u32;
    let file = sources.add_derived(name, text);
    let options = ReadOptions::default();
    let (pieces, macros) = preprocess(file, &options, macros.clone(), sources, &mut diagnostics);
    let tokens = lex(&pieces, &macros, &mut diagnostics);
    let mut parser = Parser::new(tokens, diagnostics);
    for unit in &program.units {
        match unit {
            Unit::Proctype(proctype) => {
                parser.processes.insert(proctype.name.text.as_str().into());
            }
            Unit::Variables(declaration) => {
                let arrays = declaration.variables.iter().filter(|variable| variable.length.is_some());
                parser.arrays.extend(arrays.map(|variable| variable.name.text.as_str().into()));
            }
            _ => {}
        }
    }
    let expression = parser.whole_expression().unwrap_or_else(|_| {
        let span = Span::new(file, 0, length);
        Expr { kind: ExprKind::Broken, span }
    });
    (expression, finished(parser.diagnostics))
}

fn parse_source(
    file: FileId,
    options: &ReadOptions,
    sources: &mut SourceMap,
) -> (Program, Macros, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let macros = initial_macros(options, sources, &mut diagnostics);
    let (pieces, macros) = preprocess(file, options, macros, sources, &mut diagnostics);
    let program = parse_pieces(&pieces, &macros, &mut diagnostics);
    (program, macros, finished(diagnostics))
}

fn parse_pieces(pieces: &[Preprocessed], macros: &Macros, diagnostics: &mut Vec<Diagnostic>) -> Program {
    let tokens = lex(pieces, macros, diagnostics);
    let mut parser = Parser::new(tokens, std::mem::take(diagnostics));
    let program = parser.program();
    *diagnostics = parser.diagnostics;
    program
}

/// Each message once (an inline's body is read at each of its calls).
fn finished(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut seen = HashSet::new();
    diagnostics.retain(|diagnostic| seen.insert((diagnostic.message.clone(), diagnostic.span())));
    diagnostics
}
