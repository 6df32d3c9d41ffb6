//! Who says what is right about automata of formulas: the definition of the logic, and the two translations
//! against each other.
//!
//! [`judge`] takes a formula φ through all of `lariat-ltl` and holds every automaton it meets against
//!
//! - words: random ones, and ones that the automata for φ and for ¬φ accept. [`evaluate`] says by the
//!   definition whether φ holds for them, and every automaton must say the same;
//! - the complement: no automaton for φ may share a word with one for ¬φ that came straight from a
//!   translation. That one translation of φ has an empty product with the other translation of ¬φ, both ways,
//!   proves that they agree.
//!
//! Words that an automaton has *won* are so found for certain. Words that it has *lost* are found for certain
//! if it is deterministic, for then it can be complemented; else by the words alone, and that is why many are
//! taken from walks through the automata before anything was simplified.
//!
//! | [`Check`] | what is held against words and complement |
//! | --- | --- |
//! | `Text` | the formula printed and read again, in all dialects |
//! | `Rewriting` | the formula simplified, and its automata |
//! | `Lassos` | what the translations give |
//! | `Agreement` | one translation of φ, the other one of ¬φ |
//! | `Reductions` | each step that makes automata smaller, alone, and degeneralisation in all orders |
//! | `Results` | what the user gets, by each method and in each form |
//! | `Promises` | shape, size, strength, determinism: what the results are said to be like |
//! | `Stutter` | the test for closure under stuttering, against its definition, and against squeezed formulas |
//! | `Hoa`, `Never` | automata written and read again |
//!
//! A squeezed formula τ(φ) holds for a word if φ holds for the word without repeated letters (Peled and Wilke
//! 1997): so φ is closed under stuttering exactly if both are equivalent, which says also when the test's
//! answer "no" is wrong.

mod constructions;
mod text;
mod words;

pub use text::parse_tree;

use constructions::{aligned, complement_of_deterministic, orders, squeezed};
use lariat_generators::formula::{FormulaTree, generate_sized};
use lariat_generators::random::Random;
use lariat_ltl::emptiness::{accepts, common_word, intersect_within};
use lariat_ltl::evaluate::evaluate;
use lariat_ltl::parse::Dialect;
use lariat_ltl::print::{Style, print};
use lariat_ltl::reduce::degeneralise::degeneralise;
use lariat_ltl::reduce::obligation::minimal_weak;
use lariat_ltl::reduce::{self, simulation};
use lariat_ltl::rewrite::Rewriter;
use lariat_ltl::scc::Structure;
use lariat_ltl::strength::{Strength, strength};
use lariat_ltl::tableau::{self, Branching};
use lariat_ltl::translate::{Failure, Form, Method, Options, Translation, translate};
use lariat_ltl::{Automaton, Bdds, Formula, Formulas, Placement, Word};
use lariat_ltl::{alternating, hoa, limits, never, piecewise, stutter};
use lariat_source::SourceMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use text::{built, read_formula, shown};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Check {
    Text,
    Rewriting,
    Lassos,
    Agreement,
    Reductions,
    Results,
    Promises,
    Stutter,
    Hoa,
    Never,
    /// Something panicked.
    Panic,
}

impl Check {
    pub const ALL: [Check; 11] = [
        Check::Text,
        Check::Rewriting,
        Check::Lassos,
        Check::Agreement,
        Check::Reductions,
        Check::Results,
        Check::Promises,
        Check::Stutter,
        Check::Hoa,
        Check::Never,
        Check::Panic,
    ];
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Check::Text => "text",
            Check::Rewriting => "rewriting",
            Check::Lassos => "lassos",
            Check::Agreement => "agreement",
            Check::Reductions => "reductions",
            Check::Results => "results",
            Check::Promises => "promises",
            Check::Stutter => "stutter",
            Check::Hoa => "hoa",
            Check::Never => "never",
            Check::Panic => "panic",
        })
    }
}

/// What is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Complaint {
    pub check: Check,
    /// Which automaton, or which promise.
    pub subject: String,
    /// The witness.
    pub detail: String,
}

impl Complaint {
    /// Are both about the same thing? The witness may differ.
    pub fn is_like(&self, other: &Complaint) -> bool {
        self.check == other.check && self.subject == other.subject
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.check, self.subject, self.detail)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    Well,
    /// Something was left out because it was too large.
    TooLarge(&'static str),
    Wrong(Complaint),
}

/// How much has been compared, by check.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    counts: [u64; Check::ALL.len()],
}

impl Tally {
    pub fn count(&self, check: Check) -> u64 {
        self.counts[check as usize]
    }

    pub fn add(&mut self, other: &Tally) {
        self.counts.iter_mut().zip(other.counts).for_each(|(count, more)| *count += more);
    }
}

/// What is too large is not compared.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// States of an automaton that comes straight from a translation.
    pub states: usize,
    /// Pairs of edges in a product.
    pub pairs: usize,
    /// How much `translate` may spend on merging.
    pub effort: usize,
}

impl Limits {
    fn translation(&self) -> limits::Limits<'static> {
        limits::Limits::for_states(self.states, NEVER)
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { states: 2_000, pairs: 2_000_000, effort: Options::default().effort }
    }
}

/// Nobody stops a comparison.
const NEVER: lariat_ltl::stop::Stop = lariat_ltl::stop::Stop::NEVER;
/// Subsets in the search for a weak deterministic automaton, as in `translate`.
const SUBSETS: usize = 1_000;
/// States of the automata for squeezed formulas.
const SQUEEZED_STATES: usize = 200;
/// How many formulas of 100 are translated twice in fresh tables.
const REPEATED: u32 = 10;
/// States of an automaton that is degeneralised in all orders.
const DEGENERALISED: usize = 60;

/// Checks everything about one formula. The seed decides about the words; the same seed and formula give the
/// same verdict.
pub fn judge(tree: &FormulaTree, seed: u64, limits: &Limits, tally: &mut Tally) -> Verdict {
    let judged = catch_unwind(AssertUnwindSafe(|| {
        let mut case = Case::new(tree, seed, *limits, tally)?;
        case.all_checks(tree)?;
        Ok(case.left_out)
    }));
    match judged {
        Ok(Ok(None)) => Verdict::Well,
        Ok(Ok(Some(what)) | Err(Stop::TooLarge(what))) => Verdict::TooLarge(what),
        Ok(Err(Stop::Wrong(complaint))) => Verdict::Wrong(*complaint),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
            let subject = text.unwrap_or_else(|| "without a message".to_string());
            Verdict::Wrong(Complaint { check: Check::Panic, subject, detail: String::new() })
        }
    }
}

/// Why the work on a formula ends early.
enum Stop {
    TooLarge(&'static str),
    Wrong(Box<Complaint>),
}

type Checked<T = ()> = Result<T, Stop>;

fn wrong<T>(check: Check, subject: impl Into<String>, detail: impl Into<String>) -> Checked<T> {
    Err(Stop::Wrong(Box::new(Complaint { check, subject: subject.into(), detail: detail.into() })))
}

/// The formula or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    Formula,
    Negation,
}

impl Side {
    fn name(self, what: &str) -> String {
        match self {
            Side::Formula => what.to_string(),
            Side::Negation => format!("{what}, of the negation"),
        }
    }

    fn other(self) -> Side {
        match self {
            Side::Formula => Side::Negation,
            Side::Negation => Side::Formula,
        }
    }
}

/// What the translations give, for one side.
struct Raw {
    early: Automaton,
    late: Automaton,
    alternating: Automaton,
    /// Translated piece by piece, and reduced.
    pieces: Automaton,
}

impl Raw {
    /// The smaller of the two that have least in common.
    fn smaller(&self) -> &Automaton {
        if self.early.edge_count() <= self.alternating.edge_count() { &self.early } else { &self.alternating }
    }
}

struct Case<'a> {
    formulas: Formulas,
    bdds: Bdds,
    random: Random,
    limits: Limits,
    tally: &'a mut Tally,
    formula: Formula,
    negation: Formula,
    /// A second formula over the same propositions, for common words.
    other: Formula,
    /// Each with whether the formula holds for it.
    words: Vec<(Word, bool)>,
    /// What every automaton for the other side must not have in common with: of the formula, of the negation.
    measures: [Automaton; 2],
    /// Automata that have been found right already.
    right: Vec<(Side, Automaton)>,
    left_out: Option<&'static str>,
}

impl<'a> Case<'a> {
    fn new(tree: &FormulaTree, seed: u64, limits: Limits, tally: &'a mut Tally) -> Checked<Case<'a>> {
        let mut formulas = Formulas::new();
        let text = tree.to_string();
        let formula = read_formula(&mut formulas, &text, Dialect::Spot, "the text drawn")?;
        let mut used: Vec<usize> = Vec::new();
        for part in tree.subformulas() {
            if let FormulaTree::Proposition(number) = part {
                used.push(*number);
            }
        }
        let mut random = Random::new(seed ^ 0x00f0_5eed_1a55_0000);
        let size = 1 + random.below(7);
        let other = generate_sized(&mut random, size);
        let other = match used.is_empty() {
            true => Formula::TRUE,
            false => built(&mut formulas, &other.renamed(&|number| used[number % used.len()])),
        };
        let negation = formulas.not(formula);
        Ok(Case {
            formulas,
            bdds: Bdds::new(),
            random,
            limits,
            tally,
            formula,
            negation,
            other,
            words: Vec::new(),
            measures: [Automaton::empty(Vec::new()), Automaton::empty(Vec::new())],
            right: Vec::new(),
            left_out: None,
        })
    }

    fn all_checks(&mut self, tree: &FormulaTree) -> Checked {
        let formula = self.raw(Side::Formula)?;
        let negation = self.raw(Side::Negation)?;
        self.measures = [formula.smaller().clone(), negation.smaller().clone()];
        self.collect_words(&formula, &negation)?;
        self.text(tree)?;
        self.lassos(&formula, &negation)?;
        self.agreement(&formula, &negation)?;
        self.rewriting()?;
        self.reductions(&formula, &negation)?;
        let results = self.results()?;
        self.promises(tree, &results)?;
        self.stutter(&results)?;
        self.hoa(&results)?;
        self.never(&results)
    }

    fn saw(&mut self, check: Check) {
        self.tally.counts[check as usize] += 1;
    }

    // ---- the judgement ----

    /// Compares the automaton with the words and with the complement.
    fn accepts_exactly(&mut self, check: Check, side: Side, subject: &str, automaton: &Automaton) -> Checked {
        self.saw(check);
        let same = |known: &Automaton| {
            known.sets == automaton.sets
                && known.initial == automaton.initial
                && known.edges == automaton.edges
        };
        if self.right.iter().any(|(of, known)| *of == side && same(known)) {
            return Ok(());
        }
        for (word, holds) in &self.words {
            let expected = *holds == (side == Side::Formula);
            if accepts(&self.bdds, automaton, word) != expected {
                let how = if expected { "rejects" } else { "accepts" };
                let word = shown(word, self.formulas.propositions());
                return wrong(check, side.name(subject), format!("wrongly {how} {word}"));
            }
        }
        let measure = match side {
            Side::Formula => self.measures[1].clone(),
            Side::Negation => self.measures[0].clone(),
        };
        self.disjoint(check, &side.name(subject), automaton, &measure)?;
        if automaton.is_deterministic(&mut self.bdds) {
            let rejected = complement_of_deterministic(&mut self.bdds, automaton);
            let measure = match side {
                Side::Formula => self.measures[0].clone(),
                Side::Negation => self.measures[1].clone(),
            };
            self.disjoint(check, &side.name(&format!("{subject}, complemented")), &measure, &rejected)?;
        }
        self.right.push((side, automaton.clone()));
        Ok(())
    }

    fn disjoint(&mut self, check: Check, subject: &str, a: &Automaton, b: &Automaton) -> Checked {
        match intersect_within(&mut self.bdds, a, b, &mut self.limits.pairs.clone(), NEVER) {
            Some(false) => Ok(()),
            None => {
                self.left_out = Some("a product");
                Ok(())
            }
            Some(true) => {
                let word = common_word(&mut self.bdds, a, b);
                let word = word.map_or("(no word found)".to_string(), |word| {
                    let holds = evaluate(&self.formulas, self.formula, &word);
                    let shown = shown(&word, self.formulas.propositions());
                    format!(
                        "{shown}, for which the formula {}",
                        if holds { "holds" } else { "does not hold" }
                    )
                });
                wrong(check, subject, format!("both sides accept {word}"))
            }
        }
    }

    /// The formula must hold for the same words.
    fn says_the_same(&mut self, check: Check, side: Side, subject: &str, formula: Formula) -> Checked {
        self.saw(check);
        for (word, holds) in &self.words {
            if evaluate(&self.formulas, formula, word) != (*holds == (side == Side::Formula)) {
                let text = print(&self.formulas, formula, Style::Spot);
                let word = shown(word, self.formulas.propositions());
                return wrong(check, side.name(subject), format!("{text} differs for {word}"));
            }
        }
        Ok(())
    }

    // ---- the checks ----

    fn raw(&mut self, side: Side) -> Checked<Raw> {
        let formula = match side {
            Side::Formula => self.formula,
            Side::Negation => self.negation,
        };
        let mut tableau = |branching| {
            let (formulas, bdds) = (&mut self.formulas, &mut self.bdds);
            tableau::translate(formulas, bdds, formula, branching, self.limits.translation())
        };
        let early = tableau(Branching::Early).map_err(|_| Stop::TooLarge("the tableau"))?;
        let late = tableau(Branching::Late).map_err(|_| Stop::TooLarge("the tableau, branching late"))?;
        let alternating =
            alternating::translate(&mut self.formulas, formula, &mut self.bdds, self.limits.translation());
        let alternating = alternating.map_err(|_| Stop::TooLarge("the automaton from an alternating one"))?;
        let pieces =
            piecewise::translate(&mut self.formulas, &mut self.bdds, formula, self.limits.translation());
        let pieces = pieces.map_err(|_| Stop::TooLarge("the automaton made piece by piece"))?;
        Ok(Raw { early, late, alternating, pieces })
    }

    fn text(&mut self, tree: &FormulaTree) -> Checked {
        let direct = built(&mut self.formulas, tree);
        self.same_formula("all brackets", direct, self.formula)?;
        let sparse = read_formula(&mut self.formulas, &tree.sparse(), Dialect::Spot, "few brackets")?;
        self.same_formula("few brackets", sparse, self.formula)?;
        for (side, formula) in [(Side::Formula, self.formula), (Side::Negation, self.negation)] {
            let normal = self.formulas.negation_normal_form(formula);
            self.says_the_same(Check::Text, side, "negation normal form", normal)?;
            for formula in [formula, normal] {
                let text = print(&self.formulas, formula, Style::Spot);
                let again = read_formula(&mut self.formulas, &text, Dialect::Spot, "printed for Spot")?;
                self.same_formula("printed for Spot", again, formula)?;
                let text = print(&self.formulas, formula, Style::Spin);
                for dialect in [Dialect::SpinInline, Dialect::SpinF] {
                    let again = read_formula(&mut self.formulas, &text, dialect, "printed for Spin")?;
                    self.says_the_same(Check::Text, side, "printed for Spin", again)?;
                }
            }
        }
        Ok(())
    }

    fn same_formula(&mut self, subject: &str, found: Formula, wanted: Formula) -> Checked {
        self.saw(Check::Text);
        if found == wanted {
            return Ok(());
        }
        let [found, wanted] = [found, wanted].map(|formula| print(&self.formulas, formula, Style::Spot));
        wrong(Check::Text, subject, format!("read as {found} instead of {wanted}"))
    }

    fn rewriting(&mut self) -> Checked {
        let mut rewriter = Rewriter::new();
        for (side, formula) in [(Side::Formula, self.formula), (Side::Negation, self.negation)] {
            let simple = rewriter.simplify(&mut self.formulas, formula);
            self.says_the_same(Check::Rewriting, side, "simplified", simple)?;
            let normal = self.formulas.negation_normal_form(simple);
            if normal != simple {
                let [normal, simple] = [normal, simple].map(|f| print(&self.formulas, f, Style::Spot));
                return wrong(Check::Rewriting, "normal form", format!("{simple}, not {normal}"));
            }
            // Equivalent, if the first has no word of the complement and the second none of the formula.
            let negated = self.formulas.not(simple);
            for (of, formula) in [(side, simple), (side.other(), negated)] {
                let (formulas, bdds) = (&mut self.formulas, &mut self.bdds);
                let found =
                    tableau::translate(formulas, bdds, formula, Branching::Early, self.limits.translation());
                match found {
                    Ok(found) => self.accepts_exactly(Check::Rewriting, of, "simplified", &found)?,
                    Err(_) => self.left_out = Some("the tableau of the simplified formula"),
                }
            }
        }
        Ok(())
    }

    fn lassos(&mut self, formula: &Raw, negation: &Raw) -> Checked {
        for (side, raw) in [(Side::Formula, formula), (Side::Negation, negation)] {
            self.accepts_exactly(Check::Lassos, side, "tableau", &raw.early)?;
            self.accepts_exactly(Check::Lassos, side, "tableau, branching late", &raw.late)?;
            self.accepts_exactly(Check::Lassos, side, "alternating", &raw.alternating)?;
            self.accepts_exactly(Check::Lassos, side, "piece by piece", &raw.pieces)?;
        }
        Ok(())
    }

    fn agreement(&mut self, formula: &Raw, negation: &Raw) -> Checked {
        let pairs = [
            ("tableau and alternating negation", &formula.early, &negation.alternating),
            ("late tableau and alternating negation", &formula.late, &negation.alternating),
            ("alternating and tableau of the negation", &formula.alternating, &negation.early),
            ("tableau and tableau of the negation", &formula.early, &negation.early),
            ("alternating and alternating negation", &formula.alternating, &negation.alternating),
            ("piece by piece and alternating negation", &formula.pieces, &negation.alternating),
            ("alternating and the negation piece by piece", &formula.alternating, &negation.pieces),
        ];
        for (subject, a, b) in pairs {
            self.saw(Check::Agreement);
            self.disjoint(Check::Agreement, subject, a, b)?;
        }
        Ok(())
    }

    fn reductions(&mut self, formula: &Raw, negation: &Raw) -> Checked {
        type Step = fn(&mut Bdds, &mut Automaton);
        let steps: [(&str, Step); 6] = [
            ("merging of equal states", |bdds, automaton| {
                reduce::bisimulation::merge_equal(bdds, automaton, NEVER)
            }),
            ("prune", |bdds, automaton| reduce::prune(bdds, automaton)),
            ("forward simulation", |bdds, automaton| _ = simulation::forward(bdds, automaton, NEVER)),
            ("backward simulation", |bdds, automaton| _ = simulation::backward(bdds, automaton, NEVER)),
            ("simplify", |bdds, automaton| reduce::simplify(bdds, automaton)),
            ("number states", |_, automaton| reduce::number_states(automaton)),
        ];
        let apply = |case: &mut Case, from: &str, automaton: &Automaton| -> Checked<Automaton> {
            let mut simple = automaton.clone();
            for (name, step) in steps {
                let mut result = automaton.clone();
                step(&mut case.bdds, &mut result);
                case.accepts_exactly(
                    Check::Reductions,
                    Side::Formula,
                    &format!("{name} of {from}"),
                    &result,
                )?;
                if automaton.placement == Placement::States {
                    let kept = result.placement == Placement::States && result.has_state_acceptance();
                    case.promise("acceptance stays on states", kept, || format!("{name} of {from}"))?;
                }
                if name == "simplify" {
                    let mut twice = result.clone();
                    step(&mut case.bdds, &mut twice);
                    case.promise("simplify twice is simplify once", twice == result, || from.to_string())?;
                    let no_larger = result.states() <= automaton.states();
                    case.promise("simplify never grows", no_larger, || from.to_string())?;
                    simple = result;
                }
            }
            Ok(simple)
        };
        let mut simple = Vec::new();
        for (from, automaton) in [
            ("the tableau", &formula.early),
            ("the late tableau", &formula.late),
            ("the alternating one", &formula.alternating),
        ] {
            let result = apply(self, from, automaton)?;
            self.all_useful(&format!("simplified {from}"), &result)?;
            for (kind, automaton) in [("", automaton), ("simplified ", &result)] {
                if automaton.states() > DEGENERALISED {
                    continue;
                }
                for order in orders(automaton.sets) {
                    let one = degeneralise(&mut self.bdds, automaton, &order);
                    let name = format!("degeneralised {kind}{from}");
                    self.accepts_exactly(Check::Reductions, Side::Formula, &name, &one)?;
                    self.one_set_on_states(&name, &one)?;
                    if order.is_sorted() {
                        apply(self, &name, &one)?;
                    }
                }
            }
            simple.push(result);
        }
        let mut complement = negation.smaller().clone();
        reduce::simplify(&mut self.bdds, &mut complement);
        let mut known: Option<usize> = None;
        for (from, automaton) in [("tableau", &simple[0]), ("alternating", &simple[2])] {
            let weak = minimal_weak(&mut self.bdds, automaton, &complement, SUBSETS, NEVER);
            let states = weak.as_ref().map(Automaton::states);
            if let Some(weak) = &weak {
                let name = format!("minimal weak, from {from}");
                self.accepts_exactly(Check::Reductions, Side::Formula, &name, weak)?;
                let deterministic = weak.is_deterministic(&mut self.bdds);
                self.promise("minimal weak is deterministic", deterministic, || from.to_string())?;
                let is_weak = strength(&mut self.bdds, weak) <= Strength::Weak;
                self.promise("minimal weak is weak", is_weak, || from.to_string())?;
                let on_states = weak.placement == Placement::States && weak.has_state_acceptance();
                self.promise("minimal weak has acceptance on states", on_states, || from.to_string())?;
                self.all_useful("minimal weak", weak)?;
            }
            // Of two sources one may need too many subsets.
            if let (Some(other), Some(states)) = (known, states) {
                let text = || format!("{other} and {states} states");
                self.promise("minimal weak does not depend on where it comes from", other == states, text)?;
            }
            known = known.or(states);
        }
        Ok(())
    }

    fn translation(&mut self, formula: Formula, form: Form, method: Method) -> Checked<Translation> {
        let options =
            Options { form, method, max_states: self.limits.states, effort: self.limits.effort, stop: NEVER };
        match translate(&mut self.formulas, &mut self.bdds, formula, &options) {
            Ok(translation) => Ok(translation),
            Err(Failure::Contradiction) => {
                wrong(Check::Results, format!("{method:?}, {form:?}"), "a contradiction is reported")
            }
            Err(_) => Err(Stop::TooLarge("the result")),
        }
    }

    fn results(&mut self) -> Checked<Results> {
        let mut found = Vec::new();
        for form in [Form::Generalised, Form::Buchi] {
            for method in [Method::Best, Method::Tableau, Method::Alternating] {
                let translation = self.translation(self.formula, form, method)?;
                let name = format!("{method:?}, {form:?}");
                self.accepts_exactly(Check::Results, Side::Formula, &name, &translation.automaton)?;
                if let Some(complement) = &translation.complement {
                    let name = format!("complement beside {name}");
                    self.accepts_exactly(Check::Results, Side::Negation, &name, complement)?;
                }
                found.push(translation);
            }
            let negated = self.translation(self.negation, form, Method::Best)?;
            let name = format!("Best, {form:?}");
            self.accepts_exactly(Check::Results, Side::Negation, &name, &negated.automaton)?;
            found.push(negated);
        }
        let mut found = found.into_iter();
        let mut next = || found.next().expect("four translations for each of two forms");
        let mut four = || OneForm { best: next(), tableau: next(), alternating: next(), negation: next() };
        Ok(Results { generalised: four(), buchi: four() })
    }

    fn promise(&mut self, what: &str, kept: bool, detail: impl FnOnce() -> String) -> Checked {
        self.saw(Check::Promises);
        if kept { Ok(()) } else { wrong(Check::Promises, what, detail()) }
    }

    fn one_set_on_states(&mut self, from: &str, automaton: &Automaton) -> Checked {
        let kept = automaton.sets == 1
            && automaton.placement == Placement::States
            && automaton.has_state_acceptance();
        self.promise("one set on states", kept, || from.to_string())
    }

    fn all_useful(&mut self, from: &str, automaton: &Automaton) -> Checked {
        let useful = Structure::of(automaton).useful(automaton);
        let empty = automaton.states() == 1 && automaton.leaving(0).is_empty();
        let all = automaton.reachable().len() == automaton.states() && (empty || useful.iter().all(|&u| u));
        self.promise("every state is reached and of use", all, || from.to_string())
    }

    fn promises(&mut self, tree: &FormulaTree, results: &Results) -> Checked {
        for (form, of_form) in [("generalised", &results.generalised), ("one set", &results.buchi)] {
            let best = &of_form.best.automaton;
            self.promise("the best is proved", of_form.best.proved, || form.to_string())?;
            self.all_useful(form, best)?;
            let best_strength = strength(&mut self.bdds, best);
            for (method, single) in [("tableau", &of_form.tableau), ("alternating", &of_form.alternating)] {
                let single = &single.automaton;
                self.all_useful(&format!("{form}, {method}"), single)?;
                // Weak automata are preferred whatever their size.
                let preferred =
                    best_strength <= Strength::Weak && strength(&mut self.bdds, single) == Strength::Strong;
                let no_larger = best.states() <= single.states();
                let sizes = || format!("{form}: {} states, {method} {}", best.states(), single.states());
                self.promise("the best is no larger than the others", no_larger || preferred, sizes)?;
            }
            if let Some(complement) = &of_form.best.complement {
                let weak = minimal_weak(&mut self.bdds, best, complement, SUBSETS, NEVER).is_some();
                let kept = !weak || best_strength <= Strength::Weak;
                self.promise("the best is weak if it can be", kept, || form.to_string())?;
            }
        }
        for (method, translation) in [
            ("best", &results.buchi.best),
            ("tableau", &results.buchi.tableau),
            ("alternating", &results.buchi.alternating),
            ("best of the negation", &results.buchi.negation),
        ] {
            self.one_set_on_states(method, &translation.automaton)?;
        }
        // The numbers of formulas decide about orders, and depend on what the tables have seen: so fresh
        // tables, twice.
        if self.random.chance(REPEATED) {
            let [first, again] = [self.in_fresh_tables(tree)?, self.in_fresh_tables(tree)?];
            let text = || format!("{first}\nthen\n{again}");
            self.promise("the result depends on the formula alone", first == again, text)?;
        }
        Ok(())
    }

    fn in_fresh_tables(&self, tree: &FormulaTree) -> Checked<String> {
        let (mut formulas, mut bdds) = (Formulas::new(), Bdds::new());
        let formula = read_formula(&mut formulas, &tree.to_string(), Dialect::Spot, "the text drawn")?;
        let (max_states, effort) = (self.limits.states, self.limits.effort);
        let options = Options { form: Form::Buchi, max_states, effort, ..Options::default() };
        match translate(&mut formulas, &mut bdds, formula, &options) {
            Ok(translation) => Ok(hoa::write(&translation.automaton, &mut bdds)),
            Err(failure) => Ok(failure.to_string()),
        }
    }

    fn stutter(&mut self, results: &Results) -> Checked {
        let best = &results.generalised.best;
        let negation = &results.generalised.negation.automaton;
        let closed = stutter::is_invariant(&mut self.bdds, &best.automaton, negation, NEVER);
        self.saw(Check::Stutter);
        if closed.is_none() {
            self.left_out = Some("the test for stuttering");
            return Ok(());
        }
        let closed = closed == Some(true);
        if !stutter::has_next(&self.formulas, self.formula) && !closed {
            return wrong(Check::Stutter, "a formula without X", "is said not to be closed");
        }
        for k in 0..self.words.len() {
            let stretched = self.stretched(k);
            let (word, holds) = &self.words[k];
            if closed && evaluate(&self.formulas, self.formula, &stretched) != *holds {
                let [word, stretched] = [word, &stretched].map(|w| shown(w, self.formulas.propositions()));
                return wrong(Check::Stutter, "said to be closed", format!("but see {word} and {stretched}"));
            }
        }
        let Some(squeezed) = squeezed(&mut self.formulas, self.formula) else { return Ok(()) };
        let opposite = self.formulas.not(squeezed);
        let mut tableau = |formula| {
            let (formulas, bdds) = (&mut self.formulas, &mut self.bdds);
            tableau::translate(
                formulas,
                bdds,
                formula,
                Branching::Early,
                limits::Limits::for_states(SQUEEZED_STATES, NEVER),
            )
        };
        let (Ok(squeezed), Ok(opposite)) = (tableau(squeezed), tableau(opposite)) else { return Ok(()) };
        let mut pairs = self.limits.pairs;
        let mut meet = |a, b| intersect_within(&mut self.bdds, a, b, &mut pairs, NEVER);
        if let (Some(won), Some(lost)) = (meet(&squeezed, negation), meet(&opposite, &best.automaton)) {
            self.saw(Check::Stutter);
            if closed == (won || lost) {
                let said = if closed { "closed" } else { "not closed" };
                return wrong(Check::Stutter, "the squeezed formula", format!("disagrees with: {said}"));
            }
        }
        Ok(())
    }

    fn hoa(&mut self, results: &Results) -> Checked {
        for (name, translation) in [
            ("best, generalised", &results.generalised.best),
            ("tableau, generalised", &results.generalised.tableau),
            ("alternating, generalised", &results.generalised.alternating),
            ("best, one set", &results.buchi.best),
        ] {
            let text = hoa::write(&translation.automaton, &mut self.bdds);
            let mut sources = SourceMap::new();
            let file = sources.add("automaton", "automaton", text.clone());
            let (mut automata, messages) = hoa::read(&sources, file, &mut self.bdds);
            if let Some(message) = messages.first() {
                return wrong(Check::Hoa, format!("{name}: a message"), message.render(&sources));
            }
            let Some(again) = automata.pop().filter(|_| automata.is_empty()) else {
                return wrong(Check::Hoa, format!("{name}: one automaton"), text);
            };
            if again.propositions != translation.automaton.propositions {
                return wrong(Check::Hoa, format!("{name}: propositions"), text);
            }
            let twice = hoa::write(&again, &mut self.bdds);
            if twice != text {
                return wrong(Check::Hoa, format!("{name}: written twice"), format!("{text}\nthen\n{twice}"));
            }
            self.accepts_exactly(Check::Hoa, Side::Formula, name, &again)?;
        }
        Ok(())
    }

    fn never(&mut self, results: &Results) -> Checked {
        for (name, translation) in [
            ("best", &results.buchi.best),
            ("tableau", &results.buchi.tableau),
            ("alternating", &results.buchi.alternating),
        ] {
            let text = match never::write(&translation.automaton, &mut self.bdds) {
                Ok(text) => text,
                Err(error) => return wrong(Check::Never, format!("{name}: writing"), error.to_string()),
            };
            let mut sources = SourceMap::new();
            let file = sources.add("claim", "claim", text.clone());
            let (again, messages) = never::read(&sources, file, &mut self.bdds);
            if let Some(message) = messages.first() {
                let message = message.render(&sources);
                return wrong(Check::Never, format!("{name}: a message"), format!("{message}\n{text}"));
            }
            let Some(again) = again else {
                return wrong(Check::Never, format!("{name}: reading"), text);
            };
            match never::write(&again, &mut self.bdds) {
                Ok(twice) if twice == text => {}
                other => {
                    return wrong(
                        Check::Never,
                        format!("{name}: written twice"),
                        format!("{text}\nthen\n{other:?}"),
                    );
                }
            }
            let Some(aligned) = aligned(&mut self.bdds, &again, self.formulas.propositions()) else {
                return wrong(Check::Never, format!("{name}: propositions"), text);
            };
            self.accepts_exactly(Check::Never, Side::Formula, name, &aligned)?;
        }
        Ok(())
    }
}

/// What `translate` gives.
struct Results {
    generalised: OneForm,
    buchi: OneForm,
}

struct OneForm {
    best: Translation,
    tableau: Translation,
    alternating: Translation,
    negation: Translation,
}
