//! The body: states and their edges, with labels on the edges, on the states, or nowhere.

use super::header::{Header, no_such_set};
use super::{MOST_NODES, MOST_STATES, Reader, Stop, stop};
use crate::automaton::{Edge, State};
use crate::bdd::{Bdd, Variable};
use crate::hoa::MOST_IMPLICIT_PROPOSITIONS;
use crate::hoa::lex::Kind;
use crate::marks::Marks;
use crate::text::or_within_limits;
use lariat_source::{Diagnostic, Span};
use rustc_hash::FxHashMap;

/// The states as far as they are known.
#[derive(Default)]
pub(super) struct Body {
    pub edges: Vec<Vec<Edge>>,
    pub described: FxHashMap<State, Span>,
    pub marks_on_states: bool,
    pub marks_on_edges: bool,
}

/// One edge as it stands in the text.
struct WrittenEdge {
    label: Option<Bdd>,
    /// `None` if it leads to no state that there could be.
    to: Option<State>,
    marks: Marks,
    span: Span,
}

impl<'a> Reader<'a> {
    /// The number of a state.
    fn state_number(&mut self) -> Result<Option<State>, Stop> {
        let span = self.span();
        let state = self.integer("the number of a state")?;
        if state >= MOST_STATES {
            self.error(
                Diagnostic::error(format!("the state number {state} is too large"), span)
                    .hint(format!("automata with up to {MOST_STATES} states are read")),
            )?;
            return Ok(None);
        }
        Ok(Some(state))
    }

    /// State numbers with `&` between; each is handed to `check`, which may drop it.
    pub(super) fn state_conjunction(
        &mut self,
        mut check: impl FnMut(&mut Self, State, Span) -> Result<Option<State>, Stop>,
    ) -> Result<Option<State>, Stop> {
        let mut states = Vec::new();
        loop {
            let span = self.span();
            if let Some(state) = self.state_number()?
                && let Some(state) = check(self, state, span)?
            {
                states.push(state);
            }
            if !self.accept(Kind::And) {
                break;
            }
        }
        Ok(if states.is_empty() { None } else { Some(self.conjunctions.number(states)) })
    }

    pub(super) fn body(&mut self, header: &Header<'a>) -> Result<Body, Stop> {
        let mut body = Body::default();
        if let Some((states, _)) = header.states {
            body.edges.resize_with(states as usize, Vec::new);
        }
        let largest = header.mentioned.iter().map(|&(state, _)| state + 1).max().unwrap_or(0);
        if header.states.is_none() && largest as usize > body.edges.len() {
            body.edges.resize_with(largest as usize, Vec::new);
        }
        // Aliases and propositions are all known now, nothing is added.
        let mut known = Header {
            propositions: header.propositions.clone(),
            aliases: header.aliases.clone(),
            ..Header::default()
        };
        while self.kind() == Kind::Header && self.slice() == "State" {
            self.advance();
            self.state(header, &mut known, &mut body)?;
        }
        Ok(body)
    }

    fn label(&mut self, known: &mut Header<'a>) -> Result<Option<Bdd>, Stop> {
        if !self.accept(Kind::OpenBracket) {
            return Ok(None);
        }
        let label = self.sum(known, 0)?;
        self.expect(Kind::CloseBracket, "`]`, `&` or `|`")?;
        Ok(Some(label))
    }

    /// The sets in braces; `None` without braces.
    fn marks(&mut self, header: &Header<'a>) -> Result<Option<Marks>, Stop> {
        if !self.accept(Kind::OpenBrace) {
            return Ok(None);
        }
        let sets = header.acceptance.as_ref().map_or(0, |&(sets, ..)| sets);
        let mut marks = Marks::NONE;
        while let Kind::Integer(set) = self.kind() {
            if set < sets {
                marks |= Marks::one(set);
            } else if header.acceptance.is_some() {
                self.error(no_such_set(set, sets, self.span()))?;
            }
            self.advance();
        }
        self.expect(Kind::CloseBrace, "the number of an acceptance set or `}`")?;
        Ok(Some(marks))
    }

    /// Makes room for a state; `None` if there cannot be one.
    fn known_state(
        &mut self,
        header: &Header<'a>,
        body: &mut Body,
        number: State,
        span: Span,
    ) -> Result<Option<State>, Stop> {
        if let Some((states, states_span)) = header.states {
            if number >= states {
                self.error(no_such_state(number, states, states_span, span))?;
                return Ok(None);
            }
        } else if number as usize >= body.edges.len() {
            body.edges.resize_with(number as usize + 1, Vec::new);
        }
        Ok(Some(number))
    }

    fn state(&mut self, header: &Header<'a>, known: &mut Header<'a>, body: &mut Body) -> Result<(), Stop> {
        let label_span = self.span();
        let state_label = self.label(known)?;
        let span = self.span();
        let number = match self.state_number()? {
            Some(number) => self.known_state(header, body, number, span)?,
            None => None,
        };
        if let Some(number) = number
            && let Some(first) = body.described.insert(number, span)
        {
            self.error(
                Diagnostic::error(format!("state {number} is described twice"), span)
                    .also(first, "here for the first time"),
            )?;
        }
        self.accept(Kind::Text);
        let state_marks = self.marks(header)?;
        body.marks_on_states |= state_marks.is_some();
        let mut edges: Vec<WrittenEdge> = Vec::new();
        while matches!(self.kind(), Kind::OpenBracket | Kind::Integer(_)) {
            let span = self.span();
            let label = self.label(known)?;
            let to =
                self.state_conjunction(|reader, state, span| reader.known_state(header, body, state, span))?;
            let marks = self.marks(header)?;
            body.marks_on_edges |= marks.is_some();
            let marks = marks.unwrap_or_default() | state_marks.unwrap_or_default();
            edges.push(WrittenEdge { label, to, marks, span });
        }
        let propositions = known.propositions.as_ref().map_or(0, Vec::len);
        let edges = match (state_label, edges.first().map(|edge| edge.label.is_some())) {
            (_, None) => Vec::new(),
            (Some(state_label), Some(_)) => {
                if let Some(edge) = edges.iter().find(|edge| edge.label.is_some()) {
                    self.error(
                        Diagnostic::error("this edge has a label, and so has its state", edge.span)
                            .also(label_span, "the state's label holds for all its edges"),
                    )?;
                }
                edges.iter().map(|edge| (state_label, edge)).collect::<Vec<_>>()
            }
            (None, Some(labelled)) => {
                if let Some(edge) = edges.iter().find(|edge| edge.label.is_some() != labelled) {
                    self.error(
                        Diagnostic::error("of the edges of a state, all have labels or none", edge.span)
                            .expected(if labelled { "this one has none" } else { "this one has a label" })
                            .also(
                                edges[0].span,
                                if labelled { "this one has a label" } else { "this one has none" },
                            ),
                    )?;
                    return Ok(());
                }
                if !labelled {
                    return self.implicit_labels(&edges, number, propositions, span, body);
                }
                edges.iter().map(|edge| (edge.label.unwrap_or(Bdd::TRUE), edge)).collect()
            }
        };
        let mut joined: FxHashMap<(State, Marks), usize> = FxHashMap::default();
        let mut leaving: Vec<Edge> = Vec::new();
        for (label, edge) in edges {
            let Some(to) = edge.to else { continue };
            let at = *joined.entry((to, edge.marks)).or_insert(leaving.len());
            match leaving.get_mut(at) {
                None => leaving.push(Edge { label, marks: edge.marks, to }),
                Some(known) => {
                    let before = known.label;
                    let label = self.within_limits(or_within_limits, before, label, edge.span)?;
                    leaving[at].label = label;
                }
            }
        }
        if let Some(number) = number {
            body.edges[number as usize] = leaving;
        }
        Ok(())
    }

    /// Edges without labels: one for each letter, in ascending order, proposition 0 being the lowest bit.
    fn implicit_labels(
        &mut self,
        edges: &[WrittenEdge],
        number: Option<State>,
        propositions: usize,
        state_span: Span,
        body: &mut Body,
    ) -> Result<(), Stop> {
        if propositions > MOST_IMPLICIT_PROPOSITIONS {
            return stop(
                Diagnostic::error("edges without labels, with too many propositions", edges[0].span)
                    .expected(format!("the state would need 2^{propositions} edges"))
                    .hint(format!(
                        "up to {MOST_IMPLICIT_PROPOSITIONS} propositions are read here; give the edges labels"
                    )),
            );
        }
        let wanted = 1usize << propositions;
        if edges.len() != wanted {
            let message = match edges.len() {
                1 => format!("without labels, a state has {wanted} edges here, not one"),
                found => format!("without labels, a state has {wanted} edges here, not {found}"),
            };
            return self.error(
                Diagnostic::error(message, state_span)
                    .hint(format!("one edge for each of the 2^{propositions} letters, in ascending order")),
            );
        }
        let mut groups: FxHashMap<(State, Marks), usize> = FxHashMap::default();
        let mut rows: Vec<(State, Marks, Vec<u32>)> = Vec::new();
        for (row, edge) in edges.iter().enumerate() {
            let Some(to) = edge.to else { continue };
            let at = *groups.entry((to, edge.marks)).or_insert(rows.len());
            if at == rows.len() {
                rows.push((to, edge.marks, Vec::new()));
            }
            rows[at].2.push(row as u32);
        }
        let mut leaving = Vec::with_capacity(rows.len());
        for (to, marks, rows) in rows {
            leaving.push(Edge { label: self.function_of_rows(rows, 0, propositions as u32), marks, to });
        }
        if self.bdds.node_count() - self.first_node > MOST_NODES {
            return stop(Diagnostic::error("the labels are too large to be computed with", state_span));
        }
        if let Some(number) = number {
            body.edges[number as usize] = leaving;
        }
        Ok(())
    }

    /// The function that is true for these letters, of the variables from `variable` on; all agree in those
    /// before.
    fn function_of_rows(&mut self, rows: Vec<u32>, variable: Variable, variables: u32) -> Bdd {
        if rows.is_empty() {
            return Bdd::FALSE;
        }
        if rows.len() == 1 << (variables - variable) {
            return Bdd::TRUE;
        }
        let (high, low): (Vec<u32>, Vec<u32>) = rows.into_iter().partition(|row| row >> variable & 1 == 1);
        let high = self.function_of_rows(high, variable + 1, variables);
        let low = self.function_of_rows(low, variable + 1, variables);
        let yes = self.bdds.variable(variable);
        let no = self.bdds.literal(variable, false);
        match (low, high) {
            _ if low == high => low,
            (Bdd::FALSE, _) => self.bdds.and(yes, high),
            (_, Bdd::FALSE) => self.bdds.and(no, low),
            _ => self.bdds.choose(yes, high, low),
        }
    }
}

pub(super) fn no_such_state(state: State, states: u32, states_span: Span, span: Span) -> Diagnostic {
    let there_are = match states {
        0 => "there are no states".to_string(),
        1 => "there is one state, 0".to_string(),
        _ => format!("there are {states} states, from 0 to {}", states - 1),
    };
    Diagnostic::error(format!("there is no state {state}"), span).also(states_span, there_are)
}
