//! From the hash of a state to its number: an open-addressing table of numbers in which most of the hash is
//! told by the place.
//!
//! *Lines.* The table consists of lines of 64 bytes, as the processor fetches them. Of the 32 bits of a hash
//! the upper ones count, its *cell*; a cell is at home in a line, in proportion: with `n` lines and `2ᵇ`
//! cells, cell `c` in line `c · n / 2ᵇ`. If that line is full, the entry goes to one of the next [`REACH`]
//! lines. An entry keeps the lower 12 bits of its cell. There are at most 512 cells to a line, so that
//! entries which may lie in the same line differ in these 12 bits if their cells do: the place tells the rest
//! (Cleary 1984). What finds no room within reach is kept in a map beside.
//!
//! *Entries.* Eight of the 12 bits are compared at once for all entries of a line. The other four lie with
//! the number, which has 21 bits as long as that is enough (15 entries to a line, 4.3 bytes each), then 24
//! (14 entries, 4.6 bytes), then 26 (13 entries, 4.9 bytes), then 30 (12 entries, 5.3 bytes), then 32 (11
//! entries, 5.8 bytes). Whoever looks for a state compares states only where all 12 bits are the same: at the
//! most in one lookup of five, mostly in far fewer.
//!
//! *Growing* takes place in the table itself: with more lines every cell is at home in the same line or in a
//! later one, so entries are moved from the last line to the first. What is kept of a cell stays what it is.
//! So a line is unpacked as a whole, its entries go to lines that are *open*, unpacked too, and a line is
//! packed and written when nothing more can go there. With an eighth more lines the load is between 79 and 89
//! per cent, with a quarter it is 71 at the least; but every entry is moved eight times in all with eighths,
//! and four times with quarters. Whoever has the index chooses. When there are fewer than 64 cells to a line,
//! or too few bits for numbers, the table must be made anew from the states ([`Index::anew`]); the old one is
//! given back before. (Rejected: to do that with a table of 65536 lines, where it takes little of all time,
//! so that fewer states look alike up to 6 million of them: 2 to 6 per cent slower at 1 to 1.5 million.)

use crate::memory::{PLAIN_SEGMENT_LINES, PlainLine, PlainSegment, bytes_with_tag, prefetch};
use std::collections::HashMap;

/// So many lines from its home on, an entry may lie.
const REACH: usize = 8;
const KEPT_BITS: u32 = 12;
const KEPT: u32 = (1 << KEPT_BITS) - 1;
/// Bits of a cell that lie with the number.
const BESIDE_NUMBER: u32 = KEPT_BITS - u8::BITS;
/// Cells to a line, at the most: their lower bits differ over [`REACH`] lines.
const MOST_CELLS: u64 = (1 << KEPT_BITS) / REACH as u64;
/// With fewer there are too many that look alike.
const FEWEST_CELLS: u64 = 64;
const FIRST_HOMES: usize = 64;
/// Up to here it doubles: it is small, 4 MiB in the end. In tests, where it is to grow by steps too, hardly.
const DOUBLING_HOMES: usize = if cfg!(test) { 1 << 10 } else { 1 << 16 };
/// By one line for so many it grows otherwise: where every byte counts, and where some are left.
pub(super) const SMALL_STEP: usize = 8;
pub(super) const LARGE_STEP: usize = 4;
/// By less it does not grow.
const SMALLEST_STEP: usize = 32;
/// The last byte of a line says how many entries are taken.
const TAKEN: usize = size_of::<PlainLine>() - 1;

const LINE_WORDS: usize = size_of::<PlainLine>() / 8;
/// Entries of a line, at the most.
const MOST_ENTRIES: usize = FORMS[0].entries;

/// How entries lie in a line: tags first, a byte each, then numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Form {
    entries: usize,
    number_bits: u32,
}

const FORMS: [Form; 5] = [
    Form { entries: 15, number_bits: 21 },
    Form { entries: 14, number_bits: 24 },
    Form { entries: 13, number_bits: 26 },
    Form { entries: 12, number_bits: 30 },
    Form { entries: 11, number_bits: 32 },
];

impl Form {
    /// The shortest that has so many numbers.
    fn for_numbers(count: u64) -> Form {
        *FORMS.iter().find(|form| count <= 1 << form.number_bits).unwrap_or(&FORMS[FORMS.len() - 1])
    }

    /// Where the number of an entry lies: a byte of the line, and a bit of the word that begins there.
    #[inline(always)]
    fn place(self, entry: usize) -> (usize, u32) {
        let bit = 8 * self.entries + (self.number_bits + BESIDE_NUMBER) as usize * entry;
        let byte = (bit / 8).min(size_of::<PlainLine>() - 8);
        (byte, (bit - 8 * byte) as u32)
    }

    /// The number of an entry, and the upper bits that are kept of its cell.
    #[inline(always)]
    fn field(self, line: &PlainLine, entry: usize) -> (u32, u32) {
        let (byte, shift) = self.place(entry);
        let word = line.0[byte..byte + 8].first_chunk().map_or(0, |word| u64::from_le_bytes(*word)) >> shift;
        let number = word >> BESIDE_NUMBER & (u64::MAX >> (64 - self.number_bits));
        (number as u32, word as u32 & ((1 << BESIDE_NUMBER) - 1))
    }

    #[inline(always)]
    fn push(self, line: &mut PlainLine, number: u32, cell: u32) {
        let entry = line.0[TAKEN] as usize;
        let (byte, shift) = self.place(entry);
        let field = u64::from(number) << BESIDE_NUMBER | u64::from((cell & KEPT) >> u8::BITS);
        let bytes = &mut line.0[byte..byte + 8];
        let before = bytes.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        // Whatever is there beside, how many are taken among it, stays.
        bytes.copy_from_slice(&(before | field << shift).to_le_bytes());
        line.0[entry] = cell as u8;
        line.0[TAKEN] = entry as u8 + 1;
    }

    /// The same, as a word of the line and a bit of it.
    #[inline(always)]
    fn word(self, entry: usize) -> (usize, usize) {
        let bit = 8 * self.entries + (self.number_bits + BESIDE_NUMBER) as usize * entry;
        (bit / 64, bit % 64)
    }

    /// Numbers and upper bits of all entries, taken or not, as they lie there. (All of them, so that
    /// everything about their places is known when this is compiled.)
    #[inline(always)]
    fn fields(self, line: &PlainLine) -> [u64; MOST_ENTRIES] {
        let mut words = [0; LINE_WORDS + 1];
        for (word, bytes) in words.iter_mut().zip(line.0.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        let mut fields = [0; MOST_ENTRIES];
        for (entry, field) in fields.iter_mut().enumerate().take(self.entries) {
            let (word, shift) = self.word(entry);
            *field = (words[word] >> shift | words[word + 1] << 1 << (63 - shift))
                & (u64::MAX >> (64 - self.number_bits - BESIDE_NUMBER));
        }
        fields
    }

    #[inline(always)]
    fn is_full(self, line: &PlainLine) -> bool {
        line.0[TAKEN] as usize == self.entries
    }
}

/// So many lines are open while the index grows, those in which something may still be put: the homes of what
/// may lie in one line of the shorter table, which are twice [`REACH`] and one at the most, and [`REACH`]
/// behind them. A power of two.
const OPEN_LINES: usize = 4 * REACH;

/// A line that is being filled, unpacked: 128 bytes.
#[derive(Clone, Copy)]
struct OpenLine {
    fields: [u64; MOST_ENTRIES],
    tags: [u8; 15],
    taken: u8,
}

impl OpenLine {
    const EMPTY: OpenLine = OpenLine { fields: [0; MOST_ENTRIES], tags: [0; 15], taken: 0 };

    /// Adds an entry, if there is room.
    #[inline(always)]
    #[must_use]
    fn push(&mut self, form: Form, tag: u8, field: u64) -> bool {
        let at = self.taken as usize;
        let has_room = at < form.entries;
        if has_room {
            (self.fields[at], self.tags[at]) = (field, tag);
            self.taken += 1;
        }
        has_room
    }

    #[inline(always)]
    fn packed(&self, form: Form) -> PlainLine {
        let mut words = [0; LINE_WORDS + 1];
        if let (Some(first), Some(last)) = (self.tags.first_chunk(), self.tags.last_chunk()) {
            // The first byte of the last eight is one of the first eight, too.
            (words[0], words[1]) = (u64::from_le_bytes(*first), u64::from_le_bytes(*last) >> 8);
        }
        for (entry, field) in self.fields.iter().enumerate().take(form.entries) {
            let (word, shift) = form.word(entry);
            words[word] |= field << shift;
            words[word + 1] |= field >> 1 >> (63 - shift);
        }
        words[LINE_WORDS - 1] |= u64::from(self.taken) << 56;
        let mut line = PlainLine::EMPTY;
        for (bytes, word) in line.0.as_chunks_mut::<8>().0.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
        line
    }
}

#[derive(Debug)]
pub(super) struct Index {
    segments: Vec<PlainSegment>,
    /// Home lines; behind them are [`REACH`] more.
    homes: usize,
    form: Form,
    /// Of a hash, so many upper bits are its cell.
    cell_bits: u32,
    /// Numbers that found no room, by cell.
    beside: HashMap<u32, Vec<u32>>,
    /// How many these are.
    beside_count: usize,
    len: u64,
}

/// Where an entry goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Line(usize),
    Beside,
}

/// A hash that is looked for.
#[derive(Clone, Copy)]
pub(super) struct Sought<'i> {
    cell: u32,
    /// Where it is at home.
    line: &'i PlainLine,
}

/// What a first look into the index has found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Probe {
    /// An entry that looks like it, with this number.
    Likely(u32),
    /// None; there is room for its cell in this line, of which so many entries are taken.
    Vacant { cell: u32, at: u32, taken: u8 },
    /// One must look more closely.
    Unknown,
}

impl Index {
    pub fn new() -> Index {
        Index::with_room(0, 0)
    }

    /// An empty table that is comfortable with so many entries, and has numbers below a bound.
    fn with_room(entries: u64, numbers: u64) -> Index {
        let form = Form::for_numbers(numbers);
        let mut index = Index {
            segments: Vec::new(),
            homes: 0,
            form,
            cell_bits: 0,
            beside: HashMap::new(),
            beside_count: 0,
            len: 0,
        };
        let mut homes = FIRST_HOMES;
        while Index::comfortable_with(homes, form) < entries {
            homes = next_homes(homes, SMALL_STEP);
        }
        index.extend(homes);
        index.cell_bits = (homes as u64 * MOST_CELLS).ilog2().min(u32::BITS);
        index
    }

    fn extend(&mut self, homes: usize) {
        let before = if self.homes == 0 { 0 } else { self.homes + REACH };
        self.homes = homes;
        let now = homes + REACH;
        while self.segments.len() * PLAIN_SEGMENT_LINES < now {
            self.segments.push(PlainSegment::new());
        }
        for (segment, first) in self.segments.iter().zip((0..).step_by(PLAIN_SEGMENT_LINES)) {
            let used = |lines: usize| lines.saturating_sub(first).min(PLAIN_SEGMENT_LINES);
            if used(before) < used(now) {
                segment.use_more(used(before), used(now));
            }
        }
    }

    #[inline(always)]
    fn line(&self, at: usize) -> &PlainLine {
        self.segments[at / PLAIN_SEGMENT_LINES].get(at % PLAIN_SEGMENT_LINES)
    }

    #[inline(always)]
    fn line_mut(&mut self, at: usize) -> &mut PlainLine {
        self.segments[at / PLAIN_SEGMENT_LINES].get_mut(at % PLAIN_SEGMENT_LINES)
    }

    #[inline(always)]
    fn cell(&self, hash: u32) -> u32 {
        hash >> (u32::BITS - self.cell_bits)
    }

    #[inline(always)]
    fn home(&self, cell: u32) -> usize {
        ((u64::from(cell) * self.homes as u64) >> self.cell_bits) as usize
    }

    /// Begins to load the line where a hash is at home.
    #[inline]
    pub fn prefetch(&self, hash: u32) {
        prefetch(self.line(self.home(self.cell(hash))));
    }

    /// The same, for whoever looks into the line next.
    #[inline(always)]
    pub fn begin(&self, hash: u32) -> Sought<'_> {
        let cell = self.cell(hash);
        let line = self.line(self.home(cell));
        prefetch(line);
        Sought { cell, line }
    }

    /// Looks for an entry with a hash, in the home line and, if that is full, in the next ones. `FORM` is the
    /// number of the present form.
    #[inline(always)]
    pub fn probe<const FORM: usize>(&self, sought: &Sought) -> Probe {
        let (Sought { cell, mut line }, form) = (*sought, FORMS[FORM]);
        let upper = (cell & KEPT) >> u8::BITS;
        let home = self.home(cell);
        let mut at = home;
        loop {
            let taken = line.0[TAKEN];
            let mut same = bytes_with_tag(line, cell as u8) & ((1 << taken) - 1);
            while same != 0 {
                let (number, above) = form.field(line, same.trailing_zeros() as usize);
                if above == upper {
                    return Probe::Likely(number);
                }
                same &= same - 1;
            }
            if (taken as usize) < form.entries {
                return Probe::Vacant { cell, at: at as u32, taken };
            }
            at += 1;
            if at == home + REACH {
                return Probe::Unknown;
            }
            line = self.line(at);
        }
    }

    /// Adds an entry where a probe has found nothing, if nothing has come there since. Whether it did.
    #[inline(always)]
    #[must_use]
    pub fn put_where_vacant<const FORM: usize>(&mut self, probe: Probe, number: u32) -> bool {
        let Probe::Vacant { cell, at, taken } = probe else { return false };
        let line = self.line_mut(at as usize);
        if line.0[TAKEN] != taken {
            return false;
        }
        FORMS[FORM].push(line, number, cell);
        self.len += 1;
        true
    }

    /// The number of the present form.
    #[inline]
    pub fn form(&self) -> usize {
        match self.form.number_bits {
            21 => 0,
            24 => 1,
            26 => 2,
            30 => 3,
            _ => 4,
        }
    }

    /// The number with this hash of which `is` is true, else where it would go.
    #[inline(never)]
    pub fn find(&self, hash: u32, mut is: impl FnMut(u32) -> bool) -> Result<u32, Place> {
        let (cell, form) = (self.cell(hash), self.form);
        let upper = (cell & KEPT) >> u8::BITS;
        let home = self.home(cell);
        for at in home..home + REACH {
            let line = self.line(at);
            let mut same = bytes_with_tag(line, cell as u8) & ((1 << line.0[TAKEN]) - 1);
            while same != 0 {
                let (number, above) = form.field(line, same.trailing_zeros() as usize);
                if above == upper && is(number) {
                    return Ok(number);
                }
                same &= same - 1;
            }
            if !form.is_full(line) {
                return Err(Place::Line(at));
            }
        }
        self.find_beside(cell, is)
    }

    #[cold]
    fn find_beside(&self, cell: u32, mut is: impl FnMut(u32) -> bool) -> Result<u32, Place> {
        let beside = self.beside.get(&cell).into_iter().flatten();
        beside.copied().find(|&number| is(number)).ok_or(Place::Beside)
    }

    /// Adds an entry where [`Index::find`] says.
    #[inline]
    pub fn put(&mut self, place: Place, hash: u32, number: u32) {
        self.put_cell(place, self.cell(hash), number);
        self.len += 1;
    }

    #[inline]
    fn put_cell(&mut self, place: Place, cell: u32, number: u32) {
        let form = self.form;
        match place {
            Place::Line(at) => form.push(self.line_mut(at), number, cell),
            Place::Beside => {
                self.beside.entry(cell).or_default().push(number);
                self.beside_count += 1;
            }
        }
    }

    /// Puts an entry into the first line with room for it.
    #[inline(always)]
    fn put_first(&mut self, form: Form, cell: u32, number: u32) {
        let home = self.home(cell);
        for at in home..home + REACH {
            let line = self.line_mut(at);
            if !form.is_full(line) {
                return form.push(line, number, cell);
            }
        }
        self.put_cell(Place::Beside, cell, number);
    }

    fn comfortable_with(homes: usize, form: Form) -> u64 {
        (homes * form.entries) as u64 * 57 / 64
    }

    /// With more entries than that it should grow.
    #[inline]
    pub fn comfortable(&self) -> u64 {
        Index::comfortable_with(self.homes, self.form)
    }

    /// Whether so many numbers, the next ones among them, have room in its entries.
    #[inline]
    pub fn has_numbers(&self, count: u64) -> bool {
        count <= self.numbers()
    }

    /// So many numbers have room in its entries.
    #[inline]
    pub fn numbers(&self) -> u64 {
        1 << self.form.number_bits
    }

    /// How many home lines it has when it grows by such a step; fewer, if there would not be enough cells for
    /// all of these. `None` if it must be made anew.
    fn next_homes(&self, step: usize) -> Option<usize> {
        let most = if self.cell_bits < u32::BITS { (1 << self.cell_bits) / FEWEST_CELLS } else { u64::MAX };
        let homes = next_homes(self.homes, step).min(most as usize);
        (homes > self.homes + self.homes / SMALLEST_STEP).then_some(homes)
    }

    /// Makes the table longer, by one line for so many, unless it must be made anew. Whether it is longer.
    #[must_use]
    pub fn grow(&mut self, step: usize) -> bool {
        let Some(homes) = self.next_homes(step) else { return false };
        match self.form() {
            0 => self.spread::<0>(homes),
            1 => self.spread::<1>(homes),
            2 => self.spread::<2>(homes),
            3 => self.spread::<3>(homes),
            _ => self.spread::<4>(homes),
        }
        true
    }

    #[inline(never)]
    fn spread<const FORM: usize>(&mut self, homes: usize) {
        let (before, form) = (self.homes, FORMS[FORM]);
        self.extend(homes);
        let mut open = [OpenLine::EMPTY; OPEN_LINES];
        let mut left_over = Vec::new();
        // The last line that is open.
        let mut top = self.homes + REACH - 1;
        for at in (0..before + REACH).rev() {
            let line = std::mem::replace(self.line_mut(at), PlainLine::EMPTY);
            let taken = line.0[TAKEN] as usize;
            let fields = form.fields(&line);
            let last = (((at as u64 + 1) << self.cell_bits) - 1) / before as u64;
            let last_home = ((last * self.homes as u64) >> self.cell_bits) as usize;
            while top >= last_home + REACH {
                self.close::<FORM>(&mut open, top);
                top -= 1;
            }
            for (&tag, &field) in line.0.iter().zip(&fields).take(taken) {
                let upper = field as u32 & ((1 << BESIDE_NUMBER) - 1);
                let cell = cell_up_to(last, u32::from(tag) | upper << u8::BITS);
                let home = self.home(cell);
                debug_assert!(home <= top && home + OPEN_LINES > top);
                if !open[home % OPEN_LINES].push(form, tag, field) {
                    let mut next = (home + 1..home + REACH).map(|at| at % OPEN_LINES);
                    if !next.any(|at| open[at].push(form, tag, field)) {
                        left_over.push((cell, (field >> BESIDE_NUMBER) as u32));
                    }
                }
            }
        }
        for at in (0..=top).rev() {
            self.close::<FORM>(&mut open, at);
        }
        // Lines that have become emptier may have room for what was beside.
        let beside = std::mem::take(&mut self.beside);
        self.beside_count = 0;
        left_over.extend(
            beside.into_iter().flat_map(|(cell, numbers)| numbers.into_iter().map(move |n| (cell, n))),
        );
        left_over.into_iter().for_each(|(cell, number)| self.put_first(form, cell, number));
    }

    /// Writes an open line where it belongs; the place is open for another one then.
    #[inline(always)]
    fn close<const FORM: usize>(&mut self, open: &mut [OpenLine; OPEN_LINES], at: usize) {
        let line = std::mem::replace(&mut open[at % OPEN_LINES], OpenLine::EMPTY);
        *self.line_mut(at) = line.packed(FORMS[FORM]);
    }

    /// Gives all back, and is an empty table then with room for so many entries of numbers below a bound.
    pub fn anew(&mut self, entries: u64, numbers: u64) {
        *self = Index { segments: Vec::new(), beside: HashMap::new(), beside_count: 0, ..*self };
        *self = Index::with_room(entries, numbers);
    }

    /// Adds an entry of a state that is not there.
    #[inline]
    pub fn add(&mut self, hash: u32, number: u32) {
        let cell = self.cell(hash);
        self.put_first(self.form, cell, number);
        self.len += 1;
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    /// So many entries have a place in it.
    pub fn entries(&self) -> u64 {
        (self.homes * self.form.entries) as u64
    }

    pub fn bytes(&self) -> u64 {
        // A list has room for four at the least. (To go through all of them would take as long as there are
        // many, and this is asked for again and again.)
        let beside = self.beside.capacity() * (size_of::<(u32, Vec<u32>)>() + 1)
            + self.beside_count * 4 * size_of::<u32>();
        ((self.homes + REACH) * size_of::<PlainLine>() + beside) as u64
    }

    /// What it takes more when it grows by such a step.
    pub fn growth_bytes(&self, step: usize) -> u64 {
        ((next_homes(self.homes, step) - self.homes) * size_of::<PlainLine>()) as u64
    }
}

/// The greatest cell up to `last` whose lower bits are `kept`.
#[inline]
fn cell_up_to(last: u64, kept: u32) -> u32 {
    (last - (last.wrapping_sub(u64::from(kept)) & u64::from(KEPT))) as u32
}

fn next_homes(homes: usize, step: usize) -> usize {
    if homes < DOUBLING_HOMES { homes * 2 } else { homes / step * (step + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: &mut u64) -> u32 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 32) as u32
    }

    #[test]
    fn every_entry_of_a_line_is_its_own() {
        let mut seed = 1;
        for form in FORMS {
            let mut line = PlainLine::EMPTY;
            let entries: Vec<(u32, u32)> = (0..form.entries)
                .map(|i| {
                    let number = [0, u32::MAX, random(&mut seed)][i % 3];
                    (number >> (32 - form.number_bits), random(&mut seed))
                })
                .collect();
            for (i, &(number, cell)) in entries.iter().enumerate() {
                assert!(!form.is_full(&line));
                form.push(&mut line, number, cell);
                assert_eq!(line.0[TAKEN] as usize, i + 1);
            }
            assert!(form.is_full(&line));
            // As far as it is filled, the same by way of an open line.
            for taken in 0..=form.entries {
                let (mut open, mut plain) = (OpenLine::EMPTY, PlainLine::EMPTY);
                for &(number, cell) in &entries[..taken] {
                    form.push(&mut plain, number, cell);
                    let field = u64::from(number) << 4 | u64::from(cell >> 8 & 15);
                    assert!(open.push(form, cell as u8, field));
                }
                assert_eq!(open.packed(form).0, plain.0, "{form:?} {taken}");
                assert_eq!(open.push(form, 0, 0), taken < form.entries);
            }
            for (i, &(number, cell)) in entries.iter().enumerate() {
                assert_eq!(form.field(&line, i), (number, cell >> 8 & 15));
                assert_eq!(form.fields(&line)[i], u64::from(number) << 4 | u64::from(cell >> 8 & 15));
                assert_eq!(line.0[i], cell as u8);
                assert!(bytes_with_tag(&line, cell as u8) >> i & 1 == 1);
            }
        }
    }

    #[test]
    fn the_place_of_an_entry_tells_its_cell() {
        let mut seed = 7;
        for homes in [64usize, 65, 100, 511, 4096, 4778, 100_003, 1 << 22, (1 << 23) + 1, 1 << 25] {
            for wear in [0, 1, 2] {
                let cell_bits = ((homes as u64 * MOST_CELLS).ilog2().min(32)) - wear;
                let index = Index { cell_bits, homes, ..Index::new() };
                for i in 0..5000 {
                    let cell = match i % 4 {
                        0 => 0,
                        1 => ((1u64 << cell_bits) - 1) as u32,
                        _ => random(&mut seed) >> (32 - cell_bits),
                    };
                    for pushed in [0, 1, REACH - 1] {
                        let at = index.home(cell) + pushed;
                        let last = (((at as u64 + 1) << cell_bits) - 1) / homes as u64;
                        assert_eq!(cell_up_to(last, cell & KEPT), cell, "{homes} {wear} {pushed}");
                    }
                }
            }
        }
    }

    /// Against a list of hashes, with those that have the same home among them.
    fn fill(hash_of: impl Fn(u32) -> u32, count: u32) {
        let mut index = Index::new();
        for number in 0..count {
            let step = [SMALL_STEP, LARGE_STEP][number as usize / 7 % 2];
            if index.len() >= index.comfortable() && !index.grow(step) {
                index.anew(u64::from(number) + 1, u64::from(count));
                (0..number).for_each(|number| index.add(hash_of(number), number));
            }
            let place = index.find(hash_of(number), |found| found == number).unwrap_err();
            index.put(place, hash_of(number), number);
            if number % 997 == 0 || number + 1 == count {
                for number in (0..=number).step_by(1 + number as usize / 500) {
                    assert_eq!(index.find(hash_of(number), |found| found == number), Ok(number));
                }
                assert!(index.find(hash_of(number), |_| false).is_err());
            }
        }
        let taken: usize = (0..index.homes + REACH).map(|at| index.line(at).0[TAKEN] as usize).sum();
        let beside: usize = index.beside.values().map(Vec::len).sum();
        assert_eq!(beside, index.beside_count);
        assert_eq!((taken + beside) as u32, count);
    }

    #[test]
    fn any_hashes() {
        let mixed = |number: u32| number.wrapping_mul(0x9e37_79b1).rotate_left(11).wrapping_mul(0x85eb_ca6b);
        fill(mixed, 300_000);
        // Crowds, at both ends and in the middle.
        for crowd in [0, u32::MAX, 1 << 31] {
            fill(|number| if number % 9 == 0 { crowd ^ mixed(number) >> 20 } else { mixed(number) }, 30_000);
        }
        fill(|_| 77, 2000);
        fill(|number| number, 20_000);
        fill(|number| u32::MAX - number, 20_000);
    }
}
