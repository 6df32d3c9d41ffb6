//! Zeroed memory straight from the operating system, on huge pages where there are any.
//!
//! A lookup in a table of a gigabyte misses not only the caches but also the table of pages that the processor keeps; with
//! pages of 2 MiB instead of 4 KiB the second miss, which costs as much as the first, goes away. Pages that are
//! never written cost nothing.

use memmap2::MmapMut;

/// Below this, pages are not worth a word to the operating system.
const HUGE_PAGE: usize = 2 << 20;

#[derive(Debug)]
pub struct Region {
    memory: MmapMut,
}

impl Region {
    /// `length` zero bytes. Ends the program's thread with a message if the operating system refuses, as a `Vec` would.
    pub fn new(length: usize) -> Region {
        let memory = MmapMut::map_anon(length)
            .unwrap_or_else(|error| panic!("the operating system gives no further {length} bytes: {error}"));
        #[cfg(target_os = "linux")]
        if length >= HUGE_PAGE {
            // Without huge pages everything works, only slower.
            let _ = memory.advise(memmap2::Advice::HugePage);
        }
        Region { memory }
    }

    pub fn len(&self) -> usize {
        self.memory.len()
    }

    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.memory
    }

    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory
    }

    #[inline]
    pub fn word(&self, index: usize) -> u64 {
        let bytes = &self.memory[index * 8..index * 8 + 8];
        u64::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]])
    }

    #[inline]
    pub fn set_word(&mut self, index: usize, word: u64) {
        self.memory[index * 8..index * 8 + 8].copy_from_slice(&word.to_ne_bytes());
    }
}
