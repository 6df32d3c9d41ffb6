//! Reading and writing never claims.
//!
//! Claims are judged by the words they accept, against formulas evaluated by definition. Where Spin is
//! installed, its own claims are read, and ours are given to it.

use lariat_ltl::emptiness::accepts;
use lariat_ltl::evaluate::evaluate;
use lariat_ltl::never::{self, Unwritable};
use lariat_ltl::parse::{Dialect, parse};
use lariat_ltl::{Automaton, Bdds, Formulas, Letter, Word, hoa};
use lariat_source::SourceMap;
use std::process::Command;

fn read_claim(text: &str) -> Result<(Bdds, Automaton), String> {
    let mut sources = SourceMap::new();
    let file = sources.add("claim.pml", "claim.pml", text.to_string());
    let mut bdds = Bdds::new();
    let (automaton, diagnostics) = never::read(&sources, file, &mut bdds);
    match automaton {
        Some(automaton) => {
            assert!(diagnostics.is_empty());
            Ok((bdds, automaton))
        }
        None => {
            assert_eq!(diagnostics.len(), 1);
            assert!(diagnostics[0].is_error());
            Err(diagnostics[0].render(&sources))
        }
    }
}

fn claim(text: &str) -> (Bdds, Automaton) {
    read_claim(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The message of a claim that is refused, and the text it points to.
fn error(text: &str) -> String {
    let mut sources = SourceMap::new();
    let file = sources.add("claim.pml", "claim.pml", text.to_string());
    let (automaton, diagnostics) = never::read(&sources, file, &mut Bdds::new());
    assert!(automaton.is_none(), "this was read: {text}");
    assert_eq!(diagnostics.len(), 1);
    format!("{} @ {}", diagnostics[0].message, sources.text(diagnostics[0].span()))
}

fn automaton_of(text: &str) -> (Bdds, Automaton) {
    let mut sources = SourceMap::new();
    let file = sources.add("a.hoa", "a.hoa", text.to_string());
    let mut bdds = Bdds::new();
    let (mut automata, diagnostics) = hoa::read(&sources, file, &mut bdds);
    assert!(diagnostics.is_empty(), "{}", diagnostics[0].render(&sources));
    (bdds, automata.remove(0))
}

/// All words with at most two letters before a cycle of at most three, over these propositions; bit i for
/// proposition i.
fn short_words(propositions: usize) -> Vec<(Vec<u32>, Vec<u32>)> {
    let letters = 1 << propositions;
    let mut lists: Vec<Vec<u32>> = vec![Vec::new()];
    let mut start = 0;
    for _ in 0..3 {
        let end = lists.len();
        for list in start..end {
            for letter in 0..letters {
                let longer = [&lists[list][..], &[letter]].concat();
                lists.push(longer);
            }
        }
        start = end;
    }
    let mut words = Vec::new();
    for prefix in lists.iter().filter(|list| list.len() <= 2) {
        for cycle in lists.iter().filter(|list| !list.is_empty()) {
            words.push((prefix.clone(), cycle.clone()));
        }
    }
    words
}

/// The word as `wanted` numbers the propositions that `names` numbers.
fn word(names: &[String], wanted: &[String], (prefix, cycle): &(Vec<u32>, Vec<u32>)) -> Word {
    let letter = |bits: &u32| {
        let value =
            |name: &String| names.iter().position(|known| known == name).is_some_and(|i| bits >> i & 1 == 1);
        Letter(wanted.iter().map(value).collect())
    };
    Word { prefix: prefix.iter().map(letter).collect(), cycle: cycle.iter().map(letter).collect() }
}

fn all_names(one: &[String], two: &[String]) -> Vec<String> {
    let mut names = one.to_vec();
    names.extend(two.iter().filter(|name| !one.contains(name)).cloned());
    names
}

fn assert_same_language(one: &(Bdds, Automaton), two: &(Bdds, Automaton)) {
    let names = all_names(&one.1.propositions, &two.1.propositions);
    for letters in short_words(names.len()) {
        let [first, second] = [one, two].map(|(bdds, automaton)| {
            accepts(bdds, automaton, &word(&names, &automaton.propositions, &letters))
        });
        assert_eq!(first, second, "{letters:?} over {names:?}");
    }
}

fn assert_accepts_what_satisfies((bdds, automaton): &(Bdds, Automaton), text: &str) {
    let mut sources = SourceMap::new();
    let file = sources.add("formula", "formula", text.to_string());
    let parsed = parse(&sources, file, Dialect::Spot);
    let mut formulas = Formulas::new();
    let formula = parsed.tree.unwrap_or_else(|| panic!("{text}")).to_formula(&mut formulas);
    let names = all_names(formulas.propositions(), &automaton.propositions);
    for letters in short_words(names.len()) {
        let expected = evaluate(&formulas, formula, &word(&names, formulas.propositions(), &letters));
        let found = accepts(bdds, automaton, &word(&names, &automaton.propositions, &letters));
        assert_eq!(found, expected, "{text}: {letters:?} over {names:?}");
    }
}

/// Written and read again: the same words, and the same text.
fn assert_round_trip((bdds, automaton): &mut (Bdds, Automaton)) -> String {
    let written = never::write(automaton, bdds).unwrap();
    let mut again = claim(&written);
    assert_same_language(&(bdds.clone(), automaton.clone()), &again);
    assert_eq!(never::write(&again.1, &mut again.0).unwrap(), written);
    written
}

#[test]
fn claims_in_the_styles_of_several_tools() {
    for (text, formula) in [
        // A loop with jumps, the end reached by a jump.
        (
            "never { /* F a */\nT0_init :\n if :: (1) -> goto T0_init :: (a) -> goto accept_all fi;\n\
             accept_all :\n skip\n}",
            "F a",
        ),
        // The end reached by an assertion that fails.
        (
            "never {\nT0_init:\n\tdo\n\t:: atomic { ((a)) -> assert(!((a))) }\n\t:: (1) -> goto T0_init\n\tod;\n\
             accept_all:\n\tskip\n}",
            "F a",
        ),
        ("never { accept_init: T0_init: do :: ((a && !(b)) || (! (a))) -> goto T0_init od }", "G (a -> !b)"),
        (
            "never { T0_init: do :: atomic { a -> assert(!a) } :: !(b) -> goto T0_init od; accept_all: skip }",
            "!b U a",
        ),
        // States without edges, states that nobody reaches.
        ("never { T0_init: if :: (a) -> goto accept_S1 fi; T0_S7: skip; accept_S1: false; }", "0"),
        (
            "never {\nT0_init:\n if\n :: a -> goto accept_S1\n :: !a -> goto T0_init\n fi;\n\
             accept_S1:\n if\n :: a -> goto accept_S1\n :: !a -> goto T0_init\n fi;\n}",
            "G F a",
        ),
    ] {
        let mut automaton = claim(text);
        assert_accepts_what_satisfies(&automaton, formula);
        assert_round_trip(&mut automaton);
    }
}

#[test]
fn claims_by_hand() {
    for (text, formula) in [
        // Nothing to do is to have found it.
        ("never { }", "1"),
        ("never { skip }", "1"),
        ("never { false }", "0"),
        ("never { a }", "a"),
        ("never { a; b }", "a & X b"),
        ("never { a -> b -> !a; }", "a & X b & XX !a"),
        ("never { a\n b\n}", "a & X b"),
        ("never { if :: a -> b :: else -> !b fi }", "(a & X b) | (!a & X !b)"),
        (
            "never { if :: a && b :: b -> skip; a :: else -> a fi; b }",
            "(a & b & X b) | (b & XXa & XXXb) | (!b & X a & XX b)",
        ),
        // Loops.
        ("never { do :: a :: b -> break od; !a }", "a U (b & X !a)"),
        ("never { do :: !a :: a -> break od; accept: do :: b od }", "!a U (a & X G b)"),
        ("never { do :: true :: a -> b; break od }", "F (a & X b)"),
        (
            "never { do :: do :: a :: b -> break od :: !a && !b -> break od }",
            "(!a & !b) | (a | b) U (b & X (!a & !b))",
        ),
        // A selection that starts an option belongs to the selection around it, and so does its `else`.
        ("never { if :: a -> false :: if :: b :: else -> a fi fi }", "b | !a & X a"),
        // A jump is a step only as the first statement of an option, or behind an accepting label.
        ("never { if :: goto end fi; end: a }", "X a"),
        ("never { do :: break od; a }", "X a"),
        ("never { a; goto end; b; end: !a }", "a & X !a"),
        ("never { goto L2; L1: b; goto L3; L2: a; goto L1; L3: }", "a & X b"),
        ("never { a; accept_M: goto N; N: b }", "a & XX b"),
        ("never { a; M: goto N; N: b }", "a & X b"),
        ("never { L: goto L }", "0"),
        ("never { accept_L: goto accept_L }", "1"),
        ("never { accept_L: if :: a :: else -> false fi; goto accept_L }", "G a"),
        // Assertions.
        ("never { assert(a); assert(b); false }", "!a | X !b"),
        ("never { do :: assert(!a) od }", "F a"),
        ("never { do :: atomic { a -> assert(b) } od }", "a U (a & !b)"),
        ("never { do :: atomic { a -> assert(b); break } :: else od; a }", "!a U ((a & !b) | (a & b & X a))"),
        ("never { do :: a :: atomic { else -> assert(b) } od }", "F (!a & !b)"),
        ("never { L: if :: d_step { a -> goto L } :: { b -> { a } } fi }", "a U (b & X a)"),
        // Accepting labels.
        ("never { S: accept_now: if :: a -> goto S :: b -> goto S fi }", "G (a | b)"),
        ("never { S: if :: a -> goto accept_T :: 1 -> goto S fi; accept_T: if :: 1 -> goto S fi }", "G F a"),
        ("never { a; do :: b od }", "0"),
        ("never spec { a }", "a"),
        ("#define a (x == 1)\n#define b \\\n  c\nnever { /* x */ a; // rest\n b }", "a & X b"),
    ] {
        let mut automaton = claim(text);
        assert_accepts_what_satisfies(&automaton, formula);
        assert_round_trip(&mut automaton);
    }
}

#[test]
fn conditions() {
    let propositions = |condition: &str| claim(&format!("never {{ ({condition}); false }}")).1.propositions;
    for (condition, expected) in [
        ("a", vec!["a"]),
        ("((a)) && !((b) || a)", vec!["a", "b"]),
        ("x==1 && ! (y<2)", vec!["x == 1", "y < 2"]),
        ("(x+1)*2 == -y", vec!["(x + 1) * 2 == -y"]),
        ("x == 1 == (y && z)", vec!["x == 1 == (y && z)"]),
        ("a & b", vec!["a & b"]),
        ("len( q )>0 || P[1] @ l", vec!["len(q) > 0", "P[1]@l"]),
        ("P:x == 1", vec!["P:x == 1"]),
        ("q?[msg,3] || empty(q)", vec!["empty(q)"]),
        ("\"any text\" && a.b[i].c", vec!["any text", "a.b[i].c"]),
        ("1 && true && !0 && !false && !!a", vec!["a"]),
        ("np_ || timeout || _last == 2 || enabled(1)", vec!["np_", "timeout", "_last == 2", "enabled(1)"]),
    ] {
        let found = propositions(condition);
        let expected: Vec<&str> = expected;
        match condition {
            // How a question to a channel is spelled is not fixed here.
            _ if condition.contains("?[") => assert_eq!(found.len(), 2),
            _ => assert_eq!(found, expected, "{condition}"),
        }
    }
    let same = claim("never { x==1; (x  == 1); ((x==1)) }");
    assert_eq!(same.1.propositions.len(), 1);
}

#[test]
fn what_is_written() {
    let mut response = automaton_of(
        r#"HOA: v1 name: "!G(p -> F q) /* */" Start: 0 AP: 2 "q" "x < 2" Acceptance: 1 Inf(0) --BODY--
        State: 0 [t] 0 [!0 & 1] 1 State: 1 {0} [!0] 1 --END--"#,
    );
    assert_eq!(
        assert_round_trip(&mut response),
        "\
never { /* !G(p -> F q) / * * / */
T0_init:
    if
    :: (true) -> goto T0_init
    :: (!q && (x < 2)) -> goto accept_S1
    fi;
accept_S1:
    if
    :: (!q) -> goto accept_S1
    fi;
}
"
        .replace("    ", "\t")
    );
    let mut several = automaton_of(
        r#"HOA: v1 Start: 2 Start: 0 AP: 2 "b" "a" Acceptance: 1 Inf(0) --BODY--
        State: 0 [1 | 0] 1 State: 1 {0} [t] 1 State: 2 {0} [0&!1 | !0&1] 2 [1] 3 State: 3 --END--"#,
    );
    assert_eq!(
        assert_round_trip(&mut several),
        "\
never {
T0_init:
    if
    :: ((!a && b) || (a && !b)) -> goto accept_S1
    :: (a) -> goto T0_S2
    :: (b || a) -> goto accept_all
    fi;
accept_S1:
    if
    :: ((!a && b) || (a && !b)) -> goto accept_S1
    :: (a) -> goto T0_S2
    fi;
T0_S2:
    false;
accept_all:
    skip
}
"
        .replace("    ", "\t")
        .replace("(b || a)", "(a || b)")
    );
    let mut all = automaton_of(r#"HOA: v1 Start: 0 Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--"#);
    assert_eq!(assert_round_trip(&mut all), "never {\naccept_init:\n\tskip\n}\n");
    let mut none = automaton_of(r#"HOA: v1 Acceptance: 0 t --BODY-- --END--"#);
    assert_eq!(assert_round_trip(&mut none), "never {\nT0_init:\n\tfalse;\n}\n");
    let mut safe = automaton_of(
        r#"HOA: v1 Start: 0 AP: 1 "a" Acceptance: 0 t --BODY-- State: 0 [0] 1 State: 1 [!0] 0 --END--"#,
    );
    assert_round_trip(&mut safe);
}

#[test]
fn what_cannot_be_written() {
    let unwritable = |text: &str| {
        let (mut bdds, automaton) = automaton_of(text);
        never::write(&automaton, &mut bdds).unwrap_err()
    };
    let text =
        r#"HOA: v1 Start: 0 AP: 1 "a" Acceptance: 2 Inf(0)&Inf(1) --BODY-- State: 0 {0 1} [0] 0 --END--"#;
    assert_eq!(unwritable(text), Unwritable::SeveralSets(2));
    let text =
        r#"HOA: v1 Start: 0 AP: 1 "a" Acceptance: 1 Inf(0) --BODY-- State: 0 [0] 0 {0} [!0] 0 --END--"#;
    assert_eq!(unwritable(text), Unwritable::AcceptanceOnEdges);
    for name in
        ["if", "a b", "a; b", "x ==", "(a", "a)", "true", "", "a = 1", "say \\\"x\\\"", "#a", "a /* b */"]
    {
        let text =
            format!("HOA: v1 Start: 0 AP: 1 \"{name}\" Acceptance: 0 t --BODY-- State: 0 [0] 0 --END--");
        assert!(matches!(unwritable(&text), Unwritable::Proposition(_)), "{name}");
        // It does not matter where it does not occur.
        let (mut bdds, automaton) = automaton_of(&text.replace("[0]", "[t]"));
        assert!(never::write(&automaton, &mut bdds).is_ok());
    }
}

#[test]
fn the_name_is_in_the_comment() {
    let name = |text: &str| claim(text).1.name;
    assert_eq!(name("never { /* [] <> p */\n skip }"), Some("[] <> p".into()));
    assert_eq!(name("never  {    /* a\n  b */\n skip }"), Some("a b".into()));
    assert_eq!(name("never {\n /* not this */ skip }"), None);
    assert_eq!(name("/* not this */ never p { skip }"), Some("p".into()));
}

#[test]
fn what_is_refused() {
    for (text, expected) in [
        ("", "expected `never`, but the text ends here @ "),
        ("byte x;", "expected `never`, found `byte` @ byte"),
        ("never skip", "expected `{`, but the text ends here @ "),
        ("never { skip", "expected `}`, but the text ends here @ "),
        ("never { skip } never { skip }", "a second claim is not read @ never"),
        ("never { skip } init { skip }", "text behind the claim is not read @ init"),
        ("never { x = 1 }", "an assignment is not possible in a claim @ ="),
        ("never { x++ }", "an assignment is not possible in a claim @ ++"),
        ("never { q!1 }", "a send is not possible in a claim @ !"),
        ("never { do :: q?x -> skip od }", "a receive is not possible in a claim @ ?"),
        ("never { printf(\"x\") }", "`printf` is not possible in a claim @ printf"),
        ("never { run P() }", "`run` is not possible in a claim @ run"),
        ("never { (run P()) }", "a claim may not start processes @ run"),
        ("never { c_expr { x } }", "embedded C is not supported in claims @ c_expr"),
        ("never { int x; skip }", "a claim has no variables of its own here, found `int` @ int"),
        ("never { a unless b }", "`unless` is not possible in a claim @ unless"),
        ("never { a b }", "expected `;`, `->`, or the end of the sequence, found `b` @ b"),
        ("never { goto L }", "there is no label `L` @ L"),
        ("never { L: a; L: b }", "the label `L` is defined twice @ L"),
        ("never { if :: L: a fi }", "a label cannot stand before the first statement of an option @ L"),
        ("never { break }", "`break` outside a loop @ break"),
        ("never { else }", "`else` can only be the first statement of an option @ else"),
        ("never { a; else }", "`else` can only be the first statement of an option @ else"),
        ("never { if fi }", "expected `::`, found `fi` @ fi"),
        ("never { if :: fi }", "expected a statement, found `fi` @ fi"),
        ("never { if :: a od }", "expected `::` or `fi`, found `od` @ od"),
        ("never { (a }", "expected `)` or an operator, found `}` @ }"),
        ("never { a && }", "expected a condition, found `}` @ }"),
        ("never { a $ }", "`$` means nothing here @ $"),
        ("never { /* a }", "this comment does not end @ /*"),
        ("never { \"a }", "this string does not end @ \"a"),
        ("never { atomic { a; b } }", "more than one step in an atomic sequence of a claim @ b"),
        ("never { atomic { if :: a fi } }", "expected a condition, found `if` @ if"),
        ("never { assert a }", "expected `(`, found `a` @ a"),
    ] {
        assert_eq!(error(text), expected, "{text}");
    }
    assert_eq!(
        read_claim("never {\nS0:\tdo\n\t:: x = 1 -> goto S0\n\tod\n}\n").err().unwrap(),
        "\
error: an assignment is not possible in a claim
 --> claim.pml:3:7
  |
3 |     :: x = 1 -> goto S0
  |          ^ a claim only looks at the model
  = hint: to compare, write `==`
"
    );
}

#[test]
fn excessive_claims() {
    let nested = |open: &str, inside: &str, close: &str| {
        format!("never {{ {}{inside}{} }}", open.repeat(50_000), close.repeat(50_000))
    };
    for text in [
        nested("(", "a", ")"),
        nested("- ", "a", ""),
        nested("!(", "a", ")"),
        nested("a[", "a", "]"),
        nested("f(", "a", ")"),
        nested("{", "a", "}"),
        nested("if :: ", "a", " fi"),
        nested("do :: ", "a", " od"),
        nested("a && (", "a", ")"),
        nested("(a -> ", "b", " : c)"),
    ] {
        assert!(error(&text).starts_with("this is nested too deep @"), "{:.60}", text);
    }
    claim(&nested("!", "a", ""));
    claim(&nested("a && ", "b", ""));
    claim(&nested("(a) || ", "b", ""));
    claim(&nested("skip; ", "b", ""));
    claim(&nested("if :: a :: b fi; ", "b", ""));
    let mut jumps = String::from("never { ");
    for i in 0..20_000 {
        jumps += &format!("L{i}: goto L{}; ", i + 1);
    }
    claim(&(jumps + "L20000: a }"));
    let pairs: Vec<String> = (0..200).map(|i| format!("a{i} && b{i}")).collect();
    let firsts: Vec<String> = (0..200).map(|i| format!("a{i}")).collect();
    let text = format!("never {{ ({}) || {} }}", firsts.join(" && "), pairs.join(" || "));
    assert!(error(&text).starts_with("the conditions are too large"), "{}", error(&text));
    let many: Vec<String> = (0..600).map(|i| format!("a{i}")).collect();
    assert!(
        error(&format!("never {{ {} }}", many.join(" && ")))
            .starts_with("the claim has too many propositions")
    );
}

/// What `spin` answers, if it is installed.
fn spin(arguments: &[&str], model: Option<&str>) -> Option<(bool, String)> {
    let folder = std::env::temp_dir().join(format!("lariat-never-{}", std::process::id()));
    std::fs::create_dir_all(&folder).ok()?;
    let mut command = Command::new("spin");
    command.current_dir(&folder).args(arguments);
    if let Some(model) = model {
        std::fs::write(folder.join("model.pml"), model).ok()?;
        command.arg("model.pml");
    }
    let output = command.output().ok();
    let _ = std::fs::remove_dir_all(&folder);
    let output = output?;
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    Some((output.status.success(), text))
}

const FORMULAS: &[&str] = &[
    "true",
    "false",
    "a",
    "!a",
    "<> a",
    "[] a",
    "[] <> a",
    "<> [] a",
    "a U b",
    "a V b",
    "[] (a -> <> b)",
    "! ([] (a -> <> b))",
    "([] <> a) -> ([] <> b)",
    "! (([] <> a) -> ([] <> b))",
    "(a U b) || ([] c)",
    "<> (a && <> (b && <> c))",
    "! ((a U b) U c)",
    "[] (a || [] (b || <> c))",
    "([] <> a) && ([] <> b)",
];

#[test]
fn claims_of_spin_are_read_and_ours_are_accepted() {
    for formula in FORMULAS {
        let Some((true, text)) = spin(&["-f", formula], None) else { return };
        let mut automaton = claim(&text);
        assert_eq!(automaton.1.name.as_deref(), Some(*formula));
        assert_accepts_what_satisfies(&automaton, &formula.replace(" V ", " R "));
        let written = assert_round_trip(&mut automaton);
        let model =
            format!("byte a, b, c;\nactive proctype P() {{ do :: a = 1 - a :: b = 1 - b od }}\n{written}");
        let Some((accepted, answer)) = spin(&["-a"], Some(&model)) else { return };
        assert!(accepted && !answer.to_lowercase().contains("error"), "{written}\n{answer}");
    }
}

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
fn garbled_claims_are_survived() {
    let texts = [
        "never { /* F a */\nT0_init:\n if\n :: (1) -> goto T0_init\n :: (a && x == 1) -> goto accept_all\n fi;\n\
         accept_all:\n skip\n}",
        "never { T0_init: do :: atomic { ((a)) -> assert(!((a))) } :: P[1]@l -> goto T0_init :: else od; \
         accept_all: skip }",
        "#define p q\nnever n { L: if :: a -> b; !a :: do :: a :: b -> break od :: {a} :: else -> goto L fi; \
         accept: c; goto M; M: }",
    ];
    let pieces = [
        "never", "{", "}", "if", "fi", "do", "od", "::", ":", ";", "->", "goto", "L", "L:", "accept:",
        "break", "else", "atomic {", "assert(", "(", ")", "[", "]", "!", "&&", "||", "\"", "'", "/*", "*/",
        "//", "#", "\n", "é", "=", "?",
    ];
    let mut random = Random(0x5eed);
    for _ in 0..20_000 {
        let mut text = texts[random.below(texts.len())].as_bytes().to_vec();
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
        if let Ok((mut bdds, automaton)) = read_claim(&text)
            && let Ok(written) = never::write(&automaton, &mut bdds)
        {
            let (mut bdds, again) = claim(&written);
            assert_eq!(never::write(&again, &mut bdds).unwrap(), written, "{text}");
        }
    }
}
