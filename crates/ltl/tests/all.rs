//! All tests of this crate that see it from outside, as one program: a crate is compiled and linked once for
//! it. `cargo test -p lariat-ltl --test all NAME::` runs those of the file `NAME.rs`.

mod alternating;
mod complement;
mod evaluate;
mod explain;
mod explain_automaton;
mod family;
mod hoa;
mod messages;
mod never;
mod parse;
mod translate;
