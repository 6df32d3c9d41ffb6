//! Process types and inlines: what exists, how it starts, and the shape of the bodies.
//!
//! A body is a loop with options, a straight sequence, or a machine of labelled choices that jump to each
//! other. Processes that others look into, or that own channels which others may hold, never end; the others
//! may, and their numbers are used again. A process only starts processes of later types, and only while
//! there are few, so that their number is bounded.

use super::Generator;
use super::scope::*;
use crate::model::*;

impl Generator<'_> {
    /// Names, parameters and instances of all process types.
    pub(crate) fn plan_processes(&mut self) {
        let most = self.options.max_process_types.max(1);
        let types = self.random.weighted(&[(8, 1), (42, 2), (34, 3), (16, 4)]).min(most);
        let mut instances = 0;
        for position in 0..types {
            let most = self.options.max_processes.saturating_sub(usize::from(self.profile.dynamic));
            let room = most.saturating_sub(instances);
            if room == 0 && position > 0 && !self.profile.dynamic {
                break;
            }
            let started = position == 0 || (room > 0 && !(self.profile.dynamic && self.random.chance(50)));
            let twice = if types == 1 { 80 } else { 20 };
            let active = started.then(|| if room > 1 && self.random.chance(twice) { 2 } else { 1 });
            let deterministic = self.profile.deterministic_processes && self.random.chance(50);
            let name = ["Alpha", "Beta", "Gamma", "Delta", "Eps", "Zeta"][position.min(5)];
            let watching = self.profile.remote_references || self.profile.introspection;
            let deterministic = deterministic && !(watching && position == 0);
            let lasting = if watching && position == 0 { 100 } else { 35 };
            let immortal = active.is_some() && !deterministic && self.random.chance(lasting);
            let first_pid = instances as u32;
            instances += active.unwrap_or(0) as usize;
            self.plans.push(ProcessPlan {
                name: if position < 6 { name.to_string() } else { format!("Type{position}") },
                active,
                parameters: Vec::new(),
                deterministic,
                immortal,
                first_pid,
                observed: watching && immortal,
                budget: 0,
            });
        }
        let waiting = self.plans.iter().filter(|plan| plan.active.is_none()).count();
        self.with_init = waiting > 0 && self.random.chance(70) || self.random.chance(5);
        self.init_first = self.random.chance(50);
        if self.with_init {
            instances += 1;
            if self.init_first {
                self.plans.iter_mut().for_each(|plan| plan.first_pid += 1);
            }
        }
        self.process_limit = instances as i64 + 1 + i64::from(instances < 3 && self.random.chance(50));
        // The more processes run side by side, the shorter they must be.
        self.population =
            if waiting == 0 { instances } else { (instances + waiting).max(self.process_limit as usize) };
        let ways = *self.random.pick(&[120.0_f64, 240.0, 500.0, 900.0]);
        let (fewest, most) = self.options.statements;
        let length = (ways.powf(1.0 / self.population as f64) as usize).clamp(fewest, most) as i64;
        for plan in &mut self.plans {
            plan.budget = if plan.active.is_some() { length } else { length.min(7) };
        }
    }

    pub(crate) fn plan_parameters(&mut self) {
        for position in 0..self.plans.len() {
            self.plans[position].parameters = self.parameters(self.plans[position].active.is_some());
        }
    }

    fn parameters(&mut self, active: bool) -> Vec<PlannedParameter> {
        let mut parameters = Vec::new();
        let wanted = if active {
            self.random.weighted(&[(90, 0), (10, 1)])
        } else {
            self.random.weighted(&[(40, 0), (45, 1), (15, 2)])
        };
        for position in 0..wanted {
            let (type_name, _) = self.scalar_type();
            // A width cannot be given for a parameter.
            let type_name =
                if matches!(type_name, TypeName::Unsigned(_)) { TypeName::Byte } else { type_name };
            parameters.push(PlannedParameter { name: format!("p{position}"), type_name, class: None });
        }
        if !active && self.profile.channel_values && !self.classes.is_empty() && self.random.chance(60) {
            let class = self.random.below(self.classes.len());
            parameters.push(PlannedParameter {
                name: "way".to_string(),
                type_name: TypeName::Chan,
                class: Some(class),
            });
        }
        parameters
    }

    pub(crate) fn build_inlines(&mut self, globals: &Scope) -> Vec<Inline> {
        let mut inlines = Vec::new();
        let count = 1 + self.random.below(2);
        for position in 0..count {
            let name = format!("{}{position}", self.random.pick(&["update", "turn"]));
            let kinds = [InlineParameter::Value, InlineParameter::Target];
            let parameters: Vec<InlineParameter> =
                (0..self.random.below(3)).map(|_| *self.random.pick(&kinds)).collect();
            let deterministic = self.random.chance(50);
            let names: Vec<String> = (0..parameters.len()).map(|number| format!("arg{number}")).collect();
            let mut scope = globals.clone();
            for (name, kind) in names.iter().zip(&parameters) {
                scope.places.push(Place {
                    path: vec![(name.clone(), None)],
                    type_name: TypeName::Byte,
                    modulus: 3,
                    writable: *kind == InlineParameter::Target,
                    readable: true,
                    indexable: *kind == InlineParameter::Target,
                    global: true,
                });
            }
            self.budget = 4;
            self.domain = 2;
            self.plain = true;
            let context = Context {
                depth: 1,
                in_atomic: true,
                deterministic,
                in_inline: true,
                goto_allowed: false,
                run_allowed: false,
                label_allowed: false,
                repeated: true,
                ..Context::body()
            };
            let mut body = Vec::new();
            if !deterministic && self.random.chance(30) {
                let local = self.fresh("t");
                if let Some(declaration) = self.declare(&mut scope, &local, false) {
                    body.push(Statement::Declare(declaration).into());
                }
            }
            let length = 1 + self.random.below(3);
            let mut rest = self.sequence(&mut scope, context, length);
            body.append(&mut rest);
            self.plain = false;
            self.inline_plans.push(InlinePlan { name: name.clone(), parameters, deterministic });
            inlines.push(Inline { name, parameters: names, body });
        }
        inlines
    }

    pub(crate) fn build_process(&mut self, position: usize, globals: &Scope) -> Process {
        let plan = self.plans[position].clone();
        self.current_process = Some(position);
        self.runnable =
            (position + 1..self.plans.len()).filter(|&other| self.plans[other].active.is_none()).collect();
        self.counters.clear();
        self.budget = plan.budget;
        let instances = i64::from(plan.active.unwrap_or(1));
        self.domain = self.random.between(2, if self.population > 3 { 4 } else { 12 }) / instances;
        let mut scope = globals.clone();
        let parameters =
            plan.parameters.iter().map(|parameter| self.enter_parameter(&mut scope, parameter)).collect();
        let mut declarations = self.local_declarations(&mut scope, &plan);
        let gotos = if self.profile.gotos && !plan.deterministic { 1 + self.random.below(2) } else { 0 };
        self.labels = (0..gotos).map(|number| format!("L{number}")).collect();
        self.pending_labels = self.labels.clone();
        let mut body = if plan.deterministic {
            let context =
                Context { deterministic: true, goto_allowed: false, run_allowed: false, ..Context::body() };
            self.sequence(&mut scope, context, 4)
        } else {
            let starter = position == 0 && !self.with_init && !self.runnable.is_empty();
            let (looping, straight) = match plan.active {
                _ if starter => (1000, 0),
                Some(_) => (70, 15),
                None => (35, 55),
            };
            match self.random.weighted(&[
                (looping, 0),
                (straight, 1),
                (if gotos > 0 && (plan.active.is_some() || self.population < 4) { 30 } else { 0 }, 2),
            ]) {
                0 => self.looping_body(&mut scope),
                1 => {
                    let length = 3 + self.random.below(5);
                    self.sequence(&mut scope, Context::body(), length)
                }
                _ => self.machine_body(&mut scope),
            }
        };
        for label in std::mem::take(&mut self.pending_labels) {
            let target = self.assignment(&scope).unwrap_or(Statement::Skip);
            body.push(Statement::Labelled(label, Box::new(target)).into());
        }
        if plan.observed {
            let value = Expression::binary("+", Expression::variable(OBSERVED_VARIABLE), number(1));
            let next = Expression::binary("%", value, number(3));
            let step = Statement::Assign(Reference::name(OBSERVED_VARIABLE), next);
            body.insert(0, Statement::Labelled(OBSERVED_LABEL.to_string(), Box::new(step)).into());
        }
        if plan.immortal {
            let stay = Statement::Guard(Expression::name("false"));
            let label = self.fresh(if self.profile.end_labels { "end" } else { "stay" });
            body.push(Statement::Labelled(label, Box::new(stay)).into());
        }
        declarations.extend(self.counters.drain(..).map(|name| Declaration {
            prefix: None,
            type_name: TypeName::Byte,
            name,
            length: None,
            initial: Initial::Nothing,
        }));
        let mut whole: Sequence =
            declarations.into_iter().map(|declaration| Statement::Declare(declaration).into()).collect();
        whole.append(&mut body);
        let provided = (self.profile.provided && self.random.chance(50)).then(|| {
            self.plain = true;
            let condition = self.condition(globals, 0);
            self.plain = false;
            condition
        });
        let prioritised = self.profile.priorities && plan.active.is_some() && self.random.chance(70);
        Process {
            kind: if plan.deterministic { ProcessKind::Deterministic } else { ProcessKind::Proctype },
            name: plan.name,
            active: plan.active,
            parameters,
            priority: prioritised.then(|| self.random.between(1, 4) as u32),
            provided,
            body: whole,
        }
    }

    fn enter_parameter(&mut self, scope: &mut Scope, parameter: &PlannedParameter) -> Declaration {
        let path = vec![(parameter.name.clone(), None)];
        match parameter.class {
            Some(class) => scope.channels.push(ChannelPlace { path, class, variable: false, lasting: false }),
            None => scope.places.push(Place {
                path,
                type_name: parameter.type_name.clone(),
                modulus: 2,
                writable: true,
                readable: true,
                indexable: parameter.type_name.is_unsigned(),
                global: false,
            }),
        }
        Declaration {
            prefix: None,
            type_name: parameter.type_name.clone(),
            name: parameter.name.clone(),
            length: None,
            initial: Initial::Nothing,
        }
    }

    fn local_declarations(&mut self, scope: &mut Scope, plan: &ProcessPlan) -> Vec<Declaration> {
        let mut declarations = Vec::new();
        if plan.observed {
            declarations.push(Declaration {
                prefix: None,
                type_name: TypeName::Byte,
                name: OBSERVED_VARIABLE.to_string(),
                length: None,
                initial: Initial::Nothing,
            });
        }
        for position in 0..self.random.below(3) {
            declarations.extend(self.declare(scope, &format!("x{position}"), false));
        }
        if self.profile.local_channels && self.random.chance(60) {
            let class = self.random.below(self.classes.len());
            let declaration = self.channel_declaration("own", class, None);
            declarations.push(declaration);
            let path = vec![("own".to_string(), None)];
            scope.channels.push(ChannelPlace { path, class, variable: false, lasting: plan.immortal });
        }
        if self.profile.channel_values && self.random.chance(60) {
            declarations.extend(self.declare_channel_variable(scope, "held"));
        }
        declarations
    }

    /// A few statements, a loop, a few more.
    fn looping_body(&mut self, scope: &mut Scope) -> Sequence {
        let mut body = Vec::new();
        if self.random.chance(40) {
            self.extend_sequence(scope, Context::body(), 1, &mut body);
        }
        let mut main = self.repetition(scope, Context::body(), true);
        if let Statement::Do(options) = &mut main {
            while self.budget > 4 && options.len() < 5 {
                let Statement::Do(more) = self.repetition(scope, Context::body(), false) else { break };
                options.extend(more);
            }
            for _ in 0..2 {
                if let Some(operation) = self.missing_communication(scope) {
                    options.insert(0, vec![operation.into()]);
                }
            }
            if !self.runnable.is_empty() && self.random.chance(if self.with_init { 40 } else { 100 }) {
                options.extend(self.starting_option(scope));
            }
            options.sort_by_key(|option| matches!(option[0].statement, Statement::Else));
        }
        if self.profile.end_labels && self.random.chance(80) {
            let label = self.fresh("end");
            main = Statement::Labelled(label, Box::new(main));
        }
        body.push(main.into());
        if self.random.chance(40) {
            let count = 1 + self.random.below(2);
            self.extend_sequence(scope, Context::body(), count, &mut body);
        }
        body
    }

    /// An option that starts a process while there are few.
    fn starting_option(&mut self, scope: &Scope) -> Option<Sequence> {
        let runnable = self.runnable.clone();
        let plan = self.plans[*self.random.pick(&runnable)].clone();
        let run = self.run(scope, &plan)?;
        let guard = Expression::binary("<", Expression::name("_nr_pr"), number(self.process_limit));
        Some(vec![Statement::Guard(guard).into(), run.into()])
    }

    /// Labelled choices whose options jump to each other.
    fn machine_body(&mut self, scope: &mut Scope) -> Sequence {
        let states = if self.population > 3 { 2 } else { 2 + self.random.below(2) };
        let names: Vec<String> = (0..states).map(|number| format!("S{number}")).collect();
        let mut body = Vec::new();
        for name in &names {
            self.budget = self.budget.max(3);
            let context = Context { depth: 1, repeated: true, ..Context::body() };
            let mut choice = self.choice(scope, context, true);
            if let Statement::If(options) = &mut choice {
                for option in options.iter_mut() {
                    let ends =
                        matches!(option[option.len() - 1].statement, Statement::Goto(_) | Statement::Break);
                    if !ends && self.random.chance(75) {
                        if option.len() == 1
                            && let Some(assignment) = self.assignment(scope)
                        {
                            option.push(assignment.into());
                        }
                        let target = self.random.pick(&names).clone();
                        option.push(Statement::Goto(target).into());
                    }
                }
            }
            body.push(Statement::Labelled(name.clone(), Box::new(choice)).into());
        }
        body
    }

    /// Starts the processes that do not start by themselves.
    pub(crate) fn build_init(&mut self, globals: &Scope) -> Process {
        self.current_process = None;
        self.labels.clear();
        self.counters.clear();
        self.runnable.clear();
        self.budget = 4;
        self.domain = 2;
        let mut scope = globals.clone();
        let mut body: Sequence = Vec::new();
        if self.random.chance(40) {
            body.extend(
                self.declare(&mut scope, "x0", false)
                    .map(|declaration| Statement::Declare(declaration).into()),
            );
        }
        let plans: Vec<ProcessPlan> =
            self.plans.iter().filter(|plan| plan.active.is_none()).cloned().collect();
        let mut runs: Sequence = Vec::new();
        for plan in &plans {
            let times = if plans.len() == 1 && self.random.chance(30) { 2 } else { 1 };
            for _ in 0..times {
                runs.extend(self.run(&scope, plan).map(Step::from));
            }
        }
        if self.profile.atomic && !runs.is_empty() && self.random.chance(60) {
            body.push(Statement::Atomic(runs).into());
        } else {
            body.append(&mut runs);
        }
        let context = Context { goto_allowed: false, ..Context::body() };
        if body.is_empty() || self.random.chance(60) {
            let count = 1 + self.random.below(2);
            self.extend_sequence(&mut scope, context, count, &mut body);
        }
        let counters: Vec<Step> = self
            .counters
            .drain(..)
            .map(|name| {
                let initial = Initial::Nothing;
                Statement::Declare(Declaration {
                    prefix: None,
                    type_name: TypeName::Byte,
                    name,
                    length: None,
                    initial,
                })
                .into()
            })
            .collect();
        body.splice(0..0, counters);
        Process {
            kind: ProcessKind::Init,
            name: "init".to_string(),
            active: None,
            parameters: Vec::new(),
            priority: None,
            provided: None,
            body,
        }
    }
}
