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
use super::side_tables::{Colour, Colours};
use super::{Lasso, Product, Search, Stopped};
use crate::events::Listener;
use lariat_store::StateId;

pub fn nested_dfs_black<P: Product, L: Listener>(
    search: &mut Search<P, L>,
) -> Result<Option<Lasso>, Stopped> {
    let mut check = Coloured::<(), P::Marks>::new(Colours::five());
    for initial in search.initial_states() {
        if check.colour(initial) == Colour::White
            && let Some(lasso) = dfs_blue(&mut check, search, initial)?
        {
            return Ok(Some(lasso));
        }
    }
    Ok(None)
}

fn dfs_blue<P: Product, L: Listener>(
    check: &mut Coloured<(), P::Marks>,
    search: &mut Search<P, L>,
    start: StateId,
) -> Result<Option<Lasso>, Stopped> {
    let mut successors = Vec::new();
    check.enter_blue(search, start, ())?;
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
        successors.clear();
        search.post(s, &mut successors, check.blue.len(), check.colours.bytes() + check.blue.bytes())?;
        if successors.iter().all(|arc| check.colour(arc.to) == Colour::Black) {
            check.leave_blue(search, Colour::Black);
        } else if search.is_accepting(s) {
            if let Some(lasso) = check.dfs_red(search, s)? {
                return Ok(Some(lasso));
            }
            check.leave_blue(search, Colour::Black);
        } else {
            check.leave_blue(search, Colour::Blue);
        }
    }
    Ok(None)
}
