//! `lariat stores`: where visited states can be kept; and the options that choose among them.

use crate::Exit;
use crate::args::{Format, LimitArguments, StoresArguments};
use crate::output::print;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use lariat_checker::{DEFAULT_TABLE, Promise, STORES, StoreKind, StoreOptions, render};

/// Where visited states are kept.
#[derive(Debug, Args)]
#[command(next_help_heading = "Where states are kept")]
pub struct StoreArguments {
    /// Where visited states are kept: `lariat stores` describes them
    #[arg(long, value_name = "STORE", default_value = "exact", value_parser = store())]
    pub store: StoreKind,
    /// What happens when there is no memory left: stop, or begin again in a lossy store
    #[arg(long, value_name = "WHAT", default_value = "stop", value_parser = when_full())]
    pub when_full: WhenFull,
    /// With `bitstate`: how many bits a state sets, from 1 to 32
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u32).range(1..=32))]
    pub bits_per_state: u32,
    /// With `bitstate`: bytes of its table, or with K, M, G, T [default: three quarters of `--max-memory`, or
    /// 256M]
    #[arg(long, value_name = "SIZE", value_parser = crate::args::size)]
    pub table_size: Option<u64>,
    /// With a lossy store: search so often, each time with another hash function
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,
}

/// A store, by its name in the list.
fn store() -> impl TypedValueParser<Value = StoreKind> {
    let values = STORES.iter().map(|row| PossibleValue::new(row.name).help(row.keeps));
    PossibleValuesParser::new(values)
        .map(|name| StoreKind::by_name(&name).expect("it is one of the possible values"))
}

/// What happens when there is no memory left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenFull {
    /// The search stops.
    Stop,
    /// It begins again in this store.
    Begin(StoreKind),
}

fn when_full() -> impl TypedValueParser<Value = WhenFull> {
    let lossy = STORES.iter().filter(|row| matches!(row.store, StoreKind::Lossy(_)));
    let lossy = lossy.map(|row| PossibleValue::new(row.name).help("begin again in this store"));
    let values = [PossibleValue::new("stop").help("the verdict is unknown")].into_iter().chain(lossy);
    PossibleValuesParser::new(values)
        .map(|name| StoreKind::by_name(&name).map_or(WhenFull::Stop, WhenFull::Begin))
}

/// Of the memory that a run may take, the table of `bitstate` gets so much: the rest is for the stack.
const TABLE_PART: (u64, u64) = (3, 4);

impl StoreArguments {
    /// The store that was chosen, in a run that may take so much memory. `None` if the options do not go
    /// together, and the user has been told so.
    pub fn options(&self, limits: &LimitArguments, max_memory: Option<u64>) -> Option<StoreOptions> {
        let StoreArguments { store, when_full, bits_per_state, table_size, repeat } = *self;
        let second = match when_full {
            WhenFull::Stop => None,
            WhenFull::Begin(second) => Some(second),
        };
        let (name, second_name) = (store.description().name, second.map(|store| store.description().name));
        let defaults = StoreOptions::default();
        let has_bits = name == "bitstate" || second_name == Some("bitstate");
        if bits_per_state != defaults.bits_per_state && !has_bits {
            crate::output::complain("error: `--bits-per-state` is for `--store bitstate`");
            return None;
        }
        if table_size.is_some() && !has_bits {
            crate::output::complain("error: `--table-size` is for `--store bitstate`");
            return None;
        }
        let is_lossless = store.description().promise == Promise::Exact;
        let is_smaller =
            matches!((name, second_name), (_, None) | ("compact", Some("bitstate"))) || is_lossless;
        if !is_smaller {
            crate::output::complain(
                "error: `--when-full` names a store that takes less memory than the one before: `compact` or \
                 `bitstate` after a lossless one, `bitstate` after `compact`",
            );
            return None;
        }
        if repeat > 1 && is_lossless && second.is_none() {
            crate::output::complain(&format!(
                "error: `--repeat` is for lossy stores: with `{name}`, one search has seen everything",
            ));
            return None;
        }
        let (part, whole) = TABLE_PART;
        let share = max_memory.map(|bytes| bytes / whole * part);
        let table_bytes = match (table_size, limits.max_memory, share) {
            // Never more than there may be.
            (Some(bytes), _, _) => bytes.min(max_memory.unwrap_or(u64::MAX)),
            (None, Some(_), Some(share)) => share,
            (None, None, Some(share)) => share.min(DEFAULT_TABLE),
            (None, _, None) => DEFAULT_TABLE,
        };
        Some(StoreOptions { kind: store, bits_per_state, table_bytes, when_full: second, passes: repeat })
    }
}

pub fn stores(arguments: &StoresArguments) -> anyhow::Result<Exit> {
    print(&match arguments.format {
        Format::Text => render::stores::text(),
        _ => render::stores::json(),
    })?;
    Ok(Exit::Holds)
}
