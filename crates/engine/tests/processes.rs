//! The interpreter on tiny models: processes, escapes, priorities, programs, hidden variables.
//!
//! The expected values follow from the rules that the interpreter's documentation states.

mod simulation;

use lariat_engine::{Entry, Interpreter, SuccessorFunction, ViolationKind};
use simulation::*;

#[test]
fn processes_are_created_with_their_arguments() {
    let model = model(
        "globals size 2 hidden 0\n var \"x\" byte g0.u8\n var \"y\" byte g1.u8\n\
         process p0 \"P\" start 1 size 0 parameters 0\n location 1\n -> 2 #0 run p1(258, 5) priority 1 then g0.u8 = result + 10\n location 2\n\
         process p1 \"Q\" start 1 size 4 parameters 2\n var \"a\" byte l0.u8\n var \"b\" short l1.i16\n var \"c\" byte l3.u8\n\
         init l3.u8 = l0.u8 + l1.i16\n location 1\n -> 1 #0 set g1.u8 = pid\n\
         start p0 priority 1",
    );
    let interpreter = Interpreter::new(&model);
    let created = only(&interpreter, &initial(&interpreter));
    assert_eq!(show(&interpreter, &created), "x=11 y=0 Q(1):a=2 Q(1):b=5 Q(1):c=7");
    assert_eq!(shown(&interpreter, &created), ["x=11 y=1 Q(1):a=2 Q(1):b=5 Q(1):c=7"]);
}

/// Process 0 creates processes of type 1, which hold a channel each and end when `x` (`g0`) is not 0. `y` is
/// `g1`.
const MORTAL: &str = "globals size 3 hidden 0\n var \"x\" byte g0.u8\n var \"y\" byte g1.u8\n var \"z\" byte g2.u8\n\
    channel c0 \"q\" capacity 1: byte.u8\n\
    process p0 \"P\" start 1 size 0 parameters 0\n location 1\n -> 2 #0 run p1(1) priority 1 then g1.u8 = result\n\
    location 2\n -> 3 #0 run p1(2) priority 1 then g1.u8 = result\n\
    location 3\n -> 4 #0 set g0.u8 = 1\n\
    location 4\n -> 5 #0 when process_count == 1\n\
    location 5\n -> 6 #0 run p1(3) priority 1 then g1.u8 = result\n\
    location 6\n\
    process p1 \"Q\" start 1 size 2 parameters 1\n var \"n\" byte l0.u8\n init l1.u8 = new c0\n location 1\n -> 2 #0 when g0.u8\n\
    location 2 end\n -> 0 #0 end\n\
    start p0 priority 1";

#[test]
fn only_the_youngest_process_dies_and_takes_its_channels_along() {
    let model = model(MORTAL);
    let interpreter = Interpreter::new(&model);
    let mut state = initial(&interpreter);
    for _ in 0..3 {
        state = only(&interpreter, &state);
    }
    assert_eq!(
        show(&interpreter, &state),
        "x=1 y=2 z=0 Q(1):n=1 queue 1 (Q(1):q)=[] Q(2):n=2 queue 2 (Q(2):q)=[]"
    );
    // Process 1 gets to its end first, but must wait for process 2.
    let moves = outcome(&interpreter, &state);
    assert_eq!(moves.movers(), [[2], [1]]);
    let waiting = outcome(&interpreter, &moves.states[1]);
    assert_eq!(waiting.movers(), [[2]]);
    let dying = outcome(&interpreter, &waiting.states[0]);
    assert_eq!(dying.movers(), [[2]]);
    assert_eq!(show(&interpreter, &dying.states[0]), "x=1 y=2 z=0 Q(1):n=1 queue 1 (Q(1):q)=[]");
    let alone = only(&interpreter, &dying.states[0]);
    assert_eq!(show(&interpreter, &alone), "x=1 y=2 z=0");
    // The numbers of the dead are used again.
    let reborn = only(&interpreter, &only(&interpreter, &alone));
    assert_eq!(show(&interpreter, &reborn), "x=1 y=1 z=0 Q(1):n=3 queue 1 (Q(1):q)=[]");
}

#[test]
fn a_channel_of_the_dead_does_not_exist() {
    let model = model(
        "globals size 1 hidden 0\n var \"x\" channel g0.u8\n channel c0 \"q\" capacity 1: byte.u8\n\
         process p0 \"P\" start 1 size 0 parameters 0\n location 1\n -> 2 #0 run p1() priority 1\n\
         location 2\n -> 3 #0 when (g0.u8 != 0) && (process_count == 1)\n location 3\n -> 4 #0 send g0.u8: 1\n location 4\n\
         process p1 \"Q\" start 1 size 1 parameters 0\n init l0.u8 = new c0\n location 1\n -> 2 #0 set g0.u8 = l0.u8\n location 2\n -> 0 #0 end\n\
         start p0 priority 1",
    );
    let interpreter = Interpreter::new(&model);
    let mut state = initial(&interpreter);
    for _ in 0..4 {
        state = only(&interpreter, &state);
    }
    let outcome = outcome(&interpreter, &state);
    assert_eq!(
        outcome.messages(),
        ["channel 1 does not exist (any more): the process that created it has ended"]
    );
    assert_eq!(outcome.violations[0].0, ViolationKind::RuntimeError);
}

#[test]
fn a_record_parameter_takes_one_argument_for_each_scalar() {
    let model = model(
        "record r0 \"R\" size 2\n var \"a\" byte +0.u8\n var \"b\" byte +1.u8\nglobals size 0 hidden 0\n\
         process p0 \"P\" start 1 size 0 parameters 0\n location 1\n -> 2 #0 run p1(1, 2, 3) priority 1\n location 2\n\
         process p1 \"Q\" start 1 size 3 parameters 2\n var \"r\" r0 l0 element 2\n var \"n\" byte l2.u8\n location 1\n\
         start p0 priority 1",
    );
    let interpreter = Interpreter::new(&model);
    assert_eq!(shown(&interpreter, &initial(&interpreter)), ["Q(1):r.a=1 Q(1):r.b=2 Q(1):n=3"]);
}

#[test]
fn too_many_processes_are_an_error() {
    let model = model(
        "globals size 0 hidden 0\nprocess p0 \"P\" start 1 size 0 parameters 0\n location 1\n -> 1 #0 run p1() priority 1\n\
         process p1 \"Q\" start 1 size 0 parameters 0\n location 1 end\nstart p0 priority 1",
    );
    let interpreter = Interpreter::new(&model);
    let mut state = initial(&interpreter);
    for _ in 0..254 {
        state = only(&interpreter, &state);
    }
    let outcome = outcome(&interpreter, &state);
    assert_eq!(
        (outcome.states.len(), outcome.messages()),
        (0, vec!["too many processes: 255 exist already"])
    );
}

#[test]
fn remote_references_see_other_processes() {
    let model = model(
        "globals size 0 hidden 0\n\
         process p0 \"P\" start 1 size 0 parameters 0\n location 1\n\
         -> 2 #0 assert (p1(1).l0.u8 == 4) && (p1.l0.u8 == 4) && (p1(2).l0.u8 == 0) && (p1(0).l0.u8 == 0)\n\
         location 2\n -> 3 #0 assert p1(1)@1 && p1@1 && !p1@2 && !p1(7)@1 && (location_of(1) == 1) && (location_of(9) == 0)\n\
         location 3\n -> 4 #0 assert enabled(1) && !enabled(2) && non_progress\n location 4 end\n\
         process p1 \"Q\" start 1 size 1 parameters 0\n var \"n\" byte l0.u8\n init l0.u8 = 4\n location 1 end\n -> 1 #0 skip\n location 2\n\
         start p0 priority 1\nstart p1 priority 1",
    );
    let interpreter = Interpreter::new(&model);
    let mut state = initial(&interpreter);
    for _ in 0..3 {
        let mut outcome = outcome(&interpreter, &state);
        assert_eq!(outcome.messages(), Vec::<&str>::new());
        assert_eq!(outcome.movers(), [[1], [0]]);
        state = outcome.states.remove(1);
    }
    assert!(interpreter.may_end(&state));
}

#[test]
fn escapes_come_first_and_exclude_the_rest() {
    let text = |enabled: &str| {
        format!(
            "globals size 1 hidden 0\n var \"x\" byte g0.u8\nprocess p0 \"P\" start 1 size 0 parameters 0\n location 1\n\
             -> 2 #0 escape 1 when {enabled}\n -> 2 #0 escape 1 skip\n -> 2 #0 escape 2 skip\n -> 2 #0 set g0.u8 = 1\n location 2\n\
             start p0 priority 1"
        )
    };
    for (enabled, transitions) in [("1", vec![vec![0], vec![1]]), ("0", vec![vec![1]])] {
        let model = model(&text(enabled));
        let interpreter = Interpreter::new(&model);
        assert_eq!(outcome(&interpreter, &initial(&interpreter)).transitions(), transitions);
    }
    let text = text("0").replace("escape 1 skip", "escape 1 when 0");
    for (text, transitions) in
        [(text.clone(), vec![vec![2]]), (text.replace("escape 2 skip", "escape 2 when 0"), vec![vec![3]])]
    {
        let model = model(&text);
        let interpreter = Interpreter::new(&model);
        assert_eq!(outcome(&interpreter, &initial(&interpreter)).transitions(), transitions);
    }
}

#[test]
fn a_process_moves_only_while_its_condition_holds() {
    let model = model(
        "globals size 2 hidden 0\n var \"x\" byte g0.u8\n var \"y\" byte g1.u8\n\
         process p0 \"P\" start 1 size 0 parameters 0\n location 1\n -> 2 #0 set g0.u8 = 1\n location 2\n\
         process p1 \"Q\" start 1 size 1 parameters 0\n provided g0.u8 == 1\n location 1\n -> 2 #0 set g1.u8 = 1\n location 2\n\
         start p0 priority 1\nstart p1 priority 1",
    );
    let interpreter = Interpreter::new(&model);
    let first = outcome(&interpreter, &initial(&interpreter));
    assert_eq!(first.movers(), [[0]]);
    assert_eq!(outcome(&interpreter, &first.states[0]).movers(), [[1]]);
}

#[test]
fn a_handshake_needs_a_receiver_whose_condition_holds() {
    let text = |provided: &str| {
        format!(
            "globals size 1 hidden 0\n init g0.u8 = new c0\nchannel c0 \"q\" capacity 0: byte.u8\n\
             process p0 \"S\" start 1 size 0 parameters 0\n location 1\n -> 2 #0 send g0.u8: 1\n location 2\n\
             process p1 \"R\" start 1 size 0 parameters 0\n provided {provided}\n location 1\n -> 2 #0 receive g0.u8: drop\n location 2\n\
             start p0 priority 1\nstart p1 priority 1"
        )
    };
    // The condition is asked after the sender has moved.
    for (provided, successors) in [("0", 0), ("1", 1), ("p0@2", 1), ("p0@1", 0)] {
        let model = model(&text(provided));
        let interpreter = Interpreter::new(&model);
        assert_eq!(
            outcome(&interpreter, &initial(&interpreter)).states.len(),
            successors,
            "provided {provided}"
        );
    }
}

/// Three processes with priorities 1, 2, 2, each of which can set a byte of its own once `x` allows it.
fn three(condition: &str) -> String {
    let mut text = "features priorities\nglobals size 4 hidden 0\n var \"x\" byte g0.u8\n".to_string();
    for i in 0..3 {
        let guard = if i == 0 { "skip".to_string() } else { format!("when {condition}") };
        text += &format!(
            "process p{i} \"P\" start 1 size 0 parameters 0\n location 1\n -> 2 #0 {guard}\n location 2\n"
        );
    }
    text + "start p0 priority 1\nstart p1 priority 2\nstart p2 priority 2"
}

#[test]
fn only_the_highest_priority_that_can_move_moves() {
    let two_can = model(&three("1"));
    let interpreter = Interpreter::new(&two_can);
    let first = outcome(&interpreter, &initial(&interpreter));
    assert_eq!(first.movers(), [[2], [1]]);
    let second = outcome(&interpreter, &first.states[0]);
    assert_eq!(second.movers(), [[1]]);
    assert_eq!(outcome(&interpreter, &second.states[0]).movers(), [[0]], "when the others are through");
    let blocked = model(&three("g0.u8"));
    let interpreter = Interpreter::new(&blocked);
    assert_eq!(outcome(&interpreter, &initial(&interpreter)).movers(), [[0]]);
}

#[test]
fn priorities_can_be_read_and_set() {
    let model = model(
        "features priorities\nglobals size 0 hidden 0\n\
         process p0 \"P\" start 1 size 0 parameters 0\n\
         location 1\n -> 2 #0 assert (priority == 5) && (priority_of(1) == 3) && (priority_of(2) == 0)\n\
         location 2\n -> 3 #0 set_priority 1, 9\n location 3\n -> 4 #0 skip\n location 4\n\
         process p1 \"Q\" start 1 size 0 parameters 0\n location 1\n -> 2 #0 set priority.0.u8 = 2\n location 2\n -> 3 #0 assert priority == 2\n location 3\n\
         start p0 priority 5\nstart p1 priority 3",
    );
    let interpreter = Interpreter::new(&model);
    let mut state = initial(&interpreter);
    for mover in [0, 0, 1, 0, 1] {
        let mut outcome = outcome(&interpreter, &state);
        assert_eq!((outcome.movers(), outcome.messages()), (vec![vec![mover]], vec![]));
        state = outcome.states.remove(0);
    }
    for priority in ["0", "256", "-1"] {
        let text = format!(
            "features priorities\nglobals size 0 hidden 0\nprocess p0 \"P\" start 1 size 0 parameters 0\n location 1\n\
             -> 1 #0 set_priority 0, {priority}\nstart p0 priority 1"
        );
        let message = format!("priority {priority} is out of range (1 to 255)");
        assert_eq!(errors(&text), [(ViolationKind::RuntimeError, message)]);
    }
}

#[test]
fn two_executable_transitions_of_a_deterministic_process_are_an_error() {
    let text = |second: &str| {
        format!(
            "globals size 0 hidden 0\nprocess p0 \"P\" start 1 size 0 parameters 0 deterministic\n location 1\n\
             -> 2 #0 skip\n -> 2 #0 {second}\n location 2\nstart p0 priority 1"
        )
    };
    assert_eq!(errors(&text("skip")).len(), 1);
    assert_eq!(errors(&text("when 0")), []);
    assert_eq!(errors(&text("else")), []);
}

#[test]
fn the_last_process_to_move_is_known() {
    let model = model(
        "features last\nglobals size 1 hidden 0\n var \"x\" byte g0.u8\n\
         process p0 \"P\" start 1 size 0 parameters 0\n location 1\n -> 2 #0 when last == 1\n location 2\n\
         process p1 \"Q\" start 1 size 0 parameters 0\n location 1\n -> 2 #0 skip\n location 2\n\
         start p0 priority 1\nstart p1 priority 1",
    );
    let interpreter = Interpreter::new(&model);
    let first = outcome(&interpreter, &initial(&interpreter));
    assert_eq!(first.movers(), [[1]]);
    assert_eq!(outcome(&interpreter, &first.states[0]).movers(), [[0]]);
}

/// One process that executes a program; `x`, `y`, `z` are `g0` to `g2`, `g3` holds a channel of capacity 1.
fn with_program(guards: &str, nodes: &str) -> String {
    format!(
        "globals size 4 hidden 0\n var \"x\" byte g0.u8\n var \"y\" byte g1.u8\n var \"z\" byte g2.u8\n init g3.u8 = new c0\n\
         channel c0 \"q\" capacity 1: byte.u8\nprocess p0 \"P\" start 1 size 0 parameters 0\n location 1\n\
         -> 2 #0 program {{\n{guards}\n{nodes}\n}}\n location 2 end\nstart p0 priority 1"
    )
}

#[test]
fn a_program_is_one_step() {
    let model = model(&with_program(
        "",
        "node 0 do -> 1 #0 set g0.u8 = g0.u8 + 1\n\
         node 1 choose #0\n option -> 0 when g0.u8 < 10\n option -> 2 else\n\
         node 2 do -> 3 #0 send g3.u8: g0.u8\n node 3 do -> 4 #0 receive g3.u8: store g1.u8\n\
         node 4 choose #0\n option -> 5 when g1.u8 == 10\n option -> exit when g1.u8 == 10\n\
         node 5 jump -> 6\n node 6 choose #0\n option -> 7\n option -> exit\n node 7 do -> exit #0 set g2.u8 = 3",
    ));
    let interpreter = Interpreter::new(&model);
    let outcome = outcome(&interpreter, &initial(&interpreter));
    assert_eq!(outcome.movers(), [[0]]);
    assert_eq!(show(&interpreter, &outcome.states[0]), "x=10 y=10 z=3 queue 1 (q)=[]");
    assert!(interpreter.may_end(&outcome.states[0]));
}

#[test]
fn a_program_waits_for_one_of_its_guards() {
    let nodes = "node 0 do -> exit #0 set g0.u8 = 1";
    for (guards, successors) in [
        ("", 1),
        ("guard when 0", 0),
        ("guard when 0\nguard when 1", 1),
        ("guard receive g3.u8: drop", 0),
        ("guard send g3.u8: 1", 1),
    ] {
        let model = model(&with_program(guards, nodes));
        let interpreter = Interpreter::new(&model);
        let outcome = outcome(&interpreter, &initial(&interpreter));
        assert_eq!((outcome.states.len(), outcome.messages()), (successors, vec![]), "{guards}");
    }
}

#[test]
fn what_blocks_inside_a_program_is_an_error() {
    let blocks = |nodes: &str| {
        let found = errors(&with_program("", nodes));
        assert!(found.len() == 1 && found[0].0 == ViolationKind::RuntimeError, "{nodes}: {found:?}");
        assert!(found[0].1.starts_with("a statement inside a d_step blocks"), "{nodes}: {found:?}");
    };
    blocks("node 0 do -> 1 #0 set g0.u8 = 1\nnode 1 do -> exit #0 when g0.u8 == 0");
    blocks("node 0 do -> exit #0 receive g3.u8: drop");
    blocks("node 0 do -> 1 #0 send g3.u8: 1\nnode 1 do -> exit #0 send g3.u8: 2");
    blocks("node 0 choose #0\n option -> exit when 0\n option -> exit when g0.u8");
    blocks("node 0 choose #0");
}

#[test]
fn errors_inside_a_program() {
    let found = errors(&with_program("", "node 0 do -> 1 #0 assert 0\nnode 1 do -> exit #0 set g0.u8 = 1"));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, ViolationKind::Assertion);
    let found = errors(&with_program("", "node 0 do -> exit #0 set g0.u8 = 1 / g1.u8"));
    assert_eq!(found, [(ViolationKind::RuntimeError, "division by zero".to_string())]);
    let found =
        errors(&with_program("", "node 0 do -> exit #0 send g3.u8: 1").replace("capacity 1", "capacity 0"));
    assert_eq!(found, [(ViolationKind::RuntimeError, "rendezvous send inside a d_step".to_string())]);
}

#[test]
fn a_program_may_start_with_the_second_half_of_a_handshake() {
    let text = |guard: &str, first: &str| {
        format!(
            "globals size 3 hidden 0\n var \"x\" byte g1.u8\n var \"y\" byte g2.u8\n init g0.u8 = new c0\nchannel c0 \"q\" capacity 0: byte.u8\n\
             process p0 \"S\" start 1 size 0 parameters 0\n location 1\n -> 2 #0 send g0.u8: 7\n location 2\n\
             process p1 \"R\" start 1 size 0 parameters 0\n location 1\n -> 2 #0 program {{\n guard receive g0.u8: {guard}\n\
             node 0 do -> 1 #0 receive g0.u8: {first}\n node 1 do -> exit #0 set g2.u8 = g1.u8 + 1\n }}\n location 2\n\
             start p0 priority 1\nstart p1 priority 1"
        )
    };
    let fits = model(&text("store g1.u8", "store g1.u8"));
    let interpreter = Interpreter::new(&fits);
    let found = outcome(&interpreter, &initial(&interpreter));
    assert_eq!(found.movers(), [[0, 1]]);
    assert_eq!(show(&interpreter, &found.states[0]), "x=7 y=8 queue 1 (q)=[]");
    let other = model(&text("match 6", "match 6"));
    let interpreter = Interpreter::new(&other);
    assert!(outcome(&interpreter, &initial(&interpreter)).states.is_empty());
}

#[test]
fn hidden_variables_are_handed_on_but_not_compared() {
    let model = model(
        "globals size 1 hidden 1\n var \"x\" byte g0.u8\n var \"h\" byte g1.u8 hidden\n init g1.u8 = 5\n\
         process p0 \"P\" start 1 size 0 parameters 0\n\
         location 1\n -> 2 #0 keeps_control set g1.u8 = g1.u8 + 1\n\
         location 2\n -> 3 #0 set g0.u8 = g1.u8\n\
         location 3\n -> 4 #0 set g0.u8 = g1.u8\n location 4\n\
         start p0 priority 1",
    );
    let interpreter = Interpreter::new(&model);
    let state = initial(&interpreter);
    assert_eq!(state.last(), Some(&5), "the hidden one stands at the end");
    let mut working = Vec::new();
    interpreter.working_state(&state, &mut working);
    assert_eq!(working, [0, 5, 0, 1], "globals, the hidden one, a tag, a location");
    assert_eq!(interpreter.memory_size(), 1, "which is not compared");
    let first = only(&interpreter, &state);
    assert_eq!(show(&interpreter, &first), "x=6 h=6");
    let second = only(&interpreter, &first);
    assert_eq!(show(&interpreter, &second), "x=6 h=6", "it is handed on");
}

/// The documentation of `set_parameter`: a record takes one argument for each of its scalars.
#[test]
fn a_record_parameter_takes_one_argument_for_each_array_element() {
    let model = model(
        "record r0 \"R\" size 3\n var \"a\"[2] byte +0.u8\n var \"b\" byte +2.u8\nglobals size 0 hidden 0\n\
         process p0 \"P\" start 1 size 0 parameters 0\n location 1\n -> 2 #0 run p1(1, 2, 3) priority 1\n location 2\n\
         process p1 \"Q\" start 1 size 3 parameters 1\n var \"r\" r0 l0 element 3\n location 1\n\
         start p0 priority 1",
    );
    let interpreter = Interpreter::new(&model);
    assert_eq!(shown(&interpreter, &initial(&interpreter)), ["Q(1):r.a[0]=1 Q(1):r.a[1]=2 Q(1):r.b=3"]);
}

#[test]
fn two_processes_may_ask_whether_the_other_is_enabled() {
    let model = model(
        "globals size 0 hidden 0\n\
         process p0 \"P\" start 1 size 0 parameters 0\n location 1\n -> 2 #0 when enabled(1)\n location 2\n\
         process p1 \"Q\" start 1 size 0 parameters 0\n location 1\n -> 2 #0 when enabled(0)\n location 2\n\
         start p0 priority 1\nstart p1 priority 1",
    );
    let interpreter = Interpreter::new(&model);
    outcome(&interpreter, &initial(&interpreter));
}

/// Any state can be packed beside any other, also one with as many bytes and other processes; and comes back
/// as it was. The numbers of pieces grow from one byte to two on the way, and the last word overlaps the one
/// before.
#[test]
fn states_come_back_whatever_they_are_packed_beside() {
    let process = |number: u32, name: &str| {
        format!(
            "process p{number} \"{name}\" start 1 size 7 parameters 0\n var \"a\" int l0.i32\n var \"b\" byte l4.u8\n \
             var \"c\" short l5.i16\n location 1\n -> 1 #0 set g0.i16 = l0.i32\n -> 1 #0 set g2.u8 = l4.u8\n \
             -> 0 #0 end\n"
        )
    };
    let model = model(&format!(
        "globals size 3 hidden 0\n var \"x\" short g0.i16\n var \"y\" byte g2.u8\n{}{}start p0 priority 1\nstart p1 priority 1",
        process(0, "P"),
        process(1, "Q"),
    ));
    let interpreter = Interpreter::new(&model);
    let mut first = Vec::new();
    interpreter.working_state(&initial(&interpreter), &mut first);
    assert_eq!(first.len(), 3 + 2 * 9);
    let mut seed = 1u64;
    let mut known = std::collections::HashMap::new();
    for _ in 0..3000 {
        let states: Vec<Vec<u8>> = (0..4)
            .map(|_| {
                let mut state = first.clone();
                for at in [0, 1, 2, 5, 6, 9, 14, 18, 19, 20] {
                    seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                    if seed >> 62 == 0 {
                        state[at] = (seed >> 40) as u8;
                    }
                }
                // Which of the two comes first, or two of one kind: the tags.
                (state[3], state[12]) = ((seed >> 33 & 1) as u8, (seed >> 34 & 1) as u8);
                state
            })
            .collect();
        let place = |i: usize| (i * first.len()) as u32;
        let mut entries: Vec<Entry> = (0..states.len())
            .map(|i| Entry {
                start: place(i),
                end: place(i + 1),
                steps_start: 0,
                steps_end: 0,
                held: Entry::NOBODY,
                recalled_of: 0,
                sum: 0,
            })
            .collect();
        let mut packed = Vec::new();
        interpreter.packer().pack_all(&states.concat(), &mut entries, &mut packed);
        for (state, entry) in states.iter().zip(&entries) {
            let stored = &packed[entry.start as usize..entry.end as usize];
            let before = known.insert(state.clone(), stored.to_vec());
            assert!(before.is_none_or(|before| before == stored), "one state, two packed forms");
            let mut back = Vec::new();
            // From here on, this is what others are packed beside.
            interpreter.working_state(stored, &mut back);
            assert_eq!(&back, state);
        }
    }
}

/// Where no process comes or goes, nothing is stored of who is there: not even a byte.
#[test]
fn one_shape_needs_no_number() {
    let stored = |action: &str, other: &str| {
        let text = format!(
            "globals size 1 hidden 0\n var \"x\" byte g0.u8\n\
             process p0 \"P\" start 1 size 0 parameters 0\n location 1\n -> 1 #0 skip\n location 2\n -> 0 #0 end\n \
             location 3\n -> 3 #0 run p0() priority 1\n\
             process p1 \"Q\" start 1 size 0 parameters 0\n location 1\n -> 2 #0 {action}\n location 2\n {other}\n\
             process p2 \"R\" start 1 size 0 parameters 0\n location 1\n -> 0 #0 end\n\
             start p0 priority 1\nstart p1 priority 1"
        );
        initial(&Interpreter::new(&model(&text))).len()
    };
    // What is never reached does not count, nor does what nobody is.
    let alone = stored("skip", "-> 1 #0 skip");
    assert_eq!(stored("move p0 0 to 1", "-> 2 #0 skip"), alone);
    for (action, other) in [
        ("skip", "-> 0 #0 end"),
        ("run p0() priority 1", "-> 1 #0 skip"),
        ("run p2() priority 1", "-> 1 #0 skip"),
        ("move p0 0 to 2", "-> 1 #0 skip"),
        ("skip", "-> 1 #0 move p0 0 to 3"),
    ] {
        assert_eq!(stored(action, other), alone + 1, "{action}, {other}");
    }
}
