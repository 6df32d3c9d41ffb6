//! Broken models and what is said about them, golden: `tests/diagnostics/NN-title.pml` (or `.dve`) and
//! `NN-title.stderr`.
//!
//! Every model is refused with exit code 3 and nothing on the standard output; the error output shows all
//! errors of the file in order, and nothing that only follows from another. `UPDATE_EXPECT=1` writes the
//! files anew; read the difference as a user would before you keep it.

use crate::common::{lariat, model_file, models, project, verdict};
use std::path::Path;

#[test]
fn broken_models() {
    let directory = project("tests/diagnostics");
    let update = std::env::var("UPDATE_EXPECT").is_ok_and(|value| value == "1");
    let names = models(&directory);
    assert!(names.len() >= 24, "only {} broken models in {}", names.len(), directory.display());
    verdict(names.iter().filter_map(|name| judge(&directory, name, update).err()).collect());
}

fn judge(directory: &Path, name: &str, update: bool) -> Result<(), String> {
    let file = model_file(directory, name);
    let output = lariat(directory, &["check", &file]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.code() != Some(3) {
        return Err(format!("{name}: exit code {:?}, not 3", output.status.code()));
    }
    if !output.stdout.is_empty() {
        return Err(format!("{name}: something was printed on the standard output"));
    }
    for (line, next) in text.lines().zip(text.lines().skip(1)) {
        if line.starts_with("error: ") && !next.trim_start().starts_with(&format!("--> {file}:")) {
            return Err(format!("{name}: an error without its place: {line}"));
        }
    }
    let path = directory.join(format!("{name}.stderr"));
    if update {
        return std::fs::write(&path, &text).map_err(|e| format!("{}: {e}", path.display()));
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    if text == expected {
        return Ok(());
    }
    let line = text.lines().zip(expected.lines()).take_while(|(a, b)| a == b).count();
    let at = |text: &str| text.lines().nth(line).unwrap_or("(the end)").to_string();
    Err(format!("{name}.stderr:{}:\n  expected: {}\n  printed:  {}", line + 1, at(&expected), at(&text)))
}
