//! Small graphs, what is true of them by brute force, and checks that are watched on them.

use lariat_animation::{About, Animation, Graph, Recording, Scene, Step, record};
use lariat_ltl::Marks;
use lariat_search::Limits;
use lariat_search::emptiness::{ALGORITHMS, Arc, Check, ExplicitProduct, Needs};
use lariat_store::StateId;

/// States, and arcs with marks. Where marks are on states, all arcs that leave one agree.
#[derive(Clone, Debug)]
pub struct Small {
    pub sets: u32,
    pub on_states: bool,
    pub initial: Vec<usize>,
    /// Of states, where marks are on states.
    pub marks: Vec<Marks>,
    pub arcs: Vec<Vec<(usize, Marks)>>,
}

impl Small {
    /// Some graph. Every fourth has marks on arcs.
    pub fn random(random: &mut Random) -> Small {
        let states = 1 + random.below(8);
        let on_states = random.below(4) > 0;
        let sets = [0, 1, 1, 1, 1, 2, 3][random.below(7)];
        let mut some_marks = || (0..sets).filter(|_| random.below(3) == 0).collect::<Marks>();
        let marks: Vec<Marks> = (0..states).map(|_| some_marks()).collect();
        let mut arcs = Vec::new();
        for of_state in &marks {
            let mut leaving: Vec<(usize, Marks)> = Vec::new();
            for _ in 0..random.below(4) {
                let to = random.below(states);
                let own = (0..sets).filter(|_| random.below(3) == 0).collect::<Marks>();
                if leaving.iter().all(|&(other, _)| other != to) {
                    leaving.push((to, if on_states { *of_state } else { own }));
                }
            }
            arcs.push(leaving);
        }
        let initial = if random.below(5) == 0 && states > 1 { vec![0, states - 1] } else { vec![0] };
        Small { sets, on_states, initial, marks, arcs }
    }

    pub fn len(&self) -> usize {
        self.arcs.len()
    }

    pub fn product(&self) -> ExplicitProduct {
        let initial = self.initial.iter().map(|&state| StateId(state as u32)).collect();
        if self.on_states {
            let arcs: Vec<Vec<StateId>> =
                self.arcs.iter().map(|to| to.iter().map(|&(to, _)| StateId(to as u32)).collect()).collect();
            return ExplicitProduct::with_marked_states(self.sets, initial, &arcs, &self.marks);
        }
        let arc = |&(to, marks): &(usize, Marks)| Arc { to: StateId(to as u32), marks };
        ExplicitProduct::new(
            self.sets,
            initial,
            self.arcs.iter().map(|to| to.iter().map(arc).collect()).collect(),
        )
    }

    /// With one set on states, or none at all.
    pub fn accepts(&self, state: usize) -> bool {
        self.sets == 0 || self.marks[state].contains(0)
    }

    /// What each state reaches over the arcs that are there, over none included.
    pub fn reach_over(&self, is_there: impl Fn(usize, usize) -> bool) -> Vec<Vec<bool>> {
        let mut reach: Vec<Vec<bool>> =
            (0..self.len()).map(|s| (0..self.len()).map(|t| s == t).collect()).collect();
        for (from, arcs) in self.arcs.iter().enumerate() {
            arcs.iter().filter(|&&(to, _)| is_there(from, to)).for_each(|&(to, _)| reach[from][to] = true);
        }
        for middle in 0..self.len() {
            for from in 0..self.len() {
                for to in 0..self.len() {
                    reach[from][to] |= reach[from][middle] && reach[middle][to];
                }
            }
        }
        reach
    }

    pub fn reach(&self) -> Vec<Vec<bool>> {
        self.reach_over(|_, _| true)
    }

    /// Whether runs come to a state.
    pub fn reachable(&self) -> Vec<bool> {
        let reach = self.reach();
        (0..self.len()).map(|state| self.initial.iter().any(|&initial| reach[initial][state])).collect()
    }

    /// Whether some component that runs come to has an arc inside, and meets all sets.
    pub fn has_accepting_run(&self) -> bool {
        let (reach, reachable) = (self.reach(), self.reachable());
        (0..self.len()).filter(|&state| reachable[state]).any(|state| {
            let inside = |other: usize| reach[state][other] && reach[other][state];
            let arcs = self.arcs.iter().enumerate().filter(|&(from, _)| inside(from));
            let inner: Vec<Marks> = arcs
                .flat_map(|(_, arcs)| arcs)
                .filter(|&&(to, _)| inside(to))
                .map(|&(_, marks)| marks)
                .collect();
            !inner.is_empty()
                && inner.iter().fold(Marks::NONE, |one, &two| one | two) == Marks::all(self.sets)
        })
    }

    /// What checks can do with it, by brute force.
    pub fn admits(&self, check: Check) -> bool {
        let one_set = self.on_states && self.sets <= 1;
        let reach = self.reach();
        match check.description().needs {
            Needs::AnySets => true,
            Needs::OneSet => one_set,
            Needs::Weak => {
                let same = |s: usize, t: usize| reach[s][t] && reach[t][s];
                let agree = |s: usize, t: usize| !same(s, t) || self.accepts(s) == self.accepts(t);
                one_set && (0..self.len()).all(|s| (0..self.len()).all(|t| agree(s, t)))
            }
            Needs::Terminal => {
                let stays =
                    |s: usize| !self.arcs[s].is_empty() && self.arcs[s].iter().all(|&(t, _)| self.accepts(t));
                one_set && (0..self.len()).all(|s| !self.accepts(s) || stays(s))
            }
        }
    }

    /// Every check that this graph admits, watched: what it did, and each moment of it.
    pub fn watch(&self, mut each: impl FnMut(&Recording, usize, &Step, &Scene)) {
        for check in ALGORITHMS.iter().map(|row| row.check).filter(|&check| self.admits(check)) {
            let mut product = self.product();
            let recording = record(&mut product, check, Limits::default()).unwrap();
            let graph = Graph::of(&mut product, &[&recording], |_, state| About {
                name: state.0.to_string(),
                text: String::new(),
            });
            let animation = Animation::new(&graph, recording);
            animation.play(|number, step, scene, _| each(&animation.recording, number, step, scene));
        }
    }
}

/// A sequence of numbers that looks random, the same each time.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ mixed >> 31
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}
