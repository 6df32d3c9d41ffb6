//! Comparing and copying the bytes of states.
//!
//! States are short, and compared ones are mostly the same: a call of the library's function takes longer
//! than its work. What has between 8 and 16 bytes is its first 8 and its last 8, which overlap; and so on
//! with other powers of two.

/// Whether two states are the same.
#[inline(always)]
pub(crate) fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    match one.len() {
        ..=16 => match one.len() {
            8.. => have_same_ends::<8>(one, other),
            4.. => have_same_ends::<4>(one, other),
            _ => one == other,
        },
        17..=32 => have_same_ends::<16>(one, other),
        33..=64 => have_same_ends::<32>(one, other),
        _ => one == other,
    }
}

#[inline(always)]
fn have_same_ends<const N: usize>(one: &[u8], other: &[u8]) -> bool {
    (one.first_chunk::<N>() == other.first_chunk()) & (one.last_chunk::<N>() == other.last_chunk())
}

/// Copies a state to where there is room for just that.
#[inline(always)]
pub(crate) fn copy(from: &[u8], to: &mut [u8]) {
    assert!(from.len() == to.len(), "a place of another length");
    match from.len() {
        ..=16 => match from.len() {
            8.. => copy_ends::<8>(from, to),
            4.. => copy_ends::<4>(from, to),
            _ => to.copy_from_slice(from),
        },
        17..=32 => copy_ends::<16>(from, to),
        33..=64 => copy_ends::<32>(from, to),
        _ => to.copy_from_slice(from),
    }
}

#[inline(always)]
fn copy_ends<const N: usize>(from: &[u8], to: &mut [u8]) {
    if let (Some(from), Some(to)) = (from.first_chunk::<N>(), to.first_chunk_mut()) {
        *to = *from;
    }
    if let (Some(from), Some(to)) = (from.last_chunk::<N>(), to.last_chunk_mut()) {
        *to = *from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_counts() {
        for length in 0..200 {
            let state: Vec<u8> = (1..=length).collect();
            let mut copied = vec![0; state.len()];
            copy(&state, &mut copied);
            assert_eq!(copied, state);
            assert!(is_same(&copied, &state) && !is_same(&copied, &[&state[..], &[0]].concat()));
            for at in 0..copied.len() {
                copied[at] ^= 0x80;
                assert!(!is_same(&copied, &state) && !is_same(&state, &copied), "byte {at} of {length}");
                copied[at] ^= 0x80;
            }
        }
    }
}
