//! A list of a few things that lies on the stack: room for all of them, of which only those that were pushed are ever written.

use std::mem::MaybeUninit;

/// Up to `N` things.
pub(crate) struct Block<T, const N: usize> {
    things: [MaybeUninit<T>; N],
    /// So many of them, from the first on, are there.
    len: usize,
}

impl<T: Copy, const N: usize> Block<T, N> {
    #[inline]
    pub fn new() -> Block<T, N> {
        Block { things: [const { MaybeUninit::uninit() }; N], len: 0 }
    }

    /// Replaces the contents by so many things; `N` of them if there are more.
    #[inline(always)]
    pub fn fill(&mut self, things: impl Iterator<Item = T>) {
        self.len = 0;
        let mut len = 0;
        for (place, thing) in self.things.iter_mut().zip(things) {
            place.write(thing);
            len += 1;
        }
        self.len = len;
    }

    #[inline]
    pub fn as_slice(&self) -> &[T] {
        // Safe: `fill` has written so many. (They are `Copy`, so that none of them need be dropped.)
        unsafe { std::slice::from_raw_parts(self.things.as_ptr().cast(), self.len) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_filled_in_is_there() {
        let mut block: Block<u64, 4> = Block::new();
        assert!(block.as_slice().is_empty());
        for (given, kept) in [(3, 3), (0, 0), (9, 4), (4, 4), (1, 1)] {
            block.fill(0..given);
            assert!(block.as_slice().iter().copied().eq(0..kept));
        }
    }
}
