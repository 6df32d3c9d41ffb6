//! What a search costs in each store: `search [processes] [store] [rounds]`.
//!
//! The model is Lamport's fast mutual exclusion (1987) for a few processes, written by hand, so that there is
//! hardly anything but the store to wait for. The search is that of `lariat explore`: depth first, three
//! states in flight, whose successors the store is told of in advance. States are as an engine packs them: a
//! byte for what a process has, two for what all share.

use lariat_store::{AutoStore, BitstateStore, CompactStore, StateHash, StateStore, VisitedSet, WeightedSums};
use std::time::Instant;

const LANES: usize = 3;

struct Lamport {
    processes: usize,
}

/// What a process has: where it is, and how far it has looked at the others.
const STEPS: u8 = 13;

impl Lamport {
    fn length(&self) -> usize {
        self.processes + 2
    }

    fn initial(&self) -> Vec<u8> {
        vec![0; self.length()]
    }

    fn successors(&self, state: &[u8], out: &mut Vec<(Vec<u8>, u64)>, spare: &mut Vec<Vec<u8>>) {
        let n = self.processes;
        let (x, y) = (state[n] % 16, state[n] / 16);
        let wants = state[n + 1];
        for i in 0..n {
            let me = i as u8 + 1;
            let (at, j) = (state[i] % STEPS, state[i] / STEPS);
            let (mut next, mut k, mut new_x, mut new_y, mut new_wants) = (at + 1, j, x, y, wants);
            match at {
                0 => new_wants |= 1 << i,
                1 => new_x = me,
                2 if y != 0 => next = 3,
                2 => next = 5,
                3 => (next, new_wants) = (4, wants & !(1 << i)),
                4 if y != 0 => continue,
                4 => next = 0,
                5 => new_y = me,
                6 if x != me => next = 7,
                6 => next = 10,
                7 => (new_wants, k) = (wants & !(1 << i), 0),
                8 if (j as usize) < n => {
                    if wants & 1 << j != 0 {
                        continue;
                    }
                    (next, k) = (8, j + 1);
                }
                8 => (next, k) = (9, 0),
                9 if y != me => next = 4,
                9 => next = 10,
                10 => {}
                11 => new_y = 0,
                _ => (next, new_wants) = (0, wants & !(1 << i)),
            }
            let mut to = spare.pop().unwrap_or_default();
            to.clear();
            to.extend_from_slice(state);
            to[i] = next + STEPS * k;
            to[n] = new_x + 16 * new_y;
            to[n + 1] = new_wants;
            let sum = WeightedSums.sum(&to);
            out.push((to, sum));
        }
    }
}

/// Nanoseconds of work so far.
fn clock(start: Instant) -> u64 {
    let work = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let work = work.and_then(|text| text.split(' ').next()?.parse().ok());
    work.unwrap_or(start.elapsed().as_nanos() as u64)
}

/// States that were inserted, among them new ones.
fn search_numbered(model: &Lamport, store: &mut impl StateStore) -> u64 {
    let mut waiting = vec![store.insert(&model.initial()).id()];
    let mut lanes: [Vec<(Vec<u8>, u64)>; LANES] = Default::default();
    let (mut spare, mut room, mut buffer) = (Vec::new(), Vec::new(), Vec::new());
    let (mut turn, mut transitions, mut idle) = (0, 0, 0);
    while idle < LANES {
        let lane = &mut lanes[turn];
        turn = (turn + 1) % LANES;
        for found in store.insert_all(&lane[..], &mut room) {
            if let lariat_store::Inserted::New(id) = found {
                waiting.push(*id);
            }
        }
        transitions += lane.len() as u64;
        spare.extend(lane.drain(..).map(|(state, _)| state));
        let Some(id) = waiting.pop() else {
            idle += 1;
            continue;
        };
        idle = 0;
        if let Some(next) = waiting.last() {
            store.prefetch(*next);
        }
        model.successors(store.bytes_of(id, &mut buffer), lane, &mut spare);
        store.prefetch_all(&lane[..]);
    }
    transitions
}

fn search_visited(model: &Lamport, visited: &mut impl VisitedSet) -> u64 {
    visited.visit(&model.initial());
    let mut waiting = model.initial();
    let length = model.length();
    let mut lanes: [Vec<(Vec<u8>, u64)>; LANES] = Default::default();
    let (mut spare, mut room, mut state) = (Vec::new(), Vec::new(), Vec::new());
    let (mut turn, mut transitions, mut idle) = (0, 0, 0);
    while idle < LANES {
        let lane = &mut lanes[turn];
        turn = (turn + 1) % LANES;
        for (is_new, (to, _)) in visited.visit_all(&lane[..], &mut room).iter().zip(&lane[..]) {
            if *is_new {
                waiting.extend_from_slice(to);
            }
        }
        transitions += lane.len() as u64;
        spare.extend(lane.drain(..).map(|(state, _)| state));
        let Some(start) = waiting.len().checked_sub(length) else {
            idle += 1;
            continue;
        };
        idle = 0;
        state.clear();
        state.extend(waiting.drain(start..));
        model.successors(&state, lane, &mut spare);
        visited.prefetch_all(&lane[..]);
    }
    transitions
}

fn report(name: &str, states: u64, transitions: u64, nanoseconds: u64, bytes: u64) {
    println!(
        "{name:10} {states} states, {transitions} transitions, {:.3} s, {:.1} ns a transition, {:.2} bytes a state",
        nanoseconds as f64 / 1e9,
        nanoseconds as f64 / transitions as f64,
        bytes as f64 / states as f64
    );
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let processes = arguments.first().and_then(|count| count.parse().ok()).unwrap_or(5);
    let only = arguments.get(1).filter(|name| *name != "all");
    let rounds = arguments.get(2).and_then(|count| count.parse().ok()).unwrap_or(3);
    let model = Lamport { processes };
    let names = ["exact", "tree", "compact", "bitstate"];
    for name in names.into_iter().filter(|name| only.is_none_or(|only| only == name)) {
        let mut best = u64::MAX;
        let mut found = (0, 0, 0);
        for _ in 0..rounds {
            let start = Instant::now();
            let before = clock(start);
            macro_rules! measure {
                ($search:ident, $store:expr) => {{
                    let mut store = $store;
                    let transitions = $search(&model, &mut store);
                    best = best.min(clock(start) - before);
                    (store.len(), transitions, store.states_bytes() + store.auxiliary_bytes())
                }};
            }
            found = match name {
                "exact" => measure!(search_numbered, AutoStore::exact()),
                "tree" => measure!(search_numbered, AutoStore::tree()),
                "compact" => measure!(search_visited, CompactStore::new(0)),
                _ => measure!(search_visited, BitstateStore::new(0, 256 << 20, 3)),
            };
        }
        report(name, found.0, found.1, best, found.2);
    }
}
