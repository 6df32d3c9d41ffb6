//! The generator: from a seed to a model.
//!
//! First the profile is drawn (which features this model uses), then everything with a name is planned:
//! symbolic constants, records, classes of channels, globals, process types. Bodies come last, since they
//! refer to all of it. The layout, which separator stands after which statement, is drawn in a final pass.

mod channels;
mod control;
mod declarations;
mod expressions;
mod layout;
mod processes;
mod scope;
mod statements;

use crate::model::*;
use crate::options::{Features, GeneratorOptions, draw_profile};
use crate::random::Random;
use scope::*;

/// The state of one generation.
pub(crate) struct Generator<'a> {
    random: Random,
    options: &'a GeneratorOptions,
    profile: Features,
    mtypes: Vec<MtypeDeclaration>,
    records: Vec<RecordType>,
    /// Records that a message can carry.
    flat_records: Vec<String>,
    macros: Vec<Macro>,
    constants: Vec<String>,
    function_macros: Vec<String>,
    condition_macros: Vec<String>,
    classes: Vec<ChannelClass>,
    /// Sends and receives so far, per class.
    traffic: Vec<(u32, u32)>,
    plans: Vec<ProcessPlan>,
    inline_plans: Vec<InlinePlan>,
    with_init: bool,
    init_first: bool,
    /// `run` waits while there are that many processes.
    process_limit: i64,
    /// How many processes run side by side, about.
    population: usize,
    // Of the process at hand:
    current_process: Option<usize>,
    runnable: Vec<usize>,
    labels: Vec<String>,
    pending_labels: Vec<String>,
    counters: Vec<String>,
    budget: i64,
    /// The product of the ranges that variables may still have.
    domain: i64,
    /// No references to channels and other processes in expressions.
    plain: bool,
    /// Within a value.
    operand: bool,
    /// Within `d_step`, where no other process can be looked into.
    sealed: bool,
    names: usize,
}

/// The model of a seed: the same seed and the same options give the same model.
pub fn generate(seed: u64, options: &GeneratorOptions) -> PromelaModel {
    let mut random = Random::new(seed);
    let profile = draw_profile(options, &mut random);
    let mut generator = Generator {
        random,
        options,
        profile,
        mtypes: Vec::new(),
        records: Vec::new(),
        flat_records: Vec::new(),
        macros: Vec::new(),
        constants: Vec::new(),
        function_macros: Vec::new(),
        condition_macros: Vec::new(),
        classes: Vec::new(),
        traffic: Vec::new(),
        plans: Vec::new(),
        inline_plans: Vec::new(),
        with_init: false,
        init_first: false,
        process_limit: 0,
        population: 1,
        current_process: None,
        runnable: Vec::new(),
        labels: Vec::new(),
        pending_labels: Vec::new(),
        counters: Vec::new(),
        budget: 0,
        domain: 0,
        plain: false,
        operand: false,
        sealed: false,
        names: 0,
    };
    generator.model(seed)
}

impl Generator<'_> {
    fn model(&mut self, seed: u64) -> PromelaModel {
        if self.profile.mtypes {
            self.plan_mtypes();
        }
        if self.profile.records {
            self.plan_records();
        }
        self.plan_processes();
        if self.profile.channels {
            self.plan_channel_classes();
        }
        self.plan_parameters();
        let mut scope = Scope::default();
        let globals = self.build_globals(&mut scope);
        if self.profile.macros {
            self.plan_macros(&scope);
        }
        let inlines = if self.profile.inlines { self.build_inlines(&scope) } else { Vec::new() };
        let mut processes: Vec<Process> =
            (0..self.plans.len()).map(|at| self.build_process(at, &scope)).collect();
        if self.with_init {
            let init = self.build_init(&scope);
            let position = if self.init_first { 0 } else { processes.len() };
            processes.insert(position, init);
        }
        if self.profile.priorities {
            // Spin forgets the priority when it computes which bytes of a process are padding, and then
            // overlooks bits (or the priority itself) at its end: a byte behind them keeps them in sight.
            for process in &mut processes {
                let guard = Declaration {
                    prefix: None,
                    type_name: TypeName::Byte,
                    name: "behind".to_string(),
                    length: None,
                    initial: Initial::Nothing,
                };
                process.body.insert(0, Statement::Declare(guard).into());
            }
        }
        let mut model = PromelaModel {
            seed,
            macros: std::mem::take(&mut self.macros),
            mtypes: std::mem::take(&mut self.mtypes),
            records: std::mem::take(&mut self.records),
            globals,
            inlines,
            processes,
        };
        self.lay_out(&mut model);
        model
    }

    fn build_globals(&mut self, scope: &mut Scope) -> Vec<Declaration> {
        let mut globals = Vec::new();
        self.domain = match self.population {
            0 | 1 => self.random.between(60, 300),
            2 => self.random.between(16, 100),
            3 => self.random.between(8, 40),
            _ => self.random.between(4, 16),
        };
        // One number that every process can count on.
        let modulus = self.random.between(2, 4);
        scope.places.push(Place {
            path: vec![("g0".to_string(), None)],
            type_name: TypeName::Byte,
            modulus,
            writable: true,
            readable: true,
            indexable: true,
            global: true,
        });
        self.domain /= modulus;
        globals.push(Declaration {
            prefix: None,
            type_name: TypeName::Byte,
            name: "g0".to_string(),
            length: None,
            initial: if self.random.chance(40) { Initial::Value(number(1)) } else { Initial::Nothing },
        });
        globals.extend(self.declare_showpieces(scope));
        for position in 1..=self.random.below(self.options.max_globals.max(1)) {
            globals.extend(self.declare(scope, &format!("g{position}"), true));
        }
        if self.profile.hidden {
            globals.push(self.declare_hidden(scope, "scratch"));
        }
        if self.profile.channels {
            let most = if self.population > 3 { 1 } else { self.options.max_channels.max(1) };
            let count = (1 + self.random.below(most)).max(self.classes.len());
            for position in 0..count {
                let class = position % self.classes.len();
                let array = self.profile.channel_arrays && self.population < 4 && self.random.chance(40);
                let name = format!("c{position}");
                let length = array.then_some(2);
                globals.push(self.channel_declaration(&name, class, length));
                scope.channels.push(ChannelPlace {
                    path: vec![(name, length)],
                    class,
                    variable: false,
                    lasting: true,
                });
            }
            if self.profile.channel_values && self.random.chance(25) {
                globals.extend(self.declare_channel_variable(scope, "route"));
            }
        }
        globals
    }
}
