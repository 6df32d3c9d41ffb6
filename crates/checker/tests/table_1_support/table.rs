//! Table 1 of Schwoon and Esparza 2005 as text: its three sections for each variant, the first two beside
//! each other.

use super::{CASES, Case, VARIANTS};
use std::fmt::Write;

pub fn of_variants() -> String {
    let mut table = String::new();
    for variant in VARIANTS {
        let cases =
            |violated| CASES.iter().filter(move |case| case.model == variant && case.violated == violated);
        writeln!(table, "{variant}\n\n{WITH_CYCLES}").unwrap();
        for case in cases(true) {
            write!(table, "{:16} {:4}", case.property, weak(case)).unwrap();
            for name in ["hpy", "gmz", "se", "gv"] {
                let run = case.run(name);
                write!(table, " | {:5} {:6} {:4}", run.visited, run.transitions, run.depth).unwrap();
            }
            let (c99, gv) = (case.run("c99"), case.run("gv"));
            writeln!(table, " | {:5} | {:7} {:9}", c99.transitions, c99.roots, gv.active).unwrap();
        }
        writeln!(table, "\n{WITHOUT_CYCLES}").unwrap();
        for case in cases(false) {
            let gv = case.run("gv");
            write!(table, "{:16} {:4} | {:6} {:4} |", case.property, weak(case), gv.visited, gv.depth)
                .unwrap();
            for name in ["hpy", "gmz", "se", "c99", "gv"] {
                write!(table, " {:6}", case.transitions(name)).unwrap();
            }
            writeln!(table, " | {:7} {:9}", case.run("c99").roots, gv.active).unwrap();
        }
        table.push('\n');
    }
    table
}

fn weak(case: &Case) -> &'static str {
    if case.weak { "yes" } else { "no" }
}

/// `st` are states visited, `tr` transitions generated, `dp` is the depth.
const WITH_CYCLES: &str = "\
with cycles           | hpy               | gmz               | se                | gv                | c99   |
                 weak |    st     tr   dp |    st     tr   dp |    st     tr   dp |    st     tr   dp |    tr | |roots| |current|";

const WITHOUT_CYCLES: &str = "\
without cycles        |             | transitions                        |
                 weak |     st   dp |    hpy    gmz     se    c99     gv | |roots| |current|";
