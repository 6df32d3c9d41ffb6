//! A store that has no numbers left while several threads search: they stop, and say so, as one does.

use lariat_engine::Interpreter;
use lariat_model::text::parse;
use lariat_search::{Limits, Outcome, Question, StopReason, breadth_first_together, depth_first_together};
use lariat_store::{Batch, ExactStore, Inserted, NoRoom, Pen, SharedStore, StateId, StateStore, VisitedSet};

/// A store that says that it is full when it has so many states.
struct Small(ExactStore, u64);

impl VisitedSet for Small {
    fn visit(&mut self, state: &[u8]) -> bool {
        self.0.visit(state)
    }

    fn contains(&self, state: &[u8]) -> bool {
        self.0.contains(state)
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn len(&self) -> u64 {
        self.0.len()
    }

    fn is_full(&self) -> bool {
        self.0.len() >= self.1
    }

    fn states_bytes(&self) -> u64 {
        self.0.states_bytes()
    }

    fn auxiliary_bytes(&self) -> u64 {
        self.0.auxiliary_bytes()
    }
}

impl StateStore for Small {
    fn insert(&mut self, state: &[u8]) -> Inserted {
        self.0.insert(state)
    }

    fn insert_all<'r>(&mut self, batch: impl Batch, room: &'r mut Vec<Inserted>) -> &'r [Inserted] {
        self.0.insert_all(batch, room)
    }

    fn read(&self, id: StateId, buffer: &mut Vec<u8>) {
        self.0.read(id, buffer);
    }

    fn for_each_state(&self, each: impl FnMut(StateId, &[u8])) {
        self.0.for_each_state(each);
    }
}

impl SharedStore for Small {
    fn try_insert(&self, state: &[u8]) -> Result<Inserted, NoRoom> {
        self.0.try_insert(state)
    }

    fn try_insert_all(
        &self,
        batch: impl Batch,
        pen: &mut Pen,
        found: &mut Vec<Inserted>,
    ) -> Result<(), NoRoom> {
        self.0.try_insert_all(batch, pen, found)
    }

    fn count(&self, pen: &mut Pen) {
        self.0.count(pen);
    }

    fn prefetch_shared(&self, batch: impl Batch) {
        self.0.prefetch_shared(batch);
    }

    fn wants_room(&self) -> bool {
        self.0.wants_room()
    }

    fn make_room(&mut self) {
        self.0.make_room();
    }
}

/// Four processes that count to 40, each for itself: millions of states.
fn counters() -> String {
    let mut text = "lariat-ir 1\nmodel \"counters\"\nfile 0 \"counters.pml\"\nglobals size 1 hidden 0\n  var \"x\" byte g0.u8 line 0:1\n\
         process p0 \"P\" start 1 size 1 parameters 0 line 0:2\n  var \"i\" byte l0.u8 line 0:2\n\
         \x20 statement 0 \"\"\n  statement 1 \"i = (i+1)\" reported line 0:3\n  statement 2 \"-end-\" reported line 0:5\n\
         \x20 location 0\n  location 1 line 0:3\n    -> 2 #1 when l0.u8 == 40\n    -> 3 #1 else\n\
         \x20 location 2 end line 0:5\n    -> 0 #2 end\n\
         \x20 location 3 line 0:3\n    -> 1 #1 set l0.u8 = l0.u8 + 1\n"
        .to_string();
    (0..4).for_each(|_| text.push_str("start p0 priority 1\n"));
    text
}

#[test]
fn threads_stop_when_the_store_is_full() {
    let model = parse(&counters()).unwrap();
    let interpreter = Interpreter::new(&model);
    let is_right = |outcome: &Outcome, store: &Small, what: &str| {
        assert_eq!(outcome.stopped, Some(StopReason::StoreFull), "{what}");
        assert_eq!(outcome.counts.stored, store.len(), "{what}");
        // There is a look every few milliseconds.
        assert!((20_000..2_000_000).contains(&store.len()), "{what}: {}", store.len());
    };
    for threads in [1, 2, 8] {
        for question in [Question::Everything, Question::FirstViolation, Question::AllViolations] {
            let what = format!("{threads} threads, {question:?}");
            let mut store = Small(ExactStore::new(), 20_000);
            let limits = Limits::default();
            let outcome =
                depth_first_together(&interpreter, &mut store, question, limits, None, 500, threads);
            is_right(&outcome, &store, &what);
            let mut store = Small(ExactStore::new(), 20_000);
            let outcome =
                breadth_first_together(&interpreter, &mut store, question, limits, None, 500, threads);
            is_right(&outcome, &store, &what);
        }
    }
}
