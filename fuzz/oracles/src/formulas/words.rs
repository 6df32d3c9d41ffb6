//! The words that automata are tried on.
//!
//! Random words are short and seldom satisfy anything; so half of them come from the automata that the
//! translations give: some word that each accepts, words from random walks, and words that also satisfy a
//! second formula.

use super::text::shown;
use super::{Case, Check, Checked, Raw, wrong};
use lariat_ltl::emptiness::{common_word, some_word};
use lariat_ltl::evaluate::evaluate;
use lariat_ltl::scc::Structure;
use lariat_ltl::tableau::{self, Branching};
use lariat_ltl::{Automaton, Bdd, Letter, State, Word};

const RANDOM_WORDS: usize = 12;
/// Walks through each of two automata.
const WALKS: usize = 3;

impl Case<'_> {
    fn random_letter(&mut self, percent: u32) -> Letter {
        let propositions = self.formulas.propositions().len();
        Letter((0..propositions).map(|_| self.random.chance(percent)).collect())
    }

    fn random_word(&mut self) -> Word {
        let percent = *self.random.pick(&[5, 25, 50, 50, 75, 95]);
        let (prefix, cycle) = (self.random.below(5), 1 + self.random.below(4));
        Word {
            prefix: (0..prefix).map(|_| self.random_letter(percent)).collect(),
            cycle: (0..cycle).map(|_| self.random_letter(percent)).collect(),
        }
    }

    /// A random walk from an initial state, and from its end on some accepted word.
    fn walk(&mut self, automaton: &Automaton) -> Option<Word> {
        let useful = Structure::of(automaton).useful(automaton);
        let mut state = *automaton.initial.iter().find(|&&state| useful[state as usize])?;
        let mut prefix = Vec::new();
        for _ in 0..self.random.below(7) {
            let ways: Vec<(Bdd, State)> = automaton
                .leaving(state)
                .iter()
                .filter(|edge| useful[edge.to as usize])
                .map(|edge| (edge.label, edge.to))
                .collect();
            let (label, to) = *self.random.pick(&ways);
            prefix.push(self.letter_of(label));
            state = to;
        }
        let rest = Automaton { initial: vec![state], ..automaton.clone() };
        let word = some_word(&mut self.bdds, &rest)?;
        prefix.extend(word.prefix);
        Some(Word { prefix, cycle: word.cycle })
    }

    /// A letter that the label admits, a random one if that is soon found.
    fn letter_of(&mut self, label: Bdd) -> Letter {
        for _ in 0..4 {
            let letter = self.random_letter(50);
            if self.bdds.evaluate(label, |variable| letter.get(variable)) {
                return letter;
            }
        }
        let mut values = vec![false; self.formulas.propositions().len()];
        for (variable, positive) in self.bdds.satisfying(label).unwrap_or_default() {
            values[variable as usize] = positive;
        }
        Letter(values)
    }

    pub(super) fn collect_words(&mut self, formula: &Raw, negation: &Raw) -> Checked {
        let mut words: Vec<Word> = (0..RANDOM_WORDS).map(|_| self.random_word()).collect();
        let other = tableau::translate(
            &mut self.formulas,
            &mut self.bdds,
            self.other,
            Branching::Early,
            self.limits.translation(),
        );
        for raw in [formula, negation] {
            words.extend(some_word(&mut self.bdds, &raw.early));
            words.extend(some_word(&mut self.bdds, &raw.alternating));
            for _ in 0..WALKS {
                words.extend(self.walk(raw.smaller()));
            }
            if let Ok(other) = &other {
                words.extend(common_word(&mut self.bdds, raw.smaller(), other));
            }
        }
        for word in words {
            if self.words.iter().all(|(known, _)| *known != word) {
                let holds = evaluate(&self.formulas, self.formula, &word);
                if evaluate(&self.formulas, self.negation, &word) == holds {
                    return wrong(
                        Check::Lassos,
                        "the negation evaluated",
                        shown(&word, self.formulas.propositions()),
                    );
                }
                self.words.push((word, holds));
            }
        }
        Ok(())
    }

    /// The word with letters repeated.
    pub(super) fn stretched(&mut self, k: usize) -> Word {
        let (word, _) = self.words[k].clone();
        let mut repeat = |letters: &[Letter]| {
            let mut longer = Vec::new();
            for letter in letters {
                let times = 1 + self.random.below(3);
                longer.extend(std::iter::repeat_n(letter.clone(), times));
            }
            longer
        };
        let prefix = repeat(&word.prefix);
        let mut cycle = repeat(&word.cycle);
        cycle.extend(repeat(&word.cycle));
        Word { prefix, cycle }
    }
}
