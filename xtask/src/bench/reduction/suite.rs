//! What is asked: whole state spaces, and formulas that hold.
//!
//! Our own models say in their `.expect.toml` how many states they have and which formulas hold; the corpus
//! has lists: `speed.csv` and `promela/truth.csv` of states, `promela/ltl_truth.csv` of verdicts. A model
//! that is in both lists is taken once.

use crate::workspace::Workspace;
use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;

const CORPUS: &str = "../shared/corpus";
/// With fewer states a share is luck.
pub const FEW: u64 = 1_000;
/// With more, a search takes long; `--all` takes them too.
pub const MANY: u64 = 3_000_000;

/// What is asked of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asks {
    /// The whole state space.
    States,
    /// A formula, a never claim (`never`) or acceptance labels (`acceptance`).
    Property(String),
}

#[derive(Clone, Debug)]
pub struct Question {
    /// From the root of the repository.
    pub file: String,
    pub asks: Asks,
    /// Of the model, without reduction.
    pub states: u64,
}

impl Question {
    /// The model, by which explanations are found.
    pub fn model(&self) -> &str {
        self.file.strip_prefix(CORPUS).map_or(&self.file, |file| &file[1..])
    }

    pub fn name(&self) -> String {
        match &self.asks {
            Asks::States => self.model().to_string(),
            Asks::Property(name) => format!("{} {name}", self.model()),
        }
    }
}

#[derive(Deserialize)]
struct Expected {
    states: u64,
    #[serde(default)]
    ltl: BTreeMap<String, String>,
}

/// The questions about models of at most `limit` states, and those about larger ones; small models first.
pub fn questions(workspace: &Workspace, limit: u64) -> Result<(Vec<Question>, Vec<Question>)> {
    let mut models = own(workspace)?;
    if workspace.path(CORPUS).is_dir() {
        let read = |name: &str| {
            let path = format!("{CORPUS}/{name}");
            fs::read_to_string(workspace.path(&path)).context(path)
        };
        let states = [("", read("speed.csv")?), ("promela/", read("promela/truth.csv")?)];
        let verdicts = read("promela/ltl_truth.csv")?;
        models.extend(public(&states, &verdicts)?);
    } else {
        eprintln!("{CORPUS} is not there: only our own models");
    }
    let mut found = Vec::new();
    for (file, (states, formulas)) in models {
        if states > FEW {
            let properties = formulas.into_iter().map(Asks::Property);
            let asks = std::iter::once(Asks::States).chain(properties);
            found.extend(asks.map(|asks| Question { file: file.clone(), asks, states }));
        }
    }
    found.sort_by_key(|question| question.states);
    Ok(found.into_iter().partition(|question| question.states <= limit))
}

/// By file: states, and the formulas that hold.
type Models = BTreeMap<String, (u64, Vec<String>)>;

fn own(workspace: &Workspace) -> Result<Models> {
    let mut models = Models::new();
    for entry in fs::read_dir(workspace.path("models"))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(stem) = name.strip_suffix(".expect.toml") else { continue };
        let file = format!("models/{stem}.pml");
        if workspace.path(&file).is_file() {
            let text = fs::read_to_string(&path)?;
            let Expected { states, ltl } = toml::from_str(&text).with_context(|| name.clone())?;
            let holds = ltl.into_iter().filter(|(_, verdict)| verdict == "holds");
            models.insert(file, (states, holds.map(|(name, _)| name).collect()));
        }
    }
    Ok(models)
}

/// Lists `file,states,…`, each with the directory that its files are in, and `file,property,verdict,…`.
fn public(lists: &[(&str, String)], verdicts: &str) -> Result<Models> {
    let mut models = Models::new();
    for (directory, list) in lists {
        for fields in lines(list, "file,states,")? {
            // A model that nobody could count is not measured.
            if let Ok(states) = fields[1].parse() {
                models.insert(format!("{CORPUS}/{directory}{}", fields[0]), (states, Vec::new()));
            }
        }
    }
    for fields in lines(verdicts, "file,property,verdict,")? {
        let model = models.get_mut(&format!("{CORPUS}/promela/{}", fields[0]));
        if let (Some((_, formulas)), "holds") = (model, fields[2]) {
            formulas.push(fields[1].to_string());
        }
    }
    Ok(models)
}

fn lines<'t>(text: &'t str, columns: &str) -> Result<Vec<Vec<&'t str>>> {
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default();
    ensure!(format!("{header},").starts_with(columns), "columns `{header}`, expected `{columns}…`");
    let split = |line: &'t str| {
        let fields: Vec<_> = line.split(',').collect();
        if fields.len() < columns.matches(',').count() {
            bail!("a line that is not understood: {line}");
        }
        Ok(fields)
    };
    lines.map(split).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_joined() {
        let speed = "file,states,size\npromela/a/b.pml,5000,middle\nbeem/c.pm,9000,large\n".to_string();
        let truth = "file,states,transitions\na/b.pml,5000,7\na/d.pml,,\na/e.pml,12,13\n".to_string();
        let verdicts =
            "file,property,verdict,states\na/b.pml,p,holds,1\na/b.pml,q,violated,1\nz.pml,p,holds,1\n";
        let models = public(&[("", speed), ("promela/", truth)], verdicts).unwrap();
        let found = models.iter().map(|(file, (states, formulas))| (&**file, *states, formulas.len()));
        let found: Vec<_> = found.collect();
        assert_eq!(
            found,
            [
                ("../shared/corpus/beem/c.pm", 9000, 0),
                ("../shared/corpus/promela/a/b.pml", 5000, 1),
                ("../shared/corpus/promela/a/e.pml", 12, 0)
            ]
        );
        assert!(public(&[("", "states\n".to_string())], verdicts).is_err());
        assert!(public(&[("", "file,states\nx\n".to_string())], verdicts).is_err());
    }

    #[test]
    fn our_own_models_are_asked_about() {
        let (questions, _) = questions(&Workspace::here(), 10_000_000).unwrap();
        let has = |file: &str, asks: Asks| questions.iter().any(|q| q.file == file && q.asks == asks);
        assert!(has("models/bakery.pml", Asks::States));
        assert!(has("models/bakery.pml", Asks::Property("all_served".to_string())));
        assert!(!has("models/peterson.pml", Asks::States), "it is small");
    }
}
