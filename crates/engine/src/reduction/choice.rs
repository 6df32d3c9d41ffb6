//! Which processes are followed in a state.
//!
//! Every process has a *column*: its class (type, number, whether it can ever end, and the values of
//! variables that stay as they are from there on) and its location. It has a *row*: what it does next, with
//! the values of further variables, and with those of its reasons to wait that count in the state. Whether
//! what a process does next conflicts with what another may do ever is a question about a row and a column,
//! and is answered once. In a state, these answers are a graph between processes; a set that no arrow leaves
//! is a stubborn set. The smallest ones are tried first.
//!
//! A set is good if one of its processes can move, and none moves that must not (because its step is visible,
//! or because it is at a sticky location). Which can move is known only to whoever executes them. So there is
//! a list of candidates, and the executing engine takes the first that turns out to be good; if none does,
//! everything is followed.

use super::variables::Variable;
use super::{CellSet, Class, ClassFacts, Condition, Reason, Reduction, Touch, conflict};
use lariat_model::ir::{Location, Storage};
use rustc_hash::FxHashMap;

/// A state, as far as reduction looks at it.
pub trait StateView {
    /// How many processes there are.
    fn process_count(&self) -> usize;

    /// The type of a process, and its location.
    fn process(&self, pid: usize) -> (usize, Location);

    /// A variable of a process, by its offset.
    fn variable(&self, pid: usize, offset: u32, storage: Storage) -> i32;

    /// How many messages the channel with a number has, and how many it may have; if there is one.
    fn channel(&self, number: i32) -> Option<(usize, usize)>;
}

/// Processes, as bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// Those that are followed.
    pub processes: u64,
    /// Those of them that must not move: if one does, the set is not good.
    pub must_not_move: u64,
}

impl Choice {
    /// Whether the set is good where these processes can move.
    #[inline]
    pub fn is_good(self, moving: u64) -> bool {
        let moved = moving & self.processes;
        moved != 0 && moved & self.must_not_move == 0
    }
}

/// Reduction is for so many processes.
pub const MOST_PROCESSES: usize = 64;

/// So many candidates are tried.
pub const MOST_CANDIDATES: usize = 4;

/// So many reasons to wait are looked at in a state.
const MOST_EXEMPTIONS: usize = 8;

/// What one worker has looked up already.
#[derive(Default)]
pub struct Reducer {
    /// By kind, stage and the values that stay as they are (as for steps).
    classes: FxHashMap<Box<[i32]>, u32>,
    facts: Vec<ClassFacts>,
    /// By class: the column of its location 0.
    first_column: Vec<u32>,
    columns: u32,
    /// By kind, location and all values that count: among the steps.
    variants: FxHashMap<Box<[i32]>, u32>,
    steps: Vec<Variant>,
    /// Of the process that is looked at.
    key: Vec<i32>,
    rows: Vec<Row>,
    /// By process: what it was in the last state.
    slots: Vec<Slot>,
    /// Of the present state.
    candidates: Vec<Choice>,
    /// Which candidates states have in which all processes have the same rows, one entry in each line.
    known: Vec<KnownCandidates>,
    /// These candidates; few states differ in them.
    lists: Vec<CandidateList>,
    /// How often they were found anew.
    found: u32,
    /// Of the state for which that was last.
    relations: Option<Box<Relations>>,
    /// How often everything was forgotten.
    age: u32,
}

/// Which candidates states have in which processes have certain rows.
#[derive(Clone, Copy, Default)]
struct KnownCandidates {
    /// The number of processes, and their rows.
    key: Key,
    /// Among the lists.
    list: u32,
}

/// Candidates, the best first.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct CandidateList {
    candidates: [Choice; MOST_CANDIDATES],
    count: usize,
}

/// Which processes need which others in a set, in one state. The next state differs in few processes, and so
/// in few of these.
struct Relations {
    count: usize,
    /// By process.
    rows: [u32; MOST_PROCESSES],
    columns: [u32; MOST_PROCESSES],
    needs: [u64; MOST_PROCESSES],
    /// Processes of which it is known which they need.
    is_known: u64,
    must_not_move: u64,
    /// Those of them that are in no set: they might move in somebody else's step, which nobody would see.
    never: u64,
}

impl Default for Relations {
    fn default() -> Relations {
        let (rows, columns, needs) = ([0; MOST_PROCESSES], [0; MOST_PROCESSES], [0; MOST_PROCESSES]);
        Relations { count: 0, rows, columns, needs, is_known: 0, must_not_move: 0, never: 0 }
    }
}

/// The numbers of the bits of a word.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

/// Of states with more processes, candidates are found anew.
const MOST_KEPT: usize = 15;

/// The number of processes and their rows.
type Key = [u16; MOST_KEPT + 1];

/// Candidates are kept when so many have been found: for small models it would not pay.
const FOUND_FIRST: u32 = 1 << 10;

/// Lines of known candidates.
const LINES: usize = 1 << 13;

/// If there are more lists, everything is forgotten.
const MOST_LISTS: usize = 1 << 8;

/// The line of a key.
#[inline]
fn line_of(key: &Key) -> usize {
    let word = |part: &[u16; 4]| part.iter().rev().fold(0u64, |word, &row| word << 16 | u64::from(row));
    let mut hash = 0u64;
    for part in key.as_chunks::<4>().0 {
        hash = (hash ^ word(part)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
    (hash >> 32) as usize % LINES
}

/// What is known of a process beside its location and variables.
#[derive(Clone, Copy)]
struct Kind {
    ty: usize,
    /// Its number, if something depends on numbers.
    pid: Option<u16>,
    /// It never ends, because a younger process never does.
    stays: bool,
}

/// What a process was in the last state, and what it did next there.
#[derive(Default)]
struct Slot {
    /// As for steps; empty if it was none.
    key: Vec<i32>,
    variant: u32,
}

/// The values in a key begin here.
const VALUES: usize = 4;

/// What a process does next, with the values that some of its variables have.
struct Variant {
    /// Of the process that does it.
    column: u32,
    touch: Touch,
    must_not_move: bool,
    /// Its rows, by the reasons to wait that count.
    rows: Vec<u32>,
}

/// What a process does next, where some of its reasons to wait count.
struct Row {
    reads: CellSet,
    variant: u32,
    /// By column: whether it conflicts, if that is known.
    conflicts: Vec<Option<bool>>,
}

/// When there are more of these, all that was looked up is forgotten: it can be looked up again.
const MOST_ENTRIES: usize = 1 << 14;

impl Reducer {
    /// The sets to be tried in a state, the best first. None of them is everything.
    pub fn candidates(&mut self, reduction: &Reduction, view: &impl StateView) -> &[Choice] {
        let count = view.process_count();
        if !(2..=MOST_PROCESSES).contains(&count) {
            return &[];
        }
        self.forget_if_too_much();
        let mut rows = [0u32; MOST_PROCESSES];
        // Only the youngest process can end. If one never does, no older one does either.
        let mut stays = false;
        for pid in (0..count).rev() {
            let steps = self.next_steps(reduction, view, pid, stays);
            rows[pid] = self.row(reduction, steps, pid + 1 == count, |channel| view.channel(channel));
            let (ty, location) = view.process(pid);
            stays |= !reduction.may_end(ty, location);
        }
        self.candidates_of(reduction, &rows[..count])
    }

    /// Forgets everything if there is too much of it. It can be looked up again; numbers of steps and rows
    /// have another meaning from then on. How often that was.
    pub fn forget_if_too_much(&mut self) -> u32 {
        if self.steps.len() + self.facts.len() + self.rows.len() > MOST_ENTRIES {
            *self = Reducer { age: self.age + 1, ..Reducer::default() };
        }
        self.age
    }

    /// The number of what a process does next, as far as its own variables say.
    /// `stays`: it never ends, because a younger process never does.
    pub fn next_steps(
        &mut self,
        reduction: &Reduction,
        view: &impl StateView,
        pid: usize,
        stays: bool,
    ) -> u32 {
        self.variant_at(reduction, view, pid, stays)
    }

    /// The sets to be tried in a state in which processes have these rows. There are at least two of them and
    /// no more than [`MOST_PROCESSES`].
    pub fn candidates_of(&mut self, reduction: &Reduction, rows: &[u32]) -> &[Choice] {
        let is_small = self.found < FOUND_FIRST;
        if is_small || rows.len() > MOST_KEPT || self.rows.len() > usize::from(u16::MAX) {
            self.find_candidates(reduction, rows);
            return &self.candidates;
        }
        let mut key: Key = [0; MOST_KEPT + 1];
        key[0] = rows.len() as u16;
        key[1..].iter_mut().zip(rows).for_each(|(place, row)| *place = *row as u16);
        let line = line_of(&key);
        if self.known.is_empty() {
            self.known.resize(LINES, KnownCandidates::default());
        }
        if self.known[line].key != key {
            self.find_candidates(reduction, rows);
            self.known[line] = KnownCandidates { key, list: self.list_of_candidates() };
        }
        let CandidateList { candidates, count } = &self.lists[self.known[line].list as usize];
        &candidates[..*count]
    }

    /// The list of the candidates that were found last.
    #[cold]
    fn list_of_candidates(&mut self) -> u32 {
        let mut list = CandidateList { count: self.candidates.len(), ..CandidateList::default() };
        list.candidates[..list.count].copy_from_slice(&self.candidates);
        let place = self.lists.iter().position(|known| *known == list).unwrap_or_else(|| {
            if self.lists.len() >= MOST_LISTS {
                self.lists.clear();
                self.known.fill(KnownCandidates::default());
            }
            self.lists.push(list);
            self.lists.len() - 1
        });
        place as u32
    }

    fn find_candidates(&mut self, reduction: &Reduction, rows: &[u32]) {
        self.found = self.found.saturating_add(1);
        self.candidates.clear();
        let mut relations = self.relations.take().unwrap_or_default();
        self.move_to(reduction, rows, &mut relations);
        let Relations { count, columns, needs, is_known, must_not_move, never, .. } = &mut *relations;
        let (count, must_not_move, never) = (*count, *must_not_move, *never);
        let everything = if count == 64 { u64::MAX } else { (1 << count) - 1 };
        let mut alone = 0;
        for pid in (0..count).rev() {
            if must_not_move >> pid & 1 != 0 {
                continue;
            }
            let mut set = 0u64;
            let mut waiting = 1u64 << pid;
            while waiting != 0 && (set | waiting) != everything && (set | waiting) & never == 0 {
                let next = waiting.trailing_zeros() as usize;
                if *is_known >> next & 1 == 0 {
                    *is_known |= 1 << next;
                    needs[next] = self.needs(reduction, next, rows[next], &columns[..count]);
                }
                set |= 1 << next;
                waiting = (waiting | needs[next]) & !set;
            }
            if waiting == 0 && set & never == 0 && set != everything {
                let choice = Choice { processes: set, must_not_move: set & must_not_move };
                if !self.candidates.contains(&choice) {
                    self.candidates.push(choice);
                }
                alone += usize::from(set == 1 << pid);
                if alone == MOST_CANDIDATES {
                    // No set is better than one process that may move, and of these the first are taken.
                    break;
                }
            }
        }
        self.relations = Some(relations);
        self.candidates.sort_by_key(|choice| (choice.must_not_move != 0, choice.processes.count_ones()));
        self.candidates.truncate(MOST_CANDIDATES);
    }

    /// Makes relations those of a state in which processes have these rows.
    fn move_to(&mut self, reduction: &Reduction, rows: &[u32], relations: &mut Relations) {
        let is_another = relations.count != rows.len();
        if is_another {
            *relations = Relations { count: rows.len(), ..Relations::default() };
        }
        let mut moved = 0u64;
        for (pid, &row) in rows.iter().enumerate() {
            if relations.rows[pid] == row && !is_another {
                continue;
            }
            let Variant { column, touch, must_not_move, .. } =
                &self.steps[self.rows[row as usize].variant as usize];
            let bit = 1u64 << pid;
            relations.rows[pid] = row;
            relations.is_known &= !bit;
            if std::mem::replace(&mut relations.columns[pid], *column) != *column {
                moved |= bit;
            }
            let set = |word: &mut u64, value: bool| *word = if value { *word | bit } else { *word & !bit };
            set(&mut relations.must_not_move, *must_not_move);
            set(&mut relations.never, *must_not_move && touch.meets);
        }
        for pid in bits(relations.is_known) {
            for other in bits(moved) {
                let needs = self.conflicts(reduction, rows[pid], relations.columns[other]);
                relations.needs[pid] = relations.needs[pid] & !(1 << other) | u64::from(needs) << other;
            }
        }
    }

    /// The processes that must be in a set with this one.
    fn needs(&mut self, reduction: &Reduction, pid: usize, row: u32, columns: &[u32]) -> u64 {
        let mut needs = 0;
        for (other, &column) in columns.iter().enumerate() {
            if other != pid {
                needs |= u64::from(self.conflicts(reduction, row, column)) << other;
            }
        }
        needs
    }

    #[inline]
    fn conflicts(&mut self, reduction: &Reduction, row: u32, column: u32) -> bool {
        match self.rows[row as usize].conflicts.get(column as usize) {
            Some(Some(known)) => *known,
            _ => self.find_conflict(reduction, row, column),
        }
    }

    #[cold]
    fn find_conflict(&mut self, reduction: &Reduction, row: u32, column: u32) -> bool {
        let class = self.first_column.partition_point(|&first| first <= column) - 1;
        let there = &self.facts[class].locations[(column - self.first_column[class]) as usize];
        let Row { reads, variant, conflicts } = &mut self.rows[row as usize];
        let touch = &self.steps[*variant as usize].touch;
        let found = reduction.keeps(Condition::Independence) && conflict(touch, reads, &there.later);
        if conflicts.len() <= column as usize {
            conflicts.resize(column as usize + 1, None);
        }
        conflicts[column as usize] = Some(found);
        found
    }

    fn variant_at(&mut self, reduction: &Reduction, view: &impl StateView, pid: usize, stays: bool) -> u32 {
        let (ty, location) = view.process(pid);
        let kind = Kind { ty, pid: reduction.numbers_count.then_some(pid as u16), stays };
        let [later, now] = reduction.variables_that_count(ty, location);
        self.key.clear();
        self.key.extend(kind.as_key());
        self.key.push(location as i32);
        for variable in later.iter().chain(now) {
            let value = view.variable(pid, variable.offset, variable.storage);
            // A variable that may hold a channel counts with what that channel keeps.
            let capacity = match variable.is_channel {
                true => view.channel(value).map_or(-1, |(_, capacity)| capacity as i32),
                false => -1,
            };
            self.key.extend([value, capacity]);
        }
        if self.slots.len() <= pid {
            self.slots.resize_with(pid + 1, Slot::default);
        }
        if self.slots[pid].key == self.key {
            return self.slots[pid].variant;
        }
        let variant = match self.variants.get(&*self.key) {
            Some(variant) => *variant,
            None => self.new_variant(reduction, kind, location),
        };
        let slot = &mut self.slots[pid];
        slot.key.clone_from(&self.key);
        slot.variant = variant;
        variant
    }

    /// The class of the process that is looked at.
    fn class(&mut self, reduction: &Reduction, kind: Kind, location: Location) -> u32 {
        let [later, _] = reduction.variables_that_count(kind.ty, location);
        let values = &self.key[VALUES..VALUES + 2 * later.len()];
        // Locations of a stage have the same variables.
        let stage = reduction.stage(kind.ty, location) as i32;
        let key: Box<[i32]> =
            kind.as_key().into_iter().chain([stage]).chain(values.iter().copied()).collect();
        if let Some(class) = self.classes.get(&key) {
            return *class;
        }
        let facts = reduction.class_facts(&class_with(kind, later.iter(), values));
        let number = self.facts.len() as u32;
        self.first_column.push(self.columns);
        self.columns += facts.locations.len() as u32;
        self.facts.push(facts);
        self.classes.insert(key, number);
        number
    }

    /// What the process does next that is looked at.
    #[cold]
    fn new_variant(&mut self, reduction: &Reduction, kind: Kind, location: Location) -> u32 {
        let class = self.class(reduction, kind, location);
        let column = self.first_column[class as usize] + location;
        let [later, now] = reduction.variables_that_count(kind.ty, location);
        let class = class_with(kind, later.iter().chain(now), &self.key[VALUES..]);
        let touch = reduction.touch(&class, location);
        let (is_visible, is_sticky) = reduction.judge(kind.ty, location, &touch);
        let number = self.steps.len() as u32;
        self.steps.push(Variant { column, touch, must_not_move: is_visible || is_sticky, rows: Vec::new() });
        self.variants.insert(self.key.as_slice().into(), number);
        number
    }

    /// The row of a process that does these steps next, where channels have so many messages and may have so
    /// many.
    #[inline]
    pub fn row(
        &mut self,
        reduction: &Reduction,
        steps: u32,
        is_youngest: bool,
        mut channel: impl FnMut(i32) -> Option<(usize, usize)>,
    ) -> u32 {
        let Variant { touch, rows, .. } = &mut self.steps[steps as usize];
        let mut counting = 0u32;
        for (i, exemption) in touch.exemptions.iter().take(MOST_EXEMPTIONS).enumerate() {
            let counts = match exemption.reason {
                Reason::NotYoungest => !is_youngest,
                reason => match (reason, channel(exemption.channel)) {
                    (_, None) => true,
                    (Reason::NoRoom, Some((length, capacity))) => length >= capacity,
                    (Reason::NoMessage, Some((length, _))) => length == 0,
                    (Reason::NoChannel | Reason::NotYoungest, Some(_)) => false,
                },
            };
            counting |= u32::from(counts) << i;
        }
        if let Some(&row) = rows.get(counting as usize)
            && row != u32::MAX
        {
            return row;
        }
        let mut reads = touch.reads.clone();
        touch.exemptions.iter().for_each(|exemption| reads.remove(exemption.cell));
        for (i, exemption) in touch.exemptions.iter().enumerate() {
            // Several may be about one cell: it is read if one of them counts.
            let counts = i >= MOST_EXEMPTIONS || counting >> i & 1 != 0;
            if counts && reduction.keeps(Condition::Waiting) {
                reads.insert(exemption.cell);
            }
        }
        if rows.len() <= counting as usize {
            rows.resize(counting as usize + 1, u32::MAX);
        }
        let number = self.rows.len() as u32;
        rows[counting as usize] = number;
        self.rows.push(Row { reads, variant: steps, conflicts: Vec::new() });
        number
    }
}

impl Kind {
    /// With a location or a stage it makes [`VALUES`] numbers.
    fn as_key(self) -> [i32; VALUES - 1] {
        [self.ty as i32, self.pid.map_or(-1, i32::from), i32::from(self.stays)]
    }
}

/// A process of which these values are known: of each variable its value, and what the channel of that number
/// keeps, or -1.
fn class_with<'v>(
    Kind { ty, pid, stays }: Kind,
    variables: impl Iterator<Item = &'v Variable>,
    values: &[i32],
) -> Class {
    let mut class = Class { ty, pid, stays, ..Class::default() };
    for (variable, &[value, capacity]) in variables.zip(values.as_chunks().0) {
        class.known.push((variable.offset, variable.storage, value));
        if let Ok(capacity) = u32::try_from(capacity) {
            class.capacities.push((value, capacity));
        }
    }
    class
}

impl Clone for Reducer {
    /// For another worker, which looks up for itself.
    fn clone(&self) -> Reducer {
        Reducer::default()
    }
}
