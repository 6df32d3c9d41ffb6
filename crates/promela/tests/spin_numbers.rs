//! What Spin's trails call the statements of a model: numbers and merged statements that Spin 6.5.2 showed
//! for these models (`pan -d`, and `spin -t -p -v`, which says what is merged).

use lariat_promela::{NumberedAutomaton, ParsedModel, ReadOptions, SpinNumbers};
use lariat_source::SourceMap;

fn numbers(text: &str) -> SpinNumbers {
    let mut sources = SourceMap::new();
    let parsed = ParsedModel::of_text("model.pml", text, &ReadOptions::default(), &mut sources);
    let (lowered, messages) = parsed.finish_numbered(&[], &mut sources);
    let (_, numbers) = lowered.unwrap_or_else(|| panic!("{messages:?}"));
    numbers
}

/// The statements that are merged with the next one.
fn merged(numbers: &SpinNumbers, automaton: usize) -> Vec<(usize, u32)> {
    let merged_with = &numbers[automaton].1.merged_with;
    merged_with.iter().enumerate().filter(|(_, next)| **next != 0).map(|(i, next)| (i, *next)).collect()
}

#[test]
fn statements_are_counted_through() {
    let numbers = numbers(
        "byte x;
        chan c = [0] of {byte};
        never { T0: do :: x > 3 -> break :: true od; accept: do :: true od }
        active proctype P() {
            byte l; l = 1; l = 2; c!1; x = 1; d_step { x++; x++ }; l = 3; l = 4; x++; progress: skip; l = 1
        }
        active proctype Q() {
            byte y; c?y; atomic { y = 2; x = x + 0 }; if :: x > 1 -> y = 3 :: else fi; goto L; L: skip
        }
        ltl p { [] (x < 9) }",
    );
    let kinds: Vec<NumberedAutomaton> = numbers.iter().map(|(automaton, _)| *automaton).collect();
    let (claim, process) = (NumberedAutomaton::Claim, NumberedAutomaton::Process);
    assert_eq!(kinds, [claim(0), process(0), process(1)]);
    let id = |automaton: usize, statement: usize| numbers[automaton].1.ids[statement];
    // The claim, the first statement of P, its d_step, its end; of Q the first statement, `else`, the end.
    assert_eq!((id(0, 1), id(0, 3), id(0, 7)), (Some(0), Some(2), Some(6)));
    assert_eq!((id(1, 1), id(1, 7), id(1, 13)), (Some(11), Some(17), Some(23)));
    assert_eq!((id(2, 1), id(2, 7), id(2, 12)), (Some(24), Some(30), Some(35)));
    assert_eq!(merged(&numbers, 1), [(1, 2), (8, 9), (11, 12)]);
    assert_eq!(merged(&numbers, 2), [(2, 3)]);
}

/// A jump at a label that a claim refers to gets a statement of its own, numbered when the reference is read.
#[test]
fn labels_that_are_referred_to() {
    let text = |reference: &str| {
        format!(
            "byte x;
            active proctype P() {{ x = 1; L: goto M; x = 2; M: x = 3 }}
            active proctype Q() {{ {reference}; x = 4 }}
            active proctype R() {{ x = 5 }}"
        )
    };
    let with = numbers(&text("P@L"));
    let without = numbers(&text("x == 9"));
    let last = |numbers: &SpinNumbers, automaton: usize| *numbers[automaton].1.ids.last().unwrap();
    assert_eq!((last(&without, 0), last(&without, 2)), (Some(4), Some(9)));
    assert_eq!((last(&with, 0), last(&with, 2)), (Some(5), Some(10)));
}
