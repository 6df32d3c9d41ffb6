//! The reader of claims: statements become control points and steps between them, then the control points
//! that can be reached become states.

use super::MOST_PROPOSITIONS;
use super::condition::{Condition, Cursor, Reading};
use super::lex::{Kind, lex};
use crate::automaton::{Automaton, Edge, Placement, State};
use crate::bdd::{Bdd, Bdds};
use crate::marks::Marks;
use crate::text::{and_within_limits, or_within_limits};
use lariat_source::{Diagnostic, FileId, SourceMap, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// Claims with more steps between their states are refused.
const MOST_STEPS: usize = 1_000_000;

/// The claim of a file; `None` if there are errors among the messages. The propositions are in the order in
/// which they occur.
pub fn read(sources: &SourceMap, file: FileId, bdds: &mut Bdds) -> (Option<Automaton>, Vec<Diagnostic>) {
    let text = sources.file(file).text.as_str();
    let (tokens, comments) = lex(text);
    let mut reader = Reader {
        cursor: Cursor::new(tokens, file),
        bdds,
        propositions: Vec::new(),
        numbers: FxHashMap::default(),
        points: Vec::new(),
        labels: FxHashMap::default(),
        arrivals: FxHashMap::default(),
    };
    match reader.claim() {
        Ok((mut automaton, opening)) => {
            // The comment behind the opening brace says what the claim is for.
            let line = text[opening..].find('\n').map_or(text.len(), |length| opening + length);
            let comment = comments.iter().find(|comment| (opening..line).contains(&comment.start));
            if let Some(comment) = comment {
                let name = text[comment.clone()].split_whitespace().collect::<Vec<_>>().join(" ");
                automaton.name = if name.is_empty() { automaton.name } else { Some(name) };
            }
            (Some(automaton), Vec::new())
        }
        Err(problem) => (None, vec![*problem]),
    }
}

/// The number of a control point.
type Point = usize;

const START: Point = 0;
/// Where a claim is that has ended: accepting whatever comes.
const END: Point = 1;

#[derive(Default)]
struct ControlPoint {
    accepting: bool,
    ways: Vec<Way>,
    /// Where its statement stands.
    place: usize,
}

#[derive(Clone, Copy)]
enum Way {
    /// Reads a letter that fulfils the condition; if `otherwise`, only where no other step from the same
    /// point is possible.
    Step { otherwise: bool, condition: Bdd, to: Point },
    /// Goes on as from there, without reading.
    As(Point),
}

struct Label {
    point: Point,
    defined: Option<Span>,
    /// Where it was first used.
    used: Option<Span>,
}

struct Reader<'a, 'b> {
    cursor: Cursor<'a>,
    bdds: &'b mut Bdds,
    propositions: Vec<String>,
    numbers: FxHashMap<String, u32>,
    points: Vec<ControlPoint>,
    labels: FxHashMap<&'a str, Label>,
    /// What is known of [`Reader::arrival`].
    arrivals: FxHashMap<Point, Point>,
}

/// What surrounds a statement.
#[derive(Clone, Copy)]
struct Surroundings {
    /// Where `break` leads.
    loop_end: Option<Point>,
    /// It is the first statement of an option.
    first: bool,
    depth: u32,
}

fn refuse<T>(diagnostic: Diagnostic) -> Reading<T> {
    Err(Box::new(diagnostic))
}

impl<'a> Reader<'a, '_> {
    /// The claim, and where its opening brace is.
    fn claim(&mut self) -> Reading<(Automaton, usize)> {
        if !self.cursor.accept("never") {
            return self.cursor.unexpected("`never`");
        }
        let mut name = None;
        if self.cursor.token().kind == Kind::Name {
            name = Some(self.cursor.text().to_string());
            self.cursor.advance();
        }
        let opening = self.cursor.token().start;
        self.cursor.expect("{")?;
        self.points.push(ControlPoint::default());
        self.points.push(ControlPoint { accepting: true, place: usize::MAX, ..ControlPoint::default() });
        let everything = Way::Step { otherwise: false, condition: Bdd::TRUE, to: END };
        self.points[END].ways.push(everything);
        self.sequence(START, END, Surroundings { loop_end: None, first: false, depth: 0 })?;
        self.cursor.expect("}")?;
        while self.cursor.accept(";") {}
        if self.cursor.token().kind != Kind::End {
            let again = if self.cursor.is("never") { "a second claim" } else { "text behind the claim" };
            return refuse(
                Diagnostic::error(format!("{again} is not read"), self.cursor.span())
                    .hint("one claim at a time, without the model"),
            );
        }
        let undefined = self.labels.iter().filter(|(_, label)| label.defined.is_none());
        if let Some((name, span)) =
            undefined.filter_map(|(name, label)| Some((name, label.used?))).min_by_key(|(_, span)| span.start)
        {
            return refuse(Diagnostic::error(format!("there is no label `{name}`"), span));
        }
        Ok((self.automaton(name)?, opening))
    }

    fn new_point(&mut self) -> Point {
        self.points.push(ControlPoint { place: self.cursor.at, ..ControlPoint::default() });
        self.points.len() - 1
    }

    fn add_step(&mut self, from: Point, condition: Bdd, to: Point) {
        self.points[from].ways.push(Way::Step { otherwise: false, condition, to });
    }

    fn label(&mut self, name: &'a str) -> Point {
        if let Some(label) = self.labels.get(name) {
            return label.point;
        }
        let point = self.new_point();
        self.labels.insert(name, Label { point, defined: None, used: None });
        point
    }

    /// Is this where a sequence of statements ends?
    fn at_sequence_end(&self) -> bool {
        let cursor = &self.cursor;
        cursor.token().kind == Kind::End || ["}", "::", "fi", "od"].iter().any(|end| cursor.is(end))
    }

    /// Statements, from one control point to another.
    fn sequence(&mut self, from: Point, to: Point, mut surroundings: Surroundings) -> Reading<()> {
        self.cursor.check_depth(surroundings.depth)?;
        let mut here = from;
        if self.at_sequence_end() && surroundings.first {
            return self.cursor.unexpected("a statement");
        }
        while !self.at_sequence_end() {
            if !surroundings.first {
                self.points[here].place = self.cursor.at;
            }
            let next = self.new_point();
            let block = self.labelled_statement(here, next, surroundings)?;
            surroundings.first = false;
            here = next;
            let mut separated = self.at_sequence_end() || block || self.cursor.token().newline_before;
            while self.cursor.accept(";") || self.cursor.accept("->") {
                separated = true;
            }
            if !separated {
                return Err(self.not_separated());
            }
        }
        self.points[here].ways.push(Way::As(to));
        Ok(())
    }

    /// What follows a condition is no separator: perhaps it was no condition.
    fn not_separated(&self) -> Box<Diagnostic> {
        let (what, hint) = match self.cursor.text() {
            "=" => ("an assignment", "to compare, write `==`"),
            "++" | "--" => ("an assignment", ""),
            "!" => ("a send", ""),
            "?" | "??" => ("a receive", "to ask whether a message is there, write `q?[…]`"),
            "unless" => ("`unless`", ""),
            _ => {
                let expected = "`;`, `->`, or the end of the sequence";
                return match self.cursor.unexpected::<()>(expected) {
                    Err(diagnostic) => diagnostic,
                    Ok(()) => Box::new(Diagnostic::error(expected, self.cursor.span())),
                };
            }
        };
        let diagnostic = Diagnostic::error(format!("{what} is not possible in a claim"), self.cursor.span())
            .expected("a claim only looks at the model");
        Box::new(if hint.is_empty() { diagnostic } else { diagnostic.hint(hint) })
    }

    /// A statement with the labels before it. Returns whether it ends with a closing word, so that no
    /// separator need follow.
    fn labelled_statement(&mut self, from: Point, to: Point, surroundings: Surroundings) -> Reading<bool> {
        let mut from = from;
        let mut accepting = false;
        let mut labelled = false;
        while self.cursor.token().kind == Kind::Name && self.cursor.next_text() == ":" {
            if surroundings.first && self.cursor.is_remote_reference() {
                break;
            }
            let (name, span) = (self.cursor.text(), self.cursor.span());
            if surroundings.first {
                return refuse(
                    Diagnostic::error("a label cannot stand before the first statement of an option", span)
                        .hint("put it before the `if` or `do`"),
                );
            }
            let point = self.label(name);
            if let Some(label) = self.labels.get_mut(name)
                && let Some(first) = label.defined.replace(span)
            {
                return refuse(
                    Diagnostic::error(format!("the label `{name}` is defined twice"), span)
                        .also(first, "here for the first time"),
                );
            }
            self.cursor.advance();
            self.cursor.advance();
            self.points[from].ways.push(Way::As(point));
            self.points[point].place = self.cursor.at;
            from = point;
            accepting |= name.starts_with("accept");
            labelled = true;
        }
        if labelled {
            self.points[from].accepting = accepting;
            if self.at_sequence_end() {
                self.add_step(from, Bdd::TRUE, to);
                return Ok(true);
            }
        }
        self.statement(from, to, surroundings)
    }

    fn statement(&mut self, from: Point, to: Point, surroundings: Surroundings) -> Reading<bool> {
        let span = self.cursor.span();
        let inner = Surroundings { depth: surroundings.depth + 1, ..surroundings };
        if self.cursor.token().kind != Kind::Name {
            if self.cursor.accept("{") {
                if self.cursor.is("}") {
                    return self.cursor.unexpected("a statement");
                }
                self.sequence(from, to, inner)?;
                self.cursor.expect("}")?;
                return Ok(true);
            }
            return self.condition_step(from, to);
        }
        match self.cursor.text() {
            "if" => {
                self.cursor.advance();
                self.options(from, to, "fi", Surroundings { first: true, ..inner })?;
                Ok(true)
            }
            "do" => {
                self.cursor.advance();
                let mut head = from;
                if surroundings.first {
                    // The options belong to the point of the selection around it, but what jumps back comes
                    // here.
                    head = self.new_point();
                    self.points[from].ways.push(Way::As(head));
                }
                let inside = Surroundings { first: true, loop_end: Some(to), ..inner };
                self.options(head, head, "od", inside)?;
                Ok(true)
            }
            "goto" => {
                self.cursor.advance();
                let (name, span) = (self.cursor.text(), self.cursor.span());
                if self.cursor.token().kind != Kind::Name {
                    return self.cursor.unexpected("a label");
                }
                self.cursor.advance();
                let target = self.label(name);
                if let Some(label) = self.labels.get_mut(name) {
                    label.used.get_or_insert(span);
                }
                self.jump(from, target, surroundings);
                Ok(false)
            }
            "break" => {
                self.cursor.advance();
                let Some(target) = surroundings.loop_end else {
                    return refuse(Diagnostic::error("`break` outside a loop", span));
                };
                self.jump(from, target, surroundings);
                Ok(false)
            }
            "else" => {
                self.cursor.advance();
                if !surroundings.first {
                    return refuse(Diagnostic::error(
                        "`else` can only be the first statement of an option",
                        span,
                    ));
                }
                self.points[from].ways.push(Way::Step { otherwise: true, condition: Bdd::TRUE, to });
                Ok(false)
            }
            "assert" => {
                let holds = self.assertion()?;
                let fails = self.bdds.not(holds);
                self.add_step(from, fails, END);
                self.add_step(from, holds, to);
                Ok(false)
            }
            "atomic" | "d_step" => {
                self.cursor.advance();
                self.cursor.expect("{")?;
                self.one_step(from, to, surroundings)?;
                self.cursor.expect("}")?;
                Ok(true)
            }
            word @ ("printf" | "printm" | "run" | "for" | "select" | "c_code") => refuse(
                Diagnostic::error(format!("`{word}` is not possible in a claim"), span)
                    .expected("a claim only looks at the model"),
            ),
            word @ ("bit" | "bool" | "byte" | "short" | "int" | "unsigned" | "chan" | "mtype" | "pid"
            | "hidden" | "local" | "show" | "xr" | "xs") => refuse(
                Diagnostic::error(format!("a claim has no variables of its own here, found `{word}`"), span)
                    .hint("the states of an automaton are its labels alone"),
            ),
            _ => self.condition_step(from, to),
        }
    }

    fn jump(&mut self, from: Point, target: Point, surroundings: Surroundings) {
        if surroundings.first || self.points[from].accepting {
            self.add_step(from, Bdd::TRUE, target);
        } else {
            self.points[from].ways.push(Way::As(target));
        }
    }

    fn condition_step(&mut self, from: Point, to: Point) -> Reading<bool> {
        let condition = self.condition()?;
        self.add_step(from, condition, to);
        Ok(false)
    }

    /// `:: … :: … fi`. The first statement of each option is one of those at `from`; all go on at `to`.
    fn options(&mut self, from: Point, to: Point, close: &str, surroundings: Surroundings) -> Reading<()> {
        self.cursor.check_depth(surroundings.depth)?;
        if !self.cursor.is("::") {
            return self.cursor.unexpected("`::`");
        }
        while self.cursor.accept("::") {
            self.sequence(from, to, surroundings)?;
        }
        if !self.cursor.accept(close) {
            return self.cursor.unexpected(&format!("`::` or `{close}`"));
        }
        Ok(())
    }

    /// The inside of an atomic sequence: a condition, assertions about the same state, and perhaps a jump.
    fn one_step(&mut self, from: Point, to: Point, surroundings: Surroundings) -> Reading<()> {
        let mut otherwise = false;
        let condition = match self.cursor.text() {
            "else" if surroundings.first => {
                self.cursor.advance();
                otherwise = true;
                Bdd::TRUE
            }
            _ => self.condition()?,
        };
        let mut holds = Bdd::TRUE;
        let mut target = to;
        while !self.cursor.is("}") {
            if !(self.cursor.accept(";") || self.cursor.accept("->")) {
                return Err(self.not_separated());
            }
            while self.cursor.accept(";") || self.cursor.accept("->") {}
            match self.cursor.text() {
                "}" => {}
                "assert" => {
                    let span = self.cursor.span();
                    let assertion = self.assertion()?;
                    holds = self.within_limits(and_within_limits, holds, assertion, span)?;
                }
                "goto" | "break" => {
                    // The step ends at a point of its own, from which the jump goes on.
                    target = self.new_point();
                    let surroundings = Surroundings { first: false, ..surroundings };
                    self.statement(target, to, surroundings)?;
                    while self.cursor.accept(";") {}
                    if !self.cursor.is("}") {
                        return self.cursor.unexpected("`}`");
                    }
                }
                _ => {
                    return refuse(
                        Diagnostic::error(
                            "more than one step in an atomic sequence of a claim",
                            self.cursor.span(),
                        )
                        .expected("expected `assert(…)`, `goto …` or `}`")
                        .hint("a claim makes one step for each step of the model"),
                    );
                }
            }
        }
        let span = self.cursor.span();
        let fails = self.bdds.not(holds);
        let violated = self.within_limits(and_within_limits, condition, fails, span)?;
        let passed = self.within_limits(and_within_limits, condition, holds, span)?;
        self.points[from].ways.push(Way::Step { otherwise, condition: violated, to: END });
        self.points[from].ways.push(Way::Step { otherwise, condition: passed, to: target });
        Ok(())
    }

    /// `assert(…)`: when it holds.
    fn assertion(&mut self) -> Reading<Bdd> {
        self.cursor.advance();
        if !self.cursor.is("(") {
            return self.cursor.unexpected("`(`");
        }
        self.condition()
    }

    fn condition(&mut self) -> Reading<Bdd> {
        let start = self.cursor.at;
        let condition = self.cursor.condition()?;
        let span = self.cursor.span_of(start..self.cursor.at);
        self.function(&condition, span)
    }

    fn function(&mut self, condition: &Condition, span: Span) -> Reading<Bdd> {
        Ok(match condition {
            Condition::Constant(true) => Bdd::TRUE,
            Condition::Constant(false) => Bdd::FALSE,
            Condition::Proposition(name) => {
                let number = match self.numbers.get(name) {
                    Some(&number) => number,
                    None if self.propositions.len() == MOST_PROPOSITIONS => {
                        return refuse(
                            Diagnostic::error("the claim has too many propositions", span)
                                .hint(format!("up to {MOST_PROPOSITIONS} are read")),
                        );
                    }
                    None => {
                        let number = self.propositions.len() as u32;
                        self.propositions.push(name.clone());
                        self.numbers.insert(name.clone(), number);
                        number
                    }
                };
                self.bdds.variable(number)
            }
            Condition::Not(inner) => {
                let inner = self.function(inner, span)?;
                self.bdds.not(inner)
            }
            Condition::All(parts) => {
                let mut all = Bdd::TRUE;
                for part in parts {
                    let part = self.function(part, span)?;
                    all = self.within_limits(and_within_limits, all, part, span)?;
                }
                all
            }
            Condition::Any(parts) => {
                let mut any = Bdd::FALSE;
                for part in parts {
                    let part = self.function(part, span)?;
                    any = self.within_limits(or_within_limits, any, part, span)?;
                }
                any
            }
        })
    }

    fn within_limits(
        &mut self,
        combine: impl Fn(&mut Bdds, Bdd, Bdd) -> Option<Bdd>,
        a: Bdd,
        b: Bdd,
        span: Span,
    ) -> Reading<Bdd> {
        combine(self.bdds, a, b).ok_or_else(|| {
            Box::new(Diagnostic::error("the conditions are too large to be computed with", span))
        })
    }

    /// Where a claim is that arrives here: as long as it can only go on in one way without reading, there.
    fn arrival(&mut self, point: Point) -> Point {
        let mut passed: Vec<Point> = Vec::new();
        let mut at = point;
        let end = loop {
            if let Some(&known) = self.arrivals.get(&at) {
                break known;
            }
            match self.points[at].ways[..] {
                [Way::As(next)] if !self.points[at].accepting => {
                    // A round of jumps is where the claim is stuck; it is met again here.
                    self.arrivals.insert(at, at);
                    passed.push(at);
                    at = next;
                }
                _ => break at,
            }
        };
        self.arrivals.extend(passed.into_iter().map(|point| (point, end)));
        end
    }

    /// All steps that are possible at a point, each to where it arrives.
    fn steps(&mut self, point: Point) -> Reading<Vec<(Bdd, Point)>> {
        let span = match self.points[point].place {
            usize::MAX => self.cursor.span(),
            place => self.cursor.span_of(place..place + 1),
        };
        let mut steps: Vec<(bool, Bdd, Point)> = Vec::new();
        let mut seen: FxHashSet<Point> = FxHashSet::default();
        let mut work = vec![point];
        while let Some(at) = work.pop() {
            if !seen.insert(at) {
                continue;
            }
            for way in &self.points[at].ways {
                match *way {
                    Way::Step { otherwise, condition, to } => steps.push((otherwise, condition, to)),
                    Way::As(next) => work.push(next),
                }
            }
        }
        let mut open = Bdd::FALSE;
        if steps.iter().any(|&(otherwise, ..)| otherwise) {
            for &(_, condition, _) in steps.iter().filter(|&&(otherwise, ..)| !otherwise) {
                open = self.within_limits(or_within_limits, open, condition, span)?;
            }
        }
        let closed = self.bdds.not(open);
        let mut joined: Vec<(Bdd, Point)> = Vec::new();
        let mut index: FxHashMap<Point, usize> = FxHashMap::default();
        for (otherwise, condition, to) in steps {
            let condition = match otherwise {
                true => self.within_limits(and_within_limits, condition, closed, span)?,
                false => condition,
            };
            if condition.is_false() {
                continue;
            }
            let to = self.arrival(to);
            let at = *index.entry(to).or_insert(joined.len());
            if at == joined.len() {
                joined.push((condition, to));
            } else {
                joined[at].0 = self.within_limits(or_within_limits, joined[at].0, condition, span)?;
            }
        }
        Ok(joined)
    }

    fn automaton(&mut self, name: Option<String>) -> Reading<Automaton> {
        let mut start = self.arrival(START);
        let mut found: FxHashSet<Point> = FxHashSet::from_iter([start]);
        let mut work = vec![start];
        let mut states: Vec<(Point, Vec<(Bdd, Point)>)> = Vec::new();
        let mut step_count = 0;
        while let Some(point) = work.pop() {
            let mut steps = self.steps(point)?;
            // From here the claim can end at once, whatever the letter.
            if steps.iter().any(|&(condition, to)| to == END && condition.is_true()) {
                steps = vec![(Bdd::TRUE, END)];
            }
            step_count += steps.len();
            if step_count > MOST_STEPS {
                return refuse(Diagnostic::error("the claim has too many steps", self.cursor.span_of(0..1)));
            }
            work.extend(steps.iter().map(|&(_, to)| to).filter(|&to| found.insert(to)));
            states.push((point, steps));
        }
        // Such a state is as good as the end.
        let ended: FxHashSet<Point> = states
            .iter()
            .filter(|(_, steps)| steps[..] == [(Bdd::TRUE, END)])
            .map(|&(point, _)| point)
            .collect();
        let place = |point: Point| if ended.contains(&point) { END } else { point };
        start = place(start);
        states.retain(|&(point, _)| place(point) == point);
        let mut reached: FxHashSet<Point> = FxHashSet::from_iter([start]);
        reached.extend(states.iter().flat_map(|(_, steps)| steps.iter().map(|&(_, to)| place(to))));
        if reached.contains(&END) && !states.iter().any(|&(point, _)| point == END) {
            states.push((END, vec![(Bdd::TRUE, END)]));
        }
        states.retain(|(point, _)| reached.contains(point));
        states.sort_by_key(|&(point, _)| (point == END, self.points[point].place, point));

        let numbers: FxHashMap<Point, State> =
            states.iter().zip(0..).map(|(&(point, _), number)| (point, number)).collect();
        let edges = states
            .iter()
            .map(|(point, steps)| {
                let marks = if self.points[*point].accepting { Marks::one(0) } else { Marks::NONE };
                steps.iter().map(|&(label, to)| Edge { label, marks, to: numbers[&place(to)] }).collect()
            })
            .collect();
        let mut automaton = Automaton {
            name,
            propositions: std::mem::take(&mut self.propositions),
            sets: 1,
            placement: Placement::States,
            initial: vec![numbers[&start]],
            edges,
        };
        automaton.tidy(self.bdds);
        Ok(automaton)
    }
}
