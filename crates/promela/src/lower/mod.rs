//! From the syntax tree to the intermediate form.
//!
//! Names are resolved and laid out in memory ([`declarations`]), expressions lowered ([`expressions`]),
//! statements turned into control flow ([`statements`], with [`crate::flow`] doing the numbering), `d_step`
//! bodies into little programs ([`programs`]), what stands in a trace assertion is looked at ([`events`]),
//! and what is odd in front of options ([`guards`]), every statement gets the text that traces show
//! ([`text`]), and what is too large is refused ([`limits`]).
//!
//! Units are taken in the order of the text, as Spin does: what is used must have been defined before, except
//! process types in `run`. All errors are collected; a model comes out only if there are none.

mod declarations;
mod events;
mod expressions;
mod guards;
mod limits;
mod programs;
mod statements;
mod text;

use crate::ast;
use crate::flow::{AutomatonNumbers, Flow, Node, Prepared, ScopePath};
use lariat_model::ir::{self, *};
use lariat_source::{Diagnostic, Severity, SourceMap, Span};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Lowers a program, with the propositions of properties about it; `None` if there were errors.
pub fn lower(
    program: &ast::Program,
    propositions: &[(String, ast::Expr)],
    name: &str,
    sources: &SourceMap,
) -> (Option<(Model, SpinNumbers)>, Vec<Diagnostic>) {
    let mut lowering = Lowering::new(name, sources, &program.unread);
    lowering.text_is_broken = program.is_broken;
    lowering.collect_process_types(program);
    for unit in &program.units {
        lowering.unit(unit);
    }
    for (text, expression) in propositions {
        lowering.proposition(text, expression);
    }
    lowering.finish(program)
}

/// What Spin's trails call the statements and claims of a model: its process types and claims in the order of
/// the text. The claims that Spin makes of `ltl` blocks, in their order, follow in its count of them.
pub type SpinNumbers = Vec<(NumberedAutomaton, AutomatonNumbers)>;

/// What Spin counts as a process type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberedAutomaton {
    /// Index into [`Model::process_types`].
    Process(usize),
    /// Index into [`Model::claims`].
    Claim(usize),
}

/// What is known of a process type before its body is read.
struct ProcessHeader {
    id: ProcessTypeId,
    /// The parameters' types: of each a record's name, or none for a scalar.
    parameters: Vec<Option<String>>,
    span: Span,
}

/// A variable and where it was declared.
#[derive(Clone)]
struct Declared {
    variable: Variable,
    base: DeclaredIn,
    span: Span,
    /// The messages of the channel that it is declared with.
    channel: Option<ChannelTypeId>,
    constant_initialiser: Option<i32>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DeclaredIn {
    Globals,
    Process,
}

/// The process type whose body is being lowered.
struct ProcessContext {
    name: String,
    id: Option<ProcessTypeId>,
    variables: Vec<Declared>,
    size: u32,
    initialise: Vec<Initialisation>,
    /// Names visible, per open block.
    scopes: Vec<HashMap<String, usize>>,
    scope_path: ScopePath,
    scope_counts: Vec<u32>,
    /// Declarations still only set initial values; later ones are steps of the process.
    at_start: bool,
    in_d_step: bool,
    /// A trace assertion: statements are events.
    in_trace: bool,
    exclusive: Vec<Exclusive>,
    flow: Flow,
}

/// A process type whose body has been lowered: what others may refer to.
struct LoweredProcess {
    variables: Vec<Declared>,
}

struct Lowering<'a> {
    sources: &'a SourceMap,
    model: Model,
    diagnostics: Vec<Diagnostic>,
    /// An mtype constant: its list and value.
    constants: HashMap<String, (u16, i32)>,
    records: HashMap<String, RecordTypeId>,
    /// Of each record type, the number of scalars in it.
    record_scalars: Vec<u64>,
    record_spans: HashMap<String, Span>,
    globals: HashMap<String, Declared>,
    headers: HashMap<String, ProcessHeader>,
    /// Every `init` is a process of its own; nothing can refer to it.
    inits: HashMap<Span, ProcessTypeId>,
    lowered: HashMap<String, LoweredProcess>,
    /// Flows wait for the end: later remote references may still need a point in them.
    waiting: Vec<(Flow, crate::flow::SequenceId, NumberedAutomaton)>,
    flows_by_name: HashMap<String, usize>,
    process: Option<ProcessContext>,
    /// Initialisers of globals, to be ordered by type as Spin does.
    global_initialisers: Vec<(usize, Initialisation)>,
    unknown_reported: HashSet<(String, String)>,
    /// Names in declarations that could not be read: not to be called unknown.
    unread: &'a HashSet<String>,
    /// Where options begin and end may be a guess.
    text_is_broken: bool,
    /// The first rendezvous channel.
    rendezvous_at: Option<Span>,
    /// Of every send, how many fields it has.
    sends: Vec<(usize, Span)>,
    /// A channel's declaration has errors.
    channel_is_broken: bool,
    enabled_at: Option<Span>,
    priorities_at: Option<Span>,
    /// The trace assertion.
    trace_at: Option<Span>,
    /// Initial values of the fields of each record type, offsets from its start.
    field_initialisers: HashMap<u16, Vec<Initialisation>>,
    /// How many elements all flows have so far.
    next_element: Rc<Cell<u32>>,
}

impl<'a> Lowering<'a> {
    fn new(name: &str, sources: &'a SourceMap, unread: &'a HashSet<String>) -> Lowering<'a> {
        let model = Model {
            name: name.to_string(),
            files: sources.files().iter().map(|f| f.name.clone()).collect(),
            ..Model::default()
        };
        Lowering {
            sources,
            model,
            diagnostics: Vec::new(),
            constants: HashMap::new(),
            records: HashMap::new(),
            record_scalars: Vec::new(),
            record_spans: HashMap::new(),
            globals: HashMap::new(),
            headers: HashMap::new(),
            inits: HashMap::new(),
            lowered: HashMap::new(),
            waiting: Vec::new(),
            flows_by_name: HashMap::new(),
            process: None,
            global_initialisers: Vec::new(),
            unknown_reported: Default::default(),
            unread,
            text_is_broken: false,
            rendezvous_at: None,
            sends: Vec::new(),
            channel_is_broken: false,
            enabled_at: None,
            priorities_at: None,
            trace_at: None,
            field_initialisers: HashMap::new(),
            next_element: Rc::default(),
        }
    }

    fn error(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn line(&self, span: Span) -> SourceLine {
        if self.sources.files().is_empty() {
            return SourceLine::default();
        }
        SourceLine { file: span.file.0 as u16, line: self.sources.line(span) }
    }

    /// Process types are numbered in the order of the text before anything is lowered, for `run`.
    fn collect_process_types(&mut self, program: &ast::Program) {
        let mut next = 0;
        let mut first_init = None;
        for unit in &program.units {
            let proctype = match unit {
                ast::Unit::Proctype(proctype) => proctype,
                ast::Unit::Init(init) => {
                    match first_init {
                        None => first_init = Some(init.span),
                        Some(first) => self.error(
                            Diagnostic::warning("a second `init`", init.span)
                                .expected("this is a process beside the first")
                                .also(first, "first `init`"),
                        ),
                    }
                    self.inits.insert(init.span, ProcessTypeId(next));
                    next += 1;
                    continue;
                }
                _ => continue,
            };
            let (name, span) = (proctype.name.text.clone(), proctype.name.span);
            let id = ProcessTypeId(next);
            next += 1;
            if let Some(other) = self.headers.get(&name) {
                let other = other.span;
                self.error(
                    Diagnostic::error(format!("proctype `{name}` is defined twice"), span)
                        .expected("second definition")
                        .also(other, "first definition"),
                );
                continue;
            }
            let mut parameters = Vec::new();
            for declaration in &proctype.parameters {
                let record = match &declaration.ty {
                    ast::TypeName::User(name) => Some(name.text.clone()),
                    _ => None,
                };
                parameters.extend(declaration.variables.iter().map(|_| record.clone()));
            }
            self.headers.insert(name, ProcessHeader { id, parameters, span });
        }
        self.model.process_types = vec![ProcessType::default(); next as usize];
        if next > 255 {
            let headers = self.headers.values().map(|header| header.span);
            let span = headers.chain(self.inits.keys().copied()).max_by_key(|span| span.start);
            let span = span.unwrap_or_default();
            self.error(Diagnostic::error("more than 255 process types", span));
        }
        self.priorities_at = use_of_priorities(program);
        self.model.features.priorities = self.priorities_at.is_some();
    }

    fn unit(&mut self, unit: &ast::Unit) {
        match unit {
            ast::Unit::Variables(declaration) => self.global_declaration(declaration),
            ast::Unit::MtypeNames { subtype, names, .. } => self.mtype_names(subtype.as_ref(), names),
            ast::Unit::Typedef(typedef) => self.typedef(typedef),
            ast::Unit::Proctype(proctype) => self.proctype(proctype),
            ast::Unit::Init(init) => self.init(init),
            ast::Unit::Never(claim) => {
                let name = match &claim.name {
                    Some(name) => name.text.clone(),
                    None => format!("never_{}", self.model.claims.len()),
                };
                self.claim(ClaimKind::Never, name, &claim.body, claim.span);
            }
            ast::Unit::Trace(trace) => {
                let (kind, name) = if trace.negated {
                    (ClaimKind::NoTrace, ":notrace:")
                } else {
                    (ClaimKind::Trace, ":trace:")
                };
                self.check_second_trace(trace.span);
                self.check_events(trace);
                self.claim(kind, name.to_string(), &trace.body, trace.span);
            }
            ast::Unit::Ltl(block) => {
                let line = self.line(block.span);
                self.model.features.last |= mentions(&block.formula.text, "_last");
                self.model.formulas.push(Formula {
                    name: block.name.clone(),
                    text: block.formula.text.clone(),
                    line,
                });
            }
        }
    }

    fn enter_process(&mut self, name: &str, id: Option<ProcessTypeId>) {
        self.process = Some(ProcessContext {
            name: name.to_string(),
            id,
            variables: Vec::new(),
            size: 0,
            initialise: Vec::new(),
            scopes: vec![HashMap::new()],
            scope_path: Vec::new(),
            scope_counts: vec![0],
            at_start: true,
            in_d_step: false,
            in_trace: false,
            exclusive: Vec::new(),
            flow: Flow::new(Rc::clone(&self.next_element)),
        });
    }

    fn proctype(&mut self, proctype: &ast::Proctype) {
        let Some(header) = self.headers.get(&proctype.name.text) else { return };
        if header.span != proctype.name.span {
            return; // a second definition, reported
        }
        let id = header.id;
        self.enter_process(&proctype.name.text, Some(id));
        for declaration in &proctype.parameters {
            self.parameter_declaration(declaration);
        }
        let parameters = self.process.as_ref().map_or(0, |p| p.variables.len()) as u32;
        let provided = proctype.provided.as_ref().map(|e| self.expr(e));
        let priority = self.constant_priority(proctype.priority.as_ref());
        let body = self.body(&proctype.body);
        let line = self.line(proctype.name.span);
        self.leave_process(id, &proctype.name.text, line, parameters, proctype.deterministic, provided, body);
        if let Some(active) = &proctype.active {
            let count = match &active.count {
                None => 1,
                Some(count) => self.constant(count, "the number of active processes").unwrap_or(1),
            };
            if !(0..=255).contains(&count) {
                self.error(
                    Diagnostic::error(format!("{count} active processes are too many"), active.span)
                        .expected("between 0 and 255"),
                );
            }
            for _ in 0..count.clamp(0, 255) {
                self.model.start.push(Start { process: id, priority });
            }
        }
    }

    fn init(&mut self, init: &ast::Init) {
        let Some(&id) = self.inits.get(&init.span) else { return };
        self.enter_process(INIT, Some(id));
        let priority = self.constant_priority(init.priority.as_ref());
        let body = self.body(&init.body);
        let line = self.line(init.span);
        self.leave_process(id, INIT, line, 0, false, None, body);
        self.model.start.push(Start { process: id, priority });
    }

    fn constant_priority(&mut self, priority: Option<&ast::Expr>) -> u8 {
        let Some(expr) = priority else { return 1 };
        match self.constant(expr, "a priority") {
            Some(value @ 1..=255) => value as u8,
            Some(value) => {
                self.error(
                    Diagnostic::error(format!("priority {value} is out of range"), expr.span)
                        .expected("expected a number from 1 to 255"),
                );
                1
            }
            None => 1,
        }
    }

    fn claim(&mut self, kind: ClaimKind, name: String, body: &ast::Sequence, span: Span) {
        self.enter_process(&name, None);
        if let Some(process) = &mut self.process {
            process.in_trace = kind != ClaimKind::Never;
        }
        let sequence = self.body(body);
        let context = self.process.take().expect("a process is open");
        if let Some(local) = context.variables.first() {
            self.error(
                Diagnostic::error("a claim cannot have variables of its own", local.span)
                    .expected("declared here")
                    .hint("make it a global variable"),
            );
        }
        let automaton = ProcessType { name, line: self.line(span), ..ProcessType::default() };
        self.model.claims.push(Claim { kind, automaton });
        let index = self.model.claims.len() - 1;
        self.waiting.push((context.flow, sequence, NumberedAutomaton::Claim(index)));
    }

    /// A condition that a property is about: like one in a claim.
    fn proposition(&mut self, text: &str, expression: &ast::Expr) {
        self.enter_process("", None);
        let value = self.expr(expression);
        self.process = None;
        self.model.propositions.push(Proposition { text: text.to_string(), value });
    }

    /// The statements of a body, with the end of the process as the last.
    fn body(&mut self, body: &ast::Sequence) -> crate::flow::SequenceId {
        let context = self.process.as_mut().expect("a process is open");
        context.flow.open_sequence();
        self.enter_scope();
        self.steps(body);
        self.leave_scope();
        let end = Span { start: body.span.end.saturating_sub(1), ..body.span };
        let line = self.line(end);
        let flow = &mut self.process.as_mut().expect("a process is open").flow;
        flow.add(Prepared::Simple { node: Node::End, line, text: "-end-".into(), span: end });
        flow.close_sequence(body.span)
    }

    #[allow(clippy::too_many_arguments)]
    fn leave_process(
        &mut self,
        id: ProcessTypeId,
        name: &str,
        line: SourceLine,
        parameters: u32,
        deterministic: bool,
        provided: Option<ir::Expr>,
        body: crate::flow::SequenceId,
    ) {
        let context = self.process.take().expect("a process is open");
        let process = &mut self.model.process_types[id.0 as usize];
        process.name = name.to_string();
        process.line = line;
        process.deterministic = deterministic;
        process.provided = provided;
        process.exclusive = context.exclusive;
        process.variables = context.variables.iter().map(|d| d.variable.clone()).collect();
        process.parameters = parameters;
        process.variables_size = context.size;
        process.initialise = context.initialise;
        self.lowered.insert(name.to_string(), LoweredProcess { variables: context.variables });
        self.flows_by_name.insert(name.to_string(), self.waiting.len());
        self.waiting.push((context.flow, body, NumberedAutomaton::Process(id.0 as usize)));
    }

    /// Formulas may refer to labels (`P@l`, `P[i]@l`): there must be a control point to be at.
    fn keep_labels_of_formulas(&mut self) {
        // In Spin these are met while the claims of the formulas are read.
        Flow::forget_ids(&self.next_element);
        for formula in &self.model.formulas {
            for (process, label) in remote_labels(&formula.text) {
                if let Some(i) = self.flows_by_name.get(process) {
                    self.waiting[*i].0.keep_label(label);
                }
            }
        }
    }

    fn finish(mut self, program: &ast::Program) -> (Option<(Model, SpinNumbers)>, Vec<Diagnostic>) {
        self.keep_labels_of_formulas();
        let rendezvous = self.rendezvous_at.is_some();
        let mut numbers = SpinNumbers::new();
        let mut accept_label = None;
        for (flow, body, destination) in std::mem::take(&mut self.waiting) {
            let mut problems = Vec::new();
            let mut program = |flow: &mut Flow, element| programs::program(flow, element, &mut problems);
            let finished = flow.finish(body, rendezvous, &mut program);
            numbers.push((destination, finished.numbers));
            self.diagnostics.extend(finished.diagnostics);
            self.diagnostics.extend(problems);
            let automaton = match destination {
                NumberedAutomaton::Process(i) => {
                    self.diagnostics.extend(finished.label_warnings);
                    accept_label = accept_label.or(finished.accept_label);
                    &mut self.model.process_types[i]
                }
                NumberedAutomaton::Claim(i) => &mut self.model.claims[i].automaton,
            };
            automaton.start = finished.start;
            automaton.locations = finished.locations;
            automaton.statements = finished.statements;
            automaton.labels = finished.labels;
        }
        if let Some(span) = accept_label
            && self.model.claims.iter().any(|claim| claim.kind == ClaimKind::Never)
        {
            let says = "accept labels of processes do not count for the never claim";
            self.diagnostics.push(
                Diagnostic::warning(says, span)
                    .expected("in Spin a cycle through this label is accepted, too")
                    .hint("`--property acceptance` judges the labels of processes, `--property never` the claim"),
            );
        }
        self.order_global_initialisers();
        self.check_rendezvous();
        self.check_sends();
        self.check_limits();
        if program.units.is_empty() && self.diagnostics.is_empty() {
            self.error(Diagnostic::error("the model is empty: there is no process", Span::default()));
        }
        self.diagnostics.sort_by_key(|d| (d.span().file.0, d.span().start));
        let failed = self.diagnostics.iter().any(|d| d.severity == Severity::Error);
        (if failed { None } else { Some((self.model, numbers)) }, self.diagnostics)
    }

    /// What cannot be said of a step that two processes take together; as in Spin.
    fn check_rendezvous(&mut self) {
        let Some(channel) = self.rendezvous_at else { return };
        if let Some(span) = self.enabled_at {
            self.error(
                Diagnostic::error("enabled() cannot be used in a model with rendezvous channels", span)
                    .expected("whether a rendezvous can happen depends on two processes"),
            );
        }
        if let Some(span) = self.priorities_at {
            self.error(
                Diagnostic::error("priorities cannot be used in a model with rendezvous channels", span)
                    .expected("two processes take part in a rendezvous, and they may have two priorities")
                    .also(channel, "a rendezvous channel")
                    .hint("give the channel a capacity, or leave the priorities out"),
            );
        }
    }

    /// A send that no channel of the model could take is an error, as in Spin; that it does not fit its own
    /// was said.
    fn check_sends(&mut self) {
        if self.channel_is_broken || !self.unread.is_empty() {
            return; // there may be other channels
        }
        let most = self.model.channel_types.iter().map(|c| c.fields.len()).max().unwrap_or(0);
        for (given, span) in std::mem::take(&mut self.sends) {
            if given > most {
                self.diagnostics.retain(|d| d.is_error() || d.span() != span);
                let plural = |n: usize| format!("{n} field{}", if n == 1 { "" } else { "s" });
                self.error(Diagnostic::error(format!("send of {}", plural(given)), span).expected(format!(
                    "no channel of this model has messages of more than {}",
                    plural(most)
                )));
            }
        }
    }
}

/// Spin's name for the init process.
pub(crate) const INIT: &str = ":init:";

/// Whether priorities matter in the model: where it first mentions them.
fn use_of_priorities(program: &ast::Program) -> Option<Span> {
    let given = |priority: &Option<ast::Expr>| priority.as_ref().map(|priority| priority.span);
    program.units.iter().find_map(|unit| match unit {
        ast::Unit::Proctype(p) => given(&p.priority)
            .or_else(|| p.provided.as_ref().and_then(text::priority_in_expression))
            .or_else(|| text::priority_in(&p.body)),
        ast::Unit::Init(init) => given(&init.priority).or_else(|| text::priority_in(&init.body)),
        ast::Unit::Never(claim) => text::priority_in(&claim.body),
        ast::Unit::Ltl(block) => {
            let text = &block.formula.text;
            (mentions(text, "_priority") || mentions(text, "get_priority")).then_some(block.span)
        }
        _ => None,
    })
}

/// Whether a name occurs in a text.
fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
}

/// The references `P@label` and `P[…]@label` in a formula's text, as process type and label.
fn remote_labels(formula: &str) -> Vec<(&str, &str)> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, _) in formula.match_indices('@') {
        let label = formula[at + 1..].trim_start();
        let label = &label[..label.find(|c| !is_name(c)).unwrap_or(label.len())];
        let mut before = formula[..at].trim_end();
        if before.ends_with(']') {
            let mut depth = 0;
            let open = before.char_indices().rev().find(|(_, c)| {
                depth += (*c == ']') as i32 - (*c == '[') as i32;
                depth == 0
            });
            before = open.map_or("", |(i, _)| before[..i].trim_end());
        }
        let start = before.rfind(|c| !is_name(c)).map_or(0, |i| i + 1);
        if let (Some(process), false) = (before.get(start..), label.is_empty()) {
            found.push((process, label));
        }
    }
    found
}
