//! Where things are, and how other programs are started.
//!
//! Programs run in the root of the repository unless said otherwise, so the paths in what they print are
//! relative to it.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub struct Workspace {
    pub root: PathBuf,
}

impl Workspace {
    pub fn here() -> Self {
        let member = Path::new(env!("CARGO_MANIFEST_DIR"));
        Workspace { root: member.parent().unwrap_or(member).to_path_buf() }
    }

    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.root.join(relative)
    }

    pub fn cargo(&self) -> Command {
        Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
    }

    /// Runs a command in the root, shown first; whether it succeeded.
    pub fn run(&self, command: &mut Command) -> Result<bool> {
        eprintln!("+ {}", shown(command));
        let status = command.current_dir(&self.root).status().with_context(|| not_started(command))?;
        Ok(status.success())
    }

    /// Builds the program `lariat` with optimisation. Cargo says where it put it, whatever the target
    /// directory is.
    pub fn build_lariat(&self) -> Result<PathBuf> {
        let mut command = self.cargo();
        command.args(["build", "--release", "--package", "lariat-cli", "--bin", "lariat"]);
        eprintln!("+ {}", shown(&command));
        command.args(["--message-format", "json-render-diagnostics"]);
        let output = command
            .current_dir(&self.root)
            .stderr(Stdio::inherit())
            .output()
            .with_context(|| not_started(&command))?;
        ensure!(output.status.success(), "lariat does not build");
        String::from_utf8_lossy(&output.stdout)
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .filter(|message| message["target"]["name"] == "lariat")
            .find_map(|message| message["executable"].as_str().map(PathBuf::from))
            .context("cargo did not say where it put lariat")
    }
}

/// What a command prints to its standard output, trimmed; an error if it fails.
pub fn output_of(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| not_started(command))?;
    if !output.status.success() {
        let said = [output.stdout, output.stderr].concat();
        bail!("`{}` failed ({}):\n{}", shown(command), output.status, String::from_utf8_lossy(&said).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// The command as one would type it; a program given by its path is shown by its name, so no directory shows.
pub fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program());
    std::iter::once(name).chain(command.get_args()).map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

fn not_started(command: &Command) -> String {
    format!("`{}` cannot be started", shown(command))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_without_directories() {
        assert_eq!(
            shown(Command::new("/some/where/cargo").args(["test", "--workspace"])),
            "cargo test --workspace"
        );
    }

    #[test]
    fn output_and_failure() {
        assert_eq!(output_of(Command::new("echo").arg("word")).unwrap(), "word");
        let error = output_of(Command::new("sh").args(["-c", "echo why; exit 3"])).unwrap_err();
        assert!(error.to_string().contains("why"), "{error}");
        assert!(output_of(&mut Command::new("no-such-program-at-all")).is_err());
    }
}
