//! Searches with several threads.
//!
//! The parts, one mechanism each: [`gang`] how workers share work, sleep when there is none, and know that
//! all of it is done; [`handle`] how they share a store, and stop together when it must grow; `together` the
//! search for violations out of order, by several workers, `turns` the same for a store that they can only
//! use in turns; `levels` a level of a breadth-first search.
//!
//! What is the same however many threads there are: the verdict; of a search that comes to its end, the
//! numbers of states and transitions; and what is shown of a violation, because that is found by a search in
//! order, with one thread, once it is known that there is one (`depth_first.rs`).

pub mod gang;
pub mod handle;
pub(crate) mod levels;
pub(crate) mod together;
pub(crate) mod turns;
