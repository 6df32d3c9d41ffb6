//! Makes the page of a comparison again:
//! `cargo run -p lariat-laboratory --example page -- results.json page.html`.

use std::error::Error;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [results, page] = arguments.as_slice() else {
        return Err("usage: page RESULTS.json PAGE.html".into());
    };
    let comparison = serde_json::from_str(&fs::read_to_string(results)?)?;
    fs::write(page, lariat_laboratory::page::page(&comparison))?;
    Ok(())
}
