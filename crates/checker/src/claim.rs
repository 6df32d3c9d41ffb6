//! A never claim of a model as an automaton.
//!
//! The front end gives a claim the form of a process: locations, and transitions with conditions. Each of its
//! steps reads one state of the run; steps that keep control (inside `atomic`) read the same one. Conditions
//! become propositions. A claim that comes to its end, or whose own assertion fails, has seen what must not
//! happen: from there every run is accepted.

use lariat_ltl::{Automaton, Bdd, Bdds, Edge, Marks, Placement, State};
use lariat_model::ir::{Action, Expr, Location, ProcessType, Proposition, Transition};

/// The automaton of a claim, and the conditions that its propositions stand for.
pub struct ClaimAutomaton {
    pub automaton: Automaton,
    pub bdds: Bdds,
    pub propositions: Vec<Proposition>,
    /// Where the claim is in each state from 1 on; in state 0 it has come to its end.
    pub locations: Vec<Location>,
}

/// `Err` says what in the claim is not a condition.
pub fn automaton_of(claim: &ProcessType) -> Result<ClaimAutomaton, String> {
    let mut builder = Builder {
        claim,
        bdds: Bdds::new(),
        propositions: Vec::new(),
        numbers: vec![None; claim.locations.len()],
        order: Vec::new(),
    };
    let mut automaton = Automaton {
        name: Some(claim.name.clone()),
        sets: 1,
        placement: Placement::States,
        ..Automaton::empty(Vec::new())
    };
    // State 0 has seen what must not happen.
    automaton.edges[0].push(Edge { label: Bdd::TRUE, marks: Marks::one(0), to: 0 });
    let start = builder.state(claim.start);
    while automaton.edges.len() <= builder.order.len() {
        let location = builder.order[automaton.edges.len() - 1];
        let accepting = claim.locations[location as usize].accept;
        let marks = if accepting { Marks::one(0) } else { Marks::NONE };
        let mut steps = Vec::new();
        builder.steps(location, Bdd::TRUE, &mut Vec::new(), &mut steps)?;
        let edges = steps.into_iter().map(|(label, to)| Edge { label, marks, to }).collect();
        automaton.edges.push(edges);
    }
    automaton.initial = vec![start];
    automaton.propositions =
        builder.propositions.iter().map(|proposition| proposition.text.clone()).collect();
    automaton.tidy(&mut builder.bdds);
    let Builder { bdds, propositions, order: locations, .. } = builder;
    Ok(ClaimAutomaton { automaton, bdds, propositions, locations })
}

struct Builder<'c> {
    claim: &'c ProcessType,
    bdds: Bdds,
    propositions: Vec<Proposition>,
    /// The state of each location that has been met.
    numbers: Vec<Option<State>>,
    order: Vec<Location>,
}

impl Builder<'_> {
    /// The state of a location: 0 if the claim ends there.
    fn state(&mut self, location: Location) -> State {
        let transitions =
            self.claim.locations.get(location as usize).map_or(&[][..], |info| &info.transitions);
        let ends =
            location == 0 || transitions.iter().any(|transition| matches!(transition.action, Action::End));
        if ends {
            return 0;
        }
        *self.numbers[location as usize].get_or_insert_with(|| {
            self.order.push(location);
            self.order.len() as State
        })
    }

    /// The condition as a function: a proposition of its own, unless it is a constant.
    fn condition(&mut self, condition: &Expr, transition: &Transition) -> Bdd {
        if let Expr::Constant(value) = condition {
            return if *value != 0 { Bdd::TRUE } else { Bdd::FALSE };
        }
        let known = self.propositions.iter().position(|proposition| proposition.value == *condition);
        let number = known.unwrap_or_else(|| {
            let text = self.claim.statements[transition.statement as usize].text.clone();
            let text = if self.propositions.iter().any(|proposition| proposition.text == text) {
                format!("{text} #{}", self.propositions.len())
            } else {
                text
            };
            self.propositions.push(Proposition { text, value: condition.clone() });
            self.propositions.len() - 1
        });
        self.bdds.variable(number as u32)
    }

    /// What the claim can do from a location in a state of which `read` is known.
    fn steps(
        &mut self,
        location: Location,
        read: Bdd,
        on_the_way: &mut Vec<Location>,
        steps: &mut Vec<(Bdd, State)>,
    ) -> Result<(), String> {
        // A circle inside `atomic` reads the same state for ever: it leads nowhere.
        if on_the_way.contains(&location) {
            return Ok(());
        }
        on_the_way.push(location);
        let claim = self.claim;
        let mut tried = Bdd::FALSE;
        for transition in &claim.locations[location as usize].transitions {
            let (executable, fails) = match &transition.action {
                Action::Skip | Action::Print { .. } => (Bdd::TRUE, Bdd::FALSE),
                Action::Else => (self.bdds.not(tried), Bdd::FALSE),
                Action::Guard(condition) => (self.condition(condition, transition), Bdd::FALSE),
                Action::Assert(condition) => {
                    let holds = self.condition(condition, transition);
                    (Bdd::TRUE, self.bdds.not(holds))
                }
                _ => {
                    let statement = &claim.statements[transition.statement as usize].text;
                    return Err(format!("a claim only watches; it cannot execute `{statement}`"));
                }
            };
            tried = self.bdds.or(tried, executable);
            let label = self.bdds.and(read, executable);
            let violating = self.bdds.and(label, fails);
            if !violating.is_false() {
                steps.push((violating, 0));
            }
            let goes_on = self.bdds.minus(label, fails);
            if goes_on.is_false() {
                continue;
            }
            let target = if transition.target == 0 { location } else { transition.target };
            if transition.keeps_control && self.state(target) != 0 {
                self.steps(target, goes_on, on_the_way, steps)?;
            } else {
                let to = self.state(target);
                steps.push((goes_on, to));
            }
        }
        on_the_way.pop();
        Ok(())
    }
}
