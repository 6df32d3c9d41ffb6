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
    /// By the number of a process below [`LAST_BIT`]: the channels in whose sets it is.
    channels: [ChannelBits; LAST_BIT as usize],
    /// How many processes these are; those from there on are in no set.
    count: usize,
    /// The channels in whose sets the last bit is.
    of_last_bit: ChannelBits,
}

/// Adds a process to the sets of some channels, or takes it out.
#[inline(always)]
fn change(sets: &mut [u64; CHANNEL_BITS], mut channels: ChannelBits, bit: u32) {
    while channels != 0 {
        sets[channels.trailing_zeros() as usize] ^= 1 << bit;
        channels &= channels - 1;
    }
}

impl Receivers {
    pub const NOBODY: Receivers = Receivers {
        processes: [0; CHANNEL_BITS],
        channels: [0; LAST_BIT as usize],
        count: 0,
        of_last_bit: 0,
    };

    /// Finds the sets of a state, of which these are the processes with what each may receive from. From one
    /// state to the next few of them change.
    #[inline]
    pub fn find(&mut self, mut processes: impl Iterator<Item = ChannelBits>) {
        let Receivers { processes: sets, channels: known, count, of_last_bit } = self;
        let mut found = 0;
        for ((bit, known), channels) in (0..).zip(&mut *known).zip(processes.by_ref()) {
            found += 1;
            if *known != channels {
                change(sets, *known ^ channels, bit);
                *known = channels;
            }
        }
        for (bit, gone) in (0..).zip(&mut known[..*count]).skip(found) {
            change(sets, std::mem::take(gone), bit);
        }
        *count = found;
        let last = if found == known.len() { processes.fold(0, |all, channels| all | channels) } else { 0 };
        change(sets, std::mem::replace(of_last_bit, last) ^ last, LAST_BIT);
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Sets that follow from those of the state before are those of the state alone, whoever comes and goes.
    #[test]
    fn from_state_to_state() {
        let mut seed = 11u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        let mut receivers = Receivers::NOBODY;
        let mut state: Vec<ChannelBits> = Vec::new();
        for _ in 0..20_000 {
            match random(8) {
                0 => state.truncate(random(state.len() as u64 + 1) as usize),
                1 => {
                    let most = if random(9) == 0 { 80 } else { 3 };
                    state.resize(state.len() + random(most) as usize, 0);
                }
                _ => {}
            }
            if !state.is_empty() {
                let at = random(state.len() as u64) as usize;
                state[at] = (1 << random(64)) | if random(3) == 0 { 1 << random(64) } else { 0 };
            }
            receivers.find(state.iter().copied());
            for (channel, set) in receivers.processes.iter().enumerate() {
                let pids = (0..state.len()).filter(|&pid| state[pid] >> channel & 1 == 1);
                assert_eq!(*set, pids.fold(0, |all, pid| all | 1 << pid.min(LAST_BIT as usize)));
            }
        }
    }
}
