//! What the checks by components share: the numbers of the depth-first search, which states are *current*,
//! and the stacks of both kinds.
//!
//! A state is current (or active) from its first visit until its component is complete. [`Numbering`] knows
//! the number and the bit per state; [`Current`] adds the stack of Tarjan, so that a component can be closed
//! without a second look at it. [`Roots`] is Couvreur's stack: for each component of what has been explored
//! so far, its first state, and what is known of the arcs inside.
//!
//! Cost: four bytes and a bit per state; four bytes per current state on the stack; 32 bytes per root.

use super::MarkSet;
use super::resumed::{load_marks, save_marks};
use super::side_tables::{Numbers, SmallNumbers};
use crate::checkpoint::{Reader, Saved, Unreadable, Writer};
use lariat_store::StateId;

/// In which order states were met, and which of them are current.
#[derive(Clone, Debug)]
pub struct Numbering {
    count: u32,
    numbers: Numbers,
    current: SmallNumbers,
}

impl Default for Numbering {
    fn default() -> Numbering {
        Numbering { count: 0, numbers: Numbers::default(), current: SmallNumbers::new(1) }
    }
}

impl Numbering {
    /// From 1 on; 0 for a state that was not met.
    pub fn number(&self, s: StateId) -> u32 {
        self.numbers.get(s)
    }

    pub fn is_new(&self, s: StateId) -> bool {
        self.number(s) == 0
    }

    pub fn is_current(&self, s: StateId) -> bool {
        self.current.get(s) == 1
    }

    /// Meets a state: its number.
    pub fn enter(&mut self, s: StateId) -> u32 {
        debug_assert!(self.is_new(s));
        self.count += 1;
        self.numbers.set(s, self.count);
        self.current.set(s, 1);
        self.count
    }

    /// The state's component is complete.
    pub fn remove(&mut self, s: StateId) {
        debug_assert!(self.is_current(s));
        self.current.set(s, 0);
    }

    pub fn bytes(&self) -> u64 {
        self.numbers.bytes() + self.current.bytes()
    }
}

/// A numbering with the stack of the current states, in the order of their numbers.
#[derive(Clone, Debug, Default)]
pub struct Current {
    pub numbering: Numbering,
    stack: Vec<StateId>,
}

impl Current {
    pub fn enter(&mut self, s: StateId) -> u32 {
        self.stack.push(s);
        self.numbering.enter(s)
    }

    pub fn len(&self) -> usize {
        self.stack.len()
    }

    /// The states from this one on: its component, when it is a root and the search goes back from it.
    pub fn component(&self, root: StateId) -> &[StateId] {
        let number = self.numbering.number(root);
        &self.stack[self.stack.partition_point(|&s| self.numbering.number(s) < number)..]
    }

    /// The component of this root is complete. Each of its states is shown, the youngest first.
    pub fn close(&mut self, root: StateId, mut each: impl FnMut(StateId)) {
        while let Some(s) = self.stack.pop() {
            self.numbering.remove(s);
            each(s);
            if s == root {
                break;
            }
        }
    }

    pub fn bytes(&self) -> u64 {
        self.numbering.bytes() + self.stack.capacity() as u64 * 4
    }
}

/// The first state of a component of what has been explored.
#[derive(Clone, Copy, Debug)]
pub struct Root<K> {
    pub state: StateId,
    number: u32,
    /// An arc inside has been explored.
    pub cyclic: bool,
    /// Of the arcs inside.
    pub marks: K,
    /// Of the arc over which the search came to the state: inside as well, once the component is merged with
    /// the one below.
    incoming: K,
}

#[derive(Clone, Debug)]
pub struct Roots<K>(Vec<Root<K>>);

impl<K> Default for Roots<K> {
    fn default() -> Roots<K> {
        Roots(Vec::new())
    }
}

impl<K: MarkSet> Roots<K> {
    pub fn push(&mut self, state: StateId, number: u32, incoming: K) {
        debug_assert!(self.0.last().is_none_or(|root| root.number < number));
        self.0.push(Root { state, number, cyclic: false, marks: K::NONE, incoming });
    }

    /// An arc with these marks leads from the top component to the current state with this number: it and
    /// everything above becomes one component. The last root taken off keeps the mark of the arc into it to
    /// itself: that arc is not inside.
    pub fn merge(&mut self, number: u32, arc: K) -> Option<&Root<K>> {
        let mut marks = arc;
        while let Some(root) = self.0.last_mut() {
            marks |= root.marks;
            if root.number <= number {
                (root.cyclic, root.marks) = (true, marks);
                break;
            }
            marks |= root.incoming;
            self.0.pop();
        }
        self.0.last()
    }

    /// Takes the top root off if it is this state.
    pub fn pop_if(&mut self, state: StateId) -> Option<Root<K>> {
        self.0.pop_if(|root| root.state == state)
    }

    /// The top root, if it is this state.
    pub fn top_if(&self, state: StateId) -> Option<Root<K>> {
        self.0.last().filter(|root| root.state == state).copied()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn bytes(&self) -> u64 {
        (self.0.capacity() * size_of::<Root<K>>()) as u64
    }
}

impl Saved for Numbering {
    fn save(&self, out: &mut Writer) {
        out.number(u64::from(self.count));
        self.numbers.save(out);
        self.current.save(out);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        self.count = from.small()?;
        self.numbers.load(from)?;
        self.current.load(from)
    }
}

impl Saved for Current {
    fn save(&self, out: &mut Writer) {
        self.numbering.save(out);
        self.stack.save(out);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        self.numbering.load(from)?;
        self.stack.load(from)
    }
}

impl<K: MarkSet> Saved for Roots<K> {
    fn save(&self, out: &mut Writer) {
        out.number(self.0.len() as u64);
        for &Root { state, number, cyclic, marks, incoming } in &self.0 {
            out.number(u64::from(state.0));
            out.number(u64::from(number));
            out.flag(cyclic);
            save_marks(marks, out);
            save_marks(incoming, out);
        }
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        for _ in 0..from.number()? {
            let (state, number, cyclic) = (StateId(from.small()?), from.small()?, from.flag()?);
            self.0.push(Root {
                state,
                number,
                cyclic,
                marks: load_marks(from)?,
                incoming: load_marks(from)?,
            });
        }
        Ok(())
    }
}
