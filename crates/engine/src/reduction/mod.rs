//! Partial-order reduction: of the processes of a state, only some are followed, and which depends on the
//! state alone.
//!
//! So the reduced model is a model. Product, order of search, algorithm and number of threads do not matter:
//! all of them see the same one.
//!
//! **What is followed.** A *stubborn set* of a state is a set of processes; all steps of these processes are
//! followed, nothing else. A process in the set and one outside must not disturb each other until one of the
//! set has moved: whatever the processes outside do, now or later, leaves every possible step of the set
//! possible and the same, leaves every impossible one impossible, and does the same itself whether the step
//! of the set comes before or after. So: what the steps of the set touch now (`touch.rs`) does not conflict
//! with what any process outside touches from where it is on, to the end of its days, together with all that
//! it may create. (These are the conditions D1 and D2 of Valmari for every step of the set, a strong stubborn
//! set, or C1 of ample sets; the set is closed under processes because all steps of a process depend on each
//! other.) The set has a step that is possible (D0).
//!
//! **What is preserved.** States in which nothing is possible; errors of steps, because a step that is left
//! out does the same later. For properties of runs: a set that is less than everything has no *visible*
//! step, one that may change a proposition (C2), so the runs that are left out differ from those that are
//! followed by stuttering only; and no step is left out for ever, because each cycle has a state that is
//! expanded fully (C3, `sticky.rs`). All steps of the set are invisible and commute with all that is outside,
//! so the weaker conditions of stubborn sets, which do not preserve stutter traces (Neele, Valmari and
//! Willemse 2020), are not met here. A formula must not tell stuttering apart; whoever asks for reduction
//! sees to that.
//!
//! **Where everything is followed.** In a state in which the set's steps run into an error, or into an
//! indivisible sequence that may go on for ever; if no set but the whole has a possible step (so also where
//! only `timeout` helps); with more than 64 processes.
//!
//! What is known before the run is in [`Reduction`], for all workers; what one of them has looked up already,
//! in [`Reducer`].

mod assured;
mod cells;
mod choice;
mod facts;
mod rounds;
mod sticky;
mod touch;
mod variables;

use cells::each_expression;
pub use cells::{Cell, CellMap, CellSet, Side};
pub use choice::{Choice, MOST_CANDIDATES, MOST_PROCESSES, Reducer, StateView};
use facts::Facts;
use lariat_model::ir::*;
pub use rounds::{NOT_OF_USE, Size, loosened};
use rustc_hash::FxHashSet;
use std::ops::Range;
pub use touch::{Class, Reason, Touch};
use variables::Variables;

use crate::constants::Constants;
use crate::interpreter::Interpreter;
use crate::simplify::accesses::{Part, each_action, each_part, expressions_in};
use crate::writes::reach_of;

/// What a process may do later is worked out for each of its control points: models with more of them, and
/// transitions between them, are not reduced.
const MOST_STATEMENTS: usize = 20_000;

/// Why nothing is reduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotReduced(pub &'static str);

/// What reduction knows of a model before it runs.
pub struct Reduction<'m> {
    facts: Facts<'m>,
    /// What the property looks at, and locations with assertions.
    observed: Touch,
    /// By type: processes of which nothing else is known.
    generic: Vec<ClassFacts>,
    /// By type and location.
    sticky: Vec<Vec<bool>>,
    /// By type and location: the variables that say what is touched later, and now.
    variables: Vec<Vec<[Variables; 2]>>,
    /// By type and location: locations with the same variables that count later have the same number.
    stages: Vec<Vec<u32>>,
    /// By type and location: a process may end, from there on.
    may_end: Vec<Vec<bool>>,
    /// By type: no cycle needs its sticky locations (`rounds.rs`).
    loose: Vec<bool>,
    /// What a process touches may depend on its number.
    numbers_count: bool,
    /// Left out of the conditions, one at a time. For tests: a reduction without it is wrong.
    omitted: Option<Condition>,
}

impl Reduction<'_> {
    /// By type: no cycle needs its sticky locations (`rounds.rs`).
    pub fn loose(&self) -> &[bool] {
        &self.loose
    }

    /// The same, where it is known already which types are loose. `None` if there are other types.
    pub fn with_loose(self, loose: Vec<bool>) -> Option<Self> {
        (loose.len() == self.loose.len()).then_some(Reduction { loose, ..self })
    }
}

/// A condition of the reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// What is outside of a set does not disturb its steps, and the other way round, as far as variables go.
    Independence,
    /// The same for all that is still to come: only what is outside does next is looked at.
    Future,
    /// Processes that are still to be created count.
    Creation,
    /// What waits for a message or for room is not possible before.
    Waiting,
    /// The ends of a rendezvous belong together.
    Meeting,
    /// No visible step is in a set.
    Visibility,
    /// Nobody waits for ever.
    Stickiness,
    /// The list of processes is shared.
    ProcessList,
    /// Only where a younger process never ends, an older one does not either.
    Staying,
    /// Whoever is not the youngest process waits for those that are younger to end.
    Youngest,
    /// That a channel has a message, or room, assures one exchange only.
    Once,
}

impl Condition {
    /// All of them.
    pub const ALL: [Condition; 11] = [
        Condition::Independence,
        Condition::Future,
        Condition::Creation,
        Condition::Waiting,
        Condition::Meeting,
        Condition::Visibility,
        Condition::Stickiness,
        Condition::ProcessList,
        Condition::Staying,
        Condition::Youngest,
        Condition::Once,
    ];
}

/// What the processes of a class may do.
pub struct ClassFacts {
    /// By location.
    pub locations: Vec<LocationFacts>,
}

/// What a process touches from a location.
pub struct LocationFacts {
    /// Next.
    pub now: Touch,
    /// From there on, ever.
    pub later: Later,
    /// Its next step may be seen.
    pub is_visible: bool,
    /// Its next step may close a cycle.
    pub is_sticky: bool,
}

/// What a process touches from a location on, with all that it creates.
#[derive(Clone, Debug, Default)]
pub struct Later {
    /// What is read.
    pub reads: CellSet,
    /// What is changed, in whatever way.
    pub changes: CellSet,
    /// Some step depends on everything.
    pub reads_all: bool,
    /// Some step may change anything.
    pub writes_all: bool,
    /// It may move at all.
    pub moves: bool,
    creates: FxHashSet<usize>,
}

impl Later {
    fn of(touch: &Touch, moves: bool) -> Later {
        Later {
            moves,
            reads: touch.reads.clone(),
            changes: touch.changes(),
            reads_all: touch.reads_all,
            writes_all: touch.writes_all,
            creates: touch.creates.iter().copied().collect(),
        }
    }

    /// Adds what another touches. Whether that was new.
    fn add(&mut self, other: &Later) -> bool {
        let before = (self.reads_all, self.writes_all, self.moves, self.creates.len());
        let mut is_new = self.reads.add(&other.reads);
        is_new |= self.changes.add(&other.changes);
        self.reads_all |= other.reads_all;
        self.writes_all |= other.writes_all;
        self.moves |= other.moves;
        self.creates.extend(&other.creates);
        is_new || before != (self.reads_all, self.writes_all, self.moves, self.creates.len())
    }
}

impl<'m> Reduction<'m> {
    /// Of the model that an interpreter executes; unless the model is one that cannot be reduced.
    pub fn new(interpreter: &Interpreter<'m>) -> Result<Reduction<'m>, NotReduced> {
        Reduction::without(interpreter, None)
    }

    /// The same without one of the conditions. For tests: such a reduction is wrong.
    pub fn without(
        interpreter: &Interpreter<'m>,
        omitted: Option<Condition>,
    ) -> Result<Reduction<'m>, NotReduced> {
        let model = interpreter.model();
        let locations = model.process_types.iter().flat_map(|process| &process.locations);
        let size: usize = locations.map(|location| 1 + location.transitions.len()).sum();
        let refused = [
            (size > MOST_STATEMENTS, "it has too many statements to look at all of them"),
            (model.features.priorities, "processes have priorities"),
            (model.features.last, "the process that moved last (`_last`) is part of the state"),
            (reads_hidden(model), "states that differ in hidden variables count as one"),
            (interpreter.is_observed(), "a trace assertion sees the order of all sends and receives"),
        ];
        if let Some((_, reason)) = refused.iter().find(|(holds, _)| *holds) {
            return Err(NotReduced(reason));
        }
        let mut facts = Facts::new(model, Constants::of(interpreter));
        facts.assures_again = omitted == Some(Condition::Once);
        let assertions = model.process_types.iter().flat_map(|process| &process.locations);
        let assertions = assertions.flat_map(|info| &info.assertions).map(|assertion| &assertion.value);
        let observed = model.propositions.iter().map(|proposition| &proposition.value).chain(assertions);
        let observed = facts.touch_of_conditions(observed);
        if observed.reads_all {
            return Err(NotReduced("the property looks at what depends on all processes"));
        }
        let types = 0..model.process_types.len();
        let variables: Vec<_> = types.map(|ty| variables::variables_that_count(&facts, ty)).collect();
        let stages = variables.iter().map(|lists| stages(lists)).collect();
        let (generic, sticky) = (Vec::new(), Vec::new());
        let loose = vec![false; model.process_types.len()];
        let mut may_end: Vec<Vec<bool>> =
            (0..model.process_types.len()).map(|ty| facts.may_end(ty)).collect();
        if omitted == Some(Condition::Staying) {
            may_end.iter_mut().for_each(|locations| locations.fill(false));
        }
        let numbers_count = facts.cells.expects_somebody() || reads_own_number(model);
        let mut reduction = Reduction {
            facts,
            observed,
            generic,
            sticky,
            variables,
            stages,
            may_end,
            loose,
            numbers_count,
            omitted,
        };
        reduction.generic = reduction.generic_facts();
        reduction.sticky = reduction.sticky_locations();
        for ty in 0..model.process_types.len() {
            let mut facts = std::mem::take(&mut reduction.generic[ty].locations);
            reduction.judge_locations(ty, &mut facts);
            reduction.generic[ty].locations = facts;
        }
        Ok(reduction)
    }

    /// The model.
    pub fn model(&self) -> &'m Model {
        self.facts.model
    }

    /// Which number each cell has.
    pub fn cells(&self) -> &CellMap {
        &self.facts.cells
    }

    /// What is known of all processes of a type, at a location.
    pub fn of_location(&self, ty: ProcessTypeId, location: Location) -> &LocationFacts {
        &self.generic[ty.0 as usize].locations[location as usize]
    }

    /// The conditions that count.
    pub fn keeps(&self, condition: Condition) -> bool {
        self.omitted != Some(condition)
    }

    /// What processes of a class touch, where it is known what those touch that they create.
    fn class_facts(&self, class: &Class) -> ClassFacts {
        let mut locations = self.flow_facts(class);
        if self.keeps(Condition::Creation) {
            for LocationFacts { later, .. } in &mut locations {
                // What those create that are created is part of what is known of these.
                for ty in later.creates.iter().copied().collect::<Vec<_>>() {
                    let start = self.model().process_types[ty].start as usize;
                    later.add(&self.generic[ty].locations[start].later);
                }
            }
        }
        self.judge_locations(class.ty, &mut locations);
        ClassFacts { locations }
    }

    /// What a process touches next.
    pub(crate) fn touch(&self, class: &Class, location: Location) -> Touch {
        let mut touch = self.facts.touch(class, location);
        let mut forget = |cell: usize| {
            touch.reads.remove(cell);
            touch.writes.remove(cell);
            touch.adds.remove(cell);
            touch.exemptions.retain(|exemption| exemption.cell != cell);
        };
        if !self.keeps(Condition::Meeting) {
            for group in 0..self.cells().groups.len() {
                for side in [Side::Meeting, Side::Ready] {
                    forget(self.cells().channel(group, side));
                }
            }
        }
        if !self.keeps(Condition::Youngest) {
            forget(self.cells().youngest());
        }
        if !self.keeps(Condition::ProcessList) {
            [self.cells().created(), self.cells().ended(), self.cells().youngest()]
                .iter()
                .copied()
                .for_each(forget);
        }
        touch
    }

    /// What processes of a class touch themselves.
    fn flow_facts(&self, class: &Class) -> Vec<LocationFacts> {
        let process = &self.model().process_types[class.ty];
        let count = process.locations.len();
        let touches: Vec<Touch> =
            (0..count).map(|location| self.touch(class, location as Location)).collect();
        let moves = |location: usize| {
            !process.locations[location].transitions.is_empty()
                || !self.facts.moved_to[class.ty][location].is_empty()
        };
        let mut later: Vec<Later> =
            touches.iter().enumerate().map(|(location, touch)| Later::of(touch, moves(location))).collect();
        // From the back to the front, until nothing is new.
        let mut is_new = self.keeps(Condition::Future);
        while std::mem::take(&mut is_new) {
            for location in (0..count).rev() {
                for further in self.facts.further(class.ty, location as Location) {
                    if let Ok([here, there]) = later.get_disjoint_mut([location, further as usize]) {
                        is_new |= here.add(there);
                    }
                }
            }
        }
        let facts = |(now, later)| LocationFacts { now, later, is_visible: false, is_sticky: false };
        touches.into_iter().zip(later).map(facts).collect()
    }

    /// What processes touch of which only the type is known, with those that they create.
    fn generic_facts(&self) -> Vec<ClassFacts> {
        let types = &self.model().process_types;
        let mut all: Vec<Vec<LocationFacts>> =
            (0..types.len()).map(|ty| self.flow_facts(&Class { ty, ..Class::default() })).collect();
        let mut is_new = self.keeps(Condition::Creation);
        while std::mem::take(&mut is_new) {
            let at_start: Vec<Later> =
                all.iter().zip(types).map(|(facts, ty)| facts[ty.start as usize].later.clone()).collect();
            for facts in all.iter_mut().flatten() {
                for ty in facts.later.creates.clone() {
                    is_new |= facts.later.add(&at_start[ty]);
                }
            }
        }
        all.into_iter().map(|locations| ClassFacts { locations }).collect()
    }

    fn sticky_locations(&self) -> Vec<Vec<bool>> {
        let types = &self.model().process_types;
        (0..types.len())
            .map(|ty| {
                if !self.keeps(Condition::Stickiness) {
                    return vec![false; types[ty].locations.len()];
                }
                let further = |location: usize| self.facts.further(ty, location as Location).collect();
                let further = (0..types[ty].locations.len()).map(further).collect();
                let loss = (0..types[ty].locations.len()).map(|location| self.loss(ty, location)).collect();
                sticky::Flow { further, loss }.sticky()
            })
            .collect()
    }

    /// What is lost if a location is sticky: nothing, if its steps can be seen or disturb every process.
    fn loss(&self, ty: usize, location: usize) -> u32 {
        let now = &self.generic[ty].locations[location].now;
        if self.is_visible(now) || now.reads_all || now.writes_all {
            return 0;
        }
        let types = &self.model().process_types;
        let disturbed = |(other, facts): (usize, &ClassFacts)| {
            let start = types[other].start as usize;
            u32::from(conflict(now, &now.reads, &facts.locations[start].later))
        };
        let disturbed: u32 = self.generic.iter().enumerate().map(disturbed).sum();
        1 + types.len() as u32 - disturbed
    }

    fn is_visible(&self, touch: &Touch) -> bool {
        touch.writes_all
            || touch.writes.meets(&self.observed.reads)
            || touch.adds.meets(&self.observed.reads)
            || touch.enables.meets(&self.observed.reads)
            || touch.changes_progress && self.observed.changes_progress
            || touch.changes_acceptance && self.observed.changes_acceptance
    }

    fn judge_locations(&self, ty: usize, locations: &mut [LocationFacts]) {
        for (location, facts) in locations.iter_mut().enumerate() {
            (facts.is_visible, facts.is_sticky) = self.judge(ty, location as Location, &facts.now);
        }
    }

    /// Whether a step from a location may be seen, and whether it may close a cycle.
    pub(crate) fn judge(&self, ty: usize, location: Location, now: &Touch) -> (bool, bool) {
        let passes = |location: Location| self.sticky[ty][location as usize];
        let moves = self.facts.further(ty, location).next().is_some();
        let is_sticky =
            moves && !self.loose[ty] && (passes(location) || now.within.iter().copied().any(passes));
        let process = &self.model().process_types[ty];
        // Assertions of a location are judged wherever a process is there.
        let is_visible = self.is_visible(now) || self.comes_to_assertion(process, location as usize, now);
        (is_visible && self.keeps(Condition::Visibility), is_sticky)
    }

    /// Whether a step from a location leads to a location with assertions, or away from one.
    fn comes_to_assertion(&self, process: &ProcessType, location: usize, now: &Touch) -> bool {
        let has = |location: usize| !process.locations[location].assertions.is_empty();
        let leads = |location: usize| {
            has(location)
                || process.locations[location]
                    .transitions
                    .iter()
                    .any(|transition| has(facts::target_from(location as Location, transition) as usize))
        };
        if now.meets
            && self.model().process_types.iter().any(|p| p.locations.iter().any(|l| !l.assertions.is_empty()))
        {
            // It may move another process there.
            return true;
        }
        leads(location) || now.within.iter().any(|&location| leads(location as usize))
    }

    /// The variables of a process that say what it touches later, and now.
    pub(crate) fn variables_that_count(&self, ty: usize, location: Location) -> &[Variables; 2] {
        &self.variables[ty][location as usize]
    }

    /// The bytes of all of these, from the first variable on.
    pub fn bytes_that_count(&self, ty: usize) -> impl Iterator<Item = Range<usize>> {
        let variables = self.variables[ty].iter().flatten().flatten();
        variables
            .map(|variable| variable.offset as usize..(variable.offset + variable.storage.size()) as usize)
    }

    /// Whether a process may end, from a location on.
    #[inline]
    pub fn may_end(&self, ty: usize, location: Location) -> bool {
        self.may_end[ty][location as usize]
    }

    /// Locations at which the same variables count later have the same number.
    pub(crate) fn stage(&self, ty: usize, location: Location) -> u32 {
        self.stages[ty][location as usize]
    }
}

/// Whether a process asks for its own number.
fn reads_own_number(model: &Model) -> bool {
    let mut reads = false;
    each_expression_of(model, &mut |expr| {
        each_part(expr, &mut |part| reads |= matches!(part, Part::Expr(Expr::Pid)));
    });
    reads
}

/// Whether something depends on a hidden variable. What nobody reads does not matter. (To print is not to
/// depend on.)
fn reads_hidden(model: &Model) -> bool {
    if model.hidden_size == 0 {
        return false;
    }
    let globals = model.globals_size as usize;
    let mut reads = false;
    let mut look = |expr: &Expr| {
        each_part(expr, &mut |part| match part {
            Part::Place(place) if place.base == Base::Global => reads |= reach_of(place).end > globals,
            Part::Expr(Expr::Global { offset, storage }) => {
                reads |= (offset + storage.size()) as usize > globals;
            }
            _ => {}
        });
    };
    each_expression_of(model, &mut look);
    reads
}

/// Shows all expressions of a model, but those that are only printed.
fn each_expression_of(model: &Model, mut look: &mut dyn FnMut(&Expr)) {
    model.propositions.iter().for_each(|proposition| look(&proposition.value));
    let initial = |init: &Initialisation, look: &mut dyn FnMut(&Expr)| {
        expressions_in(&init.place).for_each(&mut *look);
        if let InitialValue::Expr(expr) = &init.value {
            look(expr);
        }
    };
    model.initialise.iter().for_each(|init| initial(init, &mut look));
    for process in &model.process_types {
        process.provided.iter().for_each(&mut look);
        process.initialise.iter().for_each(|init| initial(init, &mut look));
        process.exclusive.iter().for_each(|exclusive| look(&exclusive.channel));
        let assertions = process.locations.iter().flat_map(|location| &location.assertions);
        assertions.for_each(|assertion| look(&assertion.value));
        each_action(process, &mut |action| match action {
            Action::Print { .. } => {}
            action => each_expression(action, &mut look),
        });
    }
}

/// Numbers the lists of variables that count later.
fn stages(lists: &[[Variables; 2]]) -> Vec<u32> {
    let mut known: Vec<&Variables> = Vec::new();
    let mut number = |list| {
        let place = known.iter().position(|other| *other == list).unwrap_or_else(|| {
            known.push(list);
            known.len() - 1
        });
        place as u32
    };
    lists.iter().map(|[later, _]| number(later)).collect()
}

/// Whether what a step touches now disturbs, or is disturbed by, what another process may do. `reads` are
/// those of its reads that count in the state.
pub(crate) fn conflict(now: &Touch, reads: &CellSet, later: &Later) -> bool {
    if now.writes_all || now.reads_all {
        return later.moves;
    }
    later.writes_all
        || later.reads_all
        || reads.meets(&later.changes)
        || now.writes.meets(&later.reads)
        || now.writes.meets(&later.changes)
        || now.adds.meets(&later.reads)
}
