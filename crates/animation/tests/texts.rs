//! Every moment has its line, every line its moment, and every step a sentence.

use crate::graphs::{Random, Small};
use lariat_animation::examples::EXAMPLES;
use lariat_animation::pseudocode::pseudocode;
use lariat_animation::{About, Animation, Graph, Kind, Recording, record, text};
use lariat_ltl::Marks;
use lariat_search::emptiness::{ALGORITHMS, Arc, Check, Pair, Product};
use lariat_search::{Event, Limits};
use lariat_store::StateId;
use std::collections::BTreeSet;

/// A graph with one pair: what meets mark 0 must meet mark 1, which nothing does on the large cycle.
struct Paired(Vec<Vec<Arc>>, Vec<Pair>);

impl Product for Paired {
    type Marks = Marks;

    fn sets(&self) -> u32 {
        0
    }

    fn pairs(&self) -> &[Pair] {
        &self.1
    }

    fn initial_states(&mut self, out: &mut Vec<StateId>) {
        out.push(StateId(0));
    }

    fn post(&mut self, state: StateId, out: &mut Vec<Arc>) {
        out.extend_from_slice(&self.0[state.index()]);
    }

    fn is_accepting(&self, _: StateId) -> bool {
        false
    }

    fn stored(&self) -> u64 {
        self.0.len() as u64
    }
}

fn animated<P: Product<Marks = Marks>>(product: &mut P, check: Check, mut each: impl FnMut(&Animation)) {
    let recording = record(product, check, Limits::default()).unwrap();
    let name = |_: &P, state: StateId| About { name: state.0.to_string(), text: String::new() };
    let graph = Graph::of(product, &[&recording], name);
    each(&Animation::new(&graph, recording));
}

fn note_lines(animation: &Animation, ran: &mut BTreeSet<(&'static str, usize)>) {
    let name = animation.recording.check.description().name;
    for step in &animation.steps {
        assert!(!step.lines.is_empty(), "{name}: no line for {step:?}");
        ran.extend(step.lines.iter().map(|&line| (name, line)));
        // Whatever a check decides is a step of its own.
        let decides = |event: &&Event| {
            matches!(
                event,
                Event::Arc { .. }
                    | Event::Expanded { .. }
                    | Event::Nested(_)
                    | Event::NestedOver
                    | Event::Merged { .. }
                    | Event::Left(_)
            )
        };
        let decided = animation.recording.events[step.events.clone()].iter().filter(decides).count();
        assert!(decided <= 1, "{name}: {step:?}");
        let sentence = &step.sentence;
        assert!(sentence.ends_with(['.', '?']) && !sentence.contains("StateId"), "{name}: {sentence}");
    }
}

#[test]
fn every_step_has_a_line_and_every_line_a_step() {
    let mut random = Random(4);
    let mut ran = BTreeSet::new();
    for _ in 0..1500 {
        let graph = Small::random(&mut random);
        for row in ALGORITHMS.iter().filter(|row| graph.admits(row.check)) {
            animated(&mut graph.product(), row.check, |animation| note_lines(animation, &mut ran));
        }
    }
    // What `streett` refines: the large cycle is unfair, the loop at 2 is fair; or nothing is.
    for with_loop in [false, true] {
        let mut loops = vec![Arc { to: StateId(0), marks: Marks::one(0) }];
        if with_loop {
            loops.push(Arc { to: StateId(2), marks: Marks::NONE });
        }
        let arc = |to| Arc { to: StateId(to), marks: Marks::one(0) };
        let pairs = vec![Pair { first: 0, second: Some(1) }];
        let mut product = Paired(vec![vec![arc(1)], vec![arc(2)], loops], pairs);
        animated(&mut product, Check::Streett, |animation| {
            note_lines(animation, &mut ran);
            let kind = if with_loop { Kind::Found } else { Kind::Over };
            assert_eq!(animation.steps.last().map(|step| step.kind), Some(kind));
        });
    }
    for row in ALGORITHMS {
        for (number, line) in pseudocode(row.check).iter().enumerate() {
            let runs = ran.contains(&(row.name, number));
            assert_eq!(runs, !line.at.is_empty(), "{}: {}", row.name, line.text);
        }
    }
}

/// A line of pseudo-code fits its box, and the sentences of the slides are those that people were promised.
#[test]
fn the_slides_in_words() {
    for row in ALGORITHMS {
        let widest = pseudocode(row.check).iter().map(|line| line.text.chars().count()).max();
        assert!(widest <= Some(52), "{}", row.name);
    }
    let slides = EXAMPLES[0].automaton();
    let mut product = lariat_search::emptiness::ExplicitProduct::of(&slides);
    animated(&mut product, Check::NestedDfsColours, |animation| {
        let told = text::text(animation);
        for sentence in [
            "State 3 is new, and accepts: it becomes cyan; one arc leaves it.",
            "All is done from 3, and it accepts: the red search starts.",
            "Arc 3 → 4: 4 is blue: it becomes red, and the red search goes there.",
            "The search goes back from 3, which becomes red.",
            "Arc 6 → 4: 4 is red: nothing to do.",
            "Arc 6 → 5: 5 is cyan, and 6 accepts.",
            "There is an accepting run: 0, then 5 6 again and again.",
        ] {
            assert!(told.contains(sentence), "{sentence} in\n{told}");
        }
    });
}

#[test]
fn examples_are_what_their_titles_say() {
    let mut names = BTreeSet::new();
    for example in EXAMPLES {
        assert!(names.insert(example.name));
        let states = example.arcs.len() as u32;
        assert!(example.arcs.iter().flat_map(|to| to.iter()).all(|&to| to < states), "{}", example.name);
        assert!(example.accepting.iter().all(|&(state, set)| state < states && set < example.sets));
        assert!(example.arcs.iter().all(|to| to.is_sorted()), "{}", example.name);
    }
    let visited = |name: &str, check: Check| {
        let automaton = lariat_animation::examples::Example::by_name(name).unwrap().automaton();
        let mut product = lariat_search::emptiness::ExplicitProduct::of(&automaton);
        let recording: Recording = record(&mut product, check, Limits::default()).unwrap();
        (recording.counts.visited, recording.counts.found_nested, recording.counts.post_calls)
    };
    let (nested, components, tarjan) = (Check::NestedDfsColours, Check::RootsAndActive, Check::Tarjan);
    assert!(visited("nested-wins", nested).0 < visited("nested-wins", tarjan).0);
    assert!(visited("components-win", components).0 < visited("components-win", nested).0);
    assert!(visited("stop-at-path", Check::NestedDfsStack).2 < visited("stop-at-path", Check::NestedDfs).2);
    assert!(!visited("early-detection", Check::NestedDfsBlack).1);
    assert!(visited("early-detection", Check::NestedDfsStack).1);
    assert_eq!(visited("all-red", Check::NestedDfsAllRed).2, 5);
}
