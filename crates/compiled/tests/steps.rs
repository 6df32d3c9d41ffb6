//! Compiled code against the interpreter, state by state: same successors, same order, same errors, same
//! propositions.

use lariat_compiled::{CompiledModel, StepSource, When};
use lariat_engine::constants::Constants;
use lariat_engine::footprint::Settled;
use lariat_engine::promises::Promises;
use lariat_engine::reduction::Reduction;
use lariat_engine::simplify::{Simplifications, simplify};
use lariat_engine::{
    Capacity, Divergence, Interpreter, Moment, Patience, SuccessorFunction, Successors, Valuation, Violation,
};
use lariat_generators::random::Random;
use lariat_generators::{GeneratorOptions, generate, generate_dve};
use lariat_model::ir::*;
use lariat_promela::{ReadOptions, read_model, read_text};
use lariat_source::SourceMap;
use lariat_store::{StateHash, WeightedSums};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Gives the model propositions about everything in it: globals, channels, places and variables of processes;
/// of globals, only so many.
fn add_propositions(model: &mut Model, globals: usize) {
    let mut values = vec![Expr::ProcessCount, Expr::NonProgress, Expr::Acceptance, Expr::Timeout];
    for global in model.globals.iter().take(globals) {
        let Type::Scalar { shown, storage } = global.ty else { continue };
        let value = Expr::Global { offset: global.offset, storage };
        if shown == ShownAs::Channel {
            values.push(Expr::Len(Box::new(value.clone())));
            values.push(Expr::Test(ChannelTest::Full, Box::new(value.clone())));
        }
        values.push(value);
    }
    for (number, process) in model.process_types.iter().enumerate() {
        let id = ProcessTypeId(number as u16);
        for location in (1..process.locations.len() as u32).step_by(3) {
            values.push(Expr::RemoteLabel { process: id, pid: None, location });
            let pid = Some(Box::new(Expr::Constant(number as i32)));
            values.push(Expr::RemoteLabel { process: id, pid, location });
        }
        for variable in &process.variables {
            let Type::Scalar { storage, .. } = variable.ty else { continue };
            let base = Base::Remote { process: id, pid: None };
            let place = Place { base, offset: variable.offset, storage, indices: Vec::new() };
            let one = Box::new((Expr::Load(Box::new(place)), Expr::Constant(1)));
            values.push(Expr::Binary(BinaryOperator::Greater, one));
        }
    }
    let proposition = |value: Expr| Proposition { text: format!("{value:?}"), value };
    model.propositions = values.into_iter().map(proposition).collect();
}

/// All propositions in a state, as an engine judges them.
fn judged(
    model: &impl SuccessorFunction,
    count: usize,
    state: &[u8],
    moment: Moment,
) -> Vec<Result<bool, Violation>> {
    let mut valuation = Valuation::default();
    model.look_at(state, moment, &mut valuation);
    (0..count).map(|k| model.is_true(k, &mut valuation)).collect()
}

/// Sequences without an end are cut early: by both.
fn patience() -> Patience<'static> {
    Patience { max_bytes: 1 << 20, ..Patience::default() }
}

/// Explores up to `limit` states, and compares in each: code alone, what is remembered, and what is
/// remembered where little can be. Then the same with the simplified model, in which variables are reset and
/// sequences are longer.
fn compare(model: &Model, limit: usize) -> Result<usize, String> {
    let mut simplified = model.clone();
    simplify(&mut simplified, Simplifications { reset_dead_variables: true, merge_statements: true });
    // With few globals, propositions about them are not judged again and again.
    compare_as_it_is(&simplified, limit / 2, 2).map_err(|complaint| format!("simplified: {complaint}"))?;
    compare_reduced(model, limit / 4).map_err(|complaint| format!("reduced: {complaint}"))?;
    compare_as_it_is(model, limit, usize::MAX)
}

fn compare_as_it_is(model: &Model, limit: usize, globals: usize) -> Result<usize, String> {
    let mut model = model.clone();
    add_propositions(&mut model, globals);
    // Clones share the numbers of what they store.
    let interpreter = Interpreter::new(&model).with_patience(patience());
    let compile = |when: When| {
        CompiledModel::unless(interpreter.clone(), when, &|| false)
            .map_err(|reason| format!("not compiled: {}", reason.0))
    };
    let executes = compile(When::Beforehand)?.only_by(StepSource::Execute);
    let recalls = compile(When::Hot(40))?.only_by(StepSource::Recall);
    // It executes most: first interpreted, then by code.
    let forgets = compile(When::Hot(3))?.only_by(StepSource::Recall).with_capacity(Capacity::TINY);
    let mut visited = 0;
    for compiled in [&executes, &forgets, &recalls] {
        visited = compare_with(&interpreter, compiled, model.propositions.len(), limit)?;
    }
    Ok(visited)
}

/// Where only some processes of a state are followed: code alone, what is remembered, and what is remembered
/// where little can be. States are taken in several lanes, so that what is kept of one state meets others.
fn compare_reduced(model: &Model, limit: usize) -> Result<(), String> {
    // Propositions would make steps visible.
    let model = Model { propositions: Vec::new(), ..model.clone() };
    let interpreter = Interpreter::new(&model).with_patience(patience());
    let Ok(reduction) = Reduction::new(&interpreter) else { return Ok(()) };
    let reduced = interpreter.with_reduction(reduction);
    let Ok(initial) = reduced.initial_state() else { return Ok(()) };
    let compile =
        |when: When| CompiledModel::unless(reduced.clone(), when, &|| false).map_err(|reason| reason.0);
    let engines = [
        compile(When::Beforehand)?.only_by(StepSource::Execute),
        compile(When::Hot(3))?.only_by(StepSource::Recall).with_capacity(Capacity::TINY),
        compile(When::Beforehand)?.only_by(StepSource::Recall),
    ];
    let mut seen: HashSet<Vec<u8>> = HashSet::from([initial.clone()]);
    let mut work = vec![initial];
    let mut expected = Successors::new();
    let mut lanes = [0, 1, 2, 3].map(Successors::for_lane);
    let mut visited = 0;
    while !work.is_empty() {
        // Mostly the latest, now and then one from further away.
        let depth = if visited % 5 == 4 { work.len().min(40) } else { 1 };
        let state = work.swap_remove(work.len() - depth);
        reduced.successors(&state, &mut expected);
        for compiled in &engines {
            // Twice: the second time all that it does is remembered.
            for again in 0..2 {
                let found = &mut lanes[(visited / 3 + again) % 4];
                compiled.successors(&state, found);
                let same = found.len() == expected.len()
                    && (0..found.len()).all(|i| found.state(i) == expected.state(i))
                    && found.is_reduced() == expected.is_reduced()
                    && found.something_happens() == expected.something_happens();
                if !same {
                    let counts = (found.len(), found.is_reduced(), expected.len(), expected.is_reduced());
                    return Err(format!("{counts:?} in state {visited}: {state:?}"));
                }
            }
        }
        visited += 1;
        for i in 0..expected.len() {
            if seen.len() < limit && seen.insert(expected.state(i).to_vec()) {
                work.push(expected.state(i).to_vec());
            }
        }
    }
    Ok(())
}

fn compare_with(
    interpreter: &Interpreter,
    compiled: &CompiledModel,
    propositions: usize,
    limit: usize,
) -> Result<usize, String> {
    let Ok(initial) = interpreter.initial_state() else { return Ok(0) };
    let mut seen: HashSet<Vec<u8>> = HashSet::from([initial.clone()]);
    let mut work = vec![initial];
    let (mut expected, mut found) = (Successors::new(), Successors::for_lane(0));
    let mut visited = 0;
    while let Some(state) = work.pop() {
        interpreter.successors(&state, &mut expected);
        compiled.successors(&state, &mut found);
        let at = || format!("in state {visited}: {state:?}");
        if expected.len() != found.len() {
            return Err(format!("{} successors, not {} {}", found.len(), expected.len(), at()));
        }
        for i in 0..expected.len() {
            if expected.state(i) != found.state(i) {
                return Err(format!(
                    "successor {i} is {:?}, not {:?} {}",
                    found.state(i),
                    expected.state(i),
                    at()
                ));
            }
        }
        let visible = |i: usize| &found.state(i)[..found.state(i).len() - compiled.memory_size()];
        if let Some(i) = (0..found.len()).find(|&i| found.sum(i) != WeightedSums.sum(visible(i))) {
            return Err(format!("another sum for successor {i} {}", at()));
        }
        if expected.something_happens() != found.something_happens() || expected.was_cut() != found.was_cut()
        {
            return Err(format!("something happens, or not {}", at()));
        }
        let errors = |out: &Successors| -> Vec<_> {
            out.violations().map(|(violation, steps)| (violation.clone(), steps.to_vec())).collect()
        };
        if errors(&expected) != errors(&found) {
            return Err(format!("{:?}, not {:?} {}", errors(&found), errors(&expected), at()));
        }
        check_sleeping(interpreter, compiled, &expected, &found).map_err(|why| format!("{why} {}", at()))?;
        let loops = |out: &Successors| -> Vec<_> {
            let of = |found: Divergence| (found.movers, found.stem.to_vec(), found.cycle.to_vec());
            out.divergences().map(of).collect()
        };
        if loops(&expected) != loops(&found) {
            return Err(format!("loops {:?}, not {:?} {}", loops(&found), loops(&expected), at()));
        }
        let moment = if expected.something_happens() { Moment::Moving } else { Moment::Stuck };
        // What was judged in one moment does not count in another.
        let diverging = expected.divergences().map(|found| Moment::Diverging(found.movers));
        for moment in diverging.chain([moment]) {
            let theirs = judged(interpreter, propositions, &state, moment);
            let ours = judged(compiled, propositions, &state, moment);
            if theirs != ours {
                return Err(format!("propositions are {ours:?}, not {theirs:?} {moment:?} {}", at()));
            }
        }
        visited += 1;
        for i in 0..expected.len() {
            if seen.len() < limit && !seen.contains(expected.state(i)) {
                seen.insert(expected.state(i).to_vec());
                work.push(expected.state(i).to_vec());
            }
        }
    }
    Ok(visited)
}

/// What need not be followed from a successor of a state (`expected` as the interpreter has it, `found` with
/// processes that are asleep) is met on another way: by the same two processes in the other order. And it is
/// left out and counted if one asks for that.
fn check_sleeping(
    interpreter: &Interpreter,
    compiled: &CompiledModel,
    expected: &Successors,
    found: &Successors,
) -> Result<(), String> {
    let by = |out: &Successors, i: usize| out.steps(i)[0].pid;
    let (mut after, mut other_way, mut needed) = (Successors::new(), Successors::new(), Successors::new());
    let asleep = (0..found.len()).map(|i| (i, found.sleeping_in(i))).filter(|(_, sleeping)| *sleeping != 0);
    for (i, sleeping) in asleep {
        let first = by(expected, i);
        let is_asleep = |pid: u16| pid < 32 && sleeping >> pid & 1 == 1;
        interpreter.successors(expected.state(i), &mut after);
        compiled.awake_successors(expected.state(i), sleeping, &mut needed);
        // What a process does is there, or it is left out, all of it. (Two processes may do the same.)
        let mut ends = HashSet::from([0]);
        let mut k = 0;
        while k < after.len() {
            let pid = by(&after, k);
            let count = (k..after.len()).take_while(|&k| by(&after, k) == pid).count();
            let is_at = |at: usize| {
                (0..count).all(|n| at + n < needed.len() && needed.state(at + n) == after.state(k + n))
            };
            let there = ends.iter().copied().filter(|&at| is_at(at)).map(|at| at + count);
            ends = there.chain(ends.iter().copied().filter(|_| is_asleep(pid))).collect();
            k += count;
        }
        if !ends.contains(&needed.len())
            || needed.len() + needed.left_out() as usize != after.len()
            || needed.something_happens() != after.something_happens()
        {
            return Err(format!("what is left out after successor {i} is wrong"));
        }
        for k in (0..after.len()).filter(|&k| is_asleep(by(&after, k))) {
            let second = by(&after, k);
            let meets = (0..expected.len()).filter(|&y| by(expected, y) == second).any(|y| {
                interpreter.successors(expected.state(y), &mut other_way);
                let is_sought = |out: &Successors, t: usize| out.state(t) == after.state(k);
                if (0..other_way.len()).any(|t| by(&other_way, t) == first && is_sought(&other_way, t)) {
                    return true;
                }
                // Another process may have handed control to the first one, in a state to which that one
                // comes on its own too: then it is told once, as the other one's. Whoever follows the first
                // one alone must meet it all the same.
                compiled.awake_successors(expected.state(y), !(1 << first), &mut needed);
                (0..needed.len()).any(|t| is_sought(&needed, t))
            });
            if second <= first || !meets {
                return Err(format!(
                    "successor {i} by process {first}, then process {second}: not another way"
                ));
            }
        }
    }
    Ok(())
}

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// All models in a folder that can be read.
fn compare_folder(folder: &str, limit: usize) -> (usize, Vec<String>) {
    let mut complaints = Vec::new();
    let mut compared = 0;
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(project(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in &paths {
        let mut sources = SourceMap::new();
        let (model, _) = match path.extension().and_then(|extension| extension.to_str()) {
            Some("pml") => read_model(path, &ReadOptions::default(), &mut sources).unwrap(),
            Some("dve") => lariat_dve::read_file(path, &mut sources).unwrap(),
            _ => continue,
        };
        let Some(model) = model else { continue };
        match compare(&model, limit) {
            Ok(_) => compared += 1,
            Err(complaint) => complaints.push(format!("{}: {complaint}", path.display())),
        }
    }
    (compared, complaints)
}

#[test]
fn our_models() {
    let (compared, complaints) = compare_folder("models", 20_000);
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(compared > 20);
}

#[test]
fn regressions() {
    let (compared, complaints) = compare_folder("tests/regressions", 2_000);
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(compared > 60);
}

fn random_models(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let text = generate(seed, &GeneratorOptions::default()).to_string();
        let (model, _) = read_text("random.pml", &text, &ReadOptions::default(), &mut SourceMap::new());
        let Some(model) = model else { continue };
        if let Err(complaint) = compare(&model, 3_000) {
            panic!("seed {seed}: {complaint}\n{text}");
        }
    }
}

fn random_dve_models(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let text = generate_dve(seed);
        let (model, messages) = lariat_dve::read_text("random.dve", &text, &mut SourceMap::new());
        let model = model.unwrap_or_else(|| panic!("seed {seed}: {messages:?}\n{text}"));
        if let Err(complaint) = compare(&model, 2_000) {
            panic!("seed {seed}: {complaint}\n{text}");
        }
    }
}

#[test]
fn some_random_dve_models() {
    random_dve_models(0..200);
}

#[test]
#[ignore = "long"]
fn many_random_dve_models() {
    random_dve_models(1_000..6_000);
}

#[test]
fn some_random_models() {
    random_models(0..130);
    // Control that a process takes on its own, or is handed in the same state.
    random_models(3_313..3_314);
}

#[test]
#[ignore = "long"]
fn many_random_models() {
    random_models(1_000..4_000);
}

/// A location with so many transitions that they are compiled in parts, in all ways of leaving it.
#[test]
fn many_options_at_one_place() {
    let mut text = String::from("byte x; chan c = [0] of { byte }; chan d = [2] of { byte };\n");
    text += "active proctype P() { byte y; { do\n";
    for i in 0..100 {
        text += &format!(":: x == {i} -> x = (x * 7 + {i}) % 101\n:: x % 9 == {} -> c!{i}\n", i % 9);
        text += &format!(":: c?eval({i}) -> x = {i}\n:: d!{i}\n:: d?{i}\n");
    }
    text += ":: else -> x = 0 od } unless { x == 77; x = 78 } }\n";
    text += "active proctype Q() { byte z; do :: c?z :: c!(x % 50) :: d?z; x = z :: timeout -> x = 1 od }";
    let (model, messages) = read_text("many.pml", &text, &ReadOptions::default(), &mut SourceMap::new());
    let model = model.unwrap_or_else(|| panic!("{messages:?}"));
    assert!(compare(&model, 3_000).unwrap() > 1_000);
}

/// Two ways into an indivisible sequence meet in it: what follows happens once, although code could run on
/// from either.
#[test]
fn ways_that_meet_within_a_sequence() {
    let text = "byte x, y; active proctype P() { do :: atomic { if :: x = 1 :: x = 2 fi; x = 0; y = 1 - y; x = 3; skip } od }";
    let (model, messages) = read_text("meet.pml", text, &ReadOptions::default(), &mut SourceMap::new());
    let model = model.unwrap_or_else(|| panic!("{messages:?}"));
    assert!(compare(&model, 100).unwrap() > 1);
}

/// Processes that come and go, so that nothing lies where it lay; what DVE's models use stands beside it.
#[test]
fn processes_that_are_moved_while_others_come_and_go() {
    let text = r#"lariat-ir 1
model "m"
globals size 3 hidden 0
  var "x" byte g0.u8
  var "a"[2] byte g1.u8
process p0 "P" start 1 size 1 parameters 1
  var "n" byte l0.u8
  statement 0 ""
  location 0
  location 1
    -> 2 #0 run p1(g0.u8) priority 1
    -> 1 #0 move p1 1 to 2
    -> 1 #0 move p1 0 to 2
    -> 1 #0 set_all g0.u8 = (g0.u8 + 1) % 3, g1[g0.u8 of 2 by 1].u8 = g0.u8
  location 2 committed
    assertion #0 g0.u8 < 2
    -> 1 #0 program {
      guard when p1(1)@1
      node 0 do -> 1 #0 move p1 1 to 2
      node 1 do -> 2 #0 set_all p1(1).l0.u8 = g0.u8, g0.u8 = p1(1).l0.u8
      node 2 do -> exit #0 set g1[p1(1).l0.u8 of 2 by 1].u8 = 1
    }
    -> 1 #0 when p1(2)@2
process p1 "Q" start 1 size 1 parameters 1
  var "n" byte l0.u8
  statement 0 ""
  location 0
  location 1
    -> 0 #0 end
    -> 2 #0 skip
  location 2 committed
    -> 1 #0 set l0.u8 = 0
    -> 0 #0 end
start p0 priority 1
"#;
    let model = lariat_model::text::parse(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(lariat_model::verify::verify(&model), Vec::<String>::new());
    assert!(compare(&model, 5_000).unwrap() > 100);
}

/// Two senders hand control to one receiver, in the same state: what it does then happens once, although each
/// sender could be executed alone.
#[test]
fn senders_that_hand_over_control() {
    let text = "chan c = [0] of { byte }; byte x; active [2] proctype S() { do :: c!1 od }\n\
                active proctype R() { byte y; do :: atomic { c?y; x = 1 - x } od }";
    let (model, messages) = read_text("hand.pml", text, &ReadOptions::default(), &mut SourceMap::new());
    let model = model.unwrap_or_else(|| panic!("{messages:?}"));
    assert!(compare(&model, 100).unwrap() > 1);
}

/// What is remembered about a step must name every element of an array that the step may look at: where the
/// index changes within an indivisible sequence, or lies in another piece of the process than its location,
/// it cannot be known. The elements lie far apart, in pieces of their own.
#[test]
fn elements_that_cannot_be_known_beforehand() {
    let other = "active proctype Q() { byte k; do :: a[k * 10] = 1 - a[k * 10] :: k = (k + 1) % 4 od }";
    let in_sequence = "active proctype P() { byte i; do :: atomic { i = (i + 1) % 4; x = a[i * 10] } od }";
    let in_program = "active proctype P() { byte i; do :: d_step { i = (i + 1) % 4; x = a[i * 10] } od }";
    let in_another_piece =
        "active proctype P() { byte pad[10]; byte i; do :: x = a[i * 10] :: i = (i + 1) % 4 od }";
    for first in [in_sequence, in_program, in_another_piece] {
        let text = format!("byte a[40]; byte x;\n{first}\n{other}");
        let (model, messages) = read_text("apart.pml", &text, &ReadOptions::default(), &mut SourceMap::new());
        let model = model.unwrap_or_else(|| panic!("{messages:?}"));
        assert!(compare(&model, 3_000).unwrap_or_else(|complaint| panic!("{complaint}\n{text}")) > 200);
    }
}

/// A younger process gets to a place from where it never ends, so that older ones, which have not moved, do
/// not end either: what they may do is then something else.
#[test]
fn younger_processes_that_stay() {
    let text = "byte x; proctype C() { x = 3 }\n\
                active [2] proctype P() { byte a; a = 1; x = 1; a = 2; a = 3; a = 4 }\n\
                active proctype R() { byte r; do :: r = (r + 1) % 4 :: r == 2 -> break od; run C() }\n\
                active proctype Q() { byte b; b = 1; if :: b = 2 :: do :: b = 3 - b od fi; b = 5 }";
    let (model, messages) = read_text("stay.pml", text, &ReadOptions::default(), &mut SourceMap::new());
    let model = model.unwrap_or_else(|| panic!("{messages:?}"));
    assert!(compare(&model, 8_000).unwrap() > 500);
}

/// What a process did in the state before must not be taken for what it does now: where another process has
/// changed a variable, a channel or an element that it looks at; where a state in between was given up (an
/// assertion fails) before its turn came; where processes come and go; where numbers need more bytes than
/// one, and states are so short or so long that they are not compared word by word.
#[test]
fn steps_that_others_change() {
    let looks_at_x = "active proctype P() { do :: x == 0 -> y = 1 :: x == 1 -> y = 2 :: x == 2 -> y = 0 od }";
    let given_up = "active proctype Q() { byte w; do :: x = (x + 1) % 3 :: w = (w + 1) % 3 :: w == 2 -> assert(x != y) od }";
    let by_channel = "chan c = [2] of { byte }; active proctype R() { do :: c!x :: c?y od }\n\
                      active proctype S() { do :: c?[1] -> y = 1 :: c?[2] -> y = 0 :: empty(c) -> x = (x + 1) % 3 od }";
    let by_shape = "proctype Child() { y = 2 }\n\
                    active proctype Parent() { do :: _nr_pr == 2 -> x = 1 :: _nr_pr < 4 -> run Child() :: x = 0 od }";
    let long = "int big; active proctype Counter() { do :: big < 300 -> big = big + 1 :: big > 0 -> big = big / 2 od }";
    let many = "byte a[70]; active proctype Writer() { byte i; do :: a[i] = 1 - a[i]; x = a[69 - i] :: i = (i + 23) % 70 od }";
    for parts in [
        vec![looks_at_x, given_up],
        vec![given_up, looks_at_x],
        vec![by_channel, looks_at_x],
        vec![by_shape],
        vec![looks_at_x, by_shape],
        vec![looks_at_x, long],
        vec![long, given_up, by_channel],
        vec![long, by_shape],
        vec![many, looks_at_x],
    ] {
        let text = format!("byte x, y;\n{}", parts.join("\n"));
        let (model, messages) =
            read_text("others.pml", &text, &ReadOptions::default(), &mut SourceMap::new());
        let model = model.unwrap_or_else(|| panic!("{messages:?}"));
        assert!(compare(&model, 5_000).unwrap_or_else(|complaint| panic!("{complaint}\n{text}")) > 5);
    }
}

/// A process that ends takes its frame with it, and channels of its own; all else stays, wherever it lies:
/// also what has got so many values that its number needs a second byte, before somebody was seen to end or
/// after it. Who is not the last one cannot end; and a step that does more than end is not taken for an end.
#[test]
fn processes_that_end() {
    // It counts up fast, and then comes back to small numbers, in all combinations with the others.
    let counter = "short big; active proctype Counter() { do :: big < 700 -> big = big + 1 :: big = 0 od }";
    for child in [
        "proctype Child() { x = 1 - x }",
        "proctype Child() { short own; do :: own < 300 -> own = own + 7 :: break od }",
        "proctype Child() { chan c = [2] of { byte }; do :: c!x :: c?_ :: break od }",
        "proctype Child() { byte pad[9]; do :: pad[x] = 1 - pad[x] :: break od; atomic { x = 1 - x } }",
        "proctype Child() { if :: true -> if :: _nr_pr < 4 -> run Child() :: else fi :: true fi }",
    ] {
        for counter in ["", counter] {
            let text = format!(
                "byte x; chan q = [2] of {{ byte }}; {counter}\n{child}\n\
                 active proctype Parent() {{ do :: _nr_pr < 5 -> run Child() :: q!x :: q?_ od }}"
            );
            let (model, messages) =
                read_text("ends.pml", &text, &ReadOptions::default(), &mut SourceMap::new());
            let model = model.unwrap_or_else(|| panic!("{messages:?}\n{text}"));
            assert!(compare(&model, 20_000).unwrap_or_else(|complaint| panic!("{complaint}\n{text}")) > 50);
        }
    }
}

/// What is remembered about a step names every channel that it may use: where the number of the channel is
/// received within the step, or names an element of an array.
#[test]
fn channels_that_cannot_be_known_beforehand() {
    let head = "chan q[3] = [2] of { byte }; chan in = [2] of { byte }; byte x, y;\n\
                active proctype Feed() { do :: in!0 :: in!1 :: in!2 :: q[x]?y :: x = (x + 1) % 3 od }\n";
    for step in [
        "d_step { in?i; if :: nfull(q[i]) -> q[i]!1 :: else fi; i = 0 }",
        "atomic { in?i; q[i]!1; i = 0 }",
        "d_step { in?i; c = q[i]; if :: nfull(c) -> c!2 :: else fi; c = q[0]; i = 0 }",
        "atomic { in?i; c = q[i]; c!i; c = q[0]; i = 0 }",
        "d_step { in?i; b[i] = 2; i = b[1]; if :: nfull(q[i]) -> q[i]!1 :: else fi; b[0] = 0; b[1] = 0; b[2] = 0; i = 0 }",
    ] {
        let text = format!(
            "{head}active proctype P() {{ chan c = q[0]; byte i; byte b[3]; do :: {step} :: q[2]?_ od }}"
        );
        let (model, messages) =
            read_text("channels.pml", &text, &ReadOptions::default(), &mut SourceMap::new());
        let model = model.unwrap_or_else(|| panic!("{messages:?}\n{text}"));
        let visited = compare(&model, 3_000).unwrap_or_else(|complaint| panic!("{complaint}\n{text}"));
        assert!(visited > 50, "only {visited} states\n{text}");
    }
}

/// What is remembered about a rendezvous names everyone who may receive, and all that decides it: a receiver
/// elsewhere, a match with a global, a channel variable that changes, a channel of its own, a parameter, a
/// `provided` clause, a program. The elements of `a` lie apart.
#[test]
fn receivers_that_cannot_be_known_beforehand() {
    let head = "chan r = [0] of { byte, byte }; chan s = [0] of { byte, byte }; byte a[30]; byte x, turn;\n\
                active proctype Turn() { do :: turn = (turn + 1) % 3 :: a[turn * 10] = 1 - a[turn * 10] od }\n\
                active proctype S() { byte v; do :: r!v,0 :: s!0,v :: v = 1 - v od }\n";
    for receiver in [
        "active proctype R() { byte k; do :: r?eval(a[0]),_ :: k == 1 -> s?_,k :: k = (k + 1) % 3 od }",
        "active [2] proctype R() { byte k; do :: r?k,a[k * 10]; s?x,_ :: s?a[20],_ od }",
        "active proctype R() { chan c = r; do :: c?_,x :: c = s :: c = r od }",
        "active [2] proctype R() { chan c = [0] of { byte, byte }; do :: r?x,_ ; c?_,_ :: atomic { c!1,1; x = 0 } od }",
        "active proctype R() provided (a[10] == 0) { do :: r?_,x :: s?x,_ od }",
        "active proctype R() { byte k; do :: d_step { r?k,_; x = a[k * 10]; k = 0 } :: d_step { s?_,k; a[k * 10] = 1; k = 0 } od }",
        "active proctype R() { byte k; do :: atomic { r?k,_; x = a[k * 10] } :: s?k,_ unless { a[20] == 1; k = 0 } od }",
        "proctype C(chan c) { c?x,_ } active proctype R() { do :: _nr_pr < 5 -> if :: run C(r) :: run C(s) fi od }",
        "proctype C(chan c) { chan d = [0] of { byte, byte }; do :: c?d,_ :: d?_,_ :: c!d,1 :: break od }\n\
         active proctype R() { do :: _nr_pr < 5 -> run C(r) od }",
        "active proctype W() { do :: r!1,1; mid: x = 1 - x od }\n\
         active proctype R() provided (6 / (1 - W@mid) > 0) { do :: s?x,_ :: x = 1 - x od }",
        "active proctype R() { do :: timeout -> r?x,_ :: x == turn -> s?_,_ :: r?1,_ -> x = 2 od }",
    ] {
        let text = format!("{head}{receiver}");
        let (model, messages) =
            read_text("receivers.pml", &text, &ReadOptions::default(), &mut SourceMap::new());
        let model = model.unwrap_or_else(|| panic!("{messages:?}\n{text}"));
        assert!(compare(&model, 3_000).unwrap_or_else(|complaint| panic!("{complaint}\n{text}")) > 20);
    }
}

/// Who may receive is known as bits of channels and of processes: here there are more of both. Senders and
/// receivers are some of the first and some of the last.
#[test]
fn more_receivers_and_channels_than_bits() {
    for (first, last, between) in [(1, 1, 0), (1, 1, 60), (2, 1, 61), (1, 2, 62), (2, 2, 70)] {
        let process = "{ byte k; do :: c[1]!k :: c[1]?k :: c[62]!k; c[63]?k :: c[62]?k; c[63]!2 :: c[66]?x \
                       :: k > 0 -> c[60 + k]!1 :: x > 0 -> c[63 + x]?k; c[0]!x :: c[0]?x od }";
        let text = format!(
            "chan c[68] = [0] of {{ byte }}; byte x;\n\
             active [{first}] proctype First() {process}\n\
             active [{between}] proctype Between() {{ c[1]?_; c[67]?_; c[66]!1 }}\n\
             active [{last}] proctype Last() {process}\n\
             active proctype Sends() {{ do :: c[1]!1 :: c[62]!2 :: c[66]!3 :: c[67]!1 :: c[0]!2 od }}"
        );
        let (model, messages) =
            read_text("receivers.pml", &text, &ReadOptions::default(), &mut SourceMap::new());
        let model = model.unwrap_or_else(|| panic!("{messages:?}\n{text}"));
        compare(&model, 400).unwrap_or_else(|complaint| panic!("{complaint}\n{text}"));
    }
}

/// Bytes of memory that the process has, where the system says so.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    text.split(' ').nth(1)?.parse::<u64>().ok().map(|pages| pages * 4096)
}

#[test]
fn a_thousand_compilations_leave_nothing_behind() {
    let path = project("models/peterson.pml");
    let (model, _) = read_model(&path, &ReadOptions::default(), &mut SourceMap::new()).unwrap();
    let model = model.unwrap();
    let compile =
        |count| (0..count).for_each(|_| drop(CompiledModel::new(Interpreter::new(&model)).unwrap()));
    compile(100);
    let before = resident();
    compile(1_000);
    if let (Some(before), Some(after)) = (before, resident()) {
        // A compilation takes some hundred kilobytes; tests that run at the same time take memory too.
        assert!(after < before + (64 << 20), "{} bytes more", after - before);
    }
}

/// Processes that get channels in every way, and promise something about some of them. Whoever has a channel
/// may break a promise; what is known of promises beforehand must not hide that.
#[test]
fn promises_about_channels() {
    promises(0..60);
}

#[test]
#[ignore = "long"]
fn many_promises_about_channels() {
    promises(1_000..6_000);
}

fn promises(seeds: std::ops::Range<u64>) {
    let (mut kept, mut table, mut asked, mut broken) = (0, 0, 0, 0);
    let few = seeds.end - seeds.start < 100;
    for seed in seeds {
        let text = model_with_promises(&mut Random::new(seed));
        let (model, messages) = read_text("xr.pml", &text, &ReadOptions::default(), &mut SourceMap::new());
        let model = model.unwrap_or_else(|| panic!("seed {seed}: {messages:?}\n{text}"));
        if let Err(complaint) = compare(&model, 600) {
            panic!("seed {seed}: {complaint}\n{text}");
        }
        let interpreter = Interpreter::new(&model);
        let promises = Promises::of(&model, &Constants::of(&interpreter), &Settled::of(&model));
        match (promises.need_checks(), promises.are_known()) {
            (false, _) => kept += 1,
            (true, true) => table += 1,
            (true, false) => asked += 1,
        }
        let breach = first_breach(&interpreter, 600);
        assert!(breach.is_none() || promises.need_checks(), "seed {seed}: {breach:?}\n{text}");
        broken += usize::from(breach.is_some());
    }
    let tally = format!("{kept} kept, {table} by a table, {asked} asked, {broken} broken");
    assert!(!few || kept.min(table).min(asked).min(broken) > 3, "{tally}");
    println!("{tally}");
}

/// Which channel a parameter holds, the shape of a state does not tell: the same step of the same process
/// breaks a promise in one state and none in another.
#[test]
fn promises_that_only_a_parameter_tells() {
    let text = "chan a = [1] of { byte }; chan b = [1] of { byte };
        proctype Owner(chan c) { xr c; do :: c?2 od }
        proctype Other() { byte v; do :: a!1 :: a?v od }
        init { if :: run Owner(b) :: run Owner(a) fi; run Other() }";
    for text in
        [text.to_string(), text.replace("run Owner(b) :: run Owner(a)", "run Owner(a) :: run Owner(b)")]
    {
        let (model, messages) = read_text("xr.pml", &text, &ReadOptions::default(), &mut SourceMap::new());
        let model = model.unwrap_or_else(|| panic!("{messages:?}"));
        assert!(compare(&model, 1_000).unwrap() > 5);
        assert!(first_breach(&Interpreter::new(&model), 1_000).is_some());
    }
}

fn model_with_promises(random: &mut Random) -> String {
    let mut text = String::from("byte x; chan any;\n");
    for channel in ["a", "b"] {
        text += &format!("chan {channel} = [{}] of {{ byte }};\n", random.below(3));
    }
    text += &format!("chan r[2] = [{}] of {{ byte }};\n", random.below(2));
    let globals = ["a", "b", "r[0]", "r[1]"];
    let types = 2 + random.below(2);
    for ty in 0..types {
        let own = ["p", "q", "a", "b", "r[0]", "r[x]", "any", "l"];
        // Mostly those that can be known.
        let pick = |random: &mut Random| {
            let most = if random.below(4) == 0 { 8 } else { 5 };
            own[random.below(most)]
        };
        text += &format!("proctype P{ty}(chan p, q) {{ byte v; chan l = [1] of {{ byte }};\n");
        for _ in 0..random.below(3) {
            let word = ["xr", "xs"][random.below(2)];
            text += &format!("  {word} {};\n", pick(random));
        }
        let open = ["", "atomic { ", "d_step { "][random.below(3)];
        let statement = |random: &mut Random| match random.below(6) {
            0 => format!("{}!{}", pick(random), random.below(2)),
            1 => format!("{}?v", pick(random)),
            2 => format!("{}!v -> x = 1 - x", pick(random)),
            3 => format!("{}??1", pick(random)),
            4 if random.below(3) == 0 => format!("q = {}", globals[random.below(4)]),
            4 => "any = p".to_string(),
            _ => format!("{}?[1] -> v = 1 - v", pick(random)),
        };
        if open.is_empty() {
            let (first, second) = (statement(random), statement(random));
            text += &format!("  do :: {first} :: {second} :: break od }}\n");
        } else {
            let (first, second) = (statement(random), statement(random));
            text += &format!("  do :: {first} :: {open}x < 2 -> x = 1 - x; }} {second} :: break od }}\n");
        }
    }
    text += "init { any = a;\n";
    let create = |random: &mut Random| {
        let ty = random.below(types);
        let given = [random.below(4), random.below(4)].map(|k| globals[k]);
        format!("run P{ty}({}, {})", given[0], given[1])
    };
    match random.below(3) {
        0 => text += &format!("  do :: _nr_pr < 3 -> {} :: break od;\n", create(random)),
        1 => text += &format!("  atomic {{ {}; {} }}\n", create(random), create(random)),
        _ => text += &format!("  {}; {};\n", create(random), create(random)),
    }
    text += "}\n";
    text
}

fn first_breach(interpreter: &Interpreter, limit: usize) -> Option<String> {
    let initial = interpreter.initial_state().ok()?;
    let mut seen: HashSet<Vec<u8>> = HashSet::from([initial.clone()]);
    let (mut work, mut out) = (vec![initial], Successors::new());
    while let Some(state) = work.pop() {
        interpreter.successors(&state, &mut out);
        let breach = out.violations().map(|(violation, _)| &violation.message);
        if let Some(message) = breach.into_iter().find(|message| message.contains("is broken")) {
            return Some(message.clone());
        }
        for i in 0..out.len() {
            if seen.len() < limit && seen.insert(out.state(i).to_vec()) {
                work.push(out.state(i).to_vec());
            }
        }
    }
    None
}
