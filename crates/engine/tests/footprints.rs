//! Footprints on tiny models: what a step may look at is in it, and what it cannot is not.

mod simulation;

use lariat_engine::constants::Constants;
use lariat_engine::footprint::{AbstractPlace, Bounds, Channels, Ground, ProcessPlace, Settled, footprint};
use lariat_engine::{Interpreter, SuccessorFunction};
use lariat_model::ir::ProcessTypeId;
use simulation::model;
use std::collections::BTreeSet;

/// Process 0 has the given locations, process 1 those of `other`, process 2 writes everything that is no
/// constant, and process 3 is of the type of process 1.
///
/// Globals: `a0` to `a3`, `x`; two buffered channels `q0` and `q1` in an array at 5, a rendezvous channel `r`
/// at 7, and one at 8. Variables of process 0: `l0` is 2, `l1` is 1, `l2` is `q0`, `l3` and `l4` are an array
/// of 0 and 3. Of process 1: `l0` is a channel of its own, a rendezvous, and `l1` is 0.
fn text(locations: &str, other: &str) -> String {
    format!(
        "globals size 9 hidden 0\n var \"a\"[4] byte g0.u8\n var \"x\" byte g4.u8\n var \"q\"[2] channel g5.u8\n var \"r\" channel g7.u8\n var \"s\" channel g8.u8\n\
         init g5.u8 = new c0\n init g6.u8 = new c0\n init g7.u8 = new c1\n init g8.u8 = new c1\n\
         channel c0 \"q\" capacity 2: byte.u8\n channel c1 \"r\" capacity 0: byte.u8\n\
         process p0 \"P\" start 1 size 5 parameters 0\n var \"i\" byte l0.u8\n var \"j\" byte l1.u8\n var \"k\" channel l2.u8\n var \"b\"[2] byte l3.u8\n\
         init l0.u8 = 2\n init l1.u8 = 1\n init l2.u8 = g5.u8\n init l4.u8 = 3\n{locations}\n\
         process p1 \"Q\" start 1 size 2 parameters 0\n var \"c\" channel l0.u8\n var \"n\" byte l1.u8\n init l0.u8 = new c1\n{other}\n\
         process p2 \"W\" start 1 size 1 parameters 0\n var \"i\" byte l0.u8\n location 1\n\
         -> 1 #0 set g0[l0.u8 of 4 by 1].u8 = 1\n -> 1 #0 set g4.u8 = 1\n\
         start p0 priority 1\nstart p1 priority 1\nstart p2 priority 1\nstart p1 priority 1"
    )
}

const GLOBALS: [&str; 9] = ["a0", "a1", "a2", "a3", "x", "q[0]", "q[1]", "r", "s"];

const NOTHING: &str = " location 1";

/// The footprint of process 0 in the initial state, by names.
fn seen_by_owner(text: &str, own_known: bool) -> Option<String> {
    let model = model(text);
    let interpreter = Interpreter::new(&model);
    let layout = interpreter.layout();
    let mut bytes = Vec::new();
    interpreter.working_state(&interpreter.initial_state().unwrap(), &mut bytes);
    let (mut processes, mut channels) = (Vec::new(), Vec::new());
    let mut at = layout.frames_start;
    while at < bytes.len() {
        let tag = bytes[at] as usize;
        let size = match layout.processes.get(tag) {
            Some(place) => {
                let variables = at + place.header_size;
                processes.push(ProcessPlace { ty: tag, frame: at..at + place.frame_size, variables });
                place.frame_size
            }
            None => {
                let place = &layout.channels[tag - layout.processes.len()];
                channels.push((at..at + place.frame_size, place.capacity as u32));
                place.frame_size
            }
        };
        at += size;
    }
    let constants = Constants::of(&interpreter);
    let ground = Ground {
        model: &model,
        settled: &Settled::of(&model),
        bytes: &bytes,
        own_known,
        pid: 0,
        process_count: processes.len(),
        processes: &|pid| processes.get(pid).cloned(),
        channels: &|number| channels.get(usize::try_from(number - 1).ok()?).cloned(),
        constant: &|offset, storage| constants.scalar(offset, storage),
    };
    let found = footprint(1, &ground)?;
    let mut names = BTreeSet::new();
    for range in found.ranges().cloned() {
        let process = processes.iter().position(|place| place.frame == range);
        let channel = channels.iter().position(|(frame, capacity)| *frame == range && *capacity > 0);
        match (process, channel) {
            (Some(pid), _) => names.extend([format!("process {pid}")]),
            (_, Some(number)) => names.extend([format!("q{number}")]),
            // A rendezvous channel holds nothing.
            _ if range.start >= layout.frames_start => {}
            _ => names.extend(range.map(|byte| GLOBALS[byte].to_string())),
        }
    }
    Some(names.into_iter().collect::<Vec<_>>().join(" "))
}

fn seen(locations: &str) -> Option<String> {
    seen_by_owner(&text(locations, NOTHING), true)
}

/// What process 0 sees when it sends by a rendezvous to `r`.
fn seen_by_sender(other: &str) -> Option<String> {
    seen_by_owner(&text(" location 1\n -> 1 #0 send g7.u8: 1", other), true)
}

const READ: &str = "set g4.u8 = g0[l0.u8 of 4 by 1].u8";

fn program(nodes: &[&str]) -> String {
    let last = nodes.len() - 1;
    let node = |(i, node): (usize, &&str)| {
        let next = if i == last { "exit".to_string() } else { (i + 1).to_string() };
        format!("node {i} do -> {next} #0 {node}\n")
    };
    let nodes: String = nodes.iter().enumerate().map(node).collect();
    format!(" location 1\n -> 1 #0 program {{\n{nodes}}}")
}

fn sequence(first: &str, second: &str) -> String {
    format!(" location 1\n -> 2 #0 keeps_control {first}\n location 2\n -> 1 #0 {second}")
}

#[test]
fn an_element_whose_number_is_known() {
    assert_eq!(seen(&format!(" location 1\n -> 1 #0 {READ}")).unwrap(), "a2 x");
    let unknown = seen_by_owner(&text(&format!(" location 1\n -> 1 #0 {READ}"), NOTHING), false);
    assert_eq!(unknown.unwrap(), "a0 a1 a2 a3 x");
    // Beyond the end: an error, which is not remembered.
    assert_eq!(
        seen(" location 1\n -> 1 #0 set g4.u8 = g0[l0.u8 + 2 of 4 by 1].u8").unwrap(),
        "a0 a1 a2 a3 x"
    );
}

/// Within a sequence, what is written in it is not known, however it is written; what is not written stays
/// known.
#[test]
fn variables_that_a_sequence_writes() {
    let harmless = ["skip", "set l1.u8 = 1", "set l3[g4.u8 of 2 by 1].u8 = 1", "receive g5.u8: store l1.u8"];
    for first in harmless {
        for text in [program(&[first, READ]), sequence(first, READ)] {
            let found = seen(&text).unwrap();
            assert_eq!(found.replace(" q0", ""), "a2 x", "{text}");
        }
    }
    let writers = [
        "set l0.u8 = 1",
        "receive g5.u8: store l0.u8",
        "receive copy g5.u8: store l0.u8",
        "set_all l1.u8 = 1, l0.u8 = 1",
        "set p0(0).l0.u8 = 1",
    ];
    for first in writers {
        // A program that begins again: it may have been written before.
        let round = program(&[READ, first]).replace("exit", "0");
        for text in [program(&[first, READ]), round, sequence(first, READ)] {
            assert!(seen(&text).unwrap().starts_with("a0 a1 a2 a3"), "{text}");
        }
        let afterwards = seen(&program(&[READ, first])).unwrap();
        assert!(!afterwards.contains("a0"), "{first}: {afterwards}");
        // On one way to the read it is written, on the other not, whichever comes first.
        for (yes, no) in [("when g4.u8", "else"), ("else", "when g4.u8")] {
            let ways = format!(
                " location 1\n -> 1 #0 program {{\nnode 0 choose #0\n option -> 1 {yes}\n option -> 2 {no}\n\
                 node 1 do -> 2 #0 {first}\nnode 2 do -> exit #0 {READ}\n}}"
            );
            assert!(seen(&ways).unwrap().starts_with("a0 a1 a2 a3"), "{ways}");
            let apart = ways.replace("node 1 do -> 2", "node 1 do -> exit");
            assert!(!seen(&apart).unwrap().contains("a0"), "{apart}");
        }
        // It is written by what begins an option: known in the others, and where the option is taken, not.
        for round in ["exit", "0"] {
            let text = format!(
                " location 1\n -> 1 #0 program {{\nnode 0 choose #0\n option -> 1 {first}\n option -> 2 else\n\
                 node 1 do -> {round} #0 skip\nnode 2 do -> exit #0 {READ}\n}}"
            );
            let found = seen(&text).unwrap();
            assert_eq!(found.contains("a0"), round == "0", "{text}: {found}");
            let taken =
                text.replace("option -> 1", "option -> 2").replace("option -> 2 else", "option -> 1 else");
            assert!(seen(&taken).unwrap().starts_with("a0 a1 a2 a3"), "{taken}");
        }
    }
    // An element that is not known may be any.
    let by_array = "set g4.u8 = g0[l3.u8 of 4 by 1].u8";
    for text in [
        program(&["set l3[g4.u8 of 2 by 1].u8 = 1", by_array]),
        sequence("set l3[g4.u8 of 2 by 1].u8 = 1", by_array),
    ] {
        assert_eq!(seen(&text).unwrap(), "a0 a1 a2 a3 x");
    }
    // What is dead in the middle becomes 0 there.
    let dead = sequence("skip", READ).replace("location 2", "location 2 dead 0-1");
    assert_eq!(seen(&dead).unwrap(), "a0 a1 a2 a3 x");
    let dead_at_the_end = sequence("skip", READ).replace("location 1", "location 1 dead 0-1");
    // That is where the process was created, so the variable is 0 already.
    assert_eq!(seen(&dead_at_the_end).unwrap(), "a0 x");
    // A sequence that comes back to its beginning, and one that writes late.
    let round = " location 1\n -> 2 #0 keeps_control when g4.u8\n -> 1 #0 set g4.u8 = g0[l0.u8 of 4 by 1].u8\n location 2\n -> 1 #0 keeps_control set l0.u8 = 1";
    assert_eq!(seen(round).unwrap(), "a0 a1 a2 a3 x");
}

/// Places of one statement: an index may use what the same statement has stored before.
#[test]
fn places_that_are_written_in_turn() {
    assert_eq!(seen(" location 1\n -> 1 #0 set_all g0[l0.u8 of 4 by 1].u8 = 1, l0.u8 = 1").unwrap(), "a2");
    let after =
        seen(" location 1\n -> 1 #0 set_all l0.u8 = 1, g0[l0.u8 of 4 by 1].u8 = g0[l0.u8 of 4 by 1].u8");
    assert_eq!(after.unwrap(), "a0 a1 a2 a3");
}

#[test]
fn statements_that_cannot_be_executed() {
    assert_eq!(seen(" location 1\n -> 1 #0 when (l0.u8 == 2) && g4.u8").unwrap(), "x");
    assert_eq!(seen(" location 1\n -> 1 #0 when (l0.u8 == 1) && g4.u8").unwrap(), "");
    let guarded = |guard: &str| {
        format!(
            " location 1\n -> 1 #0 program {{\nguard when {guard}\nnode 0 do -> 1 #0 when {guard}\nnode 1 do -> exit #0 {READ}\n}}"
        )
    };
    assert_eq!(seen(&guarded("l0.u8 == 2")).unwrap(), "a2 x");
    assert_eq!(seen(&guarded("l0.u8 == 1")).unwrap(), "");
    assert_eq!(seen(&sequence("when l0.u8 == 1", READ)).unwrap(), "");
    // Not known in the middle of the sequence.
    let late =
        " location 1\n -> 2 #0 keeps_control set l0.u8 = 1\n location 2\n -> 1 #0 when (l0.u8 == 1) && g4.u8";
    assert_eq!(seen(late).unwrap(), "x");
    assert_eq!(seen(" location 1\n -> 1 #0 when (process_count == 4) && g4.u8").unwrap(), "x");
    assert_eq!(seen(" location 1\n -> 1 #0 when (process_count == 3) && g4.u8").unwrap(), "");
    assert_eq!(seen(" location 1\n -> 1 #0 end").unwrap(), "");
}

#[test]
fn channels_that_may_be_one_of_several() {
    assert_eq!(seen(" location 1\n -> 1 #0 send l2.u8: 1").unwrap(), "q0");
    assert_eq!(seen(" location 1\n -> 1 #0 send g5[l1.u8 of 2 by 1].u8: 1").unwrap(), "q1");
    assert_eq!(seen(" location 1\n -> 1 #0 send g5[g4.u8 of 2 by 1].u8: 1").unwrap(), "q0 q1 x");
    assert_eq!(seen(" location 1\n -> 1 #0 receive g5[g4.u8 of 2 by 1].u8: drop").unwrap(), "q0 q1 x");
    assert_eq!(seen(" location 1\n -> 1 #0 when len(g5[g4.u8 of 2 by 1].u8)").unwrap(), "q0 q1 x");
    assert_eq!(seen(" location 1\n -> 1 #0 send (g4.u8 ? g5.u8 : g6.u8): 1").unwrap(), "q0 q1 x");
    // Any channel at all; within a program, a rendezvous is an error, so nobody else matters.
    assert_eq!(seen(&program(&["set l2.u8 = g6.u8", "send l2.u8: 1"])).unwrap(), "q0 q1");
}

/// A rendezvous concerns those who may receive from the channel.
#[test]
fn who_may_receive() {
    assert_eq!(seen_by_sender(NOTHING).unwrap(), "");
    // It does not matter where the process is.
    let elsewhere = " location 1\n location 2\n -> 1 #0 receive g7.u8: store g0[l1.u8 of 4 by 1].u8";
    assert_eq!(seen_by_sender(elsewhere).unwrap(), "a0 a1 a2 a3 process 1 process 3");
    assert_eq!(seen_by_sender(&elsewhere.replace("receive g7.u8", "receive g8.u8")).unwrap(), "");
    // A channel of its own is another one, unless the variable is written.
    let own = " location 1\n -> 1 #0 receive l0.u8: match g4.u8";
    assert_eq!(seen_by_sender(own).unwrap(), "");
    for writer in ["set l0.u8 = 3", "receive g5.u8: store l0.u8"] {
        assert_eq!(seen_by_sender(&format!("{own}\n -> 1 #0 {writer}")).unwrap(), "process 1 process 3 x");
    }
    assert_eq!(
        seen_by_sender(&own.replace("location 1", "location 1 dead 0-1")).unwrap(),
        "process 1 process 3 x"
    );
    let to_own = text(" location 1\n -> 1 #0 send 5: 1", own);
    assert_eq!(seen_by_owner(&to_own, true).unwrap(), "process 1 x");
    // A program that begins with the receive, to its end.
    let program = " location 1\n -> 1 #0 program {\nguard receive g7.u8: drop\nnode 0 do -> 1 #0 receive g7.u8: drop\nnode 1 do -> exit #0 set g4.u8 = 1\n}";
    assert_eq!(seen_by_sender(program).unwrap(), "process 1 process 3 x");
}

#[test]
fn what_cannot_be_told() {
    for action in ["run p1() priority 1", "move p0 0 to 1", "when enabled(1)"] {
        assert_eq!(seen(&format!(" location 1\n -> 1 #0 {action}")), None, "{action}");
    }
    assert_eq!(seen(&program(&["skip", "run p1() priority 1"])), None);
}

/// The bound of the last transition of location 1 of process 0, by names.
fn bound(locations: &str, other: &str) -> [String; 3] {
    let model = model(&text(locations, other));
    let constants = Constants::of(&Interpreter::new(&model));
    let bounds = Bounds::of(&model, &constants, &Settled::of(&model));
    let bound = bounds.of_location(ProcessTypeId(0), 1).last().unwrap();
    [&bound.guard_reads, &bound.effect_reads, &bound.writes].map(|places| {
        let mut names = BTreeSet::new();
        for place in places {
            match place {
                AbstractPlace::Global(bytes) => {
                    names.extend(bytes.clone().map(|byte| GLOBALS[byte].to_string()))
                }
                AbstractPlace::Own(bytes) => names.extend(bytes.clone().map(|byte| format!("l{byte}"))),
                AbstractPlace::Process(ty) => {
                    names.extend([ty.map_or("all".into(), |ty| format!("type {}", ty.0))])
                }
                AbstractPlace::Channel(channels, part) => {
                    let which = match channels {
                        Channels::Numbered(number) => format!("c{number}"),
                        Channels::SettledIn(ty, bytes) => format!("p{}.l{}", ty.0, bytes.start),
                        Channels::Any => "any".to_string(),
                    };
                    names.extend([format!("{which}:{part:?}")]);
                }
                AbstractPlace::ProcessList => names.extend(["list".to_string()]),
                AbstractPlace::Everything => names.extend(["everything".to_string()]),
            }
        }
        names.into_iter().collect::<Vec<_>>().join(" ")
    })
}

/// What a transition may touch in any state: guards and effects apart, and channels by their ends.
#[test]
fn bounds_of_transitions() {
    let of = |action: &str| bound(&format!(" location 1\n -> 1 #0 {action}"), NOTHING);
    assert_eq!(of("when g4.u8 == l0.u8"), ["l0 x", "", ""]);
    assert_eq!(of(READ), ["", "a0 a1 a2 a3 l0", "x"]);
    assert_eq!(of("set l1.u8 = g7.u8"), ["", "", "l1"]);
    // A buffered channel has two ends; how many messages there are is a question to both.
    assert_eq!(of("send g5.u8: g4.u8"), ["c1:Back", "c1:Back x", "c1:Back"]);
    assert_eq!(of("receive g5.u8: store l0.u8"), ["c1:Front", "c1:Front", "c1:Front l0"]);
    assert_eq!(of("receive copy g5.u8: match g4.u8"), ["c1:Front x", "c1:Front", ""]);
    assert_eq!(of("receive random g5.u8: drop"), ["c1:All", "c1:All", "c1:All"]);
    assert_eq!(of("send sorted g6.u8: 1"), ["c2:Back", "c2:All", "c2:All"]);
    assert_eq!(of("when len(g5.u8)"), ["c1:Count", "", ""]);
    assert_eq!(of("when poll(g5.u8: match 1)"), ["c1:Front", "", ""]);
    let one_of_two = of("send g5[g4.u8 of 2 by 1].u8: 1");
    assert_eq!(one_of_two, ["c1:Back c2:Back q[0] q[1] x", "c1:Back c2:Back", "c1:Back c2:Back"]);
    assert_eq!(of("send l2.u8: 1"), ["any:Back l2", "any:Back", "any:Back"]);
    // Processes come, go and are counted.
    assert_eq!(of("when process_count == 3"), ["list", "", ""]);
    assert_eq!(of("end"), ["list", "", "l0 l1 l2 l3 l4 list"]);
    assert_eq!(of("run p1() priority 1"), ["", "list", "list type 1"]);
    assert_eq!(of("when p1(1)@1"), ["all list", "", ""]);
    assert_eq!(of("when p1@1"), ["list type 1", "", ""]);
    assert_eq!(of("set g4.u8 = p1(1).l0.u8"), ["", "list type 1", "x"]);
    assert_eq!(of("when enabled(1)"), ["everything", "", ""]);
}

/// What a transition depends on beside its own action.
#[test]
fn bounds_that_come_from_others() {
    let after = |last: &str| bound(&format!(" location 1\n -> 1 #0 when g4.u8\n {last}"), NOTHING);
    assert_eq!(after("-> 1 #0 else"), ["x", "", ""]);
    assert_eq!(after("-> 1 #0 skip"), ["", "", ""]);
    let escape = " location 1\n -> 1 #0 escape 1 when g4.u8\n -> 1 #0 skip";
    assert_eq!(bound(escape, NOTHING), ["x", "", ""]);
    // A sequence belongs to its first transition.
    assert_eq!(bound(&sequence("when g4.u8", READ), NOTHING), ["x", "a0 a1 a2 a3 l0", "x"]);
    assert_eq!(bound(&program(&["when g4.u8", READ]), NOTHING), ["", "a0 a1 a2 a3 l0 x", "x"]);
    let dead = " location 1\n -> 2 #0 skip\n location 2 dead 0-1";
    assert_eq!(bound(dead, NOTHING), ["", "", "l0"]);
    // A rendezvous concerns those who may receive from the channel.
    let sends = " location 1\n -> 1 #0 send g7.u8: g4.u8";
    let receives = |channel: &str| format!(" location 1\n -> 1 #0 receive {channel}: store g0.u8");
    assert_eq!(bound(sends, &receives("g8.u8")), ["c3:Back x", "c3:Back x", "c3:Back"]);
    let [guard, effect, writes] = bound(sends, &receives("g7.u8"));
    assert_eq!(guard, "c3:Back c3:Front type 1 x");
    assert_eq!(effect, "c3:Back c3:Front x");
    assert_eq!(writes, "a0 c3:Back c3:Front type 1");
    // A channel of its own is another one; a number that nobody knows may be any.
    assert_eq!(bound(sends, &receives("l0.u8"))[2], "c3:Back");
    assert!(bound(sends, &receives("g0.u8"))[2].contains("type 1"));
    // What the receiver does before it gives control away.
    let goes_on =
        " location 1\n -> 2 #0 keeps_control receive g7.u8: drop\n location 2\n -> 1 #0 set g1.u8 = 1";
    assert!(bound(sends, goes_on)[2].contains("a1"));
}
