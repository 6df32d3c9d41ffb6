//! The searches on small graphs whose answers are known, against each other, and at their limits.

mod events_support;

use events_support::Replayed;
use lariat_engine::{Interpreter, SuccessorFunction, ViolationKind};
use lariat_model::text::parse;
use lariat_search::{
    Event, Found, Limits, Outcome, Question, Room, SEARCHES, SearchKind, StopReason, breadth_first,
    breadth_first_on_set, breadth_first_with, depth_first, depth_first_in_order, depth_first_on_set,
    depth_first_with, replay,
};
use lariat_store::{
    ExactStore, LossyKind, LossySet, Offer, STORES, StateId, StateStore, VisitedSet, with_store,
};
use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// `count` processes, each of which adds 1 to a counter of its own until it is `limit`, then ends. `after` is
/// what a process does next, as a transition from location 2 to the end.
fn counters(count: usize, limit: usize, after: &str) -> String {
    let mut text = format!(
        "lariat-ir 1\nmodel \"counters\"\nfile 0 \"counters.pml\"\nglobals size 1 hidden 0\n  var \"x\" byte g0.u8 line 0:1\n\
         process p0 \"P\" start 1 size 1 parameters 0 line 0:2\n  var \"i\" byte l0.u8 line 0:2\n\
         \x20 statement 0 \"\"\n  statement 1 \"i = (i+1)\" reported line 0:3\n  statement 2 \"after\" reported line 0:4\n\
         \x20 statement 3 \"-end-\" reported line 0:5\n  statement 4 \"else\" line 0:4\n\
         \x20 location 0\n  location 1 line 0:3\n    -> 2 #4 when l0.u8 == {limit}\n    -> 4 #1 else\n\
         \x20 location 2 line 0:4\n    -> 3 #2 {after}\n  location 3 end line 0:5\n    -> 0 #3 end\n\
         \x20 location 4 line 0:3\n    -> 1 #1 set l0.u8 = l0.u8 + 1\n"
    );
    (0..count).for_each(|_| text.push_str("start p0 priority 1\n"));
    text
}

fn run(text: &str, question: Question, limits: Limits, breadth: bool) -> (Outcome, usize) {
    let model = parse(text).unwrap();
    let interpreter = Interpreter::new(&model);
    let mut store = ExactStore::new();
    let outcome = if breadth {
        breadth_first(&interpreter, &mut store, question, limits, None)
    } else {
        depth_first(&interpreter, &mut store, question, limits, None)
    };
    assert_eq!(outcome.counts.stored, store.len());
    let mut longest = 0;
    for found in outcome.found.iter().filter(|found| found.path.is_some()) {
        let run = replay(&interpreter, &store, found, &mut Room::endless()).unwrap();
        longest = longest.max(run.stages.len());
    }
    (outcome, longest)
}

#[test]
fn both_orders_see_the_same() {
    for (count, limit) in [(1, 0), (1, 5), (2, 3), (3, 4)] {
        let text = counters(count, limit, "skip");
        let (deep, _) = run(&text, Question::Everything, Limits::default(), false);
        let (wide, _) = run(&text, Question::Everything, Limits::default(), true);
        // A process: 2 limit + 1 steps in the loop, one after it, and it ends when those after it have.
        assert_eq!(deep.counts.stored, wide.counts.stored);
        assert_eq!(deep.counts.visited, deep.counts.stored);
        assert_eq!(deep.counts.transitions, wide.counts.transitions);
        assert_eq!(deep.counts.depth as usize, count * (2 * limit + 3));
        assert_eq!(deep.counts.depth, wide.counts.depth);
        assert_eq!((deep.counts.deadlocks, deep.found.len(), deep.stopped), (0, 0, None));
        assert_eq!(deep.reached, wide.reached);
    }
    let (one, _) = run(&counters(1, 2, "skip"), Question::Everything, Limits::default(), false);
    assert_eq!((one.counts.stored, one.counts.transitions), (8, 7));
}

/// Whenever the search gives up the order, it sees the same; and what it shows is what it finds in order.
#[test]
fn several_states_in_flight_see_the_same() {
    let texts = [
        counters(3, 4, "skip"),
        counters(2, 3, "assert g0.u8 == 1"),
        counters(3, 2, "when g0.u8 == 1"),
        counters(1, 3, "set g0.u8 = 1 / g0.u8"),
    ];
    for text in &texts {
        let model = parse(text).unwrap();
        let interpreter = Interpreter::new(&model);
        let search = |question, limits, in_order| {
            let mut store = ExactStore::new();
            let outcome = depth_first_in_order(&interpreter, &mut store, question, limits, None, in_order);
            // Whoever looks for the paths to all violations stops when it has them.
            assert!(outcome.counts.stored == store.len() || question == Question::AllViolations);
            let replayed = |found| replay(&interpreter, &store, found, &mut Room::endless()).is_ok();
            assert!(outcome.found.iter().filter(|found| found.path.is_some()).all(replayed));
            outcome
        };
        for in_order in [0, 1, 7, 50, 200, 100_000] {
            for question in [Question::Everything, Question::FirstViolation, Question::AllViolations] {
                let expected = search(question, Limits::default(), u64::MAX);
                let found = search(question, Limits::default(), in_order);
                let numbers = |outcome: &Outcome| {
                    let counts = &outcome.counts;
                    [counts.stored, counts.visited, counts.transitions, counts.deadlocks, counts.post_calls]
                };
                assert_eq!(numbers(&found), numbers(&expected), "{in_order} {question:?} {text}");
                assert_eq!(found.reached, expected.reached);
                let is_answered = question.stops_at_first() && !found.found.is_empty();
                let gives_up = found.counts.stored > in_order;
                assert_eq!(found.counts.order_given_up, gives_up && !is_answered, "{in_order} {question:?}");
                let violations = |outcome: &Outcome| -> Vec<_> {
                    let found = outcome.found.iter();
                    let found =
                        found.map(|found| (found.violation.message.clone(), found.count, found.path.clone()));
                    found.collect()
                };
                match question {
                    // The order in which violations are met is not the same, their numbers are.
                    Question::Everything => {
                        let sorted = |outcome| {
                            let mut all = violations(outcome);
                            all.sort();
                            all
                        };
                        assert_eq!(sorted(&found), sorted(&expected));
                    }
                    _ => assert_eq!(violations(&found), violations(&expected)),
                }
            }
            let few = Limits { max_states: Some(60), ..Limits::default() };
            let cut = search(Question::Everything, few, in_order);
            assert!(cut.stopped == Some(StopReason::States(60)) || cut.counts.stored <= 60);
            assert!(!cut.counts.order_given_up, "where the search ends would depend on it");
        }
    }
}

/// A limit that is hit after the order was given up is told.
#[test]
fn limits_with_several_states_in_flight() {
    let model = parse(&counters(3, 12, "skip")).unwrap();
    let interpreter = Interpreter::new(&model);
    let search = |limits| {
        depth_first_in_order(&interpreter, &mut ExactStore::new(), Question::Everything, limits, None, 50)
    };
    let all = search(Limits::default());
    assert_eq!((all.stopped, all.counts.order_given_up), (None, true));
    let cut = search(Limits { max_memory: Some(150_000), ..Limits::default() });
    assert_eq!((cut.stopped, cut.counts.order_given_up), (Some(StopReason::Memory(150_000)), true));
    assert!(cut.counts.stored < all.counts.stored);
}

#[test]
fn a_failed_assertion_is_found_and_replayed() {
    let text = counters(2, 2, "assert g0.u8 == 1");
    for breadth in [false, true] {
        let (outcome, steps) = run(&text, Question::FirstViolation, Limits::default(), breadth);
        assert_eq!(outcome.found[0].violation.kind, ViolationKind::Assertion);
        assert_eq!(outcome.found[0].violation.message, "after");
        if breadth {
            assert_eq!(steps, 6, "a shortest run");
        }
    }
    let (all, _) = run(&text, Question::AllViolations, Limits::default(), false);
    assert_eq!(all.found.len(), 1);
    assert!(all.found[0].count > 1);
    assert_eq!(all.found[0].count, all.counts.assertion_violations);
}

#[test]
fn an_invalid_end_state_is_found_and_replayed() {
    let text = counters(2, 1, "when 0");
    for breadth in [false, true] {
        let (outcome, steps) = run(&text, Question::FirstViolation, Limits::default(), breadth);
        assert_eq!(outcome.found[0].violation.kind, ViolationKind::InvalidEndState);
        assert_eq!(outcome.found[0].violation.message, "invalid end state");
        assert_eq!(steps, 6);
    }
    let (all, _) = run(&text, Question::Everything, Limits::default(), false);
    assert_eq!(all.counts.deadlocks, 1);
    assert!(all.found[0].path.is_none());
}

#[test]
fn a_run_time_error_ends_only_its_path() {
    let text = counters(2, 1, "set g0.u8 = 1 / g0.u8");
    let (outcome, _) = run(&text, Question::AllViolations, Limits::default(), false);
    assert_eq!(outcome.found[0].violation.kind, ViolationKind::RuntimeError);
    assert_eq!(outcome.counts.deadlocks, 0);
    assert!(outcome.counts.runtime_errors > 1);
    let (first, steps) = run(&text, Question::FirstViolation, Limits::default(), true);
    assert_eq!((first.found.len(), steps), (1, 4));
}

#[test]
fn limits_stop_the_search() {
    let text = counters(3, 20, "skip");
    let flag = AtomicBool::new(true);
    let cases = [
        (Limits { max_depth: Some(5), ..Limits::default() }, StopReason::Depth(5)),
        (Limits { max_states: Some(100), ..Limits::default() }, StopReason::States(100)),
        (Limits { max_memory: Some(1000), ..Limits::default() }, StopReason::Memory(1000)),
        (Limits { deadline: Some(Instant::now()), ..Limits::default() }, StopReason::Timeout),
        (Limits { interrupt: Some(&flag), ..Limits::default() }, StopReason::Interrupted),
    ];
    for (limits, reason) in cases {
        for breadth in [false, true] {
            let (outcome, _) = run(&text, Question::FirstViolation, limits, breadth);
            assert_eq!(outcome.stopped, Some(reason));
            assert!(outcome.counts.stored > 0);
        }
    }
}

#[test]
fn a_limit_that_is_just_enough_is_none() {
    let text = counters(1, 2, "skip");
    for breadth in [false, true] {
        let limits = Limits { max_depth: Some(7), max_states: Some(8), ..Limits::default() };
        assert_eq!(run(&text, Question::Everything, limits, breadth).0.stopped, None);
    }
}

#[test]
fn the_depth_limit_cuts_paths_but_finds_what_is_near() {
    let text = counters(1, 1, "assert 0");
    let near = Limits { max_depth: Some(5), ..Limits::default() };
    assert_eq!(run(&text, Question::FirstViolation, near, false).0.found.len(), 1);
    let far = Limits { max_depth: Some(2), ..Limits::default() };
    let (outcome, _) = run(&text, Question::FirstViolation, far, false);
    assert_eq!((outcome.found.len(), outcome.stopped), (0, Some(StopReason::Depth(2))));
}

#[test]
fn what_is_wrong_is_refuted() {
    let model = parse(&counters(2, 2, "assert g0.u8 == 1")).unwrap();
    let interpreter = Interpreter::new(&model);
    let mut store = ExactStore::new();
    let outcome = depth_first(&interpreter, &mut store, Question::FirstViolation, Limits::default(), None);
    let found = &outcome.found[0];
    assert!(replay(&interpreter, &store, found, &mut Room::endless()).is_ok());

    let mut other_message = found.clone();
    other_message.violation.message = "another".to_string();
    let mut too_short = found.clone();
    too_short.path.as_mut().unwrap().pop();
    let mut jump = found.clone();
    jump.path.as_mut().unwrap().remove(1);
    let mut late_start = found.clone();
    late_start.path.as_mut().unwrap().remove(0);
    let mut no_path = found.clone();
    no_path.path = Some(Vec::new());
    let mut no_end = found.clone();
    no_end.violation.kind = ViolationKind::InvalidEndState;
    for wrong in [other_message, too_short, jump, late_start, no_path, no_end] {
        assert!(replay(&interpreter, &store, &wrong, &mut Room::endless()).is_err(), "{wrong:?}");
    }
}

/// The states in the order in which the textbook's recursive search comes to them.
fn textbook(heard: &Replayed, state: StateId, seen: &mut BTreeSet<StateId>, order: &mut Vec<StateId>) {
    if seen.insert(state) {
        order.push(state);
        for &to in heard.arcs.get(&state).into_iter().flatten() {
            textbook(heard, to, seen, order);
        }
    }
}

#[test]
fn what_a_search_tells_is_what_it_does() {
    let model = parse(&counters(3, 4, "skip")).unwrap();
    let interpreter = Interpreter::new(&model);
    for in_order in [u64::MAX, 100, 0] {
        let mut events: Vec<Event> = Vec::new();
        let mut store = ExactStore::new();
        let (question, limits) = (Question::Everything, Limits::default());
        let outcome =
            depth_first_with(&interpreter, &mut store, question, limits, None, in_order, &mut events);
        let heard = Replayed::of(&events);
        heard.agrees_with(&outcome.counts);
        assert_eq!(heard.met.len() as u64, outcome.counts.stored);
        assert_eq!(heard.arcs_looked_at, outcome.counts.transitions);
        assert_eq!(heard.expanded.len() as u64, outcome.counts.visited);
        assert!(heard.path.is_empty() && heard.expanded_unmet == 0, "what enters leaves");
        if in_order == u64::MAX {
            assert_eq!(heard.longest, outcome.counts.stacks.states);
            assert_eq!(heard.longest, outcome.counts.depth + 1);
            let mut order = Vec::new();
            textbook(&heard, heard.met[0], &mut BTreeSet::new(), &mut order);
            assert_eq!(heard.expanded, order);
        }
    }
    let mut events: Vec<Event> = Vec::new();
    let mut store = ExactStore::new();
    let limits = Limits::default();
    let outcome =
        breadth_first_with(&interpreter, &mut store, Question::Everything, limits, None, &mut events);
    let heard = Replayed::of(&events);
    heard.agrees_with(&outcome.counts);
    assert_eq!(heard.expanded, heard.met, "a queue keeps the order");
    assert_eq!((heard.longest, heard.path.len()), (1, 0));
    assert_eq!(heard.arcs_looked_at, outcome.counts.transitions);
}

/// A search that meets a violation out of order begins again; at the end the path shows where it is.
#[test]
fn a_search_that_begins_again_says_so() {
    let model = parse(&counters(2, 3, "assert g0.u8 == 1")).unwrap();
    let interpreter = Interpreter::new(&model);
    let mut events: Vec<Event> = Vec::new();
    let mut store = ExactStore::new();
    let question = Question::FirstViolation;
    let outcome =
        depth_first_with(&interpreter, &mut store, question, Limits::default(), None, 0, &mut events);
    let heard = Replayed::of(&events);
    assert_eq!(heard.begun, 2);
    heard.agrees_with(&outcome.counts);
    assert_eq!(outcome.found[0].path.as_ref(), Some(&heard.path));
}

/// A set of visited states that keeps a part of each state: the whole, or a few bits of it.
struct Visited<K> {
    kept: HashSet<Vec<u8>>,
    keep: K,
}

impl<K: Fn(&[u8]) -> Vec<u8>> VisitedSet for Visited<K> {
    fn visit(&mut self, state: &[u8]) -> bool {
        self.kept.insert((self.keep)(state))
    }

    fn contains(&self, state: &[u8]) -> bool {
        self.kept.contains(&(self.keep)(state))
    }

    fn clear(&mut self) {
        self.kept.clear();
    }

    fn len(&self) -> u64 {
        self.kept.len() as u64
    }

    fn states_bytes(&self) -> u64 {
        self.kept.iter().map(|state| state.len() as u64).sum()
    }

    fn auxiliary_bytes(&self) -> u64 {
        self.kept.capacity() as u64 * 24
    }
}

/// What does not depend on how the states are kept.
fn essence(outcome: &Outcome) -> impl PartialEq + std::fmt::Debug + use<> {
    let counts = outcome.counts;
    let numbers = [counts.stored, counts.visited, counts.transitions, counts.post_calls, counts.depth];
    let stacks = [counts.stacks.states, counts.stacks.pending];
    let wrong = [counts.deadlocks, counts.assertion_violations, counts.runtime_errors];
    let found: Vec<_> = outcome.found.iter().map(|found| (found.violation.clone(), found.count)).collect();
    (numbers, stacks, wrong, found, outcome.stopped, outcome.reached.clone())
}

#[test]
fn a_set_of_visited_states_is_enough() {
    let texts = [
        counters(1, 0, "skip"),
        counters(3, 4, "skip"),
        counters(2, 3, "assert g0.u8 == 1"),
        counters(3, 2, "when g0.u8 == 1"),
        counters(1, 3, "set g0.u8 = 1 / g0.u8"),
        counters(3, 2, "set g1.u8 = g1.u8 + 1")
            .replace("size 1 hidden 0\n", "size 1 hidden 1\n  var \"h\" byte g1.u8 hidden line 0:1\n"),
    ];
    for text in &texts {
        let model = parse(text).unwrap();
        let interpreter = Interpreter::new(&model);
        assert_eq!(interpreter.memory_size() > 0, text.contains("hidden line"));
        let everything = Limits::default();
        let near = Limits { max_depth: Some(5), ..everything };
        let few = Limits { max_states: Some(20), ..everything };
        for limits in [everything, near, few] {
            for question in [Question::Everything, Question::FirstViolation, Question::AllViolations] {
                let numbered = breadth_first(&interpreter, &mut ExactStore::new(), question, limits, None);
                let mut set = Visited { kept: HashSet::new(), keep: |state: &[u8]| state.to_vec() };
                let mut exact = ExactStore::new();
                let on_set = breadth_first_on_set(&interpreter, &mut set, question, limits, None);
                let on_exact = breadth_first_on_set(&interpreter, &mut exact, question, limits, None);
                assert_eq!(essence(&on_set), essence(&numbered), "{question:?} {text}");
                assert_eq!(essence(&on_exact), essence(&numbered), "{question:?} {text}");
                assert_eq!(set.len(), exact.len());
                assert!(on_set.found.iter().all(|found| found.path.is_none()));
                exact.for_each_state(|_, state| assert!(set.kept.contains(state), "the same states"));
            }
        }
    }
}

/// Depth-first on a set: the same states, transitions and violations, and paths that can be replayed, also
/// where states are mixed up.
#[test]
fn depth_first_on_a_set_has_paths() {
    for after in ["skip", "assert g0.u8 == 1", "when g0.u8 == 1", "set g0.u8 = 1 / g0.u8"] {
        let model = parse(&counters(3, 3, after)).unwrap();
        let interpreter = Interpreter::new(&model);
        for question in [Question::FirstViolation, Question::AllViolations, Question::Everything] {
            let numbered =
                depth_first(&interpreter, &mut ExactStore::new(), question, Limits::default(), None);
            for values in [1u32, 3, 40, 300, u32::MAX] {
                let sum = |state: &[u8]| state.iter().fold(7u32, |sum, &b| sum.wrapping_mul(31) ^ b as u32);
                let mut set = Visited {
                    kept: HashSet::new(),
                    keep: |state: &[u8]| match values {
                        u32::MAX => state.to_vec(),
                        _ => (sum(state) % values).to_le_bytes().to_vec(),
                    },
                };
                let on_set = depth_first_on_set(&interpreter, &mut set, question, Limits::default(), None);
                assert_eq!((on_set.stopped, on_set.counts.stored), (None, set.len()));
                let paths = on_set.paths.as_ref().unwrap();
                for found in &on_set.found {
                    assert_eq!(found.path.is_some(), question != Question::Everything);
                    if found.path.is_some() {
                        replay(&interpreter, paths, found, &mut Room::endless()).unwrap();
                    }
                }
                if values < u32::MAX {
                    assert!(on_set.counts.stored <= u64::from(values));
                } else if question != Question::FirstViolation || numbered.found.is_empty() {
                    let essence = |outcome: &Outcome| {
                        let Outcome { counts, reached, found, .. } = outcome;
                        let numbers = [counts.stored, counts.visited, counts.transitions, counts.deadlocks];
                        let violations: BTreeSet<String> = found
                            .iter()
                            .map(|found| format!("{:?} {}", found.violation, found.count))
                            .collect();
                        (numbers, reached.clone(), violations)
                    };
                    assert_eq!(essence(&on_set), essence(&numbered), "{question:?} {after}");
                } else {
                    assert_eq!(on_set.found.len(), 1, "{question:?} {after}");
                }
            }
        }
    }
}

/// The same in the stores to which states are announced, in tables in which nothing is confused, and in such
/// in which nearly everything is.
#[test]
fn depth_first_on_lossy_stores() {
    for (each, after) in [(3, "skip"), (4, "assert g0.u8 == 1"), (5, "when g0.u8 == 1")] {
        let model = parse(&counters(3, each, after)).unwrap();
        let interpreter = Interpreter::new(&model);
        let (question, limits) = (Question::AllViolations, Limits::default());
        let all = depth_first(&interpreter, &mut ExactStore::new(), question, limits, None);
        for (kind, bytes, bits) in [
            (LossyKind::Compact, 0, 0),
            (LossyKind::Bitstate, 1 << 22, 3),
            (LossyKind::Bitstate, 1 << 22, 9),
            (LossyKind::Bitstate, 16, 3),
            (LossyKind::Bitstate, 16, 1),
        ] {
            let mut set = LossySet::new(kind, 0, bytes, bits);
            let outcome = depth_first_on_set(&interpreter, &mut set, question, limits, None);
            let numbers = |outcome: &Outcome| {
                let counts = &outcome.counts;
                [counts.stored, counts.visited, counts.transitions, counts.deadlocks]
            };
            assert_eq!((outcome.stopped, outcome.counts.visited), (None, outcome.counts.stored));
            for found in &outcome.found {
                assert!(all.found.iter().any(|other| other.violation == found.violation));
                replay(&interpreter, outcome.paths.as_ref().unwrap(), found, &mut Room::endless()).unwrap();
            }
            if bytes != 16 {
                assert_eq!(numbers(&outcome), numbers(&all), "{kind:?} {bits} {after}");
                assert_eq!(outcome.found.len(), all.found.len(), "{kind:?} {bits} {after}");
            } else {
                assert!(outcome.counts.stored < all.counts.stored && outcome.expected_missed > 0.0);
            }
        }
    }
}

/// A set that takes different states for the same one: the search misses some, and ends.
#[test]
fn a_set_that_mixes_states_up_ends_too() {
    let model = parse(&counters(3, 4, "assert g0.u8 == 1")).unwrap();
    let interpreter = Interpreter::new(&model);
    let (question, limits) = (Question::Everything, Limits::default());
    let all = breadth_first(&interpreter, &mut ExactStore::new(), question, limits, None);
    let mut stored = Vec::new();
    for values in [1u32, 2, 50, 200, 1 << 20] {
        let sum = |state: &[u8]| state.iter().fold(7u32, |sum, &byte| sum.wrapping_mul(31) ^ byte as u32);
        let mut lossy = Visited {
            kept: HashSet::new(),
            keep: |state: &[u8]| (sum(state) % values).to_le_bytes().to_vec(),
        };
        let outcome = breadth_first_on_set(&interpreter, &mut lossy, question, limits, None);
        assert_eq!((outcome.stopped, outcome.counts.visited), (None, outcome.counts.stored));
        assert!(outcome.counts.stored <= all.counts.stored.min(u64::from(values)));
        let is_there = |found: &Found| all.found.iter().any(|other| other.violation == found.violation);
        assert!(outcome.found.iter().all(is_there));
        stored.push(outcome.counts.stored);
    }
    assert!(stored.is_sorted() && stored[0] == 1, "{stored:?}");
}

#[test]
fn the_list_of_searches_runs_them() {
    let model = parse(&counters(2, 3, "assert g0.u8 == 1")).unwrap();
    let interpreter = Interpreter::new(&model);
    let (question, limits) = (Question::FirstViolation, Limits::default());
    for (at, row) in SEARCHES.iter().enumerate() {
        assert_eq!(SearchKind::by_name(row.name), Some(row.search));
        assert_eq!(SEARCHES.iter().position(|other| other.search == row.search), Some(at));
        assert_eq!(row.search.description().name, row.name);
        for store in STORES.iter().filter(|store| row.needs <= store.offers) {
            let outcome = with_store!(store.store, store => {
                let mut store = store;
                row.search.run(&interpreter, &mut store, question, limits, None)
            }, kind => {
                let mut set = LossySet::new(kind, 0, 1 << 16, 3);
                match row.search.run_on_set(&interpreter, &mut set, question, limits, None) {
                    Some(outcome) => outcome,
                    None => continue,
                }
            });
            assert_eq!(outcome.found[0].path.is_some(), row.keeps_paths, "{}", row.name);
            let nearest = breadth_first(&interpreter, &mut ExactStore::new(), question, limits, None);
            assert!(!row.nearest_first || outcome.counts.depth == nearest.counts.depth, "{}", row.name);
        }
        let mut set = Visited { kept: HashSet::new(), keep: |state: &[u8]| state.to_vec() };
        let on_set = row.search.run_on_set(&interpreter, &mut set, question, limits, None);
        assert_eq!(on_set.is_some(), row.needs == Offer::Visited, "{}", row.name);
    }
    assert_eq!(SearchKind::by_name("random"), None);
    assert_eq!(SearchKind::default(), SearchKind::DepthFirst);
}
