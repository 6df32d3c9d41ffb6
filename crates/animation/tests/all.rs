//! All tests are one program, which is linked once.

mod definitions;
mod graphs;
mod pictures;
mod texts;
