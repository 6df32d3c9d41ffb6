//! Comments: how wide they are, and whether they give a reason for what is `unsafe`.
//!
//! A line that is a comment has at most [`WIDTH`] characters, as code has. Rows of tables and what stands
//! between fences (drawings, examples) cannot be broken, and are left alone.
//!
//! Directly above the statement with an `unsafe` block, above an `unsafe impl` or an `unsafe` attribute there
//! is a comment with `SAFETY:`. An `unsafe fn` says in its documentation, or the file says in its header,
//! under `# Safety`, what callers owe; the blocks inside then need no reason of their own.
//!
//! The code is read line by line, and rustfmt's layout is relied on: a function ends with a brace that is
//! indented like its first line.

use super::{File, still_quoted};

const WIDTH: usize = 110;

pub fn check(file: &File, found: &mut Vec<String>) {
    if file.path.ends_with(".rs") {
        let lines = outside_raw_strings(&file.text);
        width(file, &lines, found);
        reasons(file, &lines, found);
    }
}

/// The lines; those that a raw string starts or ends in, or that lie in one, are empty.
fn outside_raw_strings(text: &str) -> Vec<&str> {
    let mut quoted = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        let before = quoted;
        quoted = still_quoted(line, quoted);
        lines.push(if before || quoted { "" } else { line });
    }
    lines
}

fn width(file: &File, lines: &[&str], found: &mut Vec<String>) {
    let mut fenced = false;
    for (number, line) in lines.iter().enumerate() {
        let Some(text) = comment(line) else {
            fenced = false;
            continue;
        };
        if text.starts_with("```") {
            fenced = !fenced;
        }
        let characters = line.chars().count();
        if characters > WIDTH && !fenced && !text.starts_with('|') {
            found.push(format!("{}:{}: a comment of {characters} characters", file.path, number + 1));
        }
    }
}

/// What a line says that is nothing but a comment.
fn comment(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("//").map(|text| text.trim_start_matches(['/', '!']).trim_start())
}

fn reasons(file: &File, lines: &[&str], found: &mut Vec<String>) {
    let header = lines.iter().take_while(|line| line.starts_with("//!"));
    let contract = header.into_iter().any(|line| comment(line) == Some("# Safety"));
    // How the `unsafe fn` that is being read is indented.
    let mut inside: Option<usize> = None;
    for (number, line) in lines.iter().enumerate() {
        let indented = line.len() - line.trim_start().len();
        if inside.is_some_and(|start| indented == start && line.trim_start().starts_with('}')) {
            inside = None;
        }
        let code = code(line);
        for unsafe_use in uses(&code) {
            let reason = match unsafe_use {
                Use::Function => {
                    inside = (!code.trim_end().ends_with('}')).then_some(indented).or(inside);
                    contract
                        || above(lines, number).any(|text| text == "# Safety" || text.contains("SAFETY:"))
                }
                Use::Other => inside.is_some() || above(lines, number).any(|text| text.contains("SAFETY:")),
            };
            if !reason {
                found.push(format!("{}:{}: `unsafe` without a reason (`SAFETY:`)", file.path, number + 1));
            }
        }
    }
}

/// The comments directly above the statement, item or arm that this line belongs to.
fn above<'a>(lines: &'a [&'a str], number: usize) -> impl Iterator<Item = &'a str> {
    let before = || lines[..number].iter().rev();
    let is_continued = |line: &str| {
        let code = code(line);
        comment(line).is_none() && !code.trim().is_empty() && !code.trim_end().ends_with([';', '{', '}', ','])
    };
    let started = before().take_while(|line| is_continued(line)).count();
    before().skip(started).map_while(|line| comment(line))
}

/// What kind of `unsafe` stands somewhere.
#[derive(Debug, PartialEq, Eq)]
enum Use {
    /// A function that has a contract.
    Function,
    /// A block, an implementation, a block of foreign functions, an attribute.
    Other,
}

fn uses(code: &str) -> Vec<Use> {
    let mut found = Vec::new();
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    for (place, word) in code.match_indices("unsafe") {
        let rest = &code[place + word.len()..];
        if code[..place].chars().next_back().is_some_and(is_name) || rest.starts_with(is_name) {
            continue;
        }
        let rest = rest.trim_start();
        match rest.split_once("fn") {
            Some((between, name)) if between.is_empty() || between.starts_with("extern") => {
                // Otherwise it is the type of a function.
                if name.starts_with(' ') {
                    found.push(Use::Function);
                }
            }
            _ => found.push(Use::Other),
        }
    }
    found
}

/// A line without its comment, and with nothing in its strings.
pub fn code(line: &str) -> String {
    let mut code = String::new();
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("//") {
            break;
        }
        let length = match c {
            '"' => string_length(rest),
            '\'' if rest.starts_with("'\"'") => 3,
            _ => c.len_utf8(),
        };
        code.push_str(if c == '"' { "\"\"" } else { &rest[..length] });
        rest = &rest[length..];
    }
    code
}

/// The length of the string that this starts with, both quotation marks included; all, if it does not end
/// here.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (place, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return place + 1,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        check(&File { path: "a.rs".into(), text: text.into() }, &mut found);
        found
    }

    #[test]
    fn wide_comments_are_found() {
        let exact = format!("    /// {}\n", "é".repeat(WIDTH - 8));
        assert!(of(&exact).is_empty());
        assert_eq!(of(&exact.replace("///", "////")), ["a.rs:1: a comment of 111 characters"]);
        let wide = "w".repeat(WIDTH);
        assert_eq!(of(&format!("fn f() {{\n    // {wide}\n}}\n")).len(), 1);
        assert!(of(&format!("const S: &str = r#\"\n// {wide}\n\"#;\n")).is_empty());
    }

    #[test]
    fn tables_and_drawings_may_be_wide() {
        let wide = "w".repeat(WIDTH);
        assert!(of(&format!("//! | {wide} |\n//! ```text\n//! {wide}\n//! ```\n")).is_empty());
        assert_eq!(
            of(&format!("//! ```text\n//! ```\n//! {wide}\n")),
            ["a.rs:3: a comment of 114 characters"]
        );
        assert_eq!(of(&format!("//! ```text\nfn f() {{}}\n/// {wide}\n")).len(), 1);
    }

    #[test]
    fn blocks_without_a_reason_are_found() {
        let missing = |line: u32| [format!("a.rs:{line}: `unsafe` without a reason (`SAFETY:`)")];
        assert_eq!(of("fn f() {\n    unsafe { g() }\n}\n"), missing(2));
        assert_eq!(of("fn f() {\n    // SAFETY: g is fine.\n    h();\n    unsafe { g() }\n}\n"), missing(4));
        assert_eq!(of("fn f() {\n    // Because.\n    unsafe { g() }\n}\n"), missing(3));
        assert_eq!(of("unsafe impl Sync for A {}\n"), missing(1));
        assert_eq!(of("unsafe extern \"C\" {\n}\n"), missing(1));
        assert_eq!(of("fn f() {\n    g(\"//\", unsafe { h() })\n}\n"), missing(2));
    }

    #[test]
    fn a_reason_stands_above_the_statement() {
        assert!(
            of("fn f() {\n    // SAFETY: g is fine,\n    // always.\n    unsafe { g() }\n}\n").is_empty()
        );
        assert!(of("// SAFETY: no.\n#[allow(unsafe_code)]\nunsafe impl Sync for A {}\n").is_empty());
        assert!(
            of("    // SAFETY: g is fine.\n    let a =\n        b.map(|c| unsafe { g(c) });\n").is_empty()
        );
    }

    #[test]
    fn functions_have_contracts() {
        let missing = |line: u32| [format!("a.rs:{line}: `unsafe` without a reason (`SAFETY:`)")];
        let function = "unsafe fn f() {\n    unsafe { g() }\n}\n";
        assert_eq!(of(function), missing(1));
        assert!(of(&format!("/// # Safety\n/// Call it once.\n{function}")).is_empty());
        assert!(of(&format!("//! What this is.\n//!\n//! # Safety\n//! Once.\n\n{function}")).is_empty());
        let behind =
            format!("/// # Safety\n/// Call it once.\n{function}fn h() {{\n    unsafe {{ g() }}\n}}\n");
        assert_eq!(of(&behind), missing(7));
        assert_eq!(of("unsafe extern \"C\" fn f() {}\n"), missing(1));
        assert!(of("type F = unsafe extern \"C\" fn(u8) -> u8;\n").is_empty());
    }

    #[test]
    fn words_in_strings_and_comments_are_not_code() {
        assert!(
            of("// unsafe { }\nconst A: &str = \"an \\\" unsafe { word\";\n#![deny(unsafe_code)]\n")
                .is_empty()
        );
        assert_eq!(code("a('\"', \"x // y\") // z"), "a('\"', \"\") ");
    }
}
