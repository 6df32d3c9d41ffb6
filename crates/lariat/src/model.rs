//! The trait [`Model`]: a system that is written in Rust, and the names of the conditions on its states.

use crate::Unit;
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
