//! `and`: the amended nested depth-first search of Gaiser and Schwoon.
//!
//! Gaiser and Schwoon 2009, Fig. 1: `se`, and a state all of whose successors are red becomes red itself,
//! without a nested search. Red means: on no accepting cycle. A state that leads to such states only is on
//! none either.
//!
//! *All red* is noted with the state on the path. A successor clears it unless it is red at the time it has
//! been dealt with: for a new successor that is when the search comes back from it. A cyan successor clears
//! it, the state itself included. To clear it for blue successors only misses cycles: `0→1→2→0` with state 1
//! accepting.
//!
//! The lasso is on the stacks, as with `se`.
//!
//! Cost: two calls of `post` per state at the most; two bits per state, and the note for each on the path.

use super::coloured::Coloured;
use super::resumed::resumed;
use super::side_tables::{Colour, Colours};
use super::{Lasso, MarkSet, Product, Search, Stopped};
use crate::events::Listener;
use lariat_store::StateId;

pub fn nested_dfs_all_red<P: Product, L: Listener>(
    search: &mut Search<P, L>,
) -> Result<Option<Lasso>, Stopped> {
    let mut check = Coloured::<AllRed, P::Marks>::new(Colours::four());
    resumed(search, &mut check, run)
}

/// Goes on where it was left, then from the initial states that it has not seen.
fn run<P: Product, L: Listener>(
    check: &mut Coloured<AllRed, P::Marks>,
    search: &mut Search<P, L>,
) -> Result<Option<Lasso>, Stopped> {
    if let Some(lasso) = dfs_blue(check, search)? {
        return Ok(Some(lasso));
    }
    for initial in search.initial_states() {
        if check.colour(initial) == Colour::White {
            check.enter_blue(search, initial, true)?;
            if let Some(lasso) = dfs_blue(check, search)? {
                return Ok(Some(lasso));
            }
        }
    }
    Ok(None)
}

/// No successor so far was anything but red.
type AllRed = bool;

fn dfs_blue<P: Product, L: Listener>(
    check: &mut Coloured<AllRed, P::Marks>,
    search: &mut Search<P, L>,
) -> Result<Option<Lasso>, Stopped> {
    while let Some(s) = check.blue.top() {
        if let Some(arc) = check.blue.explore(search) {
            let t = arc.to;
            match check.colour(t) {
                Colour::Cyan if search.is_accepting(s) || search.is_accepting(t) => {
                    return Ok(Some(check.blue.lasso_closed_at(t)));
                }
                Colour::White => check.enter_blue(search, t, true)?,
                _ => is_done_with(check, t),
            }
            continue;
        }
        if check.blue.note() == Some(true) {
            check.leave_blue(search, Colour::Red);
        } else if search.is_accepting(s) {
            if let Some(lasso) = check.dfs_red(search, s)? {
                return Ok(Some(lasso));
            }
            check.leave_blue(search, Colour::Red);
        } else {
            check.leave_blue(search, Colour::Blue);
        }
        is_done_with(check, s);
    }
    Ok(None)
}

/// Lines 12 and 13: the search is done with a successor t of the state where it is (or was, if t was the
/// first of all).
fn is_done_with<K: MarkSet>(check: &mut Coloured<AllRed, K>, t: StateId) {
    if check.colour(t) != Colour::Red
        && let Some(all_red) = check.blue.note_mut()
    {
        *all_red = false;
    }
}
