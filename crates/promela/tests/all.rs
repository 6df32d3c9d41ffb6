//! All tests of this crate that see it from outside, as one program: a crate is compiled and linked once for
//! it. `cargo test -p lariat-promela --test all NAME::` runs those of the file `NAME.rs`.

mod common;
mod diagnostics;
mod garbled;
mod mutants;
mod parse;
mod robust;
mod spin_numbers;
