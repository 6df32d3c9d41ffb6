//! Compound statements: choices, loops, atomic parts, escapes.
//!
//! The first statement of an option decides whether the option can be taken, so it is chosen with care: a
//! condition, a send or a receive, an assignment, or another compound statement that starts with one of
//! these. Only one `else` may be reachable at the start of a choice, counting those of nested choices;
//! `LeadRules` keeps the account. Loops in atomic parts count to a constant with a counter that nothing else
//! writes.

use super::Generator;
use super::scope::*;
use crate::model::*;

/// What the first statement of an option may be.
struct LeadRules {
    else_allowed: bool,
    communication_allowed: bool,
}

impl Generator<'_> {
    pub(crate) fn choice(&mut self, scope: &mut Scope, context: Context, else_allowed: bool) -> Statement {
        let mut rules = LeadRules { else_allowed, communication_allowed: true };
        Statement::If(self.options_of(scope, context.deeper(), &mut rules, false))
    }

    pub(crate) fn repetition(
        &mut self,
        scope: &mut Scope,
        context: Context,
        else_allowed: bool,
    ) -> Statement {
        let mut rules = LeadRules { else_allowed, communication_allowed: true };
        let inside = Context { in_loop: true, repeated: true, ..context.deeper() };
        Statement::Do(self.options_of(scope, inside, &mut rules, true))
    }

    fn options_of(
        &mut self,
        scope: &mut Scope,
        context: Context,
        rules: &mut LeadRules,
        repeat: bool,
    ) -> Vec<Sequence> {
        let with_else = rules.else_allowed && self.random.chance(if repeat { 30 } else { 50 });
        if with_else {
            rules.else_allowed = false;
            rules.communication_allowed = rules.communication_allowed && self.profile.else_with_io;
        }
        let count = if with_else { 1 + self.random.below(2) } else { 2 + self.random.below(2) };
        let mut options: Vec<Sequence> = (0..count).map(|_| self.option(scope, context, rules)).collect();
        if with_else {
            let mut option = vec![Statement::Else.into()];
            if repeat && self.random.chance(50) {
                option.push(Statement::Break.into());
            } else if repeat || self.random.chance(60) {
                self.extend_block(scope, context, 1, &mut option);
                self.ensure_effect(scope, &mut option);
            }
            options.push(option);
        } else if repeat && self.random.chance(40) {
            let guard = self.condition(scope, 0);
            options.push(vec![Statement::Guard(guard).into(), Statement::Break.into()]);
        }
        options
    }

    /// A loop must not go round without a step that does something.
    fn ensure_effect(&mut self, scope: &Scope, option: &mut Sequence) {
        let inert = |step: &Step| {
            matches!(step.statement, Statement::Else | Statement::Skip | Statement::Print { .. })
        };
        if option.iter().all(inert)
            && let Some(assignment) = self.assignment(scope)
        {
            option.push(assignment.into());
        }
    }

    fn option(&mut self, scope: &mut Scope, context: Context, rules: &mut LeadRules) -> Sequence {
        let mark = scope.mark();
        let mut steps = vec![self.lead(scope, context, rules).into()];
        let more = self.random.weighted(&[(25, 0), (45, 1), (25, 2), (5, 3)]);
        self.budget -= 1;
        if more > 0 && self.budget > 0 {
            self.extend_sequence(scope, context, more, &mut steps);
        }
        scope.restore(mark);
        steps
    }

    fn lead(&mut self, scope: &mut Scope, context: Context, rules: &mut LeadRules) -> Statement {
        let nest = context.depth < self.options.max_depth && self.budget > 1;
        let profile = &self.profile;
        let when = |condition: bool, weight: u32| if condition { weight } else { 0 };
        let communicate = profile.channels && rules.communication_allowed;
        let menu = [
            (40, 0),
            (when(communicate, 34), 1),
            (16, 2),
            (when(nest, 5), 3),
            (when(profile.atomic && nest, 22), 4),
            (when(profile.d_step && nest, 13), 5),
            (when(profile.timeout && !context.in_atomic && !context.in_inline, 10), 6),
            (when(nest && !context.in_atomic && !context.in_inline, 2), 7),
        ];
        match self.random.weighted(&menu) {
            1 => self
                .communication(scope, context)
                .unwrap_or_else(|| Statement::Guard(self.condition(scope, 1))),
            2 => self.assignment(scope).unwrap_or(Statement::Skip),
            3 => Statement::If(self.options_of(scope, context.deeper(), rules, false)),
            4 => self.atomic_with(scope, context, rules),
            5 => self.d_step(scope, context, true),
            6 => Statement::Guard(Expression::name("timeout")),
            7 => {
                let inside = Context { in_loop: true, repeated: true, ..context.deeper() };
                Statement::Do(self.options_of(scope, inside, rules, true))
            }
            _ => Statement::Guard(self.condition(scope, 1)),
        }
    }

    pub(crate) fn atomic(&mut self, scope: &mut Scope, context: Context) -> Statement {
        let mut rules = LeadRules { else_allowed: true, communication_allowed: true };
        self.atomic_with(scope, context, &mut rules)
    }

    fn atomic_with(&mut self, scope: &mut Scope, context: Context, rules: &mut LeadRules) -> Statement {
        let inside = Context { in_atomic: true, in_loop: false, label_allowed: false, ..context.deeper() };
        let mark = scope.mark();
        let mut steps = vec![self.lead(scope, inside, rules).into()];
        let more = 1 + self.random.below(3);
        self.extend_sequence(scope, inside, more, &mut steps);
        scope.restore(mark);
        Statement::Atomic(steps)
    }

    /// Spin takes the end of a loop before it as a jump into its middle if it starts with a compound
    /// statement, and the end of a loop at its own end as a jump out of it; so it starts and ends with simple
    /// ones, unless nothing comes before.
    pub(crate) fn d_step(&mut self, scope: &mut Scope, context: Context, leading: bool) -> Statement {
        let inside = Context {
            in_atomic: true,
            deterministic: true,
            in_loop: false,
            goto_allowed: false,
            label_allowed: false,
            ..context.deeper()
        };
        let mark = scope.mark();
        let mut steps = Vec::new();
        let sealed = std::mem::replace(&mut self.sealed, true);
        if self.random.chance(40) {
            steps.push(Statement::Guard(self.condition(scope, 1)).into());
        } else if !(leading && self.random.chance(20)) {
            steps.extend(self.assignment(scope).map(Step::from));
        }
        let more = 1 + self.random.below(3);
        self.extend_sequence(scope, inside, more, &mut steps);
        let compound =
            |statement: &Statement| !matches!(statement, Statement::Assign(..) | Statement::Assert(_));
        if steps.last().is_some_and(|step| compound(&step.statement)) {
            steps.extend(self.assignment(scope).map(Step::from));
        }
        self.sealed = sealed;
        scope.restore(mark);
        // Where a d_step starts with anything but a condition, an assignment or a channel operation, Spin
        // executes it in the middle of other processes' handshakes.
        let guarded = steps.first().is_some_and(|step| {
            let statement = &step.statement;
            matches!(
                statement,
                Statement::Guard(_)
                    | Statement::Assign(..)
                    | Statement::Increment(_)
                    | Statement::Decrement(_)
            ) || matches!(statement, Statement::Skip | Statement::Send(_) | Statement::Receive(_))
        });
        if !guarded && self.classes.iter().any(|class| !class.is_buffered()) {
            steps.insert(0, Statement::Skip.into());
        }
        Statement::DStep(steps)
    }

    /// Alternatives of which exactly one can be taken, whatever the state.
    pub(crate) fn deterministic_choice(&mut self, scope: &mut Scope, context: Context) -> Statement {
        let context = context.deeper();
        let mut options = Vec::new();
        let place = self.pick_place(scope, |place| place.readable && place.is_number());
        match place {
            Some(place) if self.random.chance(30) => {
                let variable = Expression::Variable(self.reference(scope, &place.path));
                for value in 0..2 {
                    let guard = Expression::binary("==", variable.clone(), number(value));
                    let mut option = vec![Statement::Guard(guard).into()];
                    self.extend_block(scope, context, 1, &mut option);
                    options.push(option);
                }
            }
            _ => {
                let mut option = vec![Statement::Guard(self.condition(scope, 1)).into()];
                let count = 1 + self.random.below(2);
                self.extend_block(scope, context, count, &mut option);
                options.push(option);
            }
        }
        let mut otherwise = vec![Statement::Else.into()];
        if self.random.chance(60) {
            self.extend_block(scope, context, 1, &mut otherwise);
        }
        options.push(otherwise);
        Statement::If(options)
    }

    /// `{ k = 0; do :: k < 2 -> …; k++ :: else -> break od }`
    pub(crate) fn bounded_loop(&mut self, scope: &mut Scope, context: Context) -> Statement {
        let counter = self.counter();
        let rounds = self.random.between(1, 2);
        let variable = Expression::variable(&counter);
        let inside = Context {
            in_loop: !context.deterministic,
            repeated: true,
            label_allowed: false,
            ..context.deeper()
        };
        let mark = scope.mark();
        scope.counters.push((counter.clone(), rounds as u32 - 1));
        let mut round = vec![Statement::Guard(Expression::binary("<", variable, number(rounds))).into()];
        let before = round.len();
        let count = 1 + self.random.below(2);
        self.extend_sequence(scope, inside, count, &mut round);
        scope.restore(mark);
        if !matches!(round[round.len() - 1].statement, Statement::Break | Statement::Goto(_))
            || round.len() == before
        {
            round.push(Statement::Increment(Reference::name(&counter)).into());
        }
        let mut last: Sequence = vec![Statement::Else.into()];
        if self.random.chance(50) {
            last.push(Statement::Assign(Reference::name(&counter), number(0)).into());
        }
        last.push(Statement::Break.into());
        let reset = Statement::Assign(Reference::name(&counter), number(0));
        Statement::Block(vec![reset.into(), Statement::Do(vec![round, last]).into()])
    }

    /// A local variable for loops; it is declared at the start of the process.
    fn counter(&mut self) -> String {
        let name = self.fresh("k");
        self.counters.push(name.clone());
        name
    }

    pub(crate) fn for_loop(&mut self, scope: &mut Scope, context: Context) -> Option<Statement> {
        let inside = Context {
            in_loop: !context.deterministic,
            repeated: true,
            label_allowed: false,
            ..context.deeper()
        };
        let mark = scope.mark();
        let count = 1 + self.random.below(2);
        let statement = if !scope.arrays.is_empty() && self.random.chance(50) {
            let (array, length) = self.random.pick(&scope.arrays).clone();
            let variable = self.counter();
            scope.counters.push((variable.clone(), length - 1));
            let body = self.block(scope, inside, count);
            Statement::ForArray { variable, array, body }
        } else {
            let variable = self.counter();
            let low = self.random.between(0, 1);
            let high = low + self.random.between(0, 1);
            scope.counters.push((variable.clone(), high as u32));
            let body = self.block(scope, inside, count);
            Statement::ForRange { variable, low: number(low), high: number(high), body }
        };
        scope.restore(mark);
        Some(statement)
    }

    pub(crate) fn block(&mut self, scope: &mut Scope, context: Context, count: usize) -> Sequence {
        self.sequence(scope, context, count)
    }

    pub(crate) fn unless(&mut self, scope: &mut Scope, context: Context) -> Statement {
        let rules = &mut LeadRules { else_allowed: true, communication_allowed: true };
        let inside = context.deeper();
        let mark = scope.mark();
        let mut body = vec![self.lead(scope, inside, rules).into()];
        let count = 1 + self.random.below(2);
        self.extend_sequence(scope, inside, count, &mut body);
        scope.restore(mark);
        let mark = scope.mark();
        let mut escape_rules = LeadRules { else_allowed: false, communication_allowed: true };
        let mut escape = vec![self.lead(scope, inside, &mut escape_rules).into()];
        if self.random.chance(60) {
            self.extend_sequence(scope, inside, 1, &mut escape);
        }
        scope.restore(mark);
        Statement::Unless(body, escape)
    }

    /// A new process, if there are not too many.
    pub(crate) fn guarded_run(&mut self, scope: &Scope, context: Context) -> Option<Statement> {
        let runnable = self.runnable.clone();
        let plan = self.plans[*self.random.pick(&runnable)].clone();
        let run = self.run(scope, &plan)?;
        let guard = Expression::binary("<", Expression::name("_nr_pr"), number(self.process_limit));
        let guard = Statement::Guard(guard);
        if self.profile.atomic && !context.in_inline && self.random.chance(40) {
            return Some(Statement::Atomic(vec![guard.into(), run.into()]));
        }
        let taken = vec![guard.into(), run.into()];
        Some(Statement::If(vec![taken, vec![Statement::Else.into()]]))
    }

    /// `run P(…)` or `x = run P(…)`
    pub(crate) fn run(&mut self, scope: &Scope, plan: &ProcessPlan) -> Option<Statement> {
        let mut arguments = Vec::new();
        for parameter in &plan.parameters {
            arguments.push(match (parameter.class, &parameter.type_name) {
                (Some(class), _) => {
                    let channel = self.pick_channel(scope, |_, place| place.class == class)?;
                    Expression::Variable(self.reference(scope, &channel.path))
                }
                (None, TypeName::Mtype(subtype)) => self.mtype_constant(subtype),
                (None, _) if self.random.chance(50) => number(self.random.between(0, 2)),
                (None, _) => Expression::binary("%", self.value(scope, 1), number(2)),
            });
        }
        let priority =
            (self.profile.priorities && self.random.chance(50)).then(|| self.random.between(1, 4) as u32);
        let run = Expression::Run { process: plan.name.clone(), arguments, priority };
        let holds_numbers = |place: &Place| {
            place.writable
                && matches!(place.type_name, TypeName::Pid | TypeName::Byte | TypeName::Int | TypeName::Short)
        };
        if self.random.chance(35)
            && let Some(place) = self.pick_place(scope, holds_numbers)
        {
            return Some(Statement::Assign(self.reference(scope, &place.path), run));
        }
        Some(Statement::Guard(run))
    }
}
