//! What people see of the text: one line, without comments.

use super::Lowering;
use crate::ast::Transition;
use lariat_source::Span;

impl Lowering<'_> {
    /// The text of a span on one line.
    pub(super) fn squeezed(&self, span: Span) -> String {
        squeezed(self.sources.text(span))
    }

    /// `q -> r { guard x == 0; }`, also where the source is left out.
    pub(super) fn transition_text(&self, transition: &Transition) -> String {
        let text = self.squeezed(transition.span);
        if text.starts_with("->") { format!("{} {text}", transition.source.text) } else { text }
    }
}

fn squeezed(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    let mut space = false;
    while let Some(c) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(inside) = rest.strip_prefix("/*") {
            inside.find("*/").map_or(rest.len(), |end| end + 4)
        } else if c.is_whitespace() {
            c.len_utf8()
        } else {
            0
        };
        if skipped > 0 {
            space = true;
            rest = &rest[skipped..];
            continue;
        }
        if space && !out.is_empty() {
            out.push(' ');
        }
        space = false;
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::squeezed;

    #[test]
    fn one_line_without_comments() {
        assert_eq!(squeezed("a  ->\n\tb { // then\n guard /* not now */ x; }"), "a -> b { guard x; }");
    }
}
