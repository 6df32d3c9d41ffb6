//! A plain interpreter of DVE, written from the description of the language and nothing else: it walks the
//! tree, knows no intermediate form, and is slow. What it says about a model is compared with what the
//! lowered model does.

use lariat_dve::ast::*;
use std::collections::BTreeMap;

/// Everything that makes up a state, by names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct State {
    pub globals: Vec<Vec<i32>>,
    pub locals: Vec<Vec<Vec<i32>>>,
    /// Places in the lists of states.
    pub locations: Vec<usize>,
    /// The messages of each channel, the oldest first.
    pub channels: Vec<Vec<Vec<i32>>>,
}

/// Something has no value.
#[derive(Debug)]
pub struct RunTimeError;

type Valued<T> = Result<T, RunTimeError>;

pub struct Reference<'a> {
    model: &'a Model,
    /// Those that run.
    processes: Vec<&'a Process>,
}

/// What can happen in a state.
#[derive(Default)]
pub struct Steps {
    pub successors: Vec<State>,
    pub errors: usize,
    pub failed_assertions: usize,
}

/// The graph of all reachable states.
pub type Graph = BTreeMap<State, (Vec<State>, usize, usize)>;

impl<'a> Reference<'a> {
    pub fn new(model: &'a Model) -> Reference<'a> {
        let property = model.system.as_ref().and_then(|system| system.property.as_ref());
        let runs = |process: &&Process| property.is_none_or(|name| name.text != process.name.text);
        Reference { model, processes: model.processes.iter().filter(runs).collect() }
    }

    fn initial(&self) -> State {
        let mut state = State {
            globals: Vec::new(),
            locals: vec![Vec::new(); self.processes.len()],
            locations: Vec::new(),
            channels: vec![Vec::new(); self.model.channels.len()],
        };
        for variable in &self.model.variables {
            let values = self.first_values(variable, None, &state);
            state.globals.push(values);
        }
        for (number, process) in self.processes.iter().enumerate() {
            for variable in &process.variables {
                let values = self.first_values(variable, Some(number), &state);
                state.locals[number].push(values);
            }
            let init = process.init.as_ref().expect("an initial state");
            state.locations.push(state_number(process, &init.text));
        }
        state
    }

    fn first_values(&self, variable: &Variable, process: Option<usize>, state: &State) -> Vec<i32> {
        let value = |text: &Expr| self.value(text, process, state).expect("an initial value");
        let length = variable.length.as_ref().map_or(1, |length| value(length) as usize);
        let mut values = vec![0; length];
        let given: Vec<&Expr> = match &variable.initial {
            None => Vec::new(),
            Some(Initial::One(one)) => vec![one],
            Some(Initial::List(list, _)) => list.iter().collect(),
        };
        for (kept, text) in values.iter_mut().zip(given) {
            *kept = cut(variable.ty, value(text));
        }
        values
    }

    /// Explores everything, up to so many states; `None` if there are more.
    pub fn explore(&self, most: usize) -> Option<Graph> {
        let mut graph = Graph::new();
        let mut work = vec![self.initial()];
        while let Some(state) = work.pop() {
            if graph.contains_key(&state) {
                continue;
            }
            if graph.len() >= most {
                return None;
            }
            let mut steps = self.steps(&state);
            steps.successors.sort();
            work.extend(steps.successors.iter().filter(|next| !graph.contains_key(*next)).cloned());
            graph.insert(state, (steps.successors, steps.errors, steps.failed_assertions));
        }
        Some(graph)
    }

    pub fn steps(&self, state: &State) -> Steps {
        let mut steps = Steps::default();
        for (number, process) in self.processes.iter().enumerate() {
            for assertion in &process.assertions {
                if state.locations[number] == state_number(process, &assertion.state.text) {
                    match self.value(&assertion.condition, Some(number), state) {
                        Ok(0) => steps.failed_assertions += 1,
                        Ok(_) => {}
                        Err(RunTimeError) => steps.errors += 1,
                    }
                }
            }
        }
        let somebody_commits = (0..self.processes.len()).any(|number| self.is_committed(number, state));
        for number in 0..self.processes.len() {
            if somebody_commits && !self.is_committed(number, state) {
                continue;
            }
            for transition in self.leaving(number, state) {
                match &transition.sync {
                    Some(sync) if self.capacity(&sync.channel.text) == 0 => {
                        if sync.direction == Direction::Send {
                            self.meet(number, transition, sync, somebody_commits, state, &mut steps);
                        }
                    }
                    _ => match self.alone(number, transition, state) {
                        Ok(Some(next)) => steps.successors.push(next),
                        Ok(None) => {}
                        Err(RunTimeError) => steps.errors += 1,
                    },
                }
            }
        }
        steps
    }

    fn is_committed(&self, number: usize, state: &State) -> bool {
        let process = self.processes[number];
        process.commit.iter().any(|name| state_number(process, &name.text) == state.locations[number])
    }

    fn leaving(&self, number: usize, state: &State) -> impl Iterator<Item = &'a Transition> {
        let (process, location) = (self.processes[number], state.locations[number]);
        process.transitions.iter().filter(move |t| state_number(process, &t.source.text) == location)
    }

    fn capacity(&self, channel: &str) -> usize {
        let channel = self.model.channels.iter().find(|c| c.name.text == channel).expect("a channel");
        match &channel.capacity {
            Some(Expr { kind: ExprKind::Number(capacity), .. }) => *capacity as usize,
            Some(_) => panic!("a capacity is a number here"),
            None => 0,
        }
    }

    fn guard(&self, number: usize, transition: &Transition, state: &State) -> Valued<bool> {
        match &transition.guard {
            Some(guard) => Ok(self.value(guard, Some(number), state)? != 0),
            None => Ok(true),
        }
    }

    /// A step of one process, on a buffered channel or none.
    fn alone(&self, number: usize, transition: &Transition, state: &State) -> Valued<Option<State>> {
        if !self.guard(number, transition, state)? {
            return Ok(None);
        }
        let mut next = state.clone();
        if let Some(sync) = &transition.sync {
            let index = self.model.channels.iter().position(|c| c.name.text == sync.channel.text).unwrap();
            let types = self.model.channels[index].types.clone().expect("types of messages");
            match sync.direction {
                Direction::Send => {
                    if state.channels[index].len() >= self.capacity(&sync.channel.text) {
                        return Ok(None);
                    }
                    let mut message = Vec::new();
                    for (value, ty) in sync.values.iter().zip(types) {
                        message.push(cut(ty, self.value(value, Some(number), state)?));
                    }
                    next.channels[index].push(message);
                }
                Direction::Receive => {
                    if state.channels[index].is_empty() {
                        return Ok(None);
                    }
                    let message = next.channels[index].remove(0);
                    for (place, value) in sync.values.iter().zip(message) {
                        self.store(place, value, number, &mut next)?;
                    }
                }
            }
        }
        self.effects(number, transition, &mut next)?;
        self.go(number, transition, &mut next);
        Ok(Some(next))
    }

    fn meet(
        &self,
        sender: usize,
        send: &Transition,
        sent: &Sync,
        committed: bool,
        state: &State,
        steps: &mut Steps,
    ) {
        for receiver in (0..self.processes.len()).filter(|receiver| *receiver != sender) {
            if committed && !self.is_committed(receiver, state) {
                continue;
            }
            for receive in self.leaving(receiver, state) {
                let Some(received) = &receive.sync else { continue };
                if received.direction != Direction::Receive || received.channel.text != sent.channel.text {
                    continue;
                }
                match self.meeting(sender, send, sent, receiver, receive, received, state) {
                    Ok(Some(next)) => steps.successors.push(next),
                    Ok(None) => {}
                    Err(RunTimeError) => steps.errors += 1,
                }
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn meeting(
        &self,
        sender: usize,
        send: &Transition,
        sent: &Sync,
        receiver: usize,
        receive: &Transition,
        received: &Sync,
        state: &State,
    ) -> Valued<Option<State>> {
        if !self.guard(sender, send, state)? || !self.guard(receiver, receive, state)? {
            return Ok(None);
        }
        let channel = self.model.channels.iter().find(|c| c.name.text == sent.channel.text).unwrap();
        let mut values = Vec::new();
        for (field, value) in sent.values.iter().enumerate() {
            let value = self.value(value, Some(sender), state)?;
            values.push(channel.types.as_ref().map_or(value, |types| cut(types[field], value)));
        }
        let mut next = state.clone();
        for (place, value) in received.values.iter().zip(values) {
            self.store(place, value, receiver, &mut next)?;
        }
        self.effects(sender, send, &mut next)?;
        self.effects(receiver, receive, &mut next)?;
        self.go(sender, send, &mut next);
        self.go(receiver, receive, &mut next);
        Ok(Some(next))
    }

    fn effects(&self, number: usize, transition: &Transition, state: &mut State) -> Valued<()> {
        for effect in &transition.effects {
            let value = self.value(&effect.value, Some(number), state)?;
            self.store(&effect.place, value, number, state)?;
        }
        Ok(())
    }

    fn go(&self, number: usize, transition: &Transition, state: &mut State) {
        state.locations[number] = state_number(self.processes[number], &transition.target.text);
    }

    fn store(&self, place: &Expr, value: i32, number: usize, state: &mut State) -> Valued<()> {
        let ExprKind::Variable(reference) = &place.kind else { panic!("a place") };
        let element = match &reference.index {
            Some(index) => self.value(index, Some(number), state)?,
            None => 0,
        };
        let own = self.processes[number].variables.iter().position(|v| v.name.text == reference.name.text);
        let (values, ty) = match own {
            Some(own) => (&mut state.locals[number][own], self.processes[number].variables[own].ty),
            None => {
                let at =
                    self.model.variables.iter().position(|v| v.name.text == reference.name.text).unwrap();
                (&mut state.globals[at], self.model.variables[at].ty)
            }
        };
        let kept = usize::try_from(element).ok().and_then(|at| values.get_mut(at)).ok_or(RunTimeError)?;
        *kept = cut(ty, value);
        Ok(())
    }

    fn value(&self, text: &Expr, process: Option<usize>, state: &State) -> Valued<i32> {
        Ok(match &text.kind {
            ExprKind::Number(number) => *number,
            ExprKind::Variable(reference) => {
                let own = process.and_then(|number| {
                    let variables = &self.processes[number].variables;
                    let at = variables.iter().position(|v| v.name.text == reference.name.text)?;
                    Some(&state.locals[number][at])
                });
                let values = own.unwrap_or_else(|| {
                    let at = self.model.variables.iter().position(|v| v.name.text == reference.name.text);
                    &state.globals[at.expect("a variable")]
                });
                self.element(values, reference, process, state)?
            }
            ExprKind::Foreign(owner, reference) => {
                let owner = self.processes.iter().position(|p| p.name.text == owner.text).unwrap();
                let variables = &self.processes[owner].variables;
                let at = variables.iter().position(|v| v.name.text == reference.name.text).unwrap();
                self.element(&state.locals[owner][at], reference, process, state)?
            }
            ExprKind::InState(owner, name) => {
                let owner = self.processes.iter().position(|p| p.name.text == owner.text).unwrap();
                (state.locations[owner] == state_number(self.processes[owner], &name.text)) as i32
            }
            ExprKind::Unary(operator, operand) => {
                let value = self.value(operand, process, state)?;
                match operator {
                    UnaryOperator::Not => (value == 0) as i32,
                    UnaryOperator::Complement => !value,
                    UnaryOperator::Negate => value.wrapping_neg(),
                }
            }
            ExprKind::Binary(operator, operands) => {
                let left = self.value(&operands.0, process, state)?;
                match operator {
                    BinaryOperator::And if left == 0 => return Ok(0),
                    BinaryOperator::Or if left != 0 => return Ok(1),
                    BinaryOperator::Imply if left == 0 => return Ok(1),
                    _ => {}
                }
                let right = self.value(&operands.1, process, state)?;
                match operator {
                    BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Imply => (right != 0) as i32,
                    BinaryOperator::BitOr => left | right,
                    BinaryOperator::BitXor => left ^ right,
                    BinaryOperator::BitAnd => left & right,
                    BinaryOperator::Equal => (left == right) as i32,
                    BinaryOperator::NotEqual => (left != right) as i32,
                    BinaryOperator::Less => (left < right) as i32,
                    BinaryOperator::LessEqual => (left <= right) as i32,
                    BinaryOperator::Greater => (left > right) as i32,
                    BinaryOperator::GreaterEqual => (left >= right) as i32,
                    BinaryOperator::ShiftLeft => left.wrapping_shl(right as u32),
                    BinaryOperator::ShiftRight => left.wrapping_shr(right as u32),
                    BinaryOperator::Add => left.wrapping_add(right),
                    BinaryOperator::Subtract => left.wrapping_sub(right),
                    BinaryOperator::Multiply => left.wrapping_mul(right),
                    BinaryOperator::Divide | BinaryOperator::Remainder if right == 0 => {
                        return Err(RunTimeError);
                    }
                    BinaryOperator::Divide => left.wrapping_div(right),
                    BinaryOperator::Remainder => left.wrapping_rem(right),
                }
            }
            ExprKind::Broken => panic!("a broken expression"),
        })
    }

    fn element(
        &self,
        values: &[i32],
        reference: &lariat_dve::ast::Reference,
        process: Option<usize>,
        state: &State,
    ) -> Valued<i32> {
        let at = match &reference.index {
            Some(index) => self.value(index, process, state)?,
            None => 0,
        };
        usize::try_from(at).ok().and_then(|at| values.get(at)).copied().ok_or(RunTimeError)
    }

    /// A state as the interpreter of the intermediate form describes it: locations, then values by name.
    pub fn described(&self, state: &State) -> Described {
        let mut items = BTreeMap::new();
        let mut add = |prefix: &str, variables: &[Variable], values: &[Vec<i32>]| {
            for (variable, values) in variables.iter().zip(values) {
                if variable.constant && variable.length.is_none() {
                    continue;
                }
                for (element, value) in values.iter().enumerate() {
                    let index =
                        if variable.length.is_some() { format!("[{element}]") } else { String::new() };
                    items.insert(format!("{prefix}{}{index}", variable.name.text), value.to_string());
                }
            }
        };
        add("", &self.model.variables, &state.globals);
        for (process, locals) in self.processes.iter().zip(&state.locals) {
            add(&format!("{}->", process.name.text), &process.variables, locals);
        }
        for (channel, messages) in self.model.channels.iter().zip(&state.channels) {
            if self.capacity(&channel.name.text) > 0 {
                let shown = |message: &Vec<i32>| {
                    let fields: Vec<String> = message.iter().map(i32::to_string).collect();
                    format!("[{}]", fields.join(","))
                };
                let text: String = messages.iter().map(shown).collect();
                let text = if text.is_empty() { "[]".to_string() } else { text };
                items.insert(channel.name.text.clone(), text);
            }
        }
        (state.locations.clone(), items)
    }
}

/// Where each process is, and the values of everything by name.
pub type Described = (Vec<usize>, BTreeMap<String, String>);

fn state_number(process: &Process, name: &str) -> usize {
    process.states.iter().position(|state| state.text == name).expect("a state")
}

fn cut(ty: Type, value: i32) -> i32 {
    match ty {
        Type::Byte => value as u8 as i32,
        Type::Int => value as i16 as i32,
    }
}
