//! From the tree to the intermediate form.
//!
//! Every process of the model is a process type with one process; their numbers are their places in the text,
//! the property process not counted. So a process knows all others by number before the run, and `P->x` and
//! `P.q` are plain places in the state.
//!
//! `declarations` gives names their meaning, `expressions` lowers values and places, `transitions` steps,
//! `property` the process that watches the others, `text` what people see of a transition.

mod declarations;
mod expressions;
mod property;
mod text;
mod transitions;

use crate::ast;
use declarations::{Channel, Entity, Process};
use expressions::View;
use lariat_model::ir::{self, MAX_PROCESSES};
use lariat_model::verify::verify;
use lariat_source::{Diagnostic, SourceMap, Span, most_similar};
use std::collections::{HashMap, HashSet};

pub use property::PROPERTY_ONLY_WATCHES;

/// A message has been given.
pub(crate) struct Failed;

type Lowered<T> = Result<T, Failed>;

/// Checks and lowers a model. `None` if there are errors.
pub fn lower(
    text: &ast::Model,
    propositions: &[(String, ast::Expr)],
    name: &str,
    sources: &SourceMap,
) -> (Option<ir::Model>, Vec<Diagnostic>) {
    let mut lowering = Lowering {
        text,
        sources,
        messages: Vec::new(),
        globals: HashMap::new(),
        channels: Vec::new(),
        processes: Vec::new(),
        warned_of: HashSet::new(),
        model: ir::Model {
            name: name.to_string(),
            language: ir::Language::Dve,
            files: vec![name.to_string()],
            ..ir::Model::default()
        },
    };
    lowering.declare();
    for process in 0..lowering.processes.len() {
        lowering.process(process);
    }
    for (text, expression) in propositions {
        if let Ok(value) = lowering.value(expression, View::OUTSIDE) {
            lowering.model.propositions.push(ir::Proposition { text: text.clone(), value });
        }
    }
    lowering.check_size();
    let Lowering { model, messages, .. } = lowering;
    let broken = messages.iter().any(Diagnostic::is_error);
    ((!broken).then_some(model), messages)
}

struct Lowering<'a> {
    text: &'a ast::Model,
    sources: &'a SourceMap,
    messages: Vec<Diagnostic>,
    globals: HashMap<&'a str, Entity>,
    channels: Vec<Channel>,
    /// In the order of the text, the property process among them.
    processes: Vec<Process<'a>>,
    /// Arrays (where they are declared) that were used without an index.
    warned_of: HashSet<u32>,
    model: ir::Model,
}

impl<'a> Lowering<'a> {
    fn fail<T>(&mut self, message: Diagnostic) -> Lowered<T> {
        self.messages.push(message);
        Err(Failed)
    }

    fn line(&self, span: Span) -> ir::SourceLine {
        ir::SourceLine { file: 0, line: self.sources.line(span) }
    }

    /// The property process, as a place in [`Lowering::processes`].
    fn property(&self) -> Option<usize> {
        let name = self.text.system.as_ref()?.property.as_ref()?;
        self.processes.iter().position(|process| process.name.text == name.text)
    }

    /// Reports a name that means nothing here, and what it may be meant for.
    fn unknown<T>(&mut self, what: &str, name: &ast::Name, known: &[&str]) -> Lowered<T> {
        let message = Diagnostic::error(format!("there is no {what} `{}`", name.text), name.span);
        let similar = most_similar(&name.text, known.iter().copied());
        self.fail(match similar {
            Some(similar) => message.hint(format!("did you mean `{similar}`?")),
            None => message,
        })
    }

    /// A state of a process.
    fn state(&mut self, process: usize, name: &ast::Name) -> Lowered<ir::Location> {
        if let Some(location) = self.processes[process].states.get(name.text.as_str()) {
            return Ok(*location);
        }
        let known: Vec<&str> = self.processes[process].states.keys().copied().collect();
        let of = format!("state in process `{}` called", self.processes[process].name.text);
        self.unknown(&of, name, &known)
    }

    /// Everything of a process behind its declarations.
    fn process(&mut self, index: usize) {
        let text: &'a ast::Process = self.processes[index].text;
        let mut locations = vec![ir::LocationInfo::default()];
        for state in &text.states {
            locations.push(ir::LocationInfo {
                line: self.line(state.span),
                // A process may stop where nothing leads on.
                end: !text.transitions.iter().any(|transition| transition.source.text == state.text),
                ..ir::LocationInfo::default()
            });
        }
        let is_property = self.property() == Some(index);
        for name in &text.accept {
            if let Ok(location) = self.state(index, name) {
                locations[location as usize].accept = is_property;
            }
            if !is_property {
                let message = Diagnostic::warning("only the property process accepts", name.span)
                    .expected("this has no effect")
                    .hint("name the process behind `property` in the `system` line, if it is one");
                self.messages.push(message);
            }
        }
        for name in &text.commit {
            if let Ok(location) = self.state(index, name) {
                locations[location as usize].committed = true;
            }
        }
        let start = match &text.init {
            Some(name) => self.state(index, name).unwrap_or(1),
            None if text.states.is_empty() => 1,
            None => {
                let message = format!("process `{}` has no initial state", text.name.text);
                let message = Diagnostic::error(message, text.name.span);
                self.messages.push(message.hint("add `init` and the name of a state"));
                1
            }
        };
        let mut process = ir::ProcessType {
            name: text.name.text.clone(),
            line: self.line(text.name.span),
            variables: std::mem::take(&mut self.processes[index].variables),
            variables_size: self.processes[index].variables_size,
            initialise: std::mem::take(&mut self.processes[index].initialise),
            start,
            statements: vec![ir::Statement::default()],
            labels: self.labels(text),
            locations,
            ..ir::ProcessType::default()
        };
        if is_property {
            self.watch(index, &mut process);
            self.model.claims.push(ir::Claim { kind: ir::ClaimKind::Never, automaton: process });
            return;
        }
        self.assertions(index, &mut process);
        self.transitions(index, &mut process);
        let number = ir::ProcessTypeId(self.model.process_types.len() as u16);
        self.model.process_types.push(process);
        self.model.start.push(ir::Start { process: number, priority: 1 });
    }

    fn labels(&self, text: &ast::Process) -> Vec<ir::Label> {
        let numbers = 1..;
        let named = text.states.iter().zip(numbers);
        named.map(|(state, location)| ir::Label { name: state.text.clone(), location }).collect()
    }

    /// What must hold in states.
    fn assertions(&mut self, index: usize, process: &mut ir::ProcessType) {
        let text: &'a ast::Process = self.processes[index].text;
        for assertion in &text.assertions {
            let location = self.state(index, &assertion.state);
            let value = self.value(&assertion.condition, self.view_of(index));
            if let (Ok(location), Ok(value)) = (location, value) {
                let statement = self.statement(
                    process,
                    format!("{}: assert {}", text.name.text, self.squeezed(assertion.span)),
                    assertion.span,
                );
                locations_of(process, location).assertions.push(ir::StateAssertion { value, statement });
            }
        }
    }

    /// Adds a statement, for people; its number.
    fn statement(&self, process: &mut ir::ProcessType, text: String, span: Span) -> u32 {
        process.statements.push(ir::Statement { line: self.line(span), text, reported: true });
        process.statements.len() as u32 - 1
    }

    /// What the intermediate form has no room for.
    fn check_size(&mut self) {
        let Some(system) = &self.text.system else { return };
        if self.messages.iter().any(Diagnostic::is_error) {
            return;
        }
        let processes = self.model.process_types.len();
        if processes > MAX_PROCESSES {
            let message = format!("{processes} processes are too many: {MAX_PROCESSES} are possible");
            return self.messages.push(Diagnostic::error(message, system.span));
        }
        if let Some(complaint) = verify(&self.model).into_iter().next() {
            let message = Diagnostic::error("this model is too large", system.span);
            self.messages.push(message.expected(complaint));
        }
    }
}

fn locations_of(process: &mut ir::ProcessType, location: ir::Location) -> &mut ir::LocationInfo {
    &mut process.locations[location as usize]
}
