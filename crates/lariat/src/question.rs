//! From the text of a property to the formula of the runs that are looked for, with every proposition found
//! among the model's.

use crate::explored::{FormulaPropositions, Meaning};
use crate::{Error, Model, Propositions};
use lariat_ltl::parse::{Dialect, Tree, TreeKind, UnaryOperator, read_formula};
use lariat_ltl::{Formula, Formulas};
use lariat_source::{Diagnostic, SourceMap, most_similar};

/// The proposition that every model has: no successor.
const DEADLOCK: &str = "deadlock";

/// What is asked about the runs of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Every run satisfies the formula.
    Ltl,
    /// Some run does.
    Exists,
    /// Every reachable state satisfies the condition.
    Invariant,
    /// Every reachable state has a successor.
    NoDeadlock,
}

/// A property, ready to be checked.
pub(crate) struct Question<'m, S> {
    /// How the formula is read.
    pub reading: String,
    pub formulas: Formulas,
    /// The runs that are looked for.
    pub goal: Formula,
    /// What must be true in every state, if that is the question.
    pub condition: Option<Formula>,
    /// The propositions of the formula, by their numbers in it.
    pub propositions: FormulaPropositions<'m, S>,
    /// What there is to say about the text.
    pub warnings: Vec<String>,
}

impl<'m, S> Question<'m, S> {
    pub fn new<M: Model<State = S>>(model: &'m M, kind: Kind, text: &str) -> Result<Self, Error> {
        let propositions = Propositions::of(model);
        refuse_same_names(&propositions)?;
        let text = if kind == Kind::NoDeadlock { "!deadlock" } else { text };
        let mut sources = SourceMap::new();
        let mut messages = Vec::new();
        let tree =
            read_formula(&mut sources, "<formula>", text.to_string().into(), Dialect::Spot, &mut messages);
        if let Some(tree) = &tree {
            messages.extend(unknown_propositions(tree, &propositions));
            if matches!(kind, Kind::Invariant | Kind::NoDeadlock) {
                messages.extend(temporal_operator(tree));
            }
        }
        let shown = |errors: bool| {
            let these = messages.iter().filter(move |message| message.is_error() == errors);
            these.map(|message| message.render(&sources))
        };
        let Some(tree) = tree.filter(|_| !messages.iter().any(Diagnostic::is_error)) else {
            return Err(Error::Formula(shown(true).collect()));
        };

        let mut formulas = Formulas::new();
        let formula = tree.to_formula(&mut formulas);
        let (goal, condition) = match kind {
            Kind::Exists => (formula, None),
            Kind::Ltl => (formulas.not(formula), None),
            Kind::Invariant | Kind::NoDeadlock => {
                let fails = formulas.not(formula);
                (formulas.finally(fails), Some(formula))
            }
        };
        let propositions = meanings(propositions, formulas.propositions());
        let warnings = shown(false).collect();
        Ok(Question { reading: tree.bracketed(), formulas, goal, condition, propositions, warnings })
    }
}

fn refuse_same_names<S>(propositions: &Propositions<S>) -> Result<(), Error> {
    let mut names: Vec<&str> = propositions.names().chain([DEADLOCK]).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(Error::ProposedTwice(pair[0].to_string())),
        None => Ok(()),
    }
}

/// A message for every proposition that the model does not have.
fn unknown_propositions<S>(tree: &Tree, propositions: &Propositions<S>) -> Vec<Diagnostic> {
    let known = || propositions.names().chain([DEADLOCK]);
    let mut messages = Vec::new();
    for proposition in tree.propositions() {
        let name = proposition.text.as_str();
        if known().any(|other| other == name) {
            continue;
        }
        let all = known().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let hint = match most_similar(name, known()) {
            Some(similar) => format!("did you mean `{similar}`? The model has {all}"),
            None => format!("the model has {all}"),
        };
        let message = format!("the model has no proposition `{name}`");
        messages.push(Diagnostic::error(message, proposition.span).hint(hint));
    }
    messages
}

/// A message about the first operator that speaks of more than one state.
fn temporal_operator(tree: &Tree) -> Option<Diagnostic> {
    let mut work = vec![tree];
    while let Some(tree) = work.pop() {
        let temporal = match &tree.kind {
            TreeKind::Unary(operator, _) => *operator != UnaryOperator::Not,
            TreeKind::Binary(operator, ..) => operator.is_temporal(),
            _ => false,
        };
        if temporal {
            let message = "an invariant is about one state, and this is about several";
            let hint = "`check` is for formulas with temporal operators";
            return Some(Diagnostic::error(message, tree.span).hint(hint));
        }
        work.extend(tree.children().into_iter().rev());
    }
    None
}

/// The meanings of the propositions with these names, which the model has.
fn meanings<'m, S>(propositions: Propositions<'m, S>, names: &[String]) -> FormulaPropositions<'m, S> {
    let mut named = propositions.named;
    let meanings = names.iter().map(|name| match named.iter().position(|(other, _)| other == name) {
        Some(place) => Meaning::Named(named.swap_remove(place).1),
        None => Meaning::Deadlock,
    });
    FormulaPropositions { meanings: meanings.collect(), names: names.to_vec() }
}
