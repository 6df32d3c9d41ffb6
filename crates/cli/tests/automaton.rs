//! `lariat automaton` from outside.

#[cfg(unix)]
use crate::transcripts;

use crate::common::{lariat, project, verdict};
use assert_cmd::Command;
use std::path::{Path, PathBuf};

#[test]
#[cfg(unix)]
fn what_is_printed() {
    assert!(transcripts::judge_all("tests/automaton") > 20);
}

fn convert(options: &[&str], input: &[u8]) -> (i32, Vec<u8>, String) {
    let mut command = Command::cargo_bin("lariat").unwrap();
    let output = command.args(["automaton", "-"]).args(options).write_stdin(input.to_vec()).output().unwrap();
    (output.status.code().unwrap_or(-1), output.stdout, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// What is wrong with the answer to this file, if anything is.
fn judge(path: &Path) -> Result<(), String> {
    let name = path.file_name().unwrap().display();
    let input = std::fs::read(path).map_err(|error| format!("{name}: {error}"))?;
    for options in [&[][..], &["--buchi"], &["--no-simplify"]] {
        let (code, output, messages) = convert(options, &input);
        if code == 3 && messages.contains("error: ") {
            continue;
        }
        if code != 0 || !output.starts_with(b"HOA: v1\n") {
            return Err(format!("{name} {options:?}: exit code {code}: {messages}"));
        }
        let (_, again, _) = convert(options, &output);
        if again != output {
            return Err(format!("{name} {options:?}: its own output does not come back unchanged"));
        }
    }
    Ok(())
}

#[test]
fn our_output_comes_back_unchanged() {
    let directory = project("tests/automaton");
    let files = ["stream.hoa", "cobuchi.hoa", "spin.never", "assert.never", "broken.hoa", "formula.txt"];
    verdict(files.iter().filter_map(|name| judge(&directory.join(name)).err()).collect());
}

/// Every HOA file of the collection that is kept beside the project, if it is there.
#[test]
fn public_automata_come_back_unchanged() {
    let Ok(entries) = std::fs::read_dir(project("../shared/corpus/hoa")) else { return };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "hoa"));
    paths.sort();
    verdict(paths.iter().filter_map(|path| judge(path).err()).collect());
}

/// Translated formulas survive the way through every format that reads back.
#[test]
fn formulas_survive_the_round() {
    for formula in
        ["G (a -> F b)", "G F a & G F b & F c", "a U (b R X c)", "0", "1", "F (x == 1)", "G F a -> G F b"]
    {
        let translate = |format: &str| {
            lariat(&project("."), &["translate", "--buchi", "--format", format, formula]).stdout
        };
        let (code, claim, messages) = convert(&["--format", "never", "--no-simplify"], &translate("hoa"));
        assert_eq!((code, messages.as_str()), (0, ""), "{formula}");
        assert_eq!(String::from_utf8(claim), String::from_utf8(translate("never")), "{formula}");
        let (code, claim, messages) = convert(&["--format", "never", "--no-simplify"], &translate("never"));
        assert_eq!((code, messages.as_str()), (0, ""), "{formula}");
        assert_eq!(String::from_utf8(claim), String::from_utf8(translate("never")), "{formula}");
    }
}
