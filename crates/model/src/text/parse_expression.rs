//! Parsing expressions and places.

use super::MAX_HEIGHT;
use super::lex::Kind;
use super::parse::{Parsed, Parser};
use super::words::*;
use crate::ir::*;

impl Parser<'_> {
    /// An expression: operands with one kind of operator between them.
    pub fn expression(&mut self) -> Parsed<Expr> {
        let outer = std::mem::take(&mut self.height);
        let mut expr = self.nested(Self::operand)?;
        let mut first = None;
        while let Kind::Symbol(symbol) = *self.kind()
            && let Some(operator) = value(&BINARY, symbol)
        {
            match first {
                None => first = Some(operator),
                Some(first) if first == operator && chains(first) => {}
                Some(_) => return self.error("expected parentheses around the operation on the left"),
            }
            self.advance();
            let left = std::mem::take(&mut self.height);
            let right = self.nested(Self::operand)?;
            self.height = self.height.max(left) + 1;
            if self.height > MAX_HEIGHT {
                return self
                    .error(format!("the expression is too deep: expected at most {MAX_HEIGHT} operators"));
            }
            expr = Expr::Binary(operator, Box::new((expr, right)));
        }
        self.height = outer.max(self.height + 1);
        Ok(expr)
    }

    /// Expressions with commas between them, up to a token that is left standing.
    pub fn arguments(&mut self, end: &Kind) -> Parsed<Vec<Expr>> {
        let mut list = Vec::new();
        while self.kind() != end {
            if !list.is_empty() {
                self.symbol(",")?;
            }
            list.push(self.expression()?);
        }
        Ok(list)
    }

    pub fn receive(&mut self, end: &Kind) -> Parsed<Receive> {
        let random = self.accept_word("random");
        let copy = self.accept_word("copy");
        let channel = self.expression()?;
        self.symbol(":")?;
        let mut arguments = Vec::new();
        while self.kind() != end {
            if !arguments.is_empty() {
                self.symbol(",")?;
            }
            arguments.push(if self.accept_word("store") {
                ReceiveArgument::Store(self.place()?)
            } else if self.accept_word("match") {
                ReceiveArgument::Match(self.expression()?)
            } else if self.accept_word("drop") {
                ReceiveArgument::Drop
            } else {
                return self.expected("`store`, `match` or `drop`");
            });
        }
        Ok(Receive { channel, random, copy, arguments })
    }

    fn operand(&mut self) -> Parsed<Expr> {
        match *self.kind() {
            Kind::Number(_) => Ok(Expr::Constant(self.number("an integer of 32 bits")?)),
            Kind::Symbol("(") => {
                self.advance();
                self.parenthesised()
            }
            Kind::Symbol(symbol) => match value(&UNARY, symbol) {
                Some(operator) => {
                    self.advance();
                    self.unary(operator)
                }
                None => self.expected("an expression"),
            },
            Kind::Word(word) => self.named(word),
            _ => self.expected("an expression"),
        }
    }

    fn unary(&mut self, operator: UnaryOperator) -> Parsed<Expr> {
        if let (UnaryOperator::Negate, Kind::Number(number)) = (operator, self.kind()) {
            let Some(value) = i64::try_from(*number).ok().and_then(|number| i32::try_from(-number).ok())
            else {
                return self.expected("an integer of 32 bits");
            };
            self.advance();
            return Ok(Expr::Constant(value));
        }
        let operand = self.nested(Self::operand)?;
        self.height += 1;
        Ok(Expr::Unary(operator, Box::new(operand)))
    }

    /// What follows `(`.
    fn parenthesised(&mut self) -> Parsed<Expr> {
        let first = self.expression()?;
        if !self.accept_symbol("?") {
            if !self.accept_symbol(")") {
                return self.expected("an operator, `?` or `)`");
            }
            return Ok(first);
        }
        let second = self.expression()?;
        self.symbol(":")?;
        let third = self.expression()?;
        self.symbol(")")?;
        Ok(Expr::Conditional(Box::new((first, second, third))))
    }

    fn in_parentheses(&mut self) -> Parsed<Box<Expr>> {
        self.symbol("(")?;
        let expr = self.expression()?;
        self.symbol(")")?;
        Ok(Box::new(expr))
    }

    /// An expression that starts with a word, which is still to be read.
    fn named(&mut self, word: &str) -> Parsed<Expr> {
        if ["g", "l"].iter().any(|section| numbered(word, section).is_some()) {
            return Ok(match self.place()? {
                Place { base: Base::Global, offset, storage, indices } if indices.is_empty() => {
                    Expr::Global { offset, storage }
                }
                Place { base: Base::Local, offset, storage, indices } if indices.is_empty() => {
                    Expr::Local { offset, storage }
                }
                place => Expr::Load(Box::new(place)),
            });
        }
        if let Some(process) = self.accept_reference("p") {
            let (process, pid) = (ProcessTypeId(process), self.process_number()?);
            if self.accept_symbol("@") {
                return Ok(Expr::RemoteLabel { process, pid, location: self.number("a location")? });
            }
            if !self.at_symbol(".") {
                return self.expected("`@` and a location, or `.` and a variable's place");
            }
            return Ok(Expr::Load(Box::new(self.remote_place(process, pid)?)));
        }
        if let Some(test) = value(&TESTS, word) {
            self.advance();
            return Ok(Expr::Test(test, self.in_parentheses()?));
        }
        if word == "nowhere" {
            return Ok(Expr::Load(Box::new(self.place()?)));
        }
        let simple = match word {
            "load" => {
                self.advance();
                return Ok(Expr::Load(Box::new(self.place()?)));
            }
            "priority" => {
                self.advance();
                if self.at_symbol(".") {
                    return Ok(Expr::Load(Box::new(self.numbered_place(Base::Priority)?)));
                }
                return Ok(Expr::Priority);
            }
            "len" => {
                self.advance();
                return Ok(Expr::Len(self.in_parentheses()?));
            }
            "enabled" => {
                self.advance();
                return Ok(Expr::Enabled(self.in_parentheses()?));
            }
            "priority_of" => {
                self.advance();
                return Ok(Expr::GetPriority(self.in_parentheses()?));
            }
            "location_of" => {
                self.advance();
                return Ok(Expr::LocationOf(self.in_parentheses()?));
            }
            "poll" => {
                self.advance();
                self.symbol("(")?;
                let receive = self.receive(&Kind::Symbol(")"))?;
                self.symbol(")")?;
                return Ok(Expr::Poll(Box::new(receive)));
            }
            "pid" => Expr::Pid,
            "process_count" => Expr::ProcessCount,
            "last" => Expr::Last,
            "timeout" => Expr::Timeout,
            "non_progress" => Expr::NonProgress,
            "acceptance" => Expr::Acceptance,
            "result" => Expr::RunResult,
            _ => return self.expected("an expression"),
        };
        self.advance();
        Ok(simple)
    }

    pub fn place(&mut self) -> Parsed<Place> {
        if let Some(offset) = self.accept_reference("g") {
            return self.rest_of_place(Base::Global, offset);
        }
        if let Some(offset) = self.accept_reference("l") {
            return self.rest_of_place(Base::Local, offset);
        }
        if let Some(process) = self.accept_reference("p") {
            let pid = self.process_number()?;
            return self.remote_place(ProcessTypeId(process), pid);
        }
        if self.accept_word("priority") {
            return self.numbered_place(Base::Priority);
        }
        if self.accept_word("nowhere") {
            return self.numbered_place(Base::Nowhere);
        }
        self.expected("a place (`g0`, `l0`, `p0.l0`, `priority.0` or `nowhere.0`)")
    }

    /// `(E)` after a process type, if it is there.
    fn process_number(&mut self) -> Parsed<Option<Box<Expr>>> {
        if self.at_symbol("(") { Ok(Some(self.in_parentheses()?)) } else { Ok(None) }
    }

    fn remote_place(&mut self, process: ProcessTypeId, pid: Option<Box<Expr>>) -> Parsed<Place> {
        self.symbol(".")?;
        let offset = self.reference("l", "a place among the process's variables")?;
        self.rest_of_place(Base::Remote { process, pid }, offset)
    }

    fn numbered_place(&mut self, base: Base) -> Parsed<Place> {
        self.symbol(".")?;
        let offset = self.number("an offset")?;
        self.rest_of_place(base, offset)
    }

    /// Indices and storage.
    fn rest_of_place(&mut self, base: Base, offset: u32) -> Parsed<Place> {
        let mut indices = Vec::new();
        while self.accept_symbol("[") {
            let value = self.expression()?;
            self.word("of")?;
            let length = self.number("the array's length")?;
            self.word("by")?;
            let stride = self.number("the size of an element")?;
            self.symbol("]")?;
            indices.push(Index { value, length, stride });
        }
        self.symbol(".")?;
        Ok(Place { base, offset, storage: self.storage()?, indices })
    }
}
