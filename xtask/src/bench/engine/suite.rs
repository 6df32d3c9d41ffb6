//! The cases of `bench/engine.toml`.

use crate::workspace::Workspace;
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::fs;
use std::path::Path;

/// A model of some size, and a question about it.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Relative to the root.
    pub model: String,
    /// As one gives them to `-D`.
    #[serde(default)]
    pub macros: Vec<String>,
    /// The formula that is asked for; safety without one.
    pub property: Option<String>,
    /// What the model is an example of.
    #[serde(default)]
    pub class: String,
    /// What both programs must store.
    pub states: Option<u64>,
}

impl Case {
    pub fn name(&self) -> String {
        let path = Path::new(&self.model);
        let mut model = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        // Names of models of others are not unique; those of the directories are.
        if let Some(place) = path.parent().and_then(Path::file_name).filter(|_| path.starts_with("..")) {
            model = format!("{}/{model}", place.to_string_lossy());
        }
        let mut words = vec![model];
        words.extend(self.macros.iter().cloned());
        words.extend(self.property.clone());
        words.join(" ")
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    pub safety: Vec<Case>,
    pub holds: Vec<Case>,
    pub fails: Vec<Case>,
    pub small: Vec<Case>,
    pub instructions: Vec<Case>,
    pub large: Vec<Case>,
    /// All of the first three: what is asked once more with the defaults of both programs.
    #[serde(skip)]
    pub questions: Vec<Case>,
}

impl Suite {
    pub fn read(workspace: &Workspace) -> Result<Self> {
        let text = fs::read_to_string(workspace.path("bench/engine.toml")).context("bench/engine.toml")?;
        let mut suite: Suite = toml::from_str(&text).context("bench/engine.toml")?;
        suite.questions = [&suite.safety[..], &suite.holds, &suite.fails].concat();
        Ok(suite)
    }

    /// The parts by name.
    fn parts(&mut self) -> [(&'static str, &mut Vec<Case>); 7] {
        [
            ("search", &mut self.safety),
            ("holds", &mut self.holds),
            ("fails", &mut self.fails),
            ("small", &mut self.small),
            ("instructions", &mut self.instructions),
            ("large", &mut self.large),
            ("defaults", &mut self.questions),
        ]
    }

    /// Leaves the cases whose name contains the text.
    pub fn retain(&mut self, text: &str) {
        for (_, cases) in self.parts() {
            cases.retain(|case| case.name().contains(text));
        }
    }

    /// Leaves one part.
    pub fn only_part(&mut self, part: &str) -> Result<()> {
        let small = self.small.clone();
        let mut parts = self.parts();
        if !parts.iter().any(|(name, _)| *name == part) {
            bail!("there is no part {part}");
        }
        for (name, cases) in &mut parts {
            if *name != part {
                cases.clear();
            }
        }
        if part == "defaults" {
            self.questions.extend(small);
        }
        Ok(())
    }

    pub fn is_empty(&mut self) -> bool {
        self.parts().iter().all(|(_, cases)| cases.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_suite_is_as_large_as_it_must_be_and_its_models_are_there() {
        let workspace = Workspace::here();
        let mut suite = Suite::read(&workspace).unwrap();
        assert!(suite.safety.len() >= 12 && suite.holds.len() >= 6 && suite.fails.len() >= 6);
        assert!(suite.small.len() >= 8 && suite.instructions.len() == 3);
        for case in &suite.safety {
            assert!((1_000_000..=50_000_000).contains(&case.states.unwrap()), "{}", case.name());
        }
        for (part, cases) in suite.parts() {
            for case in cases.iter() {
                let text = fs::read_to_string(workspace.path(&case.model)).unwrap();
                for definition in &case.macros {
                    let name = definition.split('=').next().unwrap();
                    assert!(text.contains(name), "{part}: {} does not know {name}", case.model);
                }
                if let Some(property) = &case.property {
                    assert!(text.contains(&format!("ltl {property}")), "{part}: {}", case.name());
                }
            }
        }
    }

    #[test]
    fn one_part_alone() {
        let mut suite = Suite::read(&Workspace::here()).unwrap();
        suite.only_part("fails").unwrap();
        assert!(suite.safety.is_empty() && !suite.fails.is_empty());
        suite.retain("no such name");
        assert!(suite.is_empty());
        assert!(suite.only_part("nothing").is_err());
    }
}
