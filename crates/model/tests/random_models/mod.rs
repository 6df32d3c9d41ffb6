//! Random models: everything that the intermediate form can say, from a seed.
//!
//! A tame model is well-formed: first the shapes of all sections and types are drawn, then everything that
//! refers to them. A wild one has some numbers that are out of any range; it can be printed and read back all
//! the same.

use lariat_model::ir::*;

/// The generator of Steele, Lea and Flood.
pub struct SplitMix64(u64);

impl SplitMix64 {
    pub fn new(seed: u64) -> SplitMix64 {
        SplitMix64(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Less than `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }
}

/// Each test uses some of them.
#[allow(dead_code)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Temper {
    Tame,
    /// Tame, and no process asks whether another is enabled.
    Incurious,
    Wild,
}

pub fn model(temper: Temper, seed: u64) -> Model {
    Builder { random: SplitMix64::new(seed), temper, model: Model::default() }.model()
}

struct Builder {
    random: SplitMix64,
    temper: Temper,
    /// What has been drawn so far.
    model: Model,
}

/// Where an expression stands.
#[derive(Clone, Copy)]
struct Context {
    /// Index of the process type, or the size of the variables of a claim.
    locals_size: Option<u32>,
    statements: u32,
    run_result: bool,
    depth: u32,
}

impl Context {
    fn deeper(self) -> Context {
        Context { depth: self.depth.saturating_sub(1), ..self }
    }
}

impl Builder {
    fn is_wild(&self) -> bool {
        self.temper == Temper::Wild
    }

    fn below(&mut self, bound: u32) -> u32 {
        if self.is_wild() && self.random.one_in(10) {
            return self.random.pick(&[u32::MAX, 0, 70_000, 255, 1 << 20]);
        }
        self.random.below(bound.max(1) as usize) as u32
    }

    fn index(&mut self, length: usize) -> u16 {
        self.below(length as u32) as u16
    }

    fn coin(&mut self) -> bool {
        self.random.one_in(2)
    }

    fn string(&mut self) -> String {
        let pieces = [
            "x", "flag", "\"", "\\", "\n", "\t", "\r", "\0", " ", ";", "é", "→", "\u{202e}", "{", "}", "#",
            "\\u{41}", "%d", "'", "\u{7f}", "𝄞",
        ];
        (0..self.random.below(4)).map(|_| self.random.pick(&pieces)).collect()
    }

    fn name(&mut self, plain: &str) -> String {
        if self.coin() { plain.to_string() } else { self.string() }
    }

    fn line(&mut self) -> SourceLine {
        if self.model.files.is_empty() || self.random.one_in(4) {
            return SourceLine::default();
        }
        SourceLine { file: self.index(self.model.files.len()), line: self.below(100) }
    }

    fn storage(&mut self) -> Storage {
        if self.is_wild() && self.random.one_in(10) {
            return Storage::Unsigned(self.random.next() as u8);
        }
        match self.random.below(4) {
            0 => Storage::Signed16,
            1 => Storage::Signed32,
            2 => Storage::BYTE,
            _ => Storage::Unsigned(1 + self.random.below(32) as u8),
        }
    }

    fn shown(&mut self) -> ShownAs {
        use ShownAs::*;
        if !self.model.symbol_lists.is_empty() && self.random.one_in(4) {
            return Symbol(self.index(self.model.symbol_lists.len()));
        }
        self.random.pick(&[Bit, Bool, Byte, Pid, Short, Int, Unsigned, Channel])
    }

    /// Variables one after the other, and the byte behind the last.
    fn variables(&mut self, at_least: usize, start: u32, hidden: bool) -> (Vec<Variable>, u32) {
        let mut offset = start;
        let mut variables = Vec::new();
        for _ in 0..at_least + self.random.below(4) {
            let records = self.model.record_types.len();
            let (ty, size) = if records > 0 && self.random.one_in(4) {
                let record = self.random.below(records);
                (Type::Record(RecordTypeId(record as u16)), self.model.record_types[record].size)
            } else {
                let (shown, storage) = (self.shown(), self.storage());
                (Type::Scalar { shown, storage }, storage.size())
            };
            let length = if self.random.one_in(3) { Some(1 + self.random.below(4) as u32) } else { None };
            let element_size = size + if self.random.one_in(8) { 1 } else { 0 };
            let (name, line) = (self.name("x"), self.line());
            variables.push(Variable { name, ty, length, offset, element_size, hidden, line });
            offset += element_size * length.unwrap_or(1);
        }
        (variables, offset)
    }

    fn model(mut self) -> Model {
        self.model.name = self.name("model.pml");
        self.model.language = self.random.pick(&[Language::Promela, Language::Dve]);
        self.model.files = (0..self.random.below(3)).map(|_| self.name("model.pml")).collect();
        for _ in 0..self.random.below(3) {
            let symbols = (0..self.random.below(4)).map(|_| self.name("red")).collect();
            let list = SymbolList { name: self.name(""), symbols };
            self.model.symbol_lists.push(list);
        }
        for _ in 0..self.random.below(3) {
            let (fields, size) = self.variables(1, 0, false);
            let record = RecordType { name: self.name("R"), fields, size };
            self.model.record_types.push(record);
        }
        let (mut globals, size) = self.variables(0, 0, false);
        self.model.globals_size = size;
        let (hidden, end) =
            if self.random.one_in(3) { self.variables(0, size, true) } else { (Vec::new(), size) };
        globals.extend(hidden);
        self.model.hidden_size = end - size;
        self.model.globals = globals;
        for _ in 0..self.random.below(3) {
            let fields =
                (0..self.random.below(4)).map(|_| Field { shown: self.shown(), storage: self.storage() });
            let fields = fields.collect();
            let channel = ChannelType { name: self.name("q"), capacity: self.random.below(4) as u32, fields };
            self.model.channel_types.push(channel);
        }
        self.model.features = Features { timeout: self.coin(), priorities: self.coin(), last: self.coin() };
        for _ in 0..self.random.below(4) {
            let shape = self.shape();
            self.model.process_types.push(shape);
        }
        let globals_only = Context { locals_size: None, statements: 0, run_result: false, depth: 1 };
        for i in 0..self.model.channel_types.len().min(self.model.globals_size as usize) {
            let offset = self.below(self.model.globals_size);
            let place = Place { base: Base::Global, offset, storage: Storage::BYTE, indices: Vec::new() };
            let value = InitialValue::NewChannel(ChannelTypeId(i as u16));
            self.model.initialise.push(Initialisation { place, value });
        }
        let more = self.initialisations(globals_only);
        self.model.initialise.extend(more);
        for i in 0..self.model.process_types.len() {
            let filled = self.fill(self.model.process_types[i].clone());
            self.model.process_types[i] = filled;
        }
        for _ in 0..self.random.below(3) {
            let automaton = self.shape();
            let automaton = self.fill(automaton);
            let kind = self.random.pick(&[ClaimKind::Never, ClaimKind::Trace, ClaimKind::NoTrace]);
            self.model.claims.push(Claim { kind, automaton });
        }
        for _ in 0..self.random.below(6) {
            if !self.model.process_types.is_empty() {
                let process = ProcessTypeId(self.index(self.model.process_types.len()));
                self.model.start.push(Start { process, priority: 1 + self.random.below(3) as u8 });
            }
            let formula = Formula { name: self.name("p"), text: self.name("[] q"), line: self.line() };
            self.model.formulas.push(formula);
        }
        self.model
    }

    /// A process type without anything that refers to others.
    fn shape(&mut self) -> ProcessType {
        let (variables, variables_size) = self.variables(0, 0, false);
        let locations = 2 + self.random.below(4);
        let mut statements = vec![Statement::default()];
        for _ in 0..self.random.below(4) {
            statements.push(Statement { line: self.line(), text: self.name("x = 1"), reported: self.coin() });
        }
        ProcessType {
            name: self.name("P"),
            line: self.line(),
            deterministic: self.random.one_in(4),
            provided: None,
            exclusive: Vec::new(),
            parameters: self.random.below(variables.len() + 1) as u32,
            variables,
            variables_size,
            initialise: Vec::new(),
            start: self.below(locations as u32 - 1).wrapping_add(1),
            locations: vec![LocationInfo::default(); locations],
            statements,
            labels: Vec::new(),
        }
    }

    fn fill(&mut self, mut process: ProcessType) -> ProcessType {
        let context = Context {
            locals_size: Some(process.variables_size),
            statements: process.statements.len() as u32,
            run_result: false,
            depth: 3,
        };
        if self.random.one_in(4) {
            process.provided = Some(self.expr(context));
            let channel = self.expr(context);
            process.exclusive.push(Exclusive { usage: ChannelUse::Receive, channel: channel.clone() });
            process.exclusive.push(Exclusive { usage: ChannelUse::Send, channel });
        }
        process.initialise = self.initialisations(context);
        let locations = process.locations.len() as u32;
        for _ in 0..self.random.below(3) {
            process.labels.push(Label {
                name: self.name("again"),
                location: self.below(locations - 1).wrapping_add(1),
            });
        }
        for location in &mut process.locations[1..] {
            location.end = self.random.one_in(3);
            location.progress = self.random.one_in(3);
            location.accept = self.random.one_in(3);
            location.committed = self.random.one_in(5);
            if self.random.one_in(5) {
                let statement = self.below(context.statements);
                location.assertions.push(StateAssertion { value: self.expr(context), statement });
            }
            location.line = self.line();
            for _ in 0..self.random.below(4) {
                let action = self.action(context, true);
                location.transitions.push(Transition {
                    target: self.below(locations),
                    keeps_control: self.random.one_in(3) && (self.is_wild() || action != Action::End),
                    action,
                    escape: if self.random.one_in(4) { self.below(4) } else { 0 },
                    statement: self.below(context.statements),
                });
            }
        }
        process
    }

    fn initialisations(&mut self, context: Context) -> Vec<Initialisation> {
        let mut list = Vec::new();
        for _ in 0..self.random.below(4) {
            let channels = self.model.channel_types.len();
            let place = self.place(context);
            let value = if channels > 0 && self.coin() {
                InitialValue::NewChannel(ChannelTypeId(self.index(channels)))
            } else {
                InitialValue::Expr(self.expr(context))
            };
            list.push(Initialisation { place, value });
        }
        list
    }

    fn exprs(&mut self, context: Context) -> Vec<Expr> {
        (0..self.random.below(3)).map(|_| self.expr(context)).collect()
    }

    fn action(&mut self, context: Context, may_end: bool) -> Action {
        let context = context.deeper();
        match self.random.below(19) {
            0 => Action::Skip,
            17 => {
                let count = self.random.below(3);
                Action::AssignAll((0..count).map(|_| (self.place(context), self.expr(context))).collect())
            }
            18 if !self.model.process_types.is_empty() => {
                let process = self.index(self.model.process_types.len());
                let locations =
                    self.model.process_types.get(process as usize).map_or(2, |p| p.locations.len());
                let location = self.below(locations as u32 - 1).wrapping_add(1);
                let pid = self.random.below(3) as u16;
                Action::MoveProcess { process: ProcessTypeId(process), pid, location }
            }
            1 if may_end => self.random.pick(&[Action::Else, Action::End]),
            2 => Action::Assign(self.place(context), self.expr(context)),
            3 | 13 | 14 => {
                let (channel, fields) = self.channel(context);
                let arguments = (0..fields).map(|_| self.expr(context)).collect();
                Action::Send { channel, sorted: self.coin(), arguments }
            }
            4 | 15 | 16 => Action::Receive(self.receive(context)),
            5 if !self.model.process_types.is_empty() => {
                let inside = Context { run_result: true, ..context };
                Action::Run {
                    process: ProcessTypeId(self.index(self.model.process_types.len())),
                    arguments: self.exprs(context),
                    priority: self.random.below(256) as u8,
                    then: if self.coin() {
                        Some(Box::new((self.place(inside), self.expr(inside))))
                    } else {
                        None
                    },
                }
            }
            6 => Action::Assert(self.expr(context)),
            7 => Action::Print { format: self.format(), arguments: self.exprs(context) },
            8 => Action::SetPriority(self.expr(context), self.expr(context)),
            9 | 10 if context.depth > 0 => Action::Program(Box::new(self.program(context))),
            _ => Action::Guard(self.expr(context)),
        }
    }

    fn format(&mut self) -> Vec<FormatPiece> {
        let mut format = Vec::new();
        for _ in 0..self.random.below(4) {
            let lists = self.model.symbol_lists.len();
            format.push(match self.random.below(8) {
                0 => FormatPiece::Decimal,
                1 => FormatPiece::Character,
                2 => FormatPiece::Octal,
                3 => FormatPiece::Unsigned,
                4 => FormatPiece::Hexadecimal,
                5 if lists > 0 => FormatPiece::Symbol(Some(self.index(lists))),
                6 => FormatPiece::Symbol(None),
                _ => FormatPiece::Text(self.string()),
            });
        }
        format
    }

    fn program(&mut self, context: Context) -> Program {
        let nodes = 1 + self.random.below(4) as u32;
        Program {
            guards: (0..self.random.below(3)).map(|_| self.action(context, false)).collect(),
            nodes: (0..nodes).map(|_| self.node(nodes, context)).collect(),
        }
    }

    fn node(&mut self, nodes: u32, context: Context) -> Node {
        match self.random.below(3) {
            0 => {
                let action = self.action(context, false);
                Node::Do { action, next: self.next(nodes), statement: self.below(context.statements) }
            }
            1 => {
                let mut options = Vec::new();
                for _ in 0..self.random.below(4) {
                    let guard = match self.random.below(4) {
                        0 => None,
                        1 => Some(Action::Else),
                        _ => Some(self.action(context, false)),
                    };
                    options.push(ProgramOption { guard, next: self.next(nodes) });
                }
                Node::Choose { options, statement: self.below(context.statements) }
            }
            _ => Node::Jump(self.next(nodes)),
        }
    }

    fn next(&mut self, nodes: u32) -> Next {
        if self.random.one_in(3) { Next::Exit } else { Next::Node(self.below(nodes)) }
    }

    /// An expression for a channel, mostly one that exists from the start, and how many fields it may have.
    fn channel(&mut self, context: Context) -> (Expr, usize) {
        let mut types = Vec::new();
        for initialisation in &self.model.initialise {
            if let InitialValue::NewChannel(ty) = &initialisation.value
                && initialisation.place.base != Base::Nowhere
            {
                types.push(ty.0 as usize);
            }
        }
        if types.is_empty() || self.random.one_in(6) {
            return (self.expr(context), self.random.below(4));
        }
        let number = self.random.below(types.len());
        let fields = self.model.channel_types.get(types[number]).map_or(0, |ty| ty.fields.len());
        (Expr::Constant(number as i32 + 1), fields)
    }

    fn receive(&mut self, context: Context) -> Receive {
        let (channel, fields) = self.channel(context);
        let mut arguments = Vec::new();
        for _ in 0..fields {
            arguments.push(match self.random.below(3) {
                0 => ReceiveArgument::Store(self.place(context)),
                1 => ReceiveArgument::Match(self.expr(context)),
                _ => ReceiveArgument::Drop,
            });
        }
        Receive { channel, random: self.coin(), copy: self.random.one_in(4), arguments }
    }

    fn place(&mut self, context: Context) -> Place {
        let mut storage = self.storage();
        let globals = self.model.globals_size + self.model.hidden_size;
        let (base, size) = match self.random.below(5) {
            0 => (Base::Global, globals),
            1 if context.locals_size.is_some() => (Base::Local, context.locals_size.unwrap_or(0)),
            2 if !self.model.process_types.is_empty() => {
                let process = self.random.below(self.model.process_types.len());
                let pid = if self.coin() { Some(Box::new(self.expr(context.deeper()))) } else { None };
                let size = self.model.process_types[process].variables_size;
                (Base::Remote { process: ProcessTypeId(process as u16), pid }, size)
            }
            3 if context.locals_size.is_some() => {
                storage = Storage::BYTE;
                (Base::Priority, 1)
            }
            _ => (Base::Nowhere, u32::MAX),
        };
        // Indices and the offset share what the section has left behind the scalar itself.
        let (base, mut left) = match size.checked_sub(storage.size()) {
            Some(left) => (base, left.min(40)),
            None => (Base::Nowhere, 40),
        };
        let mut indices = Vec::new();
        while context.depth > 0 && self.random.one_in(3) {
            let stride = 1 + self.random.below(4) as u32;
            let length = 1 + self.random.below((left / stride + 1) as usize) as u32;
            left -= (length - 1) * stride;
            indices.push(Index { value: self.expr(context.deeper()), length, stride });
        }
        Place { base, offset: self.below(left + 1), storage, indices }
    }

    fn boxed(&mut self, context: Context) -> Box<Expr> {
        Box::new(self.expr(context.deeper()))
    }

    fn expr(&mut self, context: Context) -> Expr {
        if context.depth == 0 || self.random.one_in(3) {
            return self.leaf(context);
        }
        let inner = context.deeper();
        match self.random.below(12) {
            0 => Expr::Load(Box::new(self.place(context))),
            1 => {
                use UnaryOperator::*;
                Expr::Unary(self.random.pick(&[Not, Complement, Negate]), self.boxed(context))
            }
            2 => Expr::Conditional(Box::new((self.expr(inner), self.expr(inner), self.expr(inner)))),
            3 => Expr::Len(Box::new(self.channel(inner).0)),
            4 => {
                use ChannelTest::*;
                let test = self.random.pick(&[Full, NotFull, Empty, NotEmpty]);
                Expr::Test(test, Box::new(self.channel(inner).0))
            }
            5 => Expr::Poll(Box::new(self.receive(inner))),
            6 => self.about_process(context),
            7 if !self.model.process_types.is_empty() => {
                let process = self.random.below(self.model.process_types.len());
                let location = self.below(self.model.process_types[process].locations.len() as u32);
                let pid = if self.coin() { Some(self.boxed(context)) } else { None };
                Expr::RemoteLabel { process: ProcessTypeId(process as u16), pid, location }
            }
            _ => {
                let operator = self.operator();
                let mut expr = Expr::Binary(operator, Box::new((self.expr(inner), self.expr(inner))));
                while self.random.one_in(3) {
                    let operator = if self.coin() { operator } else { self.operator() };
                    expr = Expr::Binary(operator, Box::new((expr, self.expr(inner))));
                }
                expr
            }
        }
    }

    fn about_process(&mut self, context: Context) -> Expr {
        let pid = self.boxed(context);
        match self.random.below(3) {
            0 if self.temper != Temper::Incurious => Expr::Enabled(pid),
            1 => Expr::GetPriority(pid),
            _ => Expr::LocationOf(pid),
        }
    }

    fn operator(&mut self) -> BinaryOperator {
        use BinaryOperator::*;
        self.random.pick(&[
            Add,
            Subtract,
            Multiply,
            Divide,
            Remainder,
            BitAnd,
            BitOr,
            BitXor,
            ShiftLeft,
            ShiftRight,
            Less,
            LessEqual,
            Greater,
            GreaterEqual,
            Equal,
            NotEqual,
            And,
            Or,
        ])
    }

    fn leaf(&mut self, context: Context) -> Expr {
        let storage = self.storage();
        let globals = self.model.globals_size + self.model.hidden_size;
        match self.random.below(9) {
            0 if globals >= storage.size() => {
                Expr::Global { offset: self.below(globals - storage.size() + 1), storage }
            }
            1 | 2 if context.locals_size.is_some_and(|size| size >= storage.size()) => {
                let left = context.locals_size.unwrap_or(0) - storage.size();
                Expr::Local { offset: self.below(left + 1), storage }
            }
            3 if context.run_result => Expr::RunResult,
            4 if context.locals_size.is_some() => Expr::Priority,
            5 => self.random.pick(&[Expr::Pid, Expr::ProcessCount, Expr::NonProgress, Expr::Acceptance]),
            6 if self.model.features.timeout => Expr::Timeout,
            7 if self.model.features.last => Expr::Last,
            8 => Expr::Constant(self.random.pick(&[i32::MIN, -1, i32::MAX, 255, 65_536])),
            _ => Expr::Constant(self.random.below(4) as i32),
        }
    }
}
