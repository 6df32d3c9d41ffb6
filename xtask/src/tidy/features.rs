//! What `cargo run` and `cargo xtask` build, the tests need not build again.
//!
//! Cargo builds a package once for each set of features that somebody asks it for, and everything that uses
//! it as well. Who asks depends on what is built: the checker alone, or all members with their tests. If a
//! small package far below Cranelift differs, minutes are lost. Where this finds a difference, the feature is
//! pinned in the manifests (see the end of `[workspace.dependencies]`).

use crate::workspace::{Workspace, output_of};
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

/// What is built alone, as opposed to the whole workspace with its tests.
const ALONE: [&str; 2] = ["lariat-cli", "xtask"];

pub fn compare(workspace: &Workspace, found: &mut Vec<String>) -> Result<()> {
    let all = features(&tree(workspace, &["--workspace", "--edges", "normal,build,dev"])?);
    for package in ALONE {
        let alone = features(&tree(workspace, &["--package", package, "--edges", "normal,build"])?);
        differences(package, &alone, &all, found);
    }
    Ok(())
}

/// A line for each package: its name, version, and features in brackets.
fn tree(workspace: &Workspace, arguments: &[&str]) -> Result<String> {
    let mut command = workspace.cargo();
    command.args(["tree", "--locked", "--prefix", "none", "--format", "{p} [{f}]"]).args(arguments);
    output_of(command.current_dir(&workspace.root))
}

/// By name and version, the sets of features that it is built with: one for programs, another, perhaps, for
/// what runs while programs are built.
type Features = BTreeMap<String, BTreeSet<String>>;

fn features(tree: &str) -> Features {
    let mut features = Features::new();
    for line in tree.lines() {
        if let Some((package, rest)) = line.split_once(" [")
            && let Some((list, _)) = rest.split_once(']')
        {
            let package = package.split(' ').take(2).collect::<Vec<_>>().join(" ");
            features.entry(package).or_default().insert(list.to_string());
        }
    }
    features
}

fn differences(package: &str, alone: &Features, all: &Features, found: &mut Vec<String>) {
    for (name, lists) in alone {
        for list in lists {
            if !all.get(name).is_some_and(|lists| lists.contains(list)) {
                found.push(format!(
                    "{name} is built twice: `-p {package}` asks for [{list}], --workspace does not"
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(alone: &str, all: &str) -> Vec<String> {
        let mut found = Vec::new();
        differences("a", &features(alone), &features(all), &mut found);
        found
    }

    #[test]
    fn other_features_are_found() {
        let alone = "a v1.0.0 (path) []\nlog v0.4.0 []\nlog v0.4.0 [] (*)\n";
        assert!(of(alone, "a v1.0.0 (path) []\nb v2.0.0 []\nlog v0.4.0 []\n").is_empty());
        assert_eq!(
            of(alone, "a v1.0.0 (path) []\nlog v0.4.0 [std]\n"),
            ["log v0.4.0 is built twice: `-p a` asks for [], --workspace does not"]
        );
        assert!(of(alone, "a v1.0.0 (path) []\nlog v0.4.0 [std]\nlog v0.4.0 []\n").is_empty());
    }
}
