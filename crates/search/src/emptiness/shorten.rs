//! Shorter lassos.
//!
//! A depth-first search finds long ways. [`shorten`] takes a lasso and replaces its parts by breadth-first
//! ones: the cycle by one through the same state, first inside the states of the old cycle, then inside their
//! component; then the prefix by a shortest way from an initial state to any state of the cycle, which then
//! begins there. No part gets longer. The result need not be a shortest lasso: for several sets that is a
//! hard problem, and the component is looked at from one state only.
//!
//! [`shortest_lasso`] finds one whose prefix and cycle together have the fewest steps, for any number of
//! sets on arcs. It records the product level by level, as far as a lasso may go that is shorter than the
//! best one known. Where the automaton is terminal, that is all: the first accepting state that stands
//! still ends it, and what was looked at is what a breadth-first search for that state looks at. Otherwise
//! accepting components are looked for in what is recorded, now and then, so that the bound comes down
//! early; and at the end all of them are searched. Every accepting cycle passes an arc of each set: from
//! the heads of the arcs of the rarest set walks are followed that collect marks (the states of this search
//! are a state, the marks collected, and whether the way from outside has been paid for). If there are too
//! many heads, every state is a candidate for being the nearest one of the cycle, and the walk need not
//! come nearer.
//!
//! With several sets this is a hard problem (the sets of marks are exponentially many), and with one the
//! time is quadratic in the worst case. So there is a bound on the work: [`MOST_LOOKS_AT_AN_ARC`]. When it
//! is used up, the best lasso so far is taken, and it is said that it is not known to be a shortest one.
//!
//! Cost of `shorten`: some breadth-first searches, each over at most `max_states` states. Of
//! `shortest_lasso`: the arcs of each state up to the length of the result once, 28 bytes for each of these
//! states and 8 for each arc, and of what is recorded each arc ten times.
//!
//! Rejected: to take each accepting state and look for a cycle around it. Sets on arcs are no sets on
//! states.

use super::component::{component_of, cycle_through};
use super::judge::is_accepting_lasso;
use super::marks::DistinctMarks;
use super::streett::Condition;
use super::{Arc, Lasso, MarkSet, Product, ProductStep, Search, Stopped};
use crate::events::Listener;
use crate::limits::StopReason;
use lariat_store::StateId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A lasso no longer than this one, in no part. What would need more than `max_states` states is left as it
/// is.
pub fn shorten<P: Product, L: Listener>(
    search: &mut Search<P, L>,
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

fn shorten_cycle<P: Product, L: Listener>(
    search: &mut Search<P, L>,
    lasso: &mut Lasso,
    max_states: usize,
) -> Result<(), Stopped> {
    let Some(start) = lasso.cycle.first().map(|step| step.state) else { return Ok(()) };
    let condition = Condition { all: search.all_marks(), pairs: search.product().pairs().to_vec() };
    let (wanted, avoided) = condition.demands(marks_of(search, &lasso.cycle)?);
    let old: HashSet<StateId> = lasso.cycle.iter().map(|step| step.state).collect();
    let mut keep_shorter = |cycle: Option<Vec<ProductStep>>| {
        if let Some(cycle) = cycle
            && cycle.len() < lasso.cycle.len()
        {
            lasso.cycle = cycle;
        }
    };
    keep_shorter(cycle_through(search, start, |state| old.contains(&state), wanted, avoided)?);
    if let Some(component) = component_of(search, start, |_| true, max_states)? {
        let inside = |state| component.states.contains(&state);
        keep_shorter(cycle_through(search, start, inside, wanted, avoided)?);
    }
    Ok(())
}

/// The marks of these steps.
fn marks_of<P: Product, L: Listener>(
    search: &mut Search<P, L>,
    steps: &[ProductStep],
) -> Result<P::Marks, Stopped> {
    let (mut met, mut arcs) = (P::Marks::NONE, Vec::new());
    for step in steps {
        arcs.clear();
        search.post(step.state, &mut arcs, 0, 0)?;
        met |= arcs.get(step.arc as usize).map_or(P::Marks::NONE, |arc| arc.marks);
    }
    Ok(met)
}

fn shorten_prefix<P: Product, L: Listener>(
    search: &mut Search<P, L>,
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

/// Whether a lasso is as short as there can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    /// No lasso of the product has fewer steps, prefix and cycle together.
    Shortest,
    /// There may be a shorter one: to look for it any longer would have taken too much.
    Short,
    /// There may be a shorter one: a limit ended the search for it.
    Stopped(StopReason),
}

/// Of the product as far as it is recorded, every arc may be looked at so many times to find a shortest
/// lasso in it.
pub const MOST_LOOKS_AT_AN_ARC: u64 = 10;
/// So many arcs may be looked at in any case.
const FEW_ARCS: u64 = 1 << 22;
/// The part that is recorded is searched for a shorter lasso when it has so many arcs, and then whenever it
/// has twice as many as the last time.
const FIRST_IMPROVEMENT: usize = 1 << 12;

/// A lasso with the least number of steps, prefix and cycle together, if it can be found; at least one that
/// is no longer than `known`. If more arcs than `most_arcs` would have to be recorded, it is not looked for
/// any longer. Nor is it where the condition has pairs.
pub fn shortest_lasso<P: Product, L: Listener>(
    search: &mut Search<P, L>,
    known: &Lasso,
    most_arcs: u64,
) -> (Lasso, Length) {
    if !search.product().pairs().is_empty() {
        return (known.clone(), Length::Short);
    }
    search.uncounted(|search| {
        let mut ball = Ball::new(known.clone(), search.all_marks());
        let found = ball.grow(search, most_arcs).and_then(|complete| match complete {
            true => ball.search_whole(search),
            false => ball.improve(search).map(|()| false),
        });
        let length = match found {
            Ok(true) => Length::Shortest,
            Ok(false) => Length::Short,
            Err(Stopped(reason)) => Length::Stopped(reason),
        };
        // Judged again: better the lasso as it was than a wrong one.
        if ball.best != *known
            && let Err(reason) = is_accepting_lasso(search.product(), &ball.best)
        {
            debug_assert!(false, "{reason}");
            return (known.clone(), Length::Short);
        }
        (ball.best, length)
    })
}

fn steps_of(lasso: &Lasso) -> usize {
    lasso.prefix.len() + lasso.cycle.len()
}

/// The place of a state in a [`Ball`].
type Place = u32;

/// No place, or no component.
const NONE: u32 = u32::MAX;

/// The product around its initial states, in breadth-first order, with its arcs: as far as a lasso may go
/// that is shorter than the best one known.
struct Ball<K> {
    best: Lasso,
    all: K,
    states: Vec<StateId>,
    /// By state: its place.
    places: Vec<Place>,
    /// By place: how far from the nearest initial state, and by which arc it was first reached.
    distance: Vec<u32>,
    came_by: Vec<(Place, u32)>,
    /// By place: where its arcs begin. Those of a place end where those of the next one begin; only the first
    /// states have theirs recorded.
    starts: Vec<usize>,
    to: Vec<Place>,
    /// Of each arc, the number of its marks.
    marks: Vec<u32>,
    distinct_marks: DistinctMarks<K>,
    /// Of all arcs but those that are an accepting cycle each.
    marks_met: K,
}

/// A component that accepts: its places, nearest first.
type Component = Vec<Place>;

impl<K: MarkSet> Ball<K> {
    fn new(best: Lasso, all: K) -> Ball<K> {
        Ball {
            best,
            all,
            states: Vec::new(),
            places: Vec::new(),
            distance: Vec::new(),
            came_by: Vec::new(),
            starts: vec![0],
            to: Vec::new(),
            marks: Vec::new(),
            distinct_marks: DistinctMarks::default(),
            marks_met: K::NONE,
        }
    }

    fn bytes(&self) -> u64 {
        let by_state = self.states.capacity() * size_of::<StateId>()
            + (self.places.capacity() + self.distance.capacity()) * size_of::<u32>()
            + self.came_by.capacity() * size_of::<(Place, u32)>()
            + self.starts.capacity() * size_of::<usize>();
        let by_arc = self.to.capacity() * size_of::<Place>() + self.marks.capacity() * size_of::<u32>();
        (by_state + by_arc) as u64
    }

    /// A shorter lasso has fewer steps than this.
    fn bound(&self) -> usize {
        steps_of(&self.best)
    }

    /// Whether a lasso that passes this place may be shorter.
    fn is_near(&self, place: Place) -> bool {
        self.distance[place as usize] as usize + 1 < self.bound()
    }

    /// Records the product, level by level, until no lasso that goes further can be shorter than the best one
    /// known. False if that would be more arcs than allowed.
    fn grow<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        most_arcs: u64,
    ) -> Result<bool, Stopped> {
        for state in search.initial_states() {
            self.place(state, 0, (NONE, 0));
        }
        let mut arcs: Vec<Arc<K>> = Vec::new();
        let mut improve_at = FIRST_IMPROVEMENT;
        let mut at: Place = 0;
        while (at as usize) < self.states.len() && self.is_near(at) {
            if self.to.len() as u64 > most_arcs {
                return Ok(false);
            }
            let (state, distance) = (self.states[at as usize], self.distance[at as usize]);
            arcs.clear();
            search.post(state, &mut arcs, 0, self.bytes())?;
            for (k, arc) in arcs.iter().enumerate() {
                let to = self.place(arc.to, distance + 1, (at, k as u32));
                self.record(to, arc.marks);
                if to == at && self.all.is_subset(arc.marks) {
                    // Nothing that begins here is shorter.
                    if distance as usize + 1 < self.bound() {
                        self.best = Lasso {
                            prefix: self.prefix(at),
                            cycle: vec![ProductStep { state, arc: k as u32 }],
                        };
                    }
                } else {
                    self.marks_met |= arc.marks;
                }
            }
            self.starts.push(self.to.len());
            at += 1;
            if self.to.len() >= improve_at {
                improve_at = 2 * self.to.len();
                self.improve(search)?;
            }
        }
        search.exhausted().map(|()| true)
    }

    fn place(&mut self, state: StateId, distance: u32, by: (Place, u32)) -> Place {
        if self.places.len() <= state.index() {
            self.places.resize(state.index() + 1, NONE);
        }
        let place = &mut self.places[state.index()];
        if *place == NONE {
            *place = self.states.len() as Place;
            self.states.push(state);
            self.distance.push(distance);
            self.came_by.push(by);
        }
        *place
    }

    fn record(&mut self, to: Place, marks: K) {
        self.to.push(to);
        self.marks.push(self.distinct_marks.number_of(marks));
    }

    /// Whether the arcs of a place are recorded.
    fn is_recorded(&self, place: Place) -> bool {
        (place as usize) + 1 < self.starts.len()
    }

    /// The arcs of a place that is recorded: which one it is, where it leads, its marks.
    fn arcs(&self, place: Place) -> impl Iterator<Item = (u32, Place, K)> + '_ {
        let range = self.starts[place as usize]..self.starts[place as usize + 1];
        let arcs = self.to[range.clone()].iter().zip(&self.marks[range]);
        (0..).zip(arcs).map(|(k, (&to, &marks))| (k, to, self.distinct_marks.get(marks)))
    }

    fn step(&self, place: Place, arc: u32) -> ProductStep {
        ProductStep { state: self.states[place as usize], arc }
    }

    /// The way from the nearest initial state.
    fn prefix(&self, place: Place) -> Vec<ProductStep> {
        let mut steps = Vec::new();
        let mut at = place;
        while let (from, arc) = self.came_by[at as usize]
            && from != NONE
        {
            steps.push(self.step(from, arc));
            at = from;
        }
        steps.reverse();
        steps
    }

    /// A better lasso, if an accepting component is at hand: of each the cycle from its nearest state by way
    /// of the nearest marks.
    fn improve<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
    ) -> Result<(), Stopped> {
        for component in self.accepting_components(search)?.0 {
            let entry = component[0];
            let inside: FxHashSet<Place> = component.iter().copied().collect();
            let mut cycle = Vec::new();
            let (mut at, mut missing) = (entry, self.all);
            while !missing.is_empty() || at != entry || cycle.is_empty() {
                let wanted = |marks: K, to: Place| match missing.is_empty() {
                    true => to == entry,
                    false => !(marks & missing).is_empty(),
                };
                let Some((steps, met, end)) = self.way(search, at, &inside, wanted)? else { break };
                cycle.extend(steps);
                missing = missing - met;
                at = end;
            }
            let is_cycle = missing.is_empty() && at == entry && !cycle.is_empty();
            if is_cycle && self.distance[entry as usize] as usize + cycle.len() < self.bound() {
                self.best = Lasso { prefix: self.prefix(entry), cycle };
            }
        }
        Ok(())
    }

    /// The shortest way inside a component that ends with an arc that is wanted, its marks, and where it
    /// ends.
    #[allow(clippy::type_complexity)]
    fn way<P: Product<Marks = K>, L: Listener>(
        &self,
        search: &mut Search<P, L>,
        from: Place,
        inside: &FxHashSet<Place>,
        wanted: impl Fn(K, Place) -> bool,
    ) -> Result<Option<(Vec<ProductStep>, K, Place)>, Stopped> {
        let mut came_by: FxHashMap<Place, (Place, u32, K)> = FxHashMap::default();
        let mut queue = vec![from];
        let mut first = 0;
        while let Some(&at) = queue.get(first) {
            first += 1;
            for (k, to, marks) in self.arcs(at).filter(|(_, to, _)| inside.contains(to)) {
                if wanted(marks, to) {
                    let (mut steps, mut met, mut at) = (vec![self.step(at, k)], marks, at);
                    while at != from {
                        let (before, k, marks) = came_by[&at];
                        steps.push(self.step(before, k));
                        met |= marks;
                        at = before;
                    }
                    steps.reverse();
                    return Ok(Some((steps, met, to)));
                }
                if to != from && !came_by.contains_key(&to) {
                    came_by.insert(to, (at, k, marks));
                    queue.push(to);
                }
            }
            let held = came_by.capacity() * size_of::<[u64; 4]>() + queue.capacity() * size_of::<Place>();
            search.work(1, self.bytes() + held as u64)?;
        }
        Ok(None)
    }

    /// The components of what is recorded and near that an accepting cycle may lie in; and by place, which of
    /// them it belongs to.
    ///
    /// Tarjan 1972. All arcs of a component are in it that lead from one of its states to another.
    fn accepting_components<P: Product<Marks = K>, L: Listener>(
        &self,
        search: &mut Search<P, L>,
    ) -> Result<(Vec<Component>, Vec<u32>), Stopped> {
        let mut components: Vec<Component> = Vec::new();
        let count = self.starts.len() - 1;
        let mut component_of = Vec::new();
        if !self.all.is_subset(self.marks_met) {
            return Ok((components, component_of));
        }
        component_of.resize(count, NONE);
        // When it was met, from 1 on; the earliest that it leads back to.
        let mut number = vec![0u32; count];
        let mut low = vec![0u32; count];
        let mut is_done = vec![false; count];
        let mut met = 0;
        let mut open: Vec<Place> = Vec::new();
        let mut path: Vec<(Place, usize)> = Vec::new();
        let is_inside = |place: Place| self.is_recorded(place) && self.is_near(place);
        for root in 0..count as Place {
            if number[root as usize] != 0 || !is_inside(root) {
                continue;
            }
            path.push((root, self.starts[root as usize]));
            while let Some((at, next)) = path.last_mut() {
                let here = *at as usize;
                if number[here] == 0 {
                    met += 1;
                    (number[here], low[here]) = (met, met);
                    open.push(*at);
                }
                if *next < self.starts[here + 1] {
                    let to = self.to[*next];
                    *next += 1;
                    if !is_inside(to) || is_done[to as usize] {
                        continue;
                    }
                    match number[to as usize] {
                        0 => path.push((to, self.starts[to as usize])),
                        known => low[here] = low[here].min(known),
                    }
                    continue;
                }
                path.pop();
                if let Some((below, _)) = path.last() {
                    let below = *below as usize;
                    low[below] = low[below].min(low[here]);
                }
                if low[here] == number[here] {
                    let first = open.iter().rposition(|&place| place as usize == here).unwrap_or(0);
                    let mut component = open.split_off(first);
                    component.iter().for_each(|&place| is_done[place as usize] = true);
                    let index = components.len() as u32;
                    component.iter().for_each(|&place| component_of[place as usize] = index);
                    if self.accepts(&component, &component_of, index) {
                        component.sort_unstable();
                        components.push(component);
                    } else {
                        component.iter().for_each(|&place| component_of[place as usize] = NONE);
                    }
                }
                let held = count * 13 + (open.capacity() + 4 * path.capacity()) * size_of::<Place>();
                search.work(1, self.bytes() + held as u64)?;
            }
        }
        Ok((components, component_of))
    }

    /// Whether there is an arc in a component, and all marks on its arcs.
    fn accepts(&self, component: &[Place], component_of: &[u32], index: u32) -> bool {
        let (mut met, mut cyclic) = (K::NONE, false);
        for &place in component {
            for (_, to, marks) in self.arcs(place) {
                if component_of.get(to as usize) == Some(&index) {
                    cyclic = true;
                    met |= marks;
                }
            }
        }
        cyclic && self.all.is_subset(met)
    }

    /// Looks for a lasso that is shorter than the best one known in the whole ball. False if it gave up.
    fn search_whole<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
    ) -> Result<bool, Stopped> {
        let (components, component_of) = self.accepting_components(search)?;
        let mut looks_left = FEW_ARCS + MOST_LOOKS_AT_AN_ARC * self.to.len() as u64;
        for (index, component) in (0..).zip(&components) {
            let inside = |place: Place| component_of.get(place as usize) == Some(&index);
            let (candidates, way) = self.candidates(component, &inside);
            for candidate in candidates {
                if !self.is_near(candidate) {
                    break;
                }
                let found =
                    self.best_through(search, candidate, way, component[0], &inside, &mut looks_left)?;
                if let Some(lasso) = found {
                    self.best = lasso;
                }
                if looks_left == 0 {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Places of which every accepting cycle of the component passes one, nearest first, and what they are to
    /// it. Of the sets the one is taken whose arcs lead to the fewest
    /// places; or all places are taken, as there is a nearest one on each cycle.
    fn candidates(&self, component: &[Place], inside: &impl Fn(Place) -> bool) -> (Vec<Place>, Passed) {
        let mut fewest = component.to_vec();
        let mut passed = Passed::First;
        for set in self.all.numbers() {
            let mut heads = FxHashSet::default();
            for &place in component {
                heads.extend(
                    self.arcs(place)
                        .filter(|(_, to, marks)| marks.contains(set) && inside(*to))
                        .map(|(_, to, _)| to),
                );
            }
            // Somewhere on the way is twice the work.
            if 2 * heads.len() < fewest.len() || passed == Passed::Somewhere && heads.len() < fewest.len() {
                fewest = heads.into_iter().collect();
                fewest.sort_unstable();
                passed = Passed::Somewhere;
            }
        }
        (fewest, passed)
    }

    /// The best lasso of which the cycle passes this place, if it is better than the best one known.
    ///
    /// A walk begins at the place, collects marks, and ends there when it has all of them. Each step costs
    /// one. At one of its places it is entered from outside, once; that costs as
    /// much as the place is away. Walks are followed in the order of their costs.
    fn best_through<P: Product<Marks = K>, L: Listener>(
        &self,
        search: &mut Search<P, L>,
        start: Place,
        passed: Passed,
        nearest: Place,
        inside: &impl Fn(Place) -> bool,
        looks_left: &mut u64,
    ) -> Result<Option<Lasso>, Stopped> {
        let distance = |place: Place| self.distance[place as usize] as usize;
        let (bound, nearest) = (self.bound(), distance(nearest));
        let mut walks = Walks { bound, nearest, ..Walks::default() };
        let first = Node { place: start, marks: K::NONE, entered: true, from: NONE, arc: NONE };
        walks.meet(first, distance(start));
        if passed == Passed::Somewhere {
            walks.meet(Node { entered: false, ..first }, 0);
        }
        while let Some((cost, index)) = walks.next() {
            let Node { place, marks, entered, .. } = walks.nodes[index as usize];
            if !entered && place != start {
                let node = Node { place, marks, entered: true, from: index, arc: NONE };
                walks.meet(node, cost + distance(place));
            }
            for (arc, to, more) in self.arcs(place) {
                *looks_left = looks_left.saturating_sub(1);
                if !inside(to) || passed == Passed::First && distance(to) < distance(start) {
                    continue;
                }
                let marks = marks | more;
                if to == start && entered && self.all.is_subset(marks) {
                    // What costs less has been followed before. That it costs less than the bound, `meet` has
                    // seen to.
                    return Ok(Some(self.lasso_of(&walks.nodes, index, arc)));
                }
                walks.meet(Node { place: to, marks, entered, from: index, arc }, cost + 1);
            }
            if *looks_left == 0 {
                return Ok(None);
            }
            search.work(1, self.bytes() + walks.bytes())?;
        }
        Ok(None)
    }

    /// The lasso of a walk: its last node, and the arc that leads from there to where the walk began.
    fn lasso_of(&self, nodes: &[Node<K>], last: u32, arc: u32) -> Lasso {
        let mut cycle = vec![self.step(nodes[last as usize].place, arc)];
        // Steps before the entry, counted from the end of the walk, and where that is.
        let mut entry = None;
        let mut at = &nodes[last as usize];
        while at.from != NONE {
            let from = &nodes[at.from as usize];
            if at.arc == NONE {
                entry = Some((cycle.len(), at.place));
            } else {
                cycle.push(self.step(from.place, at.arc));
            }
            at = from;
        }
        cycle.reverse();
        let (after, place) = entry.unwrap_or((cycle.len(), at.place));
        let before = cycle.len() - after;
        cycle.rotate_left(before);
        Lasso { prefix: self.prefix(place), cycle }
    }
}

/// What a place is to the cycles that are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passed {
    /// The nearest on the cycle, where it is entered.
    First,
    /// Anywhere on it.
    Somewhere,
}

/// A place on a walk, with the marks collected on the way.
#[derive(Clone, Copy)]
struct Node<K> {
    place: Place,
    marks: K,
    /// Whether the walk has been entered from outside.
    entered: bool,
    /// The node before; [`NONE`] at the beginning.
    from: u32,
    /// The arc that was taken; [`NONE`] if the walk was entered here.
    arc: u32,
}

/// Walks that are followed, and those that wait to be.
#[derive(Default)]
struct Walks<K> {
    /// What costs as much is of no use.
    bound: usize,
    /// The least that it costs to be entered.
    nearest: usize,
    nodes: Vec<Node<K>>,
    /// The least cost of what was met.
    costs: FxHashMap<(Place, K, bool), usize>,
    /// By cost: nodes that wait.
    waiting: BTreeMap<usize, Vec<u32>>,
}

impl<K: MarkSet> Walks<K> {
    fn meet(&mut self, node: Node<K>, cost: usize) {
        // At least one step follows, and the entry if there was none.
        let least = if node.entered { cost + 1 } else { cost + 1 + self.nearest };
        if least >= self.bound {
            return;
        }
        let known = self.costs.entry((node.place, node.marks, node.entered)).or_insert(usize::MAX);
        if cost < *known {
            *known = cost;
            self.waiting.entry(cost).or_default().push(self.nodes.len() as u32);
            self.nodes.push(node);
        }
    }

    /// One that costs least, and its cost.
    fn next(&mut self) -> Option<(usize, u32)> {
        loop {
            let mut entry = self.waiting.first_entry()?;
            let cost = *entry.key();
            let Some(index) = entry.get_mut().pop() else {
                entry.remove();
                continue;
            };
            let Node { place, marks, entered, .. } = self.nodes[index as usize];
            if self.costs[&(place, marks, entered)] == cost {
                return Some((cost, index));
            }
        }
    }

    fn bytes(&self) -> u64 {
        let known = self.costs.capacity() * size_of::<((Place, K, bool), usize)>();
        // A node waits, at most once.
        let nodes = self.nodes.capacity() * (size_of::<Node<K>>() + size_of::<u32>());
        (known + nodes) as u64
    }
}
