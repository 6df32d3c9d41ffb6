//! Files read so far, and the arithmetic from byte offsets to lines and columns.

use crate::derived::{self, DerivedText, Piece};
use std::path::{Path, PathBuf};

/// Which file of a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct FileId(pub u32);

/// Which macro expansion of a [`SourceMap`]; `ExpansionId::NONE` for text written in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct ExpansionId(pub u32);

impl ExpansionId {
    /// Written in place.
    pub const NONE: ExpansionId = ExpansionId(0);
}

/// A stretch of text: bytes `start..end` of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// The file it lies in.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// Behind the last byte.
    pub end: u32,
    /// The macro expansion that produced this token, if one did.
    pub expansion: ExpansionId,
}

impl Span {
    /// Text that was written in place.
    pub fn new(file: FileId, start: u32, end: u32) -> Span {
        Span { file, start, end, expansion: ExpansionId::NONE }
    }

    /// The smallest span that covers both; if they lie in different files, the first.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { start: self.start.min(other.start), end: self.end.max(other.end), ..self }
    }
}

/// One macro expansion: which macro, where its body's token stands.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The name of the macro.
    pub macro_name: String,
    /// The token in the macro's definition (or the argument's own place).
    pub definition: Span,
}

/// Line and column, both from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

/// A file, as it was read.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// As the user named it, for messages.
    pub name: String,
    /// Where it was found; empty if it is no file.
    pub path: PathBuf,
    /// All of it.
    pub text: String,
    line_starts: Vec<u32>,
    /// Where the text comes from, if it is no file's own.
    pieces: Vec<Piece>,
}

impl SourceFile {
    fn new(name: String, path: PathBuf, text: String) -> SourceFile {
        let mut line_starts = vec![0];
        line_starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
        SourceFile { name, path, text, line_starts, pieces: Vec::new() }
    }

    /// At least 1.
    pub fn line_count(&self) -> u32 {
        self.line_starts.len() as u32
    }

    /// The line (from 1) that holds byte `offset`.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|&s| s <= offset) as u32
    }

    /// The byte range of a line (from 1), without its end-of-line characters.
    pub fn line_range(&self, line: u32) -> std::ops::Range<usize> {
        let start = self.line_starts[(line - 1) as usize] as usize;
        let end = self.line_starts.get(line as usize).map_or(self.text.len(), |&e| e as usize);
        let text = &self.text[start..end];
        start..start + text.trim_end_matches(['\n', '\r']).len()
    }
}

/// All files and macro expansions of one run.
#[derive(Clone, Debug)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    expansions: Vec<Expansion>,
}

impl Default for SourceMap {
    fn default() -> Self {
        let none = Expansion { macro_name: String::new(), definition: Span::default() };
        SourceMap { files: Vec::new(), expansions: vec![none] }
    }
}

impl SourceMap {
    /// Without files.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a file: its name for messages, where it was found, and its text.
    pub fn add(&mut self, name: impl Into<String>, path: impl AsRef<Path>, text: String) -> FileId {
        self.files.push(SourceFile::new(name.into(), path.as_ref().to_path_buf(), text));
        FileId(self.files.len() as u32 - 1)
    }

    /// Adds a text that was put together from pieces of others. Messages about it are shown there
    /// ([`SourceMap::origin`]).
    pub fn add_derived(&mut self, name: impl Into<String>, derived: DerivedText) -> FileId {
        let (text, pieces) = derived.into_parts();
        let id = self.add(name, "", text);
        self.files[id.0 as usize].pieces = pieces;
        id
    }

    /// Where a stretch of derived text comes from; any other is where it is.
    pub fn origin(&self, mut span: Span) -> Span {
        // Every origin is in a file that was added earlier.
        while let Some(file) = self.files.get(span.file.0 as usize)
            && let Some(origin) = derived::origin(&file.pieces, span.start, span.end)
            && origin.file < span.file
        {
            span = origin;
        }
        span
    }

    /// Adds a macro expansion.
    pub fn add_expansion(&mut self, expansion: Expansion) -> ExpansionId {
        self.expansions.push(expansion);
        ExpansionId(self.expansions.len() as u32 - 1)
    }

    /// A macro expansion; nothing for [`ExpansionId::NONE`].
    pub fn expansion(&self, id: ExpansionId) -> Option<&Expansion> {
        if id == ExpansionId::NONE { None } else { self.expansions.get(id.0 as usize) }
    }

    /// A file of this map.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All files, by number.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// Where a span begins.
    pub fn place(&self, span: Span) -> Place {
        let file = self.file(span.file);
        let line = file.line_of(span.start);
        let range = file.line_range(line);
        let before = file.text.get(range.start..span.start as usize).unwrap_or("");
        Place { line, column: before.chars().count() as u32 + 1 }
    }

    /// The line in which a span begins.
    pub fn line(&self, span: Span) -> u32 {
        self.file(span.file).line_of(span.start)
    }

    /// What a span covers.
    pub fn text(&self, span: Span) -> &str {
        self.file(span.file).text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}
