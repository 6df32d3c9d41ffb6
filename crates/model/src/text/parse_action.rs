//! Parsing actions, and the programs that some of them are.

use super::lex::Kind;
use super::parse::{Parsed, Parser};
use super::words::*;
use crate::ir::*;

const ACTIONS: &str = "an action (`skip`, `else`, `when`, `set`, `set_all`, `move`, `send`, `receive`, `run`, `assert`, `print`, \
                       `set_priority`, `end` or `program`)";

impl Parser<'_> {
    /// An action and the end of its line.
    pub fn action_line(&mut self) -> Parsed<Action> {
        let action = self.action()?;
        self.line_end()?;
        Ok(action)
    }

    fn action(&mut self) -> Parsed<Action> {
        let Kind::Word(word) = *self.kind() else { return self.expected(ACTIONS) };
        if !matches!(
            word,
            "skip"
                | "else"
                | "when"
                | "set"
                | "set_all"
                | "move"
                | "send"
                | "receive"
                | "run"
                | "assert"
                | "print"
                | "set_priority"
                | "end"
                | "program"
        ) {
            return self.expected(ACTIONS);
        }
        self.advance();
        Ok(match word {
            "skip" => Action::Skip,
            "else" => Action::Else,
            "when" => Action::Guard(self.expression()?),
            "set" => {
                let (place, expr) = self.assignment()?;
                Action::Assign(place, expr)
            }
            "set_all" => {
                let mut list = Vec::new();
                while *self.kind() != Kind::LineEnd {
                    if !list.is_empty() {
                        self.symbol(",")?;
                    }
                    list.push(self.assignment()?);
                }
                Action::AssignAll(list)
            }
            "move" => {
                let process = ProcessTypeId(self.reference("p", "a process type")?);
                let pid = self.number("the number of a process")?;
                self.word("to")?;
                Action::MoveProcess { process, pid, location: self.number("a location")? }
            }
            "send" => {
                let sorted = self.accept_word("sorted");
                let channel = self.expression()?;
                self.symbol(":")?;
                Action::Send { channel, sorted, arguments: self.arguments(&Kind::LineEnd)? }
            }
            "receive" => Action::Receive(self.receive(&Kind::LineEnd)?),
            "run" => self.run()?,
            "assert" => Action::Assert(self.expression()?),
            "print" => self.print_action()?,
            "set_priority" => {
                let pid = self.expression()?;
                self.symbol(",")?;
                Action::SetPriority(pid, self.expression()?)
            }
            "end" => Action::End,
            _ => Action::Program(Box::new(self.nested(Self::program)?)),
        })
    }

    fn assignment(&mut self) -> Parsed<(Place, Expr)> {
        let place = self.place()?;
        self.symbol("=")?;
        Ok((place, self.expression()?))
    }

    fn run(&mut self) -> Parsed<Action> {
        let process = ProcessTypeId(self.reference("p", "a process type")?);
        self.symbol("(")?;
        let arguments = self.arguments(&Kind::Symbol(")"))?;
        self.symbol(")")?;
        self.word("priority")?;
        let priority = self.number("a priority")?;
        let then = if self.accept_word("then") { Some(Box::new(self.assignment()?)) } else { None };
        Ok(Action::Run { process, arguments, priority, then })
    }

    fn print_action(&mut self) -> Parsed<Action> {
        let mut format = Vec::new();
        while !self.accept_symbol(":") {
            if matches!(self.kind(), Kind::Text(_)) {
                format.push(FormatPiece::Text(self.string("text")?));
            } else if self.accept_symbol("%") {
                let piece = if self.accept_word("e") {
                    FormatPiece::Symbol(None)
                } else if let Some(list) = self.accept_reference("e") {
                    FormatPiece::Symbol(Some(list))
                } else {
                    self.word_of(
                        &CONVERSIONS,
                        "a conversion: `e`, or `e` with a symbol list's number, or one of",
                    )?
                };
                format.push(piece);
            } else {
                return self.expected("a string, a conversion (`%d`) or `:`");
            }
        }
        Ok(Action::Print { format, arguments: self.arguments(&Kind::LineEnd)? })
    }

    /// From `{` to `}`.
    fn program(&mut self) -> Parsed<Program> {
        self.symbol("{")?;
        self.line_end()?;
        let mut program = Program { guards: Vec::new(), nodes: Vec::new() };
        while self.accept_word("guard") {
            program.guards.push(self.action_line()?);
        }
        while self.accept_word("node") {
            let number = program.nodes.len() as u64;
            if *self.kind() != Kind::Number(number) {
                return self.expected(&format!("{number}, the number of the next node"));
            }
            self.advance();
            program.nodes.push(self.node()?);
        }
        if !self.accept_symbol("}") {
            return self.expected(if program.nodes.is_empty() {
                "`guard`, `node` or `}`"
            } else {
                "`node` or `}`"
            });
        }
        Ok(program)
    }

    fn node(&mut self) -> Parsed<Node> {
        if self.accept_word("do") {
            let next = self.next()?;
            let statement = self.statement_number()?;
            Ok(Node::Do { next, statement, action: self.action_line()? })
        } else if self.accept_word("choose") {
            let statement = self.statement_number()?;
            self.line_end()?;
            let mut options = Vec::new();
            while self.accept_word("option") {
                let next = self.next()?;
                let guard = if *self.kind() == Kind::LineEnd { None } else { Some(self.action()?) };
                self.line_end()?;
                options.push(ProgramOption { guard, next });
            }
            Ok(Node::Choose { options, statement })
        } else if self.accept_word("jump") {
            let next = self.next()?;
            self.line_end()?;
            Ok(Node::Jump(next))
        } else {
            self.expected("`do`, `choose` or `jump`")
        }
    }

    fn next(&mut self) -> Parsed<Next> {
        self.symbol("->")?;
        if self.accept_word("exit") {
            return Ok(Next::Exit);
        }
        Ok(Next::Node(self.number("the number of a node, or `exit`")?))
    }
}
