//! What people who know Spin type by habit, and how it is called here.
//!
//! Spin has options of its own, of the verifier that it writes (`pan`), and of the C compiler that
//! translates it. `lariat spin` takes them all; the other commands take none of them: a letter may mean one
//! thing there and another here. But whoever types one is told what to type instead.

use std::ffi::OsString;

/// Words, and what they are here.
const WORDS: &[(&str, &str)] = &[
    ("run", "`lariat check MODEL` checks at once: there is nothing to generate or to compile"),
    ("search", "`lariat check MODEL` checks at once: there is nothing to generate or to compile"),
    (
        "replay",
        "`lariat check MODEL` shows the run; `lariat simulate MODEL --trail FILE.json` follows a recorded one",
    ),
    ("bfs", "`--shortest` searches breadth-first"),
    ("dfs", "the search is depth-first unless `--shortest` asks otherwise"),
    ("safety", "`--safety` checks assertions, run-time errors and invalid end states alone"),
    ("noreduce", "`--no-reduce` follows all processes of every state"),
    ("noclaim", "`--safety` leaves formulas and claims out"),
    ("ltl", "`--property NAME` checks one ltl block of the model, `--ltl 'FORMULA'` a formula of your own"),
    ("bitstate", "`--store bitstate` keeps a few bits of each state"),
    ("collapse", "states are always stored as numbers of their pieces: this needs no option"),
    ("link", "embedded C is not supported"),
    ("pp", "`lariat info MODEL` shows what a model consists of"),
];

/// Letters, what they are here, and whether a value belongs to that, shown as this word if none is given.
const LETTERS: &[(char, &str, Option<&str>)] = &[
    (
        'a',
        "`lariat check MODEL` checks at once: there is nothing to generate; acceptance cycles are looked for \
         where the model has accept labels (`--property acceptance`)",
        None,
    ),
    ('A', "`--property NAME` checks one property alone; assertions belong to safety", None),
    ('b', "a path that is cut at `--max-depth` makes the verdict unknown", None),
    ('c', "`--keep-going` looks for further violations after the first", None),
    ('d', "`lariat info MODEL` shows processes, variables and channels, with `--dot` the automata", None),
    ('e', "`--keep-going` shows every distinct violation", None),
    ('E', "`--property NAME` checks one property alone; invalid end states belong to safety", None),
    (
        'f',
        "`--ltl 'FORMULA'` checks a formula, `lariat translate 'FORMULA' --format never` writes a never claim; \
         weak fairness, which `pan -f` stands for, is `--fair weak`",
        None,
    ),
    ('F', "`lariat translate -F FILE` reads formulas from a file", None),
    ('g', "the values of variables are shown at each step that changes them", None),
    (
        'i',
        "`lariat simulate MODEL --interactive` lets you choose; `lariat check MODEL --shortest` finds a short run",
        None,
    ),
    ('j', "`lariat simulate MODEL` shows a run from its start", None),
    (
        'k',
        "`lariat simulate MODEL --trail FILE` follows a trail; `lariat spin -k FILE MODEL` does so in Spin's words",
        None,
    ),
    (
        'l',
        "`--property non-progress` looks for cycles without progress; local variables are always shown",
        None,
    ),
    ('m', "--max-depth", Some("N")),
    ('M', "`lariat check MODEL` shows what is sent and received step by step", None),
    ('n', "--seed", Some("N")),
    ('N', "`--property NAME` checks one property, `--claim FILE` a never claim in a file", None),
    ('o', "nothing is simplified unless `--reset-dead-variables` or `--merge-statements` asks for it", None),
    ('p', "every step is shown as it is: `lariat simulate MODEL` for a random run", None),
    ('q', "`lariat simulate MODEL` shows a run", None),
    ('Q', "--timeout", Some("Nm")),
    ('r', "what is received is shown at each step", None),
    ('s', "what is sent is shown at each step", None),
    ('S', "`lariat check MODEL` checks at once", None),
    (
        't',
        "`lariat simulate MODEL --trail FILE` follows a trail; `lariat spin -t MODEL` does so in Spin's words",
        None,
    ),
    ('u', "--steps", Some("N")),
    ('v', "`lariat --version` says which version it is", None),
    ('V', "`lariat --version` says which version it is", None),
    ('w', "the table of states grows by itself; `--max-memory SIZE` limits it", None),
    ('x', "`lariat check MODEL` checks at once", None),
];

/// How a word that Spin knows is spelt here; `None` if Spin does not know it either.
pub fn hint(word: &str) -> Option<String> {
    let name = word.strip_prefix('-').filter(|name| !name.starts_with('-'))?;
    if let Some((_, hint)) = WORDS.iter().find(|(known, _)| *known == name) {
        return Some(hint.to_string());
    }
    let letter = name.chars().next()?;
    let value = &name[letter.len_utf8()..];
    if !value.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let (_, hint, default) = LETTERS.iter().find(|(known, ..)| *known == letter)?;
    Some(match default {
        None => hint.to_string(),
        Some(default) => {
            let unit = default.trim_start_matches('N');
            let value = if value.is_empty() { default.to_string() } else { format!("{value}{unit}") };
            format!("here it is `{hint} {value}`")
        }
    })
}

/// The word on the command line that a complaint about `argument` (`-r` of `-run`) is about, and its hint.
pub fn hint_for(argument: &str, typed: impl Iterator<Item = OsString>) -> Option<(String, String)> {
    let begins = |word: &String| word.starts_with(argument) && !word.starts_with("--");
    let word = typed.skip(1).map(|word| word.to_string_lossy().into_owned()).find(begins)?;
    hint(&word).map(|hint| (word, hint))
}

/// Macros for the compiler of Spin's verifier, and what they are here.
const DIRECTIVES: &[(&str, &str)] = &[
    ("BFS", "`--shortest` searches breadth-first"),
    ("BITSTATE", "`--store bitstate` keeps a few bits of each state"),
    ("COLLAPSE", "states are always stored as numbers of their pieces"),
    ("HC", "`--store compact` keeps a hash of each state"),
    ("MA", "states are always stored as numbers of their pieces"),
    ("MEMLIM", "`--max-memory SIZE` limits the memory, such as 512M"),
    ("NFAIR", "`--fair weak` leaves unfair runs out"),
    ("NOCLAIM", "`--safety` leaves formulas and claims out"),
    ("NOFAIR", "nothing is fair unless `--fair` asks for it"),
    ("NOREDUCE", "`--no-reduce` follows all processes of every state"),
    ("NP", "`--property non-progress` looks for cycles without progress"),
    ("REACH", "`--shortest` finds a shortest run"),
    ("SAFETY", "`--safety` checks assertions, run-time errors and invalid end states alone"),
    ("VECTORSZ", "states may have any length"),
    ("XUSAFE", "promises about channels (`xr`, `xs`) are checked"),
];

/// What a macro says to Spin's verifier, if that is what it is for.
pub fn directive(name: &str) -> Option<&'static str> {
    DIRECTIVES.iter().find(|(known, _)| *known == name).map(|(_, hint)| *hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        for (word, part) in [
            ("-run", "lariat check MODEL"),
            ("-search", "lariat check MODEL"),
            ("-a", "lariat check MODEL"),
            ("-m10000", "`--max-depth 10000`"),
            ("-m", "`--max-depth N`"),
            ("-n7", "`--seed 7`"),
            ("-Q5", "`--timeout 5m`"),
            ("-t", "--trail"),
            ("-t3", "--trail"),
            ("-f", "--ltl"),
            ("-p", "lariat simulate"),
            ("-bfs", "--shortest"),
        ] {
            assert!(hint(word).is_some_and(|hint| hint.contains(part)), "{word}: {:?}", hint(word));
        }
        for word in ["", "-", "--", "--run", "run", "-Z", "-mx", "-é", "-7"] {
            assert_eq!(hint(word), None, "{word}");
        }
    }
}
