//! Declarations: types, and where each variable lies.

use super::*;

/// What a type name comes to.
#[derive(Clone)]
pub(super) enum Resolved {
    Scalar { shown: ShownAs, storage: Storage },
    Record(RecordTypeId),
}

impl Lowering<'_> {
    pub(super) fn mtype_names(&mut self, subtype: Option<&ast::Name>, names: &[ast::Name]) {
        let list = self.symbol_list(subtype.map_or("", |n| n.text.as_str()));
        // The last name of a declaration has the smallest value, as in Spin.
        for name in names.iter().rev() {
            if let Some(&(other, _)) = self.constants.get(&name.text) {
                let message = format!("the mtype constant `{}` is declared twice", name.text);
                if other == list {
                    self.error(Diagnostic::error(message, name.span).expected("one of two declarations"));
                } else {
                    self.error(Diagnostic::warning(message, name.span).expected("only one of them counts"));
                }
                continue;
            }
            let symbols = &mut self.model.symbol_lists[list as usize].symbols;
            symbols.push(name.text.clone());
            let value = symbols.len() as i32;
            self.constants.insert(name.text.clone(), (list, value));
            if value == 256 {
                self.error(Diagnostic::error("more than 255 mtype constants", name.span));
            }
        }
    }

    pub(super) fn symbol_list(&mut self, name: &str) -> u16 {
        if let Some(i) = self.model.symbol_lists.iter().position(|l| l.name == name) {
            return i as u16;
        }
        self.model.symbol_lists.push(SymbolList { name: name.to_string(), symbols: Vec::new() });
        self.model.symbol_lists.len() as u16 - 1
    }

    pub(super) fn typedef(&mut self, typedef: &ast::Typedef) {
        if let Some(other) = self.record_spans.get(&typedef.name.text) {
            let other = *other;
            self.error(
                Diagnostic::error(
                    format!("the type `{}` is defined twice", typedef.name.text),
                    typedef.name.span,
                )
                .expected("second definition")
                .also(other, "first definition"),
            );
            return;
        }
        let mut fields: Vec<Variable> = Vec::new();
        let mut size = 0;
        for declaration in &typedef.fields {
            for declarator in &declaration.variables {
                let Some(mut field) = self.variable(declaration, declarator) else { continue };
                if let Some(ast::Initialiser::Channel { .. }) = &declarator.initialiser
                    && !matches!(declaration.ty, ast::TypeName::Chan)
                {
                    self.error(Diagnostic::error(
                        format!("a channel initialiser for `{}`, which is not a chan", declarator.name.text),
                        declarator.span,
                    ));
                }
                if fields.iter().any(|f| f.name == field.name) {
                    self.error(
                        Diagnostic::error(
                            format!("the field `{}` is declared twice", field.name),
                            declarator.name.span,
                        )
                        .expected("second declaration"),
                    );
                    continue;
                }
                let more = self.size_of(&mut field, size, declarator.span);
                field.offset = size;
                size += more;
                fields.push(field);
            }
        }
        let id = RecordTypeId(self.model.record_types.len() as u16);
        let scalars = self.count_scalars(&fields, typedef.name.span);
        self.record_scalars.push(scalars);
        self.model.record_types.push(RecordType { name: typedef.name.text.clone(), fields, size });
        self.records.insert(typedef.name.text.clone(), id);
        self.record_spans.insert(typedef.name.text.clone(), typedef.name.span);
        self.record_initialisers(typedef, id);
    }

    /// Initialisers of fields are kept with the type, to be used wherever a variable of it is declared.
    fn record_initialisers(&mut self, typedef: &ast::Typedef, id: RecordTypeId) {
        let mut list = Vec::new();
        for declaration in &typedef.fields {
            for declarator in &declaration.variables {
                let Some(field) = self.model.record_types[id.0 as usize]
                    .fields
                    .iter()
                    .find(|f| f.name == declarator.name.text)
                    .cloned()
                else {
                    continue;
                };
                list.extend(self.initialisers(&field, declarator, ir::Base::Global));
            }
        }
        self.field_initialisers.insert(id.0, list);
    }

    fn resolve(&mut self, ty: &ast::TypeName, span: Span) -> Option<Resolved> {
        let scalar = |shown, storage| Some(Resolved::Scalar { shown, storage });
        match ty {
            ast::TypeName::Bit => scalar(ShownAs::Bit, Storage::Unsigned(1)),
            ast::TypeName::Bool => scalar(ShownAs::Bool, Storage::Unsigned(1)),
            ast::TypeName::Byte => scalar(ShownAs::Byte, Storage::BYTE),
            ast::TypeName::Pid => scalar(ShownAs::Pid, Storage::BYTE),
            ast::TypeName::Short => scalar(ShownAs::Short, Storage::Signed16),
            ast::TypeName::Int => scalar(ShownAs::Int, Storage::Signed32),
            ast::TypeName::Unsigned => scalar(ShownAs::Unsigned, Storage::Unsigned(16)),
            ast::TypeName::Mtype(subtype) => {
                let list = self.symbol_list(subtype.as_ref().map_or("", |n| n.text.as_str()));
                scalar(ShownAs::Symbol(list), Storage::BYTE)
            }
            ast::TypeName::Chan => scalar(ShownAs::Channel, Storage::BYTE),
            ast::TypeName::User(name) => match self.records.get(&name.text) {
                Some(id) => Some(Resolved::Record(*id)),
                None if self.unread.contains(&name.text) => None,
                None => {
                    let mut message = Diagnostic::error(format!("unknown type `{}`", name.text), span)
                        .expected("no typedef of this name");
                    if let Some(similar) =
                        lariat_source::most_similar(&name.text, self.records.keys().map(String::as_str))
                    {
                        message = message.hint(format!("did you mean `{similar}`?"));
                    }
                    self.error(message);
                    None
                }
            },
        }
    }

    /// A variable as declared, its offset still open.
    fn variable(&mut self, declaration: &ast::Declaration, declarator: &ast::Declarator) -> Option<Variable> {
        let resolved = self.resolve(&declaration.ty, declaration.span)?;
        let length = match &declarator.length {
            None => None,
            Some(expr) => match self.array_length(expr) {
                Some(length) => Some(self.checked_length(length, expr.span)),
                None => Some(1),
            },
        };
        let hidden = declaration.visibility == ast::Visibility::Hidden;
        let (ty, element_size) = match resolved {
            Resolved::Record(id) => (Type::Record(id), self.model.record_types[id.0 as usize].size),
            Resolved::Scalar { shown, mut storage } => {
                match (&declarator.width, &declaration.ty) {
                    (Some(width), ast::TypeName::Unsigned) => {
                        let bits = self.constant(width, "the width of an unsigned").unwrap_or(16);
                        if (1..32).contains(&bits) {
                            storage = Storage::Unsigned(bits as u8);
                        } else {
                            self.error(
                                Diagnostic::error(format!("an unsigned of {bits} bits"), width.span)
                                    .expected("expected 1 to 31"),
                            );
                        }
                    }
                    (Some(width), _) => {
                        self.error(
                            Diagnostic::error("only an unsigned can have a width", width.span)
                                .hint("write `unsigned x : 3`"),
                        );
                    }
                    (None, ast::TypeName::Unsigned) => self.error(
                        Diagnostic::error("an unsigned without a width", declarator.span)
                            .expected("expected `: bits`")
                            .hint(format!("write `unsigned {} : 8`", declarator.name.text)),
                    ),
                    (None, _) => {}
                }
                // Arrays of bits, and what is hidden, are kept in bytes and not cut to one bit: as in Spin.
                if matches!(storage, Storage::Unsigned(bits) if bits < 8) && (length.is_some() || hidden) {
                    storage = Storage::BYTE;
                }
                (Type::Scalar { shown, storage }, storage.size())
            }
        };
        Some(Variable {
            name: declarator.name.text.clone(),
            ty,
            length,
            offset: 0,
            element_size,
            hidden,
            line: self.line(declarator.name.span),
        })
    }

    /// A constant, or a variable with a constant initialiser (which Spin takes, too).
    fn array_length(&mut self, expr: &ast::Expr) -> Option<i32> {
        if let ast::ExprKind::Variable(reference) = &expr.kind
            && reference.index.is_none()
            && reference.field.is_none()
            && !self.constants.contains_key(&reference.name.text)
            && let Some(declared) = self.find_variable(&reference.name.text)
        {
            let value = declared.constant_initialiser.unwrap_or(0);
            let taken = if value > 0 { value } else { 8 };
            self.error(
                Diagnostic::warning(
                    format!("`{}` in an array bound is taken as {taken}", reference.name.text),
                    expr.span,
                )
                .expected("a variable, whose later values do not matter"),
            );
            return Some(taken);
        }
        self.constant(expr, "the length of an array")
    }

    pub(super) fn find_variable(&self, name: &str) -> Option<&Declared> {
        if let Some(process) = &self.process {
            for scope in process.scopes.iter().rev() {
                if let Some(i) = scope.get(name) {
                    return Some(&process.variables[*i]);
                }
            }
        }
        self.globals.get(name)
    }

    fn check_redeclared(&mut self, name: &ast::Name) -> bool {
        let other = match self.find_variable(&name.text) {
            Some(other) => Some((other.span, "declared before")),
            None if self.constants.contains_key(&name.text) => {
                Some((name.span, "an mtype constant has this name"))
            }
            None => self.headers.get(&name.text).map(|h| (h.span, "this is a proctype")),
        };
        let Some((span, what)) = other else { return false };
        let mut message = Diagnostic::error(format!("`{}` is declared again", name.text), name.span)
            .expected(if span == name.span { what } else { "second declaration" })
            .hint(
                "give one of them another name: a name may be used again only in a block beside, not inside",
            );
        if span != name.span {
            message = message.also(span, what);
        }
        self.error(message);
        true
    }

    pub(super) fn global_declaration(&mut self, declaration: &ast::Declaration) {
        for declarator in &declaration.variables {
            let redeclared = self.check_redeclared(&declarator.name);
            let Some(mut variable) = self.variable(declaration, declarator) else { continue };
            if redeclared {
                continue;
            }
            if variable.hidden {
                let is_bit = matches!(declaration.ty, ast::TypeName::Bit | ast::TypeName::Bool);
                if is_bit || matches!(declaration.ty, ast::TypeName::Chan) {
                    let what = if is_bit { "bit" } else { "channel" };
                    self.error(Diagnostic::error(format!("a {what} cannot be hidden"), declarator.span));
                }
            }
            let used = self.model.globals_size + self.model.hidden_size;
            let size = self.size_of(&mut variable, used, declarator.span);
            // Hidden variables come after all others; their offsets are moved behind in the end.
            if variable.hidden {
                variable.offset = HIDDEN + self.model.hidden_size;
                self.model.hidden_size += size;
            } else {
                variable.offset = self.model.globals_size;
                self.model.globals_size += size;
            }
            self.declare_global(declaration, declarator, variable);
        }
    }

    fn declare_global(
        &mut self,
        declaration: &ast::Declaration,
        declarator: &ast::Declarator,
        variable: Variable,
    ) {
        let list = self.initialisers(&variable, declarator, ir::Base::Global);
        let rank = type_rank(&declaration.ty);
        let channel = list.iter().find_map(|i| match i.value {
            InitialValue::NewChannel(id) => Some(id),
            InitialValue::Expr(_) => None,
        });
        let constant_initialiser = match &list[..] {
            [Initialisation { value: InitialValue::Expr(ir::Expr::Constant(value)), .. }] => Some(*value),
            _ => None,
        };
        self.global_initialisers.extend(list.into_iter().map(|init| (rank, init)));
        self.model.globals.push(variable.clone());
        self.globals.insert(
            declarator.name.text.clone(),
            Declared {
                variable,
                base: DeclaredIn::Globals,
                span: declarator.name.span,
                channel: if matches!(declaration.ty, ast::TypeName::Chan) { channel } else { None },
                constant_initialiser,
            },
        );
    }

    /// Globals are initialised type by type, as Spin does: it decides how channels are numbered.
    pub(super) fn order_global_initialisers(&mut self) {
        self.global_initialisers.sort_by_key(|(rank, _)| *rank);
        self.model.initialise =
            std::mem::take(&mut self.global_initialisers).into_iter().map(|(_, i)| i).collect();
        relocate_hidden(&mut self.model);
    }

    pub(super) fn parameter_declaration(&mut self, declaration: &ast::Declaration) {
        for declarator in &declaration.variables {
            if let Some(initialiser) = &declarator.initialiser {
                let span = match initialiser {
                    ast::Initialiser::Value(e) => e.span,
                    ast::Initialiser::List(_, span) | ast::Initialiser::Channel { span, .. } => *span,
                };
                self.error(Diagnostic::error("a parameter cannot have an initial value", span));
            }
            if declarator.length.is_some() {
                self.error(
                    Diagnostic::error("an array cannot be a parameter", declarator.span)
                        .hint("put it into a typedef, or make it global"),
                );
            }
            let bare = ast::Declarator { initialiser: None, length: None, ..declarator.clone() };
            self.declare_local(declaration, &bare);
        }
    }

    /// Makes room for a local variable. Returns its index.
    pub(super) fn declare_local(
        &mut self,
        declaration: &ast::Declaration,
        declarator: &ast::Declarator,
    ) -> Option<usize> {
        let redeclared = self.check_redeclared(&declarator.name);
        let mut variable = self.variable(declaration, declarator)?;
        if variable.hidden {
            self.error(Diagnostic::error("only global variables can be hidden", declarator.span));
        }
        if redeclared {
            return None;
        }
        let used = self.process.as_ref()?.size;
        let size = self.size_of(&mut variable, used, declarator.span);
        let process = self.process.as_mut()?;
        variable.offset = process.size;
        process.size += size;
        let index = process.variables.len();
        if let Some(scope) = process.scopes.last_mut() {
            scope.insert(declarator.name.text.clone(), index);
        }
        process.variables.push(Declared {
            variable,
            base: DeclaredIn::Process,
            span: declarator.name.span,
            channel: None,
            constant_initialiser: None,
        });
        Some(index)
    }

    /// A declaration among the statements: before all of them it sets initial values, later it is a step.
    pub(super) fn local_declaration(&mut self, declaration: &ast::Declaration) {
        for declarator in &declaration.variables {
            let Some(index) = self.declare_local(declaration, declarator) else { continue };
            let Some(process) = &self.process else { continue };
            let declared = process.variables[index].clone();
            if process.at_start {
                let list = self.initialisers(&declared.variable, declarator, ir::Base::Local);
                let channel = list.iter().find_map(|i| match i.value {
                    InitialValue::NewChannel(id) => Some(id),
                    InitialValue::Expr(_) => None,
                });
                if let Some(process) = &mut self.process {
                    process.initialise.extend(list);
                    if matches!(declaration.ty, ast::TypeName::Chan) {
                        process.variables[index].channel = channel;
                    }
                }
            } else {
                self.declaration_step(&declared, declarator);
            }
        }
    }

    /// The step that a late declaration is: the variable (of an array, the first element) is set again.
    fn declaration_step(&mut self, declared: &Declared, declarator: &ast::Declarator) {
        let span = declarator.span;
        let index = declared.variable.length.map(|_| first_index(span));
        let reference = ast::VarRef { name: declarator.name.clone(), index, field: None, span };
        if let Type::Record(id) = declared.variable.ty {
            let list = self.record_initialisation(
                id,
                declared.variable.offset,
                &declared.variable,
                ir::Base::Local,
                span,
            );
            if let Some(process) = &mut self.process {
                process.initialise.extend(list);
            }
            self.add_simple(Node::Basic(Action::Skip), String::new(), span);
            return;
        }
        let zero = ast::Expr { kind: ast::ExprKind::Number(0), span };
        let value = match &declarator.initialiser {
            None => zero,
            Some(ast::Initialiser::Value(expr)) => expr.clone(),
            Some(ast::Initialiser::List(values, list_span)) => {
                // As in Spin: the list holds when the process starts; here only the first element is set
                // again.
                self.error(
                    Diagnostic::warning(
                        "an array is initialised with a list after the first statement",
                        *list_span,
                    )
                    .expected("set when the process starts; here only the first element is set again")
                    .hint("move the declaration to the start of the process"),
                );
                let list = self.initialisers(&declared.variable, declarator, ir::Base::Local);
                if let Some(process) = &mut self.process {
                    process.initialise.extend(list);
                }
                values.first().cloned().unwrap_or(zero)
            }
            Some(ast::Initialiser::Channel { span, .. }) => {
                // As in Spin: it exists from the start of the process.
                self.error(
                    Diagnostic::warning("a channel is declared after the first statement", *span)
                        .expected("it is created when the process starts, not here")
                        .hint(format!(
                            "move the declaration of `{}` to the start of the process",
                            declarator.name.text
                        )),
                );
                let list = self.initialisers(&declared.variable, declarator, ir::Base::Local);
                if let Some(process) = &mut self.process {
                    process.initialise.extend(list);
                }
                return;
            }
        };
        self.assignment(&reference, &value, span);
    }

    /// What sets a variable's initial values.
    fn initialisers(
        &mut self,
        variable: &Variable,
        declarator: &ast::Declarator,
        base: ir::Base,
    ) -> Vec<Initialisation> {
        let count = variable.length.unwrap_or(1);
        let storage = match variable.ty {
            Type::Scalar { storage, .. } => storage,
            Type::Record(id) => {
                if let Some(ast::Initialiser::Value(e)) = &declarator.initialiser {
                    self.error(
                        Diagnostic::warning("an initial value for a whole record has no effect", e.span)
                            .hint("give the fields initial values in the typedef"),
                    );
                }
                return self.record_initialisation(id, variable.offset, variable, base, declarator.span);
            }
        };
        let at = |element: u32| Place {
            base: base.clone(),
            offset: variable.offset + element * variable.element_size,
            storage,
            indices: Vec::new(),
        };
        match &declarator.initialiser {
            None => Vec::new(),
            Some(ast::Initialiser::Value(expr)) => {
                if self.contains_run(expr) {
                    self.error(Diagnostic::error("`run` cannot be used in an initialiser", expr.span));
                }
                let value = self.expr(expr);
                (0..count)
                    .map(|i| Initialisation { place: at(i), value: InitialValue::Expr(value.clone()) })
                    .collect()
            }
            Some(ast::Initialiser::List(values, span)) => {
                if variable.length.is_none() {
                    self.error(Diagnostic::error(format!("`{}` is not an array", variable.name), *span));
                }
                if variable.length.is_some() && values.len() > count as usize {
                    self.error(
                        Diagnostic::warning(
                            format!("more values than `{}` has elements", variable.name),
                            *span,
                        )
                        .expected(format!("{} values for {count} elements", values.len())),
                    );
                }
                let values: Vec<ir::Expr> = values.iter().map(|v| self.expr(v)).collect();
                // A list that is too short goes on with its last value.
                (0..count)
                    .filter_map(|i| {
                        let value = values.get(i as usize).or(values.last())?.clone();
                        Some(Initialisation { place: at(i), value: InitialValue::Expr(value) })
                    })
                    .collect()
            }
            Some(ast::Initialiser::Channel { capacity, fields, span }) => {
                if !matches!(variable.ty, Type::Scalar { shown: ShownAs::Channel, .. }) {
                    self.error(Diagnostic::error(
                        format!("a channel initialiser for `{}`, which is not a chan", variable.name),
                        *span,
                    ));
                    return Vec::new();
                }
                let Some(id) = self.channel_type(&variable.name, capacity, fields, *span) else {
                    self.channel_is_broken = true;
                    return Vec::new();
                };
                (0..count)
                    .map(|i| Initialisation { place: at(i), value: InitialValue::NewChannel(id) })
                    .collect()
            }
        }
    }

    /// The initial values of all fields of a record variable.
    fn record_initialisation(
        &mut self,
        id: RecordTypeId,
        offset: u32,
        variable: &Variable,
        base: ir::Base,
        span: Span,
    ) -> Vec<Initialisation> {
        let own = self.field_initialisers.get(&id.0).cloned().unwrap_or_default();
        let size = self.model.record_types[id.0 as usize].size;
        let mut list = Vec::new();
        if !self.check_initialisations(own.len() as u64 * variable.length.unwrap_or(1) as u64, span) {
            return list;
        }
        for element in 0..variable.length.unwrap_or(1) {
            for init in &own {
                let mut init = init.clone();
                init.place.base = base.clone();
                init.place.offset += offset + element * size;
                list.push(init);
            }
        }
        list
    }

    fn channel_type(
        &mut self,
        name: &str,
        capacity: &ast::Expr,
        fields: &[(ast::TypeName, Span)],
        span: Span,
    ) -> Option<ChannelTypeId> {
        let slots = self.constant(capacity, "the capacity of a channel")?;
        if !(0..=65535).contains(&slots) {
            self.error(
                Diagnostic::error(format!("a channel with {slots} slots"), capacity.span)
                    .expected("expected 0 to 65535"),
            );
            return None;
        }
        let mut list = Vec::new();
        for (ty, field_span) in fields {
            if matches!(ty, ast::TypeName::Unsigned) {
                self.error(
                    Diagnostic::error("unsigned cannot be the type of a message field", *field_span)
                        .hint("use byte, short or int"),
                );
                continue;
            }
            match self.resolve(ty, *field_span)? {
                Resolved::Scalar { shown, storage } => list.push(Field { shown, storage }),
                Resolved::Record(id) => self.record_fields(id, *field_span, &mut list),
            }
        }
        if !self.check_channel(slots, &list, span) {
            return None;
        }
        // A lone bit travels in a byte, and is not cut: as in Spin.
        if let [Field { storage, .. }] = &mut list[..]
            && *storage == Storage::Unsigned(1)
        {
            *storage = Storage::BYTE;
        }
        if slots == 0 {
            self.rendezvous_at.get_or_insert(span);
        }
        let id = ChannelTypeId(self.model.channel_types.len() as u16);
        if id.0 >= 255 {
            self.error(Diagnostic::error("more than 255 channel declarations", span));
        }
        self.model.channel_types.push(ChannelType {
            name: name.to_string(),
            capacity: slots as u32,
            fields: list,
        });
        Some(id)
    }

    /// The scalars of a record, as message fields.
    fn record_fields(&mut self, id: RecordTypeId, span: Span, list: &mut Vec<Field>) {
        for field in self.model.record_types[id.0 as usize].fields.clone() {
            match field.ty {
                Type::Scalar { shown, storage } => {
                    let storage = if matches!(shown, ShownAs::Bit | ShownAs::Bool) {
                        Storage::Unsigned(1)
                    } else {
                        storage
                    };
                    list.extend((0..field.length.unwrap_or(1)).map(|_| Field { shown, storage }));
                }
                Type::Record(inner) => {
                    if field.length.is_some() {
                        self.error(Diagnostic::error(
                            format!(
                                "the field `{}` is an array of records: it cannot be sent in a message",
                                field.name
                            ),
                            span,
                        ));
                    }
                    self.record_fields(inner, span, list);
                }
            }
        }
    }
}

/// The index of an array's first element.
pub(super) fn first_index(span: Span) -> Box<ast::Expr> {
    Box::new(ast::Expr { kind: ast::ExprKind::Number(0), span })
}

/// While globals are declared, hidden ones have offsets from here on.
pub(super) const HIDDEN: u32 = 1 << 30;

/// The order in which Spin initialises globals.
fn type_rank(ty: &ast::TypeName) -> usize {
    match ty {
        ast::TypeName::Unsigned => 0,
        ast::TypeName::Bit | ast::TypeName::Bool => 1,
        ast::TypeName::Byte | ast::TypeName::Pid => 2,
        ast::TypeName::Chan => 3,
        ast::TypeName::Mtype(_) => 4,
        ast::TypeName::Short => 5,
        ast::TypeName::Int => 6,
        ast::TypeName::User(_) => 7,
    }
}

/// Puts the hidden globals behind the others.
fn relocate_hidden(model: &mut Model) {
    if model.hidden_size == 0 {
        return;
    }
    let globals_size = model.globals_size;
    let fix = |offset: &mut u32| {
        if *offset >= HIDDEN {
            *offset = *offset - HIDDEN + globals_size;
        }
    };
    for variable in &mut model.globals {
        fix(&mut variable.offset);
    }
    crate::visit::for_each_global_offset(model, &fix);
}
