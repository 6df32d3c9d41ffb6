//! The table of the checks, as text and as JSON. The schema is in `docs/json.md`.

use lariat_search::emptiness::{ALGORITHMS, CheckDescription, PerState, THREADED, ThreadedDescription};
use serde::Serialize;

/// The schema of the JSON.
pub const ALGORITHM_SCHEMA: &str = "lariat-algorithm/1";

const AUTO: &str = "auto: reach if the automaton is terminal, sd if it is weak (csd, for both, by several threads), else ascc (cascc by several); others are used if they are named";

/// `2`, `2n`, `n+1`
fn amount(amount: PerState) -> String {
    let sets = match amount.per_set {
        0 => return amount.fixed.to_string(),
        1 => "n".to_string(),
        many => format!("{many}n"),
    };
    if amount.fixed == 0 { sets } else { format!("{sets}+{}", amount.fixed) }
}

/// A table, and what its words mean.
pub fn text() -> String {
    let mut text = cells(["name", "needs", "posts", "bits", "numbers", "threads", "what it does"]);
    for check in ALGORITHMS {
        let posts = check.posts.map_or("many".to_string(), amount);
        let (bits, numbers) = (amount(check.bits), check.numbers.to_string());
        text += &cells([check.name, check.needs.name(), &posts, &bits, &numbers, "one", check.title]);
        text += &cells(["", "", "", "", "", "", check.paper]);
    }
    for check in THREADED {
        let (posts, numbers) = (amount(check.posts), check.numbers.to_string());
        let bits = match check.bits_per_worker {
            0 => check.bits.to_string(),
            own => format!("{own}t+{}", check.bits),
        };
        text += &cells([check.name, check.needs.name(), &posts, &bits, &numbers, "several", check.title]);
        text += &cells(["", "", "", "", "", "", check.paper]);
    }
    text + "\n\
     needs: any number of acceptance sets (n); one set; a weak automaton; a terminal one\n\
     posts: the most times that the successors of a state are computed, by each thread\n\
     bits, numbers: what is noted per state, a number having 32 bits; t is the number of threads\n"
        + AUTO
        + "\n"
}

fn cells([name, needs, posts, bits, numbers, threads, about]: [&str; 7]) -> String {
    format!("{name:<8}  {needs:<8}  {posts:>5}  {bits:>4}  {numbers:>7}  {threads:<7}  {about}\n")
}

#[derive(Serialize)]
struct AlgorithmView {
    schema: &'static str,
    name: &'static str,
    title: &'static str,
    paper: &'static str,
    needs: &'static str,
    posts: Option<AmountView>,
    bits: AmountView,
    numbers: u32,
    resumes: bool,
    /// Of those for several threads.
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<ThreadsView>,
}

#[derive(Serialize)]
struct ThreadsView {
    most: usize,
    bits: u32,
    shown_by: &'static str,
}

#[derive(Serialize)]
struct AmountView {
    fixed: u32,
    per_set: u32,
}

fn view(check: &CheckDescription) -> AlgorithmView {
    let amount = |amount: PerState| AmountView { fixed: amount.fixed, per_set: amount.per_set };
    AlgorithmView {
        schema: ALGORITHM_SCHEMA,
        name: check.name,
        title: check.title,
        paper: check.paper,
        needs: check.needs.name(),
        posts: check.posts.map(amount),
        bits: amount(check.bits),
        numbers: check.numbers,
        resumes: check.resumes,
        threads: None,
    }
}

fn threaded_view(check: &ThreadedDescription) -> AlgorithmView {
    AlgorithmView {
        schema: ALGORITHM_SCHEMA,
        name: check.name,
        title: check.title,
        paper: check.paper,
        needs: check.needs.name(),
        posts: Some(AmountView { fixed: check.posts.fixed, per_set: check.posts.per_set }),
        bits: AmountView { fixed: check.bits, per_set: 0 },
        numbers: check.numbers,
        resumes: false,
        threads: Some(ThreadsView {
            most: check.most_workers,
            bits: check.bits_per_worker,
            shown_by: check.shows.description().name,
        }),
    }
}

/// One object for each check, each on a line of its own.
pub fn json() -> String {
    let views = ALGORITHMS.iter().map(view).chain(THREADED.iter().map(threaded_view));
    views.map(|view| super::line(&view)).collect()
}
