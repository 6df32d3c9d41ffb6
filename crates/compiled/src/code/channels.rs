//! Messages: sends, receives, and questions about channels.
//!
//! Which channel an expression names is mostly known before the run (a global that nothing writes), and then
//! so is its place in the state. Otherwise the number is looked up in the machine's table of channels, and
//! there is one piece of code for each layout that the channel may have.

use super::expressions::{Address, unaligned};
use super::transitions::{Scene, Translator, offset};
use crate::facts::Group;
use crate::machine::{FramePlace, MESSAGE_FIELDS, Machine, NOBODY_RECEIVES};
use crate::receivers::{CHANNEL_BITS, LAST_BIT};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use lariat_model::ir::*;
use std::mem::offset_of;

/// Channels with more layouts than this are left to the interpreter.
const MOST_LAYOUTS: usize = 6;

/// Buffers up to so many bytes are moved up by single instructions.
const MOST_MOVED: usize = 1024;

/// A channel with a known layout.
#[derive(Clone, Copy)]
pub struct Channel<'a> {
    /// From the start of the state to the frame.
    start: Value,
    group: &'a Group,
    number: Value,
}

impl<'a> Translator<'a, '_> {
    fn channel_number_known(&self, channel: &Expr) -> Option<FramePlace> {
        self.known(channel).and_then(|number| self.subject.facts.permanent_channel(number))
    }

    pub fn has_few_layouts(&self, channel: &Expr) -> bool {
        let groups = &self.subject.facts.groups;
        self.channel_number_known(channel).is_some()
            || (groups.len() <= MOST_LAYOUTS
                && groups.iter().all(|group| group.fields.len() <= MESSAGE_FIELDS))
    }

    /// Calls `each` with the channel, once for every layout that it may have. Each time the code must end
    /// with a jump.
    fn for_each_layout(&mut self, expr: &Expr, scene: &Scene, mut each: impl FnMut(&mut Self, Channel<'a>)) {
        let facts = self.subject.facts;
        if let Some(place) = self.channel_number_known(expr) {
            let start = self.b.ins().iconst(types::I64, place.start as i64);
            let number = self.value(expr, scene);
            return each(self, Channel { start, group: &facts.groups[place.group as usize], number });
        }
        let number = self.value(expr, scene);
        let index = self.b.ins().iadd_imm_s(number, -1);
        let count = self.machine_word(offset_of!(Machine, channel_count));
        let missing = self.b.ins().icmp(IntCC::UnsignedGreaterThanOrEqual, index, count);
        self.give_up_if(missing);
        let table = self.machine_pointer(offset_of!(Machine, channels));
        let index = self.b.ins().uextend(types::I64, index);
        let skipped = self.b.ins().imul_imm_s(index, size_of::<FramePlace>() as i64);
        let entry = self.b.ins().iadd(table, skipped);
        let start = self.b.ins().uload32(unaligned(), entry, offset_of!(FramePlace, start) as i32);
        let which =
            self.b.ins().uload16(types::I32, unaligned(), entry, offset_of!(FramePlace, group) as i32);
        for (number_of_group, group) in facts.groups.iter().enumerate() {
            let last = number_of_group + 1 == facts.groups.len();
            let other = self.b.create_block();
            if !last {
                let same = self.b.ins().icmp_imm_s(IntCC::Equal, which, number_of_group as i64);
                self.only_if(same, other);
            }
            each(self, Channel { start, group, number });
            if last {
                return;
            }
            self.b.switch_to_block(other);
        }
        // There are no channels at all.
        self.give_up();
        let nothing = self.b.ins().iconst(types::I64, 0);
        self.b.ins().return_(&[nothing]);
    }

    fn frame_of(&mut self, base: Value, channel: Channel) -> Value {
        self.b.ins().iadd(base, channel.start)
    }

    fn length(&mut self, channel: Channel, base: Value) -> Value {
        if channel.group.capacity == 0 {
            return self.constant(0);
        }
        let frame = self.frame_of(base, channel);
        let distance = self.subject.layout.tag_size as i32;
        self.load(Address { pointer: frame, distance }, channel.group.length)
    }

    fn set_length(&mut self, channel: Channel, base: Value, length: Value) {
        let frame = self.frame_of(base, channel);
        let distance = self.subject.layout.tag_size as i32;
        self.store(Address { pointer: frame, distance }, channel.group.length, length);
    }

    /// The fields of the oldest message.
    fn field(&mut self, channel: Channel, base: Value, field: usize) -> Value {
        let frame = self.frame_of(base, channel);
        let (at, storage) = channel.group.fields[field];
        self.load(
            Address { pointer: frame, distance: offset((channel.group.header_size + at) as u32) },
            storage,
        )
    }

    // ---- questions ----

    pub fn channel_length(&mut self, expr: &Expr, scene: &Scene) -> Value {
        self.question(expr, scene, |this, channel| this.length(channel, scene.base))
    }

    pub fn channel_test(&mut self, test: ChannelTest, expr: &Expr, scene: &Scene) -> Value {
        self.question(expr, scene, |this, channel| {
            let length = this.length(channel, scene.base);
            let capacity = channel.group.capacity as i64;
            let answer = match test {
                ChannelTest::Empty => this.b.ins().icmp_imm_s(IntCC::Equal, length, 0),
                ChannelTest::NotEmpty => this.b.ins().icmp_imm_s(IntCC::NotEqual, length, 0),
                ChannelTest::Full if capacity == 0 => this.b.ins().iconst(types::I8, 0),
                ChannelTest::NotFull if capacity == 0 => this.b.ins().iconst(types::I8, 1),
                ChannelTest::Full => {
                    this.b.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, length, capacity)
                }
                ChannelTest::NotFull => this.b.ins().icmp_imm_s(IntCC::SignedLessThan, length, capacity),
            };
            this.b.ins().uextend(types::I32, answer)
        })
    }

    fn question(
        &mut self,
        expr: &Expr,
        scene: &Scene,
        mut answer: impl FnMut(&mut Self, Channel) -> Value,
    ) -> Value {
        let done = self.b.create_block();
        let result = self.b.append_block_param(done, types::I32);
        self.for_each_layout(expr, scene, |this, channel| {
            let value = answer(this, channel);
            this.b.ins().jump(done, &[value.into()]);
        });
        self.b.switch_to_block(done);
        result
    }

    // ---- sends ----

    /// A send by a process on its own. Ends with a jump to `next`.
    pub fn send(
        &mut self,
        transition: &Transition,
        number: usize,
        channel: &Expr,
        arguments: &[Expr],
        scene: &Scene,
        next: Block,
    ) {
        if !self.has_few_layouts(channel) {
            return self.attempt_by_interpreter(transition, number, scene, next);
        }
        self.for_each_layout(channel, scene, |this, channel| {
            if channel.group.capacity == 0 {
                return this.send_handshake(transition, number, channel, arguments, scene, next);
            }
            let length = this.length(channel, scene.base);
            let capacity = channel.group.capacity as i64;
            let room = this.b.ins().icmp_imm_s(IntCC::SignedLessThan, length, capacity);
            this.only_if(room, next);
            if channel.group.fields.len() != arguments.len() {
                this.give_up();
                this.b.ins().jump(next, &[]);
                return;
            }
            let values: Vec<Value> = arguments.iter().map(|argument| this.value(argument, scene)).collect();
            this.check_promises(number, ChannelUse::Send, channel.number, scene);
            let copy = this.copy(scene.base, this.length);
            this.enqueue(channel, copy, length, &values);
            this.finish_move(transition, copy, scene, this.length);
            this.moved_by(transition);
            this.b.ins().jump(next, &[]);
        });
    }

    /// Writes a message behind those that are there.
    fn enqueue(&mut self, channel: Channel, base: Value, length: Value, values: &[Value]) {
        let frame = self.frame_of(base, channel);
        let wide = self.b.ins().uextend(types::I64, length);
        let skipped = self.b.ins().imul_imm_s(wide, channel.group.message_size as i64);
        let slot = self.b.ins().iadd(frame, skipped);
        for ((at, storage), value) in channel.group.fields.iter().zip(values) {
            let distance = offset((channel.group.header_size + at) as u32);
            self.store(Address { pointer: slot, distance }, *storage, *value);
        }
        let longer = self.b.ins().iadd_imm_s(length, 1);
        self.set_length(channel, base, longer);
    }

    /// A rendezvous: the message goes into the machine, the sender moves in the state midway, and the others
    /// may receive.
    fn send_handshake(
        &mut self,
        transition: &Transition,
        number: usize,
        channel: Channel,
        arguments: &[Expr],
        scene: &Scene,
        next: Block,
    ) {
        let fields = &channel.group.fields;
        if fields.len() != arguments.len() || fields.len() > MESSAGE_FIELDS {
            self.give_up();
            self.b.ins().jump(next, &[]);
            return;
        }
        let values: Vec<Value> = arguments.iter().map(|argument| self.value(argument, scene)).collect();
        let receivers = self.receivers(channel.number);
        let (meet, met) = (self.b.create_block(), self.b.create_block());
        let attempted = self.b.append_block_param(met, types::I32);
        let nobody = self.constant(NOBODY_RECEIVES as i32);
        self.b.ins().brif(receivers, meet, &[], met, &[nobody.into()]);
        self.b.switch_to_block(meet);
        for (k, ((_, storage), value)) in fields.iter().zip(values).enumerate() {
            let value = self.stored_value(*storage, value);
            let place = offset_of!(Machine, message) + k * size_of::<i32>();
            self.b.ins().store(unaligned(), value, self.machine, place as i32);
        }
        let length = self.constant(fields.len() as i32);
        let place = offset_of!(Machine, message_length) as i32;
        self.b.ins().store(unaligned(), length, self.machine, place);
        let place = offset_of!(Machine, handshake_channel) as i32;
        self.b.ins().store(unaligned(), channel.number, self.machine, place);
        let midway = self.machine_pointer(offset_of!(Machine, midway));
        self.copy_to(scene.base, midway, self.length);
        self.set_location(transition, midway);
        let result = self.call(self.called.shake_hands, &[self.machine, self.pid, receivers]);
        self.b.ins().jump(met, &[result.into()]);
        self.b.switch_to_block(met);
        if self.subject.facts.promises.need_checks() {
            let moved = self.b.create_block();
            let done = self.b.create_block();
            self.b.ins().brif(attempted, moved, &[], done, &[]);
            self.b.switch_to_block(moved);
            self.check_promises(number, ChannelUse::Send, channel.number, scene);
            self.b.ins().jump(done, &[]);
            self.b.switch_to_block(done);
        }
        self.judge_attempt(attempted, transition, next);
    }

    /// The other processes that may receive over a rendezvous channel, as bits.
    fn receivers(&mut self, channel: Value) -> Value {
        let (find, found) = (self.b.create_block(), self.b.create_block());
        let known = self.machine_word(offset_of!(Machine, knows_receivers));
        self.b.ins().brif(known, found, &[], find, &[]);
        self.b.switch_to_block(find);
        self.call(self.called.find_receivers, &[self.machine]);
        self.b.ins().jump(found, &[]);
        self.b.switch_to_block(found);
        // At 0, those that may receive from any channel. So that is also where a channel belongs that has no
        // set of its own.
        let own = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, channel, CHANNEL_BITS as i64);
        let any = self.constant(0);
        let index = self.b.ins().select(own, channel, any);
        let index = self.b.ins().uextend(types::I64, index);
        let skipped = self.b.ins().ishl_imm_u(index, size_of::<u64>().ilog2() as i64);
        let sets = self.b.ins().iadd(self.machine, skipped);
        let place = offset_of!(Machine, receivers.processes);
        let these = self.b.ins().load(types::I64, unaligned(), sets, place as i32);
        let others = self.b.ins().load(types::I64, unaligned(), self.machine, place as i32);
        let all = self.b.ins().bor(these, others);
        // Nobody receives from itself.
        let one = self.b.ins().iconst(types::I64, 1);
        let nothing = self.b.ins().iconst(types::I64, 0);
        let itself = self.b.ins().ishl(one, self.pid);
        let has_bit = self.b.ins().icmp_imm_u(IntCC::UnsignedLessThan, self.pid, LAST_BIT as i64);
        let itself = self.b.ins().select(has_bit, itself, nothing);
        self.b.ins().band_not(all, itself)
    }

    // ---- receives ----

    /// A receive by a process on its own. Ends with a jump to `next`.
    pub fn receive(
        &mut self,
        transition: &Transition,
        number: usize,
        receive: &Receive,
        scene: &Scene,
        next: Block,
    ) {
        if !self.has_few_layouts(&receive.channel) {
            return self.attempt_by_interpreter(transition, number, scene, next);
        }
        self.for_each_layout(&receive.channel, scene, |this, channel| {
            if !this.message_fits(receive, channel, scene, next) {
                return;
            }
            this.check_promises(number, ChannelUse::Receive, channel.number, scene);
            let values = this.message(channel, scene.base);
            let copy = this.copy(scene.base, this.length);
            let inside = this.scene_at(copy, false);
            this.store_message(receive, &values, &inside);
            if !receive.copy {
                this.dequeue(channel, copy);
            }
            this.finish_move(transition, copy, scene, this.length);
            this.moved_by(transition);
            this.b.ins().jump(next, &[]);
        });
    }

    /// Goes on if the oldest message fits, else to `other`. False if the code ends here.
    fn message_fits(&mut self, receive: &Receive, channel: Channel, scene: &Scene, other: Block) -> bool {
        if channel.group.capacity == 0 {
            if receive.copy {
                self.give_up();
            }
            self.b.ins().jump(other, &[]);
            return false;
        }
        let length = self.length(channel, scene.base);
        self.only_if(length, other);
        if receive.arguments.len() != channel.group.fields.len() {
            self.give_up();
            self.b.ins().jump(other, &[]);
            return false;
        }
        for (field, argument) in receive.arguments.iter().enumerate() {
            if let ReceiveArgument::Match(expr) = argument {
                let wanted = self.value(expr, scene);
                let found = self.field(channel, scene.base, field);
                let same = self.b.ins().icmp(IntCC::Equal, wanted, found);
                self.only_if(same, other);
            }
        }
        true
    }

    fn message(&mut self, channel: Channel, base: Value) -> Vec<Value> {
        (0..channel.group.fields.len()).map(|field| self.field(channel, base, field)).collect()
    }

    /// Stores the fields one after the other: an index may use a field stored before it.
    fn store_message(&mut self, receive: &Receive, values: &[Value], inside: &Scene) {
        for (argument, value) in receive.arguments.iter().zip(values) {
            if let ReceiveArgument::Store(place) = argument {
                self.assign(place, *value, inside);
            }
        }
    }

    /// Takes the oldest message out: the others move up, and what becomes free is zero.
    fn dequeue(&mut self, channel: Channel, base: Value) {
        let group = channel.group;
        let frame = self.frame_of(base, channel);
        let size = group.message_size;
        let total = (group.capacity - 1) * size;
        let slots = group.header_size;
        if total <= MOST_MOVED {
            let mut done = 0;
            for (step, ty) in
                [(16, types::I8X16), (8, types::I64), (4, types::I32), (2, types::I16), (1, types::I8)]
            {
                while total - done >= step {
                    let piece = self.b.ins().load(ty, unaligned(), frame, (slots + size + done) as i32);
                    self.b.ins().store(unaligned(), piece, frame, (slots + done) as i32);
                    done += step;
                }
            }
        } else {
            let (head, body, rest) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
            let at = self.b.append_block_param(head, types::I64);
            let first = self.b.ins().iconst(types::I64, 0);
            self.b.ins().jump(head, &[first.into()]);
            self.b.switch_to_block(head);
            let more = self.b.ins().icmp_imm_s(IntCC::SignedLessThan, at, total as i64);
            self.b.ins().brif(more, body, &[], rest, &[]);
            self.b.switch_to_block(body);
            let here = self.b.ins().iadd(frame, at);
            let piece = self.b.ins().load(types::I8, unaligned(), here, (slots + size) as i32);
            self.b.ins().store(unaligned(), piece, here, slots as i32);
            let next = self.b.ins().iadd_imm_s(at, 1);
            self.b.ins().jump(head, &[next.into()]);
            self.b.switch_to_block(rest);
        }
        let mut done = 0;
        for (step, ty) in [(8, types::I64), (4, types::I32), (2, types::I16), (1, types::I8)] {
            while size - done >= step {
                let nothing = self.b.ins().iconst(ty, 0);
                self.b.ins().store(unaligned(), nothing, frame, (slots + total + done) as i32);
                done += step;
            }
        }
        let length = self.length(channel, base);
        let shorter = self.b.ins().iadd_imm_s(length, -1);
        self.set_length(channel, base, shorter);
    }

    /// A receive in the middle of a rendezvous. Ends with a jump to `next`.
    pub fn receive_handshake(&mut self, transition: &Transition, number: usize, scene: &Scene, next: Block) {
        let receive = match &transition.action {
            Action::Receive(receive) => receive,
            Action::Program(_) => return self.attempt_by_interpreter(transition, number, scene, next),
            _ => {
                self.b.ins().jump(next, &[]);
                return;
            }
        };
        if receive.copy {
            self.b.ins().jump(next, &[]);
            return;
        }
        let wanted = self.value(&receive.channel, scene);
        let sent = self.machine_word(offset_of!(Machine, handshake_channel));
        let same = self.b.ins().icmp(IntCC::Equal, wanted, sent);
        self.only_if(same, next);
        let length = self.machine_word(offset_of!(Machine, message_length));
        let other = self.b.ins().icmp_imm_s(IntCC::NotEqual, length, receive.arguments.len() as i64);
        self.give_up_if(other);
        let mut values = Vec::new();
        for (k, argument) in receive.arguments.iter().enumerate() {
            let value = self.machine_word(offset_of!(Machine, message) + k * size_of::<i32>());
            if let ReceiveArgument::Match(expr) = argument {
                let wanted = self.value(expr, scene);
                let same = self.b.ins().icmp(IntCC::Equal, wanted, value);
                self.only_if(same, next);
            }
            values.push(value);
        }
        self.check_promises(number, ChannelUse::Receive, wanted, scene);
        let copy = self.copy(scene.base, self.length);
        let inside = self.scene_at(copy, false);
        self.store_message(receive, &values, &inside);
        self.finish_move(transition, copy, scene, self.length);
        self.moved_by(transition);
        self.b.ins().jump(next, &[]);
    }

    // ---- within a program ----

    /// Goes on if there is room in the channel, else to `other`.
    pub fn can_send(&mut self, channel: &Expr, scene: &Scene, other: Block) {
        let go_on = self.b.create_block();
        self.for_each_layout(channel, scene, |this, channel| {
            if channel.group.capacity > 0 {
                let length = this.length(channel, scene.base);
                let capacity = channel.group.capacity as i64;
                let room = this.b.ins().icmp_imm_s(IntCC::SignedLessThan, length, capacity);
                this.only_if(room, other);
            }
            this.b.ins().jump(go_on, &[]);
        });
        self.b.switch_to_block(go_on);
    }

    /// Goes on if the oldest message fits, else to `other`.
    pub fn can_receive(&mut self, receive: &Receive, scene: &Scene, other: Block) {
        let go_on = self.b.create_block();
        self.for_each_layout(&receive.channel, scene, |this, channel| {
            if this.message_fits(receive, channel, scene, other) {
                this.b.ins().jump(go_on, &[]);
            }
        });
        self.b.switch_to_block(go_on);
    }

    /// Sends, on the state that the scene shows.
    pub fn send_inside(&mut self, channel: &Expr, arguments: &[Expr], scene: &Scene) {
        let done = self.b.create_block();
        self.for_each_layout(channel, scene, |this, channel| {
            if channel.group.capacity == 0 || channel.group.fields.len() != arguments.len() {
                this.give_up();
            } else {
                let values: Vec<Value> =
                    arguments.iter().map(|argument| this.value(argument, scene)).collect();
                let length = this.length(channel, scene.base);
                this.enqueue(channel, scene.base, length, &values);
            }
            this.b.ins().jump(done, &[]);
        });
        self.b.switch_to_block(done);
    }

    /// Receives the oldest message, on the state that the scene shows.
    pub fn receive_inside(&mut self, receive: &Receive, scene: &Scene) {
        let done = self.b.create_block();
        self.for_each_layout(&receive.channel, scene, |this, channel| {
            if channel.group.capacity == 0 || channel.group.fields.len() != receive.arguments.len() {
                this.give_up();
            } else {
                let values = this.message(channel, scene.base);
                this.store_message(receive, &values, scene);
                if !receive.copy {
                    this.dequeue(channel, scene.base);
                }
            }
            this.b.ins().jump(done, &[]);
        });
        self.b.switch_to_block(done);
    }
}
