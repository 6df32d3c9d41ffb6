//! The tables of the report.

use super::compare::{Floor, Row};
use super::instructions::Instructions;
use super::verdicts::Verdict;
use crate::record::geometric_mean;
use std::fmt::Write;

const NO_FLOOR: Floor = Floor { new: f64::NAN, all: f64::NAN };

pub fn mean<T>(rows: &[T], figure: impl Fn(&T) -> f64) -> f64 {
    geometric_mean(rows.iter().map(figure))
}

impl Row {
    fn packed(&self) -> f64 {
        self.ours.vector_bytes as f64 / self.ours.counts.states as f64
    }

    fn stored(&self) -> f64 {
        self.ours.states_bytes as f64 / self.ours.counts.states as f64
    }

    /// All bytes of a state, less what its vector takes when it is packed.
    pub fn beside(&self) -> f64 {
        let all = self.ours.states_bytes + self.ours.auxiliary_bytes;
        (all as f64 - self.ours.vector_bytes as f64) / self.ours.counts.states as f64
    }

    fn stacks(&self) -> f64 {
        self.ours.stacks_bytes as f64 / self.ours.counts.states as f64
    }

    pub fn memory_ratio(&self) -> f64 {
        self.pan.peak_mib / self.lariat.peak_mib
    }

    /// Lariat's states visited, as a multiple of pan's.
    pub fn visited_ratio(&self) -> f64 {
        self.ours.counts.visited as f64 / self.theirs.visited as f64
    }
}

pub fn search_table(text: &mut String, rows: &[Row]) {
    text.push_str(
        "\n## Search alone, safety\n\nThe numbers of states are the same on both sides. *Floor, new*: the store alone, every key once; *floor, all*: \
         with as many insertions as there are transitions.\n\n\
         | model | class | states | transitions | the same | pan | lariat | ratio | user + system | floor, new | lariat / floor | floor, all | lariat / floor | engine |\n\
         | --- | --- | --: | --: | :-: | --: | --: | --: | --: | --: | --: | --: | --: | --- |\n",
    );
    for row in rows {
        let Floor { new, all } = row.floor.unwrap_or(NO_FLOOR);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {:.2} | {:.2} | {:.2} | {:.2} | {new:.2} | {:.2} | {all:.2} | {:.2} | {} |",
            row.name,
            row.class,
            row.ours.counts.states,
            row.ours.counts.transitions,
            if row.same_transitions() { "yes" } else { "no" },
            row.pan.user,
            row.lariat.user,
            row.ratio(),
            row.pan.processor / row.lariat.processor,
            row.lariat.user / new,
            row.lariat.user / all,
            row.ours.engine,
        );
    }
    let _ = writeln!(
        text,
        "| mean | | | | | | | {:.2} | {:.2} | | {:.2} | | {:.2} | |",
        mean(rows, Row::ratio),
        mean(rows, |row| row.pan.processor / row.lariat.processor),
        mean(rows, |row| row.lariat.user / row.floor.unwrap_or(NO_FLOOR).new),
        mean(rows, |row| row.lariat.user / row.floor.unwrap_or(NO_FLOOR).all),
    );
}

pub fn memory_table(text: &mut String, rows: &[Row]) {
    text.push_str(
        "\n## Memory, safety\n\nBytes a state, and MiB resident at the most. *Packed*: the bits that the types of everything in a state need. *Stored*: what Lariat keeps of a \
         state, the numbers of its pieces. *Beside* is all that Lariat keeps, less the packed vectors; tables, stacks and marks are part of it.\n\n\
         | model | pan's vector | packed | stored | beside | of which stacks, marks | pan, MiB | lariat, MiB | ratio |\n\
         | --- | --: | --: | --: | --: | --: | --: | --: | --: |\n",
    );
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.0} | {:.0} | {:.2} |",
            row.name,
            row.theirs.vector_bytes,
            row.packed(),
            row.stored(),
            row.beside(),
            row.stacks(),
            row.pan.peak_mib,
            row.lariat.peak_mib,
            row.memory_ratio(),
        );
    }
    let _ = writeln!(text, "| mean | | | | | | | | {:.2} |", mean(rows, Row::memory_ratio));
}

pub fn formulas_table(text: &mut String, title: &str, rows: &[Row]) {
    let _ = write!(
        text,
        "\n## {title}\n\n\
         | model and formula | algorithm | pan, states | pan, visited | lariat, states | lariat, visited | visited, lariat / pan | pan | lariat | ratio |\n\
         | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |\n"
    );
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {:.2} | {:.2} | {:.2} | {:.2} |",
            row.name,
            row.ours.algorithm,
            row.theirs.states,
            row.theirs.visited,
            row.ours.counts.states,
            row.ours.counts.visited,
            row.visited_ratio(),
            row.pan.user,
            row.lariat.user,
            row.ratio(),
        );
    }
    let (visited, ratio) = (mean(rows, Row::visited_ratio), mean(rows, Row::ratio));
    let _ = writeln!(text, "| mean | | | | | | {visited:.2} | | | {ratio:.2} |");
}

pub fn verdicts_table(text: &mut String, title: &str, rows: &[Verdict]) {
    let _ = write!(
        text,
        "\n## {title}\n\n\
         | model | verdict | pan, states | lariat, states | spin | gcc | pan | all three | lariat | ratio | ratio on the wall |\n\
         | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n"
    );
    let wall = |row: &Verdict| row.theirs_on_the_wall() / row.lariat.wall;
    for row in rows {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.3} | {:.2} | {:.3} | {:.2} | {:.3} | {:.2} | {:.2} |",
            row.name,
            if row.holds { "holds" } else { "violated" },
            row.their_states,
            row.our_states,
            row.spin.user,
            row.gcc.user,
            row.pan.user,
            row.theirs(),
            row.lariat.user,
            row.ratio(),
            wall(row),
        );
    }
    let (user, wall) = (mean(rows, Verdict::ratio), mean(rows, wall));
    let _ = writeln!(text, "| mean | | | | | | | | | {user:.2} | {wall:.2} |");
}

pub fn instructions_table(text: &mut String, rows: &[Instructions]) {
    text.push_str(
        "\n## Instructions a transition\n\nCounted by callgrind, of the search alone.\n\n\
         | model | states | transitions | interpreted | compiled | ratio |\n| --- | --: | --: | --: | --: | --: |\n",
    );
    for row in rows {
        let a_transition = |count: u64| count as f64 / row.transitions as f64;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.0} | {:.0} | {:.2} |",
            row.name,
            row.states,
            row.transitions,
            a_transition(row.interpreted),
            a_transition(row.compiled),
            row.interpreted as f64 / row.compiled as f64,
        );
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::bench::engine::Counts;
    use crate::bench::engine::compare::Best;
    use crate::bench::engine::ours::Found;
    use crate::pan::Explored;

    /// A row with these times and this number of visited states.
    pub fn row(pan: f64, lariat: f64, visited: u64) -> Row {
        let best = |user: f64| Best { user, processor: user, wall: user, peak_mib: user * 100.0 };
        let counts = Counts { states: 100, visited, transitions: 300 };
        Row {
            name: format!("m{pan}"),
            class: "ring".into(),
            pan: best(pan),
            lariat: best(lariat),
            theirs: Explored {
                states: 100,
                visited: 100,
                transitions: 301,
                depth: 7,
                vector_bytes: 80,
                errors: 0,
            },
            ours: Found {
                holds: true,
                counts,
                depth: 7,
                engine: "compiled".into(),
                algorithm: "sd".into(),
                states_bytes: 2000,
                auxiliary_bytes: 1500,
                vector_bytes: 2000,
                stacks_bytes: 100,
            },
            floor: Some(Floor { new: lariat / 2.0, all: lariat }),
        }
    }

    #[test]
    fn pan_counts_one_transition_more_and_prints_eight_digits() {
        let mut row = row(1.0, 1.0, 100);
        let mut same = |theirs, ours| {
            (row.theirs.transitions, row.ours.counts.transitions) = (theirs, ours);
            row.same_transitions()
        };
        assert!(same(301, 300) && same(135_151_770, 135_151_766));
        assert!(!same(302, 300) && !same(135_151_780, 135_151_766));
    }

    #[test]
    fn tables_have_as_many_cells_as_their_heads() {
        let rows = [row(8.0, 1.0, 100)];
        let mut text = String::new();
        search_table(&mut text, &rows);
        memory_table(&mut text, &rows);
        formulas_table(&mut text, "Formulas", &rows);
        let mut cells = None;
        for line in text.lines() {
            let count = line.matches('|').count();
            assert!(cells.is_none_or(|cells| cells == count) || count == 0, "{line}");
            cells = (count > 0).then_some(count);
        }
        assert!(text.contains("| m8 | ring | 100 | 300 | yes | 8.00 | 1.00 | 8.00 |"), "{text}");
        assert!(text.contains("| m8 | 80 | 20.0 | 20.0 | 15.0 | 1.0 | 800 | 100 | 8.00 |"), "{text}");
    }
}
