//! Two-phase commit, with a coordinator that may crash.
//!
//! The participants of a transaction vote; the coordinator commits if all say yes, and aborts otherwise
//! (Gray, 1978). No two participants ever decide differently, and that is all that an invariant can say.
//! Whether they decide *at all* is a question about whole runs: after its yes a participant must wait, and if
//! the coordinator crashes, it waits for ever. That is the well-known weakness of the protocol.
//!
//! ```sh
//! cargo run --release -p lariat --example two_phase_commit
//! ```

use lariat::{Checker, Ending, Model, Propositions, check};

const PARTICIPANTS: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Decision {
    Commit,
    Abort,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Participant {
    Working,
    /// It has voted yes, and may no longer decide alone.
    Prepared,
    Decided(Decision),
}
use Participant::{Decided, Prepared, Working};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    coordinator_is_up: bool,
    /// In the coordinator's log, which survives a crash.
    logged: Option<Decision>,
    participants: [Participant; PARTICIPANTS],
    /// Votes that have arrived at the coordinator. A crash loses them.
    votes: [Option<bool>; PARTICIPANTS],
    /// Decisions that are on their way. They arrive in the end, but perhaps late.
    decisions: [Option<Decision>; PARTICIPANTS],
    /// To whom the decision has been sent since the coordinator is up.
    told: [bool; PARTICIPANTS],
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Action {
    Vote {
        participant: usize,
        yes: bool,
    },
    /// The coordinator writes its log.
    Log(Decision),
    Tell {
        participant: usize,
    },
    Learn {
        participant: usize,
    },
    /// A participant that has waited too long decides alone.
    GiveUp {
        participant: usize,
    },
    Crash,
    Recover,
}

#[derive(Default)]
struct TwoPhaseCommit {
    may_crash: bool,
    /// A crashed coordinator may come back, with what is in its log.
    may_recover: bool,
    /// Participants do not wait for ever after their yes.
    impatient: bool,
}

impl Model for TwoPhaseCommit {
    type State = State;
    type Action = Action;

    fn initial_states(&self) -> Vec<State> {
        vec![State {
            coordinator_is_up: true,
            logged: None,
            participants: [Working; PARTICIPANTS],
            votes: [None; PARTICIPANTS],
            decisions: [None; PARTICIPANTS],
            told: [false; PARTICIPANTS],
        }]
    }

    fn successors(&self, state: &State, out: &mut Vec<(Action, State)>) {
        let mut step = |action: Action, change: &dyn Fn(&mut State)| {
            let mut next = state.clone();
            change(&mut next);
            out.push((action, next));
        };
        for k in 0..PARTICIPANTS {
            match state.participants[k] {
                Working => {
                    for yes in [true, false] {
                        step(Action::Vote { participant: k, yes }, &|next| {
                            // After a no the transaction is dead, so there is nothing to wait for.
                            next.participants[k] = if yes { Prepared } else { Decided(Decision::Abort) };
                            // Nobody hears a vote while the coordinator is down.
                            next.votes[k] = Some(yes).filter(|_| next.coordinator_is_up);
                        });
                    }
                }
                Prepared if self.impatient => step(Action::GiveUp { participant: k }, &|next| {
                    next.participants[k] = Decided(Decision::Abort);
                }),
                Prepared | Decided(_) => {}
            }
            if let Some(decision) = state.decisions[k] {
                step(Action::Learn { participant: k }, &|next| {
                    next.decisions[k] = None;
                    if !matches!(next.participants[k], Decided(_)) {
                        next.participants[k] = Decided(decision);
                    }
                });
            }
        }
        if !state.coordinator_is_up {
            if self.may_recover {
                step(Action::Recover, &|next| next.coordinator_is_up = true);
            }
            return;
        }
        match state.logged {
            None => {
                if state.votes == [Some(true); PARTICIPANTS] {
                    step(Action::Log(Decision::Commit), &|next| next.logged = Some(Decision::Commit));
                }
                // It may abort at any time before: somebody said no, or votes are late, or were lost.
                step(Action::Log(Decision::Abort), &|next| next.logged = Some(Decision::Abort));
            }
            Some(decision) => {
                for k in (0..PARTICIPANTS).filter(|&k| !state.told[k]) {
                    step(Action::Tell { participant: k }, &|next| {
                        next.told[k] = true;
                        next.decisions[k] = Some(decision);
                    });
                }
            }
        }
        if self.may_crash {
            step(Action::Crash, &|next| {
                next.coordinator_is_up = false;
                // All of it was in memory.
                next.votes = [None; PARTICIPANTS];
                next.told = [false; PARTICIPANTS];
            });
        }
    }

    fn propositions<'m>(&'m self, named: &mut Propositions<'m, State>) {
        let has = |state: &State, decision| state.participants.contains(&Decided(decision));
        named.add("agreement", move |state| !(has(state, Decision::Commit) && has(state, Decision::Abort)));
        named.add("committed", move |state| has(state, Decision::Commit));
        named.add("up", |state| state.coordinator_is_up);
        named.add("prepared", |state| state.participants[0] == Prepared);
        named.add("decided", |state| matches!(state.participants[0], Decided(_)));
    }
}

/// Who has voted yes learns the decision some time.
const NOBODY_WAITS_FOR_EVER: &str = "G (prepared -> F decided)";

fn main() -> Result<(), lariat::Error> {
    println!("Without crashes the participants agree, all of them decide, and they can commit:");
    let calm = TwoPhaseCommit::default();
    println!("{}", Checker::new(&calm).invariant("agreement")?.assert_holds().first_line());
    println!("{}", check(&calm, NOBODY_WAITS_FOR_EVER)?.assert_holds().first_line());
    println!("{}", Checker::new(&calm).exists("F committed")?.assert_holds());

    println!("With crashes they still agree, but one of them may wait for ever:");
    let crashing = TwoPhaseCommit { may_crash: true, ..TwoPhaseCommit::default() };
    println!("{}", Checker::new(&crashing).invariant("agreement")?.assert_holds().first_line());
    let report = Checker::new(&crashing).shortest().check(NOBODY_WAITS_FOR_EVER)?.assert_violated();
    println!("{report}");
    // It does not go round in circles: it is stuck.
    assert_eq!(report.run.map(|run| run.ending), Some(Ending::Stops));

    println!("So let the participants give up waiting. Now nobody waits for ever, but they disagree:");
    let impatient = TwoPhaseCommit { may_crash: true, impatient: true, ..TwoPhaseCommit::default() };
    println!("{}", check(&impatient, NOBODY_WAITS_FOR_EVER)?.assert_holds().first_line());
    println!("{}", Checker::new(&impatient).invariant("agreement")?.assert_violated());

    println!("The remedy is a coordinator that recovers. It must not crash again and again, though:");
    let recovering = TwoPhaseCommit { may_crash: true, may_recover: true, ..TwoPhaseCommit::default() };
    println!("{}", Checker::new(&recovering).invariant("agreement")?.assert_holds().first_line());
    println!("{}", Checker::new(&recovering).shortest().check(NOBODY_WAITS_FOR_EVER)?.assert_violated());
    println!("{}", check(&recovering, &format!("F G up -> {NOBODY_WAITS_FOR_EVER}"))?.assert_holds());
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn everything_is_as_it_says() {
        super::main().unwrap();
    }
}
