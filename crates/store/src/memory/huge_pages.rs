//! Huge pages, for what is used as a whole.
//!
//! A lookup in a table of a gigabyte misses not only the caches but also the table of pages that the
//! processor keeps; with pages of 2 MiB instead of 4 KiB the second miss, which costs as much as the first,
//! goes away. But a huge page is memory from the first byte that is touched. So where a part of one is all
//! that is used yet, it is left to small pages. When the rest is used too, they are put together.
//!
//! These are hints: without huge pages everything works, only slower.

use super::HUGE_PAGE;
use memmap2::MmapRaw;
use std::ops::Range;

/// The huge pages that lie wholly within some bytes of a mapping.
fn whole_pages(memory: &MmapRaw, range: Range<usize>) -> Range<usize> {
    let base = memory.as_ptr() as usize;
    let start = (base + range.start).next_multiple_of(HUGE_PAGE);
    let end = (base + range.end) / HUGE_PAGE * HUGE_PAGE;
    start - base..end.max(start) - base
}

/// Pages that lie in these bytes and are touched from now on may be huge.
pub fn ask_for_huge_pages(memory: &MmapRaw, range: Range<usize>) {
    let pages = whole_pages(memory, range);
    #[cfg(target_os = "linux")]
    if !pages.is_empty() {
        let _ = memory.advise_range(memmap2::Advice::HugePage, pages.start, pages.len());
    }
    #[cfg(not(target_os = "linux"))]
    let _ = pages;
}

/// From now on all bytes up to `now` are used, and will be touched soon: up to `before` they were already.
pub fn use_more(memory: &MmapRaw, before: usize, now: usize) {
    let whole_before = whole_pages(memory, 0..before).end;
    if whole_before < before {
        // A huge page of which a part was used.
        put_together(memory, whole_before..now.min(whole_before + HUGE_PAGE));
    }
    ask_for_huge_pages(memory, whole_before.min(now)..now);
}

/// Makes huge pages of the small ones that were touched in these bytes. Up to where that goes.
pub fn put_together(memory: &MmapRaw, range: Range<usize>) -> usize {
    let pages = whole_pages(memory, range.clone());
    if pages.is_empty() {
        return range.start;
    }
    #[cfg(target_os = "linux")]
    {
        let start = memory.as_mut_ptr().wrapping_add(pages.start);
        // SAFETY: the pages lie within the mapping, and what is in them stays. (A system that does not know
        // the word says so.)
        let _ = unsafe { libc::madvise(start.cast(), pages.len(), libc::MADV_COLLAPSE) };
    }
    pages.end
}

#[cfg(test)]
mod tests {
    use super::super::map;
    use super::*;

    #[test]
    fn only_whole_pages() {
        let memory = map(5 * HUGE_PAGE);
        let base = memory.as_ptr() as usize;
        for (start, end) in
            [(0, 0), (0, 1), (1, 5 * HUGE_PAGE), (HUGE_PAGE, HUGE_PAGE), (3 << 20, 5 << 20), (5, 7)]
        {
            let pages = whole_pages(&memory, start..end);
            assert!(pages.start >= start && pages.end <= end.max(pages.start), "{start}..{end}: {pages:?}");
            assert!((base + pages.start).is_multiple_of(HUGE_PAGE) && pages.len().is_multiple_of(HUGE_PAGE));
            // No more fit in.
            assert!(pages.is_empty() || end - start < pages.len() + 2 * HUGE_PAGE);
        }
    }

    #[test]
    fn what_is_there_stays() {
        let memory = map(8 * HUGE_PAGE);
        let write = |at: usize| {
            // SAFETY: within the mapping, which is this thread's.
            unsafe { memory.as_mut_ptr().add(at).write(at as u8 | 1) }
        };
        let mut used = 0;
        for now in [100, HUGE_PAGE / 2, 2 * HUGE_PAGE + 5, 2 * HUGE_PAGE + 6, 5 * HUGE_PAGE, 8 * HUGE_PAGE] {
            use_more(&memory, used, now);
            (used..now).step_by(97).for_each(write);
            used = now;
        }
        put_together(&memory, 0..8 * HUGE_PAGE);
        // SAFETY: the mapping is as long, and nobody writes any more.
        let bytes = unsafe { std::slice::from_raw_parts(memory.as_ptr(), 8 * HUGE_PAGE) };
        assert!(bytes.iter().filter(|byte| **byte != 0).count() >= 8 * HUGE_PAGE / 98);
    }
}
