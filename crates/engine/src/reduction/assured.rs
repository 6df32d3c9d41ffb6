//! What the guard of an indivisible program assures, so that it need not be asked again.
//!
//! An exchange in the middle of a program (`d_step`) is asked whether it is possible, and what happens
//! depends on the answer: the program takes another way, or is in error. So it reads how many messages there
//! are, which both ends of the channel change. But the first exchange is the guard itself: `d_step { c?x; y =
//! x }`. It is possible whenever the step begins, and so touches no more than if it stood alone.
//!
//! *Why that is right.* A step begins only where its guard holds, and nobody else moves within it, so the
//! channel has its message, or its room, until the program uses it: if it does so at one place, to which it
//! comes once at most, the exchange is possible there. A program that comes to it again, by a jump, needs two
//! messages; that was overlooked once.
//!
//! *Rejected*: the same for atomic sequences that begin with `nempty(c)` or `nfull(c)`, where nobody stands
//! in the middle then. Of some 500 public models one had fewer states by it (252 rather than 258).

use super::facts::Facts;
use super::touch::Class;
use lariat_model::ir::*;

/// A send, or a receive of the oldest message, with a channel that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Exchange {
    usage: ChannelUse,
    /// Of this channel only.
    group: usize,
}

impl Facts<'_> {
    /// What an action exchanges, if it is known.
    pub(super) fn exchange(&self, class: &Class, action: &Action) -> Option<Exchange> {
        let (usage, channel) = match action {
            Action::Send { channel, .. } => (ChannelUse::Send, channel),
            Action::Receive(receive) if !receive.random => (ChannelUse::Receive, &receive.channel),
            _ => return None,
        };
        let (groups, number) = self.channels(class, channel);
        // Without a number it may be one of several.
        match (groups.as_slice(), number) {
            ([group], Some(_)) => Some(Exchange { usage, group: *group }),
            _ => None,
        }
    }

    /// The groups of channels that an action uses, with all that is within it; `None` if one of them may be a
    /// rendezvous.
    fn used_by(&self, class: &Class, action: &Action) -> Option<Vec<usize>> {
        let mut used = Vec::new();
        action.each_within(&mut |action| match action {
            Action::Send { channel, .. } => used.extend(self.channels(class, channel).0),
            Action::Receive(receive) => used.extend(self.channels(class, &receive.channel).0),
            _ => {}
        });
        let keeps = |group: &usize| self.capacity(class, *group).is_some_and(|capacity| capacity > 0);
        used.iter().all(keeps).then_some(used)
    }

    /// The exchange of an indivisible program that is possible whenever it begins, and its place: if the only
    /// guard is an exchange, the only one with that channel.
    pub(super) fn assured_in(&self, class: &Class, program: &Program) -> Option<(usize, Exchange)> {
        let [guard] = program.guards.as_slice() else { return None };
        let assured = self.exchange(class, guard)?;
        let mut using = Vec::new();
        for (place, action) in actions_of(program) {
            let groups = self.used_by(class, action)?;
            using.extend(groups.iter().filter(|&&group| group == assured.group).map(|_| place));
        }
        let further = |place: usize| match &program.nodes[place] {
            Node::Do { next, .. } | Node::Jump(next) => places_of([*next]),
            Node::Choose { options, .. } => places_of(options.iter().map(|option| option.next)),
        };
        let is_met_once = |place| self.assures_again || !reached(further(place), further).contains(&place);
        match *using {
            [place] if is_met_once(place) => Some((place, assured)),
            _ => None,
        }
    }
}

/// The actions of a program, each with its place.
pub(super) fn actions_of(program: &Program) -> impl Iterator<Item = (usize, &Action)> {
    program.nodes.iter().enumerate().flat_map(|(place, node)| {
        let (action, options) = match node {
            Node::Do { action, .. } => (Some(action), [].as_slice()),
            Node::Choose { options, .. } => (None, options.as_slice()),
            Node::Jump(_) => (None, [].as_slice()),
        };
        let guards = options.iter().filter_map(|option| option.guard.as_ref());
        action.into_iter().chain(guards).map(move |action| (place, action))
    })
}

fn places_of(nexts: impl IntoIterator<Item = Next>) -> Vec<usize> {
    let place = |next| match next {
        Next::Node(place) => Some(place as usize),
        Next::Exit => None,
    };
    nexts.into_iter().filter_map(place).collect()
}

/// All that can be reached from some places, with these.
fn reached<P: Copy + PartialEq>(mut places: Vec<P>, further: impl Fn(P) -> Vec<P>) -> Vec<P> {
    let mut next = 0;
    while let Some(&place) = places.get(next) {
        next += 1;
        for other in further(place) {
            if !places.contains(&other) {
                places.push(other);
            }
        }
    }
    places
}
