//! The manifests of the workspace: what they have to have, what they ask for, what ARCHITECTURE.md says of
//! them.
//!
//! - Every member has a description, keywords, categories and a licence, and takes the lints of the
//!   workspace.
//! - A dependency on a member that is published has a version beside its path.
//! - A dependency is used: its name occurs in the sources of the crate, for `dev-dependencies` in any of its
//!   Rust files. The dependencies behind a comment [`FOR_FEATURES`] are there to turn features on.
//! - Where the tests of a crate are one program (`autotests = false`), no file of them is left out of it.
//! - Crates without anything `unsafe` forbid it.
//! - The table of crates in ARCHITECTURE.md has a row for every crate under `crates/`, and what a row says a
//!   crate uses is what its manifest has under `dependencies`: names of rows with commas between them, `–`,
//!   or `all above`; what stands in parentheses is a remark.

use super::File;
use std::collections::{BTreeMap, BTreeSet};
use toml::{Table, Value};

const FOR_FEATURES: &str = "# Only for their features";
const TABLE: &str = "ARCHITECTURE.md";
const WANTED: [&str; 4] = ["description", "keywords", "categories", "license"];

/// A member: where it is, without a `/` at the end, its manifest, and the text of that.
struct Member<'a> {
    directory: &'a str,
    manifest: Table,
    text: &'a str,
}

pub fn check(files: &[File], found: &mut Vec<String>) {
    let mut members = Vec::new();
    for file in files {
        let Some(directory) = file.path.strip_suffix("/Cargo.toml") else { continue };
        match file.text.parse::<Table>() {
            // The fuzz targets are a workspace of their own.
            Ok(manifest) if manifest.contains_key("workspace") => {}
            Ok(manifest) => members.push(Member { directory, manifest, text: &file.text }),
            Err(error) => found.push(format!("{}: {}", file.path, error.message())),
        }
    }
    for member in &members {
        let mut say = |what: String| found.push(format!("{}/Cargo.toml: {what}", member.directory));
        habits(member, &mut say);
        unused(member, files, &mut say);
        left_out(member, files, &mut say);
        forbids_unsafe(member, files, found);
    }
    if let Some(root) = files.iter().find(|file| file.path == "Cargo.toml") {
        versions(&root.text.parse().unwrap_or_default(), &members, found);
    }
    if let Some(file) = files.iter().find(|file| file.path == TABLE) {
        crates(&file.text, &members, found);
    }
}

fn habits(member: &Member, say: &mut impl FnMut(String)) {
    let package = member.manifest.get("package").and_then(Value::as_table);
    for field in WANTED {
        if !package.is_some_and(|package| package.contains_key(field)) {
            say(format!("has no {field}"));
        }
    }
    let lints = member.manifest.get("lints").and_then(|lints| lints.get("workspace"));
    if lints.and_then(Value::as_bool) != Some(true) {
        say("does not take the lints of the workspace".to_string());
    }
}

impl Member<'_> {
    fn name(&self) -> &str {
        self.manifest.get("package").and_then(|package| package.get("name")?.as_str()).unwrap_or_default()
    }

    fn is_published(&self) -> bool {
        let publish = self.manifest.get("package").and_then(|package| package.get("publish")?.as_bool());
        publish.unwrap_or(true)
    }

    /// The names under this heading, also those for some targets.
    fn dependencies(&self, heading: &str) -> BTreeSet<&str> {
        let targets = self.manifest.get("target").and_then(Value::as_table);
        let tables = targets.into_iter().flat_map(Table::values).filter_map(|target| target.get(heading));
        let tables = tables.chain(self.manifest.get(heading)).filter_map(Value::as_table);
        tables.flat_map(Table::keys).map(String::as_str).collect()
    }

    fn for_features(&self) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        let mut lines = self.text.lines();
        while lines.by_ref().any(|line| line.starts_with(FOR_FEATURES)) {
            let listed = lines.by_ref().take_while(|line| !line.is_empty() && !line.starts_with(['[', '#']));
            names.extend(listed.filter_map(|line| line.split(['.', ' ', '=']).next()));
        }
        names
    }

    fn sources<'a>(&'a self, files: &'a [File], under: &'a str) -> impl Iterator<Item = &'a File> {
        files.iter().filter(move |file| {
            let inside = file.path.strip_prefix(self.directory).and_then(|path| path.strip_prefix('/'));
            file.path.ends_with(".rs") && inside.is_some_and(|path| path.starts_with(under))
        })
    }
}

fn unused(member: &Member, files: &[File], say: &mut impl FnMut(String)) {
    let for_features = member.for_features();
    for (heading, under) in
        [("dependencies", "src/"), ("build-dependencies", "build.rs"), ("dev-dependencies", "")]
    {
        for name in member.dependencies(heading) {
            let used = |file: &File| names(&file.text, &name.replace('-', "_"));
            if !for_features.contains(name) && !member.sources(files, under).any(used) {
                say(format!("`{name}` of {heading} is not used"));
            }
        }
    }
}

fn left_out(member: &Member, files: &[File], say: &mut impl FnMut(String)) {
    let automatic = member.manifest.get("package").and_then(|package| package.get("autotests")?.as_bool());
    if automatic.unwrap_or(true) {
        return;
    }
    let listed = member.manifest.get("test").and_then(Value::as_array).into_iter().flatten();
    let listed: Vec<&str> = listed.filter_map(|test| test.get("path")?.as_str()).collect();
    let inside = |file: &File| file.path[member.directory.len() + 1..].to_string();
    let tests: Vec<&File> = member.sources(files, "tests/").collect();
    for file in &tests {
        let path = inside(file);
        let name = path["tests/".len()..].trim_end_matches(".rs");
        let declared = |program: &&File| {
            listed.contains(&&*inside(program))
                && program.text.lines().any(|line| line == format!("mod {name};"))
        };
        if !name.contains('/') && !listed.contains(&&*path) && !tests.iter().any(declared) {
            say(format!("`{path}` is not part of any test program"));
        }
    }
}

/// Whether code, as opposed to comments, has this name in it.
fn names(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.lines().filter(|line| !line.trim_start().starts_with("//")).any(|line| {
        line.match_indices(name).any(|(place, _)| {
            let before = line[..place].chars().next_back().is_some_and(is_part);
            !before && !line[place + name.len()..].starts_with(is_part)
        })
    })
}

fn forbids_unsafe(member: &Member, files: &[File], found: &mut Vec<String>) {
    if member.sources(files, "src/").any(|file| names(&without_strings(&file.text), "unsafe")) {
        return;
    }
    for file in member.sources(files, "src/") {
        let inside = &file.path[member.directory.len() + "/src/".len()..];
        let program =
            inside.strip_prefix("bin/").is_some_and(|name| !name.contains('/') || name.ends_with("/main.rs"));
        let root = program || ["lib.rs", "main.rs"].contains(&inside);
        if root && !file.text.contains("#![forbid(unsafe_code)]") {
            found.push(format!("{}: does not forbid `unsafe`, and has none", file.path));
        }
    }
}

fn without_strings(text: &str) -> String {
    text.lines().map(|line| super::comments::code(line) + "\n").collect()
}

fn versions(root: &Table, members: &[Member], found: &mut Vec<String>) {
    let listed = root.get("workspace").and_then(|workspace| workspace.get("dependencies")?.as_table());
    for (name, dependency) in listed.into_iter().flatten() {
        let published = members.iter().any(|member| member.name() == name && member.is_published());
        if published && dependency.get("path").is_some() && dependency.get("version").is_none() {
            found.push(format!("Cargo.toml: `{name}` has a path and no version"));
        }
    }
}

fn crates(text: &str, members: &[Member], found: &mut Vec<String>) {
    let mut say = |what: String| found.push(format!("{TABLE}: {what}"));
    let short = |member: &Member| member.directory.strip_prefix("crates/").map(str::to_string);
    let by_package: BTreeMap<&str, String> =
        members.iter().filter_map(|member| Some((member.name(), short(member)?))).collect();
    let mut above: BTreeSet<String> = BTreeSet::new();
    for (name, uses) in rows(text) {
        let Some(member) = members.iter().find(|member| short(member).as_deref() == Some(&*name)) else {
            say(format!("the table has a crate `{name}`, which is not there"));
            continue;
        };
        let says: BTreeSet<String> = match uses.as_slice() {
            [all] if all == "all above" => above.clone(),
            names => names.iter().cloned().collect(),
        };
        let dependencies = member.dependencies("dependencies");
        let has: BTreeSet<String> =
            dependencies.iter().filter_map(|package| by_package.get(package).cloned()).collect();
        for more in has.difference(&says) {
            say(format!("`{name}` uses `{more}`, which the table does not say"));
        }
        for less in says.difference(&has) {
            say(format!("`{name}` does not use `{less}`, as the table says"));
        }
        above.insert(name);
    }
    for name in members.iter().filter_map(short).filter(|name| !above.contains(name)) {
        say(format!("the table has no crate `{name}`"));
    }
}

/// The rows of the table whose columns are `crate`, something, `uses`: the crate, and what it is said to use.
fn rows(text: &str) -> Vec<(String, Vec<String>)> {
    let cells = |line: &str| -> Vec<String> {
        line.trim().trim_matches('|').split('|').map(|cell| cell.trim().to_string()).collect()
    };
    let is_heading = |line: &&str| {
        let cells = cells(line);
        cells.len() == 3 && cells[0] == "crate" && cells[2] == "uses"
    };
    let mut rows = Vec::new();
    for line in
        text.lines().skip_while(|line| !is_heading(line)).skip(2).take_while(|line| line.starts_with('|'))
    {
        if let [name, _, uses] = cells(line).as_slice() {
            let uses = without_remarks(uses);
            let uses = uses.split(',').map(|name| name.trim().trim_matches('`').to_string());
            let uses = uses.filter(|name| !name.is_empty() && name != "–").collect();
            rows.push((name.trim_matches('`').to_string(), uses));
        }
    }
    rows
}

fn without_remarks(text: &str) -> String {
    let mut depth = 0;
    let outside = |c: &char| {
        depth += i32::from(*c == '(');
        let outside = depth == 0;
        depth -= i32::from(*c == ')');
        outside
    };
    text.chars().filter(outside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKAGE: &str = "[package]\nname = \"lariat-a\"\ndescription = \"a\"\nkeywords = []\ncategories = []\n\
                           license = \"MIT\"\n\n[lints]\nworkspace = true\n";
    const SOURCE: &str = "//! a\n\n#![forbid(unsafe_code)]\n";

    fn of(files: &[(&str, &str)]) -> Vec<String> {
        let file = |(path, text): &(&str, &str)| File { path: path.to_string(), text: text.to_string() };
        let mut found = Vec::new();
        check(&files.iter().map(file).collect::<Vec<_>>(), &mut found);
        found
    }

    #[test]
    fn a_good_manifest_gives_no_finding() {
        assert!(of(&[("crates/a/Cargo.toml", PACKAGE), ("crates/a/src/lib.rs", SOURCE)]).is_empty());
        assert!(of(&[("fuzz/Cargo.toml", "[package]\nname = \"x\"\n\n[workspace]\n")]).is_empty());
    }

    #[test]
    fn what_manifests_lack_is_found() {
        assert_eq!(
            of(&[("crates/a/Cargo.toml", "[package]\nname = \"a\"\nlicense = \"MIT\"\nkeywords = []\n")]),
            [
                "crates/a/Cargo.toml: has no description",
                "crates/a/Cargo.toml: has no categories",
                "crates/a/Cargo.toml: does not take the lints of the workspace",
            ]
        );
        assert_eq!(of(&[("crates/a/Cargo.toml", "[package\n")]).len(), 1);
    }

    #[test]
    fn unused_dependencies_are_found() {
        let manifest = format!(
            "{PACKAGE}\n[dependencies]\na-b = \"1\"\nc = \"1\"\n{FOR_FEATURES}.\nd = \"1\"\n\n\
             [target.'cfg(unix)'.dependencies]\ne = \"1\"\n\n[dev-dependencies]\nf = \"1\"\ng = \"1\"\n"
        );
        let source = format!("{SOURCE}// c, e\nuse a_b::X;\nuse cc::Y;\n");
        let test = "//! t\nuse f::Z;\nuse c::Y;\n";
        let files = [
            ("crates/a/Cargo.toml", &*manifest),
            ("crates/a/src/lib.rs", &source),
            ("crates/a/tests/t.rs", test),
            ("crates/ab/src/lib.rs", "//! a\nuse e::X;\nuse g::X;\n"),
        ];
        assert_eq!(
            of(&files),
            [
                "crates/a/Cargo.toml: `c` of dependencies is not used",
                "crates/a/Cargo.toml: `e` of dependencies is not used",
                "crates/a/Cargo.toml: `g` of dev-dependencies is not used",
            ]
        );
    }

    #[test]
    fn tests_that_nobody_runs_are_found() {
        let manifest = PACKAGE.replace("license", "autotests = false\nlicense")
            + "\n[[test]]\nname = \"all\"\npath = \"tests/all.rs\"\n";
        let with = |all: &str| {
            of(&[
                ("crates/a/Cargo.toml", &manifest),
                ("crates/a/src/lib.rs", SOURCE),
                ("crates/a/tests/all.rs", all),
                ("crates/a/tests/b.rs", "//! b\n"),
                ("crates/a/tests/common/mod.rs", "//! c\n"),
            ])
        };
        assert!(with("//! a\n\nmod b;\n").is_empty());
        assert_eq!(with("//! a\n"), ["crates/a/Cargo.toml: `tests/b.rs` is not part of any test program"]);
    }

    #[test]
    fn crates_without_unsafe_forbid_it() {
        let with = |source: &str| of(&[("crates/a/Cargo.toml", PACKAGE), ("crates/a/src/lib.rs", source)]);
        assert_eq!(
            with("//! a\nconst A: &str = \"unsafe\"; // unsafe\n"),
            ["crates/a/src/lib.rs: does not forbid `unsafe`, and has none"]
        );
        assert!(with("//! a\n// SAFETY: b.\nunsafe impl Sync for A {}\n").is_empty());
        let of_bin = |path: &str| of(&[("crates/a/Cargo.toml", PACKAGE), (path, "//! a\n")]).len();
        assert_eq!(["crates/a/src/bin/b.rs", "crates/a/src/bin/b/main.rs"].map(of_bin), [1, 1]);
        assert_eq!(["crates/a/src/b.rs", "crates/a/src/bin/b/c.rs"].map(of_bin), [0, 0]);
    }

    #[test]
    fn paths_come_with_versions() {
        let root =
            |rest: &str| format!("[workspace.dependencies]\nlariat-a = {{ path = \"crates/a\"{rest} }}\n");
        let with =
            |root: &str, manifest: &str| of(&[("Cargo.toml", root), ("crates/a/Cargo.toml", manifest)]);
        assert_eq!(with(&root(""), PACKAGE), ["Cargo.toml: `lariat-a` has a path and no version"]);
        assert!(with(&root(", version = \"1\""), PACKAGE).is_empty());
        let private = PACKAGE.replace("license", "publish = false\nlicense");
        assert!(with(&root(""), &private).is_empty());
    }

    #[test]
    fn the_table_says_what_the_manifests_say() {
        let table =
            |rows: &str| format!("text\n\n| crate | what it is | uses |\n| --- | --- | --- |\n{rows}\nend\n");
        let b = format!("{}\n[dependencies]\nlariat-a = \"1\"\n", PACKAGE.replace("lariat-a", "lariat"));
        let with = |rows: &str| {
            of(&[
                (TABLE, &table(rows)),
                ("crates/a/Cargo.toml", PACKAGE),
                ("crates/a/src/lib.rs", SOURCE),
                ("crates/b/Cargo.toml", &b),
                ("crates/b/src/lib.rs", "//! b\n\n#![forbid(unsafe_code)]\nuse lariat_a as a;\n"),
            ])
        };
        assert!(with("| `a` | a | – |\n| `b` | b | a (some, of it) |\n").is_empty());
        assert!(with("| `a` | a | – |\n| `b` | b | all above |\n").is_empty());
        assert_eq!(
            with("| `a` | a | – |\n| `b` | b | – |\n"),
            ["ARCHITECTURE.md: `b` uses `a`, which the table does not say"]
        );
        assert_eq!(
            with("| `a` | a | b |\n| `b` | b | a |\n"),
            ["ARCHITECTURE.md: `a` does not use `b`, as the table says"]
        );
        assert_eq!(
            with("| `a` | a | – |\n| `c` | c | – |\n"),
            [
                "ARCHITECTURE.md: the table has a crate `c`, which is not there",
                "ARCHITECTURE.md: the table has no crate `b`"
            ]
        );
    }
}
