//! A product in a checkpoint: the tables of the model, the states, and what else it has met.
//!
//! Which states accept follows from the states. If the successors of some state are not all there, because a
//! step was cut short, nothing is written: what is missing would be missing for ever. (Where everybody must
//! take part again and again, runs inside of endless sequences count as missing, too; these do not come back
//! either way.)

use super::{Away, LostRun, ModelProduct, Numbering, Reading, number};
use crate::checkpoint::{
    Reader, Unreadable, Writer, load_states, load_violation, save_states, save_violation,
};
use crate::emptiness::MarkSet;
use crate::fairness::Fairness;
use lariat_engine::units::{Unit, UnitTable};
use lariat_engine::{ProcessSet, SuccessorFunction};
use lariat_store::StateStore;

impl<M: SuccessorFunction, S: StateStore, K: MarkSet> ModelProduct<'_, M, S, K> {
    pub(super) fn save_parts(&self, out: &mut Writer) -> Result<(), &'static str> {
        if self.cut && !matches!(self.marks.rules.fairness, Some((Fairness::Unconditional, _))) {
            return Err("successors of a state are missing: a step was cut short");
        }
        self.model.tell_tables(&mut |number| out.number(number));
        save_states(&self.numbering.store, out);
        out.flag(self.cut);
        out.flag(self.too_few_units);
        out.number(self.away.len() as u64);
        for set in self.away.iter().flat_map(|away| [away.movers, away.for_ever]) {
            save_set(set, out);
        }
        match &self.lost {
            None => out.number(0),
            Some(lost) => {
                let (kind, violation) = match lost {
                    LostRun::Start(violation) => (1, violation),
                    LostRun::Step(violation) => (2, violation),
                    LostRun::Proposition(violation) => (3, violation),
                };
                out.number(kind);
                save_violation(violation, out);
            }
        }
        let units = self.units().map_or(&[][..], UnitTable::list);
        out.flag(self.units().is_some_and(UnitTable::is_full));
        out.number(units.len() as u64);
        units.iter().for_each(|unit| save_unit(unit, out));
        Ok(())
    }

    pub(super) fn load_parts(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        let Numbering { property, store, sizes, accepting, .. } = &mut self.numbering;
        load_states(store, from, |id, state| {
            let reading = number(&state[state.len().saturating_sub(sizes.property)..]);
            let reading = Reading::from_number(reading, property.states());
            if property.accepting[reading.state as usize] {
                accepting.set(id);
            }
        })?
        .must_be_same()?;
        self.cut = from.flag()?;
        self.too_few_units = from.flag()?;
        for _ in 0..from.number()? {
            self.away.push(Away { movers: load_set(from)?, for_ever: load_set(from)? });
        }
        self.lost = match from.number()? {
            0 => None,
            1 => Some(LostRun::Start(load_violation(from)?)),
            2 => Some(LostRun::Step(load_violation(from)?)),
            _ => Some(LostRun::Proposition(load_violation(from)?)),
        };
        let is_full = from.flag()?;
        let count = from.number()?;
        let units: Result<Vec<Unit>, Unreadable> = (0..count).map(|_| load_unit(from)).collect();
        let units = units?;
        match self.out.units_mut() {
            Some(table) => table.meet(&units, is_full),
            None if units.is_empty() => {}
            None => return Err(Unreadable::damaged()),
        }
        Ok(())
    }
}

fn save_set(set: ProcessSet, out: &mut Writer) {
    set.words().into_iter().for_each(|word| out.number(word));
}

fn load_set(from: &mut Reader) -> Result<ProcessSet, Unreadable> {
    let mut set = ProcessSet::default();
    for k in 0..set.words().len() {
        let word = from.number()?;
        (0..64).filter(|bit| word >> bit & 1 == 1).for_each(|bit| set.insert((64 * k + bit) as u16));
    }
    Ok(set)
}

fn save_unit(unit: &Unit, out: &mut Writer) {
    match *unit {
        Unit::Process(pid) => [0, u64::from(pid), 0, 0, 0],
        Unit::Statement { pid, process_type, location, transition } => {
            [1, u64::from(pid), u64::from(process_type), u64::from(location), u64::from(transition)]
        }
    }
    .into_iter()
    .for_each(|number| out.number(number));
}

fn load_unit(from: &mut Reader) -> Result<Unit, Unreadable> {
    let is_statement = from.flag()?;
    let (pid, process_type) = (from.small()? as u16, from.small()? as u16);
    let (location, transition) = (from.small()?, from.small()?);
    Ok(match is_statement {
        true => Unit::Statement { pid, process_type, location, transition },
        false => Unit::Process(pid),
    })
}
