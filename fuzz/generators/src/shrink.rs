//! Shrinking: the smallest model that still fails.
//!
//! Greedy delta debugging over the structure. All single edits of a model are numbered, in the order of a
//! walk over it; an edit is tried on a copy, and kept if the predicate says that the result still fails.
//! Large edits come first (a whole process, a global, a parameter with all its arguments), then statements,
//! then expressions; rounds go on until no edit is kept. Every edit makes the model smaller or simpler, so
//! this ends. An edit may give a model that makes no sense, an undeclared variable or an empty loop: the
//! predicate must call that "does not fail".

use crate::model::*;
use crate::visit::{Visitor, visit_model};

/// The smallest model found by single edits for which the predicate still holds; the model itself if it holds
/// for none.
pub fn shrink(mut model: PromelaModel, still_fails: &mut dyn FnMut(&PromelaModel) -> bool) -> PromelaModel {
    loop {
        let mut improved = false;
        for edit_all in [edit_structure, edit_statements, edit_expressions] {
            let mut target = 0;
            loop {
                let mut candidate = model.clone();
                let mut editor = Editor { target, seen: 0, applied: false };
                edit_all(&mut candidate, &mut editor);
                if !editor.applied {
                    break;
                }
                if candidate != model && still_fails(&candidate) {
                    model = candidate;
                    improved = true;
                } else {
                    target += 1;
                }
            }
        }
        if !improved {
            return model;
        }
    }
}

/// Counts the edits that a walk offers and accepts the one with the number wanted.
struct Editor {
    target: usize,
    seen: usize,
    applied: bool,
}

impl Editor {
    /// Whether the edit offered is the one to make.
    fn takes(&mut self) -> bool {
        if self.applied {
            return false;
        }
        self.applied = self.seen == self.target;
        self.seen += 1;
        self.applied
    }

    /// Offers the removal of each element.
    fn removes_from<T>(&mut self, items: &mut Vec<T>) {
        for position in 0..items.len() {
            if self.takes() {
                items.remove(position);
                return;
            }
        }
    }

    fn clears<T>(&mut self, item: &mut Option<T>) {
        if item.is_some() && self.takes() {
            *item = None;
        }
    }

    fn unsets(&mut self, flag: &mut bool) {
        if *flag && self.takes() {
            *flag = false;
        }
    }
}

fn edit_structure(model: &mut PromelaModel, editor: &mut Editor) {
    for position in 0..model.processes.len() {
        if editor.takes() {
            let process = model.processes.remove(position);
            visit_model(model, &mut Forget { process: Some(&process.name), inline: None });
            return;
        }
    }
    for position in 0..model.inlines.len() {
        if editor.takes() {
            let inline = model.inlines.remove(position);
            visit_model(model, &mut Forget { process: None, inline: Some(&inline.name) });
            return;
        }
    }
    editor.removes_from(&mut model.macros);
    editor.removes_from(&mut model.globals);
    editor.removes_from(&mut model.records);
    editor.removes_from(&mut model.mtypes);
    for process in &mut model.processes {
        editor.clears(&mut process.provided);
        editor.clears(&mut process.priority);
        if matches!(process.active, Some(count) if count > 1) && editor.takes() {
            process.active = Some(1);
        }
        if process.kind == ProcessKind::Deterministic && editor.takes() {
            process.kind = ProcessKind::Proctype;
        }
    }
    edit_signatures(model, editor);
    edit_messages(model, editor);
}

/// Parameters, with the arguments of all calls.
fn edit_signatures(model: &mut PromelaModel, editor: &mut Editor) {
    for at in 0..model.processes.len() {
        for position in 0..model.processes[at].parameters.len() {
            if editor.takes() {
                model.processes[at].parameters.remove(position);
                let name = model.processes[at].name.clone();
                visit_model(model, &mut DropArgument { name: &name, position });
                return;
            }
        }
    }
    for at in 0..model.inlines.len() {
        for position in 0..model.inlines[at].parameters.len() {
            if editor.takes() {
                model.inlines[at].parameters.remove(position);
                let name = model.inlines[at].name.clone();
                visit_model(model, &mut DropArgument { name: &name, position });
                return;
            }
        }
    }
}

/// A field of all messages that have the same number of fields.
fn edit_messages(model: &mut PromelaModel, editor: &mut Editor) {
    for width in 2..=4 {
        for position in 0..width {
            if editor.takes() {
                let mut drop = DropField { width, position };
                model.globals.iter_mut().for_each(|global| drop.declaration(global));
                visit_model(model, &mut drop);
                return;
            }
        }
    }
}

/// Removes what refers to a process or an inline that is gone.
struct Forget<'a> {
    process: Option<&'a str>,
    inline: Option<&'a str>,
}

impl Visitor for Forget<'_> {
    fn statement(&mut self, statement: &mut Statement) {
        if matches!(statement, Statement::Call { name, .. } if Some(name.as_str()) == self.inline) {
            *statement = Statement::Skip;
        }
    }

    fn expression(&mut self, expression: &mut Expression) {
        let gone = match expression {
            Expression::Run { process, .. }
            | Expression::RemoteLabel { process, .. }
            | Expression::RemoteVariable { process, .. } => Some(process.as_str()) == self.process,
            _ => false,
        };
        if gone {
            *expression = Expression::Number(1);
        }
    }
}

struct DropArgument<'a> {
    name: &'a str,
    position: usize,
}

impl Visitor for DropArgument<'_> {
    fn statement(&mut self, statement: &mut Statement) {
        if let Statement::Call { name, arguments } = statement
            && name == self.name
            && self.position < arguments.len()
        {
            arguments.remove(self.position);
        }
    }

    fn expression(&mut self, expression: &mut Expression) {
        if let Expression::Run { process, arguments, .. } = expression
            && process == self.name
            && self.position < arguments.len()
        {
            arguments.remove(self.position);
        }
    }
}

struct DropField {
    width: usize,
    position: usize,
}

impl DropField {
    fn declaration(&self, declaration: &mut Declaration) {
        if let Initial::Channel { fields, .. } = &mut declaration.initial
            && fields.len() == self.width
        {
            fields.remove(self.position);
        }
    }
}

impl Visitor for DropField {
    fn statement(&mut self, statement: &mut Statement) {
        match statement {
            Statement::Declare(declaration) => self.declaration(declaration),
            Statement::Send(send) if send.arguments.len() == self.width => {
                send.arguments.remove(self.position);
            }
            Statement::Receive(receive) if receive.arguments.len() == self.width => {
                receive.arguments.remove(self.position);
            }
            _ => {}
        }
    }

    fn expression(&mut self, expression: &mut Expression) {
        if let Expression::Poll { arguments, .. } = expression
            && arguments.len() == self.width
        {
            arguments.remove(self.position);
        }
    }
}

fn edit_statements(model: &mut PromelaModel, editor: &mut Editor) {
    for process in &mut model.processes {
        edit_sequence(&mut process.body, editor);
    }
    for inline in &mut model.inlines {
        edit_sequence(&mut inline.body, editor);
    }
}

fn edit_sequence(sequence: &mut Sequence, editor: &mut Editor) {
    let length = sequence.len();
    if length > 3 && editor.takes() {
        sequence.truncate(length / 2);
    }
    if length > 3 && editor.takes() {
        sequence.drain(..length / 2);
    }
    if length > 1 {
        editor.removes_from(sequence);
    }
    for position in 0..sequence.len() {
        for part in parts_of(&sequence[position].statement) {
            if editor.takes() {
                sequence.splice(position..=position, part);
                return;
            }
        }
        let statement = &mut sequence[position].statement;
        if *statement != Statement::Skip && editor.takes() {
            *statement = Statement::Skip;
        }
        edit_inside(statement, editor);
        if sequence[position].separator != Separator::Semicolon && editor.takes() {
            sequence[position].separator = Separator::Semicolon;
        }
        if editor.applied {
            return;
        }
    }
}

/// The sequences that can stand for a compound statement.
fn parts_of(statement: &Statement) -> Vec<Sequence> {
    match statement {
        Statement::Labelled(_, inner) => vec![vec![Step::from((**inner).clone())]],
        Statement::If(options) | Statement::Do(options) => {
            let bare = |option: &Sequence| -> Sequence {
                let keeps = |step: &&Step| !matches!(step.statement, Statement::Else | Statement::Break);
                option.iter().filter(keeps).cloned().collect()
            };
            let mut parts: Vec<Sequence> =
                options.iter().map(bare).filter(|option| !option.is_empty()).collect();
            parts.push(parts.concat());
            parts
        }
        Statement::Atomic(body)
        | Statement::DStep(body)
        | Statement::Block(body)
        | Statement::ForRange { body, .. }
        | Statement::ForArray { body, .. } => vec![body.clone()],
        Statement::Unless(body, escape) => vec![body.clone(), escape.clone()],
        _ => Vec::new(),
    }
}

fn edit_inside(statement: &mut Statement, editor: &mut Editor) {
    match statement {
        Statement::Labelled(_, inner) => edit_inside(inner, editor),
        Statement::If(options) | Statement::Do(options) => {
            if options.len() > 1 {
                editor.removes_from(options);
            }
            options.iter_mut().for_each(|option| edit_sequence(option, editor));
        }
        Statement::Atomic(body)
        | Statement::DStep(body)
        | Statement::Block(body)
        | Statement::ForRange { body, .. }
        | Statement::ForArray { body, .. } => edit_sequence(body, editor),
        Statement::Unless(body, escape) => {
            edit_sequence(body, editor);
            edit_sequence(escape, editor);
        }
        _ => {}
    }
}

fn edit_expressions(model: &mut PromelaModel, editor: &mut Editor) {
    for record in &mut model.records {
        if record.fields.len() > 1 {
            editor.removes_from(&mut record.fields);
        }
        record.fields.iter_mut().for_each(|field| edit_declaration(field, editor));
    }
    for declaration in &mut model.mtypes {
        if declaration.names.len() > 1 {
            editor.removes_from(&mut declaration.names);
        }
    }
    model.globals.iter_mut().for_each(|global| edit_declaration(global, editor));
    visit_model(model, &mut Simplify { editor });
}

fn edit_declaration(declaration: &mut Declaration, editor: &mut Editor) {
    editor.clears(&mut declaration.prefix);
    editor.clears(&mut declaration.length);
    match &mut declaration.initial {
        Initial::Channel { capacity, .. } => {
            if *capacity > 0 && editor.takes() {
                *capacity -= 1;
            }
        }
        Initial::Nothing => {}
        initial => {
            if editor.takes() {
                *initial = Initial::Nothing;
            }
        }
    }
    let simple = matches!(
        declaration.type_name,
        TypeName::Byte | TypeName::Chan | TypeName::Record(_) | TypeName::Mtype(_)
    );
    if !simple && editor.takes() {
        declaration.type_name = TypeName::Byte;
    }
}

/// Makes statements plainer and expressions smaller, in place.
struct Simplify<'a> {
    editor: &'a mut Editor,
}

impl Visitor for Simplify<'_> {
    fn statement(&mut self, statement: &mut Statement) {
        let editor = &mut *self.editor;
        match statement {
            Statement::Declare(declaration) => edit_declaration(declaration, editor),
            Statement::Send(send) => {
                editor.unsets(&mut send.sorted);
                editor.unsets(&mut send.message_syntax);
            }
            Statement::Receive(receive) => {
                editor.unsets(&mut receive.random);
                editor.unsets(&mut receive.copy);
                editor.unsets(&mut receive.message_syntax);
                for argument in &mut receive.arguments {
                    if *argument != ReceiveArgument::Discard && editor.takes() {
                        *argument = ReceiveArgument::Discard;
                    }
                }
            }
            Statement::Select { low, high, .. } if *high > *low && editor.takes() => *high -= 1,
            Statement::Print { text, arguments } if !arguments.is_empty() && editor.takes() => {
                arguments.clear();
                *text = "\\n".to_string();
            }
            _ => {}
        }
    }

    fn expression(&mut self, expression: &mut Expression) {
        let mut smaller = match expression {
            Expression::Number(value) => {
                let value = *value;
                let steps = [0, value / 2, value - value.signum()];
                let closer = steps.into_iter().filter(|step| step.abs() < value.abs());
                closer.map(Expression::Number).collect()
            }
            _ => vec![Expression::Number(0), Expression::Number(1)],
        };
        match expression {
            Expression::Unary(_, operand) => smaller.push((**operand).clone()),
            Expression::Binary(_, left, right) => smaller.extend([(**left).clone(), (**right).clone()]),
            Expression::Conditional(condition, yes, no) => {
                smaller.extend([(**condition).clone(), (**yes).clone(), (**no).clone()]);
            }
            Expression::Apply(_, arguments) => smaller.extend(arguments.iter().cloned()),
            Expression::Run { priority, .. } => self.editor.clears(priority),
            _ => {}
        }
        for candidate in smaller {
            if self.editor.takes() {
                *expression = candidate;
                return;
            }
        }
    }
}
