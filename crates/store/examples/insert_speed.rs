//! How long one insertion takes: keys of 24 bytes, each inserted once, then looked up in another order.

use lariat_store::{ExactStore, StateStore};
use std::time::Instant;

fn main() {
    let count: u64 = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(10_000_000);
    let mut key = [0u8; 24];
    let mut fill = |i: u64| {
        key[3..11].copy_from_slice(&i.to_le_bytes());
        key
    };
    let mut store = ExactStore::new();
    let start = Instant::now();
    for i in 0..count {
        store.insert(&fill(i));
    }
    let inserted = start.elapsed();
    let start = Instant::now();
    for i in 0..count {
        store.insert(&fill(i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % count));
    }
    let found = start.elapsed();
    println!(
        "{count} keys: {:.1} ns an insertion, {:.1} ns a lookup, {:.1} bytes a state beside its own",
        inserted.as_nanos() as f64 / count as f64,
        found.as_nanos() as f64 / count as f64,
        store.auxiliary_bytes() as f64 / store.len() as f64
    );
}
