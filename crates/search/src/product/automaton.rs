//! The automaton of a product, made ready to read states: labels as decision diagrams in one array, and what
//! follows from the labels alone, worked out beforehand: which states accept whatever comes, which can stay
//! as they are, and, where there are few propositions, which edges are taken by the values of all of them.

use lariat_ltl::scc::Structure;
use lariat_ltl::{Automaton, Bdds, Marks};

/// An automaton that is ready to read states: labels as decision diagrams in one array.
#[derive(Clone, Debug)]
pub struct PropertyAutomaton {
    pub(super) sets: u32,
    pub(super) initial: Vec<u32>,
    pub(super) edges: Vec<Vec<PropertyEdge>>,
    /// Per state: with one set on states, whether it is in it; or whether its component has an accepting
    /// cycle ([`PropertyAutomaton::by_components`]).
    pub(super) accepting: Vec<bool>,
    /// Per state: the product may have an accepting cycle there.
    may_accept: Vec<bool>,
    is_by_components: bool,
    /// Per state: whatever comes, it is accepted.
    pub(super) settled: Vec<bool>,
    /// Per state: when it can stay as it is.
    pub(super) stays: Vec<Stays>,
    /// Which edges are taken, as bits, by state and the values of so many propositions; empty if that would
    /// be a long table.
    taken: Vec<u64>,
    propositions: u32,
    tests: Vec<Test>,
}

/// The table of the edges that are taken is no longer than that.
const LONGEST_TABLE: usize = 1 << 12;

/// An edge that can be taken where its label admits what is true ([`PropertyAutomaton::admits`]).
#[derive(Clone, Copy, Debug)]
pub struct PropertyEdge {
    /// Where the test of the label begins.
    pub label: u32,
    /// The acceptance sets it belongs to.
    pub marks: Marks,
    /// The state it leads to.
    pub to: u32,
}

/// Whether a state of an automaton can stay as it is, by one edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stays {
    /// Not always.
    NotAlways,
    /// It can, or another edge leads to a state that accepts whatever comes.
    UnlessSettled,
    /// It can, whatever is true.
    Always,
}

/// A node of a diagram: 0 and 1 are the constants.
#[derive(Clone, Copy, Debug)]
struct Test {
    proposition: u32,
    low: u32,
    high: u32,
}

impl PropertyAutomaton {
    /// `place(i)` is the place, in a valuation, of the automaton's proposition `i`.
    pub fn new(automaton: &Automaton, bdds: &Bdds, place: impl Fn(u32) -> u32) -> PropertyAutomaton {
        let constant = Test { proposition: u32::MAX, low: 0, high: 0 };
        let mut tests = vec![constant, constant];
        let mut known =
            std::collections::HashMap::from([(lariat_ltl::Bdd::FALSE, 0), (lariat_ltl::Bdd::TRUE, 1)]);
        let structure = Structure::of(automaton);
        let mut edges = Vec::with_capacity(automaton.states());
        for (state, leaving) in automaton.edges.iter().enumerate() {
            // Edges that leave the component come first: acceptance lies ahead, and a depth-first search
            // that may stay where it is first goes through the whole model before it tries to go on.
            let mut leaving = leaving.clone();
            leaving.sort_by_key(|edge| structure.components.same(state as u32, edge.to));
            let mut compiled = Vec::with_capacity(leaving.len());
            for edge in &leaving {
                // Children before parents, without recursion.
                let mut work = vec![edge.label];
                while let Some(&bdd) = work.last() {
                    if known.contains_key(&bdd) {
                        work.pop();
                        continue;
                    }
                    let (variable, low, high) = bdds.split(bdd).expect("constants are known");
                    match (known.get(&low), known.get(&high)) {
                        (Some(&low), Some(&high)) => {
                            known.insert(bdd, tests.len() as u32);
                            tests.push(Test { proposition: place(variable), low, high });
                            work.pop();
                        }
                        (low_known, high_known) => {
                            work.extend(
                                [(low_known, low), (high_known, high)]
                                    .into_iter()
                                    .filter_map(|(known, child)| known.is_none().then_some(child)),
                            );
                        }
                    }
                }
                compiled.push(PropertyEdge { label: known[&edge.label], marks: edge.marks, to: edge.to });
            }
            edges.push(compiled);
        }
        let all = automaton.all_marks();
        let settled = settled(automaton, bdds);
        let accepting =
            edges.iter().map(|edges| edges.first().is_some_and(|edge| edge.marks == all)).collect();
        // Where everything is accepted, a product may stand still, wherever the automaton would go.
        let components = structure.components.of.iter().zip(&settled);
        let may_accept = components.map(|(&of, settled)| *settled || structure.is_accepting(of)).collect();
        PropertyAutomaton {
            sets: automaton.sets,
            initial: automaton.initial.clone(),
            edges,
            accepting,
            may_accept,
            is_by_components: false,
            stays: stays(automaton, bdds, &settled),
            settled,
            taken: Vec::new(),
            propositions: 0,
            tests,
        }
        .with_table()
    }

    /// The same, for checks that want to know of each state whether it may lie on an accepting cycle: these
    /// are the ones that accept.
    pub fn by_components(&self) -> PropertyAutomaton {
        PropertyAutomaton { accepting: self.may_accept.clone(), is_by_components: true, ..self.clone() }
    }

    /// Whether these are the ones that accept.
    pub(super) fn is_by_components(&self) -> bool {
        self.is_by_components
    }

    /// The same, with the table of edges that are taken, if that is short.
    fn with_table(mut self) -> PropertyAutomaton {
        let places = self.tests.iter().skip(2).map(|test| test.proposition + 1);
        let propositions = places.max().unwrap_or(0);
        let is_short = propositions < LONGEST_TABLE.ilog2() && self.states() << propositions <= LONGEST_TABLE;
        if !is_short || self.edges.iter().any(|edges| edges.len() > 64) {
            return self;
        }
        self.propositions = propositions;
        let mut taken = Vec::with_capacity(self.states() << propositions);
        for edges in &self.edges {
            for values in 0..1u64 << propositions {
                let is_true = |place: usize| Ok::<bool, ()>(values >> place & 1 == 1);
                let is_taken = |edge: &PropertyEdge| self.admits(edge.label, is_true) == Ok(true);
                let bits = edges.iter().enumerate().map(|(k, edge)| u64::from(is_taken(edge)) << k);
                taken.push(bits.fold(0, |all, bit| all | bit));
            }
        }
        PropertyAutomaton { taken, ..self }
    }

    /// The edges, as bits, that are taken from a state where the conditions have these values, if that is
    /// known beforehand.
    #[inline]
    pub(super) fn taken(&self, state: usize, values: u64) -> Option<u64> {
        let values = values & ((1 << self.propositions) - 1);
        self.taken.get((state << self.propositions) + values as usize).copied()
    }

    /// The number of states.
    pub fn states(&self) -> usize {
        self.edges.len()
    }

    /// How many acceptance sets there are.
    pub fn sets(&self) -> u32 {
        self.sets
    }

    /// The initial states, in a fixed order.
    pub fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// The edges that leave a state, in a fixed order.
    pub fn leaving(&self, state: u32) -> &[PropertyEdge] {
        &self.edges[state as usize]
    }

    /// With one set on states: whether the state is in it.
    pub fn is_accepting(&self, state: u32) -> bool {
        self.accepting[state as usize]
    }

    /// Whether every run that comes to this state is accepted. `false` may be wrong: only those states are
    /// known that have an edge with all marks to another such state, or to themselves, whatever is true.
    pub fn accepts_everything(&self, state: u32) -> bool {
        self.settled[state as usize]
    }

    /// Whether it may be worth while to explore states that do not accept in any order: some state of the
    /// automaton that does not accept can stay as it is.
    pub fn waits(&self) -> bool {
        let stays = |state: u32| self.leaving(state).iter().any(|edge| edge.to == state);
        (0..self.states() as u32).any(|state| !self.is_accepting(state) && stays(state))
    }

    /// Does the label admit what is true in the state? `is_true` judges a proposition, by its place in a
    /// valuation.
    pub fn admits<E>(
        &self,
        label: u32,
        mut is_true: impl FnMut(usize) -> Result<bool, E>,
    ) -> Result<bool, E> {
        let mut at = label;
        while at > 1 {
            let test = self.tests[at as usize];
            at = if is_true(test.proposition as usize)? { test.high } else { test.low };
        }
        Ok(at == 1)
    }
}

/// The greatest set of states from which the automaton can always go on inside the set, by an edge with all
/// marks, whatever is true.
fn settled(automaton: &Automaton, bdds: &Bdds) -> Vec<bool> {
    let mut bdds = bdds.clone();
    let mut predecessors = vec![Vec::new(); automaton.states()];
    for (state, leaving) in automaton.edges.iter().enumerate() {
        for edge in leaving {
            predecessors[edge.to as usize].push(state);
        }
    }
    let all = automaton.all_marks();
    let mut settled = vec![true; automaton.states()];
    let mut work: Vec<usize> = (0..automaton.states()).collect();
    while let Some(state) = work.pop() {
        if !settled[state] {
            continue;
        }
        let mut admitted = lariat_ltl::Bdd::FALSE;
        for edge in
            automaton.edges[state].iter().filter(|edge| edge.marks == all && settled[edge.to as usize])
        {
            admitted = bdds.or(admitted, edge.label);
        }
        if admitted != lariat_ltl::Bdd::TRUE {
            settled[state] = false;
            work.append(&mut predecessors[state]);
        }
    }
    settled
}

/// When each state can stay as it is.
fn stays(automaton: &Automaton, bdds: &Bdds, settled: &[bool]) -> Vec<Stays> {
    let mut bdds = bdds.clone();
    let of_state = |(state, leaving): (usize, &Vec<lariat_ltl::Edge>)| {
        let mut loops = leaving.iter().filter(|edge| edge.to as usize == state);
        let (Some(stay), None) = (loops.next(), loops.next()) else { return Stays::NotAlways };
        let settles = leaving.iter().filter(|edge| settled[edge.to as usize]);
        let either = settles.fold(stay.label, |admitted, edge| bdds.or(admitted, edge.label));
        match (stay.label, either) {
            (lariat_ltl::Bdd::TRUE, _) => Stays::Always,
            (_, lariat_ltl::Bdd::TRUE) => Stays::UnlessSettled,
            _ => Stays::NotAlways,
        }
    };
    automaton.edges.iter().enumerate().map(of_state).collect()
}
