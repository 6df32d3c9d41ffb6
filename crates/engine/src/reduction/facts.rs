//! What reduction knows of a model before it runs, and what can be told of values, places and channels.

use super::cells::CellMap;
use super::touch::Class;
use crate::constants::Constants;
use crate::footprint::Settled;
use crate::simplify::accesses::{Part, each_part};
use crate::writes::reach_of;
use lariat_model::ir::*;
use std::ops::Range;

/// What is known of the model.
pub struct Facts<'m> {
    pub model: &'m Model,
    pub constants: Constants,
    pub settled: Settled,
    pub cells: CellMap,
    /// By type: the bytes of variables that others read, and those that they write.
    pub read_by_others: Vec<Vec<bool>>,
    pub written_by_others: Vec<Vec<bool>>,
    /// By type and location: where a rendezvous of DVE, which is a step of another process, leads.
    pub moved_to: Vec<Vec<Vec<Location>>>,
    pub has_committed: bool,
    pub has_promises: bool,
    /// What a guard assures holds however often it is made use of. For tests: it does not.
    pub assures_again: bool,
}

impl<'m> Facts<'m> {
    pub fn new(model: &'m Model, constants: Constants) -> Facts<'m> {
        let settled = Settled::of(model);
        let cells = CellMap::new(model);
        let bytes = |process: &ProcessType| vec![false; process.variables_size as usize];
        let has_committed =
            model.process_types.iter().flat_map(|process| &process.locations).any(|info| info.committed);
        let mut facts = Facts {
            model,
            constants,
            settled,
            cells,
            read_by_others: model.process_types.iter().map(bytes).collect(),
            written_by_others: model.process_types.iter().map(bytes).collect(),
            moved_to: model.process_types.iter().map(|p| vec![Vec::new(); p.locations.len()]).collect(),
            has_committed,
            has_promises: model.process_types.iter().any(|process| !process.exclusive.is_empty()),
            assures_again: false,
        };
        facts.find_remote();
        facts
    }

    /// Finds out which variables of processes others look at.
    fn find_remote(&mut self) {
        let model = self.model;
        let mut reads = Vec::new();
        let mut look = |expr: &Expr, met: &[(u16, Location)]| {
            each_part(expr, &mut |part| {
                if let Part::Place(place) = part
                    && let Base::Remote { process, .. } = &place.base
                    && !is_met(place, met)
                {
                    reads.push((process.0 as usize, reach_of(place)));
                }
            });
        };
        let mut writes = Vec::new();
        let mut moves = Vec::new();
        for process in &model.process_types {
            process.provided.iter().for_each(|expr| look(expr, &[]));
            let assertions = process.locations.iter().flat_map(|info| &info.assertions);
            assertions.for_each(|assertion| look(&assertion.value, &[]));
            for transition in process.locations.iter().flat_map(|info| &info.transitions) {
                let met = met_by(&transition.action);
                transition.action.each_within(&mut |action| {
                    super::cells::each_expression(action, &mut |expr| look(expr, &met));
                    if let Action::MoveProcess { process, pid, location } = action {
                        let from = met.iter().filter(|(met, _)| met == pid).map(|(_, from)| *from);
                        moves.extend(from.map(|from| (process.0 as usize, from, *location)));
                    }
                });
                crate::writes::each_written(&transition.action, &mut |place| {
                    if let Base::Remote { process, .. } = &place.base
                        && !is_met(place, &met)
                    {
                        writes.push((process.0 as usize, reach_of(place)));
                    }
                });
            }
        }
        model.propositions.iter().for_each(|proposition| look(&proposition.value, &[]));
        let mark = |marks: &mut [bool], bytes: Range<usize>| {
            let end = bytes.end.min(marks.len());
            marks[bytes.start.min(end)..end].fill(true);
        };
        reads.into_iter().for_each(|(ty, bytes)| mark(&mut self.read_by_others[ty], bytes));
        writes.into_iter().for_each(|(ty, bytes)| mark(&mut self.written_by_others[ty], bytes));
        for (ty, from, to) in moves {
            if let Some(list) = self.moved_to[ty].get_mut(from as usize)
                && !list.contains(&to)
            {
                list.push(to);
            }
        }
    }

    /// Where a process may be after a step from a location, or within it, whoever takes the step.
    pub fn further(&self, ty: usize, location: Location) -> impl Iterator<Item = Location> {
        let transitions = &self.model.process_types[ty].locations[location as usize].transitions;
        let own = transitions.iter().filter(|transition| !waits_for_timeout(&transition.action));
        let own = own.filter(|transition| !matches!(transition.action, Action::End));
        let own = own.map(move |transition| target_from(location, transition));
        own.chain(self.moved_to[ty][location as usize].iter().copied())
    }

    /// By location of a type: whether a process may end, from there on.
    pub fn may_end(&self, ty: usize) -> Vec<bool> {
        let locations = &self.model.process_types[ty].locations;
        let ends = |transition: &Transition| matches!(transition.action, Action::End);
        let mut may_end: Vec<bool> = locations.iter().map(|info| info.transitions.iter().any(ends)).collect();
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); locations.len()];
        for (location, info) in locations.iter().enumerate() {
            let own = info.transitions.iter().map(|transition| target_from(location as Location, transition));
            for further in own.chain(self.moved_to[ty][location].iter().copied()) {
                before[further as usize].push(location);
            }
        }
        let mut waiting: Vec<usize> = (0..locations.len()).filter(|&location| may_end[location]).collect();
        while let Some(location) = waiting.pop() {
            for &earlier in &before[location] {
                if !std::mem::replace(&mut may_end[earlier], true) {
                    waiting.push(earlier);
                }
            }
        }
        may_end
    }

    /// The value of an expression, if it is known of a class.
    pub fn value(&self, class: &Class, expr: &Expr) -> Option<i32> {
        match expr {
            Expr::Pid => class.pid.map(i32::from),
            Expr::Local { offset, storage } => {
                let known = class.known.iter().find(|(at, kept, _)| (at, kept) == (offset, storage));
                known.map(|(_, _, value)| *value)
            }
            Expr::Load(place) if place.base == Base::Global => {
                let mut at = place.offset;
                for index in &place.indices {
                    let value = self.value(class, &index.value)?;
                    at += u32::try_from(value).ok().filter(|value| *value < index.length)? * index.stride;
                }
                self.constants.scalar(at, place.storage)
            }
            Expr::Load(place) if place.base == Base::Local && place.indices.is_empty() => {
                self.value(class, &Expr::Local { offset: place.offset, storage: place.storage })
            }
            Expr::Unary(operator, operand) => Some(operator.apply(self.value(class, operand)?)),
            Expr::Binary(operator, operands) => {
                let left = self.value(class, &operands.0)?;
                operator.decided_by(left).or_else(|| operator.apply(left, self.value(class, &operands.1)?))
            }
            Expr::Conditional(parts) => {
                let condition = self.value(class, &parts.0)?;
                self.value(class, if condition != 0 { &parts.1 } else { &parts.2 })
            }
            _ => self.constants.value(expr),
        }
    }

    /// The bytes that a place may be, from its base on. Indices that are known say more than the others.
    pub fn bytes_of(&self, class: &Class, place: &Place) -> Range<usize> {
        let (mut start, mut further) = (place.offset, 0);
        for index in &place.indices {
            let value = self.value(class, &index.value).and_then(|value| u32::try_from(value).ok());
            match value.filter(|value| *value < index.length) {
                Some(value) => start += value * index.stride,
                None => further += index.length.saturating_sub(1) * index.stride,
            }
        }
        start as usize..(start + further + place.storage.size()) as usize
    }

    /// The channels that an expression may name, as numbers less one; and the number, if there is just one.
    pub fn channels(&self, class: &Class, expr: &Expr) -> (Vec<usize>, Option<i32>) {
        let count = self.cells.groups.len();
        let created = self.cells.global_channels as usize..count;
        if let Some(number) = self.value(class, expr).filter(|number| *number > 0) {
            let place = number as usize - 1;
            // The last one stands for all that follow.
            return match place + 1 < count || place < created.start {
                true => (vec![place], Some(number)),
                false => (count.checked_sub(1).into_iter().collect(), None),
            };
        }
        let settled = |bytes: Range<usize>| {
            let marks = self.settled.of_type(class.ty).get(bytes);
            // One that it has created itself, if so.
            match marks.is_some_and(|marks| !marks.contains(&false)) {
                true => created.clone().collect(),
                false => (0..count).collect(),
            }
        };
        let meant: Vec<usize> = match expr {
            Expr::Local { offset, storage } => settled(*offset as usize..(*offset + storage.size()) as usize),
            Expr::Load(place) if place.base == Base::Local => settled(reach_of(place)),
            Expr::Load(place) if place.base == Base::Global => {
                self.elements(class, place).unwrap_or_else(|| (0..count).collect())
            }
            Expr::Conditional(parts) => {
                let mut meant = self.channels(class, &parts.1).0;
                meant.extend(self.channels(class, &parts.2).0);
                meant
            }
            _ => (0..count).collect(),
        };
        (meant, None)
    }

    /// How many messages a channel keeps, if that is known.
    pub fn capacity(&self, class: &Class, place: usize) -> Option<u32> {
        let known = class.capacities.iter().find(|(number, _)| *number as usize == place + 1);
        known.map_or(self.cells.groups[place].capacity, |(_, capacity)| Some(*capacity))
    }

    /// The channels in a global array, if none of its elements ever changes.
    fn elements(&self, class: &Class, place: &Place) -> Option<Vec<usize>> {
        let mut offsets = vec![place.offset];
        for index in &place.indices {
            let known = self.value(class, &index.value).and_then(|value| u32::try_from(value).ok());
            let elements = match known.filter(|value| *value < index.length) {
                Some(value) => value..value + 1,
                None => 0..index.length,
            };
            let starts = std::mem::take(&mut offsets);
            let stride = index.stride;
            offsets.extend(starts.iter().flat_map(|start| elements.clone().map(move |i| start + i * stride)));
        }
        let group = |at: u32| {
            let number = self.constants.scalar(at, place.storage)?;
            (1..=self.cells.global_channels).contains(&number).then(|| number as usize - 1)
        };
        offsets.into_iter().map(group).collect()
    }
}

/// Where a transition leads. Without a target, the process stays.
pub fn target_from(location: Location, transition: &Transition) -> Location {
    if transition.target == 0 { location } else { transition.target }
}

/// Whether an action is possible only where nothing else is.
pub fn waits_for_timeout(action: &Action) -> bool {
    fn implies(expr: &Expr) -> bool {
        match expr {
            Expr::Timeout => true,
            Expr::Binary(BinaryOperator::And, both) => implies(&both.0) || implies(&both.1),
            Expr::Binary(BinaryOperator::Or, both) => implies(&both.0) && implies(&both.1),
            _ => false,
        }
    }
    match action {
        Action::Guard(expr) => implies(expr),
        Action::Program(program) => {
            !program.guards.is_empty() && program.guards.iter().all(waits_for_timeout)
        }
        _ => false,
    }
}

/// The conditions that must all hold.
pub fn conjuncts<'e>(expr: &'e Expr, each: &mut dyn FnMut(&'e Expr)) {
    match expr {
        Expr::Binary(BinaryOperator::And, both) => {
            conjuncts(&both.0, each);
            conjuncts(&both.1, each);
        }
        _ => each(expr),
    }
}

/// The processes that a step waits for: with their numbers, each at a location.
pub fn met_by(action: &Action) -> Vec<(u16, Location)> {
    let mut met = Vec::new();
    let Action::Program(program) = action else { return met };
    let [Action::Guard(guard)] = program.guards.as_slice() else { return met };
    conjuncts(guard, &mut |expr| {
        if let Expr::RemoteLabel { pid: Some(pid), location, .. } = expr
            && let Expr::Constant(pid) = **pid
            && let Ok(pid) = u16::try_from(pid)
        {
            met.push((pid, *location));
        }
    });
    met
}

/// Whether a variable belongs to a process that the step waits for.
pub fn is_met(place: &Place, met: &[(u16, Location)]) -> bool {
    match &place.base {
        Base::Remote { pid: Some(pid), .. } => match **pid {
            Expr::Constant(pid) => met.iter().any(|(met, _)| i32::from(*met) == pid),
            _ => false,
        },
        _ => false,
    }
}
