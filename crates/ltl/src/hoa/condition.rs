//! Acceptance conditions: positive Boolean formulas over `Inf(i)`, `Inf(!i)`, `Fin(i)`, `Fin(!i)`.
//!
//! A condition without `Fin` is a generalised Büchi condition in disguise. In conjunctive form, each clause
//! asks for infinitely many edges that are in one of some sets, or not in one of some others; as there are
//! finitely many sets, that is infinitely many edges of the union: one Büchi set. So
//! `Inf(0) | Inf(1) & Inf(2)` is two sets, 0 ∪ 1 and 0 ∪ 2.

/// The condition as written, except that constants are gone from inside it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Condition {
    Constant(bool),
    Atom(Atom),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Atom {
    /// `Fin` rather than `Inf`.
    pub finitely: bool,
    /// The edges that are not in the set.
    pub complement: bool,
    pub set: u32,
}

/// Infinitely many edges that are in one of the sets `inside`, or not in one of the sets `outside`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Clause {
    pub inside: u64,
    pub outside: u64,
}

impl Clause {
    pub const NEVER: Clause = Clause { inside: 0, outside: 0 };

    /// Does an edge in these sets count?
    pub fn counts(self, sets: u64) -> bool {
        sets & self.inside != 0 || !sets & self.outside != 0
    }

    fn or(self, other: Clause) -> Clause {
        Clause { inside: self.inside | other.inside, outside: self.outside | other.outside }
    }

    /// Every edge counts.
    fn is_trivial(self) -> bool {
        self.inside & self.outside != 0
    }

    fn implies(self, other: Clause) -> bool {
        self.or(other) == other
    }
}

/// Why a condition has no clauses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoClauses {
    /// Of a `Fin` it is not known whether it holds.
    Finitely,
    TooMany,
}

/// On the way to the clauses there may be more than in the end.
const MOST_CLAUSES: usize = 1024;

impl Condition {
    pub fn all(parts: Vec<Condition>) -> Condition {
        Condition::combined(true, parts)
    }

    pub fn any(parts: Vec<Condition>) -> Condition {
        Condition::combined(false, parts)
    }

    fn combined(conjunction: bool, parts: Vec<Condition>) -> Condition {
        let mut kept: Vec<Condition> = Vec::new();
        for part in parts {
            match part {
                Condition::Constant(value) if value == conjunction => {}
                Condition::Constant(value) => return Condition::Constant(value),
                Condition::All(inner) if conjunction => kept.extend(inner),
                Condition::Any(inner) if !conjunction => kept.extend(inner),
                part => kept.push(part),
            }
        }
        // A set is met infinitely often or it is not.
        let mut seen = [[0u64; 2]; 2];
        for part in &kept {
            if let Condition::Atom(Atom { finitely, complement, set }) = *part
                && set < 64
            {
                seen[complement as usize][finitely as usize] |= 1 << set;
            }
        }
        if seen.iter().any(|[infinitely, finitely]| infinitely & finitely != 0) {
            return Condition::Constant(!conjunction);
        }
        match kept.len() {
            0 => Condition::Constant(conjunction),
            1 => kept.remove(0),
            _ if conjunction => Condition::All(kept),
            _ => Condition::Any(kept),
        }
    }

    pub fn each_atom(&self, visit: &mut impl FnMut(Atom)) {
        match self {
            Condition::Constant(_) => {}
            Condition::Atom(atom) => visit(*atom),
            Condition::All(parts) | Condition::Any(parts) => {
                parts.iter().for_each(|part| part.each_atom(visit));
            }
        }
    }

    /// The conjunctive form, without clauses that say nothing new; `finitely` decides about `Fin`.
    /// No clause: every run is accepting; [`Clause::NEVER`]: none.
    pub fn clauses(&self, finitely: &impl Fn(Atom) -> Option<bool>) -> Result<Vec<Clause>, NoClauses> {
        let constant = |value: bool| if value { Vec::new() } else { vec![Clause::NEVER] };
        let clauses = match self {
            Condition::Constant(value) => constant(*value),
            Condition::Atom(atom) if atom.finitely => constant(finitely(*atom).ok_or(NoClauses::Finitely)?),
            Condition::Atom(atom) => {
                let set = 1u64.checked_shl(atom.set).ok_or(NoClauses::TooMany)?;
                vec![if atom.complement {
                    Clause { inside: 0, outside: set }
                } else {
                    Clause { inside: set, outside: 0 }
                }]
            }
            Condition::All(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(part.clauses(finitely)?);
                    all = irredundant(all)?;
                }
                all
            }
            Condition::Any(parts) => {
                let mut any = vec![Clause::NEVER];
                for part in parts {
                    let part = part.clauses(finitely)?;
                    if any.len().saturating_mul(part.len()) > MOST_CLAUSES * MOST_CLAUSES {
                        return Err(NoClauses::TooMany);
                    }
                    any = irredundant(any.iter().flat_map(|a| part.iter().map(|b| a.or(*b))).collect())?;
                }
                any
            }
        };
        Ok(clauses)
    }
}

fn irredundant(mut clauses: Vec<Clause>) -> Result<Vec<Clause>, NoClauses> {
    clauses.retain(|clause| !clause.is_trivial());
    // Shorter ones first: only they can imply others.
    clauses
        .sort_unstable_by_key(|clause| (clause.inside.count_ones() + clause.outside.count_ones(), *clause));
    clauses.dedup();
    let mut kept: Vec<Clause> = Vec::new();
    for clause in clauses {
        if !kept.iter().any(|shorter| shorter.implies(clause)) {
            kept.push(clause);
            if kept.len() > MOST_CLAUSES {
                return Err(NoClauses::TooMany);
            }
        }
    }
    kept.sort_unstable();
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inf(set: u32) -> Condition {
        Condition::Atom(Atom { finitely: false, complement: false, set })
    }

    fn fin(set: u32) -> Condition {
        Condition::Atom(Atom { finitely: true, complement: false, set })
    }

    fn clauses(condition: &Condition) -> Result<Vec<(u64, u64)>, NoClauses> {
        Ok(condition.clauses(&|_| None)?.into_iter().map(|c| (c.inside, c.outside)).collect())
    }

    #[test]
    fn conjunctive_form() {
        let both = Condition::all(vec![inf(1), inf(0), inf(1)]);
        assert_eq!(clauses(&both), Ok(vec![(1, 0), (2, 0)]));
        let either = Condition::any(vec![inf(0), inf(1)]);
        assert_eq!(clauses(&either), Ok(vec![(3, 0)]));
        let mixed = Condition::any(vec![inf(0), Condition::all(vec![inf(1), inf(2)])]);
        assert_eq!(clauses(&mixed), Ok(vec![(3, 0), (5, 0)]));
        // Three clauses, of which one implies the others.
        let absorbed = Condition::all(vec![mixed, inf(0)]);
        assert_eq!(clauses(&absorbed), Ok(vec![(1, 0)]));
        let complement = Condition::Atom(Atom { finitely: false, complement: true, set: 0 });
        assert_eq!(clauses(&Condition::any(vec![inf(0), complement])), Ok(vec![]));
    }

    #[test]
    fn constants_vanish() {
        let t = Condition::Constant(true);
        let f = Condition::Constant(false);
        assert_eq!(Condition::all(vec![t.clone(), inf(0)]), inf(0));
        assert_eq!(Condition::any(vec![f.clone(), Condition::all(vec![inf(1)])]), inf(1));
        assert_eq!(Condition::any(vec![t.clone(), fin(0)]), t);
        assert_eq!(Condition::all(vec![inf(1), f.clone()]), f);
        assert_eq!(Condition::any(vec![fin(0), fin(1), inf(0)]), t);
        assert_eq!(Condition::all(vec![fin(0), inf(0)]), f);
        assert_eq!(clauses(&t), Ok(vec![]));
        assert_eq!(clauses(&f), Ok(vec![(0, 0)]));
    }

    #[test]
    fn finitely_and_too_many() {
        assert_eq!(clauses(&Condition::any(vec![fin(0), inf(1)])), Err(NoClauses::Finitely));
        let pairs = (0..32).map(|i| Condition::all(vec![inf(2 * i), inf(2 * i + 1)])).collect();
        assert_eq!(clauses(&Condition::any(pairs)), Err(NoClauses::TooMany));
    }
}
