//! From the text of a suite to its configurations and cases.
//!
//! What is wrong is collected, and all of it is said. A suite is refused rather than run in part: results
//! about less than was meant look like results about all of it. Where a table has something else in some
//! rows (no formula), these are left out, and that is said.

use super::text::{self, Algorithms, Expected, ModelText, RunsText, SuiteText, TableText, span, with_hint};
use super::{
    AutomatonForm, Case, CaseProperty, Complaints, Configuration, EngineChoice, FairnessChoice, ProductForm,
    Qualify, ReductionChoice, Suite, takes_threads,
};
use lariat_checker::{ALGORITHMS, FiniteRuns, THREADED};
use lariat_source::{Diagnostic, FileId, Span};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml::Spanned;

/// So many rows of a table are named; of the others, only the number is told.
const MOST_ROWS_NAMED: usize = 5;
/// As many threads as `lariat check` takes.
const MOST_THREADS: usize = 1024;
/// No limit is longer: a year.
const LONGEST: f64 = 366.0 * 86400.0;

/// What is made of the text of one suite.
pub struct Builder<'b> {
    /// The file of the suite.
    pub file: FileId,
    /// Where a path in the suite leads.
    pub place: &'b dyn Fn(&Path) -> PathBuf,
    /// What was said so far.
    pub complaints: Complaints,
}

impl Builder<'_> {
    /// Reads the file.
    pub fn read(mut self, name: &str) -> Result<Suite, Complaints> {
        match text::read(self.file, &self.complaints.sources.file(self.file).text) {
            Ok(text) => self.suite(name, text),
            Err(diagnostic) => {
                self.say(diagnostic);
                Err(self.complaints)
            }
        }
    }

    fn suite(mut self, name: &str, text: SuiteText) -> Result<Suite, Complaints> {
        let time = self.time(&text.limits.seconds);
        let memory = self.memory(&text.limits.memory);
        let configurations = self.configurations(&text.runs);
        let qualify = text.qualify.as_ref().and_then(|rule| {
            let time = self.time(&rule.seconds);
            let names: Vec<&str> = configurations.iter().map(|one| one.name.as_str()).collect();
            let wanted = rule.algorithm.get_ref();
            let Some(configuration) = names.iter().position(|name| name == wanted) else {
                let place = self.at(&rule.algorithm);
                let message = format!("`{wanted}` is not among the algorithms that are run");
                self.say(with_hint(Diagnostic::error(message, place), wanted, &names, "these are"));
                return None;
            };
            Some(Qualify { configuration, time })
        });
        let mut cases = Vec::new();
        for model in &text.models {
            self.cases_of_model(model, &mut cases);
        }
        for table in &text.tables {
            self.cases_of_table(table, &mut cases);
        }
        if text.models.is_empty() && text.tables.is_empty() {
            let whole = span(self.file, 0..0);
            let diagnostic = Diagnostic::error("there are no cases", whole);
            self.say(diagnostic.hint("[[models]] with `properties` or `formulas`, or [[tables]]"));
        }
        let cases = self.without_repetitions(cases);
        if self.complaints.diagnostics.iter().any(Diagnostic::is_error) {
            return Err(self.complaints);
        }
        Ok(Suite {
            name: name.to_string(),
            title: text.title,
            time,
            memory,
            qualify,
            configurations,
            reduction: ReductionChoice::None,
            cases: with_names_of_their_own(cases),
            warnings: self.complaints,
        })
    }

    fn at<T>(&self, value: &Spanned<T>) -> Span {
        span(self.file, value.span())
    }

    fn say(&mut self, diagnostic: Diagnostic) {
        self.complaints.diagnostics.push(diagnostic);
    }

    fn time(&mut self, seconds: &Spanned<f64>) -> Duration {
        let place = self.at(seconds);
        let time = Duration::try_from_secs_f64(*seconds.get_ref()).ok();
        time.filter(|time| !time.is_zero() && time.as_secs_f64() <= LONGEST).unwrap_or_else(|| {
            let message = format!("{} is no time for a run", seconds.get_ref());
            self.say(
                Diagnostic::error(message, place).expected("expected a number of seconds, at most a year"),
            );
            Duration::ZERO
        })
    }

    fn memory(&mut self, memory: &Spanned<String>) -> u64 {
        let place = self.at(memory);
        let text = memory.get_ref();
        let bytes = lariat_checker::memory::parse(text);
        let bytes =
            bytes.and_then(
                |bytes| if bytes == 0 { Err("no run can do without memory".into()) } else { Ok(bytes) },
            );
        bytes.unwrap_or_else(|reason| {
            self.say(
                Diagnostic::error(format!("{text:?} is no amount of memory for a run"), place)
                    .expected(reason),
            );
            0
        })
    }

    /// The products of the lists of each block, each configuration once.
    fn configurations(&mut self, blocks: &[RunsText]) -> Vec<Configuration> {
        let mut configurations: Vec<Configuration> = Vec::new();
        for block in blocks {
            let named = self.algorithms(&block.algorithms);
            let mut except = Vec::new();
            for name in block.except.iter().flat_map(|list| list.get_ref()) {
                except.extend(self.algorithm(name.get_ref(), self.at(name)));
            }
            let automata = self.list(&block.automata, AutomatonForm::Degeneralised);
            let engines = self.list(&block.engines, EngineChoice::Compiled);
            let products = self.list(&block.products, ProductForm::OnTheFly);
            let fairness = self.list(&block.fairness, FairnessChoice::None);
            let left: Vec<&'static str> =
                named.iter().copied().filter(|name| !except.contains(name)).collect();
            let threads = self.threads(block, &left, &products);
            if left.is_empty() && !named.is_empty() {
                let place = self.at(&block.algorithms);
                let mut diagnostic =
                    Diagnostic::error("there is nothing to run: all algorithms are excepted", place);
                if let Some(except) = &block.except {
                    diagnostic = diagnostic.also(self.at(except), "here");
                }
                self.say(diagnostic);
            }
            let forms = products
                .iter()
                .flat_map(|&product| automata.iter().map(move |&automaton| (product, automaton)));
            for (product, automaton) in forms {
                for &engine in &engines {
                    for &fairness in &fairness {
                        for &algorithm in &left {
                            let alone = [1];
                            for &threads in if takes_threads(algorithm) { &threads[..] } else { &alone } {
                                let configuration = Configuration::new(
                                    algorithm, engine, automaton, product, fairness, threads,
                                );
                                if !configurations.contains(&configuration) {
                                    configurations.push(configuration);
                                }
                            }
                        }
                    }
                }
            }
        }
        if blocks.is_empty() {
            let diagnostic = Diagnostic::error("there is nothing to run", span(self.file, 0..0));
            self.say(diagnostic.hint("[[runs]] with `algorithms`"));
        }
        configurations
    }

    /// How many threads there are, for the algorithms that take several.
    fn threads(&mut self, block: &RunsText, algorithms: &[&str], products: &[ProductForm]) -> Vec<usize> {
        let several = algorithms.iter().find(|algorithm| takes_threads(algorithm));
        if let (Some(name), true, Some(place)) =
            (several, products.contains(&ProductForm::Precomputed), &block.products)
        {
            let place = self.at(place);
            let message = format!("`{name}`, which takes several threads, computes the product as it goes");
            self.say(Diagnostic::error(message, place).expected("expected [\"on-the-fly\"]"));
        }
        if let (Some(list), None) = (&block.threads, several) {
            let place = self.at(list);
            let names: Vec<String> = THREADED.iter().map(|known| format!("`{}`", known.name)).collect();
            let diagnostic = Diagnostic::error("no algorithm of this block takes several threads", place);
            self.say(diagnostic.hint(format!("those that do are {}", names.join(", "))));
        }
        for wrong in block.threads.iter().flat_map(|list| list.get_ref()) {
            let most = THREADED.iter().filter(|known| algorithms.contains(&known.name));
            let most = most.map(|known| known.most_workers.min(MOST_THREADS)).min().unwrap_or(MOST_THREADS);
            if !(1..=most).contains(wrong.get_ref()) {
                let place = self.at(wrong);
                let message = format!("{} is no number of threads", wrong.get_ref());
                let expected = format!("expected a number from 1 to {most}");
                self.say(Diagnostic::error(message, place).expected(expected));
            }
        }
        let list = block.threads.as_ref().map(|list| {
            let numbers = list.get_ref().iter().map(|number| *number.get_ref()).collect::<Vec<_>>();
            Spanned::new(list.span(), numbers)
        });
        self.list(&list, 1)
    }

    fn algorithms(&mut self, wanted: &Spanned<Algorithms>) -> Vec<&'static str> {
        let place = self.at(wanted);
        match wanted.get_ref() {
            Algorithms::All(word) if word == "all" => ALGORITHMS.iter().map(|known| known.name).collect(),
            Algorithms::All(word) => {
                let message = format!("`{word}` is no list of algorithms");
                self.say(Diagnostic::error(message, place).expected("expected a list of names, or \"all\""));
                Vec::new()
            }
            Algorithms::Named(names) if names.is_empty() => {
                self.say(Diagnostic::error("the list is empty: there is nothing to run", place));
                Vec::new()
            }
            Algorithms::Named(names) => {
                let mut known = Vec::new();
                for name in names {
                    known.extend(self.algorithm(name, self.within(place, name)));
                }
                known
            }
        }
    }

    fn algorithm(&mut self, name: &str, place: Span) -> Option<&'static str> {
        let threaded = THREADED.iter().map(|algorithm| algorithm.name);
        let names: Vec<&'static str> =
            ALGORITHMS.iter().map(|algorithm| algorithm.name).chain(threaded).collect();
        let found = names.iter().copied().find(|known| *known == name);
        if found.is_none() {
            let diagnostic = Diagnostic::error(format!("no algorithm is called `{name}`"), place);
            self.say(with_hint(diagnostic, name, &names, "there are"));
        }
        found
    }

    /// Where a quoted word stands in a longer place.
    fn within(&self, place: Span, word: &str) -> Span {
        let text = self.complaints.sources.text(place);
        let found = ['"', '\''].iter().find_map(|quote| text.find(&format!("{quote}{word}{quote}")));
        let start = place.start as usize + found.unwrap_or(0);
        found.map_or(place, |_| span(place.file, start..start + word.len() + 2))
    }

    fn list<T: Copy>(&mut self, list: &Option<Spanned<Vec<T>>>, usual: T) -> Vec<T> {
        match list {
            None => vec![usual],
            Some(list) => {
                if list.get_ref().is_empty() {
                    let place = self.at(list);
                    self.say(Diagnostic::error("the list is empty: there is nothing to run", place));
                }
                list.get_ref().clone()
            }
        }
    }

    fn cases_of_model(&mut self, text: &Spanned<ModelText>, cases: &mut Vec<Case>) {
        let model = text.get_ref();
        let path = model.file.get_ref();
        for define in &model.defines {
            let name = define.get_ref().split('=').next().unwrap_or_default();
            let mut letters = name.chars();
            let starts = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
            if !starts || !letters.all(|c| c.is_ascii_alphanumeric() || c == '_') {
                let place = self.at(define);
                let message = format!("{:?} defines no macro", define.get_ref());
                self.say(Diagnostic::error(message, place).expected("expected \"NAME\" or \"NAME=VALUE\""));
            }
        }
        if model.properties.is_empty() && model.formulas.is_empty() {
            let place = self.at(&model.file);
            let diagnostic = Diagnostic::error("nothing of this model is checked", place);
            self.say(diagnostic.hint(
                "`properties = [\"name\"]` for formulas that it states, [[models.formulas]] for others",
            ));
        }
        let mut title = stem(path);
        let defines: Vec<String> = model.defines.iter().map(|define| define.get_ref().clone()).collect();
        if !defines.is_empty() {
            title = format!("{title} ({})", defines.join(", "));
        }
        let case = |property: CaseProperty, expected: Option<Expected>, place: Span| Case {
            name: format!("{title}: {}", property.name()),
            model: (self.place)(path),
            property,
            defines: defines.clone(),
            finite_runs: model.finite_runs.map(Into::into),
            expected: expected.map(|expected| expected == Expected::Holds),
            place,
            model_place: self.at(&model.file),
        };
        let mut made = Vec::new();
        let mut wrong = Vec::new();
        for name in &model.properties {
            let place = self.at(name);
            match name.get_ref().as_str() {
                "safety" => wrong.push(Diagnostic::error(
                    "`safety` is checked without an automaton, so there is nothing to compare",
                    place,
                )),
                "" => wrong.push(Diagnostic::error("a property without a name", place)),
                name => made.push(case(CaseProperty::Stated(name.to_string()), None, place)),
            }
        }
        for formula in &model.formulas {
            let (place, ltl) = (self.at(&formula.ltl), formula.ltl.get_ref().trim());
            if ltl.is_empty() {
                wrong.push(Diagnostic::error("there is no formula", place));
                continue;
            }
            let name =
                formula.name.as_deref().filter(|name| !name.trim().is_empty()).unwrap_or(ltl).to_string();
            made.push(case(CaseProperty::Ltl { name, formula: ltl.to_string() }, formula.expect, place));
        }
        cases.extend(made);
        self.complaints.diagnostics.extend(wrong);
    }

    fn cases_of_table(&mut self, table: &TableText, cases: &mut Vec<Case>) {
        let path = (self.place)(table.file.get_ref());
        let file = match lariat_source::read_text_file(&path, &mut self.complaints.sources) {
            Ok(file) => file,
            Err(error) => {
                let place = self.at(&table.file);
                return self.say(Diagnostic::error(error.to_string(), place));
            }
        };
        let text = self.complaints.sources.file(file).text.clone();
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text.as_bytes());
        let header = match reader.headers() {
            Ok(header) => header.clone(),
            Err(error) => return self.say(Diagnostic::error(error.to_string(), span(file, 0..0))),
        };
        let mut column = |name: &Spanned<String>| self.column(&header, name, file);
        let (model, ltl) = (column(&table.model), column(&table.ltl));
        let name = table.name.as_ref().map(&mut column);
        let expect = table.expect.as_ref().map(&mut column);
        let (Some(model), Some(ltl)) = (model, ltl) else { return };
        if name == Some(None) || expect == Some(None) {
            return;
        }
        let (name, expect) = (name.flatten(), expect.flatten());

        let mut left_out = Vec::new();
        let mut rows = 0;
        let mut records = reader.into_records();
        loop {
            let start = usize::try_from(records.reader().position().byte()).unwrap_or(text.len());
            let Some(row) = records.next() else { break };
            let end = usize::try_from(records.reader().position().byte()).unwrap_or(text.len());
            let place = line_at(file, &text, start..end);
            let row = match row {
                Ok(row) if row.len() == header.len() => row,
                Ok(row) => {
                    let message = format!("the row has {} fields, the header {}", row.len(), header.len());
                    self.say(Diagnostic::error(message, place));
                    continue;
                }
                Err(error) => return self.say(Diagnostic::error(error.to_string(), place)),
            };
            rows += 1;
            let field = |column: usize| row.get(column).unwrap_or("").trim();
            let formula = field(ltl).to_string();
            if formula.is_empty() {
                left_out.push(place);
                continue;
            }
            if field(model).is_empty() {
                self.say(Diagnostic::error("the row names no model", place));
                continue;
            }
            let expected = match expect.map(field).unwrap_or("") {
                "" => None,
                word => match Expected::NAMES.iter().find(|(name, _)| *name == word) {
                    Some((_, expected)) => Some(*expected == Expected::Holds),
                    None => {
                        let column = header.get(expect.unwrap_or(0)).unwrap_or_default();
                        let message = format!("`{word}` in the column `{column}` is no verdict");
                        let names = Expected::NAMES.map(|(name, _)| name);
                        let diagnostic = Diagnostic::error(message, found_in(file, &text, place, word));
                        self.say(with_hint(diagnostic, word, &names, "a row may say nothing, or one of"));
                        continue;
                    }
                },
            };
            let path = Path::new(field(model));
            let property = match name.map(field).filter(|name| !name.is_empty()) {
                Some(name) => name.to_string(),
                None => formula.clone(),
            };
            cases.push(Case {
                name: format!("{}: {property}", stem(path)),
                model: (self.place)(&table.models.join(path)),
                property: CaseProperty::Ltl { name: property, formula },
                defines: Vec::new(),
                finite_runs: table.finite_runs.map(Into::into),
                expected,
                place,
                model_place: found_in(file, &text, place, field(model)),
            });
        }
        if rows == 0 {
            let place = self.at(&table.file);
            self.say(Diagnostic::error("the table has no rows", place));
        }
        self.say_what_is_left_out(&left_out);
    }

    fn say_what_is_left_out(&mut self, rows: &[Span]) {
        let Some(&first) = rows.first() else { return };
        let lines =
            rows.iter().take(MOST_ROWS_NAMED).map(|&row| self.complaints.sources.line(row).to_string());
        let lines = lines.collect::<Vec<_>>().join(", ");
        let message = match rows.len() {
            1 => "a row without a formula is left out".to_string(),
            all if all <= MOST_ROWS_NAMED => {
                format!("{all} rows without a formula are left out: lines {lines}")
            }
            all => format!("{all} rows without a formula are left out: lines {lines}, …"),
        };
        self.say(Diagnostic::warning(message, first));
    }

    fn column(&mut self, header: &csv::StringRecord, name: &Spanned<String>, file: FileId) -> Option<usize> {
        let wanted = name.get_ref();
        let mut places =
            (0..header.len()).filter(|&column| header.get(column).map(str::trim) == Some(wanted));
        match (places.next(), places.next()) {
            (Some(place), None) => Some(place),
            (found, _) => {
                let file = self.complaints.sources.file(file).name.clone();
                let diagnostic = match found {
                    None => Diagnostic::error(format!("{file} has no column `{wanted}`"), self.at(name)),
                    Some(_) => {
                        Diagnostic::error(format!("{file} has several columns `{wanted}`"), self.at(name))
                    }
                };
                let names: Vec<&str> = header.iter().map(str::trim).collect();
                self.say(with_hint(diagnostic, wanted, &names, "there are"));
                None
            }
        }
    }

    /// Each case once. Who expects two things of it has made a mistake.
    fn without_repetitions(&mut self, cases: Vec<Case>) -> Vec<Case> {
        let mut first: HashMap<_, usize> = HashMap::new();
        let mut kept: Vec<Case> = Vec::new();
        for case in cases {
            let key = case.arguments();
            let Some(&earlier) = first.get(&key) else {
                first.insert(key, kept.len());
                kept.push(case);
                continue;
            };
            let (one, expected) = (&mut kept[earlier], case.expected);
            let contradicts = one.expected.is_some() && expected.is_some() && one.expected != expected;
            let message = format!("the case `{}` is there twice", case.name);
            let diagnostic = match contradicts {
                true => {
                    Diagnostic::error(format!("{message}, and two things are expected of it"), case.place)
                }
                false => Diagnostic::warning(format!("{message}; it is run once"), case.place),
            };
            one.expected = one.expected.or(expected);
            let earlier = one.place;
            self.say(diagnostic.also(earlier, "the first"));
        }
        kept
    }
}

/// Cases of one name get longer ones: with the whole path of the model, with the formula, with a number.
fn with_names_of_their_own(mut cases: Vec<Case>) -> Vec<Case> {
    let longer: [fn(&Case, usize) -> String; 3] = [
        |case, _| {
            let defines = if case.defines.is_empty() {
                String::new()
            } else {
                format!(" ({})", case.defines.join(", "))
            };
            format!("{}{defines}: {}", case.model.display(), case.property.name())
        },
        |case, _| match &case.property {
            CaseProperty::Ltl { name, formula } if name != formula => format!("{}: {formula}", case.name),
            _ => case.name.clone(),
        },
        |case, number| match case.finite_runs {
            Some(FiniteRuns::Stutter) => format!("{} (finite runs stutter)", case.name),
            Some(FiniteRuns::Ignore) => format!("{} (finite runs ignored)", case.name),
            None => format!("{} ({})", case.name, number + 1),
        },
    ];
    for longer in longer {
        let mut count: HashMap<String, usize> = HashMap::new();
        for case in &cases {
            *count.entry(case.name.clone()).or_default() += 1;
        }
        for (number, case) in cases.iter_mut().enumerate() {
            if count[&case.name] > 1 {
                case.name = longer(case, number);
            }
        }
    }
    cases
}

/// The first line of a part of a text, without the ends of lines before it.
fn line_at(file: FileId, text: &str, range: std::ops::Range<usize>) -> Span {
    let part = &text[range.clone()];
    let start = range.start + part.len() - part.trim_start_matches(['\n', '\r']).len();
    let length = text[start..range.end.max(start)].lines().next().map_or(0, str::len);
    span(file, start..start + length)
}

/// Where a word stands in a line; the line, if it is written otherwise there.
fn found_in(file: FileId, text: &str, line: Span, word: &str) -> Span {
    let (start, end) = (line.start as usize, line.end as usize);
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let found = text[start..end].match_indices(word).filter(|(at, _)| {
        let (before, after) = (&text[..start + at], &text[start + at + word.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    });
    found.last().map_or(line, |(at, _)| span(file, start + at..start + at + word.len()))
}

/// `dir/anderson.1.dve` is `anderson.1`.
fn stem(file: &Path) -> String {
    file.file_stem().unwrap_or(file.as_os_str()).to_string_lossy().into_owned()
}
