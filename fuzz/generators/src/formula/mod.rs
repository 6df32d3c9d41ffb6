//! Random formulas of linear temporal logic, for comparing translations to automata with each other.
//!
//! A [`FormulaTree`] is what was drawn, as it was drawn: nothing is simplified, so that its text still has
//! the double negations and the constants that a reader must cope with. [`fmt::Display`] writes it in Spot's
//! syntax with all brackets; [`FormulaTree::sparse`] leaves out those that Spot's precedence makes
//! superfluous. Both must be read as the same formula.
//!
//! - [`generate`] draws trees of an exact size, by one of several [`Profile`]s of weights;
//! - [`shrink`] takes a tree apart for as long as a predicate holds.

mod generate;
mod shrink;

pub use generate::{Profile, generate, generate_sized};
pub use shrink::shrink;

use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Unary {
    Not,
    Next,
    Finally,
    Globally,
}

/// From the simplest to the one that says most: shrinking goes to the left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Binary {
    And,
    Or,
    Implies,
    Equivalent,
    Xor,
    Until,
    Release,
    WeakUntil,
    StrongRelease,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum FormulaTree {
    Constant(bool),
    /// By its number in [`FormulaTree::NAMES`].
    Proposition(usize),
    Unary(Unary, Box<FormulaTree>),
    Binary(Binary, Box<FormulaTree>, Box<FormulaTree>),
}

impl Unary {
    pub const ALL: [Unary; 4] = [Unary::Not, Unary::Next, Unary::Finally, Unary::Globally];

    fn spelling(self) -> &'static str {
        match self {
            Unary::Not => "!",
            Unary::Next => "X",
            Unary::Finally => "F",
            Unary::Globally => "G",
        }
    }
}

impl Binary {
    pub const ALL: [Binary; 9] = [
        Binary::And,
        Binary::Or,
        Binary::Implies,
        Binary::Equivalent,
        Binary::Xor,
        Binary::Until,
        Binary::Release,
        Binary::WeakUntil,
        Binary::StrongRelease,
    ];

    fn spelling(self) -> &'static str {
        match self {
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Implies => "->",
            Binary::Equivalent => "<->",
            Binary::Xor => "xor",
            Binary::Until => "U",
            Binary::Release => "R",
            Binary::WeakUntil => "W",
            Binary::StrongRelease => "M",
        }
    }

    /// How tight it binds in Spot's syntax, and whether it groups to the right.
    fn level(self) -> (u8, bool) {
        match self {
            Binary::Implies | Binary::Equivalent => (1, true),
            Binary::Xor => (2, false),
            Binary::Or => (3, false),
            Binary::And => (4, false),
            Binary::Until | Binary::Release | Binary::WeakUntil | Binary::StrongRelease => (5, true),
        }
    }
}

/// Of operators with one operand: they bind tighter than all between two.
const UNARY_LEVEL: u8 = 6;

impl FormulaTree {
    /// The names of the propositions.
    pub const NAMES: [&'static str; 4] = ["a", "b", "c", "d"];

    pub fn unary(operator: Unary, operand: FormulaTree) -> FormulaTree {
        FormulaTree::Unary(operator, Box::new(operand))
    }

    pub fn binary(operator: Binary, left: FormulaTree, right: FormulaTree) -> FormulaTree {
        FormulaTree::Binary(operator, Box::new(left), Box::new(right))
    }

    /// The number of operators and operands.
    pub fn size(&self) -> usize {
        1 + self.operands().iter().map(|operand| operand.size()).sum::<usize>()
    }

    /// The formulas directly inside, from left to right.
    pub fn operands(&self) -> Vec<&FormulaTree> {
        match self {
            FormulaTree::Constant(_) | FormulaTree::Proposition(_) => Vec::new(),
            FormulaTree::Unary(_, operand) => vec![operand],
            FormulaTree::Binary(_, left, right) => vec![left, right],
        }
    }

    /// The formula and all inside it, from the outside in.
    pub fn subformulas(&self) -> Vec<&FormulaTree> {
        let mut found = vec![self];
        let mut next = 0;
        while next < found.len() {
            found.extend(found[next].operands());
            next += 1;
        }
        found
    }

    /// The same with other propositions.
    pub fn renamed(&self, name: &impl Fn(usize) -> usize) -> FormulaTree {
        match self {
            FormulaTree::Constant(value) => FormulaTree::Constant(*value),
            FormulaTree::Proposition(number) => FormulaTree::Proposition(name(*number)),
            FormulaTree::Unary(operator, operand) => FormulaTree::unary(*operator, operand.renamed(name)),
            FormulaTree::Binary(operator, left, right) => {
                FormulaTree::binary(*operator, left.renamed(name), right.renamed(name))
            }
        }
    }

    /// The text with only those brackets that Spot's precedence needs.
    pub fn sparse(&self) -> String {
        let mut out = String::new();
        self.write_sparse(0, &mut out);
        out
    }

    fn write_sparse(&self, at_least: u8, out: &mut String) {
        match self {
            FormulaTree::Constant(_) | FormulaTree::Proposition(_) => out.push_str(self.leaf()),
            FormulaTree::Unary(operator, operand) => {
                out.push_str(operator.spelling());
                if *operator != Unary::Not {
                    out.push(' ');
                }
                operand.write_sparse(UNARY_LEVEL, out);
            }
            FormulaTree::Binary(operator, left, right) => {
                let (level, to_the_right) = operator.level();
                let brackets = level < at_least;
                if brackets {
                    out.push('(');
                }
                left.write_sparse(if to_the_right { level + 1 } else { level }, out);
                out.push(' ');
                out.push_str(operator.spelling());
                out.push(' ');
                right.write_sparse(if to_the_right { level } else { level + 1 }, out);
                if brackets {
                    out.push(')');
                }
            }
        }
    }

    fn leaf(&self) -> &'static str {
        match self {
            FormulaTree::Constant(true) => "1",
            FormulaTree::Constant(false) => "0",
            FormulaTree::Proposition(number) => FormulaTree::NAMES[*number],
            FormulaTree::Unary(..) | FormulaTree::Binary(..) => "",
        }
    }
}

impl fmt::Display for FormulaTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormulaTree::Constant(_) | FormulaTree::Proposition(_) => f.write_str(self.leaf()),
            FormulaTree::Unary(operator, operand) => match **operand {
                FormulaTree::Binary(..) => write!(f, "{}{operand}", operator.spelling()),
                FormulaTree::Unary(..) => write!(f, "{}({operand})", operator.spelling()),
                _ => write!(f, "{} {operand}", operator.spelling()),
            },
            FormulaTree::Binary(operator, left, right) => {
                write!(f, "({left} {} {right})", operator.spelling())
            }
        }
    }
}
