//! `lariat translate`: formulas in, automata out, one after the other in the order of the input. A formula
//! with an error is reported and left out; the others are translated.

use crate::Exit;
use crate::args::{AutomatonFormat, Method, Syntax, Translate};
use crate::automaton::print_in;
use crate::output::{Complaints, Reader, complain, print};
use lariat_automata::render::automaton::{Origin, Table, automaton, statistics_json};
use lariat_automata::translation::{
    NotTranslated, Translated, TranslationOptions, formulas_in, translate_text,
};
use lariat_ltl::parse::Dialect;
use lariat_ltl::translate::{Form, Method as Translation};
use lariat_source::{SourceMap, Span};
use std::path::Path;

pub fn translate(arguments: &Translate) -> anyhow::Result<Exit> {
    if arguments.formulas.is_empty() && arguments.file.is_empty() {
        anyhow::bail!(
            "no formula given: write one, as in `lariat translate 'G F a'`, or name a file with -F"
        );
    }
    let mut sources = SourceMap::new();
    let mut complaints = Complaints::default();
    let formulas = formulas(arguments, &mut sources, &mut complaints);
    let options = TranslationOptions {
        dialect: match arguments.syntax {
            Syntax::Spot => Dialect::Spot,
            Syntax::Spin => Dialect::SpinInline,
            Syntax::SpinF => Dialect::SpinF,
        },
        negate: arguments.negate,
        form: match arguments.buchi || arguments.format == AutomatonFormat::Never {
            true => Form::Buchi,
            false => Form::Generalised,
        },
        method: match arguments.by {
            Method::Best => Translation::Best,
            Method::Tableau => Translation::Tableau,
            Method::Alternating => Translation::Alternating,
        },
        max_states: arguments.max_states.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)),
        limits: (&arguments.work).into(),
    };
    let mut printer = Printer { arguments, table: Table::new("formula"), printed: false };
    let (mut contradictions, mut stopped, mut too_large) = (0, 0, 0);
    for span in formulas {
        let (result, messages) = translate_text(&sources, span, &options);
        complaints.show(&messages, &sources);
        match result {
            Ok(mut translated) => {
                if printer.print(&mut translated, &sources, &mut complaints)? == Reader::IsGone {
                    break;
                }
            }
            Err(NotTranslated::Refused) => {}
            Err(NotTranslated::TooLarge) => too_large += 1,
            Err(NotTranslated::Stopped(reason)) => {
                stopped += 1;
                complain(&format!("unknown: {reason}, and `{}` is not translated", sources.text(span)));
            }
            Err(NotTranslated::Contradiction) => {
                contradictions += 1;
                let formula = sources.text(span);
                complain(&format!(
                    "internal error, please report it: the automata for `{formula}` and for its negation contradict each \
                     other"
                ));
            }
        }
    }
    if let Some(total) = printer.table.total() {
        print(&total)?;
    }
    complaints.finish();
    // A limit is no error, although it is told like one.
    Ok(match complaints.errors() - too_large {
        _ if contradictions > 0 => Exit::Internal,
        0 if stopped + too_large > 0 => Exit::Unknown,
        0 => Exit::Holds,
        _ => Exit::Error,
    })
}

/// Where the formulas are, those of the command line first.
fn formulas(arguments: &Translate, sources: &mut SourceMap, complaints: &mut Complaints) -> Vec<Span> {
    let mut formulas = Vec::new();
    for (nth, text) in arguments.formulas.iter().enumerate() {
        let name = match arguments.formulas.len() {
            1 => "<formula>".to_string(),
            _ => format!("<formula {}>", nth + 1),
        };
        if text.contains('.') && Path::new(text).is_file() {
            complaints.warning(&format!(
                "`{text}` is read as a formula; `-F {text}` reads the formulas in the file"
            ));
        }
        // A longer text is refused for its length.
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let file = sources.add(name, "", text.clone());
        formulas.push(Span::new(file, 0, length));
    }
    for path in &arguments.file {
        match lariat_source::read_text_file(path, sources) {
            Ok(file) => {
                let found = formulas_in(sources, file);
                if found.is_empty() {
                    complaints.error(&format!("there is no formula in {}", sources.file(file).name));
                }
                formulas.extend(found);
            }
            Err(error) => complaints.error(&error.to_string()),
        }
    }
    formulas
}

struct Printer<'a> {
    arguments: &'a Translate,
    table: Table,
    /// Something was printed already.
    printed: bool,
}

impl Printer<'_> {
    fn print(
        &mut self,
        translated: &mut Translated,
        sources: &SourceMap,
        complaints: &mut Complaints,
    ) -> anyhow::Result<Reader> {
        let format = self.arguments.format;
        let statistics = self.arguments.stats.then(|| translated.statistics());
        let file = sources.file(translated.span.file);
        let in_file = !file.path.as_os_str().is_empty();
        let properties = translated.properties();
        let origin = Origin::Formula {
            formula: &translated.text,
            reading: &translated.reading,
            negated: translated.negated,
            proved: translated.translation.proved,
            file: in_file.then_some(file.name.as_str()),
            line: in_file.then(|| sources.line(translated.span)),
        };
        let text = match statistics {
            Some(statistics) if format == AutomatonFormat::Json => {
                statistics_json(&statistics, Some(&translated.reading), origin)
            }
            Some(statistics) => self.table.row(&statistics, &translated.reading),
            None => {
                let result = &translated.translation.automaton;
                match automaton(result, &mut translated.bdds, format.into(), properties, origin) {
                    Ok(text) if format == AutomatonFormat::Text && self.printed => format!("\n{text}"),
                    Ok(text) => text,
                    Err(reason) => {
                        complaints.show(&[translated.unwritable(&reason)], sources);
                        return Ok(Reader::Listens);
                    }
                }
            }
        };
        self.printed = true;
        print_in(format, self.arguments.stats, &text)
    }
}
