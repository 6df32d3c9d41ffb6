//! All violations of a model, as the textbook's searches meet them: which are listed, once each, how often
//! each was met, the path to the first, what is counted. By one thread in order and out of order, by several,
//! and level by level; against searches that are written here and know nothing of any of them.

use lariat_engine::{Interpreter, SuccessorFunction, Successors, Violation, ViolationKind};
use lariat_model::text::parse;
use lariat_search::{
    Limits, Outcome, Question, Room, breadth_first, breadth_first_together, depth_first_in_order,
    depth_first_together, replay,
};
use lariat_store::{ExactStore, StateStore};
use std::collections::{HashSet, VecDeque};

/// So many distinct violations are told apart.
const MOST: usize = 100;

/// `count` processes with a counter each, by threes up to `limit` or more. At every value a process may try
/// assertions, all different, of which more fail as the value grows, and go to its last location, where
/// `last` is what it does. So in most states several violations meet: those of several processes, which are
/// the same, and those of one, which are not; and several that are new.
fn many_violations(count: usize, limit: usize, assertions: usize, last: &str) -> String {
    let mut text =
        "lariat-ir 1\nmodel \"many\"\nfile 0 \"many.pml\"\nglobals size 1 hidden 0\n  var \"x\" byte g0.u8 line 0:1\n\
         process p0 \"P\" start 1 size 1 parameters 0 line 0:2\n  var \"i\" byte l0.u8 line 0:2\n\
         \x20 statement 0 \"\"\n  statement 1 \"i = (i+3)\" reported line 0:3\n  statement 2 \"last\" reported line 0:5\n\
         \x20 statement 3 \"i<limit\" reported line 0:3\n"
            .to_string();
    for k in 0..assertions {
        text += &format!("  statement {} \"assert(i < {k})\" reported line 0:{}\n", 4 + k, 10 + k);
    }
    text += &format!("  location 0\n  location 1 line 0:3\n    -> 3 #3 when l0.u8 < {limit}\n");
    for k in 0..assertions {
        text += &format!("    -> 2 #{} assert l0.u8 < {k}\n", 4 + k);
    }
    text += &format!("  location 2 line 0:5\n    -> 0 #2 {last}\n");
    text += "  location 3 line 0:3\n    -> 1 #1 set l0.u8 = l0.u8 + 3\n";
    (0..count).for_each(|_| text.push_str("start p0 priority 1\n"));
    text
}

type State = Vec<u8>;

/// A violation, how often it was met, and the first path to it.
type Listed = (Violation, u64, Option<Vec<State>>);

/// What a search says.
#[derive(Debug, PartialEq)]
struct Said {
    listed: Vec<Listed>,
    states: u64,
    transitions: u64,
    assertions: u64,
    ends: u64,
}

impl Said {
    fn nothing() -> Said {
        Said { listed: Vec::new(), states: 0, transitions: 0, assertions: 0, ends: 0 }
    }

    /// A state, the path to it, with it, and its successors.
    fn note(&mut self, model: &Interpreter, path: &[State], out: &Successors) {
        let state = path.last().expect("with the state");
        self.states += 1;
        self.transitions += out.len() as u64;
        let end = if out.something_happens() { None } else { model.wrong_end(state) };
        for violation in out.violations().map(|(violation, _)| violation).chain(&end) {
            match violation.kind {
                ViolationKind::Assertion => self.assertions += 1,
                ViolationKind::InvalidEndState => self.ends += 1,
                kind => panic!("{kind:?} in this model"),
            }
            let is_full = self.listed.len() == MOST;
            match self.listed.iter_mut().find(|(known, ..)| known == violation) {
                Some((_, count, _)) => *count += 1,
                None if is_full => {}
                None => self.listed.push((violation.clone(), 1, Some(path.to_vec()))),
            }
        }
    }

    fn by_search(outcome: &Outcome, store: &ExactStore, model: &Interpreter) -> Said {
        assert_eq!((outcome.stopped, outcome.counts.visited), (None, outcome.counts.stored));
        let state = |id: &_| {
            let mut state = Vec::new();
            store.read(*id, &mut state);
            state
        };
        let listed = outcome.found.iter().map(|found| {
            let is_long = found.path.as_ref().is_none_or(|path| path.len() > 20);
            assert!(is_long || replay(model, store, found, &mut Room::endless()).is_ok());
            (
                found.violation.clone(),
                found.count,
                found.path.as_ref().map(|path| path.iter().map(state).collect()),
            )
        });
        Said {
            listed: listed.collect(),
            states: outcome.counts.stored,
            transitions: outcome.counts.transitions,
            assertions: outcome.counts.assertion_violations,
            ends: outcome.counts.deadlocks,
        }
    }
}

fn successors(model: &Interpreter, state: &State) -> (Successors, Vec<State>) {
    let mut out = Successors::new();
    model.successors(state, &mut out);
    let states = (0..out.len()).map(|i| out.state(i).to_vec()).collect();
    (out, states)
}

/// The textbook's depth-first search.
fn deep(model: &Interpreter, path: &mut Vec<State>, expanded: &mut HashSet<State>, said: &mut Said) {
    let state = path.last().expect("a state").clone();
    expanded.insert(state.clone());
    let (out, next) = successors(model, &state);
    said.note(model, path, &out);
    for state in next {
        if !expanded.contains(&state) {
            path.push(state);
            deep(model, path, expanded, said);
            path.pop();
        }
    }
}

/// The textbook's breadth-first search.
fn wide(model: &Interpreter, initial: State, said: &mut Said) {
    let mut met = HashSet::from([initial.clone()]);
    let mut paths = VecDeque::from([vec![initial]]);
    while let Some(path) = paths.pop_front() {
        let (out, next) = successors(model, path.last().expect("a state"));
        said.note(model, &path, &out);
        for state in next {
            if met.insert(state.clone()) {
                paths.push_back(path.iter().cloned().chain([state]).collect());
            }
        }
    }
}

#[test]
fn all_violations_are_listed_once_and_counted() {
    let small = [(2, 5, 4, "end"), (3, 2, 2, "when 0"), (2, 3, 12, "when g0.u8 == 1"), (1, 0, 1, "end")];
    // As many as are told apart, one less, one more, and many more.
    let many = [MOST - 1, MOST, MOST + 1, MOST + 30].map(|kinds| (1, kinds + 5, kinds, "end"));
    for (count, limit, assertions, last) in small.into_iter().chain(many) {
        let text = many_violations(count, limit, assertions, last);
        let parsed = parse(&text).unwrap();
        let model = Interpreter::new(&parsed);
        let initial = model.initial_state().unwrap();
        let mut expected = Said::nothing();
        deep(&model, &mut vec![initial.clone()], &mut HashSet::new(), &mut expected);
        let mut by_level = Said::nothing();
        wide(&model, initial, &mut by_level);
        let kinds = assertions.min(limit.next_multiple_of(3) + 1) + usize::from(last != "end");
        assert_eq!((expected.listed.len(), by_level.listed.len()), (kinds.min(MOST), kinds.min(MOST)));
        let (limits, question) = (Limits::default(), Question::AllViolations);
        let what = format!("{count} processes, {limit}, {assertions}, {last}");
        let said = |search: &dyn Fn(&mut ExactStore) -> Outcome| {
            let mut store = ExactStore::new();
            let outcome = search(&mut store);
            Said::by_search(&outcome, &store, &model)
        };
        for in_order in if kinds < MOST - 1 { &[u64::MAX, 0, 7, 60][..] } else { &[u64::MAX, 7] } {
            let in_order = *in_order;
            let alone = said(&|store| depth_first_in_order(&model, store, question, limits, None, in_order));
            assert!(alone == expected, "{what}, {in_order}: {alone:?} {expected:?}");
            for threads in if kinds < MOST - 1 { &[2, 3, 2, 5][..] } else { &[2] } {
                let threads = *threads;
                let together = said(&|store| {
                    depth_first_together(&model, store, question, limits, None, in_order, threads)
                });
                assert!(together == expected, "{what}, {in_order}, {threads}: {together:?} {expected:?}");
            }
        }
        let levels = said(&|store| breadth_first(&model, store, question, limits, None));
        assert!(levels == by_level, "{what}, levels: {levels:?} {by_level:?}");
        for (threads, after) in [(2, 0), (3, 0), (2, 7), (3, 40)] {
            let levels =
                said(&|store| breadth_first_together(&model, store, question, limits, None, after, threads));
            assert!(levels == by_level, "{what}, levels, {threads}, {after}: {levels:?} {by_level:?}");
        }
    }
}

/// Where no paths are asked for, what is listed has the same order however many threads have met it.
#[test]
fn kinds_without_paths_have_an_order() {
    let text = many_violations(2, 9, 9, "when 0");
    let parsed = parse(&text).unwrap();
    let model = Interpreter::new(&parsed);
    let listed = |threads: usize| {
        let (limits, question) = (Limits::default(), Question::Everything);
        let mut store = ExactStore::new();
        let outcome = match threads {
            1 => depth_first_in_order(&model, &mut store, question, limits, None, 7),
            _ => depth_first_together(&model, &mut store, question, limits, None, 7, threads),
        };
        Said::by_search(&outcome, &store, &model)
    };
    let alone = listed(1);
    assert_eq!(alone.listed.len(), 10);
    for threads in [2, 3, 2, 5, 2, 3] {
        assert_eq!(listed(threads), alone, "{threads} threads");
    }
}
