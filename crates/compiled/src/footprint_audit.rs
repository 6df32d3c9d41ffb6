//! Audits of footprints: a step must not depend on what it is said not to look at.
//!
//! The [audits of whole states](super::audit) see a wrong footprint only where it has led to wrong
//! successors in just the state that is audited. In a state space of long chains that may be one state, and
//! behind it all others are missing. So footprints are tried out as well, while they are learnt. Take the
//! state in which one was learnt and another state of the same shape, and splice them:
//!
//! ```text
//! learnt    a a a a a a a a
//! footprint . x x . . x . .
//! other     b b b b b b b b
//! spliced   b a a b b a b b
//! ```
//!
//! The process must do the same in the spliced state as in the one where its footprint was learnt: the same
//! number of successors, with the same bytes in the footprint, and outside of it nothing changed. That holds
//! also if no run leads to the spliced state. Each of its variables has a value that it has in some run, so
//! code can be executed there.
//!
//! For every step that is learnt, one of the footprints is tried, by turns, with the state that is at hand;
//! for the first [`FEW`] steps, [`AT_FIRST`] of them; and after [`MANY`] steps, for one in [`RARELY`]. A
//! trial executes two steps of machine code.

use super::{CompiledModel, Movers, Scratch, make_room_midway};
use crate::machine::SLACK;
use lariat_engine::Successors;
use std::ops::Range;

/// Footprints that are kept in order to be tried.
const MOST_FOOTPRINTS: usize = 512;
/// For so many steps, so many footprints are tried each.
const FEW: u32 = 128;
const AT_FIRST: u32 = 8;
/// After so many steps, one in so many is enough.
const MANY: u32 = 2048;
const RARELY: u32 = 32;

/// A footprint, and where it was learnt.
struct Learnt {
    pid: usize,
    shape: u32,
    state: Vec<u8>,
    /// The bytes that the process looks at or changes, its own among them.
    ranges: Vec<Range<usize>>,
}

/// What is tried, and with what.
#[derive(Default)]
pub struct FootprintAudit {
    learnt: Vec<Learnt>,
    /// How many there have been, kept or not.
    seen: usize,
    /// Whose turn it is.
    next: usize,
    /// Steps that were learnt since the search began.
    steps: u32,
    spliced: Vec<u8>,
    /// Where code notes the locations that it has seen: they do not count.
    reached: Vec<u8>,
    before: Successors,
    after: Successors,
}

impl FootprintAudit {
    /// A footprint that was found in a state. If there are too many, it takes the place of an older one.
    pub fn add(
        &mut self,
        pid: usize,
        shape: u32,
        state: &[u8],
        own: Range<usize>,
        mut ranges: Vec<Range<usize>>,
    ) {
        ranges.push(own);
        let mut copy = Vec::with_capacity(state.len() + SLACK);
        copy.extend_from_slice(state);
        let learnt = Learnt { pid, shape, state: copy, ranges };
        if self.learnt.len() < MOST_FOOTPRINTS {
            self.learnt.push(learnt);
        } else {
            self.learnt[self.seen % MOST_FOOTPRINTS] = learnt;
        }
        self.seen += 1;
    }

    /// Another step is learnt. How many footprints are tried now.
    #[inline]
    pub fn due(&mut self) -> u32 {
        self.steps = self.steps.saturating_add(1);
        if self.steps <= FEW {
            AT_FIRST
        } else if self.steps <= MANY {
            1
        } else {
            self.steps.is_multiple_of(RARELY).into()
        }
    }
}

impl CompiledModel<'_> {
    /// Tries the footprint whose turn it is with the state that is unpacked.
    #[cold]
    pub(super) fn try_footprint(&self, scratch: &mut Scratch) {
        let Scratch { machine, state: other, shape, midway, processes, channels, inner, footprints, .. } =
            scratch;
        let FootprintAudit { learnt, next, spliced, reached, before, after, .. } = footprints;
        let Some(turn) = learnt.len().checked_sub(1) else { return };
        *next = if *next < turn { *next + 1 } else { 0 };
        let Learnt { pid, shape: its_shape, state, ranges } = &learnt[*next];
        if *shape != Some(*its_shape) || state.len() != other.len() || state == other {
            return;
        }
        splice(state, other, ranges, spliced);
        reached.resize(self.context.facts.locations(), 0);
        let counted = std::mem::replace(&mut machine.reached, reached.as_mut_ptr());
        make_room_midway(midway, state.len());
        let done = [(state, &mut *before), (&*spliced, &mut *after)].map(|(state, out)| {
            machine.midway = midway.as_mut_ptr();
            machine.timeout = 0;
            machine.aim(state, processes, channels);
            out.clear_and_ask(false);
            let moved = self.moves_of(machine, processes, Movers::One(*pid), out).ok()?;
            self.finish(machine, midway, inner, Some(*pid), out).ok()?;
            Some(moved)
        });
        machine.reached = counted;
        // What the interpreter must do tells nothing.
        let [Some(moved), Some(also)] = done else { return };
        let is_same = moved == also && are_alike(before, after, state, spliced, ranges);
        assert!(is_same, "process {pid} looks at more than its footprint {ranges:?} in state {state:?}");
    }
}

/// The first state in these ranges, the second one elsewhere; with room behind it, like all that code reads.
fn splice(state: &[u8], other: &[u8], ranges: &[Range<usize>], spliced: &mut Vec<u8>) {
    spliced.clear();
    spliced.reserve(other.len() + SLACK);
    spliced.extend_from_slice(other);
    ranges.iter().for_each(|range| spliced[range.clone()].copy_from_slice(&state[range.clone()]));
}

/// Whether the same has happened in both states.
fn are_alike(
    before: &mut Successors,
    after: &mut Successors,
    state: &[u8],
    spliced: &[u8],
    ranges: &[Range<usize>],
) -> bool {
    let (bytes, entries, _) = before.parts_mut();
    let (others, other_entries, _) = after.parts_mut();
    entries.len() == other_entries.len()
        && entries.iter().zip(other_entries).all(|(entry, other)| {
            let one = &bytes[entry.start as usize..entry.end as usize];
            let other = &others[other.start as usize..other.end as usize];
            // Where processes come or go, bytes move.
            let moves = one.len() != state.len();
            let is_left_alone = |at: usize| one[at] == state[at] && other[at] == spliced[at];
            let is_touched =
                |at: usize| ranges.iter().any(|range| range.contains(&at)) && one[at] == other[at];
            one.len() == other.len()
                && (moves || (0..one.len()).all(|at| is_left_alone(at) || is_touched(at)))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_engine::Interpreter;

    /// The first process writes what it reads of `x` into `y`; the second changes `x`.
    const TEXT: &str = r#"lariat-ir 1
model "m"
globals size 2 hidden 0
  var "x" byte g0.u8
  var "y" byte g1.u8
process p0 "P" start 1 size 0 parameters 0
  statement 0 ""
  location 0
  location 1
    -> 1 #0 set g1.u8 = g0.u8 + 1
process p1 "Q" start 1 size 0 parameters 0
  statement 0 ""
  location 0
  location 1
    -> 1 #0 set g0.u8 = g0.u8 ^ 3
start p0 priority 1
start p1 priority 1
"#;

    /// Tries a footprint of the first process that was learnt where `x` is 0, where `x` is 3.
    fn try_with(ranges: Vec<Range<usize>>) {
        let model = lariat_model::text::parse(TEXT).unwrap_or_else(|error| panic!("{error}"));
        let compiled = CompiledModel::new(Interpreter::new(&model)).unwrap();
        let interpreter = compiled.interpreter();
        let stored = lariat_engine::SuccessorFunction::initial_state(interpreter).unwrap();
        let mut scratch = compiled.scratch.borrow_mut();
        compiled.unpack(&mut scratch, &stored);
        let scratch = &mut *scratch;
        let own = scratch.processes[0].start as usize..scratch.processes[1].start as usize;
        let shape = scratch.shape.unwrap();
        scratch.footprints.add(0, shape, &scratch.state, own, ranges);
        scratch.state[0] = 3;
        compiled.try_footprint(scratch);
    }

    #[test]
    fn a_whole_footprint_is_fine() {
        try_with(std::iter::once(0..2).collect());
    }

    #[test]
    #[should_panic(expected = "looks at more than its footprint")]
    fn a_read_that_was_left_out_is_seen() {
        try_with(std::iter::once(1..2).collect());
    }

    #[test]
    #[should_panic(expected = "looks at more than its footprint")]
    fn a_write_that_was_left_out_is_seen() {
        try_with(std::iter::once(0..1).collect());
    }

    #[test]
    fn trials_become_rare() {
        let mut audit = FootprintAudit::default();
        let trials: u32 = (0..MANY + 100 * RARELY).map(|_| audit.due()).sum();
        assert_eq!(trials, FEW * AT_FIRST + MANY - FEW + 100);
    }
}
