//! Reading the model that the command line names, and telling the user what is wrong with it.

use crate::Exit;
use crate::args::{Format, LimitArguments, ModelArguments};
use crate::output::{complain, print};
use crate::spin_options;
use lariat_checker::properties::AddedProperty;
use lariat_checker::render::formats::document;
use lariat_checker::{LoadError, Loaded, PreprocessorOptions, ReadLimits, ReadOptions, Report, render};
use lariat_source::{Diagnostic, Severity, SourceMap};
use std::time::Instant;

/// So many errors are shown, and so many warnings.
const MOST_SHOWN: usize = 20;

pub fn read_options(arguments: &ModelArguments) -> ReadOptions {
    ReadOptions {
        language: arguments.language,
        preprocessor: PreprocessorOptions {
            defines: arguments.define.clone(),
            include_paths: arguments.include.clone(),
            external_preprocessor: arguments.cpp.clone(),
            limits: ReadLimits::default(),
        },
    }
}

/// What `--full-states` asks for.
pub fn shown_states(full: bool) -> lariat_checker::ShownStates {
    if full { lariat_checker::ShownStates::Whole } else { lariat_checker::ShownStates::Changes }
}

/// Of the memory that a run may take, its text may take this part: what is made of it is so much larger.
const PART_FOR_TEXT: u64 = 64;
/// A text of so many bytes is read in any case.
const SHORT_TEXT: u64 = 1 << 20;

/// Where reading stops.
pub fn read_limits(limits: &LimitArguments, max_memory: Option<u64>) -> ReadLimits {
    ReadLimits {
        deadline: limits.timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
        interrupt: Some(crate::check::interrupt_flag()),
        max_bytes: max_memory.map(|bytes| (bytes / PART_FOR_TEXT).max(SHORT_TEXT)),
        max_memory,
    }
}

/// The model; or the exit code, when the user has been told why there is none.
pub fn load(arguments: &ModelArguments) -> Result<Loaded, Exit> {
    load_with(arguments, &[], ReadLimits::default())
}

/// The same, with properties that the model does not state, and within limits.
pub fn load_with(
    arguments: &ModelArguments,
    added: &[AddedProperty],
    limits: ReadLimits,
) -> Result<Loaded, Exit> {
    let mut options = read_options(arguments);
    options.preprocessor.limits = limits;
    match lariat_checker::load_with(&arguments.model, &options, added) {
        Ok(loaded) => {
            warn_of_directives(arguments, &loaded.sources);
            show(&loaded.warnings, &loaded.sources);
            Ok(loaded)
        }
        Err(LoadError::Stopped(reason)) => {
            let report = Report::unread(arguments.model.display().to_string(), reason);
            let text = match arguments.format {
                Format::Text => render::text::first_line(&report) + "\n",
                Format::Json => render::json::report(&report),
                other => other.exchange().map_or(String::new(), |to| document(to, &[report])),
            };
            // Whether or not somebody reads it, there is no more to say.
            let _ = print(&text);
            Err(Exit::Unknown)
        }
        Err(error) => {
            let errors = error.errors();
            match error {
                LoadError::Diagnostics { diagnostics, sources } => {
                    show(&diagnostics, &sources);
                    complain(&counted(errors, "error"));
                }
                other => complain(&format!("error: {other}")),
            }
            Err(Exit::Error)
        }
    }
}

/// Warns of macros that mean something to Spin's verifier, and nothing to a model that does not mention
/// them.
fn warn_of_directives(arguments: &ModelArguments, sources: &SourceMap) {
    for (definition, _) in &arguments.define {
        let texts = sources.files().iter().filter(|file| file.name != "<command line>");
        let mentioned = texts.into_iter().any(|file| file.text.contains(definition.as_str()));
        if let Some(hint) = spin_options::directive(definition).filter(|_| !mentioned) {
            complain(&format!(
                "warning: `-D{definition}` is for the compiler of Spin's verifier; here it defines a macro, and \
                 the model does not use it\n  = hint: {hint}\n"
            ));
        }
    }
}

/// Whether the model can be simplified as it is wished; if not, the user has been told.
pub fn can_simplify(loaded: &Loaded, wanted: lariat_checker::Simplifications) -> bool {
    let refused = loaded.model.language == lariat_checker::Language::Dve && !wanted.is_none();
    if refused {
        complain(
            "error: `--reset-dead-variables` and `--merge-statements` are for models in Promela; leave them out",
        );
    }
    !refused
}

fn show(diagnostics: &[Diagnostic], sources: &SourceMap) {
    let (mut errors, mut warnings) = (0, 0);
    for diagnostic in diagnostics {
        let count = match diagnostic.severity {
            Severity::Error => &mut errors,
            Severity::Warning => &mut warnings,
        };
        *count += 1;
        if *count <= MOST_SHOWN {
            complain(diagnostic.render(sources).trim_end());
            complain("");
        }
    }
    for (count, what) in [(errors, "more error"), (warnings, "more warning")] {
        if count > MOST_SHOWN {
            complain(&format!("… and {}", counted(count - MOST_SHOWN, what)));
        }
    }
}

/// `1 error`, `31,139 errors`
fn counted(count: usize, what: &str) -> String {
    let mut number = count.to_string();
    for at in (1..number.len()).rev().skip(2).step_by(3) {
        number.insert(at, ',');
    }
    let plural = if count == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn numbers_for_people() {
        assert_eq!(counted(1, "error"), "1 error");
        assert_eq!(counted(999, "error"), "999 errors");
        assert_eq!(counted(31_139, "more error"), "31,139 more errors");
        assert_eq!(counted(1_234_567, "error"), "1,234,567 errors");
    }
}
