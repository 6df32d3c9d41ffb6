//! The table of stores, as text and as JSON. The schema is in `docs/json.md`.

use lariat_search::emptiness::ALGORITHMS;
use lariat_store::{Promise, STORES, StoreDescription};
use serde::Serialize;
use std::fmt::Write;

/// The schema of the JSON.
pub const STORE_SCHEMA: &str = "lariat-store/1";

#[derive(Serialize)]
struct StoreView {
    schema: &'static str,
    name: &'static str,
    keeps: &'static str,
    promise: &'static str,
    cost: &'static str,
    algorithms: Vec<&'static str>,
}

/// The checks for infinite runs that can do with a store.
fn algorithms(row: &StoreDescription) -> Vec<&'static str> {
    ALGORITHMS.iter().filter(|check| check.store <= row.offers).map(|check| check.name).collect()
}

/// A paragraph for each store.
pub fn text() -> String {
    let mut text = String::new();
    for row in STORES {
        let _ = writeln!(text, "{}", row.name);
        let algorithms = algorithms(row);
        let algorithms =
            if algorithms.len() == ALGORITHMS.len() { "all".to_string() } else { algorithms.join(", ") };
        let promise = match row.promise {
            Promise::Exact => "no state is missed",
            Promise::Lossy => "never a false alarm, but a state may be missed; how likely that is, is told",
        };
        for (name, value) in [
            ("keeps of a state", row.keeps),
            ("takes for a state", row.cost),
            ("promises", promise),
            ("algorithms", &algorithms),
        ] {
            let _ = writeln!(text, "  {:<20}{value}", format!("{name}:"));
        }
    }
    text
}

/// An object on a line of its own for each store.
pub fn json() -> String {
    let view = |row: &StoreDescription| StoreView {
        schema: STORE_SCHEMA,
        name: row.name,
        keeps: row.keeps,
        promise: row.promise.name(),
        cost: row.cost,
        algorithms: algorithms(row),
    };
    STORES.iter().map(|row| super::json::line(&view(row))).collect()
}
