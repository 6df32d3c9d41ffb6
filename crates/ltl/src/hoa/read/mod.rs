//! The reader: one pass over the tokens of each automaton.
//!
//! Errors of grammar end the automaton, others are collected (up to a limit) while reading goes on; in both
//! cases the reader continues with the next automaton of the stream. An automaton that ends in `--ABORT--` is
//! dropped with a warning, and with it all that was wrong with it. Nothing is allocated because a number in
//! the file says so, except states, up to a limit.

mod body;
mod header;
mod label;

use super::accept::{Refusal, kind_of_acceptance, named_condition, same_condition, to_buchi};
use super::alternating::{Conjunctions, without_conjunctions};
use super::condition::NoClauses;
use super::lex::{Kind, Problem, Token, lex};
use super::{MOST_PROPOSITIONS, MOST_STATES, write};
use crate::automaton::{Automaton, Placement, State};
use crate::bdd::Bdds;
use crate::marks::Marks;
use body::Body;
use header::Header;
use lariat_source::{Diagnostic, FileId, SourceMap, Span};
use rustc_hash::FxHashSet;

/// Of one automaton, no more errors than this are reported.
const MOST_ERRORS: usize = 20;

/// The labels of one automaton may take this many nodes.
const MOST_NODES: usize = 4_000_000;

/// All automata of a file that can be taken, and what is to be said about them and the others. If there is no
/// automaton, there is an error. Variable i of the labels is proposition i.
pub fn read(sources: &SourceMap, file: FileId, bdds: &mut Bdds) -> (Vec<Automaton>, Vec<Diagnostic>) {
    let text = sources.file(file).text.as_str();
    let mut reader = Reader {
        text,
        file,
        tokens: lex(text),
        at: 0,
        first_node: bdds.node_count(),
        bdds,
        problems: Vec::new(),
        errors: 0,
        conjunctions: Conjunctions::default(),
    };
    let mut automata = Vec::new();
    let mut diagnostics = Vec::new();
    while reader.kind() != Kind::EndOfText {
        let start = reader.at;
        reader.first_node = reader.bdds.node_count();
        reader.errors = 0;
        reader.conjunctions = Conjunctions::default();
        match reader.automaton() {
            Ok(automaton) => automata.extend(automaton),
            Err(Stop::Aborted) => {
                let span = reader.span();
                reader.at += 1;
                reader.problems.clear();
                reader.problems.push(
                    Diagnostic::warning("an automaton was given up half-way by what wrote it", span)
                        .expected("its text ends here, without `--END--`"),
                );
            }
            Err(Stop::Error(problem)) => {
                reader.problems.push(*problem);
                reader.skip_to_next_automaton(start);
            }
        }
        diagnostics.append(&mut reader.problems);
    }
    if automata.is_empty() && !diagnostics.iter().any(Diagnostic::is_error) {
        let place = diagnostics.first().map_or(Span::new(file, 0, 0), Diagnostic::span);
        diagnostics.push(
            Diagnostic::error("there is no automaton in this text", place)
                .hint("an automaton in the HOA format starts with `HOA: v1` and ends with `--END--`"),
        );
    }
    (automata, diagnostics)
}

/// Why reading an automaton ended early.
enum Stop {
    Error(Box<Diagnostic>),
    /// The next token is `--ABORT--`.
    Aborted,
}

fn stop<T>(diagnostic: Diagnostic) -> Result<T, Stop> {
    Err(Stop::Error(Box::new(diagnostic)))
}

struct Reader<'a> {
    text: &'a str,
    file: FileId,
    tokens: Vec<Token>,
    at: usize,
    bdds: &'a mut Bdds,
    first_node: usize,
    problems: Vec<Diagnostic>,
    errors: usize,
    /// Those of the current automaton.
    conjunctions: Conjunctions,
}

impl<'a> Reader<'a> {
    fn kind(&self) -> Kind {
        self.tokens[self.at].kind
    }

    fn span(&self) -> Span {
        self.span_of(self.at)
    }

    fn span_of(&self, at: usize) -> Span {
        let token = self.tokens[at];
        Span::new(self.file, token.start, token.end)
    }

    /// The text of the current token.
    fn slice(&self) -> &'a str {
        let token = self.tokens[self.at];
        &self.text[token.start as usize..token.end as usize]
    }

    /// To the next token; the last one stays.
    fn advance(&mut self) {
        if self.kind() != Kind::EndOfText {
            self.at += 1;
        }
    }

    fn accept(&mut self, kind: Kind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.advance();
        }
        found
    }

    /// The current token is not what must stand here.
    fn unexpected<T>(&self, expected: &str) -> Result<T, Stop> {
        let message = match self.kind() {
            Kind::Abort => return Err(Stop::Aborted),
            Kind::Invalid(Problem::Character) => format!("`{}` means nothing in this format", self.slice()),
            Kind::Invalid(Problem::NumberTooLarge) => "this number is too large".to_string(),
            Kind::Invalid(Problem::LeadingZero) => {
                "a number does not start with a superfluous zero".to_string()
            }
            Kind::Invalid(Problem::OpenText) => "this string does not end".to_string(),
            Kind::Invalid(Problem::OpenComment) => "this comment does not end".to_string(),
            Kind::EndOfText => format!("expected {expected}, but the text ends here"),
            Kind::Header => format!("expected {expected}, found `{}:`", self.slice()),
            _ => format!("expected {expected}, found `{}`", self.slice()),
        };
        let hint = match self.kind() {
            Kind::Invalid(Problem::NumberTooLarge) => Some("numbers are below 2^31"),
            Kind::Invalid(Problem::OpenComment) => Some("comments nest: every `/*` needs a `*/`"),
            _ => None,
        };
        let diagnostic = Diagnostic::error(message, self.span()).expected(format!("expected {expected}"));
        stop(match hint {
            Some(hint) => diagnostic.hint(hint),
            None => diagnostic,
        })
    }

    fn expect(&mut self, kind: Kind, what: &str) -> Result<(), Stop> {
        if self.accept(kind) { Ok(()) } else { self.unexpected(what) }
    }

    fn integer(&mut self, what: &str) -> Result<u32, Stop> {
        match self.kind() {
            Kind::Integer(value) => {
                self.advance();
                Ok(value)
            }
            _ => self.unexpected(what),
        }
    }

    /// Notes an error after which reading can go on.
    fn error(&mut self, diagnostic: Diagnostic) -> Result<(), Stop> {
        self.errors += 1;
        if self.errors >= MOST_ERRORS {
            return stop(diagnostic);
        }
        self.problems.push(diagnostic);
        Ok(())
    }

    /// Behind the end of this automaton, or before the `HOA:` of the next one.
    fn skip_to_next_automaton(&mut self, start: usize) {
        self.at = self.at.max(start);
        loop {
            match self.kind() {
                Kind::EndOfText => return,
                Kind::Finish | Kind::Abort => {
                    self.advance();
                    return;
                }
                Kind::Header if self.at > start && self.slice() == "HOA" => return,
                _ => self.advance(),
            }
        }
    }

    /// One automaton; `None` if it is wrong, and the errors say why.
    fn automaton(&mut self) -> Result<Option<Automaton>, Stop> {
        let start = self.span();
        if self.kind() != Kind::Header || self.slice() != "HOA" {
            return self.unexpected("`HOA:`, the start of an automaton");
        }
        self.advance();
        let header = self.header(start)?;
        self.expect(Kind::Body, "a header or `--BODY--`")?;
        let body = self.body(&header)?;
        if self.kind() != Kind::Finish {
            return self.unexpected("an edge, `State:` or `--END--`");
        }
        // From here on the automaton is behind us, whatever is wrong with it.
        self.advance();
        match self.finish(header, body, start) {
            Ok(automaton) => Ok(automaton.filter(|_| self.errors == 0)),
            Err(Stop::Error(problem)) => {
                self.problems.push(*problem);
                Ok(None)
            }
            Err(Stop::Aborted) => Ok(None),
        }
    }

    fn finish(&mut self, header: Header<'a>, body: Body, start: Span) -> Result<Option<Automaton>, Stop> {
        if self.errors > 0 {
            return Ok(None);
        }
        let Some((sets, condition, acceptance_span)) = header.acceptance else { return Ok(None) };
        self.warn_of_undescribed(&header.states, &header.mentioned, &body, start);
        let has = |property: &str| header.properties.iter().find(|&&(name, _)| name == property);
        let placement = match (body.marks_on_edges, body.marks_on_states) {
            (true, _) => Placement::Edges,
            (false, true) => Placement::States,
            _ if has("trans-acc").is_some() => Placement::Edges,
            _ => Placement::States,
        };
        let mut automaton = Automaton {
            name: header.name,
            propositions: header.propositions.unwrap_or_default(),
            sets,
            placement,
            initial: header.starts,
            edges: body.edges,
        };
        automaton.tidy(self.bdds);
        for (property, holds) in [
            ("deterministic", write::is_deterministic(&automaton, self.bdds)),
            ("complete", write::is_complete(&automaton, self.bdds)),
        ] {
            if holds == Some(false)
                && let Some(&(_, span)) = has(property)
            {
                let message = format!("the automaton is not {property}, though its properties say so");
                self.problems.push(Diagnostic::warning(message, span));
            }
        }
        if automaton.initial.is_empty() {
            let dead_end = automaton.add_state();
            automaton.initial.push(dead_end);
        }
        let name = header.acceptance_name.as_ref().map(|&(name, ..)| name);
        if let Some((name, parameters, span)) = &header.acceptance_name
            && let Some((named_sets, named)) = named_condition(name, parameters)
            && (named_sets != sets || same_condition(&named, &condition) == Some(false))
        {
            self.problems.push(
                Diagnostic::warning("the name of the acceptance condition does not fit the condition", *span)
                    .also(acceptance_span, "this is what counts"),
            );
        }
        let alternating = !self.conjunctions.is_empty();
        if alternating && condition.clauses(&|_| None) == Err(NoClauses::Finitely) {
            let kind = kind_of_acceptance(name, &condition);
            let message = format!("alternating automata with {kind} acceptance are not supported");
            return stop(
                Diagnostic::error(message, acceptance_span)
                    .hint("with Büchi and generalised Büchi conditions they are read"),
            );
        }
        match to_buchi(&mut automaton, &condition) {
            Ok(()) if alternating => match without_conjunctions(&automaton, &self.conjunctions, self.bdds) {
                Some(mut automaton) => {
                    automaton.tidy(self.bdds);
                    Ok(Some(automaton))
                }
                None => stop(
                    Diagnostic::error("this alternating automaton is too large", start)
                        .hint("without its universal branching it would have too many states"),
                ),
            },
            Ok(()) => Ok(Some(automaton)),
            Err(Refusal::TooManySets) => stop(
                Diagnostic::error(
                    "as a Büchi condition, this takes too many acceptance sets",
                    acceptance_span,
                )
                .hint(format!("up to {} sets are possible", Marks::LIMIT)),
            ),
            Err(Refusal::Undecided) => {
                let kind = kind_of_acceptance(name, &condition);
                let message = match kind {
                    "co-Büchi" | "generalised co-Büchi" => {
                        format!("{kind} acceptance on an automaton that is not weak is not supported")
                    }
                    _ => format!("{kind} acceptance is not supported"),
                };
                stop(Diagnostic::error(message, acceptance_span).hint(
                    "Büchi and generalised Büchi conditions are read, and others where the automaton is weak; \
                     a tool such as Spot's `autfilt --gba` converts the rest",
                ))
            }
        }
    }

    /// States that the automaton has, or mentions, but does not describe.
    fn warn_of_undescribed(
        &mut self,
        states: &Option<(u32, Span)>,
        starts: &[(State, Span)],
        body: &Body,
        start: Span,
    ) {
        let missing = body.edges.len() - body.described.len();
        let mentioned: FxHashSet<State> = starts
            .iter()
            .map(|&(state, _)| state)
            .chain(body.edges.iter().flatten().flat_map(|edge| self.conjunctions.states(edge.to)))
            .collect();
        let first = (0..body.edges.len() as State).find(|state| {
            !body.described.contains_key(state) && (states.is_some() || mentioned.contains(state))
        });
        if let Some(first) = first {
            let message = match missing {
                1 => format!("state {first} is not described: no edge leaves it"),
                _ => format!("state {first} and others are not described: no edge leaves them"),
            };
            let span = states.map_or(start, |(_, span)| span);
            self.problems.push(Diagnostic::warning(message, span));
        }
    }
}
