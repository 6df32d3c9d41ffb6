//! Whom a run must treat fairly, where that is not simply every process: statements, or some processes.
//!
//! A *unit* is a process, or a statement of a process. [`UnitRules`] say which there are; a [`UnitTable`]
//! gives them numbers when they are met first, so that sets of units are sets of numbers (a [`ProcessSet`]
//! again, at most [`MAX_UNITS`] of them). A buffer with such a table ([`Successors::asking_for_units`]) tells
//! the units that take part in a step instead of the processes: the interpreter knows the steps. Where two
//! ways through an indivisible sequence lead to the same state by other statements, they are told apart.
//!
//! [`Successors::asking_for_units`]: crate::Successors::asking_for_units

use crate::process_set::ProcessSet;
use crate::successors::Step;
use lariat_model::ir::{Action, Location, LocationInfo as At, MAX_PROCESSES, Model, Transition};
use rustc_hash::FxHashMap;

/// The most units that a table can number.
pub const MAX_UNITS: usize = MAX_PROCESSES;

/// What is treated fairly as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnitKind {
    /// A process, whatever it does.
    #[default]
    Process,
    /// Every statement of a process: a transition.
    Statement,
}

/// Units by name: `P`, `P[2]`, `P@label`, `P[2]@label`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitName {
    /// Index into [`Model::process_types`].
    pub process_type: u16,
    /// This process only.
    pub pid: Option<u16>,
    /// Only the statements that leave this location.
    pub location: Option<Location>,
}

impl UnitName {
    fn has(self, pid: u16, process_type: u16) -> bool {
        self.process_type == process_type && self.pid.is_none_or(|named| named == pid)
    }
}

/// Which units there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnitRules {
    /// Of those that are not named with a label.
    pub kind: UnitKind,
    /// Only these; all, if none is named.
    pub fair_to: Vec<UnitName>,
    /// Not these.
    pub unfair_to: Vec<UnitName>,
}

impl UnitRules {
    /// Whether every process is a unit, and nothing else.
    pub fn is_every_process(&self) -> bool {
        *self == UnitRules::default()
    }

    /// Whether some unit is a statement.
    pub fn has_statements(&self) -> bool {
        self.kind == UnitKind::Statement || self.fair_to.iter().any(|name| name.location.is_some())
    }

    /// Whether the process is a unit of its own.
    fn has_process(&self, pid: u16, process_type: u16) -> bool {
        let named = |names: &[UnitName]| {
            names.iter().any(|name| name.has(pid, process_type) && name.location.is_none())
        };
        self.kind == UnitKind::Process
            && (self.fair_to.is_empty() || named(&self.fair_to))
            && !named(&self.unfair_to)
    }

    /// Whether the statements of a process that leave a location are units of their own.
    fn has_statements_at(&self, pid: u16, process_type: u16, location: Location) -> bool {
        let named = |names: &[UnitName], whole: bool| {
            names.iter().any(|name| {
                name.has(pid, process_type) && name.location.map_or(whole, |named| named == location)
            })
        };
        let whole = self.kind == UnitKind::Statement;
        (self.fair_to.is_empty() && whole || named(&self.fair_to, whole)) && !named(&self.unfair_to, true)
    }
}

/// A unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// The process with this number.
    Process(u16),
    /// A transition of the process with this number.
    Statement {
        /// The number of the process.
        pid: u16,
        /// Index into [`Model::process_types`].
        process_type: u16,
        /// Where it begins.
        location: Location,
        /// Index into the location's transitions.
        transition: u32,
    },
}

/// The units that were met, by number.
#[derive(Clone, Debug, Default)]
pub struct UnitTable {
    rules: UnitRules,
    /// Per process type and location: how many statements leave it.
    statements: Vec<Vec<u32>>,
    list: Vec<Unit>,
    numbers: FxHashMap<Unit, u16>,
    is_full: bool,
}

impl UnitTable {
    /// No unit was met yet.
    pub fn new(rules: UnitRules, model: &Model) -> UnitTable {
        // The end of a process is no statement.
        let is_statement = |transition: &&Transition| !matches!(transition.action, Action::End);
        let at = |at: &At| at.transitions.iter().filter(is_statement).count() as u32;
        let statements = model.process_types.iter().map(|process| process.locations.iter().map(at).collect());
        UnitTable { rules, statements: statements.collect(), ..UnitTable::default() }
    }

    /// The units, by number.
    pub fn list(&self) -> &[Unit] {
        &self.list
    }

    /// Has met these units, in this order.
    pub fn meet(&mut self, units: &[Unit], is_full: bool) {
        units.iter().for_each(|unit| self.insert(*unit, &mut ProcessSet::default()));
        self.is_full = is_full;
    }

    /// Whether there were more than can be numbered: sets are not complete then.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    fn insert(&mut self, unit: Unit, set: &mut ProcessSet) {
        let count = self.list.len();
        let number = match self.numbers.get(&unit) {
            Some(number) => *number,
            None if count == MAX_UNITS => {
                self.is_full = true;
                return;
            }
            None => {
                self.list.push(unit);
                self.numbers.insert(unit, count as u16);
                count as u16
            }
        };
        set.insert(number);
    }

    /// Adds the units that take part in a step.
    pub fn add_step(&mut self, step: &Step, set: &mut ProcessSet) {
        let &Step { pid, process_type, location, transition } = step;
        self.add_process(pid, process_type, set);
        if self.rules.has_statements_at(pid, process_type, location) {
            self.insert(Unit::Statement { pid, process_type, location, transition }, set);
        }
    }

    /// Adds a process, if it is a unit.
    pub fn add_process(&mut self, pid: u16, process_type: u16, set: &mut ProcessSet) {
        if self.rules.has_process(pid, process_type) {
            self.insert(Unit::Process(pid), set);
        }
    }

    /// Adds all units of a process, whether or not they can do anything.
    pub fn add_all_of(&mut self, pid: u16, process_type: u16, set: &mut ProcessSet) {
        self.add_process(pid, process_type, set);
        if !self.rules.has_statements() {
            return;
        }
        for location in 0..self.statements[process_type as usize].len() {
            let statements = self.statements[process_type as usize][location];
            let location = location as Location;
            if self.rules.has_statements_at(pid, process_type, location) {
                for transition in 0..statements {
                    self.insert(Unit::Statement { pid, process_type, location, transition }, set);
                }
            }
        }
    }
}
