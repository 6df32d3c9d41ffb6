//! Which variables of a process say what it touches.
//!
//! An index that is known is one element of an array, a channel that is known is one channel. Who touches
//! what is asked about a state, in which all values are known; but of what a process will do later only those
//! values tell that do not change any more. So there are two lists for each location:
//!
//! - variables that tell something about what comes *later*: they are used as an index, or to name a channel
//!   or a process, somewhere from the location on, and nothing writes them from there on;
//! - further variables that tell something about what comes *now*: they are used so in the next step, and
//!   that step does not write them.

use super::facts::Facts;
use crate::simplify::accesses::{Part, each_part, expressions_in};
use crate::writes::{each_written, reach_of};
use lariat_model::ir::*;
use std::ops::Range;

/// A scalar of a process: where it is, how it is stored, and whether it is used to name a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    pub offset: u32,
    pub storage: Storage,
    pub is_channel: bool,
}

/// Some of the variables of a process.
pub type Variables = Vec<Variable>;

/// More variables than this are not looked at.
const MOST_VARIABLES: usize = 12;

/// By location of a process type: the variables that count later, and now.
pub fn variables_that_count(facts: &Facts, ty: usize) -> Vec<[Variables; 2]> {
    let process = &facts.model.process_types[ty];
    let count = process.locations.len();
    let used: Vec<Variables> = (0..count).map(|location| used_at(process, location)).collect();
    let written: Vec<Vec<Range<usize>>> = (0..count).map(|location| written_at(process, location)).collect();
    let by_others = |offset: u32, storage: Storage| {
        let bytes = offset as usize..(offset + storage.size()) as usize;
        facts.written_by_others[ty].get(bytes).is_none_or(|marks| marks.contains(&true))
    };
    let of_location = |location: usize| {
        let reachable = reachable(location, |from| facts.further(ty, from as Location).collect(), count);
        let step = reachable_in_step(process, location);
        let list = |places: &[usize], besides: &[Variable]| {
            let mut list: Variables = Vec::new();
            for &variable in places.iter().flat_map(|&place| &used[place]) {
                let Variable { offset, storage, .. } = variable;
                let bytes = offset as usize..(offset + storage.size()) as usize;
                let overlaps = |range: &Range<usize>| range.start < bytes.end && bytes.start < range.end;
                let is_written = places.iter().any(|&place| written[place].iter().any(overlaps));
                let is_new = !list.contains(&variable) && !besides.contains(&variable);
                if is_new && !is_written && !by_others(offset, storage) && list.len() < MOST_VARIABLES {
                    list.push(variable);
                }
            }
            list.sort_by_key(|variable| (variable.offset, variable.is_channel));
            list
        };
        let later = list(&reachable, &[]);
        let now = list(&step, &later);
        [later, now]
    };
    (0..count).map(of_location).collect()
}

/// The locations that can be reached from one, with itself.
fn reachable(first: usize, further: impl Fn(usize) -> Vec<Location>, count: usize) -> Vec<usize> {
    let mut seen = vec![false; count];
    let mut list = vec![first];
    seen[first] = true;
    let mut next = 0;
    while let Some(&location) = list.get(next) {
        next += 1;
        for to in further(location) {
            if !std::mem::replace(&mut seen[to as usize], true) {
                list.push(to as usize);
            }
        }
    }
    list.sort_unstable();
    list
}

/// The locations that a step from one may pass before it gives control away, with itself.
fn reachable_in_step(process: &ProcessType, first: usize) -> Vec<usize> {
    let further = |location: usize| {
        let transitions = process.locations[location].transitions.iter();
        let kept = transitions.filter(|transition| transition.keeps_control);
        kept.map(|transition| super::facts::target_from(location as Location, transition)).collect()
    };
    reachable(first, further, process.locations.len())
}

/// The variables that say, at a location, which element, channel or process is meant.
fn used_at(process: &ProcessType, location: usize) -> Variables {
    let mut list = Variables::new();
    let mut add = |expr: &Expr, names_channel: bool| {
        each_part(expr, &mut |part| {
            let (offset, storage) = match part {
                Part::Expr(Expr::Local { offset, storage }) => (*offset, *storage),
                Part::Place(place) if place.base == Base::Local && place.indices.is_empty() => {
                    (place.offset, place.storage)
                }
                _ => return,
            };
            let is_channel = names_channel && matches!(expr, Expr::Local { .. } | Expr::Load(_));
            let variable = Variable { offset, storage, is_channel };
            if !list.contains(&variable) {
                list.push(variable);
            }
        });
    };
    let mut within = |expr: &Expr| {
        each_part(expr, &mut |part| match part {
            Part::Place(place) => expressions_in(place).for_each(|expr| add(expr, false)),
            Part::Expr(Expr::Len(channel) | Expr::Test(_, channel)) => add(channel, true),
            Part::Expr(Expr::Poll(receive)) => add(&receive.channel, true),
            Part::Expr(_) => {}
        });
    };
    let mut channels = Vec::new();
    let mut places = Vec::new();
    for transition in &process.locations[location].transitions {
        transition.action.each_within(&mut |action| {
            super::cells::each_expression(action, &mut within);
            match action {
                Action::Send { channel, .. } => channels.push(channel),
                Action::Receive(receive) => channels.push(&receive.channel),
                Action::Program(program) => {
                    for guard in &program.guards {
                        match guard {
                            Action::Send { channel, .. } => channels.push(channel),
                            Action::Receive(receive) => channels.push(&receive.channel),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        });
        each_written(&transition.action, &mut |place| places.push(place.clone()));
    }
    process.provided.iter().for_each(&mut within);
    channels.into_iter().for_each(|channel| add(channel, true));
    places.iter().flat_map(expressions_in).for_each(|expr| add(expr, false));
    // Who ends takes channels along, and promises: which ones, its variables say.
    if process.locations[location].transitions.iter().any(|t| matches!(t.action, Action::End)) {
        process.exclusive.iter().for_each(|exclusive| add(&exclusive.channel, true));
        for init in &process.initialise {
            if matches!(init.value, InitialValue::NewChannel(_)) {
                let (offset, storage) = (init.place.offset, init.place.storage);
                add(&Expr::Local { offset, storage }, true);
            }
        }
    }
    list
}

/// The variables of a process that its steps from a location write.
fn written_at(process: &ProcessType, location: usize) -> Vec<Range<usize>> {
    let mut list = Vec::new();
    for transition in &process.locations[location].transitions {
        each_written(&transition.action, &mut |place| {
            if place.base == Base::Local {
                list.push(reach_of(place));
            }
        });
        let target = super::facts::target_from(location as Location, transition);
        let dead = process.locations[target as usize].dead.iter();
        list.extend(dead.map(|dead| dead.start as usize..dead.end as usize));
    }
    list
}
