//! Syntactic implication: does one look at two formulas show that the first implies the second?
//!
//! Sound, not complete: `true` means that every word that satisfies the first satisfies the second. The rules
//! take the outermost operators apart; each is an instance of an operator's expansion or of its monotonicity.
//! (Somenzi and Bloem 2000, extended by the rules for pure eventualities and universalities of Babiak et al.
//! 2012.)

use super::{MAX_RESULTS, Rewriter};
use crate::formula::{Formula, Formulas, Node};

impl Rewriter {
    pub(crate) fn implies(&mut self, formulas: &Formulas, f: Formula, g: Formula) -> bool {
        if f == g || f == Formula::FALSE || g == Formula::TRUE {
            return true;
        }
        if f == Formula::TRUE || g == Formula::FALSE {
            return false;
        }
        if let Some(&known) = self.implications.get(&(f, g)) {
            return known;
        }
        // Rules only look at smaller pairs, so there is no cycle to fall into.
        let result = self.implies_by_rules(formulas, f, g);
        self.implications.insert((f, g), result);
        result
    }

    fn implies_by_rules(&mut self, formulas: &Formulas, f: Formula, g: Formula) -> bool {
        let (kind_f, kind_g) = (self.kind(formulas, f), self.kind(formulas, g));
        if kind_f.boolean && kind_g.boolean {
            let (Some(one), Some(two)) = (self.function(formulas, f), self.function(formulas, g)) else {
                return false;
            };
            return self.bdds.within(MAX_RESULTS, |bdds| bdds.implies(one, two)).unwrap_or(false);
        }
        let (left, right) = (formulas.node(f).clone(), formulas.node(g).clone());
        // What must be taken apart completely comes first: these rules lose nothing.
        if let Node::Or(all) = &left {
            return all.iter().all(|&a| self.implies(formulas, a, g));
        }
        if let Node::And(all) = &right {
            return all.iter().all(|&b| self.implies(formulas, f, b));
        }
        // The same operator on both sides, or two that are close.
        let close = match (&left, &right) {
            (&Node::Next(a), &Node::Next(b))
            | (&Node::Finally(a), &Node::Finally(b))
            | (&Node::Globally(a), &Node::Globally(b)) => self.implies(formulas, a, b),
            (&Node::Until(a, b), &Node::Until(c, d)) => {
                self.implies(formulas, a, c) && self.implies(formulas, b, d)
            }
            (&Node::Until(a, b), &Node::WeakUntil(c, d))
            | (&Node::WeakUntil(a, b), &Node::WeakUntil(c, d)) => {
                self.implies(formulas, a, c) && self.implies(formulas, b, d)
            }
            (&Node::Until(_, b), &Node::Finally(d)) => self.implies(formulas, b, d),
            (&Node::Globally(a), &Node::WeakUntil(c, d)) => {
                self.implies(formulas, a, c) || self.implies(formulas, a, d)
            }
            (&Node::Release(a, b), &Node::Release(c, d))
            | (&Node::StrongRelease(a, b), &Node::StrongRelease(c, d))
            | (&Node::StrongRelease(a, b), &Node::Release(c, d)) => {
                self.implies(formulas, a, c) && self.implies(formulas, b, d)
            }
            (&Node::Globally(b), &Node::Release(_, d)) => self.implies(formulas, b, d),
            (&Node::StrongRelease(a, b), &Node::Finally(d)) => {
                self.implies(formulas, a, d) || self.implies(formulas, b, d)
            }
            // a R b holds up to and including a: as long as not a, b; then both.
            (&Node::Release(a, b), &Node::WeakUntil(c, d)) => {
                self.implies(formulas, b, c) && self.implies_conjunction(formulas, a, b, d)
            }
            (&Node::StrongRelease(a, b), &Node::Until(c, d)) => {
                self.implies(formulas, b, c) && self.implies_conjunction(formulas, a, b, d)
            }
            // c W d with d implying c: c up to and including d.
            (&Node::WeakUntil(a, b), &Node::Release(c, d)) => {
                self.implies(formulas, a, d) && self.implies(formulas, b, c) && self.implies(formulas, b, d)
            }
            (&Node::Until(a, b), &Node::StrongRelease(c, d)) => {
                self.implies(formulas, a, d) && self.implies(formulas, b, c) && self.implies(formulas, b, d)
            }
            _ => false,
        };
        if close {
            return true;
        }
        // What the left side says about now.
        let now = match left {
            Node::And(ref all) => all.iter().any(|&a| self.implies(formulas, a, g)),
            Node::Globally(a) => self.implies(formulas, a, g),
            Node::Until(a, b) | Node::WeakUntil(a, b) => {
                self.implies(formulas, a, g) && self.implies(formulas, b, g)
            }
            Node::Release(_, b) => self.implies(formulas, b, g),
            Node::StrongRelease(a, b) => {
                self.implies(formulas, b, g) || kind_g.eventual && self.implies(formulas, a, g)
            }
            _ => false,
        };
        if now {
            return true;
        }
        // The left side is about some later position, and the right side holds as soon as it holds later.
        if kind_g.eventual {
            let later = match left {
                Node::Finally(a) | Node::Next(a) | Node::Until(_, a) => self.implies(formulas, a, g),
                _ => false,
            };
            if later {
                return true;
            }
        }
        // What is enough for the right side now.
        let enough = match right {
            Node::Or(ref all) => all.iter().any(|&b| self.implies(formulas, f, b)),
            Node::Finally(b) | Node::Until(_, b) => self.implies(formulas, f, b),
            Node::WeakUntil(a, b) => {
                self.implies(formulas, f, b) || kind_f.universal && self.implies(formulas, f, a)
            }
            Node::Release(a, b) | Node::StrongRelease(a, b) => {
                self.implies(formulas, f, a) && self.implies(formulas, f, b)
            }
            _ => false,
        };
        if enough {
            return true;
        }
        // The left side holds at every later position too.
        if kind_f.universal {
            return match right {
                Node::Globally(b) | Node::Next(b) | Node::Release(_, b) => self.implies(formulas, f, b),
                _ => false,
            };
        }
        false
    }

    /// Do a and b together imply d?
    fn implies_conjunction(&mut self, formulas: &Formulas, a: Formula, b: Formula, d: Formula) -> bool {
        if let Node::And(all) = formulas.node(d).clone() {
            return all.iter().all(|&part| self.implies_conjunction(formulas, a, b, part));
        }
        self.implies(formulas, a, d) || self.implies(formulas, b, d)
    }

    /// Does one look show that both cannot hold?
    pub(crate) fn excludes(&mut self, formulas: &mut Formulas, f: Formula, g: Formula) -> bool {
        let not_g = self.negation(formulas, g);
        if self.implies(formulas, f, not_g) {
            return true;
        }
        let not_f = self.negation(formulas, f);
        self.implies(formulas, g, not_f)
    }

    /// Does one look show that one of both holds?
    pub(crate) fn covers(&mut self, formulas: &mut Formulas, f: Formula, g: Formula) -> bool {
        let not_f = self.negation(formulas, f);
        if self.implies(formulas, not_f, g) {
            return true;
        }
        let not_g = self.negation(formulas, g);
        self.implies(formulas, not_g, f)
    }
}
