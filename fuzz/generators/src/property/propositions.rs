//! Conditions on the states of a model, made of what the model has.
//!
//! Global variables (fields of records and elements of arrays too) are compared with numbers that the model's
//! own text contains, or with each other; of channels with a buffer the length, or whether a certain message
//! is first; of processes that exist from the beginning, whether they are at one of their labels, and their
//! first variables.

use crate::model::*;
use crate::random::Random;
use crate::visit::{Visitor, visit_model, visit_sequence};

/// So many conditions, all different where the model has enough.
pub(super) fn draw(random: &mut Random, model: &PromelaModel, wanted: usize) -> Vec<Expression> {
    let places = Places::of(model);
    let mut found: Vec<Expression> = Vec::new();
    for _ in 0..4 * wanted {
        let condition = places.condition(random);
        if found.len() < wanted && !found.contains(&condition) {
            found.push(condition);
        }
    }
    found
}

/// A variable and the symbolic constants of its type; none if it is a number.
struct Variable {
    value: Expression,
    symbols: Vec<String>,
}

/// What conditions can be about.
struct Places {
    variables: Vec<Variable>,
    /// With a buffer: the channel, its capacity, the number of fields of a message.
    channels: Vec<(Reference, u32, usize)>,
    labels: Vec<Expression>,
    /// Small numbers that occur in the model.
    numbers: Vec<i64>,
}

impl Places {
    fn of(model: &PromelaModel) -> Places {
        let mut places =
            Places { variables: Vec::new(), channels: Vec::new(), labels: Vec::new(), numbers: vec![0, 1] };
        for global in &model.globals {
            places.add_global(model, &[], global);
        }
        let mut first_pid = 0;
        for process in &model.processes {
            let count = if process.kind == ProcessKind::Init { 1 } else { process.active.unwrap_or(0) };
            if count > 0 {
                places.add_process(process, first_pid);
            }
            first_pid += count;
        }
        let mut collector = Collector::default();
        visit_model(&mut model.clone(), &mut collector);
        places.numbers.extend(collector.numbers);
        places.numbers.sort_unstable();
        places.numbers.dedup();
        places
    }

    /// A global variable, or a field of one.
    fn add_global(
        &mut self,
        model: &PromelaModel,
        path: &[(String, Option<Box<Expression>>)],
        declared: &Declaration,
    ) {
        if declared.prefix == Some("hidden") {
            return;
        }
        let indices: Vec<Option<u32>> = declared.length.map_or(vec![None], |n| (0..n).map(Some).collect());
        for index in indices {
            let mut parts = path.to_vec();
            let index = index.map(|index| Box::new(Expression::Number(i64::from(index))));
            parts.push((declared.name.clone(), index));
            match &declared.type_name {
                TypeName::Record(name) => {
                    let record = model.records.iter().find(|record| record.name == *name);
                    for field in record.map_or(&[][..], |record| &record.fields) {
                        self.add_global(model, &parts, field);
                    }
                }
                TypeName::Chan => {
                    if let Initial::Channel { capacity, fields } = &declared.initial
                        && *capacity > 0
                    {
                        self.channels.push((Reference { parts }, *capacity, fields.len()));
                    }
                }
                TypeName::Mtype(subtype) => {
                    let of_type = model.mtypes.iter().filter(|known| known.subtype == *subtype);
                    let symbols = of_type.flat_map(|known| known.names.clone()).collect();
                    self.variables
                        .push(Variable { value: Expression::Variable(Reference { parts }), symbols });
                }
                _ => self
                    .variables
                    .push(Variable { value: Expression::Variable(Reference { parts }), symbols: Vec::new() }),
            }
        }
    }

    /// The labels and the first variables of a process that exists from the beginning.
    fn add_process(&mut self, process: &Process, pid: u32) {
        if process.kind == ProcessKind::Init {
            // It has no name that an expression could use.
            return;
        }
        let mut collector = Collector::default();
        visit_sequence(&mut process.body.clone(), &mut collector);
        self.labels.extend(collector.labels.into_iter().map(|label| Expression::RemoteLabel {
            process: process.name.clone(),
            pid,
            label,
        }));
        for step in &process.body {
            if let Statement::Declare(declared) = &step.statement
                && declared.length.is_none()
                && declared.prefix.is_none()
                && declared.type_name.is_number()
            {
                let variable = declared.name.clone();
                let value = Expression::RemoteVariable { process: process.name.clone(), pid, variable };
                self.variables.push(Variable { value, symbols: Vec::new() });
            }
        }
    }

    fn condition(&self, random: &mut Random) -> Expression {
        let weights = [
            (6 * !self.variables.is_empty() as u32, 0),
            (2 * !self.channels.is_empty() as u32, 1),
            (3 * !self.labels.is_empty() as u32, 2),
        ];
        if weights.iter().all(|(weight, _)| *weight == 0) {
            return Expression::name("true");
        }
        match random.weighted(&weights) {
            0 => self.comparison(random),
            1 => self.message(random),
            _ => random.pick(&self.labels).clone(),
        }
    }

    fn comparison(&self, random: &mut Random) -> Expression {
        let variable = random.pick(&self.variables);
        if !variable.symbols.is_empty() {
            let symbol = Expression::name(random.pick(&variable.symbols));
            let operator = if random.chance(70) { "==" } else { "!=" };
            return Expression::binary(operator, variable.value.clone(), symbol);
        }
        let operator = random.weighted(&[(5, "=="), (2, "!="), (2, "<"), (2, ">"), (1, "<="), (1, ">=")]);
        let other = if random.chance(85) {
            Expression::Number(*random.pick(&self.numbers))
        } else {
            random.pick(&self.variables).value.clone()
        };
        Expression::binary(operator, variable.value.clone(), other)
    }

    fn message(&self, random: &mut Random) -> Expression {
        let (channel, capacity, fields) = random.pick(&self.channels);
        if random.chance(60) {
            let length = Expression::Apply("len".to_string(), vec![Expression::Variable(channel.clone())]);
            let number = Expression::Number(random.between(0, i64::from(*capacity)));
            return Expression::binary(random.pick::<&str>(&["==", "!=", "<", ">"]), length, number);
        }
        let constant =
            |random: &mut Random| ReceiveArgument::Constant(Expression::Number(random.between(0, 2)));
        Expression::Poll {
            channel: channel.clone(),
            random: random.chance(30),
            arguments: (0..*fields).map(|_| constant(random)).collect(),
        }
    }
}

#[derive(Default)]
struct Collector {
    labels: Vec<String>,
    numbers: Vec<i64>,
}

impl Visitor for Collector {
    fn statement(&mut self, statement: &mut Statement) {
        if let Statement::Labelled(label, _) = statement {
            self.labels.push(label.clone());
        }
    }

    fn expression(&mut self, expression: &mut Expression) {
        if let Expression::Number(number) = expression
            && (-3..=3).contains(number)
        {
            self.numbers.push(*number);
        }
    }
}
