//! What of a process others can see: by remote references, in statements, propositions and claims.
//!
//! A variable that is seen from outside matters at every location, and to write it is no private matter. The
//! same holds for what a promise about channels (`xr`, `xs`) or a `provided` clause reads: both are asked at
//! any time.

use super::accesses::{
    Access, Part, each_access, each_action, each_local, each_part, expressions_in, stretch,
};
use lariat_model::ir::*;
use std::collections::HashSet;
use std::ops::Range;

/// What can be seen from outside of the process that it concerns.
#[derive(Default)]
pub struct Watched {
    /// By process type: stretches of variables that matter at every location.
    pub variables: Vec<Vec<Range<u32>>>,
    /// Locations that somebody asks about, by process type.
    locations: HashSet<(ProcessTypeId, Location)>,
    /// Locations that somebody asks about without knowing the type.
    locations_of_any: HashSet<Location>,
    /// Some expression asks where a process is, or whether it could move.
    pub any_location: bool,
}

impl Watched {
    /// Looks at everything in the model that can ask.
    pub fn in_model(model: &Model) -> Watched {
        let mut watched =
            Watched { variables: vec![Vec::new(); model.process_types.len()], ..Watched::default() };
        for proposition in &model.propositions {
            watched.asked_by(&proposition.value);
        }
        let claims = model.claims.iter().map(|claim| &claim.automaton);
        for process in model.process_types.iter().chain(claims) {
            each_action(process, &mut |action| {
                each_access(action, &mut |access| match access {
                    Access::Reads(expr) => watched.asked_by(expr),
                    Access::Writes(place) => {
                        watched.place(place);
                        expressions_in(place).for_each(|expr| watched.asked_by(expr));
                    }
                });
            });
            let of_any_time =
                process.exclusive.iter().map(|exclusive| &exclusive.channel).chain(&process.provided);
            of_any_time.for_each(|expr| watched.asked_by(expr));
            for init in &process.initialise {
                if let InitialValue::Expr(expr) = &init.value {
                    watched.asked_by(expr);
                }
            }
        }
        for (process, variables) in model.process_types.iter().zip(&mut watched.variables) {
            let of_any_time =
                process.exclusive.iter().map(|exclusive| &exclusive.channel).chain(&process.provided);
            of_any_time.for_each(|expr| each_local(expr, &mut |stretch| variables.push(stretch)));
        }
        watched
    }

    /// Whether somebody asks if a process is at this location.
    pub fn is_location(&self, process: ProcessTypeId, location: Location) -> bool {
        self.any_location
            || self.locations_of_any.contains(&location)
            || self.locations.contains(&(process, location))
    }

    fn asked_by(&mut self, expr: &Expr) {
        each_part(expr, &mut |part| match part {
            Part::Place(place) => self.place(place),
            Part::Expr(Expr::Enabled(_) | Expr::LocationOf(_)) => self.any_location = true,
            // If a number is given, the type is not compared.
            Part::Expr(Expr::RemoteLabel { pid: Some(_), location, .. }) => {
                self.locations_of_any.insert(*location);
            }
            Part::Expr(Expr::RemoteLabel { pid: None, process, location }) => {
                self.locations.insert((*process, *location));
            }
            Part::Expr(_) => {}
        });
    }

    fn place(&mut self, place: &Place) {
        if let Base::Remote { process, .. } = &place.base
            && let Some(variables) = self.variables.get_mut(process.0 as usize)
        {
            variables.push(stretch(place));
        }
    }
}
