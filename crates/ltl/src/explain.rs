//! Why a word satisfies a formula, or does not: a few claims about single propositions, and a sentence.
//!
//! What decides a formula on a word is found from the outside in. `G a` fails where `a` fails first; `F a`
//! fails because `a` is false for ever; `a U b` fails because `b` never comes, or because neither holds some
//! day before it; a disjunction fails because all of it does, a conjunction because one part does, and the
//! part with the shortest reason is taken. What remains are claims: a formula is true or false at a position,
//! between two, from one on, or in every round of the cycle. Together they imply the verdict; each of them
//! can be looked up in the rows of the evaluator, which is how they are found and how they are tested.
//!
//! A reason of more than [`MOST_CLAIMS`] claims is no reason for people. Then temporal formulas are left
//! whole, the deepest first; at worst the claim is that the whole formula fails at the start, which is the
//! general form. The sentence is made from the claims alone ([`Explanation::sentence`]).
//!
//! Positions count from 0 and may lie behind the first round of the cycle (`X` at its last position speaks of
//! the round that follows). The cost is one evaluation of all subformulas, and a few walks over the word.

use rustc_hash::FxHashMap;

use crate::evaluate::evaluate_parts;
use crate::formula::{Formula, Formulas, Node};
use crate::word::Word;

/// More claims than this are not made.
pub const MOST_CLAIMS: usize = 4;
/// So many temporal operators are taken apart, one inside the other.
const DEEPEST: u32 = 6;

/// When a claim is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum When {
    /// At this position.
    At(usize),
    /// At every position from the first to the last.
    Between(usize, usize),
    /// At this position and all that follow, for ever.
    From(usize),
    /// At this position of the cycle, so in every round of it.
    Again(usize),
}

/// Something that is so, and can be looked up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    /// What it is about; never a negation.
    pub formula: Formula,
    /// Whether it is true then, or false.
    pub holds: bool,
    /// When.
    pub when: When,
}

impl Claim {
    /// What happens some day decides; what happens for ever needs the cycle.
    pub fn is_finite(&self) -> bool {
        matches!(self.when, When::At(_) | When::Between(..))
    }
}

/// What kind of property a formula is, by its form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `G !p`
    Absence,
    /// `F p`
    Existence,
    /// `G p`
    Universality,
    /// `G (p -> F q)`
    Response,
    /// `!q W p`, `p R !q`
    Precedence,
    /// `F G p`
    Persistence,
    /// `G F p`
    Recurrence,
    /// `p U q`
    Until,
    /// Everything else.
    General,
}

impl Kind {
    /// Of a formula that must hold.
    pub fn of(formulas: &Formulas, formula: Formula) -> Kind {
        let is_state = |f: Formula| is_state(formulas, f);
        match *formulas.node(formula) {
            Node::Globally(a) => match formulas.node(a) {
                Node::Not(p) if is_state(*p) => Kind::Absence,
                _ if is_state(a) => Kind::Universality,
                Node::Finally(p) if is_state(*p) => Kind::Recurrence,
                Node::Or(parts) => {
                    let finally = |f: &Formula| matches!(formulas.node(*f), Node::Finally(q) if is_state(*q));
                    let responds = parts.iter().filter(|part| finally(part)).count() == 1;
                    match responds && parts.iter().all(|part| finally(part) || is_state(*part)) {
                        true => Kind::Response,
                        false => Kind::General,
                    }
                }
                _ => Kind::General,
            },
            Node::Finally(a) => match formulas.node(a) {
                _ if is_state(a) => Kind::Existence,
                Node::Globally(p) if is_state(*p) => Kind::Persistence,
                _ => Kind::General,
            },
            Node::Until(a, b) if is_state(a) && is_state(b) => Kind::Until,
            Node::WeakUntil(a, b) | Node::Release(a, b) if is_state(a) && is_state(b) => Kind::Precedence,
            _ => Kind::General,
        }
    }

    /// As the literature calls it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Absence => "absence",
            Kind::Existence => "existence",
            Kind::Universality => "universality",
            Kind::Response => "response",
            Kind::Precedence => "precedence",
            Kind::Persistence => "persistence",
            Kind::Recurrence => "recurrence",
            Kind::Until => "until",
            Kind::General => "general",
        }
    }
}

/// Whether a formula is about a single position.
pub fn is_state(formulas: &Formulas, formula: Formula) -> bool {
    match formulas.node(formula) {
        Node::False | Node::True | Node::Proposition(_) => true,
        Node::Not(a) => is_state(formulas, *a),
        Node::And(all) | Node::Or(all) => all.iter().all(|part| is_state(formulas, *part)),
        Node::Equivalent(a, b) => is_state(formulas, *a) && is_state(formulas, *b),
        _ => false,
    }
}

/// Why a formula has its value at the start of a word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation {
    /// In the order in which they are told. Together they imply the value.
    pub claims: Vec<Claim>,
}

/// Which reasons count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reasons {
    /// All.
    Any,
    /// Those that need no more than the beginning of the word, which decides.
    Finite,
}

/// Why the word satisfies the formula, or does not. `None` where only finite reasons count and none of the
/// claims that come to mind is one.
pub fn explain(formulas: &Formulas, formula: Formula, word: &Word, reasons: Reasons) -> Option<Explanation> {
    let rows: FxHashMap<Formula, Vec<bool>> = evaluate_parts(formulas, formula, word).into_iter().collect();
    let explainer = Explainer { formulas, word, rows, reasons };
    let holds = explainer.value(formula, 0);
    (0..=DEEPEST).rev().find_map(|depth| {
        let mut claims = Vec::new();
        for claim in explainer.why(formula, 0, holds, depth) {
            if !claims.contains(&claim) {
                claims.push(claim);
            }
        }
        let is_enough = reasons == Reasons::Any || claims.iter().all(Claim::is_finite) && depth > 0;
        (!claims.is_empty() && claims.len() <= MOST_CLAIMS && is_enough).then_some(Explanation { claims })
    })
}

struct Explainer<'a> {
    formulas: &'a Formulas,
    word: &'a Word,
    rows: FxHashMap<Formula, Vec<bool>>,
    reasons: Reasons,
}

impl Explainer<'_> {
    fn value(&self, formula: Formula, at: usize) -> bool {
        self.rows[&formula][self.word.fold(at)]
    }

    /// The first position from here on where this is so; one round of the cycle shows all that ever comes.
    fn first(&self, from: usize, is_so: impl Fn(usize) -> bool) -> Option<usize> {
        let end = from.max(self.word.prefix.len()) + self.word.cycle.len();
        (from..end).find(|&at| is_so(at))
    }

    /// Whether a formula has this value from here on for ever.
    fn stays(&self, formula: Formula, holds: bool, from: usize) -> bool {
        self.first(from, |at| self.value(formula, at) != holds).is_none()
    }

    fn claim(&self, mut formula: Formula, mut holds: bool, when: When) -> Claim {
        while let Node::Not(inner) = *self.formulas.node(formula) {
            (formula, holds) = (inner, !holds);
        }
        Claim { formula, holds, when }
    }

    fn all_between(&self, formula: Formula, holds: bool, from: usize, to: usize) -> Claim {
        let when = if from == to { When::At(from) } else { When::Between(from, to) };
        self.claim(formula, holds, when)
    }

    /// The best of some reasons: a finite one if only those count, then the shorter, then a finite one, then
    /// the first.
    fn best(&self, reasons: Vec<Vec<Claim>>) -> Vec<Claim> {
        let cost = |claims: &Vec<Claim>| {
            let infinite = !claims.iter().all(Claim::is_finite);
            let must = infinite && self.reasons == Reasons::Finite;
            (must, claims.len(), infinite)
        };
        reasons.into_iter().min_by_key(cost).unwrap_or_default()
    }

    /// Why a formula has a value at a position, with so many temporal operators taken apart.
    fn why(&self, formula: Formula, at: usize, holds: bool, depth: u32) -> Vec<Claim> {
        debug_assert_eq!(self.value(formula, at), holds, "what is explained is so");
        let formulas = self.formulas;
        if matches!(formulas.node(formula), Node::True | Node::False) {
            return Vec::new();
        }
        if depth == 0 || is_state(formulas, formula) {
            return vec![self.claim(formula, holds, When::At(at))];
        }
        let deeper = depth - 1;
        match *formulas.node(formula) {
            Node::False | Node::True | Node::Proposition(_) => Vec::new(),
            Node::Not(a) => self.why(a, at, !holds, depth),
            Node::And(ref all) | Node::Or(ref all) => {
                let one_is_enough = matches!(formulas.node(formula), Node::Or(_)) == holds;
                // What is about the position itself comes first: `p`, and then what should have followed.
                let mut parts: Vec<Formula> = all.to_vec();
                parts.sort_by_key(|part| !is_state(formulas, *part));
                if one_is_enough {
                    let decisive = parts.into_iter().filter(|part| self.value(*part, at) == holds);
                    return self.best(decisive.map(|part| self.why(part, at, holds, depth)).collect());
                }
                parts.into_iter().flat_map(|part| self.why(part, at, holds, depth)).collect()
            }
            Node::Equivalent(a, b) => {
                let of = |part| self.why(part, at, self.value(part, at), depth);
                [of(a), of(b)].concat()
            }
            Node::Next(a) => self.why(a, at + 1, holds, deeper),
            Node::Finally(a) | Node::Globally(a) => {
                let some_day = matches!(formulas.node(formula), Node::Finally(_)) == holds;
                if !some_day {
                    return self.for_ever(a, holds, at, deeper);
                }
                let first = self.first(at, |at| self.value(a, at) == holds);
                first.map_or(Vec::new(), |first| self.why(a, first, holds, deeper))
            }
            // b comes, after a's; or: a's for ever, which is enough for the weak one.
            Node::Until(a, b) | Node::WeakUntil(a, b) if holds => {
                let mut reasons = Vec::new();
                let comes = self.first(at, |at| self.value(b, at) || !self.value(a, at));
                if let Some(j) = comes.filter(|j| self.value(b, *j)) {
                    let mut claims = self.why(b, j, true, deeper);
                    claims.extend((j > at).then(|| self.all_between(a, true, at, j - 1)));
                    reasons.push(claims);
                }
                if matches!(formulas.node(formula), Node::WeakUntil(..)) && self.stays(a, true, at) {
                    reasons.push(self.for_ever(a, true, at, deeper));
                }
                self.best(reasons)
            }
            // Neither of the two some day, and no b before; or: b never comes, which the weak one allows.
            Node::Until(a, b) | Node::WeakUntil(a, b) => {
                let mut reasons = Vec::new();
                if let Some(j) = self.first(at, |at| !self.value(a, at) && !self.value(b, at)) {
                    let mut claims = self.why(a, j, false, deeper);
                    claims.push(self.all_between(b, false, at, j));
                    reasons.push(claims);
                }
                if matches!(formulas.node(formula), Node::Until(..)) && self.stays(b, false, at) {
                    reasons.push(self.for_ever(b, false, at, deeper));
                }
                self.best(reasons)
            }
            // b up to the first a; or: b for ever, which the strong one does not allow.
            Node::Release(a, b) | Node::StrongRelease(a, b) if holds => {
                let mut reasons = Vec::new();
                let comes = self.first(at, |at| self.value(a, at) || !self.value(b, at));
                if let Some(j) = comes.filter(|j| self.value(b, *j)) {
                    let mut claims = self.why(a, j, true, deeper);
                    claims.push(self.all_between(b, true, at, j));
                    reasons.push(claims);
                }
                if matches!(formulas.node(formula), Node::Release(..)) && self.stays(b, true, at) {
                    reasons.push(self.for_ever(b, true, at, deeper));
                }
                self.best(reasons)
            }
            // No b some day, and no a before; or: a never comes, which the weak one allows.
            Node::Release(a, b) | Node::StrongRelease(a, b) => {
                let mut reasons = Vec::new();
                let comes = self.first(at, |at| self.value(a, at) && self.value(b, at) || !self.value(b, at));
                if let Some(j) = comes.filter(|j| !self.value(b, *j)) {
                    let mut claims = self.why(b, j, false, deeper);
                    claims.extend((j > at).then(|| self.all_between(a, false, at, j - 1)));
                    reasons.push(claims);
                }
                if matches!(formulas.node(formula), Node::StrongRelease(..)) && self.stays(a, false, at) {
                    reasons.push(self.for_ever(a, false, at, deeper));
                }
                self.best(reasons)
            }
        }
    }

    /// Why a formula has a value from a position on for ever.
    fn for_ever(&self, formula: Formula, holds: bool, from: usize, depth: u32) -> Vec<Claim> {
        let formulas = self.formulas;
        match *formulas.node(formula) {
            Node::True | Node::False => Vec::new(),
            Node::Not(a) => self.for_ever(a, !holds, from, depth),
            Node::And(ref all) if holds && depth > 0 && !is_state(formulas, formula) => {
                all.iter().flat_map(|part| self.for_ever(*part, holds, from, depth)).collect()
            }
            Node::Or(ref all) if !holds && depth > 0 && !is_state(formulas, formula) => {
                all.iter().flat_map(|part| self.for_ever(*part, holds, from, depth)).collect()
            }
            Node::Globally(a) if holds => self.for_ever(a, true, from, depth),
            Node::Finally(a) if !holds => self.for_ever(a, false, from, depth),
            // Again and again, so in the cycle.
            Node::Finally(a) | Node::Globally(a) if depth > 0 => {
                let start = self.word.prefix.len();
                let again = self.first(start, |at| self.value(a, at) == holds);
                again.map_or(Vec::new(), |at| vec![self.claim(a, holds, When::Again(at))])
            }
            _ => vec![self.claim(formula, holds, When::From(from))],
        }
    }
}

/// How a run goes on for ever, for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loop {
    /// The steps from the first number to the last repeat for ever.
    Steps(u64, u64),
    /// Nothing happens after this step: the state behind it stays.
    Stops(u64),
    /// Nothing need be said.
    Untold,
}

/// Where the positions of a word lie in a run.
#[derive(Clone, Debug)]
pub struct Places<'a> {
    /// After which step each position of the word is read, 0 for the start. The last one stands for those
    /// that are missing.
    pub steps: &'a [u64],
    /// How the run goes on behind them.
    pub end: Loop,
}

impl Places<'_> {
    fn step(&self, word: &Word, at: usize) -> u64 {
        let last = self.steps.last().copied().unwrap_or(0);
        self.steps.get(word.fold(at)).copied().unwrap_or(last)
    }

    /// `step 7`: after which step a position is read.
    pub fn place(&self, word: &Word, at: usize) -> String {
        match self.step(word, at) {
            0 => "the start".to_string(),
            number if at < word.len() => format!("step {number}"),
            number => format!("step {number} of a later round"),
        }
    }

    /// `again and again, at step 7`: where a position of the cycle is read in each round.
    pub fn again(&self, word: &Word, at: usize) -> String {
        // The state where the cycle begins is also the one where it ends.
        let number = match self.end {
            Loop::Steps(_, last) if word.fold(at) == word.prefix.len() => last,
            _ => self.step(word, at),
        };
        match number {
            0 => "again and again, at the start".to_string(),
            _ => format!("again and again, at step {number}"),
        }
    }

    /// What repeats, as the end of a sentence.
    pub fn how_it_goes_on(&self) -> String {
        match self.end {
            Loop::Steps(first, last) if first == last => {
                format!(", and the cycle of step {first} repeats for ever")
            }
            Loop::Steps(first, last) => {
                format!(", and the cycle of steps {first} to {last} repeats for ever")
            }
            Loop::Stops(0) => ", and nothing ever happens".to_string(),
            Loop::Stops(step) => format!(", and nothing happens after step {step}"),
            Loop::Untold => String::new(),
        }
    }
}

impl Explanation {
    /// One or two sentences: what is true or false, at which step. `name` gives the text of a formula.
    pub fn sentence(&self, word: &Word, places: &Places, name: impl Fn(Formula) -> String) -> String {
        let place = |at: usize| places.place(word, at);
        let mut parts = Vec::new();
        let mut before = None;
        for claim in &self.claims {
            let when = match claim.when {
                When::At(at) if before == Some(at) => "there too".to_string(),
                When::At(at) => format!("at {}", place(at)),
                When::Between(from, to) => format!("from {} to {}", place(from), place(to)),
                When::From(at) if before == Some(at) => "from there on".to_string(),
                When::From(at) => format!("from {} on", place(at)),
                When::Again(at) => places.again(word, at),
            };
            before = match claim.when {
                When::At(at) => Some(at),
                _ => None,
            };
            let value = if claim.holds { "true" } else { "false" };
            parts.push(format!("`{}` is {value} {when}", name(claim.formula)));
        }
        let mut text = parts.join("; ");
        if self.claims.iter().any(|claim| !claim.is_finite()) {
            text += &places.how_it_goes_on();
        }
        text
    }
}
