//! Channels: their contents, what may be sent and received.

use super::evaluate::Scene;
use super::memory::{Frame, read, write};
use super::{Interpreter, Outcome, fault};
use lariat_model::ir::*;

impl Interpreter<'_> {
    /// The frame of the channel that an expression names.
    #[inline]
    pub(super) fn channel(&self, expr: &Expr, scene: &Scene) -> Outcome<Frame> {
        let number = self.evaluate(expr, scene)?;
        self.channel_by_number(number, scene)
    }

    pub(super) fn channel_by_number(&self, number: i32, scene: &Scene) -> Outcome<Frame> {
        if number == 0 {
            return Err(fault("use of a channel variable that holds no channel yet"));
        }
        match usize::try_from(number.wrapping_sub(1)).ok().and_then(|i| scene.frames.channels.get(i)) {
            Some(frame) => Ok(*frame),
            None => Err(fault(format!(
                "channel {number} does not exist (any more): the process that created it has ended"
            ))),
        }
    }

    pub(super) fn is_rendezvous(&self, channel: Frame, _scene: &Scene) -> bool {
        self.layout.channels[channel.ty as usize].capacity == 0
    }

    #[inline]
    pub(super) fn length(&self, channel: Frame, scene: &Scene) -> usize {
        let layout = &self.layout.channels[channel.ty as usize];
        if layout.capacity == 0 {
            return 0;
        }
        read(scene.bytes, channel.start as usize + self.layout.tag_size, layout.length) as usize
    }

    pub(super) fn is_full(&self, channel: Frame, scene: &Scene) -> bool {
        let layout = &self.layout.channels[channel.ty as usize];
        layout.capacity > 0 && self.length(channel, scene) >= layout.capacity
    }

    fn field(&self, channel: Frame, slot: usize, field: usize, bytes: &[u8]) -> i32 {
        let layout = &self.layout.channels[channel.ty as usize];
        let offset = channel.start as usize
            + layout.header_size
            + slot * layout.message_size
            + layout.field_offsets[field];
        read(bytes, offset, self.model.channel_types[channel.ty as usize].fields[field].storage)
    }

    /// The slot of the first message that fits the arguments: of the oldest one only, unless the receive is
    /// random.
    pub(super) fn matching_slot(
        &self,
        receive: &Receive,
        channel: Frame,
        scene: &Scene,
    ) -> Outcome<Option<u32>> {
        let length = self.length(channel, scene);
        let candidates = if receive.random { length } else { length.min(1) };
        for slot in 0..candidates {
            if self.fits(receive, channel, scene, |field| self.field(channel, slot, field, scene.bytes))? {
                return Ok(Some(slot as u32));
            }
        }
        Ok(None)
    }

    /// Whether a message has the values that the arguments ask for.
    pub(super) fn fits(
        &self,
        receive: &Receive,
        channel: Frame,
        scene: &Scene,
        message: impl Fn(usize) -> i32,
    ) -> Outcome<bool> {
        let fields = self.model.channel_types[channel.ty as usize].fields.len();
        for (i, argument) in receive.arguments.iter().enumerate() {
            if let ReceiveArgument::Match(expr) = argument {
                if i >= fields {
                    return Err(self.wrong_arity("receive", channel, receive.arguments.len()));
                }
                if self.evaluate(expr, scene)? != message(i) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    pub(super) fn wrong_arity(&self, what: &str, channel: Frame, given: usize) -> Box<crate::Violation> {
        let ty = &self.model.channel_types[channel.ty as usize];
        fault(format!(
            "{what} with {given} field{} on channel {}, whose messages have {}",
            if given == 1 { "" } else { "s" },
            ty.name,
            ty.fields.len()
        ))
    }

    /// Puts a message into a buffered channel that is not full.
    pub(super) fn enqueue(&self, channel: Frame, message: &[i32], sorted: bool, bytes: &mut [u8]) {
        let ty = &self.model.channel_types[channel.ty as usize];
        let layout = &self.layout.channels[channel.ty as usize];
        let length_at = channel.start as usize + self.layout.tag_size;
        let length = read(bytes, length_at, layout.length) as usize;
        let slot = if sorted {
            (0..length)
                .find(|&slot| {
                    let stored = (0..message.len()).map(|f| self.field(channel, slot, f, bytes));
                    message.iter().copied().lt(stored)
                })
                .unwrap_or(length)
        } else {
            length
        };
        let slots = channel.start as usize + layout.header_size;
        let size = layout.message_size;
        bytes.copy_within(slots + slot * size..slots + length * size, slots + (slot + 1) * size);
        for (i, value) in message.iter().enumerate() {
            let offset = slots + slot * size + layout.field_offsets[i];
            write(bytes, offset, ty.fields[i].storage, *value);
        }
        write(bytes, length_at, layout.length, length as i32 + 1);
    }

    /// Takes a message out.
    pub(super) fn dequeue(&self, channel: Frame, slot: usize, bytes: &mut [u8]) {
        let layout = &self.layout.channels[channel.ty as usize];
        let length_at = channel.start as usize + self.layout.tag_size;
        let length = read(bytes, length_at, layout.length) as usize;
        let slots = channel.start as usize + layout.header_size;
        let size = layout.message_size;
        bytes.copy_within(slots + (slot + 1) * size..slots + length * size, slots + slot * size);
        bytes[slots + (length - 1) * size..slots + length * size].fill(0);
        write(bytes, length_at, layout.length, length as i32 - 1);
    }

    pub(super) fn message(&self, channel: Frame, slot: usize, bytes: &[u8], message: &mut Vec<i32>) {
        let fields = self.model.channel_types[channel.ty as usize].fields.len();
        message.clear();
        message.extend((0..fields).map(|f| self.field(channel, slot, f, bytes)));
    }
}
