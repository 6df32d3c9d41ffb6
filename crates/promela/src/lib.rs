pub mod ast;
mod flow;
mod lex;
mod lower;
mod names;
mod parse;
mod preprocess;
mod read;
mod token;
mod visit;

pub use parse::{ReadOptions, parse_expression, parse_file, parse_file_keeping_macros, parse_text};
pub use preprocess::Macros;
pub use read::{read_model, read_text};
