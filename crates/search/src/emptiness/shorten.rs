//! Shorter lassos.
//!
//! A depth-first search finds long ways. [`shorten`] takes a lasso and replaces its parts by breadth-first ones: the
//! cycle by one through the same state, first inside the states of the old cycle, then inside their component; then the
//! prefix by a shortest way from an initial state to any state of the cycle, which then begins there. No part gets
//! longer. The result need not be a shortest lasso: for several sets that is a hard problem, and the component is looked
//! at from one state only.
//!
//! [`shortest_lasso`] finds, for one set on states, a lasso whose prefix and cycle together are shortest. The cycle
//! passes an accepting state a and is entered at a state x (often not a), so for each a the sum of three distances is
//! minimised over x: from an initial state to x, from x to a, from a to x. The first comes from one breadth-first search
//! over the product, which keeps the arcs; the others from two searches around each a, in order of distance, as far as a
//! better sum is still possible. (A cycle of length 0 is none: for x = a the way from a to a has at least one arc.)
//!
//! Cost of `shorten`: some breadth-first searches, each over at most `max_states` states. Of `shortest_lasso`: all states
//! and arcs in memory, and quadratic time in the worst case.

use super::component::{component_of, cycle_through};
use super::judge::is_accepting_lasso;
use super::{Arc, Lasso, Product, ProductStep, Search, Stopped};
use lariat_store::StateId;
use std::collections::{HashMap, HashSet, VecDeque};

/// A lasso no longer than this one, in no part. What would need more than `max_states` states is left as it is.
pub fn shorten<P: Product>(
    search: &mut Search<P>,
    lasso: &Lasso,
    max_states: usize,
) -> Result<Lasso, Stopped> {
    search.uncounted(|search| {
        let mut shorter = lasso.clone();
        shorten_cycle(search, &mut shorter, max_states)?;
        shorten_prefix(search, &mut shorter, max_states)?;
        // Judged again: better the lasso as it was than a wrong one.
        let is_right = is_accepting_lasso(search.product(), &shorter).is_ok();
        debug_assert!(is_right || is_accepting_lasso(search.product(), lasso).is_err());
        Ok(if is_right { shorter } else { lasso.clone() })
    })
}

fn shorten_cycle<P: Product>(
    search: &mut Search<P>,
    lasso: &mut Lasso,
    max_states: usize,
) -> Result<(), Stopped> {
    let Some(start) = lasso.cycle.first().map(|step| step.state) else { return Ok(()) };
    let all = search.all_marks();
    let old: HashSet<StateId> = lasso.cycle.iter().map(|step| step.state).collect();
    let mut keep_shorter = |cycle: Option<Vec<ProductStep>>| {
        if let Some(cycle) = cycle
            && cycle.len() < lasso.cycle.len()
        {
            lasso.cycle = cycle;
        }
    };
    keep_shorter(cycle_through(search, start, |state| old.contains(&state), all)?);
    if let Some(component) = component_of(search, start, |_| true, max_states)? {
        keep_shorter(cycle_through(search, start, |state| component.states.contains(&state), all)?);
    }
    Ok(())
}

fn shorten_prefix<P: Product>(
    search: &mut Search<P>,
    lasso: &mut Lasso,
    max_states: usize,
) -> Result<(), Stopped> {
    let entries: HashMap<StateId, usize> =
        lasso.cycle.iter().enumerate().rev().map(|(k, step)| (step.state, k)).collect();
    let mut came_by: HashMap<StateId, Option<ProductStep>> = HashMap::new();
    let mut level: Vec<StateId> = Vec::new();
    for state in search.initial_states() {
        if came_by.insert(state, None).is_none() {
            level.push(state);
        }
    }
    let mut arcs = Vec::new();
    for _ in 0..lasso.prefix.len() {
        if let Some((entry, &k)) = level.iter().find_map(|state| entries.get(state).map(|k| (*state, k))) {
            let mut at = entry;
            lasso.prefix.clear();
            while let Some(Some(step)) = came_by.get(&at) {
                lasso.prefix.push(*step);
                at = step.state;
            }
            lasso.prefix.reverse();
            lasso.cycle.rotate_left(k);
            return Ok(());
        }
        for state in std::mem::take(&mut level) {
            arcs.clear();
            let bytes = came_by.capacity() * size_of::<(StateId, Option<ProductStep>)>();
            search.post(state, &mut arcs, 0, bytes as u64)?;
            for (k, arc) in arcs.iter().enumerate() {
                came_by.entry(arc.to).or_insert_with(|| {
                    level.push(arc.to);
                    Some(ProductStep { state, arc: k as u32 })
                });
            }
            if came_by.len() > max_states {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// A lasso with the least number of steps, prefix and cycle together; for one set on states. `None` if there is none.
pub fn shortest_lasso<P: Product>(search: &mut Search<P>) -> Result<Option<Lasso>, Stopped> {
    let graph = Graph::explore(search)?;
    let accepting = (0..graph.states.len()).filter(|&k| search.is_accepting(graph.states[k]));
    let mut best: Option<(usize, Lasso)> = None;
    for a in accepting {
        let limit = best.as_ref().map_or(usize::MAX, |(length, _)| *length);
        // The sum is at least the distance of a and one more.
        if graph.distance[a] + 1 >= limit {
            break;
        }
        best = graph.best_through(a, limit).or(best);
    }
    search.exhausted()?;
    Ok(best.map(|(_, lasso)| lasso))
}

const NOWHERE: usize = usize::MAX;

/// The product as far as it is reachable, in breadth-first order: states, arcs, and arcs backwards.
struct Graph {
    states: Vec<StateId>,
    /// From the nearest initial state.
    distance: Vec<usize>,
    arcs: Vec<Vec<usize>>,
    /// The source of each arc into the state, and its place there.
    incoming: Vec<Vec<(usize, u32)>>,
}

impl Graph {
    fn explore<P: Product>(search: &mut Search<P>) -> Result<Graph, Stopped> {
        let mut graph =
            Graph { states: Vec::new(), distance: Vec::new(), arcs: Vec::new(), incoming: Vec::new() };
        let mut places = HashMap::new();
        for state in search.initial_states() {
            graph.place(&mut places, state, 0);
        }
        let mut out: Vec<Arc> = Vec::new();
        let (mut k, mut arcs_kept) = (0, 0);
        while k < graph.states.len() {
            out.clear();
            let bytes = graph.states.capacity() * (3 * size_of::<usize>() + 2 * size_of::<Vec<usize>>())
                + arcs_kept * size_of::<[usize; 3]>();
            search.post(graph.states[k], &mut out, 0, bytes as u64)?;
            arcs_kept += out.len();
            search.count_visit();
            for (place, arc) in out.iter().enumerate() {
                let to = graph.place(&mut places, arc.to, graph.distance[k] + 1);
                graph.arcs[k].push(to);
                graph.incoming[to].push((k, place as u32));
            }
            k += 1;
        }
        Ok(graph)
    }

    fn place(&mut self, places: &mut HashMap<StateId, usize>, state: StateId, distance: usize) -> usize {
        *places.entry(state).or_insert_with(|| {
            self.states.push(state);
            self.distance.push(distance);
            self.arcs.push(Vec::new());
            self.incoming.push(Vec::new());
            self.states.len() - 1
        })
    }

    /// The best lasso whose cycle passes this state, if it has fewer steps than the limit.
    fn best_through(&self, a: usize, limit: usize) -> Option<(usize, Lasso)> {
        // No part of a better lasso has as many steps as this.
        let radius = limit.saturating_sub(self.distance[a]);
        let from = self.distances(a, radius, |k| self.arcs[k].iter().copied());
        let to = self.distances(a, limit, |k| self.incoming[k].iter().map(|&(source, _)| source));
        let around = self.incoming[a].iter().map(|&(source, _)| from.get(&source).map_or(NOWHERE, |d| d + 1));
        let around = around.min().unwrap_or(NOWHERE);
        let sum = |(&x, &there): (&usize, &usize)| {
            let back = if x == a { around } else { *to.get(&x)? };
            Some((self.distance[x].saturating_add(there).saturating_add(back), x))
        };
        let (length, x) = from.iter().filter_map(sum).min().filter(|&(length, _)| length < limit)?;
        let mut cycle = if x == a { Vec::new() } else { self.way(x, a, &to) };
        cycle.extend(self.way_from(a, x, &from));
        Some((length, Lasso { prefix: self.prefix(x), cycle }))
    }

    /// Breadth-first, up to a distance.
    fn distances<I: Iterator<Item = usize>>(
        &self,
        start: usize,
        radius: usize,
        next: impl Fn(usize) -> I,
    ) -> HashMap<usize, usize> {
        let mut distances = HashMap::from([(start, 0)]);
        let mut queue = VecDeque::from([(start, 0)]);
        while let Some((k, distance)) = queue.pop_front() {
            if distance >= radius {
                break;
            }
            for to in next(k) {
                distances.entry(to).or_insert_with(|| {
                    queue.push_back((to, distance + 1));
                    distance + 1
                });
            }
        }
        distances
    }

    fn step(&self, k: usize, place: usize) -> ProductStep {
        ProductStep { state: self.states[k], arc: place as u32 }
    }

    /// The shortest way from x to a, downhill along the distances to a.
    fn way(&self, x: usize, a: usize, to: &HashMap<usize, usize>) -> Vec<ProductStep> {
        let mut steps = Vec::new();
        let mut at = x;
        while at != a {
            let nearer = |next: &usize| to.get(next).is_some_and(|d| Some(d + 1) == to.get(&at).copied());
            let Some(place) = self.arcs[at].iter().position(nearer) else { return Vec::new() };
            steps.push(self.step(at, place));
            at = self.arcs[at][place];
        }
        steps
    }

    /// The shortest way from a to x, of at least one step, found backwards along the distances from a.
    fn way_from(&self, a: usize, x: usize, from: &HashMap<usize, usize>) -> Vec<ProductStep> {
        let mut steps = Vec::new();
        let mut at = x;
        loop {
            let source = self.incoming[at]
                .iter()
                .filter(|(source, _)| from.contains_key(source))
                .min_by_key(|(source, _)| from[source]);
            let Some(&(source, place)) = source else { return Vec::new() };
            steps.push(self.step(source, place as usize));
            at = source;
            if at == a {
                steps.reverse();
                return steps;
            }
        }
    }

    fn prefix(&self, x: usize) -> Vec<ProductStep> {
        let mut steps = Vec::new();
        let mut at = x;
        while self.distance[at] > 0 {
            let source =
                self.incoming[at].iter().find(|(source, _)| self.distance[*source] < self.distance[at]);
            let Some(&(source, place)) = source else { break };
            steps.push(self.step(source, place as usize));
            at = source;
        }
        steps.reverse();
        steps
    }
}
