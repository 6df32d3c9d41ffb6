//! The laws themselves.
//!
//! They are written for one operator of each dual pair: conjunction, `G`, `R`, `W`. For the others the
//! negation is taken, rewritten, and negated again; so each law and its dual are one piece of code.
//!
//! In the comments: e is a pure eventuality, u a pure universality, s both (it holds at all positions of a
//! word or at none).

use super::Rewriter;
use crate::bdd::Bdd;
use crate::formula::{Formula, Formulas, Node};
use rustc_hash::FxHashMap;

/// Conjunctions with more parts are not looked into.
const MAX_PARTS: usize = 64;

impl Rewriter {
    /// One round of laws at the outermost operator; what is inside is simplified already.
    pub(crate) fn apply_laws(&mut self, formulas: &mut Formulas, formula: Formula) -> Formula {
        match *formulas.node(formula) {
            Node::Next(a) if self.is_suspendable(formulas, a) => a,
            Node::And(_) => self.conjunction(formulas, formula),
            Node::Globally(a) => self.globally(formulas, a),
            Node::Release(a, b) => self.release(formulas, a, b),
            Node::WeakUntil(a, b) => self.weak_until(formulas, a, b),
            Node::Or(_) | Node::Finally(_) | Node::Until(..) | Node::StrongRelease(..) => {
                let dual = self.negation(formulas, formula);
                let rewritten = self.apply_laws(formulas, dual);
                if rewritten == dual { formula } else { self.negation(formulas, rewritten) }
            }
            _ => formula,
        }
    }

    /// The parts of one kind, and the others; `None` if there is none of that kind.
    fn split(
        &mut self,
        formulas: &Formulas,
        parts: &[Formula],
        is_wanted: fn(&mut Rewriter, &Formulas, Formula) -> bool,
    ) -> Option<(Vec<Formula>, Vec<Formula>)> {
        let (wanted, rest): (Vec<_>, Vec<_>) =
            parts.iter().partition(|&&part| is_wanted(self, formulas, part));
        (!wanted.is_empty()).then_some((wanted, rest))
    }

    /// Eventual or universal.
    fn is_pure(&mut self, formulas: &Formulas, formula: Formula) -> bool {
        self.is_universal(formulas, formula) || self.is_eventual(formulas, formula)
    }

    fn globally(&mut self, formulas: &mut Formulas, a: Formula) -> Formula {
        // G u = u
        if self.is_universal(formulas, a) {
            return a;
        }
        match formulas.node(a).clone() {
            // G X b = X G b
            Node::Next(b) => {
                let inner = formulas.globally(b);
                return formulas.next(inner);
            }
            // G (x R b) = G b
            Node::Release(_, b) => return formulas.globally(b),
            // G (x M b) = G b & G F x
            Node::StrongRelease(x, b) => {
                let always = formulas.globally(b);
                let again = formulas.finally(x);
                let again = formulas.globally(again);
                return formulas.and2(always, again);
            }
            // G (x W y) = G (x | y)
            Node::WeakUntil(x, y) => {
                let either = formulas.or2(x, y);
                return formulas.globally(either);
            }
            // G (x U y) = G (x | y) & G F y
            Node::Until(x, y) => {
                let either = formulas.or2(x, y);
                let always = formulas.globally(either);
                let again = formulas.finally(y);
                let again = formulas.globally(again);
                return formulas.and2(always, again);
            }
            // G (x & u) = G x & u, G (x & e) = G x & G e; what G says of R, W, U, M alone it says of them
            // among others.
            Node::And(all) => {
                let loose = |part: &Formula| {
                    matches!(
                        formulas.node(*part),
                        Node::Release(..) | Node::WeakUntil(..) | Node::Until(..) | Node::StrongRelease(..)
                    )
                };
                if all.iter().any(loose) {
                    let (loose, rest): (Vec<_>, Vec<_>) = all.iter().partition(|&part| loose(part));
                    let rest = formulas.and(rest);
                    let mut parts = vec![formulas.globally(rest)];
                    for part in loose {
                        parts.push(self.globally(formulas, part));
                    }
                    return formulas.and(parts);
                }
                if let Some((split, rest)) = self.split(formulas, &all, Rewriter::is_pure) {
                    let rest = formulas.and(rest);
                    let mut parts = vec![formulas.globally(rest)];
                    for part in split {
                        parts.push(formulas.globally(part));
                    }
                    return formulas.and(parts);
                }
            }
            // G (x | s) = G x | s
            Node::Or(all) => {
                if let Some((split, rest)) = self.split(formulas, &all, Rewriter::is_suspendable) {
                    let rest = formulas.or(rest);
                    let rest = formulas.globally(rest);
                    return formulas.or(split.into_iter().chain([rest]));
                }
            }
            Node::Finally(inner) => match formulas.node(inner).clone() {
                // G F (x & e) = G F x & G e,  G F (x & u) = G F x & F u
                Node::And(all) => {
                    if let Some((split, rest)) = self.split(formulas, &all, Rewriter::is_pure) {
                        let rest = formulas.and(rest);
                        let parts: Vec<Formula> = split
                            .into_iter()
                            .chain([rest])
                            .map(|part| infinitely_often(formulas, part))
                            .collect();
                        return formulas.and(parts);
                    }
                }
                // G F (x | y) = G F x | G F y, if the law above then applies
                Node::Or(all) => {
                    // G F (x | X y) = G F (x | y)
                    let without_next = |formulas: &Formulas, part: Formula| match *formulas.node(part) {
                        Node::Next(inner) => inner,
                        _ => part,
                    };
                    if all.iter().any(|&part| without_next(formulas, part) != part) {
                        let parts: Vec<Formula> =
                            all.iter().map(|&part| without_next(formulas, part)).collect();
                        let either = formulas.or(parts);
                        return infinitely_often(formulas, either);
                    }
                    let splits = |this: &mut Rewriter, part: Formula| match formulas.node(part) {
                        Node::And(all) => all.iter().any(|&part| {
                            this.is_universal(formulas, part) || this.is_eventual(formulas, part)
                        }),
                        _ => false,
                    };
                    if all.iter().any(|&part| splits(self, part)) {
                        let parts: Vec<Formula> =
                            all.iter().map(|&part| infinitely_often(formulas, part)).collect();
                        return formulas.or(parts);
                    }
                }
                _ => {}
            },
            _ => {}
        }
        formulas.globally(a)
    }

    fn release(&mut self, formulas: &mut Formulas, a: Formula, b: Formula) -> Formula {
        // a R u = u;  b implies a: a R b = b
        if self.is_universal(formulas, b) || self.implies(formulas, b, a) {
            return b;
        }
        // Both never together: a R b = G b
        if self.excludes(formulas, a, b) {
            return formulas.globally(b);
        }
        // e R b = G b | (e & b)
        if self.is_eventual(formulas, a) {
            let always = formulas.globally(b);
            let now = formulas.and2(a, b);
            return formulas.or2(always, now);
        }
        if let Some((a, b)) = self.both_next(formulas, a, b) {
            let inner = formulas.release(a, b);
            return formulas.next(inner);
        }
        match formulas.node(b).clone() {
            // a R (x & u) = (a R x) & u
            Node::And(all) => {
                if let Some((split, rest)) = self.split(formulas, &all, Rewriter::is_universal) {
                    let rest = formulas.and(rest);
                    let rest = formulas.release(a, rest);
                    return formulas.and(split.into_iter().chain([rest]));
                }
            }
            Node::Or(all) => {
                // a R (x | s) = (a R x) | s
                if let Some((split, rest)) = self.split(formulas, &all, Rewriter::is_suspendable) {
                    let rest = formulas.or(rest);
                    let rest = formulas.release(a, rest);
                    return formulas.or(split.into_iter().chain([rest]));
                }
                // a R (a | c) = c W a
                if let Some(rest) = without(&all, &disjuncts(formulas, a)) {
                    let rest = formulas.or(rest);
                    return formulas.weak_until(rest, a);
                }
            }
            // c implies a: a R (c R d) = c R d;  a implies c: a R (c R d) = a R d
            Node::Release(c, d) => {
                if self.implies(formulas, c, a) {
                    return b;
                }
                if self.implies(formulas, a, c) {
                    return formulas.release(a, d);
                }
            }
            _ => {}
        }
        // (x R b) R b = x R b
        if let Node::Release(_, inner) = *formulas.node(a)
            && inner == b
        {
            return a;
        }
        // Where a matters, b holds too.
        let a = self.simplify_beside(formulas, a, b);
        formulas.release(a, b)
    }

    fn weak_until(&mut self, formulas: &mut Formulas, a: Formula, b: Formula) -> Formula {
        if self.implies(formulas, a, b) {
            return b;
        }
        if self.covers(formulas, a, b) {
            return Formula::TRUE;
        }
        // u W b = u | b
        if self.is_universal(formulas, a) {
            return formulas.or2(a, b);
        }
        // a W e = G a | e
        if self.is_eventual(formulas, b) {
            let always = formulas.globally(a);
            return formulas.or2(always, b);
        }
        if let Some((a, b)) = self.both_next(formulas, a, b) {
            let inner = formulas.weak_until(a, b);
            return formulas.next(inner);
        }
        match formulas.node(b).clone() {
            // a W (x | e) = (a W x) | e
            Node::Or(all) => {
                if let Some((split, rest)) = self.split(formulas, &all, Rewriter::is_eventual) {
                    let rest = formulas.or(rest);
                    let rest = formulas.weak_until(a, rest);
                    return formulas.or(split.into_iter().chain([rest]));
                }
            }
            // a W (a & c) = c R a
            Node::And(all) => {
                if let Some(rest) = without(&all, &conjuncts(formulas, a)) {
                    let rest = formulas.and(rest);
                    return formulas.release(rest, a);
                }
            }
            // a implies c: a W (c W d) = c W d;  c implies a: a W (c W d) = a W d
            Node::WeakUntil(c, d) => {
                if self.implies(formulas, a, c) {
                    return b;
                }
                if self.implies(formulas, c, a) {
                    return formulas.weak_until(a, d);
                }
            }
            _ => {}
        }
        // (x W b) W b = x W b
        if let Node::WeakUntil(_, inner) = *formulas.node(a)
            && inner == b
        {
            return a;
        }
        // Where a matters, b does not hold.
        let not_b = self.negation(formulas, b);
        let a = self.simplify_beside(formulas, a, not_b);
        formulas.weak_until(a, b)
    }

    /// Both operands without a `X` in front that both have (or do not need).
    fn both_next(&mut self, formulas: &Formulas, a: Formula, b: Formula) -> Option<(Formula, Formula)> {
        match (formulas.node(a), formulas.node(b)) {
            (&Node::Next(a), &Node::Next(b)) => Some((a, b)),
            (&Node::Next(a), _) if self.is_suspendable(formulas, b) => Some((a, b)),
            (_, &Node::Next(b)) if self.is_suspendable(formulas, a) => Some((a, b)),
            _ => None,
        }
    }

    /// A formula that equals `a` wherever `known` holds: conjuncts that `known` implies and disjuncts that it
    /// excludes go.
    fn simplify_beside(&mut self, formulas: &mut Formulas, a: Formula, known: Formula) -> Formula {
        self.beside(formulas, a, known, &mut FxHashMap::default())
    }

    fn beside(
        &mut self,
        formulas: &mut Formulas,
        a: Formula,
        known: Formula,
        done: &mut FxHashMap<Formula, Formula>,
    ) -> Formula {
        if let Some(&result) = done.get(&a) {
            return result;
        }
        let result = self.beside_fresh(formulas, a, known, done);
        done.insert(a, result);
        result
    }

    fn beside_fresh(
        &mut self,
        formulas: &mut Formulas,
        a: Formula,
        known: Formula,
        done: &mut FxHashMap<Formula, Formula>,
    ) -> Formula {
        if self.implies(formulas, known, a) {
            return Formula::TRUE;
        }
        if self.excludes(formulas, known, a) {
            return Formula::FALSE;
        }
        match formulas.node(a).clone() {
            Node::And(all) => {
                let all: Vec<_> = all.iter().map(|&part| self.beside(formulas, part, known, done)).collect();
                formulas.and(all)
            }
            Node::Or(all) => {
                let all: Vec<_> = all.iter().map(|&part| self.beside(formulas, part, known, done)).collect();
                formulas.or(all)
            }
            _ => a,
        }
    }

    /// A formula that equals `a` on every word of which all positions satisfy `known`.
    fn simplify_under(&mut self, formulas: &mut Formulas, a: Formula, known: Formula) -> Formula {
        self.under(formulas, a, known, &mut FxHashMap::default())
    }

    fn under(
        &mut self,
        formulas: &mut Formulas,
        a: Formula,
        known: Formula,
        done: &mut FxHashMap<Formula, Formula>,
    ) -> Formula {
        if let Some(&result) = done.get(&a) {
            return result;
        }
        let result = if self.implies(formulas, known, a) {
            Formula::TRUE
        } else if self.excludes(formulas, known, a) {
            Formula::FALSE
        } else if matches!(formulas.node(a), Node::Not(_)) {
            a
        } else {
            formulas.map_children(a, |formulas, child| self.under(formulas, child, known, done))
        };
        done.insert(a, result);
        result
    }

    fn conjunction(&mut self, formulas: &mut Formulas, formula: Formula) -> Formula {
        let Node::And(all) = formulas.node(formula) else { return formula };
        let mut parts: Vec<Formula> = all.to_vec();

        // The Boolean part as a whole.
        let boolean: Vec<Formula> =
            parts.iter().copied().filter(|&part| self.kind(formulas, part).boolean).collect();
        if boolean.len() > 1 {
            let together = formulas.and(boolean);
            if self.function(formulas, together).is_some_and(Bdd::is_false) {
                return Formula::FALSE;
            }
        }
        // The laws below look at pairs.
        if parts.len() > MAX_PARTS {
            return formula;
        }

        // Conjuncts that others imply; pairs that exclude each other.
        let mut k = 0;
        while k < parts.len() {
            let part = parts[k];
            let implied =
                parts.iter().enumerate().any(|(j, &other)| j != k && self.implies(formulas, other, part));
            if implied {
                parts.remove(k);
            } else {
                k += 1;
            }
        }
        for j in 0..parts.len() {
            for k in j + 1..parts.len() {
                if self.excludes(formulas, parts[j], parts[k]) {
                    return Formula::FALSE;
                }
            }
        }

        // Beside G p every position satisfies p.
        for k in 0..parts.len() {
            if let Node::Globally(known) = *formulas.node(parts[k]) {
                for (j, part) in parts.iter_mut().enumerate() {
                    if j != k {
                        *part = self.simplify_under(formulas, *part, known);
                    }
                }
            }
        }

        // Beside p the Boolean part of another conjunct may be simpler now.
        for k in 0..parts.len() {
            if self.kind(formulas, parts[k]).boolean {
                for j in 0..parts.len() {
                    if j != k && matches!(formulas.node(parts[j]), Node::Or(_)) {
                        parts[j] = self.simplify_beside(formulas, parts[j], parts[k]);
                    }
                }
            }
        }

        // b & X (G b & c) = G b & X c
        for k in 0..parts.len() {
            if let Node::Next(inner) = *formulas.node(parts[k]) {
                let inner = conjuncts(formulas, inner);
                let closed = inner.iter().position(|&part| match *formulas.node(part) {
                    Node::Globally(b) => conjuncts(formulas, b).iter().all(|c| parts.contains(c)),
                    _ => false,
                });
                if let Some(at) = closed {
                    let always = inner[at];
                    let rest = formulas.and(inner.iter().copied().filter(|&part| part != always));
                    let rest = formulas.next(rest);
                    parts[k] = rest;
                    return formulas.and(parts.into_iter().chain([always]));
                }
            }
        }

        // b & (a | X (a R b)) = a R b, and the same with M
        for k in 0..parts.len() {
            let Node::Or(alternatives) = formulas.node(parts[k]) else { continue };
            let unfolded = alternatives.iter().find_map(|&alternative| {
                let Node::Next(folded) = *formulas.node(alternative) else { return None };
                let (Node::Release(a, b) | Node::StrongRelease(a, b)) = *formulas.node(folded) else {
                    return None;
                };
                let rest: Vec<Formula> =
                    alternatives.iter().copied().filter(|&other| other != alternative).collect();
                let mut sought = disjuncts(formulas, a);
                sought.sort_unstable();
                let body = conjuncts(formulas, b);
                (rest == sought && body.iter().all(|c| parts.contains(c))).then_some((folded, body))
            });
            if let Some((folded, body)) = unfolded {
                let whole = parts[k];
                parts.retain(|part| *part != whole && !body.contains(part));
                return formulas.and(parts.into_iter().chain([folded]));
            }
        }

        // Pairs that become one.
        for j in 0..parts.len() {
            for k in 0..parts.len() {
                if j != k
                    && let Some(joined) = self.join(formulas, parts[j], parts[k])
                {
                    let (one, two) = (parts[j], parts[k]);
                    parts.retain(|&part| part != one && part != two);
                    return formulas.and(parts.into_iter().chain([joined]));
                }
            }
        }
        formulas.and(parts)
    }

    /// A formula for the conjunction of both, with fewer operators.
    fn join(&mut self, formulas: &mut Formulas, f: Formula, g: Formula) -> Option<Formula> {
        use Node::*;
        Some(match (formulas.node(f).clone(), formulas.node(g).clone()) {
            (Next(a), Next(b)) => {
                let inner = formulas.and2(a, b);
                formulas.next(inner)
            }
            // G a & G b = G (a & b), but what recurs stays apart.
            (Globally(a), Globally(b))
                if !self.is_eventual(formulas, a) && !self.is_eventual(formulas, b) =>
            {
                let inner = formulas.and2(a, b);
                formulas.globally(inner)
            }
            // F G a & F G b = F G (a & b)
            (Finally(a), Finally(b)) => match (formulas.node(a), formulas.node(b)) {
                (&Globally(a), &Globally(b)) => {
                    let inner = formulas.and2(a, b);
                    let inner = formulas.globally(inner);
                    formulas.finally(inner)
                }
                _ => return None,
            },
            (Until(a, b), Until(c, d)) | (Until(a, b), WeakUntil(c, d)) if b == d => {
                let left = formulas.and2(a, c);
                formulas.until(left, b)
            }
            (WeakUntil(a, b), WeakUntil(c, d)) if b == d => {
                let left = formulas.and2(a, c);
                formulas.weak_until(left, b)
            }
            (Release(a, b), Release(c, d)) if a == c => {
                let right = formulas.and2(b, d);
                formulas.release(a, right)
            }
            (StrongRelease(a, b), StrongRelease(c, d)) | (StrongRelease(a, b), Release(c, d)) if a == c => {
                let right = formulas.and2(b, d);
                formulas.strong_release(a, right)
            }
            (WeakUntil(a, b), Finally(c)) if b == c => formulas.until(a, b),
            (Release(a, b), Finally(c)) if a == c => formulas.strong_release(a, b),
            // (a U b) & G a = F b & G a
            (Until(a, b), Globally(c)) if a == c => {
                let later = formulas.finally(b);
                formulas.and2(later, g)
            }
            _ => return None,
        })
    }
}

fn infinitely_often(formulas: &mut Formulas, formula: Formula) -> Formula {
    let later = formulas.finally(formula);
    formulas.globally(later)
}

fn conjuncts(formulas: &Formulas, formula: Formula) -> Vec<Formula> {
    match formulas.node(formula) {
        Node::And(all) => all.to_vec(),
        _ => vec![formula],
    }
}

fn disjuncts(formulas: &Formulas, formula: Formula) -> Vec<Formula> {
    match formulas.node(formula) {
        Node::Or(all) => all.to_vec(),
        _ => vec![formula],
    }
}

/// The parts that are left when some are taken away; `None` if not all of these were there.
fn without(parts: &[Formula], taken: &[Formula]) -> Option<Vec<Formula>> {
    taken
        .iter()
        .all(|part| parts.contains(part))
        .then(|| parts.iter().copied().filter(|part| !taken.contains(part)).collect())
}
