//! The code of a location: try its transitions in their order, and write down what each leads to.
//!
//! A transition that can be executed copies the state it starts from behind the successors so far, changes
//! the copy, and notes an [`Entry`]. What it reads, it reads from the state before, or, within a program,
//! from the copy. While a process keeps control, and goes on in only one way, the next statements change the
//! same copy: no intermediate state is ever seen ([`Translator::goes_on`]).

use super::expressions::{Address, Located, unaligned};
use super::{Called, Mode, Subject};
use crate::machine::{
    BLOCKED, FINE, GIVEN_UP, MOVED, Machine, NO_OWNER, NO_ROOM, NOBODY_RECEIVES, OwnersRow, row_of,
};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, FuncRef, InstBuilder, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use lariat_engine::Entry;
use lariat_model::ir::*;
use std::mem::offset_of;
use std::ops::Range;

/// Statements that follow one another without a choice are compiled together, up to so many.
const MOST_FUSED: usize = 64;

/// The state that is read, as the process sees it.
#[derive(Clone, Copy)]
pub struct Scene {
    pub base: Value,
    /// Where the process's variables start.
    pub variables: Value,
    pub pid: Value,
    /// A message is waiting in the machine.
    pub receiving: bool,
}

pub struct Translator<'a, 'f> {
    pub subject: &'a Subject<'a>,
    pub b: FunctionBuilder<'f>,
    pub called: Called,
    pub machine: Value,
    /// Where the process's frame starts, from the start of the state.
    pub frame: Value,
    pub pid: Value,
    pub length: Value,
    give_up: Block,
    no_room: Block,
    /// Whether a transition of the process has been executed.
    moved: Variable,
    escape: Variable,
    /// Within a program, `else` looks at nothing before it.
    pub in_program: bool,
    ty: usize,
    /// The state is the only one from which this code runs for a successor, so no intermediate state is met
    /// twice.
    fuses: bool,
}

pub fn offset(offset: u32) -> i32 {
    i32::try_from(offset).expect("states are shorter than 2 GiB")
}

impl<'a, 'f> Translator<'a, 'f> {
    pub fn new(
        subject: &'a Subject<'a>,
        mut b: FunctionBuilder<'f>,
        called: Called,
        entry: Block,
    ) -> Translator<'a, 'f> {
        let parameters = b.block_params(entry).to_vec();
        let machine = parameters[0];
        let zero = b.ins().iconst(types::I64, 0);
        let pid = parameters.get(1).copied().unwrap_or(zero);
        let frame = parameters.get(2).copied().unwrap_or(zero);
        let length = b.ins().load(types::I64, unaligned(), machine, offset_of!(Machine, length) as i32);
        let (give_up, no_room) = (b.create_block(), b.create_block());
        b.set_cold_block(give_up);
        b.set_cold_block(no_room);
        let moved = b.declare_var(types::I32);
        let escape = b.declare_var(types::I32);
        let none = b.ins().iconst(types::I32, 0);
        b.def_var(moved, none);
        b.def_var(escape, none);
        Translator {
            subject,
            b,
            called,
            machine,
            frame,
            pid,
            length,
            give_up,
            no_room,
            moved,
            escape,
            in_program: false,
            ty: 0,
            fuses: false,
        }
    }

    // ---- small things ----

    pub fn call(&mut self, function: FuncRef, arguments: &[Value]) -> Value {
        let call = self.b.ins().call(function, arguments);
        self.b.inst_results(call)[0]
    }

    /// A field of the machine, 32 bits wide.
    pub fn machine_word(&mut self, field: usize) -> Value {
        self.b.ins().load(types::I32, unaligned(), self.machine, field as i32)
    }

    pub fn machine_pointer(&mut self, field: usize) -> Value {
        self.b.ins().load(types::I64, unaligned(), self.machine, field as i32)
    }

    fn set_machine(&mut self, field: usize, value: Value) {
        self.b.ins().store(unaligned(), value, self.machine, field as i32);
    }

    pub fn has_moved(&mut self) -> Value {
        if self.in_program { self.constant(0) } else { self.b.use_var(self.moved) }
    }

    /// Leaves the whole state to the interpreter if the condition holds.
    pub fn give_up_if(&mut self, condition: Value) {
        let go_on = self.b.create_block();
        self.b.ins().brif(condition, self.give_up, &[], go_on, &[]);
        self.b.switch_to_block(go_on);
    }

    pub fn give_up(&mut self) {
        self.b.ins().jump(self.give_up, &[]);
        let nowhere = self.b.create_block();
        self.b.switch_to_block(nowhere);
    }

    /// Goes on if the condition holds, else to `other`.
    pub fn only_if(&mut self, condition: Value, other: Block) {
        let go_on = self.b.create_block();
        self.b.ins().brif(condition, go_on, &[], other, &[]);
        self.b.switch_to_block(go_on);
    }

    /// The ends of the function.
    fn finish(&mut self, given_up: u64) {
        for (block, status) in [(self.give_up, GIVEN_UP), (self.no_room, NO_ROOM)] {
            self.b.switch_to_block(block);
            let status = self.constant(status as i32);
            self.set_machine(offset_of!(Machine, status), status);
            let returned = self.b.ins().iconst(types::I64, given_up as i64);
            self.b.ins().return_(&[returned]);
        }
    }

    // ---- functions ----

    pub fn proposition(&mut self, expr: &Expr) {
        let base = self.machine_pointer(offset_of!(Machine, state));
        let scene = Scene { base, variables: base, pid: self.pid, receiving: false };
        let value = self.condition(expr, &scene);
        let truth = self.b.ins().icmp_imm_s(IntCC::NotEqual, value, 0);
        let truth = self.b.ins().uextend(types::I64, truth);
        self.b.ins().return_(&[truth]);
        self.finish(2);
    }

    /// The code of a location. If it has many transitions, `parts` are the functions that try them.
    pub fn location(&mut self, ty: usize, location: u32, mode: Mode, parts: &[FuncRef]) {
        let process = &self.subject.model.process_types[ty];
        let scene = self.enter(ty, mode);
        let reached = self.machine_pointer(offset_of!(Machine, reached));
        let yes = self.constant(1);
        let index = self.subject.facts.location_index(ty, location);
        let stay = self.b.create_block();
        if mode != Mode::Receiving {
            self.b.ins().istore8(unaligned(), yes, reached, index as i32);
        }
        if mode == Mode::Alone {
            if !self.subject.observed {
                for assertion in &process.locations[location as usize].assertions {
                    let holds = self.condition(&assertion.value, &scene);
                    let fails = self.b.ins().icmp_imm_s(IntCC::Equal, holds, 0);
                    self.give_up_if(fails);
                }
            }
            if self.subject.facts.has_committed && !process.locations[location as usize].committed {
                let committed = self.machine_word(offset_of!(Machine, committed));
                let free = self.b.ins().icmp_imm_s(IntCC::Equal, committed, 0);
                self.only_if(free, stay);
            }
        }
        if self.subject.layout.priorities {
            let receiving = self.constant(scene.receiving as i32);
            let may = self.call(self.called.may_move, &[self.machine, scene.base, self.pid, receiving]);
            let unknown = self.b.ins().icmp_imm_s(IntCC::Equal, may, 2);
            self.give_up_if(unknown);
            self.only_if(may, stay);
        } else if let Some(provided) = &process.provided {
            let may = self.condition(provided, &scene);
            self.only_if(may, stay);
        }
        if mode == Mode::Receiving {
            self.b.ins().istore8(unaligned(), yes, reached, index as i32);
        }
        if parts.is_empty() {
            let all = 0..process.locations[location as usize].transitions.len();
            self.transitions(location, mode, all, &scene, stay);
        } else {
            let none = self.constant(0);
            self.set_machine(offset_of!(Machine, moved), none);
            self.set_machine(offset_of!(Machine, escape), none);
            for part in parts {
                self.call(*part, &[self.machine, self.pid, self.frame]);
                let status = self.machine_word(offset_of!(Machine, status));
                let fine = self.b.ins().icmp_imm_s(IntCC::Equal, status, FINE as i64);
                self.only_if(fine, stay);
            }
            let moved = self.machine_word(offset_of!(Machine, moved));
            self.b.def_var(self.moved, moved);
            self.b.ins().jump(stay, &[]);
        }
        self.b.switch_to_block(stay);
        let moved = self.b.use_var(self.moved);
        let moved = self.b.ins().uextend(types::I64, moved);
        self.b.ins().return_(&[moved]);
        self.finish(0);
    }

    /// Some of the transitions of a location.
    pub fn part_of_location(&mut self, ty: usize, location: u32, mode: Mode, range: Range<usize>) {
        let scene = self.enter(ty, mode);
        let (moved, escape) =
            (self.machine_word(offset_of!(Machine, moved)), self.machine_word(offset_of!(Machine, escape)));
        self.b.def_var(self.moved, moved);
        self.b.def_var(self.escape, escape);
        let stay = self.b.create_block();
        self.transitions(location, mode, range, &scene, stay);
        self.b.switch_to_block(stay);
        let (moved, escape) = (self.b.use_var(self.moved), self.b.use_var(self.escape));
        self.set_machine(offset_of!(Machine, moved), moved);
        self.set_machine(offset_of!(Machine, escape), escape);
        let nothing = self.b.ins().iconst(types::I64, 0);
        self.b.ins().return_(&[nothing]);
        self.finish(0);
    }

    /// The scene of a process of this type.
    fn enter(&mut self, ty: usize, mode: Mode) -> Scene {
        self.ty = ty;
        self.fuses = mode == Mode::Alone;
        let from = match mode {
            Mode::Alone | Mode::Held => offset_of!(Machine, state),
            Mode::Receiving => offset_of!(Machine, midway),
        };
        let base = self.machine_pointer(from);
        self.scene_at(base, mode == Mode::Receiving)
    }

    /// Tries transitions in their order. Ends with a jump to `stay`.
    fn transitions(&mut self, location: u32, mode: Mode, range: Range<usize>, scene: &Scene, stay: Block) {
        let process: &'a ProcessType = &self.subject.model.process_types[self.ty];
        let transitions = &process.locations[location as usize].transitions;
        let escapes = transitions.iter().any(|transition| transition.escape != 0);
        for number in range {
            let transition = &transitions[number];
            if escapes && number > 0 {
                // After an escape, only transitions of the same escape.
                let escape = self.b.use_var(self.escape);
                let none = self.b.ins().icmp_imm_s(IntCC::Equal, escape, 0);
                let same = self.b.ins().icmp_imm_s(IntCC::Equal, escape, transition.escape as i64);
                let allowed = self.b.ins().bor(none, same);
                self.only_if(allowed, stay);
            }
            let next = self.b.create_block();
            match mode {
                Mode::Alone | Mode::Held => self.attempt(transition, number, scene, next),
                Mode::Receiving => self.receive_handshake(transition, number, scene, next),
            }
            self.b.switch_to_block(next);
        }
        self.b.ins().jump(stay, &[]);
    }

    pub fn scene_at(&mut self, base: Value, receiving: bool) -> Scene {
        let header = self.subject.layout.processes[self.ty].header_size as i64;
        let frame = self.b.ins().iadd(base, self.frame);
        let variables = self.b.ins().iadd_imm_s(frame, header);
        Scene { base, variables, pid: self.pid, receiving }
    }

    // ---- transitions ----

    /// Tries a transition. Ends with a jump to `next`, moved or not.
    fn attempt(&mut self, transition: &Transition, number: usize, scene: &Scene, next: Block) {
        match &transition.action {
            Action::Send { channel, sorted: false, arguments } if !self.subject.observed => {
                self.send(transition, number, channel, arguments, scene, next);
                return;
            }
            Action::Receive(receive) if !receive.random && !self.subject.observed => {
                self.receive(transition, number, receive, scene, next);
                return;
            }
            Action::Send { .. } | Action::Receive(_) | Action::Run { .. } | Action::SetPriority(..) => {
                return self.attempt_by_interpreter(transition, number, scene, next);
            }
            Action::Program(program) => {
                if !self.is_compiled(program) {
                    return self.attempt_by_interpreter(transition, number, scene, next);
                }
                self.executable_program(program, scene, next);
                let copy = self.copy(scene.base, self.length);
                let inside = self.scene_at(copy, false);
                self.run_program(program, &inside);
                self.finish_move(transition, copy, scene, self.length);
            }
            Action::End => {
                let last = self.machine_word(offset_of!(Machine, process_count));
                let pid = self.b.ins().ireduce(types::I32, self.pid);
                let after = self.b.ins().iadd_imm_s(pid, 1);
                let youngest = self.b.ins().icmp(IntCC::Equal, last, after);
                self.only_if(youngest, next);
                let copy = self.copy(scene.base, self.frame);
                self.finish_move(transition, copy, scene, self.frame);
            }
            Action::AssignAll(_) | Action::MoveProcess { .. } => {
                let copy = self.copy(scene.base, self.length);
                // Nothing has been written there yet: it is the state before.
                let inside = self.scene_at(copy, false);
                self.execute(&transition.action, &inside);
                self.finish_move(transition, copy, scene, self.length);
            }
            action => {
                match action {
                    Action::Guard(expr) => {
                        let holds = self.condition(expr, scene);
                        self.only_if(holds, next);
                    }
                    Action::Else => {
                        let moved = self.has_moved();
                        let nothing = self.b.ins().icmp_imm_s(IntCC::Equal, moved, 0);
                        self.only_if(nothing, next);
                    }
                    Action::Assert(expr) => {
                        let holds = self.condition(expr, scene);
                        let fails = self.b.ins().icmp_imm_s(IntCC::Equal, holds, 0);
                        self.give_up_if(fails);
                    }
                    _ => {}
                }
                // The value first: it is read from the state before.
                let value = match action {
                    Action::Assign(_, expr) => Some(self.value(expr, scene)),
                    _ => None,
                };
                let copy = self.copy(scene.base, self.length);
                if let (Action::Assign(place, _), Some(value)) = (action, value) {
                    // The place is found in the state before, and written in the copy.
                    let inside = self.scene_at(copy, false);
                    self.assign(place, value, &inside);
                }
                self.finish_move(transition, copy, scene, self.length);
            }
        }
        self.moved_by(transition);
        self.b.ins().jump(next, &[]);
    }

    /// Notes that a transition was executed.
    pub fn moved_by(&mut self, transition: &Transition) {
        let process = &self.subject.model.process_types[self.ty];
        if process.deterministic && !matches!(transition.action, Action::Else) {
            // Two transitions can be executed: an error.
            let moved = self.b.use_var(self.moved);
            self.give_up_if(moved);
        }
        let yes = self.constant(1);
        self.b.def_var(self.moved, yes);
        let escape = self.constant(transition.escape as i32);
        self.b.def_var(self.escape, escape);
    }

    /// Lets the interpreter try a transition. Ends with a jump to `next`.
    pub fn attempt_by_interpreter(
        &mut self,
        transition: &Transition,
        number: usize,
        scene: &Scene,
        next: Block,
    ) {
        let index = self.constant(number as i32);
        let moved = self.has_moved();
        let receiving = self.constant(scene.receiving as i32);
        let arguments = [self.machine, scene.base, self.pid, index, moved, receiving];
        let attempted = self.call(self.called.attempt, &arguments);
        self.judge_attempt(attempted, transition, next);
    }

    /// What a function that tries a transition came to.
    pub fn judge_attempt(&mut self, attempted: Value, transition: &Transition, next: Block) {
        let status = self.machine_word(offset_of!(Machine, status));
        let (stop, go_on) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(stop);
        const { assert!(FINE == 0 && BLOCKED == 0) };
        self.b.ins().brif(status, stop, &[], go_on, &[]);
        self.b.switch_to_block(stop);
        let nothing = self.b.ins().iconst(types::I64, 0);
        self.b.ins().return_(&[nothing]);
        self.b.switch_to_block(go_on);
        let has_escapes = transition.escape != 0;
        if has_escapes {
            let nobody = self.b.ins().icmp_imm_s(IntCC::Equal, attempted, NOBODY_RECEIVES as i64);
            let (reset, other) = (self.b.create_block(), self.b.create_block());
            self.b.ins().brif(nobody, reset, &[], other, &[]);
            self.b.switch_to_block(reset);
            let none = self.constant(0);
            self.b.def_var(self.escape, none);
            self.b.ins().jump(next, &[]);
            self.b.switch_to_block(other);
        }
        let moved = self.b.ins().icmp_imm_s(IntCC::Equal, attempted, MOVED as i64);
        self.only_if(moved, next);
        self.moved_by(transition);
        self.b.ins().jump(next, &[]);
    }

    /// Leaves the state to the interpreter if the transition breaks a promise about the channel that it sends
    /// to or receives from.
    pub fn check_promises(&mut self, number: usize, usage: ChannelUse, channel: Value, scene: &Scene) {
        let promises = &self.subject.facts.promises;
        if !promises.need_checks() {
            return;
        }
        if promises.are_known() {
            let channel = self.b.ins().uextend(types::I64, channel);
            let skipped = self.b.ins().imul_imm_s(channel, size_of::<u16>() as i64);
            let entry = self.b.ins().iadd(self.machine, skipped);
            let row = offset_of!(Machine, owners) + row_of(usage) * size_of::<OwnersRow>();
            let owner = self.b.ins().uload16(types::I64, unaligned(), entry, row as i32);
            let other = self.b.ins().icmp(IntCC::NotEqual, owner, self.pid);
            let somebody = self.b.ins().icmp_imm_s(IntCC::NotEqual, owner, NO_OWNER as i64);
            let breaks = self.b.ins().band(other, somebody);
            self.give_up_if(breaks);
        } else {
            let index = self.constant(number as i32);
            let receiving = self.constant(scene.receiving as i32);
            let arguments = [self.machine, scene.base, self.pid, index, receiving];
            let breaks = self.call(self.called.breaks_promise, &arguments);
            self.give_up_if(breaks);
        }
    }

    // ---- copies ----

    /// Copies `length` bytes behind the successors so far; where they are.
    pub fn copy(&mut self, from: Value, length: Value) -> Value {
        let to = self.machine_pointer(offset_of!(Machine, out));
        let end = self.machine_pointer(offset_of!(Machine, out_end));
        let after = self.b.ins().iadd(to, length);
        let too_far = self.b.ins().icmp(IntCC::UnsignedGreaterThan, after, end);
        let go_on = self.b.create_block();
        self.b.ins().brif(too_far, self.no_room, &[], go_on, &[]);
        self.b.switch_to_block(go_on);
        self.copy_to(from, to, length);
        to
    }

    /// Copies bytes, sixteen at a time: more than asked for, but not more than fits.
    pub fn copy_to(&mut self, from: Value, to: Value, length: Value) {
        // What every state has is copied without a look at its length.
        let shortest = self.subject.facts.frames_start;
        let mut done = 0;
        while done < shortest.max(1) {
            self.copy_sixteen(from, to, done as i32);
            done += 16;
        }
        let (head, body, rest) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        let at = self.b.append_block_param(head, types::I64);
        let first = self.b.ins().iconst(types::I64, done as i64);
        self.b.ins().jump(head, &[first.into()]);
        self.b.switch_to_block(head);
        let more = self.b.ins().icmp(IntCC::UnsignedLessThan, at, length);
        self.b.ins().brif(more, body, &[], rest, &[]);
        self.b.switch_to_block(body);
        let source = self.b.ins().iadd(from, at);
        let target = self.b.ins().iadd(to, at);
        self.copy_sixteen(source, target, 0);
        let next = self.b.ins().iadd_imm_s(at, 16);
        self.b.ins().jump(head, &[next.into()]);
        self.b.switch_to_block(rest);
    }

    fn copy_sixteen(&mut self, from: Value, to: Value, distance: i32) {
        let piece = self.b.ins().load(types::I8X16, unaligned(), from, distance);
        self.b.ins().store(unaligned(), piece, to, distance);
    }

    /// The process goes to the target of the transition, in the copy; from there on, if it keeps control and
    /// goes on in one way only. Then the copy is a successor.
    pub fn finish_move(&mut self, transition: &Transition, copy: Value, scene: &Scene, length: Value) {
        let mut last = transition;
        let mut fused = 0;
        let outside = self.in_program;
        while self.fuses
            && !scene.receiving
            && fused < MOST_FUSED
            && let Some(following) = self.goes_on(last)
        {
            self.in_program = true;
            self.forget_dead(last.target, copy);
            let inside = self.scene_at(copy, false);
            match &following.action {
                Action::Assign(place, expr) => {
                    let value = self.value(expr, &inside);
                    self.assign(place, value, &inside);
                }
                Action::Assert(expr) => {
                    let holds = self.condition(expr, &inside);
                    let fails = self.b.ins().icmp_imm_s(IntCC::Equal, holds, 0);
                    self.give_up_if(fails);
                }
                _ => {}
            }
            let reached = self.machine_pointer(offset_of!(Machine, reached));
            let index = self.subject.facts.location_index(self.ty, last.target);
            let yes = self.constant(1);
            self.b.ins().istore8(unaligned(), yes, reached, index as i32);
            last = following;
            fused += 1;
        }
        self.in_program = outside;
        self.set_location(last, copy);
        let held = match last.keeps_control {
            true => {
                let yes = self.constant(1);
                self.set_machine(offset_of!(Machine, holds), yes);
                self.b.ins().ireduce(types::I32, self.pid)
            }
            false => self.constant(Entry::NOBODY as i32),
        };
        self.push_entry(copy, length, held);
    }

    pub fn set_location(&mut self, transition: &Transition, copy: Value) {
        if let Some(last) = self.subject.layout.last_offset {
            self.b.ins().istore8(unaligned(), self.pid, copy, last as i32);
        }
        if transition.target != 0 && !matches!(transition.action, Action::End) {
            let storage = self.subject.layout.processes[self.ty].location;
            let frame = self.b.ins().iadd(copy, self.frame);
            let target = self.constant(transition.target as i32);
            let distance = self.subject.layout.tag_size as i32;
            self.store(Address { pointer: frame, distance }, storage, target);
            self.forget_dead(transition.target, copy);
        }
    }

    /// What is dead at the location becomes 0, in pieces that are as large as possible.
    fn forget_dead(&mut self, location: Location, copy: Value) {
        let dead = &self.subject.model.process_types[self.ty].locations[location as usize].dead;
        if dead.is_empty() {
            return;
        }
        let Scene { variables, .. } = self.scene_at(copy, false);
        let zero = self.constant(0);
        for stretch in dead {
            let mut at = stretch.start;
            while stretch.end - at >= 8 {
                let zeros = self.b.ins().iconst(types::I64, 0);
                self.b.ins().store(unaligned(), zeros, variables, at as i32);
                at += 8;
            }
            while at < stretch.end {
                let storage = match stretch.end - at {
                    1 => Storage::Unsigned(8),
                    2 | 3 => Storage::Unsigned(16),
                    _ => Storage::Unsigned(32),
                };
                self.store(Address { pointer: variables, distance: at as i32 }, storage, zero);
                at += storage.size();
            }
        }
    }

    /// Puts another process at a location, if there is one with this number and type. It takes part in the
    /// step then.
    pub fn move_process(&mut self, process: ProcessTypeId, pid: u16, location: Location, scene: &Scene) {
        let layout = &self.subject.layout.processes[process.0 as usize];
        let (storage, header) = (layout.location, layout.header_size as u32);
        let place = Place {
            base: Base::Remote { process, pid: Some(Box::new(Expr::Constant(pid as i32))) },
            offset: 0,
            storage,
            indices: Vec::new(),
        };
        let target = self.constant(location as i32);
        // The location stands before the variables, behind the tag.
        let back = offset(header - self.subject.layout.tag_size as u32);
        let moved = |address: Address| Address { distance: address.distance - back, ..address };
        match self.locate(&place, scene) {
            Located::Here(address) => {
                self.store(moved(address), storage, target);
                self.note_participant(pid);
            }
            Located::If(exists, address) => {
                let (store, done) = (self.b.create_block(), self.b.create_block());
                self.b.ins().brif(exists, store, &[], done, &[]);
                self.b.switch_to_block(store);
                self.store(moved(address), storage, target);
                self.note_participant(pid);
                self.b.ins().jump(done, &[]);
                self.b.switch_to_block(done);
            }
            Located::Nowhere => {}
        }
    }

    /// Tells that another process takes part, if that is asked for.
    fn note_participant(&mut self, pid: u16) {
        let asks = self.machine_word(offset_of!(Machine, asks_for_participants));
        let (tell, done) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(tell);
        self.b.ins().brif(asks, tell, &[], done, &[]);
        self.b.switch_to_block(tell);
        let pid = self.constant(pid as i32);
        self.call(self.called.takes_part, &[self.machine, pid]);
        self.b.ins().jump(done, &[]);
        self.b.switch_to_block(done);
    }

    /// The transition that must follow at once, without any choice: the process keeps control, gets to a
    /// place to which no other transition brings it in control, and has one statement there, which can always
    /// be executed. There is then one intermediate state at that place at most, so none that has been
    /// expanded before.
    fn goes_on(&self, transition: &Transition) -> Option<&'a Transition> {
        let process: &'a ProcessType = &self.subject.model.process_types[self.ty];
        if !transition.keeps_control
            || transition.target == 0
            || process.provided.is_some()
            || self.subject.layout.priorities
            || self.subject.facts.held_arrivals[self.subject.facts.location_index(self.ty, transition.target)]
                != 1
        {
            return None;
        }
        match process.locations.get(transition.target as usize)?.transitions.as_slice() {
            [only]
                if matches!(
                    only.action,
                    Action::Skip | Action::Assign(..) | Action::Assert(_) | Action::Print { .. }
                ) =>
            {
                Some(only)
            }
            _ => None,
        }
    }

    fn push_entry(&mut self, copy: Value, length: Value, held: Value) {
        let entry = self.machine_pointer(offset_of!(Machine, entry));
        let end = self.machine_pointer(offset_of!(Machine, entry_end));
        let full = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, entry, end);
        let go_on = self.b.create_block();
        self.b.ins().brif(full, self.no_room, &[], go_on, &[]);
        self.b.switch_to_block(go_on);
        let first = self.machine_pointer(offset_of!(Machine, out_start));
        let start = self.b.ins().isub(copy, first);
        let stop = self.b.ins().iadd(start, length);
        let after = self.b.ins().iadd(copy, length);
        for (field, value) in [(offset_of!(Entry, start), start), (offset_of!(Entry, end), stop)] {
            let word = self.b.ins().ireduce(types::I32, value);
            self.b.ins().store(unaligned(), word, entry, field as i32);
        }
        let none = self.b.ins().iconst(types::I64, 0);
        const { assert!(offset_of!(Entry, steps_end) == offset_of!(Entry, steps_start) + 4) };
        self.b.ins().store(unaligned(), none, entry, offset_of!(Entry, steps_start) as i32);
        self.b.ins().store(unaligned(), none, entry, offset_of!(Entry, sum) as i32);
        self.b.ins().store(unaligned(), held, entry, offset_of!(Entry, held) as i32);
        self.b.ins().istore32(unaligned(), none, entry, offset_of!(Entry, recalled_of) as i32);
        let next = self.b.ins().iadd_imm_s(entry, size_of::<Entry>() as i64);
        self.set_machine(offset_of!(Machine, entry), next);
        self.set_machine(offset_of!(Machine, out), after);
    }
}
