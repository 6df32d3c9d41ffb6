//! Partial-order reduction of models in Rust: programs of a few processes, with footprints that are read off
//! their text. Verdicts are those without reduction, whatever is asked; with footprints that lie, that is
//! said.

use crate::typed_support::{Random, random_formula};
use lariat::{Checker, Error, Fairness, FiniteRuns, Footprint, Model, Propositions, Verdict, algorithms};
use std::collections::{BTreeMap, BTreeSet};

/// Variables that the processes share. The propositions `a` and `b` look at the first two.
const VARIABLES: usize = 4;

/// What a process does at a place of its program, and where it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Something of its own.
    Skip(usize),
    Set(usize, u8, usize),
    Flip(usize, usize),
    Copy {
        from: usize,
        to: usize,
        next: usize,
    },
    /// Only if a variable has this value.
    Wait(usize, u8, usize),
    /// Sends to whoever waits for it on the channel, which is thing `VARIABLES + k`; both go on.
    Send(usize, usize),
    /// Its partner takes the step.
    Receive(usize, usize),
}

impl Step {
    fn next(self) -> usize {
        match self {
            Step::Skip(next)
            | Step::Set(.., next)
            | Step::Flip(_, next)
            | Step::Copy { next, .. }
            | Step::Wait(.., next)
            | Step::Send(_, next)
            | Step::Receive(_, next) => next,
        }
    }

    fn reads(self) -> Vec<usize> {
        match self {
            Step::Flip(variable, _) | Step::Wait(variable, ..) => vec![variable],
            Step::Copy { from, .. } => vec![from],
            _ => Vec::new(),
        }
    }

    fn writes(self) -> Vec<usize> {
        match self {
            Step::Set(variable, ..) | Step::Flip(variable, _) => vec![variable],
            Step::Copy { to, .. } => vec![to],
            Step::Send(channel, _) | Step::Receive(channel, _) => vec![VARIABLES + channel],
            _ => Vec::new(),
        }
    }
}

/// How footprints lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lie {
    None,
    /// Nothing is said of what is written next, and so of what is written later by these steps.
    Writes,
    /// Nothing is said of what is read.
    Reads,
    /// Only what comes next is said.
    Later,
    /// The propositions look at nothing.
    Propositions,
    /// All steps are those of process 0.
    Processes,
}

/// For each process its places; at each, what it may do.
#[derive(Clone, Debug)]
struct Program {
    processes: Vec<Vec<Vec<Step>>>,
    lie: Lie,
    /// Positions that say nothing: then nothing may be reduced. Or too much: the other way round.
    positions: Positions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Positions {
    Places,
    Backwards,
    Nothing,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    at: Vec<usize>,
    variables: [u8; VARIABLES],
}

#[derive(Clone, Debug)]
struct Taken {
    process: usize,
    #[allow(dead_code, reason = "it is shown")]
    step: Step,
}

impl Model for Program {
    type State = State;
    type Action = Taken;

    fn initial_states(&self) -> Vec<State> {
        vec![State { at: vec![0; self.processes.len()], variables: [0; VARIABLES] }]
    }

    fn successors(&self, state: &State, out: &mut Vec<(Taken, State)>) {
        for (process, places) in self.processes.iter().enumerate() {
            for &step in places.get(state.at[process]).into_iter().flatten() {
                let mut next = state.clone();
                next.at[process] = step.next();
                match step {
                    Step::Skip(_) => {}
                    Step::Set(variable, value, _) => next.variables[variable] = value,
                    Step::Flip(variable, _) => next.variables[variable] ^= 1,
                    Step::Copy { from, to, .. } => next.variables[to] = state.variables[from],
                    Step::Wait(variable, value, _) if state.variables[variable] == value => {}
                    Step::Wait(..) | Step::Receive(..) => continue,
                    Step::Send(channel, _) => {
                        for (partner, places) in self.processes.iter().enumerate() {
                            for other in places.get(state.at[partner]).into_iter().flatten() {
                                if let Step::Receive(c, to) = *other
                                    && c == channel
                                    && partner != process
                                {
                                    let mut met = next.clone();
                                    met.at[partner] = to;
                                    out.push((Taken { process, step }, met));
                                }
                            }
                        }
                        continue;
                    }
                }
                out.push((Taken { process, step }, next));
            }
        }
    }

    fn propositions<'m>(&'m self, named: &mut Propositions<'m, State>) {
        named.add("a", |state| state.variables[0] == 1);
        named.add("b", |state| state.variables[1] == 1);
    }

    fn footprints(&self, state: &State, out: &mut Vec<Footprint>) {
        for (process, places) in self.processes.iter().enumerate() {
            let mut reached = BTreeSet::from([state.at[process]]);
            let mut work = vec![state.at[process]];
            while let Some(place) = work.pop() {
                for step in places.get(place).into_iter().flatten() {
                    if reached.insert(step.next()) {
                        work.push(step.next());
                    }
                }
            }
            let mut footprint = Footprint::new().position(match self.positions {
                Positions::Places => state.at[process] as u64,
                Positions::Backwards => 100 - state.at[process] as u64,
                Positions::Nothing => 0,
            });
            let tells = |lie: Lie| self.lie != lie;
            for &place in &reached {
                let is_next = place == state.at[process];
                for &step in places.get(place).into_iter().flatten() {
                    let reads = if tells(Lie::Reads) { step.reads() } else { Vec::new() };
                    let writes = if tells(Lie::Writes) { step.writes() } else { Vec::new() };
                    if is_next {
                        footprint = footprint.reads(reads).writes(writes);
                    } else if tells(Lie::Later) {
                        footprint = footprint.later_reads(reads).later_writes(writes);
                    }
                }
            }
            out.push(footprint);
        }
    }

    fn process_of(&self, taken: &Taken) -> usize {
        if self.lie == Lie::Processes { 0 } else { taken.process }
    }

    fn proposition_reads(&self, name: &str) -> Option<Vec<usize>> {
        Some(match name {
            _ if self.lie == Lie::Propositions => Vec::new(),
            "a" => vec![0],
            _ => vec![1],
        })
    }
}

fn random_program(random: &mut Random) -> Program {
    let processes = (0..2 + random.below(2))
        .map(|_| {
            let places = 1 + random.below(4);
            let place = |at: usize, random: &mut Random| {
                let step = |random: &mut Random| {
                    // Mostly forward; one beyond the last place ends it.
                    let next = if random.below(4) == 0 { random.below(places + 1) } else { at + 1 };
                    let (one, two) = (random.below(VARIABLES), random.below(VARIABLES));
                    match random.below(12) {
                        0..4 => Step::Skip(next),
                        4 => Step::Set(one, random.below(2) as u8, next),
                        5 | 6 => Step::Flip(one, next),
                        7 => Step::Copy { from: one, to: two, next },
                        8 | 9 => Step::Wait(one, random.below(2) as u8, next),
                        10 => Step::Send(random.below(2), next),
                        _ => Step::Receive(random.below(2), next),
                    }
                };
                (0..1 + random.below(2)).map(|_| step(random)).collect()
            };
            (0..places).map(|at| place(at, random)).collect()
        })
        .collect();
    Program { processes, lie: Lie::None, positions: Positions::Places }
}

/// What `ask` is asked, with reduction and without, must have the same answer. How many states were met.
fn same_answers(
    program: &Program,
    what: &str,
    ask: impl Fn(Checker<Program>) -> Result<lariat::ModelReport<Program>, Error>,
) -> (u64, u64, u64) {
    let full = ask(Checker::new(program).no_reduction()).unwrap();
    let reduced = ask(Checker::new(program)).unwrap_or_else(|error| panic!("{error}\n{what}\n{program:?}"));
    assert_eq!(reduced.verdict, full.verdict, "{what}\n{program:#?}\n{reduced}\n{full}");
    assert_eq!((full.reduced_states, full.not_reduced), (0, None));
    (reduced.model_states, full.model_states, reduced.reduced_states)
}

#[test]
fn answers_stay_the_same() {
    assert!(answers(11, 1000) > 150);
}

#[test]
#[ignore = "takes minutes: run it after a change of the reduction"]
fn answers_stay_the_same_for_long() {
    answers(12, 30_000);
}

/// So many random programs and formulas. How often something was reduced.
fn answers(seed: u64, rounds: u32) -> u32 {
    let mut random = Random(seed);
    let mut tried = BTreeMap::<bool, u32>::new();
    for round in 0..rounds {
        let program = random_program(&mut random);
        let temporal = 1 + random.below(3);
        let text = random_formula(&mut random, temporal);
        let finite = if random.below(2) == 0 { FiniteRuns::Stutter } else { FiniteRuns::Ignore };
        let name = algorithms().nth(random.below(algorithms().count())).unwrap();
        let ask = |checker: Checker<Program>| checker.finite_runs(finite).algorithm(name).check(&text);
        // What an algorithm refuses, it refuses in both.
        let (_, _, reduced) = same_answers(&program, &format!("{round}: {name}, {finite:?}: {text}"), ask);
        *tried.entry(reduced > 0).or_default() += 1;
        same_answers(&program, "exists", |checker| checker.finite_runs(finite).exists(&text));
        same_answers(&program, "deadlock", |checker| checker.no_deadlock());
        same_answers(&program, "invariant", |checker| checker.invariant("!(a & b)"));
    }
    tried.get(&true).copied().unwrap_or(0)
}

/// Two processes that have much to do on their own.
fn independent() -> Program {
    let own = |variable: usize| {
        let mut places: Vec<Vec<Step>> = (0..6).map(|at| vec![Step::Skip(at + 1)]).collect();
        places.push(vec![Step::Flip(variable, 7)]);
        places
    };
    Program { processes: vec![own(2), own(3), own(2)], lie: Lie::None, positions: Positions::Places }
}

#[test]
fn what_is_independent_is_followed_once() {
    let program = independent();
    let states = |program: &Program, formula: &str| {
        let report = Checker::new(program).check(formula).unwrap();
        (report.model_states, report.reduced_states > 0, report.not_reduced)
    };
    assert_eq!(states(&program, "G !a"), (23, true, None));
    let full = Checker::new(&program).no_reduction().check("G !a").unwrap();
    assert_eq!(full.model_states, 512);
    for positions in [Positions::Backwards, Positions::Nothing] {
        assert_eq!(states(&Program { positions, ..program.clone() }, "G !a"), (512, false, None));
    }
    let reason = "the formula tells stuttering apart";
    assert_eq!(states(&program, "X X !a").2, Some(reason));
    let reason = "any step may be the last, and the formula mentions `deadlock` beside other propositions";
    assert_eq!(states(&program, "G (deadlock -> !a)").2, Some(reason));
    assert_eq!(states(&program, "F deadlock"), (23, true, None));
    // With X, but it does not tell stuttering apart.
    assert!(states(&program, "a | X F a | !F a").1);
}

#[test]
fn what_cannot_be_reduced_is_not_and_says_why() {
    let program = independent();
    let fair = Checker::new(&program).fairness(Fairness::Weak).check("G !a").unwrap();
    assert_eq!((fair.model_states, fair.not_reduced), (512, Some("fairness looks at every process")));
    assert!(fair.to_string().contains("\nnot reduced, because fairness looks at every process"), "{fair}");
    let shortest = Checker::new(&program).shortest().check("G !a").unwrap();
    let reason = "a shortest run of a reduced model need not be a shortest one";
    assert_eq!((shortest.reduced_states, shortest.not_reduced), (0, Some(reason)));
    // Of deadlocks nothing need be known.
    let report = Checker::new(&program).no_deadlock().unwrap();
    assert_eq!((report.verdict.clone(), report.not_reduced), (Verdict::Violated, None));
    let reduced = Checker::new(&program).check("G !a").unwrap();
    assert!(reduced.to_string().contains("only some processes were followed"), "{reduced}");
}

#[test]
fn nobody_waits_for_ever() {
    // The first goes round and round; the second does what the formula forbids.
    let round = vec![vec![Step::Skip(1)], vec![Step::Skip(2)], vec![Step::Skip(0)]];
    let sets = vec![vec![Step::Set(0, 1, 1)]];
    let processes = vec![round, sets];
    for positions in [Positions::Places, Positions::Backwards, Positions::Nothing] {
        let program = Program { processes: processes.clone(), lie: Lie::None, positions };
        let report = Checker::new(&program).check("G !a").unwrap().assert_violated();
        assert_eq!(report.reduced_states > 0, positions != Positions::Nothing, "{positions:?}");
    }
}

#[test]
fn the_last_step_may_be_seen() {
    // The first sets `a`, the second does something of its own: either may be the last.
    let processes = vec![vec![vec![Step::Set(0, 1, 1)]], vec![vec![Step::Skip(1)]]];
    let program = Program { processes, lie: Lie::None, positions: Positions::Places };
    Checker::new(&program).check("G (a -> deadlock)").unwrap().assert_violated();
    Checker::new(&program).exists("F (a & !deadlock)").unwrap().assert_holds();
}

#[test]
fn lies_are_found() {
    let mut random = Random(5);
    let lies = [Lie::Writes, Lie::Reads, Lie::Later, Lie::Propositions, Lie::Processes];
    for lie in lies {
        let (mut wrong, mut found, mut shown) = (0, 0, String::new());
        for _ in 0..300 {
            let program = random_program(&mut random);
            let temporal = 1 + random.below(2);
            let text = random_formula(&mut random, temporal);
            let full = Checker::new(&program).no_reduction().check(&text).unwrap();
            let lying = Program { lie, ..program.clone() };
            match Checker::new(&lying).check(&text) {
                Ok(report) => wrong += u32::from(report.verdict != full.verdict),
                Err(Error::NotIndependent(text)) => {
                    found += 1;
                    shown = text;
                }
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(wrong, 0, "{lie:?}: a wrong verdict");
        assert!(found > 20, "{lie:?}: {found}");
        assert!(shown.contains("State {") && shown.contains("process"), "{lie:?}: {shown}");
    }
}

#[test]
fn a_lie_names_both_steps_and_the_state() {
    let flip = |variable| vec![vec![Step::Flip(variable, 1)]];
    let copy = vec![vec![Step::Copy { from: 2, to: 3, next: 1 }]];
    let program = Program { processes: vec![flip(2), copy], lie: Lie::Reads, positions: Positions::Places };
    let error = Checker::new(&program).check("G !a").unwrap_err().to_string();
    assert_eq!(
        error,
        "the footprints of the model are wrong: in State { at: [0, 0], variables: [0, 0, 0, 0] } \
         `Taken { process: 0, step: Flip(2, 1) }` of process 0 and \
         `Taken { process: 1, step: Copy { from: 2, to: 3, next: 1 } }` of process 1 are independent by their \
         footprints, and do not lead to the same state in both orders"
    );
    Checker::new(&Program { lie: Lie::None, ..program }).check("G !a").unwrap().assert_holds();
}
