//! What is to be checked: properties that the model states, and those that the user adds.
//!
//! A formula is text until the model has been parsed; then it is read, and the propositions in it, which are
//! pieces of the model's language, go back to the front end to be lowered with the model. So neither the
//! front end nor the logic knows the other.

use lariat_ltl::parse::Tree;
use lariat_ltl::{Automaton, Bdds, Formula, Formulas};
use lariat_model::ir::{ClaimKind, Expr, Language, LocationInfo, Model, Proposition};
use lariat_promela::PropositionText;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// What a property is about.
#[derive(Clone, Debug)]
pub enum Property {
    /// Every run satisfies the formula.
    Ltl {
        /// As the model names it.
        name: String,
        /// The formula as it was written.
        tree: Tree,
    },
    /// The condition holds in every state.
    Invariant {
        /// In the model's language.
        condition: PropositionText,
    },
    /// Some run satisfies the formula.
    Exists {
        /// The formula as it was written.
        tree: Tree,
    },
    /// No run passes accept labels for ever.
    Acceptance,
    /// Every run passes progress labels for ever.
    NonProgress,
    /// No run is accepted by the claim, a place in [`Model::claims`].
    Never {
        /// Which claim.
        claim: usize,
        /// `never` if it is the only one of a Promela model, else its own name.
        name: String,
        /// In DVE it is the property process.
        language: Language,
    },
    /// Every run keeps to the `trace` (or keeps clear of the `notrace`) assertion, a place in
    /// [`Model::claims`].
    Trace {
        /// Which claim.
        claim: usize,
        /// Which of the two.
        kind: TraceKind,
    },
    /// No run is accepted by the automaton of a file.
    Claim(Arc<ClaimFile>),
}

/// What an assertion about messages says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceKind {
    /// Every run keeps to it.
    Trace,
    /// No run goes through it.
    NoTrace,
}

impl TraceKind {
    /// As the model writes it.
    pub fn name(self) -> &'static str {
        match self {
            TraceKind::Trace => "trace",
            TraceKind::NoTrace => "notrace",
        }
    }
}

/// An automaton of what must not happen, from a file: HOA, or a never claim. Its propositions are expressions
/// of the model's language.
pub struct ClaimFile {
    /// The file, as the user named it.
    pub path: String,
    /// What must not be accepted.
    pub automaton: Automaton,
    /// The labels of the automaton.
    pub bdds: Bdds,
}

impl fmt::Debug for ClaimFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClaimFile({})", self.path)
    }
}

/// A property that the user adds to those of the model.
#[derive(Clone, Debug)]
pub enum AddedProperty {
    /// Every run satisfies this formula.
    Ltl(String),
    /// This condition holds in every state.
    Invariant(String),
    /// Some run satisfies this formula.
    Exists(String),
    /// The file of a claim.
    Claim(PathBuf),
    /// No property: only runs that satisfy this formula count.
    Assumption(String),
}

/// The text of the proposition that is true where some process is at an accept label. No front end can write
/// it.
const ACCEPT: &str = "accept_";
const NON_PROGRESS: &str = "np_";

impl Property {
    /// As reports name it.
    pub fn name(&self) -> String {
        match self {
            Property::Ltl { name, .. } => name.clone(),
            Property::Invariant { .. } => "invariant".to_string(),
            Property::Exists { .. } => "exists".to_string(),
            Property::Acceptance => "acceptance".to_string(),
            Property::NonProgress => "non-progress".to_string(),
            Property::Never { name, .. } => name.clone(),
            Property::Trace { kind, .. } => kind.name().to_string(),
            Property::Claim(_) => "claim".to_string(),
        }
    }

    /// What kind of property it is, as JSON names it.
    pub fn kind(&self) -> &'static str {
        match self {
            Property::Ltl { .. } => "ltl",
            Property::Invariant { .. } => "invariant",
            Property::Exists { .. } => "exists",
            Property::Acceptance => "acceptance",
            Property::NonProgress => "non-progress",
            Property::Never { language: Language::Promela, .. } => "never",
            Property::Never { language: Language::Dve, .. } => "property",
            Property::Trace { kind, .. } => kind.name(),
            Property::Claim(_) => "claim",
        }
    }

    /// How the formula is read, if it is one.
    pub fn reading(&self) -> Option<String> {
        match self {
            Property::Ltl { tree, .. } | Property::Exists { tree } => Some(tree.bracketed()),
            Property::Invariant { condition } => Some(format!("G ({})", condition.text)),
            Property::Claim(claim) => claim.automaton.name.clone(),
            Property::Acceptance
            | Property::NonProgress
            | Property::Never { .. }
            | Property::Trace { .. } => None,
        }
    }

    /// The formula that is looked for: of a run that violates the property, or, for [`Property::Exists`],
    /// shows it. `None` for claims, which are automata, and for assertions about events.
    pub fn goal(&self, formulas: &mut Formulas) -> Option<Formula> {
        let goal = match self {
            Property::Ltl { tree, .. } => {
                let formula = tree.to_formula(formulas);
                formulas.not(formula)
            }
            Property::Invariant { condition } => {
                let holds = formulas.proposition(&condition.text);
                let fails = formulas.not(holds);
                formulas.finally(fails)
            }
            Property::Exists { tree } => tree.to_formula(formulas),
            Property::Acceptance => {
                let accept = formulas.proposition(ACCEPT);
                let again = formulas.finally(accept);
                formulas.globally(again)
            }
            Property::NonProgress => {
                let idle = formulas.proposition(NON_PROGRESS);
                let for_ever = formulas.globally(idle);
                formulas.finally(for_ever)
            }
            Property::Never { .. } | Property::Trace { .. } | Property::Claim(_) => return None,
        };
        Some(goal)
    }

    /// The texts of the propositions, as the front end is to read them.
    pub fn propositions(&self) -> Vec<PropositionText> {
        match self {
            Property::Ltl { tree, .. } | Property::Exists { tree } => texts_of(tree),
            Property::Invariant { condition } => vec![condition.clone()],
            Property::Claim(claim) => {
                let propositions = claim.automaton.propositions.iter();
                propositions.map(|text| PropositionText { text: text.clone(), origin: None }).collect()
            }
            Property::Acceptance
            | Property::NonProgress
            | Property::Never { .. }
            | Property::Trace { .. } => Vec::new(),
        }
    }
}

/// The texts of the propositions of a formula.
pub(crate) fn texts_of(tree: &Tree) -> Vec<PropositionText> {
    let located = |proposition: &&lariat_ltl::parse::Proposition| PropositionText {
        text: proposition.text.clone(),
        origin: Some(proposition.span),
    };
    tree.propositions().iter().map(located).collect()
}

/// The condition with this text, among those that were lowered with the model or that every model has.
pub fn proposition(model: &Model, text: &str) -> Option<Expr> {
    let known = model.propositions.iter().find(|proposition| proposition.text == text);
    match (known, text) {
        (Some(Proposition { value, .. }), _) => Some(value.clone()),
        (None, ACCEPT) => Some(Expr::Acceptance),
        (None, NON_PROGRESS) => Some(Expr::NonProgress),
        _ => None,
    }
}

/// The properties that a model states beside its formulas: claims, accept labels, progress labels.
pub fn stated_by_labels(model: &Model) -> Vec<Property> {
    let mut stated = Vec::new();
    let language = model.language;
    let only = language == Language::Promela
        && model.claims.iter().filter(|claim| claim.kind == ClaimKind::Never).count() == 1;
    stated.extend(model.claims.iter().enumerate().map(|(claim, stated)| match stated.kind {
        // The only claim is `never`, whatever its name is.
        ClaimKind::Never if only => Property::Never { claim, name: "never".to_string(), language },
        ClaimKind::Never => Property::Never { claim, name: stated.automaton.name.clone(), language },
        ClaimKind::Trace => Property::Trace { claim, kind: TraceKind::Trace },
        ClaimKind::NoTrace => Property::Trace { claim, kind: TraceKind::NoTrace },
    }));
    let some = |labelled: fn(&LocationInfo) -> bool| {
        model.process_types.iter().flat_map(|process| &process.locations).any(labelled)
    };
    if some(|location| location.accept) {
        stated.push(Property::Acceptance);
    }
    if some(|location| location.progress) {
        stated.push(Property::NonProgress);
    }
    stated
}
