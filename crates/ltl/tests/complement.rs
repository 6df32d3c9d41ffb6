//! Complements of random automata: every word is accepted by one of the two.

use lariat_ltl::automaton::{Automaton, Edge};
use lariat_ltl::bdd::{Bdd, Bdds};
use lariat_ltl::complement::complement;
use lariat_ltl::emptiness::accepts;
use lariat_ltl::marks::Marks;
use lariat_ltl::stop::Stop;
use lariat_ltl::word::{Letter, Word};

struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 33) % most
    }
}

fn random_automaton(random: &mut Random, bdds: &mut Bdds) -> Automaton {
    let states = 1 + random.below(3) as u32;
    let sets = random.below(3) as u32;
    let mut automaton = Automaton { sets, ..Automaton::empty(vec!["p".into()]) };
    (1..states).for_each(|_| {
        automaton.add_state();
    });
    let (yes, no) = (bdds.literal(0, true), bdds.literal(0, false));
    for state in 0..states as usize {
        for _ in 0..1 + random.below(3) {
            let label = [Bdd::TRUE, yes, no][random.below(3) as usize];
            let marks =
                (0..sets).filter(|_| random.below(2) == 0).fold(Marks::NONE, |m, set| m | Marks::one(set));
            automaton.edges[state].push(Edge { label, marks, to: random.below(u64::from(states)) as u32 });
        }
    }
    automaton
}

/// All words with a prefix of at most three letters and a cycle of at most four.
fn words() -> Vec<Word> {
    let letters = |length: u32| {
        (0..1u32 << length)
            .map(move |bits| (0..length).map(|i| Letter(vec![bits >> i & 1 != 0])).collect::<Vec<_>>())
    };
    let prefixes = (0..=3).flat_map(letters);
    prefixes
        .flat_map(|prefix| {
            let cycles = (1..=4).flat_map(letters);
            cycles.map(move |cycle| Word { prefix: prefix.clone(), cycle })
        })
        .collect()
}

#[test]
fn every_word_is_in_one_of_the_two() {
    let mut random = Random(5);
    let words = words();
    let (mut found, mut sizes) = (0, 0);
    for number in 0..400 {
        let mut bdds = Bdds::new();
        let automaton = random_automaton(&mut random, &mut bdds);
        let Some(other) = complement(&mut bdds, &automaton, Stop::NEVER) else { continue };
        found += 1;
        sizes += other.states();
        for word in &words {
            let (one, two) = (accepts(&bdds, &automaton, word), accepts(&bdds, &other, word));
            assert!(one != two, "automaton {number}: {one} and {two} for {word:?}\n{automaton:?}");
        }
    }
    assert!(found > 300, "{found} of 400 complements, {sizes} states");
}
