//! Where the steps of processes come from, and which source is quicker for this model.
//!
//! The same successors can be computed in two ways: from what is remembered, with code for the rest
//! ([`StepSource::Recall`]), or by code alone ([`StepSource::Execute`]). To remember pays if processes do the
//! same things again and again, and does not if nearly every state brings something new. The text of a model
//! does not tell. So it is tried out.
//!
//! A *trial* has five turns. The first only fills the memory; then each source has two turns of a thousand
//! states. What is measured is the time from state to state with everything between, because steps that are
//! recalled also spare the search lookups. Of the turns of a source the quickest counts, as another one may
//! have been interrupted. The winner goes on for a *term*; then there is another trial. The first states of a
//! search are not like the later ones, so the first term is short, and each is twice as long as the one
//! before, up to a million states. The longer the term, the longer the memory is filled before the trial.
//!
//! Both sources give the same successors in the same order: nothing but time depends on the choice.

use std::time::{Duration, Instant};

/// Where steps come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepSource {
    /// From what is remembered, with code for the rest.
    Recall,
    /// From code alone.
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

/// Trials and terms, by turns.
#[derive(Debug)]
pub struct Trial {
    /// The turn of the trial; `None` if there is none.
    turn: Option<u32>,
    winner: StepSource,
    /// States up to the next turn or trial.
    left: u32,
    /// How long the next term will be.
    term: u32,
    /// When the present turn has begun.
    begun: Option<Instant>,
    /// Of each source, the quickest turn of the trial.
    times: [Duration; 2],
}

impl Trial {
    /// A trial is about to begin; or `Execute` is the only source.
    pub fn new(can_recall: bool) -> Trial {
        let left = if can_recall { FIRST_TURN } else { u32::MAX };
        let turn = can_recall.then_some(0);
        Trial {
            turn,
            winner: StepSource::Execute,
            left,
            term: FIRST_TERM,
            begun: None,
            times: [Duration::MAX; 2],
        }
    }

    /// No more trials. (Where `Execute` is the only source, it stays so.)
    pub fn settle(&mut self, source: StepSource) {
        if self.left != u32::MAX {
            *self = Trial { turn: None, winner: source, left: u32::MAX, ..*self };
        }
    }

    /// The source, if there are no more trials.
    pub fn settled(&self) -> Option<StepSource> {
        (self.left == u32::MAX).then_some(self.winner)
    }

    fn source(&self) -> StepSource {
        match self.turn {
            None => self.winner,
            Some(turn) if turn % 2 == 0 => StepSource::Recall,
            Some(_) => StepSource::Execute,
        }
    }

    /// Whether the time of the present turn counts.
    pub fn is_measuring(&self) -> bool {
        self.begun.is_some()
    }

    /// Whether a trial has just ended, and what is remembered is of no use for a long time.
    #[inline]
    pub fn has_just_lost(&self) -> bool {
        self.left == LAST_TERM - 1 && self.turn.is_none() && self.winner == StepSource::Execute
    }

    /// Where the steps of the next state come from.
    #[inline]
    pub fn next_source(&mut self) -> StepSource {
        if self.left == 0 {
            self.next_turn();
        }
        // There is no end where there is only one source.
        self.left = if self.left == u32::MAX { u32::MAX } else { self.left - 1 };
        self.source()
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
                self.winner = if recall < execute { StepSource::Recall } else { StepSource::Execute };
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
        let mut trial = Trial::new(true);
        for term in [FIRST_TERM, 2 * FIRST_TERM, 4 * FIRST_TERM] {
            let first = FIRST_TURN.max(term / FIRST_PART);
            let sources: Vec<StepSource> =
                (0..first + (TURNS - 1) * TURN).map(|_| trial.next_source()).collect();
            assert!(sources.chunks(TURN as usize).all(|turn| turn.iter().all(|source| *source == turn[0])));
            assert_eq!(
                sources.iter().filter(|source| **source == StepSource::Execute).count(),
                2 * TURN as usize
            );
            let winner = trial.next_source();
            assert!((1..term).all(|_| trial.next_source() == winner));
            assert_eq!(trial.turn, None);
        }
        assert_eq!((trial.next_source(), trial.turn), (StepSource::Recall, Some(0)), "a new trial");
    }

    #[test]
    fn the_only_source() {
        let mut trial = Trial::new(false);
        for _ in 0..2 * LAST_TERM {
            assert_eq!(trial.next_source(), StepSource::Execute);
        }
    }
}
