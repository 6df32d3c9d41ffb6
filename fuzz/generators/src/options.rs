//! What the caller may set, and what one model makes of it.
//!
//! Models that use every feature at once are all alike and mostly dead on arrival. So each model first draws
//! a profile, a random subset of the features that the options allow, and is generated from those only: pairs
//! of features meet often and undisturbed. Some features exclude each other because Spin refuses the
//! combination; the profile settles that.

use crate::random::Random;

/// Sizes and feature switches. The default allows everything and gives models of some tens to some thousands
/// of states.
#[derive(Clone, Debug)]
pub struct GeneratorOptions {
    /// The most process types beside `init`.
    pub max_process_types: usize,
    /// The most processes that exist from the beginning.
    pub max_processes: usize,
    /// The fewest and the most statements of a process, about.
    pub statements: (usize, usize),
    /// How deep compound statements nest.
    pub max_depth: usize,
    /// The most global variables that are not channels.
    pub max_globals: usize,
    /// The most global channels; a model may have two all the same, of different shapes.
    pub max_channels: usize,
    /// The share of models, in percent, that may contain `atomic` and `d_step`.
    pub atomic_percent: u32,
    pub features: Features,
}

impl Default for GeneratorOptions {
    fn default() -> Self {
        GeneratorOptions {
            max_process_types: 4,
            max_processes: 4,
            statements: (3, 24),
            max_depth: 3,
            max_globals: 4,
            max_channels: 3,
            atomic_percent: 56,
            features: Features::all(),
        }
    }
}

macro_rules! features {
    ($($(#[$note:meta])* $name:ident $percent:literal;)*) => {
        /// Language features: allowed, in the options; used, in the profile of one model.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Features { $($(#[$note])* pub $name: bool,)* }

        impl Features {
            /// Everything allowed.
            pub fn all() -> Self {
                Features { $($name: true,)* }
            }

            /// Nothing allowed but variables, expressions, `if` and `do`.
            pub fn none() -> Self {
                Features { $($name: false,)* }
            }

            /// Each allowed feature, with its own probability.
            fn draw(&self, random: &mut Random) -> Self {
                Features { $($name: { let lucky = random.chance($percent); self.$name && lucky },)* }
            }
        }
    };
}

features! {
    atomic 75;
    d_step 55;
    channels 72;
    rendezvous 55;
    /// `!!`, `??`, `?<>` and their combinations.
    channel_variants 50;
    /// `len`, `empty`, `full` and so on, and `?[…]`.
    polls 45;
    channel_arrays 35;
    /// Channels in messages, in parameters and in variables.
    channel_values 40;
    local_channels 25;
    /// An `else` beside a send or a receive.
    else_with_io 20;
    records 32;
    arrays 50;
    mtypes 45;
    hidden 15;
    /// Signed types and values below 0.
    signed 50;
    /// `run`, from `init` and from other processes.
    dynamic 45;
    provided 10;
    priorities 8;
    deterministic_processes 8;
    unless 36;
    inlines 35;
    macros 35;
    gotos 40;
    /// Labels with the prefixes `progress` and `accept`.
    special_labels 20;
    /// Labels with the prefix `end`, where processes tend to wait.
    end_labels 60;
    for_loops 35;
    select 25;
    remote_references 16;
    /// `enabled` and `pc_value`.
    introspection 7;
    last 5;
    timeout 18;
    assertions 45;
    prints 25;
    /// `_pid` and `_nr_pr`.
    process_numbers 40;
    conditionals 40;
    declarations_in_blocks 35;
    implied_semicolons 45;
    arrows 70;
}

/// The features that one model uses.
pub(crate) fn draw_profile(options: &GeneratorOptions, random: &mut Random) -> Features {
    let mut profile = options.features.draw(random);
    if !random.chance(options.atomic_percent) {
        profile.atomic = false;
        profile.d_step = false;
    } else if options.features.atomic && !profile.d_step {
        profile.atomic = true;
    }
    if !profile.channels {
        profile.rendezvous = false;
        profile.local_channels = false;
        profile.channel_values = false;
    }
    // Spin refuses these with rendezvous channels.
    if profile.priorities || profile.introspection {
        profile.rendezvous = false;
    }
    profile
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_stays_within_the_options() {
        let options = GeneratorOptions { features: Features::none(), ..GeneratorOptions::default() };
        for seed in 0..100 {
            assert_eq!(draw_profile(&options, &mut Random::new(seed)), Features::none());
        }
    }
}
