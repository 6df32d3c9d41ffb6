//! The checks for several threads against brute force, on random graphs.
//!
//! Under `shuttle` one thread runs at a time, and before every access to what is shared another may be given
//! its turn ([`Turns`]): so interleavings are tried that two processors would not show in years, and a run
//! that nobody can finish is noticed. The same on real threads, at full speed and with turns given away at
//! random, is what sees that the accesses are atomic. Each fault that is known, or likely, is planted in the
//! code itself, and must be noticed in the same way.

use super::*;
use crate::emptiness::components_shared::SharedRootsAndActive;
use crate::emptiness::nested_dfs_shared::SharedNestedDfs;
use crate::emptiness::simple_dfs_shared::SharedSimpleDfs;
use crate::emptiness::union_find_components::SharedComponents;
use crate::emptiness::{
    ExplicitProduct, THREADED, ThreadedCheck, WideMarks, components_any_order, simple_dfs_any_order,
};
use emptiness_support::{Graph, Random, random_graph};
use lariat_ltl::Marks;
use shuttle::rand::Rng;
use shuttle::scheduler::{RandomScheduler, RoundRobinScheduler, Scheduler};
use shuttle::{Config, MaxSteps};
use std::cell::Cell;
use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc as Shared;
use std::sync::atomic::AtomicU64 as Counter;

#[path = "../../../tests/emptiness_support/mod.rs"]
mod emptiness_support;

const FAULTS: [Fault; 22] = [
    Fault::None,
    Fault::NoWaitForOthers,
    Fault::RedAtOnce,
    Fault::NoNestedSearch,
    Fault::AnyCyanReported,
    Fault::ListsNotJoined,
    Fault::DeadTooEarly,
    Fault::MarksNotHandedOver,
    Fault::MarksOfKnownArcsLost,
    Fault::IncomingCountsAtOnce,
    Fault::SelfLoopNotSeen,
    Fault::SingleStatesAccept,
    Fault::DoneAtOnce,
    Fault::AnythingIsSkipped,
    Fault::ParentLast,
    Fault::BlueAtOnce,
    Fault::SeenIsEnough,
    Fault::SeenIsLeft,
    Fault::WorkIsLost,
    Fault::RootsForgotten,
    Fault::NoLastLook,
    Fault::NeverClosed,
];

/// Somebody else may be next, before every access; with the fault that has this number.
struct Turns<const FAULT: usize>;

impl<const FAULT: usize> Pace for Turns<FAULT> {
    const FAULT: Fault = FAULTS[FAULT];
    const PATIENCE: Duration = Duration::ZERO;

    fn step() {
        shuttle::thread::yield_now();
    }

    fn wait(_: &mut u32) {
        shuttle::thread::yield_now();
    }
}

/// The same; and sometimes, wherever it is, a thread stands still while the others go a long way.
struct Naps<const FAULT: usize>;

impl<const FAULT: usize> Pace for Naps<FAULT> {
    const FAULT: Fault = FAULTS[FAULT];
    const PATIENCE: Duration = Duration::ZERO;

    fn step() {
        let mut random = shuttle::rand::thread_rng();
        let nap = if random.gen_range(0..24) == 0 { random.gen_range(1..400) } else { 1 };
        (0..nap).for_each(|_| shuttle::thread::yield_now());
    }

    fn wait(_: &mut u32) {
        shuttle::thread::yield_now();
    }
}

/// Real threads that give their turn away at random.
struct Yielding;

thread_local! {
    static DICE: Cell<u64> = const { Cell::new(0) };
}

impl Pace for Yielding {
    const PATIENCE: Duration = Duration::from_micros(1);

    fn step() {
        DICE.with(|dice| {
            let mut random = Random(dice.get());
            if random.below(16) == 0 {
                std::thread::yield_now();
            }
            dice.set(random.0);
        });
    }

    fn wait(_: &mut u32) {
        std::thread::yield_now();
    }
}

/// Any product, with as many acceptance sets more as it takes to need more than a word: they are on every
/// arc.
#[derive(Clone)]
struct Widened<P>(P);

const MORE: u32 = 100;

impl<P: Product<Marks = Marks>> Product for Widened<P> {
    type Marks = WideMarks;

    fn sets(&self) -> u32 {
        self.0.sets() + MORE
    }

    fn initial_states(&mut self, out: &mut Vec<StateId>) {
        self.0.initial_states(out);
    }

    fn post(&mut self, state: StateId, out: &mut Vec<Arc<WideMarks>>) {
        let (mut arcs, sets) = (Vec::new(), self.0.sets());
        self.0.post(state, &mut arcs);
        out.extend(arcs.iter().map(|arc| {
            let mut marks = WideMarks::narrow(arc.marks);
            marks.add_numbers(sets, sets + MORE);
            Arc { to: arc.to, marks }
        }));
    }

    fn is_accepting(&self, state: StateId) -> bool {
        self.0.is_accepting(state)
    }

    fn accepts_by_component(&self) -> bool {
        self.0.accepts_by_component()
    }

    fn stored(&self) -> u64 {
        self.0.stored()
    }
}

/// A product that tells of states that they accept if they may lie on an accepting cycle: those that do, and
/// some others.
#[derive(Clone)]
struct Coarse {
    product: ExplicitProduct,
    accepting: u64,
}

impl Coarse {
    fn of(graph: &Graph, random: &mut Random) -> Coarse {
        // None, some, or all of the others.
        let others = [0, random.next() & random.next(), random.next(), u64::MAX][random.below(4)];
        Coarse { product: graph.product(), accepting: graph.on_accepting_cycles() | others }
    }
}

impl Product for Coarse {
    type Marks = Marks;

    fn sets(&self) -> u32 {
        self.product.sets()
    }

    fn initial_states(&mut self, out: &mut Vec<StateId>) {
        self.product.initial_states(out);
    }

    fn post(&mut self, state: StateId, out: &mut Vec<Arc>) {
        self.product.post(state, out);
    }

    fn is_accepting(&self, state: StateId) -> bool {
        self.accepting >> state.0 & 1 == 1
    }

    fn accepts_by_component(&self) -> bool {
        true
    }

    fn stored(&self) -> u64 {
        self.product.stored()
    }
}

/// By brute force.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Truth {
    has_cycle: bool,
    states: u64,
    arcs: u64,
}

impl Truth {
    fn of(graph: &Graph) -> Truth {
        let reachable = graph.reachable();
        let inside = (0..graph.arcs.len()).filter(|state| reachable >> state & 1 == 1);
        Truth {
            has_cycle: graph.has_accepting_cycle(),
            states: u64::from(reachable.count_ones()),
            arcs: inside.map(|state| graph.arcs[state].len() as u64).sum(),
        }
    }

    /// Nothing but the verdict is known if there is a cycle; else all is.
    fn judge(self, found: FoundTogether) -> Result<(), String> {
        let counted = (found.counts.visited, found.counts.transitions);
        match found.outcome {
            Ok(true) if self.has_cycle => Ok(()),
            Ok(false) if !self.has_cycle && counted == (self.states, self.arcs) => Ok(()),
            _ => Err(format!("{:?}, {counted:?} instead of {self:?}", found.outcome)),
        }
    }
}

/// All workers of a check, as threads of `shuttle`.
fn take_turns<P, C>(check: C, product: &P, threads: usize) -> FoundTogether
where
    P: Product + Clone + Send + 'static,
    C: SharedCheck<P::Marks> + Send + 'static,
{
    let shared = Shared::new((check, Team::new(threads)));
    let threads: Vec<_> = (0..threads)
        .map(|number| {
            let (shared, mut product) = (Shared::clone(&shared), product.clone());
            shuttle::thread::spawn(move || {
                work_in_team(&shared.0, number, &mut product, &shared.1, Limits::default(), None)
            })
        })
        .collect();
    let reports: Vec<WorkerReport> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    together(&reports)
}

fn run_in_turns<H: Pace>(
    check: ThreadedCheck,
    graph: &Graph,
    threads: usize,
    wide: bool,
    random: &mut Random,
) -> FoundTogether {
    let product = graph.product();
    match check {
        ThreadedCheck::SimpleDfs => take_turns(SharedSimpleDfs::<H>::new(threads), &product, threads),
        ThreadedCheck::NestedDfs => take_turns(SharedNestedDfs::<H>::new(), &product, threads),
        ThreadedCheck::Components if wide => {
            take_turns(SharedComponents::<WideMarks, H>::new(), &Widened(product), threads)
        }
        ThreadedCheck::Components => take_turns(SharedComponents::<Marks, H>::new(), &product, threads),
        ThreadedCheck::RootsAndActive if wide => {
            let check = SharedRootsAndActive::<WideMarks, H>::new(threads);
            take_turns(check, &Widened(Coarse::of(graph, random)), threads)
        }
        // Nobody knows which states may lie on an accepting cycle.
        ThreadedCheck::RootsAndActive if random.below(8) == 0 => {
            take_turns(SharedRootsAndActive::<Marks, H>::new(threads), &product, threads)
        }
        ThreadedCheck::RootsAndActive => {
            let check = SharedRootsAndActive::<Marks, H>::new(threads);
            take_turns(check, &Coarse::of(graph, random), threads)
        }
    }
}

fn run_at_random(
    check: ThreadedCheck,
    graph: &Graph,
    threads: usize,
    random: &mut Random,
) -> [FoundTogether; 2] {
    let product = graph.product();
    if check.knows_components() {
        let product = Coarse::of(graph, random);
        let yielding = SharedRootsAndActive::<Marks, Yielding>::new(threads);
        let yielding = run_workers(&yielding, &product, vec![(); threads], Limits::default(), None).0;
        return [yielding, check.run(&product, vec![(); threads], Limits::default(), None).0];
    }
    let at_full_speed = check.run(&product, vec![(); threads], Limits::default(), None).0;
    let tools = vec![(); threads];
    let yielding = match check {
        ThreadedCheck::SimpleDfs => {
            let check = SharedSimpleDfs::<Yielding>::new(threads);
            run_workers(&check, &product, tools, Limits::default(), None).0
        }
        ThreadedCheck::NestedDfs => {
            run_workers(&SharedNestedDfs::<Yielding>::new(), &product, tools, Limits::default(), None).0
        }
        ThreadedCheck::Components | ThreadedCheck::RootsAndActive => {
            let check = SharedComponents::<Marks, Yielding>::new();
            run_workers(&check, &product, tools, Limits::default(), None).0
        }
    };
    [yielding, at_full_speed]
}

/// By one thread alone, with a product that says only what it must.
fn run_in_any_order<P: Product<Marks = Marks>>(
    product: P,
    check: ThreadedCheck,
    is_terse: bool,
) -> FoundTogether {
    let mut product = Terse { product, told: HashSet::new(), is_terse };
    let mut search = Search::new(&mut product, Limits::default(), None);
    let outcome = match check.knows_components() {
        true => components_any_order(&mut search),
        false => simple_dfs_any_order(&mut search),
    };
    FoundTogether { outcome, counts: search.counts() }
}

/// A product that leaves out what it may where states were announced: arcs to states that do not accept and
/// are known.
struct Terse<P> {
    product: P,
    /// States to which somebody knows an arc.
    told: HashSet<StateId>,
    is_terse: bool,
}

impl<P: Product<Marks = Marks>> Product for Terse<P> {
    type Marks = Marks;

    fn sets(&self) -> u32 {
        self.product.sets()
    }

    fn initial_states(&mut self, out: &mut Vec<StateId>) {
        self.product.initial_states(out);
        self.told.extend(&*out);
    }

    fn post(&mut self, state: StateId, out: &mut Vec<Arc>) {
        let before = out.len();
        self.product.post(state, out);
        self.told.extend(out[before..].iter().map(|arc| arc.to));
    }

    fn land(&mut self, _lane: usize, state: StateId, mut each: impl FnMut(StateId, End)) -> u64 {
        let mut arcs = Vec::new();
        self.product.post(state, &mut arcs);
        for arc in &arcs {
            let (accepts, is_new) = (self.is_accepting(arc.to), self.told.insert(arc.to));
            if is_new || accepts || !self.is_terse {
                each(arc.to, End { accepts, is_new: self.is_terse.then_some(is_new), sleeping: 0 });
            }
        }
        arcs.len() as u64
    }

    fn is_accepting(&self, state: StateId) -> bool {
        self.product.is_accepting(state)
    }

    fn accepts_by_component(&self) -> bool {
        self.product.accepts_by_component()
    }

    fn stored(&self) -> u64 {
        self.product.stored()
    }
}

/// A graph that the check can take.
fn graph_for(check: ThreadedCheck, random: &mut Random, most_states: usize) -> Graph {
    match (random.below(8), check) {
        (0, ThreadedCheck::Components | ThreadedCheck::RootsAndActive) => return ring_of_loops(random),
        (0 | 1, ThreadedCheck::SimpleDfs) => return accepting_ring(random),
        (0 | 1, _) => return ring(random),
        _ => {}
    }
    loop {
        let graph = random_graph(random, most_states);
        if check.description().needs <= graph.strength() {
            return graph;
        }
    }
}

/// A ring of accepting states (or almost one), perhaps with chords, and chains into it: workers come to
/// different parts of it.
fn accepting_ring(random: &mut Random) -> Graph {
    let length = 2 + random.below(6);
    let mut targets: Vec<Vec<usize>> = (0..length).map(|s| vec![(s + 1) % length]).collect();
    let gap = random.below(length);
    let is_broken = random.below(2) == 0;
    if is_broken {
        targets[gap].clear();
    }
    for _ in 0..random.below(4) {
        // Forward, as seen from the gap.
        let (a, b) = (random.below(length), random.below(length));
        let (from, to) = (a.min(b), a.max(b));
        if from < to {
            targets[(gap + 1 + from) % length].push((gap + 1 + to) % length);
        }
    }
    let (mut marks, mut initial) = (vec![1; length], Vec::new());
    if random.below(4) == 0 {
        initial.push(random.below(length));
    }
    for _ in 0..1 + random.below(3) {
        initial.push(targets.len());
        for _ in 0..random.below(5) {
            targets.push(vec![targets.len() + 1]);
            marks.push(0);
        }
        targets.push(vec![random.below(length), random.below(length)]);
        marks.push(0);
    }
    Graph::with_marked_states(1, initial, targets, marks)
}

/// A ring with one accepting state (or almost a ring), and chains into it that end in accepting states:
/// nested searches of different workers meet in it.
fn ring(random: &mut Random) -> Graph {
    let length = 3 + random.below(3);
    let mut targets: Vec<Vec<usize>> = (0..length).map(|s| vec![(s + 1) % length]).collect();
    if random.below(3) == 0 {
        targets[random.below(length)].clear();
    }
    let (mut marks, mut initial) = (vec![0; length], vec![1]);
    marks[random.below(length)] = 1;
    for _ in 0..1 + random.below(3) {
        initial.push(targets.len());
        for _ in 0..random.below(5) {
            targets.push(vec![targets.len() + 1]);
            marks.push(u64::from(random.below(4) == 0));
        }
        targets.push(vec![random.below(length)]);
        marks.push(1);
    }
    Graph::with_marked_states(1, initial, targets, marks)
}

/// A ring (or almost one) on which each mark is seen once, mostly at a loop of a single state: workers learn
/// of marks while the states are in sets of their own.
fn ring_of_loops(random: &mut Random) -> Graph {
    let length = 2 + random.below(4);
    let sets = 2 + random.below(2);
    let mut arcs: Vec<Vec<(usize, u64)>> = (0..length).map(|s| vec![((s + 1) % length, 0)]).collect();
    for set in 0..sets {
        let state = random.below(length);
        match random.below(4) {
            0 => arcs[state][0].1 |= 1 << set,
            _ => arcs[state].insert(random.below(2), (state, 1 << set)),
        }
    }
    if random.below(3) == 0 {
        arcs[random.below(length)].pop();
    }
    let initial = (0..length).filter(|_| random.below(2) == 0).chain([0]).collect();
    Graph { sets: sets as u32, initial, arcs, states: None }
}

const STEPS: usize = 300_000;

/// One graph after the other, with so many threads, each in one interleaving.
fn many_in_turns<H: Pace>(
    check: ThreadedCheck,
    scheduler: impl Scheduler + 'static,
    seed: u64,
    most_states: usize,
    threads: RangeInclusive<usize>,
) -> [u64; 2] {
    let mut config = Config::new();
    (config.stack_size, config.max_steps) = (1 << 17, MaxSteps::FailAfter(STEPS));
    let verdicts = Shared::new([Counter::new(0), Counter::new(0)]);
    let (next, counted) = (Counter::new(seed << 32), Shared::clone(&verdicts));
    shuttle::Runner::new(scheduler, config).run(move || {
        let number = next.fetch_add(1, SeqCst);
        let mut random = Random(number);
        let most = if number.is_multiple_of(3) { most_states } else { most_states.min(8) };
        let graph = graph_for(check, &mut random, most);
        let more = random.below(threads.end() - threads.start() + 1);
        let (threads, wide) = (threads.start() + more, random.below(4) == 0);
        let (truth, found) =
            (Truth::of(&graph), run_in_turns::<H>(check, &graph, threads, wide, &mut random));
        if let Err(reason) = truth.judge(found) {
            panic!("{check:?}, graph {number}, {threads} threads: {reason}: {graph:?}");
        }
        counted[usize::from(truth.has_cycle)].fetch_add(1, SeqCst);
    });
    [verdicts[0].load(SeqCst), verdicts[1].load(SeqCst)]
}

fn all_in_turns(seed: u64, graphs: usize) {
    for check in THREADED.iter().map(|row| row.check) {
        let by_chance = RandomScheduler::new_from_seed(seed, graphs / 2);
        let with_naps = RandomScheduler::new_from_seed(seed, graphs / 4);
        let in_step = RoundRobinScheduler::new(graphs / 4);
        let verdicts = [
            many_in_turns::<Turns<0>>(check, by_chance, seed, 50, 1..=8),
            many_in_turns::<Naps<0>>(check, with_naps, seed + 1, 50, 1..=8),
            many_in_turns::<Turns<0>>(check, in_step, seed + 2, 50, 1..=8),
        ];
        eprintln!("{check:?}: {verdicts:?} without and with a cycle");
        assert!(verdicts.as_flattened().iter().all(|&count| count as usize > graphs / 20), "{verdicts:?}");
    }
}

#[test]
fn some_graphs_in_turns() {
    all_in_turns(1, 1_000);
}

#[test]
#[ignore = "minutes"]
fn ten_thousand_graphs_in_turns() {
    all_in_turns(100, 10_000);
}

fn all_on_threads(seed: u64, graphs: u64) {
    for check in THREADED.iter().map(|row| row.check) {
        let mut verdicts = [0; 2];
        for number in 0..graphs {
            let mut random = Random(seed << 32 | number);
            let graph = graph_for(check, &mut random, 60);
            let (truth, threads) = (Truth::of(&graph), 1 + random.below(8));
            let found = run_at_random(check, &graph, threads, &mut random);
            for (found, how) in found.into_iter().zip(["yielding", "at full speed"]) {
                if let Err(reason) = truth.judge(found) {
                    panic!("{check:?}, graph {number}, {threads} threads {how}: {reason}: {graph:?}");
                }
            }
            let is_terse = random.below(2) == 0;
            let found = match check {
                ThreadedCheck::SimpleDfs => run_in_any_order(graph.product(), check, is_terse),
                ThreadedCheck::RootsAndActive => {
                    run_in_any_order(Coarse::of(&graph, &mut random), check, is_terse)
                }
                _ => found[0],
            };
            if let Err(reason) = truth.judge(found) {
                panic!("{check:?}, graph {number}, one thread, in any order: {reason}: {graph:?}");
            }
            verdicts[usize::from(truth.has_cycle)] += 1;
        }
        eprintln!("{check:?}: {verdicts:?} without and with a cycle");
        assert!(verdicts.iter().all(|&count| count > graphs / 10), "{verdicts:?}");
    }
}

#[test]
fn some_graphs_on_threads() {
    all_on_threads(3, 300);
}

#[test]
#[ignore = "minutes"]
fn ten_thousand_graphs_on_threads() {
    all_on_threads(4, 10_000);
}

/// Whether graphs show that the check has this fault: a wrong verdict, a wrong count, or no end.
fn is_noticed<const FAULT: usize>(check: ThreadedCheck) {
    let scheduler = RandomScheduler::new_from_seed(7, 10_000);
    is_noticed_by::<Turns<FAULT>>(scheduler, check, 8, 1..=3);
}

fn is_noticed_by<H: Pace>(
    scheduler: impl Scheduler + 'static,
    check: ThreadedCheck,
    most_states: usize,
    threads: RangeInclusive<usize>,
) {
    let run = || many_in_turns::<H>(check, scheduler, 7, most_states, threads);
    let noticed = catch_unwind(AssertUnwindSafe(run)).expect_err(&format!("{:?}", H::FAULT));
    let message = noticed.downcast_ref::<String>().map(String::as_str);
    let message = message.or(noticed.downcast_ref::<&str>().copied()).unwrap_or_default();
    eprintln!("{:?}: {}", H::FAULT, message.lines().next().unwrap_or_default());
}

#[test]
fn faults_of_nested_searches_are_noticed() {
    is_noticed::<1>(ThreadedCheck::NestedDfs);
    is_noticed::<2>(ThreadedCheck::NestedDfs);
    is_noticed::<3>(ThreadedCheck::NestedDfs);
    is_noticed::<4>(ThreadedCheck::NestedDfs);
}

#[test]
fn faults_of_simple_searches_are_noticed() {
    is_noticed::<15>(ThreadedCheck::SimpleDfs);
    is_noticed::<16>(ThreadedCheck::SimpleDfs);
    is_noticed::<17>(ThreadedCheck::SimpleDfs);
    is_noticed::<18>(ThreadedCheck::SimpleDfs);
    is_noticed::<19>(ThreadedCheck::SimpleDfs);
}

#[test]
fn faults_of_shared_roots_are_noticed() {
    is_noticed::<18>(ThreadedCheck::RootsAndActive);
    is_noticed::<20>(ThreadedCheck::RootsAndActive);
    is_noticed::<21>(ThreadedCheck::RootsAndActive);
}

#[test]
fn faults_of_components_are_noticed() {
    is_noticed::<5>(ThreadedCheck::Components);
    is_noticed::<6>(ThreadedCheck::Components);
    is_noticed::<7>(ThreadedCheck::Components);
    is_noticed::<8>(ThreadedCheck::Components);
    is_noticed::<9>(ThreadedCheck::Components);
    is_noticed::<10>(ThreadedCheck::Components);
    is_noticed::<11>(ThreadedCheck::Components);
    is_noticed::<12>(ThreadedCheck::Components);
    is_noticed_by::<Turns<13>>(RoundRobinScheduler::new(10_000), ThreadedCheck::Components, 50, 1..=8);
    is_noticed_by::<Naps<14>>(
        RandomScheduler::new_from_seed(7, 100_000),
        ThreadedCheck::Components,
        8,
        2..=3,
    );
}
