//! The alternating bit protocol over channels that lose and duplicate.
//!
//! A sender numbers its frames with one bit, and repeats a frame until an acknowledgement with the same bit
//! comes back. That is enough for every message to arrive once and in order (Bartlett, Scantlebury and
//! Wilkinson, 1969), provided that the channels do not lose everything. This proviso is the interesting part:
//! it is an assumption about infinite runs, and is written into the formula.
//!
//! ```sh
//! cargo run --release -p lariat --example alternating_bit
//! ```

use lariat::{Checker, Model, Propositions, check};

/// A frame on its way: the bit, and the number of the message in it. Numbers count to three only: the
/// protocol does not look at them, and three are enough to notice a message that is lost, repeated, or
/// overtaken.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Frame {
    bit: bool,
    message: u8,
}

/// What has just happened. Formulas speak of states, not of steps; so the last step is a part of the state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Event {
    /// Nothing that formulas speak of.
    Other,
    /// The sender has taken a message from its user.
    Accepted,
    FrameSent(bool),
    /// The receiver has got a frame with this bit, and has answered it. If it was a new one, this is its
    /// message.
    FrameReceived(bool, Option<u8>),
    AckReceived(bool),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    /// The bit of the frame that the sender sends, or will send next.
    sender_bit: bool,
    /// The message that is not acknowledged yet.
    sending: Option<u8>,
    next_message: u8,
    /// The bit that the receiver expects.
    receiver_bit: bool,
    /// The message that must be delivered next.
    expected: u8,
    /// Oldest first.
    frames: Vec<Frame>,
    acks: Vec<bool>,
    event: Event,
    /// A message was delivered that was not the next.
    out_of_order: bool,
}

/// Frames, or acknowledgements, that are on their way at the same time. What is sent into a full channel is
/// lost, as it might be anyway.
const CAPACITY: usize = 2;

struct AlternatingBit {
    /// A receiver that does not look at the bit takes every frame for a new one.
    receiver_looks_at_bit: bool,
}

impl AlternatingBit {
    /// A frame comes out of the channel. The answer has the same bit, also if the frame is an old one: the
    /// first answer may be lost.
    fn receive(&self, state: &mut State, frame: Frame) {
        let is_new = !self.receiver_looks_at_bit || frame.bit == state.receiver_bit;
        if is_new {
            state.receiver_bit = !frame.bit;
            state.out_of_order |= frame.message != state.expected;
            state.expected = (frame.message + 1) % 3;
        }
        state.event = Event::FrameReceived(frame.bit, is_new.then_some(frame.message));
        if state.acks.len() < CAPACITY {
            state.acks.push(frame.bit);
        }
    }
}

impl Model for AlternatingBit {
    type State = State;
    type Action = &'static str;

    fn initial_states(&self) -> Vec<State> {
        vec![State {
            sender_bit: false,
            sending: None,
            next_message: 0,
            receiver_bit: false,
            expected: 0,
            frames: Vec::new(),
            acks: Vec::new(),
            event: Event::Other,
            out_of_order: false,
        }]
    }

    fn successors(&self, state: &State, out: &mut Vec<(&'static str, State)>) {
        // Every step is a copy of the state with some changes.
        let mut step = |name: &'static str, change: &dyn Fn(&mut State)| {
            let mut next = State { event: Event::Other, ..state.clone() };
            change(&mut next);
            out.push((name, next));
        };
        match state.sending {
            None => step("the sender accepts a message", &|next| {
                next.sending = Some(next.next_message);
                next.next_message = (next.next_message + 1) % 3;
                next.event = Event::Accepted;
            }),
            Some(message) => step("the sender sends its frame", &|next| {
                next.event = Event::FrameSent(next.sender_bit);
                if next.frames.len() < CAPACITY {
                    next.frames.push(Frame { bit: next.sender_bit, message });
                }
            }),
        }
        if let Some(&frame) = state.frames.first() {
            step("a frame is lost", &|next| {
                next.frames.remove(0);
            });
            step("a frame arrives", &|next| {
                next.frames.remove(0);
                self.receive(next, frame);
            });
            step("a frame arrives, and will arrive again", &|next| self.receive(next, frame));
        }
        if let Some(&bit) = state.acks.first() {
            step("an acknowledgement is lost", &|next| {
                next.acks.remove(0);
            });
            step("an acknowledgement arrives", &|next| {
                next.acks.remove(0);
                next.event = Event::AckReceived(bit);
                if bit == next.sender_bit && next.sending.is_some() {
                    next.sending = None;
                    next.sender_bit = !bit;
                }
            });
        }
    }

    fn propositions<'m>(&'m self, named: &mut Propositions<'m, State>) {
        named.add("in_order", |state| !state.out_of_order);
        named.add("idle", |state| state.sending.is_none());
        named.add("accepted", |state| state.event == Event::Accepted);
        named.add("delivered", |state| matches!(state.event, Event::FrameReceived(_, Some(_))));
        for (k, bit) in [false, true].into_iter().enumerate() {
            named.add(format!("sent_{k}"), move |state| state.event == Event::FrameSent(bit));
            named.add(
                format!("arrived_{k}"),
                move |state| matches!(state.event, Event::FrameReceived(other, _) if other == bit),
            );
            named.add(format!("answered_{k}"), move |state| state.event == Event::AckReceived(bit));
        }
    }
}

/// The sender repeats its frame, and what is sent again and again arrives again and again. To ask this of
/// *some* frames would not be enough: a channel could repeat an old frame for ever.
const FAIR: &str = "G F (idle | sent_0 | sent_1)
    & (G F sent_0 -> G F arrived_0) & (G F sent_1 -> G F arrived_1)
    & (G F arrived_0 -> G F answered_0) & (G F arrived_1 -> G F answered_1)";

const ALL_ARRIVE: &str = "G (accepted -> F delivered)";

fn main() -> Result<(), lariat::Error> {
    let protocol = AlternatingBit { receiver_looks_at_bit: true };

    println!("No message is lost, repeated or overtaken:");
    println!("{}", Checker::new(&protocol).invariant("in_order")?.assert_holds());

    println!("But does every message arrive? Channels that lose everything are channels, too:");
    println!("{}", Checker::new(&protocol).shortest().check(ALL_ARRIVE)?.assert_violated());

    println!("With channels that let something through, every message arrives:");
    println!("{}", check(&protocol, &format!("({FAIR}) -> {ALL_ARRIVE}"))?.assert_holds());

    println!("The assumption asks for nothing impossible (or anything would follow from it):");
    println!(
        "{}",
        Checker::new(&protocol).exists(&format!("({FAIR}) & G F accepted"))?.assert_holds().first_line()
    );

    println!("\nA receiver that does not look at the bit:");
    let careless = AlternatingBit { receiver_looks_at_bit: false };
    println!("{}", Checker::new(&careless).invariant("in_order")?.assert_violated());
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn everything_is_as_it_says() {
        super::main().unwrap();
    }
}
