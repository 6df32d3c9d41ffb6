//! A fast slice of `compare-translations`, and formulas that once were, or easily are, translated wrongly.

use lariat_generators::formula::{FormulaTree, generate, shrink};
use lariat_oracles::formulas::{Check, Limits, Tally, Verdict, judge, parse_tree};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

const FORMULAS: u64 = 2000;

/// The smallest formula with the same complaint.
fn report(seed: u64, tree: FormulaTree) -> String {
    let complaint = |tree: &FormulaTree| match judge(tree, seed, &Limits::default(), &mut Tally::default()) {
        Verdict::Wrong(complaint) => Some(complaint),
        _ => None,
    };
    let Some(first) = complaint(&tree) else { return String::new() };
    let alike = |tree: &FormulaTree| complaint(tree).filter(|other| other.is_like(&first));
    let smallest = shrink(tree.clone(), &mut |candidate| alike(candidate).is_some());
    let last = alike(&smallest).unwrap_or(first);
    format!("seed {seed}: {tree}\n  shrunk: {smallest}\n  {last}")
}

#[test]
fn random_formulas_are_translated_alike() {
    let next = AtomicU64::new(1);
    let found: Mutex<(Tally, Vec<String>, u64)> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed > FORMULAS {
                        break;
                    }
                    let tree = generate(seed, 20);
                    let mut tally = Tally::default();
                    let verdict = judge(&tree, seed, &Limits::default(), &mut tally);
                    let report = match &verdict {
                        Verdict::Wrong(_) => Some(report(seed, tree)),
                        _ => None,
                    };
                    let mut found = found.lock().expect("no thread panics");
                    found.0.add(&tally);
                    found.1.extend(report);
                    found.2 += matches!(verdict, Verdict::TooLarge(_)) as u64;
                }
            });
        }
    });
    let (tally, wrong, too_large) = found.into_inner().expect("no thread panics");
    assert!(wrong.is_empty(), "{} of {FORMULAS} formulas:\n{}", wrong.len(), wrong.join("\n"));
    assert!(too_large * 100 < FORMULAS, "{too_large} formulas are too large");
    for check in Check::ALL.into_iter().filter(|check| *check != Check::Panic) {
        assert!(tally.count(check) > FORMULAS / 2, "{check}: only {} comparisons", tally.count(check));
    }
}

#[test]
fn formulas_of_interest_are_translated_alike() {
    let texts = [
        // Constants, and formulas that are constant without looking it.
        "0",
        "1",
        "X 0 | F 1",
        "a & !a",
        "F a & G !a",
        "G F a | F G !a",
        "(a U b) & G !b",
        // One of each operator.
        "a",
        "!a",
        "X a",
        "F a",
        "G a",
        "a U b",
        "a R b",
        "a W b",
        "a M b",
        "a xor b",
        "a <-> b",
        // The classes of the hierarchy: safety, guarantee, obligation, recurrence, persistence, reactivity.
        "G (a -> X b)",
        "F (a & X F b)",
        "G a | F b",
        "(G a | F b) & (F c | G d)",
        "G F a",
        "F G a",
        "G (a -> F b)",
        "G F a -> G F b",
        "(G F a | F G b) & (G F c | F G d)",
        // Many acceptance sets.
        "G F a & G F b & G F c & G F d",
        "(G F a & G F b) -> (G F c & G F d)",
        "F G a | F G b | F G c",
        // Promises that are renewed before they are kept.
        "G F (a & X F b)",
        "F (a & X F b) U c",
        "G (a -> (b U (c & X (a U d))))",
        "G ((F a U X a) | b)",
        "a U (b U (c U d))",
        "((a U b) U c) U d",
        "a R (b R (c R d))",
        "((a W b) M c) R d",
        // Weak, or small, only once there is a single acceptance set.
        "(c M a) W X a",
        "X a | (c W (G F b | (F b & !c)))",
        "(F X b R (a U b)) & (G a R b)",
        // Suspendable formulas below X, which a translation may let wait for ever.
        "G X X (a & F G a)",
        "G (X X (a & X F G a) & a)",
        "!F X X (G F a | a)",
        "!F X X (a | G F !b)",
        "!F X (a W G F b)",
        "!F X (!a W G F !a)",
        // Closed under stuttering, though there is an X.
        "F (a & X !a)",
        "G (a -> X (a W b))",
        "a & X (a U b)",
        "X X X a",
        // Equivalences double the formula with each level.
        "F a <-> G b",
        "G (a <-> X (b <-> F c))",
        "(a U b) xor (b U a)",
        "!((a R c) <-> G c) <-> G b",
    ];
    let mut tally = Tally::default();
    for text in texts {
        let tree = parse_tree(text).expect(text);
        for seed in 0..4 {
            let verdict = judge(&tree, seed, &Limits::default(), &mut tally);
            assert_eq!(verdict, Verdict::Well, "{text}");
        }
    }
}

/// With limits that make everything too large nothing is compared, and that is no approval.
#[test]
fn what_is_too_large_is_said_to_be() {
    let tree = parse_tree("G F a & G F b & X X c").expect("a formula");
    let limits = Limits { states: 1, ..Limits::default() };
    let mut tally = Tally::default();
    assert!(matches!(judge(&tree, 1, &limits, &mut tally), Verdict::TooLarge(_)));
    assert!(Check::ALL.iter().all(|&check| tally.count(check) == 0));
}

#[test]
fn complaints_can_be_read_again() {
    for seed in 0..500 {
        let tree = generate(seed, 20);
        let again = parse_tree(&tree.to_string()).expect("a formula");
        assert_eq!(parse_tree(&again.to_string()).as_ref(), Ok(&again), "{tree}");
        assert_eq!(parse_tree(&tree.sparse()).map(|tree| tree.size()), Ok(tree.size()), "{tree}");
    }
    assert!(parse_tree("a U").is_err());
    assert!(parse_tree("elsewhere").is_err());
}
