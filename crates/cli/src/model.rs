//! Reading the model that the command line names, and telling the user what is wrong with it.

use crate::args::ModelArguments;
use crate::output::complain;
use lariat::{Diagnostic, LoadError, Loaded, ReadOptions, SourceMap};

pub fn read_options(arguments: &ModelArguments) -> ReadOptions {
    ReadOptions {
        defines: arguments.define.clone(),
        include_paths: arguments.include.clone(),
        external_preprocessor: arguments.cpp.clone(),
    }
}

/// The model; or `None`, when the errors have been shown.
pub fn load(arguments: &ModelArguments) -> Option<Loaded> {
    match lariat::load(&arguments.model, &read_options(arguments)) {
        Ok(loaded) => {
            show(&loaded.warnings, &loaded.sources);
            Some(loaded)
        }
        Err(error) => {
            let errors = error.errors();
            match error {
                LoadError::Diagnostics { diagnostics, sources } => {
                    show(&diagnostics, &sources);
                    complain(&if errors == 1 { "1 error".to_string() } else { format!("{errors} errors") });
                }
                other => complain(&format!("error: {other}")),
            }
            None
        }
    }
}

fn show(diagnostics: &[Diagnostic], sources: &SourceMap) {
    for diagnostic in diagnostics {
        complain(diagnostic.render(sources).trim_end());
    }
}
