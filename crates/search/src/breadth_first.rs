//! Breadth-first search: level by level, so that the first violation found is one of the nearest.
//!
//! The store holds the states, a table of parents (four bytes per state) the way back, and two lists the
//! numbers of the states on this level and the next. A violation that a step runs into lies one transition
//! further than the state it starts from, an invalid end state does not: so when a step has run into one, the
//! rest of the level is searched for an invalid end state before the answer is given. Distances are counted
//! in transitions; an indivisible sequence is one.
//!
//! [`nearest`] is the same search for one violation that is known already: a depth-first search has come
//! upon it by a long way, and a shorter one is wanted.

use crate::bookkeeping::ProgressObserver;
use crate::checkpoint::{Reader, Saved, Unreadable, Writer, load_numbers, save_numbers};
use crate::events::{Event, Listener, NoListener};
use crate::hidden_values::HiddenValues;
use crate::limits::Limits;
use crate::watch::{Found, Noted, Outcome, Path, Question, Watch, Writing};
use lariat_engine::{SuccessorFunction, Successors, Violation};
use lariat_store::{Inserted, StateId, StateStore};

const NO_PARENT: u32 = u32::MAX;

/// For each state, by number, the one it was first reached from.
#[derive(Default)]
struct Parents(Vec<u32>);

impl Parents {
    fn set(&mut self, state: StateId, parent: u32) {
        if state.index() >= self.0.len() {
            self.0.resize(state.index() + 1, NO_PARENT);
        }
        self.0[state.index()] = parent;
    }

    fn path_to(&self, state: StateId) -> Path {
        let mut ids = vec![state];
        let mut at = state;
        while self.0[at.index()] != NO_PARENT {
            at = StateId(self.0[at.index()]);
            ids.push(at);
        }
        ids.reverse();
        ids
    }
}

/// Where a search is: so many of the states of a level have been expanded.
struct Place {
    parents: Parents,
    level: Vec<StateId>,
    next: Vec<StateId>,
    hidden: HiddenValues,
    next_hidden: HiddenValues,
    depth: u64,
    expanded: usize,
}

impl Place {
    fn at_start(model: &impl SuccessorFunction) -> Place {
        Place {
            parents: Parents::default(),
            level: Vec::new(),
            next: Vec::new(),
            hidden: HiddenValues::of(model),
            next_hidden: HiddenValues::of(model),
            depth: 0,
            expanded: 0,
        }
    }
}

impl Saved for Place {
    fn save(&self, out: &mut Writer) {
        save_numbers(self.parents.0.iter().copied(), out);
        self.level.save(out);
        self.next.save(out);
        self.hidden.save(out);
        self.next_hidden.save(out);
        out.number(self.depth);
        out.number(self.expanded as u64);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        self.parents = Parents(load_numbers(from)?);
        self.level.load(from)?;
        self.next.load(from)?;
        self.hidden.load(from)?;
        self.next_hidden.load(from)?;
        self.depth = from.number()?;
        self.expanded = from.number()? as usize;
        Ok(())
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
    search(model, store, Watch::new(question, limits, progress.map(|p| p as _), listener))
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
    search(model, store, watch).found.into_iter().find(|found| found.violation == *violation)
}

fn search<M: SuccessorFunction, S: StateStore, L: Listener>(
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
            let loaded = goes_on.and_then(|(_, mut reader)| {
                place.load(&mut reader)?;
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
                place.parents.set(id, NO_PARENT);
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
                    if let Inserted::New(successor) = inserted {
                        parents.set(successor, id.0);
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
            let own_bytes = || own_bytes(parents, level, next) + next_hidden.capacity() as u64;
            if watch.must_stop(model, store, own_bytes, *depth) {
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
    let reached = out.reached().to_vec();
    let own_bytes = own_bytes(&place.parents, &place.level, &place.next);
    watch.finish(model, store, own_bytes, reached)
}

/// Puts the wrong end, if there is one on the level of the first violation, before what steps from that level
/// ran into.
pub(crate) fn nearest_first<L>(watch: &mut Watch<L>) {
    watch.found.sort_by_key(|found| !found.violation.kind.is_of_end());
}

fn own_bytes(parents: &Parents, level: &Vec<StateId>, next: &Vec<StateId>) -> u64 {
    ((parents.0.capacity() + level.capacity() + next.capacity()) * size_of::<StateId>()) as u64
}
