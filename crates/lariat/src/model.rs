//! The trait [`Model`]: a system that is written in Rust, and the names of the conditions on its states.

use crate::{Footprint, Unit};
use lariat_ltl::parse::canonical_text;
use std::fmt::Debug;
use std::hash::Hash;

/// A system that can be checked: where it starts, what can happen, and what its properties are about.
///
/// A state holds everything that decides about the future. Whatever may happen next is a successor: the
/// choices of a scheduler, of a network, of a user are all made by returning several successors. A state
/// without successors ends the run (see [`Checker::finite_runs`](crate::Checker::finite_runs)).
///
/// All functions must be functions: the same answer for the same state, always. No clocks, no random
/// numbers, no interior mutability. Where this is found out, the result is
/// [`Error::NotAFunction`](crate::Error::NotAFunction).
///
/// ```
/// use lariat::{Model, Propositions};
///
/// /// A light with a switch that somebody may or may not press.
/// struct Light;
///
/// impl Model for Light {
///     type State = bool;
///     type Action = &'static str;
///
///     fn initial_states(&self) -> Vec<bool> {
///         vec![false]
///     }
///
///     fn successors(&self, on: &bool, out: &mut Vec<(&'static str, bool)>) {
///         out.push(("wait", *on));
///         out.push(("press", !on));
///     }
///
///     fn propositions(&self, named: &mut Propositions<bool>) {
///         named.add("on", |on| *on);
///     }
/// }
///
/// lariat::check(&Light, "G (on -> F !on)")?.assert_violated();
/// lariat::check(&Light, "!on W on")?.assert_holds();
/// # Ok::<(), lariat::Error>(())
/// ```
pub trait Model {
    /// Everything that decides about what can happen next. Equal states are one state; so leave out what does
    /// not matter.
    type State: Clone + Eq + Hash + Debug;

    /// What a step is called in counterexamples, and to whom fairness is owed ([`Model::units_of`]). It has
    /// no other meaning: a `String` or `&'static str` will do, an `enum` is nicer.
    type Action: Debug;

    /// The states in which a run may start: at least one.
    fn initial_states(&self) -> Vec<Self::State>;

    /// Appends what can happen in a state, and the state it leads to. The order decides only which
    /// counterexample is found; two actions may lead to one state.
    fn successors(&self, state: &Self::State, out: &mut Vec<(Self::Action, Self::State)>);

    /// Names the conditions that formulas are about ([`Propositions::add`]).
    fn propositions<'m>(&'m self, named: &mut Propositions<'m, Self::State>);

    /// Appends the units that take part in an action: those to whom a run is fair
    /// ([`Checker::fairness`](crate::Checker::fairness)). There may be several, in a handshake say, or none.
    ///
    /// Unless you say otherwise, every kind of action is a unit: of an `enum` each variant, of text each text
    /// ([`Unit::kind_of`]). Where several processes do the same things, say which of them does it.
    ///
    /// ```
    /// # use lariat::{Model, Propositions};
    /// use lariat::Unit;
    ///
    /// #[derive(Debug)]
    /// enum Action {
    ///     Work { worker: usize },
    ///     HandOver { from: usize, to: usize },
    /// }
    ///
    /// # struct Workers;
    /// # impl Model for Workers {
    /// # type State = u8;
    /// # type Action = Action;
    /// # fn initial_states(&self) -> Vec<u8> { vec![0] }
    /// # fn successors(&self, _: &u8, _: &mut Vec<(Action, u8)>) {}
    /// # fn propositions(&self, _: &mut Propositions<u8>) {}
    /// fn units_of(&self, action: &Action, out: &mut Vec<Unit>) {
    ///     match action {
    ///         Action::Work { worker } => out.push(Unit::from(*worker)),
    ///         Action::HandOver { from, to } => out.extend([Unit::from(*from), Unit::from(*to)]),
    ///     }
    /// }
    /// # }
    /// ```
    fn units_of(&self, action: &Self::Action, out: &mut Vec<Unit>) {
        out.push(Unit::kind_of(action));
    }

    /// All units, if you can list them: [`Fairness::Unconditional`](crate::Fairness::Unconditional) is owed
    /// to those as well who never take part in anything, so it needs this. If there is a list,
    /// [`Model::units_of`] must name nobody else.
    fn all_units(&self) -> Option<Vec<Unit>> {
        None
    }

    /// Appends what each process of a state reads and writes, next and later: the first is process 0. A model
    /// that says so is checked with partial-order reduction: of a state only those processes are followed
    /// that must be, where that does not change the answer. [`Footprint`] says what is to be said.
    ///
    /// There are four promises. Each step is taken by one process ([`Model::process_of`]). Processes keep
    /// their numbers; who has come to an end has an empty footprint, and one that is created gets the next
    /// number. A process's possible steps, and what they do, depend on its own state and on what it reads
    /// next; they change its own state and what it writes next. And a proposition depends on
    /// [`Model::proposition_reads`] alone. If two processes do something together, a handshake say, it is a
    /// step of one of them, and both write the thing through which they meet.
    ///
    /// By samples it is looked at whether this is true; if not, the result is
    /// [`Error::NotIndependent`](crate::Error::NotIndependent), with both steps and the state. Unless you say
    /// something there are no processes, and nothing is reduced. [`ModelReport::reduced_states`] and
    /// [`ModelReport::not_reduced`] say what came of it.
    ///
    /// [`ModelReport::reduced_states`]: crate::ModelReport::reduced_states
    /// [`ModelReport::not_reduced`]: crate::ModelReport::not_reduced
    ///
    /// ```
    /// use lariat::{Checker, Footprint, Model, Propositions};
    ///
    /// /// Each of three workers has four things to do on its own before it adds one to a counter.
    /// struct Workers;
    ///
    /// const COUNTER: usize = 0;
    ///
    /// impl Model for Workers {
    ///     /// How far each has come, and the counter.
    ///     type State = ([u8; 3], u8);
    ///     type Action = (usize, &'static str);
    ///
    ///     fn initial_states(&self) -> Vec<([u8; 3], u8)> {
    ///         vec![([0; 3], 0)]
    ///     }
    ///
    ///     fn successors(&self, &(at, counter): &([u8; 3], u8), out: &mut Vec<(Self::Action, Self::State)>) {
    ///         for k in 0..3 {
    ///             let mut next = at;
    ///             next[k] += 1;
    ///             match at[k] {
    ///                 0..4 => out.push(((k, "work"), (next, counter))),
    ///                 4 => out.push(((k, "add"), (next, counter + 1))),
    ///                 _ => {}
    ///             }
    ///         }
    ///     }
    ///
    ///     fn propositions(&self, named: &mut Propositions<Self::State>) {
    ///         named.add("all", |(_, counter)| *counter == 3);
    ///     }
    ///
    ///     fn footprints(&self, (at, _): &Self::State, out: &mut Vec<Footprint>) {
    ///         out.extend(at.map(|at| {
    ///             let footprint = Footprint::new().position(at.into());
    ///             match at {
    ///                 0..4 => footprint.later_reads([COUNTER]).later_writes([COUNTER]),
    ///                 4 => footprint.reads([COUNTER]).writes([COUNTER]),
    ///                 _ => footprint,
    ///             }
    ///         }));
    ///     }
    ///
    ///     fn process_of(&self, &(worker, _): &Self::Action) -> usize {
    ///         worker
    ///     }
    ///
    ///     fn proposition_reads(&self, _: &str) -> Option<Vec<usize>> {
    ///         Some(vec![COUNTER])
    ///     }
    /// }
    ///
    /// let reduced = lariat::check(&Workers, "F all")?.assert_holds();
    /// let full = Checker::new(&Workers).no_reduction().check("F all")?.assert_holds();
    /// assert_eq!(full.model_states, 216);
    /// assert!(reduced.model_states < 30);
    /// # Ok::<(), lariat::Error>(())
    /// ```
    fn footprints(&self, state: &Self::State, out: &mut Vec<Footprint>) {
        let _ = (state, out);
    }

    /// The process that takes a step, as [`Model::footprints`] counts them.
    fn process_of(&self, action: &Self::Action) -> usize {
        let _ = action;
        0
    }

    /// The things that a proposition looks at, as [`Model::footprints`] numbers them; `None` if it may look
    /// at anything: then nothing is reduced where a formula mentions it. Of a process's own state that a
    /// proposition looks at, say that it is a thing too.
    fn proposition_reads(&self, name: &str) -> Option<Vec<usize>> {
        let _ = name;
        None
    }

    /// How counterexamples show an action: as `Debug` does it, but text without its quotes.
    fn show_action(&self, action: &Self::Action) -> String {
        let shown = format!("{action:?}");
        let text = shown.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        text.map_or(shown.clone(), str::to_string)
    }
}

/// A condition on a state.
pub(crate) type Condition<'m, S> = Box<dyn Fn(&S) -> bool + 'm>;

/// The conditions on states that formulas can speak of, by name. [`Model::propositions`] fills it.
///
/// Beside them every model has `deadlock`, which is true where a state has no successor.
pub struct Propositions<'m, S> {
    pub(crate) named: Vec<(String, Condition<'m, S>)>,
}

impl<'m, S> Propositions<'m, S> {
    pub(crate) fn of<M: Model<State = S>>(model: &'m M) -> Propositions<'m, S> {
        let mut propositions = Propositions { named: Vec::new() };
        model.propositions(&mut propositions);
        propositions
    }

    /// Adds a proposition. Its name is what stands in formulas: best one word; anything else must be put
    /// between double quotes there (`F "the queue is full"`). Only those that a formula mentions are
    /// evaluated, once for each state.
    ///
    /// ```
    /// # use lariat::Propositions;
    /// # fn propositions(named: &mut Propositions<Vec<u32>>) {
    /// for k in 0..3 {
    ///     named.add(format!("waiting_{k}"), move |queue| queue.contains(&k));
    /// }
    /// # }
    /// ```
    pub fn add(&mut self, name: impl Into<String>, holds: impl Fn(&S) -> bool + 'm) {
        self.named.push((canonical_text(&name.into()), Box::new(holds)));
    }

    /// The names, in the order in which they were added.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.named.iter().map(|(name, _)| name.as_str())
    }
}
