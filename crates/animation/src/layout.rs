//! Where states are drawn: in rows by their distance from the initial states, once, so that nothing moves.
//!
//! Within a row, states stand in an order that keeps arcs short: each goes to the mean of the places of its
//! neighbours in the row above, then below, a few times over. A wide row is broken, so that a graph of some
//! hundred states stays on a page. Arcs are lines between circles: straight, or bowed where they would pass
//! through a state or lie on the arc that leads back, and loops at the side of a circle.

use crate::graph::Graph;
use std::collections::VecDeque;

/// A place, or a size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// From the left.
    pub x: f64,
    /// From the top.
    pub y: f64,
}

/// The radius of a state.
pub const RADIUS: f64 = 17.0;
/// From the middle of a state to that of its neighbours.
const APART: Point = Point { x: 96.0, y: 84.0 };
const MARGIN: f64 = 42.0;
/// More states do not stand in a row.
const WIDEST: usize = 12;
const SWEEPS: usize = 8;

/// Gives every state and every arc of a graph its place.
pub fn lay_out(graph: &mut Graph) {
    let rows = rows(graph);
    let widest = rows.iter().map(Vec::len).max().unwrap_or(0) as f64;
    for (k, row) in rows.iter().enumerate() {
        let indent = (widest - row.len() as f64) / 2.0;
        for (place, &state) in row.iter().enumerate() {
            // Every other row a little aside, so that arcs over two rows do not pass through states.
            let aside = if k % 2 == 1 { 0.18 } else { 0.0 };
            let x = MARGIN + RADIUS + (indent + place as f64 + aside) * APART.x;
            graph.states[state].at = Point { x, y: MARGIN + k as f64 * APART.y };
        }
    }
    let right = graph.states.iter().map(|state| state.at.x).fold(0.0, f64::max);
    graph.size = Point {
        x: right + MARGIN + 2.0 * RADIUS,
        y: MARGIN * 2.0 + (rows.len().max(1) - 1) as f64 * APART.y,
    };
    let places: Vec<Point> = graph.states.iter().map(|state| state.at).collect();
    for k in 0..graph.arcs.len() {
        let (from, to) = (graph.arcs[k].from, graph.arcs[k].to);
        let is_doubled = graph.arc_place(to, from).is_some();
        let (start, end) = (graph.states[from].at, graph.states[to].at);
        (graph.arcs[k].line, graph.arcs[k].text_at) = match from == to {
            true => loop_line(start),
            false => line(start, end, is_doubled, &places),
        };
    }
}

/// The states row by row, in their order.
fn rows(graph: &Graph) -> Vec<Vec<usize>> {
    let count = graph.states.len();
    let mut neighbours = vec![(Vec::new(), Vec::new()); count];
    for arc in &graph.arcs {
        neighbours[arc.from].1.push(arc.to);
        neighbours[arc.to].0.push(arc.from);
    }
    let mut distance = vec![usize::MAX; count];
    let mut queue = VecDeque::new();
    for (state, drawn) in graph.states.iter().enumerate() {
        if drawn.initial {
            distance[state] = 0;
            queue.push_back(state);
        }
    }
    while let Some(state) = queue.pop_front() {
        for &next in &neighbours[state].1 {
            if distance[next] == usize::MAX {
                distance[next] = distance[state] + 1;
                queue.push_back(next);
            }
        }
    }
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for (state, &far) in distance.iter().enumerate() {
        // A state that is reached over states that are not drawn stands below all others.
        let row = if far == usize::MAX { rows.len().max(1) - 1 } else { far };
        rows.resize_with(rows.len().max(row + 1), Vec::new);
        rows[row].push(state);
    }
    let mut place = vec![0.0; count];
    let number = |row: &[usize], place: &mut [f64]| {
        let middle = (row.len() as f64 - 1.0) / 2.0;
        row.iter().enumerate().for_each(|(k, &state)| place[state] = k as f64 - middle);
    };
    rows.iter().for_each(|row| number(row, &mut place));
    for sweep in 0..SWEEPS {
        let downwards = sweep % 2 == 0;
        let order: Vec<usize> =
            if downwards { (0..rows.len()).collect() } else { (0..rows.len()).rev().collect() };
        for row in order {
            let mean = |state: usize| {
                let near = if downwards { &neighbours[state].0 } else { &neighbours[state].1 };
                let others: Vec<f64> =
                    near.iter().filter(|&&other| other != state).map(|&other| place[other]).collect();
                match others.is_empty() {
                    true => place[state],
                    false => others.iter().sum::<f64>() / others.len() as f64,
                }
            };
            let mut keyed: Vec<(f64, usize)> = rows[row].iter().map(|&state| (mean(state), state)).collect();
            keyed.sort_by(|one, two| one.0.total_cmp(&two.0));
            rows[row] = keyed.into_iter().map(|(_, state)| state).collect();
            number(&rows[row], &mut place);
        }
    }
    rows.iter().flat_map(|row| row.chunks(WIDEST).map(<[usize]>::to_vec)).collect()
}

/// How far an arc is bowed to its right, in parts of its length: the first that passes through no state, or
/// else through the fewest. Between two states with arcs both ways each is bowed, to different sides.
const BOWS: [f64; 7] = [0.0, 0.14, -0.14, 0.26, -0.26, 0.4, -0.4];
const BOWS_OF_TWO: [f64; 3] = [0.12, 0.24, 0.38];
/// So many points of an arc are looked at.
const SAMPLES: usize = 16;

/// From circle to circle, and where the text stands.
fn line(start: Point, end: Point, is_doubled: bool, states: &[Point]) -> (String, Point) {
    let (dx, dy) = (end.x - start.x, end.y - start.y);
    let length = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    // A quadratic curve comes half as near to its control point.
    let control = |bow: f64| Point {
        x: (start.x + end.x) / 2.0 - uy * 2.0 * bow * length,
        y: (start.y + end.y) / 2.0 + ux * 2.0 * bow * length,
    };
    let met = |bow: f64| {
        let control = control(bow);
        let on_curve = |place: usize| {
            let t = place as f64 / SAMPLES as f64;
            let mix = |a: f64, b: f64, c: f64| (1.0 - t).powi(2) * a + 2.0 * t * (1.0 - t) * b + t * t * c;
            Point { x: mix(start.x, control.x, end.x), y: mix(start.y, control.y, end.y) }
        };
        let points: Vec<Point> = (1..SAMPLES).map(on_curve).collect();
        let near = |state: &&Point| {
            points.iter().any(|point| (point.x - state.x).hypot(point.y - state.y) < RADIUS + 7.0)
        };
        states.iter().filter(|&&state| state != start && state != end).filter(near).count()
    };
    let bows: &[f64] = if is_doubled { &BOWS_OF_TWO } else { &BOWS };
    let mut best = (usize::MAX, 0.0);
    for &bow in bows {
        let met = met(bow);
        if met < best.0 {
            best = (met, bow);
        }
        if met == 0 {
            break;
        }
    }
    let bow = best.1;
    let control = control(bow);
    let begin = towards(start, control, RADIUS);
    let stop = towards(end, control, RADIUS + 6.0);
    let text = format!(
        "M{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}",
        begin.x, begin.y, control.x, control.y, stop.x, stop.y
    );
    let aside = bow * length + if bow < 0.0 { -9.0 } else { 9.0 };
    let middle = Point { x: (start.x + end.x) / 2.0 - uy * aside, y: (start.y + end.y) / 2.0 + ux * aside };
    (text, Point { x: middle.x, y: middle.y + 4.0 })
}

fn loop_line(at: Point) -> (String, Point) {
    let (x, y) = (at.x, at.y);
    let text = format!(
        "M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
        x + 12.0,
        y - 12.0,
        x + 44.0,
        y - 40.0,
        x + 50.0,
        y + 8.0,
        x + RADIUS + 2.0,
        y + 3.0
    );
    (text, Point { x: x + 44.0, y: y - 10.0 })
}

/// The point so far from one on the way to another.
fn towards(from: Point, to: Point, far: f64) -> Point {
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let length = dx.hypot(dy).max(1.0);
    Point { x: from.x + dx / length * far, y: from.y + dy / length * far }
}
