//! Models to be garbled, and ways to garble them: what the tests of robustness share.
//!
//! The models are those of this project, and those of the corpus if it is there. [`spliced`] works on
//! characters and gives text that hardly ever reads; [`mutated`] works on tokens and gives models that often
//! read and sometimes make sense, so that what comes after the parser gets its share. All is seeded.

use std::path::{Path, PathBuf};

pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn corpus() -> PathBuf {
    std::env::var_os("LARIAT_CORPUS").map_or_else(|| workspace().join("../shared/corpus"), PathBuf::from)
}

fn files_with_extension(directory: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == extension));
    files.sort();
    files
}

pub fn own_models() -> Vec<PathBuf> {
    files_with_extension(&workspace().join("models"), "pml")
}

/// The models that Spin accepts, by the corpus' own list; empty if there is no corpus.
pub fn corpus_models() -> Vec<PathBuf> {
    let promela = corpus().join("promela");
    let list = std::fs::read_to_string(promela.join("truth.csv")).unwrap_or_default();
    let mut models: Vec<PathBuf> = list
        .lines()
        .skip(1)
        .filter_map(|line| line.split(',').next())
        .map(|name| promela.join(name))
        .collect();
    if let Ok(entries) = std::fs::read_dir(corpus().join("beem")) {
        for directory in entries.flatten() {
            models.extend(files_with_extension(&directory.path(), "pm"));
        }
    }
    models
}

/// All models below the project's test directories: broken ones, regressions, those of the other tests.
pub fn test_models() -> Vec<PathBuf> {
    let directories = ["tests/diagnostics", "tests/regressions", "crates/cli/tests/models"];
    directories
        .iter()
        .flat_map(|directory| files_with_extension(&workspace().join(directory), "pml"))
        .collect()
}

/// The texts of those files that are not too long to be read thousands of times.
pub fn readable_texts(paths: impl Iterator<Item = PathBuf>) -> Vec<String> {
    paths
        .filter_map(|path| std::fs::read(path).ok())
        .filter(|bytes| bytes.len() < 20_000)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect()
}

/// A small generator (xorshift), so that the test needs nothing else.
pub struct Random(u64);

impl Random {
    /// Every seed gives a sequence of its own.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

const SNIPPETS: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "if",
    "fi",
    "do",
    "od",
    "::",
    ";",
    "->",
    "else",
    "unless",
    "atomic {",
    "proctype P(",
    "init",
    "inline f(a) {",
    "f(x)",
    "return",
    "#define f(x) x f(x)\n",
    "#if",
    "#endif\n",
    "#else\n",
    "\n#include \"x\"\n",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "\\\n",
    "\n",
    "c_code {",
    "ltl {",
    "typedef T {",
    "mtype = {",
    "chan c = [1] of {",
    "run P(",
    "c?",
    "c!",
    "?[",
    "!!",
    "..",
    "=",
    "==",
    "-",
    "!",
    "0..N",
    "99999999999",
    "select (i : 1 .. 40)",
    "for (i in",
    "L:",
    "\u{e9}",
    "\u{0}",
    "\\",
    "#",
    "##",
    "@",
    "$",
];

pub fn spliced(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    if bytes.is_empty() {
        return String::new();
    }
    for _ in 0..1 + random.below(4) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 => bytes.truncate(at),
            1 => {
                let end = (at + random.below(60)).min(bytes.len());
                bytes.drain(at..end);
            }
            2 => {
                let from = random.below(bytes.len());
                let copied = bytes[from..(from + random.below(80)).min(bytes.len())].to_vec();
                bytes.splice(at..at, copied);
            }
            3 => bytes[at] = random.next() as u8,
            _ => {
                let snippet = SNIPPETS[random.below(SNIPPETS.len())];
                bytes.splice(at..at, snippet.bytes());
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Cuts a text into tokens and the white space and comments between them; put together they are the text
/// again.
pub fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let while_all = |wanted: fn(char) -> bool| rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        let length = if first.is_whitespace() {
            while_all(char::is_whitespace)
        } else if first.is_alphanumeric() || first == '_' {
            while_all(|c| c.is_alphanumeric() || c == '_')
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if rest.starts_with("//") || first == '#' {
            rest.find('\n').unwrap_or(rest.len())
        } else if first == '"' {
            rest[1..].find(['"', '\n']).map_or(rest.len(), |at| at + 2)
        } else {
            OPERATORS.iter().find(|o| rest.starts_with(**o)).map_or(first.len_utf8(), |o| o.len())
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after;
    }
    tokens
}

/// Longest first.
const OPERATORS: &[&str] = &[
    "??", "!!", "::", "->", "++", "--", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "..", "+", "-", "*",
    "/", "%", "<", ">", "&", "|", "^", "~", "!", "?", "=", ";", ",",
];

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "3",
    "7",
    "8",
    "31",
    "32",
    "63",
    "254",
    "255",
    "256",
    "32768",
    "65535",
    "65536",
    "2147483647",
    "-1",
];

/// Tokens of a kind: one of them put for another often makes sense.
const FAMILIES: &[&[&str]] = &[
    &["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&&", "||"],
    &["!", "!!", "?", "??"],
    &["++", "--"],
    &[";", "->"],
    &["bit", "bool", "byte", "short", "int", "mtype", "pid", "chan"],
    &["atomic", "d_step"],
    &["full", "nfull", "empty", "nempty", "len"],
    &["skip", "true", "false", "timeout", "else", "_pid", "_nr_pr", "np_", "_"],
    &["proctype", "D_proctype"],
];

/// A model with a few of its tokens or statements removed, doubled, moved or changed, or with a piece of
/// another model; or cut off.
pub fn mutated(text: &str, other: &str, random: &mut Random) -> String {
    let mut parts: Vec<&str> = tokens(text);
    let others: Vec<&str> = tokens(other);
    for _ in 0..1 + random.below(4) {
        let is_solid =
            |part: &str| !(part.trim().is_empty() || part.starts_with("/*") || part.starts_with("//"));
        let solid: Vec<usize> = (0..parts.len()).filter(|i| is_solid(parts[*i])).collect();
        if solid.is_empty() {
            break;
        }
        let at = solid[random.below(solid.len())];
        let elsewhere = solid[random.below(solid.len())];
        match random.below(40) {
            0 => {
                parts.remove(at);
            }
            1 => parts.insert(at, parts[at]),
            2 => parts.swap(at, elsewhere),
            3 => parts[at] = parts[elsewhere],
            4 if !others.is_empty() => {
                let start = random.below(others.len());
                let end = (start + 1 + random.below(30)).min(others.len());
                parts.splice(at..at, others[start..end].iter().copied());
            }
            5 => parts.truncate(at),
            6..=9 => {
                if let Some(statement) = statement_after(&parts, at) {
                    parts.drain(statement);
                }
            }
            10..=16 => {
                if let Some(statement) = statement_after(&parts, at) {
                    let copied = parts[statement].to_vec();
                    let to = statement_after(&parts, elsewhere).map_or(elsewhere, |other| other.start);
                    parts.splice(to..to, copied);
                }
            }
            _ => change_alike(&mut parts, &solid, random),
        }
    }
    parts.concat()
}

/// The next statement after a place, with the separator that ends it.
fn statement_after(parts: &[&str], at: usize) -> Option<std::ops::Range<usize>> {
    let separates = |part: &&str| matches!(*part, ";" | "->");
    let start = at + parts[at..].iter().position(separates)? + 1;
    let mut nesting = 0;
    for (i, part) in parts.iter().enumerate().skip(start) {
        match *part {
            "{" | "(" | "[" | "if" | "do" => nesting += 1,
            "}" | ")" | "]" | "fi" | "od" => nesting -= 1,
            "::" if nesting == 0 => return None,
            _ if nesting == 0 && separates(part) => return Some(start..i + 1),
            _ => {}
        }
        if nesting < 0 {
            return None;
        }
    }
    None
}

/// Changes a token to another of its kind: a number, an operator or word of the same family, a name of the
/// model.
fn change_alike(parts: &mut [&str], solid: &[usize], random: &mut Random) {
    let is_number = |token: &str| token.starts_with(|c: char| c.is_ascii_digit());
    let is_name = |token: &str| {
        token.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && !FAMILIES.iter().any(|family| family.contains(&token))
            && !matches!(
                token,
                "if" | "fi" | "do" | "od" | "init" | "active" | "typedef" | "inline" | "run" | "of" | "goto"
            )
    };
    let at = solid[random.below(solid.len())];
    let token = parts[at];
    if is_number(token) {
        parts[at] = NUMBERS[random.below(NUMBERS.len())];
    } else if let Some(family) = FAMILIES.iter().find(|family| family.contains(&token)) {
        parts[at] = family[random.below(family.len())];
    } else if is_name(token) {
        let names: Vec<&str> = solid.iter().map(|i| parts[*i]).filter(|name| is_name(name)).collect();
        parts[at] = names[random.below(names.len())];
    }
}
