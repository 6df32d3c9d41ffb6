//! A step as a picture in SVG, for slides: the graph, the stacks, the pseudo-code, and the sentence.
//!
//! Every picture of an animation has the same size, and nothing in it moves. Colours stand in the picture
//! itself; the page has its own, for light and dark.

use crate::graph::{Graph, shown_marks};
use crate::layout::RADIUS;
use crate::pseudocode::pseudocode;
use crate::scene::{Fill, Scene};
use crate::steps::{Animation, Step};
use std::fmt::Write;

/// The pictures, in the order of the steps. Stops with the first error of the receiver.
pub fn frames<E>(
    animation: &Animation,
    mut each: impl FnMut(usize, String) -> Result<(), E>,
) -> Result<(), E> {
    let measures = Measures::of(animation);
    let mut result = Ok(());
    animation.play(|number, step, scene, _| {
        if result.is_ok() {
            result = each(number, picture(&measures, number, animation.steps.len(), step, scene));
        }
    });
    result
}

/// How large the parts of a picture are: the same in all pictures of an animation.
struct Measures {
    graph: (f64, f64),
    lists: usize,
    longest: usize,
}

/// A line of text.
const LINE: f64 = 19.0;
const CODE_WIDTH: f64 = 430.0;
const MARGIN: f64 = 16.0;
/// A character of the fixed-width font.
const CHARACTER: f64 = 7.8;
/// A sentence has at most so many lines.
const MOST_SENTENCE_LINES: usize = 3;
/// The narrowest graph.
const NARROWEST: f64 = 300.0;

impl Measures {
    fn of(animation: &Animation) -> Measures {
        let (mut lists, mut longest) = (0, 0);
        animation.play(|_, _, scene, _| {
            let now = scene.lists();
            lists = lists.max(now.len());
            let width = |items: &[String]| items.iter().map(|item| item.chars().count() + 2).sum::<usize>();
            longest = longest.max(now.iter().map(|list| width(&list.items)).max().unwrap_or(0));
        });
        let size = animation.graph.size;
        Measures { graph: (size.x.max(NARROWEST), size.y), lists, longest }
    }
}

fn picture(measures: &Measures, number: usize, count: usize, step: &Step, scene: &Scene) -> String {
    let code = pseudocode(scene.check());
    let (graph_width, graph_height) = measures.graph;
    let body = graph_height.max(code.len() as f64 * LINE + LINE);
    let width = graph_width + CODE_WIDTH + 3.0 * MARGIN;
    let height = body + (measures.lists + MOST_SENTENCE_LINES + 1) as f64 * LINE + 3.0 * MARGIN;
    // So many characters fit into a line.
    let room = ((width - 2.0 * MARGIN) / CHARACTER) as usize;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"monospace\" font-size=\"13\">\n\
         <style>{STYLE}</style>\n<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" \
         markerWidth=\"10\" markerHeight=\"10\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
         <path d=\"M0 0L8 4L0 8z\" fill=\"context-stroke\"/></marker></defs>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    graph(&mut out, scene);
    let left = graph_width + 2.0 * MARGIN;
    for (place, line) in code.iter().enumerate() {
        let y = MARGIN + (place as f64 + 1.0) * LINE;
        if step.lines.contains(&place) {
            let (x, y) = (left - 4.0, y - 14.0);
            let _ = writeln!(
                out,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{CODE_WIDTH}\" height=\"{LINE}\" fill=\"#ffe9a8\"/>"
            );
        }
        let _ = writeln!(
            out,
            "<text x=\"{left:.1}\" y=\"{y:.1}\" xml:space=\"preserve\">{}</text>",
            escaped(line.text)
        );
    }
    let mut y = body + 2.0 * MARGIN + LINE;
    for list in scene.lists() {
        // A long stack is cut at its bottom.
        let mut shown = list.items.join(", ");
        if measures.longest > room && shown.chars().count() + list.title.len() + 4 > room {
            let cut = shown.chars().count() + list.title.len() + 6 - room;
            shown = format!("… {}", shown.chars().skip(cut).collect::<String>());
        }
        let line = format!("{}: {shown}", list.title);
        let _ = writeln!(out, "<text x=\"{MARGIN}\" y=\"{y:.1}\">{}</text>", escaped(&line));
        y += LINE;
    }
    let said = format!("{number} of {}: {}", count - 1, step.sentence);
    for line in broken(&said, room) {
        y += LINE;
        let _ = writeln!(
            out,
            "<text x=\"{MARGIN}\" y=\"{:.1}\" class=\"said\">{}</text>",
            y - 12.0,
            escaped(&line)
        );
    }
    out + "</svg>\n"
}

/// A text in lines of at most so many characters, as far as its words allow; at most
/// [`MOST_SENTENCE_LINES`].
fn broken(text: &str, room: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        let count = lines.len();
        let line = &mut lines[count - 1];
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > room {
            match count < MOST_SENTENCE_LINES {
                true => lines.push(word.to_string()),
                false => {
                    line.push('…');
                    break;
                }
            }
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// States and arcs as they look now.
fn graph(out: &mut String, scene: &Scene) {
    let drawn: &Graph = scene.graph();
    for (place, arc) in drawn.arcs.iter().enumerate() {
        let look = scene.arc_look(place);
        if !look.known {
            continue;
        }
        let class = match () {
            () if look.on_lasso => "arc lasso",
            () if look.now => "arc now",
            () if look.on_nested => "arc nested",
            () if look.on_path => "arc path",
            () => "arc",
        };
        let _ = writeln!(out, "<path class=\"{class}\" d=\"{}\" marker-end=\"url(#tip)\"/>", arc.line);
        if !arc.marks.is_empty() && arc.marks.iter().any(|marks| *marks != lariat_ltl::Marks::NONE) {
            let text: Vec<String> = arc.marks.iter().map(|&marks| shown_marks(marks)).collect();
            let (x, y) = (arc.text_at.x, arc.text_at.y);
            let _ =
                writeln!(out, "<text class=\"marks\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", text.join(" "));
        }
    }
    for state in &drawn.states {
        let look = scene.look(state.id);
        if !look.known {
            continue;
        }
        let (x, y) = (state.at.x, state.at.y);
        let mut circle = |radius: f64, class: &str| {
            let _ = writeln!(out, "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>");
        };
        if look.here {
            circle(RADIUS + 9.0, "here");
        }
        if look.on_path {
            circle(RADIUS + 5.0, "path");
        }
        if look.on_nested {
            circle(RADIUS + 7.0, "nested");
        }
        circle(RADIUS, look.fill.name());
        if state.accepting && drawn.sets == 1 {
            circle(RADIUS - 4.0, "accepting");
        }
        let light = matches!(look.fill, Fill::Blue | Fill::Red | Fill::Black | Fill::Complete);
        let class = if light { "name light" } else { "name" };
        let name = escaped(&state.about.name);
        let _ = writeln!(out, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{:.1}\">{name}</text>", y + 4.5);
        let sets = match drawn.marked_states && drawn.sets > 1 && state.marks != lariat_ltl::Marks::NONE {
            true => shown_marks(state.marks),
            false => String::new(),
        };
        let note = [sets, look.note].join(" ");
        if !note.trim().is_empty() {
            let (x, y) = (x - RADIUS - 4.0, y - RADIUS + 2.0);
            let _ = writeln!(
                out,
                "<text class=\"note\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
                escaped(note.trim())
            );
        }
    }
}

const STYLE: &str = "circle{fill:#fff;stroke:#1c1e21;stroke-width:1.3}.cyan{fill:#a5ecf2}.blue{fill:#2a62c9}\
.red{fill:#c02a20}.black{fill:#222}.current{fill:#a5ecf2}.complete{fill:#5b6672}.waiting{fill:#f6e3a1}\
.visited{fill:#bcd3f5}.accepting{fill:none}.path{fill:none;stroke:#0b5394;stroke-width:3}\
.nested{fill:none;stroke:#a3140e;stroke-width:3;stroke-dasharray:5 3}.here{fill:#ffe9a8;stroke:none}\
.arc{fill:none;stroke:#55595f;stroke-width:1.3;stroke-dasharray:none}.arc.path{stroke:#0b5394;stroke-width:3}\
.arc.nested{stroke:#a3140e;stroke-width:3;stroke-dasharray:5 3}.arc.now{stroke:#b25e00;stroke-width:4}\
.arc.lasso{stroke:#0a6b3d;stroke-width:4}.name{text-anchor:middle}.light{fill:#fff}.note{text-anchor:end;\
font-size:11px}.marks{text-anchor:middle;font-size:11px}.said{font-weight:bold}";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_broken_between_words() {
        assert_eq!(broken("a short one", 20), ["a short one"]);
        assert_eq!(broken("one two three", 8), ["one two", "three"]);
        assert_eq!(broken("a word-that-is-too-long b", 6), ["a", "word-that-is-too-long", "b"]);
        assert_eq!(broken("1 2 3 4 5", 1), ["1", "2", "3…"]);
    }
}
