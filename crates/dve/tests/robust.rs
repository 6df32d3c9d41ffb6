//! Nothing panics, whatever the text is: random changes of models, and expressions without end.

use lariat_dve::{MAX_HEIGHT, read_text};
use lariat_generators::generate_dve;
use lariat_generators::random::Random;
use lariat_model::verify::verify;
use lariat_source::SourceMap;

/// What changes are made of.
const PIECES: [&str; 44] = [
    "process",
    "state",
    "init",
    "trans",
    "guard",
    "sync",
    "effect",
    "commit",
    "accept",
    "assert",
    "system",
    "async",
    "property",
    "byte",
    "int",
    "const",
    "channel",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    "->",
    "=",
    "==",
    "!",
    "?",
    "P0",
    "q0",
    "x",
    "a",
    "l",
    "0",
    "-1",
    "99999999999",
    "/*",
    "//",
    "\"",
    "é",
    "\u{0}",
];

fn changed(text: &str, random: &mut Random) -> String {
    let mut words: Vec<&str> = text.split_inclusive(' ').collect();
    for _ in 0..1 + random.below(4) {
        let at = random.below(words.len());
        match random.below(4) {
            0 => {
                words.remove(at);
            }
            1 => words.insert(at, PIECES[random.below(PIECES.len())]),
            2 => words[at] = PIECES[random.below(PIECES.len())],
            _ => {
                let other = random.below(words.len());
                words.swap(at, other);
            }
        }
        if words.is_empty() {
            break;
        }
    }
    words.concat()
}

/// Reads a text: either there is a model in order, or a message that can be shown.
fn read(text: &str) {
    let mut sources = SourceMap::new();
    let (model, messages) = read_text("changed.dve", text, &mut sources);
    for message in &messages {
        assert!(!message.render(&sources).is_empty());
    }
    match model {
        Some(model) => assert_eq!(verify(&model), Vec::<String>::new(), "{text}"),
        None => assert!(messages.iter().any(|message| message.is_error()), "{text}"),
    }
}

fn changed_models(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mut random = Random::new(seed);
        let mut text = generate_dve(seed % 50);
        for _ in 0..10 {
            text = changed(&text, &mut random);
            read(&text);
        }
    }
}

#[test]
fn texts_with_changes() {
    changed_models(0..400);
}

#[test]
#[ignore = "long"]
fn many_texts_with_changes() {
    changed_models(1_000..30_000);
}

#[test]
fn every_prefix_of_a_model() {
    let text = generate_dve(7);
    (0..text.len()).filter(|end| text.is_char_boundary(*end)).for_each(|end| read(&text[..end]));
}

#[test]
fn deep_expressions_are_refused() {
    let model = |expression: &str| {
        format!(
            "byte x; process P {{ state q; init q; trans q -> q {{ guard {expression}; }}; }} system async;"
        )
    };
    let refused = |expression: String| {
        let text = model(&expression);
        let (model, messages) = read_text("deep.dve", &text, &mut SourceMap::new());
        assert!(model.is_none());
        assert!(messages.iter().any(|message| message.message.contains("too deeply")), "{messages:?}");
    };
    let many = 100_000;
    refused(format!("{}x{}", "(".repeat(many), ")".repeat(many)));
    refused(format!("{}x", "not ".repeat(many)));
    refused(vec!["x"; many].join(" + "));
    refused(format!("{}x{}", "x + (".repeat(many), ")".repeat(many)));
    refused(vec!["x"; many].join(" or x and x | x ^ x & x == x < x << x + x * "));
    let fits = vec!["x"; MAX_HEIGHT as usize].join(" + ");
    assert!(read_text("fits.dve", &model(&fits), &mut SourceMap::new()).0.is_some());
}
