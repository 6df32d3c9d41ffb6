//! Promises about channels (`xr`, `xs`), as far as they can be told without the interpreter.
//!
//! The interpreter asks, before every send and receive, all processes what they have promised
//! (`interpreter/exclusive.rs`): that is the meaning, and slow. Nearly always a promise names a channel that
//! the promising process has had since its creation: a global that never changes, or a variable of its own
//! that no statement writes and that is dead nowhere. Then a table says who owns which channel. It changes
//! only when a process is created or ends, and not in the middle of a rendezvous.
//!
//! Two things may be known besides:
//!
//! - *They are kept.* Which processes can ever exist is listed, with the channels that they are given when
//!   they are created; a statement that may create several is listed twice. If none of them promises, sends
//!   to or receives from a channel that another one has promised, nothing need be checked. What is not known
//!   (a channel from a message, say) counts as every channel.
//! - *They follow from the shape*, if every such variable is settled ([`Settled`]). Whether a process breaks
//!   a promise follows then from the shape and from what the process looks at.
//!
//! In both cases steps may be remembered. Otherwise not: which channel a parameter holds is to be seen in the
//! frame of the process alone, which others do not look at.

use crate::constants::Constants;
use crate::footprint::{Settled, mark};
use crate::interpreter::scalar_at;
use crate::writes::{each_written, reach_of};
use lariat_model::ir::*;

/// The channel that a process has promised something about, while it lives.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Promised {
    /// The one with this number.
    Channel(i32),
    /// The one in a variable, so many bytes behind the first.
    Variable(u32, Storage),
}

/// The promises of a model.
#[derive(Clone, Debug)]
pub struct Promises {
    /// By process type. `None` if something else than [`Promised`] decides.
    types: Option<Vec<Vec<(ChannelUse, Promised)>>>,
    /// There are some, and some process may break one.
    need_checks: bool,
    follow_from_shape: bool,
}

impl Promises {
    /// Those of a model.
    pub fn of(model: &Model, constants: &Constants, settled: &Settled) -> Promises {
        if model.process_types.iter().all(|process| process.exclusive.is_empty()) {
            let types = vec![Vec::new(); model.process_types.len()];
            return Promises { types: Some(types), need_checks: false, follow_from_shape: true };
        }
        let steady = Steady::of(model);
        let mut follow_from_shape = true;
        let mut promised = |ty: usize, promise: &Exclusive| {
            if let Some(number) = constants.value(&promise.channel) {
                return Some((promise.usage, Promised::Channel(number)));
            }
            let Expr::Local { offset, storage } = promise.channel else { return None };
            follow_from_shape &= all_of(settled.of_type(ty), offset, storage);
            steady
                .is_steady(ty, offset, storage)
                .then_some((promise.usage, Promised::Variable(offset, storage)))
        };
        let types = model.process_types.iter().enumerate().map(|(ty, process)| {
            process.exclusive.iter().map(|promise| promised(ty, promise)).collect::<Option<Vec<_>>>()
        });
        let types = types.collect::<Option<Vec<_>>>();
        let need_checks = !are_kept(model, constants, &steady);
        Promises { follow_from_shape: follow_from_shape && types.is_some(), types, need_checks }
    }

    /// Whether some process may break one.
    pub fn need_checks(&self) -> bool {
        self.need_checks
    }

    /// Whether [`Promises::each`] tells everything.
    pub fn are_known(&self) -> bool {
        self.types.is_some()
    }

    /// Whether a step that breaks one does so in every state of the same shape in which the process sees the
    /// same.
    pub fn allow_recall(&self) -> bool {
        !self.need_checks || self.follow_from_shape
    }

    /// Shows what a process of the type has promised: of which use, and about which channel. Its variables
    /// begin at `variables` in the working state.
    #[inline]
    pub fn each(&self, ty: usize, bytes: &[u8], variables: usize, mut each: impl FnMut(ChannelUse, i32)) {
        for (usage, promised) in self.types.as_ref().map_or(&[][..], |types| &types[ty]) {
            each(
                *usage,
                match promised {
                    Promised::Channel(number) => *number,
                    Promised::Variable(offset, storage) => {
                        scalar_at(bytes, variables + *offset as usize, *storage)
                    }
                },
            );
        }
    }
}

/// By process type: which bytes of the variables stay what they were when the process was created.
struct Steady(Vec<Vec<bool>>);

impl Steady {
    fn of(model: &Model) -> Steady {
        let mut types: Vec<Vec<bool>> =
            model.process_types.iter().map(|process| vec![true; process.variables_size as usize]).collect();
        for (ty, process) in model.process_types.iter().enumerate() {
            let locations = process.locations.iter();
            let dead = locations.clone().flat_map(|location| &location.dead);
            dead.for_each(|dead| mark(&mut types[ty], dead.start as usize..dead.end as usize, false));
            for transition in locations.flat_map(|location| &location.transitions) {
                each_written(&transition.action, &mut |place| match &place.base {
                    Base::Local => mark(&mut types[ty], reach_of(place), false),
                    Base::Remote { process, .. } => {
                        mark(&mut types[process.0 as usize], reach_of(place), false)
                    }
                    Base::Global | Base::Priority | Base::Nowhere => {}
                });
            }
        }
        Steady(types)
    }

    fn is_steady(&self, ty: usize, offset: u32, storage: Storage) -> bool {
        all_of(&self.0[ty], offset, storage)
    }
}

/// Whether all bytes of a variable are marked.
fn all_of(marks: &[bool], offset: u32, storage: Storage) -> bool {
    let bytes = offset as usize..(offset + storage.size()) as usize;
    marks.get(bytes).is_some_and(|marks| !marks.contains(&false))
}

/// A process that may exist: its type, and the channels in its parameters, as far as they are known.
struct Possible {
    ty: usize,
    /// By offset.
    parameters: Vec<(u32, Storage, i32)>,
}

/// Whether no process can break a promise, whatever happens.
fn are_kept(model: &Model, constants: &Constants, steady: &Steady) -> bool {
    let possible = possible_processes(model, constants);
    let uses: Vec<Uses> =
        possible.iter().map(|process| Uses::of(process, model, constants, steady)).collect();
    uses.iter().enumerate().all(|(i, owner)| {
        let others = uses.iter().enumerate().filter(|(j, _)| *j != i);
        others.flat_map(|(_, other)| other.promises.iter().chain(&other.statements)).all(|used| {
            let differs = |promise: &Use| match (promise.channel, used.channel) {
                (Some(promised), Some(used)) => promised != used,
                _ => false,
            };
            owner.promises.iter().all(|promise| promise.usage != used.usage || differs(promise))
        })
    })
}

/// What can be done to a channel; to any if it is not known.
struct Use {
    usage: ChannelUse,
    channel: Option<i32>,
}

/// What a process promises, and what it does.
struct Uses {
    promises: Vec<Use>,
    statements: Vec<Use>,
}

impl Uses {
    fn of(process: &Possible, model: &Model, constants: &Constants, steady: &Steady) -> Uses {
        let ty = &model.process_types[process.ty];
        let channel = |expr: &Expr| match expr {
            Expr::Local { offset, storage } => {
                let mut given = process.parameters.iter();
                let known = given.find(|(at, same, _)| (at, same) == (offset, storage));
                known.filter(|_| steady.is_steady(process.ty, *offset, *storage)).map(|(.., value)| *value)
            }
            _ => constants.value(expr),
        };
        let transitions = ty.locations.iter().flat_map(|location| &location.transitions);
        // Only what stands by itself is checked, not what is done in the middle of a program.
        let statements = transitions.filter_map(|transition| match &transition.action {
            Action::Send { channel: to, .. } => Some(Use { usage: ChannelUse::Send, channel: channel(to) }),
            Action::Receive(receive) => {
                Some(Use { usage: ChannelUse::Receive, channel: channel(&receive.channel) })
            }
            _ => None,
        });
        let promises = ty
            .exclusive
            .iter()
            .map(|promise| Use { usage: promise.usage, channel: channel(&promise.channel) });
        Uses { promises: promises.collect(), statements: statements.collect() }
    }
}

/// All processes that may ever exist. Where there may be several of a kind, two stand for all.
fn possible_processes(model: &Model, constants: &Constants) -> Vec<Possible> {
    let mut possible: Vec<Possible> = Vec::new();
    for start in &model.start {
        let ty = start.process.0 as usize;
        possible.push(Possible { ty, parameters: given(&model.process_types[ty], |_| Some(0)) });
    }
    for (creator, process) in model.process_types.iter().enumerate() {
        let once = exists_once(model, creator);
        for (from, location) in (0..).zip(&process.locations) {
            if once && !is_reachable(process, process.start, from) {
                continue;
            }
            for transition in &location.transitions {
                let once = once
                    && matches!(transition.action, Action::Run { .. })
                    && !is_reachable(process, transition.target, from);
                transition.action.each_within(&mut |action| {
                    let Action::Run { process, arguments, .. } = action else { return };
                    let ty = process.0 as usize;
                    let value = |k: usize| constants.value(arguments.get(k)?);
                    for _ in 0..if once { 1 } else { 2 } {
                        possible.push(Possible { ty, parameters: given(&model.process_types[ty], value) });
                    }
                });
            }
        }
    }
    possible
}

/// The parameters that are known, if all of them are scalars.
fn given(process: &ProcessType, value: impl Fn(usize) -> Option<i32>) -> Vec<(u32, Storage, i32)> {
    let parameters = &process.variables[..process.parameters as usize];
    let mut known = Vec::new();
    for (k, parameter) in parameters.iter().enumerate() {
        let (Type::Scalar { storage, .. }, None) = (&parameter.ty, parameter.length) else {
            return Vec::new();
        };
        let bytes = parameter.offset as usize..(parameter.offset + storage.size()) as usize;
        let is_written = process.initialise.iter().any(|init| {
            let reach = reach_of(&init.place);
            reach.start < bytes.end && bytes.start < reach.end
        });
        // No number that is changed when it is stored.
        let fits = |value: &i32| matches!(storage, Storage::Unsigned(8..)) && (0..=255).contains(value);
        if let Some(value) = value(k).filter(fits).filter(|_| !is_written) {
            known.push((parameter.offset, *storage, value));
        }
    }
    known
}

/// Whether there is one process of the type at the start, and never another one, and nobody moves it.
fn exists_once(model: &Model, ty: usize) -> bool {
    let mut once = model.start.iter().filter(|start| start.process.0 as usize == ty).count() == 1;
    let locations = model.process_types.iter().flat_map(|process| &process.locations);
    for transition in locations.flat_map(|location| &location.transitions) {
        transition.action.each_within(&mut |action| match action {
            Action::Run { process, .. } | Action::MoveProcess { process, .. } => {
                once &= process.0 as usize != ty;
            }
            _ => {}
        });
    }
    once
}

/// Whether a process of the type may get from one location to another.
fn is_reachable(process: &ProcessType, from: Location, to: Location) -> bool {
    let mut reached = vec![false; process.locations.len()];
    let mut pending = vec![from];
    while let Some(location) = pending.pop() {
        if location == to {
            return true;
        }
        let Some(seen) = reached.get_mut(location as usize) else { continue };
        if !std::mem::replace(seen, true) {
            let transitions = &process.locations[location as usize].transitions;
            pending.extend(transitions.iter().map(|transition| transition.target));
        }
    }
    false
}
