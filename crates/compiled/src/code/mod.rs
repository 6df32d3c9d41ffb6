//! From the intermediate form to machine code: one function per location of each process type, one per
//! proposition.
//!
//! The code of a location tries its transitions in their order, as the interpreter does, with all that is
//! known before the run put into the code: offsets, types, targets, constants. It takes the state it reads
//! from the [`Machine`], and writes successors there. `transitions` is the frame of it, `expressions` values
//! and places, `channels` messages, `programs` the inside of a `d_step`.

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
use lariat_engine::Layout;
use lariat_model::ir::{Action, Model};
use transitions::Translator;

/// Why a model could not be compiled.
#[derive(Debug)]
pub struct NotCompiled(pub String);

impl From<ModuleError> for NotCompiled {
    fn from(error: ModuleError) -> NotCompiled {
        NotCompiled(error.to_string())
    }
}

/// The code of a model, and the memory that it lies in.
pub struct Code {
    module: Option<JITModule>,
    /// By [`Facts::location_index`].
    pub locations: Vec<Option<LocationCode>>,
    pub held: Vec<Option<LocationCode>>,
    pub receive: Vec<Option<LocationCode>>,
    pub propositions: Vec<PropositionCode>,
    /// What was translated, in readable form, if it was asked for.
    pub listing: Option<String>,
}

// SAFETY: the code is finished. It writes nothing but what the machine points to that it is given, and nobody
// changes the module any more, but for the one that drops it, who has it alone.
unsafe impl Send for Code {}
// SAFETY: for the same reason.
unsafe impl Sync for Code {}

impl Drop for Code {
    fn drop(&mut self) {
        if let Some(module) = self.module.take() {
            // SAFETY: nobody has the code's addresses but this value.
            unsafe { module.free_memory() };
        }
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
    pub shake_hands: FuncRef,
    pub takes_part: FuncRef,
}

/// Name, parameters, whether it returns 32 or 64 bits.
type Shape = (&'static str, *const u8, &'static [types::Type], types::Type);

fn called_shapes() -> [Shape; 10] {
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
        ("shake_hands", machine::shake_hands as *const u8, &[I64, I64], I32),
        ("takes_part", machine::takes_part as *const u8, &[I64, I32], I32),
    ]
}

/// What every function is translated with.
pub(crate) struct Subject<'a> {
    pub model: &'a Model,
    pub layout: &'a Layout,
    pub facts: &'a Facts,
    pub has_promises: bool,
    /// An assertion watches what is sent and received: that is left to the interpreter.
    pub observed: bool,
}

/// Which of the two functions of a location.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The process moves on its own.
    Alone,
    /// The process moves on its own, in the middle of an indivisible sequence.
    Held,
    /// Another process has sent it a message over a rendezvous channel.
    Receiving,
}

struct Builder<'a> {
    subject: Subject<'a>,
    module: JITModule,
    context: Context,
    functions: FunctionBuilderContext,
    called: Vec<FuncId>,
    listing: Option<String>,
    /// Asked before each function: whether to give up.
    stop: &'a dyn Fn() -> bool,
}

/// More transitions of one location get functions of their own: compilers dislike long ones.
const MOST_TOGETHER: usize = 24;

/// A model with more transitions is compiled in a hurry: its code is not as good, but ready in half the time.
const LARGE: usize = 2_000;

/// Compiles a model, unless somebody says that it takes too long.
pub(crate) fn compile<'a>(
    subject: Subject<'a>,
    listing: bool,
    stop: &'a dyn Fn() -> bool,
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
    let mut builder = Builder {
        subject,
        module,
        context,
        functions: FunctionBuilderContext::new(),
        called: Vec::new(),
        listing: listing.then(String::new),
        stop,
    };
    builder.declare_called()?;
    builder.model()
}

impl Builder<'_> {
    fn signature(&self, parameters: &[types::Type], returned: types::Type) -> Signature {
        let mut signature = self.module.make_signature();
        signature.params.extend(parameters.iter().map(|ty| AbiParam::new(*ty)));
        signature.returns.push(AbiParam::new(returned));
        signature
    }

    fn declare_called(&mut self) -> Result<(), NotCompiled> {
        for (name, _, parameters, returned) in called_shapes() {
            let signature = self.signature(parameters, returned);
            self.called.push(self.module.declare_function(name, Linkage::Import, &signature)?);
        }
        Ok(())
    }

    fn model(mut self) -> Result<Code, NotCompiled> {
        let mut alone = Vec::new();
        let mut receiving = Vec::new();
        let mut held = Vec::new();
        let model = self.subject.model;
        for (ty, process) in model.process_types.iter().enumerate() {
            // Every `init` has the same name.
            let earlier = model.process_types[..ty].iter().filter(|other| other.name == process.name).count();
            let title = match earlier {
                0 => process.name.clone(),
                _ => format!("{} {}", process.name, earlier + 1),
            };
            for (location, info) in process.locations.iter().enumerate() {
                let name = format!("{title} at {location}");
                alone.push(match location {
                    0 => None,
                    _ => Some(self.location(&name, ty, location as u32, Mode::Alone)?),
                });
                let arrivals =
                    self.subject.facts.held_arrivals[self.subject.facts.location_index(ty, location as u32)];
                held.push(match arrivals {
                    0 => None,
                    _ => Some(self.location(&format!("{name}, held"), ty, location as u32, Mode::Held)?),
                });
                let receives = info.transitions.iter().any(|transition| may_receive(&transition.action));
                receiving.push(match receives {
                    false => None,
                    true => {
                        let name = format!("{name}, receiving");
                        Some(self.location(&name, ty, location as u32, Mode::Receiving)?)
                    }
                });
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
        self.module.finalize_definitions()?;
        let address = |id: FuncId| self.module.get_finalized_function(id);
        let location_code = |id: &Option<FuncId>| {
            // SAFETY: the functions were declared with just this signature.
            id.map(|id| unsafe { std::mem::transmute::<*const u8, LocationCode>(address(id)) })
        };
        let locations = alone.iter().map(location_code).collect();
        let receive = receiving.iter().map(location_code).collect();
        let held = held.iter().map(location_code).collect();
        // SAFETY: as above.
        let propositions = propositions
            .iter()
            .map(|id| unsafe { std::mem::transmute::<*const u8, PropositionCode>(address(*id)) })
            .collect();
        Ok(Code { locations, held, receive, propositions, listing: self.listing, module: Some(self.module) })
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
        let id = self.module.declare_function(name, Linkage::Local, &signature)?;
        self.context.func = Function::with_name_signature(UserFuncName::user(0, id.as_u32()), signature);
        {
            let mut body = FunctionBuilder::new(&mut self.context.func, &mut self.functions);
            let refs: Vec<FuncRef> =
                self.called.iter().map(|id| self.module.declare_func_in_func(*id, body.func)).collect();
            let called = Called {
                expression: refs[0],
                remote_variables: refs[1],
                first_of_type: refs[2],
                location_of: refs[3],
                some_process_at: refs[4],
                may_move: refs[5],
                breaks_promise: refs[6],
                attempt: refs[7],
                shake_hands: refs[8],
                takes_part: refs[9],
            };
            let parts: Vec<FuncRef> =
                parts.iter().map(|id| self.module.declare_func_in_func(*id, body.func)).collect();
            let entry = body.create_block();
            body.append_block_params_for_function_params(entry);
            body.switch_to_block(entry);
            let mut translator = Translator::new(&self.subject, body, called, entry);
            translate(&mut translator, &parts);
            translator.b.seal_all_blocks();
            translator.b.finalize(self.module.target_config());
        }
        if (self.stop)() {
            return Err(NotCompiled("it takes too long".to_string()));
        }
        self.context.set_disasm(self.listing.is_some());
        self.module
            .define_function(id, &mut self.context)
            .map_err(|error| NotCompiled(format!("{name}: {error:?}")))?;
        let code = self.context.compiled_code().and_then(|compiled| compiled.vcode.as_ref());
        if let (Some(listing), Some(code)) = (&mut self.listing, code) {
            *listing += &format!("; {name}\n{code}\n");
        }
        self.module.clear_context(&mut self.context);
        Ok(id)
    }
}

/// Whether the action, or the beginning of a program, is a receive.
fn may_receive(action: &Action) -> bool {
    match action {
        Action::Receive(_) => true,
        Action::Program(program) => program.guards.iter().any(may_receive),
        _ => false,
    }
}
