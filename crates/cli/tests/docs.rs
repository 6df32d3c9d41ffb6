//! The commands in README.md and docs/*.md, run as they stand there.
//!
//! In a block marked `console`, a line `$ command` is run by the shell, and the lines below it are what it
//! must print, on either output: a line `…` stands for any lines, `[..]` for any part of a line. `$ echo $?`
//! shows the exit status of the command before it. Tabs are shown as a terminal shows them. A block marked
//! `promela NAME.pml`, `dve NAME.dve` or `toml NAME.toml` is written to a file of that name first. Every
//! document has a directory of its own, with a link to `models`, where it may leave files; its blocks run in
//! the order of the text.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a document may call the program.
const FROM_SOURCE: &str = "cargo run --release --";

struct Block<'a> {
    /// Of the fence, from 1.
    line: usize,
    /// What stands behind the fence.
    mark: &'a str,
    text: Vec<&'a str>,
}

fn blocks(document: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for (i, line) in document.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(mark)) => open = Some(Block { line: i + 1, mark: mark.trim(), text: Vec::new() }),
            (Some(_), Some("")) => blocks.extend(open.take()),
            (Some(block), _) => block.text.push(line),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a block is not closed");
    blocks
}

fn matches(expected: &[&str], actual: &[&str]) -> bool {
    match expected.split_first() {
        None => actual.is_empty(),
        Some((line, rest)) if line.trim() == "…" => (0..=actual.len()).any(|n| matches(rest, &actual[n..])),
        Some((line, rest)) => match actual.split_first() {
            Some((first, others)) => line_matches(line.trim_end(), first.trim_end()) && matches(rest, others),
            None => false,
        },
    }
}

fn line_matches(expected: &str, actual: &str) -> bool {
    let Some((start, rest)) = expected.split_once("[..]") else { return expected == actual };
    let Some(actual) = actual.strip_prefix(start) else { return false };
    (0..=actual.len()).filter(|&n| actual.is_char_boundary(n)).any(|n| line_matches(rest, &actual[n..]))
}

fn expand_tabs(line: &str) -> String {
    let mut expanded = String::new();
    let mut column = 0;
    for c in line.chars() {
        let width = if c == '\t' { 8 - column % 8 } else { 1 };
        expanded.push_str(&if c == '\t' { " ".repeat(width) } else { c.to_string() });
        column += width;
    }
    expanded
}

/// What the command printed on both outputs, and its exit status.
fn run(command: &str, status_before: i32, directory: &Path) -> (String, i32) {
    let binary = Path::new(env!("CARGO_BIN_EXE_lariat"));
    let path = std::env::var("PATH").unwrap_or_default();
    let script = format!("exec 2>&1; (exit {status_before}); {}", command.replace(FROM_SOURCE, "lariat"));
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(directory)
        .env("PATH", format!("{}:{path}", binary.parent().unwrap().display()))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code().unwrap_or(-1))
}

/// Runs the blocks of a document; returns how many commands there were.
fn run_document(path: &Path) -> usize {
    let name = path.file_name().unwrap().display();
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let directory = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(root().join("models"), directory.path().join("models")).unwrap();
    let mut failures = String::new();
    let mut commands = 0;
    for block in blocks(&text) {
        let mut languages = ["promela ", "dve ", "toml "].iter();
        if let Some(file) = languages.find_map(|language| block.mark.strip_prefix(language)) {
            fs::write(directory.path().join(file), block.text.join("\n") + "\n").unwrap();
            continue;
        }
        if block.mark != "console" {
            let command =
                block.text.iter().find(|line| line.starts_with("lariat ") || line.starts_with("$ "));
            assert!(command.is_none(), "{name}:{}: a command outside of a console block", block.line);
            continue;
        }
        let starts: Vec<usize> = (0..block.text.len()).filter(|&i| block.text[i].starts_with("$ ")).collect();
        assert_eq!(starts.first(), Some(&0), "{name}:{}: a console block starts with a command", block.line);
        let mut status = 0;
        for (n, &start) in starts.iter().enumerate() {
            let end = starts.get(n + 1).copied().unwrap_or(block.text.len());
            let command = &block.text[start]["$ ".len()..];
            let expected = &block.text[start + 1..end];
            let (printed, new_status) = run(command, status, directory.path());
            status = new_status;
            commands += 1;
            let printed = printed.lines().map(expand_tabs).collect::<Vec<_>>().join("\n");
            let actual: Vec<&str> = printed.lines().collect();
            if !matches(expected, &actual) || status > 3 {
                let line = block.line + 1 + start;
                let expected = expected.join("\n");
                failures += &format!(
                    "\n{name}:{line}: $ {command}\n--- the text says\n{expected}\n--- printed, with exit status {status}\n{printed}"
                );
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
    commands
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

#[test]
fn the_readme_tells_the_truth() {
    assert!(run_document(&root().join("README.md")) > 0);
}

#[test]
fn the_docs_tell_the_truth() {
    let documents = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut documents: Vec<PathBuf> =
        documents.filter(|path| path.extension().is_some_and(|e| e == "md")).collect();
    documents.sort();
    let commands: usize = documents.iter().map(|path| run_document(path)).sum();
    assert!(commands > 0);
}

#[test]
fn wildcards() {
    assert!(line_matches("took [..] s", "took 0.1 s"));
    assert!(line_matches("[..]a[..]b", "xaxb"));
    assert!(!line_matches("took [..] s", "took 0.1 m"));
    assert!(!line_matches("a", "ab"));
    assert!(matches(&["a", "…", "d"], &["a", "b", "c", "d"]));
    assert!(matches(&["a", "…"], &["a"]));
    assert!(!matches(&["a", "…", "d"], &["a", "b", "c"]));
    assert!(!matches(&[], &["a"]));
    assert_eq!(expand_tabs("\ta\tb"), "        a       b");
}
