//! From the intermediate form to machine code: one function per location of each process type, one per
//! proposition.
//!
//! The code of a location tries its transitions in their order, as the interpreter does, with all that is
//! known before the run put into the code: offsets, types, targets, constants. It takes the state it reads
//! from the [`Machine`], and writes successors there. `transitions` is the frame of it, `expressions` values
//! and places, `channels` messages, `programs` the inside of a `d_step`.
//!
//! To compile a location takes as long as to interpret it some hundred times, and where steps are remembered
//! most locations are not executed so often. So there are two ways ([`When`]): all code at once, or that of a
//! location when it has been executed so often that it will be worth while. Until then a function stands in
//! its place that interprets it ([`machine::interpret_alone`] and its sisters). Workers share the code. The
//! one in whose hands a location becomes hot compiles it, and publishes the address by one atomic store; the
//! others interpret meanwhile.

mod channels;
mod expressions;
mod programs;
mod transitions;

use crate::facts::Facts;
use crate::machine::{self, LocationCode, PropositionCode};
use cranelift_codegen::ir::{AbiParam, FuncRef, Function, Signature, UserFuncName, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_codegen::{Context, isa};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, ModuleError};
use lariat_engine::footprint::may_receive;
use lariat_engine::{Interpreter, Layout};
use lariat_model::ir::Model;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use transitions::Translator;

/// Why a model could not be compiled.
#[derive(Debug)]
pub struct NotCompiled(pub String);

impl From<ModuleError> for NotCompiled {
    fn from(error: ModuleError) -> NotCompiled {
        NotCompiled(error.to_string())
    }
}

/// When a location is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Before the model runs.
    Beforehand,
    /// When it has been executed so often.
    Hot(u32),
}

/// The code of all locations for one [`Mode`], by [`Facts::location_index`].
pub(crate) struct CodeTable {
    /// The addresses of [`LocationCode`]; null where there is nothing to do.
    code: Box<[AtomicPtr<()>]>,
    /// How often a location was interpreted.
    uses: Box<[AtomicU32]>,
}

impl CodeTable {
    fn new(code: Vec<*mut ()>) -> CodeTable {
        CodeTable {
            uses: code.iter().map(|_| AtomicU32::new(0)).collect(),
            code: code.into_iter().map(AtomicPtr::new).collect(),
        }
    }

    #[inline]
    pub fn get(&self, location: usize) -> Option<LocationCode> {
        let address = self.code[location].load(Ordering::Acquire);
        // SAFETY: whatever is stored there is the address of such a function, or null, which stands for none.
        unsafe { std::mem::transmute::<*mut (), Option<LocationCode>>(address) }
    }
}

/// The code of a model, and the memory that it lies in.
pub struct Code {
    workshop: Mutex<Option<Workshop>>,
    pub locations: CodeTable,
    pub held: CodeTable,
    pub receive: CodeTable,
    pub propositions: Vec<PropositionCode>,
    /// What was translated, in readable form, if it was asked for.
    pub listing: Option<String>,
    hot: u32,
    /// How long the compiler has taken for what was hot, in nanoseconds.
    nanoseconds: AtomicU64,
}

// SAFETY: what code is finished does not change any more. It writes nothing but what the machine points to
// that it is given. Whoever adds code has the workshop alone, and so has the one that drops it.
unsafe impl Send for Code {}
// SAFETY: for the same reason.
unsafe impl Sync for Code {}

impl Drop for Code {
    fn drop(&mut self) {
        let workshop = self.workshop.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(workshop) = workshop.take() {
            // SAFETY: nobody has the code's addresses but this value.
            unsafe { workshop.module.free_memory() };
        }
    }
}

impl Code {
    /// How long the compiler has taken since the model runs.
    pub fn compile_time(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }

    fn table(&self, mode: Mode) -> &CodeTable {
        match mode {
            Mode::Alone => &self.locations,
            Mode::Held => &self.held,
            Mode::Receiving => &self.receive,
        }
    }

    /// Counts that a location is interpreted once more. Its code, if it has just become worth while.
    pub(crate) fn count(
        &self,
        ty: usize,
        location: u32,
        mode: Mode,
        context: &machine::Context,
    ) -> Option<LocationCode> {
        let table = self.table(mode);
        let index = context.facts.location_index(ty, location);
        if table.uses[index].fetch_add(1, Ordering::Relaxed) != self.hot {
            return None;
        }
        self.compile_hot(ty, location, mode, context);
        table.get(index)
    }

    /// If it fails, the location is interpreted to the end.
    #[cold]
    fn compile_hot(&self, ty: usize, location: u32, mode: Mode, context: &machine::Context) {
        let start = Instant::now();
        let mut workshop = self.workshop.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let Some(workshop) = workshop.as_mut() else { return };
        let (interpreter, facts) = (&context.interpreter, &*context.facts);
        let patience = interpreter.patience();
        let subject = Subject::of(interpreter, facts);
        let stop = || patience.is_over();
        let mut builder = Builder { subject: &subject, workshop, stop: &stop };
        let name = format!("{} at {location}", interpreter.model().process_types[ty].name);
        let index = facts.location_index(ty, location);
        let name = format!("{name}, {index} {mode:?}");
        if let Ok(id) = builder.location(&name, ty, location, mode)
            && workshop.module.finalize_definitions().is_ok()
        {
            let address = workshop.module.get_finalized_function(id).cast_mut().cast();
            self.table(mode).code[index].store(address, Ordering::Release);
        }
        let taken = start.elapsed().as_nanos() as u64;
        self.nanoseconds.fetch_add(taken, Ordering::Relaxed);
    }
}

/// The functions that code calls.
#[derive(Clone, Copy)]
pub(crate) struct Called {
    pub expression: FuncRef,
    pub remote_variables: FuncRef,
    pub first_of_type: FuncRef,
    pub location_of: FuncRef,
    pub some_process_at: FuncRef,
    pub may_move: FuncRef,
    pub breaks_promise: FuncRef,
    pub attempt: FuncRef,
    pub find_receivers: FuncRef,
    pub shake_hands: FuncRef,
    pub takes_part: FuncRef,
}

/// Name, parameters, whether it returns 32 or 64 bits.
type Shape = (&'static str, *const u8, &'static [types::Type], types::Type);

fn called_shapes() -> [Shape; 11] {
    use types::{I32, I64};
    [
        ("expression", machine::expression as *const u8, &[I64, I64, I64, I64, I32, I32], I64),
        ("remote_variables", machine::remote_variables as *const u8, &[I64, I32, I32], I64),
        ("first_of_type", machine::first_of_type as *const u8, &[I64, I32], I32),
        ("location_of", machine::location_of as *const u8, &[I64, I64, I32], I32),
        ("some_process_at", machine::some_process_at as *const u8, &[I64, I64, I32], I32),
        ("may_move", machine::may_move as *const u8, &[I64, I64, I64, I32], I32),
        ("breaks_promise", machine::breaks_promise as *const u8, &[I64, I64, I64, I32, I32], I32),
        ("attempt", machine::attempt as *const u8, &[I64, I64, I64, I32, I32, I32], I32),
        ("find_receivers", machine::find_receivers as *const u8, &[I64], I32),
        ("shake_hands", machine::shake_hands as *const u8, &[I64, I64, I64], I32),
        ("takes_part", machine::takes_part as *const u8, &[I64, I32], I32),
    ]
}

/// What every function is translated with.
pub(crate) struct Subject<'a> {
    pub model: &'a Model,
    pub layout: &'a Layout,
    pub facts: &'a Facts,
    /// An assertion watches what is sent and received: that is left to the interpreter.
    pub observed: bool,
}

impl<'a> Subject<'a> {
    pub fn of(interpreter: &'a Interpreter, facts: &'a Facts) -> Subject<'a> {
        Subject {
            model: interpreter.model(),
            layout: interpreter.layout(),
            facts,
            observed: interpreter.is_observed(),
        }
    }
}

/// Which of the functions of a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The process moves on its own.
    Alone,
    /// The process moves on its own, in the middle of an indivisible sequence.
    Held,
    /// Another process has sent it a message over a rendezvous channel.
    Receiving,
}

/// What functions are made with.
struct Workshop {
    module: JITModule,
    context: Context,
    functions: FunctionBuilderContext,
    called: Vec<FuncId>,
    listing: Option<String>,
}

struct Builder<'a> {
    subject: &'a Subject<'a>,
    workshop: &'a mut Workshop,
    /// Asked before each function: whether to give up.
    stop: &'a dyn Fn() -> bool,
}

/// More transitions of one location get functions of their own: compilers dislike long ones.
const MOST_TOGETHER: usize = 24;

/// A model with more transitions is compiled in a hurry: its code is not as good, but ready in half the time.
const LARGE: usize = 2_000;

/// Compiles a model, unless somebody says that it takes too long.
pub(crate) fn compile(
    subject: &Subject,
    when: When,
    listing: bool,
    stop: &dyn Fn() -> bool,
) -> Result<Code, NotCompiled> {
    let mut flags = settings::builder();
    let processes = subject.model.process_types.iter();
    let transitions: usize =
        processes.flat_map(|process| &process.locations).map(|location| location.transitions.len()).sum();
    let large = transitions > LARGE;
    for (name, value) in [
        ("use_colocated_libcalls", "false"),
        ("is_pic", "false"),
        ("opt_level", if large { "none" } else { "speed" }),
        ("regalloc_algorithm", if large { "single_pass" } else { "backtracking" }),
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
        ("enable_probestack", "false"),
    ] {
        flags.set(name, value).map_err(|error| NotCompiled(error.to_string()))?;
    }
    let native = cranelift_native::builder().map_err(|reason| NotCompiled(reason.to_string()))?;
    let isa: isa::OwnedTargetIsa =
        native.finish(settings::Flags::new(flags)).map_err(|error| NotCompiled(error.to_string()))?;
    let mut jit = JITBuilder::with_isa(isa, cranelift_module::default_libcall_names());
    for (name, address, _, _) in called_shapes() {
        jit.symbol(name, address);
    }
    let module = JITModule::new(jit);
    let context = module.make_context();
    let mut workshop = Workshop {
        module,
        context,
        functions: FunctionBuilderContext::new(),
        called: Vec::new(),
        listing: listing.then(String::new),
    };
    let mut builder = Builder { subject, workshop: &mut workshop, stop };
    builder.declare_called()?;
    let made = builder.model(when)?;
    let address = |id: FuncId| workshop.module.get_finalized_function(id);
    let table = |made: Vec<Made>, interpret: LocationCode| {
        CodeTable::new(
            made.iter()
                .map(|made| match made {
                    Made::Nothing => std::ptr::null_mut(),
                    Made::Function(id) => address(*id).cast_mut().cast(),
                    Made::Later => interpret as *mut (),
                })
                .collect(),
        )
    };
    let [alone, held, receiving] = made.locations;
    let locations = table(alone, machine::interpret_alone);
    let held = table(held, machine::interpret_held);
    let receive = table(receiving, machine::interpret_receiving);
    // SAFETY: the functions were declared with just this signature.
    let propositions = made
        .propositions
        .iter()
        .map(|id| unsafe { std::mem::transmute::<*const u8, PropositionCode>(address(*id)) })
        .collect();
    let listing = workshop.listing.take();
    let hot = if let When::Hot(uses) = when { uses } else { 0 };
    let workshop = Mutex::new(Some(workshop));
    let nanoseconds = AtomicU64::new(0);
    Ok(Code { workshop, locations, held, receive, propositions, listing, hot, nanoseconds })
}

/// What there is of a function.
#[derive(Clone, Copy)]
enum Made {
    /// There is nothing to do.
    Nothing,
    Function(FuncId),
    /// It is compiled when it is worth while.
    Later,
}

/// The functions of a model.
struct MadeModel {
    /// Alone, held, receiving.
    locations: [Vec<Made>; 3],
    propositions: Vec<FuncId>,
}

impl Builder<'_> {
    fn signature(&self, parameters: &[types::Type], returned: types::Type) -> Signature {
        let mut signature = self.workshop.module.make_signature();
        signature.params.extend(parameters.iter().map(|ty| AbiParam::new(*ty)));
        signature.returns.push(AbiParam::new(returned));
        signature
    }

    fn declare_called(&mut self) -> Result<(), NotCompiled> {
        for (name, _, parameters, returned) in called_shapes() {
            let signature = self.signature(parameters, returned);
            self.workshop.called.push(self.workshop.module.declare_function(
                name,
                Linkage::Import,
                &signature,
            )?);
        }
        Ok(())
    }

    fn model(&mut self, when: When) -> Result<MadeModel, NotCompiled> {
        let [mut alone, mut held, mut receiving] = [const { Vec::new() }; 3];
        let Subject { model, facts, .. } = *self.subject;
        for (ty, process) in model.process_types.iter().enumerate() {
            // Every `init` has the same name.
            let earlier = model.process_types[..ty].iter().filter(|other| other.name == process.name).count();
            let title = match earlier {
                0 => process.name.clone(),
                _ => format!("{} {}", process.name, earlier + 1),
            };
            for (location, info) in (0..).zip(&process.locations) {
                // What must hold there is judged by code.
                let now = when == When::Beforehand || !info.assertions.is_empty();
                let mut made = |does_something: bool, mode: Mode, what: &str| match does_something {
                    false => Ok(Made::Nothing),
                    true if !now => Ok(Made::Later),
                    true => {
                        let name = format!("{title} at {location}{what}");
                        self.location(&name, ty, location, mode).map(Made::Function)
                    }
                };
                alone.push(made(location != 0, Mode::Alone, "")?);
                let arrivals = facts.held_arrivals[facts.location_index(ty, location)];
                held.push(made(arrivals != 0, Mode::Held, ", held")?);
                let receives = info.transitions.iter().any(|transition| may_receive(&transition.action));
                receiving.push(made(receives, Mode::Receiving, ", receiving")?);
            }
        }
        let mut propositions = Vec::new();
        for (k, proposition) in model.propositions.iter().enumerate() {
            let signature = self.signature(&[types::I64], types::I64);
            let id = self.function(&format!("proposition {k}"), signature, &[], |translator, _| {
                translator.proposition(&proposition.value);
            })?;
            propositions.push(id);
        }
        self.workshop.module.finalize_definitions()?;
        Ok(MadeModel { locations: [alone, held, receiving], propositions })
    }

    fn location(&mut self, name: &str, ty: usize, location: u32, mode: Mode) -> Result<FuncId, NotCompiled> {
        let count = self.subject.model.process_types[ty].locations[location as usize].transitions.len();
        let mut parts = Vec::new();
        if count > MOST_TOGETHER {
            for first in (0..count).step_by(MOST_TOGETHER) {
                let range = first..count.min(first + MOST_TOGETHER);
                let signature = self.location_signature();
                let name = format!("{name}, from {first}");
                parts.push(self.function(&name, signature, &[], |translator, _| {
                    translator.part_of_location(ty, location, mode, range);
                })?);
            }
        }
        let signature = self.location_signature();
        self.function(name, signature, &parts, |translator, parts| {
            translator.location(ty, location, mode, parts)
        })
    }

    fn location_signature(&self) -> Signature {
        self.signature(&[types::I64, types::I64, types::I64], types::I64)
    }

    fn function(
        &mut self,
        name: &str,
        signature: Signature,
        parts: &[FuncId],
        translate: impl FnOnce(&mut Translator, &[FuncRef]),
    ) -> Result<FuncId, NotCompiled> {
        let id = self.workshop.module.declare_function(name, Linkage::Local, &signature)?;
        self.workshop.context.func =
            Function::with_name_signature(UserFuncName::user(0, id.as_u32()), signature);
        {
            let mut body =
                FunctionBuilder::new(&mut self.workshop.context.func, &mut self.workshop.functions);
            let refs: Vec<FuncRef> = self
                .workshop
                .called
                .iter()
                .map(|id| self.workshop.module.declare_func_in_func(*id, body.func))
                .collect();
            let called = Called {
                expression: refs[0],
                remote_variables: refs[1],
                first_of_type: refs[2],
                location_of: refs[3],
                some_process_at: refs[4],
                may_move: refs[5],
                breaks_promise: refs[6],
                attempt: refs[7],
                find_receivers: refs[8],
                shake_hands: refs[9],
                takes_part: refs[10],
            };
            let parts: Vec<FuncRef> =
                parts.iter().map(|id| self.workshop.module.declare_func_in_func(*id, body.func)).collect();
            let entry = body.create_block();
            body.append_block_params_for_function_params(entry);
            body.switch_to_block(entry);
            let mut translator = Translator::new(self.subject, body, called, entry);
            translate(&mut translator, &parts);
            translator.b.seal_all_blocks();
            translator.b.finalize(self.workshop.module.target_config());
        }
        if (self.stop)() {
            return Err(NotCompiled("it takes too long".to_string()));
        }
        self.workshop.context.set_disasm(self.workshop.listing.is_some());
        self.workshop
            .module
            .define_function(id, &mut self.workshop.context)
            .map_err(|error| NotCompiled(format!("{name}: {error:?}")))?;
        let code = self.workshop.context.compiled_code().and_then(|compiled| compiled.vcode.as_ref());
        if let (Some(listing), Some(code)) = (&mut self.workshop.listing, code) {
            *listing += &format!("; {name}\n{code}\n");
        }
        self.workshop.module.clear_context(&mut self.workshop.context);
        Ok(id)
    }
}
