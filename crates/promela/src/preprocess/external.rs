//! Text from an external preprocessor (`gcc -E`, `cpp`, `m4`, …).
//!
//! The command gets the defines, the include directories and the file's name, and prints the text. Its line
//! markers (`# 12 "file"` or `#line 12 "file"`) say where each line came from; a token is then looked for on
//! that line of that file, and if it does not stand there (a macro produced it), the whole line is its place.
//!
//! A command may never end, or print without end. So it is watched while it runs, and ended at a limit.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use lariat_source::{Diagnostic, FileId, SourceMap, Span};

use super::scan::{Piece, scan};
use super::{PieceKind, Preprocessed};
use crate::parse::ReadOptions;
use crate::read_limits::ReadLimits;

/// Runs `command` on the file and cuts what it prints into tokens. Macros are not expanded again.
pub(crate) fn preprocess_externally(
    command: &str,
    path: &Path,
    main: FileId,
    options: &ReadOptions,
    sources: &mut SourceMap,
    diagnostics: &mut Vec<Diagnostic>,
) -> io::Result<Vec<Preprocessed>> {
    let mut words = command.split_whitespace();
    let program = words.next().ok_or_else(|| io::Error::other("the preprocessor command is empty"))?;
    let mut run = Command::new(program);
    run.args(words);
    for (name, value) in &options.defines {
        run.arg(match value {
            Some(value) => format!("-D{name}={value}"),
            None => format!("-D{name}"),
        });
    }
    for directory in &options.include_paths {
        let mut argument = std::ffi::OsString::from("-I");
        argument.push(directory);
        run.arg(argument);
    }
    run.arg(path);
    let output = output_within(run, command, &options.limits)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let message = format!("the preprocessor `{command}` failed ({}): {}", output.status, said.trim());
        return Err(io::Error::other(message));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let name = format!("{} (preprocessed)", path.display());
    let printed = sources.add(name, path, text.clone());
    let pieces = scan(printed, &text, diagnostics);
    Ok(Relocator::new(path, main, printed, sources).relocate(pieces))
}

/// Runs the command and collects what it prints. When a limit is hit, the command is ended.
fn output_within(mut run: Command, command: &str, limits: &ReadLimits) -> io::Result<Output> {
    let failed = |error: io::Error| {
        let message = match ReadLimits::is_limit(&error) {
            true => format!("{error}, while the preprocessor `{command}` was running"),
            false => format!("cannot run the preprocessor `{command}`: {error}"),
        };
        io::Error::new(error.kind(), message)
    };
    run.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = run.spawn().map_err(failed)?;
    let output = output_of(&mut child, limits);
    if output.is_err() {
        // It may have ended by itself.
        let _ = child.kill();
        let _ = child.wait();
    }
    output.map_err(failed)
}

fn output_of(child: &mut Child, limits: &ReadLimits) -> io::Result<Output> {
    let (Some(printed), Some(said)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(io::Error::other("it has no output"));
    };
    let (printed, said) = (limits.collect(printed)?, limits.collect(said)?);
    let (stdout, stderr) = (limits.wait(&printed)?, limits.wait(&said)?);
    // It has closed its outputs; it may go on all the same.
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Output { status, stdout, stderr });
        }
        limits.pause()?;
    }
}

struct Relocator<'a> {
    sources: &'a mut SourceMap,
    /// The text the preprocessor printed.
    printed: FileId,
    /// Files by the name in a marker; `None` for those that cannot be read (`<built-in>`).
    files: HashMap<String, Option<FileId>>,
    /// The file that the lines now come from, and how far its line numbers are from the printed ones.
    origin: Option<FileId>,
    offset: i64,
}

impl Relocator<'_> {
    fn new<'a>(path: &Path, main: FileId, printed: FileId, sources: &'a mut SourceMap) -> Relocator<'a> {
        let files = HashMap::from([(path.display().to_string(), Some(main))]);
        Relocator { sources, printed, files, origin: None, offset: 0 }
    }

    fn relocate(&mut self, pieces: Vec<Piece>) -> Vec<Preprocessed> {
        let mut tokens = Vec::new();
        let mut i = 0;
        // The line last looked at and how far its tokens have been found.
        let mut found_to = (FileId::default(), 0, 0);
        while i < pieces.len() {
            let length = pieces[i + 1..].iter().take_while(|piece| !piece.line_start).count() + 1;
            let line = &pieces[i..i + length];
            i += length;
            if line[0].starts_directive() {
                self.marker(line);
                continue;
            }
            for piece in line {
                let span = self.place_of(piece, &mut found_to);
                tokens.push(Preprocessed {
                    newline_before: piece.line_start,
                    piece: Piece { span, ..piece.clone() },
                });
            }
        }
        tokens
    }

    /// `# N "file"` or `#line N "file"`: the next line is line N of the file. Other directives are ignored.
    fn marker(&mut self, line: &[Piece]) {
        let mut rest = &line[1..];
        if rest.first().is_some_and(|piece| &*piece.text == "line") {
            rest = &rest[1..];
        }
        let Some(number) = rest.first().and_then(|piece| piece.text.parse::<i64>().ok()) else { return };
        if let Some(name) = rest.get(1).filter(|piece| piece.kind == PieceKind::Text) {
            let name = name.text.trim_matches('"').replace("\\\\", "\\");
            self.origin = self.file(&name);
        }
        let printed_line = i64::from(self.sources.line(line[0].span));
        self.offset = number.saturating_sub(printed_line + 1);
    }

    fn file(&mut self, name: &str) -> Option<FileId> {
        if let Some(&known) = self.files.get(name) {
            return known;
        }
        let id = match std::fs::read(name) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                Some(self.sources.add(name, name, text))
            }
            Err(_) => None,
        };
        self.files.insert(name.to_string(), id);
        id
    }

    fn place_of(&self, piece: &Piece, found_to: &mut (FileId, u32, usize)) -> Span {
        let Some(id) = self.origin.filter(|&id| id != self.printed) else { return piece.span };
        let printed_line = i64::from(self.sources.line(piece.span));
        let file = self.sources.file(id);
        let line = match u32::try_from(printed_line.saturating_add(self.offset)) {
            Ok(line) if (1..=file.line_count()).contains(&line) => line,
            _ => return piece.span,
        };
        let range = file.line_range(line);
        let text = &file.text[range.clone()];
        if (found_to.0, found_to.1) != (id, line) {
            *found_to = (id, line, 0);
        }
        let (start, end) = match text.get(found_to.2..).and_then(|rest| rest.find(&*piece.text)) {
            Some(at) => {
                let start = found_to.2 + at;
                found_to.2 = start + piece.text.len();
                (start, found_to.2)
            }
            None => (text.len() - text.trim_start().len(), text.trim_end().len()),
        };
        let end = end.max(start);
        Span::new(id, (range.start + start) as u32, (range.start + end) as u32)
    }
}
