//! Merged statements: a process that comes to statements that concern nobody else executes them at once.
//!
//! A location is *private* if every statement there reads and writes nothing but variables of its own that
//! nobody else sees, cannot fail, and one of them can always be executed. Whoever comes to such a location
//! keeps control ([`Transition::keeps_control`]): the state in which it is there is not stored. The process
//! loses control as it would have done, at the statement after. Choices among private statements are no
//! obstacle.
//!
//! Why this keeps verdicts: a private statement can be moved to the front of whatever others do after the
//! process has come there. Nobody notices, as long as nobody sees the location that it leads to either. So
//! these are not private:
//!
//! - locations with `accept` or `progress` labels, those that somebody asks about, and those from which a
//!   step leads to such a one;
//! - those from which a step leads to a receive, if it matters to someone that a rendezvous fails: to an
//!   `else` or `unless` beside the send, or to an atomic sequence, which then loses control;
//! - those where an atomic sequence begins: others may act before it;
//! - those with escapes (`unless`), and all of a process type with a `provided` clause.
//!
//! A cycle of private locations keeps one of them as it is, or the process would go round for ever in one
//! step.

use super::accesses::{Part, each_part, stretch};
use super::watched::Watched;
use lariat_model::ir::*;
use std::ops::Range;

/// Why no statement of the model can be merged.
pub fn obstacle(model: &Model, watched: &Watched) -> Option<&'static str> {
    if model.features.priorities {
        Some("processes have priorities")
    } else if model.features.last {
        Some("the model uses `_last`")
    } else if watched.any_location {
        Some("the model uses `enabled` or `pc_value`")
    } else {
        None
    }
}

/// Lets processes go on where they come to private locations. How many transitions keep control now that did
/// not before.
pub fn merge(model: &mut Model, watched: &Watched) -> usize {
    let channels = Channels::of(model);
    let minds_failure = channels.minds_failure(model);
    let mut merged = 0;
    for (number, process) in model.process_types.iter_mut().enumerate() {
        if process.provided.is_some() {
            continue;
        }
        let look = Look {
            process,
            number: ProcessTypeId(number as u16),
            watched,
            channels: &channels,
            minds_failure,
        };
        let mut private: Vec<bool> = (0..process.locations.len()).map(|at| look.is_private(at)).collect();
        open_cycles(process, &mut private);
        for transition in process.locations.iter_mut().flat_map(|location| &mut location.transitions) {
            if private[transition.target as usize] && !transition.keeps_control {
                transition.keeps_control = true;
                merged += 1;
            }
        }
    }
    merged
}

/// What is known of channels before the run.
struct Channels {
    /// By number, less one: whether it is for rendezvous. Those that the globals hold were created first.
    first: Vec<bool>,
    /// Numbers of fields of all rendezvous channels.
    fields: Vec<usize>,
}

impl Channels {
    fn of(model: &Model) -> Channels {
        let is_rendezvous = |channel: &ChannelType| channel.capacity == 0;
        let first = model.initialise.iter().filter_map(|init| match init.value {
            InitialValue::NewChannel(ty) => Some(is_rendezvous(&model.channel_types[ty.0 as usize])),
            InitialValue::Expr(_) => None,
        });
        let fields = model.channel_types.iter().filter(|ty| is_rendezvous(ty)).map(|ty| ty.fields.len());
        Channels { first: first.collect(), fields: fields.collect() }
    }

    /// Whether a send or receive with so many arguments may be a rendezvous.
    fn may_be_rendezvous(&self, channel: &Expr, arguments: usize) -> bool {
        let known = match channel {
            Expr::Constant(number) => self.first.get((*number as usize).wrapping_sub(1)).copied(),
            _ => None,
        };
        known.unwrap_or_else(|| self.fields.contains(&arguments))
    }

    /// Whether it makes a difference to someone, beyond waiting, that nobody receives what is sent by
    /// rendezvous.
    fn minds_failure(&self, model: &Model) -> bool {
        let may_fail = |transition: &Transition| match &transition.action {
            Action::Send { channel, arguments, .. } => self.may_be_rendezvous(channel, arguments.len()),
            _ => false,
        };
        let is_choosy = |transition: &Transition| transition.action == Action::Else || transition.escape != 0;
        model.process_types.iter().any(|process| {
            let mut held = vec![false; process.locations.len()];
            for transition in process.locations.iter().flat_map(|location| &location.transitions) {
                held[transition.target as usize] |= transition.keeps_control;
            }
            process.locations.iter().zip(held).any(|(location, held)| {
                location.transitions.iter().any(may_fail)
                    && (held || location.transitions.iter().any(is_choosy))
            })
        })
    }
}

/// A process type, and what others see of it.
struct Look<'a> {
    process: &'a ProcessType,
    number: ProcessTypeId,
    watched: &'a Watched,
    channels: &'a Channels,
    minds_failure: bool,
}

impl Look<'_> {
    fn is_private(&self, at: usize) -> bool {
        let transitions = &self.process.locations[at].transitions;
        let always = |transition: &Transition| match &transition.action {
            Action::Skip | Action::Else | Action::Assign(..) | Action::Assert(_) | Action::Print { .. } => {
                true
            }
            Action::Guard(Expr::Constant(value)) => *value != 0,
            _ => false,
        };
        !self.is_seen(at)
            && transitions.iter().any(always)
            && transitions.iter().all(|transition| self.is_private_step(transition))
    }

    fn is_private_step(&self, transition: &Transition) -> bool {
        let concerns_nobody = match &transition.action {
            Action::Skip | Action::Else | Action::Print { .. } => true,
            Action::Guard(expr) | Action::Assert(expr) => self.is_private_value(expr),
            Action::Assign(place, expr) => self.is_private_value(expr) && self.is_private_place(place),
            _ => false,
        };
        let target = transition.target as usize;
        concerns_nobody
            && target != 0
            && !transition.keeps_control
            && transition.escape == 0
            && !self.is_seen(target)
            && !(self.minds_failure && self.may_receive_by_rendezvous(target))
    }

    /// Whether somebody may notice that a process is there.
    fn is_seen(&self, at: usize) -> bool {
        let location = &self.process.locations[at];
        location.accept || location.progress || self.watched.is_location(self.number, at as Location)
    }

    fn may_receive_by_rendezvous(&self, at: usize) -> bool {
        let receives = |action: &Action| match action {
            Action::Receive(receive) => {
                self.channels.may_be_rendezvous(&receive.channel, receive.arguments.len())
            }
            _ => false,
        };
        self.process.locations[at].transitions.iter().any(|transition| match &transition.action {
            Action::Program(program) => program.guards.iter().any(receives),
            action => receives(action),
        })
    }

    /// Depends on private variables only, and always has a value.
    fn is_private_value(&self, expr: &Expr) -> bool {
        let mut private = true;
        each_part(expr, &mut |part| {
            private &= match part {
                Part::Place(place) => self.is_private_place(place),
                Part::Expr(expr) => match expr {
                    Expr::Local { offset, storage } => self.is_unseen(&(*offset..*offset + storage.size())),
                    Expr::Binary(BinaryOperator::Divide | BinaryOperator::Remainder, operands) => {
                        matches!(operands.1, Expr::Constant(divisor) if divisor != 0)
                    }
                    Expr::Constant(_)
                    | Expr::Load(_)
                    | Expr::Unary(..)
                    | Expr::Binary(..)
                    | Expr::Conditional(_)
                    | Expr::Pid => true,
                    _ => false,
                },
            }
        });
        private
    }

    /// A variable that nobody else sees, with indices that are always in range.
    fn is_private_place(&self, place: &Place) -> bool {
        let fits = |index: &Index| match &index.value {
            Expr::Constant(value) => u32::try_from(*value).is_ok_and(|value| value < index.length),
            Expr::Local { offset, storage } => {
                self.is_unseen(&(*offset..*offset + storage.size()))
                    && matches!(storage, Storage::Unsigned(bits) if *bits < 32 && 1 << bits <= index.length)
            }
            _ => false,
        };
        match place.base {
            Base::Local => self.is_unseen(&stretch(place)) && place.indices.iter().all(fits),
            Base::Nowhere => place.indices.is_empty(),
            _ => false,
        }
    }

    fn is_unseen(&self, bytes: &Range<u32>) -> bool {
        let seen = &self.watched.variables[self.number.0 as usize];
        seen.iter().all(|seen| seen.end <= bytes.start || bytes.end <= seen.start)
    }
}

/// Takes locations out of the set until none of them can be reached from itself within it.
fn open_cycles(process: &ProcessType, private: &mut [bool]) {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        Not,
        Open,
        Done,
    }
    let mut visits = vec![Visit::Not; private.len()];
    for root in 0..private.len() {
        if !private[root] || visits[root] != Visit::Not {
            continue;
        }
        visits[root] = Visit::Open;
        let mut path = vec![(root, 0)];
        while let Some((at, next)) = path.last_mut() {
            let Some(transition) = process.locations[*at].transitions.get(*next) else {
                visits[*at] = Visit::Done;
                path.pop();
                continue;
            };
            *next += 1;
            let target = transition.target as usize;
            match visits[target] {
                _ if !private[target] => {}
                Visit::Open => private[target] = false,
                Visit::Not => {
                    visits[target] = Visit::Open;
                    path.push((target, 0));
                }
                Visit::Done => {}
            }
        }
    }
}
