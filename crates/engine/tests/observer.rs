//! Assertions about events, on tiny models: what they watch, what fits, when they are broken.

mod simulation;

use lariat_engine::{Interpreter, SuccessorFunction, Successors, ViolationKind};
use simulation::*;

/// Two buffered channels `c` (number 1, two fields, the second of one bit) and `d` (number 2), a rendezvous
/// `r` (number 3), a process that executes actions one after the other and waits at its end, and a claim with
/// these locations.
fn observed(kind: &str, actions: &[&str], claim: &str) -> String {
    let mut text = "globals size 4 hidden 0\n var \"c\" channel g0.u8\n var \"d\" channel g1.u8\n var \"r\" channel g2.u8\n \
         var \"x\" byte g3.u8\n init g0.u8 = new c0\n init g1.u8 = new c1\n init g2.u8 = new c2\n\
         channel c0 \"c\" capacity 3: byte.u8, bit.u1\nchannel c1 \"d\" capacity 3: byte.u8\nchannel c2 \"r\" capacity 0: byte.u8\n\
         process p0 \"P\" start 1 size 0 parameters 0\n"
        .to_string();
    for (i, action) in actions.iter().enumerate() {
        text.push_str(&format!("location {}\n -> {} #0 {action}\n", i + 1, i + 2));
    }
    text.push_str(&format!("location {} end\n", actions.len() + 1));
    text.push_str(
        "process p1 \"Q\" start 1 size 0 parameters 0\nlocation 1 end\n -> 1 #0 receive g2.u8: match 5\n",
    );
    text.push_str("start p0 priority 1\nstart p1 priority 1\n");
    text.push_str(&format!("claim {kind} \"t\" start 1 size 0 parameters 0\n{claim}"));
    text
}

/// What goes wrong on the way of a model that can do only one thing at a time.
fn breaches(text: &str) -> Vec<String> {
    let model = model(text);
    let interpreter = Interpreter::observed(&model, 0).unwrap_or_else(|reason| panic!("{reason}"));
    let mut found = Vec::new();
    let mut state = initial(&interpreter);
    loop {
        let mut next = outcome(&interpreter, &state);
        for (kind, message, _) in &next.violations {
            assert_eq!(*kind, ViolationKind::EventTrace, "{message}");
            found.push(message.clone());
        }
        assert!(next.states.len() <= 1);
        let Some(successor) = next.states.pop() else { break };
        state = successor;
    }
    if let Some(violation) = interpreter.wrong_end(&state) {
        assert_eq!(violation.kind, ViolationKind::UnfinishedTrace);
        found.push(violation.message);
    }
    found
}

const NONE: [&str; 0] = [];
const SEND_1: &str = "location 1\n -> 2 #0 send g0.u8: 1, 1\nlocation 2 end\n -> 0 #0 end\n";

#[test]
fn what_fits() {
    for (action, event, fits) in [
        ("send g0.u8: 1, 1", "send g0.u8: 1, 1", true),
        ("send g0.u8: 1, 1", "send g0.u8: 1", true),
        ("send g0.u8: 1, 1", "send g0.u8: nowhere.0.i32, 1", true),
        ("send g0.u8: 1, 1", "send g0.u8: nowhere.0.i32, 0", false),
        ("send g0.u8: 2, 1", "send g0.u8: 1, 1", false),
        // What the channel keeps is compared, with all of the event's value.
        ("send g0.u8: 257, 3", "send g0.u8: 1, 1", true),
        ("send g0.u8: 257, 3", "send g0.u8: 257, 1", false),
        ("send g0.u8: 257, 3", "send g0.u8: 1, 3", false),
        ("send g0.u8: 1, 1", "send g0.u8: 1, 1, 0", false),
        ("send sorted g0.u8: 1, 1", "send g0.u8: 1, 1", true),
    ] {
        let claim = format!("location 1\n -> 2 #0 {event}\nlocation 2 end\n -> 0 #0 end\n");
        let found = breaches(&observed("trace", &[action], &claim));
        assert_eq!(found.is_empty(), fits, "{action} for {event}: {found:?}");
    }
}

#[test]
fn only_what_is_named_is_watched() {
    // Another channel, and receives.
    let actions = ["send g1.u8: 9", "send g0.u8: 1, 1", "receive g0.u8: drop, drop", "receive g1.u8: drop"];
    assert_eq!(breaches(&observed("trace", &actions, SEND_1)), NONE);
    // The variable `c` holds the other channel, and this is what counts.
    let actions = ["set g0.u8 = 2", "send g1.u8: 9"];
    assert_eq!(breaches(&observed("trace", &actions, SEND_1)).len(), 2);
}

#[test]
fn the_message_that_is_taken_counts() {
    let claim = "location 1\n -> 2 #0 receive g1.u8: match 7\nlocation 2\n -> 3 #0 receive g1.u8: match g3.u8\nlocation 3 end\n -> 0 #0 end\n";
    let actions = [
        "send g1.u8: 3",
        "send g1.u8: 7",
        "receive copy g1.u8: drop",
        "receive random g1.u8: match 7",
        "set g3.u8 = 3",
        "receive g1.u8: drop",
    ];
    assert_eq!(breaches(&observed("trace", &actions, claim)), NONE);
    let actions = ["send g1.u8: 3", "send g1.u8: 7", "receive g1.u8: drop"];
    let found = breaches(&observed("trace", &actions, claim));
    assert!(found[0].starts_with("d?3 is not allowed: the assertion expects "), "{found:?}");
}

#[test]
fn events_inside_programs_and_atomic_sequences() {
    let program =
        "program {\n node 0 do -> 1 #0 send g0.u8: 1, 1\n node 1 do -> exit #0 send g0.u8: 2, 1\n }";
    let found = breaches(&observed("trace", &[program], SEND_1));
    assert_eq!(found, ["c!2,1 is not allowed: the assertion has come to its end"]);
    let mut text = observed("trace", &["send g0.u8: 1, 1", "send g0.u8: 2, 1"], SEND_1);
    text = text.replace(
        " -> 2 #0 send g0.u8: 1, 1\nlocation 2\n",
        " -> 2 #0 keeps_control send g0.u8: 1, 1\nlocation 2\n",
    );
    let model = model(&text);
    let interpreter = Interpreter::observed(&model, 0).unwrap();
    let next = outcome(&interpreter, &initial(&interpreter));
    assert_eq!(next.messages(), ["c!2,1 is not allowed: the assertion has come to its end"]);
    assert_eq!(next.violations[0].2.len(), 2);
}

#[test]
fn a_handshake_that_does_not_happen_is_no_event() {
    let claim = "location 1\n -> 2 #0 send g2.u8: 5\nlocation 2\n -> 3 #0 receive g2.u8: drop\nlocation 3 end\n -> 0 #0 end\n";
    assert_eq!(breaches(&observed("trace", &["send g2.u8: 5"], claim)), NONE);
    // Nobody takes the 6: stuck, but not by the trace's fault, and it is nothing that a notrace could
    // complete.
    let one = "location 1\n -> 2 #0 send g2.u8: 6\nlocation 2 end\n -> 0 #0 end\n";
    assert_eq!(breaches(&observed("trace", &["send g2.u8: 6"], claim)), NONE);
    assert_eq!(breaches(&observed("notrace", &["send g2.u8: 6"], one)), NONE);
    // Of a handshake that breaks the assertion both steps are told.
    let wrong =
        "location 1\n -> 2 #0 receive g2.u8: drop\n -> 2 #0 send g2.u8: 4\nlocation 2 end\n -> 0 #0 end\n";
    let model = model(&observed("trace", &["send g2.u8: 5"], wrong));
    let interpreter = Interpreter::observed(&model, 0).unwrap();
    let next = outcome(&interpreter, &initial(&interpreter));
    assert!(next.messages()[0].starts_with("r!5 is not allowed"), "{:?}", next.messages());
    assert_eq!(next.violations[0].2.len(), 2);
}

#[test]
fn a_run_that_ends_too_early() {
    assert_eq!(breaches(&observed("trace", &["skip"], SEND_1)).len(), 1);
    assert_eq!(breaches(&observed("notrace", &["skip"], SEND_1)), NONE);
    let with_label = SEND_1.replace("location 1\n", "location 1 end\n");
    assert_eq!(breaches(&observed("trace", &["skip"], &with_label)), NONE);
    // A process that is stuck is safety's matter.
    assert_eq!(breaches(&observed("trace", &["when 0"], SEND_1)), NONE);
    // Where no process is left, nothing more is asked.
    let gone = observed("trace", &["end"], SEND_1).replace("start p1 priority 1\n", "");
    assert_eq!(breaches(&gone), NONE);
}

#[test]
fn a_notrace_has_one_try() {
    let claim = "location 1\n -> 2 #0 send g1.u8: 1\nlocation 2\n -> 3 #0 send g1.u8: 2\nlocation 3 end\n -> 0 #0 end\n";
    let send = |values: &[i32]| values.iter().map(|v| format!("send g1.u8: {v}")).collect::<Vec<_>>();
    for (values, broken) in
        [(&[1, 2][..], true), (&[1, 1, 2], false), (&[2, 1, 2], false), (&[1, 2, 1], true), (&[1], false)]
    {
        let actions = send(values);
        let actions: Vec<&str> = actions.iter().map(String::as_str).collect();
        let found = breaches(&observed("notrace", &actions, claim));
        assert_eq!(found.len(), usize::from(broken), "{values:?}: {found:?}");
    }
}

#[test]
fn two_ways_are_an_error() {
    let claim = "location 1\n -> 2 #0 send g1.u8: 1\n -> 2 #0 send g1.u8: nowhere.0.i32\nlocation 2 end\n -> 0 #0 end\n";
    assert!(breaches(&observed("trace", &["send g1.u8: 1"], claim))[0].contains("not deterministic"));
    assert_eq!(breaches(&observed("trace", &["send g1.u8: 2"], claim)), NONE);
}

#[test]
fn what_cannot_observe_is_refused() {
    let refused = |kind: &str, claim: &str| {
        let model = model(&observed(kind, &["skip"], claim));
        Interpreter::observed(&model, 0).err().unwrap_or_default()
    };
    let own = observed("trace", &["skip"], SEND_1).replace("\"t\" start 1 size 0", "\"t\" start 1 size 4");
    assert!(Interpreter::observed(&model(&own), 0).is_err());
    assert!(refused("never", SEND_1).contains("never claim"));
    assert!(refused("trace", "location 1\n -> 1 #0 send g0.u8: 1\n").contains("closing brace"));
    for action in
        ["when 1", "skip", "send sorted g0.u8: 1", "receive copy g0.u8: drop", "receive random g0.u8: drop"]
    {
        let claim = format!("location 1\n -> 2 #0 {action}\nlocation 2 end\n -> 0 #0 end\n");
        assert!(refused("trace", &claim).contains("not an event"), "{action}");
    }
    // What cannot be reached does no harm.
    let jump =
        "location 1\n -> 3 #0 send g0.u8: 1\nlocation 2\n -> 3 #0 skip\nlocation 3 end\n -> 0 #0 end\n";
    assert_eq!(refused("trace", jump), "");
    let model = model(&observed("trace", &["skip"], SEND_1));
    assert!(Interpreter::observed(&model, 1).is_err());
}

/// Who is not observed has the states of before.
#[test]
fn the_location_is_part_of_the_state_only_while_it_watches() {
    let model = model(&observed("trace", &["send g0.u8: 1, 1"], SEND_1));
    let (plain, watched) = (Interpreter::new(&model), Interpreter::observed(&model, 0).unwrap());
    let working = |interpreter: &Interpreter| {
        let mut state = Vec::new();
        interpreter.working_state(&initial(interpreter), &mut state);
        state.len()
    };
    assert_eq!(working(&plain) + 1, working(&watched));
    let mut out = Successors::new();
    watched.successors(&initial(&watched), &mut out);
    let described = |interpreter: &Interpreter, state: &[u8]| show(interpreter, state);
    let after = out.state(0).to_vec();
    plain.successors(&initial(&plain), &mut out);
    assert_eq!(described(&plain, out.state(0)), described(&watched, &after));
}
