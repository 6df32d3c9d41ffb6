//! What is different between two states, judged by how they print themselves.
//!
//! Rust has no way to look into a value of somebody else's type, but almost every state derives `Debug`, and
//! `{:#?}` writes one part a line, indented by depth. So both texts are read as trees of lines and compared
//! from the root: where two parts have the same head and the same names inside, the comparison goes on
//! inside; where they differ, the new part is shown on one line, with the path that leads to it:
//! `sender.window[2] = Some(7)`. Text of any other form is one part.

use std::ops::Range;

/// Parts like `Some(3)` are shown whole up to this length; longer ones are looked into.
const MOST_SHOWN_WHOLE: usize = 40;

/// Longer values are cut.
const MOST_OF_A_VALUE: usize = 120;

/// The changes from one state to the other, each on one line; nothing if they print the same. Both are texts
/// of `{:#?}`.
pub(crate) fn changes(before: &str, after: &str) -> Vec<String> {
    let (before, after) = (Lines::of(before), Lines::of(after));
    let mut found = Vec::new();
    let mut work = vec![(String::new(), before.whole(), after.whole())];
    while let Some((path, old, new)) = work.pop() {
        if before.on_one_line(&old) == after.on_one_line(&new) {
            continue;
        }
        match inside(&before, &old, &after, &new) {
            Some(pairs) => {
                let pairs = pairs.into_iter().rev();
                work.extend(pairs.map(|(name, old, new)| (joined(&path, &name), old, new)));
            }
            None => {
                let path = if path.is_empty() { "state" } else { &path };
                found.push(format!("{path} = {}", cut(&after.on_one_line(&new))));
            }
        }
    }
    found
}

/// The parts of a state, each on one line: its fields, or the whole, if it has none. It is a text of `{:#?}`.
pub(crate) fn parts(state: &str) -> Vec<String> {
    let lines = Lines::of(state);
    let shown = |(name, part): (String, Part)| format!("{name} = {}", cut(&lines.on_one_line(&part)));
    match lines.pieces(&lines.whole()) {
        Some(pieces) if !pieces.is_empty() => pieces.into_iter().map(shown).collect(),
        _ => vec![cut(&lines.on_one_line(&lines.whole()))],
    }
}

/// A part of a text: its first line without the name that stands there, and its lines.
#[derive(Clone, Debug)]
struct Part<'t> {
    head: &'t str,
    lines: Range<usize>,
}

/// Where both parts can be compared piece by piece: the pieces, with what leads to them.
fn inside<'t>(
    before: &Lines<'t>,
    old: &Part<'t>,
    after: &Lines<'t>,
    new: &Part<'t>,
) -> Option<Vec<(String, Part<'t>, Part<'t>)>> {
    let short = old.head.ends_with('(') && after.on_one_line(new).chars().count() <= MOST_SHOWN_WHOLE;
    if old.head != new.head || short {
        return None;
    }
    let (old, new) = (before.pieces(old)?, after.pieces(new)?);
    let same = old.len() == new.len() && old.iter().zip(&new).all(|((one, _), (two, _))| one == two);
    let pairs = old.into_iter().zip(new).map(|((name, old), (_, new))| (name, old, new));
    same.then(|| pairs.collect())
}

fn joined(path: &str, name: &str) -> String {
    let dot = if path.is_empty() || name.starts_with('[') { "" } else { "." };
    format!("{path}{dot}{name}")
}

fn cut(value: &str) -> String {
    match value.char_indices().nth(MOST_OF_A_VALUE) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_string(),
    }
}

/// A text of `{:#?}`, line by line.
struct Lines<'t>(Vec<(usize, &'t str)>);

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Lines<'t> {
        let line = |line: &'t str| {
            let content = line.trim_start();
            (line.len() - content.len(), content)
        };
        Lines(text.lines().map(line).collect())
    }

    fn whole(&self) -> Part<'t> {
        Part { head: self.0.first().map_or("", |(_, content)| content), lines: 0..self.0.len() }
    }

    /// The pieces of a part with what leads to each: `name`, `[3]`, `0`. `None` if it has none, or none that
    /// have a name.
    fn pieces(&self, part: &Part<'t>) -> Option<Vec<(String, Part<'t>)>> {
        let opening = part.head.chars().next_back().filter(|c| "{[(".contains(*c))?;
        let depth = self.0[part.lines.start].0;
        let mut pieces = Vec::new();
        let mut at = part.lines.start + 1;
        // The last line closes the part.
        let end = part.lines.end - 1;
        while at < end {
            let (indentation, content) = self.0[at];
            if indentation <= depth {
                return None;
            }
            let closes = |&(other, content): &(usize, &str)| {
                other == indentation && content.starts_with(['}', ']', ')'])
            };
            let length = match content.ends_with(['{', '[', '(']) {
                true => self.0[at + 1..end].iter().position(closes)? + 2,
                false => 1,
            };
            // What closes a part closes nothing else, or it is a key of several lines.
            if length > 1 && self.0[at + length - 1].1.trim_end_matches(',').len() != 1 {
                return None;
            }
            let (name, head) = match opening {
                '{' => content.split_once(": ").map(|(name, head)| (name.to_string(), head))?,
                '[' => (format!("[{}]", pieces.len()), content),
                _ => (pieces.len().to_string(), content),
            };
            pieces.push((name, Part { head, lines: at..at + length }));
            at += length;
        }
        Some(pieces)
    }

    /// The part as `{:?}` would write it.
    fn on_one_line(&self, part: &Part<'t>) -> String {
        let mut text = String::new();
        // Per open bracket: whether there are blanks inside, as in `State { x: 1 }`, or none, as in `{1, 2}`
        // or `(1, 2)`.
        let mut blanks = Vec::new();
        for place in part.lines.clone() {
            let content = if place == part.lines.start { part.head } else { self.0[place].1 };
            let closes = place > part.lines.start && content.starts_with(['}', ']', ')']);
            if closes {
                text.truncate(text.trim_end_matches([',', ' ']).len());
                if blanks.pop() == Some(true) {
                    text.push(' ');
                }
            }
            text.push_str(content);
            let opens = content.ends_with(['{', '[', '(']);
            if opens {
                blanks.push(content.ends_with(" {") && !content.ends_with(": {"));
            }
            if content.ends_with(',') || (opens && blanks.last() == Some(&true)) {
                text.push(' ');
            }
        }
        text.truncate(text.trim_end_matches([',', ' ']).len());
        text
    }
}

#[cfg(test)]
mod tests {
    use super::{changes, parts};
    use std::collections::BTreeMap;
    use std::fmt::Debug;

    #[derive(Debug, Clone)]
    #[expect(dead_code, reason = "they are printed")]
    enum Message {
        Data { number: u8, text: &'static str },
        Ack(u8),
        Quit,
    }

    #[derive(Debug, Clone)]
    struct State {
        bits: [bool; 2],
        channel: Vec<Message>,
        pair: (u8, Option<u8>),
        table: BTreeMap<&'static str, u8>,
    }

    fn between(before: &impl Debug, after: &impl Debug) -> Vec<String> {
        changes(&format!("{before:#?}"), &format!("{after:#?}"))
    }

    fn state() -> State {
        State {
            bits: [true, false],
            channel: vec![Message::Ack(1), Message::Quit],
            pair: (1, None),
            table: BTreeMap::from([("a", 1), ("b", 2)]),
        }
    }

    #[test]
    fn nothing() {
        assert!(between(&state(), &state()).is_empty());
    }

    #[test]
    fn what_changes_is_named() {
        let mut next = state();
        next.bits[1] = true;
        next.channel[1] = Message::Data { number: 3, text: "a {\n[" };
        next.pair.1 = Some(4);
        next.table.insert("b", 5);
        let expected = [
            "bits[1] = true",
            "channel[1] = Data { number: 3, text: \"a {\\n[\" }",
            "pair = (1, Some(4))",
            "table.\"b\" = 5",
        ];
        assert_eq!(between(&state(), &next), expected);
    }

    #[test]
    fn what_has_another_shape_is_shown_whole() {
        let mut next = state();
        next.channel.remove(0);
        next.table.insert("c", 0);
        let expected = ["channel = [Quit]", "table = {\"a\": 1, \"b\": 2, \"c\": 0}"];
        assert_eq!(between(&state(), &next), expected);
        next.channel.clear();
        assert_eq!(between(&state(), &next)[0], "channel = []");
    }

    #[test]
    fn the_parts_of_a_state() {
        let expected = [
            "bits = [true, false]",
            "channel = [Ack(1), Quit]",
            "pair = (1, None)",
            "table = {\"a\": 1, \"b\": 2}",
        ];
        assert_eq!(parts(&format!("{:#?}", state())), expected);
        assert_eq!(parts("17"), ["17"]);
        assert_eq!(parts(""), [""]);
    }

    #[test]
    fn small_states() {
        assert_eq!(between(&1, &2), ["state = 2"]);
        assert_eq!(between(&[1, 2], &[1, 3]), ["[1] = 3"]);
        assert_eq!(between(&(1, 2), &(1, 3)), ["state = (1, 3)"]);
        assert_eq!(between(&Message::Quit, &Message::Ack(1)), ["state = Ack(1)"]);
    }

    /// A `Debug` of somebody's own may write anything.
    #[test]
    fn odd_texts() {
        for text in ["", "\n", "{", "(\n", "a {\n}: b {\n", "x {\n  y\n z: {\n}", "}\n}", "[\n]\n]", "é {\n"]
        {
            assert!(changes(text, text).is_empty());
            changes(text, "a {\n    b: 1,\n}");
            changes("a {\n    b: 1,\n}", text);
        }
    }

    #[test]
    fn keys_of_several_lines() {
        let one = BTreeMap::from([((1, 2), 3)]);
        let two = BTreeMap::from([((1, 2), 4)]);
        assert_eq!(between(&one, &two).len(), 1);
    }
}
