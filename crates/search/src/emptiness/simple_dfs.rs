//! `sd`: a simple depth-first search, for weak products only.
//!
//! Gaiser and Schwoon 2009, §3; Schwoon and Esparza 2005, §5.1; after Černá and Pelánek. In a weak product a
//! component consists of accepting states or of states that do not accept, so every accepting cycle consists
//! of accepting states, and the outer search of `se` reports it as soon as its last arc is explored. No
//! nested search is needed.
//!
//! What must hold: on every cycle either all states accept or none does. Otherwise the check finds only some
//! of the accepting cycles (what it finds is one, always). With no set at all every product is weak.
//!
//! The lasso is on the path, as with `se`.
//!
//! Cost: one call of `post` per state; two bits per state.

use super::coloured::Coloured;
use super::resumed::resumed;
use super::side_tables::{Colour, Colours};
use super::{Lasso, Product, Search, Stopped};
use crate::events::Listener;

pub fn simple_dfs<P: Product, L: Listener>(search: &mut Search<P, L>) -> Result<Option<Lasso>, Stopped> {
    let mut check = Coloured::<(), P::Marks>::new(Colours::four());
    resumed(search, &mut check, run)
}

/// Goes on where it was left, then from the initial states that it has not seen.
fn run<P: Product, L: Listener>(
    check: &mut Coloured<(), P::Marks>,
    search: &mut Search<P, L>,
) -> Result<Option<Lasso>, Stopped> {
    if let Some(lasso) = dfs(check, search)? {
        return Ok(Some(lasso));
    }
    for initial in search.initial_states() {
        if check.colour(initial) == Colour::White {
            check.enter_blue(search, initial, ())?;
            if let Some(lasso) = dfs(check, search)? {
                return Ok(Some(lasso));
            }
        }
    }
    Ok(None)
}

fn dfs<P: Product, L: Listener>(
    check: &mut Coloured<(), P::Marks>,
    search: &mut Search<P, L>,
) -> Result<Option<Lasso>, Stopped> {
    while let Some(s) = check.blue.top() {
        let Some(arc) = check.blue.explore(search) else {
            check.leave_blue(search, Colour::Blue);
            continue;
        };
        let t = arc.to;
        match check.colour(t) {
            Colour::Cyan if search.is_accepting(s) || search.is_accepting(t) => {
                return Ok(Some(check.blue.lasso_closed_at(t)));
            }
            Colour::White => check.enter_blue(search, t, ())?,
            _ => {}
        }
    }
    Ok(None)
}
