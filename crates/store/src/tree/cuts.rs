//! Where states are cut into columns: so that roots and columns together take few bytes.
//!
//! Few long columns have short roots, as neighbouring bytes depend on each other; but a column that has
//! nearly as many values as there are states saves nothing. What is best can be found out only from states.
//! So a sample of them is looked at: for every place and every length that a column can have, how many
//! different values are there, and how many are there presumably among all states (the estimate of Chao 1984:
//! values that occur once in the sample, squared, over twice those that occur twice, are still unseen). A
//! column costs the bits of its numbers in every root, and a table of its values. The cheapest way to cut is
//! the shortest path from the first byte to the last.

use super::columns::{MOST_BYTES, mixed, value_at, width_of};

/// A value takes so many bits in its column.
const VALUE_BITS: f64 = 8.0 * 15.0;
/// Every column costs time.
const COLUMN_BITS: f64 = 0.5;
/// A column whose table costs more than that in each state is not made longer.
const MOST_TABLE_BITS: f64 = 64.0;
const MOST_SAMPLES: usize = 4096;

/// So many states are looked at, if states are so long: long ones have many places to cut.
pub(super) fn samples(longest: usize) -> usize {
    (MOST_SAMPLES * 48 / longest.max(1)).clamp(128, MOST_SAMPLES)
}

/// A way to cut is worth the work if it takes less than this part of what another one takes.
const WORTH_IT: f64 = 0.92;

/// Where columns had best begin, and where the last one ends, if that is better by far than these places.
pub(super) fn better(places: &[usize], samples: &[Vec<u8>], all: u64) -> Option<Vec<usize>> {
    let longest = samples.iter().map(Vec::len).max().unwrap_or(0);
    let mut census = Census::new(samples.len());
    // Of a column: what its numbers take in a root, and its table for each of the states.
    let mut cost = |start, end| {
        let values = census.of(samples.iter().map(|state| value_at(state, start, end)), all);
        let table = VALUE_BITS * values / all.max(1) as f64;
        (f64::from(width_of(values as usize)) + table + COLUMN_BITS, table > MOST_TABLE_BITS)
    };
    let now: f64 = places.windows(2).map(|place| cost(place[0], place[1]).0).sum();
    // For every place, the cost of all that lies before, and where the last column before begins.
    let mut best = vec![(f64::INFINITY, 0); longest + 1];
    best[0].0 = 0.0;
    for start in 0..longest {
        for end in start + 1..=(start + MOST_BYTES).min(longest) {
            let (column, is_too_long) = cost(start, end);
            if best[start].0 + column < best[end].0 {
                best[end] = (best[start].0 + column, start);
            }
            if is_too_long {
                break;
            }
        }
    }
    let is_covered = places.last().is_some_and(|&end| end >= longest);
    if is_covered && best[longest].0 >= now * WORTH_IT {
        return None;
    }
    let mut cut = vec![longest];
    while let Some(&place) = cut.last()
        && place > 0
    {
        cut.push(best[place].1);
    }
    cut.reverse();
    Some(cut)
}

/// Counts different values.
struct Census {
    /// Values, and how often each was there; 0 where there is none.
    table: Vec<(u64, u32)>,
}

impl Census {
    fn new(samples: usize) -> Census {
        Census { table: vec![(0, 0); (samples * 2).next_power_of_two().max(2)] }
    }

    /// How many different values there are presumably among all states, if these are those of some.
    fn of(&mut self, values: impl Iterator<Item = u64>, all: u64) -> f64 {
        self.table.fill((0, 0));
        let last = self.table.len() - 1;
        let (mut different, mut once, mut twice, mut count) = (0u64, 0u64, 0u64, 0u64);
        for value in values {
            count += 1;
            let mut place = (mixed(value) >> 32) as usize & last;
            while self.table[place].1 != 0 && self.table[place].0 != value {
                place = (place + 1) & last;
            }
            let entry = &mut self.table[place];
            *entry = (value, entry.1 + 1);
            match entry.1 {
                1 => (different, once) = (different + 1, once + 1),
                2 => (once, twice) = (once - 1, twice + 1),
                3 => twice -= 1,
                _ => {}
            }
        }
        let unseen =
            if count < all { (once * once.saturating_sub(1)) as f64 / (2 * (twice + 1)) as f64 } else { 0.0 };
        (different as f64 + unseen).min(all as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *seed >> 33
    }

    #[test]
    fn what_depends_on_each_other_stays_together() {
        let mut seed = 1;
        // Two groups of three bytes, each with a hundred values.
        let groups: Vec<[u8; 3]> = (0..200).map(|_| [0; 3].map(|_| random(&mut seed) as u8)).collect();
        let state = |seed: &mut u64| {
            let pick = |seed: &mut u64, from: usize| groups[from + random(seed) as usize % 100];
            [&pick(seed, 0)[..], &pick(seed, 100)].concat()
        };
        let states: Vec<Vec<u8>> = (0..4096).map(|_| state(&mut seed)).collect();
        assert_eq!(better(&[], &states, 1 << 20), Some(vec![0, 3, 6]));
    }

    #[test]
    fn estimates() {
        let (mut seed, mut census) = (3, Census::new(4096));
        for values in [10u64, 1000, 50_000] {
            let some: Vec<u64> = (0..4096).map(|_| random(&mut seed) % values).collect();
            let estimate = census.of(some.into_iter(), 1 << 20);
            assert!(estimate > values as f64 * 0.7 && estimate < values as f64 * 1.4, "{values}: {estimate}");
        }
    }

    #[test]
    fn places_cover_everything() {
        let mut seed = 5;
        for longest in [0usize, 1, 6, 7, 8, 15, 100, 1000] {
            let states: Vec<Vec<u8>> = (0..samples(longest))
                .map(|i| (0..longest - i % (longest / 2 + 1)).map(|_| random(&mut seed) as u8).collect())
                .collect();
            let places = better(&[], &states, 1 << 20).unwrap();
            assert_eq!(better(&places, &states, 1 << 20), None);
            assert_eq!((places[0], places[places.len() - 1]), (0, longest));
            assert!(places.windows(2).all(|two| two[0] < two[1] && two[1] - two[0] <= MOST_BYTES));
        }
    }
}
