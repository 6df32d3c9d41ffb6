//! Who reads and writes what: what a model may say about its processes, so that fewer of its steps need to be
//! followed ([`Footprint`]).

/// A set of things, by their numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Things {
    /// 64 things in each; the last is not 0.
    words: Vec<u64>,
}

impl Things {
    pub fn add(&mut self, thing: usize) {
        let word = thing / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (thing % 64);
    }

    pub fn meets(&self, other: &Things) -> bool {
        self.words.iter().zip(&other.words).any(|(one, two)| one & two != 0)
    }

    /// A thing of this set that is not in the other.
    pub fn missing_in(&self, other: &Things) -> Option<usize> {
        let word_of = |k: usize| other.words.get(k).copied().unwrap_or(0);
        let missing = self.words.iter().enumerate().find(|(k, word)| *word & !word_of(*k) != 0);
        missing.map(|(k, word)| 64 * k + (word & !word_of(k)).trailing_zeros() as usize)
    }
}

impl FromIterator<usize> for Things {
    fn from_iter<I: IntoIterator<Item = usize>>(things: I) -> Things {
        let mut set = Things::default();
        things.into_iter().for_each(|thing| set.add(thing));
        set
    }
}

/// What a process of a model reads and writes, in one state: next, and from there on
/// ([`Model::footprints`](crate::Model::footprints)).
///
/// *Things* are what processes share: a variable, a lock, a queue, a message. They have numbers, which you
/// choose. What belongs to a process alone is no thing; but if somebody else looks at it or changes it, it is
/// one.
///
/// - *Next* is about all that the process would do as its next step, whether it is possible at the moment or
///   not: what it looks at to find out whether it can move belongs to it.
/// - *Later* is about everything from the next step on, for ever, whatever the others do, together with what
///   is done by processes that it creates. What it does next counts as later by itself.
/// - The *position* says how far the process has come: any number. Only where each followed step makes the
///   sum of all positions greater, others are left waiting: so nobody waits for ever, because a cycle ends
///   where it began. The place in its program is a good position. Where nothing is said it is 0, and nothing
///   is left out.
///
/// To say too much is safe, and costs reduction. To say too little is an error, which is looked for
/// ([`Error::NotIndependent`](crate::Error::NotIndependent)), but by samples only.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Footprint {
    pub(crate) next_reads: Things,
    pub(crate) next_writes: Things,
    pub(crate) later_reads: Things,
    pub(crate) later_writes: Things,
    pub(crate) position: u64,
}

impl Footprint {
    /// Of a process that touches nothing that others touch.
    pub fn new() -> Footprint {
        Footprint::default()
    }

    /// Its next step may look at these things.
    pub fn reads(mut self, things: impl IntoIterator<Item = usize>) -> Self {
        for thing in things {
            self.next_reads.add(thing);
            self.later_reads.add(thing);
        }
        self
    }

    /// Its next step may change these things.
    pub fn writes(mut self, things: impl IntoIterator<Item = usize>) -> Self {
        for thing in things {
            self.next_writes.add(thing);
            self.later_writes.add(thing);
        }
        self
    }

    /// Some step from now on may look at these things.
    pub fn later_reads(mut self, things: impl IntoIterator<Item = usize>) -> Self {
        things.into_iter().for_each(|thing| self.later_reads.add(thing));
        self
    }

    /// Some step from now on may change these things.
    pub fn later_writes(mut self, things: impl IntoIterator<Item = usize>) -> Self {
        things.into_iter().for_each(|thing| self.later_writes.add(thing));
        self
    }

    /// How far it has come.
    pub fn position(mut self, position: u64) -> Self {
        self.position = position;
        self
    }

    /// Whether its next step may disturb what another process may do from now on, or be disturbed by it.
    pub(crate) fn disturbs(&self, other: &Footprint) -> bool {
        self.next_reads.meets(&other.later_writes)
            || self.next_writes.meets(&other.later_writes)
            || self.next_writes.meets(&other.later_reads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_things() {
        let set = |things: &[usize]| things.iter().copied().collect::<Things>();
        assert!(set(&[1, 70]).meets(&set(&[70])) && !set(&[1, 70]).meets(&set(&[2, 6, 71])));
        assert_eq!(set(&[1, 70]).missing_in(&set(&[1])), Some(70));
        assert_eq!(set(&[1, 70]).missing_in(&set(&[1, 2, 70])), None);
        assert_eq!(set(&[3]).missing_in(&set(&[])), Some(3));
    }

    #[test]
    fn what_comes_next_comes_later_too() {
        let one = Footprint::new().reads([1]).writes([2]);
        assert!(one.disturbs(&Footprint::new().later_writes([1])));
        assert!(!one.disturbs(&Footprint::new().later_reads([1])));
        assert!(one.disturbs(&Footprint::new().reads([2])));
        assert!(one.disturbs(&Footprint::new().later_reads([2])));
        assert!(!Footprint::new().later_writes([1]).disturbs(&one), "it is about the next step of the first");
        assert!(one.disturbs(&one.clone()), "two that write the same");
    }
}
