//! Deep graphs, and limits: no check runs out of stack, and none answers after it was stopped.

mod emptiness_support;

use emptiness_support::{Graph, applicable};
use lariat_ltl::Marks;
use lariat_search::emptiness::{Arc, Check, Needs, Product, Search, Stopped, is_accepting_lasso};
use lariat_search::{Limits, StopReason};
use lariat_store::StateId;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// A chain of states, the last of which leads back to the one `back` before it (nowhere, if 0). One set on
/// states: the last state and those on the cycle accept.
struct Chain {
    states: u32,
    back: u32,
    posts: u64,
    full_after: u64,
}

impl Chain {
    fn new(states: u32, back: u32) -> Chain {
        Chain { states, back, posts: 0, full_after: u64::MAX }
    }
}

impl Product for Chain {
    type Marks = Marks;

    fn sets(&self) -> u32 {
        1
    }

    fn initial_states(&mut self, out: &mut Vec<StateId>) {
        out.push(StateId(0));
    }

    fn post(&mut self, state: StateId, out: &mut Vec<Arc>) {
        self.posts += 1;
        let marks = if self.is_accepting(state) { Marks::one(0) } else { Marks::NONE };
        if state.0 + 1 < self.states {
            out.push(Arc { to: StateId(state.0 + 1), marks });
        } else if self.back > 0 {
            out.push(Arc { to: StateId(self.states - self.back), marks });
        }
    }

    fn is_accepting(&self, state: StateId) -> bool {
        state.0 + self.back.max(1) >= self.states
    }

    fn stored(&self) -> u64 {
        self.posts
    }

    fn is_full(&self) -> bool {
        self.posts >= self.full_after
    }
}

fn checks() -> impl Iterator<Item = Check> {
    applicable(Needs::Terminal)
}

#[test]
fn a_chain_of_two_million_states_with_a_cycle_at_its_end() {
    let states = 2_000_000;
    for back in [0, 1, 2, 50] {
        for check in checks() {
            let name = check.description().name;
            let mut chain = Chain::new(states, back);
            let start = Instant::now();
            let mut search = Search::new(&mut chain, Limits::default(), None);
            let lasso = check.run(&mut search).unwrap();
            let counts = search.counts();
            println!("{name} {back} {:?} {counts:?}", start.elapsed());
            assert_eq!(lasso.is_some(), back > 0, "{name}");
            assert!(counts.visited >= u64::from(states - back), "{name} {counts:?}");
            assert!(counts.depth >= u64::from(states - back) - 1, "{name} {counts:?}");
            assert!(
                counts.stacks.bytes > 8 * u64::from(states) && counts.stacks.bytes < 200 * u64::from(states),
                "{counts:?}"
            );
            if let Some(lasso) = lasso {
                assert_eq!(is_accepting_lasso(&mut chain, &lasso), Ok(()), "{name}");
                assert!(lasso.prefix.len() + lasso.cycle.len() >= states as usize, "{name}");
                assert_eq!(lasso.cycle.len() % back as usize, 0, "{name}");
            }
        }
    }
}

/// The nested search is as deep as the outer one: only the first state accepts, and the last leads back to
/// it.
#[test]
fn a_cycle_of_many_states() {
    let n = 300_000;
    let targets = (0..n).map(|s| vec![(s + 1) % n]).collect();
    let graph = Graph::with_marked_states(1, vec![0], targets, (0..n).map(|s| u64::from(s == 1)).collect());
    let mut product = graph.product();
    for check in applicable(Needs::OneSet) {
        let mut search = Search::new(&mut product, Limits::default(), None);
        let lasso = check.run(&mut search).unwrap().unwrap();
        assert_eq!(lasso.cycle.len(), n, "{check:?}");
        assert_eq!(is_accepting_lasso(&mut product, &lasso), Ok(()), "{check:?}");
    }
}

fn stopped(check: Check, chain: &mut Chain, limits: Limits) -> Option<StopReason> {
    match check.run(&mut Search::new(chain, limits, None)) {
        Err(Stopped(reason)) => Some(reason),
        Ok(_) => None,
    }
}

#[test]
fn a_limit_is_no_verdict() {
    for back in [0, 3] {
        for check in checks() {
            let name = check.description().name;
            let new = || Chain::new(100_000, back);
            let limits = Limits { max_states: Some(50_000), ..Limits::default() };
            assert_eq!(stopped(check, &mut new(), limits), Some(StopReason::States(50_000)), "{name}");
            let limits = Limits { max_depth: Some(99_900), ..Limits::default() };
            assert_eq!(stopped(check, &mut new(), limits), Some(StopReason::Depth(99_900)), "{name}");
            let limits = Limits { max_memory: Some(100_000), ..Limits::default() };
            assert_eq!(stopped(check, &mut new(), limits), Some(StopReason::Memory(100_000)), "{name}");
            let limits = Limits { deadline: Some(Instant::now()), ..Limits::default() };
            assert_eq!(stopped(check, &mut new(), limits), Some(StopReason::Timeout), "{name}");
            let interrupt = AtomicBool::new(true);
            let limits = Limits { interrupt: Some(&interrupt), ..Limits::default() };
            assert_eq!(stopped(check, &mut new(), limits), Some(StopReason::Interrupted), "{name}");
        }
    }
}

#[test]
fn a_product_that_is_full_is_not_empty() {
    for check in checks() {
        // So small that nobody looks at the clock in between.
        let mut chain = Chain { full_after: 50, ..Chain::new(100, 0) };
        assert_eq!(stopped(check, &mut chain, Limits::default()), Some(StopReason::StoreFull), "{check:?}");
    }
}

#[test]
fn the_limit_of_the_depth_counts_transitions() {
    // The search of `sd` stands on ten states, nine transitions apart.
    let run = |max_depth| {
        stopped(
            Check::SimpleDfs,
            &mut Chain::new(10, 0),
            Limits { max_depth: Some(max_depth), ..Limits::default() },
        )
    };
    assert_eq!((run(9), run(8)), (None, Some(StopReason::Depth(8))));
}

/// The bits that the table promises are the bits that are there.
#[test]
fn side_tables_are_as_small_as_the_table_says() {
    // A star: the path is short, so what is left is per state.
    struct Star(u32);
    impl Product for Star {
        type Marks = Marks;

        fn sets(&self) -> u32 {
            1
        }
        fn initial_states(&mut self, out: &mut Vec<StateId>) {
            // One after the other: no arcs wait on the stack.
            out.extend((0..self.0).map(StateId));
        }
        fn post(&mut self, _: StateId, _: &mut Vec<Arc>) {}
        fn is_accepting(&self, _: StateId) -> bool {
            true
        }
        fn stored(&self) -> u64 {
            u64::from(self.0)
        }
    }
    let states = 1 << 20;
    for check in checks() {
        let description = check.description();
        let mut star = Star(states);
        let mut search = Search::new(&mut star, Limits::default(), None);
        assert_eq!(check.run(&mut search), Ok(None));
        let promised = u64::from(description.bits.at(1) + 32 * description.numbers) * u64::from(states) / 8;
        // A table that grows by doubling may be twice as large as it is full. `reach` has two bits more for
        // accepting states.
        let extra = if check == Check::Reachability { u64::from(states) / 4 } else { 0 };
        let bytes = search.counts().stacks.bytes;
        println!("{} {bytes} {promised}", description.name);
        assert!(bytes <= 2 * (promised + extra) + 4096, "{}: {bytes} of {promised}", description.name);
    }
}
