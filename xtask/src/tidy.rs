//! `cargo xtask tidy`: the rules for files that neither the compiler nor rustfmt holds.
//!
//! - No file names a directory of the machine it was written on.
//! - Sources have no tabs and no blanks at the ends of lines. Text between `r#"` and `"#` is what a program
//!   prints or reads, and is left alone; so are models that are input of a test.
//! - Every Rust file opens with an essay (`//!`), has at most [`LONG`] lines, and none has `todo` and the
//!   like left in it.
//! - Comments are as wide as code, and whatever is `unsafe` has a reason ([`comments`]).
//! - Every model has an `.expect.toml`, and every `.expect.toml` a model.
//! - The README and the gate run the tests with the same command, [`TEST_COMMAND`].
//! - Manifests have what people look for, and no dependency that nobody uses; ARCHITECTURE.md's table of
//!   crates says what they say ([`manifests`]).
//! - What `cargo run` builds, `cargo test --workspace` need not build again ([`features`]).

mod comments;
mod features;
mod manifests;

use crate::workspace::Workspace;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

pub const TEST_COMMAND: &str = "cargo test --workspace --release";

const LONG: usize = 900;
const EXTENSIONS: [&str; 10] = ["rs", "toml", "md", "pml", "dve", "lir", "csv", "json", "txt", "lock"];
const SCRIPTS: [&str; 2] = [".ci/run", ".ci/page"];
const SKIPPED: [&str; 6] = [".git", "target", "fuzz/target", "fuzz/corpus", "fuzz/artifacts", "node_modules"];
const HOMES: [&str; 5] = ["home", "root", "work", "Users", "artifactory"];
const UNFINISHED: [&str; 3] = ["todo", "unimplemented", "dbg"];

/// A file's path from the root, with `/`, and its text.
struct File {
    path: String,
    text: String,
}

pub fn run(workspace: &Workspace) -> Result<bool> {
    let mut files = Vec::new();
    collect(&workspace.root, &workspace.root, &mut files)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let mut findings = findings(&files);
    features::compare(workspace, &mut findings)?;
    for finding in &findings {
        println!("{finding}");
    }
    println!("tidy: {} files, {} findings", files.len(), findings.len());
    Ok(findings.is_empty())
}

fn collect(root: &Path, directory: &Path, files: &mut Vec<File>) -> Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let path = entry.path();
        let relative = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
        if SKIPPED.contains(&relative.as_str()) {
            continue;
        }
        let kind = entry.file_type()?;
        if kind.is_dir() {
            collect(root, &path, files)?;
        } else if kind.is_file() && is_text(&relative) {
            let bytes = fs::read(&path).with_context(|| relative.clone())?;
            files.push(File { path: relative, text: String::from_utf8_lossy(&bytes).into_owned() });
        }
    }
    Ok(())
}

fn is_text(path: &str) -> bool {
    let extension = Path::new(path).extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| EXTENSIONS.contains(&extension)) || SCRIPTS.contains(&path)
}

fn findings(files: &[File]) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        lines(file, &mut found);
        if file.path.ends_with(".rs") && !file.text.starts_with("//!") {
            found.push(format!("{}: does not open with an essay (`//!`)", file.path));
        }
        let length = file.text.lines().count();
        if file.path.ends_with(".rs") && length > LONG {
            found.push(format!("{}: has {length} lines, more than {LONG}", file.path));
        }
        comments::check(file, &mut found);
    }
    models(files, &mut found);
    manifests::check(files, &mut found);
    for path in ["README.md", SCRIPTS[0]] {
        let text = files.iter().find(|file| file.path == path).map_or("", |file| &file.text);
        if !text.contains(TEST_COMMAND) {
            found.push(format!("{path}: does not have the test command, `{TEST_COMMAND}`"));
        }
    }
    found
}

fn lines(file: &File, found: &mut Vec<String>) {
    let rust = file.path.ends_with(".rs");
    let source = rust || is_source(&file.path);
    let mut quoted = false;
    for (number, line) in file.text.lines().enumerate() {
        let mut report = |what: &str| found.push(format!("{}:{}: {what}", file.path, number + 1));
        if names_a_home(line) {
            report("names a directory of some machine");
        }
        if rust && UNFINISHED.iter().any(|word| line.contains(&format!("{word}!("))) {
            report("something unfinished");
        }
        let was_quoted = quoted;
        if rust {
            quoted = still_quoted(line, quoted);
        }
        if source && !quoted && !was_quoted {
            if line.contains('\t') {
                report("a tab");
            }
            if line.ends_with(' ') {
                report("blanks at the end");
            }
        }
    }
}

/// What people edit: everything but data, the output of programs, and the input of tests.
fn is_source(path: &str) -> bool {
    path.ends_with(".toml")
        || path.ends_with(".md")
        || SCRIPTS.contains(&path)
        || ((path.starts_with("models/") || path.starts_with("bench/models/")) && path.ends_with(".pml"))
}

/// Whether a raw string is open after this line.
fn still_quoted(line: &str, quoted: bool) -> bool {
    let mut rest = line;
    let mut quoted = quoted;
    while let Some(place) = rest.find(if quoted { "\"#" } else { "r#\"" }) {
        rest = &rest[place + if quoted { 2 } else { 3 }..];
        quoted = !quoted;
    }
    quoted
}

/// A directory at the start of a path, that is, not after another name (as in a URL).
fn names_a_home(line: &str) -> bool {
    HOMES.iter().any(|home| {
        line.match_indices(&format!("/{home}/")).any(|(place, _)| {
            let before = line[..place].chars().next_back();
            !before.is_some_and(|c| c.is_alphanumeric() || "_-.}/".contains(c))
        })
    })
}

fn models(files: &[File], found: &mut Vec<String>) {
    let has = |path: &str| files.iter().any(|file| file.path == path);
    for file in files.iter().filter(|file| file.path.starts_with("models/")) {
        if let Some(stem) = file.path.strip_suffix(".pml").or(file.path.strip_suffix(".dve")) {
            if !has(&format!("{stem}.expect.toml")) {
                found.push(format!("{}: has no .expect.toml", file.path));
            }
        } else if let Some(stem) = file.path.strip_suffix(".expect.toml")
            && !has(&format!("{stem}.pml"))
            && !has(&format!("{stem}.dve"))
        {
            found.push(format!("{}: has no model", file.path));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, text: &str) -> Vec<String> {
        let file = |path: &str, text: &str| File { path: path.into(), text: text.into() };
        findings(&[file(path, text), file("README.md", TEST_COMMAND), file(".ci/run", TEST_COMMAND)])
    }

    #[test]
    fn clean_files_give_no_finding() {
        assert!(of("a.rs", "//! What this is.\n\nfn f() {}\n").is_empty());
        assert!(of("docs/a.md", "See https://example.org/home/index.html and $HOME/work/a.\n").is_empty());
    }

    #[test]
    fn directories_are_found() {
        let text = format!("`/{}/someone/lariat`\n", HOMES[0]);
        assert_eq!(of("docs/a.md", &text), ["docs/a.md:1: names a directory of some machine"]);
    }

    #[test]
    fn blanks_are_found_outside_raw_strings() {
        assert_eq!(of("a.rs", "//! a\n\tb \n"), ["a.rs:2: a tab", "a.rs:2: blanks at the end"]);
        assert!(of("a.rs", "//! a\nf(r#\"x \n\ty \n\"#);\n").is_empty());
        assert_eq!(of("a.rs", "//! a\nf(r#\"x \n\ty \n\"#);\nb \n"), ["a.rs:5: blanks at the end"]);
        assert!(of("crates/a/tests/models/a.pml", "\tx \n").is_empty());
        assert!(!of("models/a.pml", "\tx\n").is_empty());
    }

    #[test]
    fn unfinished_code_and_missing_essays_are_found() {
        let text = format!("fn f() {{ {}!() }}\n", UNFINISHED[0]);
        assert_eq!(
            of("a.rs", &text),
            ["a.rs:1: something unfinished", "a.rs: does not open with an essay (`//!`)"]
        );
    }

    #[test]
    fn long_files_are_found() {
        let text = format!("//! a\n{}", "fn f() {}\n".repeat(LONG));
        assert_eq!(of("a.rs", &text), ["a.rs: has 901 lines, more than 900"]);
        assert!(of("a.rs", &text.replacen("fn f() {}\n", "", 1)).is_empty());
    }

    #[test]
    fn models_come_with_expectations() {
        assert_eq!(of("models/a.pml", "init { skip }\n"), ["models/a.pml: has no .expect.toml"]);
        assert_eq!(of("models/a.expect.toml", "states = 1\n"), ["models/a.expect.toml: has no model"]);
    }

    #[test]
    fn the_test_command_stands_in_both_places() {
        assert_eq!(findings(&[]).len(), 2);
    }
}
