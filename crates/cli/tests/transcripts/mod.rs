//! Commands and what they print, golden: files `NN-title.console` with one or more of
//!
//! ```text
//! $ lariat translate 'F a' --format text
//! what stands on the standard output
//! --- error output
//! what stands on the error output
//! --- exit code 3
//! ```
//!
//! where an empty error output and the exit code 0 are left out. The commands are run by the shell in the
//! directory of the file. `UPDATE_EXPECT=1` writes the files anew; read the difference as a user would before
//! you keep it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Runs all transcripts of a directory; returns how many commands there were.
pub fn judge_all(directory: &str) -> usize {
    judge_all_with(directory, str::to_string)
}

/// The same, of outputs from which something is left out.
pub fn judge_all_with(directory: &str, left: fn(&str) -> String) -> usize {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(directory);
    let update = std::env::var("UPDATE_EXPECT").is_ok_and(|value| value == "1");
    let entries = std::fs::read_dir(&directory).unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "console"));
    files.sort();
    let mut commands = 0;
    let mut complaints = String::new();
    for path in files {
        let expected = std::fs::read_to_string(&path).unwrap();
        let mut printed = String::new();
        for command in expected.lines().filter_map(|line| line.strip_prefix("$ ")) {
            commands += 1;
            printed.push_str(&left(&transcript(&directory, command)));
        }
        if update {
            std::fs::write(&path, &printed).unwrap();
        } else if printed != expected {
            let line = printed.lines().zip(expected.lines()).take_while(|(a, b)| a == b).count();
            let at = |text: &str| text.lines().nth(line).unwrap_or("(the end)").to_string();
            let name = path.file_name().unwrap().display();
            let (expected, printed) = (at(&expected), at(&printed));
            complaints += &format!("{name}:{}:\n  expected: {expected}\n  printed:  {printed}\n", line + 1);
        }
    }
    assert!(complaints.is_empty(), "\n{complaints}");
    commands
}

fn transcript(directory: &Path, command: &str) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_lariat")).parent().unwrap().display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(directory)
        .env("PATH", format!("{binary}:{path}"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let mut text = format!("$ {command}\n{}", String::from_utf8(output.stdout).unwrap());
    if !output.stderr.is_empty() {
        text += &format!("--- error output\n{}", String::from_utf8(output.stderr).unwrap());
    }
    match output.status.code() {
        Some(0) => {}
        code => text += &format!("--- exit code {}\n", code.unwrap_or(-1)),
    }
    text
}
