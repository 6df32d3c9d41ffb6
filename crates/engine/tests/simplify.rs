//! Simplified models are well-formed and read back, whatever they were before; and what the simplifications
//! leave in a small one.

#[path = "../../model/tests/random_models/mod.rs"]
mod random_models;

use lariat_engine::simplify::{Simplifications, simplify};
use lariat_model::ir::*;
use lariat_model::text::{parse, print};
use lariat_model::verify::verify;
use random_models::{Temper, model as random_model};

const BOTH: Simplifications = Simplifications { reset_dead_variables: true, merge_statements: true };

#[test]
fn random_models_stay_well_formed() {
    let mut resets = 0;
    for seed in 0..2000 {
        let mut model = random_model(Temper::Tame, seed);
        let effect = simplify(&mut model, BOTH);
        resets += effect.resets;
        assert_eq!(verify(&model), Vec::<String>::new(), "seed {seed}");
        assert_eq!(parse(&print(&model)).expect("it reads back"), model, "seed {seed}");
        // What is simple stays as it is.
        let mut again = model.clone();
        again
            .process_types
            .iter_mut()
            .flat_map(|process| &mut process.locations)
            .for_each(|l| l.dead.clear());
        simplify(&mut again, Simplifications { merge_statements: false, ..BOTH });
        assert_eq!(again, model, "seed {seed}");
    }
    assert!(resets > 500, "only {resets} resets");
}

/// A process with these locations, a byte `x` at 0, an array of two at 1, and a constant global 2.
fn model_with(locations: &str) -> Model {
    let statements = "statement 0 \"\"\n";
    let text = format!(
        "lariat-ir 1\nmodel \"m\"\nglobals size 2 hidden 0\nvar \"two\" byte g0.u8\nvar \"g\" byte g1.u8\ninit g0.u8 = 2\n\
         process p0 \"P\" start 1 size 3 parameters 0\nvar \"x\" byte l0.u8\nvar \"a\"[2] byte l1.u8\n{statements}location 0\n{locations}\
         start p0 priority 1\n"
    );
    let model = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(verify(&model), Vec::<String>::new());
    model
}

#[test]
fn constants_are_folded_and_errors_stay() {
    let mut model = model_with(
        "location 1\n-> 2 #0 set l1[g0.u8 - 1 of 2 by 1].u8 = g0.u8 + (3 * g0.u8)\n-> 2 #0 when g0.u8 == 2\n-> 2 #0 when g0.u8 == 3\n\
         -> 2 #0 set l0.u8 = 1 / (g0.u8 - 2)\n-> 2 #0 set l1[g0.u8 of 2 by 1].u8 = g1.u8\nlocation 2\n-> 1 #0 set g1.u8 = (g0.u8 ? l0.u8 : 7)\n",
    );
    simplify(&mut model, Simplifications::default());
    let text = print(&model);
    for line in [
        "set l2.u8 = 8",
        "-> 2 #0 skip",
        "when 0",
        "set l0.u8 = 1 / 0",
        "set l1[2 of 2 by 1].u8 = g1.u8",
        "set g1.u8 = l0.u8",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
}

#[test]
fn what_is_dead_where() {
    let mut model = model_with(
        "location 1\n-> 2 #0 set l0.u8 = 1\nlocation 2\n-> 3 #0 set g1.u8 = l0.u8\nlocation 3\n-> 4 #0 set l1[g1.u8 of 2 by 1].u8 = 1\n\
         location 4\n-> 5 #0 set g1.u8 = l1[g1.u8 of 2 by 1].u8\nlocation 5 end\n",
    );
    let effect = simplify(&mut model, Simplifications { merge_statements: false, ..BOTH });
    let locations = model.process_types[0].locations.iter();
    let dead: Vec<String> = locations.map(|location| format!("{:?}", location.dead)).collect();
    // Of the array it is never known that all of it is overwritten: it lives from the start. `x` is written
    // first.
    assert_eq!(dead, ["[]", "[0..1]", "[]", "[0..1]", "[]", "[1..3]"]);
    assert_eq!(effect.resets, 3);
}
