//! Text that was put together from pieces of other text: a formula after its macros were expanded, a
//! proposition with its spaces evened out. It can be parsed like a file, and messages about it are shown
//! where the pieces came from.

use crate::Span;

/// A text, and where its pieces come from.
#[derive(Clone, Debug, Default)]
pub struct DerivedText {
    /// The whole text, as it is parsed.
    pub text: String,
    /// In the order of the text; they do not overlap.
    pieces: Vec<Piece>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece {
    start: u32,
    end: u32,
    origin: Span,
}

impl DerivedText {
    /// The text between is nobody's.
    pub fn push_space(&mut self) {
        self.text.push(' ');
    }

    /// Appends text that stands for what is at `origin`.
    pub fn push(&mut self, text: &str, origin: Span) {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        let piece = Piece { start, end: self.text.len() as u32, origin };
        // Letters that follow one another there as here are one piece.
        match self.pieces.last_mut() {
            Some(last)
                if last.is_literal()
                    && piece.is_literal()
                    && last.end == start
                    && last.origin.file == origin.file
                    && last.origin.end == origin.start =>
            {
                last.end = piece.end;
                last.origin.end = origin.end;
            }
            _ => self.pieces.push(piece),
        }
    }

    /// A text that differs from what is at `origin` only by its spaces, and by brackets or quotes around all
    /// of it. If it differs by more, all of it stands for all of that.
    pub fn respaced(text: &str, original: &str, origin: Span) -> DerivedText {
        let letters: Vec<(usize, char)> =
            original.char_indices().filter(|(_, c)| !c.is_whitespace()).collect();
        let around = letters.iter().take_while(|(_, c)| matches!(c, '(' | '"')).count();
        (0..=around)
            .find_map(|skipped| DerivedText::aligned(text, &letters[skipped..], origin))
            .unwrap_or_else(|| DerivedText::whole(text, origin))
    }

    /// The letters of the text are the first of these letters, and nothing but closing brackets and quotes is
    /// left.
    fn aligned(text: &str, letters: &[(usize, char)], origin: Span) -> Option<DerivedText> {
        let mut derived = DerivedText::default();
        let mut letters = letters.iter();
        for c in text.chars() {
            if c.is_whitespace() {
                derived.push_space();
                continue;
            }
            let &(at, _) = letters.next().filter(|(_, same)| *same == c)?;
            let start = origin.start + at as u32;
            derived
                .push(c.encode_utf8(&mut [0; 4]), Span { start, end: start + c.len_utf8() as u32, ..origin });
        }
        letters.all(|(_, c)| matches!(c, ')' | '"')).then_some(derived)
    }

    fn whole(text: &str, origin: Span) -> DerivedText {
        let mut derived = DerivedText::default();
        derived.push(text, origin);
        derived
    }

    pub(crate) fn into_parts(self) -> (String, Vec<Piece>) {
        (self.text, self.pieces)
    }
}

impl From<String> for DerivedText {
    /// Text that comes from nowhere else.
    fn from(text: String) -> DerivedText {
        DerivedText { text, pieces: Vec::new() }
    }
}

impl Piece {
    /// The text is that of its origin, letter by letter.
    fn is_literal(&self) -> bool {
        self.origin.expansion == Default::default()
            && self.end - self.start == self.origin.end - self.origin.start
    }

    /// Where the part `start..end` of the text comes from, as far as it is in this piece.
    fn part(&self, start: u32, end: u32) -> Span {
        if !self.is_literal() {
            return self.origin;
        }
        let inside = |at: u32| self.origin.start + (at.clamp(self.start, self.end) - self.start);
        Span { start: inside(start), end: inside(end), ..self.origin }
    }
}

/// Where a stretch of derived text comes from: from the first piece that it touches to the last; an empty
/// stretch between two pieces is behind the first.
pub(crate) fn origin(pieces: &[Piece], start: u32, end: u32) -> Option<Span> {
    let end = end.max(start);
    let touched = |piece: &&Piece| piece.start < end && start < piece.end;
    match pieces.iter().find(touched) {
        Some(first) => {
            let last = pieces.iter().rfind(touched).unwrap_or(first);
            Some(first.part(start, end).to(last.part(start, end)))
        }
        None => {
            let before = pieces.iter().rfind(|piece| piece.end <= start).or(pieces.first())?;
            let origin = before.part(start, end);
            let at = if before.end <= start { origin.end } else { origin.start };
            Some(Span { start: at, end: at, ..origin })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Diagnostic, SourceMap};

    #[test]
    fn places_lead_back_through_two_derivations() {
        let mut sources = SourceMap::new();
        let file = sources.add("m.pml", "m.pml", "ltl {\n  <> (y\n   ==  3) }".into());
        let mut formula = DerivedText::default();
        for (token, at) in [("<>", 8), ("(", 11), ("y", 12), ("==", 17), ("3", 21), (")", 22)] {
            formula.push(token, Span::new(file, at, at + token.len() as u32));
            formula.push_space();
        }
        assert_eq!(formula.text, "<> ( y == 3 ) ");
        let formula = sources.add_derived("<ltl>", formula);
        let span = Span::new(formula, 5, 11);
        let proposition = DerivedText::respaced("y==3", sources.text(span), span);
        let proposition = sources.add_derived("<proposition>", proposition);
        let back = |file, start, end| sources.origin(Span::new(file, start, end));
        assert_eq!(back(proposition, 0, 1), Span::new(file, 12, 13));
        assert_eq!(back(proposition, 1, 4), Span::new(file, 17, 22));
        assert_eq!(back(proposition, 4, 4), Span::new(file, 22, 22));
        assert_eq!(back(formula, 3, 3), Span::new(file, 10, 10));
        assert_eq!(back(file, 3, 4), Span::new(file, 3, 4));
        let shown = Diagnostic::error("no", Span::new(proposition, 1, 3)).render(&sources);
        assert!(shown.contains("m.pml:3:4"), "{shown}");
    }

    #[test]
    fn other_text_stands_for_the_whole() {
        let origin = Span::new(Default::default(), 10, 15);
        let derived = DerivedText::respaced("ab", "a;b", origin);
        assert_eq!(super::origin(&derived.pieces, 1, 2), Some(origin));
    }

    #[test]
    fn brackets_and_quotes_around_it_are_left_out() {
        let origin = Span::new(Default::default(), 10, 18);
        for (text, original, place) in
            [("(a)+b", "( (a)+b)", (16, 17)), ("\"a\"+b", "\"a\" +  b", (17, 18)), ("b", "\" b \"", (12, 13))]
        {
            let derived = DerivedText::respaced(text, original, origin);
            let end = text.len() as u32;
            let found = super::origin(&derived.pieces, end - 1, end).unwrap();
            assert_eq!((found.start, found.end), place, "{text}");
        }
    }
}
