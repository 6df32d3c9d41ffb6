//! Boolean functions as reduced ordered binary decision diagrams.
//!
//! The label of an edge is a Boolean function of the propositions. Each function has one node in the diagram,
//! so equality is equality of numbers, and an implication is one lookup away. All nodes live in a [`Bdds`]
//! and are never freed: one formula's translation makes a few thousand nodes, and then the whole is dropped.
//! Variables are ordered by their number; [`Bdds`] knows nothing of what they mean.
//!
//! Bryant 1986 for the diagrams, Minato 1993 for [`Bdds::cover`], which turns a function into a small sum of
//! products. There are no complemented edges: with functions this small they would save memory that nobody
//! needs.

use rustc_hash::FxHashMap;

/// A Boolean function: a node of the [`Bdds`] that made it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Bdd(u32);

impl Bdd {
    /// The function that is never true.
    pub const FALSE: Bdd = Bdd(0);
    /// The function that is always true.
    pub const TRUE: Bdd = Bdd(1);

    /// Whether it is [`Bdd::FALSE`]: no assignment satisfies it.
    pub fn is_false(self) -> bool {
        self == Bdd::FALSE
    }

    /// Whether it is [`Bdd::TRUE`]: every assignment satisfies it.
    pub fn is_true(self) -> bool {
        self == Bdd::TRUE
    }

    /// Whether it depends on no variable.
    pub fn is_constant(self) -> bool {
        self.0 < 2
    }
}

/// A variable; the smaller number is nearer to the root.
pub type Variable = u32;

/// A conjunction of literals: variable and whether it is true, in ascending order of the variables.
pub type Cube = Vec<(Variable, bool)>;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node {
    variable: Variable,
    low: Bdd,
    high: Bdd,
}

const CONSTANT: Variable = Variable::MAX;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Operation {
    And,
    Or,
    Not,
    Exists,
}

/// The nodes of all functions, and what has been computed about them.
#[derive(Clone)]
pub struct Bdds {
    nodes: Vec<Node>,
    unique: FxHashMap<Node, Bdd>,
    computed: FxHashMap<(Operation, Bdd, Bdd), Bdd>,
    /// How many more results may be computed.
    budget: usize,
    /// The budget did not suffice: what has been returned since means nothing.
    exhausted: bool,
}

impl Default for Bdds {
    fn default() -> Bdds {
        Bdds::new()
    }
}

impl Bdds {
    /// The two constants, and no limit to the work.
    pub fn new() -> Bdds {
        let constant = |bdd| Node { variable: CONSTANT, low: bdd, high: bdd };
        Bdds {
            nodes: vec![constant(Bdd::FALSE), constant(Bdd::TRUE)],
            unique: FxHashMap::default(),
            computed: FxHashMap::default(),
            budget: usize::MAX,
            exhausted: false,
        }
    }

    /// Does something that may take too long: `None` if more than `budget` results had to be computed. From
    /// that point on every operation returns at once, with a meaningless function, until `work` returns; long
    /// loops look at [`Bdds::is_exhausted`].
    pub fn within<T>(&mut self, budget: usize, work: impl FnOnce(&mut Bdds) -> T) -> Option<T> {
        let budget = budget.min(self.budget);
        let outer = self.budget - budget;
        self.budget = budget;
        let result = work(self);
        self.budget = self.budget.saturating_add(outer);
        let exhausted = std::mem::replace(&mut self.exhausted, false);
        (!exhausted).then_some(result)
    }

    /// How many more results may be computed.
    pub fn budget(&self) -> usize {
        self.budget
    }

    /// Has the budget been used up? Then nothing that is returned means anything.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    /// Takes one from the budget, if it is there.
    fn spend(&mut self) -> bool {
        self.exhausted |= self.budget == 0;
        self.budget = self.budget.saturating_sub(1);
        !self.exhausted
    }

    fn remember(&mut self, key: (Operation, Bdd, Bdd), result: Bdd) -> Bdd {
        if !self.exhausted {
            self.computed.insert(key, result);
        }
        result
    }

    /// How many nodes have been made.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The memory that the nodes take, and what has been computed about them.
    pub fn bytes(&self) -> usize {
        // A table of the standard library has a byte beside each entry.
        self.nodes.capacity() * size_of::<Node>()
            + self.unique.capacity() * (size_of::<(Node, Bdd)>() + 1)
            + self.computed.capacity() * (size_of::<((Operation, Bdd, Bdd), Bdd)>() + 1)
    }

    fn node(&self, bdd: Bdd) -> Node {
        self.nodes[bdd.0 as usize]
    }

    /// The topmost variable with the functions for false and true; `None` for a constant.
    pub fn split(&self, bdd: Bdd) -> Option<(Variable, Bdd, Bdd)> {
        let node = self.node(bdd);
        (!bdd.is_constant()).then_some((node.variable, node.low, node.high))
    }

    fn make(&mut self, variable: Variable, low: Bdd, high: Bdd) -> Bdd {
        if low == high {
            return low;
        }
        let node = Node { variable, low, high };
        let next = Bdd(self.nodes.len() as u32);
        let nodes = &mut self.nodes;
        *self.unique.entry(node).or_insert_with(|| {
            nodes.push(node);
            next
        })
    }

    /// The function that is true where the variable is. Panics for `u32::MAX`, which is no variable.
    pub fn variable(&mut self, variable: Variable) -> Bdd {
        assert!(variable != CONSTANT);
        self.make(variable, Bdd::FALSE, Bdd::TRUE)
    }

    /// The variable, or its negation.
    pub fn literal(&mut self, variable: Variable, positive: bool) -> Bdd {
        if positive {
            self.make(variable, Bdd::FALSE, Bdd::TRUE)
        } else {
            self.make(variable, Bdd::TRUE, Bdd::FALSE)
        }
    }

    /// The conjunction of literals, which must come in ascending order of the variables.
    pub fn cube(&mut self, cube: &[(Variable, bool)]) -> Bdd {
        debug_assert!(cube.is_sorted());
        let mut result = Bdd::TRUE;
        for &(variable, positive) in cube.iter().rev() {
            result = match positive {
                true => self.make(variable, Bdd::FALSE, result),
                false => self.make(variable, result, Bdd::FALSE),
            };
        }
        result
    }

    /// True where `a` is not.
    pub fn not(&mut self, a: Bdd) -> Bdd {
        if a.is_constant() {
            return Bdd(1 - a.0);
        }
        if let Some(&known) = self.computed.get(&(Operation::Not, a, a)) {
            return known;
        }
        if !self.spend() {
            return Bdd::FALSE;
        }
        let node = self.node(a);
        let low = self.not(node.low);
        let high = self.not(node.high);
        let result = self.make(node.variable, low, high);
        self.remember((Operation::Not, result, result), a);
        self.remember((Operation::Not, a, a), result)
    }

    /// True where both are.
    pub fn and(&mut self, a: Bdd, b: Bdd) -> Bdd {
        if a == b || b.is_true() {
            return a;
        }
        if a.is_true() {
            return b;
        }
        if a.is_false() || b.is_false() {
            return Bdd::FALSE;
        }
        self.combine(Operation::And, a.min(b), a.max(b))
    }

    /// True where one of them is, or both.
    pub fn or(&mut self, a: Bdd, b: Bdd) -> Bdd {
        if a == b || b.is_false() {
            return a;
        }
        if a.is_false() {
            return b;
        }
        if a.is_true() || b.is_true() {
            return Bdd::TRUE;
        }
        self.combine(Operation::Or, a.min(b), a.max(b))
    }

    fn combine(&mut self, operation: Operation, a: Bdd, b: Bdd) -> Bdd {
        if let Some(&known) = self.computed.get(&(operation, a, b)) {
            return known;
        }
        if !self.spend() {
            return Bdd::FALSE;
        }
        let (one, two) = (self.node(a), self.node(b));
        let variable = one.variable.min(two.variable);
        let (a0, a1) = if one.variable == variable { (one.low, one.high) } else { (a, a) };
        let (b0, b1) = if two.variable == variable { (two.low, two.high) } else { (b, b) };
        let (low, high) = match operation {
            Operation::And => (self.and(a0, b0), self.and(a1, b1)),
            _ => (self.or(a0, b0), self.or(a1, b1)),
        };
        let result = self.make(variable, low, high);
        self.remember((operation, a, b), result)
    }

    /// a and not b.
    pub fn minus(&mut self, a: Bdd, b: Bdd) -> Bdd {
        let not_b = self.not(b);
        self.and(a, not_b)
    }

    /// Whether `b` is true wherever `a` is.
    pub fn implies(&mut self, a: Bdd, b: Bdd) -> bool {
        self.minus(a, b).is_false()
    }

    /// Whether both can be true at once.
    pub fn intersects(&mut self, a: Bdd, b: Bdd) -> bool {
        !self.and(a, b).is_false()
    }

    /// The function with the variable fixed.
    pub fn restrict(&mut self, a: Bdd, variable: Variable, value: bool) -> Bdd {
        let node = self.node(a);
        if node.variable > variable {
            return a;
        }
        if node.variable == variable {
            return if value { node.high } else { node.low };
        }
        let literal = self.literal(variable, value);
        let both = self.and(a, literal);
        self.exists(both, literal)
    }

    /// Is there a value of these variables (a conjunction of them, of whatever sign) with which `a` is true?
    pub fn exists(&mut self, a: Bdd, variables: Bdd) -> Bdd {
        if a.is_constant() || variables.is_constant() {
            return a;
        }
        if let Some(&known) = self.computed.get(&(Operation::Exists, a, variables)) {
            return known;
        }
        if !self.spend() {
            return Bdd::FALSE;
        }
        let (node, quantified) = (self.node(a), self.node(variables));
        let rest = if quantified.low.is_false() { quantified.high } else { quantified.low };
        let result = if quantified.variable < node.variable {
            self.exists(a, rest)
        } else if quantified.variable == node.variable {
            let low = self.exists(node.low, rest);
            let high = self.exists(node.high, rest);
            self.or(low, high)
        } else {
            let low = self.exists(node.low, variables);
            let high = self.exists(node.high, variables);
            self.make(node.variable, low, high)
        };
        self.remember((Operation::Exists, a, variables), result)
    }

    /// The variables that the function depends on, ascending.
    pub fn support(&self, a: Bdd) -> Vec<Variable> {
        let mut variables = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut work = vec![a];
        while let Some(bdd) = work.pop() {
            if let Some((variable, low, high)) = self.split(bdd)
                && seen.insert(bdd)
            {
                variables.push(variable);
                work.extend([low, high]);
            }
        }
        variables.sort_unstable();
        variables.dedup();
        variables
    }

    /// The value for an assignment.
    pub fn evaluate(&self, a: Bdd, value: impl Fn(Variable) -> bool) -> bool {
        let mut bdd = a;
        while let Some((variable, low, high)) = self.split(bdd) {
            bdd = if value(variable) { high } else { low };
        }
        bdd.is_true()
    }

    /// One assignment that makes the function true, of only those variables that matter on the way; `None` if
    /// it is false. Prefers false.
    pub fn satisfying(&self, a: Bdd) -> Option<Cube> {
        let mut cube = Cube::new();
        let mut bdd = a;
        while let Some((variable, low, high)) = self.split(bdd) {
            let positive = low.is_false();
            cube.push((variable, positive));
            bdd = if positive { high } else { low };
        }
        bdd.is_true().then_some(cube)
    }

    /// A sum of products that equals the function, none of them superfluous (Minato's irredundant cover).
    pub fn cover(&mut self, a: Bdd) -> Vec<Cube> {
        self.cover_within(a, usize::MAX).expect("no limit is set")
    }

    /// The same, or `None` if it has more products than `limit`.
    pub fn cover_within(&mut self, a: Bdd, limit: usize) -> Option<Vec<Cube>> {
        let mut cubes = Vec::new();
        self.cover_between(a, a, &mut Cube::new(), &mut cubes, limit)?;
        Some(cubes)
    }

    /// Appends products, each extended by `prefix`, whose sum lies between `lower` and `upper`; returns that
    /// sum, without the prefix.
    fn cover_between(
        &mut self,
        lower: Bdd,
        upper: Bdd,
        prefix: &mut Cube,
        cubes: &mut Vec<Cube>,
        limit: usize,
    ) -> Option<Bdd> {
        // With the budget used up, differences mean nothing, and the recursion would not end.
        if lower.is_false() || self.exhausted {
            return Some(Bdd::FALSE);
        }
        if upper.is_true() {
            cubes.push(prefix.clone());
            return (cubes.len() <= limit).then_some(Bdd::TRUE);
        }
        let (low, up) = (self.node(lower), self.node(upper));
        let variable = low.variable.min(up.variable);
        let (lower0, lower1) = if low.variable == variable { (low.low, low.high) } else { (lower, lower) };
        let (upper0, upper1) = if up.variable == variable { (up.low, up.high) } else { (upper, upper) };
        // What only a product with the negative literal can cover, then only one with the positive, then
        // either.
        let needs_negative = self.minus(lower0, upper1);
        prefix.push((variable, false));
        let negative = self.cover_between(needs_negative, upper0, prefix, cubes, limit)?;
        prefix.pop();
        let needs_positive = self.minus(lower1, upper0);
        prefix.push((variable, true));
        let positive = self.cover_between(needs_positive, upper1, prefix, cubes, limit)?;
        prefix.pop();
        let left0 = self.minus(lower0, negative);
        let left1 = self.minus(lower1, positive);
        let left = self.or(left0, left1);
        let both = self.and(upper0, upper1);
        let either = self.cover_between(left, both, prefix, cubes, limit)?;
        let with_variable = self.make(variable, negative, positive);
        Some(self.or(with_variable, either))
    }

    /// The finest partition of the letters that the functions can tell apart: every function is a union of
    /// the classes returned. `None` if there are more than `limit`.
    pub fn classes(&mut self, functions: impl IntoIterator<Item = Bdd>, limit: usize) -> Option<Vec<Bdd>> {
        let mut classes = vec![Bdd::TRUE];
        let mut seen = rustc_hash::FxHashSet::default();
        for function in functions {
            if !seen.insert(function) || function.is_constant() {
                continue;
            }
            let mut refined = Vec::with_capacity(classes.len() * 2);
            for class in classes {
                let inside = self.and(class, function);
                let outside = self.minus(class, function);
                refined.extend([inside, outside].into_iter().filter(|part| !part.is_false()));
            }
            classes = refined;
            if classes.len() > limit {
                return None;
            }
        }
        Some(classes)
    }

    /// The same function with other variables. The map must keep the order of the variables.
    pub fn rename(&mut self, a: Bdd, map: &impl Fn(Variable) -> Variable) -> Bdd {
        match self.split(a) {
            None => a,
            Some((variable, low, high)) => {
                let low = self.rename(low, map);
                let high = self.rename(high, map);
                let literal = self.variable(map(variable));
                self.choose(literal, high, low)
            }
        }
    }

    /// If-then-else.
    pub fn choose(&mut self, condition: Bdd, then: Bdd, otherwise: Bdd) -> Bdd {
        let yes = self.and(condition, then);
        let no = self.minus(otherwise, condition);
        self.or(yes, no)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A budget ends the work, and what came of it is not remembered.
    #[test]
    fn budget() {
        let mut bdds = Bdds::new();
        let parity = |bdds: &mut Bdds| {
            let mut result = Bdd::FALSE;
            for variable in 0..40 {
                let literal = bdds.variable(variable);
                let negated = bdds.not(result);
                result = bdds.choose(literal, negated, result);
            }
            result
        };
        assert_eq!(bdds.within(100, parity), None);
        let cover = bdds.within(1000, |bdds| {
            let parity = parity(bdds);
            bdds.cover(parity)
        });
        assert_eq!(cover, None);
        let result = bdds.within(100_000, parity).unwrap();
        assert!(!bdds.is_exhausted());
        let mut fresh = Bdds::new();
        let expected = parity(&mut fresh);
        for row in [0u64, 1, 3, 0xF0F0, 0xFF_FFFF_FFFF, 0x12_3456_789A] {
            let value = |variable: u32| row >> variable & 1 == 1;
            assert_eq!(bdds.evaluate(result, value), row.count_ones() % 2 == 1);
            assert_eq!(fresh.evaluate(expected, value), row.count_ones() % 2 == 1);
        }
    }

    /// All functions of three variables, as truth tables, against the diagrams.
    #[test]
    fn agrees_with_truth_tables() {
        let mut bdds = Bdds::new();
        let from_table = |bdds: &mut Bdds, table: u8| {
            let mut result = Bdd::FALSE;
            for row in 0..8u32 {
                if table >> row & 1 == 1 {
                    let cube: Cube = (0..3).map(|v| (v, row >> v & 1 == 1)).collect();
                    let product = bdds.cube(&cube);
                    result = bdds.or(result, product);
                }
            }
            result
        };
        let to_table = |bdds: &Bdds, a: Bdd| {
            (0..8u32).map(|row| (bdds.evaluate(a, |v| row >> v & 1 == 1) as u8) << row).sum::<u8>()
        };
        let all: Vec<Bdd> = (0..=255).map(|table| from_table(&mut bdds, table)).collect();
        for (i, &a) in all.iter().enumerate() {
            assert_eq!(to_table(&bdds, a), i as u8);
            let negated = bdds.not(a);
            assert_eq!(negated, all[255 - i]);
            let mut sum = Bdd::FALSE;
            for cube in bdds.cover(a) {
                let product = bdds.cube(&cube);
                assert!(bdds.implies(product, a));
                sum = bdds.or(sum, product);
            }
            assert_eq!(sum, a);
            for v in 0..3 {
                let variable = bdds.variable(v);
                let zero = bdds.restrict(a, v, false);
                let one = bdds.restrict(a, v, true);
                assert_eq!(bdds.exists(a, variable), bdds.or(zero, one));
                assert_eq!(bdds.choose(variable, one, zero), a);
            }
            for (j, &b) in all.iter().enumerate() {
                assert_eq!(bdds.and(a, b), all[i & j]);
                assert_eq!(bdds.or(a, b), all[i | j]);
                assert_eq!(bdds.implies(a, b), i & !j == 0);
            }
        }
    }
}
