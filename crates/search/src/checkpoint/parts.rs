//! How the parts of a search are written: states, notes per state, lists, counts, violations.
//!
//! *States* are written in the order of their numbers, in runs of states with one length whose numbers follow
//! one another. Of each, only the bytes that are different from the state before: for every 64 bytes a byte
//! that says which eighths of them differ, for each of these a byte that says which of its bytes do, and
//! these bytes. States that were stored one after the other are mostly alike.
//!
//! *Lists of numbers* are written as differences, because neighbours are close; *words* with how often each
//! comes in a row, because most notes are the same for most states.

use super::{Reader, Saved, Unreadable, Writer};
use crate::bookkeeping::{Counts, Stacks};
use crate::watch::Found;
use lariat_engine::{Step, Violation, ViolationKind};
use lariat_store::{Inserted, StateBits, StateId, StateStore};

/// A difference, small numbers for small ones, in either direction.
fn folded(from: u32, to: u32) -> u64 {
    let difference = i64::from(to) - i64::from(from);
    (difference << 1 ^ difference >> 63) as u64
}

fn unfolded(from: u32, folded: u64) -> Result<u32, Unreadable> {
    let difference = (folded >> 1) as i64 ^ -((folded & 1) as i64);
    let to = i64::from(from).checked_add(difference).ok_or_else(Unreadable::damaged)?;
    u32::try_from(to).map_err(|_| Unreadable::damaged())
}

/// Numbers, mostly close to the ones before.
pub(crate) fn save_numbers(numbers: impl ExactSizeIterator<Item = u32>, out: &mut Writer) {
    out.number(numbers.len() as u64);
    let mut last = 0;
    for number in numbers {
        out.number(folded(last, number));
        last = number;
    }
}

pub(crate) fn load_numbers(from: &mut Reader) -> Result<Vec<u32>, Unreadable> {
    let mut last = 0;
    let mut next = |from: &mut Reader| {
        last = unfolded(last, from.number()?)?;
        Ok(last)
    };
    (0..from.number()?).map(|_| next(from)).collect()
}

/// Words, mostly like the ones before.
pub(crate) fn save_words(words: &[u64], out: &mut Writer) {
    out.number(words.len() as u64);
    for run in words.chunk_by(|one, other| one == other) {
        out.number(run.len() as u64);
        out.number(run[0]);
    }
}

pub(crate) fn load_words(from: &mut Reader) -> Result<Vec<u64>, Unreadable> {
    let length = usize::try_from(from.number()?).map_err(|_| Unreadable::damaged())?;
    let mut words = Vec::new();
    while words.len() < length {
        let (run, word) = (from.number()? as usize, from.number()?);
        if run == 0 || run > length - words.len() {
            return Err(Unreadable::damaged());
        }
        words.resize(words.len() + run, word);
    }
    Ok(words)
}

impl Saved for StateBits {
    fn save(&self, out: &mut Writer) {
        save_words(self.words(), out);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        *self = StateBits::of_words(load_words(from)?);
        Ok(())
    }
}

impl Saved for Vec<StateId> {
    fn save(&self, out: &mut Writer) {
        save_numbers(self.iter().map(|id| id.0), out);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        *self = load_numbers(from)?.into_iter().map(StateId).collect();
        Ok(())
    }
}

/// States in a row: one length, and numbers that follow one another.
#[derive(Default)]
struct Run {
    first: u32,
    count: u32,
    size: usize,
    bytes: Vec<u8>,
}

/// A run ends here at the latest, so that little is held.
const LONGEST_RUN: u32 = 1 << 12;

/// Writes all states of a store.
pub(crate) fn save_states(store: &impl StateStore, out: &mut Writer) {
    let mut known = StateBits::new();
    store.for_each_state(|id, _| _ = known.set(id));
    out.number(store.len());
    let mut run = Run::default();
    let (mut end, mut last, mut buffer) = (0, Vec::new(), Vec::new());
    for (k, &word) in known.words().iter().enumerate() {
        let mut left = word;
        while left != 0 {
            let id = k as u32 * 64 + left.trailing_zeros();
            left &= left - 1;
            let state = store.bytes_of(StateId(id), &mut buffer);
            let goes_on = run.count > 0
                && run.count < LONGEST_RUN
                && run.first + run.count == id
                && run.size == state.len();
            if !goes_on {
                run.save(&mut end, &mut last, out);
                run = Run { first: id, count: 0, size: state.len(), bytes: std::mem::take(&mut run.bytes) };
                run.bytes.clear();
            }
            run.count += 1;
            run.bytes.extend_from_slice(state);
        }
    }
    run.save(&mut end, &mut last, out);
}

impl Run {
    /// `end` is the number behind the run before, `last` its last state.
    fn save(&self, end: &mut u32, last: &mut Vec<u8>, out: &mut Writer) {
        if self.count == 0 {
            return;
        }
        out.number(u64::from(self.first - *end));
        out.number(u64::from(self.count));
        out.number(self.size as u64);
        *end = self.first + self.count;
        last.resize(self.size, 0);
        for k in 0..self.count as usize {
            let state = &self.bytes[k * self.size..(k + 1) * self.size];
            save_difference(last, state, out);
            last.copy_from_slice(state);
        }
    }
}

fn save_difference(last: &[u8], state: &[u8], out: &mut Writer) {
    for (last, state) in last.chunks(64).zip(state.chunks(64)) {
        // At most one byte for which eighths there are, eight for which bytes, and 64 of these.
        let (mut code, mut length) = ([0; 73], 1);
        for (eighth, (last, state)) in last.chunks(8).zip(state.chunks(8)).enumerate() {
            if last == state {
                continue;
            }
            code[0] |= 1 << eighth;
            let which = length;
            length += 1;
            for (k, (last, byte)) in last.iter().zip(state).enumerate() {
                if last != byte {
                    code[which] |= 1 << k;
                    code[length] = *byte;
                    length += 1;
                }
            }
        }
        out.bytes(&code[..length]);
    }
}

fn load_difference(state: &mut [u8], from: &mut Reader) -> Result<(), Unreadable> {
    let mut mask = [0];
    for part in state.chunks_mut(64) {
        from.bytes(&mut mask)?;
        let eighths = mask[0];
        for (_, eighth) in part.chunks_mut(8).enumerate().filter(|(k, _)| eighths >> k & 1 == 1) {
            from.bytes(&mut mask)?;
            let bytes = mask[0];
            for (_, byte) in eighth.iter_mut().enumerate().filter(|(k, _)| bytes >> k & 1 == 1) {
                from.bytes(std::slice::from_mut(byte))?;
            }
        }
    }
    Ok(())
}

/// No state is longer.
const LONGEST_STATE: u64 = 1 << 30;

/// What became of the numbers that states had.
#[derive(Default)]
pub(crate) struct Renumbered {
    /// Old and new numbers that follow one another: the first of both, and how many.
    runs: Vec<(u32, u32, u32)>,
}

impl Renumbered {
    /// The next one that is read had this number, and gets that.
    pub fn add(&mut self, old: u32, new: u32) {
        match self.runs.last_mut() {
            Some((first, first_new, count)) if *first + *count == old && *first_new + *count == new => {
                *count += 1;
            }
            _ => self.runs.push((old, new, 1)),
        }
    }

    /// Whether all have the numbers that they had.
    pub fn is_same(&self) -> bool {
        self.runs.iter().all(|(old, new, _)| old == new)
    }

    /// An error if they have not.
    pub fn must_be_same(&self) -> Result<(), Unreadable> {
        let error = || Unreadable("its states do not get the numbers that they had".to_string());
        self.is_same().then_some(()).ok_or_else(error)
    }

    /// The number of the state that had this one.
    pub fn of(&self, StateId(old): StateId) -> Result<StateId, Unreadable> {
        let behind = self.runs.partition_point(|(first, _, _)| *first <= old);
        let run = behind.checked_sub(1).map(|at| self.runs[at]);
        let run = run.filter(|(first, _, count)| old - first < *count);
        run.map(|(first, new, _)| StateId(new + (old - first))).ok_or_else(Unreadable::damaged)
    }

    /// The same for all in a list.
    pub fn renumber(&self, states: &mut [StateId]) -> Result<(), Unreadable> {
        for state in states {
            *state = self.of(*state)?;
        }
        Ok(())
    }
}

/// Fills a store, which is empty, with the states that were written. `each` is told of every state.
pub(crate) fn load_states(
    store: &mut impl StateStore,
    from: &mut Reader,
    mut each: impl FnMut(StateId, &[u8]),
) -> Result<Renumbered, Unreadable> {
    let all = from.number()?;
    let (mut end, mut state) = (0u32, Vec::new());
    let mut numbers = Renumbered::default();
    while store.len() < all {
        let first = u64::from(end) + from.number()?;
        let (count, size) = (from.number()?, from.number()?);
        if count == 0 || first + count > u64::from(u32::MAX) || size > LONGEST_STATE {
            return Err(Unreadable::damaged());
        }
        state.resize(size as usize, 0);
        for number in first..first + count {
            load_difference(&mut state, from)?;
            let Inserted::New(id) = store.insert(&state) else { return Err(Unreadable::damaged()) };
            numbers.add(number as u32, id.0);
            each(id, &state);
        }
        end = (first + count) as u32;
    }
    Ok(numbers)
}

impl Saved for Counts {
    fn save(&self, out: &mut Writer) {
        // What is not named here is asked of the store and the model when a search ends.
        let Counts {
            stored: _,
            visited,
            transitions,
            post_calls,
            explored,
            depth,
            order_given_up,
            deadlocks,
            assertion_violations,
            runtime_errors,
            endless_sequences,
            divergences,
            found_nested,
            stacks: Stacks { states, pending, roots, active, bytes },
            states_bytes: _,
            auxiliary_bytes: _,
            table_bytes: _,
            model_bytes: _,
            load: _,
            store_changed_at: _,
            vector_bytes: _,
        } = *self;
        let numbers = [visited, transitions, post_calls, explored, depth, deadlocks, assertion_violations];
        numbers.into_iter().for_each(|number| out.number(number));
        let numbers = [runtime_errors, endless_sequences, divergences, states, pending, roots, active, bytes];
        numbers.into_iter().for_each(|number| out.number(number));
        out.flag(order_given_up);
        out.flag(found_nested);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        let Counts { visited, transitions, post_calls, explored, depth, deadlocks, .. } = self;
        for count in [visited, transitions, post_calls, explored, depth, deadlocks] {
            *count = from.number()?;
        }
        let Stacks { states, pending, roots, active, bytes } = &mut self.stacks;
        let (violations, errors) = (&mut self.assertion_violations, &mut self.runtime_errors);
        let (endless, divergences) = (&mut self.endless_sequences, &mut self.divergences);
        for count in [violations, errors, endless, divergences, states, pending, roots, active, bytes] {
            *count = from.number()?;
        }
        self.order_given_up = from.flag()?;
        self.found_nested = from.flag()?;
        Ok(())
    }
}

const KINDS: [ViolationKind; 8] = [
    ViolationKind::Assertion,
    ViolationKind::InvalidEndState,
    ViolationKind::RuntimeError,
    ViolationKind::EndlessSequence,
    ViolationKind::AcceptingRun,
    ViolationKind::EventTrace,
    ViolationKind::UnfinishedTrace,
    ViolationKind::CutShort,
];

pub(crate) fn save_violation(violation: &Violation, out: &mut Writer) {
    let kind = KINDS.iter().position(|kind| *kind == violation.kind).expect("every kind is listed");
    out.number(kind as u64);
    out.text(violation.message.as_bytes());
}

pub(crate) fn load_violation(from: &mut Reader) -> Result<Violation, Unreadable> {
    let kind = *KINDS.get(from.number()? as usize).ok_or_else(Unreadable::damaged)?;
    let message = String::from_utf8(from.text()?).map_err(|_| Unreadable::damaged())?;
    Ok(Violation { kind, message })
}

impl Saved for Vec<Found> {
    fn save(&self, out: &mut Writer) {
        out.number(self.len() as u64);
        for Found { violation, count, path, steps } in self {
            save_violation(violation, out);
            out.number(*count);
            out.flag(path.is_some());
            if let Some(path) = path {
                path.save(out);
            }
            out.number(steps.len() as u64);
            for &Step { pid, process_type, location, transition } in steps {
                let numbers = [u64::from(pid), u64::from(process_type), location.into(), transition.into()];
                numbers.into_iter().for_each(|number| out.number(number));
            }
        }
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        for _ in 0..from.number()? {
            let violation = load_violation(from)?;
            let count = from.number()?;
            let mut path = from.flag()?.then(Vec::new);
            if let Some(path) = &mut path {
                path.load(from)?;
            }
            let mut steps = Vec::new();
            for _ in 0..from.number()? {
                let (pid, process_type) = (from.number()? as u16, from.number()? as u16);
                steps.push(Step { pid, process_type, location: from.small()?, transition: from.small()? });
            }
            self.push(Found { violation, count, path, steps });
        }
        Ok(())
    }
}

/// Per process type, the locations that were reached.
impl Saved for Vec<Vec<bool>> {
    fn save(&self, out: &mut Writer) {
        out.number(self.len() as u64);
        for locations in self {
            out.number(locations.len() as u64);
            locations.iter().for_each(|reached| out.flag(*reached));
        }
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        for _ in 0..from.number()? {
            let locations: Result<_, _> = (0..from.number()?).map(|_| from.flag()).collect();
            self.push(locations?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_store::{ExactStore, Pen, SharedStore, StateHash, VisitedSet, WeightedSums};

    fn read_back(save: impl FnOnce(&mut Writer)) -> Reader {
        let mut file = Vec::new();
        let mut writer = Writer::begin(&mut file, b"");
        save(&mut writer);
        writer.finish().unwrap();
        let mut reader = Reader::begin(Box::new(std::io::Cursor::new(file))).unwrap();
        assert_eq!(reader.text().unwrap(), b"");
        reader
    }

    /// States of many lengths, in no order: numbers have holes, and every state gets its own again.
    #[test]
    fn states_get_the_numbers_that_they_had() {
        let mut seed = 1u64;
        let mut random = |end: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % end
        };
        let mut store = ExactStore::new();
        let mut state = [0; 200];
        for _ in 0..20_000 {
            for _ in 0..random(4) {
                state[random(200) as usize] = random(256) as u8;
            }
            let length = [0, 1, 7, 8, 9, 63, 64, 65, 130, 200][random(10) as usize];
            store.insert(&state[..length]);
        }
        assert!(store.len() > 10_000);
        let mut reader = read_back(|out| save_states(&store, out));
        let (mut other, mut told) = (ExactStore::new(), 0);
        assert!(load_states(&mut other, &mut reader, |_, _| told += 1).unwrap().is_same());
        reader.finish().unwrap();
        assert_eq!((other.len(), told), (store.len(), store.len()));
        store.for_each_state(|id, state| assert_eq!(other.get(id), state));
        // From here on, both number alike.
        for _ in 0..1_000 {
            state[random(200) as usize] = random(256) as u8;
            let length = [3, 8, 130][random(3) as usize];
            assert_eq!(store.insert(&state[..length]), other.insert(&state[..length]));
        }
    }

    /// States that several threads have stored get other numbers, and what refers to them follows.
    #[test]
    fn states_of_several_threads_are_renumbered() {
        let mut store = ExactStore::new();
        let mut pens = [0, 1, 2].map(Pen::of_thread);
        let mut ids = Vec::new();
        for number in 0..2_000u32 {
            let state = number.wrapping_mul(0x9e37_79b1).to_le_bytes();
            let sum = StateHash::sum(&WeightedSums, &state);
            let mut found = Vec::new();
            let pen = &mut pens[(number % 7 % 3) as usize];
            store.try_insert_all(&[(state, sum)][..], pen, &mut found).unwrap();
            store.count(pen);
            if store.wants_room() {
                store.make_room();
            }
            ids.push((found[0].id(), state));
        }
        let mut reader = read_back(|out| save_states(&store, out));
        let mut other = ExactStore::new();
        let numbers = load_states(&mut other, &mut reader, |_, _| {}).unwrap();
        reader.finish().unwrap();
        assert!(!numbers.is_same() && numbers.must_be_same().is_err());
        let mut list: Vec<StateId> = ids.iter().map(|(id, _)| *id).collect();
        numbers.renumber(&mut list).unwrap();
        for ((_, state), id) in ids.iter().zip(list) {
            assert_eq!(other.get(id), state);
        }
        // No state had that number.
        assert!(numbers.of(StateId(u32::MAX)).is_err());
    }

    #[test]
    fn lists_come_back() {
        let numbers = [5, 0, u32::MAX, 7, 8, 9, u32::MAX, u32::MAX, 0];
        let words = [0, 0, 0, u64::MAX, u64::MAX, 3];
        let mut reader = read_back(|out| {
            save_numbers(numbers.into_iter(), out);
            save_numbers([].into_iter(), out);
            save_words(&words, out);
            save_words(&[], out);
        });
        assert_eq!(load_numbers(&mut reader).unwrap(), numbers);
        assert_eq!(load_numbers(&mut reader).unwrap(), []);
        assert_eq!(load_words(&mut reader).unwrap(), words);
        assert_eq!(load_words(&mut reader).unwrap(), []);
        reader.finish().unwrap();
    }
}
