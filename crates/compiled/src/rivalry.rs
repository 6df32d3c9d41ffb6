//! Two ways to the same successors, and which of them is quicker here.
//!
//! To recall what processes did before pays if they do the same things again and again, and does not if
//! nearly every state brings something new. Nobody can tell from the text. So both ways are tried in turns,
//! for a thousand states each, and the quicker one goes on for a while; then they are tried again. What
//! counts is the time from state to state, with all that is done in between: steps that are recalled spare
//! the search lookups. Of several turns the quickest counts, because others may have been interrupted. The
//! first states of a search are not like the later ones, so the first terms are short; each is twice as long
//! as the one before, up to a million states. Before a trial, the memory is filled, the longer the more
//! depends on it. Both ways give the same successors in the same order, so nothing but time depends on it.

use std::time::{Duration, Instant};

/// How successors are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By what is remembered, and code for the rest.
    Recall,
    /// By code.
    Execute,
}

/// States of the first turn of a trial, which only fills the memory: so many, or this part of the term.
/// States of the others; and how many turns there are.
const FIRST_TURN: u32 = 4096;
const FIRST_PART: u32 = 16;
const TURN: u32 = 1024;
const TURNS: u32 = 5;
/// States from the first trial to the second, and from one of the later ones to the next.
const FIRST_TERM: u32 = 1 << 14;
const LAST_TERM: u32 = 1 << 20;

#[derive(Debug)]
pub struct Rivalry {
    /// The turn of the trial; `None` if there is none.
    turn: Option<u32>,
    winner: Way,
    /// States up to the next turn or trial.
    left: u32,
    /// How long the next term will be.
    term: u32,
    /// When the present turn has begun.
    begun: Option<Instant>,
    /// Of each way, the quickest turn of the trial.
    times: [Duration; 2],
}

impl Rivalry {
    /// A trial is about to begin; or `Execute` is the only way.
    pub fn new(can_recall: bool) -> Rivalry {
        let left = if can_recall { FIRST_TURN } else { u32::MAX };
        let turn = can_recall.then_some(0);
        Rivalry { turn, winner: Way::Execute, left, term: FIRST_TERM, begun: None, times: [Duration::MAX; 2] }
    }

    /// No more trials. (Where `Execute` is the only way, it stays so.)
    pub fn settle(&mut self, way: Way) {
        if self.left != u32::MAX {
            *self = Rivalry { turn: None, winner: way, left: u32::MAX, ..*self };
        }
    }

    fn way(&self) -> Way {
        match self.turn {
            None => self.winner,
            Some(turn) if turn % 2 == 0 => Way::Recall,
            Some(_) => Way::Execute,
        }
    }

    /// Whether a trial has just ended, and what is remembered is of no use for a long time.
    #[inline]
    pub fn has_just_lost(&self) -> bool {
        self.left == LAST_TERM - 1 && self.turn.is_none() && self.winner == Way::Execute
    }

    /// Whether the time of the present turn counts.
    pub fn is_measuring(&self) -> bool {
        self.begun.is_some()
    }

    /// The way to take now.
    #[inline]
    pub fn way_of_next(&mut self) -> Way {
        if self.left == 0 {
            self.next_turn();
        }
        // Without an end where there is only one way.
        self.left = if self.left == u32::MAX { u32::MAX } else { self.left - 1 };
        self.way()
    }

    #[cold]
    fn next_turn(&mut self) {
        let now = Instant::now();
        if let (Some(turn), Some(begun)) = (self.turn, self.begun) {
            let best = &mut self.times[turn as usize % 2];
            *best = (now - begun).min(*best);
        }
        self.begun = None;
        (self.turn, self.left) = match self.turn {
            None => (Some(0), FIRST_TURN.max(self.term / FIRST_PART)),
            Some(turn) if turn + 1 < TURNS => {
                self.begun = Some(now);
                (Some(turn + 1), TURN)
            }
            Some(_) => {
                let [recall, execute] = std::mem::replace(&mut self.times, [Duration::MAX; 2]);
                self.winner = if recall < execute { Way::Recall } else { Way::Execute };
                let term = self.term;
                self.term = (2 * term).min(LAST_TERM);
                (None, term)
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_and_terms() {
        let mut rivalry = Rivalry::new(true);
        for term in [FIRST_TERM, 2 * FIRST_TERM, 4 * FIRST_TERM] {
            let first = FIRST_TURN.max(term / FIRST_PART);
            let ways: Vec<Way> = (0..first + (TURNS - 1) * TURN).map(|_| rivalry.way_of_next()).collect();
            assert!(ways.chunks(TURN as usize).all(|turn| turn.iter().all(|way| *way == turn[0])));
            assert_eq!(ways.iter().filter(|way| **way == Way::Execute).count(), 2 * TURN as usize);
            let winner = rivalry.way_of_next();
            assert!((1..term).all(|_| rivalry.way_of_next() == winner));
            assert_eq!(rivalry.turn, None);
        }
        assert_eq!((rivalry.way_of_next(), rivalry.turn), (Way::Recall, Some(0)), "a new trial");
    }

    #[test]
    fn the_only_way() {
        let mut rivalry = Rivalry::new(false);
        for _ in 0..2 * LAST_TERM {
            assert_eq!(rivalry.way_of_next(), Way::Execute);
        }
    }
}
