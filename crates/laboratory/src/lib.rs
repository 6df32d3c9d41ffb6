//! `lariat compare`: many cases, many configurations, and what can be said about them.
//!
//! A comparison is one document, `results.json`. [`page`] shows it to people.

pub mod page;
