//! Explores a model with both engines, and says how fast each was.

use lariat_compiled::CompiledModel;
use lariat_model::{Interpreter, SuccessorFunction};
use lariat_promela::{ReadOptions, read_model};
use lariat_search::{Limits, Question, depth_first};
use lariat_source::SourceMap;
use lariat_store::ExactStore;
use std::time::Instant;

fn run(name: &str, model: &impl SuccessorFunction) {
    let start = Instant::now();
    let mut store = ExactStore::new();
    let outcome = depth_first(model, &mut store, Question::Everything, Limits::default(), None);
    let seconds = start.elapsed().as_secs_f64();
    let counts = outcome.counts;
    println!(
        "{name}: {} states, {} transitions, {seconds:.3} s, {:.0} ns a transition, {} bytes a state",
        counts.stored,
        counts.transitions,
        seconds * 1e9 / counts.transitions as f64,
        counts.states_bytes / counts.stored
    );
}

fn main() {
    for path in std::env::args().skip(1).filter(|a| a != "-i") {
        let (model, _) = read_model(path.as_ref(), &ReadOptions::default(), &mut SourceMap::new()).unwrap();
        let model = model.expect("a model without errors");
        let start = Instant::now();
        let compiled = CompiledModel::new(Interpreter::new(&model)).expect("it can be compiled");
        println!(
            "{path}: compiled in {:.1} ms, {} bytes",
            start.elapsed().as_secs_f64() * 1e3,
            compiled.code_bytes()
        );
        run("compiled", &compiled);
        if std::env::args().any(|a| a == "-i") {
            run("interpreted", &Interpreter::new(&model));
        }
    }
}
