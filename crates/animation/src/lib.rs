//! A search to watch: what an emptiness check does, step by step, on a graph that is drawn once.
//!
//! [`record()`] runs a check on a product and keeps its events. [`Graph::of`] asks the product for the part
//! that was seen, and lays it out, so that nothing moves while the search goes on. [`Animation`] puts both
//! together: it replays the events ([`Scene`]), groups them into [`Step`]s, and says of each what happens
//! and which lines of the pseudo-code run ([`pseudocode`]). Three renderers show the steps: a page
//! ([`page`]), pictures ([`frame`]), and text ([`text`]).
//!
//! The checks do not know that somebody listens. All that is shown is derived from what they tell
//! (`lariat_search::Event`), so a page cannot show a search that was not run.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod examples;
pub mod frame;
mod graph;
mod layout;
mod legend;
pub mod page;
pub mod pseudocode;
mod recording;
mod scene;
mod sentences;
mod steps;
pub mod text;

pub use graph::{About, DrawnArc, DrawnState, Graph, MOST_DRAWN};
pub use layout::Point;
pub use legend::legend;
pub use recording::{Answer, MOST_EVENTS, Recording, record};
pub use scene::{ArcLook, Counters, Fill, List, Look, Note, OnPath, Scene};
pub use steps::{Animation, Kind, Step};
