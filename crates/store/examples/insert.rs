//! How long an insertion takes, and what a state costs:
//! `insert [millions of states] [bytes of a state] [rounds]`.
//!
//! The load is that of a search: batches of four, of which seven in ten are known, and were first seen at any
//! time before. The time that it takes to make the keys is measured first, and taken off. Of several rounds
//! the best counts, as other programs only ever make it slower; where the system tells how long the processor
//! has worked for us, that is what is measured.

use lariat_store::{ExactStore, StateHash, StateStore, VisitedSet, WeightedSums};
use std::time::Instant;

const BATCH: usize = 4;

/// A stream of keys: numbers below `count`, new ones in order, known ones at random.
struct Keys {
    random: u64,
    next: u64,
}

impl Keys {
    fn new() -> Keys {
        Keys { random: 0x2545_f491_4f6c_dd1d, next: 0 }
    }

    /// Writes the next key over the last eight bytes of `key`, and over the first eight.
    #[inline]
    fn write_next(&mut self, key: &mut [u8]) {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let number = if self.next == 0 || self.random % 10 < 3 {
            self.next += 1;
            self.next - 1
        } else {
            ((self.random >> 32) * self.next) >> 32
        };
        let last = key.len() - 8;
        key[..8].copy_from_slice(&(number & 0x0f0f).to_le_bytes());
        key[last..].copy_from_slice(&number.to_le_bytes());
    }
}

/// Nanoseconds of work so far.
fn clock(start: Instant) -> u64 {
    let work = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let work = work.and_then(|text| text.split(' ').next()?.parse().ok());
    work.unwrap_or(start.elapsed().as_nanos() as u64)
}

/// Nanoseconds per key for `count` new ones, and the store if there is one.
fn run(count: u64, length: usize, mut store: Option<&mut ExactStore>) -> f64 {
    let mut keys = Keys::new();
    let mut batch = vec![0u8; length * BATCH];
    let mut found = Vec::with_capacity(BATCH);
    let mut inserted = 0u64;
    let start = Instant::now();
    let before = clock(start);
    while keys.next < count {
        batch.chunks_exact_mut(length).for_each(|key| keys.write_next(key));
        std::hint::black_box(&batch);
        if let Some(store) = &mut store {
            let key = |i: usize| &batch[i * length..(i + 1) * length];
            let keys: [_; BATCH] = std::array::from_fn(|i| (key(i), WeightedSums.sum(key(i))));
            store.insert_all(&keys[..], &mut found);
        }
        inserted += BATCH as u64;
    }
    (clock(start) - before) as f64 / inserted as f64
}

fn main() {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|argument| argument.parse().ok()).collect();
    let counts = numbers.first().map_or(vec![1, 10, 50], |count| vec![*count]);
    let lengths = numbers.get(1).map_or(vec![8, 24, 64, 128], |length| vec![*length as usize]);
    let rounds = numbers.get(2).copied().unwrap_or(3);
    for million in counts {
        for &length in &lengths {
            let count = million * 1_000_000;
            let mut best = f64::INFINITY;
            let mut bytes = 0.0;
            for _ in 0..rounds {
                let keys_alone = run(count.min(1_000_000), length.max(8), None);
                let mut store = ExactStore::new();
                best = best.min(run(count, length.max(8), Some(&mut store)) - keys_alone);
                bytes = store.auxiliary_bytes() as f64 / store.len() as f64;
            }
            println!(
                "{million:4} million states of {length:4} bytes: {best:6.1} ns, {bytes:5.2} bytes beside its own"
            );
        }
    }
}
