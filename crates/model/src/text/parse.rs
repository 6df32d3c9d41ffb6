//! Parsing the printed form: the lines that make up a model.
//!
//! The parser takes the lines in the order in which the printer writes them. It checks the form only; whether
//! the numbers make sense is [`crate::verify`]'s business.

use super::lex::{Kind, Token, tokens};
use super::words::*;
use super::{MAX_NESTING, TextError};
use crate::ir::*;

/// The model that a text is the printed form of; see [`crate::text`].
pub fn parse(text: &str) -> Result<Model, TextError> {
    let first = text.split('\n').next().unwrap_or("").trim_end();
    if first != HEADER {
        return Err(TextError {
            line: 1,
            column: 1,
            message: format!("expected `{HEADER}` as the first line"),
        });
    }
    let rest = &text[first.len()..];
    Parser { tokens: tokens(rest)?, position: 0, nesting: 0, height: 0 }.model()
}

pub type Parsed<T> = Result<T, TextError>;

pub struct Parser<'t> {
    tokens: Vec<Token<'t>>,
    position: usize,
    nesting: u32,
    /// Height of the highest expression since this was last set to 0.
    pub height: u32,
}

impl<'t> Parser<'t> {
    pub fn kind(&self) -> &Kind<'t> {
        &self.tokens[self.position].kind
    }

    pub fn advance(&mut self) {
        if self.position + 1 < self.tokens.len() {
            self.position += 1;
        }
    }

    pub fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        let Token { line, column, .. } = self.tokens[self.position];
        Err(TextError { line, column, message: message.into() })
    }

    pub fn expected<T>(&self, what: &str) -> Parsed<T> {
        self.error(format!("expected {what}, found {}", self.kind()))
    }

    /// Parses something inside something else.
    pub fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            return self.error(format!("nested too deeply: expected at most {MAX_NESTING} levels"));
        }
        self.nesting += 1;
        let result = parse(self);
        self.nesting -= 1;
        result
    }

    pub fn at_symbol(&self, symbol: &str) -> bool {
        matches!(self.kind(), Kind::Symbol(s) if *s == symbol)
    }

    pub fn accept_symbol(&mut self, symbol: &str) -> bool {
        let found = self.at_symbol(symbol);
        if found {
            self.advance();
        }
        found
    }

    pub fn symbol(&mut self, symbol: &str) -> Parsed<()> {
        if self.accept_symbol(symbol) { Ok(()) } else { self.expected(&format!("`{symbol}`")) }
    }

    pub fn accept_word(&mut self, word: &str) -> bool {
        let found = matches!(self.kind(), Kind::Word(w) if *w == word);
        if found {
            self.advance();
        }
        found
    }

    pub fn word(&mut self, word: &str) -> Parsed<()> {
        if self.accept_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    /// A word from a table.
    pub fn word_of<T: Clone>(&mut self, table: &[(&'static str, T)], what: &str) -> Parsed<T> {
        if let Kind::Word(word) = self.kind()
            && let Some(value) = value(table, word)
        {
            self.advance();
            return Ok(value);
        }
        let words: Vec<String> = table.iter().map(|(word, _)| format!("`{word}`")).collect();
        self.expected(&format!("{what} ({})", words.join(", ")))
    }

    pub fn number<T: TryFrom<u64>>(&mut self, what: &str) -> Parsed<T> {
        let Kind::Number(number) = self.kind() else { return self.expected(what) };
        let Ok(value) = T::try_from(*number) else {
            return self.error(format!("expected {what}, but {number} is too large for it"));
        };
        self.advance();
        Ok(value)
    }

    pub fn string(&mut self, what: &str) -> Parsed<String> {
        let Kind::Text(text) = self.kind() else { return self.expected(&format!("{what} as a string")) };
        let text = text.clone();
        self.advance();
        Ok(text)
    }

    /// A reference such as `p4`; `None` if there is something else.
    pub fn accept_reference<T: TryFrom<u32>>(&mut self, prefix: &str) -> Option<T> {
        let Kind::Word(word) = self.kind() else { return None };
        let value = numbered(word, prefix).and_then(|number| T::try_from(number).ok())?;
        self.advance();
        Some(value)
    }

    pub fn reference<T: TryFrom<u32>>(&mut self, prefix: &str, what: &str) -> Parsed<T> {
        match self.accept_reference(prefix) {
            Some(value) => Ok(value),
            None => self.expected(&format!("{what} (`{prefix}0`)")),
        }
    }

    /// The number of a line among its like, which must be the next one.
    fn numbered_line(&mut self, prefix: &str, next: usize) -> Parsed<()> {
        let found = match self.kind() {
            Kind::Number(number) if prefix.is_empty() => *number == next as u64,
            Kind::Word(word) if !prefix.is_empty() => numbered(word, prefix) == u32::try_from(next).ok(),
            _ => false,
        };
        if !found {
            return self.expected(&format!("`{prefix}{next}`, the next number"));
        }
        self.advance();
        Ok(())
    }

    pub fn line_end(&mut self) -> Parsed<()> {
        if *self.kind() != Kind::LineEnd {
            return self.expected("the end of the line");
        }
        self.advance();
        Ok(())
    }

    fn source_line(&mut self) -> Parsed<SourceLine> {
        if !self.accept_word("line") {
            return Ok(SourceLine::default());
        }
        let file = self.number("the number of a file")?;
        self.symbol(":")?;
        Ok(SourceLine { file, line: self.number("the number of a line")? })
    }

    /// `line 0:12`, if it is there, and the end of the line.
    fn ending(&mut self) -> Parsed<SourceLine> {
        let line = self.source_line()?;
        self.line_end()?;
        Ok(line)
    }

    fn model(mut self) -> Parsed<Model> {
        let mut model = Model::default();
        self.word("model")?;
        model.name = self.string("the model's name")?;
        if self.accept_word("language") {
            model.language = self.word_of(&LANGUAGES, "a language")?;
        }
        self.line_end()?;
        if self.accept_word("features") {
            model.features.timeout = self.accept_word("timeout");
            model.features.priorities = self.accept_word("priorities");
            model.features.last = self.accept_word("last");
            self.line_end()?;
        }
        while self.accept_word("file") {
            self.numbered_line("", model.files.len())?;
            model.files.push(self.string("a file's name")?);
            self.line_end()?;
        }
        while self.accept_word("symbols") {
            self.numbered_line("s", model.symbol_lists.len())?;
            let name = self.string("the list's name")?;
            let mut symbols = Vec::new();
            while matches!(self.kind(), Kind::Text(_)) {
                symbols.push(self.string("a symbol")?);
            }
            self.line_end()?;
            model.symbol_lists.push(SymbolList { name, symbols });
        }
        while self.accept_word("record") {
            self.numbered_line("r", model.record_types.len())?;
            let name = self.string("the record's name")?;
            self.word("size")?;
            let size = self.number("the record's size")?;
            self.line_end()?;
            model.record_types.push(RecordType { name, size, fields: self.variables("+")? });
        }
        self.word("globals")?;
        self.word("size")?;
        model.globals_size = self.number("the size of the globals")?;
        self.word("hidden")?;
        model.hidden_size = self.number("the size of the hidden globals")?;
        self.line_end()?;
        model.globals = self.variables("g")?;
        model.initialise = self.initialisations()?;
        while self.accept_word("channel") {
            self.numbered_line("c", model.channel_types.len())?;
            model.channel_types.push(self.channel_type()?);
        }
        while self.accept_word("process") {
            self.numbered_line("p", model.process_types.len())?;
            model.process_types.push(self.process_type()?);
        }
        while self.accept_word("start") {
            let process = ProcessTypeId(self.reference("p", "a process type")?);
            self.word("priority")?;
            model.start.push(Start { process, priority: self.number("a priority")? });
            self.line_end()?;
        }
        while self.accept_word("claim") {
            let kind = self.word_of(&CLAIMS, "a kind of claim")?;
            model.claims.push(Claim { kind, automaton: self.process_type()? });
        }
        while self.accept_word("formula") {
            let name = self.string("the formula's name")?;
            let text = self.string("the formula")?;
            model.formulas.push(Formula { name, text, line: self.ending()? });
        }
        while self.accept_word("proposition") {
            let text = self.string("the proposition")?;
            model.propositions.push(Proposition { text, value: self.expression()? });
            self.line_end()?;
        }
        match self.kind() {
            Kind::TextEnd => Ok(model),
            _ => self.unexpected_line(&model),
        }
    }

    /// Says what could have followed here.
    fn unexpected_line(&self, model: &Model) -> Parsed<Model> {
        let kinds = [
            "`channel`",
            "`process`",
            "`start`",
            "`claim`",
            "`formula`",
            "`proposition`",
            "the end of the text",
        ];
        let from = if !model.propositions.is_empty() {
            5
        } else if !model.formulas.is_empty() {
            4
        } else if !model.claims.is_empty() {
            3
        } else if !model.start.is_empty() {
            2
        } else if !model.process_types.is_empty() {
            1
        } else {
            0
        };
        self.expected(&kinds[from..].join(" or "))
    }

    fn variables(&mut self, section: &str) -> Parsed<Vec<Variable>> {
        let mut variables = Vec::new();
        while self.accept_word("var") {
            variables.push(self.variable(section)?);
        }
        Ok(variables)
    }

    fn variable(&mut self, section: &str) -> Parsed<Variable> {
        let name = self.string("the variable's name")?;
        let length = if self.accept_symbol("[") {
            let length = self.number("the array's length")?;
            self.symbol("]")?;
            Some(length)
        } else {
            None
        };
        let record = self.accept_reference("r").map(RecordTypeId);
        let shown = if record.is_some() { ShownAs::Byte } else { self.shown()? };
        let offset = if section == "+" {
            self.symbol("+")?;
            self.number("the offset in the record")?
        } else {
            self.reference(section, "the variable's place")?
        };
        let (ty, default_size) = match record {
            Some(record) => (Type::Record(record), None),
            None => {
                self.symbol(".")?;
                let storage = self.storage()?;
                (Type::Scalar { shown, storage }, Some(storage.size()))
            }
        };
        let element_size = match default_size {
            Some(size) if !self.accept_word("element") => size,
            None if !self.accept_word("element") => return self.expected("`element`"),
            _ => self.number("the size of an element")?,
        };
        let hidden = self.accept_word("hidden");
        Ok(Variable { name, ty, length, offset, element_size, hidden, line: self.ending()? })
    }

    fn shown(&mut self) -> Parsed<ShownAs> {
        match self.accept_reference("s") {
            Some(list) => Ok(ShownAs::Symbol(list)),
            None => self.word_of(&SHOWN, "a type: a symbol list (`s0`) or one of"),
        }
    }

    pub fn storage(&mut self) -> Parsed<Storage> {
        if let Some(bits) = self.accept_reference("u") {
            return Ok(Storage::Unsigned(bits));
        }
        self.word_of(
            &[("i16", Storage::Signed16), ("i32", Storage::Signed32)],
            "a storage: `u` and the number of bits, or one of",
        )
    }

    fn initialisations(&mut self) -> Parsed<Vec<Initialisation>> {
        let mut list = Vec::new();
        while self.accept_word("init") {
            let place = self.place()?;
            self.symbol("=")?;
            let value = if self.accept_word("new") {
                InitialValue::NewChannel(ChannelTypeId(self.reference("c", "a channel type")?))
            } else {
                InitialValue::Expr(self.expression()?)
            };
            self.line_end()?;
            list.push(Initialisation { place, value });
        }
        Ok(list)
    }

    fn channel_type(&mut self) -> Parsed<ChannelType> {
        let name = self.string("the channel's name")?;
        self.word("capacity")?;
        let capacity = self.number("the channel's capacity")?;
        self.symbol(":")?;
        let mut fields = Vec::new();
        while *self.kind() != Kind::LineEnd {
            if !fields.is_empty() {
                self.symbol(",")?;
            }
            let shown = self.shown()?;
            self.symbol(".")?;
            fields.push(Field { shown, storage: self.storage()? });
        }
        self.line_end()?;
        Ok(ChannelType { name, capacity, fields })
    }

    fn process_type(&mut self) -> Parsed<ProcessType> {
        let name = self.string("the process type's name")?;
        self.word("start")?;
        let start = self.number("a location")?;
        self.word("size")?;
        let variables_size = self.number("the size of the variables")?;
        self.word("parameters")?;
        let parameters = self.number("the number of parameters")?;
        let deterministic = self.accept_word("deterministic");
        let line = self.ending()?;
        let mut provided = None;
        if self.accept_word("provided") {
            provided = Some(self.expression()?);
            self.line_end()?;
        }
        let mut exclusive = Vec::new();
        while self.accept_word("exclusive") {
            let usage = if self.accept_word("receive") {
                ChannelUse::Receive
            } else {
                self.word("send")?;
                ChannelUse::Send
            };
            exclusive.push(Exclusive { usage, channel: self.expression()? });
            self.line_end()?;
        }
        let variables = self.variables("l")?;
        let initialise = self.initialisations()?;
        let mut statements = Vec::new();
        while self.accept_word("statement") {
            self.numbered_line("", statements.len())?;
            let text = self.string("the statement's text")?;
            let reported = self.accept_word("reported");
            statements.push(Statement { text, reported, line: self.ending()? });
        }
        let mut labels = Vec::new();
        while self.accept_word("label") {
            let name = self.string("the label's name")?;
            labels.push(Label { name, location: self.number("a location")? });
            self.line_end()?;
        }
        let mut locations = Vec::new();
        while self.accept_word("location") {
            self.numbered_line("", locations.len())?;
            locations.push(self.location()?);
        }
        Ok(ProcessType {
            name,
            line,
            deterministic,
            provided,
            exclusive,
            variables,
            parameters,
            variables_size,
            initialise,
            start,
            locations,
            statements,
            labels,
        })
    }

    fn location(&mut self) -> Parsed<LocationInfo> {
        let end = self.accept_word("end");
        let progress = self.accept_word("progress");
        let accept = self.accept_word("accept");
        let committed = self.accept_word("committed");
        let mut dead = Vec::new();
        while self.accept_word("dead") {
            let start = self.number("the first byte")?;
            self.symbol("-")?;
            dead.push(start..self.number("the byte behind the last")?);
        }
        let line = self.ending()?;
        let mut assertions = Vec::new();
        while self.accept_word("assertion") {
            let statement = self.statement_number()?;
            assertions.push(StateAssertion { statement, value: self.expression()? });
            self.line_end()?;
        }
        let mut transitions = Vec::new();
        while self.accept_symbol("->") {
            let target = self.number("a location")?;
            let statement = self.statement_number()?;
            let keeps_control = self.accept_word("keeps_control");
            let escape = if self.accept_word("escape") { self.number("the number of an escape")? } else { 0 };
            transitions.push(Transition {
                target,
                statement,
                keeps_control,
                escape,
                action: self.action_line()?,
            });
        }
        Ok(LocationInfo { transitions, end, progress, accept, committed, assertions, dead, line })
    }

    pub fn statement_number(&mut self) -> Parsed<u32> {
        self.symbol("#")?;
        self.number("the number of a statement")
    }
}
