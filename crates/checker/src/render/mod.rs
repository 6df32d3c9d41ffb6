//! How results look: text for people, JSON for programs.

pub mod components;
pub mod formats;
pub mod json;
pub mod layouts;
pub mod page;
pub mod pan;
pub mod spin_chart;
pub mod spin_run;
pub mod stores;
pub mod text;
