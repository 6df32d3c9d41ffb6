//! Steps that commute, and which of them a search can do without.
//!
//! Most transitions lead to states that are known already, and mostly for one reason: two processes that do
//! not touch each other can take their steps in either order, and arrive at the same state.
//!
//! ```text
//!          p                i and j are *independent* in p: neither changes a place
//!     i ↙     ↘ j           that the other looks at
//!    x           y
//!     j ↘     ↙ i           so what j does in p it does in x, and what i does in p it does in y
//!          t
//! ```
//!
//! Who comes to x from p by a step of i need not follow a *later* process j from there if i and j are
//! independent in p: t is found from y. Its step is counted, and that is all: t is not made, not hashed, and
//! not looked for.
//!
//! Nothing is lost, whatever the order of the search is, as long as every state that is met is expanded some
//! time. Claim: from every state x that is expanded, every process j leads to states that are met. If j is
//! followed from x, that is so. If not, x was reached from a state p that was expanded before, by a process i
//! < j that is independent of j there. By the claim for p and j, y is met; and by the claim for y and i, t
//! is. This goes round in no circle: the claim for p is about a state that was expanded earlier and the same
//! process, the one for y about an earlier process. (So it is not enough that j was independent of the step
//! before the last one: then y could wait for x, and x for y. It is not needed that y is new, or known, or
//! expanded before x.)
//!
//! These are the first half of Godefroid's sleep sets: what is asleep only because of the last step. They
//! leave out transitions and never a state.
//!
//! Which places a step looks at and changes is known of steps that are remembered ([`super::remembered`]);
//! the others are always followed. Where one process hands control to another in the middle of an indivisible
//! sequence, what each of them does cannot be told apart: such a step is never remembered, and a state in
//! which it is possible, and not asleep, is followed as a whole.

use super::recall::Kept;

/// The processes that need not be followed after a step of process `pid`: of the `later` ones, those that are
/// independent of it.
#[inline(always)]
pub fn sleeping_after(processes: &[Kept], pid: usize, mut later: u64) -> u32 {
    let mut sleeping = 0;
    let one = &processes[pid];
    while later != 0 {
        let other = &processes[later.trailing_zeros() as usize];
        if one.changes & other.places | other.changes & one.places == 0 {
            sleeping |= later & later.wrapping_neg();
        }
        later &= later - 1;
    }
    // The others are always followed.
    sleeping as u32
}
