//! A list of a few things that lies on the stack: room for all of them, of which only those that were pushed
//! are ever written.

use std::mem::MaybeUninit;

/// Room for `N` things.
pub(crate) struct Block<T, const N: usize>([MaybeUninit<T>; N]);

impl<T: Copy, const N: usize> Block<T, N> {
    #[inline]
    pub fn new() -> Block<T, N> {
        Block([const { MaybeUninit::uninit() }; N])
    }

    /// One thing for each of a list. There must be room for them.
    #[inline(always)]
    pub fn map<S>(&mut self, list: &[S], mut make: impl FnMut(&S) -> T) -> &[T] {
        let things = &mut self.0[..list.len()];
        for (thing, from) in things.iter_mut().zip(list) {
            thing.write(make(from));
        }
        // SAFETY: all of them have just been written. (They are `Copy`, so that none of them need be
        // dropped.)
        unsafe { std::slice::from_raw_parts(things.as_ptr().cast(), list.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_filled_in_is_there() {
        let mut block: Block<u32, 4> = Block::new();
        for list in [&[1, 2, 3][..], &[], &[4, 5, 6, 7], &[8]] {
            assert!(block.map(list, |from| from * 10).iter().copied().eq(list.iter().map(|from| from * 10)));
        }
    }
}
