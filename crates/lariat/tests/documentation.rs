//! What the README prints for its model in Rust is what is printed.

use lariat::{Model, Propositions};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Client {
    Idle,
    Waiting,
    Served,
}
use Client::*;

/// The model of the README; the doctest of the README runs it as it stands there.
struct Server;

impl Model for Server {
    type State = [Client; 2];
    type Action = String;

    fn initial_states(&self) -> Vec<[Client; 2]> {
        vec![[Idle, Idle]]
    }

    fn successors(&self, clients: &[Client; 2], out: &mut Vec<(String, [Client; 2])>) {
        for k in 0..2 {
            let mut next = *clients;
            next[k] = match clients[k] {
                Idle => Waiting,
                Waiting if clients.contains(&Served) || (k == 1 && clients[0] == Waiting) => continue,
                Waiting => Served,
                Served => Idle,
            };
            out.push((format!("client {k}"), next));
        }
    }

    fn propositions(&self, named: &mut Propositions<[Client; 2]>) {
        named.add("request", |clients| clients[1] == Waiting);
        named.add("grant", |clients| clients[1] == Served);
    }
}

#[test]
fn the_run_in_the_readme() {
    let report = lariat::check(&Server, "G (request -> F grant)").unwrap().assert_violated();
    let readme = include_str!("../../../README.md");
    let run = report.run.unwrap().to_string();
    assert!(readme.contains(&run), "{run}");
}

#[test]
fn the_mistake_in_the_manual() {
    let error = lariat::check(&Server, "G (request -> F grnt)").unwrap_err().to_string();
    let manual = include_str!("../../../docs/rust.md");
    assert!(manual.contains(&error), "{error}");
}
