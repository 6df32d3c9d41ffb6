//! What stands at the beginning of a checkpoint: of which search it is.
//!
//! The search itself writes the rest (`lariat_search::Checkpoints`). Here is what must be the same where it
//! goes on: the command line, but for its limits, the text of the model and of everything that it includes,
//! the version of the program; and which of the properties it is about, with what came of those before.

use crate::load::Loaded;
use crate::options::Options;
use lariat_model::text::print;
use lariat_search::emptiness::{ALGORITHMS, Check};
use lariat_search::{Reader, Unreadable, open_checkpoint};
use std::path::Path;

/// The search that a checkpoint is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointHeader {
    /// The command line, without the name of the program.
    pub words: Vec<String>,
    /// Which of the properties that are checked.
    pub property: u64,
    /// What came of those before: the exit code.
    pub worst: u8,
    /// Of the model ([`fingerprint`]).
    pub model: u64,
}

const VERSION: &str = env!("CARGO_PKG_VERSION");

impl CheckpointHeader {
    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let number = |bytes: &mut Vec<u8>, number: u64| bytes.extend(number.to_le_bytes());
        let numbers = [self.property, u64::from(self.worst), self.model, self.words.len() as u64];
        numbers.into_iter().for_each(|each| number(&mut bytes, each));
        for word in self.words.iter().map(String::as_str).chain([VERSION]) {
            number(&mut bytes, word.len() as u64);
            bytes.extend(word.as_bytes());
        }
        bytes
    }

    /// From bytes.
    fn decode(bytes: &[u8]) -> Result<CheckpointHeader, Unreadable> {
        let mut rest = bytes;
        let [property, worst, model, count] = [(); 4].map(|()| number(&mut rest));
        let words: Option<Vec<String>> = (0..count.unwrap_or(0)).map(|_| word(&mut rest)).collect();
        let version = word(&mut rest).ok_or_else(Unreadable::damaged)?;
        if version != VERSION {
            let reason = format!("it was written by version {version}, and this is version {VERSION}");
            return Err(Unreadable(reason));
        }
        let all = || {
            Some(CheckpointHeader {
                words: words?,
                property: property?,
                worst: u8::try_from(worst?).ok()?,
                model: model?,
            })
        };
        all().ok_or_else(Unreadable::damaged)
    }

    /// Opens a checkpoint that is whole: its header, and the search.
    pub fn open(path: &Path) -> Result<(CheckpointHeader, Reader), Unreadable> {
        let (header, reader) = open_checkpoint(path)?;
        Ok((CheckpointHeader::decode(&header)?, reader))
    }
}

fn number(bytes: &mut &[u8]) -> Option<u64> {
    let (number, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u64::from_le_bytes(*number))
}

fn word(bytes: &mut &[u8]) -> Option<String> {
    let length = usize::try_from(number(bytes)?).ok()?;
    let (word, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    String::from_utf8(word.to_vec()).ok()
}

/// A number that follows from a model and its text, and from all that it includes: others hardly ever have
/// the same.
pub fn fingerprint(loaded: &Loaded) -> u64 {
    let form = print(&loaded.model);
    let texts = loaded.sources.files().iter().map(|file| file.text.as_str());
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for text in texts.chain([form.as_str()]) {
        for byte in text.len().to_le_bytes().iter().chain(text.as_bytes()) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash
}

/// Why there can be no checkpoints with these options, if so.
pub fn refused(options: &Options) -> Option<String> {
    options.checkpoint.as_ref()?;
    let lossy = match (options.store.lossy(), options.store.when_full) {
        (Some(_), _) => Some(format!("--store {}", options.store.name())),
        (None, Some(_)) => Some("--when-full".to_string()),
        (None, None) => None,
    };
    if let Some(option) = lossy {
        return Some(format!(
            "a checkpoint has every state, and a lossy store has none; `{option}` does not go with `--checkpoint`"
        ));
    }
    let other = [(options.profile, "--profile-search"), (options.precompute, "--precompute")];
    let (_, option) = other.into_iter().find(|(is_used, _)| *is_used)?;
    Some(format!(
        "`{option}` is about one run from its beginning to its end; it does not go with `--checkpoint`"
    ))
}

/// Why this check cannot be written down, if so.
pub(crate) fn refused_by(check: Check) -> Option<String> {
    let row = check.description();
    if row.resumes {
        return None;
    }
    let others: Vec<String> =
        ALGORITHMS.iter().filter(|row| row.resumes).map(|row| format!("`{}`", row.name)).collect();
    Some(format!(
        "`{}` cannot be left in the middle; those that go on from a checkpoint are {}",
        row.name,
        others.join(", ")
    ))
}
