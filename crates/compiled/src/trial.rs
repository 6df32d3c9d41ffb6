//! Where the steps of processes come from, and which source is quicker for this model.
//!
//! The same successors can be computed in two ways: from what is remembered, with code for the rest
//! ([`StepSource::Recall`]), or by code alone ([`StepSource::Execute`]). To remember pays if processes do the
//! same things again and again, and does not if nearly every state brings something new. The text of a model
//! does not tell. So it is tried out.
//!
//! A *trial* begins with states that only fill the memory. Then it is known how often a process must be
//! executed, because what it does was not remembered: these are *misses*. On 24 public models, recalling was
//! the quicker one wherever less than a third of the states had a miss, and code wherever more than 0.4 had
//! one, but for three; and a miss takes as long as code takes for one to eight states. So if less than one
//! state in eight has one, recalling has won, and code, which would have to be compiled for it, is not even
//! tried. In the first trial one in four will do, as misses get fewer. Who has won by that alone is compared
//! once with code all the same, when there are more than a million states, to which it does not matter.
//!
//! In between, time decides: turns of both sources alternate, so that both have states of all kinds, and of
//! each source the slowest turns, which may have been interrupted or have seen a table grow, do not count.
//! What is measured is the time from state to state with everything between, because steps that are recalled
//! also spare the search lookups.
//!
//! The winner goes on for a *term*; then there is another trial. The first states of a search are not like
//! the later ones, so the first term is short, and each is twice as long as the one before, up to a million
//! states. The longer the term, the longer the memory is filled before the trial.
//!
//! To fill the memory takes longer than to execute, and where there is nothing to be remembered it is done
//! for nothing: with each trial as long as above, that was a sixth of the time of such a search; and where
//! processes come and go, so that each of hundreds of shapes must be learnt, a quarter. So the memory is
//! filled in sixteen parts; if code has won the trial before, and a later part takes half as long again as
//! code took for the last states of its term, or one of the first parts three times as long, the trial is
//! over. (Code's time in the trial before does not do: as tables grow, everything becomes slower, and
//! recalling never won again.) And where code has won so clearly, the next term is four times as long, not
//! twice.
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

/// States that only fill the memory before a trial: so many, or this part of the term.
const FIRST_FILLING: u32 = 4096;
const FIRST_PART: u32 = 16;
/// Parts in which the memory is filled.
const PARTS: u32 = 16;
/// The first of these show that it is in vain only if that is very clear; in the last, misses count.
const EARLY_PARTS: u32 = 4;
const LATE_PARTS: u32 = 4;
/// To recall has won if fewer than one state in so many has a miss; and in the first trial.
const RARE: u32 = 8;
const RARE_AT_FIRST: u32 = 4;
/// States of a turn; how many turns each source has, and how many of these count.
const TURN: u32 = 256;
const TURNS: u32 = 8;
const COUNTED: usize = 6;
/// States by code before its first turn ever, and at the end of a term that count for the next trial.
const WARMING: u32 = 1024;
const REFERENCE: u32 = 1024;
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

/// What the states up to the next change are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The winner goes on.
    Term,
    /// The same, and how long code takes for them is the measure for the trial that comes next.
    Reference,
    /// To fill the memory: this part.
    Filling(u32),
    /// To get code ready.
    Warming,
    /// A turn of the trial: even ones recall.
    Turn(u32),
}

/// Whether few misses are enough for recalling to win.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trust {
    Untested,
    /// That has decided about a long term: the next trial will be a test.
    Doubted,
    Tested,
    Refuted,
}

/// Trials and terms, by turns.
#[derive(Debug)]
pub struct Trial {
    stage: Stage,
    winner: StepSource,
    /// States up to the next stage. There is no end where there is only one source.
    left: u32,
    /// How long the next term will be.
    term: u32,
    /// How often a process had to be executed since the present stage has begun, though steps are recalled.
    pub misses: u32,
    /// The same of the late parts of filling.
    late_misses: u32,
    /// When the present stage has begun; of a part of filling, another thread does not know.
    begun: Option<Duration>,
    /// By source: the times of its turns.
    times: [[Duration; TURNS as usize]; 2],
    /// How long code took for so many states as a turn has, when it was measured last.
    executed_in: Option<Duration>,
    trust: Trust,
    /// Code has never had a turn.
    is_cold: bool,
}

/// Whether code is by far the quicker one: to recall took half as long again, for as many states as a turn
/// has.
fn is_clear(recalled_in: Duration, executed_in: Duration) -> bool {
    recalled_in > executed_in + executed_in / 2
}

/// How long turns take in the mean, without the slowest.
fn mean_of_quickest(mut times: [Duration; TURNS as usize]) -> Duration {
    times.sort_unstable();
    times[..COUNTED].iter().sum::<Duration>() / COUNTED as u32
}

impl Trial {
    /// A trial is about to begin; or `Execute` is the only source.
    pub fn new(can_recall: bool) -> Trial {
        Trial {
            stage: if can_recall { Stage::Filling(0) } else { Stage::Term },
            winner: StepSource::Execute,
            left: if can_recall { FIRST_FILLING / PARTS } else { u32::MAX },
            term: FIRST_TERM,
            misses: 0,
            late_misses: 0,
            begun: None,
            times: [[Duration::ZERO; TURNS as usize]; 2],
            executed_in: None,
            trust: Trust::Untested,
            is_cold: true,
        }
    }

    /// For another worker, on another thread: it knows what has come of the trials. One that is going on
    /// begins again there, because times are those of a thread.
    pub fn for_another(&self) -> Trial {
        let known = Trial { begun: None, misses: 0, ..*self };
        match self.stage {
            Stage::Term => known,
            Stage::Reference => Trial { stage: Stage::Term, ..known },
            _ => Trial { stage: Stage::Filling(0), left: self.part_of_filling(), ..known },
        }
    }

    /// Whether what is remembered will be of use before it is filled again.
    pub fn recalls(&self) -> bool {
        !matches!(self.stage, Stage::Term | Stage::Reference) || self.winner == StepSource::Recall
    }

    /// No more trials. (Where `Execute` is the only source, it stays so.)
    pub fn settle(&mut self, source: StepSource) {
        if self.left != u32::MAX {
            *self = Trial { stage: Stage::Term, winner: source, left: u32::MAX, ..*self };
        }
    }

    fn source(&self) -> StepSource {
        match self.stage {
            Stage::Term | Stage::Reference => self.winner,
            Stage::Filling(_) => StepSource::Recall,
            Stage::Warming => StepSource::Execute,
            Stage::Turn(turn) if turn % 2 == 0 => StepSource::Recall,
            Stage::Turn(_) => StepSource::Execute,
        }
    }

    /// Whether the time of the present stage counts.
    pub fn is_measuring(&self) -> bool {
        matches!(self.stage, Stage::Turn(_) | Stage::Reference)
    }

    /// Whether a trial has just ended, and what is remembered is of no use for a long time.
    #[inline]
    pub fn has_just_lost(&self) -> bool {
        self.left == LAST_TERM - REFERENCE - 1
            && self.stage == Stage::Term
            && self.winner == StepSource::Execute
    }

    /// Where the steps of the next state come from.
    #[inline]
    pub fn next_source(&mut self) -> StepSource {
        self.next_source_at(time_of_thread)
    }

    #[inline(always)]
    fn next_source_at(&mut self, clock: impl FnOnce() -> Duration) -> StepSource {
        if self.left == 0 {
            self.next_stage(clock());
        }
        self.left = if self.left == u32::MAX { u32::MAX } else { self.left - 1 };
        self.source()
    }

    /// Takes that many of the next states, or as many as are certain to come from the same source. Which one,
    /// and how many.
    pub fn take_settled(&mut self, most: u32) -> (StepSource, u32) {
        let taken = most.min(self.left);
        self.left = if self.left == u32::MAX { u32::MAX } else { self.left - taken };
        (self.source(), taken)
    }

    #[cold]
    fn next_stage(&mut self, now: Duration) {
        let misses = std::mem::take(&mut self.misses);
        let taken = self.begun.replace(now).map(|begun| now.saturating_sub(begun));
        (self.stage, self.left) = match self.stage {
            Stage::Term if self.winner == StepSource::Execute => (Stage::Reference, REFERENCE),
            Stage::Term => self.fill(0),
            Stage::Reference => {
                self.executed_in = taken.map(|taken| taken * TURN / REFERENCE);
                self.fill(0)
            }
            Stage::Filling(part) => {
                self.late_misses = if part < PARTS - LATE_PARTS { 0 } else { self.late_misses + misses };
                if self.is_in_vain(part, taken) {
                    self.won(StepSource::Execute, 2)
                } else if part + 1 < PARTS {
                    self.fill(part + 1)
                } else if self.misses_are_rare() && matches!(self.trust, Trust::Untested | Trust::Tested) {
                    if self.trust == Trust::Untested && self.term == LAST_TERM {
                        self.trust = Trust::Doubted;
                    }
                    self.won(StepSource::Recall, 2)
                } else if std::mem::take(&mut self.is_cold) {
                    (Stage::Warming, WARMING)
                } else {
                    (Stage::Turn(0), TURN)
                }
            }
            Stage::Warming => (Stage::Turn(0), TURN),
            Stage::Turn(turn) => {
                self.times[turn as usize % 2][turn as usize / 2] = taken.unwrap_or_default();
                if turn + 1 < 2 * TURNS { (Stage::Turn(turn + 1), TURN) } else { self.compare() }
            }
        };
    }

    /// A part of filling begins.
    fn fill(&self, part: u32) -> (Stage, u32) {
        (Stage::Filling(part), self.part_of_filling())
    }

    /// States of a part of filling, before the next term.
    fn part_of_filling(&self) -> u32 {
        FIRST_FILLING.max(self.term / FIRST_PART) / PARTS
    }

    /// Whether the part of filling the memory that ends now shows that there is nothing to be gained.
    fn is_in_vain(&self, part: u32, taken: Option<Duration>) -> bool {
        match (taken, self.executed_in) {
            (Some(taken), Some(executed)) if self.winner == StepSource::Execute && part > 0 => {
                let recalled = taken * TURN / self.part_of_filling();
                if part < EARLY_PARTS { recalled > 3 * executed } else { is_clear(recalled, executed) }
            }
            _ => false,
        }
    }

    /// Whether little had to be executed when the memory was filled.
    fn misses_are_rare(&self) -> bool {
        let states = LATE_PARTS * self.part_of_filling();
        let rare = if self.term == FIRST_TERM { RARE_AT_FIRST } else { RARE };
        self.late_misses < states / rare
    }

    /// All have had their turns.
    fn compare(&mut self) -> (Stage, u32) {
        let [recall, execute] = self.times.map(mean_of_quickest);
        self.executed_in = Some(execute);
        let winner = if recall < execute { StepSource::Recall } else { StepSource::Execute };
        if self.misses_are_rare() {
            self.trust = if winner == StepSource::Recall { Trust::Tested } else { Trust::Refuted };
        }
        self.won(winner, if is_clear(recall, execute) { 4 } else { 2 })
    }

    /// The term that begins. The next one will be so many times as long.
    fn won(&mut self, winner: StepSource, factor: u32) -> (Stage, u32) {
        self.winner = winner;
        let next = (self.term * factor).min(LAST_TERM);
        let states = std::mem::replace(&mut self.term, next);
        match winner {
            StepSource::Recall => (Stage::Term, states),
            StepSource::Execute => (Stage::Term, states - REFERENCE),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use StepSource::{Execute, Recall};

    /// A search in which both sources take so many nanoseconds for a state, and of a hundred states so many
    /// have a miss.
    struct Search {
        trial: Trial,
        times: [u64; 2],
        misses: u64,
        now: u64,
        count: u64,
    }

    impl Search {
        fn new(recall: u64, execute: u64, misses: u64) -> Search {
            Search { trial: Trial::new(true), times: [recall, execute], misses, now: 0, count: 0 }
        }

        /// Takes so many states. The sources that were used, one behind the other, and how often each.
        fn sources(&mut self, states: u32) -> Vec<(StepSource, u32)> {
            let mut runs: Vec<(StepSource, u32)> = Vec::new();
            for _ in 0..states {
                let source = self.trial.next_source_at(|| Duration::from_nanos(self.now));
                self.count += 1;
                self.now += self.times[(source == Execute) as usize];
                self.trial.misses += (source == Recall && self.count * 7 % 100 < self.misses) as u32;
                match runs.last_mut() {
                    Some((last, count)) if *last == source => *count += 1,
                    _ => runs.push((source, 1)),
                }
            }
            runs
        }

        /// Up to the end of a trial, of which this is the first state or none yet. Who has won, and whether
        /// code was executed for it.
        fn trial(&mut self) -> (StepSource, bool) {
            let mut executed = false;
            while matches!(self.trial.stage, Stage::Term | Stage::Reference) {
                self.sources(1);
            }
            while self.trial.stage != Stage::Term {
                executed |= self.sources(1)[0].0 == Execute && self.trial.stage != Stage::Term;
            }
            (self.trial.winner, executed)
        }
    }

    const ALL_TURNS: u32 = 2 * TURNS * TURN;

    #[test]
    fn turns_and_terms() {
        for (recall, execute, winner) in [(100, 110, Recall), (110, 100, Execute)] {
            let mut search = Search::new(recall, execute, 50);
            assert_eq!(
                search.sources(FIRST_FILLING + WARMING),
                [(Recall, FIRST_FILLING), (Execute, WARMING)]
            );
            let mut term = FIRST_TERM;
            for _ in 0..9 {
                let turns = search.sources(ALL_TURNS);
                assert_eq!(turns.len() as u32, 2 * TURNS);
                assert_eq!((turns[0], turns[1]), ((Recall, TURN), (Execute, TURN)));
                assert_eq!(search.sources(term), [(winner, term)]);
                term = LAST_TERM.min(2 * term);
                let filling = FIRST_FILLING.max(term / FIRST_PART);
                assert_eq!(search.sources(filling), [(Recall, filling)]);
            }
            assert_eq!(term, LAST_TERM);
        }
    }

    #[test]
    fn where_little_is_missed_code_is_tried_once() {
        // By the second measure, each trial is won by the misses, but for one.
        for (misses, execute, later) in [(10, 150, Recall), (10, 90, Execute), (20, 150, Recall)] {
            let mut search = Search::new(100, execute, misses);
            let (mut tried, mut winners) = (0, Vec::new());
            for number in 0..12 {
                let (winner, executed) = search.trial();
                tried += executed as u32;
                winners.push(winner);
                assert!(number > 0 || !executed, "not in the first trial: {misses}");
                let long = search.trial.term == LAST_TERM;
                assert!(long || misses == 20 || winner == Recall && !executed, "nor while terms are short");
            }
            assert_eq!(winners.last(), Some(&later));
            match (misses, execute) {
                (10, 150) => assert_eq!((tried, search.trial.trust), (1, Trust::Tested)),
                (10, 90) => assert_eq!(search.trial.trust, Trust::Refuted),
                _ => assert_eq!((tried, search.trial.trust), (11, Trust::Untested)),
            }
        }
    }

    #[test]
    fn slow_turns_do_not_count() {
        let times = |slow: usize| {
            let mut times = [Duration::from_micros(10); TURNS as usize];
            times[..slow].fill(Duration::from_millis(1));
            mean_of_quickest(times)
        };
        assert_eq!(times(TURNS as usize - COUNTED), Duration::from_micros(10));
        assert!(times(TURNS as usize - COUNTED + 1) > Duration::from_micros(100));
    }

    #[test]
    fn a_trial_ends_early_where_nothing_is_to_be_gained() {
        let mut search = Search::new(200, 100, 50);
        assert_eq!(search.trial(), (Execute, true));
        // Three times as long would be too much for the first parts.
        let part = search.trial.part_of_filling();
        let term = FIRST_TERM - 1;
        assert_eq!(search.sources(term), [(Execute, term)]);
        let in_vain = [(Recall, (EARLY_PARTS + 1) * part), (Execute, 1)];
        assert_eq!(search.sources((EARLY_PARTS + 1) * part + 1), in_vain);
        assert_eq!(search.trial.term, 8 * FIRST_TERM, "it was clear, and then in vain");
        search.times = [400, 100];
        assert_eq!(search.trial(), (Execute, false));
        // When everything has become slower, code has as well.
        search.times = [280, 200];
        assert_eq!(search.trial(), (Execute, true));
        search.times = [380, 400];
        assert_eq!(search.trial(), (Recall, true));
        // To recall has won: the memory is filled to the end.
        search.times = [900, 200];
        assert_eq!(search.trial(), (Execute, true));
    }

    #[test]
    fn when_all_is_forgotten() {
        let mut search = Search::new(200, 100, 50);
        let mut forgotten = 0;
        while forgotten < 2 {
            let (winner, _) = search.trial();
            assert_eq!(winner, Execute);
            let is_long = search.trial.left == LAST_TERM - REFERENCE - 1;
            assert_eq!(search.trial.has_just_lost(), is_long);
            forgotten += is_long as u32;
        }
    }

    #[test]
    fn another_worker_knows_what_has_come_of_the_trials() {
        let mut search = Search::new(150, 160, 50);
        assert_eq!(search.trial.for_another().left, search.trial.left, "nothing has happened yet");
        // In the middle of a trial: it begins again.
        search.sources(FIRST_FILLING + WARMING + TURN / 2);
        assert!(search.trial.is_measuring());
        let other = search.trial.for_another();
        assert!(!other.is_measuring() && other.recalls());
        let mut other = Search { trial: other, ..Search::new(150, 160, 50) };
        assert_eq!(other.sources(FIRST_FILLING + TURN), [(Recall, FIRST_FILLING + TURN)]);
        assert_eq!(other.sources(1), [(Execute, 1)]);
        // In the middle of a term: both go on with the winner, for as long.
        search.sources(ALL_TURNS);
        let other = search.trial.for_another();
        let known = &search.trial;
        assert_eq!((other.winner, other.left, other.term), (Recall, known.left, known.term));
        assert!(other.recalls());
        let left = other.left;
        let mut other = Search { trial: other, ..Search::new(150, 160, 50) };
        assert_eq!(other.sources(left), [(Recall, left)]);
        // No more trials, here and there.
        search.trial.settle(Execute);
        for trial in [search.trial, Trial::new(false)] {
            let other = trial.for_another();
            assert_eq!((other.left, other.source()), (u32::MAX, Execute));
        }
    }

    #[test]
    fn the_only_source() {
        let mut trial = Trial::new(false);
        for _ in 0..2 * LAST_TERM {
            assert_eq!(trial.next_source(), Execute);
        }
    }
}
