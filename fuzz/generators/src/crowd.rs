//! Models of processes that touch the same arrays, meet over arrays of rendezvous channels, and come and go.
//!
//! They are for what is known of steps before they are repeated: which element an index names after the
//! variables in it have been written, on all ways through an indivisible sequence; who may receive; which
//! processes have nothing to do with each other. So nearly every index is a local variable that something
//! nearby writes, sequences have choices and loops, many processes wait for the same message, and in some
//! models there are more processes than a set of bits has room for.

use crate::random::Random;
use std::fmt::Write;

/// The model of a seed.
pub fn generate_crowd(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0xc40d_0000_0000_0000);
    let shape = random.weighted(&[(70, Shape::Few), (12, Shape::Chain), (18, Shape::Families)]);
    let mut maker = Maker { random, loops: 0, creates: shape == Shape::Families };
    match shape {
        Shape::Chain => maker.chain(),
        _ => maker.few(),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// Some processes that are always there.
    Few,
    /// Very many, two or three of which are awake at a time.
    Chain,
    /// Some that are created and end.
    Families,
}

/// Where a statement stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    Free,
    Atomic,
    DStep,
}

struct Maker {
    random: Random,
    /// Variables of loops in indivisible sequences that are taken.
    loops: usize,
    creates: bool,
}

const GLOBALS: &str = "byte x, y;\nbool f, g;\nbyte a[4], b[3];\nshort w[2];\nunsigned u : 3;\nbit h[9];\n";

impl Maker {
    fn index(&mut self, length: usize) -> String {
        let mask = if length == 4 { "& 3".to_string() } else { format!("% {length}") };
        match self.random.below(9) {
            0 => self.random.below(length).to_string(),
            1 | 2 => format!("k {mask}"),
            3 | 4 => format!("j {mask}"),
            5 => format!("l[k & 1] {mask}"),
            6 => format!("l[j & 1] {mask}"),
            7 => format!("_pid {mask}"),
            // That may be an error.
            _ => self.random.pick(&["k", "j", "l[0]"]).to_string(),
        }
    }

    /// Something that can be written. Some are numbered together with others, some alone.
    fn place(&mut self) -> String {
        match self.random.below(14) {
            0 => "x".to_string(),
            1 => "f".to_string(),
            2..4 => format!("a[{}]", self.index(4)),
            4 => format!("b[{}]", self.index(3)),
            5 => format!("w[{}]", self.index(2)),
            6 => "u".to_string(),
            7 => format!("h[{}]", self.index(9)),
            8 => format!("l[{}]", self.index(2)),
            9..11 => "j".to_string(),
            _ => "k".to_string(),
        }
    }

    fn value(&mut self) -> String {
        match self.random.below(9) {
            0..3 => self.random.below(3).to_string(),
            3 => "1 - (k & 1)".to_string(),
            4 => "(j + 1) % 3".to_string(),
            5 => format!("a[{}] & 1", self.index(4)),
            6 => format!("l[{}]", self.index(2)),
            7 => format!("b[{}] & 3", self.index(3)),
            _ => self.random.pick(&["k", "j", "x & 1", "f", "u & 3", "h[k % 9]"]).to_string(),
        }
    }

    fn condition(&mut self) -> String {
        let value = self.random.below(3);
        match self.random.below(9) {
            0 => format!("x == {value}"),
            1 => format!("k == {value}"),
            2 => format!("j != {value}"),
            3 | 4 => format!("a[{}] == {value}", self.index(4)),
            5 => format!("w[{}] <= {value}", self.index(2)),
            6 => format!("len(d[{}]) < 2", self.index(2)),
            7 => format!("l[{}] == {value}", self.index(2)),
            _ => self.random.pick(&["f", "!g", "y < 2", "nempty(c)", "d[k & 1]?[0, _]"]).to_string(),
        }
    }

    /// Two fields to be received, the second of which may use an index that the first has written.
    fn stores(&mut self) -> String {
        let fields = [
            "k, j",
            "k, l[k & 1]",
            "j, a[j & 3]",
            "k, eval(a[k & 3])",
            "k, eval(j)",
            "0, k",
            "1, j",
            "l[0], l[l[0] & 1]",
            "j, b[j % 3]",
            "eval(k), j",
            "_, k",
        ];
        self.random.pick(&fields).to_string()
    }

    fn channel(&mut self, within: Within) -> String {
        match self.random.below(if within == Within::DStep { 5 } else { 12 }) {
            0..3 => format!("d[{}]", self.index(2)),
            3 | 4 => "c".to_string(),
            5 => "r[0]".to_string(),
            6 => "r[1]".to_string(),
            7..10 => format!("r[{}]", self.index(3)),
            _ => "own".to_string(),
        }
    }

    /// What may have to wait. Where it must not, there is mostly something else to do.
    fn waiting(&mut self, statement: String, within: Within) -> String {
        if within == Within::Free || self.random.chance(if within == Within::DStep { 4 } else { 50 }) {
            return statement;
        }
        let other = if self.random.chance(50) { String::new() } else { format!(" -> {} = 1", self.place()) };
        format!("if :: {statement} :: else{other} fi")
    }

    fn statement(&mut self, within: Within, depth: usize) -> String {
        let choice = self.random.below(20);
        match choice {
            0..5 => format!("{} = {}", self.place(), self.value()),
            5 | 6 => {
                let condition = self.condition();
                self.waiting(condition, within)
            }
            7 | 8 => {
                let send = format!("{}!{}, {}", self.channel(within), self.value(), self.value());
                self.waiting(send, within)
            }
            9 | 10 => {
                let receive = format!("{}?{}", self.channel(within), self.stores());
                self.waiting(receive, within)
            }
            11..13 if depth > 0 => {
                let (one, two) = (self.row(within, depth - 1), self.row(within, depth - 1));
                // What begins an option may write, too.
                let condition = match self.random.below(4) {
                    0 if within == Within::DStep => format!("{}?{}", self.channel(within), self.stores()),
                    _ => self.condition(),
                };
                let other = match self.random.below(3) {
                    0 => "else".to_string(),
                    1 => format!("else -> {two}"),
                    _ => format!("else -> if :: {} -> {two} :: else fi", self.condition()),
                };
                format!("if :: {condition} -> {one} :: {other} fi")
            }
            13 | 14 if within != Within::Free && self.loops < 3 => {
                let count = self.loops;
                self.loops += 1;
                let body = self.row(within, depth.saturating_sub(1));
                format!(
                    "n{count} = 0; do :: n{count} < 2 -> n{count}++; {body} :: else -> n{count} = 0; break od"
                )
            }
            13..17 if within == Within::Free && depth > 0 => {
                self.loops = 0;
                let first =
                    if self.random.chance(50) { format!("{}; ", self.condition()) } else { String::new() };
                format!("d_step {{ {first}{} }}", self.row(Within::DStep, depth))
            }
            17..19 if within == Within::Free && depth > 0 => {
                self.loops = 0;
                format!("atomic {{ {} }}", self.row(Within::Atomic, depth))
            }
            19 if within != Within::DStep && self.creates => {
                format!("if :: _nr_pr < 5 -> run Q({}, r[{}]) :: else fi", self.value(), self.random.below(3))
            }
            _ => format!("{}++", self.random.pick(&["k", "j", "k", "a[k & 3]", "l[j & 1]"])),
        }
    }

    fn row(&mut self, within: Within, depth: usize) -> String {
        let count = 1 + self.random.below(if within == Within::Free { 3 } else { 4 });
        let statements: Vec<String> = (0..count).map(|_| self.statement(within, depth)).collect();
        statements.join("; ")
    }

    fn options(&mut self) -> String {
        let count = 1 + self.random.below(3);
        let mut text = String::from("  do\n");
        for _ in 0..count {
            // Values stay small.
            let _ = writeln!(text, "  :: {}; k = k & 3; j = j & 3", self.row(Within::Free, 2));
        }
        if self.random.chance(40) {
            text.push_str("  :: k == 2 -> break\n");
        }
        text + "  od;\n"
    }

    fn body(&mut self) -> String {
        let mut text = String::from("  byte k, j, l[2], n0, n1, n2;\n");
        for _ in 0..self.random.below(4) {
            let _ = writeln!(text, "  {};", self.row(Within::Free, 2));
        }
        if self.random.chance(55) {
            text += &self.options();
        }
        text + "  skip\n"
    }

    fn few(&mut self) -> String {
        let mut text = format!("{GLOBALS}chan c = [2] of {{ byte, byte }};\n");
        text.push_str("chan d[2] = [1] of { byte, byte };\nchan r[3] = [0] of { byte, byte };\n");
        let _ = write!(
            text,
            "proctype Q(byte i; chan own) {{\n{}}}\n",
            self.body().replace("run Q", "assert(i < 9); run Q")
        );
        for number in 0..2 + self.random.below(2) {
            let instances = 1 + self.random.below(2);
            let body = self.body();
            let own = format!("  chan own = r[{}];\n", self.random.below(3));
            let _ = write!(text, "active [{instances}] proctype P{number}() {{\n{own}{body}}}\n");
        }
        text
    }

    /// Processes wait for their turn; the number of the last one is around that of the bits in a set.
    fn chain(&mut self) -> String {
        let count = *self.random.pick(&[30, 31, 32, 33, 34, 40, 62, 63, 64, 65, 66, 70]);
        let channels = *self.random.pick(&[2, 3, 62, 64, 66, 70]);
        let mut text = format!("{GLOBALS}byte t;\nchan c = [2] of {{ byte, byte }};\n");
        let _ = writeln!(
            text,
            "chan d[2] = [1] of {{ byte, byte }};\nchan r[{channels}] = [0] of {{ byte, byte }};"
        );
        let body = self.body();
        let window = 1 + self.random.below(3);
        let forward = self.random.chance(50);
        let number = if forward { "_pid".to_string() } else { format!("({} - _pid)", count - 1) };
        let kind = self.random.below(4);
        let work: String = (0..1 + self.random.below(3))
            .map(|_| {
                let one = match kind {
                    0 => "a[_pid & 3] = 1 - a[_pid & 3]".to_string(),
                    1 => format!(
                        "if :: r[_pid % {channels}]!1, k :: r[(_pid + 1) % {channels}]?k, j :: skip fi"
                    ),
                    2 => format!("if :: own!1, k :: own?j, k :: r[{}]?_, k :: k = 1 fi", channels - 1),
                    _ => self.row(Within::Free, 1),
                };
                format!("  {one};\n")
            })
            .collect();
        let declarations = body.lines().next().unwrap_or_default();
        let _ = write!(
            text,
            "active [{count}] proctype P() {{\n  chan own = r[{}];\n{declarations}\n  \
             t + {window} > {number};\n{work}  d_step {{ t == {number} -> t++ }};\n  k = 1\n}}\n",
            channels / 2
        );
        text
    }
}
