//! All tests of this crate that see it from outside, as one program: a crate is compiled and linked once for
//! it. `cargo test -p lariat-cli --test all NAME::` runs those of the file `NAME.rs`.

mod automaton;
mod binary;
mod checkpoints;
mod common;
mod compare;
mod crossed;
mod diagnostics;
mod docs;
mod empty;
mod engines;
mod export;
mod formats;
mod influence;
mod limits;
mod models;
mod reduction;
mod regressions;
mod reports;
mod short_runs;
mod simplifications;
mod spin;
mod stores;
mod terminal;
mod threaded_formulas;
mod threads;
mod transcripts;
mod translate;
mod watch;
mod why;
