//! Who may receive over which rendezvous channel: known before the run, so that few are asked.
//!
//! A process that sends over a rendezvous channel moves, and then every other process is asked whether it
//! receives. Most are at locations where they receive from other channels, or not at all. Channels are mostly
//! constants, so each location has a set of the channels from which a process there may receive, and a state
//! has for each channel a set of the processes that are at such locations ([`Receivers`]). It is made when
//! the first process sends in that state, and the same for all that send in it: in the middle of a
//! rendezvous only the sender is elsewhere.
//!
//! What is not known before the run stands for any channel, and so do the receives of a process whose
//! `provided` clause must be asked first, and of all processes in a model with priorities: to ask may be an
//! error.

use lariat_engine::constants::Constants;
use lariat_model::ir::*;

/// Channels from which a process may receive, as bits. Bit 0 stands for any channel.
pub type ChannelBits = u64;

/// Channels with higher numbers have no bit.
pub const CHANNEL_BITS: usize = ChannelBits::BITS as usize;

const ANY: ChannelBits = 1;

/// Processes have a bit each; from this one on, one for all.
pub const LAST_BIT: u32 = 63;

/// The processes that may receive in a state: a set of them for each channel.
#[repr(C)]
pub struct Receivers {
    /// By the number of the channel, as bits: those that may receive from it. At 0: those that may receive
    /// from any channel, who are not in the other sets.
    pub processes: [u64; CHANNEL_BITS],
    /// The channels whose sets are not empty.
    some: ChannelBits,
}

impl Receivers {
    pub const NOBODY: Receivers = Receivers { processes: [0; CHANNEL_BITS], some: 0 };

    /// Finds the sets of a state, of which these are the processes with what each may receive from.
    #[inline]
    pub fn find(&mut self, processes: impl Iterator<Item = ChannelBits>) {
        let mut some = std::mem::take(&mut self.some);
        while some != 0 {
            self.processes[some.trailing_zeros() as usize] = 0;
            some &= some - 1;
        }
        for (pid, channels) in processes.enumerate() {
            self.some |= channels;
            let mut rest = channels;
            while rest != 0 {
                self.processes[rest.trailing_zeros() as usize] |= 1 << pid.min(LAST_BIT as usize);
                rest &= rest - 1;
            }
        }
    }
}

/// For each location of a process type: from which channels a process there may receive when another one
/// sends.
pub fn of_locations<'a>(
    process: &'a ProcessType,
    constants: &'a Constants,
    priorities: bool,
) -> impl Iterator<Item = ChannelBits> + 'a {
    let asks_first = priorities || process.provided.is_some();
    process.locations.iter().map(move |location| {
        let receives = location.transitions.iter();
        let channels = receives.fold(0, |all, transition| all | of_action(&transition.action, constants));
        if asks_first && channels != 0 { ANY } else { channels }
    })
}

/// From which channels an action, or the beginning of a program, may receive.
fn of_action(action: &Action, constants: &Constants) -> ChannelBits {
    match action {
        Action::Receive(receive) => match constants.value(&receive.channel) {
            Some(number) if (1..CHANNEL_BITS as i32).contains(&number) => 1 << number,
            _ => ANY,
        },
        Action::Program(program) => {
            program.guards.iter().fold(0, |all, guard| all | of_action(guard, constants))
        }
        _ => 0,
    }
}
