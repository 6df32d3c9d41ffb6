//! What a result depends on beside the command that gave it: the text of the model with all that it
//! includes, and the program.
//!
//! Results are kept for as long as these are the same. Texts are known by a hash of 64 bits (and not kept:
//! the chance that a change goes unnoticed is one in 2⁶⁴). The hash is the standard library's, which may
//! differ between versions of the compiler; then the program differs too.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// As a journal has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Of the model, and of the files that it includes.
    pub model: String,
    /// Of the program that ran.
    pub program: String,
}

/// The program, as it was when it was first looked at.
#[derive(Clone, Debug)]
pub struct Program {
    /// Where it is.
    pub file: PathBuf,
    /// What is in it.
    pub fingerprint: String,
    stamp: Option<(u64, SystemTime)>,
}

impl Program {
    /// Looks at the program.
    pub fn new(file: &Path) -> Program {
        let stamp = stamp(file);
        let bytes = fs::read(file).unwrap_or_default();
        Program { file: file.to_path_buf(), fingerprint: hash([bytes.as_slice()]), stamp }
    }

    /// Whether another one has taken its place. (By length and date: its bytes are many.)
    pub fn was_replaced(&self) -> bool {
        stamp(&self.file) != self.stamp
    }
}

fn stamp(file: &Path) -> Option<(u64, SystemTime)> {
    let about = fs::metadata(file).ok()?;
    Some((about.len(), about.modified().ok()?))
}

/// Of a model. What cannot be read is as if it were empty: a file that appears is a change, too.
pub fn of_model(file: &Path) -> String {
    let mut seen = BTreeSet::new();
    let mut texts = Vec::new();
    let mut waiting = vec![file.to_path_buf()];
    while let Some(file) = waiting.pop() {
        if !seen.insert(file.clone()) {
            continue;
        }
        let text = fs::read(&file);
        let directory = file.parent().unwrap_or(Path::new(""));
        waiting.extend(included(text.as_deref().unwrap_or_default()).map(|name| directory.join(name)));
        texts.push(text.map_or(vec![0], |text| [b"1", text.as_slice()].concat()));
    }
    hash(texts.iter().map(Vec::as_slice))
}

/// The names in lines such as `#include "name"`, also where the preprocessor would pass over them.
fn included(text: &[u8]) -> impl Iterator<Item = String> {
    text.split(|&byte| byte == b'\n').filter_map(|line| {
        let line = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
        let name = line.strip_prefix(b"include")?.trim_ascii_start();
        let end = match name.first()? {
            b'"' => b'"',
            b'<' => b'>',
            _ => return None,
        };
        let length = name[1..].iter().position(|&byte| byte == end)?;
        Some(String::from_utf8_lossy(&name[1..=length]).into_owned())
    })
}

fn hash<'t>(texts: impl IntoIterator<Item = &'t [u8]>) -> String {
    let mut hasher = DefaultHasher::new();
    for text in texts {
        hasher.write_usize(text.len());
        hasher.write(text);
    }
    format!("{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_what_it_includes_too() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(directory.path().join(name), text).unwrap();
        let model = directory.path().join("m.pml");
        let mut prints = vec![of_model(&model)];
        let mut differs = |what: &str| {
            let print = of_model(&model);
            assert!(!prints.contains(&print), "{what}");
            assert_eq!(print, of_model(&model), "{what}");
            prints.push(print);
        };
        write("m.pml", "");
        differs("it is there now");
        write("m.pml", "  # include \"a.h\"\nbyte x;\n");
        differs("another text");
        write("a.h", "#include <m.pml>\n#include \"b.h\"\n");
        differs("what it includes is there now");
        write("b.h", "byte y;");
        differs("what is included by what it includes");
        write("b.h", "byte z;");
        differs("that, changed");
        write("c.h", "byte z;");
        assert_eq!(prints.last(), Some(&of_model(&model)), "what has nothing to do with it");
    }

    #[test]
    fn a_program_may_be_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("program");
        fs::write(&file, "one").unwrap();
        let program = Program::new(&file);
        assert!(!program.was_replaced());
        fs::write(&file, "other").unwrap();
        assert!(program.was_replaced());
        assert_ne!(program.fingerprint, Program::new(&file).fingerprint);
    }
}
