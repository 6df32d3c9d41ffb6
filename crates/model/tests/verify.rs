//! What is well-formed passes; each kind of damage is found.

mod random_models;

use lariat_model::ir::*;
use lariat_model::text::parse;
use lariat_model::verify::verify;
use random_models::{Temper, model as random_model};

#[test]
fn well_formed_models_pass() {
    for seed in 0..2000 {
        let messages = verify(&random_model(Temper::Tame, seed));
        assert!(messages.is_empty(), "seed {seed}: {messages:#?}");
    }
}

#[test]
fn most_wild_models_do_not_pass_and_none_panics() {
    let refused = (0..1000).filter(|seed| !verify(&random_model(Temper::Wild, *seed)).is_empty()).count();
    assert!(refused > 500, "only {refused} were refused");
}

/// A model in which everything is in order, as text to be damaged.
const GOOD: &str = r#"lariat-ir 1
model "m"
file 0 "m"
symbols s0 "" "red"
record r0 "Inner" size 2
  var "a" byte +0.u8 line 0:1
  var "b" byte +1.u8
record r1 "Outer" size 4
  var "inner"[2] r0 +0 element 2
globals size 12 hidden 2
  var "x" byte g0.u8 line 0:2
  var "a"[3] short g1.i16
  var "r" r1 g7 element 4
  var "m" s0 g11.u8
  var "h" byte g12.u8 hidden
  init g0.u8 = 1
  init g13.u8 = new c0
channel c0 "q" capacity 2: byte.u8, s0.u8
process p0 "P" start 1 size 3 parameters 1 line 0:3
  provided l0.u8 == 0
  var "p" byte l0.u8
  var "n" short l1.i16
  init l1.i16 = l0.u8
  statement 0 ""
  statement 1 "x" line 0:4
  label "L" 2
  location 0
  location 1 end line 0:4
    -> 2 #1 set g1[l0.u8 of 3 by 2].i16 = p0(1).l1.i16
    -> 0 #1 end
    -> 1 #1 else
  location 2 committed
    assertion #1 g0.u8
    -> 1 #1 run p0(1) priority 1 then g0.u8 = result
    -> 1 #1 print %e0: 1
    -> 1 #1 when p0@2
    -> 1 #1 set priority.0.u8 = 1
    -> 1 #1 set_all g0.u8 = 1, g11.u8 = l0.u8
    -> 1 #1 move p0 3 to 2
    -> 1 #1 receive g13.u8: store l1.i16, match 1
    -> 1 #1 program {
      guard when g0.u8
      node 0 choose #1
        option -> 1 else
        option -> exit
      node 1 do -> exit #1 skip
    }
start p0 priority 1
claim never "n" start 1 size 0 parameters 0
  statement 0 ""
  location 0
  location 1
    -> 1 #0 when timeout
formula "f" "g" line 0:5
"#;

#[test]
fn each_kind_of_damage_is_found() {
    assert_eq!(verify(&parse(GOOD).unwrap()), Vec::<String>::new());
    for (sound, damaged, message) in [
        // Numbers that refer to nothing.
        ("byte +0.u8 line 0:1", "byte +0.u8 line 1:1", "record r0 \"Inner\", variable \"a\": line 1:1"),
        ("byte g0.u8 line 0:2", "byte g0.u8 line 9:2", "globals, variable \"x\": line 9:2"),
        ("parameters 1 line 0:3", "parameters 1 line 1:3", "process p0 \"P\": line 1:3"),
        ("\"x\" line 0:4", "\"x\" line 1:4", "statement 1: line 1:4"),
        ("end line 0:4", "end dead 0-99 line 0:4", "location 1: dead bytes 0..99"),
        ("end line 0:4", "end dead 1-1 line 0:4", "location 1: dead bytes 1..1"),
        ("end line 0:4", "end line 1:4", "location 1: line 1:4"),
        ("\"g\" line 0:5", "\"g\" line 1:5", "formula \"f\": line 1:5"),
        ("r0 +0 element 2", "r2 +0 element 2", "record type r2 does not exist"),
        ("r1 g7", "r2 g7", "record type r2 does not exist"),
        ("s0 g11.u8", "s1 g11.u8", "symbol list s1 does not exist"),
        ("byte.u8, s0.u8", "byte.u8, s1.u8", "channel c0 \"q\": symbol list s1 does not exist"),
        ("print %e0", "print %e1", "symbol list s1 does not exist"),
        ("new c0", "new c1", "channel type c1 does not exist"),
        ("run p0", "run p1", "process type p1 does not exist"),
        ("when p0@2", "when p1@2", "process type p1 does not exist"),
        ("p0(1).l1", "p1(1).l1", "process type p1 does not exist"),
        ("start p0", "start p1", "start: process type p1 does not exist"),
        ("when p0@2", "when p0@3", "location 3 of process type p0 does not exist"),
        ("-> 2 #1", "-> 3 #1", "location 1, transition 0: leads to location 3"),
        ("\"P\" start 1", "\"P\" start 3", "starts at location 3"),
        ("\"P\" start 1", "\"P\" start 0", "starts at location 0"),
        ("\"n\" start 1", "\"n\" start 2", "claim \"n\": starts at location 2"),
        ("label \"L\" 2", "label \"L\" 3", "label \"L\" is at location 3"),
        ("-> 2 #1", "-> 2 #2", "statement #2 does not exist"),
        ("choose #1", "choose #2", "node 0: statement #2 does not exist"),
        ("do -> exit #1", "do -> exit #7", "node 1: statement #7 does not exist"),
        ("option -> 1 else", "option -> 2 else", "node 0: leads to node 2"),
        ("do -> exit", "do -> 2", "node 1: leads to node 2"),
        ("move p0 3", "move p1 3", "process type p1 does not exist"),
        ("3 to 2", "3 to 3", "location 3 of process type p0 does not exist"),
        ("3 to 2", "3 to 0", "location 0 of process type p0 does not exist"),
        ("assertion #1", "assertion #2", "statement #2 does not exist"),
        ("assertion #1 g0", "assertion #1 g14", "a scalar at bytes 14..15 of the 14"),
        ("set_all g0", "set_all g14", "a scalar at bytes 14..15 of the 14"),
        // Scalars outside their section.
        ("short g1.i16", "short g7.i16", "variable \"a\": lies at bytes 7..13"),
        ("globals size 12 hidden 2", "globals size 11 hidden 2", "variable \"m\": lies at bytes 11..12"),
        ("globals size 12 hidden 2", "globals size 12 hidden 0", "variable \"h\": lies at bytes 12..13"),
        ("byte g12.u8 hidden", "byte g12.u8", "variable \"h\": lies at bytes 12..13, not inside 0..12"),
        (
            "byte g0.u8 line",
            "byte g0.u8 hidden line",
            "variable \"x\": lies at bytes 0..1, not inside 12..14",
        ),
        ("\"a\"[3]", "\"a\"[4294967295]", "variable \"a\": lies at bytes 1..8589934591"),
        ("\"a\"[3]", "\"a\"[0]", "an array without elements"),
        ("r1 g7 element 4", "r1 g7 element 3", "elements of 3 bytes: the type needs 4"),
        ("byte g0.u8 line", "byte g0.u8 element 0 line", "elements of 0 bytes: the type needs 1"),
        ("\"Outer\" size 4", "\"Outer\" size 3", "variable \"inner\": lies at bytes 0..4"),
        ("\"P\" start 1 size 3", "\"P\" start 1 size 2", "variable \"n\": lies at bytes 1..3"),
        ("init g13.u8", "init g14.u8", "globals, initialisation 1: a scalar at bytes 14..15 of the 14"),
        ("when g0.u8", "when g14.u8", "a scalar at bytes 14..15 of the 14"),
        ("when g0.u8", "when g4294967295.i32", "a scalar at bytes 4294967295..4294967299 of the 14"),
        ("provided l0.u8", "provided l0.i32", "provided: a scalar at bytes 0..4 of the 3"),
        ("of 3 by 2", "of 8 by 2", "a scalar at bytes 15..17 of the 14 of globals"),
        ("of 3 by 2", "of 3 by 6", "a scalar at bytes 13..15 of the 14 of globals"),
        ("of 3 by 2", "of 0 by 2", "an index into an array without elements"),
        ("of 3 by 2", "of 4294967295 by 4294967295", "of the 14 of globals"),
        ("p0(1).l1.i16", "p0(1).l2.i16", "a scalar at bytes 2..4 of the 3"),
        ("p0(1).l1.i16", "p0(l4.u8).l1.i16", "a scalar at bytes 4..5 of the 3"),
        ("store l1.i16", "store l1.i32", "a scalar at bytes 1..5 of the 3"),
        ("match 1", "match l3.u8", "a scalar at bytes 3..4 of the 3"),
        ("priority.0.u8", "priority.0.u9", "a priority of 2 bytes"),
        (
            "when timeout",
            "when l0.u8",
            "claim \"n\", location 1, transition 0: a scalar at bytes 0..1 of the 0",
        ),
        // Storages.
        ("byte g0.u8 line", "byte g0.u0 line", "a storage of 0 bits"),
        ("s0.u8", "s0.u33", "a storage of 33 bits"),
        ("when g0.u8", "when g0.u255", "a storage of 255 bits"),
        ("set priority.0.u8 = 1", "set g0.u0 = 1", "a storage of 0 bits"),
        // Things in the wrong place.
        ("parameters 1 line", "parameters 3 line", "3 parameters, but 2 variables"),
        ("then g0.u8 = result", "then g0.u8 = l1.i32", "of the 3"),
        ("run p0(1)", "run p0(result)", "`result` outside a run"),
        ("when g0.u8", "when result", "`result` outside a run"),
        ("init g0.u8 = 1", "init g0.u8 = l0.u8", "a local variable, where there is no process"),
        ("init g0.u8 = 1", "init g0.u8 = load l0.u8", "a local variable, where there is no process"),
        (
            "init g0.u8 = 1",
            "init g0.u8 = g0[l0.u8 of 2 by 1].u8",
            "a local variable, where there is no process",
        ),
        ("init g0.u8 = 1", "init l0.u8 = 1", "a local variable, where there is no process"),
        ("init g0.u8 = 1", "init priority.0.u8 = 1", "a priority, where there is no process"),
        ("init g0.u8 = 1", "init g0.u8 = priority", "a priority, where there is no process"),
        ("#1 skip", "#1 else", "node 1: `else` inside a program"),
        ("#1 skip", "#1 end", "node 1: `end` inside a program"),
        ("guard when g0.u8", "guard end", "guard: `end` inside a program"),
        ("option -> 1 else", "option -> 1 end", "node 0: `end` inside a program"),
        ("#1 skip", "#1 program {\n}", "node 1: a program without nodes"),
        ("-> 0 #1 end", "-> 0 #1 keeps_control end", "a process that ends cannot keep control"),
        (
            "statement 0 \"\"\n  statement 1",
            "statement 0 \"x\"\n  statement 1",
            "statement 0 is not there or not empty",
        ),
        (
            "location 0\n  location 1 end",
            "location 0 end\n  location 1 end",
            "location 0 is not there or not empty",
        ),
        (
            "location 0\n  location 1 end",
            "location 0\n -> 1 #0 skip\n  location 1 end",
            "location 0 is not there or not empty",
        ),
        ("when g0.u8", "when timeout", "`timeout` is used, but not among the features"),
        ("when g0.u8", "when last", "`last` is used, but not among the features"),
        // What would grow without bound.
        (
            "\"Inner\" size 2\n",
            "\"Inner\" size 4\n  var \"o\" r1 +0 element 4\n",
            "record r0 \"Inner\": contains itself",
        ),
        ("globals size 12", "globals size 4000000000", "globals: 4000000000 bytes are more than"),
        ("capacity 2", "capacity 4000000000", "channel c0 \"q\": 8000000000 bytes are more than"),
        (
            "\"P\" start 1 size 3",
            "\"P\" start 1 size 4000000000",
            "process p0 \"P\": 4000000000 bytes are more than",
        ),
    ] {
        assert!(GOOD.contains(sound), "nothing to damage: {sound}");
        let model =
            parse(&GOOD.replacen(sound, damaged, 1)).unwrap_or_else(|error| panic!("{damaged}: {error}"));
        let messages = verify(&model);
        assert!(
            messages.iter().any(|m| m.contains(message)),
            "{damaged}: expected {message:?} among {messages:#?}"
        );
    }
}

#[test]
fn long_lists_are_refused() {
    let long = 65_536;
    let good = || parse(GOOD).unwrap();
    type Damage = fn(&mut Model, usize);
    let damages: [(&str, Damage); 9] = [
        ("files", |m, n| m.files.resize(n, String::new())),
        ("symbols", |m, n| m.symbol_lists[0].symbols.resize(n, String::new())),
        ("initialisations", |m, n| m.initialise.resize(n, m.initialise[0].clone())),
        ("channel types", |m, n| m.channel_types.resize(n, m.channel_types[0].clone())),
        ("process types", |m, n| m.process_types.resize(n, m.process_types[0].clone())),
        ("processes at the start", |m, n| m.start.resize(n, m.start[0].clone())),
        ("locations", |m, n| m.process_types[0].locations.resize(n, LocationInfo::default())),
        ("statements", |m, n| m.process_types[0].statements.resize(n, Statement::default())),
        ("transitions", |m, n| {
            let list = &mut m.process_types[0].locations[1].transitions;
            list.resize(n, list[0].clone());
        }),
    ];
    for (what, damage) in damages {
        let mut model = good();
        damage(&mut model, long);
        let messages = verify(&model);
        let expected = format!("65536 {what} are more than 65535");
        assert!(messages.iter().any(|m| m.contains(&expected)), "{expected}: {messages:#?}");
    }
}
