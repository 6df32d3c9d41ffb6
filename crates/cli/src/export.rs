//! `lariat explore --export`: the state space in a file.
//!
//! What is written is there as a whole or not at all: it goes to a temporary file beside the one that is
//! wanted, which takes its name in the end.

use crate::Exit;
use crate::check::interrupt_flag;
use crate::output::complain;
use anyhow::Context;
use lariat_checker::export::{ExportForm, NotExported, export_states};
use lariat_checker::{Loaded, Observer, Options, Report, Verdict};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Why the states of this model cannot be written to that file, as far as that is known before there are any.
pub fn refused(path: &Path, loaded: &Loaded, options: &Options) -> Option<String> {
    let shown = path.display();
    if ExportForm::of(path).is_none() {
        return Some(format!(
            "cannot tell by the name what {shown} should be\n  = hint: `.aut` is Aldebaran's form, `.dot` and \
             `.gv` are for Graphviz"
        ));
    }
    if options.store.lossy().is_some() || options.store.when_full.is_some() {
        return Some(format!("{shown} would not have all states: a lossy store misses some; leave it out"));
    }
    lariat_checker::export::refused(loaded).map(|reason| format!("cannot write {shown}: {reason}"))
}

/// Writes the states of a model that has been explored since `start`, if all of them were seen.
pub fn export(
    path: &Path,
    loaded: &Loaded,
    options: &Options,
    report: &Report,
    start: Instant,
) -> anyhow::Result<Exit> {
    let shown = path.display();
    let Some(form) = ExportForm::of(path) else { return Ok(Exit::Error) };
    if !matches!(report.verdict, Verdict::Holds(_)) {
        complain(&format!("note: {shown} was not written: not all states were seen"));
        return Ok(Exit::Unknown);
    }
    if let Some(reason) = form.is_too_small_for(report.counts.stored, report.counts.transitions) {
        complain(&format!("error: {shown} was not written: {reason}"));
        return Ok(Exit::Error);
    }
    let left = options.timeout.map(|timeout| timeout.saturating_sub(start.elapsed()));
    let options = Options { timeout: left, ..options.clone() };
    let temporary = Temporary::beside(path);
    let file = File::create(&temporary.0).with_context(|| format!("cannot write {shown}"))?;
    let mut out = BufWriter::new(file);
    let observer = Observer { progress: None, interrupt: Some(interrupt_flag()) };
    let written = export_states(loaded, &options, observer, form, &report.counts, &mut out)
        .and_then(|()| out.flush().map_err(NotExported::Output));
    match written {
        Ok(()) => temporary.becomes(path).with_context(|| format!("cannot write {shown}"))?,
        Err(NotExported::Refused(reason)) => {
            complain(&format!("error: {shown} was not written: {reason}"));
            return Ok(Exit::Error);
        }
        Err(NotExported::Stopped(reason)) => {
            complain(&format!("note: {shown} was not written: {reason}"));
            return Ok(Exit::Unknown);
        }
        Err(NotExported::Output(error)) => {
            return Err(error).with_context(|| format!("cannot write {shown}"));
        }
        Err(NotExported::Internal(error)) => return Err(error.into()),
    }
    Ok(Exit::Holds)
}

/// A file that is removed again, unless it takes the name of another.
struct Temporary(PathBuf);

impl Temporary {
    fn beside(path: &Path) -> Temporary {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        Temporary(name.into())
    }

    fn becomes(self, path: &Path) -> std::io::Result<()> {
        std::fs::rename(&self.0, path)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // It is gone if it has another name by now.
        let _ = std::fs::remove_file(&self.0);
    }
}
