//! The nested searches on a mere set of visited states, which may be lossy: `cvwy`, `hpy`, `se`, `and`, `sd`.
//!
//! What these checks know of a state that has left their stacks is a colour, and colours can be kept in a set
//! that forgets the state: *blue* (the outer search was there) and *red* (the nested one was, or need not go
//! there). A state is put into the set behind which a byte says which of the two. That is why nested searches
//! go with bitstate hashing, and checks by components, which keep a number per state, do not (Gaiser and
//! Schwoon 2009, §1 and §5).
//!
//! *No false alarm.* A lasso is reported where an arc leads to a state on the path of the outer search (or to
//! the seed). Paths consist of states that are held byte for byte ([`Passing`]), each with a number of its
//! own while it is held, and what is on the path is known by these numbers. So every lasso is one, whatever
//! the set confuses. What it does confuse is only missed: a new state taken for blue, or a blue one for red,
//! ends a search too early. A state that is taken for blue may be met by a nested search, although the outer
//! one never was there; it is followed all the same.
//!
//! The five checks are one procedure here: they differ in whether the outer search reports (early detection),
//! in what the nested search looks for, in whether there is one, and in whether states with red successors
//! only become red. Each has a file of its own that explains it; this is what remains of them without tables.
//!
//! Cost: as there; an entry in the set for each state, and one more for each that becomes red.

use super::{Check, DepthFirstPath, Lasso, Product, Search, Stopped};
use crate::events::Listener;
use lariat_store::{StateBits, StateId, VisitedSet};

/// A product that holds the states that somebody uses, and no others: those that [`Product::post`] and
/// [`Product::initial_states`] have told of, once for each time, until they are given back.
pub trait Passing: Product {
    /// The bytes of a state that is in use.
    fn bytes_of(&self, state: StateId) -> &[u8];

    /// Somebody has done with a state.
    fn give_back(&mut self, state: StateId);
}

/// The colours of states that are on no path.
#[derive(Clone, Copy)]
enum Mark {
    Blue,
    Red,
}

struct OnSet<'v, P: Product, V> {
    check: Check,
    visited: &'v mut V,
    /// States on the path of the outer search.
    cyan: StateBits,
    /// With each state: no successor so far was anything but red.
    blue: DepthFirstPath<bool, P::Marks>,
    red: DepthFirstPath<(), P::Marks>,
    /// For a state and the byte behind it.
    key: Vec<u8>,
    /// States that became blue.
    met: u64,
}

/// Looks for an accepting lasso with one of these checks; the caller has looked that it is one.
pub fn on_set<P: Passing, V: VisitedSet, L: Listener>(
    check: Check,
    search: &mut Search<P, L>,
    visited: &mut V,
) -> Result<Option<Lasso>, Stopped> {
    let mut state = OnSet::<P, V> {
        check,
        visited,
        cyan: StateBits::new(),
        blue: DepthFirstPath::new(),
        red: DepthFirstPath::new(),
        key: Vec::new(),
        met: 0,
    };
    for initial in search.initial_states() {
        if state.mark(search, initial, Mark::Blue)
            && let Some(lasso) = state.dfs_blue(search, initial)?
        {
            return Ok(Some(lasso));
        }
    }
    Ok(None)
}

impl<P: Passing, V: VisitedSet> OnSet<'_, P, V> {
    fn detects_early(&self) -> bool {
        matches!(self.check, Check::NestedDfsColours | Check::NestedDfsAllRed | Check::SimpleDfs)
    }

    fn is_nested(&self) -> bool {
        self.check != Check::SimpleDfs
    }

    fn set_key<L: Listener>(&mut self, search: &mut Search<P, L>, s: StateId, mark: Mark) {
        self.key.clear();
        self.key.extend_from_slice(search.product().bytes_of(s));
        self.key.push(mark as u8);
    }

    /// Gives a state a colour. Whether it did not have it, as far as the set knows.
    fn mark<L: Listener>(&mut self, search: &mut Search<P, L>, s: StateId, mark: Mark) -> bool {
        self.set_key(search, s, mark);
        self.visited.visit(&self.key)
    }

    fn has<L: Listener>(&mut self, search: &mut Search<P, L>, s: StateId, mark: Mark) -> bool {
        self.set_key(search, s, mark);
        self.visited.contains(&self.key)
    }

    fn enter_blue<L: Listener>(&mut self, search: &mut Search<P, L>, s: StateId) -> Result<(), Stopped> {
        self.cyan.set(s);
        self.met += 1;
        search.visit(s);
        search.note_beside(self.met, self.visited.states_bytes() + self.visited.auxiliary_bytes());
        let bytes = self.cyan.bytes() + self.red.bytes();
        self.blue.push(search, s, true, 0, bytes)
    }

    fn enter_red<L: Listener>(&mut self, search: &mut Search<P, L>, s: StateId) -> Result<(), Stopped> {
        search.note_beside(self.met, self.visited.states_bytes() + self.visited.auxiliary_bytes());
        let bytes = self.cyan.bytes() + self.blue.bytes();
        self.red.push(search, s, (), self.blue.len(), bytes)
    }

    fn dfs_blue<L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        start: StateId,
    ) -> Result<Option<Lasso>, Stopped> {
        self.enter_blue(search, start)?;
        while let Some(s) = self.blue.top() {
            if let Some(arc) = self.blue.explore(search) {
                let t = arc.to;
                if self.cyan.is_set(t) {
                    if self.detects_early() && (search.is_accepting(s) || search.is_accepting(t)) {
                        return Ok(Some(self.blue.lasso_closed_at(t)));
                    }
                    self.has_successor(false);
                } else if self.mark(search, t, Mark::Blue) {
                    self.enter_blue(search, t)?;
                } else if self.check == Check::NestedDfsAllRed {
                    let is_red = self.has(search, t, Mark::Red);
                    self.has_successor(is_red);
                }
                continue;
            }
            let all_red = self.check == Check::NestedDfsAllRed && self.blue.note() == Some(true);
            let is_seed = !all_red && self.is_nested() && search.is_accepting(s);
            if is_seed && let Some(lasso) = self.dfs_red(search, s)? {
                return Ok(Some(lasso));
            }
            let becomes_red = all_red || is_seed;
            if becomes_red {
                self.mark(search, s, Mark::Red);
            }
            give_back(&self.blue, search);
            self.blue.pop(search);
            self.cyan.unset(s);
            self.has_successor(becomes_red);
        }
        Ok(None)
    }

    /// The outer search is done with a successor of the state where it is.
    fn has_successor(&mut self, is_red: bool) {
        if let Some(all_red) = self.blue.note_mut() {
            *all_red &= is_red;
        }
    }

    fn dfs_red<L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        seed: StateId,
    ) -> Result<Option<Lasso>, Stopped> {
        self.enter_red(search, seed)?;
        while !self.red.is_empty() {
            let Some(arc) = self.red.next_arc(search) else {
                give_back(&self.red, search);
                self.red.pop(search);
                continue;
            };
            let t = arc.to;
            let closes = match self.check {
                Check::NestedDfs => t == seed,
                _ => self.cyan.is_set(t),
            };
            if closes {
                search.note_found_nested(true);
                return Ok(Some(self.blue.lasso_closed_by(&self.red, t)));
            }
            if self.mark(search, t, Mark::Red) {
                // Behind the path of the outer search lies what that has not seen yet.
                if self.check == Check::NestedDfs && !self.has(search, t, Mark::Blue) {
                    self.met += 1;
                    search.visit(t);
                }
                self.enter_red(search, t)?;
            }
        }
        Ok(None)
    }
}

/// The arcs of the state where a search is are not needed any more.
fn give_back<P: Passing, T: Copy, L: Listener>(
    path: &DepthFirstPath<T, P::Marks>,
    search: &mut Search<P, L>,
) {
    for arc in path.arcs_of_top() {
        search.product().give_back(arc.to);
    }
}
