//! Text as a terminal may be given it: what a model's author wrote must not move the cursor, change
//! colours, or turn the line round.
//!
//! Control characters, those that change the direction of writing, and unusual line ends are shown as JSON
//! writes them (`\u001b`). So a text that is JSON already stays the same JSON.

use std::borrow::Cow;

/// The text without characters that a terminal would obey; line breaks and tabs stay.
pub fn escaped(text: &str) -> Cow<'_, str> {
    escape(text, |c| is_obeyed(c) && !matches!(c, '\n' | '\t'))
}

/// The same for what must stay on one line, as names do: line breaks and tabs too are shown as what they
/// are.
pub fn escaped_line(text: &str) -> Cow<'_, str> {
    escape(text, is_obeyed)
}

/// Whether a terminal does something about the character instead of showing it.
pub(crate) fn is_obeyed(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

fn escape(text: &str, is_bad: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_bad) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            c if is_bad(c) => shown.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::{escaped, escaped_line};

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        assert_eq!(escaped("a\x1b[31mb\r\u{9b}2J\u{7f}\0"), "a\\u001b[31mb\\u000d\\u009b2J\\u007f\\u0000");
        assert_eq!(escaped("\u{202e}x\u{2066}\u{2029}"), "\\u202ex\\u2066\\u2029");
        assert_eq!(escaped("a\n\tb – …é日"), "a\n\tb – …é日");
        assert_eq!(escaped_line("a\n\tb"), "a\\u000a\\u0009b");
    }
}
