//! Simple statements, and the choice between the kinds of statements.
//!
//! Where a statement stands decides what it may be: nothing that blocks or chooses within a deterministic
//! part, no `run` there, no loop without a bound where the steps are not stored. Every process has a budget
//! of statements; when it is used up, sequences end.

use super::Generator;
use super::scope::*;
use crate::model::*;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Assign,
    Step,
    Guard,
    Communicate,
    GuardedCommunicate,
    ChannelAssign,
    If,
    Do,
    Bounded,
    Atomic,
    DStep,
    Block,
    Unless,
    For,
    Select,
    Assert,
    Print,
    Skip,
    Call,
    Goto,
    Break,
    Run,
    Declare,
    SetPriority,
}

impl Generator<'_> {
    /// Up to `count` statements, at least one.
    pub(crate) fn sequence(&mut self, scope: &mut Scope, context: Context, count: usize) -> Sequence {
        let mark = scope.mark();
        let mut steps = Vec::new();
        self.extend_sequence(scope, context, count, &mut steps);
        scope.restore(mark);
        steps
    }

    /// Appends statements until there are `count` or the budget is used up; a jump ends the sequence.
    pub(crate) fn extend_sequence(
        &mut self,
        scope: &mut Scope,
        context: Context,
        count: usize,
        steps: &mut Sequence,
    ) {
        for _ in 0..count {
            if self.budget <= 0 && !steps.is_empty() {
                break;
            }
            let statement = self.statement(scope, context, steps.is_empty());
            let jump = matches!(statement, Statement::Goto(_) | Statement::Break);
            if starts_with_d_step(&statement) && steps.last().is_some_and(|step| is_compound(&step.statement))
            {
                // The end of a loop right before it would be a jump into it.
                steps.extend(self.assignment(scope).map(Step::from));
            }
            let statement = if steps.is_empty() { statement } else { self.labelled(statement, context) };
            steps.push(statement.into());
            if jump {
                break;
            }
        }
        if matches!(steps.last(), Some(step) if matches!(step.statement, Statement::Declare(_))) {
            let last = self.assignment(scope).unwrap_or(Statement::Skip);
            steps.push(last.into());
        }
    }

    /// The same, in a block of its own: what it declares is gone afterwards.
    pub(crate) fn extend_block(
        &mut self,
        scope: &mut Scope,
        context: Context,
        count: usize,
        steps: &mut Sequence,
    ) {
        let mark = scope.mark();
        self.extend_sequence(scope, context, count, steps);
        scope.restore(mark);
    }

    /// Puts a label on some statements. Targets of jumps are simple statements that do something and stand
    /// outside of atomic parts, so that no cycle is without a step and no jump stays within an atomic part
    /// for ever.
    fn labelled(&mut self, statement: Statement, context: Context) -> Statement {
        let does_something = match &statement {
            Statement::Assign(..) | Statement::Send(_) | Statement::Receive(_) | Statement::Increment(_) => {
                true
            }
            Statement::Guard(condition) => !condition.is_constant(),
            _ => false,
        };
        if does_something
            && context.label_allowed
            && !self.pending_labels.is_empty()
            && self.random.chance(60)
        {
            let label = self.pending_labels.remove(0);
            return Statement::Labelled(label, Box::new(statement));
        }
        if matches!(
            statement,
            Statement::Declare(_) | Statement::Goto(_) | Statement::Break | Statement::Call { .. }
        ) {
            return statement;
        }
        let waits = matches!(
            statement,
            Statement::Receive(_) | Statement::Send(_) | Statement::Guard(_) | Statement::Do(_)
        );
        let stem = if waits && self.profile.end_labels && self.random.chance(70) {
            "end"
        } else if self.profile.special_labels && self.random.chance(12) {
            *self.random.pick(&["progress", "accept", "spot"])
        } else {
            return statement;
        };
        if context.deterministic || context.in_inline {
            return statement;
        }
        Statement::Labelled(self.fresh(stem), Box::new(statement))
    }

    /// Any statement that fits here. The first of a block is no declaration and no jump.
    fn statement(&mut self, scope: &mut Scope, context: Context, first: bool) -> Statement {
        self.budget -= 1;
        for _ in 0..6 {
            let kind = self.pick_kind(context, first);
            if let Some(statement) = self.statement_of(kind, scope, context) {
                return statement;
            }
        }
        self.assignment(scope).unwrap_or(Statement::Skip)
    }

    fn pick_kind(&mut self, context: Context, first: bool) -> Kind {
        let profile = &self.profile;
        let free = !context.deterministic;
        let nest = context.depth < self.options.max_depth && self.budget > 0;
        let when = |condition: bool, weight: u32| if condition { weight } else { 0 };
        // A process that waits before it has done anything tends to wait for ever.
        let may_wait = free && !(first && context.depth == 0);
        let menu = [
            (34, Kind::Assign),
            (8, Kind::Step),
            (when(may_wait, 4), Kind::Guard),
            (when(may_wait && profile.channels, 16), Kind::Communicate),
            (
                when(profile.channels && (!free || profile.polls), if free { 5 } else { 16 }),
                Kind::GuardedCommunicate,
            ),
            (when(profile.channel_values, 4), Kind::ChannelAssign),
            (when(nest, 14), Kind::If),
            (when(nest && free && !context.in_atomic && !context.in_inline, 7), Kind::Do),
            (when(nest && !context.in_inline, 3), Kind::Bounded),
            (when(profile.atomic && free && nest, if context.in_atomic { 4 } else { 24 }), Kind::Atomic),
            (when(profile.d_step && free && nest, 18), Kind::DStep),
            (when(nest, 1), Kind::Block),
            (when(profile.unless && free && nest, 16), Kind::Unless),
            (when(profile.for_loops && nest && !context.in_inline, 11), Kind::For),
            (when(profile.select && free, 10), Kind::Select),
            (when(profile.assertions, 11), Kind::Assert),
            (when(profile.prints, 6), Kind::Print),
            (when(!first, 2), Kind::Skip),
            (when(!self.inline_plans.is_empty(), 10), Kind::Call),
            (when(context.goto_allowed && free && !first && !self.labels.is_empty(), 9), Kind::Goto),
            (when(context.in_loop && free && !first, 4), Kind::Break),
            (when(context.run_allowed && free && !self.runnable.is_empty(), 8), Kind::Run),
            (when(profile.declarations_in_blocks && !first && !context.deterministic, 13), Kind::Declare),
            (when(profile.priorities && free && !context.in_inline, 6), Kind::SetPriority),
        ];
        self.random.weighted(&menu)
    }

    fn statement_of(&mut self, kind: Kind, scope: &mut Scope, context: Context) -> Option<Statement> {
        match kind {
            Kind::Assign => self.assignment(scope),
            Kind::Step => self.counting_step(scope, context),
            Kind::Guard => Some(Statement::Guard(self.condition(scope, 1))),
            Kind::Communicate => {
                let operation = self.communication(scope, context)?;
                match self.assignment(scope) {
                    Some(instead) if self.random.chance(50) => {
                        Some(Statement::If(vec![vec![operation.into()], vec![instead.into()]]))
                    }
                    _ => Some(operation),
                }
            }
            Kind::GuardedCommunicate => self.guarded_communication(scope),
            Kind::ChannelAssign => self.channel_assignment(scope),
            Kind::If if context.deterministic => Some(self.deterministic_choice(scope, context)),
            Kind::If => Some(self.choice(scope, context, true)),
            Kind::Do => Some(self.repetition(scope, context, true)),
            Kind::Bounded => Some(self.bounded_loop(scope, context)),
            Kind::Atomic => Some(self.atomic(scope, context)),
            Kind::DStep => Some(self.d_step(scope, context, false)),
            Kind::Block => Some(Statement::Block(self.block(scope, context.deeper(), 2))),
            Kind::Unless => Some(self.unless(scope, context)),
            Kind::For => self.for_loop(scope, context),
            Kind::Select => self.select(scope),
            Kind::Assert => Some(self.assertion(scope)),
            Kind::Print => Some(self.print(scope)),
            Kind::Skip => Some(Statement::Skip),
            Kind::Call => self.call(scope, context),
            Kind::Goto => {
                let labels = self.labels.clone();
                Some(Statement::Goto(self.random.pick(&labels).clone()))
            }
            Kind::Break => Some(Statement::Break),
            Kind::Run => self.guarded_run(scope, context),
            Kind::Declare => {
                let name = self.fresh("v");
                self.declare(scope, &name, false).map(Statement::Declare)
            }
            Kind::SetPriority => {
                let priority = number(self.random.between(1, 4));
                Some(Statement::SetPriority(Expression::name("_pid"), priority))
            }
        }
    }

    pub(crate) fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    pub(crate) fn assignment(&mut self, scope: &Scope) -> Option<Statement> {
        let place = self.pick_place(scope, |place| place.writable)?;
        let value = self.value_for(scope, &place);
        Some(Statement::Assign(self.reference(scope, &place.path), value))
    }

    /// `x++` or `x--` where the range stays small: types that wrap early, or behind a test that no one else
    /// can spoil.
    fn counting_step(&mut self, scope: &Scope, context: Context) -> Option<Statement> {
        let up = self.random.chance(60);
        let step =
            |reference| if up { Statement::Increment(reference) } else { Statement::Decrement(reference) };
        let narrow = |place: &Place| {
            let wraps = matches!(place.type_name, TypeName::Bit | TypeName::Bool | TypeName::Unsigned(_));
            place.writable
                && (wraps || (!place.readable && !context.repeated))
                && place.path.iter().all(|part| part.1.is_none())
        };
        if self.random.chance(40)
            && let Some(place) = self.pick_place(scope, narrow)
        {
            return Some(step(self.reference(scope, &place.path)));
        }
        let protected = (context.deterministic || context.in_atomic) && !context.in_inline;
        let counted = |place: &Place| {
            place.writable
                && place.readable
                && place.is_number()
                && (protected || !place.global || !context.repeated)
        };
        let place = self.pick_place(scope, counted)?;
        let reference = self.reference(scope, &place.path);
        let variable = Expression::Variable(reference.clone());
        let guard = if up {
            Expression::binary("<", variable, number(place.modulus - 1))
        } else {
            Expression::binary(">", variable, number(0))
        };
        let taken: Sequence = vec![Statement::Guard(guard).into(), step(reference).into()];
        let mut otherwise: Sequence = vec![Statement::Else.into()];
        if self.random.chance(30) {
            otherwise.push(Statement::Assign(self.reference(scope, &place.path), number(0)).into());
        }
        Some(Statement::If(vec![taken, otherwise]))
    }

    fn channel_assignment(&mut self, scope: &Scope) -> Option<Statement> {
        let target = self.pick_channel(scope, |_, place| place.variable && place.lasting)?;
        let source = self.pick_channel(scope, |_, place| place.class == target.class && place.lasting)?;
        let source = self.reference(scope, &source.path);
        Some(Statement::Assign(self.reference(scope, &target.path), Expression::Variable(source)))
    }

    fn select(&mut self, scope: &Scope) -> Option<Statement> {
        let simple = |place: &Place| {
            let type_fits = matches!(place.type_name, TypeName::Byte | TypeName::Short | TypeName::Int);
            place.writable
                && place.readable
                && type_fits
                && place.path.len() == 1
                && place.path[0].1.is_none()
        };
        let place = self.pick_place(scope, simple)?;
        let low = self.random.between(0, 1);
        let high = low + self.random.between(1, 2);
        Some(Statement::Select { variable: self.reference(scope, &place.path), low, high })
    }

    fn assertion(&mut self, scope: &Scope) -> Statement {
        let own = self.pick_place(scope, |place| place.readable && place.is_number());
        match own {
            Some(place) if self.random.chance(75) => {
                let variable = Expression::Variable(self.reference(scope, &place.path));
                let bound = place.modulus - 1 - i64::from(self.random.chance(35));
                Statement::Assert(Expression::binary("<=", variable, number(bound)))
            }
            _ => {
                let left = self.condition(scope, 0);
                Statement::Assert(Expression::binary("||", left, self.condition(scope, 0)))
            }
        }
    }

    fn print(&mut self, scope: &Scope) -> Statement {
        let mtype = |place: &Place| place.readable && matches!(place.type_name, TypeName::Mtype(_));
        if let Some(place) = self.pick_place(scope, mtype)
            && self.random.chance(50)
        {
            let argument = Expression::Variable(self.reference(scope, &place.path));
            return Statement::Print { text: "message %e\\n".to_string(), arguments: vec![argument] };
        }
        let arguments = vec![Expression::name("_pid"), self.value(scope, 1)];
        Statement::Print { text: "process %d has %d\\n".to_string(), arguments }
    }

    /// A call of an inline that fits; its targets are variables.
    fn call(&mut self, scope: &Scope, context: Context) -> Option<Statement> {
        let plans = self.inline_plans.clone();
        let plan = self.random.pick(&plans);
        if context.deterministic && !plan.deterministic {
            return None;
        }
        let mut arguments = Vec::new();
        for kind in &plan.parameters {
            arguments.push(match kind {
                InlineParameter::Target => {
                    let fits = |place: &Place| {
                        let type_fits =
                            matches!(place.type_name, TypeName::Byte | TypeName::Unsigned(_) | TypeName::Bit);
                        place.writable && place.readable && type_fits && place.modulus > 2
                    };
                    let place = self.pick_place(scope, fits)?;
                    Expression::Variable(refer(&place.path, |length| number(i64::from(length) - 1)))
                }
                InlineParameter::Value => self.call_value(scope),
            });
        }
        Some(Statement::Call { name: plan.name.clone(), arguments })
    }

    /// An argument that is safe wherever its text lands.
    fn call_value(&mut self, scope: &Scope) -> Expression {
        let place = self.pick_place(scope, |place| place.readable && place.is_number());
        let Some(place) = place else {
            return number(1);
        };
        let variable = Expression::Variable(refer(&place.path, |_| number(0)));
        match self.random.below(6) {
            0 => Expression::binary("^", variable, number(1)),
            1 => Expression::binary(">", variable, number(0)),
            2 => Expression::binary("&", variable, number(1)),
            3 => number(self.random.between(0, 2)),
            _ => variable,
        }
    }
}

/// Whether the text of a statement may begin with a `d_step`.
fn starts_with_d_step(statement: &Statement) -> bool {
    match statement {
        Statement::DStep(_) | Statement::Call { .. } => true,
        Statement::Atomic(body) | Statement::Block(body) | Statement::Unless(body, _) => {
            body.first().is_some_and(|step| starts_with_d_step(&step.statement))
        }
        _ => false,
    }
}

fn is_compound(statement: &Statement) -> bool {
    match statement {
        Statement::Labelled(_, inner) => is_compound(inner),
        Statement::If(_) | Statement::Do(_) | Statement::Atomic(_) | Statement::Block(_) => true,
        Statement::Unless(..) | Statement::ForRange { .. } | Statement::ForArray { .. } => true,
        Statement::Call { .. } | Statement::Select { .. } => true,
        _ => false,
    }
}
