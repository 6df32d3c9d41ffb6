//! Reading the model that the command line names, and telling the user what is wrong with it.

use crate::args::ModelArguments;
use crate::output::complain;
use crate::spin_options;
use lariat::properties::AddedProperty;
use lariat::{Diagnostic, LoadError, Loaded, PreprocessorOptions, ReadOptions, Severity, SourceMap};

/// So many errors are shown, and so many warnings.
const MOST_SHOWN: usize = 20;

pub fn read_options(arguments: &ModelArguments) -> ReadOptions {
    ReadOptions {
        language: arguments.language.map(Into::into),
        preprocessor: PreprocessorOptions {
            defines: arguments.define.clone(),
            include_paths: arguments.include.clone(),
            external_preprocessor: arguments.cpp.clone(),
        },
    }
}

/// What `--full-states` asks for.
pub fn shown_states(full: bool) -> lariat::ShownStates {
    if full { lariat::ShownStates::Whole } else { lariat::ShownStates::Changes }
}

/// The model; or `None`, when the errors have been shown.
pub fn load(arguments: &ModelArguments) -> Option<Loaded> {
    load_with(arguments, &[])
}

/// The same, with properties that the model does not state.
pub fn load_with(arguments: &ModelArguments, added: &[AddedProperty]) -> Option<Loaded> {
    match lariat::load_with(&arguments.model, &read_options(arguments), added) {
        Ok(loaded) => {
            warn_of_directives(arguments, &loaded.sources);
            show(&loaded.warnings, &loaded.sources);
            Some(loaded)
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
            None
        }
    }
}

/// Warns of macros that mean something to Spin's verifier, and nothing to a model that does not mention them.
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
pub fn can_simplify(loaded: &Loaded, wanted: lariat::Simplifications) -> bool {
    let refused = loaded.model.language == lariat::Language::Dve && !wanted.is_none();
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
