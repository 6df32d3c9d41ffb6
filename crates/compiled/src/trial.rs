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
//! To fill the memory takes longer than to execute, and where there is nothing to be remembered it is done
//! for nothing: with each trial as long as above, that was a sixth of the time of such a search; and where
//! processes come and go, so that each of hundreds of shapes must be learnt, a quarter. So the memory is
//! filled in sixteen parts; if code has won the trial before, and a later part takes half as long again as
//! code took then, or one of the first parts three times as long, the trial is over. And where code has won
//! so clearly, the next term is four times as long, not twice.
//!
//! Rejected: to let the first trial end early as well, if filling takes three times as long as code. On one
//! model (cambridge of Spin's examples) everything is new for a long time, and later recalling wins; but it
//! was never tried to the end again.
//!
//! Times are the processor's for this thread, where the system tells them: on a busy machine others take the
//! processor away in the middle of a turn.
//!
//! Both sources give the same successors in the same order: nothing but time depends on the choice.

use std::time::Duration;

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
/// Parts in which the memory is filled.
const PARTS: u32 = 16;
/// The first of these show that it is in vain only if that is very clear.
const EARLY_PARTS: u32 = 4;
const TURN: u32 = 1024;
const TURNS: u32 = 5;
/// States from the first trial to the second, and from one of the later ones to the next.
const FIRST_TERM: u32 = 1 << 14;
const LAST_TERM: u32 = 1 << 20;

/// How long this thread has been running: from a moment that does not matter.
#[cfg(unix)]
fn time_of_thread() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the time is written to where it says.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Elsewhere, the time of day will do.
#[cfg(not(unix))]
fn time_of_thread() -> Duration {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default()
}

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
    begun: Option<Duration>,
    /// Of each source, the quickest turn of the trial.
    times: [Duration; 2],
    /// While the memory is filled: which part of it this is, of how many states, and when it has begun.
    filling: Filling,
    /// The quickest turn of code in the trial before.
    executed_in: Option<Duration>,
}

/// See [`Trial::filling`].
#[derive(Clone, Copy, Debug, Default)]
struct Filling {
    part: u32,
    states: u32,
    begun: Option<Duration>,
}

impl Filling {
    /// The first part, before a term of this length.
    fn before(term: u32, now: Option<Duration>) -> Filling {
        Filling { part: 0, states: FIRST_TURN.max(term / FIRST_PART) / PARTS, begun: now }
    }
}

/// Whether code is by far the quicker one: to recall took half as long again, for as many states as a turn
/// has.
fn is_clear(recalled_in: Duration, executed_in: Duration) -> bool {
    recalled_in > executed_in + executed_in / 2
}

impl Trial {
    /// A trial is about to begin; or `Execute` is the only source.
    pub fn new(can_recall: bool) -> Trial {
        let filling = Filling::before(0, None);
        let left = if can_recall { filling.states } else { u32::MAX };
        let turn = can_recall.then_some(0);
        Trial {
            turn,
            winner: StepSource::Execute,
            left,
            term: FIRST_TERM,
            begun: None,
            times: [Duration::MAX; 2],
            filling,
            executed_in: None,
        }
    }

    /// For another worker, on another thread: it knows what has come of the trials. One that is going on
    /// begins again there, because times are those of a thread.
    pub fn for_another(&self) -> Trial {
        let known = Trial { begun: None, times: [Duration::MAX; 2], ..*self };
        if self.turn.is_none() {
            return known;
        }
        let filling = Filling::before(self.term, None);
        Trial { turn: Some(0), left: filling.states, filling, ..known }
    }

    /// Whether what is remembered will be of use before it is filled again.
    pub fn recalls(&self) -> bool {
        self.turn.is_some() || self.winner == StepSource::Recall
    }

    /// No more trials. (Where `Execute` is the only source, it stays so.)
    pub fn settle(&mut self, source: StepSource) {
        if self.left != u32::MAX {
            *self = Trial { turn: None, winner: source, left: u32::MAX, ..*self };
        }
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

    /// Takes that many of the next states, or as many as are certain to be recalled. How many.
    pub fn take_recalled(&mut self, most: u32) -> u32 {
        if self.source() != StepSource::Recall {
            return 0;
        }
        let taken = most.min(self.left);
        self.left = if self.left == u32::MAX { u32::MAX } else { self.left - taken };
        taken
    }

    #[cold]
    fn next_turn(&mut self) {
        let now = time_of_thread();
        if let (Some(turn), Some(begun)) = (self.turn, self.begun) {
            let best = &mut self.times[turn as usize % 2];
            *best = now.saturating_sub(begun).min(*best);
        }
        self.begun = None;
        (self.turn, self.left) = match self.turn {
            None => {
                self.filling = Filling::before(self.term, Some(now));
                (Some(0), self.filling.states)
            }
            Some(0) if self.is_in_vain(now) => (None, self.next_term(2)),
            Some(0) if self.filling.part + 1 < PARTS => {
                self.filling = Filling { part: self.filling.part + 1, begun: Some(now), ..self.filling };
                (Some(0), self.filling.states)
            }
            Some(turn) if turn + 1 < TURNS => {
                self.begun = Some(now);
                (Some(turn + 1), TURN)
            }
            Some(_) => {
                let [recall, execute] = std::mem::replace(&mut self.times, [Duration::MAX; 2]);
                self.winner = if recall < execute { StepSource::Recall } else { StepSource::Execute };
                self.executed_in = Some(execute);
                (None, self.next_term(if is_clear(recall, execute) { 4 } else { 2 }))
            }
        };
    }

    /// Whether the part of filling the memory that ends now shows that there is nothing to be gained.
    fn is_in_vain(&self, now: Duration) -> bool {
        let Filling { part, states, begun } = self.filling;
        match (begun, self.executed_in) {
            (Some(begun), Some(executed)) if self.winner == StepSource::Execute && part > 0 => {
                let recalled = now.saturating_sub(begun) * TURN / states;
                if part < EARLY_PARTS { recalled > 3 * executed } else { is_clear(recalled, executed) }
            }
            _ => false,
        }
    }

    /// The length of the term that begins. The next one will be so many times as long.
    fn next_term(&mut self, factor: u32) -> u32 {
        let next = (self.term * factor).min(LAST_TERM);
        std::mem::replace(&mut self.term, next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes so many states. The sources that were to be used, one behind the other, and how often each.
    fn sources(trial: &mut Trial, states: u32) -> Vec<(StepSource, u32)> {
        let mut runs: Vec<(StepSource, u32)> = Vec::new();
        for _ in 0..states {
            let source = trial.next_source();
            match runs.last_mut() {
                Some((last, count)) if *last == source => *count += 1,
                _ => runs.push((source, 1)),
            }
        }
        runs
    }

    #[test]
    fn turns_and_terms() {
        let mut trial = Trial::new(true);
        let mut term = FIRST_TERM;
        let mut before = 0;
        for _ in 0..4 {
            let filling = FIRST_TURN.max(before / FIRST_PART);
            // The clock decides whether the memory is filled to the end: here, always.
            trial.executed_in = None;
            let (recall, execute) = (StepSource::Recall, StepSource::Execute);
            assert_eq!(
                sources(&mut trial, filling + (TURNS - 1) * TURN),
                [(recall, filling), (execute, TURN), (recall, TURN), (execute, TURN), (recall, TURN)]
            );
            let [won] = sources(&mut trial, term)[..] else { panic!("one source for a term") };
            assert_eq!((won.1, trial.turn), (term, None));
            before = trial.term;
            let longer = trial.term / term;
            assert!(trial.term == LAST_TERM || longer == 2 || longer == 4 && won.0 == execute);
            term = trial.term;
        }
        assert_eq!((trial.next_source(), trial.turn), (StepSource::Recall, Some(0)), "a new trial");
    }

    #[test]
    fn a_trial_ends_early_where_nothing_is_to_be_gained() {
        let mut trial = Trial::new(true);
        sources(&mut trial, FIRST_TURN + (TURNS - 1) * TURN + FIRST_TERM);
        let term = trial.term;
        // Nothing is as quick as this.
        trial.winner = StepSource::Execute;
        trial.executed_in = Some(Duration::ZERO);
        let part = FIRST_TURN.max(term / FIRST_PART) / PARTS;
        assert_eq!(
            sources(&mut trial, 2 * part + term),
            [(StepSource::Recall, 2 * part), (StepSource::Execute, term)]
        );
        assert_eq!(trial.term, (2 * term).min(LAST_TERM));
        // Not where to recall has won before.
        trial.winner = StepSource::Recall;
        assert_eq!(sources(&mut trial, 3 * part), [(StepSource::Recall, 3 * part)]);
        // What is slower than code by a half is noticed when some parts have been filled.
        let begun = Duration::from_secs(1);
        let executed_in = Some(Duration::from_millis(10));
        for (part, millis, in_vain) in
            [(0, 90, false), (1, 29, false), (1, 31, true), (EARLY_PARTS, 14, false), (EARLY_PARTS, 16, true)]
        {
            let filling = Filling { part, states: TURN, begun: Some(begun) };
            let trial = Trial { filling, executed_in, ..Trial::new(true) };
            assert_eq!(trial.is_in_vain(begun + Duration::from_millis(millis)), in_vain, "{part} {millis}");
        }
    }

    #[test]
    fn another_worker_knows_what_has_come_of_the_trials() {
        let mut trial = Trial::new(true);
        assert_eq!(trial.for_another().left, trial.left, "nothing has happened yet");
        // In the middle of a trial: it begins again.
        sources(&mut trial, FIRST_TURN + TURN / 2);
        assert!(trial.is_measuring());
        let mut other = trial.for_another();
        assert!(!other.is_measuring() && other.recalls());
        assert_eq!(sources(&mut other, FIRST_TURN), [(StepSource::Recall, FIRST_TURN)]);
        assert_eq!(sources(&mut other, 1), [(StepSource::Execute, 1)]);
        // In the middle of a term: both go on with the winner, for as long.
        sources(&mut trial, 4 * TURN);
        let mut other = trial.for_another();
        assert_eq!((other.winner, other.left, other.term), (trial.winner, trial.left, trial.term));
        assert_eq!(other.recalls(), trial.winner == StepSource::Recall);
        let left = trial.left;
        assert_eq!(sources(&mut other, left), [(trial.winner, left)]);
        // No more trials, here and there.
        trial.settle(StepSource::Execute);
        for trial in [trial, Trial::new(false)] {
            let other = trial.for_another();
            assert_eq!((other.left, other.source()), (u32::MAX, StepSource::Execute));
        }
    }

    #[test]
    fn the_only_source() {
        let mut trial = Trial::new(false);
        for _ in 0..2 * LAST_TERM {
            assert_eq!(trial.next_source(), StepSource::Execute);
        }
    }
}
