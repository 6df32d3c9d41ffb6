//! How automata accept words: golden sentences; and, for random automata and words, the moves by the
//! definition of acceptance, and every claim of the sentence as somebody reads it who has only the sentence.

use expect_test::{Expect, expect};
use lariat_ltl::automaton::{Automaton, Edge, Placement};
use lariat_ltl::emptiness::accepts;
use lariat_ltl::explain::{Loop, Places};
use lariat_ltl::explain_automaton::{AcceptingRun, MOST_MOVES, Names, accepting_run};
use lariat_ltl::text::{Style, label_text};
use lariat_ltl::{Bdd, Bdds, Letter, Marks, Word};

/// The position i is read after step i, and the cycle leads back with one step more.
fn told(run: &AcceptingRun, bdds: &mut Bdds, automaton: &Automaton, word: &Word) -> String {
    let steps: Vec<u64> = (0..word.len() as u64).collect();
    let end = Loop::Steps(word.prefix.len() as u64 + 1, word.len() as u64);
    let state = |state| format!("state {state}");
    let whatever = "; whatever follows is accepted";
    let names = Names { subject: "the automaton", state: &state, whatever };
    run.sentence(bdds, automaton, word, &Places { steps: &steps, end }, &names)
}

/// `0 a 1, 1 !b 1 {0}`: edges with their labels and marks; a word of letters such as `a.ab.|b`.
fn judged(edges: &str, sets: u32, placement: Placement, word: &str, expected: Expect) {
    let mut bdds = Bdds::new();
    let names: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
    let mut automaton = Automaton { sets, placement, ..Automaton::empty(names) };
    for edge in edges.split(", ") {
        let fields: Vec<&str> = edge.split(' ').collect();
        let [from, label, to] = fields[..3] else { panic!("{edge}") };
        let label = match label {
            "1" => Bdd::TRUE,
            _ => {
                let name = label.trim_start_matches('!');
                bdds.literal(u32::from(name.as_bytes()[0] - b'a'), !label.starts_with('!'))
            }
        };
        let marks = fields.get(3).map_or(Marks::NONE, |marks| {
            marks.trim_matches(['{', '}']).split('+').map(|set| set.parse::<u32>().unwrap()).collect()
        });
        let (from, to): (usize, u32) = (from.parse().unwrap(), to.parse().unwrap());
        while automaton.states() <= from.max(to as usize) {
            automaton.add_state();
        }
        automaton.edges[from].push(Edge { label, marks, to });
    }
    let letters = |text: &str| -> Vec<Letter> {
        let set = |c: char| Letter(vec![c == 'a' || c == 'x', c == 'b' || c == 'x', c == 'c']);
        text.chars().map(set).collect()
    };
    let (prefix, cycle) = word.split_once('|').unwrap();
    let word = Word { prefix: letters(prefix), cycle: letters(cycle) };
    let run = accepting_run(&bdds, &automaton, &word).expect("it is accepted");
    expected.assert_eq(&told(&run, &mut bdds, &automaton, &word));
}

#[test]
fn sentences() {
    use Placement::{Edges, States};
    judged(
        "0 1 0, 0 a 1, 1 !b 1 {0}",
        1,
        States,
        "..a.|..",
        expect![
            "the automaton goes from state 0 to state 1 at step 2, where `a` is true; it stays at state 1, which accepts as `!b` stays true, and the cycle of steps 5 to 6 repeats for ever"
        ],
    );
    judged(
        "0 !b 0, 0 b 1, 1 1 1 {0}",
        1,
        States,
        ".ab|a",
        expect![
            "the automaton goes from state 0 to state 1 at step 2, where `b` is true; whatever follows is accepted"
        ],
    );
    judged(
        "0 1 1 {0}, 1 1 0",
        1,
        States,
        "|.a.",
        expect![
            "the automaton goes from state 1 to state 0, which accepts, again and again, at step 2, and the cycle of steps 1 to 3 repeats for ever"
        ],
    );
    judged(
        "0 a 0 {0}, 0 b 0 {1}, 0 1 0",
        2,
        Edges,
        "c|cab",
        expect![
            "the automaton goes from state 0 to state 0, a move of set 0, again and again, at step 2, where `a` is true; it goes from state 0 to state 0, a move of set 1, again and again, at step 3, where `b` is true, and the cycle of steps 2 to 4 repeats for ever"
        ],
    );
    judged(
        "0 a 1, 1 1 1",
        0,
        Edges,
        "a|.",
        expect![
            "the automaton goes from state 0 to state 1 at the start, where `a` is true; whatever follows is accepted"
        ],
    );
    judged(
        "0 a 1, 1 a 2, 2 1 3, 3 1 4, 4 b 5, 5 c 5 {0}",
        1,
        States,
        "aaa.b|c",
        expect![
            "the automaton changes its state twice; then it goes from state 2 to state 3 at step 2; it goes from state 3 to state 4 at step 3; it goes from state 4 to state 5 at step 4, where `b` is true; it stays at state 5, which accepts as `c` stays true, and the cycle of step 6 repeats for ever"
        ],
    );
    judged(
        "0 1 0",
        0,
        Edges,
        "a|.",
        expect!["the automaton starts at state 0; whatever follows is accepted"],
    );
}

/// Numbers that look random (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn word(&mut self) -> Word {
        let (prefix, cycle) = (self.below(4), 1 + self.below(4));
        let mut letters = |count: u64| -> Vec<Letter> {
            (0..count).map(|_| Letter((0..3).map(|_| self.below(2) == 0).collect())).collect()
        };
        Word { prefix: letters(prefix), cycle: letters(cycle) }
    }

    fn automaton(&mut self, bdds: &mut Bdds) -> Automaton {
        let names: Vec<String> = ["a", "b", "c"].map(String::from).to_vec();
        let placement = if self.below(2) == 0 { Placement::States } else { Placement::Edges };
        let mut automaton = Automaton { sets: self.below(4) as u32, placement, ..Automaton::empty(names) };
        let states = 1 + self.below(5);
        while automaton.states() < states as usize {
            automaton.add_state();
        }
        for from in 0..states as usize {
            let marks = |random: &mut Random| -> Marks {
                (0..automaton.sets).filter(|_| random.below(3) == 0).collect()
            };
            let own = marks(self);
            for _ in 0..1 + self.below(3) {
                let mut label = Bdd::TRUE;
                for _ in 0..self.below(3) {
                    let literal = bdds.literal(self.below(3) as u32, self.below(2) == 0);
                    label = bdds.and(label, literal);
                }
                let marks = if placement == Placement::States { own } else { marks(self) };
                automaton.edges[from].push(Edge { label, marks, to: self.below(states) as u32 });
            }
        }
        automaton.tidy(bdds);
        automaton
    }
}

/// The moves are those of an accepting run.
fn accepted(run: &AcceptingRun, bdds: &Bdds, automaton: &Automaton, word: &Word) {
    assert!(automaton.initial.contains(&run.start));
    let mut state = run.start;
    for (at, moved) in run.once.iter().chain(&run.again).enumerate() {
        assert_eq!((moved.at, moved.from), (at, state));
        assert!(automaton.leaving(state).contains(&moved.edge));
        let letter = word.letter(word.fold(at));
        assert!(bdds.evaluate(moved.edge.label, |proposition| letter.get(proposition)));
        state = moved.edge.to;
    }
    let entry = run.once.last().map_or(run.start, |moved| moved.edge.to);
    match run.again.is_empty() {
        true => {
            let all = automaton.all_marks();
            let loops = |edge: &Edge| edge.to == entry && edge.label.is_true() && edge.marks == all;
            assert!(automaton.leaving(entry).iter().any(loops));
        }
        false => {
            assert_eq!(state, entry);
            let (from, to) = (run.once.len(), run.once.len() + run.again.len());
            assert!(from >= word.prefix.len() && word.fold(from) == word.fold(to));
            let marks = run.again.iter().fold(Marks::NONE, |marks, moved| marks | moved.edge.marks);
            assert_eq!(marks, automaton.all_marks());
        }
    }
}

/// What a sentence says of the word and the automaton, looked up in both.
fn is_so(sentence: &str, bdds: &mut Bdds, automaton: &Automaton, word: &Word) -> usize {
    let number = |text: &str| -> usize {
        text.split(|c: char| !c.is_ascii_digit()).next().and_then(|n| n.parse().ok()).expect("a number")
    };
    let after = |text: &str, mark: &str| -> Option<String> {
        text.split_once(mark).map(|(_, rest)| rest.to_string())
    };
    let is_true = |bdds: &mut Bdds, from: usize, to: usize, label: &str, at: usize| {
        let letter = word.letter(word.fold(at)).clone();
        automaton.leaving(from as u32).to_vec().into_iter().any(|edge| {
            edge.to == to as u32
                && label_text(bdds, edge.label, &automaton.propositions, Style::Promela) == label
                && bdds.evaluate(edge.label, |proposition| letter.get(proposition))
        })
    };
    let (told, ends) = match sentence.split_once(", and the cycle of step") {
        Some((told, ends)) => (told, Some(ends)),
        None => (sentence, None),
    };
    assert_eq!(ends.is_none(), sentence.ends_with("; whatever follows is accepted"), "{sentence}");
    let mut claims = 0;
    for part in told.split("; ") {
        claims += 1;
        let label =
            after(part, "`").and_then(|rest| rest.split_once('`').map(|(label, _)| label.to_string()));
        let label = label.unwrap_or("true".to_string());
        let state = |mark: &str| after(part, mark).map(|rest| number(&rest));
        if let (Some(from), Some(to)) = (state("goes from state "), state(" to state ")) {
            let at = match after(part, " at step ") {
                Some(rest) if rest.contains("of a later round") => number(&rest) + word.cycle.len(),
                Some(rest) => number(&rest),
                None => 0,
            };
            if part.contains("which accepts") {
                assert!(ends.is_some() && part.contains("again and again") && at >= word.prefix.len());
                assert!(!automaton.state_marks(to as u32).is_empty(), "{sentence}");
            }
            if let Some(set) = state("a move of set ") {
                assert!(ends.is_some() && part.contains("again and again") && at >= word.prefix.len());
                let marked = |edge: &Edge| edge.to as usize == to && edge.marks.contains(set as u32);
                assert!(automaton.leaving(from as u32).iter().any(marked), "{sentence}");
            }
            assert!(is_true(bdds, from, to, &label, at), "{sentence} on {word:?}");
        } else if let Some(state) = state("stays at state ") {
            assert!(!automaton.state_marks(state as u32).is_empty(), "{sentence}");
            if part.contains("stays true") {
                let all = word.prefix.len()..word.len();
                assert!({ all }.all(|at| is_true(bdds, state, state, &label, at)), "{sentence}");
            }
        } else if let Some(state) = state(" is at state ") {
            assert!(!automaton.state_marks(state as u32).is_empty() && part.contains("again and again"));
        } else {
            let others =
                ["whatever follows is accepted", "starts at state", "changes its state", "and so for"];
            let known = others.iter().any(|known| part.contains(known)) || automaton.sets == 0;
            assert!(known, "{part}");
        }
    }
    claims
}

#[test]
fn what_sentences_claim_is_so() {
    let mut random = Random(17);
    let (mut accepting, mut rejecting, mut several, mut decided) = (0, 0, 0, 0);
    for _ in 0..20_000 {
        let mut bdds = Bdds::new();
        let automaton = random.automaton(&mut bdds);
        let word = random.word();
        let run = accepting_run(&bdds, &automaton, &word);
        assert_eq!(run.is_some(), accepts(&bdds, &automaton, &word), "{automaton:?} on {word:?}");
        let Some(run) = run else {
            rejecting += 1;
            continue;
        };
        accepting += 1;
        accepted(&run, &bdds, &automaton, &word);
        let sentence = told(&run, &mut bdds, &automaton, &word);
        several += usize::from(is_so(&sentence, &mut bdds, &automaton, &word) > 1);
        decided += usize::from(run.again.is_empty());
        let told = sentence.matches(" goes from ").count();
        assert!(told <= MOST_MOVES + automaton.sets as usize, "{sentence}");
    }
    assert!(accepting > 4_000 && rejecting > 4_000 && several > 2_000 && decided > 200);
}
