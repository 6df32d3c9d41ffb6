//! Processes: states, what is said about them, transitions.

use super::{Failed, Parsed, Parser};
use crate::ast::{Assertion, Direction, Effect, Expr, ExprKind, Name, Process, Sync, Transition};
use crate::lex::Kind;

impl Parser<'_> {
    pub(super) fn process(&mut self) -> Parsed<Process> {
        self.advance();
        let name = self.name("the name of a process")?;
        self.sign("{")?;
        let mut process = Process {
            name,
            variables: Vec::new(),
            states: Vec::new(),
            init: None,
            accept: Vec::new(),
            commit: Vec::new(),
            assertions: Vec::new(),
            transitions: Vec::new(),
        };
        while !self.accept_sign("}") {
            if matches!(self.peek(), Kind::End) || matches!(self.word(), "process" | "system") {
                let said = self.messages.last().is_some_and(|message| message.span() == self.span());
                if !said {
                    self.unexpected("expected `}` at the end of the process");
                    if let Some(message) = self.messages.pop() {
                        self.messages.push(message.also(process.name.span, "of this process"));
                    }
                }
                return Ok(process);
            }
            if self.section(&mut process).is_err() {
                self.skip_section();
            }
        }
        Ok(process)
    }

    fn section(&mut self, process: &mut Process) -> Parsed<()> {
        match self.word() {
            "const" | "byte" | "int" => process.variables.extend(self.variables()?),
            "state" => {
                self.advance();
                process.states.extend(self.names("the name of a state")?);
            }
            "init" => {
                self.advance();
                process.init = Some(self.name("the name of a state")?);
                self.semicolon("`;`")?;
            }
            "accept" => {
                self.advance();
                process.accept.extend(self.names("the name of a state")?);
            }
            "commit" => {
                self.advance();
                process.commit.extend(self.names("the name of a state")?);
            }
            "assert" => {
                self.advance();
                loop {
                    let state = self.name("the name of a state")?;
                    self.sign(":")?;
                    let condition = self.expression()?;
                    let span = state.span.to(condition.span);
                    process.assertions.push(Assertion { state, condition, span });
                    if !self.accept_sign(",") {
                        break;
                    }
                }
                self.semicolon("`,` or `;`")?;
            }
            "trans" => {
                self.advance();
                self.transitions(process)?;
            }
            _ => {
                let words = ["const", "byte", "int", "state", "init", "accept", "commit", "assert", "trans"];
                self.misspelt(&words, "expected a declaration, `state`, `init`, `trans`, … or `}`");
                return Err(Failed);
            }
        }
        Ok(())
    }

    /// Behind the next `;` outside of braces, or before the `}` that ends the process.
    fn skip_section(&mut self) {
        let mut depth = 0;
        loop {
            match self.peek() {
                Kind::End => return,
                Kind::Word if matches!(self.word(), "process" | "system") => return,
                Kind::Sign("{") => depth += 1,
                Kind::Sign("}") if depth == 0 => return,
                Kind::Sign("}") => depth -= 1,
                Kind::Sign(";") if depth == 0 => {
                    self.advance();
                    return;
                }
                _ => {}
            }
            self.advance();
        }
    }

    /// `q -> r { … }, -> s { … };`
    fn transitions(&mut self, process: &mut Process) -> Parsed<()> {
        if self.accept_sign(";") || self.is_sign("}") {
            return Ok(());
        }
        let mut before: Option<Name> = None;
        loop {
            let is_written = !self.is_sign("->");
            let source = if !is_written {
                match before.clone() {
                    Some(before) => before,
                    None => return self.fail("expected the state that the first transition leaves"),
                }
            } else {
                self.name("the name of a state")?
            };
            before = Some(source.clone());
            let start = if is_written { source.span } else { self.span() };
            self.sign("->")?;
            let target = self.name("the name of a state")?;
            self.sign("{")?;
            let mut transition =
                Transition { span: start, source, target, guard: None, sync: None, effects: Vec::new() };
            if self.body(&mut transition).is_err() {
                self.skip_body();
            }
            transition.span = start.to(self.span_before());
            process.transitions.push(transition);
            if self.accept_sign(",") {
                // A comma too many does no harm.
                if self.accept_sign(";") || self.is_sign("}") {
                    return Ok(());
                }
                continue;
            }
            return self.semicolon("`,` before another transition, or `;`");
        }
    }

    /// The inside of a transition, and its `}`.
    fn body(&mut self, transition: &mut Transition) -> Parsed<()> {
        loop {
            if self.accept_sign("}") {
                return Ok(());
            }
            match self.word() {
                "guard" if transition.guard.is_none() => {
                    self.advance();
                    transition.guard = Some(self.expression()?);
                }
                "sync" if transition.sync.is_none() => {
                    self.advance();
                    transition.sync = Some(self.synchronisation()?);
                }
                "effect" if transition.effects.is_empty() => {
                    self.advance();
                    loop {
                        let place = self.place()?;
                        self.sign("=")?;
                        transition.effects.push(Effect { place, value: self.expression()? });
                        if !self.accept_sign(",") {
                            break;
                        }
                    }
                }
                _ => {
                    self.misspelt(
                        &["guard", "sync", "effect"],
                        "expected `guard`, `sync`, `effect` or `}`, each once",
                    );
                    return Err(Failed);
                }
            }
            self.semicolon("an operator or `;`")?;
        }
    }

    /// Behind the `}` of the transition.
    fn skip_body(&mut self) {
        let mut depth = 0;
        loop {
            match self.peek() {
                Kind::End => return,
                Kind::Word if matches!(self.word(), "process" | "system" | "trans") => return,
                Kind::Sign("{") => depth += 1,
                Kind::Sign("}") if depth == 0 => {
                    self.advance();
                    return;
                }
                Kind::Sign("}") => depth -= 1,
                _ => {}
            }
            self.advance();
        }
    }

    fn synchronisation(&mut self) -> Parsed<Sync> {
        let channel = self.name("the name of a channel")?;
        let direction = if self.accept_sign("!") {
            Direction::Send
        } else if self.accept_sign("?") {
            Direction::Receive
        } else {
            return self.fail("expected `!` to send or `?` to receive");
        };
        let mut values = Vec::new();
        if self.accept_sign("{") {
            loop {
                values.push(self.exchanged(direction)?);
                if !self.accept_sign(",") {
                    break;
                }
            }
            self.sign("}")?;
        } else if !self.is_sign(";") {
            values.push(self.exchanged(direction)?);
        }
        let span = channel.span.to(self.span_before());
        Ok(Sync { channel, direction, values, span })
    }

    fn exchanged(&mut self, direction: Direction) -> Parsed<Expr> {
        match direction {
            Direction::Send => self.expression(),
            Direction::Receive => self.place(),
        }
    }

    /// A variable or an element of an array.
    fn place(&mut self) -> Parsed<Expr> {
        let reference = self.reference()?;
        let span = reference.name.span.to(self.span_before());
        let height = 1 + reference.index.as_ref().map_or(0, |index| index.height);
        Ok(Expr { kind: ExprKind::Variable(reference), span, height })
    }
}
