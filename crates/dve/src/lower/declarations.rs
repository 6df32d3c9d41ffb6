//! What names stand for, and where variables lie.
//!
//! Global names (variables, constants, channels, processes) share one space, and so do the variables of a
//! process, which hide the global ones. States have a space of their own in each process. A constant with a
//! single value takes no room; an array of constants lies among the variables, and nothing writes it.

use super::{Failed, Lowered, Lowering};
use crate::ast;
use crate::lower::expressions::View;
use lariat_model::ir;
use lariat_model::verify::MAX_SECTION;
use lariat_source::{Diagnostic, Span};
use std::collections::HashMap;

/// What a global name stands for.
#[derive(Clone, Copy)]
pub(super) enum Entity {
    Variable(Slot),
    /// A place in [`Lowering::channels`].
    Channel(usize, Span),
    /// A place in [`Lowering::processes`].
    Process(usize, Span),
    /// Its declaration is wrong, which has been said: nothing more is said about its uses.
    Broken(Span),
}

impl Entity {
    fn span(self) -> Span {
        match self {
            Entity::Variable(slot) => slot.span,
            Entity::Channel(_, span) | Entity::Process(_, span) | Entity::Broken(span) => span,
        }
    }
}

/// A variable or a constant.
#[derive(Clone, Copy)]
pub(super) struct Slot {
    pub value: SlotValue,
    pub ty: ast::Type,
    /// Number of elements of an array.
    pub length: Option<u32>,
    /// It must not be assigned.
    pub constant: bool,
    pub span: Span,
}

#[derive(Clone, Copy)]
pub(super) enum SlotValue {
    Known(i32),
    /// So many bytes behind the start of the globals, or of the owner's variables.
    At(u32),
    /// Its declaration is wrong.
    Broken,
}

pub(super) struct Channel {
    /// Its number in the run, if it keeps messages.
    pub number: Option<i32>,
    pub types: Option<Vec<ast::Type>>,
    /// How many values a message has, and where that was seen first.
    pub arity: Option<(usize, Span)>,
}

pub(super) struct Process<'a> {
    pub text: &'a ast::Process,
    pub name: &'a ast::Name,
    /// The number of the process in the run; `None` for the property process.
    pub pid: Option<u16>,
    pub locals: HashMap<&'a str, Slot>,
    pub states: HashMap<&'a str, ir::Location>,
    pub variables: Vec<ir::Variable>,
    pub variables_size: u32,
    pub initialise: Vec<ir::Initialisation>,
}

pub(super) fn storage(ty: ast::Type) -> ir::Storage {
    match ty {
        ast::Type::Byte => ir::Storage::BYTE,
        ast::Type::Int => ir::Storage::Signed16,
    }
}

fn shown(ty: ast::Type) -> ir::ShownAs {
    match ty {
        ast::Type::Byte => ir::ShownAs::Byte,
        ast::Type::Int => ir::ShownAs::Int,
    }
}

/// Variables that lie together.
#[derive(Default)]
struct Section {
    variables: Vec<ir::Variable>,
    size: u32,
    initialise: Vec<ir::Initialisation>,
}

impl<'a> Lowering<'a> {
    /// Gives all names their meaning.
    pub(super) fn declare(&mut self) {
        let text: &'a ast::Model = self.text;
        let mut section = Section::default();
        for variable in &text.variables {
            let entity = match self.variable(variable, None, &mut section) {
                Ok(slot) => Entity::Variable(slot),
                Err(Failed) => Entity::Broken(variable.name.span),
            };
            self.add_global(&variable.name, entity);
        }
        for channel in &text.channels {
            let entity = match self.channel(channel, &mut section) {
                Ok(index) => Entity::Channel(index, channel.name.span),
                Err(Failed) => Entity::Broken(channel.name.span),
            };
            self.add_global(&channel.name, entity);
        }
        self.model.globals = section.variables;
        self.model.globals_size = section.size;
        self.model.initialise = section.initialise;
        self.system();
        for process in &text.processes {
            self.declare_process(process);
        }
        let property = text.system.as_ref().and_then(|system| system.property.as_ref());
        if let Some(name) = property.filter(|_| self.property().is_none()) {
            let known: Vec<&str> = text.processes.iter().map(|process| process.name.text.as_str()).collect();
            let _ = self.unknown::<()>("process", name, &known);
        }
    }

    fn add_global(&mut self, name: &'a ast::Name, entity: Entity) {
        match self.globals.get(name.text.as_str()) {
            Some(first) => {
                let first = first.span();
                self.declared_twice(name, first);
            }
            None => {
                self.globals.insert(&name.text, entity);
            }
        }
    }

    fn declared_twice(&mut self, name: &ast::Name, first: Span) {
        let message = Diagnostic::error(format!("`{}` is declared twice", name.text), name.span);
        self.messages.push(message.also(first, "here first").hint("give one of them another name"));
    }

    fn system(&mut self) {
        let Some(system) = &self.text.system else {
            let at = self.text.processes.last().map(|process| process.name.span);
            let at = at.or(self.text.variables.last().map(|variable| variable.name.span)).unwrap_or_default();
            let message = Diagnostic::error("the model has no `system` line", at);
            return self.messages.push(message.hint("end it with `system async;`"));
        };
        if system.mode == ast::Mode::Sync {
            let message = Diagnostic::error("`system sync` is not supported", system.span)
                .expected("all processes would move together in each step")
                .hint("only `system async` can be checked, in which one process moves at a time");
            self.messages.push(message);
        }
    }

    fn declare_process(&mut self, text: &'a ast::Process) {
        let index = self.processes.len();
        self.add_global(&text.name, Entity::Process(index, text.name.span));
        let property = self.text.system.as_ref().and_then(|system| system.property.as_ref());
        let watches = property.is_some_and(|name| name.text == text.name.text);
        let running = self.processes.iter().filter(|process| process.pid.is_some()).count();
        self.processes.push(Process {
            text,
            name: &text.name,
            pid: (!watches).then_some(running as u16),
            locals: HashMap::new(),
            states: HashMap::new(),
            variables: Vec::new(),
            variables_size: 0,
            initialise: Vec::new(),
        });
        let mut section = Section::default();
        for variable in &text.variables {
            let slot = self.variable(variable, Some(index), &mut section).unwrap_or(Slot {
                value: SlotValue::Broken,
                ty: variable.ty,
                length: None,
                constant: false,
                span: variable.name.span,
            });
            match self.processes[index].locals.get(variable.name.text.as_str()) {
                Some(first) => {
                    let first = first.span;
                    self.declared_twice(&variable.name, first);
                }
                None => {
                    self.processes[index].locals.insert(&variable.name.text, slot);
                }
            }
        }
        for (state, location) in text.states.iter().zip(1..) {
            if self.processes[index].states.insert(&state.text, location).is_some() {
                let first = text.states.iter().find(|first| first.text == state.text).map(|first| first.span);
                self.declared_twice(state, first.unwrap_or(state.span));
            }
        }
        if text.states.is_empty() {
            let message = format!("process `{}` has no states", text.name.text);
            let message = Diagnostic::error(message, text.name.span);
            self.messages.push(message.hint("add `state` and their names"));
        }
        let process = &mut self.processes[index];
        process.variables = section.variables;
        process.variables_size = section.size;
        process.initialise = section.initialise;
    }

    /// A variable of a process, or a global one, which gets its place in the section.
    fn variable(
        &mut self,
        text: &ast::Variable,
        owner: Option<usize>,
        section: &mut Section,
    ) -> Lowered<Slot> {
        let view = match owner {
            Some(owner) => self.view_of(owner),
            None => View::OUTSIDE,
        };
        let length = match &text.length {
            Some(length) => Some(self.size(length, "an array has at least one element", view)?),
            None => None,
        };
        let values: Vec<ir::Expr> = match (&text.initial, length) {
            (None, _) => Vec::new(),
            (Some(ast::Initial::One(value)), None) => vec![self.initial_value(value, view)?],
            (Some(ast::Initial::List(list, _)), Some(_)) => {
                list.iter().map(|value| self.initial_value(value, view)).collect::<Lowered<_>>()?
            }
            (Some(ast::Initial::One(value)), Some(_)) => {
                let message = Diagnostic::error("an array cannot begin with a single value", value.span);
                return self.fail(message.hint("write a value for each element: `{1, 2, 3}`"));
            }
            (Some(ast::Initial::List(_, span)), None) => {
                let message = format!("`{}` is not an array", text.name.text);
                return self.fail(Diagnostic::error(message, *span).expected("expected a single value"));
            }
        };
        if let (Some(ast::Initial::List(_, span)), Some(length)) = (&text.initial, length)
            && values.len() > length as usize
        {
            let message = format!("{} values for an array with {length} elements", values.len());
            self.messages.push(Diagnostic::warning(message, *span).expected("the last ones are not used"));
        }
        let storage = storage(text.ty);
        let slot = |value| Slot { value, ty: text.ty, length, constant: text.constant, span: text.name.span };
        if text.constant && length.is_none() {
            return match values.first() {
                Some(ir::Expr::Constant(value)) => Ok(slot(SlotValue::Known(storage.truncate(*value)))),
                Some(_) => {
                    let message = "the value of a constant must be known before the run";
                    self.fail(Diagnostic::error(message, text.name.span))
                }
                None => {
                    let message = format!("the constant `{}` has no value", text.name.text);
                    self.fail(Diagnostic::error(message, text.name.span).hint("give it one with `=`"))
                }
            };
        }
        let offset = section.size;
        let bytes = storage.size() as u64 * length.unwrap_or(1) as u64;
        if offset as u64 + bytes > MAX_SECTION {
            let message = format!("`{}` takes too much room", text.name.text);
            return self.fail(Diagnostic::error(message, text.name.span).expected(format!("{bytes} bytes")));
        }
        section.size += bytes as u32;
        section.variables.push(ir::Variable {
            name: text.name.text.clone(),
            ty: ir::Type::Scalar { shown: shown(text.ty), storage },
            length,
            offset,
            element_size: storage.size(),
            hidden: false,
            line: self.line(text.name.span),
        });
        for (element, value) in values.into_iter().enumerate().take(length.unwrap_or(1) as usize) {
            if value == ir::Expr::Constant(0) {
                continue;
            }
            let place = ir::Place {
                base: if owner.is_some() { ir::Base::Local } else { ir::Base::Global },
                offset: offset + element as u32 * storage.size(),
                storage,
                indices: Vec::new(),
            };
            section.initialise.push(ir::Initialisation { place, value: ir::InitialValue::Expr(value) });
        }
        Ok(slot(SlotValue::At(offset)))
    }

    /// A first value. Other processes may not be there yet, so it must not ask about them.
    fn initial_value(&mut self, text: &ast::Expr, view: View) -> Lowered<ir::Expr> {
        self.value(text, View { initial: true, ..view })
    }

    /// A number of elements or messages that is known before the run.
    fn size(&mut self, text: &ast::Expr, least: &str, view: View) -> Lowered<u32> {
        let value = self.initial_value(text, view)?;
        match value {
            ir::Expr::Constant(value) if value >= 1 => Ok(value as u32),
            ir::Expr::Constant(value) => {
                let message = Diagnostic::error(format!("{value} is no possible size"), text.span);
                self.fail(message.expected(least))
            }
            _ => self.fail(Diagnostic::error("this size is not known before the run", text.span)),
        }
    }

    fn channel(&mut self, text: &'a ast::Channel, section: &mut Section) -> Lowered<usize> {
        let capacity = match &text.capacity {
            Some(capacity) if !is_zero(capacity) => {
                self.size(capacity, "a capacity is not negative", View::OUTSIDE)?
            }
            _ => 0,
        };
        let arity = text.types.as_ref().map(|types| (types.len(), text.name.span));
        let mut number = None;
        if capacity > 0 {
            let Some(types) = &text.types else {
                let name = &text.name.text;
                let message = format!("`{name}` keeps messages, but their types are not given");
                let hint =
                    format!("write `channel {{int}} {name}[{capacity}];`, for messages with one value");
                return self.fail(Diagnostic::error(message, text.name.span).hint(hint));
            };
            let ty = ir::ChannelTypeId(self.model.channel_types.len() as u16);
            let field = |ty: &ast::Type| ir::Field { shown: shown(*ty), storage: storage(*ty) };
            self.model.channel_types.push(ir::ChannelType {
                name: text.name.text.clone(),
                capacity,
                fields: types.iter().map(field).collect(),
            });
            number = Some(self.model.channel_types.len() as i32);
            // Its number is known, so no variable keeps it.
            let nowhere = ir::Place {
                base: ir::Base::Nowhere,
                offset: 0,
                storage: ir::Storage::BYTE,
                indices: Vec::new(),
            };
            section
                .initialise
                .push(ir::Initialisation { place: nowhere, value: ir::InitialValue::NewChannel(ty) });
        }
        self.channels.push(Channel { number, types: text.types.clone(), arity });
        Ok(self.channels.len() - 1)
    }
}

fn is_zero(text: &ast::Expr) -> bool {
    matches!(text.kind, ast::ExprKind::Number(0))
}
