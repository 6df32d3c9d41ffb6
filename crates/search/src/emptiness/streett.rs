//! `streett`: components as in `ascc`, refined until they are fair.
//!
//! Strong fairness is no generalised Büchi condition: "who is enabled again and again takes part again and
//! again" is a *pair* of marks ([`Pair`]): a cycle that meets the first must meet the second (Streett's
//! condition). A component that meets a first mark without its second may still hold a fair cycle, one that
//! stays away from the first. So, after Emerson and Lei 1987: the arcs with such first marks are taken out,
//! and the components of what is left are looked at, until one meets all sets and satisfies all pairs, or
//! nothing is left. Only components that meet all sets are looked at a second time, and none where the arcs
//! explored so far satisfy the pairs at some merge: then a fair cycle has just been closed, on the fly.
//!
//! Why the first test is sound on a part of a component: the arcs explored are there, and a cycle through all
//! of them needs no others. Why taking arcs out is: every cycle inside that goes over one of them is unfair,
//! since the second mark is nowhere in the component.
//!
//! Without pairs this is `ascc`.
//!
//! Cost: one call of `post` per state, and one more for each time that its component is refined; per state
//! one bit and three numbers.

use super::component::{cycle_through, way_inside};
use super::numbering::{Current, Roots};
use super::resumed::resumed;
use super::side_tables::Numbers;
use super::{DepthFirstPath, Lasso, MarkSet, Pair, Product, ProductStep, Search, Stopped};
use crate::checkpoint::{Reader, Saved, Unreadable, Writer};
use crate::events::{Event, Listener, told};
use lariat_store::StateId;

pub fn streett<P: Product, L: Listener>(search: &mut Search<P, L>) -> Result<Option<Lasso>, Stopped> {
    let mut check = Streett::<P::Marks> {
        condition: Condition { all: search.all_marks(), pairs: search.product().pairs().to_vec() },
        roots: Roots::default(),
        active: Current::default(),
        path: DepthFirstPath::new(),
        parts: Parts::default(),
    };
    resumed(search, &mut check, |check, search| check.run(search))
}

/// What a cycle must meet.
pub struct Condition<K> {
    /// All of these.
    pub all: K,
    /// Of each pair, the second if the first.
    pub pairs: Vec<Pair>,
}

impl<K: MarkSet> Condition<K> {
    /// Whether a cycle through arcs with all of these marks is accepting.
    pub fn accepts(&self, marks: K) -> bool {
        self.all.is_subset(marks) && self.pairs.iter().all(|pair| pair.is_satisfied(marks))
    }

    /// The first marks of pairs that no cycle can satisfy that meets them, among arcs with these marks.
    fn hopeless(&self, marks: K) -> K {
        let unsatisfied = self.pairs.iter().filter(|pair| !pair.is_satisfied(marks));
        unsatisfied.fold(K::NONE, |first, pair| first | K::one(pair.first))
    }

    /// What a cycle must meet so that it may meet all of these marks; and what it must not meet: the other
    /// first marks.
    pub fn demands(&self, marks: K) -> (K, K) {
        self.pairs.iter().fold((self.all, K::NONE), |(wanted, avoided), pair| {
            match (marks.contains(pair.first), pair.second) {
                (true, Some(second)) => (wanted | K::one(second), avoided),
                _ => (wanted, avoided | K::one(pair.first)),
            }
        })
    }
}

struct Streett<K> {
    condition: Condition<K>,
    roots: Roots<K>,
    active: Current,
    path: DepthFirstPath<(), K>,
    parts: Parts,
}

impl<K: MarkSet> Streett<K> {
    /// Goes on where it was left, then from the initial states that it has not seen.
    fn run<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
    ) -> Result<Option<Lasso>, Stopped> {
        if let Some(lasso) = self.dfs(search)? {
            return Ok(Some(lasso));
        }
        for initial in search.initial_states() {
            if self.active.numbering.is_new(initial) {
                self.enter(search, initial, K::NONE)?;
                if let Some(lasso) = self.dfs(search)? {
                    return Ok(Some(lasso));
                }
            }
        }
        Ok(None)
    }

    fn dfs<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
    ) -> Result<Option<Lasso>, Stopped> {
        while let Some(s) = self.path.top() {
            let Some(arc) = self.path.explore(search) else {
                if let Some(root) = self.roots.top_if(s) {
                    // It was not accepted as it is. If it meets all sets, a part of it may be. If the check
                    // is left meanwhile, it comes back to this component.
                    if root.cyclic
                        && self.condition.all.is_subset(root.marks)
                        && let Some(lasso) = search.as_a_whole(|search| self.refine(search, s, root.marks))?
                    {
                        return Ok(Some(lasso));
                    }
                    self.roots.pop_if(s);
                    self.active.close(s, |s| search.tell(Event::Removed(s)));
                }
                self.path.pop(search);
                continue;
            };
            if self.active.numbering.is_new(arc.to) {
                self.enter(search, arc.to, arc.marks)?;
            } else if self.active.numbering.is_current(arc.to)
                && let Some(root) = self.roots.merge(self.active.numbering.number(arc.to), arc.marks)
            {
                let (root, marks) = (root.state, root.marks);
                search.tell(Event::Merged { root, marks: told(marks) });
                if !self.condition.accepts(marks) {
                    continue;
                }
                let numbering = &self.active.numbering;
                let inside = |s| numbering.is_current(s) && numbering.number(s) >= numbering.number(root);
                let (wanted, avoided) = self.condition.demands(marks);
                let cycle = cycle_through(search, root, inside, wanted, avoided)?;
                return Ok(cycle.map(|cycle| Lasso { prefix: self.path.way_to(root), cycle }));
            }
        }
        Ok(None)
    }

    fn enter<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        s: StateId,
        incoming: K,
    ) -> Result<(), Stopped> {
        let number = self.active.enter(s);
        self.roots.push(s, number, incoming);
        search.tell(Event::Numbered { state: s, number });
        search.tell(Event::Root(s));
        search.visit(s);
        search.count_active(self.active.len());
        search.count_roots(self.roots.len());
        let bytes = self.active.bytes() + self.roots.bytes() + self.parts.bytes();
        self.path.push(search, s, (), 0, bytes)
    }

    /// A lasso in a part of the complete component with this root, which has these marks.
    fn refine<P: Product<Marks = K>, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        root: StateId,
        marks: K,
    ) -> Result<Option<Lasso>, Stopped> {
        let whole = self.active.component(root).to_vec();
        let held = self.active.bytes() + self.roots.bytes() + self.path.bytes();
        search.tell(Event::Nested(root));
        let found =
            search.holding(held, |search| self.parts.refine(search, &self.condition, whole, marks))?;
        let Some((start, cycle)) = found else {
            search.tell(Event::NestedOver);
            return Ok(None);
        };
        let numbering = &self.active.numbering;
        let inside = |s| numbering.is_current(s) && numbering.number(s) >= numbering.number(root);
        let Some(way) = way_inside(search, root, inside, start)? else { return Ok(None) };
        let prefix = self.path.way_to_top().into_iter().chain(way).collect();
        Ok(Some(Lasso { prefix, cycle }))
    }
}

/// The components that are being refined.
#[derive(Default)]
struct Parts {
    /// Per state: the part that it belongs to; 0 for none.
    part: Numbers,
    /// Per state: its number in the search of its part, if that is not below the first number of the search.
    number: Numbers,
    last_part: u32,
    last_number: u32,
}

/// A part that meets all sets, but not all pairs.
struct Part<K> {
    states: Vec<StateId>,
    marks: K,
    /// Arcs with one of these have been taken out.
    avoided: K,
}

impl Parts {
    fn bytes(&self) -> u64 {
        self.part.bytes() + self.number.bytes()
    }

    fn new_part(&mut self, states: &[StateId]) -> u32 {
        self.last_part = self.last_part.checked_add(1).expect("fewer than 2^32 parts");
        states.iter().for_each(|&s| self.part.set(s, self.last_part));
        self.last_part
    }

    /// A cycle that the condition accepts, and where it begins.
    fn refine<P: Product, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        condition: &Condition<P::Marks>,
        states: Vec<StateId>,
        marks: P::Marks,
    ) -> Result<Option<(StateId, Vec<ProductStep>)>, Stopped> {
        let mut waiting = vec![Part { states, marks, avoided: P::Marks::NONE }];
        while let Some(Part { states, marks, avoided }) = waiting.pop() {
            let avoided = avoided | condition.hopeless(marks);
            for Part { states, marks, .. } in self.split(search, states, avoided, &waiting)? {
                if !condition.all.is_subset(marks) {
                    continue;
                }
                if condition.accepts(marks) {
                    let part = self.new_part(&states);
                    let start = states[0];
                    let (wanted, more) = condition.demands(marks);
                    let inside = |s| self.part.get(s) == part;
                    let cycle = cycle_through(search, start, inside, wanted, avoided | more)?;
                    return Ok(cycle.map(|cycle| (start, cycle)));
                }
                waiting.push(Part { states, marks, avoided });
            }
        }
        Ok(None)
    }

    /// The components of a part without the arcs that are avoided; those that have an arc inside.
    fn split<P: Product, L: Listener>(
        &mut self,
        search: &mut Search<P, L>,
        states: Vec<StateId>,
        avoided: P::Marks,
        waiting: &[Part<P::Marks>],
    ) -> Result<Vec<Part<P::Marks>>, Stopped> {
        let listed: usize = waiting.iter().map(|part| part.states.capacity()).sum();
        let mut bytes = (listed + 2 * states.capacity()) * size_of::<StateId>();
        let part = self.new_part(&states);
        let first = self.last_number.checked_add(1).expect("fewer than 2^32 numbers");
        let mut components = Vec::new();
        let (mut roots, mut path) = (Roots::<P::Marks>::default(), DepthFirstPath::new());
        let mut current: Vec<StateId> = Vec::new();
        for start in states {
            let mut next = Some((start, P::Marks::NONE));
            loop {
                match next {
                    Some((t, marks)) if self.part.get(t) == part && self.number.get(t) < first => {
                        self.last_number = self.last_number.checked_add(1).expect("fewer than 2^32 numbers");
                        self.number.set(t, self.last_number);
                        current.push(t);
                        roots.push(t, self.last_number, marks);
                        let held = self.bytes() + roots.bytes() + bytes as u64;
                        path.push(search, t, (), 0, held)?;
                    }
                    // A state from which the search began before is no arc.
                    Some((t, marks)) if !path.is_empty() && self.part.get(t) == part => {
                        roots.merge(self.number.get(t), marks);
                    }
                    _ => {}
                }
                let mut arc = path.next_arc(search);
                while arc.is_some_and(|arc| !(arc.marks & avoided).is_empty()) {
                    arc = path.next_arc(search);
                }
                next = arc.map(|arc| (arc.to, arc.marks));
                if next.is_some() {
                    continue;
                }
                let Some(frame) = path.pop(search) else { break };
                if let Some(root) = roots.pop_if(frame.state) {
                    let begin = current.iter().rposition(|&s| s == frame.state).unwrap_or(0);
                    let states = current.split_off(begin);
                    // Done with: neither new nor current.
                    states.iter().for_each(|&s| self.part.set(s, 0));
                    if root.cyclic {
                        bytes += states.capacity() * size_of::<StateId>();
                        components.push(Part { states, marks: root.marks, avoided });
                    }
                }
            }
        }
        Ok(components)
    }
}

impl<K: MarkSet> Saved for Streett<K> {
    fn save(&self, out: &mut Writer) {
        self.roots.save(out);
        self.active.save(out);
        self.path.save(out);
    }

    fn load(&mut self, from: &mut Reader) -> Result<(), Unreadable> {
        self.roots.load(from)?;
        self.active.load(from)?;
        self.path.load(from)?;
        Ok(())
    }
}
