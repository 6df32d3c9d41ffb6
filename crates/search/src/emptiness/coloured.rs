//! What the nested searches with colours share: the colours, the two paths, and the nested search.
//!
//! The nested search is lines 15 to 20 of Schwoon and Esparza 2005, Fig. 3 (lines 21 to 27 of Gaiser and
//! Schwoon 2009, Fig. 1): blue states become red; a cyan state closes the cycle, since the path of the outer
//! search leads from it to the seed. The seed itself stays cyan until its nested search is over, so no
//! variable for it is needed.

use super::resumed::Note;
use super::side_tables::{Colour, Colours};
use super::{DepthFirstPath, Lasso, MarkSet, Product, Search, Stopped};
use crate::checkpoint::{Reader, Saved, Unreadable, Writer};
use crate::events::{Event, Listener};
use lariat_ltl::Marks;
use lariat_store::StateId;

pub struct Coloured<T = (), K = Marks> {
    pub colours: Colours,
    pub blue: DepthFirstPath<T, K>,
    red: DepthFirstPath<(), K>,
}

impl<T: Copy, K: MarkSet> Coloured<T, K> {
    pub fn new(colours: Colours) -> Coloured<T, K> {
        Coloured { colours, blue: DepthFirstPath::new(), red: DepthFirstPath::new() }
    }

    #[inline]
    pub fn colour(&self, s: StateId) -> Colour {
        self.colours.of(s)
    }

    /// Gives a state a colour.
    #[inline]
    pub fn set<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        s: StateId,
        colour: Colour,
    ) {
        self.colours.set(s, colour);
        search.tell_colour(s, colour);
    }

    /// The outer search goes to a white state.
    #[inline]
    pub fn enter_blue<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        s: StateId,
        note: T,
    ) -> Result<(), Stopped> {
        debug_assert_eq!(self.colour(s), Colour::White);
        self.set(search, s, Colour::Cyan);
        search.visit(s);
        let bytes = self.colours.bytes() + self.red.bytes();
        self.blue.push(search, s, note, 0, bytes)
    }

    /// The outer search goes back from the state where it is.
    #[inline]
    pub fn leave_blue<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        colour: Colour,
    ) {
        if let Some(frame) = self.blue.pop(search) {
            self.set(search, frame.state, colour);
        }
    }

    /// Whether a nested search was left before it was over.
    pub fn is_nested(&self) -> bool {
        !self.red.is_empty()
    }

    /// From the state where the outer search is, or from where it was left. Red and black states are left
    /// alone.
    pub fn dfs_red<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        seed: StateId,
    ) -> Result<Option<Lasso>, Stopped> {
        debug_assert_eq!(self.colour(seed), Colour::Cyan);
        if !self.is_nested() {
            search.tell(Event::Nested(seed));
            self.enter_red(search, seed)?;
        }
        while !self.red.is_empty() {
            let Some(arc) = self.red.next_arc(search) else {
                self.red.pop(search);
                continue;
            };
            match self.colour(arc.to) {
                Colour::Cyan => {
                    search.note_found_nested(true);
                    return Ok(Some(self.blue.lasso_closed_by(&self.red, arc.to)));
                }
                Colour::Blue => {
                    self.set(search, arc.to, Colour::Red);
                    self.enter_red(search, arc.to)?;
                }
                Colour::Red | Colour::Black => {}
                Colour::White => debug_assert!(false, "the outer search has seen what blue states lead to"),
            }
        }
        search.tell(Event::NestedOver);
        Ok(None)
    }

    fn enter_red<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        s: StateId,
    ) -> Result<(), Stopped> {
        let bytes = self.colours.bytes() + self.blue.bytes();
        self.red.push(search, s, (), self.blue.len(), bytes)
    }
}

impl<T: Note, K: MarkSet> Saved for Coloured<T, K> {
    fn save(&self, out: &mut Writer) {
        self.colours.save(out);
        self.blue.save(out);
        self.red.save(out);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        self.colours.load(from)?;
        self.blue.load(from)?;
        self.red.load(from)
    }
}
