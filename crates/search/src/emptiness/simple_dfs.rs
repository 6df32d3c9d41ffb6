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
    while !check.blue.is_empty() {
        let Coloured { blue, colours, .. } = check;
        // What is blue already, or cyan without closing an accepting cycle, is passed over.
        let arc = blue.explore_until(search, |search, s, arc| match colours.of(arc.to) {
            Colour::White => true,
            Colour::Cyan => search.is_accepting(s) || search.is_accepting(arc.to),
            _ => false,
        });
        match arc {
            None => check.leave_blue(search, Colour::Blue),
            Some(arc) if check.colour(arc.to) == Colour::White => check.enter_blue(search, arc.to, ())?,
            Some(arc) => return Ok(Some(check.blue.lasso_closed_at(arc.to))),
        }
    }
    Ok(None)
}
