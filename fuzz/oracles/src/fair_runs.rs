//! Which fair runs a model has, by the definition: a judge that knows neither marks nor components that are
//! merged on the fly.
//!
//! Single steps are followed from visible state to visible state, as in [`crate::micro_runs`], but every arc
//! keeps the set of statements that were executed on it. So who takes part is known, and who is enabled is
//! whoever takes part in something that leaves the state. A cycle of the product with an automaton is fair if
//! the definition says so of the arcs that it goes over, each of them again and again; a set of arcs can be
//! gone round together if it is strongly connected. For strong fairness the sets of units that a run leaves
//! disabled for ever are tried one after the other, as long as there are few units.

use lariat_engine::interpreter::MicroState;
use lariat_engine::units::{Unit, UnitRules, UnitTable};
use lariat_engine::{
    Interpreter, Moment, ProcessSet, Step, SuccessorFunction, Successors, Valuation, ViolationKind,
};
use lariat_ltl::translate::{Options, translate};
use lariat_ltl::{Automaton, Bdds, Formula, Formulas};
use lariat_model::ir::Action;
use lariat_search::fairness::Fairness;
use lariat_search::product::FiniteRuns;
use std::collections::{BTreeSet, HashMap, HashSet};

type Units = BTreeSet<u16>;

/// The visible part of a model's runs, and who takes part in it.
#[derive(Default)]
pub struct FairGraph {
    letters: Vec<Vec<bool>>,
    /// Where arcs lead, and who takes part.
    arcs: Vec<Vec<(usize, Units)>>,
    enabled: Vec<Units>,
    lives: Vec<Units>,
    /// How many units there are.
    pub units: usize,
    pub diverges: bool,
}

/// Everything up to a limit; `None` if there is more, if a step runs into an error, or if single steps do not
/// tell what happens.
pub fn fair_graph(
    interpreter: &Interpreter,
    rules: &UnitRules,
    finite_runs: FiniteRuns,
    most: usize,
) -> Option<FairGraph> {
    let mut table = UnitTable::new(rules.clone(), interpreter.model());
    let mut graph = FairGraph::default();
    let initial = interpreter.initial_state().ok()?;
    let mut states = vec![initial.clone()];
    let mut known: HashMap<Vec<u8>, usize> = HashMap::from([(initial, 0)]);
    let mut repeated: Vec<(usize, Moment)> = Vec::new();
    let mut place = 0;
    while place < states.len() {
        if states.len() > most {
            return None;
        }
        let state = states[place].clone();
        let after = leaving(interpreter, &state, most)?;
        let mut units_of = |steps: &BTreeSet<Executed>| -> Units {
            let mut set = ProcessSet::default();
            for executed in steps {
                table.add_step(&executed.step(), &mut set);
                interpreter.transition(executed.step()).action.each_within(&mut |action| {
                    if let Action::MoveProcess { process, pid, .. } = action {
                        table.add_process(*pid, process.0, &mut set);
                    }
                });
            }
            set.iter().collect()
        };
        let mut arcs = Vec::new();
        for (target, steps) in &after.arcs {
            let number = *known.entry(target.clone()).or_insert_with(|| {
                states.push(target.clone());
                states.len() - 1
            });
            arcs.push((number, units_of(steps)));
        }
        let enabled = units_of(&after.all);
        let stuck = after.all.is_empty();
        repeated.extend(after.diverging.iter().map(|&movers| (place, Moment::Diverging(movers))));
        if stuck && finite_runs == FiniteRuns::Stutter {
            repeated.push((place, Moment::Stopped));
        }
        let moment = if stuck { Moment::Stuck } else { Moment::Moving };
        let (mut living, mut lives) = (Vec::new(), ProcessSet::default());
        interpreter.living(&state, &mut living);
        living.iter().for_each(|&(pid, ty)| table.add_all_of(pid, ty, &mut lives));
        graph.letters.push(letter(interpreter, &state, moment)?);
        graph.arcs.push(arcs);
        graph.enabled.push(enabled);
        graph.lives.push(lives.iter().collect());
        place += 1;
    }
    for (place, moment) in repeated {
        let node = graph.letters.len();
        graph.letters.push(letter(interpreter, &states[place], moment)?);
        graph.arcs.push(vec![(node, Units::new())]);
        graph.enabled.push(Units::new());
        graph.lives.push(graph.lives[place].clone());
        graph.arcs[place].push((node, Units::new()));
        graph.diverges |= matches!(moment, Moment::Diverging(_));
    }
    graph.units = table.list().len();
    (!table.is_full()).then_some(graph)
}

/// What is true; `None` if a condition has no value.
fn letter(interpreter: &Interpreter, state: &[u8], moment: Moment) -> Option<Vec<bool>> {
    let mut valuation = Valuation::default();
    interpreter.look_at(state, moment, &mut valuation);
    let count = interpreter.model().propositions.len();
    (0..count).map(|k| interpreter.is_true(k, &mut valuation).ok()).collect()
}

/// A step that was executed, in an order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Executed(u16, u16, u32, u32);

impl Executed {
    fn of(step: &Step) -> Executed {
        Executed(step.pid, step.process_type, step.location, step.transition)
    }

    fn step(self) -> Step {
        let Executed(pid, process_type, location, transition) = self;
        Step { pid, process_type, location, transition }
    }
}

/// What leaves a visible state.
#[derive(Default)]
struct Leaving {
    arcs: HashSet<(Vec<u8>, BTreeSet<Executed>)>,
    /// All steps on the way, also of runs that do not come to another visible state.
    all: BTreeSet<Executed>,
    /// The processes that move in runs that do not.
    diverging: Vec<ProcessSet>,
}

type Inside = (MicroState, BTreeSet<Executed>);

fn leaving(interpreter: &Interpreter, stored: &[u8], most: usize) -> Option<Leaving> {
    let mut leaving = Leaving::default();
    let mut inside: Vec<Inside> = vec![(interpreter.micro_from(stored), BTreeSet::new())];
    let mut next: Vec<Vec<usize>> = Vec::new();
    let mut out = Successors::new();
    while next.len() < inside.len() {
        if inside.len() > most {
            return None;
        }
        let (state, so_far) = inside[next.len()].clone();
        let steps = interpreter.micro_successors(&state, &mut out);
        if out.violations().any(|(violation, _)| violation.kind == ViolationKind::RuntimeError) {
            return None;
        }
        // Who waits for a timeout within a sequence loses control first, and single steps do not show that.
        let waits = |step: &Step| format!("{:?}", interpreter.transition(*step).action).contains("Timeout");
        if state.held.is_some() && steps.iter().flat_map(|step| &step.steps).any(waits) {
            return None;
        }
        let goes_on = |pid: u16| state.held.is_none_or(|holder| holder == pid);
        if state.held.is_some() && !steps.iter().any(|step| goes_on(step.steps[0].pid)) {
            // It cannot go on, so it loses control, and everybody sees where it is.
            leaving.arcs.insert((interpreter.stored(&state), so_far));
            next.push(Vec::new());
            continue;
        }
        let mut to = Vec::new();
        for step in steps.into_iter().filter(|step| goes_on(step.steps[0].pid)) {
            leaving.all.extend(step.steps.iter().map(Executed::of));
            let steps: BTreeSet<Executed> =
                so_far.iter().copied().chain(step.steps.iter().map(Executed::of)).collect();
            if step.next.held.is_none() {
                leaving.arcs.insert((interpreter.stored(&step.next), steps));
                continue;
            }
            let pair = (step.next, steps);
            let place = inside.iter().position(|known| *known == pair).unwrap_or_else(|| {
                inside.push(pair);
                inside.len() - 1
            });
            to.push(place);
        }
        next.push(to);
    }
    for place in 1..inside.len() {
        let (mut reached, mut work) = (HashSet::new(), next[place].clone());
        while let Some(at) = work.pop() {
            if reached.insert(at) {
                work.extend(&next[at]);
            }
        }
        let movers: ProcessSet = inside[place].1.iter().map(|executed| executed.0).collect();
        if reached.contains(&place) && !leaving.diverging.contains(&movers) {
            leaving.diverging.push(movers);
        }
    }
    Some(leaving)
}

/// The product with an automaton.
struct Pairs {
    /// From, to, the automaton's marks, who takes part, and the node of the graph that it leaves.
    arcs: Vec<(usize, usize, u64, usize, usize)>,
    count: usize,
    initial: Vec<usize>,
    all: u64,
}

/// Whether some run that is fair satisfies the formula (a violation, if it is the negation of a property).
pub fn has_fair_run(
    graph: &FairGraph,
    formulas: &mut Formulas,
    formula: Formula,
    fairness: Option<Fairness>,
) -> bool {
    let mut bdds = Bdds::new();
    let translation =
        translate(formulas, &mut bdds, formula, &Options::default()).expect("small formulas are translated");
    let pairs = product(graph, &translation.automaton, &bdds);
    let everywhere = vec![true; pairs.arcs.len()];
    let units = 0..graph.units as u16;
    let takes_part = |arc: usize, unit: u16| {
        let (_, _, _, taken, node) = pairs.arcs[arc];
        graph.arcs[node][taken].1.contains(&unit)
    };
    let node = |arc: usize| pairs.arcs[arc].4;
    match fairness {
        None => pairs.has_cycle(&everywhere, |_| true),
        Some(Fairness::Weak) => pairs.has_cycle(&everywhere, |component| {
            units.clone().all(|unit| {
                component
                    .iter()
                    .any(|&arc| takes_part(arc, unit) || !graph.enabled[node(arc)].contains(&unit))
            })
        }),
        Some(Fairness::Unconditional) => pairs.has_cycle(&everywhere, |component| {
            units.clone().all(|unit| {
                component.iter().any(|&arc| takes_part(arc, unit) || !graph.lives[node(arc)].contains(&unit))
            })
        }),
        Some(Fairness::Strong) if graph.units <= 7 => (0u32..1 << graph.units).any(|disabled| {
            let is_disabled = |unit: u16| disabled >> unit & 1 == 1;
            let allowed: Vec<bool> = (0..pairs.arcs.len())
                .map(|arc| !graph.enabled[node(arc)].iter().any(|&unit| is_disabled(unit)))
                .collect();
            pairs.has_cycle(&allowed, |component| {
                units
                    .clone()
                    .all(|unit| is_disabled(unit) || component.iter().any(|&arc| takes_part(arc, unit)))
            })
        }),
        Some(Fairness::Strong) => {
            // Every component that a fair run stays in for ever is inside one of those that are left.
            let mut waiting = vec![everywhere];
            while let Some(allowed) = waiting.pop() {
                for component in pairs.components(&allowed) {
                    if !pairs.accepts(&component) {
                        continue;
                    }
                    let neglected: Vec<u16> = units
                        .clone()
                        .filter(|unit| {
                            component.iter().any(|&arc| graph.enabled[node(arc)].contains(unit))
                                && !component.iter().any(|&arc| takes_part(arc, *unit))
                        })
                        .collect();
                    if neglected.is_empty() {
                        return true;
                    }
                    let mut fewer = vec![false; pairs.arcs.len()];
                    for &arc in &component {
                        fewer[arc] = !neglected.iter().any(|unit| graph.enabled[node(arc)].contains(unit));
                    }
                    waiting.push(fewer);
                }
            }
            false
        }
    }
}

fn product(graph: &FairGraph, automaton: &Automaton, bdds: &Bdds) -> Pairs {
    let states = automaton.states();
    let number = |node: usize, state: u32| node * states + state as usize;
    let mut arcs = Vec::new();
    for (node, letter) in graph.letters.iter().enumerate() {
        for state in 0..states as u32 {
            for edge in automaton.leaving(state) {
                if !bdds.evaluate(edge.label, |variable| letter[variable as usize]) {
                    continue;
                }
                for (taken, (next, _)) in graph.arcs[node].iter().enumerate() {
                    arcs.push((number(node, state), number(*next, edge.to), edge.marks.0, taken, node));
                }
            }
        }
    }
    let initial = automaton.initial.iter().map(|&state| number(0, state)).collect();
    Pairs { arcs, count: graph.letters.len() * states, initial, all: automaton.all_marks().0 }
}

impl Pairs {
    fn accepts(&self, component: &[usize]) -> bool {
        component.iter().fold(0, |met, &arc| met | self.arcs[arc].2) & self.all == self.all
    }

    /// Whether a component of what is allowed, reachable over all arcs, accepts and is fair.
    fn has_cycle(&self, allowed: &[bool], is_fair: impl Fn(&[usize]) -> bool) -> bool {
        self.components(allowed).iter().any(|component| self.accepts(component) && is_fair(component))
    }

    /// The arcs of each component with an arc inside that can be reached.
    fn components(&self, allowed: &[bool]) -> Vec<Vec<usize>> {
        let whole = vec![true; self.arcs.len()];
        let reachable = self.reached(&whole, &self.initial, false);
        // By two passes: what a state reaches, and what reaches it.
        let mut done = vec![false; self.count];
        let mut components = Vec::new();
        for state in 0..self.count {
            if done[state] || !reachable[state] {
                continue;
            }
            let (forward, backward) =
                (self.reached(allowed, &[state], false), self.reached(allowed, &[state], true));
            let inside = |other: usize| forward[other] && backward[other];
            (0..self.count).filter(|&other| inside(other)).for_each(|other| done[other] = true);
            let arcs: Vec<usize> = (0..self.arcs.len())
                .filter(|&arc| allowed[arc] && inside(self.arcs[arc].0) && inside(self.arcs[arc].1))
                .collect();
            if !arcs.is_empty() {
                components.push(arcs);
            }
        }
        components
    }

    fn reached(&self, allowed: &[bool], from: &[usize], backwards: bool) -> Vec<bool> {
        let mut next = vec![Vec::new(); self.count];
        for (arc, &(source, target, ..)) in self.arcs.iter().enumerate().filter(|(arc, _)| allowed[*arc]) {
            let _ = arc;
            if backwards { next[target].push(source) } else { next[source].push(target) }
        }
        let mut reached = vec![false; self.count];
        let mut work = from.to_vec();
        from.iter().for_each(|&state| reached[state] = true);
        while let Some(state) = work.pop() {
            for &to in &next[state] {
                if !std::mem::replace(&mut reached[to], true) {
                    work.push(to);
                }
            }
        }
        reached
    }
}

/// The units of some rules that a table numbers: for messages.
pub fn unit_name(unit: Unit) -> String {
    format!("{unit:?}")
}
