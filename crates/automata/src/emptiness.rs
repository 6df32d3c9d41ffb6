//! Does an automaton accept a word? Asked of the checks that search models, over the automaton alone.
//!
//! An accepting cycle must meet every acceptance set, unless the question is another ([`Marked`]): a cycle
//! through certain sets, whatever it makes of the others, or through any so many of them. The latter is
//! answered as Tauriainen 2003, §4.2, suggests: one selection of sets after the other.
//!
//! What a check is given is the automaton without edges that no letter takes and without states that no run
//! reaches, and nothing else is simplified away: to remove the states from which no run accepts would be to
//! answer the question before it is asked. A check for one set gets copies of the states, one for each number
//! of sets met; `sd` and `reach`, which are for weak automata, need no copies: all states of a component
//! accept, or none does.
//!
//! The answer is a word u·v^ω, spelled by the edges of the lasso that the check found. Both are judged before
//! anybody sees them: the lasso by the arcs, the word by the automaton as it was before it was given one set.

use lariat_ltl::bdd::Cube;
use lariat_ltl::emptiness::accepts;
use lariat_ltl::scc::Structure;
use lariat_ltl::strength::{Strength, strength};
use lariat_ltl::{Automaton, Bdds, Edge, Letter, Marks, Placement, State, Word};
use lariat_search::emptiness::{
    Check, ExplicitProduct, Lasso, Needs, ProductStep, Search, Stopped, is_accepting_lasso,
};
use lariat_search::{Counts, Limits, StopReason};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use lariat_verdict::{AS_ASKED, Algorithm, ChosenCheck, advised, describe_stop};

/// Which acceptance sets a cycle must meet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Marked {
    /// All of them.
    #[default]
    All,
    /// These, by number.
    Cover(Vec<u32>),
    /// Any so many.
    AtLeast(u32),
}

/// What is asked about an automaton, and how the answer is to be found.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// Which check is used.
    pub algorithm: Algorithm,
    /// Every check gets an automaton with one set.
    pub degeneralise: bool,
    /// How many threads there are; 0 counts as 1.
    pub threads: usize,
    /// Which acceptance sets a cycle must meet.
    pub marked: Marked,
    /// How long it may take, of all searches together.
    pub timeout: Option<Duration>,
    /// Set from outside, to stop.
    pub interrupt: Option<&'static AtomicBool>,
}

/// A word: letters as conjunctions of literals. What a letter does not mention may be either.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundWord {
    /// What is read once.
    pub prefix: Vec<Cube>,
    /// What is read again and again; not empty.
    pub cycle: Vec<Cube>,
}

/// Whether there is such a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is none.
    Empty,
    /// There is this one.
    NotEmpty(FoundWord),
    /// The check cannot do it, and why.
    Refused(String),
    /// A limit came first, and which.
    Unknown(String),
}

/// The answer, and what it took to find it.
#[derive(Clone, Debug)]
pub struct Emptiness {
    /// Whether there is such a word.
    pub answer: Answer,
    /// The name of the check.
    pub algorithm: &'static str,
    /// Why it was chosen.
    pub why: &'static str,
    /// If not all sets were asked for: those that the cycle meets, or none if there is no cycle.
    pub met: Option<Vec<u32>>,
    /// Of all searches together.
    pub visited: u64,
    /// Arcs generated.
    pub transitions: u64,
    /// How often arcs were asked for.
    pub post_calls: u64,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// A set that the automaton does not have.
    #[error("it has {}, so there is no set {set}", sets_shown(*sets))]
    NoSuchSet {
        /// Its number.
        set: u32,
        /// How many there are.
        sets: u32,
    },
    /// More sets than the automaton has.
    #[error("it has {}, so no cycle meets {wanted} of them", sets_shown(*sets))]
    TooFewSets {
        /// How many were asked for.
        wanted: u32,
        /// How many there are.
        sets: u32,
    },
    /// There are too many ways to choose so many sets.
    #[error(
        "there are {count} ways to choose {wanted} of {sets} acceptance sets; at most {MOST_SELECTIONS} are tried"
    )]
    TooManySelections {
        /// How many ways.
        count: u64,
        /// How many sets were asked for.
        wanted: u32,
        /// How many there are.
        sets: u32,
    },
    /// The copies of its states, one for each number of sets met, would be too many.
    #[error("it is too large to be given one acceptance set")]
    TooLarge,
    /// An error of the program itself.
    #[error("`{check}` found a run, but {reason}")]
    Refuted {
        /// The name of the check that found the run.
        check: &'static str,
        /// What is wrong with the run.
        reason: String,
    },
}

fn sets_shown(sets: u32) -> String {
    match sets {
        0 => "no acceptance sets".to_string(),
        1 => "1 acceptance set, number 0".to_string(),
        _ => format!("{sets} acceptance sets, numbered from 0"),
    }
}

/// More selections of sets are not tried.
const MOST_SELECTIONS: u64 = 10_000;

/// More copies of edges are not made.
const MOST_COPIES: usize = 20_000_000;

/// Copies of states between two looks at the clock.
const COPIES_BETWEEN_LOOKS: usize = 1024;

/// Operations on labels that may be spent to find out how strong an automaton is.
pub(crate) const MOST_RESULTS: usize = 1 << 22;

/// Pairs of an edge and a position up to which all runs of a word are looked at.
const MOST_PAIRS: usize = 1 << 22;

/// Looks for an accepting run of the automaton.
pub fn emptiness(bdds: &mut Bdds, automaton: &Automaton, question: &Question) -> Result<Emptiness, NoAnswer> {
    let mut automaton = automaton.clone();
    automaton.tidy(bdds);
    let reachable = automaton.reachable();
    automaton.restrict_to(&reachable);
    let selections = selections(automaton.sets, &question.marked)?;
    let limits = Limits {
        deadline: question.timeout.map(|timeout| Instant::now() + timeout),
        interrupt: question.interrupt,
        ..Limits::default()
    };
    let (mut visited, mut transitions, mut post_calls) = (0, 0, 0);
    let mut refused = None;
    let mut last = None;
    for &selection in &selections {
        let selected = select(bdds, &automaton, selection);
        let mut result = decide(bdds, &selected, question, limits, selections.len() > 1)?;
        visited += result.visited;
        transitions += result.transitions;
        post_calls += result.post_calls;
        if question.marked != Marked::All {
            let found = matches!(result.answer, Answer::NotEmpty(_));
            result.met = Some(if found { selection.iter().collect() } else { Vec::new() });
        }
        match result.answer {
            Answer::NotEmpty(_) | Answer::Unknown(_) => {
                return Ok(Emptiness { visited, transitions, post_calls, ..result });
            }
            Answer::Refused(_) => refused = Some(result),
            Answer::Empty => last = Some(result),
        }
    }
    let result = refused.or(last).expect("there is at least one selection");
    Ok(Emptiness { visited, transitions, post_calls, ..result })
}

/// The selections of sets that are to be tried; at least one.
fn selections(sets: u32, marked: &Marked) -> Result<Vec<Marks>, NoAnswer> {
    match *marked {
        Marked::All => Ok(vec![Marks::all(sets)]),
        Marked::Cover(ref wanted) => match wanted.iter().find(|&&set| set >= sets) {
            Some(&set) => Err(NoAnswer::NoSuchSet { set, sets }),
            None => Ok(vec![wanted.iter().copied().collect()]),
        },
        Marked::AtLeast(wanted) if wanted > sets => Err(NoAnswer::TooFewSets { wanted, sets }),
        Marked::AtLeast(wanted) => {
            let count = ways(sets, wanted);
            if count > MOST_SELECTIONS {
                return Err(NoAnswer::TooManySelections { count, wanted, sets });
            }
            let mut selections = Vec::with_capacity(count as usize);
            let mut chosen: Vec<u32> = (0..wanted).collect();
            loop {
                selections.push(chosen.iter().copied().collect());
                // The last place that can move on; what is behind it follows closely.
                let movable = |&place: &usize| chosen[place] < sets - wanted + place as u32;
                let Some(place) = (0..chosen.len()).rev().find(movable) else { break };
                chosen[place] += 1;
                for next in place + 1..chosen.len() {
                    chosen[next] = chosen[next - 1] + 1;
                }
            }
            Ok(selections)
        }
    }
}

/// In how many ways some of the sets can be chosen, or a number that is too large anyway.
fn ways(sets: u32, chosen: u32) -> u64 {
    let chosen = chosen.min(sets - chosen);
    let ways = (0..chosen).fold(1u128, |ways, k| {
        // Whole at every step: it is the number of ways to choose k + 1 of them.
        ways * u128::from(sets - k) / u128::from(k + 1)
    });
    u64::try_from(ways).unwrap_or(u64::MAX)
}

/// The automaton with these acceptance sets only.
fn select(bdds: &mut Bdds, automaton: &Automaton, selection: Marks) -> Automaton {
    let mut selected = automaton.clone();
    if selection == automaton.all_marks() {
        return selected;
    }
    selected.sets = selection.len();
    for edge in selected.edges.iter_mut().flatten() {
        let kept = selection.iter().enumerate().filter(|&(_, set)| edge.marks.contains(set));
        edge.marks = kept.map(|(new, _)| new as u32).collect();
    }
    selected.tidy(bdds);
    selected
}

/// Runs the check, and judges what it finds.
fn decide(
    bdds: &mut Bdds,
    automaton: &Automaton,
    question: &Question,
    limits: Limits,
    one_of_many: bool,
) -> Result<Emptiness, NoAnswer> {
    let is_auto = question.algorithm == Algorithm::Auto;
    let power = match question.algorithm {
        Algorithm::Auto if one_of_many => Strength::Strong,
        Algorithm::Named(check) if check.description().needs <= Needs::OneSet => Strength::Strong,
        Algorithm::Threaded(_) => Strength::Strong,
        _ => bdds.within(MOST_RESULTS, |bdds| strength(bdds, automaton)).unwrap_or(Strength::Strong),
    };
    let (check, why) = match question.algorithm.named() {
        Some(check) => (check, AS_ASKED),
        None if one_of_many => (Check::RootsAndActive, "components are found as soon as they accept"),
        None => advised(power),
    };
    let description = check.description();
    let together = question.algorithm.together();
    let mut result = Emptiness {
        answer: Answer::Empty,
        algorithm: ChosenCheck { check, together, why, power }.name(),
        why,
        met: None,
        visited: 0,
        transitions: 0,
        post_calls: 0,
    };
    let needed = match description.needs {
        Needs::Weak if power > Strength::Weak => Some("weak"),
        Needs::Terminal if power > Strength::Terminal => Some("terminal"),
        _ => None,
    };
    if let Some(needed) = needed.filter(|_| !is_auto) {
        let reason = format!("`{}` needs a {needed} automaton, and this one is {power}", description.name);
        return Ok(Emptiness { answer: Answer::Refused(reason), ..result });
    }
    let given = match description.needs {
        Needs::Weak | Needs::Terminal => Ok(GivenAutomaton::new(mark_components(automaton))),
        Needs::OneSet => count_sets(automaton, limits)?,
        Needs::AnySets if question.degeneralise => count_sets(automaton, limits)?,
        Needs::AnySets => Ok(GivenAutomaton::new(automaton.clone())),
    };
    let GivenAutomaton { automaton: searched, origin } = match given {
        Ok(given) => given,
        Err(Stopped(reason)) => {
            let answer = Answer::Unknown(describe_stop(reason, question.timeout));
            return Ok(Emptiness { answer, ..result });
        }
    };
    let mut product = ExplicitProduct::of(&searched);
    if let Some(together) = together {
        let (found, _) = together.run(&product, vec![(); question.threads.max(1)], limits, None);
        if let Ok(false) = found.outcome {
            let Counts { visited, transitions, post_calls, .. } = found.counts;
            return Ok(Emptiness { visited, transitions, post_calls, ..result });
        }
        // What is found is shown by one thread; and if a limit was hit, it was hit.
    }
    let mut search = Search::new(&mut product, limits, None);
    let outcome = check.run(&mut search);
    (result.visited, result.transitions, result.post_calls) =
        (search.counts().visited, search.counts().transitions, search.counts().post_calls);
    let wrong = |reason: String| NoAnswer::Refuted { check: description.name, reason };
    match outcome {
        Ok(None) => {}
        Ok(Some(lasso)) => {
            is_accepting_lasso(&mut product, &lasso).map_err(wrong)?;
            let found = spelled(bdds, &searched, &lasso).map_err(wrong)?;
            let states = |steps: &[ProductStep]| -> Vec<State> {
                steps.iter().map(|step| origin[step.state.index()]).collect()
            };
            let (prefix, cycle) = (states(&lasso.prefix), states(&lasso.cycle));
            judge(bdds, automaton, &found, &prefix, &cycle).map_err(wrong)?;
            result.answer = Answer::NotEmpty(found);
        }
        Err(Stopped(reason)) => {
            result.answer = Answer::Unknown(describe_stop(reason, question.timeout));
        }
    }
    Ok(result)
}

/// What a check is given.
pub(crate) struct GivenAutomaton {
    pub automaton: Automaton,
    /// Of which state of the automaton that was asked about each state is a copy.
    pub origin: Vec<State>,
}

impl GivenAutomaton {
    /// The states are the same.
    pub fn new(automaton: Automaton) -> GivenAutomaton {
        let origin = (0..automaton.states() as State).collect();
        GivenAutomaton { automaton, origin }
    }
}

/// One set, on states, for a weak automaton: the states of accepting components.
pub(crate) fn mark_components(automaton: &Automaton) -> Automaton {
    let structure = Structure::of(automaton);
    let mut marked = Automaton { sets: 1, placement: Placement::States, ..automaton.clone() };
    for (state, edges) in marked.edges.iter_mut().enumerate() {
        let accepting = structure.is_accepting(structure.components.of[state]);
        let marks = if accepting { Marks::one(0) } else { Marks::NONE };
        edges.iter_mut().for_each(|edge| edge.marks = marks);
    }
    marked
}

/// One set, on states, for any automaton: the classic counter of sets, from which no state is pruned. One
/// that has one already stays as it is. `Ok(Err(…))` if a limit comes first.
pub(crate) fn count_sets(
    automaton: &Automaton,
    limits: Limits,
) -> Result<Result<GivenAutomaton, Stopped>, NoAnswer> {
    let sets = automaton.sets;
    if sets == 1 && automaton.has_state_acceptance() {
        return Ok(Ok(GivenAutomaton::new(automaton.clone())));
    }
    let mut number: HashMap<(State, u32), State> = HashMap::new();
    let mut copies: Vec<(State, u32)> = Vec::new();
    let mut visit = |copy: (State, u32), copies: &mut Vec<(State, u32)>| {
        *number.entry(copy).or_insert_with(|| {
            copies.push(copy);
            copies.len() as State - 1
        })
    };
    let initial = automaton.initial.iter().map(|&state| visit((state, 0), &mut copies)).collect();
    let mut edges: Vec<Vec<Edge>> = Vec::new();
    let mut count = 0;
    while edges.len() < copies.len() {
        let (state, level) = copies[edges.len()];
        let full = level == sets;
        let marks = if full { Marks::one(0) } else { Marks::NONE };
        let mut leaving = Vec::new();
        for edge in automaton.leaving(state) {
            let mut next = if full { 0 } else { level };
            while next < sets && edge.marks.contains(next) {
                next += 1;
            }
            leaving.push(Edge { label: edge.label, marks, to: visit((edge.to, next), &mut copies) });
        }
        count += leaving.len() + 1;
        if count > MOST_COPIES {
            return Err(NoAnswer::TooLarge);
        }
        if edges.len().is_multiple_of(COPIES_BETWEEN_LOOKS) {
            if limits.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                return Ok(Err(Stopped(StopReason::Interrupted)));
            }
            if limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Ok(Err(Stopped(StopReason::Timeout)));
            }
        }
        edges.push(leaving);
    }
    let counted = Automaton {
        name: automaton.name.clone(),
        propositions: automaton.propositions.clone(),
        sets: 1,
        placement: Placement::States,
        initial,
        edges,
    };
    let origin = copies.into_iter().map(|(state, _)| state).collect();
    Ok(Ok(GivenAutomaton { automaton: counted, origin }))
}

/// The word on the edges of a lasso.
fn spelled(bdds: &Bdds, automaton: &Automaton, lasso: &Lasso) -> Result<FoundWord, String> {
    let letter = |step: &ProductStep| {
        let edge = automaton.edges[step.state.index()][step.arc as usize];
        bdds.satisfying(edge.label).ok_or_else(|| "no letter takes one of its edges".to_string())
    };
    let word = |steps: &[ProductStep]| steps.iter().map(letter).collect::<Result<Vec<Cube>, String>>();
    Ok(FoundWord { prefix: word(&lasso.prefix)?, cycle: word(&lasso.cycle)? })
}

/// Whether the automaton accepts the word: by the run through the states of the lasso, and, unless the word
/// is too long for that, by whoever looks at all runs and knows nothing of the lasso.
fn judge(
    bdds: &Bdds,
    automaton: &Automaton,
    found: &FoundWord,
    prefix: &[State],
    cycle: &[State],
) -> Result<(), String> {
    let propositions = automaton.propositions.len();
    let letter = |cube: &Cube| {
        let mut values = vec![false; propositions];
        for &(variable, positive) in cube {
            values[variable as usize] = positive;
        }
        Letter(values)
    };
    // The marks on the edges from one state to another that admit a letter; `None` if there is no such edge.
    // Where there are several, a run takes them in turn.
    let step = |from: State, to: State, cube: &Cube| {
        let letter = letter(cube);
        let admits =
            |edge: &&Edge| edge.to == to && bdds.evaluate(edge.label, |proposition| letter.get(proposition));
        let marks = automaton.leaving(from).iter().filter(admits).map(|edge| edge.marks);
        marks.reduce(|one, two| one | two)
    };
    let follow = |states: &[State], letters: &[Cube]| {
        let ends = states.iter().skip(1).chain(cycle.first());
        let mut steps = states.iter().zip(ends).zip(letters);
        steps.try_fold(Marks::NONE, |met, ((&from, &to), letter)| Some(met | step(from, to, letter)?))
    };
    let starts = prefix.iter().chain(cycle).next().is_some_and(|first| automaton.initial.contains(first));
    let by_its_run = starts
        && follow(prefix, &found.prefix).is_some()
        && follow(cycle, &found.cycle) == Some(automaton.all_marks());
    let length = found.prefix.len() + found.cycle.len();
    let pairs = (automaton.states() + automaton.edge_count()).saturating_mul(length);
    let accepted = by_its_run
        && (pairs > MOST_PAIRS || {
            let letters = |cubes: &[Cube]| cubes.iter().map(letter).collect();
            accepts(bdds, automaton, &Word { prefix: letters(&found.prefix), cycle: letters(&found.cycle) })
        });
    if accepted { Ok(()) } else { Err("the automaton does not accept its word".to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lariat_ltl::Bdd;
    use lariat_search::emptiness::{ALGORITHMS, THREADED};

    #[test]
    fn selections_of_sets() {
        let all = |sets, wanted| selections(sets, &Marked::AtLeast(wanted)).unwrap();
        assert_eq!(all(3, 2), [Marks(0b011), Marks(0b101), Marks(0b110)]);
        assert_eq!(all(3, 0), [Marks::NONE]);
        assert_eq!(all(0, 0), [Marks::NONE]);
        assert_eq!(all(64, 64), [Marks::all(64)]);
        assert_eq!(all(20, 3).len() as u64, ways(20, 3));
        assert_eq!(selections(3, &Marked::Cover(vec![2, 0, 2])), Ok(vec![Marks(0b101)]));
        assert_eq!(selections(3, &Marked::Cover(vec![0, 3])), Err(NoAnswer::NoSuchSet { set: 3, sets: 3 }));
        assert!(matches!(
            selections(64, &Marked::AtLeast(32)),
            Err(NoAnswer::TooManySelections { count: 1_832_624_140_942_590_534, .. })
        ));
    }

    /// All automata with two states, four possible edges, two sets on them: all checks agree with the
    /// components.
    #[test]
    fn all_checks_agree_on_all_small_automata() {
        let mut bdds = Bdds::new();
        // Per pair of states: no edge, or one with any marks of two sets.
        for code in 0..5u32.pow(4) {
            let mut edges = vec![Vec::new(), Vec::new()];
            for place in 0..4 {
                let what = code / 5u32.pow(place) % 5;
                if what > 0 {
                    let marks = Marks(u64::from(what - 1));
                    edges[place as usize / 2].push(Edge { label: Bdd::TRUE, marks, to: place % 2 });
                }
            }
            let automaton = Automaton { sets: 2, edges, initial: vec![0], ..Automaton::default() };
            let empty = lariat_ltl::emptiness::is_empty(&automaton);
            let algorithms = ALGORITHMS.iter().map(|description| Algorithm::Named(description.check));
            let threaded = THREADED.iter().map(|description| Algorithm::Threaded(description.check));
            for algorithm in algorithms.chain([Algorithm::Auto]).chain(threaded) {
                for degeneralise in [false, true] {
                    let question = Question {
                        algorithm,
                        degeneralise,
                        threads: 1 + code as usize % 3,
                        marked: Marked::All,
                        ..Question::default()
                    };
                    let result = emptiness(&mut bdds, &automaton, &question).unwrap();
                    match result.answer {
                        Answer::Empty => assert!(empty, "{code}, {algorithm:?}"),
                        Answer::NotEmpty(_) => assert!(!empty, "{code}, {algorithm:?}"),
                        Answer::Refused(_) => assert!(["sd", "csd", "reach"].contains(&result.algorithm)),
                        Answer::Unknown(reason) => panic!("{reason}"),
                    }
                }
            }
        }
    }
}
