//! The header: what it says is collected first, as its parts may come in any order.

use super::body::no_such_state;
use super::label::no_such_proposition;
use super::{MOST_PROPOSITIONS, MOST_STATES, Reader, Stop, stop};
use crate::automaton::State;
use crate::bdd::{Bdd, Variable};
use crate::hoa::condition::{Atom, Condition};
use crate::hoa::lex::{Kind, unquoted};
use crate::marks::Marks;
use lariat_source::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Default)]
pub(super) struct Header<'a> {
    /// Where each header that may be given once stands.
    pub seen: FxHashMap<&'a str, Span>,
    pub states: Option<(u32, Span)>,
    /// Initial states, or conjunctions of them.
    pub starts: Vec<State>,
    pub started: FxHashSet<State>,
    /// The states in `starts`.
    pub mentioned: Vec<(State, Span)>,
    pub propositions: Option<Vec<String>>,
    /// Propositions used before it was known how many there are.
    pub unchecked: Vec<(Variable, Span)>,
    pub aliases: FxHashMap<&'a str, (Bdd, Span)>,
    pub acceptance: Option<(u32, Condition, Span)>,
    pub acceptance_name: Option<(&'a str, Vec<u32>, Span)>,
    pub name: Option<String>,
    pub properties: Vec<(&'a str, Span)>,
}

impl<'a> Reader<'a> {
    pub(super) fn header(&mut self, start: Span) -> Result<Header<'a>, Stop> {
        let mut header = Header::default();
        match self.kind() {
            Kind::Identifier if matches!(self.slice(), "v1" | "v1.1") => self.advance(),
            Kind::Identifier => {
                let version = self.slice();
                return stop(
                    Diagnostic::error(format!("version `{version}` of the format is not known"), self.span())
                        .expected("expected `v1`"),
                );
            }
            _ => return self.unexpected("the version, `v1`"),
        }
        while self.kind() == Kind::Header {
            let (name, span) = (self.slice(), self.span());
            self.advance();
            if !matches!(name, "Start" | "Alias" | "properties")
                && let Some(first) = header.seen.insert(name, span)
            {
                self.error(
                    Diagnostic::error(format!("`{name}:` is given twice"), span)
                        .also(first, "here for the first time"),
                )?;
            }
            match name {
                "States" => header.states = Some((self.states(span)?, span)),
                "Start" => {
                    let mentioned = &mut header.mentioned;
                    let start = self.state_conjunction(|_, state, span| {
                        mentioned.push((state, span));
                        Ok(Some(state))
                    })?;
                    if let Some(start) = start
                        && header.started.insert(start)
                    {
                        header.starts.push(start);
                    }
                }
                "AP" => self.propositions(&mut header, span)?,
                "Alias" => self.alias(&mut header)?,
                "Acceptance" => self.acceptance(&mut header, span)?,
                "acc-name" => self.acceptance_name(&mut header, span)?,
                "name" => {
                    let text = self.slice();
                    self.expect(Kind::Text, "the name, as a string")?;
                    header.name = Some(unquoted(text));
                }
                "tool" => {
                    self.expect(Kind::Text, "the tool's name, as a string")?;
                    self.accept(Kind::Text);
                }
                "properties" => loop {
                    let negated = self.accept(Kind::Not);
                    match self.kind() {
                        Kind::Identifier if negated => self.advance(),
                        Kind::Identifier => {
                            header.properties.push((self.slice(), self.span()));
                            self.advance();
                        }
                        _ if negated => return self.unexpected("a property"),
                        _ => break,
                    }
                },
                "HOA" => {
                    return stop(
                        Diagnostic::error("a new automaton starts inside another one", span)
                            .expected("expected a header or `--BODY--`")
                            .also(start, "this one has no `--END--`"),
                    )
                    .inspect_err(|_| self.at -= 1);
                }
                "State" => {
                    self.at -= 1;
                    return self.unexpected("`--BODY--` before the states");
                }
                _ => {
                    if name.starts_with(|c: char| c.is_ascii_uppercase()) {
                        self.error(
                            Diagnostic::error(format!("the header `{name}:` is not known"), span).hint(
                                "headers that start with a capital letter may change the meaning of the automaton, so \
                                 this one cannot be ignored",
                            ),
                        )?;
                    }
                    while matches!(
                        self.kind(),
                        Kind::Boolean(_) | Kind::Integer(_) | Kind::Text | Kind::Identifier
                    ) {
                        self.advance();
                    }
                }
            }
        }
        self.check_propositions(&mut header)?;
        if let Some((states, states_span)) = header.states {
            for &(state, span) in &header.mentioned {
                if state >= states {
                    self.error(no_such_state(state, states, states_span, span))?;
                }
            }
        }
        if header.acceptance.is_none() && self.kind() == Kind::Body {
            self.error(
                Diagnostic::error("the header `Acceptance:` is missing", self.span())
                    .expected("expected before this")
                    .also(start, "in this automaton"),
            )?;
        }
        Ok(header)
    }

    fn states(&mut self, span: Span) -> Result<u32, Stop> {
        let states = self.integer("the number of states")?;
        if states > MOST_STATES {
            return stop(
                Diagnostic::error(format!("{states} states are too many"), span)
                    .hint(format!("automata with up to {MOST_STATES} states are read")),
            );
        }
        Ok(states)
    }

    fn propositions(&mut self, header: &mut Header<'a>, span: Span) -> Result<(), Stop> {
        let count_span = self.span();
        let count = self.integer("the number of propositions")?;
        let mut names: Vec<String> = Vec::new();
        let mut places: FxHashMap<String, Span> = FxHashMap::default();
        while self.kind() == Kind::Text {
            let name = unquoted(self.slice());
            if let Some(first) = places.insert(name.clone(), self.span()) {
                let message = format!("the proposition `{name}` is given twice");
                self.error(Diagnostic::error(message, self.span()).also(first, "here for the first time"))?;
            }
            names.push(name);
            self.advance();
        }
        if let Kind::Invalid(_) | Kind::Abort = self.kind() {
            return self.unexpected("the name of a proposition, as a string");
        }
        if names.len() != count as usize {
            let message = format!("{count} propositions are announced, but {} are named", names.len());
            self.error(Diagnostic::error(message, count_span))?;
        }
        if names.len() > MOST_PROPOSITIONS as usize {
            return stop(
                Diagnostic::error(format!("{} propositions are too many", names.len()), span)
                    .hint(format!("automata with up to {MOST_PROPOSITIONS} propositions are read")),
            );
        }
        header.propositions = Some(names);
        Ok(())
    }

    fn check_propositions(&mut self, header: &mut Header<'a>) -> Result<(), Stop> {
        let count = header.propositions.get_or_insert_default().len();
        for (proposition, span) in std::mem::take(&mut header.unchecked) {
            if proposition as usize >= count {
                self.error(no_such_proposition(proposition, count, span))?;
            }
        }
        Ok(())
    }

    fn alias(&mut self, header: &mut Header<'a>) -> Result<(), Stop> {
        let (name, span) = (self.slice(), self.span());
        self.expect(Kind::Alias, "the name of the alias, `@…`")?;
        let label = self.sum(header, 0)?;
        if let Some((_, first)) = header.aliases.insert(name, (label, span)) {
            self.error(
                Diagnostic::error(format!("the alias `{name}` is defined twice"), span)
                    .also(first, "here for the first time"),
            )?;
        }
        Ok(())
    }

    fn acceptance(&mut self, header: &mut Header<'a>, span: Span) -> Result<(), Stop> {
        let count_span = self.span();
        let sets = self.integer("the number of acceptance sets")?;
        if sets > Marks::LIMIT {
            return stop(
                Diagnostic::error(format!("{sets} acceptance sets are too many"), count_span)
                    .hint(format!("automata with up to {} acceptance sets are read", Marks::LIMIT)),
            );
        }
        let condition = self.any_condition(sets, 0)?;
        let span = span.to(self.span_of(self.at - 1));
        header.acceptance = Some((sets, condition, span));
        Ok(())
    }

    fn any_condition(&mut self, sets: u32, depth: u32) -> Result<Condition, Stop> {
        let mut parts = vec![self.all_conditions(sets, depth)?];
        while self.accept(Kind::Or) {
            parts.push(self.all_conditions(sets, depth)?);
        }
        Ok(Condition::any(parts))
    }

    fn all_conditions(&mut self, sets: u32, depth: u32) -> Result<Condition, Stop> {
        let mut parts = vec![self.one_condition(sets, depth)?];
        while self.accept(Kind::And) {
            parts.push(self.one_condition(sets, depth)?);
        }
        Ok(Condition::all(parts))
    }

    fn one_condition(&mut self, sets: u32, depth: u32) -> Result<Condition, Stop> {
        self.check_depth(depth)?;
        match self.kind() {
            Kind::Boolean(value) => {
                self.advance();
                Ok(Condition::Constant(value))
            }
            Kind::OpenParenthesis => {
                self.advance();
                let inside = self.any_condition(sets, depth + 1)?;
                self.expect(Kind::CloseParenthesis, "`)`, `&` or `|`")?;
                Ok(inside)
            }
            Kind::Identifier if matches!(self.slice(), "Fin" | "Inf") => {
                let finitely = self.slice() == "Fin";
                self.advance();
                self.expect(Kind::OpenParenthesis, "`(` and the number of an acceptance set")?;
                let complement = self.accept(Kind::Not);
                let span = self.span();
                let set = self.integer("the number of an acceptance set")?;
                self.expect(Kind::CloseParenthesis, "`)`")?;
                if set >= sets {
                    self.error(no_such_set(set, sets, span))?;
                    return Ok(Condition::Constant(true));
                }
                Ok(Condition::Atom(Atom { finitely, complement, set }))
            }
            _ => self.unexpected("`Inf(…)`, `Fin(…)`, `t`, `f` or `(`"),
        }
    }

    fn acceptance_name(&mut self, header: &mut Header<'a>, span: Span) -> Result<(), Stop> {
        let name = self.slice();
        self.expect(Kind::Identifier, "the name of an acceptance condition")?;
        let mut parameters = Vec::new();
        loop {
            match self.kind() {
                Kind::Integer(value) => parameters.push(value),
                Kind::Boolean(_) | Kind::Identifier => {}
                _ => break,
            }
            self.advance();
        }
        header.acceptance_name = Some((name, parameters, span.to(self.span_of(self.at - 1))));
        Ok(())
    }
}

pub(super) fn no_such_set(set: u32, sets: u32, span: Span) -> Diagnostic {
    let there_are = match sets {
        0 => "there are no acceptance sets".to_string(),
        1 => "there is one acceptance set, 0".to_string(),
        _ => format!("there are {sets} acceptance sets, from 0 to {}", sets - 1),
    };
    Diagnostic::error(format!("there is no acceptance set {set}"), span).hint(there_are)
}
