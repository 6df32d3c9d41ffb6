//! `gmz`: the nested depth-first search of Gastin, Moro and Zeitoun, with black states.
//!
//! Described in Schwoon and Esparza 2005, §3.1, without pseudo-code. Two additions to the nested search that
//! stops at the outer path (`hpy`):
//!
//! - The outer search reports an arc back to an *accepting* state on its path. (That an arc from an accepting
//!   state to any state on the path will do as well is an addition of Schwoon and Esparza, and belongs to
//!   `se`.)
//! - When the outer search goes back from a state, it looks at the successors once more. If all are black, so
//!   is the state: it is on no accepting cycle, no nested search begins there, and none enters. An accepting
//!   state whose nested search fails becomes black too.
//!
//! The second look is a call of `post` of its own here, as the paper counts it ("one additional visit to
//! every successor state"): without an accepting cycle the whole product is generated twice even if no nested
//! search ever begins, which is what the GMZ column of their Table 1 shows. `and` gets the same knowledge for
//! nothing.
//!
//! The lasso is on the stacks, as with `se`.
//!
//! Cost: three calls of `post` per state at the most; three bits per state (five colours).

use super::coloured::Coloured;
use super::resumed::resumed;
use super::side_tables::{Colour, Colours};
use super::{Arc, Lasso, MarkSet, Product, Search, Stopped};
use crate::checkpoint::{Reader, Saved, Unreadable, Writer};
use crate::events::Listener;

pub fn nested_dfs_black<P: Product, L: Listener>(
    search: &mut Search<P, L>,
) -> Result<Option<Lasso>, Stopped> {
    let mut check = Black { coloured: Coloured::new(Colours::five()), successors: None };
    resumed(search, &mut check, run)
}

struct Black<K> {
    coloured: Coloured<(), K>,
    /// Of the state where the outer search is, once it has asked for them again before it goes back.
    successors: Option<Vec<Arc<K>>>,
}

/// Goes on where it was left, then from the initial states that it has not seen.
fn run<P: Product, L: Listener>(
    check: &mut Black<P::Marks>,
    search: &mut Search<P, L>,
) -> Result<Option<Lasso>, Stopped> {
    if let Some(lasso) = dfs_blue(check, search)? {
        return Ok(Some(lasso));
    }
    for initial in search.initial_states() {
        if check.coloured.colour(initial) == Colour::White {
            check.coloured.enter_blue(search, initial, ())?;
            if let Some(lasso) = dfs_blue(check, search)? {
                return Ok(Some(lasso));
            }
        }
    }
    Ok(None)
}

fn dfs_blue<P: Product, L: Listener>(
    Black { coloured: check, successors }: &mut Black<P::Marks>,
    search: &mut Search<P, L>,
) -> Result<Option<Lasso>, Stopped> {
    while let Some(s) = check.blue.top() {
        if let Some(arc) = check.blue.explore(search) {
            let t = arc.to;
            match check.colour(t) {
                Colour::Cyan if search.is_accepting(t) => return Ok(Some(check.blue.lasso_closed_at(t))),
                Colour::White => check.enter_blue(search, t, ())?,
                _ => {}
            }
            continue;
        }
        if successors.is_none() {
            let list = successors.insert(Vec::new());
            search.post(s, list, check.blue.len(), check.colours.bytes() + check.blue.bytes())?;
        }
        let mut arcs = successors.iter().flatten();
        if arcs.all(|arc| check.colour(arc.to) == Colour::Black) {
            check.leave_blue(search, Colour::Black);
        } else if search.is_accepting(s) {
            if let Some(lasso) = check.dfs_red(search, s)? {
                return Ok(Some(lasso));
            }
            check.leave_blue(search, Colour::Black);
        } else {
            check.leave_blue(search, Colour::Blue);
        }
        *successors = None;
    }
    Ok(None)
}

impl<K: MarkSet> Saved for Black<K> {
    fn save(&self, out: &mut Writer) {
        self.coloured.save(out);
        out.flag(self.successors.is_some());
        if let Some(successors) = &self.successors {
            successors.save(out);
        }
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        self.coloured.load(from)?;
        if from.flag()? {
            self.successors.insert(Vec::new()).load(from)?;
        }
        Ok(())
    }
}
