//! Who takes part in each step, and who is enabled in each state: the interpreter against single steps, which
//! know nothing of indivisible sequences; compiled code, executed and recalled, against the interpreter.

use lariat_compiled::{CompiledModel, StepSource};
use lariat_engine::simplify::{Simplifications, simplify};
use lariat_engine::{Interpreter, Patience, ProcessSet, Step, SuccessorFunction, Successors};
use lariat_generators::endless::{generate as generate_endless, generate_handing_over};
use lariat_generators::{GeneratorOptions, generate, generate_dve};
use lariat_model::ir::*;
use lariat_promela::{ReadOptions, read_model, read_text};
use lariat_source::SourceMap;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// What leaves a state, step by step.
#[derive(Default)]
struct Leaving {
    /// Where arcs lead, and who takes part in them.
    arcs: HashSet<(Vec<u8>, ProcessSet)>,
    enabled: ProcessSet,
}

/// What was looked at.
#[derive(Debug, Default)]
struct Seen {
    states: usize,
    /// States of which single steps do not tell, or not in time.
    untold: usize,
    /// States that are a successor more often because others take part.
    told_apart: usize,
    /// Arcs in which several take part.
    together: usize,
}

/// More intermediate states than this are too many.
const MOST_BETWEEN: usize = 2_000;

/// The processes that a step puts somewhere else, of a model whose programs go straight on.
fn moved_by(action: &Action) -> Vec<u16> {
    match action {
        Action::MoveProcess { pid, .. } => vec![*pid],
        Action::Program(program) => {
            let of_node = |node: &Node| match node {
                Node::Do { action, .. } => moved_by(action),
                _ => Vec::new(),
            };
            program.nodes.iter().flat_map(of_node).collect()
        }
        _ => Vec::new(),
    }
}

/// `None` if that cannot be told.
fn step_by_step(interpreter: &Interpreter, stored: &[u8]) -> Option<Leaving> {
    let mut leaving = Leaving::default();
    let mut known = HashSet::new();
    let mut work = vec![(interpreter.micro_from(stored), ProcessSet::default())];
    let mut out = Successors::new();
    let has_timeouts = interpreter.model().features.timeout;
    while let Some((state, so_far)) = work.pop() {
        let steps = interpreter.micro_successors(&state, &mut out);
        let guilty: Vec<Vec<Step>> = out.violations().map(|(_, steps)| steps.to_vec()).collect();
        if state.held.is_some() {
            let waits =
                |step: &Step| format!("{:?}", interpreter.transition(*step).action).contains("Timeout");
            let mut all = steps.iter().flat_map(|step| &step.steps);
            if guilty.iter().any(Vec::is_empty) || has_timeouts && all.any(waits) {
                return None;
            }
            let mut all = steps.iter().map(|step| &step.steps).chain(&guilty);
            if !all.any(|steps| Some(steps[0].pid) == state.held) {
                // It cannot go on, so everybody sees where it is; the others' steps are another arc.
                leaving.arcs.insert((interpreter.stored(&state), so_far));
                continue;
            }
        }
        guilty.iter().flatten().for_each(|step| leaving.enabled.insert(step.pid));
        for step in steps {
            let of_step = |step: &Step| {
                [step.pid]
                    .into_iter()
                    .chain(moved_by(&interpreter.transition(*step).action))
                    .collect::<Vec<_>>()
            };
            let by: ProcessSet = step.steps.iter().flat_map(of_step).collect();
            leaving.enabled = leaving.enabled.union(by);
            let by = by.union(so_far);
            if step.next.held.is_none() {
                leaving.arcs.insert((interpreter.stored(&step.next), by));
            } else if known.insert((step.next.bytes().to_vec(), step.next.held, by)) {
                work.push((step.next, by));
            }
        }
        if known.len() > MOST_BETWEEN {
            return None;
        }
    }
    Some(leaving)
}

type Told = (Vec<(Vec<u8>, ProcessSet)>, ProcessSet, bool);

/// All that a buffer tells.
fn told(out: &mut Successors) -> Told {
    let arcs = (0..out.len()).map(|i| (out.state(i).to_vec(), out.participants(i))).collect();
    (arcs, out.enabled(), out.something_happens())
}

fn states(out: &Successors) -> Vec<Vec<u8>> {
    (0..out.len()).map(|i| out.state(i).to_vec()).collect()
}

/// The interpreter's successors of a state against single steps.
fn check_interpreter(
    interpreter: &Interpreter,
    state: &[u8],
    asked: &mut Successors,
    plain: &Successors,
    seen: &mut Seen,
) -> Result<(), String> {
    if asked.was_cut() || plain.was_cut() {
        seen.untold += 1;
        return Ok(());
    }
    let (arcs, enabled, _) = told(asked);
    let set: HashSet<(Vec<u8>, ProcessSet)> = arcs.iter().cloned().collect();
    let targets: HashSet<Vec<u8>> = arcs.iter().map(|(target, _)| target.clone()).collect();
    if targets != states(plain).into_iter().collect() {
        return Err("other targets than without participants".to_string());
    }
    if asked.len() == plain.len() && states(asked) != states(plain) || asked.len() < plain.len() {
        return Err("another order than without participants, or fewer successors".to_string());
    }
    seen.told_apart += (set.len() > targets.len()) as usize;
    seen.together += arcs.iter().filter(|(_, set)| set.iter().count() > 1).count();
    match step_by_step(interpreter, state) {
        None => seen.untold += 1,
        Some(leaving) if leaving.arcs != set => {
            return Err(format!("arcs are {set:?}, not {:?}", leaving.arcs));
        }
        Some(leaving) if leaving.enabled != enabled => {
            return Err(format!("enabled are {enabled:?}, not {:?}", leaving.enabled));
        }
        Some(_) => {}
    }
    Ok(())
}

/// Explores up to `limit` states of a model and of the simplified one, and compares in each.
fn compare(model: &Model, limit: usize) -> Result<Seen, String> {
    let mut simplified = model.clone();
    simplify(&mut simplified, Simplifications { reset_dead_variables: true, merge_statements: true });
    compare_as_it_is(&simplified, limit / 2).map_err(|complaint| format!("simplified: {complaint}"))?;
    compare_as_it_is(model, limit)
}

fn compare_as_it_is(model: &Model, limit: usize) -> Result<Seen, String> {
    let patience = Patience { max_bytes: MOST_BETWEEN << 8, ..Patience::default() };
    let interpreter = Interpreter::new(model).with_patience(patience);
    let mut seen = Seen::default();
    let Ok(initial) = interpreter.initial_state() else { return Ok(seen) };
    let compile =
        || CompiledModel::new(interpreter.clone()).map_err(|reason| format!("not compiled: {}", reason.0));
    let engines = [compile()?.only_by(StepSource::Execute), compile()?.only_by(StepSource::Recall)];
    let mut known: HashSet<Vec<u8>> = HashSet::from([initial.clone()]);
    let mut work = vec![initial];
    let (mut plain, mut others) = (Successors::new(), Successors::for_lane(0));
    let mut asked = Successors::new().asking_for_participants();
    let mut found = Successors::for_lane(0).asking_for_participants();
    while let Some(state) = work.pop() {
        interpreter.successors(&state, &mut plain);
        interpreter.successors(&state, &mut asked);
        let at = |who: &str, why: String| format!("{who}: {why} in state {}: {state:?}", known.len());
        check_interpreter(&interpreter, &state, &mut asked, &plain, &mut seen)
            .map_err(|why| at("interpreter", why))?;
        for (engine, who) in engines.iter().zip(["executed", "recalled"]) {
            // Before anybody has asked, steps are learnt without participants; and later nobody may ask.
            let asks = seen.states >= 40 && seen.states % 8 != 5;
            if asks {
                // Nothing is left out where participants are asked for.
                engine.awake_successors(&state, u32::MAX, &mut found);
                let (ours, theirs) = (told(&mut found), told(&mut asked));
                if ours != theirs || found.left_out() != 0 {
                    return Err(at(who, format!("{ours:?}, not {theirs:?}")));
                }
            } else {
                engine.successors(&state, &mut others);
                if states(&others) != states(&plain) {
                    return Err(at(who, "other successors where nobody asks".to_string()));
                }
            }
        }
        seen.states += 1;
        for next in states(&plain) {
            if known.len() < limit && known.insert(next.clone()) {
                work.push(next);
            }
        }
        // Those of the beginning are looked at once more when they are asked for.
        if seen.states == 40 {
            work.extend(known.iter().take(40).cloned());
        }
    }
    Ok(seen)
}

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

fn model_of(text: &str) -> Model {
    let (model, messages) = read_text("m.pml", text, &ReadOptions::default(), &mut SourceMap::new());
    model.unwrap_or_else(|| panic!("{messages:?}\n{text}"))
}

/// All models in a folder that can be read.
fn compare_folder(folder: &str, limit: usize) -> (usize, Seen) {
    let (mut compared, mut all) = (0, Seen::default());
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
        let seen = compare(&model, limit).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
        all.add(seen);
        compared += 1;
    }
    (compared, all)
}

impl Seen {
    fn add(&mut self, more: Seen) {
        self.states += more.states;
        self.untold += more.untold;
        self.told_apart += more.told_apart;
        self.together += more.together;
    }
}

#[test]
fn our_models() {
    let (compared, seen) = compare_folder("models", 1_000);
    assert!(compared > 20 && seen.together > 1_000 && seen.untold * 50 < seen.states, "{seen:?}");
}

#[test]
fn regressions() {
    let (compared, seen) = compare_folder("tests/regressions", 200);
    assert!(compared > 60 && seen.together > 10 && seen.untold * 10 < seen.states, "{seen:?}");
}

fn random_models(seeds: std::ops::Range<u64>) -> Seen {
    let mut all = Seen::default();
    for seed in seeds {
        let text = generate(seed, &GeneratorOptions::default()).to_string();
        let (model, _) = read_text("random.pml", &text, &ReadOptions::default(), &mut SourceMap::new());
        let Some(model) = model else { continue };
        all.add(compare(&model, 800).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}")));
    }
    all
}

fn random_endless_models(seeds: std::ops::Range<u64>) -> Seen {
    let mut all = Seen::default();
    for seed in seeds {
        for text in [generate_endless(seed).to_string(), generate_handing_over(seed).to_string()] {
            let model = model_of(&text);
            all.add(compare(&model, 500).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}")));
        }
    }
    all
}

fn random_dve_models(seeds: std::ops::Range<u64>) -> Seen {
    let mut all = Seen::default();
    for seed in seeds {
        let text = generate_dve(seed);
        let (model, messages) = lariat_dve::read_text("random.dve", &text, &mut SourceMap::new());
        let model = model.unwrap_or_else(|| panic!("seed {seed}: {messages:?}\n{text}"));
        all.add(compare(&model, 500).unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}")));
    }
    all
}

#[test]
fn some_random_models() {
    let seen = random_models(0..80);
    assert!(seen.together > 100 && seen.untold * 10 < seen.states, "{seen:?}");
}

#[test]
fn some_random_endless_models() {
    let seen = random_endless_models(0..80);
    assert!(seen.together > 100 && seen.told_apart > 10 && seen.untold * 10 < seen.states, "{seen:?}");
}

#[test]
fn some_random_dve_models() {
    let seen = random_dve_models(0..100);
    assert!(seen.together > 100 && seen.untold == 0, "{seen:?}");
}

#[test]
#[ignore = "long"]
fn many_random_models() {
    random_models(1_000..3_000);
    random_endless_models(1_000..4_000);
    random_dve_models(1_000..4_000);
}

/// What all engines say about the state that a path leads to, from the initial one on: the participants of
/// each successor, and those who are enabled. A path takes the successors with these numbers.
fn said(model: &Model, path: &[usize]) -> (Vec<Vec<u16>>, Vec<u16>) {
    let interpreter = Interpreter::new(model);
    let compile = |way| CompiledModel::new(interpreter.clone()).ok().unwrap().only_by(way);
    let mut out = Successors::new().asking_for_participants();
    let mut state = interpreter.initial_state().unwrap();
    for &i in path {
        interpreter.successors(&state, &mut out);
        state = out.state(i).to_vec();
    }
    let mut answer = |engine: &dyn SuccessorFunction| {
        // Once it is executed, then it may be remembered.
        engine.successors(&state, &mut out);
        let first = told(&mut out);
        engine.successors(&state, &mut out);
        assert_eq!(told(&mut out), first);
        let participants = first.0.into_iter().map(|(_, set)| set.iter().collect()).collect();
        (participants, first.1.iter().collect())
    };
    let expected = answer(&interpreter);
    assert_eq!(answer(&compile(StepSource::Execute)), expected);
    assert_eq!(answer(&compile(StepSource::Recall)), expected);
    expected
}

#[test]
fn handshakes() {
    let model = model_of(
        "chan c = [0] of { bit }; active proctype S() { c!0; c!1 }\n\
         active [2] proctype R() { do :: c?_ od } active proctype Waits() { false }",
    );
    assert_eq!(said(&model, &[]), (vec![vec![0, 2], vec![0, 1]], vec![0, 1, 2]));
    // A step that code leaves to the interpreter.
    let model = model_of(
        "chan c = [0] of { bit }; active proctype S() { c!!0 }\n\
         active proctype R() { c?_ } active proctype N() { d_step { c?_; skip } }",
    );
    assert_eq!(said(&model, &[]), (vec![vec![0, 2], vec![0, 1]], vec![0, 1, 2]));
}

/// Two senders lead to the same intermediate state and from there to the same successor: one arc for a
/// search, two for fairness.
#[test]
fn arcs_that_others_take_part_in() {
    let model = model_of(
        "chan c = [0] of { byte }; byte x; active [2] proctype S() { do :: c!1 od }\n\
         active proctype R() { do :: atomic { c?_; x = 1 - x } od }",
    );
    assert_eq!(said(&model, &[]), (vec![vec![1, 2], vec![0, 2]], vec![0, 1, 2]));
    let interpreter = Interpreter::new(&model);
    let mut plain = Successors::new();
    interpreter.successors(&interpreter.initial_state().unwrap(), &mut plain);
    assert_eq!(plain.len(), 1);
}

/// Everybody between two stored states, and each arc once: `x` is set in two ways that meet again.
#[test]
fn sequences() {
    let model = model_of(
        "chan c = [0] of { bit }; chan d = [0] of { bit }; byte x;\n\
         active proctype A() { atomic { if :: x = 1 :: x = 2 fi; x = 0; c!0 } }\n\
         active proctype B() { atomic { c?_; d!0 } } active proctype C() { d?_; x = 7 }",
    );
    assert_eq!(said(&model, &[]), (vec![vec![0, 1, 2]], vec![0, 1, 2]));
    let model =
        model_of("byte x; active proctype A() { d_step { x = 1; x = 2 } } active proctype B() { x == 2 }");
    assert_eq!(said(&model, &[]), (vec![vec![0]], vec![0]));
}

/// Who ends takes part, and has not ended before; who must wait for a younger one to end is not enabled.
#[test]
fn ends() {
    let model = model_of("active proctype P() { skip } active proctype Q() { skip }");
    assert_eq!(said(&model, &[]), (vec![vec![1], vec![0]], vec![0, 1]));
    // Both have come to their ends; then the younger one has ended, and then the other.
    assert_eq!(said(&model, &[0, 1]), (vec![vec![1]], vec![1]));
    assert_eq!(said(&model, &[0, 1, 0]), (vec![vec![0]], vec![0]));
    assert_eq!(said(&model, &[0, 1, 0, 0]), (vec![], vec![]));
    // Who is created has not taken part yet.
    let model = model_of("byte x; proctype P() { x = 1 } init { run P() }");
    assert_eq!(said(&model, &[]), (vec![vec![0]], vec![0]));
    assert_eq!(said(&model, &[0]), (vec![vec![1]], vec![1]));
}

#[test]
fn waiting() {
    let model =
        model_of("byte x; active proctype P() { timeout; x = 1 } active proctype Q() { x == 0; x == 1 }");
    assert_eq!(said(&model, &[]), (vec![vec![1]], vec![1]));
    assert_eq!(said(&model, &[0]), (vec![vec![0]], vec![0]));
    let model = model_of(
        "byte x; active proctype P() provided (x == 1) { skip }\n\
         active proctype Q() { { x == 2 } unless { x == 0; x = 1 } }",
    );
    assert_eq!(said(&model, &[]), (vec![vec![1]], vec![1]));
}

/// Steps that lead into endless sequences and into errors leave the state.
#[test]
fn steps_that_lead_nowhere() {
    let model = model_of(
        "chan c = [0] of { bit }; active proctype P() { atomic { c!0 } } active proctype W() { false }\n\
         active proctype Q() { atomic { c?_; do :: skip od } }",
    );
    assert_eq!(said(&model, &[]), (vec![], vec![0, 2]));
    // Only one of these is told as an error.
    let model = model_of("active [2] proctype P() { atomic { do :: skip od } }");
    assert_eq!(said(&model, &[]), (vec![], vec![0, 1]));
    let model = model_of(
        "byte x; active proctype P() { x = 1 / x } active proctype Q() { x == 1 }\n\
         active proctype R() { atomic { x == 0; x = 1 / x } } active proctype S() { skip }",
    );
    assert_eq!(said(&model, &[]), (vec![vec![3]], vec![0, 2, 3]));
    // A clause that has no value is no statement.
    let model =
        model_of("byte x; active proctype P() provided (1 / x > 0) { skip } active proctype Q() { skip }");
    assert_eq!(said(&model, &[]), (vec![vec![1]], vec![1]));
}

/// In DVE, a rendezvous is one step of the sender; also if the receiver stays where it is.
#[test]
fn rendezvous_of_dve() {
    let text = "channel c; process S { state a, b; init a; trans a -> b { sync c!; }, b -> a { }; }\n\
                process R { state a, b; init a; trans a -> a { sync c?; }, a -> b { sync c?; }; }\n\
                process N { state a; init a; trans a -> a { guard false; }; } system async;";
    let (model, messages) = lariat_dve::read_text("m.dve", text, &mut SourceMap::new());
    let model = model.unwrap_or_else(|| panic!("{messages:?}"));
    assert_eq!(said(&model, &[]), (vec![vec![0, 1], vec![0, 1]], vec![0, 1]));
    assert_eq!(said(&model, &[0]), (vec![vec![0]], vec![0]));
}

/// A process moves another one, if that is there, and ends: what is remembered of it is not that it ends.
#[test]
fn moved_by_one_that_ends() {
    let text = r#"lariat-ir 1
model "m"
globals size 1 hidden 0
  var "x" byte g0.u8
process p0 "P" start 1 size 9 parameters 0
  var "a"[9] byte l0.u8
  statement 0 ""
  location 0
  location 1
    -> 1 #0 run p1() priority 1
    -> 1 #0 run p2() priority 1
process p1 "Q" start 1 size 0 parameters 0
  statement 0 ""
  location 0
  location 1
    -> 2 #0 skip
    -> 3 #0 keeps_control move p0 0 to 1
    -> 3 #0 keeps_control move p0 7 to 1
  location 2
    -> 0 #0 end
  location 3
    -> 0 #0 end
process p2 "R" start 1 size 9 parameters 0
  var "a"[9] byte l0.u8
  statement 0 ""
  location 0
  location 1
    -> 2 #0 keeps_control move p0 0 to 1
  location 2
    -> 0 #0 end
start p0 priority 1
"#;
    let model = lariat_model::text::parse(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(lariat_model::verify::verify(&model), Vec::<String>::new());
    let of_child = vec![vec![1], vec![0, 1], vec![1], vec![0], vec![0]];
    assert_eq!(said(&model, &[0]), (of_child, vec![0, 1]));
    assert_eq!(said(&model, &[0, 0]), (vec![vec![1], vec![0], vec![0]], vec![0, 1]));
    assert_eq!(said(&model, &[1]), (vec![vec![0, 1], vec![0], vec![0]], vec![0, 1]));
}

#[test]
#[should_panic(expected = "nobody has asked")]
fn nobody_is_told_unasked() {
    let model = model_of("active proctype P() { skip }");
    let interpreter = Interpreter::new(&model);
    let mut out = Successors::new();
    interpreter.successors(&interpreter.initial_state().unwrap(), &mut out);
    out.participants(0);
}
