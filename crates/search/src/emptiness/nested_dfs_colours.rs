//! `se`: the nested depth-first search of Schwoon and Esparza, with four colours.
//!
//! Schwoon and Esparza 2005, Fig. 3. Of the eight combinations of blue, red and on-the-path four never occur,
//! so two bits do: white, cyan, blue, red. The outer search reports an arc back to a state on its path if one
//! of its two ends accepts; the nested search reports any arc to a cyan state.
//!
//! Acceptance is on states: all arcs that leave an accepting state are in the set. So the early test needs no
//! care with self-loops: an arc from s to a cyan t closes a cycle through both. (Were acceptance on arcs and
//! read off the arc *into* a state, the arc into t would count only for s ≠ t.)
//!
//! The lasso is on the stacks. In the outer search: the path to t, and from t along the path to s and over
//! the last arc back. In the nested search: the path to t, from t along the path to the seed, and along the
//! nested path back.
//!
//! Cost: two calls of `post` per state at the most; two bits per state.

use super::coloured::Coloured;
use super::resumed::resumed;
use super::side_tables::{Colour, Colours};
use super::{Lasso, Product, Search, Stopped};
use crate::events::Listener;

pub fn nested_dfs_colours<P: Product, L: Listener>(
    search: &mut Search<P, L>,
) -> Result<Option<Lasso>, Stopped> {
    let mut check = Coloured::<(), P::Marks>::new(Colours::four());
    resumed(search, &mut check, run)
}

/// Goes on where it was left, then from the initial states that it has not seen.
fn run<P: Product, L: Listener>(
    check: &mut Coloured<(), P::Marks>,
    search: &mut Search<P, L>,
) -> Result<Option<Lasso>, Stopped> {
    if let Some(lasso) = dfs_blue(check, search)? {
        return Ok(Some(lasso));
    }
    for initial in search.initial_states() {
        if check.colour(initial) == Colour::White {
            check.enter_blue(search, initial, ())?;
            if let Some(lasso) = dfs_blue(check, search)? {
                return Ok(Some(lasso));
            }
        }
    }
    Ok(None)
}

fn dfs_blue<P: Product, L: Listener>(
    check: &mut Coloured<(), P::Marks>,
    search: &mut Search<P, L>,
) -> Result<Option<Lasso>, Stopped> {
    while let Some(s) = check.blue.top() {
        if let Some(arc) = check.blue.explore(search) {
            let t = arc.to;
            match check.colour(t) {
                Colour::Cyan if search.is_accepting(s) || search.is_accepting(t) => {
                    return Ok(Some(check.blue.lasso_closed_at(t)));
                }
                Colour::White => check.enter_blue(search, t, ())?,
                _ => {}
            }
        } else if search.is_accepting(s) {
            if let Some(lasso) = check.dfs_red(search, s)? {
                return Ok(Some(lasso));
            }
            check.leave_blue(search, Colour::Red);
        } else {
            check.leave_blue(search, Colour::Blue);
        }
    }
    Ok(None)
}
