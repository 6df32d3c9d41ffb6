//! Labels: Boolean expressions over the numbers of propositions, computed as they are read.

use super::header::Header;
use super::{MOST_NODES, MOST_PROPOSITIONS, Reader, Stop, stop};
use crate::bdd::{Bdd, Bdds, Variable};
use crate::hoa::DEEPEST_NESTING;
use crate::hoa::lex::Kind;
use crate::text::{and_within_limits, or_within_limits};
use lariat_source::{Diagnostic, Span};

impl<'a> Reader<'a> {
    pub(super) fn check_depth(&self, depth: u32) -> Result<(), Stop> {
        if depth < DEEPEST_NESTING {
            return Ok(());
        }
        stop(
            Diagnostic::error("parentheses are nested too deep", self.span())
                .hint(format!("up to {DEEPEST_NESTING} levels are read")),
        )
    }

    /// A label: a sum of products of negations.
    pub(super) fn sum(&mut self, header: &mut Header<'a>, depth: u32) -> Result<Bdd, Stop> {
        let span = self.span();
        let mut sum = self.product(header, depth)?;
        while self.accept(Kind::Or) {
            let product = self.product(header, depth)?;
            sum = self.within_limits(or_within_limits, sum, product, span)?;
        }
        Ok(sum)
    }

    fn product(&mut self, header: &mut Header<'a>, depth: u32) -> Result<Bdd, Stop> {
        let span = self.span();
        let mut product = self.factor(header, depth)?;
        while self.accept(Kind::And) {
            let factor = self.factor(header, depth)?;
            product = self.within_limits(and_within_limits, product, factor, span)?;
        }
        Ok(product)
    }

    fn factor(&mut self, header: &mut Header<'a>, depth: u32) -> Result<Bdd, Stop> {
        self.check_depth(depth)?;
        let mut negated = false;
        while self.accept(Kind::Not) {
            negated = !negated;
        }
        let span = self.span();
        let positive = match self.kind() {
            Kind::Boolean(value) => {
                self.advance();
                if value { Bdd::TRUE } else { Bdd::FALSE }
            }
            Kind::Integer(proposition) => {
                self.advance();
                match &header.propositions {
                    Some(names) if proposition as usize >= names.len() => {
                        let count = names.len();
                        self.error(no_such_proposition(proposition, count, span))?;
                        Bdd::TRUE
                    }
                    None if proposition >= MOST_PROPOSITIONS => {
                        self.error(
                            Diagnostic::error(format!("there is no proposition {proposition}"), span)
                                .hint(format!("up to {MOST_PROPOSITIONS} propositions are read")),
                        )?;
                        Bdd::TRUE
                    }
                    known => {
                        if known.is_none() {
                            header.unchecked.push((proposition, span));
                        }
                        self.bdds.variable(proposition)
                    }
                }
            }
            Kind::Alias => {
                let name = self.slice();
                self.advance();
                match header.aliases.get(name) {
                    Some(&(label, _)) => label,
                    None => {
                        self.error(
                            Diagnostic::error(format!("the alias `{name}` is not defined"), span)
                                .hint("an alias is defined by `Alias:` before it is used"),
                        )?;
                        Bdd::TRUE
                    }
                }
            }
            Kind::OpenParenthesis => {
                self.advance();
                let inside = self.sum(header, depth + 1)?;
                self.expect(Kind::CloseParenthesis, "`)`, `&` or `|`")?;
                inside
            }
            _ => self.unexpected("a proposition's number, `@…`, `t`, `f`, `!` or `(`")?,
        };
        Ok(if negated { self.bdds.not(positive) } else { positive })
    }

    pub(super) fn within_limits(
        &mut self,
        combine: impl Fn(&mut Bdds, Bdd, Bdd) -> Option<Bdd>,
        a: Bdd,
        b: Bdd,
        span: Span,
    ) -> Result<Bdd, Stop> {
        match combine(self.bdds, a, b) {
            Some(result) if self.bdds.node_count() - self.first_node <= MOST_NODES => Ok(result),
            _ => stop(
                Diagnostic::error("the labels are too large to be computed with", span)
                    .expected("here")
                    .hint("with the propositions in another order they may be smaller"),
            ),
        }
    }
}

pub(super) fn no_such_proposition(proposition: Variable, count: usize, span: Span) -> Diagnostic {
    let there_are = match count {
        0 => "there are no propositions".to_string(),
        1 => "there is one proposition, 0".to_string(),
        _ => format!("there are {count} propositions, from 0 to {}", count - 1),
    };
    Diagnostic::error(format!("there is no proposition {proposition}"), span).hint(there_are)
}
