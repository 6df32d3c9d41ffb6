//! Steps that commute, and which of them a search need not follow.
//!
//! Most transitions lead to states that are known already, and mostly for one reason: two processes that have
//! nothing to do with each other can take their steps in either order, and arrive at the same state.
//!
//! ```text
//!          p                i and j are *independent* in p: neither changes a cell
//!     i ↙     ↘ j           inside the footprint of the other
//!    x           y
//!     j ↘     ↙ i           so what j does in p it does in x, and what i does in p it does in y
//!          t
//! ```
//!
//! When a search goes from p to x by a step of process i, and a *later* process j (j > i) is independent of i
//! in p, then j is *asleep* in x: its steps from x are counted, but the states that they lead to (t in the
//! picture) are not made, hashed or looked up. They are met from y.
//!
//! Claim: if every state that is met gets expanded some time, in whatever order, then for every expanded
//! state x and every process j, all successors of x by j are met. So no state is lost.
//!
//! Proof, by induction on the number of the process, and for one process on the time at which the state is
//! expanded. Let x be expanded and j be a process, and let the claim hold for all earlier processes (in all
//! states), and for j in all states that were expanded before x. If j is not asleep in x, its successors are
//! made, so they are met. If it is asleep, x was reached from a state p, which was expanded before x, by a
//! step of a process i < j that is independent of j in p. Let t be a successor of x by j. The step that leads
//! there is also possible in p; let it lead from p to y. By the claim for p and j (p was expanded earlier), y
//! is met, so it gets expanded. In y, process i can take the step that led from p to x, and that leads to t.
//! By the claim for y and i (an earlier process), t is met. ∎
//!
//! It does not matter whether y is new or known, or is expanded before x or after it. What matters is that j
//! is independent of the very last step. Were it enough to be independent of a step further back, y could
//! rely on x, and x on y. So these are the first half of Godefroid's sleep sets: what is asleep because of
//! the last step only. They leave out transitions, and never a state.
//!
//! A cell is a piece of the state, or a byte of one ([`super::plan`]): what is remembered is kept by whole
//! numbers of pieces, but who touches which byte of a piece is known as well, and two processes that touch
//! different bytes are independent. Footprints and changes are known of remembered steps
//! ([`super::remembered`]); all other processes are always followed. If one process hands control to another
//! in the middle of an indivisible sequence, their shares in it cannot be told apart: such a step is never
//! remembered, and a state in which it is possible, and not asleep, is expanded as a whole.

/// The cells that a process touches with its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Those that it looks at ([`super::plan::Plan::cells_in`]).
    pub reads: u64,
    /// Those that it changes.
    pub changes: u64,
}

impl Touched {
    /// Of a process that is not remembered: it may look at everything, and change everything.
    pub const EVERYTHING: Touched = Touched { reads: u64::MAX, changes: u64::MAX };

    #[inline(always)]
    fn commutes_with(&self, other: &Touched) -> bool {
        self.changes & other.reads | other.changes & self.reads == 0
    }
}

/// What a search must know to find out who is asleep in the successors of a state. That is found out for each
/// successor when it turns out to be new: of the others nobody asks.
#[derive(Debug, Default)]
pub struct Commuting {
    /// By process.
    touched: Vec<Touched>,
    /// Those whose steps were recalled and lead somewhere, as bits. Only of these it is known here.
    leading: u64,
}

impl Commuting {
    #[inline(always)]
    pub fn clear(&mut self) {
        self.leading = 0;
    }

    /// Of these processes (bits), each of which has successors, it is known what they touch.
    #[inline(always)]
    pub fn add(&mut self, leading: u64, touched: &[Touched]) {
        self.leading |= leading;
        // Of a single one there is nobody who could be asleep.
        if self.leading & self.leading.wrapping_sub(1) != 0 {
            self.touched.clear();
            self.touched.extend_from_slice(touched);
        }
    }

    /// The processes that are asleep after a step of one process: of the later ones, those that are
    /// independent of it, as bits.
    #[inline]
    pub fn sleeping_after(&self, mover: usize) -> u32 {
        let mut later = self.leading & (u64::MAX << mover << 1);
        if later == 0 {
            return 0;
        }
        let (one, mut sleeping) = (&self.touched[mover], 0);
        while later != 0 {
            let other = &self.touched[later.trailing_zeros() as usize];
            sleeping |= if one.commutes_with(other) { later & later.wrapping_neg() } else { 0 };
            later &= later - 1;
        }
        // Processes from the 33rd on have no bit there, and are always followed.
        sleeping as u32
    }
}
