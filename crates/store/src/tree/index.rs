//! From the hash of a state to its number: an open-addressing table of numbers in which most of the hash is
//! told by the place.
//!
//! *Lines.* The table consists of lines of 64 bytes, as the processor fetches them. Of the 32 bits of a hash
//! the upper ones count, its *cell*; a cell is at home in a line, in proportion: with `n` lines and `2ᵇ`
//! cells, cell `c` in line `c · n / 2ᵇ`. If that line is full, the entry goes to one of the next [`REACH`]
//! lines. An entry keeps some lower bits of its cell, so many that entries which may lie in the same line
//! differ in these if their cells do: the place tells the rest (Cleary 1984). What finds no room within reach
//! is kept in a map beside.
//!
//! *Entries.* Eight of the bits that are kept are compared at once for all entries of a line. The others lie
//! with the number, in a *field*. There numbers have as few bits as they need, and cells the rest: with twice
//! as many lines a number needs a bit more, and the place of an entry tells a bit more of its cell. So a cell
//! has the same bits as long as fields have: 25 bits up to 2 million numbers (15 entries to a line, 4.3 bytes
//! each), 28 bits up to 16 million (14 entries, 4.6 bytes), 30 up to 67 million (13 entries, 4.9 bytes), 34
//! up to a thousand million (12 entries, 5.3 bytes), and then 36 (11 entries, 5.8 bytes). Whoever looks for a
//! state compares states only where cells are the same, of which there are 180 to a line at the least (but
//! for very large tables): in vain in one lookup of twenty, mostly in fewer.
//!
//! *Growing* takes place in the table itself: with more lines every cell is at home in the same line or in a
//! later one, so entries are moved from the last line to the first. So a line is unpacked as a whole, its
//! entries go to lines that are *open*, unpacked too, and a line is packed and written when nothing more can
//! go there. With an eighth more lines the load is between 79 and 89 per cent, with a fifth it is 74 at the
//! least; but every entry is moved eight times in all with eighths, and five times with fifths. Whoever has
//! the index chooses. When there are too few bits for numbers, the table must be made anew from the states
//! ([`Index::anew`]); the old one is given back before.

use crate::memory::{PLAIN_SEGMENT_LINES, PlainLine, PlainSegment, bytes_with_tag, prefetch};
use std::collections::HashMap;

/// So many lines from its home on, an entry may lie.
const REACH: usize = 8;
/// With fewer cells to a line there are too many that look alike.
const FEWEST_CELLS: u64 = 64;
const FIRST_HOMES: usize = 64;
/// Up to here it doubles: it is small, 4 MiB in the end. In tests, where it is to grow by steps too, hardly.
const DOUBLING_HOMES: usize = if cfg!(test) { 1 << 10 } else { 1 << 16 };
/// By one line for so many it grows otherwise: where every byte counts, and where some are left.
pub(super) const SMALL_STEP: usize = 8;
pub(super) const LARGE_STEP: usize = 5;
/// By less it does not grow.
const SMALLEST_STEP: usize = 32;
/// The last byte of a line says how many entries are taken.
const TAKEN: usize = size_of::<PlainLine>() - 1;

const LINE_WORDS: usize = size_of::<PlainLine>() / 8;
/// Entries of a line, at the most.
const MOST_ENTRIES: usize = FORMS[0].entries;

/// How entries lie in a line: tags first, a byte each, then fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Form {
    entries: usize,
    field_bits: u32,
    /// Numbers have at most so many of these.
    most_number_bits: u32,
    /// Of a hash, so many upper bits are its cell, at the most. (When numbers need a bit more, the table is
    /// so long that this is not too much for what is kept of a cell then: see [`Measures::can_be`].)
    cell_bits: u32,
}

const FORMS: [Form; 5] = [
    Form { entries: 15, field_bits: 25, most_number_bits: 21, cell_bits: 25 },
    Form { entries: 14, field_bits: 28, most_number_bits: 24, cell_bits: 28 },
    Form { entries: 13, field_bits: 30, most_number_bits: 26, cell_bits: 30 },
    Form { entries: 12, field_bits: 34, most_number_bits: 30, cell_bits: 32 },
    Form { entries: 11, field_bits: 36, most_number_bits: 32, cell_bits: 32 },
];

/// Bits that so many numbers need.
fn bits_of(numbers: u64) -> u32 {
    u64::BITS - numbers.saturating_sub(1).leading_zeros()
}

impl Form {
    /// The number of the shortest that has so many numbers.
    fn for_numbers(count: u64) -> usize {
        let has_room = |form: &Form| bits_of(count) <= form.most_number_bits;
        FORMS.iter().position(has_room).unwrap_or(FORMS.len() - 1)
    }

    /// Where the field of an entry lies: a byte of the line, and a bit of the word that begins there.
    #[inline(always)]
    fn place(self, entry: usize) -> (usize, u32) {
        let bit = 8 * self.entries + self.field_bits as usize * entry;
        let byte = (bit / 8).min(size_of::<PlainLine>() - 8);
        (byte, (bit - 8 * byte) as u32)
    }

    /// The field of an entry.
    #[inline(always)]
    fn field(self, line: &PlainLine, entry: usize) -> u64 {
        let (byte, shift) = self.place(entry);
        let word = line.0[byte..byte + 8].first_chunk().map_or(0, |word| u64::from_le_bytes(*word)) >> shift;
        word & (u64::MAX >> (64 - self.field_bits))
    }

    #[inline(always)]
    fn push(self, line: &mut PlainLine, tag: u8, field: u64) {
        let entry = line.0[TAKEN] as usize;
        let (byte, shift) = self.place(entry);
        let bytes = &mut line.0[byte..byte + 8];
        let before = bytes.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        // Whatever is there beside, how many are taken among it, stays.
        bytes.copy_from_slice(&(before | field << shift).to_le_bytes());
        line.0[entry] = tag;
        line.0[TAKEN] = entry as u8 + 1;
    }

    /// The same, as a word of the line and a bit of it.
    #[inline(always)]
    fn word(self, entry: usize) -> (usize, usize) {
        let bit = 8 * self.entries + self.field_bits as usize * entry;
        (bit / 64, bit % 64)
    }

    /// The fields of all entries, taken or not. (All of them, so that everything about their places is known
    /// when this is compiled.)
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
                & (u64::MAX >> (64 - self.field_bits));
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

/// How a table of so many lines makes places and fields of cells.
#[derive(Clone, Copy, Debug)]
struct Measures {
    /// Home lines; behind them are [`REACH`] more.
    homes: usize,
    /// Of a hash, so many upper bits are its cell.
    cell_bits: u32,
    /// So many bits of a field are the number, the lower ones; the others are kept of the cell, above the
    /// tag.
    number_bits: u32,
}

impl Measures {
    #[inline(always)]
    fn cell(&self, hash: u32) -> u32 {
        hash >> (u32::BITS - self.cell_bits)
    }

    #[inline(always)]
    fn home(&self, cell: u32) -> usize {
        ((u64::from(cell) * self.homes as u64) >> self.cell_bits) as usize
    }

    /// What a field has of a cell.
    #[inline(always)]
    fn upper(&self, cell: u32, form: Form) -> u64 {
        (u64::from(cell) >> u8::BITS << self.number_bits) & (u64::MAX >> (64 - form.field_bits))
    }

    /// The number in a field, if that has this of a cell.
    #[inline(always)]
    fn number(&self, field: u64, upper: u64) -> Option<u32> {
        let number = field ^ upper;
        (number >> self.number_bits == 0).then_some(number as u32)
    }

    /// The last cell that is at home in a line, or would be.
    #[inline(always)]
    fn last_cell(&self, line: usize) -> u64 {
        (((line as u64 + 1) << self.cell_bits) - 1) / self.homes as u64
    }

    /// The number in a field, and the cell of an entry with this tag, in a line with this last cell: the
    /// greatest one up to that, as far as bits are kept.
    #[inline(always)]
    fn entry(&self, last: u64, tag: u8, field: u64, form: Form) -> (u32, u32) {
        let kept = u64::from(tag) | field >> self.number_bits << u8::BITS;
        let mask = u64::MAX >> (64 - u8::BITS - form.field_bits + self.number_bits);
        let number = field & ((1 << self.number_bits) - 1);
        (number as u32, (last - (last.wrapping_sub(kept) & mask)) as u32)
    }

    /// Whether the place and what is kept of a cell tell the cell.
    fn can_be(&self, form: Form) -> bool {
        let kept_bits = u8::BITS + form.field_bits - self.number_bits;
        (REACH as u64) << self.cell_bits <= (self.homes as u64) << kept_bits
    }
}

#[derive(Debug)]
pub(super) struct Index {
    segments: Vec<PlainSegment>,
    measures: Measures,
    /// The number of the present form.
    form: usize,
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
    home: u32,
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
        let number = Form::for_numbers(numbers);
        let form = FORMS[number];
        let mut homes = FIRST_HOMES;
        while Index::comfortable_with(homes, form) < entries {
            homes = next_homes(homes, SMALL_STEP);
        }
        let spare = Index::comfortable_with(homes, form) - entries;
        let number_bits = bits_of(numbers + spare).min(form.most_number_bits);
        let mut measures = Measures { homes: 0, cell_bits: form.cell_bits, number_bits };
        while !(Measures { homes, ..measures }).can_be(form) {
            measures.cell_bits -= 1;
        }
        let mut index = Index {
            segments: Vec::new(),
            measures,
            form: number,
            beside: HashMap::new(),
            beside_count: 0,
            len: 0,
        };
        index.extend(homes);
        index
    }

    fn extend(&mut self, homes: usize) {
        let before = if self.measures.homes == 0 { 0 } else { self.measures.homes + REACH };
        self.measures.homes = homes;
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

    /// Begins to load the line where a hash is at home.
    #[inline]
    pub fn prefetch(&self, hash: u32) {
        prefetch(self.line(self.measures.home(self.measures.cell(hash))));
    }

    /// The same, for whoever looks into the line next.
    #[inline(always)]
    pub fn begin(&self, hash: u32) -> Sought<'_> {
        let cell = self.measures.cell(hash);
        let home = self.measures.home(cell);
        let line = self.line(home);
        prefetch(line);
        Sought { cell, home: home as u32, line }
    }

    /// Looks for an entry with a hash, in the home line and, if that is full, in the next ones. `FORM` is the
    /// number of the present form.
    #[inline(always)]
    pub fn probe<const FORM: usize>(&self, sought: &Sought) -> Probe {
        let (Sought { cell, home, mut line }, form) = (*sought, FORMS[FORM]);
        let upper = self.measures.upper(cell, form);
        let mut at = home;
        loop {
            let taken = line.0[TAKEN];
            let mut same = bytes_with_tag(line, cell as u8) & ((1 << taken) - 1);
            while same != 0 {
                let field = form.field(line, same.trailing_zeros() as usize);
                if let Some(number) = self.measures.number(field, upper) {
                    return Probe::Likely(number);
                }
                same &= same - 1;
            }
            if (taken as usize) < form.entries {
                return Probe::Vacant { cell, at, taken };
            }
            at += 1;
            if at == home + REACH as u32 {
                return Probe::Unknown;
            }
            line = self.line(at as usize);
        }
    }

    /// Adds an entry where a probe has found nothing, if nothing has come there since. Whether it did.
    #[inline(always)]
    #[must_use]
    pub fn put_where_vacant<const FORM: usize>(&mut self, probe: Probe, number: u32) -> bool {
        let Probe::Vacant { cell, at, taken } = probe else { return false };
        let field = self.measures.upper(cell, FORMS[FORM]) | u64::from(number);
        let line = self.line_mut(at as usize);
        if line.0[TAKEN] != taken {
            return false;
        }
        FORMS[FORM].push(line, cell as u8, field);
        self.len += 1;
        true
    }

    /// The number of the present form.
    #[inline(always)]
    pub fn form(&self) -> usize {
        self.form
    }

    /// The number with this hash of which `is` is true, else where it would go.
    #[inline(never)]
    pub fn find(&self, hash: u32, mut is: impl FnMut(u32) -> bool) -> Result<u32, Place> {
        let (cell, form) = (self.measures.cell(hash), FORMS[self.form]);
        let upper = self.measures.upper(cell, form);
        let home = self.measures.home(cell);
        for at in home..home + REACH {
            let line = self.line(at);
            let mut same = bytes_with_tag(line, cell as u8) & ((1 << line.0[TAKEN]) - 1);
            while same != 0 {
                let field = form.field(line, same.trailing_zeros() as usize);
                if let Some(number) = self.measures.number(field, upper)
                    && is(number)
                {
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
        self.put_cell(place, self.measures.cell(hash), number);
        self.len += 1;
    }

    #[inline]
    fn put_cell(&mut self, place: Place, cell: u32, number: u32) {
        let form = FORMS[self.form];
        let field = self.measures.upper(cell, form) | u64::from(number);
        match place {
            Place::Line(at) => form.push(self.line_mut(at), cell as u8, field),
            Place::Beside => {
                self.beside.entry(cell).or_default().push(number);
                self.beside_count += 1;
            }
        }
    }

    /// Puts an entry into the first line with room for it.
    #[inline(always)]
    fn put_first(&mut self, cell: u32, number: u32) {
        let (home, form) = (self.measures.home(cell), FORMS[self.form]);
        let place = (home..home + REACH).find(|&at| !form.is_full(self.line(at)));
        self.put_cell(place.map_or(Place::Beside, Place::Line), cell, number);
    }

    fn comfortable_with(homes: usize, form: Form) -> u64 {
        (homes * form.entries) as u64 * 57 / 64
    }

    /// With more entries than that it should grow.
    #[inline]
    pub fn comfortable(&self) -> u64 {
        Index::comfortable_with(self.measures.homes, FORMS[self.form])
    }

    /// Whether so many numbers, the next ones among them, have room in its entries.
    #[inline]
    pub fn has_numbers(&self, count: u64) -> bool {
        count <= self.numbers()
    }

    /// So many numbers have room in its entries.
    #[inline]
    pub fn numbers(&self) -> u64 {
        1 << self.measures.number_bits
    }

    /// What it is when it has grown by such a step, with numbers below a bound by then. `None` if it must be
    /// made anew.
    fn grown(&self, step: usize, numbers: u64) -> Option<Measures> {
        let (before, form) = (self.measures, FORMS[self.form]);
        let most =
            if before.cell_bits < u32::BITS { (1 << before.cell_bits) / FEWEST_CELLS } else { u64::MAX };
        let homes = next_homes(before.homes, step).min(most as usize);
        // As many numbers as states may come, until it grows again.
        let numbers = numbers + Index::comfortable_with(homes, form).saturating_sub(self.len);
        let needed = bits_of(numbers).min(form.most_number_bits);
        let measures = Measures { homes, number_bits: needed.max(before.number_bits), ..before };
        let is_worth_it = homes > before.homes + before.homes / SMALLEST_STEP;
        (is_worth_it && measures.can_be(form)).then_some(measures)
    }

    /// Makes the table longer, by one line for so many, unless it must be made anew. Numbers are below a
    /// bound. Whether it is longer.
    #[must_use]
    pub fn grow(&mut self, step: usize, numbers: u64) -> bool {
        let Some(measures) = self.grown(step, numbers) else { return false };
        match self.form {
            0 => self.spread::<0>(measures),
            1 => self.spread::<1>(measures),
            2 => self.spread::<2>(measures),
            3 => self.spread::<3>(measures),
            _ => self.spread::<4>(measures),
        }
        true
    }

    #[inline(never)]
    fn spread<const FORM: usize>(&mut self, after: Measures) {
        let before = self.measures;
        self.extend(after.homes);
        self.measures = after;
        let mut open = [OpenLine::EMPTY; OPEN_LINES];
        let mut left_over = Vec::new();
        // The last line that is open.
        let mut top = after.homes + REACH - 1;
        for at in (0..before.homes + REACH).rev() {
            let line = std::mem::replace(self.line_mut(at), PlainLine::EMPTY);
            let last = before.last_cell(at);
            let last_home = ((last * after.homes as u64) >> after.cell_bits) as usize;
            while top >= last_home + REACH {
                self.close::<FORM>(&mut open, top);
                top -= 1;
            }
            if before.number_bits == after.number_bits {
                reopen::<FORM, true>(&line, last, (&before, &after), &mut open, &mut left_over);
            } else {
                reopen::<FORM, false>(&line, last, (&before, &after), &mut open, &mut left_over);
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
        left_over.into_iter().for_each(|(cell, number)| self.put_first(cell, number));
    }

    /// Writes an open line where it belongs; the place is open for another one then.
    #[inline(always)]
    fn close<const FORM: usize>(&mut self, open: &mut [OpenLine; OPEN_LINES], at: usize) {
        let open = &mut open[at % OPEN_LINES];
        *self.line_mut(at) = open.packed(FORMS[FORM]);
        *open = OpenLine::EMPTY;
    }

    /// Gives all back, and is an empty table then with room for so many entries of numbers below a bound.
    pub fn anew(&mut self, entries: u64, numbers: u64) {
        *self = Index { segments: Vec::new(), beside: HashMap::new(), beside_count: 0, ..*self };
        *self = Index::with_room(entries, numbers);
    }

    /// Adds an entry of a state that is not there.
    #[inline]
    pub fn add(&mut self, hash: u32, number: u32) {
        self.put_first(self.measures.cell(hash), number);
        self.len += 1;
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    /// So many entries have a place in it.
    pub fn entries(&self) -> u64 {
        (self.measures.homes * FORMS[self.form].entries) as u64
    }

    pub fn bytes(&self) -> u64 {
        // A list has room for four at the least. (To go through all of them would take as long as there are
        // many, and this is asked for again and again.)
        let beside = self.beside.capacity() * (size_of::<(u32, Vec<u32>)>() + 1)
            + self.beside_count * 4 * size_of::<u32>();
        ((self.measures.homes + REACH) * size_of::<PlainLine>() + beside) as u64
    }

    /// What it takes more when it grows by such a step.
    pub fn growth_bytes(&self, step: usize) -> u64 {
        ((next_homes(self.measures.homes, step) - self.measures.homes) * size_of::<PlainLine>()) as u64
    }
}

/// Puts the entries of a line with this last cell into open lines. What finds no room is left over, by cell.
/// `IS_SAME` says whether fields stay what they are. (A call, so that it has the registers for itself.)
#[inline(never)]
fn reopen<const FORM: usize, const IS_SAME: bool>(
    line: &PlainLine,
    last: u64,
    (before, after): (&Measures, &Measures),
    open: &mut [OpenLine; OPEN_LINES],
    left_over: &mut Vec<(u32, u32)>,
) {
    let (before, after, form) = (*before, *after, FORMS[FORM]);
    let fields = form.fields(line);
    for (&tag, &field) in line.0.iter().zip(&fields).take(line.0[TAKEN] as usize) {
        let (number, cell) = before.entry(last, tag, field, form);
        let home = after.home(cell);
        let field = if IS_SAME { field } else { after.upper(cell, form) | u64::from(number) };
        if !open[home % OPEN_LINES].push(form, tag, field) {
            let mut next = (home + 1..home + REACH).map(|at| at % OPEN_LINES);
            if !next.any(|at| open[at].push(form, tag, field)) {
                left_over.push((cell, number));
            }
        }
    }
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
            let most = u64::MAX >> (64 - form.field_bits);
            let entries: Vec<(u8, u64)> = (0..form.entries)
                .map(|i| {
                    let any = u64::from(random(&mut seed)) << 32 | u64::from(random(&mut seed));
                    (random(&mut seed) as u8, [0, most, any & most][i % 3])
                })
                .collect();
            for (i, &(tag, field)) in entries.iter().enumerate() {
                assert!(!form.is_full(&line));
                form.push(&mut line, tag, field);
                assert_eq!(line.0[TAKEN] as usize, i + 1);
            }
            assert!(form.is_full(&line));
            // As far as it is filled, the same by way of an open line.
            for taken in 0..=form.entries {
                let (mut open, mut plain) = (OpenLine::EMPTY, PlainLine::EMPTY);
                for &(tag, field) in &entries[..taken] {
                    form.push(&mut plain, tag, field);
                    assert!(open.push(form, tag, field));
                }
                assert_eq!(open.packed(form).0, plain.0, "{form:?} {taken}");
                assert_eq!(open.push(form, 0, 0), taken < form.entries);
            }
            for (i, &(tag, field)) in entries.iter().enumerate() {
                assert_eq!(form.field(&line, i), field);
                assert_eq!(form.fields(&line)[i], field);
                assert_eq!(line.0[i], tag);
                assert!(bytes_with_tag(&line, tag) >> i & 1 == 1);
            }
        }
    }

    /// With numbers of all widths, and as many cells as there can be then.
    #[test]
    fn the_place_of_an_entry_tells_its_cell() {
        let mut seed = 7;
        for homes in [64usize, 65, 100, 511, 4096, 4778, 100_003, 1 << 22, (1 << 23) + 1, 1 << 25] {
            for form in FORMS {
                for number_bits in [form.most_number_bits, form.most_number_bits - 1, 10] {
                    let mut measures = Measures { homes, cell_bits: 32, number_bits };
                    while !measures.can_be(form) {
                        measures.cell_bits -= 1;
                    }
                    for i in 0..2000 {
                        let cell = match i % 4 {
                            0 => 0,
                            1 => u32::MAX,
                            _ => random(&mut seed),
                        };
                        let cell = measures.cell(cell);
                        let number = random(&mut seed) >> (u32::BITS - number_bits);
                        let upper = measures.upper(cell, form);
                        let field = upper | u64::from(number);
                        assert_eq!(field >> form.field_bits, 0);
                        assert_eq!(measures.number(field, upper), Some(number));
                        assert_eq!(measures.number(field, upper ^ 1 << number_bits), None);
                        for pushed in [0, 1, REACH - 1] {
                            let last = measures.last_cell(measures.home(cell) + pushed);
                            let entry = measures.entry(last, cell as u8, field, form);
                            assert_eq!(entry, (number, cell), "{measures:?} {pushed}");
                        }
                    }
                }
            }
        }
    }

    /// A table is not made anew as long as fields have room for numbers, however it grows.
    #[test]
    fn numbers_get_bits_as_they_need_them() {
        for (form, of) in FORMS.iter().enumerate().take(3) {
            for step in [SMALL_STEP, LARGE_STEP] {
                let first = if form == 0 { 0 } else { (1 << FORMS[form - 1].most_number_bits) + 1 };
                let mut index = Index::with_room(first + first / 6, first + first / 4);
                assert_eq!((index.form, index.measures.cell_bits), (form, of.cell_bits));
                // Without lines: only what it would be.
                index.segments.clear();
                while index.comfortable() < 1 << of.most_number_bits {
                    index.len = index.comfortable();
                    let grown = index.grown(step, index.len + 1);
                    index.measures = grown.unwrap_or_else(|| panic!("{:?}", index.measures));
                    let numbers = index.comfortable().min(1 << of.most_number_bits);
                    assert!(index.has_numbers(numbers), "{:?}", index.measures);
                    assert!(1 << of.cell_bits >> index.measures.homes.ilog2() >= 180);
                }
            }
        }
    }

    /// Against a list of hashes, with those that have the same home among them.
    fn fill(hash_of: impl Fn(u32) -> u32, count: u32) {
        let mut index = Index::new();
        for number in 0..count {
            let step = [SMALL_STEP, LARGE_STEP][number as usize / 7 % 2];
            let is_full = index.len() >= index.comfortable() || !index.has_numbers(u64::from(number) + 1);
            if is_full && !index.grow(step, u64::from(number) + 1) {
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
        let taken: usize = (0..index.measures.homes + REACH).map(|at| index.line(at).0[TAKEN] as usize).sum();
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
