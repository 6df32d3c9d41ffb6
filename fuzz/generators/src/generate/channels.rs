//! Channels: classes of them, declarations, sends, receives and polls.
//!
//! A send always has the number of arguments its channel wants, a receive never names a variable twice, and
//! the value of a `chan` field is always a channel of the right class that outlives whoever sent it. To keep
//! channels busy the generator counts the sends and the receives per class and leans towards what is missing.

use super::Generator;
use super::scope::*;
use crate::model::*;

impl Generator<'_> {
    /// Decides on the shapes of channels; a class only carries channels of earlier classes.
    pub(crate) fn plan_channel_classes(&mut self) {
        let count = if self.profile.channel_values { 2 } else { 1 + self.random.below(2) };
        for _ in 0..count {
            let rendezvous = self.profile.rendezvous && self.random.chance(60);
            let deep = if self.population > 3 { 0 } else { 1 };
            let capacity =
                if rendezvous { 0 } else { self.random.weighted(&[(65, 1), (deep * 32, 2), (deep * 3, 3)]) };
            let width = if capacity > 1 {
                self.random.weighted(&[(85, 1), (15, 2)])
            } else {
                1 + self.random.below(3)
            };
            let fields = (0..width).map(|position| self.plan_field(position, width)).collect();
            self.classes.push(ChannelClass { capacity, fields });
            self.traffic.push((0, 0));
        }
    }

    fn plan_field(&mut self, position: usize, width: usize) -> MessageField {
        let plain = |type_name| MessageField { type_name, class: None };
        if self.profile.channel_values && !self.classes.is_empty() && self.random.chance(60) {
            return MessageField {
                type_name: TypeName::Chan,
                class: Some(self.random.below(self.classes.len())),
            };
        }
        if position == 0 && self.profile.mtypes && self.random.chance(60) {
            let subtype = self.random.pick(&self.mtypes).subtype.clone();
            return plain(TypeName::Mtype(subtype));
        }
        if width == 1 && !self.flat_records.is_empty() && self.random.chance(30) {
            return plain(TypeName::Record(self.random.pick(&self.flat_records).clone()));
        }
        let kinds = [(50, 0), (20, 1), (15, 2), (8, 3), (7, 4)];
        plain(match self.random.weighted(&kinds) {
            1 => TypeName::Bit,
            2 => TypeName::Bool,
            3 if self.profile.signed => TypeName::Short,
            4 if self.profile.signed => TypeName::Int,
            _ => TypeName::Byte,
        })
    }

    pub(crate) fn channel_declaration(
        &mut self,
        name: &str,
        class: usize,
        length: Option<u32>,
    ) -> Declaration {
        let ChannelClass { capacity, .. } = self.classes[class];
        let fields = self.classes[class].field_types();
        Declaration {
            prefix: None,
            type_name: TypeName::Chan,
            name: name.to_string(),
            length,
            initial: Initial::Channel { capacity, fields },
        }
    }

    pub(crate) fn pick_channel(
        &mut self,
        scope: &Scope,
        fits: impl Fn(&ChannelClass, &ChannelPlace) -> bool,
    ) -> Option<ChannelPlace> {
        let candidates: Vec<&ChannelPlace> =
            scope.channels.iter().filter(|place| fits(&self.classes[place.class], place)).collect();
        if candidates.is_empty() {
            return None;
        }
        Some((*self.random.pick(&candidates)).clone())
    }

    /// A send or a receive, on whichever channel, in the direction that the model lacks.
    pub(crate) fn communication(&mut self, scope: &Scope, context: Context) -> Option<Statement> {
        let channel = self.pick_channel(scope, |class, _| class.is_buffered() || !context.deterministic)?;
        let (sends, receives) = self.traffic[channel.class];
        let send = self.random.below((sends + receives + 2) as usize) as u32 > sends;
        self.communication_on(scope, &channel, send)
    }

    pub(crate) fn communication_on(
        &mut self,
        scope: &Scope,
        channel: &ChannelPlace,
        send: bool,
    ) -> Option<Statement> {
        if send {
            let send = self.send(scope, channel)?;
            self.traffic[channel.class].0 += 1;
            Some(Statement::Send(send))
        } else {
            let receive = self.receive(scope, channel)?;
            if !receive.copy {
                self.traffic[channel.class].1 += 1;
            }
            Some(Statement::Receive(receive))
        }
    }

    /// The operation that some global channel lacks so far, if any lacks one.
    pub(crate) fn missing_communication(&mut self, scope: &Scope) -> Option<Statement> {
        let traffic = self.traffic.clone();
        let lacks = |_: &ChannelClass, place: &ChannelPlace| {
            let (sends, receives) = traffic[place.class];
            place.lasting && !place.variable && (sends == 0 || receives == 0)
        };
        let channel = self.pick_channel(scope, lacks)?;
        let (sends, receives) = traffic[channel.class];
        let send = if sends == receives { self.random.chance(50) } else { sends == 0 };
        self.communication_on(scope, &channel, send)
    }

    pub(crate) fn send(&mut self, scope: &Scope, channel: &ChannelPlace) -> Option<Send> {
        let class = self.classes[channel.class].clone();
        let mut arguments = Vec::new();
        for field in &class.fields {
            arguments.push(self.message_value(scope, field)?);
        }
        Some(Send {
            channel: self.reference(scope, &channel.path),
            sorted: self.profile.channel_variants && class.is_buffered() && self.random.chance(25),
            message_syntax: arguments.len() > 1 && is_plain(&arguments[0]) && self.random.chance(30),
            arguments,
        })
    }

    fn message_value(&mut self, scope: &Scope, field: &MessageField) -> Option<Expression> {
        match (&field.type_name, field.class) {
            (TypeName::Chan, Some(class)) => {
                let sent = self.pick_channel(scope, |_, place| place.class == class && place.lasting)?;
                Some(Expression::Variable(self.reference(scope, &sent.path)))
            }
            (TypeName::Mtype(subtype), _) => Some(self.mtype_value(scope, subtype)),
            (TypeName::Record(name), _) => {
                let places: Vec<&RecordPlace> =
                    scope.records.iter().filter(|place| &place.record == name).collect();
                if places.is_empty() {
                    return None;
                }
                let path = self.random.pick(&places).path.clone();
                Some(Expression::Variable(self.reference(scope, &path)))
            }
            _ => Some(match self.random.weighted(&[(40, 0), (30, 1), (30, 2)]) {
                0 => number(self.random.between(0, 2)),
                1 => match self.pick_place(scope, |place| place.readable && place.is_number()) {
                    Some(place) => Expression::Variable(self.reference(scope, &place.path)),
                    None => number(1),
                },
                _ => Expression::binary("%", self.value(scope, 1), number(2)),
            }),
        }
    }

    pub(crate) fn receive(&mut self, scope: &Scope, channel: &ChannelPlace) -> Option<Receive> {
        let class = self.classes[channel.class].clone();
        // Several fields of a message are not discarded by one `_`.
        let storable = |field: &MessageField| match &field.type_name {
            TypeName::Record(name) => scope.records.iter().any(|place| &place.record == name),
            _ => true,
        };
        if !class.fields.iter().all(storable) {
            return None;
        }
        let variants = self.profile.channel_variants && class.is_buffered();
        let reference = self.reference(scope, &channel.path);
        let mut used = Vec::new();
        index_names(&reference, &mut used);
        let mut arguments: Vec<ReceiveArgument> =
            class.fields.iter().map(|field| self.receive_argument(scope, field, &mut used)).collect();
        // Spin cannot undo a receive that changes what it evaluates: a variable that it sets, or the length
        // of the channel.
        for (argument, field) in arguments.iter_mut().zip(&class.fields) {
            let apart = match argument {
                ReceiveArgument::Eval(Expression::Variable(reference)) => match &reference.parts[..] {
                    [(name, None)] => !self.plain && !used.contains(name),
                    _ => false,
                },
                ReceiveArgument::Eval(_) => false,
                _ => true,
            };
            if !apart {
                *argument = ReceiveArgument::Constant(self.match_constant(field));
            }
        }
        let first_is_plain = match arguments.first() {
            Some(ReceiveArgument::Constant(_)) => true,
            Some(ReceiveArgument::Variable(reference)) => reference.parts.len() == 1,
            _ => false,
        };
        Some(Receive {
            channel: reference,
            random: variants && self.random.chance(35),
            copy: variants && self.random.chance(18),
            message_syntax: arguments.len() > 1 && first_is_plain && self.random.chance(30),
            arguments,
        })
    }

    /// `used` holds the names that a receive reads as an index or writes already: to write them (again) is an
    /// error, or makes the receive hard to undo.
    fn receive_argument(
        &mut self,
        scope: &Scope,
        field: &MessageField,
        used: &mut Vec<String>,
    ) -> ReceiveArgument {
        if let TypeName::Record(name) = &field.type_name {
            let fresh = |place: &&RecordPlace| &place.record == name && !used.contains(&place.path[0].0);
            let places: Vec<&RecordPlace> = scope.records.iter().filter(fresh).collect();
            if places.is_empty() {
                return ReceiveArgument::Discard;
            }
            let path = self.random.pick(&places).path.clone();
            used.push(path[0].0.clone());
            return ReceiveArgument::Variable(refer(&path, |length| number(i64::from(length) - 1)));
        }
        if let (TypeName::Chan, Some(class)) = (&field.type_name, field.class) {
            let fits = |_: &ChannelClass, place: &ChannelPlace| {
                place.class == class && place.variable && place.lasting && !used.contains(&place.path[0].0)
            };
            return match self.pick_channel(scope, fits) {
                Some(place) if self.random.chance(80) => {
                    used.push(place.path[0].0.clone());
                    ReceiveArgument::Variable(self.reference(scope, &place.path))
                }
                _ => ReceiveArgument::Discard,
            };
        }
        match self.random.weighted(&[(62, 0), (18, 1), (10, 2), (10, 3)]) {
            1 => ReceiveArgument::Constant(self.match_constant(field)),
            2 => ReceiveArgument::Eval(match &field.type_name {
                TypeName::Mtype(subtype) => self.mtype_value(scope, subtype),
                _ => self.value(scope, 1),
            }),
            3 => ReceiveArgument::Discard,
            _ => {
                let mtype = matches!(field.type_name, TypeName::Mtype(_));
                let fits = |place: &Place| {
                    let name = &place.path[0].0;
                    // Spin cannot undo a receive into a variable that is too small for the value.
                    let types_fit = if mtype {
                        place.type_name == field.type_name
                    } else {
                        place.is_number() && place.type_name.holds(&field.type_name)
                    };
                    // What is write-only may be hidden: a d_step does not restore it when Spin undoes it, and
                    // a receive into it is then undone wrongly.
                    place.writable && place.readable && types_fit && !used.contains(name)
                };
                // Within an inline two names can mean the same variable.
                let place = if self.plain && !used.is_empty() { None } else { self.pick_place(scope, fits) };
                let Some(place) = place else {
                    return ReceiveArgument::Discard;
                };
                let reference = self.reference(scope, &place.path);
                let mut indices = Vec::new();
                index_names(&reference, &mut indices);
                if indices.iter().any(|name| used.contains(name)) {
                    return ReceiveArgument::Discard;
                }
                used.append(&mut indices);
                used.push(place.path[0].0.clone());
                ReceiveArgument::Variable(reference)
            }
        }
    }

    fn match_constant(&mut self, field: &MessageField) -> Expression {
        match &field.type_name {
            TypeName::Mtype(subtype) => self.mtype_constant(subtype),
            TypeName::Bit | TypeName::Bool => number(self.random.between(0, 1)),
            _ => number(self.random.between(0, 2)),
        }
    }

    /// A question about a buffered channel.
    pub(crate) fn poll(&mut self, scope: &Scope) -> Option<Expression> {
        let channel = self.pick_channel(scope, |class, _| class.is_buffered())?;
        let class = self.classes[channel.class].clone();
        let reference = self.reference(scope, &channel.path);
        let matchable =
            class.fields.iter().all(|field| !matches!(field.type_name, TypeName::Chan | TypeName::Record(_)));
        if matchable && self.random.chance(40) {
            let arguments = class.fields.iter().map(|field| self.poll_argument(scope, field)).collect();
            return Some(Expression::Poll { channel: reference, random: self.random.chance(35), arguments });
        }
        let variable = vec![Expression::Variable(reference)];
        if self.operand || self.random.chance(25) {
            let length = Expression::Apply("len".to_string(), variable);
            let operator = *self.random.pick(&["<", "==", ">", "!="]);
            return Some(Expression::binary(operator, length, number(self.random.between(0, 1))));
        }
        let function = *self.random.pick(&["empty", "nempty", "full", "nfull"]);
        Some(Expression::Apply(function.to_string(), variable))
    }

    fn poll_argument(&mut self, scope: &Scope, field: &MessageField) -> ReceiveArgument {
        match self.random.below(4) {
            0 => ReceiveArgument::Discard,
            1 => {
                let same = |place: &Place| place.readable && place.type_name == field.type_name;
                match self.pick_place(scope, same) {
                    Some(place) if place.path.len() == 1 && place.path[0].1.is_none() => {
                        ReceiveArgument::Eval(Expression::Variable(self.reference(scope, &place.path)))
                    }
                    _ => ReceiveArgument::Constant(self.match_constant(field)),
                }
            }
            _ => ReceiveArgument::Constant(self.match_constant(field)),
        }
    }

    /// A channel operation that never blocks: behind a guard that says it can be executed.
    pub(crate) fn guarded_communication(&mut self, scope: &Scope) -> Option<Statement> {
        let channel = self.pick_channel(scope, |class, _| class.is_buffered())?;
        let reference = self.reference(scope, &channel.path);
        let ask = |function: &str| {
            Expression::Apply(function.to_string(), vec![Expression::Variable(reference.clone())])
        };
        let (guard, operation) = if self.random.chance(50) {
            let mut send = self.send(scope, &channel)?;
            send.channel = reference.clone();
            self.traffic[channel.class].0 += 1;
            (ask("nfull"), Statement::Send(send))
        } else {
            let mut receive = self.receive(scope, &channel)?;
            receive.channel = reference.clone();
            let mut read = Vec::new();
            index_names(&reference, &mut read);
            let overwrites_index = receive.arguments.iter().any(|argument| match argument {
                ReceiveArgument::Variable(variable) => {
                    variable.parts.first().is_some_and(|part| read.contains(&part.0))
                }
                _ => false,
            });
            if overwrites_index {
                return None;
            }
            let exact = |argument: &ReceiveArgument| {
                matches!(argument, ReceiveArgument::Variable(_) | ReceiveArgument::Discard)
            };
            let guard = if receive.arguments.iter().all(exact) {
                ask("nempty")
            } else {
                for argument in &mut receive.arguments {
                    if exact(argument) {
                        *argument = ReceiveArgument::Discard;
                    }
                }
                let arguments = receive.arguments.clone();
                Expression::Poll { channel: reference.clone(), random: receive.random, arguments }
            };
            self.traffic[channel.class].1 += 1;
            (guard, Statement::Receive(receive))
        };
        let mut otherwise: Sequence = vec![Statement::Else.into()];
        if self.random.chance(40)
            && let Some(assignment) = self.assignment(scope)
        {
            otherwise.push(assignment.into());
        }
        let taken = vec![Statement::Guard(guard).into(), operation.into()];
        Some(Statement::If(vec![taken, otherwise]))
    }
}

/// Whether a parenthesis can follow without changing what it means.
fn is_plain(expression: &Expression) -> bool {
    match expression {
        Expression::Number(number) => *number >= 0,
        Expression::Name(_) => true,
        Expression::Variable(reference) => reference.parts.len() == 1,
        _ => false,
    }
}

/// The names that occur in the indices of a reference.
fn index_names(reference: &Reference, names: &mut Vec<String>) {
    fn collect(expression: &Expression, names: &mut Vec<String>) {
        match expression {
            Expression::Variable(reference) => {
                names.extend(reference.parts.first().map(|part| part.0.clone()));
                index_names(reference, names);
            }
            Expression::Binary(_, left, right) => {
                collect(left, names);
                collect(right, names);
            }
            _ => {}
        }
    }
    reference.parts.iter().filter_map(|part| part.1.as_deref()).for_each(|index| collect(index, names));
}
