//! Reading and writing automata in the HOA format.
//!
//! Small texts with known answers, the messages for texts that are wrong, the files of the corpus if it is
//! there, and texts garbled at random (with a seed, so that a failure can be repeated).

use lariat_ltl::emptiness::accepts;
use lariat_ltl::{Automaton, Bdds, Letter, Placement, Word, hoa};
use lariat_source::{Diagnostic, SourceMap};
use std::path::{Path, PathBuf};

struct Read {
    bdds: Bdds,
    automata: Vec<Automaton>,
    diagnostics: Vec<Diagnostic>,
    sources: SourceMap,
}

impl Read {
    fn new(text: &str) -> Read {
        let mut sources = SourceMap::new();
        let file = sources.add("a.hoa", "a.hoa", text.to_string());
        let mut bdds = Bdds::new();
        let (automata, diagnostics) = hoa::read(&sources, file, &mut bdds);
        assert!(
            !automata.is_empty() || diagnostics.iter().any(Diagnostic::is_error),
            "silent refusal of {text}"
        );
        Read { bdds, automata, diagnostics, sources }
    }

    /// All messages as they are shown.
    fn messages(&self) -> String {
        self.diagnostics.iter().map(|diagnostic| diagnostic.render(&self.sources)).collect()
    }
}

/// The only automaton of a text, without any message.
fn read_one(text: &str) -> (Bdds, Automaton) {
    let mut read = Read::new(text);
    assert_eq!(read.messages(), "", "in {text}");
    assert_eq!(read.automata.len(), 1);
    (read.bdds, read.automata.remove(0))
}

/// The only error of a text that has no automaton.
fn error(text: &str) -> String {
    let read = Read::new(text);
    assert!(read.automata.is_empty(), "this was read: {text}");
    let errors: Vec<&Diagnostic> = read.diagnostics.iter().filter(|d| d.is_error()).collect();
    assert_eq!(errors.len(), 1, "{}", read.messages());
    let place = &read.sources.file(errors[0].span().file).text;
    let (start, end) = (errors[0].span().start as usize, errors[0].span().end as usize);
    format!("{} @ {}", errors[0].message, &place[start..end])
}

fn warnings(text: &str) -> Vec<String> {
    let read = Read::new(text);
    assert_eq!(read.automata.len(), 1, "{}", read.messages());
    read.diagnostics.iter().map(|d| d.message.clone()).collect()
}

/// A word over one or more propositions: letters as numbers, bit i for proposition i; prefix, then cycle.
fn word(prefix: &[u32], cycle: &[u32]) -> Word {
    let letters =
        |all: &[u32]| all.iter().map(|bits| Letter((0..32).map(|i| bits >> i & 1 == 1).collect())).collect();
    Word { prefix: letters(prefix), cycle: letters(cycle) }
}

/// Every word over the letters with a short prefix and a short cycle.
fn short_words(letters: u32) -> Vec<Word> {
    let mut lists: Vec<Vec<u32>> = vec![Vec::new()];
    for length in 1..=3 {
        let longer: Vec<Vec<u32>> = lists
            .iter()
            .filter(|list| list.len() == length - 1)
            .flat_map(|list| (0..letters).map(move |letter| [&list[..], &[letter]].concat()))
            .collect();
        lists.extend(longer);
    }
    let mut words = Vec::new();
    for prefix in lists.iter().filter(|list| list.len() <= 2) {
        for cycle in lists.iter().filter(|list| !list.is_empty()) {
            words.push(word(prefix, cycle));
        }
    }
    words
}

fn assert_same_language(one: &(Bdds, Automaton), two: &(Bdds, Automaton), letters: u32) {
    for word in short_words(letters) {
        assert_eq!(accepts(&one.0, &one.1, &word), accepts(&two.0, &two.1, &word), "{word:?}");
    }
}

/// Infinitely often a, without ornaments.
const GFA: &str = r#"HOA: v1 States: 1 Start: 0 AP: 1 "a" Acceptance: 1 Inf(0)
--BODY-- State: 0 [0] 0 {0} [!0] 0 --END--"#;

/// The same with one state for each letter, labels on the states.
const GFA_STATE_LABELS: &str = r#"
HOA: v1
States: 2
Start: 0 Start: 1
AP: 1 "a"
acc-name: Buchi
Acceptance: 1 Inf(0)
--BODY--
State: [0] 0 "a holds" {0}
  0 1
State: [!0] 1
  0 1
--END--
"#;

/// The same with implicit labels.
const GFA_IMPLICIT: &str = r#"HOA: v1 Start: 0 AP: 1 "a" Acceptance: 1 Inf(0)
--BODY-- State: 0 0 /* no a */ 0 {0} --END--"#;

const TWO_SETS: &str = r#"HOA: v1
name: "GF(\"x\\y\") & GF b"
tool: "by hand" "0"
properties: trans-labels
  explicit-labels trans-acc
States: 3
Start: 2
Alias: @both (0 & 1)
AP: 2 "x \"q\" \\y" "b"
Alias: @neither !@both & !(0 | 1)
acc-name: generalized-Buchi 2
Acceptance: 2 Inf(1) & Inf(0)
remark: t 1 "text" word
--BODY--
State: 2 [t] 0 [f] 1
State: 0
  [@both] 0 {0 1}
  [@neither] 0
  [0 & !1] 0 {0}
  [!0 & 1] 1 {1}
State: 1 "dead end"
--END--
"#;

#[test]
fn the_same_automaton_in_several_spellings() {
    let plain = read_one(GFA);
    assert!(accepts(&plain.0, &plain.1, &word(&[0, 0], &[0, 1])));
    assert!(!accepts(&plain.0, &plain.1, &word(&[1, 1], &[0])));
    assert_eq!((plain.1.sets, plain.1.placement), (1, Placement::Edges));
    for other in [GFA_STATE_LABELS, GFA_IMPLICIT] {
        let other = read_one(other);
        assert_same_language(&plain, &other, 2);
    }
    let on_states = read_one(GFA_STATE_LABELS);
    assert_eq!(on_states.1.placement, Placement::States);
    assert_eq!(on_states.1.initial, [0, 1]);
}

#[test]
fn what_is_written() {
    let (mut bdds, automaton) = read_one(GFA_STATE_LABELS);
    assert_eq!(
        hoa::write(&automaton, &mut bdds),
        "\
HOA: v1
States: 2
Start: 0
Start: 1
AP: 1 \"a\"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels state-acc
--BODY--
State: 0 {0}
[0] 0
[0] 1
State: 1
[!0] 0
[!0] 1
--END--
"
    );
    let (mut bdds, automaton) = read_one(GFA);
    assert!(hoa::write(&automaton, &mut bdds).contains(" trans-acc deterministic complete\n"));
    assert!(
        hoa::write_with(&automaton, &mut bdds, &["stutter-invariant"])
            .contains(" complete stutter-invariant\n")
    );
    let (mut bdds, automaton) = read_one(TWO_SETS);
    assert_eq!(
        hoa::write(&automaton, &mut bdds),
        r#"HOA: v1
name: "GF(\"x\\y\") & GF b"
States: 3
Start: 2
AP: 2 "x \"q\" \\y" "b"
acc-name: generalized-Buchi 2
Acceptance: 2 Inf(0)&Inf(1)
properties: trans-labels explicit-labels trans-acc deterministic
--BODY--
State: 0
[!0&!1] 0
[0&!1] 0 {0}
[0&1] 0 {0 1}
[!0&1] 1 {1}
State: 1
State: 2
[t] 0
--END--
"#
    );
}

#[test]
fn implicit_labels_are_in_ascending_order() {
    let (mut bdds, automaton) = read_one(
        r#"HOA: v1 AP: 2 "a" "b" Start: 0 Acceptance: 0 t --BODY-- State: 0 0 1 2 3
        State: 1 1 1 1 1 State: 2 2 3 3 2 State: 3 --END--"#,
    );
    let written = hoa::write(&automaton, &mut bdds);
    let body = written.split("--BODY--\n").nth(1).unwrap();
    assert_eq!(
        body,
        "State: 0\n[!0&!1] 0\n[0&!1] 1\n[!0&1] 2\n[0&1] 3\nState: 1\n[t] 1\n\
         State: 2\n[!0&!1 | 0&1] 2\n[!0&1 | 0&!1] 3\nState: 3\n--END--\n"
    );
}

/// Two states over one proposition `a` that go 0 → 1 on a, stay otherwise; marks as given.
fn with_acceptance(acceptance: &str, zero: &str, one: &str) -> String {
    format!(
        "HOA: v1 States: 2 Start: 0 AP: 1 \"a\" Acceptance: {acceptance} --BODY-- \
         State: 0 {zero} [!0] 0 [0] 1 State: 1 {one} [t] 1 --END--"
    )
}

#[test]
fn conditions_that_are_buchi_in_disguise() {
    let finally_a = read_one(&with_acceptance("1 Inf(0)", "", "{0}"));
    assert!(accepts(&finally_a.0, &finally_a.1, &word(&[1], &[0])));
    assert!(!accepts(&finally_a.0, &finally_a.1, &word(&[], &[0])));
    for (acceptance, zero, one, sets) in [
        ("1 (((Inf(0))))", "", "{0}", 1),
        ("3 Inf(2)", "{0}", "{2}", 1),
        ("1 Inf(!0)", "{0}", "", 1),
        ("2 Inf(1) & Inf(0)", "{0}", "{0 1}", 2),
        ("2 Inf(1) & t & (Inf(0) | f)", "{0}", "{0 1}", 2),
        ("2 Inf(1) | Inf(0)", "", "{1}", 1),
        ("3 Inf(2) | (Inf(1) & Inf(0))", "{1}", "{0 1}", 2),
        ("1 Fin(0)", "{0}", "", 1),
        ("1 Fin(!0)", "", "{0}", 1),
        ("2 Fin(0) | Fin(1)", "{0 1}", "{0}", 1),
        ("2 Fin(0) & Fin(1)", "{0}", "", 1),
        ("2 Fin(0) & Inf(1)", "{0 1}", "{1}", 1),
        ("2 Fin(0) | Inf(1)", "{0}", "{0 1}", 1),
        ("3 Fin(0) & Inf(1) & Inf(2)", "{0 1 2}", "{1 2}", 2),
        ("4 (Fin(0) & Inf(1)) | (Fin(2) & Inf(3))", "{0 2}", "{0 3}", 1),
    ] {
        let other = read_one(&with_acceptance(acceptance, zero, one));
        assert_same_language(&finally_a, &other, 2);
        assert_eq!(other.1.sets, sets, "{acceptance}");
        assert_eq!(other.1.placement, Placement::States);
    }
    let everything = read_one(&with_acceptance("0 t", "", ""));
    for acceptance in ["1 t", "1 t | Fin(0)", "1 Fin(0) | Inf(0)", "1 Inf(0) | Inf(!0)"] {
        let other = read_one(&with_acceptance(acceptance, "{0}", ""));
        assert_same_language(&everything, &other, 2);
        assert_eq!(other.1.sets, 0, "{acceptance}");
    }
    for acceptance in ["1 f", "1 f & Inf(0)", "1 Fin(0) & Inf(0)"] {
        let (bdds, nothing) = read_one(&with_acceptance(acceptance, "{0}", ""));
        assert!(short_words(2).iter().all(|word| !accepts(&bdds, &nothing, word)), "{acceptance}");
    }
}

/// Marks on edges: `Fin` is judged by the edges inside components only.
#[test]
fn weak_by_edges() {
    let (bdds, automaton) = read_one(
        r#"HOA: v1 States: 3 Start: 0 AP: 1 "a" Acceptance: 1 Fin(0) --BODY--
        State: 0 [!0] 0 {0} [0] 1 State: 1 [t] 2 {0} State: 2 [0] 2 --END--"#,
    );
    assert_eq!((automaton.sets, automaton.placement), (1, Placement::States));
    assert!(accepts(&bdds, &automaton, &word(&[0, 1, 0], &[1])));
    assert!(!accepts(&bdds, &automaton, &word(&[], &[0])));
    assert!(!accepts(&bdds, &automaton, &word(&[1, 0], &[1, 0])));
}

#[test]
fn acceptance_that_is_refused() {
    let swap = |acceptance: &str| {
        format!(
            "HOA: v1 States: 1 Start: 0 AP: 1 \"a\" {acceptance} --BODY-- \
             State: 0 [!0] 0 {{0}} [0] 0 {{1}} --END--"
        )
    };
    let not_weak = "acceptance on an automaton that is not weak is not supported";
    assert_eq!(error(&swap("Acceptance: 2 Fin(0)")), format!("co-Büchi {not_weak} @ Acceptance: 2 Fin(0)"));
    assert_eq!(
        error(&swap("acc-name: generalized-co-Buchi 2 Acceptance: 2 Fin(0)|Fin(1)")),
        format!("generalised co-Büchi {not_weak} @ Acceptance: 2 Fin(0)|Fin(1)")
    );
    for (name, words) in [
        ("Rabin 1", "Rabin"),
        ("generalized-Rabin 1 1", "generalised Rabin"),
        ("parity min odd 2", "parity"),
        ("something", "generic (`Fin` together with `Inf`)"),
    ] {
        let text = swap(&format!("acc-name: {name} Acceptance: 2 Fin(0)&Inf(1)"));
        let expected = format!("{words} acceptance is not supported @ Acceptance: 2 Fin(0)&Inf(1)");
        assert_eq!(error(&text), expected);
    }
    let streett = swap("acc-name: Streett 1 Acceptance: 2 Fin(0)|Inf(1)");
    assert_eq!(error(&streett), "Streett acceptance is not supported @ Acceptance: 2 Fin(0)|Inf(1)");
    assert_eq!(error(&swap("Acceptance: 65 Inf(0)")), "65 acceptance sets are too many @ 65");
    let pairs: Vec<String> = (0..7).map(|i| format!("Inf({})&Inf({})", 2 * i, 2 * i + 1)).collect();
    let text = swap(&format!("Acceptance: 14 {}", pairs.join("|")));
    assert!(
        error(&text)
            .starts_with("as a Büchi condition, this takes too many acceptance sets @ Acceptance: 14")
    );
}

#[test]
fn universal_branching_is_removed() {
    // Every a is followed by a b, which an extra branch waits for.
    let text = |acceptance: &str, waiting: &str| {
        format!(
            "HOA: v1 Start: 0 AP: 2 \"a\" \"b\" Acceptance: {acceptance} --BODY-- \
             State: 0 [!0|1] 0 {{0 1}} [0&!1] 0&1 {{0 1}} \
             State: 1 {waiting} [1] 2 {{0}} [!1] 1 State: 2 [t] 2&2 {{0 1}} --END--"
        )
    };
    let response = read_one(
        r#"HOA: v1 Start: 0 AP: 2 "a" "b" Acceptance: 1 Inf(0) --BODY--
        State: 0 {0} [!0 | 1] 0 [0&!1] 1 State: 1 [1] 0 [!1] 1 --END--"#,
    );
    assert_same_language(&response, &read_one(&text("1 Inf(0)", "").replace("{0 1}", "{0}")), 4);
    assert_same_language(&response, &read_one(&text("2 Inf(0) & Inf(1)", "{0}")), 4);
    assert_same_language(&response, &read_one(&text("2 Inf(0) & Inf(1)", "{1}")), 4);
    // With no condition, the branch may wait for ever.
    let everything = read_one("HOA: v1 Start: 0 Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--");
    assert_same_language(&everything, &read_one(&text("2 t", "{0}")), 4);
    // a now, and b next: as a conjunction at the start.
    let both = read_one(
        r#"HOA: v1 Start: 0&1 AP: 2 "a" "b" Acceptance: 0 t --BODY--
        State: 0 [0] 3 State: 1 [t] 2 State: 2 [1] 3 State: 3 [t] 3 --END--"#,
    );
    for (letters, expected) in [([1, 2], true), ([3, 3], true), ([0, 2], false), ([1, 1], false)] {
        assert_eq!(accepts(&both.0, &both.1, &word(&letters, &[0])), expected);
    }
    // No letter satisfies both branches.
    let (bdds, none) = read_one(
        r#"HOA: v1 Start: 0&1 AP: 1 "a" Acceptance: 0 t --BODY-- State: 0 [0] 0 State: 1 [!0] 1 --END--"#,
    );
    assert!(short_words(2).iter().all(|word| !accepts(&bdds, &none, word)));
    let fin = text("2 Fin(0)", "{0}");
    assert_eq!(
        error(&fin),
        "alternating automata with co-Büchi acceptance are not supported @ Acceptance: 2 Fin(0)"
    );
    // Any set of states can be reached.
    let mut large =
        String::from("HOA: v1 Start: 0 AP: 5 \"a\" \"b\" \"c\" \"d\" \"e\" Acceptance: 1 Inf(0) --BODY--");
    for i in 0..32 {
        let bits: Vec<String> =
            (0..5).map(|b| format!("{}{b}", if i >> b & 1 == 1 { "" } else { "!" })).collect();
        large +=
            &format!("State: {i} [t] {} [{}] {i}&{} {{0}}\n", (i + 1) % 32, bits.join("&"), (i + 7) % 32);
    }
    assert_eq!(error(&(large + "--END--")), "this alternating automaton is too large @ HOA");
}

#[test]
fn no_initial_state_is_the_empty_language() {
    for text in [
        "HOA: v1 Acceptance: 0 t --BODY-- --END--",
        "HOA: v1 States: 0 Acceptance: 0 t --BODY-- --END--",
        "HOA: v1 States: 1 Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--",
    ] {
        let (bdds, automaton) = read_one(text);
        assert_eq!(automaton.initial.len(), 1);
        assert!(!accepts(&bdds, &automaton, &word(&[], &[0])));
    }
}

#[test]
fn streams() {
    let text = format!(
        "{GFA}\n{GFA_STATE_LABELS} HOA: v1 States: --ABORT-- {} {GFA}",
        with_acceptance("1 Inf(3)", "", "")
    );
    let read = Read::new(&text);
    assert_eq!(read.automata.len(), 3);
    let messages: Vec<&str> = read.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(
        messages,
        ["an automaton was given up half-way by what wrote it", "there is no acceptance set 3"]
    );
    // An automaton without an end does not take the next one with it.
    let text = format!("HOA: v1 States: 1 {GFA} HOA: v1 Acceptance: 0 t --BODY-- State: 0 {GFA}");
    let read = Read::new(&text);
    assert_eq!((read.automata.len(), read.diagnostics.len()), (2, 2), "{}", read.messages());
    for text in ["", "  /* nothing */ "] {
        assert_eq!(error(text), "there is no automaton in this text @ ");
    }
    assert_eq!(error("HOA: v1 --ABORT--"), "there is no automaton in this text @ --ABORT--");
    assert_eq!(
        error("HOA: v1 Acceptance: 1 Inf( --ABORT--"),
        "there is no automaton in this text @ --ABORT--"
    );
}

#[test]
fn wrong_texts() {
    let header = |header: &str| format!("HOA: v1 {header} Acceptance: 1 Inf(0) --BODY-- State: 0 --END--");
    let body = |body: &str| {
        format!(
            "HOA: v1 States: 2 Start: 0 AP: 2 \"a\" \"b\" Acceptance: 1 Inf(0) --BODY-- {body} State: 1 --END--"
        )
    };
    for (text, expected) in [
        ("States: 1".into(), "expected `HOA:`, the start of an automaton, found `States:` @ States"),
        ("HOA: v2".into(), "version `v2` of the format is not known @ v2"),
        ("HOA: 1".into(), "expected the version, `v1`, found `1` @ 1"),
        ("HOA: v1 --BODY-- --END--".into(), "the header `Acceptance:` is missing @ --BODY--"),
        ("HOA: v1 Acceptance: 0 t".into(), "expected a header or `--BODY--`, but the text ends here @ "),
        (
            "HOA: v1 Acceptance: 0 t State: 0".into(),
            "expected `--BODY--` before the states, found `State:` @ State",
        ),
        ("HOA: v1 Acceptance: 1 Inf(0".into(), "expected `)`, but the text ends here @ "),
        ("HOA: v1 Acceptance: 1 Inf(0) Inf".into(), "expected a header or `--BODY--`, found `Inf` @ Inf"),
        (
            "HOA: v1 Acceptance: 1 Most(0)".into(),
            "expected `Inf(…)`, `Fin(…)`, `t`, `f` or `(`, found `Most` @ Most",
        ),
        (header("name: \"x"), "this string does not end @ \""),
        (header("/* /* */"), "this comment does not end @ /*"),
        (header("fö: 1"), "expected a header or `--BODY--`, found `f` @ f"),
        (header("ö"), "`ö` means nothing in this format @ ö"),
        (header("States: 4000000000"), "this number is too large @ 4000000000"),
        (header("States: 01"), "a number does not start with a superfluous zero @ 01"),
        (header("States: 2000000000"), "2000000000 states are too many @ States"),
        (header("Start: 2000000000"), "the state number 2000000000 is too large @ 2000000000"),
        (header("States: 1 Start: 1"), "there is no state 1 @ 1"),
        (header("States: 1 States: 1"), "`States:` is given twice @ States"),
        (header("Start: 0&"), "expected the number of a state, found `Acceptance:` @ Acceptance"),
        (header("States: 1 Start: 0&7"), "there is no state 7 @ 7"),
        (header("AP: 2 \"a\""), "2 propositions are announced, but 1 are named @ 2"),
        (header("AP: 1 \"a\" \"b\""), "1 propositions are announced, but 2 are named @ 1"),
        (header("AP: 2 \"a\" \"a\""), "the proposition `a` is given twice @ \"a\""),
        (
            header("AP: 2000000000 \"a\""),
            "2000000000 propositions are announced, but 1 are named @ 2000000000",
        ),
        (header("Alias: @x 3 AP: 1 \"a\""), "there is no proposition 3 @ 3"),
        (header("Alias: @x 2000000000"), "there is no proposition 2000000000 @ 2000000000"),
        (header("AP: 1 \"a\" Alias: @x 1"), "there is no proposition 1 @ 1"),
        (header("Alias: @x @y Alias: @y t"), "the alias `@y` is not defined @ @y"),
        (header("Alias: @x t Alias: @x f"), "the alias `@x` is defined twice @ @x"),
        (header("Fairness: 1"), "the header `Fairness:` is not known @ Fairness"),
        (header("properties: weak !"), "expected a property, found `Acceptance:` @ Acceptance"),
        (body("State: 0 [2] 0"), "there is no proposition 2 @ 2"),
        (body("State: 0 [@z] 0"), "the alias `@z` is not defined @ @z"),
        (
            body("State: 0 [0 &] 0"),
            "expected a proposition's number, `@…`, `t`, `f`, `!` or `(`, found `]` @ ]",
        ),
        (body("State: 0 [0 1] 0"), "expected `]`, `&` or `|`, found `1` @ 1"),
        (body("State: 0 [0] 2"), "there is no state 2 @ 2"),
        (body("State: 2"), "there is no state 2 @ 2"),
        (body("State: 0 State: 0"), "state 0 is described twice @ 0"),
        (body("State: 0 [t] 0 {1}"), "there is no acceptance set 1 @ 1"),
        (body("State: 0 {0 x}"), "expected the number of an acceptance set or `}`, found `x` @ x"),
        (body("State: 0 [t] 0&2"), "there is no state 2 @ 2"),
        (body("State: 0&1"), "expected an edge, `State:` or `--END--`, found `&` @ &"),
        (body("State: 0 [0] 0 1"), "of the edges of a state, all have labels or none @ 1"),
        (body("State: 0 1 [0] 0"), "of the edges of a state, all have labels or none @ ["),
        (body("State: [0] 0 1 [0] 0"), "this edge has a label, and so has its state @ ["),
        (body("State: 0 0 1 0"), "without labels, a state has 4 edges here, not 3 @ 0"),
        (body("[t] 0"), "expected an edge, `State:` or `--END--`, found `[` @ ["),
        (body("States: 0"), "expected an edge, `State:` or `--END--`, found `States:` @ States"),
    ] {
        assert_eq!(error(&text), expected, "{text}");
    }
}

#[test]
fn messages_show_the_place() {
    let read = Read::new(
        "HOA: v1\nStates: 2\nStart: 0\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[t] 7 {0}\nState: 1\n--END--\n",
    );
    assert_eq!(
        read.messages(),
        "\
error: there is no state 7
 --> a.hoa:7:5
  |
2 | States: 2
  | ------ there are 2 states, from 0 to 1
...
7 | [t] 7 {0}
  |     ^
"
    );
}

#[test]
fn what_is_only_warned_of() {
    let text = with_acceptance("2 Inf(0)", "", "").replace("HOA: v1", "HOA: v1 acc-name: Buchi");
    assert_eq!(warnings(&text), ["the name of the acceptance condition does not fit the condition"]);
    let text =
        with_acceptance("1 Inf(0)", "", "").replace("HOA: v1", "HOA: v1 acc-name: generalized-Buchi 1");
    assert!(warnings(&text).is_empty());
    let text = GFA.replace("States: 1", "States: 3");
    assert_eq!(warnings(&text), ["state 1 and others are not described: no edge leaves them"]);
    let text = GFA.replace("States: 1", "properties: complete deterministic").replace("[!0] 0", "[!0] 2");
    assert_eq!(
        warnings(&text),
        [
            "state 2 and others are not described: no edge leaves them",
            "the automaton is not complete, though its properties say so"
        ]
    );
    let text = GFA.replace("HOA: v1 ", "HOA: v1 properties: deterministic !complete ").replace("[!0]", "[t]");
    assert_eq!(warnings(&text), ["the automaton is not deterministic, though its properties say so"]);
    assert!(warnings(&GFA.replace("v1", "v1.1")).is_empty());
}

/// Numbers that would take all memory, labels that would take all time.
#[test]
fn excessive_texts() {
    let deep = |n: usize| format!("{}t{}", "(".repeat(n), ")".repeat(n));
    let label = |label: &str| GFA.replace("[0]", &format!("[{label}]"));
    assert!(read_one(&label(&deep(150))).1.states() == 1);
    assert!(read_one(&label(&format!("{}0", "!".repeat(100_000)))).1.states() == 1);
    assert_eq!(error(&label(&deep(100_000))), "parentheses are nested too deep @ (");
    let acceptance = |condition: &str| GFA.replace("Inf(0)", condition);
    assert_eq!(error(&acceptance(&deep(100_000))), "parentheses are nested too deep @ (");
    let long: String = "Inf(0) | ".repeat(100_000) + "t & ".repeat(100_000).as_str() + "Inf(0)";
    assert_eq!(read_one(&acceptance(&long)).1.sets, 1);

    let propositions = |count: usize| {
        let names: Vec<String> = (0..count).map(|i| format!("\"p{i}\"")).collect();
        format!("AP: {count} {}", names.join(" "))
    };
    let with = |aps: usize, header: &str, edges: &str| {
        format!(
            "HOA: v1 Start: 0 {} {header} Acceptance: 1 Inf(0) --BODY-- State: 0 {edges} State: 1 --END--",
            propositions(aps)
        )
    };
    assert!(error(&with(1000, "", "")).starts_with("1000 propositions are too many"));
    let all: Vec<String> = (0..512).map(|i| i.to_string()).collect();
    read_one(&with(512, "", &format!("[{}] 0", all.join("&"))));
    read_one(&with(512, "", &format!("[{}] 0", all.join("|"))));
    // Pairs in the worst order, as one label and as one label each.
    let pairs: Vec<String> = (0..256).map(|i| format!("{i}&{}", i + 256)).collect();
    let too_large = "the labels are too large to be computed with";
    assert!(error(&with(512, "", &format!("[{}] 0", pairs.join(" | ")))).starts_with(too_large));
    let edges: Vec<String> = pairs.iter().map(|pair| format!("[{pair}] 0")).collect();
    assert!(error(&with(512, "", &edges.join(" "))).starts_with(too_large));
    // The same to different states: read, and written without a word about completeness.
    let edges: Vec<String> = pairs.iter().enumerate().map(|(i, pair)| format!("[{pair}] {i}")).collect();
    let mut read = Read::new(&with(512, "", &edges.join(" ")));
    assert!(!hoa::write(&read.automata[0], &mut read.bdds).contains("complete"));

    assert_eq!(error(&with(21, "", "0")), "edges without labels, with too many propositions @ 0");
    // A parity is written through aliases.
    let mut parity = String::from("Alias: @0 0 ");
    for i in 1..60 {
        parity += &format!("Alias: @{i} !@{} & {i} | @{} & !{i} ", i - 1, i - 1);
    }
    let (mut bdds, automaton) = read_one(&with(60, &parity, "[@59] 1"));
    let written = hoa::write(&automaton, &mut bdds);
    assert!(written.len() < 10_000 && written.contains("Alias:"));
    assert_written_again(&written);
}

#[test]
fn many_states() {
    let mut text = String::from("HOA: v1 Start: 0 Acceptance: 0 t AP: 0 --BODY--\n");
    for i in 0..50_000 {
        text += &format!("State: {i} [t] {}\n", (i + 1) % 50_000);
    }
    let (mut bdds, automaton) = read_one(&(text + "--END--"));
    assert_eq!(automaton.states(), 50_000);
    let written = hoa::write(&automaton, &mut bdds);
    assert_written_again(&written);
}

/// What was written by us reads without a message and is written the same.
fn assert_written_again(written: &str) {
    let (mut bdds, automaton) = read_one(written);
    assert_eq!(hoa::write(&automaton, &mut bdds), written);
}

#[test]
fn written_texts_are_canonical() {
    let texts = [GFA, GFA_STATE_LABELS, GFA_IMPLICIT, TWO_SETS].map(String::from);
    let more = [
        with_acceptance("0 t", "", ""),
        with_acceptance("0 f", "", ""),
        with_acceptance("1 Inf(0)", "", ""),
        with_acceptance("1 Inf(0)", "{0}", "").replace("[t] 1", ""),
        with_acceptance("2 Inf(0)&Inf(1)", "", "").replace("HOA: v1", "HOA: v1 properties: trans-acc"),
        with_acceptance("3 Inf(0)&Inf(1) | Inf(2)", "{0}", "{1 2}"),
        "HOA: v1 Acceptance: 0 t --BODY-- --END--".to_string(),
    ];
    for text in texts.into_iter().chain(more) {
        let (mut bdds, automaton) = read_one(&text);
        assert_written_again(&hoa::write(&automaton, &mut bdds));
    }
}

fn corpus() -> Option<PathBuf> {
    let folder = match std::env::var_os("LARIAT_CORPUS") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
    };
    let folder = folder.join("hoa");
    folder.join("files.csv").exists().then_some(folder)
}

#[test]
fn files_of_the_corpus() {
    let Some(folder) = corpus() else { return };
    let list = std::fs::read_to_string(folder.join("files.csv")).unwrap();
    for line in list.lines().skip(1) {
        let (name, expected) = line.split_once(',').unwrap();
        let text = String::from_utf8_lossy(&std::fs::read(folder.join(name)).unwrap()).into_owned();
        let mut read = Read::new(&text);
        let messages = read.messages();
        let errors = read.diagnostics.iter().any(Diagnostic::is_error);
        match expected {
            "read" => assert!(!errors && !read.automata.is_empty(), "{name}: {messages}"),
            "refuse" => assert!(errors && read.automata.is_empty(), "{name} was read"),
            _ => assert!(errors || !read.automata.is_empty(), "{name}"),
        }
        for automaton in &read.automata {
            let written = hoa::write(automaton, &mut read.bdds);
            let again = Read::new(&written);
            assert_eq!(again.messages(), "", "{name}");
            let mut bdds = again.bdds;
            assert_eq!(hoa::write(&again.automata[0], &mut bdds), written, "{name}");
        }
    }
}

/// A generator of numbers that is the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

#[test]
fn garbled_texts_are_survived() {
    let mut texts: Vec<String> = [GFA, GFA_STATE_LABELS, GFA_IMPLICIT, TWO_SETS].map(String::from).to_vec();
    texts.push(with_acceptance("4 (Fin(0) & Inf(1)) | (Fin(2) & Inf(!3))", "{0 2}", "{0 3}"));
    texts.push(format!("{GFA} HOA: v1 States: --ABORT-- {GFA_IMPLICIT}"));
    let pieces = [
        "HOA:",
        "--END--",
        "--ABORT--",
        "--BODY--",
        "State:",
        "Start: 1",
        "[",
        "]",
        "{0}",
        "&",
        "|",
        "!",
        "(",
        ")",
        "\"",
        "\\",
        "/*",
        "*/",
        "999999",
        "4294967295",
        "@both",
        "t",
        "f",
        "é",
        "Inf(0)",
        "Fin(1)",
        "\n",
        "-",
    ];
    let mut random = Random(0x5eed);
    for _ in 0..20_000 {
        let mut text = texts[random.below(texts.len())].clone().into_bytes();
        for _ in 0..1 + random.below(4) {
            let at = random.below(text.len() + 1);
            let end = (at + 1 + random.below(8)).min(text.len());
            match random.below(4) {
                0 => drop(text.drain(at..end)),
                1 => {
                    let copy = text[at..end].to_vec();
                    let to = random.below(text.len() + 1);
                    text.splice(to..to, copy);
                }
                2 if !text.is_empty() => {
                    let (one, two) = (random.below(text.len()), random.below(text.len()));
                    text.swap(one, two);
                }
                _ => {
                    let piece = pieces[random.below(pieces.len())];
                    text.splice(at..at, piece.bytes());
                }
            }
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        let mut read = Read::new(&text);
        read.messages();
        for automaton in &read.automata {
            if automaton.states() < 1000 {
                assert_written_again(&hoa::write(automaton, &mut read.bdds));
            }
        }
    }
}
