//! The page: one HTML file that needs nothing else, with one search to watch, or two on the same graph.
//!
//! The page holds what changes from step to step, as JSON: looks of states and arcs, lists, counters. The
//! program beside it only applies changes and draws; it knows no algorithm. What a model's author wrote
//! stands only in the JSON, where `<` is written as an escape, so that nothing can end its element, and is
//! shown by text nodes only; a policy in the head forbids every request.

use crate::graph::{Graph, shown_marks};
use crate::legend::legend;
use crate::pseudocode::pseudocode;
use crate::scene::{ArcLook, Counters, Look, Scene};
use crate::steps::{Animation, Kind};
use lariat_ltl::Marks;
use lariat_store::StateId;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const PROGRAM: &str = include_str!("page.js");

/// The page of one animation, or of two on the same graph.
pub fn page(title: &str, about: &str, animations: &[&Animation]) -> String {
    // In JSON, `<` stands only inside strings.
    let data = data(title, about, animations).to_string().replace('<', "\\u003c");
    let mut filled = String::new();
    let mut rest = TEMPLATE;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, behind)) = after.split_once("}}") else { break };
        filled.push_str(before);
        match name {
            "title" => filled.push_str(&escaped(title)),
            "style" => filled.push_str(STYLE),
            "data" => filled.push_str(&data),
            "program" => filled.push_str(PROGRAM),
            _ => {}
        }
        rest = behind;
    }
    filled + rest
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn data(title: &str, about: &str, animations: &[&Animation]) -> Value {
    json!({
        "title": title,
        "about": about,
        "kinds": Kind::ALL.map(Kind::name),
        "graph": animations.first().map(|animation| graph(animation.graph)),
        "runs": animations.iter().map(|animation| run(animation)).collect::<Vec<Value>>(),
    })
}

/// What never changes.
fn graph(graph: &Graph) -> Value {
    let states = graph.states.iter().map(|state| {
        let sets = match graph.marked_states && graph.sets > 1 && state.marks != Marks::NONE {
            true => shown_marks(state.marks),
            false => String::new(),
        };
        json!([
            round(state.at.x),
            round(state.at.y),
            state.about.name,
            state.about.text,
            state.accepting && graph.sets == 1,
            sets,
            state.initial
        ])
    });
    let arcs = graph.arcs.iter().map(|arc| {
        let marked = arc.marks.iter().any(|&marks| marks != Marks::NONE);
        let marks: Vec<String> = arc.marks.iter().map(|&marks| shown_marks(marks)).collect();
        let text = if marked { marks.join(" ") } else { String::new() };
        json!([arc.line, text, round(arc.text_at.x), round(arc.text_at.y)])
    });
    json!({
        "width": graph.size.x.ceil(),
        "height": graph.size.y.ceil(),
        "states": states.collect::<Vec<Value>>(),
        "arcs": arcs.collect::<Vec<Value>>(),
        "notDrawn": graph.not_drawn,
    })
}

fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// What changes in each step.
fn run(animation: &Animation) -> Value {
    let (graph, recording) = (animation.graph, &animation.recording);
    let description = recording.check.description();
    let mut changes = Changes::new(graph);
    let mut steps = Vec::new();
    let mut titles = Vec::new();
    animation.play(|_, step, scene, touched| {
        if titles.is_empty() {
            titles = scene.lists().iter().map(|list| list.title).collect();
        }
        let Changed { states, arcs, lists, counters } = changes.after(scene, touched);
        let kind = Kind::ALL.iter().position(|&kind| kind == step.kind);
        steps.push(json!([kind, step.lines, step.sentence, states, arcs, lists, counters]));
    });
    let colours = legend(recording.check).iter().map(|&(fill, meaning)| json!([fill.name(), meaning]));
    json!({
        "name": description.name,
        "what": description.title,
        "paper": description.paper,
        "code": pseudocode(recording.check).iter().map(|line| line.text).collect::<Vec<&str>>(),
        "lists": titles,
        "legend": colours.collect::<Vec<Value>>(),
        "steps": steps,
    })
}

/// What looked otherwise before.
struct Changes<'g> {
    graph: &'g Graph,
    leaving: Vec<Vec<usize>>,
    states: Vec<Look>,
    arcs: Vec<ArcLook>,
    /// Of the lists.
    lengths: [usize; MOST_LISTS],
    counters: Option<Counters>,
}

/// No check has more lists.
const MOST_LISTS: usize = 4;

struct Changed {
    states: Vec<Value>,
    arcs: Vec<Value>,
    lists: Vec<Value>,
    counters: Value,
}

impl<'g> Changes<'g> {
    fn new(graph: &'g Graph) -> Changes<'g> {
        let mut leaving = vec![Vec::new(); graph.states.len()];
        graph.arcs.iter().enumerate().for_each(|(place, arc)| leaving[arc.from].push(place));
        Changes {
            graph,
            leaving,
            states: vec![Look::default(); graph.states.len()],
            arcs: vec![ArcLook::default(); graph.arcs.len()],
            lengths: [0; MOST_LISTS],
            counters: None,
        }
    }

    fn after(&mut self, scene: &Scene, touched: &[StateId]) -> Changed {
        let places: BTreeSet<usize> = touched.iter().filter_map(|&state| self.graph.place(state)).collect();
        let (mut states, mut arcs) = (Vec::new(), Vec::new());
        for &place in &places {
            let look = scene.look(self.graph.states[place].id);
            if look != self.states[place] {
                let flags = bits(&[look.known, look.on_path, look.on_nested, look.here, look.on_lasso]);
                states.push(json!([place, look.fill.name(), flags, look.note]));
                self.states[place] = look;
            }
            for &arc in &self.leaving[place] {
                let look = scene.arc_look(arc);
                if look != self.arcs[arc] {
                    let flags = bits(&[look.known, look.now, look.on_path, look.on_nested, look.on_lasso]);
                    arcs.push(json!([arc, flags]));
                    self.arcs[arc] = look;
                }
            }
        }
        let mut lists = Vec::new();
        for (place, list) in scene.lists().iter().enumerate() {
            if list.unchanged != self.lengths[place] || list.unchanged != list.items.len() {
                lists.push(json!([place, list.unchanged, list.items[list.unchanged..]]));
            }
            self.lengths[place] = list.items.len();
        }
        let counted = scene.counters;
        let counters = match self.counters.replace(counted) == Some(counted) {
            true => Value::Null,
            false => json!([
                counted.visited,
                counted.post_calls,
                counted.transitions,
                counted.nested_searches,
                counted.depth
            ]),
        };
        Changed { states, arcs, lists, counters }
    }
}

fn bits(flags: &[bool]) -> u32 {
    flags.iter().enumerate().map(|(place, &set)| u32::from(set) << place).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::Example;
    use crate::recording::record;
    use lariat_search::Limits;
    use lariat_search::emptiness::{Check, ExplicitProduct};

    #[test]
    fn the_page_asks_for_nothing_from_elsewhere() {
        // Tips of arrows are parts of the page itself.
        let page = [TEMPLATE, STYLE, PROGRAM].concat().replace("url(#tip-", "");
        for wanted in [" src=", "@import", "url(", "fetch(", "<iframe", "innerHTML", "eval("] {
            assert!(!page.contains(wanted), "{wanted}");
        }
    }

    /// What is told to have changed, and what looks otherwise, is the same: after every step of every check.
    #[test]
    fn no_change_is_forgotten() {
        for name in ["slides", "components-win", "active-graph", "three-sets"] {
            for description in lariat_search::emptiness::ALGORITHMS {
                let example = Example::by_name(name).unwrap();
                let check = description.check;
                let needs_one = description.needs != lariat_search::emptiness::Needs::AnySets;
                if needs_one && example.sets > 1 || matches!(check, Check::SimpleDfs | Check::Reachability) {
                    continue;
                }
                let mut product = ExplicitProduct::of(&example.automaton());
                let recording = record(&mut product, check, Limits::default()).unwrap();
                let graph = Graph::of(&mut product, &[&recording], |_, _| Default::default());
                let animation = Animation::new(&graph, recording);
                let mut changes = Changes::new(&graph);
                let mut lists: [Vec<Value>; MOST_LISTS] = Default::default();
                animation.play(|number, _, scene, touched| {
                    for change in changes.after(scene, touched).lists {
                        let [place, same, items] = change.as_array().unwrap().as_slice() else { panic!() };
                        let list = &mut lists[place.as_u64().unwrap() as usize];
                        list.truncate(same.as_u64().unwrap() as usize);
                        list.extend(items.as_array().unwrap().iter().cloned());
                    }
                    for (list, meant) in lists.iter().zip(scene.lists()) {
                        assert_eq!(json!(list), json!(meant.items), "{name} {check:?} {number}");
                    }
                    for (place, state) in graph.states.iter().enumerate() {
                        assert_eq!(changes.states[place], scene.look(state.id), "{name} {check:?} {number}");
                    }
                    for place in 0..graph.arcs.len() {
                        assert_eq!(changes.arcs[place], scene.arc_look(place), "{name} {check:?} {number}");
                    }
                });
            }
        }
    }
}
