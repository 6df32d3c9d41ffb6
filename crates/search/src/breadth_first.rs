//! Breadth-first search: level by level, so that the first violation found is one of the nearest.
//!
//! The store holds the states, a table of parents (four bytes per state) the way back, and two lists the
//! numbers of the states on this level and the next. A violation that a step runs into lies one transition
//! further than the state it starts from, an invalid end state does not: so when a step has run into one, the
//! rest of the level is searched for an invalid end state before the answer is given. Distances are counted
//! in transitions; an indivisible sequence is one.
//!
//! Levels can be expanded by several threads (`parallel/levels.rs`), with the same outcome.
//!
//! [`nearest`] is the same search for one violation that is known already: a depth-first search has come
//! upon it by a long way, and a shorter one is wanted.

use crate::bookkeeping::ProgressObserver;
use crate::checkpoint::{Reader, Renumbered, Saved, Unreadable, Writer, load_numbers, save_numbers};
use crate::emptiness::shared_tables::SharedTable;
use crate::events::{Event, Listener, NoListener};
use crate::hidden_values::HiddenValues;
use crate::limits::Limits;
use crate::parallel::levels::LevelsTogether;
use crate::watch::{Found, Noted, Outcome, Path, Question, Watch, Writing};
use lariat_engine::{SuccessorFunction, Successors, Violation, Workers};
use lariat_store::{Inserted, SharedStore, StateId, StateStore};
use std::iter::successors;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// For each state, by number, the one it was first reached from; and while several workers expand a level,
/// the place of that one in the list, as a mark (`parallel/levels.rs`).
///
/// What stands there: 0 if the state was not met; the number of the parent and one; a mark, which is the
/// higher the further to the front the place is; or [`NO_PARENT`].
pub(crate) struct Parents {
    table: SharedTable<AtomicU32>,
    /// Numbers of states are below this.
    end: u32,
}

const NO_PARENT: u32 = u32::MAX;
/// The mark of the first place of a list.
const FIRST_MARK: u32 = NO_PARENT - 1;

impl Parents {
    fn new() -> Parents {
        Parents { table: SharedTable::new(), end: 0 }
    }

    fn set(&mut self, state: StateId, parent: Option<StateId>) {
        self.note_highest(Some(state));
        self.table.get(state.0).store(parent.map_or(NO_PARENT, |parent| parent.0 + 1), Relaxed);
    }

    /// There are states up to this number.
    pub fn note_highest(&mut self, state: Option<StateId>) {
        self.end = self.end.max(state.map_or(0, |state| state.0 + 1));
    }

    /// Whether marks for a list of this length can be told from numbers of states that are in it now, or were
    /// in lists before.
    pub fn has_marks_for(&self, length: usize) -> bool {
        u64::from(self.end) + (length as u64) < u64::from(FIRST_MARK)
    }

    /// A state is a successor of the one at this place of the list. Whether it is new in this level, and no
    /// place further to the front, and not this one either, is known.
    #[inline]
    pub fn meet(&self, state: StateId, place: u32, length: usize) -> bool {
        let (entry, mark) = (self.table.get(state.0), FIRST_MARK - place);
        let known = entry.load(Relaxed);
        (known == 0 || known < mark && is_mark(known, length)) && entry.fetch_max(mark, Relaxed) < mark
    }

    /// If the state has the mark of this place: gives it the parent that stands there.
    #[inline]
    pub fn settle(&self, state: StateId, place: u32, list: &[StateId]) -> bool {
        let entry = self.table.get(state.0);
        let is_right = entry.load(Relaxed) == FIRST_MARK - place;
        if is_right {
            entry.store(list[place as usize].0 + 1, Relaxed);
        }
        is_right
    }

    /// Whether it was met by workers whose work does not count.
    fn is_marked(&self, state: StateId, length: usize) -> bool {
        is_mark(self.table.get(state.0).load(Relaxed), length)
    }

    fn path_to(&self, state: StateId) -> Path {
        let parent = |state: &StateId| match self.table.get(state.0).load(Relaxed) {
            NO_PARENT => None,
            parent => Some(StateId(parent - 1)),
        };
        let mut ids: Path = successors(Some(state), parent).collect();
        ids.reverse();
        ids
    }
}

/// Whether this is the mark of a place in a list of this length.
fn is_mark(entry: u32, length: usize) -> bool {
    entry != NO_PARENT && u64::from(entry) + length as u64 > u64::from(FIRST_MARK)
}

/// Where a search is: so many of the states of a level have been expanded.
pub(crate) struct Place {
    pub parents: Parents,
    pub level: Vec<StateId>,
    pub next: Vec<StateId>,
    hidden: HiddenValues,
    next_hidden: HiddenValues,
    depth: u64,
    pub expanded: usize,
}

impl Place {
    fn at_start(model: &impl SuccessorFunction) -> Place {
        Place {
            parents: Parents::new(),
            level: Vec::new(),
            next: Vec::new(),
            hidden: HiddenValues::of(model),
            next_hidden: HiddenValues::of(model),
            depth: 0,
            expanded: 0,
        }
    }
}

/// How the states of a level are expanded.
pub(crate) trait Levels<M, S> {
    /// Expands those that are left, or some of them, or none.
    fn expand<L: Listener>(
        &mut self,
        model: &M,
        store: &mut S,
        watch: &mut Watch<L>,
        place: &mut Place,
    ) -> Expanded;

    /// Adds the locations that were reached.
    fn add_reached(&self, reached: &mut Vec<Vec<bool>>);

    /// The same; the search is over.
    fn finish(&mut self, model: &M, reached: &mut Vec<Vec<bool>>) {
        let _ = model;
        self.add_reached(reached);
    }
}

/// What has become of the states of a level that were left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expanded {
    /// They are to be expanded one by one.
    NotYet,
    /// All are expanded.
    All,
    /// A limit was hit.
    Stopped,
}

/// One by one.
struct Alone;

impl<M, S> Levels<M, S> for Alone {
    fn expand<L: Listener>(&mut self, _: &M, _: &mut S, _: &mut Watch<L>, _: &mut Place) -> Expanded {
        Expanded::NotYet
    }

    fn add_reached(&self, _: &mut Vec<Vec<bool>>) {}
}

impl Place {
    fn save(&self, out: &mut Writer) {
        let entries = (0..self.parents.end).map(|state| self.parents.table.get(state).load(Relaxed));
        save_numbers(entries, out);
        self.level.save(out);
        self.next.save(out);
        self.hidden.save(out);
        self.next_hidden.save(out);
        out.number(self.depth);
        out.number(self.expanded as u64);
    }

    /// `numbers` tells what became of the numbers of states. Also how many states are marked.
    fn load(&mut self, from: &mut Reader, numbers: &Renumbered) -> Result<u64, Unreadable> {
        let entries = load_numbers(from)?;
        self.level.load(from)?;
        self.next.load(from)?;
        let mut marked = 0;
        for (state, entry) in (0..).map(StateId).zip(entries).filter(|(_, entry)| *entry != 0) {
            let state = numbers.of(state)?;
            self.parents.note_highest(Some(state));
            let entry = match entry {
                NO_PARENT => NO_PARENT,
                mark if is_mark(mark, self.level.len()) => {
                    marked += 1;
                    mark
                }
                parent => numbers.of(StateId(parent - 1))?.0 + 1,
            };
            self.parents.table.get(state.0).store(entry, Relaxed);
        }
        numbers.renumber(&mut self.level)?;
        numbers.renumber(&mut self.next)?;
        self.hidden.load(from)?;
        self.next_hidden.load(from)?;
        self.depth = from.number()?;
        self.expanded = from.number()? as usize;
        Ok(marked)
    }

    /// Bytes of what the search holds.
    pub fn own_bytes(&self) -> u64 {
        let lists = (self.level.capacity() + self.next.capacity()) * size_of::<StateId>();
        self.parents.table.bytes() + lists as u64 + self.next_hidden.capacity() as u64
    }
}

/// Searches from the initial state.
pub fn breadth_first<M: SuccessorFunction, S: StateStore>(
    model: &M,
    store: &mut S,
    question: Question,
    limits: Limits,
    progress: ProgressObserver,
) -> Outcome {
    breadth_first_with(model, store, question, limits, progress, NoListener)
}

/// The same, with somebody who is told what the search does.
pub fn breadth_first_with<M: SuccessorFunction, S: StateStore>(
    model: &M,
    store: &mut S,
    question: Question,
    limits: Limits,
    progress: ProgressObserver,
    listener: impl Listener,
) -> Outcome {
    search(&mut Alone, model, store, Watch::new(question, limits, progress.map(|p| p as _), listener))
}

/// The same by several threads, when there are more than `after` states. The outcome is the same.
pub fn breadth_first_together<M: Workers, S: SharedStore>(
    model: &M,
    store: &mut S,
    question: Question,
    limits: Limits,
    progress: ProgressObserver,
    after: u64,
    threads: usize,
) -> Outcome {
    // Hidden values depend on the way. Threads take addresses that nobody counts.
    if threads <= 1 || model.memory_size() > 0 || limits.process.max_addresses.is_some() {
        return breadth_first(model, store, question, limits, progress);
    }
    let watch = Watch::new(question, limits, progress.map(|p| p as _), NoListener);
    search(&mut LevelsTogether::new(threads, after), model, store, watch)
}

/// A shortest way to this violation, whatever else lies on the way; `None` if the limits come first.
pub fn nearest<M: SuccessorFunction, S: StateStore>(
    model: &M,
    store: &mut S,
    violation: &Violation,
    limits: Limits,
) -> Option<Found> {
    let mut watch = Watch::new(Question::FirstViolation, limits, None, NoListener);
    watch.seek_only(violation);
    search(&mut Alone, model, store, watch).found.into_iter().find(|found| found.violation == *violation)
}

fn search<M: SuccessorFunction, S: StateStore, L: Listener>(
    way: &mut impl Levels<M, S>,
    model: &M,
    store: &mut S,
    mut watch: Watch<L>,
) -> Outcome {
    let mut place = Place::at_start(model);
    let mut out = Successors::new();
    let mut buffer = Vec::new();
    let mut room = Vec::new();

    match watch.goes_on(store) {
        Some(goes_on) => {
            let loaded = goes_on.and_then(|(_, numbers, mut reader)| {
                watch.surplus = place.load(&mut reader, &numbers)?;
                reader.finish()
            });
            if let Err(error) = loaded {
                watch.cannot_go_on(error);
                return watch.finish(model, store, 0, Vec::new());
            }
        }
        None => match model.initial_state() {
            Ok(initial) => {
                let id = store.insert(place.hidden.visible(&initial)).id();
                watch.tell(Event::Met(id));
                place.hidden.push(&initial);
                place.parents.set(id, None);
                place.level.push(id);
            }
            Err(violation) => watch.no_initial_state(violation),
        },
    }
    'levels: while !place.level.is_empty() {
        watch.counts().stacks.note(place.level.len() as u64, 0);
        if watch.cuts_at(place.depth) {
            break;
        }
        if way.expand(model, store, &mut watch, &mut place) == Expanded::Stopped {
            let saved = |out: &mut Writer| place.save(out);
            let mut reached = out.reached().to_vec();
            way.add_reached(&mut reached);
            if !watch.goes_on_after(Writing::Levels, model, store, reached, saved) {
                break;
            }
            continue;
        }
        while place.expanded < place.level.len() {
            let Place { parents, level, next, hidden, next_hidden, depth, expanded } = &mut place;
            let (at, id) = (*expanded, level[*expanded]);
            let state = hidden.complete(at, store, id, &mut buffer);
            model.successors(state, &mut out);
            watch.tell(Event::Entered(id));
            watch.tell(Event::Expanded { state: id, arcs: out.len() as u32 });
            if watch.expanded(model, state, &out) == Noted::NewViolation {
                watch.keep(|| parents.path_to(id));
            }
            if !watch.is_answered() {
                let found = store.insert_all(hidden.visible_of(&out), &mut room);
                watch.tell_arcs(id, found);
                for (i, &inserted) in found.iter().enumerate() {
                    let successor = inserted.id();
                    let is_left_over = watch.surplus > 0
                        && matches!(inserted, Inserted::Known(_))
                        && parents.is_marked(successor, level.len());
                    watch.surplus -= u64::from(is_left_over);
                    if is_left_over || matches!(inserted, Inserted::New(_)) {
                        parents.set(successor, Some(id));
                        next.push(successor);
                        next_hidden.push_of(&out, i);
                    }
                }
            } else if watch.found.last().is_some_and(|found| found.violation.kind.is_of_end()) {
                break;
            }
            watch.tell(Event::Left(id));
            watch.counts().stacks.note(0, next.len() as u64);
            watch.waiting = (level.len() - at - 1 + next.len()) as u64;
            *expanded += 1;
            let depth = *depth;
            if watch.must_stop(model, store, || place.own_bytes(), depth) {
                let reached = out.reached().to_vec();
                let saved = |out: &mut Writer| place.save(out);
                if !watch.goes_on_after(Writing::Levels, model, store, reached, saved) {
                    break 'levels;
                }
            }
        }
        if watch.is_answered() {
            break;
        }
        let Place { level, next, hidden, next_hidden, depth, expanded, .. } = &mut place;
        std::mem::swap(level, next);
        next.clear();
        std::mem::swap(hidden, next_hidden);
        next_hidden.clear();
        *depth += 1;
        *expanded = 0;
    }
    if watch.is_answered() {
        nearest_first(&mut watch);
    }
    let mut reached = out.reached().to_vec();
    way.finish(model, &mut reached);
    watch.finish(model, store, place.own_bytes(), reached)
}

/// Puts the wrong end, if there is one on the level of the first violation, before what steps from that level
/// ran into.
pub(crate) fn nearest_first<L>(watch: &mut Watch<L>) {
    watch.found.sort_by_key(|found| !found.violation.kind.is_of_end());
}
