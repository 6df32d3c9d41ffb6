//! The claim that Spin makes of an `ltl` block, for trails.
//!
//! Spin translates formulas by a translator of its own, and a trail names the claim's moves by the numbers of
//! its statements. Nobody but Spin knows that claim. So Spin is asked, if it is installed: whenever it reads
//! a model it writes the claims of its formulas to a file, `_spin_nvr.tmp`, in the directory where it runs,
//! and reads that file behind the model. Here the model is read in the same way, once more: then
//! the claim is one of the model's, with numbers, and `trail_claim.rs` finds its moves.
//!
//! Spin runs in a directory of its own, which is removed again, and gets a few seconds. `LARIAT_SPIN` names
//! another program; if it is empty, nobody is asked. Where anything goes
//! wrong there is no claim, and the trail is written without its moves: Spin replays the model alone then,
//! to the same states.

use crate::load::{Loaded, load_with};
use crate::options::ReadOptions;
use lariat_model::ir::ClaimKind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Spin may take so long.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between two looks at whether it has ended.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// A model with the claims that Spin makes of its formulas.
pub struct WithSpinClaims {
    loaded: Loaded,
    /// The place of the claim in question.
    claim: usize,
}

impl WithSpinClaims {
    /// The model, read once more, with the claim that Spin makes of this `ltl` block of it. `Err` says why
    /// there is none.
    pub fn of(model: &Path, options: &ReadOptions, formula: &str) -> Result<WithSpinClaims, String> {
        let model = model.canonicalize().map_err(|_| "the model is in no file".to_string())?;
        let directory = OwnDirectory::new()?;
        let claims = directory.0.join("_spin_nvr.tmp");
        run_spin(&model, options, &directory.0)?;
        if !claims.is_file() {
            return Err("`spin` made no claim of it".to_string());
        }
        let both = directory.0.join("both.pml");
        let included = |path: &Path| format!("#include \"{}\"\n", path.display());
        std::fs::write(&both, included(&model) + &included(&claims)).map_err(|error| error.to_string())?;
        let loaded = load_with(&both, options, &[])
            .map_err(|_| "the claim that `spin` made of it cannot be read".to_string())?;
        // A claim of the model may have the same name; Spin's come behind it.
        let claim = loaded
            .model
            .claims
            .iter()
            .rposition(|claim| claim.kind == ClaimKind::Never && claim.automaton.name == formula)
            .ok_or("`spin` made no claim of that name")?;
        Ok(WithSpinClaims { loaded, claim })
    }

    /// The model, and the place of the claim in it.
    pub fn parts(&self) -> (&Loaded, usize) {
        (&self.loaded, self.claim)
    }
}

/// Lets Spin read a model; its claims are then in the directory.
fn run_spin(model: &Path, options: &ReadOptions, directory: &Path) -> Result<(), String> {
    let program = std::env::var_os("LARIAT_SPIN").unwrap_or_else(|| "spin".into());
    if program.is_empty() {
        return Err("only Spin knows it, and `LARIAT_SPIN` is empty".to_string());
    }
    let mut command = Command::new(program);
    command.current_dir(directory).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let preprocessor = &options.preprocessor;
    command.args(preprocessor.external_preprocessor.iter().map(|cpp| format!("-P{cpp}")));
    for (name, value) in &preprocessor.defines {
        command.arg(match value {
            Some(value) => format!("-D{name}={value}"),
            None => format!("-D{name}"),
        });
    }
    for path in &preprocessor.include_paths {
        let path = path.canonicalize().unwrap_or_else(|_| path.clone());
        // `-I` is something else to Spin; this is for its preprocessor.
        command.arg(format!("-E-I{}", path.display()));
    }
    let mut child = match command.arg("-a").arg(model).spawn() {
        Ok(child) => child,
        Err(_) => return Err("only Spin knows it, and `spin` is not installed".to_string()),
    };
    match ended(&mut child) {
        Some(true) => Ok(()),
        Some(false) => Err("`spin` does not accept the model".to_string()),
        None => {
            // It may have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
            Err("`spin` took too long".to_string())
        }
    }
}

/// Whether a program has ended well; `None` if it goes on and on.
fn ended(child: &mut Child) -> Option<bool> {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) => std::thread::sleep(BETWEEN_LOOKS),
            Err(_) => return None,
        }
    }
    None
}

/// A directory that is gone when it is not needed any more.
struct OwnDirectory(PathBuf);

impl OwnDirectory {
    fn new() -> Result<OwnDirectory, String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("lariat-spin-{}-{number}", std::process::id()));
        std::fs::create_dir(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(OwnDirectory(path))
    }
}

impl Drop for OwnDirectory {
    fn drop(&mut self) {
        // Who cleans up temporary files finds what is left.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
