//! From a formula to the smallest automaton that we can find, with a proof that it is the right one.
//!
//! 1. Rewrite the formula and its negation ([`crate::rewrite`]).
//! 2. Translate both in several ways: the tableau, branching early and late, and by way of alternating
//!    automata. Reduce each result by pruning and simulation ([`crate::reduce`]). If none is small, translate
//!    piece by piece ([`crate::piecewise`]).
//! 3. Every automaton for the formula must share no word with one for the negation. A translation does not
//!    lose words: given a word of the language, its run can be written down, which is the easy half of the
//!    correctness of either construction. So an empty product *proves* the hard half for both: what the one
//!    accepts beyond its formula, the other would accept by right. The easy half is tested, in each
//!    translation, on words chosen at random and on words that the automata accept, by the definition of the
//!    logic ([`crate::evaluate`]). A failure would be an error of ours and is reported as such.
//! 4. If the language is an obligation, its minimal weak deterministic automaton joins the candidates, and
//!    those that are not weak leave.
//! 5. Let the automaton for the negation judge which states may be merged ([`crate::reduce::merge`]).
//! 6. Take the smallest: by states, then edges, then strength, then determinism. If one set on states is
//!    wanted, the candidates, merged and not, are degeneralised first, with the sets in various orders, and
//!    reduced and merged again.
//!
//! All of it is deterministic: limits are numbers of states and edges looked at, not seconds.

use crate::alternating;
use crate::automaton::{Automaton, Placement};
use crate::bdd::Bdds;
use crate::emptiness::{accepts, intersect_within, some_word};
use crate::evaluate::evaluate;
use crate::formula::{Formula, Formulas};
use crate::limits::{Excess, Limits};
use crate::marks::Marks;
use crate::piecewise;
use crate::reduce;
use crate::reduce::degeneralise::{degeneralise, make_one_set};
use crate::reduce::merge::{Judge, Order, merge_states};
use crate::reduce::obligation::minimal_weak;
use crate::rewrite::Rewriter;
use crate::stop::{Stop, bytes_of};
use crate::strength::{Strength, strength};
use crate::tableau::{self, Branching};
use crate::word::{Letter, Word};
use std::fmt;

/// What kind of automaton is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Form {
    /// Any number of acceptance sets, on edges.
    #[default]
    Generalised,
    /// One acceptance set, on states.
    Buchi,
}

/// Which translation is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Method {
    /// All of them; the smallest result wins.
    #[default]
    Best,
    /// The tableau alone, reduced by simulation.
    Tableau,
    /// Alternating automata alone, reduced by simulation.
    Alternating,
}

/// What is wanted, and how much work may be done for it.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// How acceptance is to look.
    pub form: Form,
    /// Which ways are tried; only [`Method::Best`] merges states with the help of the negation.
    pub method: Method,
    /// Give up if a translation has more states than this. The other limits follow it ([`Limits`]).
    pub max_states: usize,
    /// How many edges may be looked at to make the automaton smaller by merging.
    pub effort: usize,
    /// Who may stop the work.
    pub stop: Stop<'a>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            form: Form::Generalised,
            method: Method::Best,
            max_states: Limits::USUAL_STATES,
            effort: 2_000_000,
            stop: Stop::NEVER,
        }
    }
}

impl<'a> Options<'a> {
    fn limits(&self) -> Limits<'a> {
        Limits::for_states(self.max_states, self.stop)
    }
}

/// An automaton for a formula, and what is known about it.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The formula that was translated: rewritten, in negation normal form.
    pub formula: Formula,
    /// It accepts exactly the words that satisfy the formula.
    pub automaton: Automaton,
    /// An automaton for the negation, if it was not too large.
    pub complement: Option<Automaton>,
    /// The product with the complement was built and found empty: no word is accepted that should not be.
    pub proved: bool,
}

/// Why there is no automaton for a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failure {
    /// It would take more states, edges or operations on labels than allowed ([`Limits`]).
    TooLarge {
        /// What was allowed: [`Options::max_states`].
        max_states: usize,
    },
    /// More acceptance sets than there can be.
    TooManySets,
    /// More propositions than [`MAX_PROPOSITIONS`].
    TooManyPropositions(usize),
    /// The automata for the formula and for its negation accept a common word, or a word is judged otherwise
    /// by an automaton than by the formula. An error of ours.
    Contradiction,
    /// [`Options::stop`] said so.
    Stopped,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::TooLarge { max_states } => {
                let limits = Limits::for_states(*max_states, Stop::NEVER);
                write!(f, "the automaton is too large: it would take more than {limits}")
            }
            Failure::TooManySets => {
                write!(f, "the automaton would need more than {} acceptance sets", Marks::LIMIT)
            }
            Failure::TooManyPropositions(count) => {
                write!(
                    f,
                    "the formula has {count} propositions; {MAX_PROPOSITIONS} are the most that can be handled"
                )
            }
            Failure::Contradiction => {
                write!(
                    f,
                    "internal error: the automata for the formula and for its negation accept a common word"
                )
            }
            Failure::Stopped => write!(f, "the translation was stopped"),
        }
    }
}

impl std::error::Error for Failure {}

/// As many propositions as an automaton may have when it is read ([`crate::hoa`]).
pub const MAX_PROPOSITIONS: usize = crate::hoa::MOST_PROPOSITIONS as usize;

/// How much may be spent on the proof, in pairs of edges.
const PROOF_EFFORT: usize = 5_000_000;

/// An automaton that accepts exactly the words that satisfy the formula.
pub fn translate(
    formulas: &mut Formulas,
    bdds: &mut Bdds,
    formula: Formula,
    options: &Options,
) -> Result<Translation, Failure> {
    let propositions = formulas.propositions_of(formula).len();
    if propositions > MAX_PROPOSITIONS {
        return Err(Failure::TooManyPropositions(propositions));
    }
    let mut rewriter = Rewriter::new();
    let original = formula;
    let formula = rewriter.simplify(formulas, formula);
    let negated = formulas.not(formula);
    let negated = rewriter.simplify(formulas, negated);
    let mut candidates = first_candidates(formulas, bdds, formula, Need::Demanded, options)?;
    let mut against = match first_candidates(formulas, bdds, negated, Need::Useful, options) {
        Err(Failure::Stopped) => return Err(Failure::Stopped),
        against => against.unwrap_or_default(),
    };
    sort_by_cost(bdds, &mut candidates);
    sort_by_cost(bdds, &mut against);
    let complement = against.into_iter().next();
    let mut proved = false;
    if let Some(complement) = &complement {
        let mut effort = PROOF_EFFORT;
        let mut share_a_word = |automaton: &Automaton| {
            bdds.within(options.limits().operations, |bdds| {
                intersect_within(bdds, automaton, complement, &mut effort, options.stop)
            })
            .flatten()
        };
        let verdicts: Vec<Option<bool>> = candidates.iter().map(&mut share_a_word).collect();
        if verdicts.contains(&Some(true)) {
            return Err(Failure::Contradiction);
        }
        proved = verdicts.iter().all(Option::is_some);
    }
    stopped(bdds, &candidates, options)?;
    let improve = options.method == Method::Best && proved;
    let mut best = match (&complement, improve) {
        (Some(complement), true) => improved(bdds, candidates, complement, options),
        _ => {
            let form = |automaton: Automaton| match options.form {
                Form::Generalised => automaton,
                Form::Buchi => degeneralised(bdds, &automaton, 1, options).swap_remove(0),
            };
            candidates.into_iter().map(form).next().expect("there is a candidate")
        }
    };
    stopped(bdds, std::slice::from_ref(&best), options)?;
    if options.form == Form::Generalised && best.placement == Placement::States {
        best.placement = Placement::Edges;
        reduce::prune(bdds, &mut best);
    }
    reduce::number_states(&mut best);
    best.tidy(bdds);
    if !agrees_on_samples(formulas, bdds, original, &best, complement.as_ref()) {
        return Err(Failure::Contradiction);
    }
    Ok(Translation { formula, automaton: best, complement, proved })
}

/// Has somebody stopped the work?
fn stopped(bdds: &Bdds, automata: &[Automaton], options: &Options) -> Result<(), Failure> {
    match options.stop.now(bdds, automata.iter().map(bytes_of).sum()) {
        true => Err(Failure::Stopped),
        false => Ok(()),
    }
}

/// As many states as an automaton may have that the formula need not be translated piece by piece too.
const MAX_SMALL: usize = 64;

/// How much an automaton is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    /// Without it there is no result.
    Demanded,
    /// It is good to have.
    Useful,
}

/// The automata that the translations give, reduced. Those that would be too large are left out.
fn first_candidates(
    formulas: &mut Formulas,
    bdds: &mut Bdds,
    formula: Formula,
    need: Need,
    options: &Options,
) -> Result<Vec<Automaton>, Failure> {
    let limits = options.limits();
    let usual = Limits::for_states(options.max_states.min(Limits::USUAL_STATES), options.stop);
    let mut results = at_once(formulas, bdds, formula, options.method, usual);
    let is_small = |result: &Result<Automaton, Excess>| {
        result.as_ref().is_ok_and(|automaton| automaton.states() <= MAX_SMALL)
    };
    if options.method != Method::Alternating && !results.iter().any(is_small) {
        results.push(piecewise::translate(formulas, bdds, formula, limits));
    }
    let in_vain = results.iter().all(Result::is_err);
    if in_vain && need == Need::Demanded && limits.states > usual.states {
        results = at_once(formulas, bdds, formula, options.method, limits);
    }
    let excess = results.iter().filter_map(|result| result.as_ref().err().copied()).max();
    let mut found: Vec<Automaton> = results.into_iter().flatten().collect();
    found.dedup();
    stopped(bdds, &found, options)?;
    match excess {
        _ if !found.is_empty() => Ok(found),
        Some(Excess::Sets) => Err(Failure::TooManySets),
        _ => Err(Failure::TooLarge { max_states: options.max_states }),
    }
}

/// The automata that come of translating the whole formula at once, reduced.
fn at_once(
    formulas: &mut Formulas,
    bdds: &mut Bdds,
    formula: Formula,
    method: Method,
    limits: Limits,
) -> Vec<Result<Automaton, Excess>> {
    let mut results: Vec<Result<Automaton, Excess>> = Vec::new();
    if method != Method::Alternating {
        for branching in [Branching::Early, Branching::Late] {
            let work = |bdds: &mut Bdds| tableau::translate(formulas, bdds, formula, branching, limits);
            results.push(bdds.within(limits.operations, work).unwrap_or(Err(Excess::Work)));
        }
    }
    if method != Method::Tableau {
        let work = |bdds: &mut Bdds| alternating::translate(formulas, formula, bdds, limits);
        results.push(bdds.within(limits.operations, work).unwrap_or(Err(Excess::Work)));
    }
    for automaton in results.iter_mut().flatten() {
        reduce::simplify_within(bdds, automaton, limits.operations, limits.stop);
    }
    results
}

/// The smallest automaton that can be made of the candidates with the help of the complement.
fn improved(
    bdds: &mut Bdds,
    mut candidates: Vec<Automaton>,
    complement: &Automaton,
    options: &Options,
) -> Automaton {
    let weak = bdds.within(options.limits().operations, |bdds| {
        minimal_weak(bdds, &candidates[0], complement, MAX_SUBSETS, options.stop)
    });
    let weak = weak.flatten();
    let strongest = if weak.is_some() { Strength::Weak } else { Strength::Strong };
    let unmerged = candidates.clone();
    if let Some(weak) = weak {
        // One that is not weak may have become so when it has only one set.
        let strong = unmerged.iter().filter(|automaton| strength(bdds, automaton) > strongest);
        let strong: Vec<&Automaton> = strong.collect();
        candidates
            .extend(strong.into_iter().flat_map(|automaton| degeneralised(bdds, automaton, 1, options)));
        candidates.retain(|automaton| strength(bdds, automaton) <= strongest);
        candidates.insert(0, weak);
    }
    let mut found = merged(bdds, &candidates, complement, options);
    if options.form == Form::Buchi {
        found.extend(unmerged);
        let mut one_set: Vec<Automaton> = found
            .iter()
            .flat_map(|automaton| degeneralised(bdds, automaton, MAX_ORDERED_EDGES, options))
            .collect();
        one_set.retain(|automaton| strength(bdds, automaton) <= strongest);
        sort_by_cost(bdds, &mut one_set);
        one_set.dedup();
        one_set.truncate(MAX_MERGED);
        found = merged(bdds, &one_set, complement, options);
    }
    found.swap_remove(0)
}

/// Words tried on every result.
const SAMPLES: usize = 24;

/// Do the formula and the automaton judge some words alike: random ones, one of the language, one of the
/// complement?
fn agrees_on_samples(
    formulas: &Formulas,
    bdds: &mut Bdds,
    formula: Formula,
    automaton: &Automaton,
    complement: Option<&Automaton>,
) -> bool {
    let mut bits: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut random = move |bound: u64| {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        (bits >> 11) % bound
    };
    let occurring = formulas.propositions_of(formula);
    let mut letters = |count: u64| -> Vec<Letter> {
        let often = 1 + random(3);
        (0..count)
            .map(|_| {
                let mut values = vec![false; formulas.propositions().len()];
                for &proposition in &occurring {
                    values[proposition as usize] = random(4) < often;
                }
                Letter(values)
            })
            .collect()
    };
    let mut words: Vec<Word> = Vec::new();
    for k in 0..SAMPLES as u64 {
        words.push(Word { prefix: letters(k % 4), cycle: letters(1 + k % 3) });
    }
    words.extend(some_word(bdds, automaton));
    words.extend(complement.and_then(|complement| some_word(bdds, complement)));
    words.iter().all(|word| evaluate(formulas, formula, word) == accepts(bdds, automaton, word))
}

/// Subsets made in the search for a weak deterministic automaton.
const MAX_SUBSETS: usize = 1000;
/// Edges in all the automata that are made by degeneralising one in different orders.
const MAX_ORDERED_EDGES: usize = 2000;
/// Degeneralised automata in which states are merged.
const MAX_MERGED: usize = 8;

/// Merges states, reduces what comes out, and tries again.
fn merge(
    bdds: &mut Bdds,
    automaton: &mut Automaton,
    complement: &Automaton,
    order: Order,
    effort: &mut usize,
    options: &Options,
) {
    loop {
        let merged = bdds.within(options.limits().operations, |bdds| {
            let mut merged = automaton.clone();
            let mut judge = Judge::new(complement, effort, options.stop);
            merge_states(bdds, &mut merged, &mut judge, order).then_some(merged)
        });
        let Some(merged) = merged.flatten() else { return };
        *automaton = merged;
        reduce::simplify_within(bdds, automaton, options.limits().operations, options.stop);
    }
}

/// The candidates, each merged in several orders.
fn merged(
    bdds: &mut Bdds,
    candidates: &[Automaton],
    complement: &Automaton,
    options: &Options,
) -> Vec<Automaton> {
    let mut effort = options.effort;
    let mut found = Vec::new();
    for automaton in candidates {
        for order in [Order::Ascending, Order::Descending] {
            let mut automaton = automaton.clone();
            merge(bdds, &mut automaton, complement, order, &mut effort, options);
            found.push(automaton);
        }
    }
    sort_by_cost(bdds, &mut found);
    found.dedup();
    found
}

/// The automaton with one set on states, for several orders of its sets.
fn degeneralised(
    bdds: &mut Bdds,
    automaton: &Automaton,
    max_edges: usize,
    options: &Options,
) -> Vec<Automaton> {
    let orders = orders(automaton.sets, max_edges / (automaton.edge_count() + 1));
    let make = |order: Vec<u32>| {
        let mut one = degeneralise(bdds, automaton, &order);
        reduce::simplify_within(bdds, &mut one, options.limits().operations, options.stop);
        make_one_set(&mut one);
        one
    };
    orders.into_iter().map(make).collect()
}

/// All orders of the sets, or, if that would be more than `limit`, ascending only.
fn orders(sets: u32, limit: usize) -> Vec<Vec<u32>> {
    let mut count: usize = 1;
    for factor in 1..=sets as usize {
        count = count.saturating_mul(factor);
    }
    if count > limit {
        return vec![(0..sets).collect()];
    }
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for _ in 0..sets {
        let longer = |prefix: &Vec<u32>| {
            let rest = (0..sets).filter(|set| !prefix.contains(set));
            rest.map(|set| [&prefix[..], &[set]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

fn sort_by_cost(bdds: &mut Bdds, automata: &mut [Automaton]) {
    automata.sort_by_cached_key(|automaton| {
        let deterministic = automaton.is_deterministic(bdds);
        (
            automaton.states(),
            automaton.edge_count(),
            strength(bdds, automaton),
            !deterministic,
            automaton.sets,
        )
    });
}

/// The numbers by which automata are compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Statistics {
    /// The number of states.
    pub states: usize,
    /// The number of edges, as [`Automaton::edge_count`] counts them.
    pub edges: usize,
    /// The number of acceptance sets.
    pub sets: u32,
    /// At most one run on every word: [`Automaton::is_deterministic`].
    pub deterministic: bool,
    /// A run on every word: [`Automaton::is_complete`].
    pub complete: bool,
    /// How it has to be searched.
    pub strength: Strength,
    /// Whether acceptance is on states or on edges.
    pub placement: Placement,
}

impl Statistics {
    /// Computes all of them.
    pub fn of(bdds: &mut Bdds, automaton: &Automaton) -> Statistics {
        Statistics {
            states: automaton.states(),
            edges: automaton.edge_count(),
            sets: automaton.sets,
            deterministic: automaton.is_deterministic(bdds),
            complete: automaton.is_complete(bdds),
            strength: strength(bdds, automaton),
            placement: automaton.placement,
        }
    }
}
