//! Memory that several threads share: the one module of this crate with `unsafe` in it.
//!
//! Seven things need it. Tables of bits are mappings, seen as words ([`Words`]), and tables of one thread are
//! mappings seen as lines of bytes ([`PlainSegment`]). Fresh memory of the
//! operating system is seen as lines of atomic numbers ([`Segment`]), which is what the table is made of. The
//! bytes of states lie in memory that is written once, by the one thread that took the slot, while others
//! read other slots ([`Slots`]). The processor is told to fetch what will be read soon ([`prefetch`]). A line
//! of the table is looked at by instructions that not every processor has ([`scan`]). And what is known about
//! a few states lies on the stack, unwritten until it is known ([`Block`]). What the operating system is told
//! about pages is in [`huge_pages`]. Pages that are never touched cost address space, not memory.

mod block;
mod huge_pages;
mod scan;
mod slots;

pub(crate) use block::Block;
pub(crate) use scan::{bytes_with_tag, first_empty, looked_at, with_tag};
pub(crate) use slots::{ExclusiveSlots, Share, SharedSlots, SlotAccess, Slots, Strips, Taken};

use memmap2::{MmapMut, MmapRaw};
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU16, AtomicU32};

pub(crate) const HUGE_PAGE: usize = 2 << 20;

/// Entries of a [`Line`].
pub(crate) const LINE_ENTRIES: usize = 10;

/// What the processor fetches at once: room for ten entries (`table.rs`). All are 0 at first.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Line {
    pub tags: [AtomicU16; LINE_ENTRIES],
    /// Three bits for each entry.
    pub above_tags: AtomicU32,
    pub numbers: [AtomicU32; LINE_ENTRIES],
}

/// A line for the one thread that has it.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct ExclusiveLine {
    pub tags: [Cell<u16>; LINE_ENTRIES],
    pub above_tags: Cell<u32>,
    pub numbers: [Cell<u32>; LINE_ENTRIES],
}

impl ExclusiveLine {
    /// All that is there: the line is empty afterwards.
    #[inline]
    pub fn take(&self) -> ExclusiveLine {
        let line = std::ptr::from_ref(self).cast_mut();
        // SAFETY: every part of it is a cell, and nobody has borrowed what is in a cell.
        unsafe { line.replace(ExclusiveLine::default()) }
    }
}

/// `length` zero bytes at a page boundary. Panics with [`OutOfMemory`] if the operating system refuses.
fn map(length: usize) -> MmapRaw {
    let memory =
        MmapMut::map_anon(length).unwrap_or_else(|_| std::panic::panic_any(OutOfMemory { bytes: length }));
    MmapRaw::from(memory)
}

/// What a store panics with if the operating system gives no memory. A search that looks ahead does not come
/// so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// So many were asked for.
    pub bytes: usize,
}

/// Words of 64 bits, zero at first, in huge pages if there are some.
#[derive(Debug)]
pub(crate) struct Words {
    memory: MmapMut,
    count: usize,
}

impl Words {
    /// At least one. Panics with [`OutOfMemory`] if the operating system refuses.
    pub fn new(count: usize) -> Words {
        let count = count.max(1);
        let bytes = count.saturating_mul(8);
        let memory =
            MmapMut::map_anon(bytes).unwrap_or_else(|_| std::panic::panic_any(OutOfMemory { bytes }));
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        Words { memory, count }
    }

    #[inline]
    pub fn all(&self) -> &[u64] {
        // SAFETY: the mapping has so many words, starts at a page boundary, lives as long as `self`, and all
        // its bits are valid for numbers.
        unsafe { std::slice::from_raw_parts(self.memory.as_ptr().cast(), self.count) }
    }

    #[inline]
    pub fn all_mut(&mut self) -> &mut [u64] {
        // SAFETY: as above; and nobody else has it as long as it is borrowed.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_mut_ptr().cast(), self.count) }
    }
}

/// Lines of a [`Segment`]: a power of two, so that a place within one is a few bits of a place in the table,
/// and needs no check.
pub(crate) const SEGMENT_LINES: usize = 1 << 19;

/// Lines, zero at first: always as many.
#[derive(Debug)]
pub(crate) struct Segment {
    memory: MmapRaw,
}

impl Segment {
    pub fn new() -> Segment {
        Segment { memory: map(SEGMENT_LINES * size_of::<Line>()) }
    }

    /// So many lines are used from now on: there were fewer before.
    pub fn use_more(&self, before: usize, now: usize) {
        huge_pages::use_more(&self.memory, before * size_of::<Line>(), now * size_of::<Line>());
    }

    /// Where the lines begin.
    #[inline]
    fn lines(&self) -> *const Line {
        self.memory.as_mut_ptr().cast_const().cast()
    }

    #[inline]
    pub fn get(&self, at: usize) -> &Line {
        assert!(at < SEGMENT_LINES);
        // SAFETY: the mapping has so many lines, starts at a page boundary, lives as long as `self`, and is
        // seen only as lines. All its bits are valid for atomic numbers, which may be shared.
        unsafe { &*self.memory.as_mut_ptr().cast::<Line>().add(at) }
    }
}

/// Sixty-four bytes, as the processor fetches them.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct PlainLine(pub [u8; 64]);

impl PlainLine {
    pub const EMPTY: PlainLine = PlainLine([0; 64]);
}

/// Lines of a [`PlainSegment`], a power of two.
pub(crate) const PLAIN_SEGMENT_LINES: usize = 1 << 19;

/// Lines that are shared only for reading, zero at first: always as many.
#[derive(Debug)]
pub(crate) struct PlainSegment {
    memory: MmapRaw,
}

impl PlainSegment {
    pub fn new() -> PlainSegment {
        PlainSegment { memory: map(PLAIN_SEGMENT_LINES * size_of::<PlainLine>()) }
    }

    /// So many lines are used from now on: there were fewer before.
    pub fn use_more(&self, before: usize, now: usize) {
        huge_pages::use_more(&self.memory, before * size_of::<PlainLine>(), now * size_of::<PlainLine>());
    }

    #[inline]
    pub fn get(&self, at: usize) -> &PlainLine {
        assert!(at < PLAIN_SEGMENT_LINES);
        // SAFETY: the mapping has so many lines, starts at a page boundary, and lives as long as `self`. All
        // its bits are valid for bytes. Who writes has borrowed `self` exclusively.
        unsafe { &*self.memory.as_ptr().cast::<PlainLine>().add(at) }
    }

    #[inline]
    pub fn get_mut(&mut self, at: usize) -> &mut PlainLine {
        assert!(at < PLAIN_SEGMENT_LINES);
        // SAFETY: as above; and nobody else has any of the lines as long as `self` is borrowed.
        unsafe { &mut *self.memory.as_mut_ptr().cast::<PlainLine>().add(at) }
    }
}

/// Segments that nobody else has: made from an exclusive reference, and not to be given to another thread.
#[derive(Clone, Copy)]
pub(crate) struct ExclusiveSegments<'t> {
    segments: &'t [Segment],
    /// Where the first of them begins, if there are no others; null if there are.
    only: *const Line,
    not_send: PhantomData<*const ()>,
}

impl<'t> ExclusiveSegments<'t> {
    #[inline]
    pub fn new(segments: &'t mut [Segment]) -> ExclusiveSegments<'t> {
        let only = if let [only] = &*segments { only.lines() } else { std::ptr::null() };
        ExclusiveSegments { segments, only, not_send: PhantomData }
    }

    /// A line of all lines of all segments.
    #[inline]
    pub fn get(self, at: usize) -> &'t ExclusiveLine {
        let line: *const Line = if self.only.is_null() {
            self.segments[at / SEGMENT_LINES].get(at % SEGMENT_LINES)
        } else {
            self.only.wrapping_add(at % SEGMENT_LINES)
        };
        // SAFETY: it is a line of a segment. An `ExclusiveLine` has the form of a `Line`, which may be
        // written where it is shared. As long as `'t` lasts nobody has the segments but this thread, and
        // cells stay with their thread.
        unsafe { &*line.cast::<ExclusiveLine>() }
    }

    /// All lines of the segment in which a line lies, and which is the first of them.
    #[inline]
    pub fn segment(self, at: usize) -> (usize, &'t [ExclusiveLine]) {
        let lines = self.segments[at / SEGMENT_LINES].lines();
        // SAFETY: as above, and a segment has so many lines, one behind the other.
        let lines = unsafe { std::slice::from_raw_parts(lines.cast::<ExclusiveLine>(), SEGMENT_LINES) };
        (at / SEGMENT_LINES * SEGMENT_LINES, lines)
    }
}

/// Begins to load what lies at a place. Only a hint: any place will do, also one that is no memory.
#[inline]
pub(crate) fn prefetch<T>(place: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: prefetching never faults, and changes nothing that a program can see.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(place.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}
