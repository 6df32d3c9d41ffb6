//! The translation by way of alternating automata, against the definition of the logic.
//!
//! Random formulas and random words u·v^ω: the automaton accepts the word if and only if the formula is true
//! of it. Both sides are computed here, each from its definition and nothing else. And no word satisfies a
//! formula and its negation: that is decided for all words.

use lariat_ltl::alternating::translate;
use lariat_ltl::formula::Node;
use lariat_ltl::limits::Limits;
use lariat_ltl::stop::Stop;
use lariat_ltl::{Automaton, Bdds, Formula, Formulas, Letter, Marks, Word};
use std::time::{Duration, Instant};

const ENOUGH: usize = 1 << 14;

/// A xorshift generator.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 16) % bound as u64) as usize
    }

    fn word(&mut self, propositions: usize) -> Word {
        let letters = |random: &mut Random, count: usize| -> Vec<Letter> {
            (0..count).map(|_| Letter((0..propositions).map(|_| random.below(2) == 1).collect())).collect()
        };
        let (prefix, cycle) = (self.below(5), 1 + self.below(4));
        Word { prefix: letters(self, prefix), cycle: letters(self, cycle) }
    }

    fn formula(&mut self, formulas: &mut Formulas, size: usize, propositions: usize) -> Formula {
        if size <= 1 {
            return match self.below(20) {
                0 => Formula::TRUE,
                1 => Formula::FALSE,
                _ => {
                    let number = self.below(propositions);
                    formulas.proposition(&format!("p{number}"))
                }
            };
        }
        let operator = if size == 2 { self.below(4) } else { self.below(13) };
        if operator < 4 {
            let a = self.formula(formulas, size - 1, propositions);
            return match operator {
                0 => formulas.not(a),
                1 => formulas.next(a),
                2 => formulas.finally(a),
                _ => formulas.globally(a),
            };
        }
        let left = 1 + self.below(size - 2);
        let a = self.formula(formulas, left, propositions);
        let b = self.formula(formulas, size - 1 - left, propositions);
        match operator {
            4 | 5 => formulas.and2(a, b),
            6 | 7 => formulas.or2(a, b),
            8 => formulas.equivalent(a, b),
            9 => formulas.until(a, b),
            10 => formulas.release(a, b),
            11 => formulas.weak_until(a, b),
            _ => formulas.strong_release(a, b),
        }
    }

    /// Conjunctions and disjunctions of what is suspended with what is not.
    fn suspending_formula(&mut self, formulas: &mut Formulas, depth: usize) -> Formula {
        let parts: Vec<Formula> = (0..2 + self.below(2))
            .map(|_| {
                let size = 1 + self.below(4);
                let inner = match depth {
                    0 => self.formula(formulas, size, 3),
                    _ if self.below(3) == 0 => self.suspending_formula(formulas, depth - 1),
                    _ => self.formula(formulas, size, 3),
                };
                let other = self.formula(formulas, 2, 3);
                match self.below(8) {
                    0 | 1 => {
                        let f = formulas.finally(inner);
                        formulas.globally(f)
                    }
                    2 => {
                        let g = formulas.globally(inner);
                        formulas.finally(g)
                    }
                    3 => formulas.until(other, inner),
                    4 => formulas.finally(inner),
                    5 => {
                        let f = formulas.finally(inner);
                        let f = formulas.implies(other, f);
                        formulas.globally(f)
                    }
                    6 => formulas.release(other, inner),
                    _ => formulas.globally(inner),
                }
            })
            .collect();
        if self.below(4) == 0 { formulas.or(parts) } else { formulas.and(parts) }
    }
}

/// The truth of the formula at each position, by the definition. An operator that looks ahead looks as far as
/// the word has positions: what comes after repeats.
fn truth(formulas: &Formulas, formula: Formula, word: &Word) -> Vec<bool> {
    let positions = 0..word.len();
    let ahead = |from: usize| {
        let mut position = from;
        (0..2 * word.len()).map(move |_| {
            let here = position;
            position = word.after(position);
            here
        })
    };
    let of = |child: Formula| truth(formulas, child, word);
    // b at some position, a before it.
    let until = |a: &[bool], b: &[bool], from: usize| {
        for i in ahead(from) {
            if b[i] {
                return true;
            }
            if !a[i] {
                return false;
            }
        }
        false
    };
    let always = |a: &[bool], from: usize| ahead(from).all(|i| a[i]);
    let both = |a: &[bool], b: &[bool]| -> Vec<bool> { a.iter().zip(b).map(|(a, b)| *a && *b).collect() };
    match formulas.node(formula) {
        Node::False => positions.map(|_| false).collect(),
        Node::True => positions.map(|_| true).collect(),
        Node::Proposition(number) => positions.map(|i| word.letter(i).get(*number)).collect(),
        Node::Not(a) => of(*a).into_iter().map(|value| !value).collect(),
        Node::And(all) => {
            let all: Vec<Vec<bool>> = all.iter().map(|&a| of(a)).collect();
            positions.map(|i| all.iter().all(|values| values[i])).collect()
        }
        Node::Or(all) => {
            let all: Vec<Vec<bool>> = all.iter().map(|&a| of(a)).collect();
            positions.map(|i| all.iter().any(|values| values[i])).collect()
        }
        Node::Equivalent(a, b) => of(*a).into_iter().zip(of(*b)).map(|(a, b)| a == b).collect(),
        Node::Next(a) => {
            let a = of(*a);
            positions.map(|i| a[word.after(i)]).collect()
        }
        Node::Finally(a) => {
            let a = of(*a);
            positions.map(|from| ahead(from).any(|i| a[i])).collect()
        }
        Node::Globally(a) => {
            let a = of(*a);
            positions.map(|from| always(&a, from)).collect()
        }
        Node::Until(a, b) => {
            let (a, b) = (of(*a), of(*b));
            positions.map(|from| until(&a, &b, from)).collect()
        }
        Node::WeakUntil(a, b) => {
            let (a, b) = (of(*a), of(*b));
            positions.map(|from| until(&a, &b, from) || always(&a, from)).collect()
        }
        Node::StrongRelease(a, b) => {
            let (a, b) = (of(*a), of(*b));
            let last = both(&a, &b);
            positions.map(|from| until(&b, &last, from)).collect()
        }
        Node::Release(a, b) => {
            let (a, b) = (of(*a), of(*b));
            let last = both(&a, &b);
            positions.map(|from| until(&b, &last, from) || always(&b, from)).collect()
        }
    }
}

/// Is there a run over the word that meets all marks infinitely often?
fn accepts(automaton: &Automaton, bdds: &Bdds, word: &Word) -> bool {
    let edges: Graph = (0..automaton.states() * word.len())
        .map(|node| {
            let (state, position) = (node / word.len(), node % word.len());
            automaton
                .leaving(state as u32)
                .iter()
                .filter(|edge| bdds.evaluate(edge.label, |v| word.letter(position).get(v)))
                .map(|edge| (edge.to as usize * word.len() + word.after(position), edge.marks))
                .collect()
        })
        .collect();
    has_accepting_cycle(&edges, automaton.initial[0] as usize * word.len(), automaton.all_marks())
}

/// Is there a word that both accept?
fn intersect(a: &Automaton, b: &Automaton, bdds: &mut Bdds) -> bool {
    let mut edges: Graph = Vec::new();
    for node in 0..a.states() * b.states() {
        let (one, two) = (node / b.states(), node % b.states());
        let mut leaving = Vec::new();
        for edge in a.leaving(one as u32) {
            for other in b.leaving(two as u32) {
                if bdds.intersects(edge.label, other.label) {
                    let marks = Marks(edge.marks.0 | other.marks.0 << a.sets);
                    leaving.push((edge.to as usize * b.states() + other.to as usize, marks));
                }
            }
        }
        edges.push(leaving);
    }
    let start = a.initial[0] as usize * b.states() + b.initial[0] as usize;
    has_accepting_cycle(&edges, start, Marks::all(a.sets + b.sets))
}

type Graph = Vec<Vec<(usize, Marks)>>;

/// Looks for a strongly connected part with edges of all marks, by Kosaraju's algorithm.
fn has_accepting_cycle(edges: &Graph, start: usize, all: Marks) -> bool {
    let nodes = edges.len();
    let mut backwards: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for (from, leaving) in edges.iter().enumerate() {
        for &(to, _) in leaving {
            backwards[to].push(from);
        }
    }
    let mut seen = vec![false; nodes];
    let mut finished = Vec::new();
    seen[start] = true;
    let mut stack = vec![(start, 0)];
    while let Some((node, next)) = stack.pop() {
        match edges[node].get(next) {
            None => finished.push(node),
            Some(&(to, _)) => {
                stack.push((node, next + 1));
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            }
        }
    }
    let mut component = vec![usize::MAX; nodes];
    for &root in finished.iter().rev() {
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            if seen[node] && component[node] == usize::MAX {
                component[node] = root;
                stack.extend(&backwards[node]);
            }
        }
    }
    let mut marks = vec![Marks::NONE; nodes];
    let mut cyclic = vec![false; nodes];
    for &from in &finished {
        for &(to, edge_marks) in edges[from].iter().filter(|(to, _)| component[*to] == component[from]) {
            marks[component[to]] |= edge_marks;
            cyclic[component[to]] = true;
        }
    }
    (0..nodes).any(|root| cyclic[root] && marks[root] == all)
}

fn check_shape(automaton: &Automaton, formulas: &Formulas) {
    assert_eq!(automaton.initial, [0]);
    assert_eq!(automaton.propositions, formulas.propositions());
    assert_eq!(automaton.reachable(), (0..automaton.states() as u32).collect::<Vec<_>>());
    for edge in automaton.edges.iter().flatten() {
        assert!(!edge.label.is_false());
        assert!(edge.marks.is_subset(automaton.all_marks()));
    }
}

fn agree(formulas: &mut Formulas, formula: Formula, random: &mut Random, words: usize) {
    let mut bdds = Bdds::new();
    let automaton = translate(formulas, formula, &mut bdds, Limits::for_states(ENOUGH, Stop::NEVER))
        .expect("small enough");
    check_shape(&automaton, formulas);
    for _ in 0..words {
        let word = random.word(3);
        let expected = truth(formulas, formula, &word)[0];
        assert_eq!(accepts(&automaton, &bdds, &word), expected, "{} of {word:?}", show(formulas, formula));
    }
}

fn show(formulas: &Formulas, formula: Formula) -> String {
    let of = |a: &Formula| show(formulas, *a);
    let list = |all: &[Formula], with| format!("({})", all.iter().map(of).collect::<Vec<_>>().join(with));
    match formulas.node(formula) {
        Node::False => "0".to_string(),
        Node::True => "1".to_string(),
        Node::Proposition(number) => formulas.propositions()[*number as usize].clone(),
        Node::Not(a) => format!("!{}", of(a)),
        Node::And(all) => list(all, " & "),
        Node::Or(all) => list(all, " | "),
        Node::Equivalent(a, b) => list(&[*a, *b], " <-> "),
        Node::Next(a) => format!("X{}", of(a)),
        Node::Finally(a) => format!("F{}", of(a)),
        Node::Globally(a) => format!("G{}", of(a)),
        Node::Until(a, b) => list(&[*a, *b], " U "),
        Node::Release(a, b) => list(&[*a, *b], " R "),
        Node::WeakUntil(a, b) => list(&[*a, *b], " W "),
        Node::StrongRelease(a, b) => list(&[*a, *b], " M "),
    }
}

fn with_propositions(count: usize) -> (Formulas, Vec<Formula>) {
    let mut formulas = Formulas::new();
    let propositions = (0..count).map(|i| formulas.proposition(&format!("p{i}"))).collect();
    (formulas, propositions)
}

#[test]
fn agrees_with_the_definition() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for _ in 0..6000 {
        let (mut formulas, _) = with_propositions(3);
        let size = 1 + random.below(12);
        let formula = random.formula(&mut formulas, size, 3);
        agree(&mut formulas, formula, &mut random, 8);
    }
}

#[test]
fn agrees_with_the_definition_when_suspending() {
    let mut random = Random(0xD1B5_4A32_D192_ED03);
    for _ in 0..2000 {
        let (mut formulas, _) = with_propositions(3);
        let formula = random.suspending_formula(&mut formulas, 1);
        agree(&mut formulas, formula, &mut random, 20);
    }
}

/// No word satisfies a formula and its negation: this covers all words.
#[test]
fn a_formula_and_its_negation_have_no_word_in_common() {
    let mut random = Random(0xA076_1D64_78BD_642F);
    for round in 0..4000 {
        let (mut formulas, _) = with_propositions(3);
        let size = 1 + random.below(10);
        let formula = match round % 2 {
            0 => random.formula(&mut formulas, size, 3),
            _ => random.suspending_formula(&mut formulas, 0),
        };
        let negation = formulas.not(formula);
        let mut bdds = Bdds::new();
        let yes = translate(&mut formulas, formula, &mut bdds, Limits::for_states(ENOUGH, Stop::NEVER))
            .expect("small enough");
        let no = translate(&mut formulas, negation, &mut bdds, Limits::for_states(ENOUGH, Stop::NEVER))
            .expect("small enough");
        if yes.sets + no.sets <= Marks::LIMIT && yes.states() * no.states() < 2000 {
            assert!(!intersect(&yes, &no, &mut bdds), "{}", show(&formulas, formula));
        }
    }
}

#[test]
fn the_simplest_formulas() {
    let (mut formulas, p) = with_propositions(2);
    let not = formulas.not(p[0]);
    let next = formulas.next(p[0]);
    let globally = formulas.globally(p[0]);
    let finally = formulas.finally(p[0]);
    let (recurs, stays) = (formulas.globally(finally), formulas.finally(globally));
    let until = formulas.until(p[0], p[1]);
    let release = formulas.release(p[0], p[1]);
    let equivalent = formulas.equivalent(p[0], next);
    let cases = [
        (Formula::FALSE, (1, 0, 0)),
        (Formula::TRUE, (1, 1, 0)),
        (p[0], (2, 2, 0)),
        (not, (2, 2, 0)),
        (next, (3, 3, 0)),
        (globally, (1, 1, 0)),
        (finally, (2, 3, 1)),
        (recurs, (1, 2, 1)),
        (stays, (2, 3, 1)),
        (until, (2, 3, 1)),
        (release, (2, 3, 0)),
        (equivalent, (4, 5, 0)),
    ];
    for (formula, expected) in cases {
        let mut bdds = Bdds::new();
        let automaton = translate(&mut formulas, formula, &mut bdds, Limits::for_states(ENOUGH, Stop::NEVER))
            .expect("small enough");
        let size = (automaton.states(), automaton.edge_count(), automaton.sets);
        assert_eq!(size, expected, "{}", show(&formulas, formula));
        agree(&mut formulas, formula, &mut Random(1), 200);
    }
}

/// Families that grow; name, formula.
fn families(n: usize) -> (Formulas, Vec<(&'static str, Formula)>) {
    let (mut fs, p) = with_propositions(n);
    let finally: Vec<Formula> = p.iter().map(|&a| fs.finally(a)).collect();
    let globally: Vec<Formula> = p.iter().map(|&a| fs.globally(a)).collect();
    let recurs: Vec<Formula> = finally.iter().map(|&a| fs.globally(a)).collect();
    let stays: Vec<Formula> = globally.iter().map(|&a| fs.finally(a)).collect();
    let response: Vec<Formula> = (1..n)
        .map(|i| {
            let answered = fs.implies(p[i - 1], finally[i]);
            fs.globally(answered)
        })
        .collect();
    let fair = fs.and(recurs[1..].to_vec());
    let all_finally = fs.and(finally.clone());
    let fold = |fs: &mut Formulas, operator: fn(&mut Formulas, Formula, Formula) -> Formula, left: bool| {
        p[1..].iter().fold(p[0], |a, &b| if left { operator(fs, a, b) } else { operator(fs, b, a) })
    };
    let family = vec![
        ("GF & …", fs.and(recurs.clone())),
        ("GF | …", fs.or(recurs.clone())),
        ("FG & …", fs.and(stays.clone())),
        ("FG | …", fs.or(stays)),
        ("F & …", all_finally),
        ("G(F & …)", fs.globally(all_finally)),
        ("G(p -> F) & …", fs.and(response.clone())),
        ("fair -> response", fs.implies(fair, response[0])),
        ("nested U, left", fold(&mut fs, Formulas::until, true)),
        ("nested U, right", fold(&mut fs, Formulas::until, false)),
        ("nested R, left", fold(&mut fs, Formulas::release, true)),
        ("nested R, right", fold(&mut fs, Formulas::release, false)),
        ("nested W, left", fold(&mut fs, Formulas::weak_until, true)),
        ("nested W, right", fold(&mut fs, Formulas::weak_until, false)),
        ("nested M, left", fold(&mut fs, Formulas::strong_release, true)),
        ("nested M, right", fold(&mut fs, Formulas::strong_release, false)),
    ];
    (fs, family)
}

#[test]
fn families_agree_with_the_definition() {
    for n in 2..=3 {
        let (mut formulas, family) = families(n);
        for (_, formula) in family {
            let negation = formulas.not(formula);
            agree(&mut formulas, formula, &mut Random(7), 500);
            agree(&mut formulas, negation, &mut Random(8), 500);
        }
    }
}

/// Prints the sizes; the bound on the time is far above what is needed, so that a busy machine does not
/// matter.
#[test]
fn families_are_fast() {
    let (mut formulas, family) = families(8);
    for (name, formula) in family {
        for (sign, formula) in [("", formula), ("!", formulas.not(formula))] {
            let mut bdds = Bdds::new();
            let start = Instant::now();
            let automaton =
                translate(&mut formulas, formula, &mut bdds, Limits::for_states(ENOUGH, Stop::NEVER))
                    .expect("small enough");
            let time = start.elapsed();
            check_shape(&automaton, &formulas);
            println!(
                "{sign}({name}): {} states, {} edges, {} sets, {time:?}",
                automaton.states(),
                automaton.edge_count(),
                automaton.sets
            );
            assert!(time < Duration::from_secs(2), "{sign}({name}): {time:?}");
        }
    }
}

#[test]
fn recurrence_is_one_state() {
    let (mut formulas, family) = families(8);
    let mut bdds = Bdds::new();
    let automaton = translate(&mut formulas, family[0].1, &mut bdds, Limits::for_states(ENOUGH, Stop::NEVER))
        .expect("small enough");
    assert_eq!((automaton.states(), automaton.sets), (1, 8));
    assert!(automaton.is_deterministic(&mut bdds) && automaton.is_complete(&mut bdds));
}

#[test]
fn chains_of_next() {
    let (mut formulas, p) = with_propositions(1);
    let chain = (0..200).fold(p[0], |a, _| formulas.next(a));
    let always = formulas.globally(chain);
    let mut bdds = Bdds::new();
    let automaton = translate(&mut formulas, chain, &mut bdds, Limits::for_states(ENOUGH, Stop::NEVER))
        .expect("small enough");
    assert_eq!((automaton.states(), automaton.edge_count()), (202, 202));
    let automaton = translate(&mut formulas, always, &mut bdds, Limits::for_states(ENOUGH, Stop::NEVER))
        .expect("small enough");
    assert_eq!(automaton.states(), 201);
    assert!(translate(&mut formulas, chain, &mut bdds, Limits::for_states(201, Stop::NEVER)).is_err());
}

#[test]
fn gives_up_instead_of_exploding() {
    // 65 promises.
    let (mut formulas, p) = with_propositions(65);
    let finally: Vec<Formula> = p.iter().map(|&a| formulas.finally(a)).collect();
    let any = formulas.or(finally.clone());
    let all = formulas.and(finally[..30].to_vec());
    assert!(
        translate(&mut formulas, any, &mut Bdds::new(), Limits::for_states(ENOUGH, Stop::NEVER)).is_err()
    );
    // 3^30 edges.
    assert!(
        translate(&mut formulas, all, &mut Bdds::new(), Limits::for_states(ENOUGH, Stop::NEVER)).is_err()
    );
    // 2^30 alternatives.
    let globally: Vec<Formula> = p.iter().map(|&a| formulas.globally(a)).collect();
    let pairs: Vec<Formula> = (0..30).map(|i| formulas.or2(globally[i], globally[i + 31])).collect();
    let pairs = formulas.and(pairs);
    assert!(
        translate(&mut formulas, pairs, &mut Bdds::new(), Limits::for_states(ENOUGH, Stop::NEVER)).is_err()
    );
}

#[test]
fn the_same_every_time() {
    let mut random = Random(0x1234_5678_9ABC_DEF1);
    for _ in 0..200 {
        let (mut formulas, _) = with_propositions(3);
        let formula = random.suspending_formula(&mut formulas, 1);
        let once =
            translate(&mut formulas, formula, &mut Bdds::new(), Limits::for_states(ENOUGH, Stop::NEVER));
        assert_eq!(
            once,
            translate(&mut formulas, formula, &mut Bdds::new(), Limits::for_states(ENOUGH, Stop::NEVER))
        );
    }
}
