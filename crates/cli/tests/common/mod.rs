//! What the black-box tests share: running the binary, and finding the files of a test directory.

use assert_cmd::Command;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;

/// A directory of the project, by its path from the top.
pub fn project(directory: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(directory)
}

/// Runs `lariat` from a directory. Whether Spin is installed makes no difference.
pub fn lariat(directory: &Path, arguments: &[&str]) -> Output {
    lariat_beside("", directory, arguments)
}

/// The same with a program in the place of Spin.
pub fn lariat_beside(spin: &str, directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::cargo_bin("lariat").unwrap();
    command.env("LARIAT_SPIN", spin).current_dir(directory).args(arguments).output().unwrap()
}

/// Runs `lariat` with `--format json`: the exit code and the report, null if there is none.
pub fn report(directory: &Path, arguments: &[&str]) -> (i32, Value) {
    let output = lariat(directory, &[arguments, &["--format", "json"]].concat());
    let code = output.status.code().unwrap_or(-1);
    if output.stdout.is_empty() {
        return (code, Value::Null);
    }
    let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        panic!("{arguments:?}: one JSON object expected ({error}), not: {text}")
    });
    (code, report)
}

/// How the names of models end.
const ENDINGS: [&str; 2] = [".pml", ".dve"];

/// The names of the models in a directory, without `.pml` or `.dve`, in order. No two differ only there.
pub fn models(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().ok()?;
            ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).map(String::from)
        })
        .collect();
    names.sort();
    names
}

/// The file of a model.
pub fn model_file(directory: &Path, name: &str) -> String {
    let files = ENDINGS.iter().map(|ending| format!("{name}{ending}"));
    files.into_iter().find(|file| directory.join(file).exists()).expect("the model is there")
}

/// A table of expectations that stands beside a model.
pub fn expectations(path: &Path) -> toml::Table {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    text.parse().unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Fails with all complaints, if there are any.
pub fn verdict(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "{} failed:\n{}", complaints.len(), complaints.join("\n"));
}

/// The steps of a report's counterexample.
pub fn counterexample_length(report: &Value) -> Option<usize> {
    report["counterexample"]["prefix"].as_array().map(Vec::len)
}
