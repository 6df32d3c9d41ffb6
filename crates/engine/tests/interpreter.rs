//! The interpreter on tiny models: data, channels, handshakes, indivisible sequences.
//!
//! The expected values follow from the rules that the interpreter's documentation states.

mod simulation;

use lariat_engine::{Interpreter, SuccessorFunction, ViolationKind};
use simulation::*;

/// What the states show on the way, from the initial state on, until there is not exactly one successor.
fn run(interpreter: &Interpreter) -> Vec<String> {
    let mut state = initial(interpreter);
    let mut path = vec![show(interpreter, &state)];
    for _ in 0..100 {
        let mut next = outcome(interpreter, &state);
        assert_eq!(next.messages(), Vec::<&str>::new());
        if next.states.len() != 1 {
            break;
        }
        state = next.states.remove(0);
        path.push(show(interpreter, &state));
    }
    path
}

/// A model with one byte-like global `x` and one process that executes one action.
fn one_action(globals: &str, action: &str) -> String {
    format!(
        "{globals}\nprocess p0 \"P\" start 1 size 0 parameters 0\n  location 1\n    -> 2 #0 {action}\n  location 2 end\n\
         start p0 priority 1"
    )
}

#[test]
fn assignments_keep_what_the_storage_holds() {
    for (storage, value, kept) in [
        ("u1", "3", 1),
        ("u1", "2", 0),
        ("u3", "-1", 7),
        ("u8", "256", 0),
        ("u8", "-1", 255),
        ("u9", "513", 1),
        ("u16", "65537", 1),
        ("u16", "-1", 65_535),
        ("u20", "-1", (1 << 20) - 1),
        ("u32", "-1", -1),
        ("i16", "32768", -32_768),
        ("i16", "65535", -1),
        ("i16", "-32769", 32_767),
        ("i32", "2147483647 + 1", i32::MIN),
        ("i32", "-2147483648 - 1", i32::MAX),
        ("i32", "65536 * 65536", 0),
        ("i32", "-2147483648 / -1", i32::MIN),
        ("i32", "-7 / 2", -3),
        ("i32", "-7 % 2", -1),
        ("i32", "-(-2147483648)", i32::MIN),
    ] {
        let globals = format!("globals size 6 hidden 0\n var \"x\" int g1.{storage}");
        let model = model(&one_action(&globals, &format!("set g1.{storage} = {value}")));
        let interpreter = Interpreter::new(&model);
        let after = only(&interpreter, &initial(&interpreter));
        assert_eq!(show(&interpreter, &after), format!("x={kept}"), "{storage} = {value}");
        let size = model.globals[0].element_size as usize;
        let mut bytes = Vec::new();
        interpreter.working_state(&after, &mut bytes);
        assert_eq!(
            (bytes[0], &bytes[1 + size..6]),
            (0, &vec![0; 5 - size][..]),
            "neighbours of {storage} = {value}"
        );
    }
}

#[test]
fn an_index_out_of_range_is_an_error() {
    let globals = "globals size 4 hidden 0\n var \"a\"[3] byte g0.u8\n var \"x\" byte g3.u8";
    for (action, message) in [
        ("set g0[3 of 3 by 1].u8 = 1", "array index 3 is out of range: the array has 3 elements"),
        ("set g0[-1 of 3 by 1].u8 = 1", "array index -1 is out of range: the array has 3 elements"),
        ("set g3.u8 = g0[255 of 3 by 1].u8", "array index 255 is out of range: the array has 3 elements"),
        ("when g0[1 of 1 by 1].u8", "array index 1 is out of range: the array has 1 element"),
    ] {
        let model = model(&one_action(globals, action));
        let interpreter = Interpreter::new(&model);
        let outcome = outcome(&interpreter, &initial(&interpreter));
        assert!(outcome.states.is_empty());
        assert_eq!(outcome.violations.len(), 1);
        let (kind, found, steps) = &outcome.violations[0];
        assert_eq!((*kind, found.as_str(), steps.len()), (ViolationKind::RuntimeError, message, 1));
    }
    let model = model(&one_action(globals, "set g0[1 + 1 of 3 by 1].u8 = 7"));
    let interpreter = Interpreter::new(&model);
    assert_eq!(shown(&interpreter, &initial(&interpreter)), ["a[0]=0 a[1]=0 a[2]=7 x=0"]);
}

#[test]
fn an_error_of_one_process_does_not_hide_the_others() {
    let model = model(
        "globals size 1 hidden 0\n var \"x\" byte g0.u8\n\
         process p0 \"P\" start 1 size 0 parameters 0\n location 1\n -> 2 #0 set g0.u8 = 1\n -> 2 #0 set g0.u8 = 2\n location 2\n\
         process p1 \"Q\" start 1 size 0 parameters 0\n location 1\n -> 2 #0 when 1 / g0.u8\n -> 2 #0 set g0.u8 = 3\n location 2\n\
         start p0 priority 1\nstart p1 priority 1",
    );
    let interpreter = Interpreter::new(&model);
    let state = initial(&interpreter);
    assert_eq!(
        shown(&interpreter, &state),
        ["x=3", "x=1", "x=2"],
        "the youngest first, transitions in order"
    );
    assert_eq!(outcome(&interpreter, &state).messages(), ["division by zero"]);
}

#[test]
fn division_by_zero_is_an_error_unless_it_is_not_evaluated() {
    let globals = "globals size 1 hidden 0\n var \"x\" byte g0.u8";
    let error = |message: &str| vec![(ViolationKind::RuntimeError, message.to_string())];
    assert_eq!(errors(&one_action(globals, "set g0.u8 = 1 / g0.u8")), error("division by zero"));
    assert_eq!(errors(&one_action(globals, "when 1 % g0.u8")), error("remainder of a division by zero"));
    for harmless in ["1 || (1 / 0)", "(0 && (1 / 0)) == 0", "(0 ? 1 / 0 : 1)"] {
        assert_eq!(errors(&one_action(globals, &format!("assert {harmless}"))), [], "{harmless}");
    }
}

/// One process that executes actions one after the other, with a channel (`g0`) and three bytes (`g1` to
/// `g3`).
fn straight(capacity: u32, fields: &str, actions: &[&str]) -> String {
    let mut text = format!(
        "globals size 4 hidden 0\n var \"x\" byte g1.u8\n var \"y\" byte g2.u8\n var \"z\" byte g3.u8\n\
         init g0.u8 = new c0\nchannel c0 \"q\" capacity {capacity}: {fields}\n\
         process p0 \"P\" start 1 size 0 parameters 0\n"
    );
    for (i, action) in actions.iter().enumerate() {
        text += &format!(" location {}\n -> {} #0 {action}\n", i + 1, i + 2);
    }
    text + &format!(" location {} end\nstart p0 priority 1", actions.len() + 1)
}

/// The last state of such a process, and how many steps it took.
fn last_of(text: &str) -> (String, usize) {
    let model = model(text);
    let path = run(&Interpreter::new(&model));
    (path[path.len() - 1].clone(), path.len() - 1)
}

#[test]
fn messages_come_out_in_the_order_they_went_in() {
    let text = straight(
        3,
        "byte.u8",
        &[
            "send g0.u8: 7",
            "send g0.u8: 8",
            "send g0.u8: 9",
            "receive g0.u8: store g1.u8",
            "receive g0.u8: store g2.u8",
            "receive g0.u8: store g3.u8",
        ],
    );
    let model = model(&text);
    let interpreter = Interpreter::new(&model);
    let path = run(&interpreter);
    assert_eq!(
        path,
        [
            "x=0 y=0 z=0 queue 1 (q)=[]",
            "x=0 y=0 z=0 queue 1 (q)=[7]",
            "x=0 y=0 z=0 queue 1 (q)=[7][8]",
            "x=0 y=0 z=0 queue 1 (q)=[7][8][9]",
            "x=7 y=0 z=0 queue 1 (q)=[8][9]",
            "x=7 y=8 z=0 queue 1 (q)=[9]",
            "x=7 y=8 z=9 queue 1 (q)=[]",
        ]
    );
}

#[test]
fn slots_that_are_free_again_are_zero() {
    let text = straight(2, "byte.u8, int.i32", &["send g0.u8: 7, -1", "receive g0.u8: drop, drop"]);
    let model = model(&text);
    let interpreter = Interpreter::new(&model);
    let before = initial(&interpreter);
    let after = only(&interpreter, &only(&interpreter, &before));
    let different: Vec<usize> = (0..before.len()).filter(|i| before[*i] != after[*i]).collect();
    assert_eq!(different, [before.len() - 1], "only the location, which is the last byte");
}

#[test]
fn a_full_channel_blocks_senders_an_empty_one_receivers() {
    let full = straight(1, "byte.u8", &["send g0.u8: 7", "send g0.u8: 8"]);
    assert_eq!(last_of(&full), ("x=0 y=0 z=0 queue 1 (q)=[7]".to_string(), 1));
    let empty = straight(1, "byte.u8", &["receive g0.u8: store g1.u8"]);
    assert_eq!(last_of(&empty).1, 0);
    let tests = straight(
        1,
        "byte.u8",
        &[
            "assert empty(g0.u8) && not_full(g0.u8) && !full(g0.u8) && !not_empty(g0.u8) && (len(g0.u8) == 0)",
            "send g0.u8: 7",
            "assert !empty(g0.u8) && !not_full(g0.u8) && full(g0.u8) && not_empty(g0.u8) && (len(g0.u8) == 1)",
            "assert poll(g0.u8: match 7) && !poll(g0.u8: match 6) && poll(g0.u8: drop)",
        ],
    );
    assert_eq!(last_of(&tests).1, 4);
}

#[test]
fn fields_are_kept_as_their_storage_says() {
    let text = straight(1, "bit.u1, byte.u8, short.i16", &["send g0.u8: 3, 257, 32768"]);
    assert_eq!(last_of(&text).0, "x=0 y=0 z=0 queue 1 (q)=[1,1,-32768]");
}

#[test]
fn a_sorted_send_keeps_the_channel_in_order() {
    let sends = [
        "send sorted g0.u8: 3, 1",
        "send sorted g0.u8: 1, 9",
        "send sorted g0.u8: 2, 5",
        "send sorted g0.u8: 1, 2",
    ];
    assert_eq!(
        last_of(&straight(4, "byte.u8, byte.u8", &sends)).0,
        "x=0 y=0 z=0 queue 1 (q)=[1,2][1,9][2,5][3,1]"
    );
    let mixed = ["send g0.u8: 5, 0", "send g0.u8: 1, 0", "send sorted g0.u8: 3, 0"];
    assert_eq!(
        last_of(&straight(4, "byte.u8, byte.u8", &mixed)).0,
        "x=0 y=0 z=0 queue 1 (q)=[3,0][5,0][1,0]",
        "before the first that is greater"
    );
}

#[test]
fn a_random_receive_takes_the_first_message_that_fits() {
    let sends = ["send g0.u8: 1, 10", "send g0.u8: 2, 20", "send g0.u8: 2, 30"];
    let with = |receive| last_of(&straight(3, "byte.u8, byte.u8", &[&sends[..], &[receive]].concat()));
    let (state, steps) = with("receive random g0.u8: match 2, store g1.u8");
    assert_eq!((state.as_str(), steps), ("x=20 y=0 z=0 queue 1 (q)=[1,10][2,30]", 4));
    let (_, steps) = with("receive g0.u8: match 2, store g1.u8");
    assert_eq!(steps, 3, "only the oldest message counts without `random`");
    let (_, steps) = with("receive random g0.u8: match 3, store g1.u8");
    assert_eq!(steps, 3);
}

#[test]
fn a_copying_receive_leaves_the_message() {
    let sends = ["send g0.u8: 1", "send g0.u8: 2"];
    let with = |receive| last_of(&straight(3, "byte.u8", &[&sends[..], &[receive]].concat()));
    assert_eq!(with("receive copy g0.u8: store g1.u8"), ("x=1 y=0 z=0 queue 1 (q)=[1][2]".to_string(), 3));
    assert_eq!(with("receive random copy g0.u8: match 2").0, "x=0 y=0 z=0 queue 1 (q)=[1][2]");
}

#[test]
fn an_index_may_use_a_field_received_before_it() {
    let text = straight(
        1,
        "byte.u8, byte.u8",
        &["send g0.u8: 1, 9", "receive g0.u8: store g1.u8, store g1[g1.u8 of 3 by 1].u8"],
    );
    assert_eq!(last_of(&text).0, "x=1 y=9 z=0 queue 1 (q)=[]");
}

#[test]
fn wrong_numbers_of_fields_and_channels_are_errors() {
    for (action, message) in [
        ("send g0.u8: 1", "send with 1 field on channel q, whose messages have 2"),
        ("send g1.u8: 1, 2", "use of a channel variable that holds no channel yet"),
        ("send 2: 1, 2", "channel 2 does not exist"),
        ("receive -1: drop, drop", "channel -1 does not exist"),
        ("when len(0)", "use of a channel variable that holds no channel yet"),
    ] {
        let found = errors(&straight(1, "byte.u8, byte.u8", &[action]));
        assert!(found.len() == 1 && found[0].1.starts_with(message), "{action}: {found:?}");
    }
}

#[test]
fn the_smallest_integer_is_no_channel() {
    let found = errors(&straight(1, "byte.u8", &["send -2147483648: 1"]));
    assert!(found.len() == 1 && found[0].1.starts_with("channel -2147483648 does not exist"), "{found:?}");
}

/// A sender (0) and receivers (1, 2, …) on a rendezvous channel in `g0`; `x` in `g1`, `y` in `g2`.
fn handshake(sender: &str, receivers: &[&str]) -> String {
    let mut text = format!(
        "globals size 3 hidden 0\n var \"x\" byte g1.u8\n var \"y\" byte g2.u8\n init g0.u8 = new c0\n\
         channel c0 \"q\" capacity 0: byte.u8\nprocess p0 \"S\" start 1 size 0 parameters 0\n{sender}"
    );
    for (i, receiver) in receivers.iter().enumerate() {
        text += &format!("\nprocess p{} \"R\" start 1 size 0 parameters 0\n{receiver}", i + 1);
    }
    for i in 0..=receivers.len() {
        text += &format!("\nstart p{i} priority 1");
    }
    text
}

const SEND: &str = "location 1\n -> 2 #0 send g0.u8: 263\n location 2 end";
const RECEIVE: &str = "location 1\n -> 2 #0 receive g0.u8: store g1.u8\n location 2 end";

#[test]
fn a_handshake_moves_both_in_one_step() {
    let model = model(&handshake(SEND, &[RECEIVE]));
    let interpreter = Interpreter::new(&model);
    let outcome = outcome(&interpreter, &initial(&interpreter));
    assert_eq!(outcome.movers(), [[0, 1]]);
    assert_eq!(show(&interpreter, &outcome.states[0]), "x=7 y=0 queue 1 (q)=[]");
    assert!(interpreter.may_end(&outcome.states[0]) && !interpreter.may_end(&initial(&interpreter)));
}

#[test]
fn every_process_that_can_receive_does_the_youngest_first() {
    let picky = "location 1\n -> 2 #0 receive g0.u8: match 8\n -> 2 #0 receive g0.u8: match 7\n location 2";
    let elsewhere = "location 1\n -> 2 #0 receive g1.u8: drop\n -> 2 #0 when 0\n location 2";
    let model = model(&handshake(SEND, &[RECEIVE, picky, elsewhere]));
    let interpreter = Interpreter::new(&model);
    let outcome = outcome(&interpreter, &initial(&interpreter));
    assert_eq!(outcome.movers(), [[0, 2], [0, 1]]);
    assert_eq!(outcome.transitions(), [[0, 1], [0, 0]]);
}

#[test]
fn without_a_receiver_a_rendezvous_send_blocks() {
    let other = "location 1\n -> 2 #0 receive g0.u8: match 8\n location 2";
    let model = model(&handshake(SEND, &[other]));
    let interpreter = Interpreter::new(&model);
    assert!(outcome(&interpreter, &initial(&interpreter)).states.is_empty());
}

#[test]
fn the_receiver_decides_who_has_control_after_a_handshake() {
    let keeping = |action: &str, then: &str| {
        format!("location 1\n -> 2 #0 keeps_control {action}\n location 2\n -> 3 #0 {then}\n location 3 end")
    };
    let sender = keeping("send g0.u8: 7", "set g2.u8 = 1");
    let receiver = keeping("receive g0.u8: store g1.u8", "set g2.u8 = 2");
    // The sender would keep control, but the receiver does not: nobody has it.
    let plain = model(&handshake(&sender, &[RECEIVE]));
    let interpreter = Interpreter::new(&plain);
    assert_eq!(shown(&interpreter, &initial(&interpreter)), ["x=7 y=0 queue 1 (q)=[]"]);
    // The receiver keeps it, whatever the sender would: it goes on at once.
    for sender in [SEND, &sender] {
        let model = model(&handshake(sender, &[&receiver]));
        let interpreter = Interpreter::new(&model);
        let outcome = outcome(&interpreter, &initial(&interpreter));
        assert_eq!(outcome.movers(), [[0, 1, 1]]);
        assert_eq!(show(&interpreter, &outcome.states[0]), "x=7 y=2 queue 1 (q)=[]");
    }
}

/// A process 0 with these locations, and a process 1 that can always set `y` to 9; `x` in `g0`, `y` in `g1`.
fn beside_another(locations: &str) -> String {
    format!(
        "features timeout\nglobals size 2 hidden 0\n var \"x\" byte g0.u8\n var \"y\" byte g1.u8\n\
         process p0 \"P\" start 1 size 0 parameters 0\n{locations}\n\
         process p1 \"Q\" start 1 size 0 parameters 0\n location 1\n -> 2 #0 set g1.u8 = 9\n location 2 end\n\
         start p0 priority 1\nstart p1 priority 1"
    )
}

#[test]
fn states_within_a_sequence_do_not_come_out() {
    let model = model(&beside_another(
        " location 1\n -> 2 #0 keeps_control set g0.u8 = 1\n location 2\n -> 3 #0 keeps_control set g0.u8 = 2\n -> 3 #0 set g0.u8 = 5\n\
         location 3\n -> 4 #0 set g0.u8 = g0.u8 + 1\n location 4 end",
    ));
    let interpreter = Interpreter::new(&model);
    let outcome = outcome(&interpreter, &initial(&interpreter));
    assert_eq!(outcome.movers(), [vec![1], vec![0, 0, 0], vec![0, 0]]);
    let states: Vec<String> = outcome.states.iter().map(|state| show(&interpreter, state)).collect();
    assert_eq!(states, ["x=0 y=9", "x=3 y=0", "x=5 y=0"]);
}

#[test]
fn a_process_that_blocks_in_a_sequence_loses_control() {
    let model = model(&beside_another(
        " location 1\n -> 2 #0 keeps_control set g0.u8 = 1\n location 2\n -> 3 #0 when g1.u8 == 9\n location 3\n -> 4 #0 set g0.u8 = 2\n location 4 end",
    ));
    let interpreter = Interpreter::new(&model);
    let first = outcome(&interpreter, &initial(&interpreter));
    assert_eq!(first.movers(), [[1], [0]]);
    assert_eq!(show(&interpreter, &first.states[1]), "x=1 y=0", "the state in which it blocks comes out");
    let second = outcome(&interpreter, &first.states[1]);
    assert_eq!(second.movers(), [[1]], "the other goes on");
    assert_eq!(outcome(&interpreter, &second.states[0]).movers(), [[0]]);
}

#[test]
fn a_loop_in_a_sequence_ends() {
    let model = model(&beside_another(
        " location 1\n -> 1 #0 keeps_control set g0.u8 = g0.u8 + 1\n -> 2 #0 when g0.u8 == 255\n location 2 end",
    ));
    let interpreter = Interpreter::new(&model);
    let out = outcome(&interpreter, &initial(&interpreter));
    assert_eq!(out.states.len(), 2);
    assert_eq!(show(&interpreter, &out.states[1]), "x=255 y=0");
    assert_eq!(out.steps[1].len(), 256);
    // One without a way out leads nowhere.
    let model = simulation::model(&beside_another(" location 1\n -> 1 #0 keeps_control skip\n"));
    let interpreter = Interpreter::new(&model);
    assert_eq!(outcome(&interpreter, &initial(&interpreter)).movers(), [[1]]);
}

#[test]
fn an_error_in_a_sequence_has_the_steps_before_it() {
    let model = model(&beside_another(
        " location 1\n -> 2 #0 keeps_control set g0.u8 = 1\n location 2\n -> 3 #0 assert g0.u8 == 0\n location 3 end",
    ));
    let interpreter = Interpreter::new(&model);
    let outcome = outcome(&interpreter, &initial(&interpreter));
    assert_eq!(outcome.violations.len(), 1);
    let (kind, _, steps) = &outcome.violations[0];
    assert_eq!((*kind, steps.len()), (ViolationKind::Assertion, 2));
    assert_eq!(outcome.movers(), [vec![1], vec![0, 0]], "a failed assertion does not prevent the step");
}

#[test]
fn else_holds_when_nothing_before_it_did() {
    let model = model(&beside_another(
        " location 1\n -> 2 #0 when g1.u8 == 9\n -> 3 #0 else\n location 2 end\n location 3 end",
    ));
    let interpreter = Interpreter::new(&model);
    let first = outcome(&interpreter, &initial(&interpreter));
    assert_eq!((first.movers(), first.transitions()), (vec![vec![1], vec![0]], vec![vec![0], vec![1]]));
    let second = outcome(&interpreter, &first.states[0]);
    assert_eq!((second.movers(), second.transitions()), (vec![vec![0]], vec![vec![0]]));
}

#[test]
fn a_rendezvous_send_nobody_receives_leaves_else() {
    let sender = "location 1\n -> 2 #0 send g0.u8: 7\n -> 2 #0 else\n location 2 end";
    for (receiver, transitions) in [("location 1\n location 2", vec![vec![1]]), (RECEIVE, vec![vec![0, 0]])] {
        let model = model(&handshake(sender, &[receiver]));
        let interpreter = Interpreter::new(&model);
        assert_eq!(outcome(&interpreter, &initial(&interpreter)).transitions(), transitions);
    }
}

#[test]
fn timeout_holds_when_nothing_else_can_happen() {
    let text = beside_another(" location 1\n -> 2 #0 when timeout\n location 2 end");
    let model = model(&text);
    let interpreter = Interpreter::new(&model);
    let first = outcome(&interpreter, &initial(&interpreter));
    assert_eq!(first.movers(), [[1]]);
    assert_eq!(outcome(&interpreter, &first.states[0]).movers(), [[0]]);
}

#[test]
fn several_values_are_computed_before_any_is_stored() {
    let globals = "globals size 2 hidden 0\n  var \"x\" byte g0.u8\n  var \"y\" byte g1.u8\n  init g0.u8 = 1\n  init g1.u8 = 2";
    let model = model(&one_action(globals, "set_all g0.u8 = g1.u8, g1.u8 = g0.u8 + 256"));
    assert_eq!(run(&Interpreter::new(&model)), ["x=1 y=2", "x=2 y=1"]);
}

/// Two processes, of which the second is moved by the first; then it can go on from there.
#[test]
fn a_process_moves_another_one() {
    let text = |pid: u16| {
        format!(
            "globals size 1 hidden 0\n  var \"x\" byte g0.u8\n\
             process p0 \"P\" start 1 size 0 parameters 0\n  location 1\n    -> 2 #0 move p1 {pid} to 2\n  location 2 end\n\
             process p1 \"Q\" start 1 size 0 parameters 0\n  location 1\n  location 2\n    -> 3 #0 set g0.u8 = 1\n  location 3 end\n\
             start p0 priority 1\nstart p1 priority 1"
        )
    };
    let last = |text: &str| run(&Interpreter::new(&model(text))).pop();
    assert_eq!(last(&text(1)).as_deref(), Some("x=1"));
    // Nobody has this number, or another type.
    assert_eq!(last(&text(7)).as_deref(), Some("x=0"));
    assert_eq!(last(&text(0)).as_deref(), Some("x=0"));
}

#[test]
fn only_committed_processes_move_while_there_are_some() {
    let process = |number: u32, committed: &str| {
        format!(
            "process p{number} \"P{number}\" start 1 size 0 parameters 0\n  location 1{committed}\n    -> 2 #0 skip\n  \
             location 2 end\n"
        )
    };
    let text = format!(
        "globals size 0 hidden 0\n{}{}{}start p0 priority 1\nstart p1 priority 1\nstart p2 priority 1",
        process(0, ""),
        process(1, " committed"),
        process(2, " committed")
    );
    let model = model(&text);
    let interpreter = Interpreter::new(&model);
    let first = outcome(&interpreter, &initial(&interpreter));
    assert_eq!(first.movers(), [[2], [1]]);
    let second = outcome(&interpreter, &first.states[0]);
    assert_eq!(second.movers(), [[1]]);
    assert_eq!(outcome(&interpreter, &second.states[0]).movers(), [[0]]);
}

#[test]
fn assertions_of_locations_are_judged_in_every_state() {
    let text = "globals size 1 hidden 0\n  var \"x\" byte g0.u8\n\
                process p0 \"P\" start 1 size 0 parameters 0\n  location 1\n    assertion #0 g0.u8 == 0\n    -> 1 #0 set g0.u8 = g0.u8 + 1\n\
                start p0 priority 1";
    let model = model(text);
    let interpreter = Interpreter::new(&model);
    let first = outcome(&interpreter, &initial(&interpreter));
    assert!(first.violations.is_empty());
    let second = outcome(&interpreter, &first.states[0]);
    assert_eq!(second.violations.len(), 1);
    assert_eq!((second.violations[0].0, second.violations[0].2.len()), (ViolationKind::Assertion, 0));
    assert_eq!(second.states.len(), 1, "the violation does not end the run");
}

#[test]
fn channels_that_no_variable_keeps_exist() {
    let text = "globals size 0 hidden 0\n  init nowhere.0.u8 = new c0\n\
                channel c0 \"c\" capacity 1: byte.u8\n\
                process p0 \"P\" start 1 size 0 parameters 0\n  location 1\n    -> 2 #0 send 1: 7\n  location 2 end\n\
                start p0 priority 1";
    assert_eq!(run(&Interpreter::new(&model(text))), ["queue 1 (c)=[]", "queue 1 (c)=[7]"]);
}
