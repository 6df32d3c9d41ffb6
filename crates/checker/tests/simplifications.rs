//! Small models whose verdict is wrong as soon as one rule of a simplification is forgotten: a variable is
//! reset that somebody reads, or a statement is merged that somebody notices. Each is checked without
//! simplifications, with each, and with both.

use lariat_checker::properties::AddedProperty;
use lariat_checker::{Loaded, Observer, Options, Report, Simplifications, Task};

const CHOICES: [Simplifications; 4] = [
    Simplifications { reset_dead_variables: false, merge_statements: false },
    Simplifications { reset_dead_variables: true, merge_statements: false },
    Simplifications { reset_dead_variables: false, merge_statements: true },
    Simplifications { reset_dead_variables: true, merge_statements: true },
];

fn load(text: &str, added: &[AddedProperty]) -> Loaded {
    let loaded = lariat_checker::load_text("m.pml", text, &Default::default(), added);
    loaded.unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

fn options(simplify: Simplifications) -> Options {
    Options { simplify, max_states: Some(100_000), ..Options::default() }
}

fn safety(loaded: &Loaded, choice: Simplifications, task: Task) -> Report {
    lariat_checker::check_states(loaded, task, &options(choice), Observer::default()).expect("a report")
}

/// Safety holds, or is violated in this way, whatever is simplified.
#[track_caller]
fn safety_is(expected: &str, text: &str) {
    let loaded = load(text, &[]);
    for choice in CHOICES {
        let report = safety(&loaded, choice, Task::Safety);
        let found = match report.violations.first() {
            Some(found) => format!("{:?}", found.violation.kind),
            None => report.verdict.name().to_string(),
        };
        assert_eq!(found, expected, "{choice:?}\n{text}");
    }
}

/// A property has this verdict, whatever is simplified: one that the model states, or a formula. The reports
/// of all choices.
#[track_caller]
fn property_is(expected: &str, property: &str, text: &str) -> Vec<Report> {
    let stated = load(text, &[]);
    let added;
    let (loaded, property) = match stated.stated.iter().find(|stated| stated.name() == property) {
        Some(found) => (&stated, found),
        None => {
            added = load(text, &[AddedProperty::Ltl(property.to_string())]);
            (&added, &added.added[0])
        }
    };
    let check = |choice| {
        let report = lariat_checker::check_property(loaded, property, &options(choice), Observer::default());
        let report = report.expect("a report");
        assert_eq!(report.verdict.name(), expected, "{choice:?}\n{text}");
        report
    };
    CHOICES.map(check).into()
}

// ---- dead variables: who reads ----

#[test]
fn what_a_statement_reads_is_not_reset() {
    let reads = [
        "x == 3",
        "y = x; assert(y == 3)",
        "a[x] = 1; assert(a[3] == 1 && a[0] == 0)",
        "assert(x == 3)",
        "c!x; c?y; assert(y == 3)",
        "c!3; c?eval(x)",
        "c!3; assert(c?[eval(x)]); c?y",
        "run R(x)",
        "y = run S(x); assert(y == 2)",
        "d_step { y = x; x = 0; assert(y == 3) }",
        "d_step { if :: x == 3 -> y = 1 :: else -> y = 2 fi; assert(y == 1) }",
        "d_step { y = 3; do :: y > 0 -> y--; z = z + x :: else -> break od; assert(z == 9) }",
        "{ y = 1; (false) } unless { x == 3 }",
        "if :: x == 3 :: else -> assert(false) fi",
        "y = (z == 0 -> x : 0); assert(y == 3)",
        "x--; x--; assert(x == 1)",
        "atomic { y = 1; z = x; assert(z == 3) }",
    ];
    for read in reads {
        safety_is(
            "holds",
            &format!(
                "byte g; chan c = [1] of {{ byte }}; chan d = [0] of {{ byte }};
                 proctype R(byte p) {{ g = 2; assert(p == 3) }}
                 proctype S(byte p) {{ byte unused; g = 2; unused = 1; assert(p == 3) }}
                 active proctype Q() {{ g = 0; g = 1 }}
                 active proctype P() {{ byte x, y, z; byte a[4]; x = 3; g = 1; {read} }}"
            ),
        );
    }
}

#[test]
fn what_is_overwritten_in_part_is_still_read() {
    safety_is(
        "holds",
        "byte g; active proctype P() {
           byte a[2]; byte i; a[1] = 4; i = 1; g = 1; a[0] = 2; g = 0; a[g] = 7; g = 2; assert(a[i] == 4)
         }",
    );
    safety_is(
        "holds",
        "typedef R { byte u; byte v }; byte g;
         active proctype P() { R r; r.u = 1; r.v = 2; g = 1; r.u = 3; g = 2; assert(r.v == 2) }",
    );
}

#[test]
fn a_handshake_reads_both_sides() {
    safety_is(
        "holds",
        "chan c = [0] of { byte, byte }; byte g;
         active proctype P() { byte x = 3; g = 1; c!1(x) }
         active proctype Q() { byte k = 1, y; g = 2; c?eval(k), y; g = 3; assert(y == 3) }",
    );
}

#[test]
fn what_others_read_is_not_reset() {
    safety_is(
        "holds",
        "byte g; active proctype P() { byte x; x = 5; g = 1; (false) unless (g == 2) }
         active proctype Q() { (g == 1) -> assert(P:x == 5); assert(P[0]:x == 5); g = 2 }",
    );
    let text = "byte g; active proctype P() { byte x; x = 5; g = 1; g = 2; end: (g == 0) }";
    property_is("holds", "G (g > 0 -> \"P:x == 5\")", text);
    property_is("holds", "G (g > 0 -> \"P[0]:x == 5\")", text);
    let claim = "never { do :: (g > 0 && P:x != 5) -> break :: true od }";
    property_is("holds", "never", &format!("{text} {claim}"));
}

#[test]
fn a_promise_about_a_channel_reads_it_at_any_time() {
    safety_is(
        "RuntimeError",
        "chan c = [1] of { byte }; byte g;
         proctype P(chan d) { xr d; g = 1; (g == 2) }
         init { run P(c); (g == 1); c!1; c?_; g = 2 }",
    );
}

#[test]
fn a_provided_clause_reads_at_any_time() {
    safety_is(
        "holds",
        "byte g; proctype P(byte p) provided (p == 1) { g = 1; g = 2 }
         init { run P(1); (g == 2) }",
    );
}

// ---- merged statements: who notices ----

#[test]
fn others_see_globals_between_statements() {
    let watcher = "active proctype Q() { end: (a == 1 && b == 0) -> assert(false) }";
    safety_is("Assertion", &format!("byte a, b; active proctype P() {{ a = 1; b = 1 }} {watcher}"));
    safety_is(
        "Assertion",
        &format!("byte a, b; active proctype P() {{ byte x; a = 1; x = 1; b = x }} {watcher}"),
    );
    safety_is(
        "Assertion",
        "byte a, b; active proctype P() { byte x; a = 1; x = b; assert(x == 0) }
                           active proctype Q() { (a == 1) -> b = 1 }",
    );
}

#[test]
fn others_see_variables_by_remote_references() {
    let text = "byte g; active proctype P() { byte x; g = 1; x = 1; x = 0; g = 2 }";
    property_is("violated", "G !\"P:x == 1\"", text);
    property_is("violated", "G !\"P[0]:x == 1\"", text);
}

#[test]
fn others_see_locations() {
    let text = "byte g; active proctype P() { byte x; g = 1; L: x = 1; M: (g == 0) }";
    property_is("violated", "G !\"P@L\"", text);
    property_is("violated", "G !\"P[0]@L\"", text);
    property_is("violated", "G (\"g == 1\" -> \"P@M\")", text);
    property_is("violated", "G (\"g == 1\" -> \"P[0]@M\")", text);
}

#[test]
fn labels_that_count_are_not_merged_away() {
    // Waits for ever just before the label.
    let text = "byte g, k; active proctype P() { byte x; g = 1; x = 1; progress: (g == 0) }
                active proctype Q() { (g == 1); do :: k = 1 - k od }";
    property_is("violated", "non-progress", text);
    // The only label is at a statement that could be merged.
    let text = "byte g; active proctype P() { byte x; do :: g = 1; accept: x = 1 od }";
    property_is("violated", "acceptance", text);
    let text = "byte g; active proctype P() { byte x; do :: g = 1; progress: x = 1 od }";
    property_is("holds", "non-progress", text);
}

#[test]
fn others_may_act_before_an_atomic_sequence() {
    safety_is(
        "Assertion",
        "byte g, h; active proctype P() { byte x; g = 1; atomic { x = 1; assert(h == 0) } }
         active proctype Q() { (g == 1) -> h = 1 }",
    );
}

#[test]
fn a_cycle_of_merged_statements_stays_a_cycle() {
    let text = "byte g; active proctype P() { byte x; do :: x = 1; x = 0 od } active proctype Q() { g = 1 }";
    property_is("violated", "F (g == 1)", text);
    let text = "byte g; active proctype P() { byte x; g = 2; do :: x = 1 :: x = 0; x = 2 od }
                active proctype Q() { (g == 2); g = 1 }";
    property_is("violated", "F (g == 1)", text);
}

#[test]
fn it_matters_whether_a_rendezvous_fails() {
    // An `else` is taken because nobody receives yet.
    safety_is(
        "Assertion",
        "chan c = [0] of { byte }; byte g; active proctype P() { byte x; g = 1; x = 2; end: c?x }
         active proctype Q() { if :: c!1 :: else -> assert(g == 0) fi }",
    );
    // An atomic sequence loses control because nobody receives yet.
    safety_is(
        "Assertion",
        "chan c = [0] of { byte }; byte g, h;
         active proctype P() { byte x; g = 1; x = 2; atomic { c?x; h = 0 } }
         active proctype Q() { atomic { (g == 1) -> h = 1; c!1 } }
         active proctype R() { assert(h == 0) }",
    );
}

#[test]
fn a_statement_that_fails_does_not_hide_the_others() {
    let other = "active proctype Q() { (g == 1) -> do :: h = 1 - h od }";
    for failing in ["x = 1 / x", "a[x + 2] = 1", "a[y] = 1", "x = a[y]", "assert(7 % x == 0)"] {
        let text = format!(
            "byte g, h; active proctype P() {{ byte x; byte y = 2; byte a[2]; g = 1; {failing} }} {other}"
        );
        property_is("violated", "G (h == 0)", &text);
    }
}

#[test]
fn who_counts_steps_sees_every_step() {
    let text = "byte g; active proctype P() { byte x; x = 1; x = 2; g = 1 }";
    let reports = property_is("holds", "X X \"g == 0\"", text);
    let note = reports[2].simplified.as_ref().and_then(|simplified| simplified.not_merged.as_deref());
    assert_eq!(note, Some("the formula has `X`"));
    // A claim that counts.
    let claim = "never { if :: true -> if :: true -> if :: (g == 1) -> accept: do :: true od fi fi fi }";
    property_is("holds", "never", &format!("{text} {claim}"));
    // Who moved last is a step, too.
    let text = "byte g, h; active proctype P() { byte x; g = 1; x = 1; g = 2 }
                active proctype Q() { h = 1 }";
    let formula = "G (\"g == 1 && _last == 1\" -> G (\"_last == 0\" -> \"g == 2\"))";
    property_is("violated", formula, text);
}

#[test]
fn somebody_may_ask_whether_a_process_could_move() {
    safety_is(
        "Assertion",
        "byte g; active proctype P() { byte x; g = 1; x = 1; end: (g == 0) }
         active proctype Q() { end: (g == 1 && enabled(0)) -> assert(false) }",
    );
}

// ---- what it is good for ----

const BUSY: &str = "byte g; active [2] proctype P() { byte x, y; do :: g = 1 - g; x = g; y = x + 1; if :: y > 1 -> y = 3 \
                    :: else -> y = 4 fi; printf(\"%d\\n\", y); assert(y > 0); y = 0 od }";

#[test]
fn there_are_fewer_states() {
    let loaded = load(BUSY, &[]);
    let reports = CHOICES.map(|choice| safety(&loaded, choice, Task::Explore));
    assert_eq!(reports.each_ref().map(|report| report.counts.stored), [414, 288, 30, 8]);
    let done =
        reports.map(|report| report.simplified.map(|simplified| (simplified.resets, simplified.merged)));
    assert_eq!(done, [None, Some((Some(5), None)), Some((None, Some(11))), Some((Some(5), Some(11)))]);
}

#[test]
fn a_counterexample_shows_every_statement_and_fits_the_model_as_it_was_written() {
    let text = "byte g; active proctype P() { byte x; g = 1; x = 2; printf(\"x is %d\\n\", x); x = 3; assert(g == 0) }";
    let loaded = load(text, &[]);
    let found =
        |choice| safety(&loaded, choice, Task::Safety).violations.remove(0).counterexample.expect("a run");
    let statements = |choice| found(choice).prefix.into_iter().map(|step| step.statement).collect::<Vec<_>>();
    let expected = ["g = 1", "x = 2", "printf('x is %d\\n',x)", "x = 3", "assert((g==0))"];
    for choice in CHOICES {
        assert_eq!(statements(choice), expected, "{choice:?}");
        assert_eq!(found(choice).prefix[2].printed.as_deref(), Some("x is 2\n"), "{choice:?}");
    }
}
