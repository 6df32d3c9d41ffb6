//! What a property sees of a run: which of its propositions become true and false at each step, which stay
//! so in the cycle, and, on demand, how its automaton moves.
//!
//! A property reads the states that lie between transitions. A transition may be several steps, and only
//! behind the last of them does the property look again; where nothing happens any more, it reads the last
//! state for ever.

use crate::properties::Property;
use crate::report::{AutomatonMove, AutomatonRun, Counterexample, PropositionFacts};
use lariat_engine::SuccessorFunction;
use lariat_ltl::text::{self, Style, label_text, without_brackets};
use lariat_ltl::{Letter, Word};
use lariat_search::emptiness::{Lasso, MarkSet, Product, ProductStep};
use lariat_search::product::ModelProduct;
use lariat_search::{Ending, LassoRun};
use lariat_store::StateStore;
use lariat_verdict::Goal;

/// The names of a property's propositions, as people are to see them.
pub fn names<'a>(property: &Property, texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let named = |text: &str| match property {
        Property::Acceptance => "a process is at an accept label".to_string(),
        Property::NonProgress => "no process is at a progress label".to_string(),
        _ => without_brackets(text).to_string(),
    };
    texts.map(named).collect()
}

/// After how many steps of the run each letter of its word is read, first the initial state's, after none.
pub(crate) fn read_after(run: &LassoRun) -> Vec<u64> {
    let mut steps = 0;
    let mut places = vec![0];
    for stage in run.prefix.iter().chain(&run.cycle) {
        steps += stage.steps.len() as u64;
        if stage.ends_transition {
            places.push(steps);
        }
    }
    places
}

/// Says at each step which propositions become true and false there.
pub fn add_propositions(example: &mut Counterexample, run: &LassoRun, names: &[String]) {
    if names.is_empty() {
        return;
    }
    let Word { prefix, cycle } = &run.word;
    let letters: Vec<&Letter> = prefix.iter().chain(cycle).collect();
    let picked = |keep: &dyn Fn(u32) -> bool| -> Vec<String> {
        (0..).zip(names).filter(|(number, _)| keep(*number)).map(|(_, name)| name.clone()).collect()
    };
    let (Some(first), Some(entry)) = (letters.first(), letters.get(prefix.len())) else { return };
    let repeats = !example.cycle.is_empty();
    example.propositions = Some(PropositionFacts {
        initially_true: picked(&|number| first.get(number)),
        initially_false: picked(&|number| !first.get(number)),
        always_in_cycle: picked(&|number| repeats && cycle.iter().all(|letter| letter.get(number))),
        never_in_cycle: picked(&|number| repeats && !cycle.iter().any(|letter| letter.get(number))),
    });
    let places = read_after(run);
    let mut steps = example.prefix.iter_mut().chain(&mut example.cycle).filter(|step| step.number > 0);
    for (place, pair) in places.windows(2).enumerate() {
        let [_, until] = *pair else { continue };
        let Some(step) = steps.find(|step| step.number == until) else { return };
        // The last step of a cycle leads to its first state.
        let before = letters.get(place).unwrap_or(entry);
        let after = letters.get(place + 1).unwrap_or(entry);
        step.becomes_true = picked(&|number| !before.get(number) && after.get(number));
        step.becomes_false = picked(&|number| before.get(number) && !after.get(number));
    }
}

/// How the automaton of a property moves along a run.
pub fn automaton_run<M: SuccessorFunction, S: StateStore, K: MarkSet>(
    product: &mut ModelProduct<M, S, K>,
    lasso: &Lasso,
    run: &LassoRun,
    goal: &Goal,
) -> AutomatonRun {
    let mut bdds = goal.bdds.clone();
    let places = read_after(run);
    let steps_of_run = places.last().copied().unwrap_or(0);
    let entry = lasso.cycle.first().map(|step| step.state);
    let nodes: Vec<ProductStep> = lasso.prefix.iter().chain(&lasso.cycle).copied().collect();
    let all = K::all(goal.automaton.sets);
    let mut moves = Vec::new();
    let mut arcs = Vec::new();
    for (k, node) in nodes.iter().enumerate() {
        let Some(next) = nodes.get(k + 1).map(|step| step.state).or(entry) else { break };
        arcs.clear();
        product.post(node.state, &mut arcs);
        let marks = arcs.get(node.arc as usize).map(|arc| arc.marks);
        let (from, to) = (product.property_state(node.state), product.property_state(next));
        let letter = run.word.letter(k);
        let taken = goal.automaton.leaving(from).iter().find(|edge| {
            edge.to == to
                && marks.is_none_or(|marks| marks & all == K::narrow(edge.marks))
                && bdds.evaluate(edge.label, |proposition| letter.get(proposition))
        });
        let label = taken.map_or(String::new(), |edge| {
            label_text(&mut bdds, edge.label, &goal.automaton.propositions, Style::Text)
        });
        // Where nothing happens any more, the line that says so comes last.
        let ended = run.ending == Ending::Stops && k >= lasso.prefix.len();
        let after = if ended { steps_of_run + 1 } else { *places.get(k).unwrap_or(&steps_of_run) };
        let all = goal.automaton.all_marks();
        let marks = taken.map_or(all, |edge| edge.marks);
        moves.push(AutomatonMove {
            after,
            from,
            to,
            label,
            marks: marks.iter().collect(),
            accepting: marks == all,
        });
    }
    let cycle = moves.split_off(lasso.prefix.len());
    AutomatonRun { text: text::write(&goal.automaton, &mut bdds), prefix: moves, cycle }
}
