//! What every emptiness check counts, and where it must stop.
//!
//! All checks call the product through [`Search::post`], so that they are counted alike: a call of `post`,
//! the arcs it generated (again and again, if a check explores a state twice: that is the point). A limit
//! ends the search at once with [`Stopped`]; the `?` of the language carries it out of every check. Counts,
//! limits and progress are those of all searches (`bookkeeping.rs`).

use super::{Arc, Colour, End, MarkSet, Product};
use crate::bookkeeping::{Bookkeeping, Counts, ProgressObserver, Situation};
use crate::checkpoint::{Checkpoints, Reader, Saved, Unreadable, Writer};
use crate::events::{Event, Listener, NoListener};
use crate::limits::{Limits, MemoryUse, StopReason, WORK_PER_ARC, WORK_PER_STATE};
use lariat_store::StateId;

/// A limit was hit: the search says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped(pub StopReason);

/// A product that is explored within limits, and what has been counted so far.
pub struct Search<'a, P, L = NoListener> {
    product: &'a mut P,
    book: Bookkeeping<'a, L>,
    /// States that are kept beside the product, if that holds only those in use.
    beside: u64,
    /// A limit was hit while something was done that is not counted, or cannot be left.
    left_uncounted: bool,
}

impl<'a, P: Product> Search<'a, P> {
    /// Begins: the clock that progress shows starts now. `progress` is called about once a second.
    pub fn new(product: &'a mut P, limits: Limits<'a>, progress: ProgressObserver<'a>) -> Search<'a, P> {
        Search::with_listener(product, limits, progress, NoListener)
    }
}

impl<'a, P: Product, L: Listener> Search<'a, P, L> {
    /// The same, with somebody who is told what the check does.
    pub fn with_listener(
        product: &'a mut P,
        limits: Limits<'a>,
        progress: ProgressObserver<'a>,
        listener: L,
    ) -> Search<'a, P, L> {
        Search {
            product,
            book: Bookkeeping::new(limits, progress, listener),
            beside: 0,
            left_uncounted: false,
        }
    }

    /// What has been counted so far, with the states and bytes that the product has now.
    pub fn counts(&self) -> Counts {
        let counted = self.book.counts;
        let (load, store_changed_at) = self.product.load_and_change();
        Counts {
            stored: self.stored(),
            states_bytes: self.product.state_bytes(),
            auxiliary_bytes: self.product.auxiliary_bytes() + counted.stacks.bytes,
            table_bytes: self.product.auxiliary_bytes() - self.product.model_bytes(),
            model_bytes: self.product.model_bytes(),
            load,
            store_changed_at,
            ..counted
        }
    }

    /// All marks that an accepting cycle must meet.
    pub fn all_marks(&self) -> P::Marks {
        P::Marks::all(self.product.sets())
    }

    /// How many states of the product have a number; or have left a mark beside it, if that is what is kept.
    pub fn stored(&self) -> u64 {
        if self.beside > 0 { self.beside } else { self.product.stored() }
    }

    /// So many states have left a mark in a set beside the product, which takes so many bytes.
    pub fn note_beside(&mut self, states: u64, bytes: u64) {
        (self.beside, self.book.held_beside) = (states, bytes);
    }

    /// How many acceptance sets there are.
    pub fn sets(&self) -> u32 {
        self.product.sets()
    }

    /// With one set on states: whether the state is in it. With no set at all every state will do.
    pub fn is_accepting(&self, state: StateId) -> bool {
        self.product.sets() == 0 || self.product.is_accepting(state)
    }

    /// Whether the state may lie on an accepting cycle, as far as the product tells.
    #[inline]
    pub fn may_accept(&self, state: StateId) -> bool {
        !self.accepts_by_component() || self.is_accepting(state)
    }

    /// As [`Product::accepts_by_component`].
    #[inline]
    pub fn accepts_by_component(&self) -> bool {
        self.product.accepts_by_component()
    }

    /// The initial states, in the order of the product. They are not counted.
    pub fn initial_states(&mut self) -> Vec<StateId> {
        let mut states = Vec::new();
        self.product.initial_states(&mut states);
        states
    }

    /// Begins to load a state whose arcs will probably be asked for soon.
    #[inline]
    pub fn prefetch(&self, state: StateId) {
        self.product.prefetch(state);
    }

    /// Appends the arcs that leave a state. `depth` is the number of states on all stacks, `own_bytes` what
    /// the check holds.
    #[inline]
    pub fn post(
        &mut self,
        state: StateId,
        out: &mut Vec<Arc<P::Marks>>,
        depth: usize,
        own_bytes: u64,
    ) -> Result<(), Stopped> {
        let before = out.len();
        self.product.post(state, out);
        self.posted(state, out.len() - before, out.len(), depth, own_bytes)
    }

    /// The same; and of each arc, what is known of the state that it leads to.
    pub fn post_with_ends(
        &mut self,
        state: StateId,
        out: &mut Vec<Arc<P::Marks>>,
        ends: &mut Vec<End>,
        depth: usize,
        own_bytes: u64,
    ) -> Result<(), Stopped> {
        let before = out.len();
        self.product.post_with_ends(state, out, ends);
        if self.product.sets() == 0 {
            let known = ends.len() - (out.len() - before);
            ends[known..].iter_mut().for_each(|end| end.accepts = true);
        }
        self.posted(state, out.len() - before, out.len(), depth, own_bytes)
    }

    /// Begins to compute the arcs of a state ([`Product::announce`]).
    #[inline]
    pub fn announce(&mut self, lane: usize, state: StateId, sleeping: u32) {
        self.product.announce(lane, state, sleeping);
    }

    /// Tells where the arcs lead that leave a state which was announced, as far as it matters
    /// ([`Product::land`]). The number of all of them.
    #[inline]
    pub fn land(
        &mut self,
        (lane, state): (usize, StateId),
        depth: usize,
        own_bytes: u64,
        mut each: impl FnMut(StateId, End),
    ) -> Result<u64, Stopped> {
        let all_accept = self.product.sets() == 0;
        let arcs = self.product.land(lane, state, |to, end| {
            each(to, End { accepts: end.accepts | all_accept, ..end });
        });
        self.posted(state, arcs as usize, arcs as usize, depth, own_bytes)?;
        Ok(arcs)
    }

    /// So many arcs of a state were computed, and so many wait.
    #[inline]
    fn posted(
        &mut self,
        state: StateId,
        arcs: usize,
        waiting: usize,
        depth: usize,
        own_bytes: u64,
    ) -> Result<(), Stopped> {
        self.tell(Event::Expanded { state, arcs: arcs as u32 });
        let (depth, waiting) = (depth as u64, waiting as u64);
        self.book.expanded(arcs as u64, WORK_PER_STATE + arcs as i64 * WORK_PER_ARC);
        self.book.note_bytes(own_bytes);
        let counts = &mut self.book.counts;
        counts.depth = counts.depth.max(depth);
        counts.stacks.note(depth, waiting);
        // A path has one transition less than states.
        let too_deep = self.book.too_deep(depth.saturating_sub(1));
        if let Some(reason) = too_deep.or_else(|| self.book.too_many(self.stored())) {
            return Err(self.stopped(reason));
        }
        if self.book.is_look_due() {
            self.look(depth, waiting, own_bytes)?;
        }
        Ok(())
    }

    #[cold]
    fn stopped(&mut self, reason: StopReason) -> Stopped {
        self.left_uncounted = self.book.is_uncounted;
        Stopped(reason)
    }

    /// Whether the check was left while it did something that is not counted: what it was to find, it has
    /// found.
    pub(super) fn was_left_uncounted(&self) -> bool {
        self.left_uncounted
    }

    /// Where the check writes down how far it is, if that is wished.
    pub(super) fn checkpoints(&self) -> Option<&'a Checkpoints> {
        self.book.checkpoints()
    }

    pub(super) fn save_counts(&self, out: &mut Writer) {
        self.book.counts.save(out);
    }

    pub(super) fn load_counts(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        self.book.counts.load(from)
    }

    /// Does something that is not left for a checkpoint. If a limit is hit, it has not been done, and is not
    /// counted: it will be done again.
    pub(super) fn as_a_whole<R>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<R, Stopped>,
    ) -> Result<R, Stopped> {
        let before = (self.book.counts, self.book.is_whole);
        self.book.is_whole = true;
        let result = work(self);
        self.book.is_whole = before.1;
        if result.is_err() && self.checkpoints().is_some() {
            self.book.counts = before.0;
        }
        result
    }

    /// Tells those who listen.
    #[inline(always)]
    pub(super) fn tell(&mut self, event: Event) {
        self.book.tell(event);
    }

    /// A state is looked at for the first time.
    pub fn visit(&mut self, state: StateId) {
        self.book.counts.visited += 1;
        self.tell(Event::Met(state));
    }

    /// The outer depth-first search takes arcs.
    #[inline]
    pub fn count_explored(&mut self, arcs: u64) {
        self.book.counts.explored += arcs;
    }

    /// A nested search gives a state a colour.
    pub fn tell_colour(&mut self, state: StateId, colour: Colour) {
        self.tell(Event::Coloured { state, colour });
    }

    /// Whether the accepting cycle was found by the nested search, not by the outer one.
    pub fn note_found_nested(&mut self, nested: bool) {
        self.book.counts.found_nested = nested;
    }

    /// Notes the present size of the stack of roots.
    pub fn count_roots(&mut self, roots: usize) {
        let stacks = &mut self.book.counts.stacks;
        stacks.roots = stacks.roots.max(roots as u64);
    }

    /// Notes the present size of the stack of states whose component is not complete.
    pub fn count_active(&mut self, active: usize) {
        let stacks = &mut self.book.counts.stacks;
        stacks.active = stacks.active.max(active as u64);
    }

    /// Does something that no paper counts: the search for a lasso, after the verdict. Nor is it told.
    pub fn uncounted<R>(&mut self, work: impl FnOnce(&mut Self) -> R) -> R {
        let book = &mut self.book;
        let before = (book.counts, book.held_beside, book.is_uncounted);
        (book.held_beside, book.is_uncounted) = (book.counts.stacks.bytes, true);
        let result = work(self);
        let book = &mut self.book;
        (book.counts, book.held_beside, book.is_uncounted) = before;
        result
    }

    /// Does something that has tables of its own, while the check holds so many bytes.
    pub fn holding<R>(&mut self, bytes: u64, work: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.book.held_beside;
        self.book.held_beside += bytes;
        let result = work(self);
        self.book.held_beside = before;
        result
    }

    /// A search has seen everything: unless the product has run out of numbers, in which case it did not show
    /// everything.
    pub fn exhausted(&self) -> Result<(), Stopped> {
        match self.product.is_full() {
            true => Err(Stopped(StopReason::StoreFull)),
            false => Ok(()),
        }
    }

    /// The product, for questions that are not counted.
    pub fn product(&mut self) -> &mut P {
        self.product
    }

    /// Notes work that does not ask for arcs, so many steps of it. `own_bytes` is what the check holds.
    pub fn work(&mut self, steps: usize, own_bytes: u64) -> Result<(), Stopped> {
        self.book.note_work(steps as i64 * WORK_PER_ARC);
        match self.book.is_look_due() {
            true => self.look(0, 0, own_bytes),
            false => Ok(()),
        }
    }

    #[cold]
    fn look(&mut self, depth: u64, waiting: u64, own_bytes: u64) -> Result<(), Stopped> {
        let reason = self.book.look(Situation {
            stored: self.stored(),
            depth,
            waiting,
            busy: (1, 1),
            memory: MemoryUse {
                stored: self.product.state_bytes() + self.product.auxiliary_bytes(),
                upcoming: self.product.upcoming_bytes(),
                own: own_bytes,
            },
            is_full: self.product.is_full(),
            is_cut: false,
        });
        reason.map_or(Ok(()), |reason| Err(self.stopped(reason)))
    }
}
