//! `explore --export`: what is written is the state space that `explore` counts and `scc` takes apart.

use crate::common::{lariat, model_file, models, project, report, verdict};
use std::path::Path;

/// A state space as `.aut` files have it.
struct Graph {
    states: usize,
    transitions: Vec<(usize, String, usize)>,
}

/// Reads an `.aut` file, strictly.
fn read(path: &Path) -> Result<Graph, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let mut lines = text.lines();
    let header = lines.next().and_then(|line| line.strip_prefix("des (0, ")?.strip_suffix(')'));
    let (transitions, states) = header.and_then(|header| header.split_once(", ")).ok_or("no header")?;
    let number = |text: &str| text.parse::<usize>().map_err(|error| format!("{text}: {error}"));
    let (count, states) = (number(transitions)?, number(states)?);
    let mut transitions = Vec::new();
    for line in lines {
        let inside = line.strip_prefix('(').and_then(|line| line.strip_suffix(')')).ok_or(line)?;
        let (from, rest) = inside.split_once(", \"").ok_or(line)?;
        let (label, to) = rest.rsplit_once("\", ").ok_or(line)?;
        let mut plain = label.replace("\\\\", "");
        plain = plain.replace("\\\"", "");
        if plain.contains('"') || plain.contains('\\') || label.is_empty() {
            return Err(format!("not escaped: {line}"));
        }
        let (from, to) = (number(from)?, number(to)?);
        if from >= states || to >= states {
            return Err(format!("no such state: {line}"));
        }
        transitions.push((from, label.to_string(), to));
    }
    if transitions.len() != count {
        return Err(format!("{count} transitions announced, {} there", transitions.len()));
    }
    Ok(Graph { states, transitions })
}

impl Graph {
    /// The states that a state leads to, itself included.
    fn reached_from(&self, start: usize) -> Vec<bool> {
        let mut next = vec![Vec::new(); self.states];
        self.transitions.iter().for_each(|(from, _, to)| next[*from].push(*to));
        let mut reached = vec![false; self.states];
        let mut todo = vec![start];
        while let Some(state) = todo.pop() {
            if !std::mem::replace(&mut reached[state], true) {
                todo.extend(&next[state]);
            }
        }
        reached
    }

    /// Strongly connected components, by the definition: two states are in the same one if each reaches the
    /// other. Slow.
    fn components(&self) -> usize {
        let reaches: Vec<Vec<bool>> = (0..self.states).map(|state| self.reached_from(state)).collect();
        let is_first = |s: usize| !(0..s).any(|t| reaches[s][t] && reaches[t][s]);
        (0..self.states).filter(|&s| is_first(s)).count()
    }
}

fn compare_all(folder: &str) {
    let directory = project(folder);
    let room = tempfile::tempdir().unwrap();
    let mut complaints = Vec::new();
    let (mut compared, mut taken_apart) = (0, 0);
    for name in models(&directory) {
        let file = model_file(&directory, &name);
        let path = room.path().join(format!("{name}.aut"));
        let written = path.to_str().unwrap();
        let common = ["explore", file.as_str(), "--max-states", "2000"];
        let (code, explored) = report(&directory, &[&common[..], &["--export", written]].concat());
        if code != 0 {
            if path.exists() {
                complaints.push(format!("{name}: exit code {code}, and a file"));
            }
            continue;
        }
        let graph = match read(&path) {
            Ok(graph) => graph,
            Err(reason) => {
                complaints.push(format!("{name}: {reason}"));
                continue;
            }
        };
        compared += 1;
        let counted = [explored["states"]["stored"].as_u64(), explored["transitions"].as_u64()];
        if counted != [Some(graph.states as u64), Some(graph.transitions.len() as u64)] {
            complaints.push(format!("{name}: {counted:?}, and in the file {}", graph.states));
        }
        if graph.states > 0 && graph.reached_from(0).contains(&false) {
            complaints.push(format!("{name}: a state is not reached"));
        }
        if (1..=200).contains(&graph.states) {
            taken_apart += 1;
            let (_, scc) = report(&directory, &["scc", &file]);
            if scc["components"]["count"].as_u64() != Some(graph.components() as u64) {
                complaints.push(format!(
                    "{name}: {} components, not {}",
                    graph.components(),
                    scc["components"]
                ));
            }
        }
    }
    assert!(compared > 5 && taken_apart > 3, "{compared} compared, {taken_apart} taken apart");
    verdict(complaints);
}

#[test]
fn our_models_are_written_as_they_are_explored() {
    compare_all("models");
}

#[test]
fn regressions_are_written_as_they_are_explored() {
    compare_all("tests/regressions");
}

const MODEL: &str = "chan c = [0] of { bit };\nbyte x;\n\
    active proctype Sender() { c!1; printf(\"\\\"said\\\"\\n\"); x = 2 }\n\
    active proctype Receiver() { bit b; c?b; atomic { x = 1; b = 0 } }\n";

fn exported(extension: &str, options: &[&str]) -> String {
    let room = tempfile::tempdir().unwrap();
    std::fs::write(room.path().join("model.pml"), MODEL).unwrap();
    let file = format!("out.{extension}");
    let output = lariat(room.path(), &[&["explore", "model.pml", "--export", &file], options].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let left: Vec<_> = std::fs::read_dir(room.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    std::fs::read_to_string(room.path().join(file)).unwrap()
}

const ALDEBARAN: &str = r#"des (0, 16, 14)
(0, "Sender(0): c!1; Receiver(1): c?b", 1)
(1, "Receiver(1): x = 1; Receiver(1): b = 0", 2)
(1, "Sender(0): printf('\\\"said\\\"\\n')", 3)
(2, "Receiver(1): -end-", 4)
(2, "Sender(0): printf('\\\"said\\\"\\n')", 5)
(3, "Receiver(1): x = 1; Receiver(1): b = 0", 5)
(3, "Sender(0): x = 2", 6)
(4, "Sender(0): printf('\\\"said\\\"\\n')", 7)
(5, "Receiver(1): -end-", 7)
(5, "Sender(0): x = 2", 8)
(6, "Receiver(1): x = 1; Receiver(1): b = 0", 9)
(7, "Sender(0): x = 2", 10)
(8, "Receiver(1): -end-", 10)
(9, "Receiver(1): -end-", 11)
(10, "Sender(0): -end-", 12)
(11, "Sender(0): -end-", 13)
"#;

#[test]
fn aldebaran() {
    assert_eq!(exported("aut", &[]), ALDEBARAN);
    // The order of the second exploration is its own.
    assert_eq!(exported("aut", &[]), exported("aut", &["--engine", "compiled"]));
    assert_ne!(exported("aut", &[]), exported("aut", &["--reduce", "--merge-statements"]));
}

const GRAPHVIZ: &str = r##"digraph "model.pml" {
  node [shape=circle, fontsize=10];
  edge [fontsize=10];
  start [shape=point];
  start -> 0;
  0 [tooltip="c = 1\nx = 0\nqueue 1 (c) = []\nSender(0) in line 3\nReceiver(1) in line 4\n  Receiver(1):b = 0"];
  0 -> 1 [label="Sender(0): c!1; Receiver(1): c?b"];
  1 [tooltip="c = 1\nx = 0\nqueue 1 (c) = []\nSender(0) in line 3\nReceiver(1) in line 4\n  Receiver(1):b = 1"];
  1 -> 2 [label="Receiver(1): x = 1; Receiver(1): b = 0"];
  1 -> 3 [label="Sender(0): printf('\\\"said\\\"\\n')"];
  2 [tooltip="c = 1\nx = 1\nqueue 1 (c) = []\nSender(0) in line 3\nReceiver(1) in line 4\n  Receiver(1):b = 0"];
  2 -> 4 [label="Receiver(1): -end-"];
  2 -> 5 [label="Sender(0): printf('\\\"said\\\"\\n')"];
  3 [tooltip="c = 1\nx = 0\nqueue 1 (c) = []\nSender(0) in line 3\nReceiver(1) in line 4\n  Receiver(1):b = 1"];
  3 -> 5 [label="Receiver(1): x = 1; Receiver(1): b = 0"];
  3 -> 6 [label="Sender(0): x = 2"];
  4 [tooltip="c = 1\nx = 1\nqueue 1 (c) = []\nSender(0) in line 3"];
  4 -> 7 [label="Sender(0): printf('\\\"said\\\"\\n')"];
  5 [tooltip="c = 1\nx = 1\nqueue 1 (c) = []\nSender(0) in line 3\nReceiver(1) in line 4\n  Receiver(1):b = 0"];
  5 -> 7 [label="Receiver(1): -end-"];
  5 -> 8 [label="Sender(0): x = 2"];
  6 [tooltip="c = 1\nx = 2\nqueue 1 (c) = []\nSender(0) in line 3\nReceiver(1) in line 4\n  Receiver(1):b = 1"];
  6 -> 9 [label="Receiver(1): x = 1; Receiver(1): b = 0"];
  7 [tooltip="c = 1\nx = 1\nqueue 1 (c) = []\nSender(0) in line 3"];
  7 -> 10 [label="Sender(0): x = 2"];
  8 [tooltip="c = 1\nx = 2\nqueue 1 (c) = []\nSender(0) in line 3\nReceiver(1) in line 4\n  Receiver(1):b = 0"];
  8 -> 10 [label="Receiver(1): -end-"];
  9 [tooltip="c = 1\nx = 1\nqueue 1 (c) = []\nSender(0) in line 3\nReceiver(1) in line 4\n  Receiver(1):b = 0"];
  9 -> 11 [label="Receiver(1): -end-"];
  10 [tooltip="c = 1\nx = 2\nqueue 1 (c) = []\nSender(0) in line 3"];
  10 -> 12 [label="Sender(0): -end-"];
  11 [tooltip="c = 1\nx = 1\nqueue 1 (c) = []\nSender(0) in line 3"];
  11 -> 13 [label="Sender(0): -end-"];
  12 [tooltip="c = 1\nx = 2\nqueue 1 (c) = []", shape=doublecircle];
  13 [tooltip="c = 1\nx = 1\nqueue 1 (c) = []", shape=doublecircle];
}
"##;

#[test]
fn graphviz() {
    assert_eq!(exported("dot", &["--merge-statements"]), GRAPHVIZ);
}

#[test]
fn what_cannot_be_written_is_said() {
    let room = tempfile::tempdir().unwrap();
    std::fs::write(room.path().join("model.pml"), MODEL).unwrap();
    std::fs::write(room.path().join("hidden.pml"), "hidden byte x; init { x = 1 }").unwrap();
    std::fs::write(room.path().join("large.pml"), "int x; init { do :: x < 3000 -> x++ od }").unwrap();
    std::fs::write(room.path().join("old.aut"), "as it was").unwrap();
    for (arguments, code, says) in [
        (&["model.pml", "--export", "x.txt"][..], 3, "cannot tell by the name"),
        (&["model.pml", "--export", "x"], 3, "cannot tell by the name"),
        (&["model.pml", "--export", "missing/x.aut"], 3, "cannot write missing/x.aut"),
        (&["hidden.pml", "--export", "x.aut"], 3, "hidden variables"),
        (&["large.pml", "--export", "x.gv"], 3, "Graphviz draws at most 2000 states"),
        (&["large.pml", "--export", "old.aut", "--max-states", "100"], 2, "not all states were seen"),
        (&["model.pml", "--export", "x.aut", "--store", "bitstate"], 3, "a lossy store misses some"),
    ] {
        let output = lariat(room.path(), &[&["explore"], arguments].concat());
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
        assert!(error.contains(says), "{arguments:?}: {error}");
    }
    assert_eq!(std::fs::read_to_string(room.path().join("old.aut")).unwrap(), "as it was");
    assert_eq!(std::fs::read_dir(room.path()).unwrap().count(), 4);
}
