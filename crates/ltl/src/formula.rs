//! Formulas of linear temporal logic, each stored once.
//!
//! A [`Formula`] is a number in a table of [`Formulas`]: equal formulas have equal numbers, and what has been
//! computed about one is looked up by its number. The constructors apply the laws that hold for every
//! operator's definition and need no thought (`a & 1 = a`, `!!a = a`, `X 1 = 1`, `F F a = F a`); conjunctions
//! and disjunctions are flat, sorted, without doubles. So a formula as the user wrote it is not kept here but
//! in the tree that the parser gives ([`crate::parse`]); deeper rewriting is the business of
//! [`crate::rewrite`].
//!
//! | node | meaning at position i of a word |
//! | --- | --- |
//! | `Next(a)` | a at i + 1 |
//! | `Finally(a)`, `Globally(a)` | a at some, at every position from i on |
//! | `Until(a, b)` | b at some position from i on, a at all positions before it |
//! | `Release(a, b)` | b at every position from i on, up to and including the first where a holds, if there is one |
//! | `WeakUntil(a, b)` | `Until(a, b)`, or a at every position from i on |
//! | `StrongRelease(a, b)` | `Release(a, b)`, and a holds at some position |

use rustc_hash::FxHashMap;

/// A formula of the [`Formulas`] that made it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Formula(u32);

impl Formula {
    /// The formula that no word satisfies.
    pub const FALSE: Formula = Formula(0);
    /// The formula that every word satisfies.
    pub const TRUE: Formula = Formula(1);

    /// Its place in the table, for tables beside it.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of a proposition.
pub type Proposition = u32;

/// A formula's outermost operator, with what is directly inside.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// No word satisfies it.
    False,
    /// Every word satisfies it.
    True,
    /// True in the letter at this position.
    Proposition(Proposition),
    /// `!a`: a does not hold here.
    Not(Formula),
    /// All of them: two or more, sorted, each once, none of them a conjunction itself.
    And(Box<[Formula]>),
    /// One of them: two or more, sorted, each once, none of them a disjunction itself.
    Or(Box<[Formula]>),
    /// Both or neither.
    Equivalent(Formula, Formula),
    /// `X a`: a at the next position.
    Next(Formula),
    /// `F a`: a at some position from here on.
    Finally(Formula),
    /// `G a`: a at every position from here on.
    Globally(Formula),
    /// `a U b`: b some day, a until then.
    Until(Formula, Formula),
    /// `a R b`: b for ever, or up to and including the first a.
    Release(Formula, Formula),
    /// `a W b`: as `U`, but b need not come if a stays.
    WeakUntil(Formula, Formula),
    /// `a M b`: as `R`, but a must come.
    StrongRelease(Formula, Formula),
}

impl Node {
    /// Every formula directly inside, from left to right.
    pub fn each_child(&self, mut visit: impl FnMut(Formula)) {
        match self {
            Node::False | Node::True | Node::Proposition(_) => {}
            Node::Not(a) | Node::Next(a) | Node::Finally(a) | Node::Globally(a) => visit(*a),
            Node::And(all) | Node::Or(all) => all.iter().copied().for_each(visit),
            Node::Equivalent(a, b)
            | Node::Until(a, b)
            | Node::Release(a, b)
            | Node::WeakUntil(a, b)
            | Node::StrongRelease(a, b) => {
                visit(*a);
                visit(*b);
            }
        }
    }
}

/// All formulas, and the names of the propositions in them.
#[derive(Clone)]
pub struct Formulas {
    nodes: Vec<Node>,
    sizes: Vec<u64>,
    index: FxHashMap<Node, Formula>,
    propositions: Vec<String>,
    proposition_index: FxHashMap<String, Proposition>,
}

impl Default for Formulas {
    fn default() -> Formulas {
        Formulas::new()
    }
}

impl Formulas {
    /// The two constants, and no proposition.
    pub fn new() -> Formulas {
        let mut formulas = Formulas {
            nodes: Vec::new(),
            sizes: Vec::new(),
            index: FxHashMap::default(),
            propositions: Vec::new(),
            proposition_index: FxHashMap::default(),
        };
        formulas.intern(Node::False);
        formulas.intern(Node::True);
        formulas
    }

    /// What a formula is made of.
    pub fn node(&self, formula: Formula) -> &Node {
        &self.nodes[formula.index()]
    }

    /// The names of all propositions, by their number.
    pub fn propositions(&self) -> &[String] {
        &self.propositions
    }

    fn intern(&mut self, node: Node) -> Formula {
        if let Some(&known) = self.index.get(&node) {
            return known;
        }
        let formula = Formula(self.nodes.len() as u32);
        self.sizes.push(self.size_of(&node));
        self.nodes.push(node.clone());
        self.index.insert(node, formula);
        formula
    }

    /// A proposition by its name. A name that is new gets the next number.
    pub fn proposition(&mut self, name: &str) -> Formula {
        let number = match self.proposition_index.get(name) {
            Some(&number) => number,
            None => {
                let number = self.propositions.len() as Proposition;
                self.propositions.push(name.to_string());
                self.proposition_index.insert(name.to_string(), number);
                number
            }
        };
        self.intern(Node::Proposition(number))
    }

    /// A proposition by its number. Panics if no name has it.
    pub fn numbered_proposition(&mut self, number: Proposition) -> Formula {
        assert!((number as usize) < self.propositions.len());
        self.intern(Node::Proposition(number))
    }

    /// [`Formula::TRUE`] or [`Formula::FALSE`].
    pub fn constant(&self, value: bool) -> Formula {
        if value { Formula::TRUE } else { Formula::FALSE }
    }

    /// `!a`.
    pub fn not(&mut self, a: Formula) -> Formula {
        match *self.node(a) {
            Node::False => Formula::TRUE,
            Node::True => Formula::FALSE,
            Node::Not(inner) => inner,
            _ => self.intern(Node::Not(a)),
        }
    }

    /// The conjunction of all; true if there is none.
    pub fn and(&mut self, operands: impl IntoIterator<Item = Formula>) -> Formula {
        self.flat(true, operands)
    }

    /// The disjunction of all; false if there is none.
    pub fn or(&mut self, operands: impl IntoIterator<Item = Formula>) -> Formula {
        self.flat(false, operands)
    }

    /// `a & b`.
    pub fn and2(&mut self, a: Formula, b: Formula) -> Formula {
        self.flat(true, [a, b])
    }

    /// `a | b`.
    pub fn or2(&mut self, a: Formula, b: Formula) -> Formula {
        self.flat(false, [a, b])
    }

    fn flat(&mut self, conjunction: bool, operands: impl IntoIterator<Item = Formula>) -> Formula {
        let mut flat: Vec<Formula> = Vec::new();
        for operand in operands {
            match (self.node(operand), conjunction) {
                (Node::And(inner), true) | (Node::Or(inner), false) => flat.extend_from_slice(inner),
                _ => flat.push(operand),
            }
        }
        let (neutral, absorbing) = match conjunction {
            true => (Formula::TRUE, Formula::FALSE),
            false => (Formula::FALSE, Formula::TRUE),
        };
        flat.sort_unstable();
        flat.dedup();
        flat.retain(|&operand| operand != neutral);
        let contradiction = |operand: &Formula| match self.node(*operand) {
            Node::Not(inner) => flat.binary_search(inner).is_ok(),
            _ => *operand == absorbing,
        };
        if flat.iter().any(contradiction) {
            return absorbing;
        }
        match flat.len() {
            0 => neutral,
            1 => flat[0],
            _ => {
                let flat = flat.into_boxed_slice();
                self.intern(if conjunction { Node::And(flat) } else { Node::Or(flat) })
            }
        }
    }

    /// `a -> b`, which is kept as `!a | b`.
    pub fn implies(&mut self, a: Formula, b: Formula) -> Formula {
        let not_a = self.not(a);
        self.or2(not_a, b)
    }

    /// `a <-> b`. A negation of an operand becomes one of the whole.
    pub fn equivalent(&mut self, a: Formula, b: Formula) -> Formula {
        // A negation on either side is one of the whole.
        let (a, b, negated) = match (self.node(a), self.node(b)) {
            (&Node::Not(a), &Node::Not(b)) => (a, b, false),
            (&Node::Not(a), _) => (a, b, true),
            (_, &Node::Not(b)) => (a, b, true),
            _ => (a, b, false),
        };
        let result = match (a, b) {
            _ if a == b => Formula::TRUE,
            (Formula::TRUE, other) | (other, Formula::TRUE) => other,
            (Formula::FALSE, other) | (other, Formula::FALSE) => self.not(other),
            _ => self.intern(Node::Equivalent(a.min(b), a.max(b))),
        };
        if negated { self.not(result) } else { result }
    }

    /// `X a`.
    pub fn next(&mut self, a: Formula) -> Formula {
        match self.node(a) {
            Node::False | Node::True => a,
            _ => self.intern(Node::Next(a)),
        }
    }

    /// `F a`.
    pub fn finally(&mut self, a: Formula) -> Formula {
        match self.node(a) {
            Node::False | Node::True | Node::Finally(_) => a,
            _ => self.intern(Node::Finally(a)),
        }
    }

    /// `G a`.
    pub fn globally(&mut self, a: Formula) -> Formula {
        match self.node(a) {
            Node::False | Node::True | Node::Globally(_) => a,
            _ => self.intern(Node::Globally(a)),
        }
    }

    /// `a U b`.
    pub fn until(&mut self, a: Formula, b: Formula) -> Formula {
        match (a, b) {
            (Formula::FALSE, _) | (_, Formula::FALSE | Formula::TRUE) => b,
            (Formula::TRUE, _) => self.finally(b),
            _ if a == b => b,
            _ => self.intern(Node::Until(a, b)),
        }
    }

    /// `a R b`.
    pub fn release(&mut self, a: Formula, b: Formula) -> Formula {
        match (a, b) {
            (Formula::TRUE, _) | (_, Formula::FALSE | Formula::TRUE) => b,
            (Formula::FALSE, _) => self.globally(b),
            _ if a == b => b,
            _ => self.intern(Node::Release(a, b)),
        }
    }

    /// `a W b`.
    pub fn weak_until(&mut self, a: Formula, b: Formula) -> Formula {
        match (a, b) {
            (Formula::TRUE, _) | (_, Formula::TRUE) => Formula::TRUE,
            (Formula::FALSE, _) => b,
            (_, Formula::FALSE) => self.globally(a),
            _ if a == b => b,
            _ => self.intern(Node::WeakUntil(a, b)),
        }
    }

    /// `a M b`.
    pub fn strong_release(&mut self, a: Formula, b: Formula) -> Formula {
        match (a, b) {
            (Formula::FALSE, _) | (_, Formula::FALSE) => Formula::FALSE,
            (Formula::TRUE, _) => b,
            (_, Formula::TRUE) => self.finally(a),
            _ if a == b => b,
            _ => self.intern(Node::StrongRelease(a, b)),
        }
    }

    /// The same operator on other formulas: each formula directly inside is replaced by what `replace` gives.
    pub fn map_children(
        &mut self,
        formula: Formula,
        mut replace: impl FnMut(&mut Formulas, Formula) -> Formula,
    ) -> Formula {
        let node = self.node(formula).clone();
        match node {
            Node::False | Node::True | Node::Proposition(_) => formula,
            Node::And(all) | Node::Or(all) => {
                let conjunction = matches!(self.node(formula), Node::And(_));
                let all: Vec<Formula> = all.iter().map(|&child| replace(self, child)).collect();
                self.flat(conjunction, all)
            }
            Node::Not(a) => {
                let a = replace(self, a);
                self.not(a)
            }
            Node::Next(a) => {
                let a = replace(self, a);
                self.next(a)
            }
            Node::Finally(a) => {
                let a = replace(self, a);
                self.finally(a)
            }
            Node::Globally(a) => {
                let a = replace(self, a);
                self.globally(a)
            }
            Node::Equivalent(a, b) => {
                let (a, b) = (replace(self, a), replace(self, b));
                self.equivalent(a, b)
            }
            Node::Until(a, b) => {
                let (a, b) = (replace(self, a), replace(self, b));
                self.until(a, b)
            }
            Node::Release(a, b) => {
                let (a, b) = (replace(self, a), replace(self, b));
                self.release(a, b)
            }
            Node::WeakUntil(a, b) => {
                let (a, b) = (replace(self, a), replace(self, b));
                self.weak_until(a, b)
            }
            Node::StrongRelease(a, b) => {
                let (a, b) = (replace(self, a), replace(self, b));
                self.strong_release(a, b)
            }
        }
    }

    /// Pushes negations down to the propositions and resolves equivalences. What remains: constants,
    /// literals, and, or, and the temporal operators.
    pub fn negation_normal_form(&mut self, formula: Formula) -> Formula {
        self.push_negation(formula, false, &mut FxHashMap::default())
    }

    fn push_negation(
        &mut self,
        formula: Formula,
        negated: bool,
        known: &mut FxHashMap<(Formula, bool), Formula>,
    ) -> Formula {
        if let Some(&result) = known.get(&(formula, negated)) {
            return result;
        }
        let node = self.node(formula).clone();
        let mut push = |this: &mut Formulas, a| this.push_negation(a, negated, known);
        let result = match node {
            Node::False | Node::True | Node::Proposition(_) => {
                if negated {
                    self.not(formula)
                } else {
                    formula
                }
            }
            Node::Not(a) => self.push_negation(a, !negated, known),
            Node::And(all) | Node::Or(all) => {
                let conjunction = matches!(self.node(formula), Node::And(_)) != negated;
                let all: Vec<Formula> = all.iter().map(|&a| push(self, a)).collect();
                self.flat(conjunction, all)
            }
            Node::Equivalent(a, b) => {
                let (yes_a, no_a) = (self.push_negation(a, false, known), self.push_negation(a, true, known));
                let (yes_b, no_b) = (self.push_negation(b, false, known), self.push_negation(b, true, known));
                let (left, right) =
                    if negated { ([yes_a, no_b], [no_a, yes_b]) } else { ([yes_a, yes_b], [no_a, no_b]) };
                let (left, right) = (self.and(left), self.and(right));
                self.or2(left, right)
            }
            Node::Next(a) => {
                let a = push(self, a);
                self.next(a)
            }
            Node::Finally(a) | Node::Globally(a) => {
                let finally = matches!(self.node(formula), Node::Finally(_)) != negated;
                let a = push(self, a);
                if finally { self.finally(a) } else { self.globally(a) }
            }
            Node::Until(a, b) => {
                let (a, b) = (push(self, a), push(self, b));
                if negated { self.release(a, b) } else { self.until(a, b) }
            }
            Node::Release(a, b) => {
                let (a, b) = (push(self, a), push(self, b));
                if negated { self.until(a, b) } else { self.release(a, b) }
            }
            Node::WeakUntil(a, b) => {
                let (a, b) = (push(self, a), push(self, b));
                if negated { self.strong_release(a, b) } else { self.weak_until(a, b) }
            }
            Node::StrongRelease(a, b) => {
                let (a, b) = (push(self, a), push(self, b));
                if negated { self.weak_until(a, b) } else { self.strong_release(a, b) }
            }
        };
        known.insert((formula, negated), result);
        result
    }

    /// The number of operators and operands, shared ones counted each time.
    pub fn size(&self, formula: Formula) -> u64 {
        self.sizes[formula.index()]
    }

    fn size_of(&self, node: &Node) -> u64 {
        let mut size = match node {
            Node::And(all) | Node::Or(all) => all.len() as u64 - 1,
            _ => 1,
        };
        node.each_child(|child| size = size.saturating_add(self.size(child)));
        size
    }

    /// The propositions that occur in a formula, ascending.
    pub fn propositions_of(&self, formula: Formula) -> Vec<Proposition> {
        let mut found = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut work = vec![formula];
        while let Some(formula) = work.pop() {
            if seen.insert(formula) {
                let node = self.node(formula);
                if let Node::Proposition(number) = node {
                    found.push(*number);
                }
                node.each_child(|child| work.push(child));
            }
        }
        found.sort_unstable();
        found
    }
}
