//! `lariat automaton`: automata from files, simplified and printed. An automaton that is refused is reported
//! and left out; the others are printed.

use crate::Exit;
use crate::args::{AutomatonArguments, AutomatonFormat};
use crate::output::{Complaints, Reader, print, print_data};
use lariat_automata::files::{make_buchi, read_automata, simplify};
use lariat_automata::render::automaton::{Origin, Table, automaton as rendered, statistics_json};
use lariat_automata::statistics::Statistics;
use lariat_automata::work::Work;
use lariat_ltl::{Automaton, Bdds};
use lariat_source::{FileId, SourceMap};
use std::time::Instant;

pub fn automaton(arguments: &AutomatonArguments) -> anyhow::Result<Exit> {
    let mut sources = SourceMap::new();
    let mut complaints = Complaints::default();
    let mut printer = Printer { arguments, table: Table::new("automaton"), printed: false, cut_short: None };
    'files: for path in &arguments.files {
        let file = match lariat_source::read_text_file(path, &mut sources) {
            Ok(file) => file,
            Err(error) => {
                complaints.error(&error.to_string());
                continue;
            }
        };
        let mut bdds = Bdds::new();
        let (automata, messages) = read_automata(&sources, file, &mut bdds);
        complaints.show(&messages, &sources);
        for (nth, automaton) in automata.into_iter().enumerate() {
            let result = printer.text(automaton, &mut bdds, &sources, file);
            if let Some(reason) = printer.cut_short.take() {
                let name = &sources.file(file).name;
                complaints.warning(&format!(
                    "automaton {} of {name} is not simplified any further: {reason}",
                    nth + 1
                ));
            }
            match result {
                Ok(text) if print_in(arguments.format, arguments.stats, &text)? == Reader::IsGone => {
                    break 'files;
                }
                Ok(_) => {}
                Err(reason) => {
                    let name = &sources.file(file).name;
                    complaints.error(&format!("automaton {} of {name}: {reason}", nth + 1));
                }
            }
        }
    }
    if let Some(total) = printer.table.total() {
        print(&total)?;
    }
    complaints.finish();
    Ok(if complaints.errors() == 0 { Exit::Holds } else { Exit::Error })
}

/// Automata in a form that programs read are data.
pub fn print_in(format: AutomatonFormat, statistics: bool, text: &str) -> anyhow::Result<Reader> {
    match format {
        AutomatonFormat::Hoa | AutomatonFormat::Never | AutomatonFormat::Dot if !statistics => {
            print_data(text)
        }
        _ => print(text),
    }
}

struct Printer<'a> {
    arguments: &'a AutomatonArguments,
    table: Table,
    /// Something was printed already.
    printed: bool,
    /// Why the last automaton is not simplified any further.
    cut_short: Option<String>,
}

impl Printer<'_> {
    /// What is printed for an automaton, or why nothing can be.
    fn text(
        &mut self,
        mut automaton: Automaton,
        bdds: &mut Bdds,
        sources: &SourceMap,
        file: FileId,
    ) -> Result<String, String> {
        let AutomatonArguments { format, buchi, no_simplify, stats, .. } = *self.arguments;
        let start = Instant::now();
        let work = Work::begin((&self.arguments.work).into());
        if !no_simplify {
            simplify(bdds, &mut automaton, &work);
        }
        if buchi || format == AutomatonFormat::Never {
            make_buchi(bdds, &mut automaton).map_err(|reason| reason.to_string())?;
            if !no_simplify {
                simplify(bdds, &mut automaton, &work);
            }
        }
        self.cut_short = work.stopped();
        let seconds = start.elapsed().as_secs_f64();
        let path = sources.file(file).name.as_str();
        let origin = Origin::File { file: path };
        let name = automaton.name.as_deref();
        let text = match format {
            AutomatonFormat::Json if stats => {
                statistics_json(&Statistics::of(bdds, &automaton, seconds), name, origin)
            }
            _ if stats => self.table.row(&Statistics::of(bdds, &automaton, seconds), name.unwrap_or(path)),
            _ => {
                let text = rendered(&automaton, bdds, format.into(), &[], origin);
                let separator = if format == AutomatonFormat::Text && self.printed { "\n" } else { "" };
                format!("{separator}{}", text.map_err(|reason| reason.to_string())?)
            }
        };
        self.printed = true;
        Ok(text)
    }
}
