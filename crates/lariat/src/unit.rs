//! Units: to whom fairness is owed. The actions of a model name them; here they get numbers.
//!
//! A transition has a set of units, those that take part in it. There are few different sets, so a transition
//! keeps the number of its set ([`UnitSet`]): four bytes, and only if fairness is asked for.

use crate::Model;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use std::borrow::Cow;
use std::fmt::{self, Debug};

/// Somebody to whom runs are fair: a process, a thread, a message, whatever takes part in actions
/// ([`Model::units_of`]).
///
/// It is made from a number or from text; reports show that. A number and a text are two units, also if they
/// look the same.
///
/// ```
/// use lariat::Unit;
///
/// assert_eq!(Unit::from("sender").to_string(), "sender");
/// assert_eq!(Unit::from(7_usize).to_string(), "7");
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Unit(Name);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Name {
    Number(u64),
    Text(Cow<'static, str>),
}

impl Unit {
    /// The kind of an action, as [`Model::units_of`] has it unless you say otherwise. It is read from how
    /// `Debug` writes the action: of an `enum` the variant, of a `struct` its name, without the fields; any
    /// other value is a kind of its own.
    ///
    /// ```
    /// use lariat::Unit;
    ///
    /// #[derive(Debug)]
    /// enum Action { Tick, Send(u8), Deliver { to: u8 } }
    ///
    /// assert_eq!(Unit::kind_of(&Action::Tick), Unit::from("Tick"));
    /// assert_eq!(Unit::kind_of(&Action::Send(1)), Unit::kind_of(&Action::Send(2)));
    /// assert_eq!(Unit::kind_of(&Action::Deliver { to: 3 }), Unit::from("Deliver"));
    /// assert_eq!(Unit::kind_of(&"press (twice)"), Unit::from("press (twice)"));
    /// assert_eq!(Unit::kind_of(&(1, 2)), Unit::from("(1, 2)"));
    /// ```
    pub fn kind_of(action: &impl Debug) -> Unit {
        let mut text = format!("{action:?}");
        let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        let rest = &text[end..];
        if end > 0 && (rest.starts_with('(') || rest.starts_with(" {")) {
            text.truncate(end);
        } else if let Some(inside) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            text = inside.to_string();
        }
        Unit::from(text)
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Name::Number(number) => write!(f, "{number}"),
            Name::Text(text) => f.write_str(text),
        }
    }
}

impl Debug for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Unit({self})")
    }
}

impl From<&'static str> for Unit {
    fn from(text: &'static str) -> Unit {
        Unit(Name::Text(Cow::Borrowed(text)))
    }
}

impl From<String> for Unit {
    fn from(text: String) -> Unit {
        Unit(Name::Text(Cow::Owned(text)))
    }
}

macro_rules! from_numbers {
    ($($number:ty),*) => {
        $(impl From<$number> for Unit {
            fn from(number: $number) -> Unit {
                Unit(Name::Number(number as u64))
            }
        })*
    };
}

from_numbers!(u8, u16, u32, u64, usize);

/// The number of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct UnitNumber(pub u32);

/// The number of a set of units.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct UnitSet(pub u32);

/// The units that have been met, or those that the model lists; and the sets of those that take part in
/// actions.
pub(crate) struct UnitTable {
    units: IndexSet<Unit, FxBuildHasher>,
    /// The model has said which units there are.
    listed: bool,
    /// Each in ascending order.
    sets: IndexSet<Box<[UnitNumber]>, FxBuildHasher>,
    /// Named by an action, and not among those that the model lists.
    unlisted: Option<Unit>,
    buffer: Vec<Unit>,
}

impl UnitTable {
    pub fn of<M: Model>(model: &M) -> UnitTable {
        let listed = model.all_units();
        UnitTable {
            listed: listed.is_some(),
            units: listed.into_iter().flatten().collect(),
            sets: IndexSet::default(),
            unlisted: None,
            buffer: Vec::new(),
        }
    }

    pub fn is_listed(&self) -> bool {
        self.listed
    }

    /// How many units there are, as far as is known.
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// The units, by number.
    pub fn units(&self) -> impl Iterator<Item = &Unit> {
        self.units.iter()
    }

    pub fn unlisted(&self) -> Option<&Unit> {
        self.unlisted.as_ref()
    }

    /// Those from a number on, in the order of their numbers.
    pub fn sets_from(&self, first: usize) -> impl Iterator<Item = &[UnitNumber]> {
        self.sets.iter().skip(first).map(|set| &**set)
    }

    /// Notes who takes part in an action.
    pub fn note<M: Model>(&mut self, model: &M, action: &M::Action) -> UnitSet {
        let mut named = std::mem::take(&mut self.buffer);
        named.clear();
        model.units_of(action, &mut named);
        let mut numbers = Vec::with_capacity(named.len());
        for unit in named.drain(..) {
            if !self.listed {
                numbers.push(UnitNumber(self.units.insert_full(unit).0 as u32));
            } else if let Some(place) = self.units.get_index_of(&unit) {
                numbers.push(UnitNumber(place as u32));
            } else {
                self.unlisted.get_or_insert(unit);
            }
        }
        self.buffer = named;
        numbers.sort_unstable();
        numbers.dedup();
        UnitSet(self.sets.insert_full(numbers.into()).0 as u32)
    }

    /// The set of those who take part in an action, if it has been noted.
    pub fn known<M: Model>(&self, model: &M, action: &M::Action) -> Option<UnitSet> {
        let mut named = Vec::new();
        model.units_of(action, &mut named);
        named.retain(|unit| !self.listed || self.units.contains(unit));
        let number = |unit: &Unit| self.units.get_index_of(unit).map(|place| UnitNumber(place as u32));
        let mut numbers: Vec<UnitNumber> = named.iter().map(number).collect::<Option<_>>()?;
        numbers.sort_unstable();
        numbers.dedup();
        self.sets.get_index_of(numbers.as_slice()).map(|place| UnitSet(place as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::Unit;

    #[derive(Debug)]
    #[expect(dead_code, reason = "they are printed")]
    struct Move {
        from: u8,
    }

    #[test]
    fn kinds() {
        assert_eq!(Unit::kind_of(&Move { from: 1 }), Unit::from("Move"));
        assert_eq!(Unit::kind_of(&Some(1)), Unit::from("Some"));
        assert_eq!(Unit::kind_of(&None::<u8>), Unit::from("None"));
        assert_eq!(Unit::kind_of(&"client 0: Idle".to_string()), Unit::from("client 0: Idle"));
        assert_eq!(Unit::kind_of(&"F(x)"), Unit::from("F(x)"));
        assert_eq!(Unit::kind_of(&17), Unit::from("17"));
        assert_eq!(Unit::kind_of(&()), Unit::from("()"));
        assert_eq!(Unit::kind_of(&[1, 2]), Unit::from("[1, 2]"));
        assert_ne!(Unit::from("17"), Unit::from(17_u8));
        assert_eq!(Unit::from(17_usize), Unit::from(17_u8));
    }
}
