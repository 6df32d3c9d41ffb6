//! Expressions: small values, indices that are in range, and conditions that tend to hold.
//!
//! Every value stays small by construction. Divisors and shift distances are constants, products have a
//! constant factor, and whatever is assigned ends in a remainder or is a constant, so that the state space
//! stays small too. An index is a constant, a loop counter of a loop over that array, or the remainder of
//! something that is never negative.

use super::Generator;
use super::scope::*;
use crate::model::*;

impl Generator<'_> {
    /// A reference to a place, with indices that are in range.
    pub(crate) fn reference(&mut self, scope: &Scope, path: &Path) -> Reference {
        refer(path, |length| self.index(scope, length))
    }

    pub(crate) fn index(&mut self, scope: &Scope, length: u32) -> Expression {
        if self.plain {
            return number(self.random.below(length as usize) as i64);
        }
        let counters: Vec<&String> =
            scope.counters.iter().filter(|(_, largest)| *largest < length).map(|(name, _)| name).collect();
        if !counters.is_empty() && self.random.chance(60) {
            let name = *self.random.pick(&counters);
            return Expression::variable(name);
        }
        if self.profile.process_numbers && self.random.chance(10) {
            return Expression::binary("%", Expression::name("_pid"), number(i64::from(length)));
        }
        let simple = |place: &&Place| {
            place.readable
                && place.indexable
                && place.is_number()
                && place.path.iter().all(|part| part.1.is_none())
        };
        let candidates: Vec<&Place> = scope.places.iter().filter(simple).collect();
        if candidates.is_empty() || self.random.chance(50) {
            return number(self.random.below(length as usize) as i64);
        }
        let path = self.random.pick(&candidates).path.clone();
        let variable = Expression::Variable(refer(&path, |_| number(0)));
        Expression::binary("%", variable, number(i64::from(length)))
    }

    pub(crate) fn pick_place(&mut self, scope: &Scope, fits: impl Fn(&Place) -> bool) -> Option<Place> {
        let candidates: Vec<&Place> = scope.places.iter().filter(|place| fits(place)).collect();
        if candidates.is_empty() {
            return None;
        }
        // What was declared last is used more often, or locals would drown among the globals.
        if self.random.chance(25) {
            return candidates.last().map(|place| (*place).clone());
        }
        Some((*self.random.pick(&candidates)).clone())
    }

    /// A number with no operator of its own.
    fn atom(&mut self, scope: &Scope) -> Expression {
        if self.random.chance(22) {
            if !self.constants.is_empty() && self.random.chance(30) {
                return Expression::name(self.random.pick(&self.constants));
            }
            return number(self.random.between(0, 3));
        }
        if self.profile.process_numbers && self.random.chance(8) {
            return Expression::name(if self.random.chance(70) { "_pid" } else { "_nr_pr" });
        }
        if !self.plain
            && self.random.chance(9)
            && let Some(value) = self.rare_value(scope)
        {
            return value;
        }
        match self.pick_place(scope, |place| place.readable && place.is_number()) {
            Some(place) => Expression::Variable(self.reference(scope, &place.path)),
            None => number(self.random.between(0, 2)),
        }
    }

    /// The length of a channel, a variable of another process, the state or the priority of one.
    fn rare_value(&mut self, scope: &Scope) -> Option<Expression> {
        if self.profile.polls && self.random.chance(50) {
            let channel = self.pick_channel(scope, |class, _| class.is_buffered())?;
            let channel = self.reference(scope, &channel.path);
            return Some(Expression::Apply("len".to_string(), vec![Expression::Variable(channel)]));
        }
        if self.profile.priorities && self.random.chance(50) {
            return Some(Expression::Apply("get_priority".to_string(), vec![Expression::name("_pid")]));
        }
        let observed = self.observed_process()?;
        if self.profile.introspection && self.random.chance(30) {
            return Some(Expression::Apply(
                "pc_value".to_string(),
                vec![number(i64::from(observed.first_pid))],
            ));
        }
        self.profile.remote_references.then(|| Expression::RemoteVariable {
            process: observed.name.clone(),
            pid: observed.first_pid,
            variable: OBSERVED_VARIABLE.to_string(),
        })
    }

    /// A process that others may look into, after its declaration.
    fn observed_process(&mut self) -> Option<ProcessPlan> {
        if self.sealed {
            return None;
        }
        let earlier = &self.plans[..self.current_process.unwrap_or(0)];
        let observed: Vec<&ProcessPlan> = earlier.iter().filter(|plan| plan.observed).collect();
        if observed.is_empty() { None } else { Some((*self.random.pick(&observed)).clone()) }
    }

    /// A number; below 0 only if the model has signed values.
    pub(crate) fn value(&mut self, scope: &Scope, depth: usize) -> Expression {
        if depth == 0 || self.random.chance(35) {
            return self.atom(scope);
        }
        let left = self.value(scope, depth - 1);
        let kinds = [(30, 0), (14, 1), (8, 2), (6, 3), (6, 4), (10, 5), (4, 6), (6, 7), (5, 8), (8, 9)];
        match self.random.weighted(&kinds) {
            0 => Expression::binary("+", left, self.value(scope, depth - 1)),
            1 if self.profile.signed => Expression::binary("-", left, self.value(scope, depth - 1)),
            2 => Expression::binary("*", left, number(self.random.between(2, 3))),
            3 => Expression::binary("/", left, number(self.random.between(2, 3))),
            4 => Expression::binary("%", left, number(self.random.between(2, 4))),
            5 => {
                let operator = *self.random.pick(&["&", "|", "^"]);
                Expression::binary(operator, left, self.value(scope, depth - 1))
            }
            6 => {
                let operator = *self.random.pick(&["<<", ">>"]);
                Expression::binary(operator, left, number(self.random.between(1, 2)))
            }
            7 if self.profile.signed => {
                let operator = if self.random.chance(50) { "-" } else { "~" };
                Expression::unary(operator, left)
            }
            8 => self.inner_condition(scope, 0),
            9 if self.profile.conditionals => {
                let condition = self.inner_condition(scope, depth - 1);
                Expression::Conditional(Box::new(condition), Box::new(left), Box::new(self.atom(scope)))
            }
            _ => match self.function_macros.first().cloned() {
                Some(name) => Expression::Apply(name, vec![left]),
                None => left,
            },
        }
    }

    /// A value that keeps the place within its range.
    pub(crate) fn value_for(&mut self, scope: &Scope, place: &Place) -> Expression {
        if let TypeName::Mtype(subtype) = &place.type_name {
            let subtype = subtype.clone();
            return self.mtype_value(scope, &subtype);
        }
        let modulus = place.modulus;
        match self.random.weighted(&[(40, 0), (14, 1), (8, 2), (8, 3), (28, 4)]) {
            1 => number(self.random.below(modulus as usize) as i64),
            2 if self.profile.conditionals => {
                let condition = self.inner_condition(scope, 1);
                let yes = number(self.random.below(modulus as usize) as i64);
                let no = number(self.random.below(modulus as usize) as i64);
                Expression::Conditional(Box::new(condition), Box::new(yes), Box::new(no))
            }
            3 => self.condition(scope, 1),
            4 => {
                // The next value: this is what makes loops go round.
                let own = Expression::Variable(self.reference(scope, &place.path));
                if !place.readable {
                    return number(1);
                }
                let step = number(self.random.between(1, 2));
                Expression::binary("%", Expression::binary("+", own, step), number(modulus))
            }
            _ => {
                let value = self.value(scope, 2);
                match value {
                    Expression::Number(value) => number(value % modulus),
                    value => Expression::binary("%", value, number(modulus)),
                }
            }
        }
    }

    pub(crate) fn mtype_constant(&mut self, subtype: &Option<String>) -> Expression {
        let declaration = self.mtypes.iter().find(|declaration| &declaration.subtype == subtype);
        let names = declaration.map(|declaration| declaration.names.clone()).unwrap_or_default();
        if names.is_empty() { number(1) } else { Expression::name(self.random.pick(&names)) }
    }

    pub(crate) fn mtype_value(&mut self, scope: &Scope, subtype: &Option<String>) -> Expression {
        let same = TypeName::Mtype(subtype.clone());
        if self.random.chance(30)
            && let Some(place) = self.pick_place(scope, |place| place.readable && place.type_name == same)
        {
            return Expression::Variable(self.reference(scope, &place.path));
        }
        let constant = self.mtype_constant(subtype);
        if self.profile.conditionals && self.random.chance(15) {
            let other = self.mtype_constant(subtype);
            let condition = self.inner_condition(scope, 0);
            return Expression::Conditional(Box::new(condition), Box::new(constant), Box::new(other));
        }
        constant
    }

    /// A condition as a part of a value, where Promela allows less: `full` and the like are no operands.
    fn inner_condition(&mut self, scope: &Scope, depth: usize) -> Expression {
        let operand = std::mem::replace(&mut self.operand, true);
        let condition = self.condition(scope, depth);
        self.operand = operand;
        condition
    }

    /// A condition, more often true than false.
    pub(crate) fn condition(&mut self, scope: &Scope, depth: usize) -> Expression {
        if depth > 0 && self.random.chance(30) {
            let left = self.condition(scope, depth - 1);
            let operator = if self.random.chance(60) { "||" } else { "&&" };
            return Expression::binary(operator, left, self.condition(scope, depth - 1));
        }
        if !self.plain
            && self.random.chance(18)
            && let Some(condition) = (0..3).find_map(|_| self.rare_condition(scope))
        {
            return condition;
        }
        let Some(place) = self.pick_place(scope, |place| place.readable) else {
            return Expression::binary("<=", self.value(scope, 1), number(2));
        };
        let left = Expression::Variable(self.reference(scope, &place.path));
        if let TypeName::Mtype(subtype) = &place.type_name {
            let operator = if self.random.chance(50) { "==" } else { "!=" };
            let subtype = subtype.clone();
            return Expression::binary(operator, left, self.mtype_constant(&subtype));
        }
        let largest = (place.modulus - 1).max(1);
        let kinds = [(25, 0), (15, 1), (15, 2), (12, 3), (10, 4), (10, 5), (8, 6)];
        match self.random.weighted(&kinds) {
            0 => Expression::binary("!=", left, number(self.random.between(0, largest))),
            1 => Expression::binary("<", left, number(largest)),
            2 => Expression::binary("==", left, number(self.random.between(0, largest))),
            3 => Expression::binary(">=", left, number(self.random.between(0, 1))),
            4 => Expression::binary("<=", left, self.value(scope, 1)),
            5 => {
                let operator = *self.random.pick(&["==", "!=", ">", ">=", "<"]);
                let left = self.value(scope, 1);
                Expression::binary(operator, left, self.value(scope, 1))
            }
            _ if self.random.chance(50) => Expression::unary("!", left),
            _ => left,
        }
    }

    fn rare_condition(&mut self, scope: &Scope) -> Option<Expression> {
        match self.random.below(6) {
            0 if self.profile.polls => self.poll(scope),
            1 if self.profile.remote_references => {
                let observed = self.observed_process()?;
                let label = OBSERVED_LABEL.to_string();
                let there =
                    Expression::RemoteLabel { process: observed.name, pid: observed.first_pid, label };
                Some(if self.random.chance(40) { Expression::unary("!", there) } else { there })
            }
            2 if self.profile.introspection => {
                let observed = self.observed_process()?;
                let pid = number(i64::from(observed.first_pid));
                Some(Expression::Apply("enabled".to_string(), vec![pid]))
            }
            3 if self.profile.last => {
                let operator = if self.random.chance(50) { "==" } else { "!=" };
                Some(Expression::binary(
                    operator,
                    Expression::name("_last"),
                    number(self.random.between(0, 2)),
                ))
            }
            4 if self.profile.process_numbers => {
                let operator = *self.random.pick(&["<", "<=", ">", "!="]);
                Some(Expression::binary(
                    operator,
                    Expression::name("_nr_pr"),
                    number(self.random.between(1, 4)),
                ))
            }
            5 if !self.condition_macros.is_empty() => {
                Some(Expression::name(self.random.pick(&self.condition_macros)))
            }
            _ => None,
        }
    }
}
